use gravel::Gravel;

trait Tricky {
    fn sqrt(&self) -> f64;
    fn max(&mut self, other: f64) -> f64;
}

impl Tricky for &f64 {
    fn sqrt(&self) -> f64 {
        println!("{self}");
        1.0
    }

    fn max(&mut self, other: f64) -> f64 {
        println!("{other}");
        1.0
    }
}

struct Table;

impl Table {
    fn len(&self) -> usize {
        println!("length");
        3
    }
}

#[gravel::overlap]
fn shared(comm: &Gravel, out: &mut [f64], factor: &f64) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = factor.sqrt();
    }
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

#[gravel::overlap]
fn mutable(comm: &Gravel, out: &mut [f64], mut factor: &f64) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = factor.max(2.0);
    }
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

#[gravel::overlap]
fn measured(comm: &Gravel, out: &mut [f64], table: &Table) -> gravel::Result<()> {
    for i in 0..table.len() {
        out[i] = 1.0;
    }
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

fn main() {}
