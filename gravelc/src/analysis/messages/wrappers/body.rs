//! What a procedure may do besides its call of MPI to count as one that only makes that call.
//!
//! - It computes numbers for the arguments, in variables of its own, before the call.
//! - It leaves the call out under a condition: `if (n > 0) call ...`, `if (to < 0) return`.
//! - It looks after the call whether there was an error, and does anything then. That never happens: the code of an error
//!   is returned only where the program has set an error handler (MPI 4.0, 9.3); there a procedure with such a check does more
//!   than the call.

use std::collections::BTreeMap;

use crate::ir::{
    BinaryOperator, Callee, Communication, Expression, ExpressionKind, Message, Operation, Procedure, ProcedureKind,
    StatementId, StatementKind, Storage, SymbolClass, SymbolId, TypeCategory, UnaryOperator,
};

/// Intrinsic functions that are as good in the caller as in the procedure.
pub(super) const FUNCTIONS: &[&str] = &["abs", "iand", "ieor", "ior", "max", "merge", "min", "mod", "modulo"];

/// A condition under which the call is made.
#[derive(Debug, Clone, Copy)]
pub struct Guard<'p> {
    /// What is evaluated.
    pub condition: &'p Expression,
    /// What has to come out.
    pub expected: bool,
}

/// A procedure that only calls MPI.
#[derive(Debug)]
pub struct WrapperBody<'p> {
    /// The call.
    pub call: StatementId,
    /// The call is made where all of these hold.
    pub guards: Vec<Guard<'p>>,
    /// The procedure's own variables that have these values at the call; they may name earlier ones.
    pub locals: BTreeMap<SymbolId, &'p Expression>,
    /// It looks whether there was an error.
    pub checks_error: bool,
}

impl<'p> WrapperBody<'p> {
    /// What the procedure does, if that is all.
    pub fn of(procedure: &'p Procedure) -> Option<Self> {
        // What is called for each element of arrays posts more than one message.
        let is_one_call = procedure.kind == ProcedureKind::Subroutine
            && !procedure.is_elemental
            && procedure.evaluated_at_entry.iter().all(is_without_effect);
        if !is_one_call || procedure.untouchable.is_some() {
            return None;
        }
        let mut reader =
            Reader { procedure, call: None, guards: Vec::new(), locals: BTreeMap::new(), checks_error: false };
        reader.block(&procedure.body, true)?;
        let Reader { call, guards, locals, checks_error, .. } = reader;
        Some(Self { call: call?, guards, locals, checks_error })
    }

    /// Can all values be worked out also where the call is not made, and the conditions in any order? A condition may
    /// keep a divisor from being zero.
    pub fn is_defined_anywhere(&self, call: &'p Communication) -> bool {
        let values = call.messages().flat_map(Message::values);
        let mut all =
            values.chain(self.locals.values().copied()).chain(self.guards.iter().map(|guard| guard.condition));
        let is_divisor = |divisor: &Expression| matches!(divisor.kind, ExpressionKind::Integer(1..));
        all.all(|value| {
            value.walk().into_iter().all(|part| match &part.kind {
                ExpressionKind::Binary { operator: BinaryOperator::Divide | BinaryOperator::Power, right, .. } => {
                    is_divisor(right)
                }
                ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } if name.starts_with("mod") => {
                    arguments.get(1).is_some_and(is_divisor)
                }
                _ => true,
            })
        })
    }
}

/// Does nothing happen when the value is evaluated, and does nobody look at what has to be kept?
fn is_without_effect(value: &Expression) -> bool {
    value.walk().into_iter().all(|part| match &part.kind {
        ExpressionKind::Call { callee, .. } => matches!(callee, Callee::PureIntrinsic(_)),
        ExpressionKind::Opaque(_) => false,
        _ => true,
    })
}

struct Reader<'p> {
    procedure: &'p Procedure,
    call: Option<StatementId>,
    guards: Vec<Guard<'p>>,
    locals: BTreeMap<SymbolId, &'p Expression>,
    checks_error: bool,
}

impl<'p> Reader<'p> {
    fn block(&mut self, block: &'p [StatementId], is_outermost: bool) -> Option<()> {
        for (index, &id) in block.iter().enumerate() {
            let statement = self.procedure.statement(id);
            if statement.jump_target {
                return None;
            }
            match &statement.kind {
                StatementKind::Nothing => {}
                StatementKind::Return if is_outermost && index + 1 == block.len() => {}
                StatementKind::Assign { target, value, .. } if self.call.is_none() => self.assign(target, value)?,
                StatementKind::Communication(communication)
                    if self.call.is_none() && is_taken(&communication.operation) =>
                {
                    self.call = Some(id);
                }
                // What an ASSOCIATE evaluates is either stored by the first of its statements, or a value of no effect.
                StatementKind::Scope(scope) if scope.evaluated.iter().all(is_without_effect) => {
                    self.block(&scope.body, false)?;
                }
                StatementKind::If { arms, otherwise, .. } => {
                    let [arm] = arms.as_slice() else { return None };
                    if otherwise.as_ref().is_some_and(|block| !self.is_empty(block)) {
                        return None;
                    }
                    match self.call {
                        Some(call) => {
                            self.is_error_check(call, block, &arm.condition).then_some(())?;
                            self.checks_error = true;
                        }
                        None => self.guard(&arm.condition, &arm.body)?,
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn is_empty(&self, block: &[StatementId]) -> bool {
        block.iter().all(|&id| matches!(self.procedure.statement(id).kind, StatementKind::Nothing))
    }

    /// A number for a variable of the procedure's own.
    fn assign(&mut self, target: &'p Expression, value: &'p Expression) -> Option<()> {
        let ExpressionKind::Symbol(variable) = target.kind else { return None };
        let symbol = self.procedure.symbol(variable);
        let is_own = symbol.is_integer_scalar()
            && matches!(symbol.storage, Storage::Local | Storage::Static)
            && !self.procedure.dummies.contains(&variable)
            && !symbol.target
            && !symbol.volatile
            && symbol.overlay.is_none();
        let is_alike = |id: SymbolId| {
            let other = self.procedure.symbol(id);
            other.class != SymbolClass::Variable || other.element == symbol.element
        };
        let read = |expression: &'p Expression| {
            expression.walk().into_iter().filter_map(Expression::designated).collect::<Vec<_>>()
        };
        let earlier = self.locals.values().copied().chain(self.guards.iter().map(|guard| guard.condition));
        let is_first = !self.locals.contains_key(&variable) && !earlier.flat_map(read).any(|id| id == variable);
        let is_fit =
            is_own && is_first && is_plain(value) && read(value).into_iter().all(|id| id != variable && is_alike(id));
        if is_fit {
            self.locals.insert(variable, value);
        }
        is_fit.then_some(())
    }

    /// `if (condition) ...` before the call: with the call in it, or with a RETURN that leaves it out.
    fn guard(&mut self, condition: &'p Expression, body: &'p [StatementId]) -> Option<()> {
        if !is_plain(condition) {
            return None;
        }
        let is_return = |id: &&StatementId| matches!(self.procedure.statement(**id).kind, StatementKind::Return);
        let rest = body.iter().filter(|id| !matches!(self.procedure.statement(**id).kind, StatementKind::Nothing));
        let rest: Vec<&StatementId> = rest.collect();
        let leaves = rest.len() == 1 && rest.iter().all(is_return);
        self.guards.push(Guard { condition, expected: !leaves });
        if leaves {
            return Some(());
        }
        self.block(body, false)?;
        // Without the call in it, the branch decides about something else.
        self.call.map(|_| ())
    }

    /// `if (ierr /= 0) ...` behind the call. Where the call may have been left out, the variable is zero at the beginning.
    fn is_error_check(&self, call: StatementId, block: &[StatementId], condition: &Expression) -> bool {
        let StatementKind::Communication(communication) = &self.procedure.statement(call).kind else { return false };
        let Some(ExpressionKind::Symbol(error)) = communication.error.as_ref().map(|error| &error.kind) else {
            return false;
        };
        let is_set = block.contains(&call)
            || self.locals.get(error).is_some_and(|value| value.kind == ExpressionKind::Integer(0));
        let is_success = |expression: &Expression| match expression.kind {
            ExpressionKind::Integer(0) => true,
            ExpressionKind::Symbol(id) => {
                let symbol = self.procedure.symbol(id);
                symbol.class == SymbolClass::MessagingConstant && symbol.name == "mpi_success"
            }
            _ => false,
        };
        let is_error = |expression: &Expression| expression.kind == ExpressionKind::Symbol(*error);
        match &without_parentheses(condition).kind {
            ExpressionKind::Binary {
                operator: BinaryOperator::NotEqual | BinaryOperator::Less | BinaryOperator::Greater,
                left,
                right,
            } => is_set && (is_error(left) && is_success(right) || is_success(left) && is_error(right)),
            _ => false,
        }
    }
}

fn without_parentheses(expression: &Expression) -> &Expression {
    match &expression.kind {
        ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => without_parentheses(operand),
        _ => expression,
    }
}

/// Is it a send, a receive, both, or a wait?
fn is_taken(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Send { .. } | Operation::Receive { .. } | Operation::SendReceive { .. } | Operation::Wait { .. }
    )
}

/// Does the expression have the same value in the caller as here, once the names are those of the caller?
fn is_plain(expression: &Expression) -> bool {
    expression.walk().into_iter().all(|part| match &part.kind {
        ExpressionKind::Integer(_) | ExpressionKind::Logical(_) | ExpressionKind::Symbol(_) => true,
        ExpressionKind::Unary { .. } => true,
        ExpressionKind::Binary { operator, .. } => *operator != BinaryOperator::Other,
        ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } => FUNCTIONS.contains(&name.as_str()),
        _ => false,
    })
}

/// Is it of a type whose values are the same for every size?
pub(super) fn is_handle_or_number(category: TypeCategory) -> bool {
    matches!(category, TypeCategory::Integer | TypeCategory::Derived | TypeCategory::Logical)
}
