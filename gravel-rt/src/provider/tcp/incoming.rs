//! The receiving half of a connection: bytes become entries, eager data, and data that is read straight into posted
//! buffers.
//!
//! Heads and short frames pass through a small buffer of fixed length. Of longer ones, only what came in one read with a
//! head does; the rest is read by the system into its place ([`Body`]), which the protocol names again for every read: a
//! receive that was given up meanwhile has none, and its bytes are dropped.

use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;

use super::body::Body;
use super::frame::{ENTRY_BODY_BYTES, HEAD_BYTES, Head, Malformed, decode_entry};
use crate::Rank;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::MAXIMUM_EAGER_DATA;
use crate::provider::Sink;

/// Room for the longest frame that is whole before it is handed over, and then some.
const BUFFER_BYTES: usize = 16 * 1024;
const _: () = assert!(HEAD_BYTES as u64 + MAXIMUM_EAGER_DATA <= BUFFER_BYTES as u64 / 2 + HEAD_BYTES as u64);
/// Bytes taken from one connection by one poll, so that a flood from one peer neither starves the others nor keeps the
/// engine locked for long.
const POLL_BYTES: usize = 512 * 1024;

/// What a poll of a connection found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// Whether anything came.
    pub anything: bool,
    /// Whether something came that the application may be waiting for: not only a part of a message.
    pub news: bool,
}

/// Why no more can be received.
#[derive(Debug, thiserror::Error)]
pub enum Ended {
    /// The peer has closed the connection, or its system did when the process ended.
    #[error("closed by the peer")]
    Closed,
    /// The system says why.
    #[error("{0}")]
    System(#[from] io::Error),
    /// The peer does not speak this protocol any more.
    #[error("the peer sent {0}")]
    Malformed(#[from] Malformed),
}

/// The receiving half of a connection.
pub struct Incoming {
    buffer: Box<[u8; BUFFER_BYTES]>,
    /// Where the bytes begin that have not been taken, and where they end.
    start: usize,
    end: usize,
    body: Option<Body>,
}

impl Default for Incoming {
    fn default() -> Self {
        Self { buffer: Box::new([0; BUFFER_BYTES]), start: 0, end: 0, body: None }
    }
}

impl Incoming {
    /// Takes what has arrived on a socket that does not block.
    pub fn receive(&mut self, socket: &impl AsRawFd, peer: Rank, sink: &mut dyn Sink) -> Result<Found, Ended> {
        let mut found = Found::default();
        let mut taken = 0;
        while taken < POLL_BYTES {
            let landing = self.landing(peer, sink);
            // SAFETY: the landing is valid for its length by the contract of `Sink::landing`, or memory of the body, which
            // stays where it is.
            let Some(count) = (unsafe { self.read(socket, landing) })? else { break };
            found.anything = true;
            taken += count.bytes;
            if count.landed > 0 {
                found.news |= self.advance_body(count.landed, peer, sink);
            }
            found.news |= self.take_buffered(peer, sink)?;
            if count.was_short {
                break;
            }
        }
        Ok(found)
    }

    /// Where the rest of the frame that is being received goes.
    fn landing(&mut self, peer: Rank, sink: &mut dyn Sink) -> Option<(NonNull<u8>, usize)> {
        let body = self.body.as_mut()?;
        let place = body.landing(body.remaining(), peer, sink)?;
        // It lies in memory, so its length fits.
        Some((place, body.remaining() as usize))
    }

    /// Reads into the landing first, and what comes behind it into the buffer. Nothing if nothing has come.
    ///
    /// # Safety
    /// The landing must be valid for writes of its length.
    unsafe fn read(
        &mut self,
        socket: &impl AsRawFd,
        landing: Option<(NonNull<u8>, usize)>,
    ) -> Result<Option<Count>, Ended> {
        let rest = &mut self.buffer[self.end..];
        let buffer = libc::iovec { iov_base: rest.as_mut_ptr().cast(), iov_len: rest.len() };
        let landed = landing.map_or(0, |(_, length)| length);
        let place =
            landing.map_or(buffer, |(place, length)| libc::iovec { iov_base: place.as_ptr().cast(), iov_len: length });
        let (vectors, asked) = ([place, buffer], landed + rest.len());
        let (first, vectors_used) = if landing.is_some() { (0, 2) } else { (1, 1) };
        loop {
            // SAFETY: both vectors are valid for writes: one by the contract, the other is the buffer's rest.
            let count = unsafe { libc::readv(socket.as_raw_fd(), vectors[first..].as_ptr(), vectors_used) };
            match usize::try_from(count) {
                Ok(0) => return Err(Ended::Closed),
                Ok(count) => {
                    let landed = count.min(landed);
                    self.end += count - landed;
                    return Ok(Some(Count { bytes: count, landed: landed as u64, was_short: count < asked }));
                }
                Err(_) => match io::Error::last_os_error() {
                    cause if cause.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                    cause if cause.kind() == io::ErrorKind::Interrupted => {}
                    cause => return Err(cause.into()),
                },
            }
        }
    }

    /// Takes whole frames, and parts of data, out of the buffer. True if there was news.
    fn take_buffered(&mut self, peer: Rank, sink: &mut dyn Sink) -> Result<bool, Malformed> {
        let mut news = false;
        loop {
            let buffered = &self.buffer[self.start..self.end];
            if let Some(body) = &mut self.body {
                let count = body.remaining().min(buffered.len() as u64);
                if count == 0 {
                    break;
                }
                body.take(&buffered[..count as usize], peer, sink);
                self.start += count as usize;
                news |= self.advance_body(count, peer, sink);
                continue;
            }
            let Some((head, rest)) = buffered.split_first_chunk::<HEAD_BYTES>() else { break };
            let head = Head::decode(head)?;
            match head {
                Head::Entry { words, .. } => {
                    let Some(body) = rest.first_chunk::<ENTRY_BODY_BYTES>() else { break };
                    sink.control(peer, &decode_entry(words, body));
                }
                Head::Eager { communicator, tag, number, bytes } if bytes <= MAXIMUM_EAGER_DATA => {
                    let Some(bytes) = rest.get(..bytes as usize) else { break };
                    sink.eager(MatchKey { peer, communicator, tag }, number, bytes);
                }
                Head::Data { .. } | Head::Eager { .. } => {
                    self.body = Body::begin(head, peer, sink);
                    self.start += HEAD_BYTES;
                    continue;
                }
            }
            news = true;
            self.start += HEAD_BYTES + head.body_bytes() as usize;
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        Ok(news)
    }

    /// So many bytes of the body are in their place. True if a message has ended with them, or somebody waits for its parts.
    fn advance_body(&mut self, count: u64, peer: Rank, sink: &mut dyn Sink) -> bool {
        let Some(body) = &mut self.body else { return false };
        let is_news = body.advance(count, peer, sink);
        if body.remaining() > 0 {
            return is_news;
        }
        self.body.take().is_some_and(|body| body.end(peer, sink)) || is_news
    }
}

/// What one read brought.
struct Count {
    bytes: usize,
    /// How many of them went into the landing.
    landed: u64,
    /// Whether there was less than asked for: then nothing more is there.
    was_short: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::communicator::CommunicatorId;
    use crate::message::ledger::Entry;
    use crate::message::rendezvous::{Fin, FinStatus};
    use crate::message::request::Handle;
    use crate::message::wire::{Control, Ledger};
    use crate::provider::tcp::frame::{MAXIMUM_DATA, encode_entry};
    use proptest::prelude::*;
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;

    /// The receive that takes eager data, and its number.
    const EAGER_REQUEST: i64 = 6;
    const EAGER_NUMBER: u64 = 77;

    /// A consumer with a posted buffer, and another one for eager data.
    #[derive(Default)]
    struct Consumer {
        request: i64,
        buffer: Vec<u8>,
        eager_buffer: Option<Vec<u8>>,
        landed: Vec<u64>,
        parts: Vec<(u64, u64)>,
        eager_parts: Vec<(u64, u64)>,
        entries: Vec<Entry>,
        eager: Vec<(MatchKey, u64, Vec<u8>)>,
    }

    impl Sink for Consumer {
        fn control(&mut self, _: Rank, entry: &Entry) {
            self.entries.push(*entry);
        }

        fn eager(&mut self, key: MatchKey, number: u64, bytes: &[u8]) {
            self.eager.push((key, number, bytes.into()));
        }

        fn eager_landing(&mut self, _: MatchKey, number: u64, bytes: u64) -> Option<Handle> {
            let fits = self.eager_buffer.as_ref().is_some_and(|buffer| bytes <= buffer.len() as u64);
            (number == EAGER_NUMBER && fits).then_some(Handle::from_raw(EAGER_REQUEST))
        }

        fn eager_landed(&mut self, _: Rank, request: Handle, bytes: u64) {
            assert_eq!(request.into_raw(), EAGER_REQUEST);
            self.landed.push(bytes);
        }

        fn landed(&mut self, _: Rank, request: Handle, start: u64, end: u64) -> bool {
            match request.into_raw() {
                EAGER_REQUEST => self.eager_parts.push((start, end)),
                request if request == self.request => self.parts.push((start, end)),
                _ => {}
            }
            true
        }

        fn landing(&mut self, _: Rank, request: Handle, offset: u64, bytes: u64) -> Option<NonNull<u8>> {
            let buffer = match request.into_raw() {
                EAGER_REQUEST => self.eager_buffer.as_mut()?,
                request if request == self.request => &mut self.buffer,
                _ => return None,
            };
            let end = offset.checked_add(bytes).filter(|&end| end <= buffer.len() as u64)?;
            Some(NonNull::from(&mut buffer[offset as usize..end as usize]).cast())
        }
    }

    /// Sends bytes in pieces of the given lengths, and receives after each.
    fn transmit(bytes: &[u8], pieces: &[usize], consumer: &mut Consumer) -> Result<(), Ended> {
        let (mut here, there) = UnixStream::pair().unwrap();
        there.set_nonblocking(true).unwrap();
        let mut incoming = Incoming::default();
        let mut lengths = pieces.iter().copied().cycle();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(lengths.next().unwrap_or(4096).clamp(1, 8192).min(rest.len()));
            rest = behind;
            here.write_all(piece).unwrap();
            while incoming.receive(&there, 3, consumer)?.anything {}
        }
        drop(here);
        match incoming.receive(&there, 3, consumer) {
            Err(Ended::Closed) => Ok(()),
            other => panic!("the end was not seen: {other:?}"),
        }
    }

    fn data(request: i64, offset: u64, ends_message: bool, bytes: &[u8]) -> Vec<u8> {
        let request = Handle::from_raw(request);
        let head = Head::Data { request, offset, bytes: bytes.len() as u64, ends_message };
        [&head.encode()[..], bytes].concat()
    }

    fn pattern(length: usize) -> Vec<u8> {
        (0..length).map(|position| (position * 31 + position / 256) as u8).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// However the stream is cut, frames come out whole and in order, and data lands in its place.
        #[test]
        fn streams_survive_any_cuts(
            pieces in proptest::collection::vec(1usize..6000, 1..8), first in 1usize..40_000,
            eager in prop_oneof![0usize..8193, 8193usize..65_537], posted in proptest::option::of(8000usize..70_000),
        ) {
            let message = pattern(70_000);
            let entry: Entry = [2, 3, 4, 5, 6, 7, 8];
            let communicator = CommunicatorId::from_wire(9);
            let head = Head::Eager { communicator, tag: -4, number: EAGER_NUMBER, bytes: eager as u64 };
            let stream = [
                data(5, 0, false, &message[..first]),
                encode_entry(Ledger::Handshake, &entry).to_vec(),
                head.encode().to_vec(),
                message[..eager].to_vec(),
                data(5, first as u64, true, &message[first..]),
            ]
            .concat();
            let eager_buffer = posted.map(|length| vec![0; length]);
            let mut consumer =
                Consumer { request: 5, buffer: vec![0; 70_000], eager_buffer, ..Consumer::default() };
            transmit(&stream, &pieces, &mut consumer).unwrap();
            prop_assert!(consumer.buffer == message);
            let fin = Fin { status: FinStatus::Delivered, bytes: 70_000 };
            let fin = Control::Fin { request: Handle::from_raw(5), fin }.encode();
            prop_assert_eq!(&consumer.entries, &[entry, fin]);
            // What has landed is told at once, and nothing twice.
            let end = consumer.parts.iter().fold(0, |end, part| if part.0 == end { part.1 } else { u64::MAX });
            prop_assert_eq!(end, 70_000);
            prop_assert!(first < 12_000 || consumer.parts.len() > 2);
            let key = MatchKey { peer: 3, communicator, tag: -4 };
            if eager > 8192 && posted.is_some_and(|length| eager <= length) {
                prop_assert_eq!(&consumer.landed, &[eager as u64]);
                let end = consumer.eager_parts.iter().fold(0, |end, part| if part.0 == end { part.1 } else { u64::MAX });
                prop_assert_eq!(end, eager as u64);
                let buffer = consumer.eager_buffer.unwrap();
                prop_assert!(buffer[..eager] == message[..eager] && buffer[eager..].iter().all(|&byte| byte == 0));
                prop_assert!(consumer.eager.is_empty());
            } else {
                prop_assert!(consumer.eager == [(key, EAGER_NUMBER, message[..eager].to_vec())]);
                prop_assert!(consumer.landed.is_empty());
            }
        }

        /// Random bytes end the connection or are taken as frames, and never reach memory that was not offered.
        #[test]
        fn garbage_writes_nowhere(
            mut bytes in proptest::collection::vec(any::<u8>(), 1..4000), kind in 0u8..6, request in 0u8..8,
        ) {
            bytes[0] = kind;
            for (place, byte) in bytes.iter_mut().enumerate().take(16).skip(1) {
                *byte = if place == 8 { request } else if matches!(place, 4 | 5) { *byte } else { 0 };
            }
            let mut consumer = Consumer { request: 5, buffer: vec![0xaa; 100], ..Consumer::default() };
            match transmit(&bytes, &[700], &mut consumer) {
                Ok(()) | Err(Ended::Malformed(_)) => {}
                Err(other) => panic!("{other}"),
            }
            if kind != 3 || request != 5 {
                prop_assert!(consumer.buffer.iter().all(|&byte| byte == 0xaa));
            }
        }
    }

    #[test]
    fn data_for_nobody_is_dropped_and_what_follows_is_not() {
        let stream = [
            data(6, 0, true, &pattern(100_000)),
            data(5, 90, false, &pattern(20)),
            data(5, u64::MAX - 30, false, &pattern(20)),
            data(5, 10, false, &pattern(90)),
        ]
        .concat();
        let mut consumer = Consumer { request: 5, buffer: vec![0xaa; 100], ..Consumer::default() };
        transmit(&stream, &[5000], &mut consumer).unwrap();
        assert_eq!(consumer.buffer[..10], [0xaa; 10]);
        assert_eq!(consumer.buffer[10..], pattern(90));
    }

    #[test]
    fn the_longest_frames_need_no_more_memory() {
        let long = pattern(MAXIMUM_DATA as usize);
        let mut consumer = Consumer { request: 5, buffer: vec![0; long.len()], ..Consumer::default() };
        transmit(&data(5, 0, true, &long), &[8192], &mut consumer).unwrap();
        assert!(consumer.buffer == long);
    }
}
