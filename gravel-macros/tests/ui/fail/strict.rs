use gravel::Gravel;

#[gravel::overlap(strict)]
fn step(comm: &Gravel, out: &mut [f64]) -> gravel::Result<()> {
    for i in 0..out.len() {
        println!("{i}");
        out[i] = 1.0;
    }
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

fn main() {}
