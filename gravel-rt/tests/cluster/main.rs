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
//! - an error completion counts as success, or as "not yet":
//!   `verbs::tests_of_faults::every_status_is_an_error_of_the_put_and_of_the_peer_by_its_name`,
//!   `verbs::tests_of_faults::a_completion_queue_that_overruns_loses_every_connection`
//! - a post that failed is tried again without a look at the completion queue:
//!   `verbs::tests_of_faults::a_full_send_queue_loses_nothing_and_sends_nothing_twice`
//! - a full ledger loses its slot, or blocks the sender:
//!   `progress::posts_far_beyond_the_ledger_are_never_blocked`,
//!   `ledger::a_full_ring_refuses_until_credits_return`
//! - offset and length wrap around in the bounds check:
//!   `transfer::negative_and_wrapping_ranges_are_refused`,
//!   `memory::ranges_that_wrap_around_do_not_exist`
//! - finalize leaves files or mappings behind:
//!   `deaths::a_killed_rank_leaves_no_file`,
//!   `page_adoption::pages_given_back_are_private_again`,
//!   `verbs::tests_of_devices::nothing_is_left_behind`,
//!   `progress::finalize_delivers_what_is_still_wanted_and_drops_the_rest`
//! - a dead peer hangs its partners:
//!   `deaths::a_rank_is_killed_*`,
//!   `deaths::a_rank_that_was_killed_is_missed_in_finalize`,
//!   `network::a_rank_that_dies_in_mid_put_is_named`
//! - a pid that is used again passes for the dead process:
//!   `identity::this_process_lives`
//! - reading another's memory is allowed at first and refused between two processes:
//!   `faults::where_process_vm_writev_is_forbidden_messages_are_staged`
//! - one rank that can't connect leaves the others waiting:
//!   `faults::out_of_file_descriptors_nobody_initialises`,
//!   `setup::all_ranks_fail_if_one_cannot_be_reached`
//! - one rank looks for another's segment, or port, before it is there, and waits for ever:
//!   `control_segment::peers_find_the_segment_and_only_the_right_one`,
//!   `setup::ranks_that_come_much_later_are_waited_for`
//! - registrations split the process's mappings, or take its descriptors, until there are none left:
//!   `adoption::many_regions_leave_the_program_its_descriptors`
//! - control messages were forgotten when queues were sized:
//!   `progress::ten_thousand_sends_are_never_blocked`,
//!   `announced::ten_thousand_announced_sends_are_never_blocked`
//! - a wait that blocks outside MPI while its peer waits inside:
//!   `progress::mpi_progresses_while_a_wait_blocks`
//!
//! A test of this program's compares the names with the sources.

#[macro_use]
mod paths;

mod adoption;
mod alltoall;
mod announced;
mod api;
mod api_collectives;
mod api_communicators;
mod api_parts;
mod api_send_receive;
mod calls;
mod cancelled_sends;
mod communicators;
mod connections;
mod copied;
mod deaths;
mod eager;
mod failures;
mod faults;
mod footprint;
mod gaps;
mod heap;
mod large;
mod launcher;
mod messages;
mod mixtures;
mod network;
mod observation;
mod persistent;
mod probes;
mod progress;
mod ranges;
mod rdma;
mod rules;
mod rules_of_waits;
mod sandboxes;
mod several;
mod soak;
mod spilled;
mod standstill;
mod streams;
mod synchronous;
mod waits;
mod world;

/// Every test that the list above names is there, in a file of that name.
#[test]
fn known_faults_have_their_tests() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("src"), &mut files);
    collect(&root.join("tests/cluster"), &mut files);
    let names: Vec<_> = include_str!("main.rs")
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .filter_map(|line| line.trim().strip_prefix('`')?.split('`').next())
        .collect();
    assert!(names.len() > 25, "{names:?}");
    for name in names {
        let (module, test) = name.rsplit_once("::").expect("a module and a test");
        let module = module.replace("verbs::tests", "verbs/tests");
        let wanted = if test.ends_with('*') {
            format!("fn {}", test.trim_end_matches('*'))
        } else {
            // Tests of every data path are modules (`on_every_path!`).
            format!("fn {test}(")
        };
        let every_path = format!("on_every_path!({test},");
        let is_there = |(path, text): &(std::path::PathBuf, String)| {
            let is_module = path.ends_with(format!("{module}.rs")) || path.ends_with(format!("{module}/mod.rs"));
            is_module && (text.contains(&wanted) || text.contains(&every_path))
        };
        assert!(files.iter().any(is_there), "{name} is not there");
    }
}

/// All source files in a folder and those in it.
fn collect(folder: &std::path::Path, files: &mut Vec<(std::path::PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file");
            files.push((path, text));
        }
    }
}
