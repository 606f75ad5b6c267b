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
            "#include <mpi.h>\nextern MPI_User_function *others;\n\
             static void nothing(void *in, void *out, int *n, MPI_Datatype *t) {{ }}\n\
             void f(MPI_Op *op) {{ MPI_Op_create({function}, 1, op); }}\n"
        );
        let program = program(&text);
        let procedure = program.procedures.iter().find(|procedure| procedure.name == "f").expect("it is there");
        format!("{:?}", procedure.statements).contains("CallsBack { procedures: [ProcedureId(0)] }")
    };
    for function in ["nothing", "&nothing", "(MPI_User_function *)nothing"] {
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
