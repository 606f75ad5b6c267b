//! Requests that procedures get as arguments.
//!
//! A procedure that posts for its caller stores the request in a dummy argument. Where all its calls hand it one and
//! the same variable, of a procedure that is never active twice at a time, the dummy argument is another name for that
//! variable, and the two are followed as one ([`Symbol::place`]).

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::has_path_connecting;
use petgraph::graphmap::DiGraphMap;

use crate::ir::{
    Expression, ExpressionKind, HANDED_REQUEST, ProcedureId, ProcedureKind, Program, StatementKind, Storage, Symbol,
    SymbolClass, SymbolId, TypeCategory,
};

use super::calls::{CallSite, OtherCallers, call_sites};
use super::outside::Outside;

/// The longest names of a procedure and its variable together: the emitter makes one name of both.
const LONGEST_NAMES: usize = 48;

/// A name of a procedure.
type Name = (ProcedureId, SymbolId);

/// The program with a place for the requests that are handed down; `None` if there are none.
pub fn with_handed_requests(outside: Outside) -> Option<Program> {
    let program = outside.program;
    let calls = call_sites(program);
    let dummies = request_dummies(program, &calls);
    if dummies.is_empty() {
        return None;
    }
    let callers = OtherCallers::of(outside);
    let mut handed: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
    for &dummy in &dummies {
        if let Some(owner) = owner(program, &calls, &callers, dummy) {
            handed.entry(owner).or_default().insert(dummy);
        }
    }
    let graph: DiGraphMap<usize, ()> = calls.iter().map(|call| (call.caller.0, call.callee.0)).collect();
    let mut resolved: Option<Program> = None;
    for (owner, dummies) in handed {
        let Some(place) = place_of(program, &graph, owner, &dummies) else { continue };
        let copy = resolved.get_or_insert_with(|| program.clone());
        for (procedure, symbol) in dummies.into_iter().chain([owner]) {
            copy.procedure_mut(procedure).symbols[symbol.0].place = Some(place.clone());
        }
    }
    resolved
}

/// The dummy arguments that posts and waits use as requests, in their procedure or in one that gets them from there.
fn request_dummies(program: &Program, calls: &[CallSite]) -> BTreeSet<Name> {
    let mut found = BTreeSet::new();
    for (id, procedure) in program.procedures() {
        for statement in &procedure.statements {
            let StatementKind::Communication(communication) = &statement.kind else { continue };
            let request = communication.request().and_then(Expression::designated);
            found.extend(request.filter(|request| procedure.dummies.contains(request)).map(|request| (id, request)));
        }
    }
    loop {
        let before = found.len();
        for call in calls {
            for (argument, &dummy) in call.arguments.iter().zip(&program.procedure(call.callee).dummies) {
                if let ExpressionKind::Symbol(actual) = argument.kind
                    && found.contains(&(call.callee, dummy))
                    && program.procedure(call.caller).dummies.contains(&actual)
                {
                    found.insert((call.caller, actual));
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The one variable that all calls hand to the dummy argument, through however many procedures.
fn owner(program: &Program, calls: &[CallSite], callers: &OtherCallers, dummy: Name) -> Option<Name> {
    let mut owner: Option<Name> = None;
    let mut seen = BTreeSet::from([dummy]);
    let mut pending = vec![dummy];
    while let Some((procedure, symbol)) = pending.pop() {
        let body = program.procedure(procedure);
        let Some(position) = body.dummies.iter().position(|&other| other == symbol) else {
            if owner.is_some_and(|known| known != (procedure, symbol)) {
                return None;
            }
            owner = Some((procedure, symbol));
            continue;
        };
        if !callers.callers_are_known(procedure) || body.symbol(symbol).storage != Storage::Dummy {
            return None;
        }
        for call in calls.iter().filter(|call| call.callee == procedure) {
            let ExpressionKind::Symbol(actual) = call.arguments.get(position)?.kind else { return None };
            if seen.insert((call.caller, actual)) {
                pending.push((call.caller, actual));
            }
        }
    }
    owner
}

/// The place of the owner's variable, if it can have one: it and its dummies are plain scalars of one type, and the
/// owner is active only once at a time.
fn place_of(program: &Program, graph: &DiGraphMap<usize, ()>, owner: Name, dummies: &BTreeSet<Name>) -> Option<String> {
    let symbol_of = |(procedure, symbol): Name| program.procedure(procedure).symbol(symbol);
    let (procedure, variable) = (program.procedure(owner.0), symbol_of(owner));
    let is_plain = |symbol: &Symbol| {
        symbol.class == SymbolClass::Variable
            && symbol.rank() == 0
            && matches!(symbol.element.category, TypeCategory::Integer | TypeCategory::Derived)
            && !symbol.target
            && !symbol.volatile
            && !symbol.initialised
            && symbol.overlay.is_none()
            // Two blocks may have variables of one name.
            && symbol.scope.is_none()
    };
    let is_own = variable.storage == Storage::Local
        || variable.storage == Storage::Static && procedure.kind == ProcedureKind::Main;
    let calls_itself = graph
        .neighbors(owner.0.0)
        .any(|callee| callee == owner.0.0 || has_path_connecting(graph, callee, owner.0.0, None));
    let namesakes = program.procedures.iter().filter(|other| other.name == procedure.name).count();
    let is_alike =
        dummies.iter().all(|&dummy| is_plain(symbol_of(dummy)) && symbol_of(dummy).element == variable.element);
    let is_fit = is_own
        && is_plain(variable)
        && is_alike
        && !calls_itself
        && namesakes == 1
        && !procedure.name.contains(' ')
        && procedure.name.len() + variable.name.len() <= LONGEST_NAMES;
    is_fit.then(|| format!("{HANDED_REQUEST}{}:{}", procedure.name, variable.name))
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
