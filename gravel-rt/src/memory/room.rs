//! Memory of the runtime's for whole messages: those that are packed, and those that are sent from a copy.
//!
//! New memory costs a fault of each of its pages, several times what it costs to copy a page; and a peer that writes into
//! such pages pays even more. Programs exchange messages of the same lengths again and again, so what was used is kept for
//! the next one, up to a limit.

use std::sync::{Mutex, PoisonError};

/// Shorter ones are left to the allocator, which keeps them itself.
const SHORTEST_KEPT: usize = 32 << 10;
/// So many bytes are kept at most.
const MOST_KEPT: usize = 16 << 20;

/// What is kept, oldest first.
static KEPT: Mutex<Kept> = Mutex::new(Kept { rooms: Vec::new(), bytes: 0 });

struct Kept {
    rooms: Vec<Vec<u8>>,
    bytes: usize,
}

impl Kept {
    /// One that is long enough, and not much longer; the shortest of these.
    fn take(&mut self, bytes: usize) -> Option<Vec<u8>> {
        let fits = |room: &Vec<u8>| room.capacity() >= bytes && room.capacity() / 2 <= bytes;
        let fitting = self.rooms.iter().enumerate().filter(|(_, room)| fits(room));
        let (index, _) = fitting.min_by_key(|(_, room)| room.capacity())?;
        let room = self.rooms.remove(index);
        self.bytes -= room.capacity();
        Some(room)
    }

    /// Keeps one, instead of older ones if need be.
    fn give(&mut self, mut room: Vec<u8>) {
        if !(SHORTEST_KEPT..=MOST_KEPT).contains(&room.capacity()) {
            return;
        }
        while self.bytes + room.capacity() > MOST_KEPT {
            self.bytes -= self.rooms.remove(0).capacity();
        }
        self.bytes += room.capacity();
        room.clear();
        self.rooms.push(room);
    }
}

/// Memory for one message, in which nothing is at first. It stays where it is.
#[derive(Debug)]
pub struct Room(Vec<u8>);

impl Room {
    /// For so many bytes. Nothing if there is no memory.
    pub fn new(bytes: u64) -> Option<Self> {
        let bytes = usize::try_from(bytes).ok()?;
        if bytes >= SHORTEST_KEPT
            && let Some(kept) = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take(bytes)
        {
            return Some(Self(kept));
        }
        let mut memory = Vec::new();
        memory.try_reserve_exact(bytes).ok()?;
        Some(Self(memory))
    }

    /// Its first byte, which is exposed.
    pub fn start(&mut self) -> *mut u8 {
        let start = self.0.as_mut_ptr();
        start.expose_provenance();
        start
    }

    /// For how many bytes there is room.
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // Never waits: in a forked child the lock may be held by a thread that is not there.
        if self.0.capacity() >= SHORTEST_KEPT
            && let Ok(mut kept) = KEPT.try_lock()
        {
            kept.give(std::mem::take(&mut self.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_fits_and_is_limited() {
        let mut kept = Kept { rooms: Vec::new(), bytes: 0 };
        kept.give(Vec::with_capacity(SHORTEST_KEPT - 1));
        kept.give(Vec::with_capacity(MOST_KEPT + 1));
        assert!(kept.rooms.is_empty());
        for bytes in [100_000, 50_000, 1 << 20, 60_000] {
            kept.give(Vec::with_capacity(bytes));
        }
        assert_eq!(kept.bytes, 210_000 + (1 << 20));
        assert_eq!(kept.take(55_000).map(|room| room.capacity()), Some(60_000));
        assert_eq!(kept.take(55_000).map(|room| room.capacity()), Some(100_000));
        assert!(kept.take(55_000).is_none(), "50000 bytes are too few, and a million too many");
        kept.give(Vec::with_capacity(MOST_KEPT - 60_000));
        assert_eq!(kept.rooms.len(), 1, "older ones make room");
        assert_eq!(kept.bytes, MOST_KEPT - 60_000);
    }

    #[test]
    fn a_room_is_used_again() {
        // A length that no other test has.
        let mut room = Room::new(123_457).expect("memory");
        let first = room.start();
        drop(room);
        assert_eq!(Room::new(123_457).expect("memory").start(), first);
    }
}
