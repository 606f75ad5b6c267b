//! The shapes that are cut and moved.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, lengths, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

const TAG: i32 = 7;

overlap! {
    fn ring_step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = field[i] * 0.75 + 0.25;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, TAG)?;
        for i in 0..field.len() {
            field[i] = 0.75 * field[i] + 0.25 * inc[i];
        }
        Ok(())
    }
}

/// Lengths around tiles and around the limits of the runtime.
const LENGTHS: [usize; 8] = [0, 1, 37, 63, 64, 65, 1000, 40_000];

pub fn ring(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in lengths(&LENGTHS) {
        let (mut field, mut out, mut inc) = (numbers(comm, length), vec![0.0; length], vec![0.0; length]);
        for _ in 0..3 {
            ring_step(comm, &mut field, &mut out, &mut inc, next, prev)?;
        }
        log.push(format!("ring {length} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn produce(comm: &Gravel, field: &[f64], out: &mut Vec<f64>, to: usize) -> gravel::Result<()> {
        let n = field.len();
        for i in 0..n {
            let square = field[i] * field[i];
            out[i] = square.sqrt() + i as f64;
        }
        comm.send(&out, to, TAG)?;
        Ok(())
    }
}

pub fn send_alone(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in lengths(&[1, 500, 30_000]) {
        let (field, mut out, mut inc) = (numbers(comm, length), vec![0.0; length], vec![0.0; length]);
        if comm.ranks() == 1 {
            continue;
        }
        // Of two neighbours one receives first, but for the last one of an odd ring.
        if comm.rank() % 2 == 0 {
            produce(comm, &field, &mut out, next)?;
            comm.receive(&mut inc, prev, TAG)?;
        } else {
            comm.receive(&mut inc, prev, TAG)?;
            produce(comm, &field, &mut out, next)?;
        }
        log.push(format!("send {length} {:x} {:x}", bits(&out), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn consume(comm: &Gravel, field: &mut [f64], own: &mut [f64], inc: &mut [f64], from: usize) -> gravel::Result<()> {
        for k in 0..own.len() {
            own[k] = own[k] * 1.5 - 2.0;
        }
        comm.receive(&mut inc[..], from, TAG)?;
        for k in 0..own.len() {
            own[k] = own[k] * own[k] + 1.0;
        }
        for k in 0..field.len() {
            field[k] += inc[k] * own[k];
        }
        Ok(())
    }
}

pub fn receive_alone(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in lengths(&[1, 700, 30_000]) {
        let (mut field, mut own, mut inc) = (numbers(comm, length), numbers(comm, length), vec![0.0; length]);
        let message = numbers(comm, length);
        comm.scope(|scope| {
            let sent = scope.post_send(&message, next, TAG)?;
            consume(comm, &mut field, &mut own, &mut inc, prev)?;
            sent.wait().map(drop)
        })?;
        log.push(format!("receive {length} {:x} {:x} {:x}", bits(&field), bits(&own), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn sweep(comm: &Gravel, field: &mut [f64], inflow: &mut [f64], outflow: &mut [f64], before: Option<usize>, behind: Option<usize>) -> gravel::Result<()> {
        comm.receive(&mut inflow[..], before, 40)?;
        for i in 0..outflow.len() {
            field[i] += 0.25 * inflow[i];
            outflow[i] = field[i].abs().sqrt();
        }
        comm.send(&outflow[..], behind, 40)?;
        Ok(())
    }
}

pub fn wavefront(comm: &Gravel, log: &mut Log) -> Outcome {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let (before, behind) = (rank.checked_sub(1), (rank + 1 < ranks).then_some(rank + 1));
    for length in lengths(&[1, 129, 20_000]) {
        let (mut field, mut inflow, mut outflow) = (numbers(comm, length), vec![1.0; length], vec![0.0; length]);
        for _ in 0..4 {
            sweep(comm, &mut field, &mut inflow, &mut outflow, before, behind)?;
        }
        log.push(format!("wavefront {length} {:x} {:x} {:x}", bits(&field), bits(&inflow), bits(&outflow)));
    }
    Ok(())
}

overlap! {
    fn by_rows(comm: &Gravel, a: &[f64], out: &mut [f64], inc: &mut [f64], b: &mut [f64], rows: usize, columns: usize, next: usize, prev: usize) -> gravel::Result<()> {
        for r in 0..rows {
            for c in 0..columns {
                out[r * columns + c] = a[c * rows + r] * 0.5;
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, TAG)?;
        for r in 0..rows {
            for c in 0..columns {
                b[c * rows + r] = inc[r * columns + c] - a[r * columns + c];
            }
        }
        Ok(())
    }
}

pub fn rows(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for (rows, columns) in [(1, 1), (3, 5), (0, 4), (4, 0), (40, 33)] {
        let a = numbers(comm, rows * columns);
        let (mut out, mut inc, mut b) = (vec![0.0; a.len()], vec![0.0; a.len()], vec![0.0; a.len()]);
        by_rows(comm, &a, &mut out, &mut inc, &mut b, rows, columns, next, prev)?;
        log.push(format!("rows {rows} {columns} {:x} {:x} {:x}", bits(&out), bits(&inc), bits(&b)));
    }
    Ok(())
}

struct Grid<'c> {
    comm: &'c Gravel,
    field: Vec<f64>,
    out: Vec<f64>,
    inc: [f64; 300],
    weight: f64,
    sum: f64,
    next: usize,
    prev: usize,
}

impl Grid<'_> {
    overlap! {
        fn step(&mut self, scale: f64) -> gravel::Result<()> {
            for i in 0..self.out.len() {
                self.out[i] = self.field[i] * self.weight + scale;
            }
            self.comm.send_receive(&self.out[..], self.next, &mut self.inc, self.prev, TAG)?;
            for i in 0..self.field.len() {
                self.field[i] = 0.5 * self.field[i] + self.inc[i];
                self.sum += self.inc[i] * self.weight;
            }
            Ok(())
        }
    }
}

pub fn method(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let field = numbers(comm, 300);
    let mut grid = Grid { comm, out: vec![0.0; 300], field, inc: [0.0; 300], weight: 0.3, sum: 0.1, next, prev };
    for step in 0..3 {
        grid.step(step as f64)?;
    }
    log.push(format!("method {:x} {:x} {:x}", bits(&grid.field), bits(&grid.inc), grid.sum.to_bits()));
    Ok(())
}

overlap! {
    fn in_sections(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], a: usize, b: usize, next: usize, prev: usize) -> gravel::Result<()> {
        for i in a..b {
            out[i] = field[i] + 0.125;
        }
        comm.send_receive(&out[a..b], next, &mut inc[a..b], prev, TAG)?;
        for i in a..b {
            field[i] -= inc[i];
        }
        Ok(())
    }
}

pub fn sections(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for (a, b) in [(0, 500), (100, 400), (7, 8), (5, 5), (400, 500)] {
        let (mut field, mut out, mut inc) = (numbers(comm, 500), vec![1.0; 500], vec![2.0; 500]);
        in_sections(comm, &mut field, &mut out, &mut inc, a, b, next, prev)?;
        log.push(format!("sections {a} {b} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn inner(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 3..out.len() - 2 {
            out[i] = field[i] * 2.0;
        }
        comm.send_receive(&out[1..], next, &mut inc[1..], prev, TAG)?;
        for i in 2..field.len() {
            field[i] = inc[i - 1] + inc[i];
        }
        Ok(())
    }
}

pub fn head_is_final(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in [6, 5, 300] {
        let (mut field, mut out, mut inc) = (numbers(comm, length), numbers(comm, length), vec![2.0; length]);
        inner(comm, &mut field, &mut out, &mut inc, next, prev)?;
        log.push(format!("head {length} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn of_integers(comm: &Gravel, out: &mut [u32], inc: &mut [u32], seed: u32, next: usize, prev: usize) -> gravel::Result<u32> {
        let mut state = seed;
        for i in 0..out.len() {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            out[i] = state >> 3;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, TAG)?;
        let mut sum = 0;
        for i in 0..inc.len() {
            sum ^= inc[i].rotate_left(3);
        }
        Ok(sum)
    }
}

pub fn integers(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0; 777], vec![0; 777]);
    let sum = of_integers(comm, &mut out, &mut inc, comm.rank() as u32 + 5, next, prev)?;
    log.push(format!("integers {sum} {:?}", &inc[770..]));
    Ok(())
}

overlap! {
    fn of_any<T: gravel::plain::Number>(comm: &Gravel, field: &mut [T], out: &mut [T], inc: &mut [T], factor: T, next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = field[i] * factor + factor;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, TAG)?;
        for i in 0..field.len() {
            field[i] = field[i] + inc[i];
        }
        Ok(())
    }
}

pub fn generic(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let mut field = numbers(comm, 400);
    of_any(comm, &mut field, &mut vec![0.0; 400], &mut vec![0.0; 400], 0.3, next, prev)?;
    let mut whole: Vec<i64> = (0..400).collect();
    of_any(comm, &mut whole, &mut vec![0; 400], &mut vec![0; 400], 3, next, prev)?;
    log.push(format!("generic {:x} {:?}", bits(&field), &whole[390..]));
    Ok(())
}

pub fn nobody(comm: &Gravel, log: &mut Log) -> Outcome {
    let (mut field, mut inflow, mut outflow) = (numbers(comm, 200), numbers(comm, 200), vec![0.0; 200]);
    sweep(comm, &mut field, &mut inflow, &mut outflow, None, None)?;
    log.push(format!("nobody {:x} {:x} {:x}", bits(&field), bits(&inflow), bits(&outflow)));
    Ok(())
}

overlap! {
    fn smooth(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = 0.5 * field[i];
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, TAG)?;
        for i in 1..field.len() - 1 {
            field[i] = inc[i - 1] + inc[i] - 2.0 * inc[i + 1];
        }
        Ok(())
    }
}

pub fn stencil(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in [1, 2, 3, 500] {
        let (mut field, mut out, mut inc) = (numbers(comm, length), vec![0.0; length], vec![0.0; length]);
        smooth(comm, &mut field, &mut out, &mut inc, next, prev)?;
        log.push(format!("stencil {length} {:x}", bits(&field)));
    }
    Ok(())
}

overlap! {
    fn up_to(comm: &Gravel, last: usize, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        for i in 0..=last {
            out[i] = i as f64;
        }
        comm.send_receive(&out[..=last], next, &mut inc[..=last], prev, TAG)?;
        let mut sum = 0.0;
        for i in 0..=last {
            sum = sum * 0.5 + inc[i];
        }
        Ok(sum)
    }
}

pub fn inclusive(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for last in [0, 1, 200] {
        let sum = up_to(comm, last, &mut vec![0.0; 300], &mut vec![0.0; 300], next, prev)?;
        log.push(format!("inclusive {last} {sum}"));
    }
    Ok(())
}

overlap! {
    fn even_and_odd(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        let rank = comm.rank();
        if rank % 2 == 0 {
            for i in 0..out.len() {
                out[i] = field[i] + 1.0;
            }
            comm.send_receive(&out[..], next, &mut inc[..], prev, 9)?;
            for i in 0..out.len() {
                field[i] = inc[i];
            }
        } else if rank == 1 {
            for i in 0..out.len() {
                out[i] = field[i] - 1.0;
            }
            comm.send_receive(&out[..], next, &mut inc[..], prev, 9)?;
            for i in 0..out.len() {
                field[i] -= inc[i];
            }
        } else {
            comm.send_receive(&out[..], next, &mut inc[..], prev, 9)?;
        }
        Ok(())
    }
}

pub fn in_branches(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut field, mut out, mut inc) = (numbers(comm, 300), vec![3.0; 300], vec![0.0; 300]);
    even_and_odd(comm, &mut field, &mut out, &mut inc, next, prev)?;
    log.push(format!("branches {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn partly(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            if field[i] > 0.0 {
                out[i] = field[i];
            } else {
                out[i] = -field[i];
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, TAG)?;
        for i in 0..field.len() {
            if inc[i] > 1.0 {
                field[i] = inc[i];
            }
        }
        Ok(())
    }
}

pub fn conditional_write(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut field, mut out, mut inc) = (numbers(comm, 300), vec![3.0; 300], vec![0.0; 300]);
    partly(comm, &mut field, &mut out, &mut inc, next, prev)?;
    log.push(format!("partly {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
    Ok(())
}
