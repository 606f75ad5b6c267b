use gravel::Element;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Padded {
    value: f64,
    count: i32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Flagged {
    value: f64,
    flags: [bool; 8],
}

#[derive(Clone, Copy, Element)]
struct Unordered(f64);

#[derive(Clone, Copy, Element)]
#[repr(C)]
enum Kind {
    First,
}

#[derive(Element)]
#[repr(C)]
struct Moved(f64);

fn main() {}
