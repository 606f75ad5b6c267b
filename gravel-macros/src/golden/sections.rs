//! Sections, a head that is final, a method with fields, rows of a matrix.
#[gravel::overlap]
fn step(&mut self, a: usize, b: usize) -> gravel::Result<()> {
    for i in a + 1..b {
        self.out[i] = self.field[i] * self.weight;
    }
    self.comm.send_receive(&self.out[a..b], self.next, &mut self.inc[a..b], self.prev, Self::TAG)?;
    for i in a..b {
        self.field[i] -= self.inc[i];
    }
    Ok(())
}

#[gravel::overlap]
fn by_rows(comm: &Gravel, a: &[f64], out: &mut [f64], rows: usize, columns: usize, to: usize) -> gravel::Result<()> {
    for r in 0..rows {
        for c in 0..columns {
            out[r * columns + c] = a[c * rows + r];
        }
    }
    comm.send(&out[..], to, 3)?;
    Ok(())
}
