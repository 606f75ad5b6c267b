//! Does a loop read a message bit by bit (contract: a part is read only when it has come)?
//!
//! A loop `do i = lo, hi` consumes a message if what its iterations up to `i` read of the message's memory lies within the
//! first `needed(i)` elements, where `needed` is linear in `i`, never falls, and stays between 0 and the length of the
//! message; and if the loop writes nothing of that memory. A tile of the loop can then run as soon as so many elements have
//! come.
//!
//! Where an access outside of an array ends the program
//! ([`Dialect::has_safe_memory`](crate::ir::Dialect::has_safe_memory)), the tiles look at run time whether it falls and stays
//! between 0 and that length.

use thiserror::Error;

use crate::ir::{Extent, Polynomial, ProcedureId, Program, Region, Span, StatementId, StatementKind, SymbolId};

use super::super::Answer;
use super::super::algebra::lmad::{as_run, assume_nonempty, ends, normalised};
use super::super::algebra::prover::{Assumptions, is_nonnegative};
use super::super::memory::effects::{Access, AccessKind, effects_of_iteration};
use super::super::memory::overlap::may_overlap;
use super::super::memory::sharing::may_share_memory;
use super::carried::carried_floating_point;
use super::production::{NotProduced, Question};

/// How a loop reads a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consumption {
    /// The loop's variable.
    pub variable: SymbolId,
    /// As many of the message's first elements do the iterations up to the value of `variable` need.
    pub needed: Polynomial,
}

/// Why a loop does not consume a message bit by bit, or why that can't be told.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotConsumed {
    /// The loop is none that can be cut.
    #[error(transparent)]
    NotCuttable(#[from] NotProduced),
    /// The loop writes memory of the message.
    #[error("the loop may write the message's memory in `{name}`")]
    Written {
        /// The store.
        span: Span,
        /// The variable.
        name: String,
    },
    /// What is read of the message is not known.
    #[error("which elements of `{name}` an iteration reads is not known")]
    ReadsUnknown {
        /// The access.
        span: Span,
        /// The variable.
        name: String,
    },
    /// No linear bound of what is needed so far was found.
    #[error("the iterations do not read `{name}` from its beginning to its end")]
    NotAscending {
        /// An access.
        span: Span,
        /// The variable.
        name: String,
    },
    /// What the iterations need is not known to lie inside the message.
    #[error("what the loop reads of `{name}` is not known to lie inside the message")]
    OutsideMessage {
        /// An access.
        span: Span,
        /// The variable.
        name: String,
    },
}

impl NotConsumed {
    /// What to blame.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::NotCuttable(why) => why.span(),
            Self::Written { span, .. }
            | Self::ReadsUnknown { span, .. }
            | Self::NotAscending { span, .. }
            | Self::OutsideMessage { span, .. } => Some(*span),
        }
    }
}

/// How the loop consumes `message`, whose polynomials are over values that are the same before and after the loop (which
/// is checked).
///
/// # Errors
/// The first reason found why it does not, or why that can't be told.
pub fn consumption(
    program: &Program,
    procedure: ProcedureId,
    loop_statement: StatementId,
    message: &Region,
) -> Result<Consumption, NotConsumed> {
    let body = program.procedure(procedure);
    let span = body.statement(loop_statement).span;
    let StatementKind::Loop(counted) = &body.statement(loop_statement).kind else {
        return Err(NotProduced::NotALoop { span }.into());
    };
    let effects = effects_of_iteration(program, procedure, loop_statement, &counted.body);
    let assumptions = Assumptions::new();
    let question = Question { procedure: body, counted, span, effects: &effects, message, assumptions: &assumptions };
    let bounds = question.bounds()?;
    question.check_control()?;
    question.check_constant_values()?;
    question.check_members(program, procedure, loop_statement)?;
    let in_iteration = question.in_iteration(&bounds);
    let name = body.symbol(message.symbol).name.clone();
    let Some(place) = Place::of(message, &assumptions) else {
        return Err(NotProduced::MessageNotKnown { span, name }.into());
    };
    let mut reads = Vec::new();
    for access in &effects.accesses {
        let symbol = access.region.symbol;
        if !may_share_memory(body, symbol, message.symbol)
            || may_overlap(body, &access.region, message, &in_iteration) == Answer::No
        {
            continue;
        }
        if access.kind == AccessKind::Write {
            return Err(NotConsumed::Written { span: access.span, name: body.symbol(symbol).name.clone() });
        }
        if symbol != message.symbol {
            return Err(NotConsumed::ReadsUnknown { span: access.span, name: body.symbol(symbol).name.clone() });
        }
        reads.push(access);
    }
    let Some(first) = reads.first() else {
        return Err(NotConsumed::NotAscending { span, name });
    };
    let is_fixed = |symbol: &SymbolId| *symbol == counted.variable || effects.writes_symbol(body, *symbol).is_none();
    let needed = needed_by_all(&reads, &place.offset, &in_iteration, &name)?
        .into_iter()
        .find(|needed| needed.variables().iter().all(is_fixed))
        .ok_or_else(|| NotConsumed::NotAscending { span: first.span, name: name.clone() })?;
    let is_linear = needed.linear_in(counted.variable).is_some_and(|(slope, _)| !slope.is_zero());
    if !(is_linear && body.dialect().has_safe_memory()) {
        check_linear(&needed, counted.variable, &place, &bounds.lower, &bounds.trips, &in_iteration).map_err(
            |fault| match fault {
                Fault::Shape => NotConsumed::NotAscending { span: first.span, name: name.clone() },
                Fault::Place => NotConsumed::OutsideMessage { span: first.span, name: name.clone() },
            },
        )?;
    }
    if !body.dialect().parts_compute_alike()
        && let Some(access) = carried_floating_point(program, body, loop_statement, counted, &effects, &assumptions)
    {
        let name = body.symbol(access.region.symbol).name.clone();
        return Err(NotProduced::CarriesFloatingPoint { span: access.span, name }.into());
    }
    Ok(Consumption { variable: counted.variable, needed })
}

/// Where a message lies in its variable.
struct Place {
    offset: Polynomial,
    /// In elements, where it is known.
    length: Option<Polynomial>,
}

impl Place {
    fn of(message: &Region, assumptions: &Assumptions) -> Option<Self> {
        match &message.extent {
            Extent::From(offset) => Some(Self { offset: offset.clone(), length: None }),
            Extent::Elements(lmad) => {
                let run = as_run(lmad, assumptions)?;
                Some(Self { offset: run.offset, length: Some(run.length) })
            }
            Extent::Whole => None,
        }
    }
}

/// Numbers of elements, counted from the message's first one, that hold what every one of the reads needs.
fn needed_by_all(
    reads: &[&Access],
    offset: &Polynomial,
    assumptions: &Assumptions,
    name: &str,
) -> Result<Vec<Polynomial>, NotConsumed> {
    let mut ends_of_reads = Vec::with_capacity(reads.len());
    for access in reads {
        let end = || {
            let lmad = access.region.lmad()?;
            let mut nonempty = assumptions.clone();
            assume_nonempty(&mut nonempty, lmad);
            let (_, last) = ends(&normalised(lmad, assumptions)?)?;
            let end = last.checked_add(&Polynomial::constant(1))?.checked_subtract(offset)?;
            Some((end, nonempty))
        };
        let found = end();
        ends_of_reads
            .push(found.ok_or_else(|| NotConsumed::ReadsUnknown { span: access.span, name: name.to_owned() })?);
    }
    let holds_all = |candidate: &Polynomial| {
        ends_of_reads.iter().all(|(end, nonempty)| {
            candidate.checked_subtract(end).is_some_and(|distance| is_nonnegative(nonempty, &distance))
        })
    };
    Ok(ends_of_reads.iter().map(|(end, _)| end).filter(|candidate| holds_all(candidate)).cloned().collect())
}

enum Fault {
    /// It is not linear, or may fall, or does not rise.
    Shape,
    /// It may leave the message.
    Place,
}

/// Is what is needed linear in the loop's variable, rising, and inside the message in every iteration?
fn check_linear(
    needed: &Polynomial,
    variable: SymbolId,
    message: &Place,
    lower: &Polynomial,
    trips: &Polynomial,
    in_iteration: &Assumptions,
) -> Result<(), Fault> {
    let (slope, _) = needed.linear_in(variable).filter(|(slope, _)| !slope.is_zero()).ok_or(Fault::Shape)?;
    // Where the loop takes the whole message in equal parts, the length of a part can't be negative: the message's length
    // is its product with the number of iterations, MPI demands that it is not negative, and an iteration is run.
    let takes_equal_parts = || {
        let before = lower.checked_subtract(&Polynomial::constant(1))?;
        let last = before.checked_add(trips)?;
        let at_start = needed.checked_substitute(variable, &before)?;
        let at_end = needed.checked_substitute(variable, &last)?;
        // Where the message's length is not known, parts of negative length lie before it: then nothing of it is read.
        let ends_with_message = message.length.as_ref().is_none_or(|length| at_end == *length);
        Some(at_start.is_zero() && ends_with_message)
    };
    if takes_equal_parts() == Some(true) {
        return Ok(());
    }
    if !is_nonnegative(in_iteration, &slope) {
        return Err(Fault::Shape);
    }
    let is_inside = match &message.length {
        Some(length) => {
            let rest = length.checked_subtract(needed).ok_or(Fault::Place)?;
            is_nonnegative(in_iteration, &rest)
        }
        // The runtime waits for nothing that lies behind the end.
        None => true,
    };
    if is_inside && is_nonnegative(in_iteration, needed) { Ok(()) } else { Err(Fault::Place) }
}

#[cfg(test)]
mod tests;
