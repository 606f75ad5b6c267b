//! Writes what was found into the plan: a decision per site, the classes, and the start and end of the runtime.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::messages::error_handling::Errors;
use crate::analysis::messages::matching::{Class, CommunicatorFact, TagFact};
use crate::analysis::values::CommunicatorSource;
use crate::ir::{Callee, Communication, Operation, ProcedureId, Program, Span, StatementKind};
use crate::plan::{
    ClassId, Decision, MatchClass, Outcome, Plan, Position, Reason, ReasonCode, Site, Step, StepOperation,
};
use crate::transform::found::AllMoves;

use super::classes::{attached_creations, buffer_calls};
use super::conversion::{Conversion, drop_needless_nulls};
use super::request_groups::RequestGroups;
use super::verdict::Verdict;
use crate::directives::{Directives, is_site};

/// What stands for the routine where a statement of a class is no call of MPI.
const UNREAD: &str = "(source that could not be read)";
const UNKNOWN_FUNCTION: &str = "(a function that is not among the given files)";

/// Writes a plan.
pub struct Decisions<'a> {
    /// The answers about the program.
    pub facts: &'a Facts<'a>,
    /// Which calls may complete which operations.
    pub groups: &'a RequestGroups,
    /// What the transformations found.
    pub moves: &'a AllMoves,
    /// What the user asks for.
    pub directives: &'a Directives,
    /// The members of classes whose messages are announced by their producers.
    pub announced: &'a BTreeSet<SiteId>,
}

impl Decisions<'_> {
    fn site(&self, id: SiteId) -> Site {
        site_in(self.facts.program, id)
    }

    /// The plan for the classes with these verdicts.
    pub fn write(&self, classes: &[Class], verdicts: &[Verdict]) -> Plan {
        let mut plan = Plan::default();
        let mut conversion = Conversion::new(self.facts, self.moves, self.directives, self.announced);
        // In the order of the program, so that the new variables are numbered as a reader meets them.
        let mut members = BTreeMap::new();
        for (index, (class, verdict)) in classes.iter().zip(verdicts).enumerate() {
            members.extend(class.members.iter().map(|&member| (member, (ClassId(index), verdict))));
            let posts: BTreeSet<SiteId> = class.members.iter().copied().collect();
            let completions = self.groups.completions_of(&posts);
            for &completion in &completions {
                // One call may complete operations of several classes: where one converts, it does.
                let of_completion = members.entry(completion).or_insert((ClassId(index), verdict));
                if !matches!(of_completion.1, Verdict::Converts) && matches!(verdict, Verdict::Converts) {
                    *of_completion = (ClassId(index), verdict);
                }
            }
            let listed: BTreeSet<SiteId> = posts.union(&completions).copied().collect();
            let kept = match verdict {
                Verdict::Converts => None,
                Verdict::Kept { reason, .. } => Some(reason.clone()),
            };
            plan.classes.push(MatchClass {
                members: listed.into_iter().map(|member| self.site(member)).collect(),
                description: describe(class),
                kept,
            });
        }
        for (member, (class, verdict)) in members {
            if self.facts.communication(member).is_none() {
                continue;
            }
            let outcome = match verdict {
                Verdict::Converts => conversion.convert(member),
                Verdict::Kept { reason, obstacles, missed } => Outcome::Kept {
                    reason: self.member_reason(member, reason, obstacles),
                    missed: missed.get(&member).cloned().unwrap_or_default(),
                },
            };
            plan.decisions.push(Decision { site: self.site(member), class: Some(class), outcome });
        }
        drop_needless_nulls(&mut plan.decisions);
        self.add_completions_without_class(classes, &mut plan);
        self.add_calls_of_wrappers(&mut plan);
        plan.decisions.sort_by(|one, other| one.site.cmp(&other.site));
        if plan.transforms_anything() {
            let converting = classes.iter().zip(verdicts).filter(|(_, verdict)| matches!(verdict, Verdict::Converts));
            let converting: Vec<&Class> = converting.map(|(class, _)| class).collect();
            let is_buffered =
                |site: &SiteId| self.facts.communication(*site).is_some_and(Communication::is_buffered_send);
            let buffers = match converting.iter().any(|class| class.members.iter().any(is_buffered)) {
                true => buffer_calls(self.facts).collect(),
                false => BTreeSet::new(),
            };
            plan.attachments = self.attachments(&attached_creations(self.facts, converting.into_iter()), &buffers);
        }
        plan
    }

    fn member_reason(&self, member: SiteId, class_reason: &Reason, own: &BTreeMap<SiteId, Reason>) -> Reason {
        if let Some(reason) = own.get(&member).or_else(|| self.groups.obstacle_of_completion(member)) {
            return reason.clone();
        }
        let Some((&blamed, reason)) = own.iter().next() else {
            return class_reason.clone();
        };
        let site = self.site(blamed);
        let file = site.path(self.facts.program).display();
        let what = &site.routine;
        let message =
            format!("{what} at {file}:{}, in the same match class, stays with MPI: {}", site.line, reason.message);
        Reason { code: ReasonCode::ClassMemberKept, message, span: reason.span }
    }

    /// Completions of requests that no post of the procedure makes, and starts of such requests.
    fn add_completions_without_class(&self, classes: &[Class], plan: &mut Plan) {
        let mut covered: BTreeSet<SiteId> = classes.iter().flat_map(|class| class.members.iter().copied()).collect();
        covered.extend(self.groups.completions_of(&covered));
        for (procedure, body) in self.facts.program.procedures() {
            for statement in body.statements_in_order() {
                let site = SiteId { procedure, statement };
                // A wait in a procedure that does nothing else is decided about where that is called.
                let call = self.facts.communication(site).filter(|found| !found.is_counted_at_callers);
                let Some(call) = call.filter(|_| !covered.contains(&site)) else {
                    continue;
                };
                let Some(request) = call.request() else {
                    continue;
                };
                let text = self.facts.program.text(request.span);
                let message = format!("no operation of this procedure is known to make the request `{text}`");
                let reason = Reason::at(ReasonCode::RequestEscapes, request.span, message);
                plan.decisions.push(Decision { site: self.site(site), class: None, outcome: Outcome::kept(reason) });
            }
        }
    }

    /// The calls in procedures that do nothing else, which are decided about where these procedures are called.
    fn add_calls_of_wrappers(&self, plan: &mut Plan) {
        for (procedure, body) in self.facts.program.procedures() {
            for statement in body.statements_in_order() {
                let site = SiteId { procedure, statement };
                if !self.facts.communication(site).is_some_and(|found| found.is_counted_at_callers) {
                    continue;
                }
                let message = format!("each call of `{}` counts for itself as a call of MPI", body.name);
                let reason = Reason::at(ReasonCode::CountedAtCallers, body.statement(statement).span, message);
                plan.decisions.push(Decision { site: self.site(site), class: None, outcome: Outcome::kept(reason) });
            }
        }
    }

    /// The runtime starts right after MPI and ends right before it; it is attached to these communicators of the program.
    /// It is told of these calls that attach buffers or take them back.
    fn attachments(&self, creations: &BTreeSet<SiteId>, buffers: &BTreeSet<SiteId>) -> Vec<Step> {
        let mut steps = Vec::new();
        for (procedure, body) in self.facts.program.procedures() {
            for statement in body.statements_in_order() {
                let (position, operation) = match self.facts.communication(SiteId { procedure, statement }) {
                    Some(Communication { operation: Operation::Initialize { .. }, .. }) => {
                        (Position::After(statement), StepOperation::Initialize)
                    }
                    Some(Communication { operation: Operation::Finalize, .. }) => {
                        // MPI_Finalize ends the runtime where nothing can be written in front of it.
                        if !body.can_be_replaced(statement) || body.keeps_calls().is_some() {
                            continue;
                        }
                        (Position::Before(statement), StepOperation::Finalize)
                    }
                    Some(_) if creations.contains(&SiteId { procedure, statement }) => {
                        (Position::After(statement), StepOperation::Attach)
                    }
                    Some(_) if buffers.contains(&SiteId { procedure, statement }) => {
                        (Position::After(statement), StepOperation::TellOfBuffer)
                    }
                    _ => continue,
                };
                let starts = matches!(operation, StepOperation::Initialize);
                let step = |operation| Step { procedure, position, origin: statement, guard: None, operation };
                steps.push(step(operation));
                if starts && matches!(self.facts.errors(), Errors::MayBeReturned(_)) {
                    steps.push(step(StepOperation::ReturnErrors));
                }
            }
        }
        steps
    }
}

fn site_in(program: &Program, id: SiteId) -> Site {
    let procedure = program.procedure(id.procedure);
    let span = procedure.statement(id.statement).span;
    let routine = match &procedure.statement(id.statement).kind {
        StatementKind::Communication(communication) => match &communication.wrapper {
            Some(wrapper) => program.procedure(wrapper.procedure).name.clone(),
            None => communication.routine.clone(),
        },
        StatementKind::Call { callee: Callee::Unknown(name), .. } => name.clone(),
        StatementKind::Opaque(_) => UNREAD.to_string(),
        _ => UNKNOWN_FUNCTION.to_string(),
    };
    let line = program.line(span);
    Site { file: span.file, line, procedure: id.procedure, statement: id.statement, routine }
}

/// Adds the calls of branches that are never taken, given with the conditions that decide that, to the plan for the rest of the
/// program, which `original` has.
pub fn add_dead(original: &Program, statements: impl Iterator<Item = (SiteId, Span)>, plan: &mut Plan) {
    for (id, condition) in statements {
        if is_site(&original.procedure(id.procedure).statement(id.statement).kind) {
            let message = "constants decide against the branch, so it never runs";
            let reason = Reason::at(ReasonCode::DeadBranch, condition, message);
            let site = site_in(original, id);
            plan.decisions.push(Decision { site, class: None, outcome: Outcome::kept(reason) });
        }
    }
    plan.decisions.sort_by(|one, other| one.site.cmp(&other.site));
}

/// Adds the calls of procedures that never run to the plan for the rest of the program.
pub fn add_never_called(program: &Program, procedures: &BTreeSet<ProcedureId>, plan: &mut Plan) {
    let by_procedures = program.mentioned.by_procedures.iter().enumerate();
    let named: BTreeSet<ProcedureId> = by_procedures
        .flat_map(|(number, names)| names.iter().map(|(named, _)| *named).filter(move |named| named.0 != number))
        .collect();
    for &procedure in procedures {
        let body = program.procedure(procedure);
        let calls = if named.contains(&procedure) { "that runs calls" } else { "calls" };
        let file = program.file(body.span.file);
        let first_line = &file.text[body.span.start..file.line_end(body.span.start).min(body.span.end)];
        let header = Span { end: body.span.start + first_line.trim_ascii_end().len(), ..body.span };
        for statement in body.statements_in_order() {
            if is_site(&body.statement(statement).kind) {
                let message = format!("nothing {calls} `{}`, so it never runs", body.name);
                let reason = Reason::at(ReasonCode::NeverCalled, header, message);
                let site = site_in(program, SiteId { procedure, statement });
                plan.decisions.push(Decision { site, class: None, outcome: Outcome::kept(reason) });
            }
        }
    }
    plan.decisions.sort_by(|one, other| one.site.cmp(&other.site));
}

fn describe(class: &Class) -> String {
    let communicators: BTreeSet<&str> = class
        .communicators
        .iter()
        .flat_map(|communicator| match communicator {
            CommunicatorFact::OneOf(sources) => sources.iter().map(name_of_source).collect(),
            CommunicatorFact::Unknown => vec!["an unknown communicator"],
        })
        .collect();
    let communicators: Vec<&str> = communicators.into_iter().collect();
    // What may have any tag may be anything.
    let is_anything = class.tags.contains(&TagFact::Unknown);
    let tags: Vec<String> = class
        .tags
        .iter()
        .filter(|tag| !is_anything || !matches!(tag, TagFact::AllToAll | TagFact::AllToAllInBlocks))
        .map(|tag| match tag {
            TagFact::Constant(value) => format!("tag {value}"),
            TagFact::Any => "any tag".into(),
            TagFact::Unknown => "an unknown tag".into(),
            TagFact::AllToAll => "exchanges of everyone with everyone".into(),
            TagFact::AllToAllInBlocks => "exchanges of everyone with everyone in blocks of different lengths".into(),
        })
        .collect();
    format!("{}, {}", communicators.join(" and "), tags.join(" and "))
}

fn name_of_source(source: &CommunicatorSource) -> &'static str {
    match source {
        CommunicatorSource::World => "MPI_COMM_WORLD",
        CommunicatorSource::OwnProcess => "MPI_COMM_SELF",
        CommunicatorSource::CreatedAt(_) => "a communicator of the program",
    }
}
