//! Operations on linear memory access descriptors.

use crate::ir::{Dimension, Lmad, Polynomial};

use super::prover::{Assumptions, is_nonnegative, is_positive};

/// Neighbouring elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The first element.
    pub offset: Polynomial,
    /// Number of elements.
    pub length: Polynomial,
    /// The factors of `length`. The run is empty when one of them is not positive, even where their product is: that takes
    /// two negative ones.
    pub factors: Vec<Polynomial>,
}

/// The assumptions with what follows from the region not being empty.
pub fn assume_nonempty(assumptions: &mut Assumptions, lmad: &Lmad) {
    lmad.dimensions.iter().for_each(|dimension| assumptions.assume_positive(&dimension.count));
}

/// The same elements with strides that are not negative, without dimensions that have one position only; `None` if the
/// sign of a stride is not known. Where the region is empty, so is the result: its signs may be taken as those that follow
/// from the region not being empty.
pub fn normalised(lmad: &Lmad, assumptions: &Assumptions) -> Option<Lmad> {
    let one = Polynomial::constant(1);
    let mut assumptions = assumptions.clone();
    assume_nonempty(&mut assumptions, lmad);
    let assumptions = &assumptions;
    let mut offset = lmad.offset.clone();
    let mut dimensions = Vec::with_capacity(lmad.dimensions.len());
    for dimension in &lmad.dimensions {
        if dimension.count == one {
            continue;
        }
        if is_nonnegative(assumptions, &dimension.stride) {
            dimensions.push(dimension.clone());
            continue;
        }
        let stride = dimension.stride.checked_negate()?;
        if !is_nonnegative(assumptions, &stride) {
            return None;
        }
        let steps = dimension.count.checked_subtract(&one)?;
        offset = offset.checked_subtract(&stride.checked_multiply(&steps)?)?;
        dimensions.push(Dimension { stride, count: dimension.count.clone() });
    }
    Some(Lmad { offset, dimensions })
}

/// The first and the last element of a [`normalised`] region that is not empty.
pub fn ends(lmad: &Lmad) -> Option<(Polynomial, Polynomial)> {
    let mut last = lmad.offset.clone();
    for dimension in &lmad.dimensions {
        let steps = dimension.count.checked_subtract(&Polynomial::constant(1))?;
        last = last.checked_add(&dimension.stride.checked_multiply(&steps)?)?;
    }
    Some((lmad.offset.clone(), last))
}

/// The region as neighbouring elements, if it is that: each dimension steps over what the others fill.
pub fn as_run(lmad: &Lmad, assumptions: &Assumptions) -> Option<Run> {
    let Lmad { offset, mut dimensions } = normalised(lmad, assumptions)?;
    let mut length = Polynomial::constant(1);
    let mut factors = Vec::new();
    while !dimensions.is_empty() {
        let next = dimensions.iter().position(|dimension| dimension.stride == length)?;
        let dimension = dimensions.swap_remove(next);
        length = length.checked_multiply(&dimension.count)?;
        factors.push(dimension.count);
    }
    Some(Run { offset, length, factors })
}

/// Most regions that [`merge`] looks at.
const MAX_MERGED: usize = 64;

/// Joins regions that continue one another until no two are left that do. All are [`normalised`]. What the results hold
/// is held by one of the regions, as long as no count is negative.
pub fn merge(mut regions: Vec<Lmad>) -> Vec<Lmad> {
    if regions.len() > MAX_MERGED {
        return regions;
    }
    let find_pair = |regions: &[Lmad]| {
        (0..regions.len()).find_map(|first| {
            (0..regions.len())
                .filter(|&second| second != first)
                .find_map(|second| join(&regions[first], &regions[second]).map(|joined| (first, second, joined)))
        })
    };
    while let Some((first, second, joined)) = find_pair(&regions) {
        regions[first] = joined;
        regions.remove(second);
    }
    regions
}

/// `first` and `second` as one region, if the second repeats the first or continues it along one dimension.
fn join(first: &Lmad, second: &Lmad) -> Option<Lmad> {
    let mut only_first = Vec::new();
    let mut only_second = second.dimensions.clone();
    let mut common = Vec::new();
    for dimension in &first.dimensions {
        match only_second.iter().position(|other| other == dimension) {
            Some(position) => common.push(only_second.swap_remove(position)),
            None => only_first.push(dimension.clone()),
        }
    }
    let one = Polynomial::constant(1);
    let distance = second.offset.checked_subtract(&first.offset)?;
    let (stride, first_count, second_count) = match (only_first.as_slice(), only_second.as_slice()) {
        ([], []) if distance.is_zero() => return Some(first.clone()),
        // The same elements further on: by as much as one dimension reaches, or beside them.
        ([], []) => {
            let continued = common.iter().position(|dimension| {
                dimension.stride.checked_multiply(&dimension.count).is_some_and(|reach| reach == distance)
            });
            match continued.map(|position| common.swap_remove(position)) {
                Some(dimension) => (dimension.stride, dimension.count.clone(), dimension.count),
                None => (one.clone(), one.clone(), one),
            }
        }
        ([along], []) => (along.stride.clone(), along.count.clone(), one),
        ([], [along]) => (along.stride.clone(), one, along.count.clone()),
        ([along], [other]) if along.stride == other.stride => {
            (along.stride.clone(), along.count.clone(), other.count.clone())
        }
        _ => return None,
    };
    if distance != stride.checked_multiply(&first_count)? {
        return None;
    }
    common.push(Dimension { stride, count: first_count.checked_add(&second_count)? });
    Some(Lmad { offset: first.offset.clone(), dimensions: common })
}

/// Does the run hold every element of the region? Proven for regions that are not empty.
pub fn run_holds(run: &Run, lmad: &Lmad, assumptions: &Assumptions) -> bool {
    let mut assumptions = assumptions.clone();
    assume_nonempty(&mut assumptions, lmad);
    let is_held = || {
        let (first, last) = ends(&normalised(lmad, &assumptions)?)?;
        let end = run.offset.checked_add(&run.length)?;
        let begins_inside = is_nonnegative(&assumptions, &first.checked_subtract(&run.offset)?);
        let ends_inside = is_positive(&assumptions, &end.checked_subtract(&last)?);
        Some(begins_inside && ends_inside)
    };
    is_held().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::SymbolId;

    fn constant(value: i64) -> Polynomial {
        Polynomial::constant(value)
    }

    fn lmad(offset: i64, dimensions: &[(i64, i64)]) -> Lmad {
        let dimensions = dimensions
            .iter()
            .map(|&(stride, count)| Dimension { stride: constant(stride), count: constant(count) })
            .collect();
        Lmad { offset: constant(offset), dimensions }
    }

    #[test]
    fn a_nest_that_fills_memory_is_a_run_in_any_order_of_its_loops() {
        let n = Polynomial::variable(SymbolId(0));
        for order in [[0, 1], [1, 0]] {
            let dimensions = [
                Dimension { stride: constant(1), count: n.clone() },
                Dimension { stride: n.clone(), count: constant(4) },
            ];
            let region =
                Lmad { offset: constant(2), dimensions: order.map(|index| dimensions[index].clone()).to_vec() };
            let mut assumptions = Assumptions::new();
            assumptions.assume_nonnegative(n.clone());
            let run = as_run(&region, &assumptions).expect("contiguous");
            assert_eq!(run.length, n.checked_multiply(&constant(4)).expect("small"));
        }
    }

    #[test]
    fn downward_loops_give_the_same_run() {
        let run = as_run(&lmad(9, &[(-1, 10)]), &Assumptions::new()).expect("contiguous");
        assert_eq!((run.offset, run.length), (constant(0), constant(10)));
    }

    #[test]
    fn gaps_and_overlaps_are_no_runs() {
        assert_eq!(as_run(&lmad(0, &[(2, 5)]), &Assumptions::new()), None);
        assert_eq!(as_run(&lmad(0, &[(1, 5), (4, 3)]), &Assumptions::new()), None);
    }

    #[test]
    fn unrolled_references_merge() {
        let unrolled: Vec<Lmad> = [3, 1, 4, 0, 2].iter().map(|&first| lmad(first, &[(5, 7)])).collect();
        let merged = merge(unrolled);
        assert_eq!(merged.len(), 1);
        let run = as_run(&merged[0], &Assumptions::new()).expect("contiguous");
        assert_eq!((run.offset, run.length), (constant(0), constant(35)));
    }

    #[test]
    fn runs_with_a_gap_do_not_merge() {
        assert_eq!(merge(vec![lmad(0, &[(1, 3)]), lmad(4, &[(1, 3)])]).len(), 2);
    }
}
