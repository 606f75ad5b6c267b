//! What integer scalars and handles can hold, anywhere in the program: constants, communicators and predefined
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
//! Variables that pointers can reach, that share memory under another name or have a value before the program starts
//! may hold anything. A variable that is read before it is written has no value (Fortran 2018, 19.6): that is not
//! provided for.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    ElementType, Expression, ExpressionKind, Polynomial, Procedure, ProcedureId, Program, Shape, Storage, SymbolClass,
    SymbolId, TypeCategory, UnaryOperator, is_one_variable,
};

use super::calls::{OtherCallers, is_uncertain};
use super::facts::SiteId;
use super::outside::Outside;
use super::symbolic::polynomial_of;

mod stores;

use stores::{Source, Stores};

/// Where a communicator comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommunicatorSource {
    /// `MPI_COMM_WORLD`.
    World,
    /// `MPI_COMM_SELF`.
    OwnProcess,
    /// Made by this call.
    CreatedAt(SiteId),
}

/// What an expression can have as its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing that a conforming program could use (so far: nothing is stored there).
    Nothing,
    /// One of these numbers, none of them dependent on the process.
    Integers(BTreeSet<i64>),
    /// One of these communicators.
    Communicators(BTreeSet<CommunicatorSource>),
    /// One of the predefined datatypes that stand for these types.
    Datatypes(BTreeSet<ElementType>),
    /// Not known.
    Anything,
}

/// More numbers than these are not kept apart.
const MOST_NUMBERS: usize = 16;

impl Value {
    fn integer(value: i64) -> Self {
        Value::Integers(BTreeSet::from([value]))
    }

    fn communicator(source: CommunicatorSource) -> Self {
        Value::Communicators(BTreeSet::from([source]))
    }

    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Value::Nothing, value) | (value, Value::Nothing) => value,
            (Value::Integers(mut one), Value::Integers(other)) => {
                one.extend(other);
                if one.len() > MOST_NUMBERS { Value::Anything } else { Value::Integers(one) }
            }
            (Value::Communicators(mut one), Value::Communicators(other)) => {
                one.extend(other);
                Value::Communicators(one)
            }
            (Value::Datatypes(mut one), Value::Datatypes(other)) => {
                one.extend(other);
                Value::Datatypes(one)
            }
            _ => Value::Anything,
        }
    }

    /// The number, if it is only one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Value::Integers(values) if values.len() == 1 => values.first().copied(),
            _ => None,
        }
    }
}

/// A variable, whatever it is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    /// A variable or a dummy argument of one procedure.
    Own(ProcedureId, SymbolId),
    /// A variable that several procedures see.
    Shared(String),
}

/// What the variables of a program can hold.
#[derive(Debug)]
pub struct Values {
    callers: OtherCallers,
    /// Shared variables that may hold anything.
    uncertain_places: BTreeSet<String>,
    /// Variables that stores put a value in. One that is not here has nothing stored to it.
    held: BTreeMap<Cell, Value>,
}

impl Values {
    /// Works out what the variables of a program can hold.
    pub fn of(outside: Outside) -> Self {
        let program = outside.program;
        let callers = OtherCallers::of(outside);
        let uncertain_places = uncertain_places(program);
        let mut values = Self { callers, uncertain_places, held: BTreeMap::new() };
        let flows = values.flows(program);
        loop {
            let mut changed = false;
            for (cell, sources) in &flows {
                let before = values.held.get(cell).cloned().unwrap_or(Value::Nothing);
                let mut after = before.clone();
                for source in sources {
                    // Nothing is more general.
                    if after == Value::Anything {
                        break;
                    }
                    after = after.join(values.of_source(program, source));
                }
                if after != before {
                    values.held.insert(cell.clone(), after);
                    changed = true;
                }
            }
            // Every round makes some value more general, which happens a bounded number of times to each.
            if !changed {
                break;
            }
        }
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
            _ => match polynomial_of(body, expression) {
                Some(polynomial) => self.of_polynomial(program, procedure, &polynomial),
                None => Value::Anything,
            },
        }
    }

    fn of_symbol(&self, program: &Program, procedure: ProcedureId, id: SymbolId) -> Value {
        let symbol = program.procedure(procedure).symbol(id);
        match &symbol.class {
            SymbolClass::Constant(Some(value)) => Value::integer(*value),
            SymbolClass::MessagingConstant => match symbol.name.as_str() {
                "mpi_comm_world" => Value::communicator(CommunicatorSource::World),
                "mpi_comm_self" => Value::communicator(CommunicatorSource::OwnProcess),
                // No message goes there.
                "mpi_comm_null" => Value::Nothing,
                _ if symbol.element.bytes.is_some() => Value::Datatypes(BTreeSet::from([symbol.element])),
                _ => Value::Anything,
            },
            SymbolClass::Variable => match self.cell(program, procedure, id) {
                Some(cell) => self.held.get(&cell).cloned().unwrap_or(Value::Nothing),
                None => Value::Anything,
            },
            SymbolClass::Constant(None) | SymbolClass::Procedure | SymbolClass::Unknown => Value::Anything,
        }
    }

    /// The values of a polynomial whose variables have one number each, but for one that may have several.
    fn of_polynomial(&self, program: &Program, procedure: ProcedureId, polynomial: &Polynomial) -> Value {
        let mut results = vec![polynomial.clone()];
        for variable in polynomial.variables() {
            let numbers = match self.of_symbol(program, procedure, variable) {
                Value::Integers(numbers) => numbers,
                Value::Nothing => return Value::Nothing,
                Value::Communicators(_) | Value::Datatypes(_) | Value::Anything => return Value::Anything,
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

    fn of_source(&self, program: &Program, source: &Source) -> Value {
        match source {
            Source::Expression(procedure, expression) => self.of_expression(program, *procedure, expression),
            Source::Created(site) => Value::communicator(CommunicatorSource::CreatedAt(*site)),
            Source::Dummy(procedure, dummy) => self.of_symbol(program, *procedure, *dummy),
            Source::Null => Value::Nothing,
            Source::Lost => Value::Anything,
        }
    }

    /// The variable that a name stands for, if all stores to it can be seen.
    fn cell(&self, program: &Program, procedure: ProcedureId, id: SymbolId) -> Option<Cell> {
        let body = program.procedure(procedure);
        let symbol = body.symbol(id);
        let is_followed = symbol.class == SymbolClass::Variable
            && symbol.shape == Shape::Scalar
            && matches!(symbol.element.category, TypeCategory::Integer | TypeCategory::Derived)
            && !symbol.target
            && !symbol.volatile
            && !symbol.initialised
            && symbol.overlay.is_none()
            && !is_uncertain(body);
        if !is_followed {
            return None;
        }
        match &symbol.storage {
            // A dummy argument with a value of its own is local, too.
            Storage::Local | Storage::Static | Storage::Dummy => {
                let is_known = !body.dummies.contains(&id) || self.callers.callers_are_known(procedure);
                is_known.then_some(Cell::Own(procedure, id))
            }
            Storage::Global(place) => {
                let is_known = self.callers.open_world.is_none() && !self.uncertain_places.contains(place);
                is_known.then(|| Cell::Shared(place.clone()))
            }
            Storage::Allocatable | Storage::Pointer => None,
        }
    }

    /// What is stored to each variable.
    fn flows<'p>(&self, program: &'p Program) -> BTreeMap<Cell, Vec<Source<'p>>> {
        let stores = Stores::of(program);
        let mut flows: BTreeMap<Cell, Vec<Source<'p>>> = BTreeMap::new();
        for ((procedure, symbol), sources) in stores.into_sources() {
            if let Some(cell) = self.cell(program, procedure, symbol) {
                flows.entry(cell).or_default().extend(sources);
            }
        }
        flows
    }
}

/// The shared variables of which some name can't be followed, so that the others can't either.
fn uncertain_places(program: &Program) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    for (_, procedure) in program.procedures() {
        for symbol in &procedure.symbols {
            let Storage::Global(place) = &symbol.storage else { continue };
            let is_certain = match place.split_once(':') {
                _ if is_one_variable(place) => true,
                Some(("host", path)) => is_shared_by_host(program, path, place),
                // The members of a COMMON block are not told apart by its name.
                _ => false,
            };
            let is_plain = !symbol.target && !symbol.volatile && !symbol.initialised && symbol.overlay.is_none();
            if !is_certain || !is_plain {
                places.insert(place.clone());
            }
        }
    }
    places
}

/// Has the host's own name for its variable the same place? What ends with a call of the host has not.
fn is_shared_by_host(program: &Program, path: &str, place: &str) -> bool {
    let Some((host, name)) = path.split_once(':') else { return false };
    let mut hosts = program.procedures.iter().filter(|procedure| procedure.name == host).peekable();
    let is_shared = |procedure: &Procedure| {
        let symbol = procedure.symbols.iter().find(|symbol| symbol.name == name);
        symbol.is_some_and(|symbol| matches!(&symbol.storage, Storage::Global(own) if own == place))
    };
    hosts.peek().is_some() && hosts.all(is_shared)
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
