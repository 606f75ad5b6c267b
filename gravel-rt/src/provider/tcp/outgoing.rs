//! The sending half of a connection: what the socket does not take now is kept here.
//!
//! Entries and eager data gather until they are flushed, so that what one call of the runtime sends leaves in one system
//! call. Data leaves at once, together with what was gathered; the part of one frame that the socket does not take is
//! copied, and no further data is taken until that has left.

use std::io::{self, IoSlice};

use socket2::Socket;

/// Bytes of entries and eager data that are kept; the rest stays with the protocol, which has its own queues.
const LIMIT: usize = 64 * 1024;
/// Frames that are sent at once.
pub const MOST_FRAMES: usize = 8;

/// The sending half of a connection.
#[derive(Debug, Default)]
pub struct Outgoing {
    buffer: Vec<u8>,
    /// How many bytes of the buffer have left.
    sent: usize,
    /// Whether the socket was full at the last attempt.
    is_blocked: bool,
}

impl Outgoing {
    /// Whether everything has left.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Whether the socket was full at the last attempt: then whoever has more waits until it has room.
    pub fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    /// Keeps a frame, which the next flush sends. False if too much is kept already: then the frame was not taken.
    pub fn keep(&mut self, parts: [&[u8]; 2]) -> bool {
        if self.buffer.len() - self.sent >= LIMIT {
            return false;
        }
        for part in parts {
            self.buffer.extend_from_slice(part);
        }
        true
    }

    /// Sends what is kept, as far as the socket takes it.
    pub fn flush(&mut self, socket: &Socket) -> io::Result<()> {
        self.send(socket, [&[], &[]])
    }

    /// Sends a frame behind what is kept. The frame counts as sent in any case: what the socket does not take is copied.
    pub fn send(&mut self, socket: &Socket, parts: [&[u8]; 2]) -> io::Result<()> {
        let kept = self.buffer.len() - self.sent;
        let sent = self.send_behind_kept(socket, kept, &[parts])?;
        self.copy_rest(sent.saturating_sub(kept), parts);
        Ok(())
    }

    /// Sends frames behind what is kept, in one system call where the socket takes them: it has less to do then for each.
    /// Returns how many count as sent; one of which the socket takes only a part does, and its rest is copied.
    pub fn send_several(&mut self, socket: &Socket, frames: &[[&[u8]; 2]]) -> io::Result<usize> {
        debug_assert!(frames.len() <= MOST_FRAMES);
        let kept = self.buffer.len() - self.sent;
        let mut sent = self.send_behind_kept(socket, kept, frames)?.saturating_sub(kept);
        for (before, &parts) in frames.iter().enumerate() {
            if sent == 0 {
                return Ok(before);
            }
            let length = parts[0].len() + parts[1].len();
            self.copy_rest(sent.min(length), parts);
            sent -= sent.min(length);
        }
        Ok(frames.len())
    }

    /// Keeps what follows the first bytes of a frame, which have left.
    fn copy_rest(&mut self, mut skip: usize, parts: [&[u8]; 2]) {
        for part in parts {
            let skipped = skip.min(part.len());
            skip -= skipped;
            self.buffer.extend_from_slice(&part[skipped..]);
        }
    }

    /// Sends what is kept, so many bytes, and then the frames, as far as the socket takes them. Returns how many bytes it has
    /// taken of all that.
    fn send_behind_kept(&mut self, socket: &Socket, kept: usize, frames: &[[&[u8]; 2]]) -> io::Result<usize> {
        let parts = frames.iter().flatten();
        let total = kept + parts.clone().map(|part| part.len()).sum::<usize>();
        let mut sent = 0;
        self.is_blocked = false;
        while sent < total {
            let mut rest = [IoSlice::new(&[]); 1 + 2 * MOST_FRAMES];
            let mut skip = sent;
            let all = std::iter::once(&self.buffer[self.sent..]).chain(parts.clone().copied());
            for (slice, part) in rest.iter_mut().zip(all) {
                let (before, after) = part.split_at(skip.min(part.len()));
                skip -= before.len();
                *slice = IoSlice::new(after);
            }
            let rest = &rest[..1 + 2 * frames.len()];
            match socket.send_vectored_with_flags(rest, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT) {
                Ok(count) => sent += count,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => {
                    self.is_blocked = true;
                    break;
                }
                Err(cause) => return Err(cause),
            }
        }
        let from_buffer = sent.min(kept);
        self.sent += from_buffer;
        if self.sent == self.buffer.len() {
            self.buffer.clear();
            self.sent = 0;
        }
        // A socket that was full for long must not keep what it has taken in memory.
        if self.sent >= LIMIT {
            self.buffer.drain(..self.sent);
            self.sent = 0;
        }
        Ok(sent)
    }

    /// Forgets everything: there is nobody any more who could receive it.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use socket2::{Domain, Type};
    use std::io::Read as _;

    fn pair() -> (Socket, Socket) {
        let (sender, receiver) = Socket::pair(Domain::UNIX, Type::STREAM, None).unwrap();
        for socket in [&sender, &receiver] {
            socket.set_nonblocking(true).unwrap();
        }
        sender.set_send_buffer_size(4096).unwrap();
        (sender, receiver)
    }

    fn read_all(mut receiver: &Socket, received: &mut Vec<u8>, at_most: usize) {
        let mut buffer = vec![0; at_most];
        if let Ok(count) = receiver.read(&mut buffer) {
            received.extend_from_slice(&buffer[..count]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Whatever the socket takes and when, every byte leaves once and in order.
        #[test]
        fn bytes_keep_their_order(steps in proptest::collection::vec((0u8..4, 0usize..30_000, 1usize..20_000), 1..30)) {
            let (sender, receiver) = pair();
            let mut outgoing = Outgoing::default();
            let (mut expected, mut received) = (Vec::new(), Vec::new());
            let mut next = 0u32;
            for (kind, length, drained) in steps {
                let frame: Vec<u8> = (0..length as u32).map(|byte| (((next + byte) * 7) >> 3) as u8).collect();
                next += length as u32;
                let (head, body) = frame.split_at(length / 9);
                match kind {
                    0 => {
                        if outgoing.keep([head, body]) {
                            expected.extend_from_slice(&frame);
                        }
                    }
                    1 => {
                        outgoing.send(&sender, [head, body]).unwrap();
                        expected.extend_from_slice(&frame);
                    }
                    2 => {
                        let (third, half) = (body.len() / 3, body.len() / 2);
                        let frames = [[head, &body[..third]], [&body[third..half], &[]], [&[], &body[half..]]];
                        let taken = outgoing.send_several(&sender, &frames).unwrap();
                        expected.extend(frames[..taken].iter().flatten().copied().flatten());
                    }
                    _ => outgoing.flush(&sender).unwrap(),
                }
                read_all(&receiver, &mut received, drained);
            }
            let mut rounds = 0;
            while !outgoing.is_empty() || received.len() < expected.len() {
                outgoing.flush(&sender).unwrap();
                read_all(&receiver, &mut received, 1 << 20);
                rounds += 1;
                prop_assert!(rounds < 10_000, "{} of {} bytes came", received.len(), expected.len());
            }
            prop_assert!(received == expected);
            // The last attempt may have been one of which the socket took nothing, so that nothing of it was kept.
            outgoing.flush(&sender).unwrap();
            prop_assert!(!outgoing.is_blocked());
        }
    }

    #[test]
    fn what_is_kept_has_a_limit() {
        let mut outgoing = Outgoing::default();
        let mut kept = 0;
        while outgoing.keep([&[0; 24], &[0; 8192]]) {
            kept += 1;
            assert!(kept < 100);
        }
        assert!(kept > 2);
        outgoing.clear();
        assert!(outgoing.is_empty());
    }

    #[test]
    fn a_closed_connection_is_an_error_and_no_signal() {
        let (sender, receiver) = pair();
        drop(receiver);
        let mut outgoing = Outgoing::default();
        assert!(outgoing.send(&sender, [&[1], &[2]]).is_err());
    }
}
