//! Halos whose loops stay whole.
#[gravel::overlap]
fn in_place(comm: &Gravel, u: &mut [f64], n: usize, left: usize) -> gravel::Result<()> {
    comm.receive(&mut u[..1], left, 2)?;
    for i in 1..=n {
        u[i] = 0.5 * (u[i - 1] + u[i]);
    }
    Ok(())
}

#[gravel::overlap]
fn whole_numbers(comm: &Gravel, u: &mut [i64], v: &mut [i64], by: i64, n: usize, left: usize) -> gravel::Result<()> {
    comm.receive(&mut u[..1], left, 2)?;
    for i in 1..=n {
        let part = u[i - 1] / by + 1;
        v[i] = part.pow(2);
    }
    Ok(())
}

#[gravel::overlap(pure(weight))]
fn with_a_function(comm: &Gravel, u: &mut [f64], v: &mut [f64], n: usize, left: usize) -> gravel::Result<()> {
    comm.receive(&mut u[..1], left, 2)?;
    for i in 1..=n {
        v[i] = weight(u[i - 1]);
    }
    Ok(())
}

#[gravel::overlap]
fn sums(comm: &Gravel, u: &mut [f64], v: &mut [f64], n: usize, left: usize) -> gravel::Result<f64> {
    let mut last = 0.0;
    comm.receive(&mut u[..1], left, 2)?;
    for i in 1..=n {
        v[i] = u[i - 1].clamp(0.0, 1.0);
        last = v[i];
    }
    Ok(last)
}

#[gravel::overlap(skip(split-loop))]
fn left_out(comm: &Gravel, u: &mut [f64], v: &mut [f64], n: usize, left: usize) -> gravel::Result<()> {
    comm.receive(&mut u[n + 1..], left, 2)?;
    for i in 1..=n {
        v[i] = u[i + 1];
    }
    #[gravel(skip(split-loop))]
    for i in 1..=n {
        v[i] = u[i + 1];
    }
    Ok(())
}

#[gravel::overlap]
fn two_loops(comm: &Gravel, u: &mut [f64], w: &mut [f64], v: &mut [f64], n: usize, left: usize, right: usize) -> gravel::Result<()> {
    comm.receive(&mut u[..1], left, 2)?;
    comm.receive(&mut w[n + 1..], right, 2)?;
    for i in 1..=n {
        v[i] = u[i - 1];
    }
    for i in 1..=n {
        v[i] += w[i + 1];
    }
    Ok(())
}
