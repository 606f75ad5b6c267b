//! What calls are given, beside messages ([`crate::engine::buffer`]).

use crate::engine::consumer_write::Envelope;

/// The values that the user's MPI gives to the constants that appear as ranks and tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct MpiConstants {
    /// MPI_PROC_NULL.
    pub proc_null: i32,
    /// MPI_ANY_SOURCE.
    pub any_source: i32,
    /// MPI_ANY_TAG.
    pub any_tag: i32,
}

/// Who a call names as its other side.
#[derive(Debug, Clone, Copy)]
pub(super) enum Partner {
    Rank(Envelope),
    Nobody,
}
