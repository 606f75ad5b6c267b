//! Which statements of the program can't run any more once another one has run.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::program::order::{is_loop, is_over_before, with_ancestors};
use crate::ir::ProcedureKind;

/// Longer chains of calls are not followed.
const MOST_CALLS: usize = 64;

/// While the program runs: once `later` has begun, does `earlier` certainly not begin any more? Only where each is reached
/// from the main program by one chain of calls, each of which nothing else calls.
///
/// Where `earlier` is a call of that chain of `later`, the answer is about the call itself, which has begun before: what
/// the called procedures do is for whoever asks about their statements.
pub(super) fn is_over_in_program(facts: &Facts, earlier: SiteId, later: SiteId) -> bool {
    let (Some(early), Some(late)) = (way_to(facts, earlier), way_to(facts, later)) else { return false };
    for (one, other) in early.iter().zip(&late) {
        let procedure = facts.procedure(one.procedure);
        if one != other {
            return one.procedure == other.procedure && is_over_before(procedure, one.statement, other.statement);
        }
        // What is run again runs all that it calls again.
        let runs_once = !with_ancestors(procedure, one.statement).any(|around| is_loop(procedure, around))
            && !procedure.statements.iter().any(|statement| statement.jump_target);
        if !runs_once {
            return false;
        }
    }
    early.len() < late.len()
}

/// The calls that lead to a statement from the main program, and itself at the end.
fn way_to(facts: &Facts, site: SiteId) -> Option<Vec<SiteId>> {
    let mut way = vec![site];
    let mut procedure = site.procedure;
    while facts.procedure(procedure).kind != ProcedureKind::Main {
        let [call] = facts.calls_of(procedure) else { return None };
        if way.len() > MOST_CALLS || !facts.calls_are_known(procedure) {
            return None;
        }
        way.push(*call);
        procedure = call.procedure;
    }
    way.reverse();
    Some(way)
}
