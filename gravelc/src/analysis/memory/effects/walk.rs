//! Walks through statements in order, following the values of subscripts, and collects the effects.

use crate::analysis::algebra::symbolic::evaluate;
use crate::analysis::memory::arrays::{Layouts, Progression};
use crate::analysis::memory::message::region_of_message;
use crate::analysis::memory::overrun::{beside, runs_beyond};
use crate::ir::{
    Block, Certainty, Expression, ExpressionKind, Loop, Polynomial, Procedure, ProcedureId, Program, Region, Scope,
    Shape, Span, StatementId, StatementKind, SymbolId,
};

use super::beyond::reaches_beyond;
use super::environment::{Environment, iteration_symbol};
use super::event::{Event, Touched, events_of};
use super::footprint::{Footprint, is_target, may_be_in};
use super::loop_aggregation::{Iterations, over_loop};
use super::summary::Summaries;
use super::translation::Caller;
use super::{Access, AccessKind, Effects, External, HiddenState, Leave};
use crate::analysis::memory::sharing::is_reachable;

/// The effects of statements that follow one another in one block.
pub(super) fn effects_of_block(program: &Program, procedure: ProcedureId, block: &[StatementId]) -> Effects {
    effects_with(&Summaries::new(program), program.procedure(procedure), block)
}

/// [`effects_of_block`], with what is known of called procedures.
pub(in crate::analysis) fn effects_with<'a>(
    summaries: &Summaries<'a>,
    procedure: &'a Procedure,
    block: &[StatementId],
) -> Effects {
    let mut walk = Walk::new(summaries, procedure);
    walk.is_unstructured = walk.has_jumps_inside(block);
    walk.block(block);
    walk.effects
}

/// The effects of one iteration of the loop `of`, from the first to the last statement of its body: a CYCLE of the loop is
/// an early end of the iteration, an EXIT leaves it.
pub fn effects_of_iteration(program: &Program, procedure: ProcedureId, of: StatementId, body: &Block) -> Effects {
    let summaries = Summaries::new(program);
    let mut walk = Walk::new(&summaries, program.procedure(procedure));
    walk.is_unstructured = walk.has_jumps_inside(body);
    walk.iteration_of = Some(of);
    walk.block(body);
    walk.effects
}

/// A compound statement that the walk is inside of.
struct Surrounding {
    statement: StatementId,
    /// What follows in it may be skipped, because something before it ends it or its iteration.
    is_cut: bool,
    /// Something in it may end it before its time.
    is_left: bool,
}

struct Walk<'a, 's> {
    procedure: &'a Procedure,
    summaries: &'s Summaries<'a>,
    layouts: Layouts<'a>,
    environment: Environment,
    effects: Effects,
    /// From the outermost to the innermost.
    surroundings: Vec<Surrounding>,
    /// Number of branches around that may not be taken.
    conditions: usize,
    /// Number of loop variables that have been given a symbol of their own.
    iteration_symbols: usize,
    /// Control may jump about in the statements: values can't be followed and nothing is certain.
    is_unstructured: bool,
    /// The loop of which one iteration is looked at.
    iteration_of: Option<StatementId>,
    /// A CYCLE of that loop may have ended the iteration.
    is_iteration_cut: bool,
}

impl<'a, 's> Walk<'a, 's> {
    fn new(summaries: &'s Summaries<'a>, procedure: &'a Procedure) -> Self {
        Self {
            procedure,
            summaries,
            layouts: Layouts::new(procedure),
            environment: Environment::default(),
            effects: Effects::default(),
            surroundings: Vec::new(),
            conditions: 0,
            iteration_symbols: 0,
            is_unstructured: false,
            iteration_of: None,
            is_iteration_cut: false,
        }
    }

    /// Can control jump from one place in the block to another, or come in behind its beginning?
    fn has_jumps_inside(&self, block: &[StatementId]) -> bool {
        let all: Vec<StatementId> =
            block.iter().flat_map(|&statement| self.procedure.with_descendants(statement)).collect();
        let begins_at_target = block.first().is_some_and(|&first| self.procedure.statement(first).jump_target);
        all.iter().any(|&id| {
            let statement = self.procedure.statement(id);
            let may_jump = matches!(
                statement.kind,
                StatementKind::Jump
                    | StatementKind::Exit(None)
                    | StatementKind::Cycle(None)
                    | StatementKind::InputOutput { may_leave: true, .. }
                    | StatementKind::Opaque(_)
            );
            (statement.jump_target && Some(&id) != block.first()) || (begins_at_target && may_jump)
        })
    }

    fn block(&mut self, block: &[StatementId]) {
        for &statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, id: StatementId) {
        let procedure = self.procedure;
        match &procedure.statement(id).kind {
            StatementKind::Loop(counted) => self.counted_loop(id, counted),
            StatementKind::While { body, .. } => self.while_loop(id, body),
            StatementKind::If { arms, otherwise, .. } => {
                let blocks: Vec<&[StatementId]> =
                    arms.iter().map(|arm| &arm.body).chain(otherwise).map(Vec::as_slice).collect();
                self.branches(id, &blocks, otherwise.is_some());
            }
            StatementKind::Select { cases, .. } => {
                let blocks: Vec<&[StatementId]> = cases.iter().map(Vec::as_slice).collect();
                self.branches(id, &blocks, false);
            }
            StatementKind::Scope(scope) => self.scope(id, scope),
            StatementKind::Assign { target, value, .. } => {
                let stored = self.value(value);
                self.own_events(id);
                self.assign(target, stored);
            }
            StatementKind::Exit(target) => self.jump(id, *target, false),
            StatementKind::Cycle(target) => self.jump(id, *target, true),
            _ => self.own_events(id),
        }
    }

    fn own_events(&mut self, id: StatementId) {
        for event in events_of(self.procedure, self.summaries, id) {
            self.event(id, event);
        }
    }

    fn value(&self, expression: &Expression) -> Option<Polynomial> {
        evaluate(self.procedure, expression, &|symbol| self.value_of(symbol))
    }

    fn value_of(&self, symbol: SymbolId) -> Option<Polynomial> {
        if self.is_unstructured { None } else { self.environment.value_of(symbol) }
    }

    /// An assignment has been done; its store is among the events already.
    fn assign(&mut self, target: &Expression, value: Option<Polynomial>) {
        if let ExpressionKind::Symbol(symbol) = target.kind
            && self.procedure.symbol(symbol).is_integer_scalar()
        {
            self.environment.set(symbol, value);
        }
    }

    fn event(&mut self, statement: StatementId, event: Event) {
        match event {
            Event::Access { place, kind, certainty, span } => self.access(statement, place, kind, certainty, span),
            Event::Everything { private_too } => {
                self.effects.everything.get_or_insert(statement);
                let procedure = self.procedure;
                self.environment.forget_where(procedure, |symbol| private_too || is_reachable(procedure, symbol));
            }
            Event::External(kind) => {
                let external = External { statement, kind };
                if external.kind.is_hidden() {
                    self.effects.hidden_external.get_or_insert_with(|| external.clone());
                }
                self.effects.external.get_or_insert(external);
            }
            Event::HiddenState { callee } => {
                self.effects.hidden_state.get_or_insert(HiddenState { statement, callee });
            }
            Event::Leave { why, for_good } => {
                if !for_good {
                    self.effects.goes_elsewhere.get_or_insert_with(|| Leave { statement, why: why.clone() });
                }
                self.effects.leaves.get_or_insert(Leave { statement, why });
            }
        }
    }

    /// Control goes elsewhere in the procedure.
    fn leave(&mut self, statement: StatementId, why: String) {
        self.effects.goes_elsewhere.get_or_insert_with(|| Leave { statement, why: why.clone() });
        self.effects.leaves.get_or_insert(Leave { statement, why });
    }

    fn access(&mut self, statement: StatementId, place: Touched, kind: AccessKind, certainty: Certainty, span: Span) {
        let (region, is_exact) = match place {
            Touched::Whole(symbol) => (Region::whole(symbol), false),
            Touched::Beside(member) => return self.access_beside(statement, member, kind, span),
            Touched::Message(message) => {
                let values = |symbol| self.value_of(symbol);
                match (region_of_message(&self.layouts, message, &values), message.buffer.designated()) {
                    (Ok(region), _) => (region, false),
                    (Err(_), Some(symbol)) => (Region::whole(symbol), false),
                    (Err(_), None) => return,
                }
            }
            Touched::Designator(expression) => {
                let values = |symbol| self.value_of(symbol);
                match (self.layouts.region_of(expression, &values), expression.designated()) {
                    (Some(found), _) => found,
                    (None, Some(symbol)) => (Region::whole(symbol), false),
                    (None, None) => return,
                }
            }
            Touched::Handed { call, access } => {
                let values = |symbol| self.value_of(symbol);
                let in_caller = Caller { layouts: &self.layouts, summaries: self.summaries, value_of: &values };
                match in_caller.region(call, access) {
                    Some(found) => found,
                    None => return,
                }
            }
            Touched::Object(object) => {
                let symbols = (0..self.procedure.symbols.len()).map(SymbolId);
                for symbol in symbols.filter(|&symbol| may_be_in(self.procedure, symbol, object)) {
                    self.access(statement, Touched::Whole(symbol), kind, certainty, span);
                }
                return;
            }
            Touched::Targets => {
                let symbols = (0..self.procedure.symbols.len()).map(SymbolId);
                for symbol in symbols.filter(|&symbol| is_target(self.procedure, symbol)) {
                    self.access(statement, Touched::Whole(symbol), kind, certainty, span);
                }
                return;
            }
        };
        let values = |symbol| self.value_of(symbol);
        let in_caller = Caller { layouts: &self.layouts, summaries: self.summaries, value_of: &values };
        if reaches_beyond(&in_caller, place, &region) {
            self.access_beside(statement, region.symbol, kind, span);
        }
        let is_scalar = self.procedure.symbol(region.symbol).shape == Shape::Scalar;
        let is_exposed = kind == AccessKind::Read && !(is_scalar && self.environment.is_written(region.symbol));
        if kind == AccessKind::Write {
            self.environment.forget(self.procedure, region.symbol);
            if is_scalar && certainty == Certainty::Must && is_exact && !self.is_unstructured {
                self.environment.note_written(region.symbol);
            }
        }
        let is_certain = certainty == Certainty::Must && is_exact && self.is_certain_here();
        let certainty = if is_certain { Certainty::Must } else { Certainty::May };
        self.effects.accesses.push(Access { region, kind, certainty, is_exposed, statement, span });
    }

    /// What lies beside a member of a COMMON block, with a name here or without, is touched.
    fn access_beside(&mut self, statement: StatementId, member: SymbolId, kind: AccessKind, span: Span) {
        let block = self.procedure.symbol(member).storage.common_block().map(str::to_owned);
        match kind {
            AccessKind::Read => self.effects.blocks_read.extend(block),
            AccessKind::Write => self.effects.blocks_written.extend(block),
        }
        for other in beside(self.procedure, member) {
            self.access(statement, Touched::Whole(other), kind, Certainty::May, span);
        }
    }

    /// Is what comes next executed whenever the statements that are looked at run to their end (for loops around: in each
    /// of their iterations)?
    fn is_certain_here(&self) -> bool {
        self.conditions == 0
            && !self.is_unstructured
            && !self.is_iteration_cut
            && !self.surroundings.iter().any(|surrounding| surrounding.is_cut)
    }

    /// EXIT or CYCLE.
    fn jump(&mut self, id: StatementId, target: Option<StatementId>, is_cycle: bool) {
        let Some(target) = target else {
            self.leave(id, "a jump out of or within a loop that could not be identified".to_owned());
            self.cut_all();
            return;
        };
        let Some(position) = self.surroundings.iter().position(|surrounding| surrounding.statement == target) else {
            if is_cycle && self.iteration_of == Some(target) {
                self.is_iteration_cut = true;
                self.cut_all();
            } else {
                let what = if is_cycle { "starts the next iteration of" } else { "leaves" };
                let is_loop = !matches!(self.procedure.statement(target).kind, StatementKind::Scope(_));
                self.leave(id, format!("it {what} a {} around", if is_loop { "loop" } else { "block" }));
            }
            return;
        };
        for (index, surrounding) in self.surroundings.iter_mut().enumerate().skip(position) {
            surrounding.is_cut = true;
            surrounding.is_left |= index > position || !is_cycle;
        }
    }

    fn cut_all(&mut self) {
        for surrounding in &mut self.surroundings {
            surrounding.is_cut = true;
            surrounding.is_left = true;
        }
    }

    fn enter(&mut self, statement: StatementId) {
        self.surroundings.push(Surrounding { statement, is_cut: false, is_left: false });
    }

    /// Says whether something inside may have ended the compound statement before its time.
    fn come_out(&mut self) -> bool {
        self.surroundings.pop().is_some_and(|surrounding| surrounding.is_left)
    }

    /// What a compound statement with all that it holds may touch.
    fn footprint(&self, statement: StatementId) -> Footprint {
        Footprint::of(self.procedure, self.summaries, self.procedure.with_descendants(statement))
    }

    fn forget(&mut self, footprint: &Footprint) {
        let procedure = self.procedure;
        self.environment.forget_where(procedure, |symbol| footprint.may_write(procedure, symbol));
    }

    fn demote_since(&mut self, first: usize) {
        for access in &mut self.effects.accesses[first..] {
            access.certainty = Certainty::May;
        }
    }

    /// The conditions are evaluated before the branches.
    fn branches(&mut self, id: StatementId, blocks: &[&[StatementId]], is_complete: bool) {
        self.own_events(id);
        self.enter(id);
        self.conditions += 1;
        let before = self.environment.clone();
        let entry = before.clone();
        let mut after = (!is_complete).then(|| before.clone());
        for block in blocks {
            self.environment = before.clone();
            self.block(block);
            match &mut after {
                Some(after) => after.join(&self.environment),
                None => after = Some(self.environment.clone()),
            }
        }
        self.environment = after.unwrap_or(before);
        self.conditions -= 1;
        if self.come_out() {
            let footprint = self.footprint(id);
            self.forget(&footprint);
            self.environment.restore_written(&entry);
        }
    }

    fn scope(&mut self, id: StatementId, scope: &Scope) {
        self.own_events(id);
        self.enter(id);
        let entry = self.environment.clone();
        self.block(&scope.body);
        if self.come_out() {
            let footprint = self.footprint(id);
            self.forget(&footprint);
            self.environment.restore_written(&entry);
        }
    }

    fn while_loop(&mut self, id: StatementId, body: &Block) {
        let footprint = self.footprint(id);
        self.forget(&footprint);
        let first = self.effects.accesses.len();
        self.own_events(id);
        self.enter(id);
        self.conditions += 1;
        let before = self.environment.clone();
        self.block(body);
        self.environment = before;
        self.conditions -= 1;
        self.come_out();
        self.demote_since(first);
    }

    fn counted_loop(&mut self, id: StatementId, counted: &Loop) {
        let bounds = self.bounds(counted);
        self.own_events(id);
        let body_footprint = {
            let inner = counted.body.iter().flat_map(|&inner| self.procedure.with_descendants(inner));
            Footprint::of(self.procedure, self.summaries, inner)
        };
        self.forget(&body_footprint);
        let is_regular = self.procedure.symbol(counted.variable).is_integer_scalar()
            && !self.procedure.symbol(counted.variable).volatile
            && !body_footprint.may_write(self.procedure, counted.variable);
        let variable = iteration_symbol(self.procedure, self.iteration_symbols);
        self.iteration_symbols += 1;
        let iterations = bounds.filter(|_| is_regular && !self.is_unstructured).map(|(first, values)| Iterations {
            variable,
            first,
            values,
        });
        self.environment.set(counted.variable, is_regular.then(|| Polynomial::variable(variable)));
        let first = self.effects.accesses.len();
        self.enter(id);
        let before = self.environment.clone();
        self.block(&counted.body);
        self.environment = before;
        self.environment.set(counted.variable, None);
        if self.come_out() {
            self.demote_since(first);
        }
        let mut beyond = Vec::new();
        for access in &mut self.effects.accesses[first..] {
            let (region, is_exact) = over_loop(&access.region, variable, iterations.as_ref());
            if region != access.region && runs_beyond(&self.layouts, &region) {
                beyond.push((access.statement, region.symbol, access.kind, access.span));
            }
            access.region = region;
            if !is_exact {
                access.certainty = Certainty::May;
            }
        }
        for (statement, member, kind, span) in beyond {
            self.access_beside(statement, member, kind, span);
        }
    }

    fn bounds(&self, counted: &Loop) -> Option<(Polynomial, Progression)> {
        let first = self.value(&counted.lower)?;
        let last = self.value(&counted.upper)?;
        let step = match &counted.step {
            Some(step) => self.value(step)?.as_constant()?,
            None => 1,
        };
        let values = Progression::new(&first, &last, step)?;
        Some((first, values))
    }
}
