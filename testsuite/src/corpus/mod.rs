//! Codes outside the repository: what gravelc does with them, and whether they compute what they did before.
//!
//! Each has a description beside it ([`Description`]). It is built as ever while `gravelc wrap --record` looks on, planned from that
//! record, built again with the plan, and both programs are run.

mod description;
mod scan;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use similar::TextDiff;

pub use self::description::Description;
pub use self::table::{Row, text as table};
use crate::command::CommandLine;
use crate::gravelc::Gravelc;
use crate::mpi_flavour::MpiFlavour;
use crate::process::{self, Finished};
use crate::report::Report;
use crate::setup;
use crate::side_by_side::turn_to_run;
use crate::tally::{Step, Tally};

/// How long gravelc may take.
const GRAVELC_LIMIT: Duration = Duration::from_secs(30 * 60);

/// Endings of what compilers make: it goes before the code is built again, and what the build generates stays.
const MADE: [&str; 6] = ["o", "mod", "smod", "a", "so", "lo"];

/// What is shown of two outputs that differ, in bytes.
const SHOWN: usize = 2_000;

/// The codes of a folder.
#[derive(Debug)]
pub struct Corpus<'a> {
    /// Transforms and builds.
    pub gravelc: &'a Gravelc,
    /// The MPIs; the table is that of the first one.
    pub flavours: Vec<MpiFlavour>,
    /// A folder for copies of the codes.
    pub scratch: PathBuf,
}

/// What the tests read of a plan.
#[derive(Debug, Deserialize)]
struct Plan {
    document: PlanDocument,
}

#[derive(Debug, Deserialize)]
struct PlanDocument {
    files: Vec<PlannedFile>,
    included: std::collections::BTreeMap<PathBuf, String>,
}

#[derive(Debug, Deserialize)]
struct PlannedFile {
    absolute: PathBuf,
}

impl Plan {
    fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        serde_json::from_slice(&text).map_err(|error| format!("{} is no plan: {error}", path.display()))
    }
}

impl Corpus<'_> {
    /// Does all of it for each code; failures are counted. Gives a row of the table for each that could be planned.
    pub fn check(&self, codes: &[Description], tally: &mut Tally) -> Vec<Row> {
        let mut rows = Vec::new();
        for code in codes {
            let _step = Step::begin(format!("{}: transform, build and run", code.name));
            let mut row = Row { name: code.name.clone(), ..Row::default() };
            for (index, &flavour) in self.flavours.iter().enumerate() {
                let counted = (index == 0).then_some(&mut row);
                if code.build.is_none() {
                    if let Some(row) = counted {
                        tally.check(
                            &code.name,
                            self.count(code, &code.source, &inputs(code), &self.scratch.join(&code.name), row),
                        );
                    }
                    continue;
                }
                self.check_built(code, flavour, counted, tally);
            }
            rows.push(row);
        }
        rows
    }

    fn check_built(&self, code: &Description, flavour: MpiFlavour, mut row: Option<&mut Row>, tally: &mut Tally) {
        let groups: Vec<Vec<usize>> = match code.is_built_for_ranks() {
            true => code.ranks.iter().map(|&ranks| vec![ranks]).collect(),
            false => vec![code.ranks.clone()],
        };
        for ranks in groups {
            let name = format!("{} ({flavour}, {ranks:?} ranks)", code.name);
            let folder = self.scratch.join(&code.name).join(format!("{}-{}", flavour.suffix(), ranks[0]));
            let trial = Trial { corpus: self, code, flavour, ranks: &ranks, folder: &folder };
            // One build is counted; those for other ranks are the same code.
            match trial.build(row.take()) {
                Ok(()) => trial.compare(tally),
                Err(message) => tally.fail(&name, message),
            }
        }
    }

    /// Transforms the program that `inputs` name in `folder`, and takes the figures into the row.
    fn count(
        &self,
        code: &Description,
        folder: &Path,
        inputs: &[String],
        scratch: &Path,
        row: &mut Row,
    ) -> Result<(), String> {
        let output = scratch.join("transformed");
        fs::create_dir_all(&output).map_err(|error| format!("cannot make {}: {error}", output.display()))?;
        let report = scratch.join("report.json");
        let plan = scratch.join("program.plan");
        let began = Instant::now();
        let transform =
            self.gravelc.command().arg("transform").args(inputs).args(&code.arguments).arg("--out-dir").arg(&output);
        let transform = transform.arg("--report").arg(format!("json={}", report.display())).in_folder(folder);
        setup::succeed(&transform, GRAVELC_LIMIT)?;
        row.seconds = began.elapsed().as_secs_f64();
        row.add(&Report::read(&report)?);
        self.plan(code, folder, inputs, &plan)?;
        let plan = Plan::read(&plan)?;
        let files = plan.document.files.iter().map(|file| &file.absolute).chain(plan.document.included.keys());
        for file in files {
            let text = fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            row.lines += text.iter().filter(|&&byte| byte == b'\n').count();
            row.in_text += scan::sites_in(file, &text);
        }
        Ok(())
    }

    fn plan(&self, code: &Description, folder: &Path, inputs: &[String], plan: &Path) -> Result<(), String> {
        let command = self.gravelc.command().arg("plan").args(inputs).args(&code.arguments).arg("-o").arg(plan);
        setup::succeed(&command.in_folder(folder), GRAVELC_LIMIT).map(drop)
    }
}

/// What gravelc is told of a code that is not built.
fn inputs(code: &Description) -> Vec<String> {
    match &code.record {
        Some(record) => {
            let program = code.program.iter().flat_map(|program| ["--program".to_owned(), program.clone()]);
            ["--build".to_owned(), record.clone()].into_iter().chain(program).collect()
        }
        None => code.files.clone(),
    }
}

/// A code in a folder of its own, with one MPI.
struct Trial<'a> {
    corpus: &'a Corpus<'a>,
    code: &'a Description,
    flavour: MpiFlavour,
    ranks: &'a [usize],
    folder: &'a Path,
}

impl Trial<'_> {
    /// Where the code is built.
    fn code_folder(&self) -> PathBuf {
        self.folder.join("code")
    }

    fn limit(&self) -> Duration {
        Duration::from_secs(60 * self.code.minutes)
    }

    /// The program for the first number of ranks, as the build links it.
    fn program(&self) -> PathBuf {
        self.code_folder().join(self.code.program_for(self.ranks[0]))
    }

    /// The same program, as it was built without a plan.
    fn original(&self) -> PathBuf {
        let program = self.program();
        let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        program.with_file_name(format!("{name}.original"))
    }

    /// Builds the original and the transformed program.
    fn build(&self, row: Option<&mut Row>) -> Result<(), String> {
        if self.folder.exists() {
            fs::remove_dir_all(self.folder)
                .map_err(|error| format!("cannot remove {}: {error}", self.folder.display()))?;
        }
        fs::create_dir_all(self.folder).map_err(|error| format!("cannot make {}: {error}", self.folder.display()))?;
        let copy = CommandLine::new("cp").arg("-a").arg(&self.code.source).arg(self.code_folder());
        setup::succeed(&copy, self.limit())?;
        let record = self.folder.join("record");
        self.build_with(&["--record", &record.to_string_lossy()])?;
        let program = self.program();
        fs::rename(&program, self.original())
            .map_err(|error| format!("the build has not made {}: {error}", program.display()))?;
        let named = self.code.program_for(self.ranks[0]);
        let inputs = ["--recorded", &record.to_string_lossy(), "--program", &named].map(str::to_owned);
        if let Some(row) = row {
            self.corpus.count(self.code, &self.code_folder(), &inputs, self.folder, row)?;
        }
        let plan = self.folder.join("program.plan");
        if !plan.exists() {
            self.corpus.plan(self.code, &self.code_folder(), &inputs, &plan)?;
        }
        remove_made(&self.code_folder(), &self.code.source)?;
        self.build_with(&["--plan", &plan.to_string_lossy()])?;
        if !program.is_file() {
            return Err(format!("the build with the plan has not made {}", program.display()));
        }
        Ok(())
    }

    /// Builds with `gravelc wrap` and these options in front of the compiler.
    fn build_with(&self, options: &[&str]) -> Result<(), String> {
        let command = self.code.build.as_deref().unwrap_or_default();
        let gravelc = self.corpus.gravelc.command();
        let compiler = gravelc.arg("wrap").args(options.iter().copied()).arg("--").arg(self.flavour.fortran_compiler());
        let build = CommandLine::new("sh")
            .args(["-e", "-c", command])
            .in_folder(self.code_folder())
            .env("FC", compiler.words())
            .env("CC", self.flavour.c_compiler())
            .env("RANKS", self.ranks[0].to_string())
            .env_of(&compiler);
        setup::succeed(&build, self.limit()).map(drop)
    }

    /// Runs both programs on each number of ranks, the transformed one also with the runtime's checks.
    fn compare(&self, tally: &mut Tally) {
        for &ranks in self.ranks {
            let name = format!("{} ({}, {ranks} ranks)", self.code.name, self.flavour);
            match self.run(&self.original(), ranks, &[]) {
                Err(message) => tally.fail(&name, format!("the original: {message}")),
                Ok(expected) => {
                    for environment in [&[][..], &[("GRAVEL_CHECK", "1")]] {
                        let found = self.run(&self.program(), ranks, environment);
                        let name =
                            if environment.is_empty() { name.clone() } else { format!("{name}, GRAVEL_CHECK=1") };
                        tally.check(&name, found.and_then(|found| same(&expected, &found)));
                    }
                }
            }
        }
    }

    /// What is compared of a run: standard output without the lines that are not, and the files.
    fn run(&self, program: &Path, ranks: usize, environment: &[(&str, &str)]) -> Result<Vec<(String, String)>, String> {
        for output in &self.code.outputs {
            // One of an earlier run must not count.
            let _ = fs::remove_file(self.code_folder().join(output));
        }
        let start = self.flavour.launch_beside_others(ranks, program);
        let command = CommandLine::new("sh")
            .args(["-e", "-c", &self.code.run])
            .in_folder(self.code_folder())
            .env("RUN", start.words())
            .env("RANKS", ranks.to_string())
            .env_of(&start);
        let command = environment.iter().fold(command, |command, &(name, value)| command.env(name, value));
        let _turn = turn_to_run(self.flavour);
        let finished: Finished = process::run(&command, self.limit()).map_err(|error| error.to_string())?;
        if !finished.succeeded() {
            return Err(format!("`{command}`: {}\n{}", finished.ending, finished.stderr_excerpt()));
        }
        let is_compared = |line: &&str| !self.code.ignore.iter().any(|text| line.contains(text));
        let lines: Vec<String> =
            finished.stdout_text().lines().filter(is_compared).map(|line| format!("{line}\n")).collect();
        let mut compared = vec![("standard output".to_owned(), lines.concat())];
        for output in &self.code.outputs {
            let path = self.code_folder().join(output);
            let bytes = fs::read(&path).map_err(|error| format!("`{command}` has not written {output}: {error}"))?;
            compared.push((output.clone(), String::from_utf8_lossy(&bytes).into_owned()));
        }
        Ok(compared)
    }
}

/// Removes what compilers made in the copy of a code.
fn remove_made(folder: &Path, source: &Path) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("cannot look through {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let (path, given) = (entry.path(), source.join(entry.file_name()));
        if entry.file_type().map_err(cannot)?.is_dir() {
            remove_made(&path, &given)?;
        } else if !given.exists() && path.extension().is_some_and(|ending| MADE.iter().any(|made| ending == *made)) {
            fs::remove_file(&path).map_err(|error| format!("cannot remove {}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// Are two runs the same?
fn same(expected: &[(String, String)], found: &[(String, String)]) -> Result<(), String> {
    for ((what, expected), (_, found)) in expected.iter().zip(found) {
        if expected != found {
            let diff =
                TextDiff::from_lines(expected, found).unified_diff().header("original", "transformed").to_string();
            let end = (0..=SHOWN.min(diff.len())).rfind(|&end| diff.is_char_boundary(end)).unwrap_or(0);
            return Err(format!("{what} differs:\n{}", &diff[..end]));
        }
    }
    Ok(())
}
