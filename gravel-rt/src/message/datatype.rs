//! Which MPI datatypes Gravel can move, and where their data lies.
//!
//! What moves is contiguous memory. Datatypes whose elements, one behind the other, are so are moved from where they lie:
//! all predefined types without gaps, and derived types that come to the same thing ([`layout`]). Of others the bytes are
//! known as [`blocks`], and a message is packed before it is sent, and unpacked when it has come ([`packing`],
//! [`scattered`]). What is found is kept until the datatype is freed ([`cache`]).

mod arrays;
pub mod blocks;
pub mod cache;
pub mod combiner;
pub mod layout;
pub mod packing;
pub mod scattered;

use crate::error::Result;
use crate::message::retirement::Key;
use combiner::Combiner;

/// What MPI says about a datatype; all lengths in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// How it was made.
    pub combiner: Combiner,
    /// How many integers, addresses and datatypes went into it.
    pub arguments: [usize; 3],
    /// The data in one element.
    pub size: i64,
    /// From one element to the next.
    pub extent: i64,
    /// Where the data of an element begins.
    pub true_lower_bound: i64,
    /// From the first byte of the data to the last.
    pub true_extent: i64,
}

/// The arguments with which a derived datatype was made, in the order of MPI_Type_get_contents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Counts, block lengths and the like. The order of a subarray or distributed array is 0 for MPI_ORDER_C and 1 for
    /// MPI_ORDER_FORTRAN; a distribution is 0 for MPI_DISTRIBUTE_BLOCK, 1 for _CYCLIC and 2 for _NONE.
    pub integers: Vec<i32>,
    /// Displacements and strides in bytes.
    pub addresses: Vec<i64>,
    /// Fortran handles of the datatypes. Those that are not predefined are references of their own.
    pub datatypes: Vec<i32>,
}

/// What the runtime needs of MPI about datatypes, by their Fortran handles.
pub trait Inspector {
    /// Describes a datatype.
    fn describe(&self, datatype: i32) -> Result<Facts>;

    /// Takes a derived datatype apart.
    fn contents(&self, datatype: i32, facts: &Facts) -> Result<Contents>;

    /// Gives a reference to a derived datatype back.
    fn release(&self, datatype: i32) -> Result<()>;

    /// The name that MPI or the program has given it; empty if it has none.
    fn name(&self, datatype: i32) -> Result<String>;

    /// Retires the key when the datatype is freed (see [`crate::message::retirement`]).
    fn watch(&self, datatype: i32, key: Key) -> Result<()>;
}
