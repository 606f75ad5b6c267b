//! Loops without a count: `while`, `do`, and each `for` that no counted loop says the same as.

use super::lowering::Lowering;
use super::statements::{Continue, JumpTarget};
use crate::frontend::c::unit::{self, ExpressionId, ForStart, StatementKind as Kind};
use crate::ir::{Arm, Expression, ExpressionKind, Room, StatementId, StatementKind, UnaryOperator};

impl Lowering<'_> {
    /// A loop that goes on while something holds; `update` is evaluated behind each iteration.
    pub fn add_while(
        &mut self,
        condition: Option<ExpressionId>,
        update: Option<ExpressionId>,
        body: unit::StatementId,
        range: &unit::Span,
    ) {
        let span = self.span(range);
        let is_plain = condition.is_none_or(|condition| !self.has_hoisted(condition));
        self.as_compound(range, |this| {
            let mut plain = None;
            if let Some(condition) = condition.filter(|_| is_plain) {
                this.full(&[condition], false, |this| plain = Some(this.condition(condition)));
            }
            let id = this.add(StatementKind::While { changes: Vec::new(), condition: plain, body: Vec::new() }, span);
            let inside = this.inside(id, |this| {
                if let Some(condition) = condition.filter(|_| !is_plain) {
                    this.add_leaving(condition, id);
                }
                this.add_repeated_body(body, id, update.is_some());
                if let Some(update) = update {
                    let first = this.statements.len();
                    this.add_expression(update);
                    // It stands in front of the body, and happens behind it.
                    let last = crate::ir::Span { start: span.end.saturating_sub(1).max(span.start), ..span };
                    for statement in &mut this.statements[first..] {
                        statement.span = last;
                        statement.room = Room::Inside;
                    }
                }
            });
            if let StatementKind::While { body, .. } = &mut this.statements[id.0].kind {
                *body = inside;
            }
        });
    }

    /// Lets `fill` add what the head of a loop does, which has no room for more.
    fn in_head(&mut self, fill: impl FnOnce(&mut Self)) {
        let first = self.statements.len();
        fill(self);
        let added = &mut self.statements[first..];
        added.iter_mut().filter(|it| it.room == Room::OwnLines).for_each(|it| it.room = Room::Inside);
    }

    /// Leaves the loop unless the condition holds.
    fn add_leaving(&mut self, condition: ExpressionId, target: StatementId) {
        self.in_head(|this| this.add_exit(condition, target));
    }

    fn add_exit(&mut self, condition: ExpressionId, target: StatementId) {
        let range = self.unit.expression(condition).range.clone();
        let span = self.span(&range);
        self.as_one(&range, |this| {
            let id = this.add_with_condition(condition, |condition| {
                let operand = Box::new(condition);
                let condition = Expression::new(ExpressionKind::Unary { operator: UnaryOperator::Not, operand }, span);
                StatementKind::If { arms: vec![Arm { condition, body: Vec::new() }], otherwise: None, one_line: false }
            });
            let exit = this.inside(id, |this| {
                let exit = this.add(StatementKind::Exit(Some(target)), span);
                this.statements[exit.0].room = Room::Inside;
            });
            if let StatementKind::If { arms, .. } = &mut this.statements[id.0].kind {
                arms[0].body = exit;
            }
        });
    }

    pub fn add_do_while(&mut self, body: unit::StatementId, condition: ExpressionId, range: &unit::Span) {
        let span = self.span(range);
        let constant = unit::integer_value(self.unit, condition);
        if constant == Some(0) {
            // Runs once.
            if !self.has_jump(body) {
                self.add_governed(body);
                return;
            }
            self.add_scope(Vec::new(), span, |this, scope| {
                this.add_governed_body(body, JumpTarget { breaks: scope, continues: Some(Continue::Exit(scope)) });
            });
            return;
        }
        self.as_compound(range, |this| {
            let id = this.add(StatementKind::While { changes: Vec::new(), condition: None, body: Vec::new() }, span);
            let inside = this.inside(id, |this| {
                this.add_repeated_body(body, id, true);
                if constant.is_none() {
                    this.add_leaving(condition, id);
                }
            });
            if let StatementKind::While { body, .. } = &mut this.statements[id.0].kind {
                *body = inside;
            }
        });
    }

    /// The body of the loop `id`. With `has_rest` something of the loop stands behind it, where `continue` leads.
    fn add_repeated_body(&mut self, body: unit::StatementId, id: StatementId, has_rest: bool) {
        if has_rest && self.has_continue(body) {
            let at = self.unit.statement(body).range.clone();
            let span = self.span(&at);
            self.add_scope(Vec::new(), span, |this, scope| {
                this.add_governed_body(body, JumpTarget { breaks: id, continues: Some(Continue::Exit(scope)) });
            });
        } else {
            self.add_governed_body(body, JumpTarget { breaks: id, continues: Some(Continue::Cycle(id)) });
        }
    }

    /// Does `continue` stand in the body of a loop, for that loop?
    fn has_continue(&self, body: unit::StatementId) -> bool {
        self.has(body, &|kind| matches!(kind, Kind::Continue), &is_loop)
    }

    /// Does `break` or `continue` stand there, for what is around?
    fn has_jump(&self, body: unit::StatementId) -> bool {
        let stops = |kind: &Kind| is_loop(kind) || matches!(kind, Kind::Switch { .. });
        self.has(body, &|kind| matches!(kind, Kind::Break), &stops) || self.has_continue(body)
    }

    /// A `for` without a count.
    pub fn add_uncounted(
        &mut self,
        start: &ForStart,
        condition: Option<ExpressionId>,
        update: Option<ExpressionId>,
        body: unit::StatementId,
        range: &unit::Span,
    ) {
        match start {
            ForStart::Declaration(declaration) => {
                let names = self.names_declared(&[*declaration]);
                let span = self.span(range);
                self.add_scope(names, span, |this, _| {
                    this.in_head(|this| this.add_statement(*declaration));
                    this.add_while(condition, update, body, range);
                });
            }
            ForStart::Expression(first) => {
                self.in_head(|this| this.add_expression(*first));
                self.add_while(condition, update, body, range);
            }
            ForStart::Nothing => self.add_while(condition, update, body, range),
        }
    }
}

/// Is it a loop?
pub fn is_loop(kind: &Kind) -> bool {
    matches!(kind, Kind::While { .. } | Kind::DoWhile { .. } | Kind::For { .. })
}
