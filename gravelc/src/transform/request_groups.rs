//! Which calls may complete which operations, when the program hands requests around as it likes.
//!
//! Gravel's requests lie in the program's own variables, and a call of the runtime that completes requests takes MPI's, too. So
//! where one operation of a group converts, all calls convert that may be handed its request; and where one of these can't, all
//! operations of the group stay with MPI. The operations whose requests are in one variable that is followed are a group with the
//! calls that name it. Everything that is not followed is another one.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::messages::followed_requests::is_followed;
use crate::analysis::messages::requests::RequestVariable;
use crate::ir::Expression;
use crate::plan::{Reason, ReasonCode};

/// Operations, and the calls that may complete, start or release them.
#[derive(Debug, Default)]
pub struct RequestGroup {
    /// The calls that make the requests.
    pub posts: Vec<SiteId>,
    /// The calls that take them.
    pub completions: Vec<SiteId>,
    /// Why no operation of the group converts.
    pub obstacle: Option<Reason>,
}

/// The groups of a program.
#[derive(Debug, Default)]
pub struct RequestGroups {
    groups: Vec<RequestGroup>,
    by_site: BTreeMap<SiteId, usize>,
    /// Why calls that take requests stay with MPI.
    obstacles: BTreeMap<SiteId, Reason>,
}

impl RequestGroups {
    /// Those of a program. `obstacle` says of a call that takes requests why it can't be handed one of Gravel.
    pub fn find(facts: &Facts, obstacle: impl Fn(SiteId) -> Option<Reason>) -> Self {
        let mut found = Self::default();
        let mut numbers: BTreeMap<Option<RequestVariable>, usize> = BTreeMap::new();
        for &site in facts.communications() {
            let Some(communication) = facts.communication(site).filter(|found| !found.is_counted_at_callers) else {
                continue;
            };
            if let Some(request) = communication.matched_request() {
                found.add_matched(facts, site, request, *numbers.entry(None).or_insert(found.groups.len()));
                continue;
            }
            let Some(request) = communication.request() else { continue };
            let followed = is_followed(facts, site.procedure, request).then_some(request);
            let variable = followed.and_then(|request| RequestVariable::designated(facts, site.procedure, request));
            let is_followed = variable.is_some();
            let number = *numbers.entry(variable).or_insert(found.groups.len());
            if number == found.groups.len() {
                found.groups.push(RequestGroup::default());
            }
            found.by_site.insert(site, number);
            let group = &mut found.groups[number];
            if communication.made_request().is_some() {
                group.posts.push(site);
                if let Some(request) = communication.made_request()
                    && !is_followed
                    && group.obstacle.is_none()
                {
                    group.obstacle = open_obstacle(facts, request);
                }
                continue;
            }
            group.completions.push(site);
            if let Some(reason) = obstacle(site) {
                if group.obstacle.is_none() {
                    group.obstacle = Some(kept_completion(facts, site, &reason));
                }
                found.obstacles.insert(site, reason);
            }
        }
        found
    }

    /// The request of a receive of a matched message: a variable that it is stored to is not followed.
    fn add_matched(&mut self, facts: &Facts, site: SiteId, request: &Expression, number: usize) {
        if number == self.groups.len() {
            self.groups.push(RequestGroup::default());
        }
        self.by_site.insert(site, number);
        let group = &mut self.groups[number];
        group.posts.push(site);
        if group.obstacle.is_none() {
            group.obstacle = open_obstacle(facts, request);
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &RequestGroup> {
        self.groups.iter()
    }

    /// The one of a call that makes or takes requests.
    pub fn of(&self, site: SiteId) -> Option<&RequestGroup> {
        self.by_site.get(&site).map(|&number| &self.groups[number])
    }

    /// Why the operation that a call begins or prepares can't be Gravel's, for its request's sake.
    pub fn obstacle_of_post(&self, post: SiteId) -> Option<&Reason> {
        self.of(post).filter(|group| group.posts.contains(&post))?.obstacle.as_ref()
    }

    /// Why a call that takes requests stays with MPI.
    pub fn obstacle_of_completion(&self, completion: SiteId) -> Option<&Reason> {
        self.obstacles.get(&completion)
    }

    /// The calls that may take requests of these operations.
    pub fn completions_of(&self, posts: &BTreeSet<SiteId>) -> BTreeSet<SiteId> {
        let with_any = self.groups.iter().filter(|group| group.posts.iter().any(|post| posts.contains(post)));
        with_any.flat_map(|group| group.completions.iter().copied()).collect()
    }
}

/// Why a request that is not followed can't be Gravel's: it may come to code that was not given.
fn open_obstacle(facts: &Facts, request: &Expression) -> Option<Reason> {
    let open = facts.open_world()?.describe(facts.program);
    let text = facts.program.text(request.span);
    let message = format!("the request `{text}` may come to others than the given files ({open})");
    Some(Reason::at(ReasonCode::RequestEscapes, request.span, message))
}

/// The reason of an operation that a call may complete which stays with MPI.
fn kept_completion(facts: &Facts, completion: SiteId, reason: &Reason) -> Reason {
    let body = facts.procedure(completion.procedure);
    let span = body.statement(completion.statement).span;
    let routine = facts.communication(completion).map_or("", |found| found.routine.as_str());
    let (path, line) = (facts.program.path_of(span).display(), facts.program.line(span));
    let message = format!("{routine} at {path}:{line}, which may complete it, stays with MPI: {}", reason.message);
    Reason { code: ReasonCode::RequestEscapes, message, span: Some(reason.span.unwrap_or(span)) }
}
