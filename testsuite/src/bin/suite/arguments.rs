//! What can be asked of the suite.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use testsuite::kernels::Class;
use testsuite::source_language::SourceLanguage;

/// The number of the first random program of the fixed batch.
const FIRST_RANDOM_PROGRAM: u64 = 1_000_000;

/// Install what is missing, build, and run every test of Gravel.
#[derive(Debug, Parser)]
#[command(name = "cargo suite", max_term_width = 100)]
pub struct Arguments {
    /// Write the expected files of the golden tests anew, and do nothing else
    #[arg(long)]
    pub bless: bool,
    /// Run everything in every configuration instead of a fixed sample (takes hours)
    #[arg(long)]
    pub full: bool,
    /// Random and damaged programs: how many (default: a fixed batch, and a few minutes at most); for mutations: how many
    /// random programs notice each clause is shown, instead of the first test that does
    #[arg(long, value_name = "N")]
    pub programs: Option<u64>,
    /// Random and damaged programs: the number of the first one
    #[arg(long, value_name = "S", default_value_t = FIRST_RANDOM_PROGRAM)]
    pub seed: u64,
    /// Mutations: only these clauses
    #[arg(long, value_name = "CLAUSE", value_delimiter = ',')]
    pub clause: Vec<String>,
    /// Random programs: all but the fixed list in this language; without it, some batches are in Fortran and some in C
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Option<SourceLanguage>,
    /// Random programs: search the shortest list of seeds that reaches everything, write it, and do nothing else
    #[arg(long)]
    pub refresh_seeds: bool,
    /// Kernels: how large their problems are; another class than tiny, or --hostile, has no time limit
    #[arg(long, value_name = "CLASS", default_value = "tiny")]
    pub class: Class,
    /// Run golden, trap and random programs and kernels on a runtime that does everything at the worst moment, too
    #[arg(long)]
    pub hostile: bool,
    /// Transform, build and run the codes that are described in this folder, print a table of them, and do nothing else
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Run only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    pub only: Vec<Part>,
}

/// A part of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// cargo fmt
    Format,
    /// cargo clippy
    Lint,
    /// cargo doc, and the book where mdbook is installed
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
    /// Programs that exchange the edges of grids and sweep over them, transformed and run
    Exchanges,
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
    /// All of them, in the order in which they run.
    pub const ALL: [Self; 27] = [
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
        Self::Exchanges,
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
    pub fn is_long(self) -> bool {
        matches!(self, Self::Interpreter | Self::Sanitizers | Self::RustMpi | Self::Packages | Self::Mutations)
    }
}
