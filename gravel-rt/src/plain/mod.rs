//! Plain values: those whose operators, comparisons and indexing are the standard library's, and do nothing else.
//!
//! `#[gravel::overlap]` sees no types. In `out[i] = field[i] * 0.5` the `*` may be anybody's, and print. If all variables of a
//! loop are plain, what is computed from them is plain, too: the orphan rule lets nobody else define an operator between
//! such types. So the macro writes a line for each variable of a loop that it cuts:
//!
//! ```
//! let (field, weights) = (vec![1.0f64; 10], [0.5f32; 3]);
//! gravel::plain::check(&field);
//! gravel::plain::check(&weights);
//! gravel::plain::check(&field[0]);
//! ```
//!
//! A type that is not plain is refused when the program is compiled, in words about the loop:
//!
//! ```compile_fail
//! struct Loud(f64);
//! gravel::plain::check(&Loud(1.0));
//! ```
//!
//! Generic functions ask for [`Number`]:
//!
//! ```
//! fn damp<T: gravel::plain::Number>(field: &mut [T], factor: T) {
//!     gravel::plain::check(&field);
//!     for value in field {
//!         *value = *value * factor;
//!     }
//! }
//! let mut field = [1.0, 2.0];
//! damp(&mut field, 0.5);
//! assert_eq!(field, [0.5, 1.0]);
//! ```
//!
//! # What is not plain
//!
//! Types with operators or destructors of their own, and what can be changed through a shared reference: `Cell`, `RefCell`,
//! atomics, `Rc`, raw pointers, trait objects, functions. Structures are not plain, but their fields can be.
//!
//! Calls of methods need a second look: [`methods`].

pub mod methods;

use std::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo,
    RangeToInclusive, Rem, RemAssign, Sub, SubAssign,
};

use crate::api::{Element, Gravel};

mod sealed {
    pub trait Sealed {}
    pub trait Communicator {}
}

/// Values whose operators are the standard library's. Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no plain number, so gravel can't tell what the operators of this loop do",
    label = "not a number, nor an array, slice, vector, range or reference of numbers",
    note = "`#[gravel(skip)]` before the loop leaves its message in one piece",
    note = "a type parameter is plain with the bound `T: gravel::plain::Number`"
)]
pub trait Plain: sealed::Sealed {
    /// Are all numbers in it of floating point? Arithmetic with those ends no program.
    const IS_OF_FLOATS: bool;
}

/// The numbers: what generic functions may compute with. Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no plain number",
    note = "the plain numbers are the integers, f32 and f64"
)]
pub trait Number:
    Plain
    + Element
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
{
}

macro_rules! plain {
    ($is_of_floats:literal: $($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl Plain for $type {
            const IS_OF_FLOATS: bool = $is_of_floats;
        }
    )*};
}

macro_rules! numbers {
    ($is_of_floats:literal: $($type:ty)*) => {$(
        plain!($is_of_floats: $type);
        impl Number for $type {}
    )*};
}

/// Types that hold values of one other type.
macro_rules! plain_of {
    ($($type:ty)*) => {$(
        impl<T: Plain> sealed::Sealed for $type {}
        impl<T: Plain> Plain for $type {
            const IS_OF_FLOATS: bool = T::IS_OF_FLOATS;
        }
    )*};
}

numbers!(false: i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
numbers!(true: f32 f64);
plain!(false: () bool char RangeFull);
plain_of!([T] Vec<T> Option<T> Range<T> RangeInclusive<T> RangeFrom<T> RangeTo<T> RangeToInclusive<T>);

impl<T: Plain, const N: usize> sealed::Sealed for [T; N] {}
impl<T: Plain, const N: usize> Plain for [T; N] {
    const IS_OF_FLOATS: bool = T::IS_OF_FLOATS;
}

macro_rules! plain_to {
    ($($type:ty)*) => {$(
        impl<T: Plain + ?Sized> sealed::Sealed for $type {}
        impl<T: Plain + ?Sized> Plain for $type {
            const IS_OF_FLOATS: bool = T::IS_OF_FLOATS;
        }
    )*};
}

// A box is fundamental for the orphan rule, as references are: of a foreign type it is foreign.
plain_to!(&T &mut T Box<T>);

macro_rules! plain_tuples {
    ($(($($name:ident)+))*) => {$(
        impl<$($name: Plain),+> sealed::Sealed for ($($name,)+) {}
        impl<$($name: Plain),+> Plain for ($($name,)+) {
            const IS_OF_FLOATS: bool = $($name::IS_OF_FLOATS)&&+;
        }
    )*};
}

plain_tuples!((A)(A B)(A B C)(A B C D)(A B C D E)(A B C D E F));

/// Compiles if the variable is plain, and does nothing.
#[inline(always)]
pub const fn check<T: Plain + ?Sized>(_variable: &T) {}

/// Are all numbers in the variable of floating point?
#[inline(always)]
pub const fn is_of_floats<T: Plain + ?Sized>(_variable: &T) -> bool {
    T::IS_OF_FLOATS
}

/// Gravel's communicator, or a reference to it. Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not Gravel's communicator, so gravel can't tell what this call does",
    label = "not `gravel::Gravel`, nor a reference to it",
    note = "`#[gravel(skip)]` before the call leaves it as it is"
)]
pub trait Communicator: sealed::Communicator {}

impl sealed::Communicator for Gravel {}
impl Communicator for Gravel {}
impl<T: Communicator + ?Sized> sealed::Communicator for &T {}
impl<T: Communicator + ?Sized> Communicator for &T {}
impl<T: Communicator + ?Sized> sealed::Communicator for &mut T {}
impl<T: Communicator + ?Sized> Communicator for &mut T {}

/// Compiles if the receiver of a call is Gravel's communicator, and does nothing: a `send` with three arguments may be anybody's.
#[inline(always)]
pub const fn check_communicator<T: Communicator + ?Sized>(_communicator: &T) {}

/// Can an exchange cut so many elements into equal blocks, which consist of parts of so many elements, behind a beginning of some?
pub fn has_equal_blocks(communicator: &Gravel, elements: i128, part: i128, beginning: i128) -> bool {
    let ranks = communicator.ranks() as i128;
    let is_cut_by = |one: i128, other: i128| one.checked_rem(other) == Some(0);
    is_cut_by(elements, ranks) && is_cut_by(elements / ranks, part) && is_cut_by(beginning, part)
}

/// As [`has_equal_blocks`] for blocks of these lengths, which lie in so many elements. What is filled of them ends with one of them at
/// the latest.
pub fn has_blocks(
    communicator: &Gravel,
    counts: &[usize],
    elements: i128,
    (filled, part, beginning): (i128, i128, i128),
) -> bool {
    let sum = counts.iter().fold(0, |sum: i128, &count| sum.saturating_add(count as i128));
    let is_cut_by = |one: i128, other: i128| one.checked_rem(other) == Some(0);
    let are_cut = counts.iter().all(|&count| is_cut_by(count as i128, part)) && is_cut_by(beginning, part);
    counts.len() == communicator.ranks() && sum <= elements && filled <= sum && are_cut
}

/// Do sections of an array of so many elements, each with its first element and the one behind its last, lie in it, and apart?
pub fn are_apart(length: usize, sections: &[(i128, i128)]) -> bool {
    let is_inside = |&(first, behind): &(i128, i128)| 0 <= first && first <= behind && behind <= length as i128;
    // What has no elements has none of another one.
    let is_empty = |&(first, behind): &(i128, i128)| first == behind;
    let are_two = |one: &(i128, i128), other: &(i128, i128)| {
        is_empty(one) || is_empty(other) || one.1 <= other.0 || other.1 <= one.0
    };
    let is_apart = |(number, one): (usize, &(i128, i128))| sections[..number].iter().all(|other| are_two(one, other));
    sections.iter().all(is_inside) && sections.iter().enumerate().all(is_apart)
}

/// The sections, each by itself.
///
/// # Panics
/// If they are not [apart](are_apart).
pub fn parts<T, const N: usize>(array: &mut [T], sections: [(i128, i128); N]) -> [&mut [T]; N] {
    assert!(are_apart(array.len(), &sections), "sections that are lent lie apart");
    let mut parts: [&mut [T]; N] = std::array::from_fn(|_| Default::default());
    let mut order: [usize; N] = std::array::from_fn(|number| number);
    order.sort_unstable_by_key(|&number| sections[number]);
    let (mut rest, mut begin) = (array, 0);
    for number in order {
        let (first, behind) = (sections[number].0 as usize, sections[number].1 as usize);
        // One without elements may lie anywhere.
        let (_, from_first) = std::mem::take(&mut rest).split_at_mut(first.saturating_sub(begin));
        let (part, behind_part) = from_first.split_at_mut(behind - first);
        (parts[number], rest, begin) = (part, behind_part, behind.max(begin));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_lent_by_themselves() {
        let mut array = [0, 1, 2, 3, 4, 5, 6];
        let [head, tail, none, own] = parts(&mut array, [(0, 2), (6, 7), (4, 4), (2, 6)]);
        (head[0], tail[0], own[3]) = (10, 60, 50);
        assert!(none.is_empty());
        assert_eq!(array, [10, 1, 2, 3, 4, 50, 60]);
        assert!(are_apart(7, &[(0, 3), (3, 7)]) && are_apart(0, &[(0, 0)]));
        for sections in [[(0, 3), (2, 4)], [(0, 3), (3, 8)], [(-1, 1), (3, 4)], [(3, 2), (5, 6)], [(1, 5), (2, 3)]] {
            assert!(!are_apart(7, &sections), "{sections:?}");
        }
    }

    #[test]
    fn arithmetic_of_floats_ends_no_program() {
        assert!(is_of_floats(&vec![1.0f64]) && is_of_floats(&&[[1.0f32; 2]; 2][..]) && is_of_floats(&(1.0, 2.0f32)));
        assert!(!is_of_floats(&[1u8]) && !is_of_floats(&(1.0, 2)));
    }

    #[test]
    fn what_loops_are_made_of_is_plain() {
        let (mut vector, array, boxed) = (vec![1.0f64; 3], [[1u8; 2]; 3], vec![1i64].into_boxed_slice());
        check(&vector);
        check(&vector[..]);
        check(&&mut vector[1..]);
        check(&array);
        check(&array[1][0]);
        check(&boxed);
        check(&&boxed[0]);
        check(&(0..3usize));
        check(&(0..=3usize, 'x', true));
        check(&Some(3usize));
        check(&vec![vec![0i32]]);
    }

    #[test]
    fn generic_functions_compute_with_numbers() {
        fn sum<T: Number>(values: &[T]) -> T {
            check(&values);
            let mut sum = T::default();
            for &value in values {
                check(&value);
                sum += value;
            }
            sum
        }
        assert_eq!(sum(&[1.5, 2.5]), 4.0);
        assert_eq!(sum(&[1u8, 2]), 3);
    }
}
