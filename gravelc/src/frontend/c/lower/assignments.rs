//! Expressions as statements: stores, calls, and what only decides between them.

use super::designators::moved;
use super::lowering::Lowering;
use super::types::{counts_exactly, is_signed_integer};
use crate::frontend::c::types::{Qualifiers, Type, TypeKind};
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
                this.full(&[*left, *right], true, |this| {
                    this.add_combined(id, *operator, *left, *right, *computation);
                });
            }),
            Operation::Step { operand, is_increment, .. } => self.as_one(&range, |this| {
                this.full(&[*operand], true, |this| this.add_stepped(id, *operand, if *is_increment { 1 } else { -1 }));
            }),
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
        let span = self.carrier;
        let roots = [left, right];
        if self.messaging_call_in(right).is_some()
            && let Some(target) = self.code_target(left)
        {
            let handed = self.arguments_of(right);
            self.full(&handed, true, |this| this.add_messaging_call(right, Some(target)));
            return;
        }
        if let Some((inner_left, inner_right)) = self.inner_assignment(right) {
            self.add_assignment(inner_left, inner_right);
            let inner = self.lvalue(inner_left);
            // The value of an assignment is that of its left side behind it.
            let value = match self.unit.type_of(inner_left).id == self.unit.type_of(left).id {
                true => inner,
                false => Expression::new(ExpressionKind::Computed(vec![inner]), span),
            };
            self.full(&[left], true, |this| {
                let target = this.lvalue(left);
                this.store(left, target, value);
            });
            return;
        }
        self.full(&roots, true, |this| {
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

    /// The assignment that the right side of another one is, if its left side has no effects: it is read again. (What the outer
    /// left side evaluates does not depend on the inner store; C11 6.5p2.)
    fn inner_assignment(&self, right: ExpressionId) -> Option<(ExpressionId, ExpressionId)> {
        let mut id = right;
        while let Operation::Convert { operand, conversion, .. } = &self.unit.expression(id).operation {
            let keeps = matches!(
                conversion,
                Conversion::Same | Conversion::Integer | Conversion::Float | Conversion::ToFloat | Conversion::Pointer
            );
            if !keeps {
                return None;
            }
            id = *operand;
        }
        let Operation::Assign { left, right } = self.unit.expression(id).operation else { return None };
        let qualifiers = self.unit.type_of(left).qualifiers;
        let is_volatile = qualifiers.has(Qualifiers::VOLATILE) || qualifiers.has(Qualifiers::ATOMIC);
        (!is_volatile && !self.calls_in(left)).then_some((left, right))
    }

    /// Stores a value; what a pointer led to is another object then.
    fn store(&mut self, left: ExpressionId, target: Expression, value: Expression) {
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

    fn add_combined(
        &mut self,
        id: ExpressionId,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        computation: Type,
    ) {
        let span = self.carrier;
        if self.messaging_call_in(right).is_some() {
            let unread = self.opaque(&[id], "a call of MPI in an expression");
            self.add_evaluations(vec![unread]);
            return;
        }
        let value = self.value(right);
        let target = self.lvalue(left);
        let ty = self.unit.type_of(left);
        let is_plain = ty.id == computation.id && self.is_number(ty);
        let value = match is_plain {
            true => self.combined(ty, operator, target.clone(), value, span),
            false => Expression::new(ExpressionKind::Computed(vec![target.clone(), value]), span),
        };
        self.store(left, target, value);
    }

    fn add_stepped(&mut self, id: ExpressionId, operand: ExpressionId, by: i64) {
        let span = self.carrier;
        let ty = self.unit.type_of(operand);
        let target = self.lvalue(operand);
        if target.designated().is_none() {
            let unread = self.opaque(&[id], "a store in an expression");
            self.add_evaluations(vec![unread]);
            return;
        }
        let is_exact = counts_exactly(&self.unit.types, ty);
        let value = match is_exact {
            true => moved(target.clone(), by, span),
            false => Expression::new(ExpressionKind::Computed(vec![target.clone()]), span),
        };
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
        let is_idle = values.iter().all(|value| {
            !value.any(&|part| match &part.kind {
                ExpressionKind::Call { .. } | ExpressionKind::Opaque(_) => true,
                ExpressionKind::Symbol(symbol) => self.symbols[symbol.0].volatile,
                _ => false,
            })
        });
        if is_idle {
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
}
