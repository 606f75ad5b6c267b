//! `cargo figure`: the experiment of the Gravel paper, the overlap benchmark and that of the kernels, as tables, CSV,
//! plots and one page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use testsuite::cluster::{Cluster, Link, Unavailable};
use testsuite::figure::{self, Experiment, Fabric, Pattern, Section};
use testsuite::gravelc::Gravelc;
use testsuite::kernel_benchmark::{self, Benchmark};
use testsuite::kernels::{Class, Kernel};
use testsuite::overhead::cores;
use testsuite::overlap;
use testsuite::rdma_benchmark;
use testsuite::setup::{self, Purpose};
use testsuite::tally::Step;
use testsuite::workspace::BuildFolder;

/// Measure ring and wavefront in every form, overlap, and kernels as they are and transformed, by shared memory and
/// over a link between hosts, and draw what was measured.
#[derive(Debug, Parser)]
#[command(name = "cargo figure", max_term_width = 100)]
struct Arguments {
    /// Measure only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',', default_values_t = Part::ALL)]
    only: Vec<Part>,
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
    /// How long to measure kernels, without building them; below six pairs of runs there is no interval
    #[arg(long, value_name = "M", default_value_t = 30.0)]
    kernel_minutes: f64,
    /// Which kernels; by default all of them
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    kernels: Vec<String>,
    /// How large the kernels' problems are
    #[arg(long, value_name = "CLASS", default_value = "small")]
    class: Class,
    /// Ranks of the kernels; where there are more than cores, nothing is concluded
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 2])]
    ranks: Vec<usize>,
    /// Where the results go; by default a folder in cargo's target directory
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Ring and wavefront
    Figure,
    /// gravel-perf: latency, bandwidth, overlap
    Overlap,
    /// gravel-perf over an RDMA device, beside bare verbs
    Verbs,
    /// The kernels, as they are and transformed
    Kernels,
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

impl Part {
    const ALL: [Self; 4] = [Self::Figure, Self::Overlap, Self::Verbs, Self::Kernels];
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Figure => "figure",
            Self::Overlap => "overlap",
            Self::Verbs => "verbs",
            Self::Kernels => "kernels",
        })
    }
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
    // What is wrong with the arguments is said before anything is built.
    let kernel_plan = kernel_plan(arguments)?;
    let figure_plan = figure_plan(arguments)?;
    let folder = BuildFolder::of_this_program().map_err(|error| error.to_string())?.scratch("figure");
    let out_dir = arguments.out_dir.clone().unwrap_or_else(|| folder.join("results"));
    fs::create_dir_all(&out_dir).map_err(|error| format!("cannot make the folder {}: {error}", out_dir.display()))?;
    let gravelc = {
        let _step = Step::begin("set-up");
        setup::install(Purpose::Suite)?;
        setup::build()?
    };
    let mut sections = Vec::new();
    if arguments.only.contains(&Part::Figure) {
        sections.push(measure_figure(figure_plan, &gravelc, &folder.join("programs"), &out_dir)?);
    }
    if arguments.only.contains(&Part::Overlap) {
        sections.extend(measure_overlap(arguments, &out_dir)?);
    }
    if arguments.only.contains(&Part::Verbs) {
        sections.extend(measure_verbs(&out_dir)?);
    }
    let mut failures = Vec::new();
    if arguments.only.contains(&Part::Kernels) {
        let folder = folder.join("kernels").join(arguments.class.to_string());
        sections.push(measure_kernels(kernel_plan, &gravelc, &folder, &out_dir, &mut failures)?);
    }
    let page = out_dir.join("index.html");
    write(&page, &figure::page("Gravel: communication and computation", &sections))?;
    println!("written: {}", page.display());
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn measure_figure(plan: figure::Plan, gravelc: &Gravelc, folder: &Path, out_dir: &Path) -> Result<Section, String> {
    let experiment = {
        let _step = Step::begin("programs and hosts");
        Experiment::prepare(plan, gravelc, folder)?
    };
    let _step = Step::begin("the figure");
    let results = experiment.measure(|what| println!("    {what}"))?;
    let (table, picture) = (figure::text(&results), figure::svg(&results)?);
    println!("{table}");
    write(&out_dir.join("figure.txt"), &table)?;
    write(&out_dir.join("figure.csv"), &figure::csv(&results))?;
    write(&out_dir.join("figure.svg"), &picture)?;
    let remark = "Time per iteration over that of the computation alone. The computation is made as long as the wire.";
    Ok(("The figure".to_owned(), remark.to_owned(), table, Some(picture)))
}

fn measure_overlap(arguments: &Arguments, out_dir: &Path) -> Result<Vec<Section>, String> {
    let _step = Step::begin("overlap");
    let link = link(arguments);
    let cluster = if arguments.fabrics.contains(&Over::Link) {
        match Cluster::new(2, link) {
            Ok(cluster) => Some(cluster),
            Err(Unavailable::NotPermitted(reason)) => {
                println!("    not measured: {link} link: {reason}");
                None
            }
            Err(Unavailable::Failed(message)) => return Err(message),
        }
    } else {
        None
    };
    let mut sections = Vec::new();
    for measured in overlap::measure(cluster.as_ref(), link, out_dir)? {
        println!("{}", measured.table);
        sections.push((measured.title, measured.remark, measured.table, Some(measured.picture)));
    }
    Ok(sections)
}

fn measure_verbs(out_dir: &Path) -> Result<Option<Section>, String> {
    let _step = Step::begin("an RDMA device, beside bare verbs");
    let folder = BuildFolder::of_this_program().map_err(|error| error.to_string())?;
    match rdma_benchmark::measure(&folder, out_dir)? {
        Ok(measured) => {
            println!("{}", measured.table);
            Ok(Some((measured.title, measured.remark, measured.table, Some(measured.picture))))
        }
        Err(reason) => {
            println!("    not measured: {reason}");
            Ok(None)
        }
    }
}

fn measure_kernels(
    plan: kernel_benchmark::Plan,
    gravelc: &Gravelc,
    folder: &Path,
    out_dir: &Path,
    failures: &mut Vec<String>,
) -> Result<Section, String> {
    let benchmark = {
        let _step = Step::begin("kernels: programs and hosts");
        Benchmark::prepare(plan, gravelc, folder)?
    };
    let _step = Step::begin("kernels: original against transformed");
    let results = benchmark.measure(|what| println!("    {what}"));
    let (table, picture) = (kernel_benchmark::text(&results), kernel_benchmark::svg(&results)?);
    println!("{table}");
    write(&out_dir.join("kernels.txt"), &table)?;
    write(&out_dir.join("kernels.csv"), &kernel_benchmark::summary_csv(&results))?;
    write(&out_dir.join("kernels-pairs.csv"), &kernel_benchmark::pairs_csv(&results))?;
    write(&out_dir.join("kernels.svg"), &picture)?;
    failures.extend(results.failures().map(str::to_owned));
    let remark = "Programs of several files as their authors would write them, as they are and as gravelc transforms \
                  them, run in pairs: the median of the ratios within pairs, with a 95 % confidence interval of the \
                  median that assumes nothing about the distribution (order statistics). Waits: which part of all \
                  ranks' time is spent in calls that may block, measured in runs of their own: of the time that the \
                  original takes, and of the whole run, before and after.";
    Ok(("Kernels".to_owned(), remark.to_owned(), table, Some(picture)))
}

fn figure_plan(arguments: &Arguments) -> Result<figure::Plan, String> {
    Ok(figure::Plan {
        patterns: arguments.patterns.iter().map(|&which| pattern(which, arguments)).collect(),
        fabrics: fabrics(arguments),
        lengths: arguments.lengths.iter().map(|kibibytes| kibibytes << 10).collect(),
        budget: minutes(arguments.minutes).map_err(|error| format!("--minutes: {error}"))?,
    })
}

fn kernel_plan(arguments: &Arguments) -> Result<kernel_benchmark::Plan, String> {
    let mut kernels = Kernel::all()?;
    if let Some(unknown) = arguments.kernels.iter().find(|name| !kernels.iter().any(|kernel| kernel.name == **name)) {
        let all: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        return Err(format!("--kernels: there is no kernel {unknown}; there are {}", all.join(", ")));
    }
    kernels.retain(|kernel| arguments.kernels.is_empty() || arguments.kernels.contains(&kernel.name));
    let mut ranks = arguments.ranks.clone();
    ranks.sort_unstable();
    ranks.dedup();
    if ranks.contains(&0) {
        return Err("--ranks: no program runs on 0 ranks".to_owned());
    }
    Ok(kernel_benchmark::Plan {
        kernels,
        class: arguments.class,
        fabrics: fabrics(arguments),
        ranks,
        budget: minutes(arguments.kernel_minutes).map_err(|error| format!("--kernel-minutes: {error}"))?,
    })
}

fn minutes(minutes: f64) -> Result<Duration, impl std::fmt::Display> {
    Duration::try_from_secs_f64(minutes * 60.0)
}

fn pattern(which: Which, arguments: &Arguments) -> (Pattern, usize) {
    match which {
        Which::Ring => (Pattern::Ring, 2),
        Which::Wavefront => (Pattern::Wavefront, arguments.wavefront_ranks.unwrap_or(if cores() >= 4 { 4 } else { 2 })),
    }
}

fn link(arguments: &Arguments) -> Link {
    Link { megabits: arguments.rate }
}

fn fabrics(arguments: &Arguments) -> Vec<Fabric> {
    let fabric = |over: &Over| match over {
        Over::Memory => Fabric::SharedMemory,
        Over::Link => Fabric::Link(link(arguments)),
    };
    arguments.fabrics.iter().map(fabric).collect()
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
