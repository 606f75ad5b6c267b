//! The statements and comments of a plan's steps, in the paper's call names.

use crate::ir::{
    Communication, Expression, ExpressionKind, Loop, Message, Monomial, Operation, Polynomial, Procedure, Program,
    StatementId, StatementKind, Status,
};
use crate::plan::{NewVariable, Position, Step, StepOperation, StripMine};

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
    /// The put behind each tile.
    pub put: String,
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

    fn message(&self, id: StatementId, step: &'static str) -> Result<&'a Message, EmitError> {
        self.communication(id, step)?.message().ok_or_else(|| self.wrong_statement(id, step))
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
                self.message_arguments(self.message(origin, "a receive")?),
                self.name(*request),
                self.error_argument(origin, *stores_error)?
            ),
            StepOperation::PostSend { request, stores_error } => format!(
                "call gravel_post_send({}, {}{})",
                self.message_arguments(self.message(origin, "a send")?),
                self.name(*request),
                self.error_argument(origin, *stores_error)?
            ),
            StepOperation::OpenTransfer { transfer } => format!(
                "call gravel_wait_rcv_buffer({}, {})",
                self.message_arguments(self.message(origin, "a send")?),
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
                self.name(*request),
                self.error_argument(origin, *stores_error)?
            ),
            StepOperation::Wait { request, buffer_of, status_of, error_of } => {
                self.wait(*request, *buffer_of, *status_of, *error_of)?
            }
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

    fn wait(
        &self,
        request: NewVariable,
        buffer_of: StatementId,
        status_of: Option<StatementId>,
        error_of: Option<StatementId>,
    ) -> Result<String, EmitError> {
        let buffer = &self.message(buffer_of, "a wait")?.buffer;
        let whole = buffer.designated().ok_or_else(|| self.wrong_statement(buffer_of, "a wait"))?;
        let spelled = self.text(buffer);
        // The variable as a whole, in the program's own spelling: its subscripts may have changed since the post.
        let length = self.procedure.symbol(whole).name.len();
        let name = spelled.get(..length).map_or_else(|| self.procedure.symbol(whole).name.clone(), str::to_string);
        let mut arguments = vec![self.name(request), name];
        if let Some(id) = status_of {
            let status = match &self.communication(id, "a status")?.operation {
                Operation::Receive { status, .. } | Operation::Wait { status, .. } => status,
                _ => return Err(self.wrong_statement(id, "a status")),
            };
            if let Status::Stored(variable) = status {
                arguments.push(self.text(variable));
            }
        }
        let error = match error_of {
            Some(id) => self.error_argument(id, true)?,
            None => String::new(),
        };
        Ok(format!("call gravel_wait({}{error})", arguments.join(", ")))
    }

    /// The loop over tiles around a loop.
    pub fn tiles(&self, step: &Step, strip_mine: &StripMine, counted: &Loop) -> Result<Tiles, EmitError> {
        let start = self.name(NewVariable::TileStart(strip_mine.number));
        let end = self.name(NewVariable::TileEnd(strip_mine.number));
        let tile_step = self.name(NewVariable::TileStep(strip_mine.number));
        let transfer = self.name(strip_mine.transfer);
        let lower = self.text(&counted.lower);
        let upper = self.text(&counted.upper);
        let (lower_operand, upper_operand) = (operand(&lower, &counted.lower), operand(&upper, &counted.upper));
        let iterations = match counted.lower.kind {
            ExpressionKind::Integer(1) => upper.clone(),
            _ => format!("{upper_operand} - {lower_operand} + 1"),
        };
        let mut head = Vec::new();
        if strip_mine.keeps_variable {
            head.push(format!("{} = {lower}", self.procedure.symbol(counted.variable).name));
        }
        head.push(format!("{tile_step} = gravel_tile({transfer}, {iterations})"));
        head.push(format!("do {start} = {lower}, {upper}, {tile_step}"));
        let elements = &strip_mine.elements_per_iteration;
        let buffer = self.text(&self.message(step.origin, "a put")?.buffer);
        let offset = self.times(&format!("{start} - {lower_operand}"), elements);
        let count = self.times(&format!("{end} - {start} + 1"), elements);
        Ok(Tiles {
            head,
            last_iteration: format!("{end} = {start} + min({tile_step} - 1, {upper_operand} - {start})"),
            put: format!("call gravel_post_os_put({transfer}, {buffer}, {offset}, {count})"),
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
            (StepOperation::PostReceive { .. }, Position::Before(_)) => "posted early",
            (StepOperation::PostReceive { .. }, _) => "posted here",
            (StepOperation::OpenTransfer { .. }, _) => "one handshake, a put per tile",
            (StepOperation::SendFin { .. }, _) => "sent tile by tile above",
            (StepOperation::PostSend { .. }, _) => "sent without waiting",
            (StepOperation::Wait { .. }, Position::After(_)) => "the wait moved here",
            (StepOperation::Wait { .. }, _) => "waits here",
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
