//! The statements and comments of a plan's steps, in the paper's call names.

use crate::ir::{
    Communication, Direction, Expression, ExpressionKind, Loop, Message, Monomial, Operation, Polynomial, Procedure,
    Program, StatementId, StatementKind,
};
use crate::plan::{MessageOf, NewVariable, Position, RequestPlace, Step, StepOperation, StripMine};

use super::super::EmitError;
use super::layout::joined;
use super::names::name_of;

/// Writes the code of one procedure.
pub struct Writer<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
}

/// The pieces of a loop over tiles.
pub struct Tiles {
    /// Up to the head of the loop over tiles.
    pub head: Vec<String>,
    /// The statement that works out the last iteration of a tile.
    pub last_iteration: String,
    /// The lower bound of the loop inside.
    pub start_name: String,
    /// The upper bound of the loop inside.
    pub end_name: String,
    /// The puts behind each tile, one for each message that the loop fills.
    pub puts: Vec<String>,
}

impl<'a> Writer<'a> {
    /// For this procedure.
    pub fn new(program: &'a Program, procedure: &'a Procedure) -> Self {
        Self { program, procedure }
    }

    fn name(&self, variable: NewVariable) -> String {
        name_of(self.procedure, variable)
    }

    fn text(&self, expression: &Expression) -> String {
        joined(&self.program.text(expression.span))
    }

    fn communication(&self, id: StatementId, step: &'static str) -> Result<&'a Communication, EmitError> {
        let statement = self.procedure.statement(id);
        match &statement.kind {
            StatementKind::Communication(communication) => Ok(communication),
            _ => Err(self.wrong_statement(id, step)),
        }
    }

    fn wrong_statement(&self, id: StatementId, step: &'static str) -> EmitError {
        let span = self.procedure.statement(id).span;
        EmitError::WrongStatement {
            path: self.program.file(span.file).path.display().to_string(),
            line: self.program.line(span),
            step,
        }
    }

    fn sent(&self, id: StatementId) -> Result<&'a Message, EmitError> {
        self.message(MessageOf { call: id, direction: Direction::Sent }, "a send")
    }

    fn received(&self, id: StatementId) -> Result<&'a Message, EmitError> {
        self.message(MessageOf { call: id, direction: Direction::Received }, "a receive")
    }

    fn message(&self, which: MessageOf, step: &'static str) -> Result<&'a Message, EmitError> {
        let message = self.communication(which.call, step)?.message(which.direction);
        message.ok_or_else(|| self.wrong_statement(which.call, step))
    }

    /// A request; of an array's shadow the element that the program's own call names.
    fn request(&self, place: RequestPlace) -> Result<String, EmitError> {
        let name = self.name(place.variable);
        let Some(call) = place.element_of else {
            return Ok(name);
        };
        let request = self.communication(call, "a request")?.request();
        let request = request.ok_or_else(|| self.wrong_statement(call, "a request"))?;
        Ok(format!("{name}{}", self.selector(request)))
    }

    /// What follows the variable's name in a designator: its subscripts, if it has any.
    fn selector(&self, designator: &Expression) -> String {
        let text = self.text(designator);
        text.find('(').map(|position| text[position..].to_string()).unwrap_or_default()
    }

    /// The requests of a wait for several. An element stands for the elements from it on, which takes a section where
    /// the rank of the argument matters.
    fn requests(&self, variable: NewVariable, requests: &Expression) -> String {
        let selector = self.selector(requests);
        let selector = match requests.kind {
            ExpressionKind::Element { .. } => selector.strip_suffix(')').map(|open| format!("{}:)", open.trim_end())),
            _ => None,
        }
        .unwrap_or(selector);
        format!("{}{selector}", self.name(variable))
    }

    /// The arguments that posts have in common: buffer, count, datatype, peer, tag, communicator.
    fn message_arguments(&self, message: &Message) -> String {
        message.expressions().into_iter().map(|argument| self.text(argument)).collect::<Vec<_>>().join(", ")
    }

    /// The error argument of a call, with the comma before it, if the code is to be stored.
    fn error_argument(&self, id: StatementId, stores_error: bool) -> Result<String, EmitError> {
        let error = self.communication(id, "an error code")?.error.as_ref().filter(|_| stores_error);
        Ok(error.map(|error| format!(", {}", self.text(error))).unwrap_or_default())
    }

    /// The statements of a step.
    pub fn code(&self, step: &Step) -> Result<Vec<String>, EmitError> {
        let origin = step.origin;
        let statement = match &step.operation {
            StepOperation::Initialize => self.initialize(),
            StepOperation::Finalize => "call gravel_finalize()".to_string(),
            StepOperation::PostReceive { request, stores_error } => format!(
                "call gravel_post_rcv_buffer_rdma({}, {}{})",
                self.message_arguments(self.received(origin)?),
                self.request(*request)?,
                self.error_argument(origin, *stores_error)?
            ),
            StepOperation::PostSend { request, stores_error } => format!(
                "call gravel_post_send({}, {}{})",
                self.message_arguments(self.sent(origin)?),
                self.request(*request)?,
                self.error_argument(origin, *stores_error)?
            ),
            StepOperation::OpenTransfer { transfer } => format!(
                "call gravel_wait_rcv_buffer({}, {})",
                self.message_arguments(self.sent(origin)?),
                self.name(*transfer)
            ),
            StepOperation::ClearTransfer { transfer } => {
                format!("{} = gravel_transfer_null", self.name(*transfer))
            }
            StepOperation::ClearRequest { request } => {
                format!("{} = gravel_request_null", self.name(*request))
            }
            StepOperation::SendFin { transfer, request, stores_error } => format!(
                "call gravel_send_fin({}, {}{})",
                self.name(*transfer),
                self.request(*request)?,
                self.error_argument(origin, *stores_error)?
            ),
            StepOperation::Wait { request, buffer_of, status_of, error_of } => {
                self.wait(*request, *buffer_of, *status_of, *error_of)?
            }
            StepOperation::WaitAll { requests, stores_error } => self.wait_all(origin, *requests, *stores_error)?,
            StepOperation::SynchroniseBuffer { buffer_of } => {
                format!("call gravel_f_sync_reg({})", self.whole_buffer(*buffer_of)?)
            }
            StepOperation::ClearRequestsToo { requests } => match &self.procedure.statement(origin).kind {
                StatementKind::Assign { target, .. } => {
                    format!("{}{} = gravel_request_null", self.name(*requests), self.selector(target))
                }
                _ => return Err(self.wrong_statement(origin, "a null request")),
            },
            StepOperation::StoreSuccess => match &self.communication(origin, "an error code")?.error {
                Some(error) => format!("{} = 0", self.text(error)),
                None => return Ok(Vec::new()),
            },
            // Written around the loop, by `tiles`.
            StepOperation::StripMine(_) => return Ok(Vec::new()),
        };
        match step.guard {
            None => Ok(vec![statement]),
            Some(branch) => match &self.procedure.statement(branch).kind {
                StatementKind::If { arms, .. } if !arms.is_empty() => {
                    Ok(vec![format!("if ({}) {statement}", self.text(&arms[0].condition))])
                }
                _ => Err(self.wrong_statement(branch, "a condition")),
            },
        }
    }

    fn initialize(&self) -> String {
        // Without an argument the module takes the world communicator: the name may not be visible here.
        match self.procedure.find_symbol("mpi_comm_world") {
            Some(_) => "call gravel_init(mpi_comm_world)".to_string(),
            None => "call gravel_init()".to_string(),
        }
    }

    /// The variable that holds a message, as a whole and in the program's own spelling: its subscripts may have changed
    /// since the post.
    fn whole_buffer(&self, which: MessageOf) -> Result<String, EmitError> {
        let buffer = &self.message(which, "a wait")?.buffer;
        let whole = buffer.designated().ok_or_else(|| self.wrong_statement(which.call, "a wait"))?;
        let name = &self.procedure.symbol(whole).name;
        let spelled = self.text(buffer);
        Ok(spelled.get(..name.len()).map_or_else(|| name.clone(), str::to_string))
    }

    fn wait(
        &self,
        request: RequestPlace,
        buffer_of: MessageOf,
        status_of: Option<StatementId>,
        error_of: Option<StatementId>,
    ) -> Result<String, EmitError> {
        let mut arguments = vec![self.request(request)?, self.whole_buffer(buffer_of)?];
        if let Some(id) = status_of {
            arguments.extend(self.status(id)?);
        }
        let error = match error_of {
            Some(id) => self.error_argument(id, true)?,
            None => String::new(),
        };
        Ok(format!("call gravel_wait({}{error})", arguments.join(", ")))
    }

    fn wait_all(&self, id: StatementId, variable: NewVariable, stores_error: bool) -> Result<String, EmitError> {
        let Operation::WaitAll { count, requests, .. } = &self.communication(id, "a wait")?.operation else {
            return Err(self.wrong_statement(id, "a wait"));
        };
        let mut arguments = vec![self.text(count), self.requests(variable, requests)];
        arguments.extend(self.status(id)?);
        let error = self.error_argument(id, stores_error)?;
        Ok(format!("call gravel_waitall({}{error})", arguments.join(", ")))
    }

    /// The status argument of a call, if somebody looks at it.
    fn status(&self, id: StatementId) -> Result<Option<String>, EmitError> {
        let status = self.communication(id, "a status")?.status();
        Ok(status.variable().map(|variable| self.text(variable)))
    }

    /// The loop over tiles around a loop that fills these messages.
    pub fn tiles(&self, messages: &[(&Step, &StripMine)], counted: &Loop) -> Result<Tiles, EmitError> {
        let number = messages.first().map_or(0, |(_, strip_mine)| strip_mine.number);
        let start = self.name(NewVariable::TileStart(number));
        let end = self.name(NewVariable::TileEnd(number));
        let tile_step = self.name(NewVariable::TileStep(number));
        let transfers: Vec<String> = messages.iter().map(|(_, strip_mine)| self.name(strip_mine.transfer)).collect();
        let lower = self.text(&counted.lower);
        let upper = self.text(&counted.upper);
        let (lower_operand, upper_operand) = (operand(&lower, &counted.lower), operand(&upper, &counted.upper));
        let iterations = match counted.lower.kind {
            ExpressionKind::Integer(1) => upper.clone(),
            _ => format!("{upper_operand} - {lower_operand} + 1"),
        };
        let mut head = Vec::new();
        if messages.iter().any(|(_, strip_mine)| strip_mine.keeps_variable) {
            head.push(format!("{} = {lower}", self.procedure.symbol(counted.variable).name));
        }
        let opened = match transfers.as_slice() {
            [only] => only.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        // Where one of the messages needs whole vectors, the loop does.
        let multiple = if messages.iter().all(|(_, strip_mine)| strip_mine.any_tile_length) { ", 1" } else { "" };
        head.push(format!("{tile_step} = gravel_tile({opened}, {iterations}{multiple})"));
        head.push(format!("do {start} = {lower}, {upper}, {tile_step}"));
        let mut puts = Vec::with_capacity(messages.len());
        for ((step, strip_mine), transfer) in messages.iter().zip(&transfers) {
            let elements = &strip_mine.elements_per_iteration;
            let buffer = self.text(&self.sent(step.origin)?.buffer);
            let offset = self.times(&format!("{start} - {lower_operand}"), elements);
            let count = self.times(&format!("{end} - {start} + 1"), elements);
            puts.push(format!("call gravel_post_os_put({transfer}, {buffer}, {offset}, {count})"));
        }
        Ok(Tiles {
            head,
            last_iteration: format!("{end} = {start} + min({tile_step} - 1, {upper_operand} - {start})"),
            puts,
            start_name: start,
            end_name: end,
        })
    }

    /// `sum * factor`, without the factor 1.
    fn times(&self, sum: &str, factor: &Polynomial) -> String {
        match factor.as_constant() {
            Some(1) => sum.to_string(),
            _ => format!("({sum})*{}", self.polynomial(factor)),
        }
    }

    fn polynomial(&self, polynomial: &Polynomial) -> String {
        let terms: Vec<(&Monomial, i64)> = polynomial.terms().collect();
        match terms.as_slice() {
            [] => "0".to_string(),
            [(monomial, coefficient)] if *coefficient > 0 => self.term(monomial, *coefficient),
            _ => {
                let mut text = String::new();
                // The constant term comes first in the polynomial's own order and reads better at the end.
                for (monomial, coefficient) in terms.iter().rev() {
                    let term = self.term(monomial, coefficient.abs());
                    match (text.is_empty(), *coefficient < 0) {
                        (true, true) => text = format!("-{term}"),
                        (true, false) => text = term,
                        (false, true) => text = format!("{text} - {term}"),
                        (false, false) => text = format!("{text} + {term}"),
                    }
                }
                format!("({text})")
            }
        }
    }

    fn term(&self, monomial: &Monomial, coefficient: i64) -> String {
        let mut factors: Vec<String> = Vec::new();
        if coefficient != 1 || monomial.is_empty() {
            factors.push(coefficient.to_string());
        }
        for (&symbol, &exponent) in monomial {
            let name = &self.procedure.symbol(symbol).name;
            factors.extend(std::iter::repeat_n(name.clone(), exponent as usize));
        }
        factors.join("*")
    }

    /// The comment above steps that stand together; they have one origin.
    pub fn comment(&self, steps: &[&Step]) -> String {
        let Some(step) = steps.iter().find(|step| is_telling(&step.operation)).or(steps.first()) else {
            return String::new();
        };
        let phrase = match (&step.operation, step.position) {
            (StepOperation::Initialize, _) => {
                return "! gravel: the runtime starts after MPI".to_string();
            }
            (StepOperation::Finalize, _) => {
                return "! gravel: the runtime ends before MPI".to_string();
            }
            (StepOperation::PostReceive { .. }, Position::Replace(_)) if sends(steps) => "receives and sends here",
            (StepOperation::PostReceive { .. }, Position::Before(_)) => "posted early",
            (StepOperation::PostReceive { .. }, _) => "posted here",
            (StepOperation::OpenTransfer { .. }, _) => "one handshake, a put per tile",
            (StepOperation::SendFin { .. }, _) => "sent tile by tile above",
            (StepOperation::PostSend { .. }, _) => "sent without waiting",
            (StepOperation::Wait { .. }, Position::After(_)) => "the wait moved here",
            (StepOperation::Wait { .. } | StepOperation::WaitAll { .. }, _) => "waits here",
            (StepOperation::SynchroniseBuffer { .. }, _) => "names what may have changed",
            (StepOperation::ClearRequestsToo { .. }, _) => {
                return "! gravel: and the runtime's requests".to_string();
            }
            (StepOperation::ClearRequest { .. } | StepOperation::ClearTransfer { .. }, _) => {
                return "! gravel: null unless the branch below sends".to_string();
            }
            (StepOperation::StoreSuccess, _) => "moved away from here",
            (StepOperation::StripMine(_), _) => "cut into tiles",
        };
        let span = self.procedure.statement(step.origin).span;
        let line = self.program.line(span);
        let quoted = joined(&self.program.text(span));
        format!("! gravel: {phrase}, was line {line}: {quoted}")
    }
}

/// Is a message sent among the steps?
fn sends(steps: &[&Step]) -> bool {
    steps.iter().any(|step| matches!(step.operation, StepOperation::PostSend { .. } | StepOperation::SendFin { .. }))
}

/// Does the step tell what happens at its place, rather than prepare it?
fn is_telling(operation: &StepOperation) -> bool {
    !matches!(operation, StepOperation::ClearRequest { .. } | StepOperation::ClearTransfer { .. })
}

/// An expression's text as an operand of `+` and `-`.
fn operand(text: &str, expression: &Expression) -> String {
    match expression.kind {
        ExpressionKind::Integer(_)
        | ExpressionKind::Symbol(_)
        | ExpressionKind::Element { .. }
        | ExpressionKind::Call { .. } => text.to_string(),
        _ => format!("({text})"),
    }
}
