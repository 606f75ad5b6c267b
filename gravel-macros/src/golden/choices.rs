//! A `match` on numbers, methods in values, and a loop over every so many numbers.
#[gravel::overlap]
fn step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
    for i in 0..out.len() {
        match i % 3 {
            0 => out[i] = field[i].sqrt(),
            1 if field[i] > 1.0 => {
                out[i] = match i { 1 => 1.0, _ => { field[i].abs() } };
            }
            _ => out[i] = 2.0,
        }
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    for i in (0..field.len()).step_by(2) {
        field[i] = if field[i] > 0.0 { field[i].sqrt() } else { 0.0 };
    }
    for i in (0..inc.len()).step_by(2) {
        field[i] += inc[i];
    }
    Ok(())
}
