//! The lock around the engine: nothing at all while only one thread exists, a mutex from the start of the helper on.
//!
//! To unlock a mutex is an atomic exchange, which waits until all stores before it have left the processor; after a short
//! message has been written into a ring whose lines the peer's cache holds, that is a large part of what sending costs.
//! Most programs with short messages never start the helper thread.
//!
//! For the same reason a guard is one word. One that holds the guard of a mutex is moved through memory, written in parts and
//! read as a whole; a processor can only do that when the parts have left its store buffer, behind the message.

use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RawMutex;
use parking_lot::lock_api::RawMutex as _;

use crate::engine::Engine;
use crate::error::{Error, Result};

thread_local! {
    /// Its address tells threads apart.
    static THREAD: u8 = const { 0 };
}

fn this_thread() -> usize {
    THREAD.with(|here| std::ptr::from_ref(here).addr())
}

/// The engine, owned by the thread that makes the lock until [`EngineLock::share`] is called.
pub struct EngineLock {
    engine: UnsafeCell<Engine>,
    /// The thread that may lock while nothing is shared.
    owner: usize,
    /// Whether the owner has locked; used only by the owner, and only while nothing is shared.
    held: Cell<bool>,
    /// Whether the mutex is in force. Set by the owner, while no guard exists, before another thread can know the lock.
    shared: AtomicBool,
    mutex: RawMutex,
    /// Whether a thread has panicked with the engine locked.
    poisoned: AtomicBool,
}

// SAFETY: the engine is reached only through a guard. While `shared` is false, `lock` gives guards only to the owner's
// thread, one at a time (`held`, which only that thread touches); once it is true, only to the holder of the mutex. `share`
// makes sure that no guard of the first kind exists when guards of the second kind can come into being. `Engine` is Send.
unsafe impl Sync for EngineLock where Engine: Send {}

/// The engine, locked until this is dropped.
pub struct EngineGuard<'a> {
    lock: &'a EngineLock,
    /// A guard stays with its thread.
    not_send: PhantomData<*const ()>,
}

impl EngineLock {
    /// The calling thread becomes the owner.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine: UnsafeCell::new(engine),
            owner: this_thread(),
            held: Cell::new(false),
            shared: AtomicBool::new(false),
            mutex: RawMutex::INIT,
            poisoned: AtomicBool::new(false),
        }
    }

    /// Locks the engine. After a panic inside it nothing about it is certain, and every call fails.
    #[inline(always)]
    pub fn lock(&self) -> Result<EngineGuard<'_>> {
        if self.shared.load(Ordering::Relaxed) {
            return self.lock_shared();
        }
        if self.owner != this_thread() || self.held.get() || self.poisoned.load(Ordering::Relaxed) {
            return Err(self.refusal());
        }
        self.held.set(true);
        Ok(EngineGuard { lock: self, not_send: PhantomData })
    }

    #[inline(never)]
    fn lock_shared(&self) -> Result<EngineGuard<'_>> {
        self.mutex.lock();
        let guard = EngineGuard { lock: self, not_send: PhantomData };
        if self.poisoned.load(Ordering::Relaxed) {
            return Err(self.refusal());
        }
        Ok(guard)
    }

    /// Why it was not locked.
    #[cold]
    fn refusal(&self) -> Box<Error> {
        if self.poisoned.load(Ordering::Relaxed) {
            return Error::Internal("an earlier call ended in the middle".into()).into();
        }
        if self.owner != this_thread() {
            return Error::WrongThread.into();
        }
        Error::Internal("the engine is locked twice by one thread".into()).into()
    }

    /// Lets other threads lock from now on. Called by the owner, before it starts them.
    pub fn share(&self) -> Result<()> {
        // Also makes sure that this is the owner, and that it holds no guard.
        drop(self.lock()?);
        self.shared.store(true, Ordering::Release);
        Ok(())
    }
}

impl Deref for EngineGuard<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        // SAFETY: this guard is the only one (see `EngineLock`).
        unsafe { &*self.lock.engine.get() }
    }
}

impl DerefMut for EngineGuard<'_> {
    fn deref_mut(&mut self) -> &mut Engine {
        // SAFETY: as above, and it is borrowed mutably.
        unsafe { &mut *self.lock.engine.get() }
    }
}

impl Drop for EngineGuard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.lock.poisoned.store(true, Ordering::Relaxed);
        }
        // What it was when this guard was made: it changes only while there is none.
        if self.lock.shared.load(Ordering::Relaxed) {
            // SAFETY: this guard was made by locking the mutex.
            unsafe { self.lock.mutex.unlock() };
        } else {
            self.lock.held.set(false);
        }
    }
}
