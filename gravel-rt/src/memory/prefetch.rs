//! Asking the processor for memory ahead of time.

use std::ptr::NonNull;

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Gets the cache lines of `bytes` bytes that are about to be written, away from processors that have read them. Changes
/// nothing; where the processor can't be asked, does nothing.
///
/// # Safety
/// The bytes must be in one mapping of this process.
#[inline]
pub unsafe fn for_writing(first: NonNull<u8>, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..bytes).step_by(LINE) {
        // SAFETY: inside the mapping. The instruction changes neither registers nor flags, and memory only as far as it is
        // cached; processors that don't have it do nothing.
        unsafe {
            let address = first.add(line);
            std::arch::asm!("prefetchw [{}]", in(reg) address.as_ptr(), options(nostack, preserves_flags));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (first, bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_changed() {
        let mut memory: Vec<u8> = (0..1000).map(|index| index as u8).collect();
        let expected = memory.clone();
        let first = NonNull::from(&mut memory[..]).cast();
        // SAFETY: all of it is the vector's.
        unsafe { for_writing(first, memory.len()) };
        assert_eq!(memory, expected);
    }
}
