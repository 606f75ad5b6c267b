//! A wait for several requests, taken apart into one for each.

use std::collections::BTreeMap;

use super::WaitPlacer;
use crate::analysis::facts::SiteId;
use crate::analysis::memory::repeatable::symbols_read_by;
use crate::analysis::messages::requests::{completed_elements, constant_element, posts_completed_at};
use crate::analysis::program::contents::is_messaging_constant;
use crate::ir::{ArrayDimension, Expression, ProcedureId, Shape, Status};
use crate::plan::{Missed, Reason, ReasonCode};
use crate::transform::found::SplitWait;

impl WaitPlacer<'_> {
    /// Takes a wait for several requests apart, if at least one of them can then move.
    pub(super) fn split(
        &self,
        site: SiteId,
        statuses: &Status,
        missed: &mut Vec<Missed>,
    ) -> Result<Vec<SplitWait>, Reason> {
        let span = self.facts.procedure(site.procedure).statement(site.statement).span;
        let refused = |message: &str| Err(Reason::at(ReasonCode::RequestShared, span, message));
        let Some(completed) = completed_elements(self.facts, site) else {
            return refused("the elements that it completes are not known numbers");
        };
        let posts = posts_completed_at(self.facts, site);
        if let Some(requests) = self.facts.communication(site).and_then(|found| found.request()) {
            self.known_operations(site, &posts, requests)?;
        }
        if posts.iter().any(|post| post.procedure != site.procedure) {
            return refused("another procedure has posted one of the operations that it completes");
        }
        let mut by_element: BTreeMap<i64, Vec<SiteId>> = BTreeMap::new();
        for &post in &posts {
            let request = self.facts.communication(post).and_then(|found| found.made_request());
            // A variable that is known to hold the number need not be set on every way to the wait.
            let is_literal = |request: &&Expression| {
                symbols_read_by(self.facts.procedure(post.procedure), &request.children()).is_some_and(|s| s.is_empty())
            };
            let element =
                request.filter(is_literal).and_then(|found| constant_element(self.facts, post.procedure, found));
            match element {
                Some(element) => by_element.entry(element).or_default().push(post),
                None => return refused("a request that it may complete is an element whose number is not known"),
            }
        }
        let first_status = match statuses {
            Status::Ignored => None,
            Status::Stored(statuses) => match self.first_status(site.procedure, statuses) {
                Some(first) if completed.clone().all(|element| by_element.contains_key(&element)) => Some(first),
                Some(_) => return refused("it stores the status of a request that is never made"),
                None => return refused("where each status lies in the array of statuses is not known"),
            },
        };
        let mut waits = Vec::new();
        for (element, posts) in &by_element {
            let request = self.facts.communication(posts[0]).and_then(|found| found.made_request());
            let Some(request) = request else { continue };
            let sunk = self.place_own(site, posts, request, statuses, missed);
            if let Err(Reason { code: ReasonCode::RequestShared, .. }) = sunk {
                return Err(self.several_buffers(site));
            }
            let status = first_status.map(|first| first.saturating_add(element - completed.start()));
            waits.push(SplitWait { post: posts[0], sunk, status });
        }
        if waits.iter().any(|wait| wait.sunk.is_ok()) {
            return Ok(waits);
        }
        match waits.into_iter().find_map(|wait| wait.sunk.err()) {
            Some(reason) => Err(reason),
            None => refused("no operation is known whose request it completes"),
        }
    }

    /// The subscript of the first status in an array of them, in its last dimension. Where a status is a column of integers,
    /// the columns must be as long as it is: MPI stores one status right behind the other.
    fn first_status(&self, procedure: ProcedureId, statuses: &Expression) -> Option<i64> {
        let body = self.facts.procedure(procedure);
        let Shape::Array(dimensions) = &body.symbol(statuses.designated()?).shape else {
            return None;
        };
        let value = |bound: &Option<Expression>| self.facts.constant_value(procedure, bound.as_ref()?);
        let is_status = |column: &ArrayDimension| {
            let is_its_size = |upper: &Expression| is_messaging_constant(body, upper, "mpi_status_size");
            value(&column.lower) == Some(1) && column.upper.as_ref().is_some_and(is_its_size)
        };
        let (last, columns) = dimensions.split_last()?;
        columns.iter().all(is_status).then(|| value(&last.lower)).flatten()
    }
}
