//! `match` on numbers, and loops over every so many numbers.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, caught, lengths, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    fn chosen(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], kind: i32, next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for i in 0..out.len() {
            let weight = match i % 4 { 0 => 0.5, 1 | 2 => field[i].abs().sqrt(), _ => { field[i] } };
            out[i] = weight * 2.0;
            match kind {
                -1 => sum += out[i],
                0..=3 if weight > 1.0 => {
                    let twice = weight + weight;
                    sum -= twice;
                }
                -100..0 => {}
                4 | 5..=6 => for j in 0..3 { sum += j as f64 * weight.abs().sqrt(); },
                _ => if weight > 2.0 { sum += 1.0; },
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 70)?;
        for i in 0..inc.len() {
            match inc[i] as i64 {
                0 => field[i] = 1.0,
                7.. => field[i] = inc[i].min(99.0),
                _ => field[i] -= inc[i],
            }
            sum += match inc[i] > 0.5 { true => 1.0, false => -1.0 };
        }
        Ok(sum)
    }
}

overlap! {
    fn stepped(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for i in (0..field.len()).step_by(3) {
            sum += field[i];
            field[i] = sum * 0.5;
        }
        for i in 0..out.len() {
            out[i] = sum + i as f64;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 71)?;
        for i in (1..=field.len() - 1).step_by(2) {
            field[i] -= sum;
        }
        for i in (0..inc.len()).step_by(5) {
            sum += inc[i];
        }
        for i in (0..out.len()).step_by(1) {
            out[i] = sum - i as f64;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 71)?;
        for i in (0..inc.len()).step_by(1) {
            sum += inc[i] * i as f64;
        }
        Ok(sum)
    }
}

overlap! {
    fn leaves(comm: &Gravel, out: &mut [f64], inc: &mut [f64], kind: &str, limit: usize, next: usize, prev: usize) -> gravel::Result<usize> {
        const LAST: usize = 150;
        let mut count = 0;
        for i in 0..out.len() {
            match i {
                LAST => count += 1,
                other => count += other % 2,
            }
            out[i] = count as f64;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 72)?;
        for i in 0..inc.len() {
            match i % 3 {
                0 if i > limit => break,
                1 => continue,
                2 if i == limit => return Ok(count),
                _ => count += inc[i] as usize,
            }
        }
        match kind {
            "send" => comm.send_receive(&out[..], next, &mut inc[..], prev, 72)?,
            _ => comm.send_receive(&inc[..], next, &mut out[..], prev, 72)?,
        };
        match limit { 0 => Ok(count), _ => Ok(count + 1) }
    }
}

overlap! {
    fn panics(comm: &Gravel, told: &mut [usize], out: &mut [f64], inc: &mut [f64], n: usize) -> gravel::Result<()> {
        for i in (0..n).step_by(7) {
            told[i] = i;
        }
        for i in 0..out.len() {
            match told[0] + i / n {
                0 => out[i] = 1.0,
                _ => out[i] = told[i * 9] as f64,
            }
        }
        comm.send_receive(&out[..], None, &mut inc[..], None, 73)?;
        for i in (n..100).step_by(30) {
            told[1] += inc[i] as usize;
        }
        Ok(())
    }
}

/// Arms with conditions, blocks and loops; arms that leave; steps; what panics in them.
pub fn choices(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in lengths(&[1, 200, 20_000]) {
        let (mut field, mut out, mut inc) = (numbers(comm, length), vec![0.0; length], vec![0.0; length]);
        for kind in [-7, -1, 0, 5, 9] {
            let sum = chosen(comm, &mut field, &mut out, &mut inc, kind, next, prev)?;
            log.push(format!("chosen {length} {kind} {sum} {:x} {:x}", bits(&field), bits(&out)));
        }
        let sum = stepped(comm, &mut field, &mut out, &mut inc, next, prev)?;
        log.push(format!("stepped {length} {sum} {:x} {:x}", bits(&field), bits(&inc)));
    }
    let (mut out, mut inc) = (vec![0.0; 200], vec![0.0; 200]);
    for (kind, limit) in [("send", 0), ("send", 50), ("receive", 300), ("receive", 51)] {
        let count = leaves(comm, &mut out, &mut inc, kind, limit, next, prev)?;
        log.push(format!("leaves {kind} {limit} {count} {:x} {:x}", bits(&out), bits(&inc)));
    }
    for n in [0, 1, 20, 64, 65, 100, 101] {
        let (mut told, mut out, mut inc) = (vec![0; 64], vec![0.0; 90], vec![2.0; 90]);
        caught(log, "panics", || Ok(panics(comm, &mut told, &mut out, &mut inc, n)?));
        log.push(format!("{n} {told:?} {:x} {:x}", bits(&out), bits(&inc)));
    }
    Ok(())
}

macro_rules! in_order {
    ($name:ident, [$($whole:tt)*], [$($filled:tt)*], [$($received:tt)*]) => {
        $($whole)*
        fn $name(comm: &Gravel, field: &mut [f64], (out, other): (&mut [f64], &mut [f64]), (inc, more): (&mut [f64], &mut [f64]), next: usize, prev: usize) -> gravel::Result<()> {
            $($filled)*
            for i in 0..out.len() {
                out[i] = field[i] + 1.0;
            }
            for i in 0..other.len() {
                other[i] = field[i] * 2.0;
            }
            comm.send(&out[..], next, 73)?;
            comm.send(&other[..], next, 73)?;
            for i in 0..field.len() {
                field[i] *= 0.5;
            }
            $($received)*
            comm.receive(&mut inc[..], prev, 73)?;
            comm.receive(&mut more[..], prev, 73)?;
            for i in 0..field.len() {
                field[i] += inc[i];
            }
            for i in 0..field.len() {
                field[i] -= more[i] * 0.5;
            }
            Ok(())
        }
    };
}

either! {
    {
        in_order!(all_move, [#[gravel::overlap]], [], []);
        in_order!(one_receive_stays, [#[gravel::overlap]], [], [#[gravel(skip(hoist-receive))]]);
        in_order!(one_send_stays, [#[gravel::overlap]], [#[gravel(skip(strip-mine-producer))]], []);
    }
    {
        in_order!(all_move, [], [], []);
        in_order!(one_receive_stays, [], [], []);
        in_order!(one_send_stays, [], [], []);
    }
}

/// Where one of two messages of a key stays, the other one must not pass it.
pub fn in_order(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in [1, 50, 400] {
        for (name, run) in [("all", all_move as OfTwo), ("receive", one_receive_stays), ("send", one_send_stays)] {
            let (mut field, mut out, mut other) = (numbers(comm, length), vec![0.0; length], vec![0.0; length]);
            let (mut inc, mut more) = (vec![0.0; length], vec![0.0; length]);
            run(comm, &mut field, (&mut out, &mut other), (&mut inc, &mut more), next, prev)?;
            log.push(format!("in order {name} {length}: {:x} {:x} {:x}", bits(&field), bits(&inc), bits(&more)));
        }
    }
    Ok(())
}

type OfTwo =
    fn(&Gravel, &mut [f64], (&mut [f64], &mut [f64]), (&mut [f64], &mut [f64]), usize, usize) -> gravel::Result<()>;
