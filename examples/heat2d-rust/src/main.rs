//! A two-dimensional heat equation: each rank has rows of the plate, and beside them the last row of each neighbour.
//!
//! A step sends the first and the last own row, receives the neighbours' and computes all own rows. `#[gravel::overlap]` computes the rows
//! that need no neighbour while the messages travel.

use std::time::Instant;

use gravel::{Gravel, Reduction, Result};

/// Messages to the rank above, and to the one below.
const UP: i32 = 1;
const DOWN: i32 = 2;

/// Longer messages would wait for their receivers, which send first, too.
const MOST_COLUMNS: usize = (64 << 10) / size_of::<f64>();

/// One step of `columns * (rows + 2)` elements: `new` from `old`. The first and the last row are the neighbours'.
#[cfg_attr(feature = "overlap", gravel::overlap)]
fn step(
    comm: &Gravel,
    old: &mut [f64],
    new: &mut [f64],
    rows: usize,
    columns: usize,
    above: Option<usize>,
    below: Option<usize>,
) -> Result<()> {
    comm.send(&old[columns..2 * columns], above, UP)?;
    comm.send(&old[rows * columns..(rows + 1) * columns], below, DOWN)?;
    comm.receive(&mut old[..columns], above, DOWN)?;
    comm.receive(&mut old[(rows + 1) * columns..], below, UP)?;
    for row in 1..=rows {
        for column in 1..columns - 1 {
            let k = row * columns + column;
            new[k] = 0.25 * (old[k - columns] + old[k + columns] + old[k - 1] + old[k + 1]);
        }
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
    let (columns, all_rows, steps) = (argument(1, 1024).clamp(3, MOST_COLUMNS), argument(2, 1024), argument(3, 200));
    let comm = Gravel::from_environment()?;
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let rows = (all_rows / ranks).max(1);
    let (above, below) = (rank.checked_sub(1), Some(rank + 1).filter(|&below| below < ranks));
    let mut old = vec![0.0; columns * (rows + 2)];
    if rank == 0 {
        // The upper edge is warm.
        old[..columns].fill(1.0);
    }
    let mut new = old.clone();

    let begin = Instant::now();
    let mut residual = 0.0;
    for iteration in 0..steps {
        step(&comm, &mut old, &mut new, rows, columns, above, below)?;
        if iteration % 50 == 49 || iteration + 1 == steps {
            let own = change(&old[columns..(rows + 1) * columns], &new[columns..(rows + 1) * columns]);
            residual = comm.all_reduce_value(own, Reduction::Max)?;
        }
        std::mem::swap(&mut old, &mut new);
    }
    comm.barrier()?;
    let seconds = begin.elapsed().as_secs_f64() / steps.max(1) as f64;
    // All bits count.
    let sum = old[columns..(rows + 1) * columns].iter().fold(0_u64, |sum, value| sum.rotate_left(7) ^ value.to_bits());
    comm.finalize()?;
    println!("rank {rank} of {ranks}: {sum:016x}, residual {residual:e}");
    if rank == 0 {
        eprintln!("{seconds:.6} s per step");
    }
    Ok(())
}
