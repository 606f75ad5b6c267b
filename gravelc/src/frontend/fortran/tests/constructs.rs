//! Control constructs, labels, input and output, memory.

use std::path::Path;

use super::{body, obstacle, procedure, program, statements_of};
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::StatementKind;

#[test]
fn if_in_all_its_forms() {
    let out = body(
        "",
        "if (a > 1) b = 2\nname: if (a > 1) then\nb = 1\nelse if (a > 2) then name\nb = 2\nELSE\nb = 3\nend if name\nif (i) 10, 20, 30\n\
         10 continue\n20 b = 1\n30 b = 2",
    );
    assert_eq!(
        out,
        "if1\n ? (a>1)\n  b = 2\nif\n ? (a>1)\n  b = 1\n ? (a>2)\n  b = 2\n else\n  b = 3\n\
         if1\n ? computed(i)\n  ;jump\n@nothing\n@b = 1\n@b = 2\n"
    );
}

#[test]
fn loops_and_the_ways_out_of_them() {
    let out = body(
        "",
        "outer: do i = 1, n, 2\ndo while (a > 1)\nif (a > 2) exit outer\nif (a > 3) cycle\ndo\nexit\nend do\nend do\nend do outer\n\
         do concurrent (i = 1:n)\na = 1\nend do",
    );
    assert_eq!(
        out,
        "do i = 1, n, 2\n  while (a>1)\n    if1\n     ? (a>2)\n      exit known\n    if1\n     ? (a>3)\n      cycle known\n\
         \x20   while \n      exit known\nconcurrent i = 1, n\n  a = 1\n"
    );
}

#[test]
fn loops_over_what_is_not_counted_change_their_variables() {
    let out = body(
        "real :: x\nlogical :: mask(9)\ninteger :: j",
        "do x = 0.0, a, 0.5\nb = x\nend do\ndo 10 x = 1, 2\n10 b = x\n\
         do concurrent (i = 1:n, j = n:2:-1)\na = 1\nend do\n\
         do concurrent (i = 1:n, mask(i))\na = 1\nend do",
    );
    assert_eq!(
        out,
        "while changing x computed(lit,a,lit)\n  b = x\nwhile changing x computed(1,2)\n  #b = x\n\
         while changing i, j computed(1,n,n,2,-(1))\n  a = 1\n\
         while changing i computed(1,n,mask[i])\n  a = 1\n"
    );
    let declares = body("integer :: k\nreal :: v(9)", "do concurrent (integer :: k = 1:n)\nv(k) = k\nend do\nv(k) = 1");
    assert_eq!(declares, "while computed(1,n)\n  v%{computed()} := computed()\nv[k] = 1\n");
}

#[test]
fn forall_in_all_its_forms() {
    let out = body(
        "real :: v(9), w(9, 9)",
        "forall (i = 1:n) v(i) = a\n\
         forall (i = 1:n, v(i) > a)\nv(i) = 1\nw(i, 1) = v(i)\nend forall\n\
         forall (i = 1:n)\nforall (j = 1:i) w(i, j) = a\nwhere (w(i, :) > 0) w(i, :) = 1\nend forall",
    );
    assert_eq!(
        out,
        "v%{computed()} := computed(1,n,a)\n\
         while computed(1,n,(v%{computed()}>a))\n  ;v%{computed()} := 1\n  ;w%{computed(),1} := v%{computed()}\n\
         while computed(1,n)\n  ;w%{computed(),computed()} := computed(1,computed(),a)\n\
         \x20 ;if1\n   ? computed((w%{computed()}>0))\n    ;w%{computed()} := 1\n"
    );
}

#[test]
fn exits_name_their_loop() {
    let text =
        "subroutine s\na: do i = 1, 2\nb: do j = 1, 2\nexit a\ncycle b\nexit\nend do b\nend do a\nend subroutine\n";
    let program = super::program(text);
    let procedure = &program.procedures[0];
    let targets: Vec<String> = procedure
        .statements
        .iter()
        .filter_map(|statement| match &statement.kind {
            crate::ir::StatementKind::Exit(target) | crate::ir::StatementKind::Cycle(target) => {
                target.map(|target| program.text(procedure.statement(target).span).chars().take(1).collect())
            }
            _ => None,
        })
        .collect();
    assert_eq!(targets, ["a", "b", "b"]);
}

#[test]
fn leaving_a_block_by_name_is_not_a_loop_exit() {
    let out = body("", "block: if (a > 1) then\nexit block\nend if block");
    assert!(out.contains("opaque EXIT from a construct of another kind"), "{out}");
}

#[test]
fn labelled_loops_may_share_their_end() {
    let out = body("real a(3, 3)", "do 10 i = 1, 3\nb = 1\ndo 10 j = 1, 3\nif (b > 1) goto 10\n10 a(i, j) = 1\nb = 2");
    assert_eq!(out, "do i = 1, 3\n  b = 1\n  do j = 1, 3\n    if1\n     ? (b>1)\n      jump\n    @a[i,j] = 1\nb = 2\n");
    // Without a jump to it the label is only the loop's end.
    let out = body("", "do 10 i = 1, 3\nb = 1\n10 continue\ndo 20 i = 1, 2\n20 end do");
    assert_eq!(out, "do i = 1, 3\n  b = 1\n  #nothing\ndo i = 1, 2\n  #nothing\n");
}

#[test]
fn labels_of_ends_are_places_to_jump_to() {
    let out = body("", "if (a > 1) goto 10\nif (b > 1) then\nb = 2\n10 end if\ndo i = 1, 2\nb = 1\n20 end do");
    assert_eq!(out, "if1\n ? (a>1)\n  jump\nif\n ? (b>1)\n  b = 2\n  @nothing\ndo i = 1, 2\n  b = 1\n  #nothing\n");
}

#[test]
fn jumps_and_their_targets() {
    let out = body("", "goto 10\ngo to (10, 20), i\n10 a = 1\n20 format (i3)\n30 return");
    assert_eq!(out, "jump\nif1\n ? computed(i)\n  ;jump\n@a = 1\n#nothing\n@return\n");
}

#[test]
fn select_case_and_type() {
    let out = body(
        "type t\n integer i\nend type\nclass(t) :: v",
        "select case (i + 1)\ncase (1, 3:4)\na = 1\ncase default\na = 2\nend select\nselect type (v)\ntype is (t)\na = 3\nclass default\na = 4\nend select",
    );
    assert_eq!(
        out,
        "select (i+1)\n case\n  a = 1\n case\n  a = 2\nselect \n case\n  ;scope [] \n    a = 3\n case\n  ;scope [] \n    a = 4\n"
    );
}

#[test]
fn masked_assignments_are_conditional() {
    let out = body(
        "real a(3), b(3)",
        "where (a > 0) a = b\nwhere (a > 0)\na = 1\nelsewhere (b > 0)\nb = 2\nelsewhere\na = 0\nend where",
    );
    assert_eq!(out, "if1\n ? computed((a>0))\n  ;a = b\nif\n ? computed((a>0),(b>0))\n  ;a = 1\n  ;b = 2\n  ;a = 0\n");
    let out = body("real a(3), b(3)", "forall (i = 1:3, b(i) > 0) a(i) = b(i)");
    assert_eq!(out, "a%{computed()} := computed(1,3,(b%{computed()}>0),b%{computed()})\n");
}

#[test]
fn input_and_output() {
    let out = body(
        "real a(3)\ncharacter(9) c\nnamelist /group/ x, y",
        "print *, a(1), 'x'\nread (*, *, err=10) a(i)\nwrite (c, '(i3)', iostat=ios) i\nread (c, *) a\nopen (unit=9, file=c, status='old', iostat=ios)\n\
         inquire (file=c, exist=l)\nread (nml=group, unit=5)\nwrite (6, 20) (a(i), i = 1, n)\nrewind 9\n10 close (9)\n20 format (i3)",
    );
    assert_eq!(
        out,
        "io! reads(a[1], lit) writes()\nio! reads() writes(a[i])\nio reads(c, lit, i) writes(c, ios)\nio! reads(c) writes(a)\n\
         io reads(9, c, lit) writes(ios)\nio! reads(c) writes(l)\nio! reads(5) writes(x, y)\nio! reads(6, 1, n, a%{computed()}) writes(i)\n\
         io! reads(9) writes()\n@io! reads(9) writes()\n#nothing\n"
    );
}

#[test]
fn namelist_groups_of_modules_and_hosts() {
    let transfer = |declarations: &str| {
        let text = format!(
            "module m\nreal x, y\nnamelist /group/ x, y\nend module\nmodule n\nuse m, other => group\nprivate x\nend module\n\
             subroutine s\n{declarations}\nread (5, group, iostat=ios)\nend subroutine\n"
        );
        let program = super::program(&text);
        super::dump::statements(&program, super::procedure(&program, "s"))
    };
    assert_eq!(transfer("use m"), "io reads(5) writes(x, y, ios)\n");
    assert_eq!(transfer("use n, group => other, z => y\nuse m, only: x, y"), "io reads(5) writes(x, y, ios)\n");
    let hidden = "OPAQUE<a variable of a NAMELIST group that has no name here: group>";
    for elsewhere in ["use m, only: group, x", "use m, only: group, x\nreal y", "use m, z => y"] {
        assert_eq!(transfer(elsewhere), format!("io reads(5) writes(x, {hidden}, ios)\n"), "{elsewhere}");
    }
    // What has the name here, or could have it, hides the host's group.
    for (inside, expected) in [
        ("", "io! reads(5) writes(x)\n"),
        ("character(9) group", "io! reads(5, group) writes()\n"),
        ("use m, only: group => y", "io! reads(5, group) writes()\n"),
    ] {
        let text = format!(
            "module m\ncharacter(9) y\nend module\nsubroutine host\nreal x\nnamelist /group/ x\ncontains\n\
             subroutine s\n{inside}\nread (5, group)\nend subroutine\nend subroutine\n"
        );
        let program = super::program(&text);
        assert_eq!(super::dump::statements(&program, super::procedure(&program, "s")), expected, "{inside}");
    }
    let unknown = "subroutine host\nreal x\nnamelist /group/ x\ncontains\nsubroutine s\nuse not_given\nread (5, group)\n\
                   end subroutine\nend subroutine\n";
    let program = super::program(unknown);
    assert!(super::dump::statements(&program, super::procedure(&program, "s")).contains("OPAQUE"));
    let text = "subroutine host\nnamelist /group/ x\ncontains\nsubroutine s\nreal x\nwrite (6, group)\nend subroutine\nend subroutine\n";
    let program = super::program(text);
    let out = super::dump::statements(&program, super::procedure(&program, "s"));
    assert_eq!(out, format!("io! reads(6, {hidden}) writes()\n"));
}

#[test]
fn asynchronous_transfers_go_on_behind_the_statement() {
    let out = body("real a(3)", "read (9, asynchronous='yes', id=i) a");
    assert!(out.starts_with("opaque asynchronous input or output"), "{out}");
}

#[test]
fn memory_comes_and_goes() {
    let out = body(
        "real, allocatable :: a(:), b(:)\nreal, pointer :: p(:)\nreal, target :: t(3)",
        "allocate (a(0:n), b(2), stat=ierr)\ndeallocate (a)\np => t(1:i)\np(0:n) => t\nnullify (p)\ncall move_alloc(a, b)",
    );
    assert_eq!(
        out,
        "lifetime(a, b, ierr) reads(0, n, 2)\nlifetime(a) reads()\nlifetime(p) reads(t[1:i])\nlifetime(p) reads(t, 0, n)\n\
         lifetime(p) reads()\nlifetime(a, b) reads(a, b)\n"
    );
}

#[test]
fn intrinsic_subroutines() {
    let out = body(
        "",
        "call random_number(x)\ncall system_clock(count=i)\ncall get_command_argument(i, c)\ncall exit(2)\nstop 'x'\nerror stop",
    );
    assert_eq!(out, "io reads(x) writes(x)\nio reads(i) writes(i)\nio reads(i, c) writes(c)\nstop\nstop\nstop\n");
}

#[test]
fn what_is_not_described_is_opaque() {
    for statements in [
        "block\ntype t\ninteger i\nend type\na(1) = 1\nend block",
        "associate (x => some_object%part)\nx = 1\nend associate",
        "sync all",
    ] {
        let out = body("real a(3), b(3)", statements);
        assert!(out.starts_with("opaque "), "{statements}: {out}");
        assert_eq!(out.lines().count(), 1, "{out}");
    }
}

#[test]
fn included_files_may_hold_statements() {
    for (declarations, statements) in [("include 'other.inc'\nx = 1", ""), ("x = 1", "include 'other.inc'")] {
        let out = body(declarations, statements);
        assert!(out.contains("opaque include file not found beside the source"), "{out}");
    }
}

#[test]
fn what_keeps_a_procedure_from_being_touched() {
    for (text, expected) in [
        ("integer, pointer :: f\nf(x) = x + 1\ny = f(2.0)", "a statement function that may be something else"),
        ("test(x) = x + 1\ny = test(2.0)", "a statement function that may be something else"),
        ("!$omp parallel do\ndo i = 1, 2\nend do", "OpenMP directive"),
        ("!dir$ ivdep\n#if 1\ndo i = 1, 2\nend do\n#endif", "hint to a compiler"),
        ("x = 1 !dir$ ivdep\ndo i = 1, 2\nend do", "hint to a compiler"),
        ("x = 1 + &\n!dir$ ivdep\n 2", "hint to a compiler"),
        ("!dec$ attributes c :: test\ndo i = 1, 2\nend do", "compiler directive"),
        (
            "include 'declarations.inc'\nx = 1",
            "include file not found beside the source or in a folder of -I: declarations.inc",
        ),
        ("x = 1\nif (x > 0) then\nentry other\nend if\nx = 2", "an ENTRY statement"),
        (
            "x = 1\nentry other\nx = 2",
            "several entries: what is called by another name begins behind an ENTRY statement",
        ),
        ("integer i; i = 1", "several statements share the line where declarations would go"),
        ("pointer (p, x)\nreal, save :: x\nx = 1", "a Cray pointer"),
        ("type t\ninteger i\nend type\ntype(t) x\npointer (p, x)\nx%i = 1", "a Cray pointer"),
        ("real p\npointer (p, x)\nx = 1", "a Cray pointer"),
        ("x = 1\npointer (p, y)", "a statement that can't be read"),
        ("real x[*]\nx = 1", "a coarray"),
    ] {
        let text = format!("subroutine test\n{text}\nend subroutine\n");
        assert_eq!(obstacle(&text, "test").as_deref(), Some(expected), "{text}");
    }
    for text in [
        "! omp is not used here\nx = 1",
        "real f(3)\nf(i) = 1",
        "f(x) = x + 1\ny = f(2.0)",
        "!$gravel hint\nx = 1",
        "!dir$ noinline\ninteger i\n!dir$ ivdep\ndo i = 1, 2\nend do",
        "x = 1\n!dir$ pgas defer_sync",
        "use mpi; implicit none\ninteger x\nx = 1",
        "pointer (p, x)\nreal x\nx = 1",
        "pointer (p, x(n)), (q, y)\nx(1) = y",
        "real x(10)\npointer (p, x)\nx = 1",
    ] {
        let text = format!("subroutine test\n{text}\nend subroutine\n");
        assert_eq!(obstacle(&text, "test"), None, "{text}");
    }
}

#[test]
fn references_to_statement_functions_are_what_they_compute() {
    // In the order of their operands: the actual arguments, and what the expression names.
    assert_eq!(body("f(x) = c*x + y", "b = f(2*a)"), "b = computed((2*a),((c*computed(computed()))+y))\n");
    assert_eq!(body("f(x) = c*x\ninteger n", "b = f(a)"), "b = computed(a,(c*computed(a)))\n");
    // What the expression calls is called where it is referred to.
    assert_eq!(body("f(x) = g(x)", "b = f(a)"), "b = computed(a,?g(computed(a)))\n");
    // Those before it may be named.
    let two = "f(x) = c*x\ng(y) = f(y) + 1";
    assert_eq!(body(two, "b = g(a)"), "b = computed(a,(computed(computed(a),(c*computed(computed())))+1))\n");
    for declarations in ["f(x) = f(x) + 1", "f(x) = g(x) + g(x)\ng(x) = f(x) + f(x)"] {
        assert!(body(declarations, "b = f(a)").contains("OPAQUE"), "{declarations}");
    }
    // The procedure's own variables are meant, whatever they are called where the reference stands.
    let out = body("real c, d\nf(x) = c*x", "associate (c => d)\nb = f(c)\nend associate");
    assert!(out.contains("computed(d,(c*computed(d)))"), "{out}");
    let implied = body("f(x) = i*x", "print *, (f(b), i = 1, 3)");
    assert!(implied.contains("(i*computed(b))"), "{implied}");
    // An array is none; and a dummy argument hides what has its name.
    assert_eq!(body("real f(3)", "f(i) = 1"), "f[i] = 1\n");
    assert_eq!(
        body("character(3) c\ncharacter c2\nc2(c) = c(2:3)", "b = c2('abc')"),
        "b = computed(lit,computed(lit,2,3))\n"
    );
    // Procedures inside see those of their hosts.
    let text = "subroutine s\nf(x) = y*x\na = f(1.0)\ncontains\nsubroutine t\nb = f(2.0)\nend subroutine\nend subroutine\n\
                real function f(x)\nend function\n";
    assert!(statements_of(text, "t").contains("OPAQUE"), "{}", statements_of(text, "t"));
    let hidden = text.replace("subroutine t\n", "subroutine t\nreal f(3)\n").replace("f(2.0)", "f(2)");
    assert_eq!(statements_of(&hidden, "t"), "b = f[2]\n");
    // Those that name nothing which could be something else there are followed.
    let text = "subroutine s\nreal, parameter :: c = 2\nf(x) = c*max(x, 1.0)\ng(x) = f(x) + 1\ncontains\nsubroutine t\nb = g(a)\n\
                end subroutine\nend subroutine\n";
    let out = statements_of(text, "t");
    assert_eq!(out, "b = computed(a,(computed(computed(a),(c*$max(computed(computed()),lit)))+1))\n");
    for inside in ["real c", "real f", "integer, parameter :: c = 3"] {
        let out = statements_of(&text.replace("subroutine t\n", &format!("subroutine t\n{inside}\n")), "t");
        assert!(out.contains("OPAQUE"), "{inside}: {out}");
    }
}

#[test]
fn formats_are_no_targets_of_jumps() {
    let out = body("", "if (i > 1) write (6, 100) i\n100 format (i3)\nread (5, 100, err=200) i\n200 i = 2");
    assert!(out.contains("#nothing") && out.contains("@i = 2"), "{out}");
}

#[test]
fn hints_to_compilers_belong_to_the_statement_below() {
    let text = "subroutine s(a, n)\nreal a(n)\n!dir$ ivdep\n\n! why\n!gcc$ unroll 4\n10 do i = 1, n\na(i) = i\n!dir$ inline\n\
                if (n > 1) call t(a)\n!dir$ vector\nend do\nx = 1\nend subroutine\n";
    let program = program(text);
    let found = procedure(&program, "s");
    assert_eq!(found.untouchable, None);
    let hints = found.statements.iter().filter_map(|statement| {
        let hint = statement.hint?;
        Some((text[hint..].lines().next()?, text[statement.span.start..].lines().next()?))
    });
    let expected =
        [("!dir$ ivdep", "do i = 1, n"), ("!dir$ inline", "if (n > 1) call t(a)"), ("!dir$ inline", "call t(a)")];
    assert_eq!(hints.collect::<Vec<_>>(), expected);
    // In fixed form, too.
    let text = "      subroutine s(a, n)\n      real a(n)\nCDIR$ IVDEP\n      do i = 1, n\n        a(i) = i\n      end do\n      end\n";
    let program = parse_text(Path::new("test.f"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    let found = procedure(&program, "s");
    assert_eq!(found.untouchable, None);
    assert_eq!(found.statements[0].hint, text.find("CDIR$"));
}

#[test]
fn what_a_parallel_region_calls_runs_on_several_threads() {
    let text = "subroutine a\n!$omp parallel\ncall b\n!$omp end parallel\ncall d\nend subroutine\n\
                subroutine b\ncall mpi_barrier(c(1), ierr)\nend subroutine\nfunction c(i)\nend function\nsubroutine d\nend subroutine\n";
    assert_eq!(obstacle(text, "b").as_deref(), Some("called from a parallel region"));
    assert_eq!(obstacle(text, "c").as_deref(), Some("called from a parallel region"));
    assert_eq!(obstacle(text, "d"), None);
}

#[test]
fn nesting_has_a_limit_that_no_stack_notices() {
    let parentheses = format!("x = {}1{}", "(".repeat(5000), ")".repeat(5000));
    assert!(body("", &parentheses).contains("nests too deeply"));
    let loops = format!("{}x = 1\n{}", "do while (a > 1)\n".repeat(2000), "end do\n".repeat(2000));
    let text = format!("subroutine test\n{loops}end subroutine\n");
    let program = super::program(&text);
    assert!(
        super::dump::statements(&program, &program.procedures[0]).contains("opaque statements that nest too deeply")
    );
}

#[test]
fn undecided_statements_are_a_choice() {
    let text = "subroutine test(a, b)\ninteger a, b\n#ifdef X\na = 1\n#else\nif (b > 1) then\na = 2\nend if\ncall f\n#endif\nb = 2\n\
                end subroutine\n";
    let program = program(text);
    assert_eq!(program.files[0].unread, []);
    let test = procedure(&program, "test");
    assert_eq!(test.untouchable, None);
    assert_eq!(test.body.len(), 2);
    let choice = test.statement(test.body[0]);
    let StatementKind::Select { selectors, cases } = &choice.kind else { panic!("{:?}", choice.kind) };
    assert!(selectors.is_empty());
    assert_eq!(cases.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
    assert!(program.text(choice.span).starts_with("#ifdef X") && program.text(choice.span).ends_with("#endif"));
    // Declarations go in front of the region.
    assert_eq!(text[test.anchors.declarations..].lines().next(), Some("#ifdef X"));
}

#[test]
fn the_end_of_an_object_calls_finalisers_where_there_are_some() {
    let body = |definition: &str, statement: &str| {
        let text = format!(
            "module kinds\nimplicit none\ntype :: one\nreal, allocatable :: u(:)\n{definition}\nend type\n\
             interface operator(+)\nprocedure added\nend interface\ncontains\n\
             function added(a, b)\ntype(one), intent(in) :: a, b\ntype(one) :: added\nend function\n\
             subroutine done(a)\ntype(one), intent(inout) :: a\nend subroutine\n\
             subroutine put(a, unit, kind, list, status, message)\nclass(one), intent(in) :: a\n\
             integer, intent(in) :: unit, list(:)\ncharacter(*), intent(in) :: kind\ninteger, intent(out) :: status\n\
             character(*), intent(inout) :: message\nend subroutine\n\
             subroutine test\ntype(one), pointer :: p\n{statement}\nend subroutine\nend module\n"
        );
        statements_of(&text, "test")
    };
    let is_opaque = |definition: &str, statement: &str| body(definition, statement).contains("opaque");
    assert!(!is_opaque("", "deallocate (p)"), "operators are no finalisers");
    assert!(is_opaque("contains\nfinal :: done", "deallocate (p)"));
    assert!(!is_opaque("contains\nfinal :: done", "nullify (p)"), "nothing ends");
    assert!(!is_opaque("", "write (*, *) p%u"));
    assert!(!is_opaque("contains\nfinal :: done", "print *, p%u"));
    assert!(is_opaque("contains\nprocedure :: put\ngeneric :: write(formatted) => put", "print *, p"));
}
