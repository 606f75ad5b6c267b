//! Posts of called procedures that hand their requests back: each stores its request in an argument, and who has called waits for it.
//!
//! Such a request has another element of its array, or another variable, in each call, so it is not followed as one variable of the
//! program ([`super::requests`]). But a variable that begins and ends with a run of its procedure, and that only posts, completions and
//! such calls name, holds nothing but requests of this run.

use crate::ir::{
    Callee, Expression, ExpressionKind, Place, Procedure, ProcedureId, StatementId, StatementKind, Storage,
    SymbolClass, SymbolId,
};

use super::super::facts::{Facts, SiteId};
use super::super::program::contents::is_messaging_constant;
use super::requests::{RequestVariable, shape_inquiries};

/// A post in a called procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HandedPost {
    /// The statement that calls the procedure.
    pub call: StatementId,
    /// The post.
    pub post: SiteId,
}

/// The posts of called procedures whose requests the variable `request` of `procedure` holds. All others that it may hold are made by
/// statements of the procedure itself, in the same run.
///
/// # Errors
/// The statement that uses the variable in another way; `None`: it is no plain variable of one run.
pub fn posts_handed_back(
    facts: &Facts,
    procedure: ProcedureId,
    request: SymbolId,
) -> Result<Vec<HandedPost>, Option<StatementId>> {
    let body = facts.procedure(procedure);
    if body.symbol(request).storage != Storage::Local || body.dummies.contains(&request) || !is_plain(body, request) {
        return Err(None);
    }
    let mut found = Vec::new();
    for (&statement, &count) in facts.mentions(procedure, request) {
        let site = SiteId { procedure, statement };
        let count = count - shape_inquiries(facts, site, &RequestVariable::of(facts, procedure, request));
        let is_understood = match &body.statement(statement).kind {
            _ if count == 0 => true,
            StatementKind::Communication(call) => count == 1 && is_named_by(call.request(), request),
            // What is no request of an operation: a number, or the null request.
            StatementKind::Assign { target, value, .. } => {
                let is_number = matches!(value.kind, ExpressionKind::Integer(_));
                count == 1
                    && target.designated() == Some(request)
                    && (is_number || is_messaging_constant(body, value, "mpi_request_null"))
            }
            StatementKind::Call { callee: Callee::Procedure(callee), arguments } => {
                let handed = arguments.iter().enumerate().filter(|(_, argument)| is_named_by(Some(argument), request));
                let mut handed_count = 0;
                let mut posts = Vec::new();
                for (position, _) in handed {
                    handed_count += 1;
                    posts.extend(posts_into_dummy(facts, *callee, position).ok_or(Some(statement))?);
                }
                found.extend(posts.into_iter().map(|post| HandedPost { call: statement, post }));
                handed_count == count
            }
            _ => false,
        };
        if !is_understood {
            return Err(Some(statement));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The posts of the procedure that store their requests in the dummy argument at this position; `None` if anything else is done with it.
fn posts_into_dummy(facts: &Facts, procedure: ProcedureId, position: usize) -> Option<Vec<SiteId>> {
    let body = facts.procedure(procedure);
    let dummy = *body.dummies.get(position)?;
    if body.symbol(dummy).storage != Storage::Dummy || !is_plain(body, dummy) {
        return None;
    }
    let is_evaluated = |part: &Expression| part.designated() == Some(dummy);
    if body.evaluated_at_entry.iter().any(|it| it.any(&is_evaluated)) {
        return None;
    }
    let mentions = facts.mentions(procedure, dummy).iter();
    let posts = mentions.map(|(&statement, &count)| {
        let site = SiteId { procedure, statement };
        let post = facts.communication(site).filter(|call| !call.is_counted_at_callers && call.wrapper.is_none());
        (count == 1 && is_named_by(post?.posted_request(), dummy)).then_some(site)
    });
    posts.collect()
}

/// Is the variable a variable without further names in its procedure?
fn is_plain(body: &Procedure, variable: SymbolId) -> bool {
    let symbol = body.symbol(variable);
    symbol.class == SymbolClass::Variable
        && symbol.overlay.is_none()
        && symbol.holder().is_none()
        && symbol.scope.is_none()
        && symbol.place_inside.is_none()
        && matches!(symbol.place, None | Some(Place::Handed { .. }))
        && !symbol.target
        && !symbol.volatile
}

/// Is it the variable, or one of its elements?
fn is_named_by(expression: Option<&Expression>, variable: SymbolId) -> bool {
    expression.is_some_and(|expression| {
        matches!(expression.kind, ExpressionKind::Symbol(_) | ExpressionKind::Element { .. })
            && expression.designated() == Some(variable)
    })
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
