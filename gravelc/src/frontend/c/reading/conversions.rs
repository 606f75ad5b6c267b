//! Implicit and explicit conversions, written into the expressions (C11 6.3).

use crate::frontend::c::types::{
    ArrayLength, FloatType, IntegerType, Qualifiers, Reason, Type, TypeKind, are_compatible,
};
use crate::frontend::c::unit::{Category, Conversion, Expression, ExpressionId, Operation, Span, Unit, integer_value};

impl Unit {
    /// Adds an expression.
    pub(super) fn add(&mut self, operation: Operation, ty: Type, category: Category, range: Span) -> ExpressionId {
        let id = ExpressionId::next(self.expressions.len());
        self.expressions.push(Expression { operation, ty, category, range });
        id
    }

    /// Adds an expression that is a value.
    pub(super) fn add_value(&mut self, operation: Operation, ty: Type, range: Span) -> ExpressionId {
        self.add(operation, ty, Category::Value, range)
    }

    /// Adds one whose type is not known.
    pub(super) fn add_unknown(&mut self, reason: Reason, operands: Vec<ExpressionId>, range: Span) -> ExpressionId {
        let reason = operands.iter().find_map(|id| self.types.reason(self.type_of(*id).id)).unwrap_or(reason);
        let ty = self.types.unknown(reason);
        self.add(Operation::Unknown(reason, operands), ty, Category::Value, range)
    }

    pub(super) fn span(&self, id: ExpressionId) -> Span {
        self.expression(id).range.clone()
    }

    pub(super) fn kind_of(&self, id: ExpressionId) -> TypeKind {
        self.types.kind(self.type_of(id).id)
    }

    fn conversion(&mut self, conversion: Conversion, operand: ExpressionId, to: Type, is_cast: bool) -> ExpressionId {
        let range = self.span(operand);
        self.add_value(Operation::Convert { conversion, operand, is_cast }, to, range)
    }

    /// The value of an expression: arrays and functions become addresses, objects are read (C11 6.3.2.1).
    pub(super) fn value(&mut self, id: ExpressionId) -> ExpressionId {
        let ty = self.type_of(id);
        match self.types.kind(ty.id) {
            TypeKind::Array { element, .. } => {
                let to = self.types.pointer(element);
                self.conversion(Conversion::Decay, id, to, false)
            }
            TypeKind::Function(_) => {
                let to = self.types.pointer(ty);
                self.conversion(Conversion::FunctionAddress, id, to, false)
            }
            TypeKind::Void | TypeKind::Unknown(_) => id,
            _ if self.expression(id).category == Category::Value => id,
            _ => {
                let to = self.types.plain(ty.id).into();
                self.conversion(Conversion::Read, id, to, false)
            }
        }
    }

    /// Of the value of a bit-field, or of an assignment to one: its width.
    fn bit_field_of(&self, mut id: ExpressionId) -> Option<u32> {
        loop {
            let lvalue = match &self.expression(id).operation {
                Operation::Convert { conversion: Conversion::Read, operand, .. } => *operand,
                Operation::Comma(_, last) => {
                    id = *last;
                    continue;
                }
                Operation::Assign { left, .. } | Operation::AssignOperation { left, .. } => *left,
                Operation::Step { operand, .. } => *operand,
                _ => return None,
            };
            return match self.expression(lvalue).category {
                Category::BitField(width) => Some(width),
                _ => None,
            };
        }
    }

    /// The type that a value has after the integer promotions, if it has an integer type.
    fn promoted_type(&self, id: ExpressionId) -> Result<Option<IntegerType>, Reason> {
        let Some(integer) = self.types.as_integer(self.type_of(id).id) else { return Ok(None) };
        let target = &self.types.target;
        match self.bit_field_of(id) {
            Some(width) => integer.promoted_bit_field(width, target).map(Some).ok_or(Reason::BitField),
            None => Ok(Some(integer.promoted())),
        }
    }

    /// The integer promotions (C11 6.3.1.1). What is no integer stays.
    pub(super) fn promoted(&mut self, id: ExpressionId) -> ExpressionId {
        let id = self.value(id);
        match self.promoted_type(id) {
            Ok(Some(integer)) => {
                let to = self.types.integer(integer);
                self.convert(id, to)
            }
            Ok(None) => id,
            Err(reason) => {
                let range = self.span(id);
                self.add_unknown(reason, vec![id], range)
            }
        }
    }

    /// The default argument promotions (C11 6.5.2.2p6).
    pub(super) fn promoted_argument(&mut self, id: ExpressionId) -> ExpressionId {
        let id = self.promoted(id);
        match self.kind_of(id) {
            TypeKind::Float(FloatType::Float) => {
                let to = self.types.of(TypeKind::Float(FloatType::Double));
                self.convert(id, to)
            }
            _ => id,
        }
    }

    /// The type of the usual arithmetic conversions (C11 6.3.1.8) of two promoted values.
    pub(super) fn common_type(&mut self, left: ExpressionId, right: ExpressionId) -> Option<Type> {
        use TypeKind::{Complex, Float};
        let target = self.types.target;
        let (one, other) = (self.kind_of(left), self.kind_of(right));
        let float = |kind: TypeKind| match kind {
            Float(float) | Complex(float) => Some(float),
            _ => None,
        };
        let integer = |unit: &Self, id: ExpressionId| unit.types.as_integer(unit.type_of(id).id);
        let kind = match (float(one), float(other)) {
            (None, None) => TypeKind::Integer(integer(self, left)?.common(integer(self, right)?, &target)),
            (first, second) => {
                let is_arithmetic =
                    |unit: &Self, id, float: Option<FloatType>| float.is_some() || integer(unit, id).is_some();
                if !is_arithmetic(self, left, first) || !is_arithmetic(self, right, second) {
                    return None;
                }
                let common = first.max(second)?;
                let is_complex = matches!(one, Complex(_)) || matches!(other, Complex(_));
                if is_complex { Complex(common) } else { Float(common) }
            }
        };
        Some(self.types.of(kind))
    }

    /// Both operands, converted to their common type; promoted, if they have none.
    pub(super) fn balanced(
        &mut self,
        left: ExpressionId,
        right: ExpressionId,
    ) -> Result<(ExpressionId, ExpressionId, Type), Vec<ExpressionId>> {
        let (left, right) = (self.promoted(left), self.promoted(right));
        let common = self.common_type(left, right).ok_or_else(|| vec![left, right])?;
        Ok((self.arithmetic_operand(left, common), self.arithmetic_operand(right, common), common))
    }

    /// A real operand of a complex operation stays real (C11 6.3.1.8): only its size changes.
    fn arithmetic_operand(&mut self, id: ExpressionId, common: Type) -> ExpressionId {
        match (self.types.kind(common.id), self.kind_of(id)) {
            (TypeKind::Complex(float), TypeKind::Float(_) | TypeKind::Integer(_) | TypeKind::Enum(_)) => {
                let to = self.types.of(TypeKind::Float(float));
                self.convert(id, to)
            }
            _ => self.convert(id, common),
        }
    }

    /// Is it a null pointer constant (C11 6.3.2.3p3)?
    pub(super) fn is_null_constant(&self, id: ExpressionId) -> bool {
        match &self.expression(id).operation {
            Operation::Convert { conversion: Conversion::ToPointer | Conversion::Null, operand, is_cast: true } => {
                let to = self.types.pointee(self.type_of(id).id);
                let is_void =
                    to.is_some_and(|to| to.qualifiers == Qualifiers::NONE && self.types.kind(to.id) == TypeKind::Void);
                is_void && integer_value(self, *operand) == Some(0)
            }
            _ => integer_value(self, id) == Some(0),
        }
    }

    /// The value of an expression, converted to a type.
    pub(super) fn convert(&mut self, id: ExpressionId, to: Type) -> ExpressionId {
        self.converted(id, to, false)
    }

    /// The value of an expression, converted to a type by a cast or without one.
    pub(super) fn converted(&mut self, id: ExpressionId, to: Type, is_cast: bool) -> ExpressionId {
        let id = self.value(id);
        let to = Type::from(self.types.plain(to.id));
        let from = self.type_of(id).unqualified();
        if !is_cast && (from == to || self.types.reason(from.id).is_some()) {
            return id;
        }
        if let Some(reason) = self.types.reason(to.id) {
            let range = self.span(id);
            return self.add_unknown(reason, vec![id], range);
        }
        let conversion = self.conversion_between(id, from, to);
        self.conversion(conversion, id, to, is_cast)
    }

    fn conversion_between(&self, id: ExpressionId, from: Type, to: Type) -> Conversion {
        let target = &self.types.target;
        let (one, other) = (self.types.kind(from.id), self.types.kind(to.id));
        if let (Some(from), Some(to)) = (self.types.as_integer(from.id), self.types.as_integer(to.id)) {
            return match to {
                IntegerType::Bool if from != IntegerType::Bool => Conversion::Truth,
                _ if from.width() == to.width() && from.is_signed(target) == to.is_signed(target) => Conversion::Same,
                _ => Conversion::Integer,
            };
        }
        let is_integer = |ty: Type| self.types.as_integer(ty.id);
        match (one, other) {
            _ if from == to => Conversion::Same,
            (_, TypeKind::Void) => Conversion::Void,
            (_, TypeKind::Integer(IntegerType::Bool)) if self.is_scalar(from) => Conversion::Truth,
            (TypeKind::Unknown(_), _) => Conversion::OfUnknown,
            (TypeKind::Opaque(_), _) if self.is_scalar(to) => Conversion::Opaque,
            (_, TypeKind::Opaque(_)) if self.is_scalar(from) => Conversion::Opaque,
            (TypeKind::Complex(_), TypeKind::Complex(_) | TypeKind::Float(_)) => Conversion::Complex,
            (TypeKind::Complex(_), _) if is_integer(to).is_some() => Conversion::Complex,
            (TypeKind::Float(_), TypeKind::Complex(_)) => Conversion::Complex,
            (_, TypeKind::Complex(_)) if is_integer(from).is_some() => Conversion::Complex,
            (TypeKind::Float(_), TypeKind::Float(_)) => Conversion::Float,
            (_, TypeKind::Float(_)) if is_integer(from).is_some() => Conversion::ToFloat,
            (TypeKind::Float(_), _) if is_integer(to).is_some() => Conversion::ToInteger,
            (TypeKind::Pointer(_), TypeKind::Pointer(_)) => Conversion::Pointer,
            (_, TypeKind::Pointer(_)) if is_integer(from).is_some() => {
                if self.is_null_constant(id) {
                    Conversion::Null
                } else {
                    Conversion::ToPointer
                }
            }
            (TypeKind::Pointer(_), _) if is_integer(to).is_some() => Conversion::FromPointer,
            (_, TypeKind::Vector { .. }) | (TypeKind::Vector { .. }, _) => Conversion::Vector,
            (_, TypeKind::Record(record)) => {
                let members = &self.types.record(record).members;
                let fits = members.iter().any(|member| are_compatible(&self.types, member.ty.id, from.id));
                if fits { Conversion::Union } else { Conversion::Wrong }
            }
            _ => Conversion::Wrong,
        }
    }

    /// Is it an arithmetic type, a pointer, or a scalar type of which no more is known?
    pub(super) fn is_scalar(&self, ty: Type) -> bool {
        let kind = self.types.kind(ty.id);
        matches!(
            kind,
            TypeKind::Integer(_)
                | TypeKind::Enum(_)
                | TypeKind::Float(_)
                | TypeKind::Complex(_)
                | TypeKind::Pointer(_)
                | TypeKind::Opaque(_)
        )
    }

    /// A parameter's type: arrays and functions become pointers (C11 6.7.6.3p7).
    pub(super) fn adjusted_parameter(&mut self, ty: Type) -> Type {
        match self.types.kind(ty.id) {
            TypeKind::Array { element, .. } => self.types.pointer(element),
            TypeKind::Function(_) => self.types.pointer(ty),
            _ => ty,
        }
    }

    /// The length of an array as its type says it.
    pub(super) fn length_of(&self, ty: Type) -> Option<ArrayLength> {
        match self.types.kind(ty.id) {
            TypeKind::Array { length, .. } => Some(length),
            _ => None,
        }
    }
}
