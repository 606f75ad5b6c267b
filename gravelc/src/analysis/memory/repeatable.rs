//! Whether expressions can be evaluated at another place, or once more, and what their values depend on.
//!
//! Names, arithmetic and functions of the language depend on the variables that stand in them. A function of the program
//! that has no effect can be moved with what it is given, too: then its value is that of the variables it could look at. Which
//! these are is read off its text and that of what it calls, not off what it is known to read: the shape of an array that is
//! only handed on decides about a value, too.
//!
//! A function has no effect here where it changes nothing that outlives it, nobody outside could notice it, and it
//! neither stops the program nor calls itself. Whoever moves an evaluation sees to it that it takes place at
//! the new place exactly if it did at the old one, so a function that ends with an error, or never, does so before and after.

use std::collections::BTreeSet;

use super::super::facts::Facts;
use super::super::program::looked_at::{Component, Looked, looked_at, mentioned};
use super::effects::{called_procedures, evaluated_arguments};
use crate::ir::{
    Callee, Expression, ExpressionKind, LINE_NUMBER, Place, Procedure, ProcedureId, Span, StatementKind, Storage,
    Symbol, SymbolClass, SymbolId, Untouchable,
};
use crate::mpi::properties::is_clock;

/// Why an expression can't be evaluated at another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrepeatable {
    /// The part that is in the way.
    pub span: Span,
    /// What it is, as the end of a sentence that says "the value can't be evaluated at another place: …".
    pub why: String,
}

/// The variables whose values the expressions need; elements count as their arrays, and subscripts are included.
///
/// `None` if an expression can't be evaluated again elsewhere: it calls a procedure that is not an intrinsic one, uses
/// memory behind a pointer component, or is not understood.
pub fn symbols_read_by(procedure: &Procedure, expressions: &[&Expression]) -> Option<BTreeSet<SymbolId>> {
    let refuse = |_: ProcedureId, _: &[Expression], _: &mut BTreeSet<SymbolId>| Err(String::new());
    collect(procedure, expressions, &refuse, Pointers::Refused).ok()
}

/// Whether what lies behind pointers may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pointers {
    /// No: what is stored anywhere could change the value.
    Refused,
    /// Yes: nothing is stored before the value is needed again.
    Followed,
}

/// Why the expressions can't be evaluated once more where they stand, before anything else happens; `None` if they can. Other than
/// what is evaluated at another place they may read what lies behind pointers.
pub fn obstacle_in_place(facts: &Facts, procedure: ProcedureId, expressions: &[&Expression]) -> Option<Unrepeatable> {
    needed(facts, procedure, expressions, Pointers::Followed).err()
}

/// As [`symbols_read_by`], where functions of the program without effects may be called, too: what their values depend on
/// is among the variables.
///
/// # Errors
/// What can't be evaluated at another place, and why.
pub fn values_needed(
    facts: &Facts,
    procedure: ProcedureId,
    expressions: &[&Expression],
) -> Result<BTreeSet<SymbolId>, Unrepeatable> {
    needed(facts, procedure, expressions, Pointers::Refused)
}

fn needed(
    facts: &Facts,
    procedure: ProcedureId,
    expressions: &[&Expression],
    pointers: Pointers,
) -> Result<BTreeSet<SymbolId>, Unrepeatable> {
    let caller = facts.procedure(procedure);
    let call = |callee: ProcedureId, arguments: &[Expression], symbols: &mut BTreeSet<SymbolId>| {
        let name = &facts.procedure(callee).name;
        let function = Function { facts, caller, callee, arguments };
        function.add_dependences(symbols).map_err(|why| format!("`{name}` {why}"))
    };
    collect(caller, expressions, &call, pointers)
}

/// What a call of a function of the program needs, besides what stands in its arguments' subscripts; or why it has to stay
/// where it is.
type OfCall<'f> = &'f dyn Fn(ProcedureId, &[Expression], &mut BTreeSet<SymbolId>) -> Result<(), String>;

fn collect(
    procedure: &Procedure,
    expressions: &[&Expression],
    of_call: OfCall,
    pointers: Pointers,
) -> Result<BTreeSet<SymbolId>, Unrepeatable> {
    let mut symbols = BTreeSet::new();
    let mut pending = expressions.to_vec();
    while let Some(part) = pending.pop() {
        let refused = |why: String| Err(Unrepeatable { span: part.span, why });
        match &part.kind {
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } if is_clock(name) => {
                return refused(format!("`{name}` gives another value each time"));
            }
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } if name == LINE_NUMBER => {
                return refused("the number of its line is another one elsewhere".to_owned());
            }
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments } => {
                pending.extend(evaluated_arguments(procedure, name, arguments));
                continue;
            }
            ExpressionKind::Call { callee: Callee::Procedure(callee), arguments } => {
                if let Err(why) = of_call(*callee, arguments, &mut symbols) {
                    return refused(why);
                }
                // What is handed over where it lies is the function's business.
                for argument in arguments {
                    match argument.designated() {
                        Some(_) => pending.extend(argument.children()),
                        None => pending.push(argument),
                    }
                }
                continue;
            }
            ExpressionKind::Call { callee: Callee::Unknown(name), .. } => {
                return refused(format!("`{name}` is not among the given files"));
            }
            ExpressionKind::Opaque(unread) => return refused(unread.describe()),
            ExpressionKind::Part { through_pointer: true, .. } if pointers == Pointers::Refused => {
                return refused("a part of it lies behind a pointer".to_owned());
            }
            _ => pending.extend(part.children()),
        }
        if let Some(id) = part.designated() {
            match procedure.symbol(id).class {
                SymbolClass::Variable => {
                    symbols.insert(id);
                }
                SymbolClass::Unknown => return refused("what one of its names means is not known".to_owned()),
                SymbolClass::Constant(_) | SymbolClass::MessagingConstant | SymbolClass::Procedure => {}
            }
        }
    }
    Ok(symbols)
}

/// One call of a function of the program.
struct Function<'a, 'f> {
    facts: &'f Facts<'a>,
    caller: &'a Procedure,
    callee: ProcedureId,
    arguments: &'f [Expression],
}

impl<'a> Function<'a, '_> {
    /// Adds the caller's variables that the value depends on.
    fn add_dependences(&self, symbols: &mut BTreeSet<SymbolId>) -> Result<(), String> {
        if let Some(why) = self.facts.summaries().noticeable_effect(self.callee) {
            return Err(why);
        }
        let closure = self.closure()?;
        let called = self.facts.procedure(self.callee);
        if self.arguments.len() > called.dummies.len() {
            return Err("has other arguments here than where it is declared".to_owned());
        }
        for &id in &closure {
            let procedure = self.facts.procedure(id);
            for symbol in mentioned(procedure) {
                if !procedure.dummies.contains(&procedure.holder_of(symbol)) {
                    self.add_shared(&closure, procedure, symbol, symbols)?;
                }
            }
        }
        let looked = looked_at(self.facts.program, self.callee);
        let mut arguments = self.arguments.iter().zip(&looked);
        arguments.try_for_each(|(argument, looked)| self.add_argument(argument, looked, symbols))
    }

    /// The function with all that it calls.
    fn closure(&self) -> Result<BTreeSet<ProcedureId>, String> {
        let mut found = BTreeSet::from([self.callee]);
        let mut pending = vec![self.callee];
        while let Some(id) = pending.pop() {
            let procedure = self.facts.procedure(id);
            check_body(procedure)?;
            pending.extend(called_procedures(procedure).into_iter().filter(|&called| found.insert(called)));
        }
        Ok(found)
    }

    /// A variable that is no dummy argument and stands in one of the procedures.
    fn add_shared(
        &self,
        closure: &BTreeSet<ProcedureId>,
        procedure: &Procedure,
        symbol: SymbolId,
        symbols: &mut BTreeSet<SymbolId>,
    ) -> Result<(), String> {
        let holder = procedure.symbol(procedure.holder_of(symbol));
        let name = &holder.name;
        let is_own = holder.declaration.is_some_and(|declared| declared.is_within(procedure.span));
        let own = match &holder.storage {
            Storage::Local | Storage::Static => return Ok(()),
            Storage::Allocatable if holder.place.is_none() && is_own => return Ok(()),
            Storage::Global(place) if place.is_of_host() => {
                let is_around =
                    |outer: &Procedure| place.host() == Some(&outer.name) && procedure.span.is_within(outer.span);
                // A variable of one of the procedures, which has none before it is called.
                if closure.iter().any(|&id| is_around(self.facts.procedure(id))) {
                    return Ok(());
                }
                match is_around(self.caller) {
                    true => place.declared_name().and_then(|name| self.caller.find_symbol(name)).into_iter().collect(),
                    false => at_place(self.caller, place),
                }
            }
            Storage::Global(place) => at_place(self.caller, place),
            Storage::Allocatable => match &holder.place {
                Some(place) => at_place(self.caller, place),
                None if procedure.span.is_within(self.caller.span) => {
                    self.caller.find_symbol(name).into_iter().collect()
                }
                None => Vec::new(),
            },
            Storage::Pointer | Storage::Dummy | Storage::Component { .. } => Vec::new(),
        };
        if own.is_empty() {
            return Err(format!("reads `{name}`, for which there is no name here"));
        }
        let component = Component::of(procedure, symbol);
        symbols.extend(own.into_iter().map(|object| {
            component.as_ref().and_then(|component| component.of_object(self.caller, object)).unwrap_or(object)
        }));
        Ok(())
    }

    fn add_argument(
        &self,
        argument: &Expression,
        looked: &Looked,
        symbols: &mut BTreeSet<SymbolId>,
    ) -> Result<(), String> {
        let Some(id) = argument.designated() else { return Ok(()) };
        let symbol = self.caller.symbol(id);
        let name = &symbol.name;
        match symbol.class {
            SymbolClass::Variable => {}
            SymbolClass::Constant(_) | SymbolClass::MessagingConstant => return Ok(()),
            SymbolClass::Procedure => return Err(format!("is given the procedure `{name}`")),
            SymbolClass::Unknown => return Err(format!("is given `{name}`, of which nothing is known")),
        }
        if let ExpressionKind::Part { through_pointer: true, .. } = argument.kind {
            return Err(format!("is given what lies behind a pointer in `{name}`"));
        }
        let components = match argument.kind {
            ExpressionKind::Symbol(_) if !looked.whole && !looked.components.is_empty() => looked
                .components
                .iter()
                .map(|component| component.of_object(self.caller, id))
                .collect::<Option<Vec<SymbolId>>>(),
            _ => None,
        };
        // Even where nothing of it is looked at: which procedure is called may depend on its type.
        symbols.extend(components.unwrap_or_else(|| vec![id]));
        Ok(())
    }
}

/// Why the value of a function that calls this procedure can't be followed.
fn check_body(procedure: &Procedure) -> Result<(), String> {
    if let Some(Untouchable { text: why, .. }) = &procedure.untouchable {
        return Err(format!("could not be read in full: {why}"));
    }
    let is_unclear = |symbol: &Symbol| {
        symbol.class == SymbolClass::Unknown
            || symbol.class == SymbolClass::Variable
                && (symbol.storage == Storage::Pointer
                    || symbol.volatile
                    || symbol.undefined_at_entry
                    || symbol.overlay.is_some())
    };
    if let Some(symbol) = procedure.symbols.iter().find(|symbol| is_unclear(symbol)) {
        return Err(format!("uses `{}`, which is a pointer or shares its memory", symbol.name));
    }
    for statement in &procedure.statements {
        match &statement.kind {
            StatementKind::Call { callee: Callee::Unknown(name), .. } => {
                return Err(format!("calls `{name}`, which is not among the given files"));
            }
            StatementKind::Communication(call) => return Err(format!("calls {}", call.routine)),
            kind if kind.is_opaque() => return Err("has a statement that could not be understood".to_owned()),
            _ => {}
        }
    }
    let expressions = procedure.statements.iter().flat_map(|statement| statement.kind.expressions());
    for part in expressions.chain(&procedure.evaluated_at_entry).flat_map(Expression::walk) {
        match &part.kind {
            ExpressionKind::Call { callee: Callee::Unknown(name), .. } => {
                return Err(format!("calls `{name}`, which is not among the given files"));
            }
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), .. } if is_clock(name) => {
                return Err(format!("calls `{name}`, which gives another value each time"));
            }
            ExpressionKind::Opaque(_) => return Err("has a declaration that could not be understood".to_owned()),
            ExpressionKind::Part { through_pointer: true, .. } => return Err("reads through a pointer".to_owned()),
            _ => {}
        }
    }
    Ok(())
}

/// The names that the procedure has for what is at the place (see [`Storage::Global`]).
fn at_place(procedure: &Procedure, place: &Place) -> Vec<SymbolId> {
    let all = procedure.symbols.iter().enumerate();
    all.filter(|(_, symbol)| symbol.is_at(place)).map(|(index, _)| SymbolId(index)).collect()
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
