//! Turns what the transformations found for a site into the steps of the plan.

use std::collections::BTreeMap;

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::matching::request_variable;
use crate::ir::{Expression, Operation, ProcedureId, StatementId, SymbolId};
use crate::plan::{
    Action, Missed, NewVariable, Outcome, Position, Protocol, Reason, Step, StepOperation, StripMine, Transformation,
};

use super::hoist_receive::Hoisted;
use super::sink_wait::Sunk;
use super::strip_mine_producer::StripMined;

/// What each transformation found for a site; `None` where it does not apply to this kind of call.
#[derive(Debug, Default)]
pub struct Moves {
    /// hoist-receive.
    pub hoisted: Option<Result<Hoisted, Reason>>,
    /// strip-mine-producer.
    pub strip_mined: Option<Result<StripMined, Reason>>,
    /// sink-wait.
    pub sunk: Option<Result<Sunk, Reason>>,
}

impl Moves {
    /// Did any transformation apply?
    pub fn gained(&self) -> bool {
        matches!(self.hoisted, Some(Ok(_)))
            || matches!(self.strip_mined, Some(Ok(_)))
            || matches!(self.sunk, Some(Ok(_)))
    }
}

/// Writes the steps, and numbers the new variables of each procedure.
pub struct Conversion<'a> {
    facts: &'a Facts<'a>,
    moves: &'a BTreeMap<SiteId, Moves>,
    receives: BTreeMap<ProcedureId, usize>,
    sends: BTreeMap<ProcedureId, usize>,
    loops: BTreeMap<ProcedureId, usize>,
}

/// The steps of one site while they are put together.
struct SiteSteps {
    site: SiteId,
    steps: Vec<Step>,
    actions: Vec<Action>,
    missed: Vec<Missed>,
}

impl SiteSteps {
    fn new(site: SiteId) -> Self {
        Self { site, steps: Vec::new(), actions: Vec::new(), missed: Vec::new() }
    }

    fn push(&mut self, position: Position, guard: Option<StatementId>, operation: StepOperation) {
        let SiteId { procedure, statement } = self.site;
        self.steps.push(Step { procedure, position, origin: statement, guard, operation });
    }

    fn in_place(&mut self, operation: StepOperation) {
        self.push(Position::Replace(self.site.statement), None, operation);
    }

    fn act(&mut self, transformation: Transformation, text: String) {
        self.actions.push(Action { transformation, text });
    }

    fn miss(&mut self, transformation: Transformation, reason: &Reason) {
        self.missed.push(Missed { transformation, reason: reason.clone() });
    }

    fn finish(self) -> Outcome {
        Outcome::Transformed {
            protocol: Protocol::ConsumerInitiatedWrite,
            actions: self.actions,
            missed: self.missed,
            steps: self.steps,
        }
    }
}

impl<'a> Conversion<'a> {
    /// Nothing is numbered yet.
    pub fn new(facts: &'a Facts<'a>, moves: &'a BTreeMap<SiteId, Moves>) -> Self {
        Self { facts, moves, receives: BTreeMap::new(), sends: BTreeMap::new(), loops: BTreeMap::new() }
    }

    fn line(&self, site: SiteId, statement: StatementId) -> usize {
        self.facts.program.line(self.facts.procedure(site.procedure).statement(statement).span)
    }

    /// The outcome for a member of a class that converts.
    pub fn convert(&mut self, site: SiteId) -> Outcome {
        let mut steps = SiteSteps::new(site);
        if let (Some(communication), Some(moves)) = (self.facts.communication(site), self.moves.get(&site)) {
            let stores_error = communication.error.is_some();
            match &communication.operation {
                Operation::Receive { request, .. } => {
                    let request = request.as_ref().and_then(Expression::designated);
                    self.convert_receive(&mut steps, moves, request, stores_error);
                }
                Operation::Send { request, .. } => {
                    let request = request.as_ref().and_then(Expression::designated);
                    self.convert_send(&mut steps, moves, request, stores_error);
                }
                Operation::Wait { request, .. } => {
                    if let Some(symbol) = request.designated() {
                        self.convert_wait(&mut steps, moves, symbol, stores_error);
                    }
                }
                _ => {}
            }
        }
        steps.finish()
    }

    fn convert_receive(
        &mut self,
        steps: &mut SiteSteps,
        moves: &Moves,
        own_request: Option<SymbolId>,
        stores_error: bool,
    ) {
        let site = steps.site;
        let request = match own_request {
            Some(symbol) => NewVariable::RequestOf(symbol),
            None => NewVariable::ReceiveRequest(next(&mut self.receives, site.procedure)),
        };
        let is_blocking = own_request.is_none();
        let waits_in_place = is_blocking && !matches!(moves.sunk, Some(Ok(_)));
        let mut is_posted_in_place = true;
        match &moves.hoisted {
            Some(Ok(hoisted)) => {
                is_posted_in_place = false;
                let operation = StepOperation::PostReceive { request, stores_error: false };
                steps.push(Position::Before(hoisted.before), hoisted.guard, operation);
                let work = self.line(site, hoisted.above);
                steps.act(Transformation::HoistReceive, format!("posted early, before the work at line {work}"));
            }
            Some(Err(reason)) => steps.miss(Transformation::HoistReceive, reason),
            None => {}
        }
        if is_posted_in_place {
            steps.in_place(StepOperation::PostReceive { request, stores_error: stores_error && !waits_in_place });
        } else if !waits_in_place {
            steps.in_place(StepOperation::StoreSuccess);
        }
        if !is_blocking {
            return;
        }
        let wait = |error_of| StepOperation::Wait {
            request,
            buffer_of: site.statement,
            status_of: Some(site.statement),
            error_of,
        };
        match &moves.sunk {
            Some(Ok(sunk)) => {
                steps.push(Position::After(sunk.after), None, wait(None));
                let work = self.line(site, sunk.after);
                steps.act(Transformation::SinkWait, format!("waited for only after the work at line {work}"));
            }
            Some(Err(reason)) => steps.miss(Transformation::SinkWait, reason),
            None => {}
        }
        if waits_in_place {
            steps.in_place(wait(stores_error.then_some(site.statement)));
        }
    }

    fn convert_send(
        &mut self,
        steps: &mut SiteSteps,
        moves: &Moves,
        own_request: Option<SymbolId>,
        stores_error: bool,
    ) {
        let site = steps.site;
        let number = next(&mut self.sends, site.procedure);
        let request = own_request.map_or(NewVariable::SendRequest(number), NewVariable::RequestOf);
        match &moves.strip_mined {
            Some(Ok(found)) => self.strip_mine(steps, found, number, request, stores_error),
            other => {
                if let Some(Err(reason)) = other {
                    steps.miss(Transformation::StripMineProducer, reason);
                }
                steps.in_place(StepOperation::PostSend { request, stores_error });
            }
        }
        if own_request.is_some() {
            return;
        }
        let wait = StepOperation::Wait { request, buffer_of: site.statement, status_of: None, error_of: None };
        match &moves.sunk {
            Some(Ok(sunk)) => {
                if let Some(branch) = sunk.left_branch {
                    steps.push(Position::Before(branch), None, StepOperation::ClearRequest { request });
                }
                steps.push(Position::After(sunk.after), None, wait);
                let work = self.line(site, sunk.after);
                steps.act(Transformation::SinkWait, format!("waited for only after the work at line {work}"));
            }
            other => {
                if let Some(Err(reason)) = other {
                    steps.miss(Transformation::SinkWait, reason);
                }
                steps.in_place(wait);
            }
        }
    }

    fn strip_mine(
        &mut self,
        steps: &mut SiteSteps,
        found: &StripMined,
        number: usize,
        request: NewVariable,
        stores_error: bool,
    ) {
        let site = steps.site;
        let transfer = NewVariable::Transfer(number);
        let before_loop = Position::Before(found.loop_statement);
        if found.guard.is_some() {
            steps.push(before_loop, None, StepOperation::ClearTransfer { transfer });
        }
        steps.push(before_loop, found.guard, StepOperation::OpenTransfer { transfer });
        let strip_mine = StripMine {
            loop_statement: found.loop_statement,
            transfer,
            number: next(&mut self.loops, site.procedure),
            elements_per_iteration: found.elements_per_iteration.clone(),
            keeps_variable: found.keeps_variable,
        };
        steps.push(Position::Replace(found.loop_statement), None, StepOperation::StripMine(strip_mine));
        steps.in_place(StepOperation::SendFin { transfer, request, stores_error });
        let line = self.line(site, found.loop_statement);
        let text = format!("sent tile by tile while the loop at line {line} fills the message");
        steps.act(Transformation::StripMineProducer, text);
    }

    fn convert_wait(&mut self, steps: &mut SiteSteps, moves: &Moves, symbol: SymbolId, stores_error: bool) {
        let site = steps.site;
        let request = NewVariable::RequestOf(symbol);
        let Some(post) = self.post_of(site, symbol) else {
            return;
        };
        let wait = |error_of| StepOperation::Wait {
            request,
            buffer_of: post.statement,
            status_of: Some(site.statement),
            error_of,
        };
        match &moves.sunk {
            Some(Ok(sunk)) => {
                steps.in_place(StepOperation::StoreSuccess);
                steps.push(Position::After(sunk.after), None, wait(None));
                let work = self.line(site, sunk.after);
                steps.act(Transformation::SinkWait, format!("waited for only after the work at line {work}"));
            }
            other => {
                if let Some(Err(reason)) = other {
                    steps.miss(Transformation::SinkWait, reason);
                }
                steps.in_place(wait(stores_error.then_some(site.statement)));
            }
        }
    }

    /// A post of the procedure that makes the request; all of them have the same buffer.
    fn post_of(&self, wait: SiteId, symbol: SymbolId) -> Option<SiteId> {
        self.moves.keys().copied().find(|&site| {
            site.procedure == wait.procedure
                && self.facts.communication(site).is_some_and(|found| found.message().is_some())
                && request_variable(self.facts, site) == Some(symbol)
        })
    }
}

fn next(counters: &mut BTreeMap<ProcedureId, usize>, procedure: ProcedureId) -> usize {
    let counter = counters.entry(procedure).or_insert(0);
    *counter += 1;
    *counter
}
