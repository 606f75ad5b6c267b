//! Requests and statuses that can be followed.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId, mentions};
use crate::analysis::matching::Class;
use crate::ir::{
    Expression, ExpressionKind, Procedure, ProcedureKind, Span, StatementKind, Status, Storage, SymbolId, TypeCategory,
};
use crate::plan::{Reason, ReasonCode};

/// The status must be a variable as a whole: the module tells an array from the error code by its rank.
pub fn status_obstacle(procedure: &Procedure, status: &Status) -> Option<Reason> {
    let variable = status.variable()?;
    let is_array_element = match &variable.kind {
        ExpressionKind::Symbol(_) => false,
        ExpressionKind::Element { array, .. } => procedure.symbol(*array).element.category != TypeCategory::Derived,
        _ => true,
    };
    is_array_element.then(|| {
        let message = "the status is a part of a larger array";
        Reason::at(ReasonCode::UnsupportedOperation, variable.span, message)
    })
}

/// A request is followed only if it is a scalar of the procedure's own that nothing but posts of this class and MPI_Wait use.
pub fn request_obstacle(facts: &Facts, class: &Class, site: SiteId, request: &Expression) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let escape = |span: Span, message: String| Some(Reason::at(ReasonCode::RequestEscapes, span, message));
    let text = facts.program.text(request.span);
    let ExpressionKind::Symbol(symbol) = request.kind else {
        return escape(request.span, format!("the request `{text}` is not a scalar variable"));
    };
    let variable = procedure.symbol(symbol);
    let is_main = procedure.kind == ProcedureKind::Main;
    let is_own = match variable.storage {
        Storage::Local => true,
        Storage::Static => is_main && !variable.initialised,
        _ => false,
    };
    if !is_own || variable.rank() > 0 || variable.target || variable.volatile || variable.overlay.is_some() {
        return escape(request.span, format!("the request `{text}` is not a plain scalar variable of this procedure"));
    }
    let mut buffers: BTreeSet<SymbolId> = BTreeSet::new();
    for (statement, count) in mentions(procedure, symbol) {
        let user = procedure.statement(statement);
        let is_member = class.members.contains(&SiteId { procedure: site.procedure, statement });
        let communication = match &user.kind {
            StatementKind::Communication(communication) if is_member && count == 1 => communication,
            _ => {
                let line = facts.program.line(user.span);
                return escape(user.span, format!("the request `{text}` is used at line {line} in another way"));
            }
        };
        if communication.request().and_then(Expression::designated) != Some(symbol) {
            let line = facts.program.line(user.span);
            return escape(user.span, format!("the request `{text}` is used at line {line} in another way"));
        }
        buffers.extend(communication.message().and_then(|message| message.buffer.designated()));
    }
    if buffers.len() > 1 {
        let names: Vec<String> = buffers.iter().map(|&id| format!("`{}`", procedure.symbol(id).name)).collect();
        let message = format!("the request `{text}` is used for several buffers: {}", names.join(", "));
        return Some(Reason::at(ReasonCode::RequestShared, request.span, message));
    }
    None
}
