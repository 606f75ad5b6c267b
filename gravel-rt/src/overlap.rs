//! Whether an exchange is worth overlapping: the policy behind `gravel_worth_overlapping`.
//!
//! ```text
//! call exchange_begin                      whole: call exchange_end        apart: call step_inside
//! if (gravel_worth_overlapping('…')) …            call step                       call exchange_end
//! call gravel_overlap_timed('…')                                                  call step_border
//! ```
//!
//! The border costs time of its own, and what the inside can hide are the waits, no more. So rounds are timed as a whole, with the part that
//! was waited for:
//!
//! - Where whole rounds hardly wait, nothing else is tried.
//! - Else both ways are tried. Once one is clearly faster it is kept, and compared again from time to time.
//! - While no message is under way in Gravel there is nothing to hide: what MPI carries moves only inside of MPI's calls.
//!
//! Ranks decide each for itself, for the two ways differ in nothing that others could see. But they try the same way in the same round: what
//! one rank gains by it may show at its neighbour.
//!
//! A place may stand for exchanges of several sizes (the levels of a multigrid): each size is a place of its own.

use std::collections::BTreeMap;
use std::time::Duration;

/// Rounds in a row that go the same way while both are tried. The first of them is not counted: its messages began while the
/// neighbours still went the other way.
const BLOCK: u64 = 3;
/// Rounds of a trial: blocks of either kind, which alternate.
const TRIAL: u64 = 4 * BLOCK;
/// Where less than this part of a round is waited for, in hundredths, nothing can be gained.
const LEAST_WAIT: u64 = 3;
/// After half of a trial, a difference of so many hundredths is clear.
const CLEAR: u64 = 10;
/// In the end it has to be so many, for the border has its price elsewhere, too: in caches.
const ENOUGH: u64 = 2;
/// So many rounds go by before the next trial.
const FIRST_PAUSE: u64 = 100;
/// The pause doubles with each trial that finds the same, up to this.
const LONGEST_PAUSE: u64 = 12_800;

/// A moment of a round, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moment {
    /// By the clock.
    pub now: u64,
    /// How long the application has waited for messages so far, while rounds were timed.
    pub waited: u64,
}

/// The order of the work behind the beginning of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// The end of the exchange, then all work.
    Whole,
    /// The work that needs nothing of it, its end, and the rest of the work.
    Apart,
}

/// What is known of one place of the program, for exchanges of one size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlapSite {
    /// Where it is, as the program calls it.
    pub place: String,
    /// How many bytes of receives were under way.
    pub bytes: u64,
    /// Rounds that were whole.
    pub whole: u64,
    /// Rounds that were apart.
    pub apart: u64,
    /// How long a round took in the last trial, whole and apart, once there was one.
    pub took: Option<(Duration, Duration)>,
}

/// What a trial has found: so many rounds go this way.
#[derive(Debug, Clone, Copy)]
struct Decision {
    way: Way,
    rounds: u64,
}

/// The rounds of one place, for exchanges of one size.
#[derive(Debug, Default)]
struct Rounds {
    /// How many went either way.
    whole: u64,
    apart: u64,
    /// Nanoseconds that a round of either way took in the last trial that tried both.
    took: Option<(u64, u64)>,
    /// Rounds of this trial, or since it.
    number: u64,
    /// What the last trial has found.
    found: Option<Decision>,
    /// That trial is over, and the next one has not begun.
    is_decided: bool,
    /// Nanoseconds of the rounds of this trial; of whole ones also those in which they waited.
    whole_times: Vec<u64>,
    waits: Vec<u64>,
    apart_times: Vec<u64>,
}

impl Rounds {
    /// The way of the next round, and whether its time counts.
    fn next(&mut self) -> (Way, bool) {
        let (way, counts) = match self.decision() {
            Some(way) => (way, false),
            None => {
                let way = if (self.number / BLOCK).is_multiple_of(2) { Way::Whole } else { Way::Apart };
                (way, !self.number.is_multiple_of(BLOCK))
            }
        };
        self.number += 1;
        (way, counts)
    }

    /// What was found, while it holds; none during a trial.
    fn decision(&mut self) -> Option<Way> {
        if let Some(found) = self.found.filter(|_| self.is_decided) {
            if self.number < found.rounds {
                return Some(found.way);
            }
            (self.is_decided, self.number) = (false, 0);
            return None;
        }
        let way = match self.number {
            BLOCK => self.hardly_waits().then_some(Way::Whole),
            number if number == 2 * BLOCK => self.clearly_faster(),
            TRIAL => Some(self.faster()),
            _ => None,
        }?;
        self.keep(way);
        Some(way)
    }

    /// Whether whole rounds spend no time in waits that is worth the trouble.
    fn hardly_waits(&mut self) -> bool {
        let (Some(time), Some(wait)) = (typical(&mut self.whole_times), typical(&mut self.waits)) else { return false };
        wait.saturating_mul(100) < time.saturating_mul(LEAST_WAIT)
    }

    /// How long a round takes either way; nothing if nobody has said when they were over.
    fn times(&mut self) -> Option<(u64, u64)> {
        self.took = typical(&mut self.whole_times).zip(typical(&mut self.apart_times)).or(self.took);
        self.took
    }

    fn clearly_faster(&mut self) -> Option<Way> {
        let (whole, apart) = self.times()?;
        let is_less = |one: u64, other: u64| one.saturating_mul(100 + CLEAR) < other.saturating_mul(100);
        if is_less(whole, apart) {
            return Some(Way::Whole);
        }
        is_less(apart, whole).then_some(Way::Apart)
    }

    fn faster(&mut self) -> Way {
        match self.times() {
            Some((whole, apart)) if apart.saturating_mul(100 + ENOUGH) < whole.saturating_mul(100) => Way::Apart,
            _ => Way::Whole,
        }
    }

    /// The trial is over. Its decision holds the longer the more often it was found.
    fn keep(&mut self, way: Way) {
        let rounds = match self.found {
            Some(before) if before.way == way => (before.rounds * 2).min(LONGEST_PAUSE),
            _ => FIRST_PAUSE,
        };
        self.found = Some(Decision { way, rounds });
        (self.is_decided, self.number) = (true, 0);
        for times in [&mut self.whole_times, &mut self.waits, &mut self.apart_times] {
            times.clear();
        }
    }
}

/// The lower median: what disturbs a round makes it longer.
fn typical(times: &mut [u64]) -> Option<u64> {
    times.sort_unstable();
    times.get(times.len().saturating_sub(1) / 2).copied()
}

/// A place of the program.
#[derive(Debug, Default)]
struct Place {
    sizes: BTreeMap<u64, Rounds>,
    /// The round that is timed: its bytes, its way, and when it began.
    begun: Option<(u64, Way, Moment)>,
}

/// All places of a rank.
#[derive(Debug, Default)]
pub struct Overlaps {
    places: BTreeMap<String, Place>,
    /// How many rounds are timed now.
    timed: usize,
    /// Nanoseconds in waits while any was.
    waited: u64,
}

impl Overlaps {
    /// Whether waits are to be told ([`Overlaps::note_wait`]).
    #[inline(always)]
    pub fn wants_waits(&self) -> bool {
        self.timed > 0
    }

    /// The application has waited for so many nanoseconds.
    pub fn note_wait(&mut self, nanoseconds: u64) {
        self.waited = self.waited.saturating_add(nanoseconds);
    }

    /// Which way the round goes that begins at `place`, while receives of so many bytes are under way. `now` is in nanoseconds.
    pub fn begin(&mut self, place: &str, bytes: u64, forced: Option<Way>, now: impl FnOnce() -> u64) -> Way {
        let place = match self.places.get_mut(place) {
            Some(place) => place,
            None => self.places.entry(place.to_owned()).or_default(),
        };
        let rounds = place.sizes.entry(bytes).or_default();
        let forced = forced.or((bytes == 0).then_some(Way::Whole));
        let (way, counts) = forced.map_or_else(|| rounds.next(), |forced| (forced, false));
        match way {
            Way::Whole => rounds.whole += 1,
            Way::Apart => rounds.apart += 1,
        }
        self.timed -= usize::from(place.begun.is_some());
        place.begun = counts.then(|| (bytes, way, Moment { now: now(), waited: self.waited }));
        self.timed += usize::from(counts);
        way
    }

    /// The round that was begun last at `place` is over.
    pub fn end(&mut self, place: &str, now: impl FnOnce() -> u64) {
        let Some(place) = self.places.get_mut(place) else { return };
        let Some((bytes, way, begin)) = place.begun.take() else { return };
        self.timed -= 1;
        let Some(rounds) = place.sizes.get_mut(&bytes) else { return };
        let time = now().saturating_sub(begin.now);
        match way {
            Way::Whole => {
                rounds.whole_times.push(time);
                rounds.waits.push(self.waited.saturating_sub(begin.waited));
            }
            Way::Apart => rounds.apart_times.push(time),
        }
    }

    /// What is known in the end.
    pub fn into_sites(self) -> Vec<OverlapSite> {
        let of_place = |(place, Place { sizes, .. }): (String, Place)| {
            sizes.into_iter().map(move |(bytes, Rounds { whole, apart, took, .. })| OverlapSite {
                place: place.clone(),
                bytes,
                whole,
                apart,
                took: took.map(|(whole, apart)| (Duration::from_nanos(whole), Duration::from_nanos(apart))),
            })
        };
        self.places.into_iter().flat_map(of_place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Rounds that take as long as is said, of which whole ones wait for a part.
    fn run(overlaps: &mut Overlaps, rounds: u64, took: impl Fn(u64, Way) -> u64, waited: u64) -> Vec<Way> {
        let clock = Cell::new(0);
        let mut ways = Vec::new();
        for round in 0..rounds {
            let way = overlaps.begin("here", 8, None, || clock.get());
            clock.set(clock.get() + took(round, way));
            if overlaps.wants_waits() && way == Way::Whole {
                overlaps.note_wait(waited);
            }
            overlaps.end("here", || clock.get());
            ways.push(way);
        }
        ways
    }

    fn by_way(whole: u64, apart: u64) -> impl Fn(u64, Way) -> u64 {
        move |_, way| if way == Way::Whole { whole } else { apart }
    }

    const BOTH: [Way; 6] = [Way::Whole, Way::Whole, Way::Whole, Way::Apart, Way::Apart, Way::Apart];

    #[test]
    fn what_is_clearly_faster_is_kept_after_half_of_a_trial() {
        for (whole, apart, kept) in [(100, 70, Way::Apart), (100, 140, Way::Whole)] {
            let ways = run(&mut Overlaps::default(), 6 + FIRST_PAUSE, by_way(whole, apart), 50);
            let (trial, behind) = ways.split_at(6);
            assert_eq!(trial, BOTH);
            assert!(behind.iter().all(|&way| way == kept), "{whole} {apart}");
        }
    }

    #[test]
    fn else_after_all_of_it_and_only_what_gains_enough() {
        for (whole, apart, kept) in
            [(100, 95, Way::Apart), (100, 99, Way::Whole), (100, 105, Way::Whole), (0, 0, Way::Whole)]
        {
            let ways = run(&mut Overlaps::default(), TRIAL + FIRST_PAUSE, by_way(whole, apart), 50);
            let (trial, behind) = ways.split_at(12);
            assert_eq!(trial, BOTH.repeat(2));
            assert!(behind.iter().all(|&way| way == kept), "{whole} {apart}");
        }
    }

    #[test]
    fn where_nothing_is_waited_for_nothing_is_tried() {
        let ways = run(&mut Overlaps::default(), 10_000, by_way(100, 50), 2);
        assert!(ways.iter().all(|&way| way == Way::Whole));
        let mut overlaps = Overlaps::default();
        assert!((0..50).all(|_| overlaps.begin("nothing under way", 0, None, || 0) == Way::Whole));
    }

    #[test]
    fn trials_become_rare_while_they_find_the_same() {
        let mut overlaps = Overlaps::default();
        run(&mut overlaps, 100_000, by_way(100, 150), 50);
        let sites = overlaps.into_sites();
        assert!((21..=42).contains(&sites[0].apart), "{sites:?}");
        assert_eq!(sites[0].took, Some((Duration::from_nanos(100), Duration::from_nanos(150))));
    }

    #[test]
    fn a_program_that_changes_is_followed() {
        let took = |round: u64, way: Way| if (way == Way::Whole) == (round < 1000) { 100 } else { 150 };
        let ways = run(&mut Overlaps::default(), 4000, took, 50);
        assert_eq!((ways[900], ways[3900]), (Way::Whole, Way::Apart));
    }

    #[test]
    fn single_rounds_that_were_disturbed_decide_nothing() {
        for disturbed in 0..TRIAL {
            let took = |round, way| if round == disturbed { 100_000 } else { by_way(100, 95)(round, way) };
            assert_eq!(run(&mut Overlaps::default(), 13, took, 50)[12], Way::Apart, "{disturbed}");
        }
    }

    #[test]
    fn each_size_of_an_exchange_is_tried_for_itself() {
        let (mut overlaps, clock) = (Overlaps::default(), Cell::new(0));
        let mut last = [Way::Whole; 2];
        for round in 0..26 * 2 {
            let (index, bytes) = (round % 2, [8, 8_000_000][round % 2]);
            last[index] = overlaps.begin("cycle", bytes, None, || clock.get());
            let took = if (last[index] == Way::Apart) == (index == 1) { 100 } else { 150 };
            clock.set(clock.get() + took);
            overlaps.note_wait(50);
            overlaps.end("cycle", || clock.get());
        }
        assert_eq!(last, [Way::Whole, Way::Apart]);
    }

    #[test]
    fn what_is_forced_is_not_tried_and_what_is_never_timed_is_whole() {
        let mut overlaps = Overlaps::default();
        for way in [Way::Whole, Way::Apart] {
            assert!((0..50).all(|_| overlaps.begin("here", 8, Some(way), || 0) == way));
        }
        overlaps.end("elsewhere", || 0);
        let untimed: Vec<Way> = (0..200).map(|_| overlaps.begin("there", 8, None, || 0)).collect();
        assert!(untimed[12..112].iter().all(|&way| way == Way::Whole));
        overlaps.end("there", || 0);
        assert!(!overlaps.wants_waits());
    }
}
