//! Statements.

use super::{ExpressionId, HoleCause, Span, SymbolId};
use crate::frontend::c::tokens::Name;

super::numbers! {
    /// The number of a statement.
    StatementId,
    /// The number of a label.
    LabelId,
}

/// A label of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: Name,
    /// Is there a statement that it names?
    pub is_defined: bool,
    /// Is its address taken (`&&label`)?
    pub is_taken: bool,
}

/// What a `for` begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForStart {
    /// Nothing.
    Nothing,
    /// An expression.
    Expression(ExpressionId),
    /// A declaration: a statement of kind [`StatementKind::Declaration`].
    Declaration(StatementId),
}

/// What a statement is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// `{ … }`
    Block(Vec<StatementId>),
    /// A declaration: what it declares, in order. Initialisers and the lengths of variable-length arrays are evaluated here.
    Declaration {
        /// The symbols, typedefs among them.
        symbols: Vec<SymbolId>,
        /// The lengths of variable-length arrays in its types, in order.
        bounds: Vec<ExpressionId>,
        /// It hides a name, or names a constant, a type or a tag: the same text means something else behind it than in front of it.
        changes_names: bool,
    },
    /// `e;`
    Expression(ExpressionId),
    /// `;`
    Empty,
    /// `if`
    If {
        /// Its condition.
        condition: ExpressionId,
        /// If it is not zero.
        then: StatementId,
        /// If it is.
        otherwise: Option<StatementId>,
    },
    /// `while`
    While {
        /// Tested before each iteration.
        condition: ExpressionId,
        /// What is repeated.
        body: StatementId,
    },
    /// `do … while`
    DoWhile {
        /// What is repeated.
        body: StatementId,
        /// Tested behind each iteration.
        condition: ExpressionId,
    },
    /// `for`
    For {
        /// What it begins with.
        start: ForStart,
        /// Tested before each iteration.
        condition: Option<ExpressionId>,
        /// Evaluated behind each iteration.
        update: Option<ExpressionId>,
        /// What is repeated.
        body: StatementId,
    },
    /// `switch`
    Switch {
        /// Its value, promoted.
        value: ExpressionId,
        /// Its body.
        body: StatementId,
    },
    /// `case low ... high:`
    Case {
        /// The constant, in the type of the switch's value; none where it could not be computed.
        low: Option<i128>,
        /// The end of a range; the constant itself without one.
        high: Option<i128>,
        /// What stands behind it.
        body: StatementId,
    },
    /// `default:`
    Default(StatementId),
    /// `label:`
    Labelled(LabelId, StatementId),
    /// `goto label;`
    Goto(LabelId),
    /// `goto *e;`
    ComputedGoto(ExpressionId),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`, converted to the function's result.
    Return(Option<ExpressionId>),
    /// `asm`: may do anything.
    Assembler,
    /// A function that is defined here: its number in the unit's functions.
    NestedFunction(usize),
    /// What could not be read: may do anything.
    Hole(HoleCause),
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Its bytes.
    pub range: Span,
}

impl StatementKind {
    /// The expressions that stand in it, but for those of initialisers and of statements inside.
    pub fn expressions(&self) -> Vec<ExpressionId> {
        match self {
            Self::Declaration { bounds, .. } => bounds.clone(),
            Self::Expression(id)
            | Self::If { condition: id, .. }
            | Self::While { condition: id, .. }
            | Self::DoWhile { condition: id, .. }
            | Self::Switch { value: id, .. }
            | Self::ComputedGoto(id) => vec![*id],
            Self::For { start, condition, update, .. } => {
                let first = match start {
                    ForStart::Expression(id) => Some(*id),
                    ForStart::Nothing | ForStart::Declaration(_) => None,
                };
                first.into_iter().chain(*condition).chain(*update).collect()
            }
            Self::Return(id) => id.iter().copied().collect(),
            _ => Vec::new(),
        }
    }

    /// The statements directly inside.
    pub fn statements(&self) -> Vec<StatementId> {
        match self {
            Self::Block(items) => items.clone(),
            Self::If { then, otherwise, .. } => [*then].into_iter().chain(*otherwise).collect(),
            Self::While { body, .. }
            | Self::DoWhile { body, .. }
            | Self::Switch { body, .. }
            | Self::Case { body, .. }
            | Self::Default(body)
            | Self::Labelled(_, body) => vec![*body],
            Self::For { start: ForStart::Declaration(start), body, .. } => vec![*start, *body],
            Self::For { body, .. } => vec![*body],
            _ => Vec::new(),
        }
    }
}
