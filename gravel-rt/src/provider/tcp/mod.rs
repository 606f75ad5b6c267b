//! The provider for ranks that are joined by a network: one TCP connection per pair.
//!
//! [`setup`] connects the pairs, with `accepting` and `dialing` as its two sides, and `authentication` makes sure
//! that nobody else comes in. A `connection` carries `frame`s: entries, eager data, and data of messages, which the
//! receiving side reads straight into the posted buffer. So puts keep their one-sided meaning as long as somebody reads:
//! the application while it polls, the pump thread ([`crate::progress::pump`]) while it is elsewhere, woken through the
//! `poller`. Notification after data is the stream's order.

mod accepting;
mod authentication;
mod body;
mod card;
mod connection;
mod dialing;
mod exact;
pub(crate) mod frame;
pub(crate) mod incoming;
pub mod interconnect;
mod outgoing;
mod poller;
pub mod setup;
mod survey;

use std::sync::Arc;

use self::connection::Connection;
use self::frame::{Head, MAXIMUM_EAGER, encode_entry};
use self::incoming::Found;
use self::poller::Poller;
use super::{Capabilities, Provider, Put, PutOutcome, Sink};
use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::MemoryRange;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{MAXIMUM_EAGER_DATA, RemoteBuffer};
use crate::message::request::Handle;
use crate::message::wire::Ledger;
use crate::provider::counters::{Path, PathCounters, ProviderCounters};
use crate::sys::tally::Tally;

/// What a socket keeps for whoever reads it later, in bytes: the length that systems give its buffer at first. They make it
/// longer where more comes at once.
const SOCKET_BUFFER: u64 = 128 * 1024;

/// Pieces handed to a connection.
static SENT: Path = Path { key: "tcp", text: "moved by tcp" };

/// The TCP provider of one rank.
pub struct TcpProvider {
    /// By rank; nothing for ranks that are reached otherwise.
    connections: Vec<Option<Connection>>,
    poller: Arc<Poller>,
    /// Peers for which frames are kept since the last `notify`.
    unflushed: Vec<Rank>,
    /// Whether something has come or left that the application may be waiting for.
    news: bool,
    /// Pieces that were put.
    moved: Tally,
}

impl TcpProvider {
    fn new(connections: Vec<Option<Connection>>) -> Result<Self> {
        let poller = Poller::new()?;
        for connection in connections.iter().flatten() {
            let failed = |cause| Error::system("watching tcp connections (limit: max_user_watches)", &cause);
            connection.watch(&poller).map_err(failed)?;
        }
        Ok(Self { connections, poller: Arc::new(poller), unflushed: Vec::new(), news: false, moved: Tally::default() })
    }

    /// The connection to a peer; only ranks that have one are asked for.
    fn connection(&mut self, peer: Rank) -> Result<&mut Connection> {
        let missing = || Error::Internal(format!("rank {peer} is not reached by tcp")).into();
        self.connections[peer].as_mut().ok_or_else(missing)
    }

    /// Keeps a frame until `notify`.
    fn keep(&mut self, peer: Rank, parts: [&[u8]; 2]) -> bool {
        let kept = self.connection(peer).is_ok_and(|connection| connection.keep(parts));
        // A refusal must lead to an attempt to send, too: otherwise nothing would ever make room.
        if self.unflushed.last() != Some(&peer) {
            self.unflushed.push(peer);
        }
        kept
    }

    fn poll_connection(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        let Some(connection) = &mut self.connections[peer] else { return false };
        let Found { anything, news } = connection.poll(sink, &self.poller);
        self.news |= news;
        anything
    }
}

impl Provider for TcpProvider {
    fn post(&mut self, peer: Rank, ledger: Ledger, entry: &Entry) -> bool {
        self.news |= ledger == Ledger::Fin;
        self.keep(peer, [&encode_entry(ledger, entry), &[]])
    }

    unsafe fn put(&mut self, peer: Rank, target: &RemoteBuffer, put: Put) -> Result<PutOutcome> {
        let is_inside = put.offset.checked_add(put.bytes).is_some_and(|end| end <= target.bytes);
        if !is_inside {
            let (bytes, offset) = (put.bytes, put.offset);
            return Err(Error::Internal(format!("put of {bytes} bytes at {offset} is outside its buffer")).into());
        }
        let poller = Arc::clone(&self.poller);
        // SAFETY: passed on.
        let outcome = unsafe { self.connection(peer)?.put(target, put, &poller) };
        self.news |= outcome.as_ref().map_or(true, |outcome| outcome.fin_sent);
        if let Ok(PutOutcome { taken: bytes @ 1.., .. }) = outcome {
            self.moved.add(bytes);
        }
        outcome
    }

    unsafe fn put_eager(&mut self, key: MatchKey, number: u64, source: *const u8, bytes: u64) -> bool {
        let head = Head::Eager { communicator: key.communicator, tag: key.tag, number, bytes };
        // SAFETY: the source is valid for its length by the contract.
        let body = unsafe { std::slice::from_raw_parts(source, bytes as usize) };
        if bytes <= MAXIMUM_EAGER_DATA {
            return self.keep(key.peer, [&head.encode(), body]);
        }
        // A long one leaves from where it is.
        let poller = Arc::clone(&self.poller);
        self.connection(key.peer).is_ok_and(|connection| connection.send([&head.encode(), body], &poller))
    }

    fn poll(&mut self, peer: Rank, sink: &mut dyn Sink) -> bool {
        self.poll_connection(peer, sink)
    }

    fn poll_all(&mut self, _: Rank, sink: &mut dyn Sink) -> bool {
        let mut any = false;
        // The system lists those first that have waited longest.
        for ready in self.poller.ready() {
            any |= self.poll_connection(ready.peer, sink);
        }
        any
    }

    unsafe fn register(&mut self, _: Rank, _: Handle, _: MemoryRange) -> Vec<Entry> {
        Vec::new()
    }

    fn notify(&mut self) {
        while let Some(peer) = self.unflushed.pop() {
            if let Some(connection) = &mut self.connections[peer]
                && !connection.is_blocked()
            {
                connection.flush(&self.poller);
            }
        }
    }

    /// To send an entry costs a system call.
    fn notify_soon(&mut self) {}

    fn keeps_something(&self) -> bool {
        !self.unflushed.is_empty()
    }

    /// What was kept is what the peer may be waiting for.
    fn prepare(&mut self, _: Rank) {
        self.notify();
    }

    fn capabilities(&self, _: Rank) -> Capabilities {
        // The pump thread polls, and needs not be asked.
        Capabilities {
            longest_eager: MAXIMUM_EAGER,
            longest_unread: SOCKET_BUFFER,
            sees_landings: true,
            grants_come_first: true,
            ..Capabilities::default()
        }
    }

    fn check_alive(&self, peer: Rank) -> Result<()> {
        self.connections[peer].as_ref().map_or(Ok(()), Connection::check)
    }

    fn is_flushed(&self) -> bool {
        self.connections.iter().flatten().all(Connection::is_flushed)
    }

    fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    fn counters(&self) -> ProviderCounters {
        ProviderCounters { paths: PathCounters::of([(&SENT, self.moved)]), ..ProviderCounters::default() }
    }
}
