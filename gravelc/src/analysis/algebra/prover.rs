//! The prover: inequalities between symbolic polynomials under assumptions.
//!
//! To prove `goal >= 0` from facts `f_k >= 0` it looks for multipliers `m_k >= 0` such that `goal - sum(m_k * f_k)` is a
//! number greater than -1 (Farkas' lemma; values are integers, so more than -1 means at least 0). Monomials count as
//! variables of their own; products of two or three facts, and squares, are facts too, which is how polynomials of a
//! higher degree are proven (Handelman's theorem gives the idea its completeness on bounded sets). The search is an
//! exact linear program of bounded size, so it ends soon and is never wrong: what it can't find is "unknown".

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Monomial, Polynomial, SymbolId};

use super::super::Answer;
use super::linear_program::{Outcome, maximise};

/// Most facts (products included) that one proof uses.
const MAX_FACTS: usize = 160;
/// Most monomials that one proof deals with.
const MAX_MONOMIALS: usize = 80;
/// Most facts whose products of two are formed.
const MAX_FACTS_IN_PAIRS: usize = 14;
/// Most facts whose products of three are formed.
const MAX_FACTS_IN_TRIPLES: usize = 5;

/// Facts `p >= 0` that hold for the values of the variables at the place that a question is about.
#[derive(Debug, Clone, Default)]
pub struct Assumptions {
    facts: Vec<Polynomial>,
}

impl Assumptions {
    /// Nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the fact that `p` is never negative.
    pub fn assume_nonnegative(&mut self, p: Polynomial) {
        if p.as_constant().is_none_or(|value| value < 0) && !self.facts.contains(&p) {
            self.facts.push(p);
        }
    }

    /// The facts about values that do not change: those without any variable that `may_change`.
    pub fn about_unchanged(&self, may_change: impl Fn(SymbolId) -> bool) -> Self {
        let holds_on = |fact: &&Polynomial| !fact.variables().into_iter().any(&may_change);
        Self { facts: self.facts.iter().filter(holds_on).cloned().collect() }
    }

    /// Adds the fact that `p` is at least 1. (What can't be expressed is not added.)
    pub fn assume_positive(&mut self, p: &Polynomial) {
        if let Some(reduced) = p.checked_subtract(&Polynomial::constant(1)) {
            self.assume_nonnegative(reduced);
        }
    }
}

/// Is `p >= 0` for all integer values that satisfy the facts? `No` means: never, for none of them.
pub fn prove_nonnegative(a: &Assumptions, p: &Polynomial) -> Answer {
    if let Some(value) = p.as_constant() {
        return if value >= 0 { Answer::Yes } else { Answer::No };
    }
    if is_proven_nonnegative(a, p) {
        return Answer::Yes;
    }
    let opposite = p.checked_negate().and_then(|negated| negated.checked_subtract(&Polynomial::constant(1)));
    match opposite {
        Some(opposite) if is_proven_nonnegative(a, &opposite) => Answer::No,
        _ => Answer::Unknown,
    }
}

/// Is `p > 0` for all integer values that satisfy the facts? `No` means: never, for none of them.
pub fn prove_positive(a: &Assumptions, p: &Polynomial) -> Answer {
    match p.checked_subtract(&Polynomial::constant(1)) {
        Some(reduced) => prove_nonnegative(a, &reduced),
        None => Answer::Unknown,
    }
}

/// Is `p = q` for all integer values that satisfy the facts? `No` means: never, for none of them.
pub fn prove_equal(a: &Assumptions, p: &Polynomial, q: &Polynomial) -> Answer {
    let (Some(difference), Some(opposite)) = (p.checked_subtract(q), q.checked_subtract(p)) else {
        return Answer::Unknown;
    };
    if difference.is_zero() {
        return Answer::Yes;
    }
    let content = content_of_variables(&difference);
    let is_indivisible = content.is_some_and(|content| difference.constant_term().checked_rem(content) != Some(0));
    if is_indivisible || is_positive(a, &difference) || is_positive(a, &opposite) {
        return Answer::No;
    }
    if is_proven_nonnegative(a, &difference) && is_proven_nonnegative(a, &opposite) {
        return Answer::Yes;
    }
    Answer::Unknown
}

/// Is `p >= 0` proven?
pub fn is_nonnegative(a: &Assumptions, p: &Polynomial) -> bool {
    match p.as_constant() {
        Some(value) => value >= 0,
        None => is_proven_nonnegative(a, p),
    }
}

/// Is `p > 0` proven?
pub fn is_positive(a: &Assumptions, p: &Polynomial) -> bool {
    p.checked_subtract(&Polynomial::constant(1)).is_some_and(|reduced| is_nonnegative(a, &reduced))
}

/// The greatest common divisor of the coefficients of all terms with variables; `None` if there are none.
fn content_of_variables(p: &Polynomial) -> Option<i64> {
    let mut content = 0_u64;
    for (monomial, coefficient) in p.terms() {
        if !monomial.is_empty() {
            let (mut a, mut b) = (content, coefficient.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            content = a;
        }
    }
    i64::try_from(content).ok().filter(|&content| content > 0)
}

/// `p / content`, rounded down where that keeps its sign for all integers.
fn tighten(p: &Polynomial) -> Option<Polynomial> {
    let content = content_of_variables(p)?;
    let constant = p.constant_term();
    let variables = p.checked_subtract(&Polynomial::constant(constant))?.exact_division(content)?;
    variables.checked_add(&Polynomial::constant(constant.checked_div_euclid(content)?))
}

fn is_proven_nonnegative(a: &Assumptions, goal: &Polynomial) -> bool {
    let Some(goal) = tighten(goal) else { return false };
    let relevant = relevant_facts(a, &goal);
    let mut facts = relevant.clone();
    facts.extend(even_monomials(&goal));
    if follows(&facts, &goal) {
        return true;
    }
    let is_linear = goal.degree() <= 1 && relevant.iter().all(|fact| fact.degree() <= 1);
    if is_linear || relevant.is_empty() {
        return false;
    }
    facts.extend(products(&relevant, goal.degree().max(2)));
    let squares: Vec<Polynomial> = facts.iter().flat_map(even_monomials).collect();
    for square in squares {
        if !facts.contains(&square) {
            facts.push(square);
        }
    }
    facts.truncate(MAX_FACTS);
    follows(&facts, &goal)
}

/// The facts that share variables with the goal, directly or through other facts.
fn relevant_facts(a: &Assumptions, goal: &Polynomial) -> Vec<Polynomial> {
    let mut variables = goal.variables();
    let mut chosen = vec![false; a.facts.len()];
    loop {
        let mut is_changed = false;
        for (fact, chosen) in a.facts.iter().zip(&mut chosen) {
            let own = fact.variables();
            // A fact without variables is a contradiction: it is relevant to everything.
            if !*chosen && (own.is_empty() || !own.is_disjoint(&variables)) {
                *chosen = true;
                variables.extend(own);
                is_changed = true;
            }
        }
        if !is_changed {
            break;
        }
    }
    let relevant = a.facts.iter().zip(&chosen).filter(|&(_, &chosen)| chosen).map(|(fact, _)| fact);
    relevant.map(|fact| tighten(fact).unwrap_or_else(|| fact.clone())).take(MAX_FACTS).collect()
}

/// The monomials of `p` that are squares: they are never negative.
fn even_monomials(p: &Polynomial) -> Vec<Polynomial> {
    p.terms()
        .filter(|(monomial, _)| !monomial.is_empty() && monomial.values().all(|exponent| exponent % 2 == 0))
        .filter_map(|(monomial, _)| {
            monomial.iter().try_fold(Polynomial::constant(1), |product, (&symbol, &exponent)| {
                (0..exponent).try_fold(product, |power, _| power.checked_multiply(&Polynomial::variable(symbol)))
            })
        })
        .collect()
}

/// Products of two facts, and of three where `degree` asks for it.
fn products(facts: &[Polynomial], degree: u32) -> Vec<Polynomial> {
    let mut found = Vec::new();
    let few = &facts[..facts.len().min(MAX_FACTS_IN_PAIRS)];
    for (index, one) in few.iter().enumerate() {
        for (other_index, other) in few.iter().enumerate().skip(index) {
            let Some(pair) = one.checked_multiply(other) else { continue };
            if degree >= 3 && other_index < MAX_FACTS_IN_TRIPLES {
                let thirds = few.iter().take(MAX_FACTS_IN_TRIPLES).skip(other_index);
                found.extend(thirds.filter_map(|third| pair.checked_multiply(third)).filter(|p| p.degree() <= degree));
            }
            if pair.degree() <= degree {
                found.push(pair);
            }
        }
    }
    found
}

/// Is the goal a combination of the facts, with factors that are not negative, plus a number greater than -1?
fn follows(facts: &[Polynomial], goal: &Polynomial) -> bool {
    let monomials: BTreeSet<&Monomial> = std::iter::once(goal)
        .chain(facts)
        .flat_map(|p| p.terms().map(|(monomial, _)| monomial))
        .filter(|monomial| !monomial.is_empty())
        .collect();
    if monomials.len() > MAX_MONOMIALS {
        return false;
    }
    let row_of: BTreeMap<&Monomial, usize> =
        monomials.into_iter().enumerate().map(|(row, monomial)| (monomial, row)).collect();
    let mut equations = vec![vec![0_i64; facts.len()]; row_of.len()];
    let mut constants = vec![0_i64; facts.len()];
    for (column, fact) in facts.iter().enumerate() {
        for (monomial, coefficient) in fact.terms() {
            match row_of.get(monomial) {
                Some(&row) => equations[row][column] = coefficient,
                // The objective is what the facts take away from the goal's constant.
                None => match coefficient.checked_neg() {
                    Some(negated) => constants[column] = negated,
                    None => return false,
                },
            }
        }
    }
    let mut right_sides = vec![0_i64; row_of.len()];
    for (monomial, coefficient) in goal.terms() {
        if let Some(&row) = row_of.get(monomial) {
            right_sides[row] = coefficient;
        }
    }
    match maximise(&equations, &right_sides, &constants) {
        // The facts contradict one another: nothing satisfies them, so everything holds for all that do.
        Outcome::Unbounded => true,
        Outcome::Optimum(value) => {
            let limit = goal.constant_term().checked_neg().and_then(|negated| negated.checked_sub(1));
            limit.and_then(|limit| value.exceeds(limit)).unwrap_or(false)
        }
        Outcome::Infeasible | Outcome::GaveUp => false,
    }
}

#[cfg(test)]
mod tests;
