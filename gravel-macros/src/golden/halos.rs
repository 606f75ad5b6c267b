//! Halos: rows that only read what is there run before the wait for those of the neighbours.
#[gravel::overlap]
fn blocking(comm: &Gravel, u: &mut [f64], v: &mut [f64], nx: usize, ny: usize, up: usize, down: usize) -> gravel::Result<()> {
    comm.send(&u[nx..2 * nx], up, 1)?;
    comm.send(&u[ny * nx..(ny + 1) * nx], down, 2)?;
    comm.receive(&mut u[..nx], up, 2)?;
    comm.receive(&mut u[(ny + 1) * nx..], down, 1)?;
    for i in 1..=ny {
        for j in 1..nx - 1 {
            let k = i * nx + j;
            v[k] = 0.25 * (u[k - nx] + u[k + nx] + u[k - 1] + u[k + 1]);
        }
    }
    Ok(())
}

#[gravel::overlap(unordered)]
fn packed(comm: &Gravel, u: &mut [f64], v: &mut [f64], top: &mut [f64], bottom: &mut [f64], nx: usize, ny: usize, up: usize, down: usize) -> gravel::Result<()> {
    for j in 0..nx {
        top[j] = u[nx + j];
        bottom[j] = u[ny * nx + j];
    }
    comm.send_receive(&top[..], up, &mut u[(ny + 1) * nx..], down, 1)?;
    comm.send_receive(&bottom[..], down, &mut u[..nx], up, 2)?;
    for i in 1..=ny {
        for j in 1..nx - 1 {
            let k = i * nx + j;
            v[k] = 0.25 * (u[k - nx] + u[k + nx] + u[k - 1] + u[k + 1]);
        }
    }
    Ok(())
}

#[gravel::overlap]
fn in_a_line(comm: &Gravel, u: &mut [f64], v: &mut [f64], n: usize, left: usize, right: usize) -> gravel::Result<()> {
    comm.send(&u[1..2], left, 1)?;
    comm.send(&u[n..n + 1], right, 2)?;
    comm.receive(&mut u[..1], left, 2)?;
    comm.receive(&mut u[n + 1..], right, 1)?;
    for i in 1..=n {
        v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    }
    Ok(())
}
