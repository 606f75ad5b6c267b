//! The agreed flush before MPI_Finalize: no message that MPI would have delivered is lost.
//!
//! Two rounds, each of which ends with a barrier that all ranks progress through. When the first barrier is over, every
//! rank has entered finalize, so every handshake that will ever exist has been written. In the second round producers
//! put what these handshakes ask for; when its barrier is over every byte and FIN has been written, and one more poll
//! takes in what was staged. Messages without a receive are dropped, as MPI drops them.

use super::Shared;
use super::wait::block_until;
use crate::Rank;
use crate::error::Result;
use crate::host::Host;

const ROUNDS: usize = 2;

/// Flushes all messages. Collective.
pub fn flush(shared: &Shared, host: &dyn Host, ranks: Rank) -> Result<()> {
    let polling = shared.patience.polling(0);
    for round in 1..=ROUNDS {
        // A rank that is waited for here cannot have ended in order: it needs this one's barrier first.
        block_until(shared, host, polling, 0..ranks, |engine| Ok(engine.is_flushed().then_some(())))?;
        host.begin_barrier()?;
        // Nor before the last barrier, which needs this one, too. In that it can: nobody is watched.
        let watched = if round < ROUNDS { 0..ranks } else { 0..0 };
        block_until(shared, host, polling, watched, |_| Ok(host.test_barrier()?.then_some(())))?;
    }
    shared.lock()?.progress(u64::MAX);
    Ok(())
}
