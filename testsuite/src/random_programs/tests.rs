//! The generator gives correct programs only, and the interpreter knows incorrect ones.

use std::sync::LazyLock;

use super::generator::generate;
use super::interpreter::interpret;
use super::legality::is_correct;
use super::program::{
    Allocation, Array, Calls, Communication, Condition, Element, Expression, Home, Interface, Message, Operator,
    Program, RESULT_COUNT, Relation, RequestHome, RequestPlace, RequestVariable, Scalar, SendMode, Statement, Style,
    Value,
};
use super::{fortran, written};
use crate::source_language::SourceLanguage;

mod c;
mod datatypes;
mod requests;

const COUNT: usize = 200;

/// A program with two arrays of 200 numbers that have values, a loop variable and a request.
fn program(body: Vec<Statement>) -> Program {
    let array = |length| Array { element: Element::Double, home: Home::Main, length, rows: length, first: 1 };
    let fill = |array| {
        Statement::Fill(
            array,
            Expression::Literal(1),
            Expression::Literal(COUNT as i64),
            Value::Integer(Expression::Rank),
        )
    };
    Program {
        arrays: vec![array(RESULT_COUNT), array(COUNT), array(COUNT)],
        scalars: vec![Scalar { is_integer: true, home: Home::Main }],
        requests: vec![RequestVariable { length: None, home: RequestHome::Unit }],
        datatypes: Vec::new(),
        body: [vec![fill(1), fill(2)], body].concat(),
        procedures: Vec::new(),
        style: Style {
            interface: Interface::Module,
            names_numbers: false,
            names_tags: false,
            has_status: false,
            allocation: Allocation::Declared,
            assumed_size: false,
            objects: false,
            short_names: false,
            calls: Calls::ByName,
            asynchronous: true,
            renames_common: false,
            one_line_if: false,
            is_main: false,
            capitals: false,
            forms: 0,
        },
    }
}

/// Programs that tests look at together: to make one takes long.
pub(super) fn some_programs() -> &'static [Program] {
    static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| (0..48).map(generate).collect());
    &PROGRAMS
}

fn message(array: usize, count: usize, peer: Expression) -> Message {
    let count = Expression::Literal(count as i64);
    Message { array, index: Vec::new(), count, datatype: None, peer: Some(peer), tag: Expression::Tag(1) }
}

fn other() -> Expression {
    Expression::binary(Expression::Literal(1), Operator::Subtract, Expression::Rank)
}

fn request() -> Option<RequestPlace> {
    Some(RequestPlace { variable: 0, element: None })
}

fn send(count: usize) -> Statement {
    let message = message(1, count, other());
    Statement::Communicate(Communication::Send { message, request: None, mode: SendMode::Standard })
}

fn receive(count: usize) -> Statement {
    Statement::Communicate(Communication::Receive { message: message(2, count, other()), request: None })
}

fn posted_receive() -> Statement {
    Statement::Communicate(Communication::Receive { message: message(2, COUNT, other()), request: request() })
}

fn wait() -> Statement {
    Statement::Communicate(Communication::Wait(RequestPlace { variable: 0, element: None }))
}

fn store(array: usize, value: Value) -> Statement {
    Statement::Store(array, vec![Expression::Literal(3)], value)
}

fn verdict(body: Vec<Statement>) -> Result<(), &'static str> {
    interpret(&program(body), 2).map(drop)
}

#[test]
fn what_must_be_printed_is_what_was_received() {
    let result = Value::Element(2, vec![Expression::Literal(COUNT as i64)]);
    let body = vec![posted_receive(), send(COUNT), wait(), store(0, result)];
    let printed = interpret(&program(body), 2).expect("it is correct");
    assert_eq!(printed.results.iter().map(|results| f64::from_bits(results[2])).collect::<Vec<_>>(), [1.0, 0.0]);
}

#[test]
fn buffering_is_not_relied_on() {
    assert_eq!(verdict(vec![send(COUNT), receive(COUNT)]), Err("deadlock"));
    assert_eq!(verdict(vec![send(100), receive(100)]), Ok(()));
}

#[test]
fn pending_buffers_are_left_alone() {
    let read = store(1, Value::Element(2, vec![Expression::Literal(1)]));
    let write = store(2, Value::Eighths(8));
    let around = |inner: Statement| vec![posted_receive(), inner, send(COUNT), wait()];
    assert_eq!(verdict(around(read)), Err("a pending buffer is read"));
    assert_eq!(verdict(around(write)), Err("a pending buffer is written"));
}

#[test]
fn every_message_and_every_request_has_its_end() {
    assert_eq!(verdict(vec![posted_receive(), send(COUNT)]), Err("a request is lost"));
    assert_eq!(verdict(vec![send(10)]), Err("a message is never received"));
    assert_eq!(verdict(vec![posted_receive(), send(COUNT), wait(), wait()]), Ok(()), "the request is null by now");
    assert_eq!(verdict(vec![wait()]), Err("a request has no value"));
}

/// Programs in one file have tags of their own: `a(tag)`, in bounds where the tag is 1, is not where it is 201.
#[test]
fn only_messages_use_tags() {
    let kept = |number| Statement::SetInteger(0, number);
    let read = || Expression::Scalar(0);
    let elsewhere = "a tag or nobody's rank is used as a number";
    for name in [Expression::Tag(1), Expression::NoProcess] {
        let used = |statement| verdict(vec![kept(name.clone()), statement]);
        assert_eq!(used(Statement::Store(1, vec![read()], Value::Eighths(8))), Err(elsewhere));
        assert_eq!(used(store(1, Value::Integer(read()))), Err(elsewhere));
        assert_eq!(used(store(1, Value::Scalar(0))), Err(elsewhere));
        assert_eq!(used(kept(read().plus(1))), Err(elsewhere));
        assert_eq!(used(kept(read())), Ok(()), "it is still a name");
    }
    let is_rank = Condition { left: read(), relation: Relation::NotLess, right: Expression::Rank };
    let compare = Statement::If { condition: is_rank, then: Vec::new(), otherwise: Vec::new() };
    assert_eq!(verdict(vec![kept(Expression::Tag(1)), compare]), Err("a tag is compared"));
    let posted = |tag| {
        let message = Message { tag, ..message(2, COUNT, other()) };
        Statement::Communicate(Communication::Receive { message, request: request() })
    };
    assert_eq!(verdict(vec![kept(Expression::Tag(1)), posted(read()), send(COUNT), wait()]), Ok(()));
    assert_eq!(verdict(vec![posted(Expression::Literal(1)), send(COUNT), wait()]), Err("a number is used as a tag"));
}

#[test]
fn messages_fit_their_receives() {
    assert_eq!(verdict(vec![send(100), receive(COUNT)]), Ok(()));
    assert_eq!(verdict(vec![send(100), receive(99)]), Err("a message is longer than its receive"));
}

#[test]
fn a_receive_from_anybody_must_not_have_a_choice() {
    let to_first = |from: i64| Statement::If {
        condition: Condition { left: Expression::Rank, relation: Relation::Equal, right: Expression::Literal(from) },
        then: vec![Statement::Communicate(Communication::Send {
            message: message(1, 10, Expression::Literal(0)),
            request: None,
            mode: SendMode::Standard,
        })],
        otherwise: Vec::new(),
    };
    let anybody = Message { peer: None, ..message(2, 10, Expression::Literal(0)) };
    let receive = Statement::If {
        condition: Condition { left: Expression::Rank, relation: Relation::Equal, right: Expression::Literal(0) },
        then: vec![Statement::Communicate(Communication::Receive { message: anybody, request: None })],
        otherwise: Vec::new(),
    };
    let one = program(vec![to_first(1), receive.clone()]);
    let two = program(vec![to_first(1), to_first(2), receive.clone(), receive]);
    assert_eq!(interpret(&one, 3).map(drop), Ok(()));
    assert_eq!(interpret(&two, 3).map(drop), Err("a receive from any source has a choice"));
}

#[test]
fn loops_count_as_in_fortran() {
    let counted = |lower, upper, step| {
        let body = vec![store(1, Value::Eighths(0))];
        let (lower, upper) = (Expression::Literal(lower), Expression::Literal(upper));
        let count = Statement::Loop { variable: 0, lower, upper, step, body };
        let value = Value::Integer(Expression::Scalar(0));
        let printed = interpret(&program(vec![count, store(0, value)]), 2).expect("it is correct");
        f64::from_bits(printed.results[0][2])
    };
    assert_eq!(counted(1, 5, 1), 6.0);
    assert_eq!(counted(1, 6, 2), 7.0);
    assert_eq!(counted(5, 1, -1), 0.0);
    assert_eq!(counted(3, 1, 1), 3.0);
}

#[test]
fn a_number_always_gives_the_same_correct_program() {
    for (seed, program) in (0..8).zip(some_programs()) {
        assert_eq!(*program, generate(seed));
        assert!(is_correct(program).is_ok(), "{seed}");
    }
}

#[test]
fn every_line_of_a_file_has_an_owner_and_fits() {
    let written = fortran::write(&some_programs()[20..26].iter().collect::<Vec<_>>());
    assert_eq!(written.text.lines().count(), written.owners.len());
    for (line, owner) in written.text.lines().zip(&written.owners) {
        assert!(line.len() <= 132, "{line}");
        if let Some(number) = line.trim().to_lowercase().strip_prefix("end subroutine case") {
            assert_eq!(*owner, number.parse().ok(), "{line}");
        }
    }
}

#[test]
fn some_programs_have_short_names_for_components() {
    let texts = some_programs().iter().map(|program| fortran::write(&[program]).text.to_lowercase());
    assert!(texts.filter(|text| text.contains("end associate") && text.contains("end block")).count() >= 2);
}

#[test]
fn some_programs_call_through_objects() {
    let texts = some_programs().iter().map(|program| fortran::write(&[program]).text.to_lowercase());
    assert!(texts.filter(|text| text.contains("call doer%run")).count() >= 2);
}

#[test]
fn the_text_of_each_program_is_found_again() {
    for programs in some_programs().chunks(12) {
        let written = fortran::write(&programs.iter().collect::<Vec<_>>());
        let texts = written::programs_of(SourceLanguage::Fortran, &written.text, programs.len());
        for (number, program) in programs.iter().enumerate() {
            let is_main = program.style.is_main && programs[..number].iter().all(|other| !other.style.is_main);
            let headline = if is_main { "program batch".to_owned() } else { format!("subroutine case{number}(") };
            assert!(texts[number].contains(&headline), "{number}");
        }
    }
}
