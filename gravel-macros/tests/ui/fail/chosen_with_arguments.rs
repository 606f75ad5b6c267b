use gravel::Gravel;

#[gravel::overlap]
impl State {
    fn step(comm: &Gravel, out: &mut [f64]) -> gravel::Result<()> {
        #[gravel::overlap(strict)]
        for i in 0..out.len() {
            out[i] = 1.0;
        }
        comm.send(&out[..], 1, 7)?;
        Ok(())
    }

    #[gravel(tile = 12)]
    fn other(&self) {}
}

#[gravel::overlap]
mod inner {
    #[gravel(skip(sink-wait))]
    impl super::State {}
}

struct State;

fn part() {
    gravel::overlapped! {
        #![overlay(strict)]
    }
}

fn main() {}
