//! The requests of a wait for all of several, where they are given otherwise than as an array.

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::ir::{Expression, ExpressionKind, Operation, Procedure, Shape, Status, Subscript, SymbolClass, SymbolId};

use super::put_together;

/// Gives the operation a form that the runtime's calls take and that means the same. Has it changed?
///
/// A wait for one request that is a variable by itself is the wait for it, but where the call tells of its error
/// (`tells_of_error`): it has a code of its own for that (MPI 4.0, section 3.7.5). With an element of an array with two dimensions all that
/// follow it are meant, as they lie: a part of its column where they are in that, else all columns from there on, if it begins one.
pub(super) fn fit(body: &Procedure, operation: &mut Operation, tells_of_error: bool) -> bool {
    let Operation::WaitAll { count, requests, statuses } = operation else { return false };
    match &requests.kind {
        ExpressionKind::Symbol(variable) => {
            let symbol = body.symbol(*variable);
            let is_one = symbol.class == SymbolClass::Variable && symbol.shape == Shape::Scalar;
            if !is_one || tells_of_error || number(body, count) != Some(1) {
                return false;
            }
            // Of an array for several, the first one; what is no array of statuses does not fit in any way.
            let status = std::mem::replace(statuses, Status::Ignored);
            *operation = Operation::Wait { request: requests.clone(), status };
            true
        }
        ExpressionKind::Element { array, subscripts } => {
            let Some(kind) = from_element_on(body, *array, subscripts, number(body, count)) else { return false };
            *requests = put_together(kind, requests);
            true
        }
        _ => false,
    }
}

/// The section of an array with two dimensions that begins with an element and has so many requests, as far as is known.
fn from_element_on(
    body: &Procedure,
    array: SymbolId,
    subscripts: &[Expression],
    count: Option<i64>,
) -> Option<ExpressionKind> {
    let symbol = body.symbol(array);
    let (Shape::Array(dimensions), [row, column]) = (&symbol.shape, subscripts) else { return None };
    let [rows, columns] = dimensions.as_slice() else { return None };
    if symbol.may_be_strided {
        return None;
    }
    let first = number(body, row)?;
    let [lower, upper] = [&rows.lower, &rows.upper].map(|bound| bound.as_ref().and_then(|bound| number(body, bound)));
    let is_in_column =
        count.zip(upper).is_some_and(|(count, upper)| first.checked_add(count).is_some_and(|end| end - 1 <= upper));
    let from = |first: &Expression| Subscript::Range { lower: Some(first.clone()), upper: None, stride: None };
    let subscripts = match is_in_column {
        true => vec![from(row), Subscript::Index(column.clone())],
        false => {
            // Compilers have to know where the last column ends.
            columns.upper.as_ref().filter(|_| lower == Some(first))?;
            vec![Subscript::Range { lower: None, upper: None, stride: None }, from(column)]
        }
    };
    Some(ExpressionKind::Section { array, subscripts })
}

fn number(body: &Procedure, expression: &Expression) -> Option<i64> {
    polynomial_of(body, expression).and_then(|value| value.as_constant())
}
