//! Copies against loops over every byte.

use proptest::prelude::*;

use super::super::blocks::Blocks;

/// Bytes in memory that can be anywhere between these places.
const LOWEST: i64 = -40_000;
const HIGHEST: i64 = 40_000;

/// Blocks of the lengths for which there are loops, and others, nested in all ways.
fn blocks() -> impl Strategy<Value = Blocks> {
    let run = (
        -50i64..50,
        prop_oneof![Just(1i64), Just(2), Just(4), Just(8), Just(12), Just(16), Just(24), Just(32), Just(64), 0i64..70],
    )
        .prop_map(|(place, bytes)| Blocks::run(place, bytes).expect("it is short"));
    run.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            (inner.clone(), 0i64..5, -90i64..90)
                .prop_map(|(blocks, count, stride)| blocks.repeated(count, stride).expect("it is short")),
            proptest::collection::vec((inner, -90i64..90), 0..5)
                .prop_map(|parts| Blocks::joined(parts.into_iter().map(Some)).expect("it is short")),
        ]
    })
}

/// The places of all bytes, in order.
fn places(blocks: &Blocks) -> Vec<usize> {
    let mut places = Vec::new();
    blocks.any_run(&mut |start, end| {
        places.extend((start..end).map(|place| (place - LOWEST) as usize));
        false
    });
    places
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 30 } else { 1000 }))]

    #[test]
    fn packed_bytes_are_those_of_the_type_map_in_its_order(blocks in blocks()) {
        let memory: Vec<u8> = (0..HIGHEST - LOWEST).map(|place| (place * 31 % 251) as u8).collect();
        let expected: Vec<u8> = places(&blocks).into_iter().map(|place| memory[place]).collect();
        let mut packed = vec![0xaa; expected.len() + 1];
        let address = memory.as_ptr().expose_provenance() + LOWEST.unsigned_abs() as usize;
        // SAFETY: all places are inside of the memory, as the line before has seen, and there is room.
        unsafe { blocks.pack(address, packed.as_mut_ptr()) };
        prop_assert_eq!(packed.pop(), Some(0xaa), "nothing behind it");
        prop_assert_eq!(packed, expected);
    }

    #[test]
    fn what_has_come_is_unpacked_and_nothing_else_written(blocks in blocks(), part in 0.0..1.2f64) {
        let places = places(&blocks);
        let packed: Vec<u8> = (0..(places.len() as f64 * part) as usize).map(|byte| (byte * 7 % 249) as u8).collect();
        let mut expected = vec![0xaa; (HIGHEST - LOWEST) as usize];
        for (&place, &byte) in places.iter().zip(&packed) {
            expected[place] = byte;
        }
        let mut memory = vec![0xaa; expected.len()];
        let address = memory.as_mut_ptr().expose_provenance() + LOWEST.unsigned_abs() as usize;
        // SAFETY: as above.
        unsafe { blocks.unpack(address, &packed) };
        prop_assert!(memory == expected);
    }
}

#[test]
fn impossible_blocks_are_none() {
    assert!(Blocks::run(0, -1).is_none());
    assert!(Blocks::run(i64::MAX, 1).is_none());
    let word = Blocks::run(0, 8).expect("a word");
    assert!(word.repeated(i64::MAX, 8).is_none());
    assert!(word.repeated(3, i64::MAX / 2).is_none());
    assert!(word.repeated(3, i64::MIN).is_none());
    assert!(word.repeated(1 << 61, 0).is_none(), "more bytes than there are");
    assert!(Blocks::joined([Some((word.clone(), i64::MAX - 4))].into_iter()).is_none());
    assert!(Blocks::joined([Some((word.clone(), i64::MIN)), Some((word, i64::MAX - 8))].into_iter()).is_none());
}
