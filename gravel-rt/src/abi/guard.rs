//! The one runtime of the process, and the way in and out of every call.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::values::Values;
use crate::error::{Code, Error, Result};
use crate::runtime::Runtime;
use crate::sys::log;
use crate::sys::this_thread::this_thread;

thread_local! {
    /// The runtime lives with the thread that called `gravel_init`, which makes all calls (MPI_THREAD_FUNNELED).
    static RUNTIME: RefCell<Option<Served>> = const { RefCell::new(None) };
    static LAST_ERROR: RefCell<CString> = RefCell::default();
    /// What MPI called the last error that [`Error::ToldAlready`] was returned for.
    static TOLD_ALREADY: Cell<c_int> = const { Cell::new(0) };
}

/// The thread whose [`RUNTIME`] holds a runtime, and where that is: so that its calls need not look it up.
static HOME_THREAD: AtomicUsize = AtomicUsize::new(0);
static HOME: AtomicPtr<RefCell<Option<Served>>> = AtomicPtr::new(std::ptr::null_mut());

/// Says where the runtime is for as long as it is there.
struct AtHome;

impl AtHome {
    /// For the runtime of the calling thread.
    fn new() -> Self {
        HOME.store(RUNTIME.with(std::ptr::from_ref).cast_mut(), Ordering::Relaxed);
        HOME_THREAD.store(this_thread(), Ordering::Release);
        Self
    }
}

impl Drop for AtHome {
    fn drop(&mut self) {
        HOME_THREAD.store(0, Ordering::Relaxed);
    }
}

/// The runtime, and what the program holds of its operations.
pub(super) struct Served {
    /// Dropped first: what ends with its thread is not looked for any more.
    _home: AtHome,
    pub(super) runtime: Runtime,
    pub(super) values: Values,
}

impl Served {
    /// Of the calling thread.
    pub(super) fn new(runtime: Runtime, values: Values) -> Self {
        Self { _home: AtHome::new(), runtime, values }
    }
}

/// Calls with the place where the runtime of this thread is kept.
#[inline(always)]
fn at_home<T>(call: impl FnOnce(&RefCell<Option<Served>>) -> T) -> T {
    if HOME_THREAD.load(Ordering::Relaxed) == this_thread() {
        // SAFETY: set by this very thread: no other one that lives has its number, and the place is forgotten before its
        // variables end with it.
        return call(unsafe { &*HOME.load(Ordering::Relaxed) });
    }
    RUNTIME.with(call)
}

/// Whether some thread holds a runtime: tells a call before `gravel_init` from one on another thread.
static INITIALIZED: AtomicBool = AtomicBool::new(false);

/// Whether MPI_Finalize has been called. A runtime that was not finalised before delivers what it still can, but may not
/// ask MPI to progress any more.
static MPI_HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Runs `call` with the place where the runtime is kept, and turns its outcome into a code.
#[inline(always)]
pub(super) fn enter(name: &str, call: impl FnOnce(&mut Option<Served>) -> Result<()>) -> i32 {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        at_home(|runtime| match runtime.try_borrow_mut() {
            Ok(mut runtime) => call(&mut runtime),
            // A callback called back.
            Err(_) => Err(Error::WrongThread.into()),
        })
    }));
    let error = match outcome {
        Ok(Ok(())) => return Code::Success as i32,
        Ok(Err(error)) => error,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
            Error::Internal(text.to_owned()).into()
        }
    };
    fail(name, &error)
}

/// As [`enter`], for calls that need a runtime.
#[inline(always)]
pub(super) fn with_runtime(name: &str, call: impl FnOnce(&mut Runtime) -> Result<()>) -> i32 {
    with_values(name, |runtime, _| call(runtime))
}

/// As [`with_runtime`], for calls that make or take a request.
#[inline(always)]
pub(super) fn with_values(name: &str, call: impl FnOnce(&mut Runtime, &mut Values) -> Result<()>) -> i32 {
    enter(name, |served| match served {
        Some(_) if MPI_HAS_ENDED.load(Ordering::Relaxed) => Err(Error::WithoutMpi.into()),
        Some(Served { runtime, values, .. }) => {
            runtime.call_in_unwinding(std::thread::panicking(), |runtime| call(runtime, values))
        }
        None if INITIALIZED.load(Ordering::Relaxed) => Err(Error::WrongThread.into()),
        None => Err(Error::NotInitialized.into()),
    })
}

/// Looks at this thread's runtime, if it has one and is not inside one of its calls. For questions that cannot fail.
pub(super) fn peek_mut<T>(look: impl FnOnce(&mut Runtime) -> T) -> Option<T> {
    let looked = AssertUnwindSafe(|| {
        at_home(|runtime| {
            let look = |served: &mut Served| look(&mut served.runtime);
            runtime.try_borrow_mut().ok().and_then(|mut served| served.as_mut().map(look))
        })
    });
    // A panic is reported by the call that follows, which meets it, too.
    catch_unwind(looked).ok().flatten()
}

/// As [`peek_mut`], changing nothing.
pub(super) fn peek<T>(look: impl FnOnce(&Runtime) -> T) -> Option<T> {
    peek_mut(|runtime| look(runtime))
}

/// Starts the one runtime of the process.
pub(super) fn initialize(name: &str, start: impl FnOnce() -> Result<Served>) -> i32 {
    enter(name, |runtime| {
        if INITIALIZED.swap(true, Ordering::Relaxed) {
            return Err(Error::AlreadyInitialized.into());
        }
        let started = start();
        INITIALIZED.store(started.is_ok(), Ordering::Relaxed);
        *runtime = Some(started?);
        Ok(())
    })
}

/// Ends the runtime.
pub(super) fn finalize(name: &str) -> i32 {
    enter(name, |runtime| match runtime.take_if(|_| !MPI_HAS_ENDED.load(Ordering::Relaxed)) {
        Some(served) => {
            INITIALIZED.store(false, Ordering::Relaxed);
            served.runtime.finalize().map(drop)
        }
        None if runtime.is_some() => Err(Error::WithoutMpi.into()),
        None if INITIALIZED.load(Ordering::Relaxed) => Err(Error::WrongThread.into()),
        None => Err(Error::NotInitialized.into()),
    })
}

/// Whether some thread holds a runtime, and MPI has not ended: else the MPI side must not ask MPI about what a call is
/// given.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_is_running() -> c_int {
    c_int::from(INITIALIZED.load(Ordering::Relaxed) && !MPI_HAS_ENDED.load(Ordering::Relaxed))
}

/// What MPI_Finalize calls, by the delete callback of an attribute of MPI_COMM_SELF.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_mpi_ends() {
    MPI_HAS_ENDED.store(true, Ordering::Relaxed);
}

/// Whether the MPI side stands for MPI itself: see [`gravel_rt_stand_for_mpi`].
static STANDS_FOR_MPI: AtomicBool = AtomicBool::new(false);

/// Whether calls whose arguments are wrong are given to MPI.
pub(super) fn stands_for_mpi() -> bool {
    STANDS_FOR_MPI.load(Ordering::Relaxed)
}

/// The MPI side stands for MPI in a program that knows nothing of Gravel. Calls whose arguments are wrong will be given to MPI,
/// which says what is wrong: they are not reported here. Of several requests the first that can be is completed. To be called
/// before `gravel_init`.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_stand_for_mpi() {
    STANDS_FOR_MPI.store(true, Ordering::Relaxed);
}

/// The program may go on after errors of its calls. Does nothing where no runtime is there.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_errors_return() {
    if gravel_rt_is_running() != 0 {
        with_runtime("gravel_errors_return", Runtime::errors_return);
    }
}

/// So long a rank waits whose collective call fails because of another one.
const TIME_TO_TELL: Duration = Duration::from_millis(300);

/// Reports an error.
#[cold]
pub(super) fn fail(name: &str, error: &Error) -> i32 {
    if let Error::ToldAlready { code } = *error {
        TOLD_ALREADY.set(code);
        return error.code() as i32;
    }
    if matches!(error, Error::LeftToMpi) {
        // The MPI side makes MPI's call: nothing has failed.
        return error.code() as i32;
    }
    let is_of_arguments =
        matches!(error.code(), Code::Communicator | Code::Rank | Code::Tag | Code::Count | Code::Buffer);
    if is_of_arguments && stands_for_mpi() {
        return error.code() as i32;
    }
    log::error!("{name}: {error}");
    if matches!(error, Error::CollectiveFailed { .. }) {
        // MPI's error handler would end the rank that knows why before it has said so.
        thread::sleep(TIME_TO_TELL);
    }
    let text = CString::new(format!("{name}: {error}").replace('\0', "?")).unwrap_or_default();
    LAST_ERROR.with(|last| *last.borrow_mut() = text);
    error.code() as i32
}

/// What MPI calls the error of the operation that the last failed call has ended, whose post was told of it.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_told_error() -> c_int {
    TOLD_ALREADY.get()
}

/// The text of this thread's last error, valid until its next one.
pub(super) fn last_error() -> *const std::ffi::c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}
