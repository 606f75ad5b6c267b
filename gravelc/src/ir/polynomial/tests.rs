//! The arithmetic against the values that polynomials have.

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::*;

const VARIABLES: usize = 3;

fn any_polynomial() -> impl Strategy<Value = Polynomial> {
    let term = (-5_i64..=5, prop::collection::vec(0..VARIABLES, 0..=3));
    prop::collection::vec(term, 0..=5).prop_map(|terms| {
        terms.iter().fold(Polynomial::default(), |sum, (coefficient, factors)| {
            let term = factors.iter().fold(Polynomial::constant(*coefficient), |product, &factor| {
                product.checked_multiply(&Polynomial::variable(SymbolId(factor))).expect("small")
            });
            sum.checked_add(&term).expect("small")
        })
    })
}

fn at(polynomial: &Polynomial, point: [i64; VARIABLES]) -> i64 {
    polynomial.evaluate(&|symbol| point[symbol.0]).expect("small")
}

proptest! {
    #![proptest_config(Config { cases: 1000, failure_persistence: None, ..Config::default() })]

    #[test]
    fn operations_are_those_of_the_values(
        one in any_polynomial(),
        two in any_polynomial(),
        point in [-4_i64..=4, -4..=4, -4..=4],
    ) {
        let (first, second) = (at(&one, point), at(&two, point));
        prop_assert_eq!(at(&one.checked_add(&two).expect("small"), point), first + second);
        prop_assert_eq!(at(&one.checked_subtract(&two).expect("small"), point), first - second);
        prop_assert_eq!(at(&one.checked_multiply(&two).expect("small"), point), first * second);
        prop_assert_eq!(at(&one.checked_negate().expect("small"), point), -first);
        let results = [one.checked_add(&two), one.checked_subtract(&two), one.checked_multiply(&two), one.linear_in(SymbolId(2)).map(|it| it.0)];
        for result in results.into_iter().flatten() {
            let monomials: Vec<&Monomial> = result.terms().map(|(monomial, _)| monomial).collect();
            prop_assert!(monomials.is_sorted_by(|one, two| one < two), "each once, in order: {monomials:?}");
            prop_assert!(result.terms().all(|(monomial, coefficient)| coefficient != 0 && coefficient == result.coefficient(monomial)));
            prop_assert_eq!(result.constant_term(), result.coefficient(&Monomial::new()));
        }
        let symbol = SymbolId(1);
        let mut moved = point;
        moved[symbol.0] = second;
        prop_assert_eq!(at(&one.checked_substitute(symbol, &two).expect("small"), point), at(&one, moved));
    }

    #[test]
    fn taking_apart_and_putting_together_again_changes_nothing(
        one in any_polynomial(),
        two in any_polynomial(),
        divisor in 1_i64..=4,
    ) {
        let symbol = SymbolId(0);
        if let Some((slope, rest)) = one.linear_in(symbol) {
            prop_assert!(!slope.mentions(symbol) && !rest.mentions(symbol));
            let term = slope.checked_multiply(&Polynomial::variable(symbol)).expect("small");
            prop_assert_eq!(&term.checked_add(&rest).expect("small"), &one);
        }
        if let Some((quotient, remainder)) = one.divide(&two) {
            let product = quotient.checked_multiply(&two).expect("small");
            prop_assert_eq!(&product.checked_add(&remainder).expect("small"), &one);
        } else {
            prop_assert!(two.is_zero());
        }
        if let Some(quotient) = one.exact_division(divisor) {
            prop_assert_eq!(&quotient.checked_multiply(&Polynomial::constant(divisor)).expect("small"), &one);
        }
    }

    #[test]
    fn what_is_a_multiple_is_divided_without_remainder(one in any_polynomial(), two in any_polynomial()) {
        prop_assume!(!two.is_zero());
        let product = one.checked_multiply(&two).expect("small");
        // A divisor with one term divides each term; with more the order of the division is not always the right one.
        if two.term_count() == 1 {
            let (quotient, remainder) = product.divide(&two).expect("the divisor is not zero");
            prop_assert!(remainder.is_zero());
            prop_assert_eq!(quotient, one);
        }
    }
}

#[test]
fn overflow_is_unknown() {
    let large = Polynomial::constant(i64::MAX);
    assert_eq!(large.checked_add(&Polynomial::constant(1)), None);
    assert_eq!(large.checked_multiply(&Polynomial::constant(2)), None);
    assert_eq!(Polynomial::constant(i64::MIN).checked_negate(), None);
    assert_eq!(Polynomial::constant(i64::MIN).exact_division(-1), None);
    assert_eq!(Polynomial::constant(i64::MIN).divide(&Polynomial::constant(-1)), None);
    assert_eq!(Polynomial::constant(1).exact_division(0), None);
}
