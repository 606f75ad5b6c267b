//! Halos of several rows: as many rows at either end as the stencil reaches far run behind the wait.
#[gravel::overlap]
fn two_rows(comm: &Gravel, u: &mut [f64], v: &mut [f64], nx: usize, ny: usize, up: usize, down: usize) -> gravel::Result<()> {
    comm.send(&u[2 * nx..4 * nx], up, 1)?;
    comm.send(&u[ny * nx..(ny + 2) * nx], down, 2)?;
    comm.receive(&mut u[..2 * nx], up, 2)?;
    comm.receive(&mut u[(ny + 2) * nx..], down, 1)?;
    for i in 2..ny + 2 {
        for j in 0..nx {
            let k = i * nx + j;
            v[k] = 0.5 * (u[k - 2 * nx] + u[k + 2 * nx]) - u[k - nx] + u[k];
        }
    }
    Ok(())
}

#[gravel::overlap]
fn three_points(comm: &Gravel, u: &mut [f64], v: &mut [f64], n: usize, left: usize, right: usize) -> gravel::Result<()> {
    comm.send(&u[n..n + 3], right, 3)?;
    comm.receive(&mut u[..3], left, 3)?;
    for i in 3..n + 3 {
        v[i] = u[i - 3] * 0.5 + u[i];
    }
    Ok(())
}
