//! Loops over rows and in other words, with strict lints.
#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, clippy::pedantic)]

use gravel::Gravel;
use gravel::plain::Number;

#[gravel::overlap(strict)]
fn by_rows(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], n: usize, peer: Option<usize>) -> gravel::Result<f64> {
    for (row, from) in out.chunks_exact_mut(n).zip(field.chunks_exact(n)) {
        row.copy_from_slice(from);
    }
    comm.send_receive(&out[..], peer, &mut inc[..], peer, 1)?;
    let mut sum = 0.0;
    for (into, row) in field.chunks_mut(n).zip(inc.chunks(n)) {
        into.iter_mut().zip(row.iter()).for_each(|(x, y)| *x += *y);
        sum += row[n - 1];
    }
    Ok(sum)
}

#[gravel::overlap(strict)]
fn generic<T: Number>(comm: &Gravel, value: T, out: &mut Vec<T>, inc: &mut [T], peer: Option<usize>) -> gravel::Result<()> {
    out.fill(value);
    comm.send_receive(&out[..], peer, &mut inc[..], peer, 1)?;
    out.copy_from_slice(inc);
    Ok(())
}

#[gravel::overlap(strict)]
fn in_holders(comm: &Gravel, boxed: &mut Box<[f64; 64]>, array: &mut [f64; 64], peer: Option<usize>) -> gravel::Result<()> {
    boxed.iter_mut().enumerate().for_each(|(i, x)| {
        *x = if i > 3 { 1.0 } else { 0.5 };
    });
    comm.send_receive(&boxed[..], peer, &mut array[..], peer, 1)?;
    for (row, x) in array.chunks_exact(8).zip(boxed.iter_mut()) {
        *x = row[0] + row[7];
    }
    Ok(())
}

fn main() -> gravel::Result<()> {
    let comm = Gravel::from_environment()?;
    let (mut field, mut out, mut inc) = (vec![1.0; 96], vec![0.0; 96], vec![2.0; 96]);
    let sum = by_rows(&comm, &mut field, &mut out, &mut inc, 8, None)?;
    assert!((sum - 24.0).abs() < 1e-9 && (field[0] - 3.0).abs() < 1e-9 && (out[0] - 1.0).abs() < 1e-9);
    generic(&comm, 4.0, &mut out, &mut inc, None)?;
    assert!((out[95] - 2.0).abs() < 1e-9);
    let (mut boxed, mut array) = (Box::new([0.5; 64]), [1.5; 64]);
    in_holders(&comm, &mut boxed, &mut array, None)?;
    assert!((boxed[7] - 3.0).abs() < 1e-9 && (boxed[8] - 1.0).abs() < 1e-9);
    comm.finalize()?;
    Ok(())
}
