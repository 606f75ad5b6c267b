//! Whether the elements of a datatype are contiguous memory.
//!
//! That size and extent are equal does not show it: an indexed type may name its blocks in another order, and a struct
//! may overlap here and have a gap there. So a datatype is taken apart, down to the predefined types, and put together
//! again as runs: data that lies one byte behind the other in the order of the type map (MPI 4.0, section 5.1).

use super::combiner::Combiner;
use super::{Contents, Facts, Inspector};
use crate::error::{Error, Result};

/// Deeper nesting is refused: it is followed by recursion. An interpreter takes half an hour for the test of that.
const DEEPEST: usize = if cfg!(miri) { 20 } else { 200 };

/// Data in the order of the type map without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// Offset of the first byte; means nothing if there is none.
    start: i64,
    bytes: i64,
}

impl Run {
    const EMPTY: Self = Self { start: 0, bytes: 0 };

    /// What comes next in the type map, `displacement` bytes further on. Nothing if it is not the next byte.
    fn followed_by(self, next: Self, displacement: i64) -> Option<Self> {
        if next.bytes == 0 {
            return Some(self);
        }
        let start = next.start.checked_add(displacement)?;
        if self.bytes == 0 {
            return Some(Self { start, ..next });
        }
        (self.start.checked_add(self.bytes)? == start)
            .then_some(Self { start: self.start, bytes: self.bytes.checked_add(next.bytes)? })
    }

    /// This run `count` times, `stride` bytes from one to the next.
    fn repeated(self, count: i64, stride: i64) -> Option<Self> {
        match count {
            _ if count <= 0 || self.bytes == 0 => Some(Self::EMPTY),
            1 => Some(self),
            _ if stride == self.bytes => Some(Self { bytes: self.bytes.checked_mul(count)?, ..self }),
            _ => None,
        }
    }
}

/// The bytes of one element of a datatype whose elements are contiguous. A datatype of another layout is an error that
/// names it.
pub fn contiguous_bytes(inspector: &dyn Inspector, datatype: i32) -> Result<(Facts, u64)> {
    let facts = inspector.describe(datatype)?;
    let run = run_of(inspector, datatype, &facts, 0)?;
    // One element follows the other, and the first begins where the buffer does.
    let is_contiguous =
        |run: &Run| run.bytes == facts.size && (run.bytes == 0 || (run.start == 0 && facts.extent == run.bytes));
    match run.filter(is_contiguous).and_then(|run| u64::try_from(run.bytes).ok()) {
        Some(bytes) => Ok((facts, bytes)),
        None => {
            let name = inspector.name(datatype)?;
            Err(Error::UnsupportedDatatype { name, maker: facts.combiner.maker() }.into())
        }
    }
}

fn run_of(inspector: &dyn Inspector, datatype: i32, facts: &Facts, depth: usize) -> Result<Option<Run>> {
    if facts.size == 0 {
        return Ok(Some(Run::EMPTY));
    }
    if facts.combiner.is_permanent() {
        // The two parts of a pair lie in the order of the type map.
        let has_no_gap = facts.true_extent == facts.size;
        return Ok(has_no_gap.then_some(Run { start: facts.true_lower_bound, bytes: facts.size }));
    }
    if depth == DEEPEST || matches!(facts.combiner, Combiner::Darray | Combiner::Other) {
        return Ok(None);
    }
    let contents = inspector.contents(datatype, facts)?;
    let parts = parts_of(inspector, &contents, depth);
    // The references go back whatever came of it.
    release_all(inspector, &contents)?;
    Ok(assemble(facts.combiner, &contents, &parts?))
}

/// A datatype that went into another one.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Nothing if its data is not one.
    run: Option<Run>,
    extent: i64,
}

impl Part {
    /// A block of `length` elements.
    fn block(&self, length: i64) -> Option<Run> {
        if length <= 0 { Some(Run::EMPTY) } else { self.run?.repeated(length, self.extent) }
    }
}

fn parts_of(inspector: &dyn Inspector, contents: &Contents, depth: usize) -> Result<Vec<Part>> {
    let part = |&datatype: &i32| {
        let facts = inspector.describe(datatype)?;
        Ok(Part { run: run_of(inspector, datatype, &facts, depth + 1)?, extent: facts.extent })
    };
    contents.datatypes.iter().map(part).collect()
}

fn release_all(inspector: &dyn Inspector, contents: &Contents) -> Result<()> {
    for &datatype in &contents.datatypes {
        if !inspector.describe(datatype)?.combiner.is_permanent() {
            inspector.release(datatype)?;
        }
    }
    Ok(())
}

/// Puts a datatype together from its parts as its constructor does. Nothing if it is not one run.
fn assemble(combiner: Combiner, contents: &Contents, parts: &[Part]) -> Option<Run> {
    let part = parts.first();
    let integer = |place: usize| contents.integers.get(place).map(|&integer| i64::from(integer));
    let integers = |from: i64, count: i64| {
        let from = usize::try_from(from).ok()?;
        let end = from.checked_add(usize::try_from(count).ok()?)?;
        Some(contents.integers.get(from..end)?.iter().map(|&integer| i64::from(integer)))
    };
    let addresses = || contents.addresses.iter().copied();
    match combiner {
        Combiner::Dup | Combiner::Resized => part?.run,
        Combiner::Contiguous => part?.block(integer(0)?),
        Combiner::Vector => {
            let stride = integer(2)?.checked_mul(part?.extent)?;
            part?.block(integer(1)?)?.repeated(integer(0)?, stride)
        }
        Combiner::Hvector => part?.block(integer(1)?)?.repeated(integer(0)?, addresses().next()?),
        Combiner::Indexed => {
            let count = integer(0)?;
            let blocks = integers(1, count)?.zip(integers(1 + count, count)?);
            join(blocks.map(|(length, place)| Some((part?.block(length)?, place.checked_mul(part?.extent)?))))
        }
        Combiner::Hindexed => {
            let blocks = integers(1, integer(0)?)?.zip(addresses());
            join(blocks.map(|(length, displacement)| Some((part?.block(length)?, displacement))))
        }
        Combiner::IndexedBlock => {
            let block = part?.block(integer(1)?)?;
            join(integers(2, integer(0)?)?.map(|place| Some((block, place.checked_mul(part?.extent)?))))
        }
        Combiner::HindexedBlock => {
            let block = part?.block(integer(1)?)?;
            join(addresses().map(|displacement| Some((block, displacement))))
        }
        Combiner::Struct => {
            let blocks = integers(1, integer(0)?)?.zip(addresses()).zip(parts);
            join(blocks.map(|((length, displacement), part)| Some((part.block(length)?, displacement))))
        }
        Combiner::Subarray => {
            // dimensions, sizes, subsizes, starts, order: only a whole array is contiguous for any count.
            let dimensions = integer(0)?;
            let (sizes, subsizes) = (integers(1, dimensions)?, integers(1 + dimensions, dimensions)?);
            let mut elements = 1_i64;
            for (size, subsize) in sizes.zip(subsizes) {
                if size != subsize {
                    return None;
                }
                elements = elements.checked_mul(size)?;
            }
            part?.block(elements)
        }
        Combiner::Named | Combiner::F90 | Combiner::Darray | Combiner::Other => None,
    }
}

/// Blocks in the order of the type map, each with its displacement.
fn join(blocks: impl Iterator<Item = Option<(Run, i64)>>) -> Option<Run> {
    let mut all = Run::EMPTY;
    for block in blocks {
        let (run, displacement) = block?;
        all = all.followed_by(run, displacement)?;
    }
    Some(all)
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
