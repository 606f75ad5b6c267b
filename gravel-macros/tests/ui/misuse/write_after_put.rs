//! A tile that was put is gone.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let mut transfer = gravel.open_transfer(vec![0.0f64; 8], 0, 1)?;
    for mut tile in transfer.tiles(4) {
        tile.put()?;
        tile[0] = 1.0;
    }
    Ok(())
}
