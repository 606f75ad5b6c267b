//! Communicators that the runtime is attached to: the world communicator, which it starts on, and those that the program makes,
//! where they are made. Messages on others are MPI's, by the runtime's calls too: so no communicator need be known.
//!
//! `gravel_attach` is collective over the new communicator, so it follows every call that could be the other end of the one that
//! made it, or none of them.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::matching::{Class, communicator_fact};
use crate::analysis::repeatable::symbols_read_by;
use crate::analysis::values::{CommunicatorSource, Origin};
use crate::ir::{ComponentName, Expression, ExpressionKind, Operation, Procedure, Storage};
use crate::plan::{Reason, ReasonCode};

use super::arguments::argument_obstacle;
use super::{ends_loop, needed_name, untouchable_reason};

/// Why the communicator of an exchange of everyone with everyone can't be used with the runtime, whose calls for exchanges are not
/// MPI's on other communicators.
pub fn communicator_obstacle(facts: &Facts, site: SiteId, communicator: &Expression) -> Option<Reason> {
    let text = facts.program.text(communicator.span);
    let unknown = |message: String| Some(Reason::at(ReasonCode::UnknownCommunicator, communicator.span, message));
    let fact = communicator_fact(facts, site.procedure, communicator);
    let Some(sources) = fact.sources() else {
        return unknown(format!(
            "`{text}` is not known to be MPI_COMM_WORLD{}",
            why_not_followed(facts, site, communicator)
        ));
    };
    sources.iter().find_map(|source| match source {
        CommunicatorSource::World => None,
        CommunicatorSource::OwnProcess => unknown(format!("`{text}` may be MPI_COMM_SELF")),
        CommunicatorSource::CreatedAt(creation) => {
            let at = facts.creations().made_together(*creation);
            at.into_iter().find_map(|end| attach_obstacle(facts, end, communicator))
        }
    })
}

/// What keeps a communicator from being followed, as the end of a sentence.
fn why_not_followed(facts: &Facts, site: SiteId, communicator: &Expression) -> String {
    let procedure = facts.procedure(site.procedure);
    let component = component_of(procedure, communicator);
    let variable = communicator.designated();
    let is_seen_by_others = component.is_some()
        || variable.is_some_and(|id| {
            procedure.dummies.contains(&id) || matches!(procedure.symbol(id).storage, Storage::Global(_))
        });
    let (program, values) = (facts.program, facts.values());
    if let Some(open) = facts.open_world().filter(|_| is_seen_by_others) {
        return format!("; others than the given files could set it ({})", open.describe(program));
    }
    if let Some(origin) = values.origin_of_unknown(program, site.procedure, communicator) {
        let Origin { span, why } = origin;
        let (path, line) = (program.file(span.file).path.display(), program.line(span));
        let because = why.map_or(String::new(), |why| format!(": {why}"));
        let named = component.map_or(String::new(), |it| format!(" (component `{}` of `{}`)", it.name, it.structure));
        return format!("; it may hold{named} what is not known at {path}:{line} (`{}`){because}", program.text(span));
    }
    if let Some(component) = component {
        return format!("; no value of the component `{}` of type `{}` is known", component.name, component.structure);
    }
    let why = variable.and_then(|id| values.why_not_followed(program, site.procedure, id));
    why.map_or(String::new(), |why| format!("; {why}"))
}

/// The component of objects that holds the communicator.
fn component_of<'a>(procedure: &'a Procedure, communicator: &'a Expression) -> Option<&'a ComponentName> {
    if let ExpressionKind::Part { component, .. } = &communicator.kind {
        return component.as_deref();
    }
    match &procedure.symbol(communicator.designated()?).storage {
        Storage::Component { name, .. } => Some(name),
        _ => None,
    }
}

/// Why no call follows the one that makes the communicator of an exchange.
fn attach_obstacle(facts: &Facts, creation: SiteId, communicator: &Expression) -> Option<Reason> {
    let statement = facts.procedure(creation.procedure).statement(creation.statement);
    let line = facts.program.line(statement.span);
    let text = facts.program.text(communicator.span);
    let outside = || {
        let why = "which is not known to be made of MPI_COMM_WORLD, with one group";
        let is_within = facts.creations().is_within_world(creation);
        (!is_within).then(|| Reason::at(ReasonCode::UnknownCommunicator, statement.span, why))
    };
    let Reason { code, message, span } = unattached(facts, creation).or_else(outside)?;
    let message = format!("`{text}` may be the communicator that is made at line {line}: {message}");
    Some(Reason { code, message, span })
}

/// Why no call can follow the one that makes a communicator.
fn unattached(facts: &Facts, creation: SiteId) -> Option<Reason> {
    let procedure = facts.procedure(creation.procedure);
    let statement = procedure.statement(creation.statement);
    if let Some((span, why)) = &procedure.untouchable {
        return Some(untouchable_reason(*span, why));
    }
    if statement.shares_line || ends_loop(procedure, creation.statement) {
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
