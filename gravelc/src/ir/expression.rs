//! Expressions: as much structure as the analyses can use, and an honest "some value" for the rest.

use super::{ComponentName, ProcedureId, Span, SymbolId, Unread};

/// The name of a [`Callee::PureIntrinsic`] without arguments whose value is the number of the line where it stands: the same
/// expression somewhere else has another value.
pub const LINE_NUMBER: &str = "line_number_of_source";

/// An expression of the program with its place in the source.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Its text.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpressionKind {
    /// An integer literal.
    Integer(i64),
    /// A truth value.
    Logical(bool),
    /// A literal of any other type.
    Literal,
    /// A scalar, a whole array, a named constant or a constant of MPI.
    Symbol(SymbolId),
    /// One element of an array.
    Element {
        /// The array.
        array: SymbolId,
        /// One per dimension.
        subscripts: Vec<Expression>,
    },
    /// A section of an array.
    Section {
        /// The array.
        array: SymbolId,
        /// One per dimension.
        subscripts: Vec<Subscript>,
    },
    /// Some part of a variable that is not described further: a component of a structure, a substring.
    Part {
        /// The variable that holds the part.
        base: SymbolId,
        /// The innermost component that holds it, if the part is all of that component or elements of it.
        component: Option<Box<ComponentName>>,
        /// How much of the component it is, if the text names that last.
        form: PartForm,
        /// The part may lie behind a pointer component, anywhere in memory that a pointer can reach.
        through_pointer: bool,
        /// Subscripts and bounds that are evaluated on the way.
        selectors: Vec<Expression>,
    },
    /// An operator with one operand.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: Box<Expression>,
    },
    /// An operator with two operands.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The left operand.
        left: Box<Expression>,
        /// The right operand.
        right: Box<Expression>,
    },
    /// A function reference.
    Call {
        /// The function.
        callee: Callee,
        /// Its arguments in order (keywords dropped).
        arguments: Vec<Expression>,
    },
    /// An array of these values, one after the other.
    ArrayConstructor(Vec<Expression>),
    /// A value that is computed from these operands in a way that is not described further, without any effect.
    Computed(Vec<Expression>),
    /// Not understood: may read and write everything, call whom its text may name, and not return.
    Opaque(Box<Unread>),
}

/// How much of a component of an object an expression designates that leads there through subscripts, pointers or memory that is
/// allocated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PartForm {
    /// Its text does not name the component, or it is not told.
    #[default]
    Unnamed,
    /// The component is named, but it is that of several objects, or some elements in another form.
    Named,
    /// All of it, in one object.
    Whole,
    /// One element.
    Element,
    /// Elements that follow one another.
    Elements,
}

/// Who is called.
#[derive(Debug, Clone, PartialEq)]
pub enum Callee {
    /// A procedure of the language that only reads its arguments, has no effect and returns.
    PureIntrinsic(String),
    /// A procedure of the program.
    Procedure(ProcedureId),
    /// A procedure that was not given.
    Unknown(String),
}

/// One subscript of an array section.
#[derive(Debug, Clone, PartialEq)]
pub enum Subscript {
    /// A single value of the subscript.
    Index(Expression),
    /// `lower:upper:stride`; what is left out is the dimension's own bound, or stride 1.
    Range {
        /// First value.
        lower: Option<Expression>,
        /// Last value.
        upper: Option<Expression>,
        /// Distance between values.
        stride: Option<Expression>,
    },
    /// A vector subscript: any order, any repetition.
    Vector(Expression),
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// Arithmetic negation.
    Negate,
    /// Unary plus, parentheses.
    Identity,
    /// Logical negation.
    Not,
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOperator {
    /// Addition.
    Add,
    /// Subtraction.
    Subtract,
    /// Multiplication.
    Multiply,
    /// Division (of integers: truncating).
    Divide,
    /// Power.
    Power,
    /// Equality.
    Equal,
    /// Inequality.
    NotEqual,
    /// Less than.
    Less,
    /// Less than or equal.
    LessEqual,
    /// Greater than.
    Greater,
    /// Greater than or equal.
    GreaterEqual,
    /// Logical and.
    And,
    /// Logical or.
    Or,
    /// Any other operator of the language without an effect (concatenation, equivalence of truth values).
    Other,
}

impl Expression {
    /// An expression of this `kind` at `span`.
    pub fn new(kind: ExpressionKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// What stands in the place of an optional argument that a call leaves out, at the end of `span`.
    pub fn absent(span: Span) -> Self {
        Self::new(ExpressionKind::Computed(Vec::new()), Span { start: span.end, ..span })
    }

    /// Is it an argument that the call leaves out?
    pub fn is_absent(&self) -> bool {
        self.span.start == self.span.end && matches!(&self.kind, ExpressionKind::Computed(parts) if parts.is_empty())
    }

    /// The direct operands, subscripts and arguments.
    pub fn children(&self) -> Vec<&Expression> {
        let mut found = Vec::new();
        self.add_children(&mut found);
        found
    }

    fn add_children<'e>(&'e self, found: &mut Vec<&'e Expression>) {
        match &self.kind {
            ExpressionKind::Integer(_)
            | ExpressionKind::Logical(_)
            | ExpressionKind::Literal
            | ExpressionKind::Symbol(_)
            | ExpressionKind::Opaque(_) => {}
            ExpressionKind::Element { subscripts, .. } => found.extend(subscripts),
            ExpressionKind::Section { subscripts, .. } => found.extend(subscripts.iter().flat_map(Subscript::children)),
            ExpressionKind::Part { selectors, .. } => found.extend(selectors),
            ExpressionKind::Unary { operand, .. } => found.push(operand),
            ExpressionKind::Binary { left, right, .. } => found.extend([&**left, &**right]),
            ExpressionKind::Call { arguments, .. } => found.extend(arguments),
            ExpressionKind::ArrayConstructor(operands) | ExpressionKind::Computed(operands) => found.extend(operands),
        }
    }

    /// This expression and everything below it, parents first.
    pub fn walk(&self) -> Vec<&Expression> {
        let mut found = vec![self];
        let mut next = 0;
        while next < found.len() {
            found[next].add_children(&mut found);
            next += 1;
        }
        found
    }

    /// Does `property` hold for this expression or for any below it?
    pub fn any(&self, property: &dyn Fn(&Expression) -> bool) -> bool {
        if property(self) {
            return true;
        }
        let mut pending = Vec::new();
        self.add_children(&mut pending);
        while let Some(part) = pending.pop() {
            if property(part) {
                return true;
            }
            part.add_children(&mut pending);
        }
        false
    }

    /// The variable that this expression designates as a whole or in part, if it designates memory.
    pub fn designated(&self) -> Option<SymbolId> {
        match &self.kind {
            ExpressionKind::Symbol(symbol) => Some(*symbol),
            ExpressionKind::Element { array, .. } | ExpressionKind::Section { array, .. } => Some(*array),
            ExpressionKind::Part { base, .. } => Some(*base),
            _ => None,
        }
    }
}

impl Subscript {
    /// The expressions of the subscript.
    pub fn children(&self) -> Vec<&Expression> {
        match self {
            Subscript::Index(index) | Subscript::Vector(index) => vec![index],
            Subscript::Range { lower, upper, stride } => [lower, upper, stride].into_iter().flatten().collect(),
        }
    }
}
