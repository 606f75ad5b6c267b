//! A message of a procedure as one of its callers can say it, before the call.
//!
//! Its arguments are those that the procedure has when it begins: dummy arguments stand for the actual ones, variables of
//! modules and of COMMON blocks go by the caller's names. Whoever asks sees to it that nothing changes them between the
//! beginning of the procedure and the message's own call.

use crate::ir::{
    Expression, ExpressionKind, Message, MessagingNames, Procedure, Program, StatementId, StatementKind, Symbol,
    SymbolClass,
};

use super::super::facts::SiteId;
use super::wrappers::{Translation, module_of};

/// What a caller can say of a receive.
#[derive(Debug, Clone)]
pub struct CallersView {
    /// The message, with the caller's names. Constants of MPI that the caller does not know are values without a symbol, whose
    /// text is their name.
    pub message: Message,
    /// The receive is only posted where this holds.
    pub condition: Option<Expression>,
    /// What the caller has to import, with its module: constants of MPI, and variables.
    pub imports: Vec<(String, String)>,
}

/// What the caller can say at its statement `call` of the receive, which the called procedure posts under the condition of
/// its IF statement `guard`. `None` if some of it means nothing to the caller.
pub fn callers_view(
    program: &Program,
    call: SiteId,
    receive: SiteId,
    guard: Option<StatementId>,
) -> Option<CallersView> {
    let (callee, caller) = (program.procedure(receive.procedure), program.procedure(call.procedure));
    let StatementKind::Communication(communication) = &callee.statement(receive.statement).kind else { return None };
    let message = communication.received().filter(|message| message.condition.is_none())?;
    let translation =
        Translation::of_inner_call(program, (receive.procedure, receive.statement), (call.procedure, call.statement))?;
    let condition = match guard {
        None => None,
        Some(branch) => {
            let StatementKind::If { arms, .. } = &callee.statement(branch).kind else { return None };
            Some(&arms.first()?.condition)
        }
    };
    let borrowed = communication.wrapper.iter().flat_map(|wrapper| wrapper.borrowed.clone()).collect::<Vec<_>>();
    let said = message.expressions().into_iter().chain(condition);
    let mut imports = Vec::new();
    for name in said.flat_map(|expression| messaging_constants(callee, expression)) {
        let is_it = |(_, known): &&(&'static str, String)| *known == name;
        let module = module_of(callee.messaging_names).or(borrowed.iter().find(is_it).map(|(module, _)| *module))?;
        let own = caller.messaging_names;
        if own != MessagingNames::Unseen && module_of(own) != Some(module) {
            return None;
        }
        if own != MessagingNames::All(module) {
            imports.push((module.to_owned(), name));
        }
    }
    let message = translation.message(message)?;
    let condition = match condition {
        None => None,
        Some(condition) => Some(translation.value(condition)?),
    };
    let said = message.expressions().into_iter().chain(&condition);
    for symbol in said.flat_map(Expression::walk).filter_map(Expression::designated) {
        imports.extend(import_of(program, caller, caller.symbol(symbol)));
    }
    imports.sort();
    imports.dedup();
    Some(CallersView { message, condition, imports })
}

/// Module and name of a variable that the procedure has to import before it can name it.
fn import_of(program: &Program, procedure: &Procedure, symbol: &Symbol) -> Option<(String, String)> {
    let place = symbol.shared_variable().filter(|_| symbol.lent)?;
    let (module, name) = place.import()?;
    (!program.is_inside_module(procedure, module)).then(|| (module.to_owned(), name.to_owned()))
}

fn messaging_constants(procedure: &Procedure, expression: &Expression) -> Vec<String> {
    let constants = expression.walk().into_iter().filter_map(|part| match part.kind {
        ExpressionKind::Symbol(id) => Some(procedure.symbol(id)),
        _ => None,
    });
    constants
        .filter(|symbol| symbol.class == SymbolClass::MessagingConstant)
        .map(|symbol| symbol.name.clone())
        .collect()
}
