//! The values of integer scalars while statements run, in terms of the values when they began.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::memory::sharing::may_share_memory;
use crate::ir::{Polynomial, Procedure, SymbolId};

/// The variable that stands for the value of a loop's variable in some iteration: it is none of the procedure's own.
/// Loops inside one another have different numbers.
pub fn iteration_symbol(procedure: &Procedure, number: usize) -> SymbolId {
    SymbolId(procedure.symbols.len() + number)
}

/// What is known of the values of variables at some point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Environment {
    /// The variables that may have changed since the beginning, with their values where these are known.
    changed: BTreeMap<SymbolId, Option<Polynomial>>,
    /// The scalars that certainly have been written since the beginning.
    written: BTreeSet<SymbolId>,
}

impl Environment {
    /// The value of an integer scalar; variables in it stand for their values at the beginning.
    pub fn value_of(&self, symbol: SymbolId) -> Option<Polynomial> {
        match self.changed.get(&symbol) {
            Some(value) => value.clone(),
            None => Some(Polynomial::variable(symbol)),
        }
    }

    /// The variable gets a value.
    pub fn set(&mut self, symbol: SymbolId, value: Option<Polynomial>) {
        self.changed.insert(symbol, value);
    }

    /// The scalar has certainly been written on every way to this point.
    pub fn note_written(&mut self, symbol: SymbolId) {
        self.written.insert(symbol);
    }

    /// Has the scalar certainly been written on every way to this point?
    pub fn is_written(&self, symbol: SymbolId) -> bool {
        self.written.contains(&symbol)
    }

    /// Forgets which scalars have been written, but for those that had been at an earlier point.
    pub fn restore_written(&mut self, earlier: &Self) {
        self.written.clone_from(&earlier.written);
    }

    /// Memory of `written` may have changed.
    pub fn forget(&mut self, procedure: &Procedure, written: SymbolId) {
        self.forget_where(procedure, |symbol| may_share_memory(procedure, symbol, written));
    }

    /// The variables for which `may_change` holds may have changed.
    pub fn forget_where(&mut self, procedure: &Procedure, may_change: impl Fn(SymbolId) -> bool) {
        for (index, symbol) in procedure.symbols.iter().enumerate() {
            let id = SymbolId(index);
            if symbol.is_integer_scalar() && may_change(id) {
                self.changed.insert(id, None);
            }
        }
    }

    /// What holds where control comes together from this point or the other one.
    pub fn join(&mut self, other: &Self) {
        self.written.retain(|symbol| other.written.contains(symbol));
        let symbols: Vec<SymbolId> = self.changed.keys().chain(other.changed.keys()).copied().collect();
        for symbol in symbols {
            if self.value_of(symbol) != other.value_of(symbol) {
                self.changed.insert(symbol, None);
            }
        }
    }
}
