//! Whether anything in a program may look at the error code that a call of MPI has stored.
//!
//! Old programs have a variable for the codes of all calls, and most of these are overwritten by the next call before anybody
//! has looked. A code that is looked at has to be in its variable where the program has it; for any other it does not matter
//! where the call is.
//!
//! The way goes from the call on through all that may run after it. It ends where the variable gets another value, or is gone.
//! Where control goes by jumps, or nobody knows what the variable is, the code counts as looked at.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::AccessKind;
use crate::analysis::memory::sharing::may_share_memory;
use crate::ir::{
    Expression, ExpressionKind, Loop, Procedure, ProcedureKind, Span, StatementId, StatementKind, Storage, SymbolId,
};

/// Where something may look at the error code of the call; `None` if nothing does, or if the call stores none.
pub fn code_looked_at(facts: &Facts, call: SiteId) -> Option<Span> {
    let body = facts.procedure(call.procedure);
    let error = facts.communication(call)?.error.as_ref()?;
    let ExpressionKind::Symbol(variable) = error.kind else { return Some(error.span) };
    let symbol = body.symbol(variable);
    if !symbol.is_integer_scalar() || symbol.volatile || symbol.target || symbol.overlay.is_some() {
        return Some(error.span);
    }
    if facts.has_jumps(call.procedure) || body.untouchable.is_some() {
        return Some(error.span);
    }
    let way = Way { facts, body, call, variable };
    match way.behind(call.statement) {
        Next::Looks(span) => Some(span),
        Next::Overwrites => None,
        Next::Passes => (!way.is_gone_at_end()).then_some(error.span),
    }
}

/// What happens to the code next.
enum Next {
    /// Something may look at it.
    Looks(Span),
    /// The variable certainly gets another value, or nothing runs any more that could look.
    Overwrites,
    /// It may still be there.
    Passes,
}

struct Way<'f, 'a> {
    facts: &'f Facts<'a>,
    body: &'a Procedure,
    call: SiteId,
    variable: SymbolId,
}

impl Way<'_, '_> {
    /// Behind a statement, to the end of the procedure.
    fn behind(&self, statement: StatementId) -> Next {
        let mut current = statement;
        loop {
            let (block, index) = self.body.siblings(current);
            match self.block(&block[index + 1..]) {
                Next::Passes => {}
                end => return end,
            }
            let Some(parent) = self.body.statement(current).parent else { return Next::Passes };
            // Another iteration may begin.
            if let StatementKind::Loop(Loop { body, .. }) | StatementKind::While { body, .. } =
                &self.body.statement(parent).kind
            {
                let head = match &self.body.statement(parent).kind {
                    StatementKind::While { condition, .. } => condition.as_ref().and_then(|it| self.expression(it)),
                    _ => None,
                };
                if let Some(span) = head {
                    return Next::Looks(span);
                }
                if let Next::Looks(span) = self.block(body) {
                    return Next::Looks(span);
                }
            }
            current = parent;
        }
    }

    fn block(&self, block: &[StatementId]) -> Next {
        for &statement in block {
            match self.statement(statement) {
                Next::Passes => {}
                end => return end,
            }
        }
        Next::Passes
    }

    fn statement(&self, id: StatementId) -> Next {
        let statement = self.body.statement(id);
        if id == self.call.statement {
            return Next::Overwrites;
        }
        let all = |blocks: &mut dyn Iterator<Item = &Vec<StatementId>>| {
            let mut next = Next::Overwrites;
            for block in blocks {
                match self.block(block) {
                    Next::Looks(span) => return Next::Looks(span),
                    Next::Passes => next = Next::Passes,
                    Next::Overwrites => {}
                }
            }
            next
        };
        let in_conditions = || statement.kind.expressions().into_iter().find_map(|it| self.expression(it));
        match &statement.kind {
            StatementKind::Nothing => Next::Passes,
            StatementKind::Stop if self.reads(id).is_none() => Next::Overwrites,
            StatementKind::Return => {
                if self.is_gone_at_end() {
                    Next::Overwrites
                } else {
                    Next::Looks(statement.span)
                }
            }
            StatementKind::If { arms, otherwise, .. } => match in_conditions() {
                Some(span) => Next::Looks(span),
                None => match all(&mut arms.iter().map(|arm| &arm.body).chain(otherwise)) {
                    Next::Overwrites if otherwise.is_none() => Next::Passes,
                    next => next,
                },
            },
            StatementKind::Select { cases, .. } => match in_conditions() {
                Some(span) => Next::Looks(span),
                None => match all(&mut cases.iter()) {
                    // Perhaps none of them runs.
                    Next::Overwrites => Next::Passes,
                    next => next,
                },
            },
            StatementKind::Loop(Loop { body, .. }) | StatementKind::While { body, .. } => match in_conditions() {
                Some(span) => Next::Looks(span),
                None => match self.block(body) {
                    Next::Overwrites => Next::Passes,
                    next => next,
                },
            },
            // One of its statements may leave it.
            StatementKind::Scope(scope) => match in_conditions() {
                Some(span) => Next::Looks(span),
                None => self.block(&scope.body),
            },
            StatementKind::Communication(call) if call.error.as_ref().is_some_and(|it| self.is_variable(it)) => {
                // It may be listed among the other arguments, too.
                let error = call.error.as_ref().map(|error| error.span);
                let mut others = call.expressions().into_iter().filter(|argument| Some(argument.span) != error);
                others.find_map(|argument| self.expression(argument)).map_or(Next::Overwrites, Next::Looks)
            }
            StatementKind::Assign { target, value, .. } if self.is_variable(target) => match self.expression(value) {
                Some(span) => Next::Looks(span),
                None => Next::Overwrites,
            },
            StatementKind::Exit(_) | StatementKind::Cycle(_) | StatementKind::Jump | StatementKind::Opaque(_) => {
                Next::Looks(statement.span)
            }
            _ if self.facts.effects(self.call.procedure, id).everything.is_some() => Next::Looks(statement.span),
            _ => self.reads(id).map_or(Next::Passes, Next::Looks),
        }
    }

    fn is_variable(&self, expression: &Expression) -> bool {
        expression.kind == ExpressionKind::Symbol(self.variable)
    }

    /// Where the statement may read the variable.
    fn reads(&self, id: StatementId) -> Option<Span> {
        let effects = self.facts.effects(self.call.procedure, id);
        let is_read = effects.accesses.iter().any(|access| {
            access.kind == AccessKind::Read && may_share_memory(self.body, access.region.symbol, self.variable)
        });
        is_read.then(|| self.body.statement(id).span)
    }

    /// Where the value of an expression may depend on the variable. What is called in it may read variables that it does not name.
    fn expression(&self, expression: &Expression) -> Option<Span> {
        let may_look = |part: &Expression| match &part.kind {
            ExpressionKind::Call { callee, .. } => !matches!(callee, crate::ir::Callee::PureIntrinsic(_)),
            ExpressionKind::Opaque(_) | ExpressionKind::Computed(_) => true,
            _ => part.designated().is_some_and(|symbol| may_share_memory(self.body, symbol, self.variable)),
        };
        expression.any(&may_look).then_some(expression.span)
    }

    /// Can nobody name the variable once the procedure has returned?
    fn is_gone_at_end(&self) -> bool {
        if self.body.kind == ProcedureKind::Main {
            return true;
        }
        let symbol = self.body.symbol(self.variable);
        symbol.storage == Storage::Local && !self.body.dummies.contains(&self.variable)
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
