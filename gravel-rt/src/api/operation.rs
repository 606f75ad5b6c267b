//! What all operations in flight have in common: a handle of the runtime, and memory that is the runtime's until it is over.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use super::element::Element;
use super::gravel::Gravel;
use super::memory::{Memory, OwnedMemory, RawMemory};
use crate::engine::completion::Completion;
use crate::error::Result;
use crate::message::request::Handle;

/// What the handle of an operation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A receive, or a send that has ended: it is waited for.
    Request,
    /// A transfer, which is ended first.
    Transfer,
}

/// The operations of a scope that are not over: it sees to them at its end.
#[derive(Default)]
pub(super) struct Pending(RefCell<Vec<(Handle, Kind)>>);

impl Pending {
    fn add(&self, handle: Handle, kind: Kind) {
        if !handle.is_null() {
            self.0.borrow_mut().push((handle, kind));
        }
    }

    fn remove(&self, handle: Handle) {
        let mut pending = self.0.borrow_mut();
        // The last ones are the likeliest.
        if let Some(index) = pending.iter().rposition(|&(other, _)| other == handle) {
            pending.swap_remove(index);
        }
    }

    pub(super) fn take(&self) -> Vec<(Handle, Kind)> {
        self.0.take()
    }
}

/// Who keeps the memory of an operation valid if the operation itself is lost.
pub(super) enum Keeper<'g, T> {
    /// The scope in which it was posted.
    Scope(&'g Pending),
    /// The runtime, which takes it with this function.
    Runtime(fn(&Gravel, Handle, RawMemory<T>)),
}

impl<T> Clone for Keeper<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Keeper<'_, T> {}

impl<T: Element> Keeper<'_, T> {
    /// For memory that is valid as long as it is not freed.
    pub(super) fn runtime<B: OwnedMemory<Element = T>>() -> Self {
        Self::Runtime(|gravel, handle, raw| {
            // SAFETY: the runtime calls this once, when the operation is over; only the operation had the memory.
            gravel.keep(handle, Box::new(move || drop(unsafe { B::from_raw(raw) })));
        })
    }
}

/// An operation in flight and its memory. Dropped, it runs on.
pub(super) struct Operation<'g, B: Memory> {
    pub(super) gravel: &'g Gravel,
    pub(super) handle: Handle,
    kind: Kind,
    pub(super) raw: RawMemory<B::Element>,
    keeper: Keeper<'g, B::Element>,
    memory: PhantomData<B>,
}

impl<'g, B: Memory> Operation<'g, B> {
    /// Starts an operation on `memory`, which is given back to nobody if that fails.
    pub(super) fn start(
        gravel: &'g Gravel,
        keeper: Keeper<'g, B::Element>,
        kind: Kind,
        memory: B,
        call: impl FnOnce(RawMemory<B::Element>) -> Result<Handle>,
    ) -> Result<Self> {
        // If the call panics the memory is never given back.
        let raw = memory.into_raw();
        let handle = match call(raw) {
            Ok(handle) => handle,
            Err(error) => {
                // SAFETY: a call that was refused has not told anybody of the memory.
                drop(unsafe { B::from_raw(raw) });
                return Err(error);
            }
        };
        if let Keeper::Scope(pending) = keeper {
            pending.add(handle, kind);
        }
        Ok(Self { gravel, handle, kind, raw, keeper, memory: PhantomData })
    }

    /// Takes back the memory of an operation that is over.
    ///
    /// # Safety
    /// Nobody writes or reads it any more.
    unsafe fn into_memory(self) -> B {
        let operation = ManuallyDrop::new(self);
        if let Keeper::Scope(pending) = operation.keeper {
            pending.remove(operation.handle);
        }
        // SAFETY: `raw` is the memory that this operation was started with; the operation is not dropped.
        unsafe { B::from_raw(operation.raw) }
    }

    /// Completes the operation with what its wait has returned.
    pub(super) fn complete(self, result: Result<Completion>) -> Result<(B, Completion)> {
        match result {
            // SAFETY: a request that was waited for is over.
            Ok(completion) => Ok((unsafe { self.into_memory() }, completion)),
            Err(error) => {
                if self.gravel.is_over(self.handle) {
                    // SAFETY: as just asked.
                    drop(unsafe { self.into_memory() });
                }
                Err(error)
            }
        }
    }

    /// How many of the message's elements make a tile: a multiple of `multiple`, or all; at least 1.
    pub(super) fn tile_length(&self, multiple: usize) -> Result<usize> {
        let elements = i64::try_from(self.raw.len()).unwrap_or(i64::MAX);
        let multiple = i64::try_from(multiple).unwrap_or(i64::MAX);
        let tile = self.gravel.call(|runtime| runtime.tile(self.handle, elements, multiple))?;
        // A message that gains nothing by tiles has no say.
        let tile = if tile > 0 { tile } else { elements.max(1) };
        Ok(usize::try_from(tile).unwrap_or(1))
    }

    pub(super) fn wait(self) -> Result<(B, Completion)> {
        let result = self.gravel.call(|runtime| runtime.wait(self.handle));
        self.complete(result)
    }

    /// Completes the operation if that is possible now.
    pub(super) fn test(self) -> Result<std::result::Result<(B, Completion), Self>> {
        match self.gravel.call(|runtime| runtime.test(self.handle)) {
            Ok(None) => Ok(Err(self)),
            Ok(Some(completion)) => self.complete(Ok(completion)).map(Ok),
            Err(error) => self.complete(Err(error)).map(Ok),
        }
    }

    /// Ends a transfer by a call that turns its handle into that of a request.
    pub(super) fn end(mut self, call: impl FnOnce(&mut crate::Runtime, Handle) -> Result<Handle>) -> Result<Self> {
        let ended = self.gravel.call(|runtime| call(runtime, self.handle))?;
        if let Keeper::Scope(pending) = self.keeper {
            pending.remove(self.handle);
            pending.add(ended, Kind::Request);
        }
        (self.handle, self.kind) = (ended, Kind::Request);
        Ok(self)
    }
}

impl<B: Memory> Drop for Operation<'_, B> {
    fn drop(&mut self) {
        if self.kind == Kind::Transfer {
            let given_up = self.gravel.give_up(self.handle);
            if given_up.is_err() && !self.gravel.is_over(self.handle) {
                // The memory stays with the scope, or is never freed.
                return;
            }
            if let Keeper::Scope(pending) = self.keeper {
                pending.remove(self.handle);
            }
            self.handle = Handle::NULL;
        }
        if let Keeper::Runtime(keep) = self.keeper {
            keep(self.gravel, self.handle, self.raw);
        }
    }
}

/// Ends all operations of a scope. Returns the first error.
///
/// In an orderly end they are waited for; after an error or a panic receives are cancelled first, so that they need no
/// message. If the runtime can't say whether the memory of an operation is free, the process is aborted: the memory is
/// about to be used for something else.
pub(super) fn settle(gravel: &Gravel, pending: &Pending, orderly: bool) -> Result<()> {
    let mut outcome = Ok(());
    let operations = pending.take();
    // A panic inside the runtime may have lost the handle of something that it had begun.
    abort_unless(orderly || gravel.is_over(Handle::NULL));
    for &(handle, kind) in &operations {
        if kind == Kind::Transfer {
            let given_up = gravel.give_up(handle);
            abort_unless(given_up.is_ok() || gravel.is_over(handle));
        } else if !orderly && let Err(error) = gravel.call(|runtime| runtime.cancel(handle)) {
            outcome = outcome.and(Err(error));
        }
    }
    for (handle, kind) in operations {
        if kind == Kind::Request
            && let Err(error) = gravel.call(|runtime| runtime.wait(handle))
        {
            abort_unless(gravel.is_over(handle));
            outcome = outcome.and(Err(error));
        }
    }
    outcome
}

fn abort_unless(is_over: bool) {
    if !is_over {
        crate::sys::log::error!("a scope ends while the runtime is in an unknown state: its buffers can't be released");
        std::process::abort();
    }
}
