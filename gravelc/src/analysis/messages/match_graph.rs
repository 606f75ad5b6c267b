//! Who could meet whom: the may-match relation itself, of which the match classes are the closure.

use super::super::facts::{Facts, SiteId};
use super::matching::participants;
use super::requests::posts_completed_at;
use crate::ir::Direction;

/// The edges between the members of the match classes of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatchGraph {
    /// A send and a receive of its message, as far as communicators and tags tell; the same site twice for a call that
    /// does both.
    pub messages: Vec<(SiteId, SiteId)>,
    /// A statement whose part in communication is not known (a probe, a procedure that was not given, source that could
    /// not be read, …), and a send or a receive that it could take, see or make.
    pub unknown: Vec<(SiteId, SiteId)>,
    /// A non-blocking operation and a wait or a test that may complete it.
    pub completions: Vec<(SiteId, SiteId)>,
}

/// The edges between the participants of the program, in program order.
pub fn match_graph(facts: &Facts) -> MatchGraph {
    let participants = participants(facts);
    let mut graph = MatchGraph::default();
    let roles = |site: SiteId| {
        let communication = facts.communication(site);
        let goes = |direction| communication.is_some_and(|found| found.goes(direction));
        (goes(Direction::Sent), goes(Direction::Received))
    };
    for one in &participants {
        let (sends, receives) = roles(one.site);
        for other in participants.iter().filter(|other| one.may_meet(other, facts)) {
            let (other_sends, other_receives) = roles(other.site);
            if sends && other_receives {
                graph.messages.push((one.site, other.site));
            } else if !sends && !receives && (other_sends || other_receives) {
                graph.unknown.push((one.site, other.site));
            }
        }
    }
    for (procedure, body) in facts.program.procedures() {
        for statement in body.statements_in_order() {
            let wait = SiteId { procedure, statement };
            let completes =
                facts.communication(wait).is_some_and(|found| found.possibly_completed_requests().is_some());
            if completes {
                graph.completions.extend(posts_completed_at(facts, wait).into_iter().map(|post| (post, wait)));
            }
        }
    }
    graph
}

#[cfg(all(test, feature = "fortran"))]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frontend::{FrontendOptions, parse_text};

    #[test]
    fn joins_what_could_meet() {
        let text = "program p\nuse mpi\nreal :: a(9), b(9)\ninteger :: r, ierr, s(mpi_status_size)\n\
            call mpi_isend(a, 9, mpi_real, 1, 1, mpi_comm_world, r, ierr)\n\
            call mpi_recv(b, 9, mpi_real, 1, 1, mpi_comm_world, s, ierr)\n\
            call mpi_recv(b, 9, mpi_real, 1, 2, mpi_comm_world, s, ierr)\n\
            call mpi_wait(r, s, ierr)\n\
            call mpi_sendrecv(a, 1, mpi_real, 1, 3, b, 1, mpi_real, 1, 3, mpi_comm_world, s, ierr)\n\
            call mpi_probe(1, 2, mpi_comm_world, s, ierr)\n\
            call mpi_alltoall(a, 1, mpi_real, b, 1, mpi_real, mpi_comm_world, ierr)\n\
            call mpi_alltoall(mpi_in_place, 1, mpi_real, b, 1, mpi_real, mpi_comm_world, ierr)\nend\n";
        let program = parse_text(Path::new("p.f90"), text.into(), &FrontendOptions::default()).expect("it is text");
        let graph = match_graph(&Facts::new(&program));
        let lines = |edges: &[(SiteId, SiteId)]| -> Vec<(usize, usize)> {
            let line = |site: SiteId| program.line(program.procedure(site.procedure).statement(site.statement).span);
            edges.iter().map(|&(one, two)| (line(one), line(two))).collect()
        };
        assert_eq!(lines(&graph.messages), [(5, 6), (9, 9), (11, 11)]);
        assert_eq!(lines(&graph.completions), [(5, 8)]);
        assert_eq!(lines(&graph.unknown), [(10, 7), (12, 11)]);
    }
}
