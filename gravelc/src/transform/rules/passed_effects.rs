//! What others can see of statements, and waits pass all the same.
//!
//! The wait of a receive does not pass what others can see: that the message has come may be what sees to it that something
//! else happens first. Messages and collective operations it passes where nobody can notice
//! ([`crate::analysis::messages::effect_order`]). The wait of a send tells nobody anything, and passes whatever is known. What a call of a
//! given procedure does is what the statements of that procedure do.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::ExternalKind;
use crate::analysis::messages::effect_order::may_be_passed_by_waits;
use crate::ir::{Callee, Expression, ExpressionKind, Procedure, ProcedureId, StatementId, StatementKind};
use crate::plan::Reason;

use super::movement::Surroundings;

impl Surroundings<'_> {
    /// An effect of the statement that the wait of a receive must not pass.
    pub fn effect_behind_wait(&self, statement: StatementId) -> Option<Reason> {
        let reason = self.visible_effect(statement)?;
        let may_be_passed = |facts: &Facts, site: SiteId, kind: &ExternalKind| {
            *kind == ExternalKind::Communication && may_be_passed_by_waits(facts, site)
        };
        (!self.are_passed(statement, &may_be_passed)).then_some(reason)
    }

    /// An effect of the statement that the wait of a send must not pass: one that is not known.
    pub fn effect_behind_wait_of_send(&self, statement: StatementId) -> Option<Reason> {
        let reason = self.hidden_effect(statement)?;
        let is_known = |_: &Facts, _: SiteId, kind: &ExternalKind| !kind.is_hidden();
        (!self.are_passed(statement, &is_known)).then_some(reason)
    }

    fn are_passed(&self, statement: StatementId, may_be_passed: &MayBePassed) -> bool {
        let mut seen = BTreeSet::new();
        let statements = self.body().with_descendants(statement);
        are_passed(self.facts, self.procedure, &statements, may_be_passed, &mut seen)
    }
}

/// May the effect of this kind of the statement be passed?
type MayBePassed<'f> = dyn Fn(&Facts, SiteId, &ExternalKind) -> bool + 'f;

/// May all effects of the statements of the procedure be passed? `seen` are the procedures that have been asked about.
fn are_passed(
    facts: &Facts,
    procedure: ProcedureId,
    statements: &[StatementId],
    may_be_passed: &MayBePassed,
    seen: &mut BTreeSet<ProcedureId>,
) -> bool {
    let body = facts.procedure(procedure);
    statements.iter().all(|&statement| {
        let kind = &body.statement(statement).kind;
        if !kind.blocks().is_empty() {
            return kind.expressions().into_iter().all(|expression| is_quiet(body, expression));
        }
        let Some(external) = &facts.effects(procedure, statement).external else { return true };
        match (&external.kind, kind) {
            (ExternalKind::Procedure(_), StatementKind::Call { callee: Callee::Procedure(callee), arguments }) => {
                arguments.iter().all(|argument| is_quiet(body, argument))
                    && is_passed(facts, *callee, may_be_passed, seen)
            }
            (ExternalKind::Procedure(_), _) => false,
            // A call of MPI itself comes last among its effects. Behind others may come those of what the statement evaluates.
            (other, _) => {
                (*other == ExternalKind::Communication
                    || kind.expressions().into_iter().all(|expression| is_quiet(body, expression)))
                    && may_be_passed(facts, SiteId { procedure, statement }, other)
            }
        }
    })
}

/// May all effects of a call of the procedure be passed?
fn is_passed(
    facts: &Facts,
    callee: ProcedureId,
    may_be_passed: &MayBePassed,
    seen: &mut BTreeSet<ProcedureId>,
) -> bool {
    if !seen.insert(callee) {
        return true;
    }
    let body = facts.procedure(callee);
    body.evaluated_at_entry.iter().all(|expression| is_quiet(body, expression))
        && are_passed(facts, callee, &body.statements_in_order(), may_be_passed, seen)
}

/// Does nobody see that the expression is evaluated?
fn is_quiet(body: &Procedure, expression: &Expression) -> bool {
    !expression.any(&|part: &Expression| match &part.kind {
        ExpressionKind::Call { callee, .. } => !matches!(callee, Callee::PureIntrinsic(_)),
        ExpressionKind::Opaque(_) => true,
        _ => part.designated().is_some_and(|symbol| body.symbol(symbol).volatile),
    })
}
