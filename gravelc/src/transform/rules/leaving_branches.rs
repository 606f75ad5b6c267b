//! Whether a wait may leave the branch that it stands in: where the branch is not taken, it then waits for the null request.
//!
//! The request must be set nowhere but in the branch, and be null again at its end without the move, so that making it null
//! before the branch loses nothing. Nobody may look at the status, which a wait for the null request stores, too (MPI 4.1,
//! 3.7.3).

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::repeatable::symbols_read_by;
use crate::analysis::messages::requests::{RequestVariable, constant_element, posts_into};
use crate::ir::{
    Expression, ExpressionKind, Procedure, ProcedureId, ProcedureKind, StatementId, Status, Storage, SymbolId,
};
use crate::mutations::Clause;
use crate::transform::found::{Moves, Place};

/// Does nothing in the program look at the status, or at what the same variable gets from other calls?
pub fn is_unused(facts: &Facts, procedure: ProcedureId, status: &Status) -> bool {
    let Status::Stored(stored) = status else { return true };
    let body = facts.procedure(procedure);
    let Some(variable) = stored.designated() else { return false };
    let stores_only = |(&statement, &times): (&StatementId, &usize)| {
        let communication = facts.communication(SiteId { procedure, statement });
        let status = communication.and_then(|communication| communication.status().variable());
        times == 1 && status.and_then(Expression::designated) == Some(variable)
    };
    Clause::NullRequests.is_off()
        || ends_with_run(facts, procedure, variable)
            && !body.symbol(variable).target
            && !body.statements.iter().any(|statement| statement.kind.is_opaque())
            && facts.mentions(procedure, variable).iter().all(stores_only)
}

/// Is the variable gone when the procedure returns, and nobody else's?
pub fn ends_with_run(facts: &Facts, procedure: ProcedureId, variable: SymbolId) -> bool {
    let body = facts.procedure(procedure);
    let symbol = body.symbol(variable);
    let is_own =
        symbol.storage == Storage::Local || symbol.storage == Storage::Static && body.kind == ProcedureKind::Main;
    is_own && symbol.overlay.is_none() && !body.dummies.contains(&variable)
}

/// Does the statement stand in a block of the other one?
pub fn is_inside(body: &Procedure, statement: StatementId, around: StatementId) -> bool {
    std::iter::successors(body.statement(statement).parent, |&id| body.statement(id).parent).any(|id| id == around)
}

/// Does the post of the operation stay inside the branch?
pub fn stays_inside(facts: &Facts, post: SiteId, moves: Option<&Moves>, branch: StatementId) -> bool {
    match moves.and_then(|moves| moves.hoisted.as_ref()) {
        Some(Ok(hoisted)) => match &hoisted.place {
            Place::Own(own) => is_inside(facts.procedure(post.procedure), own.before, branch),
            Place::InCallers(_) => false,
        },
        _ => true,
    }
}

/// Is the request of the wait one that only these posts make, each above the wait in the same block, which control does not
/// leave in between?
pub fn is_posted_beside(facts: &Facts, wait: SiteId, posts: &[SiteId], request: &Expression) -> bool {
    let procedure = wait.procedure;
    let body = facts.procedure(procedure);
    let Some(variable) = request.designated() else { return false };
    let element = |request: &Expression| {
        if let ExpressionKind::Element { subscripts, .. } = &request.kind
            && let [Expression { kind: ExpressionKind::Integer(number), .. }] = subscripts.as_slice()
        {
            return Some(*number);
        }
        let is_literal = symbols_read_by(body, &request.children()).is_some_and(|symbols| symbols.is_empty());
        constant_element(facts, procedure, request).filter(|_| is_literal)
    };
    let is_scalar = body.symbol(variable).rank() == 0;
    let requested = |post: &SiteId| facts.communication(*post).and_then(|found| found.posted_request());
    let own = posts.first().and_then(requested).and_then(element);
    if !ends_with_run(facts, procedure, variable) || own.is_none() && !is_scalar {
        return false;
    }
    let is_own = |post: &SiteId| is_scalar || requested(post).and_then(element).is_none_or(|other| Some(other) == own);
    let all = posts_into(facts, &RequestVariable::of(facts, procedure, variable));
    let (block, end) = body.siblings(wait.statement);
    let is_above = |post: &SiteId| {
        let begin = block.iter().position(|&statement| statement == post.statement);
        post.procedure == procedure
            && begin.is_some_and(|begin| {
                let between = block.get(begin + 1..end);
                between.is_some_and(|between| {
                    between.iter().all(|&statement| {
                        let effects = facts.effects(procedure, statement);
                        effects.leaves.is_none()
                            && effects.everything.is_none()
                            && !body.statement(statement).jump_target
                    })
                })
            })
    };
    if Clause::NullRequests.is_off() {
        return true;
    }
    let is_reached = !body.statement(wait.statement).jump_target;
    is_reached && posts.iter().all(is_above) && all.iter().filter(|post| is_own(post)).all(|post| posts.contains(post))
}
