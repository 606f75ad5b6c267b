//! Which procedures may change a component that bounds are made of, in an object that exists already.
//!
//! Effects speak of the objects that a call is handed as a whole. Here it is asked by the name of the component: a procedure
//! changes it if it stores to it by that name, in any object, if it gives an object a value as a whole, or if it calls a
//! procedure that does. Whoever asks has made sure that nothing is stored to the component otherwise than by its name
//! (through a pointer or an argument), and that all of the program is given and understood.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::analysis::program::calls::call_sites;
use crate::ir::{
    Callee, ComponentName, Expression, ExpressionKind, Procedure, ProcedureId, Program, StatementKind, Storage,
    SymbolId, TypeCategory,
};

/// The procedures that may change components.
pub(super) struct ChangingProcedures<'p> {
    program: &'p Program,
    /// Who calls a procedure.
    callers: OnceCell<BTreeMap<ProcedureId, BTreeSet<ProcedureId>>>,
    known: RefCell<BTreeMap<ComponentName, Rc<BTreeSet<ProcedureId>>>>,
}

impl<'p> ChangingProcedures<'p> {
    /// Those of a program.
    pub fn new(program: &'p Program) -> Self {
        Self { program, callers: OnceCell::new(), known: RefCell::default() }
    }

    /// May the component, a scalar, of some object get another value while the procedure runs?
    pub fn may_change(&self, procedure: ProcedureId, component: &ComponentName) -> bool {
        let known = self.known.borrow().get(component).cloned();
        let changing = known.unwrap_or_else(|| {
            let found = Rc::new(self.changing(component));
            self.known.borrow_mut().insert(component.clone(), Rc::clone(&found));
            found
        });
        changing.contains(&procedure)
    }

    fn changing(&self, component: &ComponentName) -> BTreeSet<ProcedureId> {
        let callers = self.callers.get_or_init(|| {
            let mut callers: BTreeMap<ProcedureId, BTreeSet<ProcedureId>> = BTreeMap::new();
            for site in call_sites(self.program) {
                callers.entry(site.callee).or_default().insert(site.caller);
            }
            callers
        });
        let changes_itself =
            self.program.procedures().filter(|(_, procedure)| changes(procedure, component)).map(|(id, _)| id);
        let mut pending: Vec<ProcedureId> = changes_itself.collect();
        let mut found = BTreeSet::new();
        while let Some(id) = pending.pop() {
            if found.insert(id) {
                pending.extend(callers.get(&id).into_iter().flatten());
            }
        }
        found
    }
}

/// Does a procedure change the component, apart from what it calls?
fn changes(procedure: &Procedure, component: &ComponentName) -> bool {
    // An object with INTENT(OUT) begins anew.
    let begins_anew = procedure.dummies.iter().any(|&dummy| {
        let symbol = procedure.symbol(dummy);
        symbol.undefined_at_entry && is_object(procedure, dummy)
    });
    begins_anew
        || procedure.evaluated_at_entry.iter().any(|expression| hands_objects_out(procedure, expression))
        || procedure.statements.iter().any(|statement| changes_by_itself(procedure, &statement.kind, component))
}

fn changes_by_itself(procedure: &Procedure, kind: &StatementKind, component: &ComponentName) -> bool {
    if kind.expressions().into_iter().any(|expression| hands_objects_out(procedure, expression)) {
        return true;
    }
    let is_changed = |written: &Expression| may_be_changed(procedure, written, component);
    match kind {
        StatementKind::Assign { target, .. } => is_changed(target),
        StatementKind::Lifetime { variables, .. } => variables.iter().any(is_changed),
        StatementKind::InputOutput { writes, .. } => writes.iter().any(is_changed),
        StatementKind::Call { callee: Callee::Unknown(_), arguments } => arguments.iter().any(is_changed),
        // MPI's own objects (requests, statuses) are none of the program's.
        StatementKind::Communication(communication) => communication.expressions().into_iter().any(|argument| {
            let is_of_program = argument.designated().is_some_and(|it| procedure.symbol(it).structure.is_some());
            is_of_program && is_changed(argument)
        }),
        StatementKind::Opaque(_) => true,
        // What a given procedure does with its arguments, it does itself.
        StatementKind::Call { callee: Callee::Procedure(_) | Callee::PureIntrinsic(_), .. }
        | StatementKind::Loop(_)
        | StatementKind::While { .. }
        | StatementKind::If { .. }
        | StatementKind::Select { .. }
        | StatementKind::Scope(_)
        | StatementKind::Exit(_)
        | StatementKind::Cycle(_)
        | StatementKind::Jump
        | StatementKind::Return
        | StatementKind::Stop
        | StatementKind::Nothing => false,
    }
}

/// Does an expression hand an object to a function that was not given, or is it not understood?
fn hands_objects_out(procedure: &Procedure, expression: &Expression) -> bool {
    expression.any(&|part| match &part.kind {
        ExpressionKind::Call { callee: Callee::Unknown(_), arguments } => {
            arguments.iter().any(|argument| argument.designated().is_none_or(|it| is_object(procedure, it)))
        }
        ExpressionKind::Opaque(_) => true,
        _ => false,
    })
}

/// May what is written be the component, or an object that has it?
fn may_be_changed(procedure: &Procedure, written: &Expression, component: &ComponentName) -> bool {
    let Some(id) = written.designated() else {
        // A value, no memory.
        return matches!(written.kind, ExpressionKind::Opaque(_));
    };
    match (&written.kind, &procedure.symbol(id).storage) {
        (_, Storage::Component { name, .. }) => name == component,
        _ => is_object(procedure, id),
    }
}

/// May the variable be an object, or one of something that has objects?
fn is_object(procedure: &Procedure, id: SymbolId) -> bool {
    let symbol = procedure.symbol(id);
    let is_component = matches!(symbol.storage, Storage::Component { .. });
    !is_component && matches!(symbol.element.category, TypeCategory::Derived | TypeCategory::Unknown)
}
