//! Datatypes: where their elements lie, and what may be done with those between them.

use super::*;
use crate::random_programs::program::{DatatypeCall, DatatypeVariable, Layout, MadeOf};

/// The two ranks exchange a message: what is received is made of this datatype, what is sent is so many elements.
fn exchange(layout: Layout, (first, count): (i64, i64), sent: usize, between: Vec<Statement>) -> Vec<Statement> {
    let received = Message {
        index: vec![Expression::Literal(first)],
        count: Expression::Literal(count),
        datatype: Some(0),
        ..message(2, 0, other())
    };
    let post = Communication::Receive { message: received, request: request() };
    let make = DatatypeCall::Make(0, Box::new(layout), MadeOf::Elements(Element::Double));
    let mut body: Vec<Statement> =
        [Communication::Datatype(make), Communication::Datatype(DatatypeCall::Commit(0)), post]
            .map(Statement::Communicate)
            .to_vec();
    body.extend(between);
    body.extend([send(sent), wait()]);
    body
}

fn with_datatype(body: Vec<Statement>) -> Program {
    Program { datatypes: vec![DatatypeVariable { home: Home::Main }], ..program(body) }
}

fn verdict_of(body: Vec<Statement>) -> Result<(), &'static str> {
    interpret(&with_datatype(body), 2).map(drop)
}

fn number(value: i64) -> Expression {
    Expression::Literal(value)
}

fn every_other(blocks: i64) -> Layout {
    Layout::Vector { blocks: number(blocks), length: number(1), stride: number(2) }
}

fn free() -> Statement {
    Statement::Communicate(Communication::Datatype(DatatypeCall::Free(0)))
}

/// Which of the first elements of the array hold what the other rank, whose elements are all its number, has sent to rank 0.
fn received_at(body: Vec<Statement>) -> Vec<i64> {
    let mut body = body;
    for place in 1..=7 {
        let value = Value::Element(2, vec![number(place)]);
        body.push(Statement::Store(0, vec![number(place)], value));
    }
    let printed = interpret(&with_datatype(body), 2).expect("it is correct");
    (1..=7).filter(|&place| f64::from_bits(printed.results[0][place as usize - 1]) == 1.0).collect()
}

#[test]
fn elements_lie_where_the_datatype_says() {
    assert_eq!(received_at(exchange(every_other(3), (2, 1), 3, Vec::new())), [2, 4, 6]);
    let backwards = Layout::Vector { blocks: number(3), length: number(1), stride: number(-2) };
    assert_eq!(received_at(exchange(backwards, (5, 1), 3, Vec::new())), [1, 3, 5]);
    let bytes =
        Layout::VectorOfBytes { blocks: number(2), length: number(2), stride: number(4), element: Element::Double };
    assert_eq!(received_at(exchange(bytes, (1, 1), 4, Vec::new())), [1, 2, 5, 6]);
    let indexed = Layout::Indexed(vec![(number(2), number(3)), (number(1), number(0))]);
    assert_eq!(received_at(exchange(indexed, (1, 1), 3, Vec::new())), [1, 4, 5]);
    let blocks = Layout::IndexedBlocks(number(2), vec![number(0), number(4)]);
    assert_eq!(received_at(exchange(blocks, (1, 1), 4, Vec::new())), [1, 2, 5, 6]);
    let part = Layout::Subarray {
        sizes: [number(3), number(4)],
        parts: [number(1), number(2)],
        starts: [number(1), number(0)],
    };
    assert_eq!(received_at(exchange(part, (1, 1), 2, Vec::new())), [2, 5]);
    let apart = Layout::Resized(number(3), Element::Double);
    assert_eq!(received_at(exchange(apart, (1, 3), 3, Vec::new())), [1, 4, 7]);
    // The next one begins where the last element of this one ends.
    assert_eq!(received_at(exchange(every_other(2), (1, 2), 4, Vec::new())), [1, 3, 4, 6]);
}

#[test]
fn what_lies_between_the_elements_may_be_used() {
    let at = |place| Statement::Store(2, vec![number(place)], Value::Eighths(8));
    assert_eq!(verdict_of(exchange(every_other(20), (1, 1), 20, vec![at(2)])), Ok(()));
    assert_eq!(verdict_of(exchange(every_other(20), (1, 1), 20, vec![at(3)])), Err("a pending buffer is written"));
}

#[test]
fn a_datatype_may_end_while_its_message_is_under_way() {
    let freed = exchange(every_other(20), (1, 1), 20, vec![free()]);
    assert_eq!(verdict_of(freed.clone()), Ok(()));
    let twice = [freed, vec![free()]].concat();
    assert_eq!(verdict_of(twice), Err("a datatype has no value"));
    let mut uncommitted = exchange(every_other(20), (1, 1), 20, Vec::new());
    uncommitted.remove(1);
    assert_eq!(verdict_of(uncommitted), Err("a datatype is not committed"));
}

#[test]
fn messages_of_datatypes_stay_in_their_array_and_fit() {
    let outside = Err("an element of a message lies outside of its array");
    assert_eq!(verdict_of(exchange(every_other(101), (1, 1), 101, Vec::new())), outside);
    let backwards = Layout::Vector { blocks: number(3), length: number(1), stride: number(-2) };
    assert_eq!(verdict_of(exchange(backwards, (4, 1), 3, Vec::new())), outside);
    let longer = exchange(every_other(20), (1, 1), 21, Vec::new());
    assert_eq!(verdict_of(longer), Err("a message is longer than its receive"));
    let again = Layout::Vector { blocks: number(3), length: number(2), stride: number(1) };
    let twice = exchange(again, (1, 1), 6, Vec::new());
    assert_eq!(verdict_of(twice), Err("an element is received into twice"));
}

#[test]
fn some_programs_have_datatypes_that_are_easily_misread() {
    let made = |is: &dyn Fn(&Layout) -> bool| {
        let makes = |statement: &Statement| match statement {
            Statement::Communicate(Communication::Datatype(DatatypeCall::Make(_, layout, _))) => is(layout),
            _ => false,
        };
        some_programs().iter().filter(|program| program.any(&makes)).count()
    };
    let is_variable = |number: &Expression| matches!(number, Expression::Scalar(_));
    let number_that_passes = |layout: &Layout| match layout {
        Layout::Subarray { parts, starts, .. } => parts.iter().chain(starts).any(is_variable),
        Layout::Contiguous(number) | Layout::Vector { blocks: number, .. } => is_variable(number),
        _ => false,
    };
    let backwards = |layout: &Layout| match layout {
        Layout::Vector { stride, .. } | Layout::VectorOfBytes { stride, .. } => {
            matches!(stride, Expression::Literal(distance) if *distance < 0)
        }
        _ => false,
    };
    assert!(made(&number_that_passes) >= 3);
    assert!(made(&backwards) >= 3);
}
