//! A `send` with three arguments is Gravel's only on Gravel's communicator.

struct Radio;

impl Radio {
    fn send(&self, _message: &[f64], _to: usize, _tag: i32) {}
}

fn main() {
    let radio = Radio;
    gravel::plain::check_communicator(&radio);
    radio.send(&[1.0], 0, 1);
}
