//! The attribute on what holds functions, on statements, and a part of a function.
#[gravel::overlap]
impl State {
    const TAG: i32 = 3;

    #[gravel(skip(sink-wait))]
    fn exchanged(&mut self, next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..self.out.len() {
            self.out[i] = 1.5;
        }
        self.comm.send_receive(&self.out, next, &mut self.inc, prev, Self::TAG)?;
        Ok(())
    }

    #[gravel(skip)]
    fn left(&mut self, next: usize) -> gravel::Result<()> {
        for i in 0..self.out.len() {
            self.out[i] = 1.5;
        }
        self.comm.send(&self.out, next, 1)?;
        Ok(())
    }

    #[gravel::overlap(strict)]
    fn with_its_own(&mut self, next: usize) -> gravel::Result<()> {
        self.comm.send(&self.out, next, 1)
    }

    fn without_calls(&self) -> usize {
        self.out.len()
    }
}

#[gravel::overlap]
mod inner {
    #[gravel(skip)]
    mod left {
        fn send(comm: &Gravel, out: &[f64]) -> gravel::Result<()> {
            #[gravel(skip)]
            comm.send(out, 1, 1)?;
            Ok(())
        }
    }

    trait Sends {
        fn send(comm: &Gravel, out: &[f64]) -> gravel::Result<()> {
            comm.send(out, 1, 1)?;
            Ok(())
        }
    }
}

#[gravel::overlap]
fn chosen(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = 1.5;
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    #[gravel::overlap]
    for i in 0..out.len() {
        out[i] = inc[i];
    }
    #[gravel::overlap]
    comm.receive(&mut inc[..], prev, 1)?;
    for i in 0..out.len() {
        out[i] += inc[i];
    }
    for i in 0..out.len() {
        out[i] += 1.0;
    }
    comm.send(&out[..], next, 1)?;
    Ok(())
}

#[gravel::overlap]
fn other() {
    gravel::overlapped! {
        #![overlap(skip(sink-wait))]
        sum = 0.0;
        for i in 0..out.len() {
            out[i] = factor * 2.0;
            sum += out[i];
        }
        comm.send(&out[..], 1, 7)?;
        comm.send(&TABLE[..], 1, 7)?;
        sum
    }
}
