//! Declarations that can't be read say something of the names in them, or of any name.

use super::{procedure, program};

/// Which of the variables `a`, `b` and `c` of a module with these declarations may share memory, as its user sees them.
fn shared(declarations: &str) -> String {
    let text = format!(
        "subroutine test\nuse store\na = 1\nb = 1\nc = 1\nend subroutine\n\
         module store\nimplicit none\nreal :: a(9), b(9), c(9)\n{declarations}\nend module\n"
    );
    let program = program(&text);
    let test = procedure(&program, "test");
    let may_share = |name: &&str| test.find_symbol(name).is_none_or(|symbol| test.symbol(symbol).target);
    ["a", "b", "c"].iter().filter(|name| may_share(name)).copied().collect::<Vec<_>>().join(" ")
}

/// Likewise, where a macro that is not known decides whether the declarations are there.
fn shared_perhaps(declarations: &str) -> String {
    shared(&format!("#ifdef PERHAPS\n{declarations}\n#endif"))
}

#[test]
fn declarations_say_nothing_of_names_that_they_do_not_have() {
    assert_eq!(shared(""), "");
    assert_eq!(shared("integer :: k = = 1"), "");
    assert_eq!(shared_perhaps("integer, save :: k\nreal, target :: d(9)"), "");
    assert_eq!(shared_perhaps("type :: t\ninteger :: k\nend type t\ntype(t) :: x"), "");
    assert_eq!(shared_perhaps("integer, parameter :: k = 3\n#else\nparameter (k = 4)"), "");
}

#[test]
fn names_in_them_may_be_anything() {
    assert_eq!(shared("target :: b = = 1"), "b");
    assert_eq!(shared_perhaps("save :: a, c"), "a c");
}

#[test]
fn some_statements_say_something_of_other_names() {
    // By a third one.
    assert_eq!(shared("equivalence (a, b)\nequivalence (b = c)"), "a b c");
    assert_eq!(shared_perhaps("equivalence (a, b)"), "a b c");
    assert_eq!(shared_perhaps("common /block/ a"), "a b c");
    assert_eq!(shared_perhaps("integer :: k; equivalence (a, b)"), "a b c");
    assert_eq!(shared_perhaps("use other"), "a b c");
    assert_eq!(shared_perhaps("include 'other.inc'"), "a b c");
    assert_eq!(shared_perhaps("#include \"other.h\"\ninteger :: k"), "a b c");
    assert_eq!(shared_perhaps("implicit integer (a-z)"), "a b c");
    assert_eq!(shared_perhaps("pointer (a, k)"), "a b c");
    assert_eq!(shared_perhaps("private"), "a b c");
    // A macro that another file defines, or a flag.
    assert_eq!(shared_perhaps("SHARE(k)"), "a b c");
    assert_eq!(shared("#ifdef OPEN\n#define K k\n#endif\ninteger :: K = = 1"), "a b c");
    assert_eq!(shared("#define K k\ninteger :: K = = 1"), "");
}

#[test]
fn what_is_missing_inside_a_definition_is_missing_of_that() {
    assert_eq!(shared("type :: t\nreal, pointer :: p(:) = = 1\nend type t"), "a b c");
}
