//! Requests: which posts a wait may complete.
//!
//! A request is a scalar variable or an element of an array. A variable of a module or of a COMMON block may be posted to in one
//! procedure and waited for in another: all posts of the program count for it, in whatever order. So do they for a component of
//! objects, which is one variable in all objects of its type: which object a procedure is handed need not be known then. Of what
//! is not followed ([`super::followed_requests`]) any call may complete any operation.

use std::collections::{BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::rc::Rc;

use crate::ir::{
    Callee, ComponentName, Expression, ExpressionKind, Operation, PartForm, Place, Procedure, ProcedureId,
    ProcedureKind, Shape, StatementId, StatementKind, Storage, Subscript, SymbolId,
};

use super::super::facts::{Fact, Facts, Memo, Name, SiteId};
use super::super::memory::effects::evaluated_arguments;
use super::super::program::contents::is_messaging_constant;
use super::followed_requests::is_followed;

/// A variable that holds requests, whatever its names are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestVariable {
    /// A variable of one procedure.
    Own(ProcedureId, SymbolId),
    /// One that several procedures see, at this place (see [`crate::ir::Symbol::shared_variable`]).
    Shared(Place),
    /// A component, of all objects of its type.
    Component(ComponentName),
}

impl RequestVariable {
    /// The variable that `symbol` of `procedure` is.
    pub fn of(facts: &Facts, procedure: ProcedureId, symbol: SymbolId) -> Self {
        let variable = facts.procedure(procedure).symbol(symbol);
        match (&variable.storage, variable.shared_variable()) {
            (Storage::Component { name, .. }, _) => Self::Component(name.clone()),
            (_, Some(place)) => Self::Shared(place.clone()),
            (_, None) => Self::Own(procedure, symbol),
        }
    }

    /// The variable that the expression designates, or of which it designates elements or some part.
    pub fn designated(facts: &Facts, procedure: ProcedureId, expression: &Expression) -> Option<Self> {
        match &expression.kind {
            ExpressionKind::Part { component: Some(name), .. } => Some(Self::Component((**name).clone())),
            _ => expression.designated().map(|symbol| Self::of(facts, procedure, symbol)),
        }
    }

    /// May other procedures use the variable, too, or other runs of one?
    fn is_shared(&self) -> bool {
        matches!(self, Self::Shared(_) | Self::Component(_))
    }

    /// The statements of the program that name the variable, with how often they do.
    pub fn uses(&self, facts: &Facts) -> Rc<[(SiteId, usize)]> {
        facts.get::<Cache>().uses.get(self, || self.find_uses(facts).into())
    }

    fn find_uses(&self, facts: &Facts) -> Vec<(SiteId, usize)> {
        let of_name = |&(procedure, name): &(ProcedureId, SymbolId)| {
            let mentions = facts.mentions(procedure, name).iter();
            mentions.map(|(&statement, &count)| (SiteId { procedure, statement }, count)).collect::<Vec<_>>()
        };
        match self {
            Self::Own(procedure, symbol) => of_name(&(*procedure, *symbol)),
            Self::Shared(place) => facts.shared_names(place).iter().flat_map(of_name).collect(),
            Self::Component(name) => facts.component_uses(name).to_vec(),
        }
    }
}

/// The variable that holds the requests which a call makes, starts, completes or releases.
pub fn request_variable(facts: &Facts, site: SiteId) -> Option<RequestVariable> {
    RequestVariable::designated(facts, site.procedure, facts.communication(site)?.request()?)
}

/// The posts, and the calls that prepare persistent operations, whose requests go to the variable or its elements, in program
/// order.
pub fn posts_into(facts: &Facts, variable: &RequestVariable) -> Rc<[SiteId]> {
    facts.get::<Cache>().posts_into.get(variable, || find_posts_into(facts, variable).into())
}

fn find_posts_into(facts: &Facts, variable: &RequestVariable) -> Vec<SiteId> {
    let makes = |site: &SiteId| facts.communication(*site).is_some_and(|found| found.made_request().is_some());
    let uses = variable.uses(facts);
    let sites = uses.iter().map(|&(site, _)| site).filter(makes);
    let mut sites: Vec<SiteId> =
        sites.filter(|&site| request_variable(facts, site).as_ref() == Some(variable)).collect();
    sites.sort_by_key(|site| (site.procedure, facts.procedure(site.procedure).statement(site.statement).span.start));
    sites
}

/// Does the statement make requests null that `variable` holds, by an assignment?
pub fn is_null_assignment(facts: &Facts, site: SiteId, variable: &RequestVariable) -> bool {
    let procedure = facts.procedure(site.procedure);
    match &procedure.statement(site.statement).kind {
        StatementKind::Assign { target, value, .. } => {
            let is_plain = matches!(
                target.kind,
                ExpressionKind::Symbol(_) | ExpressionKind::Element { .. } | ExpressionKind::Section { .. }
            );
            // A component of whatever objects, as long as the text names it.
            let is_component = matches!(target.kind, ExpressionKind::Part { form, .. } if form != PartForm::Unnamed);
            (is_plain || is_component)
                && RequestVariable::designated(facts, site.procedure, target).as_ref() == Some(variable)
                && is_messaging_constant(procedure, value, "mpi_request_null")
        }
        _ => false,
    }
}

/// How often a statement names the variable only to learn its bounds, such as by `size(requests)`.
pub fn shape_inquiries(facts: &Facts, site: SiteId, variable: &RequestVariable) -> usize {
    let procedure = facts.procedure(site.procedure);
    let kind = &procedure.statement(site.statement).kind;
    let is_named =
        |part: &&Expression| RequestVariable::designated(facts, site.procedure, part).as_ref() == Some(variable);
    let calls = kind.expressions().into_iter().flat_map(Expression::walk);
    calls
        .map(|part| match &part.kind {
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } => {
                let not_evaluated = arguments.len() - evaluated_arguments(procedure, name, arguments).len();
                arguments.iter().take(not_evaluated).filter(is_named).count()
            }
            _ => 0,
        })
        .sum()
}

/// The posts whose requests the call at `site` may complete, or the start may begin, in program order; at least those that it
/// does.
///
/// The request of a persistent operation stays, so every call that makes one counts for its element, wherever it stands.
/// The ways to the wait are followed backwards. A post ends the search for its element, which then holds another request. A wait
/// on all of them, or an assignment of the null request, ends it for the elements that it certainly leaves null; a test, or a wait for any or some of them, may have left any as
/// it was, and ends nothing. Where control jumps to labels, a post may come before a wait
/// that stands above it, and whatever stands in between may be left out: the order of statements says nothing then.
pub fn posts_completed_at(facts: &Facts, site: SiteId) -> Vec<SiteId> {
    facts.get::<Cache>().completed_posts.get(&site, || find_posts_completed_at(facts, site).into()).to_vec()
}

fn find_posts_completed_at(facts: &Facts, site: SiteId) -> Vec<SiteId> {
    let Some(request) = facts.communication(site).and_then(|found| found.request()) else {
        return Vec::new();
    };
    let followed = RequestVariable::designated(facts, site.procedure, request);
    let Some(variable) = followed.filter(|_| is_followed(facts, site.procedure, request)) else {
        return facts.get::<PostsNotFollowed>().0.clone();
    };
    let has_jumps = facts.has_jumps(site.procedure);
    let wanted = named_elements(facts, site);
    let posts = posts_into(facts, &variable);
    let is_persistent = posts.iter().any(|&post| facts.communication(post).is_some_and(|it| it.prepared().is_some()));
    let is_of_any_run = variable.is_shared() || outlives_run(facts, &variable);
    let (RequestVariable::Own(_, symbol), false) = (&variable, has_jumps || is_persistent || is_of_any_run) else {
        let is_wanted = |post: &SiteId| {
            let request = facts.communication(*post).and_then(|found| found.made_request());
            let element = request.and_then(|request| constant_element(facts, post.procedure, request));
            element.zip(wanted.as_ref()).is_none_or(|(element, wanted)| wanted.contains(&element))
        };
        return posts.iter().copied().filter(is_wanted).collect();
    };
    let name = (site.procedure, *symbol);
    let events = facts.get::<Cache>().events.get(&name, || Rc::new(RequestEvents::of(facts, name.0, name.1)));
    let mut search = Search { body: facts.procedure(site.procedure), events: &events, wanted, found: BTreeSet::new() };
    search.above(site.statement);
    search.found.into_iter().map(|statement| SiteId { procedure: site.procedure, statement }).collect()
}

/// The posts whose requests are not followed: each may be completed by any call whose requests are not followed either.
fn find_posts_not_followed(facts: &Facts) -> Vec<SiteId> {
    let is_wanted = |site: &&SiteId| {
        let made = facts.communication(**site).and_then(|found| found.made_request());
        made.is_some_and(|request| !is_followed(facts, site.procedure, request))
    };
    facts.communications().iter().filter(is_wanted).copied().collect()
}

/// May the variable hold what an earlier run of its procedure has posted?
pub fn outlives_run(facts: &Facts, variable: &RequestVariable) -> bool {
    match variable {
        RequestVariable::Own(procedure, symbol) => {
            let body = facts.procedure(*procedure);
            body.kind != ProcedureKind::Main && body.symbol(*symbol).storage != Storage::Local
        }
        RequestVariable::Shared(_) | RequestVariable::Component(_) => true,
    }
}

/// Is the request that a wait completes certainly made by a post of the same run of the procedure, which stands above it in the
/// same block?
pub fn is_posted_in_same_run(facts: &Facts, wait: SiteId, request: &Expression) -> bool {
    let body = facts.procedure(wait.procedure);
    let is_same = |made: &Expression| match (&made.kind, &request.kind) {
        (ExpressionKind::Symbol(one), ExpressionKind::Symbol(other)) => one == other,
        (ExpressionKind::Element { array: one, .. }, ExpressionKind::Element { array: other, .. }) => {
            let number = |request: &Expression| match request.children().as_slice() {
                [Expression { kind: ExpressionKind::Integer(number), .. }] => Some(*number),
                _ => None,
            };
            one == other && number(made).is_some() && number(made) == number(request)
        }
        _ => false,
    };
    let (block, index) = body.siblings(wait.statement);
    for &statement in block[..=index].iter().rev() {
        let found = facts.communication(SiteId { statement, ..wait });
        if found.is_some_and(|found| {
            found.posted_request().is_some_and(is_same) && found.messages().all(|message| message.condition.is_none())
        }) {
            return true;
        }
        if body.statement(statement).jump_target {
            return false;
        }
    }
    false
}

/// The element of its array that the request of a post or a wait is, where that is one number.
pub fn constant_element(facts: &Facts, procedure: ProcedureId, request: &Expression) -> Option<i64> {
    match &request.kind {
        ExpressionKind::Element { subscripts, .. } => match subscripts.as_slice() {
            [index] => facts.constant_value(procedure, index),
            _ => None,
        },
        _ => None,
    }
}

/// The elements of the array that a wait completes, where these are known numbers.
pub fn completed_elements(facts: &Facts, site: SiteId) -> Option<RangeInclusive<i64>> {
    facts.communication(site)?.completed_requests()?;
    named_elements(facts, site)
}

/// The elements of the array of requests that a call makes, starts, completes or releases, where these are known numbers.
pub fn named_elements(facts: &Facts, site: SiteId) -> Option<RangeInclusive<i64>> {
    let communication = facts.communication(site)?;
    match &communication.operation {
        Operation::WaitAll { count, requests, .. }
        | Operation::Complete { count: Some(count), requests, .. }
        | Operation::Start { count: Some(count), requests } => {
            let count = facts.constant_value(site.procedure, count)?;
            let first = match &requests.kind {
                ExpressionKind::Element { .. } if count == 1 => constant_element(facts, site.procedure, requests)?,
                _ => first_element(facts, site.procedure, requests)?,
            };
            Some(first..=first.checked_add(count)?.checked_sub(1)?)
        }
        _ => {
            let element = constant_element(facts, site.procedure, communication.request()?)?;
            Some(element..=element)
        }
    }
}

/// The number of the first element that an array with one dimension, a section or an element of it designates. Behind an element
/// of an array whose elements may lie apart, others may follow in memory than in the array.
fn first_element(facts: &Facts, procedure: ProcedureId, requests: &Expression) -> Option<i64> {
    let lies_in_one_piece = |array: SymbolId| {
        let array = facts.procedure(procedure).symbol(array);
        array.storage != Storage::Pointer && !array.may_be_strided
    };
    let lower_bound = |array: SymbolId| match &facts.procedure(procedure).symbol(array).shape {
        Shape::Array(dimensions) => match dimensions.as_slice() {
            [dimension] => facts.constant_value(procedure, dimension.lower.as_ref()?),
            _ => None,
        },
        Shape::Scalar => None,
    };
    match &requests.kind {
        ExpressionKind::Symbol(array) => lower_bound(*array),
        ExpressionKind::Element { array, .. } if lies_in_one_piece(*array) => {
            constant_element(facts, procedure, requests)
        }
        ExpressionKind::Section { array, subscripts } => match subscripts.as_slice() {
            [Subscript::Range { lower, stride: None, .. }] => match lower {
                Some(lower) => facts.constant_value(procedure, lower),
                None => lower_bound(*array),
            },
            _ => None,
        },
        _ => None,
    }
}

/// What the statements of a procedure do with the requests in one of its variables.
pub(super) struct RequestEvents {
    /// By statement.
    events: Vec<Option<RequestEvent>>,
    /// Whether the statement, or one that it holds, does anything with them.
    is_concerned: Vec<bool>,
}

/// What one statement does with the requests of a variable.
#[derive(Default)]
struct RequestEvent {
    /// It posts: to which element, where that is one number.
    post: Option<Option<i64>>,
    /// No element holds afterwards what an earlier post has made.
    clears_all: bool,
    /// These elements don't.
    cleared: Option<RangeInclusive<i64>>,
}

impl RequestEvents {
    /// Looks at the statements that name the variable.
    pub(super) fn of(facts: &Facts, procedure: ProcedureId, symbol: SymbolId) -> Self {
        let body = facts.procedure(procedure);
        let mut events: Vec<Option<RequestEvent>> = body.statements.iter().map(|_| None).collect();
        let mut is_concerned = vec![false; body.statements.len()];
        for &statement in facts.mentions(procedure, symbol).keys() {
            let Some(event) = RequestEvent::of(facts, SiteId { procedure, statement }, symbol) else { continue };
            events[statement.0] = Some(event);
            let mut around = Some(statement);
            while let Some(holder) = around.filter(|holder| !is_concerned[holder.0]) {
                is_concerned[holder.0] = true;
                around = body.statement(holder).parent;
            }
        }
        Self { events, is_concerned }
    }
}

impl RequestEvent {
    fn of(facts: &Facts, site: SiteId, symbol: SymbolId) -> Option<Self> {
        let body = facts.procedure(site.procedure);
        let variable = RequestVariable::Own(site.procedure, symbol);
        let communication = facts.communication(site);
        let mut event = Self::default();
        let mut clear = |request: &Expression, element: Option<i64>| {
            event.clears_all |= matches!(request.kind, ExpressionKind::Symbol(_));
            event.cleared = element.map(|element| element..=element);
        };
        let request = communication.and_then(|found| Some((found, found.posted_request()?)));
        if let Some((found, request)) = request.filter(|(_, request)| request.designated() == Some(symbol)) {
            let element = constant_element(facts, site.procedure, request);
            // What was in the variable before is not there any more, unless the call is one that a procedure may leave out.
            if found.messages().all(|message| message.condition.is_none()) {
                clear(request, element);
            }
            event.post = Some(element);
        } else if communication.is_some_and(|found| found.completed_requests().is_some()) {
            if request_variable(facts, site) != Some(variable) {
                return None;
            }
            event.cleared = completed_elements(facts, site);
            event.clears_all = body.symbol(symbol).rank() == 0;
        } else if is_null_assignment(facts, site, &variable)
            && let StatementKind::Assign { target, .. } = &body.statement(site.statement).kind
        {
            clear(target, constant_element(facts, site.procedure, target));
        } else {
            return None;
        }
        Some(event)
    }
}

struct Search<'a> {
    body: &'a Procedure,
    events: &'a RequestEvents,
    /// The elements that are asked for; `None`: not known.
    wanted: Option<RangeInclusive<i64>>,
    found: BTreeSet<StatementId>,
}

/// Elements that certainly hold no request of an earlier post at some point.
#[derive(Clone, Default)]
struct Cleared {
    all: bool,
    single: HashSet<i64>,
    ranges: Vec<RangeInclusive<i64>>,
}

impl Cleared {
    fn add(&mut self, event: &RequestEvent) {
        self.all |= event.clears_all;
        match &event.cleared {
            Some(range) if range.start() == range.end() => {
                self.single.insert(*range.start());
            }
            Some(range) => self.ranges.push(range.clone()),
            None => {}
        }
    }

    fn contains(&self, element: i64) -> bool {
        self.single.contains(&element) || self.ranges.iter().any(|range| range.contains(&element))
    }
}

impl Search<'_> {
    fn above(&mut self, completion: StatementId) {
        let mut cleared = Cleared::default();
        let mut current = completion;
        loop {
            let (block, index) = self.body.siblings(current);
            for &previous in block[..index].iter().rev() {
                self.pass(previous, &mut cleared);
            }
            let Some(parent) = self.body.statement(current).parent else {
                return;
            };
            if matches!(self.body.statement(parent).kind, StatementKind::Loop(_) | StatementKind::While { .. }) {
                self.around(parent, &block[index..], cleared.clone());
            }
            current = parent;
        }
    }

    /// The way from the end of the loop's body back to the statement that the search came from, the first of `rest`.
    fn around(&mut self, of: StatementId, rest: &[StatementId], mut cleared: Cleared) {
        let is_cut_short = self.body.with_descendants(of).into_iter().any(|id| {
            matches!(
                self.body.statement(id).kind,
                StatementKind::Cycle(_) | StatementKind::Jump | StatementKind::Opaque(_)
            )
        });
        for &previous in rest.iter().rev() {
            if is_cut_short {
                self.collect(previous, &cleared);
            } else {
                self.pass(previous, &mut cleared);
            }
        }
    }

    /// One statement further back.
    fn pass(&mut self, statement: StatementId, cleared: &mut Cleared) {
        self.collect(statement, cleared);
        if let Some(event) = &self.events.events[statement.0] {
            cleared.add(event);
        }
    }

    /// Adds the posts that the statement holds and that make a request which is not certainly null later on.
    fn collect(&mut self, statement: StatementId, cleared: &Cleared) {
        if !self.events.is_concerned[statement.0] || cleared.all {
            return;
        }
        for id in self.body.with_descendants(statement) {
            let Some(element) = self.events.events[id.0].as_ref().and_then(|event| event.post) else { continue };
            let is_another =
                element.zip(self.wanted.as_ref()).is_some_and(|(element, wanted)| !wanted.contains(&element));
            if !is_another && !element.is_some_and(|element| cleared.contains(element)) {
                self.found.insert(id);
            }
        }
    }
}

/// What is kept of requests.
#[derive(Default)]
struct Cache {
    completed_posts: Memo<SiteId, Rc<[SiteId]>>,
    /// What procedures do with the requests in a variable.
    events: Memo<Name, Rc<RequestEvents>>,
    uses: Memo<RequestVariable, Rc<[(SiteId, usize)]>>,
    posts_into: Memo<RequestVariable, Rc<[SiteId]>>,
}

impl Fact for Cache {
    fn of(_: &Facts<'_>) -> Self {
        Self::default()
    }
}

/// The posts whose requests are not followed: each may be completed by any call whose requests are not followed either.
struct PostsNotFollowed(Vec<SiteId>);

impl Fact for PostsNotFollowed {
    fn of(facts: &Facts<'_>) -> Self {
        Self(find_posts_not_followed(facts))
    }
}

#[cfg(test)]
mod tests;
