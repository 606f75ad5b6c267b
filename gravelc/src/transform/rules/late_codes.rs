//! Error codes that the program may look at, where MPI returns them.
//!
//! A wait that moves down, or a post that moves up, tells of an error somewhere else than the call whose place it takes. Where
//! errors end the program nobody can tell. Where they are returned (`MPI_ERRORS_RETURN`), the call stays where its code may be
//! looked at before it is overwritten ([`crate::analysis::messages::error_codes`]). A blocking receive is judged by its wait,
//! which tells of errors of the post, too: the runtime keeps them for it. The wait of a blocking send is told of no error that
//! its call would have returned: the post, which stands in the place of the call, is. Where the runtime keeps no errors of posts
//! ([`crate::ir::Dialect::posts_keep_errors`]), neither the post of a blocking receive nor the opening of a transfer leaves its
//! place then.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::messages::error_codes::code_looked_at;
use crate::analysis::messages::error_handling::Errors;
use crate::ir::Operation;
use crate::plan::{Reason, ReasonCode};

use super::leaving_branches::is_unused;

/// Why the call, or its wait, can't be somewhere else: something may look at the error code that it stores where it stands.
pub fn late_code(facts: &Facts, site: SiteId) -> Option<Reason> {
    let Errors::MayBeReturned(handler) = facts.errors() else { return None };
    let communication = facts.communication(site)?;
    let line = |span| facts.program.line_named(span);
    if let Some(span) = code_looked_at(facts, site) {
        let name = communication.error.as_ref().map_or_else(String::new, |error| facts.program.text(error.span));
        let message = format!(
            "line {} may look at the error code in `{name}`, for the error handler at line {} lets calls return errors",
            line(span),
            line(*handler)
        );
        return Some(Reason::at(ReasonCode::ErrorHandler, span, message));
    }
    // Statuses of several requests tell of their errors, too.
    let Operation::WaitAll { statuses, .. } = &communication.operation else { return None };
    let span = facts.procedure(site.procedure).statement(site.statement).span;
    let message = format!(
        "the error handler at line {} lets calls return errors, which the statuses tell of, too",
        line(*handler)
    );
    (!is_unused(facts, site.procedure, statuses)).then(|| Reason::at(ReasonCode::ErrorHandler, span, message))
}
