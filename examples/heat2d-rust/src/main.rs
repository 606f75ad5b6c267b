//! A two-dimensional heat equation: each rank has rows of the plate; the rows beside them come from its neighbours.
//!
//! A step exchanges the first and the last row, and computes all rows. `#[gravel::overlap]` computes the rows that need no neighbour while
//! the messages travel.

use std::time::Instant;

use gravel::{Gravel, Reduction, Result};

/// Messages to the rank above, and to the one below.
const UP: i32 = 1;
const DOWN: i32 = 2;

/// One step of `rows * columns` elements: `new` from `old`. `above` and `below` are the rows of the neighbours `upper` and `lower`.
#[cfg_attr(feature = "overlap", gravel::overlap)]
fn step(
    comm: &Gravel,
    old: &[f64],
    new: &mut [f64],
    above: &mut [f64],
    below: &mut [f64],
    upper: Option<usize>,
    lower: Option<usize>,
) -> Result<()> {
    let columns = above.len();
    let last = old.len() - columns;
    comm.send_receive(&old[..columns], upper, &mut below[..], lower, UP)?;
    comm.send_receive(&old[last..], lower, &mut above[..], upper, DOWN)?;
    for row in 1..last / columns {
        for column in 1..columns - 1 {
            let k = row * columns + column;
            new[k] = 0.25 * (old[k - columns] + old[k + columns] + old[k - 1] + old[k + 1]);
        }
    }
    for k in 1..columns - 1 {
        new[k] = 0.25 * (above[k] + old[k + columns] + old[k - 1] + old[k + 1]);
    }
    for k in last + 1..last + columns - 1 {
        new[k] = 0.25 * (old[k - columns] + below[k - last] + old[k - 1] + old[k + 1]);
    }
    Ok(())
}

/// The largest change of an element.
fn change(old: &[f64], new: &[f64]) -> f64 {
    old.iter().zip(new).fold(0.0, |largest: f64, (old, new)| largest.max((old - new).abs()))
}

/// An argument of the program, where it is given.
fn argument(position: usize, otherwise: usize) -> usize {
    std::env::args().nth(position).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn main() -> Result<()> {
    let (columns, all_rows, steps) = (argument(1, 1024).max(3), argument(2, 1024), argument(3, 200));
    let comm = Gravel::from_environment()?;
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let rows = (all_rows / ranks).max(2);
    let (upper, lower) = (rank.checked_sub(1), Some(rank + 1).filter(|&lower| lower < ranks));
    // The upper edge is warm.
    let (mut above, mut below) = (vec![1.0; columns], vec![0.0; columns]);
    let mut old = vec![0.0; rows * columns];
    let mut new = old.clone();

    let begin = Instant::now();
    let mut residual = 0.0;
    for iteration in 0..steps {
        step(&comm, &old, &mut new, &mut above, &mut below, upper, lower)?;
        if iteration % 50 == 49 || iteration + 1 == steps {
            residual = comm.all_reduce_value(change(&old, &new), Reduction::Max)?;
        }
        std::mem::swap(&mut old, &mut new);
    }
    comm.barrier()?;
    let seconds = begin.elapsed().as_secs_f64() / steps.max(1) as f64;
    // All bits count.
    let sum = old.iter().fold(0_u64, |sum, value| sum.rotate_left(7) ^ value.to_bits());
    comm.finalize()?;
    println!("rank {rank} of {ranks}: {sum:016x}, residual {residual:e}");
    if rank == 0 {
        eprintln!("{seconds:.6} s per step");
    }
    Ok(())
}
