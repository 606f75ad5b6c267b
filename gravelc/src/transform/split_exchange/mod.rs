//! split-exchange: a procedure that exchanges messages becomes two, and its callers work in between.
//!
//! ```text
//! call exchange(u)        call gravel_exchange_begin(u)
//! call advance(v)    →    call advance(v)
//!                         call gravel_exchange_end(u)
//! ```
//!
//! Waits alone get no further than the first statement that unpacks what has come. So everything from the first wait of the procedure
//! on, its *rest*, moves as one piece: waits, copies out of buffers, later stages with their own messages.
//!
//! Precondition (contract, rules 2, 4, 6, 11):
//! - [`rest`]: both parts run from beginning to end, and what the rest does is known; [`handed_over`]: what one part leaves to the
//!   other are variables that can be handed over.
//! - [`nests`]: the first procedure that needs what comes may be a nest of loops of which only the border does. It becomes two calls.
//! - [`callers`]: what the end passes touches nothing of the rest, has no effect that others can see, and leaves the call's arguments
//!   as they are; what is under way lies in no copy.
//! - Everything else is planned with the calls of the procedure staying in their places. An exchange is split only where all of them
//!   convert, and nothing was moved to where the end passes.

mod begun;
mod called_in_rest;
mod callers;
mod handed_over;
mod nests;
mod rest;

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::program::outside::Outside;
use crate::directives::{self, Directives};
use crate::ir::{Form, ProcedureId, Program, StatementId};
use crate::plan::{
    Action, Decision, Missed, Outcome, Plan, Position, Reason, ReasonCode, SplitCall, SplitExchange, SplitNest, Step,
    StepOperation, Transformation,
};

use self::callers::split_call;
use self::rest::{Exchange, exchange_of};
use super::Selection;
use super::transformation::{Entry, Subject, is_enabled};

/// In the registry.
pub const ENTRY: Entry = Entry { transformation: Transformation::SplitExchange, subject: Subject::Program(plan) };

/// An exchange with the calls that become two.
struct Candidate {
    exchange: Exchange,
    calls: Vec<(SplitCall, Option<SplitNest>)>,
}

/// The plan for the program, with the exchanges split behind whose calls there is work.
fn plan(program: &Program, selection: &Selection, plan_others: &dyn Fn(&Program, &Selection) -> Plan) -> Plan {
    let facts = Facts::with_outside(Outside { program, is_closed: selection.is_closed });
    let (directives, _) = directives::read(program);
    let (mut candidates, missed) = candidates(&facts, selection, &directives);
    let mut plan = loop {
        let stays = candidates.iter().flat_map(|candidate| candidate.exchange.messages.sites.iter().copied()).collect();
        let plan = plan_others(program, &Selection { stays, ..selection.clone() });
        let before = candidates.len();
        candidates.retain_mut(|candidate| is_kept_by(&facts, candidate, &plan));
        if candidates.len() == before {
            break plan;
        }
    };
    for candidate in candidates {
        write(&facts, candidate, &mut plan);
    }
    for (site, reason) in missed {
        let decision = plan.decisions.iter_mut().find(|decision| site_of(decision) == site);
        let missed = match decision.map(|decision| &mut decision.outcome) {
            Some(Outcome::Transformed { missed, .. }) => Some(missed),
            Some(Outcome::Kept { reason, missed }) if reason.code == ReasonCode::NothingToOverlap => Some(missed),
            _ => None,
        };
        if let Some(missed) = missed {
            missed.insert(0, Missed { transformation: Transformation::SplitExchange, reason });
        }
    }
    plan
}

fn site_of(decision: &Decision) -> SiteId {
    SiteId { procedure: decision.site.procedure, statement: decision.site.statement }
}

/// The exchanges that could be split, and of the others why not, by their first waits.
fn candidates(
    facts: &Facts,
    selection: &Selection,
    directives: &Directives,
) -> (Vec<Candidate>, BTreeMap<SiteId, Reason>) {
    let (mut found, mut missed) = (Vec::new(), BTreeMap::new());
    for (procedure, body) in facts.program.procedures() {
        let calls = facts.calls_of(procedure);
        if calls.is_empty() || !body.dialect().writes(Form::PartsOfProcedures) {
            continue;
        }
        let Some(exchange) = exchange_of(facts, procedure) else { continue };
        let first_wait = |first: StatementId| {
            let inner = body.with_descendants(first).into_iter();
            let sites = inner.map(|statement| SiteId { procedure, statement });
            let waits =
                |site: &SiteId| facts.communication(*site).is_some_and(|call| call.completed_requests().is_some());
            sites.into_iter().find(waits)
        };
        let exchange = match exchange {
            Ok(exchange) => exchange,
            Err(reason) => {
                missed.extend(body.body.iter().find_map(|&id| first_wait(id)).map(|wait| (wait, reason)));
                continue;
            }
        };
        let Some(wait) = first_wait(exchange.first_of_end) else { continue };
        if let Err(reason) = is_enabled(facts.program, selection, directives, Transformation::SplitExchange, wait) {
            missed.insert(wait, reason);
            continue;
        }
        let (mut split, mut reasons) = (Vec::new(), Vec::new());
        for &call in calls {
            match split_call(facts, &exchange, call) {
                Ok(call) => split.push(call),
                Err(reason) => reasons.push(reason),
            }
        }
        if split.is_empty() {
            missed.extend(reasons.into_iter().next().map(|reason| (wait, reason)));
            continue;
        }
        found.push(Candidate { exchange, calls: split });
    }
    (found, missed)
}

/// Does the plan convert all of the exchange in its place, and put nothing where the end passes? Calls where it does are no longer
/// split; without any, the exchange stays whole.
fn is_kept_by(facts: &Facts, candidate: &mut Candidate, plan: &Plan) -> bool {
    let converts = |site: &SiteId| {
        plan.decisions
            .iter()
            .any(|decision| site_of(decision) == *site && matches!(decision.outcome, Outcome::Transformed { .. }))
    };
    // Procedures that post for it post where they do.
    let posting: BTreeSet<ProcedureId> = candidate.exchange.messages.sites.iter().map(|site| site.procedure).collect();
    let is_foreign = |step: &Step| {
        let origin = SiteId { procedure: step.procedure, statement: step.origin };
        posting.contains(&step.procedure)
            && (!candidate.exchange.messages.sites.contains(&origin)
                || !matches!(step.position, Position::Replace(_))
                || !step.operation.new_variables().is_empty())
    };
    if !candidate.exchange.messages.sites.iter().all(converts) || plan.steps().any(is_foreign) {
        return false;
    }
    candidate.calls.retain(|(call, nest)| {
        let passed = passed_by(facts, call);
        // Something could wait in the procedure by now for what its callers have begun.
        if nest.as_ref().is_some_and(|nest| plan.steps().any(|step| step.procedure == nest.procedure)) {
            return false;
        }
        let is_on_the_way = |step: &Step| {
            step.procedure == call.caller
                && match step.position {
                    Position::Before(at) => passed.contains(&at),
                    Position::Replace(at) | Position::After(at) => passed.contains(&at) || at == call.call,
                }
        };
        !plan.steps().any(is_on_the_way)
    });
    !candidate.calls.is_empty()
}

/// The statements that the end passes, with all that they contain.
fn passed_by(facts: &Facts, call: &SplitCall) -> BTreeSet<StatementId> {
    let body = facts.procedure(call.caller);
    let (block, index) = body.siblings(call.call);
    let last = block.iter().position(|&id| id == call.end_after).unwrap_or(index);
    block[index + 1..=last].iter().flat_map(|&id| body.with_descendants(id)).collect()
}

/// Writes the exchange into the plan: the steps stand with the decision of its first wait.
fn write(facts: &Facts, candidate: Candidate, plan: &mut Plan) {
    let Candidate { exchange, calls } = candidate;
    let Exchange { procedure, first_of_end, around, guards, handed_over, .. } = exchange;
    let body = facts.procedure(procedure);
    let first: BTreeSet<StatementId> = body.with_descendants(first_of_end).into_iter().collect();
    let mut steps = Vec::new();
    for (call, nest) in &calls {
        let step =
            |position, operation| Step { procedure: call.caller, position, origin: call.call, guard: None, operation };
        steps.push(step(Position::Replace(call.call), StepOperation::BeginExchange { procedure }));
        steps.push(match nest {
            None => step(Position::After(call.end_after), StepOperation::EndExchange { procedure }),
            Some(nest) => {
                let operation =
                    StepOperation::RunAroundEnd { procedure: nest.procedure, exchange: procedure, begun_by: call.call };
                Step { origin: call.end_after, ..step(Position::Replace(call.end_after), operation) }
            }
        });
    }
    let nests: Vec<SplitNest> = calls.iter().filter_map(|(_, nest)| nest.clone()).collect();
    let calls: Vec<SplitCall> = calls.into_iter().map(|(call, _)| call).collect();
    let text = told(facts, procedure, &calls);
    for decision in &mut plan.decisions {
        let is_first = decision.site.procedure == procedure && first.contains(&decision.site.statement);
        if let (true, Outcome::Transformed { actions, steps: own, .. }) = (is_first, &mut decision.outcome) {
            own.append(&mut steps);
            actions.push(Action { transformation: Transformation::SplitExchange, text: text.clone() });
        }
    }
    plan.exchanges.push(SplitExchange { procedure, first_of_end, around, guards, handed_over, calls });
    nests.into_iter().for_each(|nest| add_nest(nest, plan));
}

/// One procedure serves all calls: its margins are as wide as any of them asks for.
fn add_nest(nest: SplitNest, plan: &mut Plan) {
    let Some(known) = plan.nests.iter_mut().find(|known| known.procedure == nest.procedure) else {
        plan.nests.push(nest);
        return;
    };
    for (index, other) in nest.loops.into_iter().enumerate() {
        match known.loops.get_mut(index) {
            Some(own) => own.margin = own.margin.joined(other.margin),
            None => known.loops.push(other),
        }
    }
}

/// What was done, for the report.
fn told(facts: &Facts, procedure: ProcedureId, calls: &[SplitCall]) -> String {
    let name = &facts.procedure(procedure).name;
    let place = |call: &SplitCall| {
        let body = facts.procedure(call.caller);
        let [line, last] = [call.call, call.end_after].map(|id| facts.program.line_named(body.statement(id).span));
        let path = facts.program.path_of(body.statement(call.call).span);
        let call_place = match body.span.file == facts.procedure(procedure).span.file {
            true => format!("line {line}"),
            false => format!("{}:{line}", path.display()),
        };
        match call.is_in_nest {
            true => format!(
                "of the call at {call_place} it ends between the inside and the border of line {last}, where that is faster"
            ),
            false => format!("of the call at {call_place} it ends behind line {last}"),
        }
    };
    let places: Vec<String> = calls.iter().map(place).collect();
    format!("`{name}` becomes two: {}", places.join(", "))
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
