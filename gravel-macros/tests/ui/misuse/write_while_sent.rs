//! A message is not written before the wait for its send.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let mut message = [0.0f64; 8];
    gravel.scope(|scope| {
        let send = scope.post_send(&message, 0, 1)?;
        message[0] = 1.0;
        send.wait()?;
        Ok(())
    })
}
