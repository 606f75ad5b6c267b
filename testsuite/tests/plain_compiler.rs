//! `gravelc wrap` in front of a compiler that knows no MPI, as CMake's `find_package(MPI)` and builds by hand call it: the folders of
//! MPI's modules and its libraries are in the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use testsuite::command::CommandLine;
use testsuite::gravelc::Gravelc;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use testsuite::process;
use testsuite::{native, runtime_library, setup};

const LIMIT: Duration = Duration::from_secs(120);

const COMPILER: &str = "gfortran";

/// No MPI.
const WORK: &str = "module work
  implicit none
contains
  pure double precision function next(value, step)
    double precision, intent(in) :: value
    integer, intent(in) :: step
    next = value * 0.5d0 + step
  end function next
end module work
";

const EXCHANGE: &str = "module exchange
  use mpi
  implicit none
  integer, parameter :: n = LENGTH
  integer :: rank, ranks, ierr
  double precision :: sbuf(n), rbuf(n)
contains
  subroutine swap()
    integer :: request
    call mpi_irecv(rbuf, n, mpi_double_precision, modulo(rank - 1, ranks), 7, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, modulo(rank + 1, ranks), 7, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
  end subroutine swap
end module exchange
";

const MAIN: &str = "program p
  use exchange
  use work
  implicit none
  integer :: i, it
  include 'start.inc'
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do it = 1, 5
    do i = 1, n
      sbuf(i) = next(rank + start, it) + i
    end do
    call swap()
    do i = 1, n
      sbuf(i) = sbuf(i) + next(rbuf(i), it)
    end do
  end do
  if (rank == 0) print '(2es24.16)', sum(sbuf), sum(rbuf)
  call mpi_finalize(ierr)
end program p
";

const START: &str = "double precision, parameter :: start = 0.25d0\n";

const FILES: [&str; 3] = ["src/work.F90", "src/exchange.F90", "src/main.F90"];

const LENGTH: &str = "-DLENGTH=3000";

/// A program, the flags of one MPI, and how it is built.
struct Build {
    gravelc: Gravelc,
    flavour: MpiFlavour,
    folder: PathBuf,
    /// `-I` with the folders of the MPI.
    includes: Vec<String>,
    /// Its libraries, and where they are.
    libraries: Vec<String>,
}

impl Build {
    fn new(flavour: MpiFlavour, name: &str) -> Result<Self, String> {
        let folder = native::scratch(name, flavour)?;
        let cannot_write = |error: std::io::Error| format!("cannot write into {}: {error}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(cannot_write)?;
        }
        fs::create_dir_all(folder.join("src")).map_err(cannot_write)?;
        let others = [("src/start.inc", START)];
        for (name, text) in FILES.into_iter().zip([WORK, EXCHANGE, MAIN]).chain(others) {
            fs::write(folder.join(name), text).map_err(cannot_write)?;
        }
        let shown = setup::succeed(&CommandLine::new(flavour.fortran_compiler()).arg("-show"), LIMIT)?.stdout_text();
        let with = |beginnings: &[&str]| -> Vec<String> {
            let is_one = |word: &&str| beginnings.iter().any(|beginning| word.starts_with(beginning));
            shown.split_whitespace().filter(is_one).map(str::to_owned).collect()
        };
        let gravelc = Gravelc::for_tests().map_err(|error| error.to_string())?;
        Ok(Self { gravelc, flavour, folder, includes: with(&["-I"]), libraries: with(&["-L", "-l"]) })
    }

    /// Makes the plan; `flags` are those of the compiler, besides the folders.
    fn plan(&self, flags: &[&str]) -> Result<(), String> {
        let words: Vec<&str> = [COMPILER].into_iter().chain(self.includes()).chain(flags.iter().copied()).collect();
        let command = self.gravelc.command().arg("plan").args(FILES).args(["-o", "program.plan", "--compiler"]);
        let command = command.arg(words.join(" ")).in_folder(&self.folder);
        let said = setup::succeed(&command, LIMIT)?.stderr_text();
        let is_whole = said.contains("3 of 3 communication sites transformed");
        is_whole.then_some(()).ok_or(format!("the plan does not transform everything: {said}"))
    }

    fn includes(&self) -> impl Iterator<Item = &str> {
        self.includes.iter().map(String::as_str)
    }

    /// The compiler alone, or behind `gravelc wrap` with the plan.
    fn compiler(&self, is_wrapped: bool) -> CommandLine {
        let command = match is_wrapped {
            true => self.gravelc.command().args(["wrap", "--plan", "program.plan", "--", COMPILER]),
            false => CommandLine::new(COMPILER),
        };
        command.in_folder(&self.folder)
    }

    /// Builds `program` by a command for each file and one that links; the objects are in a folder of its name.
    fn build(&self, program: &str, is_wrapped: bool, flags: &[&str]) -> Result<(), String> {
        let objects = format!("{program}-objects");
        fs::create_dir_all(self.folder.join(&objects)).map_err(|error| error.to_string())?;
        let mut link = self.compiler(is_wrapped);
        for file in FILES {
            let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
            let object = format!("{objects}/{stem}.o");
            let command = self.compiler(is_wrapped).args(self.includes()).args(flags).args(["-J", &objects]);
            setup::succeed(&command.args(["-c", file, "-o", &object]), COMPILE_LIMIT)?;
            link = link.arg(object);
        }
        let link = link.args(["-o", program]).args(&self.libraries);
        setup::succeed(&link, COMPILE_LIMIT).map(drop)
    }

    /// What the program prints on two ranks, and how many messages the runtime carried.
    fn run(&self, program: &str) -> Result<(String, bool), String> {
        let command = self.flavour.launch(2, &self.folder.join(program)).env("GRAVEL_STATS", "1");
        let finished = setup::succeed(&command, RUN_LIMIT)?;
        let is_carried = finished.stderr_text().lines().any(|line| line.trim_start().starts_with("messages sent"));
        Ok((finished.stdout_text(), is_carried))
    }

    /// Do both programs print the same, and does the runtime carry the messages of the second alone?
    fn compare(&self, original: &str, transformed: &str) -> Result<(), String> {
        let (expected, found) = (self.run(original)?, self.run(transformed)?);
        if expected.0.is_empty() || expected.0 != found.0 {
            return Err(format!("{transformed} prints\n{}instead of\n{}", found.0, expected.0));
        }
        let as_meant = !expected.1 && found.1;
        as_meant.then_some(()).ok_or_else(|| format!("carried by the runtime: {}, {}", expected.1, found.1))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        fs::read(self.folder.join(name)).map_err(|error| format!("cannot read {name}: {error}"))
    }
}

fn check_build_by_hand(flavour: MpiFlavour) -> Result<(), String> {
    for (name, extra) in [("plain", None), ("plain-no-underscores", Some("-fno-underscoring"))] {
        let build = Build::new(flavour, name)?;
        let flags: Vec<&str> = ["-O2", LENGTH].into_iter().chain(extra).collect();
        build.plan(&flags)?;
        build.build("original", false, &flags)?;
        build.build("transformed", true, &flags)?;
        // What has no MPI is compiled as ever.
        if build.read("original-objects/work.o")? != build.read("transformed-objects/work.o")? {
            return Err(format!("{name}: the object of a file without MPI is another one"));
        }
        build.compare("original", "transformed").map_err(|message| format!("{name}: {message}"))?;
    }
    Ok(())
}

/// The files for make name the user's sources, whatever their names and targets, with a plan and without.
fn check_dependency_files(flavour: MpiFlavour) -> Result<(), String> {
    let build = Build::new(flavour, "plain-dependencies")?;
    build.plan(&[LENGTH])?;
    build.build("original", false, &[LENGTH])?;
    let objects = "original-objects";
    for (options, file) in [
        (&["-MD", "-c", "src/exchange.F90", "-o", "made/exchange.o"][..], "made/exchange.d"),
        (&["-MMD", "-MP", "-c", "src/main.F90", "-o", "made/main.o"], "made/main.d"),
        (&["-MD", "-MF", "made/m.dep", "-MT", "a target", "-c", "src/main.F90", "-o", "made/main.o"], "made/m.dep"),
        (&["-MMD", "-MFmade/n.dep", "-MQ", "a$b", "-c", "src/exchange.F90", "-o", "made/e.o"], "made/n.dep"),
        (&["-Wp,-MD,made/o.dep", "-c", "src/main.F90", "-o", "made/main.o"], "made/o.dep"),
    ] {
        fs::create_dir_all(build.folder.join("made")).map_err(|error| error.to_string())?;
        let written = |is_wrapped: bool| {
            let _ = fs::remove_file(build.folder.join(file));
            let command = build.compiler(is_wrapped).args(build.includes()).args(["-I", objects, "-J", "made", LENGTH]);
            setup::succeed(&command.args(options), COMPILE_LIMIT)?;
            let text = String::from_utf8_lossy(&build.read(file)?).replace("\\\n", " ");
            // Where lines are broken, and how often a blank separates words, says nothing.
            let mut lines: Vec<String> = text.lines().map(|line| words(line).join(" ")).collect();
            lines.retain(|line| !line.is_empty());
            Ok::<_, String>(lines)
        };
        let (expected, found) = (written(false)?, written(true)?);
        let source = options.iter().find(|word| word.ends_with(".F90")).unwrap_or(&"no source");
        if expected != found || !expected.iter().any(|line| line.contains(source)) {
            return Err(format!("{options:?}: {file} says\n{found:#?}\ninstead of\n{expected:#?}"));
        }
    }
    Ok(())
}

/// The words of a rule.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().map(|word| word.strip_prefix("./").unwrap_or(word)).collect()
}

/// Sources and flags in files of arguments, which name others.
fn check_argument_files(flavour: MpiFlavour) -> Result<(), String> {
    let build = Build::new(flavour, "plain-files")?;
    build.plan(&[LENGTH])?;
    let write = |name: &str, text: String| {
        fs::write(build.folder.join(name), text).map_err(|error| format!("cannot write {name}: {error}"))
    };
    write("flags.rsp", format!("-O2 '{LENGTH}'\n\"-DTEXT='a b'\""))?;
    write("sources.rsp", FILES.join("\n"))?;
    // So many that they go on in a file.
    let folders: String = (0..2600).map(|k| format!("-Lmissing-folder-number-{k}\n")).collect();
    write("all.rsp", format!("@flags.rsp {}\n@sources.rsp {folders}", build.includes.join(" ")))?;
    for (program, is_wrapped) in [("original", false), ("transformed", true)] {
        let command = build.compiler(is_wrapped).args(["@all.rsp", "-o", program]).args(&build.libraries);
        setup::succeed(&command, COMPILE_LIMIT)?;
    }
    build.compare("original", "transformed")
}

/// The project names MPI by `find_package`, as most do.
fn check_cmake(flavour: MpiFlavour) -> Result<(), String> {
    let build = Build::new(flavour, "plain-cmake")?;
    build.plan(&[LENGTH])?;
    let project = format!(
        "cmake_minimum_required(VERSION 3.18)\nproject(p Fortran)\nfind_package(MPI REQUIRED COMPONENTS Fortran)\n\
         add_library(work STATIC src/work.F90)\nadd_executable(p src/exchange.F90 src/main.F90)\n\
         target_compile_options(p PRIVATE {LENGTH})\ntarget_link_libraries(p PRIVATE work MPI::MPI_Fortran)\n"
    );
    fs::write(build.folder.join("CMakeLists.txt"), project).map_err(|error| error.to_string())?;
    let config = build.gravelc.command().args(["config", "--libs", "--fortran", "--compiler"]);
    let libraries = setup::succeed(&config.arg(build.flavour.fortran_compiler()), LIMIT)?.stdout_text();
    let launcher =
        format!("{};wrap;--plan;{};--", build.gravelc.command(), build.folder.join("program.plan").display());
    let with_runtime = [
        format!("-DCMAKE_Fortran_COMPILER_LAUNCHER={launcher}"),
        format!("-DCMAKE_Fortran_STANDARD_LIBRARIES={}", libraries.trim()),
        // MPI's libraries stand in front of the runtime's module, which needs more of them than the program does.
        "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--no-as-needed".to_owned(),
    ];
    for (program, options) in [("original", &[][..]), ("transformed", &with_runtime)] {
        let configure = CommandLine::new("cmake")
            .args(["-S", ".", "-B", program, "-DCMAKE_BUILD_TYPE=Release"])
            .arg(format!("-DCMAKE_Fortran_COMPILER={COMPILER}"))
            .arg(format!("-DMPI_Fortran_COMPILER={}", build.flavour.fortran_compiler()));
        setup::succeed(&configure.args(options).in_folder(&build.folder), COMPILE_LIMIT)?;
        let make = CommandLine::new("cmake").args(["--build", program]).in_folder(&build.folder);
        setup::succeed(&make, COMPILE_LIMIT)?;
    }
    build.compare("original/p", "transformed/p")
}

fn set_up() {
    runtime_library::static_library().expect("the runtime can be built");
}

#[test]
fn a_build_by_hand_with_folders_and_libraries() {
    set_up();
    native::with_each_mpi(check_build_by_hand);
}

#[test]
fn dependency_files_name_the_sources() {
    set_up();
    native::with_each_mpi(check_dependency_files);
}

#[test]
fn files_of_arguments_are_read() {
    set_up();
    native::with_each_mpi(check_argument_files);
}

#[test]
fn a_project_of_cmake_that_finds_mpi() {
    set_up();
    if process::run(&CommandLine::new("cmake").arg("--version"), LIMIT).is_err() {
        eprintln!("skipped: there is no cmake");
        return;
    }
    native::with_each_mpi(check_cmake);
}
