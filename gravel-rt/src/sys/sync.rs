//! The atomics that processes or threads share: the standard library's, or the model checker's.
//!
//! Compiled with `--cfg loom`, the rings, the doorbell and the lock of the engine run under [loom](https://docs.rs/loom), which tries every
//! interleaving and every reordering that the memory model allows (`cargo suite --only models`). Nothing else of the
//! runtime can run in such a build.

#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, compiler_fence, fence};

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};

/// Lets another thread go on, for which this one waits.
#[cfg(not(loom))]
pub fn pause() {
    std::thread::sleep(std::time::Duration::from_micros(50));
}

/// Tells the model that this thread waits for another.
#[cfg(loom)]
pub fn pause() {
    loom::thread::yield_now();
}

/// Under loom all orders come from the accesses themselves.
#[cfg(loom)]
pub fn compiler_fence(_: Ordering) {}
