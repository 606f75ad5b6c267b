//! How finely a strip-mined producer loop is cut: the policy behind `gravel_tile`.
//!
//! Cutting a loop costs one put per tile and shortens the compiler's vector loops; it pays where the put of one tile
//! can proceed while the next is computed. Below [`MINIMUM_MESSAGE`] it never does on shared memory, where a whole
//! message is copied in less time than one loop start costs.

/// Messages shorter than this, in bytes, are one tile.
pub const MINIMUM_MESSAGE: u64 = 128 * 1024;
/// Tiles aim at this length in bytes: well above the cost of a put, well below a core's second-level cache, so that
/// a tile is copied while it is still hot.
pub const TARGET_TILE: u64 = 64 * 1024;
/// What tiles are multiples of where nothing else is said, in iterations: tiles that begin at such distances from the
/// start of a loop that is vectorised keep the same iterations in vector and remainder code, and the results stay equal
/// bit for bit. Where the loop is not the vectorised one, but one around it, any number of iterations does, and an
/// iteration may be a message's tile by itself: the multiple is 1.
pub const VECTOR_MULTIPLE: i64 = 64;

/// Tiles forced by `GRAVEL_TILE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedTile {
    /// Exactly so many iterations.
    Iterations(u64),
    /// The whole loop in one tile.
    All,
}

/// Why a tile is as large as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TileReason {
    /// Iterations and the message's bytes do not go in step: nothing may be cut.
    OutOfStep,
    /// `GRAVEL_TILE` says so.
    Forced,
    /// The message is short.
    Short,
    /// It aims at [`TARGET_TILE`] bytes.
    Target,
    /// Of a receive: its message is short, has come, comes in one piece, or through memory that its sender sees; of a send:
    /// it goes to nobody. The other messages of the loop decide.
    NoGain,
}

impl TileReason {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OutOfStep => "elements and datatype differ in size, or the datatype has gaps",
            Self::Forced => "GRAVEL_TILE",
            Self::Short => "short message",
            Self::Target => "by message size",
            Self::NoGain => "nothing to gain: short, there already, in one piece, or by shared memory",
        }
    }
}

/// Why [`tile`] answers as it does.
pub fn reason(bytes: u64, advances_with_message: bool, forced: Option<ForcedTile>) -> TileReason {
    match forced {
        _ if !advances_with_message => TileReason::OutOfStep,
        Some(_) => TileReason::Forced,
        None if bytes < MINIMUM_MESSAGE => TileReason::Short,
        None => TileReason::Target,
    }
}

/// Iterations per tile of a loop of `iterations` that fills a message of `bytes`.
///
/// At least 1 (it becomes the step of a DO loop), at most `max(iterations, 1)`, a multiple of `multiple` (values below 1
/// count as 1) unless it is the whole loop or forced. `advances_with_message` is false where iterations and bytes of the
/// message do not go in step (the host compiler's element size differs from the datatype's): then nothing may be cut.
pub fn tile(
    bytes: u64,
    iterations: i64,
    multiple: i64,
    advances_with_message: bool,
    forced: Option<ForcedTile>,
) -> i64 {
    let whole = iterations.max(1);
    // Neither is negative after max(1).
    let (loop_length, multiple) = (whole.unsigned_abs(), multiple.max(1).unsigned_abs());
    if !advances_with_message {
        return whole;
    }
    let tile = match forced {
        Some(ForcedTile::All) => loop_length,
        Some(ForcedTile::Iterations(forced)) => forced,
        None if bytes < MINIMUM_MESSAGE => loop_length,
        None => {
            let bytes_per_iteration = (bytes / loop_length).max(1);
            // Rounded down, so that tiles stay at or below the target; iterations that fill more than a tile still come
            // in groups of the multiple.
            let multiples = TARGET_TILE / bytes_per_iteration / multiple;
            multiples.max(1).saturating_mul(multiple)
        }
    };
    i64::try_from(tile.min(loop_length)).unwrap_or(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_messages_are_one_tile() {
        assert_eq!(tile(128 * 1024 - 8, 16383, 64, true, None), 16383);
    }

    #[test]
    fn long_messages_are_cut_at_the_target() {
        assert_eq!(tile(4 << 20, (4 << 20) / 8, 64, true, None), 8192);
        assert_eq!(tile(128 * 1024, 16384, 64, true, None), 8192);
    }

    #[test]
    fn wide_iterations_keep_the_vector_multiple() {
        assert_eq!(tile(1 << 30, 1024, VECTOR_MULTIPLE, true, None), 64);
    }

    #[test]
    fn without_a_multiple_one_wide_iteration_is_a_tile() {
        assert_eq!(tile(1 << 30, 1024, 1, true, None), 1);
        assert_eq!(tile(1 << 20, 100, 1, true, None), 6);
        assert_eq!(tile(128 * 1024, 8, 1, true, None), 4);
        assert_eq!(tile(128 * 1024, 8, 64, true, None), 8);
    }

    #[test]
    fn a_multiple_of_no_iterations_is_one_of_one() {
        for multiple in [0, -3, i64::MIN] {
            assert_eq!(tile(1 << 30, 1024, multiple, true, None), 1);
        }
    }

    #[test]
    fn forced_tiles_are_exact_and_bounded_by_the_loop() {
        assert_eq!(tile(64, 100, 64, true, Some(ForcedTile::Iterations(37))), 37);
        assert_eq!(tile(64, 10, 64, true, Some(ForcedTile::Iterations(37))), 10);
        assert_eq!(tile(1 << 30, 1 << 20, 64, true, Some(ForcedTile::All)), 1 << 20);
    }

    #[test]
    fn element_mismatch_overrides_everything() {
        assert_eq!(tile(1 << 30, 1 << 20, 64, false, Some(ForcedTile::Iterations(1))), 1 << 20);
    }

    proptest! {
        #[test]
        fn a_tile_is_a_valid_loop_step(
            bytes: u64,
            iterations: i64,
            multiple: i64,
            forced in proptest::option::of(1u64..),
        ) {
            let step = tile(bytes, iterations, multiple, true, forced.map(ForcedTile::Iterations));
            prop_assert!(step >= 1 && step <= iterations.max(1));
            if forced.is_none() {
                prop_assert!(step == iterations.max(1) || step % multiple.max(1) == 0);
            }
        }
    }
}
