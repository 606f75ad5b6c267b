use gravel::Gravel;

trait Tricky {
    fn sqrt(self) -> f64;
}

impl Tricky for &f64 {
    fn sqrt(self) -> f64 {
        println!("{self}");
        1.0
    }
}

#[gravel::overlap]
fn step(comm: &Gravel, out: &mut [f64], factor: &f64) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = if i > 3 { factor.sqrt() } else { 0.0 };
    }
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

#[gravel::overlap]
fn other(comm: &Gravel, out: &mut [f64], factor: &f64) -> gravel::Result<()> {
    for i in 0..out.len() {
        match i {
            0 => out[i] = 1.0,
            _ => out[i] = factor.sqrt(),
        }
    }
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

fn main() {}
