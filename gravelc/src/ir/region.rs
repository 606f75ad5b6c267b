//! Regions: which elements of a variable a statement reads or writes, as linear memory access descriptors (LMAD).

use std::collections::BTreeSet;

use super::{Polynomial, SymbolId};

/// How sure an access is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// It may happen, for some or all of the elements.
    May,
    /// It happens for every element, each time the statement runs to its end.
    Must,
}

/// One dimension of an [`Lmad`]: `count` steps of `stride` elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// Distance between neighbours, in elements of the variable.
    pub stride: Polynomial,
    /// Number of positions along this dimension; the access is empty when it is not positive.
    pub count: Polynomial,
}

/// A linear memory access descriptor: the elements `offset + sum(stride_k * j_k)` for `0 <= j_k < count_k`
/// (Paek, Hoeflinger and Padua, "Efficient and precise array access analysis", TOPLAS 2002).
///
/// Offsets count elements from the variable's first element in memory. Where the lower bound of a contiguous array with
/// one dimension is not known (allocatable), they are its subscripts instead: still the same origin for every access
/// to the variable while it is not allocated anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lmad {
    /// Position of the first element.
    pub offset: Polynomial,
    /// The dimensions, in no particular order; none means a single element.
    pub dimensions: Vec<Dimension>,
}

/// How much of a variable is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// Unknown elements, possibly all of them.
    Whole,
    /// These elements.
    Elements(Lmad),
    /// Unknown elements, possibly all; those that count are from this position on, one behind the other.
    From(Polynomial),
}

/// A range of subscripts, both ends included; empty when `upper < lower`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    /// Smallest subscript.
    pub lower: Polynomial,
    /// Largest subscript.
    pub upper: Polynomial,
}

/// Some elements of one variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// The variable.
    pub symbol: SymbolId,
    /// Which of its elements.
    pub extent: Extent,
    /// Per dimension of the array, a range that holds every subscript of the elements, where one is known. Empty when
    /// the elements do not come from subscripts.
    pub subscripts: Vec<Option<Interval>>,
}

impl Region {
    /// Unknown elements of `symbol`, possibly all.
    pub fn whole(symbol: SymbolId) -> Self {
        Self { symbol, extent: Extent::Whole, subscripts: Vec::new() }
    }

    /// The elements of `symbol` that `lmad` describes.
    pub fn elements(symbol: SymbolId, lmad: Lmad) -> Self {
        Self { symbol, extent: Extent::Elements(lmad), subscripts: Vec::new() }
    }

    /// Neighbouring elements of `symbol` from a position on; how many is not known.
    pub fn from(symbol: SymbolId, start: Polynomial) -> Self {
        Self { symbol, extent: Extent::From(start), subscripts: Vec::new() }
    }

    /// The elements as an LMAD; `None` if they are not known.
    pub fn lmad(&self) -> Option<&Lmad> {
        match &self.extent {
            Extent::Elements(lmad) => Some(lmad),
            Extent::Whole | Extent::From(_) => None,
        }
    }

    /// The variables whose values decide which elements are meant.
    pub fn variables(&self) -> BTreeSet<SymbolId> {
        self.mentioned().collect()
    }

    /// The same in the order of the text, some more than once.
    pub fn mentioned(&self) -> impl Iterator<Item = SymbolId> {
        let intervals = self.subscripts.iter().flatten().flat_map(|interval| [&interval.lower, &interval.upper]);
        let elements = self.lmad().into_iter().flat_map(Lmad::polynomials);
        let start = match &self.extent {
            Extent::From(start) => Some(start),
            Extent::Whole | Extent::Elements(_) => None,
        };
        intervals.chain(elements).chain(start).flat_map(Polynomial::mentioned)
    }
}

impl Lmad {
    /// `count` neighbouring elements from `offset` on.
    pub fn run(offset: Polynomial, count: Polynomial) -> Self {
        Self { offset, dimensions: vec![Dimension { stride: Polynomial::constant(1), count }] }
    }

    /// The polynomials it consists of.
    pub fn polynomials(&self) -> impl Iterator<Item = &Polynomial> {
        let dimensions = self.dimensions.iter().flat_map(|dimension| [&dimension.stride, &dimension.count]);
        std::iter::once(&self.offset).chain(dimensions)
    }
}
