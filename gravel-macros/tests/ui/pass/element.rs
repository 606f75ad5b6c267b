//! Structures as elements of messages.
#![deny(warnings, unsafe_code, clippy::all, clippy::pedantic)]

use gravel::{Element, Gravel};

#[derive(Debug, Clone, Copy, PartialEq, Element)]
#[repr(C)]
struct Particle {
    position: [f64; 3],
    charge: i32,
    kind: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, gravel::Element)]
#[repr(transparent)]
struct Index(u16);

#[derive(Debug, Clone, Copy, PartialEq, gravel::Element)]
#[repr(C, packed)]
struct Packed {
    index: Index,
    particle: Particle,
    name: [u8; 3],
}

fn main() -> gravel::Result<()> {
    let comm = Gravel::from_environment()?;
    let particle = Particle { position: [1.0, -2.0, 0.5], charge: -1, kind: 7 };
    let sent = [Packed { index: Index(3), particle, name: *b"abc" }; 5];
    let mut received = [Packed { index: Index(0), particle: Particle { position: [0.0; 3], charge: 0, kind: 0 }, name: [0; 3] }; 5];
    comm.send_receive(&sent, 0, &mut received, 0, 1)?;
    assert_eq!(sent, received);
    comm.finalize()?;
    Ok(())
}
