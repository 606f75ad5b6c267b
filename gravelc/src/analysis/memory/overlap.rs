//! Whether two regions may have an element in common: the dependence test.
//!
//! The elements of both are sums of strided indices, so the question is whether `difference + sum(±stride_k * x_k) = 0`
//! has a solution with `0 <= x_k < count_k`. First come the tests for symbolic regions: ranges (Banerjee), common
//! divisors (GCD), and the separation of a linearised subscript into the dimensions it was made of (Maslov,
//! "Delinearization: an efficient way to break multiloop dependence equations", PLDI 1992); each may only answer "no
//! solution" when that is proven. Where all numbers are known, a bounded search is exact.

use std::collections::BTreeSet;

use crate::ir::{Lmad, Polynomial, Procedure, Region, Shape, SymbolId, TypeCategory};

use super::super::Answer;
use super::super::algebra::lmad::{assume_nonempty, normalised};
use super::super::algebra::prover::{Assumptions, is_positive};
use super::arrays::Layouts;
use super::sharing::may_share_memory;

/// How often a subscript is taken apart.
const MAX_SEPARATIONS: usize = 6;
/// Steps after which the exact search gives up.
const MAX_SEARCH_STEPS: usize = 20_000;

/// May the two regions have an element in common? `Yes`: they certainly do. `No`: proven that they don't.
///
/// Variables stand for the same values in both regions and in the assumptions. Subscripts are taken to lie within the
/// declared bounds, as the language demands, where the declaration is not one of those that old programs are known to
/// exceed (an extent of 1, one subscript that runs through several dimensions).
pub fn may_overlap(procedure: &Procedure, a: &Region, b: &Region, assumptions: &Assumptions) -> Answer {
    if a.symbol != b.symbol {
        return if may_share_memory(procedure, a.symbol, b.symbol) { Answer::Unknown } else { Answer::No };
    }
    if a.lmad().zip(b.lmad()).is_some_and(|(one, two)| are_stretches_apart(one, two)) {
        return Answer::No;
    }
    let mut assumptions = assumptions.clone();
    for lmad in [a.lmad(), b.lmad()].into_iter().flatten() {
        assume_nonempty(&mut assumptions, lmad);
    }
    assume_counts(&mut assumptions, procedure, [a, b]);
    if are_subscripts_apart(procedure, a, b, &assumptions) {
        return Answer::No;
    }
    match (a.lmad(), b.lmad()) {
        (Some(one), Some(two)) => lmads_overlap(one, two, &assumptions),
        _ => Answer::Unknown,
    }
}

/// Of some languages all integers are counts, which are never negative.
fn assume_counts(assumptions: &mut Assumptions, procedure: &Procedure, regions: [&Region; 2]) {
    if !procedure.dialect().integers_are_counts() {
        return;
    }
    let variables: BTreeSet<SymbolId> = regions.into_iter().flat_map(Region::variables).collect();
    for variable in variables {
        // Questions have variables of their own, too.
        let symbol = procedure.symbols.get(variable.0);
        if symbol.is_some_and(|symbol| symbol.element.category == TypeCategory::Integer) {
            assumptions.assume_nonnegative(Polynomial::variable(variable));
        }
    }
}

/// Does the last element of one region lie in front of the first one of the other one, where all that is known as numbers? What
/// is asked most often, of the parts of one array, is so.
fn are_stretches_apart(one: &Lmad, two: &Lmad) -> bool {
    let stretch = |lmad: &Lmad| {
        let first = i128::from(lmad.offset.as_constant()?);
        let mut last = first;
        for dimension in &lmad.dimensions {
            let (stride, count) = (dimension.stride.as_constant()?, dimension.count.as_constant()?);
            if stride < 0 || count < 1 {
                return None;
            }
            last = last.checked_add(i128::from(stride) * i128::from(count - 1))?;
        }
        Some((first, last))
    };
    let stretches = stretch(one).zip(stretch(two));
    stretches.is_some_and(|(one, two)| one.1 < two.0 || two.1 < one.0)
}

/// Is there a dimension in which the subscripts of the regions have no value in common?
fn are_subscripts_apart(procedure: &Procedure, a: &Region, b: &Region, assumptions: &Assumptions) -> bool {
    let is_below = |small: &Polynomial, large: &Polynomial| {
        large.checked_subtract(small).is_some_and(|distance| is_positive(assumptions, &distance))
    };
    let pairs = a.subscripts.iter().zip(&b.subscripts);
    a.subscripts.len() == b.subscripts.len()
        && pairs
            .filter_map(|(one, two)| Some((one.as_ref()?, two.as_ref()?)))
            .any(|(one, two)| is_below(&one.upper, &two.lower) || is_below(&two.upper, &one.lower))
        && (a.subscripts.len() == 1 || (stays_in_bounds(procedure, a) && stays_in_bounds(procedure, b)))
}

/// Can the subscripts be taken to lie within the declared bounds of their dimensions?
fn stays_in_bounds(procedure: &Procedure, region: &Region) -> bool {
    let layout = Layouts::new(procedure).layout(region.symbol);
    let last = region.subscripts.len().saturating_sub(1);
    let is_declared = |dimension: usize| match &procedure.symbol(region.symbol).shape {
        Shape::Array(dimensions) => dimensions.get(dimension).is_some_and(|declared| declared.upper.is_some()),
        Shape::Scalar => false,
    };
    layout.bounds.iter().zip(&region.subscripts).enumerate().all(|(dimension, (bounds, interval))| {
        if is_declared(dimension) && bounds.extent().is_none() {
            return false;
        }
        let is_unit = bounds.extent().is_some_and(|extent| extent.as_constant() == Some(1));
        let Some(interval) = interval else { return !is_unit };
        let is_outside = |low: &Option<Polynomial>, high: &Option<Polynomial>| {
            let distance = low.as_ref().zip(high.as_ref()).and_then(|(low, high)| high.checked_subtract(low));
            distance.and_then(|distance| distance.as_constant()).is_some_and(|distance| distance < 0)
        };
        let exceeds = is_outside(&bounds.lower, &Some(interval.lower.clone()))
            || is_outside(&Some(interval.upper.clone()), &bounds.upper);
        // A product of variables as the length of one dimension is how a loop runs through several of them.
        let runs_through = dimension < last
            && interval.upper.checked_subtract(&interval.lower).is_none_or(|length| length.degree() > 1);
        !is_unit && !exceeds && !runs_through
    })
}

fn lmads_overlap(one: &Lmad, two: &Lmad, assumptions: &Assumptions) -> Answer {
    let (Some(one), Some(two)) = (normalised(one, assumptions), normalised(two, assumptions)) else {
        return Answer::Unknown;
    };
    let Some(difference) = two.offset.checked_subtract(&one.offset) else { return Answer::Unknown };
    let terms_of = |lmad: &Lmad, is_added: bool| {
        lmad.dimensions
            .iter()
            .map(|dimension| Term { stride: dimension.stride.clone(), count: dimension.count.clone(), is_added })
            .collect::<Vec<_>>()
    };
    let mut terms = terms_of(&one, false);
    terms.extend(terms_of(&two, true));
    if let Some(answer) = search(&difference, &terms) {
        return answer;
    }
    let equation = Equation { difference, terms };
    if equation.has_no_solution(assumptions, MAX_SEPARATIONS) {
        return Answer::No;
    }
    // All indices 0 is a solution if the regions begin at one element and there is an element at all.
    let is_nonempty = |lmad: &Lmad| {
        lmad.dimensions.iter().all(|dimension| dimension.count.as_constant().is_some_and(|count| count > 0))
    };
    if equation.difference.is_zero() && is_nonempty(&one) && is_nonempty(&two) {
        return Answer::Yes;
    }
    Answer::Unknown
}

/// A term `±stride * x` with `0 <= x < count`; the stride is not negative.
#[derive(Clone)]
struct Term {
    stride: Polynomial,
    count: Polynomial,
    is_added: bool,
}

/// `difference + sum(terms) = 0`
struct Equation {
    difference: Polynomial,
    terms: Vec<Term>,
}

impl Equation {
    /// Is it proven that no values of the indices satisfy the equation?
    fn has_no_solution(&self, assumptions: &Assumptions, depth: usize) -> bool {
        if let Some((least, greatest)) = self.range()
            && (is_positive(assumptions, &least)
                || greatest.checked_negate().is_some_and(|opposite| is_positive(assumptions, &opposite)))
        {
            return true;
        }
        if self.has_divisor_against_it() {
            return true;
        }
        depth > 0 && self.separations().into_iter().any(|unit| self.has_no_solution_around(&unit, assumptions, depth))
    }

    /// The least and the greatest value of the left side.
    fn range(&self) -> Option<(Polynomial, Polynomial)> {
        let (mut least, mut greatest) = (self.difference.clone(), self.difference.clone());
        for term in &self.terms {
            let steps = term.count.checked_subtract(&Polynomial::constant(1))?;
            let reach = term.stride.checked_multiply(&steps)?;
            if term.is_added {
                greatest = greatest.checked_add(&reach)?;
            } else {
                least = least.checked_subtract(&reach)?;
            }
        }
        Some((least, greatest))
    }

    /// Does a number divide every term but not the difference?
    fn has_divisor_against_it(&self) -> bool {
        let strides = self.terms.iter().flat_map(|term| term.stride.terms().map(|(_, coefficient)| coefficient));
        let of_variables =
            self.difference.terms().filter(|(monomial, _)| !monomial.is_empty()).map(|(_, coefficient)| coefficient);
        let divisor = strides
            .chain(of_variables)
            .fold(0, |divisor, coefficient| greatest_common_divisor(divisor, coefficient.unsigned_abs()));
        divisor > 1 && !self.difference.constant_term().unsigned_abs().is_multiple_of(divisor)
    }

    /// The strides around which the equation may be taken apart, without repetition.
    fn separations(&self) -> Vec<Polynomial> {
        let mut units: Vec<Polynomial> = Vec::new();
        for term in &self.terms {
            if term.stride != Polynomial::constant(1) && !term.stride.is_zero() && !units.contains(&term.stride) {
                units.push(term.stride.clone());
            }
        }
        units
    }

    /// Takes the equation apart into multiples of `unit` and a rest that stays between `-unit` and `unit`: both must then
    /// be 0, so it is enough that one of them can't.
    fn has_no_solution_around(&self, unit: &Polynomial, assumptions: &Assumptions, depth: usize) -> bool {
        let mut multiples = Vec::new();
        let mut rest = Vec::new();
        for term in &self.terms {
            match term.stride.divide(unit) {
                // Neither the stride nor the unit is negative, so the quotient isn't either.
                Some((quotient, remainder)) if remainder.is_zero() => {
                    multiples.push(Term { stride: quotient, ..term.clone() });
                }
                _ => rest.push(term.clone()),
            }
        }
        let Some((quotient, remainder)) = self.difference.divide(unit) else { return false };
        // The division does not know the sign of symbolic remainders: its neighbours may be the right ones.
        (-1..=1).any(|shift| {
            let shift = Polynomial::constant(shift);
            let parts = || {
                let difference = remainder.checked_subtract(&unit.checked_multiply(&shift)?)?;
                let inner = Equation { difference, terms: rest.clone() };
                let outer = Equation { difference: quotient.checked_add(&shift)?, terms: multiples.clone() };
                let (least, greatest) = inner.range()?;
                let is_small = is_positive(assumptions, &unit.checked_subtract(&greatest)?)
                    && is_positive(assumptions, &unit.checked_add(&least)?);
                is_small.then_some((inner, outer))
            };
            parts().is_some_and(|(inner, outer)| {
                inner.has_no_solution(assumptions, depth - 1) || outer.has_no_solution(assumptions, depth - 1)
            })
        })
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The exact answer where all numbers are known and the search is short.
fn search(difference: &Polynomial, terms: &[Term]) -> Option<Answer> {
    // With these limits no sum of products comes near the ends of the numbers.
    const MAX_MAGNITUDE: i64 = 1 << 40;
    let small = |polynomial: &Polynomial| {
        let value = polynomial.as_constant()?;
        (-MAX_MAGNITUDE..=MAX_MAGNITUDE).contains(&value).then_some(i128::from(value))
    };
    let mut known = Vec::with_capacity(terms.len());
    for term in terms {
        let (stride, count) = (small(&term.stride)?, small(&term.count)?);
        if count <= 0 {
            return Some(Answer::No);
        }
        known.push((if term.is_added { stride } else { -stride }, count - 1));
    }
    let difference = small(difference)?;
    known.sort_by_key(|&(stride, _)| std::cmp::Reverse(stride.abs()));
    let mut steps = MAX_SEARCH_STEPS;
    match has_solution(difference, &known, &mut steps) {
        Some(true) => Some(Answer::Yes),
        Some(false) => Some(Answer::No),
        None => None,
    }
}

/// Has `value + sum(stride * x) = 0` a solution with `0 <= x <= most`? `None` when the steps run out.
fn has_solution(value: i128, terms: &[(i128, i128)], steps: &mut usize) -> Option<bool> {
    *steps = steps.checked_sub(1)?;
    let Some((&(stride, most), rest)) = terms.split_first() else { return Some(value == 0) };
    if stride == 0 {
        return has_solution(value, rest, steps);
    }
    // What the rest can add lies between these, so `value + stride * x` must lie between their opposites.
    let (least, greatest) = rest.iter().fold((0, 0), |(least, greatest), &(stride, most)| {
        let reach = stride * most;
        (least + reach.min(0), greatest + reach.max(0))
    });
    let (low, high) = (-greatest - value, -least - value);
    let (first, last) = if stride > 0 {
        (ceiling_quotient(low, stride), high.div_euclid(stride))
    } else {
        (ceiling_quotient(-high, -stride), (-low).div_euclid(-stride))
    };
    let (first, last) = (first.max(0), last.min(most));
    let mut x = first;
    while x <= last {
        if has_solution(value + stride * x, rest, steps)? {
            return Some(true);
        }
        x += 1;
    }
    Some(false)
}

/// `dividend / divisor` rounded up, for a positive divisor.
fn ceiling_quotient(dividend: i128, divisor: i128) -> i128 {
    -((-dividend).div_euclid(divisor))
}

#[cfg(test)]
mod tests;
