//! Datatypes that are kept in variables.
//!
//! The front end tells what a predefined datatype stands for where a call names it. Codes that can be built for several
//! precisions name a variable, often of a module or of a COMMON block, that is set once at the beginning. Where all
//! that such a variable can hold stands for one and the same type ([`super::super::values`]), the calls that name it are
//! calls with that type. Where it can stand for several predefined types, as in a code that sets it to one or the other, the
//! longest of them says what its messages may touch; the runtime looks at what it is.
//!
//! A variable may hold a datatype that the program has made, too, of whatever it was made of. Two things are found out about
//! these, one after the other: what their elements are (`kinds`), so that what a message may touch is its variable and
//! nothing else, and where the elements lie (`layouts`), so that what lies between them can be told from them. The second
//! needs the effects of messages of which the first is known, and the bounds of arrays.

mod beside;
mod commits;
mod counts;
mod elements;
mod kinds;
mod layouts;
mod made;

use crate::ir::{
    Callee, Communication, Datatype, ElementType, ExpressionKind, Message, Operation, Procedure, ProcedureId, Program,
    Statement, StatementKind, SymbolClass,
};

use super::super::facts::Facts;
use super::super::program::outside::Outside;
use super::super::values::{DatatypeSource, Value};

pub use self::commits::committed_in;
pub use self::kinds::why_not_carried;
pub use self::layouts::with_datatype_layouts;
pub use self::made::MadeDatatypes;

/// The program with the datatypes filled in that its variables hold, as far as their elements are known; `None` if there are
/// none that are not known already.
pub fn with_known_datatypes(outside: Outside) -> Option<Program> {
    let is_asked = |procedure: &Procedure| {
        procedure.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Communication(found) => {
                found.messages().any(|message| is_open(procedure, &message.datatype))
            }
            _ => false,
        })
    };
    if !outside.program.procedures().any(|(_, procedure)| is_asked(procedure)) {
        return None;
    }
    let facts = Facts::with_outside(outside);
    let program = facts.program;
    with_datatypes(&facts, is_open, |procedure, message| {
        let datatype = &message.datatype;
        let held = facts.values().of_expression(facts.program, procedure, &datatype.handle);
        let mut found = datatype.clone();
        let buffer = message.buffer.designated().map(|buffer| program.procedure(procedure).symbol(buffer).element);
        (found.predefined, found.is_longest) = longest(&held, buffer);
        if found.predefined.is_none() {
            found.derived = kinds::derived(&facts, procedure, message).ok();
        }
        (found.predefined.is_some() || found.derived.is_some()).then_some(found)
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

/// Is it a datatype in a variable, or one that a function gives, of which nothing is known yet?
fn is_open(procedure: &Procedure, datatype: &Datatype) -> bool {
    let variable = datatype.handle.designated().map(|symbol| procedure.symbol(symbol));
    let is_variable = variable.is_some_and(|variable| variable.class == SymbolClass::Variable);
    let is_given = matches!(datatype.handle.kind, ExpressionKind::Call { callee: Callee::Procedure(_), .. });
    datatype.element().is_none() && (is_variable || is_given)
}

/// The predefined type that all that is held stands for, or the longest of several ones, and whether there are several. Of those
/// that are as long it is the buffer's own type, if that is among them.
fn longest(value: &Value, buffer: Option<ElementType>) -> (Option<ElementType>, bool) {
    let Value::Datatypes(sources) = value else { return (None, false) };
    let predefined = |source: &DatatypeSource| match source {
        DatatypeSource::Predefined(element) => Some(*element),
        DatatypeSource::CreatedAt(_) => None,
    };
    let Some(elements) = sources.iter().map(predefined).collect::<Option<Vec<_>>>() else { return (None, false) };
    match elements.as_slice() {
        [] => (None, false),
        [only] => (Some(*only), false),
        several if several.iter().any(|element| element.bytes.is_none()) => (None, false),
        several => (several.iter().copied().max_by_key(|element| (element.bytes, Some(*element) == buffer)), true),
    }
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
