//! Variables of modules that nothing writes any more once a statement has run: what is made there of their values still
//! goes by them wherever it is used.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::analysis::facts::{Facts, Name, SiteId};
use crate::analysis::memory::effects::Footprint;
use crate::analysis::memory::sharing::may_share_memory;
use crate::ir::{Place, ProcedureId, StatementId, SymbolId};
use crate::mutations::Clause;

use super::order_in_program::is_over_in_program;

/// Answers about one program.
pub struct SettledValues<'f, 'p> {
    facts: &'f Facts<'p>,
    /// The statements that may write variables of modules, and components.
    writers: RefCell<BTreeMap<Name, Rc<[StatementId]>>>,
}

impl<'f, 'p> SettledValues<'f, 'p> {
    /// Nothing is worked out yet.
    pub fn new(facts: &'f Facts<'p>) -> Self {
        Self { facts, writers: RefCell::default() }
    }

    /// Of a variable of a module: it is written nowhere in the program but before the statement.
    pub fn is_settled_in_program(&self, site: SiteId, variable: SymbolId) -> bool {
        let symbol = self.facts.procedure(site.procedure).symbol(variable);
        let is_of_module = symbol.shared_variable().is_some_and(Place::is_of_module);
        let names = self.facts.names_of(site.procedure, variable);
        let is_plain = |&(id, name): &Name| {
            let symbol = self.facts.procedure(id).symbol(name);
            !symbol.target && symbol.overlay.is_none() && !symbol.volatile
        };
        is_of_module
            && self.facts.is_closed_world()
            && names.iter().all(is_plain)
            && names.iter().all(|&name| self.is_written_before_only(name, site))
    }

    fn is_written_before_only(&self, (id, name): Name, site: SiteId) -> bool {
        Clause::SettledValues.is_off()
            || self.writers(id, name).iter().all(|&statement| {
                // The call that leads to the site shows what the procedures do themselves, unless it hands the variable down.
                let earlier = SiteId { procedure: id, statement };
                is_over_in_program(self.facts, earlier, site) && !self.leads_with(earlier, site, name)
            })
    }

    /// The statements that may write a variable under this name: one of a module, or a component. What a called procedure does to it under a
    /// name of its own is seen there.
    pub fn writers(&self, id: ProcedureId, name: SymbolId) -> Rc<[StatementId]> {
        if let Some(known) = self.writers.borrow().get(&(id, name)) {
            return Rc::clone(known);
        }
        let procedure = self.facts.procedure(id);
        let writes = |footprint: &Footprint, statement: &StatementId| {
            footprint.everything_private
                || footprint.everything && self.facts.mentions(id, name).contains_key(statement)
                || footprint.writes.iter().any(|&written| may_share_memory(procedure, written, name))
        };
        let may_write = |statement: &StatementId| {
            writes(self.facts.rough_footprint(id, *statement), statement)
                && writes(self.facts.footprint(id, *statement), statement)
        };
        let found: Rc<[StatementId]> = (0..procedure.statements.len()).map(StatementId).filter(may_write).collect();
        self.writers.borrow_mut().insert((id, name), Rc::clone(&found));
        found
    }

    /// Is `call` on the way to `site`, and is the variable among its arguments?
    fn leads_with(&self, call: SiteId, site: SiteId, variable: SymbolId) -> bool {
        let is_mentioned = self.facts.mentions(call.procedure, variable).contains_key(&call.statement);
        let mut procedure = site.procedure;
        let mut leads = false;
        // `is_over_in_program` has found a way without repetition.
        while let [next] = self.facts.calls_of(procedure) {
            leads |= *next == call;
            if procedure == call.procedure || leads {
                break;
            }
            procedure = next.procedure;
        }
        leads && is_mentioned
    }
}
