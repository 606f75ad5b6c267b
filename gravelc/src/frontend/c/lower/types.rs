//! C's types as element types and shapes.

use crate::frontend::c::types::{ArrayLength, FloatType, Type, TypeKind, Types, size_of};
use crate::ir::{ArrayDimension, ElementType, Expression, ExpressionKind, Shape, Span, TypeCategory};

/// The type of a scalar, or of the elements of an array of any number of dimensions.
pub fn element_of(types: &Types, ty: Type) -> ElementType {
    let bytes = |ty: Type| size_of(types, ty).and_then(|bytes| u32::try_from(bytes).ok());
    let category = match types.kind(ty.id) {
        TypeKind::Array { element, .. } => return element_of(types, element),
        // Handles of MPI, as in other languages: what holds one is followed.
        TypeKind::Integer(_) | TypeKind::Enum(_) | TypeKind::Opaque(_) => TypeCategory::Integer,
        TypeKind::Float(FloatType::Float | FloatType::Double | FloatType::LongDouble) => TypeCategory::Real,
        TypeKind::Complex(_) => TypeCategory::Complex,
        TypeKind::Record(_) => TypeCategory::Derived,
        _ => TypeCategory::Unknown,
    };
    ElementType { category, bytes: bytes(ty) }
}

/// The lengths of an array's dimensions, the outermost first, as far as they are constant.
pub fn lengths_of(types: &Types, ty: Type) -> Vec<Option<u64>> {
    let mut lengths = Vec::new();
    let mut ty = ty;
    while let TypeKind::Array { element, length } = types.kind(ty.id) {
        lengths.push(match length {
            ArrayLength::Constant(length) => Some(length),
            _ => None,
        });
        ty = element;
    }
    lengths
}

/// The shape of an array with these lengths, the outermost first: the last subscript varies fastest.
pub fn shape_of(lengths: &[Option<u64>], span: Span) -> Shape {
    if lengths.is_empty() {
        return Shape::Scalar;
    }
    let number = |value: i64| Expression::new(ExpressionKind::Integer(value), span);
    let dimension = |length: &Option<u64>| ArrayDimension {
        lower: Some(number(0)),
        upper: length.and_then(|length| i64::try_from(length).ok()).map(|length| number(length - 1)),
    };
    Shape::Array(lengths.iter().rev().map(dimension).collect())
}

/// Is it a type of numbers, or a pointer?
pub fn is_scalar(types: &Types, ty: Type) -> bool {
    matches!(
        types.kind(ty.id),
        TypeKind::Integer(_) | TypeKind::Enum(_) | TypeKind::Float(_) | TypeKind::Complex(_) | TypeKind::Pointer(_)
    )
}

/// Is it a signed integer type in which computation overflows only where C leaves that undefined?
pub fn is_signed_integer(types: &Types, ty: Type) -> bool {
    types.as_integer(ty.id).is_some_and(|integer| integer.is_signed(&types.target))
}

/// Is one more than a value of it one more, or undefined? What is narrower than `int` wraps where it is stored.
pub fn counts_exactly(types: &Types, ty: Type) -> bool {
    is_signed_integer(types, ty) && types.as_integer(ty.id).is_some_and(|integer| integer.promoted() == integer)
}
