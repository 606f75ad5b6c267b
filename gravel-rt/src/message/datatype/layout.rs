//! Where the data of a datatype's elements lies.
//!
//! That size and extent are equal does not show that elements are contiguous: an indexed type may name its blocks in another
//! order, and a struct may overlap here and have a gap there. So a datatype is taken apart, down to the predefined types, and
//! put together again as [`Blocks`]: its data in the order of the type map (MPI 4.0, section 5.1).

use std::collections::HashMap;

use super::arrays::{distributed, subarray};
use super::blocks::Blocks;
use super::combiner::Combiner;
use super::{Contents, Facts, Inspector};
use crate::error::{Error, Result};

/// Deeper nesting is refused: it is followed by recursion. An interpreter takes half an hour for the test of that.
const DEEPEST: usize = if cfg!(miri) { 20 } else { 200 };
/// So many derived datatypes are taken apart for one, and no more.
const MOST_PARTS: usize = 100_000;

/// Where the data of the elements of a datatype lies, relative to the address of the first.
#[derive(Debug)]
pub struct Layout {
    /// The data of one element.
    pub element: Blocks,
    /// From one element to the next.
    pub extent: i64,
    /// The name that MPI or the program has given the datatype, or nothing, and what made it: for messages.
    pub name: String,
    /// What made it.
    pub maker: &'static str,
}

impl Layout {
    /// Whether elements, one behind the other, are one run of memory from the address on, whatever their number.
    pub fn is_contiguous(&self) -> bool {
        match self.element.as_run() {
            Some((place, bytes)) => place == 0 && i64::try_from(bytes) == Ok(self.extent),
            None => self.element.bytes() == 0,
        }
    }
}

/// The layout of a datatype. One whose layout is not known is an error that names it.
pub fn layout_of(inspector: &dyn Inspector, datatype: i32) -> Result<(Facts, Layout)> {
    let mut inspection =
        Inspection { inspector, described: HashMap::new(), found: HashMap::new(), references: Vec::new() };
    let facts = inspection.describe(datatype)?;
    let element = inspection.blocks_of(datatype, &facts, 0);
    // The references go back whatever came of it.
    inspection.release_all()?;
    let name = inspector.name(datatype)?;
    let maker = facts.combiner.maker();
    match element? {
        Some(element) if i64::try_from(element.bytes()) == Ok(facts.size) => {
            let layout = Layout { element, extent: facts.extent, name, maker };
            // What MPI says of its bounds is what came of its parts, or its parts were not understood.
            let (first, end) = (facts.true_lower_bound, facts.true_lower_bound.saturating_add(facts.true_extent));
            let is_as_said = |found: (i64, i64)| match facts.combiner {
                // MPICH 4 counts the last block of a cyclic distribution as a whole one, where it is shorter.
                Combiner::Darray => first <= found.0 && found.1 <= end,
                _ => found == (first, end),
            };
            if layout.is_contiguous() || layout.element.bounds().is_some_and(is_as_said) {
                return Ok((facts, layout));
            }
            Err(Error::UnsupportedDatatype { name: layout.name, maker }.into())
        }
        _ => Err(Error::UnsupportedDatatype { name, maker }.into()),
    }
}

/// Takes one datatype apart. What went into several of its parts is looked at once: handles stay what they are until all
/// references go back.
struct Inspection<'a> {
    inspector: &'a dyn Inspector,
    described: HashMap<i32, Facts>,
    found: HashMap<i32, Option<Blocks>>,
    references: Vec<i32>,
}

impl Inspection<'_> {
    fn describe(&mut self, datatype: i32) -> Result<Facts> {
        if let Some(&facts) = self.described.get(&datatype) {
            return Ok(facts);
        }
        let facts = self.inspector.describe(datatype)?;
        self.described.insert(datatype, facts);
        Ok(facts)
    }

    /// The data of one element; nothing if it is not known.
    fn blocks_of(&mut self, datatype: i32, facts: &Facts, depth: usize) -> Result<Option<Blocks>> {
        if facts.size == 0 {
            return Ok(Some(Blocks::EMPTY));
        }
        if facts.combiner.is_permanent() {
            // The two parts of a pair lie in the order of the type map.
            return Ok(match (facts.size, facts.true_extent) {
                (size, extent) if size == extent => Blocks::run(facts.true_lower_bound, size),
                // MPI_SHORT_INT is the only one with a gap: behind the short.
                (6, 8) => Blocks::joined(
                    [(0, 2), (4, 4)].into_iter().map(|(place, bytes)| Some((Blocks::run(0, bytes)?, place))),
                ),
                _ => None,
            });
        }
        if depth == DEEPEST || facts.combiner == Combiner::Other {
            return Ok(None);
        }
        if let Some(found) = self.found.get(&datatype) {
            return Ok(found.clone());
        }
        if self.found.len() == MOST_PARTS {
            return Ok(None);
        }
        let contents = self.inspector.contents(datatype, facts)?;
        let mut parts = Vec::with_capacity(contents.datatypes.len());
        for &inner in &contents.datatypes {
            let facts = self.describe(inner)?;
            if !facts.combiner.is_permanent() {
                self.references.push(inner);
            }
        }
        for &inner in &contents.datatypes {
            let facts = self.describe(inner)?;
            parts.push(Part { blocks: self.blocks_of(inner, &facts, depth + 1)?, extent: facts.extent });
        }
        let found = assemble(facts.combiner, &contents, &parts);
        self.found.insert(datatype, found.clone());
        Ok(found)
    }

    fn release_all(&mut self) -> Result<()> {
        self.references.drain(..).try_for_each(|datatype| self.inspector.release(datatype))
    }
}

/// A datatype that went into another one.
#[derive(Debug, Clone)]
struct Part {
    /// Nothing if its data is not known.
    blocks: Option<Blocks>,
    extent: i64,
}

impl Part {
    /// A block of `length` elements.
    fn block(&self, length: i64) -> Option<Blocks> {
        if length <= 0 { Some(Blocks::EMPTY) } else { self.blocks.as_ref()?.repeated(length, self.extent) }
    }
}

/// Puts a datatype together from its parts as its constructor does. Nothing if that is not known.
fn assemble(combiner: Combiner, contents: &Contents, parts: &[Part]) -> Option<Blocks> {
    let part = parts.first();
    let integer = |place: usize| contents.integers.get(place).map(|&integer| i64::from(integer));
    let integers = |from: i64, count: i64| {
        let from = usize::try_from(from).ok()?;
        let end = from.checked_add(usize::try_from(count).ok()?)?;
        Some(contents.integers.get(from..end)?.iter().map(|&integer| i64::from(integer)))
    };
    let addresses = || contents.addresses.iter().copied();
    match combiner {
        Combiner::Dup | Combiner::Resized => part?.blocks.clone(),
        Combiner::Contiguous => part?.block(integer(0)?),
        Combiner::Vector => {
            let stride = integer(2)?.checked_mul(part?.extent)?;
            part?.block(integer(1)?)?.repeated(integer(0)?, stride)
        }
        Combiner::Hvector => part?.block(integer(1)?)?.repeated(integer(0)?, addresses().next()?),
        Combiner::Indexed => {
            let count = integer(0)?;
            let blocks = integers(1, count)?.zip(integers(1 + count, count)?);
            Blocks::joined(blocks.map(|(length, place)| Some((part?.block(length)?, place.checked_mul(part?.extent)?))))
        }
        Combiner::Hindexed => {
            let blocks = integers(1, integer(0)?)?.zip(addresses());
            Blocks::joined(blocks.map(|(length, displacement)| Some((part?.block(length)?, displacement))))
        }
        Combiner::IndexedBlock => {
            let block = part?.block(integer(1)?)?;
            Blocks::joined(
                integers(2, integer(0)?)?.map(|place| Some((block.clone(), place.checked_mul(part?.extent)?))),
            )
        }
        Combiner::HindexedBlock => {
            let block = part?.block(integer(1)?)?;
            Blocks::joined(addresses().map(|displacement| Some((block.clone(), displacement))))
        }
        Combiner::Struct => {
            let blocks = integers(1, integer(0)?)?.zip(addresses()).zip(parts);
            Blocks::joined(blocks.map(|((length, displacement), part)| Some((part.block(length)?, displacement))))
        }
        Combiner::Subarray => subarray(&contents.integers, part?.blocks.as_ref()?, part?.extent),
        Combiner::Darray => distributed(&contents.integers, part?.blocks.as_ref()?, part?.extent),
        Combiner::Named | Combiner::F90 | Combiner::Other => None,
    }
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
