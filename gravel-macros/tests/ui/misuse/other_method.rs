//! A method that is another trait's is no method of a number: behind a reference, of a value that has none, of a type parameter.

trait Tricky {
    fn sqrt(self) -> f64;
    fn abs(self) -> u32;
}

impl Tricky for &f64 {
    fn sqrt(self) -> f64 {
        println!("effect");
        0.0
    }

    fn abs(self) -> u32 {
        0
    }
}

impl Tricky for u32 {
    fn sqrt(self) -> f64 {
        0.0
    }

    fn abs(self) -> u32 {
        println!("effect");
        0
    }
}

trait TrickySlice {
    fn len(self) -> usize;
}

impl TrickySlice for Vec<f64> {
    fn len(self) -> usize {
        println!("effect");
        0
    }
}

fn generic<T: gravel::plain::Number + Tricky>(x: T) {
    use gravel::plain::methods::{NumberMethods as _, receiver};
    let _ = || receiver(&x).sqrt();
}

fn main() {
    use gravel::plain::methods::{NumberMethods as _, receiver};
    let (y, n) = (&4.0f64, 3u32);
    let _ = || receiver(&y).sqrt();
    let _ = || receiver(&n).abs();
    // Of the number itself the standard library's is taken.
    let _ = || receiver(&*y).sqrt();
    let _ = generic::<u32>;

    use gravel::plain::methods::{SequenceMethods as _, sequence};
    let values = vec![1.0, 2.0];
    let _ = || sequence(&values).len();
}
