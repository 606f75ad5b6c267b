//! Questions: a producer tells its consumer that a send waits for its handshake, once for all messages of a match key.
//!
//! The consumer refuses if it receives the messages of that key by another protocol: then no handshake will ever come. Else
//! its receives of the key send their handshakes from now on, also those whose messages could come as eager data
//! ([`super::eager`]): so that segments can leave as they are ready, and a message that is too long is found out. For a
//! synchronous send ([`super::synchronous`]) short receives do so, too, and when they are posted.

use super::transfer::{Initiation, Operation};
use crate::engine::{Engine, State};
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{Asked, SendMode};
use crate::message::request::Handle;
use crate::message::wire::Control;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::completion::Completion;
    use crate::engine::consumer_write::Envelope;
    use crate::engine::tests::message_of;
    use crate::message::communicator::CommunicatorId;
    use crate::provider::desk::{Desk, PEER};

    const BYTES: usize = 20_000;

    /// An engine whose peer takes eager data of more than [`BYTES`], what it sends, and an open transfer of the message.
    fn opened(message: &[u8]) -> (Engine, Desk, Handle) {
        let desk = Desk::that_takes(64 * 1024);
        let mut engine = Engine::new(0, 2, Box::new(desk.clone()));
        let envelope = Envelope { peer: PEER, communicator: CommunicatorId::FIRST, tag: 5 };
        // SAFETY: the message outlives the engine.
        let transfer = unsafe { engine.open_transfer(message_of(message), envelope) }.expect("it opens");
        (engine, desk, transfer)
    }

    /// Nothing is asked for, nothing waits for its end, and no arrival is urgent.
    #[test]
    fn a_message_that_is_put_at_once_leaves_without_its_handshake() {
        let message = vec![0u8; BYTES];
        let (mut engine, desk, transfer) = opened(&message);
        engine.put(transfer, message.as_ptr().expose_provenance(), 0, BYTES as i64).expect("it is put");
        assert!(!engine.needs_arrivals(), "it has left");
        assert!(engine.test(transfer).is_err(), "it is open");
        engine.send_fin(transfer).expect("it is whole");
        assert_eq!(engine.test(transfer), Ok(Some(Completion::Empty)));
        assert!(desk.sent.lock().unwrap().is_empty());
    }

    #[test]
    fn who_puts_a_part_asks_once_and_what_became_whole_leaves() {
        let message = vec![0u8; BYTES];
        let (mut engine, desk, transfer) = opened(&message);
        for part in 0..4 {
            assert_eq!(engine.has_deferred_work(), part > 0);
            let count = BYTES as i64 / 4;
            let address = message.as_ptr().expose_provenance();
            engine.put(transfer, address, part * count, count).expect("it is put");
        }
        assert!(!engine.has_deferred_work(), "all of it has left");
        let sent = desk.sent.lock().unwrap();
        assert!(matches!(sent[..], [Control::Question { wanted: Asked::NotShort, .. }]), "{sent:?}");
    }
}
