//! A type parameter is plain with the bound `Number` only.

fn scale<T: Copy + std::ops::Mul<Output = T>>(values: &mut [T], factor: T) {
    gravel::plain::check(&values);
    for value in values {
        *value = *value * factor;
    }
}

fn main() {
    scale(&mut [1.0], 2.0);
}
