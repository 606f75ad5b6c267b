//! The table of requests behind the engine's lock, for the model checker.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use super::engine_lock::EngineLock;
use crate::message::request::Table;

/// What the engine's lock is for; the model checker finds whoever meets another in it.
fn with<R>(table: &UnsafeCell<Table<u32>>, access: impl FnOnce(&mut Table<u32>) -> R) -> R {
    // SAFETY: the caller has the guard, of which there is one at a time: what the model checks.
    table.with_mut(|table| access(unsafe { &mut *table }))
}

/// The application waits for a request that the helper completes meanwhile, whose slot is used again at once: each
/// finds that very request or nothing, one of both completes it, and the next one keeps its own.
#[test]
fn a_request_is_completed_once_and_never_taken_for_the_next_one() {
    loom::model(|| {
        let lock = Arc::new(EngineLock::new(UnsafeCell::new(Table::default())));
        let first = with(&lock.lock().expect("the owner"), |table| table.insert(1).unwrap());
        let other = Arc::clone(&lock);
        let helper = thread::spawn(move || {
            with(&other.seize().expect("supported"), |table| (table.remove(first), table.insert(2).unwrap()))
        });
        let seen = with(&lock.lock().expect("the owner"), |table| table.get(first).copied());
        assert!(matches!(seen, Some(1) | None), "{seen:?}");
        let taken = with(&lock.lock().expect("the owner"), |table| table.remove(first));
        let (taken_by_helper, second) = helper.join().unwrap();
        assert_eq!([taken, taken_by_helper].into_iter().flatten().collect::<Vec<_>>(), [1], "completed once");
        assert_ne!(first, second);
        assert_eq!(with(&lock.lock().expect("the owner"), |table| table.get(second).copied()), Some(2));
    });
}
