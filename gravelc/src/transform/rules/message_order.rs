//! The order of messages: what may be passed by a post that moves up, or by a transfer that is opened early.
//!
//! # Passing posts (contract, rules 1 and 6)
//!
//! When a loop is strip-mined, its message's transfer is opened and its puts are made before statements that stood between
//! the loop and the send. Nothing that others can see may be among these, because the puts would come before it. The post
//! of a non-blocking send or receive that is itself converted is no such thing:
//!
//! - It never blocks, so passing it can't make a process wait for anything it did not wait for before.
//! - What it starts is visible to other processes only as its own message, and nobody can tell when that is on its way.
//!   The puts that come earlier are not visible at all where messages are numbered: they go into a buffer that its
//!   receiver must not look at before its wait, which ends only with the FIN, and the FIN stays where the send was. What is
//!   visible of others is said at [`opening_obstacle`].
//! - It touches no memory but its own buffer, request and error code; the buffers are compared as for any statement.
//!
//! What remains is the order of messages. A message takes its number among those of one receiver, tag and communicator when
//! its transfer is opened, and the receiver's posts take them in this order. Two sends could swap places only if both
//! have the same envelope. So a transfer may be opened above another send only if their tags or destinations are proven
//! different, or if that send's transfer has been opened still earlier: then the order is the program's after all. The
//! same holds for receives, whose place is that of the post. Sends and receives do not compete with one another.
//!
//! Exchanges of every process with every other are numbered by communicator alone: two that may be on one communicator keep
//! their order, and no other message competes with them.
//!
//! Blocking calls are not passed by puts. They end only when another process has done something, which an early put would
//! then precede; and a wait may be what orders the messages of several processes.

use std::collections::BTreeSet;

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::ExternalKind;
use crate::analysis::messages::matching::communicator_fact;
use crate::analysis::messages::requests::posts_completed_at;
use crate::ir::{
    Callee, Communication, Direction, Expression, ExpressionKind, Message, Operation, Partner, ProcedureId,
    StatementId, StatementKind, SymbolClass,
};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::AllMoves;

use super::movement::Surroundings;

/// A place above which an operation must not go because another one, which was passed, stands there now.
#[derive(Debug, Clone)]
pub struct Order {
    /// The other operation stands just before this statement.
    pub not_above: StatementId,
    /// Why the operation stays behind it.
    pub reason: Reason,
}

/// What it means that a message, as it is named by the values that variables have there, goes above a statement.
///
/// Returned as an error: something in the statement must stay before it.
pub type Passing<'f> = &'f dyn Fn(StatementId, &Message) -> Result<Vec<Order>, Reason>;

/// The order of the messages of the classes that convert.
pub struct MessageOrder<'a> {
    /// The answers about the program.
    pub facts: &'a Facts<'a>,
    /// The members of all classes that convert.
    pub converting: &'a BTreeSet<SiteId>,
    /// The members of classes whose messages are announced by their producers.
    pub announced: &'a BTreeSet<SiteId>,
    /// Where the operations are by now.
    pub moves: &'a AllMoves,
}

impl MessageOrder<'_> {
    /// What it means for the order that a message goes above `statement`. The procedure names it so by the values that its
    /// variables have there.
    ///
    /// # Errors
    /// Another message in the statement must stay before it.
    pub fn message_above(
        &self,
        procedure_id: ProcedureId,
        own: &Message,
        direction: Direction,
        statement: StatementId,
    ) -> Result<Vec<Order>, Reason> {
        if Clause::MessageOrder.is_off() {
            return Ok(Vec::new());
        }
        let procedure = self.facts.procedure(procedure_id);
        let mut limits = Vec::new();
        for inner in procedure.with_descendants(statement) {
            let other = SiteId { procedure: procedure_id, statement: inner };
            // Of a part of a program the other calls are the runtime's, too.
            if !self.converting.contains(&other) && !self.facts.program.is_part {
                continue;
            }
            if self.may_start_a_competitor(other, procedure_id, own, direction) {
                let span = procedure.statement(inner).span;
                let line = self.facts.program.line_named(span);
                let text = format!("what line {line} starts could meet the same message and must stay before it");
                return Err(Reason::at(ReasonCode::OrderInBetween, span, text));
            }
            if let Some(reason) = self.probe_obstacle(other, own, direction) {
                return Err(reason);
            }
            let message = self.facts.communication(other).and_then(|found| found.message(direction));
            let Some(message) = message else { continue };
            let are_apart = match self.announced.contains(&other) {
                true => {
                    are_apart_although_announced(self.facts, procedure_id, direction, &own.partner, &message.partner)
                }
                false => are_apart(self.facts, procedure_id, own, message),
            };
            if are_apart || are_other_exchanges(self.facts, procedure_id, own, message) {
                continue;
            }
            let span = procedure.statement(inner).span;
            let line = self.facts.program.line_named(span);
            let text = match direction {
                _ if own.is_exchange() => format!("the exchange at line {line} must stay before it on every process"),
                Direction::Sent => {
                    format!("the send at line {line} could go to the same receive and must stay before it")
                }
                Direction::Received => {
                    format!("the receive at line {line} could take the same message and must stay before it")
                }
            };
            let reason = Reason::at(ReasonCode::OrderInBetween, span, text);
            match self.place_of(other, direction) {
                Some(not_above) if !procedure.with_descendants(statement).contains(&not_above) => {
                    limits.push(Order { not_above, reason });
                }
                _ => return Err(reason),
            }
        }
        Ok(limits)
    }

    /// Why a receive stays behind a probe: it would take the message that the probe is to find.
    fn probe_obstacle(&self, other: SiteId, own: &Message, direction: Direction) -> Option<Reason> {
        let (probed, _) = self.facts.communication(other)?.probed()?;
        let procedure = other.procedure;
        if direction == Direction::Sent
            || are_apart_although_announced(self.facts, procedure, direction, &own.partner, probed)
        {
            return None;
        }
        let span = self.facts.procedure(procedure).statement(other.statement).span;
        let line = self.facts.program.line_named(span);
        let text = format!("the probe at line {line} could find the same message and must stay before it");
        Some(Reason::at(ReasonCode::OrderInBetween, span, text))
    }

    /// May the call start a persistent operation that goes the same way as the message and is not proven to be apart from it?
    /// What was prepared is over values of an earlier time, so only constants count.
    fn may_start_a_competitor(&self, start: SiteId, owner: ProcedureId, own: &Message, direction: Direction) -> bool {
        let starts = |found: &Communication| matches!(found.operation, Operation::Start { .. });
        if !self.facts.communication(start).is_some_and(starts) {
            return false;
        }
        posts_completed_at(self.facts, start).into_iter().any(|prepared| {
            let message = self.facts.communication(prepared).and_then(|found| found.described(direction));
            message.is_some_and(|message| {
                !are_apart_by_constants(self.facts, direction, (owner, own), (prepared.procedure, message))
            })
        })
    }

    /// The statement before which the operation stands now, if it was moved.
    fn place_of(&self, site: SiteId, direction: Direction) -> Option<StatementId> {
        let moves = self.moves.get(&site)?;
        match direction {
            Direction::Sent => Some(moves.strip_mined.as_ref()?.as_ref().ok()?.loop_statement),
            Direction::Received => moves.hoisted.as_ref()?.as_ref().ok()?.before(),
        }
    }

    /// What it means that the transfer of a message is opened, and put into, above `statement`. The procedure names the
    /// message so by the values that its variables have there.
    ///
    /// # Errors
    /// The statement has an effect that others can see, or sends something that must stay before the message.
    pub fn open_above(
        &self,
        procedure: ProcedureId,
        message: &Message,
        statement: StatementId,
    ) -> Result<Vec<Order>, Reason> {
        match self.effect_in(procedure, statement) {
            Some(reason) if !Clause::EffectsBeforePuts.is_off() => Err(reason),
            _ => self.message_above(procedure, message, Direction::Sent, statement),
        }
    }

    /// An effect of the statement, or of one that it holds, that others can see and that is no converted post.
    pub fn effect_in(&self, procedure: ProcedureId, statement: StatementId) -> Option<Reason> {
        let surroundings = Surroundings { facts: self.facts, procedure };
        let inner = surroundings.body().with_descendants(statement);
        inner.into_iter().find_map(|inner| self.visible_effect(surroundings, inner))
    }

    /// An effect that others can see of the statement itself, not of those that it holds, unless it is a converted post.
    fn visible_effect(&self, surroundings: Surroundings, statement: StatementId) -> Option<Reason> {
        let body = surroundings.body();
        let kind = &body.statement(statement).kind;
        if !kind.blocks().is_empty() {
            let is_plain = |part: &Expression| match &part.kind {
                ExpressionKind::Opaque(_) | ExpressionKind::Part { through_pointer: true, .. } => false,
                ExpressionKind::Call { callee, .. } => matches!(callee, Callee::PureIntrinsic(_)),
                _ => part.designated().is_none_or(|symbol| !body.symbol(symbol).volatile),
            };
            let is_quiet = kind.expressions().into_iter().flat_map(Expression::walk).all(is_plain)
                && !matches!(kind, StatementKind::Loop(counted) if body.symbol(counted.variable).volatile);
            return if is_quiet { None } else { surroundings.visible_effect(statement) };
        }
        let site = SiteId { procedure: surroundings.procedure, statement };
        let is_post = self.converting.contains(&site)
            && self.facts.communication(site).is_some_and(|found| found.posted_request().is_some());
        // The call itself comes last among its effects, so its arguments have none where it is the first.
        let external = surroundings.effects(statement).external.as_ref()?;
        if is_post && external.kind == ExternalKind::Communication {
            return None;
        }
        surroundings.visible_effect(statement)
    }
}

/// A transfer that is opened before the loop `statement`, long before its send, where that must not happen before the
/// message has come for which `wait` waits.
///
/// What a process receives before it sends may be what sees to it that something else happens first. A message that is
/// numbered is of no use to its receiver before it has been ended, where its send was. But one that is announced is there for
/// any receive with a wildcard as soon as it is opened, and a block of an exchange has come when the whole of it was put.
/// Two exchanges on one communicator may overlap nevertheless: who has received the second one knows that every process has
/// opened it, and has then sent all of the first.
pub fn opening_obstacle(
    facts: &Facts,
    moves: &AllMoves,
    announced: &BTreeSet<SiteId>,
    wait: SiteId,
    statement: StatementId,
) -> Option<Reason> {
    if Clause::EffectsBehindWait.is_off() {
        return None;
    }
    moves.arrived_at(SiteId { statement, ..wait }).find_map(|(send, moves)| {
        let strip_mined = moves.strip_mined.as_ref()?.as_ref().ok()?;
        if send.procedure != wait.procedure || strip_mined.loop_statement != statement {
            return None;
        }
        let span = facts.procedure(send.procedure).statement(send.statement).span;
        let line = facts.program.line_named(span);
        let message = if announced.contains(&send) {
            format!("the message of the send at line {line} is announced here, which others can see")
        } else if facts.communication(send)?.is_exchange() && !are_in_turn(facts, wait, send) {
            format!("parts of the exchange at line {line} may be received from here on, which others can see")
        } else {
            return None;
        };
        Some(Reason::at(ReasonCode::EffectInBetween, span, message))
    })
}

/// Are both calls exchanges on one communicator, where the other one follows the first?
fn are_in_turn(facts: &Facts, first: SiteId, other: SiteId) -> bool {
    let communicator = |site| {
        let message = facts.communication(site)?.sent().filter(|message| message.is_exchange())?;
        match &message.communicator.kind {
            ExpressionKind::Symbol(symbol) => Some(*symbol),
            _ => None,
        }
    };
    communicator(first).is_some_and(|symbol| {
        let is_constant = facts.procedure(first.procedure).symbol(symbol).class == SymbolClass::MessagingConstant;
        communicator(other) == Some(symbol) && (is_constant || facts.is_settled(first, symbol))
    })
}

/// Are two messages of one process proven to differ in tag, or in destination or source? Whoever asks sees to it that the
/// variables in the arguments of `one` have the same values at both.
fn are_apart(facts: &Facts, procedure: ProcedureId, one: &Message, other: &Message) -> bool {
    let body = facts.procedure(procedure);
    let differ = |one: &Expression, other: &Expression| {
        let constants = (facts.constant_value(procedure, one), facts.constant_value(procedure, other));
        if let (Some(one), Some(other)) = constants {
            return one != other;
        }
        // What does not cancel out would have to be looked at more closely.
        let distance = || polynomial_of(body, one)?.checked_subtract(&polynomial_of(body, other)?)?.as_constant();
        distance().is_some_and(|distance| distance != 0)
    };
    match (&one.partner, &other.partner) {
        (Partner::Process { peer, tag }, Partner::Process { peer: other_peer, tag: other_tag }) => {
            differ(tag, other_tag) || differ(peer, other_peer)
        }
        (Partner::Process { .. }, _) | (_, Partner::Process { .. }) => true,
        // Collective calls keep their order, whichever they are.
        _ => false,
    }
}

/// The same of messages that receives with wildcards may take: two receives may then compete whose sources or tags differ by
/// a number that is not zero, and so may sends whose tags differ. Known numbers are no wildcards.
fn are_apart_although_announced(
    facts: &Facts,
    procedure: ProcedureId,
    direction: Direction,
    one: &Partner,
    other: &Partner,
) -> bool {
    let constant = |expression: &Expression| facts.constant_value(procedure, expression);
    let differ = |one: &Expression, other: &Expression| {
        constant(one).zip(constant(other)).is_some_and(|(one, other)| one >= 0 && other >= 0 && one != other)
    };
    match (one, other) {
        (Partner::Process { peer, tag }, Partner::Process { peer: other_peer, tag: other_tag }) => match direction {
            Direction::Sent => differ(peer, other_peer),
            Direction::Received => differ(peer, other_peer) || differ(tag, other_tag),
        },
        (Partner::Process { .. }, _) | (_, Partner::Process { .. }) => true,
        // Collective calls keep their order, whichever they are.
        _ => false,
    }
}

/// Are two messages proven to differ, whatever procedures and times they are of, and also for receives with wildcards? Known
/// numbers are none.
fn are_apart_by_constants(
    facts: &Facts,
    direction: Direction,
    (one_procedure, one): (ProcedureId, &Message),
    (other_procedure, other): (ProcedureId, &Message),
) -> bool {
    let differ = |one: &Expression, other: &Expression| {
        let one = facts.constant_value(one_procedure, one);
        let other = facts.constant_value(other_procedure, other);
        one.zip(other).is_some_and(|(one, other)| one >= 0 && other >= 0 && one != other)
    };
    match (&one.partner, &other.partner) {
        (Partner::Process { peer, tag }, Partner::Process { peer: other_peer, tag: other_tag }) => match direction {
            // A receive with a wildcard may take messages of both tags.
            Direction::Sent => differ(peer, other_peer),
            Direction::Received => differ(peer, other_peer) || differ(tag, other_tag),
        },
        (Partner::Everyone, Partner::Everyone) => false,
        _ => true,
    }
}

/// Are two exchanges of one process proven to be on different communicators? Then nothing is said about their order.
fn are_other_exchanges(facts: &Facts, procedure: ProcedureId, one: &Message, other: &Message) -> bool {
    let communicator = |message: &Message| communicator_fact(facts, procedure, &message.communicator);
    one.is_exchange() && other.is_exchange() && !communicator(one).may_equal(&communicator(other), facts)
}
