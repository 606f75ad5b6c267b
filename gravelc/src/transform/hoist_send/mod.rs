//! hoist-send: a message leaves as soon as it is complete, as a whole, where the program does something else before it sends it.
//!
//! Precondition (contract, rules 1, 2, 4, 6). On the way up from the send no statement writes the message's memory or changes an
//! argument, control neither leaves nor comes in, and nothing has an effect that others can see: no input or output, and no
//! call that communicates, posts of non-blocking operations included. So what the message's receiver may conclude from its
//! coming has happened before it all the same, and no other message of the process changes places with it. The send may leave
//! the first branch of an IF, once; it is then made under the same condition, whose variables must not change on the way.
//! It never leaves a loop.
//!
//! Waits that were moved down stand on that way, too, though the program has none there: what a receive brings may be what is
//! sent, and it may be what sees to it that something happens before ([`super::rules::arrival`] is for those that move later;
//! this comes behind all of them). The send stays below such a wait.
//!
//! A message that a loop fills leaves tile by tile instead ([`super::strip_mine`]), which is sooner. Synchronous, ready and
//! buffered sends stay: the program means something by the moment at which they are made.
//!
//! The request of a non-blocking send waits in a variable of its own and takes its place in the program's where the send was.

use std::collections::BTreeSet;

use super::found::{EarlySend, Found};
use super::rules::footprint::message_footprint;
use super::rules::late_codes::late_code;
use super::transformation::{Context, Entry, Subject};
use crate::analysis::facts::SiteId;
use crate::ir::{Direction, Operation, SendMode, StatementId};
use crate::mutations::Clause;
use crate::plan::Transformation;
use crate::progress::Phase;

/// In the registry.
pub const ENTRY: Entry =
    Entry { transformation: Transformation::HoistSend, subject: Subject::Call { phase: Phase::Sends, find } };

/// Of a standard send that does not leave its loop tile by tile. Where nothing is gained there is nothing to tell: most sends
/// stand right behind what fills their messages.
fn find(context: &Context, site: SiteId) -> Option<Found> {
    let communication = context.facts.communication(site)?;
    let Operation::Send { mode: SendMode::Standard, .. } = communication.operation else { return None };
    let moves = context.moves.get(&site)?;
    if matches!(moves.strip_mined, Some(Ok(_))) {
        return None;
    }
    context.is_enabled(Transformation::HoistSend, site).ok()?;
    if late_code(context.facts, site).is_some() {
        return None;
    }
    way_up(context, site).map(Found::SentEarly)
}

/// The highest place above work that the send can go to.
fn way_up(context: &Context, site: SiteId) -> Option<EarlySend> {
    let surroundings = context.surroundings(site.procedure);
    let body = surroundings.body();
    let message = context.message(site, Direction::Sent).ok()?;
    let mut footprint = message_footprint(context.facts, site, Direction::Sent).ok()?;
    let waits = MovedWaits::beside(context, site);
    let mut guard = None;
    let mut best = None;
    let mut current = site.statement;
    let (mut block, mut index) = body.siblings(current);
    while surroundings.jump_into(current).is_none() || Clause::ControlStays.is_off() {
        let Some(&previous) = index.checked_sub(1).and_then(|before| block.get(before)) else {
            let Some((branch, symbols)) = surroundings.guard_of(current).filter(|_| guard.is_none()) else { break };
            footprint.values.extend(symbols);
            guard = Some(branch);
            current = branch;
            (block, index) = body.siblings(current);
            continue;
        };
        let stops = surroundings
            .obstacle(previous, &footprint)
            .or_else(|| surroundings.hidden_effect(previous))
            .or_else(|| surroundings.commit_obstacle(previous, message));
        let has_effect = surroundings.visible_effect(previous).is_some() && !Clause::EffectsBehindSend.is_off();
        if stops.is_some() || has_effect || waits.may_stand_at(context, SiteId { statement: previous, ..site }) {
            break;
        }
        current = previous;
        index -= 1;
        let here = SiteId { statement: current, ..site };
        let is_jumped_to = surroundings.jump_into(current).is_some();
        if context.facts.computes(here) && surroundings.has_room_before(current) && !is_jumped_to {
            best = Some(EarlySend { before: current, guard });
        }
    }
    best
}

/// Waits that tell of other processes and have moved down.
struct MovedWaits {
    /// The statements of the send's procedure behind which, or in which, they stand.
    places: BTreeSet<StatementId>,
    /// Some have gone into procedures that are called.
    are_in_callees: bool,
}

impl MovedWaits {
    fn beside(context: &Context, site: SiteId) -> Self {
        let is_own_end = |other: SiteId| {
            let found = context.facts.communication(other);
            found.is_some_and(|found| matches!(found.operation, Operation::Send { mode: SendMode::Standard, .. }))
        };
        let mut found = Self { places: BTreeSet::new(), are_in_callees: false };
        for (other, place) in context.moves.waits().filter(|(other, _)| !is_own_end(*other)) {
            found.are_in_callees |= place.is_in_callee();
            let places = place.statements(other).into_iter().filter(|place| place.procedure == site.procedure);
            found.places.extend(places.map(|place| place.statement));
        }
        found
    }

    /// May one stand behind the statement, or in what it holds or calls?
    fn may_stand_at(&self, context: &Context, site: SiteId) -> bool {
        let inner = context.facts.procedure(site.procedure).with_descendants(site.statement);
        let calls = |&statement: &StatementId| context.facts.calls_procedure(SiteId { statement, ..site });
        let may = inner.iter().any(|id| self.places.contains(id)) || self.are_in_callees && inner.iter().any(calls);
        may && !Clause::WaitsBeforeSend.is_off()
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
