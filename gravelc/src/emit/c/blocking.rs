//! Blocking calls that stay where they are: `gravel_send`, `gravel_recv` and `gravel_sendrecv` in their places, with the same
//! arguments.

use crate::ir::StatementId;
use crate::plan::{NewVariable, Protocol, RequestPlace, Step, StepOperation};

use super::super::{EmitError, routines};
use super::calls::Writer;

/// What begins a blocking call of the runtime, and what waits for it in the same place.
struct Pair<'s> {
    wait: &'s StepOperation,
    /// Its code is stored.
    stores_error: bool,
}

impl Writer<'_> {
    /// The one call that does what these steps do in the place of a call, if there is one.
    ///
    /// # Errors
    /// If the call is none that has such steps.
    pub fn blocking(&self, steps: &[&Step]) -> Result<Option<String>, EmitError> {
        let Some(origin) = steps.first().map(|step| step.origin) else { return Ok(None) };
        if steps.iter().any(|step| step.origin != origin || step.guard.is_some()) {
            return Ok(None);
        }
        let operations: Vec<&StepOperation> = steps
            .iter()
            .map(|step| &step.operation)
            .filter(|operation| !matches!(operation, StepOperation::SynchroniseBuffer { .. }))
            .collect();
        let (sent, received) = (self.sending(origin, &operations)?, self.receiving(origin, &operations)?);
        let count = usize::from(sent.is_some()) + usize::from(received.is_some());
        if count == 0 || operations.len() != 2 * count {
            return Ok(None);
        }
        let stores_error = [&sent, &received].into_iter().flatten().any(|pair| pair.stores_error);
        let call = match (sent, received) {
            (Some(_), None) => format!("gravel_send({})", self.message_arguments(self.sent(origin)?)),
            (None, Some(Pair { wait, .. })) => {
                let arguments = self.message_arguments(self.received(origin)?);
                format!("gravel_recv({arguments}, {})", self.status_of(wait)?)
            }
            (Some(_), Some(Pair { wait, .. })) => {
                let sent = self.message_arguments(self.sent(origin)?);
                let received = self.message_arguments(self.received(origin)?);
                // Both end with the communicator.
                let communicator = format!(", {}", self.text(&self.sent(origin)?.communicator));
                let Some(sent) = sent.strip_suffix(&communicator) else { return Ok(None) };
                format!("gravel_sendrecv({sent}, {received}, {})", self.status_of(wait)?)
            }
            (None, None) => return Ok(None),
        };
        self.storing(origin, stores_error, &call).map(Some)
    }

    fn sending<'s>(&self, origin: StatementId, steps: &[&'s StepOperation]) -> Result<Option<Pair<'s>>, EmitError> {
        for step in steps {
            if let StepOperation::PostSend { request, protocol, from_copy: false, stores_error } = step {
                let call = self.communication(origin, "a send")?;
                let is_plain =
                    routines::of_send(call, &self.sent(origin)?.partner, *protocol, false) == "gravel_post_send";
                return Ok(waited_for(*request, *stores_error, steps).filter(|_| is_plain));
            }
        }
        Ok(None)
    }

    fn receiving<'s>(&self, origin: StatementId, steps: &[&'s StepOperation]) -> Result<Option<Pair<'s>>, EmitError> {
        for step in steps {
            if let StepOperation::PostReceive { request, protocol, in_segments: false, stores_error, .. } = step {
                let is_plain = *protocol == Protocol::ConsumerInitiatedWrite
                    && routines::of_post(&self.received(origin)?.partner, *protocol, false)
                        == "gravel_post_rcv_buffer_rdma";
                return Ok(waited_for(*request, *stores_error, steps).filter(|_| is_plain));
            }
        }
        Ok(None)
    }
}

/// The wait for what has been posted with a request of its own.
fn waited_for<'s>(request: RequestPlace, stores_error: bool, steps: &[&'s StepOperation]) -> Option<Pair<'s>> {
    let own: NewVariable = request.new_variable()?;
    steps.iter().find_map(|step| match step {
        StepOperation::Wait { request, error_of, .. } if request.new_variable() == Some(own) => {
            Some(Pair { wait: step, stores_error: stores_error || error_of.is_some() })
        }
        _ => None,
    })
}
