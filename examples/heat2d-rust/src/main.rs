//! A two-dimensional heat equation: each rank has rows of the plate; the rows beside them come from its neighbours.
//!
//! A step exchanges the first and the last row, and computes all rows. `#[gravel::overlap]` computes the rows that need no neighbour while
//! both messages travel, on the part of the field that is lent to neither.

use std::time::Instant;

use gravel::{Gravel, Reduction, Result};

/// Messages to the rank above, and to the one below.
const UP: i32 = 1;
const DOWN: i32 = 2;

/// A step computes the field at the next time from `old`, whose first and last rows are those of the neighbours.
struct Plate {
    columns: usize,
    rows: usize,
    old: Vec<f64>,
    new: Vec<f64>,
    /// The own first and last row, as they are sent.
    top: Vec<f64>,
    bottom: Vec<f64>,
    upper: Option<usize>,
    lower: Option<usize>,
}

// Nothing but messages tells one rank what another one has done: the second exchange need not wait for the first.
#[cfg_attr(feature = "overlap", gravel::overlap(unordered))]
impl Plate {
    fn step(&mut self, comm: &Gravel) -> Result<()> {
        let (columns, rows) = (self.columns, self.rows);
        self.top.copy_from_slice(&self.old[columns..2 * columns]);
        self.bottom.copy_from_slice(&self.old[rows * columns..(rows + 1) * columns]);
        comm.send_receive(&self.top, self.upper, &mut self.old[(rows + 1) * columns..], self.lower, UP)?;
        comm.send_receive(&self.bottom, self.lower, &mut self.old[..columns], self.upper, DOWN)?;
        for row in 1..=rows {
            for column in 1..columns - 1 {
                let k = row * columns + column;
                let around = self.old[k - columns] + self.old[k + columns] + self.old[k - 1] + self.old[k + 1];
                self.new[k] = 0.25 * around;
            }
        }
        Ok(())
    }
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
    let mut old = vec![0.0; (rows + 2) * columns];
    if upper.is_none() {
        // The upper edge is warm.
        old[..columns].fill(1.0);
    }
    let own = columns..(rows + 1) * columns;
    let (top, bottom) = (vec![0.0; columns], vec![0.0; columns]);
    let mut plate = Plate { columns, rows, new: old.clone(), old, top, bottom, upper, lower };

    let begin = Instant::now();
    let mut residual = 0.0;
    for iteration in 0..steps {
        plate.step(&comm)?;
        if iteration % 50 == 49 || iteration + 1 == steps {
            residual =
                comm.all_reduce_value(change(&plate.old[own.clone()], &plate.new[own.clone()]), Reduction::Max)?;
        }
        std::mem::swap(&mut plate.old, &mut plate.new);
    }
    comm.barrier()?;
    let seconds = begin.elapsed().as_secs_f64() / steps.max(1) as f64;
    // All bits count.
    let sum = plate.old[own].iter().fold(0_u64, |sum, value| sum.rotate_left(7) ^ value.to_bits());
    comm.finalize()?;
    println!("rank {rank} of {ranks}: {sum:016x}, residual {residual:e}");
    if rank == 0 {
        eprintln!("{seconds:.6} s per step");
    }
    Ok(())
}
