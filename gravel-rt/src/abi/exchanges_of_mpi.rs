//! All-to-all exchanges on communicators that are not attached: MPI's, which has them in one call. It is made by whichever of
//! this process's halves comes second, in the order in which both are posted and opened; so the requests of both are over then.

use std::collections::VecDeque;
use std::ffi::{c_int, c_void};

use super::calls::{argument, result};
use super::guard::with_values;
use super::values::{NO_TRANSFER, Values};
use crate::error::{Error, Result};
use crate::message::request::Handle;

/// One half of an exchange, as the MPI side describes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HalfDescription {
    /// First byte of the buffer.
    pub address: *mut c_void,
    /// Number of elements of each block: one, or one for each rank.
    pub counts: *const c_void,
    /// Where the blocks of ranks begin, in elements; null if they follow one another, and have one count.
    pub places: *const c_void,
    /// Bytes of one of these integers.
    pub integer_bytes: c_int,
    /// Ranks of the communicator, or of the other group of an intercommunicator.
    pub ranks: c_int,
    /// Fortran handle of the datatype, which the MPI side frees when the exchange is over.
    pub datatype: c_int,
}

struct Half {
    address: *mut c_void,
    counts: Vec<c_int>,
    places: Vec<c_int>,
    datatype: c_int,
    value: c_int,
    /// Not while it is a transfer.
    is_ready: bool,
}

impl Half {
    /// # Safety
    /// Its pointers must be null or valid for the numbers of integers that it says.
    unsafe fn new(half: &HalfDescription) -> Result<Self> {
        let numbers = |first: *const c_void, length: usize| -> Result<Vec<c_int>> {
            let number = |k| {
                // SAFETY: passed on. Programs may pass any address.
                let number = unsafe {
                    match half.integer_bytes {
                        8 => first.cast::<i64>().add(k).read_unaligned(),
                        _ => i64::from(first.cast::<i32>().add(k).read_unaligned()),
                    }
                };
                c_int::try_from(number).map_err(|_| Error::InvalidCount { count: number, element_bytes: 1 }.into())
            };
            (0..length).map(number).collect()
        };
        let ranks = usize::try_from(half.ranks).unwrap_or(0);
        // SAFETY: passed on.
        unsafe { argument(half.counts, "counts")? };
        let in_blocks = !half.places.is_null();
        Ok(Self {
            address: half.address,
            counts: numbers(half.counts, if in_blocks { ranks } else { 1 })?,
            places: if in_blocks { numbers(half.places, ranks)? } else { Vec::new() },
            datatype: half.datatype,
            value: NO_TRANSFER,
            is_ready: true,
        })
    }

    /// As a half with a count and a place for each rank.
    fn spread(&mut self, ranks: usize) {
        if self.places.is_empty() {
            let count = self.counts[0];
            self.counts = vec![count; ranks];
            self.places = (0..ranks as c_int).map(|rank| rank.wrapping_mul(count)).collect();
        }
    }

    fn describe(&self) -> HalfDescription {
        let places = if self.places.is_empty() { std::ptr::null() } else { self.places.as_ptr().cast() };
        HalfDescription {
            address: self.address,
            counts: self.counts.as_ptr().cast(),
            places,
            integer_bytes: size_of::<c_int>() as c_int,
            ranks: self.places.len() as c_int,
            datatype: self.datatype,
        }
    }
}

/// Halves of one communicator that MPI has not had, in their order.
struct Halves {
    communicator: c_int,
    receives: VecDeque<Half>,
    sends: VecDeque<Half>,
}

/// The exchanges that are MPI's.
#[derive(Default)]
pub(super) struct Exchanges {
    communicators: Vec<Halves>,
    made: i64,
}

/// The handle of a half is not of any table, and as that of a message that MPI carries: nothing is put.
const FIRST_HALF: i64 = i64::MIN + (1 << 61);

impl Exchanges {
    fn of(&mut self, communicator: c_int) -> &mut Halves {
        let known = self.communicators.iter().position(|halves| halves.communicator == communicator);
        let place = known.unwrap_or_else(|| {
            let (receives, sends) = Default::default();
            self.communicators.push(Halves { communicator, receives, sends });
            self.communicators.len() - 1
        });
        &mut self.communicators[place]
    }

    fn next_handle(&mut self) -> Handle {
        self.made = (self.made + 1) & 0xff_ffff;
        Handle::from_raw(FIRST_HALF + self.made)
    }

    fn sending(&mut self, value: c_int) -> Option<(c_int, &mut Half)> {
        self.communicators.iter_mut().find_map(|halves| {
            let half = halves.sends.iter_mut().find(|half| half.value == value && !half.is_ready)?;
            Some((halves.communicator, half))
        })
    }
}

/// Keeps a half: a receive (0), a send (1), or one that is being filled (2), which becomes a transfer.
///
/// # Safety
/// Pointers must be null or valid, those of `half` as [`HalfDescription`] says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_hold_half(
    kind: c_int,
    half: *const HalfDescription,
    communicator: c_int,
    value: *mut c_int,
) -> c_int {
    with_values("an all-to-all exchange", |_, values| {
        // SAFETY: passed on.
        let (half, value) = unsafe { (argument(half, "half")?, result(value, "handle")?) };
        // SAFETY: passed on.
        let mut half = unsafe { Half::new(half)? };
        half.is_ready = kind != 2;
        let handle = values.exchanges.next_handle();
        *value = values.of_request(handle)?;
        half.value = *value;
        let halves = values.exchanges.of(communicator);
        if kind == 0 {
            halves.receives.push_back(half)
        } else {
            halves.sends.push_back(half)
        }
        Ok(())
    })
}

/// Ends the transfer of a half, which becomes a request: 1, and the communicator; 0 if it is none.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_end_half(
    transfer: *mut c_int,
    request: *mut c_int,
    communicator: *mut c_int,
) -> c_int {
    let mut found = 0;
    with_values("gravel_send_fin", |_, values| {
        // SAFETY: passed on.
        let (transfer, request) = unsafe { (result(transfer, "transfer")?, result(request, "request")?) };
        // SAFETY: passed on.
        let communicator = unsafe { result(communicator, "communicator")? };
        if let Some((its, half)) = values.exchanges.sending(*transfer) {
            half.is_ready = true;
            (*communicator, found) = (its, 1);
            *request = std::mem::replace(transfer, NO_TRANSFER);
        }
        Ok(())
    });
    found
}

/// The next exchange of a communicator of which both halves are here; 0 if there is none. Stays until
/// [`gravel_rt_end_exchange`] is called.
///
/// # Safety
/// Pointers must be null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_next_exchange(
    communicator: c_int,
    send: *mut HalfDescription,
    receive: *mut HalfDescription,
) -> c_int {
    let mut found = 0;
    with_values("an all-to-all exchange", |_, values| {
        // SAFETY: passed on.
        let (send, receive) = unsafe { (result(send, "send")?, result(receive, "receive")?) };
        let Halves { receives, sends, .. } = values.exchanges.of(communicator);
        if let (Some(receiving), Some(sending)) = (receives.front_mut(), sends.front_mut())
            && sending.is_ready
        {
            // MPI has no call for one half of each kind.
            let ranks = receiving.places.len().max(sending.places.len());
            if ranks > 0 {
                receiving.spread(ranks);
                sending.spread(ranks);
            }
            (*send, *receive, found) = (sending.describe(), receiving.describe(), 1);
        }
        Ok(())
    });
    found
}

/// MPI has had the next exchange of a communicator: both requests are over.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_end_exchange(communicator: c_int) {
    with_values("an all-to-all exchange", |_, values: &mut Values| {
        let Halves { receives, sends, .. } = values.exchanges.of(communicator);
        for half in [receives.pop_front(), sends.pop_front()].into_iter().flatten() {
            values.settle(half.value);
        }
        values.exchanges.communicators.retain(|halves| !(halves.receives.is_empty() && halves.sends.is_empty()));
        Ok(())
    });
}
