//! Who is who in the whole program: variables and functions as objects, and which functions are read for each call of them.

use std::collections::HashMap;

use super::Assumptions;
use super::expressions::{Kind, Reader};
use super::layout::bytes_of;
use super::objects::{ObjectId, Offset};
use super::solver::{Called, Node, Passed, Solver, Target, Use};
use crate::frontend::c::lower::library::{self, Use as LibraryUse};
use crate::frontend::c::unit::{ExpressionId, Function, Linkage, Operation, Span, Storage, SymbolId, SymbolKind, Unit};

/// So many calls around one another are read for themselves.
const DEEPEST: usize = 3;

/// Functions with more expressions are read once for all calls.
const LARGEST_ALLOCATOR: usize = 600;

/// After so many expressions in functions that are read for a call no more are.
const MOST_READ_AGAIN: usize = 2_000_000;

/// A unit, and a run of one of its functions that is told apart from others; 0 stands for all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Context {
    /// The number of the unit.
    pub unit: usize,
    /// The number of the run.
    pub run: usize,
}

fn has_second_names(unit: &Unit) -> bool {
    (0..unit.symbols.len()).map(SymbolId::next).any(|id| unit.has_second_name(id))
}

/// The analysis of a program.
pub struct Analysis<'a> {
    /// Its units.
    pub units: &'a [&'a Unit],
    /// The text of each.
    pub texts_of_units: &'a [&'a [u8]],
    /// Is there nothing of the program in other languages?
    pub is_whole: bool,
    /// Are objects accessed as their types say?
    pub keeps_types: bool,
    /// Is some variable another name for one that may be declared here (`alias`, `asm("name")`)?
    has_second_names: bool,
    /// The constraints.
    pub solver: Solver,
    /// Where the pointers are that the expressions of each unit are, in all runs.
    pub values: Vec<HashMap<ExpressionId, Vec<Node>>>,
    /// Objects with external linkage.
    external: HashMap<String, ObjectId>,
    /// All others.
    own: HashMap<(Context, SymbolId), ObjectId>,
    /// These, of all runs.
    in_runs: HashMap<(usize, SymbolId), Vec<ObjectId>>,
    /// Functions with external linkage; none where two have the name.
    external_functions: HashMap<String, Option<ObjectId>>,
    /// The functions of each unit.
    functions: HashMap<(usize, SymbolId), ObjectId>,
    /// What each of these objects is.
    defined: HashMap<ObjectId, (usize, SymbolId)>,
    /// Those that allocate memory, with their units and what they are.
    allocators: HashMap<ObjectId, (usize, &'a Function)>,
    /// What functions give back.
    results: HashMap<(Context, SymbolId), Passed>,
    texts: Option<ObjectId>,
    runs: usize,
    read_again: usize,
}

fn spelled(unit: &Unit, symbol: SymbolId) -> &str {
    unit.symbol(symbol).name.map_or("", |name| unit.names.text(name))
}

fn is_within(inner: &Span, outer: &Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

impl<'a> Analysis<'a> {
    /// Of these units with their texts, before anything of them is read.
    pub fn new(units: &'a [&'a Unit], texts_of_units: &'a [&'a [u8]], assumptions: Assumptions) -> Self {
        let Assumptions { is_whole, keeps_types } = assumptions;
        let mut analysis = Self {
            units,
            texts_of_units,
            is_whole,
            keeps_types,
            has_second_names: units.iter().any(|unit| has_second_names(unit)),
            solver: Solver::new(),
            values: units.iter().map(|_| HashMap::new()).collect(),
            external: HashMap::new(),
            own: HashMap::new(),
            in_runs: HashMap::new(),
            external_functions: HashMap::new(),
            functions: HashMap::new(),
            defined: HashMap::new(),
            allocators: HashMap::new(),
            results: HashMap::new(),
            texts: None,
            runs: 0,
            read_again: 0,
        };
        analysis.declare_functions();
        analysis.find_allocators();
        analysis
    }

    fn declare_functions(&mut self) {
        let mut given_away = Vec::new();
        for (number, unit) in self.units.iter().enumerate() {
            for function in &unit.functions {
                let declared = unit.symbol(function.symbol);
                let object = self.solver.new_object();
                self.functions.insert((number, function.symbol), object);
                self.defined.insert(object, (number, function.symbol));
                let attributes = &declared.attributes;
                let is_replaced = attributes.is_weak || attributes.is_alias || declared.assembler_name.is_some();
                let is_certain = !is_replaced && !function.is_nested;
                if declared.linkage == Linkage::External {
                    let name = spelled(unit, function.symbol).to_owned();
                    let entry = self.external_functions.entry(name).or_insert(is_certain.then_some(object));
                    *entry = entry.filter(|known| *known == object);
                }
                if !is_certain || attributes.runs_by_itself || attributes.has_cleanup || function.has_assembler {
                    given_away.push(object);
                }
            }
        }
        for (number, unit) in self.units.iter().enumerate() {
            for function in &unit.functions {
                let object = self.functions[&(number, function.symbol)];
                self.define_function(Context { unit: number, run: 0 }, function, object);
                let is_external = unit.symbol(function.symbol).linkage == Linkage::External;
                let name = spelled(unit, function.symbol);
                // Which of two definitions runs is not known. The arguments of `main` come from outside.
                if is_external && (name == "main" || self.external_functions.get(name).is_some_and(Option::is_none)) {
                    given_away.push(object);
                }
            }
        }
        given_away.into_iter().for_each(|object| self.solver.escape(object));
    }

    fn define_function(&mut self, context: Context, function: &Function, object: ObjectId) {
        let unit = self.units[context.unit];
        let mut parameters = Vec::new();
        for &parameter in &function.parameters {
            let object = self.object_of(context, parameter);
            let ty = unit.symbol(parameter).ty;
            parameters.push(match Kind::of(&unit.types, ty) {
                Kind::Structure => Passed::Structure(object, bytes_of(&unit.types, ty)),
                _ => Passed::Value(self.solver.written_at(Target { object, offset: Offset::At(0) })),
            });
        }
        let result = unit.types.as_function(unit.symbol(function.symbol).ty.id).map(|it| it.result);
        let result = result.map(|result| match Kind::of(&unit.types, result) {
            Kind::Structure => Passed::Structure(self.solver.new_object(), bytes_of(&unit.types, result)),
            _ => Passed::Value(self.solver.new_node()),
        });
        self.results.extend(result.map(|result| ((context, function.symbol), result)));
        self.solver.is_function(object, Called { parameters, result });
    }

    /// Small functions that give a pointer back and, themselves or by such a function, allocate memory.
    fn find_allocators(&mut self) {
        for _ in 0..DEEPEST {
            for (number, unit) in self.units.iter().copied().enumerate() {
                for function in &unit.functions {
                    let object = self.functions[&(number, function.symbol)];
                    let result = unit.types.as_function(unit.symbol(function.symbol).ty.id).map(|it| it.result);
                    let gives = result.is_some_and(|result| Kind::of(&unit.types, result) == Kind::Pointer);
                    if gives && !self.allocators.contains_key(&object) && self.allocates(number, function) {
                        self.allocators.insert(object, (number, function));
                    }
                }
            }
        }
    }

    fn allocates(&self, number: usize, function: &Function) -> bool {
        let unit = self.units[number];
        // What is not read in all of its runs alike is read for none of them.
        if is_uncertain(unit) {
            return false;
        }
        let inside = unit.expressions.iter().filter(|expression| is_within(&expression.range, &function.range));
        let mut count = 0;
        let mut allocates = false;
        for expression in inside {
            count += 1;
            if let Operation::Call { callee, .. } = expression.operation
                && let Some(symbol) = unit.function_named(callee)
            {
                let known = self.function(number, symbol);
                let is_fresh = unit.is_stand_in(symbol) && is_allocation(spelled(unit, symbol));
                allocates |= known.map_or(is_fresh, |object| self.allocators.contains_key(&object));
            }
        }
        allocates && count <= LARGEST_ALLOCATOR
    }

    /// A function that stands for one call of an allocator.
    pub fn function_for_call(&mut self, object: ObjectId, depth: usize) -> Option<ObjectId> {
        let &(number, function) = self.allocators.get(&object)?;
        if depth >= DEEPEST || self.read_again > MOST_READ_AGAIN {
            return None;
        }
        let unit = self.units[number];
        self.read_again += unit.expressions.len() / unit.functions.len().max(1);
        self.runs += 1;
        let context = Context { unit: number, run: self.runs };
        let copy = self.solver.new_object();
        self.define_function(context, function, copy);
        Reader::read(self, context, Some(function), depth + 1);
        Some(copy)
    }

    /// The function of the program that a symbol certainly names.
    pub fn function(&self, number: usize, symbol: SymbolId) -> Option<ObjectId> {
        let unit = self.units[number];
        let declared = unit.symbol(symbol);
        match declared.linkage {
            Linkage::External if declared.assembler_name.is_some() => None,
            Linkage::External => self.external_functions.get(spelled(unit, symbol)).copied().flatten(),
            _ => self.functions.get(&(number, symbol)).copied(),
        }
    }

    /// The object that a symbol is.
    pub fn object_of(&mut self, context: Context, symbol: SymbolId) -> ObjectId {
        let unit = self.units[context.unit];
        let declared = unit.symbol(symbol);
        if declared.kind == SymbolKind::Function {
            return self.function(context.unit, symbol).unwrap_or(ObjectId::OUTSIDE);
        }
        if !matches!(declared.kind, SymbolKind::Object | SymbolKind::Parameter) {
            return ObjectId::OUTSIDE;
        }
        if unit.has_second_name(symbol) {
            return ObjectId::OUTSIDE;
        }
        if let Some(known) = self.known_object(context, symbol) {
            return known;
        }
        let object = self.solver.new_object();
        match declared.linkage {
            Linkage::External => self.external.insert(spelled(unit, symbol).to_owned(), object),
            _ => {
                self.in_runs.entry((context.unit, symbol)).or_default().push(object);
                self.own.insert((own_context(unit, context, symbol), symbol), object)
            }
        };
        let is_unknown = unit.types.reason(declared.ty.id).is_some();
        let may_be_another = self.has_second_names && declared.storage != Storage::Automatic;
        if is_unknown || unit.is_stand_in(symbol) || may_be_another {
            self.solver.escape(object);
        }
        object
    }

    /// The function that the object is: its unit and its name there.
    pub fn function_that_is(&self, object: ObjectId) -> Option<(usize, SymbolId)> {
        self.defined.get(&object).copied()
    }

    /// The object that a symbol is, if it has been met.
    pub fn known_object(&self, context: Context, symbol: SymbolId) -> Option<ObjectId> {
        let unit = self.units[context.unit];
        match unit.symbol(symbol).linkage {
            Linkage::External => self.external.get(spelled(unit, symbol)).copied(),
            _ => self.own.get(&(own_context(unit, context, symbol), symbol)).copied(),
        }
    }

    /// The objects that a symbol is in all runs.
    pub fn known_objects(&self, number: usize, symbol: SymbolId) -> Vec<ObjectId> {
        let own = self.in_runs.get(&(number, symbol)).cloned().unwrap_or_default();
        match self.units[number].symbol(symbol).linkage {
            Linkage::External => self.known_object(Context { unit: number, run: 0 }, symbol).into_iter().collect(),
            _ => own,
        }
    }

    /// What stands for all texts: others may know them, and no pointer is ever stored there.
    pub fn texts(&mut self) -> ObjectId {
        *self.texts.get_or_insert_with(|| {
            let texts = self.solver.new_object();
            self.solver.objects[texts.index()].is_constant = true;
            self.solver.escape(texts);
            texts
        })
    }

    /// A function may give this back.
    pub fn add_result(&mut self, context: Context, symbol: SymbolId, value: Node) {
        match self.results.get(&(context, symbol)) {
            Some(Passed::Value(node)) => self.solver.add_copy(value, *node),
            Some(Passed::Structure(result, size)) => {
                let to = Target { object: *result, offset: Offset::At(0) };
                self.solver.add_use(value, Use::CopiedInto(to, *size));
            }
            None => {}
        }
    }

    /// Everything that other units could name is known to others.
    pub fn open(&mut self) {
        let functions = self.external_functions.values().flatten();
        let all: Vec<ObjectId> = self.external.values().chain(functions).copied().collect();
        all.into_iter().for_each(|object| self.solver.escape(object));
    }

    /// Variables that no unit defines are others'. Says whether there are some that are not the system's.
    pub fn open_undefined(&mut self) -> bool {
        let is_defined = |unit: &&Unit, name: &str| {
            unit.global(name).is_some_and(|symbol| unit.symbol(symbol).is_defined || unit.symbol(symbol).is_tentative)
        };
        let undefined = self.external.iter().filter(|(name, _)| !self.units.iter().any(|unit| is_defined(unit, name)));
        let is_of_system = |name: &str| {
            let symbol = |unit: &&Unit| {
                let name = unit.names.find(name)?;
                let symbols = (0..unit.stand_ins).map(SymbolId::next);
                symbols.into_iter().find(|symbol| unit.symbol(*symbol).name == Some(name))
            };
            self.units.iter().any(|unit| symbol(unit).is_some())
        };
        let undefined: Vec<(bool, ObjectId)> = undefined.map(|(name, object)| (is_of_system(name), *object)).collect();
        undefined.iter().for_each(|(_, object)| self.solver.escape(*object));
        undefined.iter().any(|(is_of_system, _)| !is_of_system)
    }

    /// All variables and functions of a unit are known to others.
    pub fn give_away(&mut self, number: usize) {
        for symbol in (0..self.units[number].symbols.len()).map(SymbolId::next) {
            let object = self.object_of(Context { unit: number, run: 0 }, symbol);
            self.solver.escape(object);
        }
    }
}

/// Does the unit do something with pointers that no expression says? Assembler, text that is no C, functions inside of functions; other
/// names of functions, and functions that run where variables end.
pub fn is_uncertain(unit: &Unit) -> bool {
    !unit.holes.is_empty()
        || !unit.assembler.is_empty()
        || unit.symbols.iter().any(|symbol| symbol.attributes.is_alias || symbol.attributes.has_cleanup)
        || unit.functions.iter().any(|function| function.has_assembler || function.is_nested)
}

/// Each run has the variables of its own function for itself.
fn own_context(unit: &Unit, context: Context, symbol: SymbolId) -> Context {
    let is_automatic = unit.symbol(symbol).storage == Storage::Automatic;
    if is_automatic { context } else { Context { run: 0, ..context } }
}

/// Does a function of the C library, or of MPI, give memory that nothing else leads to?
pub fn is_allocation(name: &str) -> bool {
    library::known(name) == Some(LibraryUse::Fresh)
        || matches!(
            name,
            "realloc"
                | "reallocarray"
                | "valloc"
                | "memalign"
                | "posix_memalign"
                | "strdup"
                | "strndup"
                | "MPI_Alloc_mem"
        )
}
