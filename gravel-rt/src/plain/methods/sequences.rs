//! Whose `iter` is it? The methods of slices, which vectors, arrays and boxes have by way of what they hold.
//!
//! ```
//! let (table, values) = (&[1.0f64, 2.0], vec![3.0]);
//! gravel::check_sequence!(table, len());
//! gravel::check_sequence!(values, iter());
//! ```

use std::slice::{Chunks, ChunksExact, ChunksExactMut, ChunksMut, Iter, IterMut, Windows};

use super::super::{Plain, sealed};

/// A vector, array or slice of plain values, or a reference to one. Implemented here only.
#[diagnostic::on_unimplemented(
    message = "gravel can't tell whose method this loop calls: `{Self}` is no slice",
    label = "not a slice, array or vector of plain values, nor a reference to one",
    note = "`#[gravel(skip)]` before the loop leaves its message in one piece"
)]
pub trait Sequence: Plain + Sized + sealed::Sealed {
    /// What it holds.
    type Item: Plain + 'static;
    /// Itself, if what it holds can be written by it; behind a shared reference, where no method can take it by `&mut self`, a slice.
    type Writable;
}

impl<T: Plain + 'static> Sequence for Vec<T> {
    type Item = T;
    type Writable = Self;
}

impl<T: Plain + 'static> Sequence for Box<[T]> {
    type Item = T;
    type Writable = Self;
}

impl<T: Plain + 'static> Sequence for Box<Vec<T>> {
    type Item = T;
    type Writable = Self;
}

impl<T: Plain + 'static, const N: usize> Sequence for Box<[T; N]> {
    type Item = T;
    type Writable = Self;
}

impl<T: Plain + 'static, const N: usize> Sequence for [T; N] {
    type Item = T;
    type Writable = Self;
}

impl<T: Plain + 'static> Sequence for &[T] {
    type Item = T;
    type Writable = &'static [T];
}

impl<T: Plain + 'static> Sequence for &mut [T] {
    type Item = T;
    type Writable = Self;
}

impl<S: Sequence> Sequence for &S {
    type Item = S::Item;
    type Writable = &'static [S::Item];
}

impl<S: Sequence> Sequence for &mut S {
    type Item = S::Item;
    type Writable = Self;
}

/// As `receiver` of [`methods`](super), for calls of slices' methods.
///
/// # Panics
/// Always: it is written where it is compiled and never runs.
pub fn sequence<S: Sequence>(_sequence: &S) -> S {
    unreachable!("a check of types that never runs")
}

/// As [`sequence`], where what is searched takes `&mut self`.
///
/// # Panics
/// Always: it is written where it is compiled and never runs.
pub fn writable<S: Sequence>(_sequence: &S) -> S::Writable {
    unreachable!("a check of types that never runs")
}

/// The methods of slices.
#[allow(
    clippy::wrong_self_convention,
    clippy::len_without_is_empty,
    reason = "taken by value, so that they are found first"
)]
pub trait SequenceMethods: Sequence {
    methods! {
        len() -> usize;
        is_empty() -> bool;
        iter() -> Iter<'static, Self::Item>;
        iter_mut() -> IterMut<'static, Self::Item>;
        chunks(usize) -> Chunks<'static, Self::Item>;
        chunks_mut(usize) -> ChunksMut<'static, Self::Item>;
        chunks_exact(usize) -> ChunksExact<'static, Self::Item>;
        chunks_exact_mut(usize) -> ChunksExactMut<'static, Self::Item>;
        windows(usize) -> Windows<'static, Self::Item>;
        first() -> Option<&'static Self::Item>;
        last() -> Option<&'static Self::Item>;
        as_slice() -> &'static [Self::Item];
        as_mut_slice() -> &'static mut [Self::Item];
        fill(Self::Item) -> ();
        copy_from_slice(&[Self::Item]) -> ();
        swap(usize, usize) -> ();
    }
}

impl<S: Sequence> SequenceMethods for S {}

/// An argument of any type, for calls that are repeated.
///
/// # Panics
/// Always: it is written where it is compiled and never runs.
pub fn any<T>() -> T {
    unreachable!("a check of types that never runs")
}

/// Traits whose methods take what they are called on by reference.
///
/// [`SequenceMethods`] is found first, and is ambiguous with all that is found as early. A method that another trait has for a
/// vector, and that takes `&mut self`, is found later, but before that of the slice in the vector. So each call is repeated beside each of these
/// traits, too, of which each stands at one place of that search: for what holds a slice, and for references to it.
macro_rules! by_reference {
    ($(#[$text:meta])* $name:ident($($reference:tt)+) for $($of:tt)*) => {
        $(#[$text])*
        #[allow(clippy::len_without_is_empty, clippy::iter_not_returning_iterator, reason = "they only have the names")]
        pub trait $name {
            #[doc(hidden)]
            fn is_empty($($reference)+) {}
            #[doc(hidden)]
            fn len($($reference)+) {}
            #[doc(hidden)]
            fn iter($($reference)+) {}
            #[doc(hidden)]
            fn iter_mut($($reference)+) {}
            #[doc(hidden)]
            fn chunks($($reference)+, _: usize) {}
            #[doc(hidden)]
            fn chunks_mut($($reference)+, _: usize) {}
            #[doc(hidden)]
            fn chunks_exact($($reference)+, _: usize) {}
            #[doc(hidden)]
            fn chunks_exact_mut($($reference)+, _: usize) {}
            #[doc(hidden)]
            fn fill($($reference)+, _: ()) {}
            #[doc(hidden)]
            fn copy_from_slice($($reference)+, _: ()) {}
        }
        by_reference!(@ $name $($of)*);
    };
    (@ $name:ident holders) => {
        impl<T: Plain> $name for Vec<T> {}
        impl<T: Plain> $name for Box<[T]> {}
        impl<T: Plain> $name for Box<Vec<T>> {}
        impl<T: Plain, const N: usize> $name for Box<[T; N]> {}
        impl<T: Plain, const N: usize> $name for [T; N] {}
    };
    (@ $name:ident references) => {
        by_reference!(@@ $name T: [T]; T: Vec<T>; T: Box<[T]>; T: Box<Vec<T>>;);
        impl<T: Plain, const N: usize> $name for &[T; N] {}
        impl<T: Plain, const N: usize> $name for &mut [T; N] {}
        impl<T: Plain, const N: usize> $name for &Box<[T; N]> {}
        impl<T: Plain, const N: usize> $name for &mut Box<[T; N]> {}
    };
    (@@ $name:ident $($of:ident: $type:ty;)*) => {
        $(
            impl<$of: Plain> $name for &$type {}
            impl<$of: Plain> $name for &mut $type {}
        )*
    };
}

by_reference! {
    /// By `&self`, of what holds a slice.
    SharedHolderMethods(&self) for holders
}
by_reference! {
    /// By `&mut self`, of what holds a slice.
    HolderMethods(&mut self) for holders
}
by_reference! {
    /// By `&self`, of references.
    SharedReferenceMethods(&self) for references
}
by_reference! {
    /// By `&mut self`, of references.
    ReferenceMethods(&mut self) for references
}

/// Repeats a call of a slice's method beside all traits that could show that it is another one.
#[doc(hidden)]
#[macro_export]
macro_rules! check_sequence {
    ($place:expr, $method:ident $arguments:tt) => {
        $crate::check_sequence! {
            $place, $method $arguments,
            SequenceMethods sequence SharedHolderMethods sequence HolderMethods writable
            SharedReferenceMethods sequence ReferenceMethods sequence
        }
    };
    ($place:expr, $method:ident $arguments:tt, $($name:ident $of:ident)*) => {
        $(
            let _ = || {
                #[allow(unused_imports, reason = "only some methods are a trait's")]
                use $crate::plain::methods::$name as _;
                let _ = $crate::plain::methods::$of(&$place).$method $arguments;
            };
        )*
    };
}
