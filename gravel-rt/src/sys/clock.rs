//! The clock that all processes of a host share.

/// Nanoseconds of CLOCK_MONOTONIC.
#[cfg(not(loom))]
pub fn monotonic_nanoseconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec. It cannot fail for this clock, and if it did, the time would be zero.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// Nanoseconds of CLOCK_MONOTONIC, as of the system's last tick: some milliseconds behind, and read in a few nanoseconds.
#[cfg(not(loom))]
pub fn coarse_nanoseconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: as above.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut now) };
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// The model has no clock.
#[cfg(loom)]
pub fn monotonic_nanoseconds() -> u64 {
    0
}

/// The model has no clock.
#[cfg(loom)]
pub fn coarse_nanoseconds() -> u64 {
    0
}
