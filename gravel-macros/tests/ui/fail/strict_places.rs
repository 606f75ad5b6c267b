use gravel::Gravel;

struct State;

#[gravel::overlap(strict)]
impl State {
    fn step(&self, comm: &Gravel, out: &mut [f64]) -> gravel::Result<()> {
        println!("{out:?}");
        comm.send(&out[..], 1, 7)?;
        Ok(())
    }

    #[gravel::overlap]
    fn other(&self, comm: &Gravel, out: &mut [f64]) -> gravel::Result<()> {
        println!("{out:?}");
        comm.send(&out[..], 1, 7)?;
        Ok(())
    }
}

fn part(comm: &Gravel, out: &mut [f64]) -> gravel::Result<()> {
    gravel::overlapped! {
        #![overlap(strict)]
        println!("{out:?}");
        comm.send(&out[..], 1, 7)?;
    }
    Ok(())
}

fn main() {}
