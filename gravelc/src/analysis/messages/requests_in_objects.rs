//! Objects that hold requests.
//!
//! A request that is a component of objects is followed ([`super::followed_requests`]) only if nothing in the program gets at it
//! otherwise than by its name. Which object a procedure works on is never asked: what one object's component may hold, that of any
//! may.
//!
//! Objects may be handed down as what they are, copied into one another, allocated and freed. Where one is read, written, sent or
//! looked at as a whole, or as something else, its request may be used without being named.

use std::collections::BTreeSet;

use crate::ir::{
    Callee, Communication, Component, ComponentName, Expression, ExpressionKind, InitialComponent, Operation,
    Procedure, Program, Span, StatementKind, SymbolClass, SymbolId, TypeCategory,
};
use crate::mutations::Clause;

use super::super::facts::{Fact, Facts, Memo};
use super::super::program::contents::component_of;

/// Why the requests in a component of objects can't be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectObstacle {
    /// Where that is seen, if at one place.
    pub place: Option<Span>,
    /// What is in the way, as a clause.
    pub why: String,
}

/// [`Facts::object_obstacle`], as far as it has been asked.
struct Known(Memo<ComponentName, Option<ObjectObstacle>>);

impl Fact for Known {
    fn of(_: &Facts<'_>) -> Self {
        Self(Memo::default())
    }
}

/// Functions that ask about an object without looking at what it holds, or how long it is.
const HARMLESS_INQUIRIES: &[&str] = &[
    "allocated",
    "associated",
    "present",
    "size",
    "lbound",
    "ubound",
    "shape",
    "rank",
    "same_type_as",
    "extends_type_of",
    "is_contiguous",
];

impl Facts<'_> {
    /// Why the requests in the component may be used without being named; nothing if they are not.
    pub fn object_obstacle(&self, name: &ComponentName) -> Option<ObjectObstacle> {
        self.get::<Known>().0.get(name, || self.find_object_obstacle(name))
    }

    fn find_object_obstacle(&self, name: &ComponentName) -> Option<ObjectObstacle> {
        let program = self.program;
        if let Some(obstacle) = obstacle_of_definition(program, name) {
            return Some(obstacle);
        }
        if Clause::RequestsInObjects.is_off() {
            return None;
        }
        let type_name = &name.structure;
        if program.parts_of_values.contains(&name.name) {
            let why = format!("`%{}` is named of an object that is the value of an expression", name.name);
            return Some(ObjectObstacle { place: None, why });
        }
        if let Some(&place) = self.values().lost_structures().get(type_name) {
            let why =
                format!("an object that holds it, or may, is set as a whole, or as something else{}", self.at(place));
            return Some(ObjectObstacle { place, why });
        }
        let objects = Objects { facts: self, types: types_around(program, type_name) };
        objects.construction(type_name).or_else(|| objects.use_as_a_whole())
    }

    /// Words for a place.
    fn at(&self, place: Option<Span>) -> String {
        place.map_or_else(String::new, |span| {
            format!(" at {}:{}", self.program.path_of(span).display(), self.program.line(span))
        })
    }
}

/// The component, if the program has it.
pub fn component_named<'p>(program: &'p Program, name: &ComponentName) -> Option<&'p Component> {
    program.structures.get(&name.structure)?.components.get(&name.name)
}

/// Is the type `name` the other one, or does it extend it?
pub fn extends(program: &Program, name: &str, other: &str) -> bool {
    let mut pending = vec![name];
    let mut seen = BTreeSet::new();
    while let Some(name) = pending.pop() {
        if name == other {
            return true;
        }
        if seen.insert(name)
            && let Some(structure) = program.structures.get(name)
        {
            pending.extend(structure.parents.iter().map(String::as_str));
        }
    }
    false
}

/// Why what the component holds can't be known, whatever is done with its objects.
fn obstacle_of_definition(program: &Program, name: &ComponentName) -> Option<ObjectObstacle> {
    let refused = |place, why: String| Some(ObjectObstacle { place, why });
    let structure = program.structures.get(&name.structure);
    let (Some(structure), Some(component)) = (structure, component_named(program, name)) else {
        return refused(None, format!("the type `{}` is not given", name.structure));
    };
    let [definition] = structure.definitions.as_slice() else {
        return refused(None, format!("there are several types of the name `{}`", name.structure));
    };
    let place = Some(definition.span);
    if let Some(why) = definition.other_views {
        return refused(place, format!("the type `{}` {why}", name.structure));
    }
    if component.is_pointer || component.is_allocatable {
        let what = if component.is_pointer { "a pointer" } else { "allocatable" };
        return refused(place, format!("the component `{}` of `{}` is {what}", name.name, name.structure));
    }
    if component.bounds.iter().any(|bounds| !matches!(bounds, (Some(_), Some(_)))) {
        return refused(place, format!("the bounds of `{}` in `{}` are no known numbers", name.name, name.structure));
    }
    let is_null = |initial: &InitialComponent| matches!(initial, InitialComponent::Constant(constant, _) if constant == "mpi_request_null");
    if !component.initial.iter().all(is_null) {
        let why = format!(
            "`{}` has another value than MPI_REQUEST_NULL from the beginning in `{}`",
            name.name, name.structure
        );
        return refused(place, why);
    }
    None
}

/// The types whose objects may hold an object of the type, or be (a part of) one.
fn types_around<'p>(program: &'p Program, type_name: &'p str) -> BTreeSet<&'p str> {
    let mut found = BTreeSet::from([type_name]);
    loop {
        let before = found.len();
        for (name, structure) in &program.structures {
            let extends = structure.parents.iter().any(|parent| found.contains(parent.as_str()));
            let holds = |component: &Component| component.structures.iter().any(|held| found.contains(held.as_str()));
            // An object of a class may be of a type that extends it.
            let is_extended =
                || found.iter().any(|&it| program.structures.get(it).is_some_and(|it| it.parents.contains(name)));
            if extends || structure.components.values().any(holds) || is_extended() {
                found.insert(name);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The objects in which the component may lie.
struct Objects<'f, 'p> {
    facts: &'f Facts<'p>,
    types: BTreeSet<&'p str>,
}

impl<'p> Objects<'_, 'p> {
    /// A value of the type, or of one that extends it, that is made by listing its components: the list would be another one.
    fn construction(&self, type_name: &str) -> Option<ObjectObstacle> {
        let structures = &self.facts.program.structures;
        let inherits = |name: &str| extends(self.facts.program, name, type_name);
        let constructed = structures.iter().filter(|(name, _)| inherits(name)).find_map(|(name, structure)| {
            let place = structure.constructed?;
            Some((name, place))
        });
        if let Some((name, place)) = constructed {
            let why = format!("a value of the type `{name}` lists its components{}", self.facts.at(Some(place)));
            return Some(ObjectObstacle { place: Some(place), why });
        }
        let is_given = |component: &Component| {
            !component.is_pointer
                && !component.initial.is_empty()
                && component.structures.iter().any(|held| inherits(held))
        };
        let given = structures.iter().find(|(_, structure)| structure.components.values().any(is_given));
        given.map(|(name, _)| {
            let why = format!("the type `{name}` gives a component of the type `{type_name}` its value");
            ObjectObstacle { place: None, why }
        })
    }

    /// The first statement that may use what an object holds without naming it.
    fn use_as_a_whole(&self) -> Option<ObjectObstacle> {
        for (_, body) in self.facts.program.procedures() {
            for part in body.evaluated_at_entry.iter().flat_map(Expression::walk) {
                if let Some(why) = self.obstacle_in(body, part) {
                    return Some(self.obstacle(part.span, why));
                }
            }
            for id in body.statements_in_order() {
                let kind = &body.statement(id).kind;
                if let StatementKind::Communication(communication) = kind
                    && self.reaches_others(body, communication)
                {
                    let why = "is sent or received by a datatype that the program makes";
                    return Some(self.obstacle(body.statement(id).span, why));
                }
                for expression in kind.expressions() {
                    let outer =
                        self.is_object(body, expression).then(|| self.obstacle_of_object(body, kind, expression));
                    let inner = || expression.walk().into_iter().find_map(|part| self.obstacle_in(body, part));
                    let narrow = || self.obstacle_of_part(body, kind, expression);
                    if let Some(why) = outer.flatten().or_else(narrow).or_else(inner) {
                        return Some(self.obstacle(expression.span, why));
                    }
                }
            }
        }
        None
    }

    fn obstacle(&self, place: Span, why: &str) -> ObjectObstacle {
        let why = format!("an object that holds it, or may, {why}{}", self.facts.at(Some(place)));
        ObjectObstacle { place: Some(place), why }
    }

    /// Does the expression stand for an object as a whole, or for several?
    fn is_object(&self, body: &Procedure, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Symbol(id)
            | ExpressionKind::Element { array: id, .. }
            | ExpressionKind::Section { array: id, .. }
            | ExpressionKind::Part { base: id, component: None, .. } => self.is_of_types(body, *id),
            ExpressionKind::Part { component: Some(name), .. } => {
                let component = component_named(self.facts.program, name);
                // What is not known may be of any type.
                component.is_none_or(|it| {
                    let is_class = it.structures.is_empty() && it.element.category == TypeCategory::Unknown;
                    is_class && !it.is_pointer || it.structures.iter().any(|held| self.types.contains(held.as_str()))
                })
            }
            ExpressionKind::Unary { operand, .. } => self.is_object(body, operand),
            _ => false,
        }
    }

    fn is_of_types(&self, body: &Procedure, id: SymbolId) -> bool {
        let symbol = body.symbol(id);
        symbol.structure.as_deref().is_some_and(|name| self.types.contains(name))
    }

    /// Why an object can't stand there, as one of the expressions of a statement.
    fn obstacle_of_object(&self, body: &Procedure, kind: &StatementKind, object: &Expression) -> Option<&'static str> {
        match kind {
            // That procedures take it as what it is `values/objects.rs` has seen.
            StatementKind::Call { callee: Callee::Procedure(_), .. } => None,
            StatementKind::Call { callee: Callee::PureIntrinsic(name), .. } if name == "move_alloc" => None,
            StatementKind::Call { .. } => Some("is handed to a procedure that is not known"),
            // A copy goes along.
            StatementKind::Assign { target, value, .. } => {
                let is_other = std::ptr::eq(target, object) && !self.is_value_of_object(body, value)
                    || std::ptr::eq(value, object) && !self.is_object(body, target);
                is_other.then_some("is set as a whole, or becomes something else")
            }
            StatementKind::Lifetime { variables, reads, .. } => {
                let others = variables.iter().chain(reads).filter(|other| !self.is_object(body, other));
                let is_unlike = others.into_iter().any(|other| self.may_be_of_any_type(body, other));
                is_unlike.then_some("gets a name of no known type")
            }
            StatementKind::Select { .. } | StatementKind::Scope(_) => None,
            StatementKind::InputOutput { .. } => Some("is read or written as a whole"),
            StatementKind::Communication(_) => Some("is handed to MPI as a whole"),
            _ => Some("is used as a whole"),
        }
    }

    /// Can the variable be an object of whatever type?
    fn may_be_of_any_type(&self, body: &Procedure, expression: &Expression) -> bool {
        let is_any = |category| matches!(category, TypeCategory::Unknown | TypeCategory::Derived);
        if let ExpressionKind::Part { component: Some(name), .. } = &expression.kind {
            let component = component_named(self.facts.program, name);
            return component.is_none_or(|it| it.structures.is_empty() && is_any(it.element.category));
        }
        expression.designated().is_some_and(|id| {
            let symbol = body.symbol(id);
            symbol.class == SymbolClass::Variable && symbol.structure.is_none() && is_any(symbol.element.category)
        })
    }

    /// Does the call send or receive from a component on in a way that may reach others, or other objects? How far that is
    /// apart the program would have to know.
    fn reaches_others(&self, body: &Procedure, communication: &Communication) -> bool {
        let lies_in_object = |buffer: &Expression| {
            component_of(body, buffer).is_some_and(|name| {
                let component = component_named(self.facts.program, name);
                self.types.contains(name.structure.as_str()) && component.is_none_or(|it| !it.lies_elsewhere())
            })
        };
        let mut messages = communication.messages();
        if messages.any(|message| message.datatype.predefined.is_none() && lies_in_object(&message.buffer)) {
            return true;
        }
        let Operation::Other { arguments, counts, .. } = &communication.operation else { return false };
        let is_datatype = |argument: &&Expression| match argument.kind {
            ExpressionKind::Symbol(id) => {
                let symbol = body.symbol(id);
                symbol.class == SymbolClass::MessagingConstant && symbol.element.bytes.is_some()
            }
            _ => false,
        };
        arguments.iter().filter(is_datatype).count() < counts.len() && arguments.iter().any(lies_in_object)
    }

    /// Is the value an object that exists already, or comes from a procedure?
    fn is_value_of_object(&self, body: &Procedure, value: &Expression) -> bool {
        self.is_object(body, value) || matches!(&value.kind, ExpressionKind::Call { callee: Callee::Procedure(_), .. })
    }

    /// A part of an object of which is not known what it is can be the request; procedures take only what it is.
    fn obstacle_of_part(&self, body: &Procedure, kind: &StatementKind, whole: &Expression) -> Option<&'static str> {
        let is_call = matches!(kind, StatementKind::Call { callee: Callee::Procedure(_), .. });
        let mut parts = whole.walk().into_iter();
        parts
            .any(|part| {
                let is_hidden = matches!(part.kind, ExpressionKind::Part { base, component: None, .. } if self.is_of_types(body, base));
                is_hidden && !(is_call && std::ptr::eq(part, whole))
            })
            .then_some("has a part that is used under another name")
    }

    /// Why an object can't stand in an expression: as the argument of a function.
    fn obstacle_in(&self, body: &Procedure, part: &Expression) -> Option<&'static str> {
        match &part.kind {
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments }
                if !HARMLESS_INQUIRIES.contains(&name.as_str()) =>
            {
                arguments
                    .iter()
                    .any(|argument| self.is_object(body, argument))
                    .then_some("is handed to a function that may look at it as a whole")
            }
            ExpressionKind::Call { callee: Callee::Unknown(_), arguments } => arguments
                .iter()
                .any(|argument| self.is_object(body, argument))
                .then_some("is handed to a function that is not known"),
            // An object in the middle of an expression: in a list of values, as the operand of a call that is not known.
            ExpressionKind::ArrayConstructor(operands) | ExpressionKind::Computed(operands) => operands
                .iter()
                .any(|operand| self.is_object(body, operand))
                .then_some("is used in a value of something else"),
            _ => None,
        }
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
