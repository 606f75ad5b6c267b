//! hoist-receive, across a call: a receive at the beginning of a procedure is posted by those who call it.
//!
//! Precondition (contract, rules 1, 2, 4, 7), besides that of [`super::way_up`], which has brought the post up to the
//! first statement of its procedure: it is executed whenever the procedure is called (or whenever the condition of one IF
//! holds), before anything that touches its buffer or changes its arguments.
//!
//! - All calls of the procedure are known ([`Facts::calls_are_known`]), and each is a CALL statement. Each gets a post of its own; so a
//!   post is made exactly as often as the receive is reached.
//! - The caller can say what the message is ([`callers_view`]), and its buffer is plain memory of one variable there, too,
//!   which the call hands over without a copy. An argument that loses what it holds at the call (INTENT(OUT)) is none.
//! - What the call's other arguments are computed from is not what the message fills: they are evaluated behind the post.
//! - Nor is what the procedure's declarations evaluate when it begins.
//! - From the place of the post to the call the same holds as within a procedure. Calls of procedures that communicate are
//!   not passed, so between post and receive nobody else can post it, whoever is active how often. (A procedure that calls
//!   itself directly could pass its own receive, and stays as it is.)
//!
//! The request is made in a variable that the procedure and its callers see: one of the procedure's module, else one in a
//! COMMON block of its own. Where the post can't go further up than the call, it stands just before it; there has to be one
//! call at least of which it does better.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::message::message_region;
use crate::analysis::memory::repeatable::{symbols_read_by, values_needed};
use crate::analysis::memory::sharing::may_share_memory;
use crate::analysis::messages::callers_view::callers_view;
use crate::ir::{Direction, Expression, ExpressionKind, Message, Region, StatementId, StatementKind, SymbolId};
use crate::mutations::Clause;
use crate::passes::argument_forms::misfit_of_message;
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::{EarlyPost, EarlyValues, OwnPlace};

use super::super::rules::footprint::{Footprint, conflicts_of};
use super::super::rules::hidden_names::hidden_name;
use super::super::rules::known_calls::{call_obstacle, calls_around};
use super::super::rules::message_order::MessageOrder;
use super::super::rules::movement::Surroundings;
use super::way_up::hoist_receive;

/// The posts of the receive `site`, one for each call of its procedure; `guard` is the IF statement whose condition it is
/// made under.
///
/// # Errors
/// Why the callers can't post it, or gain nothing by that.
pub fn hoist_into_callers(
    facts: &Facts,
    messages: &MessageOrder,
    site: SiteId,
    guard: Option<StatementId>,
) -> Result<Vec<EarlyPost>, Reason> {
    let callee = facts.procedure(site.procedure);
    let span = callee.statement(site.statement).span;
    let refused = |message: String| Err(Reason::at(ReasonCode::CallersInTheWay, span, message));
    let name = &callee.name;
    let mut posts = Vec::new();
    let calls = calls_around(facts, site, ("post", "above"))?;
    check_declarations(facts, site)?;
    for &call in calls {
        match early_post(facts, messages, call, site, guard) {
            Ok(post) => posts.push(post),
            Err(_) if Clause::CallersTogether.is_off() => {}
            Err(reason) => return Err(reason),
        }
    }
    if posts.iter().any(|post| post.above.is_some()) {
        return Ok(posts);
    }
    refused(format!(
        "there is no work above it in `{name}`, nor above the calls of `{name}` that it could be posted over"
    ))
}

/// The post for one call.
fn early_post(
    facts: &Facts,
    messages: &MessageOrder,
    call: SiteId,
    receive: SiteId,
    inner_guard: Option<StatementId>,
) -> Result<EarlyPost, Reason> {
    let surroundings = Surroundings { facts, procedure: call.procedure };
    let caller = surroundings.body();
    let statement = caller.statement(call.statement);
    let line = facts.program.line_named(statement.span);
    let refused = |message: String| Reason::at(ReasonCode::CallersInTheWay, statement.span, message);
    if let Some(reason) = call_obstacle(facts, call, receive.procedure) {
        return Err(reason);
    }
    if let Some(reason) = surroundings.jump_into(call.statement) {
        return Err(reason);
    }
    let StatementKind::Call { arguments, .. } = &statement.kind else {
        return Err(refused(format!("line {line} does not call it by a CALL statement")));
    };
    let unsaid = || refused(format!("what it receives can't be said at the call at line {line}"));
    let view = callers_view(facts.program, call, receive, inner_guard).ok_or_else(unsaid)?;
    let said = view.message.expressions().into_iter().chain(&view.condition);
    if let Some(reason) = hidden_name(caller, call.statement, said) {
        return Err(reason);
    }
    if let Some(misfit) = misfit_of_message(facts.program, caller, &view.message) {
        return Err(refused(format!("at the call at line {line} {}", misfit.why)));
    }
    let region =
        message_region(caller, &view.message).map_err(|why| refused(format!("at the call at line {line} {why}")))?;
    check_arguments(surroundings, call.statement, arguments, &region)?;
    let mut said = view.message.values();
    said.extend(view.message.buffer.children());
    said.extend(&view.condition);
    let values = symbols_read_by(caller, &said).ok_or_else(unsaid)?;
    let footprint =
        Footprint { buffer: region.clone(), conflicts: conflicts_of(Direction::Received), values, outputs: Vec::new() };
    let order =
        |passed, message: &Message| messages.message_above(call.procedure, message, Direction::Received, passed);
    let condition: Vec<&Expression> = view.condition.iter().collect();
    let way = hoist_receive(surroundings, call.statement, &footprint, &view.message, &condition, &order);
    Ok(match way.found.ok() {
        Some(OwnPlace { before, guard, above, needed, early }) => {
            EarlyPost { call, before, guard, inner_guard, above: Some(above), region, needed, early }
        }
        None => {
            let (needed, early) = (footprint.fixed_values(), EarlyValues::default());
            EarlyPost { call, before: call.statement, guard: None, inner_guard, above: None, region, needed, early }
        }
    })
}

/// What the declarations of the receive's procedure evaluate (bounds of automatic arrays, lengths of strings) is evaluated behind the
/// post: none of it may be computed from what the message fills.
fn check_declarations(facts: &Facts, receive: SiteId) -> Result<(), Reason> {
    let body = facts.procedure(receive.procedure);
    let received = facts.communication(receive).and_then(|found| found.described(Direction::Received));
    let buffer = received.and_then(|message| message.buffer.designated());
    let evaluated: Vec<&Expression> = body.evaluated_at_entry.iter().collect();
    let is_filled = |symbol: SymbolId| buffer.is_none_or(|buffer| may_share_memory(body, symbol, buffer));
    let is_apart = match values_needed(facts, receive.procedure, &evaluated) {
        Ok(symbols) => !symbols.into_iter().any(is_filled),
        Err(_) => false,
    };
    if is_apart || Clause::BeginningsAndEnds.is_off() {
        return Ok(());
    }
    let name = &body.name;
    let message = format!("what the declarations of `{name}` evaluate when it begins may look at what it receives");
    Err(Reason::at(ReasonCode::CallersInTheWay, body.statement(receive.statement).span, message))
}

/// The arguments of the call are evaluated behind the post: none may be computed from what the message fills, nor be a copy
/// that is made of it, nor have an effect.
fn check_arguments(
    surroundings: Surroundings,
    call: StatementId,
    arguments: &[Expression],
    region: &Region,
) -> Result<(), Reason> {
    let body = surroundings.body();
    let line = surroundings.line(call);
    for argument in arguments {
        // What is handed over where it lies is not looked at by the call itself.
        let evaluated: Vec<&Expression> = match &argument.kind {
            ExpressionKind::Symbol(id) if !body.symbol(*id).may_be_strided => Vec::new(),
            ExpressionKind::Element { array, .. } if !body.symbol(*array).may_be_strided => argument.children(),
            _ => vec![argument],
        };
        let Some(symbols) = symbols_read_by(body, &evaluated) else {
            let message =
                format!("an argument of the call at line {line} calls a function, or could not be understood");
            return Err(Reason::at(ReasonCode::CallersInTheWay, argument.span, message));
        };
        let is_filled = |symbol: &SymbolId| may_share_memory(body, *symbol, region.symbol);
        if symbols.iter().any(is_filled) && !Clause::ArgumentsBeforeCall.is_off() {
            let name = &body.symbol(region.symbol).name;
            let message = format!("an argument of the call at line {line} is computed from `{name}`, which it fills");
            return Err(Reason::at(ReasonCode::CallersInTheWay, argument.span, message));
        }
    }
    Ok(())
}
