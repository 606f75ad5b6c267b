//! Sends whose requests the program releases before they are over.
//!
//! MPI goes on reading the message of such a send, and no wait says when that has ended: the program learns it from
//! something else that it receives, an answer for instance (MPI 4.0, 3.7.3). So a receive into the same memory may stand
//! behind that answer for this reason alone, and its post must not be moved above it. Nor may the wait for the answer be moved
//! below anything.

use std::collections::BTreeSet;

use crate::analysis::facts::{Fact, Facts, SiteId};
use crate::analysis::memory::effects::ExternalKind;
use crate::analysis::memory::sharing::may_share_memory;
use crate::analysis::messages::followed_requests::why_not_followed;
use crate::analysis::messages::requests::{RequestVariable, is_null_assignment, named_elements, request_variable};
use crate::ir::{
    Communication, Direction, Expression, ExpressionKind, Operation, Place, ProcedureId, StatementId, StatementKind,
    Storage, Symbol, SymbolId,
};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::movement::Surroundings;

/// Of a call that begins more operations it is not asked which waits complete them.
const MOST_ELEMENTS: i64 = 4096;

/// Why the post of the receive `site` stays where it is: a send that nobody waits for may read its memory.
pub fn released_obstacle(facts: &Facts, site: SiteId) -> Option<Reason> {
    if Clause::ReleasedSends.is_off() {
        return None;
    }
    let buffer = facts.communication(site)?.received()?.buffer.designated()?;
    let (release, sends) = released_early(facts)?;
    let send = sends.iter().copied().find(|&send| {
        let message = facts.communication(send).and_then(|found| found.messages().next());
        let is_known =
            |buffer: &&Expression| !matches!(buffer.kind, ExpressionKind::Part { through_pointer: true, .. });
        let sent = message.map(|message| &message.buffer).filter(is_known).and_then(Expression::designated);
        sent.is_none_or(|sent| may_be_one(facts, (site.procedure, buffer), (send.procedure, sent)))
    })?;
    let line = |site: SiteId| facts.program.line_named(facts.procedure(site.procedure).statement(site.statement).span);
    let name = &facts.procedure(site.procedure).symbol(buffer).name;
    let message = format!(
        "the send at line {} may still read `{name}` when its request has been released, as at line {}",
        line(send),
        line(release)
    );
    let span = facts.procedure(send.procedure).statement(send.statement).span;
    Some(Reason::at(ReasonCode::AccessInBetween, span, message))
}

/// Why the wait of a receive stays where it is: what it receives may tell when a send is over that nobody waits for, and the
/// statements behind it may write what that send still reads.
pub fn told_by_received(facts: &Facts) -> Option<Reason> {
    if Clause::ReleasedSends.is_off() {
        return None;
    }
    let (release, sends) = released_early(facts)?;
    let send = *sends.first()?;
    let span = |site: SiteId| facts.procedure(site.procedure).statement(site.statement).span;
    let message = format!(
        "what is received may tell when the send at line {} is over, whose request is released at line {}",
        facts.program.line_named(span(send)),
        facts.program.line_named(span(release))
    );
    Some(Reason::at(ReasonCode::AccessInBetween, span(send), message))
}

/// The first release of the program, if there is one, and the sends whose requests may be released while they are under way.
fn released_early<'f>(facts: &'f Facts) -> Option<(SiteId, &'f [SiteId])> {
    let (release, sends) = facts.get::<ReleasedEarly>().0.as_ref()?;
    Some((*release, sends))
}

/// [`released_early`], worked out once.
struct ReleasedEarly(Option<(SiteId, Vec<SiteId>)>);

impl Fact for ReleasedEarly {
    fn of(facts: &Facts<'_>) -> Self {
        let calls = |is_wanted: fn(&Communication) -> bool| {
            let sites = facts.communications().iter().copied();
            sites.filter(move |&site| facts.communication(site).is_some_and(is_wanted))
        };
        let release = calls(|found| matches!(found.operation, Operation::Release { .. })).next();
        Self(release.map(|release| {
            let sends = calls(is_send_with_request).filter(|&send| may_be_released_early(facts, send));
            (release, sends.collect())
        }))
    }
}

fn is_send_with_request(communication: &Communication) -> bool {
    match &communication.operation {
        Operation::Send { request, .. } => request.is_some(),
        Operation::Prepare { direction, .. } => *direction == Direction::Sent,
        _ => false,
    }
}

/// May the two names stand for some of the same memory?
fn may_be_one(facts: &Facts, one: (ProcedureId, SymbolId), other: (ProcedureId, SymbolId)) -> bool {
    let body = facts.procedure(one.0);
    if one.0 == other.0 {
        return may_share_memory(body, one.1, other.1);
    }
    let holder = |(procedure, symbol): (ProcedureId, SymbolId)| {
        let body = facts.procedure(procedure);
        (body, body.holder_of(symbol))
    };
    let ((one_body, one), (other_body, other)) = (holder(one), holder(other));
    let (one_symbol, other_symbol) = (one_body.symbol(one), other_body.symbol(other));
    let is_plain = |symbol: &Symbol| !symbol.target && symbol.overlay.is_none() && symbol.storage != Storage::Pointer;
    if !is_plain(one_symbol) || !is_plain(other_symbol) {
        return true;
    }
    match (one_symbol.shared_variable(), other_symbol.shared_variable()) {
        (Some(one), Some(other)) => one == other,
        (one_place, other_place) => {
            // What another procedure can't see may still be handed to it.
            let is_own = |place: Option<&Place>, symbol: &Symbol, is_dummy: bool| {
                place.is_none() && !is_dummy && matches!(symbol.storage, Storage::Local | Storage::Static)
            };
            let one_is_own = is_own(one_place, one_symbol, one_body.dummies.contains(&one));
            let other_is_own = is_own(other_place, other_symbol, other_body.dummies.contains(&other));
            let is_known = |is_own: bool, place: Option<&Place>| is_own || place.is_some();
            !(is_known(one_is_own, one_place) && is_known(other_is_own, other_place))
        }
    }
}

/// May the request of the send be released while the send is under way? Not where nothing but calls of MPI uses the variable,
/// and it is never released, or wherever the send is begun a wait for it follows in the same block.
fn may_be_released_early(facts: &Facts, send: SiteId) -> bool {
    let Some(request) = request_variable(facts, send) else { return true };
    // A handle that others could have copied may be released by another name.
    let may_be_copied = match &request {
        RequestVariable::Own(procedure, name) => {
            let body = facts.procedure(*procedure);
            is_reached_otherwise(body.symbol(*name)) || body.dummies.contains(name)
        }
        RequestVariable::Shared(place) => {
            let symbol = |&(procedure, name): &(ProcedureId, SymbolId)| facts.procedure(procedure).symbol(name);
            facts.shared_names(place).iter().map(symbol).any(is_reached_otherwise)
        }
        RequestVariable::Component(name) => facts.object_obstacle(name).is_some(),
    };
    if may_be_copied || why_not_followed(facts, &request).is_some() {
        return true;
    }
    let mut uses = Vec::new();
    for &(site, _) in request.uses(facts).iter() {
        match facts.communication(site) {
            Some(communication) if matches!(communication.operation, Operation::Other { .. }) => return true,
            Some(communication) => uses.push((site, communication)),
            None if is_null_assignment(facts, site, &request) => {}
            None => return true,
        }
    }
    let is_release = |(_, found): &(SiteId, &Communication)| matches!(found.operation, Operation::Release { .. });
    let begins = |found: &Communication| {
        matches!(found.operation, Operation::Start { .. } | Operation::Send { request: Some(_), .. })
    };
    uses.iter().any(is_release) && uses.iter().any(|&(site, found)| begins(found) && !is_awaited(facts, site))
}

/// Do other names than its own lead to the variable?
fn is_reached_otherwise(symbol: &Symbol) -> bool {
    symbol.target || symbol.overlay.is_some() || symbol.storage == Storage::Pointer
}

/// Is the request named as a variable of the procedure, and not as a part of one that may be another each time?
fn names_all_of_variable(facts: &Facts, site: SiteId) -> bool {
    let request = facts.communication(site).and_then(Communication::request);
    request.is_some_and(|request| !matches!(request.kind, ExpressionKind::Part { .. }))
}

/// Do waits for all that the call begins follow, before anything else could release it?
fn is_awaited(facts: &Facts, site: SiteId) -> bool {
    let surroundings = Surroundings { facts, procedure: site.procedure };
    let body = surroundings.body();
    let own = |site: SiteId| facts.communication(site).and_then(|found| found.request()?.designated());
    let Some(request) = own(site).filter(|_| names_all_of_variable(facts, site)) else { return false };
    let is_scalar = body.symbol(request).rank() == 0;
    // A variable that is no array counts as an element.
    let elements = |site: SiteId| if is_scalar { Some(0..=0) } else { named_elements(facts, site) };
    let Some(begun) = elements(site).filter(|begun| begun.end().saturating_sub(*begun.start()) < MOST_ELEMENTS) else {
        return false;
    };
    let completed = |statement: StatementId| {
        let other = SiteId { statement, ..site };
        let completes = facts.communication(other).is_some_and(|found| found.completed_requests().is_some())
            && own(other) == Some(request)
            && names_all_of_variable(facts, other);
        elements(other).filter(|_| completes)
    };
    let mut pending: BTreeSet<i64> = begun.collect();
    let mut current = site.statement;
    loop {
        let (block, index) = body.siblings(current);
        for &next in &block[index + 1..] {
            if let Some(completed) = completed(next) {
                pending.retain(|element| !completed.contains(element));
                if pending.is_empty() {
                    return true;
                }
            }
            let releases = |id: StatementId| {
                let found = facts.communication(SiteId { statement: id, ..site });
                found.is_some_and(|found| matches!(found.operation, Operation::Release { .. }))
            };
            let calls_others = |id: StatementId| {
                let effects = surroundings.effects(id);
                let is_volatile = effects.external.as_ref().is_some_and(|it| it.kind == ExternalKind::Volatile);
                effects.hidden_external.is_some() || is_volatile
            };
            let inner = body.with_descendants(next);
            if surroundings.effects(next).leaves.is_some()
                || surroundings.jump_into(next).is_some()
                || inner.iter().any(|&id| releases(id) || calls_others(id))
            {
                return false;
            }
        }
        match body.statement(current).parent {
            Some(parent) if matches!(body.statement(parent).kind, StatementKind::If { .. }) => current = parent,
            _ => return false,
        }
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
