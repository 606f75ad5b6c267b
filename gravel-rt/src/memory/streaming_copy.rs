//! A copy whose stores go past the cache.
//!
//! A plain store to a line that is not in the cache reads it from memory first, only to overwrite it. Non-temporal stores
//! (Intel's and AMD's manuals, "streaming stores") don't: where the target is not cached, a copy takes two thirds of the
//! time or less. Where it is, they take longer, and throw the lines out. Which of both it is the caller has to know.

#[cfg(all(target_arch = "x86_64", not(miri)))]
use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128, _mm256_loadu_si256, _mm256_stream_si256,
};

/// What is copied in one turn of the loops, at an address of the target that is a multiple of it: two cache lines.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const BLOCK: usize = 128;

/// Copies as [`std::ptr::copy_nonoverlapping`], past the cache where the processor can do that. When this returns, the
/// bytes are as visible to others as any that were written plainly: whoever sees a later store sees them, too.
///
/// # Safety
/// As for [`std::ptr::copy_nonoverlapping`] of bytes.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub unsafe fn copy_past_cache(from: *const u8, to: *mut u8, bytes: usize) {
    let head = to.align_offset(BLOCK).min(bytes);
    let blocks = (bytes - head) / BLOCK;
    let tail = head + blocks * BLOCK;
    // SAFETY: head, blocks and tail are the caller's bytes, one behind the other. Behind the head the target is aligned as
    // the loops want it, as bytes can be aligned to anything; and AVX is used only where it is there.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, head);
        if std::arch::is_x86_feature_detected!("avx") {
            copy_blocks_avx(from.add(head), to.add(head), blocks);
        } else {
            copy_blocks(from.add(head), to.add(head), blocks);
        }
        std::ptr::copy_nonoverlapping(from.add(tail), to.add(tail), bytes - tail);
    }
    // Streaming stores are the one kind that this architecture does not keep in order with later stores. A ledger's entry,
    // which says that these bytes are there, is a plain store (what a release store is compiled to): without the fence a
    // consumer could see it first, and read what was there before.
    // SAFETY: every processor of this architecture has the instruction.
    unsafe { _mm_sfence() };
}

/// As above, with plain stores: neither other architectures nor the interpreter have streaming ones that Rust knows.
///
/// # Safety
/// As above.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub unsafe fn copy_past_cache(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: passed on.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
}

/// With what every processor of this architecture has.
///
/// # Safety
/// Both must have so many blocks, which do not overlap, and the target begins at a multiple of [`BLOCK`]. A fence must
/// follow before anybody else is told.
#[cfg(all(target_arch = "x86_64", not(miri)))]
unsafe fn copy_blocks(from: *const u8, to: *mut u8, blocks: usize) {
    const WORDS: usize = BLOCK / size_of::<__m128i>();
    for block in 0..blocks {
        // SAFETY: inside both by the number of blocks; loads need no alignment, and the stores have theirs.
        unsafe {
            let from = from.add(block * BLOCK).cast::<__m128i>();
            let to = to.add(block * BLOCK).cast::<__m128i>();
            let words: [__m128i; WORDS] = std::array::from_fn(|word| _mm_loadu_si128(from.add(word)));
            for (word, value) in words.into_iter().enumerate() {
                _mm_stream_si128(to.add(word), value);
            }
        }
    }
}

/// With twice as wide words, which is up to a sixth faster.
///
/// # Safety
/// As [`copy_blocks`], and the processor must have AVX.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "avx")]
unsafe fn copy_blocks_avx(from: *const u8, to: *mut u8, blocks: usize) {
    for block in 0..blocks {
        // SAFETY: inside both by the number of blocks; loads need no alignment, and the stores have theirs.
        unsafe {
            let from = from.add(block * BLOCK).cast::<__m256i>();
            let to = to.add(block * BLOCK).cast::<__m256i>();
            let first = _mm256_loadu_si256(from);
            let second = _mm256_loadu_si256(from.add(1));
            let third = _mm256_loadu_si256(from.add(2));
            let fourth = _mm256_loadu_si256(from.add(3));
            _mm256_stream_si256(to, first);
            _mm256_stream_si256(to.add(1), second);
            _mm256_stream_si256(to.add(2), third);
            _mm256_stream_si256(to.add(3), fourth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LONGEST: usize = 1500;
    /// Every place in a block.
    const PLACES: usize = 128;

    /// Memory that begins at a multiple of the block.
    #[repr(align(128))]
    struct Memory([u8; LONGEST + 3 * PLACES]);

    /// That a copy from and to these places of a block is what a plain one is, and writes nothing beside it.
    fn check(from: usize, to: usize, bytes: usize) {
        let source = Memory(std::array::from_fn(|index| (index % 251) as u8));
        let (mut copied, mut expected) = (Memory([0xfe; _]), Memory([0xfe; _]));
        expected.0[PLACES + to..][..bytes].copy_from_slice(&source.0[from..][..bytes]);
        // SAFETY: both have room for the longest behind any place.
        unsafe { copy_past_cache(source.0.as_ptr().add(from), copied.0.as_mut_ptr().add(PLACES + to), bytes) };
        assert!(copied.0 == expected.0, "{bytes} bytes from {from} to {to}");
    }

    #[test]
    fn every_alignment_of_either_side_is_copied() {
        let step = if cfg!(miri) { 61 } else { 1 };
        for from in (0..PLACES).step_by(step) {
            for to in (0..PLACES).step_by(step) {
                check(from, to, 3 * PLACES - 1);
            }
        }
    }

    proptest! {
        #[test]
        fn copies_what_a_plain_copy_does(from in 0..PLACES, to in 0..PLACES, bytes in 0..=LONGEST) {
            check(from, to, bytes);
        }
    }

    /// A processor that has AVX would never run the other loop.
    #[test]
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    fn both_loops_copy_the_same() {
        let source = Memory(std::array::from_fn(|index| (index % 251) as u8));
        let blocks = (LONGEST + PLACES) / BLOCK;
        for from in 0..PLACES {
            let (mut narrow, mut wide) = (Memory([0xfe; _]), Memory([0xfe; _]));
            // SAFETY: there is room for the blocks behind any place.
            unsafe { copy_blocks(source.0.as_ptr().add(from), narrow.0.as_mut_ptr(), blocks) };
            if std::arch::is_x86_feature_detected!("avx") {
                // SAFETY: likewise, and there is AVX.
                unsafe { copy_blocks_avx(source.0.as_ptr().add(from), wide.0.as_mut_ptr(), blocks) };
                assert!(narrow.0 == wide.0, "from {from}");
            }
            assert!(narrow.0[..blocks * BLOCK] == source.0[from..][..blocks * BLOCK], "from {from}");
            assert!(narrow.0[blocks * BLOCK..].iter().all(|&byte| byte == 0xfe), "from {from}");
        }
    }
}
