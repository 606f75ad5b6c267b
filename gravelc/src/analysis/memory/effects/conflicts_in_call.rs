//! Whether one call of a given procedure touches the same memory by two of the procedure's names, and changes it.
//!
//! `call exchange(w(1), w(n + 1))` hands two pieces of one array over. In `exchange` they are apart if no element that it
//! touches by the one name is one that it touches by the other, or if it only reads both. The elements are those of the
//! procedure's summary, in terms of the caller ([`super::translation`]).

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::analysis::Answer;
use crate::analysis::algebra::prover::Assumptions;
use crate::analysis::memory::arrays::Layouts;
use crate::analysis::memory::overlap::may_overlap;
use crate::analysis::program::calls::CallSite;
use crate::ir::{Place, Polynomial, Procedure, Program, Region, Storage, SymbolId};

use super::beyond::reaches_beyond;
use super::event::{GivenCall, Touched};
use super::summary::{Owner, Summaries, Summary};
use super::translation::Caller;

/// How a run of the procedure uses some memory.
#[derive(Debug, Clone, Copy)]
struct Use {
    reads: bool,
    writes: bool,
}

impl Use {
    const ANY: Use = Use { reads: true, writes: true };

    /// Both are used. What is only read may still be awaited: a message of the caller may arrive in it while the procedure runs.
    fn meets(self, other: Use) -> bool {
        (self.reads || self.writes) && (other.reads || other.writes)
    }

    fn conflicts_with(self, other: Use) -> bool {
        self.writes && (other.reads || other.writes) || self.reads && other.writes
    }
}

/// One call of a given procedure.
pub struct ConflictsInCall<'c, 'a> {
    summaries: &'c Summaries<'a>,
    layouts: Layouts<'a>,
    callee: &'a Procedure,
    call: GivenCall<'a>,
    /// Worked out when it is first needed.
    summary: OnceCell<Rc<Summary>>,
    /// Whether accesses by two names may meet, as far as it has been asked.
    meetings: RefCell<BTreeMap<(Owner, Owner), bool>>,
}

impl<'c, 'a> ConflictsInCall<'c, 'a> {
    /// A call in a program; `caller` and what is called are procedures of it.
    pub fn new(summaries: &'c Summaries<'a>, program: &'a Program, call: &CallSite<'a>) -> Self {
        let (caller, callee) = (program.procedure(call.caller), program.procedure(call.callee));
        let call = GivenCall { callee: call.callee, arguments: call.arguments };
        Self {
            summaries,
            layouts: Layouts::new(caller),
            callee,
            call,
            summary: OnceCell::new(),
            meetings: RefCell::default(),
        }
    }

    fn summary(&self) -> &Summary {
        self.summary.get_or_init(|| self.summaries.of(self.call.callee))
    }

    /// The places (see [`Storage::Global`]) that the procedure, or what it calls, touches.
    pub fn places(&self) -> BTreeSet<Place> {
        self.summary().places_read.union(&self.summary().places_written).cloned().collect()
    }

    /// May what the procedure touches by the dummy arguments at both positions be the same? `is_one_variable`
    /// says that the caller names one and the same variable in both actual arguments; else the two are known to be able to
    /// share memory, and nothing is known of where.
    pub fn between(&self, one: usize, other: usize, is_one_variable: bool) -> bool {
        if !self.use_by(one).meets(self.use_by(other)) {
            return false;
        }
        !is_one_variable || self.may_meet(Owner::Dummy(one), Owner::Dummy(other))
    }

    /// May what the procedure, or what it calls, touches by the dummy argument at the position be what it touches of the
    /// variable at the place (see [`Storage::Global`])? The actual argument may be (a part of) that variable;
    /// `is_named` says that it is one that the caller has at this place, too.
    pub fn with_place(&self, position: usize, place: &Place, is_named: bool) -> bool {
        if !self.use_by(position).meets(self.use_of_place(place)) {
            return false;
        }
        let is_described = is_named && place.is_one_variable() && !self.summary().hidden_places.contains(place);
        !is_described || self.may_meet(Owner::Dummy(position), Owner::Place(place.to_owned()))
    }

    /// May what the procedure touches by the dummy argument at the position be what a pointer leads it to, and be changed?
    pub fn with_targets(&self, position: usize) -> bool {
        let everything = self.summary().everything;
        let targets = Use {
            reads: everything || self.summary().reads_targets || !self.summary().objects_read.is_empty(),
            writes: everything || self.summary().writes_targets || !self.summary().objects_written.is_empty(),
        };
        self.use_by(position).conflicts_with(targets)
    }

    /// The places (see [`Storage::Global`]) that the procedure, or what it calls, touches and that lie in one COMMON block with
    /// the member `actual` of the caller, where it may touch more by the dummy argument at the position than this member.
    pub fn places_beyond(&self, position: usize, actual: SymbolId) -> BTreeSet<Place> {
        let Some(block) = self.layouts.procedure.symbol(actual).storage.common_block() else { return BTreeSet::new() };
        let values = |symbol| Some(Polynomial::variable(symbol));
        let in_caller = Caller { layouts: &self.layouts, summaries: self.summaries, value_of: &values };
        let runs_beyond = |index: usize| match in_caller.region(self.call, index) {
            Some((region, _)) => {
                reaches_beyond(&in_caller, Touched::Handed { call: self.call, access: index }, &region)
            }
            None => true,
        };
        let is_beyond = match &self.summary().accesses {
            Some(accesses) => {
                let mut by_dummy = accesses.iter().enumerate().filter(|(_, it)| it.owner == Owner::Dummy(position));
                by_dummy.any(|(index, _)| runs_beyond(index))
            }
            // Declared bounds are believed, as everywhere.
            None => false,
        };
        if !is_beyond {
            return BTreeSet::new();
        }
        let mut places = self.places();
        places.retain(|place| place.block() == Some(block));
        places
    }

    fn use_by(&self, position: usize) -> Use {
        if self.summary().everything || self.call.arguments.len() > self.callee.dummies.len() {
            return Use::ANY;
        }
        let dummy = self.callee.dummies.get(position).map(|&dummy| self.callee.symbol(dummy));
        // A value of its own is read once, where the call evaluates it.
        if dummy.is_none_or(|dummy| dummy.storage == Storage::Local) {
            return Use { reads: false, writes: false };
        }
        let is_lost = dummy.is_some_and(|dummy| dummy.undefined_at_entry);
        Use {
            reads: self.summary().dummies_read.contains(&position),
            writes: is_lost || self.summary().dummies_written.contains(&position),
        }
    }

    fn use_of_place(&self, place: &Place) -> Use {
        if self.summary().everything {
            return Use::ANY;
        }
        let in_block = |blocks: &BTreeSet<String>| place.block().is_some_and(|block| blocks.contains(block));
        Use {
            reads: self.summary().places_read.contains(place) || in_block(&self.summary().blocks_read),
            writes: self.summary().places_written.contains(place) || in_block(&self.summary().blocks_written),
        }
    }

    /// May an access by the one name and one by the other have an element in common?
    fn may_meet(&self, one: Owner, other: Owner) -> bool {
        let key = (one, other);
        if let Some(&known) = self.meetings.borrow().get(&key) {
            return known;
        }
        let found = self.compare(&key.0, &key.1);
        self.meetings.borrow_mut().insert(key, found);
        found
    }

    fn compare(&self, one: &Owner, other: &Owner) -> bool {
        let is_described = self.call.arguments.len() <= self.callee.dummies.len() && !self.summary().everything;
        let Some(accesses) = self.summary().accesses.as_ref().filter(|_| is_described) else { return true };
        let values = |symbol| Some(Polynomial::variable(symbol));
        let in_caller = Caller { layouts: &self.layouts, summaries: self.summaries, value_of: &values };
        let regions = |owner: &Owner| -> Option<Vec<Region>> {
            let by_owner = accesses.iter().enumerate().filter(|(_, access)| access.owner == *owner);
            by_owner.map(|(index, _)| Some(in_caller.region(self.call, index)?.0)).collect()
        };
        let (Some(one), Some(other)) = (regions(one), regions(other)) else { return true };
        let assumptions = Assumptions::new();
        one.iter().any(|region| {
            other.iter().any(|other_region| {
                may_overlap(self.layouts.procedure, region, other_region, &assumptions) != Answer::No
            })
        })
    }
}
