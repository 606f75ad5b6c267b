//! Exchanges that a careless version of the macro changes.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, caught, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    /// The length of an iteration need not divide that of a block, nor the message be one of blocks.
    fn odd(comm: &Gravel, told: &mut [f64], out: &mut [f64], inc: &mut [f64], n: usize, count: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for p in 0..count {
            told[p % 5] += 1.0;
            for i in 0..n {
                out[p * n + i] = (p * 3 + i) as f64;
            }
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        for p in 0..count {
            told[p % 5] += 2.0;
            for i in 0..n {
                sum = sum * 0.5 + inc[p * n + i];
            }
        }
        Ok(sum)
    }
}

overlap! {
    fn patched(comm: &Gravel, out: &mut [f64], inc: &mut [f64], n: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for (p, block) in out.chunks_exact_mut(n).enumerate() {
            for i in 0..n {
                block[i] = (p + i) as f64;
            }
        }
        out[0] = -7.0;
        comm.alltoall(&out[..], &mut inc[..])?;
        inc[n - 1] += 5.0;
        for block in inc.chunks_exact(n) {
            for i in 0..n {
                sum = sum * 0.5 + block[i];
            }
        }
        Ok(sum)
    }
}

overlap! {
    /// An earlier block is written again, and read.
    fn rewritten(comm: &Gravel, out: &mut [f64], inc: &mut [f64], ranks: usize, n: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for p in 0..ranks {
            for i in 0..n {
                out[p * n + i] = (p + i) as f64;
            }
            out[0] += 1.5;
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        for p in 0..ranks {
            for i in 0..n {
                out[p * n + i] = inc[(ranks - 1 - p) * n + i];
                sum += out[p * n + i] * p as f64;
            }
        }
        for p in 1..ranks {
            for i in 0..n {
                out[p * n + i] += out[(p - 1) * n + i];
            }
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        for p in 0..ranks {
            for i in 0..n {
                inc[p * n + i] *= 0.5;
                sum += inc[p * n + i] * inc[i];
            }
        }
        Ok(sum)
    }
}

overlap! {
    /// What a block is filled with comes from the exchange before.
    fn in_turn(comm: &Gravel, out: &mut [f64], inc: &mut [f64], back: &mut [f64], own: usize, n: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for (p, block) in out.chunks_exact_mut(n).enumerate() {
            for x in block.iter_mut() {
                *x = p as f64 + 0.5;
            }
        }
        sum += inc[own * n];
        comm.alltoall(&out[..], &mut inc[..])?;
        sum += inc[own * n];
        comm.alltoall(&inc[..], &mut back[..])?;
        for x in out.iter_mut() {
            *x = sum;
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        comm.alltoall(&back[..], &mut out[..])?;
        for (x, y) in inc.iter().zip(out.iter()) {
            sum = sum * 0.25 + *x + *y;
        }
        Ok(sum)
    }
}

overlap! {
    /// One loop fills two exchanges whose blocks end elsewhere, and a message.
    fn two_at_once(
        comm: &Gravel, out: &mut [f64], inc: &mut [f64], back: &mut [f64], there: &mut [f64], line: &mut [f64], heard: &mut [f64],
        counts: &[usize], others: &[usize], next: usize, prev: usize,
    ) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for i in 0..out.len() {
            out[i] = i as f64;
            back[i] = i as f64 * 0.5;
            line[i] = i as f64 * 0.25;
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        comm.send_receive(&line[..], next, &mut heard[..], prev, 80)?;
        comm.alltoallv(&back[..], counts, &mut there[..], others)?;
        for i in 0..out.len() {
            sum = sum * 0.5 + inc[i] + there[i] * 2.0 + heard[i];
        }
        Ok(sum)
    }
}

overlap! {
    /// The first loop leaves out blocks, which leave with the end of their exchange: behind those of the second one.
    fn both_filled_before(
        comm: &Gravel, out: &mut [f64], back: &mut [f64], inc: &mut [f64], there: &mut [f64], first: usize, last: usize, ranks: usize, n: usize,
    ) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for p in first..last {
            for i in 0..n {
                out[p * n + i] = (p + i) as f64;
            }
        }
        for p in 0..ranks {
            for i in 0..n {
                back[p * n + i] = (p + i) as f64 * 0.5 - 9.0;
            }
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        comm.alltoall(&back[..], &mut there[..])?;
        for i in 0..inc.len() {
            sum = sum * 0.5 + inc[i] - there[i] * 2.0;
        }
        Ok(sum)
    }
}

overlap! {
    /// A loop that reads one exchange and fills the next one.
    fn onwards(comm: &Gravel, inc: &mut [f64], out: &mut [f64], back: &mut [f64], counts: &[usize], others: &[usize]) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for x in out.iter_mut() {
            *x += 1.0;
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        for i in 0..inc.len() {
            back[i] = inc[i] * 0.5 + i as f64;
        }
        comm.alltoallv(&back[..], counts, &mut out[..], others)?;
        for i in 0..out.len() {
            sum = sum * 0.5 + out[i];
        }
        Ok(sum)
    }
}

overlap! {
    /// The loop changes what says how long blocks are.
    fn changing_counts(comm: &Gravel, out: &mut [f64], counts: &mut Vec<usize>, inc: &mut [f64], others: &mut [usize], n: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for i in 0..out.len() {
            out[i] = i as f64 + 0.5;
            counts[i % n] += others[i % n];
        }
        for p in 0..counts.len() {
            counts[p] = counts[p].min(n);
        }
        comm.alltoallv(&out[..], &counts[..], &mut inc[..], others)?;
        for i in 0..inc.len() {
            others[i % n] += 1;
            sum = sum * 0.5 + inc[i];
        }
        Ok(sum)
    }
}

overlap! {
    /// Numbers are sent in blocks as long as they say themselves.
    fn counts_of_counts(comm: &Gravel, ones: &mut [usize], inc: &mut [usize], total: usize) -> gravel::Result<usize> {
        let mut sum = 0;
        for p in 0..ones.len() {
            ones[p] = 1;
        }
        comm.alltoallv(&ones[..], &ones[..], &mut inc[..total], &ones[..])?;
        comm.alltoallv(ones, ones, inc, ones)?;
        for p in 0..inc.len() {
            sum = sum * 3 + inc[p];
        }
        let counts = sum;
        comm.alltoall(&ones[..], &mut inc[..])?;
        for p in 0..inc.len() {
            sum += inc[p] * counts;
        }
        Ok(sum)
    }
}

overlap! {
    fn new_lengths(comm: &Gravel, out: &mut Vec<f64>, inc: &mut Vec<f64>, ranks: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for x in out.iter_mut() {
            *x = 0.5;
        }
        out.resize(ranks * 9, 1.0);
        inc.resize(ranks * 9, 1.0);
        comm.alltoall(&out[..], &mut inc[..])?;
        out.truncate(ranks);
        for x in inc.iter() {
            sum += *x;
        }
        inc.truncate(ranks);
        let out = inc.len();
        Ok(sum + out as f64)
    }
}

overlap! {
    fn leaving(comm: &Gravel, out: &mut [f64], inc: &mut [f64], limit: f64) -> Result<f64, Box<dyn Error>> {
        let mut sum = 0.0;
        for i in 0..out.len() {
            if i as f64 > limit {
                return Ok(-1.0);
            }
            out[i] = i as f64;
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        for i in 0..inc.len() {
            if inc[i] > limit * 0.5 {
                break;
            }
            sum += inc[i];
        }
        if limit > 1e8 {
            for x in out.iter_mut() {
                *x = sum;
            }
            comm.alltoall(&out[..], &mut inc[..]).unwrap();
            for x in inc.iter() {
                sum -= *x;
            }
        }
        Ok(sum)
    }
}

overlap! {
    fn on_two(comm: &Gravel, other: &Gravel, out: &mut [f64], inc: &mut [f64], back: &mut [f64]) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for i in 0..out.len() {
            out[i] = i as f64;
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        for i in 0..inc.len() {
            back[i] = inc[i] * 0.5;
        }
        other.alltoall(&back[..], &mut out[..])?;
        for i in 0..out.len() {
            sum = sum * 0.5 + out[i];
        }
        Ok(sum)
    }
}

overlap! {
    /// Names that begin as those of emitted code, and arrays with other indices than the loop's.
    fn other_names(comm: &Gravel, gravel_block2: &mut [f64], inc: &mut [f64], n: usize, own: usize) -> gravel::Result<f64> {
        let (gravel_limit, gravel_base2, ranks) = (0.5, 2.0, n);
        let mut sum = 0.0;
        for i in 0..gravel_block2.len() {
            gravel_block2[i] = gravel_limit + gravel_base2 * i as f64;
        }
        comm.alltoall(gravel_block2, inc)?;
        for p in 0..ranks {
            sum = sum * 0.5 + inc[own] + inc[p] + inc[p / 2];
        }
        Ok(sum)
    }
}

overlap! {
    fn with_value(comm: &Gravel, out: &mut [f64], inc: &mut [f64], work: &mut [f64]) -> gravel::Result<()> {
        for x in work.iter_mut() {
            *x += 0.5;
        }
        let done = comm.alltoall(&out[..], &mut inc[..])?;
        for x in work.iter_mut() {
            *x += 0.5;
        }
        let () = done;
        for x in out.iter_mut() {
            *x += 0.5;
        }
        if work[0] > 0.0 {
            comm.alltoall(&out[..], &mut inc[..])?
        }
        for x in out.iter_mut() {
            *x -= work[0];
        }
        comm.alltoall(&out[..], &mut inc[..])
    }
}

/// Everything but panics.
pub fn traps_of_exchanges(comm: &Gravel, log: &mut Log) -> Outcome {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let (next, prev) = neighbours(comm);
    for (n, count, length) in [
        (6, ranks, 6),
        (4, ranks, 6),
        (3, 2 * ranks, 6),
        (6, 1, 6),
        (12, ranks / 2, 6),
        (1, 6 * ranks, 6),
        (0, 3, 6),
        (5, 0, 6),
        (usize::MAX, 0, 3),
        (0, 2, 0),
    ] {
        let (mut told, mut out, mut inc) = (vec![0.0; 5], vec![0.5; ranks * length], vec![2.0; ranks * length]);
        let sum = odd(comm, &mut told, &mut out, &mut inc, n, count)?;
        log.push(format!("odd {n} {count} {sum} {told:?} {:x} {:x}", bits(&out), bits(&inc)));
    }
    for n in [1, 5, 64, 130] {
        let (mut out, mut inc, mut back) = (numbers(comm, n * ranks), vec![0.0; n * ranks], vec![1.0; n * ranks]);
        let mut sum = patched(comm, &mut out, &mut inc, n)?;
        sum += rewritten(comm, &mut out, &mut inc, ranks, n)?;
        sum += in_turn(comm, &mut out, &mut inc, &mut back, rank, n)?;
        log.push(format!("patched {n} {sum} {:x} {:x} {:x}", bits(&out), bits(&inc), bits(&back)));
        // What goes to a rank is what that rank expects: one more than a block to the next one, one less to the one behind.
        let mut counts = vec![n; ranks];
        let mut others = vec![n; ranks];
        if ranks > 2 {
            (counts[next], counts[prev], others[prev], others[next]) = (n + 1, n - 1, n + 1, n - 1);
        }
        let (mut there, mut line, mut heard) = (vec![3.0; n * ranks], vec![4.0; n * ranks], vec![5.0; n * ranks]);
        sum += two_at_once(
            comm, &mut out, &mut inc, &mut back, &mut there, &mut line, &mut heard, &counts, &others, next, prev,
        )?;
        log.push(format!("two at once {n} {sum} {:x} {:x} {:x}", bits(&inc), bits(&there), bits(&heard)));
        sum += onwards(comm, &mut inc, &mut out, &mut back, &counts, &others)?;
        log.push(format!("onwards {n} {sum} {:x} {:x} {:x}", bits(&out), bits(&inc), bits(&back)));
        let (mut counts, mut others) = (vec![0; ranks], vec![ranks; ranks]);
        let (mut many, mut few) = (vec![0.0; 9 * ranks * ranks], vec![0.0; ranks * ranks]);
        let sum = changing_counts(comm, &mut many, &mut counts, &mut few, &mut others, ranks)?;
        log.push(format!("changing {sum} {counts:?} {others:?} {:x} {:x}", bits(&many), bits(&few)));
        for (first, last) in [(0, ranks), (1, ranks), (0, ranks - 1), (0, 0)] {
            let mut sum = 0.0;
            let mut there = vec![3.0; n * ranks];
            sum += both_filled_before(comm, &mut out, &mut back, &mut inc, &mut there, first, last, ranks, n)?;
            log.push(format!("both filled {n} {sum} {:x} {:x}", bits(&inc), bits(&there)));
        }
        let sum = on_two(comm, &comm.duplicate()?, &mut out, &mut inc, &mut back)?;
        log.push(format!("on two {n} {sum} {:x} {:x} {:x}", bits(&out), bits(&inc), bits(&back)));
        let sum = other_names(comm, &mut out, &mut inc, ranks, rank)?;
        log.push(format!("other names {n} {sum} {:x} {:x}", bits(&out), bits(&inc)));
        with_value(comm, &mut out, &mut inc, &mut back)?;
        log.push(format!("with value {n} {:x} {:x} {:x}", bits(&out), bits(&inc), bits(&back)));
        let sum = leaving(comm, &mut out, &mut inc, 1e9)? + leaving(comm, &mut out, &mut inc, n as f64 * 0.5)?;
        log.push(format!("leaving {n} {sum} {:x} {:x}", bits(&out), bits(&inc)));
        let sum = new_lengths(comm, &mut out, &mut inc, ranks)?;
        log.push(format!("new lengths {n} {sum} {:x} {:x}", bits(&out), bits(&inc)));
    }
    let (mut ones, mut inc) = (vec![0; ranks], vec![0; ranks]);
    let sum = counts_of_counts(comm, &mut ones, &mut inc, ranks)?;
    log.push(format!("counts of counts {sum} {ones:?} {inc:?}"));
    Ok(())
}

overlap! {
    fn failing(comm: &Gravel, told: &mut [f64], out: &mut [f64], inc: &mut [f64], counts: &[usize], others: &[usize], is_counted: bool) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = told[0] + i as f64;
        }
        for x in told.iter_mut() {
            *x += 1.0;
        }
        if is_counted {
            for x in told.iter_mut() {
                *x += 4.0;
            }
            for i in 0..out.len() {
                out[i] += 1.0;
            }
            comm.alltoallv(&out[..], counts, &mut inc[..], others)?;
            for x in inc.iter() {
                told[0] += *x;
            }
        } else {
            for i in 0..out.len() {
                out[i] += 2.0;
            }
            comm.alltoall(&out[..], &mut inc[..])?;
            for i in 0..inc.len() {
                told[1] += inc[i];
            }
        }
        Ok(())
    }
}

/// Memory that can't be cut into blocks, of one side or both, and loops beyond their arrays: the same errors and panics at the same place.
pub fn panics_in_exchanges(comm: &Gravel, log: &mut Log) -> Outcome {
    let ranks = comm.ranks();
    for (sent, received, count) in [(1, 0, 1), (0, 1, 1), (1, 1, 2), (0, 0, 9)] {
        for is_counted in [false, true] {
            // All ranks fail alike, before anything is sent.
            let is_wrong = if is_counted { count > 4 } else { ranks > 1 && sent + received > 0 };
            if !is_wrong {
                continue;
            }
            let (mut told, mut out, mut inc) =
                (vec![0.0; 3], vec![0.0; 4 * ranks + sent], vec![7.0; 4 * ranks + received]);
            let counts = vec![count; ranks];
            caught(log, "failing", || Ok(failing(comm, &mut told, &mut out, &mut inc, &counts, &counts, is_counted)?));
            log.push(format!("{told:?} {:x} {:x}", bits(&out), bits(&inc)));
        }
    }
    Ok(())
}
