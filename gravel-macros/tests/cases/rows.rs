//! Loops over rows.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, caught, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    fn by_rows(comm: &Gravel, field: &mut [f64], out: &mut Vec<f64>, inc: &mut [f64], n: usize, next: usize, prev: usize) -> gravel::Result<f64> {
        for (r, row) in out.chunks_exact_mut(n).enumerate() {
            for c in 0..n {
                row[c] = field[c] * r as f64 + 0.5;
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 60)?;
        let mut sum = 0.0;
        for (into, row) in field.chunks_exact_mut(n).zip(inc.chunks_exact(n)) {
            for (x, y) in into.iter_mut().zip(row.iter()) {
                *x += *y * row.len() as f64;
            }
            sum += row[n - 1] - into[n - 1];
        }
        Ok(sum)
    }
}

overlap! {
    fn with_rests(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], n: usize, next: usize, prev: usize) -> gravel::Result<f64> {
        for row in out.chunks_mut(n) {
            for x in row.iter_mut() {
                *x = 0.25;
            }
            for j in 0..row.len() {
                row[j] += row.len() as f64;
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 61)?;
        let mut count = 0.0;
        for (i, (row, x)) in inc.chunks(n).zip(field.iter_mut()).enumerate() {
            for y in row.iter() {
                *x += *y;
            }
            count += (i * row.len()) as f64;
        }
        Ok(count)
    }
}

overlap! {
    fn transposed(comm: &Gravel, a: &mut [f64], out: &mut [f64], inc: &mut [f64], rows: usize, n: usize, next: usize, prev: usize) -> gravel::Result<()> {
        for (p, block) in out.chunks_exact_mut(rows * rows).enumerate() {
            for r in 0..rows {
                for c in 0..rows {
                    block[r * rows + c] = a[r * n + p * rows + c];
                }
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 62)?;
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
    fn filled(comm: &Gravel, out: &mut [f64], inc: &mut [f64], n: usize, next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for row in out.chunks_exact_mut(n) {
            row.fill(sum + 2.0);
            row.iter_mut().enumerate().for_each(|(j, x)| *x += j as f64);
            sum += 1.0;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 67)?;
        for (row, into) in inc.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
            row.iter().for_each(|x| sum += *x);
            into.copy_from_slice(row);
        }
        Ok(sum)
    }
}

overlap! {
    fn of_three(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for row in out.chunks_mut(3) {
            row[0] = 1.0;
            row[1] = row[0] + sum;
            row[2] = row[1] * 0.5;
            sum += 1.0;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 68)?;
        for row in inc.chunks_exact(3) {
            sum -= row[0] * row[1] + row[2];
        }
        Ok(sum)
    }
}

overlap! {
    fn partly(comm: &Gravel, out: &mut [f64], inc: &mut [f64], n: usize, m: usize, next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for row in out.chunks_exact_mut(n) {
            row[m] = 5.0;
            row.fill(2.0);
            for j in m..n {
                row[j] += 1.5;
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 63)?;
        for row in inc.chunks_exact(n) {
            row.iter().for_each(|x| sum += *x);
            sum -= row[m] * row[0];
        }
        for row in inc.chunks_exact_mut(3) {
            row[2] = row[0] - sum;
        }
        Ok(sum)
    }
}

/// Rows that fit, rests, rows of one element, of all, of more than there are.
pub fn rows_of_arrays(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for (length, n) in
        [(1, 1), (200, 8), (203, 8), (203, 1), (203, 203), (203, 204), (0, 3), (210, 70), (2048, 32), (1000, 999)]
    {
        let (mut field, mut out, mut inc) = (numbers(comm, length), vec![0.0; length], vec![0.0; length]);
        caught(log, "rows", || {
            let sum = by_rows(comm, &mut field, &mut out, &mut inc, n, next, prev)?;
            if sum.is_nan() { Err("not a number".into()) } else { Ok(()) }
        });
        log.push(format!("rows {length} {n} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
        let mut sum = with_rests(comm, &mut field, &mut out, &mut inc, n, next, prev)?;
        sum += with_rests(comm, &mut field[..length / 2], &mut out, &mut inc, n, next, prev)?;
        log.push(format!("rests {length} {n} {sum} {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
        let sum = filled(comm, &mut out, &mut inc, n, next, prev)?;
        log.push(format!("filled {length} {n} {sum} {:x} {:x}", bits(&out), bits(&inc)));
        if length % 3 == 0 {
            let sum = of_three(comm, &mut out, &mut inc, next, prev)?;
            log.push(format!("of three {length} {sum} {:x} {:x}", bits(&out), bits(&inc)));
        }
        for m in [0, n / 2, n - 1] {
            let sum = partly(comm, &mut out, &mut inc, n, m, next, prev)?;
            log.push(format!("partly {length} {n} {m} {sum} {:x} {:x}", bits(&out), bits(&inc)));
        }
    }
    for rows in [1, 3, 7] {
        let n = rows * 4;
        let (mut a, mut out, mut inc) = (numbers(comm, n * n), vec![0.0; n * rows], vec![0.0; n * rows]);
        transposed(comm, &mut a, &mut out, &mut inc, rows, n, next, prev)?;
        log.push(format!("transposed {rows} {:x} {:x}", bits(&a), bits(&out)));
    }
    Ok(())
}

overlap! {
    fn alone(comm: &Gravel, told: &mut [f64], out: &mut [f64], inc: &mut [f64], n: usize, m: usize) -> gravel::Result<()> {
        for i in 0..told.len() {
            told[i] += 1.0;
        }
        for row in out.chunks_exact_mut(n) {
            for j in 0..m {
                row[j] = 3.0;
            }
            told[0] += 1.0;
        }
        comm.send_receive(&out[..], None, &mut inc[..], None, 64)?;
        for row in inc.chunks(n) {
            told[1] += row[m];
        }
        Ok(())
    }
}

overlap! {
    fn changed_in_front(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        let mut n = 4;
        let mut sum = 0.0;
        for i in 0..out.len() {
            sum += i as f64;
            n = 5;
        }
        for row in out.chunks_exact_mut(n) {
            for j in 0..n {
                row[j] = sum;
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 65)?;
        for i in 0..out.len() {
            out[i] += i as f64;
            n = 6;
        }
        for row in inc.chunks_exact(n) {
            for j in 0..n {
                sum += row[j];
            }
        }
        Ok(sum)
    }
}

overlap! {
    fn changed_inside(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        let mut n = 4;
        let mut sum = 0.0;
        for row in out.chunks_exact_mut(n) {
            for x in row.iter_mut() {
                *x = n as f64;
            }
            n = 7;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 65)?;
        n = 5;
        for row in inc.chunks_exact(n) {
            n = row.len() - 1;
            sum += row[n];
        }
        Ok(sum)
    }
}

overlap! {
    fn declared_inside(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
        let n = 4;
        let mut sum = 0.0;
        for row in out.chunks_exact_mut(n) {
            let n = row.len();
            for j in 0..n {
                row[j] = 2.0;
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 65)?;
        for row in inc.chunks(n) {
            let n = row.len() - 1;
            sum -= row[n];
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 65)?;
        for row in inc.chunks_exact(n) {
            let inc = row[1];
            sum += inc;
        }
        Ok(sum)
    }
}

overlap! {
    fn rows_inside(comm: &Gravel, field: &[f64], out: &mut [f64], inc: &mut [f64], k: usize, next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = k as f64;
        for i in 0..out.len() {
            let k = i % 3 + 1;
            out[i] = 0.0;
            for (r, row) in field.chunks(k).enumerate() {
                out[i] += row[0] * r as f64;
            }
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 65)?;
        for i in 0..inc.len() {
            for (r, row) in field.chunks_exact(k).enumerate() {
                sum += inc[i] * row[0] + r as f64;
            }
        }
        Ok(sum)
    }
}

overlap! {
    fn mixed(comm: &Gravel, out: &mut [f64], inc: &mut [f64], n: usize, next: usize, prev: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        for (x, row) in out.iter_mut().zip(inc.chunks_mut(n)) {
            *x = row[0];
            row[0] += 1.0;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 66)?;
        for ((i, row), x) in inc.chunks_exact(n).enumerate().zip(out.iter_mut()) {
            for (y, z) in row.iter().zip(inc.iter()) {
                sum += y * z;
            }
            *x = sum * i as f64;
        }
        comm.send_receive(&out[..out.len() / 2], next, &mut inc[..out.len() / 2], prev, 66)?;
        'rows: for row in inc.chunks(n) {
            if row[0] > 1e9 {
                break 'rows;
            }
            sum += row[row.len() - 1];
        }
        Ok(sum)
    }
}

/// Rows of none, loops beyond a row, sizes that change in and in front of loops, names that are declared again, rows beside elements.
pub fn traps_of_rows(comm: &Gravel, log: &mut Log) -> Outcome {
    for (n, m) in [(4, 4), (4, 5), (5, 2), (0, 0), (7, 6), (7, 7), (usize::MAX, 0), (121, 0), (120, 119)] {
        let (mut told, mut out, mut inc) = (vec![0.0; 5], vec![0.0; 120], vec![2.0; 120]);
        caught(log, "alone", || Ok(alone(comm, &mut told, &mut out, &mut inc, n, m)?));
        log.push(format!("alone {n} {m} {told:?} {:x} {:x}", bits(&out), bits(&inc)));
    }
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0.0; 120], vec![0.0; 120]);
    let mut sum = changed_in_front(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("changing {sum} {:x} {:x}", bits(&out), bits(&inc)));
    sum += changed_inside(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("changing {sum} {:x} {:x}", bits(&out), bits(&inc)));
    sum += declared_inside(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("declared {sum} {:x} {:x}", bits(&out), bits(&inc)));
    sum += rows_inside(comm, &numbers(comm, 7), &mut out, &mut inc, 2, next, prev)?;
    log.push(format!("inside {sum} {:x} {:x}", bits(&out), bits(&inc)));
    for n in [1, 3, 7, 120] {
        let sum = mixed(comm, &mut out, &mut inc, n, next, prev)?;
        log.push(format!("mixed {n} {sum} {:x} {:x}", bits(&out), bits(&inc)));
    }
    let huge = usize::MAX / 2 + 1;
    let (mut a, mut out, mut inc) = (vec![0.0; 16], vec![0.0; 16], vec![0.0; 16]);
    caught(log, "overflow", || Ok(transposed(comm, &mut a, &mut out, &mut inc, huge, 4, next, prev)?));
    log.push(format!("overflow {:x}", bits(&a)));
    Ok(())
}
