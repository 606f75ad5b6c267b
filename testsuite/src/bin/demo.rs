//! `cargo demo`: installs what is missing, transforms two real programs, in Fortran and in C, builds them as they were and as they became,
//! and shows that they print the same and how their times compare.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use testsuite::case;
use testsuite::command::CommandLine;
use testsuite::gravelc::Gravelc;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use testsuite::overhead::{OverheadTable, cores};
use testsuite::ring_variants::RingVariants;
use testsuite::rust_examples::{self, RustExamples};
use testsuite::setup::{self, Purpose, succeed};
use testsuite::source_language::SourceLanguage;
use testsuite::tally::{Step, indented};
use testsuite::workspace::BuildFolder;

const MPI: MpiFlavour = MpiFlavour::OpenMpi;

const RANKS: [usize; 2] = [2, 4];

/// How long the times are measured on so many ranks.
const MEASUREMENTS: [(usize, Duration); 2] = [(2, Duration::from_secs(45)), (4, Duration::from_secs(35))];

/// Transform the examples, run them before and after, and compare results and times.
#[derive(Debug, Parser)]
#[command(name = "cargo demo", max_term_width = 100)]
struct Arguments {
    /// Only show that the results are equal
    #[arg(long)]
    no_times: bool,
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
    let folder = BuildFolder::of_this_program().map_err(|error| error.to_string())?.scratch("demo");
    let gravelc = {
        let _step = Step::begin("set-up: gfortran and Open MPI, gravelc and its runtime");
        setup::install(Purpose::Demo)?;
        setup::build()?
    };
    for (name, source) in case::examples()? {
        show_example(&gravelc, &name, &source, &folder.join(&name))?;
    }
    show_rust_examples(&gravelc, &folder)?;
    if arguments.no_times {
        return Ok(());
    }
    let _step = Step::begin(format!("the ring's times with {MPI}, on this machine with {} cores", cores()));
    let ring = RingVariants::build(&gravelc, MPI, &folder.join("times"))?;
    for (ranks, budget) in MEASUREMENTS {
        println!("\n{}", OverheadTable::measure(&ring, ranks, budget)?);
    }
    println!("`computation` is the original with calls of communication that do nothing: the time of perfect overlap.");
    Ok(())
}

/// The programs in Rust, without the attribute and with it.
fn show_rust_examples(gravelc: &Gravelc, folder: &Path) -> Result<(), String> {
    let examples = {
        let _step = Step::begin("the examples in Rust, with `#[gravel::overlap]` and without (they need no MPI)");
        RustExamples::build(gravelc, &folder.join("rust"))?
    };
    for name in examples.names() {
        let _step = Step::begin(name);
        for ranks in RANKS {
            let [original, overlapped] = [false, true].map(|is_overlapped| {
                let command = examples.command(name, is_overlapped, ranks);
                println!("$ {command}");
                rust_examples::run(&command)
            });
            let (original, overlapped) = (original?, overlapped?);
            if original.results != overlapped.results {
                let (original, overlapped) = (indented(&original.results), indented(&overlapped.results));
                return Err(format!(
                    "{name}: the results differ on {ranks} ranks\nwithout:\n{original}\nwith:\n{overlapped}"
                ));
            }
            println!("{}", indented(&original.results));
            println!("    without: {}    with:    {}", original.times, overlapped.times);
            println!("    results equal on {ranks} ranks");
        }
    }
    Ok(())
}

fn show_example(gravelc: &Gravelc, name: &str, source: &Path, folder: &Path) -> Result<(), String> {
    let _step = Step::begin(name);
    let language = SourceLanguage::of(source);
    let transformed = folder.join("transformed").with_extension(language.ending());
    fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;
    let transformation =
        gravelc.command().arg("transform").arg(source).arg("-o").arg(&transformed).args(["--diff", "--report", "text"]);
    println!("$ {transformation}");
    let shown = succeed(&transformation, COMPILE_LIMIT)?;
    println!("{}{}", shown.stdout_text(), shown.stderr_text());

    let (original_program, transformed_program) = (folder.join("original"), folder.join("gravel"));
    let compiler = language.compiler(MPI);
    let builds = [
        (CommandLine::new(compiler.as_str()), source, &original_program),
        (gravelc.wrap(&compiler), transformed.as_path(), &transformed_program),
    ]
    .map(|(command, source, program)| {
        let command = command.arg("-O2").args(language.flags(MPI)).arg(source).arg("-o").arg(program);
        command.args(language.libraries()).in_folder(folder)
    });
    for build in builds {
        println!("$ {build}");
        succeed(&build, COMPILE_LIMIT)?;
    }
    for ranks in RANKS {
        let [original, transformed] = [&original_program, &transformed_program].map(|program| {
            let command = MPI.launch(ranks, program);
            println!("$ {command}");
            succeed(&command, RUN_LIMIT).map(|finished| finished.stdout_text())
        });
        let (original, transformed) = (original?, transformed?);
        if original != transformed {
            return Err(format!(
                "{name}: the results differ on {ranks} ranks\noriginal:\n{}\ntransformed:\n{}",
                indented(&original),
                indented(&transformed)
            ));
        }
        println!("{}\n    results equal on {ranks} ranks", indented(&original));
    }
    Ok(())
}
