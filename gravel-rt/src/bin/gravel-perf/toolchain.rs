//! The MPIs of this machine: found, used to compile the benchmark, and to run it.

use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::ValueEnum;

use super::results::Run;

const BENCHMARK: &str = include_str!("benchmark.c");
/// What is compiled with it where libibverbs is measured, too.
const BARE_VERBS: [(&str, &str); 2] =
    [("bare_verbs.h", include_str!("bare_verbs.h")), ("bare_verbs.c", include_str!("bare_verbs.c"))];
const HEADER: &str = include_str!("../../../include/gravel.h");
/// Wrappers that are looked for: where several MPIs are installed, distributions add their names.
const WRAPPERS: [&str; 3] = ["mpicc.openmpi", "mpicc.mpich", "mpicc"];

/// An MPI: the wrapper that compiles for it, and the launcher that starts its programs.
#[derive(Debug, PartialEq, Eq)]
pub struct Toolchain {
    wrapper: PathBuf,
    launcher: PathBuf,
}

/// What is to be measured.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Number of ranks.
    pub ranks: u32,
    /// How often everything is measured.
    pub rounds: u32,
    /// Microseconds of computation in tests of overlap.
    pub overlap_work: u32,
    /// Where the arrays lie.
    pub memory: Memory,
    /// Whether the ring of all ranks is measured, and `gravel_init`, and nothing else.
    pub ring: bool,
    /// Whether Gravel uses RDMA, and is measured beside a plain loop over libibverbs.
    pub beside_verbs: bool,
    /// When a run is ended.
    pub timeout: Duration,
}

/// Where a program has the arrays that it sends and receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Memory {
    /// Static arrays: COMMON, SAVE, arrays outside of functions.
    Static,
    /// Allocated ones: ALLOCATABLE, malloc.
    #[default]
    Heap,
    /// Automatic ones.
    Stack,
}

impl Memory {
    /// Its name, for the benchmark and for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Heap => "heap",
            Self::Stack => "stack",
        }
    }
}

/// The library that was named, or the one that was installed with this program.
pub fn find_library(named: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(named) = named {
        return if named.is_file() { Ok(named.into()) } else { Err(format!("{} is not there", named.display())) };
    }
    let program = std::env::current_exe().map_err(|cause| format!("where this program lies is unknown: {cause}"))?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let places = [folder.join("libgravel.a"), folder.join("../lib/libgravel.a")];
    places.iter().find(|place| place.is_file()).cloned().ok_or_else(|| {
        format!(
            "libgravel.a is neither beside {} nor in ../lib: build it with `cargo build --release -p gravel-rt`, or name it \
             with --library",
            program.display()
        )
    })
}

/// A program on the search path, or where its path says.
fn find_program(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.is_file().then(|| name.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// The launcher that belongs to a wrapper, by its name.
fn launcher_of(wrapper: &Path) -> Option<PathBuf> {
    let name = wrapper.file_name()?.to_str()?;
    let launcher = name.replacen("mpicc", "mpirun", 1);
    if launcher == name {
        return None;
    }
    find_program(&wrapper.with_file_name(launcher))
}

impl Toolchain {
    /// The MPIs that were named, or all that are found.
    pub fn find(named: &[PathBuf], launcher: Option<&Path>) -> Result<Vec<Self>, String> {
        let candidates: Vec<PathBuf> =
            if named.is_empty() { WRAPPERS.iter().map(PathBuf::from).collect() } else { named.to_vec() };
        let mut found: Vec<Self> = Vec::new();
        for candidate in candidates {
            let Some(wrapper) = find_program(&candidate) else {
                if named.is_empty() {
                    continue;
                }
                return Err(format!("{} is not a program on the search path", candidate.display()));
            };
            let launcher = match launcher {
                Some(launcher) => find_program(launcher),
                None => launcher_of(&wrapper),
            };
            let Some(launcher) = launcher else {
                return Err(format!("no mpirun belongs to {}: name it with --mpirun", wrapper.display()));
            };
            // Plain mpicc mostly is one of the others.
            let same = |a: &Path, b: &Path| fs::canonicalize(a).ok() == fs::canonicalize(b).ok();
            if !found.iter().any(|other| same(&other.wrapper, &wrapper) && same(&other.launcher, &launcher)) {
                found.push(Self { wrapper, launcher });
            }
        }
        if found.is_empty() {
            return Err(
                "no MPI was found: install Open MPI or MPICH with its compiler wrapper mpicc, or name one with \
                        --mpicc (on Debian: apt-get install openmpi-bin libopenmpi-dev mpich libmpich-dev)"
                    .into(),
            );
        }
        Ok(found)
    }

    /// How the user knows it.
    pub fn name(&self) -> String {
        self.wrapper.display().to_string()
    }

    /// Compiles the benchmark, runs it, and reads what it prints.
    pub fn measure(&self, library: &Path, wanted: &Wanted) -> Result<Run, String> {
        let folder = tempfile::tempdir().map_err(|cause| format!("no temporary folder can be made: {cause}"))?;
        let program = self.compile(folder.path(), library, wanted.beside_verbs)?;
        let output = self.launch(&program, wanted)?;
        Run::parse(&output).map_err(|text| format!("{}: {text}", self.launcher.display()))
    }

    fn compile(&self, folder: &Path, library: &Path, beside_verbs: bool) -> Result<PathBuf, String> {
        let program = folder.join("benchmark");
        for (name, text) in [("benchmark.c", BENCHMARK), ("gravel.h", HEADER)].into_iter().chain(BARE_VERBS) {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|cause| format!("{} cannot be written: {cause}", path.display()))?;
        }
        let mut command = Command::new(&self.wrapper);
        command.arg("-O2").arg("-I").arg(folder).arg(folder.join("benchmark.c"));
        if beside_verbs {
            command.arg("-DBARE_VERBS").arg(folder.join("bare_verbs.c"));
        }
        command.arg(library).args(["-lpthread", "-ldl", "-lm"]);
        command.args(beside_verbs.then_some("-libverbs")).arg("-o").arg(&program);
        let output = command.output().map_err(|cause| format!("{} cannot be run: {cause}", self.name()))?;
        if output.status.success() {
            return Ok(program);
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        let hint = if beside_verbs { "; it needs libibverbs and its headers (Debian: libibverbs-dev)" } else { "" };
        Err(format!("{} cannot compile the benchmark ({}{hint}):\n{errors}", self.name(), output.status))
    }

    fn launch(&self, program: &Path, wanted: &Wanted) -> Result<String, String> {
        let &Wanted { ranks, rounds, overlap_work, memory, ring, beside_verbs, timeout } = wanted;
        let mut command = Command::new(&self.launcher);
        command.arg("-n").arg(ranks.to_string()).arg(program);
        command.args([rounds, overlap_work].map(|number| number.to_string()));
        command.arg(memory.name());
        command.args(ring.then_some("ring"));
        command.envs(launch_environment());
        if beside_verbs {
            command.env("GRAVEL_PROVIDER", "verbs");
        }
        command.stdout(Stdio::piped());
        let failed = |what: String| format!("{} {what}", self.launcher.display());
        let mut child = command.spawn().map_err(|cause| failed(format!("cannot be run: {cause}")))?;
        // The pipe is read by a thread, so that neither a full pipe nor a silent program stops the clock.
        let pipe = child.stdout.take();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            let result = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_string(&mut text));
            result.map(|_| text)
        });
        let deadline = Instant::now() + timeout;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() > deadline => {
                    // The launcher ends its ranks when it is asked to.
                    if let Ok(pid) = libc::pid_t::try_from(child.id()) {
                        // SAFETY: our own child, which has not been waited for.
                        unsafe { libc::kill(pid, libc::SIGTERM) };
                    }
                    std::thread::sleep(Duration::from_secs(2));
                    // It may be gone already.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(failed(format!("was ended: it took longer than {timeout:?} (--timeout)")));
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                Err(cause) => return Err(failed(format!("cannot be waited for: {cause}"))),
            }
        };
        let output = match reader.join() {
            Ok(Ok(text)) => text,
            Ok(Err(cause)) => return Err(failed(format!("printed what cannot be read: {cause}"))),
            Err(_) => return Err(failed("could not be read".into())),
        };
        if status.success() { Ok(output) } else { Err(failed(format!("failed: {status}; its messages are above"))) }
    }
}

/// What Open MPI has to be told, and others do not look at: ranks may outnumber processors, and root may run them.
fn launch_environment() -> Vec<(OsString, OsString)> {
    let mut variables = vec![("OMPI_MCA_rmaps_base_oversubscribe".into(), "1".into())];
    // SAFETY: has no preconditions.
    if unsafe { libc::geteuid() } == 0 {
        variables.push(("OMPI_ALLOW_RUN_AS_ROOT".into(), "1".into()));
        variables.push(("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM".into(), "1".into()));
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(milliseconds: u64) -> Wanted {
        let timeout = Duration::from_millis(milliseconds);
        Wanted {
            ranks: 2,
            rounds: 1,
            overlap_work: 400,
            memory: Memory::Heap,
            ring: false,
            beside_verbs: false,
            timeout,
        }
    }

    /// Written by another process: what this one has open for writing, the child of another test could have inherited when
    /// the script is to run ("text file busy").
    fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        let mut writer = Command::new("sh");
        writer
            .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
            .arg(&path)
            .arg(text);
        assert!(writer.status().unwrap().success());
        path
    }

    #[test]
    fn launchers_follow_their_wrappers() {
        let folder = tempfile::tempdir().unwrap();
        let wrapper = script(folder.path(), "mpicc.some", "exit 0");
        let alone = Toolchain::find(std::slice::from_ref(&wrapper), None).unwrap_err();
        assert!(alone.contains("--mpirun"), "{alone}");
        let launcher = script(folder.path(), "mpirun.some", "exit 0");
        let found = Toolchain::find(&[wrapper.clone(), wrapper.clone()], None).unwrap();
        assert_eq!(found, [Toolchain { wrapper, launcher }], "the same one once");
        let missing = Toolchain::find(&[folder.path().join("mpicc.other")], None).unwrap_err();
        assert!(missing.contains("mpicc.other"), "{missing}");
    }

    #[test]
    fn failures_say_which_program_failed_and_why() {
        let folder = tempfile::tempdir().unwrap();
        let wrapper = script(folder.path(), "mpicc", "echo 'no such header' >&2; exit 1");
        let launcher = script(folder.path(), "mpirun", "exit 7");
        let toolchain = Toolchain { wrapper, launcher };
        let error = toolchain.measure(Path::new("libgravel.a"), &wanted(10_000)).unwrap_err();
        assert!(error.contains("no such header"), "{error}");
        let error = toolchain.launch(Path::new("benchmark"), &wanted(10_000)).unwrap_err();
        assert!(error.contains("exit status: 7"), "{error}");
    }

    #[test]
    fn beside_verbs_gravel_uses_verbs_and_libibverbs_is_linked() {
        let folder = tempfile::tempdir().unwrap();
        let wrapper = script(folder.path(), "mpicc", "echo \"$@\" >&2; exit 1");
        let launcher = script(folder.path(), "mpirun", "echo provider $GRAVEL_PROVIDER");
        let toolchain = Toolchain { wrapper, launcher };
        for beside_verbs in [false, true] {
            let wanted = Wanted { beside_verbs, ..wanted(10_000) };
            let error = toolchain.measure(Path::new("libgravel.a"), &wanted).unwrap_err();
            assert_eq!(error.contains("-DBARE_VERBS") && error.contains("-libverbs"), beside_verbs, "{error}");
            let output = toolchain.launch(Path::new("benchmark"), &wanted).unwrap();
            assert_eq!(output.trim() == "provider verbs", beside_verbs, "{output}");
        }
    }

    #[test]
    fn a_run_that_hangs_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let launcher = script(folder.path(), "mpirun", "exec sleep 1000");
        let toolchain = Toolchain { wrapper: launcher.clone(), launcher };
        let error = toolchain.launch(Path::new("benchmark"), &wanted(10)).unwrap_err();
        assert!(error.contains("--timeout"), "{error}");
    }
}
