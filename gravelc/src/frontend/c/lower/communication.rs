//! Calls of MPI's routines.

use super::lowering::Lowering;
use super::reductions::reduction_made;
use crate::frontend::c::mpi_calls::is_routine_name;
use crate::frontend::c::types::Type;
use crate::frontend::c::unit::{self, Conversion, ExpressionId, Operation, Unit};
use crate::frontend::mpi_operations::{Arguments, CallNames, described, undescribed, undetailed};
use crate::ir::{
    ArrayDimension, Communication, ElementType, Expression, ExpressionKind, Operation as Meaning, ProcedureId, Room,
    Shape, Span, StatementKind, Storage, Symbol, SymbolClass, SymbolId, TypeCategory,
};
use crate::mpi::arguments::Argument;
use crate::mpi::datatypes::predefined;
use crate::mpi::properties::Property;
use crate::mpi::routines::{self, Action};

/// What the arguments that say which memory a message is are called.
const MESSAGES: [[&str; 3]; 3] =
    [["buf", "count", "datatype"], ["sendbuf", "sendcount", "sendtype"], ["recvbuf", "recvcount", "recvtype"]];

/// The routine of MPI (in lower case) that a call names, whoever defines it.
pub fn routine_called(unit: &Unit, callee: ExpressionId) -> Option<String> {
    let name = unit.symbol(unit.function_named(callee)?).name.map_or("", |name| unit.names.text(name));
    is_routine_name(name).then(|| name.to_ascii_lowercase())
}

/// Does a routine use an address for nothing but what its description says: while it runs, or until its request is complete?
pub fn remembers_no_address(routine: &str) -> bool {
    match routines::find(routine).action {
        Action::Send(_)
        | Action::Receive
        | Action::Replace
        | Action::SendReceive
        | Action::AllToAll
        | Action::AllToAllInBlocks
        | Action::Collective
        | Action::PrepareSend(_)
        | Action::PrepareReceive
        | Action::Start
        | Action::Release
        | Action::Wait
        | Action::WaitAll
        | Action::Complete(_)
        | Action::Initialize
        | Action::Finalize
        | Action::CreateDatatype(_)
        | Action::CreateCommunicator(_)
        | Action::ReceiveMatched
        | Action::Cancel
        | Action::Look
        | Action::ConcernsParts
        | Action::Probe => true,
        Action::Local => {
            let plain = routine.strip_suffix("_c").unwrap_or(routine);
            ![Property::GivesAddress, Property::KeepsAddress].iter().any(|property| property.holds_of(plain))
        }
        _ => false,
    }
}

/// Does a routine use the address of a variable for nothing else? What makes an error handler remembers the function that it is made
/// of, and stores the handle while it runs.
pub fn remembers_no_object(routine: &str) -> bool {
    matches!(routines::find(routine).action, Action::ErrorHandler(_)) || remembers_no_address(routine)
}

/// Where a call is in the text, without parentheses around it.
pub fn without_parentheses(unit: &Unit, text: &[u8], call: ExpressionId) -> unit::Span {
    let unit::Span { mut start, mut end } = unit.expression(call).range.clone();
    let Operation::Call { callee, .. } = unit.expression(call).operation else { return start..end };
    // A call begins with what says who is called.
    let first = unit.expression(callee).range.start;
    while start < first
        && let Some(inside) = text[start as usize..end as usize].strip_prefix(b"(")
        && let Some(inside) = inside.strip_suffix(b")")
    {
        let skipped = inside.len() - inside.trim_ascii_start().len();
        start += 1 + u32::try_from(skipped).unwrap_or(0);
        end = start + u32::try_from(inside.trim_ascii().len()).unwrap_or(0);
    }
    start..end
}

impl CallNames for Lowering<'_> {
    fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0]
    }

    fn take_address(&mut self, id: SymbolId) {
        self.symbols[id.0].take_address();
    }

    fn procedures_handed_over(&self, argument: &Expression) -> Option<Vec<ProcedureId>> {
        let named = || match argument.kind {
            ExpressionKind::Symbol(symbol) => self.handed_functions.get(&symbol).map(|&procedure| vec![procedure]),
            _ => None,
        };
        self.called_back_by_messaging.clone().or_else(named)
    }
}

impl Lowering<'_> {
    /// A call of MPI; `error` takes its code.
    pub fn add_messaging_call(&mut self, id: ExpressionId, error: Option<Expression>) {
        let Some(id) = self.messaging_call_in(id) else { return };
        let Operation::Call { callee, arguments } = &self.unit.expression(id).operation else { return };
        let Some(name) = self.messaging_routine(*callee) else { return };
        // From the beginning of what it is a part of: in the order of the text it stands in front of that.
        let range = without_parentheses(self.unit, self.input.text, id);
        let own = self.input.places.own_span(&range);
        let place = own.unwrap_or_else(|| self.span(&range));
        let span = Span { start: self.carrier.start.min(place.start), ..place };
        let routine = routines::find(&name);
        if routine.action == Action::Abort {
            self.add(StatementKind::Stop, span);
            return;
        }
        // Each is written elsewhere as it stands here.
        let whole = |this: &mut Self, argument: ExpressionId| {
            let value = this.messaging_argument(argument);
            let own = this.input.places.own_span(&this.unit.expression(argument).range);
            Expression::new(value.kind, own.unwrap_or_else(|| this.span_of(argument)))
        };
        let all: Vec<Expression> = arguments.iter().map(|argument| whole(self, *argument)).collect();
        self.called_back_by_messaging = self.reduces_with(*callee, arguments);
        let operation = match routine.action {
            // In C the program's own arguments stand in front.
            Action::Initialize => Meaning::Initialize { accesses: all },
            action => self.operation(action, &routine.forms, all),
        };
        let communication =
            Communication { routine: name, operation, error, wrapper: None, is_counted_at_callers: false };
        let are_own = arguments.iter().all(|argument| self.can_be_written_elsewhere(*argument));
        let id = self.add(StatementKind::Communication(Box::new(communication)), span);
        // Where it is a statement of its own, that is seen later.
        self.statements[id.0].room = own.filter(|_| are_own).map_or(Room::Inside, |own| Room::Expression(own.start));
    }

    /// Does the text of the expression mean the same in another place of the file?
    pub fn can_be_written_elsewhere(&self, id: ExpressionId) -> bool {
        let range = &self.unit.expression(id).range;
        self.input.places.is_own(range) && !self.input.places.tells_of_place(range)
    }

    /// The functions of the program with which a reduction that the call makes does more than MPI's own; `None` if it may have others.
    fn reduces_with(&self, callee: ExpressionId, arguments: &[ExpressionId]) -> Option<Vec<ProcedureId>> {
        let functions = self.input.called.get(&reduction_made(self.unit, callee, arguments)?)?;
        let more = functions.iter().filter(|one| !self.input.plain_reductions.contains(one));
        (!functions.is_empty()).then(|| more.copied().collect())
    }

    fn operation(&mut self, action: Action, forms: &[Vec<Argument>], all: Vec<Expression>) -> Meaning {
        let Some(form) = forms.iter().find(|form| form.len() == all.len()) else {
            return undetailed(action, !forms.is_empty(), all);
        };
        let names: Vec<&'static str> = form.iter().map(|argument| argument.name).collect();
        let is_message = matches!(
            action,
            Action::Send(_)
                | Action::Receive
                | Action::Replace
                | Action::SendReceive
                | Action::PrepareSend(_)
                | Action::PrepareReceive
        );
        let all: Vec<Expression> = all
            .into_iter()
            .zip(&names)
            .map(|(argument, name)| match *name {
                "request" | "status" => self.first_element(argument),
                "buf" | "sendbuf" | "recvbuf" if is_message => self.null_as_bottom(argument),
                _ => argument,
            })
            .collect();
        let mut by_name: Arguments = names.iter().copied().zip(all.iter().cloned()).collect();
        if !matches!(action, Action::AllToAll | Action::AllToAllInBlocks) {
            self.give_memory_to_nothing(&mut by_name);
        }
        described(self, action, form, &mut by_name, (&all, &names)).unwrap_or_else(|| undescribed(all))
    }

    /// A buffer that is a null pointer: both MPIs call that address `MPI_BOTTOM`.
    fn null_as_bottom(&mut self, buffer: Expression) -> Expression {
        let ExpressionKind::Integer(0) = buffer.kind else { return buffer };
        let bottom = self.constant_symbol("mpi_bottom".to_owned());
        Expression::new(ExpressionKind::Symbol(bottom), buffer.span)
    }

    /// A message of no elements is in no variable's memory, whatever its address is (`NULL`, `MPI_BOTTOM`, `""`).
    fn give_memory_to_nothing(&mut self, arguments: &mut Arguments) {
        for [buffer, count, datatype] in MESSAGES {
            let Some(address) = arguments.get(buffer) else { continue };
            let constant = |argument: &Expression| match argument.kind {
                ExpressionKind::Symbol(symbol) => Some(&self.symbols[symbol.0])
                    .filter(|symbol| symbol.class == SymbolClass::MessagingConstant)
                    .map(|symbol| symbol.name.as_str()),
                _ => None,
            };
            let is_constant = matches!(address.kind, ExpressionKind::Literal | ExpressionKind::Integer(0))
                || constant(address) == Some("mpi_bottom");
            let is_empty = arguments.get(count).is_some_and(|count| matches!(count.kind, ExpressionKind::Integer(0)));
            let element = arguments.get(datatype).and_then(constant).and_then(predefined);
            if let Some(element) = element.filter(|_| is_constant && is_empty) {
                let span = address.span;
                let nothing = self.variable_of_nothing(element, span);
                arguments.insert(buffer, Expression::new(ExpressionKind::Symbol(nothing), span));
            }
        }
    }

    /// An array without elements, which nothing else names.
    fn variable_of_nothing(&mut self, element: ElementType, span: Span) -> SymbolId {
        let bound = |bound| Some(Self::number(bound, span));
        let number = self.symbols.len();
        let symbol = Symbol {
            class: SymbolClass::Variable,
            element,
            shape: Shape::Array(vec![ArrayDimension { lower: bound(0), upper: bound(-1) }]),
            storage: Storage::Local,
            ..Symbol::messaging_constant(&format!("(nothing {number})"))
        };
        self.new_symbol(symbol)
    }

    /// Where a call takes one object, the first of an array: `rq` and `&rq[0]` are one address.
    fn first_element(&self, object: Expression) -> Expression {
        let ExpressionKind::Symbol(array) = object.kind else { return object };
        let Shape::Array(dimensions) = &self.symbols[array.0].shape else { return object };
        let subscripts = dimensions.iter().map(|_| Self::number(0, object.span)).collect();
        Expression::new(ExpressionKind::Element { array, subscripts }, object.span)
    }

    /// An argument: the memory that a pointer leads to, the function that MPI is to call, else a value.
    fn messaging_argument(&mut self, id: ExpressionId) -> Expression {
        let is_pointer = self.unit.types.pointee(self.unit.type_of(id).id).is_some();
        match (is_pointer, self.is_function_pointer(id)) {
            (true, false) => self.handed_memory(id),
            (_, true) => self.handed_function(id).unwrap_or_else(|| self.value(id)),
            _ => self.value(id),
        }
    }

    /// The name of a function of the program, also as a pointer to another type of function.
    fn handed_function(&mut self, id: ExpressionId) -> Option<Expression> {
        let mut plain = id;
        while let Operation::Convert { conversion: Conversion::Pointer | Conversion::Same, operand, .. } =
            self.unit.expression(plain).operation
        {
            plain = operand;
        }
        let function = self.function_named(plain)?;
        let procedure = self.given_procedure(function)?;
        self.note_named(&[procedure], plain);
        let name = self.spelling(function).to_owned();
        let symbol = Symbol { class: SymbolClass::Procedure, ..Symbol::messaging_constant(&name) };
        let symbol = self.new_symbol(symbol);
        self.handed_functions.insert(symbol, procedure);
        Some(Expression::new(ExpressionKind::Symbol(symbol), self.span_of(id)))
    }

    /// A variable for the code of a call that stands inside of an expression.
    pub fn code_variable(&mut self) -> SymbolId {
        let number = self.symbols.len();
        let symbol = Symbol {
            class: SymbolClass::Variable,
            element: ElementType { category: TypeCategory::Integer, bytes: Some(4) },
            storage: Storage::Local,
            ..Symbol::messaging_constant(&format!("(code {number})"))
        };
        self.new_symbol(symbol)
    }

    /// The variable of numbers that takes a code.
    pub fn code_target(&mut self, left: ExpressionId) -> Option<Expression> {
        let is_variable = matches!(self.unit.expression(left).operation, Operation::Symbol(_));
        let ty: Type = self.unit.type_of(left);
        let is_integer = self.unit.types.as_integer(ty.id).is_some();
        let target = (is_variable && is_integer).then(|| self.lvalue(left))?;
        matches!(target.kind, ExpressionKind::Symbol(_)).then_some(target)
    }

    /// What a pointer leads to is another object from now on.
    pub fn add_new_target(&mut self, pointer: unit::SymbolId, reads: Vec<Expression>) {
        if let Some(pointee) = self.pointee(pointer) {
            let span = self.carrier;
            let variables = vec![Expression::new(ExpressionKind::Symbol(pointee), span)];
            self.add(StatementKind::Lifetime { variables, reads, associates: true, allocations: Vec::new() }, span);
        }
    }
}
