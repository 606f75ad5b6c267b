//! Datatypes of messages: what is known of those that a program makes, and how it makes them (MPI 4.0, chapter 5).

use super::{Dimension, ElementType, Expression, Polynomial};

/// What a message's elements are.
#[derive(Debug, Clone)]
pub struct Datatype {
    /// The expression in the call.
    pub handle: Expression,
    /// The type of the language that a predefined, contiguous datatype stands for; `None` for any other datatype.
    pub predefined: Option<ElementType>,
    /// It is the longest of several predefined datatypes that the handle may stand for: a message may be shorter than it says.
    pub is_longest: bool,
    /// What is known of a datatype that the program has made, or may have; `None` for a predefined one, and where nothing is known,
    /// not even that a message is a part of its buffer's variable.
    pub derived: Option<DerivedDatatype>,
    /// Nothing is known of it: it may hold addresses, so that its elements lie in any variables, wherever the buffer is.
    pub may_reach_anything: bool,
}

impl Datatype {
    /// A datatype of which at most the predefined type is known that it stands for.
    pub fn new(handle: Expression, predefined: Option<ElementType>) -> Self {
        Self { handle, predefined, is_longest: false, derived: None, may_reach_anything: false }
    }

    /// Is anything known of it?
    pub fn is_known(&self) -> bool {
        self.predefined.is_some() || self.derived.is_some()
    }

    /// The type of the language that all elements of a message have, whatever lies between them.
    pub fn element(&self) -> Option<ElementType> {
        self.predefined.or(self.derived.as_ref().and_then(|derived| derived.element))
    }
}

/// A datatype whose elements are told by their distance from the buffer, all of them in the buffer's variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedDatatype {
    /// The predefined type of its elements; `None` if they may be of several ones, or nothing is known of them.
    pub element: Option<ElementType>,
    /// None of them lies before the beginning of the buffer, however many of it follow one another.
    pub is_forward: bool,
    /// Where they lie, if that is known.
    pub layout: Option<DatatypeLayout>,
}

/// Where the elements of a datatype lie, counted in elements from the beginning of the buffer. The polynomials are over the
/// values that variables have where a message names the datatype.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatatypeLayout {
    /// The place of the first one.
    pub offset: Polynomial,
    /// The others: one repeated along each of these dimensions.
    pub dimensions: Vec<Dimension>,
    /// How far one of the datatype lies behind the one before.
    pub extent: Polynomial,
}

impl DatatypeLayout {
    /// The polynomials that it consists of.
    pub fn polynomials(&self) -> impl Iterator<Item = &Polynomial> {
        let dimensions = self.dimensions.iter().flat_map(|dimension| [&dimension.stride, &dimension.count]);
        [&self.offset, &self.extent].into_iter().chain(dimensions)
    }

    /// The same over other values; `None` if one of them is not known.
    pub fn replaced(&self, value_of: &dyn Fn(&Polynomial) -> Option<Polynomial>) -> Option<Self> {
        let dimension = |dimension: &Dimension| {
            Some(Dimension { stride: value_of(&dimension.stride)?, count: value_of(&dimension.count)? })
        };
        Some(Self {
            offset: value_of(&self.offset)?,
            dimensions: self.dimensions.iter().map(dimension).collect::<Option<_>>()?,
            extent: value_of(&self.extent)?,
        })
    }
}

/// How a datatype is made of others. The arguments are those of the routine, in its order, without the new datatype.
#[derive(Debug, Clone)]
pub struct DatatypeConstructor {
    /// Which way.
    pub kind: ConstructorKind,
    /// The arguments.
    pub arguments: Vec<Expression>,
}

/// The ways to make a datatype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstructorKind {
    /// Copies one behind the other: count, old type.
    Contiguous,
    /// Equal blocks at equal distances: count, block length, stride, old type. The stride counts bytes, or extents of the old
    /// type.
    Vector {
        /// It counts bytes.
        in_bytes: bool,
    },
    /// Blocks anywhere: count, block lengths, displacements, old type.
    Blocks {
        /// The displacements are bytes.
        in_bytes: bool,
        /// All blocks have one length, which is no array then.
        are_equal: bool,
    },
    /// A part of an array: number of dimensions, its extents, the part's extents, where the part begins (from 0), the order
    /// of the dimensions, old type.
    Subarray,
    /// Another extent: old type, lower bound, extent, both in bytes.
    Resized,
    /// The same: old type.
    Duplicate,
    /// Blocks of several types: count, block lengths, displacements in bytes, old types.
    Structure,
}

impl DatatypeConstructor {
    /// The datatype that the new one is made of, or the array of them.
    pub fn old(&self) -> Option<&Expression> {
        match self.kind {
            ConstructorKind::Resized => self.arguments.first(),
            _ => self.arguments.last(),
        }
    }
}
