//! What a loop holds names a message as a whole.
#[gravel::overlap]
fn step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = 1.0;
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    for i in 0..field.len() {
        for y in inc.iter() {
            field[i] += *y;
        }
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    for i in 0..3 {
        field.copy_from_slice(inc);
        field[i] = 2.0;
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    for i in 0..3 {
        inc.iter().for_each(|x| field[i] += *x);
    }
    for i in 0..3 {
        out.fill(i as f64);
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    for i in 0..inc.len() {
        out[i] = inc[i];
        out.fill(inc[i]);
    }
    Ok(())
}
