//! `cargo suite`: installs what is missing and runs every test.

mod arguments;
mod programs;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use testsuite::case::Case;
use testsuite::checkers::{self, Component, Fuzzing, Sanitizer};
use testsuite::command::CommandLine;
use testsuite::configuration::Effort;
use testsuite::corpus::{self, Corpus, Description};
use testsuite::equivalence::Equivalence;
use testsuite::free_space::LittleSpace;
use testsuite::golden::Golden;
use testsuite::gravelc::{CARGO_LIMIT, Gravelc};
use testsuite::kernels::Class;
use testsuite::mpi_flavour::{MpiFlavour, RUN_LIMIT};
use testsuite::native;
use testsuite::random_programs::batch::Workshop;
use testsuite::random_programs::seeds;
use testsuite::readme;
use testsuite::setup::{self, Purpose};
use testsuite::side_by_side::check_each;
use testsuite::source_language::SourceLanguage;
use testsuite::tally::{Step, Tally};
use testsuite::verbs;
use testsuite::warnings::WarningCheck;
use testsuite::workspace::BuildFolder;

use self::arguments::{Arguments, Part};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(tally) => {
            println!("{tally}");
            if tally.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<Tally, String> {
    let folder = BuildFolder::of_this_program().map_err(|error| error.to_string())?;
    if let Some(codes) = &arguments.corpus {
        return run_corpus(codes, &folder);
    }
    let gravelc = {
        let _step = Step::begin("set-up");
        let space = LittleSpace::in_folder(&folder.target);
        if let Some(warning) = space.map_err(|error| format!("{}: {error}", folder.target.display()))? {
            println!("{warning}");
        }
        setup::install(Purpose::Suite)?;
        // What is written is what was meant, in every program of the suite.
        setup::build()?.with("GRAVELC_CHECK_OUTPUT", "1")
    };
    if arguments.bless {
        return bless(&gravelc);
    }
    if arguments.refresh_seeds {
        let workshop = Workshop { gravelc: &gravelc, folder: folder.scratch("random"), limit: RUN_LIMIT };
        let _step = Step::begin("search for random programs that reach everything");
        println!("    written: {}", seeds::refresh(&workshop)?.display());
        return Ok(Tally::default());
    }
    let mut suite = Suite {
        is_selected: !arguments.only.is_empty(),
        gravelc,
        folder,
        full: arguments.full,
        hostile: arguments.hostile,
        programs: arguments.programs,
        language: arguments.language,
        seed: arguments.seed,
        clauses: arguments.clause.clone(),
        class: arguments.class,
    };
    if suite.hostile {
        let _step = Step::begin("the runtime with its hostile provider");
        let library = setup::build_hostile(&suite.folder)?;
        suite.gravelc = suite.gravelc.with("GRAVEL_LIB_DIR", library.to_string_lossy());
    }
    let mut tally = Tally::default();
    let mut times: Vec<String> = Vec::new();
    for part in Part::ALL {
        if arguments.only.contains(&part) || (arguments.only.is_empty() && (arguments.full || !part.is_long())) {
            let began = Instant::now();
            suite.run(part, &mut tally);
            times.push(format!("{part:?} {:.0} s", began.elapsed().as_secs_f64()));
        } else if arguments.only.is_empty() {
            tally.skip(format!("{part:?}: takes long, runs with --full or --only"), 1);
        } else {
            tally.skip(format!("{part:?}: not asked for"), 1);
        }
    }
    println!("time: {}", times.join(", "));
    Ok(tally)
}

/// Transforms, builds and runs the codes that are described in a folder. GRAVELC names another gravelc than the one of the
/// repository.
fn run_corpus(codes: &Path, folder: &BuildFolder) -> Result<Tally, String> {
    let descriptions = Description::all(codes)?;
    let gravelc = match std::env::var_os("GRAVELC") {
        Some(program) => Gravelc::at(program),
        None => setup::build()?,
    };
    let flavours = native::installed_flavours();
    let corpus = Corpus { gravelc: &gravelc, flavours, scratch: folder.scratch("corpus") };
    let mut tally = Tally::default();
    let rows = corpus.check(&descriptions, &mut tally);
    println!("{}", corpus::table(&rows));
    Ok(tally)
}

fn bless(gravelc: &Gravelc) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for golden in Golden::all()? {
        match golden.bless(gravelc) {
            Ok(changed) => {
                changed.iter().for_each(|path| println!("written: {}", path.display()));
                tally.pass();
            }
            Err(message) => tally.fail(&format!("golden/{}", golden.name), message),
        }
    }
    Ok(tally)
}

struct Suite {
    /// Whether parts were asked for by name.
    is_selected: bool,
    gravelc: Gravelc,
    folder: BuildFolder,
    full: bool,
    hostile: bool,
    programs: Option<u64>,
    language: Option<SourceLanguage>,
    seed: u64,
    clauses: Vec<String>,
    class: Class,
}

impl Suite {
    fn run(&self, part: Part, tally: &mut Tally) {
        match part {
            Part::Format => self.cargo("cargo fmt --check", &["fmt", "--all", "--", "--check"], tally),
            Part::Lint => {
                let arguments = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
                self.cargo("cargo clippy", &arguments, tally);
                // As the macros for Rust use it.
                let arguments =
                    ["clippy", "-p", "gravelc", "--lib", "--no-default-features", "--quiet", "--", "-D", "warnings"];
                self.cargo("cargo clippy of the library alone", &arguments, tally);
            }
            Part::Doc => {
                self.cargo("cargo doc", &["doc", "--no-deps", "--workspace", "--quiet"], tally);
                let _step = Step::begin("the book");
                match checkers::find_mdbook() {
                    Ok(()) => tally.check("the book", checkers::build_book(&self.folder)),
                    Err(reason) => tally.skip(format!("the book: {reason}; a test checks its links"), 1),
                }
            }
            Part::Test => {
                let mut arguments = vec!["test", "--workspace", "--quiet", "--no-fail-fast"];
                if !self.is_selected {
                    // The part for traps does the same, and runs them, too.
                    arguments.extend(["--", "--skip", "no_trap_is_sprung"]);
                }
                self.cargo("cargo test", &arguments, tally);
            }
            Part::Models => {
                let _step = Step::begin("models of the rings and the doorbell, under loom");
                tally.check("models", checkers::check_models(&self.folder));
            }
            Part::Interpreter => {
                let _step = Step::begin("unit tests of the runtime, under Miri");
                match checkers::install_nightly(Component::Interpreter) {
                    Ok(()) => tally.check("interpreter", checkers::interpret(&self.folder)),
                    Err(reason) => tally.skip(reason, 1),
                }
            }
            Part::Sanitizers => {
                for sanitizer in [Sanitizer::Address, Sanitizer::Thread] {
                    let name = format!("tests of the runtime, under the {sanitizer:?} sanitizer").to_lowercase();
                    let _step = Step::begin(name.as_str());
                    match checkers::install_nightly(sanitizer.needs()) {
                        Ok(()) => tally.check(&name, checkers::sanitize(sanitizer, &self.folder)),
                        Err(reason) => tally.skip(format!("{name}: {reason}"), 1),
                    }
                }
                for flavour in native::installed_flavours() {
                    let name = format!("header and Fortran module with {flavour}, under gcc's sanitizers");
                    let _step = Step::begin(name.as_str());
                    tally.check(&name, checkers::sanitize_interfaces(flavour));
                }
            }
            Part::Fuzzers => {
                let found = checkers::find_fuzzer();
                let effort = if self.full || self.is_selected { Fuzzing::Long } else { Fuzzing::Short };
                for target in checkers::FUZZ_TARGETS {
                    let name = format!("fuzzer: {target}");
                    match &found {
                        Ok(()) => {
                            let _step = Step::begin(format!("{name}, {} s and its build", effort.seconds()));
                            tally.check(&name, checkers::fuzz(target, effort, &self.folder));
                        }
                        // The same decoders get the same corpus, damaged at random, from a test of every compiler.
                        Err(reason) => tally.skip(format!("{name}: {reason}; cargo test runs its corpus"), 1),
                    }
                }
            }
            Part::RustMpi => {
                let found = checkers::find_libclang();
                for flavour in native::installed_flavours() {
                    let name = format!("a Rust program, attached to {flavour} through the crate mpi");
                    match &found {
                        Ok(()) => {
                            let _step = Step::begin(name.as_str());
                            tally.check(&name, checkers::attach_through_crate(flavour, &self.folder));
                        }
                        Err(reason) => tally.skip(format!("{name}: {reason}"), 1),
                    }
                }
            }
            Part::Packages => {
                let packages = ["gravelc", "gravel-macros", "gravel-rt"].into_iter().flat_map(|it| ["--package", it]);
                let arguments: Vec<&str> =
                    ["package", "--quiet", "--allow-dirty"].into_iter().chain(packages).collect();
                self.cargo("packages as they would be published", &arguments, tally);
            }
            Part::Golden => self.golden(tally),
            Part::InPlace => self.in_place(tally),
            Part::Traps => self.traps(tally),
            Part::Random => self.random(tally),
            Part::Aliases => self.aliases(tally),
            Part::Exchanges => self.exchanges(tally),
            Part::Hidden => self.hidden(tally),
            Part::Requests => self.requests(tally),
            Part::Loops => self.loops(tally),
            Part::Damaged => self.damaged(tally),
            Part::Preprocessing => self.preprocessing(tally),
            Part::Mutations => self.mutations(tally),
            Part::Kernels => self.kernels(tally),
            Part::Examples => self.examples(tally),
            Part::Cluster => self.cluster(tally),
            Part::Readme => {
                let _step = Step::begin("README.md");
                tally.check("README.md", readme::check(&self.gravelc));
            }
            Part::Verbs => {
                let _step = Step::begin("the runtime over RDMA");
                verbs::check(&self.gravelc, &self.folder, self.full, tally);
            }
        }
    }

    fn cargo(&self, name: &str, arguments: &[&str], tally: &mut Tally) {
        let _step = Step::begin(name);
        let command: CommandLine = setup::cargo()
            .args(arguments)
            .env("CARGO_TARGET_DIR", self.folder.target.to_string_lossy())
            // What another build after a small change could use takes gigabytes, and time.
            .env("CARGO_INCREMENTAL", "0")
            // The tests' programs are transformed by the gravelc that is there: without optimisation it takes ten times as long.
            .env("GRAVELC", self.gravelc.program().to_string_lossy())
            .env("RUSTDOCFLAGS", "-Dwarnings");
        tally.check(name, setup::succeed(&command, CARGO_LIMIT).map(drop));
    }

    /// Compares runs of programs in a sample of so many builds with so many runs each, or in all configurations.
    fn equivalence(&self, purpose: &str, builds: usize, executions: usize) -> Equivalence<'_> {
        let effort = if self.full { Effort::Full } else { Effort::Sample { builds, executions } };
        Equivalence {
            gravelc: &self.gravelc,
            scratch: self.folder.scratch(purpose),
            effort,
            environment: self.hostile_environment(),
        }
    }

    /// What makes the transformed programs use the hostile provider, if they shall.
    fn hostile_environment(&self) -> Vec<(&'static str, String)> {
        self.hostile.then(|| ("GRAVEL_HOSTILE", self.seed.to_string())).into_iter().collect()
    }

    /// Whether compilers warn of more than before, once for each program.
    fn check_warnings(&self, cases: &[Case], tally: &mut Tally) {
        match WarningCheck::new(&self.folder.scratch("warnings"), MpiFlavour::OpenMpi) {
            Ok(check) => {
                check_each(cases, tally, |case, tally| {
                    tally.check(&format!("{}: warnings of the compiler", case.name), check.check(case));
                });
            }
            Err(message) => tally.fail("warnings of the compiler", message),
        }
    }
}
