//! Symbolic polynomials over the integer scalars of a procedure.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::SymbolId;

/// A product of powers of variables: each variable with its exponent (at least 1). Empty for the constant term.
pub type Monomial = BTreeMap<SymbolId, u32>;

/// A polynomial with integer coefficients over integer variables of one procedure.
///
/// Arithmetic is exact: every operation that could overflow returns `None`, which callers take as "unknown".
/// A variable stands for one value: whoever compares polynomials taken at different places in the program must know
/// that their variables are not changed in between.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Vec<(Vec<(SymbolId, u32)>, i64)>", into = "Vec<(Vec<(SymbolId, u32)>, i64)>")]
pub struct Polynomial {
    /// Each monomial with its coefficient, which is never zero; in the order of monomials, none twice. Most polynomials
    /// have one term or two, for which a map would take several times the room and the time.
    terms: Vec<(Monomial, i64)>,
}

/// From a list of terms, in which a term that comes twice counts once.
impl From<Vec<(Vec<(SymbolId, u32)>, i64)>> for Polynomial {
    fn from(terms: Vec<(Vec<(SymbolId, u32)>, i64)>) -> Self {
        let terms = terms.into_iter().map(|(monomial, coefficient)| (monomial.into_iter().collect(), coefficient));
        let once: BTreeMap<Monomial, i64> = terms.filter(|&(_, coefficient)| coefficient != 0).collect();
        Self { terms: once.into_iter().collect() }
    }
}

impl From<Polynomial> for Vec<(Vec<(SymbolId, u32)>, i64)> {
    fn from(polynomial: Polynomial) -> Self {
        polynomial
            .terms
            .into_iter()
            .map(|(monomial, coefficient)| (monomial.into_iter().collect(), coefficient))
            .collect()
    }
}

/// The quotient with the smallest rest, whatever its sign.
fn nearest_quotient(dividend: i64, divisor: i64) -> Option<i64> {
    let (quotient, rest) = (dividend.checked_div(divisor)?, dividend.checked_rem(divisor)?);
    let is_nearer_beyond = rest.unsigned_abs() > divisor.unsigned_abs() / 2;
    match is_nearer_beyond {
        false => Some(quotient),
        true => quotient.checked_add(rest.signum() * divisor.signum()),
    }
}

impl Polynomial {
    /// The polynomial that is always `value`.
    pub fn constant(value: i64) -> Self {
        let terms = if value == 0 { Vec::new() } else { vec![(Monomial::new(), value)] };
        Self { terms }
    }

    /// The value of one variable.
    pub fn variable(symbol: SymbolId) -> Self {
        Self { terms: vec![(Monomial::from([(symbol, 1)]), 1)] }
    }

    /// The terms: each monomial with its coefficient, which is not zero.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, i64)> {
        self.terms.iter().map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// Is it identically zero?
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Its value, if it does not depend on a variable.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(monomial, coefficient)] if monomial.is_empty() => Some(*coefficient),
            _ => None,
        }
    }

    /// The variables that occur.
    pub fn variables(&self) -> BTreeSet<SymbolId> {
        self.mentioned().collect()
    }

    /// The same term by term, some more than once.
    pub fn mentioned(&self) -> impl Iterator<Item = SymbolId> {
        self.terms.iter().flat_map(|(monomial, _)| monomial.keys().copied())
    }

    /// Does the variable occur?
    pub fn mentions(&self, symbol: SymbolId) -> bool {
        self.terms.iter().any(|(monomial, _)| monomial.contains_key(&symbol))
    }

    /// The number of terms.
    pub fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// The term without variables.
    pub fn constant_term(&self) -> i64 {
        // The empty monomial comes before all others.
        self.terms.first().filter(|(monomial, _)| monomial.is_empty()).map_or(0, |&(_, coefficient)| coefficient)
    }

    /// The coefficient of a monomial; 0 if it does not occur.
    pub fn coefficient(&self, monomial: &Monomial) -> i64 {
        self.terms.binary_search_by(|(known, _)| known.cmp(monomial)).map_or(0, |place| self.terms[place].1)
    }

    /// The largest sum of exponents of a term; 0 for a constant.
    pub fn degree(&self) -> u32 {
        self.terms.iter().map(|(monomial, _)| degree_of(monomial)).max().unwrap_or(0)
    }

    /// `(slope, rest)` such that `self = slope * symbol + rest` and neither mentions `symbol`; `None` if `symbol`
    /// occurs with a higher power.
    pub fn linear_in(&self, symbol: SymbolId) -> Option<(Self, Self)> {
        let (mut slope, mut rest) = (Vec::new(), Vec::new());
        for (monomial, coefficient) in &self.terms {
            let mut others = monomial.clone();
            match others.remove(&symbol) {
                None => rest.push((others, *coefficient)),
                Some(1) => slope.push((others, *coefficient)),
                Some(_) => return None,
            }
        }
        Some((Self::sum_of(slope)?, Self::sum_of(rest)?))
    }

    /// `self / divisor`, if every coefficient is a multiple of `divisor`, so that the division leaves no remainder
    /// whatever the values of the variables.
    pub fn exact_division(&self, divisor: i64) -> Option<Self> {
        let quotient = |(monomial, coefficient): &(Monomial, i64)| {
            let is_multiple = coefficient.checked_rem(divisor)? == 0;
            Some((monomial.clone(), is_multiple.then(|| coefficient.checked_div(divisor)).flatten()?))
        };
        Some(Self { terms: self.terms.iter().map(quotient).collect::<Option<_>>()? })
    }

    /// `(quotient, remainder)` such that `self = quotient * divisor + remainder`, with as much as possible in the
    /// quotient. The remainder is not bounded in any way. `None` for a zero divisor and on overflow.
    pub fn divide(&self, divisor: &Self) -> Option<(Self, Self)> {
        let (leading, leading_coefficient) = divisor.leading_term()?;
        let mut quotient = Self::default();
        let mut remainder = self.clone();
        // From the highest degree down: what a step adds to the remainder has a lower degree, or is skipped later.
        let mut candidates: Vec<Monomial> = self.terms.iter().map(|(monomial, _)| monomial.clone()).collect();
        candidates.sort_by_key(|monomial| std::cmp::Reverse(degree_of(monomial)));
        for monomial in candidates {
            let Some(factor) = monomial_quotient(&monomial, leading) else {
                continue;
            };
            let coefficient = match monomial.is_empty() {
                true => remainder.coefficient(&monomial).checked_div_euclid(leading_coefficient)?,
                // What is left of `-i` is `-i`, and not 201 times `i`.
                false => nearest_quotient(remainder.coefficient(&monomial), leading_coefficient)?,
            };
            if coefficient == 0 {
                continue;
            }
            let step = Self { terms: vec![(factor, coefficient)] };
            remainder = remainder.checked_subtract(&step.checked_multiply(divisor)?)?;
            quotient = quotient.checked_add(&step)?;
        }
        Some((quotient, remainder))
    }

    /// The term of the highest degree (of several, the last in the order of monomials).
    fn leading_term(&self) -> Option<(&Monomial, i64)> {
        self.terms().max_by_key(|(monomial, _)| degree_of(monomial))
    }

    /// `self + other`.
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        self.merged(other, Some)
    }

    /// `-self`.
    pub fn checked_negate(&self) -> Option<Self> {
        Self::default().checked_subtract(self)
    }

    /// `self - other`.
    pub fn checked_subtract(&self, other: &Self) -> Option<Self> {
        self.merged(other, i64::checked_neg)
    }

    /// `self` and `other`, whose coefficients `converted` converts, term by term.
    fn merged(&self, other: &Self, converted: impl Fn(i64) -> Option<i64>) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => return Some(Self { terms }),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((one, _)), Some((two, _))) => one.cmp(two),
            };
            let added = right.next_if(|_| order.is_ge());
            let coefficient = added.map_or(Some(0), |&(_, coefficient)| converted(coefficient))?;
            match (left.next_if(|_| order.is_le()), added) {
                (Some((monomial, known)), _) => {
                    let sum = known.checked_add(coefficient)?;
                    if sum != 0 {
                        terms.push((monomial.clone(), sum));
                    }
                }
                (None, Some((monomial, _))) => terms.push((monomial.clone(), coefficient)),
                (None, None) => {}
            }
        }
    }

    /// `self * other`.
    pub fn checked_multiply(&self, other: &Self) -> Option<Self> {
        let mut products = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (left, left_coefficient) in &self.terms {
            for (right, right_coefficient) in &other.terms {
                let mut monomial = left.clone();
                for (&symbol, &exponent) in right {
                    let power = monomial.entry(symbol).or_insert(0);
                    *power = power.checked_add(exponent)?;
                }
                products.push((monomial, left_coefficient.checked_mul(*right_coefficient)?));
            }
        }
        Self::sum_of(products)
    }

    /// The sum of terms in any order, of which several may have one monomial.
    fn sum_of(mut terms: Vec<(Monomial, i64)>) -> Option<Self> {
        terms.sort_by(|(one, _), (two, _)| one.cmp(two));
        let mut sums: Vec<(Monomial, i64)> = Vec::with_capacity(terms.len());
        for (monomial, coefficient) in terms {
            match sums.last_mut().filter(|(last, _)| *last == monomial) {
                Some((_, sum)) => *sum = sum.checked_add(coefficient)?,
                None => sums.push((monomial, coefficient)),
            }
        }
        sums.retain(|&(_, sum)| sum != 0);
        Some(Self { terms: sums })
    }

    /// `self` with `replacement` in the place of `symbol`.
    pub fn checked_substitute(&self, symbol: SymbolId, replacement: &Self) -> Option<Self> {
        let mut result = Self::default();
        for (monomial, coefficient) in &self.terms {
            let mut rest = monomial.clone();
            let exponent = rest.remove(&symbol).unwrap_or(0);
            let mut term = Self { terms: vec![(rest, *coefficient)] };
            for _ in 0..exponent {
                term = term.checked_multiply(replacement)?;
            }
            result = result.checked_add(&term)?;
        }
        Some(result)
    }

    /// `self` with the polynomial that `value_of` gives in the place of each variable; `None` where it gives none.
    pub fn checked_replace(&self, value_of: &dyn Fn(SymbolId) -> Option<Self>) -> Option<Self> {
        let mut sum = Self::default();
        for (monomial, coefficient) in &self.terms {
            let mut product = Self::constant(*coefficient);
            for (&symbol, &exponent) in monomial {
                let value = value_of(symbol)?;
                for _ in 0..exponent {
                    product = product.checked_multiply(&value)?;
                }
            }
            sum = sum.checked_add(&product)?;
        }
        Some(sum)
    }

    /// Its value when each variable has the value that `value_of` gives; `None` on overflow.
    pub fn evaluate(&self, value_of: &dyn Fn(SymbolId) -> i64) -> Option<i64> {
        let mut sum = 0_i64;
        for (monomial, coefficient) in &self.terms {
            let mut product = *coefficient;
            for (&symbol, &exponent) in monomial {
                product = product.checked_mul(value_of(symbol).checked_pow(exponent)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }
}

fn degree_of(monomial: &Monomial) -> u32 {
    monomial.values().fold(0, |sum, &exponent| sum.saturating_add(exponent))
}

/// `dividend / divisor`, if it is a monomial.
fn monomial_quotient(dividend: &Monomial, divisor: &Monomial) -> Option<Monomial> {
    let mut quotient = dividend.clone();
    for (symbol, &exponent) in divisor {
        let power = quotient.get_mut(symbol)?;
        *power = power.checked_sub(exponent)?;
        if *power == 0 {
            quotient.remove(symbol);
        }
    }
    Some(quotient)
}

#[cfg(test)]
mod tests;
