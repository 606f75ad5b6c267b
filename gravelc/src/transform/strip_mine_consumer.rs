//! strip-mine-consumer: the loop that reads what was received is cut into tiles, and each tile waits only for the part of
//! the message that it needs.
//!
//! Precondition (contract, rules 2, 4, 6, 8): the first statement below the wait that touches the message's memory is a
//! counted loop ([`super::receiving_loop`]); what its iterations read of the message grows with the loop's variable from the
//! beginning of the message on, and the loop writes none of it ([`crate::analysis::loops::consumption`]); nothing in the loop has an
//! effect that others can see, calls a procedure, or lets control leave or come in, so that the message is complete
//! before anybody outside could notice that a part of it has been used; the loop carries no floating-point value, and rounds the
//! same in parts ([`super::rounding`]). The wait for the whole message follows the loop at once. A loop that is cut for a message that it fills may be cut for one
//! that it reads as well: a tile is put only when it has been computed, which its wait precedes.
//!
//! The receive is posted as one that is told of every segment. Where the message is short, has come already, or comes
//! through memory that both ranks see, the runtime makes one tile of all iterations.

use crate::analysis::facts::SiteId;
use crate::analysis::loops::consumption::{NotConsumed, consumption};
use crate::analysis::loops::production::NotProduced;
use crate::analysis::loops::vectorised::may_be_vectorised;
use crate::ir::{Region, StatementId, StatementKind};
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::ConsumerTiles;

use super::hidden_names::{hidden_in, hidden_symbol};
use super::movement::Surroundings;
use super::rounding::check_rounding;
use super::strip_mine_producer::is_read_outside_its_loops;

/// How the loop `statement` can be cut for `message`, whose receives are `posts`.
pub fn strip_mine_consumer(
    surroundings: Surroundings,
    statement: StatementId,
    message: &Region,
    posts: &[SiteId],
) -> Result<ConsumerTiles, Reason> {
    let Surroundings { facts, procedure } = surroundings;
    let found = consumption(facts.program, procedure, statement, message)
        .map_err(|not_consumed| reason_of(surroundings, statement, &not_consumed))?;
    let body = surroundings.body();
    let hidden = hidden_in(body, statement, [&found.needed]);
    if let Some(reason) = hidden.or_else(|| hidden_symbol(body, statement, found.variable)) {
        return Err(reason);
    }
    let any_tile_length = match &surroundings.body().statement(statement).kind {
        StatementKind::Loop(counted) => {
            check_rounding(surroundings, counted)?;
            !may_be_vectorised(facts, procedure, counted)
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
