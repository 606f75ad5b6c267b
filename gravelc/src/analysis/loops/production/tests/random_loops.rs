//! Random loops over one buffer: whenever one is said to produce a message, running it must show that.

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::analysis::testing::cases;
use crate::analysis::testing::machine::{Ending, Machine};
use crate::ir::Dimension;

/// A store of the loop, whose subscript is made of what pack loops use, now and then with a mistake in it.
#[derive(Debug, Clone)]
struct Store {
    /// Factors of `i` and `j` (see [`FACTORS`]), a constant, and whether the subscript goes through a temporary.
    outer: usize,
    inner: usize,
    constant: i64,
    /// So many stores side by side.
    copies: i64,
    through_temporary: bool,
    wrapping: Wrapping,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Wrapping {
    Nothing,
    Condition,
    BothBranches,
    BehindCycle,
}

#[derive(Debug, Clone)]
struct Case {
    lower: i64,
    inner_bounds: (i64, InnerUpper, Option<i64>),
    in_inner: Vec<Store>,
    behind_inner: Vec<Store>,
    /// So often are all stores made, each time further on by as much as the first store fills, plus a constant.
    sequences: (i64, i64),
    /// Length of the message: per iteration one of [`FACTORS`] (that of the first store where none is given), plus a
    /// constant; so much for each sequence.
    count: (Option<usize>, i64),
    offset: i64,
}

#[derive(Debug, Clone, Copy)]
enum InnerUpper {
    Constant(i64),
    Ny,
    Outer,
}

/// 0, 1, 2, 3, ny, 2*ny, ny + 1
const FACTORS: usize = 7;

fn factor(names: &Names, number: usize) -> Expression {
    match number {
        0..=3 => int(i64::try_from(number).expect("small")),
        4 => var(names.ny),
        5 => multiply(int(2), var(names.ny)),
        _ => add(var(names.ny), int(1)),
    }
}

fn store() -> impl Strategy<Value = Store> {
    let outer = prop_oneof![1 => 0_usize..FACTORS, 3 => Just(4), 1 => Just(1)];
    let inner = prop_oneof![1 => 0_usize..FACTORS, 4 => Just(1)];
    let wrapping = prop_oneof![
        8 => Just(Wrapping::Nothing),
        1 => Just(Wrapping::Condition),
        1 => Just(Wrapping::BothBranches),
        1 => Just(Wrapping::BehindCycle),
    ];
    let constant = prop_oneof![5 => Just(0_i64), 1 => -1_i64..=4];
    (outer, inner, constant, prop_oneof![3 => Just(1_i64), 1 => 2_i64..=3], any::<bool>(), wrapping).prop_map(
        |(outer, inner, constant, copies, through_temporary, wrapping)| Store {
            outer,
            inner,
            constant,
            copies,
            through_temporary,
            wrapping,
        },
    )
}

fn case() -> impl Strategy<Value = Case> {
    let upper = prop_oneof![
        2 => (1_i64..=4).prop_map(InnerUpper::Constant),
        3 => Just(InnerUpper::Ny),
        1 => Just(InnerUpper::Outer),
    ];
    let step = prop_oneof![6 => Just(None), 1 => Just(Some(-1)), 1 => Just(Some(2))];
    (
        prop_oneof![4 => Just(1_i64), 1 => -1_i64..=2],
        (prop_oneof![3 => Just(1_i64), 1 => 0_i64..=2], upper, step),
        prop_oneof![3 => prop::collection::vec(store(), 1), 1 => prop::collection::vec(store(), 0..=3)],
        prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(store(), 0..=2)],
        (prop_oneof![3 => Just(1_i64), 2 => 2_i64..=3], prop_oneof![4 => Just(0_i64), 1 => -1_i64..=1]),
        (
            prop_oneof![4 => Just(None), 1 => (0_usize..FACTORS).prop_map(Some)],
            prop_oneof![4 => Just(0_i64), 1 => -1_i64..=2],
        ),
        prop_oneof![5 => Just(0_i64), 1 => 1_i64..=3],
    )
        .prop_map(|(lower, inner_bounds, in_inner, behind_inner, sequences, count, offset)| Case {
            lower,
            inner_bounds,
            in_inner,
            behind_inner,
            sequences,
            count,
            offset,
        })
}

/// Makes the store where the case says, `further` on.
fn add_stores(
    builder: &mut Builder,
    names: &Names,
    (id, lower): (StatementId, i64),
    (store, in_inner): (&Store, bool),
    further: &Expression,
) {
    for copy in 0..store.copies {
        let outer = multiply(factor(names, store.outer), subtract(var(names.i), int(lower)));
        let last = int(store.constant + 1 + copy);
        let subscript = if in_inner {
            let inner = multiply(factor(names, store.inner), subtract(var(names.j), int(1)));
            add(add(outer, inner), last)
        } else {
            add(outer, last)
        };
        let subscript = add(subscript, further.clone());
        let subscript = if store.through_temporary {
            builder.assign(var(names.position), subscript);
            var(names.position)
        } else {
            subscript
        };
        add_wrapped(builder, names, id, store.wrapping, &subscript);
    }
}

fn add_wrapped(builder: &mut Builder, names: &Names, id: StatementId, wrapping: Wrapping, subscript: &Expression) {
    let condition = less(var(names.i), int(3));
    let write = |builder: &mut Builder| {
        builder.assign(element(names.buffer, vec![subscript.clone()]), literal());
    };
    match wrapping {
        Wrapping::Nothing => write(builder),
        Wrapping::Condition => {
            builder.branch(condition, write, None);
        }
        Wrapping::BothBranches => {
            builder.branch(condition, write, Some(Box::new(write)));
        }
        Wrapping::BehindCycle => {
            builder.branch(
                condition,
                |builder| {
                    builder.add(StatementKind::Cycle(Some(id)));
                },
                None,
            );
            write(builder);
        }
    }
}

fn build(case: &Case) -> (Program, StatementId, Names, Region) {
    let mut builder = Builder::new();
    let mut names = names(&mut builder);
    names.buffer = builder.array("wide", vec![(int(-499), int(500))]);
    let (inner_lower, upper, step) = case.inner_bounds;
    let upper = match upper {
        InnerUpper::Constant(value) => int(value),
        InnerUpper::Ny => var(names.ny),
        InnerUpper::Outer => var(names.i),
    };
    let bounds = if step == Some(-1) { (upper, int(inner_lower)) } else { (int(inner_lower), upper) };
    let trips = add(subtract(var(names.nx), int(case.lower)), int(1));
    let first = case.in_inner.first().or(case.behind_inner.first()).map_or(1, |store| store.outer);
    let further: Vec<Expression> = (0..case.sequences.0)
        .map(|sequence| {
            let filled = add(multiply(factor(&names, first), trips.clone()), int(case.sequences.1));
            multiply(int(sequence), filled)
        })
        .collect();
    let found = builder.do_loop(names.i, (int(case.lower), var(names.nx)), None, |builder, id| {
        if !case.in_inner.is_empty() {
            builder.do_loop(names.j, bounds, step, |builder, _| {
                for store in &case.in_inner {
                    for further in &further {
                        add_stores(builder, &names, (id, case.lower), (store, true), further);
                    }
                }
            });
        }
        for store in &case.behind_inner {
            for further in &further {
                add_stores(builder, &names, (id, case.lower), (store, false), further);
            }
        }
    });
    let program = builder.program();
    let value = |expression: &Expression| polynomial_of(&program.procedures[0], expression).expect("integers");
    let per_iteration = factor(&names, case.count.0.unwrap_or(first));
    let of_sequence = add(multiply(per_iteration, trips), int(case.count.1));
    let count = value(&multiply(int(case.sequences.0), of_sequence));
    // Offset 0 is the subscript -499; the stores begin at the subscript 1.
    let lmad = Lmad { offset: constant(500 + case.offset), dimensions: vec![Dimension { stride: constant(1), count }] };
    let message = Region::elements(names.buffer, lmad);
    (program, found, names, message)
}

/// Runs the loop and holds it against what was said.
fn check(
    program: &Program,
    found: StatementId,
    names: &Names,
    message: &Region,
    said: &Production,
    lower: i64,
    start: &BTreeMap<SymbolId, i64>,
) -> Result<bool, TestCaseError> {
    let evaluate = |polynomial: &Polynomial| polynomial.evaluate(&|symbol| start[&symbol]).expect("small");
    let lmad = message.lmad().expect("known");
    let (offset, count) = (evaluate(&lmad.offset), evaluate(&lmad.dimensions[0].count));
    // MPI demands a count that is not negative; the condition of the answer must hold.
    let negative = said.factors.iter().filter(|factor| evaluate(factor) < 0).count();
    if count < 0 || negative > 1 {
        return Ok(false);
    }
    let per_iteration = evaluate(&said.elements_per_iteration);
    let mut machine = Machine::new(&program.procedures[0], start.clone());
    machine.observed = Some(found);
    let ending = machine.run(&program.procedures[0].body);
    prop_assert_eq!(ending, Ending::Normal);
    prop_assert!(!machine.is_out_of_bounds && !machine.is_out_of_time);
    let mut written: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for touched in machine.touched.iter().filter(|touched| touched.is_write && touched.symbol == names.buffer) {
        let iteration = touched.iteration.expect("everything happens in the loop");
        written.entry(touched.offset - offset).or_default().push(iteration);
    }
    prop_assert!(written.keys().all(|element| (0..count).contains(element)), "a store outside the message");
    let starts: Vec<i64> = said.sequences.iter().map(evaluate).collect();
    prop_assert!(starts.is_sorted() && starts.first() == Some(&0));
    for position in 0..count {
        let iterations = written.get(&position);
        let start = starts.iter().rfind(|&&start| start <= position).expect("the first is 0");
        let expected = lower + (position - start).div_euclid(per_iteration);
        prop_assert!(
            iterations.is_some_and(|all| all.iter().all(|&iteration| iteration == expected)),
            "element {position} of the message is written in {iterations:?}, not in {expected} only"
        );
    }
    Ok(count > 0)
}

#[test]
fn what_is_said_to_be_produced_is() {
    let config = Config { cases: cases(5_000), failure_persistence: None, max_shrink_iters: 4000, ..Config::default() };
    let (produced, runs, side_by_side) = (Cell::new(0_u32), Cell::new(0_u32), Cell::new(0_u32));
    let outcome = TestRunner::new(config).run(&case(), |case| {
        let (program, found, names, message) = build(&case);
        let Ok(said) = production(&program, ONLY, found, &message, &Assumptions::new()) else { return Ok(()) };
        produced.set(produced.get() + 1);
        side_by_side.set(side_by_side.get() + u32::from(said.sequences.len() > 1));
        for nx in -3..=4 {
            for ny in -2..=4 {
                let mut start: BTreeMap<SymbolId, i64> =
                    (0..program.procedures[0].symbols.len()).map(|index| (SymbolId(index), 0)).collect();
                start.insert(names.nx, nx);
                start.insert(names.ny, ny);
                let is_real = check(&program, found, &names, &message, &said, case.lower, &start)?;
                runs.set(runs.get() + u32::from(is_real));
            }
        }
        Ok(())
    });
    outcome.expect("no counterexample");
    println!("produced {}, side by side {}, runs {}", produced.get(), side_by_side.get(), runs.get());
    assert!(produced.get() > 20 && side_by_side.get() > 5 && runs.get() > 200);
}
