//! The rings in which handshakes and completions arrive.
//!
//! One ring lies in the reader's memory and has one writer on another process. It is made for remote writes: the
//! writer never reads it, so that the same code serves mapped memory and RDMA.
//!
//! - An entry is one cache line whose last word is its sequence number. The writer stores the payload, then the
//!   sequence number with release order; the reader takes a slot only when it finds there the number that it expects
//!   next (acquire order). A half-written entry therefore reads as "not yet", and an entry of the lap before, which
//!   has another number, too.
//! - Credits: the writer may be at most one ring ahead of what the reader has given back. The reader gives slots back
//!   by writing its count of entries read into a word in the *writer's* memory, a quarter of the ring at a time.
//! - A full ring is reported, never waited for: the caller keeps a backlog.

use std::ptr::NonNull;

use crate::sys::sync::{AtomicU64, Ordering};

/// Words of payload in an entry.
pub const PAYLOAD_WORDS: usize = 7;

/// The payload of one entry; its meaning belongs to the protocol.
pub type Entry = [u64; PAYLOAD_WORDS];

/// One entry as it lies in memory.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct Slot {
    payload: [AtomicU64; PAYLOAD_WORDS],
    sequence: AtomicU64,
}

impl Slot {
    /// Publishes an entry under its sequence number.
    #[inline(always)]
    pub fn write(&self, entry: &Entry, sequence: u64) {
        for (word, value) in self.payload.iter().zip(entry) {
            word.store(*value, Ordering::Relaxed);
        }
        self.sequence.store(sequence, Ordering::Release);
    }

    /// The entry with this sequence number, if it has arrived completely.
    #[inline(always)]
    fn read(&self, sequence: u64) -> Option<Entry> {
        if self.sequence.load(Ordering::Acquire) != sequence {
            return None;
        }
        Some(std::array::from_fn(|word| self.payload[word].load(Ordering::Relaxed)))
    }
}

/// Where the next entry goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation {
    /// Slot of the ring.
    pub slot: usize,
    /// Sequence number to write it under; the first entry has number 1, so that zeroed memory holds no entry.
    pub sequence: u64,
}

/// The slot of the entry with this index, in a ring of a power of two slots: every poll asks, and a division is slow.
#[inline(always)]
fn place(index: u64, capacity: u64) -> usize {
    (index & (capacity - 1)) as usize
}

/// The writer's bookkeeping of a ring that lies in another process.
pub struct Writer {
    capacity: u64,
    written: u64,
    /// Lower bound of what the reader has given back.
    returned: u64,
    /// The word in this process's memory into which the reader writes what it has given back.
    credit: NonNull<AtomicU64>,
}

// SAFETY: the credit word is only accessed atomically, and `Writer::new` demands that it outlives the writer, from
// whichever thread the writer is used.
unsafe impl Send for Writer {}

impl Writer {
    /// A writer for an empty ring of `capacity` slots, a power of two.
    ///
    /// # Safety
    /// `credit` must point to a word that stays valid, and is accessed only atomically, while the writer lives.
    pub unsafe fn new(capacity: usize, credit: NonNull<AtomicU64>) -> Self {
        debug_assert!(capacity.is_power_of_two());
        Self { capacity: capacity as u64, written: 0, returned: 0, credit }
    }

    /// Takes the next slot, or nothing if the reader has not given enough back.
    #[inline(always)]
    pub fn reserve(&mut self) -> Option<Reservation> {
        self.reserve_several(1)
    }

    /// As [`Writer::reserve`], for so many slots in order: returns the first of them. An entry that takes several is there as
    /// soon as its first slot is, which is to be written last.
    #[inline(always)]
    pub fn reserve_several(&mut self, slots: u64) -> Option<Reservation> {
        if self.written + slots - self.returned > self.capacity {
            // SAFETY: valid for the life of the writer by the contract of `new`.
            let returned = unsafe { self.credit.as_ref() }.load(Ordering::Acquire);
            // A peer can only return what was written; anything else is damage, and is not followed.
            if returned > self.written || returned < self.returned {
                return None;
            }
            self.returned = returned;
            if self.written + slots - self.returned > self.capacity {
                return None;
            }
        }
        let first = self.ahead(0);
        self.written += slots;
        Some(first)
    }

    /// What comes so many slots behind the next one.
    #[inline(always)]
    pub fn ahead(&self, slots: u64) -> Reservation {
        let index = self.written + slots;
        Reservation { slot: place(index, self.capacity), sequence: index + 1 }
    }

    /// Gives the slot that was reserved last back, unwritten.
    pub fn unreserve(&mut self) {
        self.written -= 1;
    }
}

/// The reader's side of a ring in its own memory.
pub struct Reader {
    slots: NonNull<Slot>,
    capacity: u64,
    read: u64,
    returned: u64,
}

// SAFETY: the slots are only accessed atomically, and `Reader::new` demands that they outlive the reader.
unsafe impl Send for Reader {}

impl Reader {
    /// A reader for an empty, zeroed ring of `capacity` slots, a power of two.
    ///
    /// # Safety
    /// `slots` must point to `capacity` slots that stay valid, and are accessed only atomically, while the reader
    /// lives.
    pub unsafe fn new(slots: NonNull<Slot>, capacity: usize) -> Self {
        debug_assert!(capacity.is_power_of_two());
        Self { slots, capacity: capacity as u64, read: 0, returned: 0 }
    }

    /// Whether the next entry has arrived: a look without a copy of it.
    #[inline(always)]
    pub fn has_arrived(&self) -> bool {
        let slot = place(self.read, self.capacity);
        // SAFETY: slot < capacity, and the slots are valid by the contract of `new`.
        unsafe { self.slots.add(slot).as_ref() }.sequence.load(Ordering::Relaxed) == self.read + 1
    }

    /// The next entry, if it has arrived.
    #[inline(always)]
    pub fn poll(&mut self) -> Option<Entry> {
        let slot = place(self.read, self.capacity);
        // SAFETY: slot < capacity, and the slots are valid by the contract of `new`.
        self.poll_at(unsafe { self.slots.add(slot).as_ref() })
    }

    /// The next entry, if it has arrived in this slot instead of its own in the ring.
    #[inline(always)]
    pub fn poll_at(&mut self, slot: &Slot) -> Option<Entry> {
        let entry = slot.read(self.read + 1)?;
        self.read += 1;
        Some(entry)
    }

    /// The next entry has arrived another way than in a slot.
    pub fn skip(&mut self) {
        self.read += 1;
    }

    /// How many entries have been read.
    pub fn read_count(&self) -> u64 {
        self.read
    }

    /// Of how many the writer has been told.
    pub fn told_count(&self) -> u64 {
        self.returned
    }

    /// The writer has been told of all that have been read.
    pub fn note_told(&mut self) {
        self.returned = self.read;
    }

    /// Whether enough has been read to be worth a write.
    #[inline(always)]
    pub fn is_credit_due(&self) -> bool {
        self.read - self.returned >= (self.capacity >> 2).max(1)
    }

    /// The count to write into the writer's credit word, when enough has been read to be worth a write.
    #[inline(always)]
    pub fn credit_due(&mut self) -> Option<u64> {
        if !self.is_credit_due() {
            return None;
        }
        self.returned = self.read;
        Some(self.read)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    struct Ring {
        slots: Vec<Slot>,
        credit: Box<AtomicU64>,
    }

    impl Ring {
        fn new(capacity: usize) -> Self {
            Self { slots: (0..capacity).map(|_| Slot::default()).collect(), credit: Box::default() }
        }

        fn ends(&self) -> (Writer, Reader) {
            // SAFETY: the tests keep the ring alive longer than its ends, and touch it only through atomics.
            let writer = unsafe { Writer::new(self.slots.len(), NonNull::from(&*self.credit)) };
            let first = NonNull::new(self.slots.as_ptr().cast_mut()).unwrap();
            // SAFETY: as above; the pointer covers all slots.
            let reader = unsafe { Reader::new(first, self.slots.len()) };
            (writer, reader)
        }
    }

    #[test]
    fn a_full_ring_refuses_until_credits_return() {
        let ring = Ring::new(8);
        let (mut writer, mut reader) = ring.ends();
        for value in 0..8 {
            let place = writer.reserve().unwrap();
            ring.slots[place.slot].write(&[value; PAYLOAD_WORDS], place.sequence);
        }
        assert_eq!(writer.reserve(), None);
        assert_eq!(reader.poll(), Some([0; PAYLOAD_WORDS]));
        assert_eq!(reader.credit_due(), None, "one of eight is not worth a write");
        assert_eq!(reader.poll(), Some([1; PAYLOAD_WORDS]));
        assert_eq!(writer.reserve(), None, "not given back yet");
        ring.credit.store(reader.credit_due().unwrap(), Ordering::Release);
        assert_eq!(writer.reserve(), Some(Reservation { slot: 0, sequence: 9 }));
    }

    #[test]
    fn several_slots_are_taken_together_or_not_at_all() {
        let ring = Ring::new(8);
        let (mut writer, mut reader) = ring.ends();
        assert_eq!(writer.ahead(1), Reservation { slot: 1, sequence: 2 });
        assert_eq!(writer.reserve_several(6), Some(Reservation { slot: 0, sequence: 1 }));
        assert_eq!(writer.reserve_several(3), None, "there are two");
        // The first one is written last: before that nothing has arrived.
        for behind in (0..6).rev() {
            assert_eq!(reader.poll(), None);
            ring.slots[behind].write(&[behind as u64; PAYLOAD_WORDS], behind as u64 + 1);
        }
        for expected in 0..6 {
            assert_eq!(reader.poll(), Some([expected; PAYLOAD_WORDS]));
        }
        ring.credit.store(reader.credit_due().unwrap(), Ordering::Release);
        // They go on at the beginning of the ring.
        assert_eq!(writer.ahead(2), Reservation { slot: 0, sequence: 9 });
        assert_eq!(writer.reserve_several(8), Some(Reservation { slot: 6, sequence: 7 }));
        assert_eq!(writer.reserve(), None);
    }

    #[test]
    fn an_entry_without_its_sequence_number_has_not_arrived() {
        let ring = Ring::new(4);
        let (mut writer, mut reader) = ring.ends();
        let place = writer.reserve().unwrap();
        for word in &ring.slots[place.slot].payload {
            word.store(7, Ordering::Relaxed);
        }
        assert_eq!(reader.poll(), None);
        ring.slots[place.slot].sequence.store(place.sequence + 4, Ordering::Release);
        assert_eq!(reader.poll(), None, "the number of another lap is not taken either");
        ring.slots[place.slot].sequence.store(place.sequence, Ordering::Release);
        assert_eq!(reader.poll(), Some([7; PAYLOAD_WORDS]));
    }

    #[test]
    fn damaged_credits_are_not_followed() {
        let ring = Ring::new(1);
        let (mut writer, _) = ring.ends();
        assert!(writer.reserve().is_some());
        ring.credit.store(100, Ordering::Release);
        assert_eq!(writer.reserve(), None);
    }

    #[test]
    fn no_entry_is_torn_or_lost_between_two_threads() {
        const ENTRIES: u64 = if cfg!(miri) { 200 } else { 200_000 };
        let ring = Ring::new(16);
        let (mut writer, mut reader) = ring.ends();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for value in 0..ENTRIES {
                    let place = loop {
                        match writer.reserve() {
                            Some(place) => break place,
                            None => std::thread::yield_now(),
                        }
                    };
                    ring.slots[place.slot].write(&[value; PAYLOAD_WORDS], place.sequence);
                }
            });
            for value in 0..ENTRIES {
                let entry = loop {
                    match reader.poll() {
                        Some(entry) => break entry,
                        None => std::thread::yield_now(),
                    }
                };
                assert_eq!(entry, [value; PAYLOAD_WORDS]);
                if let Some(credit) = reader.credit_due() {
                    ring.credit.store(credit, Ordering::Release);
                }
            }
        });
    }

    proptest! {
        /// Random interleavings of writes, reads and credit returns, over many laps, against a queue.
        #[test]
        fn behaves_as_a_bounded_queue(shift in 0u32..5, steps in proptest::collection::vec(any::<bool>(), 0..300)) {
            let capacity = 1 << shift;
            let ring = Ring::new(capacity);
            let (mut writer, mut reader) = ring.ends();
            let mut model = VecDeque::new();
            let mut value = 0;
            for write in steps {
                if write {
                    if let Some(place) = writer.reserve() {
                        prop_assert!(model.len() < capacity);
                        ring.slots[place.slot].write(&[value; PAYLOAD_WORDS], place.sequence);
                        model.push_back(value);
                        value += 1;
                    }
                } else {
                    prop_assert_eq!(reader.poll(), model.pop_front().map(|value| [value; PAYLOAD_WORDS]));
                    if let Some(credit) = reader.credit_due() {
                        ring.credit.store(credit, Ordering::Release);
                    }
                }
                prop_assert!(!model.is_empty() || reader.poll().is_none());
            }
        }

        /// Whatever is left unreturned, a reader that has read everything has given at least three quarters back.
        #[test]
        fn an_empty_ring_always_takes_more(shift in 0u32..5, laps in 1usize..50) {
            let ring = Ring::new(1 << shift);
            let (mut writer, mut reader) = ring.ends();
            for value in 0..laps as u64 {
                let place = writer.reserve();
                prop_assert!(place.is_some());
                if let Some(place) = place {
                    ring.slots[place.slot].write(&[value; PAYLOAD_WORDS], place.sequence);
                }
                prop_assert!(reader.poll().is_some());
                if let Some(credit) = reader.credit_due() {
                    ring.credit.store(credit, Ordering::Release);
                }
            }
        }
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// The ring of a pair, in memory that both threads have.
    struct Ring {
        slots: [Slot; 2],
        credit: AtomicU64,
    }

    /// An entry of two slots whose first one is written last: whoever has read that one finds the other.
    #[test]
    fn what_lies_behind_an_entry_is_there_when_it_is() {
        loom::model(|| {
            let ring = Arc::new(Ring { slots: Default::default(), credit: AtomicU64::new(0) });
            let writing = {
                let ring = Arc::clone(&ring);
                thread::spawn(move || {
                    // SAFETY: the ring outlives the writer, and is touched only through atomics.
                    let mut writer = unsafe { Writer::new(2, NonNull::from(&ring.credit)) };
                    let behind = writer.ahead(1);
                    let first = writer.reserve_several(2).unwrap();
                    ring.slots[behind.slot].write(&[2; PAYLOAD_WORDS], behind.sequence);
                    ring.slots[first.slot].write(&[1; PAYLOAD_WORDS], first.sequence);
                })
            };
            // SAFETY: as above.
            let mut reader = unsafe { Reader::new(NonNull::from(&ring.slots[0]), 2) };
            if let Some(entry) = reader.poll() {
                assert_eq!(entry, [1; PAYLOAD_WORDS]);
                assert_eq!(reader.poll(), Some([2; PAYLOAD_WORDS]));
            }
            writing.join().unwrap();
        });
    }

    /// A writer that is one lap ahead, and a reader that returns credits: in every interleaving and under every reordering
    /// that the memory model allows, each entry is read whole, once, and in order.
    #[test]
    fn no_entry_is_torn_lost_or_read_twice() {
        loom::model(|| {
            const ENTRIES: u64 = 3;
            let ring = Arc::new(Ring { slots: Default::default(), credit: AtomicU64::new(0) });
            let writing = {
                let ring = Arc::clone(&ring);
                thread::spawn(move || {
                    // SAFETY: the ring outlives the writer, and is touched only through atomics.
                    let mut writer = unsafe { Writer::new(2, NonNull::from(&ring.credit)) };
                    for value in 1..=ENTRIES {
                        let place = loop {
                            match writer.reserve() {
                                Some(place) => break place,
                                None => thread::yield_now(),
                            }
                        };
                        ring.slots[place.slot].write(&[value; PAYLOAD_WORDS], place.sequence);
                    }
                })
            };
            // SAFETY: as above.
            let mut reader = unsafe { Reader::new(NonNull::from(&ring.slots[0]), 2) };
            for value in 1..=ENTRIES {
                let entry = loop {
                    match reader.poll() {
                        Some(entry) => break entry,
                        None => thread::yield_now(),
                    }
                };
                assert_eq!(entry, [value; PAYLOAD_WORDS]);
                if let Some(due) = reader.credit_due() {
                    ring.credit.store(due, Ordering::Release);
                }
            }
            writing.join().unwrap();
        });
    }
}
