//! What types are made of.

use std::fmt;
use std::ops::{BitOr, Range};

use super::{FloatType, IntegerType};
use crate::frontend::c::tokens::Name;

/// A type without its qualifiers: its number in [`Types`](super::Types).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeId(pub(super) u32);

/// Qualifiers of a type (C11 6.7.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Qualifiers(u8);

impl Qualifiers {
    /// None.
    pub const NONE: Self = Self(0);
    /// `const`
    pub const CONST: Self = Self(1);
    /// `volatile`
    pub const VOLATILE: Self = Self(2);
    /// `restrict`
    pub const RESTRICT: Self = Self(4);
    /// `_Atomic`
    pub const ATOMIC: Self = Self(8);

    /// Are all of `others` among them?
    pub fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// They without `others`.
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

impl BitOr for Qualifiers {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Debug for Qualifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [(Self::CONST, "const"), (Self::VOLATILE, "volatile"), (Self::RESTRICT, "restrict")];
        let all = all.into_iter().chain([(Self::ATOMIC, "_Atomic")]);
        f.debug_list().entries(all.filter(|(one, _)| self.has(*one)).map(|(_, name)| name)).finish()
    }
}

/// A type with its qualifiers. Those of an array are those of its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type {
    /// The type.
    pub id: TypeId,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
}

impl Type {
    /// The type without qualifiers.
    pub fn unqualified(self) -> Self {
        Self { qualifiers: Qualifiers::NONE, ..self }
    }

    /// The type with these qualifiers, too. Of arrays, see [`Types::qualified`](super::Types::qualified).
    pub fn and(self, qualifiers: Qualifiers) -> Self {
        Self { qualifiers: self.qualifiers | qualifiers, ..self }
    }
}

impl From<TypeId> for Type {
    fn from(id: TypeId) -> Self {
        Self { id, qualifiers: Qualifiers::NONE }
    }
}

/// Why a type is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// A name that nothing declares.
    UndeclaredName,
    /// A name at the place of a type that is no type's.
    UndeclaredType,
    /// A member that the structure does not have, or a structure that is not complete.
    NoSuchMember,
    /// A call of what is no function.
    NotCallable,
    /// Operands that the operator does not have.
    BadOperands,
    /// A type that may not stand here (an array of functions, a function that gives an array).
    BadType,
    /// A builtin function that is not known.
    UnknownBuiltin,
    /// Arithmetic with a bit-field that is wider than `int`: GNU C computes in its width, other compilers do not.
    BitField,
    /// A complex type of integers.
    ComplexInteger,
    /// A constant that is malformed or too large.
    BadConstant,
    /// A type that is built of too many others.
    TooDeep,
    /// No association of a `_Generic` fits.
    NoAssociation,
}

/// A structure or union.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordId(pub(super) u32);

/// An enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EnumId(pub(super) u32);

/// A function type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionId(pub(super) u32);

/// How many elements an array has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArrayLength {
    /// So many.
    Constant(u64),
    /// Not said: `[]`. As the last member of a structure: flexible.
    Incomplete,
    /// The value of an expression: its number in the unit.
    Variable(u32),
    /// `[*]`, in prototypes.
    Star,
    /// A constant whose value differs between implementations of what declares it, such as `MPI_MAX_PROCESSOR_NAME`.
    Unspecified,
}

/// What a type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// `void`
    Void,
    /// An integer type, but for enumerations.
    Integer(IntegerType),
    /// A real floating type.
    Float(FloatType),
    /// A complex type.
    Complex(FloatType),
    /// An enumeration.
    Enum(EnumId),
    /// A pointer.
    Pointer(Type),
    /// An array.
    Array {
        /// Of what.
        element: Type,
        /// Of how many.
        length: ArrayLength,
    },
    /// A function.
    Function(FunctionId),
    /// A structure or union.
    Record(RecordId),
    /// A vector of GNU C (`vector_size`).
    Vector {
        /// Of what.
        element: TypeId,
        /// Its size.
        bytes: u64,
    },
    /// A typedef's type with attributes: `aligned`, `may_alias`.
    Adjusted {
        /// The type without them.
        of: TypeId,
        /// Its alignment in bytes, if it is another one.
        alignment: Option<u64>,
        /// May lvalues of it access objects of any type?
        may_alias: bool,
    },
    /// The scalar type of this name, of which no more is known: a handle of MPI, which is a pointer or an integer.
    Opaque(Name),
    /// Not known.
    Unknown(Reason),
}

/// A function type (C11 6.7.6.3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// What it gives.
    pub result: Type,
    /// Its parameters, arrays and functions made pointers.
    pub parameters: Vec<Type>,
    /// Does `...` follow them?
    pub is_variadic: bool,
    /// Is it declared by a prototype? Without one the parameters are not known to callers.
    pub has_prototype: bool,
}

/// Is it a structure or a union?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// Members one behind the other.
    Struct,
    /// Members at one place.
    Union,
}

/// A member of a structure or union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name; none for an unnamed bit-field or an anonymous structure or union.
    pub name: Option<Name>,
    /// Its type.
    pub ty: Type,
    /// Of a bit-field: its width.
    pub bit_width: Option<u32>,
    /// Does it have the attribute `packed`, itself or by the structure?
    pub is_packed: bool,
    /// `aligned`, `_Alignas`: in bytes.
    pub alignment: Option<u64>,
    /// Where it begins in the structure, in bits; 0 until the layout is known.
    pub bit_offset: u64,
    /// Its declarator in the text; that of an unnamed one is empty.
    pub range: Range<u32>,
}

/// A structure or union.
#[derive(Debug, Clone)]
pub struct Record {
    /// Which of the two.
    pub kind: RecordKind,
    /// Its tag.
    pub tag: Option<Name>,
    /// Its members, as soon as it is complete.
    pub members: Vec<Member>,
    /// Have the members been declared?
    pub is_complete: bool,
    /// `aligned`: in bytes.
    pub alignment: Option<u64>,
    /// `#pragma pack` where it ends: in bytes.
    pub pack: Option<u64>,
    /// Do lvalues of it access objects of any type (`may_alias`)?
    pub may_alias: bool,
    /// Size and alignment in bytes, where they are known.
    pub layout: Option<(u64, u64)>,
    /// Its specifier in the text.
    pub range: Range<u32>,
}

/// An enumeration.
#[derive(Debug, Clone)]
pub struct Enumeration {
    /// Its tag.
    pub tag: Option<Name>,
    /// The type with which it is compatible, as soon as it is complete.
    pub compatible: Option<IntegerType>,
    /// Its specifier in the text.
    pub range: Range<u32>,
}

/// A member that was looked for by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The numbers of the members on the way: more than one where anonymous structures lie between.
    pub path: Vec<u32>,
    /// Where it begins, in bits, from the beginning of the outermost.
    pub bit_offset: u64,
}
