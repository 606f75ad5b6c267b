//! Gravel beside MPI: attached to the world communicator of the crate `mpi`.
//!
//! ```text
//! cargo build --features mpi --example ring_mpi && mpirun -n 4 target/debug/examples/ring_mpi
//! ```

use gravel::{Gravel, Result};
use mpi::traits::{Communicator as _, CommunicatorCollectives as _};

const ELEMENTS: usize = 100_000;

fn main() -> Result<()> {
    let Some(universe) = mpi::initialize() else { panic!("MPI is initialised already") };
    let world = universe.world();
    let gravel = Gravel::attach(&world)?;
    let (rank, ranks) = (gravel.rank(), gravel.ranks());
    assert_eq!(world.rank() as usize, rank);

    let mut incoming = vec![0usize; ELEMENTS];
    let outgoing = vec![rank; ELEMENTS];
    gravel.scope(|scope| {
        let receive = scope.post_receive(&mut incoming, (rank + ranks - 1) % ranks, 1)?;
        let send = scope.post_send(&outgoing, (rank + 1) % ranks, 1)?;
        receive.wait()?;
        send.wait().map(drop)
    })?;
    // MPI is still the program's.
    world.barrier();
    println!("rank {rank} of {ranks} has a message of rank {}", incoming[ELEMENTS - 1]);
    gravel.finalize().map(drop)
}
