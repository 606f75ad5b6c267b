//! decompose-alltoall: an exchange of every process with every other becomes a message from each and one to each of them,
//! which the runtime sends and receives as one operation for either side.
//!
//! Precondition (contract, rule 1). Collective calls match by their order: the n-th exchange that a process makes on a
//! communicator is the n-th one of all its other processes, wherever these make it. So all calls of `MPI_Alltoall` that may be
//! on one communicator are one match class, all of `MPI_Alltoallv` another ([`crate::analysis::messages::matching`]), together with whatever may be such a call: an
//! exchange in place, source that could not be read, procedures that were not given. They convert together or not at all.
//! Where all do, the n-th exchange of the runtime is the n-th of MPI, for both leave out the same calls. What they have to
//! fulfil besides is what messages have to: plain memory of one variable, predefined datatypes, a communicator that the
//! runtime is attached to, and buffers that are apart (MPI 4.0, section 6.8, demands that).
//!
//! Either side is then one message to the other transformations: the receive moves up, the loop that fills the send buffer
//! is cut into tiles, the waits move down. The message begins where the buffer does, and has a block for each process of the
//! communicator. How many these are need not be known here. Tiles that reach beyond the last block are cut there by the
//! runtime, and what the loop leaves out is sent where the call was, when it is final ([`crate::analysis::loops::production`]).
//!
//! The blocks of `MPI_Alltoallv` have lengths and places of their own, in arrays that the runtime reads when the receive is
//! posted and the transfer opened: nothing may change them between there and the call. Blocks may lie in any order, have gaps
//! between them and, of what is sent, overlap: a tile completes what lies in it of each block. As places may be negative, the
//! buffer has to begin with the first element of its variable.
//!
//! Two exchanges of one communicator keep their order, on either side, of whichever kind they are ([`super::rules::message_order`]). Nobody needs the call as a
//! barrier: its wait ends only when every process has come to its own call, and no wait of a receive passes an effect that
//! others can see.
//!
//! A class that gains nothing by it stays with MPI, which may know better ways through a network than one message for each
//! pair of processes.

use super::transformation::{Entry, IsEnabled, Subject};
use crate::analysis::facts::{Facts, SiteId};
use crate::ir::{Operation, Participation};
use crate::plan::{Reason, ReasonCode, Transformation};

/// In the registry.
pub const ENTRY: Entry =
    Entry { transformation: Transformation::DecomposeAlltoall, subject: Subject::Class(exchange_obstacle) };

/// Why an exchange is left with MPI, as far as the call itself tells. `is_enabled` says which transformations are wanted.
fn exchange_obstacle(facts: &Facts, site: SiteId, is_enabled: IsEnabled) -> Option<Reason> {
    let communication = facts.communication(site)?;
    let span = facts.procedure(site.procedure).statement(site.statement).span;
    if let Operation::Other { participation: Participation::AllToAll { .. }, .. } = &communication.operation {
        let message = "what it sends lies where it receives, so that nothing can come before all of it has left";
        return Some(Reason::at(ReasonCode::ExchangeInPlace, span, message));
    }
    if communication.is_exchange() {
        return is_enabled(Transformation::DecomposeAlltoall).err();
    }
    None
}
