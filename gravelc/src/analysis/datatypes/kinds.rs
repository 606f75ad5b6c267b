//! What the elements of a datatype are that a program makes.
//!
//! A variable holds what any of its stores may have left there. Each of these must be a predefined datatype, or made by a call
//! whose elements are known in the same way. All must have elements of one type: then a message is made of such elements of
//! its buffer's variable, wherever they lie, and of nothing else.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::prover::{Assumptions, is_nonnegative};
use crate::analysis::symbolic::polynomial_of;
use crate::analysis::values::{DatatypeSource, Origin, Value};
use crate::ir::{
    ConstructorKind, DatatypeConstructor, DerivedDatatype, ElementType, Expression, Operation, ProcedureId, Span,
    StatementKind, SymbolClass, SymbolId,
};
use crate::mutations::Clause;

use super::counts::is_at_least_a_count;
use super::elements::assigned_value;

/// What is known of the datatype that a variable holds.
///
/// # Errors
/// What of it is not known, with the place to blame.
pub(super) fn derived(
    facts: &Facts,
    procedure: ProcedureId,
    handle: &Expression,
) -> Result<DerivedDatatype, (Span, String)> {
    let mut search = Search { facts, seen: BTreeSet::new(), element: None, backward: None };
    search.held_by(procedure, handle)?;
    let element = search.element.ok_or_else(|| (handle.span, "no datatype is stored there".to_owned()))?;
    Ok(DerivedDatatype { element, is_forward: search.backward.is_none(), layout: None })
}

/// Why a message with such a datatype can't be carried, as a sentence without its beginning, and the place to blame.
pub fn why_not_carried(facts: &Facts, procedure: ProcedureId, handle: &Expression) -> (Span, String) {
    let mut search = Search { facts, seen: BTreeSet::new(), element: None, backward: None };
    match search.held_by(procedure, handle) {
        Err(found) => found,
        Ok(()) => search.backward.unwrap_or_else(|| (handle.span, "it is not a predefined datatype".to_owned())),
    }
}

/// The way back through all that makes a datatype.
struct Search<'f, 'p> {
    facts: &'f Facts<'p>,
    seen: BTreeSet<SiteId>,
    element: Option<ElementType>,
    /// The first place where elements may come to lie before the buffer, and why.
    backward: Option<(Span, String)>,
}

impl Search<'_, '_> {
    fn held_by(&mut self, procedure: ProcedureId, handle: &Expression) -> Result<(), (Span, String)> {
        let sources = match self.facts.value(procedure, handle) {
            Value::Datatypes(sources) => sources,
            Value::Nothing => return Ok(()),
            Value::Integers(_) | Value::Communicators(_) | Value::Anything => {
                return Err((handle.span, self.unknown(procedure, handle)));
            }
        };
        for source in sources {
            match source {
                DatatypeSource::Predefined(element) => self.has_elements((procedure, handle), element)?,
                // What is made again from what it was made into adds nothing new.
                DatatypeSource::CreatedAt(site) if !self.seen.insert(site) => {}
                DatatypeSource::CreatedAt(site) => self.made_at(site)?,
            }
        }
        Ok(())
    }

    fn has_elements(
        &mut self,
        (procedure, handle): (ProcedureId, &Expression),
        element: ElementType,
    ) -> Result<(), (Span, String)> {
        if *self.element.get_or_insert(element) == element {
            return Ok(());
        }
        let line = self.facts.program.line(handle.span);
        let stored = self.constants_stored(procedure, handle);
        let places = if stored.is_empty() { String::new() } else { format!(": {}", stored.join(", ")) };
        Err((handle.span, format!("at line {line} it may be made of elements of another type than elsewhere{places}")))
    }

    /// The predefined datatypes that assignments store in the variable, each with its place, as words.
    fn constants_stored(&self, procedure: ProcedureId, handle: &Expression) -> Vec<String> {
        let program = self.facts.program;
        let names = handle.designated().map_or_else(Vec::new, |variable| self.facts.names_of(procedure, variable));
        let mut found = Vec::new();
        for (owner, name) in names {
            let body = self.facts.procedure(owner);
            for &statement in self.facts.mentions(owner, name).keys() {
                let StatementKind::Assign { target, value, .. } = &body.statement(statement).kind else { continue };
                let is_datatype = value.designated().map(|id| body.symbol(id)).is_some_and(|constant| {
                    constant.class == SymbolClass::MessagingConstant && constant.element.bytes.is_some()
                });
                if target.designated() == Some(name) && is_datatype {
                    let path = program.file(value.span.file).path.display();
                    found.push(format!("`{}` at {path}:{}", program.text(value.span), program.line(value.span)));
                }
            }
        }
        found
    }

    fn made_at(&mut self, site: SiteId) -> Result<(), (Span, String)> {
        let body = self.facts.procedure(site.procedure);
        let span = body.statement(site.statement).span;
        let routine = self.facts.communication(site).map_or("", |found| &found.routine);
        let line = self.facts.program.line(span);
        let Some(constructor) = constructor(self.facts, site) else {
            return Err((span, format!("what {routine} makes at line {line} is not known")));
        };
        if constructor.kind == ConstructorKind::Structure {
            return Err((span, format!("it is made at line {line} by {routine}, of whatever lies at some distance")));
        }
        let Some(old) = constructor.old() else {
            return Err((span, format!("what {routine} makes at line {line} is not known")));
        };
        if let Some(argument) = self.possible_address(site, constructor) {
            let text = self.facts.program.text(argument.span);
            let why =
                format!("`{text}`, of which {routine} makes it at line {line}, may tell of other variables' addresses");
            return Err((argument.span, why));
        }
        if self.backward.is_none()
            && let Some(argument) = self.backward_argument(site, constructor)
        {
            let text = self.facts.program.text(argument.span);
            let why = format!(
                "`{text}`, of which {routine} makes it at line {line}, may be negative, so that elements would lie before \
                 the buffer"
            );
            self.backward = Some((argument.span, why));
        }
        self.held_by(site.procedure, old)
    }

    /// The argument that could be the distance to another variable (MPI 4.0, section 5.1.5), of those that count bytes: it is
    /// neither a known number nor computed of default integers, and lists of places are made for such distances.
    fn possible_address<'c>(&self, site: SiteId, constructor: &'c DatatypeConstructor) -> Option<&'c Expression> {
        let is_list = match constructor.kind {
            ConstructorKind::Blocks { in_bytes: true, .. } => true,
            ConstructorKind::Vector { in_bytes: true } | ConstructorKind::Resized => false,
            _ => return None,
        };
        let body = self.facts.procedure(site.procedure);
        let is_known = |argument: &Expression| {
            matches!(self.facts.value(site.procedure, argument), Value::Integers(_) | Value::Nothing)
        };
        let is_length = |variable: SymbolId| {
            let value = self.facts.values().of_symbol(self.facts.program, site.procedure, variable);
            body.symbol(variable).element.bytes == Some(4) || matches!(value, Value::Integers(_))
        };
        let is_of_lengths = |argument: &Expression| {
            let value = polynomial_of(body, argument)?;
            let of_assigned = |variable: SymbolId| {
                let assigned = assigned_value(self.facts, site, variable);
                assigned.map_or_else(|| vec![variable], |value| value.variables().into_iter().collect())
            };
            Some(value.variables().into_iter().flat_map(of_assigned).all(is_length))
        };
        let argument = constructor.arguments.get(2)?;
        (!is_known(argument) && (is_list || is_of_lengths(argument) != Some(true))).then_some(argument)
    }

    /// The argument that could be negative, of those that let elements lie before the beginning if they are.
    fn backward_argument<'c>(&self, site: SiteId, constructor: &'c DatatypeConstructor) -> Option<&'c Expression> {
        let position = match constructor.kind {
            ConstructorKind::Vector { .. } | ConstructorKind::Blocks { .. } | ConstructorKind::Resized => 2,
            // Counts are not negative, and a part of an array lies inside of it (MPI 4.0, sections 5.1.2 and 5.1.3).
            ConstructorKind::Contiguous
            | ConstructorKind::Subarray
            | ConstructorKind::Duplicate
            | ConstructorKind::Structure => return None,
        };
        let argument = constructor.arguments.get(position)?;
        let is_forward = is_never_negative(self.facts, site.procedure, argument)
            || is_at_least_a_count(self.facts, site, argument)
            || Clause::ForwardDatatypes.is_off();
        (!is_forward).then_some(argument)
    }

    /// What keeps a datatype from being followed.
    fn unknown(&self, procedure: ProcedureId, handle: &Expression) -> String {
        let (program, values) = (self.facts.program, self.facts.values());
        let text = program.text(handle.span);
        let variable = handle.designated();
        let why_not = variable.and_then(|id| values.why_not_followed(program, procedure, id));
        if let Some(Origin { span, why }) = values.origin_of_unknown(program, procedure, handle) {
            let (path, line) = (program.file(span.file).path.display(), program.line(span));
            let because = why.map_or(String::new(), |why| format!(": {why}"));
            return format!("`{text}` may hold what is not known at {path}:{line} (`{}`){because}", program.text(span));
        }
        match (why_not, self.facts.open_world()) {
            (Some(why), _) => format!("what `{text}` holds is not followed; {why}"),
            (None, Some(open)) => {
                format!("others than the given files could set `{text}` ({})", open.describe(program))
            }
            (None, None) => format!("what `{text}` holds is not known"),
        }
    }
}

/// The call that makes a datatype.
pub(super) fn constructor<'p>(facts: &Facts<'p>, site: SiteId) -> Option<&'p DatatypeConstructor> {
    match &facts.communication(site)?.operation {
        Operation::CreateDatatype { constructor, .. } => Some(constructor),
        _ => None,
    }
}

/// Is the number, or each in the array, known not to be negative, whatever else is?
fn is_never_negative(facts: &Facts, procedure: ProcedureId, number: &Expression) -> bool {
    let body = facts.procedure(procedure);
    let by_value = match facts.value(procedure, number) {
        Value::Integers(numbers) => numbers.iter().all(|&number| number >= 0),
        _ => false,
    };
    by_value || polynomial_of(body, number).is_some_and(|value| is_nonnegative(&Assumptions::new(), &value))
}
