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

/// Columns of 100 elements, which begin with column 0, 20 columns behind the beginning of the array.
fn columns(names: &Names, (first, count): (Polynomial, i64)) -> Region {
    let hundred = Polynomial::constant(100);
    let begin = first.checked_add(&Polynomial::constant(20)).and_then(|first| first.checked_multiply(&hundred));
    Region::elements(names.old, Lmad::run(begin.expect("small"), Polynomial::constant(100 * count)))
}

/// Column 0.
fn halo(names: &Names) -> Region {
    columns(names, (Polynomial::constant(0), 1))
}

/// So many columns behind column `n`.
fn far_halo(names: &Names, count: i64) -> Region {
    let behind = Polynomial::variable(names.n).checked_add(&Polynomial::constant(1));
    columns(names, (behind.expect("small"), count))
}

fn ask(fill: impl FnOnce(&mut Builder, &Names)) -> Result<Depth, Dependent> {
    ask_of(None, &halo, fill)
}

/// Of a loop with as many iterations, or `n`.
fn ask_of(
    iterations: Option<i64>,
    message: &dyn Fn(&Names) -> Region,
    fill: impl FnOnce(&mut Builder, &Names),
) -> Result<Depth, Dependent> {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let last = iterations.map_or(var(names.n), int);
    let found = builder.do_loop(names.j, (int(1), last), None, |builder, _| {
        builder.do_loop(names.i, (int(1), int(100)), None, |builder, _| fill(builder, &names));
    });
    let program = builder.program();
    inside_is_independent((&program, &program), ONLY, found, &message(&names), &|symbol| symbol == names.i)
}

#[test]
fn a_sweep_into_another_array_can_be_split() {
    let found = ask(|builder, names| {
        let value = add(column(names, names.old, -1), column(names, names.old, 1));
        builder.assign(column(names, names.new, 0), value);
    });
    assert_eq!(found, Ok(Depth::ONE));
}

#[test]
fn a_scalar_that_every_iteration_sets_first_is_its_own() {
    let found = ask(|builder, names| {
        builder.assign(var(names.scalar), column(names, names.old, -1));
        builder.assign(column(names, names.new, 0), var(names.scalar));
    });
    assert_eq!(found, Ok(Depth::ONE));
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

/// The new column of the one at so many columns' distance.
fn reads(shifts: &[i64]) -> impl FnOnce(&mut Builder, &Names) {
    move |builder, names| {
        for &shift in shifts {
            builder.assign(column(names, names.new, 0), column(names, names.old, shift));
        }
    }
}

#[test]
fn a_wider_stencil_needs_deeper_ends() {
    for shift in 2..=i64::from(Depth::MAX) {
        let found = ask(reads(&[-shift]));
        assert_eq!(found, Ok(Depth { first: shift as u8, last: 1 }));
        let found = ask_of(None, &|names| far_halo(names, 1), reads(&[shift]));
        assert_eq!(found, Ok(Depth { first: 1, last: shift as u8 }));
    }
    let found = ask(reads(&[-1 - i64::from(Depth::MAX)]));
    assert!(matches!(found, Err(Dependent::TouchedInside { .. })), "{found:?}");
}

/// Of three columns in front the stencil reaches the nearest one, or all of them.
#[test]
fn the_ends_are_as_deep_as_the_stencil_reaches_and_no_deeper() {
    let ghosts = |names: &Names| columns(names, (Polynomial::constant(-2), 3));
    assert_eq!(ask_of(None, &ghosts, reads(&[-1])), Ok(Depth::ONE));
    assert_eq!(ask_of(None, &ghosts, reads(&[-1, -3])), Ok(Depth { first: 3, last: 1 }));
    assert_eq!(ask_of(None, &ghosts, reads(&[-3, -2, -1, 0, 1, 2])), Ok(Depth { first: 3, last: 1 }));
    let behind = |names: &Names| far_halo(names, 2);
    assert_eq!(ask_of(None, &behind, reads(&[-3, -2, -1, 0, 1, 2])), Ok(Depth { first: 1, last: 2 }));
    // One end of the whole array at the beginning and the other one behind the end.
    let both = |builder: &mut Builder, names: &Names| {
        builder.assign(column(names, names.new, 0), column(names, names.old, -2));
        let end = add(var(names.n), int(1));
        builder.branch(
            less(add(var(names.j), int(3)), end),
            |builder| {
                builder.assign(column(names, names.new, 0), column(names, names.old, 1));
            },
            None,
        );
    };
    assert_eq!(ask_of(None, &halo, both), Ok(Depth { first: 2, last: 1 }));
}

#[test]
fn what_all_iterations_need_is_refused_at_any_depth() {
    let fixed = |builder: &mut Builder, names: &Names| {
        builder.assign(column(names, names.new, 0), element(names.old, vec![var(names.i), int(0)]));
    };
    assert!(matches!(ask(fixed), Err(Dependent::TouchedInside { .. })));
    // Where there are few iterations, those that are too many do not count as proven.
    for iterations in 3..40 {
        let found = ask_of(Some(iterations), &halo, fixed);
        assert!(matches!(found, Err(Dependent::TouchedInside { .. })), "{iterations}: {found:?}");
    }
    // How far it reaches is not known.
    let by_variable = |builder: &mut Builder, names: &Names| {
        let place = add(var(names.j), var(names.n));
        builder.assign(column(names, names.new, 0), element(names.old, vec![var(names.i), place]));
    };
    let found = ask_of(Some(30), &|names| columns(names, (Polynomial::constant(-2), 2)), by_variable);
    assert!(matches!(found, Err(Dependent::TouchedInside { .. })), "{found:?}");
}

#[test]
fn in_a_loop_of_few_iterations_some_are_left_inside() {
    for iterations in 3..40 {
        match ask_of(Some(iterations), &halo, reads(&[-2])) {
            Ok(depth) => assert!(depth == Depth { first: 2, last: 1 } && depth.iterations() < iterations),
            Err(_) => assert!(iterations < 5, "{iterations}"),
        }
    }
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

/// What is received: so many columns from the first one on, which is counted from the first or from the last iteration's own.
#[derive(Debug, Clone, Copy)]
struct Halo {
    is_behind: bool,
    first: i64,
    count: i64,
}

impl Halo {
    fn region(self, names: &Names) -> Region {
        let own = if self.is_behind { Polynomial::variable(names.n) } else { Polynomial::constant(1) };
        columns(names, (own.checked_add(&Polynomial::constant(self.first)).expect("small"), self.count))
    }

    fn offsets(self, n: i64) -> std::ops::Range<i64> {
        let first = 20 + self.first + if self.is_behind { n } else { 1 };
        100 * first..100 * (first + self.count)
    }
}

fn message() -> impl Strategy<Value = Halo> {
    let narrow = Just(Halo { is_behind: false, first: -1, count: 1 });
    let any = (any::<bool>(), -3_i64..=2, 1_i64..=3);
    prop_oneof![1 => narrow, 2 => any.prop_map(|(is_behind, first, count)| Halo { is_behind, first, count })]
}

/// Holds a run against the answer that the loop can be split.
fn check(
    (program, found, names): (&Program, StatementId, &Names),
    (message, depth): (Halo, Depth),
    n: i64,
    is_used: bool,
) -> Result<(), TestCaseError> {
    let mut start: BTreeMap<SymbolId, i64> =
        (0..program.procedures[0].symbols.len()).map(|index| (SymbolId(index), 0)).collect();
    start.insert(names.n, n);
    let mut machine = Machine::new(&program.procedures[0], start);
    machine.observed = Some(found);
    prop_assert_eq!(machine.run(&program.procedures[0].body), Ending::Normal);
    prop_assert!(!machine.is_out_of_bounds && !machine.is_out_of_time);
    let region = message.offsets(n);
    let mut by_place: BTreeMap<(SymbolId, i64), Vec<&Touched>> = BTreeMap::new();
    for touched in machine.touched.iter().filter(|touched| touched.iteration.is_some()) {
        if touched.symbol == names.old && region.contains(&touched.offset) {
            let iteration = touched.iteration.expect("inside");
            let is_at_end = iteration <= i64::from(depth.first) || iteration > n - i64::from(depth.last);
            prop_assert!(is_at_end, "iteration {iteration} of {n} touches the halo, {depth:?}");
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
    let (split, deeper) = (Cell::new(0_u32), Cell::new(0_u32));
    let outcome = TestRunner::new(config).run(&(case(), message()), |((stores, is_used), message)| {
        let (program, found, names) = build(&stores, is_used);
        let is_dead = |symbol| symbol == names.i;
        let region = message.region(&names);
        let Ok(depth) = inside_is_independent((&program, &program), ONLY, found, &region, &is_dead) else {
            return Ok(());
        };
        split.set(split.get() + 1);
        deeper.set(deeper.get() + u32::from(depth != Depth::ONE));
        (0..=9).try_for_each(|n| check((&program, found, &names), (message, depth), n, is_used))
    });
    outcome.expect("no counterexample");
    println!("split {}, deeper {}", split.get(), deeper.get());
    assert!(split.get() > 50 && deeper.get() > 20);
}
