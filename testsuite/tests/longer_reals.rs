//! A program whose reals are as long as a flag of its build makes them, through `gravelc wrap`, which sees the flag.

use std::fs;

use testsuite::gravelc::Gravelc;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use testsuite::{native, runtime_library, setup};

/// Reals without a kind are sent as double precision.
const PROGRAM: &str = "program ring
  use mpi
  implicit none
  integer, parameter :: n = 50000
  real :: sent(n), received(n)
  real :: checksum
  integer :: rank, ranks, next, prev, i, step, request, ierr

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  checksum = 0.0
  do step = 1, 3
    call mpi_irecv(received, n, mpi_double_precision, prev, 7, mpi_comm_world, request, ierr)
    do i = 1, n
      sent(i) = rank + 0.1*i + step
    end do
    call mpi_send(sent, n, mpi_double_precision, next, 7, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      checksum = checksum + received(i)
    end do
  end do
  if (rank == 0) write (*, '(a,es24.16)') 'checksum ', checksum
  call mpi_finalize(ierr)
end program ring
";

const FLAGS: [&str; 2] = ["-fdefault-real-8", "-fdefault-double-8"];

fn check(gravelc: &Gravelc, flavour: MpiFlavour) -> Result<(), String> {
    let folder = native::scratch("longer_reals", flavour)?;
    let failed = |error: std::io::Error| format!("cannot write into {}: {error}", folder.display());
    fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join("ring.f90"), PROGRAM)).map_err(failed)?;
    let compiler = flavour.fortran_compiler();
    let build = |options: &[&str], program: &str| {
        let wrap = gravelc.command().arg("wrap").args(options).args(["--", &compiler]);
        setup::succeed(&wrap.args(FLAGS).args(["ring.f90", "-o", program]).in_folder(&folder), COMPILE_LIMIT)
    };
    build(&["--no-transform"], "original")?;
    let said = build(&["--keep-dir", "kept"], "transformed")?.stderr_text();
    if !said.contains("3 of 3 communication sites transformed") {
        return Err(format!("not everything is transformed: {said}"));
    }
    let kept = fs::read_to_string(folder.join("kept/ring.f90")).map_err(|error| error.to_string())?;
    if !kept.contains("gravel_post_os_put") {
        return Err(format!("the loop is not cut into tiles:\n{kept}"));
    }
    let run = |name: &str, tile: &str| {
        let command = flavour.launch(2, &folder.join(name)).env("GRAVEL_TILE", tile).env("GRAVEL_CHECK", "1");
        setup::succeed(&command, RUN_LIMIT).map(|finished| finished.stdout_text())
    };
    let expected = run("original", "64")?;
    for tile in ["7", "64"] {
        let found = run("transformed", tile)?;
        if expected != found || !expected.starts_with("checksum ") {
            return Err(format!("with tiles of {tile} it prints\n{found}instead of\n{expected}"));
        }
    }
    Ok(())
}

#[test]
fn flags_that_make_reals_longer_count() {
    let gravelc = Gravelc::for_tests().expect("gravelc can be built");
    // gravelc finds it beside itself.
    runtime_library::static_library().expect("the runtime can be built");
    native::with_each_mpi(|flavour| check(&gravelc, flavour));
}
