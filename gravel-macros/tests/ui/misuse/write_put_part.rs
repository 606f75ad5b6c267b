//! What was put is read, not written; what is lent is not put.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let mut transfer = gravel.open_transfer(vec![0.0; 100], 0, 1)?;
    transfer.put_to(50)?;
    let (put, rest) = transfer.parts();
    put[0] = 1.0;
    transfer.put_to(100)?;
    rest[0] = 1.0;
    Ok(())
}
