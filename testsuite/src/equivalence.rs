//! The original and the transformed program must print the same and end the same way.
//!
//! Both are built with the same compiler and flags and run on as many ranks; their standard output is compared byte
//! for byte. What a failed comparison leaves (sources, programs) stays where it is, and the message says how to repeat
//! it by hand; what a case leaves that passed is removed.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::case::Case;
use crate::cluster::Placement;
use crate::command::CommandLine;
use crate::configuration::{self, Build, Effort, Trial};
use crate::gravelc::Gravelc;
use crate::leftovers::remove_if_passed;
use crate::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use crate::process::{self, Finished};
use crate::side_by_side::{check_each, turn_to_run};
use crate::tally::Tally;

/// Compares programs with their transformations.
#[derive(Debug)]
pub struct Equivalence<'a> {
    /// Builds the transformed programs (`gravelc wrap --no-transform`).
    pub gravelc: &'a Gravelc,
    /// A folder for sources and programs.
    pub scratch: PathBuf,
    /// How much is run.
    pub effort: Effort,
    /// More variables of the environment for the transformed programs.
    pub environment: Vec<(&'static str, String)>,
}

/// One of the two programs, built.
struct Program {
    compilation: CommandLine,
    path: PathBuf,
}

/// How a program is started.
struct Launched<'a> {
    mpi: MpiFlavour,
    command: CommandLine,
    /// On which cluster; else on this machine.
    placement: Option<&'a Placement<'a>>,
}

impl Launched<'_> {
    /// On this machine.
    fn here(mpi: MpiFlavour, ranks: usize, program: &Program) -> Self {
        Self { mpi, command: mpi.launch_beside_others(ranks, &program.path), placement: None }
    }
}

impl Equivalence<'_> {
    /// [`Equivalence::check`] for many cases, side by side.
    pub fn check_all(&self, cases: &[Case], tally: &mut Tally) {
        check_each(cases, tally, |case, tally| self.check(case, tally));
    }

    /// Builds and runs a case in its configurations, and counts every comparison.
    ///
    /// With a program that its transformation left as it was there is nothing to compare: it is only compiled, or run once where
    /// all is made.
    pub fn check(&self, case: &Case, tally: &mut Tally) {
        remove_if_passed(&case.name, &self.scratch.join(&case.name), tally, |tally| self.check_here(case, tally));
    }

    fn check_here(&self, case: &Case, tally: &mut Tally) {
        let trials = configuration::trials(&case.name, &case.directives, self.effort);
        match case.is_unchanged() {
            Ok(false) => {
                for trial in &trials {
                    self.check_trial(case, trial, tally);
                }
            }
            Ok(true) => {
                let executions: usize = trials.iter().map(|trial| trial.executions.len()).sum();
                tally.skip("comparison of a program that came out unchanged", executions);
                if let Some(trial) = trials.first() {
                    tally.check(&case.name, self.check_original(case, trial));
                }
            }
            Err(message) => tally.fail(&case.name, message),
        }
    }

    /// Is the original a program: does it compile? Where all is made, it is run on the most ranks it can take, too.
    fn check_original(&self, case: &Case, trial: &Trial) -> Result<(), String> {
        if self.effort != Effort::Full {
            return self.check_syntax(case, trial.build);
        }
        let ranks = case.directives.ranks.iter().copied().max().unwrap_or(1);
        let original = self.build_original(case, trial.build)?;
        let launched = Launched::here(trial.build.mpi, ranks, &original);
        self.run(case, launched, &original, &[]).and_then(|(run, command)| {
            expect_results(&run).map_err(|problem| {
                format!(
                    "the original program, {ranks} ranks: {problem}\n{}",
                    recipe(&[&original.compilation, &command])
                )
            })
        })
    }

    fn check_syntax(&self, case: &Case, build: Build) -> Result<(), String> {
        let folder = self.scratch.join(&case.name).join(build.folder_name()).join("original");
        make_folder(&folder)?;
        let compilation = CommandLine::new(case.language().compiler(build.mpi))
            .arg("-fsyntax-only")
            .args(case.language().flags(build.mpi))
            .args(&case.directives.flags)
            .args(case.sources(&case.original))
            .in_folder(&folder);
        let finished = process::run(&compilation, COMPILE_LIMIT).map_err(|error| error.to_string())?;
        if finished.succeeded() {
            return Ok(());
        }
        let problem = format!("the original program does not compile: {}", finished.ending);
        Err(format!("{problem}\n{}\n{}", finished.stderr_excerpt(), recipe(&[&compilation])))
    }

    fn check_trial(&self, case: &Case, trial: &Trial, tally: &mut Tally) {
        let name = format!("{} ({})", case.name, trial.build);
        let programs = self
            .build_original(case, trial.build)
            .and_then(|original| Ok((original, self.build_transformed(case, trial.build)?)));
        let (original, transformed) = match programs {
            Ok(programs) => programs,
            Err(message) => {
                tally.skip("comparison of a program that could not be built", trial.executions.len());
                return tally.fail(&name, message);
            }
        };
        let mut originals = HashMap::new();
        for &execution in &trial.executions {
            let name = format!("{} ({}, {execution})", case.name, trial.build);
            let expected = originals.entry(execution.ranks).or_insert_with(|| {
                let launched = || Launched::here(trial.build.mpi, execution.ranks, &original);
                self.run_original(case, &launched, &original)
            });
            let result = match expected {
                Ok((expected, command)) => {
                    let launched = Launched::here(trial.build.mpi, execution.ranks, &transformed);
                    let result = (&transformed, launched, execution.environment());
                    self.compare(case, (&original, command, expected), result)
                }
                Err(message) => Err(message.clone()),
            };
            tally.check(&name, result);
        }
    }

    /// Builds a case and runs it on a cluster, once in each placement, and counts every comparison. Nothing is done with
    /// a program that its transformation left as it was.
    pub fn check_placed(&self, case: &Case, build: Build, placements: &[Placement], tally: &mut Tally) {
        remove_if_passed(&case.name, &self.scratch.join(&case.name), tally, |tally| {
            self.check_there(case, build, placements, tally);
        });
    }

    fn check_there(&self, case: &Case, build: Build, placements: &[Placement], tally: &mut Tally) {
        match case.is_unchanged() {
            Ok(false) => {}
            Ok(true) => return tally.skip("comparison of a program that came out unchanged", placements.len()),
            Err(message) => return tally.fail(&case.name, message),
        }
        let programs =
            self.build_original(case, build).and_then(|original| Ok((original, self.build_transformed(case, build)?)));
        let (original, transformed) = match programs {
            Ok(programs) => programs,
            Err(message) => return tally.fail(&format!("{} ({build})", case.name), message),
        };
        for placement in placements {
            let name = format!("{} ({build}, {placement})", case.name);
            let launched = |program: &Program| Launched {
                mpi: build.mpi,
                command: placement.launch(build.mpi, &program.path),
                placement: Some(placement),
            };
            let original_run = self.run_original(case, &|| launched(&original), &original);
            let result = original_run.and_then(|(expected, command)| {
                let result = (&transformed, launched(&transformed), Vec::new());
                self.compare(case, (&original, &command, &expected), result)
            });
            tally.check(&name, result);
        }
    }

    fn compare(
        &self,
        case: &Case,
        (original, original_command, expected): (&Program, &CommandLine, &Finished),
        (transformed, launched, mut environment): (&Program, Launched, Vec<(&str, String)>),
    ) -> Result<(), String> {
        environment.extend(self.environment.iter().cloned());
        let (found, command) = self.run(case, launched, transformed, &environment)?;
        let problem = expect_results(expected)
            .map_err(|problem| format!("the original program: {problem}"))
            .and_then(|()| expect_equal(expected, &found));
        problem.map_err(|problem| {
            let commands = [&original.compilation, original_command, &transformed.compilation, &command];
            format!("{problem}\n{}", recipe(&commands))
        })
    }

    fn build_original(&self, case: &Case, build: Build) -> Result<Program, String> {
        let compiler = CommandLine::new(case.language().compiler(build.mpi));
        self.build(case, build, "original", compiler, &case.original)
    }

    fn build_transformed(&self, case: &Case, build: Build) -> Result<Program, String> {
        let compiler = self.gravelc.wrap(&case.language().compiler(build.mpi));
        self.build(case, build, "transformed", compiler, &case.transformed)
    }

    /// Compiles and links one of the two, in a folder of its own (compilers leave module files behind).
    fn build(
        &self,
        case: &Case,
        build: Build,
        which: &str,
        compiler: CommandLine,
        source: &Path,
    ) -> Result<Program, String> {
        let folder = self.scratch.join(&case.name).join(build.folder_name()).join(which);
        make_folder(&folder)?;
        let path = folder.join("program");
        let compilation = compiler
            .args(build.optimisation.flags())
            .args(case.language().flags(build.mpi))
            .args(&case.directives.flags)
            // Most of the time of linking, and most of the program, would be the standard library's debug information.
            .arg("-Wl,--strip-debug")
            .args(case.sources(source))
            .args(case.language().libraries().iter().copied())
            .arg("-o")
            .arg(&path)
            .in_folder(&folder);
        let finished = process::run(&compilation, COMPILE_LIMIT).map_err(|error| error.to_string())?;
        if finished.succeeded() {
            Ok(Program { compilation, path })
        } else {
            let problem = format!("the {which} program does not compile: {}", finished.ending);
            Err(format!("{problem}\n{}\n{}", finished.stderr_excerpt(), recipe(&[&compilation])))
        }
    }

    /// Runs an original program. There is nothing of Gravel in it: an MPI in which it dies or gets stuck once (seen of
    /// Open MPI's transports, and of MPICH over TCP) is given another chance, which is printed.
    fn run_original<'p>(
        &self,
        case: &Case,
        launched: &dyn Fn() -> Launched<'p>,
        program: &Program,
    ) -> Result<(Finished, CommandLine), String> {
        let (finished, command) = self.run(case, launched(), program, &[])?;
        if finished.succeeded() {
            return Ok((finished, command));
        }
        println!("    the original program of {} ended with {}: run once more", case.name, finished.ending);
        self.run(case, launched(), program, &[])
    }

    /// Runs a program, by the command that launches it, in an empty folder.
    fn run(
        &self,
        case: &Case,
        launched: Launched,
        program: &Program,
        environment: &[(&str, String)],
    ) -> Result<(Finished, CommandLine), String> {
        let folder = program.path.with_file_name("run");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
        }
        make_folder(&folder)?;
        let mut command = launched.command.in_folder(folder);
        for (name, value) in &case.directives.environment {
            command = command.env(name, value);
        }
        for (name, value) in environment {
            command = command.env(*name, value);
        }
        let finished = match launched.placement {
            Some(placement) => placement.run(launched.mpi, &command, RUN_LIMIT),
            None => {
                let _turn = turn_to_run(launched.mpi);
                process::run(&command, RUN_LIMIT)
            }
        };
        Ok((finished.map_err(|error| error.to_string())?, command))
    }
}

fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))
}

/// The original must end well and print something, or the comparison would say nothing.
fn expect_results(original: &Finished) -> Result<(), String> {
    if !original.succeeded() {
        return Err(format!("{}\n{}", original.ending, original.stderr_excerpt()));
    }
    if original.stdout.is_empty() {
        return Err("it printed nothing".to_owned());
    }
    Ok(())
}

/// Both must end the same way and print the same.
pub(crate) fn expect_equal(original: &Finished, transformed: &Finished) -> Result<(), String> {
    if original.ending != transformed.ending {
        return Err(format!(
            "the original ends with {}, the transformed program with {}\n{}",
            original.ending,
            transformed.ending,
            transformed.stderr_excerpt()
        ));
    }
    if original.stdout != transformed.stdout {
        let (expected, found) = (original.stdout_text(), transformed.stdout_text());
        let diff = TextDiff::from_lines(&expected, &found);
        return Err(format!(
            "standard output differs\n{}\n{}",
            diff.unified_diff().header("original", "transformed"),
            transformed.stderr_excerpt()
        ));
    }
    Ok(())
}

/// How to do it again by hand.
pub(crate) fn recipe(commands: &[&CommandLine]) -> String {
    let mut text = "to repeat it:".to_owned();
    for command in commands {
        if let Some(folder) = command.folder() {
            let _ = write!(text, "\n  cd {}", folder.display());
        }
        let _ = write!(text, "\n  {command}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Ending;

    fn finished(ending: Ending, stdout: &str) -> Finished {
        Finished { ending, stdout: stdout.into(), stderr: b"a complaint\n".to_vec() }
    }

    #[test]
    fn equal_is_equal_in_output_and_ending() {
        let original = finished(Ending::Exit(0), "1.0\n2.0\n");
        assert_eq!(expect_equal(&original, &original.clone()), Ok(()));
        let other = expect_equal(&original, &finished(Ending::Exit(0), "1.0\n2.5\n")).expect_err("the output differs");
        assert!(other.contains("-2.0\n+2.5"), "{other}");
        let killed = expect_equal(&original, &finished(Ending::Signal(11), "1.0\n2.0\n")).expect_err("it was killed");
        assert!(killed.contains("signal 11") && killed.contains("a complaint"), "{killed}");
    }

    #[test]
    fn an_original_that_fails_or_says_nothing_is_no_yardstick() {
        assert!(expect_results(&finished(Ending::Exit(0), "1.0\n")).is_ok());
        assert!(expect_results(&finished(Ending::Exit(0), "")).is_err());
        assert!(expect_results(&finished(Ending::Exit(1), "1.0\n")).is_err());
    }
}
