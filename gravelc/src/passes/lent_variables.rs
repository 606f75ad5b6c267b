//! Variables of modules that a procedure does not name, although what it calls does.
//!
//! A receive can be posted by a procedure that calls its own only if the caller can say what the receive is made of, and if
//! whatever changes that on the way is known. Both ask for a name in the caller. So it is lent the variables of modules that
//! the receive needs, where it could import them.

use crate::ir::{
    ArrayDimension, Callee, Expression, ExpressionKind, Module, Procedure, ProcedureId, Program, Shape, Span,
    StatementId, StatementKind, Symbol, SymbolClass, SymbolId,
};

use crate::analysis::algebra::symbolic::polynomial_of;

/// The program in which callers have names for what the receives of called procedures need; `None` if nothing is lent.
pub fn with_lent_variables(program: &Program) -> Option<Program> {
    let needed: Vec<Vec<SymbolId>> =
        program.procedures().map(|(_, procedure)| needed_for_receives(procedure)).collect();
    let mut lent: Vec<(ProcedureId, Symbol)> = Vec::new();
    for (caller, body) in program.procedures() {
        for statement in &body.statements {
            let StatementKind::Call { callee: Callee::Procedure(callee), .. } = &statement.kind else { continue };
            for &symbol in &needed[callee.0] {
                let is_new =
                    |symbol: &Symbol| !lent.iter().any(|(to, known)| *to == caller && known.name == symbol.name);
                if let Some(symbol) = lendable(program, *callee, symbol, caller).filter(is_new) {
                    lent.push((caller, symbol));
                }
            }
        }
    }
    if lent.is_empty() {
        return None;
    }
    let mut copy = program.clone();
    lent.into_iter().for_each(|(to, symbol)| copy.procedure_mut(to).symbols.push(symbol));
    Some(copy)
}

/// The variables that other procedures see and that the procedure's receives, and the branches they stand in, need.
fn needed_for_receives(procedure: &Procedure) -> Vec<SymbolId> {
    let mut found: Vec<SymbolId> = Vec::new();
    for statement in &procedure.statements {
        let StatementKind::Communication(communication) = &statement.kind else { continue };
        let Some(message) = communication.received() else { continue };
        let mut expressions = message.expressions();
        let parents = std::iter::successors(statement.parent, |&id: &StatementId| procedure.statement(id).parent);
        for parent in parents {
            if let StatementKind::If { arms, .. } = &procedure.statement(parent).kind {
                expressions.extend(arms.iter().map(|arm| &arm.condition));
            }
        }
        found.extend(expressions.into_iter().flat_map(Expression::walk).filter_map(Expression::designated));
    }
    found.retain(|&id| procedure.symbol(id).shared_variable().is_some());
    found.sort();
    found.dedup();
    found
}

/// Could the procedure, which has no name for the variable `name` of the module, call it so, if it imports it where it does not
/// see it?
pub fn could_name(program: &Program, procedure: ProcedureId, module: &str, name: &str) -> bool {
    let body = program.procedure(procedure);
    let is_inside = program.is_inside_module(body, module);
    let is_visible = |known: &Module| known.name == module && (is_inside || known.public_variables.contains(name));
    // A submodule may not import what it extends, not even by way of another module.
    let may_import = program.submodule_around(body).is_none() || is_inside;
    may_import
        && program.modules.iter().any(is_visible)
        && program.naming.as_ref().is_some_and(|naming| naming.could_call(procedure, module, name))
        && body.symbols.iter().all(|own| own.name != name)
        && !mentions(program, body, name)
}

/// The symbol of `lender` for a variable of a module, as the caller can have it; `None` where it has it already, or may
/// not.
pub fn lendable(program: &Program, lender: ProcedureId, symbol: SymbolId, caller: ProcedureId) -> Option<Symbol> {
    let (lender, borrower) = (program.procedure(lender), program.procedure(caller));
    let symbol = lender.symbol(symbol);
    let place = symbol.shared_variable()?;
    let (module, name) = place.import()?;
    let has_it = borrower.symbols.iter().any(|own| own.shared_variable() == Some(place));
    if has_it || symbol.class != SymbolClass::Variable || !could_name(program, caller, module, name) {
        return None;
    }
    let shape = match &symbol.shape {
        Shape::Scalar => Shape::Scalar,
        Shape::Array(dimensions) => {
            let dimension = |dimension: &ArrayDimension| {
                let (lower, upper) = (number(lender, &dimension.lower)?, number(lender, &dimension.upper)?);
                Some(ArrayDimension { lower, upper })
            };
            Shape::Array(dimensions.iter().map(dimension).collect::<Option<Vec<_>>>()?)
        }
    };
    Some(Symbol { name: name.to_owned(), declaration: None, shape, lent: true, ..symbol.clone() })
}

/// A bound that means the same everywhere: a number, or none.
fn number(procedure: &Procedure, bound: &Option<Expression>) -> Option<Option<Expression>> {
    let Some(bound) = bound else { return Some(None) };
    let value = polynomial_of(procedure, bound)?.as_constant()?;
    let place = Span { end: bound.span.start, ..bound.span };
    Some(Some(Expression::new(ExpressionKind::Integer(value), place)))
}

/// Does the word stand anywhere in the text of the procedure, which may mean something else by it? Comments don't count,
/// as far as they are certain to be comments.
fn mentions(program: &Program, procedure: &Procedure, name: &str) -> bool {
    let (dialect, layout) = (procedure.dialect(), program.file(procedure.span.file).layout);
    let text = program.text(procedure.span);
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    text.lines().any(|line| {
        let mut words = dialect.without_comment(line, layout).split(|character| !is_part(character));
        words.any(|word| dialect.is_same_name(word.as_bytes(), name.as_bytes()))
    })
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
