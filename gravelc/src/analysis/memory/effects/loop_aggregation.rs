//! From what one iteration of a loop touches to what the whole loop touches.

use crate::analysis::memory::arrays::Progression;
use crate::ir::{Dimension, Extent, Interval, Lmad, Polynomial, Region, SymbolId};

/// The iterations of a loop: the values of its variable.
pub(in crate::analysis) struct Iterations {
    /// The variable that stands for the loop's variable in regions of one iteration.
    pub variable: SymbolId,
    /// Its first value.
    pub first: Polynomial,
    /// The values; a loop that may end early has no more than these.
    pub values: Progression,
}

impl Iterations {
    /// The last value, or the first one where there is none.
    fn last(&self) -> Option<Polynomial> {
        let steps = self.values.count.checked_subtract(&Polynomial::constant(1))?;
        self.first.checked_add(&steps.checked_multiply(&Polynomial::constant(self.values.step))?)
    }

    fn run_at_least_once(&self) -> bool {
        self.values.is_exact && self.values.count.as_constant().is_some_and(|count| count > 0)
    }
}

/// The union of `region` over all iterations; the second value says that it is exact (given that the region of each
/// iteration is): no element is in it that no iteration touches. `None` stands for iterations that are not known.
pub(in crate::analysis) fn over_loop(
    region: &Region,
    variable: SymbolId,
    iterations: Option<&Iterations>,
) -> (Region, bool) {
    let (extent, is_exact) = match &region.extent {
        Extent::Whole | Extent::From(_) => (Extent::Whole, false),
        Extent::Elements(lmad) => match lmad_over_loop(lmad, variable, iterations) {
            Some((lmad, is_exact)) => (Extent::Elements(lmad), is_exact),
            None => (Extent::Whole, false),
        },
    };
    let subscripts = region
        .subscripts
        .iter()
        .map(|interval| interval.as_ref().and_then(|interval| interval_over_loop(interval, variable, iterations)))
        .collect();
    (Region { symbol: region.symbol, extent, subscripts }, is_exact)
}

fn lmad_over_loop(lmad: &Lmad, variable: SymbolId, iterations: Option<&Iterations>) -> Option<(Lmad, bool)> {
    if !lmad.polynomials().any(|polynomial| polynomial.mentions(variable)) {
        return Some((lmad.clone(), iterations.is_some_and(Iterations::run_at_least_once)));
    }
    let iterations = iterations?;
    let mut is_exact = iterations.values.is_exact;
    let mut dimensions = Vec::with_capacity(lmad.dimensions.len() + 1);
    for dimension in &lmad.dimensions {
        if dimension.stride.mentions(variable) {
            return None;
        }
        let count = if dimension.count.mentions(variable) {
            is_exact = false;
            largest(&dimension.count, iterations)?
        } else {
            dimension.count.clone()
        };
        dimensions.push(Dimension { stride: dimension.stride.clone(), count });
    }
    let (slope, rest) = lmad.offset.linear_in(variable)?;
    let offset = rest.checked_add(&slope.checked_multiply(&iterations.first)?)?;
    if slope.is_zero() {
        is_exact = false;
    } else {
        let stride = slope.checked_multiply(&Polynomial::constant(iterations.values.step))?;
        dimensions.push(Dimension { stride, count: iterations.values.count.clone() });
    }
    Some((Lmad { offset, dimensions }, is_exact))
}

fn interval_over_loop(interval: &Interval, variable: SymbolId, iterations: Option<&Iterations>) -> Option<Interval> {
    if !interval.lower.mentions(variable) && !interval.upper.mentions(variable) {
        return Some(interval.clone());
    }
    let iterations = iterations?;
    Some(Interval { lower: smallest(&interval.lower, iterations)?, upper: largest(&interval.upper, iterations)? })
}

/// The largest value in any iteration, if the direction in which it moves is known.
fn largest(polynomial: &Polynomial, iterations: &Iterations) -> Option<Polynomial> {
    extreme(polynomial, iterations, 1)
}

fn smallest(polynomial: &Polynomial, iterations: &Iterations) -> Option<Polynomial> {
    extreme(polynomial, iterations, -1)
}

fn extreme(polynomial: &Polynomial, iterations: &Iterations, direction: i64) -> Option<Polynomial> {
    let (slope, _) = polynomial.linear_in(iterations.variable)?;
    let rise = slope.as_constant()?.signum() * iterations.values.step.signum() * direction;
    let at = if rise > 0 { iterations.last()? } else { iterations.first.clone() };
    polynomial.checked_substitute(iterations.variable, &at)
}
