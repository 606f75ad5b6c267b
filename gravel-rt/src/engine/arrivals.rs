//! What the provider brings, control messages and bytes, goes where it belongs.

use std::ptr::NonNull;

use super::announcements::Announcement;
use super::transfer::Operation;
use super::{State, eager};
use crate::Rank;
use crate::error::Error;
use crate::message::ledger::Entry;
use crate::message::matching::MatchKey;
use crate::message::rendezvous::{Fin, FinStatus};
use crate::message::request::Handle;
use crate::message::wire::{ANNOUNCED, Control};
use crate::provider::Sink;
use crate::sys::log;

impl Sink for State {
    fn control(&mut self, peer: Rank, entry: &Entry) {
        let key = |communicator, tag| MatchKey { peer, communicator, tag };
        match Control::decode(entry) {
            Ok(Control::Handshake { communicator, tag, number, handshake }) => {
                if let Some(met) = self.matcher.arrive(key(communicator, tag), number, handshake) {
                    self.met.push_back(met);
                }
            }
            Ok(Control::Fin { request, fin }) => self.finish_receive(peer, request, fin),
            Ok(Control::Announcement { communicator, tag, number, message }) => {
                self.announcement(key(communicator, tag), number, Announcement::Remote(message));
            }
            Ok(Control::Spilled { communicator, tag, number, message }) => {
                self.spilled(key(communicator, tag), number, message);
            }
            Ok(Control::Answer { transfer, handshake }) => self.answered(peer, transfer, handshake),
            Ok(Control::Release { transfer, refused }) => self.released(peer, transfer, refused),
            Ok(Control::Recall { communicator, tag, number, transfer }) => {
                self.recall(key(communicator, tag), number, transfer);
            }
            Ok(Control::Recalled { transfer }) => self.recalled(peer, transfer),
            Ok(Control::Segment { request, start, end }) => {
                self.segment_arrived(peer, request, start, end);
            }
            Ok(Control::Withdrawal { communicator, tag, number, request }) => {
                self.withdrawal(peer, key(communicator, tag), number, request);
            }
            Ok(Control::Grant { communicator, tag, number, handshake }) => {
                self.granted(key(communicator, tag), number, handshake);
            }
            Ok(Control::Revocation { communicator, tag, number, request }) => {
                self.revocation(key(communicator, tag), number, request);
            }
            Ok(Control::Revoked { communicator, tag, number, request }) => {
                self.revoked(key(communicator, tag), number, request);
            }
            Ok(Control::Question { communicator, tag, transfer, wanted }) => {
                self.asked_for_handshakes(key(communicator, tag), transfer, wanted);
            }
            Ok(Control::TooLong { tag, sent, posted, .. }) => eager::note_too_long(peer, tag, sent, posted),
            Ok(Control::Inquiry(inquiry)) => self.inquired(peer, inquiry),
            Ok(Control::Text(bytes)) => self.take_text(peer, bytes),
            Ok(Control::Reply(reply)) => self.replied(peer, reply),
            Err(error) => log::error!("from rank {peer}: {error}"),
        }
    }

    #[inline(always)]
    fn eager(&mut self, key: MatchKey, number: u64, bytes: &[u8]) {
        if number & ANNOUNCED != 0 {
            self.announced_data(key, number & !ANNOUNCED, bytes);
            return;
        }
        let order = self.receives.entry(key);
        if let Some(request) = order.arrive(number, bytes) {
            self.finish_eagerly(request, bytes);
        } else if number == 0 && order.is_new() {
            self.note_consumer_initiated(key);
        }
    }

    fn eager_landing(&mut self, key: MatchKey, number: u64, bytes: u64) -> Option<Handle> {
        if number & ANNOUNCED != 0 {
            return self.announced_landing(key, number & !ANNOUNCED, bytes);
        }
        self.numbered_landing(key, number, bytes)
    }

    fn eager_landed(&mut self, peer: Rank, request: Handle, bytes: u64) {
        self.finish_receive(peer, request, Fin { status: FinStatus::Delivered, bytes });
    }

    fn landing(&mut self, peer: Rank, request: Handle, offset: u64, bytes: u64) -> Option<NonNull<u8>> {
        let Some(Operation::Receive(receive)) = self.operations.get(request) else { return None };
        let is_inside = offset.checked_add(bytes).is_some_and(|end| end <= receive.bytes);
        if receive.peer != peer || receive.fin.is_some() || !is_inside {
            return None;
        }
        // Inside the posted buffer, as just checked, which belongs to the runtime until its wait.
        NonNull::new(std::ptr::with_exposed_provenance_mut(receive.address + offset as usize))
    }

    fn landed(&mut self, peer: Rank, request: Handle, start: u64, end: u64) -> bool {
        self.segment_arrived(peer, request, start, end)
    }

    fn put_completed(&mut self, handle: Handle, failure: Option<Box<Error>>) {
        // One whose peer has died may have been given up.
        let Some(Operation::Transfer(transfer)) = self.operations.get_mut(handle) else { return };
        transfer.in_flight = transfer.in_flight.saturating_sub(1);
        if let Some(failure) = failure {
            if transfer.detached {
                log::error!("a send that had completed could not be delivered: {failure}");
            }
            transfer.failure.get_or_insert(failure);
        }
        if transfer.in_flight > 0 {
            return;
        }
        transfer.kept.clear();
        if transfer.is_over() && transfer.detached {
            self.operations.remove(handle);
            self.to_release.push(handle);
        }
    }
}
