//! Requests: what completes them in which order, who knows them, and when sends end.

use super::*;
use crate::random_programs::program::{
    Arguments, Completion, CompletionKind, HandedPart, HandedRequests, Procedure, ProcedureKind,
};
use crate::random_programs::subjects::Subject;

fn at(element: i64) -> Option<RequestPlace> {
    Some(RequestPlace { variable: 0, element: Some(Expression::Literal(element)) })
}

/// A program with an array of two requests, of which a receive and a send with these lengths have been posted.
fn with_requests(rest: Vec<Statement>) -> Program {
    let receive = Communication::Receive { message: message(2, COUNT, other()), request: at(1) };
    let send = Communication::Send { message: message(1, COUNT, other()), request: at(2), mode: SendMode::Standard };
    let mut body = vec![Statement::Communicate(receive), Statement::Communicate(send)];
    body.extend(rest);
    let mut program = program(body);
    program.requests[0].length = Some(2);
    let integer = Scalar { is_integer: true, home: Home::Main };
    program.scalars = vec![integer; 3];
    program
}

fn complete(kind: CompletionKind, first: i64, count: i64) -> Statement {
    let completion = Completion {
        kind,
        first: at(first).expect("it is one"),
        count: Expression::Literal(count),
        answer: 1,
        places: None,
    };
    Statement::Communicate(Communication::Complete(completion))
}

fn wait_all() -> Statement {
    Statement::Communicate(Communication::WaitAll(0, Expression::Literal(1), Expression::Literal(2)))
}

fn twice(body: Vec<Statement>) -> Statement {
    let (lower, upper) = (Expression::Literal(1), Expression::Literal(2));
    Statement::Loop { variable: 0, lower, upper, step: 1, body }
}

fn result(value: Expression) -> Statement {
    store(0, Value::Integer(value))
}

#[test]
fn what_is_printed_must_not_depend_on_what_is_over_first() {
    let any = || complete(CompletionKind::WaitAny, 1, 2);
    let verdict = |rest: Vec<Statement>| interpret(&with_requests(rest), 2).map(drop);
    assert_eq!(verdict(vec![twice(vec![any()])]), Ok(()));
    let last = result(Expression::Scalar(1));
    let depends = Err("what is printed depends on the order in which operations end");
    assert_eq!(verdict(vec![twice(vec![any()]), last.clone()]), depends);
    // What is found is used, but in whatever order.
    let sum = Expression::binary(Expression::Scalar(2), Operator::Add, Expression::Scalar(1));
    let summed = vec![
        Statement::SetInteger(2, Expression::Literal(0)),
        twice(vec![any(), Statement::SetInteger(2, sum)]),
        result(Expression::Scalar(2)),
    ];
    assert_eq!(verdict(summed), Ok(()));
    // A rank that goes on first may find what the others have sent, too.
    let count = vec![
        Statement::SetInteger(2, Expression::Literal(0)),
        twice(vec![
            complete(CompletionKind::TestAll, 1, 2),
            Statement::Exit(Condition {
                left: Expression::Scalar(1),
                relation: Relation::Equal,
                right: Expression::Literal(1),
            }),
            Statement::SetInteger(2, Expression::Scalar(2).plus(1)),
        ]),
        Statement::Print(Value::Integer(Expression::Scalar(2))),
        wait_all(),
    ];
    assert_eq!(verdict(count), depends);
    // A test may find something, or nothing.
    let tested = vec![complete(CompletionKind::TestAll, 1, 2), wait_all(), last];
    assert_eq!(verdict(tested), depends);
}

#[test]
fn several_may_be_over_at_once_in_the_order_of_their_places() {
    let some = || {
        let Statement::Communicate(Communication::Complete(some)) = complete(CompletionKind::WaitSome, 1, 2) else {
            unreachable!("it completes something")
        };
        Statement::Communicate(Communication::Complete(Completion { places: Some(3), ..some }))
    };
    let told_first = result(Expression::Element(3, vec![Expression::Literal(1)]));
    let mut program = with_requests(vec![twice(vec![some()]), told_first]);
    program.arrays.push(Array { element: Element::Integer, length: 2, rows: 2, ..program.arrays[1].clone() });
    // One after the other, or from behind, it is always 2.
    let depends = Err("what is printed depends on the order in which operations end");
    assert_eq!(interpret(&program, 2).map(drop), depends);
}

#[test]
fn requests_that_are_over_are_null() {
    let verdict = |rest: Vec<Statement>| interpret(&with_requests(rest), 2).map(drop);
    assert_eq!(verdict(vec![complete(CompletionKind::Test, 1, 1), wait_all(), wait_all()]), Ok(()));
    let any = complete(CompletionKind::WaitAny, 1, 2);
    assert_eq!(verdict(vec![any.clone()]), Err("a request is lost"));
    // No request is active: what the call answers is nothing to be used.
    let undefined = vec![wait_all(), any, result(Expression::Scalar(1))];
    assert_eq!(verdict(undefined), Err("a scalar has no value"));
}

#[test]
fn nobody_is_not_among_several() {
    let to_nobody = message(1, 1, Expression::NoProcess);
    let body = vec![
        Statement::Communicate(Communication::Clear(0)),
        Statement::Communicate(Communication::Send { message: to_nobody, request: at(1), mode: SendMode::Standard }),
        complete(CompletionKind::WaitAny, 1, 2),
    ];
    let mut program = program(body);
    program.requests[0].length = Some(2);
    program.scalars.push(program.scalars[0]);
    assert_eq!(interpret(&program, 2).map(drop), Err("a message to nobody is waited for among others"));
}

#[test]
fn a_buffer_is_pending_until_a_test_has_found_it() {
    let read = store(0, Value::Element(2, vec![Expression::Literal(1)]));
    let early = vec![complete(CompletionKind::Test, 1, 1), read, wait_all()];
    assert_eq!(interpret(&with_requests(early), 2).map(drop), Err("a pending buffer is read"));
}

#[test]
fn another_procedure_may_wait() {
    let wait = Statement::Communicate(Communication::Wait(RequestPlace {
        variable: 1,
        element: Some(Expression::Literal(1)),
    }));
    let hand = |first: i64| {
        let part = HandedPart::From(Expression::Literal(first));
        let requests = vec![HandedRequests { variable: 0, part }];
        Statement::Call(0, Arguments { requests, ..Arguments::default() })
    };
    let correct = |length, rest| {
        let mut program = with_requests(rest);
        program.requests.push(RequestVariable { length: Some(length), home: RequestHome::Argument(0, 0) });
        program.procedures.push(Procedure { kind: ProcedureKind::Internal, body: vec![wait.clone()] });
        interpret(&program, 2).map(drop)
    };
    assert_eq!(correct(1, vec![hand(1), hand(2)]), Ok(()));
    assert_eq!(correct(1, vec![hand(1)]), Err("a request is lost"));
    assert_eq!(correct(2, vec![hand(1), hand(2)]), Err("an argument does not fit"));
}

#[test]
fn sends_end_when_their_mode_says() {
    let in_mode = |mode: SendMode, count: usize| {
        Statement::Communicate(Communication::Send { message: message(1, count, other()), request: None, mode })
    };
    assert_eq!(verdict(vec![in_mode(SendMode::Synchronous, 1), receive(1)]), Err("deadlock"));
    assert_eq!(verdict(vec![posted_receive(), in_mode(SendMode::Synchronous, COUNT), wait()]), Ok(()));
    assert_eq!(verdict(vec![in_mode(SendMode::Buffered, COUNT), receive(COUNT)]), Ok(()));
    let many = (0..100).flat_map(|_| [in_mode(SendMode::Buffered, COUNT), receive(COUNT)]).collect();
    assert_eq!(verdict(many), Err("the attached memory is full"));
}

#[test]
fn programs_are_about_what_is_counted() {
    let texts: Vec<String> =
        some_programs().iter().map(|program| fortran::write(&[program]).text.to_lowercase()).collect();
    let is_about = |text: &String, subject: Subject| {
        let mut lines = text.lines().filter(|line| line.contains("call mpi_") && !line.contains("mpi_type_"));
        lines.any(|line| Subject::of_call(line).contains(&subject))
    };
    for subject in [Subject::DerivedDatatype, Subject::HandedRequest, Subject::SeveralRequests, Subject::Test] {
        assert!(texts.iter().any(|text| is_about(text, subject)), "{}", subject.name());
    }
    let routines = ["bsend", "ssend", "waitany", "waitsome", "test(", "testall", "testany", "testsome"];
    let layouts = ["vector", "create_hvector", "indexed", "create_subarray", "create_resized", "contiguous"];
    let layouts = layouts.map(|layout| format!("mpi_type_{layout}"));
    let wanted = routines.map(str::to_owned).into_iter().chain(layouts);
    let missing: Vec<String> = wanted.filter(|name| !texts.iter().any(|text| text.contains(name))).collect();
    assert!(missing.len() <= 5, "{missing:?}");
}

#[test]
fn some_programs_use_requests_around_calls_that_tell_of_them() {
    fn blocks(block: &[Statement]) -> Vec<&[Statement]> {
        let inside = block.iter().flat_map(Statement::blocks).flat_map(|inner| blocks(inner));
        std::iter::once(block).chain(inside).collect()
    }
    type Is<'a> = &'a dyn Fn(&Statement, usize) -> bool;
    let has = |one: Is, other: Is| {
        let first_to_last = |block: &[Statement], request: usize| {
            let first = block.iter().position(|statement| one(statement, request));
            first.is_some_and(|first| block[first..].iter().any(|statement| other(statement, request)))
        };
        let is_there = |program: &Program| {
            let found = |body: &Vec<Statement>| {
                blocks(body).iter().any(|block| (0..program.requests.len()).any(|id| first_to_last(block, id)))
            };
            program.bodies().any(found)
        };
        some_programs().iter().filter(|program| is_there(program)).count()
    };
    let tells = |statement: &Statement, request: usize| {
        statement.any(&|inner| match inner {
            Statement::Communicate(Communication::Complete(completion)) => {
                completion.kind.waits() && completion.first.variable == request
            }
            _ => false,
        })
    };
    let waits = |statement: &Statement, request: usize| matches!(statement, Statement::Communicate(Communication::Wait(place)) if place.variable == request);
    let posts = |statement: &Statement, request: usize| match statement {
        Statement::Communicate(Communication::Receive { request: Some(place), .. }) => place.variable == request,
        _ => false,
    };
    assert!(has(&waits, &tells) >= 1);
    assert!(has(&tells, &posts) >= 1);
}

#[test]
fn a_call_says_what_it_is_about() {
    let subjects = |text: &str| Subject::of_call(text);
    assert_eq!(
        subjects("call mpi_isend(a(1), 1, layout3_1, k, 1, mpi_comm_world, request1)"),
        [Subject::DerivedDatatype]
    );
    assert_eq!(
        subjects("CALL MPI_IRECV(A, 1, HANDED_TYPE1, K, 1, MPI_COMM_WORLD, HANDED_REQUEST2(1))"),
        [Subject::DerivedDatatype, Subject::HandedDatatype, Subject::HandedRequest]
    );
    assert_eq!(subjects("call mpi_test(module_request1_2, flag, status)"), [Subject::ModuleRequest, Subject::Test]);
    assert_eq!(
        subjects("call mpi_waitsome(2, common_request1x, k, m, mpi_statuses_ignore)"),
        [Subject::CommonRequest, Subject::SeveralRequests]
    );
    assert_eq!(subjects("call mpi_waitall(2, request1, mpi_statuses_ignore)"), []);
}
