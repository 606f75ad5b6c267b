//! Objects of MPI that the program has freed.
//!
//! The runtime knows communicators and datatypes by their handles, which MPI uses again. The MPI side therefore puts an
//! attribute on each one that the runtime remembers; the attribute is not copied to duplicates, and its delete callback,
//! which runs before the handle can be used again, retires the [`Key`] here. A table drops what was retired before it
//! answers, so that a handle is never taken for the object that had it before, and a lookup costs one load more.
//!
//! The callback may run inside a call of this runtime (MPI's progress may drop the last reference to a freed
//! communicator) or on another thread of the program: hence a list of its own, with a lock of its own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Names one object of MPI for as long as the process lives, unlike the object's handle. Fits a pointer, which is what
/// an attribute of MPI holds. Never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key(usize);

impl Key {
    /// A key that was never given out before.
    pub fn new() -> Self {
        static GIVEN_OUT: AtomicUsize = AtomicUsize::new(0);
        Self(GIVEN_OUT.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// From the value of an attribute.
    pub fn from_raw(raw: i64) -> Option<Self> {
        usize::try_from(raw).ok().filter(|&raw| raw != 0).map(Self)
    }

    /// For the value of an attribute.
    pub fn into_raw(self) -> i64 {
        // Counted up from 1: the sign is out of reach.
        self.0 as i64
    }
}

impl Default for Key {
    fn default() -> Self {
        Self::new()
    }
}

/// Keys of freed objects that a table has not dropped yet.
#[derive(Debug, Default)]
pub struct Retirements {
    any: AtomicBool,
    keys: Mutex<Vec<Key>>,
}

impl Retirements {
    /// The object with this key is no more.
    pub fn retire(&self, key: Key) {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.push(key);
        self.any.store(true, Ordering::Release);
    }

    /// Whether there is something to [take](Retirements::take).
    #[inline]
    pub fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// What has been retired since the last call.
    #[cold]
    pub fn take(&self) -> Vec<Key> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        self.any.store(false, Ordering::Release);
        std::mem::take(&mut *keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_retired_is_taken_once() {
        let retirements = Retirements::default();
        let (first, second) = (Key::new(), Key::new());
        assert_ne!(first, second);
        assert!(!retirements.any());
        retirements.retire(first);
        retirements.retire(second);
        assert!(retirements.any());
        assert_eq!(retirements.take(), [first, second]);
        assert!(!retirements.any());
        assert_eq!(retirements.take(), []);
    }

    #[test]
    fn keys_survive_the_way_through_an_attribute() {
        let key = Key::new();
        assert_eq!(Key::from_raw(key.into_raw()), Some(key));
        assert_eq!(Key::from_raw(0), None);
        assert_eq!(Key::from_raw(-1), None);
    }
}
