//! What the arguments of a send depend on, on small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::StatementId;
use crate::passes::lent_to_functions::with_names_for_functions;

const MODULE: &str = "module m\nuse mpi\nimplicit none\ninteger :: shift, calls, numbers(10)\n\
    integer, allocatable :: list(:)\ninteger, target :: aim\ninteger, private :: hidden\n\
    type base\ninteger :: columns, rows\nreal, allocatable :: u(:)\ninteger, pointer :: link\ncontains\n\
    procedure :: width\nprocedure :: height\nend type\n\
    type, extends(base) :: child\ncontains\nprocedure :: height => counted_height\nend type\n\
    contains\n\
    pure integer function width(this)\nclass(base), intent(in) :: this\nwidth = this%columns + shift\nend function\n\
    integer function height(this)\nclass(base), intent(in) :: this\nheight = this%rows\nend function\n\
    integer function counted_height(this)\nclass(child), intent(in) :: this\ncalls = calls + 1\n\
    counted_height = this%rows\nend function\n\
    integer function length(values)\ninteger, intent(in) :: values(:)\nlength = size(values)\nend function\n\
    integer function list_length()\nlist_length = length(list)\nend function\n\
    integer function linked(this)\ntype(base), intent(in) :: this\nlinked = this%link\nend function\n\
    integer function of_secret()\nof_secret = hidden\nend function\n\
    integer function of_aim()\nof_aim = aim\nend function\n\
    integer function remembered()\ninteger, save :: times = 0\ntimes = times + 1\nremembered = times\nend function\n\
    integer function constant()\ninteger, save :: value = 3\nconstant = value\nend function\n\
    recursive integer function steps(n) result(answer)\ninteger, intent(in) :: n\nanswer = 0\n\
    if (n > 0) answer = steps(n - 1)\nend function\n\
    integer function stopping(n)\ninteger, intent(in) :: n\nif (n < 0) stop\nstopping = n\nend function\n\
    integer function first_of(n, ok)\ninteger, intent(in) :: n\nlogical, intent(out) :: ok\nok = n > 0\n\
    first_of = n\nend function\n\
    integer function timed()\ntimed = int(mpi_wtime())\nend function\n\
    impure elemental integer function logged(n)\ninteger, intent(in) :: n\nprint *, n\nlogged = n\nend function\n\
    function pointed() result(p)\ninteger, pointer :: p\np => aim\nend function\n\
    integer function elsewhere(n)\ninteger, intent(in) :: n\ninteger, external :: missing\nelsewhere = missing(n)\n\
    end function\n\
    integer function area(this)\nclass(base), intent(in) :: this\narea = width(this)\n\
    if (area > 0) area = area * plain_height(this)\nend function\n\
    integer function plain_height(this)\nclass(base), intent(in) :: this\nplain_height = this%rows\nend function\n\
    integer function halves(n)\ninteger, intent(in) :: n\ninteger :: rest\nrest = n\nhalves = 0\n\
    do while (rest > 1)\nrest = rest / 2\nhalves = halves + 1\nend do\nend function\n";

/// The names of what the count of a send depends on in a procedure of the module, or why it can't be told.
fn needed(count: &str) -> Result<Vec<String>, String> {
    let text = format!(
        "{MODULE}subroutine work(object, any, own, a)\ntype(base) :: object\nclass(base) :: any\ninteger :: own, ierr\n\
         logical :: ok\nreal :: a(100)\n\
         call mpi_send(a, {count}, mpi_real, 1, 2, mpi_comm_world, ierr)\ncontains\n\
         integer function inner()\ninner = own + 1\nend function\nend subroutine\nend module\n"
    );
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let program = with_names_for_functions(&program).unwrap_or(program);
    let facts = Facts::new(&program);
    let (id, work) = program.procedures().find(|(_, procedure)| procedure.name == "work").unwrap();
    let sends = |index: &usize| matches!(work.statement(StatementId(*index)).kind, StatementKind::Communication(_));
    let send = (0..work.statements.len()).find(sends).unwrap();
    let StatementKind::Communication(send) = &work.statement(StatementId(send)).kind else { unreachable!() };
    let values = values_needed(&facts, id, &[&send.sent().unwrap().count]).map_err(|found| found.why)?;
    let mut names: Vec<String> = values.into_iter().map(|value| work.symbol(value).name.clone()).collect();
    names.sort();
    Ok(names)
}

#[track_caller]
fn assert_needs(count: &str, names: &[&str]) {
    assert_eq!(needed(count), Ok(names.iter().map(|name| (*name).to_owned()).collect()), "{count}");
}

#[track_caller]
fn assert_stays(count: &str, why: &str) {
    let found = needed(count).expect_err(count);
    assert!(found.contains(why), "{count}: {found}");
}

#[test]
fn what_a_function_looks_at_counts() {
    assert_needs("object%width()", &["object%columns", "shift"]);
    assert_needs("width(object) + own", &["object%columns", "own", "shift"]);
    assert_needs("area(object)", &["object%columns", "object%rows", "shift"]);
    assert_needs("length(numbers)", &["numbers"]);
    assert_needs("length(numbers(2:own))", &["numbers", "own"]);
    assert_needs("halves(own * 2)", &["own"]);
    assert_needs("halves(numbers(own))", &["numbers", "own"]);
    assert_needs("constant()", &[]);
    assert_needs("inner()", &["own"]);
    assert_needs("of_secret()", &["hidden"]);
}

#[test]
fn the_shape_of_what_is_handed_on_counts() {
    assert_needs("list_length()", &["list"]);
    assert_needs("length(list)", &["list"]);
}

#[test]
fn a_choice_of_functions_needs_what_any_of_them_does() {
    assert_stays("any%height()", "is not among the given files");
    assert_needs("object%height()", &["object%rows"]);
}

#[test]
fn what_others_notice_stays_in_its_place() {
    assert_stays("remembered()", "`remembered` changes variables");
    assert_stays("stopping(own)", "`stopping` may not return: the program ends");
    assert_stays("first_of(own, ok)", "`first_of` changes variables");
    assert_stays("sum(logged(numbers))", "`logged` may not return");
    assert_stays("steps(own)", "`steps` may not return: it calls itself");
}

#[test]
fn what_can_not_be_followed_stays_in_its_place() {
    assert_stays("of_aim()", "`of_aim` reads memory that is not told by names");
    assert_stays("linked(object)", "`linked`");
    assert_stays("pointed()", "`pointed`");
    assert_stays("elsewhere(own)", "`elsewhere` may not return: `missing`, which is not among the given files");
    assert_stays("timed()", "`timed` calls `mpi_wtime`, which gives another value each time");
    assert_stays("int(mpi_wtime())", "`mpi_wtime` gives another value each time");
}
