//! Which variables of a procedure may share memory.

use crate::ir::{Place, Procedure, Storage, Symbol, SymbolClass, SymbolId};
use crate::mutations::Clause;

/// May some element of `a` be some element of `b`?
///
/// Two dummy arguments, or a dummy argument and a variable that is visible elsewhere, may be associated with the same
/// memory where a call says so ([`crate::passes::argument_aliases`]). Calls that were not given are taken to obey the language.
/// Where it demands that ([`crate::ir::Dialect::written_arguments_are_apart`]) and neither name is a pointer or a target, the
/// memory is not written then (Fortran 2018, 15.5.2.13). Variables of which the user asserts that they are apart are apart.
pub fn may_share_memory(procedure: &Procedure, a: SymbolId, b: SymbolId) -> bool {
    if a == b {
        return true;
    }
    // Two components of one object are apart; else a component is where its object is.
    let is_component = |id| procedure.symbol(id).holder().is_some();
    let are_components = is_component(a) && is_component(b);
    let (a, b) = (procedure.holder_of(a), procedure.holder_of(b));
    if a == b {
        return !are_components && !Clause::ComponentsInObjects.is_off();
    }
    let (one, two) = (procedure.symbol(a), procedure.symbol(b));
    if one.class == SymbolClass::Unknown || two.class == SymbolClass::Unknown {
        return true;
    }
    if one.class != SymbolClass::Variable || two.class != SymbolClass::Variable {
        return false;
    }
    if one.asserted_apart || two.asserted_apart {
        return false;
    }
    if one.overlay.is_some() && one.overlay == two.overlay {
        return true;
    }
    if let (Some(one), Some(two)) = (&one.objects, &two.objects) {
        return one.may_meet(two) && !Clause::PointedObjects.is_off();
    }
    if procedure.aliases.call_that_joins(a, b).is_some() {
        return true;
    }
    if are_names_of_one_variable(procedure, one, two) {
        return true;
    }
    if !procedure.dialect().written_arguments_are_apart() && may_be_handed_alike(procedure, a, b) {
        return true;
    }
    let is_pointer = |symbol: &Symbol| symbol.storage == Storage::Pointer;
    if is_pointer(one) || is_pointer(two) {
        return (is_pointer(one) || one.target) && (is_pointer(two) || two.target);
    }
    // Two targets with names of their own are apart; a target that is a dummy may be any target of the caller.
    let is_dummy = |id: SymbolId, symbol: &Symbol| symbol.storage == Storage::Dummy || procedure.dummies.contains(&id);
    let is_target = |symbol: &Symbol| symbol.target && !symbol.only_addressed;
    is_target(one)
        && is_target(two)
        && (is_dummy(a, one) || is_dummy(b, two))
        && one.storage != Storage::Local
        && two.storage != Storage::Local
}

/// Could a call hand over memory by which one of the names is the other one, or a part of it?
fn may_be_handed_alike(procedure: &Procedure, a: SymbolId, b: SymbolId) -> bool {
    // What is handed over by its value is memory of its own.
    let is_handed = |id: SymbolId| match procedure.symbol(id).storage {
        Storage::Dummy => true,
        Storage::Local => false,
        _ => procedure.dummies.contains(&id),
    };
    // What ends with this run of the procedure had no address before it.
    let can_be = |id: SymbolId| {
        let symbol = procedure.symbol(id);
        is_handed(id) || !matches!(symbol.storage, Storage::Local) && is_reachable(procedure, id)
    };
    is_handed(a) && can_be(b) || is_handed(b) && can_be(a)
}

/// Could two names that are visible elsewhere stand for the same variable (a renamed import)?
///
/// Front ends give a variable the same place in every procedure that sees it, and give variables of different places
/// different ones; only the members of a COMMON block share one.
fn are_names_of_one_variable(procedure: &Procedure, one: &Symbol, two: &Symbol) -> bool {
    let (Storage::Global(first), Storage::Global(second)) = (&one.storage, &two.storage) else {
        return false;
    };
    if first != second {
        return false;
    }
    // The members of one COMMON block that a scoping unit declares lie apart; two declarations of the block, of which
    // the host's is one, name the same memory twice.
    let is_own = |symbol: &Symbol| symbol.declaration.is_some_and(|span| span.is_within(procedure.span));
    !is_common(first) || is_own(one) != is_own(two)
}

fn is_common(place: &Place) -> bool {
    matches!(place, Place::Block(_))
}

/// May the procedure's variable be read or written by a call that does not name it?
///
/// Besides what every call can reach these are variables that a recursive call of the procedure would share, and
/// allocatable ones, whose storage does not tell whether they are visible elsewhere.
pub fn is_reachable(procedure: &Procedure, id: SymbolId) -> bool {
    let id = procedure.holder_of(id);
    let symbol = procedure.symbol(id);
    match symbol.class {
        SymbolClass::Unknown => true,
        SymbolClass::Variable => {
            let is_overlaid = symbol.overlay.is_some_and(|overlay| {
                procedure.symbols.iter().any(|other| other.overlay == Some(overlay) && other.is_reachable_from_calls())
            });
            let outlives_call = symbol.storage == Storage::Static && procedure.kind != crate::ir::ProcedureKind::Main;
            let is_local_allocatable = symbol.declaration.is_some_and(|span| span.is_within(procedure.span))
                && !procedure.dummies.contains(&id);
            symbol.is_reachable_from_calls()
                || procedure.aliases.places_of(id).next().is_some()
                || is_overlaid
                || outlives_call
                || (symbol.storage == Storage::Allocatable && !is_local_allocatable)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
