//! The statements of a plan's steps in C, in the paper's call names.
//!
//! Arguments are written as they stand in the program's calls. A wait names the memory of its message where that has a plain name:
//! for readers, since what was handed over by its address is read anew behind any call.

use crate::analysis::messages::buffer_room::{BufferRoom, buffer_room};
use crate::ir::{
    Communication, Direction, Expression, ExpressionKind, Message, Operation, Procedure, Program, StatementId,
    StatementKind, Status, Storage, SymbolClass, SymbolId,
};
use crate::plan::{MessageOf, NewVariable, RequestPlace, Step, StepOperation};

use super::super::comments::Comments;
use super::super::names::name_of;
use super::super::{EmitError, routines};
use super::layout::{comment, is_designator, quoted_text_of, text_of};

/// Writes the code of one function.
#[derive(Clone, Copy)]
pub struct Writer<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function.
    pub procedure: &'a Procedure,
    /// The calls are parts of an expression: their codes are its value, and not stored.
    pub in_expression: bool,
}

impl<'a> Writer<'a> {
    /// The name of a new variable.
    pub fn name(&self, variable: NewVariable) -> String {
        name_of(self.program, self.procedure, variable)
    }

    /// The expression as it stands in the program.
    pub fn text(&self, expression: &Expression) -> String {
        text_of(self.program.file(expression.span.file), expression.span)
    }

    /// The comment above steps that stand together; they have one origin.
    pub fn comment(&self, steps: &[&Step]) -> String {
        let Self { program, procedure, .. } = *self;
        let comments = Comments { program, procedure, quoted: quoted_text_of };
        comment(&match (self.blocking(steps), steps.first()) {
            (Ok(Some(_)), Some(first)) => comments.comment_of_blocking(steps, first.origin),
            _ => comments.comment(steps),
        })
    }

    pub(super) fn communication(&self, id: StatementId, step: &'static str) -> Result<&'a Communication, EmitError> {
        match &self.procedure.statement(id).kind {
            StatementKind::Communication(communication) => Ok(communication),
            _ => Err(self.wrong_statement(id, step)),
        }
    }

    /// The plan asks for something that can't be done at a statement, or that is not written in C.
    pub fn wrong_statement(&self, id: StatementId, step: &'static str) -> EmitError {
        let span = self.procedure.statement(id).span;
        EmitError::WrongStatement {
            path: self.program.path_of(span).display().to_string(),
            line: self.program.line(span),
            step,
        }
    }

    /// The message that a call sends.
    pub fn sent(&self, id: StatementId) -> Result<&'a Message, EmitError> {
        let message = self.communication(id, "a send")?.described(Direction::Sent);
        message.ok_or_else(|| self.wrong_statement(id, "a send"))
    }

    pub(super) fn received(&self, id: StatementId) -> Result<&'a Message, EmitError> {
        let message = self.communication(id, "a receive")?.described(Direction::Received);
        message.ok_or_else(|| self.wrong_statement(id, "a receive"))
    }

    /// The address of a request.
    pub fn request(&self, place: RequestPlace) -> Result<String, EmitError> {
        match place {
            RequestPlace::New(variable) => Ok(format!("&{}", self.name(variable))),
            RequestPlace::OfCall(call) => Ok(self.text(self.own_request(call)?)),
        }
    }

    /// A request itself.
    pub fn request_value(&self, place: RequestPlace) -> Result<String, EmitError> {
        Ok(pointed_at(&self.request(place)?))
    }

    fn own_request(&self, call: StatementId) -> Result<&'a Expression, EmitError> {
        let request = self.communication(call, "a request")?.request();
        request.ok_or_else(|| self.wrong_statement(call, "a request"))
    }

    pub(super) fn message_arguments(&self, message: &Message) -> String {
        message.arguments().into_iter().map(|argument| self.text(argument)).collect::<Vec<_>>().join(", ")
    }

    /// A call as a statement, which stores its code where the call `id` did, if it shall.
    pub(super) fn storing(&self, id: StatementId, stores_error: bool, call: &str) -> Result<String, EmitError> {
        let stores_error = stores_error && !self.in_expression;
        let error = self.communication(id, "an error code")?.error.as_ref().filter(|_| stores_error);
        Ok(match error {
            Some(error) => format!("{} = {call};", self.text(error)),
            None => format!("{call};"),
        })
    }

    /// The statements of a step.
    ///
    /// # Errors
    /// If the step is none for C.
    pub fn code(&self, step: &Step) -> Result<Vec<String>, EmitError> {
        let statement = self.statement(&step.operation, step.origin)?;
        let guard = match step.guard.map(|branch| &self.procedure.statement(branch).kind) {
            None => None,
            Some(StatementKind::If { arms, .. }) if !arms.is_empty() => Some(self.text(&arms[0].condition)),
            Some(_) => return Err(self.wrong_statement(step.origin, "a condition")),
        };
        Ok(match (statement, guard) {
            (None, _) => Vec::new(),
            (Some(statement), None) => statement,
            (Some(statement), Some(condition)) => match statement.as_slice() {
                [only] => vec![format!("if ({condition}) {only}")],
                several => {
                    let head = std::iter::once(format!("if ({condition}) {{"));
                    let inside = several.iter().map(|line| format!("    {line}"));
                    head.chain(inside).chain(std::iter::once("}".to_owned())).collect()
                }
            },
        })
    }

    /// The statements that take the place of one.
    ///
    /// # Errors
    /// If a step is none for C.
    pub fn replacement(&self, steps: &[&Step]) -> Result<Vec<String>, EmitError> {
        if let Some(call) = self.blocking(steps)? {
            return Ok(vec![call]);
        }
        steps.iter().map(|step| self.code(step)).collect::<Result<Vec<_>, _>>().map(|lines| lines.concat())
    }

    /// The statements of an operation of the call `origin`, if it has any.
    pub fn statement(&self, operation: &StepOperation, origin: StatementId) -> Result<Option<Vec<String>>, EmitError> {
        let line = match operation {
            StepOperation::Initialize => "gravel_init(MPI_COMM_WORLD);".to_owned(),
            StepOperation::ReturnErrors => "gravel_errors_return();".to_owned(),
            StepOperation::Finalize => "gravel_finalize();".to_owned(),
            StepOperation::Attach => match &self.communication(origin, "a communicator")?.operation {
                Operation::CreateCommunicator { created, .. } => {
                    format!("gravel_attach({});", pointed_at(&self.text(created)))
                }
                _ => return Err(self.wrong_statement(origin, "a communicator")),
            },
            StepOperation::TellOfBuffer => match buffer_room(self.communication(origin, "a buffer")?) {
                Some(BufferRoom::Attached(size)) => format!("gravel_buffer_attached({});", self.text(size)),
                Some(BufferRoom::Detached) => "gravel_buffer_detached();".to_owned(),
                None => return Err(self.wrong_statement(origin, "a buffer")),
            },
            StepOperation::CallTwin => self.twin(origin)?,
            StepOperation::PostReceive { request, protocol, in_segments, stores_error, .. } => {
                let message = self.received(origin)?;
                let routine = routines::of_post(&message.partner, *protocol, *in_segments);
                let call = format!("{routine}({}, {})", self.message_arguments(message), self.request(*request)?);
                self.storing(origin, *stores_error, &call)?
            }
            StepOperation::PostSend { request, protocol, from_copy, stores_error } => {
                let message = self.sent(origin)?;
                let call = self.communication(origin, "a send")?;
                let routine = routines::of_send(call, &message.partner, *protocol, *from_copy);
                let call = format!("{routine}({}, {})", self.message_arguments(message), self.request(*request)?);
                self.storing(origin, *stores_error, &call)?
            }
            StepOperation::OpenTransfer { transfer, protocol, .. } => {
                let message = self.sent(origin)?;
                let routine = routines::of_transfer(self.communication(origin, "a send")?, &message.partner, *protocol);
                format!("{routine}({}, &{});", self.message_arguments(message), self.name(*transfer))
            }
            StepOperation::ClearTransfer { transfer } => format!("{} = GRAVEL_TRANSFER_NULL;", self.name(*transfer)),
            StepOperation::HandOverRequest { from, to, leaves_null } => {
                let (from, to) = (self.request_value(*from)?, self.request_value(*to)?);
                let mut lines = vec![format!("{to} = {from};")];
                lines.extend(leaves_null.then(|| format!("{from} = GRAVEL_REQUEST_NULL;")));
                return Ok(Some(lines));
            }
            StepOperation::ClearRequest { request } => {
                format!("{} = GRAVEL_REQUEST_NULL;", self.request_value(*request)?)
            }
            StepOperation::SendFin { transfer, request, stores_error } => {
                let call = format!("gravel_send_fin(&{}, {})", self.name(*transfer), self.request(*request)?);
                self.storing(origin, *stores_error, &call)?
            }
            StepOperation::Wait { request, buffer_of, error_of, .. } => {
                let status = self.status_of(operation)?;
                let request = self.request(*request)?;
                let call = match buffer_of.and_then(|which| self.buffer_named(which)) {
                    Some(buffer) => format!("gravel_wait({request}, {buffer}, {status})"),
                    None => format!("gravel_wait_request({request}, {status})"),
                };
                self.storing(error_of.unwrap_or(origin), error_of.is_some(), &call)?
            }
            StepOperation::WaitAll { stores_error } => {
                let communication = self.communication(origin, "a wait")?;
                let Operation::WaitAll { count, requests, statuses } = &communication.operation else {
                    return Err(self.wrong_statement(origin, "a wait"));
                };
                let statuses = self.statuses(statuses, "MPI_STATUSES_IGNORE");
                let call = format!("gravel_waitall({}, {}, {statuses})", self.text(count), self.text(requests));
                self.storing(origin, *stores_error, &call)?
            }
            StepOperation::Complete { stores_error, .. } => {
                let call = self.completion(origin)?;
                self.storing(origin, *stores_error, &call)?
            }
            StepOperation::Prepare { protocol, stores_error } => {
                let preparation = self.communication(origin, "a preparation")?;
                let (direction, message) =
                    preparation.prepared().ok_or_else(|| self.wrong_statement(origin, "a preparation"))?;
                let routine = routines::of_preparation(preparation, direction, *protocol);
                let request = self.request(RequestPlace::OfCall(origin))?;
                self.storing(
                    origin,
                    *stores_error,
                    &format!("{routine}({}, {request})", self.message_arguments(message)),
                )?
            }
            StepOperation::Start { buffer_of, stores_error } => {
                let request = self.request_value(RequestPlace::OfCall(origin))?;
                let buffer = buffer_of.and_then(|which| self.buffer_named(which)).unwrap_or("NULL".to_owned());
                self.storing(origin, *stores_error, &format!("gravel_start({request}, {buffer})"))?
            }
            StepOperation::StartAll { stores_error } => {
                let Operation::Start { count: Some(count), requests } =
                    &self.communication(origin, "a start")?.operation
                else {
                    return Err(self.wrong_statement(origin, "a start"));
                };
                let call = format!("gravel_startall({}, {})", self.text(count), self.text(requests));
                self.storing(origin, *stores_error, &call)?
            }
            StepOperation::Release { stores_error } => {
                let request = self.request(RequestPlace::OfCall(origin))?;
                self.storing(origin, *stores_error, &format!("gravel_release({request})"))?
            }
            StepOperation::StoreSuccess => match &self.communication(origin, "an error code")?.error {
                Some(_) if self.in_expression => "MPI_SUCCESS;".to_owned(),
                Some(error) => format!("{} = MPI_SUCCESS;", self.text(error)),
                None => return Ok(None),
            },
            // What was handed over by its address is read anew behind any call.
            StepOperation::SynchroniseBuffer { .. } => return Ok(None),
            // Written around the loop, in `loops`.
            StepOperation::StripMine(_) | StepOperation::WaitInTiles(_) | StepOperation::SplitLoop { .. } => {
                return Ok(None);
            }
            // No plan for C has these (`ir::Form`).
            StepOperation::ComputeEarly(_)
            | StepOperation::PostReceiveOfCallee { .. }
            | StepOperation::BeginExchange { .. }
            | StepOperation::EndExchange { .. }
            | StepOperation::RunAroundEnd { .. }
            | StepOperation::DropPack { .. } => return Err(self.wrong_statement(origin, "what is not written in C")),
        };
        Ok(Some(vec![line]))
    }

    /// Where a wait puts its status.
    pub fn status_of(&self, wait: &StepOperation) -> Result<String, EmitError> {
        let StepOperation::Wait { status: Some(place), .. } = wait else { return Ok("MPI_STATUS_IGNORE".to_owned()) };
        Ok(match (self.communication(place.call, "a status")?.status(), place.element) {
            (Status::Ignored, _) => "MPI_STATUS_IGNORE".to_owned(),
            (Status::Stored(status), None) => self.text(status),
            (Status::Stored(statuses), Some(element)) => {
                let first = self.procedure.dialect().first_subscript();
                element_at(&self.text(statuses), element - first)
            }
        })
    }

    fn statuses(&self, statuses: &Status, ignored: &str) -> String {
        statuses.variable().map_or(ignored.to_owned(), |variable| self.text(variable))
    }

    /// A test, or a wait for any or some of several requests.
    fn completion(&self, id: StatementId) -> Result<String, EmitError> {
        let Operation::Complete { kind, count, requests, completed, indices, flag, statuses } =
            &self.communication(id, "a completion")?.operation
        else {
            return Err(self.wrong_statement(id, "a completion"));
        };
        let arguments = count.iter().chain([requests]).chain(completed).chain(indices).chain(flag);
        let mut arguments: Vec<String> = arguments.map(|argument| self.text(argument)).collect();
        let ignored = if kind.stores_several_statuses() { "MPI_STATUSES_IGNORE" } else { "MPI_STATUS_IGNORE" };
        arguments.push(self.statuses(statuses, ignored));
        Ok(format!("{}({})", routines::of_completion(*kind, false), arguments.join(", ")))
    }

    /// The runtime's call with the arguments of the program's.
    fn twin(&self, origin: StatementId) -> Result<String, EmitError> {
        let communication = self.communication(origin, "a call with the same arguments")?;
        let Operation::Other { arguments, .. } = &communication.operation else {
            return Err(self.wrong_statement(origin, "a call with the same arguments"));
        };
        let mut arguments: Vec<String> = arguments.iter().map(|argument| self.text(argument)).collect();
        if communication.cancels() {
            arguments.iter_mut().for_each(|request| *request = pointed_at(request));
        }
        let name = communication.routine.trim_start_matches("mpi_");
        let call = format!("gravel_{name}({})", arguments.join(", "));
        self.storing(origin, communication.error.is_some(), &call)
    }

    /// The variable that leads to a message, where it has a plain name in the whole function.
    pub fn buffer_named(&self, which: MessageOf) -> Option<String> {
        let is_here = which.procedure.is_none() && which.argument.is_none() && which.beside_request_of.is_none();
        let call = self.communication(which.call, "a wait").ok().filter(|_| is_here)?;
        let buffer = &call.described(which.direction)?.buffer;
        let symbol: SymbolId = match buffer.kind {
            ExpressionKind::Symbol(symbol) | ExpressionKind::Element { array: symbol, .. } => symbol,
            _ => return None,
        };
        let described = self.procedure.symbol(symbol);
        // What a pointer leads to is called by the pointer.
        let name = described.name.strip_prefix('*').unwrap_or(&described.name);
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let is_alone = self.procedure.symbols.iter().filter(|other| other.name == name).count() == 1;
        let is_variable = described.class == SymbolClass::Variable && !described.has_shifting_name;
        let is_everywhere = described.scope.is_none() && !described.volatile && is_variable && is_name && is_alone;
        let is_pointer = matches!(described.storage, Storage::Pointer);
        is_everywhere.then(|| match described.rank() == 0 && !is_pointer {
            true => format!("&{name}"),
            false => name.to_owned(),
        })
    }
}

/// What the pointer leads to that is written so.
fn pointed_at(pointer: &str) -> String {
    match pointer.strip_prefix('&') {
        Some(object) if is_designator(object) => object.to_owned(),
        _ if is_designator(pointer) => format!("*{pointer}"),
        _ => format!("*({pointer})"),
    }
}

/// The address of one element further on.
fn element_at(array: &str, index: i64) -> String {
    match is_designator(array) {
        true => format!("&{array}[{index}]"),
        false => format!("&({array})[{index}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pointers_lead_to_is_written_shortly() {
        for (pointer, object) in [
            ("&rq", "rq"),
            ("&g->rq[i - 1]", "g->rq[i - 1]"),
            ("rq", "*rq"),
            ("rq + 1", "*(rq + 1)"),
            ("&rq + 1", "*(&rq + 1)"),
            ("&a-b", "*(&a-b)"),
            ("next(rq)", "*(next(rq))"),
        ] {
            assert_eq!(pointed_at(pointer), object);
        }
        assert_eq!(element_at("st", 2), "&st[2]");
        assert_eq!(element_at("st + k", 0), "&(st + k)[0]");
    }
}
