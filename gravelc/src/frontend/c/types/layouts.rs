//! Size, alignment, and where members lie.
//!
//! The rules are those that gcc and clang share on LP64 targets (System V ABI; AAPCS64), with `packed`, `aligned` and
//! `#pragma pack` as GCC's manual has them. What is not known (an incomplete type, a variable length) has no size.

use super::{ArrayLength, Member, Qualifiers, Record, RecordKind, Type, TypeId, TypeKind, Types};

/// The size of an object of the type, in bytes. GNU C: 1 for `void` and functions is not answered here.
pub fn size_of(types: &Types, ty: Type) -> Option<u64> {
    let size = plain_size(types, ty.id)?;
    (!is_padded_atomic(types, ty)).then_some(size)
}

fn plain_size(types: &Types, id: TypeId) -> Option<u64> {
    match types.kind(id) {
        TypeKind::Void
        | TypeKind::Function(_)
        | TypeKind::Opaque(_)
        | TypeKind::Unknown(_)
        | TypeKind::Adjusted { .. } => None,
        TypeKind::Integer(integer) => Some(integer.size()),
        TypeKind::Enum(id) => Some(types.enumeration(id).compatible?.size()),
        TypeKind::Float(float) => Some(float.size()),
        TypeKind::Complex(float) => Some(2 * float.size()),
        TypeKind::Pointer(_) => Some(8),
        TypeKind::Vector { bytes, .. } => Some(bytes),
        TypeKind::Record(id) => Some(types.record(id).layout?.0),
        TypeKind::Array { element, length: ArrayLength::Constant(length) } => {
            let size = size_of(types, element)?.checked_mul(length)?;
            i64::try_from(size).is_ok().then_some(size)
        }
        TypeKind::Array { .. } => None,
    }
}

/// The alignment of an object of the type, in bytes.
pub fn alignment_of(types: &Types, ty: Type) -> Option<u64> {
    if let TypeKind::Adjusted { of, alignment, .. } = types.written(ty.id) {
        return alignment.or_else(|| alignment_of(types, Type { id: of, ..ty }));
    }
    if ty.qualifiers.has(Qualifiers::ATOMIC) {
        return size_of(types, ty).filter(|size| *size <= 16);
    }
    match types.kind(ty.id) {
        TypeKind::Integer(_)
        | TypeKind::Float(_)
        | TypeKind::Enum(_)
        | TypeKind::Pointer(_)
        | TypeKind::Vector { .. } => plain_size(types, ty.id),
        TypeKind::Complex(float) => Some(float.size()),
        TypeKind::Record(id) => Some(types.record(id).layout?.1),
        TypeKind::Array { element, .. } => alignment_of(types, element),
        TypeKind::Void
        | TypeKind::Function(_)
        | TypeKind::Opaque(_)
        | TypeKind::Unknown(_)
        | TypeKind::Adjusted { .. } => None,
    }
}

/// Is it an atomic type whose size is no power of two up to 16? Compilers disagree about its padding.
fn is_padded_atomic(types: &Types, ty: Type) -> bool {
    ty.qualifiers.has(Qualifiers::ATOMIC)
        && !plain_size(types, ty.id).is_some_and(|size| size.is_power_of_two() && size <= 16)
}

fn round_up(bits: u64, to: u64) -> Option<u64> {
    bits.checked_next_multiple_of(to)
}

/// The state of a layout: positions in bits.
struct Layout<'t> {
    types: &'t Types,
    pack: Option<u64>,
    position: u64,
    size: u64,
    alignment: u64,
}

/// Gives the members of `record` their places; its size and alignment, in bytes.
pub(in crate::frontend::c) fn lay_out(types: &Types, record: &mut Record) -> Option<(u64, u64)> {
    let mut layout = Layout { types, pack: record.pack, position: 0, size: 0, alignment: 8 };
    for member in &mut record.members {
        if record.kind == RecordKind::Union {
            layout.position = 0;
        }
        layout.place(member)?;
        layout.size = layout.size.max(layout.position);
    }
    let alignment = layout.alignment.max(record.alignment.unwrap_or(1).checked_mul(8)?);
    let size = round_up(round_up(layout.size, 8)?, alignment)?;
    i64::try_from(size).ok()?;
    Some((size / 8, alignment / 8))
}

impl Layout<'_> {
    fn place(&mut self, member: &mut Member) -> Option<()> {
        match member.bit_width {
            Some(width) => self.place_bit_field(member, width),
            None => self.place_object(member),
        }
    }

    fn limited(&self, alignment: u64) -> Option<u64> {
        alignment.min(self.pack.unwrap_or(u64::MAX)).checked_mul(8)
    }

    fn place_object(&mut self, member: &mut Member) -> Option<()> {
        let natural = if member.is_packed { 1 } else { alignment_of(self.types, member.ty)? };
        let alignment = self.limited(natural.max(member.alignment.unwrap_or(1)))?;
        let size = match self.types.kind(member.ty.id) {
            // A flexible array member.
            TypeKind::Array { length: ArrayLength::Incomplete, element } => size_of(self.types, element).map(|_| 0)?,
            _ => size_of(self.types, member.ty)?,
        };
        self.alignment = self.alignment.max(alignment);
        member.bit_offset = round_up(self.position, alignment)?;
        self.position = member.bit_offset.checked_add(size.checked_mul(8)?)?;
        Some(())
    }

    fn place_bit_field(&mut self, member: &mut Member, width: u32) -> Option<()> {
        // Other types have no bit-fields.
        let integer = self.types.as_integer(member.ty.id)?;
        if width > integer.width() {
            return None;
        }
        let size = 8 * integer.size();
        let natural = alignment_of(self.types, member.ty)?;
        let is_packed = member.is_packed && width > 0;
        // Where `#pragma pack` holds, it alone says how the structure is aligned.
        let own = self.limited(if is_packed && self.pack.is_none() { 1 } else { natural })?;
        let mut given = self.limited(member.alignment.unwrap_or(1))?;
        if member.name.is_some() || self.types.target.unnamed_bit_fields_align {
            self.alignment = self.alignment.max(own).max(given);
        }
        if width == 0 {
            // Not even `#pragma pack` changes where one without bits brings the next member.
            given = given.max(natural.checked_mul(8)?);
            if self.types.target.unnamed_bit_fields_align {
                self.alignment = self.alignment.max(given);
            }
        }
        let start = if given > 8 || width == 0 { round_up(self.position, given)? } else { self.position };
        // One that would cross more borders of its type than the type itself has begins at the next border.
        let natural = natural.checked_mul(8)?;
        let crosses = (start % natural).checked_add(u64::from(width))?.div_ceil(natural) > size / natural;
        let may_cross = is_packed || self.pack.is_some();
        member.bit_offset = if crosses && !may_cross { round_up(start, natural)? } else { start };
        self.position = member.bit_offset.checked_add(u64::from(width))?;
        Some(())
    }
}
