//! The messages that an exchange begins: by itself, or by procedures that it calls and that hand the requests back.
//!
//! All that its waits complete has to be among them. A procedure that posts for it stays as it is: what is split is the procedure that
//! waits.

use std::collections::BTreeSet;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::{Access, AccessKind};
use crate::analysis::messages::handed_messages::{handed_component, handed_message};
use crate::analysis::messages::posts_in_callees::{HandedPost, posts_handed_back};
use crate::analysis::messages::requests::{completed_elements, constant_element, posts_completed_at};
use crate::ir::{
    Callee, Direction, Expression, ExpressionKind, Operation, Procedure, ProcedureId, Region, StatementId,
    StatementKind, Storage, SymbolId,
};
use crate::mutations::Clause;

/// A message, by the names of the exchange.
#[derive(Debug, Clone)]
pub struct Begun {
    /// The statement of the exchange that begins it: the call of MPI, or one of the procedure that holds that.
    pub by: StatementId,
    /// The variable that holds its memory.
    pub buffer: SymbolId,
    /// What happens to that.
    pub kind: AccessKind,
    /// A later run may wait for it: then it may lie elsewhere in its variable.
    pub may_be_left: bool,
}

/// All messages of an exchange.
#[derive(Debug, Clone, Default)]
pub struct Messages {
    /// The calls that begin or complete messages.
    pub sites: Vec<SiteId>,
    /// What they begin.
    pub begun: Vec<Begun>,
    /// The exchange's own variables that hold the requests.
    pub requests: BTreeSet<SymbolId>,
    /// Variables that are arguments of both parts of an exchange inside of this one.
    pub kept: BTreeSet<SymbolId>,
    /// The statements that call procedures which post.
    pub posting_calls: BTreeSet<StatementId>,
}

/// Does the statement itself begin a message, or call a procedure that does?
pub fn begins_messages(facts: &Facts, body: &Procedure, statement: StatementId) -> bool {
    let begins = |kind: &StatementKind| match kind {
        StatementKind::Communication(call) => call.begun_request().is_some(),
        _ => false,
    };
    match &body.statement(statement).kind {
        StatementKind::Call { callee: Callee::Procedure(callee), .. } => {
            facts.procedure(*callee).statements.iter().any(|inner| begins(&inner.kind))
        }
        kind => begins(kind),
    }
}

/// The messages of the procedure.
///
/// # Errors
/// The statement that is in the way, and why, as the end of a sentence that begins with the procedure's name.
pub fn messages_of(facts: &Facts, procedure: ProcedureId) -> Result<Messages, (StatementId, String)> {
    let body = facts.procedure(procedure);
    let mut found = Messages::default();
    let refused = |statement: StatementId, why: &str| Err((statement, why.to_owned()));
    let mut handed: BTreeSet<HandedPost> = BTreeSet::new();
    for statement in body.statements_in_order() {
        let site = SiteId { procedure, statement };
        let Some(call) = facts.communication(site) else { continue };
        if call.completed_requests().is_some() || call.possibly_completed_requests().is_some() {
            found.sites.push(site);
            handed.extend(begun_for(facts, site).map_err(|why| (statement, why))?);
        } else {
            match &call.operation {
                Operation::Send { .. } | Operation::Receive { .. } | Operation::SendReceive { .. } => {}
                _ if call.request().is_some() => return refused(statement, "uses requests in another way"),
                _ => continue,
            }
            found.sites.push(site);
            found.begun.extend(own_messages(facts, site)?);
        }
        found.requests.extend(call.request().and_then(Expression::designated));
    }
    for HandedPost { call, post } in handed {
        let messages = handed_messages(facts, SiteId { procedure, statement: call }, post)?;
        found.begun.extend(messages);
        found.posting_calls.insert(call);
        if !found.sites.contains(&post) {
            found.sites.push(post);
        }
    }
    Ok(found)
}

/// What called procedures have begun of what the call completes; all else is begun by this procedure.
fn begun_for(facts: &Facts, completion: SiteId) -> Result<Vec<HandedPost>, String> {
    let posts = posts_completed_at(facts, completion);
    if !posts.is_empty() && posts.iter().all(|post| post.procedure == completion.procedure) {
        return Ok(Vec::new());
    }
    let why = "waits for what others may have begun".to_owned();
    let request = facts.communication(completion).and_then(|call| call.request()?.designated());
    let Some(request) = request else { return Err(why) };
    posts_handed_back(facts, completion.procedure, request).map_err(|used| match used {
        Some(statement) => {
            let span = facts.procedure(completion.procedure).statement(statement).span;
            let line = facts.program.line_named(span);
            format!("{why} (its requests are used at line {line} in another way)")
        }
        None => why,
    })
}

/// The messages of a call of MPI in the procedure itself.
fn own_messages(facts: &Facts, site: SiteId) -> Result<Vec<Begun>, (StatementId, String)> {
    let by = site.statement;
    let described = checked_directions(facts, site).map_err(|why| (by, why))?;
    let may_be_left = !is_over_in_run(facts, site);
    let body = facts.procedure(site.procedure);
    let begun = described.into_iter().map(|(direction, buffer)| {
        let buffer = buffer.ok_or("has a message without a variable")?;
        // Another run may have been given other memory.
        if may_be_left && body.dummies.contains(&body.holder_of(buffer)) && !Clause::ExchangeRuns.is_off() {
            return Err("may leave a message in an argument to a later run of it".to_owned());
        }
        Ok(Begun { by, buffer, kind: kind_of(direction), may_be_left })
    });
    let begun: Result<Vec<Begun>, String> = begun.collect();
    begun.map_err(|why| (by, why))
}

/// Is what the call begins certainly completed in the same run of the procedure? If its request is in a variable that begins and ends
/// with the run, nobody could do it later.
fn is_over_in_run(facts: &Facts, post: SiteId) -> bool {
    let body = facts.procedure(post.procedure);
    let request = facts.communication(post).and_then(|call| call.posted_request());
    let Some((request, symbol)) = request.and_then(|request| Some((request, request.designated()?))) else {
        return request.is_none();
    };
    let variable = body.symbol(body.holder_of(symbol));
    if variable.storage == Storage::Local && !body.dummies.contains(&body.holder_of(symbol)) {
        return true;
    }
    let element = constant_element(facts, post.procedure, request);
    let completes = |&statement: &StatementId| {
        let wait = SiteId { statement, ..post };
        let completed = facts.communication(wait).and_then(|call| call.completed_requests());
        completed.is_some_and(|completed| {
            let is_one = || {
                body.symbol(symbol).rank() == 0
                    && matches!(completed.kind, ExpressionKind::Symbol(own) if own == symbol)
            };
            let is_among = || element.zip(completed_elements(facts, wait)).is_some_and(|(one, all)| all.contains(&one));
            completed.designated() == Some(symbol) && (is_one() || is_among())
        })
    };
    // In the same block, or in one around it, behind it.
    let mut inner = Some(post.statement);
    while let Some(statement) = inner {
        let (block, index) = body.siblings(statement);
        if block[index + 1..].iter().any(completes) {
            return true;
        }
        inner = body.statement(statement).parent;
    }
    false
}

/// Those of a post of a called procedure.
fn handed_messages(facts: &Facts, call: SiteId, post: SiteId) -> Result<Vec<Begun>, (StatementId, String)> {
    let by = call.statement;
    if facts.follows_pointers(post.procedure, post.statement) {
        return Err((by, "has a message in memory to which pointers lead".to_owned()));
    }
    let described = checked_directions(facts, post).map_err(|why| (by, why))?;
    let begun = described.into_iter().map(|(direction, _)| {
        let kind = kind_of(direction);
        if let Some(buffer) = handed_component(facts, call, post, direction) {
            return Ok(Begun { by, buffer, kind, may_be_left: false });
        }
        let memory = handed_message(facts, call, post, direction);
        let memory = memory.map_err(|why| (by, format!("has a message begun by what it calls: {why}, called")))?;
        Ok(Begun { by, buffer: memory.region.symbol, kind, may_be_left: false })
    });
    begun.collect()
}

fn kind_of(direction: Direction) -> AccessKind {
    match direction {
        Direction::Sent => AccessKind::Read,
        Direction::Received => AccessKind::Write,
    }
}

/// The directions of a call's messages, with their buffers.
fn checked_directions(facts: &Facts, site: SiteId) -> Result<Vec<(Direction, Option<SymbolId>)>, String> {
    let call = facts.communication(site).ok_or("has a message that is not understood")?;
    let directions: &[Direction] = match &call.operation {
        Operation::Send { .. } => &[Direction::Sent],
        Operation::Receive { .. } => &[Direction::Received],
        _ => &[Direction::Sent, Direction::Received],
    };
    let described = directions.iter().map(|&direction| {
        let message = call.described(direction).ok_or("has a message that is not understood")?;
        if message.datatype.predefined.is_none() {
            return Err("has a message of a datatype of its own".to_owned());
        }
        Ok((direction, message.buffer.designated()))
    });
    described.collect()
}

impl Begun {
    /// Its memory, over the values that variables have when the exchange begins.
    pub fn regions(&self, facts: &Facts, procedure: ProcedureId) -> Vec<Region> {
        let run = facts.effects_of_run(procedure);
        let is_its = |access: &&Access| {
            access.statement == self.by && access.kind == self.kind && access.region.symbol == self.buffer
        };
        let found: Vec<Region> = run.accesses.iter().filter(is_its).map(|access| access.region.clone()).collect();
        if found.is_empty() || self.may_be_left { vec![Region::whole(self.buffer)] } else { found }
    }
}
