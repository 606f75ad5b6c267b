use super::*;
use crate::frontend::{DefaultKinds, FrontendOptions, read_program};
use crate::ir::StatementKind;

/// What becomes of the arguments of the one call in a program with these declarations: their texts where they are put together
/// anew, and why one does not fit.
fn judged(declarations: &str, call: &str) -> (Program, Option<String>) {
    judged_with(&FrontendOptions::default(), declarations, call)
}

fn judged_with(options: &FrontendOptions, declarations: &str, call: &str) -> (Program, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.f90");
    let text = format!("program test\nimplicit none\n{declarations}\n{call}\nend program\n");
    std::fs::write(&path, text).unwrap();
    let program = read_program(&[path], options).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let program = with_fitting_arguments(&program).unwrap_or(program);
    let why = misfit(&program, &program.procedures[0], communication(&program)).map(|misfit| misfit.why);
    (program, why)
}

fn communication(program: &Program) -> &Communication {
    let statements = program.procedures[0].statements.iter();
    let mut found = statements.filter_map(|statement| match &statement.kind {
        StatementKind::Communication(communication) => Some(communication.as_ref()),
        _ => None,
    });
    found.next().expect("the call")
}

const OLD: &str = "include 'mpif.h'\ninteger :: status(mpi_status_size), request, ierr\nreal :: a(100)\n";

#[test]
fn one_value_of_another_type_or_kind_does_not_fit() {
    let names = ["100", "mpi_real", "1", "2", "mpi_comm_world", "request", "ierr"];
    let declared =
        ["integer(8) :: x", "real :: x", "integer :: x(2)", "logical :: x", "integer(8), parameter :: x = 1"];
    let used = ["x", "x", "x(1:2:2)", "x", "x + 1"];
    for position in 0..names.len() {
        for (declaration, value) in declared.into_iter().zip(used) {
            let mut arguments = names;
            arguments[position] = value;
            let call = format!("call mpi_irecv(a, {})", arguments.join(", "));
            let (_, why) = judged(&format!("{OLD}{declaration}"), &call);
            assert!(why.is_some(), "{declaration}: {call}");
        }
    }
    assert_eq!(judged(OLD, &format!("call mpi_irecv(a, {})", names.join(", "))).1, None);
}

#[test]
fn extents_are_default_integers_unless_they_are_given_a_kind() {
    let why = |count: &str| {
        let call = format!("call mpi_irecv(a, {count}, mpi_real, 1, 2, mpi_comm_world, request, ierr)");
        judged(&format!("{OLD}real :: kinds(100)"), &call).1
    };
    for plain in ["size(kinds)", "size(kinds, 1)", "ubound(a, dim=1)", "SIZE(array=a)"] {
        assert_eq!(why(plain), None, "{plain}");
    }
    for long in ["size(a, kind=8)", "size(a, 1, 8)", "ubound(a, 1, kind=8)", "size(a, kind=8, dim=1)"] {
        assert!(why(long).is_some(), "{long}");
    }
}

#[test]
fn a_request_is_a_variable_that_may_change() {
    let wait = |declaration: &str| {
        let text = format!(
            "subroutine finish(r, q)\ninclude 'mpif.h'\n{declaration} :: r, q(4)\ninteger :: ierr\n\
             call mpi_wait(r, mpi_status_ignore, ierr)\ncall mpi_waitall(2, q, mpi_statuses_ignore, ierr)\nend\n"
        );
        let options = FrontendOptions::default();
        let program = crate::frontend::parse_text(std::path::Path::new("test.f90"), text.into(), &options).unwrap();
        let body = &program.procedures[0];
        let calls = body.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Communication(found) => Some(misfit(&program, body, found).map(|misfit| misfit.why)),
            _ => None,
        });
        calls.collect::<Vec<_>>()
    };
    assert_eq!(wait("integer, intent(inout)"), [None, None]);
    let [Some(one), Some(several)] = &wait("integer, intent(in)")[..] else { panic!("they may not change") };
    assert!(one.contains("INTENT(IN)") && several.contains("INTENT(IN)"));
}

#[test]
fn an_integer_of_kind_4_does_not_fit_where_a_flag_makes_default_ones_longer() {
    let call = "call mpi_irecv(a, x, mpi_real, 1, 2, mpi_comm_world, request, ierr)";
    let kinds = DefaultKinds { kind_4_is_default_integer: false, ..DefaultKinds::default() };
    let longer = FrontendOptions { default_kinds: kinds, ..FrontendOptions::default() };
    for declaration in ["integer(4) :: x", "integer*4 x", "integer(kind=4) :: x"] {
        let declarations = format!("{OLD}{declaration}");
        assert_eq!(judged(&declarations, call).1, None, "{declaration}");
        assert!(judged_with(&longer, &declarations, call).1.is_some(), "{declaration}");
    }
    assert_eq!(judged_with(&longer, &format!("{OLD}integer :: x"), call).1, None);
}

#[test]
fn an_array_is_its_first_element_where_one_value_is_taken() {
    for (declaration, value, subscripts) in
        [("x(1)", "x", vec![1]), ("x(0:3)", "x", vec![0]), ("x(2, 5:6)", "x", vec![1, 5]), ("x(9)", "x(4:4)", vec![4])]
    {
        let declarations = format!("{OLD}integer :: {declaration}");
        let call = format!("call mpi_irecv(a, 100, mpi_real, {value}, 2, mpi_comm_world, request, ierr)");
        let (program, why) = judged(&declarations, &call);
        assert_eq!(why, None, "{call}");
        let Some(Message { partner: Partner::Process { peer, .. }, .. }) = communication(&program).received() else {
            panic!("{call}");
        };
        let ExpressionKind::Element { subscripts: found, .. } = &peer.kind else { panic!("{peer:?}") };
        let expected: Vec<ExpressionKind> = subscripts.into_iter().map(ExpressionKind::Integer).collect();
        assert_eq!(found.iter().map(|subscript| subscript.kind.clone()).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn what_stands_where_several_values_are_taken_stays() {
    let declarations = format!("{OLD}integer :: requests(2), indices(2), many, statuses(mpi_status_size, 2)");
    for (indices, fits) in [("indices", true), ("indices(1:2)", true), ("indices(1)", false)] {
        let call = format!("call mpi_waitsome(2, requests, many, {indices}, statuses, ierr)");
        assert_eq!(judged(&declarations, &call).1.is_none(), fits, "{call}");
    }
}

#[test]
fn a_status_that_nobody_looks_at_is_left_out_where_it_does_not_fit() {
    let call = "call mpi_wait(request, x, ierr)";
    for declaration in ["integer :: x", "integer :: x(3)", "real :: x(mpi_status_size)", "integer(8) :: x(20)"] {
        let unread = format!("{OLD}{declaration}");
        let (program, why) = judged(&unread, call);
        assert!(why.is_none() && communication(&program).status().variable().is_none(), "{declaration}");
        for (before, use_of_it) in
            [("", "print *, x"), ("common /c/ x\n", ""), ("target x\n", ""), ("save x\n", "x = 1")]
        {
            let (program, why) = judged(&format!("{unread}\n{before}"), &format!("{call}\n{use_of_it}"));
            assert!(why.is_some() && communication(&program).status().variable().is_some(), "{declaration} {before}");
        }
    }
}

#[test]
fn a_status_is_a_column_where_it_is_named_by_its_first_element() {
    let read = "print *, x";
    for (declaration, status, fits) in [
        ("x(mpi_status_size, 4)", "x(1, 2)", true),
        ("x(mpi_status_size, 4)", "x", true),
        ("x(mpi_status_size)", "x(1)", true),
        ("x(mpi_status_size, 4)", "x(2, 2)", false),
        ("x(3, 4)", "x(1, 2)", false),
        ("x(3, 4)", "x", false),
        ("x(4*mpi_status_size)", "x(7)", false),
    ] {
        let (_, why) = judged(
            &format!("{OLD}integer :: {declaration}"),
            &format!("call mpi_wait(request, {status}, ierr)\n{read}"),
        );
        assert_eq!(why.is_none(), fits, "{declaration}: {status}: {why:?}");
    }
    for (declaration, statuses, fits) in [
        ("x(mpi_status_size, 4)", "x(1, 1)", true),
        ("x(mpi_status_size, 4)", "x", true),
        ("x(mpi_status_size, 4)", "x(1, 2)", false),
        ("x(4*mpi_status_size)", "x", false),
        ("x(3, 4)", "x", false),
    ] {
        let declarations = format!("{OLD}integer :: requests(2), {declaration}");
        let call = format!("call mpi_waitall(2, requests, {statuses}, ierr)\n{read}");
        let (_, why) = judged(&declarations, &call);
        assert_eq!(why.is_none(), fits, "{call}: {why:?}");
    }
}

/// The subscripts behind the first one, which has to be all of its dimension.
fn column(program: &Program) -> Vec<i64> {
    let status = communication(program).status().variable().expect("a status");
    let ExpressionKind::Section { subscripts, .. } = &status.kind else { panic!("{status:?}") };
    let [Subscript::Range { lower: None, upper: None, stride: None }, others @ ..] = subscripts.as_slice() else {
        panic!("{subscripts:?}")
    };
    let number = |subscript: &Subscript| match subscript {
        Subscript::Index(Expression { kind: ExpressionKind::Integer(number), span }) => {
            // It stands nowhere, so that no text is taken for it.
            assert!(span.start == span.end);
            *number
        }
        other => panic!("{other:?}"),
    };
    others.iter().map(number).collect()
}

#[test]
fn several_statuses_in_the_place_of_one_are_their_first_column() {
    for (bounds, expected) in [
        ("mpi_status_size, 4", vec![1]),
        ("mpi_status_size, 0:3", vec![0]),
        ("mpi_status_size, -2:3", vec![-2]),
        ("mpi_status_size, 2, 3", vec![1, 1]),
        ("mpi_status_size, 5:6, low:1", vec![5, -3]),
        ("20, 4", vec![1]),
    ] {
        let declarations = format!("{OLD}integer, parameter :: low = -3\ninteger :: x({bounds})");
        for call in ["mpi_wait(request, x", "mpi_recv(a, 100, mpi_real, 1, 2, mpi_comm_world, x"] {
            let (program, why) = judged(&declarations, &format!("call {call}, ierr)\nprint *, x"));
            assert_eq!((why, column(&program)), (None, expected.clone()), "{bounds}");
        }
    }
}

#[test]
fn what_a_compiler_has_compared_with_the_interfaces_fits_unless_it_is_known_not_to() {
    let declarations = "use mpi_f08\ntype(mpi_status) :: status\ntype(mpi_request) :: request\nreal :: a(100)\n\
                        integer, external :: f\ninteger(8) :: long";
    let call = |count: &str| format!("call mpi_irecv(a, {count}, mpi_real, 1, 2, mpi_comm_world, request)");
    assert_eq!(judged(declarations, &call("f(3)")).1, None);
    assert_eq!(judged(declarations, &call("storage_size(a)")).1, None);
    assert!(judged(declarations, &call("long")).1.is_some());
    assert_eq!(judged(declarations, "call mpi_wait(request, status)").1, None);
}

#[test]
fn requests_of_a_wait_for_all_may_lie_in_a_table_or_be_one_variable() {
    let wait = |count: &str, requests: &str| {
        let declarations = format!(
            "{OLD}type object\ninteger :: alone, table(2, 4)\ninteger, pointer :: pointed(:)\nend type\n\
             integer :: table(2, 4), cube(2, 2, 2), n, statuses(mpi_status_size, 8)\n\
             integer, pointer :: pointed(:, :)\ninteger, allocatable :: open(:)\ntype(object) :: objects(4)"
        );
        judged(&declarations, &format!("call mpi_waitall({count}, {requests}, statuses, ierr)"))
    };
    let form = |count: &str, requests: &str| {
        let (program, why) = wait(count, requests);
        assert_eq!(why, None, "{count}, {requests}");
        match &communication(&program).operation {
            Operation::WaitAll { requests, .. } => requests.kind.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert!(matches!(form("8", "table"), ExpressionKind::Symbol(_)));
    for (count, requests) in [
        ("2", "table(:, 2)"),
        ("1", "table(2, 2)"),
        ("3", "table(1, 2)"),
        ("n", "table(n, 2)"),
        ("2", "cube(1, 1, 1)"),
        ("n", "cube(n, 2, 1)"),
        ("n", "open(3)"),
        ("n", "pointed(1, 1)"),
        ("n", "objects(n)%table(1, 2)"),
        ("n", "objects(n)%pointed(1)"),
    ] {
        let as_it_is = form(count, requests);
        let is_element = !requests.contains(':');
        let written = matches!(as_it_is, ExpressionKind::Element { .. } | ExpressionKind::Part { .. });
        assert_eq!(written, is_element, "{count}, {requests}");
    }
    for (count, requests) in
        [("8", "cube"), ("2", "cube(:, :, 1:1)"), ("n", "objects(n)%alone"), ("n", "objects(:)%alone")]
    {
        assert!(wait(count, requests).1.is_some(), "{count}, {requests}");
    }
    let (program, why) = wait("1", "request");
    assert!(why.is_none() && matches!(communication(&program).operation, Operation::Wait { .. }), "{why:?}");
    assert!(wait("n", "request").1.is_some());
    assert!(wait("2", "request").1.is_some());
}
