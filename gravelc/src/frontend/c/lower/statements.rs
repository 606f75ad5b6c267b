//! Statements: blocks, branches, jumps, and what can be put around each.

use super::communication::without_parentheses;
use super::lowering::Lowering;
use crate::frontend::c::unit::{self, BinaryOperator, ExpressionId, Operation, StatementKind as Kind};
use crate::ir::{
    Arm, Expression, ExpressionKind, Opacity, Operation as Meaning, Room, Scope, StatementId, StatementKind, Unread,
};

/// Where the jumps of a loop, or of a `switch`, go.
#[derive(Debug, Clone, Copy)]
pub struct JumpTarget {
    /// Of `break`.
    pub breaks: StatementId,
    /// Of `continue`; none of a `switch`.
    pub continues: Option<Continue>,
}

/// What `continue` does.
#[derive(Debug, Clone, Copy)]
pub enum Continue {
    /// It begins the next iteration of this loop.
    Cycle(StatementId),
    /// It leaves this block, which the end of an iteration follows.
    Exit(StatementId),
}

impl Lowering<'_> {
    /// The statements of a block, in the block at hand.
    pub fn add_items(&mut self, items: &[unit::StatementId]) {
        let mut behind = None;
        for item in items {
            let span = self.span(&self.unit.statement(*item).range);
            if let Some(directive) = behind.and_then(|end| self.input.places.change_of_macros(end, span.start)) {
                let id = self.add(StatementKind::Nothing, directive);
                self.statements[id.0].changes_names = true;
            }
            let before = self.block.len();
            self.add_statement(*item);
            if let Some(hint) = self.hint_above(*item) {
                self.block[before..].iter().for_each(|id| self.statements[id.0].hint = Some(hint));
            }
            if self.input.places.change_of_macros(span.start, span.end).is_some() {
                self.block[before..].iter().for_each(|id| self.statements[id.0].changes_names = true);
            }
            behind = Some(span.end);
        }
    }

    /// A statement, with all that it holds.
    pub fn add_statement(&mut self, id: unit::StatementId) {
        let unit = self.unit;
        let statement = unit.statement(id);
        let range = &statement.range;
        let span = self.span(range);
        match &statement.kind {
            Kind::Block(items) => self.add_block(items, range),
            Kind::Declaration { symbols, bounds, changes_names } => {
                let first = self.statements.len();
                self.add_declaration(symbols, bounds, range);
                if *changes_names {
                    self.note_change_of_names(first, span);
                }
            }
            Kind::Expression(expression) => {
                let outer = std::mem::replace(&mut self.carrier, span);
                let first = self.statements.len();
                self.add_expression(*expression);
                self.carrier = outer;
                self.see_to_room(first, *expression, range);
            }
            Kind::Empty => {
                if self.jumps.is_label_ahead() {
                    self.add(StatementKind::Nothing, span);
                }
            }
            Kind::If { condition, then, otherwise } => self.add_if(*condition, *then, *otherwise, range),
            Kind::While { condition, body } => self.add_while(Some(*condition), None, *body, range),
            Kind::DoWhile { body, condition } => self.add_do_while(*body, *condition, range),
            Kind::For { start, condition, update, body } => self.add_for(start, *condition, *update, *body, range),
            Kind::Switch { value, body } => self.add_switch(*value, *body, range),
            // Labels of a `switch` that is not followed.
            Kind::Case { body, .. } | Kind::Default(body) => {
                self.jumps.case();
                self.add_statement(*body);
                self.end_label(span);
            }
            Kind::Labelled(label, body) => {
                self.jumps.label(*label);
                self.add_statement(*body);
                self.end_label(span);
            }
            Kind::Goto(label) => {
                let jump = StatementId(self.statements.len());
                self.jumps.goto(*label, jump);
                self.add_own(StatementKind::Jump, range);
            }
            Kind::ComputedGoto(target) => self.as_one(range, |this| {
                this.jumps.goto_anywhere();
                this.full(&[*target], false, |this| this.add_evaluation(*target));
                this.add(StatementKind::Jump, span);
            }),
            Kind::Break => {
                let target = self.targets.last().map(|target| target.breaks);
                self.add_own(StatementKind::Exit(target), range);
            }
            Kind::Continue => {
                let kind = match self.targets.iter().rev().find_map(|target| target.continues) {
                    Some(Continue::Cycle(target)) => StatementKind::Cycle(Some(target)),
                    Some(Continue::Exit(target)) => StatementKind::Exit(Some(target)),
                    None => StatementKind::Cycle(None),
                };
                self.add_own(kind, range);
            }
            Kind::Return(value) => self.as_one(range, |this| this.add_return(*value)),
            Kind::Assembler => self.add_unread(Unread::unknown("assembler"), range),
            Kind::NestedFunction(_) => self.add_unread(Unread::unknown("a function inside of a function"), range),
            Kind::Hole(_) => {
                let unread = Unread { opacity: Opacity::Syntax, ..Unread::unknown("text that is not C") };
                self.add_unread(unread, range);
            }
        }
    }

    /// A label in front of nothing.
    fn end_label(&mut self, span: crate::ir::Span) {
        if self.jumps.is_label_ahead() {
            self.add(StatementKind::Nothing, span);
        }
    }

    /// A statement of its own.
    fn add_own(&mut self, kind: StatementKind, range: &unit::Span) {
        let span = self.span(range);
        self.as_one(range, |this| {
            this.add(kind, span);
        });
    }

    pub fn add_unread(&mut self, unread: Unread, range: &unit::Span) {
        self.add_own(StatementKind::Opaque(Box::new(unread)), range);
    }

    fn add_block(&mut self, items: &[unit::StatementId], range: &unit::Span) {
        let names = self.names_declared(items);
        if names.is_empty() {
            self.add_items(items);
            return;
        }
        let span = self.span(range);
        self.add_scope(names, span, |this, _| this.add_items(items));
    }

    /// A block with names of its own, or one that can be left.
    pub fn add_scope(
        &mut self,
        names: Vec<String>,
        span: crate::ir::Span,
        fill: impl FnOnce(&mut Self, StatementId),
    ) -> StatementId {
        let declares = !names.is_empty();
        let id = self.add(StatementKind::Scope(Scope { names, evaluated: Vec::new(), body: Vec::new() }), span);
        let outer = if declares { self.scope.replace(id) } else { self.scope };
        let body = self.inside(id, |this| fill(this, id));
        self.scope = outer;
        if let StatementKind::Scope(scope) = &mut self.statements[id.0].kind {
            scope.body = body;
        }
        id
    }

    fn add_return(&mut self, value: Option<ExpressionId>) {
        let span = self.carrier;
        match (value, self.result) {
            (Some(value), Some(result)) => {
                let target = Expression::new(ExpressionKind::Symbol(result), span);
                let handed = self.arguments_of(value);
                if self.messaging_call_in(value).is_some() {
                    self.full(&handed, false, |this| this.add_messaging_call(value, Some(target)));
                } else {
                    self.full(&[value], false, |this| {
                        let value = this.value(value);
                        this.add(StatementKind::Assign { target, value, may_reallocate: false }, span);
                    });
                }
            }
            (Some(value), None) => self.add_expression(value),
            (None, _) => {}
        }
        self.add(StatementKind::Return, span);
    }

    fn add_if(
        &mut self,
        condition: ExpressionId,
        then: unit::StatementId,
        otherwise: Option<unit::StatementId>,
        range: &unit::Span,
    ) {
        self.as_compound(range, |this| {
            let tells_of_place = this.input.places.tells_of_place(&this.unit.expression(condition).range);
            let id = this.add_with_condition(condition, |condition| {
                let kind = match tells_of_place {
                    // It is not evaluated anywhere else.
                    true => ExpressionKind::Opaque(Box::new(Unread::unknown("a condition that tells where it stands"))),
                    false => condition.kind,
                };
                let arm = Arm { condition: Expression::new(kind, condition.span), body: Vec::new() };
                StatementKind::If { arms: vec![arm], otherwise: None, one_line: false }
            });
            let body = this.inside(id, |this| this.add_governed(then));
            let other = otherwise.map(|other| this.inside(id, |this| this.add_governed(other)));
            if let StatementKind::If { arms, otherwise, .. } = &mut this.statements[id.0].kind {
                arms[0].body = body;
                *otherwise = other;
            }
        });
    }

    /// The body of a loop, or of a `switch`.
    pub fn add_body(&mut self, body: unit::StatementId, target: JumpTarget) {
        self.targets.push(target);
        self.add_statement(body);
        self.targets.pop();
    }

    /// Likewise of a loop, where braces may be missing.
    pub fn add_governed_body(&mut self, body: unit::StatementId, target: JumpTarget) {
        self.targets.push(target);
        self.add_governed(body);
        self.targets.pop();
    }

    /// What a branch or a loop governs.
    pub fn add_governed(&mut self, id: unit::StatementId) {
        let before = self.block.len();
        self.add_statement(id);
        if matches!(self.unit.statement(id).kind, Kind::Block(_)) {
            return;
        }
        for &added in &self.block[before..] {
            let room = &mut self.statements[added.0].room;
            if *room == Room::OwnLines {
                *room = Room::Governed;
            }
        }
    }

    /// Decides what can be put around the statements from `first` on, which an expression as a statement has become. A call of
    /// MPI can be replaced where it is all of the statement, or all that is assigned; of what only decides between expressions, or
    /// puts some behind others, nothing can.
    fn see_to_room(&mut self, first: usize, expression: ExpressionId, range: &unit::Span) {
        let unit = self.unit;
        let mut whole = expression;
        while let Operation::Convert { operand, .. } = &unit.expression(whole).operation {
            whole = *operand;
        }
        let is_one = !matches!(
            unit.expression(whole).operation,
            Operation::Comma(..)
                | Operation::Conditional { .. }
                | Operation::Binary(BinaryOperator::And | BinaryOperator::Or, ..)
        );
        let call = match unit.expression(whole).operation {
            Operation::Assign { right, .. } => self.messaging_call_in(right),
            _ => self.messaging_call_in(expression),
        };
        let ends = call.is_some_and(|call| {
            let own = without_parentheses(unit, self.input.text, call);
            let behind = &self.input.text[own.end as usize..range.end as usize];
            // Else a macro makes the statement of its argument.
            matches!(behind.trim_ascii(), b"" | b";") && self.input.places.is_own_statement(&own)
        });
        let arguments = call.map_or(Vec::new(), |call| self.arguments_of(call));
        let are_own = arguments.iter().all(|argument| self.can_be_written_elsewhere(*argument));
        let is_own = self.input.places.is_own_statement(range);
        let added = self.statements.len() - first;
        let start = self.span(range).start;
        for number in first..self.statements.len() {
            let statement = &mut self.statements[number];
            // What is put in front of a label's statement stands behind the label: only the runtime's end belongs there.
            let is_call = match &statement.kind {
                StatementKind::Communication(call) => {
                    !statement.labelled || matches!(call.operation, Meaning::Finalize)
                }
                _ => false,
            };
            match statement.room {
                Room::Inside | Room::Expression(_) if is_own && is_call && is_one && ends && added == 1 => {
                    statement.room = if are_own { Room::OwnLines } else { Room::Elsewhere };
                    // With a cast in front.
                    statement.span.start = start.min(statement.span.start);
                }
                Room::OwnLines if !is_one => statement.room = Room::Inside,
                _ => {}
            }
        }
    }

    /// Is there such a statement inside, but for what is inside of those where it `stops`?
    pub fn has(&self, id: unit::StatementId, wanted: &dyn Fn(&Kind) -> bool, stops: &dyn Fn(&Kind) -> bool) -> bool {
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            let kind = &self.unit.statement(id).kind;
            if wanted(kind) {
                return true;
            }
            if !stops(kind) {
                left.extend(kind.statements());
            }
        }
        false
    }
}
