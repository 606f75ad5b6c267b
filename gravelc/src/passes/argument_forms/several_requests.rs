//! The wait for all of one request that is a variable by itself.

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::ir::{Expression, ExpressionKind, Operation, Procedure, Shape, Status, SymbolClass};

/// Gives the operation a form that the runtime's calls take and that means the same. Has it changed?
///
/// A wait for one request that is a variable by itself is the wait for it, but where the call tells of its error
/// (`tells_of_error`): it has a code of its own for that (MPI 4.0, section 3.7.5).
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
        _ => false,
    }
}

fn number(body: &Procedure, expression: &Expression) -> Option<i64> {
    polynomial_of(body, expression).and_then(|value| value.as_constant())
}
