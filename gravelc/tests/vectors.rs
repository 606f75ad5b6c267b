//! Loops that compilers vectorise are cut into whole vectors, unless the build is known to compute the same bits in vectors as alone.

#[allow(dead_code, reason = "each test program uses a part of it")]
mod support;

use support::{RING, Sandbox};

/// A compiler that lists its macros, and the command that it would run, as gfortran does; and compiles nothing.
const COMPILER: &str = r##"#!/bin/sh
case " $* " in
  *' -dM -E '*)
    printf '#define gravelc_asks_which_macros_are_defined 1729\n#define __GFORTRAN__ 1\n#define gravelc_has_seen___GFORTRAN__ 1\n' ;;
  *' -### '*)
    echo 'Target: x86_64-linux-gnu' >&2
    echo " /usr/lib/f951 -march=x86-64 $*" >&2 ;;
  *'-c gravel.f90'*) touch gravel.mod gravel.o ;;
esac
"##;

/// The first and the last iteration of a short loop need what is waited for.
const HALO: &str = "subroutine smooth(u, v, next, prev)
  use mpi
  implicit none
  integer, intent(in) :: next, prev
  double precision, intent(inout) :: u(0:101), v(100)
  integer :: requests(4), i, ierr
  call mpi_irecv(u(0), 1, mpi_double_precision, prev, 1, mpi_comm_world, requests(1), ierr)
  call mpi_irecv(u(101), 1, mpi_double_precision, next, 2, mpi_comm_world, requests(2), ierr)
  call mpi_isend(u(100), 1, mpi_double_precision, next, 1, mpi_comm_world, requests(3), ierr)
  call mpi_isend(u(1), 1, mpi_double_precision, prev, 2, mpi_comm_world, requests(4), ierr)
  call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
  do i = 1, 100
    v(i) = 0.5d0 * u(i) + 0.25d0 * (u(i - 1) + u(i + 1))
  end do
end subroutine smooth
";

const MAIN: &str = "program p
  use mpi
  implicit none
  double precision :: u(0:101), v(100)
  integer :: rank, ranks, ierr
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  u = rank
  call smooth(u, v, mod(rank + 1, ranks), mod(rank - 1 + ranks, ranks))
  print *, sum(v)
  call mpi_finalize(ierr)
end program p
";

fn project() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.write("halo.f90", HALO);
    sandbox.write("main.f90", MAIN);
    sandbox.write("lib/libgravel.a", "");
    let compiler = sandbox.write_program("fake-f90", COMPILER);
    (sandbox, compiler)
}

#[test]
fn the_flags_of_the_compiler_say_where_loops_may_be_cut() {
    let (sandbox, compiler) = project();
    let transformed = |flags: Option<&str>| {
        let command = flags.map(|flags| format!("{compiler} {flags}"));
        let mut arguments = vec!["transform", "main.f90", "halo.f90", "--out-dir", "out", "--report", "text"];
        arguments.extend(command.iter().flat_map(|command| ["--compiler", command.as_str()]));
        let run = sandbox.gravelc(&arguments);
        run.has_exit_code(0);
        (sandbox.read("out/halo.f90"), run.stdout)
    };
    let (split, report) = transformed(Some("-O3"));
    assert!(split.contains("gravel_lo1 = 2\n"), "{split}");
    assert!(!report.contains("too-few-iterations"), "{report}");
    assert_eq!(transformed(Some("-march=haswell -O3 -mno-fma")).0, split);
    // What is not known is as before: without flags that say how much the build optimises they are not those of the build.
    for flags in [None, Some(""), Some("-fopenmp"), Some("-Ofast"), Some("-O3 -ffast-math"), Some("-O3 -mfpmath=387")] {
        let (whole, report) = transformed(flags);
        assert!(!whole.contains("gravel_lo1"), "{flags:?}: {whole}");
        assert!(report.contains("the rest of the vectors at its end would run behind the wait"), "{flags:?}: {report}");
        assert!(!report.contains("-mno-fma"), "{flags:?}: {report}");
    }
    let (_, report) = transformed(Some("-O3 -march=haswell"));
    assert!(report.contains("without fused operations (`-mno-fma`) its parts could be of any length"), "{report}");
}

#[test]
fn tiles_may_have_any_length() {
    let (sandbox, compiler) = project();
    sandbox.write("ring.f90", RING);
    let tiles = |command: &str| {
        let run = sandbox.gravelc(&["transform", "ring.f90", "-o", "out.f90", "--compiler", command]);
        run.has_exit_code(0);
        let output = sandbox.read("out.f90");
        output.lines().find(|line| line.contains("gravel_tile(")).expect("it is cut into tiles").to_owned()
    };
    let (any, whole) = (tiles(&format!("{compiler} -O2")), tiles(&compiler));
    assert_eq!(any, whole.replace(')', ", 1)"), "{whole}");
}

#[test]
fn each_file_of_a_build_has_its_own_vectors_and_a_plan_rests_on_them() {
    let (sandbox, compiler) = project();
    let log = |flags: &str| {
        let text = format!("{compiler} -O3 {flags} -c halo.f90 -o halo.o\n{compiler} -Ofast main.f90 halo.o -o prog\n");
        sandbox.write("build.log", &text);
    };
    let planned = || {
        sandbox.gravelc(&["plan", "--build", "build.log", "-o", "program.plan"]).has_exit_code(0);
        let plan: serde_json::Value = serde_json::from_str(&sandbox.read("program.plan")).expect("a plan is JSON");
        let of_files = plan["document"]["options"]["of_files"].clone();
        ["halo.f90", "main.f90"].map(|name| {
            let path = sandbox.path(name).canonicalize().expect("it is there");
            let way = of_files["files"][path.to_str().expect("UTF-8")].as_u64().expect("it has a way");
            let way = &of_files["ways"][usize::try_from(way).expect("few ways")];
            way["vector_arithmetic"].as_str().expect("it says").to_owned()
        })
    };
    let wrap = |flags: &[&str]| {
        let first = ["wrap", "--plan", "program.plan", "--keep-dir", "kept", "--", &compiler, "-c", "halo.f90"];
        sandbox.gravelc(&[&first, flags].concat())
    };
    log("");
    assert_eq!(planned(), ["Elementwise", "Unknown"]);
    wrap(&["-O3"]).has_exit_code(0);
    assert!(sandbox.read("kept/halo.f90").contains("gravel_lo1 = 2\n"));
    wrap(&["-O3", "-march=haswell"]).has_exit_code(2).says("may fuse multiplications and additions");
    wrap(&["-O3", "-mfpmath=387"]).has_exit_code(2).says("not known how this command computes in vectors");
    // A plan that cuts nothing inside of vectors is for all of them.
    log("-march=haswell");
    assert_eq!(planned(), ["Fused", "Unknown"]);
    wrap(&["-O3", "-march=haswell"]).has_exit_code(0);
    wrap(&["-O3"]).has_exit_code(0);
}
