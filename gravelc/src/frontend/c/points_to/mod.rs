//! Which objects the pointers of a program may lead to.
//!
//! `double *a = malloc(n), *b = malloc(n);`: `a` and `b` lead to two objects, one for each place where memory is allocated. So what is
//! stored through `b` changes nothing of what `a` leads to, and a message to `b` may be on its way while `a` is worked on.
//!
//! 1. `program` makes objects of variables and functions; `expressions` and `outside` read what the program's text, and the
//!    functions that are not in it, do with pointers, and make constraints of it. A small function that allocates memory is
//!    read for each call of it: two calls give two objects.
//! 2. `solver` draws the conclusions, over the whole program, whatever the order of statements (Andersen's analysis). Offsets in
//!    objects are told apart (`objects`), so that two pointers in one structure are.
//! 3. What is not followed (integers that become pointers, assembler, functions that are not known) leads to
//!    `ObjectId::OUTSIDE`, and lets it know what it is given. It may be all memory that others know.
//!
//! That what is true of objects is true of accesses takes C11 6.5.6p8: a pointer that is moved stays in its object.

mod effective_types;
mod expressions;
mod layout;
mod objects;
mod outside;
mod program;
mod solver;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use self::expressions::Reader;
use self::objects::ObjectId;
use self::program::{Analysis, is_uncertain};
use crate::frontend::c::lower::library::is_of_linear_algebra;
use crate::frontend::c::mpi_calls::is_routine_name;
use crate::frontend::c::unit::{ExpressionId, Linkage, Operation, SymbolId, SymbolKind, Unit};
use crate::ir::MemoryObjects;

/// Calls that may call more functions may call any.
const MOST_CALLED: usize = 64;

/// Sets with more objects say nothing.
const LARGEST: usize = 64;

/// A function of the program: the number of its unit, and its name there.
pub type GivenFunction = (usize, SymbolId);

/// What pointers lead to, in the units of a program.
pub struct PointsTo {
    units: Vec<OfUnit>,
}

/// The same in one unit.
#[derive(Default)]
pub struct OfUnit {
    expressions: HashMap<ExpressionId, MemoryObjects>,
    called: HashMap<ExpressionId, Vec<GivenFunction>>,
    variables: HashMap<SymbolId, MemoryObjects>,
    pointers: HashMap<SymbolId, MemoryObjects>,
}

impl OfUnit {
    /// The objects that the pointer leads to, if that is known.
    pub fn behind(&self, pointer: ExpressionId) -> Option<&MemoryObjects> {
        self.expressions.get(&pointer)
    }

    /// The functions that a call through this pointer may call, if these are all, and few.
    pub fn called(&self, callee: ExpressionId) -> Option<&[GivenFunction]> {
        self.called.get(&callee).map(Vec::as_slice)
    }

    /// The objects that the value of a variable, which is a pointer, leads to, if that is known.
    pub fn behind_variable(&self, pointer: SymbolId) -> Option<&MemoryObjects> {
        self.pointers.get(&pointer)
    }

    /// The object that the variable is, if it is known.
    pub fn variable(&self, variable: SymbolId) -> Option<&MemoryObjects> {
        self.variables.get(&variable)
    }
}

/// What is true of a program beside its text.
#[derive(Debug, Clone, Copy)]
pub struct Assumptions {
    /// There is nothing of it in other languages.
    pub is_whole: bool,
    /// Objects are accessed as their types say (C11 6.5p7): compilers are not told otherwise.
    pub keeps_types: bool,
}

impl PointsTo {
    /// Of these units with their texts, which are all of the program that is in C.
    pub fn of(units: &[&Unit], texts: &[&[u8]], assumptions: Assumptions) -> Self {
        let is_whole = assumptions.is_whole;
        let mut analysis = Analysis::new(units, texts, assumptions);
        for number in 0..units.len() {
            Reader::read_unit(&mut analysis, number);
        }
        for (number, unit) in units.iter().enumerate() {
            if is_uncertain(unit) {
                analysis.give_away(number);
            }
        }
        let has_others = analysis.open_undefined();
        if !is_whole || has_others || is_open(&analysis) {
            analysis.open();
        }
        let is_known = analysis.solver.solve();
        let units = (0..units.len()).map(|number| if is_known { found(&analysis, number) } else { OfUnit::default() });
        Self { units: units.collect() }
    }

    /// What is known of the unit of this number.
    pub fn unit(&self, number: usize) -> &OfUnit {
        &self.units[number]
    }
}

/// May the program have other units than these: does it lack `main`, or a function that no header of the system declares? (A variable
/// that is missing says so, too.)
fn is_open(analysis: &Analysis) -> bool {
    let is_main = |unit: &&Unit| {
        unit.functions
            .iter()
            .any(|function| unit.symbol(function.symbol).name.is_some_and(|name| unit.names.text(name) == "main"))
    };
    let calls_others = |(number, unit): (usize, &&Unit)| {
        unit.expressions.iter().any(|expression| match expression.operation {
            Operation::Symbol(symbol) => {
                let declared = unit.symbol(symbol);
                let name = declared.name.map_or("", |name| unit.names.text(name));
                declared.kind == SymbolKind::Function
                    && declared.linkage == Linkage::External
                    && !unit.is_stand_in(symbol)
                    && !is_routine_name(name)
                    && !is_of_linear_algebra(name, analysis.is_whole)
                    && analysis.function(number, symbol).is_none()
            }
            _ => false,
        })
    };
    !analysis.units.iter().any(is_main)
        || analysis.units.iter().any(|unit| !unit.holes.is_empty())
        || analysis.units.iter().enumerate().any(calls_others)
}

fn found(analysis: &Analysis, number: usize) -> OfUnit {
    let mut of_unit = OfUnit::default();
    for (id, nodes) in &analysis.values[number] {
        let objects: BTreeSet<ObjectId> = nodes.iter().flat_map(|node| analysis.solver.objects_behind(*node)).collect();
        of_unit.called.extend(functions_among(analysis, &objects).map(|found| (*id, found)));
        of_unit.expressions.extend(described(analysis, objects).map(|found| (*id, found)));
    }
    for symbol in (0..analysis.units[number].symbols.len()).map(SymbolId::next) {
        let objects = analysis.known_objects(number, symbol);
        let pointers = objects.iter().flat_map(|object| analysis.solver.objects_in(*object));
        of_unit.pointers.extend(described(analysis, pointers.collect()).map(|found| (symbol, found)));
        of_unit.variables.extend(described(analysis, objects.into_iter().collect()).map(|found| (symbol, found)));
    }
    of_unit
}

/// The functions that the objects are, if all are known. A pointer that leads nowhere calls none: the call is not executed.
fn functions_among(analysis: &Analysis, objects: &BTreeSet<ObjectId>) -> Option<Vec<GivenFunction>> {
    let found: Vec<GivenFunction> = objects.iter().filter_map(|object| analysis.function_that_is(*object)).collect();
    let are_all = !objects.contains(&ObjectId::OUTSIDE) && found.is_empty() == objects.is_empty();
    let are_all = are_all && found.len() <= MOST_CALLED;
    are_all.then_some(found)
}

/// The objects as the program has them; nothing, if nothing is known. What leads nowhere is not known, either.
fn described(analysis: &Analysis, objects: BTreeSet<ObjectId>) -> Option<MemoryObjects> {
    let may_be_others = objects.contains(&ObjectId::OUTSIDE);
    let own: BTreeSet<u32> = objects.iter().filter(|id| **id != ObjectId::OUTSIDE).map(|id| id.0).collect();
    if objects.is_empty() || own.len() > LARGEST {
        return None;
    }
    let are_known_to_others = objects.iter().any(|id| analysis.solver.objects[id.index()].is_escaped);
    Some(MemoryObjects { own: Arc::new(own), may_be_others, are_known_to_others })
}
