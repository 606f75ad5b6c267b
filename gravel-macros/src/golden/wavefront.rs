//! One loop reads a message and fills another one.
#[gravel::overlap(strict)]
fn sweep(comm: &Gravel, field: &mut [f64], inflow: &mut [f64], outflow: &mut [f64], before: Option<usize>, behind: Option<usize>) -> gravel::Result<()> {
    for plane in 0..8 {
        comm.receive(&mut inflow[..], before, 40)?;
        for i in 0..outflow.len() {
            field[i] += 0.25 * inflow[i];
            outflow[i] = field[i].sqrt();
        }
        comm.send(&outflow[..], behind, 40)?;
    }
    Ok(())
}
