//! Exchanges of every rank with every other, with strict lints.
#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, clippy::pedantic)]

use gravel::Gravel;
use gravel::plain::Number;

#[gravel::overlap(strict)]
fn by_rows(comm: &Gravel, a: &mut [f64], out: &mut [f64], inc: &mut [f64], rows: usize, n: usize) -> gravel::Result<()> {
    for (p, block) in out.chunks_exact_mut(rows * rows).enumerate() {
        for r in 0..rows {
            for c in 0..rows {
                block[r * rows + c] = a[r * n + p * rows + c];
            }
        }
    }
    comm.alltoall(&out[..], &mut inc[..])?;
    for (p, block) in inc.chunks_exact(rows * rows).enumerate() {
        for r in 0..rows {
            for c in 0..rows {
                a[c * n + p * rows + r] = block[r * rows + c];
            }
        }
    }
    Ok(())
}

#[gravel::overlap(strict)]
fn generic<T: Number>(comm: &Gravel, value: T, out: &mut Vec<T>, inc: &mut [T], counts: &[usize]) -> gravel::Result<()> {
    for p in 1..counts.len() {
        for i in 0..3 {
            out[p * 3 + i] = value;
        }
    }
    comm.alltoallv(out, counts, inc, counts)?;
    for (x, y) in out.iter_mut().zip(inc.iter()) {
        *x = *y;
    }
    Ok(())
}

#[gravel::overlap(strict)]
fn shared(comm: &Gravel, out: &[i32], inc: &mut [i32], work: &mut [i32]) {
    for x in work.iter_mut() {
        *x /= 2;
    }
    comm.alltoall(out, inc).unwrap();
    for x in work.iter_mut() {
        *x += 1;
    }
}

struct Blocks {
    comm: Gravel,
    out: Vec<u64>,
    inc: Vec<u64>,
    counts: Vec<usize>,
}

#[gravel::overlap(strict)]
impl Blocks {
    fn turn(&mut self, first: usize) -> gravel::Result<u64> {
        let mut sum = 0;
        for i in first..self.out.len() {
            self.out[i] = sum;
        }
        self.comm.alltoallv(&self.out, &self.counts, &mut self.inc, &self.counts)?;
        for i in 0..self.inc.len() {
            sum += self.inc[i];
        }
        Ok(sum)
    }
}

fn main() {
    let _ = (by_rows, generic::<f64>, shared, Blocks::turn);
    let _: fn(Blocks) = |Blocks { comm, out, inc, counts }| drop((comm, out, inc, counts));
}
