//! Request variables that serve one operation after the other.
//!
//! Old codes have one variable `request` for whatever they post, and wait for each operation before the next one begins. The
//! variable says nothing about the operations: between a post and what ends its use nobody else names it. So each post and its wait
//! are given a variable of their own. Everything that looks at requests then sees operations that have nothing to do with one
//! another, as they are, and they may be under way at once.
//!
//! A *use* begins at a post and ends at the first statement below it in the same block that names the variable: a wait for it, or
//! an assignment that stores it elsewhere, as object codes do; such a use keeps the variable. Control comes to the end past the
//! post only: no statement in between is one that control jumps to. All that names the variable has to belong to such uses, or to
//! make it null, which changes nothing then: so what the variable holds before a use, or behind it, is asked by nobody.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::program::contents::is_messaging_constant;
use crate::ir::{
    Expression, ExpressionKind, Loop, Operation, Procedure, ProcedureId, ProcedureKind, Program, StatementId,
    StatementKind, Storage, Symbol, SymbolClass, SymbolId,
};
use crate::mutations::Clause;

/// From a post to what ends the use of its request.
#[derive(Debug, Clone, Copy)]
struct Use {
    post: StatementId,
    end: End,
}

#[derive(Debug, Clone, Copy)]
enum End {
    /// This wait.
    Wait(StatementId),
    /// This assignment stores the request elsewhere.
    Store(StatementId),
}

impl End {
    fn statement(self) -> StatementId {
        match self {
            Self::Wait(statement) | Self::Store(statement) => statement,
        }
    }
}

/// The program in which operations that share a request variable one after the other have variables of their own; `None` if there
/// is nothing of that kind.
pub fn with_separate_requests(program: &Program) -> Option<Program> {
    let facts = Facts::new(program);
    let mut names: Option<BTreeSet<String>> = None;
    let mut changed: Option<Program> = None;
    for (id, body) in program.procedures() {
        if body.untouchable.is_some() || body.statements.iter().any(|statement| statement.kind.is_opaque()) {
            continue;
        }
        for request in posted_scalars(body) {
            let Some(uses) = uses_of(&facts, id, request) else { continue };
            if uses.len() < 2 {
                continue;
            }
            let names = names.get_or_insert_with(|| all_names(program));
            separate(changed.get_or_insert_with(|| program.clone()), (id, request), &uses, names);
        }
    }
    changed
}

/// The plain scalars of the procedure alone that its posts make requests in.
fn posted_scalars(body: &Procedure) -> BTreeSet<SymbolId> {
    let is_own = |symbol: &Symbol| {
        symbol.storage == Storage::Local
            || symbol.storage == Storage::Static && body.kind == ProcedureKind::Main && !symbol.initialised
    };
    let is_plain = |id: SymbolId| {
        let symbol = body.symbol(id);
        symbol.class == SymbolClass::Variable
            && symbol.rank() == 0
            && is_own(symbol)
            && symbol.place_inside.is_none()
            && !symbol.target
            && !symbol.volatile
            && symbol.overlay.is_none()
            && !body.dummies.contains(&id)
    };
    let posted = body.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Communication(found) => named_whole(found.posted_request()?),
        _ => None,
    });
    posted.filter(|&request| is_plain(request)).collect()
}

fn named_whole(expression: &Expression) -> Option<SymbolId> {
    match expression.kind {
        ExpressionKind::Symbol(symbol) => Some(symbol),
        _ => None,
    }
}

/// The uses of the variable in program order, if there is nothing else that asks what it holds.
fn uses_of(facts: &Facts, procedure: ProcedureId, request: SymbolId) -> Option<Vec<Use>> {
    let body = facts.procedure(procedure);
    let counts = |statement: &StatementKind| match statement {
        StatementKind::Loop(Loop { variable, .. }) => *variable == request,
        StatementKind::While { changes, .. } => changes.contains(&request),
        _ => false,
    };
    let at_entry = body.evaluated_at_entry.iter().flat_map(Expression::walk);
    if body.statements.iter().any(|statement| counts(&statement.kind))
        || at_entry.into_iter().any(|part| part.designated() == Some(request))
    {
        return None;
    }
    let mentions = facts.mentions(procedure, request);
    let mut uses = Vec::new();
    let mut ends = BTreeSet::new();
    for statement in body.statements_in_order() {
        let Some(&count) = mentions.get(&statement) else { continue };
        let site = SiteId { procedure, statement };
        let posts = facts.communication(site).and_then(|found| named_whole(found.posted_request()?)) == Some(request);
        if posts && count == 1 {
            let end = end_of(facts, site, request)?;
            uses.push(Use { post: statement, end });
            ends.insert(end.statement());
        }
    }
    let is_known = |(&statement, &count): (&StatementId, &usize)| {
        count == 1
            && (ends.contains(&statement)
                || uses.iter().any(|it| it.post == statement)
                || makes_null(body, statement, request))
    };
    (mentions.iter().all(is_known) || Clause::SeparateRequests.is_off()).then_some(uses)
}

/// Does the statement do no more with the variable than to make it null?
fn makes_null(body: &Procedure, statement: StatementId, request: SymbolId) -> bool {
    matches!(
        &body.statement(statement).kind,
        StatementKind::Assign { target, value, .. }
            if named_whole(target) == Some(request) && is_messaging_constant(body, value, "mpi_request_null")
    )
}

/// What ends the use that begins at a post.
fn end_of(facts: &Facts, post: SiteId, request: SymbolId) -> Option<End> {
    let body = facts.procedure(post.procedure);
    let mentions = facts.mentions(post.procedure, request);
    let (block, index) = body.siblings(post.statement);
    for &next in &block[index + 1..] {
        if body.statement(next).jump_target && !Clause::SeparateRequests.is_off() {
            return None;
        }
        if !body.with_descendants(next).into_iter().any(|inner| mentions.contains_key(&inner)) {
            continue;
        }
        return match &body.statement(next).kind {
            StatementKind::Communication(found) => match &found.operation {
                Operation::Wait { request: awaited, .. } if named_whole(awaited) == Some(request) => {
                    Some(End::Wait(next))
                }
                _ => None,
            },
            StatementKind::Assign { target, value, .. }
                if named_whole(value) == Some(request) && target.designated() != Some(request) =>
            {
                Some(End::Store(next))
            }
            _ => None,
        };
    }
    None
}

/// Gives each use a variable of its own, but for the first one and those whose request is stored elsewhere.
fn separate(
    program: &mut Program,
    (procedure, request): (ProcedureId, SymbolId),
    uses: &[Use],
    names: &mut BTreeSet<String>,
) {
    let body = program.procedure_mut(procedure);
    let original = body.symbol(request).clone();
    let mut number = 1;
    for Use { post, end } in &uses[1..] {
        let End::Wait(wait) = *end else { continue };
        let name = std::iter::repeat_with(|| {
            number += 1;
            format!("{}_{number}", original.name)
        })
        .find(|name| !names.contains(name))
        .unwrap_or_default();
        names.insert(name.clone());
        body.symbols.push(Symbol { name, ..original.clone() });
        let own = SymbolId(body.symbols.len() - 1);
        body.separate_requests.insert(own);
        rename(body, wait, request, own);
        rename(body, *post, request, own);
    }
}

fn rename(body: &mut Procedure, statement: StatementId, from: SymbolId, to: SymbolId) {
    for expression in body.statements[statement.0].kind.expressions_mut() {
        expression.rewrite(&mut |part| {
            if let ExpressionKind::Symbol(symbol) = &mut part.kind
                && *symbol == from
            {
                *symbol = to;
            }
        });
    }
}

/// Every name that the program uses for something: a variable of a module may be seen without being named.
fn all_names(program: &Program) -> BTreeSet<String> {
    let symbols = program.procedures.iter().flat_map(|procedure| &procedure.symbols);
    symbols.map(|symbol| symbol.name.clone()).collect()
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
