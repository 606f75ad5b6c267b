//! Whose `sqrt` is it? A second look at the methods of numbers.
//!
//! For a number the standard library's own method wins over a trait's. Behind a reference it doesn't: with
//! `impl Tricky for &f64 { fn sqrt(self) -> f64 }` in scope, `y.sqrt()` on a `y: &f64` is Tricky's. So `#[gravel::overlap]`
//! repeats each call of a method in a closure that never runs, where the traits of this module are in scope. They have
//! the same methods for numbers and references to them. Alone they are taken, beside another trait the call is ambiguous:
//!
//! ```
//! let values = [1.0f64, 2.0];
//! for y in &values {
//!     let _ = || {
//!         use gravel::plain::methods::{FloatMethods as _, NumberMethods as _, receiver};
//!         // Of the call `y.sqrt().max(0.5)`:
//!         receiver(&receiver(&y).sqrt()).max(0.5)
//!     };
//! }
//! ```
//!
//! ```compile_fail,E0034
//! trait Tricky {
//!     fn sqrt(self) -> f64;
//! }
//! impl Tricky for &f64 {
//!     fn sqrt(self) -> f64 {
//!         println!("effect");
//!         0.0
//!     }
//! }
//! let y = &1.0f64;
//! let _ = || {
//!     use gravel::plain::methods::{NumberMethods as _, receiver};
//!     receiver(&y).sqrt()
//! };
//! ```
//!
//! Methods of slices are found behind vectors, arrays and boxes as those of numbers are behind references, so there is the same
//! for them: [`sequence`] and [`SequenceMethods`].
//!
//! [`receiver`] takes numbers and references to numbers only, for only their methods are known: a type parameter has those of
//! its other bounds, too. Of a number that has no such method in the standard library (`abs` of a `u32`) another trait's is
//! ambiguous as well.

use std::cmp::Ordering;

use super::{Plain, sealed};

/// A number, `bool`, `char`, or a reference to one: something whose methods are known. Implemented here only.
#[diagnostic::on_unimplemented(
    message = "gravel can't tell whose method this loop calls: `{Self}` is no number",
    label = "not a number, nor a reference to one",
    note = "`#[gravel(skip)]` before the loop leaves its message in one piece"
)]
pub trait Receiver: Plain + Sized + sealed::Sealed {
    /// The number itself.
    type Value: Receiver;
    /// The number without sign that is as long.
    type Unsigned: Receiver;
}

/// A value of the receiver's type: the call is repeated on it, so that nothing is moved or borrowed for longer.
///
/// # Panics
/// Always: it is written where it is compiled and never runs.
pub fn receiver<T: Receiver>(_receiver: &T) -> T {
    unreachable!("a check of types that never runs")
}

macro_rules! receivers {
    ($($type:ty, $unsigned:ty;)*) => {$(
        impl Receiver for $type {
            type Value = $type;
            type Unsigned = $unsigned;
        }
    )*};
}

receivers!(
    i8, u8; i16, u16; i32, u32; i64, u64; i128, u128; isize, usize; u8, u8; u16, u16; u32, u32; u64, u64; u128, u128;
    usize, usize; f32, u32; f64, u64; bool, bool; char, char;
);

impl<T: Receiver> Receiver for &T {
    type Value = T::Value;
    type Unsigned = T::Unsigned;
}

impl<T: Receiver> Receiver for &mut T {
    type Value = T::Value;
    type Unsigned = T::Unsigned;
}

/// `f32` or `f64`, or a reference to one. Implemented here only.
pub trait FloatReceiver: Receiver {}

impl FloatReceiver for f32 {}
impl FloatReceiver for f64 {}
impl<T: FloatReceiver> FloatReceiver for &T {}
impl<T: FloatReceiver> FloatReceiver for &mut T {}

/// Declares methods that never run.
macro_rules! methods {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        $(
            #[doc(hidden)]
            fn $name(self $(, _: $argument)*) -> $result {
                unreachable!("a check of types that never runs")
            }
        )*
    };
}

// Behind the macro that it uses.
mod sequences;

pub use sequences::*;

macro_rules! unary {
    ($($name:ident)*) => {
        methods!($($name() -> Self::Value;)*);
    };
}

macro_rules! binary {
    ($($name:ident)*) => {
        methods!($($name(Self::Value) -> Self::Value;)*);
    };
}

macro_rules! counts {
    ($($name:ident)*) => {
        methods!($($name() -> u32;)*);
    };
}

macro_rules! questions {
    ($($name:ident)*) => {
        methods!($($name() -> bool;)*);
    };
}

macro_rules! checked {
    ($($name:ident)*) => {
        methods!($($name(Self::Value) -> Option<Self::Value>;)*);
    };
}

macro_rules! overflowing {
    ($($name:ident)*) => {
        methods!($($name(Self::Value) -> (Self::Value, bool);)*);
    };
}

/// The methods of numbers, for all that is a [`Receiver`]: those that have no effect and depend on nothing but their arguments.
///
/// Those of [`Ord`] are not among them: its trait is in scope everywhere, so another one beside it is ambiguous in any case.
#[allow(clippy::wrong_self_convention, reason = "the standard library's numbers are taken by value")]
pub trait NumberMethods: Receiver {
    unary! {
        abs signum floor ceil round round_ties_even trunc fract recip sqrt cbrt exp exp2 exp_m1 ln ln_1p log2 log10 sin cos
        tan asin acos atan sinh cosh tanh asinh acosh atanh to_degrees to_radians next_up next_down isqrt swap_bytes
        reverse_bits to_be to_le wrapping_neg wrapping_abs saturating_neg saturating_abs next_power_of_two
    }
    binary! {
        powf log hypot atan2 copysign rem_euclid div_euclid midpoint wrapping_add wrapping_sub wrapping_mul wrapping_div
        wrapping_rem saturating_add saturating_sub saturating_mul saturating_div div_ceil next_multiple_of
    }
    checked! { checked_add checked_sub checked_mul checked_div checked_rem checked_rem_euclid checked_div_euclid }
    overflowing! { overflowing_add overflowing_sub overflowing_mul }
    counts! {
        count_ones count_zeros leading_zeros trailing_zeros leading_ones trailing_ones ilog2 ilog10
    }
    questions! {
        is_nan is_finite is_infinite is_normal is_subnormal is_sign_positive is_sign_negative is_positive is_negative
        is_power_of_two
    }
    methods! {
        mul_add(Self::Value, Self::Value) -> Self::Value;
        powi(i32) -> Self::Value;
        pow(u32) -> Self::Value;
        wrapping_pow(u32) -> Self::Value;
        saturating_pow(u32) -> Self::Value;
        checked_pow(u32) -> Option<Self::Value>;
        rotate_left(u32) -> Self::Value;
        rotate_right(u32) -> Self::Value;
        wrapping_shl(u32) -> Self::Value;
        wrapping_shr(u32) -> Self::Value;
        sin_cos() -> (Self::Value, Self::Value);
        is_multiple_of(Self::Value) -> bool;
        abs_diff(Self::Value) -> Self::Unsigned;
        unsigned_abs() -> Self::Unsigned;
        to_bits() -> Self::Unsigned;
        total_cmp(&Self::Value) -> Ordering;
    }
}

impl<T: Receiver> NumberMethods for T {}

/// The methods of floating-point numbers that integers have from [`Ord`].
pub trait FloatMethods: FloatReceiver {
    binary! { min max }
    methods! {
        clamp(Self::Value, Self::Value) -> Self::Value;
    }
}

impl<T: FloatReceiver> FloatMethods for T {}

/// The names of the methods of numbers, for references alone, so that they are found where a method by reference of another trait is.
macro_rules! number_by_reference {
    ($(#[$text:meta])* $name:ident($($reference:tt)+)) => {
        number_by_reference! {
            $(#[$text])* $name($($reference)+)
            abs acos acosh asin asinh atan atanh cbrt ceil cos cosh count_ones count_zeros exp exp2 exp_m1 floor fract is_finite
            is_infinite is_nan is_negative is_positive is_power_of_two is_sign_negative is_sign_positive isqrt leading_zeros ln ln_1p
            log10 log2 recip round signum sin sinh sqrt swap_bytes tan tanh to_bits to_degrees to_radians trailing_zeros trunc
            unsigned_abs wrapping_neg;
            abs_diff atan2 copysign div_ceil div_euclid hypot log max min next_multiple_of pow powf powi rem_euclid rotate_left
            rotate_right saturating_add saturating_mul saturating_sub wrapping_add wrapping_mul wrapping_sub;
            clamp mul_add;
        }
    };
    ($(#[$text:meta])* $name:ident($($reference:tt)+) $($unary:ident)*; $($binary:ident)*; $($ternary:ident)*;) => {
        number_by_reference!(@ $(#[$text])* $name [($($reference)+)] $($unary)*; $($binary)*; $($ternary)*;);
    };
    (@ $(#[$text:meta])* $name:ident [(&self)] $($unary:ident)*; $($binary:ident)*; $($ternary:ident)*;) => {
        $(#[$text])*
        pub trait $name {
            $(#[doc(hidden)] fn $unary(&self) {})*
            $(#[doc(hidden)] fn $binary<A>(&self, _: A) {})*
            $(#[doc(hidden)] fn $ternary<A, B>(&self, _: A, _: B) {})*
        }
        impl<T: Receiver> $name for &T {}
        impl<T: Receiver> $name for &mut T {}
    };
    (@ $(#[$text:meta])* $name:ident [(&mut self)] $($unary:ident)*; $($binary:ident)*; $($ternary:ident)*;) => {
        $(#[$text])*
        pub trait $name {
            $(#[doc(hidden)] fn $unary(&mut self) {})*
            $(#[doc(hidden)] fn $binary<A>(&mut self, _: A) {})*
            $(#[doc(hidden)] fn $ternary<A, B>(&mut self, _: A, _: B) {})*
        }
        impl<T: Receiver> $name for &T {}
        impl<T: Receiver> $name for &mut T {}
    };
}

number_by_reference! {
    /// By `&self`, of references to numbers.
    SharedNumberMethods(&self)
}
number_by_reference! {
    /// By `&mut self`, of references to numbers.
    MutableNumberMethods(&mut self)
}

#[cfg(test)]
mod tests {
    use super::{receiver, sequence};

    /// Each call twice: as it is written, and as the macro repeats it. Both have the same type.
    macro_rules! same {
        ($($receiver:ident.$name:ident($($argument:expr),*);)*) => {$(
            let value = $receiver.$name($($argument),*);
            let mut result = Some(value);
            let repeat = || {
                #[allow(unused_imports, reason = "of a number itself the standard library's method is taken")]
                use super::{FloatMethods as _, NumberMethods as _};
                receiver(&$receiver).$name($($argument),*)
            };
            if std::hint::black_box(false) {
                result = Some(repeat());
            }
            assert!(result == Some(value));
        )*};
    }

    #[test]
    fn methods_behind_references_have_the_types_of_the_library() {
        let (x, y, mut z) = (2.0f64, &3.0f64, 0.5f32);
        let w = &mut z;
        same! {
            x.sqrt(); y.sqrt(); w.sqrt(); y.abs(); y.mul_add(2.0, *y); y.min(1.0); x.max(*y); w.clamp(0.0, 1.0);
            y.powi(3); y.powf(0.5); y.sin(); y.sin_cos(); y.to_bits(); w.to_bits(); y.is_nan(); y.hypot(1.0);
            y.rem_euclid(2.0); y.total_cmp(&x); x.total_cmp(y); y.copysign(-1.0); y.signum(); y.floor();
        }
        let (i, j, k) = (-7i32, &-8i32, &&9u64);
        same! {
            i.abs(); j.abs(); j.pow(2); j.rem_euclid(3); j.unsigned_abs(); j.abs_diff(4); k.abs_diff(4); k.ilog2();
            k.wrapping_sub(10); k.checked_sub(10); k.overflowing_sub(10); k.count_ones(); k.is_power_of_two(); k.rotate_left(3);
            i.min(3); j.max(&3); k.div_ceil(4); k.is_multiple_of(3); j.is_negative();
        }
    }

    /// What a loop over slices calls, with vectors, arrays, boxes, slices and references to them.
    #[test]
    fn methods_of_slices_are_found_behind_all_that_holds_one() {
        let (mut vector, array, boxed) = (vec![1.0f64; 6], [1u8; 6], vec![1i32; 6].into_boxed_slice());
        let mut other = vec![0.0f64; 6];
        let (slice, reference) = (&mut other[..], &vector);
        let _ = || {
            use super::SequenceMethods as _;
            let lengths: [usize; 5] = [
                sequence(&vector).len(),
                sequence(&array).len(),
                sequence(&boxed).len(),
                sequence(&slice).len(),
                sequence(&reference).len(),
            ];
            let sum: f64 =
                sequence(&reference).iter().zip(sequence(&vector).iter()).map(|(one, other)| one * other).sum();
            for (place, row) in sequence(&slice).chunks_exact_mut(3).enumerate() {
                row[0] = f64::from(sequence(&array).iter().copied().sum::<u8>()) + place as f64;
            }
            sequence(&slice).copy_from_slice(&vector);
            sequence(&vector).fill(2.0);
            let first: Option<&i32> = sequence(&boxed).first();
            (lengths, sum, first.copied())
        };
        // Nothing was moved.
        slice.copy_from_slice(&vector);
        vector.fill(0.0);
        assert_eq!((other, array.len(), boxed.len()), (vec![1.0; 6], 6, 6));
    }

    /// Beside each trait one method is found, be it the slice's own.
    #[test]
    fn methods_by_reference_are_not_ambiguous_with_those_of_slices() {
        use super::any;
        let (mut vector, array, mut boxed) = (vec![1.0f64; 6], [1u8; 6], Box::new([1i32; 6]));
        let owned = vec![1.0f64; 6];
        let slice = &mut boxed[..];
        let reference = &mut vector;
        macro_rules! beside {
            ($($name:ident)*) => {$(
                let _ = || {
                    use super::$name as _;
                    let _ = (sequence(&reference).len(), sequence(&array).iter(), sequence(&slice).is_empty());
                    let _ = (sequence(&slice).iter_mut(), sequence(&reference).chunks_exact_mut(any()));
                    sequence(&reference).fill(any());
                    sequence(&slice).copy_from_slice(any());
                    sequence(&owned).fill(any());
                    sequence(&array).copy_from_slice(any());
                };
            )*};
        }
        beside! { SequenceMethods SharedHolderMethods HolderMethods SharedReferenceMethods ReferenceMethods }
        reference.push(slice.len() as f64);
        assert_eq!((vector.len(), array.len(), owned.len()), (7, 6, 6));
    }

    #[test]
    fn a_receiver_that_is_repeated_is_neither_moved_nor_borrowed() {
        let mut values = [1.0f64, 4.0];
        let first = &mut values[0];
        let _ = || {
            use super::NumberMethods as _;
            receiver(&first).sqrt()
        };
        *first += 1.0;
        assert_eq!(values, [2.0, 4.0]);
    }
}
