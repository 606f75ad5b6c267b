//! Exchanges of every rank with every other, as programs make them.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, lengths, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    fn transposed(comm: &Gravel, a: &mut [f64], out: &mut [f64], inc: &mut [f64], rows: usize, n: usize) -> gravel::Result<()> {
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
}

overlap! {
    fn over_ranks(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], ranks: usize, n: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for p in 0..ranks {
            for i in 0..n {
                out[p * n + i] = field[i] + p as f64;
            }
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        for p in 0..ranks {
            for i in 0..n {
                sum += inc[p * n + i];
                field[i] = sum * 0.5;
            }
        }
        Ok(sum)
    }
}

overlap! {
    fn flat(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64]) -> Result<f64, Box<dyn Error>> {
        let mut sum = 0.0;
        for (x, y) in out.iter_mut().zip(field.iter()) {
            *x = *y * 0.5 + 0.25;
        }
        comm.alltoall(out, inc).expect("an exchange");
        for i in 0..inc.len() {
            field[i] = field[i] * 0.5 + inc[i];
            sum += field[i];
        }
        Ok(sum)
    }
}

overlap! {
    fn counted(comm: &Gravel, field: &mut [f64], out: &mut [f64], counts: &[usize], inc: &mut Vec<f64>, others: &Vec<usize>, filled: usize) -> gravel::Result<f64> {
        for i in 0..filled {
            out[i] = field[i] * 0.5 + i as f64;
        }
        comm.alltoallv(out, counts, inc, others)?;
        let mut sum = 0.0;
        for (x, y) in field.iter_mut().zip(inc.iter()) {
            sum += *y;
            *x += sum;
        }
        Ok(sum)
    }
}

/// Blocks at the end of which the memory goes on: what is behind them comes from nobody.
fn counted_at(comm: &Gravel, log: &mut Log, rest: usize) -> Outcome {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    for length in lengths(&[0, 1, 64, 131, 9000]) {
        let count = |from: usize, to: usize| if (from + to) % 3 == 2 { 0 } else { length + 3 * from + to };
        let counts: Vec<usize> = (0..ranks).map(|to| count(rank, to)).collect();
        let others: Vec<usize> = (0..ranks).map(|from| count(from, rank)).collect();
        let (sent, received) = (counts.iter().sum::<usize>(), others.iter().sum::<usize>());
        let mut out = vec![1.0; sent + rest];
        let mut inc = vec![2.0; received + rest];
        let mut field = numbers(comm, sent + received + rest);
        // All blocks; a part of them; more than them.
        for filled in [sent, sent / 2, out.len()] {
            let sum = counted(comm, &mut field, &mut out, &counts, &mut inc, &others, filled)?;
            log.push(format!("counted {length} {rest} {filled} {sum}"));
            log.push(format!("{:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
        }
    }
    Ok(())
}

struct Grid {
    comm: Gravel,
    field: Vec<f64>,
    out: Vec<f64>,
    inc: Vec<f64>,
    counts: Vec<usize>,
}

overlap! {
    impl Grid {
        fn turn(&mut self, n: usize) -> gravel::Result<()> {
            for (block, y) in self.out.chunks_exact_mut(n).zip(self.field.iter()) {
                for x in block.iter_mut() {
                    *x = *y - 0.5;
                }
            }
            self.comm.alltoall(&self.out, &mut self.inc)?;
            for (block, y) in self.inc.chunks_exact(n).zip(self.field.iter_mut()) {
                for x in block.iter() {
                    *y += *x;
                }
            }
            Ok(())
        }

        fn count(&mut self) -> gravel::Result<()> {
            for i in 0..self.out.len() {
                self.out[i] = self.field[i / self.counts.len()] + i as f64;
            }
            self.comm.alltoallv(&self.out, &self.counts, &mut self.inc[..], &self.counts)?;
            for i in 0..self.inc.len() {
                self.field[i / self.counts.len()] += self.inc[i];
            }
            Ok(())
        }
    }
}

overlap! {
    fn early_and_late(comm: &Gravel, out: &[f64], inc: &mut [f64], work: &mut [f64]) -> gravel::Result<f64> {
        for x in work.iter_mut() {
            *x *= 0.5;
        }
        comm.alltoall(out, inc)?;
        for x in work.iter_mut() {
            *x += 0.25;
        }
        Ok(inc[0])
    }
}

overlap! {
    fn in_time(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], n: usize, steps: usize) -> gravel::Result<()> {
        for step in 0..steps {
            for (p, block) in out.chunks_exact_mut(n).enumerate() {
                for i in 0..n {
                    block[i] = field[i] * 0.5 + (p * step) as f64;
                }
            }
            if step != 2 {
                comm.alltoall(&out[..], &mut inc[..])?;
            }
            for block in inc.chunks_exact(n) {
                for i in 0..n {
                    field[i] += block[i] * 0.25;
                }
            }
            if step % 2 == 1 {
                for i in 0..out.len() {
                    out[i] = inc[i] - 1.0;
                }
                comm.alltoall(&out[..], &mut inc[..])?;
                for i in 0..inc.len() {
                    field[i % n] -= inc[i];
                }
            }
        }
        Ok(())
    }
}

overlap! {
    fn twice(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], back: &mut [f64], n: usize) -> gravel::Result<()> {
        for (p, block) in out.chunks_exact_mut(n).enumerate() {
            for i in 0..n {
                block[i] = field[i] * 0.5 + p as f64;
            }
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        for (to, from) in back.chunks_exact_mut(n).zip(inc.chunks_exact(n)) {
            for i in 0..n {
                to[i] = from[i] * 0.5;
            }
        }
        comm.alltoall(&back[..], &mut out[..])?;
        for block in out.chunks_exact(n) {
            for i in 0..n {
                field[i] += block[i];
            }
        }
        Ok(())
    }
}

overlap! {
    fn in_sections(comm: &Gravel, out: &mut [f64], inc: &mut [f64], a: usize, b: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for i in a..b {
            out[i] = i as f64 * 0.5;
        }
        comm.alltoall(&out[a..b], &mut inc[..b - a])?;
        for i in 0..b - a {
            sum = sum * 0.5 + inc[i];
        }
        Ok(sum)
    }
}

overlap! {
    fn some_blocks(comm: &Gravel, out: &mut [f64], inc: &mut [f64], first: usize, last: usize, n: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for p in first..last {
            for i in 0..n {
                out[p * n + i] = (p + i) as f64 * 0.5;
            }
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        for p in first..last {
            sum = sum * 0.5 + inc[p * n];
        }
        Ok(sum)
    }
}

/// Blocks by rows, by ranks and by elements, of all lengths.
pub fn exchanges(comm: &Gravel, log: &mut Log) -> Outcome {
    let ranks = comm.ranks();
    for rows in lengths(&[1, 3, 8, 20, 60]) {
        let n = rows * ranks;
        let (mut a, mut out, mut inc) = (numbers(comm, rows * n), vec![0.0; rows * n], vec![0.0; rows * n]);
        for _ in 0..3 {
            transposed(comm, &mut a, &mut out, &mut inc, rows, n)?;
            log.push(format!("transposed {rows} {:x} {:x}", bits(&a), bits(&inc)));
        }
    }
    for n in lengths(&[0, 1, 7, 64, 200, 20_000]) {
        let (mut field, mut out, mut inc) = (numbers(comm, n), vec![0.0; ranks * n], vec![0.0; ranks * n]);
        let sum = over_ranks(comm, &mut field, &mut out, &mut inc, ranks, n)?;
        log.push(format!("over ranks {n} {sum} {:x} {:x}", bits(&field), bits(&out)));
        if n > 0 {
            in_time(comm, &mut field, &mut out, &mut inc, n, 5)?;
            twice(comm, &mut field, &mut out, &mut inc.clone(), &mut inc, n)?;
            let sum = early_and_late(comm, &out, &mut inc, &mut field)?;
            log.push(format!("in time {n} {sum} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
        }
        let mut field = numbers(comm, ranks * n);
        let sum = flat(comm, &mut field, &mut out, &mut inc)?;
        log.push(format!("flat {n} {sum} {:x} {:x}", bits(&field), bits(&out)));
        for (first, last) in [(0, ranks), (1, ranks), (0, ranks - 1), (ranks / 2, ranks), (1, 1)] {
            if n > 0 {
                let sum = some_blocks(comm, &mut out, &mut inc, first, last, n)?;
                log.push(format!("some blocks {first} {last} {n} {sum} {:x} {:x}", bits(&out), bits(&inc)));
            }
        }
        for a in [0, 1, 3] {
            let (mut out, mut inc) = (vec![1.0; ranks * n + 5], vec![0.0; ranks * n + 5]);
            let sum = in_sections(comm, &mut out, &mut inc, a, ranks * n + a)?;
            log.push(format!("in sections {a} {n} {sum} {:x} {:x}", bits(&out), bits(&inc)));
        }
    }
    Ok(())
}

/// Blocks whose lengths differ, and exchanges of methods.
pub fn exchanges_with_counts(comm: &Gravel, log: &mut Log) -> Outcome {
    counted_at(comm, log, 0)?;
    counted_at(comm, log, 7)?;
    let ranks = comm.ranks();
    let n = 90;
    let mut grid = Grid {
        comm: comm.duplicate()?,
        field: numbers(comm, n * ranks),
        out: vec![0.0; n * ranks],
        inc: vec![0.0; n * ranks],
        counts: vec![n; ranks],
    };
    for step in 0..3 {
        grid.turn(n)?;
        grid.count()?;
        log.push(format!("grid {step} {:x} {:x}", bits(&grid.field), bits(&grid.out)));
    }
    Ok(())
}

overlap! {
    fn two_open(comm: &Gravel, field: &mut [f64], (out, other): (&mut [f64], &mut [f64]), (inc, more): (&mut [f64], &mut [f64]), filled: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for i in 0..filled {
            out[i] = field[i] * 0.5 + 1.0;
        }
        for i in 0..other.len() {
            other[i] = field[i] - 3.0;
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        comm.alltoall(&other[..], &mut more[..])?;
        for i in 0..inc.len() {
            sum += inc[i];
        }
        for i in 0..more.len() {
            sum = sum * 0.5 + more[i];
        }
        // The one that is filled first is sent last, and one loop fills both.
        for i in 0..filled {
            other[i] = field[i] * 0.25;
        }
        for i in 0..out.len() {
            out[i] = field[i] - sum;
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        comm.alltoall(&other[..], &mut more[..])?;
        for i in 0..field.len() {
            out[i] = inc[i] - more[i];
            other[i] = inc[i] + more[i];
        }
        comm.alltoall(&out[..], &mut inc[..])?;
        comm.alltoall(&other[..], &mut more[..])?;
        for i in 0..field.len() {
            field[i] = inc[i] * 0.5 + more[i];
        }
        Ok(sum)
    }
}

/// Exchanges may be open at the same time: they are matched in the order in which they were opened.
pub fn several_open(comm: &Gravel, log: &mut Log) -> Outcome {
    let ranks = comm.ranks();
    for each in lengths(&[1, 7, 100, 3000]) {
        let count = each * ranks;
        let mut field = numbers(comm, count);
        let (mut out, mut other) = (vec![1.0; count], vec![2.0; count]);
        let (mut inc, mut more) = (vec![0.0; count], vec![0.0; count]);
        // Some ranks fill nothing, and run as the function is written.
        for filled in [count, if comm.rank() == 1 { 0 } else { count }, each] {
            let sum = two_open(comm, &mut field, (&mut out, &mut other), (&mut inc, &mut more), filled)?;
            log.push(format!("two open {each} {filled}: {sum:?} {:x} {:x}", bits(&field), bits(&more)));
        }
    }
    Ok(())
}
