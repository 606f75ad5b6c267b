//! A part of a receive is given back before the next one is lent, and before its buffer comes back.

fn main() -> gravel::Result<()> {
    let gravel = gravel::Gravel::from_environment()?;
    let mut receive = gravel.post_segmented_receive(vec![0.0; 100], 0, 1)?;
    let mut first = receive.next_part(50)?.expect("a part");
    let second = receive.next_part(50)?.expect("a part");
    first[0] = second[0];
    let mut part = receive.next_part(50)?;
    let buffer = receive.wait()?.buffer;
    part.as_mut().expect("a part")[0] = buffer[0];
    Ok(())
}
