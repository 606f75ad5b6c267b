//! What is borrowed in a scope outlives the scope.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    gravel.scope(|scope| {
        let mut buffer = [0u8; 8];
        let receive = scope.post_receive(&mut buffer, 0, 1)?;
        std::mem::forget(receive);
        Ok(())
    })
}
