//! Which statements can't run any more once another one has run.

use crate::ir::{Procedure, ProcedureKind, StatementId, StatementKind};

use super::facts::{Facts, SiteId};

/// Longer chains of calls are not followed.
const MOST_CALLS: usize = 64;

/// While the procedure runs: once `later` has begun, does `earlier` certainly not begin any more?
pub(super) fn is_over_before(procedure: &Procedure, earlier: StatementId, later: StatementId) -> bool {
    let in_order = in_order_of_tree(procedure);
    let position = |statement: StatementId| in_order.iter().position(|&other| other == statement);
    let (Some(early), Some(late)) = (position(earlier), position(later)) else { return false };
    // A jump may lead back.
    let comes_back = in_order[..=early].iter().any(|&statement| procedure.statement(statement).jump_target);
    if comes_back || is_in_loop_with(procedure, earlier, later) {
        return false;
    }
    early < late || are_alternatives(procedure, earlier, later)
}

/// All statements, each before those that it holds and those that follow it in its block.
fn in_order_of_tree(procedure: &Procedure) -> Vec<StatementId> {
    let mut found = Vec::new();
    let mut pending: Vec<StatementId> = procedure.body.iter().rev().copied().collect();
    while let Some(statement) = pending.pop() {
        found.push(statement);
        pending.extend(procedure.statement(statement).kind.blocks().into_iter().flatten().rev());
    }
    found
}

/// The statement with those around it, from the innermost to the outermost.
fn with_ancestors(procedure: &Procedure, statement: StatementId) -> impl Iterator<Item = StatementId> {
    std::iter::successors(Some(statement), |&inner| procedure.statement(inner).parent)
}

fn is_loop(procedure: &Procedure, statement: StatementId) -> bool {
    matches!(procedure.statement(statement).kind, StatementKind::Loop(_) | StatementKind::While { .. })
}

/// Is there a loop that repeats both? The statement of a loop itself is part of it.
fn is_in_loop_with(procedure: &Procedure, one: StatementId, other: StatementId) -> bool {
    with_ancestors(procedure, one).any(|around| {
        is_loop(procedure, around) && with_ancestors(procedure, other).any(|around_other| around_other == around)
    })
}

/// Do they stand in different blocks of one branch?
fn are_alternatives(procedure: &Procedure, one: StatementId, other: StatementId) -> bool {
    let below = |around: StatementId, inner: StatementId| {
        with_ancestors(procedure, inner).take_while(|&it| it != around).last().filter(|&it| it != around)
    };
    let is_common = |around: &StatementId| with_ancestors(procedure, other).any(|it| it == *around);
    let Some(around) = with_ancestors(procedure, one).find(is_common) else { return false };
    let (Some(first), Some(second)) = (below(around, one), below(around, other)) else { return false };
    let blocks = procedure.statement(around).kind.blocks();
    let block_of = |statement: StatementId| blocks.iter().position(|block| block.contains(&statement));
    block_of(first).is_some() && block_of(second).is_some() && block_of(first) != block_of(second)
}

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
