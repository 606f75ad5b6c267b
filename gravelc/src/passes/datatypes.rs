//! The datatypes of messages, as far as the program says what they are ([`crate::analysis::messages::datatypes`]).

use crate::analysis::facts::Facts;
use crate::analysis::messages::datatypes::{DatatypeLayouts, is_open, known_datatype};
use crate::analysis::program::outside::Outside;
use crate::ir::{
    Communication, Datatype, Message, Operation, Procedure, ProcedureId, Program, Statement, StatementKind,
};

/// The program with the datatypes filled in that its variables hold, as far as their elements are known; `None` if there are
/// none that are not known already.
pub fn with_known_datatypes(outside: Outside) -> Option<Program> {
    if !is_asked_anywhere(outside.program, is_open) {
        return None;
    }
    let facts = Facts::with_outside(outside);
    with_datatypes(&facts, is_open, |procedure, message| Some(known_datatype(&facts, procedure, message)))
}

/// The program with what could be found out about where the elements of its derived datatypes lie; `None` if that is nothing.
/// It asks for the bounds of arrays, and for the effects of messages whose elements are known.
pub fn with_datatype_layouts(outside: Outside) -> Option<Program> {
    let is_derived = |_: &Procedure, datatype: &Datatype| datatype.derived.is_some();
    if !is_asked_anywhere(outside.program, is_derived) {
        return None;
    }
    let facts = Facts::with_outside(outside);
    let layouts = DatatypeLayouts::new(&facts);
    with_datatypes(&facts, is_derived, |procedure, message| layouts.with_layout(procedure, message))
}

/// Has some message a datatype that `asks` is true of?
fn is_asked_anywhere(program: &Program, asks: impl Fn(&Procedure, &Datatype) -> bool) -> bool {
    program.procedures().any(|(_, procedure)| {
        procedure.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Communication(found) => found.messages().any(|message| asks(procedure, &message.datatype)),
            _ => false,
        })
    })
}

/// The program with other descriptions of the datatypes of its messages between two processes: `better` is asked for those that `asks` is true of.
fn with_datatypes(
    facts: &Facts,
    asks: impl Fn(&Procedure, &Datatype) -> bool,
    better: impl Fn(ProcedureId, &Message) -> Option<Datatype>,
) -> Option<Program> {
    let program = facts.program;
    let is_asked = |procedure: &Procedure, message: &Message| {
        // The runtime exchanges nothing but elements of predefined types.
        let is_plain = !message.is_exchange() || message.datatype.derived.is_none();
        is_plain && asks(procedure, &message.datatype)
    };
    let is_of_interest = |procedure: &Procedure, statement: &Statement| match &statement.kind {
        StatementKind::Communication(found) => found.messages().any(|message| is_asked(procedure, message)),
        _ => false,
    };
    let mut resolved: Option<Program> = None;
    for (id, procedure) in program.procedures() {
        let statements = procedure.statements.iter().enumerate();
        for (index, statement) in statements.filter(|(_, statement)| is_of_interest(procedure, statement)) {
            let StatementKind::Communication(communication) = &statement.kind else { continue };
            let found = |message: &Message| {
                let found = Some(message).filter(|message| is_asked(procedure, message));
                let found = found.and_then(|message| better(id, message));
                found.filter(|found| found.derived.is_none() || !message.is_exchange())
            };
            let known: Vec<Option<Datatype>> = communication.messages().map(found).collect();
            if known.iter().all(Option::is_none) {
                continue;
            }
            let copy = resolved.get_or_insert_with(|| program.clone());
            if let StatementKind::Communication(copied) = &mut copy.procedure_mut(id).statements[index].kind {
                for (message, known) in messages_of(copied).into_iter().zip(known) {
                    message.datatype = known.unwrap_or_else(|| message.datatype.clone());
                }
            }
        }
    }
    resolved
}

/// In the order of [`Communication::messages`].
fn messages_of(communication: &mut Communication) -> Vec<&mut Message> {
    match &mut communication.operation {
        Operation::Send { message, .. } | Operation::Receive { message, .. } | Operation::Prepare { message, .. } => {
            vec![message]
        }
        Operation::SendReceive { send, receive, .. } => vec![send, receive],
        _ => Vec::new(),
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
