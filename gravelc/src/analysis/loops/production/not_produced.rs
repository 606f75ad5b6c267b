//! The reasons why a loop does not produce a message.

use thiserror::Error;

use crate::ir::Span;

/// Why a loop does not produce a message run by run, or why that can't be told.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotProduced {
    /// The statement is no counted loop.
    #[error("it is not a counted loop")]
    NotALoop {
        /// The statement.
        span: Span,
    },
    /// The iterations may run in any order.
    #[error("the loop's iterations may run in any order or at once")]
    Concurrent {
        /// The loop.
        span: Span,
    },
    /// The loop's step is not 1.
    #[error("the loop's step is not 1")]
    NotUnitStep {
        /// The step.
        span: Span,
    },
    /// The loop's bounds are not simple integer expressions.
    #[error("the loop's bounds are not simple integer expressions")]
    BoundsNotUnderstood {
        /// The bound.
        span: Span,
    },
    /// The body may change a variable of the loop's bounds.
    #[error("the loop may change `{name}`, which its bounds depend on")]
    BoundsChange {
        /// Where it changes.
        span: Span,
        /// The variable.
        name: String,
    },
    /// The bounds depend on the loop's own variable.
    #[error("the loop's bounds depend on its own variable `{name}`")]
    LoopVariableInBounds {
        /// The bound.
        span: Span,
        /// The variable.
        name: String,
    },
    /// The body may change the loop's variable.
    #[error("the loop may change its own variable `{name}`")]
    LoopVariableChanges {
        /// Where it changes.
        span: Span,
        /// The variable.
        name: String,
    },
    /// The body calls a procedure that may do anything.
    #[error("the loop calls {callee}, which may read and write anything")]
    CallInside {
        /// The call.
        span: Span,
        /// Who is called.
        callee: String,
    },
    /// The body has an effect outside the program.
    #[error("the loop contains {what}")]
    ExternalEffect {
        /// Where.
        span: Span,
        /// What it is.
        what: String,
    },
    /// Control may leave the loop before its end.
    #[error("control may leave the loop: {why}")]
    LeavesLoop {
        /// Where.
        span: Span,
        /// How.
        why: String,
    },
    /// The loop touches what lies beside a member of a COMMON block.
    #[error("the loop runs beyond `{name}` into what lies beside it in the COMMON block")]
    RunsBeyond {
        /// An access.
        span: Span,
        /// The member.
        name: String,
    },
    /// The elements of the message are not known.
    #[error("which elements of `{name}` the message consists of is not known")]
    MessageNotKnown {
        /// The loop.
        span: Span,
        /// The buffer.
        name: String,
    },
    /// The loop changes a variable that decides what the message is.
    #[error("the loop may change `{name}`, which the message's place or size depends on")]
    MessageChanges {
        /// Where it changes.
        span: Span,
        /// The variable.
        name: String,
    },
    /// The type of the elements is not known.
    #[error("the type of the elements of `{name}` is not known")]
    ElementTypeUnknown {
        /// The loop.
        span: Span,
        /// The buffer.
        name: String,
    },
    /// The loop writes nothing of the message.
    #[error("the loop does not write `{name}`")]
    NothingWritten {
        /// The loop.
        span: Span,
        /// The buffer.
        name: String,
    },
    /// The message's memory is written under another name.
    #[error("`{name}` may share memory with the message, and the loop writes it")]
    AliasedWrite {
        /// The store.
        span: Span,
        /// The variable.
        name: String,
    },
    /// An element is not written in every iteration that should write it.
    #[error("`{name}` is not written in every iteration")]
    ConditionalWrite {
        /// The store.
        span: Span,
        /// The buffer.
        name: String,
    },
    /// What one iteration writes is not one run of neighbouring elements.
    #[error("what one iteration writes of `{name}` is not known to be one run of neighbouring elements")]
    NotContiguous {
        /// A store.
        span: Span,
        /// The buffer.
        name: String,
    },
    /// The runs of consecutive iterations do not follow one another.
    #[error("consecutive iterations do not write consecutive elements of `{name}`")]
    NotAscending {
        /// A store.
        span: Span,
        /// The buffer.
        name: String,
    },
    /// Every iteration writes the same elements.
    #[error("elements of `{name}` are written in more than one iteration")]
    WrittenTwice {
        /// A store.
        span: Span,
        /// The buffer.
        name: String,
    },
    /// An iteration also writes elements that belong to other iterations, or none.
    #[error("an iteration also writes elements of `{name}` outside the run that it completes")]
    WritesOutsideRun {
        /// The store.
        span: Span,
        /// The buffer.
        name: String,
    },
    /// The length of the runs, or their place, changes from iteration to iteration in a way that can't be followed.
    #[error("what an iteration writes of `{name}` depends on `{variable}`, which the loop changes")]
    RunChanges {
        /// A store.
        span: Span,
        /// The buffer.
        name: String,
        /// The variable.
        variable: String,
    },
    /// The runs are not the message.
    #[error("the elements of `{name}` that the loop writes are not known to be exactly those of the message")]
    DoesNotCoverMessage {
        /// A store.
        span: Span,
        /// The buffer.
        name: String,
    },
    /// A floating-point value is carried from one iteration to another: cut differently, the loop could round differently.
    #[error("the loop carries a floating-point value in `{name}` from one iteration to another")]
    CarriesFloatingPoint {
        /// The access.
        span: Span,
        /// The variable.
        name: String,
    },
}

impl NotProduced {
    /// What to blame.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::NotALoop { span }
            | Self::Concurrent { span }
            | Self::NotUnitStep { span }
            | Self::BoundsNotUnderstood { span }
            | Self::BoundsChange { span, .. }
            | Self::LoopVariableInBounds { span, .. }
            | Self::LoopVariableChanges { span, .. }
            | Self::CallInside { span, .. }
            | Self::ExternalEffect { span, .. }
            | Self::LeavesLoop { span, .. }
            | Self::MessageNotKnown { span, .. }
            | Self::MessageChanges { span, .. }
            | Self::ElementTypeUnknown { span, .. }
            | Self::NothingWritten { span, .. }
            | Self::AliasedWrite { span, .. }
            | Self::ConditionalWrite { span, .. }
            | Self::NotContiguous { span, .. }
            | Self::NotAscending { span, .. }
            | Self::WrittenTwice { span, .. }
            | Self::WritesOutsideRun { span, .. }
            | Self::RunChanges { span, .. }
            | Self::DoesNotCoverMessage { span, .. }
            | Self::CarriesFloatingPoint { span, .. }
            | Self::RunsBeyond { span, .. } => Some(*span),
        }
    }
}
