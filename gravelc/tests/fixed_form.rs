//! Programs in fixed form on the command line, with included files, macros and other lengths of lines.

#[allow(dead_code, reason = "each test program uses a part of it")]
mod support;

use support::Sandbox;

/// A program in fixed form whose declarations are in two included files, one of them for a macro only.
const RING: &str = "      program ring
#ifdef USE_MPIF
      include 'mpif.h'
#else
      use mpi
#endif
      include 'sizes.h'
#include \"fields.h\"
      integer status(mpi_status_size)
      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, irank, ierr)
      call mpi_comm_size(mpi_comm_world, nranks, ierr)
      next = mod(irank + 1, nranks)
      nprev = mod(irank - 1 + nranks, nranks)
      do10i=1,n
   10 sbuf(i) = dble(irank) + dble(i)
      call mpi_irecv(rbuf, n, mpi_double_precision, nprev, 7, mpi_comm_w
     &orld, ireq, ierr)
      do 20 i = 1, n
         sbuf(i) = dble(irank) + dble(i)
   20 continue
      call mpi_send(sbuf, n, mpi_double_precision, next, 7,             00000010
     &   mpi_comm_world, ierr)
      call mpi_wait(ireq, status, ierr)
      print *, rbuf(1)
      call mpi_finalize(ierr)
      end
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("ring.F", RING);
    sandbox.write("sizes.h", "      parameter (n = 1000)\n");
    sandbox.write(
        "inc/fields.h",
        "C     what is sent and received\n      double precision sbuf(n), rbuf(n)\n      common /fields/ sbuf, rbuf\n",
    );
    sandbox
}

#[test]
fn is_read_and_written_in_its_columns() {
    let sandbox = sandbox();
    let run = sandbox.gravelc(&["transform", "ring.F", "-I", "inc", "-D", "USE_MPIF", "-o", "out.F"]);
    run.has_exit_code(0).says("3 of 3 communication sites transformed");
    let output = sandbox.read("out.F");
    assert!(output.contains("\n      call gravel_init"), "{output}");
    assert!(output.contains("\n#include \"fields.h\"\n"), "{output}");
    for line in output.lines().filter(|line| line.contains("gravel_") && !line.contains("! gravel:")) {
        assert!(line.len() <= 72 && line.starts_with("     "), "{line}");
    }
    // The output changes no more.
    let again = sandbox.gravelc(&["transform", "out.F", "-I", "inc", "-D", "USE_MPIF", "-o", "again.F"]);
    again.has_exit_code(0);
    assert_eq!(sandbox.read("again.F"), output);
}

#[test]
fn what_is_missing_is_named() {
    let sandbox = sandbox();
    let run = sandbox.gravelc(&["transform", "ring.F", "-U", "USE_MPIF", "--report", "text"]);
    run.has_exit_code(0).says("fields.h");
    let run = sandbox.gravelc(&["transform", "ring.F", "-I", "inc", "--report", "text"]);
    run.has_exit_code(0).says("#ifdef USE_MPIF");
}

#[test]
fn other_lengths_of_lines_are_kept() {
    let sandbox = sandbox();
    sandbox.write(
        "wide.f",
        &RING
            .replace("#ifdef USE_MPIF\n", "")
            .replace("#else\n      use mpi\n#endif\n", "")
            .replace("00000010", "")
            .replace("mpi_comm_w\n     &orld", "mpi_comm_world"),
    );
    let wide = ["transform", "wide.f", "-I", "inc", "-o", "out.f", "--fixed-line-length", "132"];
    sandbox.gravelc(&wide).has_exit_code(0).says("3 of 3 communication sites transformed");
    let output = sandbox.read("out.f");
    assert!(output.lines().any(|line| line.contains("gravel_") && line.len() > 72), "{output}");
    let narrow = sandbox.gravelc(&["transform", "wide.f", "-I", "inc", "--report", "text"]);
    narrow.has_exit_code(0);
    assert!(narrow.stdout.contains("0 of "), "{}", narrow.stdout);
    sandbox.gravelc(&["transform", "wide.f", "--fixed-line-length", "9", "--diff"]).has_exit_code(2);
    // An extension says nothing to whoever is told the form.
    sandbox.write("ring.f90", &sandbox.read("ring.F"));
    let run = sandbox.gravelc(&["transform", "ring.f90", "--fixed-form", "-I", "inc", "-D", "USE_MPIF", "--diff"]);
    run.has_exit_code(0).says("3 of 3 communication sites transformed");
}
