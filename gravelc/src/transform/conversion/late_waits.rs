//! The steps of waits that stand in the procedures which call that of their operation.

use crate::analysis::facts::SiteId;
use crate::ir::ProcedureId;
use crate::plan::{MessageOf, NewVariable, Position, Reason, RequestPlace, Step, StepOperation, Transformation};
use crate::transform::found::{InLoop, LateWait, LateWaits, WaitPlace};

use super::{Conversion, SiteSteps, WayBack, next, scalar};

impl Conversion<'_> {
    /// The variable in which the request of an operation goes to the callers; `None` where they do not wait for it.
    pub(super) fn late_request(
        &mut self,
        procedure: ProcedureId,
        place: &Option<Result<WaitPlace, Reason>>,
    ) -> Option<NewVariable> {
        let Some(Ok(WaitPlace::InCallers(_))) = place else { return None };
        let number = next(&mut self.late_waits, procedure);
        Some(NewVariable::LateRequest { procedure, number })
    }

    /// A variable for the request of a blocking send.
    pub(super) fn request_of_send(
        &mut self,
        procedure: ProcedureId,
        number: usize,
        place: &Option<Result<WaitPlace, Reason>>,
    ) -> RequestPlace {
        scalar(self.late_request(procedure, place).unwrap_or(NewVariable::SendRequest(number)))
    }

    /// The callers wait, for a request that is handed over where the wait was, unless it was made in their variable.
    pub(super) fn wait_in_callers(
        &mut self,
        steps: &mut SiteSteps,
        late: &LateWaits,
        subject: &str,
        wait: StepOperation,
    ) {
        let StepOperation::Wait { request: made, buffer_of: Some(buffer_of), .. } = wait else { return };
        let procedure = steps.site.procedure;
        let request = match made {
            RequestPlace::New(NewVariable::LateRequest { .. }) => made,
            _ => {
                let number = next(&mut self.late_waits, procedure);
                let request = scalar(NewVariable::LateRequest { procedure, number });
                steps.in_place(StepOperation::HandOverRequest { from: made, to: request, leaves_null: false });
                request
            }
        };
        if let Some(first) = late.null_before {
            steps.push(Position::Before(first), None, StepOperation::ClearRequest { request });
        }
        // A wait that has left a branch finds what the variable holds where the branch was not taken: nothing may be left in it
        // that another call has put there and that is waited for elsewhere.
        let left_branch = |late: &LateWait| late.sunk.as_ref().is_some_and(|sunk| sunk.null_before.is_some());
        let leaves_null = late.waits.iter().any(left_branch);
        for late in &late.waits {
            self.late_wait(steps, late, subject, (request, buffer_of, leaves_null));
        }
    }

    fn late_wait(
        &mut self,
        steps: &mut SiteSteps,
        late: &LateWait,
        subject: &str,
        (request, buffer_of, leaves_null): (RequestPlace, MessageOf, bool),
    ) {
        let procedure = steps.site.procedure;
        let caller = late.call.procedure;
        let handed_over = request;
        let request = match late.keeps_request {
            true => scalar(NewVariable::AwaitedRequest(next(&mut self.awaited, caller))),
            false => request,
        };
        let wait = StepOperation::Wait {
            request,
            buffer_of: Some(MessageOf { procedure: Some(procedure), argument: late.argument, ..buffer_of }),
            status: None,
            error_of: None,
            is_for_call: true,
        };
        let mut push = |position, operation| {
            steps.steps.push(Step { procedure: caller, position, origin: late.call.statement, guard: None, operation });
        };
        if late.keeps_request {
            let operation = StepOperation::HandOverRequest { from: handed_over, to: request, leaves_null };
            push(Position::After(late.call.statement), operation);
        }
        if let Some(found) = &late.in_callee {
            let buffer_of = MessageOf { procedure: Some(procedure), ..buffer_of };
            let leaves_null = leaves_null && !late.keeps_request;
            return self.wait_in_callee(steps, found, subject, (request, buffer_of), leaves_null);
        }
        let Some(sunk) = &late.sunk else {
            push(Position::After(late.call.statement), wait);
            return;
        };
        if let Some(branch) = sunk.null_before {
            push(Position::Before(branch), StepOperation::ClearRequest { request });
        }
        let at = self.place_in(caller, sunk.after, procedure);
        match &sunk.in_loop {
            Some(InLoop::Boundary(boundary)) => {
                let of_loop = SiteId { procedure: caller, statement: sunk.after };
                let split = self.split_loop(of_loop, boundary, wait);
                push(Position::Replace(sunk.after), split);
                let what = format!("waited for by the caller, after all but {} of the loop at", boundary.last_part());
                let asserted = self.asserted_independence(of_loop, sunk.after);
                steps.act(Transformation::SplitLoop, format!("{subject}{what} {at}{asserted}"));
            }
            _ => {
                push(Position::After(sunk.after), wait);
                let outermost = SiteId { procedure: caller, statement: sunk.after };
                let (what, behind) = self.hidden_behind(outermost, WayBack::Up, Some(late.call.statement));
                let at = self.place_in(caller, behind, procedure);
                let text = format!("{subject}waited for by the caller, only after the {what} at {at}");
                steps.act(Transformation::SinkWait, text);
            }
        }
    }
}
