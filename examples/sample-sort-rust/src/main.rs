//! A sample sort: keys are spread over all ranks, and in the end each rank has those between two splitters, in order.
//!
//! Each rank sorts its keys, sends each other one those of its range (`alltoallv`), and counts what comes by the leading bits, as a radix
//! sort does. `#[gravel::overlap]` counts the keys that have come while the others arrive.

use std::time::Instant;

use gravel::{Gravel, Result};

/// Keys whose leading bits are alike are sorted together.
const BUCKETS: usize = 1 << 12;

/// Sends the keys to the ranks that they belong to, so many to each, and counts those that come by their bucket: `(key - least) >> shift`.
#[cfg_attr(feature = "overlap", gravel::overlap)]
fn exchange(
    comm: &Gravel,
    (keys, to): (&[u64], &[usize]),
    (received, from): (&mut [u64], &[usize]),
    in_bucket: &mut [usize],
    least: u64,
    shift: u32,
) -> Result<()> {
    for bucket in 0..in_bucket.len() {
        in_bucket[bucket] = 0;
    }
    comm.alltoallv(keys, to, received, from)?;
    for i in 0..received.len() {
        let bucket = ((received[i] - least) >> shift) as usize;
        in_bucket[bucket] += 1;
    }
    Ok(())
}

/// What all ranks hand in, one behind the other.
fn gathered(comm: &Gravel, own: &[u64]) -> Result<Vec<u64>> {
    let ranks = comm.ranks();
    let mut all = vec![0; own.len() * ranks];
    comm.alltoall(&own.repeat(ranks), &mut all)?;
    Ok(all)
}

/// The keys that belong to this rank, in order.
fn sorted(comm: &Gravel, mut keys: Vec<u64>) -> Result<Vec<u64>> {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    keys.sort_unstable();
    // Each rank takes as many samples as there are ranks; each of those that end a rank's range is a splitter.
    let samples: Vec<u64> = (0..ranks).map(|k| keys.get(k * keys.len() / ranks).copied().unwrap_or(0)).collect();
    let mut samples = gathered(comm, &samples)?;
    samples.sort_unstable();
    let least_of = |rank: usize| if rank == 0 { 0 } else { samples[rank * ranks] };
    let begin = |rank: usize| match rank {
        _ if rank == ranks => keys.len(),
        _ => keys.partition_point(|&key| key < least_of(rank)),
    };
    let to: Vec<usize> = (0..ranks).map(|rank| begin(rank + 1) - begin(rank)).collect();
    let lengths: Vec<u64> = to.iter().map(|&length| length as u64).collect();
    let mut coming = vec![0; ranks];
    comm.alltoall(&lengths, &mut coming)?;
    let from: Vec<usize> = coming.iter().map(|&length| length as usize).collect();

    let least = least_of(rank);
    let width = if rank + 1 == ranks { u64::MAX - least } else { least_of(rank + 1) - least };
    let bits = u64::BITS - width.leading_zeros();
    let shift = bits.saturating_sub(BUCKETS.ilog2());
    let mut received = vec![0; from.iter().sum()];
    let mut in_bucket = vec![0; BUCKETS];
    exchange(comm, (&keys, &to), (&mut received, &from), &mut in_bucket, least, shift)?;

    // Where each bucket begins, then each key into its own.
    let mut begins = in_bucket.clone();
    let mut next = 0;
    for begin in &mut begins {
        (*begin, next) = (next, next + *begin);
    }
    let mut places = begins.clone();
    let mut found = vec![0; received.len()];
    for &key in &received {
        let bucket = ((key - least) >> shift) as usize;
        found[places[bucket]] = key;
        places[bucket] += 1;
    }
    for (&begin, &length) in begins.iter().zip(&in_bucket) {
        found[begin..begin + length].sort_unstable();
    }
    Ok(found)
}

/// An argument of the program, where it is given.
fn argument(position: usize, otherwise: usize) -> usize {
    std::env::args().nth(position).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn main() -> Result<()> {
    let (count, iterations) = (argument(1, 1 << 20), argument(2, 10));
    let comm = Gravel::from_environment()?;
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let mut state = rank as u64 + 1;
    let keys: Vec<u64> = std::iter::repeat_with(|| {
        // Steele and Vigna, "Computationally easy, spectrally good multipliers", 2022.
        state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        state ^ (state >> 29)
    })
    .take(count)
    .collect();

    let mut found = Vec::new();
    let begin = Instant::now();
    for _ in 0..iterations {
        found = sorted(&comm, keys.clone())?;
    }
    comm.barrier()?;
    let seconds = begin.elapsed().as_secs_f64() / iterations.max(1) as f64;
    let is_in_order = found.is_sorted();
    let sum = found.iter().fold(0_u64, |sum, key| sum.rotate_left(7) ^ key);
    comm.finalize()?;
    println!("rank {rank} of {ranks}: {} keys, in order: {is_in_order}, {sum:016x}", found.len());
    if rank == 0 {
        eprintln!("{seconds:.6} s per sort");
    }
    Ok(())
}
