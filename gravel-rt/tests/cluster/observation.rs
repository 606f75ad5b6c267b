//! GRAVEL_STATS and GRAVEL_TRACE: what they write is complete, well-formed, and agrees with what happened.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use gravel::{Error, MpiConstants, Runtime};

use crate::launcher::{Meeting, Network, cluster_over, processes};
use crate::world::{ANY_SOURCE, ANY_TAG, COMMUNICATOR, PROC_NULL, World, fill, static_buffer};

const ROUNDS: usize = 5;
const LENGTHS: [usize; 4] = [64, 6000, 100_000, 1 << 20];

/// A directory that all ranks of a test and its launcher agree on.
fn directory(test: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test.replace("::", "-"))
}

/// Runs `check` in the launcher, after the ranks have ended in order; the ranks' own runs of the test do not come so far.
pub fn observe(
    network: Network,
    test: &str,
    variable: &str,
    file: &str,
    body: impl FnOnce(&mut World),
    check: impl FnOnce(&Path),
) {
    let directory = directory(test);
    let is_launcher = !crate::launcher::is_rank();
    if is_launcher {
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).expect("creating a directory");
    }
    let path = directory.join(file);
    let value = path.to_str().expect("a path of this project");
    cluster_over(&[network], test, 2, &[(variable, value)], body);
    if is_launcher {
        check(&directory);
        std::fs::remove_dir_all(&directory).expect("removing the directory");
    }
}

pub fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
}

/// Messages of all kinds in both directions.
fn talk(world: &mut World) {
    let peer = 1 - world.rank();
    let incoming = static_buffer();
    for round in 0..ROUNDS {
        for (tag, bytes) in LENGTHS.into_iter().enumerate() {
            let tag = tag as i32;
            let mut message = vec![0; bytes];
            fill(&mut message, round);
            let receiving = world.post(&mut incoming[..bytes], peer, tag);
            let transfer = world.open(&message, peer, tag);
            assert!(world.runtime().tile(transfer, bytes as i64, 64).expect("gravel_tile") > 0);
            world.put(transfer, &message, 0, bytes / 2);
            world.put(transfer, &message, bytes / 2, bytes - bytes / 2);
            let sending = world.runtime().send_fin(transfer).expect("gravel_send_fin");
            world.wait_receive(receiving, peer, tag);
            world.wait_send(sending);
        }
    }
}

#[test]
fn counters_add_up() {
    observe(Network::Shm, "observation::counters_add_up", "GRAVEL_STATS", "counters.json", talk, |directory| {
        let json = read_json(&directory.join("counters.json"));
        let ranks = json["ranks"].as_array().expect("a list of ranks");
        assert_eq!(ranks.len(), 2);
        let number = |rank: usize, path: &str| ranks[rank].pointer(path).and_then(Value::as_u64).expect("a counter");
        let (messages, bytes) = ((ROUNDS * LENGTHS.len()) as u64, (ROUNDS * LENGTHS.iter().sum::<usize>()) as u64);
        for (rank, peer) in [(0, 1), (1, 0)] {
            assert_eq!(number(rank, "/rank"), rank as u64);
            assert_eq!((number(rank, "/sends/count"), number(rank, "/sends/bytes")), (messages, bytes));
            assert_eq!((number(rank, "/receives/count"), number(rank, "/receives/bytes")), (messages, bytes));
            assert_eq!((number(rank, "/segments/count"), number(rank, "/segments/bytes")), (2 * messages, bytes));
            // Every message ends with eager data or a FIN, and what one rank sends, the other receives.
            assert_eq!(number(rank, "/eager_sent/count") + number(rank, "/fins_sent"), messages);
            assert_eq!(number(rank, "/eager_sent/count"), number(peer, "/eager_received/count"));
            assert_eq!(number(rank, "/handshakes_sent"), number(peer, "/handshakes_received"));
            assert_eq!(number(rank, "/puts/bytes") + number(rank, "/eager_sent/bytes"), bytes);
            let paths = ["adopted", "cma", "staged", "own"].map(|path| number(rank, &format!("/paths/{path}/bytes")));
            assert_eq!(paths.iter().sum::<u64>(), number(rank, "/puts/bytes"));
            let waits = ["at_once", "polled", "slept"].map(|kind| number(rank, &format!("/waits/{kind}")));
            // A short send that is over has nothing to wait for.
            assert!((messages..=2 * messages).contains(&waits.iter().sum()));
            assert!(number(rank, "/adopted_regions/count") > 0);
            let tiles = ranks[rank]["tiles"].as_array().expect("a list of tiles");
            assert_eq!(tiles.len(), LENGTHS.len());
            assert!(tiles.iter().all(|tile| tile["count"] == ROUNDS));
        }
    });
}

/// Announced messages, which are put or read, over tests and waits of the other kinds.
fn talk_announced(world: &mut World) {
    let peer = 1 - world.rank();
    for bytes in LENGTHS {
        let message = vec![1; bytes];
        let mut buffers = [vec![0; bytes], vec![0; bytes]];
        let [first, second] = buffers.each_mut().map(|buffer| world.post_any(buffer, 1));
        let transfer = world.announce(&message, peer, 1);
        world.put(transfer, &message, 0, bytes);
        let requests = [world.fin(transfer), world.offer(&message, peer, 1)];
        assert!(world.test_until_done(first).is_ok());
        assert!(world.runtime().wait_any(&[second]).is_ok());
        for sending in requests {
            world.wait_send(sending);
        }
    }
}

fn check_announced(directory: &Path, path: &str) {
    let json = read_json(&directory.join("counters.json"));
    let number =
        |rank: usize, path: &str| json["ranks"][rank].pointer(path).and_then(Value::as_u64).expect("a counter");
    let (messages, bytes) = (2 * LENGTHS.len() as u64, 2 * LENGTHS.iter().sum::<usize>() as u64);
    for (rank, peer) in [(0, 1), (1, 0)] {
        assert_eq!((number(rank, "/sends/count"), number(rank, "/sends/bytes")), (messages, bytes));
        assert_eq!((number(rank, "/receives/count"), number(rank, "/receives/bytes")), (messages, bytes));
        assert_eq!(number(rank, "/eager_sent/count") + number(rank, "/announcements_sent"), messages);
        assert_eq!(number(rank, "/announcements_sent"), number(peer, "/announcements_received"));
        // What a rank has not put, its peer has got.
        let put = number(rank, "/puts/bytes") + number(rank, "/eager_sent/bytes");
        assert_eq!(put + number(peer, "/gets/bytes"), bytes);
        let paths =
            ["adopted", "cma", "staged", "tcp", "own"].map(|path| number(rank, &format!("/paths/{path}/bytes")));
        assert_eq!(paths.iter().sum::<u64>(), number(rank, "/puts/bytes") + number(rank, "/gets/bytes"));
        assert!(number(rank, &format!("/{path}/bytes")) > 0);
        let waits = ["at_once", "polled", "slept"].map(|kind| number(rank, &format!("/waits/{kind}")));
        assert!((messages..=2 * messages).contains(&waits.iter().sum()));
    }
}

#[test]
fn announced_messages_are_counted() {
    let test = "observation::announced_messages_are_counted";
    observe(Network::Shm, test, "GRAVEL_STATS", "counters.json", talk_announced, |directory| {
        check_announced(directory, "puts");
    });
}

#[test]
fn announced_messages_over_tcp_are_counted() {
    let test = "observation::announced_messages_over_tcp_are_counted";
    observe(Network::Tcp, test, "GRAVEL_STATS", "counters.json", talk_announced, |directory| {
        check_announced(directory, "paths/tcp");
    });
}

#[test]
fn a_trace_over_tcp_is_well_formed() {
    let test = "observation::a_trace_over_tcp_is_well_formed";
    observe(Network::Tcp, test, "GRAVEL_TRACE", "trace.json", talk, |directory| {
        let trace = read_json(&directory.join("trace.json"));
        let events = trace["traceEvents"].as_array().expect("a list of events");
        check_structure(events);
        for phase in ["s", "f"] {
            let arrows = events.iter().filter(|event| event["ph"] == phase).count();
            assert_eq!(arrows, 2 * ROUNDS * LENGTHS.len(), "{phase}");
        }
    });
}

#[test]
fn a_table_holds_every_rank() {
    observe(Network::Shm, "observation::a_table_holds_every_rank", "GRAVEL_STATS", "counters.txt", talk, |directory| {
        let text = std::fs::read_to_string(directory.join("counters.txt")).expect("the table");
        for rank in 0..2 {
            assert!(text.contains(&format!("statistics of rank {rank}\n")), "{text}");
        }
        assert_eq!(text.matches("messages sent  ").count(), 2 + text.matches("eager messages sent").count(), "{text}");
    });
}

#[test]
fn a_trace_is_one_file_in_which_every_message_has_an_arrow() {
    let test = "observation::a_trace_is_one_file_in_which_every_message_has_an_arrow";
    observe(Network::Shm, test, "GRAVEL_TRACE", "trace.json", talk, |directory| {
        let trace = read_json(&directory.join("trace.json"));
        let events = trace["traceEvents"].as_array().expect("a list of events");
        check_structure(events);
        // As many arrows as messages, each with one start at its producer and one end at its consumer.
        let ends = |phase: &str| -> BTreeMap<&str, &Value> {
            let flows = events.iter().filter(|event| event["ph"] == phase);
            let flows: Vec<_> = flows.map(|event| (event["id"].as_str().expect("an id"), event)).collect();
            let unique: BTreeMap<_, _> = flows.iter().copied().collect();
            assert_eq!(unique.len(), flows.len(), "an id was used twice");
            unique
        };
        let (starts, finishes) = (ends("s"), ends("f"));
        assert_eq!(starts.len(), 2 * ROUNDS * LENGTHS.len());
        assert_eq!(starts.keys().collect::<Vec<_>>(), finishes.keys().collect::<Vec<_>>());
        for (id, start) in starts {
            let finish = finishes[id];
            assert_ne!(start["pid"], finish["pid"]);
            assert!(start["ts"].as_f64() <= finish["ts"].as_f64(), "{id} arrives before it leaves");
        }
        for name in ["gravel_post_rcv_buffer_rdma", "gravel_post_os_put", "gravel_wait", "FIN", "eager data", "put"] {
            assert!(events.iter().any(|event| event["name"] == name), "no {name}");
        }
    });
}

/// What the format demands of all events: the fields of each phase, slices of a thread that nest, and arrows that begin
/// and end inside slices.
fn check_structure(events: &[Value]) {
    let mut slices: BTreeMap<(u64, u64), Vec<(f64, f64)>> = BTreeMap::new();
    let mut named = BTreeSet::new();
    let thread = |event: &Value| (event["pid"].as_u64().expect("pid"), event["tid"].as_u64().expect("tid"));
    for event in events {
        match event["ph"].as_str().expect("a phase") {
            "M" => {
                if event["name"] == "thread_name" {
                    named.insert(thread(event));
                }
                assert!(event["args"].is_object());
            }
            "X" => {
                assert!(event["name"].is_string() && event["args"].is_object());
                let (start, length) = (event["ts"].as_f64().expect("ts"), event["dur"].as_f64().expect("dur"));
                assert!(length > 0.0);
                slices.entry(thread(event)).or_default().push((start, start + length));
            }
            "s" | "f" => {
                assert!(event["id"].is_string() && event["cat"] == "message" && event["name"] == "message");
                assert_eq!(event["ph"] == "f", event["bp"] == "e");
            }
            other => panic!("phase {other}"),
        }
    }
    // Printed with three digits.
    const ROUNDING: f64 = 0.0015;
    for (thread, slices) in &mut slices {
        assert!(named.contains(thread), "a thread without a name");
        slices.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let mut open: Vec<f64> = Vec::new();
        for &(start, end) in slices.iter() {
            while open.last().is_some_and(|&outer| outer <= start + ROUNDING) {
                open.pop();
            }
            assert!(open.last().is_none_or(|&outer| end <= outer + ROUNDING), "slices of {thread:?} cross at {start}");
            open.push(end);
        }
    }
    for event in events.iter().filter(|event| event["ph"] == "s" || event["ph"] == "f") {
        let at = event["ts"].as_f64().expect("ts");
        let inside = slices[&thread(event)].iter().any(|&(start, end)| start <= at && at < end);
        assert!(inside, "an arrow outside of all slices: {event}");
    }
}

/// Runs ranks that find their directory, and checks what they have left in it. Some are killed.
fn files(test: &str, killed: &[usize], body: impl FnOnce(Meeting, (&str, &str), &Path), check: impl FnOnce(&Path)) {
    files_of(Network::Shm, test, 2, killed, body, check);
}

/// As above, over a network, with so many ranks.
pub fn files_of(
    network: Network,
    test: &str,
    ranks: usize,
    killed: &[usize],
    body: impl FnOnce(Meeting, (&str, &str), &Path),
    check: impl FnOnce(&Path),
) {
    let directory = directory(test);
    let is_launcher = !crate::launcher::is_rank();
    if is_launcher {
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).expect("creating a directory");
    }
    processes(&[network], test, ranks, killed, |meeting, provider| body(meeting, provider, &directory));
    if is_launcher {
        check(&directory);
        std::fs::remove_dir_all(&directory).expect("removing the directory");
    }
}

fn names(directory: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// Ended in a way that runs none of its own code, or little.
fn killed_by(test: &str, end: fn()) {
    files(
        test,
        &[0, 1],
        |meeting, provider, directory| {
            let file = directory.join("trace.json");
            let mut world = World::new(meeting, &[("GRAVEL_TRACE", file.to_str().expect("a path")), provider]);
            talk(&mut world);
            world.outside_barrier();
            end();
            unreachable!("killed");
        },
        |directory| {
            assert_eq!(names(directory), ["trace.json.0", "trace.json.1"].map(String::from).into());
            let mut arrows = 0;
            for rank in 0..2 {
                let trace = read_json(&directory.join(format!("trace.json.{rank}")));
                let events = trace["traceEvents"].as_array().expect("a list of events");
                check_structure(events);
                assert!(events.iter().all(|event| event["pid"] == rank));
                arrows += events.iter().filter(|event| event["ph"] == "f").count();
            }
            // Everything until then is there.
            assert_eq!(arrows, 2 * ROUNDS * LENGTHS.len());
        },
    );
}

#[test]
fn a_killed_rank_leaves_its_trace() {
    // SAFETY: ends this process at once, without any of its own code.
    killed_by("observation::a_killed_rank_leaves_its_trace", || unsafe {
        libc::kill(libc::getpid(), libc::SIGKILL);
    });
}

#[test]
fn a_terminated_rank_leaves_its_trace() {
    // SAFETY: ends this process by the signal that launchers send.
    killed_by("observation::a_terminated_rank_leaves_its_trace", || unsafe {
        libc::signal(libc::SIGTERM, libc::SIG_DFL);
        libc::raise(libc::SIGTERM);
    });
}

#[test]
fn an_aborted_rank_leaves_its_trace() {
    killed_by("observation::an_aborted_rank_leaves_its_trace", || std::process::abort());
}

#[test]
fn a_trace_that_was_written_leaves_nothing_else() {
    let test = "observation::a_trace_that_was_written_leaves_nothing_else";
    observe(Network::Shm, test, "GRAVEL_TRACE", "trace.json", talk, |directory| {
        assert_eq!(names(directory), ["trace.json".to_owned()].into());
    });
}

/// What `gravel_init` says on each rank, with these settings.
fn init(meeting: Meeting, provider: (&str, &str), settings: &[(&str, &Path)]) -> gravel::Result<Runtime> {
    let constants = MpiConstants { proc_null: PROC_NULL, any_source: ANY_SOURCE, any_tag: ANY_TAG };
    let variables = settings.iter().map(|(name, path)| (OsString::from(name), path.as_os_str().to_owned()));
    let provider = (OsString::from(provider.0), OsString::from(provider.1));
    Runtime::init(
        Box::new(meeting),
        COMMUNICATOR,
        constants,
        variables.chain([provider, ("GRAVEL_LOG".into(), "off".into())]),
    )
}

/// Rank 0 writes what is all ranks', each rank what is its own; an error is that rank's, and nobody has left a file.
#[test]
fn what_cannot_be_written_is_an_error_of_init() {
    let test = "observation::what_cannot_be_written_is_an_error_of_init";
    files(
        test,
        &[],
        |meeting, provider, directory| {
            let rank = meeting.rank();
            let [nowhere, good, old] = ["nowhere/file", "good", "old"].map(|name| directory.join(name));
            if rank == 0 {
                std::fs::write(&old, "kept").expect("a file");
                std::fs::write(directory.join("old.1"), "kept").expect("a file");
            }
            let check = |name: &str, settings: &[(&str, &Path)], fails: usize, said: &str| {
                let error = *init(meeting.named(name), provider, settings).err().expect("a file can't be written");
                if rank == fails {
                    assert!(matches!(error, Error::Unwritable { .. }), "{error}");
                    let text = error.to_string();
                    assert!(
                        text.contains(said)
                            && text.ends_with("cannot be written: No such file or directory (os error 2)"),
                        "{text}"
                    );
                } else {
                    assert!(matches!(error, Error::CollectiveFailed { peer, .. } if peer == fails), "{error}");
                }
            };
            check("both trace", &[("GRAVEL_TRACE", &nowhere)], 0, "GRAVEL_TRACE: ");
            check("both count", &[("GRAVEL_STATS", &nowhere)], 0, "GRAVEL_STATS: ");
            check("one of two", &[("GRAVEL_TRACE", &good), ("GRAVEL_STATS", &nowhere)], 0, "GRAVEL_STATS: ");
            check("an old one", &[("GRAVEL_TRACE", &old), ("GRAVEL_STATS", &nowhere)], 0, "GRAVEL_STATS: ");
            // Where they disagree, each has a file of its own.
            let own: &[(&str, &Path)] = if rank == 1 { &[("GRAVEL_TRACE", &nowhere)] } else { &[] };
            check("one traces", own, 1, "nowhere/file.1 ");
            let own: &[(&str, &Path)] =
                if rank == 1 { &[("GRAVEL_STATS", &nowhere)] } else { &[("GRAVEL_TRACE", &good)] };
            check("each does", own, 1, "nowhere/file.1 ");
        },
        |directory| {
            assert_eq!(names(directory), ["old", "old.1"].map(String::from).into());
            for name in ["old", "old.1"] {
                assert_eq!(std::fs::read_to_string(directory.join(name)).expect("a file"), "kept");
            }
        },
    );
}

#[test]
fn a_rank_that_ends_without_finalize_writes_its_own_trace() {
    let test = "observation::a_rank_that_ends_without_finalize_writes_its_own_trace";
    observe(
        Network::Shm,
        test,
        "GRAVEL_TRACE",
        "trace.json",
        |world| {
            if world.rank() == 1 {
                // Dies without a word.
                std::process::exit(0);
            }
            let mut buffer = vec![0; 100];
            let receiving = world.post(&mut buffer, 1, 0);
            assert!(world.try_wait(receiving).is_err());
            world.forsake();
        },
        |directory| {
            let trace = read_json(&directory.join("trace.json.0"));
            let events = trace["traceEvents"].as_array().expect("a list of events");
            check_structure(events);
            assert!(events.iter().any(|event| event["name"] == "gravel_wait"), "the wait that failed is missing");
        },
    );
}
