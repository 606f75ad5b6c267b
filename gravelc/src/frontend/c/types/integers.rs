//! Integer types: widths, promotions, conversions (C11 6.3.1).

use super::Target;

/// A standard or extended integer type, but for enumerations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntegerType {
    /// `_Bool`
    Bool,
    /// `char`, whose sign the target decides
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`
    Int,
    /// `unsigned int`
    UnsignedInt,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UnsignedInt128,
}

impl IntegerType {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Bool,
        Self::Char,
        Self::SignedChar,
        Self::UnsignedChar,
        Self::Short,
        Self::UnsignedShort,
        Self::Int,
        Self::UnsignedInt,
        Self::Long,
        Self::UnsignedLong,
        Self::LongLong,
        Self::UnsignedLongLong,
        Self::Int128,
        Self::UnsignedInt128,
    ];

    /// Its size in bytes.
    pub fn size(self) -> u64 {
        match self {
            Self::Bool | Self::Char | Self::SignedChar | Self::UnsignedChar => 1,
            Self::Short | Self::UnsignedShort => 2,
            Self::Int | Self::UnsignedInt => 4,
            Self::Long | Self::UnsignedLong | Self::LongLong | Self::UnsignedLongLong => 8,
            Self::Int128 | Self::UnsignedInt128 => 16,
        }
    }

    /// How many bits hold its value.
    pub fn width(self) -> u32 {
        match self {
            Self::Bool => 1,
            _ => 8 * u32::try_from(self.size()).unwrap_or(0),
        }
    }

    /// Does it have negative values?
    pub fn is_signed(self, target: &Target) -> bool {
        match self {
            Self::Char => target.is_char_signed,
            Self::SignedChar | Self::Short | Self::Int | Self::Long | Self::LongLong | Self::Int128 => true,
            _ => false,
        }
    }

    /// Its rank among integer types (C11 6.3.1.1).
    fn rank(self) -> u32 {
        match self {
            Self::Bool => 0,
            Self::Char | Self::SignedChar | Self::UnsignedChar => 1,
            Self::Short | Self::UnsignedShort => 2,
            Self::Int | Self::UnsignedInt => 3,
            Self::Long | Self::UnsignedLong => 4,
            Self::LongLong | Self::UnsignedLongLong => 5,
            Self::Int128 | Self::UnsignedInt128 => 6,
        }
    }

    /// The unsigned type of the same rank.
    pub fn to_unsigned(self) -> Self {
        match self {
            Self::Char | Self::SignedChar => Self::UnsignedChar,
            Self::Short => Self::UnsignedShort,
            Self::Int => Self::UnsignedInt,
            Self::Long => Self::UnsignedLong,
            Self::LongLong => Self::UnsignedLongLong,
            Self::Int128 => Self::UnsignedInt128,
            _ => self,
        }
    }

    /// The type to which the integer promotions bring it.
    pub fn promoted(self) -> Self {
        if self.rank() < Self::Int.rank() { Self::Int } else { self }
    }

    /// The type to which the integer promotions bring a bit-field of it with so many bits. GNU C keeps the width of one that is
    /// wider than `int`: there is no type for it.
    pub fn promoted_bit_field(self, width: u32, target: &Target) -> Option<Self> {
        let fits_int = width < 32 || width == 32 && self.is_signed(target);
        match width {
            _ if fits_int => Some(Self::Int),
            32 => Some(Self::UnsignedInt),
            _ if width == self.width() => Some(self.promoted()),
            _ => None,
        }
    }

    /// The common type of two (C11 6.3.1.8).
    pub fn common(self, other: Self, target: &Target) -> Self {
        let (one, two) = (self.promoted(), other.promoted());
        if one.is_signed(target) == two.is_signed(target) {
            return if one.rank() >= two.rank() { one } else { two };
        }
        let (signed, unsigned) = if one.is_signed(target) { (one, two) } else { (two, one) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.width() > unsigned.width() {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    /// What becomes of a value that is converted to the type: modulo 2^n, as GNU C defines it for signed types, too. Nothing for
    /// values of `unsigned __int128` above those of `__int128`.
    pub fn wrapped(self, value: i128, target: &Target) -> Option<i128> {
        match self {
            Self::Bool => Some(i128::from(value != 0)),
            Self::Int128 => Some(value),
            Self::UnsignedInt128 => (value >= 0).then_some(value),
            _ => Some(wrapped_to_bits(value, self.width(), self.is_signed(target))),
        }
    }

    /// Is it one of the type's values?
    pub fn holds(self, value: i128, target: &Target) -> bool {
        self.wrapped(value, target) == Some(value)
    }

    /// How it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Bool => "_Bool",
            Self::Char => "char",
            Self::SignedChar => "signed char",
            Self::UnsignedChar => "unsigned char",
            Self::Short => "short",
            Self::UnsignedShort => "unsigned short",
            Self::Int => "int",
            Self::UnsignedInt => "unsigned int",
            Self::Long => "long",
            Self::UnsignedLong => "unsigned long",
            Self::LongLong => "long long",
            Self::UnsignedLongLong => "unsigned long long",
            Self::Int128 => "__int128",
            Self::UnsignedInt128 => "unsigned __int128",
        }
    }
}

/// The value of the low `bits` of `value`: at most 127 of them.
pub(super) fn wrapped_to_bits(value: i128, bits: u32, is_signed: bool) -> i128 {
    let low = value & ((1 << bits) - 1);
    if is_signed && low >> (bits - 1) & 1 == 1 { low - (1 << bits) } else { low }
}
