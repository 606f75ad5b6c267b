//! Checks side by side, as many as there are processors, and which programs may run beside others.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::mpi_flavour::MpiFlavour;
use crate::overhead::cores;
use crate::tally::Tally;

/// Held while a program runs that would be slow beside another one of its kind.
static SPINNING: Mutex<()> = Mutex::new(());

/// Waits until a program of this MPI may run; it may until what is returned is dropped.
///
/// Ranks of MPICH spin: where two such programs share the processors, each waits for a rank that waits for a processor,
/// and both take many times as long. Ranks of Open MPI give way to others ([`MpiFlavour::launch_beside_others`]), and
/// so does a compiler, which waits for nobody.
pub fn turn_to_run(mpi: MpiFlavour) -> Option<MutexGuard<'static, ()>> {
    // Whoever panicked while its program ran has left nothing in disorder.
    (mpi == MpiFlavour::Mpich).then(|| SPINNING.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Calls `check` for each item, as many at a time as there are processors. Each gets a tally of its own; they are added
/// in the order of the items, so that the result depends on no race.
pub fn check_each<T: Sync>(items: &[T], tally: &mut Tally, check: impl Fn(&T, &mut Tally) + Sync) {
    let next = AtomicUsize::new(0);
    let tallies: Mutex<Vec<(usize, Tally)>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..cores().min(items.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    let mut own = Tally::default();
                    check(item, &mut own);
                    tallies.lock().unwrap_or_else(PoisonError::into_inner).push((index, own));
                }
            });
        }
    });
    let mut tallies = tallies.into_inner().unwrap_or_else(PoisonError::into_inner);
    tallies.sort_by_key(|&(index, _)| index);
    tallies.into_iter().for_each(|(_, own)| tally.add(own));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_checked_once_and_counted_in_order() {
        let items: Vec<usize> = (0..100).collect();
        let mut tally = Tally::silent();
        check_each(&items, &mut tally, |&item, own| match item % 10 {
            3 => own.skip("a three", 2),
            _ => own.pass(),
        });
        assert_eq!(tally.done(), 90);
        assert_eq!(tally.to_string(), "skipped: 20 x a three\n90 passed, 0 failed, 20 skipped");
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_check_that_panics_is_not_taken_for_one_that_passed() {
        check_each(&[1, 2, 3], &mut Tally::silent(), |&item, _| assert_ne!(item, 2, "on purpose"));
    }

    #[test]
    fn failures_are_in_the_order_of_the_items() {
        let mut tally = Tally::silent();
        let mut part = Tally::silent();
        part.fail("second", "on purpose");
        tally.fail("first", "on purpose");
        tally.add(part);
        assert_eq!(tally.to_string(), "failed: first\nfailed: second\n0 passed, 2 failed, 0 skipped");
    }

    #[test]
    fn programs_of_mpich_run_one_at_a_time() {
        let turn = turn_to_run(MpiFlavour::Mpich);
        assert!(turn.is_some() && SPINNING.try_lock().is_err());
        assert!(turn_to_run(MpiFlavour::OpenMpi).is_none());
    }
}
