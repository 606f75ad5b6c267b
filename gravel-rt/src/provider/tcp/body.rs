//! What is being received of a frame whose body does not pass through the connection's buffer as a whole: data of a message,
//! or eager data that is too long for that.

use std::ptr::NonNull;

use super::frame::Head;
use crate::Rank;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{Fin, FinStatus};
use crate::message::request::Handle;
use crate::message::wire::Control;
use crate::provider::Sink;
use crate::sys::log;

/// The rest of a frame.
#[derive(Debug)]
pub struct Body {
    kind: Kind,
    /// Where the next byte goes, in bytes from the start of the receive buffer or of the eager message.
    offset: u64,
    remaining: u64,
}

#[derive(Debug)]
enum Kind {
    /// Data for a posted receive.
    Data { request: Handle, ends_message: bool },
    /// Eager data that goes straight into its receive, which was posted before it came.
    EagerInPlace { request: Handle },
    /// Eager data that is collected.
    Eager { key: MatchKey, number: u64, collected: Box<[u8]> },
}

impl Body {
    /// The body that follows a head. Nothing if it is that of an entry.
    pub fn begin(head: Head, peer: Rank, sink: &mut dyn Sink) -> Option<Self> {
        match head {
            Head::Entry { .. } => None,
            Head::Data { request, offset, bytes, ends_message } => {
                Some(Self { kind: Kind::Data { request, ends_message }, offset, remaining: bytes })
            }
            Head::Eager { communicator, tag, number, bytes } => {
                let key = MatchKey { peer, communicator, tag };
                let kind = match sink.eager_landing(key, number, bytes) {
                    Some(request) => Kind::EagerInPlace { request },
                    // The length of a frame has a limit.
                    None => Kind::Eager { key, number, collected: vec![0; bytes as usize].into() },
                };
                Some(Self { kind, offset: 0, remaining: bytes })
            }
        }
    }

    /// How many bytes of it are still to come.
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Where the next `bytes` go, which must be no more than remain. Nothing if nobody wants them any more.
    pub fn landing(&mut self, bytes: u64, peer: Rank, sink: &mut dyn Sink) -> Option<NonNull<u8>> {
        match &mut self.kind {
            Kind::Data { request, .. } | Kind::EagerInPlace { request } => {
                sink.landing(peer, *request, self.offset, bytes)
            }
            Kind::Eager { collected, .. } => {
                let place = collected.get_mut(self.offset as usize..)?.get_mut(..bytes as usize)?;
                Some(NonNull::from(place).cast())
            }
        }
    }

    /// Takes bytes that have passed through the connection's buffer; at most as many as remain.
    pub fn take(&mut self, bytes: &[u8], peer: Rank, sink: &mut dyn Sink) {
        let length = bytes.len() as u64;
        match self.landing(length, peer, sink) {
            // SAFETY: valid for that many bytes by the contract of `Sink::landing`, or memory of this body; the bytes lie in
            // the buffer of the connection.
            Some(place) => unsafe { place.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) },
            None => log::info!("dropped {length} bytes from rank {peer} for a receive that is over"),
        }
    }

    /// So many bytes are in their place. True if somebody waits for parts of the message.
    pub fn advance(&mut self, bytes: u64, peer: Rank, sink: &mut dyn Sink) -> bool {
        let start = self.offset;
        self.offset += bytes;
        self.remaining -= bytes;
        match &self.kind {
            Kind::Data { request, .. } | Kind::EagerInPlace { request } => {
                sink.landed(peer, *request, start, self.offset)
            }
            Kind::Eager { .. } => false,
        }
    }

    /// All of it is in its place. True if a message has ended with it.
    pub fn end(self, peer: Rank, sink: &mut dyn Sink) -> bool {
        match self.kind {
            Kind::Data { ends_message: false, .. } => false,
            Kind::Data { request, ends_message: true } => {
                let fin = Fin { status: FinStatus::Delivered, bytes: self.offset };
                sink.control(peer, &Control::Fin { request, fin }.encode());
                true
            }
            Kind::EagerInPlace { request } => {
                sink.eager_landed(peer, request, self.offset);
                true
            }
            Kind::Eager { key, number, collected } => {
                sink.eager(key, number, &collected);
                true
            }
        }
    }
}
