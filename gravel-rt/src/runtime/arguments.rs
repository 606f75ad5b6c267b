//! What calls are given, and which of it is impossible.

use crate::error::{Error, Result};
use crate::protocol::consumer_write::{Envelope, Message};

/// The values that the user's MPI gives to the constants that appear as ranks and tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct MpiConstants {
    /// MPI_PROC_NULL.
    pub proc_null: i32,
    /// MPI_ANY_SOURCE.
    pub any_source: i32,
    /// MPI_ANY_TAG.
    pub any_tag: i32,
}

/// A message as a call describes it.
#[derive(Debug, Clone, Copy)]
pub struct Buffer {
    /// Address of the first byte; may be null if there are no bytes.
    pub address: usize,
    /// Number of elements, as given.
    pub count: i64,
    /// Size of the MPI datatype in bytes.
    pub datatype_bytes: u64,
    /// Size of the elements that the host language passes; where it differs from the datatype's, loop iterations are
    /// not in step with the message's bytes.
    pub element_bytes: u64,
}

impl Buffer {
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<Message> {
        let invalid = || Error::InvalidCount { count: self.count, element_bytes: self.datatype_bytes };
        let elements = u64::try_from(self.count).map_err(|_| invalid())?;
        let bytes = elements.checked_mul(self.datatype_bytes).filter(|&bytes| bytes <= isize::MAX as u64);
        let bytes = bytes.ok_or_else(invalid)?;
        if bytes > 0 && self.address == 0 {
            return Err(Error::NullBuffer { bytes }.into());
        }
        self.address.checked_add(bytes as usize).ok_or_else(invalid)?;
        Ok(Message {
            address: self.address,
            elements,
            element_bytes: self.datatype_bytes,
            advances_with_message: self.element_bytes == self.datatype_bytes,
        })
    }
}

/// Who a call names as its other side.
pub(super) enum Partner {
    Rank(Envelope),
    Nobody,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(address: usize, count: i64, datatype_bytes: u64) -> Buffer {
        Buffer { address, count, datatype_bytes, element_bytes: datatype_bytes }
    }

    #[test]
    fn impossible_lengths_are_refused() {
        assert!(matches!(*buffer(64, -1, 8).check().unwrap_err(), Error::InvalidCount { .. }));
        assert!(matches!(*buffer(64, i64::MAX, 8).check().unwrap_err(), Error::InvalidCount { .. }));
        assert!(matches!(*buffer(usize::MAX - 7, 2, 8).check().unwrap_err(), Error::InvalidCount { .. }));
        assert!(matches!(*buffer(0, 1, 8).check().unwrap_err(), Error::NullBuffer { bytes: 8 }));
        assert_eq!(buffer(0, 0, 8).check().unwrap().bytes(), 0);
        assert_eq!(buffer(64, 1 << 31, 16).check().unwrap().bytes(), 1 << 35);
    }
}
