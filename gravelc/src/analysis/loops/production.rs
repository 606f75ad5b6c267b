//! Does a loop produce a message run by run (contract: the clauses `segments-…`)?
//!
//! A loop `do i = lo, hi` produces a message if iteration `i` completes exactly the run
//! `[start + length * (i - lo), start + length * (i - lo + 1))` of it: every element of the run is written in each
//! execution of the iteration, nothing else of the message's memory is, and the runs of all iterations are the message.
//! Tiles of the loop then complete consecutive segments, which can be sent while the loop goes on.
//!
//! A message may also consist of several such sequences of runs, one behind the other, all of which the loop fills side by
//! side, as where two planes of points are packed in one nest. A tile then completes a segment of each.
//!
//! Where every element has a value before the loop, and an access outside of an array ends the program
//! ([`Dialect::has_safe_memory`](crate::ir::Dialect::has_safe_memory)), the runs need not be the whole message: the sequence may
//! begin behind its first element, and end before or behind its last one.
//!
//! Of a message of which only the beginning is known (its length depends on how many processes there are), the runs have to
//! begin there. The runtime sends what they leave out, and nothing of what they have beyond the end.

mod not_produced;

use crate::ir::{
    Callee, Certainty, Expression, ExpressionKind, Extent, Lmad, Loop, Polynomial, Procedure, ProcedureId, Program,
    Region, Span, StatementId, StatementKind, SymbolId, TypeCategory,
};

use crate::mutations::Clause;

use super::super::algebra::lmad::{Run, as_run, merge, normalised, run_holds};
use super::super::algebra::prover::{Assumptions, is_nonnegative};
use super::super::algebra::symbolic::polynomial_of;
use super::super::memory::arrays::Layouts;
use super::super::memory::effects::{Access, AccessKind, Effects, ExternalKind, effects_of, effects_of_iteration};
use super::super::memory::overrun::runs_beyond;
use super::super::memory::sharing::may_share_memory;
use super::carried::carried_floating_point;

pub use not_produced::NotProduced;

/// How a loop produces a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Production {
    /// Where the sequences of runs begin, in elements of the message and ascending: one, at 0, or several that the loop
    /// fills side by side.
    pub sequences: Vec<Polynomial>,
    /// Elements of each sequence that one iteration completes.
    pub elements_per_iteration: Polynomial,
    /// Polynomials (over the values before the loop) of which **at most one may be negative** for the result to hold. With
    /// fewer than two there is no condition. MPI demands a count that is not negative, and the count is their product:
    /// only where two trip counts are negative at once does a loop that runs no iteration stand for a message that is
    /// not empty.
    pub factors: Vec<Polynomial>,
}

/// How the loop produces `message`, whose polynomials are over values that are the same before and after the loop
/// (which is checked).
///
/// # Errors
/// The first reason found why it does not, or why that can't be told.
pub fn production(
    program: &Program,
    procedure: ProcedureId,
    loop_statement: StatementId,
    message: &Region,
    assumptions: &Assumptions,
) -> Result<Production, NotProduced> {
    let body = program.procedure(procedure);
    let span = body.statement(loop_statement).span;
    let StatementKind::Loop(counted) = &body.statement(loop_statement).kind else {
        return Err(NotProduced::NotALoop { span });
    };
    let effects = effects_of_iteration(program, procedure, loop_statement, &counted.body);
    let changes = |symbol: SymbolId| {
        may_share_memory(body, symbol, counted.variable) || effects.writes_symbol(body, symbol).is_some()
    };
    let assumptions = &assumptions.about_unchanged(changes);
    let question = Question { procedure: body, counted, span, effects: &effects, message, assumptions };
    let bounds = question.bounds()?;
    question.check_control()?;
    question.check_constant_values()?;
    question.check_members(program, procedure, loop_statement)?;
    let found = question.runs(&bounds)?;
    if !body.dialect().parts_compute_alike()
        && let Some(access) = carried_floating_point(program, body, loop_statement, counted, &effects, assumptions)
        && !Clause::SameValues.is_off()
    {
        let name = body.symbol(access.region.symbol).name.clone();
        return Err(NotProduced::CarriesFloatingPoint { span: access.span, name });
    }
    Ok(found)
}

/// The first value and the number of values of the loop's variable.
pub(super) struct Bounds {
    pub(super) lower: Polynomial,
    pub(super) trips: Polynomial,
}

/// A loop and a message. The checks that have nothing to do with stores serve other questions about the two as well.
pub(super) struct Question<'a> {
    pub(super) procedure: &'a Procedure,
    pub(super) counted: &'a Loop,
    pub(super) span: Span,
    /// Of one iteration.
    pub(super) effects: &'a Effects,
    pub(super) message: &'a Region,
    pub(super) assumptions: &'a Assumptions,
}

impl Question<'_> {
    fn name(&self, symbol: SymbolId) -> String {
        self.procedure.symbol(symbol).name.clone()
    }

    fn buffer(&self) -> String {
        self.name(self.message.symbol)
    }

    pub(super) fn bounds(&self) -> Result<Bounds, NotProduced> {
        let counted = self.counted;
        if counted.concurrent {
            return Err(NotProduced::Concurrent { span: self.span });
        }
        if let Some(step) = &counted.step
            && polynomial_of(self.procedure, step) != Some(Polynomial::constant(1))
        {
            return Err(NotProduced::NotUnitStep { span: step.span });
        }
        let bound = |expression: &Expression| {
            let span = expression.span;
            let value = polynomial_of(self.procedure, expression).ok_or(NotProduced::BoundsNotUnderstood { span })?;
            let names_variable = expression.walk().into_iter().any(|part| {
                part.designated().is_some_and(|symbol| may_share_memory(self.procedure, symbol, counted.variable))
            });
            if names_variable {
                return Err(NotProduced::LoopVariableInBounds { span, name: self.name(counted.variable) });
            }
            for symbol in value.variables() {
                if let Some(access) = self.effects.writes_symbol(self.procedure, symbol) {
                    return Err(NotProduced::BoundsChange { span: access.span, name: self.name(symbol) });
                }
            }
            Ok(value)
        };
        let lower = bound(&counted.lower)?;
        let upper = bound(&counted.upper)?;
        let trips = upper
            .checked_subtract(&lower)
            .and_then(|distance| distance.checked_add(&Polynomial::constant(1)))
            .ok_or(NotProduced::BoundsNotUnderstood { span: counted.upper.span })?;
        if !self.procedure.symbol(counted.variable).is_integer_scalar() {
            return Err(NotProduced::BoundsNotUnderstood { span: self.span });
        }
        Ok(Bounds { lower, trips })
    }

    pub(super) fn check_control(&self) -> Result<(), NotProduced> {
        let span_of = |statement: StatementId| self.procedure.statement(statement).span;
        if let Some(statement) = self.effects.everything {
            let span = span_of(statement);
            return Err(match callee_of(self.procedure, statement) {
                Some(callee) => NotProduced::CallInside { span, callee },
                None => NotProduced::ExternalEffect {
                    span,
                    what: "a statement that may read and write anything".to_owned(),
                },
            });
        }
        if let Some(external) = &self.effects.external
            && !Clause::EffectsInLoop.is_off()
        {
            let what = match &external.kind {
                ExternalKind::InputOutput => "input or output".to_owned(),
                ExternalKind::Communication => "a call of MPI".to_owned(),
                ExternalKind::UnknownProcedure(name) => format!("a call of `{name}`, which is not given"),
                ExternalKind::Procedure(name) => {
                    format!("a call of `{name}`, which has an effect outside the program")
                }
                ExternalKind::Volatile => "an access to a VOLATILE variable".to_owned(),
                ExternalKind::Opaque => "something that could not be understood".to_owned(),
            };
            return Err(NotProduced::ExternalEffect { span: span_of(external.statement), what });
        }
        if let Some(leave) = &self.effects.leaves
            && !Clause::ControlInLoop.is_off()
        {
            return Err(NotProduced::LeavesLoop { span: span_of(leave.statement), why: leave.why.clone() });
        }
        if let Some(access) = self.effects.writes_symbol(self.procedure, self.counted.variable) {
            let name = self.name(self.counted.variable);
            return Err(NotProduced::LoopVariableChanges { span: access.span, name });
        }
        Ok(())
    }

    /// All iterations together must keep inside of the members of COMMON blocks that they name: where a loop clears a block by
    /// its first member's subscripts, no single iteration is seen to touch another member.
    pub(super) fn check_members(
        &self,
        program: &Program,
        procedure: ProcedureId,
        loop_statement: StatementId,
    ) -> Result<(), NotProduced> {
        let layouts = Layouts::new(self.procedure);
        let whole = effects_of(program, procedure, loop_statement);
        match whole.accesses.iter().find(|access| runs_beyond(&layouts, &access.region)) {
            Some(access) if !Clause::MembersInLoop.is_off() => {
                Err(NotProduced::RunsBeyond { span: access.span, name: self.name(access.region.symbol) })
            }
            _ => Ok(()),
        }
    }

    /// What the message is must not change in the loop, the loop's own variable included.
    pub(super) fn check_constant_values(&self) -> Result<(), NotProduced> {
        for symbol in self.message.variables() {
            let name = self.name(symbol);
            if may_share_memory(self.procedure, symbol, self.counted.variable) {
                return Err(NotProduced::MessageChanges { span: self.span, name });
            }
            if let Some(access) = self.effects.writes_symbol(self.procedure, symbol) {
                return Err(NotProduced::MessageChanges { span: access.span, name });
            }
        }
        Ok(())
    }

    fn runs(&self, bounds: &Bounds) -> Result<Production, NotProduced> {
        let name = self.buffer();
        let element = self.procedure.symbol(self.message.symbol).element;
        if element.category == TypeCategory::Unknown || element.bytes.is_none() {
            return Err(NotProduced::ElementTypeUnknown { span: self.span, name });
        }
        let message = match &self.message.extent {
            Extent::From(offset) => Some((offset.clone(), None)),
            _ => self
                .message
                .lmad()
                .and_then(|lmad| as_run(lmad, self.assumptions))
                .map(|run| (run.offset, Some(run.length))),
        };
        let Some((message_offset, message_length)) = message else {
            return Err(NotProduced::MessageNotKnown { span: self.span, name });
        };
        let writes = self.writes()?;
        let Some(first) = writes.first() else {
            return Err(NotProduced::NothingWritten { span: self.span, name });
        };
        let span = first.span;
        let runs = self.completed_runs(&writes, bounds)?;
        let unknown = || NotProduced::NotContiguous { span, name: name.clone() };
        let run = runs.first().ok_or_else(unknown)?;
        let mut starts = Vec::with_capacity(runs.len());
        for run in &runs {
            self.check_invariance(run, span)?;
            let (slope, _) = run.offset.linear_in(self.counted.variable).ok_or_else(unknown)?;
            if slope.is_zero() {
                return Err(NotProduced::WrittenTwice { span, name });
            }
            if slope != run.length && !Clause::SegmentsAscend.is_off() {
                return Err(NotProduced::NotAscending { span, name });
            }
            let start = run.offset.checked_substitute(self.counted.variable, &bounds.lower).ok_or_else(unknown)?;
            starts.push(start.checked_subtract(&message_offset).ok_or_else(unknown)?);
        }
        let of_sequence = run.length.checked_multiply(&bounds.trips).ok_or_else(unknown)?;
        let sequences = match one_behind_the_other(&starts, &of_sequence, message_length.as_ref()) {
            Some(sequences) => sequences,
            None if Clause::SegmentsCover.is_off() => starts,
            // What no iteration writes has its value already, and iterations beyond the message end the program.
            None if starts.len() == 1 && self.procedure.dialect().has_safe_memory() => starts,
            None => return Err(NotProduced::DoesNotCoverMessage { span, name }),
        };
        let all = run.factors.iter().chain([&bounds.trips]).cloned();
        let factors = all.filter(|factor| !is_nonnegative(self.assumptions, factor)).collect();
        Ok(Production { sequences, elements_per_iteration: run.length.clone(), factors })
    }

    /// What holds in every iteration.
    pub(super) fn in_iteration(&self, bounds: &Bounds) -> Assumptions {
        let mut assumptions = self.assumptions.clone();
        let variable = Polynomial::variable(self.counted.variable);
        let past_lower = variable.checked_subtract(&bounds.lower);
        let upper = bounds.lower.checked_add(&bounds.trips).and_then(|end| end.checked_subtract(&variable));
        past_lower.into_iter().for_each(|fact| assumptions.assume_nonnegative(fact));
        upper.iter().for_each(|fact| assumptions.assume_positive(fact));
        assumptions
    }

    /// The writes to the message's variable; an error if its memory is written otherwise.
    fn writes(&self) -> Result<Vec<&Access>, NotProduced> {
        let mut found = Vec::new();
        for access in self.effects.accesses.iter().filter(|access| access.kind == AccessKind::Write) {
            if access.region.symbol == self.message.symbol {
                found.push(access);
            } else if may_share_memory(self.procedure, access.region.symbol, self.message.symbol) {
                let name = self.name(access.region.symbol);
                return Err(NotProduced::AliasedWrite { span: access.span, name });
            }
        }
        Ok(found)
    }

    /// The runs that the certain writes of one iteration complete together, and that hold all of its writes: one, or several
    /// of one length.
    fn completed_runs(&self, writes: &[&Access], bounds: &Bounds) -> Result<Vec<Run>, NotProduced> {
        let name = self.buffer();
        let certain: Vec<&&Access> = writes.iter().filter(|access| access.certainty == Certainty::Must).collect();
        let Some(first) = certain.first() else {
            let span = writes.first().map_or(self.span, |access| access.span);
            let is_known = writes.iter().any(|access| access.region.lmad().is_some());
            return Err(if is_known {
                NotProduced::ConditionalWrite { span, name }
            } else {
                NotProduced::NotContiguous { span, name }
            });
        };
        let regions: Vec<Lmad> =
            certain.iter().filter_map(|access| normalised(access.region.lmad()?, self.assumptions)).collect();
        let mut runs: Vec<Run> = merge(regions).iter().filter_map(|region| as_run(region, self.assumptions)).collect();
        // One that is as long as any may hold all others; those of its length may hold what it does not.
        let longest = runs.iter().find(|run| {
            runs.iter().all(|other| {
                let longer = run.length.checked_subtract(&other.length);
                longer.is_some_and(|distance| is_nonnegative(self.assumptions, &distance))
            })
        });
        let longest = longest.cloned().ok_or(NotProduced::NotContiguous { span: first.span, name: name.clone() })?;
        let in_iteration = self.in_iteration(bounds);
        let stray = |runs: &[Run]| {
            let is_inside = |lmad: &Lmad| runs.iter().any(|run| run_holds(run, lmad, &in_iteration));
            writes.iter().find(|access| !access.region.lmad().is_some_and(is_inside)).map(|access| access.span)
        };
        if Clause::SegmentsFinal.is_off() || stray(std::slice::from_ref(&longest)).is_none() {
            return Ok(vec![longest]);
        }
        runs.retain(|run| is_as_long_as(run, &longest));
        match stray(&runs) {
            None => Ok(runs),
            Some(span) => Err(NotProduced::WritesOutsideRun { span, name }),
        }
    }

    /// The run's length must be the same in all iterations, and its place may depend on nothing but the loop's variable.
    fn check_invariance(&self, run: &Run, span: Span) -> Result<(), NotProduced> {
        let changing = |symbol: &SymbolId| self.effects.writes_symbol(self.procedure, *symbol).is_some();
        let of_length = run.factors.iter().chain([&run.length]).flat_map(Polynomial::variables);
        let in_length = of_length.into_iter().find(|symbol| *symbol == self.counted.variable || changing(symbol));
        let culprit = in_length.or_else(|| run.offset.variables().into_iter().find(changing));
        match culprit {
            Some(symbol) => Err(NotProduced::RunChanges { span, name: self.buffer(), variable: self.name(symbol) }),
            None => Ok(()),
        }
    }
}

/// Are the runs of one length, and empty alike?
fn is_as_long_as(one: &Run, other: &Run) -> bool {
    let holds = |all: &[Polynomial], some: &[Polynomial]| some.iter().all(|factor| all.contains(factor));
    one.length == other.length && holds(&one.factors, &other.factors) && holds(&other.factors, &one.factors)
}

/// The `starts` in ascending order, if sequences of `length` elements that begin there are `total` elements from 0 on, each
/// of them in one. Where the total is not known, only one sequence is known to be where it must.
fn one_behind_the_other(
    starts: &[Polynomial],
    length: &Polynomial,
    total: Option<&Polynomial>,
) -> Option<Vec<Polynomial>> {
    let mut left = starts.to_vec();
    let mut sorted = Vec::with_capacity(starts.len());
    let mut end = Polynomial::constant(0);
    while !left.is_empty() {
        let next = left.iter().position(|start| *start == end)?;
        sorted.push(left.swap_remove(next));
        end = end.checked_add(length)?;
    }
    let is_all = total.map_or(sorted.len() == 1, |total| end == *total);
    is_all.then_some(sorted)
}

/// The procedure that a statement calls, for the report.
fn callee_of(procedure: &Procedure, statement: StatementId) -> Option<String> {
    let name = |callee: &Callee| match callee {
        Callee::PureIntrinsic(_) => None,
        Callee::Procedure(_) => Some("a procedure".to_owned()),
        Callee::Unknown(name) => Some(format!("`{name}`")),
    };
    let kind = &procedure.statement(statement).kind;
    if let StatementKind::Call { callee, .. } = kind
        && let Some(found) = name(callee)
    {
        return Some(found);
    }
    let parts = kind.expressions().into_iter().flat_map(Expression::walk);
    parts.into_iter().find_map(|part| match &part.kind {
        ExpressionKind::Call { callee, .. } => name(callee),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
