//! What functions that the program does not define do with pointers.

use super::meetings;

#[test]
fn addresses_that_are_printed_may_be_read_again() {
    let body = |print: &str| {
        format!(
            "struct g {{ char name[8]; double *s, *r; }};\nint main(void) {{ char text[40]; void *back; struct g *g = malloc(sizeof *g);\n\
             g->s = malloc(8); g->r = malloc(8); strcpy(g->name, \"x\");\n{print}\nsscanf(text, \"%p\", &back);\n\
             check(1, g->s); check(2, back); check(3, g->r); return 0; }}"
        )
    };
    let pairs = [(1, 2), (1, 3)];
    assert_eq!(meetings(&body("sprintf(text, \"%-20p\", (void *)g->s);"), &pairs), [true, false]);
    assert_eq!(meetings(&body("sprintf(text, text, g->s);"), &pairs), [true, false]);
    // A text in a structure that is printed says nothing of its pointers.
    let printed = "sprintf(text, \"%s %d%%p\", g->name, (int)strlen(g->name));";
    assert_eq!(meetings(&body(printed), &pairs), [false, false]);
}

#[test]
fn bytes_in_messages_and_files_may_be_pointers() {
    let body = |call: &str| {
        format!(
            "#include <mpi.h>\nstruct s {{ double x; double *p; }};\nint main(void) {{ struct s a, b; FILE *f = fopen(\"f\", \"w+\");\n\
             a.p = malloc(8); b.p = malloc(8);\n{call}\ncheck(1, a.p); check(2, b.p); return 0; }}"
        )
    };
    let exchange = |datatype: &str| {
        let message = |name: &str| format!("&{name}.x, 16, {datatype}, 0, 1");
        format!("MPI_Sendrecv({}, {}, MPI_COMM_SELF, MPI_STATUS_IGNORE);", message("a"), message("b"))
    };
    assert_eq!(meetings(&body(&exchange("MPI_BYTE")), &[(1, 2)]), [true]);
    assert_eq!(meetings(&body(&exchange("MPI_DOUBLE")), &[(1, 2)]), [false]);
    let file = |size: &str, count: &str| {
        format!("fwrite(&a.x, {size}, {count}, f); rewind(f); fread(&b.x, {size}, {count}, f);")
    };
    assert_eq!(meetings(&body(&file("sizeof a", "1")), &[(1, 2)]), [true]);
    assert_eq!(meetings(&body(&file("sizeof a.x", "2")), &[(1, 2)]), [true]);
    assert_eq!(meetings(&body(&file("sizeof a.x", "(size_t)getchar()")), &[(1, 2)]), [true]);
    // One number, and nothing behind it.
    assert_eq!(meetings(&body(&file("sizeof a.x", "1")), &[(1, 2)]), [false]);
    assert_eq!(meetings(&body("fwrite(&a, sizeof a, 1, f); rewind(f); fread(&b, sizeof b, 1, f);"), &[(1, 2)]), [true]);
}

#[test]
fn what_reduces_may_be_a_function_of_the_program() {
    let body = |operation: &str| {
        format!(
            "#include <mpi.h>\nstatic double *keep;\n\
             static void add(void *in, void *out, int *n, MPI_Datatype *of) {{ keep = in; }}\n\
             int main(void) {{ double *a = malloc(8), *b = malloc(8); MPI_Op op; MPI_Op_create(add, 1, &op);\n\
             MPI_Allreduce(a, b, 1, MPI_DOUBLE, {operation}, MPI_COMM_WORLD);\n\
             check(1, a); check(2, b); check(3, keep); return 0; }}"
        )
    };
    assert_eq!(meetings(&body("op"), &[(1, 3), (2, 3), (1, 2)]), [true, true, false]);
    assert_eq!(meetings(&body("MPI_SUM"), &[(1, 3), (2, 3), (1, 2)]), [false, false, false]);
}

/// A structure with a buffer to send and one to receive, and `text` that may mix them up; do they, and what is read back?
fn mixes(text: &str) -> [bool; 2] {
    let body = format!(
        "#include <assert.h>\n#include <unistd.h>\n#include <getopt.h>\n\
         struct g {{ char name[8]; double *s, *r; int n; }};\n\
         static int by_size(const void *a, const void *b) {{ return **(double *const *)a < **(double *const *)b; }}\n\
         int main(int c, char **v) {{ char text[40], *end = text; void *back = text; struct g *g = malloc(sizeof *g);\n\
         g->s = malloc(8); g->r = malloc(8); {{ {text} }}\n\
         check(1, g->s); check(2, g->r); check(3, back); return 0; }}"
    );
    let found = meetings(&body, &[(1, 2), (1, 3)]);
    [found[0], found[1]]
}

#[test]
fn what_asserts_reads_texts_or_tells_the_time_keeps_no_pointer() {
    let outside = "printf(\"%p\", (void *)g->r); back = getenv(\"x\");";
    for text in [
        "assert(g->s); assert(g != 0 && g->n > 0);",
        "sscanf(text, \"%d %lf %7s\", &g->n, g->s, g->name); scanf(\"%d\", (int *)(void *)&g->n);",
        "time_t t = time(0); puts(ctime(&t)); localtime(&t);",
        "strcpy(text, g->name); strcat(g->name, text); strncpy(g->name, text, 3);",
        "g->n = strtol(text, &end, 10); back = end;",
        "back = strdup(g->name);",
        "g->n = getopt(c, v, text);",
    ] {
        assert_eq!(mixes(&format!("{outside} {text}")), [false, false], "{text}");
    }
    // What `end` leads to is in the text.
    let found = "char *p = text; strtod(text, &p); check(4, p); check(5, text);";
    let body = format!("int main(void) {{ char text[9]; {found} return 0; }}");
    assert_eq!(meetings(&body, &[(4, 5)]), [true]);
}

#[test]
fn addresses_that_are_read_are_not_known() {
    for text in ["sscanf(text, \"%p\", &back);", "sscanf(text, \"%*d %p\", &back);", "sscanf(text, text, &back);"] {
        assert_eq!(mixes(&format!("printf(\"%p\", (void *)g->s); {text}")), [false, true], "{text}");
    }
    assert_eq!(mixes("char *given[2] = { (char *)g->s, 0 }; getopt(2, given, text); back = optarg;"), [false, true]);
}

#[test]
fn copies_of_bytes_copy_the_pointers_among_them() {
    assert_eq!(mixes("memcpy(&back, &g->s, sizeof back);"), [false, true]);
    assert_eq!(mixes("struct g k; memcpy(&k, g, sizeof k); back = k.s;"), [false, true]);
    assert_eq!(mixes("struct g k; memcpy(&k, g, sizeof k); back = k.r;"), [false, false]);
    assert_eq!(mixes("struct g k; k.r = (double *)text; memcpy(&k, g, 16); back = k.r;"), [false, false]);
    assert_eq!(mixes("struct g k; memcpy(&k, g, c); back = k.r;"), [false, true]);
    assert_eq!(mixes("memmove(&g->s, &g->r, 8);"), [true, false]);
}

#[test]
fn copies_that_cross_elements_copy_all_of_them() {
    let body = |copy: &str, after: &str| {
        format!(
            "struct g {{ double *v[3], *w; }} g; struct p {{ double *a, *b; }} k; struct p e[4];\n\
             int main(int c, char **v) {{ int i; k.a = k.b = malloc(8); for (i = 0; i < 3; i++) g.v[i] = malloc(8); g.w = malloc(8);\n\
             for (i = 0; i < 4; i++) {{ e[i].a = malloc(8); e[i].b = malloc(8); }}\n\
             {copy} {after} check(1, k.b); check(2, g.v[0]); check(3, g.w); check(4, e[c].a); check(5, e[c].b); return 0; }}"
        )
    };
    for (copy, met) in [
        ("memcpy(&k, g.v, sizeof k);", 2),
        ("memcpy(&k, &g.v[1], sizeof k);", 2),
        ("memcpy(&k, &g.v[2], sizeof k);", 3),
        ("memcpy(&k, &g.v[c], sizeof k);", 3),
        ("k = *(struct p *)&g.v[2];", 3),
        ("k = *(struct p *)&e[c].b;", 4),
        ("memcpy(&k, &e[1].b, sizeof k);", 4),
        ("memcpy(&k, &e[c], sizeof k);", 5),
    ] {
        // An array may be met after the copy.
        assert_eq!(meetings(&body(copy, ""), &[(1, met)]), [true], "{copy}");
        assert_eq!(meetings(&body(copy, "{ double **q = g.v; q++; }"), &[(1, met)]), [true], "{copy}");
    }
    assert_eq!(meetings(&body("memcpy(&k, &e[c], sizeof k);", ""), &[(1, 4), (1, 3)]), [false, false]);
}

#[test]
fn what_reads_a_line_gives_it_back() {
    let body = "int main(void) { char text[9], *line; line = fgets(text, 9, stdin); check(1, text); check(2, line); return 0; }";
    assert_eq!(meetings(body, &[(1, 2)]), [true]);
}

#[test]
fn elements_that_are_sorted_change_places() {
    let sorted = "double *t[2] = { g->s, g->r }; qsort(t, 2, sizeof *t, by_size); g->s = t[0];";
    assert_eq!(mixes(sorted), [true, false]);
    assert_eq!(mixes("double *t[2] = { g->s, 0 }; qsort(t, 2, sizeof *t, by_size); back = t[0];"), [false, true]);
    // A structure's members stay what they are.
    let body = "struct e { double *s, *r; int n; };\n\
                static int by_number(const void *a, const void *b) { const struct e *x = a, *y = b; check(5, x->s); return x->n - y->n; }\n\
                int main(void) { struct e v[9], *found; int i; for (i = 0; i < 9; i++) { v[i].s = malloc(8); v[i].r = malloc(8); }\n\
                qsort(v, 9, sizeof *v, by_number); found = bsearch(v + 1, v, 9, sizeof *v, by_number);\n\
                check(1, v[2].s); check(2, v[2].r); check(3, found->s); check(4, found->r); return 0; }";
    let pairs = [(1, 2), (1, 3), (2, 4), (3, 4), (1, 5), (2, 5)];
    assert_eq!(meetings(body, &pairs), [false, true, true, false, true, false]);
}

#[test]
fn linear_algebra_keeps_nothing() {
    let body = |name: &str| {
        format!(
            "void {name}(int, const double *, double *); static double *kept;\n\
             int main(void) {{ double *a = malloc(8), *b = malloc(8); {name}(1, a, b); check(1, a); check(2, b);\n\
             check(3, getenv(\"x\")); return 0; }}"
        )
    };
    for name in ["cblas_dgemv", "dgemv_", "LAPACKE_dgesv", "LAPACKE_dgesv_work"] {
        assert_eq!(meetings(&body(name), &[(1, 2), (1, 3)]), [false, false], "{name}");
    }
    for name in ["dgemv", "gemv_", "cblas_other", "dfftw_plan_dft_1d_"] {
        assert_eq!(meetings(&body(name), &[(1, 2), (1, 3)]), [false, true], "{name}");
    }
}
