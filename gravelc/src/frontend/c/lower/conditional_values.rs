//! `&&`, `||` and `?:` with effects in what is evaluated only if something holds: a branch in front of the statement.

use super::lowering::Lowering;
use super::unread::parts_of;
use crate::frontend::c::types::TypeKind;
use crate::frontend::c::unit::ExpressionId;
use crate::ir::{Arm, BinaryOperator, Expression, ExpressionKind, Room, StatementKind, UnaryOperator};

impl Lowering<'_> {
    /// Does something in the expression become a statement of its own?
    pub fn holds_hoisted(&self, id: ExpressionId) -> bool {
        !self.hoisted.is_empty() && parts_of(self.unit, &[id]).iter().any(|part| self.hoisted.contains_key(part))
    }

    /// `left && right`, else `left || right`, as a condition.
    pub fn condition_in_branches(
        &mut self,
        id: ExpressionId,
        is_and: bool,
        left: ExpressionId,
        right: ExpressionId,
    ) -> Expression {
        let span = self.span_of(id);
        let result = Expression::new(ExpressionKind::Symbol(self.code_variable()), span);
        let wanted = |condition: Expression| match is_and {
            true => condition,
            false => {
                let kind = ExpressionKind::Unary { operator: UnaryOperator::Not, operand: Box::new(condition) };
                Expression::new(kind, span)
            }
        };
        let left = self.condition(left);
        self.add_assign(result.clone(), Self::number(i64::from(!is_and), span));
        self.add_branches(
            id,
            wanted(left),
            |this| {
                let right = this.condition(right);
                let target = result.clone();
                let number = Self::number(i64::from(is_and), span);
                this.add_branches(id, wanted(right), |this| this.add_assign(target, number), |_| {});
            },
            |_| {},
        );
        let (left, right) = (Box::new(result), Box::new(Self::number(0, span)));
        Expression::new(ExpressionKind::Binary { operator: BinaryOperator::NotEqual, left, right }, span)
    }

    /// `condition ? then : otherwise`
    pub fn value_in_branches(
        &mut self,
        id: ExpressionId,
        condition: ExpressionId,
        then: ExpressionId,
        otherwise: ExpressionId,
    ) -> Expression {
        let span = self.span_of(id);
        let ty = self.unit.type_of(id);
        let result = match self.unit.types.kind(ty.id) {
            TypeKind::Void => None,
            _ => Some(self.temporary(ty, span)),
        };
        let condition = self.condition(condition);
        let evaluate = |this: &mut Self, value: ExpressionId| {
            let value = this.value(value);
            match result.clone() {
                Some(result) => this.add_assign(result, value),
                None => this.add_evaluations(vec![value]),
            }
        };
        self.add_branches(id, condition, |this| evaluate(this, then), |this| evaluate(this, otherwise));
        result.clone().unwrap_or_else(|| Expression::new(ExpressionKind::Computed(Vec::new()), span))
    }

    /// `assert(…)`: with `NDEBUG` nothing of it is evaluated.
    pub fn add_asserted(&mut self, arguments: &[ExpressionId]) {
        let Some(&first) = arguments.first() else { return };
        let before = self.statements.len();
        let perhaps = Expression::new(ExpressionKind::Computed(Vec::new()), self.carrier);
        self.add_branches(
            first,
            perhaps,
            |this| {
                for argument in arguments {
                    this.full(&[*argument], false, |this| this.add_evaluation(*argument));
                }
            },
            |_| {},
        );
        // It is a text, too, which is shown if it does not hold.
        self.statements[before..].iter_mut().for_each(|statement| statement.room = Room::Elsewhere);
    }

    fn add_branches(
        &mut self,
        id: ExpressionId,
        condition: Expression,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let span = self.carrier;
        let first = self.statements.len();
        let arms = vec![Arm { condition, body: Vec::new() }];
        let branch = self.add(StatementKind::If { arms, otherwise: None, one_line: false }, span);
        // What comes behind the whole statement would come whether it is evaluated or not.
        let behind = self.behind.take();
        let body = self.inside(branch, then);
        let other = self.inside(branch, otherwise);
        self.behind = behind;
        if let StatementKind::If { arms, otherwise, .. } = &mut self.statements[branch.0].kind {
            arms[0].body = body;
            *otherwise = (!other.is_empty()).then_some(other);
        }
        let is_own = self.input.places.is_own(&self.unit.expression(id).range);
        let room = if is_own { Room::Inside } else { Room::Elsewhere };
        let added = self.statements[first..].iter_mut();
        added.filter(|it| !matches!(it.room, Room::Expression(_))).for_each(|statement| statement.room = room);
    }
}
