//! What calls of MPI store: handles, ranks, statuses, what messages bring.

use crate::analysis::facts::SiteId;
use crate::analysis::values::objects::Written;
use crate::ir::{
    Communication, Direction, ErrorHandling, Expression, ExpressionKind, Operation, ProcedureId, Status, SymbolClass,
};
use crate::mpi::properties::Property;
use crate::mpi::routines::{Action, find};

use super::{Source, Stores};

impl<'p> Stores<'p> {
    pub(super) fn communication(&mut self, site: SiteId, communication: &'p Communication) {
        let procedure = site.procedure;
        let mut lost: Vec<&'p Expression> = Vec::new();
        let status_of = |status: &'p Status| status.variable();
        let routine = communication.routine.as_str();
        match &communication.operation {
            Operation::Initialize { accesses } => lost.extend(accesses),
            Operation::Finalize => {}
            Operation::Send { request, .. } => lost.extend(request),
            Operation::Receive { message, request, status } => {
                self.lose_buffer(procedure, &message.buffer, self.written_by_message(procedure, message));
                lost.extend(request);
                self.envelope(procedure, status);
            }
            Operation::Prepare { message, direction, request, .. } => {
                if *direction == Direction::Received {
                    self.lose_buffer(procedure, &message.buffer, self.written_by_message(procedure, message));
                }
                lost.push(request);
            }
            Operation::Start { requests: request, .. } | Operation::Release { request } => lost.push(request),
            Operation::SendReceive { receive, status, .. } => {
                self.lose_buffer(procedure, &receive.buffer, self.written_by_message(procedure, receive));
                self.envelope(procedure, status);
            }
            Operation::Wait { request, status } => {
                lost.push(request);
                lost.extend(status_of(status));
            }
            Operation::WaitAll { requests, statuses, .. } => {
                lost.push(requests);
                lost.extend(status_of(statuses));
            }
            Operation::Complete { requests, completed, indices, flag, statuses, .. } => {
                lost.push(requests);
                lost.extend(completed.iter().chain(indices).chain(flag).chain(status_of(statuses)));
            }
            Operation::Inquiry { writes, .. } if Property::GivesRanks.holds_of(routine) => {
                writes.iter().for_each(|written| self.store(procedure, written, Source::Rank));
            }
            // The handle is the same afterwards.
            Operation::Inquiry { .. } if Property::CommitsDatatype.holds_of(routine) => {}
            Operation::Inquiry { writes, .. }
                if Property::FreesDatatype.holds_of(routine) || Property::FreesErrorHandler.holds_of(routine) =>
            {
                writes.iter().for_each(|written| self.store(procedure, written, Source::Null));
            }
            Operation::Inquiry { reads, writes } if self.size_told(procedure, routine, reads).is_some() => {
                let size = self.size_told(procedure, routine, reads).unwrap_or_default();
                for (written, number) in writes.iter().rev().zip([size, 0]) {
                    self.store(procedure, written, Source::Number(number));
                }
            }
            Operation::Inquiry { reads, writes } => {
                if Property::GivesAddress.holds_of(routine) {
                    reads.iter().for_each(|read| self.hand_address(procedure, read));
                }
                if Property::Unpacks.holds_of(routine) {
                    let (count, bytes) = (None, None);
                    writes.iter().for_each(|written| self.lose_buffer(procedure, written, Written { count, bytes }));
                }
                lost.extend(writes);
            }
            Operation::CreateDatatype { created, .. } => {
                self.store(procedure, created, Source::CreatedDatatype(site));
            }
            Operation::CreateCommunicator { created, .. } => self.store(procedure, created, Source::Created(site)),
            Operation::Other { arguments, only_read, error_handling, .. } => {
                let ending = match error_handling {
                    ErrorHandling::MakesEnding { handler } => Some(*handler),
                    _ => None,
                };
                let ends = find(routine).action == Action::EndsCommunicator;
                let written = self.written_by_other(procedure, communication);
                for (index, argument) in arguments.iter().enumerate() {
                    if only_read.contains(&index) {
                        continue;
                    }
                    if ending == Some(index) {
                        self.store(procedure, argument, Source::EndingHandler);
                    } else if ends && communication.error.as_ref() != Some(argument) {
                        self.store(procedure, argument, Source::Null);
                    } else if let Some(written) = written {
                        self.lose_buffer(procedure, argument, written);
                    } else {
                        lost.push(argument);
                    }
                }
            }
        }
        lost.extend(&communication.error);
        lost.into_iter().for_each(|expression| self.lose(procedure, expression));
    }

    /// The size of a predefined datatype, where a call asks for it: as its last result, behind its lower bound.
    fn size_told(&self, procedure: ProcedureId, routine: &str, reads: &[Expression]) -> Option<i64> {
        let [Expression { kind: ExpressionKind::Symbol(datatype), .. }] = reads else { return None };
        let datatype = self.program.procedure(procedure).symbol(*datatype);
        let is_predefined =
            Property::TellsDatatypeSize.holds_of(routine) && datatype.class == SymbolClass::MessagingConstant;
        datatype.element.bytes.filter(|_| is_predefined).map(i64::from)
    }

    /// A call stores what it knows of the message that it has received.
    fn envelope(&mut self, procedure: ProcedureId, status: &'p Status) {
        if let Some(variable) = status.variable() {
            self.store(procedure, variable, Source::Envelope);
        }
    }
}
