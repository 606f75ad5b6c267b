//! Borrowed memory can't be posted where a leaked request could outlive the borrow.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let mut buffer = [0u8; 8];
    let receive = gravel.post_receive(&mut buffer[..], 0, 1)?;
    std::mem::forget(receive);
    Ok(())
}
