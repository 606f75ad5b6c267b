//! Whether an exchange is worth overlapping: the policy behind `gravel_worth_overlapping`.
//!
//! ```text
//! call exchange_begin                              whole: call exchange_end        apart: call step_inside
//! if (gravel_worth_overlapping('heat.f90:31')) …          call step                       call exchange_end
//!                                                                                         call step_border
//! ```
//!
//! The border costs time of its own, and what the inside can hide are waits, no more. Which is more only the program tells. A *round* is the time
//! from one answer at a place to the next one there. So it holds all that either way changes: what the border costs, what a rank
//! that is early waits for elsewhere, and what its neighbours gain. (Timed between the beginning and the end of the exchange alone, the way
//! that was slower for the program looked faster to half of its ranks.)
//!
//! - Where rounds hardly wait, nothing is tried.
//! - Else both ways are, at one place at a time. What nearly always is faster is kept, and compared again from time to time.
//! - While no message is under way in Gravel there is nothing to hide: what MPI carries moves only inside of MPI's calls.
//!
//! Ranks decide each for itself, for the two ways differ in nothing that others could see. But they try the same way in the same round: what
//! one rank gains by it shows at its neighbour.
//!
//! A place may stand for exchanges of several sizes (the levels of a multigrid): each power of two is a place of its own. No finer, for
//! there are programs whose messages have another length in each step.

use std::collections::BTreeMap;
use std::time::Duration;

/// Rounds in a row that go the same way while both are tried. The first of them is not counted: its messages began while the
/// neighbours still went the other way.
const BLOCK: u64 = 3;
/// Rounds of a trial: blocks of either kind, which alternate.
const TRIAL: u64 = 4 * BLOCK;
/// Where less than this part of a round is waited for, in hundredths, nothing can be gained.
const LEAST_WAIT: u64 = 3;
/// After half of a trial, what is so many hundredths slower is not tried again.
const CLEAR: u64 = 10;
/// In the end it has to be so many.
const ENOUGH: u64 = 2;
/// A trial that does not go on while others are asked so often is given up.
const IDLE: u32 = 256;
/// So many rounds go by before the next trial.
const FIRST_PAUSE: u64 = 100;
/// The pause doubles with each trial that finds the same, up to this.
const LONGEST_PAUSE: u64 = 12_800;

/// The order of the work behind the beginning of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// The end of the exchange, then all work.
    Whole,
    /// The work that needs nothing of it, its end, and the rest of the work.
    Apart,
}

/// What is known of one place of the program, for exchanges between two powers of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlapSite {
    /// Where it is, as the program calls it.
    pub place: String,
    /// How many bytes of receives were under way at most.
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

/// A round that was begun.
#[derive(Debug, Clone, Copy)]
struct Begun {
    way: Way,
    counts: bool,
    /// When, in nanoseconds, and how long the application had waited until then.
    at: u64,
    waited: u64,
}

/// The rounds of one place, for exchanges between two powers of two.
#[derive(Debug, Default)]
struct Rounds {
    /// The longest of these exchanges.
    bytes: u64,
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
    last: Option<Begun>,
    /// Nanoseconds of the rounds of this trial; of whole ones also those in which they waited.
    whole_times: Vec<u64>,
    waits: Vec<u64>,
    apart_times: Vec<u64>,
}

impl Rounds {
    /// The round that was begun last is over.
    fn end(&mut self, now: u64, waited: u64) {
        let Some(last) = self.last.take().filter(|last| last.counts) else { return };
        let time = now.saturating_sub(last.at);
        match last.way {
            Way::Whole => {
                self.whole_times.push(time);
                self.waits.push(waited.saturating_sub(last.waited));
            }
            Way::Apart => self.apart_times.push(time),
        }
    }

    /// The way as long as nothing else is found.
    fn usual(&self) -> Way {
        self.found.map_or(Way::Whole, |found| found.way)
    }

    /// What was found, while it holds; none if there is to be a trial.
    fn decision(&mut self) -> Option<Way> {
        let found = self.found.filter(|_| self.is_decided)?;
        if self.number < found.rounds {
            self.number += 1;
            return Some(found.way);
        }
        self.is_decided = false;
        None
    }

    fn begin_trial(&mut self) {
        (self.is_decided, self.number, self.last) = (false, 0, None);
        for times in [&mut self.whole_times, &mut self.waits, &mut self.apart_times] {
            times.clear();
        }
    }

    /// The way of the next round of the trial, and whether its time counts; nothing once it is over.
    fn next_of_trial(&mut self) -> Option<(Way, bool)> {
        let found = match self.number {
            BLOCK => self.hardly_waits().then_some(Way::Whole),
            number if number == 2 * BLOCK => self.other_is_much_slower().then(|| self.usual()),
            TRIAL => Some(self.faster()),
            _ => None,
        };
        if let Some(way) = found {
            self.keep(way);
            return None;
        }
        let way = if (self.number / BLOCK).is_multiple_of(2) { Way::Whole } else { Way::Apart };
        let counts = !self.number.is_multiple_of(BLOCK);
        self.number += 1;
        Some((way, counts))
    }

    /// Whether whole rounds spend no time in waits that is worth the trouble.
    fn hardly_waits(&self) -> bool {
        let (Some(time), Some(wait)) = (typical(&self.whole_times), typical(&self.waits)) else { return false };
        wait.saturating_mul(100) < time.saturating_mul(LEAST_WAIT)
    }

    /// Rounds of the usual way, and of the other one.
    fn usual_and_other(&self) -> (&[u64], &[u64], Way) {
        match self.usual() {
            Way::Whole => (&self.whole_times, &self.apart_times, Way::Apart),
            Way::Apart => (&self.apart_times, &self.whole_times, Way::Whole),
        }
    }

    /// Are all rounds of the other way much slower than those of the usual one? Then it need not be tried again.
    fn other_is_much_slower(&self) -> bool {
        let (usual, other, _) = self.usual_and_other();
        usual
            .iter()
            .max()
            .zip(other.iter().min())
            .is_some_and(|(&longest, &shortest)| is_less(longest, shortest, CLEAR))
    }

    /// The usual way, unless three of four rounds of the other one are faster than the best of it.
    fn faster(&self) -> Way {
        let (usual, other, others_way) = self.usual_and_other();
        match (at_quarter(other, 3), usual.iter().min()) {
            (Some(time), Some(&best)) if is_less(time, best, ENOUGH) => others_way,
            _ => self.usual(),
        }
    }

    /// The trial is over. Its decision holds the longer the more often it was found.
    fn keep(&mut self, way: Way) {
        let rounds = match self.found {
            Some(before) if before.way == way => (before.rounds * 2).min(LONGEST_PAUSE),
            _ => FIRST_PAUSE,
        };
        self.took = typical(&self.whole_times).zip(typical(&self.apart_times)).or(self.took);
        self.found = Some(Decision { way, rounds });
        (self.is_decided, self.number) = (true, 0);
    }
}

/// Is one time less than the other one, by so many hundredths?
fn is_less(one: u64, other: u64, hundredths: u64) -> bool {
    one.saturating_mul(100 + hundredths) < other.saturating_mul(100)
}

/// The lower median: what disturbs a round makes it longer.
fn typical(times: &[u64]) -> Option<u64> {
    at_quarter(times, 2)
}

/// What so many quarters of the times stay up to.
fn at_quarter(times: &[u64], quarters: usize) -> Option<u64> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get((times.len() * quarters).div_ceil(4).saturating_sub(1)).copied()
}

/// A place with the power of two of its exchange.
type Key = (String, u32);

/// Whose turn it is to try both ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// This place's, which goes on with its trial.
    Own,
    /// This place's, from now on.
    Begins,
    /// Another one's.
    Others,
}

/// All places of a rank.
#[derive(Debug, Default)]
pub struct Overlaps {
    places: BTreeMap<String, BTreeMap<u32, Rounds>>,
    /// Where both ways are tried, and how often others were asked since it was.
    trial: Option<(Key, u32)>,
    /// Nanoseconds in waits while anything was tried.
    waited: u64,
}

impl Overlaps {
    /// Whether waits are to be told ([`Overlaps::note_wait`]).
    #[inline(always)]
    pub fn wants_waits(&self) -> bool {
        self.trial.is_some()
    }

    /// The application has waited for so many nanoseconds.
    pub fn note_wait(&mut self, nanoseconds: u64) {
        self.waited = self.waited.saturating_add(nanoseconds);
    }

    /// Which way the round goes that begins at `place`, while receives of so many bytes are under way. `now` is in nanoseconds.
    pub fn next(&mut self, place: &str, bytes: u64, forced: Option<Way>, now: impl FnOnce() -> u64) -> Way {
        if !self.places.contains_key(place) {
            self.places.insert(place.to_owned(), BTreeMap::new());
        }
        let power = u64::BITS - bytes.leading_zeros();
        let Some(rounds) = self.places.get_mut(place).map(|sizes| sizes.entry(power).or_default()) else {
            return Way::Whole;
        };
        rounds.bytes = rounds.bytes.max(bytes);
        let forced = forced.or((bytes == 0).then_some(Way::Whole));
        let way = forced.or_else(|| rounds.decision()).unwrap_or_else(|| {
            match turn(&mut self.trial, place, power) {
                Turn::Own => {}
                // Whatever is left of a trial that was given up.
                Turn::Begins => rounds.begin_trial(),
                Turn::Others => return rounds.usual(),
            }
            let now = now();
            rounds.end(now, self.waited);
            let Some((way, counts)) = rounds.next_of_trial() else {
                self.trial = None;
                return rounds.usual();
            };
            rounds.last = Some(Begun { way, counts, at: now, waited: self.waited });
            way
        });
        match way {
            Way::Whole => rounds.whole += 1,
            Way::Apart => rounds.apart += 1,
        }
        way
    }

    /// What is known in the end.
    pub fn into_sites(self) -> Vec<OverlapSite> {
        let of_place = |(place, sizes): (String, BTreeMap<u32, Rounds>)| {
            sizes.into_values().map(move |Rounds { bytes, whole, apart, took, .. }| OverlapSite {
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

/// Is it this place's turn to try both ways? It is if nobody else does.
fn turn(trial: &mut Option<(Key, u32)>, place: &str, power: u32) -> Turn {
    match trial {
        Some(((other, others_power), idle)) if other == place && *others_power == power => {
            *idle = 0;
            Turn::Own
        }
        Some((_, idle)) if *idle < IDLE => {
            *idle += 1;
            Turn::Others
        }
        _ => {
            *trial = Some(((place.to_owned(), power), 0));
            Turn::Begins
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program whose rounds take as long as is said, and wait for a part of that.
    #[derive(Default)]
    struct Clock {
        overlaps: Overlaps,
        now: u64,
    }

    impl Clock {
        fn ask(&mut self, place: &str, bytes: u64) -> Way {
            let now = self.now;
            self.overlaps.next(place, bytes, None, || now)
        }

        fn pass(&mut self, time: u64, waited: u64) {
            self.now += time;
            if self.overlaps.wants_waits() {
                self.overlaps.note_wait(waited);
            }
        }

        fn run(&mut self, rounds: u64, took: impl Fn(u64, Way) -> u64, waited: u64) -> Vec<Way> {
            let round = |round| {
                let way = self.ask("here", 8);
                self.pass(took(round, way), waited);
                way
            };
            (0..rounds).map(round).collect()
        }
    }

    fn by_way(whole: u64, apart: u64) -> impl Fn(u64, Way) -> u64 {
        move |_, way| if way == Way::Whole { whole } else { apart }
    }

    const BOTH: [Way; 6] = [Way::Whole, Way::Whole, Way::Whole, Way::Apart, Way::Apart, Way::Apart];

    #[test]
    fn what_is_much_slower_is_tried_once() {
        let ways = Clock::default().run(6 + FIRST_PAUSE, by_way(100, 140), 50);
        let (trial, behind) = ways.split_at(6);
        assert_eq!(trial, BOTH);
        assert!(behind.iter().all(|&way| way == Way::Whole));
    }

    #[test]
    fn else_it_is_tried_twice_and_only_what_gains_enough_is_kept() {
        for (whole, apart, kept) in [
            (100, 70, Way::Apart),
            (100, 95, Way::Apart),
            (100, 99, Way::Whole),
            (100, 105, Way::Whole),
            (0, 0, Way::Whole),
        ] {
            let ways = Clock::default().run(TRIAL + FIRST_PAUSE, by_way(whole, apart), 50);
            let (trial, behind) = ways.split_at(12);
            assert_eq!(trial, BOTH.repeat(2));
            assert!(behind.iter().all(|&way| way == kept), "{whole} {apart}");
        }
    }

    #[test]
    fn noise_alone_changes_nothing() {
        // Rounds of either way take the same time, give or take a third.
        let mut random = 7u64;
        let mut noise = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) % 1000
        };
        let changed = (0..400).filter(|_| {
            let noise: Vec<u64> = (0..TRIAL).map(|_| noise()).collect();
            let took = |round: u64, _| 3000 + noise.get(usize::try_from(round).unwrap_or(0)).unwrap_or(&0);
            Clock::default().run(TRIAL + 1, took, 1500)[12] == Way::Apart
        });
        assert!(changed.count() < 48);
    }

    #[test]
    fn where_nothing_is_waited_for_nothing_is_tried() {
        let ways = Clock::default().run(10_000, by_way(100, 50), 2);
        assert!(ways.iter().all(|&way| way == Way::Whole));
        let mut nothing_under_way = Clock::default();
        assert!((0..50).all(|_| nothing_under_way.ask("here", 0) == Way::Whole));
        assert!(!nothing_under_way.overlaps.wants_waits());
    }

    #[test]
    fn trials_become_rare_while_they_find_the_same() {
        let mut clock = Clock::default();
        clock.run(100_000, by_way(100, 150), 50);
        let sites = clock.overlaps.into_sites();
        assert!((21..=42).contains(&sites[0].apart), "{sites:?}");
        assert_eq!(sites[0].took, Some((Duration::from_nanos(100), Duration::from_nanos(150))));
    }

    #[test]
    fn a_program_that_changes_is_followed() {
        let took = |round: u64, way: Way| if (way == Way::Whole) == (round < 1000) { 100 } else { 150 };
        let ways = Clock::default().run(4000, took, 50);
        assert_eq!((ways[900], ways[3900]), (Way::Whole, Way::Apart));
    }

    #[test]
    fn single_rounds_that_were_disturbed_decide_nothing() {
        for disturbed in 0..TRIAL {
            let took = |round, way| if round == disturbed { 100_000 } else { by_way(100, 95)(round, way) };
            assert_eq!(Clock::default().run(13, took, 50)[12], Way::Apart, "{disturbed}");
        }
    }

    #[test]
    fn one_place_is_tried_at_a_time_and_each_size_for_itself() {
        let (mut clock, mut last) = (Clock::default(), [Way::Whole; 2]);
        for round in 0..60 * 2 {
            let index = round % 2;
            last[index] = clock.ask("cycle", [8, 8_000_000][index]);
            clock.pass(if (last[index] == Way::Apart) == (index == 1) { 100 } else { 150 }, 50);
            assert!(round >= 12 || last[1] == Way::Whole, "the other one waits for its turn");
        }
        assert_eq!(last, [Way::Whole, Way::Apart]);
    }

    #[test]
    fn a_place_that_is_left_during_its_trial_holds_nobody_up() {
        let mut clock = Clock::default();
        clock.ask("left", 8);
        let ways = clock.run(u64::from(IDLE) + 20, by_way(100, 50), 50);
        assert_eq!((ways[200], ways[270]), (Way::Whole, Way::Apart));
    }

    #[test]
    fn a_trial_that_was_given_up_begins_anew() {
        let mut clock = Clock::default();
        for _ in 0..5 {
            clock.ask("left", 8);
            clock.pass(100, 50);
        }
        clock.run(u64::from(IDLE) + 20, by_way(100, 150), 50);
        // The long time until it is asked again is no round of its.
        let ways: Vec<Way> = (0..6)
            .map(|_| {
                let way = clock.ask("left", 8);
                clock.pass(100, 50);
                way
            })
            .collect();
        assert_eq!(ways, BOTH);
    }

    #[test]
    fn lengths_that_change_in_each_round_are_tried_and_forgotten() {
        let mut clock = Clock::default();
        let mut last = Way::Whole;
        for round in 0..10_000 {
            last = clock.ask("particles", 5000 + round % 3000);
            clock.pass(if last == Way::Apart { 70 } else { 100 }, 50);
        }
        assert_eq!(last, Way::Apart);
        let sites = clock.overlaps.into_sites();
        assert_eq!((sites.len(), sites[0].bytes), (1, 7999));
    }

    #[test]
    fn what_is_forced_is_not_tried() {
        let mut overlaps = Overlaps::default();
        for way in [Way::Whole, Way::Apart] {
            assert!((0..50).all(|_| overlaps.next("here", 8, Some(way), || 0) == way));
        }
    }
}
