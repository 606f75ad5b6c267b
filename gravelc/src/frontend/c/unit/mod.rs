//! What a translation unit is, once it is read: symbols, typed expressions, statements.
//!
//! Everything is a number in a table of the [`Unit`]; whatever stands in the text has its byte range there. In an
//! expression all implicit conversions are written ([`Operation::Convert`]): an operand has the type that the operator
//! computes with. A type that is not known has a [`Reason`](super::types::Reason), which goes up to what is computed of it.

mod constants;
mod expressions;
mod statements;
mod symbols;

use std::ops::Range;

pub use constants::{Value, address_of, integer_value, is_unspecified, value_of};
pub use expressions::{
    BinaryOperator, Category, Conversion, Designator, Expression, ExpressionId, Initialiser, InitialiserItem,
    Operation, UnaryOperator,
};
pub use statements::{ForStart, Label, LabelId, Statement, StatementId, StatementKind};
pub use symbols::{Attributes, Function, Linkage, Storage, Symbol, SymbolId, SymbolKind};

use super::tokens::{Names, Pragma};
use super::types::{Target, Type, Types};

/// Bytes of the text.
pub type Span = Range<u32>;

/// Why a piece of the text could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoleCause {
    /// It is not as C's grammar wants it.
    Syntax,
    /// It is nested too deeply.
    TooDeep,
    /// Brackets that do not fit together.
    Brackets,
}

/// A piece of the text that could not be read. In a function it is a statement ([`StatementKind::Hole`]); outside of
/// functions it may declare and define anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    /// Its bytes.
    pub range: Span,
    /// Where reading failed.
    pub at: u32,
    /// Why.
    pub cause: HoleCause,
    /// Does it lie in a function?
    pub is_in_function: bool,
}

/// What is doubtful about a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Doubt {
    /// A name at the place of a type that nothing declares.
    UndeclaredType,
    /// Two declarations of one thing whose types do not fit.
    DifferentTypes,
    /// Two definitions.
    DefinedTwice,
    /// A constant that is none, or cannot be computed.
    NotConstant,
    /// An initialiser that does not fit its object.
    BadInitialiser,
    /// `_Static_assert` of what is false.
    AssertionFails,
    /// An attribute whose arguments are not understood.
    BadAttribute,
}

/// A translation unit.
#[derive(Clone)]
pub struct Unit {
    /// Its types.
    pub types: Types,
    /// Its names.
    pub names: Names,
    /// Everything declared, in the order of the text; what the stand-ins declare stands in front of it.
    pub symbols: Vec<Symbol>,
    /// How many of the symbols are the stand-ins'.
    pub stand_ins: usize,
    /// All expressions.
    pub expressions: Vec<Expression>,
    /// All statements.
    pub statements: Vec<Statement>,
    /// All labels.
    pub labels: Vec<Label>,
    /// The functions that are defined, in the order of the text.
    pub functions: Vec<Function>,
    /// The symbols with linkage and the typedefs of file scope that the text declares, in the order of their first declarations.
    pub globals: Vec<SymbolId>,
    /// What could not be read, in order.
    pub holes: Vec<Hole>,
    /// What is doubtful.
    pub doubts: Vec<(Span, Doubt)>,
    /// Its pragmas.
    pub pragmas: Vec<Pragma>,
    /// `asm` outside of functions.
    pub assembler: Vec<Span>,
}

impl Unit {
    /// An empty unit.
    pub fn new(target: Target, names: Names) -> Self {
        Self {
            types: Types::new(target),
            names,
            symbols: Vec::new(),
            stand_ins: 0,
            expressions: Vec::new(),
            statements: Vec::new(),
            labels: Vec::new(),
            functions: Vec::new(),
            globals: Vec::new(),
            holes: Vec::new(),
            doubts: Vec::new(),
            pragmas: Vec::new(),
            assembler: Vec::new(),
        }
    }

    /// An expression.
    pub fn expression(&self, id: ExpressionId) -> &Expression {
        &self.expressions[id.index()]
    }

    /// The type of an expression.
    pub fn type_of(&self, id: ExpressionId) -> Type {
        self.expression(id).ty
    }

    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.index()]
    }

    /// Is it declared by a stand-in for a header of the system, whether the text declares it, too, or not?
    pub fn is_stand_in(&self, id: SymbolId) -> bool {
        id.index() < self.stand_ins
    }

    /// May the variable's memory be that of another one, which the linker knows by the same name (`alias`, `asm("name")`, `#pragma weak`, or
    /// assembler outside of functions, which can do anything to names)?
    pub fn has_second_name(&self, id: SymbolId) -> bool {
        let declared = self.symbol(id);
        let is_variable = matches!(declared.kind, SymbolKind::Object | SymbolKind::Parameter);
        let is_said = declared.attributes.is_alias || declared.assembler_name.is_some();
        let is_open = !self.assembler.is_empty() && declared.linkage == Linkage::External && !self.is_stand_in(id);
        is_variable && (is_said || is_open)
    }

    /// The name of a function of the system's libraries: of what a stand-in declares, and of what is built in under another name
    /// (`__builtin_memset`). Nothing, if it is none, or may be the program's own.
    pub fn name_in_library(&self, id: SymbolId) -> Option<&str> {
        let name = self.names.text(self.symbol(id).name?);
        match name.strip_prefix("__builtin_") {
            // Those that check sizes take more arguments; others know the caller.
            Some(plain) if plain.starts_with("__") || plain.starts_with("alloca") || plain.ends_with("_address") => {
                None
            }
            Some(plain) => Some(plain),
            None => self.is_stand_in(id).then_some(name),
        }
    }

    /// A statement.
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.index()]
    }

    /// The function that the callee of a call names.
    pub fn function_named(&self, callee: ExpressionId) -> Option<SymbolId> {
        let mut id = callee;
        loop {
            match &self.expression(id).operation {
                Operation::Convert { conversion: Conversion::FunctionAddress, operand, is_cast: false } => {
                    id = *operand;
                }
                Operation::Dereference(operand) | Operation::AddressOf(operand) => id = *operand,
                Operation::Symbol(symbol) => {
                    return (self.symbol(*symbol).kind == SymbolKind::Function).then_some(*symbol);
                }
                _ => return None,
            }
        }
    }

    /// The symbol of file scope with this name, if there is one.
    pub fn global(&self, name: &str) -> Option<SymbolId> {
        let name = self.names.find(name)?;
        self.globals.iter().copied().find(|id| self.symbol(*id).name == Some(name))
    }
}

/// Declares the number of something in a table of the unit.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub(in crate::frontend::c) u32);

            impl $name {
                /// The number for what is added to a table of so many.
                pub(in crate::frontend::c) fn next(count: usize) -> Self {
                    Self(u32::try_from(count).unwrap_or(u32::MAX))
                }

                /// Its place in the table.
                pub fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}
use numbers;
