//! Sends that complete without their receiver.
//!
//! MPI programs rely on sends up to the eager limit never blocking, however many are outstanding (contract: no new
//! deadlock), and on short ones being fast even if the receive is posted late. Two ways serve them:
//!
//! - *Eager data*: a short message travels at once, with its match key and its number among the messages of that key. The
//!   consumer copies it into the receive with the same number ([`ReceiveOrder`]), or keeps it until that is posted. So a
//!   receive that is no longer than that needs no handshake. It sends one only when a wait for it is about to sleep,
//!   or when it has polled in vain and the producer has asked: the message may be longer than the receive, or be put in
//!   segments, and its producer is waiting to be told. Over a network a message of medium
//!   length does the same where its handshake has not come yet: to wait for that would take a round trip, and this process
//!   again when it computes. So its receive sends none either, unless its producer has asked for that: one that puts a part
//!   of a message does, which should leave when it is ready, once for all messages of the key. One that is put at once leaves
//!   then: nothing can be put behind it. A handshake that is not needed is dropped.
//!   An announced message travels so up to the same length, whether it is whole from the start or is put.
//!   If the data is longer than its receive, the send has completed, and only the receive returns that error; the producer's
//!   process is told, and writes it to standard error. A send whose handshake has come is an error on both sides.
//!   A synchronous send ([`super::synchronous`]) does neither of these two: it waits for its handshake.
//! - *Spilling*: when the application waits for a send of up to the eager limit whose handshake has not come, the puts
//!   that are still queued are copied into memory of the runtime's own, without bound, and the application gets its
//!   buffer back. They are read by the consumer where it can ([`super::spilled_read`]), else delivered when the handshake
//!   comes.

use std::collections::{BTreeMap, VecDeque};

use super::announcements::Announcement;
use super::segments::{Segment, Source};
use super::transfer::{Operation, Receive, Transfer};
use crate::Rank;
use crate::engine::State;
use crate::error::tag::tag_text;
use crate::message::rendezvous::{Asked, RemoteMessage};
use crate::message::request::Handle;
use crate::message::wire::Control;
use crate::sys::log;

/// The receives of one match key in the order of their posting, and eager data that came before its receive.
#[derive(Debug, Default)]
pub struct ReceiveOrder {
    /// Number of receives posted so far.
    posted: u64,
    /// Receives that are not complete, with their numbers, in order.
    open: VecDeque<(u64, Handle)>,
    /// What has come before its receive, by number.
    early: BTreeMap<u64, Announcement>,
    /// Whether the producer has announced a message of this key, which its protocol does not allow.
    mixed: bool,
    /// For which receives the producer wants handshakes.
    asked: Asked,
}

impl ReceiveOrder {
    /// Whether no receive has been posted yet.
    #[inline(always)]
    pub fn is_new(&self) -> bool {
        self.posted == 0
    }

    /// Whether the protocol of the next receive must be looked at: it is the first one, or the producer is known to use
    /// another protocol for this key.
    #[inline(always)]
    pub fn needs_a_look(&self) -> bool {
        self.posted == 0 || self.mixed
    }

    /// For which receives the producer has asked for handshakes.
    #[inline(always)]
    pub fn asked(&self) -> Asked {
        self.asked
    }

    /// The producer asks for handshakes. Returns the receives that are open.
    pub fn ask(&mut self, asked: Asked) -> impl Iterator<Item = Handle> {
        self.asked = self.asked.max(asked);
        self.open.iter().map(|&(_, request)| request)
    }

    /// The number of the receive that is posted next.
    #[inline(always)]
    pub fn next_number(&self) -> u64 {
        self.posted
    }

    /// The producer has announced a message. Returns the receives that were open: their messages will not come.
    pub fn mix(&mut self) -> Vec<Handle> {
        self.mixed = true;
        self.open.drain(..).map(|(_, request)| request).collect()
    }

    /// Takes back a receive that its producer has not heard of, if none of the later ones has been heard of either: these
    /// move up, and are returned with their new numbers. Nothing happens if the producer may know one, or has sent data
    /// for one.
    pub fn withdraw(&mut self, number: u64, is_known: impl Fn(Handle) -> bool) -> Option<Vec<(u64, Handle)>> {
        let place = self.open.binary_search_by_key(&number, |&(open, _)| open).ok()?;
        let later = self.open.len() - place;
        // A number that is missing belongs to a message that came before its predecessors.
        let complete = number + later as u64 == self.posted;
        if !complete || !self.early.is_empty() || self.open.range(place..).any(|&(_, request)| is_known(request)) {
            return None;
        }
        self.open.remove(place);
        self.posted -= 1;
        let moved = self.open.range_mut(place..).map(|(number, request)| {
            *number -= 1;
            (*number, *request)
        });
        Some(moved.collect())
    }

    /// Posts the next receive; returns what has come of its message.
    #[inline(always)]
    pub fn post(&mut self, request: Handle) -> Option<Announcement> {
        let number = self.posted;
        self.posted += 1;
        let early = self.early.remove(&number);
        if early.is_none() {
            self.open.push_back((number, request));
        }
        early
    }

    /// The receive with this number, which its eager data completes. Data that is too early is kept.
    #[inline(always)]
    pub fn arrive(&mut self, number: u64, bytes: &[u8]) -> Option<Handle> {
        if number >= self.posted {
            self.early.insert(number, Announcement::Data(bytes.into()));
            return None;
        }
        self.close(number)
    }

    /// The receive with this number, which can read its message. A message that is too early is kept.
    pub fn arrive_spilled(&mut self, number: u64, message: RemoteMessage) -> Option<Handle> {
        if number >= self.posted {
            self.early.insert(number, Announcement::Remote(message));
            return None;
        }
        self.close(number)
    }

    /// The receive with this number, if it is posted and not complete.
    pub fn open_receive(&self, number: u64) -> Option<Handle> {
        let place = self.open.binary_search_by_key(&number, |&(open, _)| open).ok()?;
        self.open.get(place).map(|&(_, request)| request)
    }

    /// The receive with this number is completed or given up; its handle, if it was open.
    #[inline(always)]
    pub fn close(&mut self, number: u64) -> Option<Handle> {
        // Messages mostly come in order.
        if self.open.front().is_some_and(|&(first, _)| first == number) {
            return self.open.pop_front().map(|(_, request)| request);
        }
        let place = self.open.binary_search_by_key(&number, |&(open, _)| open).ok()?;
        self.open.remove(place).map(|(_, request)| request)
    }
}

impl State {
    /// Consumer: a message that had left without a handshake is longer than its receive, whose wait returns that error. The
    /// producer's send has completed, as an eager send of MPI has: its process is told, and says so.
    #[cold]
    pub(crate) fn tell_too_long(&mut self, request: Handle, sent: u64) {
        let Some(Operation::Receive(receive)) = self.operations.get(request) else { return };
        let Receive { peer, communicator, tag, bytes: posted, .. } = *receive;
        self.reply(peer, Control::TooLong { communicator, tag, sent, posted });
    }
}

/// Producer: a message was not received. No call can return that any more.
#[cold]
pub(crate) fn note_too_long(peer: Rank, tag: i32, sent: u64, posted: u64) {
    log::error!(
        "a send that had completed could not be delivered: message of {sent} bytes to rank {peer}, {}, is longer than the \
         posted receive of {posted} bytes: nothing was transferred",
        tag_text(tag)
    );
}

/// Copies what is still queued, so that the application's buffer is not needed any more. What is queued of a message of
/// which nothing has left becomes one piece. False if there is not enough memory: then the buffer is still needed.
#[must_use]
pub fn spill(transfer: &mut Transfer) -> bool {
    let queued: u64 = transfer.queued.iter().map(|segment| segment.bytes).sum();
    if transfer.queued.len() > 1 && queued == transfer.bytes && !join(transfer) {
        return false;
    }
    transfer.queued.iter_mut().all(spill_segment)
}

/// Copies a message of which all is queued into one piece. False if there is not enough memory.
fn join(transfer: &mut Transfer) -> bool {
    let mut whole = Vec::new();
    if whole.try_reserve_exact(transfer.bytes as usize).is_err() {
        return false;
    }
    whole.resize(transfer.bytes as usize, 0);
    let mut whole = whole.into_boxed_slice();
    for segment in transfer.queued.drain(..) {
        let place = &mut whole[segment.offset as usize..][..segment.bytes as usize];
        // SAFETY: as in `spill_segment`; the copy is new memory.
        unsafe { std::ptr::copy_nonoverlapping(segment.address(), place.as_mut_ptr(), place.len()) };
    }
    transfer.queued.push_back(Segment { offset: 0, bytes: transfer.bytes, source: Source::Spilled(whole, 0) });
    true
}

/// False if there is not enough memory.
fn spill_segment(segment: &mut Segment) -> bool {
    if matches!(segment.source, Source::Spilled(..)) {
        return true;
    }
    // SAFETY: the segment lies in the buffer of a transfer whose application has not been given its buffer back yet
    // (it is inside the wait for it, or its cancel), so the bytes are valid and nobody writes them. They are one object of
    // the application, which is at most isize::MAX long.
    let bytes = unsafe { std::slice::from_raw_parts(segment.address(), segment.bytes as usize) };
    let mut copy = Vec::new();
    if copy.try_reserve_exact(bytes.len()).is_err() {
        return false;
    }
    copy.extend_from_slice(bytes);
    segment.source = Source::Spilled(copy.into_boxed_slice(), 0);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn posted(count: i64) -> ReceiveOrder {
        let mut receives = ReceiveOrder::default();
        for request in 0..count {
            assert_eq!(receives.post(Handle::from_raw(request + 1)), None);
        }
        receives
    }

    #[test]
    fn receives_behind_a_withdrawn_one_move_up() {
        let mut receives = posted(4);
        let moved = vec![(1, Handle::from_raw(3)), (2, Handle::from_raw(4))];
        assert_eq!(receives.withdraw(1, |_| false), Some(moved));
        assert_eq!(receives.next_number(), 3);
        assert_eq!(receives.arrive(1, &[]), Some(Handle::from_raw(3)));
    }

    #[test]
    fn what_the_producer_may_know_is_not_withdrawn() {
        let mut receives = posted(4);
        assert_eq!(receives.withdraw(1, |request| request == Handle::from_raw(4)), None, "one behind it is known");
        assert_eq!(receives.withdraw(7, |_| false), None, "not posted");
        // A message behind it has come, so its own is on its way.
        assert_eq!(receives.arrive(2, &[]), Some(Handle::from_raw(3)));
        assert_eq!(receives.withdraw(1, |_| false), None);
        assert!(receives.withdraw(3, |_| false).is_some());
        let mut receives = posted(2);
        assert_eq!(receives.arrive(5, &[1]), None, "kept");
        assert_eq!(receives.withdraw(1, |_| false), None);
    }

    proptest! {
        /// Whatever comes first, data number n meets receive number n, once; the others are completed by handshakes.
        #[test]
        fn eager_data_meets_the_receive_of_its_number(
            eager in proptest::collection::vec(any::<bool>(), 1..40), order in proptest::collection::vec(any::<bool>(), 80),
        ) {
            let mut receives = ReceiveOrder::default();
            let (mut posted, mut sent) = (0, 0);
            let mut met = vec![None; eager.len()];
            for post in order {
                if post && posted < eager.len() {
                    prop_assert_eq!(receives.next_number(), posted as u64);
                    if let Some(Announcement::Data(data)) = receives.post(Handle::from_raw(posted as i64 + 1)) {
                        prop_assert!(met[posted].is_none());
                        met[posted] = Some(data[0]);
                    }
                    posted += 1;
                } else if sent < eager.len() {
                    let number = sent;
                    sent += 1;
                    if !eager[number] {
                        // By handshake: only possible once posted.
                        receives.close(number as u64);
                    } else if let Some(request) = receives.arrive(number as u64, &[number as u8]) {
                        prop_assert_eq!(request, Handle::from_raw(number as i64 + 1));
                        prop_assert!(met[number].is_none());
                        met[number] = Some(number as u8);
                    }
                }
            }
            for number in 0..eager.len() {
                let expected = (eager[number] && number < posted && number < sent).then_some(number as u8);
                prop_assert_eq!(met[number], expected);
            }
        }
    }
}
