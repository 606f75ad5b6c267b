//! Checks of error codes that never find an error.
//!
//! A program that sets no error handler but the fatal ones never gets the code of an error from MPI: the error ends it (MPI 4.0,
//! 9.3). So behind a call of MPI `if (ierr /= mpi_success) stop` does nothing, nor does `call check(ierr, 'text')` where the
//! procedure looks at the code before it does anything else. Such checks stand behind every call of many programs, and what they
//! would do in case of an error (print, stop, abort) would keep everything in its place.
//!
//! What is known of a variable comes from the last thing above in the same block, or in a block around, that could have
//! written it: a call of MPI whose error code it takes. Loops are not left on the way up, and where control may come from
//! elsewhere nothing is known. Files are another matter: their errors are returned (MPI 4.0, 14.7).
//!
//! The transformed program computes the same conditions: calls of the runtime, and assignments in their place, store success.

use std::collections::BTreeMap;

use crate::analysis::algebra::truth::truth_of;
use crate::analysis::facts::Facts;
use crate::analysis::messages::error_handling::Errors;
use crate::analysis::program::contents::is_messaging_constant;
use crate::analysis::program::outside::Outside;
use crate::ir::{
    BinaryOperator, Callee, Communication, Expression, ExpressionKind, Operation, Procedure, ProcedureId,
    ProcedureKind, Program, Scope, StatementId, StatementKind, SymbolId, UnaryOperator,
};
use crate::mpi::properties::Property;
use crate::mutations::Clause;

use super::branches::NeverTaken;

/// The program in which checks of error codes that never find an error are empty; `None` if there are none, or if errors could
/// be returned.
pub fn with_idle_error_checks(outside: Outside) -> Option<Program> {
    let program = outside.program;
    let facts = Facts::with_outside(outside);
    if !errors_end_the_program(&facts) {
        return None;
    }
    let mut changed = None;
    for (id, body) in program.procedures() {
        if body.untouchable.is_some() || !body.statements.iter().any(|statement| sets_code(&statement.kind)) {
            continue;
        }
        let mut checks = Checks { facts: &facts, procedure: id, body, idle: BTreeMap::new() };
        for statement in body.statements_in_order() {
            checks.look_at(statement);
        }
        if !checks.idle.is_empty() {
            let idle = checks.idle;
            let copy = changed.get_or_insert_with(|| program.clone());
            idle.into_iter().for_each(|(statement, idle)| idle.apply(copy.procedure_mut(id), statement));
        }
    }
    changed
}

/// Does nothing in the program, or outside of it, ask MPI to return errors?
fn errors_end_the_program(facts: &Facts) -> bool {
    Clause::ErrorHandlers.is_off() || facts.is_closed_world() && *facts.errors() == Errors::EndTheProgram
}

/// Is it a call of MPI that stores the code of an error?
fn sets_code(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Communication(communication) if communication.error.is_some())
}

/// Do errors of the call go to the handler of a communicator or of the process, which is the program's end?
fn is_fatal(communication: &Communication) -> bool {
    let routine = communication.routine.as_str();
    let routine = routine.strip_prefix('p').unwrap_or(routine);
    match &communication.operation {
        Operation::Send { .. }
        | Operation::Receive { .. }
        | Operation::SendReceive { .. }
        | Operation::Wait { .. }
        | Operation::WaitAll { .. }
        | Operation::Complete { .. }
        | Operation::Prepare { .. }
        | Operation::Start { .. }
        | Operation::Release { .. }
        | Operation::CreateDatatype { .. } => true,
        _ => Property::Fatal.holds_of(routine),
    }
}

/// What of a statement never runs.
enum Idle {
    /// These branches of an IF.
    Branches(NeverTaken),
    /// The call does nothing.
    Call,
}

impl Idle {
    /// Takes out what never runs. What is evaluated on the way there is still evaluated.
    fn apply(self, procedure: &mut Procedure, statement: StatementId) {
        match self {
            Self::Branches(branches) => branches.take_out(procedure, statement),
            Self::Call => {
                let kind = &mut procedure.statements[statement.0].kind;
                let evaluated = kind.expressions().into_iter().cloned().collect();
                *kind = StatementKind::Scope(Scope { names: Vec::new(), evaluated, body: Vec::new() });
            }
        }
    }
}

/// The checks of one procedure.
struct Checks<'f, 'a> {
    facts: &'f Facts<'a>,
    procedure: ProcedureId,
    body: &'a Procedure,
    /// Those that were found, in the order of the program.
    idle: BTreeMap<StatementId, Idle>,
}

impl Checks<'_, '_> {
    fn look_at(&mut self, statement: StatementId) {
        let found = match &self.body.statement(statement).kind {
            StatementKind::If { .. } => {
                let is_success = |symbol: SymbolId| self.is_success(statement, symbol);
                let holds = |condition: &Expression| truth(self.body, condition, &is_success);
                NeverTaken::of(self.body, statement, holds).map(Idle::Branches)
            }
            StatementKind::Call { callee: Callee::Procedure(callee), arguments } => {
                self.is_idle_call(statement, *callee, arguments).then_some(Idle::Call)
            }
            _ => None,
        };
        if let Some(found) = found {
            self.idle.insert(statement, found);
        }
    }

    /// Is the variable the code of success when the statement begins?
    fn is_success(&self, statement: StatementId, symbol: SymbolId) -> bool {
        let variable = self.body.symbol(symbol);
        if !variable.is_integer_scalar() || variable.volatile || variable.overlay.is_some() {
            return false;
        }
        let mut current = statement;
        loop {
            if self.body.statement(current).jump_target {
                return false;
            }
            let (block, index) = self.body.siblings(current);
            let Some(&previous) = index.checked_sub(1).and_then(|before| block.get(before)) else {
                let Some(parent) = self.body.statement(current).parent else { return false };
                let kind = &self.body.statement(parent).kind;
                let is_branch =
                    matches!(kind, StatementKind::If { .. } | StatementKind::Select { .. } | StatementKind::Scope(_));
                // What its conditions call could write the variable.
                if !is_branch || !kind.expressions().into_iter().all(is_without_effect) {
                    return false;
                }
                current = parent;
                continue;
            };
            let kind = &self.body.statement(previous).kind;
            if let StatementKind::Communication(communication) = kind
                && communication.error.as_ref().is_some_and(|error| error.kind == ExpressionKind::Symbol(symbol))
            {
                let is_once = kind.expressions().into_iter().filter(|it| it.designated() == Some(symbol)).count() == 1;
                return is_once && is_fatal(communication) && !self.body.statement(previous).jump_target;
            }
            if !self.is_passed(previous) {
                let effects = self.facts.effects(self.procedure, previous);
                let is_written = effects.everything.is_some() || effects.writes_symbol(self.body, symbol).is_some();
                if is_written && !Clause::ErrorCodesUntouched.is_off() {
                    return false;
                }
            }
            current = previous;
        }
    }

    /// Does the statement do nothing because of what has been found already?
    fn is_passed(&self, statement: StatementId) -> bool {
        match (self.idle.get(&statement), &self.body.statement(statement).kind) {
            (Some(Idle::Call), _) => true,
            (Some(Idle::Branches(branches)), kind) => {
                branches.is_all_of(kind) && kind.expressions().into_iter().all(is_without_effect)
            }
            _ => false,
        }
    }

    /// Does the call look at codes and return?
    fn is_idle_call(&self, statement: StatementId, callee: ProcedureId, arguments: &[Expression]) -> bool {
        let called = self.facts.procedure(callee);
        let is_plain = |argument: &Expression| {
            let is_scalar = match &argument.kind {
                ExpressionKind::Symbol(symbol) => self.body.symbol(*symbol).rank() == 0,
                // A section may be passed as a copy, which is copied back.
                ExpressionKind::Section { .. } | ExpressionKind::Part { .. } | ExpressionKind::ArrayConstructor(_) => {
                    false
                }
                _ => true,
            };
            is_scalar && is_without_effect(argument)
        };
        let is_fit = called.kind == ProcedureKind::Subroutine
            && called.untouchable.is_none()
            && arguments.len() <= called.dummies.len()
            && arguments.iter().all(is_plain)
            && called.evaluated_at_entry.iter().all(is_without_effect)
            && called.dummies.iter().all(|&dummy| !called.symbol(dummy).undefined_at_entry);
        if !is_fit {
            return false;
        }
        let known: Vec<Option<Known>> = arguments.iter().map(|argument| self.known(statement, argument)).collect();
        if known.iter().all(Option::is_none) {
            return false;
        }
        let dummies = called.dummies.iter().copied().zip(known).filter_map(|(dummy, known)| Some((dummy, known?)));
        let run = Run { called, known: dummies.collect() };
        run.block(&called.body).is_some()
    }

    /// What is known of the value of an argument.
    fn known(&self, statement: StatementId, argument: &Expression) -> Option<Known> {
        let is_success = |symbol: SymbolId| self.is_success(statement, symbol);
        if is_success_code(self.body, argument, &is_success) {
            return Some(Known::Success);
        }
        truth(self.body, argument, &is_success).map(Known::Truth)
    }
}

/// What is known of a dummy argument when its procedure begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Success,
    Truth(bool),
}

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Falls,
    Returns,
}

/// A run of a procedure that only looks at its arguments.
struct Run<'a> {
    called: &'a Procedure,
    known: BTreeMap<SymbolId, Known>,
}

impl Run<'_> {
    /// How the block ends; `None` if it does anything, or may.
    fn block(&self, block: &[StatementId]) -> Option<End> {
        for &id in block {
            let statement = self.called.statement(id);
            match &statement.kind {
                _ if statement.jump_target => return None,
                StatementKind::Nothing => {}
                StatementKind::Return => return Some(End::Returns),
                StatementKind::If { arms, otherwise, .. } => {
                    let mut taken = otherwise.as_deref().unwrap_or_default();
                    for arm in arms {
                        if self.holds(&arm.condition)? {
                            taken = &arm.body;
                            break;
                        }
                    }
                    if self.block(taken)? == End::Returns {
                        return Some(End::Returns);
                    }
                }
                _ => return None,
            }
        }
        Some(End::Falls)
    }

    fn holds(&self, condition: &Expression) -> Option<bool> {
        if !is_without_effect(condition) {
            return None;
        }
        if let ExpressionKind::Symbol(symbol) = &without_parentheses(condition).kind
            && let Some(Known::Truth(value)) = self.known.get(symbol)
        {
            return Some(*value);
        }
        truth(self.called, condition, &|symbol| self.known.get(&symbol) == Some(&Known::Success))
    }
}

/// Whether the condition holds, where that follows from constants and from which variables are the code of success.
fn truth(procedure: &Procedure, condition: &Expression, is_success: &dyn Fn(SymbolId) -> bool) -> Option<bool> {
    let compared = |part: &Expression| {
        let ExpressionKind::Binary { operator, left, right } = &part.kind else { return None };
        let are_equal = match operator {
            BinaryOperator::Equal | BinaryOperator::LessEqual | BinaryOperator::GreaterEqual => true,
            BinaryOperator::NotEqual | BinaryOperator::Less | BinaryOperator::Greater => false,
            _ => return None,
        };
        let is_code = |operand: &Expression| is_success_code(procedure, operand, is_success);
        (is_code(left) && is_code(right)).then_some(are_equal)
    };
    truth_of(procedure, condition, &compared)
}

/// Is it the code of success: the number, the constant of MPI, or such a variable?
fn is_success_code(procedure: &Procedure, value: &Expression, is_success: &dyn Fn(SymbolId) -> bool) -> bool {
    let value = without_parentheses(value);
    match value.kind {
        ExpressionKind::Integer(0) => true,
        ExpressionKind::Symbol(symbol) => is_messaging_constant(procedure, value, "mpi_success") || is_success(symbol),
        _ => false,
    }
}

fn without_parentheses(expression: &Expression) -> &Expression {
    match &expression.kind {
        ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => without_parentheses(operand),
        _ => expression,
    }
}

/// Does nothing happen when the value is evaluated?
fn is_without_effect(value: &Expression) -> bool {
    let has_effect = |part: &Expression| match &part.kind {
        ExpressionKind::Call { callee, .. } => !matches!(callee, Callee::PureIntrinsic(_)),
        ExpressionKind::Opaque(_) => true,
        _ => false,
    };
    !value.any(&has_effect)
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
