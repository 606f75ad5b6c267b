//! Synchronous sends (MPI 4.0, sections 3.4 and 3.7.1): one is over only when its receive was posted and has met the message. So
//! its sender knows from then on what the receiver had done before that: what it had written, whom it had told, from whom it had
//! heard. Programs order their effects by it.
//!
//! Where the runtime sends so, too, the order is kept as long as these things stay in their order:
//!
//! - *What others can see, and then the post of a receive that such a send could meet.* Such a post moves up through nothing but
//!   computation in the memory of its own process and converted posts ([`effect_above`]), and not into other procedures. A post
//!   does not block, and when what it starts is under way nobody can tell ([`super::message_order`]): so two of them may change
//!   places. Other receives are posted as early as ever: no standard send tells of them.
//! - *What another process has told, and then such a post.* A wait that tells of another process (that of a receive, or of a
//!   synchronous send) does not pass the place where such a post stands now ([`post_passed`]).
//! - *The end of a synchronous send, and then what others can see.* Its wait moves down as that of a receive does
//!   (`sink_wait/down.rs`).
//!
//! The send itself may begin earlier, tile by tile: nobody learns of it before it has been ended, where it was.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::messages::matching::Class;
use crate::ir::{Communication, ProcedureId, StatementId};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::{AllMoves, Place};

use super::message_order::MessageOrder;

/// Does the call send synchronously, or prepare that?
pub fn is_synchronous(facts: &Facts, site: SiteId) -> bool {
    facts.communication(site).is_some_and(Communication::is_synchronous_send)
}

/// The members of the classes in which a send is synchronous.
pub fn synchronous_members(facts: &Facts, classes: &[Class]) -> BTreeSet<SiteId> {
    let is_wanted = |class: &&Class| class.members.iter().any(|&site| is_synchronous(facts, site));
    classes.iter().filter(is_wanted).flat_map(|class| class.members.iter().copied()).collect()
}

/// Why the post of a receive that a synchronous send could meet does not go above the statement.
pub fn effect_above(messages: &MessageOrder, procedure: ProcedureId, statement: StatementId) -> Option<Reason> {
    let reason = messages.effect_in(procedure, statement)?;
    let message = format!("{}: a synchronous send tells that it came before the receive", reason.message);
    Some(Reason { message, ..reason })
}

/// Why the post of a receive that a synchronous send could meet stays in its procedure, where nothing there is in its way.
pub fn stays_in_procedure(facts: &Facts, site: SiteId) -> Reason {
    let span = facts.procedure(site.procedure).statement(site.statement).span;
    let message = "a synchronous send could meet it, so its callers can't post it";
    Reason::at(ReasonCode::CallersInTheWay, span, message)
}

/// Why a wait that tells of another process does not pass the place just before `statement`: a receive is posted there now
/// that a synchronous send could meet.
pub fn post_passed(
    facts: &Facts,
    moves: &AllMoves,
    synchronous: &BTreeSet<SiteId>,
    (procedure, statement): (ProcedureId, StatementId),
) -> Option<Reason> {
    if Clause::SynchronousArrivals.is_off() {
        return None;
    }
    let mut arrived = moves.arrived_at(SiteId { procedure, statement });
    arrived.find_map(|(site, moves)| {
        let hoisted = moves.hoisted.as_ref()?.as_ref().ok()?;
        let Place::Own(own) = &hoisted.place else { return None };
        let stands_here = site.procedure == procedure && own.before == statement;
        (stands_here && synchronous.contains(&site)).then(|| {
            let span = facts.procedure(site.procedure).statement(site.statement).span;
            let line = facts.program.line_named(span);
            let message = format!("the receive at line {line}, which a synchronous send could meet, is posted here");
            Reason::at(ReasonCode::OrderInBetween, span, message)
        })
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::frontend::{FrontendOptions, parse_text};
    use crate::plan::{Outcome, Transformation};
    use crate::transform::{Selection, plan_program};

    const WORK: &str = "do j = 1, n\n  work(j) = work(j) * 2\nend do\n";
    const FILL: &str = "do i = 1, n\n  b(i) = i\nend do\n";

    /// What became of the call whose line has the comment `! here`: whether the transformation was applied, or the code of the
    /// reason why not.
    fn outcome(transformation: Transformation, statements: &str) -> &'static str {
        let text = format!(
            "program main\nuse mpi\nimplicit none\ninteger, parameter :: n = 3000\nreal :: a(n), b(n), c(n), work(n)\n\
             integer :: i, j, code, peer, other, request, requests(2), status(mpi_status_size)\nlogical :: flag\n\
             call mpi_init(code)\ncall mpi_comm_rank(mpi_comm_world, peer, code)\nother = peer + 1\n{statements}\
             print *, a, work, c\ncall mpi_finalize(code)\nend program\n"
        );
        let found = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
        assert!(found.files[0].unread.is_empty(), "{:?}", found.files[0].unread);
        let plan = plan_program(&found, &Selection { is_closed: true, ..Selection::default() });
        let line = 1 + text.lines().position(|line| line.ends_with("! here")).expect("a marked call");
        let decision = plan.decisions.iter().find(|decision| decision.site.line == line).expect("a decision");
        let code_of = |actions: &[crate::plan::Action], missed: &[crate::plan::Missed]| {
            if actions.iter().any(|action| action.transformation == transformation) {
                return "applied";
            }
            let missed = missed.iter().find(|missed| missed.transformation == transformation);
            missed.map_or("not tried", |missed| missed.reason.code.code())
        };
        match &decision.outcome {
            Outcome::Transformed { actions, missed, .. } => code_of(actions, missed),
            Outcome::Kept { missed, .. } => code_of(&[], missed),
        }
    }

    /// What becomes of a receive that has these statements above it, below work, and a send of this mode to meet.
    fn posted(mode: &str, between: &str) -> &'static str {
        outcome(
            Transformation::HoistReceive,
            &format!(
                "{FILL}if (peer == 0) then\ncall mpi_{mode}(b, n, mpi_real, 1, 3, mpi_comm_world, code)\nelse\n{WORK}{between}\
                 call mpi_recv(a, n, mpi_real, 0, 3, mpi_comm_world, status, code) ! here\nend if\n"
            ),
        )
    }

    #[test]
    fn a_receive_that_a_synchronous_send_could_meet_passes_nothing_that_others_see() {
        for between in [
            "write (7, *, iostat=code) peer\n",
            "call mpi_barrier(mpi_comm_world, code)\n",
            "call mpi_recv(c, n, mpi_real, other, 4, mpi_comm_world, status, code)\n",
            "call mpi_wait(request, status, code)\n",
            "call mpi_test(request, flag, status, code)\n",
            "call mpi_bcast(c, n, mpi_real, 0, mpi_comm_world, code)\n",
        ] {
            assert_eq!(posted("ssend", between), "effect-in-between", "{between}");
            assert_eq!(posted("send", between), "applied", "{between}");
        }
    }

    #[test]
    fn it_passes_computation_and_converted_posts() {
        for between in ["", "c(1) = 2\n", WORK, "if (peer > 2) then\nc = work\nend if\n"] {
            assert_eq!(posted("ssend", between), "applied", "{between}");
        }
        let halo = |mode: &str| {
            format!(
                "{FILL}{WORK}call mpi_irecv(c, n, mpi_real, other, 3, mpi_comm_world, requests(1), code)\n\
                 call mpi_irecv(a, n, mpi_real, peer - 1, 4, mpi_comm_world, requests(2), code) ! here\n\
                 call mpi_{mode}(b, n, mpi_real, peer - 1, 3, mpi_comm_world, code)\n\
                 call mpi_{mode}(b, n, mpi_real, other, 4, mpi_comm_world, code)\n\
                 call mpi_waitall(2, requests, mpi_statuses_ignore, code)\n"
            )
        };
        assert_eq!(outcome(Transformation::HoistReceive, &halo("ssend")), "applied");
    }

    /// What becomes of the wait of a send of this mode with these statements below it, and then work.
    fn waited(mode: &str, between: &str) -> &'static str {
        outcome(
            Transformation::SinkWait,
            &format!(
                "{FILL}if (peer == 0) then\ncall mpi_{mode}(b, n, mpi_real, 1, 3, mpi_comm_world, code) ! here\n{between}{WORK}\
                 else\ncall mpi_recv(a, n, mpi_real, 0, 3, mpi_comm_world, status, code)\nend if\n"
            ),
        )
    }

    #[test]
    fn the_wait_of_a_synchronous_send_passes_nothing_that_others_see() {
        for between in [
            "write (7, *, iostat=code) peer\n",
            "call mpi_barrier(mpi_comm_world, code)\n",
            "call mpi_recv(c, n, mpi_real, other, 4, mpi_comm_world, status, code)\n",
        ] {
            assert_eq!(waited("ssend", between), "effect-in-between", "{between}");
            assert_eq!(waited("send", between), "applied", "{between}");
        }
        assert_eq!(waited("ssend", ""), "applied");
    }

    #[test]
    fn no_wait_that_tells_of_others_passes_a_receive_that_was_moved_up() {
        let receive_in = |tag: u8, mode: &str| {
            format!(
                "{FILL}if (peer == 0) then\ncall mpi_{mode}(b, n, mpi_real, 1, 3, mpi_comm_world, code)\n\
                 call mpi_send(b, n, mpi_real, 1, {tag}, mpi_comm_world, code)\nelse\n\
                 call mpi_recv(c, n, mpi_real, 0, {tag}, mpi_comm_world, mpi_status_ignore, code) ! here\n{WORK}\
                 call mpi_recv(a, n, mpi_real, 0, 3, mpi_comm_world, status, code)\nend if\n"
            )
        };
        assert_eq!(outcome(Transformation::SinkWait, &receive_in(4, "ssend")), "order-in-between");
        assert_eq!(outcome(Transformation::SinkWait, &receive_in(4, "send")), "applied");
    }

    #[test]
    fn buffered_sends_stay_with_mpi() {
        assert_eq!(posted("bsend", ""), "not tried");
        assert_eq!(waited("bsend", ""), "not tried");
    }
}
