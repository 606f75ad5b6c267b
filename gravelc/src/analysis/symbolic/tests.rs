//! Integer expressions.

use super::*;
use crate::analysis::testing::{Builder, add, expression, int, multiply, subtract, var};
use crate::ir::Expression;

fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    expression(ExpressionKind::Binary { operator, left: Box::new(left), right: Box::new(right) })
}

#[test]
fn sums_products_and_powers_are_expanded() {
    let mut builder = Builder::new();
    let n = builder.integer("n");
    let procedure = builder.finish();
    let square = multiply(add(var(n), int(1)), subtract(var(n), int(1)));
    let power = subtract(binary(BinaryOperator::Power, var(n), int(2)), int(1));
    assert_eq!(polynomial_of(&procedure, &square), polynomial_of(&procedure, &power));
    assert!(polynomial_of(&procedure, &square).is_some());
}

#[test]
fn only_divisions_without_remainder_are_expanded() {
    let mut builder = Builder::new();
    let n = builder.integer("n");
    let procedure = builder.finish();
    let divided =
        |by: i64| polynomial_of(&procedure, &binary(BinaryOperator::Divide, multiply(int(6), var(n)), int(by)));
    assert_eq!(divided(3), polynomial_of(&procedure, &multiply(int(2), var(n))));
    assert_eq!((divided(4), divided(0)), (None, None));
    let truncated = binary(BinaryOperator::Divide, int(-7), int(2));
    assert_eq!(polynomial_of(&procedure, &truncated), Some(Polynomial::constant(-3)));
}

#[test]
fn what_has_no_integer_value_that_is_known_is_unknown() {
    let mut builder = Builder::new();
    let real = builder.real("x");
    let volatile = builder.integer("v");
    builder.symbol_mut(volatile).volatile = true;
    let constant = builder.integer("c");
    builder.symbol_mut(constant).class = SymbolClass::Constant(Some(7));
    let procedure = builder.finish();
    assert_eq!(polynomial_of(&procedure, &var(real)), None);
    assert_eq!(polynomial_of(&procedure, &var(volatile)), None);
    assert_eq!(polynomial_of(&procedure, &var(constant)), Some(Polynomial::constant(7)));
    let overflow = multiply(int(i64::MAX), int(2));
    assert_eq!(polynomial_of(&procedure, &overflow), None);
}

#[test]
fn products_of_many_sums_are_given_up() {
    let mut builder = Builder::new();
    let symbols: Vec<SymbolId> = (0..24).map(|number| builder.integer(&format!("n{number}"))).collect();
    let procedure = builder.finish();
    let sums = symbols.chunks(2).map(|pair| add(var(pair[0]), var(pair[1])));
    let product = sums.reduce(multiply).expect("twelve factors");
    assert_eq!(polynomial_of(&procedure, &product), None);
}
