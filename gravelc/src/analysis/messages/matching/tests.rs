//! Match classes of small programs.

use std::path::Path;

use super::*;
use crate::frontend::{FrontendOptions, parse_text};

/// The lines of the members of each class.
fn classes(text: &str) -> Vec<Vec<usize>> {
    let program = parse_text(Path::new("test.f90"), text.into(), &FrontendOptions::default()).expect("it is text");
    let facts = Facts::new(&program);
    let line = |site: &SiteId| program.line(program.procedure(site.procedure).statement(site.statement).span);
    match_classes(&facts).iter().map(|class| class.members.iter().map(line).collect()).collect()
}

const DECLARATIONS: &str = "use mpi\nreal :: a(9), b(9)\ninteger :: r, q, ierr, s(mpi_status_size)\n";

const BODY: &str = "call mpi_recv_init(a, 9, mpi_real, 1, 1, mpi_comm_world, r, ierr)\n\
    call mpi_start(r, ierr)\n\
    call mpi_send(b, 9, mpi_real, 1, 1, mpi_comm_world, ierr)\n\
    call mpi_wait(r, s, ierr)\n\
    call mpi_request_free(r, ierr)\n\
    call mpi_send(b, 9, mpi_real, 1, 2, mpi_comm_world, ierr)\n\
    call mpi_recv(b, 9, mpi_real, 1, 2, mpi_comm_world, s, ierr)\nend\n";

#[test]
fn persistent_operations_are_with_what_they_could_meet() {
    let text = format!("program p\n{DECLARATIONS}{BODY}");
    assert_eq!(classes(&text), [vec![5, 7], vec![10, 11]]);
}

#[test]
fn a_start_of_what_is_not_seen_may_meet_anything() {
    // Nothing is known of who calls it, nor of what the request stands for.
    let text = format!("subroutine p(q)\n{DECLARATIONS}call mpi_start(q, ierr)\n{BODY}");
    assert_eq!(classes(&text).len(), 1);
    // Whatever else is called takes part by itself.
    let text = format!("program p\n{DECLARATIONS}call other(r)\n{BODY}");
    assert_eq!(classes(&text).len(), 1);
}

#[test]
fn operations_of_one_variable_need_not_be_together() {
    let text =
        format!("program p\n{DECLARATIONS}call mpi_isend(a, 9, mpi_real, 1, 2, mpi_comm_world, r, ierr)\n{BODY}");
    assert_eq!(classes(&text), [vec![5, 11, 12], vec![6, 8]]);
}

#[test]
fn what_completes_requests_is_in_no_class() {
    let posts = "call mpi_isend(a, 9, mpi_real, 1, 2, mpi_comm_world, r, ierr)\n\
                 call mpi_isend(b, 9, mpi_real, 1, 3, mpi_comm_world, q, ierr)\n";
    let of = |statement: &str| {
        classes(&format!(
            "program p\n{DECLARATIONS}logical :: done\n{posts}{statement}\ncall mpi_wait(r, s, ierr)\n\
             call mpi_wait(q, s, ierr)\nend\n"
        ))
    };
    for statement in ["continue", "call mpi_test(r, done, s, ierr)", "call mpi_cancel(r, ierr)"] {
        assert_eq!(of(statement), [vec![6], vec![7]], "{statement}");
    }
    // A probe sees messages, whoever waits for them.
    assert_eq!(of("call mpi_probe(0, mpi_any_tag, mpi_comm_world, s, ierr)").len(), 1);
}

#[test]
fn files_and_hints_take_no_part() {
    let text = "program p\nuse mpi\nreal :: a(9)\ninteger :: file, info, ierr, s(mpi_status_size)\nlogical :: is_there\n\
                integer(mpi_address_kind) :: bound\n\
                call mpi_info_create(info, ierr)\ncall mpi_comm_get_attr(mpi_comm_world, mpi_tag_ub, bound, is_there, ierr)\n\
                call mpi_file_open(mpi_comm_world, 'f', mpi_mode_rdonly, info, file, ierr)\n\
                call mpi_file_read_at_all(file, 0_8, a, 9, mpi_real, s, ierr)\ncall mpi_file_close(file, ierr)\n\
                call mpi_send(a, 9, mpi_real, 1, 2, mpi_comm_world, ierr)\nend\n";
    assert_eq!(classes(text), [vec![12]]);
}

#[test]
fn a_function_of_a_reduction_may_do_what_it_does() {
    let of = |called: &str, function: &str| {
        classes(&format!(
            "program p\n{DECLARATIONS}integer :: op\nexternal total\ncall mpi_op_create({called}, .true., op, ierr)\n\
             call mpi_send(a, 9, mpi_real, 1, 1, mpi_comm_world, ierr)\n\
             call mpi_send(b, 9, mpi_real, 1, 2, mpi_comm_world, ierr)\nend\n\
             subroutine total(new, kept, length, datatype)\ninteger :: length, datatype, i\n\
             real :: new(length), kept(length), seen(9)\ncommon /block/ seen\n\
             do i = 1, length\n{function}\nkept(i) = kept(i) + sqrt(new(i))\nend do\nend\n\
             real function half(x)\nreal :: x\nhalf = x/2\nend\n"
        ))
    };
    for harmless in ["", "new(i) = half(new(i))", "call mpi_type_size(datatype, j, ierr)"] {
        assert_eq!(of("total", harmless), [vec![8], vec![9]], "{harmless}");
    }
    let harmful = [
        "new(i) = seen(i)",
        "seen(i) = new(i)",
        "print *, new(i)",
        "if (new(i) < 0) stop",
        "call other(new(i))",
        "call mpi_send(new, 1, mpi_real, 1, 1, mpi_comm_world, ierr)",
        "call mpi_abort(mpi_comm_world, 1, ierr)",
    ];
    for harmful in harmful {
        assert_eq!(of("total", harmful).len(), 1, "{harmful}");
    }
    // One that was not given, and arguments that do not fit.
    assert_eq!(of("elsewhere", "").len(), 1);
    assert_eq!(of("total, op", "").len(), 1);
}
