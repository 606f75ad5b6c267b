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
//! - [`begun`], [`called_in_rest`]: procedures that it calls may post its messages, and do what comes behind its waits.
//! - [`around`]: a procedure that calls an exchange is one itself where its callers have more to do than it has.
//! - [`nests`]: the first procedure that needs what comes may be a nest of loops of which only the border does. It becomes two calls.
//! - [`callers`]: what the end passes touches nothing of the rest, has no effect that others can see, and leaves the call's arguments
//!   as they are; what is under way lies in no copy.
//! - Everything else is planned with the calls of the procedure staying in their places. An exchange is split only where all of them
//!   convert, and nothing was moved to where the end passes.

mod around;
mod begun;
mod called_in_rest;
mod callers;
mod handed_over;
mod nests;
mod parts;
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

use self::around::exchange_around;
use self::callers::split_call;
use self::rest::{Exchange, exchange_of};
use super::Selection;
use super::transformation::{Entry, Subject, is_enabled};

/// In the registry.
pub const ENTRY: Entry = Entry { transformation: Transformation::SplitExchange, subject: Subject::Program(plan) };

/// An exchange with the calls that become two.
struct Candidate {
    exchange: Exchange,
    calls: Vec<Call>,
    /// The first wait of the exchange, or of the one inside of it.
    wait: SiteId,
}

/// A call that becomes two, with the nest of loops around its end.
type Call = (SplitCall, Option<SplitNest>);

/// So many exchanges are taken apart that stand one around the other.
const MOST_AROUND: usize = 3;

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
        agree(&mut candidates);
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
        match split_calls(facts, exchange, wait, MOST_AROUND) {
            Ok(candidates) => found.extend(candidates),
            Err(reason) => missed.extend(reason.map(|reason| (wait, reason))),
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|candidate: &Candidate| seen.insert(candidate.exchange.procedure));
    agree(&mut found);
    (found, missed)
}

/// The exchange with its calls that become two, and the exchanges around it.
///
/// # Errors
/// Why none of them does, if there are any.
fn split_calls(
    facts: &Facts,
    exchange: Exchange,
    wait: SiteId,
    most_around: usize,
) -> Result<Vec<Candidate>, Option<Reason>> {
    let (mut calls, mut reasons, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for &call in facts.calls_of(exchange.procedure) {
        let reason = match split_call(facts, &exchange, call) {
            Ok(call) => {
                calls.push(call);
                continue;
            }
            Err(reason) => reason,
        };
        let around = match most_around.checked_sub(1) {
            Some(most_around) => exchange_around(facts, &exchange, call)
                .map_err(|_| None)
                .and_then(|around| split_calls(facts, around, wait, most_around)),
            None => Err(None),
        };
        match around {
            Ok(around) => {
                let SiteId { procedure: caller, statement: call } = call;
                let split = SplitCall { caller, call, end_after: call, is_in_nest: false, ends_with_caller: true };
                calls.push((split, None));
                others.extend(around);
            }
            // The outer one goes further down, so it is told what is in the way of that.
            Err(of_around) => reasons.push(of_around.unwrap_or(reason)),
        }
    }
    if calls.is_empty() {
        return Err(reasons.into_iter().next());
    }
    others.insert(0, Candidate { exchange, calls, wait });
    Ok(others)
}

/// Leaves out what rests on others that are no longer there: an exchange around one that does not become two there, and a call that ends
/// with a caller that does not.
fn agree(candidates: &mut Vec<Candidate>) {
    loop {
        let ends_with = |candidate: &Candidate| {
            let ends = candidate.calls.iter().filter(|(call, _)| call.ends_with_caller);
            ends.map(|(call, _)| (candidate.exchange.procedure, call.call, call.caller)).collect::<Vec<_>>()
        };
        let inner: BTreeSet<_> = candidates.iter().flat_map(ends_with).collect();
        let around: BTreeSet<_> = candidates
            .iter()
            .filter_map(|it| it.exchange.inner.map(|(inner, call)| (inner, call, it.exchange.procedure)))
            .collect();
        let count = |candidates: &[Candidate]| candidates.iter().map(|it| it.calls.len() + 1).sum::<usize>();
        let before = count(candidates);
        for Candidate { exchange, calls, .. } in candidates.iter_mut() {
            let procedure = exchange.procedure;
            let is_there = |call: &SplitCall| around.contains(&(procedure, call.call, call.caller));
            calls.retain(|(call, _)| !call.ends_with_caller || is_there(call));
        }
        let is_begun = |it: &Candidate| {
            it.exchange.inner.is_none_or(|(procedure, call)| inner.contains(&(procedure, call, it.exchange.procedure)))
        };
        candidates.retain(|it| !it.calls.is_empty() && is_begun(it));
        if count(candidates) == before {
            return;
        }
    }
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
    let of_sites = candidate.exchange.messages.sites.iter().map(|site| site.procedure);
    let posting: BTreeSet<ProcedureId> = of_sites.chain([candidate.exchange.procedure]).collect();
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
    let Candidate { exchange, calls, wait } = candidate;
    let Exchange { procedure, first_of_end, around, guards, handed_over, inner, .. } = exchange;
    let mut steps = Vec::new();
    for (call, nest) in &calls {
        let step =
            |position, operation| Step { procedure: call.caller, position, origin: call.call, guard: None, operation };
        steps.push(step(Position::Replace(call.call), StepOperation::BeginExchange { procedure }));
        // Its end stands in front of the rest of the caller.
        if call.ends_with_caller {
            continue;
        }
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
        if let (true, Outcome::Transformed { actions, steps: own, .. }) =
            (site_of(decision) == wait, &mut decision.outcome)
        {
            own.append(&mut steps);
            actions.push(Action { transformation: Transformation::SplitExchange, text: text.clone() });
        }
    }
    plan.exchanges.push(SplitExchange { procedure, first_of_end, around, guards, handed_over, inner, calls });
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
            _ if call.ends_with_caller => format!("the call at {call_place} does with `{}`", body.name),
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
