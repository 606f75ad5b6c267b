//! What messages name lies in their arrays, and so tells of the variables in its subscripts.
//!
//! `field(:, 0)` and `field(:, n + 1)` are apart but for `n = -1`. Where the same call, or the one that it passes, sends
//! `field(:, n)` of an array whose columns are counted from 0 on, `n` is not negative: a message that is sent or received begins
//! at an element that is there.
//!
//! One that goes to nobody (MPI_PROC_NULL), or has no elements, need not: at the edge of a domain programs name what lies beside
//! their arrays, and no MPI looks at it. So a message tells of a pair of messages only if it is one of them, or has the same peer
//! and the same length as one of them. If it is void, then so is that one, which touches no memory then, and is apart from the
//! other one wherever it is said to lie. Otherwise all these are messages, and what they name is there.
//!
//! Only the last dimension is asked: old programs let a single subscript run through several ones. A last dimension that is
//! declared with extent 1 is not believed. All values that are compared are the same from the earlier of both calls on.

use crate::analysis::Answer;
use crate::analysis::algebra::prover::Assumptions;
use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::facts::SiteId;
use crate::analysis::memory::arrays::bounds_of_last_dimension;
use crate::analysis::memory::effects::{Access, AccessKind};
use crate::analysis::memory::overlap::may_overlap;
use crate::ir::{
    Communication, Direction, Expression, ExpressionKind, Message, Partner, Polynomial, Region, StatementId, Subscript,
    SymbolId,
};
use crate::mutations::Clause;

use super::movement::Surroundings;

/// Two calls, one of which moves past the other one.
#[derive(Clone, Copy)]
pub struct PassedBy {
    /// The call whose post or wait moves.
    pub own: StatementId,
    /// Which of its messages that is for.
    pub direction: Direction,
    /// The call that is passed.
    pub passed: StatementId,
    /// The one of both that comes first.
    pub earlier: StatementId,
}

/// Is the memory of a message, `buffer`, apart from that of the message which the access is one to, by what both calls name?
pub fn are_named_apart(surroundings: Surroundings, passing: PassedBy, buffer: &Region, access: &Access) -> bool {
    if access.statement != passing.passed {
        return false;
    }
    let body = surroundings.body();
    let call = |statement| {
        let site = SiteId { procedure: surroundings.procedure, statement };
        surroundings.facts.communication(site)
    };
    let (Some(own_call), Some(passed_call)) = (call(passing.own), call(passing.passed)) else { return false };
    let own = own_call.message(passing.direction);
    // What is replaced where it lies has one peer for what is sent and another one for what comes.
    let passed = match access.kind {
        AccessKind::Read => passed_call.sent(),
        AccessKind::Write => passed_call.received(),
    };
    let passed = passed.filter(|message| message.buffer.span == access.span);
    let (Some(own), Some(passed)) = (own, passed) else { return false };
    let lasting = Lasting { surroundings, since: passing.earlier };
    let mut named = Assumptions::new();
    for message in both(own_call).chain(both(passed_call)) {
        let is_one_of_them =
            |other: &Message| std::ptr::eq(message, other) || lasting.are_void_together(message, other);
        if is_one_of_them(own) || is_one_of_them(passed) || Clause::MessagesOfNobody.is_off() {
            lasting.facts_of(message).into_iter().for_each(|fact| named.assume_nonnegative(fact));
        }
    }
    may_overlap(body, &access.region, buffer, &named) == Answer::No
}

/// What a call sends and what it receives.
fn both(call: &Communication) -> impl Iterator<Item = &Message> {
    call.sent().into_iter().chain(call.received())
}

/// Values that stay what they are once a statement has begun.
struct Lasting<'a> {
    surroundings: Surroundings<'a>,
    since: StatementId,
}

impl Lasting<'_> {
    /// The value of an expression, if it stays the same.
    fn value(&self, expression: &Expression) -> Option<Polynomial> {
        self.if_lasting(polynomial_of(self.surroundings.body(), expression)?)
    }

    fn if_lasting(&self, value: Polynomial) -> Option<Polynomial> {
        let since = SiteId { procedure: self.surroundings.procedure, statement: self.since };
        let stays = |symbol: SymbolId| self.surroundings.facts.is_settled(since, symbol);
        value.variables().into_iter().all(stays).then_some(value)
    }

    /// Is one of the messages to or from nobody, or without elements, exactly if the other one is?
    fn are_void_together(&self, one: &Message, other: &Message) -> bool {
        let (Partner::Process { peer, .. }, Partner::Process { peer: other_peer, .. }) = (&one.partner, &other.partner)
        else {
            return false;
        };
        let are_equal = |one: &Expression, other: &Expression| {
            let value = self.value(one);
            value.is_some() && value == self.value(other)
        };
        one.condition.is_none()
            && other.condition.is_none()
            && are_equal(peer, other_peer)
            && are_equal(&one.count, &other.count)
    }

    /// What is never negative because the message begins at an element of its array.
    fn facts_of(&self, message: &Message) -> Vec<Polynomial> {
        let datatype = &message.datatype;
        if datatype.predefined.is_none() || datatype.is_longest || message.condition.is_some() || message.is_exchange()
        {
            return Vec::new();
        }
        let (array, last) = match &message.buffer.kind {
            ExpressionKind::Element { array, subscripts } => (*array, subscripts.last()),
            ExpressionKind::Section { array, subscripts } => match subscripts.last() {
                Some(Subscript::Index(index)) => (*array, Some(index)),
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let bounds = bounds_of_last_dimension(self.surroundings.body(), array);
        let (Some(bounds), Some(value)) = (bounds, last.and_then(|last| self.value(last))) else { return Vec::new() };
        if bounds.extent().is_some_and(|extent| extent.as_constant() == Some(1)) {
            return Vec::new();
        }
        let lasting = |bound: Option<Polynomial>| bound.and_then(|bound| self.if_lasting(bound));
        let from_lower = lasting(bounds.lower).and_then(|lower| value.checked_subtract(&lower));
        let to_upper = lasting(bounds.upper).and_then(|upper| upper.checked_subtract(&value));
        from_lower.into_iter().chain(to_upper).collect()
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
