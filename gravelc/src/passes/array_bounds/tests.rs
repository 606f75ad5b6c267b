//! The bounds that are found, on small programs.

mod changing_procedures;
mod in_objects;

use std::path::Path;

use super::*;
use crate::analysis::memory::region_text::polynomial_text;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::Polynomial;

/// The bounds of an array in a procedure of a program: `?` where one is not known, nothing where none was found.
fn bounds(text: &str, procedure: &str, array: &str) -> String {
    let program = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let found = with_array_bounds(Outside { program: &program, is_closed: false });
    let program = found.as_ref().unwrap_or(&program);
    let body = program.procedures.iter().find(|body| body.name == procedure).unwrap();
    let symbol = body.symbol(body.find_symbol(array).unwrap());
    let shown = |bound: &Option<Polynomial>| {
        bound.as_ref().map_or_else(|| "?".to_owned(), |bound| polynomial_text(body, bound).replace(' ', ""))
    };
    let dimensions = symbol.found_bounds.iter();
    let dimensions: Vec<String> =
        dimensions.map(|bounds| format!("{}:{}", shown(&bounds.lower), shown(&bounds.upper))).collect();
    dimensions.join(", ")
}

/// The bounds of `a` in a main program with these statements and, behind CONTAINS, these procedures.
fn in_main(statements: &str, contained: &str) -> String {
    let text = format!(
        "program main\nimplicit none\nreal, allocatable :: a(:, :), b(:, :)\ninteger :: n, m, k\nlogical :: c\n\
         {statements}\nif (allocated(a)) print *, a(1, 1)\ncontains\n{contained}\nend program\n"
    );
    bounds(&text, "main", "a")
}

#[test]
fn an_array_has_the_bounds_that_allocate_gives() {
    assert_eq!(in_main("n = 4\nm = n + 1\nallocate(a(n, 0:m+1))", ""), "1:n, 0:m+1");
    assert_eq!(in_main("read *, n, m\nallocate(a(-1:n*m, 3), stat=k)", ""), "-1:n*m, 1:3");
    assert_eq!(in_main("read *, n\nallocate(a(n/2, n))", ""), "1:?, 1:n");
    assert_eq!(in_main("read *, n\nif (n > 3) then\nn = 3\nend if\nallocate(a(n, n))", ""), "1:n, 1:n");
    assert_eq!(in_main("read *, n\nallocate(a(n, 2))\ndeallocate(a)\nallocate(a(n, 2))", ""), "1:n, 1:2");
    assert_eq!(in_main("read *, n\nif (c) then\nallocate(a(n, 2))\nelse\nallocate(a(n, 2))\nend if", ""), "1:n, 1:2");
}

#[test]
fn what_changes_later_is_no_bound() {
    assert_eq!(in_main("n = 4\nallocate(a(n, 2))\nn = 5", ""), "1:?, 1:2");
    assert_eq!(in_main("allocate(a(n, 2))\nread *, n", ""), "1:?, 1:2");
    assert_eq!(in_main("do k = 1, 3\nn = k\nallocate(a(n, 2))\ndeallocate(a)\nend do", ""), "1:?, 1:2");
    assert_eq!(in_main("do n = 1, 3\nallocate(a(n, 2))\ndeallocate(a)\nend do", ""), "1:?, 1:2");
    assert_eq!(in_main("10 n = n + 1\nallocate(a(n, 2))\ndeallocate(a)\nif (n < 4) goto 10", ""), "1:?, 1:2");
    assert_eq!(in_main("allocate(a(n, 2), stat=n)", ""), "1:?, 1:2");
    let change = "subroutine change\nn = n + 1\nend subroutine";
    assert_eq!(in_main("n = 4\nallocate(a(n, 2))\ncall change", change), "1:?, 1:2");
    assert_eq!(in_main("n = 4\ncall change\nallocate(a(n, 2))", change), "1:n, 1:2");
    let argument = "subroutine change(it)\ninteger, intent(out) :: it\nit = 1\nend subroutine";
    assert_eq!(in_main("n = 4\nallocate(a(n, 2))\ncall change(n)", argument), "1:?, 1:2");
    assert_eq!(in_main("n = 4\nallocate(a(n, 2))\ncall unknown(n)", ""), "1:?, 1:2");
    assert_eq!(in_main("namelist /sizes/ n\nn = 4\nallocate(a(n, 2))\nread (5, nml=sizes)", ""), "1:?, 1:2");
    assert_eq!(in_main("n = 4\nallocate(a(n, 2))\nassociate (it => n)\nit = 5\nend associate", ""), "1:?, 1:2");
    // What is not followed takes all bounds away.
    assert_eq!(in_main("n = 4\nallocate(a(n, 2))\nblock\nuse elsewhere\nn = 5\nend block", ""), "");
    assert_eq!(in_main("n = 4\nallocate(a(n, 2))\nread *, (b(k, 1), n, k = 1, 2)", ""), "1:?, 1:2");
    assert_eq!(in_main("n = 4\nallocate(a(n, 2))\nopen (newunit=n, file='f')", ""), "1:?, 1:2");
    assert_eq!(in_main("n = 4\nallocate(a(n, 2))\nif (c) stop\nwhere (a > 0) a = n", ""), "1:n, 1:2");
}

#[test]
fn branches_of_which_one_runs_do_not_follow_one_another() {
    assert_eq!(in_main("n = 1\nif (c) then\nn = 4\nelse\nallocate(a(n, 2))\nend if", ""), "1:n, 1:2");
    assert_eq!(in_main("do k = 1, 2\nif (c) then\nn = 4\nelse\nallocate(a(n, 2))\nend if\nend do", ""), "1:?, 1:2");
}

#[test]
fn an_array_that_gets_other_bounds_has_none() {
    assert_eq!(in_main("n = 4\nallocate(a(n, 2))\ndeallocate(a)\nallocate(a(2, n))", ""), "");
    assert_eq!(in_main("allocate(b(3, 3))\nallocate(a, source=b)", ""), "");
    assert_eq!(in_main("allocate(a(3, 3), b(2, 2))\na = b", ""), "");
    assert_eq!(in_main("allocate(a(3, 3), b(2, 2))\ncall move_alloc(b, a)", ""), "");
    assert_eq!(in_main("allocate(a(3, 3), b(2, 2))\na = matmul(b, b)", ""), "");
    assert_eq!(in_main("allocate(a(3, 3))\na = reshape([1.0], [1, 1])", ""), "");
    assert_eq!(in_main("allocate(a(3, 3))\ncall unknown(a)", ""), "");
    let again = "subroutine again(it)\nreal, allocatable :: it(:, :)\nallocate(it(9, 9))\nend subroutine";
    assert_eq!(in_main("allocate(a(3, 3))\ndeallocate(a)\ncall again(a)", again), "");
    let by_host = "subroutine again\nallocate(a(9, 9))\nend subroutine";
    assert_eq!(in_main("allocate(a(3, 3))\ndeallocate(a)\ncall again", by_host), "");
}

#[test]
fn an_assignment_of_the_same_shape_changes_none() {
    assert_eq!(in_main("n = 4\nallocate(a(n, 0:2), b(n, 0:2))\na = 0.0\nb = 1.0\na = abs(b) + 2 * a", ""), "1:n, 0:2");
    assert_eq!(in_main("allocate(a(3, 3), b(3, 3))\na = b\nb = matmul(a, a)", ""), "");
    assert_eq!(in_main("allocate(a(3, 3))\na(:, 1) = 2.0", ""), "1:3, 1:3");
}

#[test]
fn an_assignment_to_no_array_makes_one_that_begins_at_one() {
    let assigned =
        |value: &str| in_main(&format!("allocate(a(0:3, 2), b(0:3, 2))\nb = 1.0\ndeallocate(a)\n{value}"), "");
    assert_eq!(assigned("a = b"), "0:3, 1:2");
    for value in ["b + 1", "-b", "(b)", "abs(b)", "2 * b", "b + b", "max(b, 1.0)"] {
        assert_eq!(assigned(&format!("a = {value}")), "", "{value}");
    }
    // An operand is allocated, and to what is not no scalar may be assigned.
    assert_eq!(assigned("a = b\na = a + 2 * b"), "0:3, 1:2");
    assert_eq!(assigned("a = b\na = 2 * sqrt(2.0)"), "0:3, 1:2");
    // What begins at 1 stays so.
    assert_eq!(in_main("allocate(a(3, 2), b(3, 2))\nb = 1.0\ndeallocate(a)\na = b + 1", ""), "1:3, 1:2");
    // One that is not changed itself can have others of one that is.
    assert_eq!(assigned("b = b + 1\nif (c) deallocate (b)\nb = a + 1\na = b"), "");
    let in_object = |value: &str| {
        let text = format!(
            "program main\ntype field\nreal, allocatable :: a(:)\nend type\ntype(field) :: o, q\n\
             allocate(o%a(0:3))\nallocate(q%a(0:3))\nq%a = 1.0\ndeallocate(o%a)\no%a = {value}\n\
             print *, o%a(1)\nend program\n"
        );
        bounds(&text, "main", "o%a")
    };
    assert_eq!(in_object("q%a"), "0:3");
    assert_eq!(in_object("q%a + 1"), "");
    let in_module = |value: &str| {
        let later = format!("deallocate(a)\na = {value}");
        let text = format!(
            "module m\nreal, allocatable :: a(:), b(:)\ncontains\nsubroutine set_up\nallocate(a(0:3), b(0:3))\n\
             b = 1.0\nend subroutine\nsubroutine later\n{later}\nend subroutine\nend module\n\
             program main\nuse m\ncall set_up\ncall later\nprint *, a(1)\nend program\n"
        );
        bounds(&text, "main", "a")
    };
    assert_eq!(in_module("b"), "0:3");
    assert_eq!(in_module("b + 1"), "");
}

#[test]
fn contained_procedures_see_the_same_bounds() {
    let text = "program main\nreal, allocatable :: a(:)\ninteger :: n\nread *, n\nallocate(a(n))\ncall fill\ncontains\n\
                subroutine fill\na(n) = 1.0\nend subroutine\nsubroutine other\ninteger :: n\na(1) = n\nend subroutine\n\
                end program\n";
    assert_eq!(bounds(text, "main", "a"), "1:n");
    assert_eq!(bounds(text, "fill", "a"), "1:n");
    assert_eq!(bounds(text, "other", "a"), "1:?");
}

/// The bounds of `a` of module `m` in subroutine `use_it`; the module's procedures `set_up` and `later` hold these statements.
fn in_module(set_up: &str, later: &str, main: &str) -> String {
    let text = format!(
        "module m\nimplicit none\nreal, allocatable :: a(:)\ninteger :: n\ncontains\nsubroutine set_up\n{set_up}\n\
         end subroutine\nsubroutine later\n{later}\nend subroutine\nsubroutine use_it\na(n) = 1.0\nend subroutine\n\
         end module\nprogram main\nuse m\ninteger :: i\n{main}\nend program\n"
    );
    bounds(&text, "use_it", "a")
}

#[test]
fn arrays_of_modules_have_bounds_where_the_program_settles_them() {
    let main = "call set_up\ndo i = 1, 3\ncall use_it\nend do";
    assert_eq!(in_module("read *, n\nallocate(a(n))", "", main), "1:n");
    assert_eq!(in_module("allocate(a(n))", "", "read *, n\ncall set_up\ncall use_it"), "1:n");
    assert_eq!(in_module("allocate(a(n))\nn = 3", "", main), "1:?");
    assert_eq!(in_module("read *, n\nallocate(a(n))", "n = 3", main), "1:?");
    assert_eq!(in_module("read *, n\nallocate(a(n))", "n = 3", "call set_up\ncall later"), "1:?");
    assert_eq!(in_module("allocate(a(n))", "n = 3", "call later\ncall set_up\ncall use_it"), "1:n");
    assert_eq!(in_module("allocate(a(n))", "n = 3", "do i = 1, 2\ncall later\ncall set_up\nend do"), "1:?");
    assert_eq!(in_module("read *, n\nallocate(a(n))", "", "do i = 1, 2\ncall set_up\nend do"), "1:?");
    assert_eq!(in_module("read *, n\nallocate(a(n))", "", "call set_up\ncall use_it\ncall set_up"), "1:?");
    assert_eq!(in_module("read *, n\nallocate(a(n))", "deallocate(a)\nallocate(a(5))", "call set_up\ncall later"), "");
    assert_eq!(in_module("read *, n\nallocate(a(n))", "", "call set_up\ncall unknown"), "");
    let change = "call set_up\ncall change(n)\ncall use_it\ncontains\nsubroutine change(it)\ninteger :: it\nit = 7\n\
                  end subroutine";
    assert_eq!(in_module("read *, n\nallocate(a(n))", "", change), "1:?");
}

#[test]
fn saved_arrays_may_have_the_bounds_of_an_earlier_call() {
    let of = |attribute: &str| {
        let text = format!(
            "subroutine s(n)\ninteger, intent(in) :: n\nreal, allocatable{attribute} :: a(:)\n\
             if (.not. allocated(a)) allocate(a(n))\na(1) = 1.0\nend subroutine\n"
        );
        bounds(&text, "s", "a")
    };
    assert_eq!(of(""), "1:n");
    assert_eq!(of(", save"), "");
}

/// The bounds of `x` in a subroutine with these dummy arguments, declarations and statements, called by these of a main
/// program.
fn handed(dummies: &str, declarations: &str, statements: &str, calls: &str) -> String {
    let text = format!(
        "module sizes\ninteger :: nx\nend module\nmodule m\ncontains\nsubroutine s({dummies})\nuse sizes\n\
         {declarations}\n{statements}\nend subroutine\nend module\nprogram main\nuse m\nuse sizes\n\
         real :: fixed(4, 0:5), other(6, 6)\nreal, allocatable :: a(:, :), b(:, :)\ninteger :: n\n\
         real, pointer :: p(:, :)\nreal, pointer, contiguous :: c(:, :)\nnx = 3\nread *, n\nallocate(a(nx, n), b(nx, n), p(2, 2))\n{calls}\nend program\n"
    );
    bounds(&text, "s", "x")
}

#[test]
fn assumed_shapes_are_those_of_all_calls() {
    assert_eq!(handed("x", "real :: x(:, :)", "", "call s(fixed)"), "1:4, 1:6");
    assert_eq!(handed("x", "real :: x(0:, 2:)", "", "call s(fixed)"), "0:3, 2:7");
    assert_eq!(handed("x", "real :: x(0:, :)", "print *, nx", "call s(a)\ncall s(b)"), "0:nx-1, 1:?");
    assert_eq!(handed("x, k", "integer :: k\nreal :: x(:, :)", "", "call s(a, n)\ncall s(b, n)"), "1:?, 1:k");
    assert_eq!(handed("x, k", "integer :: k\nreal :: x(:, :)", "k = 1", "call s(a, n)"), "1:?, 1:?");
    assert_eq!(handed("x", "real :: x(:, :)", "", "call s(fixed)\ncall s(other)"), "1:?, 1:6");
    assert_eq!(handed("x", "real :: x(:, :)", "nx = 4", "call s(a)"), "1:?, 1:?");
    assert_eq!(handed("x", "real :: x(:)", "print *, nx", "call s(a(:, 2))"), "1:nx");
}

#[test]
fn what_may_lie_apart_stays_so() {
    assert_eq!(handed("x", "real :: x(:, :)", "", "call s(fixed(1:2, :))"), "");
    assert_eq!(handed("x", "real :: x(:, :)", "", "call s(fixed)\ncall s(fixed(:, 1:3:2))"), "");
    assert_eq!(handed("x", "real :: x(:, :)", "", "call s(p)"), "");
    // Compilers let CONTIGUOUS pointers have targets with gaps, and hand the gaps on.
    assert_eq!(handed("x", "real :: x(:, :)", "", "call s(c)"), "");
    assert_eq!(handed("x", "real :: x(:)", "", "call s(fixed(1, :))"), "");
    assert_eq!(handed("x", "real :: x(:, :)", "", "call s(fixed)\ncall unknown"), "");
    assert_eq!(handed("x", "real :: x(:, :)", "", ""), "");
}

#[test]
fn shapes_are_handed_on() {
    let text = "module m\ncontains\nsubroutine outer(x)\nreal :: x(:)\ncall inner(x)\nend subroutine\n\
                subroutine inner(y)\nreal :: y(0:)\ny(1) = 2.0\nend subroutine\nend module\n\
                program main\nuse m\nreal :: a(8)\ncall outer(a)\nend program\n";
    assert_eq!(bounds(text, "inner", "y"), "0:7");
}
