//! The runtime stays with the thread that made it.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    std::thread::spawn(move || gravel.finalize());
    Ok(())
}
