//! Calls that commit a datatype by another name than the message's.
//!
//! A message needs a committed datatype (MPI 4.0, section 5.1.9). A post that goes up does not pass what writes its handle, which
//! the call that commits it does; but the handle may have been copied before.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::values::Value;
use crate::ir::{Message, Operation, ProcedureId};
use crate::mpi::properties::Property;
use crate::mpi::routines::without_profiling;

/// May the statement commit the datatype of a message of its procedure, itself or in what it calls? Gives the call that does.
pub fn committed_in(facts: &Facts, site: SiteId, message: &Message) -> Option<SiteId> {
    if message.datatype.predefined.is_some() && !message.datatype.is_longest {
        return None;
    }
    let held = facts.value(site.procedure, &message.datatype.handle);
    let inside = facts.procedure(site.procedure).with_descendants(site.statement);
    let is_inside = |found: SiteId| found.procedure == site.procedure && inside.contains(&found.statement);
    facts.communications().iter().copied().find(|&commit| {
        let Some(communication) = facts.communication(commit) else { return false };
        let Operation::Inquiry { writes, .. } = &communication.operation else { return false };
        let is_commit = Property::CommitsDatatype.holds_of(without_profiling(&communication.routine));
        let may_be_it = || match writes.first().map(|handle| facts.value(commit.procedure, handle)) {
            Some(Value::Datatypes(committed)) => match &held {
                Value::Datatypes(held) => !committed.is_disjoint(held),
                _ => true,
            },
            _ => true,
        };
        is_commit && may_be_it() && (is_inside(commit) || is_reached(facts, commit.procedure, &is_inside))
    })
}

/// Does one of the calls for which `is_inside` holds lead to the procedure?
fn is_reached(facts: &Facts, procedure: ProcedureId, is_inside: &dyn Fn(SiteId) -> bool) -> bool {
    let mut seen = BTreeSet::from([procedure]);
    let mut left = vec![procedure];
    while let Some(called) = left.pop() {
        for &call in facts.calls_of(called) {
            if is_inside(call) {
                return true;
            }
            if seen.insert(call.procedure) {
                left.push(call.procedure);
            }
        }
    }
    false
}
