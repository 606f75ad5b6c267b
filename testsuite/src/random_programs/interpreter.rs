//! Runs a program on some ranks, and says what it prints or why it is not a correct program.
//!
//! It is strict: a standard send of more than [`BUFFERED`] bytes ends only when it is received, so a program that gets
//! through here gets through with every MPI; a buffer must not be touched while it is pending; nothing may be used before
//! it has a value; all requests are waited for and all messages received. A receive from any source must not have a
//! choice. What MPI and the host compiler then make of the program is compared with what is printed here.

mod calls;
mod communication;
mod datatypes;
mod places;
mod requests;
mod values;

use std::collections::BTreeMap;

use self::calls::Binding;
use self::datatypes::Made;
use self::places::Places;
use self::requests::{Order, RequestBinding, RequestKey};
use super::messages::{Messages, OperationId};
use super::program::{
    Arguments, Array, ArrayId, Communication, Completion, CompletionKind, Condition, DatatypeCall, DatatypeId, Element,
    Expression, HandedPart, HandedRequests, Home, Index, Interface, Layout, MadeOf, Message, Operator, ProcedureId,
    Program, RESULTS, Relation, RequestHome, RequestId, RequestPlace, ScalarId, SendMode, Statement, Value,
};

/// Sends up to this length end at once with every MPI.
pub const BUFFERED: usize = 1024;
/// Statements that a rank may execute.
const MOST_STEPS: usize = 600_000;
/// Calls of MPI that a rank may make, and lines that it may print: each may cost a time slice of a busy machine.
const MOST_CALLS: usize = 200;
/// Stands for the process that nobody is.
const NO_PROCESS: i64 = i64::MIN;
/// Integers of the program are this large at most.
const MOST: i64 = i32::MAX as i64;
/// Stands for tag 0, and so on: programs in one file have tags of their own, so what is written is not known here, and only a
/// message may use it.
const TAGS: i64 = 1 << 40;

/// Why a program is not correct.
pub type Invalid = &'static str;

/// What a program prints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed {
    /// What rank 0 has printed on the way, as bits.
    pub notes: Vec<u64>,
    /// The results of every rank, as bits.
    pub results: Vec<Vec<u64>>,
}

/// Runs the program on so many ranks. What it prints must not depend on which of several operations MPI says first that
/// they are over: it is run in each of some orders.
///
/// # Errors
/// Why the program is not correct.
pub fn interpret(program: &Program, ranks: usize) -> Result<Printed, Invalid> {
    let [first, others @ ..] = Order::ALL;
    let printed = interpret_in(program, ranks, first)?;
    let depends = |statement: &Statement| matches!(statement, Statement::Communicate(Communication::Complete(_)));
    if program.any(&depends) {
        for order in others {
            if interpret_in(program, ranks, order)? != printed {
                return Err("what is printed depends on the order in which operations end");
            }
        }
    }
    Ok(printed)
}

fn interpret_in(program: &Program, ranks: usize, order: Order) -> Result<Printed, Invalid> {
    let mut messages = Messages::new(ranks);
    let mut processes: Vec<Process> = (0..ranks).map(|rank| Process::new(program, (rank, ranks), order)).collect();
    while !processes.iter().all(Process::is_over) {
        let mut has_progressed = false;
        for rank in order.of_ranks(ranks) {
            let process = &mut processes[rank];
            let tests = process.tests;
            while (!order.takes_turns() || process.tests == tests) && process.can_go_on(&mut messages, false)? {
                process.step(&mut messages)?;
                has_progressed = true;
            }
        }
        if processes.iter().all(|process| process.in_barrier) {
            processes.iter_mut().for_each(|process| process.in_barrier = false);
            has_progressed = true;
        }
        for process in &mut processes {
            if !has_progressed && process.can_go_on(&mut messages, true)? {
                has_progressed = true;
            }
        }
        if !has_progressed {
            return Err("deadlock");
        }
    }
    messages.check_end()?;
    let results = |process: &Process| process.memory[RESULTS].iter().flatten().map(|value| value.to_bits()).collect();
    Ok(Printed { notes: processes[0].notes.clone(), results: processes.iter().map(results).collect() })
}

/// Where a process is in a block.
struct Cursor<'p> {
    block: &'p [Statement],
    next: usize,
    kind: CursorKind,
}

enum CursorKind {
    Branch,
    Loop { variable: ScalarId, value: i64, step: i64, trips_left: i64 },
    Unit(Option<ProcedureId>),
}

/// A buffer that MPI may use.
struct Pending {
    operation: OperationId,
    root: ArrayId,
    places: Places,
    element: Element,
    is_receive: bool,
    request: Option<RequestKey>,
    /// The unit in which the variable of the request lives.
    unit: Option<ProcedureId>,
}

struct Process<'p> {
    program: &'p Program,
    rank: usize,
    ranks: usize,
    cursors: Vec<Cursor<'p>>,
    steps: usize,
    calls: usize,
    memory: Vec<Vec<Option<f64>>>,
    scalars: Vec<Option<f64>>,
    bindings: Vec<Option<Binding>>,
    /// Scalars that must not change: loop variables, and those that are arguments of a call.
    frozen: Vec<ScalarId>,
    pending: Vec<Pending>,
    /// Requests that have a value, with the unit that they live in.
    requests: BTreeMap<RequestKey, Option<ProcedureId>>,
    request_bindings: Vec<Option<RequestBinding>>,
    datatypes: Vec<Option<Made>>,
    datatype_bindings: Vec<Option<DatatypeId>>,
    waiting: Vec<OperationId>,
    /// It waits for any or some of several operations.
    choosing: Option<&'p Completion>,
    order: Order,
    /// How many tests it has made.
    tests: usize,
    in_barrier: bool,
    /// What MPI_Get_count says.
    received: Option<(Element, i64)>,
    notes: Vec<u64>,
}

impl<'p> Process<'p> {
    fn new(program: &'p Program, (rank, ranks): (usize, usize), order: Order) -> Self {
        let mut memory: Vec<Vec<Option<f64>>> = program.arrays.iter().map(|array| vec![None; array.length]).collect();
        memory[RESULTS].fill(Some(0.0));
        Self {
            program,
            rank,
            ranks,
            cursors: vec![Cursor { block: &program.body, next: 0, kind: CursorKind::Unit(None) }],
            steps: 0,
            calls: 0,
            memory,
            scalars: vec![None; program.scalars.len()],
            bindings: vec![None; program.arrays.len()],
            frozen: Vec::new(),
            pending: Vec::new(),
            requests: BTreeMap::new(),
            request_bindings: vec![None; program.requests.len()],
            datatypes: vec![None; program.datatypes.len()],
            datatype_bindings: vec![None; program.datatypes.len()],
            waiting: Vec::new(),
            choosing: None,
            order,
            tests: 0,
            in_barrier: false,
            received: None,
            notes: Vec::new(),
        }
    }

    fn is_over(&self) -> bool {
        self.cursors.is_empty()
    }

    /// Ends what the process has waited for, if it is over; says whether the process can go on. `is_idle`: nobody else can.
    fn can_go_on(&mut self, messages: &mut Messages, is_idle: bool) -> Result<bool, Invalid> {
        if self.is_over() || self.in_barrier || !self.waiting.iter().all(|&operation| messages.is_over(operation)) {
            return Ok(false);
        }
        if let Some(completion) = self.choosing {
            if !self.can_choose(messages, is_idle)? {
                return Ok(false);
            }
            self.choose(completion, messages)?;
        }
        for operation in std::mem::take(&mut self.waiting) {
            self.end(operation, messages)?;
        }
        Ok(true)
    }

    /// Ends an operation that is over.
    fn end(&mut self, operation: OperationId, messages: &mut Messages) -> Result<(), Invalid> {
        let Some(place) = self.pending.iter().position(|pending| pending.operation == operation) else {
            return Err("an operation is waited for twice");
        };
        let pending = self.pending.remove(place);
        if pending.is_receive {
            let data = messages.take_received(operation).unwrap_or_default();
            self.received = Some((pending.element, i64::try_from(data.len()).unwrap_or(0)));
            for (place, value) in pending.places.iter().zip(data) {
                self.memory[pending.root][place] = Some(value);
            }
        }
        Ok(())
    }

    fn unit(&self) -> Option<ProcedureId> {
        self.cursors.iter().rev().find_map(|cursor| match cursor.kind {
            CursorKind::Unit(unit) => Some(unit),
            _ => None,
        })?
    }

    fn step(&mut self, messages: &mut Messages) -> Result<(), Invalid> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err("it takes too long");
        }
        let Some(cursor) = self.cursors.last_mut() else { return Ok(()) };
        let Some(statement) = cursor.block.get(cursor.next) else {
            return self.end_block();
        };
        cursor.next += 1;
        self.execute(statement, messages)
    }

    fn end_block(&mut self) -> Result<(), Invalid> {
        let Some(cursor) = self.cursors.last_mut() else { return Ok(()) };
        match &mut cursor.kind {
            CursorKind::Branch => {
                self.cursors.pop();
            }
            CursorKind::Loop { variable, value, step, trips_left } => {
                *value += *step;
                *trips_left -= 1;
                let (variable, value, ends) = (*variable, *value, *trips_left == 0);
                cursor.next = 0;
                self.scalars[variable] = Some(value as f64);
                if ends {
                    self.leave_loop();
                }
            }
            CursorKind::Unit(unit) => {
                let unit = *unit;
                self.leave_unit(unit)?;
            }
        }
        Ok(())
    }

    /// Leaves the innermost loop and everything in it.
    fn leave_loop(&mut self) {
        while let Some(cursor) = self.cursors.pop() {
            if let CursorKind::Loop { variable, .. } = cursor.kind {
                if let Some(place) = self.frozen.iter().rposition(|&frozen| frozen == variable) {
                    self.frozen.remove(place);
                }
                return;
            }
        }
    }

    fn leave_unit(&mut self, unit: Option<ProcedureId>) -> Result<(), Invalid> {
        while let Some(cursor) = self.cursors.pop() {
            match cursor.kind {
                CursorKind::Loop { .. } => {
                    self.frozen.pop();
                }
                CursorKind::Unit(_) => break,
                CursorKind::Branch => {}
            }
        }
        if self.pending.iter().any(|pending| pending.unit == unit) {
            return Err("a request is lost");
        }
        self.received = None;
        let Some(procedure) = unit else { return Ok(()) };
        let ends = |pending: &Pending| self.program.arrays[pending.root].home == Home::Procedure(procedure);
        if self.pending.iter().any(ends) {
            return Err("a pending buffer ends");
        }
        self.requests.retain(|_, owner| *owner != unit);
        // The scalars that were its actual arguments may change again: they were frozen behind a mark.
        while self.frozen.pop().is_some_and(|frozen| frozen != usize::MAX) {}
        self.unbind(procedure);
        Ok(())
    }

    fn execute(&mut self, statement: &'p Statement, messages: &mut Messages) -> Result<(), Invalid> {
        if matches!(statement, Statement::Communicate(_) | Statement::Print(_)) {
            self.calls += 1;
            if self.calls > MOST_CALLS {
                return Err("it communicates too often");
            }
        }
        match statement {
            Statement::Loop { variable, lower, upper, step, body } => {
                let (lower, upper) = (self.integer(lower)?, self.integer(upper)?);
                let trips = ((upper - lower + step) / step).max(0);
                self.set(*variable, lower as f64)?;
                if trips > 0 {
                    self.frozen.push(*variable);
                    let kind = CursorKind::Loop { variable: *variable, value: lower, step: *step, trips_left: trips };
                    self.cursors.push(Cursor { block: body, next: 0, kind });
                }
            }
            Statement::If { condition, then, otherwise } => {
                let block = if self.holds(condition)? { then } else { otherwise };
                self.cursors.push(Cursor { block, next: 0, kind: CursorKind::Branch });
            }
            Statement::SetInteger(scalar, value) => {
                let value = self.integer_or_name(value)?;
                self.set(*scalar, value as f64)?;
            }
            Statement::SetReal(scalar, value) => {
                let value = self.value(value)?;
                self.set(*scalar, value)?;
            }
            Statement::Store(array, index, value) => {
                let value = self.value(value)?;
                let (root, place) = self.locate(*array, index)?;
                self.store(*array, root, place, value)?;
            }
            Statement::Fill(array, lower, upper, value) => {
                let (lower, upper) = (self.integer(lower)?, self.integer(upper)?);
                let value = self.value(value)?;
                for subscript in lower..=upper {
                    let (root, place) = self.locate_at(*array, &[subscript])?;
                    self.store(*array, root, place, value)?;
                }
            }
            Statement::Exit(condition) => {
                if self.holds(condition)? {
                    self.check_loop()?;
                    self.leave_loop();
                }
            }
            Statement::Cycle(condition) => {
                if self.holds(condition)? {
                    self.check_loop()?;
                    while matches!(self.cursors.last(), Some(Cursor { kind: CursorKind::Branch, .. })) {
                        self.cursors.pop();
                    }
                    return self.end_block();
                }
            }
            Statement::Return(condition) => {
                let unit = self.unit();
                if unit.is_none() && self.program.style.is_main {
                    return Err("a main program does not return");
                }
                if self.holds(condition)? {
                    self.leave_unit(unit)?;
                }
            }
            Statement::Call(procedure, arguments) => self.call(*procedure, arguments)?,
            Statement::Print(value) => {
                if self.rank == 0 {
                    let value = self.value(value)?;
                    self.notes.push(value.to_bits());
                }
            }
            Statement::Communicate(communication) => self.communicate(communication, messages)?,
        }
        Ok(())
    }

    fn check_loop(&self) -> Result<(), Invalid> {
        let in_unit = self.cursors.iter().rev().take_while(|cursor| !matches!(cursor.kind, CursorKind::Unit(_)));
        let mut kinds = in_unit.map(|cursor| &cursor.kind);
        kinds.any(|kind| matches!(kind, CursorKind::Loop { .. })).then_some(()).ok_or("there is no loop to leave")
    }

    fn call(&mut self, procedure: ProcedureId, arguments: &Arguments) -> Result<(), Invalid> {
        let is_active = |cursor: &Cursor| matches!(cursor.kind, CursorKind::Unit(Some(unit)) if unit == procedure);
        if self.cursors.iter().any(is_active) {
            return Err("a procedure calls itself");
        }
        self.bind(procedure, arguments)?;
        // Every unit has a status of its own.
        self.received = None;
        let block = &self.program.procedures[procedure].body;
        self.cursors.push(Cursor { block, next: 0, kind: CursorKind::Unit(Some(procedure)) });
        Ok(())
    }
}
