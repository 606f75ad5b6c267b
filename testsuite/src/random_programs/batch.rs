//! Some programs in one file: transformed, built and run together, so that thousands are feasible.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cluster::Placement;
use crate::command::CommandLine;
use crate::configuration::{Build, DataPath, Optimisation, Tile};
use crate::gravelc::Gravelc;
use crate::mpi_flavour::{COMPILE_LIMIT, MpiFlavour};
use crate::process::{self, Ending, Finished};
use crate::report::Report;
use crate::source_language::SourceLanguage;

use super::interpreter::interpret;
use super::program::Program;
use super::written::{self, Written};

/// How a batch is built and run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// In which language it is written.
    pub language: SourceLanguage,
    /// With what it is built.
    pub build: Build,
    /// On how many ranks it runs.
    pub ranks: usize,
    /// How the transformed programs run.
    pub runs: Vec<Run>,
}

/// A run of the transformed programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// `GRAVEL_TILE`.
    pub tile: Tile,
    /// `GRAVEL_SHM`.
    pub data_path: DataPath,
    /// `GRAVEL_CHECK`.
    pub checks: bool,
    /// The seed of the hostile provider (`GRAVEL_HOSTILE`), if it is used.
    pub hostile: Option<u64>,
}

impl Run {
    /// The variables of the environment.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let mut variables = Vec::new();
        variables.extend(self.tile.value().map(|value| ("GRAVEL_TILE", value)));
        variables.extend(self.data_path.value().map(|value| ("GRAVEL_SHM", value.to_owned())));
        if self.checks {
            variables.push(("GRAVEL_CHECK", "1".to_owned()));
            variables.push(("GRAVEL_OVERLAP", "always".to_owned()));
        }
        variables.extend(self.hostile.map(|seed| ("GRAVEL_HOSTILE", seed.to_string())));
        variables
    }
}

impl Setup {
    /// The setup of a batch in Fortran, by its number: together they cover everything. With a hostile provider, if the runtime
    /// has one.
    pub fn numbered(number: u64, has_hostile: bool) -> Self {
        let mut random = fastrand::Rng::with_seed(number ^ 0x5e70);
        // Optimising takes most of the time.
        let optimisation = [Optimisation::None, Optimisation::None, Optimisation::Usual][random.usize(0..3)];
        let mpi = MpiFlavour::ALL[usize::from(number % 2 == 1)];
        let tiles = [1, 2, 3, 7, 37, 64].map(Tile::Iterations);
        let mut run = |checks, hostile| Run {
            tile: tiles[random.usize(0..tiles.len())],
            data_path: DataPath::ALL[random.usize(0..3)],
            checks,
            hostile,
        };
        let mut runs = vec![run(false, None), run(true, None)];
        if has_hostile {
            runs.extend([run(false, Some(number)), run(false, Some(number + 1_000_000))]);
        }
        // Ranks of MPICH spin, which takes for ever where there are more of them than processors.
        let ranks = match mpi {
            MpiFlavour::OpenMpi => [2, 2, 3, 4][random.usize(0..4)],
            MpiFlavour::Mpich => 2,
        };
        Self { language: SourceLanguage::Fortran, build: Build { mpi, optimisation }, ranks, runs }
    }
}

/// What is wrong with a program of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// The original does not print what it should: the generator, the interpreter or the host compiler is wrong.
    Original,
    /// The transformed program prints something else, in this run.
    Transformed(Run),
    /// A run, of the original where no other is named, did not end in time: a deadlock, or a busy machine.
    TooSlow(Option<Run>),
}

impl Wrong {
    /// Is it about the original?
    pub fn is_of_original(&self) -> bool {
        matches!(self, Self::Original | Self::TooSlow(None))
    }
}

/// A program that is wrong.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Its number in the batch.
    pub program: usize,
    /// What is wrong.
    pub wrong: Wrong,
    /// What was printed instead, or how the run ended.
    pub message: String,
}

/// What came of a batch.
#[derive(Debug)]
pub struct Outcome {
    /// What gravelc says.
    pub report: Report,
    /// The language of the file.
    pub language: SourceLanguage,
    /// The file.
    pub text: String,
    /// Which program each line of the file belongs to.
    pub owners: Vec<Option<usize>>,
    /// What is wrong, by program; each at most once.
    pub findings: Vec<Finding>,
}

impl Outcome {
    /// The statement that begins on this line, from 1.
    pub fn statement(&self, line: usize) -> String {
        let mut statement = String::new();
        for part in self.text.lines().skip(line.saturating_sub(1)) {
            statement.push_str(part);
            let part = part.trim_end();
            let goes_on = match self.language {
                SourceLanguage::Fortran => part.ends_with('&'),
                SourceLanguage::C => !part.ends_with([';', '{', '}']),
            };
            if !goes_on {
                break;
            }
        }
        statement
    }
}

/// What came of transformed programs alone.
#[derive(Debug)]
pub struct Checked {
    /// What is wrong, by program; each at most once.
    pub findings: Vec<Finding>,
    /// All of them have run to their end: a program that breaks off hides those behind it.
    pub is_complete: bool,
}

/// Programs in a file of their own, and what gravelc has made of it.
struct Translated {
    language: SourceLanguage,
    written: Written,
    source: PathBuf,
    report: Report,
    transformed: PathBuf,
}

/// Builds and runs batches in a folder.
#[derive(Debug)]
pub struct Workshop<'a> {
    /// Transforms and builds.
    pub gravelc: &'a Gravelc,
    /// The folder.
    pub folder: PathBuf,
    /// How long a run may take; it takes a second.
    pub limit: Duration,
}

impl Workshop<'_> {
    /// Transforms, builds and runs programs, and compares.
    ///
    /// # Errors
    /// A message, if gravelc or the compiler refuse the file.
    pub fn run(&self, programs: &[&Program], setup: &Setup) -> Result<Outcome, String> {
        self.run_placed(programs, setup, None)
    }

    /// As [`Self::run`], on a cluster; the placement must have as many ranks as the setup.
    ///
    /// # Errors
    /// A message, if gravelc or the compiler refuse the file.
    pub fn run_placed(
        &self,
        programs: &[&Program],
        setup: &Setup,
        placement: Option<&Placement>,
    ) -> Result<Outcome, String> {
        let Translated { language, written, source, report, transformed } = self.translate(setup.language, programs)?;
        let compiler = language.compiler(setup.build.mpi);
        // A program with a fault of its own says nothing about gravelc, and shows it only now and then.
        let checking = CommandLine::new(&compiler).args(language.checks());
        let (original, result) = std::thread::scope(|scope| {
            let original = scope.spawn(|| self.build(setup, checking, &source, "original"));
            let result = self.build(setup, self.gravelc.wrap(&compiler), &transformed, "transformed");
            (original.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())), result)
        });
        let (original, result) = (original?, result?);
        let expected = expected_lines(programs, setup.ranks)?;
        let mut findings: Vec<Finding> = Vec::new();
        let mut finished = self.execute(setup, placement, &original, &[])?;
        if !finished.succeeded() {
            // There is nothing of Gravel in it: an MPI that gets stuck once (seen of MPICH over TCP), or dies in MPI_Finalize (of Open
            // MPI's shared memory), is given another chance.
            let (folder, ending) = (self.folder.display(), &finished.ending);
            println!("    an original program of {folder} ended with {ending}: run once more");
            finished = self.execute(setup, placement, &original, &[])?;
        }
        add(&mut findings, &expected, &finished, None);
        for run in &setup.runs {
            let finished = self.execute(setup, placement, &result, &run.environment())?;
            add(&mut findings, &expected, &finished, Some(*run));
        }
        Ok(Outcome { report, language, text: written.text, owners: written.owners, findings })
    }

    /// Transforms, builds and runs programs whose originals are known to be right.
    ///
    /// # Errors
    /// A message, if gravelc or the compiler refuse the file.
    pub fn run_transformed(&self, programs: &[&Program], setup: &Setup) -> Result<Checked, String> {
        let Translated { transformed, .. } = self.translate(setup.language, programs)?;
        let compiler = setup.language.compiler(setup.build.mpi);
        let result = self.build(setup, self.gravelc.wrap(&compiler), &transformed, "transformed")?;
        let expected = expected_lines(programs, setup.ranks)?;
        let mut checked = Checked { findings: Vec::new(), is_complete: true };
        for run in &setup.runs {
            let finished = self.execute(setup, None, &result, &run.environment())?;
            add(&mut checked.findings, &expected, &finished, Some(*run));
            if !finished.succeeded() {
                checked.is_complete = false;
                break;
            }
        }
        Ok(checked)
    }

    /// The text of each program in Fortran once it is transformed.
    ///
    /// # Errors
    /// A message, if gravelc refuses the file.
    pub fn transformed_texts(&self, programs: &[&Program]) -> Result<Vec<String>, String> {
        let Translated { language, transformed, .. } = self.translate(SourceLanguage::Fortran, programs)?;
        let text = fs::read_to_string(&transformed).map_err(|error| format!("{}: {error}", transformed.display()))?;
        Ok(written::programs_of(language, &text, programs.len()))
    }

    /// Transforms programs in Fortran, and neither builds nor runs them.
    ///
    /// # Errors
    /// A message, if gravelc refuses the file.
    pub fn examine(&self, programs: &[&Program]) -> Result<Outcome, String> {
        let Translated { language, written, report, .. } = self.translate(SourceLanguage::Fortran, programs)?;
        Ok(Outcome { report, language, text: written.text, owners: written.owners, findings: Vec::new() })
    }

    fn translate(&self, language: SourceLanguage, programs: &[&Program]) -> Result<Translated, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.folder.display());
        fs::create_dir_all(&self.folder).map_err(failed)?;
        let written = written::write(language, programs);
        let source = self.folder.join("original").with_extension(language.ending());
        fs::write(&source, &written.text).map_err(failed)?;
        let result = self.gravelc.transform(&source, &self.folder.join("gravel"))?;
        let transformed = self.folder.join("transformed").with_extension(language.ending());
        fs::copy(&result.output, &transformed).map_err(failed)?;
        Ok(Translated { language, written, source, report: result.report, transformed })
    }

    fn build(&self, setup: &Setup, compiler: CommandLine, source: &Path, name: &str) -> Result<PathBuf, String> {
        // Compilers leave module files behind.
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let program = folder.join("program");
        let command = compiler
            .args(setup.build.optimisation.flags())
            .args(setup.language.flags(setup.build.mpi))
            .args(["-w", "-o"])
            .arg(&program)
            .arg(source)
            .args(setup.language.libraries())
            .in_folder(&folder);
        let finished = process::run(&command, COMPILE_LIMIT).map_err(|error| error.to_string())?;
        if finished.succeeded() {
            return Ok(program);
        }
        Err(format!("the {name} programs do not compile: `{command}`: {}\n{}", finished.ending, finished.stderr_text()))
    }

    fn execute(
        &self,
        setup: &Setup,
        placement: Option<&Placement>,
        program: &Path,
        environment: &[(&str, String)],
    ) -> Result<Finished, String> {
        let mpi = setup.build.mpi;
        let launched = match placement {
            Some(placement) => placement.launch(mpi, program),
            None => mpi.launch_beside_others(setup.ranks, program),
        };
        let mut command = launched.in_folder(&self.folder);
        for (name, value) in environment {
            command = command.env(*name, value);
        }
        let finished = match placement {
            Some(placement) => placement.run(mpi, &command, self.limit),
            None => process::run(&command, self.limit),
        };
        finished.map_err(|error| error.to_string())
    }
}

/// Adds what is wrong in a run of the transformed programs, or (without one) of the originals.
fn add(findings: &mut Vec<Finding>, expected: &[Vec<String>], finished: &Finished, run: Option<Run>) {
    let wrong = match (&finished.ending, run) {
        (Ending::TimeLimit(_), run) => Wrong::TooSlow(run),
        (_, None) => Wrong::Original,
        (_, Some(run)) => Wrong::Transformed(run),
    };
    for (program, message) in compare(expected, finished) {
        if findings.iter().all(|finding| finding.program != program) {
            findings.push(Finding { program, wrong: wrong.clone(), message });
        }
    }
}

/// The lines that programs print on so many ranks: for each program, those of its notes and of its results.
pub(super) fn expected_lines(programs: &[&Program], ranks: usize) -> Result<Vec<Vec<String>>, String> {
    let lines = |(number, program): (usize, &&Program)| {
        let printed = interpret(program, ranks).map_err(|reason| format!("an incorrect program: {reason}"))?;
        let notes = printed.notes.iter().map(|bits| format!("program {number} note {bits:016X}"));
        let results = printed.results.iter().enumerate().map(|(rank, results)| {
            let words: Vec<String> = results.iter().map(|bits| format!("{bits:016X}")).collect();
            format!("program {number} rank {rank} {}", words.join(" "))
        });
        Ok(notes.chain(results).collect())
    };
    programs.iter().enumerate().map(lines).collect()
}

/// The programs whose lines are not as expected, with what was printed.
pub(super) fn compare(expected: &[Vec<String>], finished: &Finished) -> Vec<(usize, String)> {
    let text = finished.stdout_text();
    let mut found: Vec<Vec<&str>> = vec![Vec::new(); expected.len()];
    for line in text.lines() {
        let number = line.strip_prefix("program ").and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
        if let Some(lines) = number.and_then(|number| found.get_mut(number)) {
            lines.push(line);
        }
    }
    let mut wrong = Vec::new();
    for (number, (expected, found)) in expected.iter().zip(&found).enumerate() {
        if expected == found {
            continue;
        }
        let ended = if finished.succeeded() { String::new() } else { ending(finished) };
        wrong.push((number, format!("expected\n{}\nfound\n{}\n{ended}", expected.join("\n"), found.join("\n"))));
        // What comes behind a crash says nothing.
        if !finished.succeeded() {
            return wrong;
        }
    }
    if wrong.is_empty() && !finished.succeeded() {
        wrong.push((expected.len().saturating_sub(1), ending(finished)));
    }
    wrong
}

fn ending(finished: &Finished) -> String {
    format!("{}\n{}", finished.ending, finished.stderr_excerpt())
}
