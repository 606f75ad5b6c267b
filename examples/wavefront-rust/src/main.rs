//! A wavefront: each rank sweeps over planes; what enters a plane comes from the rank before, what leaves it goes to the one behind.
//!
//! While a plane is swept, what has been computed of it leaves, and what enters the next one arrives. `#[gravel::overlap]` cuts the loop for
//! both messages.

use std::time::Instant;

use gravel::{Gravel, Result};

const TAG: i32 = 40;

/// One plane: `inflow` comes from `before`, `outflow` goes to `behind`; neither at the ends of the row of ranks.
#[cfg_attr(feature = "overlap", gravel::overlap)]
fn sweep(
    comm: &Gravel,
    plane: &mut [f64],
    inflow: &mut [f64],
    outflow: &mut [f64],
    before: Option<usize>,
    behind: Option<usize>,
) -> Result<()> {
    comm.receive(&mut inflow[..], before, TAG)?;
    for i in 0..outflow.len() {
        plane[i] = (0.5 * plane[i] + 0.25 * inflow[i]).abs().sqrt();
        outflow[i] = 0.75 * plane[i] + 0.125 * inflow[i];
    }
    comm.send(&outflow[..], behind, TAG)?;
    Ok(())
}

/// An argument of the program, where it is given.
fn argument(position: usize, otherwise: usize) -> usize {
    std::env::args().nth(position).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn main() -> Result<()> {
    let (elements, planes, sweeps) = (argument(1, 1 << 16), argument(2, 16), argument(3, 10));
    let comm = Gravel::from_environment()?;
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let (before, behind) = (rank.checked_sub(1), Some(rank + 1).filter(|&behind| behind < ranks));
    let mut field: Vec<Vec<f64>> =
        (0..planes).map(|plane| (0..elements).map(|i| ((i + plane) % 97 + rank) as f64).collect()).collect();
    // What enters the first rank.
    let mut inflow = vec![1.0; elements];
    let mut outflow = vec![0.0; elements];

    let begin = Instant::now();
    for _ in 0..sweeps {
        for plane in &mut field {
            sweep(&comm, plane, &mut inflow, &mut outflow, before, behind)?;
        }
    }
    comm.barrier()?;
    let seconds = begin.elapsed().as_secs_f64() / sweeps.max(1) as f64;
    // All bits count.
    let sum = field.iter().flatten().fold(0_u64, |sum, value| sum.rotate_left(7) ^ value.to_bits());
    comm.finalize()?;
    println!("rank {rank} of {ranks}: {sum:016x}");
    if rank == 0 {
        eprintln!("{seconds:.6} s per sweep");
    }
    Ok(())
}
