//! How long kernels take as they are and transformed: by shared memory and over a link between hosts, with both MPIs.
//!
//! Programs are run in pairs, one right after the other, in turns the one or the other first, and only the times of one pair
//! are compared: what disturbs a machine for longer than a pair changes no ratio. A cell (a kernel, an MPI, a fabric, a
//! number of ranks) has one pair in each round, so that all have about as many when the time is over. What is shown is
//! the median of the ratios with its confidence interval ([`Estimate`]); a kernel is called slower only where all of the
//! interval is above [`TOLERANCE`].
//!
//! How much of its time a program waits is measured in runs of its own ([`Waits`]), which are the first ones and are not
//! timed: they also show that both programs print the same.

mod benchmark;
mod interval;
mod plot;
mod results;
mod table;
mod waits;

pub use self::benchmark::{Benchmark, Plan};
pub use self::interval::Estimate;
pub use self::plot::svg;
pub use self::results::{COMMUNICATION_BOUND, Cell, Pair, Results, TOLERANCE, Verdict};
pub use self::table::{pairs_csv, summary_csv, text};
pub use self::waits::Waits;
