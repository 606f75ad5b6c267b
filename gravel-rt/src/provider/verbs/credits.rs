//! What keeps queues from overrunning.
//!
//! - *Send queue*: every request occupies a place until it, or a later signalled one, has completed. Entries are not
//!   signalled, except one in a while, which gives the places of all before it back.
//! - *Receive queue*: every entry and every credit takes a receive request of the peer. Its ledgers bound the entries,
//!   and it returns credits a quarter of a ring at a time, so their number is known. Some more are [spare](SPARE_RECEIVES):
//!   so many may have been taken, and not be posted again, when the entries that took them are given back. Where entries go
//!   the other way, too, these give back what has been read, and hardly any credits are sent by themselves.
//! - *Completion queues* have room for all places of all send queues, and of all receive queues.
//! - *Reads*: a device has so many outstanding and no more; further ones would hold up what is behind them. So each
//!   takes a token (Sur et al. 2006, section 4.2), and what finds none waits.

use super::queue_pair::SEND_DEPTH;
use crate::provider::piece::HANDSHAKE_SLOTS;

/// Entries of a FIN ring.
pub const FIN_SLOTS: usize = 128;
/// Credits of each of the three rings that may be under way at once: for the quarters of it, and one more.
const CREDITS: u32 = 3 * 5;
/// Receive requests beyond those that the peer may take: they are posted again in batches of so many, and not while somebody
/// waits for what has come.
pub const SPARE_RECEIVES: u32 = 32;
/// Requests of a receive queue.
pub const RECEIVE_DEPTH: u32 = (HANDSHAKE_SLOTS + FIN_SLOTS) as u32 + CREDITS + SPARE_RECEIVES;
/// At least every so many requests one is signalled.
const SIGNAL_INTERVAL: u32 = SEND_DEPTH / 4;
/// Places that data leaves to entries and credits.
pub const RESERVED: u32 = SEND_DEPTH / 4;

/// The places of a send queue.
#[derive(Debug, Default)]
pub struct SendQueue {
    posted: u64,
    completed: u64,
    /// Requests since the last signalled one.
    unsignalled: u32,
}

impl SendQueue {
    /// Whether so many requests fit.
    pub fn has_room(&self, requests: u32) -> bool {
        self.posted - self.completed + u64::from(requests) <= u64::from(SEND_DEPTH)
    }

    /// The number of the next request.
    pub fn next(&self) -> u64 {
        self.posted
    }

    /// Whether the last of so many requests has to be signalled.
    pub fn must_signal(&self, requests: u32) -> bool {
        self.unsignalled + requests >= SIGNAL_INTERVAL
    }

    /// So many requests were posted, the last of them signalled or not.
    pub fn note_posted(&mut self, requests: u32, signalled: bool) {
        self.posted += u64::from(requests);
        self.unsignalled = if signalled { 0 } else { self.unsignalled + requests };
    }

    /// The request with this number has completed, and so have all before it. False if there is no such request.
    pub fn note_completed(&mut self, number: u64) -> bool {
        let is_known = number < self.posted;
        if is_known {
            // Those that are flushed behind an error complete one by one, those before it together.
            self.completed = self.completed.max(number + 1);
        }
        is_known
    }

    /// Whether everything has completed.
    pub fn is_empty(&self) -> bool {
        self.posted == self.completed
    }

    /// Whether nothing will tell when the last request completes.
    pub fn has_silent_end(&self) -> bool {
        self.unsignalled > 0
    }
}

/// Tokens for outstanding reads.
#[derive(Debug)]
pub struct ReadTokens {
    free: u8,
}

impl ReadTokens {
    /// So many reads may be outstanding.
    pub fn new(limit: u8) -> Self {
        Self { free: limit }
    }

    /// Takes a token, if there is one.
    pub fn take(&mut self) -> bool {
        let is_free = self.free > 0;
        self.free -= u8::from(is_free);
        is_free
    }

    /// A read has completed.
    pub fn give_back(&mut self) {
        self.free += 1;
    }
}

/// Bits of a count that an immediate has room for.
pub const COUNT_BITS: u32 = 28;

/// The count of which these are so many low bits, and which is not below the last one, nor above it by all that the bits can
/// tell apart.
pub fn widen(last: u64, low: u32, bits: u32) -> u64 {
    let period = 1 << bits;
    let count = (last & !(period - 1)) | (u64::from(low) & (period - 1));
    if count < last { count + period } else { count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        /// Whatever is posted and completed when: places never run over, and where nothing completes by itself any
        /// more, the queue knows that.
        #[test]
        fn places_are_never_overrun(steps in proptest::collection::vec((0u8..3, 1u32..3), 1..2000)) {
            let mut queue = SendQueue::default();
            let mut signalled = VecDeque::new();
            let (mut outstanding, mut number) = (VecDeque::new(), 0u64);
            for (step, requests) in steps {
                if step < 2 {
                    if !queue.has_room(requests) {
                        prop_assert!(outstanding.len() as u32 + requests > SEND_DEPTH);
                        prop_assert!(!signalled.is_empty(), "full, and nothing will ever make room");
                        continue;
                    }
                    let signal = step == 1 || queue.must_signal(requests);
                    queue.note_posted(requests, signal);
                    for _ in 0..requests {
                        outstanding.push_back(number);
                        number += 1;
                    }
                    if signal {
                        signalled.push_back(number - 1);
                    }
                    prop_assert!(outstanding.len() as u32 <= SEND_DEPTH);
                } else if let Some(done) = signalled.pop_front() {
                    prop_assert!(queue.note_completed(done));
                    outstanding.retain(|&request| request > done);
                }
                prop_assert_eq!(queue.is_empty(), outstanding.is_empty());
                let is_silent = outstanding.back().is_some_and(|last| signalled.back() != Some(last));
                prop_assert_eq!(queue.has_silent_end(), is_silent);
            }
        }

        #[test]
        fn counts_are_widened(last in 0u64..1 << 50, step in 0u64..1 << COUNT_BITS, bits in 1..=COUNT_BITS) {
            let count = last + step % (1 << bits);
            prop_assert_eq!(widen(last, (count & ((1 << bits) - 1)) as u32, bits), count);
        }
    }

    #[test]
    fn requests_that_were_never_posted_do_not_complete() {
        let mut queue = SendQueue::default();
        assert!(!queue.note_completed(0));
        queue.note_posted(1, true);
        assert!(queue.note_completed(0));
        assert!(!queue.note_completed(1));
    }

    #[test]
    fn reads_wait_for_tokens() {
        let mut tokens = ReadTokens::new(2);
        assert!(tokens.take() && tokens.take() && !tokens.take());
        tokens.give_back();
        assert!(tokens.take() && !tokens.take());
    }
}
