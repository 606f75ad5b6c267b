//! Variables of modules that procedures see without naming them.
//!
//! A procedure has symbols for the names that stand in it. Procedures that only call MPI take the communicator, a datatype
//! or a tag from a module; where their callers see the same variable, they get a symbol for it, too, so that the
//! call of MPI can be written there ([`crate::analysis::messages::wrappers`]).

use std::collections::BTreeSet;

use super::super::names::association::{Found, Scopes};
use super::super::names::names_in_units::NamesInUnits;
use super::super::names::units::Units;
use crate::ir::{Callee, Place, Procedure, StatementKind, Symbol, SymbolClass, TypeCategory};

/// Procedures with more statements do more than call MPI.
const MOST_STATEMENTS: usize = 24;

/// Procedures that call one another to hand a call down are followed so far.
const MOST_ROUNDS: usize = 4;

/// Gives callers of short procedures that call MPI symbols for the variables of modules that these name.
pub fn lend_to_callers(procedures: &mut [Procedure], units: &Units<'_>, scopes: &Scopes<'_>, names: &NamesInUnits) {
    let calls_messaging = |procedure: &Procedure| {
        procedure.statements.iter().any(|statement| matches!(statement.kind, StatementKind::Communication(_)))
    };
    let mut lenders: BTreeSet<usize> = (0..procedures.len())
        .filter(|&index| procedures[index].statements.len() <= MOST_STATEMENTS && calls_messaging(&procedures[index]))
        .collect();
    for _ in 0..MOST_ROUNDS {
        let mut borrowers = BTreeSet::new();
        for caller in 0..procedures.len() {
            let mut lent: Vec<Symbol> = Vec::new();
            for statement in &procedures[caller].statements {
                let StatementKind::Call { callee: Callee::Procedure(callee), .. } = statement.kind else { continue };
                if lenders.contains(&callee.0) && callee.0 != caller {
                    for symbol in procedures[callee.0].symbols.iter().filter(|symbol| is_handle(symbol)) {
                        let unit = units.of_procedure[caller];
                        lent.extend(as_seen_by(&procedures[caller], symbol, unit, scopes, names));
                    }
                }
            }
            for symbol in lent {
                if procedures[caller].find_symbol(&symbol.name).is_none() {
                    procedures[caller].symbols.push(symbol);
                    borrowers.insert(caller);
                }
            }
        }
        lenders =
            borrowers.into_iter().filter(|&index| procedures[index].statements.len() <= MOST_STATEMENTS).collect();
        if lenders.is_empty() {
            return;
        }
    }
}

/// Could it be a communicator, a datatype, a tag or a rank of a module?
fn is_handle(symbol: &Symbol) -> bool {
    symbol.class == SymbolClass::Variable
        && symbol.rank() == 0
        && matches!(symbol.element.category, TypeCategory::Integer | TypeCategory::Derived)
        && symbol.shared_variable().is_some_and(Place::is_of_module)
}

/// The variable in a procedure that names it nowhere but sees it by the name that it has in its module.
fn as_seen_by(
    caller: &Procedure,
    symbol: &Symbol,
    unit: usize,
    scopes: &Scopes<'_>,
    names: &NamesInUnits,
) -> Option<Symbol> {
    let place = symbol.shared_variable()?;
    let (module, name) = place.import()?;
    if caller.symbols.iter().any(|own| own.shared_variable() == Some(place) || own.name == name) {
        return None;
    }
    let owner = scopes.modules.get(module).copied().flatten()?;
    match scopes.find(unit, name) {
        Found::Entity { unit: found, entity }
            if found == owner && entity.name == name && names.can_mean(unit, name, owner) =>
        {
            Some(Symbol { name: name.to_owned(), declaration: None, ..symbol.clone() })
        }
        _ => None,
    }
}
