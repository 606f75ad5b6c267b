//! Posts of receives that stand in procedures which are called later.

use crate::analysis::facts::SiteId;
use crate::analysis::messages::callers_view::{CallersView, callers_view};
use crate::ir::{StatementId, StatementKind};
use crate::plan::{EarlyValue, RequestPlace, Step, StepOperation};

use super::super::EmitError;
use super::calls::Writer;
use super::layout::NESTED_MARGIN;

impl Writer<'_> {
    /// What this procedure, which calls `callee` with the statement `call`, can say of a receive there.
    fn view_of(&self, call: StatementId, receive: SiteId, guard: Option<StatementId>) -> Option<CallersView> {
        callers_view(self.program, SiteId { procedure: self.procedure_id(), statement: call }, receive, guard)
    }

    /// What the post of a step needs and the procedure does not see, with its module.
    pub(super) fn imports_of_early_post(&self, step: &Step) -> Vec<(String, String)> {
        let StepOperation::PostReceiveOfCallee { procedure, receive, inner_guard, .. } = step.operation else {
            return Vec::new();
        };
        let view = self.view_of(step.origin, SiteId { procedure, statement: receive }, inner_guard);
        view.map(|view| view.imports).unwrap_or_default()
    }

    /// The statements that post the receive of the procedure that `call` calls; `guard` is an IF statement of this procedure,
    /// `inner_guard` one of the other. It is given `early`.
    pub(super) fn early_post(
        &self,
        (call, guard): (StatementId, Option<StatementId>),
        (receive, inner_guard): (SiteId, Option<StatementId>),
        (request, in_segments): (RequestPlace, bool),
        early: &[EarlyValue],
    ) -> Result<Vec<String>, EmitError> {
        let view = self.view_of(call, receive, inner_guard);
        let view = view.ok_or_else(|| self.wrong_statement(call, "a call of a procedure that receives"))?;
        let routine = if in_segments { "gravel_post_rcv_segments" } else { "gravel_post_rcv_buffer_rdma" };
        let arguments = self.given(early)?.message_arguments(&view.message);
        let mut post = format!("call {routine}({arguments}, {})", self.request(request)?);
        if let Some(condition) = &view.condition {
            post = format!("if ({}) {post}", self.text(condition));
        }
        let Some(branch) = guard else { return Ok(vec![post]) };
        let outer = self.first_condition(branch)?;
        Ok(match view.condition {
            None => vec![format!("if ({outer}) {post}")],
            // The inner one may make sense only where the outer one holds.
            Some(_) => {
                vec![format!("if ({outer}) then"), format!("{NESTED_MARGIN}{post}"), "end if".to_string()]
            }
        })
    }

    /// The text of the condition of an IF statement's first arm.
    pub(super) fn first_condition(&self, branch: StatementId) -> Result<String, EmitError> {
        match &self.procedure.statement(branch).kind {
            StatementKind::If { arms, .. } if !arms.is_empty() => Ok(self.text(&arms[0].condition)),
            _ => Err(self.wrong_statement(branch, "a condition")),
        }
    }
}
