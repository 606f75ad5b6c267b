//! The attribute on what holds functions, on statements of a function, and on a part of one.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, lengths, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

struct State<'a> {
    comm: &'a Gravel,
    field: Vec<f64>,
    out: Vec<f64>,
    inc: Vec<f64>,
}

overlap! {
    [pure(Self::shift)]
    impl<'a> State<'a> {
        const TAG: i32 = 40;
        const START: fn() -> f64 = { fn start() -> f64 { 0.25 } start };

        fn of(comm: &'a Gravel, length: usize) -> Self {
            Self { comm, field: numbers(comm, length), out: vec![0.0; length], inc: vec![0.0; length] }
        }

        fn step(&mut self, next: usize, prev: usize) -> gravel::Result<f64> {
            let mut sum = (Self::START)();
            for i in 0..self.out.len() {
                self.out[i] = self.field[i] * 0.75 + Self::shift(i);
            }
            self.comm.send_receive(&self.out, next, &mut self.inc, prev, Self::TAG)?;
            for i in 0..self.inc.len() {
                self.field[i] += self.inc[i] * 0.5;
                sum += self.inc[i];
            }
            self.halve();
            Ok(sum)
        }

        const fn shift(i: usize) -> f64 {
            i as f64 * 0.5
        }

        fn halve(&mut self) {
            for x in &mut self.field {
                *x *= 0.5;
            }
        }

        async fn later(&mut self, next: usize) -> gravel::Result<()> {
            for i in 0..self.out.len() {
                self.out[i] = 0.0;
            }
            self.comm.send(&self.out, next, Self::TAG)
        }
    }
}

overlap! {
    mod inner {
        #![allow(dead_code, reason = "not every function of a module need be called")]
        use gravel::Gravel;
        use gravel::plain::Number;

        pub struct Pair<T> {
            pub out: Vec<T>,
            pub inc: Vec<T>,
        }

        macro_rules! doubled {
            ($value:expr) => { $value + $value };
        }

        pub static LENGTH: usize = { const fn length() -> usize { 7 } length() };

        pub mod deeper {
            use super::{Gravel, Number, Pair};

            impl<T: Number> Pair<T> {
                pub fn exchange(&mut self, comm: &Gravel, value: T, next: usize, prev: usize) -> gravel::Result<()> {
                    for x in self.out.iter_mut() {
                        *x = value + value;
                    }
                    comm.send_receive(&self.out, next, &mut self.inc, prev, 41)?;
                    for (x, &y) in self.out.iter_mut().zip(&self.inc) {
                        *x += y;
                    }
                    Ok(())
                }
            }
        }

        pub trait Ring {
            fn comm(&self) -> &Gravel;

            fn around(&self, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
                let comm = self.comm();
                fn inside(x: f64) -> f64 { doubled!(x) }
                for i in 0..out.len() {
                    out[i] = 1.0;
                }
                comm.send_receive(&out[..], next, &mut inc[..], prev, 42)?;
                let mut sum = 0.0;
                for i in 0..inc.len() {
                    sum -= inc[i];
                }
                out.fill(inside(sum));
                Ok(())
            }
        }

        impl Ring for Gravel {
            fn comm(&self) -> &Gravel { self }
        }
    }
}

use inner::Ring;

/// An `impl` block with a method that is handed to another, and a module with generic methods and a trait.
pub fn holders(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in lengths(&[0, 1, 200, 20_000]) {
        let mut state = State::of(comm, length);
        let sum = state.step(next, prev)?;
        std::mem::drop(state.later(next));
        log.push(format!("state {length} {sum} {:x} {:x}", bits(&state.field), bits(&state.out)));
        let mut pair = inner::Pair { out: vec![0i64; length], inc: vec![0; length] };
        pair.exchange(comm, comm.rank() as i64 + 1, next, prev)?;
        log.push(format!("pair {:?} {}", pair.out.last(), pair.inc.iter().sum::<i64>() + inner::LENGTH as i64));
        let (mut out, mut inc) = (vec![0.0f64; length], vec![0.0f64; length]);
        comm.around(&mut out, &mut inc, next, prev)?;
        log.push(format!("trait {:x} {:x}", bits(&out), bits(&inc)));
    }
    Ok(())
}

macro_rules! some_chosen {
    ($name:ident, [$($whole:tt)*], [$($chosen:tt)*], [$($skip:tt)*]) => {
        $($whole)*
        fn $name(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<f64> {
            let mut sum = 0.0;
            for step in 0..3 {
                for i in 0..out.len() {
                    out[i] = i as f64 + step as f64;
                }
                $($chosen)*
                comm.send_receive(&out[..], next, &mut inc[..], prev, 43)?;
                for i in 0..inc.len() {
                    sum += inc[i];
                }
            }
            $($chosen)*
            for i in 0..out.len() {
                out[i] = sum * i as f64;
            }
            comm.send_receive(&out[..], next, &mut inc[..], prev, 43)?;
            $($skip)*
            for i in 0..inc.len() {
                sum -= inc[i];
            }
            Ok(sum)
        }
    };
}

either! {
    { some_chosen!(chosen_step, [#[gravel::overlap]], [#[gravel::overlap]], [#[gravel(skip)]]); }
    { some_chosen!(chosen_step, [], [], []); }
}

/// Some loops and calls have the attribute themselves.
pub fn chosen(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for length in lengths(&[1, 200, 20_000]) {
        let (mut out, mut inc) = (vec![0.0f64; length], vec![0.0f64; length]);
        let sum = chosen_step(comm, &mut out, &mut inc, next, prev)?;
        log.push(format!("chosen {length} {sum} {:x} {:x}", bits(&out), bits(&inc)));
    }
    Ok(())
}

const FACTOR: f64 = 0.375;
const TABLE: [f64; 20] = [0.5; 20];

/// Parts of a function: their names are declared outside of them.
#[allow(const_item_mutation, reason = "that is what is tried")]
pub fn parts(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let tag = 44;
    for length in lengths(&[0, 1, 200, 20_000]) {
        let (mut field, mut out, mut inc) = (numbers(comm, length), vec![0.0f64; length], vec![0.0f64; length]);
        let weight = 0.3;
        let first;
        let sum = part! {
            let mut sum = 0.0;
            for i in 0..out.len() {
                out[i] = field[i] * FACTOR + weight;
                sum += out[i];
            }
            comm.send_receive(&out[..], next, &mut inc[..], prev, tag)?;
            for i in 0..field.len() {
                field[i] = inc[i].sqrt() + (weight + FACTOR);
                sum += field[i];
            }
            first = sum;
            for i in 0..out.len() {
                out[i] = (weight + FACTOR).sin();
            }
            comm.send_receive(&out[..], next, &mut inc[..], prev, tag)?;
            sum + f64::from(0.5f32)
        };
        log.push(format!("part {length} {first} {sum} {:x} {:x}", bits(&field), bits(&out)));

        // What leaves the part, and the loop around it.
        for round in 0..4 {
            part! {
                for (i, x) in out.iter_mut().enumerate() {
                    *x = (i + round) as f64;
                }
                comm.send_receive(&out, next, &mut inc, prev, tag)?;
                if round == 2 {
                    break;
                }
                for (x, y) in field.iter_mut().zip(&inc) {
                    *x += y;
                }
            }
            field[length / 2..].reverse();
        }
        log.push(format!("left {length} {:x} {:x}", bits(&field), bits(&inc)));
    }

    // A constant is another copy wherever it is named.
    let mut inc = [0.0; 20];
    part! {
        for i in 0..20 {
            TABLE[i] = i as f64;
        }
        comm.send_receive(&TABLE[..], next, &mut inc[..], prev, tag)?;
        for i in 0..20 {
            TABLE[i] = inc[i];
        }
    }
    log.push(format!("constant {inc:?}"));

    // A reference to a part of what is lent: both can be read.
    let (mut field, mut out) = (numbers(comm, 90), vec![0.0; 90]);
    let view = &field[10..];
    part! {
        for i in 0..80 {
            out[i] = view[i];
        }
        comm.send_receive(&field[..80], next, &mut out[..80], prev, tag)?;
        for i in 0..80 {
            inc[i / 4] += view[i] + out[i];
        }
    }
    let last = &mut field[3];
    part! {
        [pure(f64::from)]
        for i in 0..out.len() {
            out[i] = f64::from(i as u32);
            *last += out[i];
        }
        comm.send_receive(&out[..20], next, &mut inc[..], prev, tag)?;
    }
    log.push(format!("view {inc:?} {:x} {:x}", bits(&field), bits(&out)));
    Ok(())
}
