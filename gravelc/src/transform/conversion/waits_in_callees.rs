//! The steps of waits that stand in procedures which are called further down.

use std::collections::BTreeSet;

use crate::analysis::facts::SiteId;
use crate::ir::{Depth, ProcedureId, StatementId, SymbolId};
use crate::plan::{
    Decision, MessageOf, NewVariable, Outcome, Position, RequestPlace, Step, StepOperation, Transformation,
};
use crate::transform::found::WaitInCallee;

use super::{Conversion, SiteSteps, WayBack, scalar};

/// A wait in a procedure for what its callers have begun.
pub(super) struct Incoming {
    after: StatementId,
    /// The statement is a loop that is split, and so deep are its ends.
    depth: Option<Depth>,
    buffer: SymbolId,
    /// The calls before which a request is handed over to it.
    calls: BTreeSet<SiteId>,
}

impl Conversion<'_> {
    /// The procedure waits for the request `from`, which is handed over just before the call. One that outlives the run of the
    /// caller's procedure is null from there on.
    pub(super) fn wait_in_callee(
        &mut self,
        steps: &mut SiteSteps,
        found: &WaitInCallee,
        subject: &str,
        (from, buffer_of): (RequestPlace, MessageOf),
        leaves_null: bool,
    ) {
        let WaitInCallee { call, callee, after, .. } = *found;
        let (number, is_new) = self.incoming(found);
        let to = scalar(NewVariable::CallersRequest { procedure: callee, number });
        let mut push = |procedure: ProcedureId, position, origin, operation| {
            steps.steps.push(Step { procedure, position, origin, guard: None, operation });
        };
        let hand_over = StepOperation::HandOverRequest { from, to, leaves_null };
        push(call.procedure, Position::Before(call.statement), call.statement, hand_over);
        for other in found.null_before.iter().filter(|_| is_new) {
            let clear = StepOperation::ClearRequest { request: to };
            push(other.procedure, Position::Before(other.statement), other.statement, clear);
        }
        let at = self.place_in(callee, after, steps.site.procedure);
        let name = &self.facts.procedure(callee).name;
        let (transformation, text) = match &found.boundary {
            Some(boundary) => {
                let last = boundary.last_part();
                let text = format!("{subject}waited for in `{name}`, after all but {last} of the loop at {at}");
                (Transformation::SplitLoop, text)
            }
            None => {
                let outermost = SiteId { procedure: callee, statement: after };
                let (what, behind) = self.hidden_behind(outermost, WayBack::Up, None);
                let at = self.place_in(callee, behind, steps.site.procedure);
                (Transformation::SinkWait, format!("{subject}waited for in `{name}`, only after the {what} at {at}"))
            }
        };
        let asserted = match found.boundary {
            Some(_) => self.asserted_independence(SiteId { procedure: callee, statement: after }, after),
            None => String::new(),
        };
        steps.act(transformation, text + &asserted);
        if !is_new {
            return;
        }
        let wait = StepOperation::Wait {
            request: to,
            buffer_of: Some(MessageOf {
                procedure: buffer_of.procedure.or(Some(steps.site.procedure)),
                argument: Some(found.buffer),
                beside_request_of: None,
                ..buffer_of
            }),
            status: None,
            error_of: None,
            is_for_call: true,
        };
        let (position, wait) = match &found.boundary {
            Some(boundary) => {
                let of_loop = SiteId { procedure: callee, statement: after };
                (Position::Replace(after), self.split_loop(of_loop, boundary, wait))
            }
            None => (Position::After(after), wait),
        };
        steps.steps.push(Step { procedure: callee, position, origin: after, guard: None, operation: wait });
    }

    /// The number of the wait in its procedure, and whether it is a new one. One wait serves several calls, with one request each.
    fn incoming(&mut self, found: &WaitInCallee) -> (usize, bool) {
        let waits = self.in_callees.entry(found.callee).or_default();
        let depth = found.boundary.as_ref().map(|boundary| boundary.depth);
        let (after, buffer) = (found.after, found.buffer);
        let is_same = |wait: &Incoming| {
            (wait.after, wait.depth, wait.buffer) == (after, depth, buffer) && !wait.calls.contains(&found.call)
        };
        if let Some(index) = waits.iter().position(is_same) {
            waits[index].calls.insert(found.call);
            return (index + 1, false);
        }
        waits.push(Incoming { after, depth, buffer, calls: BTreeSet::from([found.call]) });
        (waits.len(), true)
    }
}

/// Leaves out that a request is made null just before the call for which another one is stored in its variable.
pub fn drop_needless_nulls(decisions: &mut [Decision]) {
    fn steps(decision: &mut Decision) -> Option<&mut Vec<Step>> {
        match &mut decision.outcome {
            Outcome::Transformed { steps, .. } => Some(steps),
            Outcome::Kept { .. } => None,
        }
    }
    let mut stored = BTreeSet::new();
    for step in decisions.iter_mut().filter_map(steps).flatten() {
        if let StepOperation::HandOverRequest { to: RequestPlace::New(variable), .. } = step.operation {
            stored.insert((step.procedure, step.position, variable));
        }
    }
    let is_needless = |step: &Step| match step.operation {
        StepOperation::ClearRequest { request: RequestPlace::New(variable) } => {
            matches!(variable, NewVariable::CallersRequest { .. })
                && stored.contains(&(step.procedure, step.position, variable))
        }
        _ => false,
    };
    decisions.iter_mut().filter_map(steps).for_each(|steps| steps.retain(|step| !is_needless(step)));
}
