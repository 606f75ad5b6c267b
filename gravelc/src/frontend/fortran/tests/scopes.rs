//! ASSOCIATE, BLOCK and SELECT TYPE: what their names stand for.

use super::{body, dump, procedure, program};

/// The statements of a procedure with an object `field` of a type with arrays and numbers.
fn with_object(statements: &str) -> String {
    let text = format!(
        "module fields\ntype grid\ninteger :: rows\nreal :: depth(10)\nend type\n\
         type tile\nreal :: v(4)\nend type\n\
         type :: field_type\ninteger :: n\nreal, allocatable :: u(:, :)\ntype(grid) :: g\ntype(tile) :: tiles(8)\n\
         real, pointer :: p(:)\nend type\n\
         type, extends(field_type) :: wide\nreal :: halo(3)\nend type\n\
         contains\nsubroutine test(field, any)\ntype(field_type) :: field\nclass(field_type) :: any\n\
         real, pointer :: q(:)\nreal :: a(10), b(10)\ninteger :: i, k\n{statements}\nend subroutine test\nend module\n"
    );
    let program = program(&text);
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    dump::statements(&program, procedure(&program, "test"))
}

#[test]
fn names_of_variables_and_components_are_these() {
    let out = with_object(
        "associate (u => field%u, n => field%n, g => field%g, x => a)\nu(1, 2) = x(3) + n\nn = 3\ng%rows = 2\n\
         g%depth(i) = 1\nx = 0\nend associate\na = 1",
    );
    assert_eq!(
        out,
        "scope [g, n, u, x] \n  field%u[1,2] = (a[3]+field%n)\n  field%n = 3\n  field%g%rows = 2\n\
         \x20 field%g%depth[i] = 1\n  a = 0\na = 1\n"
    );
}

#[test]
fn elements_and_sections_are_some_part_of_their_array() {
    let out = with_object(
        "associate (x => a(i), row => field%u(k, :), tile => field%tiles(i))\ni = 2\nx = row(3)\nrow = 0\n\
         tile%v(2) = 1\nend associate",
    );
    assert_eq!(
        out,
        "scope [row, tile, x] i, k, i\n  i = 2\n  a%{} = field%u%{3}\n  field%u%{} = 0\n  field%{2} := 1\n"
    );
}

#[test]
fn integers_are_stored_when_the_construct_begins() {
    let out = with_object(
        "associate (n => size(a), half => field%n/2, m => max(i, 3), x => 2*a(1), t => .true.)\ndo i = 1, half\n\
         b(i) = x + n\nend do\nif (t) k = m\nend associate",
    );
    assert_eq!(
        out,
        "scope [half, m, n, t, x] \n  ;n = $size(a)\n  ;half = (field%n/2)\n  ;m = $max(i,3)\n\
         \x20 ;x = (2*a[1])\n  ;t = true\n  do i = 1, half\n    b[i] = (x+n)\n  if1\n   ? t\n    k = m\n"
    );
}

#[test]
fn pointers_keep_their_target() {
    let out = with_object(
        "associate (x => q, y => q(2), z => field%p)\nq => b\nx(1) = 1\ny = 2\nz(3) = 4\nend associate\nq(1) = 1",
    );
    assert_eq!(
        out,
        "scope [x, y, z] q, 2, q\n  lifetime(q) reads(b)\n  x[1] = 1\n  y%*{} = 2\n  field%*{3} := 4\nq[1] = 1\n"
    );
    // Objects and functions that may be, or have, pointers.
    let out = body(
        "type t\nreal, pointer :: p(:)\nend type\ntype(t), external :: make",
        "associate (o => make(1), v => (w + 1))\no%p(1) = 3\nx = o%p(2) + v\nend associate",
    );
    assert!(out.starts_with("scope [o, v] "), "{out}");
    assert!(out.contains("\n  o%*{1} := 3\n  x = (o%*{2}+v)\n"), "{out}");
}

#[test]
fn inner_names_hide_outer_ones_and_end_with_their_construct() {
    let out = with_object(
        "associate (a => b, b => a)\na(1) = b(2)\nassociate (a => field%u, c => a)\na(1, 1) = c(3)\nend associate\n\
         a(4) = 5\nend associate\na(6) = 7",
    );
    assert_eq!(out, "scope [a, b] \n  b[1] = a[2]\n  scope [a, c] \n    field%u[1,1] = b[3]\n  b[4] = 5\na[6] = 7\n");
    // Intrinsic procedures, too.
    let out = body("real :: u(3)", "associate (max => u, size => 3)\nmax(size) = 1\nend associate");
    assert_eq!(out, "scope [max, size] \n  ;size = 3\n  u[size] = 1\n");
}

#[test]
fn types_are_narrower_in_their_branch() {
    let out = with_object(
        "select type (any)\ntype is (wide)\nany%halo(1) = any%n\nclass is (field_type)\nany%n = 3\nclass default\ni = 1\n\
         end select",
    );
    assert_eq!(
        out,
        "select \n case\n  ;scope [] \n    any%halo[1] = any%n\n case\n  ;scope [] \n    any%n = 3\n case\n  ;scope [] \n\
         \x20   i = 1\n"
    );
    let out = with_object("select type (x => any)\ntype is (wide)\nx%halo(1) = x%u(1, 2)\nend select\ni = 1");
    assert_eq!(out, "select \n case\n  ;scope [x] \n    x%halo[1] = any%u[1,2]\ni = 1\n");
}

#[test]
fn blocks_for_ranks_use_some_part_of_the_array() {
    let text = "module m\ninterface put\nmodule procedure put_one, put_two\nend interface\ncontains\n\
                subroutine put_one(x)\nreal :: x(:)\nend subroutine\nsubroutine put_two(x)\nreal :: x(:, :)\nend subroutine\n\
                subroutine s(d, n)\nreal, intent(inout) :: d(..)\ninteger :: n\n\
                n = size(d, 1)\ncall all(d)\n\
                select rank (d)\nrank (0)\nd = n\nrank (2)\nd(1, n) = 0\ncall put(d)\nrank (*)\ncontinue\nrank default\n\
                select rank (d)\nrank (3)\nd = 1\nend select\nend select\n\
                select rank (x => d)\nrank (1)\nx(n:) = x(1)\nend select\n\
                end subroutine\nsubroutine all(x)\nreal :: x(..)\nend subroutine\nend module\n";
    let program = program(text);
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    let s = procedure(&program, "s");
    assert_eq!(
        dump::statements(&program, s),
        "n = $size(d,1)\ncall all(d)\n\
         select \n case\n  ;scope [] \n    d%{} := n\n case\n  ;scope [] \n    d%{1,n} := 0\n\
         \x20   select \n     case\n      ;call put_one(d%{})\n     case\n      ;call put_two(d%{})\n\
         \x20case\n  ;scope [] \n    nothing\n\
         \x20case\n  ;scope [] \n    select \n     case\n      ;scope [] \n        d%{} := 1\n\
         select \n case\n  ;scope [x] \n    d%{n} := d%{1}\n"
    );
    assert_eq!(s.untouchable, None);
}

#[test]
fn components_of_a_narrower_type_have_names_in_their_branch_only() {
    let text = "module m\ntype base\ninteger :: n\nend type\ntype, extends(base) :: one\nreal :: u(3)\nend type\n\
                type, extends(base) :: two\ninteger :: u(9)\nend type\ncontains\nsubroutine s(x)\nclass(base) :: x\n\
                select type (x)\ntype is (one)\nx%u(1) = 1\nx%n = 1\ntype is (two)\nx%u(1) = 1\nend select\n\
                end subroutine\nend module\n";
    let program = program(text);
    let found = procedure(&program, "s");
    let named: Vec<_> = found.symbols.iter().filter(|symbol| symbol.name == "x%u").collect();
    assert_eq!(named.len(), 2);
    assert!(named.iter().all(|symbol| symbol.scope.is_some()));
    assert_ne!(named[0].scope, named[1].scope);
    let shared = found.symbols.iter().find(|symbol| symbol.name == "x%n").unwrap();
    assert_eq!(shared.scope, None);
}

#[test]
fn calls_through_a_narrower_object_mean_its_procedures() {
    let text = "module m\ntype base\ncontains\nprocedure :: go => go_base\nend type\n\
                type, extends(base) :: one\ncontains\nprocedure :: go => go_one\nend type\ncontains\n\
                subroutine go_base(self)\nclass(base) :: self\nend subroutine\n\
                subroutine go_one(self)\nclass(one) :: self\nend subroutine\n\
                subroutine s(x)\nclass(base) :: x\nselect type (y => x)\ntype is (one)\ncall y%go()\nend select\n\
                end subroutine\nend module\n";
    let program = program(text);
    let out = dump::statements(&program, procedure(&program, "s"));
    assert_eq!(out, "select \n case\n  ;scope [y] \n    call go_one(x)\n");
}

#[test]
fn blocks_declare_variables_of_their_own() {
    let out = body(
        "integer :: n, k\nreal :: a(10)",
        "n = 4\nblock\ninteger, parameter :: m = 3\ninteger :: n\nreal :: a(m), w(k)\nreal, allocatable :: c(:)\n\
         n = 2\na(n) = w(1)\nend block\na(n) = 1",
    );
    assert_eq!(out, "n = 4\nscope [a, c, m, n, w] m, k, k\n  n = 2\n  a[n] = w[1]\n  ;lifetime(c) reads()\na[n] = 1\n");
    let text =
        "subroutine s\ninteger :: n\nn = 1\nblock\ninteger :: n = 5\nreal :: x\nn = n + 1\nend block\nend subroutine\n";
    let program = program(text);
    let symbols = &program.procedures[0].symbols;
    let found: Vec<String> = symbols.iter().map(|symbol| dump::symbol(&program.procedures[0], symbol)).collect();
    assert_eq!(
        found,
        ["n: Variable Integer(4) Local", "n: Variable Integer(4) Static initialised", "x: Variable Real(4) Local"]
    );
    assert!(symbols[0].scope.is_none() && symbols[1].scope.is_some() && symbols[1].overlay.is_none());
}

#[test]
fn blocks_that_import_stay_opaque() {
    for declarations in
        ["use m", "type t\ninteger :: i\nend type", "interface\nend interface", "procedure(), pointer :: p"]
    {
        let out = body("", &format!("block\n{declarations}\ni = 1\nend block"));
        assert!(out.starts_with("opaque a BLOCK with"), "{declarations}: {out}");
    }
    // A declaration that means a name of a construct around.
    let out = body("", "associate (n => 3)\nblock\nreal :: a(n)\na = 1\nend block\nend associate");
    assert!(out.contains("opaque a BLOCK with a declaration with a name of a construct around"), "{out}");
}

#[test]
fn exits_leave_blocks_by_their_names() {
    let out = body(
        "",
        "work: block\ninteger :: i\ndo i = 1, 3\nif (i > 1) exit work\nend do\nend block work\n\
         names: associate (x => y)\nif (x > 1) exit names\nend associate names",
    );
    assert_eq!(
        out,
        "scope [i] \n  do i = 1, 3\n    if1\n     ? (i>1)\n      exit known\n\
         scope [x] \n  if1\n   ? (y>1)\n    exit known\n"
    );
}

#[test]
fn names_of_variables_are_known_where_they_mean_them() {
    let text = "subroutine s\ninteger :: n, u(3)\nn = 1\nassociate (n => 3)\nu(1) = n\nend associate\nblock\ninteger :: n\n\
                n = 2\nend block\nend subroutine\n";
    let program = program(text);
    let found = &program.procedures[0];
    let symbols = |name: &str| {
        let all = found.symbols.iter().enumerate().filter(move |(_, symbol)| symbol.name == name);
        all.map(|(index, _)| crate::ir::SymbolId(index)).collect::<Vec<_>>()
    };
    let (n, u) = (symbols("n"), symbols("u")[0]);
    let stores: Vec<_> = found
        .statements_in_order()
        .into_iter()
        .filter(|&id| matches!(found.statement(id).kind, crate::ir::StatementKind::Assign { .. }))
        .collect();
    let named: Vec<Vec<bool>> =
        stores.iter().map(|&at| n.iter().chain([&u]).map(|&id| found.can_name(id, at)).collect()).collect();
    // Outside; the two statements of ASSOCIATE; the one of BLOCK. The symbols: the procedure's, the BLOCK's or value's.
    assert_eq!(named.len(), 4);
    assert_eq!(named[0], [true, false, false, true]);
    assert_eq!(named[2].iter().filter(|can| **can).count(), 2);
    assert!(!named[2][0] && !named[3][0]);
}

#[test]
fn generic_names_are_not_ruled_out_by_the_declared_type() {
    let text = "module m\ntype base\nend type\ntype, extends(base) :: one\nend type\ntype, extends(base) :: two\nend type\n\
                interface go\nprocedure go_one, go_two\nend interface\ncontains\n\
                subroutine go_one(self)\ntype(one) :: self\nend subroutine\n\
                subroutine go_two(self)\ntype(two) :: self\nend subroutine\n\
                subroutine s(x)\nclass(base) :: x\nselect type (x)\ntype is (one)\ncall go(x)\nend select\n\
                end subroutine\nend module\n";
    let program = program(text);
    let out = dump::statements(&program, procedure(&program, "s"));
    assert!(out.contains("call go_one(x)") && out.contains("call go_two(x)"), "{out}");
}

#[test]
fn names_that_the_emitted_code_needs_stay_theirs() {
    let text = "subroutine s\nassociate (gravel_r1 => x)\ngravel_r1 = 1\nend associate\nend subroutine\n";
    let why = super::obstacle(text, "s").unwrap();
    assert_eq!(why, "a construct gives another meaning to `gravel_r1`");
    for (name, is_kept) in
        [("mpi_send", true), ("mpi_status_ignore", true), ("mpi_rank", false), ("mpi_version", false)]
    {
        let text = format!("subroutine s\nblock\ninteger :: {name}\n{name} = 1\nend block\nend subroutine\n");
        assert_eq!(super::obstacle(&text, "s").is_some(), is_kept, "{name}");
    }
    let text = "subroutine s\nassociate (max => x)\nend associate\nend subroutine\n";
    assert_eq!(procedure(&program(text), "s").redefined_functions, ["max"]);
}
