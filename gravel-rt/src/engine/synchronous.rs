//! Synchronous sends: their end says that a receive was posted and has met the message (MPI 4.0, sections 3.4 and 3.7.1). What
//! the consumer did before it posted that receive has happened then, and programs rely on it.
//!
//! Such a message never leaves as eager data while no receive is known, and is never spilled. It goes the ways that an
//! answer of the consumer belongs to:
//!
//! - *Numbered*: it waits for the handshake of the receive with its number, and is put. Short receives, and over a network those
//!   of medium length, send no handshake for other messages; so the first synchronous one of a key asks for them
//!   ([`super::question`]), and from then on every receive of the key sends its handshake when it is posted. Where that is
//!   there before the send, a short message leaves as eager data as any other: it has met its receive.
//! - *Announced*: it is always announced, however short. It leaves when the consumer says where it goes, or is over when the
//!   consumer has read it, and both happen when a receive has met it.
//!
//! What the consumer has to do for that must not depend on its application, which may compute, or wait inside MPI for something
//! that its peer does behind the send. Where arrivals wake nobody there, a wait in vain summons its helper: once for a key, as
//! receives tell of themselves when the question was read, and once for each announced message.

use super::transfer::{Initiation, Operation};
use crate::engine::Engine;
use crate::message::rendezvous::SendMode;
use crate::message::request::Handle;

impl Engine {
    /// Producer: a send was waited for in vain. If it is synchronous, and nothing has met it, the consumer looks at it; also if it
    /// is a message that the consumer's processor has to copy, which posts of receives leave to others ([`LongReads`]).
    ///
    /// [`LongReads`]: super::producer_read::LongReads
    pub(super) fn summon_for(&mut self, handle: Handle) {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get_mut(handle) else { return };
        let needs_consumer = transfer.mode == SendMode::Synchronous
            || transfer.read_in_place && self.state.capabilities[transfer.peer].gets_are_copies;
        let waits = needs_consumer && transfer.target.is_none() && !transfer.fin_sent;
        if !waits || std::mem::replace(&mut transfer.summoned, true) {
            return;
        }
        let (peer, key, initiation) = (transfer.peer, transfer.key(), transfer.initiation);
        if initiation == Initiation::Producer || self.state.producing.summons_first(key) {
            self.summon(peer);
        }
    }
}
