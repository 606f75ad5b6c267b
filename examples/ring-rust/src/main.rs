//! A ring of ranks: each fills a message, passes it to the next rank and works on the one of the rank before.
//!
//! The loops know nothing of tiles. `#[gravel::overlap]` sends the message while it is computed, and reads what has come while the
//! rest arrives.

use std::time::Instant;

use gravel::{Gravel, Result};

const TAG: i32 = 7;

#[cfg_attr(feature = "overlap", gravel::overlap)]
fn step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> Result<()> {
    for i in 0..out.len() {
        out[i] = (field[i] * field[i] + 1.0).sqrt() * 0.75 + 0.25;
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, TAG)?;
    for i in 0..field.len() {
        field[i] = (field[i] * 0.5 + inc[i] * 0.25).abs().sqrt();
    }
    Ok(())
}

/// An argument of the program, where it is given.
fn argument(position: usize, otherwise: usize) -> usize {
    std::env::args().nth(position).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn main() -> Result<()> {
    let (elements, iterations) = (argument(1, 1 << 18), argument(2, 100));
    let comm = Gravel::from_environment()?;
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let (next, prev) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    let mut field: Vec<f64> = (0..elements).map(|i| (i % 97 + rank) as f64).collect();
    let (mut out, mut inc) = (vec![0.0; elements], vec![0.0; elements]);

    let warm_up = 10;
    let mut begin = Instant::now();
    for iteration in 0..warm_up + iterations {
        if iteration == warm_up {
            begin = Instant::now();
        }
        step(&comm, &mut field, &mut out, &mut inc, next, prev)?;
    }
    let seconds = begin.elapsed().as_secs_f64() / iterations.max(1) as f64;
    // All bits count.
    let sum = field.iter().fold(0_u64, |sum, value| sum.rotate_left(7) ^ value.to_bits());
    comm.finalize()?;
    println!("rank {rank} of {ranks}: {sum:016x}");
    if rank == 0 {
        eprintln!("{seconds:.6} s per iteration");
    }
    Ok(())
}
