//! A send alone, and a receive alone whose wait goes down to the first use.
#[gravel::overlap]
fn produce(comm: &Gravel, field: &[f64], out: &mut Vec<f64>, to: usize) -> gravel::Result<()> {
    let n = field.len();
    for i in 0..n {
        let square = field[i] * field[i];
        out[i] = square.sqrt() + i as f64;
    }
    comm.send(&out, to, TAG)?;
    Ok(())
}

#[gravel::overlap]
fn consume(comm: &Gravel, own: &mut [f64], inc: &mut [f64], from: Option<usize>) -> Result<f64, Box<dyn Error>> {
    comm.receive(&mut inc[..], from, TAG).expect("a message");
    for k in 0..own.len() {
        own[k] = own[k] * own[k] + 1.0;
    }
    let first = inc[0];
    Ok(first)
}
