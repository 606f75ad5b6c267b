//! Looking at the program's buffers: whether they are there, whether they have changed, and the stand-in that receives in
//! their place.

use crate::memory::page_size;
use crate::message::datatype::scattered::Scattered;

/// What a posted buffer is filled with until its wait: not a number as a REAL of 4 bytes and as one of 8, wherever in the
/// buffer it begins.
const POISON: [u8; 4] = 0x7ff8_6772_u32.to_ne_bytes();

/// Whether every page of a range is mapped.
pub fn is_mapped(address: usize, bytes: u64) -> bool {
    if bytes == 0 {
        return true;
    }
    let page = page_size();
    let start = address & !(page - 1);
    let Some(end) = address.checked_add(bytes as usize) else { return false };
    let mut pages = vec![0u8; (end - start).div_ceil(page)];
    // SAFETY: mincore looks at no byte of the range, and writes one byte per page of it.
    unsafe { libc::mincore(std::ptr::without_provenance_mut(start), end - start, pages.as_mut_ptr()) == 0 }
}

/// A number that changes with every change of a single 8-byte word, and hardly ever stays with any other.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words.iter().fold(bytes.len() as u64, |state, &word| mix(state, u64::from_ne_bytes(word)));
    rest.iter().fold(state, |state, &byte| mix(state, u64::from(byte)))
}

/// Where the bytes of a message are in the program's memory.
#[derive(Debug, Clone)]
pub enum Place {
    /// So many from an address on.
    Run(usize, u64),
    /// Apart from each other.
    Apart(Scattered),
}

impl Place {
    /// Bytes `start..end` of the message, or all of it where its bytes lie apart.
    pub fn part(&self, start: u64, end: u64) -> Self {
        match self {
            Self::Run(address, _) => Self::Run(address + start as usize, end - start),
            Self::Apart(_) => self.clone(),
        }
    }

    /// Whether all of them are mapped.
    pub fn is_mapped(&self) -> bool {
        match self {
            Self::Run(address, bytes) => is_mapped(*address, *bytes),
            Self::Apart(scattered) => {
                let (address, bytes) = scattered.hull();
                // What lies in a gap need not be there.
                is_mapped(address, bytes) || !scattered.any_run(&mut |address, bytes| !is_mapped(address, bytes))
            }
        }
    }

    /// Whether two messages have a byte of memory in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Run(address, bytes), Self::Run(start, length)) => {
                *bytes > 0
                    && *length > 0
                    && *address < start.saturating_add(*length as usize)
                    && *start < address.saturating_add(*bytes as usize)
            }
            (Self::Apart(scattered), Self::Run(address, bytes))
            | (Self::Run(address, bytes), Self::Apart(scattered)) => scattered.touches(*address, *bytes),
            (Self::Apart(one), Self::Apart(other)) => {
                let (address, bytes) = one.hull();
                other.touches(address, bytes) && one.any_run(&mut |address, bytes| other.touches(address, bytes))
            }
        }
    }

    /// The message, one byte behind the other.
    ///
    /// # Safety
    /// It must be mapped, and written by nobody during the call.
    unsafe fn read(&self) -> Vec<u8> {
        match self {
            // SAFETY: passed on.
            Self::Run(address, bytes) => unsafe { memory(*address, *bytes as usize) }.to_vec(),
            // SAFETY: passed on.
            Self::Apart(scattered) => unsafe { scattered.read() },
        }
    }

    /// Writes the first bytes of the message.
    ///
    /// # Safety
    /// It must be mapped, and used by nobody else during the call.
    unsafe fn write(&self, message: &[u8]) {
        match self {
            // SAFETY: passed on.
            Self::Run(address, _) => unsafe { memory(*address, message.len()) }.copy_from_slice(message),
            // SAFETY: passed on.
            Self::Apart(scattered) => unsafe { scattered.unpack(message) },
        }
    }

    /// That of bytes `start..end` of the message (see [`fingerprint`]).
    ///
    /// # Safety
    /// The message must be mapped, and written by nobody during the call.
    pub unsafe fn fingerprint(&self, start: u64, end: u64) -> u64 {
        match self {
            // SAFETY: passed on.
            Self::Run(address, _) => fingerprint(unsafe { memory(address + start as usize, (end - start) as usize) }),
            // SAFETY: passed on.
            Self::Apart(_) => fingerprint(&unsafe { self.read() }[start as usize..end as usize]),
        }
    }
}

/// Receives in place of the program's buffer, which is poisoned meanwhile: whatever the program writes into it before the
/// wait is seen then, whatever it reads is of no use to it, and if it frees it, nobody writes into memory that is not its.
pub struct StandIn {
    /// The program's buffer.
    buffer: Place,
    /// What the buffer held when it was posted.
    before: Box<[u8]>,
    /// What the buffer is to hold meanwhile: poison, and the parts that the program has waited for.
    meanwhile: Box<[u8]>,
    /// Address of the memory in which the message arrives, as long as the buffer. Given back only by [`StandIn::release`]:
    /// a peer may be writing.
    arriving: usize,
    /// The bytes of the message before this one have been delivered, and are the program's to write.
    taken: usize,
}

/// Memory at an address.
///
/// # Safety
/// It must be mapped, and used by nobody else while the result is.
unsafe fn memory<'a>(address: usize, bytes: usize) -> &'a mut [u8] {
    // SAFETY: passed on.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut::<u8>(address), bytes) }
}

fn first_difference(one: &[u8], other: &[u8]) -> Option<usize> {
    one.iter().zip(other).position(|(one, other)| one != other)
}

impl StandIn {
    /// For a buffer that is about to be posted.
    ///
    /// # Safety
    /// The buffer must be mapped, and written by nobody during the call.
    pub unsafe fn new(buffer: Place) -> Self {
        // SAFETY: passed on.
        let before: Box<[u8]> = unsafe { buffer.read() }.into();
        let arriving = Box::into_raw(before.clone()).cast::<u8>().expose_provenance();
        let meanwhile = POISON.iter().copied().cycle().take(before.len()).collect();
        Self { buffer, before, meanwhile, arriving, taken: 0 }
    }

    /// The program's buffer.
    pub fn place(&self) -> &Place {
        &self.buffer
    }

    /// Where the message is to arrive.
    pub fn address(&self) -> usize {
        self.arriving
    }

    /// Poisons the program's buffer.
    ///
    /// # Safety
    /// As [`StandIn::new`].
    pub unsafe fn poison(&self) {
        // SAFETY: passed on.
        unsafe { self.buffer.write(&self.meanwhile) };
    }

    /// Puts bytes `start..end` of the message into the program's buffer, which may read them from now on. Returns the first
    /// place among them where the buffer was written before, if any.
    ///
    /// # Safety
    /// As [`StandIn::new`]; the bytes must have arrived, or never will.
    pub unsafe fn deliver_part(&mut self, start: usize, end: usize) -> Option<u64> {
        let end = end.min(self.before.len());
        let start = start.max(self.taken).min(end);
        let Place::Run(address, _) = self.buffer else {
            // SAFETY: passed on; such a message has come as a whole.
            return unsafe { self.deliver_whole() };
        };
        // SAFETY: passed on; only these bytes are looked at, since others may be arriving.
        let (buffer, arrived) =
            unsafe { (memory(address + start, end - start), memory(self.arriving + start, end - start)) };
        let meanwhile = &mut self.meanwhile[start..end];
        let written = first_difference(buffer, meanwhile);
        buffer.copy_from_slice(arrived);
        meanwhile.copy_from_slice(arrived);
        written.map(|place| (start + place) as u64)
    }

    /// The program may write the bytes of the message before `end`, all of which were delivered.
    pub fn take(&mut self, end: usize) {
        self.taken = self.taken.max(end.min(self.before.len()));
    }

    /// Puts the first `received` bytes of the message into the program's buffer, and behind them what was there before.
    /// Returns the first place where the buffer was written meanwhile, if any.
    ///
    /// # Safety
    /// As [`StandIn::new`], and so many bytes must have arrived.
    pub unsafe fn deliver(&self, received: usize) -> Option<u64> {
        let taken = self.taken;
        let received = received.clamp(taken, self.before.len());
        // SAFETY: passed on; what arrives is as long as the buffer, and another memory.
        let (buffer, arrived) = unsafe { (self.buffer.read(), memory(self.arriving, self.before.len())) };
        let written = first_difference(&buffer[taken..], &self.meanwhile[taken..]);
        let message: Vec<u8> = [&buffer[..taken], &arrived[taken..received], &self.before[received..]].concat();
        // SAFETY: passed on.
        unsafe { self.buffer.write(&message) };
        written.map(|place| (taken + place) as u64)
    }

    /// As [`StandIn::deliver_part`], for all of a message whose bytes lie apart.
    ///
    /// # Safety
    /// As [`StandIn::deliver_part`].
    unsafe fn deliver_whole(&mut self) -> Option<u64> {
        // SAFETY: passed on.
        let (buffer, arrived) = unsafe { (self.buffer.read(), memory(self.arriving, self.before.len())) };
        let taken = self.taken;
        let written = first_difference(&buffer[taken..], &self.meanwhile[taken..]);
        self.meanwhile.copy_from_slice(arrived);
        let message: Vec<u8> = [&buffer[..taken], &arrived[taken..]].concat();
        // SAFETY: passed on.
        unsafe { self.buffer.write(&message) };
        written.map(|place| (taken + place) as u64)
    }

    /// Frees the memory in which messages arrive.
    ///
    /// # Safety
    /// No peer may write it any more.
    pub unsafe fn release(self) {
        // SAFETY: it came from a box of this length, and nobody uses it any more.
        drop(unsafe { Box::from_raw(memory(self.arriving, self.before.len())) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmapped_memory_is_known() {
        let page = page_size();
        // SAFETY: new mappings of our own.
        unsafe {
            let start = libc::mmap(
                std::ptr::null_mut(),
                3 * page,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(start, libc::MAP_FAILED);
            let address = start.expose_provenance();
            assert!(is_mapped(address + 5, 2 * page as u64));
            assert_eq!(libc::munmap(start.add(page), page), 0);
            assert!(is_mapped(address, page as u64));
            assert!(!is_mapped(address, page as u64 + 1));
            assert!(!is_mapped(address + page + 8, 8));
            assert!(is_mapped(address + page + 8, 0));
            assert!(!is_mapped(usize::MAX - 8, 64));
            libc::munmap(start, 3 * page);
        }
    }

    #[test]
    fn poison_is_not_a_number_in_either_precision() {
        for shift in [0, 4] {
            let bytes: Vec<u8> = POISON.iter().copied().cycle().skip(shift).take(8).collect();
            assert!(f64::from_ne_bytes(bytes[..8].try_into().unwrap()).is_nan());
            assert!(f32::from_ne_bytes(bytes[..4].try_into().unwrap()).is_nan());
        }
    }

    #[test]
    fn every_changed_byte_changes_the_fingerprint() {
        let mut bytes: Vec<u8> = (0..45).collect();
        let address = bytes.as_mut_ptr().expose_provenance();
        // SAFETY: our own buffer, all along.
        unsafe {
            let original = Place::Run(address, 45).fingerprint(0, 45);
            for place in 0..45 {
                *std::ptr::with_exposed_provenance_mut::<u8>(address + place) ^= 1;
                assert_ne!(Place::Run(address, 45).fingerprint(0, 45), original, "{place}");
                *std::ptr::with_exposed_provenance_mut::<u8>(address + place) ^= 1;
            }
            assert_eq!(Place::Run(address, 45).fingerprint(0, 45), original);
        }
    }

    #[test]
    fn a_stand_in_restores_what_the_message_does_not_cover() {
        let mut buffer = vec![5u8; 10];
        let address = buffer.as_mut_ptr().expose_provenance();
        // SAFETY: our own buffer.
        unsafe {
            let stand_in = StandIn::new(Place::Run(address, 10));
            stand_in.poison();
            let arriving = std::ptr::with_exposed_provenance_mut::<u8>(stand_in.address());
            arriving.write_bytes(9, 4);
            assert_eq!(stand_in.deliver(4), None);
            assert_eq!(buffer, [9, 9, 9, 9, 5, 5, 5, 5, 5, 5]);
            stand_in.poison();
            buffer[7] = 0;
            assert_eq!(stand_in.deliver(10), Some(7));
            stand_in.release();
        }
    }

    #[test]
    fn a_part_that_was_taken_is_the_programs() {
        let mut buffer = vec![5u8; 12];
        let address = buffer.as_mut_ptr().expose_provenance();
        // SAFETY: our own buffer.
        unsafe {
            let mut stand_in = StandIn::new(Place::Run(address, 12));
            stand_in.poison();
            let arriving = std::ptr::with_exposed_provenance_mut::<u8>(stand_in.address());
            arriving.write_bytes(8, 12);
            assert_eq!(stand_in.deliver_part(0, 4), None);
            stand_in.take(4);
            buffer[2] = 1;
            assert_eq!(stand_in.deliver_part(0, 8), None);
            assert_eq!(buffer[..8], [8, 8, 1, 8, 8, 8, 8, 8], "what the program has written stays");
            buffer[6] = 0;
            // Shorter than what was taken, even.
            assert_eq!(stand_in.deliver(3), Some(6), "the rest may be read, not written");
            assert_eq!(buffer, [8, 8, 1, 8, 5, 5, 5, 5, 5, 5, 5, 5]);
            stand_in.release();
        }
    }

    #[test]
    fn a_part_that_was_delivered_is_to_stay_as_it_is() {
        let mut buffer = vec![5u8; 12];
        let address = buffer.as_mut_ptr().expose_provenance();
        // SAFETY: our own buffer.
        unsafe {
            let mut stand_in = StandIn::new(Place::Run(address, 12));
            stand_in.poison();
            let arriving = std::ptr::with_exposed_provenance_mut::<u8>(stand_in.address());
            arriving.add(4).write_bytes(8, 4);
            assert_eq!(stand_in.deliver_part(4, 8), None);
            assert_eq!(buffer[4..8], [8; 4]);
            assert_ne!(buffer[..4], [5; 4], "the rest is poison still");
            // Written before its part was waited for: said once.
            buffer[9] ^= 1;
            assert_eq!(stand_in.deliver_part(8, 10), Some(9));
            arriving.write_bytes(8, 12);
            assert_eq!(stand_in.deliver(12), None);
            assert_eq!(buffer, [8; 12]);
            stand_in.poison();
            assert_eq!(stand_in.deliver_part(0, 4), None);
            buffer[1] = 0;
            assert_eq!(stand_in.deliver(12), Some(1), "a part may be read, not written");
            stand_in.release();
        }
    }
}
