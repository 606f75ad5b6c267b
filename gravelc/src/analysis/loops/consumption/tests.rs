//! Shapes of loops that read messages, and random ones that are run to see what they read.

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::analysis::testing::machine::{Ending, Machine};
use crate::analysis::testing::{Builder, ONLY, add, cases, element, int, less, multiply, subtract, var};
use crate::ir::{Expression, Lmad};

struct Names {
    nx: SymbolId,
    ny: SymbolId,
    i: SymbolId,
    j: SymbolId,
    position: SymbolId,
    /// Offset 0 is the subscript -499.
    buffer: SymbolId,
    field: SymbolId,
    total: SymbolId,
}

fn names(builder: &mut Builder) -> Names {
    let [nx, ny, i, j, position] = ["nx", "ny", "i", "j", "position"].map(|name| builder.integer(name));
    let buffer = builder.array("buffer", vec![(int(-499), int(500))]);
    let field = builder.array("field", vec![(int(-499), int(500))]);
    let total = builder.real("total");
    Names { nx, ny, i, j, position, buffer, field, total }
}

fn variable(symbol: SymbolId) -> Polynomial {
    Polynomial::variable(symbol)
}

/// Asks about a loop over `i` from 1 to `nx` for a message of `count` elements from `buffer(1)` on.
fn ask(
    count: impl FnOnce(&Names) -> Polynomial,
    fill: impl FnOnce(&mut Builder, &Names),
) -> (Result<Consumption, NotConsumed>, Names) {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let found = builder.do_loop(names.i, (int(1), var(names.nx)), None, |builder, _| fill(builder, &names));
    let message = Region::elements(names.buffer, Lmad::run(Polynomial::constant(500), count(&names)));
    (consumption(&builder.program(), ONLY, found, &message), names)
}

fn read(builder: &mut Builder, names: &Names, subscript: Expression) {
    builder.assign(element(names.field, vec![var(names.i)]), element(names.buffer, vec![subscript]));
}

/// As [`ask`], for a message from `buffer(1)` on whose length is not known.
fn ask_without_length(fill: impl FnOnce(&mut Builder, &Names)) -> (Result<Consumption, NotConsumed>, Names) {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let found = builder.do_loop(names.i, (int(1), var(names.nx)), None, |builder, _| fill(builder, &names));
    let message = Region::from(names.buffer, Polynomial::constant(500));
    (consumption(&builder.program(), ONLY, found, &message), names)
}

#[test]
fn where_a_message_ends_need_not_be_known() {
    let (found, names) = ask_without_length(|builder, names| read(builder, names, add(var(names.i), int(7))));
    let expected = variable(names.i).checked_add(&Polynomial::constant(7)).expect("small");
    assert_eq!(found.map(|found| found.needed), Ok(expected));
    // Rows of `ny` elements, which may be a negative number.
    let (found, names) = ask_without_length(|builder, names| {
        builder.do_loop(names.j, (int(1), var(names.ny)), None, |builder, _| {
            let before = multiply(subtract(var(names.i), int(1)), var(names.ny));
            read(builder, names, add(before, var(names.j)));
        });
    });
    let rows = variable(names.i).checked_multiply(&variable(names.ny)).expect("small");
    assert_eq!(found.map(|found| found.needed), Ok(rows));
    let (found, _) = ask_without_length(|builder, names| read(builder, names, subtract(int(400), var(names.i))));
    assert!(matches!(found, Err(NotConsumed::NotAscending { .. })), "{found:?}");
}

#[test]
fn a_plain_loop_needs_as_many_elements_as_iterations_have_run() {
    let (found, names) = ask(|names| variable(names.nx), |builder, names| read(builder, names, var(names.i)));
    assert_eq!(found.map(|found| found.needed), Ok(variable(names.i)));
}

#[test]
fn neighbours_make_it_need_more_if_they_are_inside() {
    let fill = |builder: &mut Builder, names: &Names| {
        for shift in [0, 1, 2] {
            read(builder, names, add(var(names.i), int(shift)));
        }
    };
    let longer = |names: &Names| variable(names.nx).checked_add(&Polynomial::constant(2)).expect("small");
    let (found, names) = ask(longer, fill);
    let needed = variable(names.i).checked_add(&Polynomial::constant(2)).expect("small");
    assert_eq!(found.map(|found| found.needed), Ok(needed));
    let (found, _) = ask(|names| variable(names.nx), fill);
    assert!(matches!(found, Err(NotConsumed::OutsideMessage { .. })), "{found:?}");
}

#[test]
fn a_nest_needs_a_row_per_iteration() {
    let (found, names) = ask(
        |names| variable(names.nx).checked_multiply(&variable(names.ny)).expect("small"),
        |builder, names| {
            builder.do_loop(names.j, (int(1), var(names.ny)), None, |builder, _| {
                let row = multiply(subtract(var(names.i), int(1)), var(names.ny));
                read(builder, names, add(row, var(names.j)));
            });
        },
    );
    let needed = variable(names.i).checked_multiply(&variable(names.ny)).expect("small");
    assert_eq!(found.map(|found| found.needed), Ok(needed));
}

#[test]
fn what_is_read_backwards_or_in_every_iteration_is_needed_at_once() {
    let backwards = |names: &Names| subtract(add(var(names.nx), int(1)), var(names.i));
    for subscript in [backwards, |names: &Names| var(names.nx), |_: &Names| int(3)] {
        let (found, _) = ask(
            |names| variable(names.nx),
            |builder, names| {
                read(builder, names, subscript(names));
            },
        );
        assert!(
            matches!(found, Err(NotConsumed::NotAscending { .. } | NotConsumed::OutsideMessage { .. })),
            "{found:?}"
        );
    }
}

#[test]
fn a_loop_that_stores_into_the_message_can_not_be_cut() {
    let (found, _) = ask(
        |names| variable(names.nx),
        |builder, names| {
            builder.assign(element(names.buffer, vec![var(names.i)]), element(names.buffer, vec![var(names.i)]));
        },
    );
    assert!(matches!(found, Err(NotConsumed::Written { .. })), "{found:?}");
}

#[test]
fn a_sum_stays_whole() {
    let (found, _) = ask(
        |names| variable(names.nx),
        |builder, names| {
            builder.assign(var(names.total), add(var(names.total), element(names.buffer, vec![var(names.i)])));
        },
    );
    assert!(matches!(found, Err(NotConsumed::NotCuttable(NotProduced::CarriesFloatingPoint { .. }))), "{found:?}");
}

#[test]
fn a_position_that_is_counted_up_is_not_known() {
    let (found, _) = ask(
        |names| variable(names.nx),
        |builder, names| {
            builder.assign(var(names.position), add(var(names.position), int(1)));
            read(builder, names, var(names.position));
        },
    );
    assert!(found.is_err(), "{found:?}");
}

/// A read of the loop, whose subscript is made of what loops use, now and then with a mistake in it.
#[derive(Debug, Clone)]
struct Read {
    /// Factors of `i` and `j` (see [`factor`]) and a constant.
    outer: usize,
    inner: usize,
    constant: i64,
    in_inner: bool,
    through_temporary: bool,
    is_conditional: bool,
}

#[derive(Debug, Clone)]
struct Case {
    lower: i64,
    reads: Vec<Read>,
    /// Length of the message: per iteration one of the factors, plus a constant.
    count: (usize, i64),
}

/// -1, 0, 1, 2, ny, ny + 1
const FACTORS: usize = 6;

fn factor(names: &Names, number: usize) -> Expression {
    match number {
        0 => int(-1),
        1..=3 => int(i64::try_from(number).expect("small") - 1),
        4 => var(names.ny),
        _ => add(var(names.ny), int(1)),
    }
}

fn case() -> impl Strategy<Value = Case> {
    let read = (
        prop_oneof![1 => 0_usize..FACTORS, 3 => Just(4), 3 => Just(2)],
        prop_oneof![1 => 0_usize..FACTORS, 3 => Just(2)],
        prop_oneof![3 => Just(0_i64), 1 => -2_i64..=2],
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(outer, inner, constant, in_inner, through_temporary, is_conditional)| Read {
            outer,
            inner,
            constant,
            in_inner,
            through_temporary,
            is_conditional,
        });
    let count = (prop_oneof![1 => 0_usize..FACTORS, 3 => Just(4), 3 => Just(2)], -1_i64..=3);
    (prop_oneof![3 => Just(1_i64), 1 => -1_i64..=2], prop::collection::vec(read, 1..=3), count)
        .prop_map(|(lower, reads, count)| Case { lower, reads, count })
}

fn add_read(builder: &mut Builder, names: &Names, lower: i64, random: &Read) {
    let outer = multiply(factor(names, random.outer), subtract(var(names.i), int(lower)));
    let inner = multiply(factor(names, random.inner), subtract(var(names.j), int(1)));
    let position = if random.in_inner { add(outer, inner) } else { outer };
    let mut subscript = add(position, int(random.constant + 1));
    if random.through_temporary {
        builder.assign(var(names.position), subscript);
        subscript = var(names.position);
    }
    if random.is_conditional {
        builder.branch(less(var(names.i), int(2)), |builder| read(builder, names, subscript), None);
    } else {
        read(builder, names, subscript);
    }
}

fn build(case: &Case) -> (Program, StatementId, Names, Region) {
    let mut builder = Builder::new();
    let names = names(&mut builder);
    let found = builder.do_loop(names.i, (int(case.lower), var(names.nx)), None, |builder, _| {
        builder.do_loop(names.j, (int(1), var(names.ny)), None, |builder, _| {
            case.reads.iter().filter(|read| read.in_inner).for_each(|read| add_read(builder, &names, case.lower, read));
        });
        case.reads.iter().filter(|read| !read.in_inner).for_each(|read| add_read(builder, &names, case.lower, read));
    });
    let program = builder.program();
    let trips = add(subtract(var(names.nx), int(case.lower)), int(1));
    let count = add(multiply(factor(&names, case.count.0), trips), int(case.count.1));
    let count = crate::analysis::algebra::symbolic::polynomial_of(&program.procedures[0], &count).expect("integers");
    let message = Region::elements(names.buffer, Lmad::run(Polynomial::constant(500), count));
    (program, found, names, message)
}

/// Runs the loop and holds it against what was said. Says whether it read anything of the message.
fn check(
    program: &Program,
    found: StatementId,
    names: &Names,
    message: &Region,
    said: &Consumption,
    start: &BTreeMap<SymbolId, i64>,
) -> Result<bool, TestCaseError> {
    let with = |i: Option<i64>, polynomial: &Polynomial| {
        let value = |symbol| i.filter(|_| symbol == names.i).unwrap_or_else(|| start[&symbol]);
        polynomial.evaluate(&value).expect("small")
    };
    let count = with(None, &message.lmad().expect("known").dimensions[0].count);
    let mut machine = Machine::new(&program.procedures[0], start.clone());
    machine.observed = Some(found);
    // MPI demands a count that is not negative.
    if count < 0 || machine.run(&program.procedures[0].body) != Ending::Normal {
        return Ok(false);
    }
    prop_assert!(!machine.is_out_of_bounds && !machine.is_out_of_time);
    let mut any = false;
    let mut before = 0;
    let iterations: std::collections::BTreeSet<i64> =
        machine.touched.iter().filter_map(|touched| touched.iteration).collect();
    for &iteration in &iterations {
        let needed = with(Some(iteration), &said.needed);
        prop_assert!((0..=count).contains(&needed), "iteration {iteration} needs {needed} of {count}");
        prop_assert!(needed >= before, "iteration {iteration} needs less than the one before");
        before = needed;
        let in_iteration = machine.touched.iter().filter(|touched| touched.iteration == Some(iteration));
        for touched in in_iteration.filter(|touched| touched.symbol == names.buffer) {
            let place = touched.offset - 500;
            prop_assert!(place >= count || place < needed, "iteration {iteration} reads {place}, not below {needed}");
            any |= (0..count).contains(&place);
        }
    }
    Ok(any)
}

#[test]
fn no_iteration_reads_what_it_is_said_not_to_need() {
    let config = Config { cases: cases(4_000), failure_persistence: None, max_shrink_iters: 4000, ..Config::default() };
    let (consumed, runs) = (Cell::new(0_u32), Cell::new(0_u32));
    let outcome = TestRunner::new(config).run(&case(), |case| {
        let (program, found, names, message) = build(&case);
        let Ok(said) = consumption(&program, ONLY, found, &message) else { return Ok(()) };
        consumed.set(consumed.get() + 1);
        for nx in -2..=4 {
            for ny in -2..=4 {
                let mut start: BTreeMap<SymbolId, i64> =
                    (0..program.procedures[0].symbols.len()).map(|index| (SymbolId(index), 0)).collect();
                start.insert(names.nx, nx);
                start.insert(names.ny, ny);
                let is_real = check(&program, found, &names, &message, &said, &start)?;
                runs.set(runs.get() + u32::from(is_real));
            }
        }
        Ok(())
    });
    outcome.expect("no counterexample");
    println!("consumed {}, runs {}", consumed.get(), runs.get());
    assert!(consumed.get() > 20 && runs.get() > 100);
}
