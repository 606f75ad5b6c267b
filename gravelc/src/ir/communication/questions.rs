//! What is asked about a call of MPI, whatever its operation is: which messages and requests it has, and in which roles.

use super::{Communication, Direction, Message, Operation, Participation, Partner, SendMode, Status};
use crate::ir::Expression;

impl Communication {
    /// Every argument of the call.
    pub fn expressions(&self) -> Vec<&Expression> {
        let mut found: Vec<&Expression> = match &self.operation {
            Operation::Initialize { accesses } => accesses.iter().collect(),
            Operation::Finalize => Vec::new(),
            Operation::Send { message, request, .. } => message.expressions().into_iter().chain(request).collect(),
            Operation::Receive { message, request, status } => {
                message.expressions().into_iter().chain(request).chain(status.variable()).collect()
            }
            Operation::SendReceive { send, receive, status, .. } => {
                send.expressions().into_iter().chain(receive.expressions()).chain(status.variable()).collect()
            }
            Operation::Wait { request, status } => [request].into_iter().chain(status.variable()).collect(),
            Operation::WaitAll { count, requests, statuses } => {
                [count, requests].into_iter().chain(statuses.variable()).collect()
            }
            Operation::Complete { count, requests, completed, indices, flag, statuses, .. } => {
                let stored = completed.iter().chain(indices).chain(flag).chain(statuses.variable());
                count.iter().chain([requests]).chain(stored).collect()
            }
            Operation::Prepare { message, request, .. } => message.expressions().into_iter().chain([request]).collect(),
            Operation::Start { count, requests } => count.iter().chain([requests]).collect(),
            Operation::Release { request } => vec![request],
            Operation::Inquiry { reads, writes } => reads.iter().chain(writes).collect(),
            Operation::CreateDatatype { constructor, created } => {
                constructor.arguments.iter().chain([created]).collect()
            }
            Operation::CreateCommunicator { reads, created, .. } => reads.iter().chain([created]).collect(),
            Operation::Other { arguments, .. } => arguments.iter().collect(),
        };
        found.extend(&self.error);
        found
    }

    /// The message that the call sends.
    pub fn sent(&self) -> Option<&Message> {
        match &self.operation {
            Operation::Send { message, .. } | Operation::SendReceive { send: message, .. } => Some(message),
            _ => None,
        }
    }

    /// Does the call send synchronously, or prepare that?
    pub fn is_synchronous_send(&self) -> bool {
        let mode = match &self.operation {
            Operation::Send { mode, .. } | Operation::Prepare { mode, .. } => *mode,
            _ => return false,
        };
        mode == SendMode::Synchronous
    }

    /// The message that the call receives.
    pub fn received(&self) -> Option<&Message> {
        match &self.operation {
            Operation::Receive { message, .. } => Some(message),
            Operation::SendReceive { receive, .. } => Some(receive),
            _ => None,
        }
    }

    /// Is it an exchange of every process with every other?
    pub fn is_exchange(&self) -> bool {
        self.sent().is_some_and(Message::is_exchange)
    }

    /// The message that goes this way.
    pub fn message(&self, direction: Direction) -> Option<&Message> {
        match direction {
            Direction::Sent => self.sent(),
            Direction::Received => self.received(),
        }
    }

    /// The message that is sent or received, and its way, whenever the request which the call makes is started.
    pub fn prepared(&self) -> Option<(Direction, &Message)> {
        match &self.operation {
            Operation::Prepare { message, direction, .. } => Some((*direction, message)),
            _ => None,
        }
    }

    /// Does the call send, or receive, a message, or prepare one that goes this way?
    pub fn goes(&self, direction: Direction) -> bool {
        self.described(direction).is_some()
    }

    /// The messages that the call sends and receives, or prepares.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        let prepared = self.prepared().map(|(_, message)| message);
        self.sent().into_iter().chain(self.received()).chain(prepared)
    }

    /// The message that goes this way, also one that is only prepared.
    pub fn described(&self, direction: Direction) -> Option<&Message> {
        let prepared = self.prepared().filter(|(prepared, _)| *prepared == direction);
        self.message(direction).or(prepared.map(|(_, message)| message))
    }

    /// The request that a non-blocking send or receive makes, or a call that prepares one.
    pub fn made_request(&self) -> Option<&Expression> {
        match &self.operation {
            Operation::Prepare { request, .. } => Some(request),
            _ => self.posted_request(),
        }
    }

    /// The request of what the call begins and does not end, or the first of them.
    pub fn begun_request(&self) -> Option<&Expression> {
        match &self.operation {
            Operation::Start { requests, .. } => Some(requests),
            _ => self.posted_request(),
        }
    }

    /// The request that a non-blocking send or receive makes.
    pub fn posted_request(&self) -> Option<&Expression> {
        match &self.operation {
            Operation::Send { request, .. } | Operation::Receive { request, .. } => request.as_ref(),
            _ => None,
        }
    }

    /// The request that a wait certainly completes, or the first of them.
    pub fn completed_requests(&self) -> Option<&Expression> {
        match &self.operation {
            Operation::Wait { request, .. } => Some(request),
            Operation::WaitAll { requests, .. } => Some(requests),
            _ => None,
        }
    }

    /// Source, tag and communicator of a probe.
    pub fn probed(&self) -> Option<(&Partner, &Expression)> {
        match &self.operation {
            Operation::Other { participation: Participation::Probes { partner, communicator, .. }, .. } => {
                Some((partner, communicator))
            }
            _ => None,
        }
    }

    /// Does the call receive a message that a probe has taken?
    pub fn receives_matched(&self) -> bool {
        matches!(&self.operation, Operation::Other { participation: Participation::ReceivesMatched(_), .. })
    }

    /// The request that a non-blocking receive of a matched message makes.
    pub fn matched_request(&self) -> Option<&Expression> {
        match &self.operation {
            Operation::Other { participation: Participation::ReceivesMatched(receive), .. } => receive.request.as_ref(),
            _ => None,
        }
    }

    /// Does the call send from a copy in that memory, or prepare that?
    pub fn is_buffered_send(&self) -> bool {
        match &self.operation {
            Operation::Send { mode, .. } | Operation::Prepare { mode, .. } => mode.is_buffered(),
            _ => false,
        }
    }

    /// Does the call cancel the operation of its request?
    pub fn cancels(&self) -> bool {
        matches!(
            &self.operation,
            Operation::Other { participation: Participation::UsesRequest { cancels: true, .. }, .. }
        )
    }

    /// Does the runtime have a call with the same arguments that takes the place of this one?
    pub fn has_twin(&self) -> bool {
        matches!(
            &self.operation,
            Operation::Other {
                participation: Participation::Probes { .. }
                    | Participation::ReceivesMatched(_)
                    | Participation::UsesRequest { .. },
                ..
            }
        )
    }

    /// The request that the call completes or may complete, or the first of them.
    pub fn possibly_completed_requests(&self) -> Option<&Expression> {
        match &self.operation {
            Operation::Complete { requests, .. } => Some(requests),
            _ => self.completed_requests(),
        }
    }

    /// The requests that the call makes, starts, completes (or may), releases, cancels or asks about, or the first of them.
    pub fn request(&self) -> Option<&Expression> {
        match &self.operation {
            Operation::Prepare { request, .. }
            | Operation::Other { participation: Participation::UsesRequest { request, .. }, .. }
            | Operation::Start { requests: request, .. }
            | Operation::Release { request } => Some(request),
            _ => self.posted_request().or_else(|| self.possibly_completed_requests()),
        }
    }

    /// The status that the call fills.
    pub fn status(&self) -> &Status {
        match &self.operation {
            Operation::Receive { status, .. }
            | Operation::SendReceive { status, .. }
            | Operation::Wait { status, .. }
            | Operation::WaitAll { statuses: status, .. }
            | Operation::Complete { statuses: status, .. } => status,
            _ => &Status::Ignored,
        }
    }
}
