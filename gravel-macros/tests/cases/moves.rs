//! Values that leave regions, endings, several messages.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, lengths, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    fn with_values(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<(f64, f64, usize)> {
        let mut largest = 0.0;
        for i in 0..out.len() {
            out[i] = (i * 3) as f64;
            largest = out[i] - largest;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
        let half = largest * 0.5;
        let mut count = 0;
        count += 2;
        let mut sum = half;
        for i in 0..inc.len() {
            sum = sum * 0.25 + inc[i];
            count += 1;
        }
        count += 1;
        sum += 1.0;
        let text = format!("{half}");
        assert!(!text.is_empty());
        Ok((sum, half, count))
    }
}

pub fn values_leave(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (sum, half, count) = with_values(comm, &mut [0.0; 222], &mut [0.0; 222], next, prev)?;
    log.push(format!("values {sum} {half} {count}"));
    Ok(())
}

overlap! {
    fn expects(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> Result<f64, Box<dyn Error>> {
        for i in 0..out.len() {
            out[i] = i as f64;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 2).expect("a message for everyone");
        let mut sum = 0.0;
        for i in 0..inc.len() {
            sum += inc[i];
        }
        comm.send_receive(&inc[..], next, &mut out[..], prev, 2).unwrap();
        for i in 0..out.len() {
            sum -= 2.0 * out[i];
        }
        comm.send_receive(&inc[..], next, &mut out[..], prev, 2)?;
        Ok(sum)
    }
}

pub fn other_endings(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let sum = expects(comm, &mut [0.0; 150], &mut [0.0; 150], next, prev)?;
    log.push(format!("endings {sum}"));
    Ok(())
}

overlap! {
    fn many_steps(comm: &Gravel, field: &mut Vec<f64>, old: &mut Vec<f64>, inc: &mut Vec<f64>, steps: usize, next: usize, prev: usize) -> gravel::Result<f64> {
        let mut residual = 1.0;
        let mut step = 0;
        while residual > 1e-30 && step < steps {
            for i in 0..field.len() {
                field[i] = old[i] * 0.5 + 0.1;
            }
            comm.send_receive(&field[..], next, &mut inc[..], prev, step as i32)?;
            residual = 0.0;
            for i in 0..field.len() {
                let change = inc[i] - old[i];
                residual += change * change;
                old[i] = inc[i];
            }
            std::mem::swap(field, old);
            step += 1;
        }
        Ok(residual)
    }
}

pub fn time_loop(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut field, mut old, mut inc) = (numbers(comm, 500), numbers(comm, 500), vec![0.0; 500]);
    let residual = many_steps(comm, &mut field, &mut old, &mut inc, 9, next, prev)?;
    log.push(format!("steps {:x} {:x} {:x}", bits(&field), bits(&old), residual.to_bits()));
    Ok(())
}

overlap! {
    fn added_up(comm: &Gravel, field: &[f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = 1e-3;
        for i in 0..out.len() {
            sum += field[i] * 1.3;
            out[i] = sum;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 3)?;
        for i in 0..inc.len() {
            sum = sum * 0.999 + inc[i] / 3.0;
        }
        Ok(sum)
    }
}

pub fn reduction(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let field = numbers(comm, 1234);
    let sum = added_up(comm, &field, &mut vec![0.0; 1234], &mut vec![0.0; 1234], next, prev)?;
    log.push(format!("reduction {:x}", sum.to_bits()));
    Ok(())
}

overlap! {
    fn both_ways(comm: &Gravel, field: &mut [f64], left: &mut [f64], right: &mut [f64], from_left: &mut [f64], from_right: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..left.len() {
            left[i] = field[i];
            right[i] = -field[i];
        }
        comm.send_receive(&left[..], prev, &mut from_right[..], next, 4)?;
        comm.send_receive(&right[..], next, &mut from_left[..], prev, 5)?;
        for i in 0..field.len() {
            field[i] += 0.5 * from_left[i] + 0.25 * from_right[i];
        }
        Ok(())
    }
}

pub fn two_buffers(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in lengths(&[1, 333, 20_000]) {
        let mut field = numbers(comm, length);
        let mut buffers: Vec<Vec<f64>> = (0..4).map(|_| vec![0.0; length]).collect();
        let [left, right, from_left, from_right] = &mut buffers[..] else { unreachable!() };
        both_ways(comm, &mut field, left, right, from_left, from_right, next, prev)?;
        log.push(format!("both ways {length} {:x}", bits(&field)));
    }
    Ok(())
}

overlap! {
    fn one_after_the_other(comm: &Gravel, a: &mut [f64], b: &mut [f64], c: &mut [f64], d: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..a.len() {
            a[i] = i as f64 + 0.5;
        }
        comm.send_receive(&a[..], next, &mut c[..], prev, 6)?;
        for i in 0..b.len() {
            b[i] = c[i] * 2.0;
        }
        comm.send_receive(&b[..], next, &mut d[..], prev, 6)?;
        for i in 0..a.len() {
            a[i] = d[i];
        }
        Ok(())
    }
}

pub fn two_messages(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut a, mut b, mut c, mut d) = (vec![0.0; 444], vec![0.0; 444], vec![0.0; 444], vec![0.0; 444]);
    for _ in 0..3 {
        one_after_the_other(comm, &mut a, &mut b, &mut c, &mut d, next, prev)?;
    }
    log.push(format!("two messages {:x} {:x} {:x} {:x}", bits(&a), bits(&b), bits(&c), bits(&d)));
    Ok(())
}

overlap! {
    fn of_other_lengths(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], sent: usize, next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..field.len() {
            out[i] = field[i] * 3.0;
        }
        comm.send_receive(&out[..sent], next, &mut inc[..], prev, 7)?;
        for i in 0..field.len() {
            field[i] = inc[i];
        }
        Ok(())
    }
}

/// Messages are shorter than the loops that fill and read them, and than the memory that they are received into.
pub fn shorter_message(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for sent in [0, 1, 100, 300] {
        let (mut field, mut out, mut inc) = (numbers(comm, 300), vec![0.0; 400], vec![5.0; 400]);
        of_other_lengths(comm, &mut field, &mut out, &mut inc, sent, next, prev)?;
        log.push(format!("shorter {sent} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
    }
    Ok(())
}

mod inside {
    #[allow(unused_imports, reason = "only the attribute names it")]
    pub use gravel as other_name;
}

overlap! {
    [crate = super::moves::inside::other_name]
    fn renamed(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = 4.0;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 8)?;
        for i in 0..out.len() {
            out[i] += inc[i];
        }
        Ok(())
    }
}

pub fn renamed_crate(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let mut out = [0.0; 99];
    renamed(comm, &mut out, &mut [0.0; 99], next, prev)?;
    log.push(format!("renamed {:x}", bits(&out)));
    Ok(())
}

fn flux(x: f64) -> f64 {
    x * x - 1.0
}

overlap! {
    [pure(flux)]
    fn with_function(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = flux(field[i]);
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 9)?;
        for i in 0..field.len() {
            field[i] = flux(inc[i]);
        }
        Ok(())
    }
}

pub fn pure_function(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let mut field = numbers(comm, 200);
    with_function(comm, &mut field, &mut [0.0; 200], &mut [0.0; 200], next, prev)?;
    log.push(format!("pure {:x}", bits(&field)));
    Ok(())
}

overlap! {
    fn with_status(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: Option<usize>) -> gravel::Result<(usize, u64)> {
        for i in 0..out.len() {
            out[i] = field[i] + 1.0;
        }
        let status = comm.send_receive(&out[..], next, &mut inc[..], prev, 10)?;
        for i in 0..field.len() {
            field[i] = inc[i];
        }
        let source = status.map_or(77, |status| status.source);
        comm.send(&out[..], next, 11)?;
        let mut other: Option<gravel::Status> = comm.receive(&mut inc[..], prev, 11)?;
        for i in 0..field.len() {
            field[i] += 1.0;
        }
        for i in 0..field.len() {
            field[i] -= inc[i];
        }
        let again = other.take();
        Ok((source, again.map_or(5, |status| status.bytes)))
    }
}

pub fn statuses(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for prev in [Some(prev), None] {
        // What nobody receives is sent to nobody.
        let ranks = comm.ranks();
        let mut field = numbers(comm, 100);
        let found = match prev {
            None => with_status(comm, &mut field, &mut [0.0; 100], &mut [3.0; 100], next, None),
            some => with_status(comm, &mut field, &mut [0.0; 100], &mut [3.0; 100], next, some),
        };
        log.push(format!("status of {ranks} {:?} {:x}", found?, bits(&field)));
        if prev.is_none() {
            // The messages that were sent there.
            for tag in [10, 11] {
                comm.receive(&mut [0.0; 100], (comm.rank() + ranks - 1) % ranks, tag)?;
            }
        }
    }
    Ok(())
}
