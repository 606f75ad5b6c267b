//! A matrix whose rows are spread over all ranks, and which they transpose twice a step: its blocks are packed, exchanged and unpacked.
//!
//! The loops know nothing of ranks that wait. `#[gravel::overlap]` sends each block as soon as it is packed, and unpacks what has come
//! while the rest arrives.

use std::time::Instant;

use gravel::{Gravel, Result};

/// The `rows` rows of a matrix of `columns` columns that this rank has become those of the transposed one.
#[cfg_attr(feature = "overlap", gravel::overlap)]
fn transpose(
    comm: &Gravel,
    matrix: &mut [f64],
    out: &mut [f64],
    inc: &mut [f64],
    rows: usize,
    columns: usize,
) -> Result<()> {
    for (to, block) in out.chunks_exact_mut(rows * rows).enumerate() {
        for r in 0..rows {
            for c in 0..rows {
                let value = matrix[r * columns + to * rows + c];
                block[r * rows + c] = (value * value + 1.0).sqrt();
            }
        }
    }
    comm.alltoall(&out[..], &mut inc[..])?;
    for (from, block) in inc.chunks_exact(rows * rows).enumerate() {
        for r in 0..rows {
            for c in 0..rows {
                matrix[c * columns + from * rows + r] = block[r * rows + c];
            }
        }
    }
    Ok(())
}

/// An argument of the program, where it is given.
fn argument(position: usize, otherwise: usize) -> usize {
    std::env::args().nth(position).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn main() -> Result<()> {
    let (rows, iterations) = (argument(1, 256), argument(2, 50));
    let comm = Gravel::from_environment()?;
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let columns = rows * ranks;
    let mut matrix: Vec<f64> = (0..rows * columns).map(|i| (i % 97 + rank) as f64).collect();
    let (mut out, mut inc) = (vec![0.0; rows * columns], vec![0.0; rows * columns]);

    let warm_up = 10;
    let mut begin = Instant::now();
    for iteration in 0..warm_up + iterations {
        if iteration == warm_up {
            begin = Instant::now();
        }
        transpose(&comm, &mut matrix, &mut out, &mut inc, rows, columns)?;
        transpose(&comm, &mut matrix, &mut out, &mut inc, rows, columns)?;
    }
    let seconds = begin.elapsed().as_secs_f64() / iterations.max(1) as f64;
    // All bits count.
    let sum = matrix.iter().fold(0_u64, |sum, value| sum.rotate_left(7) ^ value.to_bits());
    comm.finalize()?;
    println!("rank {rank} of {ranks}: {sum:016x}");
    if rank == 0 {
        eprintln!("{seconds:.6} s per step");
    }
    Ok(())
}
