//! Variables of modules that procedures see without naming them.
//!
//! A procedure has symbols for the names that stand in it. Procedures that only call MPI take the communicator, a datatype
//! or a tag from a module; where their callers see the same variable, they get a symbol for it, too, so that the
//! call of MPI can be written there ([`crate::analysis::wrappers`]).
//!
//! Whether a caller could name what it does not see depends on all that surrounds it; so the answer is noted for the
//! variables of modules that the procedures name which it calls ([`crate::analysis::lent_variables`]).

use std::collections::{BTreeSet, HashSet};

use tree_sitter::Node;

use super::association::{Found, Scopes};
use super::lexer::TokenKind;
use super::tree::named_children;
use super::units::{Source, Units};
use crate::ir::{Callee, Expression, Procedure, StatementKind, Symbol, SymbolClass, TypeCategory};

/// Procedures with more statements do more than call MPI.
const MOST_STATEMENTS: usize = 24;

/// Procedures that call one another to hand a call down are followed so far.
const MOST_ROUNDS: usize = 4;

/// Gives callers of short procedures that call MPI symbols for the variables of modules that these name.
pub(super) fn lend_to_callers(procedures: &mut [Procedure], units: &Units<'_>, scopes: &Scopes<'_>) {
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
                        lent.extend(as_seen_by(&procedures[caller], symbol, units.of_procedure[caller], scopes));
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

/// Notes for every procedure which variables of modules it could call by the names that they have there: of those that what
/// it calls names, and of those that any call hands over.
pub(super) fn note_nameable(
    procedures: &mut [Procedure],
    (sources, macros): (&[Source<'_>], &HashSet<String>),
    units: &Units<'_>,
    scopes: &Scopes<'_>,
) {
    let handed: BTreeSet<String> = procedures.iter().flat_map(handed_over).map(str::to_owned).collect();
    for caller in 0..procedures.len() {
        let unit = units.of_procedure[caller];
        let called = procedures[caller].statements.iter().filter_map(|statement| match statement.kind {
            StatementKind::Call { callee: Callee::Procedure(callee), .. } => Some(callee.0),
            _ => None,
        });
        let symbols = called.collect::<BTreeSet<_>>().into_iter().flat_map(|callee| &procedures[callee].symbols);
        let places = symbols.filter_map(Symbol::shared_variable).filter(|place| place.starts_with("module:"));
        let makes_calls = procedures[caller]
            .statements
            .iter()
            .any(|it| matches!(it.kind, StatementKind::Call { .. } | StatementKind::Communication(_)));
        let places: BTreeSet<&str> = places.chain(handed.iter().map(String::as_str).filter(|_| makes_calls)).collect();
        let (source, parts) = (&sources[units.list[unit].source], &units.list[unit].parts);
        let can_be_named = |place: &&str| {
            let Some((module, name)) = place.strip_prefix("module:").and_then(|it| it.split_once(':')) else {
                return false;
            };
            let owner = scopes.modules.get(module).copied().flatten();
            let is_macro = || macros.iter().any(|word| word.eq_ignore_ascii_case(name));
            owner.is_some_and(|owner| scopes.can_mean(unit, name, owner))
                && !includes_mention(source, parts, name)
                && !is_macro()
        };
        let nameable = places.into_iter().filter(can_be_named).map(str::to_owned).collect();
        procedures[caller].nameable = nameable;
    }
}

/// The places of the variables of modules that calls hand over: buffers of messages are among them.
fn handed_over(procedure: &Procedure) -> BTreeSet<&str> {
    let mut handed: Vec<&Expression> = Vec::new();
    for statement in &procedure.statements {
        match &statement.kind {
            StatementKind::Communication(communication) => {
                handed.extend(communication.messages().map(|message| &message.buffer));
            }
            StatementKind::Call { arguments, .. } => handed.extend(arguments),
            _ => {}
        }
    }
    let places = handed.into_iter().filter_map(|argument| procedure.symbol(argument.designated()?).shared_variable());
    places.filter(|place| place.starts_with("module:")).collect()
}

/// Does the word stand in a file that one of the statements `parts` includes?
fn includes_mention(source: &Source<'_>, parts: &[Node<'_>], name: &str) -> bool {
    let included = parts.iter().filter_map(|part| source.included_by(*part));
    included.into_iter().any(|file| {
        let words = file.parsed.lexed.tokens.iter().filter(|token| token.kind == TokenKind::Word);
        let mut words = words.map(|token| &file.original[token.start..token.end]);
        words.any(|word| word.eq_ignore_ascii_case(name.as_bytes()))
            || named_children(file.parsed.tree.root_node())
                .into_iter()
                .any(|unit| includes_mention(file, &named_children(unit), name))
    })
}

/// Could it be a communicator, a datatype, a tag or a rank of a module?
fn is_handle(symbol: &Symbol) -> bool {
    symbol.class == SymbolClass::Variable
        && symbol.rank() == 0
        && matches!(symbol.element.category, TypeCategory::Integer | TypeCategory::Derived)
        && symbol.shared_variable().is_some_and(|place| place.starts_with("module:"))
}

/// The variable in a procedure that names it nowhere but sees it by the name that it has in its module.
fn as_seen_by(caller: &Procedure, symbol: &Symbol, unit: usize, scopes: &Scopes<'_>) -> Option<Symbol> {
    let place = symbol.shared_variable()?;
    let (module, name) = place.strip_prefix("module:")?.split_once(':')?;
    if caller.symbols.iter().any(|own| own.shared_variable() == Some(place) || own.name == name) {
        return None;
    }
    let owner = scopes.modules.get(module).copied().flatten()?;
    match scopes.find(unit, name) {
        Found::Entity { unit: found, entity }
            if found == owner && entity.name == name && scopes.can_mean(unit, name, owner) =>
        {
            Some(Symbol { name: name.to_owned(), declaration: None, ..symbol.clone() })
        }
        _ => None,
    }
}
