//! Clauses of the safety contract (docs/src/contract.md) that a test build can switch off, one at a time.
//!
//! A check that no test misses might as well not be there. With the feature `mutations`, `GRAVEL_MUTATION=NAME` leaves
//! out the checks of one clause, and some test must then fail; `cargo suite --only mutations` sees to that. Without the
//! feature [`Clause::is_off`] is the constant `false`.

macro_rules! clauses {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A clause that can be switched off.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Clause {
            $($(#[$doc])* $variant,)*
        }

        impl Clause {
            /// All of them.
            pub const ALL: &'static [Clause] = &[$(Clause::$variant,)*];

            /// Its name in `GRAVEL_MUTATION`.
            pub fn name(self) -> &'static str {
                match self { $(Clause::$variant => $name,)* }
            }
        }
    };
}

clauses! {
    /// Messages that could compete keep their order.
    MessageOrder = "message-order",
    /// Nothing touches the buffer between post and wait.
    BufferUntouched = "buffer-untouched",
    /// The arguments of a call have the same values where it goes.
    ArgumentsUnchanged = "arguments-unchanged",
    /// Of what may touch its buffer a wait passes only that operations end which are pending beside its own.
    PendingTogether = "pending-together",
    /// What an early value is computed of is the same where the program computes it.
    EarlyValues = "early-values",
    /// Messages are compared by the values that their ranks and tags have where they stand.
    EarlyMessages = "early-messages",
    /// What a call sets is not used where it passes.
    OutputsUnused = "outputs-unused",
    /// Control neither leaves nor comes in on the way.
    ControlStays = "control-stays",
    /// A wait does not pass the post of a receive that needs the same memory.
    ArrivalOrder = "arrival-order",
    /// Every call of a procedure whose receive its callers post has its own post.
    CallersTogether = "callers-together",
    /// Every call of a procedure whose operation its callers wait for has its own wait.
    CallersWait = "callers-wait",
    /// Of several calls of such a procedure that are waited for later, each has a request of its own.
    OneRequestPerCall = "one-request-per-call",
    /// A procedure that waits for what its caller has begun sees the message by no other name before, and none of its arguments is
    /// computed from it.
    MessageInCallee = "message-in-callee",
    /// What the arguments of a call, or the condition around it, are computed from is not what a receive posted before it fills.
    ArgumentsBeforeCall = "arguments-before-call",
    /// Nothing that happens where a procedure begins and ends, besides its statements, touches what its callers post or wait for.
    BeginningsAndEnds = "beginnings-and-ends",
    /// What two pointers may both lead to is not taken for two objects.
    PointedObjects = "pointed-objects",
    /// Names of a procedure that its calls may make one place count as one.
    ArgumentAliases = "argument-aliases",
    /// A segment is final when it is put: nothing is written outside of an iteration's run.
    SegmentsFinal = "segments-final",
    /// Segments partition the message.
    SegmentsCover = "segments-cover",
    /// An iteration's run comes behind the one before.
    SegmentsAscend = "segments-ascend",
    /// No loop that is cut carries a floating-point value.
    SameValues = "same-values",
    /// Nothing that others can see lies between the first put and the send.
    EffectsBeforePuts = "effects-before-puts",
    /// Nothing that others can see lies in a loop that is cut.
    EffectsInLoop = "effects-in-loop",
    /// A loop that is cut is not left early.
    ControlInLoop = "control-in-loop",
    /// The iterations of a loop that is cut or split keep inside of the members of COMMON blocks that they name.
    MembersInLoop = "members-in-loop",
    /// The wait of a receive passes nothing that others can see.
    EffectsBehindWait = "effects-behind-wait",
    /// A send goes above nothing that others can see.
    EffectsBehindSend = "effects-behind-send",
    /// A send does not go above a wait that was moved down.
    WaitsBeforeSend = "waits-before-send",
    /// A wait passes messages of others only where nobody notices in which order a process receives and sends.
    EffectOrder = "effect-order",
    /// A dummy procedure or a procedure pointer may be any of the procedures that are handed over.
    HandedOverProcedures = "handed-over-procedures",
    /// A procedure that MPI calls back may do more than use its arguments.
    CalledBack = "called-back",
    /// A procedure may run that is named otherwise than by calls.
    NamesOfProcedures = "names-of-procedures",
    /// A test, or a wait for any of several requests, may complete any of them, and so touches them and their buffers.
    CompletionsOfAny = "completions-of-any",
    /// An element that MPI is handed stands for what follows it, too.
    ArgumentsFromElementOn = "arguments-from-element-on",
    /// Tags that are not known may be equal.
    UnknownTags = "unknown-tags",
    /// Exchanges of every process with every other may meet wherever they stand.
    ExchangesMeet = "exchanges-meet",
    /// Blocks that differ may lie before the beginning of their buffer.
    BlocksBehindBeginning = "blocks-behind-beginning",
    /// A call reads the lengths of all blocks, and all their places, from the element on that it names.
    BlockListsAsAWhole = "block-lists-as-a-whole",
    /// Messages that a receive from any source, or with any tag, could take are announced, and matched as MPI does.
    Wildcards = "wildcards",
    /// Buffered sends convert only where the runtime is told of every buffer that is attached.
    BufferedSends = "buffered-sends",
    /// A synchronous send that may be cancelled does not convert.
    CancelledSends = "cancelled-sends",
    /// The receives of synchronous sends are not posted before what others could see that stands above them.
    SynchronousReceives = "synchronous-receives",
    /// Synchronous sends are waited for before what others can see that stands below them.
    SynchronousEnds = "synchronous-ends",
    /// No wait that tells of another process passes the post of such a receive that was moved up.
    SynchronousArrivals = "synchronous-arrivals",
    /// A wait moves only where its request is followed, and no operation converts whose request may come to a call that can't.
    RequestsFollowed = "requests-followed",
    /// Operations share a request variable one after the other only where nothing else asks what it holds.
    SeparateRequests = "separate-requests",
    /// A request that outlives a run of its procedure may be of an operation with another run's buffer.
    SavedRequests = "saved-requests",
    /// Requests that are components of objects are followed only where nothing uses the objects otherwise than by them.
    RequestsInObjects = "requests-in-objects",
    /// Buffers that the program itself touches while they are pending stay with MPI.
    NotTouchedWhilePending = "not-touched-while-pending",
    /// What replaces a message in its buffer is received only when that has been copied.
    CopiedBeforeReceived = "copied-before-received",
    /// A receive stays behind a send whose request was released, if it may need the same memory.
    ReleasedSends = "released-sends",
    /// A wait that may be for a persistent operation or for another one stays.
    PersistentRequests = "persistent-requests",
    /// The communicator of a persistent operation lives until its last start.
    FreedCommunicators = "freed-communicators",
    /// A message is taken to end with the section that is its buffer only where its length does not say otherwise.
    MessagesWithinSections = "messages-within-sections",
    /// What a message names lies in its array only if somebody sends or receives it.
    MessagesOfNobody = "messages-of-nobody",
    /// The two buffers of a call that sends and receives are not proven to overlap.
    BuffersApart = "buffers-apart",
    /// Procedures that are not given may communicate.
    UnknownProcedures = "unknown-procedures",
    /// Source that was not understood may communicate where its text may call what communicates.
    UnreadCalls = "unread-calls",
    /// Errors may be returned, or handled, where the program sets a handler for that.
    ErrorHandlers = "error-handlers",
    /// A check of an error code does nothing only where nothing else was stored in the variable since the call.
    ErrorCodesUntouched = "error-codes-untouched",
    /// All calls of a procedure that only calls MPI count for themselves, or none does.
    WrappersTogether = "wrappers-together",
    /// Components may hold anything where objects are written otherwise than by the names of their components.
    ObjectsAsAWhole = "objects-as-a-whole",
    /// What touches an object touches its components.
    ComponentsInObjects = "components-in-objects",
    /// The elements of an array that is handed over as a component are neighbours, unless a pointer may have been given others.
    ContiguousComponents = "contiguous-components",
    /// What the place of a message, or the bounds of an array, are made of keeps its value for as long as that is asked.
    SettledValues = "settled-values",
    /// All that gives an array its shape gives it the same.
    SameShapes = "same-shapes",
    /// Where the elements of a datatype lie goes by values that stay what they were when it was made.
    LayoutsOfDatatypes = "layouts-of-datatypes",
    /// No element of a datatype lies before the buffer.
    ForwardDatatypes = "forward-datatypes",
    /// No element of a datatype lies in another variable than the buffer.
    DatatypesWithinVariables = "datatypes-within-variables",
    /// An object of a class may be of any type that extends it.
    Overrides = "overrides",
    /// A wait leaves a branch only where its request may be null, and nobody looks at its status.
    NullRequests = "null-requests",
    /// What iterations accumulate in another order is the same in any order.
    AnyOrder = "any-order",
    /// What compilers may round in two ways is not computed in parts.
    ElementaryFunctions = "elementary-functions",
    /// A call that a procedure may leave out is one of a message to nobody only where nobody sees the difference.
    LeftOutCalls = "left-out-calls",
    /// A name that the emitter writes means inside of a block with names of its own what it means to gravelc.
    NamesKeepMeaning = "names-keep-meaning",
    /// Nobody looks at what a copy that is dropped leaves behind: its buffer, its loop variables.
    CopiesUnread = "copies-unread",
    /// What a dropped copy would have copied is in its place until the message has left.
    CopiesCurrent = "copies-current",
    /// A dropped copy fills exactly the message.
    CopiesCover = "copies-cover",
    /// A dropped copy converts nothing.
    CopiesConvertNothing = "copies-convert-nothing",
}

impl Clause {
    /// Is it switched off? Never, except in a test build.
    pub fn is_off(self) -> bool {
        cfg!(feature = "mutations") && switched_off() == Some(self)
    }
}

fn switched_off() -> Option<Clause> {
    static OFF: std::sync::OnceLock<Option<Clause>> = std::sync::OnceLock::new();
    *OFF.get_or_init(|| {
        let name = std::env::var("GRAVEL_MUTATION").ok()?;
        Clause::ALL.iter().copied().find(|clause| clause.name() == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_switched_off_by_itself() {
        assert!(Clause::ALL.iter().all(|clause| !clause.is_off()));
    }
}
