//! Whether conditions hold, as far as parts of them are known.

use super::symbolic::{is_integer, polynomial_of};
use crate::ir::{
    BinaryOperator, Callee, Expression, ExpressionKind, Procedure, SymbolClass, TypeCategory, UnaryOperator,
};

/// Whether the condition holds, whatever values variables have: `debug .and. n > 3` where `debug` is a constant that is false.
pub fn truth_of_constants(procedure: &Procedure, condition: &Expression) -> Option<bool> {
    truth_of(procedure, condition, &|_| None)
}

/// Whether the condition holds, where that follows from constants and from the parts of which `known` says it. It is asked of
/// each part before what this is made of.
pub fn truth_of(
    procedure: &Procedure,
    condition: &Expression,
    known: &dyn Fn(&Expression) -> Option<bool>,
) -> Option<bool> {
    if let Some(value) = known(condition) {
        return Some(value);
    }
    let of = |operand: &Expression| truth_of(procedure, operand, known);
    match &condition.kind {
        ExpressionKind::Logical(value) => Some(*value),
        ExpressionKind::Symbol(symbol) => procedure.symbol(*symbol).truth,
        ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => of(operand),
        ExpressionKind::Unary { operator: UnaryOperator::Not, operand } => of(operand).map(|value| !value),
        ExpressionKind::Binary { operator: BinaryOperator::And, left, right } => match (of(left), of(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        ExpressionKind::Binary { operator: BinaryOperator::Or, left, right } => match (of(left), of(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        ExpressionKind::Binary { operator, left, right } => {
            let (left, right) = (constant(procedure, left)?, constant(procedure, right)?);
            match operator {
                BinaryOperator::Equal => Some(left == right),
                BinaryOperator::NotEqual => Some(left != right),
                BinaryOperator::Less => Some(left < right),
                BinaryOperator::LessEqual => Some(left <= right),
                BinaryOperator::Greater => Some(left > right),
                BinaryOperator::GreaterEqual => Some(left >= right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The value of an integer of which every part is a constant. Variables that cancel out in arithmetic without bounds need not do
/// so in a machine's.
fn constant(procedure: &Procedure, value: &Expression) -> Option<i64> {
    let may_vary = |part: &Expression| match &part.kind {
        ExpressionKind::Integer(_) | ExpressionKind::Unary { .. } | ExpressionKind::Binary { .. } => false,
        ExpressionKind::Symbol(symbol) | ExpressionKind::Element { array: symbol, .. } => {
            let symbol = procedure.symbol(*symbol);
            !matches!(symbol.class, SymbolClass::Constant(_)) || symbol.element.category != TypeCategory::Integer
        }
        ExpressionKind::Call { callee, .. } => !matches!(callee, Callee::PureIntrinsic(_)),
        _ => true,
    };
    let is_constant = is_integer(procedure, value) && !value.any(&may_vary);
    is_constant.then(|| polynomial_of(procedure, value)?.as_constant())?
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
