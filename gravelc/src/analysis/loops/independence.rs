//! Can the iterations of a loop run in another order (contract: iterations that change places)? And which of them keep off a region?
//!
//! They can if no iteration touches memory that another one writes. What every iteration certainly writes before it reads
//! it is no exception in memory but in effect, as long as the last iteration stays the last one: such variables are the
//! iteration's own, and keep the last one's values. Nor are variables into which iterations accumulate in any
//! order (`accumulations.rs`), or of which the user asserts that their order does not matter.
//!
//! The iterations of several loops that stand one in the other are another question: [`super::inside_box`].

use thiserror::Error;

use crate::ir::{
    AssertedIndependence, Certainty, Depth, Loop, Polynomial, Procedure, ProcedureId, Program, Region, Shape, Span,
    StatementId, StatementKind, Storage, SymbolId,
};

use super::super::Answer;
use super::super::algebra::prover::Assumptions;
use super::super::memory::effects::{Access, AccessKind, Effects, effects_of_iteration};
use super::super::memory::overlap::may_overlap;
use super::super::memory::sharing::may_share_memory;
use super::super::program::contents::mentions;
use super::accumulations::accumulates_in_any_order;
use super::carried::{is_of_this_iteration, may_meet_later};
use super::production::{Bounds, NotProduced, Question};

/// Why the iterations of a loop depend on one another, or on a region, or why that can't be told.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Dependent {
    /// The loop is none whose iterations can be told apart.
    #[error(transparent)]
    NotCuttable(#[from] NotProduced),
    /// Two iterations may touch the same memory, and one of them writes it.
    #[error("iterations may depend on one another by `{name}`")]
    Carried {
        /// One of the accesses.
        span: Span,
        /// The variable.
        name: String,
    },
    /// A procedure that is called in the loop may remember something from one iteration to another.
    #[error("iterations may depend on one another by what `{callee}` keeps in memory")]
    Remembered {
        /// The statement that calls it.
        span: Span,
        /// Its name.
        callee: String,
    },
    /// An iteration that is neither the first nor the last one may touch the region, nor is it near enough to them.
    #[error("not only iterations near the ends may touch the message's memory in `{name}`")]
    TouchedInside {
        /// The access.
        span: Span,
        /// The variable.
        name: String,
    },
    /// The bounds or the variable of a loop are part of the region: its head touches that before any iteration.
    #[error("the loop counts with `{name}`, which is part of the message")]
    CountsWith {
        /// The head of the loop.
        span: Span,
        /// The variable.
        name: String,
    },
    /// The last iteration is no longer the last one, and what it leaves in a variable may be looked at.
    #[error("the value that `{name}` has behind the loop may be looked at")]
    Outlives {
        /// The loop.
        span: Span,
        /// The variable.
        name: String,
    },
}

impl Dependent {
    /// What to blame.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::NotCuttable(why) => why.span(),
            Self::Carried { span, .. }
            | Self::Remembered { span, .. }
            | Self::TouchedInside { span, .. }
            | Self::CountsWith { span, .. }
            | Self::Outlives { span, .. } => Some(*span),
        }
    }
}

/// How many of the first and of the last iterations may touch `region`, whose polynomials are over values that are the same
/// before and after the loop (which is checked). All others are proven to keep off it, and can run before these. The last
/// iteration stays the last one. `is_dead` says of a variable whether its value matters to nothing outside the loops that count
/// with it. Whether they keep off is asked of the same procedure in `in_one_run`, where values may be numbers that others have
/// in other runs.
///
/// # Errors
/// The first reason found why that is not so, or can't be told.
pub fn inside_is_independent(
    (program, in_one_run): (&Program, &Program),
    procedure: ProcedureId,
    loop_statement: StatementId,
    region: &Region,
    is_dead: &dyn Fn(SymbolId) -> bool,
) -> Result<Depth, Dependent> {
    let body = program.procedure(procedure);
    let (counted, span) = counted_loop(body, loop_statement)?;
    let effects = effects_of_iteration(program, procedure, loop_statement, &counted.body);
    let assumptions = Assumptions::new();
    let question =
        Question { procedure: body, counted, span, effects: &effects, message: region, assumptions: &assumptions };
    question.bounds()?;
    question.check_control()?;
    question.check_constant_values()?;
    question.check_members(program, procedure, loop_statement)?;
    let depth = depth_kept_off(in_one_run, procedure, loop_statement, region)?;
    let last_stays_last = true;
    let iterations = Iterations {
        program,
        body,
        loop_statement,
        counted,
        effects: &effects,
        assumptions: &assumptions,
        last_stays_last,
    };
    iterations.check(is_dead)?;
    Ok(depth)
}

/// The statement as a loop, with where it stands.
pub(super) fn counted_loop(procedure: &Procedure, statement: StatementId) -> Result<(&Loop, Span), NotProduced> {
    let found = procedure.statement(statement);
    match &found.kind {
        StatementKind::Loop(counted) => Ok((counted, found.span)),
        _ => Err(NotProduced::NotALoop { span: found.span }),
    }
}

/// The smallest ends between which all iterations keep off `region`. Mostly they are the first and the last iteration; else both are made
/// deeper together until that is enough, and then each as short as it can be.
fn depth_kept_off(
    program: &Program,
    procedure: ProcedureId,
    loop_statement: StatementId,
    region: &Region,
) -> Result<Depth, Dependent> {
    let body = program.procedure(procedure);
    let (counted, span) = counted_loop(body, loop_statement)?;
    let effects = effects_of_iteration(program, procedure, loop_statement, &counted.body);
    let bounds = {
        let assumptions = Assumptions::new();
        let question =
            Question { procedure: body, counted, span, effects: &effects, message: region, assumptions: &assumptions };
        // Where numbers are known that are not in the program itself, more is seen.
        question.check_members(program, procedure, loop_statement)?;
        question.bounds()?
    };
    let touched = |depth: Depth| {
        let mut inside = Assumptions::new();
        assume_between_the_ends(&mut inside, counted, &bounds, depth);
        effects.accesses.iter().find(|access| may_overlap(body, &access.region, region, &inside) != Answer::No)
    };
    let Some(access) = touched(Depth::ONE) else { return Ok(Depth::ONE) };
    let keeps_off = |depth: &Depth| touched(*depth).is_none();
    // Of iterations that do not exist anything can be proven.
    let iterations = bounds.trips.as_constant();
    let leaves_some = |depth: &Depth| iterations.is_none_or(|iterations| depth.iterations() < iterations);
    let deeper = [2, 4, 8, Depth::MAX].map(Depth::both);
    let Some(found) = deeper.into_iter().filter(leaves_some).find(keeps_off) else {
        let name = body.symbol(access.region.symbol).name.clone();
        return Err(Dependent::TouchedInside { span: access.span, name });
    };
    let shorter = (1..found.first).map(|first| Depth { first, ..found }).find(keeps_off).unwrap_or(found);
    Ok((1..shorter.last).map(|last| Depth { last, ..shorter }).find(keeps_off).unwrap_or(shorter))
}

/// What is known of the variable of a loop in the iterations between the ends.
pub(super) fn assume_between_the_ends(inside: &mut Assumptions, counted: &Loop, bounds: &Bounds, depth: Depth) {
    let variable = Polynomial::variable(counted.variable);
    let less = |value: Polynomial, depth: u8| value.checked_subtract(&Polynomial::constant(i64::from(depth)));
    let past_first = variable.checked_subtract(&bounds.lower).and_then(|distance| less(distance, depth.first));
    let last_value = bounds.lower.checked_add(&bounds.trips).and_then(|end| less(end, 1));
    let before_last = last_value.and_then(|last| less(last.checked_subtract(&variable)?, depth.last));
    past_first.into_iter().chain(before_last).for_each(|fact| inside.assume_nonnegative(fact));
}

/// The iterations of a loop that are to run in another order.
pub(super) struct Iterations<'a> {
    pub(super) program: &'a Program,
    pub(super) body: &'a Procedure,
    pub(super) loop_statement: StatementId,
    pub(super) counted: &'a Loop,
    /// Of one iteration.
    pub(super) effects: &'a Effects,
    pub(super) assumptions: &'a Assumptions,
    /// The last iteration is still the last one to run: what it leaves in variables is there in the end.
    pub(super) last_stays_last: bool,
}

impl<'a> Iterations<'a> {
    /// Does the order matter to what procedures remember, or to memory?
    pub(super) fn check(&self, is_dead: &dyn Fn(SymbolId) -> bool) -> Result<(), Dependent> {
        if let Some(hidden) = &self.effects.hidden_state
            && self.counted.asserted != AssertedIndependence::Whole
        {
            let span = self.body.statement(hidden.statement).span;
            return Err(Dependent::Remembered { span, callee: hidden.callee.clone() });
        }
        match self.carried(is_dead) {
            Some(access) => {
                let name = self.body.symbol(access.region.symbol).name.clone();
                Err(Dependent::Carried { span: access.span, name })
            }
            None => Ok(()),
        }
    }

    /// A write of memory that another iteration may touch, but for memory that is each iteration's own.
    fn carried(&self, is_dead: &dyn Fn(SymbolId) -> bool) -> Option<&'a Access> {
        let accesses = &self.effects.accesses;
        let meet = |one: &Access, other: &Access| {
            may_meet_later(self.body, self.counted, self.effects, self.assumptions, one, other)
                || may_meet_later(self.body, self.counted, self.effects, self.assumptions, other, one)
        };
        accesses
            .iter()
            .filter(|access| access.kind == AccessKind::Write)
            .filter(|write| accesses.iter().any(|other| meet(write, other)))
            .find(|write| !self.is_any_order_alike(write.region.symbol) && !self.is_own(write.region.symbol, is_dead))
    }

    /// Do the iterations give the same in any order, as far as this variable is concerned, although they share it?
    fn is_any_order_alike(&self, symbol: SymbolId) -> bool {
        self.counted.asserted.covers(symbol) || accumulates_in_any_order(self.program, self.body, self.effects, symbol)
    }

    /// Is the variable the iteration's own: is no value of it used that another iteration has stored, and is the one that
    /// it has in the end the last iteration's, or nobody's?
    fn is_own(&self, symbol: SymbolId, is_dead: &dyn Fn(SymbolId) -> bool) -> bool {
        let accesses = &self.effects.accesses;
        let is_alias = |access: &Access| {
            access.region.symbol != symbol && may_share_memory(self.body, access.region.symbol, symbol)
        };
        if accesses.iter().any(is_alias) {
            return false;
        }
        let counts = |access: &Access| matches!(&self.body.statement(access.statement).kind, StatementKind::Loop(inner) if inner.variable == symbol);
        let own = || accesses.iter().enumerate().filter(|(_, access)| access.region.symbol == symbol);
        let writes = || own().filter(|(_, access)| access.kind == AccessKind::Write);
        // The variable of a loop inside, which nobody looks at outside of such loops.
        if writes().all(|(_, write)| counts(write)) && is_dead(symbol) {
            return true;
        }
        // A variable in which nothing that was stored before is looked at, here or behind the loop.
        let is_exposed = |access: &Access| access.kind == AccessKind::Read && access.is_exposed;
        let is_private = !own().any(|(_, access)| is_exposed(access));
        if is_private && self.is_used_nowhere_else(symbol) {
            return true;
        }
        if !self.last_stays_last {
            return is_private && is_dead(symbol);
        }
        let Some((_, first)) = writes().find(|(_, write)| write.certainty == Certainty::Must) else {
            return false;
        };
        let is_the_same =
            |access: &Access| access.region.lmad().is_some() && access.region.extent == first.region.extent;
        let is_fixed = first.region.variables().into_iter().all(|variable| {
            variable != self.counted.variable && self.effects.writes_symbol(self.body, variable).is_none()
        });
        is_fixed
            && writes().all(|(_, write)| is_the_same(write))
            && own().filter(|(_, access)| access.kind == AccessKind::Read).all(|(position, read)| {
                is_of_this_iteration(self.body, self.loop_statement, &accesses[..position], read)
            })
    }

    fn is_used_nowhere_else(&self, symbol: SymbolId) -> bool {
        let variable = self.body.symbol(symbol);
        let is_private = matches!(variable.storage, Storage::Local | Storage::Static)
            && variable.shape == Shape::Scalar
            && !variable.target
            && !variable.volatile
            && variable.overlay.is_none();
        let is_unread = |id: &StatementId| matches!(self.body.statement(*id).kind, StatementKind::Opaque(_));
        let inside = self.body.with_descendants(self.loop_statement);
        is_private
            && !self.body.statements_in_order().iter().any(is_unread)
            && mentions(self.body, symbol).keys().all(|id| inside.contains(id))
    }
}

#[cfg(test)]
mod tests;
