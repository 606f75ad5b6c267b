//! Stores to objects with components.
//!
//! What is stored to a component of one object counts for that component of all objects of the type. That takes all stores
//! to the type's memory into account, whatever pointers lead there, as long as the memory is named as what it is. A copy
//! of an object moves nothing that its components do not hold already. Where memory of a type is handed over as something
//! else (to a procedure with another dummy argument, to MPI as one buffer, by its address), all of its components may
//! hold anything.

use std::collections::BTreeSet;

use crate::analysis::symbolic::polynomial_of;
use crate::ir::{
    Callee, Communication, Component, ComponentName, Expression, ExpressionKind, Message, Operation, ProcedureId,
    Storage, SymbolClass, SymbolId, TypeCategory, UnaryOperator,
};

use crate::mutations::Clause;

use super::stores::{Source, Stores, Target};

/// The elements of a buffer that a call writes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written {
    /// How many; `None` where that is not constant.
    pub count: Option<i64>,
    /// Size of one in bytes; `None` where it is not known.
    pub bytes: Option<u32>,
}

impl<'p> Stores<'p> {
    /// The component of the program that an expression designates, or elements of it.
    pub(super) fn component(
        &self,
        procedure: ProcedureId,
        expression: &'p Expression,
    ) -> Option<(&'p ComponentName, &'p Component)> {
        let name = self.component_name(procedure, expression)?;
        let component = self.program.structures.get(&name.structure)?.components.get(&name.name)?;
        Some((name, component))
    }

    /// The component that an expression designates, or elements of it.
    pub(super) fn component_name(
        &self,
        procedure: ProcedureId,
        expression: &'p Expression,
    ) -> Option<&'p ComponentName> {
        if let ExpressionKind::Part { component: Some(name), .. } = &expression.kind {
            return Some(&**name);
        }
        match &self.program.procedure(procedure).symbol(expression.designated()?).storage {
            Storage::Component { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The types of the object that an expression designates as a whole, or of elements of an array of objects.
    pub(super) fn structures(&self, procedure: ProcedureId, expression: &'p Expression) -> Vec<&'p str> {
        match &expression.kind {
            ExpressionKind::Symbol(id)
            | ExpressionKind::Element { array: id, .. }
            | ExpressionKind::Section { array: id, .. } => self.structure_of(procedure, *id).into_iter().collect(),
            ExpressionKind::Part { component: Some(_), .. } => match self.component(procedure, expression) {
                Some((_, component)) => component.structures.iter().map(String::as_str).collect(),
                None => Vec::new(),
            },
            // The part that an object has from the type that its own extends, or an element in an implied loop.
            ExpressionKind::Part { component: None, base, .. } => {
                self.structure_of(procedure, *base).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn structure_of(&self, procedure: ProcedureId, id: SymbolId) -> Option<&'p str> {
        self.program.procedure(procedure).symbol(id).structure.as_deref()
    }

    /// An object gets a value as a whole.
    pub(super) fn store_object(&mut self, procedure: ProcedureId, target: &'p Expression, source: Source<'p>) {
        let into = self.structures(procedure, target);
        if into.is_empty() {
            return;
        }
        let is_copy = match source {
            Source::Expression(owner, value) => self.is_object_of(owner, value, &into),
            Source::Dummy(owner, dummy) => {
                self.structure_of(owner, dummy).is_some_and(|from| self.are_alike(&[from], &into))
            }
            Source::Null => true,
            _ => false,
        };
        if !is_copy {
            self.lost_structures.extend(into);
        }
    }

    /// Memory that an expression designates may be written as something that is not known.
    pub(super) fn lose_objects(&mut self, procedure: ProcedureId, expression: &'p Expression) {
        for structure in self.structures(procedure, expression) {
            self.lost_structures.insert(structure);
        }
        if let Some(symbol) = expression.designated()
            && !matches!(expression.kind, ExpressionKind::Part { component: Some(_), .. })
        {
            let symbol = self.program.procedure(procedure).symbol(symbol);
            // It may be any object (a polymorphic one without limits, a type that is not given).
            let is_any = symbol.element.category == TypeCategory::Unknown && symbol.class == SymbolClass::Variable;
            self.all_structures_lost |= is_any;
        }
    }

    /// What lies around the component may be written with it.
    pub(super) fn lose_around(&mut self, procedure: ProcedureId, expression: &'p Expression) {
        if let Some((name, _)) = self.component(procedure, expression) {
            self.lost_structures.insert(&name.structure);
        }
        let base = expression.designated().map(|base| self.program.procedure(procedure).holder_of(base));
        if let Some(base) = base.and_then(|base| self.structure_of(procedure, base)) {
            self.lost_structures.insert(base);
        }
    }

    /// A call writes a buffer; a component of too few elements lets it run on into the others.
    pub(super) fn lose_buffer(&mut self, procedure: ProcedureId, buffer: &'p Expression, written: Written) {
        self.lose(procedure, buffer);
        let Some((_, component)) = self.component(procedure, buffer) else { return };
        let has_same_elements = written.bytes.is_some() && written.bytes == component.element.bytes;
        let is_within = match (component.length, written.count) {
            (Some(length), Some(count)) => count <= length,
            // Nobody believes of a single element that it is an array.
            (Some(1), None) => false,
            _ => true,
        };
        if !(has_same_elements && is_within) {
            self.lose_around(procedure, buffer);
        }
    }

    /// What a message holds.
    pub(super) fn written_by_message(&self, procedure: ProcedureId, message: &Message) -> Written {
        let bytes = message.datatype.predefined.and_then(|element| element.bytes);
        Written { count: self.constant(procedure, &message.count), bytes }
    }

    /// What a call that is not described further writes into one of its arguments.
    pub(super) fn written_by_other(&self, procedure: ProcedureId, communication: &Communication) -> Option<Written> {
        let Operation::Other { arguments, counts, .. } = &communication.operation else { return None };
        if counts.is_empty() {
            // A handle.
            return None;
        }
        let body = self.program.procedure(procedure);
        let datatype = |argument: &Expression| match argument.kind {
            ExpressionKind::Symbol(id) if body.symbol(id).class == SymbolClass::MessagingConstant => {
                body.symbol(id).element.bytes
            }
            _ => None,
        };
        let datatypes: Vec<u32> = arguments.iter().filter_map(datatype).collect();
        let are_alike = datatypes.iter().all(|bytes| *bytes == datatypes[0]) && datatypes.len() == counts.len();
        let largest = counts.iter().map(|&position| self.constant(procedure, &arguments[position]));
        let count = largest.collect::<Option<Vec<i64>>>().and_then(|counts| counts.into_iter().max());
        Some(Written { count, bytes: datatypes.first().copied().filter(|_| are_alike) })
    }

    fn constant(&self, procedure: ProcedureId, expression: &Expression) -> Option<i64> {
        polynomial_of(self.program.procedure(procedure), expression)?.as_constant()
    }

    /// What is handed down is an object only if the procedure takes it as one.
    pub(super) fn hand_object(
        &mut self,
        caller: ProcedureId,
        argument: &'p Expression,
        callee: ProcedureId,
        dummy: SymbolId,
    ) {
        let handed = self.structures(caller, argument);
        let taken: Vec<&str> = self.structure_of(callee, dummy).into_iter().collect();
        let is_taken_as_it_is = match (handed.is_empty(), taken.is_empty()) {
            (true, true) => true,
            (true, false) => self.is_object_of(caller, argument, &taken),
            (false, true) => false,
            (false, false) => self.are_alike(&handed, &taken),
        };
        if !is_taken_as_it_is {
            self.lost_structures.extend(handed.into_iter().chain(taken));
        }
    }

    /// A procedure writes its dummy argument; does it see more elements there than the component has?
    pub(super) fn leaves_in_component(
        &mut self,
        caller: ProcedureId,
        argument: &'p Expression,
        callee: ProcedureId,
        dummy: SymbolId,
    ) {
        let Some((_, component)) = self.component(caller, argument) else { return };
        let dummy = self.program.procedure(callee).symbol(dummy);
        let has_same_elements = component.element.bytes.is_some() && dummy.element.bytes == component.element.bytes;
        let is_array_of_one = dummy.rank() > 0 && component.length == Some(1);
        let is_object = !component.structures.is_empty();
        if !is_object && (!has_same_elements || is_array_of_one) {
            self.lose_around(caller, argument);
        }
    }

    /// Is the value an object of one of these types, and not one that is put together of other values?
    fn is_object_of(&self, owner: ProcedureId, value: &'p Expression, types: &[&str]) -> bool {
        match &value.kind {
            // Nothing: an optional argument that is left out, NULL(), an object as it is from the beginning.
            ExpressionKind::Computed(operands) => operands.is_empty(),
            ExpressionKind::Call { callee: Callee::Procedure(_), .. } => true,
            ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => {
                self.is_object_of(owner, operand, types)
            }
            _ => {
                let from = self.structures(owner, value);
                !from.is_empty() && self.are_alike(&from, types)
            }
        }
    }

    /// Is each of these types one of those, or related to it?
    fn are_alike(&self, ones: &[&str], others: &[&str]) -> bool {
        let is_within = |one: &str, other: &str| {
            let mut pending = vec![one];
            let mut seen = BTreeSet::new();
            while let Some(name) = pending.pop() {
                if name == other {
                    return true;
                }
                if seen.insert(name)
                    && let Some(structure) = self.program.structures.get(name)
                {
                    pending.extend(structure.parents.iter().map(String::as_str));
                }
            }
            false
        };
        ones.iter().all(|one| others.iter().all(|other| is_within(one, other) || is_within(other, one)))
    }

    /// Components may hold anything where objects are written otherwise than by the names of their components.
    pub(super) fn lose_hidden_components(&mut self) {
        if Clause::ObjectsAsAWhole.is_off() {
            return;
        }
        let structures = &self.program.structures;
        let hidden = structures.iter().filter(|(_, structure)| structure.is_hidden || self.all_structures_lost);
        let mut pending: Vec<&str> = hidden.map(|(name, _)| name.as_str()).collect();
        pending.extend(&self.lost_structures);
        let mut lost: BTreeSet<&str> = BTreeSet::new();
        while let Some(name) = pending.pop() {
            if !lost.insert(name) {
                continue;
            }
            // What the object has from other types, what it holds, and what it may be besides.
            let Some(structure) = structures.get(name) else { continue };
            pending.extend(structure.parents.iter().map(String::as_str));
            pending
                .extend(structure.components.values().flat_map(|component| &component.structures).map(String::as_str));
            let extensions = structures.iter().filter(|(_, other)| other.parents.contains(name));
            pending.extend(extensions.map(|(name, _)| name.as_str()));
        }
        for name in lost {
            for component in structures.get(name).into_iter().flat_map(|structure| structure.components.keys()) {
                let component = ComponentName { structure: name.to_owned(), name: component.clone() };
                self.add(Target::Component(component), Source::Lost(None));
            }
        }
    }
}
