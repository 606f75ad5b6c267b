//! Types and references in all the forms that loops have them in.

use gravel::Gravel;

struct State<'a> {
    comm: &'a Gravel,
    boxed: Box<[f64]>,
    array: [f64; 64],
    weight: &'a f64,
}

impl State<'_> {
    const SHIFT: f64 = 0.5;

    #[gravel::overlap(strict, pure(f64_of))]
    fn step(self: &mut Self, peer: Option<usize>) -> gravel::Result<()> {
        for i in 0..self.boxed.len() {
            let x: f64 = self.weight.mul_add(2.0, Self::SHIFT);
            self.boxed[i] = x.max(1.0) * f64_of(i as u32) + std::f64::consts::PI;
        }
        self.comm.send_receive(&self.boxed, peer, &mut self.array[..], peer, 1)?;
        for i in 0..64 {
            self.boxed[i] = self.array[i];
        }
        Ok(())
    }
}

const fn f64_of(value: u32) -> f64 {
    value as f64
}

fn main() -> gravel::Result<()> {
    let comm = Gravel::from_environment()?;
    let weight = 2.0;
    let mut state = State { comm: &comm, boxed: vec![0.0; 64].into(), array: [0.0; 64], weight: &weight };
    state.step(None)?;
    comm.finalize()?;
    Ok(())
}
