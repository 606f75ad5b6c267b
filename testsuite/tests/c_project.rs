//! A program in C as its build has it, with headers, a library, a generated header and macros: recorded on the way through CMake, read
//! from what CMake writes and prints, and built by make with the plan.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use testsuite::command::CommandLine;
use testsuite::gravelc::Gravelc;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use testsuite::process::{self, Ending};
use testsuite::{native, runtime_library, setup, workspace};

const LIMIT: Duration = Duration::from_secs(180);

const FILES: [&str; 8] = [
    "CMakeLists.txt",
    "Makefile",
    "lib/exchange.c",
    "lib/checked.c",
    "inc/exchange.h",
    "inc/length.h.in",
    "app/main.c",
    "app/other.c",
];

const WHOLE: &str = "3 of 3 communication sites transformed";

/// What `make` passes to the compiler for each file.
const FLAGS: [&str; 6] = ["-O2", "-std=c99", "-DEXCHANGES", "-Iinc", "-Ioriginal", "-c"];

struct Project {
    gravelc: Gravelc,
    flavour: MpiFlavour,
    folder: PathBuf,
}

impl Project {
    fn new(name: &str, flavour: MpiFlavour) -> Result<Self, String> {
        // gravelc finds it beside itself.
        runtime_library::static_library()?;
        let folder = native::scratch(name, flavour)?;
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        }
        for name in FILES {
            let path = folder.join(name);
            let within = path.parent().ok_or("a path without a folder")?;
            fs::create_dir_all(within).map_err(|error| format!("cannot make {}: {error}", within.display()))?;
            fs::copy(workspace::package().join("c_project").join(name), &path)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        Ok(Self { gravelc: Gravelc::for_tests()?, flavour, folder })
    }

    /// The compiler behind `gravelc wrap` with these options.
    fn wrapped(&self, options: &[&str]) -> CommandLine {
        self.gravelc.command().arg("wrap").args(options.iter().copied()).arg("--").arg(self.flavour.c_compiler())
    }

    /// Builds with CMake and these options of `gravelc wrap`; gives what was printed.
    fn cmake(&self, options: &[&str]) -> Result<String, String> {
        let configure =
            CommandLine::new("cmake").args(["-S", ".", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]);
        let compiler = self.wrapped(options).words();
        setup::succeed(&configure.env("CC", compiler).in_folder(&self.folder), COMPILE_LIMIT)?;
        let build = CommandLine::new("cmake").args(["--build", "build", "--verbose"]);
        Ok(setup::succeed(&build.in_folder(&self.folder), COMPILE_LIMIT)?.stdout_text())
    }

    /// Builds with make into a folder of this name; gives the program.
    fn make(&self, build: &str, compiler: &str) -> Result<PathBuf, String> {
        let command = CommandLine::new("make").arg(format!("BUILD={build}")).arg(format!("CC={compiler}"));
        setup::succeed(&command.in_folder(&self.folder), COMPILE_LIMIT)?;
        Ok(self.folder.join(build).join("solver"))
    }

    /// Plans what these arguments say.
    fn plan(&self, arguments: &[&str]) -> Result<(), String> {
        let command = self.gravelc.command().arg("plan").args(arguments.iter().copied()).args(["-o", "p.plan"]);
        let said = setup::succeed(&command.in_folder(&self.folder), LIMIT)?.stderr_text();
        said.contains(WHOLE).then_some(()).ok_or_else(|| format!("{arguments:?} does not transform everything: {said}"))
    }

    /// Compiles the file that communicates with the plan, with these flags beside make's: what gravelc says where it refuses to.
    fn compile_planned(&self, flags: &[&str]) -> Result<Option<String>, String> {
        let command =
            self.wrapped(&["--plan", "p.plan"]).args(flags.iter().copied()).args(["lib/exchange.c", "-o", "one.o"]);
        let finished =
            process::run(&command.in_folder(&self.folder), COMPILE_LIMIT).map_err(|error| error.to_string())?;
        match finished.ending {
            Ending::Exit(0) => Ok(None),
            Ending::Exit(2) => Ok(Some(finished.stderr_text())),
            ref ending => Err(format!("{flags:?}: {ending}\n{}", finished.stderr_text())),
        }
    }

    /// The refusal of these flags must say this.
    fn refuses(&self, flags: &[&str], words: &str) -> Result<(), String> {
        match self.compile_planned(flags)? {
            Some(said) if said.contains(words) => Ok(()),
            Some(said) => Err(format!("{flags:?}: the refusal does not say `{words}`: {said}")),
            None => Err(format!("{flags:?} is carried out")),
        }
    }

    /// What the program prints, and whether the runtime carried its messages.
    fn run(&self, program: &Path, ranks: usize) -> Result<(String, bool), String> {
        let command = self.flavour.launch_beside_others(ranks, program).env("GRAVEL_STATS", "1");
        let finished = setup::succeed(&command, RUN_LIMIT)?;
        let is_carried = finished.stderr_text().lines().any(|line| line.trim_start().starts_with("messages sent"));
        Ok((finished.stdout_text(), is_carried))
    }

    /// The program prints what the original prints (its `__FILE__` included), and its messages are carried.
    fn is_equal(&self, original: &Path, planned: &Path) -> Result<(), String> {
        for ranks in [1, 2, 4] {
            let (expected, found) = (self.run(original, ranks)?, self.run(planned, ranks)?);
            if !expected.0.contains("sum ") || expected.0 != found.0 || expected.1 || !found.1 {
                return Err(format!("{ranks} ranks: {found:?} instead of {expected:?}"));
            }
        }
        Ok(())
    }
}

fn check_records(flavour: MpiFlavour) -> Result<(), String> {
    let project = Project::new("c-project-records", flavour)?;
    let printed = project.cmake(&["--record", &project.folder.join("record").to_string_lossy()])?;
    fs::write(project.folder.join("build/log"), printed).map_err(|error| error.to_string())?;
    let original = project.folder.join("solver");
    fs::copy(project.folder.join("build/solver"), &original).map_err(|error| error.to_string())?;
    for source in [["--build", "build/log"], ["--build", "build/compile_commands.json"], ["--recorded", "record"]] {
        project.plan(&[source[0], source[1], "--program", "solver"])?;
    }
    // The tests of the compiler are not in the plan, and the generated header is not there yet when they are built.
    fs::remove_dir_all(project.folder.join("build")).map_err(|error| error.to_string())?;
    project.cmake(&["--plan", &project.folder.join("p.plan").to_string_lossy()])?;
    project.is_equal(&original, &project.folder.join("build/solver"))
}

fn check_plan(flavour: MpiFlavour) -> Result<(), String> {
    let project = Project::new("c-project-plan", flavour)?;
    let original = project.make("original", &flavour.c_compiler())?;
    let files = ["lib/exchange.c", "lib/checked.c", "app/main.c"];
    let compiler = [flavour.c_compiler().as_str(), &FLAGS.join(" ")].join(" ");
    project.plan(&[&files[..], &["--compiler", &compiler]].concat())?;
    let planned = project.make("planned", &project.wrapped(&["--plan", "p.plan"]).to_string())?;
    // The generated header is another file there, with the same text.
    project.is_equal(&original, &planned)?;

    if let Some(said) = project.compile_planned(&[&FLAGS[..], &["-DNOBODY_ASKS", "-O3", "-Wall"]].concat())? {
        return Err(format!("what matters to nothing is refused: {said}"));
    }
    let without_macro = FLAGS.iter().copied().filter(|flag| *flag != "-DEXCHANGES").collect::<Vec<_>>();
    project.refuses(&without_macro, "in the place of `MPI_Request`")?;
    for (flag, words) in [
        ("-fno-strict-aliasing", "may be accessed by lvalues of any type"),
        ("-fwrapv", "C means something else"),
        ("-ffast-math", "results depend on where statements stand"),
    ] {
        project.refuses(&[&FLAGS[..], &[flag]].concat(), words)?;
    }
    let header = project.folder.join("inc/exchange.h");
    let text = fs::read_to_string(&header).map_err(|error| error.to_string())?;
    fs::write(&header, text.replace("step + ring", "step + step + ring")).map_err(|error| error.to_string())?;
    project.refuses(&FLAGS, "exchange.h, which is included, has changed")
}

#[test]
fn a_build_with_cmake_is_followed() {
    native::with_each_mpi(check_records);
}

#[test]
fn a_plan_is_carried_out_by_make_on_the_build_it_was_made_for() {
    native::with_each_mpi(check_plan);
}
