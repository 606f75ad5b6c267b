//! Procedures that may change what a bound rests on, on small programs.

use super::bounds;

/// The bounds of `this%u` in a procedure that does this, beside others that a program has.
fn in_use(statements: &str, contained: &str) -> String {
    let text = format!(
        "module m\nimplicit none\ntype inner\ninteger :: k\nend type\n\
         type field\ninteger :: n\ninteger :: steps\ntype(inner) :: part\nreal, allocatable :: u(:)\nend type\n\
         contains\nsubroutine make(this, n)\ntype(field), intent(inout) :: this\ninteger, intent(in) :: n\n\
         if (allocated(this%u)) deallocate (this%u)\nthis%n = n\nallocate (this%u(0:this%n))\nend subroutine\n\
         subroutine use_it(this, other)\ntype(field), intent(inout) :: this, other\ninteger :: i\ncharacter(3) :: text\n\
         this%u(this%n) = 1.0\n{statements}\nend subroutine\n{contained}\nend module\n\
         program main\nuse m\ntype(field) :: a, b\ncall make(a, 3)\ncall make(b, 4)\ncall use_it(a, b)\nend program\n"
    );
    bounds(&text, "use_it", "this%u")
}

#[test]
fn calls_that_leave_the_component_alone_do_not_matter() {
    assert_eq!(in_use("", ""), "0:this%n");
    let work = "subroutine work(it, i)\ntype(field), intent(inout) :: it\ninteger :: i\nit%steps = it%n\n\
                it%u(i) = 2.0\nit%part%k = 4\nprint *, it%n\nend subroutine";
    assert_eq!(in_use("text = 'abc'\ncall work(this, i)\ncall work(other, 3)", work), "0:this%n");
    let deeper = format!("{work}\nsubroutine more(it)\ntype(field) :: it\ncall work(it, 2)\nend subroutine");
    assert_eq!(in_use("call more(this)", &deeper), "0:this%n");
}

#[test]
fn calls_that_may_change_it_take_the_bound_away() {
    let change = |statements: &str| {
        format!("subroutine change(it, other)\ntype(field) :: it, other\n{statements}\nend subroutine")
    };
    assert_eq!(in_use("call change(this, other)", &change("")), "0:this%n");
    assert_eq!(in_use("call change(this, other)", &change("call make(it, 7)")), "0:?");
    assert_eq!(in_use("call change(this, other)", &change("it = other")), "0:?");
    assert_eq!(in_use("this = other", ""), "0:?");
    let anew = "subroutine anew(it)\ntype(field), intent(out) :: it\ncall make(it, 2)\nend subroutine";
    assert_eq!(in_use("call anew(this)", anew), "0:?");
    // It is no longer only set right before the array is allocated.
    assert_eq!(in_use("call change(this, other)", &change("it%n = 2")), "");
}
