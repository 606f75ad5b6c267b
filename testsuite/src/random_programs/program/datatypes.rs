//! Datatypes that a program makes, as data.

use super::*;

/// A variable for datatypes of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatatypeVariable {
    /// Where it lives: in the main unit, in the module, in a procedure, or it is an argument (the so-manieth datatype).
    pub home: Home,
}

/// Something that happens to a datatype.
#[derive(Debug, Clone, PartialEq)]
pub enum DatatypeCall {
    /// It is made.
    Make(DatatypeId, Box<Layout>, MadeOf),
    /// Messages may be made of it from now on.
    Commit(DatatypeId),
    /// Nobody names it any more; messages that are under way go on.
    Free(DatatypeId),
}

/// Of what a datatype is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadeOf {
    /// Of elements.
    Elements(Element),
    /// Of another datatype.
    Datatype(DatatypeId),
}

/// Where the parts of a datatype lie: in units of a part's extent, or of elements where a language counts in bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Layout {
    /// So many, one behind the other.
    Contiguous(Expression),
    /// Blocks of one length in one distance.
    Vector {
        /// How many blocks.
        blocks: Expression,
        /// MadeOf of a block.
        length: Expression,
        /// From block to block.
        stride: Expression,
    },
    /// Likewise, with a distance of so many elements of this type, in bytes.
    VectorOfBytes {
        /// How many blocks.
        blocks: Expression,
        /// MadeOf of a block.
        length: Expression,
        /// From block to block.
        stride: Expression,
        /// The type of the elements.
        element: Element,
    },
    /// Blocks with their lengths and their places.
    Indexed(Vec<(Expression, Expression)>),
    /// Blocks of one length, and their places.
    IndexedBlocks(Expression, Vec<Expression>),
    /// A part of an array with two dimensions, whose first subscripts count from 0.
    Subarray {
        /// The array's extents.
        sizes: [Expression; 2],
        /// Those of the part.
        parts: [Expression; 2],
        /// Where it begins.
        starts: [Expression; 2],
    },
    /// The next one begins so many elements of this type behind it.
    Resized(Expression, Element),
}

impl Layout {
    /// The numbers in it.
    pub(super) fn numbers_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Contiguous(number) | Self::Resized(number, _) => vec![number],
            Self::Vector { blocks, length, stride } | Self::VectorOfBytes { blocks, length, stride, .. } => {
                vec![blocks, length, stride]
            }
            Self::Indexed(blocks) => blocks.iter_mut().flat_map(|(length, place)| [length, place]).collect(),
            Self::IndexedBlocks(length, places) => std::iter::once(length).chain(places).collect(),
            Self::Subarray { sizes, parts, starts } => sizes.iter_mut().chain(parts).chain(starts).collect(),
        }
    }
}
