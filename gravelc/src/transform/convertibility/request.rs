//! Requests and statuses that can be followed.
//!
//! Each request variable gets a shadow of the runtime's, an array one of the same shape. That is right only where the
//! program does nothing with the variable but make requests, complete them and set them to the null request: then every
//! statement that changes the variable changes its shadow alike.

use std::collections::BTreeSet;

use crate::analysis::effects::{AccessKind, symbols_read_by};
use crate::analysis::facts::{Facts, SiteId, mentions};
use crate::analysis::matching::Class;
use crate::analysis::message::message_region;
use crate::analysis::prover::Assumptions;
use crate::analysis::requests::is_null_assignment;
use crate::ir::{
    Expression, ExpressionKind, Message, Procedure, ProcedureKind, Shape, Span, StatementId, StatementKind, Status,
    Storage, Subscript, Symbol, SymbolId, TypeCategory,
};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::ends_loop;

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

/// The statuses of a wait for several requests must be a whole array with a column, or an element of the derived type,
/// for each.
pub fn statuses_obstacle(procedure: &Procedure, statuses: &Status) -> Option<Reason> {
    let variable = statuses.variable()?;
    let is_whole = match variable.kind {
        ExpressionKind::Symbol(id) => {
            let symbol = procedure.symbol(id);
            symbol.rank() == if symbol.element.category == TypeCategory::Derived { 1 } else { 2 }
        }
        _ => false,
    };
    (!is_whole).then(|| {
        let message = "the statuses are not a whole array with one status for each request";
        Reason::at(ReasonCode::UnsupportedOperation, variable.span, message)
    })
}

/// A request is followed only if it is a scalar, or an element of an array, of the procedure's own that nothing but
/// posts of this class, waits and assignments of the null request use.
pub fn request_obstacle(facts: &Facts, class: &Class, site: SiteId, request: &Expression) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let text = facts.program.text(request.span);
    let escape = |message: String| Some(Reason::at(ReasonCode::RequestEscapes, request.span, message));
    let symbol = match request.kind {
        ExpressionKind::Symbol(symbol) if procedure.symbol(symbol).rank() == 0 => symbol,
        ExpressionKind::Element { array, .. } => array,
        _ => return escape(format!("the request `{text}` is neither a scalar variable nor an element of an array")),
    };
    if let Some(reason) = variable_obstacle(facts, class, site, symbol, request)
        && !Clause::RequestsFollowed.is_off()
    {
        return Some(reason);
    }
    if procedure.symbol(symbol).rank() > 0 {
        return None;
    }
    let buffers: BTreeSet<SymbolId> = mentions(procedure, symbol)
        .into_keys()
        .filter_map(|statement| facts.communication(SiteId { procedure: site.procedure, statement }))
        .flat_map(|communication| communication.messages().filter_map(|message| message.buffer.designated()))
        .collect();
    if buffers.len() > 1 {
        let names: Vec<String> = buffers.iter().map(|&id| format!("`{}`", procedure.symbol(id).name)).collect();
        let message = format!("the request `{text}` is used for several buffers: {}", names.join(", "));
        return Some(Reason::at(ReasonCode::RequestShared, request.span, message));
    }
    None
}

/// The requests of one wait must be neighbours in an array with one dimension: its shadow is passed in the same way.
pub fn requests_obstacle(facts: &Facts, class: &Class, site: SiteId, requests: &Expression) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let array = match &requests.kind {
        ExpressionKind::Symbol(symbol) => Some(*symbol),
        ExpressionKind::Element { array, .. } => Some(*array),
        ExpressionKind::Section { array, subscripts } => {
            matches!(subscripts.as_slice(), [Subscript::Range { stride: None, .. }]).then_some(*array)
        }
        _ => None,
    };
    match array.filter(|&array| procedure.symbol(array).rank() == 1) {
        Some(array) => variable_obstacle(facts, class, site, array, requests),
        None => {
            let text = facts.program.text(requests.span);
            let message = format!("the requests `{text}` are not a part of an array with one dimension");
            Some(Reason::at(ReasonCode::RequestEscapes, requests.span, message))
        }
    }
}

/// Why no shadow can stand for the variable that holds `request`.
fn variable_obstacle(
    facts: &Facts,
    class: &Class,
    site: SiteId,
    symbol: SymbolId,
    request: &Expression,
) -> Option<Reason> {
    let procedure = facts.procedure(site.procedure);
    let text = facts.program.text(request.span);
    let escape = |span: Span, message: String| Some(Reason::at(ReasonCode::RequestEscapes, span, message));
    let variable = procedure.symbol(symbol);
    let is_own = match variable.storage {
        Storage::Local => true,
        Storage::Static => procedure.kind == ProcedureKind::Main && !variable.initialised,
        _ => false,
    };
    if !is_own || variable.target || variable.volatile || variable.overlay.is_some() || !has_shape(variable) {
        let what = if variable.rank() == 0 { "a plain scalar" } else { "a plain array" };
        return escape(request.span, format!("the request `{text}` is not {what} variable of this procedure"));
    }
    mentions(procedure, symbol).into_iter().find_map(|(statement, count)| {
        let user = procedure.statement(statement);
        let is_member = class.members.contains(&SiteId { procedure: site.procedure, statement });
        let is_followed = count == 1
            && match &user.kind {
                StatementKind::Communication(communication) => {
                    is_member && communication.request().and_then(Expression::designated) == Some(symbol)
                }
                _ => is_null_assignment(procedure, statement, symbol),
            };
        let line = facts.program.line(user.span);
        if !is_followed {
            return escape(user.span, format!("the request `{text}` is used at line {line} in another way"));
        }
        let has_room = !user.shares_line && !ends_loop(procedure, statement);
        if let StatementKind::Assign { target, .. } = &user.kind {
            if !has_room {
                let message = format!("no statement can follow the assignment of the null request at line {line}");
                return Some(Reason::at(ReasonCode::SharedLine, user.span, message));
            }
            // The element is named a second time, for the shadow.
            if symbols_read_by(procedure, &target.children()).is_none() {
                return escape(user.span, format!("which request is set to null at line {line} can't be told twice"));
            }
        }
        None
    })
}

/// Are all bounds written in the declaration, so that it can be repeated?
fn has_shape(variable: &Symbol) -> bool {
    match &variable.shape {
        Shape::Scalar => true,
        Shape::Array(dimensions) => {
            dimensions.iter().all(|dimension| dimension.lower.is_some() && dimension.upper.is_some())
        }
    }
}

/// An access to the buffer that the program itself makes, in the same block, between a non-blocking call and its wait.
/// MPI forbids it (MPI 4.0, section 3.7.2), but a copy that MPI made of a small message may have hidden it.
pub fn touched_while_pending(
    facts: &Facts,
    site: SiteId,
    message: &Message,
    conflicts: &[AccessKind],
) -> Option<Reason> {
    if Clause::NotTouchedWhilePending.is_off() {
        return None;
    }
    let procedure = facts.procedure(site.procedure);
    let request = facts.communication(site)?.posted_request()?.designated()?;
    let region = message_region(procedure, message).ok()?;
    let may_end_it = |id: StatementId| {
        let statement = procedure.statement(id);
        // Another post to the same array goes to another element, or loses the request.
        let is_post =
            matches!(&statement.kind, StatementKind::Communication(found) if found.posted_request().is_some());
        let expressions = statement.kind.expressions();
        let names = expressions.iter().flat_map(|found| found.walk()).any(|part| part.designated() == Some(request));
        names && !(is_post && procedure.symbol(request).rank() > 0)
    };
    let (block, index) = procedure.siblings(site.statement);
    for &next in &block[index + 1..] {
        if procedure.with_descendants(next).into_iter().any(may_end_it) {
            return None;
        }
        let access =
            facts.effects(site.procedure, next).first_access(procedure, &region, conflicts, &Assumptions::new());
        if let Some(access) = access.filter(|found| {
            matches!(
                procedure.statement(found.statement).kind,
                StatementKind::Assign { .. } | StatementKind::InputOutput { .. }
            )
        }) {
            let line = facts.program.line(access.span);
            let name = &procedure.symbol(region.symbol).name;
            let text = format!("the program may use `{name}` at line {line} while the operation is pending");
            return Some(Reason::at(ReasonCode::BufferTouched, access.span, text));
        }
    }
    None
}
