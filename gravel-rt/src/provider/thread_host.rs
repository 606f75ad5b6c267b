//! A host for tests in which the ranks are threads of one process.

use std::cell::Cell;
use std::sync::{Arc, Condvar, Mutex};

use crate::Rank;
use crate::error::Result;
use crate::host::Host;

/// What the ranks of a test share.
struct Job {
    ranks: Rank,
    /// What each rank has given to each collective, by its number.
    given: Mutex<Vec<Vec<Option<Vec<u8>>>>>,
    changed: Condvar,
}

/// One rank's view of it.
pub struct ThreadHost {
    job: Arc<Job>,
    rank: Rank,
    entered: Cell<usize>,
}

impl ThreadHost {
    fn enter(&self, bytes: &[u8]) -> usize {
        let number = self.entered.replace(self.entered.get() + 1);
        let mut given = self.job.given.lock().unwrap();
        if given.len() <= number {
            given.resize(number + 1, vec![None; self.job.ranks]);
        }
        given[number][self.rank] = Some(bytes.to_vec());
        self.job.changed.notify_all();
        number
    }
}

impl Host for ThreadHost {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn size(&self) -> Rank {
        self.job.ranks
    }

    fn all_gather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        let number = self.enter(mine);
        let given = self.job.given.lock().unwrap();
        let given = self.job.changed.wait_while(given, |given| given[number].contains(&None)).unwrap();
        Ok(given[number].iter().flatten().flatten().copied().collect())
    }

    fn progress(&self) {}

    fn begin_barrier(&self) -> Result<()> {
        self.enter(&[]);
        Ok(())
    }

    fn test_barrier(&self) -> Result<bool> {
        Ok(!self.job.given.lock().unwrap()[self.entered.get() - 1].contains(&None))
    }
}

/// Runs `body` for every rank on a thread of its own; what they return, by rank.
pub fn run_ranks<T: Send>(ranks: Rank, body: impl Fn(ThreadHost) -> T + Sync) -> Vec<T> {
    let job = Arc::new(Job { ranks, given: Mutex::default(), changed: Condvar::new() });
    std::thread::scope(|scope| {
        let start = |rank| {
            let (job, body) = (Arc::clone(&job), &body);
            scope.spawn(move || body(ThreadHost { job, rank, entered: Cell::new(0) }))
        };
        let threads: Vec<_> = (0..ranks).map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
