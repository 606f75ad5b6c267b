//! Expressions with effects: what becomes a statement of its own.
//!
//! Calls of functions stay in expressions: other analyses know that C leaves their order open. A store in an expression becomes
//! a statement in front of it, or behind it, where that is what every order means ([`super::sequencing`]); so does a call of MPI.
//! What is evaluated only if something holds becomes a branch ([`super::conditional_values`]). Everything else is opaque.

use super::designators::moved;
use super::lowering::Lowering;
use super::sequencing::Hoisted;
use super::types::{counts_exactly, element_of};
use crate::frontend::c::types::Type;
use crate::frontend::c::unit::{self, Category, Conversion, ExpressionId, Operation};
use crate::ir::{Expression, ExpressionKind, StatementKind, Storage, Symbol, SymbolClass};
use crate::mpi::properties::is_function;

/// How the names begin of what makes and ends lists of arguments.
const LIST_ACTIONS: [&[u8]; 2] = [b"va_", b"__builtin_va_"];

impl Lowering<'_> {
    /// Lets `lower` lower these expressions, which are evaluated together, with what of them can be statements of its own. With
    /// `can_follow` there is room for statements behind the one that `lower` adds.
    pub fn full(&mut self, roots: &[ExpressionId], can_follow: bool, lower: impl FnOnce(&mut Self)) {
        let hoisted = self.hoistable(roots, None);
        self.with_hoisted(hoisted, can_follow, lower);
    }

    /// The same of `value` and of the lvalue `target`, in which it is stored.
    pub fn full_store(&mut self, target: ExpressionId, value: ExpressionId, lower: impl FnOnce(&mut Self)) {
        let hoisted = self.hoistable(&[value], Some(target));
        self.with_hoisted(hoisted, true, lower);
    }

    fn with_hoisted(&mut self, hoisted: Hoisted, can_follow: bool, lower: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.hoisted, hoisted);
        let outer_behind = std::mem::replace(&mut self.behind, can_follow.then(Vec::new));
        lower(self);
        self.hoisted = outer;
        let behind = std::mem::replace(&mut self.behind, outer_behind);
        for (symbol, by) in behind.into_iter().flatten() {
            self.add_step(symbol, by);
        }
    }

    /// The value of a part that becomes a statement of its own.
    pub fn hoisted_value(&mut self, id: ExpressionId) -> Expression {
        let span = self.span_of(id);
        match self.unit.expression(id).operation {
            Operation::Call { .. } => {
                let result = self.code_variable();
                let target = Expression::new(ExpressionKind::Symbol(result), span);
                self.add_messaging_call(id, Some(target.clone()));
                target
            }
            Operation::Assign { left, right } => {
                if self.is_stable(left) {
                    self.add_assignment(left, right);
                    return self.lvalue(left);
                }
                let kept = self.temporary(self.unit.type_of(left), span);
                self.full_store(left, right, |this| {
                    let value = this.value(right);
                    this.add_assign(kept.clone(), value);
                    let target = this.lvalue(left);
                    this.store(left, target, kept.clone());
                });
                self.as_stored(left, kept)
            }
            Operation::AssignOperation { operator, left, right, computation } => {
                let is_stable = self.is_stable(left);
                let kept = (!is_stable).then(|| self.temporary(self.unit.type_of(left), span));
                self.full(&[left, right], true, |this| {
                    this.add_combined(operator, (left, right), computation, kept.as_ref());
                });
                match kept {
                    Some(kept) => self.as_stored(left, kept),
                    None => self.lvalue(left),
                }
            }
            Operation::Step { operand, is_increment, is_postfix } => {
                let by = if is_increment { 1 } else { -1 };
                if is_postfix { self.stepped_behind(id, operand, by) } else { self.stepped(operand, by) }
            }
            Operation::VariadicArgument(list) => match self.variable_in(list) {
                Some((list, _)) => {
                    let list = self.lvalue(list);
                    self.add_assign(list.clone(), Expression::new(ExpressionKind::Computed(vec![list.clone()]), span));
                    Expression::new(ExpressionKind::Computed(vec![list]), span)
                }
                None => self.opaque(&[id], "an effect in an expression"),
            },
            _ => self.opaque(&[id], "an effect in an expression"),
        }
    }

    /// What has been stored in the lvalue, of the value that was: a bit-field keeps some of its bits.
    fn as_stored(&self, lvalue: ExpressionId, value: Expression) -> Expression {
        match self.unit.expression(lvalue).category {
            Category::BitField(_) => Expression::new(ExpressionKind::Computed(vec![value]), self.carrier),
            _ => value,
        }
    }

    /// `++x`
    fn stepped(&mut self, operand: ExpressionId, by: i64) -> Expression {
        if self.is_stable(operand) {
            self.full(&[operand], true, |this| this.add_stepped(operand, by));
            return self.lvalue(operand);
        }
        let ty = self.unit.type_of(operand);
        let kept = self.temporary(ty, self.span_of(operand));
        let target = self.lvalue(operand);
        let value = self.one_further(target.clone(), ty, by);
        self.add_assign(kept.clone(), value);
        self.store(operand, target, kept.clone());
        self.as_stored(operand, kept)
    }

    /// `x++`
    fn stepped_behind(&mut self, id: ExpressionId, operand: ExpressionId, by: i64) -> Expression {
        if self.can_follow(id) {
            self.step_behind(id);
            return self.lvalue(operand);
        }
        let ty = self.unit.type_of(operand);
        let span = self.span_of(id);
        if let Some(symbol) = self.private_variable(operand).filter(|_| counts_exactly(&self.unit.types, ty)) {
            self.add_step(symbol, by);
            let value = self.lvalue(operand);
            return moved(value, -by, span);
        }
        let kept = self.temporary(ty, span);
        let target = self.lvalue(operand);
        self.add_assign(kept.clone(), target.clone());
        let value = self.one_further(kept.clone(), ty, by);
        self.store(operand, target, value);
        kept
    }

    /// A value of this type and one, as far as it is known.
    pub fn one_further(&self, value: Expression, ty: Type, by: i64) -> Expression {
        let span = self.carrier;
        match counts_exactly(&self.unit.types, ty) {
            true => moved(value, by, span),
            false => Expression::new(ExpressionKind::Computed(vec![value]), span),
        }
    }

    /// Can the step's store come behind the statement at hand? Nothing else there names what it changes.
    pub fn can_follow(&self, step: ExpressionId) -> bool {
        self.behind.is_some() && self.hoisted.get(&step) == Some(&true)
    }

    /// A variable for a value that is computed before it is used.
    pub fn temporary(&mut self, ty: Type, span: crate::ir::Span) -> Expression {
        let number = self.symbols.len();
        let symbol = Symbol {
            class: SymbolClass::Variable,
            element: element_of(&self.unit.types, ty),
            storage: Storage::Local,
            ..Symbol::messaging_constant(&format!("(value {number})"))
        };
        let symbol = self.new_symbol(symbol);
        Expression::new(ExpressionKind::Symbol(symbol), span)
    }

    /// `target = value`, for the statement at hand.
    pub fn add_assign(&mut self, target: Expression, value: Expression) {
        let span = self.carrier;
        self.add(StatementKind::Assign { target, value, may_reallocate: false }, span);
    }

    /// The variable that an expression is, behind conversions of its value.
    pub fn variable_in(&self, id: ExpressionId) -> Option<(ExpressionId, unit::SymbolId)> {
        let mut id = id;
        loop {
            match self.unit.expression(id).operation {
                Operation::Convert { operand, .. } => id = operand,
                Operation::Symbol(symbol) => return Some((id, symbol)),
                _ => return None,
            }
        }
    }

    /// `va_start(list, last)`, `va_end(list)`, `va_copy(list, other)` as a statement; says whether it is one.
    pub fn add_list_action(&mut self, id: ExpressionId, operands: &[ExpressionId]) -> bool {
        let range = &self.unit.expression(id).range;
        let text = &self.input.text[range.start as usize..range.end as usize];
        let is_action = LIST_ACTIONS.iter().any(|start| text.starts_with(start));
        let (Some(list), true) = (operands.first(), is_action) else { return false };
        let Some((list, _)) = self.variable_in(*list) else { return false };
        let others = operands[1..].iter().filter_map(|other| self.variable_in(*other)).collect::<Vec<_>>();
        let target = self.lvalue(list);
        let of = others.into_iter().map(|(other, _)| self.lvalue(other)).collect();
        self.add_assign(target, Expression::new(ExpressionKind::Computed(of), self.carrier));
        true
    }

    /// The store of a step follows the statement at hand.
    pub fn step_behind(&mut self, id: ExpressionId) {
        if let Operation::Step { operand, is_increment, .. } = self.unit.expression(id).operation
            && let Operation::Symbol(symbol) = self.unit.expression(operand).operation
            && let Some(behind) = &mut self.behind
        {
            behind.push((symbol, if is_increment { 1 } else { -1 }));
        }
    }

    /// One is added to the variable, or taken from it.
    pub fn add_step(&mut self, symbol: unit::SymbolId, by: i64) {
        let span = self.carrier;
        let ty = self.unit.symbol(symbol).ty;
        let variable = self.symbol(symbol);
        let target = Expression::new(ExpressionKind::Symbol(variable), span);
        let value = self.one_further(target.clone(), ty, by);
        self.add_assign(target, value);
        self.add_new_target(symbol, Vec::new());
    }

    /// The call of MPI that the expression is, behind conversions of its value.
    pub fn messaging_call_in(&self, id: ExpressionId) -> Option<ExpressionId> {
        let mut id = id;
        loop {
            match &self.unit.expression(id).operation {
                Operation::Convert {
                    conversion: Conversion::Same | Conversion::Integer | Conversion::Void,
                    operand,
                    ..
                } => id = *operand,
                Operation::Call { callee, .. } => {
                    return self.messaging_routine(*callee).filter(|name| !is_function(name)).map(|_| id);
                }
                _ => return None,
            }
        }
    }
}
