//! A small MPI program as data: what is generated, run by the interpreter, shrunk, and written in a language.
//!
//! A program runs on any number of ranks from two to four. All its integers are known to whoever interprets it, so that
//! nothing about it has to be proven: whether it is correct MPI is found out by running it. Arrays and scalars have one
//! namespace; where they live says who sees them. The array 0 holds the results.

mod arguments;
mod communication;
mod datatypes;
mod parts;

pub use arguments::{Arguments, HandedPart, HandedRequests};
pub use communication::{Communication, Completion, CompletionKind, Message, RequestPlace, SendMode};
pub use datatypes::{DatatypeCall, DatatypeVariable, Layout, MadeOf};
pub use parts::Part;

/// Index of an [`Array`].
pub type ArrayId = usize;
/// Index of a [`Scalar`].
pub type ScalarId = usize;
/// Index of a [`RequestVariable`].
pub type RequestId = usize;
/// Index of a [`DatatypeVariable`].
pub type DatatypeId = usize;
/// Index of a [`Procedure`].
pub type ProcedureId = usize;

/// The array that holds the results: each rank's are printed at the end.
pub const RESULTS: ArrayId = 0;
/// How many results each rank has.
pub const RESULT_COUNT: usize = 8;

/// A program.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Its arrays; the first one holds the results.
    pub arrays: Vec<Array>,
    /// Its scalars.
    pub scalars: Vec<Scalar>,
    /// Its request variables.
    pub requests: Vec<RequestVariable>,
    /// Its variables for datatypes.
    pub datatypes: Vec<DatatypeVariable>,
    /// What it does.
    pub body: Vec<Statement>,
    /// What it calls.
    pub procedures: Vec<Procedure>,
    /// How it is written.
    pub style: Style,
}

/// An array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// What it holds.
    pub element: Element,
    /// Where it lives.
    pub home: Home,
    /// How many elements it has.
    pub length: usize,
    /// Elements of a column; the whole length, if it has one dimension.
    pub rows: usize,
    /// The first subscript of its first dimension.
    pub first: i64,
}

impl Array {
    /// Has it two dimensions?
    pub fn is_matrix(&self) -> bool {
        self.rows != self.length
    }
}

/// The type of an array's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// Floating-point numbers of 8 bytes.
    Double,
    /// Floating-point numbers of 4 bytes.
    Single,
    /// Integers of 4 bytes.
    Integer,
}

impl Element {
    /// Its size.
    pub fn bytes(self) -> usize {
        if self == Self::Double { 8 } else { 4 }
    }
}

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// In the main unit of the program; its internal procedures see it.
    Main,
    /// There, but static.
    Saved,
    /// In a module.
    Module,
    /// In a COMMON block.
    Common,
    /// In the main unit, on the same memory as an array that lives there, from one of its elements on.
    Over(ArrayId, usize),
    /// In a procedure.
    Procedure(ProcedureId),
    /// It is an argument of a procedure: the so-manieth of its arrays, or of its integers.
    Argument(ProcedureId, usize),
}

/// A scalar variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar {
    /// An integer, or a floating-point number of 8 bytes?
    pub is_integer: bool,
    /// Where it lives.
    pub home: Home,
}

/// A variable for requests of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestVariable {
    /// Its elements; nothing for a scalar.
    pub length: Option<usize>,
    /// Where it lives.
    pub home: RequestHome,
}

/// Where a request variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestHome {
    /// In the unit that uses it.
    Unit,
    /// In the module.
    Module,
    /// In a COMMON block.
    Common,
    /// It is an argument of a procedure: the so-manieth of its requests.
    Argument(ProcedureId, usize),
}

/// A procedure without a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Procedure {
    /// How it belongs to the program.
    pub kind: ProcedureKind,
    /// What it does.
    pub body: Vec<Statement>,
}

/// How a procedure belongs to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcedureKind {
    /// A unit of its own.
    External,
    /// In a module.
    Module,
    /// Inside the main unit, whose variables it sees.
    Internal,
}

/// How a program is written where its meaning leaves a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// How MPI is made known.
    pub interface: Interface,
    /// Numbers from 10 on have names.
    pub names_numbers: bool,
    /// Tags have names.
    pub names_tags: bool,
    /// Statuses are looked at, at least by MPI.
    pub has_status: bool,
    /// How arrays of the main unit and of the module come to life.
    pub allocation: Allocation,
    /// Array arguments of procedures have no extent.
    pub assumed_size: bool,
    /// Arrays of the main unit and of the module, and scalars that no loop counts with, are components of an object.
    pub objects: bool,
    /// The main unit gives its components short names by ASSOCIATE, and the bodies of its loops are BLOCK constructs.
    pub short_names: bool,
    /// How procedures of the module are called.
    pub calls: Calls,
    /// Buffers are marked as used behind the compiler's back, unless others could see them anyway.
    pub asynchronous: bool,
    /// The members of COMMON blocks have other names in procedures.
    pub renames_common: bool,
    /// Conditional statements without an alternative are written on one line.
    pub one_line_if: bool,
    /// The program is the main program, not a subroutine of it.
    pub is_main: bool,
    /// Words of the language are in capitals.
    pub capitals: bool,
    /// Decides about forms that only some languages leave open.
    pub forms: u64,
}

/// How procedures of the module are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// By their names.
    ByName,
    /// Through an object of a type that they are bound to.
    ThroughType,
    /// Through an object of a class: the type that it extends has procedures that do nothing.
    ThroughClass,
}

/// How arrays come to life that need not be there from the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocation {
    /// They are declared with their bounds.
    Declared,
    /// They are allocated with extents that stand in variables.
    ByVariables,
    /// The variables get other values afterwards.
    ByPassingVariables,
}

/// How MPI is made known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// The include file.
    IncludeFile,
    /// The module `mpi`.
    Module,
    /// The module `mpi_f08`.
    Module2008,
}

/// An expression of integers.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A number.
    Literal(i64),
    /// A tag: its number is another one in every program.
    Tag(i64),
    /// A scalar.
    Scalar(ScalarId),
    /// This process.
    Rank,
    /// How many processes there are.
    Ranks,
    /// The process that nobody is.
    NoProcess,
    /// An element of an integer array.
    Element(ArrayId, Index),
    /// An operation.
    Binary(Box<Expression>, Operator, Box<Expression>),
}

/// One subscript, or two.
pub type Index = Vec<Expression>;

/// An operation on two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// The remainder, with the sign of the first operand; of integers only.
    Modulo,
}

/// An expression of floating-point numbers of 8 bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number, in eighths, so that every language can write it exactly.
    Eighths(i32),
    /// A scalar.
    Scalar(ScalarId),
    /// An integer.
    Integer(Expression),
    /// An element of an array.
    Element(ArrayId, Index),
    /// An operation.
    Binary(Box<Value>, Operator, Box<Value>),
    /// The larger one of two.
    Largest(Box<Value>, Box<Value>),
    /// Without its sign.
    Absolute(Box<Value>),
}

/// A comparison of two integers.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// One of them.
    pub left: Expression,
    /// How they must compare.
    pub relation: Relation,
    /// The other one.
    pub right: Expression,
}

/// How two integers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `==`
    Equal,
    /// `/=`
    Different,
    /// `<`
    Less,
    /// `>=`
    NotLess,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// A counted loop. Its bounds are evaluated once.
    Loop {
        /// What counts.
        variable: ScalarId,
        /// From here.
        lower: Expression,
        /// To here.
        upper: Expression,
        /// By this; not zero.
        step: i64,
        /// What is done.
        body: Vec<Statement>,
    },
    /// A choice.
    If {
        /// Of what.
        condition: Condition,
        /// What is done if it holds.
        then: Vec<Statement>,
        /// What is done otherwise.
        otherwise: Vec<Statement>,
    },
    /// Sets an integer scalar.
    SetInteger(ScalarId, Expression),
    /// Sets a floating-point scalar.
    SetReal(ScalarId, Value),
    /// Sets an element; of an integer array only to a [`Value::Integer`].
    Store(ArrayId, Index, Value),
    /// Sets elements of an array with one dimension, from the first to the second subscript, to one value.
    Fill(ArrayId, Expression, Expression, Value),
    /// Ends the innermost loop.
    Exit(Condition),
    /// Ends the iteration of the innermost loop.
    Cycle(Condition),
    /// Ends the procedure.
    Return(Condition),
    /// Calls a procedure.
    Call(ProcedureId, Arguments),
    /// Rank 0 prints a value.
    Print(Value),
    /// Calls MPI.
    Communicate(Communication),
}

impl Expression {
    /// An operation.
    pub fn binary(left: Expression, operator: Operator, right: Expression) -> Self {
        Self::Binary(Box::new(left), operator, Box::new(right))
    }

    /// With a number added.
    #[must_use]
    pub fn plus(self, number: i64) -> Self {
        match (self, number) {
            (same, 0) => same,
            (Self::Literal(value), number) => Self::Literal(value + number),
            (same, number) if number < 0 => Self::binary(same, Operator::Subtract, Self::Literal(-number)),
            (same, number) => Self::binary(same, Operator::Add, Self::Literal(number)),
        }
    }

    /// The remainder by a number.
    #[must_use]
    pub fn modulo(self, number: i64) -> Self {
        Self::binary(self, Operator::Modulo, Self::Literal(number))
    }

    /// Calls `see` with the expression and everything in it.
    pub fn visit(&self, see: &mut dyn FnMut(&Expression)) {
        see(self);
        match self {
            Self::Element(_, index) => index.iter().for_each(|part| part.visit(see)),
            Self::Binary(left, _, right) => {
                left.visit(see);
                right.visit(see);
            }
            _ => {}
        }
    }
}

impl Value {
    /// An operation.
    pub fn binary(left: Value, operator: Operator, right: Value) -> Self {
        Self::Binary(Box::new(left), operator, Box::new(right))
    }
}
