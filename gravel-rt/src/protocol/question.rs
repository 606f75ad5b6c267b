//! Questions: a producer tells its consumer that a send waits for its handshake, once for all messages of a match key.
//!
//! The consumer refuses if it receives the messages of that key by another protocol: then no handshake will ever come. Else
//! its receives of the key send their handshakes from now on, also those whose messages could come as eager data
//! ([`super::eager`]): so that segments can leave as they are ready, and a message that is too long is found out. For a
//! synchronous send ([`super::synchronous`]) short receives do so, too, and when they are posted.

use super::eager::Asked;
use super::transfer::{Initiation, Operation, SendMode};
use super::wire::Control;
use crate::engine::{Engine, State};
use crate::matching::MatchKey;
use crate::request::Handle;

impl Engine {
    /// Producer: asks, if nobody has done so for this key and the transfer waits for its handshake.
    pub(super) fn ask_for_handshake(&mut self, handle: Handle) {
        let Some(Operation::Transfer(transfer)) = self.state.operations.get(handle) else { return };
        let (peer, communicator, tag) = (transfer.peer, transfer.communicator, transfer.tag);
        let waits = transfer.initiation == Initiation::Consumer && transfer.target.is_none() && !transfer.fin_sent;
        let wanted = match transfer.mode {
            SendMode::Standard => Asked::NotShort,
            SendMode::Synchronous => Asked::All,
        };
        if waits && self.state.producing.asks_first(transfer.key(), wanted) {
            self.send(peer, Control::Question { communicator, tag, transfer: handle, wanted });
            self.provider.notify();
        }
    }

    /// Consumer: sends the handshakes of receives that were posted before their producer asked. Where it has not asked for
    /// those of short ones, they are left to their waits: most of their messages need none.
    pub(super) fn announce_asked(&mut self) {
        while let Some(request) = self.state.to_announce.pop_front() {
            if let Some(Operation::Receive(receive)) = self.state.operations.get(request) {
                let (key, bytes) = (receive.key(), receive.bytes);
                if self.state.receives.entry(key).asked().covers(bytes) {
                    self.announce(request);
                }
            }
        }
    }
}

impl State {
    /// Consumer: a question came.
    pub(crate) fn asked_for_handshakes(&mut self, key: MatchKey, transfer: Handle, wanted: Asked) {
        if self.note_consumer_initiated(key) {
            self.refuse(key.peer, transfer);
            return;
        }
        self.questions.insert(key, transfer);
        self.to_announce.extend(self.receives.entry(key).ask(wanted));
        self.announced_work |= !self.to_announce.is_empty();
    }
}
