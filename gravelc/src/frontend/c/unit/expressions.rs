//! Typed expressions.

use super::{LabelId, Span, StatementId, SymbolId};
use crate::frontend::c::types::{Reason, Type};

super::numbers! {
    /// The number of an expression.
    ExpressionId,
}

/// What the value of an expression is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// A value.
    Value,
    /// An object: an lvalue. Functions, too.
    Object,
    /// A bit-field of so many bits: an lvalue whose address can't be taken.
    BitField(u32),
}

/// A unary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`; of a complex operand its conjugate
    Complement,
    /// `!`
    Not,
    /// `__real__`
    Real,
    /// `__imag__`
    Imaginary,
}

/// A binary operator without side effects of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the operator that its name says")]
pub enum BinaryOperator {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

/// What a conversion does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// The value of an object is read (C11 6.3.2.1p2).
    Read,
    /// An array becomes the address of its first element.
    Decay,
    /// A function becomes its address.
    FunctionAddress,
    /// The value stays; the type is another one with the same values.
    Same,
    /// Between integer types.
    Integer,
    /// To `_Bool`: is it not zero?
    Truth,
    /// An integer becomes a floating value.
    ToFloat,
    /// A floating value becomes an integer.
    ToInteger,
    /// Between real floating types.
    Float,
    /// To or from or between complex types.
    Complex,
    /// Between pointer types.
    Pointer,
    /// A null pointer constant becomes a pointer.
    Null,
    /// An integer becomes a pointer.
    ToPointer,
    /// A pointer becomes an integer.
    FromPointer,
    /// The value is thrown away.
    Void,
    /// Between vectors, bit by bit, or from a scalar to each element.
    Vector,
    /// To or from or between scalar types of which no more is known, such as handles of MPI.
    Opaque,
    /// To a union that has a member of the operand's type (GNU C).
    Union,
    /// A cast of a value whose type is not known.
    OfUnknown,
    /// Between types that do not convert: the program is wrong.
    Wrong,
}

/// A step from an object to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Designator {
    /// The member of this number.
    Member(u32),
    /// The elements from one to another, both included.
    Elements(u64, u64),
}

/// What is given to one part of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitialiserItem {
    /// The way from the whole object to the part; empty for the object itself.
    pub path: Vec<Designator>,
    /// The type of the part.
    pub ty: Type,
    /// Its value, converted. For an array of characters it may be a string literal, an object.
    pub value: ExpressionId,
}

/// An initialiser. Later items override earlier ones; what no item gives is zero if the initialiser is in braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Initialiser {
    /// In the order of the text.
    pub items: Vec<InitialiserItem>,
    /// Is it in braces?
    pub is_list: bool,
    /// Its bytes.
    pub range: Span,
}

/// What an expression does.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// A symbol. An object and a function are lvalues, an enumerator is a value.
    Symbol(SymbolId),
    /// `__func__` and its like: an array of characters.
    FunctionName,
    /// An integer or character constant.
    Integer(i128),
    /// A floating constant, as its text; of an imaginary one (`2.0i`) the imaginary part.
    Float {
        /// Its value, if it is `float` or `double`.
        value: Option<f64>,
        /// Is it imaginary?
        is_imaginary: bool,
    },
    /// String literals, adjacent ones joined.
    String {
        /// How many characters, the terminating null included.
        length: u64,
    },
    /// A conversion.
    Convert {
        /// What it does.
        conversion: Conversion,
        /// Of what.
        operand: ExpressionId,
        /// Is it written as a cast?
        is_cast: bool,
    },
    /// A unary operator.
    Unary(UnaryOperator, ExpressionId),
    /// A binary operator. With pointers: `p + n`, `n + p`, `p - n` and `p - q` count elements.
    Binary(BinaryOperator, ExpressionId, ExpressionId),
    /// `*p`
    Dereference(ExpressionId),
    /// `&e`
    AddressOf(ExpressionId),
    /// `&&label`
    LabelAddress(LabelId),
    /// `a[i]`, the pointer first, also where the text has `i[a]`.
    Subscript {
        /// The pointer.
        pointer: ExpressionId,
        /// The index, promoted.
        index: ExpressionId,
        /// Does the index stand in front?
        is_swapped: bool,
    },
    /// `s.f`; `p->f` is that of a dereference of `p`.
    Member {
        /// The structure or union.
        base: ExpressionId,
        /// The numbers of the members: more than one where the member is in anonymous ones.
        path: Vec<u32>,
        /// Is it written with an arrow?
        is_arrow: bool,
    },
    /// `f(…)`
    Call {
        /// A pointer to the function.
        callee: ExpressionId,
        /// The arguments, converted.
        arguments: Vec<ExpressionId>,
    },
    /// `left = right`
    Assign {
        /// The lvalue.
        left: ExpressionId,
        /// Converted to its type.
        right: ExpressionId,
    },
    /// `left op= right`
    AssignOperation {
        /// The operator.
        operator: BinaryOperator,
        /// The lvalue.
        left: ExpressionId,
        /// The right operand, converted as the operator wants it.
        right: ExpressionId,
        /// The type to which the left operand is converted, and of which the result is before it is converted back.
        computation: Type,
    },
    /// `++e`, `e++`, `--e`, `e--`
    Step {
        /// The lvalue.
        operand: ExpressionId,
        /// Is one added?
        is_increment: bool,
        /// Is the value that of before?
        is_postfix: bool,
    },
    /// `c ? a : b`; without `a` (GNU C) it is the condition's value.
    Conditional {
        /// The condition.
        condition: ExpressionId,
        /// If it is not zero; without it, the condition, converted to the type of the whole.
        then: Option<ExpressionId>,
        /// If it is.
        otherwise: ExpressionId,
    },
    /// `a, b`
    Comma(ExpressionId, ExpressionId),
    /// `sizeof`: of a type, or of an expression, which is evaluated only if its type has a variable length.
    SizeOf {
        /// The type.
        of: Type,
        /// The expression.
        operand: Option<ExpressionId>,
    },
    /// `_Alignof`; of an expression (GNU C) without a type, for its object may be aligned more than its type says.
    AlignOf(Option<Type>),
    /// `__builtin_offsetof`: in bytes, if it is constant.
    OffsetOf(Option<u64>),
    /// A compound literal: an unnamed object with its initialiser.
    CompoundLiteral(SymbolId),
    /// `({ … })`: its value is that of its last statement.
    StatementExpression(StatementId),
    /// `va_arg`
    VariadicArgument(ExpressionId),
    /// A call of a builtin that computes a number from its operands, whatever their types are: `isnan(x)`.
    Test(Vec<ExpressionId>),
    /// A call of a builtin that takes types, or about which no more is known: its operands.
    Builtin(Vec<ExpressionId>),
    /// What could not be typed: its operands, which are evaluated.
    Unknown(Reason, Vec<ExpressionId>),
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// What it does.
    pub operation: Operation,
    /// Its type.
    pub ty: Type,
    /// Is it a value or an lvalue?
    pub category: Category,
    /// Its bytes, parentheses around it included. Of an implicit conversion: those of its operand.
    pub range: Span,
}

impl Operation {
    /// The operands, in the order of the text; those of initialisers and statements inside are not among them.
    pub fn operands(&self) -> Vec<ExpressionId> {
        match self {
            Self::Symbol(_)
            | Self::FunctionName
            | Self::Integer(_)
            | Self::Float { .. }
            | Self::String { .. }
            | Self::LabelAddress(_)
            | Self::AlignOf(_)
            | Self::OffsetOf(_)
            | Self::CompoundLiteral(_)
            | Self::StatementExpression(_)
            | Self::SizeOf { operand: None, .. } => Vec::new(),
            Self::Convert { operand, .. }
            | Self::Unary(_, operand)
            | Self::Dereference(operand)
            | Self::AddressOf(operand)
            | Self::Member { base: operand, .. }
            | Self::Step { operand, .. }
            | Self::SizeOf { operand: Some(operand), .. }
            | Self::VariadicArgument(operand) => vec![*operand],
            Self::Binary(_, left, right)
            | Self::Assign { left, right }
            | Self::AssignOperation { left, right, .. }
            | Self::Comma(left, right) => vec![*left, *right],
            Self::Subscript { pointer, index, .. } => vec![*pointer, *index],
            Self::Call { callee, arguments } => [callee].into_iter().chain(arguments).copied().collect(),
            Self::Conditional { condition, then, otherwise } => {
                [condition].into_iter().chain(then).chain([otherwise]).copied().collect()
            }
            Self::Test(operands) | Self::Builtin(operands) | Self::Unknown(_, operands) => operands.clone(),
        }
    }
}
