//! A message is not ended while a tile of it can be written.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let mut transfer = gravel.open_transfer(vec![0.0f64; 8], 0, 1)?;
    let tiles: Vec<_> = transfer.tiles(4).collect();
    let send = transfer.finish()?;
    for tile in tiles {
        tile.put()?;
    }
    send.wait().map(drop)
}
