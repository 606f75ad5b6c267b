//! A request is waited for once.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let receive = gravel.post_receive(vec![0u8; 8], 0, 1)?;
    receive.wait()?;
    receive.wait()?;
    Ok(())
}
