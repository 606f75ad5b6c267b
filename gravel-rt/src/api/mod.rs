//! The Rust interface: typed messages, split-phase by ownership.
//!
//! A post takes its memory and the wait gives it back; in between a peer may write a receive buffer, or still read a
//! segment, and no safe program can reach it. Memory that is owned (vectors, boxed slices, static slices) can be posted
//! anywhere; memory that is borrowed inside a [`Gravel::scope`], which waits for what its body has not waited for.
//!
//! ```
//! # fn main() -> gravel::Result<()> {
//! use gravel::Gravel;
//!
//! let gravel = Gravel::from_environment()?;
//! let (rank, ranks) = (gravel.rank(), gravel.ranks());
//! let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
//!
//! let mut ghost = [0.0f64; 1000];
//! let mut edge = [0.0f64; 1000];
//! gravel.scope(|scope| {
//!     // Posted early: the producer learns where the buffer is.
//!     let receive = scope.post_receive(&mut ghost, previous, 7)?;
//!     // One handshake, a put per tile, one FIN.
//!     let mut transfer = scope.open_transfer(&mut edge, next, 7)?;
//!     for mut tile in transfer.tiles(64) {
//!         let first = tile.offset();
//!         for (index, element) in tile.iter_mut().enumerate() {
//!             *element = (first + index) as f64;
//!         }
//!         tile.put()?;
//!     }
//!     let send = transfer.finish()?;
//!     // ... compute what needs neither ...
//!     let received = receive.wait()?;
//!     assert_eq!(received.buffer[999], 999.0);
//!     send.wait()?;
//!     Ok(())
//! })?;
//! gravel.finalize()?;
//! # Ok(())
//! # }
//! ```
//!
//! # The calls
//!
//! | call | side | blocks? | in the paper's terms |
//! |---|---|---|---|
//! | [`Gravel::init`], [`Gravel::from_environment`] | all | collective | `gravel_init` |
//! | [`Gravel::post_receive`] | consumer | never | `gravel_post_rcv_buffer_rdma` |
//! | [`Gravel::post_segmented_receive`] | consumer | never | `gravel_post_rcv_segments` |
//! | [`SegmentedReceive::wait_range`], [`SegmentedReceive::next_part`] | consumer | yes | `gravel_wait_range` |
//! | [`Gravel::post_announced_receive`] | consumer | never | `gravel_post_rcv_announced` |
//! | [`Gravel::wait_announcement`] | consumer | yes | `gravel_wait_snd_request` |
//! | [`Gravel::open_transfer`] | producer | no | `gravel_wait_rcv_buffer` |
//! | [`Gravel::announce_transfer`] | producer | no | `gravel_post_snd_request` |
//! | [`Transfer::tile_length`], [`SegmentedReceive::tile_length`] | both | no | `gravel_tile` |
//! | [`Tile::put`], [`Transfer::put_to`] | producer | no | `gravel_post_os_put` |
//! | [`Transfer::finish`] | producer | no | `gravel_send_fin` |
//! | [`Gravel::post_send`] | producer | no | `gravel_post_send` |
//! | [`Gravel::announce_message`] | producer | no | `gravel_post_snd_buffer_rdma` |
//! | [`Gravel::post_send_synchronous`] and three more | producer | no | `gravel_post_send_synchronous` |
//! | [`Gravel::send`], [`Gravel::receive`], [`Gravel::send_receive`] and two more | both | yes; a send not up to the eager limit | |
//! | [`ReceiveRequest::wait`], [`SendRequest::wait`] | both | yes; not for a send up to the eager limit | `gravel_wait` |
//! | [`ReceiveRequest::test`], [`SendRequest::test`] | both | no | `gravel_test` |
//! | [`Gravel::wait_any`], [`Gravel::wait_all`] | both | as `wait` | `gravel_waitany`, `gravel_waitall` |
//! | [`ReceiveRequest::cancel`] | consumer | no | `gravel_cancel` |
//! | [`Gravel::send_announced`], [`Gravel::receive_announced`], [`Gravel::receive_vec`] | both | yes | |
//! | [`Gravel::barrier`], [`Gravel::broadcast`], [`Gravel::all_reduce`] | all | collective | |
//! | [`Gravel::alltoall`], [`Gravel::alltoallv`] | all | collective | |
//! | [`Scope::post_alltoall`], [`Scope::open_alltoall`] and two more | all | no | `gravel_post_alltoall`, `gravel_open_alltoall` |
//! | [`Gravel::split`], [`Gravel::duplicate`] | all | collective | |
//! | [`Gravel::finalize`] | all | collective | `gravel_finalize` |
//!
//! [`Scope`] has the posts for borrowed memory.
//!
//! # Leaks, drops and panics
//!
//! An operation that is dropped runs on, and its memory is freed when it is over; one that is leaked leaks its memory. In
//! a scope both are waited for at its end, as the threads of [`std::thread::scope`] are. Where nobody can tell whether a
//! peer still writes, after a panic inside the runtime, owned memory is never freed, and a scope aborts the process.
//!
//! # Threads
//!
//! [`Gravel`] and everything that borrows it stay with their thread. Contents of a tile are plain memory, which several
//! threads may fill.

mod blocking;
mod collectives;
mod communicators;
mod element;
mod gravel;
pub mod launcher;
mod matching;
mod memory;
mod operation;
mod post;
mod receive;
mod request;
mod scope;
mod segmented_receive;
mod send;
mod transfer;

#[cfg(feature = "mpi")]
mod mpi;

pub use collectives::{
    AllToAllReceive, AllToAllSend, AllToAllSendRequest, AllToAllTransfer, IncomingBlock, IncomingPart, OutgoingBlock,
    Reducible, Reduction,
};
pub use element::Element;
pub use gravel::Gravel;
pub use matching::{Outcome, Peer, Source, Status, Tag};
pub use memory::{Memory, OwnedMemory, WritableMemory};
pub use receive::{ReceiveRequest, Received};
pub use request::{Request, Tested};
pub use scope::Scope;
pub use segmented_receive::{Part, SegmentedReceive};
pub use send::SendRequest;
pub use transfer::{Tile, Tiles, Transfer};
