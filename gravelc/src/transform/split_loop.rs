//! split-loop: where only the first and the last iterations of a loop need what is received, the others run first, while
//! the message travels (index-set splitting, Gravel paper, section 2.1; Banerjee, "Unimodular transformations", 1990).
//!
//! Precondition (contract, rules 2, 4, 6, 8): the first statement below the wait that touches the message's memory is a
//! counted loop (`sink_wait/receiving_loop.rs`); none of its iterations but so many of the first and of the last ones
//! ([`Depth`]) touches that memory, and no iteration depends on another one ([`crate::analysis::loops::independence`]); nothing in the loop has an effect that
//! others can see, calls a procedure, or lets control leave or come in; it rounds the same in whatever part
//! ([`super::rules::rounding`]). The wait stands between the two parts, and the last iteration stays the last one.
//!
//! Where compilers may vectorise the loop itself, and not only loops inside of it ([`crate::analysis::loops::vectorised`]), the parts
//! are whole vectors, but for the iterations at the end that are none in the loop as it was, either: more of the first and of
//! the last iterations run behind the wait than need the message, and all of them where there are few.
//!
//! Several waits can go into one loop. A loop that is cut into tiles is not split.

use crate::analysis::loops::independence::inside_is_independent;
use crate::ir::{Depth, Program, Region, StatementId, StatementKind};
use crate::plan::{Reason, ReasonCode, Transformation, VECTOR_MULTIPLE};
use crate::transform::found::{Boundary, InLoop};

use super::rules::dependent_iterations::reason_of;
use super::rules::hidden_names::hidden_counter;
use super::rules::loop_variables::{check_default_integers, is_read_outside_its_loops};
use super::rules::movement::Surroundings;
use super::rules::part_lengths::PartLengths;
use super::rules::rounding::check_rounding;
use super::transformation::{Context, Entry, ReceivingLoop, Subject};

/// In the registry.
pub const ENTRY: Entry = Entry { transformation: Transformation::SplitLoop, subject: Subject::Loop(find) };

/// The wait goes between the two parts of the loop.
fn find(context: &Context, below: &ReceivingLoop) -> Result<InLoop, Reason> {
    context.is_enabled(Transformation::SplitLoop, below.wait)?;
    let surroundings = context.surroundings(below.site.procedure);
    split_loop(surroundings, context.facts.program, below.site.statement, below.message).map(InLoop::Boundary)
}

/// How the loop `statement` can be split for `message`. Whether the iterations inside keep off it is asked of `in_one_run`, the
/// program in which values may be numbers that others have in other runs of the procedure.
pub fn split_loop(
    surroundings: Surroundings,
    in_one_run: &Program,
    statement: StatementId,
    message: &Region,
) -> Result<Boundary, Reason> {
    let Surroundings { facts, procedure } = surroundings;
    let found = surroundings.body().statement(statement);
    let StatementKind::Loop(counted) = &found.kind else {
        return Err(Reason::at(ReasonCode::NoConsumingLoop, found.span, "it is not a counted loop"));
    };
    if let Some(reason) = surroundings.hint_above(statement) {
        return Err(reason);
    }
    let body = surroundings.body();
    let is_unread = |id: &StatementId| matches!(body.statement(*id).kind, StatementKind::Opaque(_));
    // What could not be read may look at any variable.
    let any_unread = body.statements_in_order().iter().any(is_unread);
    let is_dead = |symbol| !any_unread && !is_read_outside_its_loops(surroundings, symbol);
    let depth = inside_is_independent((facts.program, in_one_run), procedure, statement, message, &is_dead)
        .map_err(|dependent| reason_of(surroundings, statement, &dependent))?;
    if let Some(reason) = hidden_counter(body, statement, counted.variable) {
        return Err(reason);
    }
    check_default_integers(surroundings, counted)?;
    check_rounding(surroundings, counted)?;
    let lengths = PartLengths::of(facts, procedure, counted);
    let bound = |bound| facts.constant_value(procedure, bound);
    if let (Some(lower), Some(upper)) = (bound(&counted.lower), bound(&counted.upper)) {
        let iterations = upper.saturating_sub(lower).saturating_add(1).max(0);
        if let Some(why) = nothing_inside(iterations, depth, lengths) {
            let message = format!("the loop has {iterations} iterations, {why}");
            return Err(Reason::at(ReasonCode::TooFewIterations, found.span, message));
        }
    }
    Ok(Boundary { depth, keeps_variable: !is_dead(counted.variable), any_part_length: lengths.are_any() })
}

/// Why a loop with so many iterations has none between the ends.
fn nothing_inside(iterations: i64, depth: Depth, lengths: PartLengths) -> Option<String> {
    let Depth { first, last } = depth;
    if lengths.are_any() {
        let why = || format!("and {first} at its beginning and {last} at its end would run behind the wait");
        return (iterations <= depth.iterations()).then(why);
    }
    let why = || {
        format!(
            "and may be vectorised: {VECTOR_MULTIPLE} at its beginning and the rest of the vectors at its end would run behind \
             the wait{}",
            lengths.way_out()
        )
    };
    (iterations - i64::from(last) < 2 * VECTOR_MULTIPLE).then(why)
}
