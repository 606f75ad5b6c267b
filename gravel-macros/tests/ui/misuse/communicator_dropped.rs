//! A communicator lives as long as the operations on it.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let library = gravel.duplicate()?;
    let receive = library.post_receive(vec![0u8; 3], 0, 1)?;
    drop(library);
    gravel.finalize()?;
    receive.wait().map(drop)
}
