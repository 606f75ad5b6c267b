//! The language-neutral program: procedures, statements, expressions, symbolic polynomials, regions and communication
//! operations.
//!
//! Invariant: nothing here knows a parser or the runtime, nor a programming language but by what is asked about it
//! ([`Dialect`]). Front ends lower into these types; every later layer reads them.

mod aliases;
pub mod bytes_as_text;
pub mod called_name;
mod communication;
mod datatype;
mod declaration;
mod depth;
mod directive;
mod expansion;
mod expression;
mod language;
mod memory_objects;
mod naming;
mod place;
mod polynomial;
mod program;
mod region;
mod rewriting;
mod source_file;
mod statement;
mod structure;
mod symbol;
mod text_parts;
mod unread;
mod untouchable;
mod vector_arithmetic;

pub use aliases::Aliases;
pub use communication::{
    Communication, CompletionKind, Direction, ErrorHandling, MatchedReceive, Message, Operation, Participation,
    Partner, SendMode, Status, Wrapper,
};
pub use datatype::{ConstructorKind, Datatype, DatatypeConstructor, DatatypeLayout, DerivedDatatype};
pub use declaration::{DeclarationStatement, DeclaredEntity};
pub use depth::Depth;
pub use directive::{Directive, DirectivePlace};
pub use expansion::{Expansion, Expansions, Line, MacroExpansion, Origin};
pub use expression::{
    BinaryOperator, Callee, Expression, ExpressionKind, LINE_NUMBER, PartForm, Subscript, UnaryOperator,
};
pub use language::{Dialect, Form, Language};
pub use memory_objects::MemoryObjects;
pub use naming::Naming;
pub use place::{ComponentPath, Place};
pub use polynomial::{Monomial, Polynomial};
pub use program::{
    Anchors, MentionedProcedures, MessagingNames, MissedCall, Module, Overridable, Procedure, ProcedureId,
    ProcedureKind, Program, Submodule, UNNAMED_MAIN,
};
pub use region::{Certainty, Dimension, Extent, Interval, Lmad, Region};
pub use source_file::{BYTE_ORDER_MARK, FileId, SourceFile, Span};
pub use statement::{
    Allocation, Arm, AssertedIndependence, Block, Loop, LoopBound, Room, Scope, Statement, StatementId, StatementKind,
};
pub use structure::{Component, ComponentName, Definition, InitialComponent, Structure};
pub use symbol::{
    ArrayDimension, Bounds, ElementType, InitialValues, Shape, Storage, Symbol, SymbolClass, SymbolId, TypeCategory,
};
pub use text_parts::{Indivisible, TextParts};
pub use unread::{Opacity, OutsideCalls, Unread};
pub use untouchable::{Untouchable, UntouchableCause};
pub use vector_arithmetic::VectorArithmetic;
