//! A request does not leave its scope, which has ended it.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let mut buffer = [0u8; 8];
    let receive = gravel.scope(|scope| scope.post_receive(&mut buffer, 0, 1))?;
    receive.wait()?;
    Ok(())
}
