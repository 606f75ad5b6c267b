//! What users ask for.
#[gravel::overlap(skip(strip-mine-consumer))]
fn step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
    #[gravel(tile = 4096)]
    for i in 0..out.len() {
        out[i] = field[i] * 0.75 + 0.25;
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, TAG)?;
    #[gravel(skip)]
    for i in 0..field.len() {
        field[i] += inc[i];
    }
    for i in 0..out.len() {
        out[i] = 2.0 * field[i];
    }
    #[gravel(skip)]
    comm.send(&out[..], next, TAG)?;
    for i in 0..out.len() {
        out[i] = 3.0 * field[i];
    }
    #[gravel(skip(sink-wait))]
    comm.send(&out[..], next, TAG)?;
    for i in 0..field.len() {
        field[i] += 1.0;
    }
    Ok(())
}
