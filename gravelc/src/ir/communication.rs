//! Communication operations of MPI, as the analyses see them (MPI 4.0, chapters 3 and 6).

mod questions;

use serde::{Deserialize, Serialize};

use super::{Datatype, DatatypeConstructor, Expression, ProcedureId};

/// A call of MPI.
#[derive(Debug, Clone)]
pub struct Communication {
    /// The routine in lower case, such as `mpi_send`.
    pub routine: String,
    /// What it does.
    pub operation: Operation,
    /// The variable that takes the error code, where the call names one.
    pub error: Option<Expression>,
    /// The procedure of the program that is called here and that makes the call; `None` where it stands here itself.
    pub wrapper: Option<Wrapper>,
    /// Every execution of this call is one of another call that has this one's procedure as its wrapper.
    pub is_counted_at_callers: bool,
}

/// A procedure that does nothing but call a routine of MPI.
#[derive(Debug, Clone)]
pub struct Wrapper {
    /// The procedure.
    pub procedure: ProcedureId,
    /// Constants of MPI that stand in the procedure and that its caller does not see, with the module that has them.
    pub borrowed: Vec<(&'static str, String)>,
}

/// Who is at the other end of a message.
#[derive(Debug, Clone)]
pub enum Partner {
    /// One process.
    Process {
        /// Destination or source.
        peer: Expression,
        /// Tag.
        tag: Expression,
    },
    /// Every process of the communicator, in a collective call: the message consists of a block of `count` elements for,
    /// or from, each of them, one behind the other.
    Everyone,
    /// Likewise (`MPI_Alltoallv`), with blocks of different lengths at different places: `count` and `displacements` are
    /// arrays with an element for each process. Places are counted in elements from the beginning of the buffer; blocks may
    /// have gaps between them, be in any order, and those that are sent may overlap.
    EveryoneInBlocks {
        /// Where the blocks begin.
        displacements: Expression,
    },
}

/// The arguments that sends and receives have in common.
#[derive(Debug, Clone)]
pub struct Message {
    /// The buffer argument.
    pub buffer: Expression,
    /// Number of elements (of a receive: the most that it takes).
    pub count: Expression,
    /// Type of the elements.
    pub datatype: Datatype,
    /// The other end.
    pub partner: Partner,
    /// Communicator.
    pub communicator: Expression,
    /// Where this does not hold, the message goes to and comes from nobody, whatever count and partner say.
    pub condition: Option<Expression>,
}

/// The send modes of MPI (section 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendMode {
    /// `MPI_Send`: the MPI decides whether it buffers.
    Standard,
    /// `MPI_Ssend`: completes only when the receive has started.
    Synchronous,
    /// `MPI_Rsend`: the receive is already posted.
    Ready,
    /// `MPI_Bsend`: copied into the user's attached buffer.
    Buffered,
}

impl SendMode {
    /// Does the send end whether or not its receive is ever posted, however long the message is? That is what the attached
    /// buffer is for. A ready one promises nothing more than a standard one: it only lets MPI rely on the receive, and a correct
    /// program does the same with standard sends (section 3.4).
    pub fn is_buffered(self) -> bool {
        match self {
            SendMode::Standard | SendMode::Synchronous | SendMode::Ready => false,
            SendMode::Buffered => true,
        }
    }
}

/// The way of a message, seen from the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// The call sends it.
    Sent,
    /// The call receives it.
    Received,
}

/// The status argument of a receive or a completion.
#[derive(Debug, Clone)]
pub enum Status {
    /// `MPI_STATUS_IGNORE`, or none.
    Ignored,
    /// The status is stored here.
    Stored(Expression),
}

/// The arguments of a receive of a message that a probe has taken.
#[derive(Debug, Clone)]
pub struct MatchedReceive {
    /// The buffer argument.
    pub buffer: Expression,
    /// The number of elements that it takes at most.
    pub count: Expression,
    /// Their type.
    pub datatype: Datatype,
    /// The message.
    pub matched: Expression,
    /// The request of a non-blocking receive.
    pub request: Option<Expression>,
}

/// How a call that is not described further may take part in point-to-point communication.
#[derive(Debug, Clone)]
pub enum Participation {
    /// It neither matches messages nor completes requests (it may still synchronise ranks).
    None,
    /// Likewise, but it may read and write memory that no argument names.
    TouchesAnything,
    /// It may be an end of an all-to-all exchange on this communicator.
    AllToAll {
        /// The communicator.
        communicator: Expression,
        /// Of blocks that differ in length (`MPI_Alltoallv`): only these meet each other.
        in_blocks: bool,
    },
    /// It makes parts of a partitioned message ready, or asks whether they have come (MPI 4.0, section 4.2). Such messages meet only
    /// each other, and their requests are MPI's.
    ConcernsParts,
    /// It says which message a receive from this partner would take (`MPI_Probe`, `MPI_Iprobe`). The message stays there, or is
    /// taken, so that only a receive of matched messages gets it (`MPI_Mprobe`, `MPI_Improbe`).
    Probes {
        /// The source and the tag.
        partner: Box<Partner>,
        /// The communicator.
        communicator: Expression,
        /// The message is taken.
        takes: bool,
    },
    /// It receives a message that a probe has taken (`MPI_Mrecv`, `MPI_Imrecv`).
    ReceivesMatched(Box<MatchedReceive>),
    /// It cancels the operation of a request, or asks about it. The request stays as it is, to be completed.
    UsesRequest {
        /// The request.
        request: Expression,
        /// It cancels.
        cancels: bool,
    },
    /// It takes no part itself, but from then on MPI may call these procedures, during any call of MPI.
    CallsBack {
        /// The procedures.
        procedures: Vec<ProcedureId>,
    },
    /// It may match messages with these tags (none given: any tag) on this communicator (`None`: any), or complete
    /// any of the requests that its arguments designate.
    May {
        /// The tags; empty means any.
        tags: Vec<Expression>,
        /// The communicator; `None` means any.
        communicator: Option<Expression>,
    },
}

/// Which of several requests a call completes that does not wait for all of them (MPI 4.0, sections 3.7.3 and 3.7.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// `MPI_Test`: a single one, if that is possible now.
    Test,
    /// `MPI_Testall`: all of them, if that is possible now.
    TestAll,
    /// `MPI_Waitany`: one of them.
    WaitAny,
    /// `MPI_Testany`: one of them, if that is possible now.
    TestAny,
    /// `MPI_Waitsome`: all that are over, at least one.
    WaitSome,
    /// `MPI_Testsome`: all that are over.
    TestSome,
}

impl CompletionKind {
    /// Does the call block until something is complete?
    pub fn waits(self) -> bool {
        matches!(self, Self::WaitAny | Self::WaitSome)
    }

    /// Does the call tell which requests it has completed? It then passes over those that are null.
    pub fn tells_which(self) -> bool {
        !matches!(self, Self::Test | Self::TestAll)
    }

    /// Has the call an array of statuses, rather than a single one?
    pub fn stores_several_statuses(self) -> bool {
        matches!(self, Self::TestAll | Self::WaitSome | Self::TestSome)
    }
}

/// What a call has to do with error handlers (MPI 4.0, section 9.3). Those of files and windows are no matter of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorHandling {
    /// Nothing.
    Unconcerned,
    /// From then on errors go to a handler, such as `MPI_ERRORS_RETURN`.
    Sets {
        /// The position of the argument that says which; `None` where the arguments could not be understood.
        handler: Option<usize>,
    },
    /// It makes a handler out of a procedure of the program.
    Makes {
        /// The procedures that it may be; `None` if there may be others.
        procedures: Option<Vec<ProcedureId>>,
        /// The position of the argument that takes the handler; `None` where the arguments could not be understood.
        handler: Option<usize>,
    },
    /// It makes one whose procedure ends the program, and meets nobody before
    /// ([`crate::passes::ending_error_handlers`]).
    MakesEnding {
        /// The position of the argument that takes the handler.
        handler: usize,
    },
    /// It makes one that is called in operations on files alone, out of one of these procedures.
    MakesForFiles {
        /// The procedures.
        procedures: Vec<ProcedureId>,
    },
    /// It calls a handler.
    Calls,
}

/// What a call of MPI does.
#[derive(Debug, Clone)]
pub enum Operation {
    /// `MPI_Init`, `MPI_Init_thread`.
    Initialize {
        /// Other arguments that are read or written.
        accesses: Vec<Expression>,
    },
    /// `MPI_Finalize`.
    Finalize,
    /// A send; with a request it is non-blocking.
    Send {
        /// What is sent where.
        message: Message,
        /// The mode.
        mode: SendMode,
        /// The request of a non-blocking send.
        request: Option<Expression>,
    },
    /// A receive; with a request it is non-blocking.
    Receive {
        /// What is received from where.
        message: Message,
        /// The request of a non-blocking receive.
        request: Option<Expression>,
        /// The status of a blocking receive.
        status: Status,
    },
    /// `MPI_Sendrecv` and `MPI_Sendrecv_replace`, and with everyone `MPI_Alltoall` and `MPI_Alltoallv`: a send and a receive at once, both complete
    /// when the call returns.
    SendReceive {
        /// What is sent where.
        send: Message,
        /// What is received from where. The two buffers must be disjoint (MPI 4.0, sections 3.10 and 6.8), or are one.
        receive: Box<Message>,
        /// `MPI_Sendrecv_replace`: what is received takes the place of what is sent, as if that had been copied before.
        in_one_buffer: bool,
        /// The status of the receive.
        status: Status,
    },
    /// `MPI_Wait`.
    Wait {
        /// The request.
        request: Expression,
        /// The status.
        status: Status,
    },
    /// `MPI_Waitall`.
    WaitAll {
        /// Number of requests.
        count: Expression,
        /// The first of the requests, an array or a section of one; they follow one another in memory.
        requests: Expression,
        /// An array of statuses.
        statuses: Status,
    },
    /// Tests, and waits for any or some of several requests: which requests are complete afterwards is known only when the
    /// program runs, perhaps none. Those are null then, persistent ones inactive.
    Complete {
        /// Which of them may be completed.
        kind: CompletionKind,
        /// Number of requests; `None` for a single one.
        count: Option<Expression>,
        /// The first of the requests; they follow one another in memory.
        requests: Expression,
        /// Takes how many were completed, where that may be several.
        completed: Option<Expression>,
        /// Takes which was completed, or which were.
        indices: Option<Expression>,
        /// Takes whether a test has completed what it was for.
        flag: Option<Expression>,
        /// The status, or an array of statuses.
        statuses: Status,
    },
    /// `MPI_Send_init`, `MPI_Recv_init`: makes an inactive request. Each start of it begins the operation anew, and each
    /// completion leaves it inactive, until it is released (MPI 4.0, section 3.9).
    Prepare {
        /// What is sent or received where.
        message: Message,
        /// Which of both.
        direction: Direction,
        /// The mode of a send.
        mode: SendMode,
        /// The request.
        request: Expression,
    },
    /// `MPI_Start`, `MPI_Startall`: begins operations that were prepared.
    Start {
        /// Number of requests; `None` for a single one.
        count: Option<Expression>,
        /// The first of the requests; they follow one another in memory.
        requests: Expression,
    },
    /// `MPI_Request_free`: the request becomes null. What it stands for goes on until it is over.
    Release {
        /// The request.
        request: Expression,
    },
    /// Only reads and writes its arguments; no other rank notices (`MPI_Comm_rank`, `MPI_Get_count`, `MPI_Wtime`).
    Inquiry {
        /// What is read.
        reads: Vec<Expression>,
        /// What is written.
        writes: Vec<Expression>,
    },
    /// Makes a datatype out of others (`MPI_Type_vector`, `MPI_Type_create_subarray`, …): no other rank notices.
    CreateDatatype {
        /// How, and of what.
        constructor: DatatypeConstructor,
        /// The variable that takes it.
        created: Expression,
    },
    /// Makes a communicator out of another one (`MPI_Comm_dup`, `MPI_Comm_split`, `MPI_Cart_create`, …): collective.
    CreateCommunicator {
        /// The communicator that it is made of; `None` where there are several.
        parent: Option<Expression>,
        /// Everything that is read, the parent included.
        reads: Vec<Expression>,
        /// The variable that takes the new communicator.
        created: Expression,
    },
    /// Any other call of MPI: collectives, and what is left in MPI's hands.
    Other {
        /// Every argument; all may be read and written.
        arguments: Vec<Expression>,
        /// Positions of the arguments that are certainly not written.
        only_read: Vec<usize>,
        /// Positions of the arguments that say of how many elements its buffers are.
        counts: Vec<usize>,
        /// Its part in point-to-point communication.
        participation: Participation,
        /// What it has to do with error handlers.
        error_handling: ErrorHandling,
        /// What it is, for the report, such as "a probe" or "a collective operation".
        description: String,
    },
}

impl Message {
    /// Everything that the message is described by.
    pub fn expressions(&self) -> Vec<&Expression> {
        std::iter::once(&self.buffer).chain(self.values()).collect()
    }

    /// What is handed over by its value: all but the buffer.
    pub fn values(&self) -> Vec<&Expression> {
        self.arguments().into_iter().skip(1).chain(&self.condition).collect()
    }

    /// The arguments of a call for the message, in their order.
    pub fn arguments(&self) -> Vec<&Expression> {
        let (places, partner) = match &self.partner {
            Partner::Process { peer, tag } => (None, vec![peer, tag]),
            Partner::Everyone => (None, Vec::new()),
            Partner::EveryoneInBlocks { displacements } => (Some(displacements), Vec::new()),
        };
        let before = [&self.buffer, &self.count].into_iter().chain(places).chain([&self.datatype.handle]);
        before.chain(partner).chain([&self.communicator]).collect()
    }

    /// The arrays with an element for each process, where its blocks differ in length: how long they are, and where they begin.
    pub fn block_lists(&self) -> Option<[&Expression; 2]> {
        match &self.partner {
            Partner::EveryoneInBlocks { displacements } => Some([&self.count, displacements]),
            Partner::Process { .. } | Partner::Everyone => None,
        }
    }

    /// Is it one side of an exchange of every process with every other?
    pub fn is_exchange(&self) -> bool {
        matches!(self.partner, Partner::Everyone | Partner::EveryoneInBlocks { .. })
    }
}

impl Status {
    /// The variable that takes the status.
    pub fn variable(&self) -> Option<&Expression> {
        match self {
            Status::Ignored => None,
            Status::Stored(variable) => Some(variable),
        }
    }
}
