//! Floating-point values that a loop carries from one iteration to another (contract: `same-values`): where a compiler
//! vectorises such a loop, its result depends on how the loop is cut.

use crate::ir::{
    Certainty, Loop, Polynomial, Procedure, Program, Region, StatementId, StatementKind, SymbolId, TypeCategory,
};

use super::super::Answer;
use super::super::algebra::prover::Assumptions;
use super::super::algebra::symbolic::polynomial_of;
use super::super::memory::effects::{Access, AccessKind, Effects, iteration_symbol};
use super::super::memory::overlap::may_overlap;
use super::super::memory::sharing::may_share_memory;
use super::accumulations::accumulates_in_any_order;

/// The first read that may use a floating-point value which an earlier iteration has stored, given the effects of one
/// iteration. Values of unknown types count as floating-point ones. What is [accumulated in any
/// order](accumulates_in_any_order) does not round.
pub(super) fn carried_floating_point<'e>(
    program: &Program,
    procedure: &Procedure,
    loop_statement: StatementId,
    counted: &Loop,
    effects: &'e Effects,
    assumptions: &Assumptions,
) -> Option<&'e Access> {
    let of_kind = |kind: AccessKind| {
        let all = effects.accesses.iter().enumerate();
        all.filter(move |(_, access)| access.kind == kind && may_be_floating_point(procedure, access.region.symbol))
    };
    of_kind(AccessKind::Read)
        .filter(|(position, read)| {
            !is_of_this_iteration(procedure, loop_statement, &effects.accesses[..*position], read)
        })
        .filter(|(_, read)| {
            let mut writes = of_kind(AccessKind::Write);
            writes.any(|(_, write)| may_meet_later(procedure, counted, effects, assumptions, write, read))
        })
        .filter(|(_, read)| !counted.asserted.covers(read.region.symbol))
        .filter(|(_, read)| !accumulates_in_any_order(program, procedure, effects, read.region.symbol))
        .map(|(_, read)| read)
        .next()
}

fn may_be_floating_point(procedure: &Procedure, symbol: SymbolId) -> bool {
    match procedure.symbol(symbol).element.category {
        TypeCategory::Real | TypeCategory::Complex | TypeCategory::Derived | TypeCategory::Unknown => true,
        TypeCategory::Integer | TypeCategory::Logical | TypeCategory::Character => false,
    }
}

/// Has what is read certainly been written before, in the same iteration?
pub(super) fn is_of_this_iteration(
    procedure: &Procedure,
    of_iteration: StatementId,
    before: &[Access],
    read: &Access,
) -> bool {
    !read.is_exposed
        || before.iter().any(|write| {
            write.kind == AccessKind::Write
                && write.certainty == Certainty::Must
                && write.region.symbol == read.region.symbol
                && write.region.lmad().is_some()
                && write.region.extent == read.region.extent
                && !are_in_one_loop(procedure, of_iteration, write.statement, read.statement)
        })
}

/// Is there a loop around both statements that does not hold the whole iteration? All of the one is not done before all of
/// the other then.
fn are_in_one_loop(procedure: &Procedure, of_iteration: StatementId, one: StatementId, other: StatementId) -> bool {
    let around = |statement| {
        std::iter::successors(Some(statement), |&inner| procedure.statement(inner).parent).filter(|&outer| {
            matches!(procedure.statement(outer).kind, StatementKind::Loop(_) | StatementKind::While { .. })
        })
    };
    let innermost_common = around(one).find(|&outer| around(other).any(|candidate| candidate == outer));
    innermost_common.is_some_and(|common| common != of_iteration)
}

/// May the second access touch memory that the first one has touched in an earlier iteration?
pub(super) fn may_meet_later(
    procedure: &Procedure,
    counted: &Loop,
    effects: &Effects,
    assumptions: &Assumptions,
    first: &Access,
    second: &Access,
) -> bool {
    if !may_share_memory(procedure, first.region.symbol, second.region.symbol) {
        return false;
    }
    if first.region.symbol != second.region.symbol {
        return true;
    }
    let is_variable = |symbol: &SymbolId| *symbol == counted.variable;
    let changes = |region: &Region| {
        let variables = region.variables();
        variables.iter().any(|symbol| !is_variable(symbol) && effects.writes_symbol(procedure, *symbol).is_some())
    };
    if changes(&first.region) || changes(&second.region) {
        return true;
    }
    // The second access happens at least one iteration after the first.
    let distance = Polynomial::variable(iteration_symbol(procedure, 0));
    let variable = Polynomial::variable(counted.variable);
    let Some(later) = variable.checked_add(&distance) else { return true };
    let mut assumptions = assumptions.clone();
    assumptions.assume_positive(&distance);
    if let Some(fact) = polynomial_of(procedure, &counted.lower).and_then(|lower| variable.checked_subtract(&lower)) {
        assumptions.assume_nonnegative(fact);
    }
    if let Some(fact) = polynomial_of(procedure, &counted.upper).and_then(|upper| upper.checked_subtract(&later)) {
        assumptions.assume_nonnegative(fact);
    }
    let Some(touched_later) = substituted(&second.region, counted.variable, &later) else { return true };
    may_overlap(procedure, &first.region, &touched_later, &assumptions) != Answer::No
}

/// The region with another value in the place of a variable; `None` if it can't be worked out.
pub(super) fn substituted(region: &Region, symbol: SymbolId, value: &Polynomial) -> Option<Region> {
    let mut result = region.clone();
    if let crate::ir::Extent::Elements(lmad) = &mut result.extent {
        lmad.offset = lmad.offset.checked_substitute(symbol, value)?;
        for dimension in &mut lmad.dimensions {
            dimension.stride = dimension.stride.checked_substitute(symbol, value)?;
            dimension.count = dimension.count.checked_substitute(symbol, value)?;
        }
    }
    for interval in result.subscripts.iter_mut().flatten() {
        interval.lower = interval.lower.checked_substitute(symbol, value)?;
        interval.upper = interval.upper.checked_substitute(symbol, value)?;
    }
    Some(result)
}
