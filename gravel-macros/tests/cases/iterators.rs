//! Loops over elements.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, lengths, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    fn numbered(comm: &Gravel, field: &mut [f64], out: &mut Vec<f64>, inc: &mut Vec<f64>, next: usize, prev: usize) -> gravel::Result<()> {
        for (i, x) in out.iter_mut().enumerate() {
            *x = field[i] * 0.5;
            *x += i as f64;
        }
        comm.send_receive(&out, next, &mut inc[..], prev, 1)?;
        for (i, &y) in inc.iter().enumerate() {
            field[i] += y.abs().sqrt();
        }
        Ok(())
    }
}

overlap! {
    fn zipped(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        for (x, y) in out.iter_mut().zip(field.iter()) {
            *x = y * 2.0 - 1.0;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 2)?;
        let mut sum = 0.0;
        for ((x, y), (i, z)) in field.iter_mut().zip(inc.iter()).zip(out.iter().enumerate()) {
            *x = (*x + *y) * 0.5 + z;
            sum += y.max(*x) * i as f64;
        }
        Ok(sum)
    }
}

overlap! {
    fn only_counted(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<usize> {
        for x in out.iter_mut() {
            *x = 3.5;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 3)?;
        let mut count = 0;
        for _ in inc.iter() {
            count += 1;
        }
        for x in inc.iter_mut() {
            *x *= 2.0;
        }
        comm.send_receive(&inc[..], next, &mut out[..], prev, 3)?;
        for (x, y) in out.iter_mut().zip(inc.iter_mut()) {
            *y = *x;
        }
        Ok(count)
    }
}

overlap! {
    fn with_sections(comm: &Gravel, out: &mut [f64], inc: &mut [f64], cut: usize, next: usize, prev: usize) -> gravel::Result<f64> {
        for x in out.iter_mut() {
            *x += 3.5;
        }
        comm.send_receive(&out[cut..], next, &mut inc[cut..], prev, 4)?;
        let mut last = &0.5;
        let mut sum = 0.0;
        for x in inc.iter() {
            sum += x - last;
            last = x;
        }
        let end = *last;
        comm.send_receive(&out[..cut], next, &mut inc[..cut], prev, 4)?;
        for (i, x) in inc.iter().enumerate() {
            sum += x * i as f64;
        }
        Ok(sum + end)
    }
}

/// Arrays of other lengths than the messages.
pub fn iterators(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in lengths(&[0, 1, 200, 20_000]) {
        let (mut field, mut out, mut inc) = (numbers(comm, length), vec![0.0; length], vec![0.0; length]);
        numbered(comm, &mut field, &mut out, &mut inc, next, prev)?;
        let mut sum = zipped(comm, &mut field, &mut out, &mut inc, next, prev)?;
        log.push(format!("iterators {length} {sum} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
        let half = length / 2;
        sum += zipped(comm, &mut field[..half], &mut out, &mut inc, next, prev)?;
        sum += zipped(comm, &mut field, &mut out[..half], &mut inc, next, prev)?;
        sum += zipped(comm, &mut field, &mut out, &mut inc, next, prev)?;
        let count = only_counted(comm, &mut out, &mut inc, next, prev)?;
        log.push(format!("shorter {count} {sum} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
        for cut in [0, half, length] {
            sum += with_sections(comm, &mut out, &mut inc, cut, next, prev)?;
        }
        log.push(format!("sections {sum} {:x} {:x}", bits(&out), bits(&inc)));
    }
    Ok(())
}
