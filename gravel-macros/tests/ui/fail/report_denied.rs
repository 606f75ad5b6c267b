#![deny(deprecated)]

use gravel::Gravel;

#[gravel::overlap(report)]
fn step(comm: &Gravel, out: &mut [f64]) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = 1.0;
    }
    comm.send(&out[..], 1, 7)?;
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

fn main() {}
