//! Communicators: those that the MPI side works with, kept here so that all source files of a program, C and Fortran,
//! share them, and `gravel_attach`.

use std::ffi::c_int;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::guard::{self, with_runtime};
use crate::Rank;
use crate::error::{Error, Result};
use crate::message::communicator::agreement::Proposal;
use crate::message::request::Handle;
use crate::message::retirement::{Key, Retirements};
use crate::runtime::Runtime;
use crate::runtime::communicators::NewCommunicator;

/// What the MPI side needs from `gravel_init` to `gravel_finalize`. There is more than one while `gravel_init` is called for
/// the second time, which fails, and leaves the first.
static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

struct Kept {
    /// Fortran handle of the communicator that was given to `gravel_init`, until the program frees it.
    attached: Option<c_int>,
    /// That of its duplicate, on which the callbacks work.
    duplicate: c_int,
    /// The key of the first.
    key: Option<Key>,
    /// Where the runtime looks for communicators that were freed.
    retired: Option<Arc<Retirements>>,
    /// Fortran handle of the communicator of the operation whose call has failed, until the MPI side asks for it.
    failed: Option<c_int>,
}

fn with_kept<T>(access: impl FnOnce(Option<&mut Kept>) -> T) -> T {
    access(all_kept().last_mut())
}

fn all_kept() -> MutexGuard<'static, Vec<Kept>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the Fortran handles of the communicator that is given to `gravel_init` and of its duplicate, on which the
/// callbacks work.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_keep_communicators(attached: c_int, duplicate: c_int) {
    all_kept().push(Kept { attached: Some(attached), duplicate, key: None, retired: None, failed: None });
}

/// Forgets both: after `gravel_finalize`, or where `gravel_init` has failed.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_drop_communicators() {
    all_kept().pop();
}

/// The communicator whose error handler is called for a failed call that names none: that of its operation, or else
/// `gravel_init`'s, or `fallback` where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_failed_communicator(fallback: c_int) -> c_int {
    with_kept(|kept| kept.and_then(|kept| kept.failed.take().or(kept.attached)).unwrap_or(fallback))
}

/// Makes a call that names an operation, and no communicator; notes whose it was if it fails.
#[inline(always)]
pub(super) fn blaming<T, E>(
    runtime: &mut Runtime,
    handle: Handle,
    call: impl FnOnce(&mut Runtime) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let result = call(runtime);
    if result.is_err() {
        note_failure(runtime, handle);
    }
    result
}

/// Notes the communicator of an operation whose call has failed.
#[cold]
pub(super) fn note_failure(runtime: &mut Runtime, handle: Handle) {
    note_failed_communicator(runtime.communicator_of_failure(handle));
}

/// Notes the communicator of an operation that has failed, by its handle.
#[cold]
pub(super) fn note_failed_communicator(failed: Option<c_int>) {
    with_kept(|kept| {
        if let Some(kept) = kept {
            kept.failed = failed;
        }
    });
}

/// The communicator that was given to `gravel_init`; `fallback` where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_attached(fallback: c_int) -> c_int {
    with_kept(|kept| kept.and_then(|kept| kept.attached).unwrap_or(fallback))
}

/// The duplicate that was kept, or `fallback`.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_duplicate(fallback: c_int) -> c_int {
    with_kept(|kept| kept.map_or(fallback, |kept| kept.duplicate))
}

/// Keeps what the runtime must be told when `gravel_init`'s communicator is freed.
pub(super) fn watch(runtime: &mut Runtime, communicator: c_int) {
    let key = runtime.key_of(communicator);
    let retired = runtime.retirements();
    with_kept(|kept| {
        if let Some(kept) = kept {
            (kept.key, kept.retired) = (key, Some(retired));
        }
    });
}

/// A communicator that is to be attached, as the MPI side describes it.
#[repr(C)]
pub struct GroupDescription {
    /// Fortran handle of the communicator.
    pub communicator: c_int,
    /// This process's rank in it.
    pub rank: c_int,
    /// Number of its ranks.
    pub size: c_int,
    /// For each rank, its rank in `gravel_init`'s communicator; negative if it is not in that.
    pub members: *const c_int,
}

impl GroupDescription {
    /// # Safety
    /// `members` must be null or have `size` elements.
    unsafe fn new_communicator(&self) -> Result<NewCommunicator<'_>> {
        let size = Rank::try_from(self.size).unwrap_or(0);
        let rank = Rank::try_from(self.rank).ok().filter(|&rank| rank < size);
        let rank = rank.ok_or(Error::InvalidRank { role: "own rank", rank: self.rank, size: size.max(1) })?;
        if self.members.is_null() {
            return Err(Error::NullArgument { name: "members" }.into());
        }
        // SAFETY: not null, and so long by the contract.
        let members = unsafe { std::slice::from_raw_parts(self.members, size) };
        Ok(NewCommunicator { handle: self.communicator, rank, members })
    }
}

/// What this rank contributes to the agreement about a new communicator: the maximum over all its ranks is to be given to
/// [`gravel_rt_attach`]. Never fails; errors are reported there.
///
/// # Safety
/// `group` must be null or valid, its `members` null or as many as `size` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_propose(group: *const GroupDescription) -> i64 {
    // SAFETY: passed on.
    let rank = unsafe { group.as_ref() }.and_then(|group| Rank::try_from(group.rank).ok()).unwrap_or(0);
    let propose = |runtime: &Runtime| {
        // SAFETY: passed on.
        let new = unsafe { group.as_ref()?.new_communicator() }.ok()?;
        Some(runtime.propose(new))
    };
    guard::peek(propose).flatten().unwrap_or(Proposal::Failed(rank)).encode()
}

/// `gravel_attach`, after the agreement. `key` is for the attribute of the communicator.
///
/// # Safety
/// Pointers must be null or valid, as for [`gravel_rt_propose`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gravel_rt_attach(group: *const GroupDescription, agreed: i64, key: *mut i64) -> c_int {
    with_runtime("gravel_attach", |runtime| {
        // SAFETY: passed on.
        let (group, key) = unsafe { (group.as_ref(), key.as_mut()) };
        let group = group.ok_or(Error::NullArgument { name: "group" })?;
        let key = key.ok_or(Error::NullArgument { name: "key" })?;
        // SAFETY: passed on.
        let new = unsafe { group.new_communicator()? };
        *key = runtime.attach(new, Proposal::decode(agreed))?.into_raw();
        Ok(())
    })
}

/// The key of an attached communicator; 0 if it is not attached.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_communicator_key(communicator: c_int) -> i64 {
    guard::peek_mut(|runtime| runtime.key_of(communicator)).flatten().map_or(0, Key::into_raw)
}

/// What the delete callback of the attribute calls: the communicator with this key is no more.
#[unsafe(no_mangle)]
pub extern "C" fn gravel_rt_detach(key: i64) {
    let Some(key) = Key::from_raw(key) else { return };
    with_kept(|kept| {
        let Some(kept) = kept else { return };
        if kept.key == Some(key) {
            kept.attached = None;
        }
        if let Some(retired) = &kept.retired {
            retired.retire(key);
        }
    });
}
