//! Layouts against type maps written out entry by entry.

use std::cell::Cell;

use proptest::prelude::*;

use super::*;
use crate::message::datatype::arrays::ORDER_C;
use crate::message::retirement::Key;

/// A datatype with all that went into it.
#[derive(Debug, Clone)]
enum Tree {
    /// Predefined, by the offsets and lengths of its parts and its extent.
    Named(Vec<(i64, i64)>, i64),
    Derived {
        combiner: Combiner,
        integers: Vec<i32>,
        addresses: Vec<i64>,
        inner: Vec<Tree>,
    },
}

fn plain(bytes: i64) -> Tree {
    Tree::Named(vec![(0, bytes)], bytes)
}

fn derived(combiner: Combiner, integers: &[i32], addresses: &[i64], inner: Vec<Tree>) -> Tree {
    Tree::Derived { combiner, integers: integers.to_vec(), addresses: addresses.to_vec(), inner }
}

impl Tree {
    /// All entries of the type map, in order, and the extent; by the definitions of MPI 4.0, section 5.1.
    fn type_map(&self) -> (Vec<(i64, i64)>, i64, i64) {
        let Self::Derived { combiner, integers, addresses, inner } = self else {
            let Self::Named(entries, extent) = self else { unreachable!() };
            return (entries.clone(), 0, *extent);
        };
        let inner: Vec<_> = inner.iter().map(Self::type_map).collect();
        let number = |place: usize| i64::from(integers[place]);
        let extent_of = |which: usize| inner[which].2;
        let count = number(0) as usize;
        // Blocks: which datatype, how often, at which displacement.
        let blocks: Vec<(usize, i64, i64)> = match combiner {
            Combiner::Dup | Combiner::Other => vec![(0, 1, 0)],
            Combiner::Contiguous => vec![(0, number(0), 0)],
            Combiner::Resized => {
                return (inner[0].0.clone(), addresses[0], addresses[1]);
            }
            Combiner::Vector => (0..number(0)).map(|block| (0, number(1), block * number(2) * extent_of(0))).collect(),
            Combiner::Hvector => (0..number(0)).map(|block| (0, number(1), block * addresses[0])).collect(),
            Combiner::Indexed => {
                (0..count).map(|block| (0, number(1 + block), number(1 + count + block) * extent_of(0))).collect()
            }
            Combiner::Hindexed => (0..count).map(|block| (0, number(1 + block), addresses[block])).collect(),
            Combiner::IndexedBlock => {
                (0..count).map(|block| (0, number(1), number(2 + block) * extent_of(0))).collect()
            }
            Combiner::HindexedBlock => (0..count).map(|block| (0, number(1), addresses[block])).collect(),
            Combiner::Subarray => {
                let dimensions = count;
                let of = |which: usize, dimension: usize| number(1 + which * dimensions + dimension);
                let is_c = number(1 + 3 * dimensions) == ORDER_C;
                // Every element by its subscripts, the fastest dimension first.
                let order: Vec<_> = if is_c { (0..dimensions).rev().collect() } else { (0..dimensions).collect() };
                let mut elements = vec![0];
                let mut step = extent_of(0);
                for dimension in order {
                    let (size, subsize, start) = (of(0, dimension), of(1, dimension), of(2, dimension));
                    let places = (start..start + subsize)
                        .flat_map(|at| elements.iter().map(move |inner| inner + at * step).collect::<Vec<_>>());
                    elements = places.collect();
                    step *= size;
                }
                let entries = elements
                    .iter()
                    .flat_map(|at| inner[0].0.iter().map(move |(offset, bytes)| (offset + at, *bytes)))
                    .collect();
                return (entries, 0, step);
            }
            Combiner::Darray => return dealt_out(integers, &inner[0]),
            Combiner::Struct => (0..count).map(|block| (block, number(1 + block), addresses[block])).collect(),
            other => unreachable!("{other:?} is not made here"),
        };
        let mut entries = Vec::new();
        let (mut lower, mut upper) = (i64::MAX, i64::MIN);
        for (which, length, displacement) in blocks {
            let (map, inner_lower, extent) = &inner[which];
            for element in 0..length {
                let at = displacement + element * extent;
                entries.extend(map.iter().map(|(offset, bytes)| (offset + at, *bytes)));
                lower = lower.min(at + inner_lower);
                upper = upper.max(at + inner_lower + extent);
            }
        }
        if lower > upper { (entries, 0, 0) } else { (entries, lower, upper - lower) }
    }

    fn facts(&self) -> Facts {
        let (entries, _, extent) = self.type_map();
        let entries: Vec<_> = entries.into_iter().filter(|&(_, bytes)| bytes > 0).collect();
        let first = entries.iter().map(|&(offset, _)| offset).min().unwrap_or(0);
        let end = entries.iter().map(|&(offset, bytes)| offset + bytes).max().unwrap_or(0);
        Facts {
            combiner: match self {
                Self::Named(..) => Combiner::Named,
                Self::Derived { combiner, .. } => *combiner,
            },
            arguments: [0; 3],
            size: entries.iter().map(|&(_, bytes)| bytes).sum(),
            extent,
            true_lower_bound: first,
            true_extent: end - first,
        }
    }

    /// The places of all bytes of so many elements, in order.
    fn places(&self, elements: i64) -> Vec<i64> {
        let (entries, _, extent) = self.type_map();
        (0..elements)
            .flat_map(|element| entries.iter().map(move |&(offset, bytes)| (offset + element * extent, bytes)))
            .flat_map(|(offset, bytes)| offset..offset + bytes)
            .collect()
    }

    /// Are so many elements one run from the buffer's start, entry by entry?
    fn is_contiguous(&self, elements: i64) -> bool {
        let (entries, _, extent) = self.type_map();
        let mut expected = 0;
        for element in 0..elements {
            for &(offset, bytes) in entries.iter().filter(|&&(_, bytes)| bytes > 0) {
                if offset + element * extent != expected {
                    return false;
                }
                expected += bytes;
            }
        }
        true
    }

    /// The tree by depth-first numbers, which serve as handles.
    fn numbered(&self) -> Vec<&Self> {
        let mut all = vec![self];
        if let Self::Derived { inner, .. } = self {
            all.extend(inner.iter().flat_map(Self::numbered));
        }
        all
    }
}

/// An MPI that knows one tree.
struct Mpi<'a> {
    trees: Vec<&'a Tree>,
    /// References that were given out and not given back.
    references: Cell<i64>,
}

impl<'a> Mpi<'a> {
    fn of(tree: &'a Tree) -> Self {
        Self { trees: tree.numbered(), references: Cell::new(0) }
    }
}

impl Inspector for Mpi<'_> {
    fn describe(&self, datatype: i32) -> Result<Facts> {
        Ok(self.trees[datatype as usize].facts())
    }

    fn contents(&self, datatype: i32, _: &Facts) -> Result<Contents> {
        let Tree::Derived { integers, addresses, inner, .. } = self.trees[datatype as usize] else {
            return Err(Error::Internal("a predefined datatype cannot be taken apart".into()).into());
        };
        let mut datatypes = Vec::new();
        let mut next = datatype + 1;
        for tree in inner {
            datatypes.push(next);
            next += tree.numbered().len() as i32;
            self.references.set(self.references.get() + i64::from(matches!(tree, Tree::Derived { .. })));
        }
        Ok(Contents { integers: integers.clone(), addresses: addresses.clone(), datatypes })
    }

    fn release(&self, datatype: i32) -> Result<()> {
        assert!(matches!(self.trees[datatype as usize], Tree::Derived { .. }), "predefined types are not freed");
        self.references.set(self.references.get() - 1);
        Ok(())
    }

    fn name(&self, _: i32) -> Result<String> {
        Ok("its name".into())
    }

    fn watch(&self, _: i32, _: Key) -> Result<()> {
        Ok(())
    }
}

fn layout(tree: &Tree) -> Option<Layout> {
    let mpi = Mpi::of(tree);
    let outcome = layout_of(&mpi, 0);
    assert_eq!(mpi.references.get(), 0, "every reference goes back");
    match outcome {
        Ok((_, layout)) => Some(layout),
        Err(error) => {
            assert!(matches!(&*error, Error::UnsupportedDatatype { name, .. } if name == "its name"));
            None
        }
    }
}

/// The length of an element of a datatype whose elements are contiguous.
fn bytes(tree: &Tree) -> Option<u64> {
    layout(tree).filter(Layout::is_contiguous).map(|layout| layout.element.bytes())
}

/// The places of all bytes, in order.
fn places(blocks: &Blocks) -> Vec<i64> {
    let mut places = Vec::new();
    blocks.any_run(&mut |start, end| {
        places.extend(start..end);
        false
    });
    places
}

#[test]
fn predefined_types_without_gaps_are_contiguous() {
    assert_eq!(bytes(&plain(8)), Some(8));
    assert_eq!(bytes(&plain(0)), Some(0));
    assert_eq!(bytes(&Tree::Named(vec![(0, 4), (4, 4)], 8)), Some(8), "a pair of equals");
    assert_eq!(bytes(&Tree::Named(vec![(0, 8), (8, 4)], 16)), None, "a pair with padding behind it");
    assert_eq!(bytes(&Tree::Named(vec![(0, 2), (4, 4)], 8)), None, "a pair with a gap in it");
}

#[test]
fn derived_types_that_come_to_the_same_thing_are() {
    let row = derived(Combiner::Contiguous, &[10], &[], vec![plain(8)]);
    assert_eq!(bytes(&row), Some(80));
    assert_eq!(bytes(&derived(Combiner::Vector, &[5, 2, 2], &[], vec![row.clone()])), Some(800));
    assert_eq!(bytes(&derived(Combiner::Vector, &[1, 2, 99], &[], vec![row.clone()])), Some(160), "one block");
    assert_eq!(bytes(&derived(Combiner::Hvector, &[3, 1], &[80], vec![row.clone()])), Some(240));
    assert_eq!(bytes(&derived(Combiner::Indexed, &[3, 2, 0, 1, 0, 77, 2], &[], vec![plain(4)])), Some(12));
    assert_eq!(bytes(&derived(Combiner::Hindexed, &[2, 1, 1], &[0, 8], vec![plain(8)])), Some(16));
    assert_eq!(bytes(&derived(Combiner::IndexedBlock, &[2, 3, 0, 3], &[], vec![plain(4)])), Some(24));
    assert_eq!(bytes(&derived(Combiner::HindexedBlock, &[2, 3], &[0, 12], vec![plain(4)])), Some(24));
    let record = derived(Combiner::Struct, &[3, 1, 2, 1], &[0, 8, 16], vec![plain(8), plain(4), row.clone()]);
    assert_eq!(bytes(&record), Some(96));
    assert_eq!(bytes(&derived(Combiner::Dup, &[0], &[], vec![record.clone()])), Some(96));
    assert_eq!(bytes(&derived(Combiner::Resized, &[0], &[0, 96], vec![record])), Some(96));
    let padded = Tree::Named(vec![(0, 8), (8, 4)], 16);
    assert_eq!(bytes(&derived(Combiner::Resized, &[0], &[0, 12], vec![padded])), Some(12), "the padding cut off");
}

#[test]
fn gaps_overlaps_and_other_orders_are_known_and_no_run() {
    for (why, tree) in [
        ("strided", derived(Combiner::Vector, &[5, 2, 3], &[], vec![plain(4)])),
        ("upwards from its end", derived(Combiner::Vector, &[5, 2, -3], &[], vec![plain(4)])),
        ("stretched", derived(Combiner::Resized, &[0], &[0, 16], vec![plain(8)])),
        ("shrunk", derived(Combiner::Resized, &[0], &[0, 4], vec![plain(8)])),
        ("blocks in another order", derived(Combiner::Indexed, &[2, 1, 1, 1, 0], &[], vec![plain(4)])),
        ("begins further on", derived(Combiner::Indexed, &[1, 3, 1], &[], vec![plain(4)])),
        ("begins before", derived(Combiner::Indexed, &[1, 3, -7], &[], vec![plain(4)])),
        ("an overlap makes up for a gap", {
            derived(Combiner::Struct, &[3, 1, 1, 1], &[0, 0, 8], vec![plain(4), plain(4), plain(4)])
        }),
        ("padded behind", Tree::Named(vec![(0, 8), (8, 4)], 16)),
        ("a short and an int", Tree::Named(vec![(0, 2), (4, 4)], 8)),
    ] {
        assert_eq!(bytes(&tree), None, "{why}");
        let layout = layout(&tree).expect(why);
        assert_eq!(places(&layout.element), tree.places(1), "{why}");
    }
}

#[test]
fn what_is_not_known_is_refused() {
    for (why, tree) in [
        ("made by nobody knows", derived(Combiner::Other, &[0], &[], vec![plain(4)])),
        ("a predefined type with a gap", Tree::Named(vec![(0, 1), (4, 4)], 8)),
        ("such a type inside", derived(Combiner::Contiguous, &[2], &[], vec![Tree::Named(vec![(0, 1), (4, 4)], 8)])),
        ("an order that nobody knows", derived(Combiner::Subarray, &[1, 3, 2, 0, -1], &[], vec![plain(4)])),
    ] {
        assert!(layout(&tree).is_none(), "{why}");
    }
}

/// An MPI whose datatype k consists of two k - 1, some bytes apart, or of a hundred million, down to 4 bytes.
struct Tower {
    combiner: Combiner,
    described: Cell<u32>,
}

impl Tower {
    fn facts_of(&self, datatype: i32) -> Facts {
        let (mut size, mut extent) = (4_i64, 8_i64);
        for level in 1..=datatype {
            (size, extent) = match self.combiner {
                Combiner::Struct => (2 * size, 2 * extent + i64::from(level)),
                _ => (size.saturating_mul(100_000_000), extent.saturating_mul(100_000_000)),
            };
        }
        let combiner = if datatype == 0 { Combiner::Resized } else { self.combiner };
        let combiner = if datatype < 0 { Combiner::Named } else { combiner };
        let (size, extent) = if datatype < 0 { (4, 4) } else { (size, extent) };
        let true_extent = if datatype < 0 { 4 } else { extent - 4 };
        Facts { combiner, arguments: [0; 3], size, extent, true_lower_bound: 0, true_extent }
    }
}

impl Inspector for Tower {
    fn describe(&self, datatype: i32) -> Result<Facts> {
        self.described.set(self.described.get() + 1);
        Ok(self.facts_of(datatype))
    }

    fn contents(&self, datatype: i32, _: &Facts) -> Result<Contents> {
        let inner = self.facts_of(datatype - 1).extent;
        Ok(match (datatype, self.combiner) {
            (0, _) => Contents { addresses: vec![0, 8], datatypes: vec![-1], ..Contents::default() },
            (_, Combiner::Struct) => Contents {
                integers: vec![2, 1, 1],
                addresses: vec![0, inner + i64::from(datatype)],
                datatypes: vec![datatype - 1; 2],
            },
            _ => Contents { integers: vec![100_000_000], datatypes: vec![datatype - 1], ..Contents::default() },
        })
    }

    fn release(&self, _: i32) -> Result<()> {
        Ok(())
    }

    fn name(&self, _: i32) -> Result<String> {
        Ok(String::new())
    }

    fn watch(&self, _: i32, _: Key) -> Result<()> {
        Ok(())
    }
}

#[test]
fn nothing_grows_with_the_number_of_blocks() {
    // 2 to the 50 of these lie 1 byte, 2 bytes, ... apart: no list could hold them.
    let tower = Tower { combiner: Combiner::Struct, described: Cell::new(0) };
    let (_, layout) = layout_of(&tower, 50).unwrap();
    assert_eq!(layout.element.bytes(), 4 << 50);
    assert!(tower.described.get() < 200, "what is in both parts is looked at once: {}", tower.described.get());
    assert!(layout.element.touches(3, 4) && !layout.element.touches(4, 8));

    let tower = Tower { combiner: Combiner::Contiguous, described: Cell::new(0) };
    let (_, layout) = layout_of(&tower, 2).unwrap();
    assert_eq!(layout.element.bytes(), 40_000_000_000_000_000);
    let place = 8 * 1_234_567_890_123_456;
    assert!(layout.element.touches(place + 3, place + 4) && !layout.element.touches(place + 4, place + 8));
    // One more does not fit into memory's addresses.
    assert!(layout_of(&tower, 3).is_err());
}

#[test]
fn arguments_that_are_missing_are_no_panic() {
    for number in 1..=15 {
        let combiner = Combiner::from_number(number);
        let part = Part { blocks: Blocks::run(0, 8), extent: 8 };
        for integers in [vec![], vec![3], vec![-1, -1, -1], vec![i32::MAX; 3]] {
            let contents = Contents { integers, ..Contents::default() };
            let _ = assemble(combiner, &contents, &[]);
            let _ = assemble(combiner, &contents, std::slice::from_ref(&part));
        }
    }
}

#[test]
fn endless_nesting_is_refused() {
    let mut tree = plain(8);
    for _ in 0..DEEPEST + 1 {
        tree = derived(Combiner::Dup, &[0], &[], vec![tree]);
    }
    assert!(layout(&tree).is_none());
}

/// A distributed array's entries: element by element, who owns it (MPI 4.0, section 5.1.4).
fn dealt_out(arguments: &[i32], (entries, _, extent): &(Vec<(i64, i64)>, i64, i64)) -> (Vec<(i64, i64)>, i64, i64) {
    let dimensions = arguments[2] as usize;
    let of = |which: usize, dimension: usize| i64::from(arguments[3 + which * dimensions + dimension]);
    let is_c = i64::from(arguments[3 + 4 * dimensions]) == ORDER_C;
    let mut rank = i64::from(arguments[1]);
    let mut coordinates = vec![0; dimensions];
    for dimension in (0..dimensions).rev() {
        coordinates[dimension] = rank % of(3, dimension);
        rank /= of(3, dimension);
    }
    let owner = |dimension: usize, index: i64| {
        let (length, kind, block, along) = (of(0, dimension), of(1, dimension), of(2, dimension), of(3, dimension));
        match (kind, block) {
            (0, ..=0) => index / ((length + along - 1) / along),
            (0, block) => index / block,
            (1, block) => index / block.max(1) % along,
            _ => 0,
        }
    };
    let order: Vec<_> = if is_c { (0..dimensions).rev().collect() } else { (0..dimensions).collect() };
    let (mut elements, mut step) = (vec![0], *extent);
    for dimension in order {
        let own = (0..of(0, dimension)).filter(|&index| owner(dimension, index) == coordinates[dimension]);
        elements = own.flat_map(|at| elements.iter().map(move |it| it + at * step).collect::<Vec<_>>()).collect();
        step *= of(0, dimension);
    }
    let entries = elements.iter().flat_map(|at| entries.iter().map(move |(offset, bytes)| (offset + at, *bytes)));
    (entries.collect(), 0, step)
}

/// Dimensions of distributed arrays: length, distribution, length of blocks (a default if negative), and processes.
fn grids() -> impl Strategy<Value = Vec<(i32, i32, i32, i32)>> {
    let dimension =
        (1i32..7, 0i32..3, -1i32..4, 1i32..4).prop_map(|(length, kind, block, along)| match (kind, block) {
            (2, _) => (length, kind, -1, 1),
            // All blocks have to find a process.
            (0, 1..) => (length, kind, block.max((length + along - 1) / along), along),
            _ => (length, kind, if block == 0 { -1 } else { block }, along),
        });
    proptest::collection::vec(dimension, 1..4)
}

fn trees() -> impl Strategy<Value = Tree> {
    let named = prop_oneof![
        3 => (1i64..5).prop_map(plain),
        1 => Just(Tree::Named(vec![(0, 2), (2, 1)], 4)),
        1 => Just(Tree::Named(vec![(0, 1), (2, 2)], 4)),
        1 => Just(plain(0)),
    ];
    // Small numbers: blocks that touch must be likely.
    named.prop_recursive(3, 12, 3, |inner| {
        let many = || (0i32..3, 0i32..4);
        let lengths = proptest::collection::vec((0i32..3, -2i32..4), 1..4);
        let ranges = proptest::collection::vec((1i32..4, 0i32..3, 1i32..4), 1..4);
        prop_oneof![
            inner.clone().prop_map(|tree| derived(Combiner::Dup, &[0], &[], vec![tree])),
            (inner.clone(), 0i32..4).prop_map(|(tree, count)| derived(Combiner::Contiguous, &[count], &[], vec![tree])),
            (inner.clone(), many(), -4i32..4).prop_map(|(tree, (count, length), stride)| {
                derived(Combiner::Vector, &[count, length, stride], &[], vec![tree])
            }),
            (inner.clone(), many(), -9i64..9).prop_map(|(tree, (count, length), stride)| {
                derived(Combiner::Hvector, &[count, length], &[stride], vec![tree])
            }),
            (inner.clone(), lengths.clone()).prop_map(|(tree, blocks)| {
                let mut integers = vec![blocks.len() as i32];
                integers.extend(blocks.iter().map(|block| block.0));
                integers.extend(blocks.iter().map(|block| block.1));
                derived(Combiner::Indexed, &integers, &[], vec![tree])
            }),
            (inner.clone(), lengths.clone(), 1i64..5).prop_map(|(tree, blocks, unit)| {
                let mut integers = vec![blocks.len() as i32];
                integers.extend(blocks.iter().map(|block| block.0));
                let addresses: Vec<i64> = blocks.iter().map(|block| i64::from(block.1) * unit).collect();
                derived(Combiner::Hindexed, &integers, &addresses, vec![tree])
            }),
            (inner.clone(), 1i32..3, 0i32..3).prop_map(|(tree, count, length)| {
                let mut integers = vec![count, length];
                integers.extend((0..count).map(|block| block * length));
                derived(Combiner::IndexedBlock, &integers, &[], vec![tree])
            }),
            (inner.clone(), 1i32..3, 0i32..3, 0i64..9).prop_map(|(tree, count, length, step)| {
                let addresses: Vec<i64> = (0..i64::from(count)).map(|block| block * step).collect();
                derived(Combiner::HindexedBlock, &[count, length], &addresses, vec![tree])
            }),
            proptest::collection::vec((inner.clone(), 0i32..3, 0i64..12), 1..4).prop_map(|blocks| {
                let mut integers = vec![blocks.len() as i32];
                integers.extend(blocks.iter().map(|block| block.1));
                let addresses: Vec<i64> = blocks.iter().map(|block| block.2).collect();
                derived(Combiner::Struct, &integers, &addresses, blocks.into_iter().map(|block| block.0).collect())
            }),
            (inner.clone(), ranges, 0i32..2).prop_map(|(tree, ranges, order)| {
                let ranges: Vec<_> = ranges
                    .into_iter()
                    .map(|(size, start, subsize)| {
                        let start = start.min(size - 1);
                        (size, subsize.min(size - start), start)
                    })
                    .collect();
                let mut integers = vec![ranges.len() as i32];
                integers.extend(ranges.iter().map(|range| range.0));
                integers.extend(ranges.iter().map(|range| range.1));
                integers.extend(ranges.iter().map(|range| range.2));
                integers.push(order);
                derived(Combiner::Subarray, &integers, &[], vec![tree])
            }),
            (inner.clone(), grids(), 0i32..2, any::<proptest::sample::Index>()).prop_map(
                |(tree, grid, order, rank)| {
                    let processes: i32 = grid.iter().map(|it| it.3).product();
                    let mut integers = vec![processes, rank.index(processes as usize) as i32, grid.len() as i32];
                    integers.extend(grid.iter().map(|it| it.0));
                    integers.extend(grid.iter().map(|it| it.1));
                    integers.extend(grid.iter().map(|it| it.2));
                    integers.extend(grid.iter().map(|it| it.3));
                    integers.push(order);
                    derived(Combiner::Darray, &integers, &[], vec![tree])
                }
            ),
            (inner, 0i64..9).prop_map(|(tree, extent)| derived(Combiner::Resized, &[0], &[0, extent], vec![tree])),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// What is taken for contiguous is one run for any count, and what is not is none; where the bytes are is what the type
    /// map says, for any count. Only a gap inside of a predefined type is not known.
    #[test]
    fn the_answer_is_that_of_the_type_map(tree in trees()) {
        let has_unknown_gap = tree.numbered().iter().any(|tree| {
            matches!(tree, Tree::Named(entries, _) if entries.windows(2).any(|pair| pair[0].0 + pair[0].1 != pair[1].0))
        });
        match layout(&tree) {
            None => prop_assert!(has_unknown_gap, "{:?}", tree.type_map()),
            Some(layout) => {
                let expected = tree.is_contiguous(1) && tree.is_contiguous(3);
                prop_assert_eq!(layout.is_contiguous(), expected, "{:?}", tree.type_map());
                prop_assert_eq!(layout.element.bytes() as i64, tree.facts().size);
                for count in 0..4 {
                    let message = layout.element.repeated(count, layout.extent).expect("it is short");
                    let expected = tree.places(count);
                    prop_assert_eq!(message.bytes() as usize, expected.len());
                    let bounds = expected.iter().min().map(|low| (*low, expected.iter().max().unwrap() + 1));
                    prop_assert_eq!(message.bounds(), bounds);
                    let is_run = !expected.is_empty() && expected.windows(2).all(|pair| pair[0] + 1 == pair[1]);
                    prop_assert_eq!(message.as_run().is_some(), is_run, "{:?}", message);
                    for (start, end) in [(-9, -7), (-3, 1), (0, 1), (3, 4), (5, 5), (7, 20), (31, 33)] {
                        let touched = expected.iter().any(|place| (start..end).contains(place));
                        prop_assert_eq!(message.touches(start, end), touched, "{:?} {} {}", message, start, end);
                    }
                    prop_assert_eq!(places(&message), expected);
                }
            }
        }
    }
}
