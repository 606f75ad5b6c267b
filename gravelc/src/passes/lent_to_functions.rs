//! Names for what functions look at that stand in the arguments of MPI calls and in the conditions above them.
//!
//! `call mpi_send(this%u, this%width(), …)`: the value of `this%width()` is that of `this%columns`, which the procedure may
//! not name. With a name of its own for it, what changes it is seen, and what changes other parts of `this` is none of that;
//! without one, all of the object counts ([`crate::analysis::memory::repeatable`]). In the same way a variable of a module has to have a name
//! here.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::lent_variables::lendable;
use crate::analysis::memory::effects::called_procedures;
use crate::analysis::program::looked_at::{looked_at, mentioned};
use crate::ir::{
    Callee, ComponentPath, Expression, ExpressionKind, Procedure, ProcedureId, Program, StatementKind, Storage, Symbol,
    SymbolClass, SymbolId,
};

/// The program in which procedures that communicate have names for what the functions look at on which their messages depend;
/// `None` if nothing is lent.
pub fn with_names_for_functions(program: &Program) -> Option<Program> {
    let mut lent: Vec<(ProcedureId, Symbol)> = Vec::new();
    for (id, body) in program.procedures() {
        let mut new: Vec<Symbol> = Vec::new();
        for (callee, arguments) in functions_of_messages(body) {
            new.extend(components(program, body, callee, arguments));
            for called in closure(program, callee) {
                let shared = mentioned(program.procedure(called)).into_iter();
                new.extend(shared.filter_map(|symbol| lendable(program, called, symbol, id)));
            }
        }
        for symbol in new {
            if !lent.iter().any(|(to, known)| *to == id && known.name == symbol.name) {
                lent.push((id, symbol));
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

/// The calls of functions of the program in calls of MPI, and in the conditions of a procedure that has some.
fn functions_of_messages(body: &Procedure) -> Vec<(ProcedureId, &[Expression])> {
    let is_communication = |kind: &StatementKind| matches!(kind, StatementKind::Communication(_));
    if !body.statements.iter().any(|statement| is_communication(&statement.kind)) {
        return Vec::new();
    }
    let kinds = body.statements.iter().map(|statement| &statement.kind);
    let kinds = kinds.filter(|kind| is_communication(kind) || matches!(kind, StatementKind::If { .. }));
    let parts = kinds.flat_map(StatementKind::expressions).flat_map(Expression::walk);
    let calls = parts.filter_map(|part| match &part.kind {
        ExpressionKind::Call { callee: Callee::Procedure(callee), arguments } => Some((*callee, arguments.as_slice())),
        _ => None,
    });
    calls.collect()
}

fn closure(program: &Program, callee: ProcedureId) -> BTreeSet<ProcedureId> {
    let mut found = BTreeSet::from([callee]);
    let mut pending = vec![callee];
    while let Some(id) = pending.pop() {
        let called = called_procedures(program.procedure(id)).into_iter();
        pending.extend(called.filter(|&called| found.insert(called)));
    }
    found
}

/// Symbols for the components that the function names of objects which it is handed as a whole.
fn components(program: &Program, caller: &Procedure, callee: ProcedureId, arguments: &[Expression]) -> Vec<Symbol> {
    let mut found = Vec::new();
    for (argument, looked) in arguments.iter().zip(looked_at(program, callee)) {
        let ExpressionKind::Symbol(object) = argument.kind else { continue };
        if looked.whole || !has_components_apart(caller, object) {
            continue;
        }
        for component in looked.components {
            let Storage::Component { name, allocatable, .. } = &component.symbol.storage else { continue };
            let own = caller.symbol(object);
            if component.named_in(caller, object).is_none() {
                let path = ComponentPath { object: own.name.clone(), members: component.members.clone() };
                found.push(Symbol {
                    name: path.written(caller.dialect().component_separator()),
                    declaration: own.declaration,
                    storage: Storage::Component {
                        holder: object,
                        name: name.clone(),
                        path: Arc::new(path),
                        allocatable: *allocatable,
                    },
                    target: own.target,
                    volatile: own.volatile,
                    may_be_strided: own.may_be_strided,
                    initialised: own.initialised,
                    lent: true,
                    renamed: false,
                    found_bounds: Vec::new(),
                    overlay: None,
                    ..component.symbol.clone()
                });
            }
        }
    }
    found
}

/// Is the variable a single object that nothing but its own name and those of its targets leads to?
fn has_components_apart(procedure: &Procedure, id: SymbolId) -> bool {
    let symbol = procedure.symbol(id);
    let lives_by_itself = match &symbol.storage {
        Storage::Local | Storage::Static | Storage::Dummy => true,
        Storage::Global(place) => place.is_of_module() || place.is_of_host(),
        Storage::Allocatable | Storage::Pointer | Storage::Component { .. } => false,
    };
    symbol.class == SymbolClass::Variable
        && symbol.rank() == 0
        && !symbol.volatile
        && symbol.overlay.is_none()
        && lives_by_itself
}
