//! The atomics that processes share: the standard library's, or the model checker's.
//!
//! Compiled with `--cfg loom`, the rings and the doorbell run under [loom](https://docs.rs/loom), which tries every
//! interleaving and every reordering that the memory model allows (`cargo suite --only models`). Nothing else of the
//! runtime can run in such a build.

#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, compiler_fence, fence};

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// Under loom all orders come from the accesses themselves.
#[cfg(loom)]
pub fn compiler_fence(_: Ordering) {}
