//! What the engine does with what its provider can't take.

use super::*;
use crate::protocol::consumer_write::Envelope;
use crate::protocol::ranges::SegmentNotices;
use crate::provider::desk::{Desk, PEER, message_of};

/// More handshakes than the provider keeps leave in one go: whoever waits for the last one may be all that would wake
/// anybody here.
#[test]
fn what_found_no_room_leaves_when_there_is_some() {
    const BYTES: usize = 20_000;
    const RECEIVES: usize = 30;
    let desk = Desk::that_keeps(4);
    let mut engine = Engine::new(0, 2, Box::new(desk.clone()));
    let buffers = vec![[0u8; BYTES]; RECEIVES];
    for buffer in &buffers {
        let envelope = Envelope { peer: PEER, communicator: CommunicatorId::FIRST, tag: 5 };
        // SAFETY: the buffers outlive the engine, and nothing comes.
        unsafe { engine.post_receive(message_of(buffer), envelope, SegmentNotices::Unwanted) }.expect("a receive");
    }
    assert!(desk.sent.lock().unwrap().is_empty());
    engine.provider.notify();
    assert!(engine.keeps_something(), "the pump is to look after the rest");
    engine.progress(u64::MAX);
    assert_eq!(desk.sent.lock().unwrap().len(), RECEIVES);
    assert!(!engine.keeps_something());
}
