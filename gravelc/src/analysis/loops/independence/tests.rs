//! Shapes of sweeps, and random ones that are run to see which iterations meet.

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::analysis::testing::machine::{Ending, Machine, Touched};
use crate::analysis::testing::{Builder, ONLY, add, cases, element, int, less, var};
use crate::ir::{Expression, ExpressionKind, Lmad};

struct Names {
    n: SymbolId,
    i: SymbolId,
    j: SymbolId,
    scalar: SymbolId,
    old: SymbolId,
    new: SymbolId,
}

/// Arrays of 100 rows; column 0 of `old` is what is received, and column `n + 1`.
fn names(builder: &mut Builder) -> Names {
    let [n, i, j] = ["n", "i", "j"].map(|name| builder.integer(name));
    let scalar = builder.real("scalar");
    let bounds = || vec![(int(1), int(100)), (int(-20), int(20))];
    let [old, new] = ["old", "new"].map(|name| builder.array(name, bounds()));
    Names { n, i, j, scalar, old, new }
}

fn column(names: &Names, array: SymbolId, shift: i64) -> Expression {
    element(array, vec![var(names.i), add(var(names.j), int(shift))])
}

/// The first column, 20 columns behind the beginning of the array.
fn halo(names: &Names) -> Region {
    Region::elements(names.old, Lmad::run(Polynomial::constant(2000), Polynomial::constant(100)))
}

fn ask(fill: impl FnOnce(&mut Builder, &Names)) -> Result<(), Dependent> {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let found = builder.do_loop(names.j, (int(1), var(names.n)), None, |builder, _| {
        builder.do_loop(names.i, (int(1), int(100)), None, |builder, _| fill(builder, &names));
    });
    let program = builder.program();
    inside_is_independent((&program, &program), ONLY, found, &halo(&names), &|symbol| symbol == names.i)
}

#[test]
fn a_sweep_into_another_array_can_be_split() {
    let found = ask(|builder, names| {
        let value = add(column(names, names.old, -1), column(names, names.old, 1));
        builder.assign(column(names, names.new, 0), value);
    });
    assert_eq!(found, Ok(()));
}

#[test]
fn a_scalar_that_every_iteration_sets_first_is_its_own() {
    let found = ask(|builder, names| {
        builder.assign(var(names.scalar), column(names, names.old, -1));
        builder.assign(column(names, names.new, 0), var(names.scalar));
    });
    assert_eq!(found, Ok(()));
    let found = ask(|builder, names| {
        builder.assign(column(names, names.new, 0), var(names.scalar));
        builder.assign(var(names.scalar), column(names, names.old, -1));
    });
    assert!(matches!(found, Err(Dependent::Carried { .. })), "{found:?}");
}

#[test]
fn a_sweep_in_place_can_not_be_split() {
    for shift in [-1, 1] {
        let found = ask(|builder, names| {
            builder.assign(column(names, names.new, 0), column(names, names.new, shift));
        });
        assert!(matches!(found, Err(Dependent::Carried { .. })), "{found:?}");
    }
}

#[test]
fn a_wider_stencil_needs_the_halo_inside() {
    let found = ask(|builder, names| {
        builder.assign(column(names, names.new, 0), column(names, names.old, -2));
    });
    assert!(matches!(found, Err(Dependent::TouchedInside { .. })), "{found:?}");
}

/// An assignment of the loop.
#[derive(Debug, Clone)]
struct Store {
    target: Place,
    value: Place,
    is_conditional: bool,
    in_inner: bool,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Old(i64),
    New(i64),
    Scalar,
    Literal,
}

fn case() -> impl Strategy<Value = (Vec<Store>, bool)> {
    let place = || {
        prop_oneof![
            3 => prop_oneof![2 => Just(0_i64), 2 => -2_i64..=2].prop_map(Place::Old),
            4 => prop_oneof![4 => Just(0_i64), 1 => -2_i64..=2].prop_map(Place::New),
            3 => Just(Place::Scalar),
        ]
    };
    let value = prop_oneof![4 => place(), 1 => Just(Place::Literal)];
    let store = (place(), value, prop::bool::weighted(0.2), prop::bool::weighted(0.7))
        .prop_map(|(target, value, is_conditional, in_inner)| Store { target, value, is_conditional, in_inner });
    (prop::collection::vec(store, 1..=3), any::<bool>())
}

/// The place in one of the rows, or that of the inner loop's variable.
fn place(names: &Names, place: Place, in_inner: bool) -> Expression {
    let row = if in_inner { var(names.i) } else { int(7) };
    let at = |array, shift| element(array, vec![row, add(var(names.j), int(shift))]);
    match place {
        Place::Old(shift) => at(names.old, shift),
        Place::New(shift) => at(names.new, shift),
        Place::Scalar => var(names.scalar),
        Place::Literal => crate::analysis::testing::expression(ExpressionKind::Literal),
    }
}

fn build(stores: &[Store], is_used_behind: bool) -> (Program, StatementId, Names) {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let add_store = |builder: &mut Builder, store: &Store| {
        let (target, value) = (place(&names, store.target, store.in_inner), place(&names, store.value, store.in_inner));
        if store.is_conditional {
            builder.branch(
                less(var(names.j), int(3)),
                |builder| {
                    builder.assign(target, value);
                },
                None,
            );
        } else {
            builder.assign(target, value);
        }
    };
    let found = builder.do_loop(names.j, (int(1), var(names.n)), None, |builder, _| {
        stores.iter().filter(|store| !store.in_inner).for_each(|store| add_store(builder, store));
        builder.do_loop(names.i, (int(1), int(4)), None, |builder, _| {
            stores.iter().filter(|store| store.in_inner).for_each(|store| add_store(builder, store));
        });
    });
    if is_used_behind {
        builder.assign(element(names.new, vec![int(1), int(1)]), var(names.scalar));
    }
    (builder.program(), found, names)
}

/// Holds a run against the answer that the loop can be split.
fn check(program: &Program, found: StatementId, names: &Names, n: i64, is_used: bool) -> Result<(), TestCaseError> {
    let mut start: BTreeMap<SymbolId, i64> =
        (0..program.procedures[0].symbols.len()).map(|index| (SymbolId(index), 0)).collect();
    start.insert(names.n, n);
    let mut machine = Machine::new(&program.procedures[0], start);
    machine.observed = Some(found);
    prop_assert_eq!(machine.run(&program.procedures[0].body), Ending::Normal);
    prop_assert!(!machine.is_out_of_bounds && !machine.is_out_of_time);
    let mut by_place: BTreeMap<(SymbolId, i64), Vec<&Touched>> = BTreeMap::new();
    for touched in machine.touched.iter().filter(|touched| touched.iteration.is_some()) {
        if touched.symbol == names.old && (2000..2100).contains(&touched.offset) {
            let iteration = touched.iteration.expect("inside");
            prop_assert!(iteration == 1 || iteration == n, "iteration {iteration} of {n} touches the halo");
        }
        by_place.entry((touched.symbol, touched.offset)).or_default().push(touched);
    }
    for ((symbol, offset), touched) in by_place {
        let is_shared =
            touched.iter().any(|one| one.is_write && touched.iter().any(|other| other.iteration != one.iteration));
        // The counters are the loops' own.
        if !is_shared || symbol == names.i || symbol == names.j {
            continue;
        }
        let mut first_in_iteration: BTreeMap<Option<i64>, &Touched> = BTreeMap::new();
        for one in &touched {
            first_in_iteration.entry(one.iteration).or_insert(one);
        }
        prop_assert!(
            first_in_iteration.values().all(|first| first.is_write),
            "{symbol:?} at {offset} is read in one iteration and written in another one"
        );
        let last_writer = touched.iter().filter(|one| one.is_write).filter_map(|one| one.iteration).max();
        prop_assert!(
            last_writer == Some(n) || (symbol == names.scalar && !is_used),
            "{symbol:?} at {offset} is not written by the last iteration"
        );
    }
    Ok(())
}

#[test]
fn iterations_that_are_said_to_be_independent_are() {
    let config = Config { cases: cases(4_000), failure_persistence: None, max_shrink_iters: 4000, ..Config::default() };
    let split = Cell::new(0_u32);
    let outcome = TestRunner::new(config).run(&case(), |(stores, is_used)| {
        let (program, found, names) = build(&stores, is_used);
        let is_dead = |symbol| symbol == names.i;
        if inside_is_independent((&program, &program), ONLY, found, &halo(&names), &is_dead).is_err() {
            return Ok(());
        }
        split.set(split.get() + 1);
        (0..=5).try_for_each(|n| check(&program, found, &names, n, is_used))
    });
    outcome.expect("no counterexample");
    println!("split {}", split.get());
    assert!(split.get() > 50);
}
