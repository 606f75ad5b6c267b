//! Reading and writing messages of a fixed length on sockets that do not block.

use std::io::{self, ErrorKind, Read as _};

use socket2::Socket;

/// A message of `N` bytes that comes in pieces.
pub struct ReadExact<const N: usize> {
    bytes: [u8; N],
    filled: usize,
}

impl<const N: usize> Default for ReadExact<N> {
    fn default() -> Self {
        Self { bytes: [0; N], filled: 0 }
    }
}

impl<const N: usize> ReadExact<N> {
    /// Reads what is there, and not a byte beyond the message: the message, once it is whole.
    pub fn read(&mut self, mut socket: &Socket) -> io::Result<Option<[u8; N]>> {
        while self.filled < N {
            match socket.read(&mut self.bytes[self.filled..]) {
                Ok(0) => return Err(io::Error::new(ErrorKind::UnexpectedEof, "the other side closed the connection")),
                Ok(count) => self.filled += count,
                Err(cause) if cause.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
        Ok(Some(self.bytes))
    }
}

/// Writes a few bytes, for which a socket that has carried nothing yet always has room.
pub fn send_all(socket: &Socket, bytes: &[u8]) -> io::Result<()> {
    match socket.send_with_flags(bytes, libc::MSG_NOSIGNAL)? {
        sent if sent == bytes.len() => Ok(()),
        _ => Err(ErrorKind::WriteZero.into()),
    }
}
