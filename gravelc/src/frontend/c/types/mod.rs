//! Types, what they occupy, and the arithmetic of integers.
//!
//! Types are numbers ([`TypeId`]) in a table ([`Types`]): two that are alike have one number. What the target decides
//! (sizes, the sign of `char`, the rules of bit-fields) is asked of a [`Target`].

mod compatible;
mod floats;
mod integers;
mod kinds;
mod layouts;
mod spelling;
mod table;
mod target;
#[cfg(test)]
mod tests;

pub use compatible::{are_compatible, composite};
pub use floats::FloatType;
pub use integers::IntegerType;
pub use kinds::{
    ArrayLength, EnumId, Enumeration, Found, FunctionId, FunctionType, Member, Qualifiers, Reason, Record, RecordId,
    RecordKind, Type, TypeId, TypeKind,
};
pub(super) use layouts::lay_out;
pub use layouts::{alignment_of, size_of};
pub use spelling::spell;
pub use table::Types;
pub use target::Target;
