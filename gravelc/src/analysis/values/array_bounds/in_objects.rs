//! The bounds of allocatable components, over other components of the same object.
//!
//! Of a type whose objects are made in a few places, each component has bounds that can be said for all objects:
//! `allocate (this%values(0:this%rows + 1))`, after `this%rows = rows`, means `0:rows + 1` wherever the component of any
//! object is used, with the `rows` of that object. That is so if
//!
//! - all that allocates the component says the same, with constant lower bounds (else a copy of an object of the same shape
//!   could keep its own);
//! - the components in the bounds are declared by the same type, so that a copy of an object has them too, and get values
//!   only right before such an ALLOCATE statement, with nothing in between that could use the array or leave: where the
//!   array existed already, the statement ends the program; or only before all of these in the run of the program;
//! - an assignment to the array as a whole does not change its shape.
//!
//! Where a procedure may change a component of the bounds ([`super::changing_procedures`]), they are not known in all of it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::allocated::{Allocated, AllocatedBounds, is_known};
use super::changing_procedures::ChangingProcedures;
use super::order_in_program::is_over_in_program;
use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::facts::{Facts, Name, SiteId};
use crate::analysis::memory::sharing::may_share_memory;
use crate::analysis::values::{Source, Stores, Target};
use crate::ir::{
    ArrayDimension, Bounds, Callee, ComponentName, Expression, ExpressionKind, Polynomial, Procedure, ProcedureId,
    Program, StatementId, StatementKind, Storage, SymbolId,
};
use crate::mutations::Clause;

/// A component of the object gets this value, before the object's arrays come to life.
struct Setting<'p> {
    component: SymbolId,
    value: &'p Expression,
    statement: StatementId,
}

/// The bounds of allocatable components.
pub(super) struct BoundsInObjects<'a, 'p> {
    facts: &'a Facts<'p>,
    allocated: &'a AllocatedBounds<'a, 'p>,
    /// What is stored to each variable and each component of the program.
    stores: OnceCell<BTreeMap<Target, Vec<Source<'p>>>>,
    /// The components that are not only met as symbols.
    parts: OnceCell<BTreeSet<ComponentName>>,
    changing: ChangingProcedures<'p>,
}

impl<'a, 'p> BoundsInObjects<'a, 'p> {
    /// Of the program that these facts are about.
    pub fn new(facts: &'a Facts<'p>, allocated: &'a AllocatedBounds<'a, 'p>) -> Self {
        let changing = ChangingProcedures::new(facts.program);
        Self { facts, allocated, stores: OnceCell::new(), parts: OnceCell::new(), changing }
    }

    fn procedure(&self, id: ProcedureId) -> &'p Procedure {
        self.facts.procedure(id)
    }

    /// The bounds of the component under each of its names.
    pub fn bounds_of(&self, component: &ComponentName, names: &[Name]) -> Option<Vec<Allocated>> {
        let parts = || components_in_parts(self.facts.program);
        if !self.allocated.is_all_clear() || self.parts.get_or_init(parts).contains(component) {
            return None;
        }
        if names.iter().any(|&name| self.allocated.is_handed_to_be_allocated(name)) {
            return None;
        }
        let mut common: Option<(Name, Vec<Bounds>)> = None;
        let (mut sites, mut settings) = (Vec::new(), Vec::new());
        for &name in names {
            for (site, dimensions) in self.allocated.allocations(name) {
                let procedure = self.procedure(site.procedure);
                if !ends_the_program_if_it_fails(procedure, site.statement) {
                    return None;
                }
                let before = settings_before(procedure, site.statement, name.1);
                let bounds = self.over_components(name, site.statement, dimensions?, &before)?;
                match &common {
                    None => common = Some((name, bounds)),
                    Some((other, known)) => {
                        if self.in_object(name, &bounds, *other) != *known && !Clause::SameShapes.is_off() {
                            return None;
                        }
                    }
                }
                sites.push(site);
                settings.extend(before.into_iter().map(|setting| std::ptr::from_ref(setting.value)));
            }
        }
        let (first, bounds) = common?;
        let used: BTreeSet<SymbolId> = bounds
            .iter()
            .flat_map(|it| [&it.lower, &it.upper])
            .flatten()
            .flat_map(|bound| bound.variables().into_iter())
            .collect();
        let procedure = self.procedure(first.0);
        if !used.iter().all(|&it| self.gets_values_before(component_name(procedure, it), &sites, &settings)) {
            return None;
        }
        let of_name = |&name: &Name| (name, self.unchanged(name.0, self.in_object(first, &bounds, name)));
        let found: Vec<Allocated> =
            names.iter().map(of_name).filter(|(_, bounds)| bounds.iter().any(is_known)).collect();
        self.keep_their_shape(names, &found).then_some(found)
    }

    /// The bounds of an ALLOCATE statement over components of the object that its array belongs to; `None` if a lower bound
    /// is not constant.
    fn over_components(
        &self,
        (id, array): Name,
        allocate: StatementId,
        dimensions: &[ArrayDimension],
        settings: &[Setting],
    ) -> Option<Vec<Bounds>> {
        let procedure = self.procedure(id);
        let structure = &component_name(procedure, array)?.structure;
        let holder = procedure.holder_of(array);
        let is_usable = |symbol: SymbolId| {
            let symbol_of = procedure.symbol(symbol);
            symbol_of.is_integer_scalar()
                && !symbol_of.volatile
                && procedure.holder_of(symbol) == holder
                && component_name(procedure, symbol).is_some_and(|name| name.structure == *structure)
        };
        let value_of = |symbol: SymbolId| {
            let component = if symbol_is_component(procedure, symbol) {
                symbol
            } else {
                component_with_value_of(procedure, symbol, allocate, settings)?
            };
            is_usable(component).then(|| Polynomial::variable(component))
        };
        let mut found = Vec::new();
        for it in dimensions {
            let lower = polynomial_of(procedure, it.lower.as_ref()?)?;
            let upper = it.upper.as_ref().and_then(|upper| polynomial_of(procedure, upper)?.checked_replace(&value_of));
            lower.as_constant()?;
            found.push(Bounds { lower: Some(lower), upper });
        }
        Some(found)
    }

    /// Bounds over components of one name's object in words of another one, as far as its procedure has these.
    fn in_object(&self, (from, of): Name, bounds: &[Bounds], (to, array): Name) -> Vec<Bounds> {
        let (from_body, body) = (self.procedure(from), self.procedure(to));
        let holder = body.holder_of(array);
        let value_of = |symbol: SymbolId| {
            let wanted = component_name(from_body, symbol)?;
            let is_it = |&other: &SymbolId| {
                component_name(body, other) == Some(wanted)
                    && body.holder_of(other) == holder
                    && body.symbol(other).is_integer_scalar()
            };
            let own = ((from, of) == (to, array)).then_some(symbol);
            own.or_else(|| (0..body.symbols.len()).map(SymbolId).find(is_it)).map(Polynomial::variable)
        };
        let renamed = |bound: &Option<Polynomial>| bound.as_ref()?.checked_replace(&value_of);
        bounds.iter().map(|it| Bounds { lower: renamed(&it.lower), upper: renamed(&it.upper) }).collect()
    }

    /// Of these bounds those of which the procedure changes nothing.
    fn unchanged(&self, procedure: ProcedureId, bounds: Vec<Bounds>) -> Vec<Bounds> {
        let is_unchanged = |bound: &Polynomial| {
            bound.variables().into_iter().all(|variable| self.is_never_written(procedure, variable))
        };
        let kept = |bound: Option<Polynomial>| bound.filter(is_unchanged);
        bounds.into_iter().map(|it| Bounds { lower: kept(it.lower), upper: kept(it.upper) }).collect()
    }

    fn is_never_written(&self, procedure: ProcedureId, symbol: SymbolId) -> bool {
        let by_name = || component_name(self.procedure(procedure), symbol);
        Clause::SettledValues.is_off()
            || self.allocated.settled.writers(procedure, symbol).is_empty()
            || by_name().is_some_and(|component| !self.changing.may_change(procedure, component))
    }

    /// Does a component of a type get values only in these settings, or before all of these statements run?
    fn gets_values_before(
        &self,
        component: Option<&ComponentName>,
        sites: &[SiteId],
        settings: &[*const Expression],
    ) -> bool {
        let Some(component) = component else { return false };
        let stores = self
            .stores
            .get_or_init(|| Stores::of(self.facts).into_sources())
            .get(&Target::Component(component.clone()));
        let is_before = |source: &Source| match *source {
            // Before the first statement runs, no array exists.
            Source::Number(_) => true,
            Source::Expression(procedure, value) => {
                settings.contains(&std::ptr::from_ref(value))
                    || self.statement_that_stores(procedure, value).is_some_and(|statement| {
                        let earlier = SiteId { procedure, statement };
                        sites.iter().all(|&site| is_over_in_program(self.facts, earlier, site))
                    })
            }
            _ => false,
        };
        Clause::SettledValues.is_off() || stores.into_iter().flatten().all(is_before)
    }

    fn statement_that_stores(&self, procedure: ProcedureId, stored: &Expression) -> Option<StatementId> {
        let is_it = |statement: &StatementId| {
            let kind = &self.procedure(procedure).statement(*statement).kind;
            matches!(kind, StatementKind::Assign { value, .. } if std::ptr::eq(value, stored))
        };
        (0..self.procedure(procedure).statements.len()).map(StatementId).find(is_it)
    }

    /// Where a name has no bounds, nothing but a single value must be assigned to all of the array. Where it has some, others
    /// look after that.
    fn keep_their_shape(&self, names: &[Name], found: &[Allocated]) -> bool {
        let has_bounds = |name: &&Name| found.iter().any(|(other, _)| other == *name);
        let mut others = names.iter().filter(|name| !has_bounds(name));
        Clause::SameShapes.is_off()
            || others.all(|&(id, array)| {
                let procedure = self.procedure(id);
                self.facts.mentions(id, array).keys().all(|&it| match &procedure.statement(it).kind {
                    StatementKind::Assign { target, value, may_reallocate: true } => {
                        target.kind != ExpressionKind::Symbol(array) || is_single(procedure, value)
                    }
                    _ => true,
                })
            })
    }
}

/// Of components that are symbols the name.
fn component_name(procedure: &Procedure, symbol: SymbolId) -> Option<&ComponentName> {
    match &procedure.symbol(symbol).storage {
        Storage::Component { name, .. } => Some(name),
        _ => None,
    }
}

fn symbol_is_component(procedure: &Procedure, symbol: SymbolId) -> bool {
    component_name(procedure, symbol).is_some()
}

/// The components that some expression reaches otherwise than as symbols: of elements of arrays, behind pointers.
fn components_in_parts(program: &Program) -> BTreeSet<ComponentName> {
    let statements = program.procedures().flat_map(|(_, procedure)| &procedure.statements);
    let parts = statements.flat_map(|it| it.kind.expressions()).flat_map(Expression::walk);
    let component = |part: &Expression| match &part.kind {
        ExpressionKind::Part { component, .. } => component.as_deref().cloned(),
        _ => None,
    };
    parts.filter_map(component).collect()
}

/// Does an ALLOCATE statement that can't be carried out end the program (it has no `stat=`)?
fn ends_the_program_if_it_fails(procedure: &Procedure, allocate: StatementId) -> bool {
    let StatementKind::Lifetime { variables, allocations, .. } = &procedure.statement(allocate).kind else {
        return false;
    };
    let is_allocated = |variable: &Expression| {
        let it = variable.designated();
        allocations.iter().any(|allocation| Some(allocation.array) == it)
    };
    variables.iter().all(is_allocated)
}

/// What components of the array's object get in the statements right before the ALLOCATE statement, in order. Nothing there
/// leaves, calls a procedure of the program, or changes the object as a whole.
fn settings_before(procedure: &Procedure, allocate: StatementId, array: SymbolId) -> Vec<Setting<'_>> {
    let holder = procedure.holder_of(array);
    let (block, position) = procedure.siblings(allocate);
    let mut found: Vec<Setting> = Vec::new();
    if procedure.statement(allocate).jump_target {
        return found;
    }
    for &statement in block[..position].iter().rev() {
        if !procedure.with_descendants(statement).iter().all(|&inner| is_preparation(procedure, inner)) {
            break;
        }
        if let StatementKind::Assign { target, value, .. } = &procedure.statement(statement).kind
            && let ExpressionKind::Symbol(component) = target.kind
            && symbol_is_component(procedure, component)
            && procedure.holder_of(component) == holder
        {
            found.push(Setting { component, value, statement });
        }
        // Whatever leads here has not been through the statements before.
        if procedure.statement(statement).jump_target {
            break;
        }
    }
    found.reverse();
    found
}

/// Is it a statement that calls nothing, after which the next one runs, or none, and that changes no object as a whole?
fn is_preparation(procedure: &Procedure, statement: StatementId) -> bool {
    let kind = &procedure.statement(statement).kind;
    let is_plain = |part: &Expression| match &part.kind {
        ExpressionKind::Call { callee, .. } => matches!(callee, Callee::PureIntrinsic(_)),
        ExpressionKind::Opaque(_) => false,
        _ => true,
    };
    let is_object =
        |written: &Expression| written.designated().is_none_or(|it| procedure.symbol(it).structure.is_some());
    let is_such = match kind {
        StatementKind::Assign { target, .. } => !is_object(target),
        StatementKind::Lifetime { variables, .. } => !variables.iter().any(is_object),
        StatementKind::If { .. } | StatementKind::Scope(_) | StatementKind::Nothing | StatementKind::Stop => true,
        _ => false,
    };
    is_such && kind.expressions().into_iter().flat_map(Expression::walk).all(is_plain)
}

/// The component that has the value of a variable when the ALLOCATE statement runs.
fn component_with_value_of(
    procedure: &Procedure,
    variable: SymbolId,
    allocate: StatementId,
    settings: &[Setting],
) -> Option<SymbolId> {
    if !procedure.symbol(variable).is_integer_scalar() || procedure.symbol(variable).volatile {
        return None;
    }
    let (block, end) = procedure.siblings(allocate);
    settings.iter().find_map(|setting| {
        if setting.value.kind != ExpressionKind::Symbol(variable) {
            return None;
        }
        // Both keep it from there on.
        let start = block.iter().position(|&it| it == setting.statement)? + 1;
        let changes = |statement: StatementId, kept: SymbolId| match &procedure.statement(statement).kind {
            StatementKind::Assign { target, .. } => {
                target.designated().is_none_or(|written| may_share_memory(procedure, written, kept))
            }
            StatementKind::Lifetime { variables, .. } => variables
                .iter()
                .any(|it| it.designated().is_none_or(|written| may_share_memory(procedure, written, kept))),
            _ => false,
        };
        let mut between = block[start..end].iter().flat_map(|&it| procedure.with_descendants(it));
        let is_kept = !between.any(|it| changes(it, variable) || changes(it, setting.component));
        (is_kept && !may_share_memory(procedure, setting.component, variable)).then_some(setting.component)
    })
}

/// Is the value a scalar?
fn is_single(procedure: &Procedure, value: &Expression) -> bool {
    match &value.kind {
        ExpressionKind::Integer(_) | ExpressionKind::Logical(_) | ExpressionKind::Literal => true,
        ExpressionKind::Element { .. } => true,
        ExpressionKind::Symbol(symbol) => procedure.symbol(*symbol).rank() == 0,
        ExpressionKind::Unary { operand, .. } => is_single(procedure, operand),
        ExpressionKind::Binary { left, right, .. } => is_single(procedure, left) && is_single(procedure, right),
        _ => false,
    }
}
