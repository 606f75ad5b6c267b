//! A plan is carried out on the build that it was made for, and on no other: macros and flags that matter to a file are refused,
//! others are not.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use testsuite::command::CommandLine;
use testsuite::gravelc::Gravelc;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use testsuite::process::{self, Ending};
use testsuite::{native, runtime_library, setup};

const LIMIT: Duration = Duration::from_secs(120);

/// The module that communicates. What stands between its calls depends on macros, directives, the form of lines.
const EXCHANGE: &str = "module exchange
  use mpi
  implicit none
#ifndef LENGTH
#define LENGTH 20000
#endif
  integer, parameter :: n = LENGTH
  integer :: rank, ranks, ierr
  double precision :: sbuf(n), rbuf(n), field(n)
contains
  subroutine swap()
    integer :: request
#if LEVEL > 2
    field = 0
#endif
    call mpi_irecv(rbuf, n, mpi_double_precision, modulo(rank - 1, ranks), 7, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, modulo(rank + 1, ranks), 7, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
#ifdef EXTRA
    rbuf = rbuf * 3
    sbuf = 0
#endif
    !$ sbuf(1) = 11d0
  end subroutine swap
end module exchange
";

/// The program around it, to which none of these matters.
const MAIN: &str = "program p
  use exchange
  implicit none
  integer :: i, it
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  field = rank
  do it = 1, 5
    do i = 1, n
      sbuf(i) = field(i) * it + i
    end do
    call swap()
    do i = 1, n
      field(i) = field(i) * 0.5d0 + rbuf(i)
    end do
  end do
  if (rank == 0) print '(es24.16)', sum(field)
  call mpi_finalize(ierr)
end program p
";

/// Lines for debugging, and lines that go on behind column 72.
const FIXED: &str = "      SUBROUTINE NOTHING(X)
      DOUBLE PRECISION X
D     X = 0
      X = X                                                             + 1
      END
";

const FILES: [&str; 3] = ["exchange.F90", "main.F90", "nothing.f"];

struct Build {
    gravelc: Gravelc,
    folder: PathBuf,
    compiler: String,
}

impl Build {
    fn new(flavour: MpiFlavour, name: &str) -> Result<Self, String> {
        let gravelc = Gravelc::for_tests().map_err(|error| error.to_string())?;
        let folder = native::scratch(name, flavour)?;
        for (name, text) in FILES.into_iter().zip([EXCHANGE, MAIN, FIXED]) {
            write(&folder, name, text)?;
        }
        Ok(Self { gravelc, folder, compiler: flavour.fortran_compiler() })
    }

    fn plan(&self, options: &[&str]) -> Result<(), String> {
        let command = self.gravelc.command().arg("plan").args(FILES).args(["-o", "program.plan"]);
        let said = setup::succeed(&command.args(options).in_folder(&self.folder), LIMIT)?.stderr_text();
        let is_whole = said.contains("3 of 3 communication sites transformed");
        is_whole.then_some(()).ok_or(format!("the plan does not transform everything: {said}"))
    }

    /// What gravelc says of this command, or that it was carried out.
    fn wrap(&self, arguments: &[&str]) -> Result<Option<String>, String> {
        let command = self.gravelc.command().args(["wrap", "--plan", "program.plan", "--", &self.compiler]);
        let command = command.args(arguments).in_folder(&self.folder);
        let finished = process::run(&command, COMPILE_LIMIT).map_err(|error| error.to_string())?;
        match finished.ending {
            Ending::Exit(0) => Ok(None),
            Ending::Exit(2) => Ok(Some(finished.stderr_text())),
            ref ending => Err(format!("{arguments:?}: {ending}\n{}", finished.stderr_text())),
        }
    }

    fn accepts(&self, arguments: &[&str]) -> Result<(), String> {
        self.wrap(arguments)?.map_or(Ok(()), |said| Err(format!("{arguments:?} is refused: {said}")))
    }

    /// The refusal must say all of these.
    fn refuses(&self, arguments: &[&str], words: &[&str]) -> Result<(), String> {
        let said = self.wrap(arguments)?.ok_or_else(|| format!("{arguments:?} is carried out"))?;
        match words.iter().find(|word| !said.contains(**word)) {
            Some(word) => Err(format!("{arguments:?}: the refusal does not say `{word}`: {said}")),
            None => Ok(()),
        }
    }
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let made = fs::create_dir_all(folder).and_then(|()| fs::write(folder.join(name), text));
    made.map_err(|error| format!("cannot write {name}: {error}"))
}

fn check_macros(flavour: MpiFlavour) -> Result<(), String> {
    let build = Build::new(flavour, "plan-macros")?;
    build.plan(&["--undefine-others", "--compiler", &build.compiler, "-D", "LEVEL=1"])?;
    let level = "-DLEVEL=1";
    write(&build.folder, "plain.rsp", "-c -DLEVEL=1 -O2")?;
    write(&build.folder, "extra.rsp", "-c -DLEVEL=1 '-DEXTRA' exchange.F90")?;
    for accepted in [
        &["-c", level, "exchange.F90"][..],
        // What no file looks at, and values that decide alike.
        &["-c", level, "-DFOO", "-DBAR=7", "-O3", "exchange.F90"],
        &["-c", "-DLEVEL=2", "exchange.F90"],
        &["-c", level, "-DLENGTH=20000", "exchange.F90"],
        &["-c", "@plain.rsp", "exchange.F90"],
        &["-c", "-Wp,-DLEVEL=1", "-Xpreprocessor", "-DFOO=1", "exchange.F90"],
        // They matter to the other file only.
        &["-c", "-DEXTRA", "-DLEVEL=9", "-fopenmp", "main.F90"],
        &["-c", "-DEXTRA", "-fd-lines-as-comments", "nothing.f"],
    ] {
        build.accepts(accepted)?;
    }
    for (refused, words) in [
        (&["-c", level, "-DEXTRA", "exchange.F90"][..], &["`EXTRA`", "exchange.F90", "-D EXTRA"][..]),
        (&["-c", level, "-Wp,-DEXTRA", "exchange.F90"], &["`EXTRA`", "exchange.F90"]),
        (&["-c", level, "-Xpreprocessor", "-DEXTRA=0", "exchange.F90"], &["`EXTRA`"]),
        (&["@extra.rsp"], &["`EXTRA`", "exchange.F90"]),
        (&["-c", "-DLEVEL=3", "exchange.F90"], &["`LEVEL` is `3`", "for which `LEVEL` is `1`", "-D LEVEL=3"]),
        (&["-c", level, "-DLENGTH=100", "exchange.F90"], &["`LENGTH` is `100`"]),
        (&["-c", level, "-Drequest=ierr", "exchange.F90"], &["`request` is `ierr`"]),
        (&["-c", level, "-fopenmp", "exchange.F90"], &["`-fopenmp`", "exchange.F90", "OpenMP"]),
        (&["-c", level, "-Ofast", "exchange.F90"], &["`-Ofast`", "exchange.F90"]),
        (&["-c", level, "main.F90", "exchange.F90", "-fdefault-real-8"], &["`-fdefault-real-8`", "main.F90"]),
        (&["-c", level, "-fno-automatic", "exchange.F90"], &["`-fno-automatic`"]),
        (&["-c", "-fd-lines-as-code", "nothing.f"], &["`-fd-lines-as-code`", "nothing.f"]),
        (&["-c", "-ffixed-line-length-132", "nothing.f"], &["132 columns", "nothing.f", "--fixed-line-length"]),
        (&["-c", level, "-nocpp", "exchange.F90"], &["no preprocessor", "exchange.F90", "-cpp"]),
        (&["-c", "-ffree-form", "nothing.f"], &["free form", "nothing.f"]),
    ] {
        build.refuses(refused, words)?;
    }
    // The two readings of one text, from one plan: what was decided for neither is open to both.
    let plan = build.gravelc.command().arg("plan").args(FILES).args(["-o", "program.plan"]).in_folder(&build.folder);
    setup::succeed(&plan, LIMIT)?;
    build.accepts(&["-c", "-DEXTRA", "exchange.F90"])?;
    build.accepts(&["-c", "-DLEVEL=1", "-fopenmp", "exchange.F90"])
}

/// The same by `transform --plan`, which is told how the output will be compiled.
fn check_transform(flavour: MpiFlavour) -> Result<(), String> {
    let build = Build::new(flavour, "plan-transform")?;
    let compiler = format!("{} -DLEVEL=1", build.compiler);
    build.plan(&["--undefine-others", "--compiler", &compiler])?;
    let transform = |options: &[&str]| {
        let command = build.gravelc.command().args(["transform", "--plan", "program.plan", "exchange.F90", "--diff"]);
        let command = command.args(options).in_folder(&build.folder);
        process::run(&command, LIMIT).map_err(|error| error.to_string())
    };
    for options in [&[][..], &["--compiler", &compiler, "--undefine-others"]] {
        let finished = transform(options)?;
        if finished.ending != Ending::Exit(0) {
            return Err(format!("{options:?}: {}\n{}", finished.ending, finished.stderr_text()));
        }
    }
    let with_extra = format!("{compiler} -DEXTRA");
    for (options, word) in [
        (&["-D", "EXTRA"][..], "`EXTRA`"),
        (&["--compiler", &with_extra], "`EXTRA`"),
        (&["--fixed-form"], "fixed form"),
    ] {
        let finished = transform(options)?;
        if finished.ending != Ending::Exit(2) || !finished.stderr_text().contains(word) {
            return Err(format!("{options:?}: {}\n{}", finished.ending, finished.stderr_text()));
        }
    }
    Ok(())
}

/// Two targets of CMake with definitions of their own: a plan is for one of them.
fn check_cmake(flavour: MpiFlavour) -> Result<(), String> {
    let build = Build::new(flavour, "plan-cmake")?;
    build.plan(&["--undefine-others", "--compiler", &build.compiler, "-D", "LEVEL=1"])?;
    let project = "cmake_minimum_required(VERSION 3.18)
project(p Fortran)
set(CMAKE_Fortran_FLAGS_RELEASE \"-O2\")
add_executable(plain exchange.F90 main.F90 nothing.f)
target_compile_definitions(plain PRIVATE LEVEL=1 UNRELATED=3)
add_executable(other exchange.F90 main.F90 nothing.f)
target_compile_definitions(other PRIVATE LEVEL=1 EXTRA)
set_source_files_properties(nothing.f PROPERTIES COMPILE_OPTIONS -fd-lines-as-comments)
set_target_properties(plain PROPERTIES Fortran_MODULE_DIRECTORY plain-modules)
set_target_properties(other PROPERTIES Fortran_MODULE_DIRECTORY other-modules)
";
    write(&build.folder, "CMakeLists.txt", project)?;
    let plan = build.folder.join("program.plan");
    let gravelc = build.gravelc.command().to_string();
    let config = build.gravelc.command().args(["config", "--libs", "--compiler", &build.compiler]);
    let libraries = setup::succeed(&config, LIMIT)?;
    let configure = CommandLine::new("cmake")
        .args(["-B", "out", "-DCMAKE_BUILD_TYPE=Release"])
        .arg(format!("-DCMAKE_Fortran_COMPILER={}", build.compiler))
        .arg(format!("-DCMAKE_Fortran_COMPILER_LAUNCHER={gravelc};wrap;--plan;{};--", plan.display()))
        .arg(format!("-DCMAKE_Fortran_STANDARD_LIBRARIES={}", libraries.stdout_text().trim()))
        .in_folder(&build.folder);
    setup::succeed(&configure, COMPILE_LIMIT)?;
    let make = |target: &str| {
        let command = CommandLine::new("cmake").args(["--build", "out", "--target", target]).in_folder(&build.folder);
        process::run(&command, COMPILE_LIMIT).map_err(|error| error.to_string())
    };
    let other = make("other")?;
    let said = format!("{}{}", other.stdout_text(), other.stderr_text());
    if other.succeeded() || !said.contains("`EXTRA`") || !said.contains("exchange.F90") {
        return Err(format!("the target with another macro: {}\n{said}", other.ending));
    }
    let plain = make("plain")?;
    if !plain.succeeded() {
        return Err(format!("the target of the plan: {}\n{}", plain.ending, plain.stderr_text()));
    }
    let run = flavour.launch(2, &build.folder.join("out/plain")).env("GRAVEL_STATS", "1");
    let counters = setup::succeed(&run, RUN_LIMIT)?.stderr_text();
    let is_carried = counters.lines().any(|line| line.trim_start().starts_with("messages sent"));
    is_carried.then_some(()).ok_or(format!("the runtime carried no message: {counters}"))
}

fn set_up() {
    runtime_library::static_library().expect("the runtime can be built");
}

#[test]
fn macros_and_flags_that_matter_are_refused() {
    set_up();
    native::with_each_mpi(check_macros);
}

#[test]
fn options_of_transform_are_held_against_the_plan() {
    set_up();
    native::with_each_mpi(check_transform);
}

#[test]
fn targets_of_cmake_have_macros_of_their_own() {
    set_up();
    if process::run(&CommandLine::new("cmake").arg("--version"), LIMIT).is_err() {
        eprintln!("skipped: there is no cmake");
        return;
    }
    native::with_each_mpi(check_cmake);
}
