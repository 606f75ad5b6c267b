//! How a link ends a message that it writes straight into its receive: by the request that writes it, where that is the whole
//! message and both ends know how to name the receive ([`told_receives`](crate::provider::verbs::told_receives)), else by
//! an entry behind it.

use super::{Link, Pending};
use crate::message::ledger::Entry;
use crate::message::rendezvous::{Fin, FinStatus};
use crate::message::request::Handle;
use crate::message::wire::{Control, Ledger};
use crate::provider::verbs::abi::{WR_RDMA_WRITE, WR_RDMA_WRITE_WITH_IMM};
use crate::provider::verbs::credits::RESERVED;
use crate::provider::verbs::immediate::Arrival;
use crate::provider::verbs::queue_pair::Request;

/// Bytes that one request writes straight to where they belong.
#[derive(Debug, Clone, Copy)]
pub struct Data {
    /// First byte here.
    pub source: *const u8,
    /// Length.
    pub bytes: u32,
    /// The keys here and there.
    pub keys: [u32; 2],
    /// First byte there.
    pub remote: u64,
    /// What waits for its completion.
    pub owner: Handle,
}

impl Link {
    /// As [`Link::write`], for the last bytes of the message of a receive, and says that it has ended: with the same request
    /// if they are all of it, else with one behind it, in one post, so that the device is called once. False, too, if the
    /// ring of FINs has no room.
    ///
    /// # Safety
    /// As [`Link::write`].
    pub unsafe fn write_with_fin(&mut self, data: Data, request: Handle, fin: Fin) -> bool {
        if !self.has_room(2 + RESERVED) {
            return false;
        }
        let Some(reservation) = self.fin_writer.reserve() else { return false };
        let Data { source, bytes, keys, remote, owner } = data;
        let ago = if fin.bytes == u64::from(bytes) { self.told_ago(request) } else { None };
        let pending = Some(Pending::Put(owner));
        let sent = if let Some(ago) = ago {
            let immediate = Arrival::Written(ago, self.given_back(true)).encode();
            let data = self.data_request(WR_RDMA_WRITE_WITH_IMM, source, bytes, keys, remote);
            // SAFETY: passed on.
            unsafe { self.submit([Request { immediate, solicited: true, ..data }], pending) }
        } else {
            // That the FIN has been written says that the data has been, too.
            let data = Request { signalled: false, ..self.data_request(WR_RDMA_WRITE, source, bytes, keys, remote) };
            let entry = Control::Fin { request, fin }.encode();
            let fin = self.entry_request(Ledger::Fin, reservation, &entry);
            // SAFETY: passed on; the slot stays as it is until the peer gives it back.
            unsafe { self.submit([data, fin], pending) }
        };
        if sent {
            self.note_given_back(true);
        } else {
            self.fin_writer.unreserve();
        }
        sent
    }

    /// How many entries of the handshake ring before those that the next one gives back the peer has told of a receive.
    fn told_ago(&self, request: Handle) -> Option<u32> {
        self.heard_receives.find(request, self.handshakes_given_back())
    }

    /// A write has come that was a whole message: the entry that would have ended it.
    pub(super) fn written(&self, ago: u32, bytes: u32) -> Option<Entry> {
        // A device that does not say how long it was can't be used so.
        let position = self.handshakes_back().checked_sub(u64::from(ago)).filter(|_| bytes > 0)?;
        let request = self.told_receives.at(position)?;
        let fin = Fin { status: FinStatus::Delivered, bytes: u64::from(bytes) };
        Some(Control::Fin { request, fin }.encode())
    }
}
