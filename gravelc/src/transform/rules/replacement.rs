//! replaced messages: `MPI_Sendrecv_replace` sends from the buffer that it receives into (MPI 4.0, section 3.10).
//!
//! The message is sent from a copy, which the runtime makes and keeps, and the receive is posted right behind it, where the
//! call was. So what was sent is what the buffer held at the call, whoever is faster, and from there on the buffer is that of
//! a receive: its wait moves as that of any receive. Precondition of that order: neither the receive's post nor the send's
//! puts leave the place of the call. A post further up would let the message come before the old one has been copied. Puts
//! tile by tile would read the buffer itself, and the message that replaces it may come before they have.
//!
//! The copy is not the program's, so nothing that the program does is in the way of the send's wait. It goes where the
//! receive's goes, and so still names a buffer that is there.

use crate::analysis::facts::{Facts, SiteId};
use crate::ir::{Communication, Operation};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode};
use crate::transform::found::{Sunk, WaitInCallee, WaitPlace};

/// Does the call replace what it sends by what it receives?
pub fn is_replacement(communication: &Communication) -> bool {
    matches!(communication.operation, Operation::SendReceive { in_one_buffer: true, .. })
}

/// Why neither side of the call leaves its place for somewhere further up; nothing for any other call.
pub fn staying_obstacle(facts: &Facts, site: SiteId) -> Option<Reason> {
    if !facts.communication(site).is_some_and(is_replacement) || Clause::CopiedBeforeReceived.is_off() {
        return None;
    }
    let statement = facts.procedure(site.procedure).statement(site.statement);
    let message = "what is sent lies where the message comes that replaces it, and is copied in this place before";
    Some(Reason::at(ReasonCode::SentInPlace, statement.span, message))
}

/// Where the wait for the copy goes: behind the receive's, outside of the loop or the procedure that this one may have gone into.
pub fn wait_for_copy(receive: &Result<WaitPlace, Reason>) -> Result<WaitPlace, Reason> {
    let behind_loop = |sunk: Sunk| Sunk { in_loop: None, ..sunk };
    let behind_call = |found: WaitInCallee| Sunk { after: found.call.statement, null_before: None, in_loop: None };
    receive.clone().map(|place| match place {
        WaitPlace::Own(sunk) => WaitPlace::Own(behind_loop(sunk)),
        WaitPlace::InCallee(found) => WaitPlace::Own(behind_call(found)),
        WaitPlace::InCallers(mut late) => {
            for wait in &mut late.waits {
                let sunk = wait.sunk.take().map(behind_loop);
                wait.sunk = sunk.or_else(|| wait.in_callee.take().map(behind_call));
            }
            WaitPlace::InCallers(late)
        }
    })
}
