//! The steps of the program's own calls about requests: waits, tests, and starts of what was prepared.

use std::collections::BTreeSet;

use crate::analysis::facts::SiteId;
use crate::analysis::messages::followed_requests::is_followed;
use crate::analysis::program::contents::component_of;
use crate::ir::Expression;
use crate::plan::{MessageOf, RequestPlace, StatusPlace, StepOperation, Transformation};
use crate::transform::found::SplitWait;

use super::super::rules::awaited_buffers::{can_name_buffer, is_named_later, one_for_each_buffer, posted_message};
use super::super::rules::hidden_names::is_hidden_buffer;
use super::super::sink_wait::completed_posts;
use super::{Conversion, Moves, SiteSteps};

impl Conversion<'_> {
    /// A wait for a single request, where it stands or further down.
    pub(super) fn convert_wait(
        &mut self,
        steps: &mut SiteSteps,
        moves: &Moves,
        request: &Expression,
        stores_error: bool,
    ) {
        let call = steps.site.statement;
        let request_place = self.own_place(request, steps.site);
        let buffers = self.completed_buffers(steps.site, request);
        let (buffer_of, others) = match buffers.split_first() {
            Some((&first, others)) => (Some(first), others),
            None => (None, [].as_slice()),
        };
        if matches!(moves.waits.sunk, Some(Ok(_))) {
            steps.in_place(StepOperation::StoreSuccess);
        }
        self.wait(steps, &moves.waits.sunk, "", |in_place| StepOperation::Wait {
            request: request_place,
            buffer_of,
            status: Some(StatusPlace { call, element: None }),
            error_of: (in_place && stores_error).then_some(call),
            is_for_call: false,
        });
        // Only a wait that stays in its place can have several.
        for &buffer_of in others {
            steps.in_place(StepOperation::SynchroniseBuffer { buffer_of });
        }
    }

    /// A wait for several requests, as one, or as one for each.
    pub(super) fn convert_wait_all(
        &mut self,
        steps: &mut SiteSteps,
        moves: &Moves,
        requests: &Expression,
        stores_error: bool,
    ) {
        let call = steps.site.statement;
        match &moves.waits.split {
            Some(Ok(waits)) => self.split_wait(steps, waits, stores_error),
            other => {
                if let Some(Err(reason)) = other {
                    steps.miss(Transformation::SinkWait, reason);
                }
                steps.in_place(StepOperation::WaitAll { stores_error });
                for buffer_of in self.completed_buffers(SiteId { statement: call, ..steps.site }, requests) {
                    steps.in_place(StepOperation::SynchroniseBuffer { buffer_of });
                }
            }
        }
    }

    /// A test, or a wait for any or some of several requests, stays in its place, and names the buffers of all operations that
    /// it may complete.
    pub(super) fn convert_completion(
        &mut self,
        steps: &mut SiteSteps,
        is_for_several: bool,
        requests: &Expression,
        stores_error: bool,
    ) {
        let buffers = self.completed_buffers(steps.site, requests);
        let first = buffers.first().copied();
        steps.in_place(StepOperation::Complete { buffer_of: first, stores_error });
        // Only a single request is handed over together with its buffer.
        for &buffer_of in buffers.iter().skip(usize::from(!is_for_several)) {
            steps.in_place(StepOperation::SynchroniseBuffer { buffer_of });
        }
    }

    /// A start names the buffers of all operations that it may begin: what the program has stored must be there.
    pub(super) fn convert_start(
        &mut self,
        steps: &mut SiteSteps,
        is_for_several: bool,
        requests: &Expression,
        stores_error: bool,
    ) {
        let buffers = self.completed_buffers(steps.site, requests);
        let named_first = buffers.iter().skip(usize::from(!is_for_several));
        named_first.for_each(|&buffer_of| steps.in_place(StepOperation::SynchroniseBuffer { buffer_of }));
        steps.in_place(match is_for_several {
            true => StepOperation::StartAll { stores_error },
            false => StepOperation::Start { buffer_of: buffers.first().copied(), stores_error },
        });
    }

    /// A wait for each request, in place of one for all.
    fn split_wait(&mut self, steps: &mut SiteSteps, waits: &[SplitWait], stores_error: bool) {
        let call = steps.site.statement;
        if waits.iter().all(|wait| wait.sunk.is_ok()) {
            steps.in_place(StepOperation::StoreSuccess);
        }
        for wait in waits {
            let Some(buffer_of) = posted_message(self.facts, wait.post, steps.site) else {
                continue;
            };
            let request = RequestPlace::OfCall(wait.post.statement);
            let request_text = self.facts.communication(wait.post).and_then(|found| found.made_request());
            let subject = request_text.map(|request| format!("`{}` is ", self.facts.program.text(request.span)));
            self.wait(steps, &Some(wait.sunk.clone()), &subject.unwrap_or_default(), |in_place| StepOperation::Wait {
                request,
                buffer_of: Some(buffer_of),
                status: wait.status.map(|element| StatusPlace { call, element: Some(element) }),
                error_of: (in_place && stores_error).then_some(call),
                is_for_call: false,
            });
        }
    }

    /// The messages whose buffers a wait names: one for each buffer that its procedure has a name for. None where it is not known
    /// what the wait completes: compilers then know as much of the buffers as they do of those of MPI's call.
    fn completed_buffers(&self, wait: SiteId, request: &Expression) -> Vec<MessageOf> {
        if !is_followed(self.facts, wait.procedure, request) {
            return Vec::new();
        }
        let posts = one_for_each_buffer(self.facts, &completed_posts(self.facts, wait, request));
        // What lies in the object of the wait's own request has one name there, whatever objects it was posted for.
        let mut in_object = BTreeSet::new();
        let mut is_new = |post: SiteId, message: &MessageOf| {
            let buffer = self.facts.communication(post).and_then(|found| Some(&found.messages().next()?.buffer));
            let component = buffer.and_then(|buffer| component_of(self.facts.procedure(post.procedure), buffer));
            message.beside_request_of.is_none() || in_object.insert(component)
        };
        let is_named = |&post: &SiteId| is_named_later(self.facts, post) && can_name_buffer(self.facts, post, wait);
        let posts = posts.into_iter().filter(is_named);
        let posts = posts.filter(|&post| !is_hidden_buffer(self.facts, post, wait));
        let messages = posts.filter_map(|post| Some((post, posted_message(self.facts, post, wait)?)));
        messages.filter(|(post, message)| is_new(*post, message)).map(|(_, message)| message).collect()
    }
}
