//! What the emitter does, step by step, and where.

use serde::{Deserialize, Serialize};

use super::Protocol;
use super::early_values::{EarlyComputation, EarlyValue, ValueSource};
use super::variables::{NewVariable, RequestPlace, StatusPlace};
use crate::ir::{Depth, Direction, Polynomial, ProcedureId, StatementId, SymbolId};

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
    /// Begin what the procedure does that `origin` calls, up to its first wait.
    BeginExchange {
        /// The procedure ([`super::SplitExchange`]).
        procedure: ProcedureId,
    },
    /// Do the rest of it.
    EndExchange {
        /// The procedure.
        procedure: ProcedureId,
    },
    /// Run the procedure that `origin` calls around the end of an exchange, its inside first, where the runtime finds that worth it;
    /// else behind the end.
    RunAroundEnd {
        /// The procedure ([`super::SplitNest`]).
        procedure: ProcedureId,
        /// The procedure that does what ends here.
        exchange: ProcedureId,
        /// The call that has begun it.
        begun_by: StatementId,
    },
    /// Only what is left of a call whose work was moved elsewhere: store the code of success where the call stored its
    /// error code.
    StoreSuccess,
}

impl StepOperation {
    /// The new variables that the step uses.
    pub fn new_variables(&self) -> Vec<NewVariable> {
        let new = |places: &[RequestPlace]| places.iter().filter_map(|place| place.new_variable()).collect::<Vec<_>>();
        match self {
            StepOperation::PostReceive { request, .. }
            | StepOperation::PostReceiveOfCallee { request, .. }
            | StepOperation::PostSend { request, .. }
            | StepOperation::ClearRequest { request }
            | StepOperation::Wait { request, .. } => new(&[*request]),
            StepOperation::HandOverRequest { from, to, .. } => new(&[*from, *to]),
            StepOperation::OpenTransfer { transfer, .. } | StepOperation::ClearTransfer { transfer } => {
                vec![*transfer]
            }
            StepOperation::SendFin { transfer, request, .. } => [vec![*transfer], new(&[*request])].concat(),
            StepOperation::ComputeEarly(computation) => {
                let of_value = |value: &EarlyValue| match value.source {
                    ValueSource::Variable(variable) => Some(variable),
                    ValueSource::RightSide(_) => None,
                };
                computation.values.iter().filter_map(of_value).collect()
            }
            StepOperation::StripMine(strip_mine) => {
                [vec![strip_mine.transfer], variables_of_loop(strip_mine.tiled.number)].concat()
            }
            StepOperation::WaitInTiles(wait) => {
                [wait.wait.new_variables(), variables_of_loop(wait.tiled.number)].concat()
            }
            StepOperation::SplitLoop { number, wait, .. } => {
                let own = [NewVariable::TileStart, NewVariable::TileEnd, NewVariable::LoopPart].map(|new| new(*number));
                [wait.new_variables(), own.to_vec()].concat()
            }
            StepOperation::Initialize
            | StepOperation::ReturnErrors
            | StepOperation::Finalize
            | StepOperation::Attach
            | StepOperation::CallTwin
            | StepOperation::TellOfBuffer
            | StepOperation::StoreSuccess
            | StepOperation::WaitAll { .. }
            | StepOperation::Complete { .. }
            | StepOperation::Prepare { .. }
            | StepOperation::Start { .. }
            | StepOperation::StartAll { .. }
            | StepOperation::Release { .. }
            | StepOperation::SynchroniseBuffer { .. }
            | StepOperation::BeginExchange { .. }
            | StepOperation::EndExchange { .. }
            | StepOperation::RunAroundEnd { .. }
            | StepOperation::DropPack { .. } => Vec::new(),
        }
    }
}

/// The variables of the loop around a loop.
fn variables_of_loop(number: usize) -> Vec<NewVariable> {
    vec![NewVariable::TileStart(number), NewVariable::TileEnd(number), NewVariable::TileStep(number)]
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
