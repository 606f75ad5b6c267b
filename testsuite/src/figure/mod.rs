//! The experiment of the Gravel paper (section 3, Figures 3 and 4), on this machine: 1-D ring and 2-D wavefront in every
//! form that the paper compares, by shared memory and over a link of limited speed.
//!
//! The computation of the programs in `figure/` can be made as long as one likes; it is made as long as the messages take
//! on the wire, which is where overlap can gain most. Both are measured: the computation by a program whose calls of
//! communication do nothing, the wire by one that does nothing else. What gravelc makes of the plain MPI program is
//! the last group of bars; the others are written by hand. Every program must print the same checksums.
//!
//! Machines are noisy: rounds (every program once, one after the other) are repeated, and only ratios within one round are
//! compared; what is shown is their median and their range.

mod experiment;
mod page;
mod plot;
mod programs;
mod results;
mod table;
mod variant;

pub use self::experiment::{Experiment, Plan};
pub use self::page::{Section, page};
pub use self::plot::svg;
pub use self::results::{Cell, Fabric, Results, Spread};
pub use self::table::{csv, text};
pub use self::variant::{Pattern, Variant};
