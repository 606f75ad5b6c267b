//! Each form of statement has its text.

use super::style::{
    Codes, Communicator, Counters, Largest, Matrices, Parameters, Requests, Statuses, Steps, Storage, Subscripts,
    Wrapped,
};
use super::*;
use crate::random_programs::generator::generate;
use crate::random_programs::program::{
    Arguments, Array, Completion, CompletionKind, Condition, DatatypeCall, DatatypeVariable, Expression, HandedPart,
    HandedRequests, Home, Layout, MadeOf, Message, Operator, Procedure, ProcedureKind, Relation, RequestHome,
    RequestPlace, RequestVariable, Scalar, Value,
};

/// Forms without a choice.
const PLAIN: Style = Style {
    seed: 0,
    codes: Codes::Ignored,
    counters: Counters::InLoop,
    wide_counters: false,
    steps: Steps::Postfix,
    exclusive: true,
    from_zero: true,
    while_loops: false,
    subscripts: Subscripts::Brackets,
    few_braces: true,
    numbers: Numbers::Plain,
    storage: Storage::Automatic,
    matrices: Matrices::Nested,
    parameters: Parameters::Pointers,
    restrict: false,
    rows: false,
    shared_structure: false,
    requests: Requests::Variables,
    counted_requests: false,
    statuses: Statuses::Variable,
    communicator: Communicator::World,
    second_names: false,
    wrapped: Wrapped::Nothing,
    function_pointers: false,
    largest: Largest::Operator,
    terse: false,
    explicit_casts: false,
    frees: false,
    object_pointer: false,
};

/// Arrays 1 (10 numbers, from 1 on), 2 (3 by 4) and 3 (integers, from 0 on), scalars 0 (counter), 1 (integer) and 2 (real),
/// requests 0 (one) and 1 (four), a datatype, and a function of array 4 and request 2.
fn program(body: Vec<Statement>) -> Program {
    let array = |element, length, rows, first, home| Array { element, home, length, rows, first };
    let scalar = |is_integer| Scalar { is_integer, home: Home::Main };
    let mut program = generate(0);
    program.arrays = vec![
        array(Element::Double, RESULT_COUNT, RESULT_COUNT, 1, Home::Main),
        array(Element::Double, 10, 10, 1, Home::Main),
        array(Element::Double, 12, 3, 1, Home::Main),
        array(Element::Integer, 10, 10, 0, Home::Main),
        array(Element::Double, 5, 5, 1, Home::Argument(0, 0)),
    ];
    program.scalars = vec![scalar(true), scalar(true), scalar(false)];
    program.requests = vec![
        RequestVariable { length: None, home: RequestHome::Unit },
        RequestVariable { length: Some(4), home: RequestHome::Unit },
        RequestVariable { length: None, home: RequestHome::Argument(0, 0) },
    ];
    program.datatypes = vec![DatatypeVariable { home: Home::Main }];
    program.procedures = vec![Procedure { kind: ProcedureKind::External, body: Vec::new() }];
    program.body = body;
    program.style = crate::random_programs::program::Style {
        has_status: false,
        allocation: crate::random_programs::program::Allocation::Declared,
        objects: false,
        calls: crate::random_programs::program::Calls::ByName,
        names_tags: false,
        ..program.style
    };
    program
}

/// The statements of the main unit, a line each.
fn lines_in(style: &Style, body: Vec<Statement>) -> Vec<String> {
    let program = program(body);
    let style = style.clone();
    let memory = Memory::of(&program, &style);
    let writer =
        Writer { program: &program, number: 0, style, memory, named: RefCell::default(), helpers: RefCell::default() };
    writer.unit(None).1.lines().map(|line| line.trim().to_owned()).collect()
}

fn lines(statement: Statement) -> Vec<String> {
    lines_in(&PLAIN, vec![statement])
}

fn number(number: i64) -> Expression {
    Expression::Literal(number)
}

fn count_to(upper: Expression, body: Vec<Statement>) -> Statement {
    Statement::Loop { variable: 0, lower: number(1), upper, step: 1, body }
}

fn set_element() -> Statement {
    Statement::Store(1, vec![Expression::Scalar(0)], Value::Integer(Expression::Scalar(0)))
}

fn condition() -> Condition {
    Condition { left: Expression::Rank, relation: Relation::NotLess, right: number(1) }
}

fn message() -> Message {
    let count = number(5);
    let peer = Some(Expression::Rank.plus(1));
    Message { array: 1, index: vec![number(3)], count, datatype: None, peer, tag: Expression::Tag(7) }
}

fn posted(element: i64) -> Statement {
    let request = Some(RequestPlace { variable: 1, element: Some(number(element)) });
    Statement::Communicate(Communication::Receive { message: Message { index: Vec::new(), ..message() }, request })
}

#[test]
fn loops_begin_at_0() {
    assert_eq!(lines(count_to(number(9), vec![set_element()])), ["for (int i = 0; i < 9; i++)", "a1[i] = i + 1;"]);
    let style = Style { from_zero: false, exclusive: false, steps: Steps::Prefix, ..PLAIN };
    let text = lines_in(&style, vec![count_to(number(9), vec![set_element()])]);
    assert_eq!(text, ["for (int i = 1; i <= 9; ++i)", "a1[i - 1] = i;"]);
    let style = Style { while_loops: true, counters: Counters::AtTop, few_braces: false, ..PLAIN };
    let text =
        (0..20).map(|seed| lines_in(&Style { seed, ..style.clone() }, vec![count_to(number(9), vec![set_element()])]));
    assert!(text.into_iter().any(|text| text == ["i = 0;", "while (i < 9) {", "a1[i] = i + 1;", "i++;", "}"]));
}

/// The bound of a loop is evaluated once.
#[test]
fn bounds_that_change_are_kept() {
    let body = vec![Statement::SetInteger(1, number(3))];
    let text = lines(count_to(Expression::Scalar(1), body));
    assert_eq!(text, ["for (int i = 0, last = k1; i < last; i++)", "k1 = 3;"]);
    let read = Expression::Element(3, vec![number(0)]);
    let text = lines_in(&Style { counters: Counters::AtTop, ..PLAIN }, vec![count_to(read, vec![set_element()])]);
    assert_eq!(text, ["{", "const int last = m3[0];", "for (i = 0; i < last; i++)", "a1[i] = i + 1;", "}"]);
}

/// Numbers without a sign wrap around in subscripts, where that makes no difference, and nowhere else.
#[test]
fn counters_without_a_sign_are_converted() {
    let style = Style { wide_counters: true, from_zero: false, ..PLAIN };
    let value = Value::Integer(Expression::Scalar(0).plus(-5).modulo(3));
    let body = vec![count_to(number(9), vec![Statement::Store(1, vec![Expression::Scalar(0)], value)])];
    let texts = (0..20).map(|seed| lines_in(&Style { seed, ..style.clone() }, body.clone()).concat());
    let texts: BTreeSet<String> = texts.collect();
    let wanted = |of: &str, read: &str| format!("for ({of} i = 1; i < 10; i++)a1[i - 1] = ({read} - 5) % 3;");
    assert!(["size_t", "unsigned"].iter().all(|of| texts.contains(&wanted(of, "(int)i"))), "{texts:?}");
    assert!(["int", "long"].iter().all(|of| texts.contains(&wanted(of, "i"))), "{texts:?}");
}

#[test]
fn assignments() {
    let at = vec![number(2), number(3)];
    let twice = Value::binary(Value::Element(2, at.clone()), Operator::Multiply, Value::Eighths(-12));
    assert_eq!(lines(Statement::Store(2, at.clone(), twice.clone())), ["a2[2][1] = a2[2][1] * (-1.5);"]);
    let style = Style { terse: true, matrices: Matrices::Flat, ..PLAIN };
    assert_eq!(lines_in(&style, vec![Statement::Store(2, at, twice)]), ["a2[7] *= -1.5;"]);
    let mixed = Value::binary(Value::Integer(Expression::Rank), Operator::Add, Value::Integer(number(2)));
    assert_eq!(lines(Statement::SetReal(2, mixed)), ["x2 = (double)rank + 2;"]);
    let largest = Value::Largest(Box::new(Value::Scalar(2)), Box::new(Value::Absolute(Box::new(Value::Scalar(2)))));
    assert_eq!(lines(Statement::SetReal(2, largest)), ["x2 = (x2) > (fabs(x2)) ? (x2) : (fabs(x2));"]);
    let less = Expression::binary(number(3), Operator::Subtract, Expression::Rank);
    assert_eq!(lines(Statement::SetInteger(1, less.modulo(2))), ["k1 = (3 - rank) % 2;"]);
    let fill = Statement::Fill(1, number(2), Expression::Scalar(1), Value::Eighths(8));
    assert_eq!(lines(fill), ["for (int at = 1; at < k1; at++)", "a1[at] = 1.0;"]);
    let reads = Statement::Fill(1, number(2), number(4), Value::Element(1, vec![number(3)]));
    let text = ["{", "const double filled = a1[2];", "for (int at = 1; at < 4; at++)", "a1[at] = filled;", "}"];
    assert_eq!(lines(reads), text);
}

#[test]
fn branches_and_jumps() {
    let set = |value| Statement::SetInteger(1, number(value));
    let both = Statement::If { condition: condition(), then: vec![set(1)], otherwise: vec![set(2)] };
    let style = Style { few_braces: false, ..PLAIN };
    assert_eq!(lines(both.clone()), ["if (rank >= 1)", "k1 = 1;", "else", "k1 = 2;"]);
    let text = ["if (rank >= 1) {", "k1 = 1;", "}", "else {", "k1 = 2;", "}"];
    assert_eq!(lines_in(&style, vec![both.clone()]), text);
    assert_eq!(lines_in(&Style { terse: true, ..PLAIN }, vec![both]), ["k1 = rank >= 1 ? 1 : 2;"]);
    // An `else` belongs to the last `if`.
    let inner = Statement::If { condition: condition(), then: vec![set(1)], otherwise: Vec::new() };
    let outer = Statement::If { condition: condition(), then: vec![inner], otherwise: vec![set(2)] };
    assert_eq!(lines(outer), ["if (rank >= 1) {", "if (rank >= 1)", "k1 = 1;", "}", "else", "k1 = 2;"]);
    let jumps = [
        (Statement::Exit(condition()), "break;"),
        (Statement::Cycle(condition()), "continue;"),
        (Statement::Return(condition()), "return;"),
    ];
    for (jump, word) in jumps {
        let text = lines(count_to(number(2), vec![jump]));
        assert_eq!(text, ["for (int i = 0; i < 2; i++)", "if (rank >= 1)", word]);
    }
    assert_eq!(lines(Statement::Print(Value::Scalar(2))), ["if (rank == 0)", "note(0, x2);"]);
}

#[test]
fn messages() {
    let request = || Some(RequestPlace { variable: 0, element: None });
    let call = |communication| lines(Statement::Communicate(communication)).concat();
    let texts: [String; 8] = [
        call(Communication::Send { message: message(), request: None, mode: SendMode::Standard }),
        call(Communication::Send { message: message(), request: request(), mode: SendMode::Synchronous }),
        call(Communication::Receive { message: Message { peer: None, ..message() }, request: None }),
        call(Communication::Receive { message: message(), request: request() }),
        call(Communication::SendReceive { sent: message(), received: message() }),
        call(Communication::Replace { sent: message(), source: None, source_tag: Expression::Tag(8) }),
        call(Communication::AllToAll { sent: 1, received: 2, block: number(2) }),
        call(Communication::Barrier),
    ];
    let texts = texts.map(|text| text.replace("&a1[2]", "a1 + 2").replace("&a2[0][0]", "a2[0]").replace("      ", ""));
    let sent = "a1 + 2, 5, MPI_DOUBLE, rank + 1, 7";
    let wanted = [
        format!("MPI_Send({sent}, MPI_COMM_WORLD);"),
        format!("MPI_Issend({sent}, MPI_COMM_WORLD, &request0);"),
        "MPI_Recv(a1 + 2, 5, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);".to_owned(),
        format!("MPI_Irecv({sent}, MPI_COMM_WORLD, &request0);"),
        format!("MPI_Sendrecv({sent}, {sent}, MPI_COMM_WORLD,MPI_STATUS_IGNORE);"),
        format!("MPI_Sendrecv_replace({sent}, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD,MPI_STATUS_IGNORE);"),
        "MPI_Alltoall(a1, 2, MPI_DOUBLE, a2[0], 2, MPI_DOUBLE, MPI_COMM_WORLD);".to_owned(),
        "MPI_Barrier(MPI_COMM_WORLD);".to_owned(),
    ];
    for (text, wanted) in texts.iter().zip(&wanted) {
        assert_eq!(text.replace(' ', ""), wanted.replace(' ', ""));
    }
}

#[test]
fn requests() {
    let wait = Statement::Communicate(Communication::Wait(RequestPlace { variable: 0, element: None }));
    assert_eq!(lines(wait.clone()), ["MPI_Wait(&request0, MPI_STATUS_IGNORE);"]);
    let in_style = |style: Style| lines_in(&style, vec![wait.clone()]).concat();
    let wait_is = |text: &str| format!("MPI_Wait(&{text}, MPI_STATUS_IGNORE)");
    assert_eq!(in_style(Style { requests: Requests::Members, ..PLAIN }), wait_is("pending.request0") + ";");
    assert_eq!(in_style(Style { requests: Requests::Elements, ..PLAIN }), wait_is("requests[0]") + ";");
    assert_eq!(in_style(Style { codes: Codes::Stored, ..PLAIN }), format!("rc = {};", wait_is("request0")));
    assert_eq!(in_style(Style { codes: Codes::Macro, ..PLAIN }), format!("CHECK({});", wait_is("request0")));
    let compared = format!("if ({} != MPI_SUCCESS)MPI_Abort(MPI_COMM_WORLD, 1);", wait_is("request0"));
    assert_eq!(in_style(Style { codes: Codes::Compared, ..PLAIN }), compared);
    let clear = Statement::Communicate(Communication::Clear(1));
    assert_eq!(lines(clear), ["for (int at = 0; at < 4; at++)", "request1[at] = MPI_REQUEST_NULL;"]);
    let complete = |kind, places| {
        let first = RequestPlace { variable: 1, element: Some(number(1)) };
        let completion = Completion { kind, first, count: number(4), answer: 1, places };
        lines(Statement::Communicate(Communication::Complete(completion)))
    };
    let any = ["MPI_Waitany(4, request1, &index, MPI_STATUS_IGNORE);", "k1 = index + 1;"];
    assert_eq!(complete(CompletionKind::WaitAny, None), any);
    let some =
        ["MPI_Testsome(4, request1, &k1, m3, MPI_STATUSES_IGNORE);", "for (int at = 0; at < k1; at++)", "m3[at]++;"];
    assert_eq!(complete(CompletionKind::TestSome, Some(3)), some);
    let test = complete(CompletionKind::TestAny, None);
    let wanted = ["MPI_Testany(4, request1, &index, &flag, MPI_STATUS_IGNORE);", "k1 = flag ? index + 1 : 0;"];
    assert_eq!(test, wanted);
}

#[test]
fn requests_in_a_row_are_counted() {
    let style = Style { counted_requests: true, ..PLAIN };
    let wait = |count| Statement::Communicate(Communication::WaitAll(1, number(1), number(count)));
    let text = lines_in(&style, vec![posted(1), posted(2), wait(2)]);
    let post = "MPI_Irecv(a1, 5, MPI_DOUBLE, rank + 1, 7, MPI_COMM_WORLD, &request1[posted1++]);";
    assert_eq!(text, ["posted1 = 0;", post, post, "MPI_Waitall(posted1, request1, MPI_STATUSES_IGNORE);"]);
    // Others are waited for, or another order.
    for body in [vec![posted(1), posted(2), wait(3)], vec![posted(2), posted(1), wait(2)]] {
        assert!(!lines_in(&style, body).concat().contains("posted"));
    }
}

#[test]
fn datatypes() {
    let make = |layout| {
        let call = DatatypeCall::Make(0, Box::new(layout), MadeOf::Elements(Element::Double));
        lines(Statement::Communicate(Communication::Datatype(call))).concat()
    };
    assert_eq!(make(Layout::Contiguous(number(3))), "MPI_Type_contiguous(3, MPI_DOUBLE, &layout0);");
    let stride =
        Layout::VectorOfBytes { blocks: number(2), length: number(1), stride: number(-4), element: Element::Double };
    let text = "MPI_Type_create_hvector(2, 1, (-4) * (MPI_Aint)sizeof(double), MPI_DOUBLE, &layout0);";
    assert_eq!(make(stride), text);
    let text = make(Layout::Indexed(vec![(number(2), number(0)), (number(1), number(4))]));
    let lists = ["(int[]){2, 1}, (int[]){0, 4}", "int lengths[2] = {2, 1};int places[2] = {0, 4};"];
    assert!(lists.iter().any(|lists| text.contains(lists)), "{text}");
}

#[test]
fn calls() {
    let requests = vec![HandedRequests { variable: 0, part: HandedPart::Whole }];
    let handed =
        Arguments { arrays: vec![(1, vec![number(1)])], integers: Vec::new(), requests, datatypes: Vec::new() };
    let text = lines(Statement::Call(0, handed)).concat();
    assert_eq!(text.replace("&a1[0]", "a1").replace("a1 + 0", "a1"), "work0_0(a1, &request0, rank, ranks);");
    let program = program(Vec::new());
    let style = Style { parameters: Parameters::Sized, restrict: true, ..PLAIN };
    let memory = Memory::of(&program, &style);
    let writer =
        Writer { program: &program, number: 0, style, memory, named: RefCell::default(), helpers: RefCell::default() };
    assert_eq!(
        writer.prototypes(),
        "void work0_0(double a4[restrict 5], MPI_Request *handed_request2, int rank, int ranks);\n"
    );
}

/// Every choice that a style leaves is made in some program.
#[test]
fn styles_are_all_drawn() {
    let mut program = program(Vec::new());
    let mut drawn: BTreeSet<String> = BTreeSet::new();
    for seed in 0..200 {
        program.style.forms = seed;
        let text = format!("{:?}", Style::of(&program));
        drawn.extend(text.split(['{', ',', '}']).map(|choice| choice.trim().to_owned()));
    }
    let choices = [
        "codes: Ignored",
        "codes: Void",
        "codes: Stored",
        "codes: Macro",
        "codes: Compared",
        "codes: Mixed",
        "counters: InLoop",
        "counters: AtTop",
        "steps: Postfix",
        "steps: Prefix",
        "steps: Added",
        "subscripts: Brackets",
        "subscripts: Mixed",
        "storage: Automatic",
        "storage: Static",
        "storage: File",
        "matrices: Nested",
        "matrices: Flat",
        "matrices: Tables",
        "parameters: Pointers",
        "requests: Variables",
        "requests: Elements",
        "requests: Members",
        "statuses: Variable",
        "statuses: Element",
        "communicator: World",
        "communicator: Macro",
        "communicator: Variable",
        "wrapped: Nothing",
        "wrapped: ByMacros",
        "wrapped: ByFunctions",
        "largest: Operator",
        "largest: Macro",
        "largest: Function",
    ];
    let switches = [
        "wide_counters",
        "exclusive",
        "from_zero",
        "while_loops",
        "restrict",
        "rows",
        "counted_requests",
        "second_names",
        "function_pointers",
        "terse",
        "explicit_casts",
        "frees",
        "object_pointer",
    ];
    let switches = switches.iter().flat_map(|name| [format!("{name}: true"), format!("{name}: false")]);
    let never: Vec<String> = choices
        .iter()
        .map(|choice| (*choice).to_owned())
        .chain(switches)
        .filter(|choice| !drawn.contains(choice))
        .collect();
    assert!(never.is_empty(), "{never:?}");
}
