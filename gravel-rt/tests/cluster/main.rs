//! Tests of the runtime across real processes, without any MPI.
//!
//! Every test runs itself again, once per rank, and the ranks meet through files in a directory ([`launcher`]).
//!
//! # What libraries of this kind have fallen into
//!
//! Known faults of one-sided message layers, each held by a test that would notice it here (of this program, or a unit
//! test of the module that it names):
//!
//! - the source of a message from any source is not its true one:
//!   `announced::the_true_source_is_returned_and_each_peer_keeps_its_order`
//! - an entry of another tag at the ledger's head stops all others:
//!   `messages::many_in_flight_with_tags_in_opposite_orders`,
//!   `announced::tags_in_any_order_and_any_tag_in_their_order`
//! - the first of several puts completes the request:
//!   `ranges::each_segment_can_be_waited_for_while_the_next_is_not_yet_put`,
//!   `messages::segments_in_any_order_make_one_message`
//! - a late completion hits a request that uses the slot again:
//!   `request::a_completed_handle_stays_stale_when_its_slot_is_reused`
//! - a full ledger loses its slot, or blocks the sender:
//!   `progress::posts_far_beyond_the_ledger_are_never_blocked`,
//!   `ledger::a_full_ring_refuses_until_credits_return`
//! - offset and length wrap around in the bounds check:
//!   `transfer::negative_and_wrapping_ranges_are_refused`,
//!   `memory::ranges_that_wrap_around_do_not_exist`
//! - finalize leaves files or mappings behind:
//!   `faults::a_killed_rank_leaves_no_file`,
//!   `progress::finalize_delivers_what_is_still_wanted_and_drops_the_rest`
//! - a dead peer hangs its partners:
//!   `faults::a_rank_is_killed_*`,
//!   `network::a_rank_that_dies_in_mid_put_is_named`
//! - a pid that is used again passes for the dead process:
//!   `identity::this_process_lives`
//! - reading another's memory is allowed at first and refused between two processes:
//!   `faults::where_process_vm_writev_is_forbidden_messages_are_staged`
//! - one rank that can't connect leaves the others waiting:
//!   `faults::out_of_file_descriptors_nobody_initialises`
//! - control messages were forgotten when queues were sized:
//!   `progress::ten_thousand_sends_are_never_blocked`,
//!   `announced::ten_thousand_announced_sends_are_never_blocked`
//! - a wait that blocks outside MPI while its peer waits inside:
//!   `progress::mpi_progresses_while_a_wait_blocks`

#[macro_use]
mod paths;

mod adoption;
mod alltoall;
mod announced;
mod api;
mod calls;
mod communicators;
mod eager;
mod failures;
mod faults;
mod footprint;
mod large;
mod launcher;
mod messages;
mod mixtures;
mod network;
mod observation;
mod progress;
mod ranges;
mod rdma;
mod rules;
mod rules_of_waits;
mod soak;
mod spilled;
mod waits;
mod world;
