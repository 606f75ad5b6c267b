//! Whether a match class can convert: every member must be something that the runtime does as MPI does (contract, rule 1).
//!
//! One file per thing that is looked at: [`message`] (buffer, datatype), [`communicator`], [`arguments`] (what the runtime's
//! interfaces take), [`persistent`] operations, [`touched_while_pending`], [`wildcards`]. Calls that complete requests are members
//! of no class: [`completion_obstacle`] is asked for each of them, wherever it could be handed a request of Gravel
//! ([`super::request_groups`]).

mod arguments;
mod buffered;
mod communicator;
mod message;
mod persistent;
mod touched_while_pending;
mod wildcards;

use std::collections::BTreeMap;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::AccessKind;
use crate::analysis::messages::error_handling::Errors;
use crate::analysis::messages::matching::{Class, reach_of_called_back};
use crate::analysis::messages::requests::posts_completed_at;
use crate::analysis::program::outside::runs_the_program;
use crate::ir::{
    Callee, Communication, Direction, ErrorHandling, Expression, ExpressionKind, MatchedReceive, Message, Operation,
    Participation, Partner, Procedure, ProcedureId, SourceFile, Span, StatementId, StatementKind, Untouchable,
    UntouchableCause,
};
use crate::mutations::Clause;
use crate::plan::{Protocol, Reason, ReasonCode};

use super::rules::hidden_names::hidden_name;
use super::rules::known_calls::{ends_loop, needed_name};

use arguments::argument_obstacle;
pub use buffered::buffer_calls;
use buffered::buffered_obstacle;
pub use communicator::attached_creations;
use message::{disjointness_obstacle, late_argument_obstacle, message_obstacle};
use persistent::preparation_obstacle;
use touched_while_pending::{started_obstacle, touched_while_pending};
use wildcards::Wildcards;

/// What is true of the whole program.
pub struct ProgramVerdict {
    /// Why nothing at all can convert.
    pub obstacle: Option<Reason>,
    /// Where wildcards may hide.
    wildcards: Wildcards,
}

/// Looks at the program as a whole.
pub fn judge_program(facts: &Facts) -> ProgramVerdict {
    ProgramVerdict { obstacle: program_obstacle(facts), wildcards: Wildcards::find(facts) }
}

fn communications<'a>(
    facts: &Facts<'a>,
) -> impl Iterator<Item = (ProcedureId, &'a Procedure, StatementId, &'a Communication)> {
    facts.program.procedures().flat_map(|(id, procedure)| {
        procedure.statements_in_order().into_iter().filter_map(move |statement| {
            match &procedure.statement(statement).kind {
                StatementKind::Communication(communication) => Some((id, procedure, statement, communication.as_ref())),
                _ => None,
            }
        })
    })
}

fn program_obstacle(facts: &Facts) -> Option<Reason> {
    let is_written = |file: &&SourceFile| file.language.dialect().is_written();
    if let Some(file) = facts.program.files.iter().find(|file| !is_written(file)) {
        let message = format!("{} is in a language that gravelc does not write", file.path.display());
        return Some(Reason::everywhere(ReasonCode::LanguageNotWritten, message));
    }
    let mut initializes = false;
    let mut finalizes = false;
    for (_, procedure, id, communication) in communications(facts) {
        let statement = procedure.statement(id);
        match &communication.operation {
            Operation::Initialize { .. } => {
                initializes = true;
                if !procedure.can_be_replaced(id) {
                    let message = format!("{} shares its line with another statement", communication.routine);
                    return Some(Reason::at(ReasonCode::SharedLine, statement.span, message));
                }
                if let Some(untouchable) = procedure.keeps_calls() {
                    return Some(untouchable_reason(untouchable));
                }
            }
            // Where there is no room for a call of the runtime's, MPI_Finalize ends it by itself (`gravel_finalize`).
            Operation::Finalize => finalizes = true,
            _ => {}
        }
    }
    if let Errors::AreHandled { span, why } = facts.errors() {
        return Some(Reason::at(ReasonCode::ErrorHandler, *span, why));
    }
    if let Some(span) = first_gravel_call(facts) {
        return Some(Reason::at(ReasonCode::AlreadyTransformed, span, "the program calls Gravel already"));
    }
    // The emitted code uses the module `gravel`, and a program has no two units of one name.
    let procedures = facts.program.procedures.iter().map(|procedure| (procedure.name.as_str(), procedure.span));
    let others = facts.program.global_names.iter().map(|(name, span)| (name.as_str(), *span));
    if let Some((_, span)) = procedures.chain(others).find(|&(name, _)| name == "gravel") {
        let message = "a unit or a COMMON block of the program is called `gravel`";
        return Some(Reason::at(ReasonCode::NameTaken, span, message));
    }
    match (initializes, finalizes) {
        // What it is a part of has started the runtime.
        _ if facts.program.is_part => None,
        (true, true) => None,
        (false, _) => Some(Reason::everywhere(ReasonCode::NoInitialize, "MPI_Init is not in the given files")),
        (true, false) => Some(Reason::everywhere(ReasonCode::NoInitialize, "MPI_Finalize is not in the given files")),
    }
}

fn first_gravel_call(facts: &Facts) -> Option<Span> {
    facts.program.procedures.iter().flat_map(|procedure| &procedure.statements).find_map(|statement| {
        match &statement.kind {
            StatementKind::Call { callee: Callee::Unknown(name), .. } if name.starts_with("gravel_") => {
                Some(statement.span)
            }
            _ => None,
        }
    })
}

fn untouchable_reason(untouchable: &Untouchable) -> Reason {
    let code = match untouchable.cause {
        UntouchableCause::Threads => ReasonCode::Threads,
        UntouchableCause::SharedLine => ReasonCode::SharedLine,
        UntouchableCause::Replaced => ReasonCode::NameTaken,
        UntouchableCause::SpelledElsewhere => ReasonCode::SpelledElsewhere,
        UntouchableCause::Hint
        | UntouchableCause::UnknownText
        | UntouchableCause::SeveralEntries
        | UntouchableCause::Unread => ReasonCode::UnreadDeclarations,
    };
    Reason::at(code, untouchable.span, &untouchable.text)
}

/// Why members of the class can't convert, each for itself; empty if the whole class can.
pub fn judge_class(facts: &Facts, class: &Class) -> BTreeMap<SiteId, Reason> {
    let mut obstacles: BTreeMap<SiteId, Reason> =
        class.members.iter().filter_map(|&site| Some((site, member_obstacle(facts, site)?))).collect();
    if obstacles.is_empty()
        && !facts.program.is_part
        && let Some(reason) = missing_partner(facts, class)
    {
        obstacles.insert(class.members[0], reason);
    }
    obstacles
}

/// How the messages of a class that converts travel: announced by their producers where a receive takes any.
pub fn protocol_of(facts: &Facts, verdict: &ProgramVerdict, class: &Class) -> Protocol {
    let takes_any = |&site: &SiteId| {
        let message = facts.communication(site).and_then(|found| found.described(Direction::Received));
        message.is_some_and(|message| verdict.wildcards.may_take_any(facts, site, message))
    };
    // What a probe looks for has to be there before its receive is posted, and what nobody waits for has to leave without it.
    let is_announced = |&site: &SiteId| {
        facts.communication(site).is_some_and(|found| found.probed().is_some() || found.is_buffered_send())
    };
    if class.members.iter().any(|site| takes_any(site) || is_announced(site)) {
        Protocol::ProducerInitiated
    } else {
        Protocol::ConsumerInitiatedWrite
    }
}

fn missing_partner(facts: &Facts, class: &Class) -> Option<Reason> {
    let is_any =
        |has: fn(&Communication) -> bool| class.members.iter().any(|&site| facts.communication(site).is_some_and(has));
    let sends = is_any(|communication| communication.goes(Direction::Sent));
    let receives = is_any(|communication| communication.goes(Direction::Received) || communication.receives_matched());
    match (sends, receives) {
        (true, true) => None,
        (false, _) => Some(Reason::everywhere(ReasonCode::NoPartner, "no send in the given files could match it")),
        (true, false) => {
            Some(Reason::everywhere(ReasonCode::NoPartner, "no receive in the given files could match it"))
        }
    }
}

/// The names of the procedures of which the call may mean any: such a call is a choice of calls, which all have its text.
fn one_of_several(facts: &Facts, procedure: &Procedure, statement: StatementId) -> Option<String> {
    let found = procedure.statement(statement);
    let choice = procedure.statement(found.parent?);
    let StatementKind::Select { selectors, cases } = &choice.kind else { return None };
    if !selectors.is_empty() || choice.span != found.span {
        return None;
    }
    let mut names: Vec<String> = cases
        .iter()
        .flatten()
        .map(|&case| match &procedure.statement(case).kind {
            StatementKind::Communication(call) => match &call.wrapper {
                Some(wrapper) => facts.procedure(wrapper.procedure).name.clone(),
                None => call.routine.clone(),
            },
            StatementKind::Call { callee: Callee::Procedure(id), .. } => facts.procedure(*id).name.clone(),
            StatementKind::Call { callee: Callee::Unknown(name) | Callee::PureIntrinsic(name), .. } => name.clone(),
            _ => "something else".to_owned(),
        })
        .map(|name| format!("`{name}`"))
        .collect();
    names.dedup();
    Some(names.join(" or "))
}

fn member_obstacle(facts: &Facts, site: SiteId) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let statement = procedure.statement(site.statement);
    let communication = match &statement.kind {
        StatementKind::Communication(communication) => communication,
        StatementKind::Opaque(unread) => {
            return Some(Reason::at(ReasonCode::UnreadSource, statement.span, unread.describe()));
        }
        kind => return Some(unknown_call_reason(statement.span, kind)),
    };
    if let Some(reason) = replacement_obstacle(facts, site, communication) {
        return Some(reason);
    }
    let at = |code, message: String| Some(Reason::at(code, statement.span, message));
    if communication.messages().any(|message| message.condition.is_some()) && procedure.hides("merge", site.statement) {
        return at(ReasonCode::NameTaken, "`merge`, which is needed for the emitted code, means something else".into());
    }
    let obstacle = match &communication.operation {
        Operation::Send { message, mode, .. } => {
            let of_mode = mode.is_buffered().then(|| buffered_obstacle(facts, statement.span)).flatten();
            of_mode
                .or_else(|| message_obstacle(facts, site, message))
                .or_else(|| touched_while_pending(facts, site, message, &[AccessKind::Write]))
        }
        Operation::Receive { message, .. } => message_obstacle(facts, site, message)
            .or_else(|| late_argument_obstacle(facts, site))
            .or_else(|| touched_while_pending(facts, site, message, &[AccessKind::Read, AccessKind::Write])),
        Operation::SendReceive { send, receive, in_one_buffer, .. } => half_obstacle(facts, site)
            .or_else(|| message_obstacle(facts, site, send))
            .or_else(|| message_obstacle(facts, site, receive))
            .or_else(|| late_argument_obstacle(facts, site))
            .or_else(|| disjointness_obstacle(facts, site, send, receive).filter(|_| !in_one_buffer)),
        Operation::Prepare { message, mode, .. } => {
            message_obstacle(facts, site, message).or_else(|| preparation_obstacle(facts, site, message, *mode))
        }
        Operation::Other {
            error_handling: ErrorHandling::Makes { .. } | ErrorHandling::MakesForFiles { .. } | ErrorHandling::Calls,
            ..
        } => {
            return match facts.errors() {
                Errors::AreHandled { span, why } => Some(Reason::at(ReasonCode::ErrorHandler, *span, why)),
                Errors::EndTheProgram | Errors::MayBeReturned(_) => None,
            };
        }
        // A message that a probe takes can only be received by the runtime.
        Operation::Other { participation: Participation::Probes { takes, .. }, .. } => {
            let open = facts.open_world().filter(|_| *takes);
            return open.map_or_else(
                || argument_obstacle(facts, site),
                |open| {
                    let open = open.describe(facts.program);
                    let message = format!("what it takes may come to others than the given files ({open})");
                    at(ReasonCode::RequestEscapes, message)
                },
            );
        }
        Operation::Other { participation: Participation::ReceivesMatched(receive), .. } => {
            let MatchedReceive { buffer, count, datatype, matched, request: _ } = receive.as_ref();
            let message = Message {
                buffer: buffer.clone(),
                count: count.clone(),
                datatype: datatype.clone(),
                // Who has sent it, on which communicator, is known to the probe: what is asked here is its memory.
                partner: Partner::Process { peer: matched.clone(), tag: matched.clone() },
                communicator: matched.clone(),
                condition: None,
            };
            message_obstacle(facts, site, &message)
        }
        Operation::Other { participation: Participation::CallsBack { procedures }, description, .. } => {
            let reach = reach_of_called_back(facts, procedures)
                .map(|(id, why)| format!("MPI calls `{}`, which {why}", facts.procedure(id).name));
            let why = reach.unwrap_or_else(|| "it stays with MPI".to_owned());
            at(ReasonCode::UnsupportedOperation, format!("{} makes {description}: {why}", communication.routine))
        }
        _ => unsupported(communication, statement.span),
    };
    obstacle.or_else(|| argument_obstacle(facts, site))
}

/// Why a call that completes, starts or releases requests can't be handed one of Gravel.
pub fn completion_obstacle(facts: &Facts, site: SiteId) -> Option<Reason> {
    let communication = facts.communication(site)?;
    let span = facts.procedure(site.procedure).statement(site.statement).span;
    if matches!(communication.operation, Operation::Other { .. }) && !communication.has_twin() {
        return unsupported(communication, span);
    }
    if let Some(send) = cancelled_send(facts, site, communication) {
        let line = facts.program.line_named(facts.procedure(send.procedure).statement(send.statement).span);
        let routine = &communication.routine;
        let message = format!("{routine} may cancel the synchronous send at line {line}, which only MPI can");
        return Some(Reason::at(ReasonCode::UnsupportedOperation, span, message));
    }
    replacement_obstacle(facts, site, communication)
        .or_else(|| started_obstacle(facts, site).filter(|_| communication.begun_request().is_some()))
        .or_else(|| argument_obstacle(facts, site))
}

/// A synchronous send that the call may cancel: one that nobody receives would be waited for without end. The runtime ends others
/// without their receivers.
fn cancelled_send(facts: &Facts, site: SiteId, communication: &Communication) -> Option<SiteId> {
    if !communication.cancels() || Clause::CancelledSends.is_off() {
        return None;
    }
    let is_synchronous = |post: &SiteId| facts.communication(*post).is_some_and(Communication::is_synchronous_send);
    posts_completed_at(facts, site).into_iter().find(is_synchronous)
}

/// Why a call that sends and receives at once stays with MPI: where errors are returned, one that fails does neither, but of two
/// operations that take its place one may fail alone.
fn half_obstacle(facts: &Facts, site: SiteId) -> Option<Reason> {
    let Errors::MayBeReturned(handler) = facts.errors() else { return None };
    let line = facts.program.line_named(*handler);
    let routine = &facts.communication(site)?.routine;
    let message =
        format!("the error handler at line {line} lets the program go on after errors, and {routine} fails as a whole");
    let span = facts.procedure(site.procedure).statement(site.statement).span;
    Some(Reason::at(ReasonCode::ErrorHandler, span, message))
}

fn unsupported(communication: &Communication, span: Span) -> Option<Reason> {
    let message = match &communication.operation {
        Operation::Other { description, .. } => {
            format!("{} is {description}, which stays with MPI", communication.routine)
        }
        _ => format!("{} stays with MPI", communication.routine),
    };
    Some(Reason::at(ReasonCode::UnsupportedOperation, span, message))
}

/// Why no other call can take the place of this one.
fn replacement_obstacle(facts: &Facts, site: SiteId, communication: &Communication) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let statement = procedure.statement(site.statement);
    if let Some(untouchable) = procedure.keeps_calls() {
        return Some(untouchable_reason(untouchable));
    }
    let at = |code, message: String| Some(Reason::at(code, statement.span, message));
    if let Some(names) = one_of_several(facts, procedure, site.statement) {
        return at(ReasonCode::SeveralProcedures, format!("the call may mean {names}: which one is not certain"));
    }
    if procedure.is_spelled_elsewhere(site.statement) {
        return at(ReasonCode::SpelledElsewhere, "a macro makes the call, or it stands in an included file".into());
    }
    if !procedure.can_be_replaced(site.statement) {
        return at(ReasonCode::SharedLine, "the call shares its line with another statement".into());
    }
    if statement.hint.is_some() {
        let message = "the hint to a compiler above the call would belong to what takes the call's place";
        return at(ReasonCode::CompilerHint, message.into());
    }
    if ends_loop(procedure, site.statement) {
        let message =
            "the call is the labelled statement that ends a loop, so that no other statement can follow it there";
        return at(ReasonCode::SharedLine, message.into());
    }
    needed_name(procedure, statement.span)
        .or_else(|| hidden_name(procedure, site.statement, communication.expressions()))
}

fn unknown_call_reason(span: Span, kind: &StatementKind) -> Reason {
    let in_expression = || {
        kind.expressions().into_iter().flat_map(Expression::walk).find_map(|part| match &part.kind {
            ExpressionKind::Call { callee: Callee::Unknown(name), .. } => Some(name.clone()),
            _ => None,
        })
    };
    let name = match kind {
        StatementKind::Call { callee: Callee::Unknown(name), .. } => Some(name.clone()),
        _ => in_expression(),
    };
    match name {
        Some(name) => {
            let message = if runs_the_program(&name) {
                format!("`{name}` has code of the program run where none of its calls stands, or beside it")
            } else {
                format!("`{name}` is not among the given files and may communicate")
            };
            Reason::at(ReasonCode::UnknownProcedure, span, message)
        }
        None => Reason::at(ReasonCode::UnreadSource, span, "an expression could not be understood"),
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
