//! The ring example in the three variants whose times are compared.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::CommandLine;
use crate::gravelc::Gravelc;
use crate::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use crate::process;
use crate::setup::succeed;
use crate::workspace;

/// The text in front of the time that the ring prints on standard error.
const TIME_LABEL: &str = "seconds per iteration";

/// The ring, built three times with the same compiler and flags.
#[derive(Debug, Clone)]
pub struct RingVariants {
    mpi: MpiFlavour,
    programs: [PathBuf; 3],
}

/// Which of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// As its author wrote it.
    Original,
    /// As gravelc transforms it.
    Transformed,
    /// The original whose calls of communication do nothing.
    ComputationAlone,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Original, Self::Transformed, Self::ComputationAlone];
}

impl RingVariants {
    /// Transforms and builds.
    ///
    /// # Errors
    ///
    /// A message, if gravelc or a compiler fails.
    pub fn build(gravelc: &Gravelc, mpi: MpiFlavour, folder: &Path) -> Result<Self, String> {
        let source = workspace::root().join("examples/ring/ring.f90");
        let transformed = gravelc.transform(&source, &folder.join("transformed"))?.output;
        let program = |name: &str| folder.join(name);
        let programs = [program("original"), program("transformed-ring"), program("computation-alone")];
        fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;

        let object = program("no_communication.o");
        let no_communication = workspace::package().join("src/no_communication.c");
        let c_compiler = CommandLine::new("cc").args(["-O2", "-c"]).arg(no_communication).arg("-o").arg(&object);
        succeed(&c_compiler, COMPILE_LIMIT)?;

        let compiler = mpi.fortran_compiler();
        let plain = || CommandLine::new(compiler.as_str()).arg("-O2").args(mpi.fortran_flags());
        let wrapped = gravelc.wrap(&compiler).arg("-O2").args(mpi.fortran_flags());
        let commands = [plain().arg(&source), wrapped.arg(transformed), plain().arg(&source).arg(object)];
        for (command, program) in commands.into_iter().zip(&programs) {
            succeed(&command.arg("-o").arg(program).in_folder(folder), COMPILE_LIMIT)?;
        }
        Ok(Self { mpi, programs })
    }

    /// The program of a variant.
    pub fn program(&self, variant: Variant) -> &Path {
        &self.programs[variant as usize]
    }

    /// Runs a variant and gives the seconds per iteration of its slowest rank.
    ///
    /// # Errors
    ///
    /// A message, if the run fails or prints no time.
    pub fn seconds_per_iteration(
        &self,
        variant: Variant,
        ranks: usize,
        bytes: usize,
        iterations: usize,
    ) -> Result<f64, String> {
        let program = &self.programs[variant as usize];
        let command = self.mpi.launch(ranks, program).arg(bytes.to_string()).arg(iterations.to_string());
        let finished = process::run(&command, RUN_LIMIT).map_err(|error| error.to_string())?;
        if !finished.succeeded() {
            return Err(format!("`{command}`: {}\n{}", finished.ending, finished.stderr_excerpt()));
        }
        printed_seconds(&finished.stderr_text()).ok_or_else(|| format!("`{command}` printed no time"))
    }
}

/// The time that a program of this package has printed on standard error.
pub(crate) fn printed_seconds(text: &str) -> Option<f64> {
    text.lines().find_map(|line| line.trim().strip_prefix(TIME_LABEL)?.trim().parse().ok()).filter(|time| *time > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_time_among_other_lines() {
        assert_eq!(printed_seconds("a warning\nseconds per iteration   1.500000E-04\n"), Some(1.5e-4));
        assert_eq!(printed_seconds("seconds per iteration  NaN\n"), None);
        assert_eq!(printed_seconds(""), None);
    }
}
