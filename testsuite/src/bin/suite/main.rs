//! `cargo suite`: installs what is missing and runs every test.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use gravelc::mutations::Clause;
use testsuite::case::{self, Case};
use testsuite::checkers::{self, Component, Fuzzing, Sanitizer};
use testsuite::cluster::ClusterPart;
use testsuite::command::CommandLine;
use testsuite::configuration::Effort;
use testsuite::corpus::{self, Corpus, Description};
use testsuite::damaged_programs::campaign::Campaign as DamagedPrograms;
use testsuite::equivalence::Equivalence;
use testsuite::free_space::LittleSpace;
use testsuite::golden::Golden;
use testsuite::graphs;
use testsuite::gravelc::{CARGO_LIMIT, Gravelc};
use testsuite::hidden_communication;
use testsuite::kernels::suite::KernelSuite;
use testsuite::kernels::{Class, Kernel};
use testsuite::loops_in_c;
use testsuite::mpi_flavour::{MpiFlavour, RUN_LIMIT};
use testsuite::mutations::{self, Campaigns};
use testsuite::native;
use testsuite::preprocessing::Comparison;
use testsuite::random_programs::batch::Workshop;
use testsuite::random_programs::campaign::Campaign;
use testsuite::random_programs::seeds;
use testsuite::readme;
use testsuite::report::Status;
use testsuite::rust_examples::RustExamples;
use testsuite::setup::{self, Purpose};
use testsuite::shared_arguments;
use testsuite::side_by_side::check_each;
use testsuite::source_language::SourceLanguage;
use testsuite::tally::{Step, Tally};
use testsuite::trap::Trap;
use testsuite::verbs;
use testsuite::wandering_requests;
use testsuite::warnings::WarningCheck;
use testsuite::workspace::BuildFolder;

/// The number of the first random program of the fixed batch.
const FIRST_RANDOM_PROGRAM: u64 = 1_000_000;
/// Random programs of the fixed batch.
const FIXED_RANDOM_PROGRAMS: u64 = 320;
/// So many random programs are certain to meet everything that can happen.
const CERTAIN_RANDOM_PROGRAMS: u64 = 1000;
/// After this time no further batch of random programs begins.
const RANDOM_PROGRAMS_LIMIT: Duration = Duration::from_secs(150);
/// Damaged programs of the fixed batch.
const FIXED_DAMAGED_PROGRAMS: u64 = 1_500;
/// After this time no further damaged program is read.
const DAMAGED_PROGRAMS_LIMIT: Duration = Duration::from_secs(60);
/// Damaged programs that are preprocessed, of the fixed batch.
const FIXED_PREPROCESSED_PROGRAMS: u64 = 600;
/// After this time no further damaged program is preprocessed.
const PREPROCESSED_PROGRAMS_LIMIT: Duration = Duration::from_secs(60);
/// Of so many traps one is transformed with `--in-place`, without --full.
const IN_PLACE_TRAPS: usize = 12;
/// Programs that hand requests around, with --full.
const MORE_WANDERING_REQUESTS: u64 = 100;
/// Programs in C whose loops fill and read messages, with --full.
const MORE_LOOPS_IN_C: u64 = 300;
/// After this time no further kernel begins.
const KERNELS_LIMIT: Duration = Duration::from_secs(165);

/// After this time no further program is run on a cluster of hosts.
const CLUSTER_LIMIT: Duration = Duration::from_secs(170);

/// Install what is missing, build, and run every test of Gravel.
#[derive(Debug, Parser)]
#[command(name = "cargo suite", max_term_width = 100)]
struct Arguments {
    /// Write the expected files of the golden tests anew, and do nothing else
    #[arg(long)]
    bless: bool,
    /// Run everything in every configuration instead of a fixed sample (takes hours)
    #[arg(long)]
    full: bool,
    /// Random and damaged programs: how many (default: a fixed batch, and a few minutes at most); for mutations: how many
    /// random programs notice each clause is shown, instead of the first test that does
    #[arg(long, value_name = "N")]
    programs: Option<u64>,
    /// Random and damaged programs: the number of the first one
    #[arg(long, value_name = "S", default_value_t = FIRST_RANDOM_PROGRAM)]
    seed: u64,
    /// Mutations: only these clauses
    #[arg(long, value_name = "CLAUSE", value_delimiter = ',')]
    clause: Vec<String>,
    /// Random programs: all but the fixed list in this language; without it, some batches are in Fortran and some in C
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<SourceLanguage>,
    /// Random programs: search the shortest list of seeds that reaches everything, write it, and do nothing else
    #[arg(long)]
    refresh_seeds: bool,
    /// Kernels: how large their problems are; another class than tiny, or --hostile, has no time limit
    #[arg(long, value_name = "CLASS", default_value = "tiny")]
    class: Class,
    /// Run golden, trap and random programs and kernels on a runtime that does everything at the worst moment, too
    #[arg(long)]
    hostile: bool,
    /// Transform, build and run the codes that are described in this folder, print a table of them, and do nothing else
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Run only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,
}

/// A part of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// cargo fmt
    Format,
    /// cargo clippy
    Lint,
    /// cargo doc
    Doc,
    /// cargo test
    Test,
    /// The lock-free parts of the runtime, under a model checker
    Models,
    /// The runtime's unit tests, under an interpreter that finds undefined behaviour
    Interpreter,
    /// All tests of the runtime, under the address and the thread sanitizer
    Sanitizers,
    /// The decoders of what peers send, under a fuzzer
    Fuzzers,
    /// The runtime in a Rust program that attaches to MPI through the crate mpi
    RustMpi,
    /// The packages as they would be published, each built from what is in it
    Packages,
    /// The golden programs, run
    Golden,
    /// Golden and trap programs transformed with --in-place, run where that makes a difference
    InPlace,
    /// The trap programs, transformed and run
    Traps,
    /// Random programs, transformed and run
    Random,
    /// Programs that hand memory over by two names, transformed and run
    Aliases,
    /// Programs that receive messages where no call of MPI can be seen, transformed and run
    Hidden,
    /// Programs that copy requests, store them and hand them around, transformed and run
    Requests,
    /// Programs in C whose loops fill and read messages, transformed and run
    Loops,
    /// Programs damaged at random: gravelc transforms them or says why not
    Damaged,
    /// Programs, also damaged ones, as gravelc and as a compiler's preprocessor see them
    Preprocessing,
    /// Clauses of the safety contract switched off: does a test notice?
    Mutations,
    /// The kernels, transformed and run
    Kernels,
    /// The examples, transformed and run
    Examples,
    /// Examples, golden, trap and random programs and kernels on a cluster of hosts, which are made on this machine
    Cluster,
    /// The commands and links of README.md
    Readme,
    /// The runtime over RDMA: on this machine's device, or in an emulated machine that has a software one
    Verbs,
}

impl Part {
    const ALL: [Self; 26] = [
        Self::Format,
        Self::Lint,
        Self::Doc,
        Self::Test,
        Self::Models,
        Self::Interpreter,
        Self::Sanitizers,
        Self::Fuzzers,
        Self::RustMpi,
        Self::Packages,
        Self::Golden,
        Self::InPlace,
        Self::Traps,
        Self::Random,
        Self::Aliases,
        Self::Hidden,
        Self::Requests,
        Self::Loops,
        Self::Damaged,
        Self::Preprocessing,
        Self::Mutations,
        Self::Kernels,
        Self::Examples,
        Self::Cluster,
        Self::Readme,
        Self::Verbs,
    ];

    /// Whether it runs only when it is asked for: it builds the runtime and its dependencies once more, and runs
    /// everything many times slower.
    fn is_long(self) -> bool {
        matches!(self, Self::Interpreter | Self::Sanitizers | Self::RustMpi | Self::Packages | Self::Mutations)
    }
}

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
            Part::Doc => self.cargo("cargo doc", &["doc", "--no-deps", "--workspace", "--quiet"], tally),
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

    fn golden(&self, tally: &mut Tally) {
        let _step = Step::begin("golden programs: original and expected output print the same");
        let all = match Golden::all() {
            Ok(all) => all,
            Err(message) => return tally.fail("golden", message),
        };
        let mut cases = Vec::new();
        for golden in all {
            match golden.case() {
                Ok(case) => cases.push(case),
                Err(message) => tally.fail(&format!("golden/{}", golden.name), message),
            }
        }
        self.equivalence("golden-runs", 2, 3).check_all(&cases, tally);
        self.check_warnings(&cases, tally);
        let _step = Step::begin("golden programs: Graphviz draws their graphs");
        check_each(&cases, tally, |case, tally| {
            let folder = self.folder.scratch("graphs").join(&case.name);
            tally.check(&format!("{}: graphs", case.name), graphs::draw(&self.gravelc, &case.original, &folder));
        });
    }

    fn in_place(&self, tally: &mut Tally) {
        let _step = Step::begin("golden and trap programs with all that can be converted, moved or not");
        let programs = match (Golden::all(), Trap::all()) {
            (Ok(golden), Ok(traps)) => {
                // Each trap is transformed twice to see whether it comes out otherwise.
                let step = if self.full { 1 } else { IN_PLACE_TRAPS };
                let traps = traps.into_iter().step_by(step).map(|trap| (trap.name, trap.file));
                golden.iter().map(|golden| (golden.name.clone(), golden.input())).chain(traps).collect::<Vec<_>>()
            }
            (Err(message), _) | (_, Err(message)) => return tally.fail("programs in place", message),
        };
        let gravelc = self.gravelc.clone().in_place();
        let cases: Mutex<Vec<Case>> = Mutex::default();
        check_each(&programs, tally, |(name, source), tally| {
            let folder = self.folder.scratch("in-place").join(name);
            let name = format!("in-place/{name}");
            let found = self.gravelc.transform(source, &folder.join("moved")).and_then(|moved| {
                let case = Case::transformed_by(&gravelc, name.as_str(), source, &folder.join("in-place"))?;
                Ok((!case.is_transformed_as(&moved.output)?).then_some(case))
            });
            match found {
                Ok(found) => cases.lock().unwrap_or_else(PoisonError::into_inner).extend(found),
                Err(message) => tally.fail(&name, message),
            }
        });
        let mut cases = cases.into_inner().unwrap_or_else(PoisonError::into_inner);
        cases.sort_by(|one, other| one.name.cmp(&other.name));
        println!("    {} of {} programs come out otherwise than without --in-place", cases.len(), programs.len());
        let result = if cases.is_empty() { Err("none comes out otherwise than without it") } else { Ok(()) };
        tally.check("programs in place: some are others", result);
        self.equivalence("in-place-runs", 1, 2).check_all(&cases, tally);
    }

    fn traps(&self, tally: &mut Tally) {
        let _step = Step::begin("trap programs: report and runs");
        let equivalence = self.equivalence("trap-runs", 1, 2);
        let traps = match Trap::all() {
            Ok(traps) => traps,
            Err(message) => return tally.fail("traps", message),
        };
        let [kept, transformed] = [AtomicUsize::new(0), AtomicUsize::new(0)];
        check_each(&traps, tally, |trap, tally| {
            let name = format!("traps/{}", trap.name);
            let destination = self.folder.scratch("traps").join(&trap.name);
            match trap.check(&self.gravelc, &destination) {
                Ok(report) => {
                    tally.pass();
                    for site in report.sites.iter().filter(|site| trap.lines.contains(&site.line)) {
                        let sites = if site.status == Status::Transformed { &transformed } else { &kept };
                        sites.fetch_add(1, Ordering::Relaxed);
                    }
                }
                Err(message) => tally.fail(&name, message),
            }
            match Case::transformed_by(&self.gravelc, name.as_str(), &trap.file, &destination) {
                Ok(case) => equivalence.check(&case, tally),
                Err(message) => tally.fail(&name, message),
            }
        });
        println!(
            "    of the trapped calls of {} programs {} are transformed, {} kept",
            traps.len(),
            transformed.into_inner(),
            kept.into_inner()
        );
    }

    fn aliases(&self, tally: &mut Tally) {
        let _step = Step::begin("programs that hand memory over by two names");
        let plain = self.equivalence("shared-arguments", 1, 2);
        let mut watched = self.equivalence("shared-arguments", 1, 2);
        watched.environment.push(("GRAVEL_CHECK", "1".to_owned()));
        let batch = match self.programs {
            Some(programs) => (self.seed, programs),
            None => (0, shared_arguments::FIXED_BATCH),
        };
        shared_arguments::check(&self.gravelc, &[watched, plain], batch, tally);
    }

    fn hidden(&self, tally: &mut Tally) {
        let _step = Step::begin("programs that receive messages where no call of MPI can be seen");
        let equivalence = self.equivalence("hidden-communication", 1, 1);
        let batch = match self.programs {
            Some(programs) => (self.seed, programs),
            None => (0, hidden_communication::FIXED_BATCH),
        };
        hidden_communication::check(&self.gravelc, &equivalence, batch, tally);
    }

    fn requests(&self, tally: &mut Tally) {
        let _step = Step::begin("programs that copy requests, store them and hand them around");
        // Both MPIs, each on two and three ranks.
        let mut equivalence = self.equivalence("wandering-requests", 2, 2);
        equivalence.effort = Effort::Sample { builds: 2, executions: 2 };
        let batch = match self.programs {
            Some(programs) => (self.seed, programs),
            None if self.full => (0, MORE_WANDERING_REQUESTS),
            None => (0, wandering_requests::FIXED_BATCH),
        };
        wandering_requests::check(&self.gravelc, &equivalence, batch, tally);
    }

    fn loops(&self, tally: &mut Tally) {
        let _step = Step::begin("programs in C whose loops fill and read messages");
        let equivalence = self.equivalence("loops-in-c", 1, 3);
        let batch = match self.programs {
            Some(programs) => (self.seed, programs),
            None if self.full => (0, MORE_LOOPS_IN_C),
            None => (0, loops_in_c::FIXED_BATCH),
        };
        loops_in_c::check(&self.gravelc, &equivalence, batch, tally);
    }

    fn random(&self, tally: &mut Tally) {
        let is_long = self.programs.is_some();
        let step =
            if is_long { "random programs" } else { "random programs: a fixed list, and more for at most 3 minutes" };
        let _step = Step::begin(step);
        let fixed = match seeds::read() {
            Ok(fixed) => fixed,
            Err(message) => return tally.fail("random programs", message),
        };
        let campaign = Campaign {
            fixed: if is_long { seeds::Reached::new() } else { fixed },
            seed: self.seed,
            programs: self.programs.unwrap_or(FIXED_RANDOM_PROGRAMS),
            limit: if is_long { Duration::MAX } else { RANDOM_PROGRAMS_LIMIT },
            shrinking: Duration::from_secs(if is_long { 300 } else { 60 }),
            reaches_everything: self.programs.is_some_and(|programs| programs >= CERTAIN_RANDOM_PROGRAMS),
            has_hostile: self.hostile,
            language: self.language,
        };
        campaign
            .run(&Workshop { gravelc: &self.gravelc, folder: self.folder.scratch("random"), limit: RUN_LIMIT }, tally);
    }

    fn damaged(&self, tally: &mut Tally) {
        let _step = Step::begin("programs damaged at random: gravelc transforms them or says why not");
        let limit = if self.programs.is_some() { Duration::MAX } else { DAMAGED_PROGRAMS_LIMIT };
        let programs = self.programs.unwrap_or(FIXED_DAMAGED_PROGRAMS);
        let campaign = DamagedPrograms { seed: self.seed, programs, limit };
        campaign.run(&self.gravelc, &self.folder.scratch("damaged"), tally);
    }

    fn preprocessing(&self, tally: &mut Tally) {
        let _step = Step::begin("preprocessed programs: gravelc sees the statements that gfortran sees");
        let limit = if self.programs.is_some() { Duration::MAX } else { PREPROCESSED_PROGRAMS_LIMIT };
        let programs = self.programs.unwrap_or(FIXED_PREPROCESSED_PROGRAMS);
        let comparison = Comparison { seed: self.seed, programs, limit };
        comparison.run(&self.folder.scratch("preprocessing"), tally);
    }

    fn mutations(&self, tally: &mut Tally) {
        let _step = Step::begin("clauses of the safety contract, switched off");
        let asked = |clause: &&str| self.clauses.is_empty() || self.clauses.iter().any(|asked| asked == clause);
        let clauses: Vec<&str> = Clause::all().map(Clause::name).filter(asked).collect();
        let scratch = self.folder.scratch("mutations");
        let mutated = match setup::build_mutated(&self.folder) {
            Ok(mutated) => mutated,
            Err(message) => return tally.fail("mutations", message),
        };
        match self.programs {
            Some(programs) => Campaigns { seed: self.seed, programs }.run(&mutated, &clauses, &scratch, tally),
            None => mutations::check(&mutated, &clauses, &scratch, tally),
        }
    }

    fn kernels(&self, tally: &mut Tally) {
        // The hostile provider is asked for: it shall meet every kernel.
        let is_long = self.full || self.hostile || self.class != Class::Tiny;
        let step = if is_long { "kernels" } else { "kernels: a sample of runs, at most 3 minutes" };
        let _step = Step::begin(format!("{step}, class {}", self.class));
        let kernels = match Kernel::all() {
            Ok(kernels) => kernels,
            Err(message) => return tally.fail("kernels", message),
        };
        let suite = KernelSuite {
            gravelc: &self.gravelc,
            scratch: self.folder.scratch("kernels"),
            class: self.class,
            placements: None,
            is_sample: !self.full,
            limit: if is_long { Duration::MAX } else { KERNELS_LIMIT },
            environment: self.hostile_environment(),
        };
        suite.run(&kernels, tally);
    }

    fn examples(&self, tally: &mut Tally) {
        let _step = Step::begin("examples: original and transformed print the same");
        let examples = match case::examples() {
            Ok(examples) => examples,
            Err(message) => return tally.fail("examples", message),
        };
        let mut cases = Vec::new();
        for (name, source) in examples {
            let destination = self.folder.scratch("examples").join(&name);
            match Case::transformed_by(&self.gravelc, name.as_str(), &source, &destination) {
                Ok(case) => cases.push(case),
                Err(message) => tally.fail(&name, message),
            }
        }
        self.equivalence("example-runs", 6, 4).check_all(&cases, tally);
        self.check_warnings(&cases, tally);
        let in_rust = match RustExamples::build(&self.gravelc, &self.folder.scratch("examples-in-rust")) {
            Ok(examples) => examples,
            Err(message) => return tally.fail("examples in Rust", message),
        };
        for name in in_rust.names() {
            for ranks in 1..=4 {
                tally.check(&format!("examples/{name} on {ranks} ranks"), in_rust.check(name, ranks));
            }
        }
    }

    fn cluster(&self, tally: &mut Tally) {
        let limit = (!self.full).then_some(CLUSTER_LIMIT);
        let length = if limit.is_some() { ", at most 3 minutes" } else { "" };
        let _step = Step::begin(format!("a cluster of hosts: original and transformed print the same{length}"));
        let scratch = self.folder.scratch("cluster");
        ClusterPart { gravelc: &self.gravelc, scratch, limit }.run(tally);
    }
}
