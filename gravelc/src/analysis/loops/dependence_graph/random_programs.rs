//! Dependence graphs of random programs, held against what depends on what when these run.

use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::analysis::memory::effects::tests::random_programs::{node, program_of};
use crate::analysis::testing::cases;
use crate::analysis::testing::machine::{Machine, Touched};

/// The order of two accesses as the graph must know it: the two statements of one block that hold them, and the loop whose
/// rounds tell them apart. `None` within one statement.
fn order_of(first: &Touched, second: &Touched) -> Option<(StatementId, StatementId, Option<StatementId>)> {
    let depth = first.within.iter().zip(&second.within).position(|(one, two)| one != two)?;
    let ((from, one_round), (to, other_round)) = (first.within[depth], second.within[depth]);
    let around = depth.checked_sub(1).map(|outer| first.within[outer].0);
    Some((from, to, if one_round == other_round { None } else { around }))
}

/// Memory that is touched: the accesses since it was written last, that write included.
type Recent<'t> = BTreeMap<(SymbolId, i64), Vec<&'t Touched>>;

#[test]
fn graphs_hold_every_dependence_that_happens() {
    let config = Config { cases: cases(250), failure_persistence: None, ..Config::default() };
    let (seen, carried, absent) = (Cell::new(0_u32), Cell::new(0_u32), Cell::new(0_u32));
    let outcome = TestRunner::new(config).run(&prop::collection::vec(node(), 1..=4), |nodes| {
        let (program, names) = program_of(&nodes);
        let procedure = &program.procedures[0];
        let graph = dependences(&Facts::new(&program), ProcedureId(0));
        for (first, second) in [(0, 0), (1, 2), (3, 1), (-1, 4)] {
            let mut start: BTreeMap<SymbolId, i64> =
                names.integers.iter().enumerate().map(|(number, &symbol)| (symbol, number as i64 - 3)).collect();
            start.insert(names.integers[0], first);
            start.insert(names.integers[1], second);
            let mut machine = Machine::new(procedure, start);
            machine.run(&procedure.body);
            if machine.is_out_of_bounds || machine.is_out_of_time {
                continue;
            }
            let mut recent: Recent = BTreeMap::new();
            for touched in &machine.touched {
                let known = recent.entry((touched.symbol, touched.offset)).or_default();
                for earlier in known.iter().filter(|earlier| earlier.is_write || touched.is_write) {
                    let Some((from, to, carried_by)) = order_of(earlier, touched) else { continue };
                    let kind = match (earlier.is_write, touched.is_write) {
                        (true, false) => DependenceKind::Flow,
                        (false, _) => DependenceKind::Anti,
                        (true, true) => DependenceKind::Output,
                    };
                    let is_known = graph.iter().any(|found| {
                        (found.from, found.to, found.carried_by) == (from, to, carried_by)
                            && (found.kind == DependenceKind::Unknown
                                || (found.kind == kind
                                    && found.region.as_ref().is_some_and(|region| region.symbol == touched.symbol)))
                    });
                    prop_assert!(
                        is_known,
                        "{kind:?} from {from:?} to {to:?} ({carried_by:?}): {earlier:?} {touched:?}"
                    );
                    seen.set(seen.get() + 1);
                    carried.set(carried.get() + u32::from(carried_by.is_some()));
                }
                if touched.is_write {
                    known.clear();
                }
                known.push(touched);
            }
        }
        for (index, &from) in procedure.body.iter().enumerate() {
            let is_free = |to: &&StatementId| !graph.iter().any(|found| (found.from, found.to) == (from, **to));
            let count = procedure.body[index + 1..].iter().filter(is_free).count();
            absent.set(absent.get() + u32::try_from(count).unwrap_or(u32::MAX));
        }
        Ok(())
    });
    outcome.expect("no counterexample");
    println!("dependences {}, carried {}, pairs without one {}", seen.get(), carried.get(), absent.get());
    // The test is about something. Pairs without a dependence are rare: some 24, with a wide spread.
    assert!(seen.get() > 5_000 && carried.get() > 1_000 && absent.get() > 2);
}
