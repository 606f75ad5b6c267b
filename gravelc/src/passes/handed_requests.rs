//! Requests that procedures get as arguments, or see in their host.
//!
//! A procedure that posts for its caller stores the request in a dummy argument. Where all its calls hand it one and
//! the same variable, of a procedure that is never active twice at a time, the dummy argument is another name for that
//! variable, and the two are followed as one ([`Symbol::place`]). So it is with arrays of requests that are handed down as
//! a whole, where an element has the same subscript under all names. And so it is with a variable that the procedures inside its
//! own one name.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{
    Expression, ExpressionKind, Place, Procedure, ProcedureId, ProcedureKind, Program, Shape, StatementKind, Storage,
    Subscript, Symbol, SymbolClass, SymbolId, TypeCategory, UNNAMED_MAIN,
};

use crate::analysis::algebra::symbolic::polynomial_of;
use crate::analysis::program::calls::{CallSite, OtherCallers, call_sites, may_be_active_twice};
use crate::analysis::program::outside::Outside;

/// A name of a procedure.
type Name = (ProcedureId, SymbolId);

/// The program with a place for the requests that are handed down; `None` if there are none.
pub fn with_handed_requests(outside: Outside) -> Option<Program> {
    let program = outside.program;
    let calls = call_sites(program);
    let dummies = request_dummies(program, &calls);
    let of_hosts = requests_of_hosts(program);
    if dummies.is_empty() && of_hosts.is_empty() {
        return None;
    }
    let callers = OtherCallers::of(outside);
    let mut handed: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
    for &dummy in &dummies {
        if let Some(owner) = owner(program, &calls, &callers, dummy) {
            handed.entry(owner).or_default().insert(dummy);
        }
    }
    for (owner, names) in of_hosts {
        handed.entry(owner).or_default().extend(names);
    }
    let mut resolved: Option<Program> = None;
    for (owner, dummies) in handed {
        let Some(place) = place_of(program, owner, &dummies) else { continue };
        let copy = resolved.get_or_insert_with(|| program.clone());
        for (procedure, symbol) in dummies.into_iter().chain([owner]) {
            copy.procedure_mut(procedure).symbols[symbol.0].place = Some(place.clone());
        }
    }
    resolved
}

/// The variables that posts and waits use as requests, in their procedure or in one inside it, and that procedures inside it name:
/// with their names there.
fn requests_of_hosts(program: &Program) -> BTreeMap<Name, BTreeSet<Name>> {
    let mut places: BTreeSet<&Place> = BTreeSet::new();
    for (_, procedure) in program.procedures() {
        for statement in &procedure.statements {
            let StatementKind::Communication(communication) = &statement.kind else { continue };
            let request = communication.request().and_then(Expression::designated).map(|it| procedure.symbol(it));
            places.extend(request.and_then(place_in_host));
        }
    }
    let mut found = BTreeMap::new();
    for (id, procedure) in program.procedures() {
        for (index, symbol) in procedure.symbols.iter().enumerate() {
            let is_own = |place: &&Place| symbol.place_inside.is_some() || is_host_in(place, procedure);
            let place = place_in_host(symbol).filter(|place| places.contains(place)).filter(is_own);
            let Some(place) = place else { continue };
            let is_inside = |other: &Procedure| other.span.is_within(procedure.span) && other.span != procedure.span;
            let names = program.procedures().filter(|(_, other)| is_inside(other)).flat_map(|(inner, other)| {
                let symbols = other.symbols.iter().enumerate();
                let named = symbols.filter(|(_, symbol)| place_in_host(symbol) == Some(place));
                named.map(move |(index, _)| (inner, SymbolId(index)))
            });
            let names: BTreeSet<Name> = names.collect();
            // Of a dummy argument the variable is a caller's.
            if !names.is_empty() && !procedure.dummies.contains(&SymbolId(index)) {
                found.insert((id, SymbolId(index)), names);
            }
        }
    }
    found
}

/// Is the variable at this place one of this procedure?
fn is_host_in(place: &Place, procedure: &Procedure) -> bool {
    place.host() == Some(&procedure.name)
}

/// The place of a variable that procedures inside its own one name: to itself, or to one of those.
fn place_in_host(symbol: &Symbol) -> Option<&Place> {
    match &symbol.storage {
        Storage::Global(place) if place.is_of_host() => Some(place),
        _ => symbol.place_inside.as_ref(),
    }
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

/// The place of the owner's variable, if it can have one: it and its dummies are plain scalars, or arrays with the same
/// subscripts, of one type, and the owner is active only once at a time.
fn place_of(program: &Program, owner: Name, dummies: &BTreeSet<Name>) -> Option<Place> {
    let symbol_of = |(procedure, symbol): Name| program.procedure(procedure).symbol(symbol);
    let (procedure, variable) = (program.procedure(owner.0), symbol_of(owner));
    let is_plain = |symbol: &Symbol| {
        symbol.class == SymbolClass::Variable
            && matches!(symbol.element.category, TypeCategory::Integer | TypeCategory::Derived)
            // That procedures inside this one name it is no pointer.
            && (!symbol.target || symbol.place_inside.is_some())
            && !symbol.volatile
            && !symbol.initialised
            && symbol.overlay.is_none()
            // Two blocks may have variables of one name.
            && symbol.scope.is_none()
    };
    let is_of_host = matches!(&variable.storage, Storage::Global(place) if is_host_in(place, procedure));
    let is_own = variable.storage == Storage::Local
        || (variable.storage == Storage::Static || is_of_host) && procedure.kind == ProcedureKind::Main;
    let namesakes = program.procedures.iter().filter(|other| other.name == procedure.name).count();
    let is_alike = dummies.iter().all(|&dummy| {
        let symbol = symbol_of(dummy);
        is_plain(symbol)
            && symbol.element == variable.element
            && has_same_subscripts(program.procedure(dummy.0), dummy.1, procedure, owner.1)
    });
    let is_fit = is_own
        && is_plain(variable)
        && is_alike
        // Two names in one procedure may be handed one variable at a time, and another one at another.
        && dummies.iter().zip(dummies.iter().skip(1)).all(|(one, next)| one.0 != next.0)
        && dummies.iter().all(|dummy| dummy.0 != owner.0)
        && !may_be_active_twice(program, owner.0)
        && namesakes == 1
        && procedure.name != UNNAMED_MAIN;
    let (owner, variable) = (procedure.name.as_str().into(), variable.name.as_str().into());
    is_fit.then_some(Place::Handed { owner, variable })
}

/// Is it the same element that a subscript names of both, and the same elements that their names alone stand for? Only of
/// scalars and of arrays with one dimension; the owner's has bounds that are numbers.
fn has_same_subscripts(procedure: &Procedure, dummy: SymbolId, owner: &Procedure, variable: SymbolId) -> bool {
    let (one, all) = (procedure.symbol(dummy), owner.symbol(variable));
    let Some([lower, upper]) = constant_bounds(owner, variable) else {
        return one.rank() == 0 && all.rank() == 0;
    };
    let Shape::Array(dimensions) = &one.shape else { return false };
    let [dimension] = dimensions.as_slice() else { return false };
    let number = |bound: &Option<Expression>| polynomial_of(procedure, bound.as_ref()?)?.as_constant();
    // Where the shape is assumed, a lower bound that is not written is the language's.
    let begins_alike = match &dimension.lower {
        None => one.may_be_strided && lower == procedure.dialect().first_subscript(),
        written => number(written) == Some(lower),
    };
    let assumes_shape = one.may_be_strided && dimension.upper.is_none();
    let is_set_to_its_end = || {
        procedure.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Assign { target, .. } if target.designated() == Some(dummy) => match &target.kind {
                ExpressionKind::Element { .. } => false,
                ExpressionKind::Section { subscripts, .. } => {
                    !matches!(subscripts.as_slice(), [Subscript::Range { upper: Some(_), .. }])
                }
                _ => true,
            },
            _ => false,
        })
    };
    begins_alike && (assumes_shape || number(&dimension.upper) == Some(upper) || !is_set_to_its_end())
}

/// The bounds of an array with one dimension, where these are numbers.
fn constant_bounds(procedure: &Procedure, array: SymbolId) -> Option<[i64; 2]> {
    let Shape::Array(dimensions) = &procedure.symbol(array).shape else { return None };
    let [dimension] = dimensions.as_slice() else { return None };
    let number = |bound: &Option<Expression>| polynomial_of(procedure, bound.as_ref()?)?.as_constant();
    Some([number(&dimension.lower)?, number(&dimension.upper)?])
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
