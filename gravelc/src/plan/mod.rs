//! The Plan: every decision about every communication site, as data.
//!
//! Transformations write it, the emitter executes it and decides nothing, the report shows it. Nothing is transformed
//! that the plan does not name.

mod early_values;
mod reason;
mod transformation;

pub use early_values::{EarlyComputation, EarlyValue, ValueSource};
pub use reason::{Reason, ReasonCode};
pub use transformation::Transformation;

use std::path::Path;

use serde::{Deserialize, Serialize};

/// What users can ask for in their source, as Markdown.
pub const DIRECTIVES: &str = include_str!("directives.md");

use crate::ir::{Depth, Direction, FileId, Polynomial, ProcedureId, Program, Span, StatementId, SymbolId};

/// What gravelc will do to a program, and why not more.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Plan {
    /// One per communication site, in source order.
    pub decisions: Vec<Decision>,
    /// The match classes.
    pub classes: Vec<MatchClass>,
    /// Steps that serve the whole program: starting and ending the runtime. Empty when nothing is transformed.
    pub attachments: Vec<Step>,
    /// Procedures and modules that were not given and are taken to keep out of communication because the user says so.
    pub assumed: Vec<String>,
    /// The flag of the build with which a compiler computes otherwise what is arranged otherwise: results then agree up to rounding.
    #[serde(default)]
    pub rounding: Option<String>,
    /// What directives assert and nothing has proven.
    #[serde(default)]
    pub asserted: Vec<Assertion>,
    /// Procedures that calls which were not given may reach, each with the names that are taken to be different memory then, as
    /// the language demands of such calls.
    #[serde(default)]
    pub believed: Vec<Assertion>,
    /// What leads out of the given files, so that others could store to the variables of modules and call procedures.
    #[serde(default)]
    pub openings: Vec<Opening>,
}

/// Something that leads out of the given files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// What it is, as a clause.
    pub why: String,
    /// Where it is, in the order of the program; nowhere if it is something that the files lack.
    pub places: Vec<Span>,
}

/// Something that is taken to be true and that nothing has proven: a user says so in a directive, or the language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    /// The directive, or the procedure's first line.
    pub span: Span,
    /// What it says, as a clause.
    pub text: String,
}

impl Plan {
    /// What is to be said of the program's results, if they may differ in their last bits.
    pub fn rounding_text(&self) -> Option<String> {
        let flag = self.rounding.as_ref().filter(|_| !self.attachments.is_empty())?;
        Some(format!(
            "with `{flag}` compilers compute in another order what stands elsewhere: the transformed program's results agree with \
             the original's up to rounding, without it exactly"
        ))
    }

    /// Every step to execute, with the attachments first, in plan order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.attachments.iter().chain(self.decisions.iter().flat_map(|decision| decision.steps()))
    }

    /// Is anything transformed?
    pub fn transforms_anything(&self) -> bool {
        self.decisions.iter().any(|decision| matches!(decision.outcome, Outcome::Transformed { .. }))
    }
}

/// Index of a [`MatchClass`] in [`Plan::classes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClassId(pub usize);

/// Sends and receives that could match one another, with the completions of their requests: they convert together or
/// not at all.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MatchClass {
    /// The sites, in source order.
    pub members: Vec<Site>,
    /// What the members have in common, for people, such as "mpi_comm_world, tag 7".
    pub description: String,
    /// Why the class stays with MPI; `None` if it converts.
    pub kept: Option<Reason>,
}

/// A call of MPI in the program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Site {
    /// The file.
    pub file: FileId,
    /// The 1-based line at which the call begins.
    pub line: usize,
    /// The procedure.
    pub procedure: ProcedureId,
    /// The statement.
    pub statement: StatementId,
    /// The routine in lower case, such as `mpi_send`; in a match class also a procedure that was not given, or a
    /// description in parentheses.
    pub routine: String,
}

impl Site {
    /// The path of the file in which the call is: of one that is included where that is expanded.
    pub fn path<'p>(&self, program: &'p Program) -> &'p Path {
        program.path_of(program.procedure(self.procedure).statement(self.statement).span)
    }
}

/// What happens to one site.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Decision {
    /// The site.
    pub site: Site,
    /// Its match class; `None` where it takes part in none.
    pub class: Option<ClassId>,
    /// What is done.
    pub outcome: Outcome,
}

impl Decision {
    /// The steps that carry the decision out.
    pub fn steps(&self) -> &[Step] {
        match &self.outcome {
            Outcome::Transformed { steps, .. } => steps,
            Outcome::Kept { .. } => &[],
        }
    }
}

/// What is done to a site, or why nothing is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Outcome {
    /// The call becomes calls of the runtime.
    Transformed {
        /// How its data travels.
        protocol: Protocol,
        /// What was gained, in the order in which it was decided.
        actions: Vec<Action>,
        /// What was tried in vain.
        missed: Vec<Missed>,
        /// What the emitter does.
        steps: Vec<Step>,
    },
    /// The call stays as it is.
    Kept {
        /// Why.
        reason: Reason,
        /// What was tried in vain, where that is why.
        missed: Vec<Missed>,
    },
}

impl Outcome {
    /// The call stays as it is, for this reason alone.
    pub fn kept(reason: Reason) -> Self {
        Self::Kept { reason, missed: Vec::new() }
    }
}

/// The protocols of the Gravel paper, section 2.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    /// The consumer tells the producer where its buffer is; the producer writes into it.
    ConsumerInitiatedWrite,
    /// The producer announces its message, and the consumer looks for a receive that takes it: it reads a whole message
    /// where that lies, and is written the parts of one that comes in parts.
    ProducerInitiated,
}

impl Protocol {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::ConsumerInitiatedWrite => "consumer-initiated-write",
            Protocol::ProducerInitiated => "producer-initiated",
        }
    }
}

/// Something gained at a site.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Action {
    /// The transformation that did it.
    pub transformation: Transformation,
    /// What it did, as a phrase: "posted at line 12, above the loop at line 14".
    pub text: String,
}

/// A transformation that could not be applied at a transformed site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missed {
    /// The transformation.
    pub transformation: Transformation,
    /// Why it did not apply.
    pub reason: Reason,
}

/// A place in the program, relative to a statement of the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Position {
    /// On lines of its own just before the statement.
    Before(StatementId),
    /// In the place of the statement.
    Replace(StatementId),
    /// On lines of its own just after the statement.
    After(StatementId),
}

/// A variable that the emitter declares in the procedure of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NewVariable {
    /// Request of the receive with this number in its procedure.
    ReceiveRequest(usize),
    /// Request of the send with this number.
    SendRequest(usize),
    /// Request of a receive that the callers of its procedure post: a variable that they and the procedure see.
    EarlyRequest {
        /// The procedure of the receive.
        procedure: ProcedureId,
        /// The number of the receive there.
        number: usize,
    },
    /// Request of an operation that the callers of its procedure wait for: a variable that they and the procedure see.
    LateRequest {
        /// The procedure of the operation.
        procedure: ProcedureId,
        /// The number of the wait there.
        number: usize,
    },
    /// Request of an operation that callers of the procedure have begun and that it waits for: a variable that they and the
    /// procedure see, null where there is none.
    CallersRequest {
        /// The procedure that waits.
        procedure: ProcedureId,
        /// The number of the wait there.
        number: usize,
    },
    /// Request that the call with this number, of another procedure, has left to wait for.
    AwaitedRequest(usize),
    /// Request of an operation that shares its variable with others, one after the other, and has one of its own here: this symbol
    /// of the procedure of the step, which the program does not have.
    SeparateRequest(SymbolId),
    /// The transfer of the send with this number.
    Transfer(usize),
    /// First iteration of a tile of the strip-mined loop with this number.
    TileStart(usize),
    /// Last iteration of a tile.
    TileEnd(usize),
    /// Iterations per tile.
    TileStep(usize),
    /// Which part of a split loop is run: 1 the inner iterations, 2 the first one, 3 the last one.
    LoopPart(usize),
    /// Stands for a variable of the program's, an integer, where its value is computed further up than by the program.
    EarlyValue {
        /// The variable.
        symbol: SymbolId,
        /// The number of the computation in its procedure.
        number: usize,
    },
}

impl NewVariable {
    /// Does it hold a request?
    pub fn is_request(self) -> bool {
        match self {
            Self::ReceiveRequest(_)
            | Self::SendRequest(_)
            | Self::EarlyRequest { .. }
            | Self::LateRequest { .. }
            | Self::CallersRequest { .. }
            | Self::AwaitedRequest(_)
            | Self::SeparateRequest(_) => true,
            Self::Transfer(_)
            | Self::TileStart(_)
            | Self::TileEnd(_)
            | Self::TileStep(_)
            | Self::LoopPart(_)
            | Self::EarlyValue { .. } => false,
        }
    }
}

/// Where a status is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusPlace {
    /// The call whose status argument it is.
    pub call: StatementId,
    /// Where that is an array of statuses: which of them, by the subscript of its last dimension.
    pub element: Option<i64>,
}

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RequestPlace {
    /// In a variable of the emitted code.
    New(NewVariable),
    /// In the program's own: what this call of the procedure of the step names as its request.
    OfCall(StatementId),
}

impl RequestPlace {
    /// The new variable that holds it.
    pub fn new_variable(self) -> Option<NewVariable> {
        match self {
            Self::New(variable) => Some(variable),
            Self::OfCall(_) => None,
        }
    }
}

/// One of the messages of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MessageOf {
    /// The call.
    pub call: StatementId,
    /// Which one.
    pub direction: Direction,
    /// The procedure of the call, where it is another one than that of the step. Its buffer is then a variable that both
    /// see, or get as an argument.
    pub procedure: Option<ProcedureId>,
    /// The variable of the procedure of the step that is the buffer, or the object that holds it, where the two know it by an
    /// argument.
    pub argument: Option<SymbolId>,
    /// The call of the procedure of the step whose request is a component of an object, where the buffer is another component
    /// of the same object.
    #[serde(default)]
    pub beside_request_of: Option<StatementId>,
}

impl MessageOf {
    /// The message of a call in the procedure of the step.
    pub fn own(call: StatementId, direction: Direction) -> Self {
        Self { call, direction, procedure: None, argument: None, beside_request_of: None }
    }
}

/// One thing for the emitter to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Step {
    /// The procedure in which it is done.
    pub procedure: ProcedureId,
    /// Where.
    pub position: Position,
    /// The statement whose call this step takes over; its text is quoted in a comment where the step stands.
    pub origin: StatementId,
    /// The step is done only under the condition of the first arm of this IF statement (evaluated again, here).
    pub guard: Option<StatementId>,
    /// What.
    pub operation: StepOperation,
}

/// What a step does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum StepOperation {
    /// Start the runtime on the world communicator.
    Initialize,
    /// Tell the runtime that the program may go on after errors.
    ReturnErrors,
    /// End the runtime.
    Finalize,
    /// Attach the runtime to the communicator that `origin` makes.
    Attach,
    /// Tell the runtime of the buffer that `origin` attaches or takes back.
    TellOfBuffer,
    /// Make the runtime's call that takes the arguments of `origin` as they are.
    CallTwin,
    /// Post the receive of `origin`.
    PostReceive {
        /// Takes the request.
        request: RequestPlace,
        /// How its data travels.
        protocol: Protocol,
        /// Parts of the message are waited for.
        in_segments: bool,
        /// What the call is given in the place of variables that the program sets only further down.
        early: Vec<EarlyValue>,
        /// Store the error code where the call did.
        stores_error: bool,
    },
    /// Post the receive at the beginning of a procedure that `origin` calls.
    PostReceiveOfCallee {
        /// The procedure.
        procedure: ProcedureId,
        /// The receive.
        receive: StatementId,
        /// The receive is posted only under the condition of the first arm of this IF statement of that procedure.
        inner_guard: Option<StatementId>,
        /// Takes the request.
        request: RequestPlace,
        /// Parts of the message are waited for.
        in_segments: bool,
        /// What the call is given in the place of variables that the program sets only further down.
        early: Vec<EarlyValue>,
    },
    /// Send the whole message of `origin`.
    PostSend {
        /// Takes the request.
        request: RequestPlace,
        /// How its data travels.
        protocol: Protocol,
        /// Send a copy: something else is received into the buffer.
        from_copy: bool,
        /// Store the error code where the call did.
        stores_error: bool,
    },
    /// Open the transfer of the message of `origin`, whose data follows in puts.
    OpenTransfer {
        /// Takes the transfer.
        transfer: NewVariable,
        /// How its data travels.
        protocol: Protocol,
        /// What the call is given in the place of variables that the program sets only further down.
        early: Vec<EarlyValue>,
    },
    /// Compute values that the call of `origin` is given further up than the program computes them.
    ComputeEarly(EarlyComputation),
    /// Store a request that was made further up where the program's own was made, or where those who call the procedure, or a
    /// procedure that is called, wait for it.
    HandOverRequest {
        /// The variable that holds it until here.
        from: RequestPlace,
        /// Where it is waited for.
        to: RequestPlace,
        /// The first variable is null from there on: the program may wait for it again.
        #[serde(default)]
        leaves_null: bool,
    },
    /// Make a transfer the null transfer, so that what is done with it does nothing.
    ClearTransfer {
        /// The transfer.
        transfer: NewVariable,
    },
    /// Make a request the null request, so that a wait for it does nothing.
    ClearRequest {
        /// The request.
        request: RequestPlace,
    },
    /// Cut a loop into tiles and put each tile's part of the message behind it. The position's statement is the loop. A
    /// loop that fills several messages is cut once, with a put for each.
    StripMine(StripMine),
    /// Cut a loop into tiles and wait before each tile for what it needs of the message. The position's statement is the
    /// loop. It may be cut for other messages at the same time.
    WaitInTiles(WaitInTiles),
    /// Run the first and the last iterations of a loop behind the others, and wait in between. The position's statement is
    /// the loop. It may be split for other waits at the same time.
    SplitLoop {
        /// Number of the loop, for the names of its variables.
        number: usize,
        /// How many of the first and the last iterations need what is waited for.
        depth: Depth,
        /// The program may look at the loop variable after the loop.
        keeps_variable: bool,
        /// Parts of any number of iterations leave the results as they are ([`TiledLoop::any_tile_length`]). Otherwise more
        /// iterations than need the message run behind the wait, so that the parts are whole vectors.
        any_part_length: bool,
        /// The wait, a [`StepOperation::Wait`].
        wait: Box<StepOperation>,
    },
    /// End the transfer of `origin`.
    SendFin {
        /// The transfer.
        transfer: NewVariable,
        /// Takes the request.
        request: RequestPlace,
        /// Store the error code where the call did.
        stores_error: bool,
    },
    /// Wait for a request.
    Wait {
        /// The request.
        request: RequestPlace,
        /// The message whose buffer the wait names; `None` where it is not known, as in the program.
        buffer_of: Option<MessageOf>,
        /// Where the status goes; `None` if nobody looks at it.
        status: Option<StatusPlace>,
        /// The call whose error variable takes the code; `None` if it is not stored.
        error_of: Option<StatementId>,
        /// It is for an operation that the procedure has begun which `origin` calls.
        is_for_call: bool,
    },
    /// Wait for the requests of `origin`, a wait for several.
    WaitAll {
        /// Store the error code where the call did.
        stores_error: bool,
    },
    /// Complete what can be completed of the requests of `origin`, a test or a wait for any or some of them.
    Complete {
        /// The message whose buffer a test of a single request names; `None` where it is not known.
        buffer_of: Option<MessageOf>,
        /// Store the error code where the call did.
        stores_error: bool,
    },
    /// Describe the persistent operation of `origin`.
    Prepare {
        /// How its data travels.
        protocol: Protocol,
        /// Store the error code where the call did.
        stores_error: bool,
    },
    /// Start the persistent operation of `origin`.
    Start {
        /// The message whose buffer the start names; `None` where it is not known.
        buffer_of: Option<MessageOf>,
        /// Store the error code where the call did.
        stores_error: bool,
    },
    /// Start the persistent operations of `origin`, a start of several.
    StartAll {
        /// Store the error code where the call did.
        stores_error: bool,
    },
    /// Release the request of `origin`.
    Release {
        /// Store the error code where the call did.
        stores_error: bool,
    },
    /// Tell the host compiler that the runtime may have used a buffer until here.
    SynchroniseBuffer {
        /// A message in the buffer.
        buffer_of: MessageOf,
    },
    /// Leave out a statement that only copies what is sent: these calls of the procedure send it from where it lies.
    DropPack {
        /// The calls.
        sends: Vec<StatementId>,
    },
    /// Only what is left of a call whose work was moved elsewhere: store the code of success where the call stored its
    /// error code.
    StoreSuccess,
}

/// So many iterations of a loop are whole vectors, whatever the machine; the same as in the runtime (`tile.rs`).
pub const VECTOR_MULTIPLE: i64 = 64;

// Whole vectors at the beginning of a loop hold all of its first iterations that may need a message.
const _: () = assert!(Depth::MAX as i64 <= VECTOR_MULTIPLE);

/// A loop that is cut into tiles (Gravel paper, section 2.1, "Advanced RDMA-write based protocol").
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TiledLoop {
    /// Number of the loop, for the names of its variables.
    pub number: usize,
    /// The program may look at the loop variable after the loop: a loop without iterations must leave the lower bound in it.
    pub keeps_variable: bool,
    /// Tiles of any number of iterations leave the results as they are: compilers vectorise loops inside of this one, not
    /// the loop itself. Otherwise tiles are multiples of [`VECTOR_MULTIPLE`].
    pub any_tile_length: bool,
}

/// How the message that a loop fills is put tile by tile.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StripMine {
    /// The loop.
    pub tiled: TiledLoop,
    /// The transfer that takes the puts.
    pub transfer: NewVariable,
    /// Where the sequences of runs begin that the loop fills side by side, in elements of the message: mostly one, at 0.
    pub sequences: Vec<Polynomial>,
    /// Elements of each sequence that one iteration completes.
    pub elements_per_iteration: Polynomial,
    /// Iterations per tile, where the user asks for them; otherwise the runtime chooses.
    pub tile: Option<u32>,
}

/// How the message that a loop reads is waited for tile by tile.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WaitInTiles {
    /// The loop.
    pub tiled: TiledLoop,
    /// The request of the receive.
    pub request: RequestPlace,
    /// The message, where compilers are told which memory it has.
    pub buffer_of: Option<MessageOf>,
    /// The loop's variable.
    pub variable: SymbolId,
    /// As many of the message's first elements do the iterations up to the value of `variable` need.
    pub needed: Polynomial,
    /// The wait for the whole message, a [`StepOperation::Wait`]: behind the tiles, or before the loop where the runtime leaves
    /// that in one piece. A short message then costs no more than in the program as it was.
    pub wait: Box<StepOperation>,
}
