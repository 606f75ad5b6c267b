//! Exchanges of every rank with every other.
#[gravel::overlap]
fn by_rows(comm: &Gravel, a: &mut [f64], out: &mut [f64], inc: &mut [f64], rows: usize, n: usize) -> gravel::Result<()> {
    for (p, block) in out.chunks_exact_mut(rows * rows).enumerate() {
        for r in 0..rows {
            for c in 0..rows {
                block[r * rows + c] = a[r * n + p * rows + c];
            }
        }
    }
    comm.alltoall(&out[..], &mut inc[..])?;
    for (p, block) in inc.chunks_exact(rows * rows).enumerate() {
        for r in 0..rows {
            for c in 0..rows {
                a[c * n + p * rows + r] = block[r * rows + c];
            }
        }
    }
    Ok(())
}

#[gravel::overlap]
fn over_ranks(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], ranks: usize, n: usize) -> gravel::Result<f64> {
    let mut sum = 0.0;
    for p in 0..ranks {
        for i in 0..n {
            out[p * n + i] = field[i] + 0.5;
        }
    }
    comm.alltoall(&out[..], &mut inc[..])?;
    for p in 0..ranks {
        for i in 0..n {
            sum += inc[p * n + i];
        }
    }
    Ok(sum)
}

#[gravel::overlap]
fn counted(comm: &Gravel, field: &mut [f64], out: &mut [f64], counts: &[usize], inc: &mut [f64], others: &Vec<usize>) -> gravel::Result<()> {
    for (x, y) in out.iter_mut().zip(field.iter()) {
        *x = *y * 0.5;
    }
    comm.alltoallv(out, counts, inc, others)?;
    for i in 0..inc.len() {
        field[i] += inc[i];
    }
    Ok(())
}

#[gravel::overlap]
fn early_only(comm: &Gravel, out: &[f64], inc: &mut [f64], work: &mut [f64]) -> gravel::Result<f64> {
    for x in work.iter_mut() {
        *x *= 0.5;
    }
    comm.alltoall(out, inc).unwrap();
    for x in work.iter_mut() {
        *x *= 0.25;
    }
    Ok(inc[0])
}

#[gravel::overlap(unordered)]
fn two_open(comm: &Gravel, field: &[f64], out: &mut [f64], other: &mut [f64], inc: &mut [f64], more: &mut [f64]) -> gravel::Result<f64> {
    for i in 0..out.len() {
        out[i] = field[i] * 0.5 + 1.0;
    }
    for i in 0..other.len() {
        other[i] = field[i] - 3.0;
    }
    comm.alltoall(&out[..], &mut inc[..])?;
    comm.alltoall(&other[..], &mut more[..])?;
    let mut sum = 0.0;
    for i in 0..inc.len() {
        sum += inc[i];
    }
    for i in 0..more.len() {
        sum = sum * 0.5 + more[i];
    }
    Ok(sum)
}
