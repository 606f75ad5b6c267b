//! What completing a request does to memory: the buffers of the operations that the request may stand for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::memory::message::{is_bottom, is_of_its_variable};
use crate::analysis::memory::sharing::is_reachable;
use crate::ir::{
    Callee, Communication, Direction, Expression, ExpressionKind, Message, Operation, Procedure, ProcedureKind,
    SendMode, StatementKind, Storage, SymbolClass, SymbolId, TypeCategory,
};
use crate::mpi::routines::{Action, find};

use crate::analysis::memory::overrun::{beside, is_member};

use super::event::GivenCall;
use super::handed_operations::handed_operations;
use super::summary::Summaries;

/// Requests are followed through so many calls, one in the other.
const DEEPEST_CALL: usize = 4;

/// The buffers of the operations that a request may stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Completion {
    /// They can't be listed.
    Unknown,
    /// Whole variables.
    Of {
        /// Buffers that are read.
        read: BTreeSet<SymbolId>,
        /// Buffers that are written.
        written: BTreeSet<SymbolId>,
    },
}

impl Completion {
    pub(super) fn nothing() -> Self {
        Self::Of { read: BTreeSet::new(), written: BTreeSet::new() }
    }

    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Of { mut read, mut written }, Self::Of { read: more_read, written: more_written }) => {
                read.extend(more_read);
                written.extend(more_written);
                Self::Of { read, written }
            }
            _ => Self::Unknown,
        }
    }
}

/// What completing requests does, by the procedure and its variable that holds them. Most procedures wait many times for
/// the same few.
pub(super) type Completions = RefCell<BTreeMap<(*const Procedure, SymbolId), Completion>>;

/// What completing the request that `expression` designates does. What is known is about procedures that don't move.
pub(super) fn completions_of(summaries: &Summaries, procedure: &Procedure, expression: &Expression) -> Completion {
    match expression.kind {
        ExpressionKind::Symbol(request)
        | ExpressionKind::Element { array: request, .. }
        | ExpressionKind::Section { array: request, .. } => {
            let mut known = summaries.completions().borrow_mut();
            known.entry((procedure, request)).or_insert_with(|| operations_of(summaries, procedure, request)).clone()
        }
        _ => Completion::Unknown,
    }
}

/// What completing any requests among `arguments` does.
pub(super) fn completions_of_any(summaries: &Summaries, procedure: &Procedure, arguments: &[Expression]) -> Completion {
    let mut all = Completion::nothing();
    for argument in arguments {
        let is_constant = |id: SymbolId| {
            matches!(procedure.symbol(id).class, SymbolClass::Constant(_) | SymbolClass::MessagingConstant)
        };
        match argument.designated() {
            Some(symbol) if is_constant(symbol) => {}
            Some(symbol) if !may_hold_request(procedure, symbol) => {}
            Some(_) => all = all.join(completions_of(summaries, procedure, argument)),
            None => {}
        }
    }
    all
}

fn may_hold_request(procedure: &Procedure, symbol: SymbolId) -> bool {
    let category = procedure.symbol(symbol).element.category;
    matches!(category, TypeCategory::Integer | TypeCategory::Derived | TypeCategory::Unknown)
}

/// The operations whose requests the variable may hold: those of this procedure that name it, and of the procedures that it is handed
/// to, if nothing else can put a request there.
fn operations_of(summaries: &Summaries, procedure: &Procedure, request: SymbolId) -> Completion {
    let variable = procedure.symbol(request);
    let is_own = variable.class == SymbolClass::Variable
        && matches!(variable.storage, Storage::Local | Storage::Static)
        && variable.overlay.is_none()
        && !variable.target
        && !is_reachable(procedure, request);
    match is_own {
        true => operations_into(summaries, procedure, request, DEEPEST_CALL),
        false => Completion::Unknown,
    }
}

/// The operations whose requests the procedure may store in the variable, also by what it calls.
pub(super) fn operations_into(
    summaries: &Summaries,
    procedure: &Procedure,
    request: SymbolId,
    deepest_call: usize,
) -> Completion {
    let mut all = Completion::nothing();
    for statement in &procedure.statements {
        let found = match &statement.kind {
            StatementKind::Communication(communication) => buffers(procedure, communication, request),
            StatementKind::Assign { target, value, .. } if target.designated() == Some(request) => {
                if may_be_request(procedure, value) { Completion::Unknown } else { Completion::nothing() }
            }
            StatementKind::Call { callee: Callee::Procedure(callee), arguments }
                if names(arguments.iter(), request) =>
            {
                let call = GivenCall { callee: *callee, arguments };
                handed_operations(summaries, (procedure, request), call, deepest_call)
            }
            StatementKind::Call { arguments, .. } if names(arguments.iter(), request) => Completion::Unknown,
            StatementKind::InputOutput { writes, .. } if names(writes.iter(), request) => Completion::Unknown,
            StatementKind::Opaque(_) => Completion::Unknown,
            kind if kind.expressions().into_iter().any(|expression| is_passed_on(expression, request)) => {
                Completion::Unknown
            }
            _ => Completion::nothing(),
        };
        all = all.join(found);
    }
    all
}

/// Does the routine use requests that stand for operations already, and begin no other ones with them?
fn only_uses_requests(routine: &str) -> bool {
    matches!(find(routine).action, Action::Wait | Action::WaitAll | Action::Complete(_) | Action::Cancel)
}

/// The buffers of an operation, if its request may go to the variable.
fn buffers(procedure: &Procedure, communication: &Communication, request: SymbolId) -> Completion {
    let all = communication.expressions();
    if !names(all.iter().copied(), request) {
        return Completion::nothing();
    }
    let of_variable = |expression: &Expression| {
        let symbol = expression.designated()?;
        (procedure.symbol(symbol).class == SymbolClass::Variable).then_some(symbol)
    };
    match &communication.operation {
        Operation::Send { message, request: Some(_), .. } => match of_variable(&message.buffer) {
            Some(buffer)
                if is_within(procedure, message, buffer) && !is_another_in_each_run(procedure, buffer, request) =>
            {
                Completion::Of { read: BTreeSet::from([buffer]), written: BTreeSet::new() }
            }
            _ => Completion::Unknown,
        },
        Operation::Receive { message, request: Some(_), .. } => match of_variable(&message.buffer) {
            Some(buffer)
                if is_within(procedure, message, buffer) && !is_another_in_each_run(procedure, buffer, request) =>
            {
                Completion::Of { read: BTreeSet::new(), written: BTreeSet::from([buffer]) }
            }
            _ => Completion::Unknown,
        },
        Operation::Prepare { message, direction, mode, .. } => {
            let buffer = of_variable(&message.buffer).filter(|&buffer| {
                is_within(procedure, message, buffer)
                    && *mode != SendMode::Buffered
                    && !matches!(message.buffer.kind, ExpressionKind::Part { .. })
                    && !is_member(procedure, buffer)
                    && beside(procedure, buffer).is_empty()
                    && !is_another_in_each_run(procedure, buffer, request)
            });
            match (buffer, direction) {
                (Some(buffer), Direction::Sent) => {
                    Completion::Of { read: BTreeSet::from([buffer]), written: BTreeSet::new() }
                }
                (Some(buffer), Direction::Received) => {
                    Completion::Of { read: BTreeSet::new(), written: BTreeSet::from([buffer]) }
                }
                (None, _) => Completion::Unknown,
            }
        }
        Operation::Send { request: None, .. }
        | Operation::Receive { request: None, .. }
        | Operation::SendReceive { .. } => Completion::nothing(),
        Operation::Other { .. } if only_uses_requests(&communication.routine) => Completion::nothing(),
        Operation::Other { arguments, .. } => {
            if arguments.iter().filter_map(Expression::designated).any(|id| is_bottom(procedure.symbol(id))) {
                return Completion::Unknown;
            }
            // A datatype that is not known may reach all of an object.
            let named = arguments.iter().filter_map(of_variable).map(|symbol| procedure.holder_of(symbol));
            let named: BTreeSet<SymbolId> = named.collect();
            // What lies beside a member need not have a name here.
            if named.iter().any(|&symbol| is_member(procedure, symbol) || !beside(procedure, symbol).is_empty()) {
                return Completion::Unknown;
            }
            Completion::Of { read: named.clone(), written: named }
        }
        Operation::Initialize { .. }
        | Operation::Finalize
        | Operation::Wait { .. }
        | Operation::WaitAll { .. }
        | Operation::Complete { .. }
        | Operation::Start { .. }
        | Operation::Release { .. }
        | Operation::Inquiry { .. }
        | Operation::CreateDatatype { .. }
        | Operation::CreateCommunicator { .. } => Completion::nothing(),
    }
}

/// Does the message touch nothing but the variable that is its buffer?
fn is_within(procedure: &Procedure, message: &Message, buffer: SymbolId) -> bool {
    let is_derived = message.datatype.predefined.is_none();
    if matches!(message.buffer.kind, ExpressionKind::Part { through_pointer: true, .. }) {
        return false;
    }
    is_of_its_variable(procedure, message) && !(is_derived && is_member(procedure, buffer))
}

/// Does the request outlive the run of the procedure in which the buffer has its memory?
pub(super) fn is_another_in_each_run(procedure: &Procedure, buffer: SymbolId, request: SymbolId) -> bool {
    let buffer = procedure.holder_of(buffer);
    procedure.symbol(request).storage == Storage::Static
        && procedure.kind != ProcedureKind::Main
        && (procedure.dummies.contains(&buffer) || procedure.symbol(buffer).storage == Storage::Dummy)
}

pub(super) fn names<'e>(mut expressions: impl Iterator<Item = &'e Expression>, symbol: SymbolId) -> bool {
    expressions.any(|expression| expression.any(&|part| part.designated() == Some(symbol)))
}

/// Could the value be a request that is copied from somewhere? Arithmetic on requests makes no sense.
fn may_be_request(procedure: &Procedure, value: &Expression) -> bool {
    match &value.kind {
        ExpressionKind::Integer(_)
        | ExpressionKind::Logical(_)
        | ExpressionKind::Literal
        | ExpressionKind::Binary { .. }
        | ExpressionKind::Call { callee: Callee::PureIntrinsic(_), .. } => false,
        ExpressionKind::Symbol(id) => {
            !matches!(procedure.symbol(*id).class, SymbolClass::MessagingConstant | SymbolClass::Constant(_))
        }
        _ => true,
    }
}

/// Is the variable an argument of a function that is no intrinsic one, or part of something that is not understood?
fn is_passed_on(expression: &Expression, symbol: SymbolId) -> bool {
    expression.any(&|part| match &part.kind {
        ExpressionKind::Opaque(_) => true,
        ExpressionKind::Call { callee: Callee::Procedure(_) | Callee::Unknown(_), arguments } => {
            names(arguments.iter(), symbol)
        }
        _ => false,
    })
}
