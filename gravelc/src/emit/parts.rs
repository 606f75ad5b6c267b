//! The parts of a loop that is split around a wait: the iterations inside first, then the first and the last ones, which need the
//! message.
//!
//! Bounds are as the loop's own: its last value, or the value behind that, whichever stands in the text ([`LoopBound`]).

use crate::ir::{Depth, LoopBound};
use crate::plan::VECTOR_MULTIPLE;

/// A value over the bounds of the loop that is split.
#[derive(Debug, Clone)]
pub enum Value {
    /// The lower bound and so many more.
    BehindLower(i64),
    /// The bound less so many.
    BeforeBound(i64),
    /// The bound less so many, and less the rest that is left when whole vectors from the lower bound on go up to there:
    /// `bound - less - mod(bound - (lower + less), vector)`. The rest has the sign of what is divided, in Fortran and in C.
    WholeVectors {
        /// So many.
        less: i64,
    },
    /// One less.
    Before(Box<Value>),
    /// The smaller one.
    Smaller(Box<[Value; 2]>),
    /// The larger one.
    Larger(Box<[Value; 2]>),
}

/// The first value and the bound of each part.
#[derive(Debug, Clone)]
pub struct Parts {
    /// What runs while the message travels.
    pub inside: (Value, Value),
    /// What runs first behind the wait.
    pub first: (Value, Value),
    /// What runs last.
    pub last: (Value, Value),
}

impl Parts {
    /// The parts of a loop whose ends are so deep.
    pub fn new(bound: LoopBound, depth: Depth, any_part_length: bool) -> Self {
        match any_part_length {
            true => Self::of_any_length(bound, depth),
            false => Self::of_vectors(bound, depth),
        }
    }

    fn of_any_length(bound: LoopBound, depth: Depth) -> Self {
        let (first, last) = (i64::from(depth.first), i64::from(depth.last));
        let reached = reached(bound);
        let behind_first = Value::BehindLower(first);
        Self {
            inside: (behind_first.clone(), Value::BeforeBound(last)),
            first: (Value::BehindLower(0), smaller(Value::BehindLower(first - reached), Value::BeforeBound(0))),
            // What is among the first ones already is left out.
            last: (larger(behind_first, Value::BeforeBound(last - reached)), Value::BeforeBound(0)),
        }
    }

    /// The first vectors, those inside, and the rest with as many iterations as the end is deep at least.
    ///
    /// With `n` iterations of which `last` are needed, the last part begins `m = n - last - (n - last) mod 64` behind the lower
    /// bound. Where `n >= last` that is a multiple of 64, as is the first part's length if it is not all: what is left over from whole
    /// vectors is the same as in one loop, and `last` iterations at least are left. Where `m < 128` nothing is inside, and the last part
    /// has what the first one leaves. Where `n < last` the rest is negative, or 0, so the last part would begin fewer than 64
    /// behind the lower bound: again nothing is inside, and all `n < 64` iterations are in the first part.
    fn of_vectors(bound: LoopBound, depth: Depth) -> Self {
        let reached = reached(bound);
        let behind_first = Value::BehindLower(VECTOR_MULTIPLE);
        let last_start = Value::WholeVectors { less: i64::from(depth.last) - reached };
        let inside_end = match bound {
            LoopBound::Last => Value::Before(Box::new(last_start.clone())),
            LoopBound::BehindLast => last_start.clone(),
        };
        let first_end = Value::BehindLower(VECTOR_MULTIPLE - reached);
        Self {
            inside: (behind_first.clone(), inside_end),
            first: (Value::BehindLower(0), smaller(first_end, Value::BeforeBound(0))),
            // Nothing is left, if all were among the first ones.
            last: (larger(behind_first, last_start), Value::BeforeBound(0)),
        }
    }
}

/// How many of the values up to the bound, and from the last one, the loop's bound itself is.
fn reached(bound: LoopBound) -> i64 {
    match bound {
        LoopBound::Last => 1,
        LoopBound::BehindLast => 0,
    }
}

fn smaller(one: Value, other: Value) -> Value {
    Value::Smaller(Box::new([one, other]))
}

fn larger(one: Value, other: Value) -> Value {
    Value::Larger(Box::new([one, other]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: &Value, lower: i64, bound: i64) -> i64 {
        let of = |value: &Value| number(value, lower, bound);
        match value {
            Value::BehindLower(more) => lower + more,
            Value::BeforeBound(less) => bound - less,
            // `%` of Rust is that of C, and `mod` of Fortran.
            Value::WholeVectors { less } => bound - less - (bound - (lower + less)) % VECTOR_MULTIPLE,
            Value::Before(value) => of(value) - 1,
            Value::Smaller(both) => both.iter().map(of).min().expect("there are two"),
            Value::Larger(both) => both.iter().map(of).max().expect("there are two"),
        }
    }

    /// The values of a loop's variable that goes from one value to a bound.
    fn values((from, bound): (i64, i64), kind: LoopBound) -> Vec<i64> {
        (from..bound + reached(kind)).collect()
    }

    #[test]
    fn the_parts_are_the_loop_and_inside_keeps_off_its_ends() {
        let mut split = 0;
        for kind in [LoopBound::Last, LoopBound::BehindLast] {
            for (lower, iterations) in (-2..3).flat_map(|lower| (-70..260).map(move |iterations| (lower, iterations))) {
                let bound = lower + iterations - reached(kind);
                let all = values((lower, bound), kind);
                for (first, last) in
                    [1, 2, 3, 4, 15, 16].into_iter().flat_map(|first| [1, 2, 3, 4, 15, 16].map(|last| (first, last)))
                {
                    for any_part_length in [true, false] {
                        let parts = Parts::new(kind, Depth { first, last }, any_part_length);
                        let [inside, begin, end] = [parts.inside, parts.first, parts.last]
                            .map(|(from, to)| values((number(&from, lower, bound), number(&to, lower, bound)), kind));
                        let case = format!("{kind:?} {lower} {iterations} {first} {last} {any_part_length}");
                        let in_order = [begin.as_slice(), &inside, &end].concat();
                        assert_eq!(in_order, all, "{case}: all iterations once, the parts one behind the other");
                        if inside.is_empty() {
                            continue;
                        }
                        split += 1;
                        assert!(begin.len() >= usize::from(first) && end.len() >= usize::from(last), "{case}");
                        if any_part_length {
                            assert_eq!((begin.len(), end.len()), (usize::from(first), usize::from(last)), "{case}");
                        } else {
                            assert!(begin.len() % 64 == 0 && inside.len() % 64 == 0, "{case}");
                        }
                    }
                }
            }
        }
        assert!(split > 10_000, "{split}");
    }
}
