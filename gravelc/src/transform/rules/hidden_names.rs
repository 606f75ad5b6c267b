//! Names that mean something else at a place, or nothing: the emitter names what moves as the program does.
//!
//! What moves never leaves a block with names of its own ([`crate::ir::Scope`]), nor goes into one, so the text of its
//! arguments keeps its meaning. But the emitter writes some variables by their own names: the buffer behind a wait,
//! what tiles are counted with, what a caller says of a receive. Inside such a block these names have to mean the variables.

use crate::analysis::facts::{Facts, SiteId};
use crate::ir::{Callee, Expression, ExpressionKind, Polynomial, Procedure, Span, StatementId, SymbolId};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::awaited_buffers::posted_buffer;

/// A name in the expressions, by which the emitter may write them, that means something else at the statement.
pub fn hidden_name<'e>(
    procedure: &Procedure,
    at: StatementId,
    expressions: impl IntoIterator<Item = &'e Expression>,
) -> Option<Reason> {
    let span = procedure.statement(at).span;
    expressions.into_iter().flat_map(Expression::walk).find_map(|part| match &part.kind {
        ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } => {
            procedure.hides(name, at).then(|| other_meaning(name, span))
        }
        _ => part.designated().and_then(|symbol| hidden_symbol(procedure, at, symbol)),
    })
}

/// Why the emitter can't name the variable at the statement.
pub fn hidden_symbol(procedure: &Procedure, at: StatementId, symbol: SymbolId) -> Option<Reason> {
    let is_hidden = !procedure.can_name(symbol, at) && !Clause::NamesKeepMeaning.is_off();
    is_hidden.then(|| other_meaning(&procedure.symbol(symbol).name, procedure.statement(at).span))
}

/// Why the emitter can't name the variable of the loop in its head, which may be where it is declared (C: `for (int i = 0; …)`).
pub fn hidden_counter(procedure: &Procedure, counted: StatementId, variable: SymbolId) -> Option<Reason> {
    let is_of_head = procedure.symbol(variable).scope == Some(counted);
    if is_of_head { None } else { hidden_symbol(procedure, counted, variable) }
}

/// Why the emitter can't write the polynomials at the statement.
pub fn hidden_in<'p>(
    procedure: &Procedure,
    at: StatementId,
    polynomials: impl IntoIterator<Item = &'p Polynomial>,
) -> Option<Reason> {
    // A symbol beyond the procedure's own stands for the value of some iteration, and for no name.
    let variables = polynomials.into_iter().flat_map(Polynomial::variables);
    variables.filter(|it| it.0 < procedure.symbols.len()).find_map(|symbol| hidden_symbol(procedure, at, symbol))
}

/// As [`hidden_in`], at a loop that is cut, where the end of a tile stands for its variable.
pub fn hidden_in_tiles(
    procedure: &Procedure,
    counted: StatementId,
    polynomial: &Polynomial,
    variable: SymbolId,
) -> Option<Reason> {
    let without_variable = polynomial.checked_substitute(variable, &Polynomial::constant(0));
    hidden_in(procedure, counted, without_variable.as_ref().or(Some(polynomial)))
}

/// Does the name that a wait has for the buffer of a post mean something else where the wait stands?
pub fn is_hidden_buffer(facts: &Facts, post: SiteId, wait: SiteId) -> bool {
    let buffer = posted_buffer(facts, post, wait.procedure);
    buffer.is_some_and(|buffer| hidden_symbol(facts.procedure(wait.procedure), wait.statement, buffer).is_some())
}

fn other_meaning(name: &str, span: Span) -> Reason {
    let message = format!("`{name}`, which is needed for the emitted code, means something else here");
    Reason::at(ReasonCode::NameTaken, span, message)
}
