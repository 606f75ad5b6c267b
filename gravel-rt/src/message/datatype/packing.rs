//! Copies between bytes that lie apart and packed memory, where they lie one behind the other.
//!
//! Blocks of a word or a few (a column of a matrix, a component of a field) are moved by loops of loads and stores; a call of
//! memcpy for each would take several times as long. Longer ones are memcpy's.

use super::blocks::{Blocks, Form, Pattern};

/// Where bytes go.
trait Direction {
    /// Copies `bytes` bytes.
    ///
    /// # Safety
    /// Both places must be valid for so many bytes, which do not overlap.
    unsafe fn bytes(memory: *mut u8, packed: *mut u8, bytes: usize);

    /// Copies a value, wherever it is aligned.
    ///
    /// # Safety
    /// As [`Direction::bytes`].
    unsafe fn word<T: Copy>(memory: *mut u8, packed: *mut u8);
}

/// From memory into packed memory.
struct Pack;
/// And back.
struct Unpack;

impl Direction for Pack {
    #[inline(always)]
    unsafe fn bytes(memory: *mut u8, packed: *mut u8, bytes: usize) {
        // SAFETY: passed on.
        unsafe { std::ptr::copy_nonoverlapping(memory, packed, bytes) }
    }

    #[inline(always)]
    unsafe fn word<T: Copy>(memory: *mut u8, packed: *mut u8) {
        // SAFETY: passed on.
        unsafe { packed.cast::<T>().write_unaligned(memory.cast::<T>().read_unaligned()) }
    }
}

impl Direction for Unpack {
    #[inline(always)]
    unsafe fn bytes(memory: *mut u8, packed: *mut u8, bytes: usize) {
        // SAFETY: passed on.
        unsafe { std::ptr::copy_nonoverlapping(packed, memory, bytes) }
    }

    #[inline(always)]
    unsafe fn word<T: Copy>(memory: *mut u8, packed: *mut u8) {
        // SAFETY: passed on.
        unsafe { memory.cast::<T>().write_unaligned(packed.cast::<T>().read_unaligned()) }
    }
}

impl Blocks {
    /// Copies all of these bytes, whose places are relative to `address`, to `packed`.
    ///
    /// # Safety
    /// They must be valid for reads, and `packed` for writes of as many bytes, which are none of them.
    pub unsafe fn pack(&self, address: usize, packed: *mut u8) {
        if let Some(pattern) = &self.pattern {
            // SAFETY: passed on; nothing is written there.
            unsafe { all::<Pack>(pattern, self.origin(address), packed) }
        }
    }

    /// Copies `packed` to the first of these bytes, whose places are relative to `address`: what is behind it is dropped.
    /// Nothing between the bytes is written.
    ///
    /// # Safety
    /// They must be valid for writes, and none of `packed`.
    pub unsafe fn unpack(&self, address: usize, packed: &[u8]) {
        if let Some(pattern) = &self.pattern {
            let bytes = pattern.bytes.min(packed.len() as u64);
            // Never written: a direction only reads on its one side.
            let source = packed.as_ptr().cast_mut();
            // SAFETY: passed on.
            unsafe { first::<Unpack>(pattern, self.origin(address), source, bytes) }
        }
    }

    fn origin(&self, address: usize) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(address.wrapping_add_signed(self.place as isize))
    }
}

/// Copies all bytes of a pattern.
///
/// # Safety
/// They must be valid in memory relative to `origin`, and as many from `packed` on.
unsafe fn all<D: Direction>(pattern: &Pattern, origin: *mut u8, mut packed: *mut u8) {
    // SAFETY: every place is one of the pattern's, by its construction, and `packed` goes on by what was copied.
    unsafe {
        match &pattern.form {
            Form::Run => D::bytes(origin, packed, pattern.bytes as usize),
            Form::Repeated { count, stride, of } => repeated::<D>(of, *count, *stride, origin, packed),
            Form::Runs(runs) => {
                for &(place, bytes) in runs {
                    let memory = origin.wrapping_offset(place as isize);
                    match bytes {
                        4 => D::word::<u32>(memory, packed),
                        8 => D::word::<u64>(memory, packed),
                        _ => D::bytes(memory, packed, bytes as usize),
                    }
                    packed = packed.add(bytes as usize);
                }
            }
            Form::Sequence(parts) => {
                for (place, part) in parts {
                    all::<D>(part, origin.wrapping_offset(*place as isize), packed);
                    packed = packed.add(part.bytes as usize);
                }
            }
        }
    }
}

/// Copies a pattern so many times.
///
/// # Safety
/// As [`all`].
unsafe fn repeated<D: Direction>(of: &Pattern, count: u64, stride: i64, origin: *mut u8, packed: *mut u8) {
    let stride = stride as isize;
    // SAFETY: passed on.
    unsafe {
        match (&of.form, of.bytes) {
            (Form::Run, 1) => words::<D, u8>(count, stride, origin, packed),
            (Form::Run, 2) => words::<D, u16>(count, stride, origin, packed),
            (Form::Run, 4) => words::<D, u32>(count, stride, origin, packed),
            (Form::Run, 8) => words::<D, u64>(count, stride, origin, packed),
            (Form::Run, 12) => words::<D, [u32; 3]>(count, stride, origin, packed),
            (Form::Run, 16) => words::<D, [u64; 2]>(count, stride, origin, packed),
            (Form::Run, 24) => words::<D, [u64; 3]>(count, stride, origin, packed),
            (Form::Run, 32) => words::<D, [u64; 4]>(count, stride, origin, packed),
            (Form::Run, 64) => words::<D, [u64; 8]>(count, stride, origin, packed),
            _ => {
                let (mut memory, mut packed) = (origin, packed);
                for _ in 0..count {
                    all::<D>(of, memory, packed);
                    memory = memory.wrapping_offset(stride);
                    packed = packed.add(of.bytes as usize);
                }
            }
        }
    }
}

/// Copies so many values.
///
/// # Safety
/// As [`all`].
unsafe fn words<D: Direction, T: Copy>(count: u64, stride: isize, mut memory: *mut u8, mut packed: *mut u8) {
    for _ in 0..count {
        // SAFETY: passed on.
        unsafe {
            D::word::<T>(memory, packed);
            packed = packed.add(size_of::<T>());
        }
        memory = memory.wrapping_offset(stride);
    }
}

/// Copies the first `bytes` bytes of a pattern, in its order.
///
/// # Safety
/// As [`all`], for these bytes.
unsafe fn first<D: Direction>(pattern: &Pattern, origin: *mut u8, mut packed: *mut u8, bytes: u64) {
    // SAFETY: as in `all`; no more than `bytes` are copied.
    unsafe {
        if bytes >= pattern.bytes {
            return all::<D>(pattern, origin, packed);
        }
        let mut left = bytes;
        match &pattern.form {
            Form::Run => D::bytes(origin, packed, left as usize),
            Form::Repeated { stride, of, .. } => {
                let (whole, rest) = (left / of.bytes, left % of.bytes);
                repeated::<D>(of, whole, *stride, origin, packed);
                if rest > 0 {
                    let memory = origin.wrapping_offset((whole as isize).wrapping_mul(*stride as isize));
                    first::<D>(of, memory, packed.add((left - rest) as usize), rest);
                }
            }
            Form::Runs(runs) => {
                for &(place, length) in runs {
                    let length = length.min(left);
                    D::bytes(origin.wrapping_offset(place as isize), packed, length as usize);
                    left -= length;
                    if left == 0 {
                        break;
                    }
                    packed = packed.add(length as usize);
                }
            }
            Form::Sequence(parts) => {
                for (place, part) in parts {
                    let length = part.bytes.min(left);
                    first::<D>(part, origin.wrapping_offset(*place as isize), packed, length);
                    left -= length;
                    if left == 0 {
                        break;
                    }
                    packed = packed.add(length as usize);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "packing_tests.rs"]
mod tests;
