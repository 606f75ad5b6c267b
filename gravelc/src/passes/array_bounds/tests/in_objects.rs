//! The bounds of components, on small programs.

use super::bounds;

/// The bounds of `this%a` in a procedure that uses it, where one that makes objects has these statements, and the main
/// program and other procedures these.
fn of_type(make: &str, main: &str, others: &str) -> String {
    let text = format!(
        "module fields\nimplicit none\ntype field\ninteger :: n = 0, m\nreal, allocatable :: a(:, :), b(:, :)\nend type\n\
         type holding\ntype(field) :: inner\ninteger :: k\nend type\ntype(field), save :: shared\ncontains\n\
         subroutine make(this, n, m, c)\ntype(field), intent(inout) :: this\ninteger, intent(in) :: n\ninteger :: m\n\
         logical :: c\ninteger :: k\n{make}\nend subroutine\n\
         subroutine use(this)\ntype(field), intent(inout) :: this\nthis%a(1, 1) = this%n + this%m\nend subroutine\n\
         {others}\nend module\nprogram main\nuse fields\nimplicit none\ntype(field) :: one, other\ntype(holding) :: big\n\
         type(field) :: many(3)\ntype(field), allocatable :: made\ninteger :: i, j\nlogical :: c\nc = .true.\ni = 3\nj = 4\n{main}\nend program\n"
    );
    bounds(&text, "use", "this%a")
}

const CALLS: &str = "call make(one, i, j, c)\ncall make(other, j, i, c)\ncall use(one)";

fn of_objects(make: &str) -> String {
    of_type(make, CALLS, "")
}

#[test]
fn bounds_are_over_other_components_of_the_object() {
    assert_eq!(of_objects("this%n = n\nthis%m = m\nallocate(this%a(0:n+1, this%m))"), "0:this%n+1, 1:this%m");
    assert_eq!(of_objects("this%n = 2*n\nallocate(this%a(this%n, 5))"), "1:this%n, 1:5");
    assert_eq!(
        of_objects("this%n = n\nif (allocated(this%a)) deallocate(this%a)\nallocate(this%a(n, n))"),
        "1:this%n, 1:this%n"
    );
    assert_eq!(
        of_objects("this%n = n\nallocate(this%b(n, n))\nthis%b = 0\nallocate(this%a(n, n))\nthis%a = 1"),
        "1:this%n, 1:this%n"
    );
    assert_eq!(of_objects("if (c) then\nthis%n = n\nallocate(this%a(n, 3))\nend if"), "1:this%n, 1:3");
    assert_eq!(of_objects("this%n = n\nif (n < 1) stop\nallocate(this%a(n, 3))"), "1:this%n, 1:3");
    assert_eq!(of_objects("allocate(this%a(7, 3))"), "1:7, 1:3");
    // What no component holds.
    assert_eq!(of_objects("this%n = n\nallocate(this%a(n, m))"), "1:this%n, 1:?");
    assert_eq!(of_objects("this%n = n\nallocate(this%a(n, n*m))"), "1:this%n, 1:?");
    assert_eq!(of_objects("this%n = n + 1\nallocate(this%a(n, 3))"), "1:?, 1:3");
}

#[test]
fn several_places_may_make_objects_alike() {
    let again = "subroutine again(this)\ntype(field) :: this\nthis%n = 9\nallocate(this%a(this%n, 3))\nend subroutine";
    assert_eq!(of_type("this%n = n\nallocate(this%a(n, 3))", CALLS, again), "1:this%n, 1:3");
    let otherwise = again.replace("(this%n, 3)", "(this%n, 4)");
    assert_eq!(of_type("this%n = n\nallocate(this%a(n, 3))", CALLS, &otherwise), "");
    let shorter = again.replace("(this%n, 3)", "(this%n - 1, 3)");
    assert_eq!(of_type("this%n = n\nallocate(this%a(n, 3))", CALLS, &shorter), "");
}

#[test]
fn components_that_change_later_are_no_bounds() {
    let make = "this%n = n\nallocate(this%a(n, 3))";
    assert_eq!(of_objects(&format!("{make}\nthis%n = 3")), "");
    assert_eq!(of_objects("this%n = n\nif (c) this%n = 3\nallocate(this%a(n, 3))"), "1:?, 1:3");
    assert_eq!(of_objects("this%n = n\nif (c) this%n = 3\nallocate(this%a(this%n, 3))"), "");
    assert_eq!(of_objects("this%n = n\nif (c) return\nallocate(this%a(n, 3))"), "1:?, 1:3");
    assert_eq!(of_objects("this%n = n\nif (c) return\nallocate(this%a(this%n, 3))"), "");
    assert_eq!(of_objects("this%n = n\nallocate(this%a(n, 3), stat=k)"), "");
    assert_eq!(of_objects("this%n = n\ncall use(this)\nallocate(this%a(this%n, 3))"), "");
    assert_eq!(of_objects("this%n = m\nm = 4\nallocate(this%a(m, 3))"), "1:?, 1:3");
    for change in ["one%n = 7", "read *, other%n", "many(2)%n = 4", "big%inner%n = 4", "shared%n = 1"] {
        assert_eq!(of_type(make, &format!("{CALLS}\n{change}"), ""), "", "{change}");
    }
    let change = "subroutine change(it)\ninteger, intent(out) :: it\nit = 1\nend subroutine";
    assert_eq!(of_type(make, &format!("{CALLS}\ncall change(one%n)"), change), "");
    assert_eq!(of_type(make, &format!("one = field(n = 3, m = 4)\n{CALLS}"), ""), "");
    assert_eq!(of_type(make, &format!("{CALLS}\ncall unknown(other)"), ""), "");
    // An object that is another's copy has all of it.
    assert_eq!(
        of_type(make, &format!("{CALLS}\nother = one\nbig%inner = one\nallocate(made, source=one)"), ""),
        "1:this%n, 1:3"
    );
}

#[test]
fn what_is_set_before_any_object_is_made_is_a_bound() {
    assert_eq!(of_type("allocate(this%a(this%n, 3))", &format!("one%n = i\nother%n = j\n{CALLS}"), ""), "");
    assert_eq!(
        of_type("allocate(this%a(this%n, 3))", "one%n = i\ncall make(one, i, j, c)\ncall use(one)", ""),
        "1:this%n, 1:3"
    );
    assert_eq!(of_type("allocate(this%a(this%n, 3))", "call make(one, i, j, c)\none%n = i\ncall use(one)", ""), "");
}

#[test]
fn an_array_that_may_get_another_shape_has_no_bounds() {
    let make = "this%n = n\nallocate(this%a(n, 3))";
    let reshape = "subroutine reshape(this, x)\ntype(field) :: this\nreal :: x(:, :)\nthis%a = x\nend subroutine";
    assert_eq!(of_type(make, CALLS, reshape), "");
    assert_eq!(of_type(make, CALLS, &reshape.replace("this%a = x", "this%a(:, :) = x")), "1:this%n, 1:3");
    assert_eq!(of_type(make, CALLS, &reshape.replace("this%a = x", "this%a = x(1, 1)")), "1:this%n, 1:3");
    assert_eq!(of_type(make, CALLS, &reshape.replace("this%a = x", "call move_alloc(this%b, this%a)")), "");
    assert_eq!(of_type(make, CALLS, &reshape.replace("this%a = x", "allocate(this%a, source=x)")), "");
    let taken = "subroutine take(it)\nreal, allocatable :: it(:, :)\nallocate(it(2, 2))\nend subroutine";
    assert_eq!(of_type(make, &format!("{CALLS}\ndeallocate(one%a)\ncall take(one%a)"), taken), "");
    assert_eq!(of_type(make, &format!("{CALLS}\nallocate(many(1)%a(2, 2))"), ""), "");
    assert_eq!(of_type(make, &format!("{CALLS}\nallocate(big%inner%a(2, 2))"), ""), "");
    assert_eq!(of_objects("this%n = n\nallocate(this%a(m:n, 3))"), "");
}

#[test]
fn a_procedure_that_changes_the_object_does_not_know_them() {
    let using = "this%n = n\nallocate(this%a(n, 3))\nthis%a(1, 1) = 1";
    let text = of_type(using, CALLS, "");
    assert_eq!(text, "1:this%n, 1:3");
    let remake = "subroutine use_all(this)\ntype(field) :: this\nthis%a(1, 1) = this%n\ncall make(this, 3, 4, .true.)\nend subroutine";
    let whole = format!("{remake}\n");
    assert_eq!(of_type(using, CALLS, &whole), "1:this%n, 1:3");
}
