//! What the datatypes may reach that a program makes.
//!
//! The elements of a datatype are told by their distances from the buffer. MPI lets these lead to other variables only within
//! a COMMON block or an object, and to variables anywhere only as addresses, relative to MPI_BOTTOM (MPI 4.0, section 5.1.12). But
//! programs that take the distance between the addresses of two variables work everywhere. So a call that makes a datatype
//! must be seen to have its distances from somewhere else: they are known numbers, or computed of lengths, or of the addresses of
//! parts of one variable.

use std::collections::BTreeSet;

use crate::analysis::algebra::prover::{Assumptions, is_nonnegative};
use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::facts::{Fact, Facts, SiteId};
use crate::analysis::memory::sharing::is_reachable;
use crate::analysis::messages::requests_in_objects::component_named;
use crate::analysis::values::Value;
use crate::ir::{
    Callee, Communication, ConstructorKind, DatatypeConstructor, Expression, ExpressionKind, Operation, ProcedureId,
    Span, StatementId, StatementKind, Storage, SymbolClass, SymbolId,
};
use crate::mpi::properties::Property;
use crate::mpi::routines::without_profiling;
use crate::mutations::Clause;

use super::counts::is_at_least_a_count;
use super::elements::assigned_value;

/// A place to blame, and why, as a sentence without its beginning.
pub type Blame = (Span, String);

/// What any datatype may reach that the given files make.
#[derive(Debug, Default)]
pub struct MadeDatatypes {
    /// The first call that makes one whose elements may lie in other variables than the buffer's.
    pub reaching: Option<Blame>,
    /// The first call that makes one whose elements may lie before the buffer.
    pub backward: Option<Blame>,
}

impl MadeDatatypes {
    /// Looks at all calls that make datatypes.
    pub fn of(facts: &Facts) -> Self {
        let mut found = Self::default();
        for &site in facts.communications() {
            found.reaching = found.reaching.or_else(|| reaching(facts, site));
            found.backward = found.backward.or_else(|| backward(facts, site));
        }
        found
    }
}

/// The call that makes a datatype.
pub(super) fn constructor<'p>(facts: &Facts<'p>, site: SiteId) -> Option<&'p DatatypeConstructor> {
    match &facts.communication(site)?.operation {
        Operation::CreateDatatype { constructor, .. } => Some(constructor),
        _ => None,
    }
}

/// Why elements of what the call makes may lie in other variables than the buffer's.
pub(super) fn reaching(facts: &Facts, site: SiteId) -> Option<Blame> {
    let constructor = constructor(facts, site)?;
    let argument = possible_address(facts, site, constructor)?;
    let text = facts.program.text(argument.span);
    let routine = facts.communication(site).map_or("", |found| &found.routine);
    let why = format!("`{text}`, of which {routine} makes it at line {}, may tell of other variables' addresses", {
        facts.program.line_named(facts.procedure(site.procedure).statement(site.statement).span)
    });
    Some((argument.span, why))
}

/// Why elements of what the call makes may lie before the buffer.
pub(super) fn backward(facts: &Facts, site: SiteId) -> Option<Blame> {
    let constructor = constructor(facts, site)?;
    let argument = backward_argument(facts, site, constructor)?;
    let text = facts.program.text(argument.span);
    let routine = facts.communication(site).map_or("", |found| &found.routine);
    let why = format!(
        "`{text}`, of which {routine} makes it at line {}, may be negative, so that elements would lie before the buffer",
        facts.program.line_named(facts.procedure(site.procedure).statement(site.statement).span)
    );
    Some((argument.span, why))
}

/// The argument that could be the distance to another variable (MPI 4.0, section 5.1.5), of those that count bytes: it is
/// neither a known number nor computed of default integers, and lists of places are made for such distances.
fn possible_address<'c>(facts: &Facts, site: SiteId, constructor: &'c DatatypeConstructor) -> Option<&'c Expression> {
    let is_list = match constructor.kind {
        ConstructorKind::Blocks { in_bytes: true, .. } | ConstructorKind::Structure => true,
        ConstructorKind::Vector { in_bytes: true } | ConstructorKind::Resized => false,
        _ => return None,
    };
    let body = facts.procedure(site.procedure);
    let is_known =
        |argument: &Expression| matches!(facts.value(site.procedure, argument), Value::Integers(_) | Value::Nothing);
    let is_length = |variable: SymbolId| {
        let value = facts.values().of_symbol(facts.program, site.procedure, variable);
        body.symbol(variable).element.bytes == Some(body.dialect().integer_bytes())
            || matches!(value, Value::Integers(_))
    };
    let is_of_lengths = |argument: &Expression| {
        let value = polynomial_of(body, argument)?;
        let of_assigned = |variable: SymbolId| {
            let assigned = assigned_value(facts, site, variable);
            assigned.map_or_else(|| vec![variable], |value| value.variables().into_iter().collect())
        };
        Some(value.variables().into_iter().flat_map(of_assigned).all(is_length))
    };
    let is_within_one = |argument: &Expression| {
        constructor.kind == ConstructorKind::Structure && is_within_one_variable(facts, site, argument)
    };
    let argument = constructor.arguments.get(2)?;
    let is_harmless =
        is_known(argument) || !is_list && is_of_lengths(argument) == Some(true) || is_within_one(argument);
    (!is_harmless && !Clause::DatatypesWithinVariables.is_off()).then_some(argument)
}

/// The argument that could be negative, of those that let elements lie before the beginning if they are.
fn backward_argument<'c>(facts: &Facts, site: SiteId, constructor: &'c DatatypeConstructor) -> Option<&'c Expression> {
    let position = match constructor.kind {
        ConstructorKind::Vector { .. }
        | ConstructorKind::Blocks { .. }
        | ConstructorKind::Resized
        | ConstructorKind::Structure => 2,
        // Counts are not negative, and a part of an array lies inside of it (MPI 4.0, sections 5.1.2 and 5.1.3).
        ConstructorKind::Contiguous | ConstructorKind::Subarray | ConstructorKind::Duplicate => return None,
    };
    let argument = constructor.arguments.get(position)?;
    let is_forward = is_never_negative(facts, site.procedure, argument)
        || is_at_least_a_count(facts, site, argument)
        || Clause::ForwardDatatypes.is_off();
    (!is_forward).then_some(argument)
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

/// Are the distances computed in the procedure alone, of numbers, of the sizes of datatypes, and of the addresses of parts of at
/// most one variable?
fn is_within_one_variable(facts: &Facts, site: SiteId, places: &Expression) -> bool {
    let body = facts.procedure(site.procedure);
    let mut search =
        Computing { facts, procedure: site.procedure, left: Vec::new(), seen: BTreeSet::new(), addressed: None };
    if !search.value(places) {
        return false;
    }
    while let Some(variable) = search.left.pop() {
        let is_own = matches!(body.symbol(variable).storage, Storage::Local | Storage::Static)
            && body.symbol(variable).overlay.is_none()
            && !body.symbol(variable).target
            && !is_reachable(body, variable);
        if !is_own || !facts.writers(site.procedure, variable).iter().all(|&writer| search.written(variable, writer)) {
            return false;
        }
    }
    true
}

/// What distances are computed of.
struct Computing<'f, 'p> {
    facts: &'f Facts<'p>,
    procedure: ProcedureId,
    left: Vec<SymbolId>,
    seen: BTreeSet<SymbolId>,
    /// The variable whose parts have their addresses taken.
    addressed: Option<SymbolId>,
}

impl Computing<'_, '_> {
    /// Takes what the value is computed of; `false` if that may be an address that is not seen to be taken.
    fn value(&mut self, value: &Expression) -> bool {
        let facts = self.facts;
        let body = facts.procedure(self.procedure);
        value.walk().into_iter().all(|part| match &part.kind {
            ExpressionKind::Symbol(id)
            | ExpressionKind::Element { array: id, .. }
            | ExpressionKind::Section { array: id, .. } => match body.symbol(*id).class {
                SymbolClass::Variable => {
                    if self.seen.insert(*id) {
                        self.left.push(*id);
                    }
                    true
                }
                SymbolClass::Constant(_) | SymbolClass::MessagingConstant => true,
                _ => false,
            },
            ExpressionKind::Integer(_)
            | ExpressionKind::Literal
            | ExpressionKind::ArrayConstructor(_)
            | ExpressionKind::Unary { .. }
            | ExpressionKind::Binary { .. } => true,
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } => KEEP_NUMBERS.contains(&name.as_str()),
            _ => false,
        })
    }

    /// Takes what the statement puts into the variable.
    fn written(&mut self, variable: SymbolId, statement: StatementId) -> bool {
        let facts = self.facts;
        match &facts.procedure(self.procedure).statement(statement).kind {
            StatementKind::Assign { target, value, .. } => target.designated() == Some(variable) && self.value(value),
            StatementKind::Communication(found) => self.told(found),
            // What is in them is looked at by itself.
            kind => !kind.blocks().is_empty() && !kind.expressions().iter().any(|it| it.designated() == Some(variable)),
        }
    }

    /// Takes what MPI puts there.
    fn told(&mut self, call: &Communication) -> bool {
        let Operation::Inquiry { reads, .. } = &call.operation else { return false };
        let routine = without_profiling(&call.routine);
        if Property::GivesAddress.holds_of(routine) {
            let holder = reads.first().and_then(|place| self.holder_of(place));
            return holder.is_some_and(|holder| *self.addressed.get_or_insert(holder) == holder);
        }
        Property::TellsSize.holds_of(routine)
    }

    /// The variable that holds the place, if nothing leads to it from there.
    fn holder_of(&self, place: &Expression) -> Option<SymbolId> {
        let body = self.facts.procedure(self.procedure);
        let named = place.designated()?;
        let (symbol, holder) = (body.symbol(named), body.holder_of(named));
        let is_inside = match &place.kind {
            ExpressionKind::Part { component, through_pointer, .. } => {
                let component = component.as_deref().filter(|it| symbol.structure.as_ref() == Some(&it.structure));
                let component = component.and_then(|name| component_named(self.facts.program, name));
                !through_pointer && component.is_some_and(|component| !component.lies_elsewhere())
            }
            _ => named == holder || !symbol.is_allocatable(),
        };
        let is_variable = |id: SymbolId| {
            body.symbol(id).class == SymbolClass::Variable && body.symbol(id).storage != Storage::Pointer
        };
        (is_inside && is_variable(named) && is_variable(holder)).then_some(holder)
    }
}

/// Intrinsic functions that make no addresses.
const KEEP_NUMBERS: &[&str] =
    &["abs", "c_sizeof", "int", "kind", "max", "min", "mod", "size", "sizeof", "storage_size"];

impl Fact for MadeDatatypes {
    fn of(facts: &Facts<'_>) -> Self {
        Self::of(facts)
    }
}

impl Facts<'_> {
    /// What the datatypes may reach that the program makes.
    pub fn made_datatypes(&self) -> &MadeDatatypes {
        self.get()
    }
}
