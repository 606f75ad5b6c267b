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

#[gravel::overlap]
fn options(comm: &Gravel, out: &mut [f64], weight: Option<f64>, limit: usize, next: usize) -> gravel::Result<()> {
    for i in 0..out.len() {
        if let Some(weight) = weight {
            out[i] = weight;
        }
        if let 0..=3 = limit {
            out[i] += 1.0;
        }
    }
    comm.send(&out[..], next, 1)?;
    for i in 0..out.len() {
        if let Some(Some(weight)) = nested {
            out[i] = weight;
        }
    }
    comm.send(&out[..], next, 1)?;
    Ok(())
}
