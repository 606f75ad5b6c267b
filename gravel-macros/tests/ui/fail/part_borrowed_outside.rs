use gravel::Gravel;

fn step(comm: &Gravel, out: &mut [f64], inc: &mut [f64]) -> gravel::Result<()> {
    let first = &mut inc[..20];
    gravel::overlapped! {
        for i in 0..20 {
            first[i] = out[i] + 1.0;
        }
        comm.receive(&mut inc[..], 1, 7)?;
    }
    Ok(())
}

fn main() {}
