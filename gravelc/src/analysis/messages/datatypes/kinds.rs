//! What the elements of a datatype are that a program makes.
//!
//! A variable holds what any of its stores may have left there. Each of these must be a predefined datatype, or made by a call
//! whose elements are known in the same way. If all have elements of one type, a message is made of such elements of
//! its buffer's variable, wherever they lie, and of nothing else. If they have elements of several types, or if what the variable
//! holds is not known at all, a message may be any part of its buffer's variable, for no datatype that the program makes, or
//! none that it may hold, reaches others ([`super::made`]).

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::values::{DatatypeSource, Origin, Value, is_no_datatype};
use crate::ir::{DerivedDatatype, ElementType, Expression, Message, ProcedureId};
use crate::mutations::Clause;

use super::beside::lies_beside_others;
use super::made::{Blame, backward, constructor, reaching};

/// What is known of the datatype of a message.
///
/// # Errors
/// What of it is not known, with the place to blame.
pub(super) fn derived(facts: &Facts, procedure: ProcedureId, message: &Message) -> Result<DerivedDatatype, Blame> {
    let handle = &message.datatype.handle;
    let mut search = Search::new(facts);
    search.held_by(procedure, handle)?;
    let element = match search.elements {
        Elements::None => return Err((handle.span, "no datatype is stored there".to_owned())),
        Elements::Of(element) => Some(element),
        Elements::Any => None,
    };
    if let Some(buffer) = message.buffer.designated()
        && let Some(why) = lies_beside_others(facts, procedure, buffer)
    {
        return Err((message.buffer.span, why));
    }
    Ok(DerivedDatatype { element, is_forward: search.backward.is_none(), layout: None })
}

/// Why the elements of a message may lie in other variables than its buffer's, or before the buffer, as a sentence without its
/// beginning, and the place to blame.
pub fn why_not_within_its_variable(facts: &Facts, procedure: ProcedureId, message: &Message) -> Blame {
    if let Err(found) = derived(facts, procedure, message) {
        return found;
    }
    let handle = &message.datatype.handle;
    let mut search = Search::new(facts);
    let found = search.held_by(procedure, handle).err().or(search.backward);
    found.unwrap_or_else(|| (handle.span, "it is not a predefined datatype".to_owned()))
}

/// What the elements of all are that a variable may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Elements {
    /// Nothing was found that is stored there.
    None,
    /// They are of one type.
    Of(ElementType),
    /// They may be of any type.
    Any,
}

impl Elements {
    fn or(self, element: ElementType) -> Self {
        match self {
            Self::None => Self::Of(element),
            Self::Of(other) if other == element => self,
            Self::Of(_) | Self::Any => Self::Any,
        }
    }
}

/// The way back through all that makes a datatype.
struct Search<'f, 'p> {
    facts: &'f Facts<'p>,
    seen: BTreeSet<SiteId>,
    elements: Elements,
    /// The first place where elements may come to lie before the buffer, and why.
    backward: Option<Blame>,
}

impl<'f, 'p> Search<'f, 'p> {
    fn new(facts: &'f Facts<'p>) -> Self {
        Self { facts, seen: BTreeSet::new(), elements: Elements::None, backward: None }
    }

    fn held_by(&mut self, procedure: ProcedureId, handle: &Expression) -> Result<(), Blame> {
        let sources = match self.facts.value(procedure, handle) {
            Value::Datatypes(sources) => sources,
            Value::Nothing => return Ok(()),
            Value::Integers(numbers) if numbers.iter().all(is_no_datatype) => return Ok(()),
            Value::Integers(_) | Value::Communicators(_) | Value::ErrorHandlers(_) | Value::Anything => {
                return self.any_that_is_made(procedure, handle);
            }
        };
        for source in sources {
            match source {
                DatatypeSource::Predefined(element) => self.elements = self.elements.or(element),
                // What is made again from what it was made into adds nothing new.
                DatatypeSource::CreatedAt(site) if !self.seen.insert(site) => {}
                DatatypeSource::CreatedAt(site) => self.made_at(site)?,
            }
        }
        Ok(())
    }

    /// What is not known may be any datatype that the program makes, all of which has to be given.
    fn any_that_is_made(&mut self, procedure: ProcedureId, handle: &Expression) -> Result<(), Blame> {
        let made = self.facts.made_datatypes();
        let because = |(span, why): &Blame| (*span, format!("{}; {why}", self.unknown(procedure, handle)));
        let open = self.facts.open_world().filter(|_| !Clause::DatatypesWithinVariables.is_off());
        if let Some(open) = open {
            let why = format!("what was not given may make datatypes ({})", open.describe(self.facts.program));
            return Err(because(&(handle.span, why)));
        }
        if let Some(blame) = &made.reaching {
            return Err(because(blame));
        }
        let backward = made.backward.as_ref().map(because);
        self.elements = Elements::Any;
        self.backward = self.backward.take().or(backward);
        Ok(())
    }

    fn made_at(&mut self, site: SiteId) -> Result<(), Blame> {
        let body = self.facts.procedure(site.procedure);
        let span = body.statement(site.statement).span;
        let Some(old) = constructor(self.facts, site).and_then(|constructor| constructor.old()) else {
            let routine = self.facts.communication(site).map_or("", |found| &found.routine);
            let line = self.facts.program.line_named(span);
            return Err((span, format!("what {routine} makes at line {line} is not known")));
        };
        if let Some(blame) = reaching(self.facts, site) {
            return Err(blame);
        }
        if self.backward.is_none() {
            self.backward = backward(self.facts, site);
        }
        self.held_by(site.procedure, old)
    }

    /// What keeps a datatype from being followed.
    fn unknown(&self, procedure: ProcedureId, handle: &Expression) -> String {
        let (program, values) = (self.facts.program, self.facts.values());
        let text = program.text(handle.span);
        let variable = handle.designated();
        let why_not = variable.and_then(|id| values.why_not_followed(program, procedure, id));
        if let Some(Origin { span, why }) = values.origin_of_unknown(program, procedure, handle) {
            let (path, line) = (program.path_of(span).display(), program.line(span));
            let because = why.map_or(String::new(), |why| format!(": {why}"));
            return format!("`{text}` may hold what is not known at {path}:{line} (`{}`){because}", program.text(span));
        }
        match (why_not, self.facts.open_world()) {
            (Some(why), _) => format!("what `{text}` holds is not followed; {why}"),
            (None, Some(_)) => format!("others than the given files could set `{text}`"),
            (None, None) => format!("what `{text}` holds is not known"),
        }
    }
}
