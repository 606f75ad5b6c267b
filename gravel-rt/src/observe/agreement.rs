//! What the ranks tell each other in `gravel_init`, so that they can write files together at the end: who observes what,
//! and how far their clocks are apart.

use crate::error::Result;
use crate::host::Host;
use crate::settings::{Settings, StatsOutput};
use crate::trace;

/// Exchanges that the clocks of several hosts are compared in.
const CLOCK_ROUNDS: usize = 9;
/// Bytes of a boot identity: the text of a UUID.
const BOOT_ID_BYTES: usize = 36;

/// What all ranks agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreement {
    /// Whether every rank writes a trace.
    pub(super) all_trace: bool,
    /// Whether every rank writes counters to a file.
    pub(super) all_count: bool,
    /// Whether any rank writes one of them.
    pub(super) any_file: bool,
    /// Nanoseconds to add to this rank's clock to get that of rank 0.
    pub(super) clock_offset: i64,
}

impl Agreement {
    /// Collective: every rank calls it, whatever its settings are.
    pub fn reach(host: &dyn Host, settings: &Settings) -> Result<Self> {
        let mut card = [0u8; 2 + BOOT_ID_BYTES];
        card[0] = u8::from(settings.trace.is_some());
        card[1] = u8::from(matches!(settings.stats, Some(StatsOutput::File(_))));
        // Ranks that cannot tell their boot are taken for one host.
        if let Ok(boot_id) = std::fs::read("/proc/sys/kernel/random/boot_id") {
            let length = boot_id.len().min(BOOT_ID_BYTES);
            card[2..2 + length].copy_from_slice(&boot_id[..length]);
        }
        let cards = host.all_gather(&card)?;
        let all = |place: usize| cards.chunks_exact(card.len()).all(|card| card[place] != 0);
        let any_file = cards.chunks_exact(card.len()).any(|card| card[0] != 0 || card[1] != 0);
        let one_clock = cards.chunks_exact(card.len()).all(|other| other[2..] == card[2..]);
        let all_trace = all(0);
        let clock_offset = if all_trace && !one_clock { measure_clock(host)? } else { 0 };
        Ok(Self { all_trace, all_count: all(1), any_file, clock_offset })
    }
}

/// Compares clocks: all ranks leave an exchange at about the same time, and read their clocks just then. The median of
/// several differences is off by no more than an exchange takes.
fn measure_clock(host: &dyn Host) -> Result<i64> {
    let mut differences = Vec::with_capacity(CLOCK_ROUNDS);
    host.all_gather(&[0; 8])?;
    for _ in 0..CLOCK_ROUNDS {
        let mine = trace::now();
        let all = host.all_gather(&mine.to_le_bytes())?;
        let first = all.first_chunk::<8>().map_or(mine, |&bytes| u64::from_le_bytes(bytes));
        differences.push(first.wrapping_sub(mine).cast_signed());
    }
    differences.sort_unstable();
    Ok(differences[CLOCK_ROUNDS / 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rank;

    /// Rank 1 of two, whose peer's clock is ahead by so many nanoseconds, and whose exchanges are instantaneous.
    struct Behind(u64);

    impl Host for Behind {
        fn rank(&self) -> Rank {
            1
        }

        fn size(&self) -> Rank {
            2
        }

        fn all_gather(&self, mine: &[u8]) -> Result<Vec<u8>> {
            let time = mine.first_chunk::<8>().map_or(0, |&bytes| u64::from_le_bytes(bytes));
            Ok([&time.wrapping_add(self.0).to_le_bytes()[..], mine].concat())
        }

        fn progress(&self) {}

        fn begin_barrier(&self) -> Result<()> {
            Ok(())
        }

        fn test_barrier(&self) -> Result<bool> {
            Ok(true)
        }
    }

    #[test]
    fn a_clock_that_is_behind_or_ahead_is_moved_to_that_of_rank_0() {
        assert_eq!(measure_clock(&Behind(5_000_000)), Ok(5_000_000));
        assert_eq!(measure_clock(&Behind(7_i64.wrapping_neg().cast_unsigned())), Ok(-7));
    }
}
