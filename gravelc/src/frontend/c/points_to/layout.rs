//! Sizes and places as the analysis counts them.
//!
//! They are those of the compiler where it is known what these are. A handle of MPI, which is an integer or a pointer, is taken to have
//! eight bytes: the members of a structure that has one are told apart all the same. (That memory is not accessed by types whose
//! members begin elsewhere for one MPI, and at one place for the other, is what C11 6.5p7 demands.)

use crate::frontend::c::types::{ArrayLength, Member, RecordKind, Type, TypeKind, Types, alignment_of, size_of};

/// The size of a handle of MPI.
const HANDLE: u64 = 8;

/// How many elements an array is taken to have where MPIs differ.
const UNSPECIFIED: u64 = 4096;

/// The size of an object of the type, in bytes.
pub fn bytes_of(types: &Types, ty: Type) -> Option<u64> {
    if let Some(known) = size_of(types, ty) {
        return Some(known);
    }
    match types.kind(ty.id) {
        TypeKind::Opaque(_) => Some(HANDLE),
        TypeKind::Array { element, length: ArrayLength::Constant(length) } => {
            bytes_of(types, element)?.checked_mul(length)
        }
        TypeKind::Array { element, length: ArrayLength::Unspecified } => {
            bytes_of(types, element)?.checked_mul(UNSPECIFIED)
        }
        TypeKind::Record(id) => {
            let record = types.record(id);
            let ends = (0..record.members.len()).map(|index| {
                let member = &record.members[index];
                place_of(types, ty, index)?.checked_add(bytes_of_member(types, member)?)
            });
            let end = ends.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
            end.checked_next_multiple_of(HANDLE)
        }
        _ => None,
    }
}

fn bytes_of_member(types: &Types, member: &Member) -> Option<u64> {
    match types.kind(member.ty.id) {
        // A flexible one.
        TypeKind::Array { length: ArrayLength::Incomplete, .. } => Some(0),
        _ => bytes_of(types, member.ty),
    }
}

/// Where the member of this number begins in a structure or union, in bytes.
pub fn place_of(types: &Types, ty: Type, number: usize) -> Option<u64> {
    let record = types.record(types.as_record(ty.id)?);
    let member = record.members.get(number)?;
    if record.layout.is_some() {
        return Some(member.bit_offset / 8);
    }
    if record.kind == RecordKind::Union {
        return Some(0);
    }
    let mut at: u64 = 0;
    for earlier in &record.members[..number] {
        at = at.checked_next_multiple_of(alignment_of_member(types, earlier))?;
        at = at.checked_add(bytes_of_member(types, earlier)?)?;
    }
    at.checked_next_multiple_of(alignment_of_member(types, member))
}

/// In front of the first handle, members lie where the compiler puts them: structures that begin alike are alike so far.
fn alignment_of_member(types: &Types, member: &Member) -> u64 {
    if member.is_packed { 1 } else { alignment_of(types, member.ty).unwrap_or(HANDLE).max(1) }
}

/// Where the elements of an array are: its length and that of an element, in bytes.
pub fn array_of(types: &Types, ty: Type) -> Option<(u64, u64)> {
    let TypeKind::Array { element, .. } = types.kind(ty.id) else { return None };
    Some((bytes_of(types, ty)?, bytes_of(types, element)?))
}
