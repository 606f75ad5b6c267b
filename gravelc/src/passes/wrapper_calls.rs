//! Calls of procedures that do nothing but call MPI count as calls of MPI ([`crate::analysis::messages::wrappers`]).
//!
//! A call of such a procedure counts as the call of MPI with the actual arguments in the place of the dummy ones
//! ([`with_wrapper_calls`]), and can be converted for itself, while other calls of the procedure stay as they are.
//!
//! The call in the procedure is then executed for calls only that count already. It is left out ([`with_idle_wrappers`])
//! where that is certain: all calls of the procedure are known, and all of them count. What can't be translated for one of
//! the calls is therefore translated for none: else the procedure's own call could convert because of the one, and
//! would be executed for the others, too.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::messages::error_handling::may_be_returned;
use crate::analysis::messages::wrappers::{Translation, WrapperBody, constants_in, module_of, module_of_constant};
use crate::analysis::program::calls::{OtherCallers, call_sites};
use crate::analysis::program::outside::Outside;
use crate::ir::{
    Communication, Expression, Form, MessagingNames, Procedure, ProcedureId, Program, StatementId, StatementKind,
    Symbol,
};
use crate::mutations::Clause;

/// The program in which calls of procedures that only call MPI count as calls of MPI; `None` if there are none.
pub fn with_wrapper_calls(program: &Program) -> Option<Program> {
    let mut resolved: Option<Program> = None;
    let mut done: BTreeSet<ProcedureId> = BTreeSet::new();
    let errors_return = may_be_returned(program);
    let only_calls = |procedure: &Procedure| {
        procedure.dialect().writes(Form::UnwrappedCall)
            && WrapperBody::of(procedure).is_some_and(|body| !body.checks_error || !errors_return)
    };
    // A procedure that only calls such a procedure is one in the next round.
    loop {
        let current = resolved.as_ref().unwrap_or(program);
        let new = current.procedures().filter(|(id, procedure)| !done.contains(id) && only_calls(procedure));
        let new: BTreeSet<ProcedureId> = new.map(|(id, _)| id).collect();
        if new.is_empty() {
            return resolved;
        }
        let mut sites: BTreeMap<ProcedureId, Vec<(ProcedureId, StatementId)>> = BTreeMap::new();
        for site in call_sites(current).into_iter().filter(|site| new.contains(&site.callee)) {
            sites.entry(site.callee).or_default().push((site.caller, site.statement));
        }
        done.extend(new);
        for (wrapper, sites) in sites {
            let copy = resolved.get_or_insert_with(|| program.clone());
            sites.iter().for_each(|&(caller, _)| lend_constants(copy, wrapper, caller));
            let translate = |&(caller, statement): &(ProcedureId, StatementId)| {
                let communication = Translation::of(copy, wrapper, caller, statement)?.communication()?;
                (!sets_what_is_only_read(copy.procedure(caller), &communication)).then_some(communication)
            };
            let translated: Vec<Option<Communication>> = sites.iter().map(translate).collect();
            if !translated.iter().all(Option::is_some) && !Clause::WrappersTogether.is_off() {
                continue;
            }
            for ((caller, statement), communication) in sites.into_iter().zip(translated) {
                if let Some(communication) = communication {
                    copy.procedure_mut(caller).statements[statement.0].kind =
                        StatementKind::Communication(Box::new(communication));
                }
            }
        }
    }
}

/// The program in which the calls of MPI in procedures that are executed only for calls that count already are marked;
/// `None` if there are none.
pub fn with_idle_wrappers(outside: Outside) -> Option<Program> {
    let program = outside.program;
    let statements = program.procedures.iter().flat_map(|procedure| &procedure.statements);
    let mut wrappers: BTreeSet<ProcedureId> = statements
        .filter_map(|statement| match &statement.kind {
            StatementKind::Communication(communication) => Some(communication.wrapper.as_ref()?.procedure),
            _ => None,
        })
        .collect();
    if wrappers.is_empty() {
        return None;
    }
    let callers = OtherCallers::of(outside);
    let called: BTreeSet<ProcedureId> = call_sites(program).iter().map(|site| site.callee).collect();
    wrappers.retain(|&wrapper| callers.callers_are_known(wrapper) && !called.contains(&wrapper));
    let mut marked = program.clone();
    for wrapper in wrappers {
        for statement in &mut marked.procedure_mut(wrapper).statements {
            if let StatementKind::Communication(communication) = &mut statement.kind {
                communication.is_counted_at_callers = true;
            }
        }
    }
    Some(marked)
}

/// Is a request of the call, which MPI sets, a dummy argument with INTENT(IN)? The wrapper's own request may be set for all that
/// its compiler sees, the caller's may not: the call in the wrapper can convert, that of the wrapper can't.
fn sets_what_is_only_read(caller: &Procedure, communication: &Communication) -> bool {
    let request = communication.request().and_then(Expression::designated);
    request.is_some_and(|request| caller.symbol(caller.holder_of(request)).only_read)
}

/// Gives the caller symbols for the constants of MPI that stand in `wrapper`, where it can see the same ones.
fn lend_constants(program: &mut Program, wrapper: ProcedureId, caller: ProcedureId) {
    let lender = program.procedure(wrapper);
    let names = program.procedure(caller).messaging_names;
    let is_same = |constant: &&Symbol| {
        let module = module_of_constant(lender, &constant.name);
        module.is_some() && (names == MessagingNames::Unseen || module_of(names) == module)
    };
    let constants: Vec<Symbol> = constants_in(lender).into_iter().filter(|constant| is_same(&constant)).collect();
    for constant in constants {
        if program.procedure(caller).find_symbol(&constant.name).is_none() {
            program.procedure_mut(caller).symbols.push(Symbol { declaration: None, ..constant });
        }
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
