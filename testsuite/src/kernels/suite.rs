//! The kernels on one machine: original and transformed must print the same, and their results must be right.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{Class, Kernel, KernelProgram, TransformedKernel, Variant, expect_verified, printed_seconds};
use crate::command::CommandLine;
use crate::equivalence::{expect_equal, recipe};
use crate::gravelc::Gravelc;
use crate::mpi_flavour::MpiFlavour;
use crate::process::{self, Finished};
use crate::report::{Report, Status};
use crate::tally::Tally;
use crate::warnings::WarningCheck;

/// What is run, and for how long.
#[derive(Debug)]
pub struct KernelSuite<'a> {
    /// Transforms the kernels, and builds what it made of them.
    pub gravelc: &'a Gravelc,
    /// A folder for sources and programs.
    pub scratch: PathBuf,
    /// How large the problems are.
    pub class: Class,
    /// A part of the runs only: few ranks, and what gravelc leaves as it is on one number of ranks.
    pub is_sample: bool,
    /// After this time no other kernel begins; what is left out is counted.
    pub limit: Duration,
    /// More variables of the environment for the transformed programs.
    pub environment: Vec<(&'static str, String)>,
}

/// A sample runs the kernels on no more ranks than this.
const RANKS_OF_A_SAMPLE: usize = 4;

/// The runs of the transformed program on a number of ranks, each compared with one of the original.
const EXECUTIONS: [&[(&str, &str)]; 2] = [&[], &[("GRAVEL_CHECK", "1"), ("GRAVEL_TILE", "64")]];

/// The two programs of a kernel and an MPI.
struct Pair {
    mpi: MpiFlavour,
    original: KernelProgram,
    /// None where gravelc changed nothing.
    transformed: Option<KernelProgram>,
}

impl KernelSuite<'_> {
    /// Transforms, builds and runs all kernels, counts every comparison, and prints a table.
    pub fn run(&self, kernels: &[Kernel], tally: &mut Tally) {
        let began = Instant::now();
        for kernel in kernels {
            if began.elapsed() > self.limit {
                tally.skip(format!("kernels, class {}: its time was over before the last of them", self.class), 1);
                continue;
            }
            let folder = self.scratch.join(&kernel.name).join(self.class.to_string());
            let transformed = match kernel.transform(self.gravelc, self.class, &folder.join("sources")) {
                Ok(transformed) => transformed,
                Err(message) => {
                    tally.fail(&format!("kernels/{}", kernel.name), message);
                    continue;
                }
            };
            print!("{}", summary(kernel, &transformed.report));
            tally.check(&format!("kernels/{}: what is transformed", kernel.name), expect_report(kernel, &transformed));
            if !transformed.is_unchanged {
                let name = format!("kernels/{}: warnings of the compiler", kernel.name);
                tally.check(&name, self.compare_warnings(kernel, &transformed));
            }
            for pair in self.build(kernel, &transformed, &folder) {
                match pair {
                    Ok(pair) => self.compare(kernel, &pair, tally),
                    Err(message) => tally.fail(&format!("kernels/{}: build", kernel.name), message),
                }
            }
        }
    }

    /// Does the compiler warn of more than before?
    fn compare_warnings(&self, kernel: &Kernel, transformed: &TransformedKernel) -> Result<(), String> {
        let check = WarningCheck::new(&self.scratch.join("warnings"), MpiFlavour::OpenMpi)?;
        let within = |folder: &Path| kernel.files.iter().map(|file| folder.join(file)).collect::<Vec<_>>();
        let (original, found) = (within(&kernel.folder), within(&transformed.folder));
        check.compare(&kernel.name, &original, &found, &kernel.compiler_arguments(self.class))
    }

    /// Builds both programs with each MPI, several at a time.
    fn build(&self, kernel: &Kernel, transformed: &TransformedKernel, folder: &Path) -> Vec<Result<Pair, String>> {
        let build = |mpi: MpiFlavour| {
            let program = |variant: Variant| {
                let folder = folder.join(format!("{}-{variant}", mpi.suffix()));
                kernel.build(self.gravelc, self.class, variant, transformed, mpi, &folder)
            };
            let is_changed = !transformed.is_unchanged;
            Ok(Pair {
                mpi,
                original: program(Variant::Original)?,
                transformed: is_changed.then(|| program(Variant::Transformed)).transpose()?,
            })
        };
        thread::scope(|scope| {
            let builds = MpiFlavour::ALL.map(|mpi| scope.spawn(move || build(mpi)));
            let panicked = |_| Err("the thread that builds panicked".to_owned());
            builds.map(|build| build.join().unwrap_or_else(panicked)).into()
        })
    }

    /// Runs both programs of a pair on each number of ranks.
    fn compare(&self, kernel: &Kernel, pair: &Pair, tally: &mut Tally) {
        for &ranks in &kernel.ranks {
            let name = format!("kernels/{} ({}, class {}, {ranks} ranks)", kernel.name, pair.mpi, self.class);
            if self.is_sample && ranks > RANKS_OF_A_SAMPLE {
                tally.skip(format!("kernels on more than {RANKS_OF_A_SAMPLE} ranks: run with --full"), 1);
                continue;
            }
            if self.is_sample && pair.transformed.is_none() && ranks != RANKS_OF_A_SAMPLE {
                let other =
                    format!("kernels that came out unchanged, not on {RANKS_OF_A_SAMPLE} ranks: run with --full");
                tally.skip(other, 1);
                continue;
            }
            let original = run(&pair.original, pair.mpi, ranks, &[], self.class).and_then(|(expected, command)| {
                expect_verified(&expected)
                    .map_err(|problem| failure("the original: ", &problem, &[&pair.original.compilation, &command]))?;
                Ok((expected, command))
            });
            let (expected, original_command) = match original {
                Ok(original) => {
                    tally.pass();
                    original
                }
                Err(message) => {
                    tally.fail(&name, message);
                    continue;
                }
            };
            let mut times: Vec<Option<f64>> = vec![printed_seconds(&expected)];
            match &pair.transformed {
                None => tally.skip("comparison of a kernel that came out unchanged", EXECUTIONS.len()),
                Some(transformed) => {
                    for execution in EXECUTIONS {
                        let mut environment = self.environment.clone();
                        environment.extend(execution.iter().map(|(name, value)| (*name, (*value).to_owned())));
                        let result = run(transformed, pair.mpi, ranks, &environment, self.class);
                        let result = result.and_then(|(found, command)| {
                            times.push(printed_seconds(&found));
                            let commands =
                                [&pair.original.compilation, &original_command, &transformed.compilation, &command];
                            expect_equal(&expected, &found).map_err(|problem| failure("", &problem, &commands))
                        });
                        let settings = settings_text(execution);
                        tally.check(&format!("{name}{settings}"), result);
                    }
                }
            }
            println!("      {:8} {ranks} ranks: {}", pair.mpi.to_string(), times_text(&times));
        }
    }
}

/// Runs a program.
fn run(
    program: &KernelProgram,
    mpi: MpiFlavour,
    ranks: usize,
    environment: &[(&'static str, String)],
    class: Class,
) -> Result<(Finished, CommandLine), String> {
    let command =
        environment.iter().fold(program.launch(mpi, ranks)?, |command, (name, value)| command.env(*name, value));
    let finished = process::run(&command, run_limit(class)).map_err(|error| error.to_string())?;
    Ok((finished, command))
}

/// How long a run may take; more ranks than cores, on a busy machine, take many times longer than one.
fn run_limit(class: Class) -> Duration {
    let minutes = match class {
        Class::Tiny => 1,
        Class::Small => 5,
        Class::Medium => 20,
        Class::Large => 120,
    };
    Duration::from_secs(60 * minutes)
}

/// Settings, as they are written in front of a command.
fn settings_text(settings: &[(&str, &str)]) -> String {
    settings.iter().map(|(name, value)| format!(" {name}={value}")).collect()
}

fn failure(whose: &str, problem: &str, commands: &[&CommandLine]) -> String {
    format!("{whose}{problem}\n{}", recipe(commands))
}

/// What `kernel.toml` promises about the transformation.
fn expect_report(kernel: &Kernel, transformed: &TransformedKernel) -> Result<(), String> {
    let count = transformed_sites(&transformed.report);
    if kernel.untouched && !transformed.is_unchanged {
        return Err("it must come out as it is, and does not".to_owned());
    }
    if count < kernel.transformed {
        return Err(format!("{count} sites are transformed instead of {} at least", kernel.transformed));
    }
    Ok(())
}

fn transformed_sites(report: &Report) -> usize {
    report.sites.iter().filter(|site| site.status == Status::Transformed).count()
}

/// One kernel in the table: how many sites, what was done at them, and why not.
fn summary(kernel: &Kernel, report: &Report) -> String {
    let mut actions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut missed: BTreeMap<String, usize> = BTreeMap::new();
    for site in &report.sites {
        for action in &site.actions {
            *actions.entry(&action.transformation).or_default() += 1;
        }
        for vain in &site.missed {
            *missed.entry(format!("{} ({})", vain.transformation, vain.code)).or_default() += 1;
        }
        if let Some(reason) = &site.reason {
            *reasons.entry(&reason.code).or_default() += 1;
        }
    }
    let (sites, transformed) = (report.sites.len(), transformed_sites(report));
    let mut text = format!("    {:10} {transformed:3} of {sites:3} sites transformed\n", kernel.name);
    for (label, counts) in [("done", list(&actions)), ("kept", list(&reasons)), ("in vain", list(&missed))] {
        if !counts.is_empty() {
            let _ = writeln!(text, "      {label:8} {counts}");
        }
    }
    text
}

fn list(counts: &BTreeMap<impl std::fmt::Display, usize>) -> String {
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

/// The times of the original, the transformed program and the watched one. They say nothing on a busy machine.
fn times_text(times: &[Option<f64>]) -> String {
    let time = |time: &Option<f64>| time.map_or("?".to_owned(), |seconds| format!("{seconds:.3} s"));
    let names = ["original", "transformed", "watched"];
    times.iter().zip(names).map(|(seconds, name)| format!("{name} {}", time(seconds))).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let text = r#"{"sites": [
            {"line": 3, "call": "mpi_send", "status": "transformed", "reason": null,
             "actions": [{"transformation": "sink-wait"}],
             "missed": [{"transformation": "strip-mine-producer", "code": "no-producer-loop"}]},
            {"line": 5, "call": "mpi_recv", "status": "kept", "actions": [], "reason": {"code": "any-source"}}]}"#;
        serde_json::from_str(text).expect("it is a report")
    }

    fn kernel(promise: &str) -> Kernel {
        let text = format!(
            "description = ''\nfiles = ['a.f']\nranks = [1]\n{promise}\n[classes]\ntiny = {{}}\nsmall = {{}}\n\
             medium = {{}}\nlarge = {{}}"
        );
        toml::from_str(&text).expect("it is a description")
    }

    fn check(promise: &str, is_unchanged: bool) -> Result<(), String> {
        let transformed = TransformedKernel { folder: PathBuf::new(), report: report(), is_unchanged };
        expect_report(&kernel(promise), &transformed)
    }

    #[test]
    fn promises_are_held() {
        assert_eq!(check("transformed = 1", false), Ok(()));
        assert!(check("transformed = 2", false).is_err());
        assert!(check("untouched = true", false).is_err());
        assert_eq!(check("untouched = true", true), Ok(()));
    }

    #[test]
    fn the_table_counts_sites_actions_and_reasons() {
        let text = summary(&kernel(""), &report());
        assert!(text.contains("1 of   2 sites transformed"), "{text}");
        assert!(text.contains("sink-wait 1") && text.contains("any-source 1"), "{text}");
        assert!(text.contains("strip-mine-producer (no-producer-loop) 1"), "{text}");
    }
}
