//! Clauses of the safety contract (docs/src/contract.md) that a test build can switch off, one at a time.
//!
//! A check that no test misses might as well not be there. With the feature `mutations`, `GRAVEL_MUTATION=NAME` leaves
//! out the checks of one clause, and some test must then fail; `cargo suite --only mutations` sees to that. Without the
//! feature [`Clause::is_off`] is the constant `false`.
//!
//! The tables of that page are made of this file and of where `Clause::X` stands: `GRAVEL_WRITE=1 cargo test -p testsuite
//! --test contract` writes them anew.

macro_rules! clauses {
    ($($group:literal: $($(#[doc = $doc:literal])* $variant:ident = $name:literal,)*)*) => {
        /// A clause that can be switched off.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Clause {
            $($($(#[doc = $doc])* $variant,)*)*
        }

        impl Clause {
            /// All of them, in groups.
            pub const GROUPS: &'static [(&'static str, &'static [Clause])] = &[$(($group, &[$(Clause::$variant,)*]),)*];

            /// Its name in `GRAVEL_MUTATION`.
            pub fn name(self) -> &'static str {
                match self { $($(Clause::$variant => $name,)*)* }
            }

            /// Its name in the code.
            pub fn variant(self) -> &'static str {
                match self { $($(Clause::$variant => stringify!($variant),)*)* }
            }

            /// What it says.
            pub fn text(self) -> &'static str {
                match self { $($(Clause::$variant => concat!($($doc),*).trim_ascii(),)*)* }
            }
        }
    };
}

clauses! {
    "Who meets whom, and in which order":
    /// Messages that could compete keep their order. It says which posts a post may pass, and which messages the opening of
    /// a transfer.
    MessageOrder = "message-order",
    /// Messages are compared by the values that their ranks and tags have where the comparison is made, not by those of the
    /// call.
    EarlyMessages = "early-messages",
    /// Tags that are not known may be equal.
    UnknownTags = "unknown-tags",
    /// Exchanges of every process with every other may meet wherever they stand: they convert together and keep their
    /// order.
    ExchangesMeet = "exchanges-meet",
    /// Messages that a receive from any source, or with any tag, could take are announced by their producers, and matched
    /// by the runtime as MPI does. So each key is used in one way.
    Wildcards = "wildcards",
    /// The elements that a message names lie in its array only if somebody sends or receives it: one to nobody may name
    /// what lies beside.
    MessagesOfNobody = "messages-of-nobody",
    /// All calls of a procedure that only calls MPI count for themselves, or none does.
    WrappersTogether = "wrappers-together",
    /// A call that such a procedure may leave out is one of a message to nobody only where nobody sees the difference.
    LeftOutCalls = "left-out-calls",
    /// A wait passes messages of others, and calls that do nothing else, only where nobody notices in which order a process
    /// receives and sends.
    EffectOrder = "effect-order",
    "Calls that move":
    /// Nothing touches the buffer between post and wait.
    BufferUntouched = "buffer-untouched",
    /// The arguments of a post have the same values where it goes. A wait needs none of them; once a value has changed that
    /// says where its message lies, the message counts as all of the buffer.
    ArgumentsUnchanged = "arguments-unchanged",
    /// The operands of a value that is computed early (integers) are the same where the program computes it.
    EarlyValues = "early-values",
    /// The variables that a call sets are not used where it passes.
    OutputsUnused = "outputs-unused",
    /// The arguments of a call, and the condition around it, are not computed from the memory that a receive posted before
    /// it fills.
    ArgumentsBeforeCall = "arguments-before-call",
    /// Control neither leaves nor comes in on the way.
    ControlStays = "control-stays",
    /// A branch that is never taken is left out of the program only where constants decide that, or the code of a call that can't
    /// fail.
    BranchesByConstants = "branches-by-constants",
    /// And only where nothing jumps into it.
    BranchesEntered = "branches-entered",
    /// A wait that moves down does not pass the post of a receive that was moved up and needs the same memory, nor what an
    /// early value is computed of.
    ArrivalOrder = "arrival-order",
    /// A wait passes another one that may touch its buffer only if the other's operations were pending beside its own: then
    /// MPI forbids that they share memory.
    PendingTogether = "pending-together",
    /// The wait of a receive passes no side effect, and does not go into a loop that has one. Nor does it pass the opening
    /// of a message that could be received before it is ended.
    EffectsBehindWait = "effects-behind-wait",
    /// A send that leaves early passes no side effect, posts included: nothing is still to happen that its receiver may
    /// conclude from its coming.
    EffectsBehindSend = "effects-behind-send",
    /// A send does not go above a wait that was moved down.
    WaitsBeforeSend = "waits-before-send",
    /// A name that the emitter writes means there what it means to gravelc. What moves neither leaves nor enters a block
    /// with names of its own; the buffer at a wait, the variables that count tiles and a caller's message are looked up in
    /// such a block.
    NamesKeepMeaning = "names-keep-meaning",
    "Calls that move into other procedures":
    /// Every call of a procedure whose receive its callers post has its own post.
    CallersTogether = "callers-together",
    /// Every call of a procedure whose operation its callers wait for has its own wait.
    CallersWait = "callers-wait",
    /// Of several calls of such a procedure that are waited for later, each has a request of its own.
    OneRequestPerCall = "one-request-per-call",
    /// A procedure that waits for its caller's message touches it by no other name before, and none of its arguments is
    /// computed from it.
    MessageInCallee = "message-in-callee",
    /// Expressions of declarations, which are evaluated when a procedure begins, and finalisers when it ends, are no
    /// statements. Callers neither post before the one nor wait behind the other where these may touch the message.
    BeginningsAndEnds = "beginnings-and-ends",
    "Exchanges that become a begin and an end":
    /// Nothing between the begin of an exchange and its end touches what its rest touches.
    ExchangeMemory = "exchange-memory",
    /// Nor has it an effect that others can see: messages keep their order, and so do outputs.
    ExchangeEffects = "exchange-effects",
    /// What the arguments of an exchange's call mean is the same for its begin and its end, and they are evaluated without an
    /// effect.
    ExchangeArguments = "exchange-arguments",
    /// Both parts run from their beginning to their end.
    ExchangeControl = "exchange-control",
    /// What procedures begin that an exchange calls is under way like its own messages, and all that it waits for is known.
    ExchangePosts = "exchange-posts",
    /// A message that an earlier run has left lies in no memory that only that run was given.
    ExchangeRuns = "exchange-runs",
    /// Procedures that its rest calls touch nothing that is not told, also where the exchange has no name for it.
    ExchangeCalls = "exchange-calls",
    /// What a procedure hands to an exchange that it calls is the same for both of its own parts.
    ExchangeAround = "exchange-around",
    /// What a procedure evaluates in front of its loops is the same for its inside and for its border.
    NestValues = "nest-values",
    /// What is under way between them lies in no copy that is made for the call.
    ExchangeBuffers = "exchange-buffers",
    "Loops that are cut or split":
    /// A segment is final when it is put: nothing is written outside of an iteration's run.
    SegmentsFinal = "segments-final",
    /// Segments partition the message.
    SegmentsCover = "segments-cover",
    /// An iteration's run comes behind the one before.
    SegmentsAscend = "segments-ascend",
    /// No side effect lies between the first put and the send, but for converted posts.
    EffectsBeforePuts = "effects-before-puts",
    /// A loop that is cut has no side effect.
    EffectsInLoop = "effects-in-loop",
    /// A loop that is cut is not left early.
    ControlInLoop = "control-in-loop",
    /// The iterations of a loop that is cut or split keep inside of the members of COMMON blocks that they name.
    MembersInLoop = "members-in-loop",
    /// No loop that is cut carries a floating-point value.
    SameValues = "same-values",
    /// A value that iterations accumulate in another order is the same in any order.
    AnyOrder = "any-order",
    /// Sines, powers and the like, which compilers round in two ways, are not computed in parts.
    ElementaryFunctions = "elementary-functions",
    /// A loop that compilers may vectorise is cut into whole vectors, unless its file's compiler is known to give each element the
    /// same bits in a vector as alone.
    WholeVectors = "whole-vectors",
    "Copies that are dropped":
    /// Nobody looks at what a copy that is dropped leaves behind: its buffer, its loop variables.
    CopiesUnread = "copies-unread",
    /// The values that a dropped copy would have copied are in their place until the message has left.
    CopiesCurrent = "copies-current",
    /// A dropped copy fills exactly the message, in its order.
    CopiesCover = "copies-cover",
    /// A dropped copy converts nothing: both sides are declared by the same words.
    CopiesConvertNothing = "copies-convert-nothing",
    "Requests":
    /// A wait moves only where its request is followed, and no operation converts whose request may come to a call that
    /// can't.
    RequestsFollowed = "requests-followed",
    /// Operations that share a request variable one after the other get variables of their own only where nothing else asks
    /// what it holds.
    SeparateRequests = "separate-requests",
    /// A wait whose request an earlier run of its procedure may have made stays, unless its buffer is the same variable in
    /// every run.
    SavedRequests = "saved-requests",
    /// Requests that are components of objects are followed only where nothing uses the objects otherwise than by the names
    /// of their components, or copies them.
    RequestsInObjects = "requests-in-objects",
    /// A wait leaves a branch only where its request may be null, and nobody looks at its status.
    NullRequests = "null-requests",
    /// A test, or a wait for any of several requests, may complete each of them, and so touches all of them and their
    /// buffers. It certainly completes none: it ends no search for posts, names all buffers and stays.
    CompletionsOfAny = "completions-of-any",
    /// A wait that may be for a persistent operation or for another one stays.
    PersistentRequests = "persistent-requests",
    /// The communicator of a persistent operation lives until its last start.
    FreedCommunicators = "freed-communicators",
    /// Buffers that the program itself touches while they are pending stay with MPI.
    NotTouchedWhilePending = "not-touched-while-pending",
    "Modes of sends":
    /// The receives of synchronous sends are not posted before side effects that stand above them: the end of such a send
    /// tells what its receiver had done.
    SynchronousReceives = "synchronous-receives",
    /// Synchronous sends are waited for before side effects that stand below them.
    SynchronousEnds = "synchronous-ends",
    /// No wait that tells of another process passes the post of such a receive that was moved up.
    SynchronousArrivals = "synchronous-arrivals",
    /// Buffered sends convert only where the runtime is told of every buffer that is attached: they are over at once, and
    /// refused where MPI would refuse them.
    BufferedSends = "buffered-sends",
    /// A synchronous send that may be cancelled does not convert: only MPI can take back its message.
    CancelledSends = "cancelled-sends",
    /// A message that another one replaces in its buffer (`MPI_Sendrecv_replace`) is sent from a copy that the runtime
    /// owns. The receive is posted behind that, and neither leaves its place for one further up.
    CopiedBeforeReceived = "copied-before-received",
    /// A receive stays behind a send whose request was released, if it may need the same memory; and so does a wait that
    /// may tell of that send's end.
    ReleasedSends = "released-sends",
    "Buffers and datatypes":
    /// The two buffers of a call that sends and receives are not proven to overlap; that they are apart MPI demands (MPI
    /// 4.0, 3.10 and 6.8).
    BuffersApart = "buffers-apart",
    /// A message is taken to end with the section that is its buffer, as the language demands, only where its length does
    /// not say otherwise.
    MessagesWithinSections = "messages-within-sections",
    /// An element that MPI is handed stands for what follows it, too.
    ArgumentsFromElementOn = "arguments-from-element-on",
    /// Blocks that differ (`MPI_Alltoallv`) may lie before the beginning of their buffer.
    BlocksBehindBeginning = "blocks-behind-beginning",
    /// A call reads the lengths of all blocks, and all their places, from the element on that it names.
    BlockListsAsAWhole = "block-lists-as-a-whole",
    /// The places of a datatype's elements go by values that stay what they were when it was made. The handle is an
    /// argument: a post passes no call that makes, commits or frees its datatype, by whatever name.
    LayoutsOfDatatypes = "layouts-of-datatypes",
    /// No element of a datatype lies before the buffer.
    ForwardDatatypes = "forward-datatypes",
    /// No element of a datatype lies in another variable than the buffer.
    DatatypesWithinVariables = "datatypes-within-variables",
    /// The array that a pointer or a component leads to is handed over where it lies only if no statement of the program may have
    /// given it one with gaps, of which a copy is passed.
    ContiguousPointers = "contiguous-pointers",
    "Memory and values":
    /// Two names of a procedure are no aliases only where all of its calls say so. Calls that were not given are taken to
    /// obey the language, and the report says so.
    ArgumentAliases = "argument-aliases",
    /// Two names behind pointers are no aliases only where no object of the program could be both; a called procedure
    /// touches by pointers what its caller has names for.
    PointedObjects = "pointed-objects",
    /// A Cray pointer may lead to every variable whose address the program could hold as a number, whoever took it, and leads
    /// elsewhere when its integer changes.
    HeldAddresses = "held-addresses",
    /// An access to an object touches its components.
    ComponentsInObjects = "components-in-objects",
    /// Components may hold anything where objects are written otherwise than by the names of their components: as a whole,
    /// or as something else.
    ObjectsAsAWhole = "objects-as-a-whole",
    /// The values that say where a message lies, or what the bounds of its array are, stay the same for as long as that is
    /// asked.
    SettledValues = "settled-values",
    /// All that gives an array its shape gives it the same.
    SameShapes = "same-shapes",
    "Which code runs":
    /// Procedures that are not given may communicate. One is a known library's only where nothing else could be meant.
    UnknownProcedures = "unknown-procedures",
    /// Source that was not understood may match everything, unless its text can call nothing that communicates.
    UnreadCalls = "unread-calls",
    /// A procedure may begin at an ENTRY statement: what stands in front of it has not run then.
    EntryInTheMiddle = "entry-in-the-middle",
    /// The results of a function and of its entries share memory.
    EntryResults = "entry-results",
    /// A dummy procedure or a procedure pointer may be any of the procedures that are handed over.
    HandedOverProcedures = "handed-over-procedures",
    /// An object of a class may be of any type that extends it.
    Overrides = "overrides",
    /// A procedure that MPI calls back may do whatever it does at any call of MPI, unless it only uses its arguments.
    CalledBack = "called-back",
    /// A procedure that is named otherwise than by calls may run; one that never runs takes part in nothing.
    NamesOfProcedures = "names-of-procedures",
    "Errors":
    /// Errors may be returned, or handled, where the program sets a handler for that. Then a call whose code something may
    /// look at stays, nothing passes a call that sets a handler, and a program with handlers of its own stays with MPI, but for
    /// those that end it.
    ErrorHandlers = "error-handlers",
    /// A handler of the program's own that is taken for one that ends it never returns, meets no messages, and uses no data but single
    /// variables.
    EndingHandlers = "ending-handlers",
    /// An error handler of files runs in operations on files, which nothing passes where there is one, and takes no part in
    /// communication.
    FileErrorHandlers = "file-error-handlers",
    /// A check of an error code does nothing only where no handler is set but those that end the program, nothing leads out
    /// of the files, and nothing else was stored in the variable since the call.
    ErrorCodesUntouched = "error-codes-untouched",
}

impl Clause {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Clause> {
        Self::GROUPS.iter().flat_map(|(_, clauses)| clauses.iter().copied())
    }

    /// Is it switched off? Never, except in a test build.
    pub fn is_off(self) -> bool {
        cfg!(feature = "mutations") && switched_off() == Some(self)
    }
}

fn switched_off() -> Option<Clause> {
    static OFF: std::sync::OnceLock<Option<Clause>> = std::sync::OnceLock::new();
    *OFF.get_or_init(|| {
        let name = std::env::var("GRAVEL_MUTATION").ok()?;
        Clause::all().find(|clause| clause.name() == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_switched_off_by_itself() {
        assert!(Clause::all().all(|clause| !clause.is_off()));
    }
}
