//! What is believed of calls that were not given: that they obey Fortran 2018, 15.5.2.13.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::Facts;
use crate::analysis::memory::effects::AccessKind;
use crate::analysis::memory::sharing::may_share_memory;
use crate::ir::{ProcedureId, Storage, SymbolClass, SymbolId};

use super::own_places;

/// The names of a procedure that are taken to be different memory only because calls that were not given obey the language, as
/// far as one of `named` is concerned; in the order of their declarations, none where all calls are known.
pub fn names_taken_apart(facts: &Facts, procedure: ProcedureId, named: &BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
    let mut apart = BTreeSet::new();
    let body = facts.procedure(procedure);
    if body.dummies.is_empty() || facts.calls_are_known(procedure) {
        return apart;
    }
    let named: BTreeSet<SymbolId> = named.iter().map(|&symbol| body.holder_of(symbol)).collect();
    // Whether a run writes what it uses.
    let mut used: BTreeMap<SymbolId, bool> = BTreeMap::new();
    for access in &facts.effects_of_run(procedure).accesses {
        *used.entry(body.holder_of(access.region.symbol)).or_default() |= access.kind == AccessKind::Write;
    }
    let is_variable = |symbol: SymbolId| body.symbol(symbol).class == SymbolClass::Variable;
    let is_argument = |symbol: SymbolId| {
        body.dummies.contains(&symbol) && is_variable(symbol) && body.symbol(symbol).storage != Storage::Local
    };
    let is_handed_over_elsewhere = |symbol: SymbolId| {
        is_argument(symbol) || is_variable(symbol) && !own_places(body, body.symbol(symbol)).is_empty()
    };
    for (&one, &is_written) in used.iter().filter(|(one, _)| is_argument(**one)) {
        for (&other, &is_other_written) in used.iter().filter(|(other, _)| is_handed_over_elsewhere(**other)) {
            let matters = (is_written || is_other_written) && (named.contains(&one) || named.contains(&other));
            if one != other && matters && !may_share_memory(body, one, other) {
                apart.extend([one, other]);
            }
        }
    }
    apart
}
