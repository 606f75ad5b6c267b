//! Which names of a procedure may stand for the same memory because of how the procedure is called.

use std::collections::BTreeMap;

use super::{Place, Span, SymbolId};

/// What the calls of a procedure say of its dummy arguments. Front ends leave this to the analyses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases {
    /// Pairs of variables, the smaller one first, each with a call that makes them one place.
    pairs: BTreeMap<(SymbolId, SymbolId), Span>,
    /// The places (see [`super::Storage::Global`]) that a dummy argument may be (a part of), each with such a call.
    places: BTreeMap<SymbolId, BTreeMap<Place, Span>>,
    /// Dummy arguments that a pointer may point to, with such a call.
    targets: BTreeMap<SymbolId, Span>,
}

impl Aliases {
    /// Is nothing known to share memory?
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.places.is_empty() && self.targets.is_empty()
    }

    /// The two may share memory in this call. Says whether that is new.
    pub fn add_pair(&mut self, one: SymbolId, other: SymbolId, call: Span) -> bool {
        let is_new = one != other && !self.pairs.contains_key(&pair(one, other));
        if is_new {
            self.pairs.insert(pair(one, other), call);
        }
        is_new
    }

    /// The dummy argument may be (a part of) the variable at the place in this call. Says whether that is new.
    pub fn add_place(&mut self, dummy: SymbolId, place: &Place, call: Span) -> bool {
        let known = self.places.entry(dummy).or_default();
        let is_new = !known.contains_key(place);
        if is_new {
            known.insert(place.clone(), call);
        }
        is_new
    }

    /// A pointer may point to the dummy argument in this call. Says whether that is new.
    pub fn add_target(&mut self, dummy: SymbolId, call: Span) -> bool {
        let is_new = !self.targets.contains_key(&dummy);
        if is_new {
            self.targets.insert(dummy, call);
        }
        is_new
    }

    /// A call in which the two may share memory.
    pub fn call_that_joins(&self, one: SymbolId, other: SymbolId) -> Option<Span> {
        self.pairs.get(&pair(one, other)).copied()
    }

    /// The places that the dummy argument may be.
    pub fn places_of(&self, dummy: SymbolId) -> impl Iterator<Item = &Place> {
        self.places.get(&dummy).into_iter().flat_map(BTreeMap::keys)
    }

    /// The dummy arguments that may be at a place for which `is_it` holds.
    pub fn dummies_at<'a>(&'a self, is_it: impl Fn(&Place) -> bool + 'a) -> impl Iterator<Item = SymbolId> + 'a {
        let may_be = move |places: &BTreeMap<Place, Span>| places.keys().any(&is_it);
        self.places.iter().filter(move |(_, places)| may_be(places)).map(|(&dummy, _)| dummy)
    }

    /// The dummy arguments that a pointer may point to.
    pub fn targets(&self) -> impl Iterator<Item = SymbolId> {
        self.targets.keys().copied()
    }
}

fn pair(one: SymbolId, other: SymbolId) -> (SymbolId, SymbolId) {
    if one <= other { (one, other) } else { (other, one) }
}
