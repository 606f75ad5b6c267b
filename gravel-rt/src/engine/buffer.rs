//! A message as a call describes it, and which descriptions are impossible.

use std::sync::Arc;

use super::consumer_write::Message;
use crate::error::{Error, Result};
use crate::message::datatype::layout::Layout;
use crate::message::datatype::scattered::Scattered;
use crate::message::rendezvous::SendMode;

/// A message as a call describes it.
#[derive(Debug, Clone, Copy)]
pub struct Buffer<'a> {
    /// Address of the first byte; may be null if there are no bytes. Data of a datatype with gaps is relative to it.
    pub address: usize,
    /// Number of elements, as given.
    pub count: i64,
    /// Size of the MPI datatype in bytes.
    pub datatype_bytes: u64,
    /// Size of the elements that the host language passes; where it differs from the datatype's, loop iterations are
    /// not in step with the message's bytes.
    pub element_bytes: u64,
    /// Where the data lies, unless elements are contiguous.
    pub layout: Option<&'a Arc<Layout>>,
    /// What the end of its send says. Receives have no say in that.
    pub mode: SendMode,
}

impl Buffer<'_> {
    /// The name of the call that sends it, which the program knows by its mode.
    pub(crate) fn name_of(&self, standard: &'static str, synchronous: &'static str) -> &'static str {
        match self.mode {
            SendMode::Standard => standard,
            SendMode::Synchronous => synchronous,
        }
    }

    /// The message of a synchronous send.
    #[must_use]
    pub fn synchronous(self) -> Self {
        Self { mode: SendMode::Synchronous, ..self }
    }

    /// The message, and where its bytes are, if they lie apart.
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(Message, Option<Scattered>)> {
        if let Some(layout) = self.layout {
            return self.check_layout(layout);
        }
        Ok((self.check_contiguous()?, None))
    }

    /// The message, whose elements are contiguous.
    #[inline(always)]
    pub(crate) fn check_contiguous(&self) -> Result<Message> {
        let bytes = self.bytes()?;
        self.address.checked_add(bytes as usize).ok_or_else(|| self.invalid())?;
        Ok(Message {
            address: self.address,
            named: self.address,
            elements: self.count.unsigned_abs(),
            element_bytes: self.datatype_bytes,
            advances_with_message: self.element_bytes == self.datatype_bytes,
            parts_are_named: self.element_bytes == self.datatype_bytes,
            mode: self.mode,
        })
    }

    #[cold]
    pub(crate) fn check_layout(&self, layout: &Layout) -> Result<(Message, Option<Scattered>)> {
        self.bytes()?;
        let message = Message {
            address: self.address,
            named: self.address,
            elements: self.count.unsigned_abs(),
            element_bytes: self.datatype_bytes,
            // It leaves, and comes, as a whole.
            advances_with_message: false,
            parts_are_named: self.element_bytes == self.datatype_bytes,
            mode: self.mode,
        };
        let blocks = layout.element.repeated(self.count, layout.extent).ok_or_else(|| self.invalid())?;
        let run = blocks.as_run();
        let scattered = Scattered::new(self.address, blocks).ok_or_else(|| self.invalid())?;
        Ok(match run {
            // So many elements have no gap, as one whose gap would be behind it: it moves from where it is.
            Some(_) => (Message { address: scattered.hull().0, ..message }, None),
            None if scattered.bytes() == 0 => (message, None),
            None => (message, Some(scattered)),
        })
    }

    /// The length of the message.
    #[inline(always)]
    fn bytes(&self) -> Result<u64> {
        let elements = u64::try_from(self.count).map_err(|_| self.invalid())?;
        let bytes = elements.checked_mul(self.datatype_bytes).filter(|&bytes| bytes <= isize::MAX as u64);
        let bytes = bytes.ok_or_else(|| self.invalid())?;
        if bytes > 0 && self.address == 0 && !self.is_absolute() {
            return Err(Error::NullBuffer { bytes }.into());
        }
        Ok(bytes)
    }

    /// Whether the datatype holds addresses, which are relative to MPI_BOTTOM (MPI 4.0, section 5.1.12).
    #[cold]
    fn is_absolute(&self) -> bool {
        let first = self.layout.and_then(|layout| layout.element.bounds()).map(|(first, _)| first);
        // No memory lies in the first pages.
        first.is_some_and(|first| first >= 4096)
    }

    #[cold]
    fn invalid(&self) -> Box<Error> {
        Error::InvalidCount { count: self.count, element_bytes: self.datatype_bytes }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(address: usize, count: i64, datatype_bytes: u64) -> Buffer<'static> {
        Buffer { address, count, datatype_bytes, element_bytes: datatype_bytes, layout: None, mode: SendMode::Standard }
    }

    #[test]
    fn impossible_lengths_are_refused() {
        assert!(matches!(*buffer(64, -1, 8).check().unwrap_err(), Error::InvalidCount { .. }));
        assert!(matches!(*buffer(64, i64::MAX, 8).check().unwrap_err(), Error::InvalidCount { .. }));
        assert!(matches!(*buffer(usize::MAX - 7, 2, 8).check().unwrap_err(), Error::InvalidCount { .. }));
        assert!(matches!(*buffer(0, 1, 8).check().unwrap_err(), Error::NullBuffer { bytes: 8 }));
        assert_eq!(buffer(0, 0, 8).check_contiguous().unwrap().bytes(), 0);
        assert_eq!(buffer(64, 1 << 31, 16).check_contiguous().unwrap().bytes(), 1 << 35);
    }
}
