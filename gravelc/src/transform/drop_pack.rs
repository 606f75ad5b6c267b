//! drop-pack: a message that a loop only copies into its buffer is sent from where it lies, and the loop goes.
//!
//! Precondition (contract, rules 2, 3): the buffer is a local array without other names that is used for nothing but such
//! copies, each of them one statement, and messages that are sent. Above every such send, in its block or in one around it
//! that only IF statements separate, stands the copy that fills exactly the message, as one that moves all elements equally
//! far from neighbouring places ([`crate::analysis::memory::copies`]). Between the copy and the end of the operation (the send
//! itself; of a non-blocking one the program's own wait, which follows in the same way) nothing writes the
//! message's memory in the array or what the message's arguments, or its place in the array, are made of, and control
//! neither leaves nor comes in. Nobody looks at the copy's loop variables. The copy shares no line, and no directive speaks of it.
//!
//! The program without these copies means the same as the one with them, so everything else is planned for that one: what
//! moves sees the array as the message's memory. Only sends of classes that convert are changed, and only where nothing
//! is lost: a wait that could be put off as long as the buffer was a copy may not be put off so far once the array itself is
//! on its way.

mod conditions;

use std::collections::BTreeMap;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::copies::{DroppedPack, copying, with_packs_dropped};
use crate::analysis::program::outside::Outside;
use crate::ir::Program;
use crate::plan::{
    Action, Decision, Missed, Outcome, Plan, Position, Reason, ReasonCode, Step, StepOperation, Transformation,
};

use self::conditions::{Packs, Search};
use super::Selection;
use super::transformation::{Entry, Subject};

/// In the registry.
pub const ENTRY: Entry = Entry { transformation: Transformation::DropPack, subject: Subject::Program(plan) };

/// The plan for the program, with the copies dropped that need not be.
fn plan(program: &Program, selection: &Selection, plan_others: &dyn Fn(&Program, &Selection) -> Plan) -> Plan {
    let outside = Outside { program, is_closed: selection.is_closed };
    let found = Search { facts: &Facts::with_outside(outside), selection }.packs();
    let with_copies = plan_others(program, selection);
    let Packs { mut groups, mut kept } = found;
    let mut plan = loop {
        if groups.is_empty() {
            break with_copies;
        }
        let Some(without) = with_packs_dropped(program, groups.iter().flatten()) else { break with_copies };
        let plan = plan_others(&without, selection);
        let before = groups.len();
        groups.retain(|group| match loss(program, group, &with_copies, &plan) {
            None => true,
            Some(reason) => {
                kept.extend(sends_of(group).map(|send| (send, reason.clone())));
                false
            }
        });
        if groups.len() == before {
            break plan;
        }
    };
    for group in &groups {
        group.iter().for_each(|pack| write(program, pack, &mut plan));
    }
    for (send, reason) in kept {
        let decision = plan.decisions.iter_mut().find(|decision| site_of(decision) == send);
        if let Some(Outcome::Transformed { missed, .. }) = decision.map(|decision| &mut decision.outcome) {
            missed.insert(0, Missed { transformation: Transformation::DropPack, reason });
        }
    }
    plan
}

fn site_of(decision: &Decision) -> SiteId {
    SiteId { procedure: decision.site.procedure, statement: decision.site.statement }
}

fn sends_of(group: &[DroppedPack]) -> impl Iterator<Item = SiteId> {
    group.iter().flat_map(|pack| pack.sends.iter().map(|&statement| SiteId { statement, ..pack.pack }))
}

/// Why the copies of a buffer stay after all: what would be lost without them.
fn loss(program: &Program, group: &[DroppedPack], with_copies: &Plan, without: &Plan) -> Option<Reason> {
    let kept = |site: SiteId, message: &str| {
        let span = program.procedure(site.procedure).statement(site.statement).span;
        Some(Reason::at(ReasonCode::CopyHidesMore, span, message))
    };
    for send in sends_of(group) {
        let is_transformed = |found: &&Decision| matches!(found.outcome, Outcome::Transformed { .. });
        if without.decisions.iter().find(|decision| site_of(decision) == send).filter(is_transformed).is_none() {
            return kept(send, "without the copy the call would stay with MPI");
        }
        // The wait of a blocking send is decided about with it; others stand somewhere in the procedure.
        let after = sunk_waits(without, send);
        let is_lost = |(wait, waits): (&SiteId, &usize)| after.get(wait).is_none_or(|left| left < waits);
        if sunk_waits(with_copies, send).iter().any(is_lost) {
            return kept(
                send,
                "the array is written soon after it: with a copy the message can be under way for longer",
            );
        }
    }
    None
}

/// Where waits of the send's class are put off in its procedure, and how many.
fn sunk_waits(plan: &Plan, send: SiteId) -> BTreeMap<SiteId, usize> {
    let class = plan.decisions.iter().find(|decision| site_of(decision) == send).and_then(|found| found.class);
    let in_class = |found: &&Decision| found.class == class && found.site.procedure == send.procedure;
    let sunk = plan.decisions.iter().filter(in_class).filter_map(|found| match &found.outcome {
        Outcome::Transformed { actions, .. } => {
            let waits = actions.iter().filter(|action| action.transformation == Transformation::SinkWait).count();
            (waits > 0).then(|| (site_of(found), waits))
        }
        Outcome::Kept { .. } => None,
    });
    sunk.collect()
}

/// Adds to the plan that the copy goes.
fn write(program: &Program, DroppedPack { pack, sends }: &DroppedPack, plan: &mut Plan) {
    let body = program.procedure(pack.procedure);
    let line = program.line_named(body.statement(pack.statement).span);
    let Some(copy) = copying(body, pack.statement) else { return };
    let source = &body.symbol(copy.source).name;
    let mut step = Some(Step {
        procedure: pack.procedure,
        position: Position::Replace(pack.statement),
        origin: copy.assignment,
        guard: None,
        operation: StepOperation::DropPack { sends: sends.clone() },
    });
    for decision in &mut plan.decisions {
        let is_send = decision.site.procedure == pack.procedure && sends.contains(&decision.site.statement);
        if let (true, Outcome::Transformed { actions, steps, .. }) = (is_send, &mut decision.outcome) {
            let text = format!("sent from where it lies in `{source}`, without the copy at line {line}");
            actions.insert(0, Action { transformation: Transformation::DropPack, text });
            steps.extend(step.take());
        }
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
