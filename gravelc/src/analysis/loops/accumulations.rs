//! Variables into which the iterations of a loop accumulate by operations whose order does not matter (contract: `any-order`).
//!
//! Such are sums of integers (they wrap around), truth values that are joined, and the largest or smallest of some values.
//! Sums of floating-point numbers are none: they round. Which of two zeros with different signs is kept as the largest
//! depends on the order, so the values must be ones that are never -0. NaN does not matter: a comparison with it is
//! false, so that IF never stores it; and of MAX and MIN neither Fortran (2018, 16.9.125) nor its compilers say what
//! they give for it ("The GNU Fortran Compiler", MAX and MIN intrinsics with REAL NaN arguments).

use std::collections::BTreeSet;

use crate::ir::{
    Arm, BinaryOperator, Callee, Expression, ExpressionKind, Procedure, Program, Shape, StatementId, StatementKind,
    SymbolClass, SymbolId, TypeCategory, UnaryOperator,
};
use crate::mutations::Clause;

use super::super::algebra::symbolic::is_integer;
use super::super::memory::effects::{AccessKind, Effects};
use super::super::memory::sharing::may_share_memory;

/// Does the loop with these effects of an iteration do nothing with the variable but accumulate into it, and is the
/// result the same whatever the order?
pub(super) fn accumulates_in_any_order(
    program: &Program,
    procedure: &Procedure,
    effects: &Effects,
    variable: SymbolId,
) -> bool {
    let question = Question { program, procedure, effects, variable };
    let symbol = procedure.symbol(variable);
    if symbol.class != SymbolClass::Variable
        || symbol.shape != Shape::Scalar
        || symbol.volatile
        || !question.is_alone(variable)
    {
        return false;
    }
    if Clause::AnyOrder.is_off() {
        return true;
    }
    let mut operations = question.statements_with(variable).into_iter().map(|id| question.operation_of(id));
    let Some(Some(first)) = operations.next() else { return false };
    operations.all(|operation| operation == Some(first))
}

/// How values are brought together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Accumulation {
    Sum,
    Maximum,
    Minimum,
    Any,
    All,
}

struct Question<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    effects: &'a Effects,
    variable: SymbolId,
}

impl<'a> Question<'a> {
    /// Does nothing in the loop touch the variable's memory under another name?
    fn is_alone(&self, variable: SymbolId) -> bool {
        self.effects.accesses.iter().all(|access| {
            let symbol = access.region.symbol;
            symbol == variable || !may_share_memory(self.procedure, symbol, variable)
        })
    }

    fn statements_with(&self, variable: SymbolId) -> BTreeSet<StatementId> {
        let accesses = self.effects.accesses.iter().filter(|access| access.region.symbol == variable);
        accesses.map(|access| access.statement).collect()
    }

    fn category(&self, symbol: SymbolId) -> TypeCategory {
        self.procedure.symbol(symbol).element.category
    }

    fn operation_of(&self, id: StatementId) -> Option<Accumulation> {
        let statement = self.procedure.statement(id);
        match &statement.kind {
            StatementKind::Assign { target, value, may_reallocate: false } if self.is_it(target) => {
                self.combined(value).or_else(|| self.kept_by_comparison(statement.parent?))
            }
            StatementKind::If { .. } => self.kept_by_comparison(id),
            _ => None,
        }
    }

    fn is_it(&self, expression: &Expression) -> bool {
        matches!(expression.kind, ExpressionKind::Symbol(symbol) if symbol == self.variable)
    }

    /// Is the value made without the variable, and without anything that could see it?
    fn is_other(&self, expression: &Expression) -> bool {
        expression.walk().into_iter().all(|part| match &part.kind {
            ExpressionKind::Call { callee, .. } => matches!(callee, Callee::PureIntrinsic(_)),
            ExpressionKind::Opaque(_) => false,
            _ => part.designated() != Some(self.variable),
        })
    }

    /// `v + e`, `v .or. e`, `max(v, e)` and the like.
    fn combined(&self, value: &Expression) -> Option<Accumulation> {
        match &value.kind {
            ExpressionKind::Binary { operator: BinaryOperator::Or, left, right } => {
                self.is_it_with(left, right).then_some(Accumulation::Any)
            }
            ExpressionKind::Binary { operator: BinaryOperator::And, left, right } => {
                self.is_it_with(left, right).then_some(Accumulation::All)
            }
            ExpressionKind::Binary { .. } => {
                let is_integer = self.category(self.variable) == TypeCategory::Integer;
                (is_integer && self.is_sum_with_it(value)).then_some(Accumulation::Sum)
            }
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } => {
                let (own, others): (Vec<&Expression>, Vec<&Expression>) =
                    arguments.iter().partition(|argument| self.is_it(argument));
                let are_comparable = others.iter().all(|other| self.is_other(other) && self.is_comparable(other));
                extremum(name).filter(|_| own.len() == 1 && are_comparable)
            }
            _ => None,
        }
    }

    fn is_it_with(&self, left: &Expression, right: &Expression) -> bool {
        (self.is_it(left) && self.is_other(right)) || (self.is_it(right) && self.is_other(left))
    }

    /// The variable, to which integers without it are added.
    fn is_sum_with_it(&self, value: &Expression) -> bool {
        let is_term = |term: &Expression| self.is_other(term) && is_integer(self.procedure, term);
        match &value.kind {
            ExpressionKind::Symbol(_) => self.is_it(value),
            ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => self.is_sum_with_it(operand),
            ExpressionKind::Binary { operator: BinaryOperator::Add, left, right } => {
                (self.is_sum_with_it(left) && is_term(right)) || (self.is_sum_with_it(right) && is_term(left))
            }
            ExpressionKind::Binary { operator: BinaryOperator::Subtract, left, right } => {
                self.is_sum_with_it(left) && is_term(right)
            }
            _ => false,
        }
    }

    /// `if (e > v) v = e` and the like.
    fn kept_by_comparison(&self, id: StatementId) -> Option<Accumulation> {
        let StatementKind::If { arms, otherwise: None, .. } = &self.procedure.statement(id).kind else { return None };
        let [Arm { condition, body }] = &arms[..] else { return None };
        let [stored] = body[..] else { return None };
        let StatementKind::Assign { target, value, may_reallocate: false } = &self.procedure.statement(stored).kind
        else {
            return None;
        };
        let ExpressionKind::Binary { operator, left, right } = &condition.kind else { return None };
        let (other, is_turned) = if self.is_it(right) { (left, false) } else { (right, true) };
        let is_of_it = self.is_it(target) && (self.is_it(left) || self.is_it(right));
        if !is_of_it || !self.is_other(other) || !self.is_same(other, value) || !self.is_comparable(other) {
            return None;
        }
        let is_largest = match operator {
            BinaryOperator::Greater | BinaryOperator::GreaterEqual => true,
            BinaryOperator::Less | BinaryOperator::LessEqual => false,
            _ => return None,
        };
        Some(if is_largest != is_turned { Accumulation::Maximum } else { Accumulation::Minimum })
    }

    /// Does it not matter which of several equal values is kept?
    fn is_comparable(&self, value: &Expression) -> bool {
        match self.category(self.variable) {
            TypeCategory::Integer => is_integer(self.procedure, value),
            TypeCategory::Real => self.is_from_zero_up(value, &mut BTreeSet::new()),
            _ => false,
        }
    }

    /// Is it a real number that is not below zero, or NaN, and never -0?
    fn is_from_zero_up(&self, value: &Expression, asked: &mut BTreeSet<SymbolId>) -> bool {
        match &value.kind {
            ExpressionKind::Integer(number) => *number >= 0,
            // The sign of a literal is an operator.
            ExpressionKind::Literal => self.is_real(value),
            ExpressionKind::Symbol(symbol) => self.is_always_from_zero_up(*symbol, asked),
            ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => {
                self.is_from_zero_up(operand, asked)
            }
            ExpressionKind::Binary { operator: BinaryOperator::Power, left, right } => {
                let is_even = matches!(right.kind, ExpressionKind::Integer(power) if power > 0 && power % 2 == 0);
                (is_even && self.is_real(left)) || self.is_from_zero_up(left, asked)
            }
            ExpressionKind::Binary { operator, left, right } => {
                let is_square =
                    *operator == BinaryOperator::Multiply && self.is_same(left, right) && self.is_real(left);
                let keeps_sign =
                    matches!(operator, BinaryOperator::Add | BinaryOperator::Multiply | BinaryOperator::Divide);
                is_square || (keeps_sign && self.is_from_zero_up(left, asked) && self.is_from_zero_up(right, asked))
            }
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } => match name.as_str() {
                "abs" | "dabs" | "cabs" => true,
                "exp" => arguments.iter().all(|argument| self.is_real(argument)),
                "sqrt" | "dsqrt" | "real" | "dble" | "sngl" => {
                    arguments.first().is_some_and(|argument| self.is_from_zero_up(argument, asked))
                }
                _ if extremum(name).is_some() => arguments.iter().all(|argument| self.is_from_zero_up(argument, asked)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Is nothing in it complex?
    fn is_real(&self, value: &Expression) -> bool {
        let is_number = |id| matches!(self.category(id), TypeCategory::Real | TypeCategory::Integer);
        value.walk().into_iter().all(|part| match &part.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Unary { .. } | ExpressionKind::Binary { .. } => true,
            ExpressionKind::Literal => {
                self.program.text(part.span).starts_with(|it: char| it.is_ascii_digit() || it == '.')
            }
            ExpressionKind::Symbol(id) | ExpressionKind::Element { array: id, .. } => is_number(*id),
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } => REAL_OF_REAL.contains(&name.as_str()),
            _ => false,
        })
    }

    /// Does a variable hold such numbers wherever the loop looks at it, because it has stored them before?
    fn is_always_from_zero_up(&self, variable: SymbolId, asked: &mut BTreeSet<SymbolId>) -> bool {
        let symbol = self.procedure.symbol(variable);
        let is_plain = symbol.class == SymbolClass::Variable
            && symbol.shape == Shape::Scalar
            && symbol.element.category == TypeCategory::Real
            && !symbol.volatile;
        if !is_plain || !asked.insert(variable) || !self.is_alone(variable) {
            return false;
        }
        let accesses = || self.effects.accesses.iter().filter(|access| access.region.symbol == variable);
        let is_set_before = accesses().all(|access| access.kind == AccessKind::Write || !access.is_exposed);
        is_set_before
            && accesses().filter(|access| access.kind == AccessKind::Write).all(|write| {
                match &self.procedure.statement(write.statement).kind {
                    StatementKind::Assign { target, value, .. } => {
                        matches!(target.kind, ExpressionKind::Symbol(_)) && self.is_from_zero_up(value, asked)
                    }
                    _ => false,
                }
            })
    }

    /// Are these two expressions the same value, where nothing happens in between?
    fn is_same(&self, one: &Expression, other: &Expression) -> bool {
        let are_same = |one: &[Expression], other: &[Expression]| {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.is_same(one, other))
        };
        match (&one.kind, &other.kind) {
            (ExpressionKind::Integer(one), ExpressionKind::Integer(other)) => one == other,
            (ExpressionKind::Literal, ExpressionKind::Literal) => {
                let text = |literal: &Expression| self.program.text(literal.span);
                self.procedure.dialect().is_same_name(text(one).as_bytes(), text(other).as_bytes())
            }
            (ExpressionKind::Symbol(one), ExpressionKind::Symbol(other)) => one == other,
            (
                ExpressionKind::Element { array: one, subscripts: of_one },
                ExpressionKind::Element { array: other, subscripts: of_other },
            ) => one == other && are_same(of_one, of_other),
            (
                ExpressionKind::Unary { operator: one, operand: of_one },
                ExpressionKind::Unary { operator: other, operand: of_other },
            ) => one == other && self.is_same(of_one, of_other),
            (
                ExpressionKind::Binary { operator: one, left: left_of_one, right: right_of_one },
                ExpressionKind::Binary { operator: other, left: left_of_other, right: right_of_other },
            ) => one == other && self.is_same(left_of_one, left_of_other) && self.is_same(right_of_one, right_of_other),
            (
                ExpressionKind::Call { callee: Callee::PureIntrinsic(one), arguments: of_one },
                ExpressionKind::Call { callee: Callee::PureIntrinsic(other), arguments: of_other },
            ) => one == other && are_same(of_one, of_other),
            _ => false,
        }
    }
}

/// Functions that give real numbers of real numbers.
const REAL_OF_REAL: [&str; 12] =
    ["abs", "sqrt", "exp", "log", "sin", "cos", "tan", "max", "min", "mod", "real", "dble"];

/// What the function gives of its arguments.
fn extremum(name: &str) -> Option<Accumulation> {
    match name {
        "max" | "max0" | "amax1" | "dmax1" => Some(Accumulation::Maximum),
        "min" | "min0" | "amin1" | "dmin1" => Some(Accumulation::Minimum),
        _ => None,
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
