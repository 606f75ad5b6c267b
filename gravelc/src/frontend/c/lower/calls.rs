//! Calls of functions: who is called, and what is handed over.
//!
//! Arguments are values: nobody writes a caller's variable but through a pointer, and what a pointer leads to shows in the names
//! that may share memory.

use super::formats;
use super::library::{self, Use};
use super::lowering::{Input, Lowering};
use crate::frontend::c::unit::{self, ExpressionId, Linkage};
use crate::ir::{
    Callee, Expression, ExpressionKind, PartForm, ProcedureId, Span, StatementKind, UnaryOperator, called_name,
};
use crate::known_libraries::C_LIBRARY;
use crate::mpi::properties::{Property, is_clock, is_function};

/// The macro that stays one name.
const ASSERTION: &str = "assert";

/// The argument of a call of the C library that this calls.
pub fn called_back(unit: &unit::Unit, callee: ExpressionId, arguments: &[ExpressionId]) -> Option<ExpressionId> {
    let name = unit.name_in_library(unit.function_named(callee)?)?;
    arguments.get(library::called_back(name)?).copied()
}

impl Lowering<'_> {
    /// The function that a call names.
    pub fn function_named(&self, callee: ExpressionId) -> Option<unit::SymbolId> {
        self.unit.function_named(callee)
    }

    /// The argument that a call of the C library calls, if it certainly is one.
    pub fn called_back(&self, callee: ExpressionId, arguments: &[ExpressionId]) -> Option<ExpressionId> {
        called_back(self.unit, callee, arguments).filter(|_| self.function_of_others(callee).is_some())
    }

    /// The function that a call names, if no file of the program defines one of its name.
    pub fn function_of_others(&self, callee: ExpressionId) -> Option<unit::SymbolId> {
        let is_given = |function: &unit::SymbolId| {
            self.given_procedure(*function).is_some() || self.input.external.contains_key(self.spelling(*function))
        };
        self.function_named(callee).filter(|function| !is_given(function))
    }

    /// Is it `assert`, which may be no function?
    pub fn is_assertion(&self, callee: ExpressionId) -> bool {
        self.function_named(callee).is_some_and(|name| self.unit.is_stand_in(name) && self.spelling(name) == ASSERTION)
    }

    /// The procedure of the program that a function is, if that is certain.
    pub fn given_procedure(&self, function: unit::SymbolId) -> Option<ProcedureId> {
        if let Some(&own) = self.input.own.get(&function) {
            return Some(own);
        }
        let declared = self.unit.symbol(function);
        let is_certain = declared.linkage == Linkage::External && declared.assembler_name.is_none();
        let name = self.spelling(function);
        self.input.external.get(name).copied().flatten().filter(|_| is_certain)
    }

    /// The routine of MPI (in lower case) that a call calls.
    pub fn messaging_routine(&self, callee: ExpressionId) -> Option<String> {
        let function = self.function_named(callee)?;
        if self.given_procedure(function).is_some() {
            return None;
        }
        super::communication::routine_called(self.unit, callee)
    }

    /// Who is called, with these arguments.
    pub fn callee_with(&mut self, callee: ExpressionId, arguments: &[ExpressionId]) -> Callee {
        match self.function_named(callee) {
            Some(function) if self.installs_quiet_handler(callee, arguments) => {
                Callee::Unknown(called_name::in_library(C_LIBRARY, self.spelling(function)))
            }
            _ => self.callee(callee),
        }
    }

    fn callee(&mut self, callee: ExpressionId) -> Callee {
        let Some(function) = self.function_named(callee) else {
            let name = called_name::reference("pointer", "to a function");
            self.indirect_names.insert(name.clone());
            return Callee::Unknown(name);
        };
        if let Some(procedure) = self.given_procedure(function) {
            self.note_named(&[procedure], callee);
            return Callee::Procedure(procedure);
        }
        let name = self.spelling(function).to_owned();
        if self.input.external.contains_key(&name) {
            // Two definitions, or one that another may replace.
            return Callee::Unknown(name);
        }
        if library::is_of_linear_algebra(&name, self.input.is_in_c_alone)
            && self.unit.symbol(function).linkage == Linkage::External
        {
            return Callee::Unknown(called_name::in_library(C_LIBRARY, &name));
        }
        let in_library = self.unit.name_in_library(function);
        match in_library.and_then(library::known) {
            Some(Use::Value) => Callee::PureIntrinsic(name),
            Some(Use::Inside | Use::Output | Use::Frees) => Callee::Unknown(called_name::in_library(C_LIBRARY, &name)),
            Some(Use::Fresh) => Callee::PureIntrinsic(name),
            Some(Use::Ends) | None => Callee::Unknown(name),
        }
    }

    /// An argument that is handed over by its value.
    pub fn argument(&mut self, id: ExpressionId) -> Expression {
        let value = self.value(id);
        if value.designated().is_none() {
            return value;
        }
        let span = value.span;
        let kind = ExpressionKind::Unary { operator: UnaryOperator::Identity, operand: Box::new(value) };
        Expression::new(kind, span)
    }

    /// The value of a call.
    pub fn call_value(&mut self, id: ExpressionId, callee: ExpressionId, arguments: &[ExpressionId]) -> Expression {
        let span = self.span_of(id);
        if let Some(routine) = self.messaging_routine(callee) {
            let arguments: Vec<Expression> = arguments.iter().map(|argument| self.value(*argument)).collect();
            if is_clock(&routine) {
                // Its value depends on when it is called, which its name tells whoever asks.
                let kind = ExpressionKind::Call { callee: Callee::PureIntrinsic(routine), arguments };
                return Expression::new(kind, span);
            }
            if Property::AddsAddresses.holds_of(&routine) {
                return Expression::new(ExpressionKind::Computed(arguments), span);
            }
            return self.opaque(&[id], "a call of MPI in an expression");
        }
        if let Some(calls) = self.calls_through_pointer(callee, arguments, span) {
            return Expression::new(ExpressionKind::Computed(calls), span);
        }
        let known = self.callee_with(callee, arguments);
        let mut values: Vec<Expression> = Vec::new();
        if self.function_named(callee).is_none() {
            // What says which function is evaluated, too.
            values.push(self.argument(callee));
        }
        values.extend(arguments.iter().map(|argument| self.argument(*argument)));
        let in_library = self.function_named(callee).and_then(|function| self.unit.name_in_library(function));
        let is_fresh = in_library.and_then(library::known) == Some(Use::Fresh);
        let kind = match &known {
            Callee::PureIntrinsic(_) if is_fresh => ExpressionKind::Computed(values),
            _ => ExpressionKind::Call { callee: known, arguments: values },
        };
        Expression::new(kind, span)
    }

    /// The calls of which one through a pointer makes one, if they are known, behind what says which.
    fn calls_through_pointer(
        &mut self,
        callee: ExpressionId,
        arguments: &[ExpressionId],
        span: Span,
    ) -> Option<Vec<Expression>> {
        if let Some(function) = self.called_back(callee, arguments) {
            return self.calls_of_library_that_calls_back(callee, function, arguments, span);
        }
        if self.function_named(callee).is_some() {
            return None;
        }
        let procedures = self.input.called.get(&callee)?.clone();
        self.note_named(&procedures, callee);
        let mut found = vec![self.argument(callee)];
        let arguments: Vec<Expression> = arguments.iter().map(|argument| self.argument(*argument)).collect();
        if procedures.is_empty() {
            found.extend(arguments.iter().cloned());
        }
        found.extend(procedures.into_iter().map(|procedure| {
            let callee = Callee::Procedure(procedure);
            Expression::new(ExpressionKind::Call { callee, arguments: arguments.clone() }, span)
        }));
        Some(found)
    }

    /// `qsort(v, n, size, by_name)`: the library's own call, and one of each function that it may call.
    fn calls_of_library_that_calls_back(
        &mut self,
        callee: ExpressionId,
        function: ExpressionId,
        arguments: &[ExpressionId],
        span: Span,
    ) -> Option<Vec<Expression>> {
        let procedures = self.input.called.get(&function)?.clone();
        self.note_named(&procedures, function);
        let arguments: Vec<Expression> = arguments.iter().map(|argument| self.argument(*argument)).collect();
        let mut found: Vec<Expression> = Vec::new();
        for procedure in procedures {
            // Any elements of what it is handed.
            let element = Expression::new(ExpressionKind::Computed(arguments.clone()), span);
            let callee = Callee::Procedure(procedure);
            let kind = ExpressionKind::Call { callee, arguments: vec![element.clone(), element] };
            found.push(Expression::new(kind, span));
        }
        let name = self.spelling(self.function_named(callee)?);
        let callee = Callee::Unknown(called_name::in_library(C_LIBRARY, name));
        found.push(Expression::new(ExpressionKind::Call { callee, arguments }, span));
        Some(found)
    }

    /// A call whose value is thrown away, as a statement.
    pub fn add_call(&mut self, id: ExpressionId, callee: ExpressionId, arguments: &[ExpressionId]) {
        let span = self.carrier;
        if let Some(routine) = self.messaging_routine(callee) {
            if is_function(&routine) {
                self.add_evaluation(id);
            } else {
                self.add_messaging_call(id, None);
            }
            return;
        }
        if let Some(calls) = self.calls_through_pointer(callee, arguments, span) {
            self.add_evaluations(calls);
            return;
        }
        let name = self.function_named(callee).map(|function| self.spelling(function).to_owned());
        let known = self.callee_with(callee, arguments);
        let is_of_library = matches!(&known, Callee::Unknown(_) | Callee::PureIntrinsic(_));
        let in_library = self.function_named(callee).and_then(|function| self.unit.name_in_library(function));
        let usage = in_library.filter(|_| is_of_library).and_then(library::known);
        let values = |this: &mut Self| arguments.iter().map(|argument| this.argument(*argument)).collect::<Vec<_>>();
        let kind = match usage {
            Some(Use::Ends) => {
                let values = values(self);
                let calls =
                    values.iter().any(|value| value.any(&|part| matches!(part.kind, ExpressionKind::Call { .. })));
                if calls {
                    self.add_evaluations(values);
                }
                StatementKind::Stop
            }
            Some(Use::Frees) => {
                let variables = arguments.iter().map(|argument| self.handed_memory(*argument)).collect();
                StatementKind::Lifetime { variables, reads: Vec::new(), associates: false, allocations: Vec::new() }
            }
            Some(Use::Output) if !self.may_store(in_library, arguments) => {
                let mut reads = values(self);
                for argument in arguments {
                    if self.unit.types.pointee(self.unit.type_of(*argument).id).is_some() {
                        let memory = self.handed_memory(*argument);
                        reads.extend(self.all_of(memory));
                    }
                }
                StatementKind::InputOutput { reads, writes: Vec::new(), may_leave: false }
            }
            _ => {
                let mut arguments = values(self);
                if name.is_none() {
                    // What says which function is evaluated, too.
                    arguments.insert(0, self.argument(callee));
                }
                if let Callee::PureIntrinsic(_) = known {
                    self.add_evaluations(std::mem::take(&mut arguments));
                    return;
                }
                StatementKind::Call { callee: known, arguments }
            }
        };
        self.add(kind, span);
    }

    /// May an output by this function of the library store something?
    fn may_store(&self, name: Option<&str>, arguments: &[ExpressionId]) -> bool {
        let Input { unit, text, streams_have_memory, .. } = self.input;
        *streams_have_memory || name.is_none_or(|name| formats::may_store(unit, text, name, arguments))
    }

    /// Any part of the object that the memory belongs to.
    fn all_of(&mut self, memory: Expression) -> Option<Expression> {
        let base = memory.designated()?;
        let span = memory.span;
        let kind = ExpressionKind::Part {
            base,
            component: None,
            form: PartForm::Unnamed,
            through_pointer: true,
            selectors: memory.children().into_iter().cloned().collect(),
        };
        Some(Expression::new(kind, span))
    }
}
