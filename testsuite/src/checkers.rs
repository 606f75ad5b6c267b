//! Checkers that see more of the runtime than a run of its tests does: a model checker, which tries every interleaving of
//! the lock-free parts; an interpreter, which finds undefined behaviour in everything that makes no system call; and
//! sanitizers, under which all its tests run, those between processes included, and so do the programs that use it through
//! its header and its Fortran module.

use std::path::Path;
use std::time::Duration;

use crate::command::CommandLine;
use crate::mpi_flavour::{MpiFlavour, RUN_LIMIT};
use crate::process::{self, Ending};
use crate::workspace::{self, BuildFolder};
use crate::{native, runtime_library, setup};

/// How long one checker may take, its build included: three times what the slowest has taken on two processors.
const LIMIT: Duration = Duration::from_secs(45 * 60);
/// Preemptions that the model checker tries in one execution: nearly all concurrency errors need no more than two.
const PREEMPTIONS: &str = "3";
/// Random cases per property test under the interpreter, which is some hundred times slower.
const INTERPRETED_CASES: &str = "2";

/// The rings, the doorbell, the engine's lock and the table of requests of the runtime under loom.
///
/// # Errors
///
/// What cargo says, if a model fails.
pub fn check_models(folder: &BuildFolder) -> Result<(), String> {
    let command = setup::cargo()
        .args(["test", "--release", "--package", "gravel-rt", "--lib", "models"])
        .env("RUSTFLAGS", "--cfg loom")
        .env("LOOM_MAX_PREEMPTIONS", PREEMPTIONS)
        .env("CARGO_TARGET_DIR", folder.target.join("loom").to_string_lossy());
    let finished = setup::succeed(&command, LIMIT)?;
    // The models are compiled in by a flag: make sure that they were there.
    if finished.stdout_text().contains("running 0 tests") {
        return Err("no model was found: is the flag `loom` still what selects them?".into());
    }
    Ok(())
}

/// The modules of the runtime whose unit tests the interpreter runs: all unsafe code and all arithmetic on positions that
/// needs no system call which it has not.
const INTERPRETED: [&str; 23] = [
    "abi::descriptor::",
    "api::collectives::",
    "api::memory::",
    "engine::",
    "fuzzing::tests::entries",
    "memory::tests::",
    "message::communicator::",
    "message::datatype::",
    "message::ledger::",
    "message::matching::",
    "message::request::",
    "message::retirement::",
    "message::wire::",
    "provider::staging::",
    "provider::tcp::card::",
    "provider::tcp::frame::",
    "provider::verbs::addressing::",
    "provider::verbs::credits::",
    "provider::verbs::immediate::",
    "stats::",
    "sys::json::",
    "tile::",
    "trace::",
];

/// What a name of these is a part of, too, and which makes system calls that the interpreter has not.
const NOT_INTERPRETED: [&str; 1] = ["check::memory::"];

/// The unit tests of the runtime under Miri, except those that make system calls which it has not.
///
/// # Errors
///
/// What cargo says, if a test fails; or which module has no test that was run.
pub fn interpret(folder: &BuildFolder) -> Result<(), String> {
    let command = on_nightly(["cargo", "miri", "test", "--package", "gravel-rt", "--lib", "--"])
        .args(INTERPRETED)
        .args(NOT_INTERPRETED.into_iter().flat_map(|module| ["--skip", module]))
        .env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-permissive-provenance")
        .env("PROPTEST_CASES", INTERPRETED_CASES)
        .env("CARGO_TARGET_DIR", folder.target.join("miri").to_string_lossy());
    let text = setup::succeed(&command, LIMIT)?.stdout_text();
    // A module that has moved would be left out in silence.
    let has_run = |module: &str| text.lines().any(|line| line.starts_with(&format!("test {module}")));
    match INTERPRETED.into_iter().find(|module| !has_run(module)) {
        None => Ok(()),
        Some(module) => Err(format!("no test of {module} was found: has it moved?")),
    }
}

/// What a sanitizer looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sanitizer {
    /// Accesses outside of live objects.
    Address,
    /// Data races.
    Thread,
}

impl Sanitizer {
    /// What it needs: to see synchronisation inside the standard library, that must be compiled with it, too.
    pub fn needs(self) -> Component {
        match self {
            Self::Address => Component::Compiler,
            Self::Thread => Component::Sources,
        }
    }
}

/// The unit tests of the runtime, and those between processes, under a sanitizer.
///
/// # Errors
///
/// What cargo says, if a test fails or the sanitizer finds something.
pub fn sanitize(sanitizer: Sanitizer, folder: &BuildFolder) -> Result<(), String> {
    // A target, even if it is the host: then build scripts and macros are not instrumented.
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let (name, standard_library): (_, &[&str]) = match sanitizer {
        Sanitizer::Address => ("address", &[]),
        Sanitizer::Thread => ("thread", &["-Zbuild-std"]),
    };
    let command = on_nightly(["cargo", "test", "--package", "gravel-rt", "--lib", "--test", "cluster"])
        .args(["--target", target.as_str()])
        .args(standard_library.iter().copied())
        // Gigabytes, each byte of which the sanitizer looks at.
        .args(["--", "--skip", "large::"])
        .env("RUSTFLAGS", format!("-Zsanitizer={name}"))
        // Ten times slower, and it may share the processors with others.
        .env("CLUSTER_PATIENCE", "5")
        // What a process that is killed on purpose leaves behind is no leak.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .env("CARGO_TARGET_DIR", folder.target.join(format!("sanitizer-{name}")).to_string_lossy());
    setup::succeed(&command, LIMIT).map(drop)
}

/// The programs that use the runtime through its interfaces for C and Fortran, and how many ranks each needs.
const INTERFACE_PROGRAMS: [(&str, usize); 14] = [
    ("protocols.c", 3),
    ("progress.c", 2),
    ("communicators.c", 4),
    ("part_of_the_world.c", 4),
    ("datatypes.c", 2),
    ("gaps.c", 3),
    ("wrong_use.c", 2),
    ("large.c", 2),
    ("alltoall.c", 4),
    ("protocols.F90", 3),
    ("attach.F90", 4),
    ("gaps.F90", 3),
    ("wrong_use.F90", 2),
    ("alltoall.F90", 4),
];
/// What the programs of the interfaces are compiled with: gcc's sanitizers, which end the program at their first finding.
const SANITIZED: [&str; 5] =
    ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// The header and the Fortran module, compiled by gcc with its sanitizers for addresses and undefined behaviour, in all
/// programs of the tests that use them. They have no threads.
///
/// # Errors
///
/// What the compiler, a program or a sanitizer says.
pub fn sanitize_interfaces(flavour: MpiFlavour) -> Result<(), String> {
    for (source, ranks) in INTERFACE_PROGRAMS {
        let folder = native::scratch("sanitized", flavour)?.join(source);
        let program = folder.join("program");
        let path = workspace::package().join("shim").join(source);
        let compile = if source.ends_with(".c") {
            CommandLine::new(flavour.c_compiler()).arg("-I").arg(runtime_library::header_folder())
        } else {
            CommandLine::new(flavour.fortran_compiler())
                .args(flavour.fortran_flags())
                .arg("-DWITH_F08")
                .arg(runtime_library::fortran_module())
        };
        let compile = compile
            .args(SANITIZED)
            .arg(path)
            .arg(runtime_library::static_library()?)
            .args(runtime_library::SYSTEM_LIBRARIES)
            .arg("-o")
            .arg(&program);
        native::compile(compile, &folder)?;
        // Both MPIs leave memory behind.
        let settings = [("ASAN_OPTIONS", "detect_leaks=0".to_owned())];
        native::run_to_pass(flavour, ranks, &program, &settings)?;
    }
    Ok(())
}

/// What `cargo fuzz` runs: see `gravel-rt/src/fuzzing.rs`.
pub const FUZZ_TARGETS: [&str; 2] = ["frames", "entries"];

/// How much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fuzzing {
    /// As one part of many: the corpus, and what is found close to it, with a build that takes half as long (half a minute).
    Short,
    /// As what was asked for.
    Long,
}

impl Fuzzing {
    /// How long each fuzzer runs, in seconds.
    pub fn seconds(self) -> u32 {
        match self {
            Self::Short => 5,
            Self::Long => 20,
        }
    }

    fn profile(self) -> &'static [&'static str] {
        match self {
            Self::Short => &["--dev"],
            Self::Long => &[],
        }
    }
}

/// A run of a fuzzer, which begins with the corpus. What it adds goes to the build folder.
///
/// # Errors
///
/// What it says, with the path of the input that it has found.
pub fn fuzz(target: &str, effort: Fuzzing, folder: &BuildFolder) -> Result<(), String> {
    let found = folder.scratch("fuzzing").join(target);
    std::fs::create_dir_all(&found).map_err(|error| format!("cannot make the folder {}: {error}", found.display()))?;
    let corpus = Path::join(workspace::root(), "gravel-rt/fuzz/corpus").join(target);
    let command = on_nightly(["cargo", "fuzz", "run"])
        .args(effort.profile().iter().copied())
        .args(["--fuzz-dir", "gravel-rt/fuzz", target])
        .arg(found)
        .arg(corpus)
        .args(["--".to_owned(), format!("-max_total_time={}", effort.seconds())])
        .env("CARGO_TARGET_DIR", folder.target.join("fuzzers").to_string_lossy());
    setup::succeed(&command, LIMIT).map(drop)
}

/// Looks for `cargo fuzz` and the nightly toolchain that it needs. Downloads nothing.
///
/// # Errors
///
/// Why they are not there: a reason to skip what needs them.
pub fn find_fuzzer() -> Result<(), String> {
    if !succeeds(&Component::Compiler.probe()) {
        return Err("the nightly toolchain is not installed (`rustup toolchain install nightly`)".into());
    }
    match succeeds(&on_nightly(["cargo", "fuzz", "--version"])) {
        true => Ok(()),
        false => Err("cargo fuzz is not installed (`cargo install cargo-fuzz`)".into()),
    }
}

/// Looks for mdbook. Downloads nothing.
///
/// # Errors
///
/// That it is not there: a reason to skip what needs it.
pub fn find_mdbook() -> Result<(), String> {
    match succeeds(&CommandLine::new("mdbook").args(["--version"])) {
        true => Ok(()),
        false => Err("mdbook is not installed (`cargo install mdbook`)".into()),
    }
}

/// Builds the book of `docs/`. Its links are checked by a test (`tests/book.rs`), which needs no mdbook.
///
/// # Errors
///
/// What mdbook says; it warns of pages that are not there, and of broken HTML.
pub fn build_book(folder: &BuildFolder) -> Result<(), String> {
    let (source, destination) = (workspace::root().join("docs"), folder.scratch("book"));
    let command = CommandLine::new("mdbook").args(["build"]).args([source]).args(["--dest-dir"]).args([destination]);
    let output = setup::succeed(&command, LIMIT)?;
    let said = format!("{}{}", output.stdout_text(), output.stderr_text());
    match said.lines().find(|line| line.contains("WARN") || line.contains("ERROR")) {
        Some(line) => Err(format!("mdbook: {line}")),
        None => Ok(()),
    }
}

/// What a checker needs of the nightly toolchain beside the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// Nothing.
    Compiler,
    /// The interpreter, which needs the sources of the standard library, too.
    Interpreter,
    /// The sources of the standard library.
    Sources,
}

impl Component {
    /// A command that works if it is there.
    fn probe(self) -> CommandLine {
        match self {
            Self::Compiler => on_nightly(["rustc", "--version"]),
            Self::Interpreter => on_nightly(["cargo", "miri", "setup"]),
            Self::Sources => {
                let library = "lib/rustlib/src/rust/library/std/src/lib.rs";
                let test = format!("test -e \"$(rustc --print sysroot)/{library}\"");
                on_nightly(["sh", "-c", test.as_str()])
            }
        }
    }

    fn rustup_names(self) -> &'static [&'static str] {
        match self {
            Self::Compiler => &[],
            Self::Interpreter => &["miri", "rust-src"],
            Self::Sources => &["rust-src"],
        }
    }
}

/// Installs the nightly toolchain with a component, where rustup can.
///
/// # Errors
///
/// Why it is not there: a reason to skip what needs it.
pub fn install_nightly(component: Component) -> Result<(), String> {
    if succeeds(&component.probe()) {
        return Ok(());
    }
    let names = component.rustup_names().iter().flat_map(|&name| ["--component", name]);
    let install =
        CommandLine::new("rustup").args(["toolchain", "install", "nightly", "--profile", "minimal"]).args(names);
    if succeeds(&install) && succeeds(&component.probe()) {
        return Ok(());
    }
    Err(format!("the nightly toolchain lacks what is needed, and `{install}` does not install it"))
}

fn on_nightly<'a>(command: impl IntoIterator<Item = &'a str>) -> CommandLine {
    CommandLine::new("rustup").args(["run", "nightly"]).args(command).in_folder(workspace::root())
}

fn succeeds(command: &CommandLine) -> bool {
    process::run(command, LIMIT).is_ok_and(|finished| finished.ending == Ending::Exit(0))
}

/// Ranks of the Rust program that is attached through the crate `mpi`.
const RUST_RANKS: usize = 3;

/// The runtime's feature `mpi`: a Rust program that attaches to an MPI through the crate of that name, built and run.
///
/// # Errors
///
/// What cargo or the launcher says, or what the program has not printed.
pub fn attach_through_crate(flavour: MpiFlavour, folder: &BuildFolder) -> Result<(), String> {
    let target = folder.target.join(format!("rust-{}", flavour.suffix()));
    let build = setup::cargo()
        .args(["build", "--package", "gravel-rt", "--no-default-features", "--features", "mpi"])
        .args(["--example", "ring_mpi"])
        .env("MPICC", flavour.c_compiler())
        .env("CARGO_TARGET_DIR", target.to_string_lossy());
    setup::succeed(&build, LIMIT)?;
    let run = flavour.launch(RUST_RANKS, &target.join("debug/examples/ring_mpi"));
    let text = setup::succeed(&run, RUN_LIMIT)?.stdout_text();
    let expected = |rank: usize| {
        let from = (rank + RUST_RANKS - 1) % RUST_RANKS;
        format!("rank {rank} of {RUST_RANKS} has a message of rank {from}")
    };
    match (0..RUST_RANKS).map(expected).find(|line| !text.contains(line)) {
        None => Ok(()),
        Some(line) => Err(format!("`{run}` has not printed `{line}`:\n{text}")),
    }
}

/// Looks for libclang, with which the crate `mpi` reads MPI's header when it is built. Downloads nothing.
///
/// # Errors
///
/// That it is not there: a reason to skip what needs it.
pub fn find_libclang() -> Result<(), String> {
    if std::env::var_os("LIBCLANG_PATH").is_some()
        || succeeds(&CommandLine::new("sh").args(["-c", "ls /usr/lib/llvm-*/lib/libclang.so*"]))
    {
        return Ok(());
    }
    Err("libclang is not installed (on Debian: apt-get install libclang-dev), nor named by LIBCLANG_PATH".into())
}
