//! Calls of MPI, alone and in whole programs.

use std::path::Path;

use super::{lowered, program, statements_of};
use crate::frontend::{FrontendOptions, parse_text};
use crate::plan::Outcome;
use crate::transform::{Selection, plan_program};

fn with_mpi(parameters: &str, text: &str) -> String {
    lowered(&format!("#include <mpi.h>\nextern int check(int);\nvoid f({parameters})\n{{\n{text}\n}}\n"))
}

#[test]
fn arguments_have_their_roles() {
    let send = "send Standard [a[i] x3 Real(8) peer 1 tag 7 on mpi_comm_world]\n";
    let call = |buffer: &str| format!("MPI_Send({buffer}, 3, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);");
    for buffer in ["&a[i]", "a + i", "(void *)(a + i)", "i + a"] {
        let out = with_mpi("int i", &format!("double a[10]; {}", call(buffer)));
        assert_eq!(out, format!("mpi_send {send}"), "{buffer}");
    }
    let out = with_mpi("double *p", "double x, m[4][5]; struct { double v; } s;".to_owned().as_str());
    assert_eq!(out, "");
    for (buffer, shown) in [
        ("&x", "x"),
        ("m", "m"),
        ("m[2]", "m[0,2]"),
        ("&m[2][1]", "m[1,2]"),
        ("p", "*p"),
        ("p + 4", "*p[4]"),
        ("&s.v", "s%{}"),
        ("*q", "**q%{*q[0]}"),
        ("MPI_BOTTOM", "mpi_bottom"),
        ("(void *)0", "mpi_bottom"),
        ("0", "mpi_bottom"),
    ] {
        let text = format!("double x, m[4][5]; struct {{ double v; }} s; {}", call(buffer));
        let out = with_mpi("double *p, double **q", &text);
        assert!(out.contains(&format!("[{shown} x3 ")), "{buffer}: {out}");
    }
}

#[test]
fn messages_without_elements_are_in_no_memory() {
    for buffer in ["NULL", "0", "(void *)0", "MPI_BOTTOM", "\"\"", "(void *)\"none\""] {
        let call = |count: &str, datatype: &str| {
            with_mpi(
                "int n",
                &format!("MPI_Datatype own; MPI_Send({buffer}, {count}, {datatype}, 1, 7, MPI_COMM_WORLD);"),
            )
        };
        let empty = call("0", "MPI_BYTE");
        assert!(empty.starts_with("mpi_send send Standard [(nothing "), "{buffer}: {empty}");
        for (count, datatype) in [("n", "MPI_BYTE"), ("1", "MPI_INT"), ("0", "own")] {
            let other = call(count, datatype);
            assert!(!other.contains("(nothing "), "{buffer}: {other}");
        }
    }
    let out = with_mpi(
        "",
        "MPI_Sendrecv(NULL, 0, MPI_INT, 1, 7, NULL, 0, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    );
    assert_eq!(out.matches("(nothing ").count(), 2, "{out}");
    let out = with_mpi("int *p", "MPI_Send(p, 0, MPI_INT, 1, 7, MPI_COMM_WORLD);");
    assert!(out.contains("[*p x0 "), "{out}");
    let text = "#include <mpi.h>\n#include <stddef.h>\n\
                int main(int argc, char **argv)\n{\nint rank;\nMPI_Init(&argc, &argv);\n\
                MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
                if (rank == 0)\nMPI_Send(NULL, 0, MPI_INT, 1, 7, MPI_COMM_WORLD);\n\
                if (rank == 1)\nMPI_Recv(MPI_BOTTOM, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
                MPI_Finalize();\nreturn 0;\n}\n";
    let plan = plan_program(&program(text), &Selection { in_place: true, ..Selection::default() });
    let is_transformed = |outcome: &Outcome| matches!(outcome, Outcome::Transformed { .. });
    assert_eq!(plan.decisions.len(), 2);
    assert!(plan.decisions.iter().all(|decision| is_transformed(&decision.outcome)), "{:?}", plan.decisions);
}

#[test]
fn requests_and_statuses_are_variables() {
    let text = "MPI_Request one, many[4]; MPI_Status status; int n = 0;\n\
                MPI_Irecv(p, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &one);\n\
                MPI_Isend(p, 1, MPI_INT, 2, 3, comm, &many[n++]);\n\
                MPI_Isend(p, 1, MPI_INT, 2, 3, comm, many + n);\n\
                MPI_Wait(&one, &status);\n\
                MPI_Wait(&one, MPI_STATUS_IGNORE);\n\
                MPI_Waitall(n, many, MPI_STATUSES_IGNORE);\n";
    assert_eq!(
        with_mpi("int *p, MPI_Comm comm", text),
        "n = 0\n\
         mpi_irecv receive [*p x1 Integer(4) peer mpi_any_source tag 3 on comm] => one ignored\n\
         ;mpi_isend send Standard [*p x1 Integer(4) peer 2 tag 3 on comm] => many[n]\n\
         ;n = (n+1)\n\
         mpi_isend send Standard [*p x1 Integer(4) peer 2 tag 3 on comm] => many[n]\n\
         mpi_wait wait one status status\n\
         mpi_wait wait one ignored\n\
         mpi_waitall wait for n of many ignored\n"
    );
}

#[test]
fn functions_that_mpi_is_to_call_are_known() {
    let called_back = |function: &str| {
        let text = format!(
            "#include <mpi.h>\n#include <stddef.h>\nextern MPI_Comm_delete_attr_function *others;\n\
             static int forget(MPI_Comm comm, int key, void *value, void *more) {{ return MPI_SUCCESS; }}\n\
             void f(int *key) {{ MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, {function}, key, NULL); }}\n"
        );
        let program = program(&text);
        let procedure = program.procedures.iter().find(|procedure| procedure.name == "f").expect("it is there");
        format!("{:?}", procedure.statements).contains("CallsBack { procedures: [ProcedureId(0)] }")
    };
    for function in ["forget", "&forget", "(MPI_Comm_delete_attr_function *)forget"] {
        assert!(called_back(function), "{function}");
    }
    assert!(!called_back("others"));
}

#[test]
fn what_uses_a_request_keeps_no_address_of_it() {
    let is_reached = |text: &str| {
        let text = format!(
            "#include <mpi.h>\nvoid keep(MPI_Request *);\nvoid f(int flag, MPI_Status s) {{ MPI_Request r; {text} }}\n"
        );
        let program = program(&text);
        let symbol = program.procedures[0].find_symbol("r").expect("it is there");
        program.procedures[0].symbol(symbol).target
    };
    for text in ["MPI_Wait(&r, &s);", "MPI_Cancel(&r);", "MPI_Request_get_status(r, &flag, &s);"] {
        assert!(!is_reached(text), "{text}");
    }
    assert!(is_reached("keep(&r);"));
}

#[test]
fn handles_of_a_list_are_one() {
    let first = |list: &str| {
        let out = with_mpi("", &format!("MPI_Request r[4] = {{ {list} }}; MPI_Waitall(4, r, MPI_STATUSES_IGNORE);"));
        out.lines().next().map(str::to_owned)
    };
    for list in ["MPI_REQUEST_NULL", "MPI_REQUEST_NULL, MPI_REQUEST_NULL", "[2] = MPI_REQUEST_NULL"] {
        assert_eq!(first(list).as_deref(), Some("r = mpi_request_null"), "{list}");
    }
    assert_eq!(first("0").as_deref(), Some("r = computed(computed(0))"));
    // The zeros that follow are a rank.
    let out = with_mpi("", "int to[4] = { MPI_PROC_NULL }; MPI_Send(to, 1, MPI_INT, to[1], 1, MPI_COMM_WORLD);");
    assert!(out.starts_with("to = computed("), "{out}");
    let out = with_mpi("", "struct { MPI_Comm comm; int n; } s = { MPI_COMM_WORLD }; MPI_Barrier(s.comm);");
    assert!(out.starts_with("s = computed("), "{out}");
}

#[test]
fn static_variables_without_handles_are_empty() {
    let is_empty = |declaration: &str| {
        let text =
            format!("#include <mpi.h>\n{declaration}\nvoid f(void) {{ MPI_Waitall(2, r, MPI_STATUSES_IGNORE); }}\n");
        let program = program(&text);
        let symbol = program.procedures[0].find_symbol("r").expect("it is there");
        !program.procedures[0].symbol(symbol).initialised
    };
    assert!(is_empty("static MPI_Request r[2];"));
    // Another file may have its definition.
    assert!(!is_empty("extern MPI_Request r[2];"));
    assert!(!is_empty("static MPI_Request r[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };"));
}

#[test]
fn the_code_of_a_call_is_a_variable() {
    let out = with_mpi("int e", "e = MPI_Barrier(MPI_COMM_WORLD);");
    assert!(out.starts_with("mpi_barrier ") && out.ends_with("-> e\n"), "{out}");
    let out = with_mpi("", "int e = MPI_Barrier(MPI_COMM_WORLD); if (e) check(e);");
    assert!(out.contains("-> e\n"), "{out}");
    let out = with_mpi("", "if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS) check(1);");
    assert!(out.contains("-> (code") && out.contains("/=0"), "{out}");
    let out = with_mpi("", "check(MPI_Barrier(MPI_COMM_WORLD));");
    assert!(out.contains("-> (code") && out.contains("call ?check(((code"), "{out}");
    // Perhaps it does not happen.
    let out = with_mpi("int n", "if (n && MPI_Barrier(MPI_COMM_WORLD)) check(1);");
    assert!(out.contains(";if\n ? (n/=0)\n  ;mpi_barrier ") && !out.contains("OPAQUE"), "{out}");
    let out = with_mpi("int e", "e |= MPI_Barrier(MPI_COMM_WORLD);");
    assert!(out.contains("-> (code") && !out.contains("OPAQUE"), "{out}");
}

#[test]
fn calls_that_no_statement_stands_for_are_told() {
    let told = |text: &str| {
        let text = format!("#include <mpi.h>\nvoid f(int n)\n{{\n{text}\n}}\n");
        let missed = program(&text).missed_calls.to_vec();
        missed.into_iter().map(|call| (call.routine, call.line)).collect::<Vec<_>>()
    };
    assert_eq!(
        told("MPI_Barrier(MPI_COMM_WORLD);\nif (MPI_Barrier(MPI_COMM_WORLD)) n = 1;\nMPI_Abort(MPI_COMM_WORLD, 1);"),
        []
    );
    assert_eq!(told("n = 1;\nif (n && MPI_Barrier(MPI_COMM_WORLD)) n = 2;"), []);
    assert_eq!(told("n = 1;\nn = ({ MPI_Barrier(MPI_COMM_WORLD); });"), [("mpi_barrier".to_owned(), 5)]);
    assert_eq!(told("n = = MPI_Barrier(MPI_COMM_WORLD);"), [("mpi_barrier".to_owned(), 4)]);
}

#[test]
fn a_ring_converts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/ring/ring.c");
    let text = std::fs::read(&path).expect("the example is there");
    let program = parse_text(&path, text, &FrontendOptions::default()).expect("it is read");
    assert!(program.missed_calls.is_empty());
    let main = statements_of(&program, "main");
    assert!(!main.to_lowercase().contains("opaque"), "{main}");
    let receive = "mpi_irecv receive [rbuf xn Real(8) peer prev tag 7 on mpi_comm_world] => request ignored\n";
    assert!(main.contains(receive), "{main}");
    let plan = plan_program(&program, &Selection::default());
    assert_eq!(plan.decisions.len(), 3);
    let is_transformed = |outcome: &Outcome| matches!(outcome, Outcome::Transformed { .. });
    assert!(plan.decisions.iter().all(|decision| is_transformed(&decision.outcome)), "{:?}", plan.decisions);
}

/// How many calls of an exchange convert beside a reduction by this function `f`.
fn exchanges_beside_reduction(function: &str) -> usize {
    exchanges_beside(function, "MPI_Op_create((MPI_User_function *)f, 1, &op);")
}

/// How many calls of an exchange convert beside this `statement` and this function.
fn exchanges_beside(function: &str, statement: &str) -> usize {
    let text = format!(
        "#include <mpi.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         typedef struct {{ double v; int at; double *more; }} place;\n\
         double a[4000], b[4000], limit, *known = b;\nint calls;\n\
         {function}\n\
         int main(int argc, char **argv)\n{{\nint rank, i;\ndouble s = 0, m;\nMPI_Op op = MPI_MAX;\n\
         MPI_Init(&argc, &argv);\nMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n\
         {statement}\n\
         if (rank == 0)\nMPI_Send(a, 4000, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);\n\
         if (rank == 1)\nMPI_Recv(b, 4000, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n\
         for (i = 0; i < 4000; i++)\ns += b[i];\n\
         MPI_Allreduce(&s, &m, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);\nMPI_Op_free(&op);\n\
         MPI_Finalize();\nreturn m > 0;\n}}\n"
    );
    let plan = plan_program(&program(&text), &Selection { in_place: true, ..Selection::default() });
    let is_transformed = |outcome: &Outcome| matches!(outcome, Outcome::Transformed { .. });
    plan.decisions.iter().filter(|decision| is_transformed(&decision.outcome)).count()
}

#[test]
fn reductions_by_plain_functions_keep_nothing() {
    let head = "static void f(void *in, void *inout, int *n, MPI_Datatype *type)";
    for body in [
        "double *x = in, *y = inout; for (int i = 0; i < *n; i++) if (x[i] > y[i]) y[i] = x[i];",
        "double *x = (double *)in, *y; int i; y = (double *)inout; for (i = 0; i < *n; i++) *y++ += sqrt(*x++);",
        "place *x = in, *y = inout, t; for (int i = 0; i < *n; i++, x++, y++) { t = *x; if (t.v > y->v) *y = t; }",
        "if (*type == MPI_DOUBLE) { double few[2] = { 1, 2 }, *p = few; *(double *)inout = p[1]; }",
    ] {
        assert_eq!(exchanges_beside_reduction(&format!("{head} {{ {body} }}")), 2, "{body}");
    }
    for body in [
        "double *y = inout; *y = limit;",
        "limit = *(double *)in;",
        "double *y = inout; y[0] = a[0];",
        "double *y = b; y[0] = 1;",
        "double *y = known; y[0] = 1;",
        "place *x = in; x->more[0] = 2;",
        "place *x = in; double *y = x->more; y[0] = 2;",
        "double **x = in; **x = 1;",
        "double *y = (double *)*(long *)in; *y = 1;",
        "known = in;",
        "static int calls; calls++;",
        "static double *last; last = in;",
        "double *few[1]; few[0] = known; few[0][0] = 1;",
        "double *p = 0, **q = &p; *q = *(double **)in; p[0] = 1;",
        "memcpy(inout, in, *n * sizeof(double));",
        "MPI_Barrier(MPI_COMM_WORLD);",
        "MPI_Send(in, *n, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);",
        "double *y = ({ known; }); y[0] = 1;",
        "__asm__(\"nop\" ::: \"memory\");",
        "extern void g(void *); g(in);",
        "y = = in;",
    ] {
        assert_eq!(exchanges_beside_reduction(&format!("{head} {{ {body} }}")), 0, "{body}");
    }
    // It may complain, and give up, also by others of its kind.
    for (more, body) in [
        ("", "if (*n > 4000) { fprintf(stderr, \"%d\\n\", *n); fflush(stderr); exit(1); }"),
        (
            "static void warn(const char *f, int l) { int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); printf(\"%s:%d %d\\n\", f, l, r); }\n",
            "if (*n > 4000) warn(__FILE__, __LINE__);",
        ),
    ] {
        assert_eq!(exchanges_beside_reduction(&format!("{more}{head} {{ {body} }}")), 2, "{body}");
    }
    for (more, body) in [
        ("static void warn(void) { limit = 1; }\n", "warn();"),
        ("static void warn(int n) { if (n) warn(n - 1); }\n", "warn(*n);"),
        ("", "printf(\"%g\\n\", limit);"),
    ] {
        assert_eq!(exchanges_beside_reduction(&format!("{more}{head} {{ {body} }}")), 0, "{body}");
    }
    let one = format!("{head} {{ }}\n");
    let of_pointer = "static void (*f)(void *, void *, int *, MPI_Datatype *) = g;";
    assert_eq!(exchanges_beside_reduction(&format!("{}{of_pointer}", one.replace(" f(", " g("))), 2);
    assert_eq!(exchanges_beside_reduction("void f(void *, void *, int *, MPI_Datatype *);"), 0);
}

#[test]
fn statements_in_expressions_call_whom_they_name() {
    let function = "extern void g(double);\nstatic double twice(double x) { return 2 * x; }";
    for statement in [
        "s = ({ double a_ = s, b_ = 3.0; a_ > b_ ? a_ : b_; });",
        "s = ({ double t = 0; for (int k = 0; k < 4; k++) t += fabs(a[k]); t; });",
        "s = ({ double t = twice(s); t; });",
        "(void)({ if (rank > 100) return 1; rank; });",
    ] {
        assert_eq!(exchanges_beside(function, statement), 2, "{statement}");
    }
    for statement in [
        "s = ({ g(s); 1.0; });",
        "s = ({ double t = ({ g(s); 2.0; }); t; });",
        "s = ({ __asm__(\"nop\" ::: \"memory\"); 1.0; });",
        "s = ({ void h(void) { g(1.0); } h(); 1.0; });",
        "s = ({ void (*h)(double) = g; h(1.0); 1.0; });",
        "i = ({ MPI_Send(a, 1, MPI_DOUBLE, rank, 7, MPI_COMM_WORLD); });",
        "s = ({ double t = = 1; t; });",
    ] {
        assert_eq!(exchanges_beside(function, statement), 0, "{statement}");
    }
}
