//! Programs that mean something else under a flag of their build, through `gravelc wrap`, which sees the flag.

use std::fs;

use testsuite::gravelc::Gravelc;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use testsuite::{native, runtime_library, setup};

/// What an earlier run of the procedure has posted is waited for in a later one, in which the array is said to end further on.
const SAVED_LOCALS: &str = "module fields
  use mpi
  implicit none
  integer :: rank, ranks, rows, columns
contains
  subroutine advance(step, u, w)
    integer, intent(in) :: step
    double precision, intent(inout) :: u(0:rows+1, 0:31), w(0:rows+1, 0:31)
    integer :: request, ierr, i, j
    if (mod(step, 2) == 1) then
      call mpi_irecv(u(0, columns+1), rows+2, mpi_double_precision, modulo(rank-1, ranks), 3, mpi_comm_world, request, ierr)
      call mpi_send(w(0, 3), rows+2, mpi_double_precision, modulo(rank+1, ranks), 3, mpi_comm_world, ierr)
    else
      call mpi_wait(request, mpi_status_ignore, ierr)
      do j = 1, columns
        do i = 1, rows
          w(i, j) = 0.5d0 * u(i, j+1) + w(i, j)
        end do
      end do
    end if
  end subroutine advance
end module fields
program saved
  use fields
  implicit none
  integer :: ierr, step, i, j
  double precision, allocatable :: u(:, :), w(:, :)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  rows = 60
  if (ranks > 1000) rows = 5
  allocate (u(0:rows+1, 0:31), w(0:rows+1, 0:31))
  do j = 0, 31
    do i = 0, rows + 1
      u(i, j) = i + j + rank
      w(i, j) = 1
    end do
  end do
  do step = 1, 6
    columns = merge(20, 30, mod(step, 2) == 1)
    call advance(step, u, w)
  end do
  if (rank == 0) print '(2es24.16)', sum(w), sum(u)
  call mpi_finalize(ierr)
end program saved
";

/// A line for debugging reads what has just come.
const DEBUG_LINES: &str = "      program debug
      implicit none
      include 'mpif.h'
      integer ierr, rank, ranks, i, request
      double precision a(4000), b(4000), w(4000)
      call mpi_init(ierr)
      call mpi_comm_rank(mpi_comm_world, rank, ierr)
      call mpi_comm_size(mpi_comm_world, ranks, ierr)
      do i = 1, 4000
        a(i) = i + rank
        b(i) = 0
      end do
      call mpi_irecv(b, 4000, mpi_double_precision,
     &  mod(rank-1+ranks,ranks), 3, mpi_comm_world, request, ierr)
      call mpi_send(a, 4000, mpi_double_precision,
     &  mod(rank+1,ranks), 3, mpi_comm_world, ierr)
      call mpi_wait(request, mpi_status_ignore, ierr)
D     w(1) = b(17)
      do i = 2, 4000
        w(i) = sqrt(a(i))
      end do
      if (rank .eq. 0) print '(es24.16)', sum(w(2:)) + sum(b)
D     if (rank .eq. 0) print '(es24.16)', w(1)
      call mpi_finalize(ierr)
      end
";

/// Loops fill and read messages, and add up what is not exact.
const SUMS: &str = "program sums
  use mpi
  implicit none
  integer, parameter :: n = 4000
  integer :: rank, ranks, ierr, step, i, request
  double precision :: a(n), b(n), c(n), total
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  b = 0.1d0
  c = 0.3d0
  total = 0
  do step = 1, 5
    do i = 1, n
      a(i) = sqrt(i * 0.7d0 + step) + b(i) / (i + rank)
    end do
    call mpi_irecv(b, n, mpi_double_precision, mod(rank+ranks-1, ranks), 3, mpi_comm_world, request, ierr)
    call mpi_send(a, n, mpi_double_precision, mod(rank+1, ranks), 3, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
    do i = 1, n
      c(i) = c(i) * 0.9d0 + b(i) / 3
    end do
    do i = 1, n
      total = total + c(i) * a(i)
    end do
  end do
  if (rank == 0) print '(3es24.16)', total, sum(b), sum(c)
  call mpi_finalize(ierr)
end program sums
";

/// With a flag that gives exact results away, results agree to so many parts of themselves.
const TOLERANCE: f64 = 1e-12;

/// Prints the program, built with the flag, the same after its transformation?
fn check(gravelc: &Gravelc, flavour: MpiFlavour, (flag, file, text): (&str, &str, &str)) -> Result<(), String> {
    let ([expected, found], _) = outputs(gravelc, flavour, (flag, file, text))?;
    if expected != found || expected.is_empty() {
        return Err(format!("with {flag} it prints\n{found}instead of\n{expected}"));
    }
    Ok(())
}

/// Does the program print the same up to rounding, and is that said?
fn check_rounding(gravelc: &Gravelc, flavour: MpiFlavour) -> Result<(), String> {
    let ([expected, found], said) = outputs(gravelc, flavour, ("-Ofast", "sums.f90", SUMS))?;
    let numbers = |text: &str| -> Vec<f64> { text.split_whitespace().filter_map(|word| word.parse().ok()).collect() };
    let (ones, others) = (numbers(&expected), numbers(&found));
    let is_close = |(one, other): (&f64, &f64)| (one - other).abs() <= TOLERANCE * one.abs();
    if ones.len() != 3 || ones.len() != others.len() || !ones.iter().zip(&others).all(is_close) {
        return Err(format!("with -Ofast it prints\n{found}instead of\n{expected}"));
    }
    let is_said = said.contains("`-Ofast`") && said.contains("up to rounding");
    is_said.then_some(()).ok_or_else(|| format!("nothing is said of rounding:\n{said}"))
}

/// What the program prints, built with the flag, before and after its transformation, and what gravelc says about that.
fn outputs(
    gravelc: &Gravelc,
    flavour: MpiFlavour,
    (flag, file, text): (&str, &str, &str),
) -> Result<([String; 2], String), String> {
    let folder = native::scratch("language_flags", flavour)?;
    let failed = |error: std::io::Error| format!("cannot write into {}: {error}", folder.display());
    fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(file), text)).map_err(failed)?;
    let compiler = flavour.fortran_compiler();
    let build = |options: &[&str], program: &str| {
        let wrap = gravelc.command().arg("wrap").args(options).args(["--", &compiler]);
        setup::succeed(&wrap.args([flag, file, "-o", program]).in_folder(&folder), COMPILE_LIMIT)
    };
    build(&["--no-transform"], "original")?;
    let said = build(&[], "transformed")?.stderr_text();
    let run = |name: &str| {
        let command = flavour.launch(2, &folder.join(name)).env("GRAVEL_CHECK", "1");
        setup::succeed(&command, RUN_LIMIT).map(|finished| finished.stdout_text())
    };
    Ok(([run("original")?, run("transformed")?], said))
}

#[test]
fn flags_that_change_what_programs_mean_count() {
    let gravelc = Gravelc::for_tests().expect("gravelc can be built");
    // gravelc finds it beside itself.
    runtime_library::static_library().expect("the runtime can be built");
    let programs = [("-fno-automatic", "saved.f90", SAVED_LOCALS), ("-fd-lines-as-code", "debug.f", DEBUG_LINES)];
    native::with_each_mpi(|flavour| {
        programs.into_iter().try_for_each(|program| check(&gravelc, flavour, program))?;
        check_rounding(&gravelc, flavour)
    });
}
