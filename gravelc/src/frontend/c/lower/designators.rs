//! Lvalues and pointers: which object an expression leads to, and which of its elements.

use super::lowering::Lowering;
use super::types::element_of;
use crate::frontend::c::types::{Qualifiers, TypeKind, size_of};
use crate::frontend::c::unit::{BinaryOperator, Category, Conversion, ExpressionId, Operation, SymbolKind};
use crate::ir::{BinaryOperator as Sign, Expression, ExpressionKind, PartForm, Shape, Span, SymbolId};

/// An object that an expression leads to.
#[derive(Debug, Clone)]
pub struct Access {
    /// The variable that holds it.
    pub base: SymbolId,
    /// Subscripts of the variable, the outermost first.
    pub subscripts: Vec<Expression>,
    /// It is some part of that, or may lie somewhere else.
    pub is_part: bool,
    /// It may lie anywhere that a pointer leads to.
    pub is_anywhere: bool,
    /// What else is evaluated on the way.
    pub selectors: Vec<Expression>,
}

impl Access {
    /// All of a variable.
    fn whole(base: SymbolId) -> Self {
        Self { base, subscripts: Vec::new(), is_part: false, is_anywhere: false, selectors: Vec::new() }
    }
}

/// What a pointer leads to.
#[derive(Debug, Clone)]
pub enum PointedAt {
    /// Element `offset` of the array.
    Element(Access, Expression),
    /// The object.
    Object(Access),
}

impl Lowering<'_> {
    /// The number at this place.
    pub fn number(value: i64, span: Span) -> Expression {
        Expression::new(ExpressionKind::Integer(value), span)
    }

    /// Memory that no name leads to; the expressions decide where it is.
    pub fn unknown_memory(&mut self, selectors: Vec<Expression>) -> Access {
        let base = self.anywhere();
        Access { is_part: true, is_anywhere: true, selectors, ..Access::whole(base) }
    }

    /// What a pointer leads to that no name stands for: some of the objects where that is known.
    fn memory_of(&mut self, pointer: ExpressionId, selectors: Vec<Expression>) -> Access {
        match self.memory_behind(pointer) {
            Some(base) => Access { is_part: true, selectors, ..Access::whole(base) },
            None => self.unknown_memory(selectors),
        }
    }

    /// Some part of what holds the object, by an offset that a pointer to it is moved.
    fn near(&self, mut access: Access, by: Expression) -> Access {
        access.is_part = true;
        // It stays in its object.
        access.is_anywhere |= self.symbols[access.base.0].objects.is_none();
        access.selectors.push(by);
        access
    }

    /// The object that an lvalue is.
    pub fn access(&mut self, id: ExpressionId) -> Access {
        match &self.unit.expression(id).operation {
            Operation::Symbol(symbol) if self.unit.symbol(*symbol).kind != SymbolKind::Function => {
                Access::whole(self.symbol(*symbol))
            }
            Operation::Subscript { pointer, index, .. } => {
                let index = self.value(*index);
                let pointed = self.pointed(*pointer);
                self.element(pointed, Some(index))
            }
            Operation::Dereference(pointer) => {
                let pointed = self.pointed(*pointer);
                self.element(pointed, None)
            }
            Operation::Member { base, .. } => {
                let mut access = self.access(*base);
                access.is_part = true;
                access
            }
            // An object without a name; what it is made of is evaluated.
            Operation::CompoundLiteral(_) => {
                let values = self.value(id);
                self.unknown_memory(vec![values])
            }
            _ => {
                let value = match self.unit.expression(id).category {
                    // An object that lives as long as the expression is evaluated (C11 6.2.4p8).
                    Category::Value => self.value(id),
                    _ => self.opaque(&[id], "an object that is made by an expression"),
                };
                self.unknown_memory(vec![value])
            }
        }
    }

    /// The structure that is a value, and no object, of which the expression is a member, of a member, and so on.
    pub fn value_with_member(&self, id: ExpressionId) -> Option<ExpressionId> {
        match &self.unit.expression(id).operation {
            Operation::Member { base, .. } => self.value_with_member(*base),
            _ => (self.unit.expression(id).category == Category::Value).then_some(id),
        }
    }

    /// The element that a pointer leads to, moved by `index`.
    fn element(&mut self, pointed: PointedAt, index: Option<Expression>) -> Access {
        match (pointed, index) {
            (PointedAt::Element(mut access, offset), index) => {
                let offset = match index {
                    Some(index) => sum(offset, index, Sign::Add),
                    None => offset,
                };
                access.subscripts.push(offset);
                access
            }
            (PointedAt::Object(access), None) => access,
            (PointedAt::Object(access), Some(index)) if matches!(index.kind, ExpressionKind::Integer(0)) => access,
            (PointedAt::Object(access), Some(index)) => self.near(access, index),
        }
    }

    /// What a pointer leads to.
    pub fn pointed(&mut self, id: ExpressionId) -> PointedAt {
        let expression = self.unit.expression(id);
        let span = self.span_of(id);
        match &expression.operation {
            Operation::Convert { conversion: Conversion::Decay, operand, .. } => {
                let is_text = matches!(
                    self.unit.expression(*operand).operation,
                    Operation::String { .. } | Operation::FunctionName
                );
                if is_text {
                    return PointedAt::Object(self.unknown_memory(Vec::new()));
                }
                PointedAt::Element(self.access(*operand), Self::number(0, span))
            }
            Operation::Convert { conversion: Conversion::Read, operand, .. } => {
                if let Operation::Symbol(symbol) = self.unit.expression(*operand).operation
                    && let Some(pointee) = self.pointee(symbol)
                {
                    let access = Access::whole(pointee);
                    return PointedAt::Element(access, Self::number(0, span));
                }
                let value = self.value(id);
                PointedAt::Object(self.memory_of(id, vec![value]))
            }
            Operation::Convert { conversion: Conversion::Same, operand, .. } if self.leads_to_same(id, *operand) => {
                self.pointed(*operand)
            }
            Operation::Binary(operator @ (BinaryOperator::Add | BinaryOperator::Subtract), left, right) => {
                let is_pointer = |id: &ExpressionId| self.unit.types.pointee(self.unit.type_of(*id).id).is_some();
                let (pointer, moved) = if is_pointer(left) { (*left, *right) } else { (*right, *left) };
                if is_pointer(&moved) {
                    let value = self.value(id);
                    return PointedAt::Object(self.memory_of(id, vec![value]));
                }
                let sign = if *operator == BinaryOperator::Add { Sign::Add } else { Sign::Subtract };
                let pointed = self.pointed(pointer);
                let moved = self.value(moved);
                match pointed {
                    PointedAt::Element(access, offset) => PointedAt::Element(access, sum(offset, moved, sign)),
                    PointedAt::Object(access) => PointedAt::Object(self.near(access, moved)),
                }
            }
            Operation::AddressOf(operand) => match &self.unit.expression(*operand).operation {
                Operation::Subscript { pointer, index, .. } => {
                    let index = self.value(*index);
                    match self.pointed(*pointer) {
                        PointedAt::Element(access, offset) => PointedAt::Element(access, sum(offset, index, Sign::Add)),
                        object => PointedAt::Object(self.element(object, Some(index))),
                    }
                }
                Operation::Dereference(pointer) => self.pointed(*pointer),
                _ => PointedAt::Object(self.access(*operand)),
            },
            Operation::Assign { left, .. } | Operation::Step { operand: left, is_postfix: false, .. }
                if self.hoisted.contains_key(&id)
                    && let Some(pointer) = self.private_variable(*left)
                    && let Some(pointee) = self.pointee(pointer) =>
            {
                self.value(id);
                PointedAt::Element(Access::whole(pointee), Self::number(0, span))
            }
            Operation::Step { operand, is_postfix: true, .. } if self.can_follow(id) => {
                if let Operation::Symbol(symbol) = self.unit.expression(*operand).operation
                    && let Some(pointee) = self.pointee(symbol)
                {
                    self.step_behind(id);
                    let access = Access::whole(pointee);
                    return PointedAt::Element(access, Self::number(0, span));
                }
                let value = self.value(id);
                PointedAt::Object(self.memory_of(id, vec![value]))
            }
            _ => {
                let value = self.value(id);
                PointedAt::Object(self.memory_of(id, vec![value]))
            }
        }
    }

    /// The expression for an object.
    pub fn designator(&self, access: Access, span: Span) -> Expression {
        let rank = match &self.symbols[access.base.0].shape {
            Shape::Scalar => 0,
            Shape::Array(dimensions) => dimensions.len(),
        };
        let count = access.subscripts.len();
        let kind = if access.is_part || (count != rank && count != 0) {
            ExpressionKind::Part {
                base: access.base,
                component: None,
                form: PartForm::Unnamed,
                through_pointer: access.is_anywhere,
                selectors: access.subscripts.into_iter().chain(access.selectors).collect(),
            }
        } else if count == 0 {
            ExpressionKind::Symbol(access.base)
        } else {
            ExpressionKind::Element { array: access.base, subscripts: access.subscripts.into_iter().rev().collect() }
        };
        Expression::new(kind, span)
    }

    /// An lvalue as the target of an assignment, or as what is read.
    pub fn lvalue(&mut self, id: ExpressionId) -> Expression {
        let span = self.span_of(id);
        let qualifiers = self.unit.type_of(id).qualifiers;
        let access = self.access(id);
        let is_volatile = qualifiers.has(Qualifiers::VOLATILE) || qualifiers.has(Qualifiers::ATOMIC);
        if is_volatile && !self.symbols[access.base.0].volatile {
            return self.opaque(&[id], "volatile memory behind a pointer");
        }
        self.designator(access, span)
    }

    /// The memory that an argument hands over by its address: from there on. A null pointer is 0.
    pub fn handed_memory(&mut self, id: ExpressionId) -> Expression {
        let span = self.span_of(id);
        let mut plain = id;
        // Another type of pointer leads to the same place.
        while let Operation::Convert { conversion: Conversion::Pointer | Conversion::Same, operand, .. } =
            &self.unit.expression(plain).operation
        {
            plain = *operand;
        }
        match &self.unit.expression(plain).operation {
            Operation::Convert { conversion: Conversion::Read, operand, .. } => {
                if let Operation::Symbol(symbol) = self.unit.expression(*operand).operation
                    && let Some(name) = self.messaging_constant(symbol)
                {
                    return Expression::new(ExpressionKind::Symbol(self.constant_symbol(name)), span);
                }
            }
            Operation::Convert { conversion: Conversion::Decay, operand, .. } => {
                if let Operation::String { .. } = self.unit.expression(*operand).operation {
                    return Expression::new(ExpressionKind::Literal, span);
                }
            }
            Operation::Convert { conversion: Conversion::Null, .. } => return Self::number(0, span),
            _ => {}
        }
        match self.pointed(plain) {
            PointedAt::Object(access) => self.designator(access, span),
            PointedAt::Element(mut access, offset) => {
                let rank = match &self.symbols[access.base.0].shape {
                    Shape::Scalar => 0,
                    Shape::Array(dimensions) => dimensions.len(),
                };
                let is_beginning = matches!(offset.kind, ExpressionKind::Integer(0)) && access.subscripts.is_empty();
                if !is_beginning || access.is_part {
                    access.subscripts.push(offset);
                    while !access.is_part && access.subscripts.len() < rank {
                        access.subscripts.push(Self::number(0, span));
                    }
                }
                self.designator(access, span)
            }
        }
    }

    /// Are the elements of two pointers of one size?
    fn leads_to_same(&self, one: ExpressionId, other: ExpressionId) -> bool {
        let types = &self.unit.types;
        let size = |id: ExpressionId| size_of(types, types.pointee(self.unit.type_of(id).id)?);
        let element = |id: ExpressionId| Some(element_of(types, types.pointee(self.unit.type_of(id).id)?));
        size(one).is_some() && size(one) == size(other) && element(one) == element(other)
    }

    /// Is it the type of a pointer to a function?
    pub fn is_function_pointer(&self, id: ExpressionId) -> bool {
        let to = self.unit.types.pointee(self.unit.type_of(id).id);
        to.is_some_and(|to| matches!(self.unit.types.kind(to.id), TypeKind::Function(_)))
    }
}

/// The sum, or the difference, of two numbers; what is known of it is computed.
pub fn sum(left: Expression, right: Expression, sign: Sign) -> Expression {
    let span = Span {
        start: left.span.start.min(right.span.start),
        end: left.span.end.max(right.span.end),
        file: left.span.file,
    };
    if let (ExpressionKind::Integer(0), Sign::Add) = (&left.kind, sign) {
        return right;
    }
    if let ExpressionKind::Integer(0) = right.kind {
        return left;
    }
    if let (ExpressionKind::Integer(one), ExpressionKind::Integer(other)) = (&left.kind, &right.kind) {
        let value = if sign == Sign::Add { one.checked_add(*other) } else { one.checked_sub(*other) };
        if let Some(value) = value {
            return Expression::new(ExpressionKind::Integer(value), span);
        }
    }
    let kind = ExpressionKind::Binary { operator: sign, left: Box::new(left), right: Box::new(right) };
    Expression::new(kind, span)
}

/// The value so much further on, or back.
pub fn moved(value: Expression, by: i64, span: Span) -> Expression {
    let distance = Expression::new(ExpressionKind::Integer(by.saturating_abs()), span);
    sum(value, distance, if by < 0 { Sign::Subtract } else { Sign::Add })
}
