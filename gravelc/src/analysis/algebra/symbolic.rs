//! Integer expressions as polynomials.

use std::collections::BTreeSet;

use crate::ir::{
    ArrayDimension, BinaryOperator, Callee, Expression, ExpressionKind, Polynomial, Procedure, Region, Shape,
    SymbolClass, SymbolId, TypeCategory, UnaryOperator,
};
use crate::mpi::constants::is_kind_of_addresses;

/// Larger exponents are not expanded.
const MAX_EXPONENT: i64 = 4;

/// Polynomials with more terms are given up: products of sums grow exponentially.
const MAX_TERMS: usize = 128;

/// The polynomial that an integer expression computes, over the values that its variables have where it is evaluated.
///
/// `None` ("unknown") for everything but integer literals, named constants, elements of constant arrays and scalars that
/// are not VOLATILE, joined by `+`, `-`, `*`, powers with a small constant exponent, and divisions by a constant that
/// leave no remainder, some intrinsic functions of constants, and sizes of arrays with constant bounds.
pub fn polynomial_of(procedure: &Procedure, expression: &Expression) -> Option<Polynomial> {
    evaluate(procedure, expression, &|symbol| Some(Polynomial::variable(symbol)))
}

/// Is the value certainly an integer, whichever one?
pub fn is_integer(procedure: &Procedure, value: &Expression) -> bool {
    let of_both = |operands: &[&Expression]| operands.iter().all(|operand| is_integer(procedure, operand));
    match &value.kind {
        ExpressionKind::Integer(_) => true,
        ExpressionKind::Symbol(id) | ExpressionKind::Element { array: id, .. } => {
            procedure.symbol(*id).element.category == TypeCategory::Integer
        }
        ExpressionKind::Unary { operator, operand } => *operator != UnaryOperator::Not && of_both(&[operand]),
        ExpressionKind::Binary { operator, left, right } => {
            use BinaryOperator::{Add, Divide, Multiply, Power, Subtract};
            matches!(operator, Add | Subtract | Multiply | Divide | Power) && of_both(&[left, right])
        }
        ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } => match name.as_str() {
            "abs" | "mod" | "modulo" | "min" | "max" => arguments.iter().all(|it| is_integer(procedure, it)),
            "merge" => arguments.iter().take(2).all(|it| is_integer(procedure, it)),
            "int" | "nint" | "floor" | "ceiling" | "iabs" | "min0" | "max0" | "count" | "size" => true,
            _ => false,
        },
        _ => false,
    }
}

/// The variables whose values decide which elements `region` means.
pub fn symbols_of_region(region: &Region) -> BTreeSet<SymbolId> {
    region.variables()
}

/// [`polynomial_of`] with the values of the variables given by `value_of`; it is asked only for integer scalars.
pub fn evaluate(
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
        ExpressionKind::Element { array, subscripts } => {
            let symbol = procedure.symbol(*array);
            let elements =
                symbol.initial_values.as_ref().filter(|_| matches!(symbol.class, SymbolClass::Constant(_)))?;
            let value = |subscript| evaluate(procedure, subscript, value_of)?.as_constant();
            let subscripts: Option<Vec<i64>> = subscripts.iter().map(value).collect();
            Polynomial::constant(elements.element(&subscripts?)?)
        }
        ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } => {
            intrinsic(procedure, name, arguments, value_of)?
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

/// The size or a bound of an array that is declared with constant bounds (Fortran 2018, 16.9.109, 16.9.179 and 16.9.196).
fn constant_bound(procedure: &Procedure, name: &str, arguments: &[Expression]) -> Option<i64> {
    let (array, dimension) = match arguments {
        [array] => (array, None),
        [array, dimension] => (array, Some(polynomial_of(procedure, dimension)?.as_constant()?)),
        _ => return None,
    };
    let ExpressionKind::Symbol(array) = array.kind else { return None };
    let Shape::Array(dimensions) = &procedure.symbol(array).shape else { return None };
    // A bound that calls for other bounds could call for its own.
    let is_call = |part: &&Expression| matches!(part.kind, ExpressionKind::Call { .. });
    let constant = |bound: &Option<Expression>| {
        let bound = bound.as_ref().filter(|bound| !bound.walk().iter().any(is_call))?;
        polynomial_of(procedure, bound)?.as_constant()
    };
    let bounds = |dimension: &ArrayDimension| Some((constant(&dimension.lower)?, constant(&dimension.upper)?));
    let extent = |(lower, upper): (i64, i64)| Some(upper.checked_sub(lower)?.checked_add(1)?.max(0));
    let named = || dimensions.get(usize::try_from(dimension?.checked_sub(1)?).ok()?).and_then(bounds);
    let bound = match (name, dimension) {
        ("size", None) => {
            dimensions.iter().try_fold(1_i64, |size, dimension| size.checked_mul(extent(bounds(dimension)?)?))
        }
        ("size", Some(_)) => extent(named()?),
        // Of a dimension without elements these are the bounds.
        ("ubound", Some(_)) => named().and_then(|it| Some(if extent(it)? == 0 { 0 } else { it.1 })),
        ("lbound", Some(_)) => named().and_then(|it| Some(if extent(it)? == 0 { 1 } else { it.0 })),
        _ => None,
    };
    // It must fit into a default integer.
    bound.filter(|&bound| i32::try_from(bound).is_ok())
}

/// An intrinsic function of constants, or one that gives its argument unchanged.
fn intrinsic(
    procedure: &Procedure,
    name: &str,
    arguments: &[Expression],
    value_of: &dyn Fn(SymbolId) -> Option<Polynomial>,
) -> Option<Polynomial> {
    if let Some(bound) = constant_bound(procedure, name, arguments) {
        return Some(Polynomial::constant(bound));
    }
    let operands: Option<Vec<Polynomial>> =
        arguments.iter().map(|argument| evaluate(procedure, argument, value_of)).collect();
    let operands = operands?;
    let numbers: Option<Vec<i64>> = operands.iter().map(Polynomial::as_constant).collect();
    match (name, operands.as_slice(), numbers) {
        (_, _, Some(numbers)) if name != "int" => integer_intrinsic(name, &numbers).map(Polynomial::constant),
        // What is an integer stays what it is in a kind that is no smaller.
        ("int", [value, kind], _) if kind.as_constant() == Some(8) => Some(value.clone()),
        ("int", [value, _], _) if holds_addresses(procedure, &arguments[1]) => {
            is_of_default_integers(procedure, value).then(|| value.clone())
        }
        ("int", [value], _) => is_of_default_integers(procedure, value).then(|| value.clone()),
        _ => None,
    }
}

/// Is the value computed from default integers? What stands for an iteration of a loop is no variable of the procedure, and may be
/// of any kind.
fn is_of_default_integers(procedure: &Procedure, value: &Polynomial) -> bool {
    let bytes = Some(procedure.dialect().integer_bytes());
    let is_default = |id: SymbolId| procedure.symbols.get(id.0).is_some_and(|symbol| symbol.element.bytes == bytes);
    value.variables().into_iter().all(is_default)
}

/// Is it one of MPI's kinds for addresses and the like, which hold all default integers (MPI 4.0, section 2.5.6)?
fn holds_addresses(procedure: &Procedure, kind: &Expression) -> bool {
    match kind.kind {
        ExpressionKind::Symbol(id) => {
            let symbol = procedure.symbol(id);
            symbol.class == SymbolClass::MessagingConstant && is_kind_of_addresses(&symbol.name)
        }
        _ => false,
    }
}

/// The value of an intrinsic function of integers (Fortran 2018, clause 16.9) that has the same value for every kind of
/// its arguments; `None` for any other, and where it has none.
pub fn integer_intrinsic(name: &str, arguments: &[i64]) -> Option<i64> {
    match (name, arguments) {
        ("abs" | "iabs", &[a]) => a.checked_abs(),
        ("max" | "max0", [_, _, ..]) => arguments.iter().copied().max(),
        ("min" | "min0", [_, _, ..]) => arguments.iter().copied().min(),
        ("mod", &[a, p]) => a.checked_rem(p),
        ("modulo", &[a, p]) => {
            let rest = a.checked_rem(p)?;
            if rest != 0 && (rest < 0) != (p < 0) { rest.checked_add(p) } else { Some(rest) }
        }
        ("dim" | "idim", &[a, b]) => Some(a.checked_sub(b)?.max(0)),
        ("sign" | "isign", &[a, b]) => Some(if b < 0 { a.checked_abs()?.checked_neg()? } else { a.checked_abs()? }),
        ("iand" | "and", &[a, b]) => Some(a & b),
        ("ior" | "or", &[a, b]) => Some(a | b),
        ("ieor" | "xor", &[a, b]) => Some(a ^ b),
        // Without a kind, which could be too small for the value.
        ("int", &[a]) => i32::try_from(a).is_ok().then_some(a),
        _ => None,
    }
}

/// The value of an operation on integers; `None` where it has none.
pub fn integer_operation(operator: BinaryOperator, left: i64, right: i64) -> Option<i64> {
    binary(operator, &Polynomial::constant(left), &Polynomial::constant(right))?.as_constant()
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
