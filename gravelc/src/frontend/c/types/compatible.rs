//! Compatible types and composite types (C11 6.2.7).

use super::{ArrayLength, FunctionType, IntegerType, Type, TypeId, TypeKind, Types};

/// Are the types compatible? Qualifiers count, but for those at the top.
pub fn are_compatible(types: &Types, one: TypeId, other: TypeId) -> bool {
    let (one, other) = (types.plain(one), types.plain(other));
    if one == other {
        return true;
    }
    let with_qualifiers =
        |one: Type, other: Type| one.qualifiers == other.qualifiers && are_compatible(types, one.id, other.id);
    match (types.kind(one), types.kind(other)) {
        (TypeKind::Enum(id), TypeKind::Integer(integer)) | (TypeKind::Integer(integer), TypeKind::Enum(id)) => {
            types.enumeration(id).compatible == Some(integer)
        }
        (TypeKind::Pointer(one), TypeKind::Pointer(other)) => with_qualifiers(one, other),
        (TypeKind::Array { element, length }, TypeKind::Array { element: other, length: other_length }) => {
            let differ = match (length, other_length) {
                (ArrayLength::Constant(one), ArrayLength::Constant(other)) => one != other,
                _ => false,
            };
            !differ && with_qualifiers(element, other)
        }
        (TypeKind::Vector { element, bytes }, TypeKind::Vector { element: other, bytes: other_bytes }) => {
            bytes == other_bytes && are_compatible(types, element, other)
        }
        (TypeKind::Function(one), TypeKind::Function(other)) => {
            are_compatible_functions(types, types.function(one), types.function(other))
        }
        _ => false,
    }
}

fn are_compatible_functions(types: &Types, one: &FunctionType, other: &FunctionType) -> bool {
    if !are_compatible(types, one.result.id, other.result.id) {
        return false;
    }
    match (one.has_prototype, other.has_prototype) {
        (true, true) => {
            let parameters = one.parameters.iter().zip(&other.parameters);
            one.is_variadic == other.is_variadic
                && one.parameters.len() == other.parameters.len()
                && parameters.into_iter().all(|(one, other)| are_compatible(types, one.id, other.id))
        }
        (false, false) => true,
        (true, false) => is_called_without_prototype(types, one),
        (false, true) => is_called_without_prototype(types, other),
    }
}

/// Are all parameters as the default argument promotions leave them?
fn is_called_without_prototype(types: &Types, function: &FunctionType) -> bool {
    let is_kept = |ty: &Type| match types.kind(ty.id) {
        TypeKind::Integer(integer) => integer.promoted() == integer,
        TypeKind::Enum(id) => {
            types.enumeration(id).compatible.is_some_and(|integer| integer.size() >= IntegerType::Int.size())
        }
        TypeKind::Float(float) => float != super::FloatType::Float,
        _ => true,
    };
    !function.is_variadic && function.parameters.iter().all(is_kept)
}

/// The composite of two compatible types: what either says.
pub fn composite(types: &mut Types, one: Type, other: Type) -> Type {
    if one.id == other.id {
        return one;
    }
    let id = match (types.kind(one.id), types.kind(other.id)) {
        (TypeKind::Array { element, length }, TypeKind::Array { element: other, length: other_length }) => {
            let element = composite(types, element, other);
            let length = match (length, other_length) {
                (ArrayLength::Constant(_), _) => length,
                (_, ArrayLength::Constant(_)) => other_length,
                (ArrayLength::Variable(_) | ArrayLength::Unspecified, _) => length,
                _ => other_length,
            };
            types.array(element, length).id
        }
        (TypeKind::Pointer(one), TypeKind::Pointer(other)) => {
            let to = composite(types, one, other);
            types.pointer(to).id
        }
        (TypeKind::Function(first), TypeKind::Function(second)) => {
            let (first, second) = (types.function(first).clone(), types.function(second).clone());
            let result = composite(types, first.result, second.result);
            let mut function = if first.has_prototype { first.clone() } else { second.clone() };
            if first.has_prototype && second.has_prototype {
                let pairs = first.parameters.iter().zip(&second.parameters);
                function.parameters = pairs.map(|(one, other)| composite(types, *one, *other)).collect();
            }
            function.result = result;
            types.function_type(function).id
        }
        _ => one.id,
    };
    Type { id, qualifiers: one.qualifiers }
}
