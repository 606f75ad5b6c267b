//! What calls of given procedures do, worked out from the bottom of the call graph upwards.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::analysis::sharing::is_reachable;
use crate::ir::{Procedure, ProcedureId, Program, StatementId, Storage, SymbolId};

use super::footprint::Footprint;

/// What a call of a procedure may do, in terms of the caller.
#[derive(Debug, Clone, Default)]
pub(super) struct Summary {
    /// Positions of the arguments that are read.
    pub dummies_read: BTreeSet<usize>,
    /// Positions of the arguments that are written.
    pub dummies_written: BTreeSet<usize>,
    /// Places (see [`Storage::Global`]) that are read.
    pub places_read: BTreeSet<String>,
    /// Places that are written.
    pub places_written: BTreeSet<String>,
    /// Whatever a pointer can point to is read.
    pub reads_targets: bool,
    /// Whatever a pointer can point to is written.
    pub writes_targets: bool,
    /// Anything that calls can reach, and the arguments, may be read and written.
    pub everything: bool,
    /// Somebody outside may notice.
    pub external: bool,
    /// Why control may not come back.
    pub may_not_return: Option<String>,
}

/// The summaries of a program's procedures, worked out when they are first needed.
pub(in crate::analysis) struct Summaries<'a> {
    program: Option<&'a Program>,
    /// `None` while the summary is being worked out.
    known: RefCell<BTreeMap<ProcedureId, Option<Rc<Summary>>>>,
}

impl<'a> Summaries<'a> {
    /// For the procedures of a program.
    pub fn new(program: &'a Program) -> Self {
        Self { program: Some(program), known: RefCell::default() }
    }

    /// For questions about one procedure alone: what it calls may do anything.
    pub fn none() -> Self {
        Self { program: None, known: RefCell::default() }
    }

    /// The called procedure, if the program is known.
    pub(super) fn callee(&self, id: ProcedureId) -> Option<&'a Procedure> {
        self.program.map(|program| program.procedure(id))
    }

    /// The summary of a procedure.
    pub(super) fn of(&self, id: ProcedureId) -> Rc<Summary> {
        if let Some(known) = self.known.borrow().get(&id) {
            return known.clone().unwrap_or_else(|| Rc::new(anything("it calls itself")));
        }
        let Some(procedure) = self.callee(id) else {
            return Rc::new(anything("nothing is known of it here"));
        };
        self.known.borrow_mut().insert(id, None);
        let statements = (0..procedure.statements.len()).map(StatementId);
        let footprint = Footprint::of(procedure, self, statements);
        let summary = Rc::new(summarise(procedure, footprint));
        self.known.borrow_mut().insert(id, Some(Rc::clone(&summary)));
        summary
    }
}

fn anything(why: &str) -> Summary {
    Summary {
        reads_targets: true,
        writes_targets: true,
        everything: true,
        external: true,
        may_not_return: Some(why.to_owned()),
        ..Summary::default()
    }
}

fn summarise(procedure: &Procedure, footprint: Footprint) -> Summary {
    let mut summary = Summary {
        reads_targets: footprint.reads_targets,
        writes_targets: footprint.writes_targets,
        everything: footprint.everything || footprint.everything_private,
        external: footprint.external,
        may_not_return: footprint.may_not_return,
        ..Summary::default()
    };
    for &symbol in &footprint.reads {
        let (positions, places) = (&mut summary.dummies_read, &mut summary.places_read);
        summary.reads_targets |= enter(procedure, symbol, positions, places);
    }
    for &symbol in &footprint.writes {
        let (positions, places) = (&mut summary.dummies_written, &mut summary.places_written);
        summary.writes_targets |= enter(procedure, symbol, positions, places);
    }
    summary
}

/// Notes where the caller can see the variable; says whether a pointer can point to it.
fn enter(
    procedure: &Procedure,
    symbol: SymbolId,
    positions: &mut BTreeSet<usize>,
    places: &mut BTreeSet<String>,
) -> bool {
    let overlay = procedure.symbol(symbol).overlay;
    let mut may_be_target = false;
    for (index, variable) in procedure.symbols.iter().enumerate() {
        let id = SymbolId(index);
        if id != symbol && (overlay.is_none() || variable.overlay != overlay) {
            continue;
        }
        positions.extend(procedure.dummies.iter().position(|&dummy| dummy == id));
        match &variable.storage {
            Storage::Global(place) => {
                places.insert(place.clone());
                may_be_target |= variable.target;
            }
            Storage::Pointer => may_be_target = true,
            // An allocatable variable of another scope, whose place is not known: it is marked as a target there too.
            Storage::Allocatable if is_reachable(procedure, id) => may_be_target = true,
            // A target among the dummy arguments is named by the actual argument; the caller's pointers to it are found
            // through that.
            Storage::Dummy | Storage::Local | Storage::Static | Storage::Allocatable => {}
        }
    }
    may_be_target
}
