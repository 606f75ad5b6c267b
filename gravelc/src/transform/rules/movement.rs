//! How far an operation can move through the statements around it (contract, rules 1, 2, 4 and 6).

use std::collections::BTreeSet;

use crate::analysis::algebra::prover::Assumptions;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::{Access, AccessKind, Effects, External, ExternalKind};
use crate::analysis::memory::repeatable::values_needed;
use crate::analysis::messages::datatypes::committed_in;
use crate::ir::{Expression, Line, Message, Procedure, ProcedureId, Span, StatementId, StatementKind, SymbolId};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::footprint::Footprint;

/// What moves are made through: one procedure and what is known about it.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The answers about the program.
    pub facts: &'a Facts<'a>,
    /// The procedure.
    pub procedure: ProcedureId,
}

impl<'a> Surroundings<'a> {
    /// The procedure's contents.
    pub fn body(&self) -> &'a Procedure {
        self.facts.procedure(self.procedure)
    }

    /// The effects of a statement of the procedure.
    pub fn effects(&self, statement: StatementId) -> &'a Effects {
        self.facts.effects(self.procedure, statement)
    }

    /// The 1-based line of a statement.
    pub fn line(&self, statement: StatementId) -> Line {
        self.line_of(self.body().statement(statement).span)
    }

    /// The 1-based line of a span.
    pub fn line_of(&self, span: Span) -> Line {
        self.facts.program.line_named(span)
    }

    /// Why the operation can't pass the statement as far as data and control are concerned; `None` if it can.
    pub fn obstacle(&self, statement: StatementId, footprint: &Footprint) -> Option<Reason> {
        self.obstacle_but(statement, footprint, &|_| false)
    }

    /// A declaration in the middle of a block (C) because of which the names in the operation's text would mean something else
    /// on the other side of the statement, or nothing: the statement, or one behind it of what the operation needs.
    pub fn change_of_names(&self, statement: StatementId, footprint: &Footprint) -> Option<Reason> {
        let body = self.body();
        let place = body.statement(statement).span;
        if Clause::NamesKeepMeaning.is_off() {
            return None;
        }
        if let Some(reason) = self.change_of_names_in(statement) {
            return Some(reason);
        }
        footprint.named().filter(|symbol| symbol.0 < body.symbols.len()).find_map(|symbol| {
            let symbol = body.symbol(symbol);
            let declaration = symbol.declaration?;
            let is_behind = declaration.file == place.file && declaration.start > place.start;
            is_behind.then(|| {
                // What a pointer leads to is declared with it.
                let name = symbol.name.trim_start_matches('*');
                let message =
                    format!("`{name}`, which the call needs, is declared at line {}", self.line_of(declaration));
                Reason::at(ReasonCode::NameTaken, declaration, message)
            })
        })
    }

    /// Some name means something else behind the statement than in front of it.
    pub fn change_of_names_in(&self, statement: StatementId) -> Option<Reason> {
        let found = self.body().statement(statement);
        (found.changes_names && !Clause::NamesKeepMeaning.is_off()).then(|| {
            let line = self.line_of(found.span);
            Reason::at(ReasonCode::NameTaken, found.span, format!("what names mean changes at line {line}"))
        })
    }

    /// [`Surroundings::obstacle`] for an operation of which more is known than its footprint says: accesses to other memory than
    /// its buffer's are those for which `is_elsewhere` holds.
    pub fn obstacle_but(
        &self,
        statement: StatementId,
        footprint: &Footprint,
        is_elsewhere: &dyn Fn(&Access) -> bool,
    ) -> Option<Reason> {
        let body = self.body();
        if let Some(reason) = self.change_of_names(statement, footprint) {
            return Some(reason);
        }
        let effects = self.effects(statement);
        if let Some(culprit) = effects.everything {
            let span = body.statement(culprit).span;
            let line = self.line_of(span);
            return Some(Reason::at(
                ReasonCode::AccessInBetween,
                span,
                format!("the statement at line {line} may read and write anything"),
            ));
        }
        if let Some(leave) = &effects.leaves
            && !Clause::ControlStays.is_off()
        {
            let span = body.statement(leave.statement).span;
            let message = format!("control may leave at line {}: {}", self.line_of(span), leave.why);
            return Some(Reason::at(ReasonCode::ControlInBetween, span, message));
        }
        let assumptions = Assumptions::new();
        let (buffer, conflicts) = (&footprint.buffer, &footprint.conflicts);
        if let Some(access) = effects.first_access_but(body, buffer, conflicts, &assumptions, is_elsewhere)
            && !Clause::BufferUntouched.is_off()
        {
            let verb = match access.kind {
                AccessKind::Read => "read",
                AccessKind::Write => "written",
            };
            let name = &body.symbol(footprint.buffer.symbol).name;
            let line = self.line_of(access.span);
            let message = format!("the message's memory in `{name}` may be {verb} at line {line}");
            return Some(self.access_reason(access, footprint.buffer.symbol, message));
        }
        // Most statements are in nobody's way: the variables are put in order only where one is.
        let is_in_the_way = footprint.mentioned().any(|symbol| effects.writes_symbol(body, symbol).is_some());
        let fixed = if is_in_the_way { footprint.fixed_values() } else { BTreeSet::new() };
        for symbol in fixed {
            if let Some(access) = effects.writes_symbol(body, symbol)
                && !Clause::ArgumentsUnchanged.is_off()
            {
                let name = &body.symbol(symbol).name;
                let line = self.line_of(access.span);
                let message = format!("`{name}`, which the call needs, may change at line {line}");
                return Some(self.access_reason(access, symbol, message));
            }
        }
        for output in &footprint.outputs {
            let both = [AccessKind::Read, AccessKind::Write];
            if let Some(access) = effects.first_access(body, output, &both, &assumptions)
                && !Clause::OutputsUnused.is_off()
            {
                let name = &body.symbol(output.symbol).name;
                let line = self.line_of(access.span);
                let message = format!("`{name}`, which the call sets, is used at line {line}");
                return Some(self.access_reason(access, output.symbol, message));
            }
        }
        None
    }

    /// Why the message's post can't go above the statement although it names nothing of the message: its datatype may be committed there.
    pub fn commit_obstacle(&self, statement: StatementId, message: &Message) -> Option<Reason> {
        let site = SiteId { procedure: self.procedure, statement };
        let commit = committed_in(self.facts, site, message)?;
        let span = self.facts.procedure(commit.procedure).statement(commit.statement).span;
        let text = self.facts.program.text(message.datatype.handle.span);
        let message = format!("the datatype `{text}` may be committed at line {}", self.line_of(span));
        Some(Reason::at(ReasonCode::AccessInBetween, span, message))
    }

    /// The reason for an access that is in the way of `named`: where it is by another name, the call that makes the two one place.
    pub fn access_reason(&self, access: &Access, named: SymbolId, message: String) -> Reason {
        let body = self.body();
        let other = body.holder_of(access.region.symbol);
        let Some(call) = body.aliases.call_that_joins(other, body.holder_of(named)) else {
            return Reason::at(ReasonCode::AccessInBetween, access.span, message);
        };
        let place = match call.file == access.span.file {
            true => format!("line {}", self.line_of(call)),
            false => format!("{}:{}", self.facts.program.path_of(call).display(), self.facts.program.line(call)),
        };
        let other = &body.symbol(other).name;
        let message = format!("{message}, by the name `{other}`: the call at {place} hands the same memory over");
        Reason::at(ReasonCode::ArgumentsShareMemory, access.span, message)
    }

    /// An effect of the statement that others can see (input or output, communication, …), if it has one.
    pub fn visible_effect(&self, statement: StatementId) -> Option<Reason> {
        Some(self.effect_reason(self.effects(statement).external.as_ref()?))
    }

    fn effect_reason(&self, external: &External) -> Reason {
        let span = self.body().statement(external.statement).span;
        let line = self.line_of(span);
        let what = match &external.kind {
            ExternalKind::InputOutput => "input or output".to_string(),
            ExternalKind::Communication => "a call of MPI".to_string(),
            ExternalKind::UnknownProcedure(name) => {
                format!("a call of `{name}`, which is not among the given files,")
            }
            ExternalKind::Procedure(name) => {
                format!("a call of `{name}`, which has an effect that others can see,")
            }
            ExternalKind::Volatile => "an access to a VOLATILE variable".to_string(),
            ExternalKind::Opaque => "a statement that could not be understood".to_string(),
        };
        Reason::at(ReasonCode::EffectInBetween, span, format!("{what} at line {line} must keep its place"))
    }

    /// Why no operation can pass the statement because its effect can't be seen from here: a procedure with effects, or
    /// something that is not understood.
    pub fn hidden_effect(&self, statement: StatementId) -> Option<Reason> {
        Some(self.effect_reason(self.effects(statement).hidden_external.as_ref()?))
    }

    /// Control may jump to the statement from elsewhere, past whatever is inserted before it.
    pub fn jump_into(&self, statement: StatementId) -> Option<Reason> {
        let found = self.body().statement(statement);
        found.jump_target.then(|| {
            let line = self.line_of(found.span);
            Reason::at(ReasonCode::ControlInBetween, found.span, format!("control may jump to line {line}"))
        })
    }

    /// Would the statement hide communication: is there computation in it, or a call of MPI that waits for a message?
    pub fn is_work(&self, statement: StatementId) -> bool {
        let site = SiteId { procedure: self.procedure, statement };
        self.facts.computes(site) || self.facts.waits_for_messages(site)
    }

    /// Does the program itself have work between the non-blocking operation `site` and its wait? Where the wait is not in
    /// sight, it does.
    pub fn is_overlapped(&self, site: SiteId) -> bool {
        let Some(request) = self.facts.communication(site).and_then(|found| found.begun_request()?.designated()) else {
            return false;
        };
        let body = self.body();
        let completes = |statement: StatementId| match &body.statement(statement).kind {
            StatementKind::Communication(found) => {
                found.completed_requests().and_then(Expression::designated) == Some(request)
            }
            _ => false,
        };
        let may_complete = |statement: StatementId| match &body.statement(statement).kind {
            StatementKind::Communication(found) => {
                found.possibly_completed_requests().and_then(Expression::designated) == Some(request)
            }
            _ => false,
        };
        let mut current = site.statement;
        loop {
            let (block, index) = body.siblings(current);
            for &next in &block[index + 1..] {
                let inner = body.with_descendants(next);
                if inner.iter().copied().any(completes) {
                    return false;
                }
                // A loop of tests, or of waits for any, overlaps what else is done in it.
                if inner.iter().copied().any(may_complete) {
                    let holds_work = |&id: &StatementId| {
                        body.statement(id).kind.blocks().is_empty()
                            && !matches!(body.statement(id).kind, StatementKind::Communication(_))
                            && self.is_work(id)
                    };
                    let is_other_loop = |&id: &StatementId| {
                        matches!(body.statement(id).kind, StatementKind::Loop(_) | StatementKind::While { .. })
                            && !body.with_descendants(id).into_iter().any(may_complete)
                    };
                    return inner.iter().any(|id| holds_work(id) || is_other_loop(id));
                }
                if self.is_work(next) {
                    return true;
                }
            }
            match body.statement(current).parent {
                Some(parent)
                    if matches!(body.statement(parent).kind, StatementKind::If { .. } | StatementKind::Scope(_)) =>
                {
                    current = parent;
                }
                _ => return true,
            }
        }
    }

    /// Can lines be inserted just before the statement?
    pub fn has_room_before(&self, statement: StatementId) -> bool {
        self.body().has_room_around(statement) && !self.is_inside_one_line_if(statement)
    }

    /// Can lines be inserted just after the statement, inside the block that holds it?
    pub fn has_room_after(&self, statement: StatementId) -> bool {
        let body = self.body();
        let ends_with_parent = body
            .statement(statement)
            .parent
            .is_some_and(|parent| body.statement(parent).span.end <= body.statement(statement).span.end);
        body.has_room_around(statement) && !ends_with_parent
    }

    /// Why the loop is not cut: a hint to a compiler says how to compile it as a whole.
    pub fn hint_above(&self, statement: StatementId) -> Option<Reason> {
        let found = self.body().statement(statement);
        let offset = found.hint?;
        let line = self.line_of(Span { start: offset, end: offset, ..found.span });
        let message = format!("the hint to a compiler at line {line} is for the loop as a whole");
        Some(Reason::at(ReasonCode::CompilerHint, found.span, message))
    }

    /// Is the statement the one that an IF on one line governs?
    pub fn is_inside_one_line_if(&self, statement: StatementId) -> bool {
        let body = self.body();
        body.statement(statement)
            .parent
            .is_some_and(|parent| matches!(body.statement(parent).kind, StatementKind::If { one_line: true, .. }))
    }

    /// The IF statement whose first branch begins with `statement`, with the variables of its condition, if the
    /// condition can be evaluated again elsewhere.
    pub fn guard_of(&self, statement: StatementId) -> Option<(StatementId, BTreeSet<SymbolId>)> {
        let body = self.body();
        let parent = body.statement(statement).parent?;
        let StatementKind::If { arms, .. } = &body.statement(parent).kind else {
            return None;
        };
        let first = arms.first()?;
        if !first.body.contains(&statement) || self.change_of_names_in(parent).is_some() {
            return None;
        }
        let symbols = values_needed(self.facts, self.procedure, &[&first.condition]).ok()?;
        symbols.iter().all(|&symbol| !body.symbol(symbol).volatile).then_some((parent, symbols))
    }
}
