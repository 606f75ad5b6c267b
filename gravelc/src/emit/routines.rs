//! The names of the runtime's routines, the same in all languages.

use crate::ir::{Communication, CompletionKind, Direction, Partner};
use crate::plan::Protocol;

/// Posts a receive.
pub fn of_post(partner: &Partner, protocol: Protocol, in_segments: bool) -> &'static str {
    match (partner, in_segments) {
        (Partner::Process { .. }, _) if protocol == Protocol::ProducerInitiated => "gravel_post_rcv_announced",
        (Partner::Process { .. }, false) => "gravel_post_rcv_buffer_rdma",
        (Partner::Process { .. }, true) => "gravel_post_rcv_segments",
        (Partner::Everyone, false) => "gravel_post_alltoall",
        (Partner::Everyone, true) => "gravel_post_alltoall_segments",
        (Partner::EveryoneInBlocks { .. }, false) => "gravel_post_alltoallv",
        (Partner::EveryoneInBlocks { .. }, true) => "gravel_post_alltoallv_segments",
    }
}

/// Sends a whole message of the call to this partner.
pub fn of_send(call: &Communication, partner: &Partner, protocol: Protocol, from_copy: bool) -> &'static str {
    match (partner, protocol, from_copy) {
        (Partner::Everyone, ..) => "gravel_send_alltoall",
        (Partner::EveryoneInBlocks { .. }, ..) => "gravel_send_alltoallv",
        (Partner::Process { .. }, ..) if call.is_buffered_send() => "gravel_post_bsend",
        (Partner::Process { .. }, protocol, _) if call.is_synchronous_send() => match protocol {
            Protocol::ConsumerInitiatedWrite => "gravel_post_send_synchronous",
            Protocol::ProducerInitiated => "gravel_post_snd_buffer_synchronous",
        },
        (Partner::Process { .. }, Protocol::ConsumerInitiatedWrite, false) => "gravel_post_send",
        (Partner::Process { .. }, Protocol::ConsumerInitiatedWrite, true) => "gravel_post_send_copied",
        (Partner::Process { .. }, Protocol::ProducerInitiated, false) => "gravel_post_snd_buffer_rdma",
        (Partner::Process { .. }, Protocol::ProducerInitiated, true) => "gravel_post_snd_buffer_copied",
    }
}

/// Opens the transfer of a message of the call to this partner.
pub fn of_transfer(call: &Communication, partner: &Partner, protocol: Protocol) -> &'static str {
    match (partner, protocol) {
        (Partner::Everyone, _) => "gravel_open_alltoall",
        (Partner::EveryoneInBlocks { .. }, _) => "gravel_open_alltoallv",
        (Partner::Process { .. }, protocol) if call.is_synchronous_send() => match protocol {
            Protocol::ConsumerInitiatedWrite => "gravel_wait_rcv_buffer_synchronous",
            Protocol::ProducerInitiated => "gravel_post_snd_request_synchronous",
        },
        (Partner::Process { .. }, Protocol::ConsumerInitiatedWrite) => "gravel_wait_rcv_buffer",
        (Partner::Process { .. }, Protocol::ProducerInitiated) => "gravel_post_snd_request",
    }
}

/// Describes an operation of the call for several starts.
pub fn of_preparation(call: &Communication, direction: Direction, protocol: Protocol) -> &'static str {
    match (direction, protocol) {
        (Direction::Sent, _) if call.is_buffered_send() => "gravel_prepare_bsend",
        (Direction::Sent, protocol) if call.is_synchronous_send() => match protocol {
            Protocol::ConsumerInitiatedWrite => "gravel_prepare_send_synchronous",
            Protocol::ProducerInitiated => "gravel_prepare_announced_send_synchronous",
        },
        (Direction::Sent, Protocol::ConsumerInitiatedWrite) => "gravel_prepare_send",
        (Direction::Sent, Protocol::ProducerInitiated) => "gravel_prepare_announced_send",
        (Direction::Received, Protocol::ConsumerInitiatedWrite) => "gravel_prepare_receive",
        (Direction::Received, Protocol::ProducerInitiated) => "gravel_prepare_announced_receive",
    }
}

/// Completes requests; a test of a single one may name its buffer.
pub fn of_completion(kind: CompletionKind, names_buffer: bool) -> &'static str {
    match kind {
        CompletionKind::Test if !names_buffer => "gravel_test_request",
        CompletionKind::Test => "gravel_test",
        CompletionKind::TestAll => "gravel_testall",
        CompletionKind::WaitAny => "gravel_waitany",
        CompletionKind::TestAny => "gravel_testany",
        CompletionKind::WaitSome => "gravel_waitsome",
        CompletionKind::TestSome => "gravel_testsome",
    }
}
