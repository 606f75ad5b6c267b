//! The connection to one peer.

use std::io;
use std::net::Shutdown;
use std::os::fd::AsRawFd as _;
use std::time::Duration;

use socket2::{Socket, TcpKeepalive};

use super::frame::{HEAD_BYTES, Head, MAXIMUM_DATA};
use super::incoming::{Ended, Found, Incoming};
use super::outgoing::{MOST_FRAMES, Outgoing};
use super::poller::Poller;
use crate::Rank;
use crate::error::{Error, Result};
use crate::memory::fork;
use crate::message::rendezvous::RemoteBuffer;
use crate::provider::{Put, PutOutcome, Sink};
use crate::sys::log;

/// A rank that is reached by TCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// Its rank.
    pub rank: Rank,
    /// Its process id, for messages.
    pub pid: u32,
    /// Its host's name, for messages.
    pub host: String,
    /// Whether it shares this rank's loopback interface.
    pub shares_loopback: bool,
}

/// How the system finds out that a host is gone from which nothing is awaited but bytes: it asks after a minute of
/// silence, and ends the connection when nobody has answered for some minutes. A stopped process does answer, through its
/// system.
const KEEPALIVE: TcpKeepalive =
    TcpKeepalive::new().with_time(Duration::from_secs(60)).with_interval(Duration::from_secs(30)).with_retries(8);

/// How a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Loss {
    /// In order: the peer's process has ended.
    Closed,
    /// Otherwise, and what the system said.
    Broken(String),
}

/// A connection that has proven to be the peer's.
pub struct Connection {
    peer: Rank,
    pid: u32,
    host: String,
    socket: Socket,
    incoming: Incoming,
    outgoing: Outgoing,
    /// Whether the poller watches for room to write.
    wants_room: bool,
    loss: Option<Loss>,
    /// Why nothing can be sent any more. What the peer sent before may still be there to be read.
    deaf: Option<Loss>,
}

impl Connection {
    /// Takes over a socket that has been proven to be the peer's.
    pub fn new(peer: &Peer, socket: Socket) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        socket.set_tcp_nodelay(true)?;
        socket.set_tcp_keepalive(&KEEPALIVE)?;
        fork::add_descriptor(socket.as_raw_fd());
        Ok(Self {
            peer: peer.rank,
            pid: peer.pid,
            host: peer.host.clone(),
            socket,
            incoming: Incoming::default(),
            outgoing: Outgoing::default(),
            wants_room: false,
            loss: None,
            deaf: None,
        })
    }

    /// Adds it to the set of those that are watched.
    pub fn watch(&self, poller: &Poller) -> io::Result<()> {
        poller.add(self.peer, &self.socket)
    }

    /// Whether everything has been handed to the system.
    pub fn is_flushed(&self) -> bool {
        self.outgoing.is_empty()
    }

    /// Whether something waits for room in the socket.
    pub fn is_blocked(&self) -> bool {
        self.outgoing.is_blocked()
    }

    /// Keeps a frame for the next flush. False if there is no room for it. A connection that is lost takes everything:
    /// nobody will miss it, and whoever waits for the peer gets the error.
    pub fn keep(&mut self, parts: [&[u8]; 2]) -> bool {
        self.deaf.is_some() || self.outgoing.keep(parts)
    }

    /// Sends what is kept, as far as there is room.
    pub fn flush(&mut self, poller: &Poller) {
        if self.deaf.is_none() {
            let result = self.outgoing.flush(&self.socket);
            self.after_sending(result, poller);
        }
    }

    /// Sends a frame behind what is kept, without a copy of what the socket takes. False if the socket is full: then the
    /// frame was not taken. A connection that is lost takes everything.
    pub fn send(&mut self, parts: [&[u8]; 2], poller: &Poller) -> bool {
        if self.deaf.is_none() {
            if self.outgoing.is_blocked() {
                return false;
            }
            let result = self.outgoing.send(&self.socket, parts);
            self.after_sending(result, poller);
        }
        true
    }

    /// Sends bytes into a posted buffer, as long as there is room.
    ///
    /// # Safety
    /// The source must be valid for the put's length, and nobody may write it during the call.
    pub unsafe fn put(&mut self, target: &RemoteBuffer, put: Put, poller: &Poller) -> Result<PutOutcome> {
        let mut taken = 0;
        while taken < put.bytes && !self.outgoing.is_blocked() {
            self.describe(self.deaf.as_ref())?;
            let mut heads = [[0; HEAD_BYTES]; MOST_FRAMES];
            let mut bodies: [&[u8]; MOST_FRAMES] = [&[]; MOST_FRAMES];
            let (mut count, mut end) = (0, taken);
            while count < MOST_FRAMES && end < put.bytes {
                let bytes = (put.bytes - end).min(MAXIMUM_DATA);
                let ends_message = put.ends_message && end + bytes == put.bytes;
                let head = Head::Data { request: target.request, offset: put.offset + end, bytes, ends_message };
                heads[count] = head.encode();
                // SAFETY: inside the source, which is valid and unwritten by the contract.
                bodies[count] = unsafe { std::slice::from_raw_parts(put.source.add(end as usize), bytes as usize) };
                count += 1;
                end += bytes;
            }
            let frames: [[&[u8]; 2]; MOST_FRAMES] = std::array::from_fn(|place| [&heads[place][..], bodies[place]]);
            let result = self.outgoing.send_several(&self.socket, &frames[..count]);
            // To a connection that is lost all of them have gone.
            let sent = *result.as_ref().unwrap_or(&count);
            taken += bodies[..sent].iter().map(|body| body.len() as u64).sum::<u64>();
            self.after_sending(result.map(drop), poller);
        }
        self.describe(self.deaf.as_ref())?;
        Ok(PutOutcome { taken, in_flight: 0, fin_sent: put.ends_message && taken == put.bytes })
    }

    /// Takes what has arrived, and sends what was waiting for room.
    pub fn poll(&mut self, sink: &mut dyn Sink, poller: &Poller) -> Found {
        if self.loss.is_some() {
            return Found::default();
        }
        let mut found = match self.incoming.receive(&self.socket, self.peer, sink) {
            Ok(found) => found,
            Err(ended) => {
                let loss = match ended {
                    Ended::Closed => Loss::Closed,
                    other => Loss::Broken(other.to_string()),
                };
                self.lose(loss, poller);
                Found { anything: true, news: true }
            }
        };
        if self.outgoing.is_blocked() {
            self.flush(poller);
            found.anything |= !self.outgoing.is_blocked();
        }
        found
    }

    /// An error if the connection is lost, and everything that came before has been taken.
    pub fn check(&self) -> Result<()> {
        self.describe(self.loss.as_ref())
    }

    fn describe(&self, loss: Option<&Loss>) -> Result<()> {
        let (peer, pid, host) = (self.peer, self.pid, &self.host);
        match loss {
            None => Ok(()),
            Some(Loss::Closed) => Err(Error::PeerDied { peer, pid, host: host.clone() }.into()),
            Some(Loss::Broken(cause)) => {
                Err(Error::ConnectionLost { peer, pid, host: host.clone(), cause: cause.clone() }.into())
            }
        }
    }

    fn after_sending(&mut self, result: io::Result<()>, poller: &Poller) {
        let result = result.and_then(|()| {
            let wanted = self.outgoing.is_blocked();
            if wanted != self.wants_room {
                poller.wants_room(self.peer, &self.socket, wanted)?;
                self.wants_room = wanted;
            }
            Ok(())
        });
        if let Err(cause) = result {
            self.outgoing.clear();
            self.deaf = Some(match cause.kind() {
                io::ErrorKind::BrokenPipe => Loss::Closed,
                _ => Loss::Broken(cause.to_string()),
            });
        }
    }

    fn lose(&mut self, loss: Loss, poller: &Poller) {
        log::info!("the connection to rank {} on host {} has ended: {loss:?}", self.peer, self.host);
        poller.remove(&self.socket);
        self.outgoing.clear();
        // The peer learns it, too. It may be gone already.
        let _ = self.socket.shutdown(Shutdown::Both);
        self.deaf.get_or_insert_with(|| loss.clone());
        self.loss = Some(loss);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        fork::remove_descriptor(self.socket.as_raw_fd());
    }
}
