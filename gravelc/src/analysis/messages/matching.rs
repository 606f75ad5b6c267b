//! Match classes: which sends and receives of a program could meet one another (docs/src/compiler/match-classes.md).
//!
//! The two sides of a message run on different processes, so a symbol on one side says nothing about the same symbol on
//! the other: only communicators and tags whose values are the same on every process tell two calls apart. A
//! destination is never compared with a source.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::unionfind::UnionFind;

use crate::ir::{Communication, Expression, Operation, Participation, Partner, ProcedureId, StatementKind};
use crate::mpi::routines::{Action, find, without_profiling};

use crate::mutations::Clause;

use super::super::facts::{Facts, SiteId};
use super::super::program::contents::is_messaging_constant;
use super::super::values::{CommunicatorSource, Value};
use super::followed_requests::is_followed;

/// Which communicator a call uses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommunicatorFact {
    /// One of these (at least one).
    OneOf(BTreeSet<CommunicatorSource>),
    /// Could be any.
    Unknown,
}

impl CommunicatorFact {
    /// The communicators; `None` if they are not known.
    pub fn sources(&self) -> Option<&BTreeSet<CommunicatorSource>> {
        match self {
            Self::OneOf(sources) => Some(sources),
            Self::Unknown => None,
        }
    }

    /// Could the two be the same?
    pub fn may_equal(&self, other: &Self, facts: &Facts) -> bool {
        let (Some(one), Some(other)) = (self.sources(), other.sources()) else {
            return true;
        };
        one.iter().any(|one| other.iter().any(|other| facts.creations().may_be_one(*one, *other)))
    }
}

/// Which tag a call uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TagFact {
    /// The same number on every process.
    Constant(i64),
    /// `MPI_ANY_TAG`.
    Any,
    /// Not known.
    Unknown,
    /// None: an exchange of every process with every other, which meets only such exchanges, in the order of calls.
    AllToAll,
    /// Likewise, of blocks that differ in length: another collective routine, whose calls meet only one another.
    AllToAllInBlocks,
}

impl TagFact {
    fn may_equal(self, other: Self) -> bool {
        match (self, other) {
            (Self::Constant(one), Self::Constant(two)) => one == two,
            (Self::AllToAll, Self::AllToAll) | (Self::AllToAllInBlocks, Self::AllToAllInBlocks) => {
                !Clause::ExchangesMeet.is_off()
            }
            (Self::AllToAll | Self::AllToAllInBlocks, _) | (_, Self::AllToAll | Self::AllToAllInBlocks) => false,
            _ => !Clause::UnknownTags.is_off(),
        }
    }
}

/// A statement that may take part in point-to-point communication, or in exchanges of every process with every other.
#[derive(Debug, Clone)]
pub struct Participant {
    /// The statement.
    pub site: SiteId,
    /// Its communicator.
    pub communicator: CommunicatorFact,
    /// Its tags; any of them may be used.
    pub tags: Vec<TagFact>,
}

impl Participant {
    /// Are the communicators and the tags of the two not proven different?
    pub fn may_meet(&self, other: &Self, facts: &Facts) -> bool {
        let same_tag = self.tags.iter().any(|tag| other.tags.iter().any(|other_tag| tag.may_equal(*other_tag)));
        same_tag && self.communicator.may_equal(&other.communicator, facts)
    }
}

/// The closure of may-match over the statements of a program. The calls that complete operations are in none: they take whatever
/// request they are handed.
#[derive(Debug, Clone)]
pub struct Class {
    /// The members in program order.
    pub members: Vec<SiteId>,
    /// Their communicators, without repetition.
    pub communicators: Vec<CommunicatorFact>,
    /// Their tags, without repetition.
    pub tags: Vec<TagFact>,
}

/// The communicator that an expression designates.
pub fn communicator_fact(facts: &Facts, procedure: ProcedureId, expression: &Expression) -> CommunicatorFact {
    match facts.value(procedure, expression) {
        Value::Communicators(sources) => CommunicatorFact::OneOf(sources),
        Value::Nothing | Value::Integers(_) | Value::Datatypes(_) | Value::ErrorHandlers(_) | Value::Anything => {
            CommunicatorFact::Unknown
        }
    }
}

/// The tags that an expression may give. Negative numbers are no tags: some MPI writes `MPI_ANY_TAG` so.
pub fn tag_facts(facts: &Facts, procedure: ProcedureId, expression: &Expression) -> Vec<TagFact> {
    if is_messaging_constant(facts.procedure(procedure), expression, "mpi_any_tag") {
        return vec![TagFact::Any];
    }
    match facts.value(procedure, expression) {
        Value::Integers(tags) if tags.iter().all(|&tag| tag >= 0) => tags.into_iter().map(TagFact::Constant).collect(),
        Value::Integers(_) => vec![TagFact::Any],
        Value::Nothing | Value::Communicators(_) | Value::Datatypes(_) | Value::ErrorHandlers(_) | Value::Anything => {
            vec![TagFact::Unknown]
        }
    }
}

/// Every statement of the program that may take part in point-to-point communication, in program order. What could not
/// be read, and calls of procedures that were not given, may take part in any way.
pub fn participants(facts: &Facts) -> Vec<Participant> {
    let mut found = Vec::new();
    for (procedure, body) in facts.program.procedures() {
        for id in body.statements_in_order() {
            let statement = body.statement(id);
            let site = SiteId { procedure, statement: id };
            let participation = match &statement.kind {
                StatementKind::Communication(communication) if communication.is_counted_at_callers => None,
                StatementKind::Communication(communication) => of_communication(facts, procedure, communication),
                kind => {
                    let is_counted = matches!(kind, StatementKind::Opaque(_)) || !Clause::UnknownProcedures.is_off();
                    (is_counted && facts.outside().may_communicate(kind)).then(anything)
                }
            };
            if let Some((communicator, tags)) = participation {
                found.push(Participant { site, communicator, tags });
            }
        }
    }
    found
}

fn anything() -> (CommunicatorFact, Vec<TagFact>) {
    (CommunicatorFact::Unknown, vec![TagFact::Unknown, TagFact::AllToAll, TagFact::AllToAllInBlocks])
}

fn of_communication(
    facts: &Facts,
    procedure: ProcedureId,
    communication: &Communication,
) -> Option<(CommunicatorFact, Vec<TagFact>)> {
    if let Some(first) = communication.messages().next() {
        let communicator = communicator_fact(facts, procedure, &first.communicator);
        let mut tags = Vec::new();
        for message in communication.messages() {
            let of_message = tags_of(facts, procedure, &message.partner);
            of_message.into_iter().for_each(|tag| add_once(&mut tags, tag));
        }
        return Some((communicator, tags));
    }
    match &communication.operation {
        // What it starts has been prepared by a call that takes part itself, if that is among the given files.
        Operation::Start { requests, .. } if !facts.is_closed_world() && !is_followed(facts, procedure, requests) => {
            Some((CommunicatorFact::Unknown, vec![TagFact::Unknown]))
        }
        Operation::Other { participation: Participation::AllToAll { communicator, in_blocks }, .. } => {
            let tag = if *in_blocks { TagFact::AllToAllInBlocks } else { TagFact::AllToAll };
            Some((communicator_fact(facts, procedure, communicator), vec![tag]))
        }
        Operation::Other { participation: Participation::May { tags, communicator }, .. } => {
            let communicator = communicator
                .as_ref()
                .map_or(CommunicatorFact::Unknown, |expression| communicator_fact(facts, procedure, expression));
            let tags: Vec<TagFact> = tags.iter().flat_map(|tag| tag_facts(facts, procedure, tag)).collect();
            // One that does not fit its arguments, or a call of the profiling interface.
            let exchange = match find(without_profiling(&communication.routine)).action {
                Action::AllToAll => Some(TagFact::AllToAll),
                Action::AllToAllInBlocks => Some(TagFact::AllToAllInBlocks),
                _ => None,
            };
            let tags = match tags.is_empty() {
                false => tags,
                true => [TagFact::Unknown].into_iter().chain(exchange).collect(),
            };
            Some((communicator, tags))
        }
        Operation::Other { participation: Participation::Probes { partner, communicator, .. }, .. } => {
            Some((communicator_fact(facts, procedure, communicator), tags_of(facts, procedure, partner)))
        }
        Operation::Other { participation: Participation::ReceivesMatched(_), .. } => Some(of_matched(facts)),
        Operation::Other { participation: Participation::CallsBack { procedures }, .. }
            if reach_of_called_back(facts, procedures).is_some() =>
        {
            Some(anything())
        }
        _ => {
            let mut expressions = communication.expressions().into_iter();
            expressions.any(|expression| facts.outside().may_communicate_in(expression)).then(anything)
        }
    }
}

fn tags_of(facts: &Facts, procedure: ProcedureId, partner: &Partner) -> Vec<TagFact> {
    match partner {
        Partner::Process { tag, .. } => tag_facts(facts, procedure, tag),
        Partner::Everyone => vec![TagFact::AllToAll],
        Partner::EveryoneInBlocks { .. } => vec![TagFact::AllToAllInBlocks],
    }
}

/// What a receive of matched messages may be handed: whatever a probe of the program takes; anything, where others than the given
/// files may take one.
fn of_matched(facts: &Facts) -> (CommunicatorFact, Vec<TagFact>) {
    let anything = (CommunicatorFact::Unknown, vec![TagFact::Unknown]);
    if !facts.is_closed_world() {
        return anything;
    }
    let takes = |&site: &SiteId| match &facts.communication(site)?.operation {
        Operation::Other { participation: Participation::Probes { partner, communicator, takes: true }, .. } => {
            let tags = tags_of(facts, site.procedure, partner);
            Some((communicator_fact(facts, site.procedure, communicator), tags))
        }
        _ => None,
    };
    let both = |one: (CommunicatorFact, Vec<TagFact>), other: (CommunicatorFact, Vec<TagFact>)| {
        let communicator = match (one.0, other.0) {
            (CommunicatorFact::OneOf(one), CommunicatorFact::OneOf(other)) => {
                CommunicatorFact::OneOf(one.union(&other).copied().collect())
            }
            _ => CommunicatorFact::Unknown,
        };
        let mut tags = one.1;
        other.1.into_iter().for_each(|tag| add_once(&mut tags, tag));
        (communicator, tags)
    };
    facts.communications().iter().filter_map(takes).reduce(both).unwrap_or(anything)
}

/// What one of the procedures that MPI calls back has to do with others than MPI, which hands it its arguments: it could
/// communicate, or use what a message brings. The text is the end of a sentence that begins with its name.
pub fn reach_of_called_back(facts: &Facts, procedures: &[ProcedureId]) -> Option<(ProcedureId, String)> {
    if Clause::CalledBack.is_off() {
        return None;
    }
    procedures.iter().find_map(|&id| Some((id, facts.summaries().reach_beyond_arguments(id)?)))
}

/// The match classes of the program, ordered by their first member.
pub fn match_classes(facts: &Facts) -> Vec<Class> {
    let participants = participants(facts);
    let mut groups = UnionFind::<usize>::new(participants.len());
    // Most calls are like others: only those that differ are compared.
    let mut different: BTreeMap<(&CommunicatorFact, &[TagFact]), usize> = BTreeMap::new();
    // What a part of a program meets are messages of the runtime, whatever becomes of the other calls of the part.
    let compared = if facts.program.is_part { &[][..] } else { &participants[..] };
    for (index, one) in compared.iter().enumerate() {
        match different.get(&(&one.communicator, one.tags.as_slice())) {
            Some(&alike) if one.may_meet(&participants[alike], facts) => {
                groups.union(alike, index);
                continue;
            }
            _ => {}
        }
        for &other in different.values() {
            if one.may_meet(&participants[other], facts) {
                groups.union(index, other);
            }
        }
        different.insert((&one.communicator, one.tags.as_slice()), index);
    }
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut classes: Vec<Class> = Vec::new();
    for (index, participant) in participants.iter().enumerate() {
        let number = *numbers.entry(groups.find(index)).or_insert(classes.len());
        if number == classes.len() {
            classes.push(Class { members: Vec::new(), communicators: Vec::new(), tags: Vec::new() });
        }
        let class = &mut classes[number];
        class.members.push(participant.site);
        add_once(&mut class.communicators, participant.communicator.clone());
        participant.tags.iter().for_each(|tag| add_once(&mut class.tags, *tag));
    }
    for class in &mut classes {
        class.members.sort();
    }
    classes
}

fn add_once<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
