use super::*;
use crate::analysis::testing::{Builder, ONLY, element, int, var};
use crate::ir::{
    ArrayDimension, CompletionKind, Datatype, ElementType, Message, Partner, Shape, StatementKind, Status, Storage,
    SymbolId, TypeCategory,
};

const INTEGER: ElementType = ElementType { category: TypeCategory::Integer, bytes: Some(4) };

/// A program with an array of requests, four of them.
struct Requests {
    builder: Builder,
    array: SymbolId,
    buffer: SymbolId,
    index: SymbolId,
}

impl Requests {
    fn new() -> Self {
        let mut builder = Builder::new();
        let dimension = ArrayDimension { lower: Some(int(1)), upper: Some(int(4)) };
        let array = builder.symbol("requests", INTEGER, Shape::Array(vec![dimension]), Storage::Local);
        let buffer = builder.array("buffer", vec![(int(1), int(100))]);
        let index = builder.integer("index");
        Self { builder, array, buffer, index }
    }
}

fn post(builder: &mut Builder, array: SymbolId, buffer: SymbolId, subscript: Expression) -> StatementId {
    post_into(builder, buffer, element(array, vec![subscript]))
}

fn post_into(builder: &mut Builder, buffer: SymbolId, request: Expression) -> StatementId {
    let element_type = ElementType { category: TypeCategory::Real, bytes: Some(8) };
    let message = Message {
        condition: None,
        buffer: var(buffer),
        count: int(100),
        datatype: Datatype::new(int(0), Some(element_type)),
        partner: Partner::Process { peer: int(0), tag: int(0) },
        communicator: int(0),
    };
    let request = Some(request);
    builder.communicate("mpi_irecv", Operation::Receive { message, request, status: Status::Ignored })
}

fn wait_all(builder: &mut Builder, count: i64, requests: Expression) -> StatementId {
    let operation = Operation::WaitAll { count: int(count), requests, statuses: Status::Ignored };
    builder.communicate("mpi_waitall", operation)
}

fn complete(builder: &mut Builder, kind: CompletionKind, count: Option<i64>, requests: Expression) -> StatementId {
    let (completed, indices, flag) = (None, None, None);
    let count = count.map(int);
    let operation = Operation::Complete { kind, count, requests, completed, indices, flag, statuses: Status::Ignored };
    builder.communicate("mpi_testany", operation)
}

fn completed(facts: &Facts, wait: StatementId) -> Vec<StatementId> {
    let posts = posts_completed_at(facts, SiteId { procedure: ONLY, statement: wait });
    posts.into_iter().map(|site| site.statement).collect()
}

#[test]
fn a_wait_completes_the_elements_that_it_counts() {
    let Requests { mut builder, array, buffer, .. } = Requests::new();
    let posts: Vec<StatementId> = (1..=4).map(|k| post(&mut builder, array, buffer, int(k))).collect();
    let first = wait_all(&mut builder, 2, var(array));
    let rest = wait_all(&mut builder, 2, element(array, vec![int(3)]));
    let program = builder.program();
    let facts = Facts::new(&program);
    assert_eq!(completed(&facts, first), posts[..2]);
    assert_eq!(completed(&facts, rest), posts[2..]);
    let site = SiteId { procedure: ONLY, statement: rest };
    assert_eq!(completed_elements(&facts, site), Some(3..=4));
}

#[test]
fn what_an_earlier_wait_has_completed_is_not_completed_again() {
    let Requests { mut builder, array, buffer, index } = Requests::new();
    let [mut first, mut second, mut waits] = [Vec::new(), Vec::new(), Vec::new()];
    builder.do_loop(index, (int(1), int(9)), None, |builder, _| {
        first.extend((1..=2).map(|k| post(builder, array, buffer, int(k))));
        waits.push(wait_all(builder, 2, var(array)));
        second.extend((1..=2).map(|k| post(builder, array, buffer, int(k))));
        waits.push(wait_all(builder, 2, var(array)));
    });
    let program = builder.program();
    let facts = Facts::new(&program);
    assert_eq!(completed(&facts, waits[0]), first);
    assert_eq!(completed(&facts, waits[1]), second);
}

#[test]
fn a_test_and_a_wait_for_any_may_complete_each_and_certainly_complete_none() {
    let Requests { mut builder, array, buffer, .. } = Requests::new();
    let posts: Vec<StatementId> = (1..=4).map(|k| post(&mut builder, array, buffer, int(k))).collect();
    let any = complete(&mut builder, CompletionKind::WaitAny, Some(3), var(array));
    let one = complete(&mut builder, CompletionKind::Test, None, element(array, vec![int(2)]));
    let all = complete(&mut builder, CompletionKind::TestAll, Some(2), element(array, vec![int(3)]));
    let last = wait_all(&mut builder, 4, var(array));
    let nothing = complete(&mut builder, CompletionKind::TestSome, Some(4), var(array));
    let program = builder.program();
    let facts = Facts::new(&program);
    assert_eq!(completed(&facts, any), posts[..3]);
    assert_eq!(completed(&facts, one), posts[1..2]);
    assert_eq!(completed(&facts, all), posts[2..]);
    assert_eq!(completed(&facts, last), posts);
    assert_eq!(completed(&facts, nothing), []);
    for statement in [any, one, all] {
        assert_eq!(completed_elements(&facts, SiteId { procedure: ONLY, statement }), None);
    }
}

#[test]
fn a_post_ends_the_search_for_its_element() {
    let Requests { mut builder, array, buffer, index } = Requests::new();
    let request = builder.integer("request");
    let one = |builder: &mut Builder| post_into(builder, buffer, var(request));
    let wait = |builder: &mut Builder| {
        builder.communicate("mpi_wait", Operation::Wait { request: var(request), status: Status::Ignored })
    };
    let (mut posts, mut waits) = (Vec::new(), Vec::new());
    builder.do_loop(index, (int(1), int(9)), None, |builder, _| {
        posts.push(one(builder));
        builder.branch(
            int(1),
            |builder| {
                waits.push(wait(builder));
            },
            None,
        );
        posts.push(one(builder));
        waits.push(wait(builder));
    });
    let first = post(&mut builder, array, buffer, int(1));
    let second = post(&mut builder, array, buffer, int(2));
    let again = post(&mut builder, array, buffer, int(1));
    let all = wait_all(&mut builder, 2, var(array));
    let program = builder.program();
    let facts = Facts::new(&program);
    assert_eq!(completed(&facts, waits[0]), posts[..1]);
    assert_eq!(completed(&facts, waits[1]), posts[1..]);
    assert_eq!(completed(&facts, all), [second, again]);
    assert!(!completed(&facts, all).contains(&first));
}

#[test]
fn posts_of_the_previous_iteration_count() {
    let Requests { mut builder, array, buffer, index } = Requests::new();
    let [mut posts, mut waits] = [Vec::new(), Vec::new()];
    builder.do_loop(index, (int(1), int(9)), None, |builder, _| {
        waits.push(wait_all(builder, 1, var(array)));
        posts.push(post(builder, array, buffer, int(1)));
    });
    let program = builder.program();
    assert_eq!(completed(&Facts::new(&program), waits[0]), posts);
}

#[test]
fn a_cycle_leads_past_the_wait_at_the_end() {
    let Requests { mut builder, array, buffer, index } = Requests::new();
    let [mut posts, mut waits] = [Vec::new(), Vec::new()];
    builder.do_loop(index, (int(1), int(9)), None, |builder, this| {
        waits.push(wait_all(builder, 1, var(array)));
        posts.push(post(builder, array, buffer, int(1)));
        builder.branch(
            int(1),
            |builder| {
                builder.add(StatementKind::Cycle(Some(this)));
            },
            None,
        );
        wait_all(builder, 1, var(array));
    });
    let program = builder.program();
    assert_eq!(completed(&Facts::new(&program), waits[0]), posts);
}

#[test]
fn a_wait_under_a_condition_and_an_unknown_element_prove_nothing() {
    let Requests { mut builder, array, buffer, index } = Requests::new();
    let fixed = post(&mut builder, array, buffer, int(1));
    let unknown = post(&mut builder, array, buffer, var(index));
    builder.branch(
        var(index),
        |builder| {
            wait_all(builder, 4, var(array));
        },
        None,
    );
    let certain = wait_all(&mut builder, 4, var(array));
    let last = wait_all(&mut builder, 4, var(array));
    let program = builder.program();
    let facts = Facts::new(&program);
    assert_eq!(completed(&facts, certain), [fixed, unknown]);
    assert_eq!(completed(&facts, last), [unknown]);
}

#[test]
fn where_control_jumps_to_labels_posts_further_down_count() {
    let Requests { mut builder, array, buffer, .. } = Requests::new();
    let above = post(&mut builder, array, buffer, int(1));
    let target = builder.add(StatementKind::Nothing);
    builder.mark_jump_target(target);
    let wait = wait_all(&mut builder, 1, var(array));
    let below = post(&mut builder, array, buffer, int(1));
    post(&mut builder, array, buffer, int(2));
    builder.add(StatementKind::Jump);
    let program = builder.program();
    assert_eq!(completed(&Facts::new(&program), wait), [above, below]);
}
