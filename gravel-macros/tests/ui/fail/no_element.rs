use gravel::Gravel;

#[gravel::overlap]
fn step(comm: &Gravel, out: &mut [bool], field: &[f64]) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = field[i] > 1.0;
    }
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

fn main() {}
