//! Tests, and waits for any or some of several requests, that the runtime can make.
//!
//! They stay in their places. Which requests they complete is known only when the program runs, so each names all buffers that
//! may be concerned.

use crate::ir::{CompletionKind, Expression, ExpressionKind, Procedure, Status, Subscript};
use crate::plan::{Reason, ReasonCode};

use super::request::{status_obstacle, statuses_obstacle};

/// Why a test, or a wait for any or some of several requests, stays with MPI, besides what its requests are asked for.
pub fn completion_obstacle(
    procedure: &Procedure,
    kind: CompletionKind,
    indices: Option<&Expression>,
    statuses: &Status,
) -> Option<Reason> {
    let status = match kind.stores_several_statuses() {
        true => statuses_obstacle(procedure, statuses),
        false => status_obstacle(procedure, statuses),
    };
    let indices = indices.filter(|_| kind.stores_several_statuses());
    status.or_else(|| indices_obstacle(procedure, indices?))
}

/// The module tells calls apart by the ranks of their arguments: the indices must be an array with one dimension.
fn indices_obstacle(procedure: &Procedure, indices: &Expression) -> Option<Reason> {
    let is_list = match &indices.kind {
        ExpressionKind::Symbol(array) => procedure.symbol(*array).rank() == 1,
        ExpressionKind::Section { subscripts, .. } => matches!(subscripts.as_slice(), [Subscript::Range { .. }]),
        _ => false,
    };
    (!is_list).then(|| {
        let message = "the indices are not an array with one dimension";
        Reason::at(ReasonCode::UnsupportedOperation, indices.span, message)
    })
}
