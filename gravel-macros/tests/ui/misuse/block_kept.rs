//! A block of an exchange is given back before its buffer is.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let (mut outgoing, mut incoming) = (vec![0.0; 100], vec![0.0; 100]);
    gravel.scope(|scope| {
        let mut receive = scope.post_alltoall(&mut incoming)?;
        let mut transfer = scope.open_alltoall(&mut outgoing)?;
        let mut sent = transfer.next_block()?.expect("a block");
        let send = transfer.finish()?;
        sent[0] = 1.0;
        send.wait()?;
        let mut block = receive.next_block()?.expect("a block");
        let buffer = receive.wait()?;
        block[0] = buffer[0];
        Ok(())
    })
}
