//! Only plain data is sent.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    gravel.send(&[true, false], 0, 1)
}
