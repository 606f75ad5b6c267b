//! Classes of errors, as the C interface knows them.

/// Codes of the C interface, one per class of [`super::Error`]; `gravel.h` and `gravel.f90` carry the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// The call succeeded.
    Success = 0,
    /// The call is not possible in this state of the library.
    State = 1,
    /// The communicator is not attached or not of a usable kind.
    Communicator = 2,
    /// The rank is not one of the communicator.
    Rank = 3,
    /// The tag is not valid.
    Tag = 4,
    /// The count is not valid.
    Count = 5,
    /// The datatype cannot be carried.
    Datatype = 6,
    /// The buffer is null, not contiguous, or another one than before.
    Buffer = 7,
    /// The request or transfer handle is not valid, or its puts do not partition the message.
    Request = 8,
    /// The message was longer than the receive.
    Truncated = 9,
    /// The peer is dead, unreachable, or gave up.
    Peer = 10,
    /// Anything else: system limits, settings, internal errors.
    Other = 11,
    /// Nothing has failed: the communicator is not attached, and the MPI side makes MPI's call.
    LeftToMpi = 12,
    /// The operation was never begun; the error handler has heard of it.
    ToldAlready = 13,
}
