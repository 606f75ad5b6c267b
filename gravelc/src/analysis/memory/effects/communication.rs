//! The events of calls of MPI.

use crate::analysis::algebra::symbolic::evaluate;
use crate::analysis::memory::message::{is_bottom, is_of_its_variable};
use crate::ir::{
    Certainty, Communication, Expression, ExpressionKind, Message, Operation, Participation, SendMode, Shape, Status,
    SymbolClass, SymbolId,
};
use crate::mpi::properties::Property;
use crate::mpi::routines::without_profiling;
use crate::mutations::Clause;

use super::completion::{Completion, completions_of, completions_of_any};
use super::event::{Event, Recorder, Touched};
use super::expression::{READ_AND_WRITE, lose, read, touch, write};
use super::{AccessKind, ExternalKind};

/// The events of a call of MPI. MPI returns; what its error handlers do is no event of the call.
pub(super) fn record<'a>(recorder: &mut Recorder<'a, '_>, communication: &'a Communication) {
    match &communication.operation {
        Operation::Initialize { accesses } => {
            accesses.iter().for_each(|access| touch(recorder, access, READ_AND_WRITE));
            recorder.push(Event::Everything { private_too: true });
        }
        Operation::Finalize => recorder.push(Event::Everything { private_too: true }),
        Operation::Send { message, request, mode } => {
            arguments(recorder, message);
            buffer(recorder, message, AccessKind::Read);
            if *mode == SendMode::Buffered {
                // The attached buffer, which no argument names.
                recorder.push(Event::Everything { private_too: true });
            }
            request.iter().for_each(|request| write(recorder, request, Certainty::Must));
        }
        Operation::Receive { message, request, status } => {
            arguments(recorder, message);
            buffer(recorder, message, AccessKind::Write);
            request.iter().for_each(|request| write(recorder, request, Certainty::Must));
            store_status(recorder, status);
        }
        Operation::SendReceive { send, receive, status, .. } => {
            arguments(recorder, send);
            arguments(recorder, receive);
            buffer(recorder, send, AccessKind::Read);
            buffer(recorder, receive, AccessKind::Write);
            store_status(recorder, status);
        }
        Operation::WaitAll { count, requests, statuses } => {
            read(recorder, count);
            // The requests follow the one that is named, which may be an element.
            touch(recorder, requests, READ_AND_WRITE);
            let completion = completions_of(recorder.summaries, recorder.procedure, requests);
            complete(recorder, completion, requests);
            store_status(recorder, statuses);
        }
        Operation::Wait { request, status } => {
            read(recorder, request);
            write(recorder, request, Certainty::May);
            let completion = completions_of(recorder.summaries, recorder.procedure, request);
            complete(recorder, completion, request);
            store_status(recorder, status);
        }
        Operation::Complete { kind, count, requests, completed, indices, flag, statuses } => {
            count.iter().for_each(|count| read(recorder, count));
            // Any of the requests may be completed here, and what they stand for ends at the latest here, or goes on.
            if !Clause::CompletionsOfAny.is_off() {
                touch(recorder, requests, READ_AND_WRITE);
                let completion = completions_of(recorder.summaries, recorder.procedure, requests);
                complete(recorder, completion, requests);
            }
            match indices {
                Some(indices) if kind.stores_several_statuses() => lose(recorder, indices),
                _ => indices.iter().for_each(|index| write(recorder, index, Certainty::May)),
            }
            completed.iter().chain(flag).for_each(|stored| write(recorder, stored, Certainty::May));
            store_status(recorder, statuses);
        }
        Operation::Prepare { message, request, .. } => {
            // The buffer is touched when the operation is started.
            arguments(recorder, message);
            message.buffer.children().into_iter().for_each(|operand| read(recorder, operand));
            write(recorder, request, Certainty::Must);
        }
        Operation::Start { count, requests } => {
            count.iter().for_each(|count| read(recorder, count));
            touch(recorder, requests, READ_AND_WRITE);
            // From now on the buffers are read and written behind the program's back, until the operations are completed.
            let operations = completions_of(recorder.summaries, recorder.procedure, requests);
            complete(recorder, operations, requests);
        }
        Operation::Release { request } => {
            touch(recorder, request, READ_AND_WRITE);
            let completion = completions_of(recorder.summaries, recorder.procedure, request);
            complete(recorder, completion, request);
        }
        Operation::Inquiry { reads, writes } => {
            if Property::SingleValues.holds_of(&communication.routine) {
                reads.iter().for_each(|argument| read(recorder, argument));
                writes.iter().for_each(|argument| write(recorder, argument, Certainty::May));
            } else {
                reads.iter().for_each(|argument| from_element_on(recorder, argument, AccessKind::Read));
                writes.iter().for_each(|argument| from_element_on(recorder, argument, AccessKind::Write));
            }
            if Property::Packs.holds_of(without_profiling(&communication.routine)) {
                for (arguments, kind) in [(reads, AccessKind::Read), (writes, AccessKind::Write)] {
                    let named = arguments.iter().filter_map(|argument| Some((argument.designated()?, argument)));
                    named.for_each(|(symbol, argument)| touch_same_storage(recorder, symbol, &[kind], argument));
                }
            }
        }
        Operation::CreateDatatype { constructor, created } => {
            constructor.arguments.iter().for_each(|argument| from_element_on(recorder, argument, AccessKind::Read));
            write(recorder, created, Certainty::May);
        }
        Operation::CreateCommunicator { reads, created, .. } => {
            reads.iter().for_each(|argument| from_element_on(recorder, argument, AccessKind::Read));
            lose(recorder, created);
        }
        Operation::Other { arguments, only_read, counts, participation, .. } => {
            other(recorder, arguments, only_read, counts, participation);
        }
    }
    if let Some(error) = &communication.error {
        write(recorder, error, Certainty::Must);
    }
    if !matches!(communication.operation, Operation::Inquiry { .. } | Operation::CreateDatatype { .. }) {
        recorder.push(Event::External(ExternalKind::Communication));
    }
}

fn arguments<'a>(recorder: &mut Recorder<'a, '_>, message: &'a Message) {
    message.values().into_iter().for_each(|argument| read(recorder, argument));
    // As many elements as there are processes, from the one on that is named.
    let lists = message.block_lists().filter(|_| !Clause::BlockListsAsAWhole.is_off());
    for list in lists.into_iter().flatten() {
        touch(recorder, list, &[AccessKind::Read]);
        if let Some(symbol) = list.designated() {
            touch_same_storage(recorder, symbol, &[AccessKind::Read], list);
        }
    }
}

/// The memory of a message; how much of it is touched depends on the peer.
fn buffer<'a>(recorder: &mut Recorder<'a, '_>, message: &'a Message, kind: AccessKind) {
    let expression = &message.buffer;
    let Some(symbol) = expression.designated() else {
        read(recorder, expression);
        if kind == AccessKind::Write {
            recorder.opaque("a receive into something that could not be understood");
        }
        return;
    };
    let buffer = recorder.procedure.symbol(symbol);
    let is_nowhere = buffer.class == SymbolClass::MessagingConstant;
    if is_bottom(buffer) && message.datatype.predefined.is_some() {
        // No data lies there: an empty message.
        return;
    }
    if is_nowhere || message.datatype.may_reach_anything {
        // The datatype holds addresses.
        recorder.push(Event::Everything { private_too: true });
        return;
    }
    let is_part = matches!(expression.kind, ExpressionKind::Part { .. });
    if is_of_its_variable(recorder.procedure, message) && !is_part && recorder.is_variable(symbol) {
        expression.children().into_iter().for_each(|operand| read(recorder, operand));
        recorder.access(Touched::Message(message), kind, Certainty::May, expression.span);
    } else {
        touch(recorder, expression, &[kind]);
        touch_same_storage(recorder, symbol, &[kind], expression);
    }
}

/// The other variables that a message may reach from `symbol`: MPI allows the displacements of a datatype within one COMMON
/// block (MPI 4.0, 5.1.12), and old programs send a block by its first member.
pub(super) fn touch_same_storage<'a>(
    recorder: &mut Recorder<'a, '_>,
    symbol: SymbolId,
    kinds: &[AccessKind],
    expression: &'a Expression,
) {
    kinds.iter().for_each(|&kind| recorder.beside(symbol, kind, expression.span));
}

/// An argument of which MPI reads or writes as much as the call says elsewhere: an element stands for all that follow it, and with
/// a datatype for what lies in front of it, too.
fn from_element_on<'a>(recorder: &mut Recorder<'a, '_>, argument: &'a Expression, kind: AccessKind) {
    match (&argument.kind, kind) {
        (ExpressionKind::Element { .. }, _) if !Clause::ArgumentsFromElementOn.is_off() => {
            touch(recorder, argument, &[kind]);
        }
        (_, AccessKind::Read) => read(recorder, argument),
        (_, AccessKind::Write) => write(recorder, argument, Certainty::May),
    }
}

/// A scalar that may stand for what lies behind it in its COMMON block.
fn touch_behind<'a>(recorder: &mut Recorder<'a, '_>, argument: &'a Expression, kinds: &[AccessKind]) {
    if let Some(symbol) = argument.designated()
        && recorder.procedure.symbol(symbol).shape == Shape::Scalar
    {
        touch_same_storage(recorder, symbol, kinds, argument);
    }
}

fn store_status<'a>(recorder: &mut Recorder<'a, '_>, status: &'a Status) {
    if let Status::Stored(status) = status {
        lose(recorder, status);
    }
}

/// A call of which only the arguments are known: all of them may be read and written but those that are only read.
fn other<'a>(
    recorder: &mut Recorder<'a, '_>,
    arguments: &'a [Expression],
    only_read: &[usize],
    counts: &[usize],
    participation: &Participation,
) {
    // One element each; what is received may still be as many as there are ranks.
    let is_one = |position: &usize| {
        let count = arguments.get(*position).and_then(|count| evaluate(recorder.procedure, count, &|_| None));
        count.is_some_and(|count| count.as_constant() == Some(1))
    };
    let are_single = counts.len() < 2 && counts.iter().all(is_one);
    for (position, argument) in arguments.iter().enumerate() {
        let kinds = if only_read.contains(&position) { &[AccessKind::Read] } else { READ_AND_WRITE };
        touch(recorder, argument, kinds);
        let Some(symbol) = argument.designated() else { continue };
        let variable = recorder.procedure.symbol(symbol);
        if is_bottom(variable) {
            recorder.push(Event::Everything { private_too: true });
        }
        if matches!(variable.shape, Shape::Array(_)) {
            touch_same_storage(recorder, symbol, kinds, argument);
        } else if !are_single {
            touch_behind(recorder, argument, kinds);
        }
    }
    let may_complete = match participation {
        // Whoever knows that an operation is over, or that a part of it is, may use its buffer; and what is ready is read.
        Participation::ConcernsParts | Participation::UsesRequest { .. } => true,
        Participation::May { .. } => true,
        // The request of a non-blocking one may stand for an earlier operation.
        Participation::ReceivesMatched(receive) => receive.request.is_some(),
        Participation::Probes { .. } => false,
        // They run in later calls, and whoever they may concern stays with MPI.
        Participation::None
        | Participation::TouchesAnything
        | Participation::AllToAll { .. }
        | Participation::CallsBack { .. } => false,
    };
    if matches!(participation, Participation::TouchesAnything) {
        recorder.push(Event::Everything { private_too: true });
    }
    if may_complete && let Some(first) = arguments.first() {
        let completion = completions_of_any(recorder.summaries, recorder.procedure, arguments);
        complete(recorder, completion, first);
    }
}

/// What happens to memory when operations that were described earlier are begun, or completed.
fn complete<'a>(recorder: &mut Recorder<'a, '_>, completion: Completion, shown: &'a Expression) {
    match completion {
        Completion::Unknown => recorder.push(Event::Everything { private_too: true }),
        Completion::Of { read, written } => {
            read.into_iter().for_each(|symbol| recorder.whole(symbol, AccessKind::Read, shown.span));
            written.into_iter().for_each(|symbol| recorder.whole(symbol, AccessKind::Write, shown.span));
        }
    }
}
