//! A program in several folders, built by make file by file: as it is, and with a plan that is carried out on the way.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use testsuite::command::CommandLine;
use testsuite::gravelc::Gravelc;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use testsuite::{native, runtime_library, setup, workspace};

const SOURCES: [&str; 3] = ["communicators/communicators.f90", "halo/halo.f90", "main/main.f90"];

fn copy_project(folder: &Path) -> Result<(), String> {
    let from = workspace::package().join("project");
    for name in SOURCES.into_iter().chain(["Makefile"]) {
        let to = folder.join(name);
        let parent = to.parent().ok_or("a file has a folder")?;
        fs::create_dir_all(parent).map_err(|error| format!("cannot make {}: {error}", parent.display()))?;
        fs::copy(from.join(name), &to).map_err(|error| format!("cannot write {}: {error}", to.display()))?;
    }
    Ok(())
}

/// Builds into a folder of this name, and gives the program.
fn make(folder: &Path, build: &str, compiler: &str) -> Result<PathBuf, String> {
    let command =
        CommandLine::new("make").arg(format!("BUILD={build}")).arg(format!("FC={compiler}")).in_folder(folder);
    setup::succeed(&command, COMPILE_LIMIT)?;
    Ok(folder.join(build).join("project"))
}

fn check(gravelc: &Gravelc, flavour: MpiFlavour) -> Result<(), String> {
    let folder = native::scratch("project", flavour)?;
    copy_project(&folder)?;
    let compiler = flavour.fortran_compiler();
    let original = make(&folder, "original", &compiler)?;
    let plan = gravelc.command().arg("plan").args(SOURCES).args(["-o", "program.plan"]).in_folder(&folder);
    let said = setup::succeed(&plan, Duration::from_secs(60))?.stderr_text();
    if !said.contains("3 of 3 communication sites transformed") {
        return Err(format!("the plan does not transform everything: {said}"));
    }
    let program = gravelc.command().to_string();
    let planned = make(&folder, "planned", &format!("{program} wrap --plan program.plan -- {compiler}"))?;
    for ranks in [1, 2, 4] {
        let run = |program: &Path| setup::succeed(&flavour.launch(ranks, program), RUN_LIMIT);
        let (before, after) = (run(&original)?.stdout_text(), run(&planned)?.stdout_text());
        if before != after || !before.starts_with("sum ") {
            return Err(format!("{ranks} ranks print\n{after}instead of\n{before}"));
        }
    }
    // The runtime counts what it carries: nothing in a program that was compiled as it is.
    let counted = flavour.launch(2, &planned).env("GRAVEL_STATS", "1");
    let counters = setup::succeed(&counted, RUN_LIMIT)?.stderr_text();
    if !counters.lines().any(|line| line.trim_start().starts_with("messages sent")) {
        return Err(format!("the runtime carried no message: {counters}"));
    }
    Ok(())
}

#[test]
fn a_plan_is_carried_out_file_by_file() {
    let gravelc = Gravelc::for_tests().expect("gravelc can be built");
    // gravelc finds it beside itself.
    runtime_library::static_library().expect("the runtime can be built");
    native::with_each_mpi(|flavour| check(&gravelc, flavour));
}
