//! What an observer asks of the runtime whose calls it watches, so that it needs to know no more of it.

use super::MessageOfReceive;
use crate::check::standstill::WaitingCall;
use crate::engine::completion::{AnyError, Completion};
use crate::engine::inquiry::Doing;
use crate::error::Result;
use crate::message::matching::Pattern;
use crate::message::request::Handle;
use crate::tile::ForcedTile;

/// The calls of a runtime that an observer makes in the program's place, and what it is told beside them. Calls that name a
/// message differ so much that whoever has them watched hands each over ([`super::Observer::receive`] and its like).
pub(crate) trait Calls {
    /// Iterations per tile of the loop that fills or reads a message.
    fn tile(&mut self, transfer: Handle, iterations: i64, multiple: i64) -> Result<i64>;

    /// Puts a segment.
    fn put(&mut self, transfer: Handle, address: usize, offset: i64, count: i64) -> Result<()>;

    /// Ends a transfer.
    fn send_fin(&mut self, transfer: Handle) -> Result<Handle>;

    /// Gives a transfer up that was not ended.
    fn give_up(&mut self, transfer: Handle) -> Result<()>;

    /// Waits for a request.
    fn wait(&mut self, request: Handle) -> Result<Completion>;

    /// Completes a request if that is possible now.
    fn test(&mut self, request: Handle) -> Result<Option<Completion>>;

    /// Waits for any of several requests.
    fn block_until_any(&mut self, requests: &[Handle]) -> std::result::Result<Option<(usize, Completion)>, AnyError>;

    /// Waits for a part of a message.
    fn wait_range(&mut self, request: Handle, offset: i64, count: i64) -> Result<()>;

    /// Waits for an announcement.
    fn wait_announcement(&mut self, source: i32, tag: i32, communicator: i32) -> Result<Completion>;

    /// Withdraws a receive.
    fn cancel(&mut self, request: Handle) -> Result<()>;

    /// The messages that a receive with these arguments would take; none from nobody.
    fn pattern(&mut self, source: i32, tag: i32, communicator: i32) -> Result<Option<Pattern>>;

    /// Whether a rank, as given, is MPI_PROC_NULL.
    fn is_nobody(&self, rank: i32) -> bool;

    /// What the settings say about tiles.
    fn forced_tile(&self) -> Option<ForcedTile>;

    /// The message that a receive is for.
    fn message_of(&self, request: Handle) -> Option<MessageOfReceive>;

    /// Where the rules are checked: the application begins a wait in this call, or has ended it.
    fn note_doing(&self, doing: Doing, call: WaitingCall);

    /// Likewise: a test was in vain.
    fn note_vain_test(&self, request: Handle, call: WaitingCall);
}
