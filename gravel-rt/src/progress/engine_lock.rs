//! The lock around the engine: nothing at all while only its owner uses it, a mutex from the time on when another thread
//! does.
//!
//! To unlock a mutex is an atomic exchange, which waits until all stores before it have left the processor; after a short
//! message has been written into a ring whose lines the peer's cache holds, that is a large part of what sending costs.
//! In most programs with short messages no other thread ever touches the engine.
//!
//! The owner makes it a mutex where it knows that another thread will need it ([`EngineLock::share`]). Where it doesn't,
//! because it computes, that thread does so ([`EngineLock::seize`]): it sets the flag `shared` and waits while the owner has
//! `held` set. The owner sets `held` before it looks at `shared`; neither store may pass the look that follows it, and the
//! other thread pays for both with a fence in all threads (`asymmetric_fence`).
//!
//! For the same reason a guard is one word. One that holds the guard of a mutex is moved through memory, written in parts and
//! read as a whole; a processor can only do that when the parts have left its store buffer, behind the message.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

#[cfg(not(loom))]
use parking_lot::RawMutex;
#[cfg(not(loom))]
use parking_lot::lock_api::{RawMutex as _, RawMutexFair as _};

#[cfg(loom)]
use self::models::{RawMutex, this_thread};
use super::asymmetric_fence;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::sys::sync::{AtomicBool, Ordering, pause};
#[cfg(not(loom))]
use crate::sys::this_thread::this_thread;

/// The engine, owned by the thread that makes the lock until [`EngineLock::share`] or [`EngineLock::seize`] is called.
pub struct EngineLock<T = Engine> {
    engine: UnsafeCell<T>,
    /// The thread that may lock while nothing is shared.
    owner: usize,
    /// Whether the owner has locked without the mutex. Only the owner writes it.
    held: AtomicBool,
    /// Whether the mutex is in force. It stays so.
    shared: AtomicBool,
    mutex: RawMutex,
    /// Whether a thread has panicked with the engine locked.
    poisoned: AtomicBool,
    /// Whether the thread that holds the guard was unwinding already when it locked: that panic is the program's, whose
    /// destructors call. Only the holder of the guard looks at it.
    unwinding: AtomicBool,
}

// Why there is only one guard at a time. One without the mutex is only given to the owner's thread, one at a time (`held`),
// and only if `shared` is false after `held` was set. All others are given to the holder of the mutex, and only while no
// guard without it exists: `share` is called by the owner, which has none then, and `seize` returns when there is none (the
// fence between its store to `shared` and its look at `held` makes sure that the owner, which stores and looks in the
// opposite order, cannot miss it while it is missed itself).
//
// SAFETY: the engine is reached only through a guard, of which there is one at a time, and the value is Send.
unsafe impl<T: Send> Sync for EngineLock<T> {}

/// The engine, locked until this is dropped.
pub struct EngineGuard<'a, T = Engine> {
    lock: &'a EngineLock<T>,
    /// A guard stays with its thread.
    not_send: PhantomData<*const ()>,
}

impl<T> EngineLock<T> {
    /// The calling thread becomes the owner.
    pub fn new(engine: T) -> Self {
        Self {
            engine: UnsafeCell::new(engine),
            owner: this_thread(),
            held: AtomicBool::new(false),
            shared: AtomicBool::new(false),
            #[cfg(not(loom))]
            mutex: RawMutex::INIT,
            #[cfg(loom)]
            mutex: RawMutex::new(),
            poisoned: AtomicBool::new(false),
            unwinding: AtomicBool::new(false),
        }
    }

    /// Locks the engine. After a panic inside it nothing about it is certain, and every call fails.
    #[inline(always)]
    pub fn lock(&self) -> Result<EngineGuard<'_, T>> {
        if self.is_shared() {
            return self.lock_shared();
        }
        if self.owner != this_thread() || self.held.load(Ordering::Relaxed) || self.poisoned.load(Ordering::Relaxed) {
            return Err(self.refusal());
        }
        self.held.store(true, Ordering::Relaxed);
        asymmetric_fence::light();
        if self.is_shared() {
            return self.lock_seized();
        }
        Ok(self.guard())
    }

    /// The engine is the caller's now.
    #[inline(always)]
    fn guard(&self) -> EngineGuard<'_, T> {
        if std::thread::panicking() {
            self.unwinding.store(true, Ordering::Relaxed);
        }
        EngineGuard { lock: self, not_send: PhantomData }
    }

    /// Whoever has called has met a panic that the guard could not tell from an earlier one, or may have: every call fails
    /// from now on.
    pub fn poison(&self) {
        self.poisoned.store(true, Ordering::Relaxed);
    }

    /// The owner was about to lock without the mutex when another thread seized it.
    #[cold]
    fn lock_seized(&self) -> Result<EngineGuard<'_, T>> {
        self.held.store(false, Ordering::Release);
        self.lock_shared()
    }

    #[inline(never)]
    fn lock_shared(&self) -> Result<EngineGuard<'_, T>> {
        self.mutex.lock();
        let guard = self.guard();
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

    /// Whether the mutex is in force.
    #[inline(always)]
    pub fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// Lets other threads lock from now on. Called by the owner, before it expects them to.
    pub fn share(&self) -> Result<()> {
        // Also makes sure that this is the owner, or shared already, and that it holds no guard.
        drop(self.lock()?);
        self.shared.store(true, Ordering::Release);
        Ok(())
    }

    /// Locks the engine from another thread than the owner's, which may not expect that. Only one thread does so. Needs
    /// `asymmetric_fence::is_supported`; an error where that is not so.
    pub fn seize(&self) -> Result<EngineGuard<'_, T>> {
        // Whoever has shared it has dropped its last guard without the mutex before.
        if !self.shared.load(Ordering::Acquire) {
            if !asymmetric_fence::is_supported() {
                return Err(Error::Internal("the engine can't be taken from its owner".into()).into());
            }
            self.shared.store(true, Ordering::Relaxed);
            asymmetric_fence::heavy()?;
            // The guard may be held for as long as it takes to copy a long message.
            while self.held.load(Ordering::Acquire) {
                pause();
            }
        }
        self.lock_shared()
    }
}

impl<T> Deref for EngineGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this guard is the only one (see `EngineLock`).
        unsafe { &*self.lock.engine.get() }
    }
}

impl<T> DerefMut for EngineGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and it is borrowed mutably.
        unsafe { &mut *self.lock.engine.get() }
    }
}

impl<T> Drop for EngineGuard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.dropped_in_panic();
        }
        if self.lock.is_shared() {
            self.unlock_shared();
        } else {
            self.lock.held.store(false, Ordering::Release);
        }
    }
}

impl<T> EngineGuard<'_, T> {
    /// Unlocks it for a thread that waits, if there is one: this one is about to lock it again, and would mostly be first. Called
    /// by other threads than the owner's.
    pub fn hand_over(self) {
        debug_assert!(self.lock.owner != this_thread(), "the owner may hold a guard without the mutex");
        if std::thread::panicking() {
            return;
        }
        let lock = self.lock;
        std::mem::forget(self);
        // SAFETY: the guard of another thread than the owner's was made by locking the mutex.
        unsafe { lock.mutex.unlock_fair() };
    }

    /// A panic that began with the engine locked has left it half changed; one that is older has not.
    #[cold]
    fn dropped_in_panic(&self) {
        if !self.lock.unwinding.swap(false, Ordering::Relaxed) {
            self.lock.poison();
        }
    }

    /// The mutex is in force now; but this guard may be older.
    #[inline(never)]
    fn unlock_shared(&mut self) {
        // Only the owner writes `held`, and it is set outside of `lock` only as long as a guard without the mutex exists. (The
        // others must not look: the owner may just be passing through `lock`.)
        if self.lock.owner == this_thread() && self.lock.held.load(Ordering::Relaxed) {
            self.lock.held.store(false, Ordering::Release);
        } else {
            // SAFETY: this guard was made by locking the mutex.
            unsafe { self.lock.mutex.unlock() };
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// A value that two threads at once would spoil, and sanitizers and the interpreter would see.
    #[derive(Default)]
    struct Count {
        first: u64,
        second: u64,
    }

    impl Count {
        fn add(&mut self) {
            assert_eq!(self.first, self.second, "two threads had it at once");
            self.first += 1;
            std::hint::black_box(&mut *self);
            self.second += 1;
        }
    }

    /// Locks when it is dropped, as a transfer does that is given up.
    struct LocksAtItsEnd<'a>(&'a EngineLock<Count>);

    impl Drop for LocksAtItsEnd<'_> {
        fn drop(&mut self) {
            self.0.lock().expect("a panic elsewhere").add();
        }
    }

    #[test]
    fn only_a_panic_with_the_engine_locked_poisons_it() {
        for shared in [false, true] {
            let lock = EngineLock::new(Count::default());
            if shared {
                lock.share().expect("the owner");
            }
            let panics = |call: &dyn Fn()| {
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("a panic");
            };
            for _ in 0..2 {
                panics(&|| {
                    let _locks = LocksAtItsEnd(&lock);
                    panic!("of the program");
                });
            }
            assert_eq!(lock.lock().expect("nothing is wrong with it").first, 2);
            panics(&|| {
                let _guard = lock.lock().expect("the owner");
                panic!("inside");
            });
            assert!(matches!(lock.lock().map(drop).map_err(|error| *error), Err(Error::Internal(_))));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn a_thread_takes_the_engine_from_an_owner_that_goes_on() {
        assert!(asymmetric_fence::is_supported());
        for round in 0..200 {
            let (lock, done) = (Arc::new(EngineLock::new(Count::default())), Arc::new(AtomicBool::new(false)));
            let other = {
                let (lock, done) = (Arc::clone(&lock), Arc::clone(&done));
                std::thread::spawn(move || {
                    // At some moment of the owner's loop.
                    (0..round * 50).for_each(|_| std::hint::spin_loop());
                    for _ in 0..100 {
                        lock.seize().expect("supported").add();
                    }
                    done.store(true, Ordering::Release);
                })
            };
            let mut owned = 0;
            while !done.load(Ordering::Acquire) {
                lock.lock().expect("the owner").add();
                owned += 1;
            }
            other.join().expect("no two at once");
            assert!(lock.is_shared());
            assert_eq!(lock.lock().expect("the owner").first, owned + 100);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes system calls that the interpreter has not")]
    fn a_guard_that_is_held_meanwhile_keeps_others_out() {
        let lock = Arc::new(EngineLock::new(Count::default()));
        let mut guard = lock.lock().expect("the owner");
        let other = {
            let lock = Arc::clone(&lock);
            std::thread::spawn(move || lock.seize().expect("supported").add())
        };
        while !lock.is_shared() {
            std::thread::yield_now();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        guard.add();
        assert_eq!(guard.first, 1, "the other one had it although this guard was held");
        drop(guard);
        other.join().expect("no two at once");
        assert_eq!(lock.lock().expect("the owner").first, 2);
    }

    #[test]
    fn other_threads_are_refused_until_it_is_shared() {
        let lock = Arc::new(EngineLock::new(Count::default()));
        let others = || {
            let lock = Arc::clone(&lock);
            std::thread::spawn(move || lock.lock().map(|mut count| count.add())).join().expect("no panic")
        };
        assert!(others().is_err());
        let guard = lock.lock().expect("the owner");
        assert!(lock.share().is_err(), "while a guard is held");
        drop(guard);
        lock.share().expect("the owner");
        assert!(others().is_ok());
    }
}

#[cfg(all(test, loom))]
mod models {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};

    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    /// The model's threads share one thread of the system.
    pub fn this_thread() -> usize {
        let mut hasher = DefaultHasher::new();
        thread::current().id().hash(&mut hasher);
        hasher.finish() as usize
    }

    /// A mutex without a guard, as the library's.
    pub struct RawMutex(AtomicBool);

    impl RawMutex {
        pub fn new() -> Self {
            Self(AtomicBool::new(false))
        }

        pub fn lock(&self) {
            while self.0.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
                pause();
            }
        }

        pub unsafe fn unlock(&self) {
            self.0.store(false, Ordering::Release);
        }

        pub unsafe fn unlock_fair(&self) {
            self.0.store(false, Ordering::Release);
        }
    }

    fn add(count: &UnsafeCell<u32>) {
        // SAFETY: the guard is the only one: what the model checks.
        count.with_mut(|count| unsafe { *count += 1 });
    }

    /// The owner locks twice while another thread takes the engine from it: never do both have it.
    #[test]
    fn an_owner_and_a_thread_that_seizes_exclude_each_other() {
        loom::model(|| {
            let lock = Arc::new(EngineLock::new(UnsafeCell::new(0)));
            let other = Arc::clone(&lock);
            let seizing = thread::spawn(move || add(&other.seize().expect("supported")));
            add(&lock.lock().expect("the owner"));
            add(&lock.lock().expect("the owner"));
            seizing.join().unwrap();
            // SAFETY: as above.
            let count = lock.lock().expect("the owner").with(|count| unsafe { *count });
            assert_eq!(count, 3);
        });
    }
}
