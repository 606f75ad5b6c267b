//! Integer expressions as polynomials.

use std::collections::BTreeSet;

use crate::ir::{
    BinaryOperator, Expression, ExpressionKind, Polynomial, Procedure, Region, SymbolClass, SymbolId, UnaryOperator,
};

/// Larger exponents are not expanded.
const MAX_EXPONENT: i64 = 4;

/// Polynomials with more terms are given up: products of sums grow exponentially.
const MAX_TERMS: usize = 128;

/// The polynomial that an integer expression computes, over the values that its variables have where it is evaluated.
///
/// `None` ("unknown") for everything but integer literals, named constants and scalars that are not VOLATILE, joined by
/// `+`, `-`, `*`, powers with a small constant exponent, and divisions by a constant that leave no remainder.
pub fn polynomial_of(procedure: &Procedure, expression: &Expression) -> Option<Polynomial> {
    evaluate(procedure, expression, &|symbol| Some(Polynomial::variable(symbol)))
}

/// The variables whose values decide which elements `region` means.
pub fn symbols_of_region(region: &Region) -> BTreeSet<SymbolId> {
    region.variables()
}

/// [`polynomial_of`] with the values of the variables given by `value_of`; it is asked only for integer scalars.
pub(super) fn evaluate(
    procedure: &Procedure,
    expression: &Expression,
    value_of: &dyn Fn(SymbolId) -> Option<Polynomial>,
) -> Option<Polynomial> {
    let result = match &expression.kind {
        ExpressionKind::Integer(value) => Polynomial::constant(*value),
        ExpressionKind::Symbol(id) => {
            let symbol = procedure.symbol(*id);
            match symbol.class {
                SymbolClass::Constant(value) => Polynomial::constant(value?),
                _ if symbol.is_integer_scalar() && !symbol.volatile => value_of(*id)?,
                _ => return None,
            }
        }
        ExpressionKind::Unary { operator: UnaryOperator::Identity, operand } => evaluate(procedure, operand, value_of)?,
        ExpressionKind::Unary { operator: UnaryOperator::Negate, operand } => {
            evaluate(procedure, operand, value_of)?.checked_negate()?
        }
        ExpressionKind::Binary { operator, left, right } => {
            let left = evaluate(procedure, left, value_of)?;
            let right = evaluate(procedure, right, value_of)?;
            binary(*operator, &left, &right)?
        }
        _ => return None,
    };
    (result.term_count() <= MAX_TERMS).then_some(result)
}

fn binary(operator: BinaryOperator, left: &Polynomial, right: &Polynomial) -> Option<Polynomial> {
    match operator {
        BinaryOperator::Add => left.checked_add(right),
        BinaryOperator::Subtract => left.checked_subtract(right),
        BinaryOperator::Multiply => left.checked_multiply(right),
        BinaryOperator::Divide => {
            let divisor = right.as_constant()?;
            match left.as_constant() {
                // Division of integers truncates in every language that is read.
                Some(dividend) => dividend.checked_div(divisor).map(Polynomial::constant),
                None => left.exact_division(divisor),
            }
        }
        BinaryOperator::Power => {
            let exponent = right.as_constant()?;
            if !(0..=MAX_EXPONENT).contains(&exponent) {
                return None;
            }
            let mut power = Polynomial::constant(1);
            for _ in 0..exponent {
                power = power.checked_multiply(left)?;
                if power.term_count() > MAX_TERMS {
                    return None;
                }
            }
            Some(power)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
