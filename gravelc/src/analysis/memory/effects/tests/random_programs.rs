//! Effects of random programs, held against what happens when these run.

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::analysis::testing::machine::{Ending, Machine, Touched};
use crate::analysis::testing::{Fill, cases, elements_of};
use crate::ir::{Interval, Procedure};

/// `constant + sum(factor * variable)` over the integers of [`Names`].
#[derive(Debug, Clone)]
pub(in crate::analysis) struct Affine {
    constant: i64,
    factors: Vec<(usize, i64)>,
}

#[derive(Debug, Clone)]
pub(in crate::analysis) enum Node {
    /// `temporary = value`
    Set {
        temporary: usize,
        value: Affine,
    },
    /// `array(subscripts) = array(subscripts)`
    Copy {
        target: Place,
        source: Place,
    },
    /// `scalar = array element or scalar`
    Scalar {
        is_store: bool,
        element: Place,
    },
    Loop {
        variable: usize,
        lower: Affine,
        upper: Affine,
        step: Option<i64>,
        body: Vec<Node>,
    },
    If {
        condition: Affine,
        then: Vec<Node>,
        otherwise: Option<Vec<Node>>,
    },
    /// EXIT or CYCLE of the loop that is so many loops further out, if there is one, else RETURN.
    Jump {
        is_exit: bool,
        level: usize,
    },
}

#[derive(Debug, Clone)]
pub(in crate::analysis) enum Place {
    Line(Affine),
    Plane(Affine, Affine),
}

pub(in crate::analysis) struct Names {
    /// Two that nothing changes, two temporaries, three loop variables.
    pub integers: Vec<SymbolId>,
    line: SymbolId,
    plane: SymbolId,
    scalar: SymbolId,
}

const FIXED: usize = 2;
const TEMPORARIES: usize = 2;
const LOOP_VARIABLES: usize = 3;
const INTEGERS: usize = FIXED + TEMPORARIES + LOOP_VARIABLES;

fn affine() -> impl Strategy<Value = Affine> {
    (-3_i64..=5, prop::collection::vec((0..INTEGERS, -2_i64..=3), 0..=2))
        .prop_map(|(constant, factors)| Affine { constant, factors })
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![affine().prop_map(Place::Line), (affine(), affine()).prop_map(|(x, y)| Place::Plane(x, y))]
}

pub(in crate::analysis) fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        3 => (0..TEMPORARIES, affine()).prop_map(|(temporary, value)| Node::Set { temporary, value }),
        6 => (place(), place()).prop_map(|(target, source)| Node::Copy { target, source }),
        2 => (any::<bool>(), place()).prop_map(|(is_store, element)| Node::Scalar { is_store, element }),
        1 => (any::<bool>(), 0_usize..=3).prop_map(|(is_exit, level)| Node::Jump { is_exit, level }),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        let block = || prop::collection::vec(inner.clone(), 1..=4);
        let step = prop_oneof![5 => Just(None), 1 => Just(Some(-1)), 1 => Just(Some(2)), 1 => Just(Some(-3))];
        prop_oneof![
            4 => (0..LOOP_VARIABLES, affine(), affine(), step, block())
                .prop_map(|(variable, lower, upper, step, body)| Node::Loop { variable, lower, upper, step, body }),
            2 => (affine(), block(), prop::option::of(block()))
                .prop_map(|(condition, then, otherwise)| Node::If { condition, then, otherwise }),
        ]
    })
}

fn expression_of(names: &Names, affine: &Affine) -> Expression {
    affine.factors.iter().fold(int(affine.constant), |sum, &(variable, factor)| {
        add(sum, multiply(int(factor), var(names.integers[variable])))
    })
}

fn element_of(names: &Names, place: &Place) -> Expression {
    match place {
        Place::Line(subscript) => element(names.line, vec![expression_of(names, subscript)]),
        Place::Plane(first, second) => {
            element(names.plane, vec![expression_of(names, first), expression_of(names, second)])
        }
    }
}

fn build(builder: &mut Builder, names: &Names, loops: &mut Vec<(usize, StatementId)>, nodes: &[Node]) {
    for node in nodes {
        match node {
            Node::Set { temporary, value } => {
                builder.assign(var(names.integers[FIXED + temporary]), expression_of(names, value));
            }
            Node::Copy { target, source } => {
                builder.assign(element_of(names, target), element_of(names, source));
            }
            Node::Scalar { is_store: true, element } => {
                builder.assign(var(names.scalar), element_of(names, element));
            }
            Node::Scalar { is_store: false, element } => {
                builder.assign(element_of(names, element), var(names.scalar));
            }
            Node::Loop { variable, lower, upper, step, body } => {
                // The language forbids loops inside one another with one variable.
                if loops.iter().any(|(used, _)| used == variable) {
                    build(builder, names, loops, body);
                    continue;
                }
                let bounds = (expression_of(names, lower), expression_of(names, upper));
                let symbol = names.integers[FIXED + TEMPORARIES + variable];
                builder.do_loop(symbol, bounds, *step, |builder, id| {
                    loops.push((*variable, id));
                    build(builder, names, loops, body);
                    loops.pop();
                });
            }
            Node::If { condition, then, otherwise } => {
                let condition = less(expression_of(names, condition), int(2));
                let mut inner = loops.clone();
                let other = otherwise.as_ref().map(|nodes| -> Fill<'_> {
                    Box::new(move |builder: &mut Builder| build(builder, names, &mut inner, nodes))
                });
                builder.branch(condition, |builder| build(builder, names, loops, then), other);
            }
            Node::Jump { is_exit, level } => {
                let target = loops.iter().rev().nth(*level).map(|&(_, id)| id);
                let kind = match (target, is_exit) {
                    (None, _) => StatementKind::Return,
                    (target, true) => StatementKind::Exit(target),
                    (target, false) => StatementKind::Cycle(target),
                };
                // Without a condition nothing behind it would ever run.
                builder.branch(
                    less(var(names.integers[0]), int(1)),
                    |builder| {
                        builder.add(kind);
                    },
                    None,
                );
            }
        }
    }
}

pub(in crate::analysis) fn program_of(nodes: &[Node]) -> (Program, Names) {
    let mut builder = Builder::new();
    let integers = (0..INTEGERS).map(|number| builder.integer(&format!("i{number}"))).collect();
    let line = builder.array("line", vec![(int(-300), int(300))]);
    let plane = builder.array("plane", vec![(int(-40), int(40)), (int(-40), int(40))]);
    let scalar = builder.real("scalar");
    let names = Names { integers, line, plane, scalar };
    build(&mut builder, &names, &mut Vec::new(), nodes);
    (builder.program(), names)
}

/// Does the access cover what was touched?
fn covers(access: &Access, touched: &Touched, values: &dyn Fn(SymbolId) -> i64) -> bool {
    let evaluate = |polynomial: &Polynomial| polynomial.evaluate(values).expect("small numbers");
    let is_inside = |(interval, subscript): (&Option<Interval>, &i64)| {
        interval
            .as_ref()
            .is_none_or(|interval| (evaluate(&interval.lower)..=evaluate(&interval.upper)).contains(subscript))
    };
    access.region.symbol == touched.symbol
        && (access.kind == AccessKind::Write) == touched.is_write
        && access.region.lmad().is_none_or(|lmad| elements_of(lmad, values).contains(&touched.offset))
        && (touched.subscripts.is_empty() || access.region.subscripts.iter().zip(&touched.subscripts).all(is_inside))
}

fn check(procedure: &Procedure, effects: &Effects, start: &BTreeMap<SymbolId, i64>) -> Result<bool, TestCaseError> {
    let mut machine = Machine::new(procedure, start.clone());
    let ending = machine.run(&procedure.body);
    if machine.is_out_of_bounds || machine.is_out_of_time {
        return Ok(false);
    }
    let values = |symbol: SymbolId| start.get(&symbol).copied().unwrap_or(0);
    prop_assert!(ending == Ending::Normal || effects.leaves.is_some());
    for touched in &machine.touched {
        let is_covered = effects.accesses.iter().any(|access| covers(access, touched, &values));
        prop_assert!(is_covered, "{touched:?} is not among the effects");
    }
    for access in &effects.accesses {
        if access.certainty == Certainty::Must && ending == Ending::Normal {
            prop_assert_eq!(access.kind, AccessKind::Write);
            let lmad = access.region.lmad().expect("what is certain is known");
            for offset in elements_of(lmad, &values) {
                let is_written = machine.touched.iter().any(|touched| {
                    touched.is_write && touched.symbol == access.region.symbol && touched.offset == offset
                });
                prop_assert!(is_written, "element {offset} of {access:?} is not written");
            }
        }
    }
    for index in 0..procedure.symbols.len() {
        let symbol = SymbolId(index);
        let is_scalar = procedure.symbol(symbol).shape == Shape::Scalar;
        if let Some(first) = machine.touched.iter().find(|touched| touched.symbol == symbol)
            && is_scalar
            && !first.is_write
        {
            let is_exposed = effects.accesses.iter().any(|access| access.region.symbol == symbol && access.is_exposed);
            prop_assert!(is_exposed, "a value from before is read in {}", procedure.symbol(symbol).name);
        }
    }
    Ok(true)
}

#[test]
fn effects_hold_what_happens() {
    let config = Config { cases: cases(1500), failure_persistence: None, ..Config::default() };
    let (runs, known, certain) = (Cell::new(0_u32), Cell::new(0_u32), Cell::new(0_u32));
    let strategy = prop::collection::vec(node(), 1..=4);
    let outcome = TestRunner::new(config).run(&strategy, |nodes| {
        let (program, names) = program_of(&nodes);
        let procedure = &program.procedures[0];
        let effects = effects_of_all(&program, ONLY, &procedure.body);
        for (first, second) in [(0, 0), (1, 2), (3, 1), (-1, 4), (4, -2)] {
            let mut start: BTreeMap<SymbolId, i64> =
                names.integers.iter().enumerate().map(|(number, &symbol)| (symbol, number as i64 - 3)).collect();
            start.insert(names.integers[0], first);
            start.insert(names.integers[1], second);
            runs.set(runs.get() + u32::from(check(procedure, &effects, &start)?));
        }
        for access in effects.accesses.iter().filter(|access| [names.line, names.plane].contains(&access.region.symbol))
        {
            known.set(known.get() + u32::from(access.region.lmad().is_some()));
            certain.set(certain.get() + u32::from(access.certainty == Certainty::Must));
        }
        Ok(())
    });
    outcome.expect("no counterexample");
    println!("runs {}, accesses with known elements {}, certain {}", runs.get(), known.get(), certain.get());
    // The test is about something.
    assert!(runs.get() > 1000 && known.get() > 1000 && certain.get() > 200);
}
