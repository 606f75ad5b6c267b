//! Components that are pointers to arrays, and whose arrays never have gaps.
//!
//! A pointer may be given a section with a stride. Where a compiler hands over such an array to a procedure that takes
//! neighbouring elements, it passes a copy. Programs seldom do that: they ALLOCATE what their components point to. That is
//! seen here, over the whole program:
//!
//! - Every pointer assignment to the component, of any object, gives it an array without gaps, or a component of which the
//!   same holds.
//! - No procedure gets the component itself as an argument that is a pointer, and none that was not given gets it.
//! - No object of the type is written otherwise than by the names of its components ([`Values::lost_structures`]), and none is
//!   made by a structure constructor.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Callee, ComponentName, Expression, ExpressionKind, InitialComponent, PartForm, Procedure, Program, StatementKind,
    Storage, SymbolClass, SymbolId,
};
use crate::mutations::Clause;

use super::super::facts::{Fact, Facts};
use super::super::memory::message::is_neighbourly;
#[cfg(doc)]
use super::Values;

/// The pointer components that may lead to arrays with gaps.
#[derive(Debug)]
pub struct ContiguousComponents {
    /// Statements that are not in the given files could make them point to anything.
    is_open: bool,
    may_have_gaps: BTreeSet<ComponentName>,
}

/// Whether an array has gaps between its elements.
enum Gaps {
    None,
    /// If this component's array has.
    AsIn(ComponentName),
    Perhaps,
}

impl ContiguousComponents {
    /// Do the elements of the array that the component leads to always follow one another in memory? It is a pointer to an
    /// array in some object of the program.
    pub fn is_contiguous(&self, component: &ComponentName) -> bool {
        Clause::ContiguousComponents.is_off() || !self.is_open && !self.may_have_gaps.contains(component)
    }
}

impl Fact for ContiguousComponents {
    fn of(facts: &Facts<'_>) -> Self {
        let program = facts.program;
        let mut found = Search { program, may_have_gaps: BTreeSet::new(), given: BTreeMap::new(), is_any_given: false };
        for name in facts.values().lost_structures().keys() {
            found.lose_components(name);
        }
        found.lose_constructed();
        found.lose_initialised();
        for (_, procedure) in program.procedures() {
            for statement in &procedure.statements {
                found.look_at(procedure, &statement.kind);
            }
        }
        let is_open = facts.open_world().is_some() || found.is_any_given;
        Self { is_open, may_have_gaps: found.spread() }
    }
}

impl Facts<'_> {
    /// Which pointer components lead to arrays without gaps.
    pub fn contiguous_components(&self) -> &ContiguousComponents {
        self.get()
    }
}

struct Search<'p> {
    program: &'p Program,
    may_have_gaps: BTreeSet<ComponentName>,
    /// Components, by those that are given their arrays.
    given: BTreeMap<ComponentName, BTreeSet<ComponentName>>,
    /// A component gets a target, and which one it is, is not known.
    is_any_given: bool,
}

impl Search<'_> {
    fn lose_components(&mut self, structure: &str) {
        let components = self.program.structures.get(structure).into_iter().flat_map(|it| it.components.keys());
        self.may_have_gaps
            .extend(components.map(|name| ComponentName { structure: structure.to_owned(), name: name.clone() }));
    }

    /// A constructor lists values for the components of the type and of those that it extends.
    fn lose_constructed(&mut self) {
        let structures = &self.program.structures;
        let constructed = structures.iter().filter(|(_, it)| it.constructed.is_some()).map(|(name, _)| name.as_str());
        let mut pending: Vec<&str> = constructed.collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = pending.pop() {
            if seen.insert(name) {
                self.lose_components(name);
                pending.extend(structures.get(name).into_iter().flat_map(|it| it.parents.iter().map(String::as_str)));
            }
        }
    }

    /// A definition may give a pointer another target than NULL() from the beginning.
    fn lose_initialised(&mut self) {
        for (structure, definition) in &self.program.structures {
            for (name, component) in &definition.components {
                if component.initial.iter().any(|initial| *initial != InitialComponent::Null) {
                    self.may_have_gaps.insert(ComponentName { structure: structure.clone(), name: name.clone() });
                }
            }
        }
    }

    fn look_at(&mut self, procedure: &Procedure, kind: &StatementKind) {
        match kind {
            StatementKind::Lifetime { variables, reads, associates: true, .. } => {
                let is_unnamed =
                    |pointer: &Expression| matches!(pointer.kind, ExpressionKind::Part { component: None, .. });
                self.is_any_given |= variables.iter().any(is_unnamed);
                let gaps = reads.first().map_or(Gaps::Perhaps, |target| self.gaps_of(procedure, target));
                for component in variables.iter().filter_map(|pointer| component_of(procedure, pointer)) {
                    match &gaps {
                        Gaps::None => {}
                        Gaps::AsIn(other) => {
                            self.given.entry(other.clone()).or_default().insert(component.clone());
                        }
                        Gaps::Perhaps => {
                            self.may_have_gaps.insert(component.clone());
                        }
                    }
                }
            }
            StatementKind::Call { callee, arguments } => self.hand_over(procedure, callee, arguments),
            _ => {}
        }
        for part in kind.expressions().into_iter().flat_map(Expression::walk) {
            if let ExpressionKind::Call { callee, arguments } = &part.kind {
                self.hand_over(procedure, callee, arguments);
            }
        }
    }

    /// A procedure may give a pointer that it gets as its argument another target.
    fn hand_over(&mut self, procedure: &Procedure, callee: &Callee, arguments: &[Expression]) {
        for argument in arguments {
            let is_whole = matches!(
                argument.kind,
                ExpressionKind::Symbol(_)
                    | ExpressionKind::Part { form: PartForm::Whole | PartForm::Unnamed | PartForm::Named, .. }
            );
            let Some(component) = component_of(procedure, argument).filter(|_| is_whole) else { continue };
            let takes_pointer = match callee {
                Callee::PureIntrinsic(_) => false,
                Callee::Unknown(_) => true,
                Callee::Procedure(callee) => {
                    let body = self.program.procedure(*callee);
                    body.dummies.iter().any(|&dummy| body.symbol(dummy).storage == Storage::Pointer)
                }
            };
            if takes_pointer {
                self.may_have_gaps.insert(component.clone());
            }
        }
    }

    /// Does a pointer lead to an array with gaps if this is its target?
    fn gaps_of(&self, procedure: &Procedure, target: &Expression) -> Gaps {
        let without = |is_whole: bool| if is_whole { Gaps::None } else { Gaps::Perhaps };
        let has_own_memory = |id: SymbolId| {
            let symbol = procedure.symbol(id);
            let holders = std::iter::successors(symbol.holder(), |&holder| procedure.symbol(holder).holder());
            symbol.class == SymbolClass::Variable
                && !symbol.may_lie_apart()
                && symbol.storage != Storage::Pointer
                && holders.into_iter().all(|holder| procedure.symbol(holder).rank() == 0)
        };
        match &target.kind {
            // NULL()
            ExpressionKind::Computed(operands) => without(operands.is_empty()),
            ExpressionKind::Symbol(id) => without(has_own_memory(*id)),
            ExpressionKind::Section { array, subscripts } => {
                without(has_own_memory(*array) && is_neighbourly(subscripts))
            }
            ExpressionKind::Part { component: Some(name), form: PartForm::Whole, .. } => {
                match self.program.structures.get(&name.structure).and_then(|it| it.components.get(&name.name)) {
                    Some(component) if component.is_pointer => Gaps::AsIn((**name).clone()),
                    Some(_) => Gaps::None,
                    None => Gaps::Perhaps,
                }
            }
            _ => Gaps::Perhaps,
        }
    }

    /// What may have gaps with all that is given its array.
    fn spread(self) -> BTreeSet<ComponentName> {
        let mut found = BTreeSet::new();
        let mut pending: Vec<ComponentName> = self.may_have_gaps.into_iter().collect();
        while let Some(component) = pending.pop() {
            if found.insert(component.clone()) {
                pending.extend(self.given.get(&component).into_iter().flatten().cloned());
            }
        }
        found
    }
}

/// The component that an expression designates, or elements of it.
fn component_of<'e>(procedure: &'e Procedure, expression: &'e Expression) -> Option<&'e ComponentName> {
    if let ExpressionKind::Part { component, .. } = &expression.kind {
        return component.as_deref();
    }
    match &procedure.symbol(expression.designated()?).storage {
        Storage::Component { name, .. } => Some(name),
        _ => None,
    }
}
