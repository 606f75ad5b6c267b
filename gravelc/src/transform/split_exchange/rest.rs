//! What an exchange is: a procedure that posts messages, and from its first wait on does nothing that its callers could not have done
//! later. That is its *rest*.

use std::collections::BTreeSet;

use crate::analysis::facts::Facts;
use crate::analysis::memory::effects::{Access, AccessKind};
use crate::ir::{
    Callee, Expression, Indivisible, Place, ProcedureId, Region, Span, StatementId, StatementKind, Storage,
    SymbolClass, SymbolId, Untouchable,
};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::super::rules::known_calls::{needed_name, unnameable};
use super::super::rules::movement::Surroundings;
use super::begun::{Begun, Messages, messages_of};
use super::called_in_rest::reach_of_call;
use super::callers::evaluates_with_effects;
use super::handed_over::handed_over;
use super::parts::{Parts, is_completion, parts_of};

/// Memory that the rest of an exchange touches, by a name of the procedure, over the values that variables have when the procedure begins.
#[derive(Debug, Clone)]
pub struct Touched {
    /// Which memory.
    pub region: Region,
    /// What is done to it.
    pub kind: AccessKind,
}

/// A variable of a module that the rest of an exchange touches, and that has no name there.
#[derive(Debug, Clone)]
pub struct Unnamed {
    /// The variable.
    pub place: Place,
    /// A procedure that names it, and its name there.
    pub known_as: (ProcedureId, SymbolId),
    /// What is done to it.
    pub kind: AccessKind,
}

/// A procedure with the statements of its two parts.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The first statement of the rest.
    pub first_of_end: StatementId,
    /// The IF statements around it, outermost first.
    pub around: Vec<StatementId>,
    /// IF statements at the beginning that return.
    pub guards: Vec<StatementId>,
    /// Its messages: those that may be under way between the two parts, and later ones.
    pub messages: Messages,
    /// What the rest touches of what others see, and what both parts read as they begin.
    pub footprint: Vec<Touched>,
    /// What procedures touch that the rest calls, and that has no name here.
    pub unnamed: Vec<Unnamed>,
    /// Variables of its own of which the rest needs what the first part has left there.
    pub handed_over: Vec<SymbolId>,
    /// The exchange that it calls, of which its own begin and end hold the two parts, with the call.
    pub inner: Option<(ProcedureId, StatementId)>,
}

/// The exchange that the procedure is; `None` where it posts nothing that it waits for.
pub fn exchange_of(facts: &Facts, procedure: ProcedureId) -> Option<Result<Exchange, Reason>> {
    let parts = parts_of(facts, facts.procedure(procedure))?;
    Some(Search { facts, procedure, parts: &parts }.exchange())
}

/// One procedure while it is looked at.
pub struct Search<'s> {
    /// The answers about the program.
    pub facts: &'s Facts<'s>,
    /// The procedure.
    pub procedure: ProcedureId,
    /// Its parts.
    pub parts: &'s Parts,
}

impl Search<'_> {
    fn exchange(&self) -> Result<Exchange, Reason> {
        let Self { facts, procedure, parts } = *self;
        let first_of_end = parts.end[0];
        self.check_text()?;
        self.check_control()?;
        let messages = messages_of(facts, procedure).map_err(|(statement, why)| self.refused_at(statement, &why))?;
        let handed_over = handed_over(facts, procedure, parts, &messages)?;
        let (mut footprint, unnamed) = self.footprint(&messages)?;
        footprint.extend(self.read_at_entry()?);
        let (around, guards) = (parts.around.clone(), parts.guards.clone());
        Ok(Exchange { procedure, first_of_end, around, guards, messages, footprint, unnamed, handed_over, inner: None })
    }

    pub fn refused(&self, span: Span, why: &str) -> Reason {
        let name = &self.facts.procedure(self.procedure).name;
        Reason::at(ReasonCode::ExchangeNotDivisible, span, format!("`{name}` {why}"))
    }

    pub fn refused_at(&self, statement: StatementId, why: &str) -> Reason {
        let span = self.facts.procedure(self.procedure).statement(statement).span;
        let line = self.facts.program.line_named(span);
        self.refused(span, &format!("{why} at line {line}"))
    }

    /// Its text can be written as two procedures.
    pub fn check_text(&self) -> Result<(), Reason> {
        let Self { facts, procedure, parts } = *self;
        let body = facts.procedure(procedure);
        if let Some(Untouchable { text, span, .. }) = &body.untouchable {
            return Err(self.refused(*span, &format!("has to stay as it is: {text}")));
        }
        let found = match &body.text_parts {
            Ok(found) => found,
            Err(Indivisible { span, why }) => return Err(self.refused(*span, why)),
        };
        if let Some(why) = unnameable(facts, procedure) {
            return Err(self.refused(found.name, &format!("can't be named anew: {why}")));
        }
        if let Some(reason) = needed_name(body, found.name) {
            return Err(reason);
        }
        let surroundings = Surroundings { facts, procedure };
        // The name of a construct stands at its end, too.
        let dialect = body.dialect();
        let is_named = |&&id: &&StatementId| {
            let text = facts.program.text(body.statement(id).span);
            !text.get(..2).is_some_and(|word| dialect.is_same_name(word.as_bytes(), b"if"))
        };
        if let Some(&named) = parts.around.iter().find(is_named) {
            return Err(self.refused_at(named, "has an IF with a name"));
        }
        let edges = [parts.begin.last(), parts.end.first(), parts.end.last()];
        if let Some(&shared) = edges.into_iter().flatten().find(|&&id| !surroundings.has_room_before(id)) {
            return Err(self.refused_at(shared, "shares a line between two statements"));
        }
        let dummies = || body.dummies.iter().map(|&dummy| body.symbol(dummy));
        if dummies().any(|dummy| dummy.undefined_at_entry) && found.resets.is_empty() {
            return Err(self.refused(found.name, "says elsewhere which arguments lose their values"));
        }
        let file = facts.program.file(body.span.file);
        let dialect = body.dialect();
        let mut lines = file.whole_lines(body.span.start..body.span.end);
        // A file of declarations is included by either part.
        let is_included_head = |start: usize, line: &[u8]| {
            start < body.anchors.declarations
                && line.strip_prefix(b"#").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"include"))
        };
        let speaks = |(start, line): &(usize, &[u8])| {
            dialect.is_for_compilers(line, file.layout) && !is_included_head(*start, line)
        };
        if let Some((start, _)) = lines.find(speaks) {
            let span = Span { start, end: start, ..body.span };
            return Err(self.refused(span, "has directives for compilers"));
        }
        if let Some(why) = interface_obstacle(facts, procedure) {
            return Err(self.refused(found.name, &why));
        }
        Ok(())
    }

    /// Both parts run from their beginning to their end.
    pub fn check_control(&self) -> Result<(), Reason> {
        if Clause::ExchangeControl.is_off() {
            return Ok(());
        }
        let Self { facts, procedure, parts } = *self;
        let body = facts.procedure(procedure);
        for &statement in parts.begin.iter().chain(&parts.end) {
            let inner = body.with_descendants(statement);
            if let Some(&unread) = inner.iter().find(|&&id| matches!(body.statement(id).kind, StatementKind::Opaque(_)))
            {
                return Err(self.refused_at(unread, "has a statement that could not be read"));
            }
            if let Some(&target) = inner.iter().find(|&&id| body.statement(id).jump_target) {
                return Err(self.refused_at(target, "has a jump to a statement"));
            }
            let effects = facts.effects(procedure, statement);
            // Where the begin ends the program nothing comes behind it, whoever it was to be.
            let leave = if parts.begin.contains(&statement) { &effects.goes_elsewhere } else { &effects.leaves };
            if let Some(leave) = leave {
                return Err(self.refused_at(leave.statement, &format!("may end early ({})", leave.why)));
            }
        }
        for &statement in &parts.begin {
            let effects = facts.effects(procedure, statement);
            if let Some(culprit) = effects.everything {
                return Err(self.refused_at(culprit, "may do anything in a statement"));
            }
        }
        Ok(())
    }

    /// What the rest touches that others see: by names of the procedure, and without one.
    pub fn footprint(&self, messages: &Messages) -> Result<(Vec<Touched>, Vec<Unnamed>), Reason> {
        let Self { facts, procedure, parts } = *self;
        let body = facts.procedure(procedure);
        let run = facts.effects_of_run(procedure);
        if !run.blocks_read.is_empty() || !run.blocks_written.is_empty() {
            return Err(self.refused(body.span, "may touch members of COMMON blocks that it does not name"));
        }
        let later: BTreeSet<StatementId> = parts.end.iter().flat_map(|&id| body.with_descendants(id)).collect();
        let mut unnamed = Vec::new();
        for &statement in &later {
            unnamed.extend(self.check_statement(statement, messages)?);
        }
        let conditions = parts.guards.iter().chain(&parts.around);
        let posts = messages.begun.iter().map(|message| &message.by);
        let named = later.iter().filter(|&&id| !is_completion(&body.statement(id).kind)).chain(conditions).chain(posts);
        if let Some(&statement) = named.into_iter().find(|&&id| facts.follows_pointers(procedure, id)) {
            return Err(self.refused_at(statement, "touches memory to which pointers lead"));
        }
        let buffers: BTreeSet<SymbolId> = messages.begun.iter().map(|message| message.buffer).collect();
        // Which parts of its buffers a wait completes is known by the posts; it sets statuses and codes besides.
        let is_told_by_post = |access: &&Access| {
            is_completion(&body.statement(access.statement).kind) && buffers.contains(&access.region.symbol)
        };
        let of_rest = run.accesses.iter().filter(|it| later.contains(&it.statement) && !is_told_by_post(it));
        let mut found: Vec<Touched> =
            of_rest.map(|access| Touched { region: access.region.clone(), kind: access.kind }).collect();
        let is_counted =
            |message: &&Begun| !messages.posting_calls.contains(&message.by) || !Clause::ExchangePosts.is_off();
        for message in messages.begun.iter().filter(is_counted) {
            let regions = message.regions(facts, procedure).into_iter();
            found.extend(regions.map(|region| Touched { region, kind: message.kind }));
        }
        let is_variable = |symbol: SymbolId| body.symbol(symbol).class == SymbolClass::Variable;
        found.retain(|touched| is_variable(touched.region.symbol) && !self.is_own(touched.region.symbol));
        Ok((found, unnamed))
    }

    /// What the statement does is told by its accesses, and by what is used there that has no name here.
    fn check_statement(&self, statement: StatementId, messages: &Messages) -> Result<Vec<Unnamed>, Reason> {
        let Self { facts, procedure, .. } = *self;
        let body = facts.procedure(procedure);
        let kind = &body.statement(statement).kind;
        if kind.expressions().into_iter().any(|expression| evaluates_with_effects(body, expression)) {
            return Err(self.refused_at(statement, "calls a function or follows a pointer behind its first wait,"));
        }
        if !kind.blocks().is_empty() || is_completion(kind) {
            return Ok(Vec::new());
        }
        let effects = facts.effects(procedure, statement);
        if let StatementKind::Call { callee, .. } = kind {
            let posts = messages.posting_calls.contains(&statement);
            let reach = match callee {
                Callee::Procedure(callee) => reach_of_call(facts, (procedure, *callee), messages, posts),
                _ => Err("is not given".to_owned()),
            };
            return match reach {
                _ if effects.everything.is_some() => {
                    Err(self.refused_at(statement, "calls what may do anything behind its first wait,"))
                }
                Ok(unnamed) => Ok(unnamed),
                Err(why) => {
                    let called = match callee {
                        Callee::Procedure(callee) => format!("`{}`", facts.procedure(*callee).name),
                        _ => "a procedure".to_owned(),
                    };
                    Err(self.refused_at(statement, &format!("calls {called} behind its first wait, which {why},")))
                }
            };
        }
        match effects.everything.is_some() || effects.hidden_state.is_some() {
            true => Err(self.refused_at(statement, "does something that is not known behind its first wait,")),
            false => Ok(Vec::new()),
        }
    }

    /// Is it a variable that begins and ends with a run of the procedure?
    pub fn is_own(&self, symbol: SymbolId) -> bool {
        let body = self.facts.procedure(self.procedure);
        let holder = body.holder_of(symbol);
        body.symbol(holder).storage == Storage::Local && !body.dummies.contains(&holder)
    }

    /// May the value change behind where a declaration or a condition is evaluated first?
    fn may_change(&self, symbol: SymbolId) -> bool {
        let Self { facts, procedure, parts } = *self;
        let body = facts.procedure(procedure);
        let is_own = self.is_own(symbol);
        let all = || parts.begin.iter().chain(&parts.end);
        // A variable of its own has its value in front of the conditions that need it, if it has one.
        let conditions = parts.conditions(body);
        let first_use = conditions.iter().map(|condition| condition.span.start).min().unwrap_or(0);
        let counts = |id: &&StatementId| !is_own || body.statement(**id).span.end > first_use;
        all().filter(counts).any(|&id| facts.effects(procedure, id).writes_symbol(body, symbol).is_some())
    }

    /// What declarations and conditions evaluate is evaluated by both parts: nothing of it may change.
    pub fn read_at_entry(&self) -> Result<Vec<Touched>, Reason> {
        let Self { facts, procedure, parts } = *self;
        let body = facts.procedure(procedure);
        let mut found = Vec::new();
        let conditions = parts.conditions(body);
        let evaluated = body.evaluated_at_entry.iter().chain(conditions);
        let evaluated: Vec<&Expression> = evaluated.collect();
        let is_pointer =
            |part: &Expression| part.designated().is_some_and(|symbol| body.symbol(symbol).storage == Storage::Pointer);
        if let Some(part) = evaluated.iter().find(|it| evaluates_with_effects(body, it) || it.any(&is_pointer)) {
            return Err(self.refused(part.span, "evaluates in both of its parts what may not be the same twice"));
        }
        for part in evaluated.into_iter().flat_map(Expression::walk) {
            let variable = |symbol: &SymbolId| body.symbol(*symbol).class == SymbolClass::Variable;
            let Some(symbol) = part.designated().filter(variable) else { continue };
            if self.may_change(symbol) {
                let name = &body.symbol(symbol).name;
                return Err(self.refused(part.span, &format!("changes `{name}`, which both of its parts evaluate")));
            }
            // One of its own is handed over.
            if self.is_own(symbol) {
                continue;
            }
            found.push(Touched { region: Region::whole(symbol), kind: AccessKind::Read });
        }
        Ok(found)
    }
}

/// Why a procedure with the same arguments could not be called wherever this one is, as the end of a sentence that begins with its name:
/// who calls an external one need not know its interface, and some arguments demand that.
pub fn interface_obstacle(facts: &Facts, procedure: ProcedureId) -> Option<String> {
    let body = facts.procedure(procedure);
    if facts.program.module_around(procedure).is_some() {
        return None;
    }
    let needs_interface = |dummy: &SymbolId| {
        let dummy = body.symbol(*dummy);
        dummy.assumes_shape() || dummy.storage != Storage::Dummy || dummy.target || dummy.volatile
    };
    let head = Span { end: body.anchors.declarations.max(body.span.start), ..body.span };
    let has_optional = facts.program.text(head).to_ascii_lowercase().contains("optional");
    (has_optional || body.dummies.iter().any(needs_interface))
        .then(|| "needs an explicit interface and is in no module".to_owned())
}
