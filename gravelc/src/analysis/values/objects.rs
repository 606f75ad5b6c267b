//! Stores to objects with components.
//!
//! What is stored to a component of one object counts for that component of all objects of the type. That takes all stores
//! to the type's memory into account, whatever pointers lead there, as long as the memory is named as what it is. A copy
//! of an object moves nothing that its components do not hold already. Where memory of a type is handed over as something
//! else (to a procedure with another dummy argument, to MPI as one buffer, by its address), all of its components may
//! hold anything.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::ir::{
    Callee, Communication, Component, ComponentName, Expression, ExpressionKind, Message, Operation, ProcedureId, Span,
    Storage, Symbol, SymbolClass, SymbolId, TypeCategory, UnaryOperator,
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
            Source::Null | Source::EndingHandler => true,
            _ => false,
        };
        if !is_copy {
            self.lose_structures(into, target.span);
        }
    }

    /// Memory that an expression designates may be written as something that is not known.
    pub(super) fn lose_objects(&mut self, procedure: ProcedureId, expression: &'p Expression) {
        self.lose_structures(self.structures(procedure, expression), expression.span);
        if let Some(symbol) = expression.designated()
            && !matches!(expression.kind, ExpressionKind::Part { component: Some(_), .. })
        {
            let symbol = self.program.procedure(procedure).symbol(symbol);
            // It may be any object (a polymorphic one without limits, a type that is not given).
            let is_any = symbol.element.category == TypeCategory::Unknown && symbol.class == SymbolClass::Variable;
            if is_any {
                self.all_structures_lost.get_or_insert(expression.span);
            }
        }
    }

    /// Some object of these types is written here in a way that is not known.
    fn lose_structures(&mut self, types: impl IntoIterator<Item = &'p str>, place: Span) {
        for name in types {
            self.lost_structures.entry(name).or_insert(place);
        }
    }

    /// What lies around the component may be written with it.
    pub(super) fn lose_around(&mut self, procedure: ProcedureId, expression: &'p Expression) {
        self.lose_structures(self.structures_around(procedure, expression), expression.span);
    }

    /// The types that a component belongs to.
    pub(super) fn structures_around(&self, procedure: ProcedureId, expression: &'p Expression) -> Vec<&'p str> {
        let own = self.component(procedure, expression).map(|(name, _)| name.structure.as_str());
        let base = expression.designated().map(|base| self.program.procedure(procedure).holder_of(base));
        own.into_iter().chain(base.and_then(|base| self.structure_of(procedure, base))).collect()
    }

    /// Does the expression lead through a pointer to a single value, around which there may be an object?
    fn is_single_through_pointer(&self, procedure: ProcedureId, expression: &'p Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Symbol(id) => {
                let symbol = self.program.procedure(procedure).symbol(*id);
                symbol.storage == Storage::Pointer && symbol.rank() == 0
            }
            _ => self.component(procedure, expression).is_some_and(|(_, it)| it.is_pointer && it.length == Some(1)),
        }
    }

    /// Something is written through a pointer to a single value that may be more than that.
    pub(super) fn run_on_behind_pointer(&mut self, procedure: ProcedureId, expression: &'p Expression) {
        if self.is_single_through_pointer(procedure, expression) {
            self.runs_on.get_or_insert(expression.span);
        }
    }

    /// A call writes a buffer; a component of too few elements lets it run on into the others.
    pub(super) fn lose_buffer(&mut self, procedure: ProcedureId, buffer: &'p Expression, written: Written) {
        self.lose(procedure, buffer);
        if written.count != Some(1) || written.bytes.is_none() {
            self.run_on_behind_pointer(procedure, buffer);
        }
        let inside = self.component(procedure, buffer).filter(|(_, it)| !it.lies_elsewhere());
        let Some((_, component)) = inside else { return };
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
        let datatype = &message.datatype;
        let bytes = datatype.predefined.filter(|_| !datatype.is_longest).and_then(|element| element.bytes);
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

    pub(super) fn constant(&self, procedure: ProcedureId, expression: &Expression) -> Option<i64> {
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
            self.lose_structures(handed.into_iter().chain(taken), argument.span);
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
        let seen = self.program.procedure(callee).symbol(dummy);
        if seen.rank() > 0 {
            self.run_on_behind_pointer(caller, argument);
        }
        let inside = self.component(caller, argument).filter(|(_, it)| !it.lies_elsewhere());
        let Some((_, component)) = inside else { return };
        let has_same_elements = component.element.bytes.is_some() && seen.element.bytes == component.element.bytes
            || is_string_of_any_length(seen) && component.element.category == TypeCategory::Character;
        let is_array_of_one = seen.rank() > 0 && component.length == Some(1);
        let is_object = !component.structures.is_empty();
        let may_run_on = !has_same_elements || is_array_of_one;
        if !is_object && may_run_on && !self.is_within(component, (caller, argument), (callee, dummy)) {
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
        let all_lost = self.all_structures_lost;
        let hidden = structures.iter().filter(|(_, structure)| structure.is_hidden || all_lost.is_some());
        let mut pending: Vec<(&str, Option<Span>)> = hidden.map(|(name, _)| (name.as_str(), all_lost)).collect();
        pending.extend(self.lost_structures.iter().map(|(&name, &place)| (name, Some(place))));
        if let Some(place) = self.runs_on {
            pending.extend(self.pointed_into.iter().map(|&name| (name, Some(place))));
        }
        let mut lost: BTreeMap<&str, Option<Span>> = BTreeMap::new();
        while let Some((name, place)) = pending.pop() {
            if lost.contains_key(name) {
                continue;
            }
            lost.insert(name, place);
            // What the object has from other types, what it holds, and what it may be besides.
            let Some(structure) = structures.get(name) else { continue };
            let held = structure.components.values().flat_map(|component| &component.structures);
            let extensions = structures.iter().filter(|(_, other)| other.parents.contains(name)).map(|(name, _)| name);
            let others = structure.parents.iter().chain(held).chain(extensions);
            pending.extend(others.map(|other| (other.as_str(), place)));
        }
        self.written_otherwise = lost.iter().map(|(&name, &place)| (name.to_owned(), place)).collect();
        for (name, place) in lost {
            for component in structures.get(name).into_iter().flat_map(|structure| structure.components.keys()) {
                let component = ComponentName { structure: name.to_owned(), name: component.clone() };
                self.add(Target::Component(component), Source::Lost(place));
            }
        }
    }
}

/// Is it a string that is as long as what the caller hands down?
fn is_string_of_any_length(dummy: &Symbol) -> bool {
    let spelling = dummy.type_spelling.as_deref().unwrap_or_default();
    let has_any_length = ["(*", "=*", "*(*)"].iter().any(|star| spelling.contains(star));
    dummy.element.category == TypeCategory::Character && has_any_length && dummy.rank() == 0
}
