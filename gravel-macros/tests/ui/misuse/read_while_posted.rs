//! A borrowed buffer is nobody's between post and wait.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let mut buffer = [0.0f64; 8];
    gravel.scope(|scope| {
        let receive = scope.post_receive(&mut buffer, 0, 1)?;
        println!("{}", buffer[0]);
        receive.wait()?;
        Ok(())
    })
}
