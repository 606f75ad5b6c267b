//! Datatypes that are kept in variables.
//!
//! The front end tells what a predefined datatype stands for where a call names it. Codes that can be built for several
//! precisions name a variable, often of a module or of a COMMON block, that is set once at the beginning. Where all
//! that such a variable can hold stands for one and the same type ([`super::values`]), the calls that name it are
//! calls with that type. A variable that a program makes a datatype of its own with can hold anything.

use crate::ir::{
    Communication, Datatype, ElementType, Message, Operation, Procedure, Program, Statement, StatementKind, SymbolClass,
};

use super::facts::Facts;
use super::outside::Outside;
use super::values::Value;

/// The program with the datatypes filled in that its variables hold; `None` if there are none that are not known
/// already.
pub fn with_known_datatypes(outside: Outside) -> Option<Program> {
    let program = outside.program;
    let asks = |procedure: &Procedure, statement: &Statement| match &statement.kind {
        StatementKind::Communication(communication) => {
            communication.messages().any(|message| is_open(procedure, &message.datatype))
        }
        _ => false,
    };
    let has_open = |procedure: &Procedure| procedure.statements.iter().any(|statement| asks(procedure, statement));
    if !program.procedures().any(|(_, procedure)| has_open(procedure)) {
        return None;
    }
    let facts = Facts::with_outside(outside);
    let values = facts.values();
    let mut resolved: Option<Program> = None;
    for (id, procedure) in program.procedures() {
        for (index, statement) in
            procedure.statements.iter().enumerate().filter(|(_, statement)| asks(procedure, statement))
        {
            let StatementKind::Communication(communication) = &statement.kind else { continue };
            let known: Vec<Option<ElementType>> = communication
                .messages()
                .map(|message| held(values.of_expression(program, id, &message.datatype.handle)))
                .collect();
            if known.iter().all(Option::is_none) {
                continue;
            }
            let copy = resolved.get_or_insert_with(|| program.clone());
            if let StatementKind::Communication(copied) = &mut copy.procedure_mut(id).statements[index].kind {
                for (message, known) in messages_of(copied).into_iter().zip(known) {
                    message.datatype.predefined = message.datatype.predefined.or(known);
                }
            }
        }
    }
    resolved
}

fn is_open(procedure: &Procedure, datatype: &Datatype) -> bool {
    let variable = datatype.handle.designated().map(|symbol| procedure.symbol(symbol));
    datatype.predefined.is_none() && variable.is_some_and(|variable| variable.class == SymbolClass::Variable)
}

fn held(value: Value) -> Option<ElementType> {
    match value {
        Value::Datatypes(types) if types.len() == 1 => types.first().copied(),
        _ => None,
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
