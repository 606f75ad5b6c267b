//! What a handle stands for: a transfer at the producer, a receive at the consumer.

use std::collections::VecDeque;

use super::segments::{Coverage, Segment, Source};
use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::room::Room;
use crate::message::communicator::CommunicatorId;
use crate::message::datatype::scattered::Scattered;
use crate::message::matching::{MatchKey, Pattern};
use crate::message::rendezvous::{Fin, MAXIMUM_EAGER_DATA, RemoteBuffer, SendMode};

/// Who begins the rendezvous of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initiation {
    /// The consumer, by its handshake. The message has a number among those of its match key.
    Consumer,
    /// The producer, by an announcement, which is on its way. The message has a number among all that the producer
    /// announces to this peer on this communicator.
    Producer,
    /// The producer, by a whole message that has found no room yet and will be its own announcement: eager data.
    ProducerEagerly,
}

/// A message at its producer, from `gravel_wait_rcv_buffer` until its FIN is written.
#[derive(Debug)]
pub struct Transfer {
    /// Destination.
    pub peer: Rank,
    /// Communicator.
    pub communicator: CommunicatorId,
    /// Tag.
    pub tag: i32,
    /// Who begins the rendezvous.
    pub initiation: Initiation,
    /// What its end says.
    pub mode: SendMode,
    /// Whether its consumer's helper has been summoned for it, as it was waited for in vain.
    pub summoned: bool,
    /// Its number, from 0, among the messages that [`Initiation`] names.
    pub number: u64,
    /// Its number among the messages that are announced to this peer with this tag on this communicator, if the peer counts
    /// them (see [`super::grants`]).
    pub number_of_key: Option<u64>,
    /// Address of the message's first byte.
    pub base: usize,
    /// The address by which the program's puts name the message.
    pub named: usize,
    /// Length of the message in bytes.
    pub bytes: u64,
    /// Length of the message in elements, and of an element in bytes.
    pub elements: u64,
    /// Bytes of one element.
    pub element_bytes: u64,
    /// Whether loop iterations advance in step with the message's bytes (see [`crate::tile`]).
    pub advances_with_message: bool,
    /// Whether elements of the host language's array are those of the datatype, by length: else puts, and waits for parts,
    /// which count the array's elements, name no part of the message.
    pub parts_are_named: bool,
    /// What has been put, delivered or not.
    pub coverage: Coverage,
    /// The consumer's buffer, once the handshake has come.
    pub target: Option<RemoteBuffer>,
    /// Puts that are not delivered yet.
    pub queued: VecDeque<Segment>,
    /// Whether the consumer wants to hear of every segment.
    pub tells_segments: bool,
    /// Byte ranges that have left and of which the consumer has not been told yet.
    pub untold: Vec<(u64, u64)>,
    /// Whether the application has ended the message (`gravel_send_fin`).
    pub ended: bool,
    /// Whether the FIN has been handed to the ledger: then nothing is left to do here.
    pub fin_sent: bool,
    /// Pieces that were put and that the interconnect still reads.
    pub in_flight: u32,
    /// Copies that such pieces are parts of.
    pub kept: Vec<Source>,
    /// The copy of the whole message that the transfer is of, where the application may write the message itself (see
    /// [`super::copied_send`]): it lives as long as the transfer, so that whatever reads it finds it.
    pub copy: Option<Room>,
    /// What the copy is packed of when the message ends, and not before (see [`super::packed`]).
    pub packs: Option<Box<Scattered>>,
    /// Whether the application has no handle any more (a spilled message).
    pub detached: bool,
    /// Whether the consumer has been told that it can read the message (see [`super::spilled_read`]): then nothing is left
    /// to do here until it answers.
    pub offered: bool,
    /// Whether the consumer has been told where the message lies in memory of the program, and may read it there (see
    /// [`super::producer_read`]).
    pub read_in_place: bool,
    /// Whether the program has cancelled it (see [`super::cancelled_send`]).
    pub cancelled: bool,
    /// Why the message cannot be delivered.
    pub failure: Option<Box<Error>>,
    /// Whether this transfer is counted as deferred work.
    pub deferred: bool,
    /// Whether this transfer is listed for delivery.
    pub ready: bool,
}

impl Transfer {
    /// What its receive must agree on.
    pub fn key(&self) -> MatchKey {
        MatchKey { peer: self.peer, communicator: self.communicator, tag: self.tag }
    }

    /// Whether all of it may travel as eager data to a peer that takes so many bytes: nothing of it has left, and no target
    /// is known. A synchronous one may not: its end would say nothing about a receive.
    pub fn may_travel_eagerly(&self, longest: u64) -> bool {
        self.target.is_none()
            && self.mode == SendMode::Standard
            && self.initiation != Initiation::Producer
            && !self.fin_sent
            && !self.offered
            && self.failure.is_none()
            && self.bytes <= longest
    }

    /// Whether it may do so now: it is all there, in one piece. Nothing can be put behind that, so its end need not be waited
    /// for.
    pub fn can_leave_eagerly(&self, longest: u64) -> bool {
        let is_whole = match self.queued.front() {
            Some(segment) => segment.bytes == self.bytes,
            None => self.ended,
        };
        is_whole && self.queued.len() <= 1 && self.may_travel_eagerly(longest)
    }

    /// Queues a segment behind the others. One that continues the last becomes a part of it.
    pub fn queue(&mut self, segment: Segment) {
        if self.queued.back_mut().is_none_or(|last| !last.extend(&segment)) {
            self.queued.push_back(segment);
        }
    }

    /// Whether nothing is left to do here: the FIN has been handed over, and nobody reads the message any more.
    pub fn is_over(&self) -> bool {
        self.fin_sent && self.in_flight == 0
    }

    /// Keeps a delivered copy for as long as it is read.
    pub(super) fn keep_while_in_flight(&mut self, segment: &mut Segment) {
        if self.in_flight > 0 && matches!(segment.source, Source::Spilled(..)) {
            self.kept.push(std::mem::replace(&mut segment.source, Source::Application(0)));
        }
    }

    /// Drops what has not left: only the consumer is still to be told why.
    pub(super) fn forsake(&mut self, why: Box<Error>) {
        self.detached = true;
        self.queued.clear();
        self.failure.get_or_insert(why);
    }

    /// Byte range of `count` elements from `offset`, checked against the message.
    pub fn range(&self, offset: i64, count: i64) -> Result<(u64, u64)> {
        byte_range(self.elements, self.element_bytes, offset, count)
    }
}

/// Byte range of `count` elements from `offset` in a message of `elements`, whose length in bytes has been checked.
#[inline(always)]
pub fn byte_range(elements: u64, element_bytes: u64, offset: i64, count: i64) -> Result<(u64, u64)> {
    let outside = || Error::PutOutsideMessage { offset, count, elements };
    let first = u64::try_from(offset).map_err(|_| outside())?;
    let length = u64::try_from(count).map_err(|_| outside())?;
    let last = first.checked_add(length).filter(|&last| last <= elements).ok_or_else(outside)?;
    // Products fit: `last` elements are no more than the message.
    Ok((first * element_bytes, last * element_bytes))
}

/// A posted receive at its consumer.
#[derive(Debug, Clone, Copy)]
pub struct Receive {
    /// Source.
    pub peer: Rank,
    /// Tag.
    pub tag: i32,
    /// Communicator.
    pub communicator: CommunicatorId,
    /// Address of the buffer.
    pub address: usize,
    /// Its length in bytes.
    pub bytes: u64,
    /// Bytes of one element of its datatype.
    pub element_bytes: u64,
    /// See [`Transfer::parts_are_named`].
    pub parts_are_named: bool,
    /// Its number among the receives of its match key, from 0; none if the consumer matched it (see
    /// [`super::producer_write`]).
    pub number: Option<u64>,
    /// Whether its producer knows of it: its handshake was sent, or its message has begun to come (see [`super::eager`]).
    pub announced: bool,
    /// Whether it waits in the order of announced receives for the announcement that it meets (see [`super::grants`]): then
    /// its producer has been told where it is, or it is to be cancelled.
    pub is_in_order: bool,
    /// Whether it asks the producer to tell of every segment (see [`super::ranges`]).
    pub wants_segments: bool,
    /// Whether its producer has been asked to withdraw it (see [`super::cancel`]).
    pub withdrawing: bool,
    /// How often it was tested in vain before its handshake was sent, or since that was tried.
    pub vain_tests: u8,
    /// The FIN, once it has come. Data always arrives before it.
    pub fin: Option<Fin>,
}

impl Receive {
    /// What its message must agree on.
    pub fn key(&self) -> MatchKey {
        MatchKey { peer: self.peer, communicator: self.communicator, tag: self.tag }
    }
}

/// A posted receive of an announced message, as long as no announcement has met it.
#[derive(Debug, Clone, Copy)]
pub struct Awaiting {
    /// Which announcements it takes.
    pub pattern: Pattern,
    /// Address of the buffer.
    pub address: usize,
    /// Its length in bytes.
    pub bytes: u64,
    /// Bytes of one element of its datatype.
    pub element_bytes: u64,
    /// See [`Transfer::parts_are_named`].
    pub parts_are_named: bool,
}

impl Awaiting {
    /// The receive that it becomes when a message from `key` meets it.
    pub fn met(&self, key: MatchKey) -> Receive {
        Receive {
            peer: key.peer,
            tag: key.tag,
            communicator: key.communicator,
            address: self.address,
            bytes: self.bytes,
            element_bytes: self.element_bytes,
            parts_are_named: self.parts_are_named,
            number: None,
            announced: false,
            is_in_order: false,
            wants_segments: false,
            withdrawing: false,
            vain_tests: 0,
            fin: None,
        }
    }

    /// Whether a message that it can take may need this side's answer before it moves.
    pub fn may_need_an_answer(&self) -> bool {
        self.bytes > MAXIMUM_EAGER_DATA
    }
}

/// What a handle stands for.
#[derive(Debug)]
pub enum Operation {
    /// A posted receive.
    Receive(Receive),
    /// A posted receive of a message that has not been announced yet.
    Awaiting(Awaiting),
    /// A transfer, open or ended. Boxed: it is several times larger than a receive.
    Transfer(Box<Transfer>),
    /// Complete, and nothing was moved.
    Null(NullOperation),
    /// An operation that can't be completed any more.
    Failed {
        /// Why.
        error: Box<Error>,
        /// The communicator that it belonged to.
        communicator: CommunicatorId,
    },
}

impl Operation {
    /// Whether its memory may have been made known to an interconnect, which then has to be told that it is over. Short
    /// messages are copied.
    #[inline(always)]
    pub fn may_be_registered(&self) -> bool {
        match self {
            Self::Receive(receive) => receive.bytes > MAXIMUM_EAGER_DATA,
            Self::Transfer(transfer) => transfer.bytes > MAXIMUM_EAGER_DATA,
            Self::Failed { .. } => true,
            Self::Awaiting(_) | Self::Null(_) => false,
        }
    }

    /// The communicator it belongs to.
    pub fn communicator(&self) -> Option<CommunicatorId> {
        match self {
            Self::Receive(receive) => Some(receive.communicator),
            Self::Transfer(transfer) => Some(transfer.communicator),
            Self::Awaiting(awaiting) => Some(awaiting.pattern.communicator),
            Self::Failed { communicator, .. } => Some(*communicator),
            Self::Null(_) => None,
        }
    }
}

/// Why nothing is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullOperation {
    /// An open transfer to nobody.
    OpenTransfer,
    /// A request of an operation with MPI_PROC_NULL.
    Request,
    /// A receive that was cancelled before a message met it.
    Cancelled,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn transfer(elements: u64, element_bytes: u64) -> Transfer {
        Transfer {
            peer: 0,
            communicator: CommunicatorId::FIRST,
            tag: 0,
            initiation: Initiation::Consumer,
            mode: SendMode::Standard,
            summoned: false,
            number: 0,
            number_of_key: None,
            base: 0,
            named: 0,
            bytes: elements * element_bytes,
            elements,
            element_bytes,
            advances_with_message: true,
            parts_are_named: true,
            coverage: Coverage::default(),
            target: None,
            queued: VecDeque::new(),
            tells_segments: false,
            untold: Vec::new(),
            ended: false,
            fin_sent: false,
            in_flight: 0,
            kept: Vec::new(),
            copy: None,
            packs: None,
            detached: false,
            offered: false,
            read_in_place: false,
            cancelled: false,
            failure: None,
            deferred: false,
            ready: false,
        }
    }

    #[test]
    fn ranges_are_in_bytes_and_may_pass_two_to_the_31() {
        assert_eq!(transfer(1 << 31, 16).range(1 << 30, 1 << 30), Ok((1 << 34, 1 << 35)));
    }

    #[test]
    fn only_a_standard_message_leaves_before_its_receive_is_known() {
        let mut message = Transfer { ended: true, ..transfer(10, 8) };
        assert!(message.can_leave_eagerly(80));
        assert!(!message.can_leave_eagerly(79));
        message.mode = SendMode::Synchronous;
        assert!(!message.can_leave_eagerly(80));
    }

    #[test]
    fn negative_and_wrapping_ranges_are_refused() {
        let transfer = transfer(100, 8);
        for (offset, count) in
            [(-1, 1), (0, -1), (0, 101), (100, 1), (i64::MAX, i64::MAX), (i64::MIN, i64::MIN), (99, 2)]
        {
            assert!(transfer.range(offset, count).is_err(), "{offset} {count}");
        }
    }

    proptest! {
        #[test]
        fn every_accepted_range_is_inside_the_message(
            elements in 0u64..1 << 40, element_bytes in 1u64..64, offset: i64, count: i64,
        ) {
            let transfer = transfer(elements, element_bytes);
            if let Ok((start, end)) = transfer.range(offset, count) {
                prop_assert!(start <= end && end <= transfer.bytes);
            }
        }
    }
}
