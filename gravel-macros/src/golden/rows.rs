//! Loops over rows.
#[gravel::overlap]
fn step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], n: usize, next: usize, prev: usize) -> gravel::Result<()> {
    for (r, row) in out.chunks_exact_mut(n).enumerate() {
        for c in 0..n {
            row[c] = field[c] * r as f64;
        }
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    for (into, row) in field.chunks_mut(n).zip(inc.chunks(n)) {
        for (x, y) in into.iter_mut().zip(row.iter()) {
            *x += *y;
        }
    }
    Ok(())
}
