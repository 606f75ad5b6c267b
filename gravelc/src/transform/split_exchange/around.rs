//! Exchanges around exchanges: a procedure that calls one, with whatever it does before and behind that, is one as well.
//!
//! ```text
//! subroutine update(a)              subroutine gravel_update_begin(a)
//!   call exchange(a)           →      call gravel_exchange_begin(a)
//!   call set_boundaries(a)            ⋮
//! end subroutine                    subroutine gravel_update_end(a)
//!                                     call gravel_exchange_end(a)
//!                                     call set_boundaries(a)
//! ```
//!
//! Boundary conditions depend on what has come, so they move with the rest. What is under way, and what the inner exchange's end touches,
//! is told by this procedure's names; its own variables among them are handed over.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::AccessKind;
use crate::ir::{Expression, ProcedureId, Region, StatementId, StatementKind, Storage, SymbolClass, SymbolId};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};

use super::super::rules::known_calls::{call_obstacle, called_by};
use super::begun::{Begun, Messages};
use super::callers::Way;
use super::handed_over::handed_over;
use super::parts::{Parts, parts_around};
use super::rest::{Exchange, Search, Touched};

/// The exchange that the caller of `inner` is, which calls it at `call`.
///
/// # Errors
/// Why it is none.
pub fn exchange_around(facts: &Facts, inner: &Exchange, call: SiteId) -> Result<Exchange, Reason> {
    let procedure = call.procedure;
    let body = facts.procedure(procedure);
    let span = body.statement(call.statement).span;
    let refused = |why: &str| {
        let message = format!("`{}` {why}", body.name);
        Err(Reason::at(ReasonCode::ExchangeNotDivisible, span, message))
    };
    if let Some(reason) = call_obstacle(facts, call, inner.procedure) {
        return Err(reason);
    }
    if facts.calls_of(inner.procedure).iter().filter(|other| other.procedure == procedure).count() != 1 {
        return refused("calls the exchange several times");
    }
    let is_request = |id: StatementId| match &body.statement(id).kind {
        StatementKind::Communication(found) => found.request().is_some(),
        _ => false,
    };
    if body.statements_in_order().into_iter().any(is_request) {
        return refused("has messages of its own");
    }
    let Some(Parts { guards, around, mut begin, end }) = parts_around(body, call.statement) else {
        return refused("calls the exchange inside of a loop or of one of several branches");
    };
    if begin.iter().any(|&statement| may_wait(facts, procedure, statement)) {
        return refused("waits for other messages before it");
    }
    // The call stands in both parts: what comes behind it is the rest.
    let (with_call, behind) = (end.clone(), end[1..].to_vec());
    begin.push(call.statement);
    let parts = Parts { guards, around, begin, end: behind };
    let search = Search { facts, procedure, parts: &parts };
    search.check_text()?;
    search.check_control()?;
    let way = Way::behind(facts, inner, call)?;
    let mut messages = Messages { sites: inner.messages.sites.clone(), ..Messages::default() };
    let (mut footprint, mut unnamed) = search.footprint(&messages)?;
    footprint.extend(search.read_at_entry()?);
    let StatementKind::Call { arguments, .. } = &body.statement(call.statement).kind else {
        return refused("does not call the exchange by a statement");
    };
    messages.begun = begun_through(facts, inner, call.statement, arguments);
    messages.kept = arguments.iter().flat_map(Expression::walk).filter_map(Expression::designated).collect();
    let is_variable = |symbol: SymbolId| body.symbol(symbol).class == SymbolClass::Variable;
    messages.kept.retain(|&symbol| is_variable(symbol));
    let kept = Parts {
        guards: parts.guards.clone(),
        around: parts.around.clone(),
        begin: parts.begin.clone(),
        end: with_call,
    };
    let handed_over = handed_over(facts, procedure, &kept, &messages)?;
    for Touched { region, kind } in way.footprint() {
        let holder = body.symbol(body.holder_of(region.symbol));
        if holder.storage == Storage::Pointer {
            return refused("hands memory to the exchange to which pointers lead");
        }
        if search.is_own(region.symbol) {
            continue;
        }
        // The values that it is told by may be others when the procedure begins.
        let may_be_another = |symbol: SymbolId| {
            let is_written = |&id: &StatementId| facts.effects(procedure, id).writes_symbol(body, symbol).is_some();
            search.is_own(symbol) || parts.begin.iter().any(is_written)
        };
        let region = match region.mentioned().any(may_be_another) {
            true => Region::whole(region.symbol),
            false => region.clone(),
        };
        footprint.push(Touched { region, kind: *kind });
    }
    // Both parts evaluate the arguments.
    let values = way.values().filter(|&symbol| is_variable(symbol) && !search.is_own(symbol));
    let values = values.filter(|_| !Clause::ExchangeAround.is_off());
    footprint.extend(values.map(|symbol| Touched { region: Region::whole(symbol), kind: AccessKind::Read }));
    unnamed.extend(way.unnamed().iter().cloned());
    let Parts { around, guards, .. } = parts;
    let inner = Some((inner.procedure, call.statement));
    Ok(Exchange {
        procedure,
        first_of_end: call.statement,
        around,
        guards,
        messages,
        footprint,
        unnamed,
        handed_over,
        inner,
    })
}

/// The messages of the inner exchange that lie in what it is handed.
fn begun_through(facts: &Facts, inner: &Exchange, by: StatementId, arguments: &[Expression]) -> Vec<Begun> {
    let callee = facts.procedure(inner.procedure);
    let handed = inner.messages.begun.iter().filter_map(|message| {
        let holder = callee.holder_of(message.buffer);
        let position = callee.dummies.iter().position(|&dummy| dummy == holder)?;
        Some(Begun { by, buffer: arguments.get(position)?.designated()?, kind: message.kind, may_be_left: false })
    });
    handed.collect()
}

/// May the statement complete messages, or call a procedure that does?
fn may_wait(facts: &Facts, procedure: ProcedureId, statement: StatementId) -> bool {
    let mut seen: BTreeSet<ProcedureId> = BTreeSet::new();
    let body = facts.procedure(procedure);
    let inside = body.with_descendants(statement);
    let mut pending: Vec<ProcedureId> = inside.iter().flat_map(|&id| called_by(&body.statement(id).kind)).collect();
    while let Some(callee) = pending.pop() {
        if !seen.insert(callee) {
            continue;
        }
        for statement in &facts.procedure(callee).statements {
            match &statement.kind {
                StatementKind::Communication(call) if call.request().is_some() => return true,
                _ => pending.extend(called_by(&statement.kind)),
            }
        }
    }
    false
}
