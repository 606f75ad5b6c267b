//! Procedures of the program that do nothing but call a routine of MPI.
//!
//! Codes that could run over other libraries hide MPI behind procedures of their own: `call send_real(to, values, n)`.
//! Seen from such a procedure all its messages are alike. So a call of it counts as the call of MPI with the actual
//! arguments in the place of the dummy ones ([`with_wrapper_calls`]), and can be converted for itself, while other calls of the
//! procedure stay as they are.
//!
//! The call in the procedure is then executed for calls only that count already. It is left out ([`with_idle_wrappers`])
//! where that is certain: all calls of the procedure are known, and all of them count. What can't be translated for one of
//! the calls is therefore translated for none: else the procedure's own call could convert because of the one, and
//! would be executed for the others, too.

use std::collections::{BTreeMap, BTreeSet};

use super::calls::{OtherCallers, call_sites};
use super::outside::Outside;
use crate::ir::{
    Callee, Communication, Datatype, Expression, ExpressionKind, Message, MessagingNames, Operation, Partner,
    Procedure, ProcedureId, ProcedureKind, Program, Shape, StatementId, StatementKind, Status, Storage, Symbol,
    SymbolClass, SymbolId, TypeCategory, Wrapper,
};
use crate::mutations::Clause;

/// The program in which calls of procedures that only call MPI count as calls of MPI; `None` if there are none.
pub fn with_wrapper_calls(program: &Program) -> Option<Program> {
    let mut resolved: Option<Program> = None;
    let mut done: BTreeSet<ProcedureId> = BTreeSet::new();
    // A procedure that only calls such a procedure is one in the next round.
    loop {
        let current = resolved.as_ref().unwrap_or(program);
        let new =
            current.procedures().filter(|(id, procedure)| !done.contains(id) && wrapped_call(procedure).is_some());
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
                Translation::of(copy, wrapper, caller, statement)?.communication()
            };
            let translated: Vec<Option<Communication>> = sites.iter().map(translate).collect();
            if !translated.iter().all(Option::is_some) && !Clause::WrappersTogether.is_off() {
                continue;
            }
            for ((caller, statement), communication) in sites.into_iter().zip(translated) {
                if let Some(communication) = communication {
                    copy.procedures[caller.0].statements[statement.0].kind =
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
        for statement in &mut marked.procedures[wrapper.0].statements {
            if let StatementKind::Communication(communication) = &mut statement.kind {
                communication.is_counted_at_callers = true;
            }
        }
    }
    Some(marked)
}

/// The call of MPI that a procedure consists of.
fn wrapped_call(procedure: &Procedure) -> Option<StatementId> {
    if procedure.kind != ProcedureKind::Subroutine || procedure.untouchable.is_some() {
        return None;
    }
    let (&last, _) = procedure.body.split_last()?;
    let mut call = None;
    for &id in &procedure.body {
        let statement = procedure.statement(id);
        match &statement.kind {
            StatementKind::Communication(communication) if call.is_none() && is_blocking(&communication.operation) => {
                call = Some(id);
            }
            StatementKind::Nothing => {}
            StatementKind::Return if id == last => {}
            _ => return None,
        }
        if statement.jump_target {
            return None;
        }
    }
    call
}

/// Is it a send, a receive or both that is over when the call returns?
fn is_blocking(operation: &Operation) -> bool {
    match operation {
        Operation::Send { request, .. } | Operation::Receive { request, .. } => request.is_none(),
        Operation::SendReceive { .. } => true,
        _ => false,
    }
}

/// The module that has MPI's names as a procedure sees them.
fn module_of(names: MessagingNames) -> Option<&'static str> {
    match names {
        MessagingNames::All(module) | MessagingNames::Some(module) => Some(module),
        MessagingNames::Unseen | MessagingNames::Unclear => None,
    }
}

/// The module that has the constant as it stands in the call that `wrapper` makes.
fn module_of_constant(wrapper: &Procedure, name: &str) -> Option<&'static str> {
    let own = module_of(wrapper.messaging_names);
    own.or_else(|| match &wrapper.statement(wrapped_call(wrapper)?).kind {
        StatementKind::Communication(call) => {
            let mut borrowed = call.wrapper.iter().flat_map(|inner| &inner.borrowed);
            borrowed.find(|(_, known)| known == name).map(|(module, _)| *module)
        }
        _ => None,
    })
}

/// The constants of MPI in the call that `wrapper` makes.
fn constants_in(wrapper: &Procedure) -> Vec<SymbolId> {
    let statement = wrapped_call(wrapper).map(|call| wrapper.statement(call));
    let parts = statement.into_iter().flat_map(|statement| statement.kind.expressions()).flat_map(Expression::walk);
    let symbols = parts.filter_map(|part| match part.kind {
        ExpressionKind::Symbol(id) => Some(id),
        _ => None,
    });
    symbols.filter(|&id| wrapper.symbol(id).class == SymbolClass::MessagingConstant).collect()
}

/// Gives the caller symbols for the constants of MPI that stand in `wrapper`, where it can see the same ones.
fn lend_constants(program: &mut Program, wrapper: ProcedureId, caller: ProcedureId) {
    let lender = program.procedure(wrapper);
    let names = program.procedure(caller).messaging_names;
    let is_same = |constant: &&Symbol| {
        let module = module_of_constant(lender, &constant.name);
        module.is_some() && (names == MessagingNames::Unseen || module_of(names) == module)
    };
    let constants = constants_in(lender).into_iter().map(|id| lender.symbol(id)).filter(is_same);
    let constants: Vec<Symbol> = constants.cloned().collect();
    let borrower = &mut program.procedures[caller.0];
    for constant in constants {
        if borrower.find_symbol(&constant.name).is_none() {
            borrower.symbols.push(Symbol { declaration: None, ..constant });
        }
    }
}

/// One call of a procedure that only calls MPI.
struct Translation<'p> {
    wrapper: &'p Procedure,
    wrapper_id: ProcedureId,
    /// What the wrapper calls.
    call: &'p Communication,
    caller: &'p Procedure,
    /// The actual arguments.
    arguments: &'p [Expression],
}

impl<'p> Translation<'p> {
    fn of(program: &'p Program, wrapper: ProcedureId, caller: ProcedureId, statement: StatementId) -> Option<Self> {
        let (wrapper_id, wrapper) = (wrapper, program.procedure(wrapper));
        let caller = program.procedure(caller);
        let StatementKind::Communication(call) = &wrapper.statement(wrapped_call(wrapper)?).kind else { return None };
        let StatementKind::Call { callee: Callee::Procedure(_), arguments } = &caller.statement(statement).kind else {
            return None;
        };
        (arguments.len() == wrapper.dummies.len()).then_some(Self { wrapper, wrapper_id, call, caller, arguments })
    }

    /// The call of MPI that the call amounts to, if all its arguments mean something to the caller.
    fn communication(&self) -> Option<Communication> {
        let operation = match &self.call.operation {
            Operation::Send { message, mode, request: None } => {
                Operation::Send { message: self.message(message)?, mode: *mode, request: None }
            }
            Operation::Receive { message, request: None, status } => {
                Operation::Receive { message: self.message(message)?, request: None, status: self.status(status)? }
            }
            Operation::SendReceive { send, receive, status } => Operation::SendReceive {
                send: self.message(send)?,
                receive: Box::new(self.message(receive)?),
                status: self.status(status)?,
            },
            _ => return None,
        };
        let error = match &self.call.error {
            Some(error) if !self.is_forgotten(error) => Some(self.scalar(error)?),
            _ => None,
        };
        let borrowed = self.borrowed()?;
        Some(Communication {
            routine: self.call.routine.clone(),
            operation,
            error,
            wrapper: Some(Wrapper { procedure: self.wrapper_id, borrowed }),
            is_counted_at_callers: false,
        })
    }

    /// The constants that the caller has to import, with their module; `None` where it has another meaning for one.
    fn borrowed(&self) -> Option<Vec<(&'static str, String)>> {
        let own = self.caller.messaging_names;
        let mut borrowed = Vec::new();
        for id in constants_in(self.wrapper) {
            let constant = self.wrapper.symbol(id);
            let module = module_of_constant(self.wrapper, &constant.name)?;
            if own != MessagingNames::Unseen && module_of(own) != Some(module) {
                return None;
            }
            if own != MessagingNames::All(module) {
                borrowed.push((module, constant.name.clone()));
            }
        }
        borrowed.sort();
        borrowed.dedup();
        Some(borrowed)
    }

    fn message(&self, message: &Message) -> Option<Message> {
        let handle = self.value(&message.datatype.handle)?;
        let predefined = match handle.kind {
            ExpressionKind::Symbol(id) if self.caller.symbol(id).class == SymbolClass::MessagingConstant => {
                Some(self.caller.symbol(id).element).filter(|element| element.bytes.is_some())
            }
            _ => None,
        };
        Some(Message {
            buffer: self.buffer(&message.buffer)?,
            count: self.value(&message.count)?,
            datatype: Datatype { handle, predefined },
            partner: match &message.partner {
                Partner::Process { peer, tag } => Partner::Process { peer: self.value(peer)?, tag: self.value(tag)? },
                Partner::Everyone => Partner::Everyone,
            },
            communicator: self.value(&message.communicator)?,
        })
    }

    /// The actual argument for a dummy argument that stands for the caller's memory.
    fn actual(&self, dummy: SymbolId) -> Option<&'p Expression> {
        let position = self.wrapper.dummies.iter().position(|&other| other == dummy)?;
        let symbol = self.wrapper.symbol(dummy);
        let is_plain = symbol.storage == Storage::Dummy
            && symbol.class == SymbolClass::Variable
            && !symbol.target
            && !symbol.volatile
            && symbol.overlay.is_none();
        self.arguments.get(position).filter(|_| is_plain)
    }

    /// A dummy argument from its beginning on.
    fn buffer(&self, buffer: &Expression) -> Option<Expression> {
        let dummy = match &buffer.kind {
            ExpressionKind::Symbol(id) => *id,
            ExpressionKind::Element { array, subscripts } if self.is_first_element(*array, subscripts) => *array,
            _ => return None,
        };
        self.actual(dummy).filter(|actual| actual.designated().is_some()).cloned()
    }

    fn is_first_element(&self, array: SymbolId, subscripts: &[Expression]) -> bool {
        let Shape::Array(dimensions) = &self.wrapper.symbol(array).shape else { return false };
        dimensions.len() == subscripts.len()
            && dimensions.iter().zip(subscripts).all(|(dimension, subscript)| {
                let lower = dimension.lower.as_ref().map(|lower| &lower.kind);
                matches!(lower, Some(ExpressionKind::Integer(_))) && lower == Some(&subscript.kind)
            })
    }

    /// A value that the call hands over: a constant, a dummy argument, or a variable that the caller sees, too.
    fn value(&self, value: &Expression) -> Option<Expression> {
        let id = match value.kind {
            ExpressionKind::Integer(_) => return Some(value.clone()),
            ExpressionKind::Symbol(id) => id,
            _ => return None,
        };
        let symbol = self.wrapper.symbol(id);
        match &symbol.class {
            SymbolClass::Constant(Some(number)) => {
                let is_default = symbol.element.bytes.is_none_or(|bytes| bytes == 4);
                is_default.then(|| Expression::new(ExpressionKind::Integer(*number), value.span))
            }
            SymbolClass::MessagingConstant => {
                let own = self.caller.find_symbol(&symbol.name)?;
                let is_same = self.caller.symbol(own).class == SymbolClass::MessagingConstant;
                is_same.then(|| Expression::new(ExpressionKind::Symbol(own), value.span))
            }
            SymbolClass::Variable if self.wrapper.dummies.contains(&id) => self.scalar(value),
            SymbolClass::Variable => {
                let place = symbol.shared_variable()?;
                let own = self.caller.symbols.iter().position(|other| other.shared_variable() == Some(place))?;
                Some(Expression::new(ExpressionKind::Symbol(SymbolId(own)), value.span))
            }
            _ => None,
        }
    }

    /// The actual argument for a dummy argument that is a scalar, of the same type as far as that can be seen.
    fn scalar(&self, dummy: &Expression) -> Option<Expression> {
        let ExpressionKind::Symbol(dummy) = dummy.kind else { return None };
        let symbol = self.wrapper.symbol(dummy);
        let is_handle_or_number = matches!(symbol.element.category, TypeCategory::Integer | TypeCategory::Derived);
        if symbol.shape != Shape::Scalar || !is_handle_or_number {
            return None;
        }
        let actual = self.actual(dummy)?;
        let fits = match &actual.kind {
            // The size of what is not declared here follows the compiler's flags on both sides.
            ExpressionKind::Integer(_) => symbol.element.bytes.is_none_or(|bytes| bytes == 4),
            ExpressionKind::Symbol(id) => {
                let own = self.caller.symbol(*id);
                let is_alike = own.element == symbol.element
                    || own.class == SymbolClass::MessagingConstant
                    || matches!(own.class, SymbolClass::Constant(_)) && own.element.bytes.is_none();
                own.shape == Shape::Scalar && is_alike
            }
            ExpressionKind::Element { array, .. } => self.caller.symbol(*array).element == symbol.element,
            ExpressionKind::Unary { .. } | ExpressionKind::Binary { .. } | ExpressionKind::Part { .. } => true,
            ExpressionKind::Call { .. } | ExpressionKind::Computed(_) => true,
            _ => false,
        };
        fits.then(|| actual.clone())
    }

    /// A variable of the wrapper's own, which nobody looks at when the call is over.
    fn is_forgotten(&self, variable: &Expression) -> bool {
        variable.designated().is_some_and(|id| {
            let symbol = self.wrapper.symbol(id);
            symbol.class == SymbolClass::Variable
                && matches!(symbol.storage, Storage::Local | Storage::Static)
                && !symbol.target
                && !symbol.volatile
                && symbol.overlay.is_none()
        })
    }

    /// The status, which for an array has to be one here, too.
    fn status(&self, status: &Status) -> Option<Status> {
        let variable = match status {
            Status::Ignored => return Some(Status::Ignored),
            Status::Stored(variable) if self.is_forgotten(variable) => return Some(Status::Ignored),
            Status::Stored(variable) => variable,
        };
        let ExpressionKind::Symbol(dummy) = variable.kind else { return None };
        let actual = self.actual(dummy)?;
        let own = self.caller.symbol(actual.designated()?);
        let fits = match (&self.wrapper.symbol(dummy).shape, &actual.kind) {
            (Shape::Scalar, ExpressionKind::Symbol(_)) => own.shape == Shape::Scalar,
            (Shape::Scalar, ExpressionKind::Element { .. }) => true,
            (Shape::Array(one), ExpressionKind::Symbol(_)) => one.len() == own.rank(),
            _ => false,
        };
        (fits && own.class == SymbolClass::Variable).then(|| Status::Stored(actual.clone()))
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
