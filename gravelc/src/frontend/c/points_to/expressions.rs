//! What the expressions of a unit do with pointers.

use std::collections::HashMap;

use super::effective_types::is_of_numbers;
use super::layout::{array_of, bytes_of, place_of};
use super::objects::{ObjectId, Offset};
use super::program::{Analysis, Context};
use super::solver::{Argument, Call, Node, Number, Target, Use};
use crate::frontend::c::types::{Type, TypeKind, Types};
use crate::frontend::c::unit::{
    BinaryOperator, Category, Conversion, Designator, ExpressionId, Function, Operation, Span, StatementId,
    StatementKind, Storage, SymbolId, Unit, integer_value,
};

/// More factors of two of what a pointer is moved by are not looked at.
const LARGEST_POWER: u32 = 16;

/// What values of a type are to the analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// They lead nowhere.
    Number,
    /// They lead to objects.
    Pointer,
    /// They may hold pointers.
    Structure,
}

impl Kind {
    /// What values of the type are.
    pub fn of(types: &Types, ty: Type) -> Self {
        match types.kind(ty.id) {
            TypeKind::Pointer(_) | TypeKind::Unknown(_) | TypeKind::Function(_) => Self::Pointer,
            TypeKind::Record(_) | TypeKind::Array { .. } => Self::Structure,
            _ => Self::Number,
        }
    }
}

/// Draws the constraints of the expressions of a unit, or of one of its functions for one call.
pub struct Reader<'p, 'a> {
    /// What they go to.
    pub program: &'p mut Analysis<'a>,
    /// The unit.
    pub unit: &'a Unit,
    /// Where: the number of the unit, and of the run.
    pub context: Context,
    /// The function that is read for one call.
    pub function: Option<&'a Function>,
    /// How many calls are around that are read for themselves.
    pub depth: usize,
    /// Where the pointers are that expressions are; of structures the pointers to them.
    values: HashMap<ExpressionId, Node>,
    /// Where the pointers to lvalues are.
    addresses: HashMap<ExpressionId, Node>,
}

impl<'a> Reader<'_, 'a> {
    /// Reads all of a unit.
    pub fn read_unit(program: &mut Analysis<'a>, number: usize) {
        let context = Context { unit: number, run: 0 };
        Self::read(program, context, None, 0);
    }

    /// Reads a unit, or a function, at a depth of calls.
    pub fn read(program: &mut Analysis<'a>, context: Context, function: Option<&'a Function>, depth: usize) {
        let unit = program.units[context.unit];
        let (values, addresses) = Default::default();
        let mut reader = Reader { program, unit, context, function, depth, values, addresses };
        reader.read_all();
        let Reader { values, program, .. } = reader;
        for (id, node) in values {
            program.values[context.unit].entry(id).or_default().push(node);
        }
    }

    /// Is the text in what is read?
    fn is_read(&self, range: &Span) -> bool {
        self.function.is_none_or(|function| function.range.start <= range.start && range.end <= function.range.end)
    }

    fn kind_of(&self, id: ExpressionId) -> Kind {
        Kind::of(&self.unit.types, self.unit.type_of(id))
    }

    fn size_of(&self, id: ExpressionId) -> Option<u64> {
        bytes_of(&self.unit.types, self.unit.type_of(id))
    }

    /// The size of what a pointer leads to.
    fn size_behind(&self, pointer: ExpressionId) -> Option<u64> {
        bytes_of(&self.unit.types, self.unit.types.pointee(self.unit.type_of(pointer).id)?)
    }

    /// All constraints.
    fn read_all(&mut self) {
        for number in 0..self.unit.expressions.len() {
            let id = ExpressionId::next(number);
            if !self.is_read(&self.unit.expression(id).range) {
                continue;
            }
            if self.kind_of(id) == Kind::Pointer && self.unit.expression(id).category == Category::Value {
                self.value(id);
            }
            self.read_effects(id);
        }
        for number in 0..self.unit.symbols.len() {
            let symbol = SymbolId::next(number);
            let declared = self.unit.symbol(symbol);
            // What lives as long as the program is initialised once.
            if self.function.is_none() || declared.storage == Storage::Automatic && self.is_read(&declared.range) {
                self.read_initialiser(symbol);
            }
        }
        self.read_returns();
    }

    fn outside(&mut self) -> Node {
        let node = self.program.solver.new_node();
        self.program.solver.add_object(node, ObjectId::OUTSIDE);
        node
    }

    /// A node that leads to the beginning of the object.
    pub fn pointer_to(&mut self, object: ObjectId) -> Node {
        let node = self.program.solver.new_node();
        self.program.solver.add_object(node, object);
        node
    }

    /// The node that a use of another one makes.
    pub fn derived(&mut self, from: Node, make: impl FnOnce(Node) -> Use) -> Node {
        let node = self.program.solver.new_node();
        self.program.solver.add_use(from, make(node));
        node
    }

    /// The object that a symbol of the unit is.
    fn object_of(&mut self, symbol: SymbolId) -> ObjectId {
        self.program.object_of(self.context, symbol)
    }

    /// Where the pointer is that the expression is; of a structure, the pointer to it. Nothing of a number.
    pub fn value(&mut self, id: ExpressionId) -> Option<Node> {
        if let Some(&known) = self.values.get(&id) {
            return Some(known);
        }
        let kind = self.kind_of(id);
        if kind == Kind::Number {
            return None;
        }
        if self.unit.expression(id).category != Category::Value {
            return Some(self.address(id));
        }
        let node = self.found_value(id, kind);
        self.values.insert(id, node);
        Some(node)
    }

    fn found_value(&mut self, id: ExpressionId, kind: Kind) -> Node {
        let nothing = |this: &mut Self| this.program.solver.new_node();
        match self.unit.expression(id).operation.clone() {
            Operation::Convert { conversion, operand, .. } => match conversion {
                Conversion::Read if kind == Kind::Pointer => {
                    let from = self.address(operand);
                    self.derived(from, Use::Load)
                }
                Conversion::Read => self.address(operand),
                Conversion::Decay => {
                    let node = self.address(operand);
                    if let Some((length, element)) = array_of(&self.unit.types, self.unit.type_of(operand)) {
                        self.program.solver.add_use(node, Use::Array(length, element));
                    }
                    node
                }
                Conversion::FunctionAddress => self.address(operand),
                Conversion::Same | Conversion::Pointer => self.value(operand).unwrap_or_else(|| nothing(self)),
                Conversion::Null => nothing(self),
                _ => self.given_away(&[operand]),
            },
            Operation::Binary(BinaryOperator::Add | BinaryOperator::Subtract, left, right) => {
                let is_first = self.kind_of(left) == Kind::Pointer;
                let (pointer, by) = if is_first { (left, right) } else { (right, left) };
                self.stepped(pointer, by)
            }
            Operation::AddressOf(operand) => self.address(operand),
            Operation::Conditional { condition, then, otherwise } => {
                let node = self.program.solver.new_node();
                for part in [then.unwrap_or(condition), otherwise] {
                    if let Some(value) = self.value(part) {
                        self.program.solver.add_copy(value, node);
                    }
                }
                node
            }
            Operation::Comma(_, right) => self.value(right).unwrap_or_else(|| nothing(self)),
            Operation::Assign { left, right } => match kind {
                Kind::Structure => self.address(left),
                _ => self.value(right).unwrap_or_else(|| nothing(self)),
            },
            // What it was and what it is.
            Operation::AssignOperation { left, .. } | Operation::Step { operand: left, .. } => {
                let from = self.address(left);
                self.derived(from, Use::Load)
            }
            Operation::Call { .. } => nothing(self),
            Operation::StatementExpression(statement) => match self.last_value(statement) {
                Some(last) => self.value(last).unwrap_or_else(|| nothing(self)),
                None => self.outside(),
            },
            operation => self.given_away(&operation.operands()),
        }
    }

    /// The expression whose value is that of statements inside of an expression.
    fn last_value(&self, statement: StatementId) -> Option<ExpressionId> {
        match &self.unit.statement(statement).kind {
            StatementKind::Block(items) => self.last_value(*items.last()?),
            StatementKind::Expression(last) => Some(*last),
            _ => None,
        }
    }

    /// A pointer that may be anything, made of operands that others get to know.
    fn given_away(&mut self, operands: &[ExpressionId]) -> Node {
        for operand in operands {
            if let Some(node) = self.value(*operand) {
                self.program.solver.add_use(node, Use::Escapes);
            } else if self.unit.expression(*operand).category == Category::Object {
                let node = self.address(*operand);
                self.program.solver.add_use(node, Use::Escapes);
            }
        }
        self.outside()
    }

    /// The pointer, moved by any number of elements: `(char *)rows + i * sizeof *rows` goes from row to row, and perhaps from one
    /// member to another.
    fn stepped(&mut self, pointer: ExpressionId, by: ExpressionId) -> Node {
        let Some(from) = self.value(pointer) else { return self.outside() };
        match self.size_behind(pointer) {
            Some(1) => {
                let bytes = power_of_two_in(self.unit, by);
                self.derived(from, |node| Use::MovedByMultiple(node, bytes))
            }
            size => self.derived(from, |node| Use::Stepped(node, size)),
        }
    }

    /// Where the pointer to an lvalue is.
    pub fn address(&mut self, id: ExpressionId) -> Node {
        if let Some(&known) = self.addresses.get(&id) {
            return known;
        }
        let node = match self.unit.expression(id).operation.clone() {
            Operation::Symbol(symbol) | Operation::CompoundLiteral(symbol) => {
                let object = self.object_of(symbol);
                self.pointer_to(object)
            }
            Operation::FunctionName | Operation::String { .. } => {
                let object = self.program.texts();
                self.pointer_to(object)
            }
            Operation::Subscript { pointer, index, .. } => match self.unit.expression(index).operation {
                Operation::Integer(0) => self.value(pointer).unwrap_or_else(|| self.outside()),
                _ => self.stepped(pointer, index),
            },
            Operation::Dereference(pointer) => self.value(pointer).unwrap_or_else(|| self.outside()),
            Operation::Member { base, path, .. } => self.member(base, &path),
            _ if self.unit.expression(id).category == Category::Value && self.kind_of(id) == Kind::Structure => {
                self.value(id).unwrap_or_else(|| self.outside())
            }
            operation => self.given_away(&operation.operands()),
        };
        self.addresses.insert(id, node);
        node
    }

    fn member(&mut self, base: ExpressionId, path: &[u32]) -> Node {
        let from = self.address(base);
        let mut ty = self.unit.type_of(base);
        let mut at = Some(0_u64);
        for &number in path {
            let place = place_of(&self.unit.types, ty, number as usize);
            at = at.zip(place).and_then(|(at, place)| at.checked_add(place));
            let member = self.unit.types.as_record(ty.id).map(|id| &self.unit.types.record(id).members);
            let Some(member) = member.and_then(|members| members.get(number as usize)) else { break };
            ty = member.ty;
        }
        match at {
            Some(bytes) => self.derived(from, |node| Use::Moved(node, bytes)),
            None => self.derived(from, |node| Use::Stepped(node, None)),
        }
    }

    /// The number that the lvalue is.
    fn number(&self, lvalue: ExpressionId) -> Number {
        Number {
            size: self.size_of(lvalue),
            has_own_type: self.program.keeps_types && is_of_numbers(self.unit, lvalue),
        }
    }

    /// A value of the type goes to where `to` leads.
    fn store(&mut self, to: Node, ty: Type, value: ExpressionId) {
        let size = bytes_of(&self.unit.types, ty);
        match (Kind::of(&self.unit.types, ty), self.value(value)) {
            (Kind::Pointer, Some(value)) => self.program.solver.add_use(to, Use::Store(value)),
            (Kind::Structure, Some(value)) => self.program.solver.add_use(value, Use::CopiedTo(to, size)),
            (Kind::Number, _) => {
                self.program.solver.add_use(to, Use::WriteNumber(Number { size, has_own_type: false }));
            }
            (_, None) => {}
        }
    }

    fn read_effects(&mut self, id: ExpressionId) {
        match self.unit.expression(id).operation.clone() {
            Operation::Convert { conversion: Conversion::Read, operand, .. } if self.kind_of(id) == Kind::Number => {
                let (from, number) = (self.address(operand), self.number(operand));
                self.program.solver.add_use(from, Use::ReadNumber(number));
            }
            Operation::Convert { conversion, operand, .. } => {
                let is_harmless = matches!(
                    conversion,
                    Conversion::Read
                        | Conversion::Decay
                        | Conversion::FunctionAddress
                        | Conversion::Same
                        | Conversion::Pointer
                        | Conversion::Null
                        | Conversion::Truth
                        | Conversion::Void
                );
                if !is_harmless {
                    self.given_away(&[operand]);
                }
            }
            Operation::Assign { left, right } => {
                let to = self.address(left);
                match self.kind_of(left) {
                    Kind::Number => self.program.solver.add_use(to, Use::WriteNumber(self.number(left))),
                    _ => self.store(to, self.unit.type_of(left), right),
                }
            }
            Operation::AssignOperation { left, .. } | Operation::Step { operand: left, .. } => {
                let to = self.address(left);
                if self.kind_of(left) == Kind::Pointer {
                    let size = self.size_behind(left);
                    let before = self.derived(to, Use::Load);
                    let after = self.derived(before, |node| Use::Stepped(node, size));
                    self.program.solver.add_use(to, Use::Store(after));
                } else {
                    let number = self.number(left);
                    self.program.solver.add_use(to, Use::ReadNumber(number));
                    self.program.solver.add_use(to, Use::WriteNumber(number));
                }
            }
            Operation::Call { callee, arguments } => self.read_call(id, callee, &arguments),
            operation @ (Operation::VariadicArgument(_) | Operation::Builtin(_) | Operation::Unknown(..)) => {
                self.given_away(&operation.operands());
            }
            _ => {}
        }
    }

    /// An argument of a call.
    pub fn argument(&mut self, id: ExpressionId) -> Argument {
        match (self.kind_of(id), self.value(id)) {
            (Kind::Number, _) | (_, None) => Argument::Number,
            (Kind::Pointer, Some(node)) => Argument::Pointer(node),
            (Kind::Structure, Some(node)) => Argument::Structure(node, self.size_of(id)),
        }
    }

    /// Where the value of a call goes.
    pub fn result(&mut self, call: ExpressionId) -> Node {
        self.value(call).unwrap_or_else(|| self.program.solver.new_node())
    }

    fn read_call(&mut self, id: ExpressionId, callee: ExpressionId, arguments: &[ExpressionId]) {
        let named = self.unit.function_named(callee);
        let known = named.and_then(|symbol| self.program.function(self.context.unit, symbol));
        if let (Some(symbol), None) = (named, known) {
            return self.read_outside_call(id, symbol, arguments);
        }
        let arguments = arguments.iter().map(|argument| self.argument(*argument)).collect();
        let result = self.result(id);
        let own = known.and_then(|object| self.program.function_for_call(object, self.depth));
        if let Some(function) = own {
            let callee = self.pointer_to(function);
            self.program.solver.add_call(callee, Call { arguments, result });
        } else if let Some(callee) = self.value(callee) {
            self.program.solver.add_call(callee, Call { arguments, result });
        }
    }

    fn read_initialiser(&mut self, symbol: SymbolId) {
        let declared = self.unit.symbol(symbol);
        let Some(initialiser) = &declared.initialiser else { return };
        let object = self.object_of(symbol);
        for item in &initialiser.items {
            let mut ty = declared.ty;
            let mut at = Some(0_u64);
            for step in &item.path {
                let types = &self.unit.types;
                match step {
                    Designator::Member(number) => {
                        let place = place_of(types, ty, *number as usize);
                        at = at.zip(place).and_then(|(at, place)| at.checked_add(place));
                        let members = types.as_record(ty.id).map(|id| &types.record(id).members);
                        let Some(member) = members.and_then(|members| members.get(*number as usize)) else {
                            at = None;
                            break;
                        };
                        ty = member.ty;
                    }
                    Designator::Elements(..) => {
                        if let (Some((length, element)), Some(at)) = (array_of(types, ty), at) {
                            let target = Target { object, offset: Offset::At(at) };
                            self.program.solver.add_array(target, length, element);
                        } else {
                            at = None;
                        }
                        let TypeKind::Array { element, .. } = types.kind(ty.id) else {
                            at = None;
                            break;
                        };
                        ty = element;
                    }
                }
            }
            let whole = self.pointer_to(object);
            let to = match at {
                Some(bytes) => self.derived(whole, |node| Use::Moved(node, bytes)),
                None => self.derived(whole, |node| Use::Stepped(node, None)),
            };
            self.store(to, item.ty, item.value);
        }
    }

    fn read_returns(&mut self) {
        for statement in &self.unit.statements {
            let StatementKind::Return(Some(value)) = statement.kind else { continue };
            if !self.is_read(&statement.range) {
                continue;
            }
            let Some(node) = self.value(value) else { continue };
            let within = |range: &Span| range.start <= statement.range.start && statement.range.end <= range.end;
            // Of a function inside of another one it may be either's.
            for function in self.unit.functions.iter().filter(|function| within(&function.range)) {
                self.program.add_result(self.context, function.symbol, node);
            }
        }
    }
}

/// A power of two of which the integer is a multiple, also where it wraps: in all integer types the number of values is one.
fn power_of_two_in(unit: &Unit, id: ExpressionId) -> u64 {
    if let Some(value) = integer_value(unit, id) {
        return 1 << value.trailing_zeros().min(LARGEST_POWER);
    }
    match unit.expression(id).operation {
        Operation::Convert { conversion: Conversion::Integer | Conversion::Same, operand, .. } => {
            power_of_two_in(unit, operand)
        }
        Operation::Binary(BinaryOperator::Multiply, left, right) => {
            let power = power_of_two_in(unit, left).trailing_zeros() + power_of_two_in(unit, right).trailing_zeros();
            1 << power.min(LARGEST_POWER)
        }
        Operation::Binary(BinaryOperator::Add | BinaryOperator::Subtract, left, right) => {
            power_of_two_in(unit, left).min(power_of_two_in(unit, right))
        }
        _ => 1,
    }
}
