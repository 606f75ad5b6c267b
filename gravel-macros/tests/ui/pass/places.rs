//! The attribute where it may stand, with strict lints.
#![forbid(unsafe_code)]
#![deny(warnings, clippy::all, clippy::pedantic)]

use gravel::Gravel;

struct State<'a> {
    comm: &'a Gravel,
    out: Vec<f64>,
    inc: Vec<f64>,
}

#[gravel::overlap(strict)]
impl State<'_> {
    fn step(&mut self, peer: Option<usize>) -> gravel::Result<f64> {
        for i in 0..self.out.len() {
            self.out[i] = 1.5;
        }
        self.comm.send_receive(&self.out, peer, &mut self.inc, peer, 1)?;
        let mut sum = 0.0;
        for i in 0..self.inc.len() {
            sum += self.inc[i];
        }
        Ok(sum)
    }

    #[gravel(skip)]
    fn left(&self, peer: Option<usize>) -> gravel::Result<()> {
        self.comm.send(&self.out, peer, 2)
    }

    #[gravel::overlap(skip(sink-wait))]
    fn own(&self, peer: Option<usize>) -> gravel::Result<()> {
        #[gravel(skip)]
        self.comm.send(&self.out, peer, 2)?;
        Ok(())
    }
}

#[gravel::overlap(strict)]
mod inner {
    use gravel::Gravel;

    pub fn send(comm: &Gravel, out: &mut [f64], peer: Option<usize>) -> gravel::Result<()> {
        #[gravel::overlap]
        for x in out.iter_mut() {
            *x = 0.5;
        }
        comm.send(&out[..], peer, 3)?;
        Ok(())
    }
}

fn main() -> gravel::Result<()> {
    let comm = Gravel::from_environment()?;
    let mut state = State { comm: &comm, out: vec![0.0; 100], inc: vec![0.0; 100] };
    let mut sum = state.step(None)?;
    state.left(None)?;
    state.own(None)?;
    inner::send(&comm, &mut state.out, None)?;
    let (mut out, mut inc) = (vec![1.0; 100], vec![2.0; 100]);
    let peer = None;
    sum += gravel::overlapped! {
        #![overlap(strict)]
        let mut sum = 0.0;
        for i in 0..out.len() {
            out[i] *= 2.0;
        }
        comm.send_receive(&out[..], peer, &mut inc[..], peer, 4)?;
        for i in 0..inc.len() {
            sum += inc[i];
        }
        sum
    };
    assert!(sum >= 0.0);
    comm.finalize()?;
    Ok(())
}
