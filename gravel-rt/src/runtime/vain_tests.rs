//! Tests that complete nothing, which are most of all that a polling program makes.
//!
//! A program that looks for messages between two steps of its computation tests after each of them. Such a test costs what a look
//! at the peers' entries costs, and no more: it takes one look for all its requests, and asks nothing twice. Whatever it finds is
//! left to the tests that complete requests.

use super::Runtime;
use crate::error::Result;
use crate::message::request::Handle;

/// So many tests in vain let MPI advance: a program that tests in a loop may be waiting for a rank that waits for that.
const TESTS_BETWEEN_PROGRESS: u32 = 16;

/// When a test of several requests is in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InVain {
    /// As long as all that are active wait.
    AllWait,
    /// As long as any waits.
    AnyWaits,
}

impl Runtime {
    /// Whether a test of several requests has completed nothing, by one look for all of them. False says nothing: then each is to
    /// be tested. So it is where somebody watches the tests, where a look whether peers live is due, for requests that consist
    /// of others, and where none is active.
    #[inline(always)]
    pub(super) fn was_in_vain(&mut self, requests: &[Handle], when: InVain) -> Result<bool> {
        if self.is_watched() || self.dead_peers.are_due() {
            return Ok(false);
        }
        let limit = self.settings.eager_limit;
        let mut engine = self.shared.lock()?;
        let mut waiting = 0;
        let mut others = 0;
        for &request in requests.iter().filter(|request| !request.is_null()) {
            if request.consists_of_others() {
                return Ok(false);
            }
            if engine.could_complete(request, limit) { others += 1 } else { waiting += 1 }
        }
        if waiting == 0 || others > 0 && when == InVain::AllWait || engine.progress_if_any() {
            return Ok(false);
        }
        for &request in requests {
            engine.tested_in_vain(request);
        }
        self.helper.arm(&self.shared, engine)?;
        self.tested_in_vain();
        Ok(true)
    }

    /// After a test that has completed nothing: from time to time MPI advances, and others get the processor.
    #[inline(always)]
    pub(super) fn tested_in_vain(&mut self) {
        self.tests_in_vain = self.tests_in_vain.wrapping_add(1);
        if self.tests_in_vain.is_multiple_of(TESTS_BETWEEN_PROGRESS) {
            self.let_others_advance();
        }
    }

    #[inline(never)]
    fn let_others_advance(&mut self) {
        self.host.progress();
        if self.shared.patience.polling(0).yields {
            std::thread::yield_now();
        }
    }
}
