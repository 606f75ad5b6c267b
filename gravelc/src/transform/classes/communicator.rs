//! Communicators that the runtime is attached to: the world communicator, which it starts on, and those that the program makes,
//! where they are made. Messages on others are MPI's, by the runtime's calls too: so no communicator need be known.
//!
//! `gravel_attach` is collective over the new communicator, so it follows every call that could be the other end of the one that
//! made it, or none of them.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::repeatable::symbols_read_by;
use crate::analysis::messages::matching::Class;
use crate::analysis::values::CommunicatorSource;
use crate::ir::Operation;
use crate::plan::{Reason, ReasonCode};

use super::arguments::argument_obstacle;
use super::untouchable_reason;
use crate::transform::rules::known_calls::{ends_loop, needed_name};

/// Why no call can follow the one that makes a communicator.
fn unattached(facts: &Facts, creation: SiteId) -> Option<Reason> {
    let procedure = facts.procedure(creation.procedure);
    let statement = procedure.statement(creation.statement);
    if let Some(untouchable) = procedure.keeps_calls() {
        return Some(untouchable_reason(untouchable));
    }
    if !procedure.can_be_replaced(creation.statement) || ends_loop(procedure, creation.statement) {
        return Some(Reason::at(ReasonCode::SharedLine, statement.span, "no other statement can follow there"));
    }
    let Operation::CreateCommunicator { created, .. } = &facts.communication(creation)?.operation else { return None };
    if symbols_read_by(procedure, &created.children()).is_none() {
        let why = "its variable can't be named twice";
        return Some(Reason::at(ReasonCode::UnknownCommunicator, statement.span, why));
    }
    argument_obstacle(facts, creation).or_else(|| needed_name(procedure, statement.span))
}

/// The calls that the runtime is attached behind, for classes that convert: those that may make their communicators, with all that
/// may be other ends of these.
pub fn attached_creations<'c>(facts: &Facts, classes: impl Iterator<Item = &'c Class>) -> BTreeSet<SiteId> {
    let mut wanted = BTreeSet::new();
    for fact in classes.flat_map(|class| &class.communicators) {
        match fact.sources() {
            Some(sources) => wanted.extend(sources.iter().filter_map(|source| match source {
                CommunicatorSource::CreatedAt(site) => Some(*site),
                CommunicatorSource::World | CommunicatorSource::OwnProcess => None,
            })),
            None => wanted.extend(facts.creations().sites()),
        }
    }
    let mut found = BTreeSet::new();
    while let Some(site) = wanted.pop_first() {
        let together = facts.creations().made_together(site);
        wanted.retain(|other| !together.contains(other));
        if together.iter().all(|&end| unattached(facts, end).is_none()) {
            found.extend(together);
        }
    }
    found
}
