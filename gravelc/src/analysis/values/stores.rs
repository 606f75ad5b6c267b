//! Every store to a variable as a whole, and everything else that may change one.

mod calls_of_mpi;

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::program::calls::{CallSite, call_sites};
use crate::analysis::program::open_world::is_uncertain;
use crate::analysis::program::outside::Outside;
use crate::ir::{
    Callee, Component, ComponentName, ElementType, Expression, ExpressionKind, InitialComponent, Loop, ProcedureId,
    Program, Span, StatementId, StatementKind, Storage, SymbolClass, SymbolId, TypeCategory,
};

/// What is stored.
#[derive(Debug, Clone, Copy)]
pub enum Source<'p> {
    /// The value of an expression of this procedure.
    Expression(ProcedureId, &'p Expression),
    /// The values of the elements that begin here, in an expression of this procedure.
    Elements(ProcedureId, &'p Expression),
    /// The communicator that this call makes.
    Created(SiteId),
    /// The datatype that this call makes.
    CreatedDatatype(SiteId),
    /// What this procedure leaves in its dummy argument.
    Dummy(ProcedureId, SymbolId),
    /// This number, before the program starts.
    Number(i64),
    /// This constant of MPI, before the program starts.
    Constant(&'p str, ElementType),
    /// What the variable of this loop counts.
    Counted(ProcedureId, &'p Loop),
    /// A number that MPI works out: a rank, a size.
    Rank,
    /// What MPI says of a message that it has seen.
    Envelope,
    /// What a procedure leaves there that was not given and of which the user says that it keeps to itself: the same
    /// communicator as before, where it is one. Where it is handed over.
    Kept(Span),
    /// The error handler that a call makes of a procedure which ends the program.
    EndingHandler,
    /// A null handle.
    Null,
    /// Not known; where it is stored.
    Lost(Option<Span>),
}

/// What is stored to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// What this procedure calls so.
    Variable(ProcedureId, SymbolId),
    /// This component of some object.
    Component(ComponentName),
}

/// Types of which some object is written otherwise than by the names of its components, each with a place where, if there is
/// one.
pub type LostStructures = BTreeMap<String, Option<Span>>;

/// The stores of a program, by what they go to.
pub struct Stores<'p> {
    pub(super) program: &'p Program,
    outside: Outside<'p>,
    sources: BTreeMap<Target, Vec<Source<'p>>>,
    /// Types with components of which some object is written in a way that is not known, with the first place where.
    pub(super) lost_structures: BTreeMap<&'p str, Span>,
    /// Where any of them may be.
    pub(super) all_structures_lost: Option<Span>,
    /// Types of which pointers lead to single components.
    pub(super) pointed_into: BTreeSet<&'p str>,
    /// Where something is written through a pointer to a single value that may be more than that.
    pub(super) runs_on: Option<Span>,
    /// All types of which some object is written otherwise than by the names of its components, with the first place where.
    pub(super) written_otherwise: LostStructures,
}

impl<'p> Stores<'p> {
    /// All stores of `program`, those by way of arguments included.
    pub fn of(facts: &Facts<'p>) -> Self {
        let (program, outside) = (facts.program, facts.outside());
        let calls = call_sites(program);
        let mut stores = Self {
            program,
            outside,
            sources: BTreeMap::new(),
            lost_structures: BTreeMap::new(),
            all_structures_lost: None,
            pointed_into: BTreeSet::new(),
            runs_on: None,
            written_otherwise: LostStructures::new(),
        };
        stores.initial_components();
        for (procedure, body) in program.procedures() {
            for (index, symbol) in body.symbols.iter().enumerate() {
                if symbol.class == SymbolClass::Variable
                    && let Some(values) = &symbol.initial_values
                {
                    for value in &values.elements {
                        let source = value.map_or(Source::Lost(symbol.declaration), Source::Number);
                        stores.add(Target::Variable(procedure, SymbolId(index)), source);
                    }
                }
            }
            for (index, symbol) in body.symbols.iter().enumerate() {
                if let Some((name, element)) = &symbol.initial_constant {
                    stores.add(Target::Variable(procedure, SymbolId(index)), Source::Constant(name, *element));
                }
            }
            for index in 0..body.statements.len() {
                stores.statement(procedure, StatementId(index));
            }
        }
        stores.lose_blocks(facts.overrun_blocks());
        // What is handed down is no store of the procedure that gets it: it comes last.
        stores.results(&calls);
        for site in &calls {
            stores.arguments(site);
        }
        stores.lose_hidden_components();
        stores
    }

    /// The types of which some object is written otherwise than by the names of its components.
    pub fn lost_structures(&self) -> &LostStructures {
        &self.written_otherwise
    }

    /// What is stored to each variable and each component.
    pub fn into_sources(self) -> BTreeMap<Target, Vec<Source<'p>>> {
        self.sources
    }

    pub(super) fn add(&mut self, target: Target, source: Source<'p>) {
        self.sources.entry(target).or_default().push(source);
    }

    /// What the definitions of types give their components.
    fn initial_components(&mut self) {
        for (structure, definition) in &self.program.structures {
            for (name, component) in &definition.components {
                for initial in &component.initial {
                    let source = match initial {
                        InitialComponent::Number(value) => Source::Number(*value),
                        InitialComponent::Constant(name, element) => Source::Constant(name, *element),
                        InitialComponent::Null | InitialComponent::Unknown => Source::Lost(None),
                    };
                    let component = ComponentName { structure: structure.clone(), name: name.clone() };
                    self.add(Target::Component(component), source);
                }
            }
        }
    }

    /// The variable, or the part of it, may get any value.
    pub(super) fn lose(&mut self, procedure: ProcedureId, expression: &'p Expression) {
        self.lose_variable(procedure, expression);
        self.lose_objects(procedure, expression);
    }

    /// Likewise, but what an object holds is not changed.
    fn lose_variable(&mut self, procedure: ProcedureId, expression: &'p Expression) {
        let lost = Source::Lost(Some(expression.span));
        if let Some(symbol) = expression.designated() {
            self.add(Target::Variable(procedure, self.program.procedure(procedure).holder_of(symbol)), lost);
        }
        if let Some(component) = self.component_name(procedure, expression) {
            self.add(Target::Component(component.clone()), lost);
        }
    }

    /// The whole variable, or some part of it, gets a value; elements of an array are not told apart.
    fn store(&mut self, procedure: ProcedureId, target: &'p Expression, source: Source<'p>) {
        match &target.kind {
            _ if let Some((holder, component)) = self.stored_component(procedure, target) => {
                // Nobody asks what the object as a whole holds.
                self.add(Target::Variable(procedure, holder), Source::Lost(Some(target.span)));
                self.add(Target::Component(component.clone()), source);
            }
            ExpressionKind::Symbol(symbol) => self.add(Target::Variable(procedure, *symbol), source),
            ExpressionKind::Element { array, .. } | ExpressionKind::Section { array, .. } => {
                self.add(Target::Variable(procedure, *array), source);
            }
            // The part that an object has from the type that its own extends: a smaller object.
            ExpressionKind::Part { component: None, base, .. }
                if matches!(source, Source::Expression(..) | Source::Dummy(..))
                    && !self.structures(procedure, target).is_empty() =>
            {
                self.add(Target::Variable(procedure, *base), Source::Lost(Some(target.span)));
            }
            _ => return self.lose(procedure, target),
        }
        self.store_object(procedure, target, source);
    }

    /// The object and the component of it that a store goes to.
    fn stored_component(
        &self,
        procedure: ProcedureId,
        target: &'p Expression,
    ) -> Option<(SymbolId, &'p ComponentName)> {
        let component = self.component_name(procedure, target)?;
        Some((self.program.procedure(procedure).holder_of(target.designated()?), component))
    }

    fn statement(&mut self, procedure: ProcedureId, id: StatementId) {
        let body = self.program.procedure(procedure);
        let kind = &body.statement(id).kind;
        match kind {
            StatementKind::Assign { target, value, .. } => {
                self.store(procedure, target, Source::Expression(procedure, value));
            }
            StatementKind::Loop(counted) => {
                self.add(Target::Variable(procedure, counted.variable), Source::Counted(procedure, counted));
            }
            StatementKind::While { changes, .. } => {
                let lost = Source::Lost(Some(body.statement(id).span));
                changes.iter().for_each(|&changed| self.add(Target::Variable(procedure, changed), lost));
            }
            StatementKind::Call { callee: Callee::Unknown(name), arguments } => {
                self.unknown_call(procedure, name, arguments);
            }
            StatementKind::Communication(communication) => {
                self.communication(SiteId { procedure, statement: id }, communication);
            }
            StatementKind::InputOutput { writes, .. } => {
                writes.iter().for_each(|written| self.lose(procedure, written));
            }
            StatementKind::Lifetime { variables, reads, associates, .. } => {
                self.lifetime(procedure, variables, reads);
                if let Some(target) = reads.first().filter(|_| *associates) {
                    self.associate(procedure, target);
                }
            }
            StatementKind::Opaque(_) => self.lose_everything(procedure, body.statement(id).span),
            _ => {}
        }
        for part in kind.expressions().into_iter().flat_map(Expression::walk) {
            match &part.kind {
                ExpressionKind::Call { callee: Callee::Unknown(name), arguments } => {
                    self.unknown_call(procedure, name, arguments);
                }
                ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } if is_address(name) => {
                    arguments.iter().for_each(|argument| self.hand_address(procedure, argument));
                }
                ExpressionKind::Opaque(_) => self.lose_everything(procedure, part.span),
                _ => {}
            }
        }
    }

    fn lose_everything(&mut self, procedure: ProcedureId, place: Span) {
        for index in 0..self.program.procedure(procedure).symbols.len() {
            self.add(Target::Variable(procedure, SymbolId(index)), Source::Lost(Some(place)));
        }
        self.all_structures_lost.get_or_insert(place);
    }

    /// A procedure that was not given gets these arguments.
    fn unknown_call(&mut self, procedure: ProcedureId, name: &str, arguments: &'p [Expression]) {
        let keeps_communicators = self.outside.leaves_communicators(name);
        for argument in arguments {
            if keeps_communicators && self.is_scalar_number(procedure, argument) {
                self.store(procedure, argument, Source::Kept(argument.span));
                continue;
            }
            self.lose(procedure, argument);
            // Integers are taken for lengths and increments, as elsewhere.
            let is_apart = |it: &Component| {
                it.element.category == TypeCategory::Integer || it.lies_elsewhere() || it.length != Some(1)
            };
            if self.component(procedure, argument).is_some_and(|(_, component)| !is_apart(component)) {
                self.lose_around(procedure, argument);
            }
            let symbol = argument.designated().map(|id| self.program.procedure(procedure).symbol(id));
            if symbol.is_some_and(|symbol| symbol.element.category != TypeCategory::Integer) {
                self.run_on_behind_pointer(procedure, argument);
            }
        }
    }

    /// Is it a single integer or handle?
    fn is_scalar_number(&self, procedure: ProcedureId, expression: &'p Expression) -> bool {
        let is_number = |element: ElementType| element.category == TypeCategory::Integer;
        match &expression.kind {
            ExpressionKind::Symbol(id) => {
                let symbol = self.program.procedure(procedure).symbol(*id);
                symbol.rank() == 0 && is_number(symbol.element)
            }
            ExpressionKind::Part { .. } => {
                let component = self.component(procedure, expression);
                component.is_some_and(|(_, component)| component.length == Some(1) && is_number(component.element))
            }
            _ => false,
        }
    }

    /// Somebody gets the address of the memory.
    fn hand_address(&mut self, procedure: ProcedureId, expression: &'p Expression) {
        self.lose(procedure, expression);
        self.lose_around(procedure, expression);
    }

    /// Memory comes to life or ends, a pointer gets a target, an allocation moves.
    fn lifetime(&mut self, procedure: ProcedureId, variables: &'p [Expression], reads: &'p [Expression]) {
        for variable in variables {
            self.lose_variable(procedure, variable);
            // A copy that ALLOCATE makes of something that is put together.
            for read in reads.iter().filter(|read| is_put_together(read)) {
                self.store_object(procedure, variable, Source::Expression(procedure, read));
            }
        }
    }

    /// A pointer may lead to the component from now on, if it is in a target, or behind a pointer itself.
    fn associate(&mut self, procedure: ProcedureId, target: &'p Expression) {
        let is_behind_pointer = matches!(target.kind, ExpressionKind::Part { through_pointer: true, .. });
        let is_in_target = target.designated().is_some_and(|base| {
            let symbol = self.program.procedure(procedure).symbol(base);
            symbol.target || symbol.storage == Storage::Pointer
        });
        if !is_behind_pointer && !is_in_target {
            return;
        }
        let Some(component) = self.component_name(procedure, target) else { return };
        self.add(Target::Component(component.clone()), Source::Lost(Some(target.span)));
        // Nobody believes of a single element that it is an array, and the pointer can be handed to MPI as one.
        let is_single = |component: &Component| component.length == Some(1) && !component.is_pointer;
        if self.component(procedure, target).is_some_and(|(_, component)| is_single(component)) {
            self.pointed_into.extend(self.structures_around(procedure, target));
        }
    }

    /// Something is stored to members of these COMMON blocks that does not name them.
    fn lose_blocks(&mut self, blocks: &BTreeSet<String>) {
        for (procedure, body) in self.program.procedures() {
            for (index, symbol) in body.symbols.iter().enumerate() {
                if symbol.storage.common_block().is_some_and(|block| blocks.contains(block)) {
                    self.add(Target::Variable(procedure, SymbolId(index)), Source::Lost(None));
                }
            }
        }
    }

    /// What a call hands down.
    fn arguments(&mut self, site: &CallSite<'p>) {
        let dummies = &self.program.procedure(site.callee).dummies;
        for (argument, &dummy) in site.arguments.iter().zip(dummies).filter(|(argument, _)| !argument.is_absent()) {
            // Nothing is left in a scalar of what it has been before (Fortran 2018, 8.5.10). Of an array many rely on it all the same.
            let symbol = self.program.procedure(site.callee).symbol(dummy);
            let source = match symbol.rank() {
                0 if symbol.undefined_at_entry => None,
                0 => Some(Source::Expression(site.caller, argument)),
                _ if self.has_elements_of(site.caller, argument, symbol.element)
                    && !self.sees_beyond((site.caller, argument), (site.callee, dummy)) =>
                {
                    Some(Source::Elements(site.caller, argument))
                }
                _ => Some(Source::Lost(Some(argument.span))),
            };
            if let Some(source) = source {
                self.add(Target::Variable(site.callee, dummy), source);
            }
            self.hand_object(site.caller, argument, site.callee, dummy);
        }
    }

    /// What calls leave in the variables that are their arguments.
    fn results(&mut self, calls: &[CallSite<'p>]) {
        let written = self.written_dummies(calls);
        for site in calls {
            let callee = self.program.procedure(site.callee);
            for (position, argument) in site.arguments.iter().enumerate() {
                match callee.dummies.get(position) {
                    Some(&dummy) if written.contains(&(site.callee, dummy)) => {
                        let symbol = callee.symbol(dummy);
                        let is_seen_alike =
                            symbol.rank() == 0 || self.has_elements_of(site.caller, argument, symbol.element);
                        let source = match is_seen_alike {
                            true => Source::Dummy(site.callee, dummy),
                            false => Source::Lost(Some(argument.span)),
                        };
                        self.store(site.caller, argument, source);
                        self.leaves_in_component(site.caller, argument, site.callee, dummy);
                    }
                    Some(_) => {}
                    None => self.lose(site.caller, argument),
                }
            }
        }
    }

    /// The dummy arguments through which a procedure may change its caller's variables.
    fn written_dummies(&self, calls: &[CallSite<'p>]) -> BTreeSet<(ProcedureId, SymbolId)> {
        let mut written = BTreeSet::new();
        for (procedure, body) in self.program.procedures() {
            for &dummy in &body.dummies {
                let symbol = body.symbol(dummy);
                let is_plain = symbol.storage == Storage::Dummy && !symbol.target && !is_uncertain(body);
                // One with a value of its own is local.
                let is_reference = symbol.storage != Storage::Local || is_uncertain(body);
                if is_reference && (!is_plain || self.sources.contains_key(&Target::Variable(procedure, dummy))) {
                    written.insert((procedure, dummy));
                }
            }
        }
        loop {
            let before = written.len();
            for site in calls {
                let (caller, callee) = (self.program.procedure(site.caller), self.program.procedure(site.callee));
                for (position, argument) in site.arguments.iter().enumerate() {
                    let is_written = match callee.dummies.get(position) {
                        Some(&dummy) => written.contains(&(site.callee, dummy)),
                        None => true,
                    };
                    let written_here = argument.designated().filter(|_| is_written);
                    if let Some(symbol) = written_here.map(|symbol| caller.holder_of(symbol))
                        && caller.dummies.contains(&symbol)
                        && caller.symbol(symbol).storage != Storage::Local
                    {
                        written.insert((site.caller, symbol));
                    }
                }
            }
            if written.len() == before {
                return written;
            }
        }
    }
}

/// Does the function give the address of its argument?
fn is_address(name: &str) -> bool {
    ["loc", "c_loc", "c_funloc"].contains(&name)
}

/// May the value be an object that is made of other values? Extents are integers, and operators of objects are calls.
fn is_put_together(value: &Expression) -> bool {
    match &value.kind {
        ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } => {
            ["transfer", "merge", "reshape", "pack", "unpack", "spread", "cshift", "eoshift"].contains(&name.as_str())
        }
        ExpressionKind::Computed(_)
        | ExpressionKind::ArrayConstructor(_)
        | ExpressionKind::Opaque(_)
        | ExpressionKind::Call { .. } => true,
        _ => false,
    }
}
