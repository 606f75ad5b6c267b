//! The comments above the code of steps: what became of which statement.

use crate::ir::{
    Communication, CompletionKind, Operation, Procedure, ProcedureId, Program, Room, SourceFile, Span, StatementId,
    StatementKind,
};
use crate::plan::{NewVariable, Position, RequestPlace, Step, StepOperation};

use super::around::first_and_last;

/// Writes what comments say, in any language.
pub struct Comments<'a> {
    /// The program.
    pub program: &'a Program,
    /// The procedure in which they stand.
    pub procedure: &'a Procedure,
    /// The text of a span on one line, for people.
    pub quoted: fn(&SourceFile, Span) -> String,
}

impl Comments<'_> {
    fn quote(&self, span: Span) -> String {
        (self.quoted)(self.program.file(span.file), span)
    }

    fn communication(&self, id: StatementId) -> Option<&Communication> {
        match &self.procedure.statement(id).kind {
            StatementKind::Communication(communication) => Some(communication),
            _ => None,
        }
    }

    /// Which requests a test, or a wait for any or some of several, completes.
    fn completion_kind(&self, id: StatementId) -> Option<CompletionKind> {
        match &self.communication(id)?.operation {
            Operation::Complete { kind, .. } => Some(*kind),
            _ => None,
        }
    }

    /// The comment above the post of a receive of another procedure.
    fn comment_of_early_post(&self, procedure: ProcedureId, receive: StatementId) -> String {
        let other = self.program.procedure(procedure);
        let span = other.statement(receive).span;
        let quoted = self.quote(span);
        let line = self.program.line_named(span);
        format!("gravel: posted early for `{}`, was line {line} there: {quoted}", other.name)
    }

    /// The comment above a wait for what the call `origin` has begun.
    fn comment_of_late_wait(&self, phrase: &str, origin: StatementId) -> String {
        let span = self.procedure.statement(origin).span;
        let line = self.program.line_named(span);
        let quoted = self.quote(span);
        format!("gravel: {phrase} for what line {line} has begun: {quoted}")
    }

    /// Does the variable hold the request of an operation of this procedure, for its callers?
    fn is_own_late_request(&self, request: RequestPlace) -> bool {
        matches!(request, RequestPlace::New(NewVariable::LateRequest { procedure, .. })
            if self.program.procedure(procedure).span == self.procedure.span)
    }

    /// Words for the procedure that waits for a request of its callers.
    fn in_waiting_procedure(&self, request: RequestPlace) -> String {
        match request {
            RequestPlace::New(NewVariable::CallersRequest { procedure, .. }) => {
                format!(" in `{}`", self.program.procedure(procedure).name)
            }
            _ => String::new(),
        }
    }

    /// What the comment above steps that stand together says; they have one origin.
    pub fn comment(&self, steps: &[&Step]) -> String {
        let Some(step) = steps.iter().find(|step| is_telling(&step.operation)).or(steps.first()) else {
            return String::new();
        };
        let phrase = match (&step.operation, step.position) {
            (StepOperation::PostReceiveOfCallee { procedure, receive, .. }, _) => {
                return self.comment_of_early_post(*procedure, *receive);
            }
            (StepOperation::Wait { request, .. }, _) if is_of_callers(*request) => {
                return "gravel: waits here for what callers have begun".to_string();
            }
            (&StepOperation::SplitLoop { ref wait, depth, any_part_length, .. }, _) if matches!(**wait, StepOperation::Wait { request, .. } if is_of_callers(request)) =>
            {
                let ends = first_and_last(depth, any_part_length);
                return format!("gravel: waits here, before {ends}, for what callers have begun");
            }
            (StepOperation::Wait { is_for_call: true, .. }, _) => {
                return self.comment_of_late_wait("waits here", step.origin);
            }
            (&StepOperation::SplitLoop { ref wait, depth, any_part_length, .. }, _)
                if matches!(**wait, StepOperation::Wait { is_for_call: true, .. }) =>
            {
                let phrase = format!("waits here, before {},", first_and_last(depth, any_part_length));
                return self.comment_of_late_wait(&phrase, step.origin);
            }
            (StepOperation::Initialize, _) => {
                return "gravel: the runtime starts after MPI".to_string();
            }
            (StepOperation::ReturnErrors, _) => {
                return "gravel: the program may go on after errors".to_string();
            }
            (StepOperation::Finalize, _) => {
                return "gravel: the runtime ends before MPI".to_string();
            }
            (StepOperation::Attach, _) => {
                return "gravel: the runtime is attached to the new communicator".to_string();
            }
            (StepOperation::TellOfBuffer, _) => {
                return "gravel: the runtime is told of the buffer".to_string();
            }
            (StepOperation::ComputeEarly(_), _) => {
                let line = self.program.line_named(self.procedure.statement(step.origin).span);
                return format!("gravel: what the call at line {line} needs, computed as further down");
            }
            (StepOperation::PostReceive { .. }, Position::Replace(_)) if sends(steps) => "receives and sends here",
            (StepOperation::PostSend { from_copy: true, .. }, _) => "sends a copy and receives here",
            (StepOperation::PostReceive { .. }, Position::Before(_)) => "posted early",
            (StepOperation::PostReceive { .. }, _) => "posted here",
            (StepOperation::OpenTransfer { .. }, _) => "one handshake, a put per tile",
            (StepOperation::SendFin { .. }, _) => "sent tile by tile above",
            (StepOperation::PostSend { .. }, Position::Before(_)) => "sent here, where it is complete",
            (StepOperation::PostSend { .. }, _) => "sent without waiting",
            (StepOperation::Wait { .. }, Position::After(_)) => "the wait moved here",
            (StepOperation::Wait { .. } | StepOperation::WaitAll { .. }, _) => "waits here",
            (StepOperation::Complete { .. }, _) => match self.completion_kind(step.origin) {
                Some(kind) if kind.waits() => "waits here",
                _ => "tested here",
            },
            (StepOperation::CallTwin, _) => match self.communication(step.origin) {
                Some(call) if call.receives_matched() => "received here",
                Some(call) if call.cancels() => "cancelled here",
                _ => "looks here",
            },
            (StepOperation::Prepare { .. }, _) => "described once, for each start",
            (StepOperation::Start { .. } | StepOperation::StartAll { .. }, _) => "started here",
            (StepOperation::Release { .. }, _) => "released here",
            (StepOperation::SynchroniseBuffer { .. }, _) => "names what may have changed",
            (StepOperation::ClearRequest { request }, _) if self.is_own_late_request(*request) => {
                return "gravel: null where the operation is not begun".to_string();
            }
            (StepOperation::ClearRequest { request }, _) if is_of_callers(*request) => {
                return format!("gravel: nothing to wait for{}", self.in_waiting_procedure(*request));
            }
            (StepOperation::ClearRequest { .. } | StepOperation::ClearTransfer { .. }, _) => {
                return "gravel: null where the branch below is not taken".to_string();
            }
            (StepOperation::HandOverRequest { to: RequestPlace::New(NewVariable::LateRequest { .. }), .. }, _) => {
                "those who call this wait"
            }
            (StepOperation::HandOverRequest { to: RequestPlace::New(NewVariable::AwaitedRequest(_)), .. }, _) => {
                return "gravel: waited for below".to_string();
            }
            (StepOperation::HandOverRequest { to, .. }, _) if is_of_callers(*to) => {
                return format!("gravel: waited for{}", self.in_waiting_procedure(*to));
            }
            (StepOperation::HandOverRequest { .. }, _) => "posted above",
            (StepOperation::DropPack { .. }, _) => "sent from where it lies",
            (StepOperation::BeginExchange { .. }, _) => "begins here",
            (StepOperation::EndExchange { .. }, _) => "ends here",
            (StepOperation::RunAroundEnd { .. }, _) => "its inside first where that is faster",
            (StepOperation::StoreSuccess, _) => "moved away from here",
            (StepOperation::StripMine(_), _) => "cut into tiles",
            (StepOperation::WaitInTiles(_), _) => "waits here for what each tile reads",
            (&StepOperation::SplitLoop { depth, any_part_length, .. }, _) => {
                let ends = first_and_last(depth, any_part_length);
                return self.telling(&format!("waits here, before {ends}"), step.origin);
            }
        };
        self.telling(phrase, step.origin)
    }

    /// What is said of a blocking call that stays one.
    pub fn comment_of_blocking(&self, steps: &[&Step], origin: StatementId) -> String {
        let receives = steps.iter().any(|step| matches!(step.operation, StepOperation::PostReceive { .. }));
        let phrase = match (sends(steps), receives) {
            (true, true) => "receives and sends here",
            (true, false) => "sent here",
            _ => "received here",
        };
        self.telling(phrase, origin)
    }

    fn telling(&self, phrase: &str, origin: StatementId) -> String {
        let statement = self.procedure.statement(origin);
        // Of a call in an expression it is the call that another one takes the place of.
        let span = match statement.room {
            Room::Expression(start) => Span { start, ..statement.span },
            _ => statement.span,
        };
        format!("gravel: {phrase}, was line {}: {}", self.program.line_named(span), self.quote(span))
    }
}

/// Does the variable hold the request of an operation that the callers of a procedure have begun?
fn is_of_callers(request: RequestPlace) -> bool {
    matches!(request, RequestPlace::New(NewVariable::CallersRequest { .. }))
}

/// Is a message sent among the steps?
fn sends(steps: &[&Step]) -> bool {
    steps.iter().any(|step| matches!(step.operation, StepOperation::PostSend { .. } | StepOperation::SendFin { .. }))
}

/// Does the step tell what happens at its place, rather than prepare it?
fn is_telling(operation: &StepOperation) -> bool {
    !matches!(
        operation,
        StepOperation::ClearRequest { .. }
            | StepOperation::ClearTransfer { .. }
            | StepOperation::SynchroniseBuffer { .. }
    )
}
