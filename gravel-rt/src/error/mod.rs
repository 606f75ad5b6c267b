//! What can go wrong, as one type: every variant says what failed, for whom, and what to do about it. Imports nothing of
//! the runtime.

mod code;
pub mod missing;
pub(crate) mod tag;
pub mod violation;

pub use self::code::Code;

use self::missing::{Missing, never};
use self::tag::tag_text;
use self::violation::Violation;
use crate::Rank;

/// Everything that a call of the runtime can fail with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A call before `gravel_init` or after `gravel_finalize`.
    #[error("gravel is not initialised: call gravel_init right after MPI_Init, and nothing after gravel_finalize")]
    NotInitialized,
    /// A second `gravel_init` without a `gravel_finalize` between them.
    #[error("gravel_init was called twice: call gravel_finalize before initialising again")]
    AlreadyInitialized,
    /// A call before MPI_Init or after MPI_Finalize.
    #[error("MPI is not there: call gravel_init after MPI_Init, and gravel_finalize before MPI_Finalize")]
    WithoutMpi,
    /// A child of `fork` called the runtime.
    #[error("this process was forked from an MPI rank after gravel_init: only the rank itself may call Gravel")]
    Forked,
    /// A call from another thread than the one that initialised, or from inside a callback.
    #[error(
        "Gravel was called by another thread than the one that called gravel_init: make all calls from that one (MPI_THREAD_FUNNELED)"
    )]
    WrongThread,
    /// A communicator that was never attached, or that was freed.
    #[error(
        "communicator handle {handle} is not attached: after a communicator is made, call gravel_attach(comm) on all its \
         ranks before the first message on it"
    )]
    UnknownCommunicator {
        /// The communicator's Fortran handle.
        handle: i32,
    },
    /// The communicator of a call is not attached, so the call is MPI's. The interface of C and Fortran makes it; nobody is told.
    #[error("the communicator is not attached: the call is MPI's")]
    LeftToMpi,
    /// A post, or the opening of a transfer, has failed without an argument for its error, which went to the error handler. What
    /// ends the operation returns it, and tells no handler again.
    #[error("the operation could not be begun: its post has failed with error {code} of MPI")]
    ToldAlready {
        /// MPI's code of the error.
        code: i32,
    },
    /// MPI's own requests, or null handles, look like those of Gravel.
    #[error(
        "a handle of this MPI lies where the requests of Gravel do: programs cannot hold both in the same variables, so Gravel \
         does not work with this MPI"
    )]
    RequestsMeet,
    /// An intercommunicator was given to `gravel_init`.
    #[error(
        "the communicator is an intercommunicator, whose ranks name processes of another group: Gravel carries messages on \
         intracommunicators only, leave those of this one in MPI"
    )]
    Intercommunicator,
    /// A process of a new communicator is not in the communicator that was given to `gravel_init`.
    #[error(
        "rank {rank} of the communicator is not in the one that was given to gravel_init: give gravel_init a communicator \
         with all processes that exchange messages, such as MPI_COMM_WORLD"
    )]
    OutsideGroup {
        /// The first such rank, in the new communicator.
        rank: Rank,
    },
    /// An MPI call made on the runtime's behalf failed.
    #[error("{call} failed on behalf of Gravel with MPI error code {code}: the communicator may be damaged")]
    Mpi {
        /// Name of the MPI call.
        call: &'static str,
        /// What it returned.
        code: i32,
    },
    /// A rank outside the communicator.
    #[error("{role} {rank} is not a rank of the communicator, which has {size} ranks (0 to {last})", last = size - 1)]
    InvalidRank {
        /// `"source"` or `"destination"`.
        role: &'static str,
        /// The rank that was given.
        rank: i32,
        /// Number of ranks of the communicator.
        size: Rank,
    },
    /// A wildcard, which the consumer-initiated protocol cannot serve.
    #[error(
        "{wildcard} needs a protocol in which the producer announces its message: receive with gravel_post_rcv_announced, \
         and let all producers use gravel_post_snd_request or gravel_post_snd_buffer_rdma"
    )]
    Wildcard {
        /// Name of the constant that was given.
        wildcard: &'static str,
    },
    /// A tag below zero.
    #[error("tag {tag} is negative: tags are 0 to MPI_TAG_UB")]
    InvalidTag {
        /// The tag that was given.
        tag: i32,
    },
    /// A negative count, or a message whose size does not fit the address space.
    #[error("count {count} of elements of {element_bytes} bytes is not a possible message length")]
    InvalidCount {
        /// The count that was given.
        count: i64,
        /// Size of one element in bytes.
        element_bytes: u64,
    },
    /// A datatype whose elements are not contiguous memory.
    #[error(
        "datatype {}, {maker}: where its data lies in memory is not known; leave this message in MPI",
        if name.is_empty() { "without a name" } else { name }
    )]
    UnsupportedDatatype {
        /// The name that MPI or the program has given it, or nothing.
        name: String,
        /// What made it.
        maker: &'static str,
    },
    /// An all-to-all exchange with a datatype whose elements are not contiguous.
    #[error(
        "datatype {}, {maker}, is not contiguous: its data has gaps, overlaps or another order in memory, which all-to-all \
         exchanges do not carry; leave this exchange in MPI", if name.is_empty() { "without a name" } else { name }
    )]
    GapsInExchange {
        /// The name that MPI or the program has given it, or nothing.
        name: String,
        /// What made it.
        maker: &'static str,
    },
    /// A Fortran array section with strides.
    #[error("the buffer is not contiguous: pass a contiguous array or its first element")]
    NonContiguousBuffer,
    /// A null address for a message that has bytes.
    #[error("the buffer's address is null but the message has {bytes} bytes")]
    NullBuffer {
        /// Length of the message in bytes.
        bytes: u64,
    },
    /// A buffered send that does not fit into the attached buffer.
    #[error(
        "a buffered send of {bytes} bytes needs {overhead} more, and {left} bytes of the attached buffer are left: attach a \
         longer one (MPI_Buffer_attach)"
    )]
    BufferFull {
        /// Length of the message in bytes.
        bytes: u64,
        /// What MPI takes for each message (MPI_BSEND_OVERHEAD).
        overhead: u64,
        /// What other messages have left of the buffer.
        left: u64,
    },
    /// A put names another buffer than the one its transfer was opened with.
    #[error(
        "gravel_post_os_put names a buffer at {given:#x}, but the transfer was opened with the buffer at {expected:#x}: name the message's first element in both calls"
    )]
    BufferChanged {
        /// Address given to the put.
        given: usize,
        /// Address given to `gravel_wait_rcv_buffer`.
        expected: usize,
    },
    /// A put outside its message.
    #[error("put of {count} elements at offset {offset} is outside the message, which has {elements} elements")]
    PutOutsideMessage {
        /// First element of the put.
        offset: i64,
        /// Elements of the put.
        count: i64,
        /// Elements of the message.
        elements: u64,
    },
    /// A put that overlaps an earlier one.
    #[error("put of bytes {start}..{end} overlaps an earlier put of the same message: every byte is put exactly once")]
    PutOverlaps {
        /// First byte of the put.
        start: u64,
        /// One past its last byte.
        end: u64,
    },
    /// `gravel_send_fin` before every byte was put.
    #[error(
        "gravel_send_fin after {covered} of {bytes} bytes were put (to rank {peer}, {}): the puts must cover the message exactly", tag_text(*tag)
    )]
    IncompleteMessage {
        /// Bytes put.
        covered: u64,
        /// Bytes of the message.
        bytes: u64,
        /// Destination.
        peer: Rank,
        /// Tag.
        tag: i32,
    },
    /// The ranks of an all-to-all exchange disagree about the length of its blocks.
    #[error(
        "rank {source_rank} has sent {sent} bytes in an all-to-all exchange in which {expected} were expected: the counts \
         of all ranks must agree (MPI 4.0, section 6.8)"
    )]
    BlocksDiffer {
        /// Bytes that came.
        sent: u64,
        /// Bytes of a block here.
        expected: u64,
        /// Producer, in the communicator.
        source_rank: Rank,
    },
    /// A cancel of an operation that cannot be cancelled.
    #[error("an all-to-all exchange cannot be cancelled: the other ranks take part in it (MPI 4.0, section 6.12)")]
    CollectiveCancelled,
    /// A handle that names no live operation, or one of another kind.
    #[error(
        "handle {handle:#x} names no {expected}: it was completed already, or never returned by Gravel (wait once, and only for handles of its own)"
    )]
    StaleHandle {
        /// The handle that was given.
        handle: i64,
        /// `"request"`, `"open transfer"`, `"receive"`, `"message"` or `"persistent request"`.
        expected: &'static str,
    },
    /// A start of what was started already.
    #[error(
        "the persistent request {handle:#x} is active: wait for what it has started before it is started again (MPI 4.0, \
         section 3.9)"
    )]
    AlreadyStarted {
        /// The handle that was given.
        handle: i64,
    },
    /// The message was longer than the posted receive.
    #[error(
        "message of {sent} bytes from rank {source_rank} to rank {destination}, {}, is longer than the posted receive of {posted} bytes: nothing was transferred", tag_text(*tag)
    )]
    Truncated {
        /// Length of the message in bytes.
        sent: u64,
        /// Length of the posted receive in bytes.
        posted: u64,
        /// Producer.
        source_rank: Rank,
        /// Producer, as the communicator of the message counts; for statuses.
        source_in_communicator: Rank,
        /// Consumer.
        destination: Rank,
        /// Tag.
        tag: i32,
    },
    /// Messages of one key use different protocols.
    #[error(
        "messages of {}, {} use two protocols: use either gravel_post_rcv_buffer_rdma with gravel_wait_rcv_buffer and \
         gravel_post_send, or gravel_post_rcv_announced with gravel_post_snd_request and gravel_post_snd_buffer_rdma, for all \
         messages of one peer, communicator and tag",
        peer.map_or("any source".into(), |peer| format!("rank {peer}")), tag.map_or("any tag".into(), tag_text)
    )]
    MixedProtocols {
        /// The other rank, or any.
        peer: Option<Rank>,
        /// The tag, or any.
        tag: Option<i32>,
    },
    /// A wait for a range outside of its receive buffer.
    #[error(
        "range of {count} elements at offset {offset} is outside the receive buffer, which has {elements} elements"
    )]
    RangeOutsideReceive {
        /// First element.
        offset: i64,
        /// Elements.
        count: i64,
        /// Elements of the buffer.
        elements: u64,
    },
    /// What a launcher says in the environment cannot be used, or its ranks did not meet.
    #[error("starting without MPI: {0}")]
    Launcher(String),
    /// The other side gave the message up.
    #[error("rank {peer} could not complete its message ({}): see its own error text", tag_text(*tag))]
    PeerGaveUp {
        /// Producer.
        peer: Rank,
        /// Tag.
        tag: i32,
    },
    /// The other side's process has ended.
    #[error(
        "rank {peer} (process {pid} on host {host}) has ended while this rank waits for it: see that rank's output for the cause"
    )]
    PeerDied {
        /// The rank that ended.
        peer: Rank,
        /// Its process id.
        pid: u32,
        /// Its host.
        host: String,
    },
    /// The connection to the other side broke.
    #[error(
        "the connection to rank {peer} (process {pid} on host {host}) was lost while this rank waits for it ({cause}): the process has ended, or the network between the hosts failed; see that rank's output"
    )]
    ConnectionLost {
        /// The rank that cannot be reached any more.
        peer: Rank,
        /// Its process id.
        pid: u32,
        /// Its host.
        host: String,
        /// What the system said.
        cause: String,
    },
    /// A peer that no provider can reach.
    #[error("rank {peer} on host {host} cannot be reached: {reason}")]
    Unreachable {
        /// The rank in question.
        peer: Rank,
        /// Its host.
        host: String,
        /// Why, and what to do.
        reason: String,
    },
    /// Another rank failed in a collective call.
    #[error("rank {peer} failed in {call}: see its own error text")]
    CollectiveFailed {
        /// The first rank that failed.
        peer: Rank,
        /// Name of the collective call.
        call: &'static str,
    },
    /// A message that is no whole number of the elements that it was received as.
    #[error(
        "message of {bytes} bytes from rank {source_rank}, {}, is no whole number of elements of {element_bytes} bytes: receive it as \
         the type that it was sent as", tag_text(*tag)
    )]
    PartialElement {
        /// Length of the message in bytes.
        bytes: u64,
        /// Size of one element in bytes.
        element_bytes: u64,
        /// Producer.
        source_rank: Rank,
        /// Tag.
        tag: i32,
    },
    /// `finalize` while communicators are left that it has made.
    #[error(
        "{left} other communicators are left: drop them all before `finalize`, which ends the runtime that they share"
    )]
    CommunicatorsLeft {
        /// How many.
        left: usize,
    },
    /// A collective call of the Rust interface failed at this rank.
    #[error("{call} of all ranks failed: {cause}")]
    Collective {
        /// Name of the call.
        call: &'static str,
        /// Why.
        cause: Box<Error>,
    },
    /// The ranks of a collective call disagree about the length of what they exchange, or do not make the same call.
    #[error(
        "rank {source_rank} has sent {sent} bytes where {expected} were expected: all ranks make the same collective calls in \
         the same order, with lengths that agree"
    )]
    LengthsDiffer {
        /// Producer, in the communicator.
        source_rank: Rank,
        /// Bytes that came.
        sent: u64,
        /// Bytes that were expected.
        expected: u64,
    },
    /// A buffer that is not made of a block for each rank.
    #[error(
        "{elements} elements are not {blocks} blocks, one for each of {ranks} ranks, of {wanted} elements together: give alltoall a \
         multiple of the number of ranks, or alltoallv a count for each rank that lie in the buffer together"
    )]
    BlocksOutsideBuffer {
        /// Elements of the buffer.
        elements: usize,
        /// Number of blocks.
        blocks: usize,
        /// What they need together.
        wanted: usize,
        /// Number of ranks.
        ranks: Rank,
    },
    /// A call into the operating system failed.
    #[error("{what}: {cause}")]
    System {
        /// What was attempted, for whom, and what limit or permission it depends on.
        what: String,
        /// The system's text.
        cause: String,
    },
    /// A setting with a value that cannot be read.
    #[error("{name}={value} is not valid: expected {expected}")]
    InvalidSetting {
        /// Name of the environment variable.
        name: String,
        /// Its value.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
    /// A file that a setting names cannot be written.
    #[error("{name}: {path} cannot be written: {cause}")]
    Unwritable {
        /// Name of the environment variable.
        name: &'static str,
        /// The file.
        path: String,
        /// The system's text.
        cause: String,
    },
    /// A wait for what a rank has not done that has called `gravel_finalize`: found under `GRAVEL_CHECK`.
    #[error("{}", never(*waiting, *peer, *missing))]
    NeverComes {
        /// The rank that waits.
        waiting: Rank,
        /// The rank that it waits for.
        peer: Rank,
        /// What it waits for.
        missing: Missing,
    },
    /// `GRAVEL_CHECK` has found that the program breaks a rule of split-phase transfers.
    #[error("GRAVEL_CHECK: {0}")]
    RuleBroken(Violation),
    /// A null pointer where the C interface needs an object.
    #[error("argument {name} is a null pointer")]
    NullArgument {
        /// Name of the argument.
        name: &'static str,
    },
    /// The runtime broke one of its own rules.
    #[error("internal error of Gravel: {0}; please report it")]
    Internal(String),
}

impl Error {
    /// The code of the C interface for this error.
    pub fn code(&self) -> Code {
        match self {
            Self::CommunicatorsLeft { .. }
            | Self::NotInitialized
            | Self::AlreadyInitialized
            | Self::WithoutMpi
            | Self::Forked
            | Self::WrongThread => Code::State,
            Self::UnknownCommunicator { .. } | Self::Intercommunicator | Self::OutsideGroup { .. } => {
                Code::Communicator
            }
            Self::LeftToMpi => Code::LeftToMpi,
            Self::ToldAlready { .. } => Code::ToldAlready,
            Self::InvalidRank { .. } => Code::Rank,
            Self::Wildcard { .. } | Self::InvalidTag { .. } => Code::Tag,
            Self::InvalidCount { .. }
            | Self::BlocksDiffer { .. }
            | Self::LengthsDiffer { .. }
            | Self::PartialElement { .. }
            | Self::BlocksOutsideBuffer { .. } => Code::Count,
            Self::Collective { cause, .. } => cause.code(),
            Self::UnsupportedDatatype { .. } | Self::GapsInExchange { .. } => Code::Datatype,
            Self::NonContiguousBuffer
            | Self::NullBuffer { .. }
            | Self::BufferFull { .. }
            | Self::BufferChanged { .. } => Code::Buffer,
            Self::PutOutsideMessage { .. }
            | Self::PutOverlaps { .. }
            | Self::IncompleteMessage { .. }
            | Self::RangeOutsideReceive { .. }
            | Self::CollectiveCancelled
            | Self::AlreadyStarted { .. }
            | Self::StaleHandle { .. } => Code::Request,
            Self::Truncated { .. } => Code::Truncated,
            Self::RuleBroken(violation) => violation.code(),
            Self::PeerGaveUp { .. }
            | Self::NeverComes { .. }
            | Self::PeerDied { .. }
            | Self::ConnectionLost { .. }
            | Self::Unreachable { .. } => Code::Peer,
            Self::Mpi { .. }
            | Self::CollectiveFailed { .. }
            | Self::System { .. }
            | Self::InvalidSetting { .. }
            | Self::Unwritable { .. }
            | Self::NullArgument { .. }
            | Self::MixedProtocols { .. }
            | Self::RequestsMeet
            | Self::Launcher(_)
            | Self::Internal(_) => Code::Other,
        }
    }

    /// Whether no call of this process could succeed.
    pub(crate) fn is_of_process(&self) -> bool {
        matches!(self, Self::Forked | Self::WithoutMpi | Self::WrongThread | Self::NotInitialized)
    }

    /// An error of the operating system, with what was attempted.
    pub(crate) fn system(what: impl Into<String>, cause: &std::io::Error) -> Self {
        Self::System { what: what.into(), cause: cause.to_string() }
    }
}

/// Result of the runtime's own functions. The error is boxed: every call returns one of these, and hardly any an error.
pub type Result<T> = std::result::Result<T, Box<Error>>;
