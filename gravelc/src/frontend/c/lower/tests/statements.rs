//! Each form of statement and of expression.

use super::super::library::is_of_linear_algebra;
use super::{lowered, program};

/// What a function of these parameters with this body is.
fn body(parameters: &str, text: &str) -> String {
    lowered(&format!("extern int g(int), limit; extern double field[100];\nvoid f({parameters})\n{{\n{text}\n}}\n"))
}

#[test]
fn arithmetic_is_described_where_it_is_exact() {
    assert_eq!(body("int a, int b", "a = b + 2 * a - 1;"), "a = ((b+(2*a))-1)\n");
    assert_eq!(body("unsigned a, unsigned b", "a = b + 1;"), "a = computed(b,1)\n");
    assert_eq!(body("short a, int b", "a = b + 1;"), "a = computed((b+1))\n");
    assert_eq!(body("long a, int b", "a = b / 2 % 3;"), "a = $mod((b/2),3)\n");
    assert_eq!(body("long a, unsigned b", "a = b;"), "a = b\n");
    assert_eq!(body("long a, unsigned long b", "a = b;"), "a = computed(b)\n");
    assert_eq!(body("double a, int b", "a = b / 2 * 0.5;"), "a = ($real((b/2))*lit)\n");
    assert_eq!(body("int a, double b", "a = b;"), "a = computed(b)\n");
    assert_eq!(body("unsigned long a", "a = sizeof(double) * 4;"), "a = 32\n");
    assert_eq!(body("int a, int b", "a = b << 1 | 3;"), "a = computed(computed(b,1),3)\n");
    assert_eq!(body("int a, int b", "a = -b; a = !b; a = ~b;"), "a = -(b)\na = computed(!((b/=0)))\na = computed(b)\n");
}

#[test]
fn stores_in_expressions_become_statements_in_order() {
    assert_eq!(body("double *p, int n, double x", "p[n++] = x;"), ";*p[n] = x\n;n = (n+1)\n");
    assert_eq!(body("double *p, int n, double x", "p[++n] = x;"), ";n = (n+1)\n;*p[n] = x\n");
    assert_eq!(body("int a, int b", "a = b = 3;"), ";b = 3\n;a = b\n");
    assert_eq!(body("int a, int b", "a = 1, b++;"), ";a = 1\n;b = (b+1)\n");
    assert_eq!(body("int a", "a += 2; a -= a; a *= 3;"), "a = (a+2)\na = (a-a)\na = (a*3)\n");
    // What is named twice has no order.
    let unsequenced = body("int *p, int n", "p[n] = n++;");
    assert!(unsequenced.contains("OPAQUE"), "{unsequenced}");
    // Others may see the variable.
    assert!(body("int *p", "static int n; p[n++] = g(1);").contains("OPAQUE"));
    // No function runs: that one object is read and stored would be undefined.
    assert_eq!(
        body("int *p, int n", "int *q = &n; p[n++] = q[1];"),
        ";q = computed()\n;lifetime(*q) reads()\n;(value 4) = n\n;n = ((value 4)+1)\n;*p[(value 4)] = *q[1]\n"
    );
    assert!(body("int *p, int n", "int *q = &n; p[n++] = n;").contains("OPAQUE"));
    assert_eq!(body("int *p, int *q, int n", "p[n] = q[n] += 2;"), ";*q[n] = (*q[n]+2)\n;*p[n] = *q[n]\n");
    assert_eq!(
        body("int *p, int **q, int n", "p[n] = q[n][1] = 2;"),
        ";(value 3) = 2\n;*q[n]%{*q[n],1} = (value 3)\n;*p[n] = (value 3)\n"
    );
    assert_eq!(body("int *p, int n", "n += *p++;"), ";n = (n+*p[0])\n;p = computed(p)\n;lifetime(*p) reads()\n");
    assert_eq!(body("int n, int m", "n = (m = g(n)) + 1;"), ";m = ?g((n))\n;n = (m+1)\n");
    // The call may come before the memory is read, or behind.
    assert!(body("int *p, int m", "m = (m = *p) + g(1);").contains("OPAQUE"));
    assert!(body("int *p, int n, int m", "n = (m = g(1)) + *p;").contains("OPAQUE"));
    assert!(body("int *p, int n", "n = (*p = 1) + g(1);").contains("OPAQUE"));
    // A function of numbers reads no memory.
    assert!(!body("double *p, double x", "extern double fabs(double); x = (*p = 1) + (x > 2);").contains("OPAQUE"));
}

/// A function has returned before its value is stored; what `malloc` gives was nobody's.
#[test]
fn stores_come_behind_the_calls_that_give_their_values() {
    let found = body("char *q", "extern char *strchr(const char *, int); q = strchr(++q, 61);");
    assert!(!found.to_lowercase().contains("opaque"), "{found}");
    assert!(found.find("q = computed(q)") < found.find("?strchr"), "{found}");
    // Here the two stores have no order, and here the variable is read beside the step.
    for text in ["q = ++q;", "q = strchr(q, 61) + (++q == 0);"] {
        let found = body("char *q", &format!("extern char *strchr(const char *, int); {text}"));
        assert!(found.contains("OPAQUE"), "{text}: {found}");
    }
    let lists = "#include <stdlib.h>\nstruct list { int *site[4]; };\n\
                 void f(struct list *p, int n) { p->site[0] = p->site[3] = malloc(n); }\n";
    let found = lowered(lists);
    assert!(!found.to_lowercase().contains("opaque"), "{found}");
    // A function of the program's changes what is stored there, and may change where that is.
    let by_function = lists.replace("malloc(n)", "h(n)").replace("void f", "int *h(int);\nvoid f");
    assert!(!lowered(&by_function).contains("OPAQUE"));
    let read_for_it = by_function.replace("p->site[0] =", "*p->at =").replace("{ int *", "{ int **at, *");
    assert!(lowered(&read_for_it).contains("OPAQUE"));
}

/// `isnan(x)` is known by its operand alone, `__builtin_constant_p(x)` is not.
#[test]
fn builtins_that_test_are_values() {
    let mathematics =
        |text: &str| lowered(&format!("#include <math.h>\nvoid f(double x, float y, int n) {{ {text} }}\n"));
    assert_eq!(mathematics("n = isnan(x);"), "n = computed(x)\n");
    assert_eq!(mathematics("if (!isfinite(x) || signbit(y)) n = isinf(x);").lines().count(), 3);
    assert!(mathematics("n = __builtin_constant_p(x);").contains("OPAQUE"));
}

#[test]
fn members_of_what_a_function_returns_are_values() {
    let text = "struct number { double real, parts[2]; };\nstruct number sum(double *);\n\
                void f(double *p, int i, double x) { x = (sum(p)).real; x = sum(p).parts[i]; }\n";
    let found = lowered(text);
    assert!(!found.to_lowercase().contains("opaque"), "{found}");
    assert!(found.starts_with("x = computed(?sum("), "{found}");
}

#[test]
fn what_perhaps_is_evaluated_is_in_branches() {
    assert_eq!(
        body("int n, int m", "if (m && (n = g(m)) < 3) m = 1;"),
        ";(code 2) = 0\n;if\n ? (m/=0)\n  ;n = ?g((m))\n  ;if\n   ? (n<3)\n    ;(code 2) = 1\n;if\n ? ((code 2)/=0)\n  m = 1\n"
    );
    assert_eq!(
        body("int n, int m, int k", "n = m > 2 ? (m = 1) : k++;"),
        ";if\n ? (m>2)\n  ;m = 1\n  ;(value 3) = m\n else\n  ;k = (k+1)\n  ;(value 3) = (k-1)\n;n = (value 3)\n"
    );
    assert!(body("int n, int m", "n = m > 2 ? (m = 1) : n++;").contains("OPAQUE"));
    assert_eq!(body("int n, int m", "n = (m++, m) + 1;"), ";m = (m+1)\n;n = (m+1)\n");
    assert_eq!(
        body("int n, int m", "while (n-- > 0 || (m = g(n)) > 1) g(m);"),
        "while \n  ;n = (n-1)\n  ;(code 2) = 1\n  ;if\n   ? !(((n+1)>0))\n    ;m = ?g((n))\n    ;if\n     ? !((m>1))\n      ;(code 2) = 0\n  \
         ;if\n   ? !(((code 2)/=0))\n    ;exit known\n  call ?g((m))\n"
    );
    // The step of one that is named once does not come behind what may not be evaluated.
    assert_eq!(
        body("int n, int m, int *p", "p[0] = m && p[n++];"),
        ";(code 3) = 0\n;if\n ? (m/=0)\n  ;n = (n+1)\n  ;if\n   ? (*p[(n-1)]/=0)\n    ;(code 3) = 1\n;*p[0] = computed(((code 3)/=0))\n"
    );
    // A pointer that is stored on the way leads to what it leads to then.
    assert_eq!(
        body("struct s { int n; } *p, struct s *q", "if ((p = q + 1)->n > 2 && p->n < 5) g(1);"),
        ";p = computed(q,1)\n;lifetime(*p) reads()\n;if\n ? ((*p%{0}>2)&(*p%{0}<5))\n  call ?g(1)\n"
    );
    // A bit-field keeps some bits, and an assertion may not be there.
    let bits = body("struct s { int b : 3; } **p, int n, int m", "if ((p[n][1].b = m) > 8) g(1);");
    assert!(bits.contains("computed((value"), "{bits}");
    let asserted = lowered("#include <assert.h>\nvoid f(int n) { assert(n++ < 5); (assert(n--), n = 2); }\n");
    assert!(asserted.starts_with(";if\n ? computed()\n  ;n = (n+1)\n"), "{asserted}");
    // GNU's `a ?: b` is not taken apart.
    assert!(body("int n, int m", "n = m ?: (m = 2);").contains("OPAQUE"));
}

#[test]
fn a_pointer_that_moves_leads_to_something_else() {
    assert_eq!(
        body("double *p, double *q", "p = q + 2; *p = 1.0;"),
        ";p = computed(q,2)\n;lifetime(*p) reads()\n*p[0] = lit\n"
    );
    assert_eq!(body("double *p, double x", "*p++ = x;"), ";*p[0] = x\n;p = computed(p)\n;lifetime(*p) reads()\n");
    // Its address is taken: where it leads is not followed.
    let escaping = body("double *p, double **t", "t = &p; *p = 1.0;");
    assert!(escaping.ends_with("*p%{p} = lit\n"), "{escaping}");
}

#[test]
fn arrays_of_arrays_have_their_last_subscript_first() {
    let text = "double a[3][4]; a[i][j] = a[0][1]; *(a[i] + j) = 2.0;";
    assert_eq!(body("int i, int j", text), "a[j,i] = a[1,0]\na[j,i] = lit\n");
    assert_eq!(body("double (*p)[8], int i, int j", "p[i][j] = 1.0;"), "*p[j,i] = lit\n");
    assert_eq!(body("double **p, int i, int j", "p[i][j] = 1.0;"), "*p[i]%{*p[i],j} = lit\n");
}

#[test]
fn members_are_parts() {
    let text = "struct s { int n; double x[4]; } v, *w = &v; int i = 0; v.n = 1; w->x[i] = 2.0; v.x[2] = w->n;";
    let out = body("", text);
    assert!(out.contains("v%{} = 1\n"), "{out}");
    assert!(out.contains("*w%{0,i} = lit\n"), "{out}");
    assert!(out.contains("v%{2} = *w%{0}\n") || out.contains("v%{2} = $real(*w%{0})\n"), "{out}");
}

#[test]
fn loops_that_count_have_a_count() {
    let counts = |text: &str| body("int n, double *p, unsigned long m, short s, long k", text);
    for (head, count) in [
        ("int i = 0; i < n; i++", "do i = 0, (n-1)\n"),
        ("int i = 1; i <= n; i += 2", "do i = 1, n, 2\n"),
        ("int i = n - 1; i >= 0; --i", "do i = (n-1), 0, -1\n"),
        ("int i = n; i > 3; i = i - 1", "do i = n, 4, -1\n"),
        ("long i = 0; n > i; i++", "do i = 0, (n-1)\n"),
        ("unsigned long i = 0; i < m; i++", "do i = 0, (m-1)\n"),
    ] {
        let out = counts(&format!("for ({head}) p[i] = 0;"));
        assert!(out.starts_with(count), "{head}: {out}");
    }
    for head in [
        "int i = 0; i != n; i++",
        "int i = 0; i < n; i--",
        "int i = 0; i < m; i++",
        "short i = 0; i < n; i++",
        "unsigned i = 0; i < m; i++",
        "unsigned long i = 0; i <= m; i++",
        "unsigned long i = m; i > 0; i--",
        "int i = 0; i < g(n); i++",
        "int i = 0; i < i + n; i++",
        "int i = 0; i < n; s++",
    ] {
        let out = counts(&format!("for ({head}) p[i] = 0;"));
        assert!(!out.contains("do "), "{head}: {out}");
    }
    for body in ["i = 3;", "p[i++] = 0;", "int *q = &i;", "there: p[i] = 0;"] {
        let out = counts(&format!("for (int i = 0; i < n; i++) {{ {body} }}"));
        assert!(!out.contains("do "), "{body}: {out}");
    }
}

#[test]
fn other_loops_go_on_while_something_holds() {
    assert_eq!(body("int n", "while (n > 0) n = n / 2;"), "while (n>0)\n  n = (n/2)\n");
    assert_eq!(
        body("int n", "while (n-- > 0) g(n);"),
        "while \n  ;n = (n-1)\n  ;if\n   ? !(((n+1)>0))\n    ;exit known\n  call ?g((n))\n"
    );
    assert_eq!(
        body("int n", "do { if (n == 2) continue; g(n); } while (n < 5);"),
        "while \n  scope [] \n    if\n     ? (n==2)\n      exit known\n    call ?g((n))\n  ;if\n   ? !((n<5))\n    ;exit known\n"
    );
    assert_eq!(body("int n", "do g(n); while (0);"), "call ?g((n))\n");
    assert_eq!(
        body("int n", "do { if (n) break; g(n); } while (0);"),
        "scope [] \n  if\n   ? (n/=0)\n    exit known\n  call ?g((n))\n"
    );
    assert_eq!(
        body("int n, int i", "for (i = 0; i != n; i++) { if (g(i)) continue; n = i; }"),
        ";i = 0\nwhile (i/=n)\n  scope [] \n    if\n     ? (?g((i))/=0)\n      exit known\n    n = i\n  ;i = (i+1)\n"
    );
}

#[test]
fn switches_are_selections_or_jumps() {
    assert_eq!(
        body("int n", "switch (n) { case 1: case 2: g(1); break; default: g(2); return; }"),
        "select n\n case\n  call ?g(1)\n case\n  call ?g(2)\n  return\n"
    );
    let leaving = body("int n", "switch (n) { case 1: if (n > 2) break; g(1); break; }");
    assert_eq!(leaving, "scope [] \n  select n\n   case\n    if\n     ? (n>2)\n      exit known\n    call ?g(1)\n");
    let falling = body("int n", "switch (n) { case 1: g(1); default: g(2); }");
    assert!(
        falling.contains("jump\n") && falling.contains("@;call ?g(1)\n") && falling.contains("@;call ?g(2)\n"),
        "{falling}"
    );
}

#[test]
fn jumps_are_jumps() {
    assert_eq!(body("int n", "again: n--; if (n) goto again;"), "@;n = (n-1)\nif\n ? (n/=0)\n  jump\n");
    assert_eq!(body("int n", "goto end; end: ;"), "jump\n@;nothing\n");
}

#[test]
fn calls_hand_over_values() {
    assert_eq!(body("int n, double *p", "n = g(n);"), "n = ?g((n))\n");
    assert_eq!(body("int n, int (*h)(int)", "n = h(n);"), "n = ?pointer to a function((h),(n))\n");
    assert_eq!(body("double x", "extern double sqrt(double); x = sqrt(x);"), "x = ?sqrt((x))\n");
    let with_header = lowered(
        "#include <math.h>\n#include <stdlib.h>\n#include <stdio.h>\nvoid f(double x, double *p)\n{ x = sqrt(x); p = malloc(8); free(p); printf(\"%g\\n\", x); srand(1); exit(3); }\n",
    );
    assert_eq!(
        with_header,
        "x = $sqrt((x))\n;p = computed(computed(8))\n;lifetime(*p) reads()\nlifetime(*p) reads()\n\
         io reads(computed(lit), (x)) writes()\ncall ?<c>::srand(1)\nstop\n"
    );
}

/// Only what they are made of is evaluated.
#[test]
fn objects_without_a_name_are_some_memory() {
    assert_eq!(body("int n", "extern void h(int *); h((int[]){n, 2});"), "call ?h(computed(n,2))\n");
    let read = body("int n", "n = (int[]){n, 2}[1];");
    assert!(read.contains("computed(n,2)") && !read.contains("opaque"), "{read}");
    let made = "#include <mpi.h>\nvoid f(int n, MPI_Datatype *t)\n{\n\
                MPI_Type_indexed(2, (int[]){1, n}, (int[]){0, 4}, MPI_INT, t);\n}\n";
    let made = lowered(made);
    assert!(!made.to_lowercase().contains("opaque"), "{made}");
}

#[test]
fn conditions_with_effects_are_branches() {
    assert_eq!(body("int n", "n > 1 && g(n);"), ";if\n ? (n>1)\n  ;call ?g((n))\n");
    assert_eq!(body("int n", "n ? g(1) : g(2);"), ";if\n ? (n/=0)\n  ;call ?g(1)\n else\n  ;call ?g(2)\n");
    assert_eq!(body("int n, int m", "if ((n = g(m)) < 3) m = 1;"), ";n = ?g((m))\n;if\n ? (n<3)\n  m = 1\n");
}

#[test]
fn blocks_with_names_are_scopes() {
    assert_eq!(body("int n", "{ int k = n; g(k); } { n = 2; }"), "scope [k] \n  k = n\n  call ?g((k))\nn = 2\n");
}

#[test]
fn what_is_not_followed_is_opaque() {
    for text in ["asm volatile(\"\" ::: \"memory\");", "n = ({ int k = g(n); k + 1; });", "*(volatile int *)p = 1;"] {
        let out = body("int n, double *p", text);
        assert!(out.contains("opaque") || out.contains("OPAQUE"), "{text}: {out}");
    }
    let hole = lowered("void f(int n) { n = 1; n = = 2; n = 3; }\n");
    assert!(hole.contains("opaque text that is not C"), "{hole}");
}

#[test]
fn lists_of_arguments_are_variables_that_change() {
    let text = "#include <stdarg.h>\nvoid f(int n, ...)\n{\nva_list list; int i; long x;\nva_start(list, n);\ni = va_arg(list, int);\n\
                x = va_arg(list, long) + i;\nva_end(list);\n}\n";
    let expected = "list = computed(n)\n;list = computed(list)\n;i = computed(list)\n;list = computed(list)\n\
                    ;x = (computed(list)+i)\nlist = computed()\n";
    assert_eq!(lowered(text), expected);
}

#[test]
fn stores_inside_of_stored_values_come_first() {
    let text = "void f(int m, int ibuf)\n{\nint a, b, c;\na = m - (b = ibuf - (c = ibuf / m) * m);\n}\n";
    let out = lowered(text);
    let targets: Vec<&str> = out.lines().filter_map(|line| line.trim_start_matches(';').split(" = ").next()).collect();
    assert_eq!(targets, ["c", "b", "a"], "{out}");
    // The order of two stores to one variable is not C's.
    assert!(lowered(&text.replace("(c =", "(b =")).contains("OPAQUE"));
}

#[test]
fn what_the_library_calls_back_is_called() {
    let in_program = |define: &str, call: &str| {
        lowered(&format!(
            "#include <stdlib.h>\nstruct e {{ int n; }};\nstatic int by(const void *a, const void *b) {{ return 0; }}\n{define}\n\
             void f(struct e *v, int n, int (*other)(const void *, const void *)) {{ {call} }}"
        ))
    };
    let arguments = "computed(v),computed(n),4,computed()";
    let called = |name: &str, arguments: &str| {
        format!("computed(p0(computed({arguments}),computed({arguments})),?<c>::{name}({arguments}))")
    };
    let sorting = "qsort(v, n, sizeof *v, by);";
    assert_eq!(in_program("", sorting), format!("if\n ? ({})\n", called("qsort", arguments)));
    let found = in_program("", "v = bsearch(v, v, n, sizeof *v, by);");
    let expected = called("bsearch", &format!("computed(v),{arguments}"));
    assert!(found.starts_with(&format!(";v = computed({expected})\n")), "{found}");
    // Not known, or the program's own.
    let other = in_program("", "qsort(v, n, sizeof *v, other);");
    assert_eq!(other, "call ?qsort(computed(v), computed(n), 4, (other))\n");
    let own = "void qsort(void *v, size_t n, size_t s, int (*by)(const void *, const void *)) { }";
    assert_eq!(in_program(own, sorting), "call qsort(computed(v), computed(n), 4, computed())\n");
}

#[test]
fn linear_algebra_is_a_library() {
    let functions = "extern int cblas_idamax(int, const double *, int), dgemm_(int), g_(int); extern double x;";
    let all =
        body("struct s { int n; } *v, int n, int m", &format!("{functions} n = v->n + (m = cblas_idamax(3, &x, 1));"));
    assert_eq!(all, ";m = ?<c>::cblas_idamax(3,computed(computed()),1)\n;n = (*v%{0}+m)\n");
    // Others may store what is read beside.
    let others = body("struct s { int n; } *v, int n, int m", &format!("{functions} n = v->n + (m = g_(3));"));
    assert!(others.contains("OPAQUE"), "{others}");
    let calls = body("int n", &format!("{functions} dgemm_(n); g_(n);"));
    assert_eq!(calls, "call ?<c>::dgemm_((n))\ncall ?g_((n))\n");
    // Beside Fortran, `dgemm_` may be a procedure of the program.
    let are_known = ["dgemm_", "cblas_dgemm"].map(|name| is_of_linear_algebra(name, false));
    assert_eq!(are_known, [false, true]);
}

#[test]
fn handlers_of_signals_that_store_flags_are_quiet() {
    let is_quiet = |handler: &str, body: &str| {
        let all = lowered(&format!(
            "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
             static volatile int flag; static int other, *pointer; static char *volatile text; extern int elsewhere(int);\n\
             static volatile struct {{ char *p; int n; }} held; static void h(int n) {{ {body} }}\nvoid f(void (*given)(int)) {{ signal(SIGTERM, {handler}); }}"
        ));
        all.contains("?<c>::signal(")
    };
    assert!(is_quiet("SIG_IGN", "") && is_quiet("SIG_DFL", "") && !is_quiet("given", ""));
    for body in [
        "",
        "flag = n;",
        "flag++; signal(n, h);",
        "int k = n; if (k) exit(1);",
        "fprintf(stderr, \"%d\\n\", n); abort();",
        "held.n = n; if (held.n > flag) flag = held.n;",
    ] {
        assert!(is_quiet("h", body), "{body}");
    }
    for body in [
        "other = n;",
        "flag = other;",
        "*pointer = n;",
        "elsewhere(n);",
        "raise(n);",
        "pointer[0]++;",
        "free(pointer);",
    ] {
        assert!(!is_quiet("h", body), "{body}");
    }
}

#[test]
fn functions_that_are_built_in_are_those_of_the_library() {
    for (text, expected) in [
        ("n = __builtin_popcount(m);", "n = $__builtin_popcount("),
        ("n = __builtin_expect(m, 1);", "$__builtin_expect("),
        ("__builtin_memset(p, 0, 8);", "call ?<c>::__builtin_memset("),
        ("__builtin_abort();", "stop"),
    ] {
        let out = lowered(&format!("void f(int n, unsigned m, char *p) {{ {text} }}"));
        assert!(out.contains(expected), "{text}: {out}");
    }
    // It checks a size, too, and has another argument for that.
    let out = lowered("void f(char *p) { __builtin___memset_chk(p, 0, 8, 9); }");
    assert!(out.contains("?__builtin___memset_chk("), "{out}");
}

#[test]
fn an_object_of_an_expression_has_the_values_that_it_is_made_of() {
    let out = lowered("typedef struct { int a, b; } pair; void f(pair p, int n) { p = (pair){1, n}; }");
    assert_eq!(out, "p = computed(1,n)\n");
}

#[test]
fn a_macro_may_make_what_stands_in_front_of_a_function() {
    let is_kept = |text: &str| {
        let program = program(text);
        program.procedures[0].untouchable.is_some()
    };
    assert!(!is_kept("#define API static __attribute__((unused))\nAPI int f(int n) { return n; }\n"));
    assert!(!is_kept("#define API(type) extern type\nAPI(int) f(int n) { return n; }\n"));
    assert!(is_kept("#define BODY { return n; }\nint f(int n) BODY\n"));
}

#[test]
fn what_nothing_declares_is_named() {
    let unread = |text: &str| {
        let whole = format!("struct s {{ int a; }};\nvoid f(struct s q, int n) {{ {text} }}\n");
        let program = program(&whole);
        let all = program.procedures.iter().flat_map(|procedure| &procedure.statements);
        format!("{:?}", all.map(|statement| &statement.kind).collect::<Vec<_>>())
    };
    let missing = "which nothing declares (a macro or a header is missing)";
    assert!(unread("n = 1 + MISSING * 2;").contains(&format!("`MISSING`, {missing}")));
    assert!(unread("q.b = 3;").contains("`q.b`, a member that nothing"));
    assert!(unread("n = __builtin_other(n,\n n);").contains("`__builtin_other(n, n)`, a builtin function"));
}

#[test]
fn names_change_where_declarations_hide_some_and_macros_are_defined() {
    let around = |text: &str| body("int a, int k", &format!("a = 1;\n{text}\na = 2;"));
    // A new name of an object: what a text names is known.
    assert_eq!(around("int b;"), "a = 1\na = 2\n");
    assert_eq!(around("int b = 3;"), "a = 1\nb = 3\na = 2\n");
    assert_eq!(around("int f2(int limit);").matches('~').count(), 1);
    for changing in [
        "int limit;",
        "extern int a2, limit2(int);",
        "enum { three = 3 };",
        "enum kind { four = 4 };",
        "struct pair { int of; };",
        "typedef int number;",
        "#define K k",
        "# undef K",
        "#include \"body.inc\"",
        "#pragma push_macro(\"K\")",
        "%:define K k",
    ] {
        assert_eq!(around(changing).lines().filter(|line| line.starts_with('~')).count(), 1, "{changing}");
    }
    for unchanging in ["#ifdef K", "#if 0", "# ifndef J"] {
        let text = around(&format!("{unchanging}\n#endif"));
        assert!(!text.contains('~'), "{unchanging}: {text}");
    }
    assert!(!around("#pragma omp barrier").contains('~'));
    // What is passed as a whole changes names for those who pass it.
    assert_eq!(around("{ int limit; k = limit; }"), "a = 1\nscope [limit] \n  k = limit\na = 2\n");
    assert_eq!(around("int limit = 3, b = 4;"), "a = 1\n~;limit = 3\n~;b = 4\na = 2\n");
    assert!(around("if (k) {\n#define K k\n k = 3;\n}").contains("\n~if\n"));
    assert!(around("if (k) {\n k = 3;\n#define K k\n}").contains("\n~if\n"));
    assert!(around("if (k) {\n k = 3;\n#define K k\n k = 4;\n}").contains("\n  ~"));
}
