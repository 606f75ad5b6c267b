//! What messages are made of.

/// A type whose values can be sent as their bytes and received as any bytes.
///
/// # Safety
/// Every pattern of `size_of::<Self>()` initialised bytes must be a value of the type, and every value must have all
/// its bytes initialised: no padding, no references, no `bool`, `char` or enum. The type must mean the same in every
/// process: no pointers as numbers.
pub unsafe trait Element: Copy + 'static {}

macro_rules! elements {
    ($($type:ty)*) => {
        // SAFETY: numbers without padding, of which every bit pattern is one.
        $(unsafe impl Element for $type {})*
    };
}

elements!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

// SAFETY: arrays have no padding between their elements. A complex number is an array of its two parts.
unsafe impl<T: Element, const N: usize> Element for [T; N] {}
