//! Symbols: types, shapes, storage.

use super::{program, symbol_in};
use crate::ir::Place;

fn in_subroutine(declarations: &str, name: &str) -> String {
    symbol_in(&format!("subroutine s(d, e)\n{declarations}\nend subroutine\n"), name)
}

#[test]
fn kinds_are_evaluated() {
    for (declaration, expected) in [
        ("real(8) x", "x: Variable Real(8) Local"),
        ("real*8 x", "x: Variable Real(8) Local"),
        ("double precision x", "x: Variable Real(8) Local"),
        ("complex*16 x", "x: Variable Complex(16) Local"),
        ("complex(8) x", "x: Variable Complex(16) Local"),
        ("double complex x", "x: Variable Complex(16) Local"),
        ("integer, parameter :: dp = kind(1.0d0)\nreal(kind=dp) x", "x: Variable Real(8) Local"),
        ("integer, parameter :: dp = selected_real_kind(15, 307)\nreal(dp) x", "x: Variable Real(8) Local"),
        ("integer, parameter :: ip = selected_int_kind(12)\ninteger(ip) x", "x: Variable Integer(8) Local"),
        ("use iso_fortran_env, only: wp => real32\nreal(wp) x", "x: Variable Real(4) Local"),
        ("use, intrinsic :: iso_c_binding\nreal(c_double) x", "x: Variable Real(8) Local"),
        ("use kinds\nreal(wp) x", "x: Variable Real(?) Local"),
        ("character x", "x: Variable Character(1) Local"),
        ("character(len=3 + 4) x", "x: Variable Character(7) Local"),
        ("character*12 x", "x: Variable Character(12) Local"),
        ("character x*5", "x: Variable Character(5) Local"),
        ("character(len=*) d", "d: Variable Character(?) Dummy"),
        ("logical x", "x: Variable Logical(4) Local"),
    ] {
        let name = &expected[..1];
        assert_eq!(in_subroutine(declaration, name), expected, "{declaration}");
    }
}

#[test]
fn shapes_keep_their_bounds() {
    for (declaration, expected) in [
        ("real x(3, 0:n)", "x: Variable Real(4) [1:3,0:n] Local"),
        ("real, dimension(2) :: x", "x: Variable Real(4) [1:2] Local"),
        ("real, dimension(2) :: y, x(4)", "x: Variable Real(4) [1:4] Local"),
        ("dimension x(-1:1)", "x: Variable Real(4) [-(1):1] Local"),
        ("real d(:, 0:)", "d: Variable Real(4) [1:?,0:?] Dummy strided"),
        ("real, contiguous :: d(:)", "d: Variable Real(4) [1:?] Dummy"),
        ("real d(n, *)", "d: Variable Real(4) [1:n,1:?] Dummy"),
        ("real, allocatable :: x(:)", "x: Variable Real(4) [?:?] Allocatable"),
        ("real, pointer :: x(:)", "x: Variable Real(4) [?:?] Pointer strided"),
        ("real, allocatable :: d(:)", "d: Variable Real(4) [?:?] Allocatable"),
    ] {
        assert_eq!(in_subroutine(declaration, &expected[..1]), expected, "{declaration}");
    }
    for (declaration, expected) in [
        ("real d(..)", "d: Variable Real(4) [?:?] Dummy strided"),
        ("real, dimension(..), contiguous :: d", "d: Variable Real(4) [?:?] Dummy"),
        ("real, pointer :: d(..)", "d: Unknown"),
        ("real, allocatable :: d(..)", "d: Unknown"),
    ] {
        assert!(in_subroutine(declaration, "d").starts_with(expected), "{declaration}");
    }
}

#[test]
fn attributes_may_come_in_statements_of_their_own() {
    for (declaration, expected) in [
        ("real x\nsave x", "x: Variable Real(4) Static"),
        ("real x\nsave", "x: Variable Real(4) Static"),
        ("real :: x = 1", "x: Variable Real(4) Static initialised"),
        ("real x(3)\ndata x /3*0/", "x: Variable Real(4) [1:3] Static initialised"),
        ("target x\nreal x", "x: Variable Real(4) Local target"),
        ("real, volatile :: x", "x: Variable Real(4) Local volatile"),
        ("real, value :: d", "d: Variable Real(4) Local"),
        ("namelist /g/ x", "x: Variable Real(4) Local target"),
        ("implicit double precision (a-h, o-z)\nsave x", "x: Variable Real(8) Static"),
    ] {
        assert_eq!(in_subroutine(declaration, &expected[..1]), expected, "{declaration}");
    }
}

#[test]
fn constants_have_values() {
    let text = "subroutine s\ninteger, parameter :: n = 3, m = max(n*2, 4) - mod(7, n)\nparameter (k = n**2)\nreal, parameter :: r = 1\n\
                enum, bind(c)\n enumerator :: red = 4, green\nend enum\nend subroutine\n";
    assert_eq!(symbol_in(text, "m"), "m: Constant(Some(5)) Integer(4) Static");
    assert_eq!(symbol_in(text, "k"), "k: Constant(Some(9)) Integer(4) Static");
    assert_eq!(symbol_in(text, "r"), "r: Constant(None) Real(4) Static");
    assert_eq!(symbol_in(text, "green"), "green: Constant(Some(5)) Integer(4) Static");
}

#[test]
fn common_and_equivalence_share_memory() {
    let text = "subroutine s\nreal a(4), b(4), c, d, e, f\ncommon /blk/ a, b\ncommon g\nequivalence (a(2), c), (d, e)\nequivalence (e, f)\n\
                end subroutine\n";
    let program = program(text);
    let procedure = &program.procedures[0];
    let of = |name: &str| procedure.symbol(procedure.find_symbol(name).unwrap());
    // What is equivalenced with one member can reach into the next one.
    assert!(of("a").overlay.is_some() && of("a").overlay == of("b").overlay && of("a").overlay == of("c").overlay);
    assert!(of("d").overlay.is_some() && of("d").overlay == of("f").overlay && of("d").overlay != of("a").overlay);
    assert_eq!(of("c").storage, crate::ir::Storage::Global(Place::Block("/blk/".into())));
    assert_eq!(of("g").storage, crate::ir::Storage::Global(Place::Member { block: "//".into(), position: 0 }));
    assert_eq!(of("g").overlay, None);
}

#[test]
fn members_of_a_common_block_that_all_see_alike_are_variables_of_their_own() {
    let place = |text: &str, name: &str| {
        let program = program(text);
        let procedure = &program.procedures[0];
        match &procedure.symbol(procedure.find_symbol(name).unwrap()).storage {
            crate::ir::Storage::Global(place) => place.clone(),
            other => panic!("{other:?}"),
        }
    };
    let member = |position| Place::Member { block: "/c/".into(), position };
    let with = |other: &str| {
        format!(
            "subroutine s\nparameter (n = 4)\ndimension a(n)\ncommon /c/ k, a\ncommon /c/ x\nend subroutine\n\
             subroutine t\n{other}\nend subroutine\n"
        )
    };
    // The order is that of the COMMON statements; the end may be missing.
    let alike = with("integer l\nreal b(1:2*2)\ncommon /c/ l, b");
    assert_eq!(place(&alike, "k"), member(0));
    assert_eq!(place(&alike, "a"), member(1));
    assert_eq!(place(&alike, "x"), member(2));
    assert_eq!(place(&with("common /d/ l"), "x"), member(2));
    for other in [
        "integer l\nreal b(5)\ncommon /c/ l, b",
        "real l, b(4)\ncommon /c/ l, b",
        "integer l\nreal b(2, 2)\ncommon /c/ l, b",
        "integer l\nreal b(4)\ncommon /c/ b, l",
        "integer l\ndouble precision b(4)\ncommon /c/ l, b",
        "integer l, m\ncommon /c/ l, b(4)\nequivalence (l, m)",
        "include 'missing.h'\ncommon /c/ l, b(4)",
        "real, pointer :: p\ncommon /c/ p",
    ] {
        assert_eq!(place(&with(other), "x"), Place::Block("/c/".into()), "{other}");
    }
}

#[test]
fn the_end_of_a_common_block_is_that_of_its_longest_view() {
    let ends = |other: &str, name: &str| {
        let text = format!(
            "subroutine s\nreal a(4), b\ncommon /c/ a, b\nend subroutine\nsubroutine t\n{other}\nend subroutine\n"
        );
        let program = program(&text);
        let procedure = &program.procedures[0];
        procedure.symbol(procedure.find_symbol(name).unwrap()).ends_block
    };
    assert!(!ends("", "a"));
    assert!(ends("", "b"));
    assert!(ends("real f(4)\ncommon /c/ f", "b"));
    assert!(!ends("real f(4), g, h\ncommon /c/ f, g, h", "b"));
    assert!(!ends("real f(4), g\ncommon /c/ f, g\nequivalence (g, h)", "b"));
    assert!(!ends("real f(2), g\ncommon /c/ f, g", "b"));
}

#[test]
fn parameters_can_be_other_names_for_constants_of_mpi() {
    let text = "module kinds\nuse mpi\ninteger, parameter :: real_type = MPI_DOUBLE_PRECISION\nend module\n\
                subroutine s(a)\nuse kinds\nreal(8) a(4)\ninteger world, ierr\nparameter (world = mpi_comm_world)\n\
                call mpi_send(a, 4, real_type, 1, 2, world, ierr)\nend subroutine\n";
    let program = program(text);
    let procedure = &program.procedures[0];
    let sent = procedure.statements.iter().find_map(|statement| match &statement.kind {
        crate::ir::StatementKind::Communication(communication) => communication.sent(),
        _ => None,
    });
    assert_eq!(sent.unwrap().datatype.predefined.unwrap().bytes, Some(8));
    let world = procedure.symbol(sent.unwrap().communicator.designated().unwrap());
    assert_eq!((world.name.as_str(), &world.class), ("mpi_comm_world", &crate::ir::SymbolClass::MessagingConstant));
    assert!(world.declaration.is_some());
}

#[test]
fn initial_values_of_common_blocks_may_come_from_elsewhere() {
    let text =
        "subroutine s\ncommon /b/ x, y\nend subroutine\nblock data\ncommon /b/ p, q\ndata p /1.0/\nend block data\n";
    // A block that BLOCK DATA gives values is initialised as a whole, whatever its members are called.
    assert!(symbol_in(text, "x").ends_with("initialised"), "{}", symbol_in(text, "x"));
}

#[test]
fn the_main_programs_variables_live_for_ever() {
    assert_eq!(symbol_in("program p\nreal x\nend program\n", "x"), "x: Variable Real(4) Static");
    assert_eq!(symbol_in("x = 1\nend\n", "x"), "x: Variable Real(4) Static");
}

#[test]
fn results_are_variables() {
    let text = "double precision function f(x)\nf = x\nend function\n";
    assert_eq!(symbol_in(text, "f"), "f: Variable Real(8) Local");
    let text = "recursive integer function f(n) result(r)\nr = f(n - 1)\nend function\n";
    assert_eq!(symbol_in(text, "r"), "r: Variable Integer(4) Local");
}

/// Who may be what a Cray pointer leads to: whose address is taken, by whatever name, and with the rules for arguments all that others see.
#[test]
fn pointees_are_pointers_and_lead_to_what_has_its_address_taken() {
    let text = "module m\n integer(8) kept\n real named(4), only(4)\nend module\n\
        subroutine keep(a)\n use m\n real a(4)\n kept = loc(a)\nend subroutine\n\
        subroutine hand(d)\n use m\n real d(4), given(4), own(4)\n call keep(given)\n call keep(named)\n call use(own, only)\n d = own\nend subroutine\n\
        subroutine use(a, b)\n real a(4), b(4), x(4)\n a = b\nend subroutine\n\
        subroutine look\n use m\n pointer (p, x), (q, y)\n real x(4)\n p = kept\n x = named + y\nend subroutine\n";
    let program = program(text);
    let of = |procedure: &str, name: &str| {
        let procedure = program.procedures.iter().find(|it| it.name == procedure).unwrap();
        procedure.symbol(procedure.find_symbol(name).unwrap()).clone()
    };
    let reached = |procedure: &str, name: &str| {
        let symbol = of(procedure, name);
        (symbol.target, symbol.only_addressed)
    };
    assert_eq!(reached("keep", "a"), (true, false));
    assert_eq!(reached("hand", "given"), (true, false));
    assert_eq!(reached("hand", "named"), (true, false));
    assert_eq!(reached("look", "named"), (true, false));
    assert_eq!(reached("hand", "own"), (false, false));
    assert_eq!(reached("hand", "only"), (true, true));
    assert_eq!(reached("hand", "d"), (true, true));
    assert_eq!(reached("use", "a"), (true, true));
    let (p, x, q, y) = (of("look", "p"), of("look", "x"), of("look", "q"), of("look", "y"));
    assert_eq!((x.storage.clone(), y.storage.clone()), (crate::ir::Storage::Pointer, crate::ir::Storage::Pointer));
    assert!(p.is_integer_scalar() && p.element.bytes == Some(8) && q.is_integer_scalar());
    assert!(p.overlay.is_some() && p.overlay == x.overlay && q.overlay == y.overlay && p.overlay != q.overlay);
}
