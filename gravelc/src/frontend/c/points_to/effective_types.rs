//! Which memory an access meets, as its type says (C11 6.5p7).
//!
//! `a[i] = 1.0` stores no pointer, wherever `a[i]` is: an object whose effective type is that of a pointer is accessed by pointers,
//! by characters and by unions. Compilers rely on it at -O2.

use crate::frontend::c::types::{IntegerType, RecordKind, Type, TypeKind, Types};
use crate::frontend::c::unit::{Conversion, ExpressionId, Operation, Unit};

/// Does the type of an lvalue say that what it accesses is a number, and no part of a pointer?
pub fn is_of_numbers(unit: &Unit, lvalue: ExpressionId) -> bool {
    is_number(&unit.types, unit.type_of(lvalue)) && !is_in_union(unit, lvalue)
}

fn is_number(types: &Types, ty: Type) -> bool {
    let mut id = ty.id;
    while let TypeKind::Adjusted { of, may_alias, .. } = types.written(id) {
        if may_alias {
            return false;
        }
        id = of;
    }
    match types.kind(id) {
        TypeKind::Integer(integer) => {
            !matches!(integer, IntegerType::Char | IntegerType::SignedChar | IntegerType::UnsignedChar)
        }
        TypeKind::Float(_) | TypeKind::Complex(_) | TypeKind::Enum(_) | TypeKind::Opaque(_) => true,
        _ => false,
    }
}

/// Is it a part of a union, or of a structure that may be anything, as the expression names it?
fn is_in_union(unit: &Unit, id: ExpressionId) -> bool {
    match &unit.expression(id).operation {
        Operation::Member { base, path, .. } => {
            let mut ty = unit.type_of(*base);
            for &number in path {
                let Some(record) = unit.types.as_record(ty.id).map(|id| unit.types.record(id)) else { return true };
                if record.kind == RecordKind::Union || record.may_alias {
                    return true;
                }
                let Some(member) = record.members.get(number as usize) else { return true };
                ty = member.ty;
            }
            is_in_union(unit, *base)
        }
        Operation::Subscript { pointer, .. } => is_in_union(unit, *pointer),
        Operation::Dereference(inner) | Operation::AddressOf(inner) => is_in_union(unit, *inner),
        // The pointer to it, but not one that is read from memory.
        Operation::Convert {
            conversion: Conversion::Decay | Conversion::Pointer | Conversion::Same, operand, ..
        } => is_in_union(unit, *operand),
        _ => false,
    }
}
