//! What the engine does with what its provider can't take.

use super::consumer_write::Message;
use super::*;
use crate::engine::consumer_write::Envelope;
use crate::engine::ranges::SegmentNotices;
use crate::message::rendezvous::SendMode;
use crate::provider::desk::{Desk, PEER};

/// A message of these bytes, for operations that the test ends before its memory.
pub(super) fn message_of(bytes: &[u8]) -> Message {
    let address = bytes.as_ptr().expose_provenance();
    Message {
        address,
        named: address,
        elements: bytes.len() as u64,
        element_bytes: 1,
        advances_with_message: true,
        parts_are_named: true,
        mode: SendMode::Standard,
    }
}

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

/// A short one comes without being read, and its receiver is woken for nothing.
#[test]
fn arrivals_are_urgent_where_they_have_to_be_read() {
    const BYTES: usize = 30_000;
    let mut engine = Engine::new(0, 2, Box::new(Desk::that_is_read_beyond(BYTES as u64)));
    let buffer = vec![0u8; BYTES + 1];
    let envelope = Envelope { peer: PEER, communicator: CommunicatorId::FIRST, tag: 5 };
    let post = |engine: &mut Engine, bytes| {
        // SAFETY: the buffer outlives the engine, and nothing comes.
        unsafe { engine.post_receive(message_of(&buffer[..bytes]), envelope, SegmentNotices::Unwanted) }
            .expect("a receive")
    };
    let short = post(&mut engine, BYTES);
    assert!(!engine.needs_arrivals());
    let long = post(&mut engine, BYTES + 1);
    assert!(engine.needs_arrivals());
    engine.abandon(long);
    assert!(!engine.needs_arrivals());
    engine.abandon(short);
    assert!(!engine.needs_arrivals());
}
