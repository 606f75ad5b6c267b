//! The function of the documentation: everything moves.
#[gravel::overlap]
fn step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = field[i] * 0.75 + 0.25;
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, TAG)?;
    for i in 0..field.len() {
        field[i] = 0.75 * field[i] + 0.25 * inc[i];
    }
    Ok(())
}
