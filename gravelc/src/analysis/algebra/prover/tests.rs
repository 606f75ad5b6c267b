//! The prover against brute force, and on what it must be able to prove.

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::*;
use crate::analysis::testing::cases;
use crate::ir::SymbolId;

const VARIABLES: usize = 3;

fn constant(value: i64) -> Polynomial {
    Polynomial::constant(value)
}

fn variable(number: usize) -> Polynomial {
    Polynomial::variable(SymbolId(number))
}

/// `sum(coefficient * product of variables)`
fn polynomial(terms: &[(i64, &[usize])]) -> Polynomial {
    terms.iter().fold(constant(0), |sum, (coefficient, factors)| {
        let term = factors.iter().fold(constant(*coefficient), |product, &factor| {
            product.checked_multiply(&variable(factor)).expect("small")
        });
        sum.checked_add(&term).expect("small")
    })
}

fn any_polynomial() -> impl Strategy<Value = Polynomial> {
    let term = (-4_i64..=4, prop::collection::vec(0..VARIABLES, 0..=2));
    prop::collection::vec(term, 1..=4).prop_map(|terms| {
        let terms: Vec<(i64, &[usize])> = terms.iter().map(|(value, factors)| (*value, factors.as_slice())).collect();
        polynomial(&terms)
    })
}

fn points() -> impl Iterator<Item = [i64; VARIABLES]> {
    let range = || -5_i64..=7;
    range().flat_map(move |x| range().flat_map(move |y| range().map(move |z| [x, y, z])))
}

fn value(polynomial: &Polynomial, point: &[i64; VARIABLES]) -> i64 {
    polynomial.evaluate(&|symbol| point[symbol.0]).expect("small")
}

proptest! {
    #![proptest_config(Config { cases: cases(1000), failure_persistence: None, ..Config::default() })]

    #[test]
    fn is_never_wrong(
        facts in prop::collection::vec(any_polynomial(), 0..=4),
        goal in any_polynomial(),
        other in any_polynomial(),
    ) {
        let mut assumptions = Assumptions::new();
        facts.iter().for_each(|fact| assumptions.assume_nonnegative(fact.clone()));
        let nonnegative = prove_nonnegative(&assumptions, &goal);
        let positive = prove_positive(&assumptions, &goal);
        let equal = prove_equal(&assumptions, &goal, &other);
        for point in points().filter(|point| facts.iter().all(|fact| value(fact, point) >= 0)) {
            let found = value(&goal, &point);
            let checks = [
                (nonnegative, found >= 0),
                (positive, found > 0),
                (equal, found == value(&other, &point)),
            ];
            for (answer, is_true) in checks {
                match answer {
                    Answer::Yes => prop_assert!(is_true, "at {point:?}"),
                    Answer::No => prop_assert!(!is_true, "at {point:?}"),
                    Answer::Unknown => {}
                }
            }
        }
    }

    /// Goals that are combinations of the facts by construction are found, if the facts do not contradict one another.
    #[test]
    fn finds_combinations_of_the_facts(
        facts in prop::collection::vec(any_polynomial(), 1..=4),
        witness in [-5_i64..=7, -5..=7, -5..=7],
        factors in prop::collection::vec(0_i64..=3, 4),
        rest in 0_i64..=3,
    ) {
        // Each fact holds at the witness.
        let holding = facts.iter().map(|fact| {
            let lack = value(fact, &witness).min(0);
            fact.checked_subtract(&constant(lack)).expect("small")
        });
        let facts: Vec<Polynomial> = holding.collect();
        let mut assumptions = Assumptions::new();
        facts.iter().for_each(|fact| assumptions.assume_nonnegative(fact.clone()));
        let goal = facts.iter().zip(&factors).fold(constant(rest), |sum, (fact, &factor)| {
            sum.checked_add(&fact.checked_multiply(&constant(factor)).expect("small")).expect("small")
        });
        prop_assert_eq!(prove_nonnegative(&assumptions, &goal), Answer::Yes);
    }
}

/// `n >= 1, m >= 1`, and an index of a nest over both.
fn nest() -> Assumptions {
    let mut assumptions = Assumptions::new();
    assumptions.assume_positive(&variable(0));
    assumptions.assume_positive(&variable(1));
    assumptions.assume_positive(&variable(2));
    assumptions.assume_nonnegative(polynomial(&[(1, &[1]), (-1, &[2])]));
    assumptions
}

#[test]
fn proves_what_linearised_subscripts_need() {
    // (k-1)*n + n <= m*n for 1 <= k <= m
    let last = polynomial(&[(1, &[1, 0]), (-1, &[2, 0])]);
    assert_eq!(prove_nonnegative(&nest(), &last), Answer::Yes);
    // n*m >= 1, and n*m - n + 1 > 0
    assert_eq!(prove_positive(&nest(), &polynomial(&[(1, &[0, 1])])), Answer::Yes);
    assert_eq!(prove_positive(&nest(), &polynomial(&[(1, &[0, 1]), (-1, &[0]), (1, &[])])), Answer::Yes);
}

#[test]
fn proves_products_of_three() {
    // x*y*z >= 1 for positive x, y, z
    assert_eq!(prove_positive(&nest(), &polynomial(&[(1, &[0, 1, 2])])), Answer::Yes);
}

#[test]
fn says_no_where_the_opposite_always_holds() {
    assert_eq!(prove_nonnegative(&nest(), &polynomial(&[(-1, &[0])])), Answer::No);
    assert_eq!(prove_equal(&nest(), &variable(0), &constant(0)), Answer::No);
    let even = polynomial(&[(2, &[0]), (4, &[1])]);
    assert_eq!(prove_equal(&Assumptions::new(), &even, &constant(7)), Answer::No);
}

#[test]
fn does_not_know_what_is_not_given() {
    assert_eq!(prove_nonnegative(&Assumptions::new(), &variable(0)), Answer::Unknown);
    assert_eq!(prove_positive(&nest(), &polynomial(&[(1, &[0]), (-1, &[1])])), Answer::Unknown);
}

#[test]
fn uses_that_values_are_integers() {
    // 2x - 1 >= 0 means x >= 1.
    let mut assumptions = Assumptions::new();
    assumptions.assume_nonnegative(polynomial(&[(2, &[0]), (-1, &[])]));
    assert_eq!(prove_positive(&assumptions, &variable(0)), Answer::Yes);
}

#[test]
fn survives_numbers_at_the_limits() {
    let mut assumptions = Assumptions::new();
    assumptions.assume_nonnegative(polynomial(&[(i64::MAX, &[0]), (i64::MIN, &[])]));
    assumptions.assume_nonnegative(polynomial(&[(i64::MIN, &[0]), (i64::MIN, &[1]), (i64::MAX, &[])]));
    for goal in [polynomial(&[(i64::MIN, &[1]), (i64::MIN, &[])]), polynomial(&[(i64::MAX, &[0, 1]), (i64::MIN, &[])])]
    {
        let answers = [
            prove_nonnegative(&assumptions, &goal),
            prove_positive(&assumptions, &goal),
            prove_equal(&assumptions, &goal, &constant(i64::MIN)),
        ];
        assert!(answers.iter().all(|&answer| answer != Answer::Yes), "{answers:?}");
    }
}
