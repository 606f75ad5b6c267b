//! Turns what the transformations found for a site into the steps of the plan.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::{Facts, SiteId};
use crate::ir::{Communication, Direction, Expression, Line, Operation, ProcedureId, StatementId, SymbolId};
use crate::plan::{
    Action, MessageOf, Missed, NewVariable, Outcome, Position, Protocol, Reason, RequestPlace, Step, StepOperation,
    StripMine, TiledLoop, Transformation, WaitInTiles,
};
use crate::transform::found::{AllMoves, Boundary, ConsumerTiles, EarlySend, InLoop, Moves, StripMined, WaitPlace};

use super::rules::awaited_buffers::is_named_at_wait;
use super::rules::replacement::is_replacement;
use crate::directives::Directives;

mod completion;
mod early_values;
mod late_waits;
mod receive;
mod waits_in_callees;

use early_values::EarlyComputations;
use waits_in_callees::Incoming;
pub use waits_in_callees::drop_needless_nulls;

/// Writes the steps, and numbers the new variables of each procedure.
pub struct Conversion<'a> {
    facts: &'a Facts<'a>,
    moves: &'a AllMoves,
    directives: &'a Directives,
    /// The members of classes whose messages are announced by their producers.
    announced: &'a BTreeSet<SiteId>,
    receives: BTreeMap<ProcedureId, usize>,
    sends: BTreeMap<ProcedureId, usize>,
    late_waits: BTreeMap<ProcedureId, usize>,
    awaited: BTreeMap<ProcedureId, usize>,
    /// The waits in each procedure for what its callers have begun.
    in_callees: BTreeMap<ProcedureId, Vec<Incoming>>,
    loops: BTreeMap<ProcedureId, Vec<StatementId>>,
    /// What is computed further up than by the program.
    early: EarlyComputations,
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
        // The same may be done for several calls of the procedure.
        if !self.actions.iter().any(|known| known.transformation == transformation && known.text == text) {
            self.actions.push(Action { transformation, text });
        }
    }

    fn miss(&mut self, transformation: Transformation, reason: &Reason) {
        let missed = Missed { transformation, reason: reason.clone() };
        // The same may keep several requests of one call.
        if !self.missed.contains(&missed) {
            self.missed.push(missed);
        }
    }

    fn finish(self, protocol: Protocol) -> Outcome {
        Outcome::Transformed { protocol, actions: self.actions, missed: self.missed, steps: self.steps }
    }
}

/// Which way an operation would go back to where the program has it.
#[derive(Debug, Clone, Copy)]
enum WayBack {
    /// Up: it has gone down.
    Up,
    /// Down: it has gone up.
    Down,
}

impl<'a> Conversion<'a> {
    /// Nothing is numbered yet.
    pub fn new(
        facts: &'a Facts<'a>,
        moves: &'a AllMoves,
        directives: &'a Directives,
        announced: &'a BTreeSet<SiteId>,
    ) -> Self {
        Self {
            facts,
            moves,
            directives,
            announced,
            receives: BTreeMap::new(),
            sends: BTreeMap::new(),
            late_waits: BTreeMap::new(),
            awaited: BTreeMap::new(),
            in_callees: BTreeMap::new(),
            loops: BTreeMap::new(),
            early: EarlyComputations::default(),
        }
    }

    fn line(&self, site: SiteId, statement: StatementId) -> Line {
        self.facts.program.line_named(self.facts.procedure(site.procedure).statement(statement).span)
    }

    /// Where a statement of another procedure stands, in words for the report about a site of `procedure`.
    fn place_in(&self, other: ProcedureId, statement: StatementId, procedure: ProcedureId) -> String {
        let span = self.facts.procedure(other).statement(statement).span;
        let program = self.facts.program;
        if span.file == self.facts.procedure(procedure).span.file {
            return format!("line {}", program.line_named(span));
        }
        format!("{}:{}", program.path_of(span).display(), program.line(span))
    }

    fn protocol(&self, site: SiteId) -> Protocol {
        if self.announced.contains(&site) { Protocol::ProducerInitiated } else { Protocol::ConsumerInitiatedWrite }
    }

    /// The outcome for a member of a class that converts.
    pub fn convert(&mut self, site: SiteId) -> Outcome {
        let mut steps = SiteSteps::new(site);
        if let (Some(communication), Some(moves)) = (self.facts.communication(site), self.moves.get(&site)) {
            let stores_error = communication.error.is_some();
            match &communication.operation {
                Operation::Receive { request, .. } => {
                    self.convert_receive(&mut steps, moves, request.as_ref(), stores_error);
                }
                Operation::Send { request, .. } => {
                    self.convert_send(&mut steps, moves, request.as_ref(), stores_error);
                }
                Operation::SendReceive { .. } => self.convert_send_receive(&mut steps, moves, stores_error),
                Operation::Wait { request, .. } => self.convert_wait(&mut steps, moves, request, stores_error),
                Operation::WaitAll { requests, .. } => {
                    self.convert_wait_all(&mut steps, moves, requests, stores_error);
                }
                Operation::Complete { count, requests, .. } => {
                    self.convert_completion(&mut steps, count.is_some(), requests, stores_error);
                }
                Operation::Prepare { .. } => {
                    let protocol = self.protocol(site);
                    steps.in_place(StepOperation::Prepare { protocol, stores_error });
                }
                Operation::Start { count, requests } => {
                    self.convert_start(&mut steps, count.is_some(), requests, stores_error);
                }
                Operation::Release { .. } => steps.in_place(StepOperation::Release { stores_error }),
                _ if communication.has_twin() => steps.in_place(StepOperation::CallTwin),
                _ => {}
            }
        }
        if let Some(moves) = self.moves.get(&site) {
            moves.waits.missed.iter().for_each(|missed| steps.miss(missed.transformation, &missed.reason));
        }
        steps.finish(self.protocol(site))
    }

    /// Where the request is that the call at `site` names: in a variable of its own, where it shares the program's with other
    /// operations.
    fn own_place(&self, request: &Expression, site: SiteId) -> RequestPlace {
        let separate = |symbol: &SymbolId| self.facts.procedure(site.procedure).separate_requests.contains(symbol);
        match request.designated().filter(separate) {
            Some(symbol) => RequestPlace::New(NewVariable::SeparateRequest(symbol)),
            None => RequestPlace::OfCall(site.statement),
        }
    }

    /// What a message is hidden behind, with a word for it: the computation nearest to `outermost`, which the operation has
    /// passed last, on the way `back` to where it stood, else that communication.
    fn hidden_behind(
        &self,
        outermost: SiteId,
        back: WayBack,
        from: Option<StatementId>,
    ) -> (&'static str, StatementId) {
        let SiteId { procedure, statement } = outermost;
        let body = self.facts.procedure(procedure);
        let (block, index) = body.siblings(statement);
        let passed: Vec<StatementId> = match back {
            WayBack::Up => block[..=index].iter().rev().copied().collect(),
            WayBack::Down => block[index..].to_vec(),
        };
        let is_begin = |id: &StatementId| from.is_some_and(|from| body.with_descendants(*id).contains(&from));
        let mut passed = passed.into_iter().take_while(|id| !is_begin(id));
        match passed.find(|&statement| self.facts.computes(SiteId { procedure, statement })) {
            Some(work) => ("work", work),
            None if self.facts.computes(outermost) => ("work", statement),
            None => ("communication", statement),
        }
    }

    /// A wait where it was sunk to, or in its place. The report says what is waited for with the words `subject`.
    fn wait(
        &mut self,
        steps: &mut SiteSteps,
        place: &Option<Result<WaitPlace, Reason>>,
        subject: &str,
        operation: impl Fn(bool) -> StepOperation,
    ) {
        match place {
            Some(Ok(WaitPlace::InCallers(late))) => self.wait_in_callers(steps, late, subject, operation(false)),
            Some(Ok(WaitPlace::InCallee(found))) => match operation(false) {
                StepOperation::Wait { request, buffer_of: Some(buffer_of), .. } => {
                    self.wait_in_callee(steps, found, subject, (request, buffer_of), true);
                }
                _ => steps.in_place(operation(true)),
            },
            Some(Ok(WaitPlace::Own(sunk))) => {
                let mut moved = operation(false);
                if let (Some(place), StepOperation::Wait { request, .. }) = (sunk.null_before, &mut moved) {
                    *request = self.out_of_branch(steps, *request);
                    let clear = StepOperation::ClearRequest { request: *request };
                    steps.push(Position::Before(place), None, clear);
                }
                let line = self.line(steps.site, sunk.after);
                let own = steps.site.statement;
                let (transformation, what) = match &sunk.in_loop {
                    None => {
                        let outermost = SiteId { statement: sunk.after, ..steps.site };
                        let (what, behind) = self.hidden_behind(outermost, WayBack::Up, Some(own));
                        let line = self.line(steps.site, behind);
                        (Transformation::SinkWait, format!("waited for only after the {what} at line {line}"))
                    }
                    Some(InLoop::Boundary(boundary)) => {
                        let of_loop = SiteId { statement: sunk.after, ..steps.site };
                        let split = self.split_loop(of_loop, boundary, moved);
                        steps.push(Position::Replace(sunk.after), None, split);
                        let asserted = self.asserted_independence(steps.site, sunk.after);
                        let last = boundary.last_part();
                        let what = format!("waited for after all but {last} of the loop at line {line}{asserted}");
                        steps.act(Transformation::SplitLoop, format!("{subject}{what}"));
                        return;
                    }
                    Some(InLoop::Tiles(tiles)) => {
                        self.wait_in_tiles(steps, sunk.after, tiles, moved);
                        let what = format!("waited for tile by tile in the loop at line {line}");
                        let what = what + &self.asserted_independence(steps.site, sunk.after);
                        steps.act(Transformation::StripMineConsumer, format!("{subject}{what}"));
                        return;
                    }
                };
                steps.push(Position::After(sunk.after), None, moved);
                steps.act(transformation, format!("{subject}{what}"));
            }
            other => {
                if let Some(Err(reason)) = other {
                    steps.miss(Transformation::SinkWait, reason);
                }
                steps.in_place(operation(true));
            }
        }
    }

    /// Where the branch is not taken that a wait leaves, its request is null. The program's own variable holds what the program has
    /// left there, so that its request moves into another one.
    fn out_of_branch(&mut self, steps: &mut SiteSteps, request: RequestPlace) -> RequestPlace {
        if request.new_variable().is_some() {
            return request;
        }
        let to = scalar(NewVariable::AwaitedRequest(next(&mut self.awaited, steps.site.procedure)));
        steps.in_place(StepOperation::HandOverRequest { from: request, to, leaves_null: true });
        to
    }

    fn convert_send(
        &mut self,
        steps: &mut SiteSteps,
        moves: &Moves,
        own_request: Option<&Expression>,
        stores_error: bool,
    ) {
        let site = steps.site;
        let number = next(&mut self.sends, site.procedure);
        let own_place = own_request.map(|request| self.own_place(request, site));
        let request = match own_place.filter(|_| moves.sent_early.is_none()) {
            Some(place) => place,
            None => self.request_of_send(site.procedure, number, &moves.waits.sunk),
        };
        match moves.sent_early {
            Some(early) => self.send_early(steps, early, request, own_place, stores_error),
            None => self.post_send(steps, moves, number, request, stores_error),
        }
        if own_request.is_none() {
            let mut place = moves.waits.sunk.clone();
            if let (Some(EarlySend { guard: Some(_), .. }), Some(Ok(WaitPlace::Own(sunk)))) =
                (moves.sent_early, &mut place)
            {
                // It is made null before it is sent.
                sunk.null_before = None;
            }
            self.wait_for_send(steps, &place, "", request);
        }
    }

    /// Sends a message where it is complete; the request takes its place in the program's own where the call was.
    fn send_early(
        &mut self,
        steps: &mut SiteSteps,
        EarlySend { before, guard }: EarlySend,
        request: RequestPlace,
        own_place: Option<RequestPlace>,
        stores_error: bool,
    ) {
        let site = steps.site;
        if let Some(Err(reason)) = self.moves.get(&site).and_then(|moves| moves.strip_mined.as_ref()) {
            steps.miss(Transformation::StripMineProducer, reason);
        }
        if guard.is_some() {
            steps.push(Position::Before(before), None, StepOperation::ClearRequest { request });
        }
        let protocol = self.protocol(site);
        let post = StepOperation::PostSend { request, protocol, from_copy: false, stores_error: false };
        steps.push(Position::Before(before), guard, post);
        if let Some(to) = own_place {
            steps.in_place(StepOperation::HandOverRequest { from: request, to, leaves_null: false });
        }
        if stores_error || own_place.is_none() {
            steps.in_place(StepOperation::StoreSuccess);
        }
        let outermost = SiteId { statement: before, ..site };
        let (what, behind) = self.hidden_behind(outermost, WayBack::Down, Some(site.statement));
        let line = self.line(site, behind);
        steps.act(Transformation::HoistSend, format!("sent early, before the {what} at line {line}"));
    }

    /// Sends a message, tile by tile or at once.
    fn post_send(
        &mut self,
        steps: &mut SiteSteps,
        moves: &Moves,
        number: usize,
        request: RequestPlace,
        stores_error: bool,
    ) {
        match &moves.strip_mined {
            Some(Ok(found)) => self.strip_mine(steps, found, number, request, stores_error),
            other => {
                if let Some(Err(reason)) = other {
                    steps.miss(Transformation::StripMineProducer, reason);
                }
                let from_copy = self.facts.communication(steps.site).is_some_and(is_replacement);
                let protocol = self.protocol(steps.site);
                steps.in_place(StepOperation::PostSend { request, protocol, from_copy, stores_error });
            }
        }
    }

    /// The wait of a send that was a blocking one.
    fn wait_for_send(
        &mut self,
        steps: &mut SiteSteps,
        place: &Option<Result<WaitPlace, Reason>>,
        subject: &str,
        request: RequestPlace,
    ) {
        let is_named = is_named_at_wait(self.facts, steps.site, Direction::Sent);
        let buffer_of = is_named.then(|| MessageOf::own(steps.site.statement, Direction::Sent));
        let operation =
            |_| StepOperation::Wait { request, buffer_of, status: None, error_of: None, is_for_call: false };
        self.wait(steps, place, subject, operation);
    }

    /// The receive is posted before the message is sent, so that neither waits for the other; where it is posted into the
    /// buffer of what is sent, only behind it.
    fn convert_send_receive(&mut self, steps: &mut SiteSteps, moves: &Moves, stores_error: bool) {
        let procedure = steps.site.procedure;
        if self.facts.communication(steps.site).is_some_and(Communication::is_exchange) {
            steps.act(Transformation::DecomposeAlltoall, "a message from and to each process".into());
        }
        let received = self.request_of_receive(procedure, moves);
        let number = next(&mut self.sends, procedure);
        let sent = self.request_of_send(procedure, number, &moves.waits.sunk_send);
        let waits_in_place = !matches!(moves.waits.sunk, Some(Ok(_)));
        let stores_at_send = stores_error && !waits_in_place;
        if self.facts.communication(steps.site).is_some_and(is_replacement) {
            self.post_send(steps, moves, number, sent, stores_at_send);
            self.post_receive(steps, moves, received, false);
        } else {
            self.post_receive(steps, moves, received, false);
            self.post_send(steps, moves, number, sent, stores_at_send);
        }
        self.wait_for_receive(steps, moves, received, stores_error);
        self.wait_for_send(steps, &moves.waits.sunk_send, "the send is ", sent);
    }

    fn strip_mine(
        &mut self,
        steps: &mut SiteSteps,
        found: &StripMined,
        number: usize,
        request: RequestPlace,
        stores_error: bool,
    ) {
        let site = steps.site;
        let transfer = NewVariable::Transfer(number);
        let before_loop = Position::Before(found.loop_statement);
        if found.guard.is_some() {
            steps.push(before_loop, None, StepOperation::ClearTransfer { transfer });
        }
        let early = self.compute_early(steps, (site, found.loop_statement), found.guard, &found.early);
        let protocol = self.protocol(site);
        steps.push(before_loop, found.guard, StepOperation::OpenTransfer { transfer, protocol, early });
        let tile = self.directives.tile(site.procedure, found.loop_statement);
        let tiled = TiledLoop {
            number: self.loop_number(site.procedure, found.loop_statement),
            keeps_variable: found.keeps_variable,
            any_tile_length: found.any_tile_length,
        };
        let strip_mine = StripMine {
            tiled,
            transfer,
            sequences: found.sequences.clone(),
            elements_per_iteration: found.elements_per_iteration.clone(),
            tile: tile.map(|(iterations, _)| iterations),
        };
        steps.push(Position::Replace(found.loop_statement), None, StepOperation::StripMine(strip_mine));
        steps.in_place(StepOperation::SendFin { transfer, request, stores_error });
        let line = self.line(site, found.loop_statement);
        let mut text = format!("sent tile by tile while the loop at line {line} fills the message");
        text.push_str(&self.told_of_early(site, &found.early));
        text.push_str(&self.asserted_independence(site, found.loop_statement));
        if let Some((iterations, directive)) = tile {
            let asked_at = self.facts.program.line_named(directive);
            text.push_str(&format!(", {iterations} iterations per tile, as line {asked_at} asks"));
        }
        steps.act(Transformation::StripMineProducer, text);
    }

    /// Words for the report about a loop whose iterations the user asserts to be independent.
    fn asserted_independence(&self, site: SiteId, loop_statement: StatementId) -> String {
        let directive = self.directives.asserting_independence(site.procedure, loop_statement);
        let line = directive.map(|span| self.facts.program.line_named(span));
        line.map_or_else(String::new, |line| format!(", whose iterations line {line} asserts to be independent"))
    }

    /// The number of a loop that is cut; one that serves several messages is cut once.
    fn loop_number(&mut self, procedure: ProcedureId, statement: StatementId) -> usize {
        let loops = self.loops.entry(procedure).or_default();
        let known = loops.iter().position(|&known| known == statement);
        1 + known.unwrap_or_else(|| {
            loops.push(statement);
            loops.len() - 1
        })
    }

    /// The loop is split, and `wait` stands between its parts.
    fn split_loop(&mut self, of_loop: SiteId, boundary: &Boundary, wait: StepOperation) -> StepOperation {
        let number = self.loop_number(of_loop.procedure, of_loop.statement);
        let &Boundary { depth, keeps_variable, any_part_length } = boundary;
        StepOperation::SplitLoop { number, depth, keeps_variable, any_part_length, wait: Box::new(wait) }
    }

    fn wait_in_tiles(
        &mut self,
        steps: &mut SiteSteps,
        loop_statement: StatementId,
        tiles: &ConsumerTiles,
        wait: StepOperation,
    ) {
        let StepOperation::Wait { request, buffer_of, .. } = wait else {
            // What has no parts is waited for as a whole.
            steps.push(Position::Before(loop_statement), None, wait);
            return;
        };
        let tiled = TiledLoop {
            number: self.loop_number(steps.site.procedure, loop_statement),
            keeps_variable: tiles.keeps_variable,
            any_tile_length: tiles.any_tile_length,
        };
        let (variable, needed) = (tiles.variable, tiles.needed.clone());
        let wait = Box::new(wait);
        let in_tiles = WaitInTiles { tiled, request, buffer_of, variable, needed, wait };
        steps.push(Position::Replace(loop_statement), None, StepOperation::WaitInTiles(in_tiles));
    }
}

fn scalar(variable: NewVariable) -> RequestPlace {
    RequestPlace::New(variable)
}

fn next(counters: &mut BTreeMap<ProcedureId, usize>, procedure: ProcedureId) -> usize {
    *counters.entry(procedure).and_modify(|last| *last += 1).or_insert(1)
}
