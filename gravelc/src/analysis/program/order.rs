//! Which statements of a procedure can't run any more once another one has run.

use crate::ir::{Procedure, StatementId, StatementKind};

/// While the procedure runs: once `later` has begun, does `earlier` certainly not begin any more?
pub fn is_over_before(procedure: &Procedure, earlier: StatementId, later: StatementId) -> bool {
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
pub fn with_ancestors(procedure: &Procedure, statement: StatementId) -> impl Iterator<Item = StatementId> {
    std::iter::successors(Some(statement), |&inner| procedure.statement(inner).parent)
}

/// Does the statement repeat others?
pub fn is_loop(procedure: &Procedure, statement: StatementId) -> bool {
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
