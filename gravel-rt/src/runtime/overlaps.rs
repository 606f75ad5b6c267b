//! Whether exchanges are worth overlapping ([`crate::overlap`]).

use super::Runtime;
use crate::overlap::Way;
use crate::sys::clock::monotonic_nanoseconds;

impl Runtime {
    /// Whether the program, which has begun an exchange at `place`, should now do what needs nothing of it. False where
    /// nothing is known of what is under way.
    pub fn worth_overlapping(&mut self, place: &str) -> bool {
        let Some(bytes) = self.bytes_under_way() else { return false };
        self.overlaps.next(place, bytes, self.settings.overlap, monotonic_nanoseconds) == Way::Apart
    }

    /// Makes a call that waits, and tells how long it took where that is asked.
    #[inline(always)]
    pub fn waiting<T>(&mut self, wait: impl FnOnce(&mut Self) -> T) -> T {
        let begin = self.overlaps.wants_waits().then(monotonic_nanoseconds);
        let result = wait(self);
        if let Some(begin) = begin {
            self.overlaps.note_wait(monotonic_nanoseconds().saturating_sub(begin));
        }
        result
    }

    /// How many bytes the receives are long that the program has not completed.
    fn bytes_under_way(&self) -> Option<u64> {
        Some(self.shared.lock().ok()?.bytes_of_receives())
    }
}
