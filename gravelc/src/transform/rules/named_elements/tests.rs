//! What calls name, on small programs.

use std::path::Path;

use crate::frontend::{FrontendOptions, parse_text};
use crate::plan::{Outcome, Transformation};
use crate::transform::{Selection, plan_program};

/// Is the receive of an exchange still under way when the first element of `a` is sent, by the call behind it? The exchange
/// sends `sent` elements from `a(k)` on to `destination`, and receives one into `a(k + 1)` from `next`. The bounds of `a` are
/// declared as `bounds`, and `before` runs before.
fn passes(bounds: &str, sent: &str, destination: &str, before: &str) -> bool {
    let behind = "call mpi_send(a(1), 1, mpi_double_precision, next, 2, mpi_comm_world, code)\n";
    passes_call(bounds, sent, destination, before, behind)
}

/// The same for another call `behind`.
fn passes_call(bounds: &str, sent: &str, destination: &str, before: &str, behind: &str) -> bool {
    let text = format!(
        "subroutine exchange(a, k, next)\nuse mpi\nimplicit none\ninteger :: k, next, code\n\
         double precision :: a({bounds})\n{before}\
         call mpi_sendrecv(a(k), {sent}, mpi_double_precision, {destination}, 1, a(k + 1), 1, mpi_double_precision, next, &\n\
         1, mpi_comm_world, mpi_status_ignore, code)\n\
         {behind}end subroutine\n\
         program main\nuse mpi\nimplicit none\ndouble precision :: a(1000), b\ninteger :: code, rank\n\
         call mpi_init(code)\ncall mpi_comm_rank(mpi_comm_world, rank, code)\ncall exchange(a, rank + 1, 1 - rank)\n\
         call mpi_recv(b, 1, mpi_double_precision, 1 - rank, 2, mpi_comm_world, mpi_status_ignore, code)\n\
         call mpi_finalize(code)\nend program\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let plan = plan_program(&program, &Selection::default());
    let decision =
        plan.decisions.iter().find(|decision| decision.site.routine == "mpi_sendrecv").expect("it is a site");
    match &decision.outcome {
        Outcome::Transformed { actions, .. } => actions.iter().any(|action| {
            action.transformation == Transformation::SinkWait && action.text.contains("the receive is waited for")
        }),
        Outcome::Kept { .. } => false,
    }
}

#[test]
fn a_message_with_the_same_peer_begins_at_an_element_that_is_there() {
    assert!(passes("1:*", "1", "next", ""));
    assert!(passes("1:1000", "1", "next", ""));
    // From 0 on a(k + 1) may be a(1).
    assert!(!passes("0:*", "1", "next", ""));
    // Nothing is known of the bounds, or they are not believed.
    assert!(!passes("1", "1", "next", ""));
}

#[test]
fn a_message_that_may_be_void_alone_tells_nothing() {
    assert!(!passes("1:*", "1", "next + 1", ""));
    assert!(!passes("1:*", "k", "next", ""));
}

#[test]
fn what_is_named_has_to_keep_its_value() {
    assert!(passes("1:*", "1", "next", "k = k + 1\n"));
    assert!(!passes("1:*", "1", "next", "do code = 1, 2\nk = k + 1\nend do\ngoto 10\n10 k = k - 1\n"));
}

#[test]
fn what_is_replaced_has_two_peers() {
    let replaced = |peers: &str| {
        format!(
            "call mpi_sendrecv_replace(a(1), 1, mpi_double_precision, {peers}, mpi_comm_world, mpi_status_ignore, code)\n"
        )
    };
    // The exchange sends to the process that the other call sends to, which tells nothing of what that one receives.
    assert!(!passes_call("1:*", "1", "next + 1", "", &replaced("next + 1, 2, next + 2, 2")));
    assert!(!passes_call("1:*", "1", "next + 1", "", &replaced("next + 2, 2, next + 1, 2")));
    assert!(passes_call("1:*", "1", "next + 1", "", &replaced("next + 1, 2, next + 1, 2")));
}
