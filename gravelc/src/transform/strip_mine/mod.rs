//! A loop that fills a message, or reads one, is cut into tiles: each travels, or is waited for, by itself.

mod consumer;
mod producer;

use super::found::{Found, StripMined};
use super::rules::footprint::{Footprint, message_footprint, parts_obstacle};
use super::rules::late_codes::late_code;
use super::rules::replacement::staying_obstacle;
use super::transformation::{Context, Entry, Subject};
use crate::analysis::facts::SiteId;
use crate::analysis::memory::message::{if_in_step, message_region};
use crate::ir::{Communication, Direction, Message};
use crate::plan::{Reason, ReasonCode, Transformation};
use crate::progress::Phase;

use self::producer::strip_mine_producer;

/// Of loops that fill messages, in the registry.
pub const PRODUCER: Entry =
    Entry { transformation: Transformation::StripMineProducer, subject: Subject::Call { phase: Phase::Loops, find } };

/// Of loops that read messages, in the registry.
pub const CONSUMER: Entry =
    Entry { transformation: Transformation::StripMineConsumer, subject: Subject::Loop(consumer::find) };

/// Of a call that sends.
fn find(context: &Context, site: SiteId) -> Option<Found> {
    context.facts.communication(site)?.sent()?;
    Some(Found::StripMined(strip_mine(context, site)))
}

/// How the loop is cut that fills its message.
fn strip_mine(context: &Context, site: SiteId) -> Result<StripMined, Reason> {
    context.is_enabled(Transformation::StripMineProducer, site)?;
    staying_obstacle(context.facts, site).map_or(Ok(()), Err)?;
    if context.facts.communication(site).is_some_and(Communication::is_buffered_send) {
        let span = context.facts.procedure(site.procedure).statement(site.statement).span;
        return Err(Reason::at(ReasonCode::SendMode, span, "a buffered send is copied as a whole"));
    }
    if !context.facts.procedure(site.procedure).dialect().posts_keep_errors() {
        late_code(context.facts, site).map_or(Ok(()), Err)?;
    }
    let message = context.message(site, Direction::Sent)?;
    // What is put is what the loop has filled, or nothing: then the message leaves as a whole where the send was.
    let in_step = if_in_step(context.facts.procedure(site.procedure), message);
    let message = in_step.as_ref().unwrap_or(message);
    parts_obstacle(context.facts, message).map_or(Ok(()), Err)?;
    // The request is made where the message ends, which is where the send was.
    let footprint = message_footprint(context.facts, site, Direction::Sent)?;
    let footprint =
        match in_step.as_ref().and_then(|it| message_region(context.facts.procedure(site.procedure), it).ok()) {
            Some(buffer) => Footprint { buffer, ..footprint },
            None => footprint,
        };
    let messages = context.message_order();
    let passing = |statement, message: &Message| messages.open_above(site.procedure, message, statement);
    strip_mine_producer(context.surroundings(site.procedure), site.statement, &footprint, message, &passing)
}
