use gravel::Gravel;

#[derive(Clone, Copy)]
struct Loud(f64);

impl std::ops::Mul<f64> for Loud {
    type Output = f64;
    fn mul(self, other: f64) -> f64 {
        println!("{other}");
        self.0 * other
    }
}

#[gravel::overlap]
fn step(comm: &Gravel, out: &mut [f64], field: &[f64], factor: Loud) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = factor * field[i];
    }
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

fn main() {}
