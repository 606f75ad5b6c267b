//! The memory that operations in flight hold.
//!
//! A peer may write a posted buffer, and read a segment that was put, until the wait for it has returned. So a post takes
//! the memory and the wait gives it back: in between nothing else in this process can reach it. What is taken must stay
//! valid even if the operation is leaked ([`std::mem::forget`] is safe): memory that the operation owns does, borrowed
//! memory only inside a [`super::Scope`], which outlives every operation that was posted in it.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use super::element::Element;
use crate::message::rendezvous::SendMode;
use crate::runtime::Buffer;

mod sealed {
    pub trait Sealed {}
}
use sealed::Sealed;

/// Memory that a post can take: a vector, a boxed or a borrowed slice. Implemented here only.
pub trait Memory: Sized + Sealed {
    /// What it holds.
    type Element: Element;

    /// The memory without its owner. Nothing is freed, nor is it accessible by anybody else, until
    /// [`Memory::from_raw`].
    #[doc(hidden)]
    fn into_raw(self) -> RawMemory<Self::Element>;

    /// The owner again.
    ///
    /// # Safety
    /// `raw` comes from `into_raw` of the same type, is used for this once, and nobody else uses the memory.
    #[doc(hidden)]
    unsafe fn from_raw(raw: RawMemory<Self::Element>) -> Self;
}

/// Memory that may be written: what can be received into, or filled while it is sent.
pub trait WritableMemory: Memory {}

/// Memory that stays valid when its owner is leaked: what can be posted outside of a scope. Slices of static memory are
/// among them; they are what peers write to fastest (their pages are mapped by the peers).
pub trait OwnedMemory: Memory + 'static {}

/// Address and length of memory whose owner an operation has taken.
#[doc(hidden)]
#[derive(Debug)]
pub struct RawMemory<T> {
    pointer: NonNull<T>,
    length: usize,
    capacity: usize,
}

impl<T> Clone for RawMemory<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RawMemory<T> {}

impl<T> RawMemory<T> {
    fn slice(pointer: NonNull<[T]>) -> Self {
        Self { pointer: pointer.cast(), length: pointer.len(), capacity: pointer.len() }
    }

    fn as_slice(self) -> NonNull<[T]> {
        NonNull::slice_from_raw_parts(self.pointer, self.length)
    }

    /// Number of elements.
    pub(super) fn len(self) -> usize {
        self.length
    }

    /// Address of the first element, for the runtime and for peers.
    pub(super) fn address(self) -> usize {
        self.pointer.as_ptr().expose_provenance()
    }

    /// The elements from `start` to `end`, as a pointer.
    pub(super) fn part(self, start: usize, end: usize) -> NonNull<[T]> {
        assert!(start <= end && end <= self.length, "elements {start}..{end} of {}", self.length);
        // SAFETY: inside the memory, as just checked.
        NonNull::slice_from_raw_parts(unsafe { self.pointer.add(start) }, end - start)
    }

    /// The message that it is to hold.
    pub(super) fn describe(self) -> Buffer<'static> {
        // Slices are no longer than isize::MAX bytes; those of elements without bytes can be, but then nothing is moved.
        let count = i64::try_from(self.length).unwrap_or(i64::MAX);
        let bytes = size_of::<T>() as u64;
        let mode = SendMode::Standard;
        Buffer { address: self.address(), count, datatype_bytes: bytes, element_bytes: bytes, layout: None, mode }
    }
}

impl<T: Element> Sealed for Vec<T> {}
impl<T: Element> Memory for Vec<T> {
    type Element = T;

    fn into_raw(self) -> RawMemory<T> {
        let mut vector = ManuallyDrop::new(self);
        let (length, capacity) = (vector.len(), vector.capacity());
        let pointer = NonNull::new(vector.as_mut_ptr()).unwrap_or(NonNull::dangling());
        RawMemory { pointer, length, capacity }
    }

    unsafe fn from_raw(raw: RawMemory<T>) -> Self {
        // SAFETY: pointer, length and capacity of a vector that was not dropped; the caller has promised the rest.
        unsafe { Vec::from_raw_parts(raw.pointer.as_ptr(), raw.length, raw.capacity) }
    }
}
impl<T: Element> WritableMemory for Vec<T> {}
impl<T: Element> OwnedMemory for Vec<T> {}

impl<T: Element> Sealed for Box<[T]> {}
impl<T: Element> Memory for Box<[T]> {
    type Element = T;

    fn into_raw(self) -> RawMemory<T> {
        RawMemory::slice(NonNull::from(Box::leak(self)))
    }

    unsafe fn from_raw(raw: RawMemory<T>) -> Self {
        // SAFETY: a box that was leaked; the caller has promised the rest.
        unsafe { Box::from_raw(raw.as_slice().as_ptr()) }
    }
}
impl<T: Element> WritableMemory for Box<[T]> {}
impl<T: Element> OwnedMemory for Box<[T]> {}

impl<T: Element> Sealed for &mut [T] {}
impl<T: Element> Memory for &mut [T] {
    type Element = T;

    fn into_raw(self) -> RawMemory<T> {
        RawMemory::slice(NonNull::from(self))
    }

    unsafe fn from_raw(raw: RawMemory<T>) -> Self {
        // SAFETY: a slice that was borrowed exclusively for the lifetime of `Self`; the caller has promised the rest.
        unsafe { raw.as_slice().as_mut() }
    }
}
impl<T: Element> WritableMemory for &mut [T] {}
impl<T: Element> OwnedMemory for &'static mut [T] {}

impl<T: Element> Sealed for &[T] {}
impl<T: Element> Memory for &[T] {
    type Element = T;

    fn into_raw(self) -> RawMemory<T> {
        RawMemory::slice(NonNull::from(self))
    }

    unsafe fn from_raw(raw: RawMemory<T>) -> Self {
        // SAFETY: a slice that was borrowed for the lifetime of `Self`, and is only read.
        unsafe { raw.as_slice().as_ref() }
    }
}
impl<T: Element> OwnedMemory for &'static [T] {}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<M: Memory>(memory: M) -> M {
        // SAFETY: used once, and by nobody else.
        unsafe { M::from_raw(memory.into_raw()) }
    }

    #[test]
    fn memory_comes_back_as_it_went() {
        let mut vector = Vec::with_capacity(10);
        vector.extend([1, 2, 3]);
        let vector = round_trip(vector);
        assert_eq!((vector.as_slice(), vector.capacity()), (&[1, 2, 3][..], 10));
        assert_eq!(*round_trip(vec![1.5, 2.5].into_boxed_slice()), [1.5, 2.5]);
        assert_eq!(round_trip(&mut [7u8, 8][..]), [7, 8]);
        assert_eq!(round_trip(&[[1.0, 2.0]][..]), [[1.0, 2.0]]);
        assert!(round_trip(Vec::<u64>::new()).is_empty());
    }

    #[test]
    #[should_panic(expected = "elements 2..4 of 3")]
    fn parts_are_inside() {
        let mut memory = [1, 2, 3];
        let _ = (&mut memory[..]).into_raw().part(2, 4);
    }
}
