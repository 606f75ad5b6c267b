//! The memory that buffered sends are copied to.

use crate::ir::{Communication, Expression, Operation};
use crate::mpi::routines::{Action, find};

/// What a call does with the memory that buffered sends are copied to.
#[derive(Debug, Clone, Copy)]
pub enum BufferRoom<'a> {
    /// The program attaches a buffer of so many bytes.
    Attached(&'a Expression),
    /// It takes it back.
    Detached,
}

/// What the call does with that memory.
pub fn buffer_room(communication: &Communication) -> Option<BufferRoom<'_>> {
    let Operation::Other { arguments, .. } = &communication.operation else { return None };
    match find(&communication.routine).action {
        Action::AttachBuffer => arguments.get(1).map(BufferRoom::Attached),
        Action::DetachBuffer => Some(BufferRoom::Detached),
        _ => None,
    }
}
