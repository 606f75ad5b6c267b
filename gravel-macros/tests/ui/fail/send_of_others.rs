struct Channel;

impl Channel {
    fn send(&self, values: &[f64], to: usize, tag: i32) -> gravel::Result<()> {
        println!("{values:?} {to} {tag}");
        Ok(())
    }
}

#[gravel::overlap]
fn step(channel: &Channel, out: &mut [f64], field: &[f64]) -> gravel::Result<()> {
    for i in 0..out.len() {
        out[i] = field[i];
    }
    channel.send(&out[..], 1, 7)?;
    Ok(())
}

fn main() {}
