//! What an interconnect is to the rest of the runtime: a type that says what it is called, what can be set about it, what it
//! counts, and how it is set up. Whoever is on the list of [`super::registry`] is asked for all of that, and named nowhere else.

use std::any::Any;
use std::fmt::Debug;
use std::io;
use std::sync::Arc;

use super::card::RankIdentity;
use super::counters::Path;
use super::probe::Probe;
use super::routed::Joinable;
use super::{Arrivals, Doorbell, Provider};
use crate::Rank;
use crate::error::Result;
use crate::host::Host;
use crate::sys::setting::Setting;

/// Why a rank does not use an interconnect that its settings leave out.
pub const NOT_NAMED: &str = "GRAVEL_PROVIDER of this rank does not name it";

/// What can be set about an interconnect. The default is what holds when nothing is.
pub trait Options: Any + Clone + Debug + Default + PartialEq + Send + Sync {
    /// Its variables.
    const SETTINGS: &'static [Setting];

    /// Sets one of them; the error is what is expected.
    fn set(&mut self, name: &str, value: &str) -> std::result::Result<(), &'static str>;

    /// The value in force of one of them, as it could be given; nothing if that is what the description calls the default.
    fn value(&self, name: &str) -> Option<String>;
}

/// Of an interconnect about which nothing can be set.
impl Options for () {
    const SETTINGS: &'static [Setting] = &[];

    fn set(&mut self, _: &str, _: &str) -> std::result::Result<(), &'static str> {
        Ok(())
    }

    fn value(&self, _: &str) -> Option<String> {
        None
    }
}

/// A kind of interconnect.
pub trait Interconnect: 'static {
    /// Its name in settings and messages.
    const NAME: &'static str;
    /// Its name in a sentence.
    const TITLE: &'static str;
    /// Which ranks it joins.
    const REACH: &'static str;
    /// Whether `auto` means it, too, and the settings' descriptions list it; if not, who wants it has to name it.
    const IS_OFFERED: bool = true;
    /// The ways that its pieces take, for `GRAVEL_STATS`.
    const PATHS: &'static [&'static Path];
    /// Length of what [`SetUp::card`] gives.
    const CARD_BYTES: usize = 0;
    /// What can be set about it.
    type Options: Options;

    /// Whether it moves static data of the program to other pages.
    fn moves_static_data(options: &Self::Options) -> bool {
        let _ = options;
        false
    }

    /// Tries what it builds on, for `gravel-info`.
    fn survey(options: &Self::Options) -> Vec<Probe>;

    /// What the other process of a probe does that needs one ([`super::probe::in_another_process`]).
    fn assist(task: &str) -> io::Result<()> {
        Err(io::Error::other(format!("there is no task {task}")))
    }

    /// Begins to set it up on this rank. An error is this rank's, and fails the job: an interconnect that only can't be used
    /// here says so in [`SetUp::finding`].
    fn begin(start: &Start, options: &Self::Options) -> Result<Box<dyn SetUp>>;
}

/// What a rank knows before it has heard of others.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// Number of ranks.
    pub ranks: Rank,
    /// Whether this rank's settings permit the interconnect.
    pub is_permitted: bool,
    /// Whether an interconnect that they permit moves static data of the program to other pages.
    pub moves_static_data: bool,
}

/// All ranks, as they have described themselves.
#[derive(Debug, Clone)]
pub struct Ranks {
    /// This rank.
    pub rank: Rank,
    /// By rank.
    pub identities: Vec<RankIdentity>,
}

impl Ranks {
    /// This rank's description.
    pub fn own(&self) -> &RankIdentity {
        &self.identities[self.rank]
    }
}

/// Pairs of ranks, each with itself among them: (a, b) is one exactly if (b, a) is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairs {
    size: Rank,
    joined: Vec<bool>,
}

impl Pairs {
    /// Those of so many ranks for which this holds, the higher rank first.
    pub fn of(size: Rank, mut holds: impl FnMut(Rank, Rank) -> bool) -> Self {
        let mut joined = vec![false; size * size];
        for one in 0..size {
            for other in 0..=one {
                let is_joined = holds(one, other);
                (joined[one * size + other], joined[other * size + one]) = (is_joined, is_joined);
            }
        }
        Self { size, joined }
    }

    /// Whether two ranks are one.
    pub fn contains(&self, one: Rank, other: Rank) -> bool {
        self.joined[one * self.size + other]
    }

    /// Those that a rank is in a pair with.
    pub fn with(&self, rank: Rank) -> impl Iterator<Item = Rank> {
        (0..self.size).filter(move |&peer| self.contains(rank, peer))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        !self.joined.contains(&true)
    }
}

/// An interconnect on its way from this rank's settings to its provider. All ranks go the same steps at the same time.
pub trait SetUp {
    /// What this rank tells all others: [`Interconnect::CARD_BYTES`].
    fn card(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Here is what all ranks have told, by rank.
    fn meet(&mut self, ranks: &Ranks, cards: &[&[u8]]) -> Result<()> {
        let _ = (ranks, cards);
        Ok(())
    }

    /// Whether a peer can be reached, as far as this rank can tell without its help; else the reason. What is found, the peer
    /// is told, if it is so one thing more about it, which the interconnect may choose: see [`SetUp::connect`].
    fn finding(&self, peer: Rank) -> std::result::Result<bool, String>;

    /// The ranks that should all be able to reach one another, if this is one of them: a pair that is not is worth a warning.
    fn expected(&self) -> Vec<Rank> {
        Vec::new()
    }

    /// Connects these pairs of ranks. Collective over all ranks, also those that are in none. `told` has by rank what its
    /// finding about this rank says beside that it can be reached.
    ///
    /// An error fails the job; pairs that do not come together may be left out of what comes back, the same on all ranks, and
    /// then use the next interconnect.
    fn connect(self: Box<Self>, host: &dyn Host, ranks: &Ranks, pairs: &Pairs, told: &[bool]) -> Result<Connected>;
}

/// What has become of it.
pub struct Connected {
    /// Reaches the peers of this rank's pairs; nothing if it has none.
    pub provider: Option<Box<dyn Joinable>>,
    /// Where a thread sleeps until something comes for which nobody rings, if anything can.
    pub arrivals: Option<Arc<dyn Arrivals>>,
    /// Where this process sleeps, if it is this interconnect that knows.
    pub doorbell: Option<Arc<dyn Doorbell>>,
    /// Whether any of these peers rings it.
    pub peers_ring: bool,
    /// The pairs that came together, equal on all ranks.
    pub pairs: Pairs,
    /// By rank: why this rank is not connected to it after all.
    pub reasons: Vec<Option<String>>,
}

/// What stands before a provider, if the environment asks for it: for tests.
pub trait Wrapper {
    /// The variable that asks for it.
    const SETTING: &'static str;

    /// Whether the environment does, and whether it rings for this process.
    fn is_asked_for() -> bool;

    /// The provider, wrapped if that is asked for.
    fn wrap(inner: Box<dyn Provider>, rank: Rank, bells: Bells) -> Box<dyn Provider>;
}

/// What wakes the threads of this process: the application's and the helper, and the pump, where there is one.
pub type Bells = (Arc<dyn Doorbell>, Option<Arc<dyn Arrivals>>);
