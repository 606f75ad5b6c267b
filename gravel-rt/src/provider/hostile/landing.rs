//! Bytes that the hostile provider has taken, and that land later: an interconnect may still read them when it has
//! taken them itself.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::time::Instant;

use super::super::{Provider, Put, Sink};
use crate::Rank;
use crate::error::Error;
use crate::memory::MemoryRange;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::RemoteBuffer;
use crate::message::request::Handle;
use crate::sys::log;

/// What the interconnect reads of held bytes, by the transfer that they are put under.
pub type Flights = HashMap<Handle, Flight>;

/// The transfer that a held segment is put under: the engine's are never negative.
pub fn transfer_of(segment: u32) -> Handle {
    Handle::from_raw(-1 - i64::from(segment))
}

/// Bytes that were taken and have not landed.
pub struct Held {
    /// Where they belong.
    pub target: RemoteBuffer,
    /// From where on.
    pub offset: u64,
    /// This provider's copy of them.
    pub bytes: Vec<u8>,
    /// How many of them the interconnect has taken.
    pub taken: usize,
    /// When they land at the latest, if nothing comes behind them.
    pub until: Instant,
    /// Under which their pieces are put: no table gives it out.
    pub transfer: Handle,
}

/// Pieces of held bytes that the interconnect still reads.
#[derive(Default)]
pub struct Flight {
    pieces: u32,
    /// The bytes, once all of them have been taken.
    bytes: Option<Vec<u8>>,
}

impl Held {
    /// Puts them. True if all have been put, or never can be.
    pub fn land(&mut self, inner: &mut dyn Provider, flights: &mut Flights, peer: Rank) -> bool {
        let start = self.bytes.as_ptr().expose_provenance();
        let rest = &self.bytes[self.taken..];
        let put = Put {
            transfer: self.transfer,
            around: MemoryRange { start, end: start + self.bytes.len() },
            offset: self.offset + self.taken as u64,
            source: rest.as_ptr(),
            bytes: rest.len() as u64,
            ends_message: false,
        };
        // SAFETY: the bytes are this provider's own copy, which nobody writes, and which stays where it is until all that is
        // in flight has completed.
        let is_over = match unsafe { inner.put(peer, &self.target, put) } {
            Ok(outcome) => {
                self.taken += outcome.taken as usize;
                if outcome.in_flight > 0 {
                    flights.entry(self.transfer).or_default().pieces += outcome.in_flight;
                }
                self.taken == self.bytes.len()
            }
            Err(error) => {
                log::info!("bytes that were held for rank {peer} cannot land: {error}");
                true
            }
        };
        if is_over {
            match flights.get_mut(&self.transfer) {
                Some(flight) if flight.pieces > 0 => flight.bytes = Some(std::mem::take(&mut self.bytes)),
                _ => {
                    flights.remove(&self.transfer);
                    inner.release(self.transfer);
                }
            }
        }
        is_over
    }
}

/// Keeps to itself what is told about held bytes.
pub struct LandingSink<'a> {
    /// Whose the rest is.
    pub inner: &'a mut dyn Sink,
    /// What is in flight.
    pub flights: &'a mut Flights,
    /// Transfers of held bytes that nobody reads any more.
    pub over: Vec<Handle>,
}

impl Sink for LandingSink<'_> {
    fn control(&mut self, peer: Rank, entry: &Entry) {
        self.inner.control(peer, entry);
    }

    fn eager(&mut self, key: MatchKey, number: u64, bytes: &[u8]) {
        self.inner.eager(key, number, bytes);
    }

    fn eager_landing(&mut self, key: MatchKey, number: u64, bytes: u64) -> Option<Handle> {
        self.inner.eager_landing(key, number, bytes)
    }

    fn eager_landed(&mut self, peer: Rank, request: Handle, bytes: u64) {
        self.inner.eager_landed(peer, request, bytes);
    }

    fn landing(&mut self, peer: Rank, request: Handle, offset: u64, bytes: u64) -> Option<NonNull<u8>> {
        self.inner.landing(peer, request, offset, bytes)
    }

    fn landed(&mut self, peer: Rank, request: Handle, start: u64, end: u64) -> bool {
        self.inner.landed(peer, request, start, end)
    }

    fn put_completed(&mut self, transfer: Handle, failure: Option<Box<Error>>) {
        let Some(flight) = self.flights.get_mut(&transfer) else {
            return self.inner.put_completed(transfer, failure);
        };
        // A failure is that of the peer, of which every wait for it hears.
        flight.pieces -= 1;
        if flight.pieces == 0 && flight.bytes.is_some() {
            self.over.push(transfer);
        }
    }

    fn data(&mut self, peer: Rank, request: Handle, offset: u64, bytes: &[u8]) {
        self.inner.data(peer, request, offset, bytes);
    }
}
