//! `cargo figure`: the experiment of the Gravel paper and the overlap benchmark, as tables, CSV, plots and one page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use testsuite::cluster::Link;
use testsuite::figure::{self, Experiment, Fabric, Pattern, Plan};
use testsuite::overhead::cores;
use testsuite::overlap;
use testsuite::setup::{self, Purpose};
use testsuite::tally::Step;
use testsuite::workspace::BuildFolder;

/// Measure ring and wavefront in every form, by shared memory and over a link between hosts, and draw the figure.
#[derive(Debug, Parser)]
#[command(name = "cargo figure", max_term_width = 100)]
struct Arguments {
    /// How long to measure the figure; one round is finished in any case
    #[arg(long, value_name = "M", default_value_t = 10.0)]
    minutes: f64,
    /// Lengths of messages in KiB
    #[arg(long, value_name = "KIB", value_delimiter = ',', default_values_t = [32, 512, 2048])]
    lengths: Vec<usize>,
    /// The patterns
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', default_values_t = [Which::Ring, Which::Wavefront])]
    patterns: Vec<Which>,
    /// What joins the ranks
    #[arg(long, value_name = "FABRIC", value_delimiter = ',', default_values_t = [Over::Memory, Over::Link])]
    fabrics: Vec<Over>,
    /// The speed of the link in Mbit/s
    #[arg(long, value_name = "MBIT", default_value_t = Link::default().megabits)]
    rate: u32,
    /// Ranks of the wavefront; by default four where there are so many cores, else two
    #[arg(long, value_name = "N")]
    wavefront_ranks: Option<usize>,
    /// Leave out the overlap benchmark
    #[arg(long)]
    no_overlap: bool,
    /// Where the results go; by default a folder in cargo's target directory
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    Ring,
    Wavefront,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Over {
    Memory,
    Link,
}

impl std::fmt::Display for Which {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Self::Ring { "ring" } else { "wavefront" })
    }
}

impl std::fmt::Display for Over {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Self::Memory { "memory" } else { "link" })
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let seconds = arguments.minutes * 60.0;
    let budget = Duration::try_from_secs_f64(seconds).map_err(|error| format!("--minutes: {error}"))?;
    let folder = BuildFolder::of_this_program().map_err(|error| error.to_string())?.scratch("figure");
    let out_dir = arguments.out_dir.clone().unwrap_or_else(|| folder.join("results"));
    fs::create_dir_all(&out_dir).map_err(|error| format!("cannot make the folder {}: {error}", out_dir.display()))?;
    let gravelc = {
        let _step = Step::begin("set-up");
        setup::install(Purpose::Suite)?;
        setup::build()?
    };
    let link = Link { megabits: arguments.rate };
    let plan = Plan {
        patterns: arguments.patterns.iter().map(|&which| pattern(which, arguments)).collect(),
        fabrics: arguments.fabrics.iter().map(|&over| fabric(over, link)).collect(),
        lengths: arguments.lengths.iter().map(|kibibytes| kibibytes << 10).collect(),
        budget,
    };
    let experiment = {
        let _step = Step::begin("programs and hosts");
        Experiment::prepare(plan, &gravelc, &folder.join("programs"))?
    };
    let mut sections = Vec::new();
    {
        let _step = Step::begin("the figure");
        let results = experiment.measure(|what| println!("    {what}"))?;
        let (table, picture) = (figure::text(&results), figure::svg(&results)?);
        println!("{table}");
        write(&out_dir.join("figure.txt"), &table)?;
        write(&out_dir.join("figure.csv"), &figure::csv(&results))?;
        write(&out_dir.join("figure.svg"), &picture)?;
        let remark =
            "Time per iteration over that of the computation alone. The computation is made as long as the wire.";
        sections.push(("The figure".to_owned(), remark.to_owned(), table, Some(picture)));
    }
    if !arguments.no_overlap {
        let _step = Step::begin("overlap");
        let clusters = arguments.fabrics.contains(&Over::Link).then(|| experiment.cluster()).flatten();
        for measured in overlap::measure(clusters, link, &out_dir)? {
            println!("{}", measured.table);
            sections.push((measured.title, measured.remark, measured.table, Some(measured.picture)));
        }
    }
    let page = out_dir.join("index.html");
    write(&page, &figure::page("Gravel: communication and computation", &sections))?;
    println!("written: {}", page.display());
    Ok(())
}

fn pattern(which: Which, arguments: &Arguments) -> (Pattern, usize) {
    match which {
        Which::Ring => (Pattern::Ring, 2),
        Which::Wavefront => (Pattern::Wavefront, arguments.wavefront_ranks.unwrap_or(if cores() >= 4 { 4 } else { 2 })),
    }
}

fn fabric(over: Over, link: Link) -> Fabric {
    match over {
        Over::Memory => Fabric::SharedMemory,
        Over::Link => Fabric::Link(link),
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
