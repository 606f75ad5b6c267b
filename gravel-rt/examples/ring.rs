//! A ring of ranks without MPI: every rank sends what it computes to the next one, tile by tile, while the message of the
//! previous one arrives.
//!
//! ```text
//! mpirun -n 4 target/debug/examples/ring
//! ```

use gravel::{Gravel, Result};

const ELEMENTS: usize = 100_000;
const ITERATIONS: usize = 20;
const TAG: i32 = 1;

fn main() -> Result<()> {
    let gravel = Gravel::from_environment()?;
    let (rank, ranks) = (gravel.rank(), gravel.ranks());
    let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);

    let mut incoming = vec![0.0; ELEMENTS];
    let mut outgoing = vec![0.0; ELEMENTS];
    let mut sum = rank as f64;
    for _ in 0..ITERATIONS {
        // Both buffers move into their operations and come back from the waits.
        let receive = gravel.post_receive(incoming, previous, TAG)?;
        let mut transfer = gravel.open_transfer(outgoing, next, TAG)?;
        let tile_length = transfer.tile_length(64)?;
        for mut tile in transfer.tiles(tile_length) {
            tile.fill(sum);
            tile.put()?;
        }
        let send = transfer.finish()?;
        let received = receive.wait()?;
        sum = received.buffer.iter().sum::<f64>() / received.elements() as f64;
        incoming = received.buffer;
        outgoing = send.wait()?;
    }
    let expected = ((rank + ranks * ITERATIONS - ITERATIONS) % ranks) as f64;
    println!("rank {rank} of {ranks}: {sum}, as expected: {}", sum == expected);
    gravel.finalize()?;
    if sum == expected { Ok(()) } else { std::process::exit(1) }
}
