//! Pointers, and components that are pointers, whose arrays never have gaps.
//!
//! A pointer may be given a section with a stride. Where a compiler hands over such an array to a procedure that takes
//! neighbouring elements, it passes a copy. Programs seldom do that: they ALLOCATE what their pointers lead to, or give them
//! whole arrays. That is seen here, over the whole program:
//!
//! - Every pointer assignment to the pointer (to the component, of any object) gives it an array without gaps, or one that another
//!   pointer leads to of which the same holds.
//! - No procedure gets it as an argument that is a pointer, and none that was not given gets it.
//! - Nobody has another name for the pointer itself ([`Symbol::pointer_place`]), and no text names it that was not understood.
//! - No object with the component is written otherwise than by the names of its components ([`Values::lost_structures`]), and none
//!   is made by a structure constructor.
//!
//! That a pointer is declared to have no gaps (Fortran CONTIGUOUS) proves nothing: compilers do not see what it is given.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Callee, ComponentName, Expression, ExpressionKind, InitialComponent, PartForm, Place, Procedure, Program,
    StatementKind, Storage, Symbol, SymbolClass, SymbolId,
};
use crate::mutations::Clause;

use super::super::facts::{Fact, Facts};
use super::super::memory::message::{PointedArray, is_neighbourly};
#[cfg(doc)]
use super::Values;

/// Something that can be made to point elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Pointer {
    /// A component, of all objects.
    Component(ComponentName),
    /// A variable, by its [place](Symbol::pointer_place).
    Variable(Place),
}

/// The pointers that may lead to arrays with gaps.
#[derive(Debug)]
pub struct ContiguousPointers {
    /// Statements that are not in the given files could make them point to anything.
    is_open: bool,
    may_have_gaps: BTreeSet<Pointer>,
}

/// Whether an array has gaps between its elements.
enum Gaps {
    None,
    /// If the array has that this one leads to.
    AsIn(Pointer),
    Perhaps,
}

impl ContiguousPointers {
    /// Do the elements of the array that is led to always follow one another in memory?
    pub fn are_contiguous(&self, array: PointedArray<'_>) -> bool {
        let pointer = match array {
            PointedArray::ByComponent(component) => Some(Pointer::Component(component.clone())),
            PointedArray::ByVariable(variable) => pointer(variable),
        };
        let is_without = |pointer: Pointer| !self.is_open && !self.may_have_gaps.contains(&pointer);
        Clause::ContiguousPointers.is_off() || pointer.is_some_and(is_without)
    }
}

impl Fact for ContiguousPointers {
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
        found.lose_unread();
        let is_open = facts.open_world().is_some() || found.is_any_given;
        Self { is_open, may_have_gaps: found.spread() }
    }
}

impl Facts<'_> {
    /// Which pointers lead to arrays without gaps.
    pub fn contiguous_pointers(&self) -> &ContiguousPointers {
        self.get()
    }
}

struct Search<'p> {
    program: &'p Program,
    may_have_gaps: BTreeSet<Pointer>,
    /// Pointers, by those that are given their arrays.
    given: BTreeMap<Pointer, BTreeSet<Pointer>>,
    /// Something gets a target, and which pointer it is, is not known.
    is_any_given: bool,
}

impl Search<'_> {
    fn lose_components(&mut self, structure: &str) {
        let components = self.program.structures.get(structure).into_iter().flat_map(|it| it.components.keys());
        let named = |name: &String| ComponentName { structure: structure.to_owned(), name: name.clone() };
        self.may_have_gaps.extend(components.map(|name| Pointer::Component(named(name))));
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
                    let component = ComponentName { structure: structure.clone(), name: name.clone() };
                    self.may_have_gaps.insert(Pointer::Component(component));
                }
            }
        }
    }

    /// Text that was not understood may give what it names any target.
    fn lose_unread(&mut self) {
        for (_, procedure) in self.program.procedures() {
            for unread in procedure.statements.iter().flat_map(|statement| statement.kind.unread()) {
                // What it names is not known either.
                self.is_any_given |= unread.calls.is_none() || unread.opacity.may_hold_more();
                let named = unread.variables.iter().filter_map(|&variable| pointer(procedure.symbol(variable)));
                self.may_have_gaps.extend(named);
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
                for pointer in variables.iter().filter_map(|pointer| designated(procedure, pointer)) {
                    match &gaps {
                        Gaps::None => {}
                        Gaps::AsIn(other) => {
                            self.given.entry(other.clone()).or_default().insert(pointer);
                        }
                        Gaps::Perhaps => {
                            self.may_have_gaps.insert(pointer);
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
            let Some(pointer) = designated(procedure, argument).filter(|_| is_whole) else { continue };
            let takes_pointer = match callee {
                Callee::PureIntrinsic(_) => false,
                Callee::Unknown(_) => true,
                Callee::Procedure(callee) => {
                    let body = self.program.procedure(*callee);
                    // Another language sees what describes the pointer, and may change that.
                    body.dialect().hands_over_addresses()
                        || body.dummies.iter().any(|&dummy| body.symbol(dummy).storage == Storage::Pointer)
                }
            };
            if takes_pointer {
                self.may_have_gaps.insert(pointer);
            }
        }
    }

    /// Does a pointer lead to an array with gaps if this is its target?
    fn gaps_of(&self, procedure: &Procedure, target: &Expression) -> Gaps {
        let without = |is_whole: bool| if is_whole { Gaps::None } else { Gaps::Perhaps };
        match &target.kind {
            // NULL()
            ExpressionKind::Computed(operands) => without(operands.is_empty()),
            ExpressionKind::Symbol(id) => self.gaps_of_variable(procedure, *id),
            ExpressionKind::Section { array, subscripts } if is_neighbourly(subscripts) => {
                self.gaps_of_variable(procedure, *array)
            }
            ExpressionKind::Part { component: Some(name), form: PartForm::Whole, .. } => {
                match self.program.structures.get(&name.structure).and_then(|it| it.components.get(&name.name)) {
                    Some(component) if component.is_pointer => Gaps::AsIn(Pointer::Component((**name).clone())),
                    Some(_) => Gaps::None,
                    None => Gaps::Perhaps,
                }
            }
            _ => Gaps::Perhaps,
        }
    }

    /// Likewise, of all that a variable is or leads to.
    fn gaps_of_variable(&self, procedure: &Procedure, id: SymbolId) -> Gaps {
        let symbol = procedure.symbol(id);
        if symbol.class != SymbolClass::Variable {
            return Gaps::Perhaps;
        }
        if symbol.storage == Storage::Pointer {
            return pointer(symbol).map_or(Gaps::Perhaps, Gaps::AsIn);
        }
        let mut holders = std::iter::successors(symbol.holder(), |&holder| procedure.symbol(holder).holder());
        let lies_in_one_piece = !symbol.may_lie_apart() && holders.all(|holder| procedure.symbol(holder).rank() == 0);
        if lies_in_one_piece { Gaps::None } else { Gaps::Perhaps }
    }

    /// What may have gaps with all that is given its array.
    fn spread(self) -> BTreeSet<Pointer> {
        let mut found = BTreeSet::new();
        let mut pending: Vec<Pointer> = self.may_have_gaps.into_iter().collect();
        while let Some(pointer) = pending.pop() {
            if found.insert(pointer.clone()) {
                pending.extend(self.given.get(&pointer).into_iter().flatten().cloned());
            }
        }
        found
    }
}

/// The component or the pointer that an expression designates, or elements of what it leads to.
fn designated(procedure: &Procedure, expression: &Expression) -> Option<Pointer> {
    if let ExpressionKind::Part { component, .. } = &expression.kind {
        return component.as_deref().cloned().map(Pointer::Component);
    }
    let symbol = procedure.symbol(expression.designated()?);
    match &symbol.storage {
        Storage::Component { name, .. } => Some(Pointer::Component(name.clone())),
        _ => pointer(symbol),
    }
}

fn pointer(symbol: &Symbol) -> Option<Pointer> {
    symbol.pointer_place.clone().map(Pointer::Variable)
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
