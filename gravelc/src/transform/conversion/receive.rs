//! The steps of a receive: its post, early or in its place, and the wait of one that was a blocking call.

use crate::analysis::facts::SiteId;
use crate::ir::{Direction, Expression, ProcedureId};
use crate::plan::{MessageOf, NewVariable, Position, RequestPlace, StatusPlace, Step, StepOperation, Transformation};
use crate::transform::found::{EarlyPost, Hoisted, Place};

use super::super::rules::awaited_buffers::is_named_at_wait;
use super::{Conversion, Moves, SiteSteps, WayBack, next, scalar};

impl Conversion<'_> {
    pub(super) fn convert_receive(
        &mut self,
        steps: &mut SiteSteps,
        moves: &Moves,
        own_request: Option<&Expression>,
        stores_error: bool,
    ) {
        let site = steps.site;
        let own_place = own_request.map(|request| self.own_place(request, site));
        let hands_over = matches!(&moves.hoisted, Some(Ok(hoisted)) if hoisted.hands_over_request);
        let request = match own_place.filter(|_| !hands_over) {
            Some(place) => place,
            None => self.request_of_receive(site.procedure, moves),
        };
        let is_blocking = own_request.is_none();
        let waits_in_place = is_blocking && !matches!(moves.waits.sunk, Some(Ok(_)));
        let is_posted_in_place = self.post_receive(steps, moves, request, stores_error && !waits_in_place);
        if let Some(to) = own_place.filter(|_| hands_over) {
            steps.in_place(StepOperation::HandOverRequest { from: request, to, leaves_null: false });
        }
        if !is_posted_in_place && !waits_in_place {
            steps.in_place(StepOperation::StoreSuccess);
        }
        if is_blocking {
            self.wait_for_receive(steps, moves, request, stores_error);
        }
    }

    /// A variable for the request of a receive.
    pub(super) fn request_of_receive(&mut self, procedure: ProcedureId, moves: &Moves) -> RequestPlace {
        let number = next(&mut self.receives, procedure);
        scalar(match &moves.hoisted {
            Some(Ok(Hoisted { place: Place::InCallers(_), .. })) => NewVariable::EarlyRequest { procedure, number },
            _ => self.late_request(procedure, &moves.waits.sunk).unwrap_or(NewVariable::ReceiveRequest(number)),
        })
    }

    /// Posts a receive, early or in its place; says whether in its place.
    pub(super) fn post_receive(
        &mut self,
        steps: &mut SiteSteps,
        moves: &Moves,
        request: RequestPlace,
        stores_error: bool,
    ) -> bool {
        let in_segments = self.moves.in_segments().contains(&steps.site);
        let protocol = self.protocol(steps.site);
        match &moves.hoisted {
            Some(Ok(Hoisted { place: Place::Own(own), .. })) => {
                let site = steps.site;
                let early = self.compute_early(steps, (site, own.before), own.guard, &own.early);
                let stores_error = false;
                let operation = StepOperation::PostReceive { request, protocol, in_segments, early, stores_error };
                steps.push(Position::Before(own.before), own.guard, operation);
                let outermost = SiteId { statement: own.above, ..site };
                let (what, behind) = self.hidden_behind(outermost, WayBack::Down, Some(site.statement));
                let (line, given) = (self.line(site, behind), self.told_of_early(site, &own.early));
                steps.act(
                    Transformation::HoistReceive,
                    format!("posted early, before the {what} at line {line}{given}"),
                );
                return false;
            }
            Some(Ok(Hoisted { place: Place::InCallers(posts), .. })) => {
                posts.iter().for_each(|post| self.post_in_caller(steps, post, request, in_segments));
                return false;
            }
            Some(Err(reason)) => steps.miss(Transformation::HoistReceive, reason),
            None => {}
        }
        let early = Vec::new();
        steps.in_place(StepOperation::PostReceive { request, protocol, in_segments, early, stores_error });
        true
    }

    /// Posts the receive in a procedure that calls its own.
    fn post_in_caller(&mut self, steps: &mut SiteSteps, post: &EarlyPost, request: RequestPlace, in_segments: bool) {
        let SiteId { procedure, statement } = steps.site;
        let early = self.compute_early(steps, (post.call, post.before), post.guard, &post.early);
        steps.steps.push(Step {
            procedure: post.call.procedure,
            position: Position::Before(post.before),
            origin: post.call.statement,
            guard: post.guard,
            operation: StepOperation::PostReceiveOfCallee {
                procedure,
                receive: statement,
                inner_guard: post.inner_guard,
                request,
                in_segments,
                early,
            },
        });
        let (what, behind) = match post.above {
            Some(statement) => {
                let outermost = SiteId { procedure: post.call.procedure, statement };
                self.hidden_behind(outermost, WayBack::Down, Some(post.call.statement))
            }
            None => ("call", post.call.statement),
        };
        let at = self.place_in(post.call.procedure, behind, procedure);
        let given = self.told_of_early(post.call, &post.early);
        steps
            .act(Transformation::HoistReceive, format!("posted early by the caller, before the {what} at {at}{given}"));
    }

    /// The wait of a receive that was a blocking one.
    pub(super) fn wait_for_receive(
        &mut self,
        steps: &mut SiteSteps,
        moves: &Moves,
        request: RequestPlace,
        stores_error: bool,
    ) {
        let call = steps.site.statement;
        let is_named = is_named_at_wait(self.facts, steps.site, Direction::Received);
        let buffer_of = is_named.then(|| MessageOf::own(call, Direction::Received));
        let subject = if moves.waits.sunk_send.is_some() { "the receive is " } else { "" };
        self.wait(steps, &moves.waits.sunk, subject, |in_place| StepOperation::Wait {
            request,
            buffer_of,
            status: Some(StatusPlace { call, element: None }),
            error_of: (in_place && stores_error).then_some(call),
            is_for_call: false,
        });
    }
}
