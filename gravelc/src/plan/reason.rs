//! Why a site, or a class, is left alone.

use serde::{Deserialize, Serialize};

use crate::ir::Span;

/// A reason with its message and, where there is one, the place to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The code that `gravelc explain` knows.
    pub code: ReasonCode,
    /// One sentence that names what stands in the way.
    pub message: String,
    /// The text that stands in the way.
    pub span: Option<Span>,
}

impl Reason {
    /// A reason with the place to look at.
    pub fn at(code: ReasonCode, span: Span, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), span: Some(span) }
    }

    /// A reason that has no single place.
    pub fn everywhere(code: ReasonCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), span: None }
    }
}

macro_rules! reason_codes {
    ($($(#[$doc:meta])* $variant:ident = $code:literal,)*) => {
        /// The reasons, each with a page that `gravelc explain` prints.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum ReasonCode {
            $($(#[$doc])* #[serde(rename = $code)] $variant,)*
        }

        impl ReasonCode {
            /// All codes.
            pub const ALL: &'static [ReasonCode] = &[$(ReasonCode::$variant,)*];

            /// The code in reports and on the command line.
            pub fn code(self) -> &'static str {
                match self { $(ReasonCode::$variant => $code,)* }
            }

            /// What the code means, with an example and what the user can do, as Markdown.
            pub fn explanation(self) -> &'static str {
                match self { $(ReasonCode::$variant => include_str!(concat!("reasons/", $code, ".md")),)* }
            }
        }
    };
}

reason_codes! {
    /// Another member of the match class stays with MPI.
    ClassMemberKept = "class-member-kept",
    /// A receive of the match class takes messages from any source, or with any tag.
    Wildcard = "wildcard",
    /// A call of MPI in the class that is not converted (a combined send and receive, the cancellation of a send, …).
    UnsupportedOperation = "unsupported-operation",
    /// An exchange of every process with every other whose buffers are the same.
    ExchangeInPlace = "exchange-in-place",
    /// The call sends from the buffer that it receives into, so neither moves up.
    SentInPlace = "sent-in-place",
    /// A buffered send of whose buffer the runtime can't be told.
    SendMode = "send-mode",
    /// The communicator is not known to be the one the runtime is attached to.
    UnknownCommunicator = "unknown-communicator",
    /// What the elements of the datatype are, or where they could lie, is not known, or parts of its messages can't be told.
    UnsupportedDatatype = "unsupported-datatype",
    /// The buffer is not plain, contiguous memory of one variable.
    UnsupportedBuffer = "unsupported-buffer",
    /// A procedure that was not given may communicate.
    UnknownProcedure = "unknown-procedure",
    /// Source text that could not be read may do anything.
    UnreadSource = "unread-source",
    /// `MPI_Init` or `MPI_Finalize` is not in the given files.
    NoInitialize = "no-initialize",
    /// The program goes on after errors, and something depends on where a call fails.
    ErrorHandler = "error-handler",
    /// Threads may touch the buffer.
    Threads = "threads",
    /// The procedure's declarations could not be read completely.
    UnreadDeclarations = "unread-declarations",
    /// No send, or no receive, in the given files could match.
    NoPartner = "no-partner",
    /// The call is one of the crate `mpi` of Rust: a function does not show who is at the other side of its message.
    OtherSideUnknown = "other-side-unknown",
    /// The call stands in a procedure that does nothing else, whose calls are decided about instead.
    CountedAtCallers = "counted-at-callers",
    /// Nothing calls the procedure, so it never runs.
    NeverCalled = "never-called",
    /// Constants decide against the branch, so it never runs.
    DeadBranch = "dead-branch",
    /// The request is used in a way that can't be followed.
    RequestEscapes = "request-escapes",
    /// One wait could complete operations with different buffers.
    RequestShared = "request-shared",
    /// The call shares its line with another statement.
    SharedLine = "shared-line",
    /// The call may mean one of several procedures.
    SeveralProcedures = "several-procedures",
    /// The program has files in a language that gravelc can't write yet.
    LanguageNotWritten = "language-not-written",
    /// A macro makes the call, or it stands in a file that is included.
    SpelledElsewhere = "spelled-elsewhere",
    /// A hint to a compiler stands above the statement and belongs to it.
    CompilerHint = "compiler-hint",
    /// The arguments can't be repeated elsewhere (function calls with effects).
    UnrepeatableArguments = "unrepeatable-arguments",
    /// The program writes the buffer while the operation is pending.
    BufferTouched = "buffer-touched",
    /// Nothing could be overlapped.
    NothingToOverlap = "nothing-to-overlap",
    /// The program calls Gravel already.
    AlreadyTransformed = "already-transformed",
    /// The program uses a name that the emitted code needs.
    NameTaken = "name-taken",
    /// The user asked to leave the transformation out.
    NotRequested = "not-requested",
    /// A directive asks to leave the call or the transformation out.
    SkipDirective = "skip-directive",
    /// An access to the buffer, or a change of an argument, is in the way of the move.
    AccessInBetween = "access-in-between",
    /// Such an access is by another name, for memory that a call of the procedure hands over by both.
    ArgumentsShareMemory = "arguments-share-memory",
    /// A statement with an effect that others can see is in the way of the move.
    EffectInBetween = "effect-in-between",
    /// Control may leave, or enter, on the way.
    ControlInBetween = "control-in-between",
    /// An operation that could match the same message is in the way of the move.
    OrderInBetween = "order-in-between",
    /// Nothing on the way would hide the communication.
    NoWorkInBetween = "no-work-in-between",
    /// The receive stands at the beginning of its procedure, and the procedures that call it can't post it.
    CallersInTheWay = "callers-in-the-way",
    /// The procedure can't become two, a begin and an end.
    ExchangeNotDivisible = "exchange-not-divisible",
    /// A procedure that is called further down uses the message, and can't wait for it.
    CalleeInTheWay = "callee-in-the-way",
    /// The buffer that a loop copies into is used for something else.
    CopyBufferUsed = "copy-buffer-used",
    /// What is copied is not the message, element for element, from one piece of an array.
    CopyNotExact = "copy-not-exact",
    /// The statement that copies has to stay where it is.
    CopyStays = "copy-stays",
    /// The copy lets more communication be hidden than it costs.
    CopyHidesMore = "copy-hides-more",
    /// No loop before the send fills the message.
    NoProducingLoop = "no-producing-loop",
    /// No loop after the wait reads the message.
    NoConsumingLoop = "no-consuming-loop",
    /// The loop does not read the message from its beginning to its end.
    NotConsumedInOrder = "not-consumed-in-order",
    /// Other iterations than the first and the last ones need the message.
    HaloReadInside = "halo-read-inside",
    /// Between the first and the last iterations, or vectors of them, there are none.
    TooFewIterations = "too-few-iterations",
    /// The iterations of the loop depend on one another.
    DependentIterations = "dependent-iterations",
    /// The loop does not complete the message run by run.
    NotProducedInOrder = "not-produced-in-order",
    /// The loop does not fill exactly the message.
    MessageNotCovered = "message-not-covered",
    /// The loop does something besides that must not happen between early puts.
    LoopHasEffects = "loop-has-effects",
    /// The loop carries a floating-point value.
    CarriedFloatingPoint = "carried-floating-point",
    /// The loop computes a function that compilers round in two ways.
    ElementaryFunction = "elementary-function",
}

impl ReasonCode {
    /// The reason with this code.
    pub fn find(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.code() == code)
    }

    /// What the code means, in the first sentence of its page.
    pub fn summary(self) -> String {
        let lines = self.explanation().lines().skip(1).skip_while(|line| line.is_empty());
        let paragraph = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        match paragraph.find(". ") {
            Some(end) => paragraph[..=end].to_owned(),
            None => paragraph,
        }
    }
}
