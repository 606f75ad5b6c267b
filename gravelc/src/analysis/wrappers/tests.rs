//! Calls of procedures that only call MPI, on small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

const MAIN: &str = "program main\nuse mpi\ncall mpi_init(ierr)\ncall work\ncall mpi_finalize(ierr)\nend program\n";
const SEND: &str = "subroutine send(to, values, n, tag, code)\nuse mpi\ninteger to, n, tag, code\nreal values(n)\n\
                    call mpi_send(values, n, mpi_real, to, tag, mpi_comm_world, code)\nend subroutine\n";

fn read(text: &str) -> Program {
    let program = parse_text(Path::new("test.f90"), text.as_bytes().to_vec(), &FrontendOptions::default()).unwrap();
    assert!(program.files[0].unread.is_empty(), "{:?}", program.files[0].unread);
    program
}

/// The calls in `work` that count as calls of MPI: routine and wrapper, then values with the texts of their arguments.
fn counted(text: &str) -> Vec<String> {
    let program = read(text);
    let resolved = with_wrapper_calls(&program).unwrap_or(program);
    let work = resolved.procedures.iter().find(|procedure| procedure.name == "work").unwrap();
    let text = |expression: &Expression| match expression.kind {
        ExpressionKind::Symbol(id) => work.symbol(id).name.clone(),
        _ => resolved.text(expression.span),
    };
    let calls = work.statements_in_order().into_iter().filter_map(|id| match &work.statement(id).kind {
        StatementKind::Communication(found) if found.wrapper.is_some() => Some(found),
        _ => None,
    });
    calls
        .map(|call| {
            let wrapper = call.wrapper.as_ref().unwrap();
            let arguments: Vec<String> = call.expressions().into_iter().map(text).collect();
            let borrowed: Vec<&str> = wrapper.borrowed.iter().map(|(_, name)| name.as_str()).collect();
            let name = &resolved.procedure(wrapper.procedure).name;
            format!("{} by {name}({}) {}", call.routine, arguments.join(", "), borrowed.join(" ")).trim().to_string()
        })
        .collect()
}

/// As [`counted`], for a subroutine `work` with these statements and the procedure `send`.
fn in_work(statements: &str) -> Vec<String> {
    counted(&format!(
        "{MAIN}subroutine work\nuse mpi\nreal a(9)\ninteger i, many(3)\n{statements}\nend subroutine\n{SEND}"
    ))
}

#[test]
fn actual_arguments_stand_for_dummies() {
    let expected = "mpi_send by send(a(2), 4, mpi_real, i + 1, 7, mpi_comm_world, i)";
    assert_eq!(in_work("call send(i + 1, a(2), 4, 7, i)"), [expected]);
    assert_eq!(in_work("if (i > 1) call send(many(2), a, 9, 7, i)").len(), 1);
}

#[test]
fn what_fits_no_scalar_keeps_all_calls_as_they_are() {
    assert_eq!(in_work("call send(many, a, 4, 7, i)"), [""; 0]);
    assert_eq!(in_work("call send(i, a, 4, 7, i)\ncall send(many, a, 4, 7, i)"), [""; 0]);
    assert_eq!(in_work("call send(many(1:1), a, 4, 7, i)"), [""; 0]);
    assert_eq!(in_work("call send(i, a, 4, 7)"), [""; 0]);
    assert_eq!(in_work("call send(i, a + 1.0, 4, 7, i)"), [""; 0]);
}

#[test]
fn constants_are_imported_where_the_caller_does_not_see_them() {
    let work = |head: &str| {
        format!("{MAIN}subroutine work\n{head}\nreal a(9)\ncall send(1, a, 9, 7, i)\nend subroutine\n{SEND}")
    };
    let plain = "mpi_send by send(a, 9, mpi_real, 1, 7, mpi_comm_world, i)";
    assert_eq!(counted(&work("")), [format!("{plain} mpi_comm_world mpi_real")]);
    assert_eq!(counted(&work("use mpi, only: mpi_wtime")), [format!("{plain} mpi_comm_world mpi_real")]);
    assert_eq!(counted(&work("include 'mpif.h'")), [plain]);
    // Handles of another kind, and a name that means something else.
    assert_eq!(counted(&work("use mpi_f08")), [""; 0]);
    assert_eq!(counted(&work("integer mpi_comm_world")), [""; 0]);
}

#[test]
fn a_procedure_that_does_more_is_none() {
    let with = |body: &str| {
        counted(&format!(
            "{MAIN}subroutine work\nreal a(9)\ncall send(1, a, 9, i)\nend subroutine\n\
             subroutine send(to, values, n, code)\nuse mpi\ninteger to, n, code, status(mpi_status_size), own\n\
             real values(n)\ninteger, parameter :: seven = 7\n{body}\nend subroutine\n"
        ))
    };
    let call = "call mpi_send(values, n, mpi_real, to, seven, mpi_comm_world, code)";
    assert_eq!(with(&format!("{call}\nreturn")).len(), 1);
    for body in [
        format!("{call}\nn = 1"),
        format!("{call}\n{call}"),
        format!("if (n > 0) {call}"),
        format!("print *, n\n{call}"),
        call.replace("values", "values(2)"),
        call.replace(", n,", ", own,"),
        call.replace(", n,", ", n + 1,"),
        call.replace("mpi_send", "mpi_barrier"),
        format!("{call}\n!$omp barrier"),
    ] {
        assert_eq!(with(&body), [""; 0], "{body}");
    }
    let receive = "call mpi_recv(values(1), n, mpi_real, to, 7, mpi_comm_world, status, own)";
    assert_eq!(with(receive), ["mpi_recv by send(a, 9, mpi_real, 1, 7, mpi_comm_world) mpi_comm_world mpi_real"]);
}

#[test]
fn a_procedure_that_calls_one_is_one() {
    let outer = "subroutine outer(values, code)\nreal values(9)\ninteger code\ncall send(3, values, 9, 5, code)\nend\n";
    let text = format!("{MAIN}subroutine work\nreal a(9)\ncall outer(a, i)\nend subroutine\n{outer}{SEND}");
    let expected = "mpi_send by outer(a, 9, mpi_real, 3, 5, mpi_comm_world, i) mpi_comm_world mpi_real";
    assert_eq!(counted(&text), [expected]);
    let endless = "subroutine outer(values, code)\nreal values(9)\ninteger code\ncall outer(values, code)\nend\n";
    assert_eq!(counted(&text.replace(outer, endless)), [""; 0]);
}

#[test]
fn a_communicator_is_one_that_both_see() {
    let text = |import: &str, before: &str| {
        format!(
            "{MAIN}module m\ninteger :: comm\nend module\nsubroutine work\n{import}\nreal a(9)\n{before}\ncall send(a, i)\n\
             end subroutine\nsubroutine send(values, code)\nuse mpi\nuse m, only: group => comm\nreal values(9)\n\
             integer code\ncall mpi_send(values, 9, mpi_real, 1, 2, group, code)\nend subroutine\n"
        )
    };
    let expected = "mpi_send by send(a, 9, mpi_real, 1, 2, comm, i) mpi_real";
    assert_eq!(counted(&text("use m", "if (comm == 0) return")), [expected]);
    assert_eq!(counted(&text("use m", "")), [""; 0]);
    assert_eq!(counted(&text("", "")), [""; 0]);
}

/// Is the call of MPI in `send` left out?
fn is_idle(text: &str) -> bool {
    let program = read(text);
    let program = with_wrapper_calls(&program).unwrap_or(program);
    let Some(marked) = with_idle_wrappers(Outside { program: &program, is_closed: false }) else { return false };
    let send = marked.procedures.iter().find(|procedure| procedure.name == "send").unwrap();
    send.statements
        .iter()
        .any(|statement| matches!(&statement.kind, StatementKind::Communication(found) if found.is_counted_at_callers))
}

#[test]
fn the_call_itself_is_left_out_where_all_calls_are_known() {
    let work = "subroutine work\nreal a(9)\ncall send(1, a, 9, 7, i)\nend subroutine\n";
    assert!(is_idle(&format!("{MAIN}{work}{SEND}")));
    assert!(!is_idle(&format!("{work}{SEND}")));
    let handed = "subroutine work\nexternal send\nreal a(9)\ncall send(1, a, 9, 7, i)\ncall apply(send)\nend subroutine\n\
                  subroutine apply(what)\nexternal what\nreal a(9)\ncall what(1, a, 9, 7, i)\nend subroutine\n";
    assert!(!is_idle(&format!("{MAIN}{handed}{SEND}")));
}
