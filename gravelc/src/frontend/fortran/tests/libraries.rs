//! Modules that were not given, where the user says that they belong to libraries.

use std::path::Path;

use super::dump;
use crate::analysis::program::open_world::OpenWorld;
use crate::analysis::program::outside::Outside;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::Program;

fn program(text: &str) -> Program {
    let options = FrontendOptions { libraries_keep_to_themselves: true, ..FrontendOptions::default() };
    let program = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &options).expect("it parses");
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    program
}

/// The statements of a subroutine with this beginning and these statements.
fn body(beginning: &str, statements: &str, more: &str) -> String {
    let program = program(&format!("subroutine test\n{beginning}\n{statements}\nend subroutine test\n{more}"));
    dump::statements(&program, super::procedure(&program, "test"))
}

/// What leads out of a closed program with a procedure of this text.
fn openings(text: &str) -> Vec<String> {
    let program = program(&format!("program main\ncall test\nend program\n{text}"));
    let world = OpenWorld::of(Outside { program: &program, is_closed: true });
    let openings = world.as_ref().map(OpenWorld::openings).unwrap_or_default();
    openings.iter().map(|opening| opening.why.clone()).collect()
}

#[test]
fn names_of_a_library_are_calls_of_it() {
    let listed = "use library, only: make, size_of => extent, good\nimplicit none\ninteger :: n";
    for (statement, expected) in [
        ("call make(n)", "call ?library::make(n)"),
        ("n = size_of(n)", "?library::extent(n)"),
        ("if (n /= good) n = 0", "?library::good()"),
        ("good = n", "call ?library::good(n)"),
        ("n = good%number(2)", "?library::good(2)"),
    ] {
        let text = body(listed, statement, "");
        assert!(text.contains(expected), "{statement}: {text}");
    }
    let all = body("use library\nimplicit none\ninteger :: n", "call make(mod(n, good))", "");
    assert!(all.contains("?library::make(") && all.contains("?library::good()"), "{all}");
    assert!(!all.contains("library::mod"), "intrinsic functions stay what they are: {all}");
}

#[test]
fn nothing_leads_out_by_a_library() {
    let text = "subroutine test\nuse library\nimplicit none\ntype(handle) :: it\nreal :: u(4)\nit = start(u)\n\
                if (it /= none) call stop_all(it, u)\nu = 2 * u\nend subroutine\n";
    assert_eq!(openings(text), [""; 0]);
}

#[test]
fn modules_of_libraries_may_add_to_a_generic_name() {
    let module = "module m\nuse library\ninterface put\n module procedure put_t, put_u, put_number\nend interface\n\
                  type t\n integer i\nend type\ntype u\n integer i\nend type\ncontains\n\
                  subroutine put_t(a)\n type(t) a\n a%i = 1\nend subroutine\n\
                  subroutine put_u(a)\n type(u) a\n a%i = 2\nend subroutine\n\
                  subroutine put_number(n)\n integer n\n n = 2\nend subroutine\nend module\n";
    // What certainly fits is meant, whatever there is besides.
    assert_eq!(body("use m, only: put\ninteger :: n", "call put(n)", module), "call put_number(n)\n");
    assert_eq!(
        body("use m, only: put, t\ntype(t) :: a", "call put(a)", module),
        "select \n case\n  ;call put_t(a)\n case\n  ;call ?library::put(a)\n"
    );
    // The host's procedures are meant only where the library has none that fits.
    let inner = "module host\ninterface put\n module procedure put_number\nend interface\ncontains\n\
                 subroutine put_number(n)\n integer n\n n = 2\nend subroutine\n\
                 subroutine inner(n)\n use library\n integer n\n call put(n)\nend subroutine\nend module\n";
    let program = program(inner);
    let out = dump::statements(&program, super::procedure(&program, "inner"));
    assert!(out.contains("call ?"), "{out}");
}

#[test]
fn procedures_in_other_languages_are_libraries_unless_they_are_given() {
    let opening = |binding: &str, more: &str| {
        let call = format!(
            "subroutine test\ninterface\nsubroutine tick(n) {binding}\ninteger, value :: n\nend subroutine\nend interface\n\
             call tick(1)\nend subroutine\n{more}"
        );
        openings(&call)
    };
    let given = "subroutine tock() bind(c, name='Clock')\nend subroutine\nsubroutine plain\nend subroutine\n";
    for binding in ["bind(c)", "bind(C, name=\"clock_\")", "bind(c, name='c_tick')"] {
        assert_eq!(opening(binding, given), [""; 0], "{binding}");
    }
    for binding in [
        "bind(c, name='Clock')",
        "bind(c, name=\"plain_\")",
        "bind(c, name='__m_MOD_plain')",
        "bind(c, name='MPI_Barrier')",
        "bind(c, name=label)",
        "bind(c, name='')",
    ] {
        assert_eq!(opening(binding, given), ["`tick`, which was not given, is called"], "{binding}");
    }
    // The name of a module procedure stands behind that of its module.
    let module = "module m\ncontains\nsubroutine tock\nend subroutine\nend module\n";
    assert_eq!(opening("bind(c, name='tock_')", module), [""; 0]);
    for binding in ["bind(c, name='m_tock_')", "bind(c, name='__m_MOD_tock')", "bind(c, name='_QMmPtock')"] {
        assert_eq!(opening(binding, module).len(), 1, "{binding}");
    }
    let unknown = "subroutine tock() bind(c, name=label)\nend subroutine\n";
    assert_eq!(opening("bind(c)", unknown).len(), 1, "a given procedure's label is not known");
}

#[test]
fn functions_of_the_system_keep_to_themselves() {
    let open = |text: &str| {
        let program = program(&format!("program main\ncall test\nend program\n{text}"));
        let world = OpenWorld::of(Outside { program: &program, is_closed: false });
        let openings = world.as_ref().map(OpenWorld::openings).unwrap_or_default();
        openings.iter().map(|opening| opening.why.clone()).collect::<Vec<_>>()
    };
    let test = |declarations: &str, statement: &str| open(&body_of_test(declarations, statement));
    let bound = |label: &str| {
        let interface = format!(
            "interface\ninteger function ask(n) bind(c, name={label})\ninteger, value :: n\nend function\nend interface\n"
        );
        test(&format!("{interface}integer :: i"), "i = ask(1)")
    };
    assert_eq!(test("integer :: i, getpid", "i = getpid()"), [""; 0]);
    assert_eq!(test("integer :: i", "i = getpid()"), [""; 0]);
    assert_eq!(bound("'isatty'"), [""; 0]);
    assert_eq!(test("use omp_lib\ninteger :: i", "i = omp_get_max_threads()\ncall omp_set_num_threads(i)"), [""; 0]);
    assert_eq!(test("include 'omp_lib.h'\ninteger(omp_lock_kind) :: i", "call omp_init_lock(i)"), [""; 0]);
    // The program's own, or anybody's.
    assert_eq!(test("integer :: i\ninteger, external :: getpid", "i = getpid()").len(), 1);
    let own = "integer function getpid()\ncall other\ngetpid = 1\nend function\n";
    assert_eq!(open(&format!("{}{own}", body_of_test("integer :: i, getpid", "i = getpid()"))).len(), 1);
    // Linkers tell apart what differs in case.
    assert_eq!(bound("'ISATTY'"), ["`ask`, which was not given, is called"]);
    assert_eq!(bound("'qsort'"), ["`ask`, which was not given, is called"]);
    let bound_elsewhere = "subroutine own() bind(c, name='isatty')\ncall other\nend subroutine\n";
    let interface = "interface\nsubroutine ask() bind(c, name='isatty')\nend subroutine\nend interface";
    assert_eq!(open(&format!("{}{bound_elsewhere}", body_of_test(interface, "call ask"))).len(), 2);
    assert_eq!(test("integer :: i", "call omp_fulfill_event(i)").len(), 1);
}

/// A subroutine with these declarations and statements.
fn body_of_test(declarations: &str, statement: &str) -> String {
    format!("subroutine test\n{declarations}\n{statement}\nend subroutine\n")
}

#[test]
fn names_in_other_languages_are_not_those_of_known_libraries() {
    let text = "subroutine test\ninterface\nsubroutine dscal() bind(c, name='other')\nend subroutine\nend interface\n\
                call dscal()\nend subroutine\n";
    let program = program(text);
    assert!(!Outside { program: &program, is_closed: false }.keeps_to_itself("dscal"));
}

#[test]
fn what_could_be_the_programs_own_is_not_taken_for_a_librarys() {
    // A variable of the host, an implicit one.
    let host = "module own\nimplicit none\ninteger :: n\ncontains\nsubroutine test\nuse library\nn = 1\nend subroutine\nend module\n";
    let text = program(host);
    let text = dump::statements(&text, super::procedure(&text, "test"));
    assert!(text.contains("opaque"), "{text}");
    let implicit = body("use library", "n = 1", "");
    assert!(implicit.contains("opaque"), "{implicit}");
    // MPI under another name.
    let mpi = openings("subroutine test\nuse library\nimplicit none\ncall mpi_send\nend subroutine\n");
    assert_eq!(mpi, ["`library::mpi_send`, which was not given, is called"]);
    let module = body("use mpi_extras, only: make\nimplicit none", "call make", "");
    assert!(module.contains("make") && !module.contains("mpi_extras::make"), "{module}");
}

#[test]
fn a_procedure_of_the_program_or_a_librarys_is_one_of_both() {
    let own = "subroutine own(n)\ninteger :: n\nn = 1\nend subroutine\ninteger function twice(n)\ninteger :: n\ntwice = 2 * n\nend function\n";
    let beginning = "use library\nimplicit none\ninteger :: n";
    let call = body(beginning, "call own(n)", own);
    assert!(call.contains("call own(n)") && call.contains("call ?library::own(n)"), "{call}");
    let function = body(beginning, "n = twice(n)", own);
    assert!(function.contains("twice(n)") && function.contains("?library::twice(n)"), "{function}");
    let text = format!("subroutine test\n{beginning}\ncall own(n)\nn = twice(n)\nend subroutine\n{own}");
    assert_eq!(openings(&text), [""; 0]);
}

#[test]
fn without_the_users_word_nothing_is_known_of_a_module() {
    let text = "subroutine test\nuse library\nimplicit none\ncall make(good)\nend subroutine\n";
    let program =
        parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).expect("it parses");
    let found = dump::statements(&program, super::procedure(&program, "test"));
    assert!(found.contains("OPAQUE") && !found.contains("library::"), "{found}");
}

#[test]
fn modules_whose_names_are_known_hide_no_others() {
    let text = |uses: &str| {
        let text = format!(
            "module own\nimplicit none\ntype links\ninteger :: n\nend type\ninteger :: n\ninterface put\n\
             module procedure put_number\nend interface\ncontains\nsubroutine put_number(k)\ninteger :: k\nk = 1\n\
             end subroutine\nsubroutine test(l)\n{uses}\ntype(links) :: l\nn = 1\ncall put(n)\nl%n = nf90_noerr\n\
             end subroutine\nend module\n"
        );
        let program = program(&text);
        dump::statements(&program, super::procedure(&program, "test"))
    };
    let plain = "n = 1\ncall put_number(n)\n";
    for known in ["use netcdf", "use hdf5\nuse netcdf", "use pnetcdf\nuse netcdf"] {
        let found = text(known);
        assert!(found.starts_with(plain) && found.contains("netcdf::nf90_noerr"), "{found}");
    }
    // What HDF5's module holds of others counts as its own, and a module that is not known may hold anything.
    assert!(text("use library\nuse netcdf").contains("opaque"));
    let kind = body("use hdf5\nimplicit none\ninteger :: n", "n = hid_t", "");
    assert!(kind.contains("?hdf5::hid_t"), "{kind}");
}

#[test]
fn known_libraries_keep_to_themselves_without_the_users_word() {
    let openings = |statements: &str| {
        let text = format!(
            "program main\nuse netcdf\nuse hdf5\nimplicit none\ninteger :: n\nreal :: u(4)\n{statements}\nend program\n"
        );
        let program = parse_text(Path::new("test.f90"), text.into(), &FrontendOptions::default()).expect("it parses");
        let world = OpenWorld::of(Outside { program: &program, is_closed: false });
        let openings = world.as_ref().map(OpenWorld::openings).unwrap_or_default();
        openings.iter().map(|opening| opening.why.clone()).collect::<Vec<String>>()
    };
    assert_eq!(
        openings("n = nf90_put_var(n, n, u)\nif (n /= nf90_noerr) stop\ncall h5dwrite_f(n, h5t_native_real, u)"),
        [""; 0]
    );
    assert_eq!(openings("call h5send(u)\ncall nf90send(u)"), [""; 0]);
    let goes_on = openings("call h5dwrite_async_f(n, u)");
    assert!(goes_on[0].contains("h5dwrite_async_f`, which was not given, is called"), "{goes_on:?}");
}
