//! What the transformations have found so far, by site and by the place where it goes: data that they write and that whoever comes
//! behind them reads.

mod posts;
mod waits;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, btree_map};

use crate::analysis::facts::SiteId;
use crate::plan::Reason;

pub use self::posts::{EarlyPost, EarlySend, EarlyValues, Hoisted, OwnPlace, Place, StripMined};
pub use self::waits::{
    Boundary, ConsumerTiles, InLoop, LateWait, LateWaits, SplitWait, Sunk, WaitInCallee, WaitPlace, Waits,
};

/// What each transformation found for a site; `None` where it does not apply to this kind of call.
#[derive(Debug, Default)]
pub struct Moves {
    /// hoist-receive.
    pub hoisted: Option<Result<Hoisted, Reason>>,
    /// strip-mine-producer.
    pub strip_mined: Option<Result<StripMined, Reason>>,
    /// sink-wait.
    pub waits: Waits,
    /// hoist-send.
    pub sent_early: Option<EarlySend>,
}

impl Moves {
    /// Did any transformation apply?
    pub fn gained(&self) -> bool {
        matches!(self.hoisted, Some(Ok(_)))
            || matches!(self.strip_mined, Some(Ok(_)))
            || self.waits.gained()
            || self.sent_early.is_some()
    }
}

/// The loops that waits go into: whether they are split (else cut into tiles).
#[derive(Debug, Default)]
pub struct LoopUses {
    /// By the loop.
    pub is_split: RefCell<BTreeMap<SiteId, bool>>,
}

/// What a transformation has found for a call.
#[derive(Debug)]
pub enum Found {
    /// Where the post of its receive goes.
    Hoisted(Result<Hoisted, Reason>),
    /// How the message of its send leaves the loop that fills it.
    StripMined(Result<StripMined, Reason>),
    /// Where its waits go.
    Waits(Waits),
    /// Where its message is sent.
    SentEarly(EarlySend),
}

/// The moves of the members of all classes that convert.
#[derive(Debug, Default)]
pub struct AllMoves {
    by_site: BTreeMap<SiteId, Moves>,
    /// By statement: whose posts, or transfers, stand just before it by now.
    by_place: BTreeMap<SiteId, BTreeSet<SiteId>>,
    /// The receives whose messages are waited for in parts.
    in_segments: BTreeSet<SiteId>,
}

impl AllMoves {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// What was found for a site.
    pub fn get(&self, site: &SiteId) -> Option<&Moves> {
        self.by_site.get(site)
    }

    /// What was found for the sites of which something, a post or a transfer, stands just before the statement by now; in the
    /// order of the sites.
    pub fn arrived_at(&self, place: SiteId) -> impl Iterator<Item = (SiteId, &Moves)> {
        let sites = self.by_place.get(&place).into_iter().flatten();
        sites.filter_map(|site| Some((*site, self.by_site.get(site)?)))
    }

    /// Where waits were moved to, with the calls that they are of.
    pub fn waits(&self) -> impl Iterator<Item = (SiteId, &WaitPlace)> {
        self.by_site.iter().flat_map(|(&site, moves)| moves.waits.found().map(move |place| (site, place)))
    }

    /// The receives whose messages are waited for in parts.
    pub fn in_segments(&self) -> &BTreeSet<SiteId> {
        &self.in_segments
    }

    /// A site for which nothing has been found yet.
    pub fn add(&mut self, site: SiteId) {
        if let btree_map::Entry::Vacant(entry) = self.by_site.entry(site) {
            entry.insert(Moves::default());
        }
    }

    /// What was found for a call.
    pub fn set(&mut self, site: SiteId, found: Found) {
        match found {
            Found::Hoisted(hoisted) => self.set_hoisted(site, hoisted),
            Found::StripMined(strip_mined) => self.set_strip_mined(site, strip_mined),
            Found::Waits(waits) => self.set_waits(site, waits),
            Found::SentEarly(early) => self.by_site.entry(site).or_default().sent_early = Some(early),
        }
    }

    fn set_hoisted(&mut self, site: SiteId, hoisted: Result<Hoisted, Reason>) {
        match hoisted.as_ref().map(|hoisted| &hoisted.place) {
            Ok(Place::Own(own)) => self.arrive(SiteId { statement: own.before, ..site }, site),
            Ok(Place::InCallers(posts)) => {
                posts.iter().for_each(|post| self.arrive(SiteId { statement: post.before, ..post.call }, site));
            }
            Err(_) => {}
        }
        self.by_site.entry(site).or_default().hoisted = Some(hoisted);
    }

    fn set_strip_mined(&mut self, site: SiteId, strip_mined: Result<StripMined, Reason>) {
        if let Ok(found) = &strip_mined {
            self.arrive(SiteId { statement: found.loop_statement, ..site }, site);
        }
        self.by_site.entry(site).or_default().strip_mined = Some(strip_mined);
    }

    fn set_waits(&mut self, site: SiteId, waits: Waits) {
        let in_loops = waits.found().filter_map(|place| place.own()?.in_loop.as_ref());
        for in_loop in in_loops {
            if let InLoop::Tiles(tiles) = in_loop {
                self.in_segments.extend(tiles.posts.iter().copied());
            }
        }
        self.by_site.entry(site).or_default().waits = waits;
    }

    fn arrive(&mut self, place: SiteId, site: SiteId) {
        self.by_place.entry(place).or_default().insert(site);
    }
}
