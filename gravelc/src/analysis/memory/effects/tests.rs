//! Effects of hand-made statements.

use std::collections::BTreeSet;

use super::*;
use crate::analysis::memory::repeatable::symbols_read_by;
use crate::analysis::testing::{
    Builder, INTEGER, ONLY, REAL, add, element, expression, int, less, multiply, subtract, var,
};
use crate::ir::{
    ArrayDimension, BinaryOperator, Callee, CompletionKind, Datatype, Dimension, ErrorHandling, Extent, Lmad, Message,
    Operation, Participation, Partner, Place, Polynomial, SendMode, Shape, StatementKind, Status, Storage,
};

#[cfg(feature = "fortran")]
mod calls;
pub(in crate::analysis) mod random_programs;

fn constant(value: i64) -> Polynomial {
    Polynomial::constant(value)
}

/// The only write to `symbol`.
fn write_to(effects: &Effects, symbol: SymbolId) -> &Access {
    let writes: Vec<&Access> = effects
        .accesses
        .iter()
        .filter(|access| access.kind == AccessKind::Write && access.region.symbol == symbol)
        .collect();
    assert_eq!(writes.len(), 1, "{effects:?}");
    writes[0]
}

fn written(effects: &Effects) -> BTreeSet<SymbolId> {
    let writes = effects.accesses.iter().filter(|access| access.kind == AccessKind::Write);
    writes.map(|access| access.region.symbol).collect()
}

fn literal() -> Expression {
    expression(ExpressionKind::Literal)
}

#[test]
fn the_kind_of_an_iteration_is_not_known() {
    let mut builder = Builder::new();
    let [n, i] = ["n", "i"].map(|name| builder.integer(name));
    let buffer = builder.array("buffer", vec![(int(1), int(4096))]);
    let filled = builder.do_loop(i, (int(1), var(n)), None, |builder, _| {
        let callee = Callee::PureIntrinsic("int".into());
        let converted = expression(ExpressionKind::Call { callee, arguments: vec![add(var(i), int(1))] });
        builder.assign(element(buffer, vec![converted]), literal());
    });
    let program = builder.program();
    let effects = effects_of(&program, ONLY, filled);
    assert_eq!(write_to(&effects, buffer).region.extent, Extent::Whole);
}

#[test]
fn a_pack_nest_is_aggregated_through_a_temporary_subscript() {
    let mut builder = Builder::new();
    let [ny, j, k, position] = ["ny", "j", "k", "ipos"].map(|name| builder.integer(name));
    let buffer = builder.array("buffer", vec![(int(1), int(4096))]);
    let nest = builder.do_loop(k, (int(1), int(8)), None, |builder, _| {
        builder.do_loop(j, (int(1), var(ny)), None, |builder, _| {
            builder.assign(var(position), add(multiply(subtract(var(k), int(1)), var(ny)), var(j)));
            builder.assign(element(buffer, vec![var(position)]), literal());
        });
    });
    let program = builder.program();
    let effects = effects_of(&program, ONLY, nest);
    let access = write_to(&effects, buffer);
    let ny = Polynomial::variable(ny);
    let expected = Lmad {
        offset: constant(0),
        dimensions: vec![
            Dimension { stride: constant(1), count: ny.clone() },
            Dimension { stride: ny, count: constant(8) },
        ],
    };
    assert_eq!(access.region.extent, Extent::Elements(expected));
    assert_eq!(access.certainty, Certainty::Must);
    assert!(effects.external.is_none() && effects.leaves.is_none() && effects.everything.is_none());
}

#[test]
fn branches_make_writes_uncertain_and_temporaries_unknown() {
    let mut builder = Builder::new();
    let [n, i, k] = ["n", "i", "k"].map(|name| builder.integer(name));
    let a = builder.array("a", vec![(int(1), int(100))]);
    let b = builder.array("b", vec![(int(1), int(100))]);
    let nest = builder.do_loop(i, (int(1), var(n)), None, |builder, _| {
        builder.assign(var(k), var(i));
        builder.branch(
            less(var(i), int(5)),
            |builder| {
                builder.assign(var(k), int(7));
                builder.assign(element(a, vec![var(i)]), literal());
            },
            None,
        );
        builder.assign(element(b, vec![var(k)]), literal());
    });
    let program = builder.program();
    let effects = effects_of(&program, ONLY, nest);
    assert_eq!(write_to(&effects, a).certainty, Certainty::May);
    assert!(write_to(&effects, a).region.lmad().is_some());
    assert_eq!(write_to(&effects, b).region.extent, Extent::Whole);
}

#[test]
fn an_exit_makes_the_loop_uncertain_and_a_cycle_what_follows() {
    let mut builder = Builder::new();
    let [n, i] = ["n", "i"].map(|name| builder.integer(name));
    let arrays = ["a", "b", "c", "d"].map(|name| builder.array(name, vec![(int(1), int(100))]));
    let [a, b, c, d] = arrays;
    let jump = |builder: &mut Builder, kind: StatementKind| {
        builder.branch(
            less(int(1), var(n)),
            |builder| {
                builder.add(kind);
            },
            None,
        );
    };
    let cycling = builder.do_loop(i, (int(1), var(n)), None, |builder, id| {
        builder.assign(element(a, vec![var(i)]), literal());
        jump(builder, StatementKind::Cycle(Some(id)));
        builder.assign(element(b, vec![var(i)]), literal());
    });
    let exiting = builder.do_loop(i, (int(1), var(n)), None, |builder, id| {
        builder.assign(element(c, vec![var(i)]), literal());
        jump(builder, StatementKind::Exit(Some(id)));
        builder.assign(element(d, vec![var(i)]), literal());
    });
    let program = builder.program();
    let effects = effects_of(&program, ONLY, cycling);
    assert_eq!(write_to(&effects, a).certainty, Certainty::Must);
    assert_eq!(write_to(&effects, b).certainty, Certainty::May);
    assert!(effects.leaves.is_none());
    let effects = effects_of(&program, ONLY, exiting);
    assert_eq!(write_to(&effects, c).certainty, Certainty::May);
    assert_eq!(write_to(&effects, d).certainty, Certainty::May);
    assert!(effects.leaves.is_none());
    // The body alone: the EXIT leaves it, the CYCLE too, but not an iteration as a whole.
    let StatementKind::Loop(counted) = &program.procedures[0].statement(cycling).kind else { panic!("a loop") };
    assert!(effects_of_all(&program, ONLY, &counted.body).leaves.is_some());
    let iteration = effects_of_iteration(&program, ONLY, cycling, &counted.body);
    assert!(iteration.leaves.is_none());
    assert_eq!(write_to(&iteration, b).certainty, Certainty::May);
    assert_eq!(write_to(&iteration, a).certainty, Certainty::Must);
}

#[test]
fn an_exit_from_an_if_construct_leaves_values_unknown_behind_it() {
    let mut builder = Builder::new();
    let [n, k] = ["n", "k"].map(|name| builder.integer(name));
    let scalar = builder.real("scalar");
    let a = builder.array("a", vec![(int(1), int(100))]);
    let construct = builder.add(StatementKind::Nothing);
    let set = |builder: &mut Builder| {
        builder.assign(var(k), int(5));
        builder.assign(var(scalar), literal());
    };
    let body = builder.nested(construct, |builder| {
        builder.branch(
            less(var(n), int(1)),
            |builder| {
                builder.add(StatementKind::Exit(Some(construct)));
            },
            None,
        );
        set(builder);
    });
    let otherwise = builder.nested(construct, set);
    let arms = vec![crate::ir::Arm { condition: less(int(1), var(n)), body }];
    builder.replace(construct, StatementKind::If { arms, otherwise: Some(otherwise), one_line: false });
    let store = builder.assign(element(a, vec![var(k)]), var(scalar));
    let program = builder.program();
    let effects = effects_of_all(&program, ONLY, &[construct, store]);
    assert_eq!(write_to(&effects, a).region.extent, Extent::Whole);
    assert!(effects.accesses.iter().any(|access| access.region.symbol == scalar && access.is_exposed));
    assert!(effects.leaves.is_none());
}

#[test]
fn a_loop_that_changes_its_own_variable_is_not_followed() {
    let mut builder = Builder::new();
    let [n, i] = ["n", "i"].map(|name| builder.integer(name));
    let a = builder.array("a", vec![(int(1), int(100))]);
    let changing = builder.do_loop(i, (int(1), var(n)), None, |builder, _| {
        builder.assign(element(a, vec![var(i)]), literal());
        builder.assign(var(i), int(7));
    });
    let program = builder.program();
    let access = write_to(&effects_of(&program, ONLY, changing), a).clone();
    assert_eq!((access.region.extent, access.certainty), (Extent::Whole, Certainty::May));
}

#[test]
fn jumps_inside_make_everything_uncertain() {
    let mut builder = Builder::new();
    let [n, i] = ["n", "i"].map(|name| builder.integer(name));
    let a = builder.array("a", vec![(int(1), int(100))]);
    let nest = builder.do_loop(i, (int(1), var(n)), None, |builder, _| {
        let first = builder.assign(element(a, vec![var(i)]), literal());
        builder.mark_jump_target(first);
    });
    let program = builder.program();
    let access = write_to(&effects_of(&program, ONLY, nest), a).clone();
    assert_eq!((access.region.extent, access.certainty), (Extent::Whole, Certainty::May));
}

#[test]
fn steps_and_sections_become_strides() {
    let mut builder = Builder::new();
    let [n, i] = ["n", "i"].map(|name| builder.integer(name));
    let a = builder.array("a", vec![(int(1), int(100))]);
    let downward = builder.do_loop(i, (int(10), int(1)), Some(-3), |builder, _| {
        builder.assign(element(a, vec![var(i)]), literal());
    });
    let by_two = builder.do_loop(i, (int(1), var(n)), Some(2), |builder, _| {
        builder.assign(element(a, vec![var(i)]), literal());
    });
    let range = crate::ir::Subscript::Range { lower: Some(int(3)), upper: Some(var(n)), stride: None };
    let section = ExpressionKind::Section { array: a, subscripts: vec![range] };
    let by_section = builder.assign(expression(section), literal());
    let program = builder.program();
    let region = |statement| {
        let effects = effects_of(&program, ONLY, statement);
        let access = write_to(&effects, a);
        (access.region.lmad().expect("known").clone(), access.certainty)
    };
    let (lmad, certainty) = region(downward);
    assert_eq!(certainty, Certainty::Must);
    assert_eq!(lmad.offset, constant(9));
    assert_eq!(lmad.dimensions, vec![Dimension { stride: constant(-3), count: constant(4) }]);
    // How many steps of two there are is not known: all elements in between are meant.
    let n = Polynomial::variable(n);
    let (lmad, certainty) = region(by_two);
    assert_eq!((lmad, certainty), (Lmad::run(constant(0), n.clone()), Certainty::May));
    let (lmad, certainty) = region(by_section);
    let count = n.checked_subtract(&constant(2)).expect("small");
    assert_eq!((lmad, certainty), (Lmad::run(constant(2), count), Certainty::Must));
}

#[test]
fn unknown_procedures_may_do_anything_and_known_libraries_only_use_their_arguments() {
    let mut builder = Builder::new();
    let n = builder.integer("n");
    let a = builder.array("a", vec![(int(1), int(100))]);
    let unknown = builder.call(Callee::Unknown("mystery".to_owned()), vec![var(n)]);
    let library = builder.call(Callee::Unknown("dscal".to_owned()), vec![var(n), literal(), var(a), int(1)]);
    let program = builder.program();
    let effects = effects_of(&program, ONLY, unknown);
    assert_eq!(effects.everything, Some(unknown));
    assert_eq!(effects.external.map(|external| external.kind), Some(ExternalKind::UnknownProcedure("mystery".into())));
    assert!(effects.leaves.is_some());
    let effects = effects_of(&program, ONLY, library);
    assert!(effects.everything.is_none() && effects.external.is_none() && effects.leaves.is_none());
    assert_eq!(written(&effects), BTreeSet::from([n, a]));
}

/// A program of a main procedure that calls one subroutine, which `fill` makes.
fn calling(fill: impl FnOnce(&mut Builder)) -> (Program, StatementId, [SymbolId; 4]) {
    let mut main = Builder::new();
    let array = |builder: &mut Builder, name: &str, storage: Storage| {
        let bounds = ArrayDimension { lower: Some(int(1)), upper: Some(int(10)) };
        builder.symbol(name, REAL, Shape::Array(vec![bounds]), storage)
    };
    let argument = array(&mut main, "argument", Storage::Local);
    let other = array(&mut main, "other", Storage::Local);
    let field = array(&mut main, "field", Storage::Global(Place::Block("fields".into())));
    let work = array(&mut main, "work", Storage::Global(Place::Block("scratch".into())));
    let call = main.call(Callee::Procedure(ProcedureId(1)), vec![element(argument, vec![int(2)]), var(other)]);
    let mut called = Builder::subroutine("called");
    let shape = || Shape::Array(vec![ArrayDimension { lower: Some(int(1)), upper: None }]);
    called.dummy("x", REAL, shape());
    called.dummy("y", REAL, shape());
    array(&mut called, "theirs", Storage::Global(Place::Block("fields".into())));
    fill(&mut called);
    let program = Program { procedures: vec![main.finish().into(), called.finish().into()], ..Program::default() };
    (program, call, [argument, other, field, work])
}

const X: SymbolId = SymbolId(0);
const Y: SymbolId = SymbolId(1);
const THEIRS: SymbolId = SymbolId(2);

#[test]
fn calls_of_given_procedures_do_what_these_do() {
    let (program, call, [argument, other, field, _]) = calling(|called| {
        called.assign(element(X, vec![int(1)]), element(Y, vec![int(1)]));
        called.assign(element(THEIRS, vec![int(3)]), literal());
        called.add(StatementKind::Return);
    });
    let effects = effects_of(&program, ONLY, call);
    assert_eq!(written(&effects), BTreeSet::from([argument, field]));
    // What is passed through an element begins there.
    let second = Lmad { offset: constant(1), dimensions: Vec::new() };
    assert_eq!(write_to(&effects, argument).region.extent, Extent::Elements(second));
    assert!(effects.accesses.iter().any(|access| access.kind == AccessKind::Read && access.region.symbol == other));
    assert!(effects.external.is_none() && effects.leaves.is_none() && effects.everything.is_none());
}

#[test]
fn a_scalar_that_is_given_an_array_may_be_each_of_its_elements() {
    let mut main = Builder::new();
    let bounds = ArrayDimension { lower: Some(int(1)), upper: Some(int(10)) };
    let all = main.symbol("all", REAL, Shape::Array(vec![bounds.clone()]), Storage::Local);
    let one = main.symbol("one", REAL, Shape::Array(vec![bounds]), Storage::Local);
    let call = main.call(Callee::Procedure(ProcedureId(1)), vec![var(all), element(one, vec![int(3)])]);
    let mut called = Builder::subroutine("called");
    let x = called.dummy("x", REAL, Shape::Scalar);
    let y = called.dummy("y", REAL, Shape::Scalar);
    called.assign(var(x), literal());
    called.assign(var(y), literal());
    let program = Program { procedures: vec![main.finish().into(), called.finish().into()], ..Program::default() };
    let effects = effects_of(&program, ONLY, call);
    let to_all = write_to(&effects, all);
    assert_eq!((&to_all.region.extent, to_all.certainty), (&Extent::Whole, Certainty::May));
    let third = Lmad { offset: constant(2), dimensions: Vec::new() };
    assert_eq!(write_to(&effects, one).region.extent, Extent::Elements(third));
}

#[test]
fn effects_of_called_procedures_come_through() {
    let (program, call, _) = calling(|called| {
        called.add(StatementKind::InputOutput { reads: vec![var(X)], writes: vec![], may_leave: false });
        called.add(StatementKind::Stop);
    });
    let effects = effects_of(&program, ONLY, call);
    assert_eq!(effects.external.map(|external| external.kind), Some(ExternalKind::Procedure("called".into())));
    assert!(effects.leaves.is_some());
    assert!(effects.everything.is_none());
}

#[test]
fn recursion_is_unknown() {
    let (program, call, [argument, other, ..]) = calling(|called| {
        called.call(Callee::Procedure(ProcedureId(1)), vec![var(X), var(Y)]);
    });
    let effects = effects_of(&program, ONLY, call);
    assert_eq!(effects.everything, Some(call));
    assert!(written(&effects).is_superset(&BTreeSet::from([argument, other])));
}

#[test]
fn functions_in_expressions_have_effects_too() {
    let mut builder = Builder::new();
    let [n, m] = ["n", "m"].map(|name| builder.integer(name));
    let a = builder.array("a", vec![(int(1), int(100))]);
    let call = ExpressionKind::Call { callee: Callee::Unknown("f".to_owned()), arguments: vec![var(m)] };
    let statement = builder.assign(element(a, vec![var(n)]), expression(call.clone()));
    let pure = ExpressionKind::Call { callee: Callee::PureIntrinsic("abs".to_owned()), arguments: vec![var(m)] };
    let program = builder.program();
    let effects = effects_of(&program, ONLY, statement);
    assert_eq!(effects.everything, Some(statement));
    assert!(effects.writes_symbol(&program.procedures[0], m).is_some());
    let procedure = &program.procedures[0];
    assert_eq!(symbols_read_by(procedure, &[&expression(call)]), None);
    let sum = ExpressionKind::Binary {
        operator: BinaryOperator::Add,
        left: Box::new(element(a, vec![var(n)])),
        right: Box::new(expression(pure)),
    };
    assert_eq!(symbols_read_by(procedure, &[&expression(sum)]), Some(BTreeSet::from([a, n, m])));
}

fn message(buffer: Expression, count: Expression) -> Message {
    Message {
        condition: None,
        buffer,
        count,
        datatype: Datatype::new(literal(), Some(REAL)),
        partner: Partner::Process { peer: int(0), tag: int(0) },
        communicator: literal(),
    }
}

#[test]
fn messages_touch_their_buffers_and_waits_those_of_their_requests() {
    let mut builder = Builder::new();
    let [n, request, another, copied] = ["n", "request", "another", "copied"].map(|name| builder.integer(name));
    let arrays = ["a", "b", "c"].map(|name| builder.array(name, vec![(int(1), int(100))]));
    let [a, b, c] = arrays;
    let send = builder.communicate(
        "mpi_send",
        Operation::Send { message: message(element(a, vec![int(5)]), var(n)), mode: SendMode::Standard, request: None },
    );
    let receive = |buffer, request| Operation::Receive {
        message: message(var(buffer), var(n)),
        request: Some(var(request)),
        status: Status::Ignored,
    };
    let post = builder.communicate("mpi_irecv", receive(b, request));
    builder.communicate("mpi_irecv", receive(c, another));
    builder.assign(var(copied), var(another));
    let wait_for = |request| Operation::Wait { request: var(request), status: Status::Ignored };
    let wait = builder.communicate("mpi_wait", wait_for(request));
    let wait_copied = builder.communicate("mpi_wait", wait_for(copied));
    let every = Operation::Other {
        only_read: Vec::new(),
        counts: Vec::new(),
        arguments: vec![int(2), var(request), var(another)],
        participation: Participation::May { tags: vec![], communicator: None },
        error_handling: ErrorHandling::Unconcerned,
        description: "a completion".to_owned(),
    };
    let wait_all = builder.communicate("mpi_waitall", every);
    let program = builder.program();
    let effects = effects_of(&program, ONLY, send);
    assert!(written(&effects).is_empty());
    let lmad = effects.accesses.iter().find_map(|access| access.region.lmad().filter(|_| access.region.symbol == a));
    assert_eq!(lmad, Some(&Lmad::run(constant(4), Polynomial::variable(n))));
    assert_eq!(effects.external.map(|external| external.kind), Some(ExternalKind::Communication));
    assert_eq!(written(&effects_of(&program, ONLY, post)), BTreeSet::from([b, request]));
    let waited = effects_of(&program, ONLY, wait);
    assert_eq!(written(&waited), BTreeSet::from([b, request]));
    assert!(waited.everything.is_none());
    // A request that was copied from somewhere may stand for anything.
    assert!(effects_of(&program, ONLY, wait_copied).everything.is_some());
    let all = effects_of(&program, ONLY, wait_all);
    assert_eq!(written(&all), BTreeSet::from([b, c, request, another]));
    assert!(all.everything.is_none());
}

#[test]
fn tests_and_waits_for_any_touch_all_that_they_may_complete() {
    let mut builder = Builder::new();
    let [request, another, which, number, flag, status] =
        ["request", "another", "which", "number", "flag", "status"].map(|name| builder.integer(name));
    let indices = builder.array("indices", vec![(int(1), int(4))]);
    let [b, c] = ["b", "c"].map(|name| builder.array(name, vec![(int(1), int(100))]));
    let receive = |buffer, request| Operation::Receive {
        message: message(var(buffer), int(100)),
        request: Some(var(request)),
        status: Status::Ignored,
    };
    builder.communicate("mpi_irecv", receive(b, request));
    builder.communicate("mpi_irecv", receive(c, another));
    let complete = |kind, completed, indices, flag| Operation::Complete {
        kind,
        count: None,
        requests: var(request),
        completed,
        indices,
        flag,
        statuses: Status::Stored(var(status)),
    };
    let test = builder.communicate("mpi_test", complete(CompletionKind::Test, None, None, Some(var(flag))));
    let any = builder.communicate("mpi_waitany", complete(CompletionKind::WaitAny, None, Some(var(which)), None));
    let some = complete(CompletionKind::WaitSome, Some(var(number)), Some(var(indices)), None);
    let some = builder.communicate("mpi_waitsome", some);
    let program = builder.program();
    let tested = effects_of(&program, ONLY, test);
    assert_eq!(written(&tested), BTreeSet::from([b, request, flag, status]));
    assert_eq!(tested.external.map(|external| external.kind), Some(ExternalKind::Communication));
    assert_eq!(written(&effects_of(&program, ONLY, any)), BTreeSet::from([b, request, which, status]));
    assert_eq!(written(&effects_of(&program, ONLY, some)), BTreeSet::from([b, request, number, indices, status]));
}

#[test]
fn volatile_variables_have_effects_outside_and_no_known_value() {
    let mut builder = Builder::new();
    let n = builder.integer("n");
    builder.symbol_mut(n).volatile = true;
    let a = builder.array("a", vec![(int(1), int(100))]);
    let statement = builder.assign(element(a, vec![var(n)]), literal());
    let program = builder.program();
    let effects = effects_of(&program, ONLY, statement);
    assert_eq!(write_to(&effects, a).region.extent, Extent::Whole);
    assert_eq!(effects.external.map(|external| external.kind), Some(ExternalKind::Volatile));
}

#[test]
fn pointers_reach_targets_and_nothing_else() {
    let mut builder = Builder::new();
    let n = builder.integer("n");
    builder.symbol_mut(n).target = true;
    let m = builder.integer("m");
    let pointer = builder.symbol("p", INTEGER, Shape::Scalar, Storage::Pointer);
    let a = builder.array("a", vec![(int(1), int(100))]);
    let b = builder.array("b", vec![(int(1), int(100))]);
    let first = builder.assign(var(pointer), int(3));
    let rest =
        [builder.assign(element(a, vec![var(n)]), literal()), builder.assign(element(b, vec![var(m)]), literal())];
    let program = builder.program();
    let effects = effects_of_all(&program, ONLY, &[first, rest[0], rest[1]]);
    assert_eq!(write_to(&effects, a).region.extent, Extent::Whole);
    assert!(write_to(&effects, b).region.lmad().is_some());
    assert!(effects.writes_symbol(&program.procedures[0], n).is_some());
    assert!(effects.writes_symbol(&program.procedures[0], m).is_none());
}

#[test]
fn a_loop_that_runs_beyond_a_member_of_a_common_block_touches_the_others() {
    let fill = |trips: i64| {
        let mut builder = Builder::new();
        let mut member = |position: usize| {
            let bounds = ArrayDimension { lower: Some(int(1)), upper: Some(int(4)) };
            let storage = Storage::Global(Place::Member { block: "fields".into(), position });
            builder.symbol(&format!("member{position}"), REAL, Shape::Array(vec![bounds]), storage)
        };
        let (first, behind) = (member(0), member(1));
        let index = builder.integer("index");
        let loop_statement = builder.do_loop(index, (int(1), int(trips)), None, |builder, _| {
            builder.assign(element(first, vec![var(index)]), literal());
        });
        let found = effects_of(&builder.program(), ONLY, loop_statement);
        assert!(written(&found).contains(&first));
        written(&found).contains(&behind)
    };
    assert!(!fill(4));
    assert!(fill(5));
}
