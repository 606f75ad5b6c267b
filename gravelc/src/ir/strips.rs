//! The boxes into which iterations of loops one in the other fall that are cut near their ends: the one inside and the strips
//! around it.
//!
//! Each loop is cut into three parts: the first iterations, those inside, and the last ones. In the order of their numbers
//! the boxes are:
//!
//! ```text
//!   1 4 4 4 2    two loops with a margin of one iteration on each side, the outer one from left to right:
//!   1 0 0 0 2    0     inside both
//!   1 0 0 0 2    1, 2  the first and the last iterations of the outer loop, with all of the inner one
//!   1 3 3 3 2    3, 4  between those, the first and the last iterations of the inner loop
//! ```
//!
//! Each iteration is in exactly one box, whatever the bounds are: also where a loop has fewer iterations than its margins ask
//! for, or none.

use super::Depth;

/// A bound of a loop in a box, in terms of its bounds as they were. Both ends can lie on the far side of the other one, so the
/// numbers up to so far from them must exist: those of a type without signs need not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoxBound {
    /// `lower`
    Lower,
    /// `lower + k`
    LowerPlus(u8),
    /// `upper`
    Upper,
    /// `upper - k`
    UpperMinus(u8),
    /// `min(lower + k, upper)`
    LowerPlusAtMostUpper(u8),
    /// `max(upper - below, lower + above)`
    UpperMinusAtLeastLowerPlus {
        /// So far below the upper bound.
        below: u8,
        /// Not less than so far above the lower bound.
        above: u8,
    },
}

impl BoxBound {
    /// Its value in a loop from `lower` to `upper`. `None` if a number is too large.
    pub fn value(self, lower: i64, upper: i64) -> Option<i64> {
        let plus = |distance: u8| lower.checked_add(i64::from(distance));
        let minus = |distance: u8| upper.checked_sub(i64::from(distance));
        match self {
            Self::Lower => Some(lower),
            Self::LowerPlus(distance) => plus(distance),
            Self::Upper => Some(upper),
            Self::UpperMinus(distance) => minus(distance),
            Self::LowerPlusAtMostUpper(distance) => Some(plus(distance)?.min(upper)),
            Self::UpperMinusAtLeastLowerPlus { below, above } => Some(minus(below)?.max(plus(above)?)),
        }
    }
}

/// The iterations of one loop in a box, both ends included; none where the last is less than the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// The first one.
    pub lower: BoxBound,
    /// The last one.
    pub upper: BoxBound,
}

impl Side {
    /// All iterations.
    pub const WHOLE: Self = Self { lower: BoxBound::Lower, upper: BoxBound::Upper };

    /// Those between the margins.
    fn inside(margin: Depth) -> Self {
        let lower = if margin.first == 0 { BoxBound::Lower } else { BoxBound::LowerPlus(margin.first) };
        let upper = if margin.last == 0 { BoxBound::Upper } else { BoxBound::UpperMinus(margin.last) };
        Self { lower, upper }
    }

    /// The first ones, of which there may be fewer than the margin asks for.
    fn first(margin: Depth) -> Option<Self> {
        let last_of_them = margin.first.checked_sub(1)?;
        Some(Self { lower: BoxBound::Lower, upper: BoxBound::LowerPlusAtMostUpper(last_of_them) })
    }

    /// The last ones but those that are among the first ones.
    fn last(margin: Depth) -> Option<Self> {
        let below = margin.last.checked_sub(1)?;
        let lower = BoxBound::UpperMinusAtLeastLowerPlus { below, above: margin.first };
        Some(Self { lower, upper: BoxBound::Upper })
    }
}

/// A box: one side per loop, outermost first.
pub type IterationBox = Vec<Side>;

/// The boxes of loops with these margins, outermost first. The first box is inside; it holds the iterations that are at least
/// `first` from the lower and `last` from the upper end of each loop. It is the only one if there are no margins.
pub fn boxes(margins: &[Depth]) -> Vec<IterationBox> {
    let mut found: Vec<IterationBox> = vec![margins.iter().map(|&margin| Side::inside(margin)).collect()];
    for (cut, &margin) in margins.iter().enumerate() {
        let strips = [Side::first(margin), Side::last(margin)];
        found.extend(strips.into_iter().flatten().map(|strip| {
            let around = margins[..cut].iter().map(|&margin| Side::inside(margin));
            let within = margins[cut + 1..].iter().map(|_| Side::WHOLE);
            around.chain([strip]).chain(within).collect()
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Values of the variables of loops with these bounds, all combinations.
    fn iterations(bounds: &[(i64, i64)]) -> Vec<Vec<i64>> {
        bounds.iter().fold(vec![Vec::new()], |found, &(lower, upper)| {
            let one_more = |outer: Vec<i64>| (lower..=upper).map(move |value| [&outer[..], &[value]].concat());
            found.into_iter().flat_map(one_more).collect()
        })
    }

    fn in_box(found: &IterationBox, bounds: &[(i64, i64)]) -> Vec<Vec<i64>> {
        let sides = found.iter().zip(bounds).map(|(side, &(lower, upper))| {
            let value = |bound: BoxBound| bound.value(lower, upper).expect("small");
            (value(side.lower), value(side.upper))
        });
        iterations(&sides.collect::<Vec<_>>())
    }

    /// All choices of one for each loop.
    fn choices<T: Clone>(of_each: &[T], loops: usize) -> Vec<Vec<T>> {
        (0..loops).fold(vec![Vec::new()], |found, _| {
            let one_more =
                |outer: Vec<T>| of_each.iter().map(move |choice| [&outer[..], std::slice::from_ref(choice)].concat());
            found.into_iter().flat_map(one_more).collect()
        })
    }

    fn check(margins: &[Depth], bounds: &[(i64, i64)]) {
        let found = boxes(margins);
        let mut runs: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
        for iteration in found.iter().flat_map(|found| in_box(found, bounds)) {
            *runs.entry(iteration).or_default() += 1;
        }
        let all: BTreeMap<Vec<i64>, usize> = iterations(bounds).into_iter().map(|iteration| (iteration, 1)).collect();
        assert_eq!(runs, all, "{margins:?} {bounds:?}");
        let is_inside = |iteration: &Vec<i64>| {
            iteration.iter().zip(bounds).zip(margins).all(|((&value, &(lower, upper)), margin)| {
                value - lower >= i64::from(margin.first) && upper - value >= i64::from(margin.last)
            })
        };
        let inside: Vec<Vec<i64>> = iterations(bounds).into_iter().filter(is_inside).collect();
        assert_eq!(in_box(&found[0], bounds), inside, "{margins:?} {bounds:?}");
    }

    fn check_all(loops: usize, deepest: u8, most: i64) {
        let margins: Vec<Depth> =
            (0..=deepest).flat_map(|first| (0..=deepest).map(move |last| Depth { first, last })).collect();
        // Loops without iterations, too, of which the bounds are apart.
        let bounds: Vec<(i64, i64)> = (-3..=most).map(|trips| (-1, trips - 2)).collect();
        for margins in choices(&margins, loops) {
            for bounds in choices(&bounds, loops) {
                check(&margins, &bounds);
            }
        }
    }

    #[test]
    fn each_iteration_is_in_one_box() {
        check_all(1, 5, 14);
        check_all(2, 3, 7);
        check_all(3, 1, 3);
        check(&[], &[]);
    }

    #[test]
    fn three_loops_with_deep_margins() {
        let margins = [Depth { first: 2, last: 1 }, Depth { first: 0, last: 3 }, Depth { first: 16, last: 0 }];
        for bounds in choices(&[(0, -1), (3, 3), (1, 2), (0, 4), (-9, 8)], 3) {
            check(&margins, &bounds);
        }
    }

    #[test]
    fn there_is_no_strip_where_there_is_no_margin() {
        assert_eq!(boxes(&[Depth::NONE, Depth::NONE]), [[Side::WHOLE, Side::WHOLE]]);
        assert_eq!(boxes(&[Depth { first: 0, last: 2 }, Depth::NONE]).len(), 2);
        assert_eq!(boxes(&[Depth::ONE, Depth::ONE, Depth::ONE]).len(), 7);
    }

    #[test]
    fn numbers_that_are_too_large_are_noticed() {
        assert_eq!(BoxBound::LowerPlus(1).value(i64::MAX, i64::MAX), None);
        assert_eq!(BoxBound::UpperMinus(1).value(i64::MIN, i64::MIN), None);
    }
}
