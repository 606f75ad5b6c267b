//! Names of a procedure: what they stand for, their type, shape and storage.

use serde::{Deserialize, Serialize};

use super::{Expression, Span};

/// Index of a [`Symbol`] in the `symbols` of its procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SymbolId(pub usize);

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolClass {
    /// A variable.
    Variable,
    /// A named constant, with its value where it is an integer that the front end could evaluate.
    Constant(Option<i64>),
    /// A constant of MPI, such as `mpi_comm_world`; the name is in lower case.
    MessagingConstant,
    /// A procedure (also a name that can only be one).
    Procedure,
    /// The front end does not know: any use of it is an opaque expression.
    Unknown,
}

/// The broad kind of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeCategory {
    /// Integers.
    Integer,
    /// Floating-point numbers.
    Real,
    /// Complex numbers.
    Complex,
    /// Truth values.
    Logical,
    /// Characters.
    Character,
    /// A structure.
    Derived,
    /// Anything else, or not known.
    Unknown,
}

/// The type of a scalar or of an array's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementType {
    /// The broad kind.
    pub category: TypeCategory,
    /// Size of one element in bytes when no compiler flag changes default kinds; `None` when not known.
    pub bytes: Option<u32>,
}

/// One dimension of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayDimension {
    /// The lower bound; `None` when it is not known before the program runs (allocatable, pointer).
    pub lower: Option<Expression>,
    /// The upper bound; `None` when it is not known (assumed size, assumed shape, allocatable, pointer).
    pub upper: Option<Expression>,
}

/// The shape of a variable.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A single value.
    Scalar,
    /// An array whose first subscript varies fastest in memory. The elements are contiguous unless the symbol's storage
    /// is [`Storage::Pointer`] or [`Symbol::may_be_strided`] is set.
    Array(Vec<ArrayDimension>),
}

/// Where a variable lives, which decides who else can reach it and when it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Storage {
    /// Lives as long as the program and is visible only in its procedure (a main program's variables, SAVE).
    Static,
    /// Lives until its procedure returns (automatic arrays included).
    Local,
    /// A dummy argument: the caller's memory.
    Dummy,
    /// Visible to other procedures: COMMON (the block's name), a module's variable, host association.
    Global(String),
    /// Allocated and freed by the program (a Fortran ALLOCATABLE).
    Allocatable,
    /// A pointer: may be any target.
    Pointer,
}

/// One name of a procedure.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbol {
    /// The name, in the spelling that the language compares (Fortran: lower case).
    pub name: String,
    /// Where it is declared; `None` when it is implicit or imported.
    pub declaration: Option<Span>,
    /// What it stands for.
    pub class: SymbolClass,
    /// The type. Of a constant of MPI that is a predefined, contiguous datatype the type that this stands for.
    pub element: ElementType,
    /// The shape.
    pub shape: Shape,
    /// Where it lives.
    pub storage: Storage,
    /// The place (see [`Storage::Global`]) of a variable that other procedures see and whose storage does not tell
    /// it: an allocatable one of a module, a request that is handed down as an argument.
    pub place: Option<String>,
    /// A pointer may point to it (Fortran TARGET; in C every variable whose address is taken).
    pub target: bool,
    /// Every access has an effect outside the program (VOLATILE).
    pub volatile: bool,
    /// The elements may lie apart in memory (assumed shape, pointer).
    pub may_be_strided: bool,
    /// It has a value before the first statement runs (an initialiser in its declaration, DATA).
    pub initialised: bool,
    /// The number that it has then, where it is an integer scalar and its declaration says it.
    pub initial_value: Option<i64>,
    /// A dummy argument that loses its value when the procedure is called (Fortran INTENT(OUT)).
    pub undefined_at_entry: bool,
    /// Symbols with the same number share memory in a way that their names do not show (EQUIVALENCE).
    pub overlay: Option<usize>,
}

/// The places of members of COMMON blocks that all units see alike begin so; the block and the member's position
/// follow.
pub const COMMON_MEMBER: &str = "common-member:";

/// The places of requests that are handed down as arguments begin so; the procedure and the variable that they belong
/// to follow.
pub const HANDED_REQUEST: &str = "handed:";

impl Storage {
    /// The place of a variable that all procedures which see it see as the same elements: one of a module, or a
    /// member of a COMMON block that is seen alike everywhere.
    pub fn shared_variable(&self) -> Option<&str> {
        match self {
            Storage::Global(place) if is_one_variable(place) => Some(place),
            _ => None,
        }
    }

    /// The COMMON block that holds the variable.
    pub fn common_block(&self) -> Option<&str> {
        let Storage::Global(place) = self else { return None };
        match place.strip_prefix(COMMON_MEMBER) {
            Some(member) => member.rsplit_once(':').map(|(block, _)| block),
            None => place.strip_prefix("common:"),
        }
    }
}

/// Is the place (see [`Storage::Global`]) one variable, the same elements for everybody?
pub fn is_one_variable(place: &str) -> bool {
    place.starts_with("module:") || place.starts_with(COMMON_MEMBER)
}

impl Symbol {
    /// Is it an integer variable without subscripts?
    pub fn is_integer_scalar(&self) -> bool {
        self.class == SymbolClass::Variable
            && self.shape == Shape::Scalar
            && self.element.category == TypeCategory::Integer
    }

    /// The place of a variable that all procedures which see it see as the same elements.
    pub fn shared_variable(&self) -> Option<&str> {
        self.storage.shared_variable().or(self.place.as_deref())
    }

    /// Can a call that does not name this variable read or write it?
    pub fn is_reachable_from_calls(&self) -> bool {
        self.target || matches!(self.storage, Storage::Global(_) | Storage::Pointer)
    }

    /// Number of dimensions; 0 for a scalar.
    pub fn rank(&self) -> usize {
        match &self.shape {
            Shape::Scalar => 0,
            Shape::Array(dimensions) => dimensions.len(),
        }
    }
}
