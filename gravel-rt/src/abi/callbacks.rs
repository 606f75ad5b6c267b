//! The MPI side as a table of C functions.

use std::ffi::{c_int, c_void};
use std::time::Duration;

use crate::Rank;
use crate::error::{Error, Result};
use crate::host::Host;
use crate::runtime::MpiConstants;

/// What `gravel.h` and `gravel.f90` hand to [`super::calls::gravel_rt_init`]. All functions return an MPI error code
/// (zero is MPI_SUCCESS), and work on the communicator that was given to `gravel_init`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Callbacks {
    /// Bytes of this structure, so that a header of another version is recognised.
    pub size: u64,
    /// Gathers `bytes` bytes from every rank into `all`, in rank order.
    pub all_gather: Option<unsafe extern "C" fn(mine: *const c_void, all: *mut c_void, bytes: c_int) -> c_int>,
    /// Lets MPI progress, without blocking.
    pub progress: Option<unsafe extern "C" fn()>,
    /// Enters a nonblocking barrier.
    pub begin_barrier: Option<unsafe extern "C" fn() -> c_int>,
    /// Sets `done` to 1 if the barrier that was entered last is complete, else to 0.
    pub test_barrier: Option<unsafe extern "C" fn(done: *mut c_int) -> c_int>,
    /// The communicator's Fortran handle, as later calls name it.
    pub communicator: c_int,
    /// This process's rank.
    pub rank: c_int,
    /// Number of ranks.
    pub ranks: c_int,
    /// Values of constants.
    pub constants: MpiConstants,
    /// Fortran handle of MPI_REQUEST_NULL.
    pub request_null: c_int,
}

/// A checked [`Callbacks`].
pub(super) struct CallbackHost {
    rank: Rank,
    ranks: Rank,
    all_gather: unsafe extern "C" fn(*const c_void, *mut c_void, c_int) -> c_int,
    progress: unsafe extern "C" fn(),
    begin_barrier: unsafe extern "C" fn() -> c_int,
    test_barrier: unsafe extern "C" fn(*mut c_int) -> c_int,
}

impl CallbackHost {
    /// Checks what came from outside.
    pub(super) fn new(callbacks: &Callbacks) -> Result<Self> {
        if callbacks.size != size_of::<Callbacks>() as u64 {
            return Err(Error::Internal(
                "gravel.h or gravel.f90 and libgravel are of different versions: rebuild the program with those of \
                 this library"
                    .into(),
            )
            .into());
        }
        let missing = |name| Error::NullArgument { name };
        let (rank, ranks) = match (Rank::try_from(callbacks.rank), Rank::try_from(callbacks.ranks)) {
            (Ok(rank), Ok(ranks)) if rank < ranks => (rank, ranks),
            _ => {
                return Err(Error::InvalidRank {
                    role: "own rank",
                    rank: callbacks.rank,
                    size: Rank::try_from(callbacks.ranks).unwrap_or(0).max(1),
                }
                .into());
            }
        };
        Ok(Self {
            rank,
            ranks,
            all_gather: callbacks.all_gather.ok_or_else(|| missing("all_gather"))?,
            progress: callbacks.progress.ok_or_else(|| missing("progress"))?,
            begin_barrier: callbacks.begin_barrier.ok_or_else(|| missing("begin_barrier"))?,
            test_barrier: callbacks.test_barrier.ok_or_else(|| missing("test_barrier"))?,
        })
    }
}

/// So often a wait of the MPI side only yields: with a processor for each rank, what it waits for comes within that.
const YIELDS: u32 = 64;
/// Then it sleeps, longer and longer, so that ranks which outnumber the processors leave these to those that have work.
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// What the MPI side calls between two tests of a collective call that it waits for.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_pause(in_vain: c_int) {
    match u32::try_from(in_vain).unwrap_or(0).checked_sub(YIELDS) {
        None => std::thread::yield_now(),
        Some(sleeps) => std::thread::sleep(Duration::from_micros(u64::from(sleeps) * 10 + 10).min(LONGEST_PAUSE)),
    }
}

fn check(call: &'static str, code: c_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::Mpi { call, code }.into()) }
}

impl Host for CallbackHost {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn size(&self) -> Rank {
        self.ranks
    }

    fn all_gather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        let bytes = c_int::try_from(mine.len())
            .map_err(|_| Error::Internal("an exchange of more than 2 GiB per rank".into()))?;
        let mut all = vec![0u8; mine.len() * self.ranks];
        // SAFETY: the function takes `bytes` bytes from one buffer and fills the other, which has that many per rank.
        check("MPI_Allgather", unsafe { (self.all_gather)(mine.as_ptr().cast(), all.as_mut_ptr().cast(), bytes) })?;
        Ok(all)
    }

    fn progress(&self) {
        // SAFETY: called on the application's thread, inside one of its calls.
        unsafe { (self.progress)() }
    }

    fn begin_barrier(&self) -> Result<()> {
        // SAFETY: as above.
        check("MPI_Ibarrier", unsafe { (self.begin_barrier)() })
    }

    fn test_barrier(&self) -> Result<bool> {
        let mut done = 0;
        // SAFETY: as above; the function writes one integer.
        check("MPI_Test", unsafe { (self.test_barrier)(&raw mut done) })?;
        Ok(done != 0)
    }
}
