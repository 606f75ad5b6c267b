//! What a call of a procedure that only calls MPI amounts to: the call with the caller's arguments in the place of the dummy
//! ones. In the same way a message of a procedure that does other things, too, is what its caller can say of it
//! ([`crate::analysis::messages::callers_view`]).

use std::collections::BTreeMap;

use super::body::{FUNCTIONS, WrapperBody, is_handle_or_number};
use super::{constants_in, module_of, module_of_constant};
use crate::ir::{
    BinaryOperator, Callee, Communication, Datatype, DatatypeLayout, DerivedDatatype, Expression, ExpressionKind,
    Message, MessagingNames, Operation, Partner, Procedure, ProcedureId, Program, Shape, Span, StatementId,
    StatementKind, Status, Storage, Symbol, SymbolClass, SymbolId, TypeCategory, UnaryOperator, Wrapper,
};
use crate::mutations::Clause;

/// The process to which and from which nothing goes.
pub(super) const NOBODY: &str = "mpi_proc_null";

/// One call of a procedure that calls MPI.
pub struct Translation<'p> {
    program: &'p Program,
    wrapper: &'p Procedure,
    wrapper_id: ProcedureId,
    /// What it does.
    body: WrapperBody<'p>,
    /// What it calls.
    call: &'p Communication,
    caller: &'p Procedure,
    /// The actual arguments.
    arguments: &'p [Expression],
    /// Constants of MPI stand for themselves, also where the caller has no name for them.
    keeps_constants: bool,
}

impl<'p> Translation<'p> {
    /// The call of `wrapper` by this statement of `caller`.
    pub fn of(program: &'p Program, wrapper: ProcedureId, caller: ProcedureId, statement: StatementId) -> Option<Self> {
        let (wrapper_id, wrapper) = (wrapper, program.procedure(wrapper));
        let caller = program.procedure(caller);
        let body = WrapperBody::of(wrapper)?;
        let StatementKind::Communication(call) = &wrapper.statement(body.call).kind else { return None };
        let StatementKind::Call { callee: Callee::Procedure(_), arguments } = &caller.statement(statement).kind else {
            return None;
        };
        (arguments.len() == wrapper.dummies.len()).then_some(Self {
            program,
            wrapper,
            wrapper_id,
            body,
            call,
            caller,
            arguments,
            keeps_constants: false,
        })
    }

    /// For what stands in the call of MPI `inner` of `callee`, which `statement` of `caller` calls, and is evaluated when
    /// `callee` begins.
    pub(in crate::analysis) fn of_inner_call(
        program: &'p Program,
        (callee, inner): (ProcedureId, StatementId),
        (caller, statement): (ProcedureId, StatementId),
    ) -> Option<Self> {
        let (wrapper_id, wrapper) = (callee, program.procedure(callee));
        let caller = program.procedure(caller);
        let StatementKind::Communication(call) = &wrapper.statement(inner).kind else { return None };
        let StatementKind::Call { callee: Callee::Procedure(called), arguments } = &caller.statement(statement).kind
        else {
            return None;
        };
        let body = WrapperBody { call: inner, guards: Vec::new(), locals: BTreeMap::new(), checks_error: false };
        let fits = *called == callee && arguments.len() == wrapper.dummies.len();
        fits.then_some(Self { program, wrapper, wrapper_id, body, call, caller, arguments, keeps_constants: true })
    }

    /// The call of MPI that the call amounts to, if all its arguments mean something to the caller.
    pub fn communication(&self) -> Option<Communication> {
        if !self.body.guards.is_empty() && !self.may_be_left_out() && !Clause::LeftOutCalls.is_off() {
            return None;
        }
        let operation = match &self.call.operation {
            Operation::Send { message, mode, request } => Operation::Send {
                message: self.message(message)?,
                mode: *mode,
                request: self.optional_request(request.as_ref())?,
            },
            Operation::Receive { message, request, status } => Operation::Receive {
                message: self.message(message)?,
                request: self.optional_request(request.as_ref())?,
                status: self.status(status)?,
            },
            Operation::SendReceive { send, receive, in_one_buffer, status } => Operation::SendReceive {
                send: self.message(send)?,
                receive: Box::new(self.message(receive)?),
                in_one_buffer: *in_one_buffer,
                status: self.status(status)?,
            },
            Operation::Wait { request, status } => {
                Operation::Wait { request: self.request(request)?, status: self.status(status)? }
            }
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

    /// A call that is left out is one to or from nobody, which touches no buffer (MPI 4.0, 3.10): unless the caller looks at
    /// what such a call sets.
    fn may_be_left_out(&self) -> bool {
        let is_lost = |variable: Option<&Expression>| variable.is_none_or(|variable| self.is_forgotten(variable));
        let is_to_one = |message: &Message| matches!(message.partner, Partner::Process { .. });
        self.call.messages().next().is_some()
            && self.call.messages().all(is_to_one)
            && self.body.is_defined_anywhere(self.call)
            && self.call.request().is_none()
            && is_lost(self.call.error.as_ref())
            && is_lost(self.call.status().variable())
    }

    /// The request of a call that has one; `Some(None)` for one that has none.
    fn optional_request(&self, request: Option<&Expression>) -> Option<Option<Expression>> {
        match request {
            Some(request) => self.request(request).map(Some),
            None => Some(None),
        }
    }

    /// The variable that the caller hands over for the request.
    fn request(&self, request: &Expression) -> Option<Expression> {
        let ExpressionKind::Symbol(dummy) = request.kind else { return None };
        let symbol = self.wrapper.symbol(dummy);
        let actual = self.actual(dummy).filter(|_| symbol.shape == Shape::Scalar)?;
        let own = self.caller.symbol(actual.designated()?);
        let is_element = match actual.kind {
            ExpressionKind::Symbol(_) => own.shape == Shape::Scalar,
            ExpressionKind::Element { .. } => true,
            _ => false,
        };
        (is_element && own.class == SymbolClass::Variable && own.element == symbol.element).then(|| actual.clone())
    }

    /// The constants that the caller has to import, with their module; `None` where it has another meaning for one.
    fn borrowed(&self) -> Option<Vec<(&'static str, String)>> {
        let own = self.caller.messaging_names;
        let mut borrowed = Vec::new();
        for constant in constants_in(self.wrapper) {
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

    /// The message with the caller's names for everything.
    pub(in crate::analysis) fn message(&self, message: &Message) -> Option<Message> {
        let handle = self.value(&message.datatype.handle)?;
        let predefined = match handle.kind {
            _ if self.keeps_constants => message.datatype.predefined,
            ExpressionKind::Symbol(id) if self.caller.symbol(id).class == SymbolClass::MessagingConstant => {
                Some(self.caller.symbol(id).element).filter(|element| element.bytes.is_some())
            }
            _ => None,
        };
        // Where the elements lie is said in the procedure's own names, unless it is said in numbers.
        let is_plain = |layout: &DatatypeLayout| layout.polynomials().all(|it| it.as_constant().is_some());
        let derived = message.datatype.derived.clone().filter(|_| self.keeps_constants);
        let derived = derived.map(|derived| DerivedDatatype { layout: derived.layout.filter(is_plain), ..derived });
        Some(Message {
            buffer: self.buffer(&message.buffer)?,
            count: self.value(&message.count)?,
            datatype: Datatype { predefined, derived, ..Datatype { handle, ..message.datatype.clone() } },
            partner: match &message.partner {
                Partner::Process { peer, tag } => Partner::Process { peer: self.value(peer)?, tag: self.value(tag)? },
                Partner::Everyone => Partner::Everyone,
                Partner::EveryoneInBlocks { displacements } => {
                    Partner::EveryoneInBlocks { displacements: self.value(displacements)? }
                }
            },
            communicator: self.value(&message.communicator)?,
            condition: self.condition()?,
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

    /// A dummy argument from its beginning on; where the procedure stays, also a variable that both see, and no argument
    /// that loses what it holds when the procedure begins, or may be handed over as a copy.
    fn buffer(&self, buffer: &Expression) -> Option<Expression> {
        if self.keeps_constants {
            if let Some(shared) = self.shared(buffer) {
                return Some(shared);
            }
            let dummy = self.wrapper.symbol(buffer.designated()?);
            if dummy.undefined_at_entry {
                return None;
            }
        }
        let dummy = match &buffer.kind {
            ExpressionKind::Symbol(id) => *id,
            ExpressionKind::Element { array, subscripts } if self.is_first_element(*array, subscripts) => *array,
            _ => return None,
        };
        let is_section = |actual: &Expression| matches!(actual.kind, ExpressionKind::Section { .. });
        let is_fit =
            |actual: &&Expression| actual.designated().is_some() && !(self.keeps_constants && is_section(actual));
        self.actual(dummy).filter(is_fit).cloned()
    }

    /// A variable that the caller sees, too, or an element of one.
    fn shared(&self, expression: &Expression) -> Option<Expression> {
        let place = self.wrapper.symbol(expression.designated()?).shared_variable()?;
        let own = self.caller.symbols.iter().position(|other| other.shared_variable() == Some(place)).map(SymbolId)?;
        let kind = match &expression.kind {
            ExpressionKind::Symbol(_) => ExpressionKind::Symbol(own),
            ExpressionKind::Element { subscripts, .. } => {
                let subscripts = subscripts.iter().map(|subscript| self.value(subscript)).collect::<Option<_>>()?;
                ExpressionKind::Element { array: own, subscripts }
            }
            _ => return None,
        };
        Some(Expression::new(kind, expression.span))
    }

    fn is_first_element(&self, array: SymbolId, subscripts: &[Expression]) -> bool {
        let Shape::Array(dimensions) = &self.wrapper.symbol(array).shape else { return false };
        dimensions.len() == subscripts.len()
            && dimensions.iter().zip(subscripts).all(|(dimension, subscript)| {
                let lower = dimension.lower.as_ref().map(|lower| &lower.kind);
                matches!(lower, Some(ExpressionKind::Integer(_))) && lower == Some(&subscript.kind)
            })
    }

    /// What has to hold for the call to be made; `Some(None)` if it always is.
    fn condition(&self) -> Option<Option<Expression>> {
        let mut all: Option<Expression> = None;
        for guard in &self.body.guards {
            if !self.is_intrinsic("merge") || self.constant(NOBODY, guard.condition.span).is_none() {
                return None;
            }
            let span = guard.condition.span;
            let mut condition = self.value(guard.condition)?;
            if !guard.expected {
                let kind = ExpressionKind::Unary { operator: UnaryOperator::Not, operand: Box::new(condition) };
                condition = Expression::new(kind, span);
            }
            all = Some(match all {
                None => condition,
                Some(before) => {
                    let (left, right) = (Box::new(before), Box::new(condition));
                    let kind = ExpressionKind::Binary { operator: BinaryOperator::And, left, right };
                    Expression::new(kind, span)
                }
            });
        }
        Some(all)
    }

    /// The caller's symbol for a constant of MPI.
    fn constant(&self, name: &str, span: Span) -> Option<Expression> {
        let Some(own) = self.caller.find_symbol(name) else {
            // Its text is its name.
            return self.keeps_constants.then(|| Expression::new(ExpressionKind::Computed(Vec::new()), span));
        };
        let is_same = self.caller.symbol(own).class == SymbolClass::MessagingConstant;
        is_same.then(|| Expression::new(ExpressionKind::Symbol(own), span))
    }

    /// Does the name mean the intrinsic function everywhere in the program?
    fn is_intrinsic(&self, name: &str) -> bool {
        let program = self.program;
        let is_other = |symbol: &Symbol| symbol.name == name && symbol.class != SymbolClass::Procedure;
        program.is_external_name(name)
            && program.procedures.iter().all(|procedure| procedure.name != name)
            && program.modules.iter().all(|module| !module.public_variables.contains(name))
            && !self.caller.symbols.iter().any(is_other)
    }

    /// A value that the call hands over: a constant, a dummy argument, a variable that the caller sees, too, one of the
    /// procedure's own that is computed from these, or something that is computed here.
    pub(in crate::analysis) fn value(&self, value: &Expression) -> Option<Expression> {
        let id = match &value.kind {
            ExpressionKind::Integer(_) | ExpressionKind::Logical(_) => return Some(value.clone()),
            ExpressionKind::Symbol(id) => *id,
            ExpressionKind::Unary { operator, operand } => {
                let operand = Box::new(self.value(operand)?);
                return Some(Expression::new(ExpressionKind::Unary { operator: *operator, operand }, value.span));
            }
            ExpressionKind::Binary { operator, left, right } if *operator != BinaryOperator::Other => {
                let (left, right) = (Box::new(self.value(left)?), Box::new(self.value(right)?));
                let kind = ExpressionKind::Binary { operator: *operator, left, right };
                return Some(Expression::new(kind, value.span));
            }
            ExpressionKind::Call { callee: Callee::PureIntrinsic(name), arguments }
                if FUNCTIONS.contains(&name.as_str()) && self.is_intrinsic(name) =>
            {
                let arguments: Option<Vec<Expression>> = arguments.iter().map(|one| self.value(one)).collect();
                let kind = ExpressionKind::Call { callee: Callee::PureIntrinsic(name.clone()), arguments: arguments? };
                return Some(Expression::new(kind, value.span));
            }
            ExpressionKind::Element { .. } if self.keeps_constants => return self.shared(value),
            _ => return None,
        };
        let symbol = self.wrapper.symbol(id);
        match &symbol.class {
            SymbolClass::Constant(Some(number)) => {
                let is_default = symbol.element.bytes.is_none_or(|bytes| bytes == 4);
                is_default.then(|| Expression::new(ExpressionKind::Integer(*number), value.span))
            }
            SymbolClass::MessagingConstant => self.constant(&symbol.name, value.span),
            SymbolClass::Variable if self.wrapper.dummies.contains(&id) => self.scalar(value),
            SymbolClass::Variable if self.body.locals.contains_key(&id) => self.value(self.body.locals[&id]),
            SymbolClass::Variable => self.shared(value),
            _ => None,
        }
    }

    /// The actual argument for a dummy argument that is a scalar, of the same type as far as that can be seen.
    fn scalar(&self, dummy: &Expression) -> Option<Expression> {
        let ExpressionKind::Symbol(dummy) = dummy.kind else { return None };
        let symbol = self.wrapper.symbol(dummy);
        if symbol.shape != Shape::Scalar || !is_handle_or_number(symbol.element.category) {
            return None;
        }
        let actual = self.actual(dummy)?;
        let fits = match &actual.kind {
            // The size of what is not declared here follows the compiler's flags on both sides.
            ExpressionKind::Integer(_) => symbol.element.bytes.is_none_or(|bytes| bytes == 4),
            ExpressionKind::Logical(_) => symbol.element.category == TypeCategory::Logical,
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
