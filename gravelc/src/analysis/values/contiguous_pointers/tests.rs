//! Pointers with and without gaps, in small programs.

use std::path::Path;

use super::*;
use crate::analysis::program::outside::Outside;
use crate::frontend::{FrontendOptions, parse_text};

/// Is the array that `p` leads to in `use_it` contiguous, if this declares it in a module, these statements of the main program set
/// it, and these procedures and modules are there, too?
fn is_contiguous(declaration: &str, statements: &str, contained: &str, more: &str) -> bool {
    let text = format!(
        "{more}\nmodule m\nimplicit none\n{declaration}\nreal, target :: a(10), b(10, 10)\nreal, pointer :: q(:)\n\
         contains\nsubroutine use_it\nprint *, p\nend subroutine\n{contained}\nend module\n\
         program main\nuse m\nimplicit none\ninteger :: i\n{statements}\ncall use_it\nend program\n"
    );
    let program = parse_text(Path::new("test.F90"), text.into_bytes(), &FrontendOptions::default()).unwrap();
    let facts = Facts::with_outside(Outside { program: &program, is_closed: true });
    let body = program.procedures.iter().find(|body| body.name == "use_it").unwrap();
    let pointer = body.symbol(body.find_symbol("p").unwrap());
    facts.contiguous_pointers().are_contiguous(PointedArray::ByVariable(pointer))
}

fn is_set_contiguous(statements: &str) -> bool {
    is_contiguous("real, pointer :: p(:)", statements, "", "")
}

#[test]
fn whole_arrays_and_rows_of_neighbours_have_no_gaps() {
    for statements in [
        "allocate (p(10))",
        "p => a",
        "p => a(2:7)",
        "p => b(:, 3)",
        "p(0:) => a",
        "p(1:100) => b",
        "p => a\nnullify (p)\np => null()",
        "allocate (q(5))\np => q",
        "q => a\np => q(2:3)\nq => p",
        "p => a\nprint *, size(p), associated(p, a)\ndeallocate (p)",
    ] {
        assert!(is_set_contiguous(statements), "{statements}");
    }
    assert!(is_contiguous("real, pointer :: p(:) => null()", "p => a", "", ""));
    assert!(is_contiguous(
        "real, pointer :: p(:)",
        "call set(a)",
        "subroutine set(x)\nreal, target :: x(10)\np => x\nend subroutine",
        ""
    ));
}

#[test]
fn what_may_have_gaps_has() {
    for statements in [
        "p => a(1::2)",
        "p => b(3, :)",
        "p => b(2:3, 1)\np => b(1, 2:3)",
        "q => a(::3)\np => q",
        "q => b(1, :)\np => q(2:4)",
        "p(1:3) => a(::3)",
        "p => made()",
    ] {
        let made = "function made()\nreal, pointer :: made(:)\nmade => a(::2)\nend function";
        assert!(!is_contiguous("real, pointer :: p(:)", statements, made, ""), "{statements}");
    }
    // By an assumed shape, and by another name for the pointer, also one that says it has no gaps.
    let set = "subroutine set(x)\nreal, target :: x(:)\np => x\nend subroutine";
    assert!(!is_contiguous("real, pointer :: p(:)", "call set(a)", set, ""));
    assert!(!is_contiguous("real, pointer, contiguous :: p(:)", "call set(a(::2))", set, ""));
    let set = "subroutine set(x)\nreal, pointer :: x(:)\nx => a(::2)\nend subroutine";
    assert!(!is_contiguous("real, pointer :: p(:)", "call set(p)", set, ""));
    assert!(!is_contiguous("real, pointer :: p(:)", "call elsewhere(p)", "", ""));
    let renamed = "subroutine set\nuse n, only: r => p\nr => a(::2)\nend subroutine";
    assert!(!is_contiguous("use n", "call set", renamed, "module n\nreal, pointer :: p(:)\nend module"));
}

/// Every other number of an array lies between those of one component.
#[test]
fn components_of_the_elements_of_an_array_have_gaps() {
    let types = "module n\ntype base\nreal :: x\nend type\ntype, extends(base) :: t\nreal :: y, z(3)\nend type\n\
                 type(t), target :: list(10)\ncomplex, target :: c(10)\nclass(*), pointer :: any(:)\nend module";
    for statements in [
        "p => list%y",
        "p => list(:)%z(2)",
        "p => list%base%x",
        "p => c%re",
        "p => c(:)%im",
        "any => b(3, :)\nselect type (any)\ntype is (real)\np => any\nend select",
    ] {
        let declaration = "use n\nreal, pointer :: p(:)";
        assert!(!is_contiguous(declaration, statements, "", types), "{statements}");
    }
}

/// A function that is handed the pointer gives it another target, wherever it is called.
#[test]
fn functions_in_all_statements_may_give_targets() {
    let give = "integer function give(x)\nreal, pointer :: x(:)\nx => b(3, :)\ngive = 1\nend function";
    for statements in [
        "i = give(p)",
        "print *, give(p)",
        "if (give(p) > 0) i = 1",
        "select case (give(p))\ncase (1)\ni = 2\nend select",
        "do i = 1, give(p)\nend do",
        "do while (give(p) > 1)\nend do",
        "a(give(p)) = 1",
        "nullify (q)\nallocate (q(give(p)))",
        "inquire (iolength=i) give(p)",
    ] {
        assert!(!is_contiguous("real, pointer :: p(:)", statements, give, ""), "{statements}");
    }
}

#[test]
fn pointers_that_others_reach_may_have_gaps() {
    // COMMON, targets from the beginning, text that is not understood.
    assert!(!is_contiguous("real, pointer :: p(:)\ncommon /block/ p", "", "", ""));
    assert!(!is_contiguous("real, target, save :: t(9)\nreal, pointer :: p(:) => t(1:9:2)", "", "", ""));
    assert!(!is_set_contiguous("p = = a(::2)"));
    assert!(!is_set_contiguous("include 'unknown.inc'"));
    let dummy = "subroutine use_p(p)\nreal, pointer :: p(:)\nprint *, p\nend subroutine";
    assert!(is_contiguous("real, pointer :: p(:)", "", dummy, ""));
}

#[test]
fn a_dummy_pointer_is_its_callers() {
    let text = "subroutine use_it(p)\nreal, pointer :: p(:)\np = 1\nend subroutine\nprogram main\nend program\n";
    let program = parse_text(Path::new("test.f90"), text.into(), &FrontendOptions::default()).unwrap();
    let facts = Facts::with_outside(Outside { program: &program, is_closed: true });
    let symbol = &program.procedures[0].symbols[program.procedures[0].find_symbol("p").unwrap().0];
    assert!(!facts.contiguous_pointers().are_contiguous(PointedArray::ByVariable(symbol)));
}
