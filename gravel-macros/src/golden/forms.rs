//! Statements that are loops in other words.
#[gravel::overlap]
fn step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
    out.iter_mut().zip(field.iter()).enumerate().for_each(|(i, (x, y))| *x = y * 0.5 + i as f64);
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    field.copy_from_slice(&inc[..]);
    Ok(())
}

#[gravel::overlap]
fn filled(comm: &Gravel, field: &mut [f64], out: &mut [f64], next: usize) -> gravel::Result<()> {
    out.fill(field[0].sqrt());
    comm.send(&out[..], next, 1)?;
    field.iter_mut().for_each(|x| {
        if *x > 1.0 {
            *x = x.sqrt();
        }
    });
    Ok(())
}

#[gravel::overlap]
fn kept(comm: &Gravel, field: &mut [f64], out: &mut [f64], next: usize) -> gravel::Result<()> {
    out.fill(out[0] + 1.0);
    comm.send(&out[..], next, 1)?;
    field.iter().for_each(|x| comm.send(&[*x][..], next, 2).unwrap());
    out.iter_mut().for_each(move |x| *x = next as f64);
    comm.send(&out[..], next, 1)?;
    Ok(())
}
