//! hoist-receive: the post of a receive moves up, so that the producer knows early where its data goes.
//!
//! Precondition (contract, rules 1, 2, 4): on the way up no statement touches the buffer or changes an argument, control
//! neither leaves nor comes in, and no other receive that could take the same message is passed, unless that one has been
//! posted still higher up ([`super::rules::message_order`]). Source and tag may be set on the way, where they can be computed
//! above that, too ([`super::rules::early_values`]). The post may leave the first branch of an IF, once; it is then made
//! under the same condition, whose variables must not change on the way, nor be what the message fills: the program evaluates
//! it again behind the post. It never leaves a loop.
//!
//! Where the request of a non-blocking receive is in the way (`nreq = nreq + 1` decides which element of an array it is, or
//! a wait for the array stands above), the post moves without it: the runtime's request waits in a variable of its own,
//! and is stored where the program's own would have been, in the place of the call. That place is reached exactly when the
//! receive was posted: nothing on the way leaves or comes in, and the condition is the same.

mod into_callers;
mod way_up;

use super::found::{Found, Hoisted, Place};
use super::rules::footprint::{Footprint, message_footprint, with_request};
use super::rules::late_codes::late_code;
use super::rules::released_sends::released_obstacle;
use super::rules::replacement::staying_obstacle;
use super::rules::synchronous::{effect_above, stays_in_procedure};
use super::transformation::{Context, Entry, Subject};
use crate::analysis::facts::SiteId;
use crate::ir::{Communication, Direction, Expression, Message, ProcedureKind};
use crate::mutations::Clause;
use crate::plan::{Reason, Transformation};
use crate::progress::Phase;

use self::into_callers::hoist_into_callers;
use self::way_up::hoist_receive;

/// In the registry.
pub const ENTRY: Entry =
    Entry { transformation: Transformation::HoistReceive, subject: Subject::Call { phase: Phase::Posts, find } };

/// Of a call that receives.
fn find(context: &Context, site: SiteId) -> Option<Found> {
    context.facts.communication(site)?.received()?;
    Some(Found::Hoisted(hoist(context, site)))
}

/// Where its post goes.
fn hoist(context: &Context, site: SiteId) -> Result<Hoisted, Reason> {
    context.is_enabled(Transformation::HoistReceive, site)?;
    staying_obstacle(context.facts, site).map_or(Ok(()), Err)?;
    released_obstacle(context.facts, site).map_or(Ok(()), Err)?;
    let posts_for_itself = context.facts.communication(site).is_some_and(|found| found.posted_request().is_some());
    if posts_for_itself || !context.facts.procedure(site.procedure).dialect().posts_keep_errors() {
        late_code(context.facts, site).map_or(Ok(()), Err)?;
    }
    let footprint = message_footprint(context.facts, site, Direction::Received)?;
    let messages = context.message_order();
    let surroundings = context.surroundings(site.procedure);
    let is_told_of = context.synchronous.contains(&site) && !Clause::SynchronousReceives.is_off();
    let told = |statement| is_told_of.then(|| effect_above(&messages, site.procedure, statement)).flatten();
    let order = |statement, message: &Message| match told(statement) {
        Some(reason) => Err(reason),
        None => messages.message_above(site.procedure, message, Direction::Received, statement),
    };
    let message = context.message(site, Direction::Received)?;
    let hoist = |footprint: Footprint, others: &[&Expression]| {
        hoist_receive(surroundings, site.statement, &footprint, message, others, &order)
    };
    let alone = hoist(footprint.clone(), &[]);
    let own = |place| Hoisted { place: Place::Own(place), hands_over_request: false };
    let request = context.facts.communication(site).and_then(|found| found.posted_request());
    let found = match request {
        None => alone.found.map(own),
        Some(request) => {
            let with_request = with_request(context.facts, site.procedure, footprint, request);
            let subscripts = request.children();
            match (alone.found, with_request.and_then(|footprint| hoist(footprint, &subscripts).found)) {
                // Less is in the way of the post alone, so where the places differ, it is further up.
                (Ok(alone), together) if !together.as_ref().is_ok_and(|it| it.before == alone.before) => {
                    Ok(Hoisted { hands_over_request: true, ..own(alone) })
                }
                (_, together) => together.map(own),
            }
        }
    };
    // An exchange has to be left by its own side, too, before anything is gained by the other one.
    let is_exchange = context.facts.communication(site).is_some_and(Communication::is_exchange);
    let is_called = context.facts.procedure(site.procedure).kind != ProcedureKind::Main
        && !is_exchange
        && !context.announced.contains(&site);
    let Some(guard) = alone.beginning.filter(|_| is_called) else {
        return found;
    };
    if is_told_of {
        return found.map_err(|_| stays_in_procedure(context.facts, site));
    }
    match hoist_into_callers(context.facts, &messages, site, guard) {
        Ok(posts) => Ok(Hoisted { place: Place::InCallers(posts), hands_over_request: request.is_some() }),
        Err(reason) => found.map_err(|_| reason),
    }
}
