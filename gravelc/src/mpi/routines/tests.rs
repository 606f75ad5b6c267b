use std::collections::BTreeSet;

use super::*;
use crate::mpi::constants;

/// The names of the table in its order, by chapter.
fn chapters() -> Vec<Vec<&'static str>> {
    let mut found: Vec<Vec<&str>> = Vec::new();
    for line in TEXT.lines().skip_while(|line| !line.starts_with("# Chapter")).filter(|line| !line.is_empty()) {
        match found.last_mut().filter(|_| !line.starts_with('#')) {
            Some(chapter) => chapter.push(line.split(' ').next().expect("a line has a word")),
            None => found.push(Vec::new()),
        }
    }
    found
}

#[test]
fn chapters_are_in_order_and_no_routine_stands_in_two() {
    let chapters = chapters();
    let all: Vec<&str> = chapters.iter().flatten().copied().collect();
    assert!(all.len() > 450 && all.len() == lines().count());
    for chapter in &chapters {
        assert!(chapter.is_sorted(), "{chapter:?}");
    }
    let mut seen = BTreeSet::new();
    let again: Vec<&str> = all.into_iter().filter(|name| !seen.insert(*name)).collect();
    assert!(again.is_empty(), "{again:?}");
}

#[test]
fn every_line_is_understood() {
    for line in lines() {
        let (name, routine) = routine(line);
        for form in &routine.forms {
            let names: BTreeSet<&str> = form.iter().map(|argument| argument.name).collect();
            assert!(names.len() == form.len() && !names.contains("ierror"), "{line}");
            let written: Vec<&str> =
                form.iter().filter(|argument| argument.is_written).map(|argument| argument.name).collect();
            let has = |name: &str| names.contains(name);
            let fits = match routine.action {
                Action::CreateDatatype(_) => written == ["newtype"],
                Action::CreateCommunicator(parent) => written.len() == 1 && parent.is_none_or(has),
                Action::CallsBack(_) => form.iter().any(Argument::is_function),
                Action::Send(_) | Action::Receive => has("buf") && has("tag") && has("comm"),
                Action::PrepareSend(_) | Action::PrepareReceive => has("buf") && has("comm") && has("request"),
                Action::Start | Action::Release | Action::Wait | Action::WaitAll | Action::Complete(_) => {
                    has("request") || has("array_of_requests")
                }
                Action::ConcernsParts | Action::Cancel | Action::Look => has("request"),
                Action::Matches(_) | Action::Probe => has("comm") && form.iter().any(Argument::is_tag),
                Action::ReceiveMatched => has("buf") && has("message"),
                // Requests are made there, or nowhere.
                _ => !has("request") || written.contains(&"request") || name == "grequest_complete",
            };
            assert!(fits, "{line}");
        }
    }
}

#[test]
fn constants_are_no_routines() {
    let both: Vec<&str> = constants::names().filter(|name| is_known(name)).collect();
    assert!(both.is_empty(), "{both:?}");
}

#[test]
fn routines_of_c_alone_are_no_names_in_fortran() {
    assert!(is_known("mpi_comm_c2f") && is_known("mpi_t_init_thread") && is_known("mpi_send_c"));
    for name in ["mpi_comm_c2f", "mpi_t_init_thread", "mpi_send_c"] {
        assert!(!is_in_fortran(name), "{name}");
    }
    assert!(is_in_fortran("mpi_op_create_c") && is_in_fortran("mpi_status_f2f08"));
}

#[test]
fn what_is_not_known_may_do_anything() {
    let action = |name: &str| find(name).action;
    assert!(matches!(action("mpi_frobnicate"), Action::MayAnything(_)));
    assert!(matches!(action("pmpi_send"), Action::MayAnything(_)));
    assert!(matches!(action("pmpi_barrier"), Action::MayAnything(_)));
    assert_eq!(action("pmpi_comm_rank"), Action::Local);
}

#[test]
fn what_may_meet_messages_or_run_code_of_the_program_is_not_apart() {
    let action = |name: &str| find(name).action;
    for (name, expected) in [
        ("mpi_comm_set_errhandler", HandlerAction::Sets),
        ("mpi_errhandler_set", HandlerAction::Sets),
        ("mpi_comm_create_errhandler", HandlerAction::Makes),
        ("mpi_errhandler_create", HandlerAction::Makes),
        ("mpi_win_create_errhandler", HandlerAction::Makes),
        ("mpi_file_create_errhandler", HandlerAction::MakesForFiles),
        ("mpi_comm_call_errhandler", HandlerAction::Calls),
    ] {
        assert_eq!(action(name), Action::ErrorHandler(expected));
    }
    assert_eq!(action("mpi_win_create"), Action::MayAnything("one-sided communication"));
    assert_eq!(action("mpi_win_shared_query"), Action::MayAnything("one-sided communication"));
    assert_eq!(action("mpi_grequest_start"), Action::MayAnything("a generalized request"));
    assert_eq!(action("mpi_mrecv"), Action::ReceiveMatched);
    assert_eq!(action("mpi_iprobe"), Action::Probe);
    assert_eq!(action("mpi_comm_create_keyval"), Action::CallsBack(CalledBack::Attribute));
}

#[test]
fn what_meets_no_message_is_apart() {
    let action = |name: &str| find(name).action;
    assert_eq!(action("mpi_win_fence"), Action::ApartAnywhere("one-sided communication"));
    assert_eq!(action("mpi_file_read_all_begin"), Action::Apart("parallel input or output"));
    assert_eq!(action("mpi_psend_init"), Action::Apart("a partitioned operation"));
    assert_eq!(action("mpi_allreduce_init"), Action::Apart("a persistent collective operation"));
    assert_eq!(action("mpi_ialltoallv"), Action::Apart("a non-blocking collective operation"));
    assert_eq!(action("mpi_type_get_envelope"), Action::Local);
    assert_eq!(action("mpi_info_get_string"), Action::Local);
}
