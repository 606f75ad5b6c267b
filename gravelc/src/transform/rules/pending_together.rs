//! Operations that are pending at the same time share no memory.
//!
//! A wait may touch the buffers of whatever its requests stand for, and where that lies in an array is often not known. But a
//! wait `A` that moves down past a wait `B` need not know it:
//!
//! - The operation that `B` ends was begun before `A`, or in between. (If it was neither, or has ended by then, `B` finds a null
//!   request and touches nothing.)
//! - If it was begun before `A`, both operations were pending when `A` began. MPI forbids that any part of a receive's buffer is
//!   accessed while the receive is pending, and that any of a send's is changed (MPI 4.1, 3.7.2): so they share no memory, but for
//!   two sends, which only read it. The operation of a blocking call is pending in the call.
//! - If it was begun in between, `A` has passed what began it, as any other statement that uses the buffer: so they are apart,
//!   too.
//!
//! A message from or to nobody (MPI_PROC_NULL), or of no elements, touches no memory wherever its buffer is said to lie, and so
//! shares none: programs do name one buffer for several of these. Its wait has nothing to wait for, wherever it stands.
//!
//! What of this is asked of the program MPI asks of it. What gravelc itself makes of a program keeps to it: a message is sent
//! from where it was copied only where nothing changes that memory from the copy to the wait ([`super::super::drop_pack`]).

use crate::analysis::memory::effects::Access;
use crate::ir::{Expression, Extent, Operation, Procedure, StatementKind};
use crate::mutations::Clause;

/// Is the access that of a wait to the buffer of an operation that it ends? To a wait that moves down past it that is other
/// memory than its own message's.
pub fn ends_beside(procedure: &Procedure, access: &Access) -> bool {
    let StatementKind::Communication(communication) = &procedure.statement(access.statement).kind else {
        return false;
    };
    if Clause::PendingTogether.is_off() {
        return true;
    }
    let requests = match &communication.operation {
        Operation::Wait { request, .. } => request,
        Operation::WaitAll { requests, .. } => requests,
        _ => return false,
    };
    // What a wait does to its requests, its status and its error code is shown at these, or is no whole variable.
    access.span == requests.span
        && access.region.extent == Extent::Whole
        && access.region.subscripts.is_empty()
        && Expression::designated(requests).is_some_and(|request| request != access.region.symbol)
}
