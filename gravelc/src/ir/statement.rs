//! Statements, as a tree of blocks over an arena.

use serde::{Deserialize, Serialize};

use super::{ArrayDimension, Communication, Expression, ExpressionKind, Span, SymbolId, Unread};

/// Index of a [`Statement`] in the arena of its procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct StatementId(pub usize);

/// Statements that follow one another.
pub type Block = Vec<StatementId>;

/// Where a statement stands in the text: decides whether others can be put before it and behind it (see
/// [`super::Procedure::has_room_around`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// On lines of its own.
    OwnLines,
    /// Its first or last line is also that of another statement.
    SharedLine,
    /// All that a branch or a loop governs, without braces around: what is put around it needs some.
    Governed,
    /// Inside of a statement of the text, of which the program has several: nothing can come between those.
    Inside,
    /// It is a call in an expression, which begins at this byte and ends where the statement's text does: one expression can take
    /// its place, and nothing can be put around it.
    Expression(usize),
    /// A macro makes it, or it stands in a file that is included: the file has no place for others there.
    Elsewhere,
}

/// One statement; compound statements hold blocks.
#[derive(Debug, Clone)]
pub struct Statement {
    /// Its text, from its first byte (a label excluded) to its last, without the line's end.
    pub span: Span,
    /// What it is.
    pub kind: StatementKind,
    /// The compound statement that holds it; `None` in the procedure's own body.
    pub parent: Option<StatementId>,
    /// Control may come here by a jump (a label that some GOTO could name).
    pub jump_target: bool,
    /// Some name means something else behind it than in front of it, or may (C: a declaration among the statements that hides a
    /// variable, or names constants or types; a macro that is defined again): what moves keeps its side.
    pub changes_names: bool,
    /// It has a statement label, which must stay with what replaces it.
    pub labelled: bool,
    /// Where it stands among others.
    pub room: Room,
    /// Where the first of the hints to a compiler begins that stand above it and belong to it: nothing may come in between.
    pub hint: Option<usize>,
}

/// A counted loop.
#[derive(Debug, Clone)]
pub struct Loop {
    /// The loop variable.
    pub variable: SymbolId,
    /// First value.
    pub lower: Expression,
    /// Last value.
    pub upper: Expression,
    /// What the text of the last value says.
    pub bound: LoopBound,
    /// Its variable and its bounds are of the type that plain numbers have, as far as names do not show that.
    pub counts_plainly: bool,
    /// Step; `None` means 1.
    pub step: Option<Expression>,
    /// What is repeated.
    pub body: Block,
    /// Iterations may run in any order or at once (DO CONCURRENT).
    pub concurrent: bool,
    /// What the user asserts about its iterations.
    pub asserted: AssertedIndependence,
}

/// What stands in the text for the last value of a loop, at the place of the expression for that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopBound {
    /// The last value.
    Last,
    /// The value behind it, which the variable stays below.
    BehindLast,
}

/// How far the user asserts that the iterations of a loop give the same in any order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AssertedIndependence {
    /// Nothing is asserted.
    #[default]
    Nothing,
    /// As far as these variables are concerned.
    By(Vec<SymbolId>),
    /// Altogether.
    Whole,
}

impl AssertedIndependence {
    /// Is it asserted that what iterations do with this variable gives the same in any order?
    pub fn covers(&self, variable: SymbolId) -> bool {
        match self {
            Self::Nothing => false,
            Self::By(variables) => variables.contains(&variable),
            Self::Whole => true,
        }
    }
}

/// A branch with its condition.
#[derive(Debug, Clone)]
pub struct Arm {
    /// When it is taken.
    pub condition: Expression,
    /// What it does.
    pub body: Block,
}

/// An allocatable array comes to life.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    /// The array.
    pub array: SymbolId,
    /// Its bounds, evaluated by the statement; `None` if they are another array's, or those of an earlier call.
    pub dimensions: Option<Vec<ArrayDimension>>,
}

/// A block in which some names mean something of their own.
#[derive(Debug, Clone)]
pub struct Scope {
    /// These names, in the spelling that the language compares.
    pub names: Vec<String>,
    /// What is evaluated when it begins, apart from what its first statements say.
    pub evaluated: Vec<Expression>,
    /// Its statements. They run once, unless one of them is an EXIT from this statement.
    pub body: Block,
}

/// The forms of statements.
#[derive(Debug, Clone)]
pub enum StatementKind {
    /// An assignment, of a scalar or of arrays as a whole. The value is evaluated before the target is written.
    Assign {
        /// What is written.
        target: Expression,
        /// What is stored.
        value: Expression,
        /// The assignment may move the target's memory (a whole allocatable on the left).
        may_reallocate: bool,
    },
    /// A counted loop.
    Loop(Loop),
    /// A loop without a count that is followed; without a condition it ends only by a jump out of it.
    While {
        /// Scalars that its head changes before each iteration (a variable that is no integer, several indices).
        changes: Vec<SymbolId>,
        /// Goes on while this holds.
        condition: Option<Expression>,
        /// What is repeated.
        body: Block,
    },
    /// Branches, tried in order.
    If {
        /// The conditions with their blocks.
        arms: Vec<Arm>,
        /// When no condition holds.
        otherwise: Option<Block>,
        /// Written on one line, without an end (`if (c) statement`).
        one_line: bool,
    },
    /// One of several blocks, by the value of an expression.
    Select {
        /// The expressions that are evaluated.
        selectors: Vec<Expression>,
        /// The blocks; at most one runs.
        cases: Vec<Block>,
    },
    /// A block with names of its own (Fortran ASSOCIATE, BLOCK; in C every block).
    Scope(Scope),
    /// A call of a procedure that is not MPI's.
    Call {
        /// Who is called.
        callee: super::Callee,
        /// The actual arguments in order.
        arguments: Vec<Expression>,
    },
    /// A call of MPI.
    Communication(Box<Communication>),
    /// Input or output.
    InputOutput {
        /// What is evaluated.
        reads: Vec<Expression>,
        /// What is stored.
        writes: Vec<Expression>,
        /// It may jump to a label, or end the program, when it fails.
        may_leave: bool,
    },
    /// Memory of these variables comes to life or ends.
    Lifetime {
        /// The variables.
        variables: Vec<Expression>,
        /// Expressions that are evaluated (extents, …).
        reads: Vec<Expression>,
        /// The first of them is what a pointer points to from now on.
        associates: bool,
        /// Those of the variables that are allocatable arrays and come to life.
        allocations: Vec<Allocation>,
    },
    /// Leaves the loop, or the block with names of its own, `target` (`None`: not known which).
    Exit(Option<StatementId>),
    /// Next iteration of the loop `target` (`None`: not known which).
    Cycle(Option<StatementId>),
    /// A jump to a label.
    Jump,
    /// Returns from the procedure.
    Return,
    /// Ends the program.
    Stop,
    /// Does nothing.
    Nothing,
    /// Not understood: may read and write everything, call whom its text may name, and go anywhere.
    Opaque(Box<Unread>),
}

impl StatementKind {
    /// The blocks that the statement holds, in order.
    pub fn blocks(&self) -> Vec<&Block> {
        let mut blocks = Vec::new();
        self.for_each_block(|block| blocks.push(block));
        blocks
    }

    /// Hands over the blocks that the statement holds, in order.
    pub fn for_each_block<'s>(&'s self, mut visit: impl FnMut(&'s Block)) {
        match self {
            StatementKind::Loop(Loop { body, .. })
            | StatementKind::While { body, .. }
            | StatementKind::Scope(Scope { body, .. }) => visit(body),
            StatementKind::If { arms, otherwise, .. } => {
                arms.iter().map(|arm| &arm.body).chain(otherwise).for_each(visit);
            }
            StatementKind::Select { cases, .. } => cases.iter().for_each(visit),
            _ => {}
        }
    }

    /// Is the statement itself, or a part of its own expressions, not understood?
    pub fn is_opaque(&self) -> bool {
        let is_opaque = |part: &Expression| matches!(part.kind, ExpressionKind::Opaque(_));
        matches!(self, StatementKind::Opaque(_))
            || self.expressions().into_iter().any(|expression| expression.any(&is_opaque))
    }

    /// What of the statement itself is not understood: all of it, or parts of its own expressions.
    pub fn unread(&self) -> impl Iterator<Item = &Unread> {
        let own = match self {
            StatementKind::Opaque(unread) => Some(&**unread),
            _ => None,
        };
        let parts = self.expressions().into_iter().flat_map(Expression::walk).filter_map(|part| match &part.kind {
            ExpressionKind::Opaque(unread) => Some(&**unread),
            _ => None,
        });
        own.into_iter().chain(parts)
    }

    /// The expressions of the statement itself, not those of statements that it holds.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            StatementKind::Assign { target, value, .. } => vec![target, value],
            StatementKind::Loop(counted) => {
                [&counted.lower, &counted.upper].into_iter().chain(counted.step.as_ref()).collect()
            }
            StatementKind::While { condition, .. } => condition.iter().collect(),
            StatementKind::If { arms, .. } => arms.iter().map(|arm| &arm.condition).collect(),
            StatementKind::Select { selectors, .. } => selectors.iter().collect(),
            StatementKind::Scope(scope) => scope.evaluated.iter().collect(),
            StatementKind::Call { arguments, .. } => arguments.iter().collect(),
            StatementKind::Communication(communication) => communication.expressions(),
            StatementKind::InputOutput { reads, writes, .. } => reads.iter().chain(writes).collect(),
            StatementKind::Lifetime { variables, reads, .. } => variables.iter().chain(reads).collect(),
            StatementKind::Exit(_)
            | StatementKind::Cycle(_)
            | StatementKind::Jump
            | StatementKind::Return
            | StatementKind::Stop
            | StatementKind::Nothing
            | StatementKind::Opaque(_) => Vec::new(),
        }
    }
}
