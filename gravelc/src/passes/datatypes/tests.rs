//! Datatypes in variables, on small programs.

use std::path::Path;

use super::*;
use crate::analysis::memory::message::message_region;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::{DerivedDatatype, Dimension, Extent, Interval, Polynomial};
use crate::passes::array_bounds::with_array_bounds;
use crate::passes::wrapper_calls::with_wrapper_calls;

/// The size of the elements of the send in a subroutine that uses `dp_type` of a COMMON block, whose main program has
/// these statements.
fn sent(statements: &str, more: &str) -> Option<u32> {
    let text = format!(
        "program main\nuse mpi\ninteger :: dp_type, ierr\ncommon /types/ dp_type\n{statements}\ncall s\nend program\n\
         subroutine s\nuse mpi\ninteger :: dp_type, ierr\nreal(8) :: a(4)\ncommon /types/ dp_type\n\
         call mpi_send(a, 4, dp_type, 1, 2, mpi_comm_world, ierr)\nend subroutine\n{more}\n"
    );
    let options = FrontendOptions::default();
    let program = parse_text(Path::new("test.f90"), text.into_bytes(), &options).unwrap();
    let resolved = with_known_datatypes(Outside { program: &program, is_closed: false })?;
    let mut statements = resolved.procedures.iter().flat_map(|procedure| &procedure.statements);
    statements.find_map(|statement| match &statement.kind {
        StatementKind::Communication(communication) => communication.sent()?.datatype.predefined?.bytes,
        _ => None,
    })
}

#[test]
fn one_datatype_in_a_variable_is_that_datatype() {
    assert_eq!(sent("dp_type = mpi_double_precision", ""), Some(8));
    assert_eq!(
        sent("if (ierr > 0) then\ndp_type = mpi_double_precision\nelse\ndp_type = mpi_real8\nend if", ""),
        Some(8)
    );
}

#[test]
fn what_may_be_several_stays_open() {
    let vector = "call mpi_type_vector(2, 1, 2, mpi_double_precision, dp_type, ierr)";
    assert_eq!(sent(&format!("dp_type = mpi_double_precision\nif (ierr > 0) {vector}"), ""), None);
    assert_eq!(sent("dp_type = mpi_double_precision\ncall elsewhere", ""), None);
    let other = "subroutine t\nreal :: dp_type\ncommon /types/ dp_type\ndp_type = 1\nend subroutine";
    assert_eq!(sent("dp_type = mpi_double_precision", other), None);
}

#[test]
fn a_number_that_is_no_datatype_says_that_none_is_made_yet() {
    let vector = "call mpi_type_vector(2, 1, 2, mpi_real8, column, ierr)";
    let made = |before: &str| {
        made_by(&format!("{before}\nif (column == 0) then\n{vector}\nend if")).is_some_and(|it| it.element.is_some())
    };
    assert!(made("column = 0"));
    assert!(made("column = -1"));
    assert!(made("column = mpi_datatype_null"));
    // Somebody's MPI_REAL.
    assert!(!made("column = 13"));
    assert!(!made("column = 0\nif (i > 2) column = 1"));
    // What never is one is none.
    assert!(made_by("column = 0").is_none());
    assert_eq!(sent("dp_type = 0\ndp_type = mpi_double_precision", ""), Some(8));
}

/// A program that makes `column` with these statements, and sends from `u`.
fn column_program(declarations: &str, statements: &str, message: &str, more: &str) -> Program {
    let text = format!(
        "program main\nuse mpi\ninteger, parameter :: nx = 10, ny = 6\ninteger :: column, other, ierr, i\n\
         real(8) :: u(0:nx+1, 0:ny+1)\n{declarations}\n{statements}\ncall mpi_send({message}, 1, 2, mpi_comm_world, ierr)\n\
         end program\n{more}\n"
    );
    parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap()
}

fn outside(program: &Program) -> Outside<'_> {
    Outside { program, is_closed: false }
}

/// What is found out about the datatype of the last send of a program.
fn sent_datatype(program: &Program) -> (Program, Option<DerivedDatatype>) {
    sent_datatype_by(program, program.procedures.len() - 1)
}

/// Likewise, of the last send in the procedures up to this one.
fn sent_datatype_by(program: &Program, last: usize) -> (Program, Option<DerivedDatatype>) {
    let known = with_known_datatypes(outside(program)).unwrap_or_else(|| program.clone());
    let bounded = with_array_bounds(outside(&known)).unwrap_or_else(|| known.clone());
    let found = with_datatype_layouts(outside(&bounded)).unwrap_or_else(|| bounded.clone());
    let mut statements = found.procedures[..=last].iter().rev().flat_map(|it| it.statements.iter().rev());
    let datatype = statements.find_map(|statement| match &statement.kind {
        StatementKind::Communication(communication) => Some(communication.sent()?.datatype.clone()),
        _ => None,
    });
    let derived = datatype.and_then(|datatype| {
        assert_eq!(datatype.may_reach_anything, !datatype.is_known(), "whether others could have made it or not");
        datatype.derived
    });
    (found, derived)
}

fn made_by(statements: &str) -> Option<DerivedDatatype> {
    sent_datatype(&column_program("", statements, "u(1, 1), 1, column", "")).1
}

/// Offset, (stride, count) of each dimension, extent.
type Numbers = (i64, Vec<(i64, i64)>, i64);

/// The layout as numbers.
fn numbers(derived: Option<DerivedDatatype>) -> Option<Numbers> {
    let layout = derived?.layout?;
    let dimension = |it: &Dimension| Some((it.stride.as_constant()?, it.count.as_constant()?));
    let dimensions = layout.dimensions.iter().map(dimension).collect::<Option<_>>()?;
    Some((layout.offset.as_constant()?, dimensions, layout.extent.as_constant()?))
}

#[test]
fn constructors_say_where_elements_lie() {
    let cases: [(&str, Numbers); 9] = [
        ("call mpi_type_vector(ny, 1, nx + 2, mpi_real8, column, ierr)", (0, vec![(12, 6)], 61)),
        ("call mpi_type_vector(3, 2, 5, mpi_real8, column, ierr)", (0, vec![(5, 3), (1, 2)], 12)),
        (
            "call mpi_type_create_hvector(3, 2, 40_mpi_address_kind, mpi_real8, column, ierr)",
            (0, vec![(5, 3), (1, 2)], 12),
        ),
        ("call mpi_type_contiguous(7, mpi_real8, column, ierr)", (0, vec![(1, 7)], 7)),
        (
            "call mpi_type_create_subarray(2, [12, 8], [1, 6], [10, 1], mpi_order_fortran, mpi_real8, column, ierr)",
            (22, vec![(1, 1), (12, 6)], 96),
        ),
        (
            "call mpi_type_create_subarray(2, [8, 12], [6, 1], [1, 10], mpi_order_c, mpi_real8, column, ierr)",
            (22, vec![(1, 1), (12, 6)], 96),
        ),
        (
            "call mpi_type_vector(ny, 1, 12, mpi_real8, other, ierr)\n\
             call mpi_type_create_resized(other, 0_mpi_address_kind, 8_mpi_address_kind, column, ierr)",
            (0, vec![(12, 6)], 1),
        ),
        (
            "call mpi_type_contiguous(2, mpi_real8, other, ierr)\ncall mpi_type_vector(3, 1, 4, other, column, ierr)",
            (0, vec![(8, 3), (1, 2)], 18),
        ),
        (
            "call mpi_type_vector(3, 1, 4, mpi_real8, other, ierr)\ncall mpi_type_dup(other, column, ierr)\n\
             call mpi_type_free(other, ierr)",
            (0, vec![(4, 3)], 9),
        ),
    ];
    for (statements, (offset, dimensions, extent)) in cases {
        let committed = format!("{statements}\ncall mpi_type_commit(column, ierr)");
        let found = numbers(made_by(&committed));
        // Dimensions of one position need not be said.
        let without_single = |it: Vec<(i64, i64)>| it.into_iter().filter(|&(_, count)| count != 1).collect::<Vec<_>>();
        let found = found.map(|(offset, dimensions, extent)| (offset, without_single(dimensions), extent));
        assert_eq!(found, Some((offset, without_single(dimensions), extent)), "{statements}");
    }
}

#[test]
fn elements_are_known_where_their_places_are_not() {
    let kind = |statements: &str| {
        made_by(statements).map(|it| (it.element.and_then(|it| it.bytes), it.is_forward, it.layout.is_some()))
    };
    let known = Some((Some(8), true, false));
    let two = "call mpi_type_vector(3, 1, 4, mpi_real8, column, ierr)\n\
               if (ierr > 0) call mpi_type_vector(3, 1, 5, mpi_real8, column, ierr)";
    assert_eq!(kind(two), known);
    assert_eq!(kind("call mpi_type_create_indexed_block(2, 3, [0, 9], mpi_real8, column, ierr)"), known);
    let read = "read (*, *) i\ncall mpi_type_vector(3, 1, i, mpi_real8, column, ierr)";
    assert_eq!(kind(read), Some((Some(8), false, false)));
    assert_eq!(kind("call mpi_type_vector(3, 1, -4, mpi_real8, column, ierr)"), Some((Some(8), false, false)));
    let before = "call mpi_type_create_indexed_block(2, 3, [-1, 9], mpi_real8, column, ierr)";
    assert_eq!(kind(before), Some((Some(8), false, false)));
    let mixed = "call mpi_type_vector(3, 1, 4, mpi_real8, column, ierr)\n\
                 if (ierr > 0) call mpi_type_vector(3, 1, 4, mpi_real4, column, ierr)";
    let any = Some((None, true, false));
    assert_eq!(kind(mixed), any);
    let handed = "call mpi_type_vector(3, 1, 4, mpi_real8, column, ierr)\ncall elsewhere(column)";
    assert_eq!(kind(handed), None);
    let structure = "call mpi_type_create_struct(1, [1], [0_mpi_address_kind], [mpi_real8], column, ierr)";
    assert_eq!(kind(structure), known);
    let places = "call mpi_type_create_hindexed_block(2, 3, places, mpi_real8, column, ierr)";
    let address = |statements: &str| {
        let declared = "integer(mpi_address_kind) :: places(2), stride";
        sent_datatype(&column_program(declared, statements, "u(1, 1), 1, column", "")).1.is_some()
    };
    assert!(address(&format!("places(1) = 0\nplaces(2) = 80\n{places}")));
    assert!(!address(&format!("call mpi_get_address(u, places(1), ierr)\nplaces(2) = 80\n{places}")));
    let vector = "call mpi_type_create_hvector(2, 3, stride, mpi_real8, column, ierr)";
    assert!(!address(&format!("call mpi_get_address(u, stride, ierr)\n{vector}")));
    assert!(address(&format!("read (*, *) i\nstride = int(i, mpi_address_kind) * 8\n{vector}")));
    assert!(address(&format!("call mpi_type_get_extent(mpi_real8, places(1), stride, ierr)\n{vector}")));
    let again = "call mpi_type_vector(3, 1, 4, mpi_real8, column, ierr)\ncall mpi_type_dup(column, column, ierr)";
    assert_eq!(kind(again), known);
}

#[test]
fn a_count_of_mpi_is_not_negative_elsewhere() {
    let is_forward = |statements: &str| made_by(&format!("read (*, *) i\n{statements}")).unwrap().is_forward;
    let vector = "call mpi_type_vector(3, 1, i + 2, mpi_real8, column, ierr)";
    let count = "call mpi_type_contiguous(i + 2, mpi_real8, other, ierr)";
    assert!(!is_forward(vector));
    assert!(is_forward(&format!("{count}\n{vector}")));
    assert!(is_forward(&format!("{vector}\ncall mpi_type_commit(column, ierr)\n{count}")));
    assert!(is_forward(&format!("{}\n{vector}", count.replace("i + 2", "i"))));
    assert!(is_forward(&format!("call mpi_bcast(u, 3, mpi_real8, 0, mpi_comm_world, ierr)\n{count}\n{vector}")));
    assert!(is_forward("call mpi_type_vector(3, i, i + 2, mpi_real8, column, ierr)"));
    assert!(is_forward(&format!(
        "call mpi_recv(u, i, mpi_real8, 1, 7, mpi_comm_world, mpi_status_ignore, ierr)\n{vector}"
    )));
    // Too little, of another value, not in any case, or too late.
    assert!(!is_forward(&format!("{}\n{vector}", count.replace("i + 2", "i + 3"))));
    assert!(!is_forward(&format!("{count}\nread (*, *) i\n{vector}")));
    assert!(!is_forward(&format!("if (i > 0) then\n{count}\nend if\n{vector}")));
    assert!(!is_forward(&format!("if (i > 0) goto 10\n{count}\n10 continue\n{vector}")));
    assert!(!is_forward(&format!("if (i > 0) goto 10\n{count}\n10 {vector}")));
    assert!(!is_forward(&format!("{vector}\nif (i < 0) stop\n{count}")));
    assert!(!is_forward(&format!("{vector}\ni = 3\n{count}")));
    assert!(!is_forward(&format!("call mpi_type_vector(3, 1, i, mpi_real8, other, ierr)\n{vector}")));
}

#[test]
fn a_count_under_a_condition_says_nothing_elsewhere() {
    let is_forward = |body: &str| {
        let put = format!(
            "subroutine put(a, n, to)\nuse mpi\nreal(8), intent(in) :: a(*)\ninteger, intent(in) :: n, to\ninteger :: ierr\n\
             {body}\nend subroutine\n"
        );
        let statements = "call put(u, i, 1)\ncall mpi_type_vector(3, 1, i, mpi_real8, column, ierr)";
        let declared = "read (*, *) i";
        let program = column_program("", &format!("{declared}\n{statements}"), "u(1, 1), 1, column", &put);
        let with_calls = with_wrapper_calls(&program).expect("a wrapper");
        sent_datatype_by(&with_calls, 0).1.expect("known elements").is_forward
    };
    let send = "call mpi_send(a, n, mpi_real8, to, 7, mpi_comm_world, ierr)";
    assert!(is_forward(send));
    assert!(!is_forward(&format!("if (n > 0) {send}")));
    assert!(!is_forward(&format!("if (n <= 0) return\n{send}")));
    assert!(!is_forward(&format!("if (to >= 0) then\n{send}\nend if")));
}

#[test]
fn an_array_in_a_constructor_is_not_one_number() {
    let offset = |lengths: &str| {
        let statements = format!(
            "pair = [10, 2]\nstarts = [1, 6, 3]\n{lengths}\nlengths(1) = 1\n\
             call mpi_type_create_subarray(2, [12, 8], lengths, [1, 6], mpi_order_fortran, mpi_real8, column, ierr)"
        );
        let declared = "integer :: pair(2), starts(3), lengths(3), k\ninteger, parameter :: two(2) = [2, 2]";
        let (_, derived) = sent_datatype(&column_program(declared, &statements, "u(1, 1), 1, column", ""));
        numbers(derived).map(|(_, dimensions, _)| dimensions)
    };
    let made = |second: i64| Some(vec![(12, second)]);
    assert_eq!(offset("lengths = [9, 2, 7]"), made(2));
    assert_eq!(offset("lengths = [(9), 1 + 1, 7]"), made(2));
    assert_eq!(offset("lengths = [pair(2), 2, 7]"), made(2));
    // Only what stands in front of the numbers that are asked for counts.
    assert_eq!(offset("lengths = [9, pair]"), None);
    for constructor in ["pair, 7", "two, 7", "(pair), 7", "pair + 1, 7", "pair(1:2), 7", "starts(pair), 7", "o(), 7"] {
        assert_eq!(offset(&format!("lengths = [{constructor}]")), None, "{constructor}");
    }
    assert_eq!(offset("lengths = [(k, k = 4, 5), 7]"), None);
}

#[test]
fn a_layout_lasts_as_long_as_what_it_is_made_of() {
    let has_layout = |declarations: &str, statements: &str| {
        let program = column_program(declarations, statements, "u(1, 1), 1, column", "");
        sent_datatype(&program).1.is_some_and(|it| it.layout.is_some())
    };
    let make =
        "call mpi_type_create_subarray(2, [nx+2, ny+2], [1, ny], [i, 1], mpi_order_fortran, mpi_real8, column, ierr)";
    assert!(has_layout("", &format!("read (*, *) i\n{make}")));
    assert!(!has_layout("", &format!("read (*, *) i\n{make}\nread (*, *) i")));
    assert!(!has_layout("integer, target :: first", &format!("read (*, *) first\n{}", make.replace("[i,", "[first,"))));
    let assigned = "starts = 1\nstarts(1) = i\n".to_owned() + &make.replace("[i, 1]", "starts");
    assert!(has_layout("integer :: starts(2)", &format!("read (*, *) i\n{assigned}")));
    let too_late = "starts = 1\nstarts(1) = i\nread (*, *) i\n".to_owned() + &make.replace("[i, 1]", "starts");
    assert!(!has_layout("integer :: starts(2)", &format!("read (*, *) i\n{too_late}")));
    let unknown = "read (*, *) starts\n".to_owned() + &make.replace("[i, 1]", "starts");
    assert!(!has_layout("integer :: starts(2)", &unknown));
}

#[test]
fn procedures_know_what_their_callers_hand_them() {
    let body = |extra: &str| {
        format!(
            "subroutine exchange(field, n, m, kind_of_column)\nuse mpi\ninteger :: n, m, kind_of_column, ierr\n\
             real(8) :: field(0:n+1, 0:m+1)\n{extra}\ncall mpi_send(field(1, 1), 1, kind_of_column, 1, 2, mpi_comm_world, ierr)\n\
             end subroutine"
        )
    };
    let make = "read (*, *) i\nread (*, *) other_i\ncall mpi_type_vector(other_i, 1, i + 2, mpi_real8, column, ierr)";
    let layout = |call: &str, extra: &str| {
        let statements = format!("{make}\n{call}");
        let program = column_program("integer :: other_i", &statements, "u, 1, mpi_real8", &body(extra));
        sent_datatype(&program).1
    };
    let call = "call exchange(u, i, other_i, column)";
    let found = layout(call, "").expect("of known elements");
    assert!(found.is_forward && found.layout.is_some());
    // Neither where the callee changes the extent, nor where another call says something else.
    assert!(layout(call, "n = n + 1").is_none_or(|it| it.layout.is_none()));
    assert!(layout(&format!("{call}\ncall exchange(u, other_i, i, column)"), "").is_none_or(|it| it.layout.is_none()));
}

#[test]
fn what_ends_a_common_block_has_nothing_beside_it() {
    let is_plain = |block: &str, stride: &str, more: &str| {
        let made = format!(
            "call mpi_type_vector(3, 1, {stride}, mpi_real8, column, ierr)\n\
             if (ierr > 0) call mpi_type_vector(3, 1, 5, mpi_real8, column, ierr)"
        );
        let program = column_program(&format!("real(8) :: w\n{block}"), &made, "u(1, 1), 1, column", more);
        let (found, derived) = sent_datatype(&program);
        assert!(derived.is_some_and(|derived| derived.layout.is_none()), "{block}");
        let mut statements = found.procedures[0].statements.iter();
        let message = statements.find_map(|statement| match &statement.kind {
            StatementKind::Communication(communication) => communication.sent(),
            _ => None,
        });
        message_region(&found.procedures[0], message.expect("a send")).is_ok()
    };
    assert!(is_plain("", "4", ""));
    assert!(is_plain("common /field/ u", "4", ""));
    assert!(is_plain("common /field/ w, u", "4", ""));
    assert!(!is_plain("common /field/ u, w", "4", ""));
    // In front of it something may lie.
    assert!(!is_plain("common /field/ w, u", "i", ""));
    let longer = "subroutine other\nreal(8) :: v(0:11, 0:7), next(3)\ncommon /field/ v, next\nend subroutine";
    assert!(!is_plain("common /field/ u", "4", longer));
    let cut = "subroutine other\nreal(8) :: v(96)\ncommon /field/ v\nend subroutine";
    assert!(!is_plain("common /field/ u", "4", cut));
}

#[test]
fn messages_are_the_columns_of_their_datatype() {
    let region = |statements: &str, message: &str| {
        let program = column_program("", statements, message, "");
        let (found, _) = sent_datatype(&program);
        let procedure = &found.procedures[0];
        let mut messages = procedure.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Communication(communication) => communication.sent(),
            _ => None,
        });
        message_region(procedure, messages.next_back().expect("a send"))
    };
    let make = "call mpi_type_vector(ny, 1, nx + 2, mpi_real8, column, ierr)";
    let interval = |lower: i64, upper: i64| {
        Some(Interval { lower: Polynomial::constant(lower), upper: Polynomial::constant(upper) })
    };
    let column = region(make, "u(3, 1), 1, column").expect("plain memory");
    assert_eq!(column.subscripts, [interval(3, 3), interval(1, 6)]);
    assert_eq!(column.lmad().expect("known").offset, Polynomial::constant(15));
    // Two of a column lie by its extent: the second one begins in the next column.
    let two = region(make, "u(3, 1), 2, column").expect("plain memory");
    assert!(two.subscripts.is_empty());
    assert_eq!(two.lmad().expect("known").dimensions.len(), 2);
    let part =
        "call mpi_type_create_subarray(2, [nx+2, ny+2], [2, ny], [nx, 1], mpi_order_fortran, mpi_real8, column, ierr)";
    assert_eq!(region(part, "u, 1, column").expect("plain memory").subscripts, [interval(10, 11), interval(1, 6)]);
    assert_eq!(region(make, "u(:, 1:3), 1, column").expect("neighbours").extent, Extent::Whole);
    assert!(region(make, "u(1:3, :), 1, column").is_err());
    assert!(region(make, "i, 1, column").is_err());
}

#[test]
fn what_is_not_known_is_what_the_program_makes() {
    let forget = "write (text, *) other\nread (text, *) column";
    let found = |statements: &str| {
        let statements = format!("{statements}\n{forget}");
        sent_datatype(&column_program("character(len=20) :: text", &statements, "u(1, 1), 1, column", "")).1
    };
    let is_forward = |statements: &str| {
        let found = found(statements);
        assert!(found.as_ref().is_none_or(|it| it.element.is_none() && it.layout.is_none()));
        found.map(|it| it.is_forward)
    };
    assert_eq!(is_forward("other = mpi_real8"), Some(true));
    assert_eq!(is_forward("call mpi_type_vector(3, 1, 4, mpi_real8, other, ierr)"), Some(true));
    assert_eq!(is_forward("call mpi_type_vector(3, 1, -4, mpi_real8, other, ierr)"), Some(false));
    let bytes = "call mpi_type_create_hindexed_block(1, 3, [stride], mpi_real8, other, ierr)";
    assert_eq!(is_forward(&bytes.replace("[stride]", "[80_mpi_address_kind]")), Some(true));
    let address = format!(
        "block\ninteger(mpi_address_kind) :: stride\ncall mpi_get_address(u, stride, ierr)\n{bytes}\nend block"
    );
    assert_eq!(is_forward(&address), None);
    // Parts of one array.
    let distributed = "call mpi_type_create_darray(1, 0, 1, [9], [mpi_distribute_block], [mpi_distribute_dflt_darg], [1], \
                       mpi_order_fortran, mpi_real8, other, ierr)";
    assert_eq!(is_forward(distributed), Some(true));
    assert_eq!(is_forward("other = mpi_real8\ncall elsewhere"), None);
}

#[test]
fn structures_are_of_one_variable_where_their_distances_are() {
    let cloud = "type :: cloud\nsequence\nreal(8) :: x(4)\ninteger :: n\nreal(8), pointer :: p(:)\nend type\n\
                 type(cloud) :: here, there\ninteger(mpi_address_kind) :: places(2), first\n\
                 integer :: lengths(2) = [4, 1], types(2) = [mpi_real8, mpi_integer]";
    let make = "call mpi_type_create_struct(2, lengths, places, types, column, ierr)";
    let is_carried = |statements: &str| {
        sent_datatype(&column_program(cloud, &format!("{statements}\n{make}"), "here, 1, column", "")).1.is_some()
    };
    let x = "call mpi_get_address(here%x, places(1), ierr)";
    let n = "call mpi_get_address(here%n, places(2), ierr)";
    assert!(is_carried(&format!("{x}\n{n}\nplaces(2) = places(2) - places(1)\nplaces(1) = 0")));
    assert!(is_carried(&format!("call mpi_get_address(here, first, ierr)\n{x}\n{n}\nplaces = places - first")));
    assert!(is_carried("call mpi_type_get_extent(mpi_real8, places(1), first, ierr)\nplaces = [0 * first, 4 * first]"));
    // Of another object, behind a pointer, or from elsewhere.
    assert!(!is_carried(&format!("{x}\n{}\nplaces = places - places(1)", n.replace("here", "there"))));
    assert!(!is_carried(&format!("{x}\n{}\nplaces = places - places(1)", n.replace("here%n", "here%p"))));
    assert!(!is_carried(&format!("{x}\ncall elsewhere(first)\nplaces(2) = first - places(1)\nplaces(1) = 0")));
    assert!(!is_carried("read (*, *) places"));
    assert!(!is_carried("places(1) = 0\nplaces(2) = loc(there) - loc(here)"));
}

#[test]
fn a_dummy_argument_may_be_a_part_of_something_larger() {
    let is_carried = |declarations: &str, argument: &str, caller: &str| {
        let text = format!(
            "program main\nuse mpi\nreal(8) :: a(9), b(9)\n{declarations}\ninteger :: t(1)\ncommon /types/ t\n\
             call send({argument})\n{caller}\nend program\nsubroutine send(x)\nuse mpi\nreal(8) :: x(*)\ninteger :: it, other, ierr\n\
             common /types/ it, other\ncall mpi_send(x, 1, it, 1, 2, mpi_comm_world, ierr)\nend subroutine\n"
        );
        let program = parse_text(Path::new("test.f90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
        sent_datatype(&program).1.is_some()
    };
    assert!(is_carried("", "a", ""));
    assert!(is_carried("", "a(3)", "call send(b)"));
    assert!(is_carried("common /fields/ b, a", "a", ""));
    assert!(!is_carried("common /fields/ a, b", "a", ""));
    assert!(!is_carried("common /fields/ a, b", "b", "call send(a(2))"));
    assert!(!is_carried("type :: pair\nreal(8) :: x(3), y(3)\nend type\ntype(pair) :: it", "it%x", ""));
    assert!(!is_carried("real(8), pointer :: p(:)", "p", ""));
}

#[test]
fn of_several_predefined_ones_it_is_the_longest() {
    assert_eq!(sent("dp_type = mpi_double_precision\nif (ierr > 0) dp_type = mpi_real", ""), Some(8));
}
