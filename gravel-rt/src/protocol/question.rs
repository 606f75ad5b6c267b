//! Questions: a producer tells its consumer that a send waits for its handshake, once for all messages of a match key.
//!
//! The consumer refuses if it receives the messages of that key by another protocol: then no handshake will ever come. Else
//! its receives of the key send their handshakes from now on, also those whose messages could come as eager data
//! ([`super::eager`]): so that segments can leave as they are ready, and a message that is too long is found out.

use super::eager;
use super::transfer::{Initiation, Operation};
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
        if waits && self.state.producing.asks_first(transfer.key()) {
            self.send(peer, Control::Question { communicator, tag, transfer: handle });
            self.provider.notify();
        }
    }

    /// Consumer: sends the handshakes of receives that were posted before their producer asked. Short ones are left to
    /// their waits: most of their messages need none.
    pub(super) fn announce_asked(&mut self) {
        while let Some(request) = self.state.to_announce.pop_front() {
            if let Some(Operation::Receive(receive)) = self.state.operations.get(request)
                && receive.bytes > eager::MAXIMUM_EAGER_DATA
            {
                self.announce(request);
            }
        }
    }
}

impl State {
    /// Consumer: a question came.
    pub(crate) fn asked_for_handshakes(&mut self, key: MatchKey, transfer: Handle) {
        if self.note_consumer_initiated(key) {
            self.refuse(key.peer, transfer);
            return;
        }
        self.questions.insert(key, transfer);
        self.to_announce.extend(self.receives.entry(key).ask());
        self.announced_work |= !self.to_announce.is_empty();
    }
}
