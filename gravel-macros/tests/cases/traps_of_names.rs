//! Traps in what names mean: shadowing, references, fields, closures, macros.

use std::cell::Cell;
use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    fn with_closures(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        let mut calls = 0.0;
        let mut fill = |i: usize| {
            calls += 1.0;
            out[i] = i as f64 + calls;
        };
        for i in 0..50 {
            fill(i);
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
        let read = |i: usize| inc[i] * 2.0;
        let mut sum = 0.0;
        for i in 0..out.len() {
            sum += read(i);
        }
        Ok(sum + calls)
    }
}

pub fn closures(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let sum = with_closures(comm, &mut [0.0; 50], &mut [0.0; 50], next, prev)?;
    log.push(format!("closures {sum}"));
    Ok(())
}

overlap! {
    fn with_shadows(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        let n = out.len();
        for i in 0..n {
            let n = i * 2;
            let field = field[i] + n as f64;
            out[i] = field;
        }
        let next = next;
        {
            let out = &mut *inc;
            for i in 0..out.len() {
                out[i] = -1.0;
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 2)?;
        let mut sum = 0.0;
        {
            let inc = field[0];
            sum += inc;
        }
        for i in 0..n {
            let inc = inc[i];
            field[i] = inc;
            sum += inc;
        }
        let out = sum;
        Ok(out)
    }
}

pub fn shadowed(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut field, mut out, mut inc) = (numbers(comm, 120), vec![0.0; 120], vec![0.0; 120]);
    let sum = with_shadows(comm, &mut field, &mut out, &mut inc, next, prev)?;
    log.push(format!("shadows {sum} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
    Ok(())
}

struct Buffers {
    out: Vec<f64>,
    inc: Vec<f64>,
    field: Vec<f64>,
}

overlap! {
    fn with_references(comm: &Gravel, buffers: &mut Buffers, next: usize, prev: usize) -> gravel::Result<()> {
        let out = &mut buffers.out;
        for i in 0..out.len() {
            out[i] = i as f64;
        }
        {
            let same = &mut *out;
            for i in 0..same.len() {
                same[i] += 0.5;
            }
        }
        comm.send_receive(&out[..], next, &mut buffers.inc[..], prev, 3)?;
        let (head, tail) = buffers.inc.split_at_mut(10);
        for i in 0..head.len() {
            head[i] += tail[i];
        }
        let inc = &buffers.inc;
        for i in 0..buffers.field.len() {
            buffers.field[i] = inc[i];
        }
        for i in 0..buffers.out.len() {
            buffers.out[i] = 0.25;
        }
        let second = &mut buffers.out;
        second[7] = 3.0;
        comm.send_receive(&buffers.out[..], next, &mut buffers.inc[..], prev, 3)?;
        Ok(())
    }
}

/// Two names for one memory.
pub fn aliases(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let mut buffers = Buffers { out: vec![0.0; 80], inc: vec![0.0; 80], field: vec![0.0; 80] };
    with_references(comm, &mut buffers, next, prev)?;
    log.push(format!("aliases {:x} {:x} {:x}", bits(&buffers.out), bits(&buffers.inc), bits(&buffers.field)));
    Ok(())
}

macro_rules! define {
    ($name:ident, $element:ty, $factor:expr) => {
        overlap! {
            fn $name(comm: &Gravel, out: &mut [$element], inc: &mut [$element], next: usize, prev: usize) -> gravel::Result<()> {
                let i = $factor;
                for j in 0..out.len() {
                    out[j] = i * j as $element;
                }
                comm.send_receive(&out[..], next, &mut inc[..], prev, 4)?;
                for i in 0..out.len() {
                    out[i] = inc[i] + $factor;
                }
                Ok(())
            }
        }
    };
}

define!(of_macro, f64, 0.5);

macro_rules! mixed {
    ($name:ident, $i:ident, $value:expr) => {
        overlap! {
            fn $name(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
                let $i = 2.0;
                for i in 0..out.len() {
                    out[i] = $value + i as f64;
                }
                comm.send_receive(&out[..], next, &mut inc[..], prev, 4)?;
                Ok(())
            }
        }
    };
}

mixed!(of_two_macros, i, i * 100.0);

pub fn in_macro(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0.0; 70], vec![0.0; 70]);
    of_macro(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("macro {:x} {:x}", bits(&out), bits(&inc)));
    of_two_macros(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("two macros {:x} {:x}", bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn names_like_ours(comm: &Gravel, gravel_memory1: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        let gravel_step = 0.5;
        let gravel_next = gravel_memory1.len();
        let scope = 3.0;
        for gravel_tile1 in 0..gravel_next {
            gravel_memory1[gravel_tile1] = gravel_step * gravel_tile1 as f64;
        }
        comm.send_receive(&gravel_memory1[..], next, &mut inc[..], prev, 5)?;
        let mut gravel_part1 = scope;
        for i in 0..gravel_next {
            gravel_part1 += inc[i] * gravel_step;
        }
        Ok(gravel_part1)
    }
}

pub fn own_names(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let sum = names_like_ours(comm, &mut [0.0; 90], &mut [0.0; 90], next, prev)?;
    log.push(format!("names {sum}"));
    Ok(())
}

struct Holder<'c> {
    comm: &'c Gravel,
    asked: Cell<usize>,
}

impl Holder<'_> {
    fn comm(&self) -> &Gravel {
        self.asked.set(self.asked.get() + 1);
        self.comm
    }

    fn peer(&self, rank: usize) -> usize {
        self.asked.set(self.asked.get() + 100);
        rank
    }
}

overlap! {
    fn asks(holder: &Holder, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = i as f64;
        }
        holder.comm().send_receive(&out[..], next, &mut inc[..], prev, 6)?;
        for i in 0..out.len() {
            out[i] = inc[i];
        }
        holder.comm.send_receive(&out[..], holder.peer(next), &mut inc[..], prev, 6)?;
        for i in 0..out.len() {
            out[i] = inc[i] + holder.asked.get() as f64;
        }
        holder.comm.send_receive(&out[..], next, &mut inc[..], prev, 6)?;
        Ok(())
    }
}

pub fn communicator_with_effect(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (holder, mut inc) = (Holder { comm, asked: Cell::new(0) }, vec![0.0; 40]);
    asks(&holder, &mut [0.0; 40], &mut inc, next, prev)?;
    log.push(format!("asked {} {:x}", holder.asked.get(), bits(&inc)));
    Ok(())
}

overlap! {
    fn declared_inside(comm: &Gravel, field: &[f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        for i in 0..out.len() {
            out[i] = field[i];
        }
        let to = next;
        let n = out.len();
        comm.send_receive(&out[..n], to, &mut inc[..n], prev, 7)?;
        let m = n - 1;
        let mut sum = 0.0;
        for i in 0..m {
            sum += inc[i] - inc[i + 1];
        }
        let sum = sum * 2.0;
        let n = sum;
        Ok(n + m as f64)
    }
}

pub fn nested_names(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let field = numbers(comm, 110);
    let sum = declared_inside(comm, &field, &mut [0.0; 110], &mut [0.0; 110], next, prev)?;
    log.push(format!("declared {sum}"));
    Ok(())
}

#[derive(Clone, Copy)]
struct Cell2 {
    weight: f64,
    shift: f64,
}

struct Model {
    cell: Cell2,
    out: Vec<f64>,
    inc: Vec<f64>,
    sizes: (usize, usize),
}

impl Model {
    fn weight(&mut self) -> f64 {
        self.out[0] = 77.0;
        self.cell.weight
    }

    overlap! {
        fn step(&mut self, comm: &Gravel, next: usize, prev: usize) -> gravel::Result<f64> {
            for i in 0..self.sizes.0 {
                self.out[i] = self.cell.weight * i as f64 + self.cell.shift;
            }
            let weight = self.weight();
            comm.send_receive(&self.out[..], next, &mut self.inc[..], prev, 8)?;
            let mut sum = weight;
            for i in 0..self.sizes.1 {
                sum += self.inc[i];
                self.cell.shift = sum;
            }
            let Model { out, inc, .. } = self;
            for i in 0..out.len() {
                out[i] = inc[i];
            }
            comm.send_receive(&self.out[..], next, &mut self.inc[..], prev, 8)?;
            Ok(sum)
        }
    }
}

pub fn fields(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let cell = Cell2 { weight: 0.5, shift: 0.25 };
    let mut model = Model { cell, out: vec![0.0; 60], inc: vec![0.0; 60], sizes: (60, 50) };
    let sum = model.step(comm, next, prev)?;
    log.push(format!("fields {sum} {} {:x} {:x}", model.cell.shift, bits(&model.out), bits(&model.inc)));
    Ok(())
}

overlap! {
    fn with_patterns(comm: &Gravel, rows: &mut Vec<Vec<f64>>, inc: &mut [f64], limit: Option<f64>, next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for row in rows.iter_mut() {
            for i in 0..row.len() {
                row[i] += i as f64;
            }
            comm.send_receive(&row[..], next, &mut inc[..], prev, 9)?;
            if let Some(limit) = limit {
                for i in 0..inc.len() {
                    sum += inc[i] * limit;
                }
            } else {
                for i in 0..inc.len() {
                    sum -= inc[i];
                }
            }
            match limit {
                Some(limit) if limit > 2.0 => comm.send_receive(&row[..], next, &mut inc[..], prev, 9).map(drop)?,
                _ => {}
            }
        }
        let [first, .., last] = &mut rows[..] else { return Ok(sum) };
        for i in 0..first.len() {
            first[i] = last[i];
        }
        comm.send_receive(&first[..], next, &mut inc[..], prev, 9)?;
        Ok(sum + inc[3])
    }
}

pub fn patterns(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for limit in [None, Some(1.5), Some(3.0)] {
        let mut rows: Vec<Vec<f64>> = (0..3).map(|_| numbers(comm, 50)).collect();
        let mut inc = vec![0.0; 50];
        let sum = with_patterns(comm, &mut rows, &mut inc, limit, next, prev)?;
        log.push(format!("patterns {sum} {:x}", bits(&inc)));
    }
    Ok(())
}

overlap! {
    [pure(comm_size)]
    fn names_lengths(comm: &Gravel, out: &mut [f64], inc: &mut [f64], other: &mut [f64], prev: usize) -> gravel::Result<f64> {
        for i in 0..out.len() {
            out[i] = i as f64;
        }
        comm.send(&other[..out.len() - inc.len()], None, out.len() as i32)?;
        comm.send_receive(&out[..], (out.len() - inc.len() + prev) % comm_size(), &mut inc[..], prev % comm_size(), out.len() as i32)?;
        let mut sum = 0.0;
        for i in 0..inc.len() {
            sum += inc[i] / out.len() as f64;
        }
        for i in 0..other.len() {
            other[i] = if out.is_empty() { 0.0 } else { sum };
        }
        Ok(sum)
    }
}

const fn comm_size() -> usize {
    1
}

/// What calls are given names lengths of what is lent.
pub fn of_lengths(comm: &Gravel, log: &mut Log) -> Outcome {
    if comm.rank() == 0 {
        let sum = names_lengths(comm, &mut [0.0; 60], &mut [0.0; 60], &mut [0.0; 60], 0)?;
        log.push(format!("lengths {sum}"));
    }
    Ok(())
}
