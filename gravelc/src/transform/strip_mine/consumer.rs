//! strip-mine-consumer: the loop that reads what was received is cut into tiles, and each tile waits only for the part of
//! the message that it needs.
//!
//! Precondition (contract, rules 2, 4, 6, 8): the first statement below the wait that touches the message's memory is a
//! counted loop (`sink_wait/receiving_loop.rs`); what its iterations read of the message grows with the loop's variable from the
//! beginning of the message on, and the loop writes none of it ([`crate::analysis::loops::consumption`]); nothing in the loop has an
//! effect that others can see, calls a procedure, or lets control leave or come in, so that the message is complete
//! before anybody outside could notice that a part of it has been used; the loop carries no floating-point value, and rounds the
//! same in parts ([`super::super::rules::rounding`]). The wait for the whole message follows the loop at once. A loop that is cut for a message that it fills may be cut for one
//! that it reads as well: a tile is put only when it has been computed, which its wait precedes.
//!
//! The receive is posted as one that is told of every segment. Where the message is short, has come already, or comes
//! through memory that both ranks see, the runtime makes one tile of all iterations.

use crate::analysis::facts::SiteId;
use crate::analysis::loops::consumption::{NotConsumed, consumption};
use crate::analysis::loops::production::NotProduced;
use crate::ir::{Direction, Region, StatementId, StatementKind};
use crate::plan::{Reason, ReasonCode, Transformation};
use crate::transform::found::{ConsumerTiles, InLoop};
use crate::transform::rules::footprint::parts_obstacle;
use crate::transform::transformation::{Context, ReceivingLoop};

use super::super::rules::hidden_names::{hidden_counter, hidden_in_tiles};
use super::super::rules::loop_variables::is_read_outside_its_loops;
use super::super::rules::movement::Surroundings;
use super::super::rules::part_lengths::PartLengths;
use super::super::rules::rounding::check_rounding;

/// Each tile of the loop waits for what it reads.
pub(super) fn find(context: &Context, below: &ReceivingLoop) -> Result<InLoop, Reason> {
    let facts = context.facts;
    let posts = below.posts;
    let span = facts.procedure(below.wait.procedure).statement(below.wait.statement).span;
    if posts.iter().any(|post| context.announced.contains(post)) {
        let message = "the messages of its match class are announced by their senders: parts of such messages are not \
                       waited for";
        return Err(Reason::at(ReasonCode::Wildcard, span, message));
    }
    if posts.iter().any(|&post| facts.communication(post).is_some_and(|found| found.prepared().is_some())) {
        let message = "the receive is persistent: it is not told of parts of its messages";
        return Err(Reason::at(ReasonCode::UnsupportedOperation, span, message));
    }
    let mut messages = posts.iter().filter_map(|&post| facts.communication(post)?.described(Direction::Received));
    if let Some(reason) = messages.find_map(|message| parts_obstacle(facts, message)) {
        return Err(reason);
    }
    let surroundings = context.surroundings(below.site.procedure);
    let found = strip_mine_consumer(surroundings, below.site.statement, below.message, posts)?;
    // What could be asked for is named only where it would be applied.
    context.is_enabled(Transformation::StripMineConsumer, below.wait)?;
    Ok(InLoop::Tiles(found))
}

/// How the loop `statement` can be cut for `message`, whose receives are `posts`.
fn strip_mine_consumer(
    surroundings: Surroundings,
    statement: StatementId,
    message: &Region,
    posts: &[SiteId],
) -> Result<ConsumerTiles, Reason> {
    let Surroundings { facts, procedure } = surroundings;
    let found = consumption(facts.program, procedure, statement, message)
        .map_err(|not_consumed| reason_of(surroundings, statement, &not_consumed))?;
    let body = surroundings.body();
    let hidden = hidden_in_tiles(body, statement, &found.needed, found.variable);
    if let Some(reason) = hidden.or_else(|| hidden_counter(body, statement, found.variable)) {
        return Err(reason);
    }
    let any_tile_length = match &surroundings.body().statement(statement).kind {
        StatementKind::Loop(counted) => {
            check_rounding(surroundings, counted)?;
            PartLengths::of(facts, procedure, counted).are_any()
        }
        _ => false,
    };
    Ok(ConsumerTiles {
        variable: found.variable,
        needed: found.needed,
        keeps_variable: is_read_outside_its_loops(surroundings, found.variable),
        any_tile_length,
        posts: posts.to_vec(),
    })
}

fn reason_of(surroundings: Surroundings, statement: StatementId, not_consumed: &NotConsumed) -> Reason {
    let code = match not_consumed {
        NotConsumed::NotCuttable(NotProduced::CarriesFloatingPoint { .. }) => ReasonCode::CarriedFloatingPoint,
        NotConsumed::NotCuttable(
            NotProduced::ExternalEffect { .. } | NotProduced::LeavesLoop { .. } | NotProduced::CallInside { .. },
        ) => ReasonCode::LoopHasEffects,
        _ => ReasonCode::NotConsumedInOrder,
    };
    let span = not_consumed.span().unwrap_or(surroundings.body().statement(statement).span);
    Reason::at(code, span, not_consumed.to_string())
}
