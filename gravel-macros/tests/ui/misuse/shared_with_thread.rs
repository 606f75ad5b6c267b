//! Nor is it shared with another thread.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    std::thread::scope(|threads| {
        threads.spawn(|| gravel.rank());
    });
    gravel.finalize().map(drop)
}
