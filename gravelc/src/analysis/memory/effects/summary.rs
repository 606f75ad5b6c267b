//! What calls of given procedures do, worked out from the bottom of the call graph upwards.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::analysis::memory::sharing::is_reachable;
use crate::ir::{
    Callee, Certainty, Expression, ExpressionKind, Extent, Place, Procedure, ProcedureId, Program, Region, StatementId,
    StatementKind, Storage, Symbol, SymbolId,
};

use super::completion::Completions;
use super::footprint::Footprint;
use super::walk::effects_with;
use super::{AccessKind, Effects};

/// Whose memory a called procedure touches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    /// The argument at this position.
    Dummy(usize),
    /// A variable of a module, at this place (see [`Storage::Global`]).
    Place(Place),
}

/// An access of a called procedure, in its own terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HandedAccess {
    /// Whose memory it is.
    pub owner: Owner,
    /// Read or written.
    pub kind: AccessKind,
    /// Which elements, over the values of variables when the procedure begins.
    pub region: Region,
    /// Whether it happens whenever the procedure is called.
    pub certainty: Certainty,
    /// The variable has no subscripts.
    pub is_scalar: bool,
}

/// More accesses than these are not told apart.
const MOST_ACCESSES: usize = 48;

/// What a call of a procedure may do, in terms of the caller.
#[derive(Debug, Clone, Default)]
pub(super) struct Summary {
    /// Positions of the arguments that are read.
    pub dummies_read: BTreeSet<usize>,
    /// Positions of the arguments that are written.
    pub dummies_written: BTreeSet<usize>,
    /// Which elements of its arguments, and of the variables of modules, it reads and writes. `None` if only the variables
    /// are known.
    pub accesses: Option<Vec<HandedAccess>>,
    /// Places (see [`Storage::Global`]) that are read, also by what it calls.
    pub places_read: BTreeSet<Place>,
    /// Places that are written, also by what it calls.
    pub places_written: BTreeSet<Place>,
    /// Those of the places that only what it calls names: [`Summary::accesses`] does not hold them.
    pub hidden_places: BTreeSet<Place>,
    /// COMMON blocks of which it may read anything, with a name or without.
    pub blocks_read: BTreeSet<String>,
    /// COMMON blocks of which it may write anything, with a name or without.
    pub blocks_written: BTreeSet<String>,
    /// It may leave something in memory besides its arguments.
    pub keeps_state: bool,
    /// It may leave something in memory that none of its callers has a name for.
    pub keeps_private_state: bool,
    /// Objects ([`crate::ir::MemoryObjects`]) of which something is read by pointers, or by names that pointers lead to.
    pub objects_read: BTreeSet<u32>,
    /// Likewise, written.
    pub objects_written: BTreeSet<u32>,
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
pub struct Summaries<'a> {
    program: Option<&'a Program>,
    known: Rc<KnownSummaries>,
}

/// Those that have been worked out.
#[derive(Default)]
pub(super) struct KnownSummaries {
    /// `None` while the summary is being worked out.
    summaries: RefCell<BTreeMap<ProcedureId, Option<Rc<Summary>>>>,
    completions: Completions,
}

impl HandedAccess {
    /// Is it to the one element that a scalar is, and to no array that begins there?
    pub fn is_scalar_itself(&self) -> bool {
        match &self.region.extent {
            Extent::Elements(lmad) => lmad.dimensions.is_empty(),
            Extent::Whole => self.is_scalar,
            Extent::From(_) => false,
        }
    }
}

impl<'a> Summaries<'a> {
    /// For the procedures of a program.
    pub fn new(program: &'a Program) -> Self {
        Self::kept(program, Rc::default())
    }

    /// For the procedures of a program of which some are known.
    pub(super) fn kept(program: &'a Program, known: Rc<KnownSummaries>) -> Self {
        Self { program: Some(program), known }
    }

    /// For questions about one procedure alone: what it calls may do anything.
    pub fn none() -> Self {
        Self { program: None, known: Rc::default() }
    }

    /// What completing requests does, as far as it has been asked.
    pub(super) fn completions(&self) -> &Completions {
        &self.known.completions
    }

    /// The called procedure, if the program is known.
    pub(super) fn callee(&self, id: ProcedureId) -> Option<&'a Procedure> {
        self.program.map(|program| program.procedure(id))
    }

    /// Does the name of a procedure that was not given mean an external one in `caller`?
    pub(super) fn is_external_name(&self, caller: &Procedure, name: &str) -> bool {
        match self.program {
            Some(program) => program.is_external_name(name),
            None => caller.find_symbol(name).is_none(),
        }
    }

    /// May a run of the procedure, or of what it calls, use the variable at this place (see [`Storage::Global`])?
    pub(in crate::analysis) fn uses_place(&self, id: ProcedureId, place: &Place) -> bool {
        let summary = self.of(id);
        summary.places_read.contains(place) || summary.places_written.contains(place)
    }

    /// May a run of the procedure, or of what it calls, write the variable at this place?
    pub(in crate::analysis) fn writes_place(&self, id: ProcedureId, place: &Place) -> bool {
        self.of(id).places_written.contains(place)
    }

    /// The summary of a procedure.
    pub(super) fn of(&self, id: ProcedureId) -> Rc<Summary> {
        if let Some(known) = self.known.summaries.borrow().get(&id) {
            return known.clone().unwrap_or_else(|| Rc::new(anything("it calls itself")));
        }
        let Some(procedure) = self.callee(id) else {
            return Rc::new(anything("nothing is known of it here"));
        };
        self.known.summaries.borrow_mut().insert(id, None);
        let statements = (0..procedure.statements.len()).map(StatementId);
        let mut footprint = Footprint::of(procedure, self, statements);
        let at_entry = || procedure.evaluated_at_entry.iter().flat_map(Expression::walk);
        if at_entry().any(|part| matches!(part.kind, ExpressionKind::Opaque(_))) {
            let summary = Rc::new(anything("what happens at its beginning or its end is not known"));
            self.known.summaries.borrow_mut().insert(id, Some(Rc::clone(&summary)));
            return summary;
        }
        let read_at_entry: BTreeSet<SymbolId> = at_entry().filter_map(Expression::designated).collect();
        footprint.reads.extend(&read_at_entry);
        let keeps_state = keeps_state(procedure, &footprint);
        let keeps_private_state = keeps_private_state(procedure, &footprint);
        let mut summary = Summary { keeps_state, keeps_private_state, ..summarise(procedure, footprint) };
        // What a procedure touches that this one has no name for does not show in its own footprint.
        let named: BTreeSet<&Place> = procedure.symbols.iter().filter_map(Symbol::known_place).collect();
        for callee in called_procedures(procedure) {
            inherit(&named, &mut summary, &self.of(callee));
        }
        if !summary.everything {
            let effects = effects_with(self, procedure, &procedure.body);
            // Loops may run beyond a member of a COMMON block, which no statement shows by itself.
            for access in &effects.accesses {
                let places = match access.kind {
                    AccessKind::Read => {
                        (&mut summary.dummies_read, &mut summary.places_read, &mut summary.objects_read)
                    }
                    AccessKind::Write => {
                        (&mut summary.dummies_written, &mut summary.places_written, &mut summary.objects_written)
                    }
                };
                enter(procedure, access.region.symbol, places);
            }
            summary.blocks_read.extend(effects.blocks_read.iter().cloned());
            summary.blocks_written.extend(effects.blocks_written.iter().cloned());
            summary.accesses = handed_accesses(procedure, &effects, &read_at_entry, summary.keeps_state);
            if at_entry().any(|part| matches!(part.kind, ExpressionKind::Call { .. })) {
                summary.accesses = None;
            }
        }
        let summary = Rc::new(summary);
        self.known.summaries.borrow_mut().insert(id, Some(Rc::clone(&summary)));
        summary
    }
}

fn anything(why: &str) -> Summary {
    Summary {
        reads_targets: true,
        writes_targets: true,
        keeps_state: true,
        keeps_private_state: true,
        everything: true,
        external: true,
        may_not_return: Some(why.to_owned()),
        ..Summary::default()
    }
}

/// The given procedures that a procedure calls.
pub fn called_procedures(procedure: &Procedure) -> BTreeSet<ProcedureId> {
    let mut found = BTreeSet::new();
    for statement in &procedure.statements {
        if let StatementKind::Call { callee: Callee::Procedure(callee), .. } = statement.kind {
            found.insert(callee);
        }
    }
    let expressions = procedure.statements.iter().flat_map(|statement| statement.kind.expressions());
    for part in expressions.chain(&procedure.evaluated_at_entry).flat_map(Expression::walk) {
        if let ExpressionKind::Call { callee: Callee::Procedure(callee), .. } = part.kind {
            found.insert(callee);
        }
    }
    found
}

/// Adds what a called procedure touches that the procedure need not have a name for: `named` are the places that it names.
fn inherit(named: &BTreeSet<&Place>, summary: &mut Summary, callee: &Summary) {
    let all = callee.places_read.iter().chain(&callee.places_written);
    summary.hidden_places.extend(all.filter(|place| !named.contains(place)).cloned());
    summary.places_read.extend(callee.places_read.iter().cloned());
    summary.places_written.extend(callee.places_written.iter().cloned());
    summary.blocks_read.extend(callee.blocks_read.iter().cloned());
    summary.blocks_written.extend(callee.blocks_written.iter().cloned());
    summary.keeps_state |= callee.keeps_state;
    summary.keeps_private_state |= callee.keeps_private_state;
}

/// May the procedure leave something in memory besides its arguments?
fn keeps_state(procedure: &Procedure, footprint: &Footprint) -> bool {
    footprint.writes_targets
        || !footprint.objects_written.is_empty()
        || footprint.writes.iter().any(|&id| {
            let symbol = procedure.symbol(procedure.holder_of(id));
            !matches!(symbol.storage, Storage::Local | Storage::Dummy) || symbol.target || symbol.overlay.is_some()
        })
}

/// May the procedure leave something in memory that has no place which a caller could know? A local allocatable array may
/// be a saved one, and what a pointer points to may have no other name.
fn keeps_private_state(procedure: &Procedure, footprint: &Footprint) -> bool {
    footprint.writes_targets
        || !footprint.objects_written.is_empty()
        || footprint.writes.iter().any(|&id| {
            let id = procedure.holder_of(id);
            let symbol = procedure.symbol(id);
            let is_own = match symbol.storage {
                Storage::Static | Storage::Pointer | Storage::Component { .. } => true,
                Storage::Allocatable => symbol.place.is_none() && !procedure.dummies.contains(&id),
                Storage::Local | Storage::Dummy | Storage::Global(_) => false,
            };
            let is_kept = |other: &Symbol| other.storage == Storage::Static && other.overlay == symbol.overlay;
            is_own || symbol.overlay.is_some() && procedure.symbols.iter().any(is_kept)
        })
}

/// The accesses of a procedure to what its callers see, if they are few and in memory that has no other name.
fn handed_accesses(
    procedure: &Procedure,
    effects: &Effects,
    read_at_entry: &BTreeSet<SymbolId>,
    keeps_state: bool,
) -> Option<Vec<HandedAccess>> {
    let mut found: Vec<HandedAccess> = Vec::new();
    let mut add = |access: HandedAccess| {
        if !found.contains(&access) {
            found.push(access);
        }
        found.len() <= MOST_ACCESSES
    };
    for (position, &dummy) in procedure.dummies.iter().enumerate() {
        if procedure.symbol(dummy).undefined_at_entry {
            let region = Region::whole(dummy);
            let owner = Owner::Dummy(position);
            let is_scalar = procedure.symbol(dummy).rank() == 0;
            add(HandedAccess { owner, kind: AccessKind::Write, region, certainty: Certainty::May, is_scalar });
        }
        // One with a value of its own is read where the argument is evaluated.
        if procedure.symbol(dummy).storage == Storage::Local {
            let region = Region::whole(dummy);
            let owner = Owner::Dummy(position);
            add(HandedAccess { owner, kind: AccessKind::Read, region, certainty: Certainty::May, is_scalar: true });
        }
    }
    let at_entry = read_at_entry.iter().map(|&id| (Region::whole(id), AccessKind::Read, Certainty::May));
    let in_body = effects.accesses.iter().map(|access| (access.region.clone(), access.kind, access.certainty));
    for (region, kind, certainty) in at_entry.chain(in_body) {
        let id = procedure.holder_of(region.symbol);
        // The caller need not have a name for a component of its object.
        let is_all = id == region.symbol;
        let (region, certainty) = if is_all { (region, certainty) } else { (Region::whole(id), Certainty::May) };
        let symbol = procedure.symbol(id);
        let owner = match (&symbol.storage, procedure.dummies.iter().position(|&dummy| dummy == id)) {
            (Storage::Local, Some(_)) => continue,
            (_, Some(position)) => Owner::Dummy(position),
            (Storage::Global(place), None) if place.is_one_variable() => Owner::Place(place.clone()),
            (Storage::Allocatable, None) => match &symbol.place {
                Some(place) => Owner::Place(place.clone()),
                None => continue,
            },
            _ => continue,
        };
        if symbol.overlay.is_some() {
            return None;
        }
        // A loop with a call is cut only where the call's result can't depend on how.
        let is_certain = certainty == Certainty::Must && effects.leaves.is_none() && !keeps_state;
        let certainty = if is_certain { Certainty::Must } else { Certainty::May };
        let is_scalar = symbol.rank() == 0;
        if !add(HandedAccess { owner, kind, region, certainty, is_scalar }) {
            return None;
        }
    }
    Some(found)
}

fn summarise(procedure: &Procedure, footprint: Footprint) -> Summary {
    let mut summary = Summary {
        reads_targets: footprint.reads_targets,
        writes_targets: footprint.writes_targets,
        objects_read: footprint.objects_read,
        objects_written: footprint.objects_written,
        everything: footprint.everything || footprint.everything_private,
        external: footprint.external,
        may_not_return: footprint.may_not_return,
        blocks_read: footprint.blocks_read,
        blocks_written: footprint.blocks_written,
        ..Summary::default()
    };
    for &symbol in &footprint.reads {
        let places = (&mut summary.dummies_read, &mut summary.places_read, &mut summary.objects_read);
        summary.reads_targets |= enter(procedure, symbol, places);
    }
    for &symbol in &footprint.writes {
        let places = (&mut summary.dummies_written, &mut summary.places_written, &mut summary.objects_written);
        summary.writes_targets |= enter(procedure, symbol, places);
    }
    summary
}

/// Notes where the caller can see the variable: among the arguments, at a place, by pointers into its objects. Says whether any
/// pointer can point to it.
fn enter(
    procedure: &Procedure,
    symbol: SymbolId,
    (positions, places, objects): (&mut BTreeSet<usize>, &mut BTreeSet<Place>, &mut BTreeSet<u32>),
) -> bool {
    let symbol = procedure.holder_of(symbol);
    let overlay = procedure.symbol(symbol).overlay;
    let mut may_be_target = false;
    let is_overlaid = |id: &SymbolId| *id != symbol && procedure.symbol(*id).overlay == overlay;
    let all = 0..if overlay.is_some() { procedure.symbols.len() } else { 0 };
    for id in all.map(SymbolId).filter(is_overlaid).chain([symbol]) {
        let variable = procedure.symbol(id);
        positions.extend(procedure.dummies.iter().position(|&dummy| dummy == id));
        let is_target = variable.target || variable.storage == Storage::Pointer;
        if let Some(known) = variable.objects.as_ref().filter(|_| is_target) {
            objects.extend(known.numbers());
            places.extend(variable.known_place().cloned());
            continue;
        }
        match &variable.storage {
            Storage::Global(place) => {
                places.insert(place.clone());
                may_be_target |= variable.target;
            }
            Storage::Pointer => may_be_target = true,
            Storage::Allocatable => match &variable.place {
                Some(place) => {
                    places.insert(place.clone());
                    may_be_target |= variable.target;
                }
                // One of a host, whose place is not known, is marked as a target there too.
                None => may_be_target |= is_reachable(procedure, id),
            },
            // It outlives the call that gave a pointer to it away.
            Storage::Static => may_be_target |= variable.target,
            // A target among the dummy arguments is named by the actual argument; the caller's pointers to it are found
            // through that.
            Storage::Dummy | Storage::Local | Storage::Component { .. } => {}
        }
    }
    may_be_target
}
