//! Procedures that the rest of an exchange calls: they unpack, pack, or post the messages of a later stage.
//!
//! What they touch is known by their summaries. Of what has no name in the exchange, the places are told: variables of modules that
//! nothing but their names leads to.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::AccessKind;
use crate::ir::{ProcedureId, StatementId, StatementKind, SymbolId};
use crate::mutations::Clause;

use super::begun::Messages;
use super::callers::{evaluates_with_effects, place_of_module};
use super::rest::Unnamed;

/// What a call of `callee` in the exchange `caller` uses that has no name there; `posts`: the call begins messages of the exchange.
///
/// # Errors
/// What else it does, as the end of a sentence that begins with its name.
pub fn reach_of_call(
    facts: &Facts,
    (caller, callee): (ProcedureId, ProcedureId),
    messages: &Messages,
    posts: bool,
) -> Result<Vec<Unnamed>, String> {
    if posts && let Some(line) = other_effect(facts, callee, messages) {
        return Err(format!("has an effect at line {line} besides its messages"));
    }
    let places = facts.unnamed_places(caller, callee, posts)?;
    if Clause::ExchangeCalls.is_off() {
        return Ok(Vec::new());
    }
    let unnamed = places.into_iter().map(|(place, is_written)| {
        let names = facts.shared_names(&place);
        let is_plain = |&(procedure, symbol): &(ProcedureId, SymbolId)| {
            place_of_module(facts.procedure(procedure).symbol(symbol)) == Some(&place)
        };
        let known_as = names.first().copied().filter(|_| names.iter().all(is_plain) && place.is_of_module());
        let kind = if is_written { AccessKind::Write } else { AccessKind::Read };
        known_as
            .map(|known_as| Unnamed { place: place.clone(), known_as, kind })
            .ok_or_else(|| "uses variables that may have further names".to_owned())
    });
    unnamed.collect()
}

/// Where the procedure does something that others notice, besides the posts of the exchange.
fn other_effect(facts: &Facts, procedure: ProcedureId, messages: &Messages) -> Option<crate::ir::Line> {
    let body = facts.procedure(procedure);
    let has_effect = |statement: &StatementId| {
        let kind = &body.statement(*statement).kind;
        let site = SiteId { procedure, statement: *statement };
        match kind {
            StatementKind::Communication(_) => !messages.sites.contains(&site),
            // What it contains is asked about by itself.
            _ if !kind.blocks().is_empty() => {
                kind.expressions().into_iter().any(|expression| evaluates_with_effects(body, expression))
            }
            _ => {
                let effects = facts.effects(procedure, *statement);
                effects.external.is_some() || effects.everything.is_some()
            }
        }
    };
    let found = body.statements_in_order().into_iter().find(has_effect)?;
    Some(facts.program.line_named(body.statement(found).span))
}
