//! The two parts of a procedure that exchanges messages: which of its statements stand in either.

use crate::analysis::facts::Facts;
use crate::ir::{Communication, Expression, Procedure, StatementId, StatementKind};

use super::begun::begins_messages;

/// The statements of the two parts, but for the conditions that both have.
pub struct Parts {
    /// IF statements at the beginning that return.
    pub guards: Vec<StatementId>,
    /// IF statements around the first wait, outermost first.
    pub around: Vec<StatementId>,
    /// Up to the first wait.
    pub begin: Vec<StatementId>,
    /// From there on.
    pub end: Vec<StatementId>,
}

impl Parts {
    /// What is evaluated by both parts.
    pub fn conditions<'p>(&self, body: &'p Procedure) -> Vec<&'p Expression> {
        let condition = |&id: &StatementId| match &body.statement(id).kind {
            StatementKind::If { arms, .. } => arms.first().map(|arm| &arm.condition),
            _ => None,
        };
        self.guards.iter().chain(&self.around).filter_map(condition).collect()
    }

    /// Of these statements of the begin, those that only return in some case are repeated by the end.
    fn take_guards(&mut self, body: &Procedure, silent: &[StatementId]) {
        let is_guard = |id: &&StatementId| match &body.statement(**id).kind {
            StatementKind::If { arms, otherwise: None, .. }
                if arms.len() == 1 && body.statement(**id).parent.is_none() =>
            {
                matches!(arms[0].body.as_slice(), [only] if matches!(body.statement(*only).kind, StatementKind::Return))
            }
            _ => false,
        };
        self.guards = silent.iter().filter(is_guard).copied().collect();
        let Self { guards, begin, .. } = self;
        begin.retain(|id| !guards.contains(id));
    }
}

/// The parts of a procedure that posts messages and waits for them.
pub fn parts_of(facts: &Facts, body: &Procedure) -> Option<Parts> {
    let holds = |id: StatementId, wanted: &dyn Fn(&Communication) -> bool| {
        body.holds(id, &mut |inner| match &body.statement(inner).kind {
            StatementKind::Communication(call) => wanted(call),
            _ => false,
        })
    };
    let waits = |id: StatementId| holds(id, &|call| call.completed_requests().is_some());
    // A branch that holds the posts as well is taken apart.
    let posts = |id: StatementId| body.holds(id, &mut |inner| begins_messages(facts, body, inner));
    let mut parts = taken_apart(body, &waits, &posts)?;
    let silent = parts.begin.iter().take_while(|&&id| !holds(id, &|_| true)).copied().collect::<Vec<_>>();
    parts.take_guards(body, &silent);
    // Waits alone go further one by one.
    let is_more = |inner: StatementId| {
        let kind = &body.statement(inner).kind;
        kind.blocks().is_empty() && !is_completion(kind) && !matches!(kind, StatementKind::Nothing)
    };
    let does_more = parts.end.iter().any(|&id| body.holds(id, &mut |inner| is_more(inner)));
    (does_more && parts.begin.iter().any(|&id| posts(id))).then_some(parts)
}

/// The parts of a procedure of which the second begins with the first statement that `begins`, or with one that holds that: a branch is
/// taken apart only if it `opens`.
fn taken_apart(
    body: &Procedure,
    begins: &dyn Fn(StatementId) -> bool,
    opens: &dyn Fn(StatementId) -> bool,
) -> Option<Parts> {
    let mut parts = Parts { guards: Vec::new(), around: Vec::new(), begin: Vec::new(), end: Vec::new() };
    let mut block: &[StatementId] = &body.body;
    loop {
        let first = block.iter().position(|&id| begins(id))?;
        let (before, behind) = block.split_at(first);
        parts.begin.extend(before);
        // What is behind an inner block comes behind what is in it.
        parts.end.splice(0..0, behind[1..].iter().copied());
        match &body.statement(behind[0]).kind {
            StatementKind::If { arms, otherwise: None, one_line: false } if arms.len() == 1 && opens(behind[0]) => {
                parts.around.push(behind[0]);
                block = &arms[0].body;
            }
            _ => {
                parts.end.insert(0, behind[0]);
                return Some(parts);
            }
        }
    }
}

/// The parts of a procedure around its statement `call`, with which the second begins; `None` if it stands in more than branches that are
/// taken apart.
pub fn parts_around(body: &Procedure, call: StatementId) -> Option<Parts> {
    let holds = |id: StatementId| body.holds(id, &mut |inner| inner == call);
    let mut parts = taken_apart(body, &holds, &holds)?;
    let before = parts.begin.clone();
    parts.take_guards(body, &before);
    (parts.end.first() == Some(&call)).then_some(parts)
}

/// Is it a call that completes requests, or may?
pub fn is_completion(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Communication(call) => {
            call.completed_requests().is_some() || call.possibly_completed_requests().is_some()
        }
        _ => false,
    }
}
