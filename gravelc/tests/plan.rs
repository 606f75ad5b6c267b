//! Plans: decided about a whole program, carried out file by file.

#[allow(dead_code, reason = "each test program uses a part of it")]
mod support;

use support::Sandbox;

const HALO: &str = "subroutine exchange(sbuf, rbuf, n, to, from, comm)
  use mpi
  implicit none
  integer :: n, to, from, comm, request, i, ierr
  double precision :: sbuf(n), rbuf(n)
  call mpi_irecv(rbuf, n, mpi_double_precision, from, 7, comm, request, ierr)
  do i = 1, n
    sbuf(i) = dble(i)
  end do
  call mpi_send(sbuf, n, mpi_double_precision, to, 7, comm, ierr)
  call mpi_wait(request, mpi_status_ignore, ierr)
end subroutine
";

const CALLER: &str = "program caller
  use mpi
  implicit none
  integer, parameter :: n = 1000
  double precision, save :: sbuf(n), rbuf(n)
  integer :: comm, rank, ranks, ierr
  call mpi_init(ierr)
  call mpi_comm_dup(mpi_comm_world, comm, ierr)
  call mpi_comm_rank(comm, rank, ierr)
  call mpi_comm_size(comm, ranks, ierr)
  call exchange(sbuf, rbuf, n, mod(rank + 1, ranks), mod(rank - 1 + ranks, ranks), comm)
  print *, rbuf(1)
  call mpi_finalize(ierr)
end program caller
";

#[test]
fn a_plan_does_what_transforming_at_once_does() {
    let sandbox = Sandbox::new();
    sandbox.write("src/halo.f90", HALO);
    sandbox.write("caller.f90", CALLER);
    sandbox.gravelc(&["transform", "caller.f90", "src/halo.f90", "--out-dir", "at-once"]).has_exit_code(0);
    sandbox.gravelc(&["plan", "caller.f90", "src/halo.f90", "-o", "program.plan"]).has_exit_code(0);
    for file in ["caller.f90", "src/halo.f90"] {
        sandbox.gravelc(&["transform", "--plan", "program.plan", file, "--out-dir", "planned"]).has_exit_code(0);
    }
    for file in ["caller.f90", "src/halo.f90"] {
        let planned = sandbox.read(&format!("planned/{file}"));
        assert!(planned.contains("gravel_"), "{planned}");
        assert_eq!(planned, sandbox.read(&format!("at-once/{file}")));
    }
}

/// A type that holds requests, in a file of its own.
const EXCHANGE: &str = "module exchange
use mpi
type :: ring
  double precision :: sent(900), received(900)
  integer :: requests(2)
end type ring
contains
subroutine start(self, next, prev)
  type(ring), intent(inout) :: self
  integer, intent(in) :: next, prev
  integer :: ierr
  call mpi_irecv(self%received, 900, mpi_double_precision, prev, 1, mpi_comm_world, self%requests(1), ierr)
  call mpi_isend(self%sent, 900, mpi_double_precision, next, 1, mpi_comm_world, self%requests(2), ierr)
end subroutine start
end module exchange
";

/// A program that waits for such requests, knowing the type by another name.
const EXCHANGING: &str = "program p
use mpi
use exchange, only: pair => ring, start
type(pair) :: pairs(3)
integer :: ierr, i
call mpi_init(ierr)
do i = 1, 3
  call start(pairs(i), 0, 0)
end do
do i = 1, 3
  call mpi_waitall(2, pairs(i)%requests, mpi_statuses_ignore, ierr)
end do
call mpi_finalize(ierr)
end program p
";

#[test]
fn requests_in_objects_of_a_type_in_another_file_stay_there() {
    let sandbox = Sandbox::new();
    sandbox.write("exchange.f90", EXCHANGE);
    sandbox.write("main.f90", EXCHANGING);
    sandbox.gravelc(&["transform", "exchange.f90", "main.f90", "--out-dir", "out"]).has_exit_code(0);
    let (module, main) = (sandbox.read("out/exchange.f90"), sandbox.read("out/main.f90"));
    assert!(module.contains("call gravel_post"), "{module}");
    assert!(!module.contains("gravel_request"), "{module}");
    assert!(main.contains("call gravel_waitall(2, pairs(i)%requests, ierr)\n"), "{main}");
    assert!(main.contains("call gravel_f_sync_reg(pairs(i)%received)\n"), "{main}");
    // Who has only one of them knows nothing of the other.
    sandbox.gravelc(&["transform", "exchange.f90", "--out-dir", "alone"]).has_exit_code(0);
    assert_eq!(sandbox.read("alone/exchange.f90"), EXCHANGE);
    // A plan says all that a run without one finds out.
    sandbox.gravelc(&["plan", "exchange.f90", "main.f90", "-o", "plan.json"]).has_exit_code(0);
    let planned = ["transform", "--plan", "plan.json", "exchange.f90", "main.f90", "--out-dir", "planned"];
    sandbox.gravelc(&planned).has_exit_code(0);
    assert_eq!(sandbox.read("planned/exchange.f90"), module);
    assert_eq!(sandbox.read("planned/main.f90"), main);
}

#[test]
fn a_plan_holds_for_what_its_files_include() {
    let sandbox = Sandbox::new();
    let caller = CALLER.replace("  integer, parameter :: n = 1000\n", "  include 'sizes.h'\n");
    sandbox.write("halo.f90", HALO);
    sandbox.write("caller.f90", &caller);
    sandbox.write("sizes.h", "integer, parameter :: n = 1000\n");
    sandbox.gravelc(&["plan", "caller.f90", "halo.f90", "-o", "program.plan"]).has_exit_code(0);
    let execute = || sandbox.gravelc(&["transform", "--plan", "program.plan", "halo.f90", "--out-dir", "out"]);
    execute().has_exit_code(0);
    sandbox.write("sizes.h", "integer, parameter :: n = 1001\n");
    execute().has_exit_code(2).says("sizes.h, which is included, has changed since program.plan was made");
}

#[test]
fn a_plan_of_other_sources_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("halo.f90", HALO);
    sandbox.write("caller.f90", CALLER);
    sandbox.gravelc(&["plan", "caller.f90", "halo.f90", "-o", "program.plan"]).has_exit_code(0);
    sandbox.write("other.f90", HALO);
    let execute = |file: &str| sandbox.gravelc(&["transform", "--plan", "program.plan", file, "-o", "out.f90"]);
    execute("other.f90").has_exit_code(2).says("not among the files of program.plan");
    // The other file counts, too: it may hold the other end of a message.
    sandbox.write("caller.f90", &CALLER.replace("n = 1000", "n = 1001"));
    execute("halo.f90").has_exit_code(2).says("caller.f90 has changed since program.plan was made");
    sandbox.write("caller.f90", CALLER);
    let plan = sandbox.read("program.plan");
    sandbox.write("program.plan", &plan.replacen("\"line\": ", "\"line\": 1", 1));
    execute("halo.f90").has_exit_code(2).says("program.plan has been changed");
    sandbox.write("program.plan", "{}");
    execute("halo.f90").has_exit_code(2).says("not a plan of this gravelc");
    assert!(!sandbox.entries().contains(&"out.f90".to_string()), "nothing is written");
}

/// A source for the preprocessor that asks for its place, and includes something.
fn placed_halo() -> String {
    HALO.replace("  integer :: n,", "#include \"tuning.h\"\n  integer :: n,")
        .replace("end subroutine", "  print *, __FILE__, __LINE__\nend subroutine")
}

/// What `gravelc wrap` gives to a compiler that is launched in `folder` is what transforming makes of it.
#[test]
fn a_build_gets_what_the_plan_has_made_and_reads_no_other_file() {
    let sandbox = Sandbox::new();
    sandbox.write("src/halo.F90", &placed_halo());
    sandbox.write("src/tuning.h", "integer, parameter :: tuned = 1\n");
    sandbox.write("caller.f90", CALLER);
    sandbox.write("outside.f90", "subroutine outside\nend subroutine\n");
    sandbox.write("lib/libgravel.a", "");
    let compiler = sandbox.write_program("fake-f90", support::FAKE_COMPILER);
    sandbox.gravelc(&["transform", "caller.f90", "src/halo.F90", "--out-dir", "at-once"]).has_exit_code(0);
    sandbox.gravelc(&["plan", "caller.f90", "src/halo.F90", "-o", "program.plan"]).has_exit_code(0);
    let wrap = |file: &str| {
        sandbox.gravelc(&["wrap", "--plan", "program.plan", "--keep-dir", "kept", "--", &compiler, "-c", file])
    };
    wrap("caller.f90").has_exit_code(0);
    wrap("src/halo.F90").has_exit_code(0);
    for file in ["caller.f90", "src/halo.F90"] {
        let kept = sandbox.read(&format!("kept/{file}"));
        assert!(kept.contains("gravel_"), "{kept}");
        assert_eq!(kept, sandbox.read(&format!("at-once/{file}")));
    }
    assert!(sandbox.read("kept/src/halo.F90").contains("#line 1 \"src/halo.F90\"\n"));
    // A command of another folder calls it otherwise.
    let script = format!("cd src && $GRAVELC wrap --plan ../program.plan --keep-dir ../deep -- {compiler} -c halo.F90");
    sandbox.shell(&script).has_exit_code(0);
    assert!(sandbox.read("deep/src/halo.F90").contains("#line 1 \"halo.F90\"\n"));
    wrap("outside.f90").has_exit_code(0).says("outside.f90 is not among the files of program.plan");

    // Any file that has changed counts.
    sandbox.write("src/tuning.h", "integer, parameter :: tuned = 2\n");
    wrap("src/halo.F90").has_exit_code(2).says("tuning.h, which is included, has changed since program.plan was made");
    sandbox.write("src/tuning.h", "integer, parameter :: tuned = 1\n");
    wrap("src/halo.F90").has_exit_code(0);
    sandbox.write("caller.f90", &CALLER.replace("n = 1000", "n = 1001"));
    wrap("src/halo.F90").has_exit_code(2).says("caller.f90 has changed since program.plan was made");
    wrap("outside.f90").has_exit_code(0);
}

/// In C, too; `__has_include` asks for a header that need not be there.
#[test]
fn a_build_in_c_gets_what_the_plan_has_made() {
    let sandbox = Sandbox::new();
    sandbox.write("src/ring.c", C_RING);
    sandbox.write("lib/libgravel.a", "");
    sandbox.gravelc(&["transform", "src/ring.c", "--out-dir", "at-once"]).has_exit_code(0);
    sandbox.gravelc(&["plan", "src/ring.c", "-o", "program.plan"]).has_exit_code(0);
    let wrap =
        || sandbox.gravelc(&["wrap", "--plan", "program.plan", "--keep-dir", "kept", "--", "cc", "-c", "src/ring.c"]);
    // There is no MPI here: the compiler itself fails, behind what is to be seen.
    wrap().has_exit_code(1);
    assert_eq!(sandbox.read("kept/ring.c"), format!("#line 1 \"src/ring.c\"\n{}", sandbox.read("at-once/ring.c")));
    sandbox.write("src/tuning.h", "enum { tuned = 1 };\n");
    wrap().has_exit_code(2).says("tuning.h, which is included, has changed since program.plan was made");
}

const C_RING: &str = "#include <mpi.h>
#if __has_include(\"tuning.h\")
#include \"tuning.h\"
#endif
double in[1000], out[1000];
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 1000; i++) out[i] = rank + i;
    MPI_Sendrecv(out, 1000, MPI_DOUBLE, (rank + 1) % size, 3, in, 1000, MPI_DOUBLE, (rank + size - 1) % size, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return (int)in[0];
}
";
