//! What the two sides of a message tell each other about it, whatever the interconnect between them.

use super::request::Handle;

/// Longest message that travels as eager data between any two ranks, in bytes, and whose receive sends no handshake.
/// Beyond, what the second copy costs exceeds what the handshake would, except
/// [where there is no copy to save](crate::provider::Capabilities::longest_eager).
pub const MAXIMUM_EAGER_DATA: u64 = 8 * 1024;

/// The consumer's buffer, as its handshake describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteBuffer {
    /// The consumer's receive.
    pub request: Handle,
    /// Address in the consumer's memory.
    pub address: u64,
    /// Posted length in bytes.
    pub bytes: u64,
}

/// What a handshake, or the answer to an announcement, tells the producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handshake {
    /// Where the message goes.
    pub buffer: RemoteBuffer,
    /// Whether the consumer wants to hear of every segment (see [`crate::engine::ranges`]).
    pub wants_segments: bool,
}

/// A message that is still at its producer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteMessage {
    /// The producer's transfer.
    pub transfer: Handle,
    /// Length of the message in bytes.
    pub bytes: u64,
    /// Where it lies in the producer's memory, if it may be read there: then all of it is there.
    pub address: Option<u64>,
}

/// Which receives of a match key send their handshakes because their producer has asked for that ([`crate::engine::question`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Asked {
    /// None: it has not asked.
    #[default]
    None,
    /// Those that are not short. A short one's wait does so, if it is in vain.
    NotShort,
    /// All, when they are posted: a synchronous send is over only when its receive is known to be there.
    All,
}

impl Asked {
    /// Whether a receive of so many bytes sends its handshake as soon as it can.
    #[inline(always)]
    pub fn covers(self, bytes: u64) -> bool {
        match self {
            Self::None => false,
            Self::NotShort => bytes > MAXIMUM_EAGER_DATA,
            Self::All => true,
        }
    }
}

/// What the end of a send says (MPI 4.0, section 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SendMode {
    /// That the message may be written again.
    #[default]
    Standard,
    /// Also that a receive has met it: see [`crate::engine::synchronous`].
    Synchronous,
}

/// What became of a receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum FinStatus {
    /// All data is in the receive buffer.
    Delivered = 0,
    /// The message was longer than the receive; nothing was written.
    Truncated = 1,
    /// The producer could not complete the message.
    GaveUp = 2,
    /// There was no message yet, and there will be none: the receive was cancelled.
    Withdrawn = 3,
}

/// How a receive ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fin {
    /// Whether the data is there.
    pub status: FinStatus,
    /// Length of the message in bytes.
    pub bytes: u64,
}
