//! Expressions as statements: stores, calls, and what only decides between them.

use super::lowering::Lowering;
use super::types::is_signed_integer;
use crate::frontend::c::types::{Type, TypeKind};
use crate::frontend::c::unit::{BinaryOperator, Conversion, ExpressionId, Operation, Span};
use crate::ir::{Arm, Expression, ExpressionKind, StatementKind, UnaryOperator};

impl Lowering<'_> {
    /// An expression whose value is thrown away.
    pub fn add_expression(&mut self, id: ExpressionId) {
        let range: Span = self.unit.expression(id).range.clone();
        let unit = self.unit;
        match &unit.expression(id).operation {
            Operation::Convert { conversion: Conversion::Void | Conversion::Same, operand, .. } => {
                self.add_expression(*operand);
            }
            Operation::Comma(left, right) => {
                self.add_expression(*left);
                self.add_expression(*right);
            }
            Operation::Conditional { condition, then: Some(then), otherwise } => {
                self.add_branch(id, *condition, Some(*then), Some(*otherwise));
            }
            Operation::Binary(BinaryOperator::And, left, right) => self.add_branch(id, *left, Some(*right), None),
            Operation::Binary(BinaryOperator::Or, left, right) => self.add_branch(id, *left, None, Some(*right)),
            Operation::Assign { left, right } => self.as_one(&range, |this| this.add_assignment(*left, *right)),
            Operation::AssignOperation { operator, left, right, computation } => self.as_one(&range, |this| {
                let operands = (*left, *right);
                this.full(&[*left, *right], true, |this| this.add_combined(*operator, operands, *computation, None));
            }),
            Operation::Step { operand, is_increment, .. } => self.as_one(&range, |this| {
                this.full(&[*operand], true, |this| this.add_stepped(*operand, if *is_increment { 1 } else { -1 }));
            }),
            Operation::Call { callee, arguments } if self.is_assertion(*callee) => {
                self.as_one(&range, |this| this.add_asserted(arguments));
            }
            Operation::Call { callee, arguments } => self.as_one(&range, |this| {
                let is_messaging = this.messaging_call_in(id).is_some();
                let roots: Vec<ExpressionId> = if is_messaging { arguments.clone() } else { vec![id] };
                this.full(&roots, true, |this| this.add_call(id, *callee, arguments));
            }),
            operation => self.as_one(&range, |this| match operation {
                Operation::Builtin(operands) if this.add_list_action(id, operands) => {}
                _ => this.full(&[id], true, |this| this.add_evaluation(id)),
            }),
        }
    }

    /// One of two expressions, by a condition.
    fn add_branch(
        &mut self,
        whole: ExpressionId,
        condition: ExpressionId,
        then: Option<ExpressionId>,
        otherwise: Option<ExpressionId>,
    ) {
        let range: Span = self.unit.expression(whole).range.clone();
        self.as_one(&range, |this| {
            let id = this.add_with_condition(condition, |condition| StatementKind::If {
                arms: vec![Arm { condition, body: Vec::new() }],
                otherwise: None,
                one_line: false,
            });
            let body = this.inside(id, |this| then.into_iter().for_each(|then| this.add_expression(then)));
            let other = this.inside(id, |this| otherwise.into_iter().for_each(|it| this.add_expression(it)));
            if let StatementKind::If { arms, otherwise, .. } = &mut this.statements[id.0].kind {
                arms[0].body = body;
                *otherwise = (!other.is_empty()).then_some(other);
            }
        });
    }

    /// Adds a statement with a condition, behind what the condition does.
    pub fn add_with_condition(
        &mut self,
        condition: ExpressionId,
        kind: impl FnOnce(Expression) -> StatementKind,
    ) -> crate::ir::StatementId {
        let mut added = None;
        let span = self.carrier;
        self.full(&[condition], false, |this| {
            let condition = this.condition(condition);
            added = Some(this.add(kind(condition), span));
        });
        added.unwrap_or_else(|| self.add(StatementKind::Nothing, span))
    }

    /// `left = right`.
    pub fn add_assignment(&mut self, left: ExpressionId, right: ExpressionId) {
        if self.messaging_call_in(right).is_some()
            && let Some(target) = self.code_target(left)
        {
            let handed = self.arguments_of(right);
            self.full(&handed, true, |this| this.add_messaging_call(right, Some(target)));
            return;
        }
        self.full_store(left, right, |this| {
            let value = this.value(right);
            let target = this.lvalue(left);
            this.store(left, target, value);
        });
    }

    /// What the call of MPI hands over that the expression is.
    pub fn arguments_of(&self, id: ExpressionId) -> Vec<ExpressionId> {
        let call = self.messaging_call_in(id);
        match call.map(|call| &self.unit.expression(call).operation) {
            Some(Operation::Call { arguments, .. }) => arguments.clone(),
            _ => Vec::new(),
        }
    }

    /// Stores a value; what a pointer led to is another object then.
    pub fn store(&mut self, left: ExpressionId, target: Expression, value: Expression) {
        let span = self.carrier;
        let pointer = match self.unit.expression(left).operation {
            Operation::Symbol(symbol) if self.pointee(symbol).is_some() => Some(symbol),
            _ => None,
        };
        self.add_store(target, value, span);
        if let Some(pointer) = pointer {
            self.add_new_target(pointer, Vec::new());
        }
    }

    fn add_store(&mut self, target: Expression, value: Expression, span: crate::ir::Span) {
        if target.designated().is_none() {
            // Everything may be written there.
            self.add_evaluations(vec![target, value]);
            return;
        }
        self.add(StatementKind::Assign { target, value, may_reallocate: false }, span);
    }

    /// `left op= right`; what is stored is `kept`, too.
    pub fn add_combined(
        &mut self,
        operator: BinaryOperator,
        (left, right): (ExpressionId, ExpressionId),
        computation: Type,
        kept: Option<&Expression>,
    ) {
        let span = self.carrier;
        let value = self.value(right);
        let target = self.lvalue(left);
        let ty = self.unit.type_of(left);
        let is_plain = ty.id == computation.id && self.is_number(ty);
        let value = match is_plain {
            true => self.combined(ty, operator, target.clone(), value, span),
            false => Expression::new(ExpressionKind::Computed(vec![target.clone(), value]), span),
        };
        let value = match kept {
            Some(kept) => {
                self.add_assign(kept.clone(), value);
                kept.clone()
            }
            None => value,
        };
        self.store(left, target, value);
    }

    /// `left++`, where only the effect counts.
    pub fn add_stepped(&mut self, operand: ExpressionId, by: i64) {
        let target = self.lvalue(operand);
        let value = self.one_further(target.clone(), self.unit.type_of(operand), by);
        self.store(operand, target, value);
    }

    fn is_number(&self, ty: Type) -> bool {
        is_signed_integer(&self.unit.types, ty) || matches!(self.unit.types.kind(ty.id), TypeKind::Float(_))
    }

    /// An expression of which only the effects count.
    pub fn add_evaluation(&mut self, id: ExpressionId) {
        let value = self.value(id);
        self.add_evaluations(vec![value]);
    }

    /// Expressions of which only the effects count.
    pub fn add_evaluations(&mut self, values: Vec<Expression>) {
        let span = self.carrier;
        if !values.iter().any(|value| self.has_effects(value)) {
            self.add(StatementKind::Nothing, span);
            return;
        }
        let value = Expression::new(ExpressionKind::Computed(values), span);
        let condition = Expression::new(
            ExpressionKind::Unary { operator: UnaryOperator::Identity, operand: Box::new(value) },
            span,
        );
        let arms = vec![Arm { condition, body: Vec::new() }];
        self.add(StatementKind::If { arms, otherwise: None, one_line: false }, span);
    }

    /// Does it matter whether the expression is evaluated if its value is thrown away?
    pub fn has_effects(&self, value: &Expression) -> bool {
        value.any(&|part| match &part.kind {
            ExpressionKind::Call { .. } | ExpressionKind::Opaque(_) => true,
            ExpressionKind::Symbol(symbol) => self.symbols[symbol.0].volatile,
            _ => false,
        })
    }
}
