//! What pointers lead to: by hand, and compared with where they led when programs ran.

mod library;
mod random;

use std::collections::BTreeMap;
use std::path::Path;

use super::{Assumptions, PointsTo};
use crate::frontend::FrontendOptions;
use crate::frontend::c::lower::configuration_of;
use crate::frontend::c::preprocess::Disk;
use crate::frontend::c::translation_unit::TranslationUnit;
use crate::frontend::c::unit::{Operation, Unit};
use crate::ir::MemoryObjects;

/// Reads units, each a text of its own, and hands them to `look`, with their texts as they are read.
fn with_units<R: Send>(texts: &[&str], look: impl FnOnce(&[&Unit], &[&[u8]]) -> R + Send) -> R {
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(64 << 20);
        let reader = reader.spawn_scoped(scope, || {
            let path = Path::new("test.c");
            let configuration = configuration_of(path, &FrontendOptions::default()).expect("any compiler will do");
            let read = |text: &&str| {
                TranslationUnit::read(path, text.as_bytes().to_vec(), &configuration, &Disk).expect("it is read")
            };
            let all: Vec<TranslationUnit> = texts.iter().map(read).collect();
            let units: Vec<&Unit> = all.iter().map(|one| &one.unit).collect();
            units.iter().for_each(|unit| assert!(unit.holes.is_empty(), "{:?}", unit.holes));
            let texts: Vec<&[u8]> = all.iter().map(|one| one.expansion.text()).collect();
            look(&units, &texts)
        });
        reader.expect("a thread").join().expect("no panic")
    })
}

/// What the second arguments of calls `check(number, pointer)` lead to, by the number.
fn checked(texts: &[&str]) -> BTreeMap<i128, Option<MemoryObjects>> {
    with_units(texts, |units, texts| {
        let points = PointsTo::of(units, texts, Assumptions { is_whole: true, keeps_types: true });
        let mut found = BTreeMap::new();
        for (number, unit) in units.iter().enumerate() {
            for expression in &unit.expressions {
                let Operation::Call { callee, arguments } = &expression.operation else { continue };
                let named = unit.function_named(*callee).and_then(|it| unit.symbol(it).name);
                let Some(name) = named else { continue };
                if unit.names.text(name) != "check" {
                    continue;
                }
                let Operation::Integer(id) = unit.expression(arguments[0]).operation else { panic!("not a number") };
                found.insert(id, points.unit(number).behind(arguments[1]).cloned());
            }
        }
        found
    })
}

/// May what is checked under both numbers be in one object?
fn may_meet(found: &BTreeMap<i128, Option<MemoryObjects>>, one: i128, other: i128) -> bool {
    match (&found[&one], &found[&other]) {
        (Some(one), Some(other)) => one.may_meet(other),
        _ => true,
    }
}

const HEAD: &str =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nstatic void check(int id, const void *p) { }\n";

/// Which of these pairs may be in one object.
fn meetings(body: &str, pairs: &[(i128, i128)]) -> Vec<bool> {
    let found = checked(&[&format!("{HEAD}{body}")]);
    pairs.iter().map(|&(one, other)| may_meet(&found, one, other)).collect()
}

#[test]
fn places_of_allocation_are_apart() {
    let body = "int main(void) { double *a = malloc(8), *b = malloc(8), *c = a + 3, *d;\n\
                d = c == a ? b : a; check(1, a); check(2, b); check(3, c); check(4, d); return 0; }";
    assert_eq!(meetings(body, &[(1, 2), (1, 3), (2, 3), (1, 4), (2, 4)]), [false, true, false, true, true]);
}

#[test]
fn an_allocator_of_the_program_gives_another_object_to_each_call() {
    let body = "static void *get(size_t n) { void *p = malloc(n); if (!p) exit(1); return p; }\n\
                static double **table(int n, int m) { double **t = get(n * sizeof *t); int i; t[0] = get(n * m * 8);\n\
                for (i = 1; i < n; i++) t[i] = t[i - 1] + m; return t; }\n\
                int main(void) { double *a = get(8), *b = get(8), **s = table(3, 4), **t = table(5, 6);\n\
                check(1, a); check(2, b); check(3, s[1]); check(4, t[2]); check(5, s); check(6, &s[2][1]); return 0; }";
    let pairs = [(1, 2), (3, 4), (3, 5), (1, 3), (3, 6), (4, 6)];
    assert_eq!(meetings(body, &pairs), [false, false, false, false, true, false]);
}

#[test]
fn members_are_apart_and_elements_are_not() {
    let body = "struct g { int n; double *s, *r; double *v[3]; };\n\
                int main(void) { struct g *g = malloc(sizeof *g), h, k; int i;\n\
                g->s = malloc(8); g->r = malloc(8); for (i = 0; i < 3; i++) g->v[i] = malloc(8);\n\
                h = *g; memcpy(&k, &h, sizeof k); h.s = NULL;\n\
                check(1, g->s); check(2, g->r); check(3, g->v[0]); check(4, g->v[i]); check(5, h.r); check(6, k.s);\n\
                check(7, g); check(8, &g->n); check(9, h.v[2]); return 0; }";
    let pairs = [(1, 2), (2, 3), (3, 4), (2, 5), (1, 5), (1, 6), (2, 6), (1, 7), (7, 8), (4, 9)];
    let expected = [false, false, true, true, false, true, false, false, true, true];
    assert_eq!(meetings(body, &pairs), expected);
}

#[test]
fn a_structure_with_handles_has_members_that_are_apart() {
    let body = "#include <mpi.h>\nstruct g { MPI_Request rq[2]; int n; double *s, *r; };\n\
                static struct g *make(void) { struct g *g = malloc(sizeof *g); g->s = malloc(8); g->r = malloc(8); return g; }\n\
                int main(void) { struct g *g = make();\n\
                MPI_Irecv(g->r, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &g->rq[0]);\n\
                MPI_Send(g->s, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); MPI_Wait(g->rq, MPI_STATUS_IGNORE);\n\
                check(1, g->s); check(2, g->r); check(3, g); return 0; }";
    assert_eq!(meetings(body, &[(1, 2), (1, 3), (2, 3)]), [false, false, false]);
}

#[test]
fn casts_and_bytes_and_integers_are_followed_or_known_not_to_be() {
    let body = "union u { int *p; long l; double *q; };\nstruct s { char tag[8]; int *p; };\n\
                int main(void) { int *a = malloc(4), *b = malloc(4), *c, *d, *e, *f; union u u; long n; struct s s, t; size_t i;\n\
                u.l = (long)a; c = u.p; n = (long)b; d = (int *)n; s.p = malloc(4);\n\
                for (i = 0; i < sizeof s; i++) ((char *)&t)[i] = ((char *)&s)[i];\n\
                e = *(int **)((char *)&s + 8); f = t.p;\n\
                check(1, a); check(2, b); check(3, c); check(4, d); check(5, s.p); check(6, e); check(7, f); return 0; }";
    let pairs = [(1, 3), (2, 4), (1, 2), (5, 6), (5, 7)];
    assert_eq!(meetings(body, &pairs), [true, true, false, true, true]);
}

#[test]
fn calls_by_pointer_and_from_outside() {
    let body = "static int *keep; static int compare(const void *a, const void *b) { keep = (int *)a; return 0; }\n\
                static int *same(int *p) { return p; } static int *other(int *p) { static int x; return &x; }\n\
                int main(int argc, char **argv) { int *a = malloc(4), *b = malloc(4), v[9], *(*f)(int *) = argc > 1 ? same : other;\n\
                qsort(v, 9, sizeof *v, compare);\n\
                check(1, a); check(2, f(a)); check(3, keep); check(4, v); check(5, b); return 0; }";
    assert_eq!(meetings(body, &[(1, 2), (3, 4), (3, 5), (2, 5), (4, 5)]), [true, true, false, false, false]);
}

#[test]
fn other_units_may_call_what_has_a_name_there() {
    let text = |rest: &str| {
        format!("{HEAD}void other(void); void f(double *a, double *b) {{ check(1, a); check(2, b); }}\n{rest}")
    };
    let open = checked(&[&text("int main(void) { other(); return 0; }")]);
    assert!(may_meet(&open, 1, 2));
    let variable = checked(&[&text("extern int level; int main(void) { return level; }")]);
    assert!(may_meet(&variable, 1, 2));
    let main = "int main(void) { double x, y; f(&x, &y); return stdout == NULL; }";
    assert!(!may_meet(&checked(&[&text(main)]), 1, 2));
    let second = "void f(double *a, double *b); double z; void other(void) { f(&z, &z); }";
    let both = checked(&[&text("int main(void) { other(); return 0; }"), second]);
    assert!(may_meet(&both, 1, 2));
    // What is given is all of it.
    let second = "void f(double *a, double *b); double z, u; void other(void) { f(&z, &u); }";
    assert!(!may_meet(&checked(&[&text("int main(void) { other(); return 0; }"), second]), 1, 2));
}

#[test]
fn rows_of_a_table_may_be_counted_in_bytes() {
    let body = |by: &str| {
        format!(
            "static void **table(size_t n, size_t size) {{ void **t = calloc(n, sizeof(void *)); size_t i; t[0] = calloc(n, size);\n\
             for (i = 1; i < n; i++) t[i] = (void **)((unsigned char *)t[0] + i * size); return t; }}\n\
             struct row {{ double *p, *q; }};\n\
             int main(void) {{ int i = getchar(); struct row *rows = calloc(9, sizeof *rows), *one; double **d = (double **)table(3, 8);\n\
             one = (struct row *)((char *)rows + {by}); one->p = malloc(8); rows->q = malloc(8);\n\
             check(1, rows->p); check(2, one->q); check(3, d[1]); check(4, d); return 0; }}"
        )
    };
    let pairs = [(1, 2), (3, 1), (3, 4)];
    for by in ["i * sizeof *rows", "sizeof *rows * (unsigned char)i + 32", "(2 * i - 4) * 8"] {
        assert_eq!(meetings(&body(by), &pairs), [false, false, false], "{by}");
    }
    for by in ["i * 8", "i", "i * sizeof *rows + 8"] {
        assert_eq!(meetings(&body(by), &pairs), [true, false, false], "{by}");
    }
    // From the array that the structure begins with to the member behind.
    let body = |from: &str| {
        format!(
            "struct s {{ double a[3]; double *p; }};\n\
             int main(void) {{ struct s *s = malloc(sizeof *s); int i = getchar(); s->a[i] = 1.0; s->p = malloc(8);\n\
             check(1, s->p); check(2, *(double **)({from})); check(3, s); return 0; }}"
        )
    };
    for from in ["(char *)s + 24", "(char *)s->a + 24", "(char *)s + 8 * i", "(char *)s + offsetof(struct s, p)"] {
        assert_eq!(meetings(&body(from), &[(1, 2), (1, 3)]), [true, false], "{from}");
    }
}

#[test]
fn bytes_that_reach_the_next_element_reach_its_pointers() {
    let body = |at: &str| {
        format!(
            "struct s {{ double *p; double x; }};\n\
             int main(void) {{ struct s *s = calloc(9, sizeof *s); int i = getchar();\n\
             s[i].p = malloc(8); *{at} = 1.0; check(1, s[i + 1].p); check(2, getenv(\"x\")); return 0; }}"
        )
    };
    assert_eq!(meetings(&body("(double _Complex *)&s[i].x"), &[(1, 2)]), [true]);
    assert_eq!(meetings(&body("&s[i].x"), &[(1, 2)]), [false]);
    assert_eq!(meetings(&body("((char *)s + 8)"), &[(1, 2)]), [true]);
}

#[test]
fn structures_that_begin_alike_have_their_members_at_one_place() {
    let body = "#include <mpi.h>\nstruct base { int a, b; double *p; };\nstruct more { int a, b; double *p; MPI_Comm comm; double *q; };\n\
                int main(void) { struct more m; m.p = malloc(8); m.q = malloc(8);\n\
                check(1, m.p); check(2, ((struct base *)&m)->p); check(3, m.q); return 0; }";
    assert_eq!(meetings(body, &[(1, 2), (1, 3), (2, 3)]), [true, false, false]);
}

#[test]
fn a_number_in_the_place_of_a_pointer_may_be_one() {
    let body = "static double *kept; static void keep(p) double *p; { kept = p; }\n\
                int main(void) { double *a = malloc(8); long n = (long)a; void (*f)() = (void (*)())keep; f(n);\n\
                check(1, a); check(2, kept); return 0; }";
    assert_eq!(meetings(body, &[(1, 2)]), [true]);
}

#[test]
fn assembler_in_an_allocator_is_not_read_for_one_call() {
    let body = "static double *kept; static double *get(int n) { double *p = malloc(n); __asm__ volatile(\"\" : : \"r\"(&p) : \"memory\"); return p; }\n\
                int main(void) { double *a = get(8); check(1, a); check(2, kept); return 0; }";
    assert_eq!(meetings(body, &[(1, 2)]), [true]);
}

#[test]
fn a_number_at_an_unknown_place_is_no_pointer_by_its_type() {
    // `r` leads to any of the bytes, so that nothing in the object is told apart.
    let program = |store: &str| {
        format!(
            "struct s {{ int *p; union {{ long l; int *p; }} u; long n; }}; typedef long __attribute__((may_alias)) any;\n\
             int x, y; int main(int c, char **v) {{ struct s *r = (void *)((char *)malloc(96) + c);\n\
             r->p = &x; {store} check(1, r->p); check(2, &y); return 0; }}"
        )
    };
    let meets = |store: &str| meetings(&program(store), &[(1, 2)])[0];
    for store in ["r->n = 3;", "r->n++;", "*(double *)(void *)(&r->n + c) = 0.5;", "c = r->n;"] {
        assert!(!meets(store), "{store}");
    }
    // Others know `y`.
    let outside = "printf(\"%p\", (void *)&y);";
    for store in ["*(char *)&r->n = 3;", "r->u.l = c;", "*(any *)&r->n = c;", "(*&r->u.l)++;"] {
        assert!(meets(&format!("{outside} {store}")), "{store}");
        assert!(!meets(&format!("{outside} r->n = 3;")));
    }
    // At a known place it is.
    assert!(meets(&format!("{outside} {{ struct s k = {{ &x }}; *(long *)&k.p = c; r->p = k.p; }}")));
}

/// How many functions each call through a pointer calls, in the order of the text.
fn called(text: &str) -> Vec<Option<usize>> {
    with_units(&[text], |units, texts| {
        let points = PointsTo::of(units, texts, Assumptions { is_whole: true, keeps_types: true });
        let callees = units[0].expressions.iter().filter_map(|expression| match expression.operation {
            Operation::Call { callee, .. } if units[0].function_named(callee).is_none() => Some(callee),
            _ => None,
        });
        callees.map(|callee| points.unit(0).called(callee).map(<[_]>::len)).collect()
    })
}

#[test]
fn a_pointer_to_no_function_calls_none() {
    let program = |table: &str, store: &str| {
        format!(
            "typedef int (*one)(int); {table} one table[4]; extern one other; int f(int n) {{ return n; }}\n\
             int main(int c, char **v) {{ {store} if (table[c]) return (*table[c])(c) + other(c); return 0; }}"
        )
    };
    assert_eq!(called(&program("static", "")), [Some(0), None]);
    assert_eq!(called(&program("static", "table[c] = f;")), [Some(1), None]);
    assert_eq!(called(&program("static", "table[c] = other;")), [None, None]);
    // Other units may store some there.
    assert_eq!(called(&program("", "")), [None, None]);
    let functions: String = (0..65).map(|number| format!("int f{number}(int n) {{ return n; }}\n")).collect();
    let stores: String = (0..65).map(|number| format!("p = f{number}; ")).collect();
    let many = format!("{functions} int main(int c, char **v) {{ int (*p)(int); {stores} return p(c); }}");
    assert_eq!(called(&many), [None]);
}
