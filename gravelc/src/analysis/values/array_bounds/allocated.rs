//! The bounds of allocatable arrays.
//!
//! An array has the bounds of the ALLOCATE statement that made it. They are of use where the variables in them still have
//! the values that they had there, so none of these may be written once the array can exist: not later in the run of the
//! procedure that the array belongs to, nor, for an array of a module, later in the run of the program. All that allocates
//! the array must give it the same bounds; an assignment to the whole array must neither change its shape nor bring it to
//! life with other lower bounds (Fortran 2018, 10.2.1.3).

use std::collections::BTreeMap;

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::facts::{Facts, Name, SiteId};
use crate::analysis::memory::arrays::Layouts;
use crate::ir::{
    Allocation, ArrayDimension, Bounds, Callee, ComponentName, Expression, ExpressionKind, Place, Polynomial,
    Procedure, ProcedureId, Span, StatementKind, Storage, Symbol, SymbolClass, SymbolId, TypeCategory,
};
use crate::known_libraries::procedures::memory_use;
use crate::mutations::Clause;

use super::settled::SettledValues;

/// What is one variable under all its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    /// It is one of a module.
    Place(Place),
    /// It is declared here, under this name, and belongs to the procedure around.
    Declaration(Span, String),
    /// It is this component of some object.
    Component(ComponentName),
}

/// A name with the bounds that were found.
pub(super) type Allocated = (Name, Vec<Bounds>);

/// The bounds of allocatable arrays for each of their names.
pub(super) struct AllocatedBounds<'f, 'p> {
    facts: &'f Facts<'p>,
    /// The names of each allocatable array.
    arrays: BTreeMap<Identity, Vec<Name>>,
    /// Per procedure: everything in it is understood.
    clear: Vec<bool>,
    /// What keeps its value for the rest of the run of the program.
    pub settled: SettledValues<'f, 'p>,
}

impl<'f, 'p> AllocatedBounds<'f, 'p> {
    /// Of the program that the facts are about.
    pub fn new(facts: &'f Facts<'p>) -> Self {
        let mut arrays: BTreeMap<Identity, Vec<Name>> = BTreeMap::new();
        for (id, procedure) in facts.program.procedures() {
            for (index, symbol) in procedure.symbols.iter().enumerate().filter(|(_, symbol)| is_allocatable(symbol)) {
                if let Some(identity) = identity(symbol) {
                    arrays.entry(identity).or_default().push((id, SymbolId(index)));
                }
            }
        }
        let is_clear = |procedure: &Procedure| {
            procedure.untouchable.is_none() && !procedure.statements.iter().any(|it| it.kind.is_opaque())
        };
        let clear = facts.program.procedures().map(|(_, procedure)| is_clear(procedure)).collect();
        Self { facts, arrays, clear, settled: SettledValues::new(facts) }
    }

    /// Is all of the program given and understood?
    pub fn is_all_clear(&self) -> bool {
        self.facts.is_closed_world() && self.clear.iter().all(|&is_clear| is_clear)
    }

    /// Every name with the bounds that its array has wherever it may be used; those of components are found by `in_objects`.
    pub fn find(
        &self,
        in_objects: impl Fn(&ComponentName, &[Name]) -> Option<Vec<Allocated>>,
    ) -> BTreeMap<Name, Vec<Bounds>> {
        let mut found: BTreeMap<Name, Vec<Bounds>> = BTreeMap::new();
        for (identity, names) in &self.arrays {
            let bounds = match identity {
                Identity::Component(component) => in_objects(component, names),
                Identity::Place(_) | Identity::Declaration(..) => self.bounds_of(identity, names),
            };
            found.extend(bounds.into_iter().flatten());
        }
        // Each assignment that may change a shape can make others do so.
        loop {
            let changed: Vec<&Vec<Name>> =
                self.arrays.values().filter(|names| self.is_reshaped(names, &found)).collect();
            if changed.is_empty() {
                return found;
            }
            changed.into_iter().flatten().for_each(|name| drop(found.remove(name)));
        }
    }

    pub fn procedure(&self, id: ProcedureId) -> &'p Procedure {
        self.facts.procedure(id)
    }

    fn bounds_of(&self, identity: &Identity, names: &[Name]) -> Option<Vec<Allocated>> {
        let home = self.home(identity, names)?;
        if names.iter().any(|&name| self.is_handed_to_be_allocated(name)) {
            return None;
        }
        let mut common: Option<(ProcedureId, Vec<Bounds>)> = None;
        for (site, dimensions) in names.iter().flat_map(|&name| self.allocations(name)) {
            let bounds = self.lasting_bounds(home, site, dimensions?);
            let bounds = match &common {
                None => bounds,
                Some((procedure, known)) => {
                    let same = self.for_procedure(site.procedure, &bounds, *procedure);
                    if same != *known && !Clause::SameShapes.is_off() {
                        return None;
                    }
                    continue;
                }
            };
            common = Some((site.procedure, bounds));
        }
        let (procedure, bounds) = common?;
        let of_name = |&name: &Name| (name, self.for_procedure(procedure, &bounds, name.0));
        Some(names.iter().map(of_name).filter(|(_, bounds)| bounds.iter().any(is_known)).collect())
    }

    /// The procedure that the array belongs to; `Some(None)` if it belongs to a module. `None` if others could allocate it
    /// in a way that does not show.
    fn home(&self, identity: &Identity, names: &[Name]) -> Option<Option<ProcedureId>> {
        let is_clear = |id: ProcedureId| self.clear[id.0];
        match identity {
            Identity::Component(_) => None,
            Identity::Place(_) => {
                (self.facts.is_closed_world() && names.iter().all(|&(id, _)| is_clear(id))).then_some(None)
            }
            Identity::Declaration(declaration, _) => {
                let is_home = |&(_, procedure): &(ProcedureId, &Procedure)| declaration.is_within(procedure.span);
                let homes = || self.facts.program.procedures().filter(is_home);
                // Procedures that are contained in it see the array too.
                let home = homes().max_by_key(|(_, procedure)| procedure.span.start)?.0;
                let span = self.procedure(home).span;
                let mut around =
                    self.facts.program.procedures().filter(|(_, procedure)| procedure.span.is_within(span));
                let is_dummy = names.iter().any(|&(id, symbol)| self.procedure(id).dummies.contains(&symbol));
                (!is_dummy && around.all(|(id, _)| is_clear(id))).then_some(Some(home))
            }
        }
    }

    /// Where the array comes to life under this name, with its bounds.
    pub fn allocations(&self, (procedure, symbol): Name) -> Vec<(SiteId, Option<&'p [ArrayDimension]>)> {
        let mut found = Vec::new();
        for &statement in self.facts.mentions(procedure, symbol).keys() {
            let StatementKind::Lifetime { allocations, .. } = &self.procedure(procedure).statement(statement).kind
            else {
                continue;
            };
            let site = SiteId { procedure, statement };
            let own = allocations.iter().filter(|allocation: &&Allocation| allocation.array == symbol);
            found.extend(own.map(|allocation| (site, allocation.dimensions.as_deref())));
        }
        found
    }

    /// The bounds that an ALLOCATE statement gives, as far as they are known for as long as the array may exist.
    fn lasting_bounds(&self, home: Option<ProcedureId>, site: SiteId, dimensions: &[ArrayDimension]) -> Vec<Bounds> {
        let procedure = self.procedure(site.procedure);
        let lasting = |bound: &Option<Expression>| {
            let value = polynomial_of(procedure, bound.as_ref()?)?;
            value.variables().into_iter().all(|variable| self.is_settled(home, site, variable)).then_some(value)
        };
        let bounds = |it: &ArrayDimension| Bounds { lower: lasting(&it.lower), upper: lasting(&it.upper) };
        dimensions.iter().map(bounds).collect()
    }

    /// Does the variable keep its value from the statement on, for as long as what it allocates can exist?
    fn is_settled(&self, home: Option<ProcedureId>, site: SiteId, variable: SymbolId) -> bool {
        let procedure = self.procedure(site.procedure);
        let symbol = procedure.symbol(variable);
        let is_elsewhere = matches!(symbol.storage, Storage::Pointer | Storage::Allocatable);
        if is_elsewhere || symbol.volatile || symbol.overlay.is_some() || symbol.storage.common_block().is_some() {
            return false;
        }
        let in_home = home == Some(site.procedure) && self.facts.is_settled(site, variable);
        in_home || self.settled.is_settled_in_program(site, variable)
    }

    /// Bounds of one procedure with the names of another one.
    fn for_procedure(&self, from: ProcedureId, bounds: &[Bounds], to: ProcedureId) -> Vec<Bounds> {
        let value_of = |symbol: SymbolId| {
            if from == to {
                return Some(Polynomial::variable(symbol));
            }
            let identity = identity(self.procedure(from).symbol(symbol))?;
            let symbols = self.procedure(to).symbols.iter();
            let mut same = symbols.enumerate().filter(|(_, other)| is_same(other, &identity));
            same.next().map(|(index, _)| Polynomial::variable(SymbolId(index)))
        };
        let renamed = |bound: &Option<Polynomial>| bound.as_ref()?.checked_replace(&value_of);
        bounds.iter().map(|it| Bounds { lower: renamed(&it.lower), upper: renamed(&it.upper) }).collect()
    }

    /// Is the array handed as a whole to a procedure that could allocate it?
    pub fn is_handed_to_be_allocated(&self, (id, symbol): Name) -> bool {
        let could_allocate = |callee: &Callee, arguments: &[Expression]| {
            let is_it = |argument: &&Expression| argument.kind == ExpressionKind::Symbol(symbol);
            let mut positions = arguments.iter().enumerate().filter(|(_, argument)| is_it(argument));
            positions.any(|(position, _)| match callee {
                Callee::PureIntrinsic(_) => false,
                Callee::Unknown(name) => memory_use(name).is_none() || !self.facts.program.is_external_name(name),
                Callee::Procedure(callee) => {
                    let callee = self.procedure(*callee);
                    let dummy = callee.dummies.get(position).map(|&dummy| callee.symbol(dummy));
                    dummy.is_none_or(|dummy| !matches!(dummy.storage, Storage::Dummy | Storage::Local))
                }
            })
        };
        self.facts.mentions(id, symbol).keys().any(|&statement| {
            let statement = self.procedure(id).statement(statement);
            let is_call = matches!(&statement.kind,
                StatementKind::Call { callee, arguments } if could_allocate(callee, arguments));
            let mut parts = statement.kind.expressions().into_iter().flat_map(Expression::walk);
            is_call
                || parts.any(|part| {
                    matches!(&part.kind,
                        ExpressionKind::Call { callee, arguments } if could_allocate(callee, arguments))
                })
        })
    }

    /// May an assignment to the whole array give it other bounds than those that were found?
    fn is_reshaped(&self, names: &[Name], found: &BTreeMap<Name, Vec<Bounds>>) -> bool {
        names.iter().any(|name| {
            let procedure = self.procedure(name.0);
            found.contains_key(name)
                && self.facts.mentions(name.0, name.1).keys().any(|&it| match &procedure.statement(it).kind {
                    StatementKind::Assign { target, value, may_reallocate: true } => {
                        target.kind == ExpressionKind::Symbol(name.1)
                            && !keeps_bounds(procedure, *name, value, found)
                            && !Clause::SameShapes.is_off()
                    }
                    _ => false,
                })
        })
    }
}

/// Does the array have the bounds that it had (`found`) after the value is assigned to all of it? A scalar leaves them. An
/// array that is not allocated gets those of the value, which are its own only where it is a whole array, for those of any
/// other begin at 1 (Fortran 2018, 10.2.1.3 and 16.9.109).
fn keeps_bounds(procedure: &Procedure, name: Name, value: &Expression, found: &BTreeMap<Name, Vec<Bounds>>) -> bool {
    let begins_at_one = |bounds: &Bounds| bounds.lower.as_ref().and_then(Polynomial::as_constant) == Some(1);
    is_scalar(procedure, value)
        || keeps_extents(procedure, name, value, found)
            && (matches!(value.kind, ExpressionKind::Symbol(_))
                || is_operand(name.1, value)
                || found[&name].iter().all(begins_at_one))
}

/// Is the value computed of scalars alone?
fn is_scalar(procedure: &Procedure, value: &Expression) -> bool {
    match &value.kind {
        ExpressionKind::Integer(_) | ExpressionKind::Logical(_) | ExpressionKind::Literal => true,
        ExpressionKind::Element { .. } => true,
        ExpressionKind::Symbol(symbol) => {
            let symbol = procedure.symbol(*symbol);
            symbol.rank() == 0 && matches!(symbol.class, SymbolClass::Variable | SymbolClass::Constant(_))
        }
        _ => operands(value).is_some_and(|operands| operands.into_iter().all(|it| is_scalar(procedure, it))),
    }
}

/// Is the value computed of scalars and of arrays that are known to have the bounds of the array that it is assigned to?
fn keeps_extents(procedure: &Procedure, name: Name, value: &Expression, found: &BTreeMap<Name, Vec<Bounds>>) -> bool {
    match &value.kind {
        _ if is_scalar(procedure, value) => true,
        ExpressionKind::Symbol(symbol) => {
            let own = &found[&name];
            let declared = Layouts::new(procedure).layout(*symbol);
            let other = found.get(&(name.0, *symbol)).unwrap_or(&declared.bounds);
            procedure.symbol(*symbol).rank() > 0 && own == other && own.iter().all(is_complete)
        }
        _ => operands(value)
            .is_some_and(|operands| operands.into_iter().all(|it| keeps_extents(procedure, name, it, found))),
    }
}

/// Is the array itself one of those that the value is computed of? Then it is allocated, and keeps its bounds with its extents.
fn is_operand(array: SymbolId, value: &Expression) -> bool {
    value.kind == ExpressionKind::Symbol(array)
        || operands(value).is_some_and(|operands| operands.into_iter().any(|it| is_operand(array, it)))
}

/// Of a value that is computed element by element that of which it is.
fn operands(value: &Expression) -> Option<Vec<&Expression>> {
    match &value.kind {
        ExpressionKind::Unary { operand, .. } => Some(vec![&**operand]),
        ExpressionKind::Binary { left, right, .. } => Some(vec![&**left, &**right]),
        ExpressionKind::Call { callee: Callee::PureIntrinsic(function), arguments } => {
            ELEMENTAL.contains(&function.as_str()).then(|| arguments.iter().collect())
        }
        _ => None,
    }
}

/// Intrinsic functions that work on each element by itself (Fortran 2018, 16.9), those that are met most.
const ELEMENTAL: [&str; 24] = [
    "abs", "acos", "aimag", "aint", "anint", "asin", "atan", "atan2", "cmplx", "conjg", "cos", "dble", "exp", "int",
    "log", "log10", "max", "min", "mod", "real", "sign", "sin", "sqrt", "tanh",
];

pub(super) fn is_known(bounds: &Bounds) -> bool {
    bounds.lower.is_some() || bounds.upper.is_some()
}

fn is_complete(bounds: &Bounds) -> bool {
    bounds.lower.is_some() && bounds.upper.is_some()
}

fn is_allocatable(symbol: &Symbol) -> bool {
    let is_of_numbers = matches!(
        symbol.element.category,
        TypeCategory::Integer | TypeCategory::Real | TypeCategory::Complex | TypeCategory::Logical
    );
    symbol.class == SymbolClass::Variable
        && symbol.is_allocatable()
        && symbol.rank() > 0
        && is_of_numbers
        && !symbol.volatile
        && symbol.overlay.is_none()
}

fn identity(symbol: &Symbol) -> Option<Identity> {
    if symbol.class != SymbolClass::Variable || symbol.lent {
        return None;
    }
    if let Storage::Component { name, allocatable: true, .. } = &symbol.storage {
        return Some(Identity::Component(name.clone()));
    }
    match symbol.shared_variable() {
        Some(place) => Some(Identity::Place(place.clone())),
        None => Some(Identity::Declaration(symbol.declaration?, symbol.name.clone())),
    }
}

fn is_same(symbol: &Symbol, known: &Identity) -> bool {
    symbol.is_integer_scalar() && identity(symbol).as_ref() == Some(known)
}
