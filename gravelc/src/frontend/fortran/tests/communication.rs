//! Calls of MPI.

use super::{body, dump, procedure, program, statements_of};

const MPI: &str = "use mpi\nreal(8) buf(9)\ninteger n, req, ierr, rank, status(mpi_status_size)";

#[test]
fn sends_and_receives() {
    let out = body(
        MPI,
        "call MPI_Send(buf(3), n, MPI_DOUBLE_PRECISION, 1, 7, MPI_COMM_WORLD, ierr)\n\
         call mpi_ssend(buf, n, mpi_byte, 1, 7, mpi_comm_world, ierr)\n\
         call mpi_recv(buf, n, mytype, mpi_any_source, mpi_any_tag, comm, mpi_status_ignore, ierr)\n\
         call mpi_irecv(buf, count=n, datatype=mpi_real8, source=0, tag=1, comm=comm, request=req, ierror=ierr)\n\
         call mpi_wait(req, status, ierr)",
    );
    assert_eq!(
        out,
        "mpi_send send Standard [buf[3] xn Real(8) peer 1 tag 7 on mpi_comm_world] -> ierr\n\
         mpi_ssend send Synchronous [buf xn Unknown(1) peer 1 tag 7 on mpi_comm_world] -> ierr\n\
         mpi_recv receive [buf xn ? peer mpi_any_source tag mpi_any_tag on comm] ignored -> ierr\n\
         mpi_irecv receive [buf xn Real(8) peer 0 tag 1 on comm] => req ignored -> ierr\n\
         mpi_wait wait req status status -> ierr\n"
    );
}

#[test]
fn two_messages_at_once_and_several_requests() {
    let out = body(
        "use mpi\nreal(8) a(9), b(9)\ninteger n, req(4), ierr, status(mpi_status_size), statuses(mpi_status_size, 4)",
        "call mpi_sendrecv(a, n, mpi_real8, 1, 7, b(2), 3, mpi_real8, 0, 8, mpi_comm_world, status, ierr)\n\
         call mpi_sendrecv(sendbuf=a, sendcount=n, sendtype=mpi_real8, dest=1, sendtag=7, recvbuf=b, recvcount=3, &\n\
         recvtype=mpi_byte, source=0, recvtag=8, comm=comm, status=mpi_status_ignore, ierror=ierr)\n\
         call mpi_waitall(2, req(3), statuses, ierr)\ncall mpi_waitall(n, req, mpi_statuses_ignore, ierr)",
    );
    assert_eq!(
        out,
        "mpi_sendrecv send [a xn Real(8) peer 1 tag 7 on mpi_comm_world] and receive [b[2] x3 Real(8) peer 0 tag 8 \
         on mpi_comm_world] status status -> ierr\n\
         mpi_sendrecv send [a xn Real(8) peer 1 tag 7 on comm] and receive [b x3 Unknown(1) peer 0 tag 8 on comm] \
         ignored -> ierr\n\
         mpi_waitall wait for 2 of req[3] status statuses -> ierr\nmpi_waitall wait for n of req ignored -> ierr\n"
    );
}

#[test]
fn exchanges_of_everyone_with_everyone() {
    let out = body(
        "use mpi\nreal(8) a(9), b(9)\ninteger n, ierr",
        "call mpi_alltoall(a, n, mpi_real8, b(2), 3, mpi_real8, comm, ierr)\n\
         call mpi_alltoall(recvbuf=b, recvcount=3, recvtype=mpi_real8, sendbuf=a, sendcount=n, sendtype=mytype, comm=comm)\n\
         call mpi_alltoall(mpi_in_place, 0, mpi_real8, b, 3, mpi_real8, comm, ierr)\n\
         call mpi_alltoallv(a, m, m, mpi_real8, b, m, m, mpi_real8, comm, ierr)\n\
         call mpi_alltoallv(mpi_in_place, m, m, mpi_real8, b, m, m, mpi_real8, comm, ierr)\ncall mpi_alltoall(a, b, ierr)",
    );
    assert_eq!(
        out,
        "mpi_alltoall send [a xn Real(8) everyone on comm] and receive [b[2] x3 Real(8) everyone on comm] ignored -> ierr\n\
         mpi_alltoall send [a xn ? everyone on comm] and receive [b x3 Real(8) everyone on comm] ignored\n\
         mpi_alltoall other exchange on comm an exchange in place: mpi_in_place, 0, mpi_real8, b, 3, mpi_real8, comm, ierr \
         -> ierr\n\
         mpi_alltoallv send [a xm Real(8) everyone at m on comm] and receive [b xm Real(8) everyone at m on comm] ignored \
         -> ierr\n\
         mpi_alltoallv other exchange in blocks on comm an exchange in place: mpi_in_place, m, m, mpi_real8, b, m, m, \
         mpi_real8, comm, ierr -> ierr\n\
         mpi_alltoall other may(tags ; on any) a call of MPI whose arguments do not fit: a, b, ierr\n"
    );
}

#[test]
fn everything_else_has_its_part() {
    let out = body(
        MPI,
        "call mpi_init(ierr)\ncall mpi_comm_rank(mpi_comm_world, rank, ierr)\n\
         call mpi_comm_split(mpi_comm_world, 1, rank, comm, ierr)\ncall mpi_bcast(buf, n, mpi_real8, 0, comm, ierr)\n\
         call mpi_probe(0, 5, comm, status, ierr)\ncall mpi_waitany(n, reqs, rank, status, ierr)\n\
         call mpi_sendrecv_replace(buf, n, mpi_real8, 0, 5, 1, 6, comm, status, ierr)\ncall mpi_win_fence(0, win, ierr)\n\
         call mpi_abort(comm, 1, ierr)\ncall mpi_finalize(ierr)\nbuf(1) = mpi_wtime()",
    );
    assert_eq!(
        out,
        "mpi_init initialize() -> ierr\nmpi_comm_rank inquiry(mpi_comm_world) writes(rank) -> ierr\n\
         mpi_comm_split create comm of(mpi_comm_world, 1, rank) -> ierr\n\
         mpi_bcast other apart a collective operation: buf, n, mpi_real8, 0, comm, ierr -> ierr\n\
         mpi_probe other probes(0 5 on comm) a probe: 0, 5, comm, status, ierr -> ierr\n\
         mpi_waitany complete WaitAny n of reqs => rank status status -> ierr\n\
         mpi_sendrecv_replace send [buf xn Real(8) peer 0 tag 5 on comm] and replace it by [buf xn Real(8) peer 1 tag 6 on comm] \
         status status -> ierr\n\
         mpi_win_fence other apart anywhere one-sided communication: 0, win, ierr -> ierr\n\
         stop\nmpi_finalize finalize -> ierr\nbuf[1] = $mpi_wtime()\n"
    );
}

#[test]
fn tests_and_waits_for_any_and_some() {
    let out = body(
        "use mpi\ninteger n, req(4), ierr, which, done(4), k, stats(mpi_status_size, 4), status(mpi_status_size)\nlogical yes",
        "call mpi_test(req(2), yes, status, ierr)\ncall mpi_test(request=req(k), status=mpi_status_ignore, flag=yes)\n\
         call mpi_testall(n, req, yes, stats, ierr)\ncall mpi_waitany(n, req, which, mpi_status_ignore, ierr)\n\
         call mpi_testany(n, req, which, yes, status, ierr)\ncall mpi_waitsome(n, req, k, done, stats, ierr)\n\
         call mpi_testsome(outcount=k, incount=n, array_of_indices=done, array_of_requests=req, &\n\
         array_of_statuses=mpi_statuses_ignore, ierror=ierr)\ncall mpi_request_get_status(req(2), yes, status, ierr)\n\
         call mpi_cancel(req(2), ierr)\ncall mpi_testall(n, req, ierr)",
    );
    assert_eq!(
        out,
        "mpi_test complete Test req[2] => yes status status -> ierr\n\
         mpi_test complete Test req[k] => yes ignored\n\
         mpi_testall complete TestAll n of req => yes status stats -> ierr\n\
         mpi_waitany complete WaitAny n of req => which ignored -> ierr\n\
         mpi_testany complete TestAny n of req => which, yes status status -> ierr\n\
         mpi_waitsome complete WaitSome n of req => k, done status stats -> ierr\n\
         mpi_testsome complete TestSome n of req => k, done ignored -> ierr\n\
         mpi_request_get_status other looks at(req[2]) a look at a request: req[2], yes, status, ierr -> ierr\n\
         mpi_cancel other cancels(req[2]) a cancellation: req[2], ierr -> ierr\n\
         mpi_testall other may(tags ; on any) a call of MPI whose arguments do not fit: n, req, ierr\n"
    );
}

#[test]
fn persistent_operations() {
    let out = body(
        "use mpi\nreal(8) buf(9)\ninteger n, req(4), ierr",
        "call mpi_send_init(buf, n, mpi_real8, 1, 7, mpi_comm_world, req(1), ierr)\n\
         call mpi_ssend_init(buf, n, mpi_real8, 1, 7, mpi_comm_world, req(2), ierr)\n\
         call mpi_recv_init(buf(2), 3, mpi_real8, 1, 7, mpi_comm_world, request=req(3), ierror=ierr)\n\
         call mpi_start(req(2), ierr)\ncall mpi_startall(n, req, ierr)\ncall mpi_request_free(req(2), ierr)\n\
         call mpi_start(req(2), req(3), ierr)",
    );
    assert_eq!(
        out,
        "mpi_send_init prepare Sent Standard [buf xn Real(8) peer 1 tag 7 on mpi_comm_world] => req[1] -> ierr\n\
         mpi_ssend_init prepare Sent Synchronous [buf xn Real(8) peer 1 tag 7 on mpi_comm_world] => req[2] -> ierr\n\
         mpi_recv_init prepare Received Standard [buf[2] x3 Real(8) peer 1 tag 7 on mpi_comm_world] => req[3] -> ierr\n\
         mpi_start start req[2] -> ierr\nmpi_startall start n of req -> ierr\nmpi_request_free release req[2] -> ierr\n\
         mpi_start other may(tags ; on any) a call of MPI whose arguments do not fit: req[2], req[3], ierr\n"
    );
}

#[test]
fn the_error_code_may_be_left_out_in_the_new_interface() {
    let out = body(
        "use mpi_f08\nreal buf(9)\ntype(mpi_request) r\ntype(mpi_status) s\ninteger i",
        "call mpi_isend(buf, 9, mpi_real, 1, 2, mpi_comm_world, r)\ncall mpi_wait(r, s)\ni = s%mpi_tag + r%mpi_val",
    );
    assert_eq!(
        out,
        "mpi_isend send Standard [buf x9 Real(4) peer 1 tag 2 on mpi_comm_world] => r\nmpi_wait wait r status s\n\
         i = (s%{}+r%{})\n"
    );
}

#[test]
fn arguments_that_do_not_fit_leave_everything_open() {
    let out = body(MPI, "call mpi_send(buf, n, ierr)\ncall mpi_send(buf, n, mpi_real8, 1, 7, mpi_comm_world, ierr, n)");
    assert_eq!(out.matches("whose arguments do not fit").count(), 2);
}

#[test]
fn constants_need_their_module_and_can_be_hidden() {
    let out = body("include 'mpif.h'\ninteger mpi_tag, comm", "mpi_tag = 3\ncomm = mpi_comm_world");
    assert_eq!(out, "mpi_tag = 3\ncomm = mpi_comm_world\n");
    let text = "subroutine s\ninteger mpi_tag\nINCLUDE \"mpif.h\"\nmpi_tag = mpi_comm_world\nend subroutine\n";
    let program = program(text);
    let owner = procedure(&program, "s");
    let class = |name: &str| owner.symbol(owner.find_symbol(name).unwrap()).class.clone();
    assert_eq!(class("mpi_tag"), crate::ir::SymbolClass::Variable);
    assert_eq!(class("mpi_comm_world"), crate::ir::SymbolClass::MessagingConstant);
}

#[test]
fn renamed_names_of_mpi_keep_their_meaning() {
    let out = body(
        "use mpi, only: world => mpi_comm_world, send => mpi_send, mpi_real\nreal x",
        "call send(x, 1, mpi_real, 0, 1, world, ierr)",
    );
    assert_eq!(out, "mpi_send send Standard [x x1 Real(4) peer 0 tag 1 on mpi_comm_world] -> ierr\n");
}

#[test]
fn a_procedure_with_a_name_of_mpi_for_linkers_may_be_called_for_it() {
    let calls = "call mpi_send(1)\ncall pmpi_send(1)\ncall mpi_isend(1)\nt = mpi_wtime()\n";
    let opaque = |module: &str, definition: &str| {
        let text = format!("subroutine test\nuse {module}\n{calls}end subroutine\n{definition}\n");
        let found = statements_of(&text, "test");
        let lines: Vec<bool> = found.lines().map(|line| line.contains("may be")).collect();
        <[bool; 4]>::try_from(lines).unwrap_or_else(|lines| panic!("{lines:?}: {found}"))
    };
    for (definition, expected) in [
        ("subroutine mpi_send_f08(i)\nend subroutine", [true, false, false, false]),
        ("subroutine mpi_send_f08ts(i)\nend subroutine", [true, false, false, false]),
        // Another routine of MPI's may call it; what names it calls it.
        ("subroutine pmpi_send(i)\nend subroutine", [true, false, false, false]),
        ("subroutine s(i) bind(c, name='MPI_Send')\nend subroutine", [true, false, false, false]),
        ("subroutine s(i) bind(c, name=\"PMPI_Isend\")\nend subroutine", [false, false, true, false]),
        ("subroutine s(i)\nentry mpi_isend_f(i)\nend subroutine", [false, false, true, false]),
        ("function mpi_wtime_f08()\nend function", [false, false, false, true]),
        // Which name that is nobody can tell.
        ("subroutine s(i) bind(c, name=label)\nend subroutine", [true, true, true, true]),
        // Of a module, to linkers it is called otherwise.
        ("module m\ncontains\nsubroutine mpi_send_f08(i)\nend subroutine\nend module", [false; 4]),
        ("subroutine mpi_send_all_f08(i)\nend subroutine", [false; 4]),
    ] {
        assert_eq!(opaque("mpi", definition), expected, "{definition}");
    }
    // The name of old times is that of the call only where no module gives it another one.
    let old = "subroutine mpi_send(i)\nend subroutine";
    assert_eq!((opaque("mpi", old), opaque("mpi_f08", old)), ([false; 4], [true, false, false, false]));
}

#[test]
fn the_programs_own_procedure_of_that_name_is_called() {
    let text = "subroutine test\nuse mpi\ncall mpi_send(1)\nend subroutine\nsubroutine mpi_send(i)\nend subroutine\n";
    let program = program(text);
    assert_eq!(dump::statements(&program, procedure(&program, "test")), "call mpi_send(1)\n");
}

#[test]
fn a_program_that_uses_the_runtime_already_is_left_to_it() {
    let out = body("use gravel\ninteger(gravel_request_kind) r\nreal x(2)", "call gravel_wait(r, x)");
    assert_eq!(out, "call ?gravel_wait(r, x)\n");
}
