//! What `GRAVEL_STATS` counts, and how it is shown.
//!
//! Counters are plain numbers in structures that their one user has at hand anyway: those of the data paths in the
//! provider ([`crate::provider::counters`]), under the engine's lock and always on; those of calls and of control messages in the observer
//! ([`crate::observe`]), which exists only where somebody has asked for it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::Rank;
use crate::error::tag::tag_text;
use crate::overlap::OverlapSite;
use crate::provider::counters::ProviderCounters;
use crate::provider::registry::paths as all_paths;
use crate::sys::json::Json;
use crate::sys::tally::Tally;
use crate::tile::TileReason;

/// How waits ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WaitCounters {
    /// While polling.
    pub polled: u64,
    /// After sleeping.
    pub slept: u64,
}

/// A place in the program, as far as the runtime can tell places apart: what `gravel_tile` was asked and answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TileSite {
    /// Tag of the message.
    pub tag: i32,
    /// Length of the message in bytes.
    pub bytes: u64,
    /// Iterations of the loop.
    pub iterations: i64,
    /// Iterations per tile.
    pub tile: i64,
    /// Why.
    pub reason: TileReason,
}

/// What the application has called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallCounters {
    /// Messages opened or sent.
    pub sends: Tally,
    /// Segments put.
    pub segments: Tally,
    /// Receives posted, with the lengths of their buffers.
    pub receives: Tally,
    /// Waits.
    pub waits: u64,
    /// Time spent in them.
    pub wait_time: Duration,
    /// Decisions of `gravel_tile`.
    pub tiles: BTreeMap<TileSite, u64>,
}

/// All counters of one rank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The rank.
    pub rank: Rank,
    /// What was called.
    pub calls: CallCounters,
    /// How waits ended.
    pub waits: WaitCounters,
    /// What moved.
    pub provider: ProviderCounters,
    /// How often the helper thread woke.
    pub helper_wakeups: u64,
    /// Messages and receives that MPI carries, because their communicators are not attached.
    pub left_to_mpi: u64,
    /// Which exchanges were worth overlapping.
    pub overlaps: Vec<OverlapSite>,
}

impl Statistics {
    fn waits_at_once(&self) -> u64 {
        self.calls.waits.saturating_sub(self.waits.polled + self.waits.slept)
    }

    /// As a table.
    pub fn to_text(&self) -> String {
        let mut table = Table(format!("gravel: statistics of rank {}\n", self.rank));
        let Self { calls, waits, provider, .. } = self;
        let ProviderCounters { paths, wire, adoption, rings } = provider;
        table.tally("messages sent", calls.sends);
        table.tally("segments put by the program", calls.segments);
        table.tally("receives posted", calls.receives);
        table.tally("eager messages sent", wire.eager_sent);
        table.tally("eager messages received", wire.eager_received);
        table.tally("spilled messages offered for reading", wire.spilled_sent);
        table.tally("spilled messages offered by others", wire.spilled_received);
        table.tally("puts", wire.puts);
        table.tally("gets", wire.gets);
        for path in all_paths() {
            table.tally(path.text, paths.on(path));
        }
        table.tally("copied here for others", wire.copied);
        table.number("handshakes sent", wire.handshakes_sent);
        table.number("handshakes received", wire.handshakes_received);
        table.number("announcements sent", wire.announcements_sent);
        table.number("announcements received", wire.announcements_received);
        table.number("FINs sent", wire.fins_sent);
        table.number("FINs received", wire.fins_received);
        table.number("waits over at once", self.waits_at_once());
        table.number("waits over while polling", waits.polled);
        table.number("waits over after sleeping", waits.slept);
        table.number("microseconds in waits", micros(calls.wait_time));
        table.number("peers woken", *rings);
        table.number("wake-ups of the helper thread", self.helper_wakeups);
        table.number("left to MPI, communicators not attached", self.left_to_mpi);
        table.tally("buffers registered", wire.registrations);
        table.tally("regions adopted", adoption.regions);
        for (&reason, &buffers) in &adoption.refused {
            table.tally(&format!("not adopted: {}", reason.as_str()), buffers);
        }
        for (site, &count) in &calls.tiles {
            let TileSite { tag, bytes, iterations, tile, reason } = site;
            let (reason, tag) = (reason.as_str(), tag_text(*tag));
            let what = format!("tile {tile} of {iterations} ({reason}; {tag}, {bytes} bytes)");
            table.number(&what, count);
        }
        for OverlapSite { place, bytes, whole, apart, took } in &self.overlaps {
            let of = |way: &str, took: Option<u64>| match took {
                Some(took) => format!("{place} (up to {bytes} bytes) {way}, {took} us each"),
                None => format!("{place} (up to {bytes} bytes) {way}"),
            };
            table.number(&of("in one piece", took.map(|(whole, _)| micros(whole))), *whole);
            table.number(&of("overlapped", took.map(|(_, apart)| micros(apart))), *apart);
        }
        table.0
    }

    /// As one JSON object.
    pub fn to_json(&self) -> Json {
        let Self { calls, waits, provider, .. } = self;
        let ProviderCounters { paths, wire, adoption, rings } = provider;
        let refused = adoption.refused.iter().map(|(&reason, &Tally { count, bytes })| {
            let reason = Json::text(reason.as_str());
            Json::Object(vec![("reason", reason), ("count", count.into()), ("bytes", bytes.into())])
        });
        let by_path = all_paths().into_iter().map(|path| (path.key, paths.on(path).into()));
        let tiles = calls.tiles.iter().map(|(site, &count)| {
            Json::Object(vec![
                ("tag", Json::Number(u64::from(site.tag.unsigned_abs()))),
                ("bytes", site.bytes.into()),
                ("iterations", site.iterations.unsigned_abs().into()),
                ("tile", site.tile.unsigned_abs().into()),
                ("reason", Json::text(site.reason.as_str())),
                ("count", count.into()),
            ])
        });
        let overlaps = self.overlaps.iter().map(|site| {
            let nanoseconds = |took: Duration| Json::from(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
            let took = site.took.map(|(whole, apart)| {
                [("whole_nanoseconds", nanoseconds(whole)), ("apart_nanoseconds", nanoseconds(apart))]
            });
            let known = [
                ("place", Json::text(&site.place)),
                ("bytes", site.bytes.into()),
                ("whole", site.whole.into()),
                ("apart", site.apart.into()),
            ];
            Json::Object(known.into_iter().chain(took.into_iter().flatten()).collect())
        });
        Json::Object(vec![
            ("rank", (self.rank as u64).into()),
            ("sends", calls.sends.into()),
            ("segments", calls.segments.into()),
            ("receives", calls.receives.into()),
            ("eager_sent", wire.eager_sent.into()),
            ("eager_received", wire.eager_received.into()),
            ("spilled_sent", wire.spilled_sent.into()),
            ("spilled_received", wire.spilled_received.into()),
            ("puts", wire.puts.into()),
            ("gets", wire.gets.into()),
            ("paths", Json::Object(by_path.chain([("copied_here", wire.copied.into())]).collect())),
            ("handshakes_sent", wire.handshakes_sent.into()),
            ("handshakes_received", wire.handshakes_received.into()),
            ("announcements_sent", wire.announcements_sent.into()),
            ("announcements_received", wire.announcements_received.into()),
            ("fins_sent", wire.fins_sent.into()),
            ("fins_received", wire.fins_received.into()),
            (
                "waits",
                Json::Object(vec![
                    ("at_once", self.waits_at_once().into()),
                    ("polled", waits.polled.into()),
                    ("slept", waits.slept.into()),
                    ("microseconds", micros(calls.wait_time).into()),
                ]),
            ),
            ("rings", (*rings).into()),
            ("helper_wakeups", self.helper_wakeups.into()),
            ("left_to_mpi", self.left_to_mpi.into()),
            ("registrations", wire.registrations.into()),
            ("adopted_regions", adoption.regions.into()),
            ("not_adopted", Json::Array(refused.collect())),
            ("tiles", Json::Array(tiles.collect())),
            ("overlaps", Json::Array(overlaps.collect())),
        ])
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Lines of a name and one or two right-aligned numbers. What never happened is left out.
struct Table(String);

impl Table {
    fn number(&mut self, name: &str, count: u64) {
        if count > 0 {
            // Writing into a string cannot fail.
            let _ = writeln!(self.0, "  {name:<48} {count:>12}");
        }
    }

    fn tally(&mut self, name: &str, Tally { count, bytes }: Tally) {
        if count > 0 {
            let _ = writeln!(self.0, "  {name:<48} {count:>12} {bytes:>16} bytes");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::counters::Refusal;

    fn sample() -> Statistics {
        let mut statistics = Statistics { rank: 3, helper_wakeups: 2, ..Statistics::default() };
        statistics.calls.waits = 10;
        statistics.waits = WaitCounters { polled: 3, slept: 1 };
        statistics.calls.sends.add(100);
        statistics.calls.sends.add(20);
        statistics.provider.adoption.refuse(Refusal::HugePages, 4096);
        let site = TileSite { tag: 7, bytes: 1 << 20, iterations: 1 << 17, tile: 8192, reason: TileReason::Target };
        statistics.calls.tiles.insert(site, 5);
        let took = Some((Duration::from_micros(410), Duration::from_nanos(522_900)));
        statistics.overlaps.push(OverlapSite { place: "heat.f90:31".into(), bytes: 4096, whole: 106, apart: 6, took });
        statistics
    }

    #[test]
    fn the_table_names_what_happened_and_nothing_else() {
        let text = sample().to_text();
        let line =
            |name: &str| text.lines().find(|line| line.contains(name)).map(|line| line.split_whitespace().last());
        assert_eq!(line("waits over at once"), Some(Some("6")));
        assert_eq!(line("in transparent huge pages"), Some(Some("bytes")));
        assert_eq!(line("tile 8192 of 131072"), Some(Some("5")));
        assert_eq!(line("heat.f90:31 (up to 4096 bytes) in one piece, 410 us each"), Some(Some("106")));
        assert_eq!(line("heat.f90:31 (up to 4096 bytes) overlapped, 522 us each"), Some(Some("6")));
        assert_eq!(line("eager messages sent"), None);
        assert!(text.contains(" 2              120 bytes"), "{text}");
    }

    #[test]
    fn json_holds_the_same() {
        let json: serde_json::Value = serde_json::from_str(&sample().to_json().to_string()).unwrap();
        assert_eq!(json["rank"], 3);
        assert_eq!(json["sends"], serde_json::json!({ "count": 2, "bytes": 120 }));
        assert_eq!(json["waits"]["at_once"], 6);
        assert_eq!(json["not_adopted"][0]["reason"], "in transparent huge pages");
        assert_eq!(json["not_adopted"][0]["bytes"], 4096);
        assert_eq!(json["tiles"][0]["tile"], 8192);
        assert_eq!(json["paths"]["cma"]["count"], 0);
        assert_eq!(json["overlaps"][0]["apart_nanoseconds"], 522_900);
    }
}
