//! Calls of procedures that only call MPI, on small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};
use crate::ir::{Expression, ExpressionKind, Procedure};

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
    let text = |expression: &Expression| shown(&resolved, work, expression);
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

/// The expression with the names that it has in `work`.
fn shown(program: &Program, work: &Procedure, expression: &Expression) -> String {
    let show = |part: &Expression| shown(program, work, part);
    match &expression.kind {
        ExpressionKind::Integer(value) => value.to_string(),
        ExpressionKind::Symbol(id) => work.symbol(*id).name.clone(),
        ExpressionKind::Unary { operator, operand } if !expression.span.is_within(work.span) => {
            format!("{operator:?}({})", show(operand))
        }
        ExpressionKind::Binary { operator, left, right } if !expression.span.is_within(work.span) => {
            format!("{operator:?}({}, {})", show(left), show(right))
        }
        ExpressionKind::Call { callee: crate::ir::Callee::PureIntrinsic(name), arguments } => {
            format!("{name}({})", arguments.iter().map(show).collect::<Vec<_>>().join(", "))
        }
        _ => program.text(expression.span),
    }
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
        call.replace(", n,", ", n + own,"),
        call.replace(", n,", ", size(values),"),
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
    assert_eq!(counted(&text("use m", "")), [expected]);
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

/// What `call send(b + 1, a, m, 7, ...)` counts as, where `send` has these statements and gets these arguments besides.
fn by_send(more_actual: &str, more_dummies: &str, declarations: &str, statements: &str) -> Vec<String> {
    counted(&format!(
        "{MAIN}subroutine work\nuse mpi\nimplicit none\nreal a(9)\ninteger b, i, m\nlogical up\n\
         call send(b + 1, a, m, 7{more_actual})\nend subroutine\n\
         subroutine send(to, values, n, tag{more_dummies})\nuse mpi\nimplicit none\ninteger to, n, tag, own, rest, ierr\n\
         real values(*)\n{declarations}\n{statements}\nend subroutine\n\
         subroutine give_up\nuse mpi\ncall mpi_abort(mpi_comm_world, 1, ierr)\nend subroutine\n"
    ))
}

const PLAIN: &str = "call mpi_send(values, n, mpi_real, to, tag, mpi_comm_world, ierr)";

/// As [`by_send`], without arguments besides: what follows the buffer in the call that it counts as.
fn counted_as(statements: &str) -> String {
    let found = by_send("", "", "", statements);
    match found.as_slice() {
        [] => "none".to_owned(),
        [one] => {
            let arguments = one.strip_prefix("mpi_send by send(a, ").unwrap();
            arguments.replace("mpi_real, ", "").replace(", mpi_comm_world", "")
        }
        _ => panic!("{found:?}"),
    }
}

#[test]
fn arguments_may_be_computed() {
    assert_eq!(counted_as(PLAIN), "m, b + 1, 7)");
    assert_eq!(
        counted_as(&PLAIN.replace("n,", "3 * n,").replace("tag", "tag + 100")),
        "Multiply(3, m), b + 1, Add(7, 100))"
    );
    assert_eq!(
        counted_as(&format!("own = n * 2\nrest = own - 1\n{}", PLAIN.replace("n,", "rest,"))),
        "Subtract(Multiply(m, 2), 1), b + 1, 7)"
    );
    assert_eq!(counted_as(&PLAIN.replace("n,", "max(n, 1),")), "max(m, 1), b + 1, 7)");
    // A second value, one that is read before, and what is no number.
    assert_eq!(counted_as(&format!("own = n\nown = own * 2\n{}", PLAIN.replace("n,", "own,"))), "none");
    assert_eq!(counted_as(&format!("rest = own\nown = n\n{}", PLAIN.replace("n,", "rest,"))), "none");
    assert_eq!(counted_as(&format!("own = len(n)\n{}", PLAIN.replace("n,", "own,"))), "none");
    assert_eq!(counted_as(&format!("n = n * 2\n{PLAIN}")), "none");
    assert_eq!(counted_as(&format!("own = n\n{}\nown = 1", PLAIN.replace("n,", "own,"))), "none");
}

#[test]
fn errors_may_be_looked_for() {
    for check in [
        "if (ierr /= 0) call give_up",
        "if (mpi_success .ne. ierr) stop",
        "if ((ierr > 0)) then\nprint *, 'failed'\ncall give_up\nend if",
    ] {
        assert_eq!(counted_as(&format!("{PLAIN}\n{check}")), "m, b + 1, 7)", "{check}");
    }
    for check in [
        "if (ierr == 0) call give_up",
        "if (ierr /= 1) call give_up",
        "if (own /= 0) call give_up",
        "if (n /= 0) call give_up",
        "if (ierr /= 0) then\ncall give_up\nelse\nprint *, n\nend if",
        "if (ierr /= 0 .or. n > 3) call give_up",
    ] {
        assert_eq!(counted_as(&format!("{PLAIN}\n{check}")), "none", "{check}");
    }
    assert_eq!(counted_as(&format!("if (ierr /= 0) call give_up\n{PLAIN}")), "none");
}

#[test]
fn the_call_may_be_left_out() {
    let sent = |condition: &str| format!("m, b + 1, 7, {condition})");
    assert_eq!(counted_as(&format!("if (n > 0) {PLAIN}")), sent("Greater(m, 0)"));
    assert_eq!(counted_as(&format!("if (to < 0) return\n{PLAIN}")), sent("Not(Less(b + 1, 0))"));
    let both =
        format!("if (n <= 0) return\nif (to /= mpi_proc_null) then\n{PLAIN}\nif (ierr /= 0) call give_up\nend if");
    assert_eq!(counted_as(&both), sent("And(Not(LessEqual(m, 0)), NotEqual(b + 1, mpi_proc_null))"));
    let zero = format!("ierr = 0\nif (n > 0) {PLAIN}\nif (ierr /= 0) call give_up");
    assert_eq!(counted_as(&zero), sent("Greater(m, 0)"));
    for statements in [
        // Something else happens, or may.
        format!("if (n > 0) then\n{PLAIN}\nelse\nprint *, n\nend if"),
        format!("if (n > 0) then\nprint *, n\n{PLAIN}\nend if"),
        format!("if (n > 0) {PLAIN}\nif (ierr /= 0) call give_up"),
        format!("if (n > 0) own = 1\n{PLAIN}"),
        format!("if (values(1) > 0) {PLAIN}"),
        // The condition is what makes the division one that has a value.
        format!("if (n > 0) {}", PLAIN.replace("to,", "to / n,")),
        format!("if (n > 0) {}", PLAIN.replace("to,", "mod(to, n),")),
        format!("if (n > 0) {}", PLAIN.replace("mpi_send", "mpi_ssend").replace("ierr", "n")),
    ] {
        assert_eq!(counted_as(&statements), "none", "{statements}");
    }
    // The caller would see that the code has been set, or not.
    let told = by_send(", i", ", code", "integer code", &format!("if (n > 0) {}", PLAIN.replace("ierr", "code")));
    assert_eq!(told, [""; 0]);
    let asked = by_send(", up", ", is_wanted", "logical is_wanted", &format!("if (is_wanted) {PLAIN}"));
    assert_eq!(asked, ["mpi_send by send(a, m, mpi_real, b + 1, 7, mpi_comm_world, up)"]);
    // Another function has the name of the one that chooses.
    let merge =
        "\nsubroutine other\ninteger merge\nmerge = 1\nend subroutine\nfunction merge(a)\nmerge = a\nend function";
    assert_eq!(by_send("", "", "", &format!("if (n > 0) {PLAIN}\nend subroutine{merge}\nsubroutine last")), [""; 0]);
}

#[test]
fn requests_are_handed_back() {
    let post = "call mpi_isend(values, n, mpi_real, to, tag, mpi_comm_world, request, ierr)";
    let found = by_send(", i", ", request", "integer request", post);
    assert_eq!(found, ["mpi_isend by send(a, m, mpi_real, b + 1, 7, mpi_comm_world, i)"]);
    // Left out, the call would leave what the variable held.
    assert_eq!(by_send(", i", ", request", "integer request", &format!("if (n > 0) {post}")), [""; 0]);
    assert_eq!(by_send(", a(1)", ", request", "integer request", post), [""; 0]);
    assert_eq!(by_send(", i + 1", ", request", "integer request", post), [""; 0]);
    assert_eq!(by_send("", "", "integer request", post), [""; 0]);
    let wait = "subroutine done(request)\nuse mpi\ninteger request, ierr\ncall mpi_wait(request, mpi_status_ignore, ierr)\n\
                end subroutine\n";
    let work = format!("{MAIN}subroutine work\nuse mpi\ninteger r(3)\ncall done(r(2))\nend subroutine\n{wait}");
    assert_eq!(counted(&work), ["mpi_wait by done(r(2))"]);
}

#[test]
fn a_communicator_need_not_be_named_by_the_caller() {
    let text = |import: &str| {
        format!(
            "{MAIN}module m\ninteger :: comm\nend module\nmodule other\ninteger :: comm\nend module\n\
             subroutine work\n{import}\nreal a(9)\ncall send(a, i)\nend subroutine\n\
             subroutine send(values, code)\nuse mpi\nuse m, only: group => comm\nreal values(9)\n\
             integer code\ncall mpi_send(values, 9, mpi_real, 1, 2, group, code)\nend subroutine\n"
        )
    };
    let expected = "mpi_send by send(a, 9, mpi_real, 1, 2, comm, i) mpi_real";
    assert_eq!(counted(&text("use m")), [expected]);
    assert_eq!(counted(&text("use m, only: comm")), [expected]);
    assert_eq!(counted(&text("")), [""; 0]);
    assert_eq!(counted(&text("use other")), [""; 0]);
    assert_eq!(counted(&text("use m, only: group => comm\nuse other")), [""; 0]);
}

#[test]
fn a_request_that_the_caller_may_not_set_stays_with_the_call_in_the_wrapper() {
    let calls = |intent: &str| {
        counted(&format!(
            "{MAIN}subroutine await(request)\nuse mpi\ninteger request, code\n\
             call mpi_wait(request, mpi_status_ignore, code)\nend subroutine\n\
             subroutine work(requests)\nuse mpi\ninteger{intent} :: requests(2)\ncall await(requests(2))\nend subroutine\n"
        ))
    };
    assert_eq!(calls(", intent(inout)").len(), 1);
    assert_eq!(calls(", intent(in)"), [""; 0]);
}
