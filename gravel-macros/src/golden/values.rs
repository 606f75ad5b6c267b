//! Variables that a region declares and that are used behind it.
#[gravel::overlap]
fn step(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
    for i in 0..out.len() {
        out[i] = i as f64;
    }
    comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
    let half = 0.5;
    let mut sum = half;
    for i in 0..inc.len() {
        sum = sum * 0.25 + inc[i];
    }
    sum += 1.0;
    println!("{sum}");
    Ok(sum)
}
