//! Numbers that are not negative because the program hands them to MPI as counts.
//!
//! The stride of a vector is often computed (`nx + 2`, of an `nx` that depends on the number of processes), so that nothing says
//! what sign it has. Where the same number is a count of a call that runs before or after in any case, MPI itself demands that
//! it is not negative (MPI 4.0, sections 3.2.2 and 5.1.2).

use crate::analysis::algebra::prover::{Assumptions, is_nonnegative};
use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::facts::{Facts, SiteId};
use crate::ir::{
    Communication, ConstructorKind, Expression, Message, Operation, Polynomial, Procedure, StatementId, StatementKind,
};

/// Is the number, as the call at `site` evaluates it, at least as large as some count of that call or of one beside it?
pub(super) fn is_at_least_a_count(facts: &Facts, site: SiteId, number: &Expression) -> bool {
    let body = facts.procedure(site.procedure);
    let Some(value) = polynomial_of(body, number) else { return false };
    if value.variables().iter().any(|&variable| body.symbol(variable).volatile) {
        return false;
    }
    let leaves_value = |statement: StatementId| {
        let effects = facts.effects(site.procedure, statement);
        let is_written = |&variable: &_| effects.writes_symbol(body, variable).is_some();
        effects.everything.is_none() && !value.variables().iter().any(is_written)
    };
    let has_count = |statement: StatementId| match &body.statement(statement).kind {
        StatementKind::Communication(found) => has_count_up_to(body, found, &value),
        _ => false,
    };
    let (block, index) = body.siblings(site.statement);
    let runs_before = || {
        // Control may come to a label past what stands above it.
        let below = block[..=index].iter().rev();
        let above = block[..index].iter().rev();
        let pairs = below.zip(above);
        pairs
            .take_while(|&(&below, &above)| !body.statement(below).jump_target && leaves_value(above))
            .any(|(_, &above)| has_count(above))
    };
    let runs_after = || {
        let behind = block[index + 1..].iter();
        behind.take_while(|&&statement| returns(body, statement) && leaves_value(statement)).any(|&it| has_count(it))
    };
    has_count(site.statement) || runs_before() || leaves_value(site.statement) && runs_after()
}

/// Does what stands behind the statement run in any case, before any message does?
fn returns(body: &Procedure, statement: StatementId) -> bool {
    match &body.statement(statement).kind {
        StatementKind::Assign { .. } => true,
        StatementKind::Communication(found) => {
            matches!(found.operation, Operation::CreateDatatype { .. } | Operation::Inquiry { .. })
        }
        _ => false,
    }
}

/// Has the call a count that is at most `value`? That of a message under a condition is a count only where it holds.
fn has_count_up_to(body: &Procedure, communication: &Communication, value: &Polynomial) -> bool {
    let is_count = |message: &&Message| !message.is_exchange() && message.condition.is_none();
    let mut counts: Vec<&Expression> =
        communication.messages().filter(is_count).map(|message| &message.count).collect();
    if let Operation::CreateDatatype { constructor, .. } = &communication.operation {
        let number = match constructor.kind {
            ConstructorKind::Contiguous => 1,
            // How many blocks of how many elements.
            ConstructorKind::Vector { .. } => 2,
            _ => 0,
        };
        counts.extend(constructor.arguments.iter().take(number));
    }
    counts.into_iter().any(|count| {
        let room = polynomial_of(body, count).and_then(|count| value.checked_subtract(&count));
        room.is_some_and(|room| is_nonnegative(&Assumptions::new(), &room))
    })
}
