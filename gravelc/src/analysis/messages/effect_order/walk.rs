//! The effects that are pending, followed through the statements of all procedures.

use std::collections::BTreeMap;

use super::rank::is_rank_in_world;
use super::{Ordering, Processes, ordering};
use crate::analysis::facts::Facts;
use crate::analysis::memory::effects::ExternalKind;
use crate::ir::{
    BinaryOperator, Block, Callee, Communication, Expression, ExpressionKind, Loop, ProcedureId, ProcedureKind,
    Statement, StatementId, StatementKind,
};

/// What is pending at a place of a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pending {
    /// What was pending where the walk over the procedure began still is.
    is_passed_on: bool,
    /// What the procedure itself, and those that it calls, have done since.
    own: Processes,
}

impl Pending {
    /// Nothing, whatever was pending at the beginning.
    const NOTHING: Self = Self { is_passed_on: false, own: Processes::Nobody };
    /// What was pending at the beginning.
    const BEGINNING: Self = Self { is_passed_on: true, own: Processes::Nobody };

    fn with(self, other: Self) -> Self {
        Self { is_passed_on: self.is_passed_on || other.is_passed_on, own: self.own.with(other.own) }
    }

    fn with_effect_of(self, processes: Processes) -> Self {
        Self { own: self.own.with(processes), ..self }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Effects that came before.
    Forwards,
    /// Effects that come behind.
    Backwards,
}

/// A construct that is being walked over, with what leaves it early.
struct Frame {
    statement: StatementId,
    is_loop: bool,
    /// Forwards: what EXIT brings behind it. Backwards: what comes behind it.
    behind: Pending,
    /// Forwards: what CYCLE brings to the next iteration. Backwards: what comes from the beginning of an iteration on.
    next: Pending,
}

/// The effects that are pending, in one direction.
pub(super) struct Walk<'f, 'p> {
    facts: &'f Facts<'p>,
    direction: Direction,
    /// Where the walk over a procedure begins: what is pending there, and who calls it.
    begin: BTreeMap<ProcedureId, (Processes, Option<Processes>)>,
    /// What is pending where it ends.
    end: BTreeMap<ProcedureId, Pending>,
    /// What is pending at calls that hand an order on.
    at_messages: Processes,
    /// Something changed since the last round.
    changed: bool,
    /// Something notices the order by itself.
    is_noticed: bool,
    /// Of the procedure that is being walked over.
    procedure: ProcedureId,
    /// What is pending where the walk over it began.
    at_begin: Processes,
    frames: Vec<Frame>,
    /// What RETURN brings to its end, or finds behind it.
    returned: Pending,
    /// Jumps: no state can be taken back.
    only_grows: bool,
    /// Who executes the statement.
    who: Processes,
}

impl<'f, 'p> Walk<'f, 'p> {
    /// What is pending at messages; `None` if something notices their order by itself.
    pub fn over(facts: &'f Facts<'p>, direction: Direction) -> Option<Processes> {
        let mut walk = Self {
            facts,
            direction,
            begin: BTreeMap::new(),
            end: BTreeMap::new(),
            at_messages: Processes::Nobody,
            changed: true,
            is_noticed: false,
            procedure: ProcedureId(0),
            at_begin: Processes::Nobody,
            frames: Vec::new(),
            returned: Pending::NOTHING,
            only_grows: false,
            who: Processes::Several,
        };
        for (id, procedure) in facts.program.procedures() {
            if procedure.kind == ProcedureKind::Main {
                walk.begin.insert(id, (Processes::Nobody, Some(Processes::Several)));
            } else if !facts.calls_are_known(id) {
                walk.begin.insert(id, (Processes::Several, Some(Processes::Several)));
            }
        }
        while std::mem::take(&mut walk.changed) {
            let known: Vec<ProcedureId> = walk.begin.keys().copied().collect();
            for procedure in known {
                walk.walk_procedure(procedure);
            }
            if walk.is_noticed {
                return None;
            }
        }
        Some(walk.at_messages)
    }

    fn walk_procedure(&mut self, id: ProcedureId) {
        let body = self.facts.procedure(id);
        let (at_begin, who) = self.begin[&id];
        let jumps = |statement: &Statement| {
            statement.jump_target || matches!(statement.kind, StatementKind::Jump | StatementKind::Opaque(_))
        };
        self.procedure = id;
        self.at_begin = at_begin;
        self.who = who.unwrap_or(Processes::Several);
        self.only_grows = body.statements.iter().any(jumps);
        self.returned = match self.direction {
            Direction::Forwards => Pending::NOTHING,
            Direction::Backwards => Pending::BEGINNING,
        };
        let mut state = Pending::BEGINNING;
        for part in body.evaluated_at_entry.iter().flat_map(Expression::walk) {
            match &part.kind {
                ExpressionKind::Call { callee: Callee::Procedure(callee), .. } => {
                    state = self.walk_call(*callee, state)
                }
                ExpressionKind::Call { callee: Callee::Unknown(_), .. } | ExpressionKind::Opaque(_) => {
                    self.is_noticed = true;
                }
                _ => {}
            }
        }
        loop {
            let end = self.walk_block(&body.body, state);
            // With jumps, whatever is pending anywhere may be pending everywhere.
            let wider = if self.only_grows { state.with(end) } else { state };
            if wider == state {
                state = end;
                break;
            }
            state = wider;
        }
        if self.direction == Direction::Forwards {
            state = state.with(self.returned);
        }
        if self.end.insert(id, state) != Some(state) {
            self.changed = true;
        }
    }

    fn walk_block(&mut self, block: &Block, mut state: Pending) -> Pending {
        match self.direction {
            Direction::Forwards => {
                for &statement in block {
                    state = self.walk_statement(statement, state);
                }
            }
            Direction::Backwards => {
                for &statement in block.iter().rev() {
                    state = self.walk_statement(statement, state);
                }
            }
        }
        state
    }

    fn walk_statement(&mut self, id: StatementId, state: Pending) -> Pending {
        // What a statement evaluates comes before what else it does.
        let result = match self.direction {
            Direction::Forwards => {
                let evaluated = self.own_effects(id, state);
                self.walk_inside(id, evaluated)
            }
            Direction::Backwards => {
                let inside = self.walk_inside(id, state);
                self.own_effects(id, inside)
            }
        };
        if self.only_grows { result.with(state) } else { result }
    }

    /// What the statement does besides the evaluation of its expressions.
    fn walk_inside(&mut self, id: StatementId, state: Pending) -> Pending {
        let body = self.facts.procedure(self.procedure);
        let kind = &body.statement(id).kind;
        match kind {
            StatementKind::Loop(Loop { body: block, .. }) | StatementKind::While { body: block, .. } => {
                self.walk_loop(id, block, state)
            }
            StatementKind::Scope(scope) => {
                self.frames.push(Frame { statement: id, is_loop: false, behind: state, next: state });
                if self.direction == Direction::Forwards
                    && let Some(frame) = self.frames.last_mut()
                {
                    frame.behind = Pending::NOTHING;
                }
                let inside = self.walk_block(&scope.body, state);
                let frame = self.frames.pop();
                match self.direction {
                    Direction::Forwards => frame.map_or(inside, |frame| inside.with(frame.behind)),
                    Direction::Backwards => inside,
                }
            }
            StatementKind::If { arms, otherwise, .. } => {
                let mut result = if otherwise.is_none() { state } else { Pending::NOTHING };
                let outside = self.who;
                for (index, arm) in arms.iter().enumerate() {
                    if index == 0
                        && let Some(rank) = self.rank_in(&arm.condition, BinaryOperator::Equal)
                    {
                        self.who = Processes::One(rank);
                    }
                    result = result.with(self.walk_block(&arm.body, state));
                    self.who = outside;
                }
                if let Some(block) = otherwise {
                    if let [arm] = arms.as_slice()
                        && let Some(rank) = self.rank_in(&arm.condition, BinaryOperator::NotEqual)
                    {
                        self.who = Processes::One(rank);
                    }
                    result = result.with(self.walk_block(block, state));
                    self.who = outside;
                }
                result
            }
            StatementKind::Select { cases, .. } => {
                cases.iter().fold(state, |result, case| result.with(self.walk_block(case, state)))
            }
            StatementKind::Exit(target) | StatementKind::Cycle(target) => {
                let is_exit = matches!(kind, StatementKind::Exit(_));
                self.leave(*target, is_exit, state)
            }
            StatementKind::Return => match self.direction {
                Direction::Forwards => {
                    self.returned = self.returned.with(state);
                    state
                }
                Direction::Backwards => self.returned,
            },
            _ => self.walk_leaf(id, kind, state),
        }
    }

    fn walk_loop(&mut self, id: StatementId, block: &Block, state: Pending) -> Pending {
        let mut around = state;
        let mut exits = Pending::NOTHING;
        loop {
            let behind = if self.direction == Direction::Forwards { Pending::NOTHING } else { state };
            let next = if self.direction == Direction::Forwards { Pending::NOTHING } else { around };
            self.frames.push(Frame { statement: id, is_loop: true, behind, next });
            // Conditions are evaluated in each iteration.
            let inside = self.walk_block(block, around);
            let mut wider = around.with(self.own_effects(id, inside));
            if let Some(frame) = self.frames.pop()
                && self.direction == Direction::Forwards
            {
                exits = exits.with(frame.behind);
                wider = wider.with(self.own_effects(id, frame.next));
            }
            if wider == around {
                return around.with(exits);
            }
            around = wider;
        }
    }

    /// EXIT and CYCLE.
    fn leave(&mut self, target: Option<StatementId>, is_exit: bool, state: Pending) -> Pending {
        let found = self.frames.iter_mut().rev().find(|frame| match target {
            Some(target) => frame.statement == target,
            None => frame.is_loop,
        });
        match (found, self.direction) {
            (Some(frame), Direction::Forwards) => {
                let place = if is_exit { &mut frame.behind } else { &mut frame.next };
                *place = place.with(state);
                state
            }
            (Some(frame), Direction::Backwards) => {
                if is_exit {
                    frame.behind
                } else {
                    frame.next
                }
            }
            (None, _) => {
                self.is_noticed = true;
                state
            }
        }
    }

    /// What the expressions of the statement do.
    fn own_effects(&mut self, id: StatementId, state: Pending) -> Pending {
        let body = self.facts.procedure(self.procedure);
        let kind = &body.statement(id).kind;
        let mut state = state;
        for part in kind.expressions().into_iter().flat_map(Expression::walk) {
            state = match &part.kind {
                ExpressionKind::Call { callee: Callee::Procedure(callee), .. } => self.walk_call(*callee, state),
                ExpressionKind::Call { callee: Callee::Unknown(_), .. } | ExpressionKind::Opaque(_) => {
                    state.with_effect_of(self.who)
                }
                _ => state,
            };
        }
        state
    }

    fn walk_leaf(&mut self, id: StatementId, kind: &StatementKind, state: Pending) -> Pending {
        match kind {
            // A wrapper does nothing else.
            StatementKind::Communication(call) => return self.walk_communication(call, state),
            StatementKind::Call { callee: Callee::Procedure(callee), .. } => return self.walk_call(*callee, state),
            StatementKind::Opaque(_) => self.is_noticed = true,
            _ => {}
        }
        let effects = self.facts.effects(self.procedure, id);
        let is_seen = match &effects.external {
            // Only the first effect is known by name: behind what is evaluated may come one of the statement's own.
            Some(external) if matches!(external.kind, ExternalKind::Procedure(_)) => !self.is_plain_assignment(kind),
            Some(_) => true,
            None => matches!(kind, StatementKind::Stop),
        };
        if is_seen { state.with_effect_of(self.who) } else { state }
    }

    /// Does the statement do nothing that others can see but evaluate its expressions?
    fn is_plain_assignment(&self, kind: &StatementKind) -> bool {
        let body = self.facts.procedure(self.procedure);
        let is_volatile = |part: &Expression| part.designated().is_some_and(|symbol| body.symbol(symbol).volatile);
        matches!(kind, StatementKind::Assign { .. })
            && !kind.expressions().into_iter().any(|expression| expression.any(&is_volatile))
    }

    fn walk_communication(&mut self, call: &Communication, state: Pending) -> Pending {
        let nothing = if self.only_grows { state } else { Pending::NOTHING };
        let inherited = if state.is_passed_on { self.at_begin } else { Processes::Nobody };
        let pending = inherited.with(state.own);
        match ordering(self.facts, self.procedure, call) {
            Ordering::Nothing => state,
            Ordering::AllWaitForAll => nothing,
            Ordering::HandsOn { from, to } => {
                let root = match self.direction {
                    Direction::Forwards => from,
                    Direction::Backwards => to,
                };
                if root.is_some_and(|rank| pending == Processes::One(rank)) {
                    return nothing;
                }
                self.at_messages = self.at_messages.with(pending);
                state
            }
            Ordering::Notices => {
                self.is_noticed = true;
                state
            }
        }
    }

    fn walk_call(&mut self, callee: ProcedureId, state: Pending) -> Pending {
        let inherited = if state.is_passed_on { self.at_begin } else { Processes::Nobody };
        let pending = inherited.with(state.own);
        let (known, who) = self.begin.get(&callee).copied().unwrap_or((Processes::Nobody, None));
        let widened = (known.with(pending), Some(who.map_or(self.who, |who| who.with(self.who))));
        if self.begin.insert(callee, widened) != Some(widened) {
            self.changed = true;
        }
        // As long as nothing is known of its end, it has none; another round follows then.
        let end = self.end.get(&callee).copied().unwrap_or(Pending::NOTHING);
        let passed = if end.is_passed_on { state } else { Pending::NOTHING };
        passed.with_effect_of(end.own)
    }

    /// The rank of the only process for which the comparison of its rank with a constant holds.
    fn rank_in(&self, condition: &Expression, operator: BinaryOperator) -> Option<i64> {
        let ExpressionKind::Binary { operator: found, left, right } = &condition.kind else { return None };
        if *found == BinaryOperator::And && operator == BinaryOperator::Equal {
            return self.rank_in(left, operator).or_else(|| self.rank_in(right, operator));
        }
        if *found != operator {
            return None;
        }
        let value = |expression: &Expression| self.facts.constant_value(self.procedure, expression);
        let is_rank = |expression: &Expression| match expression.kind {
            ExpressionKind::Symbol(symbol) => is_rank_in_world(self.facts, self.procedure, symbol, 0),
            _ => false,
        };
        match (value(left), value(right)) {
            (None, Some(rank)) if is_rank(left) => Some(rank),
            (Some(rank), None) if is_rank(right) => Some(rank),
            _ => None,
        }
    }
}
