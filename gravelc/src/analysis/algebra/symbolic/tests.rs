//! Integer expressions.

use super::*;
use crate::analysis::testing::{Builder, add, expression, int, multiply, subtract, var};
use crate::ir::{ElementType, Expression, Shape, Storage, TypeCategory};

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

#[test]
fn sizes_and_bounds_of_arrays_with_constant_bounds_are_known() {
    let mut builder = Builder::new();
    let n = builder.integer("n");
    let real = ElementType { category: TypeCategory::Real, bytes: Some(8) };
    let dimension = |lower: i64, upper: Expression| ArrayDimension { lower: Some(int(lower)), upper: Some(upper) };
    let mut array = |name: &str, dimensions| builder.symbol(name, real, Shape::Array(dimensions), Storage::Local);
    let fixed = array("fixed", vec![dimension(1, int(3)), dimension(0, int(4))]);
    let empty = array("empty", vec![dimension(5, int(1))]);
    let open = array("open", vec![dimension(2, var(n))]);
    let endless = array("endless", vec![]);
    let of = |name: &str, array, arguments: &[i64]| {
        let arguments = std::iter::once(var(array)).chain(arguments.iter().map(|&value| int(value))).collect();
        expression(ExpressionKind::Call { callee: Callee::PureIntrinsic(name.to_owned()), arguments })
    };
    // Its own bound, which no valid program has.
    let own = ArrayDimension { lower: Some(int(1)), upper: Some(of("size", endless, &[])) };
    builder.symbol_mut(endless).shape = Shape::Array(vec![own]);
    let procedure = builder.finish();
    let value = |name: &str, array, arguments: &[i64]| {
        polynomial_of(&procedure, &of(name, array, arguments)).and_then(|value| value.as_constant())
    };
    assert_eq!(
        (value("size", fixed, &[]), value("size", fixed, &[2]), value("size", fixed, &[3])),
        (Some(15), Some(5), None)
    );
    assert_eq!(
        (value("lbound", fixed, &[2]), value("ubound", fixed, &[2]), value("ubound", fixed, &[])),
        (Some(0), Some(4), None)
    );
    assert_eq!(
        (value("size", empty, &[]), value("lbound", empty, &[1]), value("ubound", empty, &[1])),
        (Some(0), Some(1), Some(0))
    );
    assert_eq!((value("size", open, &[]), value("lbound", open, &[1])), (None, None));
    assert_eq!(value("size", endless, &[]), None);
}
