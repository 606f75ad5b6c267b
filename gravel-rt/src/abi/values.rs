//! What a program holds of operations: values that fit MPI's own request variables, and are never a request of MPI.
//!
//! In MPICH and its kin a request is an integer whose highest bits say what kind of object it is; in Open MPI's Fortran it is an
//! index that counts from 0; in Open MPI's C it is the address of an object. The integers from [`FIRST`] on are none of these:
//! in the first no object has this kind and type, in the second they are a billion live requests away, and in the third
//! `gravel.h` makes odd addresses of them. `gravel_init` looks whether that holds for the MPI at hand.
//!
//! So 26 bits name an operation. They are counted up, and only the values of live operations are skipped: a value that is kept
//! too long names nothing until 2^26 others were given out. Which operation a value stands for is in a table, which
//! grows with the number of live operations.

use std::ffi::c_int;

use smallvec::SmallVec;

use super::exchanges_of_mpi::Exchanges;
use super::left_to_mpi::{Copies, RememberedMessages};
use crate::engine::completion::Completion;
use crate::error::{Error, Result};
use crate::message::request::Handle;

/// The first value of a request: that of all sends that are over, and that nobody has waited for.
const FIRST: u32 = 0x3c00_0000;
/// The bits below.
const COUNTED: u32 = 0x03ff_ffff;
/// Values of transfers of short messages, which need no table: there is one at a time.
const FIRST_SHORT: u32 = 0x3800_0000;
/// Marks the entry of a value whose operation is over.
const ENDED: u32 = 1 << 31;
/// So many requests of one call need no memory of their own: programs that poll test a few for ever.
const FEW: usize = 8;
/// Entries of an empty table.
const FEWEST: usize = 64;

/// The value of a send that is over at once: active, so that a wait for any of several requests tells of it.
pub(super) const OVER: c_int = FIRST as c_int;
/// The value of no transfer.
pub(super) const NO_TRANSFER: c_int = 0;

/// Whether a value is one of Gravel's requests, or of its transfers of messages that are not short.
#[inline(always)]
pub(super) fn is_own(value: c_int) -> bool {
    value.cast_unsigned() & !COUNTED == FIRST
}

#[derive(Clone, Copy)]
struct Entry {
    /// With [`ENDED`] where it is free.
    value: u32,
    handle: Handle,
}

const EMPTY: Entry = Entry { value: ENDED, handle: Handle::NULL };

/// A request that is over, and whose wait has not been called: `gravel_request_get_status` has told of it.
struct Kept {
    value: c_int,
    outcome: Result<Completion>,
}

/// The values that are given out.
pub(super) struct Values {
    /// A power of two; the place of a value is in its lowest bits.
    entries: Vec<Entry>,
    last: u32,
    live: usize,
    /// MPI_REQUEST_NULL.
    null: c_int,
    kept: Vec<Kept>,
    /// Open transfers of messages that MPI carries.
    pub(super) remembered: RememberedMessages,
    /// Copies of messages that MPI sends.
    pub(super) copies: Copies,
    /// All-to-all exchanges that are MPI's.
    pub(super) exchanges: Exchanges,
}

impl Values {
    /// Where MPI's null request has this value.
    pub(super) fn new(null: c_int) -> Self {
        Self {
            entries: vec![EMPTY; FEWEST],
            last: 0,
            live: 0,
            null,
            kept: Vec::new(),
            remembered: RememberedMessages::default(),
            copies: Copies::default(),
            exchanges: Exchanges::default(),
        }
    }

    /// MPI_REQUEST_NULL.
    #[inline(always)]
    pub(super) fn null(&self) -> c_int {
        self.null
    }

    /// The value of a request. The null handle is that of a send that is over.
    #[inline(always)]
    pub(super) fn of_request(&mut self, handle: Handle) -> Result<c_int> {
        if handle.is_null() { Ok(OVER) } else { self.insert(handle) }
    }

    /// The value of a transfer.
    #[inline(always)]
    pub(super) fn of_transfer(&mut self, handle: Handle) -> Result<c_int> {
        match handle.short_generation() {
            Some(generation) => Ok((FIRST_SHORT | generation & COUNTED).cast_signed()),
            None => self.insert(handle),
        }
    }

    #[inline(always)]
    fn insert(&mut self, handle: Handle) -> Result<c_int> {
        if self.live * 2 >= self.entries.len() {
            self.grow()?;
        }
        loop {
            self.last = (self.last + 1) & COUNTED;
            let value = FIRST | self.last;
            let place = self.last as usize & (self.entries.len() - 1);
            let entry = &mut self.entries[place];
            if entry.value & ENDED != 0 && self.last != 0 {
                *entry = Entry { value, handle };
                self.live += 1;
                return Ok(value.cast_signed());
            }
        }
    }

    #[cold]
    fn grow(&mut self) -> Result<()> {
        let entries = self.entries.len() * 2;
        if entries > COUNTED as usize + 1 {
            return Err(Error::Internal("more than 2^25 requests in flight".into()).into());
        }
        self.resize(entries);
        Ok(())
    }

    /// Two values with different places have different places in a larger table, too.
    fn resize(&mut self, entries: usize) {
        let old = std::mem::replace(&mut self.entries, vec![EMPTY; entries]);
        for entry in old.into_iter().filter(|entry| entry.value & ENDED == 0) {
            self.entries[entry.value as usize & (entries - 1)] = entry;
        }
    }

    #[inline(always)]
    fn place(&self, value: c_int) -> usize {
        value.cast_unsigned() as usize & (self.entries.len() - 1)
    }

    /// The operation of a request: the null handle for MPI's own values, and one that names nothing where nothing has this value
    /// any more.
    #[inline(always)]
    pub(super) fn handle(&self, value: c_int) -> Handle {
        if !is_own(value) {
            return Handle::NULL;
        }
        let entry = &self.entries[self.place(value)];
        if entry.value == value.cast_unsigned() { entry.handle } else { self.stale(value) }
    }

    #[cold]
    fn stale(&self, value: c_int) -> Handle {
        if value == OVER {
            return Handle::OVER;
        }
        let entry = &self.entries[self.place(value)];
        // The operation that it was, which is over: whoever remembers it can tell more.
        if entry.value == value.cast_unsigned() | ENDED { entry.handle } else { Self::nothing(value) }
    }

    /// The handle of no operation, by which errors name a value of [`is_own`]: tables never have so many slots.
    fn nothing(value: c_int) -> Handle {
        Handle::from_raw(i64::from(value))
    }

    /// The operation of a transfer.
    #[inline(always)]
    pub(super) fn transfer(&self, value: c_int) -> Handle {
        if value.cast_unsigned() & !COUNTED == FIRST_SHORT {
            return Handle::outside_tables(value.cast_unsigned() & COUNTED);
        }
        match value {
            NO_TRANSFER => Handle::NULL,
            OVER => Self::nothing(value),
            value if is_own(value) => self.handle(value),
            value => Handle::from_raw(-i64::from(value).abs()),
        }
    }

    /// Whether it is a value of a request or transfer of Gravel's, or that of no transfer.
    #[inline(always)]
    pub(super) fn is_value(&self, value: c_int) -> bool {
        is_own(value) || value.cast_unsigned() & !COUNTED == FIRST_SHORT || value == NO_TRANSFER
    }

    /// Whether a request has nothing left to wait for, but its outcome.
    #[inline(always)]
    pub(super) fn is_settled(&self, value: c_int) -> bool {
        value == OVER || self.keeps_any() && self.kept(value).is_some() || self.handle(value) == Handle::OVER
    }

    /// What a request stood for is over, and it has nothing to tell of.
    pub(super) fn settle(&mut self, value: c_int) {
        let place = self.place(value);
        if is_own(value) && self.entries[place].value == value.cast_unsigned() {
            self.entries[place].handle = Handle::OVER;
        }
    }

    /// What the program holds of a request that was completed: a persistent one stays, all others are null from now on.
    #[inline(always)]
    pub(super) fn end(&mut self, value: c_int) -> c_int {
        if !is_own(value) {
            return value;
        }
        let place = self.place(value);
        let entry = &mut self.entries[place];
        if entry.value == value.cast_unsigned() {
            if entry.handle.in_persistent().is_some() {
                return value;
            }
            self.remove(place);
        }
        self.null
    }

    #[inline(always)]
    fn remove(&mut self, place: usize) {
        self.entries[place].value |= ENDED;
        self.live -= 1;
        if self.live == 0 && self.entries.len() > FEWEST {
            // After a burst, values stay within few lines of the cache again.
            self.resize(FEWEST);
        }
    }

    /// Nothing has this value any more, and nobody can reach its operation by it.
    pub(super) fn forget(&mut self, value: c_int) {
        let place = self.place(value);
        if is_own(value) && self.entries[place].value == value.cast_unsigned() {
            self.entries[place].handle = Self::nothing(value);
            self.remove(place);
        }
    }

    /// A transfer has become a request: gives the value of that.
    #[inline(always)]
    pub(super) fn turn(&mut self, transfer: c_int, request: Handle) -> Result<c_int> {
        if !is_own(transfer) {
            return self.of_request(request);
        }
        if request.is_null() {
            self.forget(transfer);
            return Ok(OVER);
        }
        let place = self.place(transfer);
        self.entries[place].handle = request;
        Ok(transfer)
    }

    /// Whether the outcome of some request is kept.
    #[inline(always)]
    pub(super) fn keeps_any(&self) -> bool {
        !self.kept.is_empty()
    }

    /// A value for an operation that could not be begun: what ends it returns this error.
    #[cold]
    pub(super) fn of_failed(&mut self, error: Box<Error>) -> Result<c_int> {
        let value = self.insert(Handle::OVER)?;
        self.keep(value, Err(error));
        Ok(value)
    }

    /// Whether the value is that of an operation whose outcome is kept.
    #[inline(always)]
    pub(super) fn has_kept(&self, value: c_int) -> bool {
        self.keeps_any() && self.kept(value).is_some()
    }

    /// Keeps the outcome of a request until it is waited for.
    pub(super) fn keep(&mut self, value: c_int, outcome: Result<Completion>) {
        self.kept.push(Kept { value, outcome });
    }

    /// The outcome that is kept for a request.
    pub(super) fn kept(&self, value: c_int) -> Option<&Result<Completion>> {
        self.kept.iter().find(|kept| kept.value == value).map(|kept| &kept.outcome)
    }

    /// As [`Values::kept`], for the last time.
    #[inline(always)]
    pub(super) fn take_kept(&mut self, value: c_int) -> Option<Result<Completion>> {
        if self.kept.is_empty() { None } else { self.find_kept(value) }
    }

    #[cold]
    fn find_kept(&mut self, value: c_int) -> Option<Result<Completion>> {
        let place = self.kept.iter().position(|kept| kept.value == value)?;
        Some(self.kept.swap_remove(place).outcome)
    }

    /// The operations of several requests. One whose outcome is kept is a send that is over, to those that wait for it.
    pub(super) fn handles(&self, values: &[c_int]) -> SmallVec<[Handle; FEW]> {
        let handle = |&value| {
            let is_kept = self.keeps_any() && self.kept(value).is_some();
            if is_kept { Handle::OVER } else { self.handle(value) }
        };
        values.iter().map(handle).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::request::Table;
    use std::collections::HashSet;

    const NULL: c_int = 0x2c00_0000;

    #[test]
    fn values_lie_where_no_mpi_has_a_request() {
        let mut values = Values::new(NULL);
        let mut table = Table::default();
        for _ in 0..1000 {
            let value = values.of_request(table.insert(()).unwrap()).unwrap();
            assert!((0x3c00_0001..=0x3fff_ffff).contains(&value), "{value:#x}");
        }
        for other in [NULL, 0, 2, -1, 0x0400_0000, 0x6c00_0000, 0xac00_0000_u32.cast_signed(), 0x4000_0000] {
            assert!(!is_own(other), "{other:#x}");
            assert_eq!((values.handle(other), values.end(other)), (Handle::NULL, other));
        }
    }

    #[test]
    fn many_live_requests_keep_their_operations_and_stale_values_name_nothing() {
        let mut values = Values::new(NULL);
        let mut table = Table::default();
        let made: Vec<_> = (0..200_000)
            .map(|number| {
                let handle = table.insert(number).unwrap();
                (values.of_request(handle).unwrap(), handle)
            })
            .collect();
        assert_eq!(made.iter().map(|(value, _)| value).collect::<HashSet<_>>().len(), made.len());
        for &(value, handle) in &made {
            assert_eq!(values.handle(value), handle);
        }
        for &(value, handle) in &made {
            assert_eq!(values.end(value), NULL);
            table.remove(handle);
        }
        assert_eq!(values.entries.len(), FEWEST);
        let next = values.of_request(table.insert(0).unwrap()).unwrap();
        for (value, _) in made {
            assert_ne!(value, next);
            assert_eq!(table.get(values.handle(value)), None);
        }
    }

    #[test]
    fn a_value_comes_again_only_when_all_others_have() {
        let mut values = Values::new(NULL);
        let handle = Table::default().insert(()).unwrap();
        let long_lived = values.of_request(handle).unwrap();
        let first = values.of_request(handle).unwrap();
        values.end(first);
        let others = (0..).map(|_| {
            let value = values.of_request(handle).unwrap();
            values.end(value);
            value
        });
        let mut others = others.take_while(|&value| value != first);
        assert!(others.all(|value| value != long_lived && value != OVER));
        assert_eq!(values.handle(long_lived), handle);
    }

    #[test]
    fn a_send_that_is_over_needs_no_table() {
        let mut values = Values::new(NULL);
        assert_eq!(values.of_request(Handle::NULL), Ok(OVER));
        assert_eq!((values.handle(OVER), values.end(OVER), values.live), (Handle::OVER, NULL, 0));
    }

    #[test]
    fn what_could_not_be_begun_is_over_and_tells_why_once() {
        let mut values = Values::new(NULL);
        let error = || Box::new(Error::ToldAlready { code: 6 });
        let failed = values.of_failed(error()).unwrap();
        assert!(is_own(failed) && values.is_settled(failed) && values.has_kept(failed));
        assert!(!values.has_kept(NULL) && !values.has_kept(NO_TRANSFER));
        assert_eq!(values.handles(&[failed])[..], [Handle::OVER]);
        assert_eq!((values.end(failed), values.take_kept(failed)), (NULL, Some(Err(error()))));
        assert_eq!((values.live, values.take_kept(failed)), (0, None));
    }

    #[test]
    fn short_transfers_are_numbered() {
        let mut values = Values::new(NULL);
        let handle = Handle::outside_tables(77);
        let value = values.of_transfer(handle).unwrap();
        assert_eq!((values.transfer(value), values.live), (handle, 0));
        assert!(!is_own(value));
        assert_eq!(values.transfer(NO_TRANSFER), Handle::NULL);
    }

    #[test]
    fn persistent_requests_stay() {
        let mut values = Values::new(NULL);
        let handle = Table::default().insert(()).unwrap().persistent();
        let value = values.of_request(handle).unwrap();
        assert_eq!((values.end(value), values.handle(value)), (value, handle));
        values.forget(value);
        assert_ne!(values.handle(value), handle);
    }
}
