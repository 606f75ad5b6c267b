//! Names from modules, hosts and files.

use super::{dump, obstacle, procedure, program, statements_of};

fn symbol_of(text: &str, procedure_name: &str, name: &str) -> String {
    let program = program(text);
    let owner = procedure(&program, procedure_name);
    dump::symbol(owner, owner.symbol(owner.find_symbol(name).unwrap()))
}

const MODULES: &str = "module base\ninteger, parameter :: n = 4\nreal :: field(n, 0:n)\nreal, private :: secret\nend module\n\
                       module top\nuse base, only: grid => field, n\nend module\n";

#[test]
fn use_renames_and_passes_on() {
    let text = format!("{MODULES}subroutine s\nuse top, m => n\ngrid(1, 1) = m\nend subroutine\n");
    assert_eq!(
        symbol_of(&text, "s", "grid"),
        "grid: Variable Real(4) [1:4,0:4] Global(Module { module: \"base\", name: \"field\" })"
    );
    assert_eq!(symbol_of(&text, "s", "m"), "m: Constant(Some(4)) Integer(4) Static");
    // The old name is not visible: this one is implicit.
    let text = format!("{MODULES}subroutine s\nuse top, m => n\nn = m\nend subroutine\n");
    assert_eq!(symbol_of(&text, "s", "n"), "n: Variable Integer(4) Local");
}

#[test]
fn private_names_stay_inside() {
    let text = format!("{MODULES}subroutine s\nuse base\nsecret = 1\nend subroutine\n");
    assert_eq!(symbol_of(&text, "s", "secret"), "secret: Variable Real(4) Local");
}

#[test]
fn types_are_those_that_a_module_shows() {
    let of = |uses: &str, hidden: &str| {
        let text = format!(
            "module first\n{hidden}\ninteger :: x\nend type\nend module\n\
             module second\nprivate\ntype, public :: t\nreal :: x\nend type\nend module\n\
             subroutine s\n{uses}\ntype(t) :: v\nv%x = 1\nend subroutine\n"
        );
        symbol_of(&text, "s", "v%x").split(' ').nth(2).unwrap().to_string()
    };
    let both = "use first\nuse second";
    assert_eq!(of(both, "private :: t\ntype t"), "Real(4)");
    assert_eq!(of(both, "private\ntype t"), "Real(4)");
    assert_eq!(of(both, "type, private :: t"), "Real(4)");
    assert_eq!(of("use first, u => t\nuse second", "type t"), "Real(4)");
    assert_eq!(of("use second, u => t\nuse first", "private\ntype, public :: t"), "Integer(4)");
}

#[test]
fn types_of_modules_that_are_not_given_hide_those_of_the_host() {
    let has_component = |uses: &str, own: &str| {
        let text = format!(
            "module other\n{own}\nend module\nmodule host\ntype :: t\ninteger :: x\nend type\ncontains\n\
             subroutine s\n{uses}\ntype(t) :: v\nv%x = 1\nend subroutine\nend module\n"
        );
        let program = program(&text);
        procedure(&program, "s").find_symbol("v%x").is_some()
    };
    assert!(has_component("", "") && has_component("use other", "") && has_component("use iso_fortran_env", ""));
    assert!(has_component("use missing, only: u", "") && has_component("use other", "use missing, only: u"));
    for uses in ["use missing", "use missing, only: t", "use missing, only: t => u"] {
        assert!(!has_component(uses, ""), "{uses}");
        // What a module sees it shows.
        assert!(!has_component("use other", uses), "{uses}");
    }
}

#[test]
fn one_variable_under_two_names_is_one_variable() {
    let text = format!("{MODULES}subroutine s\nuse base, only: a => field, b => field\na = b\nend subroutine\n");
    let program = program(&text);
    let owner = procedure(&program, "s");
    let of = |name: &str| owner.symbol(owner.find_symbol(name).unwrap()).overlay;
    assert!(of("a").is_some() && of("a") == of("b"));
}

#[test]
fn modules_that_are_not_given_leave_names_open() {
    let text = "subroutine s\nuse elsewhere\nreal x\nx = 1\ny = 1\ncall t(x)\nprint *, sin(x)\nend subroutine\nsubroutine t(x)\nend subroutine\n";
    assert_eq!(
        statements_of(text, "s"),
        "x = 1\nopaque an assignment to something that is no variable: y = 1\ncall ?t(x)\n\
         io! reads(OPAQUE<a name that may come from module `elsewhere`, which is not given: sin(x)>) writes()\n"
    );
    let text =
        "subroutine s\nuse elsewhere, only: x\ny = 1\ncall t(y)\nend subroutine\nsubroutine t(x)\nend subroutine\n";
    assert_eq!(statements_of(text, "s"), "y = 1\ncall t(y)\n");
}

#[test]
fn contained_procedures_share_their_hosts_variables() {
    let text = "subroutine host(a)\nreal a(3), kept, own\nreal, save :: saved\ninteger i\ncall inner\ncontains\nsubroutine inner\ninteger i\n\
                i = 1\na(1) = kept + saved\nend subroutine\nend subroutine\n";
    assert_eq!(symbol_of(text, "host", "a"), "a: Variable Real(4) [1:3] Dummy target");
    assert_eq!(symbol_of(text, "host", "kept"), "kept: Variable Real(4) Local target");
    assert_eq!(
        symbol_of(text, "host", "saved"),
        "saved: Variable Real(4) Global(Host { host: \"host\", name: \"saved\" })"
    );
    assert_eq!(symbol_of(text, "host", "own"), "own: Variable Real(4) Local");
    // Each has an `i` of its own.
    assert_eq!(symbol_of(text, "host", "i"), "i: Variable Integer(4) Local");
    assert_eq!(symbol_of(text, "inner", "i"), "i: Variable Integer(4) Local");
    assert_eq!(symbol_of(text, "inner", "a"), "a: Variable Real(4) [1:3] Global(Host { host: \"host\", name: \"a\" })");
    assert_eq!(statements_of(text, "host"), "call inner()\n");
}

#[test]
fn implicit_variables_of_a_host_are_shared_too() {
    let text = "program main\nx = 1\ny = 2\ncall inner\ncontains\nsubroutine inner\nx = 3\nz = 4\nend subroutine\nend program\n";
    assert_eq!(symbol_of(text, "main", "x"), "x: Variable Real(4) Global(Host { host: \"main\", name: \"x\" })");
    assert_eq!(symbol_of(text, "inner", "x"), "x: Variable Real(4) Global(Host { host: \"main\", name: \"x\" })");
    assert_eq!(symbol_of(text, "inner", "z"), "z: Variable Real(4) Local");
    assert_eq!(symbol_of(text, "main", "y"), "y: Variable Real(4) Static");
}

#[test]
fn procedures_are_found_where_the_language_finds_them() {
    let text = "module m\ninterface g\n module procedure f\nend interface\ncontains\nsubroutine f(x)\ncall h\ncall ext(x)\nend subroutine\n\
                subroutine h\nend subroutine\nend module\n\
                subroutine ext(x)\nuse m, only: ff => f, g\ncall ff(x)\ncall g(x)\ncall h\nend subroutine\n";
    assert_eq!(statements_of(text, "f"), "call h()\ncall ext(x)\n");
    assert_eq!(statements_of(text, "ext"), "call f(x)\ncall f(x)\ncall ?h()\n");
}

#[test]
fn ambiguous_names_and_dummy_procedures_are_unknown() {
    let text = "subroutine s(f)\nexternal f\ncall f(1)\ncall twice\ncall once\nend subroutine\n\
                subroutine twice\nend subroutine\nsubroutine twice\nend subroutine\nsubroutine once\nend subroutine\n";
    assert_eq!(statements_of(text, "s"), "call ?f handed over elsewhere(1)\ncall ?twice()\ncall once()\n");
}

#[test]
fn common_blocks_from_two_scopes_overlap() {
    let text = "module m\ncommon /b/ x, y\nend module\nsubroutine s\nuse m\ncommon /b/ p, q\np = x\nend subroutine\n";
    let program = program(text);
    let owner = procedure(&program, "s");
    let of = |name: &str| owner.symbol(owner.find_symbol(name).unwrap()).overlay;
    assert!(of("p").is_some() && of("p") == of("x"));
}

#[test]
fn submodules_see_their_module() {
    let text = "module m\nreal shared(3)\ninterface\n module subroutine s\n end subroutine\nend interface\nend module\n\
                submodule (m) sm\ncontains\nmodule subroutine s\nshared(1) = 2\nend subroutine\nend submodule\n";
    assert_eq!(statements_of(text, "s"), "shared[1] = 2\n");
    assert_eq!(obstacle(text, "s"), None);
    let text = text.replace("(m)", "(other)");
    assert!(statements_of(&text, "s").contains("opaque"));
}

#[test]
fn modules_that_use_one_another_leave_names_open() {
    let text = "module a\nuse b\nreal x\nend module\nmodule b\nuse a\nend module\nsubroutine s\nuse b\nx = 1\ny = 1\nend subroutine\n";
    let out = statements_of(text, "s");
    assert_eq!(out, "x = 1\nopaque an assignment to something that is no variable: y = 1\n");
    assert_eq!(program(text).procedures.len(), 1);
}

/// A module whose generic name `change` has these procedures behind it, and a subroutine with this call.
fn generic(call: &str) -> String {
    let module = "module changes\ninterface change\nmodule procedure change, of_line, of_long\nend interface\ncontains\n\
                  subroutine change(x)\nreal x\nend subroutine\n\
                  subroutine of_line(x, n, by)\nreal x(:)\ninteger n\nreal, optional :: by\nend subroutine\n\
                  subroutine of_long(x)\nreal(8) x\nend subroutine\nend module\n";
    let declarations = "use changes\nreal a, b(3)\nreal(8) d\ninteger i\nlogical l";
    statements_of(&format!("{module}subroutine s\n{declarations}\n{call}\nend subroutine\n"), "s")
}

#[test]
fn a_generic_name_means_what_fits() {
    assert_eq!(generic("call change(b, 3)"), "call of_line(b, 3)\n");
    assert_eq!(generic("call change(b(1:2), by=a, n=i)"), "call of_line(b[1:2], i, a)\n");
    // Kinds rule out nothing, but what certainly fits is meant: flags change both declarations alike.
    assert_eq!(generic("call change(a)"), "call change(a)\n");
    assert_eq!(generic("call change(d)"), "call of_long(d)\n");
    let either = "select \n case\n  ;call change(computed(2.0))\n case\n  ;call of_long(computed(2.0))\n";
    let found = generic("call change(a*2)");
    assert_eq!(found, either.replace("computed(2.0)", "(a*2)"));
    // Nothing fits: something is not as it seems.
    assert_eq!(generic("call change(l)"), "call ?change(l)\n");
    let another = "module more\ninterface change\nmodule procedure of_logical\nend interface\ncontains\n\
                   subroutine of_logical(l)\nlogical l\nend subroutine\nend module\n";
    let both = format!(
        "{another}module changes\ninterface change\nmodule procedure of_real\nend interface\ncontains\n\
         subroutine of_real(x)\nreal x\nend subroutine\nend module\n\
         subroutine s\nuse changes\nuse more\nlogical l\ncall change(l)\nend subroutine\n"
    );
    assert_eq!(statements_of(&both, "s"), "call of_logical(l)\n");
    let hidden = both.replace("use more", "use more\nuse not_given");
    assert_eq!(statements_of(&hidden, "s"), "call ?change(l)\n");
}

#[test]
fn a_kind_is_certain_by_the_words_of_its_declaration() {
    let module = |kinds: &str, first: &str, second: &str| {
        format!(
            "module posts\n{kinds}\ninterface post\nmodule procedure one, two\nend interface\ncontains\n\
             subroutine one(b, n, tag)\n{first} b(:)\ninteger n\ninteger, optional :: tag\nend subroutine\n\
             subroutine two(b, n, tag)\n{second} b(:)\ninteger n\ninteger, optional :: tag\nend subroutine\nend module\n"
        )
    };
    let kinds = "integer, parameter :: sp = kind(1.0), dp = kind(1.0d0)";
    let meant = |module: &str, uses: &str, declarations: &str| {
        let text = format!("{module}subroutine s\n{uses}\n{declarations}\ncall post(b, 3 + 1)\nend subroutine\n");
        let out = statements_of(&text, "s");
        let names = ["call one", "call two"].map(|name| out.contains(name));
        match names {
            [true, true] => "either",
            [true, false] => "one",
            [false, true] => "two",
            [false, false] => "none",
        }
    };
    let named = module(kinds, "real(sp)", "real(kind=dp)");
    assert_eq!(meant(&named, "use posts", "real(dp) b(3)"), "two");
    assert_eq!(meant(&named, "use posts, wp => dp", "real(kind=wp) b(3)"), "two");
    assert_eq!(meant(&named, "use posts", "real(kind(1.0d0)) b(3)"), "either");
    assert_eq!(meant(&named, "use posts", "real(8) b(3)"), "either");
    assert_eq!(meant(&named, "use posts", "double precision b(3)"), "either");
    // Another constant of the name, of whatever value.
    assert_eq!(meant(&named, "use posts, only: post", "integer, parameter :: dp = 8\nreal(dp) b(3)"), "either");
    assert_eq!(meant(&named, "use posts", "real(dp) b(3, 3)"), "none");
    let numbered = module("", "real*4", "real(8)");
    assert_eq!(meant(&numbered, "use posts", "real*8 b(3)"), "two");
    assert_eq!(meant(&numbered, "use posts", "real b(3)*4"), "one");
    assert_eq!(meant(&numbered, "use posts\nuse iso_fortran_env", "real(real64) b(3)"), "two");
    // Flags may make a default real anything.
    assert_eq!(meant(&numbered, "use posts", "real b(3)"), "either");
    let default = module("", "real", "real(8)");
    assert_eq!(meant(&default, "use posts", "real b(3)"), "one");
    assert_eq!(meant(&default, "use posts", "real(4) b(3)"), "either");
    // In another file there may be other flags.
    let caller = "subroutine s\nuse posts\nreal b(3)\ncall post(b, 4)\nend subroutine\n";
    let file = |name: &str, text: &str| crate::ir::SourceFile::new(name, text.as_bytes().to_vec(), Default::default());
    let files = vec![file("a.f90", &default), file("b.f90", caller)];
    let program = super::super::lower(files, &Default::default()).unwrap();
    let out = super::dump::statements(&program, super::procedure(&program, "s"));
    assert!(out.starts_with("select"), "{out}");
    // What another scope lists is meant only where nothing fits here.
    let inner = "module outer\nuse posts\ncontains\nsubroutine s\nreal(dp) b(3)\ninterface post\nsubroutine three(b, n)\n\
                 real b(3)\ninteger n\nend subroutine\nend interface\ncall post(b, 4)\nend subroutine\nend module\n";
    assert!(statements_of(&format!("{named}{inner}"), "s").starts_with("select"));
}

#[test]
fn a_constructor_is_not_meant_where_its_function_is() {
    let made = |components: &str, call: &str| {
        let text = format!(
            "module m\ntype list\n{components}\nend type\ninterface list\nmodule procedure made\nend interface\ncontains\n\
             type(list) function made(n)\ninteger n\nend function\nend module\nsubroutine s\nuse m\ntype(list) l\n\
             integer n\n{call}\nend subroutine\n"
        );
        statements_of(&text, "s")
    };
    let function = "l := p0(n)\n";
    assert_eq!(made("integer a", "l = list(n)"), function);
    assert_eq!(made("integer a, b, c", "l = list(2)"), "l := p0(2)\n");
    assert_eq!(made("private\ninteger a", "l = list(2)"), "l := p0(2)\n");
    // It could be either.
    assert_eq!(made("integer a", "l = list(2)"), "l := computed(p0(2),computed(2))\n");
    assert_eq!(made("integer a\ninteger :: b = 1", "l = list(2)"), "l := computed(p0(2),computed(2))\n");
}

/// A subroutine with this statement that uses a module with these declarations.
fn with_generic(declarations: &str, statement: &str) -> String {
    let text = format!(
        "module m\n{declarations}\nend module\nsubroutine s\nuse m\nreal a\ninteger i, j\ncharacter(3) c\n{statement}\n\
         end subroutine\n"
    );
    statements_of(&text, "s")
}

#[test]
fn generic_names_may_stand_for_external_procedures_and_mpi() {
    let rank = "interface mp_rank\nsubroutine mpi_comm_rank(comm, rank, ier)\ninteger, intent(in) :: comm\n\
                integer, intent(out) :: rank, ier\nend subroutine\nend interface\n\
                interface mp_time\nfunction mpi_wtime()\nreal(8) mpi_wtime\nend function\nend interface\n";
    assert_eq!(with_generic(rank, "call mp_rank(i, j, i)"), "mpi_comm_rank inquiry(i) writes(j) -> i\n");
    assert_eq!(with_generic(rank, "a = mp_time()"), "a = $mpi_wtime()\n");
    let outside = "interface scale\nsubroutine dscal(n)\ninteger n\nend subroutine\nend interface\n\
                   interface tick\nsubroutine c_tick(n) bind(c)\ninteger n\nend subroutine\nend interface";
    assert_eq!(with_generic(outside, "call scale(i)"), "call ?dscal(i)\n");
    assert_eq!(with_generic(outside, "call tick(i)"), "call ?c_tick(i)\n");
    let mixed = "interface do_it\nmodule procedure of_integer\nsubroutine outside(a)\nreal a\nend subroutine\nend interface\n\
                 contains\nsubroutine of_integer(n)\ninteger n\nend subroutine\n";
    assert_eq!(with_generic(mixed, "call do_it(a)"), "call ?outside(a)\n");
    assert_eq!(with_generic(mixed, "call do_it(i)"), "call of_integer(i)\n");
    assert_eq!(
        with_generic(mixed, "call do_it(-i)"),
        "select \n case\n  ;call of_integer(-(i))\n case\n  ;call ?outside(-(i))\n"
    );
    // Which argument of the other one a keyword names is not known.
    assert_eq!(with_generic(mixed, "call do_it(n=i)"), "call of_integer(i)\n");
    assert_eq!(with_generic(mixed, "call do_it(n=-i)"), "call ?do_it(-(i))\n");
    let with_mpi = mixed.replace("outside", "mpi_barrier");
    assert_eq!(with_generic(&with_mpi, "call do_it(-i)"), "call ?do_it(-(i))\n");
}

#[test]
fn generic_names_may_be_those_of_external_procedures_behind_them() {
    let scale = "interface scale\nsubroutine scale(a)\nreal a\nend subroutine\nend interface\n";
    assert_eq!(with_generic(scale, "call scale(a)"), "call ?scale(a)\n");
    let given = |declarations: &str, statement: &str| {
        let text = format!(
            "module m\n{declarations}\nend module\nsubroutine s\nuse m\nreal a\ninteger i\n{statement}\nend subroutine\n\
             subroutine scale(a)\nreal a\na = 2*a\nend subroutine\n\
             subroutine scale_number(i)\ninteger i\ni = 2*i\nend subroutine\n"
        );
        statements_of(&text, "s")
    };
    assert_eq!(given(scale, "call scale(a)"), "call scale(a)\n");
    // In whatever order they are declared; and the name is not only that of this one.
    let number = "interface scale\nsubroutine scale_number(i)\ninteger i\nend subroutine\nend interface\n";
    for both in [format!("{scale}{number}"), format!("{number}{scale}")] {
        assert_eq!(given(&both, "call scale(a)"), "call scale(a)\n");
        assert_eq!(given(&both, "call scale(i)"), "call scale_number(i)\n");
    }
    let listed = "interface\nsubroutine scale(a)\nreal a\nend subroutine\nsubroutine scale_number(i)\ninteger i\n\
                  end subroutine\nend interface\ninterface scale\nprocedure scale, scale_number\nend interface\n";
    assert_eq!(given(listed, "call scale(a)"), "call scale(a)\n");
    assert_eq!(given(listed, "call scale(i)"), "call scale_number(i)\n");
    // A dummy procedure of that name can be any.
    let dummy = "module m\ncontains\nsubroutine s(scale)\nreal a\ninterface scale\nsubroutine scale(a)\nreal a\n\
                 end subroutine\nend interface\ncall scale(a)\nend subroutine\nend module\n\
                 subroutine scale(a)\nreal a\nend subroutine\n";
    assert_eq!(statements_of(dummy, "s"), "call ?scale(a)\n");
    let rank = "interface mpi_comm_rank\nsubroutine mpi_comm_rank(comm, rank, ier)\ninteger, intent(in) :: comm\n\
                integer, intent(out) :: rank, ier\nend subroutine\nend interface\n";
    assert_eq!(with_generic(rank, "call mpi_comm_rank(i, j, i)"), "mpi_comm_rank inquiry(i) writes(j) -> i\n");
}

#[test]
fn generic_names_may_extend_intrinsic_functions_and_be_constructors() {
    let length = "interface len\nmodule procedure of_list\nend interface\ntype list\ninteger n\nend type\ncontains\n\
                  integer function of_list(it)\ntype(list) it\nend function\n";
    assert_eq!(with_generic(length, "i = len(c)"), "i = $len(c)\n");
    assert_eq!(with_generic(length, "type(list) l\ni = len(l)").lines().last(), Some("i = computed(p0(l),$len(l))"));
    let made = "type list\ninteger n\nend type\ninterface list\nmodule procedure of_real\nend interface\ncontains\n\
                type(list) function of_real(x)\nreal x\nend function\n";
    assert_eq!(with_generic(made, "type(list) l\nl = list(i)"), "l := computed(i)\n");
    assert_eq!(with_generic(made, "type(list) l\nl = list(a)"), "l := p0(a)\n");
    assert_eq!(with_generic(made, "type(list) l\nl = list(-a)"), "l := computed(p0(-(a)),computed(-(a)))\n");
}
