//! The dependence test against enumeration.

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::analysis::testing::{Builder, add, cases, elements_of, int, multiply, subtract, var};
use crate::ir::{Dimension, Interval, SymbolId};

fn constant(value: i64) -> Polynomial {
    Polynomial::constant(value)
}

/// The array that the regions are of.
const ARRAY: SymbolId = SymbolId(0);
/// Integers that the regions' polynomials are about.
const VARIABLES: [SymbolId; 2] = [SymbolId(1), SymbolId(2)];

fn procedure() -> Procedure {
    let mut builder = Builder::new();
    builder.array("a", vec![(int(0), int(1000))]);
    builder.integer("n");
    builder.integer("m");
    builder.finish()
}

fn polynomial(constant_term: i64, factors: [i64; 2], product: i64) -> Polynomial {
    let variable = |number: usize| Polynomial::variable(VARIABLES[number]);
    let scaled = |polynomial: &Polynomial, factor: i64| polynomial.checked_multiply(&constant(factor)).expect("small");
    let both = variable(0).checked_multiply(&variable(1)).expect("small");
    [scaled(&variable(0), factors[0]), scaled(&variable(1), factors[1]), scaled(&both, product)]
        .iter()
        .fold(constant(constant_term), |sum, term| sum.checked_add(term).expect("small"))
}

fn constant_lmad() -> impl Strategy<Value = Lmad> {
    let dimension = (-12_i64..=12, 0_i64..=6)
        .prop_map(|(stride, count)| Dimension { stride: constant(stride), count: constant(count) });
    (-30_i64..=30, prop::collection::vec(dimension, 0..=3))
        .prop_map(|(offset, dimensions)| Lmad { offset: constant(offset), dimensions })
}

fn symbolic() -> impl Strategy<Value = Polynomial> {
    let plain = (-3_i64..=8).prop_map(constant);
    let linear = (-2_i64..=3, [0_i64..=2, -1..=1]).prop_map(|(value, factors)| polynomial(value, factors, 0));
    let product = (-1_i64..=2, [0_i64..=1, 0..=1]).prop_map(|(value, factors)| polynomial(value, factors, 1));
    prop_oneof![3 => plain, 4 => linear, 1 => product]
}

fn symbolic_lmad() -> impl Strategy<Value = Lmad> {
    let dimension = (symbolic(), symbolic()).prop_map(|(stride, count)| Dimension { stride, count });
    (symbolic(), prop::collection::vec(dimension, 0..=3)).prop_map(|(offset, dimensions)| Lmad { offset, dimensions })
}

fn answer(one: &Lmad, two: &Lmad, assumptions: &Assumptions) -> Answer {
    let region = |lmad: &Lmad| Region::elements(ARRAY, lmad.clone());
    may_overlap(&procedure(), &region(one), &region(two), assumptions)
}

/// Do the regions share an element for these values?
fn overlap(one: &Lmad, two: &Lmad, values: &BTreeMap<SymbolId, i64>) -> bool {
    let value_of = |symbol: SymbolId| values[&symbol];
    !elements_of(one, &value_of).is_disjoint(&elements_of(two, &value_of))
}

fn run<S: Strategy>(usual: u32, strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases: cases(usual), failure_persistence: None, ..Config::default() };
    TestRunner::new(config).run(strategy, test).expect("no counterexample");
}

#[test]
fn is_exact_for_known_numbers() {
    let independent = Cell::new(0);
    let found = Cell::new(0);
    run(4000, &(constant_lmad(), constant_lmad()), |(one, two)| {
        let truth = overlap(&one, &two, &BTreeMap::new());
        let said = answer(&one, &two, &Assumptions::new());
        prop_assert!(said != Answer::No || !truth);
        prop_assert!(said != Answer::Yes || truth);
        if !truth {
            independent.set(independent.get() + 1);
            found.set(found.get() + u32::from(said == Answer::No));
        }
        Ok(())
    });
    let share = f64::from(found.get()) / f64::from(independent.get());
    println!("independent pairs found: {} of {} ({:.2} %)", found.get(), independent.get(), 100.0 * share);
    assert!(share >= 0.95);
}

/// The symbolic tests alone, on the same numbers: they must not lean on the exact search.
#[test]
fn symbolic_tests_find_most_independent_pairs() {
    let independent = Cell::new(0);
    let found = Cell::new(0);
    run(3000, &(constant_lmad(), constant_lmad()), |(one, two)| {
        let none = Assumptions::new();
        let (Some(one), Some(two)) = (normalised(&one, &none), normalised(&two, &none)) else {
            return Err(TestCaseError::fail("the signs of numbers are known"));
        };
        let difference = two.offset.checked_subtract(&one.offset).expect("small");
        let terms = [(&one, false), (&two, true)].into_iter().flat_map(|(lmad, is_added)| {
            lmad.dimensions.iter().map(move |dimension| Term {
                stride: dimension.stride.clone(),
                count: dimension.count.clone(),
                is_added,
            })
        });
        let mut assumptions = none;
        assume_nonempty(&mut assumptions, &one);
        assume_nonempty(&mut assumptions, &two);
        let said = Equation { difference, terms: terms.collect() }.has_no_solution(&assumptions, MAX_SEPARATIONS);
        let truth = overlap(&one, &two, &BTreeMap::new());
        prop_assert!(!said || !truth);
        if !truth {
            independent.set(independent.get() + 1);
            found.set(found.get() + u32::from(said));
        }
        Ok(())
    });
    let share = f64::from(found.get()) / f64::from(independent.get());
    println!("independent pairs found symbolically: {} of {} ({:.2} %)", found.get(), independent.get(), 100.0 * share);
    assert!(share >= 0.75);
}

#[test]
fn is_never_wrong_about_symbols() {
    let proven = Cell::new(0);
    run(1000, &(symbolic_lmad(), symbolic_lmad(), prop::option::of(0_i64..=2)), |(one, two, least)| {
        let mut assumptions = Assumptions::new();
        if let Some(least) = least {
            for symbol in VARIABLES {
                let fact = Polynomial::variable(symbol).checked_subtract(&constant(least));
                assumptions.assume_nonnegative(fact.expect("small"));
            }
        }
        let said = answer(&one, &two, &assumptions);
        proven.set(proven.get() + u32::from(said == Answer::No));
        for n in least.unwrap_or(-3)..=5 {
            for m in least.unwrap_or(-3)..=5 {
                let truth = overlap(&one, &two, &BTreeMap::from([(VARIABLES[0], n), (VARIABLES[1], m)]));
                prop_assert!(said != Answer::No || !truth, "overlap for n = {n}, m = {m}");
                prop_assert!(said != Answer::Yes || truth, "no overlap for n = {n}, m = {m}");
            }
        }
        Ok(())
    });
    println!("proven independent: {}", proven.get());
    assert!(proven.get() > 100);
}

/// A region `offset + sum(stride * x)` with `x` from 0 up to a count.
fn lmad(offset: Polynomial, dimensions: &[(Polynomial, Polynomial)]) -> Lmad {
    let dimensions =
        dimensions.iter().map(|(stride, count)| Dimension { stride: stride.clone(), count: count.clone() }).collect();
    Lmad { offset, dimensions }
}

#[test]
fn linearised_rows_and_columns_are_told_apart() {
    let n = polynomial(0, [1, 0], 0);
    let m = polynomial(0, [0, 1], 0);
    // The first and the last row of an n by m array in one dimension: u(1 + n*(j-1)), u(n + n*(j-1)), with n >= 2.
    let mut assumptions = Assumptions::new();
    assumptions.assume_nonnegative(polynomial(-2, [1, 0], 0));
    let first = lmad(constant(0), &[(n.clone(), m.clone())]);
    let last = lmad(polynomial(-1, [1, 0], 0), &[(n.clone(), m.clone())]);
    assert_eq!(answer(&first, &last, &assumptions), Answer::No);
    assert_ne!(answer(&first, &last, &Assumptions::new()), Answer::No);
    // Two columns, and the column behind the last one.
    let column = |number: i64| lmad(polynomial(0, [number, 0], 0), &[(constant(1), n.clone())]);
    assert_eq!(answer(&column(0), &column(1), &Assumptions::new()), Answer::No);
    let behind = lmad(polynomial(0, [0, 0], 1), &[(constant(1), n.clone())]);
    let all = lmad(constant(0), &[(constant(1), n.clone()), (n.clone(), m.clone())]);
    assert_eq!(answer(&all, &behind, &Assumptions::new()), Answer::No);
}

#[test]
fn odd_and_even_elements_are_told_apart_whatever_the_bounds() {
    let n = polynomial(0, [1, 0], 0);
    let even = lmad(constant(0), &[(constant(2), n.clone())]);
    let odd = lmad(polynomial(1, [0, 2], 0), &[(constant(2), n)]);
    assert_eq!(answer(&even, &odd, &Assumptions::new()), Answer::No);
}

#[test]
fn empty_regions_overlap_nothing() {
    let nothing = lmad(constant(0), &[(constant(1), constant(0))]);
    assert_eq!(answer(&nothing, &nothing, &Assumptions::new()), Answer::No);
}

#[test]
fn subscripts_of_declared_dimensions_are_told_apart() {
    let mut builder = Builder::new();
    let u = builder.array("u", vec![(int(0), int(513)), (int(0), int(513))]);
    let odd = builder.array("odd", vec![(int(1), int(1)), (int(1), int(50))]);
    let ny = builder.integer("ny");
    let procedure = builder.finish();
    let layouts = Layouts::new(&procedure);
    let values = |symbol| Some(Polynomial::variable(symbol));
    let row = |array: SymbolId, second| {
        let subscripts = vec![int(1), second];
        let expression = crate::analysis::testing::element(array, subscripts);
        layouts.region_of(&expression, &values).expect("an element").0
    };
    let mut positive = Assumptions::new();
    positive.assume_positive(&Polynomial::variable(ny));
    let (low, high) = (row(u, int(0)), row(u, add(var(ny), int(1))));
    assert_eq!(may_overlap(&procedure, &low, &high, &positive), Answer::No);
    // Without the fact, ny might be -1.
    assert_ne!(may_overlap(&procedure, &low, &high, &Assumptions::new()), Answer::No);
    // A dimension that is declared with extent 1 is not believed.
    let (one, two) = (row(odd, int(1)), row(odd, add(var(ny), int(1))));
    let whole = |region: &Region| Region { extent: crate::ir::Extent::Whole, ..region.clone() };
    assert_eq!(may_overlap(&procedure, &whole(&one), &whole(&two), &positive), Answer::Unknown);
}

#[test]
fn one_subscript_that_runs_through_several_dimensions_is_not_believed() {
    let mut builder = Builder::new();
    let u = builder.array("u", vec![(int(1), int(100)), (int(1), int(100))]);
    let n = builder.integer("n");
    let procedure = builder.finish();
    let region = |first: [Polynomial; 2], second: i64| {
        let interval = |lower: Polynomial, upper: Polynomial| Some(Interval { lower, upper });
        let [lower, upper] = first;
        Region {
            symbol: u,
            extent: crate::ir::Extent::Whole,
            subscripts: vec![interval(lower, upper), interval(constant(second), constant(second))],
        }
    };
    let size = Polynomial::variable(n).checked_multiply(&Polynomial::variable(n)).expect("small");
    let through = region([constant(1), size], 1);
    let outside = region([constant(1), constant(10_000)], 1);
    let plain = region([constant(1), constant(100)], 1);
    let other = region([constant(3), constant(3)], 7);
    assert_eq!(may_overlap(&procedure, &through, &other, &Assumptions::new()), Answer::Unknown);
    assert_eq!(may_overlap(&procedure, &outside, &other, &Assumptions::new()), Answer::Unknown);
    assert_eq!(may_overlap(&procedure, &plain, &other, &Assumptions::new()), Answer::No);
}

#[test]
fn bounds_that_change_in_the_procedure_are_not_used() {
    let mut builder = Builder::new();
    let n = builder.integer("n");
    let a = builder.array("a", vec![(int(1), var(n)), (int(1), int(5))]);
    let fixed = Builder::finish(builder);
    assert!(Layouts::new(&fixed).whole(a).0.lmad().is_some());
    let mut builder = Builder::new();
    let n = builder.integer("n");
    let a = builder.array("a", vec![(int(1), var(n)), (int(1), int(5))]);
    builder.assign(var(n), subtract(multiply(int(2), var(n)), int(1)));
    let changed = builder.finish();
    assert!(Layouts::new(&changed).whole(a).0.lmad().is_none());
}
