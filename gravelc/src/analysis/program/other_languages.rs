//! Procedures that one language calls and another one defines: `call tick(n)` of Fortran, where a file of C defines `tick_`.
//!
//! The front end of the one language does not know those of the other: such a call is one of a procedure that was not given, which
//! may touch its arguments and all that others see, and which nothing moves across. But what it calls in its turn can be looked
//! at: where it certainly neither communicates nor leaves the given files, it is no opening.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::open_world::is_uncertain;
use super::outside::is_of_known_library;
use crate::ir::{Callee, Expression, ExpressionKind, Place, Procedure, ProcedureId, Program, StatementKind, Storage};
use crate::mutations::Clause;

/// Which names that are called mean procedures of another language among the files, and whether these keep to themselves.
pub fn defined_elsewhere(program: &Program) -> BTreeMap<String, bool> {
    let mut found: BTreeMap<String, bool> = BTreeMap::new();
    if program.link_names.is_empty() {
        return found;
    }
    let mut asked = Asked { program, known: BTreeMap::new() };
    for procedure in &program.procedures {
        for name in called_by(procedure) {
            let Some(label) = procedure.dialect().label(name) else { continue };
            let Some(defined) = program.link_names.get(&label) else { continue };
            let keeps = defined.is_some_and(|id| asked.keeps_to_itself(id));
            *found.entry(name.to_owned()).or_insert(true) &= keeps;
        }
    }
    // By the same name other languages mean another procedure.
    for procedure in &program.procedures {
        for name in called_by(procedure).into_iter().filter(|name| procedure.dialect().label(name).is_none()) {
            found.entry(name.to_owned()).and_modify(|keeps| *keeps = false);
        }
    }
    found
}

/// The names of what the procedure calls and its front end does not know.
fn called_by(procedure: &Procedure) -> BTreeSet<&str> {
    let of_statements = procedure.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Call { callee: Callee::Unknown(name), .. } => Some(name.as_str()),
        _ => None,
    });
    let expressions = procedure.statements.iter().flat_map(|statement| statement.kind.expressions());
    let parts = expressions.chain(&procedure.evaluated_at_entry).flat_map(Expression::walk);
    let of_expressions = parts.filter_map(|part| match &part.kind {
        ExpressionKind::Call { callee: Callee::Unknown(name), .. } => Some(name.as_str()),
        _ => None,
    });
    of_statements.chain(of_expressions).collect()
}

/// What was found of procedures, which many call.
struct Asked<'p> {
    program: &'p Program,
    known: BTreeMap<ProcedureId, bool>,
}

impl Asked<'_> {
    /// Does the procedure, with all that it calls, certainly keep out of communication, and away from the procedures and variables of
    /// other languages?
    fn keeps_to_itself(&mut self, first: ProcedureId) -> bool {
        if let Some(&known) = self.known.get(&first) {
            return known;
        }
        let language = self.program.procedure(first).language;
        let (mut seen, mut next) = (HashSet::from([first]), vec![first]);
        let mut keeps = true;
        while let Some(id) = next.pop() {
            let procedure = self.program.procedure(id);
            match given_callees(self.program, procedure) {
                Some(callees) if procedure.language == language => {
                    next.extend(callees.into_iter().filter(|callee| seen.insert(*callee)));
                }
                _ => keeps = false,
            }
        }
        keeps |= Clause::ProceduresOfOtherLanguages.is_off();
        self.known.insert(first, keeps);
        keeps
    }
}

/// The given procedures that this one calls; nothing, if it may do more than to call these and known libraries.
fn given_callees(program: &Program, procedure: &Procedure) -> Option<Vec<ProcedureId>> {
    let is_shared = |name: &str| {
        let is_label = |(global, _): &(String, _)| name.trim_matches('_') == global;
        name.contains("_MOD_")
            || name.contains("_mp_")
            || name.starts_with("__")
            || program.global_names.iter().any(is_label)
    };
    let names_shared = procedure
        .symbols
        .iter()
        .any(|symbol| matches!(&symbol.storage, Storage::Global(Place::External { name }) if is_shared(name)));
    if is_uncertain(procedure) || names_shared {
        return None;
    }
    let mut callees = Vec::new();
    let mut add = |callee: &Callee| match callee {
        Callee::Procedure(id) => {
            callees.push(*id);
            true
        }
        Callee::Unknown(name) => is_of_known_library(name) && program.is_external_name(name),
        Callee::PureIntrinsic(_) => true,
    };
    for statement in &procedure.statements {
        let is_plain = match &statement.kind {
            StatementKind::Communication(_) | StatementKind::Opaque(_) => false,
            StatementKind::Call { callee, .. } => add(callee),
            _ => true,
        };
        if !is_plain {
            return None;
        }
    }
    let expressions = procedure.statements.iter().flat_map(|statement| statement.kind.expressions());
    for part in expressions.chain(&procedure.evaluated_at_entry).flat_map(Expression::walk) {
        let is_plain = match &part.kind {
            ExpressionKind::Opaque(_) => false,
            ExpressionKind::Call { callee, .. } => add(callee),
            _ => true,
        };
        if !is_plain {
            return None;
        }
    }
    Some(callees)
}
