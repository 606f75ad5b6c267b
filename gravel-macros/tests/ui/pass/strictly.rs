#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, clippy::pedantic)]

use gravel::Gravel;
use gravel::plain::Number;

#[gravel::overlap(strict)]
fn step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
    for i in 0..out.len() {
        out[i] = (field[i] * 0.75 + 0.25).abs().sqrt();
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 7)?;
    let mut sum = 0.0;
    for i in 0..field.len() {
        field[i] = 0.75 * field[i] + 0.25 * inc[i];
        sum += inc[i];
    }
    println!("{sum}");
    Ok(sum)
}

#[gravel::overlap]
fn generic<T: Number>(comm: &Gravel, field: &[T], out: &mut [T], to: Option<usize>) -> Result<(), Box<dyn std::error::Error>> {
    #[gravel(tile = 256)]
    for i in 0..out.len() {
        out[i] = field[i] + field[i];
    }
    comm.send(out, to, 7)?;
    Ok(())
}

#[gravel::overlap]
fn without_calls(values: &mut [f64]) -> f64 {
    values[0] += 1.0;
    values[0]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let comm = Gravel::from_environment()?;
    let (mut field, mut out, mut inc) = (vec![1.0; 100], vec![0.0; 100], vec![0.0; 100]);
    let sum = step(&comm, &mut field, &mut out, &mut inc, 0, 0)?;
    assert!((sum - 100.0).abs() < 1e-9);
    generic(&comm, &field, &mut out, None)?;
    assert!(without_calls(&mut field) > 1.0);
    comm.finalize()?;
    Ok(())
}
