//! Gravel's runtime: split-phase, one-sided message transfer beside MPI.
//!
//! A receive is posted early and tells the producer where its buffer is; the producer puts segments of the message
//! straight into that buffer as they are computed; both sides wait late. Programs reach the runtime through the C
//! interface ([`abi`], `include/gravel.h`, `fortran/gravel.f90`), mostly in code that `gravelc` has written.
//!
//! # The calls
//!
//! | call | side | blocks? | what |
//! |---|---|---|---|
//! | `gravel_init` | all | collective | connects the ranks of a communicator |
//! | `gravel_attach` | all of a new communicator | collective | lets messages travel on it |
//! | `gravel_post_rcv_buffer_rdma` | consumer | never | registers the receive buffer and sends the handshake |
//! | `gravel_wait_rcv_buffer` | producer | no | opens the transfer of the next message |
//! | `gravel_tile` | producer | no | iterations per tile of the loop that fills the message |
//! | `gravel_worth_overlapping` | both | no | whether work in front of the end of an exchange pays |
//! | `gravel_post_os_put` | producer | no | puts a segment; queues it if the handshake has not come |
//! | `gravel_send_fin` | producer | no | ends the message; the transfer becomes a request |
//! | `gravel_post_send` | producer | no | the three calls above for a whole message |
//! | `gravel_post_send_copied` | producer | no | a copy of a whole message: what was sent may be written at once |
//! | `gravel_post_rcv_segments` | consumer | never | as `gravel_post_rcv_buffer_rdma`, for `gravel_wait_range` |
//! | `gravel_wait_range` | consumer | yes | waits for a part of a message |
//! | `gravel_post_snd_request` | producer | no | announces a message and opens its transfer |
//! | `gravel_post_snd_buffer_rdma` | producer | no | announces a whole message, which the consumer may read |
//! | `gravel_post_snd_buffer_copied` | producer | no | announces a copy of a whole message |
//! | `gravel_post_send_synchronous`, and `_synchronous` others | producer | no | as these, over only when a receive has met it |
//! | `gravel_prepare_receive`, `gravel_prepare_send`, and `_announced_` ones | both | no | describes a persistent operation |
//! | `gravel_start`, `gravel_startall` | both | no | begins persistent operations |
//! | `gravel_release` | both | no | gives a persistent request back |
//! | `gravel_post_rcv_announced` | consumer | no | receives an announced message, from any source if wanted |
//! | `gravel_wait_snd_request` | consumer | yes | waits for an announcement |
//! | `gravel_wait`, `gravel_waitany` | both | yes; not for a send up to the eager limit that is not synchronous | completes a request |
//! | `gravel_test` | both | no | completes a request if that is possible now |
//! | `gravel_cancel` | consumer | no | withdraws a receive that no message has met; ends a send without its receiver |
//! | `gravel_finalize` | all | collective | flushes, reports leaks, frees everything |
//!
//! # How it is built
//!
//! - [`runtime`] checks the arguments of calls and decides who progresses: the application's thread in a wait
//!   ([`progress::wait`]), or the helper thread ([`progress::helper`]) and the pump thread ([`progress::pump`]) while the
//!   application is elsewhere.
//! - [`engine`] is the state of a rank under one lock, and the protocols that change it: [`engine::consumer_write`],
//!   [`engine::producer_write`], [`engine::producer_read`].
//! - [`provider`] moves bytes: [`provider::shm`] between the ranks of one host, [`provider::verbs`] and [`provider::tcp`]
//!   between hosts. The engine sees ledgers, puts, polls and a doorbell.
//! - [`message`] is what all of them speak of: matching keys, handles, datatypes, the entries of ledgers.
//! - [`memory`] makes receive buffers writable for peers by page adoption, and keeps `fork` safe.
//! - [`observe`] watches all of it for [`stats`], [`trace`] and [`check`], where the [`settings`] ask for that.
//! - [`tile`] and [`mod@overlap`] decide how finely loops are cut, and which exchanges are worth overlapping.
//! - [`plain`] says what the macros for Rust may take for a number.
//! - [`host`] is what the runtime needs of MPI; it links none.
//! - [`error`] and [`sys`] are the ground: they import nothing else of the runtime.
//!
//! Which room may import which is held by a test (`tests/house.rs`).
//!
//! # Invariants
//!
//! - A message consumes exactly one posted receive, and the k-th message meets the k-th receive of its (peer,
//!   communicator, tag), whatever path its bytes take; receives with wildcards are matched as in MPI.
//! - All messages of a (peer, communicator, tag) use one protocol; a mixture is an error.
//! - No byte is written outside a posted buffer: lengths are compared when message and receive meet, and offsets
//!   are checked again, without wrap-around, before any memory of another process is written.
//! - No post blocks. What a ledger or the staging ring cannot take is queued without bound.
//! - The helper thread and the pump thread make no MPI call, and with nothing pending nothing wakes.
//! - Nothing sleeps or calls MPI while the engine is locked.

pub mod abi;
pub mod api;
pub mod check;
pub mod engine;
pub mod error;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod host;
pub mod memory;
pub mod message;
pub mod observe;
pub mod overlap;
pub mod plain;
pub mod progress;
pub mod provider;
pub mod runtime;
pub mod settings;
pub mod stats;
pub mod sys;
pub mod tile;
pub mod trace;

pub use api::{
    AllToAllReceive, AllToAllSend, AllToAllSendRequest, AllToAllTransfer, Element, Gravel, IncomingBlock, IncomingPart,
    Memory, Outcome, OutgoingBlock, OwnedMemory, Part, Peer, ReceiveRequest, Received, Reducible, Reduction, Request,
    Scope, SegmentedReceive, SendRequest, Source, Status, Tag, Tested, Tile, Tiles, Transfer, WritableMemory,
};
pub use error::{Code, Error, Result};
#[cfg(feature = "macros")]
pub use gravel_macros::{Element, overlap, overlapped};
pub use message::rendezvous::SendMode;
pub use runtime::{Buffer, MpiConstants, Runtime};

/// Number of a process in the communicator given to `gravel_init`.
pub type Rank = usize;
