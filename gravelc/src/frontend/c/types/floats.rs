//! Floating types.

/// A real floating type, in the order of the usual arithmetic conversions (C11 6.3.1.8, ISO/IEC TS 18661-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatType {
    /// `_Float16`
    Float16,
    /// `float`
    Float,
    /// `_Float32`
    Float32,
    /// `double`
    Double,
    /// `_Float32x`
    Float32x,
    /// `_Float64`
    Float64,
    /// `long double`
    LongDouble,
    /// `_Float64x`
    Float64x,
    /// `_Float128`, `__float128`
    Float128,
}

impl FloatType {
    /// Its size in bytes, which is its alignment, too.
    pub fn size(self) -> u64 {
        match self {
            Self::Float16 => 2,
            Self::Float | Self::Float32 => 4,
            Self::Double | Self::Float32x | Self::Float64 => 8,
            Self::LongDouble | Self::Float64x | Self::Float128 => 16,
        }
    }

    /// How it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Float16 => "_Float16",
            Self::Float => "float",
            Self::Float32 => "_Float32",
            Self::Double => "double",
            Self::Float32x => "_Float32x",
            Self::Float64 => "_Float64",
            Self::LongDouble => "long double",
            Self::Float64x => "_Float64x",
            Self::Float128 => "_Float128",
        }
    }
}
