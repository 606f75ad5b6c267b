//! Procedures of the program that do nothing but call a routine of MPI.
//!
//! Codes that could run over other libraries hide MPI behind procedures of their own: `call send_real(to, values, n)`.
//! Seen from such a procedure all its messages are alike. Around the call they compute its arguments, leave it out where
//! there is nothing to send, and look whether it failed (`body`). What such a call means to a caller is a translation of it
//! ([`Translation`]).

use crate::ir::{Expression, ExpressionKind, MessagingNames, Procedure, StatementKind, Symbol, SymbolClass};

mod body;
mod translation;

pub use body::WrapperBody;
use translation::NOBODY;
pub use translation::Translation;

/// The module that has MPI's names as a procedure sees them.
pub fn module_of(names: MessagingNames) -> Option<&'static str> {
    match names {
        MessagingNames::All(module) | MessagingNames::Some(module) => Some(module),
        MessagingNames::Unseen | MessagingNames::Unclear => None,
    }
}

/// The module that has the constant as it stands in the call that `wrapper` makes.
pub fn module_of_constant(wrapper: &Procedure, name: &str) -> Option<&'static str> {
    let own = module_of(wrapper.messaging_names);
    own.or_else(|| match &wrapper.statement(WrapperBody::of(wrapper)?.call).kind {
        StatementKind::Communication(call) => {
            let mut borrowed = call.wrapper.iter().flat_map(|inner| &inner.borrowed);
            borrowed.find(|(_, known)| known == name).map(|(module, _)| *module)
        }
        _ => None,
    })
}

/// The names of the constants of MPI in the call that `wrapper` makes and in what decides about it, each with a symbol
/// that describes it.
pub fn constants_in(wrapper: &Procedure) -> Vec<Symbol> {
    let Some(body) = WrapperBody::of(wrapper) else { return Vec::new() };
    let mut expressions = wrapper.statement(body.call).kind.expressions();
    expressions.extend(body.locals.values().copied());
    expressions.extend(body.guards.iter().map(|guard| guard.condition));
    let symbols = expressions.into_iter().flat_map(Expression::walk).filter_map(|part| match part.kind {
        ExpressionKind::Symbol(id) => Some(wrapper.symbol(id)),
        _ => None,
    });
    let constants = symbols.filter(|symbol| symbol.class == SymbolClass::MessagingConstant);
    let mut constants: Vec<Symbol> = constants.cloned().collect();
    // What is not sent goes to nobody.
    if !body.guards.is_empty() {
        constants.push(Symbol::messaging_constant(NOBODY));
    }
    constants
}
