//! Loops over elements.
#[gravel::overlap]
fn step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
    for (i, (x, y)) in out.iter_mut().zip(field.iter()).enumerate() {
        *x = y * 0.5 + i as f64;
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    for (x, y) in field.iter_mut().zip(&*inc) {
        *x += y;
    }
    for (x, y) in field.iter_mut().zip(inc.iter()) {
        *x += y;
    }
    Ok(())
}
