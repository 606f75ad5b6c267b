//! Calls that stay as they are, each for a reason.
#[gravel::overlap]
fn opaque(comm: &Gravel, out: &mut [f64], next: usize) -> gravel::Result<()> {
    for i in 0..out.len() {
        println!("{i}");
        out[i] = 1.0;
    }
    comm.send(&out[..], next, 1)?;
    for i in 0..out.len() {
        out[i] = unknown(i);
    }
    comm.send(&out[..], next, 1)?;
    for i in 0..out.len() {
        out[i] = (i as f64 * 0.1).sin();
    }
    comm.send(&out[..], next, 1)?;
    Ok(())
}

#[gravel::overlap]
fn of_mpi(world: &SimpleCommunicator, out: &mut [f64], inc: &mut [f64]) {
    for i in 0..out.len() {
        out[i] = 1.0;
    }
    world.process_at_rank(1).send(&out[..]);
    world.process_at_rank(1).receive_into(&mut inc[..]);
}

#[gravel::overlap]
async fn later(comm: &Gravel, out: &mut [f64], next: usize) -> gravel::Result<()> {
    comm.send(&out[..], next, 1)?;
    Ok(())
}

#[gravel::overlap]
fn used(comm: &Gravel, inc: &mut [f64], next: usize) -> gravel::Result<()> {
    let status = comm.receive(&mut inc[..], next, 1)?;
    comm.send(&inc[..], next, 1)
}
