//! Every store to a variable as a whole, and everything else that may change one.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::calls::{CallSite, call_sites, is_uncertain};
use crate::analysis::effects::{Summaries, blocks_written_beyond};
use crate::analysis::facts::SiteId;
use crate::ir::{
    Callee, Communication, ElementType, Expression, ExpressionKind, Loop, Operation, ProcedureId, Program, StatementId,
    StatementKind, Status, Storage, SymbolClass, SymbolId,
};

/// What is stored.
#[derive(Debug, Clone, Copy)]
pub enum Source<'p> {
    /// The value of an expression of this procedure.
    Expression(ProcedureId, &'p Expression),
    /// The communicator that this call makes.
    Created(SiteId),
    /// What this procedure leaves in its dummy argument.
    Dummy(ProcedureId, SymbolId),
    /// This number, before the program starts.
    Number(i64),
    /// This constant of MPI, before the program starts.
    Constant(&'p str, ElementType),
    /// A null handle.
    Null,
    /// Not known.
    Lost,
}

/// A name of a procedure.
type Name = (ProcedureId, SymbolId);

/// The stores of a program, by the names that they go to.
pub struct Stores<'p> {
    program: &'p Program,
    sources: BTreeMap<Name, Vec<Source<'p>>>,
}

impl<'p> Stores<'p> {
    /// All stores of `program`, those by way of arguments included.
    pub fn of(program: &'p Program) -> Self {
        let calls = call_sites(program);
        let summaries = Summaries::new(program);
        let mut overrun: BTreeSet<String> = BTreeSet::new();
        let mut stores = Self { program, sources: BTreeMap::new() };
        for (procedure, body) in program.procedures() {
            for (index, symbol) in body.symbols.iter().enumerate() {
                if symbol.class == SymbolClass::Variable
                    && let Some(values) = &symbol.initial_values
                {
                    for value in &values.elements {
                        stores.add((procedure, SymbolId(index)), value.map_or(Source::Lost, Source::Number));
                    }
                }
            }
            for (index, symbol) in body.symbols.iter().enumerate() {
                if let Some((name, element)) = &symbol.initial_constant {
                    stores.add((procedure, SymbolId(index)), Source::Constant(name, *element));
                }
            }
            for index in 0..body.statements.len() {
                stores.statement(procedure, StatementId(index));
                overrun.extend(blocks_written_beyond(program, &summaries, procedure, StatementId(index)));
            }
        }
        stores.lose_blocks(&overrun);
        // What is handed down is no store of the procedure that gets it: it comes last.
        stores.results(&calls);
        for site in &calls {
            stores.arguments(site);
        }
        stores
    }

    /// What is stored under each name.
    pub fn into_sources(self) -> BTreeMap<Name, Vec<Source<'p>>> {
        self.sources
    }

    fn add(&mut self, name: Name, source: Source<'p>) {
        self.sources.entry(name).or_default().push(source);
    }

    fn lose(&mut self, procedure: ProcedureId, expression: &Expression) {
        if let Some(symbol) = expression.designated() {
            self.add((procedure, symbol), Source::Lost);
        }
    }

    /// The whole variable, or some part of it, gets a value; elements of an array are not told apart.
    fn store(&mut self, procedure: ProcedureId, target: &Expression, source: Source<'p>) {
        match target.kind {
            ExpressionKind::Symbol(symbol) => self.add((procedure, symbol), source),
            ExpressionKind::Element { array, .. } | ExpressionKind::Section { array, .. } => {
                self.add((procedure, array), source);
            }
            _ => self.lose(procedure, target),
        }
    }

    fn statement(&mut self, procedure: ProcedureId, id: StatementId) {
        let body = self.program.procedure(procedure);
        let kind = &body.statement(id).kind;
        match kind {
            StatementKind::Assign { target, value, .. } => {
                self.store(procedure, target, Source::Expression(procedure, value));
            }
            StatementKind::Loop(Loop { variable, .. }) => self.add((procedure, *variable), Source::Lost),
            StatementKind::Call { callee: Callee::Unknown(_), arguments } => {
                arguments.iter().for_each(|argument| self.lose(procedure, argument));
            }
            StatementKind::Communication(communication) => {
                self.communication(SiteId { procedure, statement: id }, communication);
            }
            StatementKind::InputOutput { writes, .. } => {
                writes.iter().for_each(|written| self.lose(procedure, written));
            }
            StatementKind::Lifetime { variables, .. } => {
                variables.iter().for_each(|variable| self.lose(procedure, variable));
            }
            StatementKind::Opaque(_) => self.lose_everything(procedure),
            _ => {}
        }
        for part in kind.expressions().into_iter().flat_map(Expression::walk) {
            match &part.kind {
                ExpressionKind::Call { callee: Callee::Unknown(_), arguments } => {
                    arguments.iter().for_each(|argument| self.lose(procedure, argument));
                }
                ExpressionKind::Opaque(_) => self.lose_everything(procedure),
                _ => {}
            }
        }
    }

    fn lose_everything(&mut self, procedure: ProcedureId) {
        for index in 0..self.program.procedure(procedure).symbols.len() {
            self.add((procedure, SymbolId(index)), Source::Lost);
        }
    }

    /// Something is stored to members of these COMMON blocks that does not name them.
    fn lose_blocks(&mut self, blocks: &BTreeSet<String>) {
        for (procedure, body) in self.program.procedures() {
            for (index, symbol) in body.symbols.iter().enumerate() {
                if symbol.storage.common_block().is_some_and(|block| blocks.contains(block)) {
                    self.add((procedure, SymbolId(index)), Source::Lost);
                }
            }
        }
    }

    fn communication(&mut self, site: SiteId, communication: &'p Communication) {
        let procedure = site.procedure;
        let mut lost: Vec<&Expression> = Vec::new();
        let status_of = |status: &'p Status| status.variable();
        match &communication.operation {
            Operation::Initialize { accesses } => lost.extend(accesses),
            Operation::Finalize => {}
            Operation::Send { request, .. } => lost.extend(request),
            Operation::Receive { message, request, status } => {
                lost.push(&message.buffer);
                lost.extend(request.iter().chain(status_of(status)));
            }
            Operation::SendReceive { receive, status, .. } => {
                lost.push(&receive.buffer);
                lost.extend(status_of(status));
            }
            Operation::Wait { request, status } => {
                lost.push(request);
                lost.extend(status_of(status));
            }
            Operation::WaitAll { requests, statuses, .. } => {
                lost.push(requests);
                lost.extend(status_of(statuses));
            }
            Operation::Inquiry { writes, .. } => lost.extend(writes),
            Operation::CreateCommunicator { created, .. } => match created.kind {
                ExpressionKind::Symbol(_) => self.store(procedure, created, Source::Created(site)),
                _ => lost.push(created),
            },
            Operation::Other { arguments, only_read, .. } => {
                let ends = ["mpi_comm_free", "mpi_comm_disconnect"].contains(&communication.routine.as_str());
                for (index, argument) in arguments.iter().enumerate() {
                    if only_read.contains(&index) {
                        continue;
                    }
                    if ends && communication.error.as_ref() != Some(argument) {
                        self.store(procedure, argument, Source::Null);
                    } else {
                        lost.push(argument);
                    }
                }
            }
        }
        lost.extend(&communication.error);
        lost.into_iter().for_each(|expression| self.lose(procedure, expression));
    }

    /// What a call hands down.
    fn arguments(&mut self, site: &CallSite<'p>) {
        let dummies = &self.program.procedure(site.callee).dummies;
        for (argument, &dummy) in site.arguments.iter().zip(dummies) {
            self.add((site.callee, dummy), Source::Expression(site.caller, argument));
        }
    }

    /// What calls leave in the variables that are their arguments.
    fn results(&mut self, calls: &[CallSite<'p>]) {
        let written = self.written_dummies(calls);
        for site in calls {
            let callee = self.program.procedure(site.callee);
            for (position, argument) in site.arguments.iter().enumerate() {
                match callee.dummies.get(position) {
                    Some(&dummy) if written.contains(&(site.callee, dummy)) => {
                        self.store(site.caller, argument, Source::Dummy(site.callee, dummy));
                    }
                    Some(_) => {}
                    None => self.lose(site.caller, argument),
                }
            }
        }
    }

    /// The dummy arguments through which a procedure may change its caller's variables.
    fn written_dummies(&self, calls: &[CallSite<'p>]) -> BTreeSet<Name> {
        let mut written = BTreeSet::new();
        for (procedure, body) in self.program.procedures() {
            for &dummy in &body.dummies {
                let symbol = body.symbol(dummy);
                let is_plain = symbol.storage == Storage::Dummy && !symbol.target && !is_uncertain(body);
                // One with a value of its own is local.
                let is_reference = symbol.storage != Storage::Local || is_uncertain(body);
                if is_reference && (!is_plain || self.sources.contains_key(&(procedure, dummy))) {
                    written.insert((procedure, dummy));
                }
            }
        }
        loop {
            let before = written.len();
            for site in calls {
                let (caller, callee) = (self.program.procedure(site.caller), self.program.procedure(site.callee));
                for (position, argument) in site.arguments.iter().enumerate() {
                    let is_written = match callee.dummies.get(position) {
                        Some(&dummy) => written.contains(&(site.callee, dummy)),
                        None => true,
                    };
                    if let Some(symbol) = argument.designated().filter(|_| is_written)
                        && caller.dummies.contains(&symbol)
                        && caller.symbol(symbol).storage != Storage::Local
                    {
                        written.insert((site.caller, symbol));
                    }
                }
            }
            if written.len() == before {
                return written;
            }
        }
    }
}
