//! The statements and comments of a plan's steps, in the paper's call names.

use std::collections::BTreeMap;

use crate::analysis::facts::SiteId;
use crate::analysis::messages::buffer_room::{BufferRoom, buffer_room};
use crate::analysis::messages::requests_in_objects::component_named;
use crate::ir::{
    Communication, Direction, Expression, ExpressionKind, Message, Operation, Partner, Procedure, ProcedureId, Program,
    Span, StatementId, StatementKind, SymbolId, TypeCategory,
};
use crate::plan::{
    MessageOf, NewVariable, Plan, RequestPlace, SplitNest, Step, StepOperation, name_of_begin, name_of_boxes,
    name_of_end,
};

use super::super::comments::Comments;
use super::super::names::name_of;
use super::super::{EmitError, routines};
use super::early_values::Given;
use super::layout::{NESTED_MARGIN, spelled_text_of, text_of};
use super::meanings::{Form, FormsIn};
use super::names::Names;

/// Writes the code of one procedure.
#[derive(Clone)]
pub struct Writer<'a> {
    pub(super) names: &'a Names<'a>,
    pub(super) program: &'a Program,
    /// What is carried out.
    plan: &'a Plan,
    pub(super) procedure: &'a Procedure,
    /// Which procedure of the program that is.
    id: ProcedureId,
    /// The text of the procedures that it contains.
    pub(super) inner: Vec<Span>,
    /// What is written in the place of variables that get their values only further down.
    pub(super) in_place_of: BTreeMap<SymbolId, Given>,
}

impl<'a> Writer<'a> {
    /// For this procedure.
    pub fn new(names: &'a Names<'a>, plan: &'a Plan, id: ProcedureId) -> Self {
        let (program, procedure) = (names.program, names.program.procedure(id));
        let own = procedure.span;
        let spans = program.procedures.iter().map(|other| other.span);
        let inner = spans.filter(|&other| other != own && other.is_within(own)).collect();
        Self { names, program, plan, procedure, id, inner, in_place_of: BTreeMap::new() }
    }

    pub(super) fn name(&self, variable: NewVariable) -> String {
        name_of(self.program, self.procedure, variable)
    }

    /// The comment above steps that stand together; they have one origin.
    pub fn comment(&self, steps: &[&Step]) -> String {
        let Self { program, procedure, .. } = *self;
        format!("! {}", Comments { program, procedure, quoted: spelled_text_of }.comment(steps))
    }

    /// Which procedure it writes for.
    pub(super) fn procedure_id(&self) -> ProcedureId {
        self.id
    }

    /// Notes what a text is written for.
    pub(super) fn note(&self, text: &str, form: Form) {
        self.names.meanings.note(self.id, text, form);
    }

    /// What expressions mean where this writes.
    pub(super) fn forms(&self, form: impl FnOnce(&FormsIn<'_>) -> Form) -> Form {
        let given = |symbol| self.in_place_of.get(&symbol).map(|given| given.form.clone());
        form(&FormsIn { program: self.program, procedure: self.procedure, given: &given })
    }

    /// What a step's call names and the procedure has to import, with its module: mostly constants of MPI.
    pub fn borrowed_constants(&self, step: &Step) -> Vec<(String, String)> {
        if matches!(step.operation, StepOperation::PostReceiveOfCallee { .. }) {
            return self.imports_of_early_post(step);
        }
        let StatementKind::Communication(communication) = &self.procedure.statement(step.origin).kind else {
            return Vec::new();
        };
        let borrowed = communication.wrapper.iter().flat_map(|wrapper| &wrapper.borrowed);
        borrowed.map(|(module, name)| (module.to_string(), name.clone())).collect()
    }

    pub(super) fn communication(&self, id: StatementId, step: &'static str) -> Result<&'a Communication, EmitError> {
        let statement = self.procedure.statement(id);
        match &statement.kind {
            StatementKind::Communication(communication) => Ok(communication),
            _ => Err(self.wrong_statement(id, step)),
        }
    }

    pub(super) fn wrong_statement(&self, id: StatementId, step: &'static str) -> EmitError {
        let span = self.procedure.statement(id).span;
        EmitError::WrongStatement {
            path: self.program.path_of(span).display().to_string(),
            line: self.program.line(span),
            step,
        }
    }

    pub(super) fn sent(&self, id: StatementId) -> Result<&'a Message, EmitError> {
        self.message(MessageOf::own(id, Direction::Sent), "a send")
    }

    pub(super) fn received(&self, id: StatementId) -> Result<&'a Message, EmitError> {
        self.message(MessageOf::own(id, Direction::Received), "a receive")
    }

    pub(super) fn message(&self, which: MessageOf, step: &'static str) -> Result<&'a Message, EmitError> {
        let message = self.communication(which.call, step)?.described(which.direction);
        message.ok_or_else(|| self.wrong_statement(which.call, step))
    }

    /// A request, as calls of the runtime are given it.
    pub(super) fn request(&self, place: RequestPlace) -> Result<String, EmitError> {
        match place {
            RequestPlace::New(variable) => Ok(self.name(variable)),
            RequestPlace::OfCall(call) => Ok(self.text(self.own_request(call)?)),
        }
    }

    /// A request as an integer, which is what variables of the emitted code are; those of `mpi_f08` hold one.
    fn request_value(&self, place: RequestPlace) -> Result<String, EmitError> {
        let RequestPlace::OfCall(call) = place else { return self.request(place) };
        let request = self.own_request(call)?;
        let element = match &request.kind {
            ExpressionKind::Part { component: Some(name), .. } => {
                component_named(self.program, name).map(|component| component.element)
            }
            _ => request.designated().map(|symbol| self.procedure.symbol(symbol).element),
        };
        match element.map(|element| element.category) {
            Some(TypeCategory::Derived) => Ok(format!("{}%mpi_val", self.text_alone(request))),
            _ => Ok(self.text(request)),
        }
    }

    /// What a call names as its request.
    fn own_request(&self, call: StatementId) -> Result<&'a Expression, EmitError> {
        let request = self.communication(call, "a request")?.request();
        request.ok_or_else(|| self.wrong_statement(call, "a request"))
    }

    /// The arguments that posts have in common: buffer, count, datatype, peer, tag, communicator; of an exchange without
    /// peer and tag, and with the places of its blocks behind their counts where these differ.
    pub(super) fn message_arguments(&self, message: &Message) -> String {
        let condition = message.condition.as_ref().map(|condition| self.text(condition));
        let is_one = |argument: &Expression, other: &Expression| std::ptr::eq(argument, other);
        let is_list = |argument: &Expression| {
            message.block_lists().is_some_and(|lists| lists.iter().any(|list| is_one(argument, list)))
        };
        let text = |argument: &Expression| {
            let text = match is_list(argument) {
                true => self.elements_from(self.text_alone(argument), argument),
                false => self.text(argument),
            };
            let is_peer = matches!(&message.partner, Partner::Process { peer, .. } if is_one(argument, peer));
            match &condition {
                // Of a message to nobody the count has to make sense, too.
                Some(condition) if is_one(argument, &message.count) => format!("merge({text}, 0, {condition})"),
                Some(condition) if is_peer => format!("merge({text}, mpi_proc_null, {condition})"),
                _ => text,
            }
        };
        message.arguments().into_iter().map(text).collect::<Vec<_>>().join(", ")
    }

    /// The error argument of a call, with the comma before it, if the code is to be stored.
    pub(super) fn error_argument(&self, id: StatementId, stores_error: bool) -> Result<String, EmitError> {
        let error = self.communication(id, "an error code")?.error.as_ref().filter(|_| stores_error);
        Ok(error.map(|error| format!(", {}", self.text(error))).unwrap_or_default())
    }

    /// The statements of a step.
    pub fn code(&self, step: &Step) -> Result<Vec<String>, EmitError> {
        self.code_of(&step.operation, step.origin, step.guard)
    }

    /// The statements of an operation of the call `origin`.
    pub(super) fn code_of(
        &self,
        operation: &StepOperation,
        origin: StatementId,
        guard: Option<StatementId>,
    ) -> Result<Vec<String>, EmitError> {
        let statement = match operation {
            StepOperation::Initialize => self.initialize(),
            StepOperation::ReturnErrors => "call gravel_errors_return()".to_string(),
            StepOperation::Finalize => "call gravel_finalize()".to_string(),
            StepOperation::Attach => match &self.communication(origin, "a communicator")?.operation {
                Operation::CreateCommunicator { created, .. } => format!("call gravel_attach({})", self.text(created)),
                _ => return Err(self.wrong_statement(origin, "a communicator")),
            },
            StepOperation::CallTwin => self.twin(origin)?,
            StepOperation::TellOfBuffer => match buffer_room(self.communication(origin, "a buffer")?) {
                Some(BufferRoom::Attached(size)) => format!("call gravel_buffer_attached({})", self.text(size)),
                Some(BufferRoom::Detached) => "call gravel_buffer_detached()".to_string(),
                None => return Err(self.wrong_statement(origin, "a buffer")),
            },
            StepOperation::PostReceive { request, protocol, in_segments, early, stores_error } => format!(
                "call {}({}, {}{})",
                routines::of_post(&self.received(origin)?.partner, *protocol, *in_segments),
                self.given(early)?.message_arguments(self.received(origin)?),
                self.request(*request)?,
                self.error_argument(origin, *stores_error)?
            ),
            StepOperation::PostReceiveOfCallee { procedure, receive, inner_guard, request, in_segments, early } => {
                let receive = SiteId { procedure: *procedure, statement: *receive };
                return self.early_post((origin, guard), (receive, *inner_guard), (*request, *in_segments), early);
            }
            StepOperation::ComputeEarly(computation) => return self.early_computation(computation, guard),
            StepOperation::PostSend { request, protocol, from_copy, stores_error } => format!(
                "call {}({}, {}{})",
                routines::of_send(
                    self.communication(origin, "a send")?,
                    &self.sent(origin)?.partner,
                    *protocol,
                    *from_copy
                ),
                self.message_arguments(self.sent(origin)?),
                self.request(*request)?,
                self.error_argument(origin, *stores_error)?
            ),
            StepOperation::OpenTransfer { transfer, protocol, early } => format!(
                "call {}({}, {})",
                routines::of_transfer(self.communication(origin, "a send")?, &self.sent(origin)?.partner, *protocol),
                self.given(early)?.message_arguments(self.sent(origin)?),
                self.name(*transfer)
            ),
            StepOperation::ClearTransfer { transfer } => {
                format!("{} = gravel_transfer_null", self.name(*transfer))
            }
            StepOperation::HandOverRequest { from, to, leaves_null } => {
                let (from, to) = (self.request_value(*from)?, self.request_value(*to)?);
                if *leaves_null && guard.is_none() {
                    return Ok(vec![format!("{to} = {from}"), format!("{from} = gravel_request_null")]);
                }
                format!("{to} = {from}")
            }
            StepOperation::ClearRequest { request } => {
                format!("{} = gravel_request_null", self.request_value(*request)?)
            }
            StepOperation::SendFin { transfer, request, stores_error } => format!(
                "call gravel_send_fin({}, {}{})",
                self.name(*transfer),
                self.request(*request)?,
                self.error_argument(origin, *stores_error)?
            ),
            StepOperation::Wait { request, buffer_of, status, error_of, .. } => {
                self.wait(*request, *buffer_of, *status, *error_of)?
            }
            StepOperation::WaitAll { stores_error } => self.wait_all(origin, *stores_error)?,
            StepOperation::Complete { buffer_of, stores_error } => {
                self.completion(origin, *buffer_of, *stores_error)?
            }
            StepOperation::Prepare { protocol, stores_error } => {
                let preparation = self.communication(origin, "a preparation")?;
                let Some((direction, message)) = preparation.prepared() else {
                    return Err(self.wrong_statement(origin, "a preparation"));
                };
                format!(
                    "call {}({}, {}{})",
                    routines::of_preparation(preparation, direction, *protocol),
                    self.message_arguments(message),
                    self.request(RequestPlace::OfCall(origin))?,
                    self.error_argument(origin, *stores_error)?
                )
            }
            StepOperation::Start { buffer_of, stores_error } => {
                let request = self.request(RequestPlace::OfCall(origin))?;
                let error = self.error_argument(origin, *stores_error)?;
                match buffer_of {
                    Some(buffer_of) => {
                        format!("call gravel_start({request}, {}{error})", self.whole_buffer(*buffer_of)?)
                    }
                    None => format!("call gravel_start_request({request}{error})"),
                }
            }
            StepOperation::StartAll { stores_error } => {
                let Operation::Start { count: Some(count), requests: all } =
                    &self.communication(origin, "a start")?.operation
                else {
                    return Err(self.wrong_statement(origin, "a start"));
                };
                format!(
                    "call gravel_startall({}, {}{})",
                    self.text(count),
                    self.text(all),
                    self.error_argument(origin, *stores_error)?
                )
            }
            StepOperation::Release { stores_error } => format!(
                "call gravel_release({}{})",
                self.request(RequestPlace::OfCall(origin))?,
                self.error_argument(origin, *stores_error)?
            ),
            StepOperation::SynchroniseBuffer { buffer_of } => {
                format!("call gravel_f_sync_reg({})", self.whole_buffer(*buffer_of)?)
            }
            StepOperation::StoreSuccess => match &self.communication(origin, "an error code")?.error {
                Some(error) => format!("{} = 0", self.text(error)),
                None => return Ok(Vec::new()),
            },
            StepOperation::BeginExchange { procedure } => self.call_of_part(origin, name_of_begin, *procedure, None),
            StepOperation::EndExchange { procedure } => self.call_of_part(origin, name_of_end, *procedure, None),
            StepOperation::RunAroundEnd { procedure, exchange, begun_by } => {
                return Ok(self.around_end(
                    origin,
                    *procedure,
                    self.call_of_part(*begun_by, name_of_end, *exchange, None),
                ));
            }
            // Nothing is left of it.
            StepOperation::DropPack { .. } => return Ok(Vec::new()),
            // Written around the loop, in `loops`.
            StepOperation::StripMine(_) | StepOperation::WaitInTiles(_) | StepOperation::SplitLoop { .. } => {
                return Ok(Vec::new());
            }
        };
        match guard {
            None => Ok(vec![statement]),
            Some(branch) => Ok(vec![format!("if ({}) {statement}", self.first_condition(branch)?)]),
        }
    }

    /// The call of `origin` to what is made of the procedure that it calls, be it with the first and the last box that is to be run.
    fn call_of_part(
        &self,
        origin: StatementId,
        name_of: fn(&str) -> String,
        procedure: ProcedureId,
        boxes: Option<(usize, usize)>,
    ) -> String {
        let span = self.procedure.statement(origin).span;
        let text = text_of(self.program.file(span.file), span);
        let name = name_of(&self.program.procedure(procedure).name);
        let arguments = text.find('(').map_or("", |start| &text[start..]);
        let Some((first, last)) = boxes else { return format!("call {name}{arguments}") };
        match arguments.strip_prefix('(').filter(|inner| !inner.trim_start().starts_with(')')) {
            Some(inner) => format!("call {name}({first}, {last}, {inner}"),
            None => format!("call {name}({first}, {last})"),
        }
    }

    /// The procedure that is called here runs around the `end` of an exchange, or behind it.
    fn around_end(&self, origin: StatementId, nest: ProcedureId, end: String) -> Vec<String> {
        let span = self.procedure.statement(origin).span;
        let last = self.plan.nest_of(nest).map_or(1, SplitNest::boxes);
        let [inside, border] =
            [(1, 1), (2, last)].map(|boxes| self.call_of_part(origin, name_of_boxes, nest, Some(boxes)));
        let place = self.place(span);
        let deeper = |statement: String| format!("{NESTED_MARGIN}{statement}");
        vec![
            format!("if (gravel_worth_overlapping('{place}')) then"),
            deeper(inside),
            deeper(end.clone()),
            deeper(border),
            "else".to_owned(),
            deeper(end),
            deeper(text_of(self.program.file(span.file), span)),
            "end if".to_owned(),
        ]
    }

    /// A place of the program by the name of its file and its line, for statistics.
    fn place(&self, span: Span) -> String {
        let file = self.program.path_of(span).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_plain = |character: char| character.is_ascii_alphanumeric() || "._-+".contains(character);
        let file: String = file.chars().map(|it| if is_plain(it) { it } else { '_' }).collect();
        format!("{file}:{}", self.program.line(span))
    }

    /// The runtime's call with the arguments of the program's.
    fn twin(&self, origin: StatementId) -> Result<String, EmitError> {
        let communication = self.communication(origin, "a call with the same arguments")?;
        let Operation::Other { arguments, .. } = &communication.operation else {
            return Err(self.wrong_statement(origin, "a call with the same arguments"));
        };
        let name = communication.routine.trim_start_matches("mpi_");
        let arguments: Vec<String> = arguments.iter().map(|argument| self.text(argument)).collect();
        Ok(format!("call gravel_{name}({})", arguments.join(", ")))
    }

    fn initialize(&self) -> String {
        // Without an argument the module takes the world communicator: the name may not be visible here.
        let is_visible = self.procedure.find_symbol("mpi_comm_world").filter(|&id| {
            // A constant of the program's with this value has a name of its own.
            self.procedure.symbol(id).declaration.is_none()
        });
        match is_visible {
            Some(_) => "call gravel_init(mpi_comm_world)".to_string(),
            None => "call gravel_init()".to_string(),
        }
    }
}
