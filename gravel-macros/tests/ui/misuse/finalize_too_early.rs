//! The runtime does not end before its requests.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let receive = gravel.post_receive(vec![0u8; 8], 0, 1)?;
    gravel.finalize()?;
    receive.wait()?;
    Ok(())
}
