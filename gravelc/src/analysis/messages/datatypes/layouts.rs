//! Where the elements of a datatype lie that a program makes.
//!
//! The call that makes it says so, over values that variables have there. A message goes by them where these variables still
//! have the same values: in the run of the procedure that makes the datatype and keeps it in a variable of its own, where
//! nothing writes them any more; for variables of modules, in the rest of the run of the program; and where a variable holds
//! one number in the whole program. A procedure that is handed a datatype knows it where all its callers do, in words that
//! mean the same to both.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::algebra::prover::{Assumptions, is_nonnegative};
use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::arrays::Layouts;
use crate::analysis::program::contents::is_messaging_constant;
use crate::analysis::values::array_bounds::{SettledValues, is_fixed};
use crate::analysis::values::{DatatypeSource, Value};
use crate::ir::{
    Bounds, Callee, ConstructorKind, Datatype, DatatypeConstructor, DatatypeLayout, Dimension, ElementType, Expression,
    ExpressionKind, Message, Polynomial, Procedure, ProcedureId, ProcedureKind, StatementId, StatementKind, Storage,
    SymbolId,
};
use crate::mpi::properties::Property;
use crate::mutations::Clause;

use super::elements::{assigned_value, numbers_handed};
use super::made::constructor;

/// Datatypes of datatypes of … and handles that are handed on and on are not followed further back.
const MOST_STEPS: usize = 8;

/// Where the elements of derived datatypes lie, as far as it is asked.
pub struct DatatypeLayouts<'f, 'p>(Search<'f, 'p>);

impl<'f, 'p> DatatypeLayouts<'f, 'p> {
    /// Nothing is found yet.
    pub fn new(facts: &'f Facts<'p>) -> Self {
        Self(Search { facts, settled: SettledValues::new(facts), known: RefCell::default() })
    }

    /// The datatype of a message with where its elements lie; `None` if that is not found.
    pub fn with_layout(&self, procedure: ProcedureId, message: &Message) -> Option<Datatype> {
        let found = self.0.held_by(procedure, &message.datatype.handle, MOST_STEPS)?;
        let mut better = message.datatype.clone();
        let derived = better.derived.as_mut().filter(|derived| derived.element == Some(found.element))?;
        let extents = extents_of_buffer(self.0.facts.procedure(procedure), message);
        let is_proven = |polynomial: &Polynomial| is_nonnegative(&extents, polynomial);
        if !derived.is_forward && !found.nonnegative.iter().all(is_proven) {
            return None;
        }
        derived.is_forward = true;
        derived.layout = Some(found.layout);
        Some(better)
    }
}

/// An array of which something is sent or received has elements.
fn extents_of_buffer(procedure: &Procedure, message: &Message) -> Assumptions {
    let mut assumptions = Assumptions::new();
    let buffer = message.buffer.designated().filter(|&buffer| procedure.symbol(buffer).rank() > 0);
    if let Some(buffer) = buffer {
        let layout = Layouts::new(procedure).layout(buffer);
        for extent in layout.bounds.iter().filter_map(Bounds::extent) {
            assumptions.assume_positive(&extent);
        }
    }
    assumptions
}

/// A datatype with known elements.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    element: ElementType,
    layout: DatatypeLayout,
    /// The layout is right, and nothing lies before the buffer, where none of these is negative.
    nonnegative: Vec<Polynomial>,
}

impl Found {
    fn replaced(&self, value_of: &dyn Fn(&Polynomial) -> Option<Polynomial>) -> Option<Self> {
        Some(Self {
            element: self.element,
            layout: self.layout.replaced(value_of)?,
            nonnegative: self.nonnegative.iter().map(value_of).collect::<Option<_>>()?,
        })
    }
}

struct Search<'f, 'p> {
    facts: &'f Facts<'p>,
    settled: SettledValues<'f, 'p>,
    /// Of each call that makes a datatype, over the values of variables there.
    known: RefCell<BTreeMap<SiteId, Option<Found>>>,
}

impl Search<'_, '_> {
    /// The datatype that the expression stands for wherever the procedure uses it, over values that variables have there.
    fn held_by(&self, procedure: ProcedureId, handle: &Expression, steps: usize) -> Option<Found> {
        let steps = steps.checked_sub(1)?;
        let Value::Datatypes(sources) = self.facts.value(procedure, handle) else { return None };
        let body = self.facts.procedure(procedure);
        if let ExpressionKind::Symbol(dummy) = handle.kind
            && body.dummies.contains(&dummy)
        {
            return self.handed_to(procedure, dummy, &sources, steps);
        }
        let source = sources.first().filter(|_| sources.len() == 1)?;
        match source {
            DatatypeSource::Predefined(element) => Some(predefined(*element)),
            DatatypeSource::CreatedAt(site) => {
                let known = self.known.borrow().get(site).cloned();
                let found = known.unwrap_or_else(|| {
                    let found = self.made_at(*site, steps);
                    self.known.borrow_mut().insert(*site, found.clone());
                    found
                })?;
                found.replaced(&|polynomial| {
                    polynomial
                        .checked_replace(&|variable| self.lasting_value(*site, variable, (procedure, handle), steps))
                })
            }
        }
    }

    /// What all calls of a procedure hand to its dummy argument.
    fn handed_to(
        &self,
        procedure: ProcedureId,
        dummy: SymbolId,
        sources: &BTreeSet<DatatypeSource>,
        steps: usize,
    ) -> Option<Found> {
        let body = self.facts.procedure(procedure);
        let position = body.dummies.iter().position(|&other| other == dummy)?;
        let calls = self.facts.calls_of(procedure);
        if !self.facts.calls_are_known(procedure) {
            return None;
        }
        let mut common: Option<Found> = None;
        let mut handed: BTreeSet<DatatypeSource> = BTreeSet::new();
        for call in calls {
            let StatementKind::Call { callee: Callee::Procedure(_), arguments } =
                &self.facts.procedure(call.procedure).statement(call.statement).kind
            else {
                return None;
            };
            if arguments.len() != body.dummies.len() {
                return None;
            }
            let handle = arguments.get(position)?;
            let Value::Datatypes(at_call) = self.facts.value(call.procedure, handle) else { return None };
            handed.extend(at_call);
            let found = self.held_by(call.procedure, handle, steps)?;
            let in_callee = |variable: SymbolId| self.handed_value(*call, arguments, procedure, variable);
            let found = found.replaced(&|polynomial| polynomial.checked_replace(&in_callee))?;
            if common.as_ref().is_some_and(|common| *common != found) {
                return None;
            }
            common = Some(found);
        }
        // The procedure makes none of them itself, nor remembers one.
        common.filter(|_| handed == *sources && self.is_set_only_at(procedure, dummy, None))
    }

    /// The value of a caller's variable, as a procedure can say it that it calls.
    fn handed_value(
        &self,
        call: SiteId,
        arguments: &[Expression],
        callee: ProcedureId,
        variable: SymbolId,
    ) -> Option<Polynomial> {
        let caller = self.facts.procedure(call.procedure);
        let body = self.facts.procedure(callee);
        let is_it = |argument: &Expression| {
            polynomial_of(caller, argument).is_some_and(|value| value == Polynomial::variable(variable))
        };
        let positions = arguments.iter().enumerate().filter(|(_, argument)| is_it(argument));
        let mut dummies = positions.map(|(position, _)| body.dummies[position]);
        let dummy = dummies.find(|&dummy| is_fixed(self.facts, callee, dummy));
        dummy.map(Polynomial::variable)
    }

    /// The value that a variable has at a statement that makes a datatype, or calls a procedure that does, as `procedure` can say
    /// it wherever it uses the datatype, which it has in `handle`.
    fn lasting_value(
        &self,
        creation: SiteId,
        variable: SymbolId,
        (procedure, handle): (ProcedureId, &Expression),
        steps: usize,
    ) -> Option<Polynomial> {
        let maker = self.facts.procedure(creation.procedure);
        let symbol = maker.symbol(variable);
        let is_elsewhere =
            matches!(symbol.storage, Storage::Pointer | Storage::Allocatable | Storage::Component { .. });
        let is_plain = !is_elsewhere
            && !symbol.volatile
            && symbol.overlay.is_none()
            && !symbol.target
            && symbol.storage.common_block().is_none();
        let is_lasting = is_plain
            && (Clause::LayoutsOfDatatypes.is_off()
                || self.is_of_one_run(creation, procedure, handle)
                    // One that is kept from run to run could be written by another one.
                    && (maker.kind == ProcedureKind::Main || symbol.storage != Storage::Static)
                    && self.facts.is_settled(creation, variable)
                || self.settled.is_settled_in_program(creation, variable));
        if is_lasting && let Some(name) = self.facts.name_in(procedure, creation.procedure, variable) {
            return Some(Polynomial::variable(name));
        }
        let value = self.facts.values().of_symbol(self.facts.program, creation.procedure, variable);
        let number = value.as_integer().map(Polynomial::constant);
        number.or_else(|| self.handed_down(creation.procedure, variable, (procedure, handle), steps))
    }

    /// Likewise of a dummy argument of a procedure that only the main program calls, at one place: where it is called again, it
    /// could give back what it has made before.
    fn handed_down(
        &self,
        maker: ProcedureId,
        dummy: SymbolId,
        user: (ProcedureId, &Expression),
        steps: usize,
    ) -> Option<Polynomial> {
        let steps = steps.checked_sub(1)?;
        let body = self.facts.procedure(maker);
        let position = body.dummies.iter().position(|&other| other == dummy)?;
        let &[call] = self.facts.calls_of(maker) else { return None };
        if !self.facts.calls_are_known(maker) || !is_fixed(self.facts, maker, dummy) {
            return None;
        }
        let caller = self.facts.procedure(call.procedure);
        let StatementKind::Call { callee: Callee::Procedure(_), arguments } = &caller.statement(call.statement).kind
        else {
            return None;
        };
        if caller.kind != ProcedureKind::Main {
            return None;
        }
        let value = polynomial_of(caller, arguments.get(position).filter(|_| arguments.len() == body.dummies.len())?)?;
        value.checked_replace(&|variable| self.lasting_value(call, variable, user, steps))
    }

    /// Does all use of the datatype, which `procedure` has in `handle`, end with the run of the procedure that makes it at
    /// `creation`?
    fn is_of_one_run(&self, creation: SiteId, procedure: ProcedureId, handle: &Expression) -> bool {
        let maker = creation.procedure;
        let body = self.facts.procedure(maker);
        if body.kind == ProcedureKind::Main {
            return true;
        }
        let (ExpressionKind::Symbol(variable) | ExpressionKind::Element { array: variable, .. }) = handle.kind else {
            return false;
        };
        let own = self.facts.name_in(maker, procedure, variable);
        own.is_some_and(|own| {
            body.symbol(own).storage == Storage::Local
                && !body.dummies.contains(&own)
                && self.is_set_only_at(maker, own, Some(creation.statement))
        })
    }

    /// Does nothing in the procedure put a datatype into its variable but this statement? It could be one of an earlier run.
    fn is_set_only_at(&self, procedure: ProcedureId, variable: SymbolId, only: Option<StatementId>) -> bool {
        let body = self.facts.procedure(procedure);
        let leaves = |statement: StatementId| match self.facts.communication(SiteId { procedure, statement }) {
            Some(found) => {
                let ends = [Property::CommitsDatatype, Property::FreesDatatype];
                ends.iter().any(|property| property.holds_of(&found.routine))
            }
            None => false,
        };
        (0..body.statements.len()).map(StatementId).all(|statement| {
            Some(statement) == only
                || leaves(statement)
                || !self.facts.footprint(procedure, statement).may_write(body, variable)
        })
    }

    /// What a call makes, over the values that variables have there.
    fn made_at(&self, site: SiteId, steps: usize) -> Option<Found> {
        let constructor = constructor(self.facts, site)?;
        let old = self.held_by(site.procedure, constructor.old()?, steps)?;
        Making { facts: self.facts, site, constructor, old }.made()
    }
}

fn predefined(element: ElementType) -> Found {
    let one = Polynomial::constant(1);
    let layout = DatatypeLayout { offset: Polynomial::default(), dimensions: Vec::new(), extent: one };
    Found { element, layout, nonnegative: Vec::new() }
}

/// A call that makes a datatype of `old`.
struct Making<'f, 'p> {
    facts: &'f Facts<'p>,
    site: SiteId,
    constructor: &'p DatatypeConstructor,
    old: Found,
}

impl Making<'_, '_> {
    fn made(self) -> Option<Found> {
        match self.constructor.kind {
            ConstructorKind::Duplicate => Some(self.old),
            ConstructorKind::Contiguous => {
                let count = self.argument(0)?;
                let dimension = Dimension { stride: self.old.layout.extent.clone(), count: count.clone() };
                let extent = self.old.layout.extent.checked_multiply(&count)?;
                self.repeated(&[dimension], extent, Vec::new())
            }
            ConstructorKind::Vector { in_bytes } => self.vector(in_bytes),
            ConstructorKind::Subarray => self.subarray(),
            ConstructorKind::Resized => {
                let extent = self.in_elements(&self.argument(2)?)?;
                let layout = DatatypeLayout { extent: extent.clone(), ..self.old.layout };
                Some(Found { layout, nonnegative: [self.old.nonnegative, vec![extent]].concat(), ..self.old })
            }
            ConstructorKind::Blocks { .. } | ConstructorKind::Structure => None,
        }
    }

    fn vector(self, in_bytes: bool) -> Option<Found> {
        let (count, length, stride) = (self.argument(0)?, self.argument(1)?, self.argument(2)?);
        let old_extent = self.old.layout.extent.clone();
        let stride = if in_bytes { self.in_elements(&stride)? } else { stride.checked_multiply(&old_extent)? };
        let before_last = count.checked_subtract(&Polynomial::constant(1))?.checked_multiply(&stride)?;
        let extent = before_last.checked_add(&length.checked_multiply(&old_extent)?)?;
        let blocks = Dimension { stride: stride.clone(), count };
        let block = Dimension { stride: old_extent, count: length };
        self.repeated(&[blocks, block], extent, vec![stride])
    }

    fn subarray(self) -> Option<Found> {
        let rank = usize::try_from(self.argument(0)?.as_constant()?).ok()?;
        let numbers =
            |position: usize| numbers_handed(self.facts, self.site, self.constructor.arguments.get(position)?, rank);
        let (mut sizes, mut lengths, mut starts) = (numbers(1)?, numbers(2)?, numbers(3)?);
        let body = self.facts.procedure(self.site.procedure);
        let order = self.constructor.arguments.get(4)?;
        if is_messaging_constant(body, order, "mpi_order_c") {
            // The last dimension varies fastest.
            [&mut sizes, &mut lengths, &mut starts].into_iter().for_each(|numbers| numbers.reverse());
        } else if !is_messaging_constant(body, order, "mpi_order_fortran") {
            return None;
        }
        let mut stride = self.old.layout.extent.clone();
        let mut offset = Polynomial::default();
        let mut dimensions = Vec::with_capacity(rank);
        for ((size, length), start) in sizes.iter().zip(&lengths).zip(&starts) {
            offset = offset.checked_add(&start.checked_multiply(&stride)?)?;
            dimensions.push(Dimension { stride: stride.clone(), count: length.clone() });
            stride = stride.checked_multiply(size)?;
        }
        let mut found = self.repeated(&dimensions, stride, Vec::new())?;
        found.layout.offset = found.layout.offset.checked_add(&offset)?;
        Some(found)
    }

    /// The old datatype, repeated.
    fn repeated(self, along: &[Dimension], extent: Polynomial, nonnegative: Vec<Polynomial>) -> Option<Found> {
        let one = Polynomial::constant(1);
        let along = along.iter().filter(|dimension| dimension.count != one).cloned();
        let dimensions = along.chain(self.old.layout.dimensions).collect();
        let layout = DatatypeLayout { offset: self.old.layout.offset, dimensions, extent };
        Some(Found { element: self.old.element, layout, nonnegative: [self.old.nonnegative, nonnegative].concat() })
    }

    fn argument(&self, position: usize) -> Option<Polynomial> {
        let argument = self.constructor.arguments.get(position)?;
        let body = self.facts.procedure(self.site.procedure);
        let value = polynomial_of(body, argument)?;
        // The extents of arrays are told by the variables in them, not by others that are computed from these, nor by numbers.
        let computed = |variable: SymbolId| {
            let assigned = assigned_value(self.facts, self.site, variable);
            let assigned = assigned.filter(|value| value.as_constant().is_none());
            Some(assigned.unwrap_or_else(|| Polynomial::variable(variable)))
        };
        value.checked_replace(&computed)
    }

    /// A number of bytes as one of elements.
    fn in_elements(&self, bytes: &Polynomial) -> Option<Polynomial> {
        let bytes_each = i64::from(self.old.element.bytes?);
        let number = |variable: SymbolId| {
            let value = self.facts.values().of_symbol(self.facts.program, self.site.procedure, variable);
            let number = value.as_integer().map(Polynomial::constant);
            Some(number.unwrap_or_else(|| Polynomial::variable(variable)))
        };
        let in_numbers = || bytes.checked_replace(&number)?.exact_division(bytes_each);
        bytes.exact_division(bytes_each).or_else(in_numbers)
    }
}
