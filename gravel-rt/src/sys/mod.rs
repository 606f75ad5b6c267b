//! What the runtime asks of the system, and small tools that any program could use. Imports nothing of the runtime.

pub(crate) mod clock;
pub mod json;
pub mod log;
pub(crate) mod random;
pub mod setting;
pub(crate) mod sync;
pub mod tally;
pub(crate) mod this_thread;
pub mod thread;
