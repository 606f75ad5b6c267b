//! What gravelc knows of macros, from options and from compilers, and what follows for a program.

#[allow(dead_code, reason = "each test program uses a part of it")]
mod support;

use std::path::Path;
use std::process::Command;

use support::Sandbox;

/// A program that hands its message to a procedure that nobody knows, under a condition: only where the condition is known
/// to be false is it transformed.
const PROGRAM: &str = "program ring
  use mpi
  implicit none
  integer, parameter :: n = 1000
  double precision, save :: sbuf(n), rbuf(n)
  integer :: rank, ranks, next, prev, i, ierr
  integer :: status(mpi_status_size)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  next = mod(rank + 1, ranks)
  prev = mod(rank - 1 + ranks, ranks)
  do i = 1, n
    sbuf(i) = dble(rank) + dble(i)
  end do
#if defined(CONDITION)
  call unknown(sbuf, mpi_comm_world)
#endif
  call mpi_send(sbuf, n, mpi_double_precision, next, 7, mpi_comm_world, ierr)
  call mpi_recv(rbuf, n, mpi_double_precision, prev, 7, mpi_comm_world, status, ierr)
  print *, rbuf(1)
  call mpi_finalize(ierr)
end program ring
";

/// A compiler that lists its macros, and otherwise prints its arguments.
const COMPILER: &str = "#!/bin/sh
case \"$*\" in
  *'-dM -E '*)
    for argument in \"$@\"; do
      case \"$argument\" in -D*) echo \"#define ${argument#-D} 1\" ;; esac
    done
    printf '#define %s\\n' '__GFORTRAN__ 1' 'gravelc_has_seen___GFORTRAN__ 1' \
      'gravelc_asks_which_macros_are_defined 1729' ;;
  --version) echo 'fake 1.0' ;;
  -show) exit 1 ;;
  *'-c gravel.f90'*) touch gravel.mod gravel.o ;;
  *) echo \"args: $*\" ;;
esac
";

/// Is the program under this condition transformed with these options?
fn is_transformed(condition: &str, options: &[&str]) -> bool {
    let sandbox = Sandbox::new();
    sandbox.write("ring.F90", &PROGRAM.replace("defined(CONDITION)", condition));
    sandbox.write_program("fake-f90", COMPILER);
    let fixed = ["transform", "ring.F90", "-o", "out.F90"];
    let arguments: Vec<&str> = fixed.iter().chain(options).copied().collect();
    sandbox.gravelc(&arguments).has_exit_code(0);
    sandbox.read("out.F90").contains("gravel_init")
}

#[test]
fn a_compiler_knows_its_own_macros() {
    let asked = ["--undefine-others", "--compiler", "./fake-f90"];
    for (condition, options, expected) in [
        // Without the compiler's word names with an underscore are open, with it only those that it lists are defined.
        ("defined(__CUDA)", &["--undefine-others"][..], false),
        ("defined(__CUDA)", &asked, true),
        ("defined(__GFORTRAN__)", &asked, false),
        ("!defined(__GFORTRAN__)", &asked, true),
        ("__GFORTRAN__ > 1", &asked, true),
        // Others may be known to it all the same.
        ("defined(__LINE__)", &asked, false),
        ("__has_include(\"a.h\")", &asked, false),
        // What is not in the list stays open unless the user says so.
        ("defined(__CUDA)", &["--compiler", "./fake-f90"], false),
        ("!defined(__GFORTRAN__)", &["--compiler", "./fake-f90"], true),
        // Its arguments count, and what gravelc is told counts more.
        ("!defined(HERE)", &["--compiler", "./fake-f90 -O2 -DHERE"], true),
        ("defined(HERE)", &["--compiler", "./fake-f90 -DHERE", "-U", "HERE"], true),
        ("!defined(__CUDA)", &["--undefine-others", "--compiler", "./fake-f90", "-D", "__CUDA"], true),
    ] {
        assert_eq!(is_transformed(condition, options), expected, "{condition} {options:?}");
    }
}

#[test]
fn a_compiler_that_can_not_be_asked_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.F90", PROGRAM);
    sandbox.write_program("fails", "#!/bin/sh\necho 'no -dM here' >&2\nexit 3\n");
    sandbox.write_program("talks", "#!/bin/sh\necho hello\n");
    let before = sandbox.entries();
    let transform = |compiler: &str| {
        sandbox.gravelc(&["transform", "ring.F90", "-o", "out.F90", "--undefine-others", "--compiler", compiler])
    };
    transform("./fails").has_exit_code(2).says("it failed (exit status: 3)").says("no -dM here");
    transform("./talks -g")
        .has_exit_code(2)
        .says("its answer has a line `hello`")
        .says("talks -g -dM -E gravelc_asks.F90");
    transform("no-such-compiler").has_exit_code(2).says("no-such-compiler");
    transform("'").has_exit_code(2).says("is no command");
    transform("./talks -o /tmp/x").has_exit_code(2).says("`-o` has no place");
    sandbox.gravelc(&["plan", "ring.F90", "-o", "out.plan", "--compiler", "./fails"]).has_exit_code(2);
    assert_eq!(sandbox.entries(), before, "nothing is written");
}

#[test]
fn a_plan_remembers_what_the_compiler_said() {
    let sandbox = Sandbox::new();
    sandbox.write("ring.F90", &PROGRAM.replace("CONDITION", "__CUDA"));
    sandbox.write_program("fake-f90", COMPILER);
    let planned =
        sandbox.gravelc(&["plan", "ring.F90", "-o", "ring.plan", "--undefine-others", "--compiler", "./fake-f90"]);
    planned.has_exit_code(0);
    // The compiler is not asked again.
    sandbox.write_program("fake-f90", "#!/bin/sh\nexit 1\n");
    let arguments = ["transform", "--plan", "ring.plan", "ring.F90", "-o", "out.F90"];
    sandbox.gravelc(&arguments).has_exit_code(0);
    assert!(sandbox.read("out.F90").contains("gravel_init"));
    let with_compiler: Vec<&str> = arguments.into_iter().chain(["--compiler", "./fake-f90"]).collect();
    // Where it is named, it says what the build is that the plan is held against.
    sandbox.gravelc(&with_compiler).has_exit_code(2).says("does not say which macros it defines");
    sandbox.write_program("fake-f90", COMPILER);
    sandbox.gravelc(&with_compiler).has_exit_code(0);
}

#[test]
fn wrap_asks_the_compiler_that_it_launches() {
    let sandbox = Sandbox::new();
    sandbox.write("lib/libgravel.a", "");
    let compiler = sandbox.write_program("fake-f90", COMPILER);
    let is_transformed = |condition: &str, flags: &[&str]| {
        sandbox.write("ring.F90", &PROGRAM.replace("defined(CONDITION)", condition));
        let fixed = ["wrap", "--keep-dir", "kept", "--", &compiler, "ring.F90", "-o", "ring"];
        let arguments: Vec<&str> = fixed.iter().chain(flags).copied().collect();
        sandbox.gravelc(&arguments).has_exit_code(0);
        sandbox.read("kept/ring.F90").contains("gravel_init")
    };
    assert!(is_transformed("defined(__CUDA)", &[]));
    assert!(!is_transformed("defined(__CUDA)", &["-D__CUDA"]));
    assert!(is_transformed("!defined(__CUDA)", &["-D__CUDA"]));
    assert!(!is_transformed("defined(__GFORTRAN__)", &[]));
    assert!(!is_transformed("defined(__CUDA)", &["@flags"]), "these flags are not shown");
    sandbox.write_program("fake-f90", support::FAKE_COMPILER);
    assert!(!is_transformed("defined(__CUDA)", &[]), "it lists nothing");
    assert!(is_transformed("defined(CUDA)", &[]), "its command shows the others");
}

#[test]
fn what_no_preprocessor_reads_is_not_transformed() {
    // GNU's compiler skips the lines of the preprocessor, with a warning, and compiles what lies between them.
    let sandbox = Sandbox::new();
    sandbox.write("lib/libgravel.a", "");
    sandbox.write("ring.f90", &PROGRAM.replace("CONDITION", "__CUDA"));
    let compiler = sandbox.write_program("fake-f90", COMPILER);
    let wrap = |flags: &[&str]| {
        let fixed = ["wrap", "--", &compiler, "ring.f90", "-o", "ring"];
        let arguments: Vec<&str> = fixed.iter().chain(flags).copied().collect();
        sandbox.gravelc(&arguments)
    };
    wrap(&[]).has_exit_code(0).says("not transformed: ring.f90 has lines for the preprocessor, which does not read it");
    wrap(&["-cpp", "-nocpp"]).has_exit_code(0).says("not transformed");
    wrap(&["-cpp"]).has_exit_code(0).says("sites transformed");
}

#[test]
fn real_compilers_are_understood() {
    for compiler in ["gfortran", "mpif90.openmpi", "mpif90.mpich"] {
        if Command::new(Path::new(compiler)).arg("--version").output().is_err() {
            println!("skipped: there is no {compiler}");
            continue;
        }
        let with_openmp = format!("{compiler} -fopenmp -O2");
        let asked = ["--undefine-others", "--compiler", compiler];
        let asked_with_openmp = ["--undefine-others", "--compiler", &with_openmp];
        assert!(is_transformed("defined(__CUDA)", &asked), "{compiler}");
        assert!(is_transformed("!defined(__GFORTRAN__) || __GNUC__ < 2", &asked), "{compiler}");
        assert!(is_transformed("defined(_OPENMP)", &asked), "{compiler}");
        assert!(!is_transformed("defined(_OPENMP)", &asked_with_openmp), "{compiler}");
        assert!(is_transformed("!defined(_OPENMP) || _OPENMP < 199701", &asked_with_openmp), "{compiler}");
        assert!(is_transformed("!defined(__OPTIMIZE__)", &asked_with_openmp), "{compiler}");
    }
}
