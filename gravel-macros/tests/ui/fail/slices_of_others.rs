use gravel::Gravel;

trait Filled {
    fn fill(&mut self, value: f64);
    fn iter_mut(&mut self) -> std::slice::IterMut<'_, f64>;
}

impl Filled for Vec<f64> {
    fn fill(&mut self, value: f64) {
        println!("{value}");
    }

    fn iter_mut(&mut self) -> std::slice::IterMut<'_, f64> {
        println!("{}", self.len());
        self.as_mut_slice().iter_mut()
    }
}

trait Counted {
    fn len(&self) -> usize;
}

impl Counted for [f64; 64] {
    fn len(&self) -> usize {
        3
    }
}

#[gravel::overlap]
fn filled(comm: &Gravel, out: &mut Vec<f64>) -> gravel::Result<()> {
    out.fill(1.0);
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

#[gravel::overlap]
fn owned(comm: &Gravel, length: usize) -> gravel::Result<()> {
    let mut out = vec![0.0; length];
    for x in out.iter_mut() {
        *x = 1.0;
    }
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

#[gravel::overlap]
fn counted(comm: &Gravel, mut out: [f64; 64]) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = 1.0;
    }
    comm.send(&out[..], 1, 7)?;
    Ok(())
}

fn main() {}
