use gravel::Gravel;

#[allow(non_upper_case_globals)]
const table: [f64; 20] = [0.0; 20];

fn step(comm: &Gravel, inc: &mut [f64]) -> gravel::Result<()> {
    gravel::overlapped! {
        for i in 0..20 {
            table[i] = 1.0;
        }
        comm.send_receive(&table[..], 1, &mut inc[..], 1, 7)?;
    }
    Ok(())
}

fn main() {}
