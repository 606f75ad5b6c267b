//! What integers and handles can hold, anywhere in the program: constants, communicators and predefined
//! datatypes that are handed down as arguments, kept in variables of modules, copied, or made by MPI.
//!
//! The question is asked without regard to the order of statements: a variable may hold whatever is stored to it
//! anywhere. All stores must be seen for that:
//!
//! - A variable of a procedure alone is stored to by its own statements, and by procedures that it is an argument of.
//! - A dummy argument holds what the actual arguments of all calls hold, if all calls are known ([`OtherCallers`]).
//! - A variable of a module, or of the main program that its contained procedures use, is stored to by all procedures
//!   that name it, if no others could.
//!
//! - Numbers that declarations or DATA statements give it before the program starts count as stored to it.
//!
//! - A component of a derived type holds whatever is stored to that component of any object of the type: objects are
//!   not told apart, so that it does not matter under how many names one is known (`stores`).
//!
//! An array is followed as one variable that holds what any of its elements does; so does a dummy argument that is an array,
//! whichever element of the caller's it begins at. Where nothing is stored to an array but what it has before the program
//! starts, its elements are told apart.
//!
//! Variables that pointers can reach, that share memory under another name or have another value before the program starts
//! may hold anything. A variable that is read before it is written has no value (Fortran 2018, 19.6): that is not
//! provided for. To ask for its size, its kind and the like is not to read it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::ir::{
    Callee, ComponentName, Expression, ExpressionKind, Place, Polynomial, Procedure, ProcedureId, Program, Storage,
    Symbol, SymbolClass, SymbolId, TypeCategory, UnaryOperator,
};

use super::algebra::symbolic::{integer_intrinsic, integer_operation, polynomial_of};
use super::facts::{Fact, Facts};
use super::program::calls::OtherCallers;
use super::program::open_world::is_uncertain;

pub mod array_bounds;
pub mod contiguous_pointers;
pub mod creations;
mod flows;
mod handed_arrays;
mod objects;
mod origins;
mod stores;
mod value;
mod wildcards;

use flows::Readers;
use origins::Causes;
pub use origins::Origin;
use stores::LostStructures;
pub(super) use stores::{Source, Stores, Target};
use value::MOST_NUMBERS;
pub(super) use value::is_no_datatype;
pub use value::{CommunicatorSource, DatatypeSource, ErrorHandler, Value};
use wildcards::WildcardCells;
pub use wildcards::{Asked, MayBeWildcard, WILDCARDS};

/// A variable, whatever it is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    /// A variable or a dummy argument of one procedure.
    Own(ProcedureId, SymbolId),
    /// A variable that several procedures see.
    Shared(Place),
    /// This component of all objects.
    Component(ComponentName),
}

/// What the variables of a program can hold.
#[derive(Debug)]
pub struct Values {
    callers: Rc<OtherCallers>,
    /// Shared variables that may hold anything.
    uncertain_places: BTreeSet<Place>,
    /// Variables that stores put a value in. One that is not here has nothing stored to it.
    held: BTreeMap<Cell, Value>,
    /// Variables that have only the numbers that they have before the program starts.
    never_assigned: BTreeSet<Cell>,
    /// What made variables unknown that may hold anything.
    causes: Causes,
    /// Variables that may hold a wildcard of MPI, by the wildcard's name.
    wildcards: WildcardCells,
    /// Types of which some object is written otherwise than by the names of its components.
    lost_structures: LostStructures,
}

impl Values {
    /// The types of which some object is written otherwise than by the names of its components, each with a place where, if
    /// there is one.
    pub fn lost_structures(&self) -> &LostStructures {
        &self.lost_structures
    }

    /// Works out what the variables of a program can hold.
    pub fn of(facts: &Facts) -> Self {
        let program = facts.program;
        let callers = Rc::clone(facts.other_callers());
        let uncertain_places = uncertain_places(program, &callers);
        let mut values = Self {
            callers,
            uncertain_places,
            held: BTreeMap::new(),
            never_assigned: BTreeSet::new(),
            causes: Causes::new(),
            wildcards: WildcardCells::new(),
            lost_structures: LostStructures::new(),
        };
        let flows = values.flows(facts);
        let readers = values.readers(program, &flows);
        let is_declared =
            |(_, sources): &(&Cell, &Vec<Source>)| sources.iter().all(|source| matches!(source, Source::Number(_)));
        values.never_assigned = flows.iter().filter(is_declared).map(|(cell, _)| cell.clone()).collect();
        values.hold(program, &flows, &readers);
        // What somebody else leaves as it is counts only where that is said of it: of communicators.
        let kept =
            |cell: &Cell| flows.get(cell).and_then(|sources| sources.iter().find(|it| matches!(it, Source::Kept(_))));
        let is_communicator = |value: Option<&Value>| matches!(value, Some(Value::Communicators(_)));
        let others = flows.keys().filter(|cell| !is_communicator(values.held.get(cell)));
        let others: Vec<(&Cell, &Source)> = others.filter_map(|cell| Some((cell, kept(cell)?))).collect();
        if !others.is_empty() {
            for (cell, source) in others {
                if values.held.insert(cell.clone(), Value::Anything) != Some(Value::Anything) {
                    values.note_cause(program, cell, source);
                }
            }
            values.hold(program, &flows, &readers);
        }
        values.find_wildcards(program, &flows, &readers);
        values
    }

    /// Who else could call the procedures of the program.
    pub fn other_callers(&self) -> &OtherCallers {
        &self.callers
    }

    /// What the expression can have as its value wherever the procedure evaluates it.
    pub fn of_expression(&self, program: &Program, procedure: ProcedureId, expression: &Expression) -> Value {
        let body = program.procedure(procedure);
        match &expression.kind {
            ExpressionKind::Integer(value) => Value::integer(*value),
            ExpressionKind::Symbol(id) => self.of_symbol(program, procedure, *id),
            ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => {
                self.of_expression(program, procedure, operand)
            }
            ExpressionKind::Element { array, subscripts } => self.of_element(program, procedure, *array, subscripts),
            ExpressionKind::Section { array, .. } => self.of_symbol(program, procedure, *array),
            ExpressionKind::Part { component: Some(component), .. } => self.of_component(program, component),
            ExpressionKind::Call { callee: Callee::Procedure(function), .. } => self.of_result(program, *function),
            // One of several references: whichever it is.
            ExpressionKind::Computed(references) if are_references(references) => {
                let values = references.iter().map(|reference| self.of_expression(program, procedure, reference));
                values.fold(Value::Nothing, Value::join)
            }
            ExpressionKind::ArrayConstructor(elements) => {
                let values = elements.iter().map(|element| self.of_expression(program, procedure, element));
                values.fold(Value::Nothing, Value::join)
            }
            _ => match polynomial_of(body, expression) {
                Some(polynomial) => self.of_polynomial(program, procedure, &polynomial),
                None => self.of_operation(program, procedure, expression),
            },
        }
    }

    /// What the elements can hold that a procedure gets that is handed this as an array: those behind an element, too.
    fn of_elements_from(&self, program: &Program, procedure: ProcedureId, expression: &Expression) -> Value {
        match &expression.kind {
            ExpressionKind::Element { array, .. } => self.of_symbol(program, procedure, *array),
            _ => self.of_expression(program, procedure, expression),
        }
    }

    /// What the variable can hold, or the constant is.
    pub(super) fn of_symbol(&self, program: &Program, procedure: ProcedureId, id: SymbolId) -> Value {
        let symbol = program.procedure(procedure).symbol(id);
        match &symbol.class {
            SymbolClass::Constant(Some(value)) => Value::integer(*value),
            SymbolClass::Constant(None) => match &symbol.initial_values {
                Some(values) => any_of(&values.elements),
                None => Value::Anything,
            },
            SymbolClass::MessagingConstant => Value::of_constant(&symbol.name, symbol.element),
            SymbolClass::Variable => match self.cell(program, procedure, id) {
                Some(cell) => self.held.get(&cell).cloned().unwrap_or(Value::Nothing),
                None => Value::Anything,
            },
            SymbolClass::Procedure | SymbolClass::Unknown => Value::Anything,
        }
    }

    /// What the function can have as its value: whatever is stored to its result, in any call of it.
    fn of_result(&self, program: &Program, function: ProcedureId) -> Value {
        let result = program.procedure(function).result;
        result.map_or(Value::Anything, |result| self.of_symbol(program, function, result))
    }

    /// The variable that a part of an expression, by itself, stands for or has its value from: of a reference to a function
    /// that is its result.
    fn cell_of_part(&self, program: &Program, procedure: ProcedureId, part: &Expression) -> Option<Cell> {
        match &part.kind {
            ExpressionKind::Part { component: Some(component), .. } => self.component_cell(program, component),
            ExpressionKind::Call { callee: Callee::Procedure(function), .. } => {
                self.cell(program, *function, program.procedure(*function).result?)
            }
            _ => self.cell(program, procedure, part.designated()?),
        }
    }

    fn of_component(&self, program: &Program, component: &ComponentName) -> Value {
        match self.component_cell(program, component) {
            Some(cell) => self.held.get(&cell).cloned().unwrap_or(Value::Nothing),
            None => Value::Anything,
        }
    }

    /// What the element can be: that of a constant, or of an array that only has what it has from the beginning, is known
    /// where its subscripts are; any other may be what any element of the array is.
    fn of_element(
        &self,
        program: &Program,
        procedure: ProcedureId,
        array: SymbolId,
        subscripts: &[Expression],
    ) -> Value {
        let symbol = program.procedure(procedure).symbol(array);
        let is_fixed = match &symbol.class {
            SymbolClass::Constant(_) => true,
            _ => self.cell(program, procedure, array).is_some_and(|cell| self.never_assigned.contains(&cell)),
        };
        let Some(values) = symbol.initial_values.as_ref().filter(|_| is_fixed) else {
            return self.of_symbol(program, procedure, array);
        };
        let subscript = |subscript| self.of_expression(program, procedure, subscript).as_integer();
        let subscripts: Option<Vec<i64>> = subscripts.iter().map(subscript).collect();
        match subscripts {
            Some(subscripts) => values.element(&subscripts).map_or(Value::Anything, Value::integer),
            None => self.of_symbol(program, procedure, array),
        }
    }

    /// The values of an operation or an intrinsic function, each operand taken for itself. They are worked out element by
    /// element, so that it does not matter whether the operands are arrays.
    fn of_operation(&self, program: &Program, procedure: ProcedureId, expression: &Expression) -> Value {
        let operands: Vec<&Expression> = match &expression.kind {
            ExpressionKind::Unary { operator: UnaryOperator::Negate, operand } => vec![operand],
            ExpressionKind::Binary { left, right, .. } => vec![left, right],
            ExpressionKind::Call { callee: Callee::PureIntrinsic(_), arguments } => arguments.iter().collect(),
            _ => return Value::Anything,
        };
        let values = operands.iter().map(|operand| self.of_expression(program, procedure, operand));
        // Which of them it is does not matter.
        if let ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } = &expression.kind
            && name == "merge"
            && operands.len() == 3
        {
            return values.take(2).fold(Value::Nothing, Value::join);
        }
        // Other functions may ask only for the size, the kind and the like, which a variable without a value has, too.
        let needs_values = match &expression.kind {
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } => {
                integer_intrinsic(name, &vec![1; operands.len()]).is_some()
            }
            _ => true,
        };
        let mut numbers: Vec<BTreeSet<i64>> = Vec::with_capacity(operands.len());
        for value in values {
            match value {
                Value::Integers(found) => numbers.push(found),
                Value::Nothing if needs_values => return Value::Nothing,
                Value::Nothing => return Value::Anything,
                Value::Communicators(_) | Value::Datatypes(_) | Value::ErrorHandlers(_) | Value::Anything => {
                    return Value::Anything;
                }
            }
        }
        let known = all_results(&numbers, &|values| match (&expression.kind, values) {
            (ExpressionKind::Unary { .. }, [operand]) => operand.checked_neg(),
            (ExpressionKind::Binary { operator, .. }, &[left, right]) => integer_operation(*operator, left, right),
            (ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. }, values) => {
                integer_intrinsic(name, values)
            }
            _ => None,
        });
        known.map_or(Value::Anything, Value::Integers)
    }

    /// The values of a polynomial whose variables have one number each, but for one that may have several.
    fn of_polynomial(&self, program: &Program, procedure: ProcedureId, polynomial: &Polynomial) -> Value {
        let mut results = vec![polynomial.clone()];
        for variable in polynomial.variables() {
            let numbers = match self.of_symbol(program, procedure, variable) {
                Value::Integers(numbers) => numbers,
                Value::Nothing => return Value::Nothing,
                Value::Communicators(_) | Value::Datatypes(_) | Value::ErrorHandlers(_) | Value::Anything => {
                    return Value::Anything;
                }
            };
            if results.len() * numbers.len() > MOST_NUMBERS {
                return Value::Anything;
            }
            let substitute =
                |result: &Polynomial, number: i64| result.checked_substitute(variable, &Polynomial::constant(number));
            let substituted: Option<Vec<Polynomial>> =
                results.iter().flat_map(|result| numbers.iter().map(|&number| substitute(result, number))).collect();
            match substituted {
                Some(substituted) => results = substituted,
                None => return Value::Anything,
            }
        }
        let numbers: Option<BTreeSet<i64>> = results.iter().map(Polynomial::as_constant).collect();
        numbers.map_or(Value::Anything, Value::Integers)
    }

    /// The variable that a name stands for, if all stores to it can be seen.
    fn cell(&self, program: &Program, procedure: ProcedureId, id: SymbolId) -> Option<Cell> {
        let body = program.procedure(procedure);
        let symbol = body.symbol(id);
        if let Storage::Component { name, .. } = &symbol.storage {
            return self.component_cell(program, name);
        }
        let is_followed = symbol.class == SymbolClass::Variable
            && matches!(symbol.element.category, TypeCategory::Integer | TypeCategory::Derived)
            && (!symbol.target || symbol.place_inside.is_some())
            && !symbol.volatile
            && has_known_beginning(symbol)
            && symbol.overlay.is_none()
            && !is_uncertain(body);
        if !is_followed {
            return None;
        }
        if let Some(place) = &symbol.place_inside {
            return self.shared_cell(place);
        }
        match &symbol.storage {
            // A dummy argument with a value of its own is local, too.
            Storage::Local | Storage::Static | Storage::Dummy => {
                let is_known = !body.dummies.contains(&id) || self.callers.callers_are_known(procedure);
                is_known.then_some(Cell::Own(procedure, id))
            }
            Storage::Global(place) => self.shared_cell(place),
            Storage::Allocatable | Storage::Pointer | Storage::Component { .. } => None,
        }
    }

    /// The variable that several procedures see, if all stores to it can be seen.
    fn shared_cell(&self, place: &Place) -> Option<Cell> {
        let is_known = self.callers.open_world.is_none() && !self.uncertain_places.contains(place);
        is_known.then(|| Cell::Shared(place.clone()))
    }

    /// The component, if all stores to it can be seen.
    fn component_cell(&self, program: &Program, component: &ComponentName) -> Option<Cell> {
        let declared = program.structures.get(&component.structure)?.components.get(&component.name)?;
        let is_followed = matches!(declared.element.category, TypeCategory::Integer | TypeCategory::Derived)
            && declared.structures.is_empty()
            && self.callers.open_world.is_none();
        is_followed.then(|| Cell::Component(component.clone()))
    }
}

/// Are they references to functions of the program, of which one is meant?
fn are_references(operands: &[Expression]) -> bool {
    let is_reference = |it: &Expression| matches!(it.kind, ExpressionKind::Call { callee: Callee::Procedure(_), .. });
    operands.len() > 1 && operands.iter().all(|it| is_reference(it) && it.span == operands[0].span)
}

/// Any of these numbers.
fn any_of(elements: &[Option<i64>]) -> Value {
    let numbers: Option<BTreeSet<i64>> = elements.iter().copied().collect();
    numbers.filter(|numbers| numbers.len() <= MOST_NUMBERS).map_or(Value::Anything, Value::Integers)
}

/// The results of `operation` for all combinations of the operands; `None` if one is not known or they are too many.
fn all_results(operands: &[BTreeSet<i64>], operation: &dyn Fn(&[i64]) -> Option<i64>) -> Option<BTreeSet<i64>> {
    let mut combinations: Vec<Vec<i64>> = vec![Vec::new()];
    for operand in operands {
        if combinations.len() * operand.len() > MOST_NUMBERS * MOST_NUMBERS {
            return None;
        }
        let longer = |combination: &Vec<i64>, number: i64| [combination.as_slice(), &[number]].concat();
        combinations =
            combinations.iter().flat_map(|one| operand.iter().map(move |&number| longer(one, number))).collect();
    }
    let results: Option<BTreeSet<i64>> = combinations.iter().map(|values| operation(values)).collect();
    results.filter(|results| results.len() <= MOST_NUMBERS)
}

/// Has the variable no value before the program starts, or one that is known? A value makes a local one keep what it has
/// from one call to the next (Fortran 2018, 8.5.16), which a variable that holds whatever is stored anywhere does anyway.
fn has_known_beginning(symbol: &Symbol) -> bool {
    !symbol.initialised || symbol.initial_values.is_some() || symbol.initial_constant.is_some()
}

/// The shared variables of which some name can't be followed, so that the others can't either.
fn uncertain_places(program: &Program, callers: &OtherCallers) -> BTreeSet<Place> {
    let mut places = BTreeSet::new();
    let mut named: BTreeMap<&str, Vec<&Procedure>> = BTreeMap::new();
    for (_, procedure) in program.procedures() {
        named.entry(&procedure.name).or_default().push(procedure);
    }
    for (id, procedure) in program.procedures() {
        for (index, symbol) in procedure.symbols.iter().enumerate() {
            if let Some(place) = &symbol.place_inside {
                let is_dummy = procedure.dummies.contains(&SymbolId(index));
                let is_certain = !is_uncertain(procedure) && (!is_dummy || callers.callers_are_known(id));
                let is_plain = !symbol.volatile && has_known_beginning(symbol) && symbol.overlay.is_none();
                if !is_certain || !is_plain {
                    places.insert(place.clone());
                }
                continue;
            }
            let Storage::Global(place) = &symbol.storage else { continue };
            let is_certain = match place {
                _ if place.is_one_variable() => true,
                Place::Host { host, name } => is_shared_by_host(&named, (host, name), place),
                // What lies in a COMMON block is not told apart by its name.
                _ => false,
            };
            let is_plain =
                !symbol.target && !symbol.volatile && has_known_beginning(symbol) && symbol.overlay.is_none();
            if !is_certain || !is_plain {
                places.insert(place.clone());
            }
        }
    }
    places
}

/// Is the variable at this place to its host, too?
fn is_shared_by_host(named: &BTreeMap<&str, Vec<&Procedure>>, (host, name): (&str, &str), place: &Place) -> bool {
    let is_shared = |procedure: &&Procedure| {
        let symbol = procedure.symbols.iter().find(|symbol| symbol.name == name);
        symbol.is_some_and(|symbol| {
            let is_global = matches!(&symbol.storage, Storage::Global(own) if own == place);
            is_global || symbol.place_inside.as_ref() == Some(place)
        })
    };
    named.get(host).is_some_and(|hosts| hosts.iter().all(is_shared))
}

impl Fact for Values {
    fn of(facts: &Facts<'_>) -> Self {
        Self::of(facts)
    }
}

impl Facts<'_> {
    /// What the variables of the program can hold.
    pub fn values(&self) -> &Values {
        self.get()
    }

    /// What the expression can have as its value wherever the procedure evaluates it.
    pub fn value(&self, procedure: ProcedureId, expression: &Expression) -> Value {
        self.values().of_expression(self.program, procedure, expression)
    }

    /// The value that an integer expression has wherever it is evaluated in the procedure, if there is one: its
    /// variables are only ever assigned one constant.
    pub fn constant_value(&self, procedure: ProcedureId, expression: &Expression) -> Option<i64> {
        match expression.kind {
            ExpressionKind::Integer(value) => Some(value),
            _ => self.value(procedure, expression).as_integer(),
        }
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
