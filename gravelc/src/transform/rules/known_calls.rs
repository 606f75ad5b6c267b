//! The calls of a procedure, where something of it is to be done around them: by those who call it.
//!
//! All of them have to be known ([`Facts::calls_are_known`]), each has to be a CALL statement on lines of its own in a procedure that may be
//! changed, and the request has to be in a variable that the procedure and its callers see: one of the procedure's module,
//! which the callers import, else one in a COMMON block of its own.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::ir::{
    Callee, Expression, ExpressionKind, Form, Procedure, ProcedureId, Span, StatementId, StatementKind, Untouchable,
};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::movement::Surroundings;

/// How much longer than the name of a procedure that of its request is (`gravel_r1_` in front of it, and some digits more).
const ADDED: usize = 15;

/// Why the procedure can hand no request to others and take none from them: there would have to be a variable that both see.
pub fn unshared(facts: &Facts, procedure: ProcedureId, span: Span) -> Option<Reason> {
    let is_written = facts.procedure(procedure).dialect().writes(Form::SharedVariable);
    let message = "variables that several procedures see are not written in this language yet";
    (!is_written).then(|| Reason::at(ReasonCode::LanguageNotWritten, span, message))
}

/// The calls of the procedure of `site`, which is first to be done there, or last; `doing` says what the callers would do, and on
/// which side of it there would have to be work.
///
/// # Errors
/// They are not all known, there are none, or there can be no variable for the request.
pub fn calls_around<'f>(facts: &'f Facts, site: SiteId, (doing, side): (&str, &str)) -> Result<&'f [SiteId], Reason> {
    let callee = facts.procedure(site.procedure);
    let span = callee.statement(site.statement).span;
    let refused = |message: String| Err(Reason::at(ReasonCode::CallersInTheWay, span, message));
    let name = &callee.name;
    if let Some(reason) = unshared(facts, site.procedure, span) {
        return Err(reason);
    }
    if !facts.calls_are_known(site.procedure) {
        return refused(format!("not all calls of `{name}` are known, so its callers can't {doing} it"));
    }
    // One call of it may be several, with as many requests.
    if callee.is_elemental {
        return refused(format!("`{name}` is elemental, so its callers can't {doing} it"));
    }
    // A finaliser of its own objects runs between its last statement and its callers.
    let is_opaque = |part: &Expression| matches!(part.kind, ExpressionKind::Opaque(_));
    if callee.evaluated_at_entry.iter().any(|it| it.any(&is_opaque)) && !Clause::BeginningsAndEnds.is_off() {
        return refused(format!(
            "what happens where `{name}` begins and ends is not known, so its callers can't {doing} it"
        ));
    }
    let calls = facts.calls_of(site.procedure);
    if calls.is_empty() {
        return refused(format!("there is no work {side} it in `{name}`, which nothing calls"));
    }
    unnameable(facts, site.procedure).map_or(Ok(calls), refused)
}

/// Why nothing of the procedure `callee` can be done around this call of it.
pub fn call_obstacle(facts: &Facts, call: SiteId, callee: ProcedureId) -> Option<Reason> {
    let surroundings = Surroundings { facts, procedure: call.procedure };
    let caller = surroundings.body();
    let statement = caller.statement(call.statement);
    let line = facts.program.line_named(statement.span);
    let refused = |message: String| Some(Reason::at(ReasonCode::CallersInTheWay, statement.span, message));
    if let Some(Untouchable { text: why, .. }) = &caller.untouchable {
        return refused(format!("the caller at line {line} has to stay as it is: {why}"));
    }
    // An inner run could overwrite the request of the outer one.
    if call.procedure == callee {
        return refused(format!("`{}` calls itself at line {line}", caller.name));
    }
    if !matches!(statement.kind, StatementKind::Call { callee: Callee::Procedure(_), .. }) {
        return refused(format!("what line {line} calls is a function"));
    }
    if !caller.has_room_around(call.statement) {
        return refused(format!("the call at line {line} shares its line with another statement"));
    }
    if surroundings.is_inside_one_line_if(call.statement) && ends_loop(caller, call.statement) {
        return refused(format!("the loop around the call at line {line} ends with its statement"));
    }
    needed_name(caller, statement.span).or_else(|| unseen_request(facts, call, callee).and_then(refused))
}

/// Why there can be no variable for the request that the procedure and its callers see.
pub fn unnameable(facts: &Facts, procedure: ProcedureId) -> Option<String> {
    let name = &facts.procedure(procedure).name;
    if facts.program.procedures.iter().filter(|other| other.name == *name).count() > 1 {
        return Some(format!("the program has several procedures with the name `{name}`"));
    }
    if name.len() + ADDED > facts.procedure(procedure).dialect().longest_name() {
        return Some(format!("the name `{name}` is too long for one that is made of it"));
    }
    if let Some(module) = facts.program.module_around(procedure) {
        let module_name = &module.name;
        return module
            .has_our_names
            .then(|| format!("the module `{module_name}` has names that begin like those of the emitted code"));
    }
    let is_ours = |name: &str| name.starts_with("gravel");
    let procedures = facts.program.procedures.iter().map(|other| other.name.as_str());
    let mut names = procedures.chain(facts.program.global_names.iter().map(|(name, _)| name.as_str()));
    names.find(|name| is_ours(name)).map(|taken| format!("the name `{taken}` begins like those of the emitted code"))
}

/// Why the caller can't see the request of the procedure that it calls: a variable of that one's module, which it does not
/// import (it may know the procedure by an object alone).
fn unseen_request(facts: &Facts, call: SiteId, callee: ProcedureId) -> Option<String> {
    let module = facts.program.module_around(callee)?;
    let caller = facts.procedure(call.procedure);
    let is_seen = facts.program.is_inside_module(caller, &module.name)
        || facts.program.naming.as_ref().is_some_and(|naming| naming.imports(call.procedure, &module.name));
    (!is_seen)
        .then(|| format!("`{}` does not import the module `{}`, where the request would be", caller.name, module.name))
}

/// May the statement by itself call the procedure, or one that calls it?
pub fn may_call(facts: &Facts, site: SiteId, procedure: ProcedureId) -> bool {
    let mut seen = BTreeSet::new();
    let mut pending: Vec<ProcedureId> = called_by(&facts.procedure(site.procedure).statement(site.statement).kind);
    while let Some(callee) = pending.pop() {
        if callee == procedure {
            return true;
        }
        if seen.insert(callee) {
            let body = facts.procedure(callee);
            pending.extend(body.statements.iter().flat_map(|statement| called_by(&statement.kind)));
        }
    }
    false
}

/// The given procedures that a statement calls by itself.
pub fn called_by(kind: &StatementKind) -> Vec<ProcedureId> {
    let in_expressions = kind.expressions().into_iter().flat_map(Expression::walk).filter_map(|part| match part.kind {
        ExpressionKind::Call { callee: Callee::Procedure(callee), .. } => Some(callee),
        _ => None,
    });
    let statement = match kind {
        StatementKind::Call { callee: Callee::Procedure(callee), .. } => Some(*callee),
        _ => None,
    };
    in_expressions.chain(statement).collect()
}

/// A name of the procedure that the emitted code needs.
pub fn needed_name(procedure: &Procedure, at: Span) -> Option<Reason> {
    let taken = procedure.symbols.iter().find(|symbol| symbol.name.starts_with("gravel"))?;
    let message = format!("the name `{}` is needed for the emitted code", taken.name);
    Some(Reason::at(ReasonCode::NameTaken, taken.declaration.unwrap_or(at), message))
}

/// Is the statement, or the last part of it, the one that a labelled loop ends with?
pub fn ends_loop(procedure: &Procedure, id: StatementId) -> bool {
    let end = procedure.statement(id).span.end;
    let parent = |id: &StatementId| procedure.statement(*id).parent;
    std::iter::successors(parent(&id), parent).any(|around| {
        let statement = procedure.statement(around);
        matches!(statement.kind, StatementKind::Loop(_) | StatementKind::While { .. }) && statement.span.end <= end
    })
}
