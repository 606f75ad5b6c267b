//! A type whose operators do something else is no leaf of a loop.

struct Loud(f64);

impl std::ops::Mul<f64> for &Loud {
    type Output = f64;

    fn mul(self, factor: f64) -> f64 {
        println!("effect");
        self.0 * factor
    }
}

fn main() {
    let values = vec![Loud(1.0)];
    gravel::plain::check(&values);
    gravel::plain::check(&std::cell::Cell::new(1));
    let _ = &values[0] * 2.0;
}
