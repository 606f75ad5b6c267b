//! The kernels, on this machine or on a cluster: original and transformed must print the same, and their results must
//! be right.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Class, Kernel, KernelProgram, Place, ProgramPair, TransformedKernel, expect_verified, printed_seconds};
use crate::cluster::Placement;
use crate::command::CommandLine;
use crate::configuration::fnv1a;
use crate::equivalence::{expect_equal, recipe};
use crate::gravelc::Gravelc;
use crate::leftovers::remove_if_passed;
use crate::mpi_flavour::MpiFlavour;
use crate::process::Finished;
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
    /// Where they run on a cluster; else on this machine.
    pub placements: Option<&'a [Placement<'a>]>,
    /// A part of the runs only. On this machine: few ranks, and what gravelc leaves as it is on one number of ranks.
    /// On a cluster: each kernel with one MPI in one place, which its name decides, and none that gravelc leaves as it
    /// is.
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

impl KernelSuite<'_> {
    /// Transforms, builds and runs all kernels, counts every comparison, and prints a table.
    pub fn run(&self, kernels: &[Kernel], tally: &mut Tally) {
        let began = Instant::now();
        for kernel in kernels {
            if began.elapsed() > self.limit {
                let place = if self.placements.is_some() { " on a cluster" } else { "" };
                tally.skip(format!("kernels{place}, class {}: no time for all of them", self.class), 1);
                continue;
            }
            let folder = self.scratch.join(&kernel.name).join(self.class.to_string());
            remove_if_passed(&kernel.name, &folder, tally, |tally| self.check(kernel, &folder, tally));
        }
    }

    /// Transforms, builds and runs one of them, in this folder.
    fn check(&self, kernel: &Kernel, folder: &Path, tally: &mut Tally) {
        let transformed = match kernel.transform(self.gravelc, self.class, &folder.join("sources")) {
            Ok(transformed) => transformed,
            Err(message) => {
                return tally.fail(&format!("kernels/{}", kernel.name), message);
            }
        };
        match self.placements {
            None => print!("{}", summary(kernel, &transformed.report)),
            // On this machine it has been shown already.
            Some(_) => println!("    {}", kernel.name),
        }
        tally.check(&format!("kernels/{}: what is transformed", kernel.name), expect_report(kernel, &transformed));
        if !transformed.is_unchanged && self.placements.is_none() {
            let name = format!("kernels/{}: warnings of the compiler", kernel.name);
            tally.check(&name, self.compare_warnings(kernel, &transformed));
        }
        let runs = self.runs(kernel, transformed.is_unchanged, tally);
        let mpis: Vec<MpiFlavour> =
            MpiFlavour::ALL.into_iter().filter(|&mpi| runs.iter().any(|&(of, _)| of == mpi)).collect();
        for pair in kernel.build_pairs(self.gravelc, self.class, &transformed, &mpis, folder) {
            match pair {
                Ok(pair) => {
                    let places = runs.iter().filter(|&&(mpi, _)| mpi == pair.mpi).map(|(_, place)| place);
                    places.for_each(|place| self.compare(kernel, &pair, place, tally));
                }
                Err(message) => tally.fail(&format!("kernels/{}: build", kernel.name), message),
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

    /// What is run: with which MPI, and where. Says what a sample leaves out.
    fn runs(&self, kernel: &Kernel, is_unchanged: bool, tally: &mut Tally) -> Vec<(MpiFlavour, Place<'_>)> {
        let places: Vec<Place> = match self.placements {
            None => kernel.ranks.iter().map(|&ranks| Place::ThisMachine(ranks)).collect(),
            Some(placements) => {
                let fitting = placements.iter().filter(|placement| kernel.ranks.contains(&placement.ranks()));
                fitting.map(|&placement| Place::Cluster(placement)).collect()
            }
        };
        let all = MpiFlavour::ALL.into_iter().flat_map(|mpi| places.iter().map(move |&place| (mpi, place)));
        let mut runs: Vec<_> = all.collect();
        if self.is_sample && self.placements.is_some() {
            if is_unchanged {
                tally.skip("kernels on a cluster that came out unchanged: run with --full", runs.len());
                return Vec::new();
            }
            let number = runs.len();
            runs.retain(|(mpi, place)| !matches!(place, Place::Cluster(placement) if !placement.is_quick(*mpi)));
            if !runs.is_empty() {
                runs = vec![runs[fnv1a(&kernel.name) % runs.len()]];
            }
            tally.skip("kernels on a cluster, other MPIs and places: run with --full", number - runs.len());
        } else if self.is_sample {
            let number = runs.len();
            runs.retain(|(_, place)| place.ranks() <= RANKS_OF_A_SAMPLE);
            let reason = format!("kernels on more than {RANKS_OF_A_SAMPLE} ranks: run with --full");
            tally.skip(reason, number - runs.len());
            if is_unchanged {
                let number = runs.len();
                runs.retain(|(_, place)| place.ranks() == RANKS_OF_A_SAMPLE);
                let reason =
                    format!("kernels that came out unchanged, not on {RANKS_OF_A_SAMPLE} ranks: run with --full");
                tally.skip(reason, number - runs.len());
            }
        }
        runs
    }

    /// Runs both programs of a pair in a place.
    fn compare(&self, kernel: &Kernel, pair: &ProgramPair, place: &Place, tally: &mut Tally) {
        let name = format!("kernels/{} ({}, class {}, {place})", kernel.name, pair.mpi, self.class);
        let original = run(&pair.original, pair.mpi, place, &[], self.class).and_then(|(expected, command)| {
            expect_verified(&expected)
                .map_err(|problem| failure("the original: ", &problem, &[&pair.original.compilation, &command]))?;
            Ok((expected, command))
        });
        let (expected, original_command) = match original {
            Ok(original) => {
                tally.pass();
                original
            }
            Err(message) => return tally.fail(&name, message),
        };
        let mut times: Vec<Option<f64>> = vec![printed_seconds(&expected)];
        match &pair.transformed {
            None => tally.skip("comparison of a kernel that came out unchanged", EXECUTIONS.len()),
            Some(transformed) => {
                for execution in EXECUTIONS {
                    let mut environment = self.environment.clone();
                    environment.extend(execution.iter().map(|(name, value)| (*name, (*value).to_owned())));
                    let result = run(transformed, pair.mpi, place, &environment, self.class);
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
        println!("      {:8} {place}: {}", pair.mpi.to_string(), times_text(&times));
    }
}

/// Runs a program.
fn run(
    program: &KernelProgram,
    mpi: MpiFlavour,
    place: &Place,
    environment: &[(&'static str, String)],
    class: Class,
) -> Result<(Finished, CommandLine), String> {
    let command =
        environment.iter().fold(place.launch(mpi, program)?, |command, (name, value)| command.env(*name, value));
    let finished = place.run(mpi, &command, run_limit(class))?;
    Ok((finished, command))
}

/// How long a run may take; more ranks than cores, on a busy machine, take many times longer than one.
pub(crate) fn run_limit(class: Class) -> Duration {
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
             "actions": [{"transformation": "sink-wait", "text": "waited for at line 9"}],
             "missed": [{"transformation": "strip-mine-producer", "code": "no-producer-loop"}]},
            {"line": 5, "call": "mpi_recv", "status": "kept", "actions": [], "reason": {"code": "wildcard"}}]}"#;
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
        assert!(text.contains("sink-wait 1") && text.contains("wildcard 1"), "{text}");
        assert!(text.contains("strip-mine-producer (no-producer-loop) 1"), "{text}");
    }
}
