//! References through dummy procedures and procedure pointers.

use super::{procedure, program, statements_of};
use crate::ir::{Callee, Expression, ExpressionKind, Overridable, Procedure, Program, StatementKind};

/// Procedures that can be handed over.
const WORK: &str = "module work\nimplicit none\n\
    abstract interface\nsubroutine action(x)\nreal :: x\nend subroutine\nend interface\n\
    procedure(action), pointer :: chosen => one\n\
    contains\n\
    subroutine one(x)\nreal :: x\nx = 1\nend subroutine\n\
    subroutine two(x)\nreal :: x\nx = 2\nend subroutine\n\
    subroutine longer(x, n)\nreal :: x\ninteger :: n\nx = n\nend subroutine\n\
    real function half(x)\nreal :: x\nhalf = x / 2\nend function\n\
    subroutine apply(act, x)\nprocedure(action) :: act\nreal :: x\ncall act(x)\nend subroutine\n\
    subroutine further(x, act)\nprocedure(action) :: act\nreal :: x\ncall apply(x=x, act=act)\nend subroutine\n\
    subroutine through(x)\nreal :: x\ncall chosen(x)\nend subroutine\n\
    real function value(f, x)\nreal, external :: f\nreal :: x\nvalue = f(x)\nend function\n\
    end module\n";

/// Whom the procedure `by` calls in a program with these statements: given procedures by their names, others in parentheses. A
/// procedure that is meant unless others handed one over has a question mark.
fn called(by: &str, statements: &str) -> String {
    called_in(&text_with(statements), by)
}

/// A program with the procedures above and these statements.
fn text_with(statements: &str) -> String {
    format!("{WORK}program p\nuse work\nreal :: y\nexternal :: outside\nintrinsic :: sin\n{statements}\nend program\n")
}

fn called_in(text: &str, by: &str) -> String {
    let program = program(text);
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let body = procedure(&program, by);
    let mut called = Vec::new();
    for id in body.statements_in_order() {
        let kind = &body.statement(id).kind;
        if let StatementKind::Call { callee, .. } = kind {
            called.push(name_of(&program, body, callee));
        }
        for part in kind.expressions().into_iter().flat_map(Expression::walk) {
            if let ExpressionKind::Call { callee, .. } = &part.kind {
                called.push(name_of(&program, body, callee));
            }
        }
    }
    called.join(" ")
}

fn name_of(program: &Program, body: &Procedure, callee: &Callee) -> String {
    match callee {
        Callee::Procedure(id) => program.procedure(*id).name.clone(),
        Callee::PureIntrinsic(name) => format!("({name})"),
        Callee::Unknown(name) => match body.overridable_calls.get(name) {
            Some(Overridable::Means(id)) => format!("{}?", program.procedure(*id).name),
            Some(Overridable::Beside) => "(elsewhere)".to_string(),
            None => format!("({name})"),
        },
    }
}

#[test]
fn a_dummy_procedure_means_what_the_calls_of_its_procedure_hand_over() {
    assert_eq!(called("apply", "call apply(two, y)"), "two?");
    assert_eq!(called("apply", "call apply(one, y)\ncall further(y, two)"), "one two (elsewhere)");
    assert_eq!(called("apply", "call apply(outside, y)\ncall apply(two, y)"), "two (outside) (elsewhere)");
    // Nobody hands anything over.
    assert_eq!(called("apply", "y = 1"), "(elsewhere)");
    assert_eq!(called("apply", "call apply(longer, y)"), "(act)", "it has another number of arguments");
    // One that takes another number of arguments is not called so.
    assert_eq!(called("apply", "call apply(two, y)\ncall apply(longer, y)"), "two?");
    // Nor does it matter what others get.
    assert_eq!(called("apply", "call apply(two, y)\ny = value(half, y)"), "two?");
    // Who hands over a procedure that does: whoever calls that one is not known.
    assert_eq!(called("apply", "call apply(two, y)\ncall outside(apply)"), "one two (elsewhere)");
}

#[test]
fn a_pointer_means_whatever_is_handed_over_anywhere() {
    assert_eq!(called("through", "call through(y)"), "one?");
    assert_eq!(called("through", "call apply(two, y)"), "one two (elsewhere)");
    let from_c = "call set\ncontains\nsubroutine set\nuse iso_c_binding\ntype(c_funptr) :: c\n\
                  call c_f_procpointer(c, chosen)\nend subroutine";
    assert_eq!(called("through", from_c), "one (a procedure in C) (elsewhere)");
    let renamed = from_c.replace("iso_c_binding", "iso_c_binding, associate_with => c_f_procpointer");
    let renamed = renamed.replace("call c_f_procpointer", "call associate_with");
    assert_eq!(called("through", &renamed), "one (a procedure in C) (elsewhere)");
}

#[test]
fn functions_are_handed_over_too() {
    assert_eq!(called("value", "y = value(half, y)"), "half?");
    assert_eq!(called("value", "y = value(half, y) + value(sin, y)"), "half (sin) (elsewhere)");
}

/// Whom `through_object` calls, which has `reference` to an object of a type with pointers to procedures.
fn called_through_object(reference: &str, statements: &str) -> String {
    called_in(&text_with_objects(reference, statements), "through_object")
}

/// A program with this reference in `through_object`, and these statements elsewhere.
fn text_with_objects(reference: &str, statements: &str) -> String {
    let text = format!(
        "module objects\nuse work\nimplicit none\n\
         type object\nreal :: size\n\
         procedure(action), pointer, nopass :: act => null()\n\
         procedure(method), pointer :: change => null()\n\
         procedure(method), pointer, pass(self) :: change_it\n\
         procedure(half), pointer, nopass :: value\n\
         procedure(method_of_two), pointer, pass(last) :: second\n\
         procedure(), pointer, nopass :: any\n\
         end type\n\
         type, extends(object) :: larger\nreal :: more\nend type\n\
         type holder\ntype(object) :: inner(3)\nend type\n\
         abstract interface\nsubroutine method(self, x)\nimport :: object\nclass(object) :: self\nreal :: x\n\
         end subroutine\n\
         subroutine method_of_two(first, last, z)\nimport :: object\nclass(object) :: first, last\nreal :: z\n\
         end subroutine\nend interface\ncontains\n\
         subroutine grow_other(me, by)\nclass(object) :: me\nreal :: by\nme%size = by\nend subroutine\n\
         subroutine add_up(last, first, z)\nclass(object) :: first, last\nreal :: z\nlast%size = z\nend subroutine\n\
         subroutine grow(self, x)\nclass(object) :: self\nreal :: x\nself%size = self%size + x\nend subroutine\n\
         subroutine through_object(s, c, l, h, x)\ntype(object) :: s\nclass(object) :: c\ntype(larger) :: l\n\
         type(holder) :: h\nreal :: x\ninteger, external :: next\n{reference}\nend subroutine\nend module\n"
    );
    text_with(&format!(
        "call set\ncontains\nsubroutine set\nuse objects\ntype(object) :: t\n{statements}\nend subroutine\nend program\n{text}program q"
    ))
}

#[test]
fn a_pointer_in_an_object_means_whatever_is_handed_over_anywhere() {
    // `one` is what the pointer of the module has from the beginning; `grow` has another number of arguments.
    assert_eq!(called_through_object("call s%act(x)", ""), "one?");
    assert_eq!(called_through_object("call s % act(x)", "t%act => two"), "one two (elsewhere)");
    assert_eq!(
        called_through_object("call s%act(x)", "t = object(1.0, two, grow, null(), half, null(), null())"),
        "one two (elsewhere)"
    );
    assert_eq!(called_through_object("call c%act(x)", "t%change => grow"), "one?");
    assert_eq!(called_through_object("call l%object%act(x)", ""), "one?");
    assert_eq!(called_through_object("call h%inner(2)%act(x)", ""), "one?");
    // What the subscripts do must not be lost with the object.
    assert_eq!(called_through_object("call h%inner(next())%act(x)", ""), "(h%inner(next())%act) (next)");
}

#[test]
fn the_object_of_a_pointer_is_an_argument() {
    assert_eq!(called_through_object("call s%change(x)", "t%change => grow"), "grow?");
    assert_eq!(called_through_object("call s%change_it(x)", "t%change_it => grow"), "grow?");
    assert_eq!(called_through_object("call s%change_it(x=x)", "t%change_it => grow"), "grow?");
    // What is handed over has another number of arguments: who knows what a compiler makes of that.
    assert_eq!(called_through_object("call s%change(x)", ""), "(s%change)");
}

#[test]
fn arguments_have_the_names_that_the_interface_gives_them() {
    // What is called may have others, and the same ones in another order.
    assert_eq!(called_through_object("call s%change_it(x)", "t%change_it => grow_other"), "grow_other?");
    assert_eq!(called_through_object("call s%change(x=x)", "t%change => grow_other"), "grow_other?");
    assert_eq!(called_through_object("call s%second(c, x)", "t%second => add_up"), "add_up?");
    for reference in ["call s%second(c, x)", "call s%second(z=x, first=c)"] {
        let statements = statements_of(&text_with_objects(reference, "t%second => add_up"), "through_object");
        assert!(statements.contains("(c, s, x)"), "{reference}: {statements}");
    }
    // Without an interface nothing says which is which.
    assert_eq!(called_through_object("call s%any(x=x)", "t%act => two"), "(s%any)");
    let by_keyword = |call: &str| {
        let with_body =
            "contains\nsubroutine run(act)\ninterface\nsubroutine act(x)\nreal :: x\nend subroutine\nend interface\n";
        called("run", &format!("call run(two)\n{with_body}{call}\nend subroutine"))
    };
    assert_eq!(by_keyword("call act(x=y)"), "two?");
    assert_eq!(by_keyword("call act(another=y)"), "(act)");
}

#[test]
fn functions_are_called_through_objects() {
    assert_eq!(called_through_object("x = s%value(x)", "t%value => half"), "half?");
    assert_eq!(called_through_object("x = s%value(x)", "t%value => sin"), "(sin) (elsewhere)");
}

#[test]
fn pointers_in_objects_have_targets_from_the_beginning() {
    for value in [
        "type(object) :: u = object(1.0, two, null(), null(), null(), null(), null())",
        "type(object), parameter :: u = object(1.0, act=two)",
    ] {
        assert_eq!(called_through_object("call s%act(x)", value), "one two (elsewhere)", "{value}");
    }
    let in_block = "block\ntype(object) :: u = object(1.0, two)\nend block";
    assert_eq!(called_through_object("call s%act(x)", in_block), "one two (elsewhere)");
}

#[test]
fn pointers_in_objects_are_associated_and_handed_on() {
    // All of the object counts as touched, nothing is opaque.
    assert_eq!(called_through_object("s%act => c%act", ""), "");
    assert_eq!(called_through_object("call apply(s%act, x)", ""), "apply");
    assert_eq!(called("apply", "call apply(two, y)"), "two?");
    assert_eq!(called_through_object("if (associated(s%act)) x = 1", ""), "(associated)");
}
