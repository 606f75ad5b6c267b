//! Messages that are being read: pieces are asked for as there are tokens and places for them.

use std::collections::VecDeque;

use super::VerbsProvider;
use super::link::Link;
use crate::Rank;
use crate::error::Result;
use crate::memory::MemoryRange;
use crate::message::ledger::Entry;
use crate::message::request::Handle;
use crate::message::wire::Ledger;

/// A run of a message that is being read.
pub struct Reading {
    pub peer: Rank,
    /// First byte here.
    pub start: usize,
    /// First byte there.
    pub address: u64,
    pub bytes: u64,
    /// How many of them have been asked for, how many are there, and how long the pieces in between are.
    pub asked: u64,
    pub done: u64,
    /// The entry that the device has been given to send behind them: whether it has.
    pub is_told: bool,
    pub pieces: VecDeque<u32>,
}

impl Reading {
    fn remote_key(&self, link: &Link) -> Option<u32> {
        link.regions.key(self.address, self.bytes)
    }
}

impl VerbsProvider {
    /// Asks for as much of a message as there is room for.
    ///
    /// # Safety
    /// The target must be valid and the caller's until the owner is released.
    pub(super) unsafe fn read_on(
        &mut self,
        owner: Handle,
        around: MemoryRange,
        ends_with: Option<&Entry>,
    ) -> Result<bool> {
        let Some(reading) = self.readings.get_mut(&owner) else { return Ok(true) };
        let Some(link) = self.links[reading.peer].as_mut() else { return Ok(false) };
        if link.is_lost() {
            link.check()?;
        }
        // SAFETY: passed on.
        let keys = match (unsafe { self.registrations.local_key(owner, around) }, reading.remote_key(link)) {
            (Some(local), Some(remote)) => [local, remote],
            _ => return Ok(false),
        };
        while reading.asked < reading.bytes {
            let piece = (reading.bytes - reading.asked).min(self.longest) as u32;
            let target = std::ptr::with_exposed_provenance_mut(reading.start + reading.asked as usize);
            // SAFETY: the target is registered, and valid until the owner is released.
            if !unsafe { link.read(target, piece, keys, reading.address + reading.asked, owner) } {
                break;
            }
            self.awaited += 1;
            reading.pieces.push_back(piece);
            reading.asked += u64::from(piece);
            self.read.add(u64::from(piece));
        }
        // Where there is no room for it now, whoever reads posts it once everything is there.
        if self.fences_reads
            && reading.asked == reading.bytes
            && !reading.is_told
            && reading.done < reading.bytes
            && let Some(entry) = ends_with
        {
            reading.is_told = link.post(Ledger::Fin, entry, true);
        }
        Ok(true)
    }
}
