//! Loops that are split for a halo.
#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, clippy::pedantic)]

use gravel::Gravel;
use gravel::plain::Number;

struct Plate {
    old: Vec<f64>,
    new: Box<[f64]>,
    top: [f64; 8],
    columns: usize,
}

#[gravel::overlap(strict, unordered)]
impl Plate {
    fn step(&mut self, comm: &Gravel, rows: usize, upper: Option<usize>, lower: Option<usize>) -> gravel::Result<f64> {
        let columns = self.columns;
        let weight = 0.25;
        comm.send_receive(&self.top[..columns], upper, &mut self.old[(rows + 1) * columns..], lower, 1)?;
        comm.send_receive(&self.top[..columns], lower, &mut self.old[..columns], upper, 2)?;
        for row in 1..=rows {
            for column in 1..columns - 1 {
                let k = row * columns + column;
                let around = self.old[k - columns] + self.old[k + columns];
                self.new[k] = weight * (around + self.old[k - 1] + self.old[k + 1]).abs().sqrt();
            }
        }
        Ok(self.new[columns] * weight)
    }
}

#[gravel::overlap]
fn line<T: Number>(comm: &Gravel, u: &mut [T], v: &mut [T], n: usize, next: usize, prev: usize) -> gravel::Result<()> {
    comm.send(&u[n..=n], next, 3)?;
    let status = comm.receive(&mut u[0..1], prev, 3)?;
    for i in 1..=n {
        v[i] = u[i - 1] + u[i];
    }
    assert!(status.is_some());
    Ok(())
}

fn main() -> gravel::Result<()> {
    let comm = Gravel::from_environment()?;
    let mut plate = Plate { old: vec![1.0; 48], new: vec![0.0; 48].into_boxed_slice(), top: [2.0; 8], columns: 8 };
    println!("{}", plate.step(&comm, 4, None, None)?);
    line(&comm, &mut [1.0; 9], &mut [0.0; 9], 8, 0, 0)?;
    line(&comm, &mut [1_u8; 9], &mut [0; 9], 8, 0, 0)
}
