//! Buffers of all kinds.

use super::*;
use crate::analysis::testing::{Builder, INTEGER, REAL, SPAN, add, element, expression, int, var};
use crate::ir::{ArrayDimension, Datatype, ElementType, Expression, Language, PartForm, Partner, Shape};

fn constant(value: i64) -> Polynomial {
    Polynomial::constant(value)
}

fn point(value: i64) -> Interval {
    Interval { lower: constant(value), upper: constant(value) }
}

fn message(buffer: Expression, count: Expression, predefined: Option<ElementType>) -> Message {
    let handle = || Expression::new(ExpressionKind::Literal, SPAN);
    Message {
        condition: None,
        buffer,
        count,
        datatype: Datatype::new(handle(), predefined),
        partner: Partner::Process { peer: handle(), tag: handle() },
        communicator: handle(),
    }
}

fn range(lower: Option<Expression>, upper: Option<Expression>, stride: Option<i64>) -> Subscript {
    Subscript::Range { lower, upper, stride: stride.map(int) }
}

fn section(array: SymbolId, subscripts: Vec<Subscript>) -> Expression {
    expression(ExpressionKind::Section { array, subscripts })
}

struct Names {
    procedure: Procedure,
    n: SymbolId,
    line: SymbolId,
    plane: SymbolId,
    allocatable: SymbolId,
    pointer: SymbolId,
    shaped: SymbolId,
}

fn names() -> Names {
    let mut builder = Builder::new();
    let n = builder.integer("n");
    let line = builder.array("line", vec![(int(0), int(99))]);
    let plane = builder.array("plane", vec![(int(1), int(10)), (int(1), int(10))]);
    let deferred = || Shape::Array(vec![ArrayDimension { lower: None, upper: None }]);
    let allocatable = builder.symbol("allocatable", REAL, deferred(), Storage::Allocatable);
    let pointer = builder.symbol("pointer", REAL, deferred(), Storage::Pointer);
    let shaped = builder.symbol("shaped", REAL, deferred(), Storage::Dummy);
    builder.symbol_mut(shaped).may_be_strided = true;
    Names { procedure: builder.finish(), n, line, plane, allocatable, pointer, shaped }
}

#[test]
fn plain_buffers_are_runs_from_where_they_begin() {
    let names = names();
    let n = Polynomial::variable(names.n);
    let expected = |symbol: SymbolId, offset: i64| Ok(Region::elements(symbol, Lmad::run(constant(offset), n.clone())));
    let ask = |buffer: Expression| message_region(&names.procedure, &message(buffer, var(names.n), Some(REAL)));
    assert_eq!(ask(var(names.line)), expected(names.line, 0));
    assert_eq!(ask(element(names.line, vec![int(5)])), expected(names.line, 5));
    assert_eq!(ask(element(names.plane, vec![int(1), int(3)])), expected(names.plane, 20));
    assert_eq!(ask(element(names.allocatable, vec![int(4)])), expected(names.allocatable, 4));
    let part = vec![range(Some(int(2)), Some(int(7)), None)];
    assert_eq!(ask(section(names.line, part)), expected(names.line, 2));
    let column = vec![range(None, None, None), Subscript::Index(int(2))];
    // The column bounds its message.
    let bounded = |region: Region| Region { subscripts: vec![None, Some(point(2))], ..region };
    assert_eq!(ask(section(names.plane, column)), expected(names.plane, 10).map(bounded));
    let columns = vec![range(None, None, None), range(Some(int(2)), Some(int(3)), None)];
    assert_eq!(ask(section(names.plane, columns)), expected(names.plane, 10));
}

#[test]
fn what_is_not_plain_memory_is_refused_with_a_reason() {
    let names = names();
    let row = vec![Subscript::Index(int(2)), range(None, None, None)];
    let with_step = vec![range(None, None, Some(2))];
    let backwards = vec![range(Some(int(9)), Some(int(0)), Some(-1))];
    let vector = vec![Subscript::Vector(var(names.n))];
    let identity =
        ExpressionKind::Unary { operator: crate::ir::UnaryOperator::Identity, operand: Box::new(var(names.line)) };
    let part = ExpressionKind::Part {
        base: names.line,
        component: None,
        form: PartForm::Unnamed,
        through_pointer: false,
        selectors: vec![],
    };
    let refused = [
        (section(names.plane, row), "contiguous"),
        (section(names.line, with_step), "contiguous"),
        (section(names.line, backwards), "contiguous"),
        (section(names.line, vector), "contiguous"),
        (expression(identity), "expression"),
        (expression(part), "part"),
        (var(names.pointer), "pointer"),
        (var(names.shaped), "lie apart"),
    ];
    for (buffer, expected) in refused {
        let why = message_region(&names.procedure, &message(buffer, var(names.n), Some(REAL)));
        assert!(matches!(&why, Err(why) if why.contains(expected)), "{why:?}");
    }
}

#[test]
fn types_must_match() {
    let names = names();
    let ask = |datatype: Option<ElementType>| {
        message_region(&names.procedure, &message(var(names.line), var(names.n), datatype))
    };
    let bytes = ElementType { category: TypeCategory::Unknown, bytes: Some(1) };
    let single = ElementType { category: TypeCategory::Real, bytes: Some(4) };
    assert_eq!(ask(Some(bytes)), Ok(Region::whole(names.line)));
    assert!(ask(Some(INTEGER)).is_err_and(|why| why.contains("type")));
    assert!(ask(Some(single)).is_err_and(|why| why.contains("size")));
    assert!(ask(None).is_err_and(|why| why.contains("predefined")));
}

#[test]
fn places_and_sizes_that_are_not_known_make_the_region_whole() {
    let names = names();
    let ask =
        |buffer: Expression, count: Expression| message_region(&names.procedure, &message(buffer, count, Some(REAL)));
    let literal = || expression(ExpressionKind::Literal);
    assert_eq!(ask(var(names.line), literal()), Ok(Region::whole(names.line)));
    assert_eq!(ask(element(names.line, vec![literal()]), int(3)), Ok(Region::whole(names.line)));
    // The first element of an allocatable array has a subscript that is not known.
    assert_eq!(ask(var(names.allocatable), int(3)), Ok(Region::whole(names.allocatable)));
}

#[test]
fn of_a_message_for_everyone_only_the_beginning_is_known() {
    let mut builder = Builder::new();
    let array = builder.array("array", vec![(int(-3), int(10))]);
    let n = builder.integer("n");
    let exchanged = |buffer: Expression| Message { partner: Partner::Everyone, ..message(buffer, var(n), Some(REAL)) };
    let (whole, part) = (exchanged(var(array)), exchanged(element(array, vec![int(2)])));
    let program = builder.program();
    let procedure = &program.procedures[0];
    assert_eq!(message_region(procedure, &whole), Ok(Region::from(array, constant(0))));
    assert_eq!(message_region(procedure, &part), Ok(Region::from(array, constant(5))));
}

#[test]
fn messages_within_a_column_have_subscripts() {
    let names = names();
    let ask = |buffer: Expression, count: i64| {
        message_region(&names.procedure, &message(buffer, int(count), Some(REAL))).unwrap().subscripts
    };
    let interval = |lower: i64, upper: i64| Some(Interval { lower: constant(lower), upper: constant(upper) });
    let from = |row: i64| element(names.plane, vec![int(row), int(3)]);
    assert_eq!(ask(from(2), 9), [interval(2, 10), interval(3, 3)]);
    assert_eq!(ask(var(names.plane), 10), [interval(1, 10), interval(1, 1)]);
    // It goes on in the next column.
    assert_eq!(ask(from(2), 10), []);
    assert_eq!(
        ask(section(names.plane, vec![range(None, None, None), Subscript::Index(int(4))]), 10),
        [interval(1, 10), interval(4, 4)]
    );
}

#[test]
fn a_message_runs_on_behind_its_section_where_the_language_lets_it() {
    let mut builder = Builder::new();
    let (n, j) = (builder.integer("n"), builder.integer("j"));
    let plane = builder.array("plane", vec![(int(0), int(9)), (int(0), int(9))]);
    let mut procedure = builder.finish();
    let column = section(plane, vec![range(None, None, None), Subscript::Index(var(j))]);
    let column = message(column, var(n), Some(REAL));
    assert!(!message_region(&procedure, &column).unwrap().subscripts.is_empty());
    procedure.language = Language::Opposite;
    assert_eq!(message_region(&procedure, &column).unwrap().subscripts, []);
}

#[test]
fn a_message_ends_with_its_section() {
    let mut builder = Builder::new();
    let (n, j) = (builder.integer("n"), builder.integer("j"));
    let open = |lower: i64| ArrayDimension { lower: Some(int(lower)), upper: None };
    let field = builder.symbol("field", REAL, Shape::Array(vec![open(0), open(0)]), Storage::Dummy);
    let deferred = || ArrayDimension { lower: None, upper: None };
    let grown = builder.symbol("grown", REAL, Shape::Array(vec![deferred(), deferred()]), Storage::Allocatable);
    let plane = builder.array("plane", vec![(int(0), int(9)), (int(0), int(9))]);
    let procedure = builder.finish();
    let ask = |buffer: Expression, count: Expression, datatype: ElementType| {
        message_region(&procedure, &message(buffer, count, Some(datatype))).unwrap().subscripts
    };
    let value = Polynomial::variable(j);
    let column = |array: SymbolId| section(array, vec![range(None, None, None), Subscript::Index(var(j))]);
    let in_column = vec![None, Some(Interval { lower: value.clone(), upper: value.clone() })];
    // Whatever is known of the bounds and of the length.
    for array in [field, grown, plane] {
        assert_eq!(ask(column(array), var(n), REAL), in_column);
        assert_eq!(ask(column(array), expression(ExpressionKind::Literal), REAL), in_column);
    }
    // A length in bytes.
    let bytes = ElementType { category: TypeCategory::Unknown, bytes: Some(1) };
    assert_eq!(ask(column(plane), int(80), bytes), in_column);
    assert_eq!(ask(column(plane), int(81), bytes), []);
    // Longer than the section, which no legal program is.
    assert_eq!(ask(column(plane), int(11), REAL), []);
    // An element stands for what comes behind it.
    assert_eq!(ask(element(field, vec![int(0), var(j)]), var(n), REAL), []);
    // Columns.
    let columns = vec![range(None, None, None), range(Some(var(j)), Some(add(var(j), int(1))), None)];
    let both = Interval { lower: value.clone(), upper: value.checked_add(&constant(1)).unwrap() };
    let literal = || expression(ExpressionKind::Literal);
    assert_eq!(ask(section(field, columns.clone()), literal(), REAL), [None, Some(both.clone())]);
    assert_eq!(ask(section(field, columns.clone()), var(n), REAL), []);
    assert_eq!(ask(section(plane, columns), int(20), REAL), [None, Some(both)]);
}

#[test]
fn a_range_is_believed_where_the_length_is_known_to_suffice() {
    let mut builder = Builder::new();
    let (n, j) = (builder.integer("n"), builder.integer("j"));
    let open = || ArrayDimension { lower: Some(int(0)), upper: None };
    let field = builder.symbol("field", REAL, Shape::Array(vec![open(), open()]), Storage::Dummy);
    let procedure = builder.finish();
    let ask = |lower: Expression, upper: Expression, count: Expression| {
        let buffer = section(field, vec![range(Some(lower), Some(upper), None), Subscript::Index(var(j))]);
        message_region(&procedure, &message(buffer, count, Some(REAL))).unwrap().subscripts
    };
    let (n_, j_) = (Polynomial::variable(n), Polynomial::variable(j));
    let expected = [
        Some(Interval { lower: constant(1), upper: n_.clone() }),
        Some(Interval { lower: j_.clone(), upper: j_.clone() }),
    ];
    assert_eq!(ask(int(1), var(n), var(n)), expected);
    assert_eq!(ask(int(1), var(n), expression(ExpressionKind::Literal)), expected);
    assert_eq!(ask(int(1), var(n), add(var(n), int(1))), []);
    // The beginning of something longer.
    assert_eq!(ask(int(1), int(1), var(n)), []);
    assert_eq!(ask(var(n), var(n), expression(ExpressionKind::Literal)), []);
    assert_eq!(ask(int(1), int(1), int(1)), []);
}
