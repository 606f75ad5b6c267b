//! A build with CMake as it is: recorded, read from its database and from what it prints, and built again with the plan.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use testsuite::command::CommandLine;
use testsuite::gravelc::Gravelc;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use testsuite::{native, runtime_library, setup};

const LIMIT: Duration = Duration::from_secs(180);

/// A library with flags of its own, a source that the build generates, and two programs.
const CMAKE: &str = "cmake_minimum_required(VERSION 3.13)
project(p Fortran)
add_library(exchange lib/exchange.F90)
target_include_directories(exchange PRIVATE inc)
target_compile_definitions(exchange PRIVATE LENGTH=3000 EXCHANGES)
configure_file(app/start.f90.in generated/start.f90)
add_executable(solver app/main.f90 ${CMAKE_CURRENT_BINARY_DIR}/generated/start.f90)
target_link_libraries(solver exchange)
add_executable(other app/other.f90)
";

const EXCHANGE: &str = "module exchange
  use mpi
  implicit none
#include \"length.inc\"
  integer :: rank, ranks, ierr
  double precision :: sbuf(n), rbuf(n)
contains
  subroutine swap()
    integer :: request
#ifdef EXCHANGES
    call mpi_irecv(rbuf, n, mpi_double_precision, modulo(rank - 1, ranks), 7, mpi_comm_world, request, ierr)
    call mpi_send(sbuf, n, mpi_double_precision, modulo(rank + 1, ranks), 7, mpi_comm_world, ierr)
    call mpi_wait(request, mpi_status_ignore, ierr)
#endif
  end subroutine swap
end module exchange
";

const MAIN: &str = "program p
  use exchange
  use start
  implicit none
  integer :: i, it
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  do it = 1, 5
    do i = 1, n
      sbuf(i) = (rank + first) * 0.5d0 + it + i
    end do
    call swap()
    do i = 1, n
      sbuf(i) = sbuf(i) + rbuf(i)
    end do
  end do
  if (rank == 0) print '(2es24.16)', sum(sbuf), sum(rbuf)
  call mpi_finalize(ierr)
end program p
";

const FILES: [(&str, &str); 6] = [
    ("CMakeLists.txt", CMAKE),
    ("lib/exchange.F90", EXCHANGE),
    ("inc/length.inc", "integer, parameter :: n = LENGTH\n"),
    ("app/main.f90", MAIN),
    ("app/start.f90.in", "module start\n  double precision, parameter :: first = 0.25d0\nend module start\n"),
    ("app/other.f90", "program other\n  print *, 'other'\nend program other\n"),
];

struct Project {
    gravelc: Gravelc,
    flavour: MpiFlavour,
    folder: PathBuf,
}

impl Project {
    fn new(flavour: MpiFlavour) -> Result<Self, String> {
        runtime_library::static_library()?;
        let folder = native::scratch("recorded-builds", flavour)?;
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        }
        for (name, text) in FILES {
            let path = folder.join(name);
            let within = path.parent().ok_or("a path without a folder")?;
            fs::create_dir_all(within).and_then(|()| fs::write(&path, text)).map_err(|error| error.to_string())?;
        }
        Ok(Self { gravelc: Gravelc::for_tests()?, flavour, folder })
    }

    /// Configures and builds in the folder `build` with these options of `gravelc wrap`; gives what was printed.
    fn build(&self, options: &[&str]) -> Result<String, String> {
        let compiler = self.gravelc.command().arg("wrap").args(options.iter().copied());
        let compiler = compiler.arg("--").arg(self.flavour.fortran_compiler());
        let configure =
            CommandLine::new("cmake").args(["-S", ".", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]);
        setup::succeed(&configure.env("FC", compiler.words()).in_folder(&self.folder), COMPILE_LIMIT)?;
        let build = CommandLine::new("cmake").args(["--build", "build", "--verbose"]);
        Ok(setup::succeed(&build.in_folder(&self.folder), COMPILE_LIMIT)?.stdout_text())
    }

    /// Plans what these arguments say; gives the names of the files.
    fn plan(&self, arguments: &[&str]) -> Result<Vec<String>, String> {
        let command = self.gravelc.command().arg("plan").args(arguments.iter().copied()).args(["-o", "p.plan"]);
        let said = setup::succeed(&command.in_folder(&self.folder), LIMIT)?.stderr_text();
        if !said.contains("3 of 3 communication sites transformed") {
            return Err(format!("{arguments:?} does not transform everything: {said}"));
        }
        let text = fs::read(self.folder.join("p.plan")).map_err(|error| error.to_string())?;
        let plan: serde_json::Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        let files = plan["document"]["files"].as_array().ok_or("a plan without files")?;
        let name = |file: &serde_json::Value| {
            let path = Path::new(file["absolute"].as_str().unwrap_or_default());
            path.file_name().unwrap_or_default().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = files.iter().map(name).collect();
        names.sort();
        Ok(names)
    }

    /// What the solver prints, and whether the runtime carried its messages.
    fn run(&self) -> Result<(String, bool), String> {
        let command = self.flavour.launch_beside_others(2, &self.folder.join("build/solver")).env("GRAVEL_STATS", "1");
        let finished = setup::succeed(&command, RUN_LIMIT)?;
        let is_carried = finished.stderr_text().lines().any(|line| line.trim_start().starts_with("messages sent"));
        Ok((finished.stdout_text(), is_carried))
    }
}

fn check(flavour: MpiFlavour) -> Result<(), String> {
    let project = Project::new(flavour)?;
    let record = project.folder.join("record").to_string_lossy().into_owned();
    let printed = project.build(&["--record", &record])?;
    let expected = project.run()?;
    fs::write(project.folder.join("build/log"), printed).map_err(|error| error.to_string())?;
    for source in [["--build", "build/log"], ["--build", "build/compile_commands.json"], ["--recorded", "record"]] {
        let files = project.plan(&[source[0], source[1], "--program", "solver"])?;
        if files != ["exchange.F90", "main.f90", "start.f90"] {
            return Err(format!("{source:?}: {files:?}"));
        }
    }
    // Tests of the compiler are no programs of the user's.
    let refused =
        project.gravelc.command().args(["plan", "--recorded", "record", "-o", "none"]).in_folder(&project.folder);
    let said = setup::succeed(&refused, LIMIT).err().unwrap_or_default();
    if !said.contains("links 2 programs") {
        return Err(format!("not two programs: {said}"));
    }
    fs::remove_dir_all(project.folder.join("build")).map_err(|error| error.to_string())?;
    let generated = project.folder.join("build/generated");
    fs::create_dir_all(&generated)
        .and_then(|()| fs::copy(project.folder.join("app/start.f90.in"), generated.join("start.f90")).map(drop))
        .map_err(|error| error.to_string())?;
    let plan = project.folder.join("p.plan").to_string_lossy().into_owned();
    project.build(&["--plan", &plan])?;
    let found = project.run()?;
    let is_same = !expected.0.is_empty() && found.0 == expected.0 && !expected.1 && found.1;
    is_same.then_some(()).ok_or_else(|| format!("{found:?} instead of {expected:?}"))
}

#[test]
fn a_build_with_cmake_is_followed() {
    native::with_each_mpi(check);
}
