//! Can anybody notice in which order the processes of the program receive and send what is independent?
//!
//! A process that receives one message and then sends another one hands on an order: what its first peer did before is over
//! before its second peer goes on. If both do something outside of the program (they write one file, say), that order can be
//! noticed, though no data tells of it (Lamport, "Time, clocks, and the ordering of events in a distributed system", 1978).
//! Nothing is noticed where
//!
//! * no effect outside of the program can be followed by a message, or none can follow one, without a collective operation in
//!   between in which every process waits for every other one: such an operation orders them by itself;
//! * or where one process has all the effects that are left: it has them in its own order.
//!
//! A broadcast orders what its root did before it in the same way.
//!
//! What decides by itself which message is received (a wildcard, a probe, a test) notices the order, too. So do two kinds of sends
//! that are errors in the wrong place: a ready one unless its receive has been posted, and a buffered one unless there is room
//! again where earlier ones were kept. Programs know both from other messages.
//!
//! The effects that are pending are followed forwards and backwards through the statements of the procedures, with a summary
//! of what a call of each does to them, and one state for all calls where a procedure has messages itself.

mod rank;
mod walk;

use self::walk::{Direction, Walk};
use super::super::facts::{Fact, Facts, SiteId};
use super::super::values::{Asked, MayBeWildcard, WILDCARDS};
use crate::ir::{
    self, Communication, Expression, ExpressionKind, Message, Operation, Participation, Partner, Procedure,
    ProcedureId, SendMode, SymbolClass,
};
use crate::mpi::properties::{Property, count_position, root_position};
use crate::mutations::Clause;

/// Which processes have an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Processes {
    /// None has one.
    Nobody,
    /// That of this rank alone.
    One(i64),
    /// Any.
    Several,
}

impl Processes {
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nobody, it) | (it, Self::Nobody) => it,
            (Self::One(one), Self::One(other)) if one == other => self,
            _ => Self::Several,
        }
    }
}

/// What a call of MPI does to the order of effects.
enum Ordering {
    /// Nothing.
    Nothing,
    /// Every process waits for every other one.
    AllWaitForAll,
    /// It hands an order on, and if the root is known, that of what it did before to all, or of what all did before to it.
    HandsOn { from: Option<i64>, to: Option<i64> },
    /// It notices an order, or may.
    Notices,
}

/// Is there nothing in the program that notices in which order independent messages are received and sent?
pub fn is_unnoticed(facts: &Facts) -> bool {
    if Clause::EffectOrder.is_off() {
        return true;
    }
    if facts.program.is_unordered {
        return true;
    }
    if !facts.is_closed_world() {
        return false;
    }
    let before = Walk::over(facts, Direction::Forwards);
    let behind = Walk::over(facts, Direction::Backwards);
    match before.zip(behind) {
        Some((Processes::Nobody, _) | (_, Processes::Nobody)) => true,
        Some((before, behind)) => before.with(behind) != Processes::Several,
        None => false,
    }
}

/// May the wait of a receive pass the call of MPI, as far as others could notice?
pub fn may_be_passed_by_waits(facts: &Facts, site: SiteId) -> bool {
    let Some(call) = facts.communication(site) else { return false };
    // What frees a communicator, a datatype or a request that the message needs is no message.
    let is_message_or_collective = match &call.operation {
        Operation::Send { .. }
        | Operation::Receive { .. }
        | Operation::SendReceive { .. }
        | Operation::Wait { .. }
        | Operation::WaitAll { .. }
        | Operation::Start { .. } => true,
        Operation::Other { .. } => !Property::Unordered.holds_of(&call.routine),
        _ => false,
    };
    if !is_message_or_collective {
        return false;
    }
    // Of what a part of a program receives, the posts move up as well: nobody is told by it what has come before.
    if facts.program.is_part && matches!(call.operation, Operation::Receive { .. }) {
        return true;
    }
    match ordering(facts, site.procedure, call) {
        Ordering::Nothing | Ordering::AllWaitForAll => true,
        Ordering::HandsOn { .. } => facts.keeps_order_to_itself(),
        Ordering::Notices => false,
    }
}

fn ordering(facts: &Facts, procedure: ProcedureId, call: &Communication) -> Ordering {
    let body = facts.procedure(procedure);
    let exact = Ordering::HandsOn { from: None, to: None };
    match &call.operation {
        Operation::Send { mode: SendMode::Ready | SendMode::Buffered, .. }
        | Operation::Prepare { mode: SendMode::Ready | SendMode::Buffered, .. } => Ordering::Notices,
        Operation::Receive { message, .. } => of_receive(facts, procedure, message),
        Operation::SendReceive { receive, .. } => of_receive(facts, procedure, receive),
        Operation::Prepare { message, direction: ir::Direction::Received, .. } => of_receive(facts, procedure, message),
        // What is received may tell when a send is over that nobody waits for.
        Operation::Complete { .. } | Operation::Release { .. } => Ordering::Notices,
        Operation::Initialize { .. }
        | Operation::Finalize
        | Operation::Prepare { .. }
        | Operation::Inquiry { .. }
        | Operation::CreateDatatype { .. } => Ordering::Nothing,
        Operation::Send { .. }
        | Operation::Wait { .. }
        | Operation::WaitAll { .. }
        | Operation::Start { .. }
        | Operation::CreateCommunicator { .. } => exact,
        Operation::Other { arguments, participation: Participation::None | Participation::AllToAll { .. }, .. } => {
            let routine = call.routine.as_str();
            let world = |argument: &Expression| is_constant(body, argument, "mpi_comm_world");
            let of_world = arguments.iter().any(world);
            let value = |position: usize| facts.constant_value(procedure, arguments.get(position)?);
            // Some always have something to exchange.
            let count = count_position(routine);
            let sends_something = of_world && count.is_none_or(|count| value(count).is_some_and(|count| count > 0));
            let root = || root_position(routine).and_then(value).filter(|_| sends_something);
            if Property::AllWaitForAll.holds_of(routine) {
                return if sends_something { Ordering::AllWaitForAll } else { exact };
            }
            if Property::FromRoot.holds_of(routine) {
                return Ordering::HandsOn { from: root(), to: None };
            }
            if Property::ToRoot.holds_of(routine) {
                return Ordering::HandsOn { from: None, to: root() };
            }
            if Property::Orders.holds_of(routine) {
                return exact;
            }
            if Property::Unordered.holds_of(routine) { Ordering::Nothing } else { Ordering::Notices }
        }
        Operation::Other { .. } => Ordering::Notices,
    }
}

fn of_receive(facts: &Facts, procedure: ProcedureId, message: &Message) -> Ordering {
    let Partner::Process { peer, tag } = &message.partner else {
        return Ordering::HandsOn { from: None, to: None };
    };
    let may_be = |name: &str, expression: &Expression| {
        let asked = Asked { program: facts.program, procedure, name, is_none: &|_| false };
        facts.values().may_be_wildcard(asked, expression) != MayBeWildcard::No
    };
    // The runtime's own calls name one process and one tag.
    let is_named = facts.program.is_part;
    match !is_named && WILDCARDS.iter().any(|name| may_be(name, peer) || may_be(name, tag)) {
        true => Ordering::Notices,
        false => Ordering::HandsOn { from: None, to: None },
    }
}

fn is_constant(body: &Procedure, expression: &Expression, name: &str) -> bool {
    match expression.kind {
        ExpressionKind::Symbol(id) => {
            let symbol = body.symbol(id);
            symbol.class == SymbolClass::MessagingConstant && symbol.name == name
        }
        _ => false,
    }
}

/// [`Facts::keeps_order_to_itself`].
struct IsUnnoticed(bool);

impl Fact for IsUnnoticed {
    fn of(facts: &Facts<'_>) -> Self {
        Self(is_unnoticed(facts))
    }
}

impl Facts<'_> {
    /// Can nobody notice in which order the processes receive and send what is independent?
    pub fn keeps_order_to_itself(&self) -> bool {
        self.get::<IsUnnoticed>().0
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
