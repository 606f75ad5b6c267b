//! What arguments the runtime's calls take, and arguments of MPI's calls in forms that they take.
//!
//! With `mpif.h` no compiler looks at the arguments of MPI: an array stands for its first element, an element for all that
//! follow it, and whatever has 4 bytes for an integer. The runtime's calls have interfaces with types, kinds and ranks. Each
//! argument of an operation that the runtime carries is listed here once, with what is demanded of it (`arguments`); a new
//! operation, or one with a new argument, does not compile before it is.
//!
//! What means the same in another form is given that form before anything is planned ([`with_fitting_arguments`]): a whole
//! array in the place of one value is its first element, the wait for all of one request is the wait for it, a status that
//! is named by its first element is a column. Where several requests are meant, the runtime's calls take an element of an array of
//! any rank as the first of them, as `mpif.h` does: also of a pointer, of which a compiler passes the address. A status that does not fit, of which nobody looks at anything, is left out. Where something is left that does not fit, or is not
//! known to, the operation stays with MPI ([`misfit`]).

mod several_requests;
mod statuses;
mod types;

use crate::ir::{
    Communication, Expression, ExpressionKind, Message, MessagingNames, Operation, PartForm, Partner, Procedure,
    Program, Shape, Span, StatementKind, Status, Subscript, SymbolClass, TypeCategory,
};

use self::types::{Value, value_of};
use crate::analysis::messages::error_handling::may_be_returned;
use crate::mpi::arguments::ArgumentKind;
use crate::mpi::routines::{self, Action};

/// What the runtime's interfaces demand of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Demand {
    /// One default integer.
    Integer,
    /// One communicator or datatype: a default integer, or the derived type that MPI has for it.
    Handle,
    /// One default truth value.
    Truth,
    /// An array of default integers with one dimension.
    Integers,
    /// Likewise, or the first of the elements that are meant.
    IntegersFrom,
    /// One request: a default integer, or the derived type that MPI has for it.
    Request,
    /// An array of requests with one dimension, or the first of those that are meant: an element of an array of any rank, from
    /// which on they lie in memory.
    RequestsFrom,
    /// Likewise, or an array with two dimensions.
    RequestTable,
}

/// An argument with what is demanded of it.
enum Argument<'a> {
    Value(Demand, &'a mut Expression),
    /// One status.
    Status(&'a mut Status),
    /// A status for each of several requests.
    Statuses(&'a mut Status),
    /// The status argument of a call that is made with the arguments as they are: a variable, or the constant in its place.
    StatusAsItIs(&'a mut Expression),
}

/// An argument that a call of the runtime would not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The argument.
    pub span: Span,
    /// What is wrong with it, as the end of a sentence.
    pub why: String,
}

/// The program in which arguments of MPI's calls have forms that the runtime's calls take, as far as they mean the same;
/// `None` if nothing is to be changed.
pub fn with_fitting_arguments(program: &Program) -> Option<Program> {
    let mut changed: Option<Program> = None;
    let errors_return = may_be_returned(program);
    for (id, body) in program.procedures().filter(|(_, body)| body.dialect().calls_check_arguments()) {
        for (index, statement) in body.statements.iter().enumerate() {
            let StatementKind::Communication(communication) = &statement.kind else { continue };
            let mut fitting = communication.clone();
            let tells_of_error = errors_return && fitting.error.is_some();
            let has_other_requests = several_requests::fit(body, &mut fitting.operation, tells_of_error);
            let given: Vec<bool> = arguments(&mut fitting).into_iter().map(|found| fit(body, found)).collect();
            if has_other_requests || given.contains(&true) {
                let copy = changed.get_or_insert_with(|| program.clone());
                copy.procedure_mut(id).statements[index].kind = StatementKind::Communication(fitting);
            }
        }
    }
    changed
}

/// Gives an argument a form that fits and means the same. Has it changed?
fn fit(body: &Procedure, argument: Argument) -> bool {
    match argument {
        Argument::Value(Demand::Integers | Demand::IntegersFrom | Demand::RequestsFrom | Demand::RequestTable, _) => {
            false
        }
        Argument::Value(_, value) => first_element(body, value).map(|first| *value = first).is_some(),
        Argument::Status(status) => statuses::fit(body, status, statuses::Room::One),
        Argument::Statuses(status) => statuses::fit(body, status, statuses::Room::Several),
        Argument::StatusAsItIs(variable) => statuses::fit_variable(body, variable),
    }
}

/// The first argument of the call that the runtime's would not take, or is not known to.
pub fn misfit(program: &Program, body: &Procedure, communication: &Communication) -> Option<Misfit> {
    if !body.dialect().calls_check_arguments() {
        return None;
    }
    let is_compiled = communication.wrapper.is_none() && are_arguments_compiled(body);
    let mut copy = communication.clone();
    arguments(&mut copy).into_iter().find_map(|argument| match argument {
        Argument::Value(demand, value) => misfit_of(program, body, demand, value, is_compiled),
        Argument::Status(status) => statuses::misfit(body, status, statuses::Room::One),
        Argument::Statuses(status) => statuses::misfit(body, status, statuses::Room::Several),
        Argument::StatusAsItIs(variable) => statuses::misfit_of_variable(body, variable),
    })
}

/// As [`misfit`], for a message of another procedure in the words of `body`.
pub fn misfit_of_message(program: &Program, body: &Procedure, message: &Message) -> Option<Misfit> {
    if !body.dialect().calls_check_arguments() {
        return None;
    }
    let mut copy = message.clone();
    let arguments = of_message(&mut copy);
    arguments.into_iter().find_map(|argument| match argument {
        // Constants of MPI that the procedure does not know have no symbol here; what else a handle is was seen where it is made.
        Argument::Value(demand, value) => misfit_of(program, body, demand, value, demand == Demand::Handle),
        Argument::Status(_) | Argument::Statuses(_) | Argument::StatusAsItIs(_) => None,
    })
}

/// The arguments of the call that one of the runtime's would get, but for buffers, of which any form will do.
fn arguments(communication: &mut Communication) -> Vec<Argument<'_>> {
    let Communication { routine, operation, error, wrapper: _, is_counted_at_callers: _ } = communication;
    let value = |demand: Demand| move |value| Argument::Value(demand, value);
    let mut found = match operation {
        Operation::Send { message, mode: _, request } => {
            of_message(message).into_iter().chain(request.as_mut().map(value(Demand::Request))).collect()
        }
        Operation::Receive { message, request, status } => {
            let request = request.as_mut().map(value(Demand::Request));
            of_message(message).into_iter().chain(request).chain([Argument::Status(status)]).collect()
        }
        Operation::SendReceive { send, receive, in_one_buffer: _, status } => {
            of_message(send).into_iter().chain(of_message(receive)).chain([Argument::Status(status)]).collect()
        }
        Operation::Wait { request, status } => {
            vec![Argument::Value(Demand::Request, request), Argument::Status(status)]
        }
        Operation::WaitAll { count, requests, statuses } => {
            let requests = Argument::Value(Demand::RequestTable, requests);
            vec![Argument::Value(Demand::Integer, count), requests, Argument::Statuses(statuses)]
        }
        Operation::Complete { kind, count, requests, completed, indices, flag, statuses } => {
            let demand = if count.is_some() { Demand::RequestsFrom } else { Demand::Request };
            let requests = Argument::Value(demand, requests);
            let one_index = if kind.stores_several_statuses() { Demand::Integers } else { Demand::Integer };
            let integers = count.iter_mut().chain(completed).map(value(Demand::Integer));
            let others =
                indices.as_mut().map(value(one_index)).into_iter().chain(flag.as_mut().map(value(Demand::Truth)));
            let status = match kind.stores_several_statuses() {
                true => Argument::Statuses(statuses),
                false => Argument::Status(statuses),
            };
            [requests].into_iter().chain(integers).chain(others).chain([status]).collect()
        }
        Operation::Prepare { message, direction: _, mode: _, request } => {
            of_message(message).into_iter().chain([Argument::Value(Demand::Request, request)]).collect()
        }
        Operation::Start { count: None, requests } => vec![Argument::Value(Demand::Request, requests)],
        Operation::Start { count: Some(count), requests } => {
            vec![Argument::Value(Demand::Integer, count), Argument::Value(Demand::RequestsFrom, requests)]
        }
        Operation::Release { request } => vec![Argument::Value(Demand::Request, request)],
        // The runtime is attached to it.
        Operation::CreateCommunicator { parent: _, reads: _, created } => {
            return vec![Argument::Value(Demand::Handle, created)];
        }
        // The runtime's calls have no argument of these.
        Operation::Initialize { .. }
        | Operation::Finalize
        | Operation::Inquiry { .. }
        | Operation::CreateDatatype { .. } => return Vec::new(),
        Operation::Other { arguments, .. } => return of_twin(routine, arguments),
    };
    found.extend(error.as_mut().map(value(Demand::Integer)));
    found
}

/// The arguments of a call in whose place the runtime's takes the same ones, without its buffer; none of other calls.
fn of_twin<'a>(routine: &str, arguments: &'a mut [Expression]) -> Vec<Argument<'a>> {
    let routine = routines::find(routine);
    let has_twin = matches!(
        routine.action,
        Action::Probe | Action::ReceiveMatched | Action::Cancel | Action::Look | Action::AttachBuffer
    );
    let Some(form) = routine.forms.first().filter(|_| has_twin) else { return Vec::new() };
    let kinds = form.iter().map(|argument| argument.kind());
    // What stands behind them is the error code.
    let all = kinds.chain([Some(ArgumentKind::Number)]).zip(arguments);
    let demanded = all.filter_map(|(kind, argument)| {
        Some(match kind? {
            ArgumentKind::Buffer => return None,
            ArgumentKind::Number => Argument::Value(Demand::Integer, argument),
            ArgumentKind::Handle => Argument::Value(Demand::Handle, argument),
            ArgumentKind::Truth => Argument::Value(Demand::Truth, argument),
            ArgumentKind::Request => Argument::Value(Demand::Request, argument),
            ArgumentKind::Status => Argument::StatusAsItIs(argument),
        })
    });
    demanded.collect()
}

fn of_message(message: &mut Message) -> Vec<Argument<'_>> {
    let Message { buffer: _, count, datatype, partner, communicator, condition: _ } = message;
    let handle = |handle| Argument::Value(Demand::Handle, handle);
    let integer = |value| Argument::Value(Demand::Integer, value);
    let mut found = match partner {
        Partner::Process { peer, tag } => vec![integer(count), integer(peer), integer(tag)],
        Partner::Everyone => vec![integer(count)],
        Partner::EveryoneInBlocks { displacements } => {
            [count, displacements].map(|list| Argument::Value(Demand::IntegersFrom, list)).into()
        }
    };
    found.extend([handle(&mut datatype.handle), handle(communicator)]);
    found
}

/// Has a compiler compared all arguments with MPI's interfaces? Other modules than this one have no interfaces for all routines
/// everywhere.
fn are_arguments_compiled(body: &Procedure) -> bool {
    matches!(body.messaging_names, MessagingNames::All("mpi_f08") | MessagingNames::Some("mpi_f08"))
}

/// What an array stands for where one value is taken: its first element.
fn first_element(body: &Procedure, argument: &Expression) -> Option<Expression> {
    let (array, subscripts) = match &argument.kind {
        ExpressionKind::Symbol(array) => {
            let symbol = body.symbol(*array);
            let Shape::Array(dimensions) = &symbol.shape else { return None };
            if !matches!(symbol.class, SymbolClass::Variable | SymbolClass::Constant(_)) || symbol.may_be_strided {
                return None;
            }
            let number = |bound: &Expression| put_together(bound.kind.clone(), argument);
            let first =
                dimensions.iter().map(|dimension| dimension.lower.as_ref().filter(|it| is_number(it)).map(number));
            (*array, first.collect::<Option<Vec<_>>>()?)
        }
        ExpressionKind::Section { array, subscripts } => {
            let first = subscripts.iter().map(|subscript| match subscript {
                Subscript::Index(index) => Some(index.clone()),
                Subscript::Range { lower: Some(lower), upper: _, stride: None } => Some(lower.clone()),
                Subscript::Range { .. } | Subscript::Vector(_) => None,
            });
            (*array, first.collect::<Option<Vec<_>>>()?)
        }
        _ => return None,
    };
    Some(put_together(ExpressionKind::Element { array, subscripts }, argument))
}

/// Is it an element of an array with one dimension whose end compilers know, so that a section can begin there?
fn has_elements_from(body: &Procedure, argument: &Expression) -> bool {
    let ExpressionKind::Element { array, .. } = &argument.kind else { return false };
    let symbol = body.symbol(*array);
    let has_end = match &symbol.shape {
        Shape::Array(dimensions) => dimensions.iter().all(|dimension| dimension.upper.is_some()),
        Shape::Scalar => false,
    };
    symbol.rank() == 1 && (has_end || symbol.is_allocatable())
}

/// Is it an element of an array? What follows a variable by itself is no part of it.
fn is_element(argument: &Expression) -> bool {
    matches!(argument.kind, ExpressionKind::Element { .. } | ExpressionKind::Part { form: PartForm::Element, .. })
}

fn is_number(bound: &Expression) -> bool {
    matches!(bound.kind, ExpressionKind::Integer(_))
}

/// An expression in the place of another one. Its text stands nowhere, so it is written from its parts.
fn put_together(kind: ExpressionKind, place: &Expression) -> Expression {
    Expression::new(kind, Span { end: place.span.start, ..place.span })
}

/// Why one value does not fit. `is_compiled` says that a compiler found it to fit MPI's interfaces, so that what is not known
/// does no harm.
fn misfit_of(
    program: &Program,
    body: &Procedure,
    demand: Demand,
    argument: &Expression,
    is_compiled: bool,
) -> Option<Misfit> {
    let refused = |what: &str| {
        let name = match argument.designated() {
            Some(symbol) => body.symbol(symbol).name.clone(),
            None => program.text(argument.span),
        };
        Some(Misfit { span: argument.span, why: format!("`{name}` {what}") })
    };
    let is_several = matches!(demand, Demand::RequestsFrom | Demand::RequestTable);
    let is_request = is_several || demand == Demand::Request;
    let holder = argument.designated().map(|symbol| body.symbol(body.holder_of(symbol)));
    if is_request && holder.is_some_and(|holder| holder.only_read) {
        return refused("has INTENT(IN)");
    }
    let Some(Value { category, bytes, rank, is_of_program }) = value_of(program, body, argument) else {
        // MPI's interfaces take arrays of requests of any rank.
        let is_compiled = is_compiled && !is_several;
        return if is_compiled { None } else { refused("is not known to be of the type that the runtime takes") };
    };
    let fits = match demand {
        Demand::Handle | Demand::Request | Demand::RequestsFrom | Demand::RequestTable
            if category == TypeCategory::Derived =>
        {
            !is_of_program
        }
        Demand::Truth => category == TypeCategory::Logical,
        _ => category == TypeCategory::Integer,
    };
    if !fits {
        return refused(match demand {
            Demand::Truth => "is no truth value",
            _ => "is no integer",
        });
    }
    let is_default = category == TypeCategory::Derived
        || bytes == Some(body.dialect().integer_bytes())
        || (bytes.is_none() && is_compiled);
    if !is_default {
        return refused("is not of the default kind");
    }
    match (demand, rank) {
        (Demand::Integers | Demand::IntegersFrom | Demand::RequestsFrom | Demand::RequestTable, 1)
        | (Demand::RequestTable, 2)
        | (Demand::Integer | Demand::Handle | Demand::Request | Demand::Truth, 0) => None,
        (Demand::IntegersFrom, _) if has_elements_from(body, argument) => None,
        (Demand::RequestsFrom | Demand::RequestTable, 0) if is_element(argument) => None,
        (Demand::Integers | Demand::IntegersFrom | Demand::RequestsFrom, _) => {
            refused("is no array with one dimension")
        }
        (Demand::RequestTable, _) => refused("is no array with one or two dimensions"),
        _ => refused("is an array, not one value"),
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
