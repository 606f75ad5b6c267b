//! Statements that are loops in other words.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, caught, lengths, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    fn with_closures(comm: &Gravel, field: &mut [f64], out: &mut Vec<f64>, inc: &mut Vec<f64>, next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        out.iter_mut().zip(field.iter()).enumerate().for_each(|(i, (x, y))| *x = y * 0.5 + i as f64);
        comm.send_receive(&out, next, &mut inc[..], prev, 50)?;
        field.iter_mut().zip(inc.iter()).for_each(|(x, &y)| {
            if y > 3.0 {
                *x = y.abs().sqrt();
            }
            let sum_of_both = *x + y;
            sum += sum_of_both;
        });
        Ok(sum)
    }
}

overlap! {
    fn filled(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut Vec<f64>, rank: f64, next: usize, prev: usize) -> gravel::Result<()> {
        out.fill(rank.abs() + 0.5);
        comm.send_receive(&out[..], next, &mut inc[..], prev, 51)?;
        field.copy_from_slice(&inc[..]);
        comm.barrier()?;
        out.fill(field[field.len() - 1] * 2.0);
        comm.send_receive(&out[..], next, &mut inc[..], prev, 51)?;
        field.copy_from_slice(inc);
        comm.barrier()?;
        out.copy_from_slice(field);
        comm.send_receive(&out[..], next, &mut inc[..], prev, 51)?;
        field.fill(0.5);
        field.iter_mut().zip(inc.iter()).for_each(|(x, y)| *x += y);
        Ok(())
    }
}

overlap! {
    fn nested(comm: &Gravel, rows: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            let mut largest = 0.0;
            rows.iter().for_each(|x| { if *x > largest { largest = *x; } });
            out[i] = largest + i as f64;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 52)?;
        for i in 0..inc.len() {
            rows.iter_mut().for_each(|x| *x = x.max(inc[i]) - 0.25);
        }
        Ok(())
    }
}

/// `for_each` with patterns and branches, `fill` and `copy_from_slice`.
pub fn forms(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in lengths(&[1, 200, 20_000]) {
        let (mut field, mut out, mut inc) = (numbers(comm, length), vec![0.0; length], vec![0.0; length]);
        let sum = with_closures(comm, &mut field, &mut out, &mut inc, next, prev)?;
        log.push(format!("closures {length} {sum} {:x} {:x}", bits(&field), bits(&out)));
        filled(comm, &mut field, &mut out, &mut inc, comm.rank() as f64, next, prev)?;
        log.push(format!("filled {length} {:x} {:x}", bits(&field), bits(&out)));
        nested(comm, &mut field[..length.min(9)], &mut out, &mut inc, next, prev)?;
        log.push(format!("nested {length} {:x} {:x}", bits(&field), bits(&out)));
    }
    Ok(())
}

overlap! {
    fn copies(comm: &Gravel, source: &[f64], out: &mut [f64], inc: &mut [f64], target: &mut [f64]) -> gravel::Result<()> {
        out.copy_from_slice(source);
        comm.send_receive(&out[..], None, &mut inc[..], None, 53)?;
        target.copy_from_slice(&inc[..]);
        Ok(())
    }
}

overlap! {
    fn fills_by(comm: &Gravel, out: &mut [i32], inc: &mut [i32], by: i32, add: i32) -> gravel::Result<()> {
        out.fill(100 / by + add);
        comm.send_receive(&out[..], None, &mut inc[..], None, 54)?;
        inc.iter().zip(out.iter_mut()).for_each(|(x, y)| *y = *x / by);
        Ok(())
    }
}

overlap! {
    fn own_words(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<usize> {
        let mut count = 0;
        out[0] = 3.0;
        out.fill(out[0] + 1.0);
        comm.send_receive(&out[..], next, &mut inc[..], prev, 55)?;
        out.iter_mut().for_each(move |x| {
            count += 1;
            *x = count as f64;
        });
        comm.send_receive(&out[..], next, &mut inc[..], prev, 55)?;
        inc.iter().for_each(|x| {
            if *x < 10.0 {
                return;
            }
            count += 1;
        });
        Ok(count)
    }
}

overlap! {
    fn own_names(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        let gravel_filled = 7.0;
        out.fill(gravel_filled);
        comm.send_receive(&out[..], next, &mut inc[..], prev, 55)?;
        Ok(())
    }
}

/// Lengths that differ, values that panic and overflow (once, and in front of all writes), closures that return and that copy what they count.
pub fn traps_of_forms(comm: &Gravel, log: &mut Log) -> Outcome {
    for (a, b, c, d) in [
        (40, 40, 40, 40),
        (39, 40, 40, 40),
        (41, 40, 40, 40),
        (40, 40, 40, 41),
        (40, 40, 30, 40),
        (0, 0, 0, 0),
        (1, 0, 0, 0),
    ] {
        let (source, mut out, mut inc, mut target) = (vec![1.5; a], vec![0.0; b], vec![2.0; c], vec![0.0; d]);
        caught(log, "copies", || Ok(copies(comm, &source, &mut out, &mut inc, &mut target)?));
        log.push(format!("{a} {b} {c} {d} {:x} {:x} {:x}", bits(&out), bits(&inc), bits(&target)));
    }
    for (length, by, add) in [(70, 2, 1), (70, 0, 0), (0, 0, 0), (70, 1, i32::MAX), (0, 1, i32::MAX), (0, 3, 0)] {
        let (mut out, mut inc) = (vec![5; length], vec![6; length]);
        caught(log, "fills", || Ok(fills_by(comm, &mut out, &mut inc, by, add)?));
        log.push(format!("{length} {by} {out:?} {inc:?}"));
    }
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0.0; 150], vec![0.0; 150]);
    let count = own_words(comm, &mut out, &mut inc, next, prev)?;
    own_names(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("own words {count} {:x} {:x}", bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn with_options(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], (weight, limit): (Option<f64>, Option<usize>), next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for i in 0..out.len() {
            if let Some(factor) = weight {
                out[i] = field[i] * factor;
            } else if let None = limit {
                out[i] = 0.5;
            } else {
                out[i] = field[i];
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 53)?;
        if let Some(i) = limit {
            sum += field[i];
        }
        for i in 0..inc.len() {
            if let 0 | 3..=7 = i % 10 {
                sum += inc[i];
            } else if let Some(weight) = weight {
                sum = sum * 0.5 + weight;
            }
            field[i] = sum;
        }
        Ok(sum)
    }
}

pub fn options(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for of in [(None, None), (Some(0.25), None), (None, Some(7)), (Some(1.5), Some(100))] {
        let (mut field, mut out, mut inc) = (numbers(comm, 300), vec![0.0; 300], vec![0.0; 300]);
        let sum = with_options(comm, &mut field, &mut out, &mut inc, of, next, prev)?;
        log.push(format!("options {of:?} {sum:?} {:x}", bits(&field)));
    }
    Ok(())
}
