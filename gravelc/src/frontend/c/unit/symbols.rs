//! What is declared.

use super::{ExpressionId, Initialiser, LabelId, Span, StatementId};
use crate::frontend::c::tokens::Name;
use crate::frontend::c::types::Type;

super::numbers! {
    /// The number of a symbol.
    SymbolId,
}

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolKind {
    /// An object, but for parameters.
    Object,
    /// A parameter of a function.
    Parameter,
    /// A function.
    Function,
    /// A typedef.
    Typedef,
    /// An enumeration constant, with its value where it could be computed.
    Enumerator(Option<i128>),
}

/// Linkage (C11 6.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// One thing in the whole program.
    External,
    /// One thing in the unit.
    Internal,
    /// A thing of its own.
    None,
}

/// Where an object lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// As long as the program.
    Static,
    /// As long as its thread.
    Thread,
    /// As long as its block.
    Automatic,
}

/// Attributes that say something about what a declaration means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes {
    /// It does not return.
    pub is_noreturn: bool,
    /// Another definition may take its place (`weak`, `weakref`).
    pub is_weak: bool,
    /// It is another name of something (`alias`, `ifunc`).
    pub is_alias: bool,
    /// A function runs at the end of its life (`cleanup`).
    pub has_cleanup: bool,
    /// It runs before or after `main` (`constructor`, `destructor`).
    pub runs_by_itself: bool,
    /// It returns fresh memory (`malloc`).
    pub is_malloc: bool,
    /// Its result depends on its arguments alone (`const`).
    pub is_const: bool,
    /// It has no effects (`pure`).
    pub is_pure: bool,
    /// It may return more than once (`returns_twice`).
    pub returns_twice: bool,
    /// Calls of it are made where it says (`gnu_inline`).
    pub is_gnu_inline: bool,
    /// It has others of which it is not known that they change nothing.
    pub has_others: bool,
}

/// Something that is declared: one for all declarations of the same thing.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// Its name; unnamed are parameters and the objects of compound literals.
    pub name: Option<Name>,
    /// What it is.
    pub kind: SymbolKind,
    /// Its type: the composite of its declarations.
    pub ty: Type,
    /// Its linkage.
    pub linkage: Linkage,
    /// Where it lives, if it is an object.
    pub storage: Storage,
    /// Its first declarator in the text; empty, if it is a stand-in's and the text does not declare it.
    pub range: Span,
    /// Is it defined in this unit (a function with a body, an object that is no mere `extern` declaration)?
    pub is_defined: bool,
    /// Is it defined by tentative definitions alone?
    pub is_tentative: bool,
    /// Does a declaration of it say `inline`?
    pub is_inline: bool,
    /// Does a declaration of it at file scope lack `inline`, or say `extern`? Then the unit's definition is external.
    pub is_external_definition: bool,
    /// Was it called without having been declared?
    pub is_implicit: bool,
    /// Does it say `register`?
    pub is_register: bool,
    /// Its attributes.
    pub attributes: Attributes,
    /// `_Alignas`, `aligned`: in bytes.
    pub alignment: Option<u64>,
    /// Its name for the assembler, as a string literal in the text.
    pub assembler_name: Option<Span>,
    /// Its initialiser.
    pub initialiser: Option<Initialiser>,
}

impl Symbol {
    /// A symbol about which no more is known yet.
    pub(in crate::frontend::c) fn new(
        name: Option<Name>,
        kind: SymbolKind,
        ty: Type,
        range: Span,
        linkage: Linkage,
        storage: Storage,
    ) -> Self {
        Self {
            name,
            kind,
            ty,
            linkage,
            storage,
            range,
            is_defined: false,
            is_tentative: false,
            is_inline: false,
            is_external_definition: false,
            is_implicit: false,
            is_register: false,
            attributes: Attributes::default(),
            alignment: None,
            assembler_name: None,
            initialiser: None,
        }
    }
}

/// A function with its body.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name and type.
    pub symbol: SymbolId,
    /// Its parameters, in order.
    pub parameters: Vec<SymbolId>,
    /// Its body: a block.
    pub body: StatementId,
    /// The labels in it.
    pub labels: Vec<LabelId>,
    /// Its definition in the text.
    pub range: Span,
    /// Is it declared in the style of K&R: its arguments are promoted by callers?
    pub is_old_style: bool,
    /// Is it defined in another one?
    pub is_nested: bool,
    /// Is there `asm` in it?
    pub has_assembler: bool,
    /// Is there a `goto` to a computed label in it?
    pub has_computed_goto: bool,
    /// The expressions that its variable-length types evaluate, in the order of the text, are in its statements; those of
    /// its parameters are here.
    pub parameter_bounds: Vec<ExpressionId>,
}
