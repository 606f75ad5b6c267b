//! A message whose bytes lie apart in the program's memory.

use super::blocks::Blocks;
use crate::error::{Error, Result};
use crate::memory::room::Room;

/// The bytes of such a message, in its order.
#[derive(Debug, Clone)]
pub struct Scattered {
    address: usize,
    blocks: Blocks,
}

impl Scattered {
    /// Blocks relative to an address. Nothing if they can't all be memory.
    pub(crate) fn new(address: usize, blocks: Blocks) -> Option<Self> {
        if let Some((low, high)) = blocks.bounds() {
            let end = address.checked_add_signed(isize::try_from(high).ok()?)?;
            address.checked_add_signed(isize::try_from(low).ok()?)?;
            isize::try_from(end).ok()?;
        }
        Some(Self { address, blocks })
    }

    /// How many bytes there are.
    pub(crate) fn bytes(&self) -> u64 {
        self.blocks.bytes()
    }

    /// Memory for the packed message, in which nothing is yet.
    pub(crate) fn room(&self) -> Result<Room> {
        Room::new(self.bytes()).ok_or_else(|| {
            let what = format!("packing a message of {} bytes, whose datatype has gaps", self.bytes());
            Error::System { what, cause: "not enough memory".into() }.into()
        })
    }

    /// Packs the message into the memory of [`Scattered::room`].
    ///
    /// # Safety
    /// The message must be valid, and not written during the call.
    pub(crate) unsafe fn pack_into(&self, room: &mut Room) {
        assert!(room.capacity() as u64 >= self.bytes(), "a room for another message");
        // SAFETY: passed on; the room is the runtime's own, and long enough.
        unsafe { self.blocks.pack(self.address, room.start()) };
    }

    /// The packed message.
    ///
    /// # Safety
    /// As [`Scattered::pack_into`].
    pub(crate) unsafe fn packed(&self) -> Result<Room> {
        let mut room = self.room()?;
        // SAFETY: passed on.
        unsafe { self.pack_into(&mut room) };
        Ok(room)
    }

    /// The packed message as bytes.
    ///
    /// # Safety
    /// As [`Scattered::pack_into`].
    pub(crate) unsafe fn read(&self) -> Vec<u8> {
        let bytes = self.bytes() as usize;
        let mut message = Vec::with_capacity(bytes);
        // SAFETY: passed on; the message is new memory of this length, all of which is written.
        unsafe {
            self.blocks.pack(self.address, message.as_mut_ptr());
            message.set_len(bytes);
        }
        message
    }

    /// Writes what has come of a message where it belongs, and nothing else.
    ///
    /// # Safety
    /// The message must be valid for writes, and used by nobody else.
    pub(crate) unsafe fn unpack(&self, packed: &[u8]) {
        // SAFETY: passed on; packed memory is the runtime's own.
        unsafe { self.blocks.unpack(self.address, packed) }
    }

    /// The lowest byte's address, and how many bytes there are from it to the highest, gaps included.
    pub(crate) fn hull(&self) -> (usize, u64) {
        let (low, high) = self.blocks.bounds().unwrap_or((0, 0));
        (self.address.wrapping_add_signed(low as isize), high.abs_diff(low))
    }

    /// Whether `visit` says so of any run: each is shown as its address and its length.
    pub(crate) fn any_run(&self, visit: &mut dyn FnMut(usize, u64) -> bool) -> bool {
        self.blocks
            .any_run(&mut |start, end| visit(self.address.wrapping_add_signed(start as isize), end.abs_diff(start)))
    }

    /// Whether a byte of the message lies in this memory.
    pub(crate) fn touches(&self, address: usize, bytes: u64) -> bool {
        let place = |address: usize| i64::try_from(address as i128 - self.address as i128).ok();
        match (place(address), place(address.saturating_add(bytes as usize))) {
            (Some(start), Some(end)) => self.blocks.touches(start, end),
            _ => true,
        }
    }
}
