//! Traps in which elements loops name: strides, orders, neighbours, bounds that overflow.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, caught, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    fn pairs(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..field.len() {
            out[2 * i] = field[i];
            out[2 * i + 1] = out[2 * i] * 0.5;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
        for i in 0..field.len() {
            field[i] = inc[2 * i] - inc[2 * i + 1];
        }
        Ok(())
    }
}

overlap! {
    fn backwards(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        let n = out.len();
        for i in 0..n {
            out[n - 1 - i] = field[i];
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 2)?;
        for i in 0..n {
            field[i] = inc[i] + inc[i / 2] + inc[n - 1 - i];
        }
        Ok(())
    }
}

overlap! {
    fn shifted(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], low: usize, high: usize, next: usize, prev: usize) -> gravel::Result<()> {
        for i in low..high {
            out[i - low] = field[i] / out.len() as f64;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 3)?;
        for i in low..high {
            field[i] = inc[i - low] + inc.len() as f64;
        }
        Ok(())
    }
}

pub fn orders(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in [1, 7, 150] {
        let mut field = numbers(comm, length);
        let (mut out, mut inc) = (vec![0.0; 2 * length], vec![0.0; 2 * length]);
        pairs(comm, &mut field, &mut out, &mut inc, next, prev)?;
        log.push(format!("pairs {length} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
        backwards(comm, &mut field, &mut out[..length], &mut inc[..length], next, prev)?;
        log.push(format!("backwards {length} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
        shifted(comm, &mut field, &mut out, &mut inc, length / 3, length, next, prev)?;
        log.push(format!("shifted {length} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn ghosts(comm: &Gravel, u: &mut [f64], v: &mut [f64], n: usize, up: Option<usize>, down: Option<usize>) -> gravel::Result<()> {
        for i in 1..=n {
            u[i] = v[i] * 0.5 + 1.0;
        }
        comm.send(&u[1..2], up, 4)?;
        comm.send(&u[n..n + 1], down, 5)?;
        comm.receive(&mut u[..1], up, 5)?;
        comm.receive(&mut u[n + 1..], down, 4)?;
        for i in 1..=n {
            v[i] = u[i - 1] - 2.0 * u[i] + u[i + 1];
        }
        Ok(())
    }
}

/// A line of cells with ghosts at both ends, in one array.
pub fn halo(comm: &Gravel, log: &mut Log) -> Outcome {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let (up, down) = (rank.checked_sub(1), (rank + 1 < ranks).then_some(rank + 1));
    for n in [1, 2, 100] {
        let (mut u, mut v) = (vec![0.25; n + 2], numbers(comm, n + 2));
        for _ in 0..4 {
            ghosts(comm, &mut u, &mut v, n, up, down)?;
        }
        log.push(format!("halo {n} {:x} {:x}", bits(&u), bits(&v)));
    }
    Ok(())
}

overlap! {
    fn overflows(comm: &Gravel, out: &mut [f64], inc: &mut [f64], n: usize, told: &mut [f64]) -> gravel::Result<()> {
        for i in 0..out.len() {
            told[0] = i as f64;
            out[i] = 1.0;
        }
        comm.send_receive(&out[..], None, &mut inc[..], None, 6)?;
        told[1] = 1.0;
        for i in 0..n - 1 {
            told[2] = i as f64;
            out[i] = inc[i];
        }
        Ok(())
    }
}

overlap! {
    fn overflows_in_section(comm: &Gravel, out: &mut [f64], inc: &mut [f64], n: usize, told: &mut [f64]) -> gravel::Result<()> {
        for i in 0..n {
            told[0] = i as f64;
            out[i] = 1.0;
        }
        comm.send_receive(&out[..n - 2], None, &mut inc[n - 3..], None, 6)?;
        for i in n - 3..out.len() {
            told[1] = i as f64;
            out[i] = inc[i] + inc[i - 1];
        }
        Ok(())
    }
}

/// Bounds that overflow do so where they did, behind the loops above them.
pub fn overflow(comm: &Gravel, log: &mut Log) -> Outcome {
    for n in [0, 1, 2, 3, 4, 39, 40, 41, 50] {
        let mut told = [-1.0; 3];
        let (mut out, mut inc) = (vec![0.0; 40], vec![2.0; 40]);
        caught(log, "overflows", || Ok(overflows(comm, &mut out, &mut inc, n, &mut told)?));
        log.push(format!("{n} {told:?} {:x} {:x}", bits(&out), bits(&inc)));
        caught(log, "section", || Ok(overflows_in_section(comm, &mut out, &mut inc, n, &mut told)?));
        log.push(format!("{n} {told:?} {:x} {:x}", bits(&out), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn chooses(comm: &Gravel, out: &mut [f64], inc: &mut [f64], rank: usize, last: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = rank as f64 + i as f64;
        }
        comm.send_receive(&out[..], if rank == last { None } else { Some(rank + 1) }, &mut inc[..], if rank == 0 { None } else { Some(rank - 1) }, 7)?;
        for i in 0..out.len() {
            out[i] = inc[i];
        }
        comm.send_receive(&out[..], Some(rank), &mut inc[..], Some(rank), 7)?;
        Ok(())
    }
}

/// Ranks that are computed in a branch.
pub fn chosen(comm: &Gravel, log: &mut Log) -> Outcome {
    let (mut out, mut inc) = (vec![0.0; 100], vec![0.5; 100]);
    chooses(comm, &mut out, &mut inc, comm.rank(), comm.ranks() - 1)?;
    log.push(format!("chosen {:x} {:x}", bits(&out), bits(&inc)));
    Ok(())
}

struct Kept<'a> {
    values: &'a mut [f64],
    weight: f64,
}

impl<'a> Kept<'a> {
    fn keep(&mut self, values: &'a mut [f64]) {
        self.values = values;
    }
}

overlap! {
    fn keeps(comm: &Gravel, out: &mut [f64], inc: &mut [f64], other: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = 1.0;
        }
        let mut kept = Kept { values: other, weight: 2.0 };
        kept.keep(&mut out[..]);
        for i in 0..kept.values.len() {
            kept.values[i] = kept.weight * i as f64;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 8)?;
        let (first, second) = inc.split_at_mut(20);
        for i in 0..first.len() {
            first[i] += second[i];
        }
        comm.send_receive(&first[..], next, &mut second[..20], prev, 8)?;
        for i in 0..first.len() {
            first[i] = second[i];
        }
        Ok(())
    }
}

/// A structure keeps the message's memory under another name.
pub fn kept(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0.0; 50], vec![0.5; 50]);
    keeps(comm, &mut out, &mut inc, &mut [0.0; 5], next, prev)?;
    log.push(format!("kept {:x} {:x}", bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn in_loops(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], mut tag: i32, next: usize, prev: usize) -> gravel::Result<f64> {
        let mut total = 0.0;
        for step in 0..3 {
            let weight = 0.5 + step as f64;
            for i in 0..out.len() {
                out[i] = field[i] * weight;
            }
            tag += 1;
            comm.send_receive(&out[..], next, &mut inc[..], prev, tag)?;
            let before = total;
            for i in 0..field.len() {
                let is_large = inc[i] > 1.0 && !(inc[i] > 50.0);
                if is_large {
                    total += inc[i];
                } else {
                    field[i] = -inc[i];
                }
            }
            total = if total > before { total - 1.0 } else { before };
        }
        let mut rounds = 0;
        loop {
            for out in 0..3 {
                rounds += out;
            }
            for i in 0..out.len() {
                out[i] += 1.0;
            }
            comm.send_receive(&out[..], next, &mut inc[..], prev, tag)?;
            for k in 0..inc.len() {
                total += inc[k];
            }
            if rounds > 5 {
                break;
            }
        }
        if rounds % 2 == 0 {
            for i in 0..out.len() {
                out[i] = 2.0;
            }
            comm.send(&out[..], None, tag)?
        }
        Ok(total)
    }
}

pub fn in_time(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut field, mut out, mut inc) = (numbers(comm, 130), vec![0.0; 130], vec![0.5; 130]);
    let total = in_loops(comm, &mut field, &mut out, &mut inc, 100, next, prev)?;
    log.push(format!("in loops {:x} {:x} {:x} {:x}", total.to_bits(), bits(&field), bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn of_arrays(comm: &Gravel, points: &mut [[f64; 3]], out: &mut [[f64; 3]], inc: &mut [[f64; 3]], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = points[i];
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 9)?;
        for i in 0..points.len() {
            points[i][0] = inc[i][1] + 1.0;
            points[i][2] += inc[i][0];
        }
        for i in 0..out.len() {
            out[i][1] = points[i][0];
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 9)?;
        let mut sum = 0.0;
        for i in 0..inc.len() {
            sum += inc[i][1] * inc[i][2];
        }
        points[0][0] = sum;
        Ok(())
    }
}

pub fn points(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let values = numbers(comm, 300);
    let mut points: Vec<[f64; 3]> = values.chunks_exact(3).map(|it| [it[0], it[1], it[2]]).collect();
    of_arrays(comm, &mut points, &mut [[0.0; 3]; 100], &mut [[0.0; 3]; 100], next, prev)?;
    log.push(format!("points {:x}", bits(points.as_flattened())));
    Ok(())
}
