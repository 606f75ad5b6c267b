//! Kernels, transformed, built and launched.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use super::{Class, Kernel};
use crate::case::{file_name, read};
use crate::command::CommandLine;
use crate::gravelc::Gravelc;
use crate::mpi_flavour::{COMPILE_LIMIT, MpiFlavour};
use crate::process::Finished;
use crate::report::Report;
use crate::setup::succeed;

/// The line with which a kernel says that its results are right.
const VERIFIED: &str = "Verification successful";
/// The text in front of the time that it writes to standard error.
const TIME_LABEL: &str = "Time in seconds =";

/// Functions and loops begin where lines of the cache do, in both programs. Where the linker happens to put an inner loop
/// alone makes a kernel up to 1.6 times slower (linpack's update of columns, on one kind of processor), which a comparison of two programs
/// must not take for an effect of what was changed.
const SAME_POSITIONS: [&str; 2] = ["-falign-functions=64", "-falign-loops=64"];

/// Which of the two programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    /// As its author wrote it.
    Original,
    /// As gravelc transforms it.
    Transformed,
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Original => "original",
            Self::Transformed => "transformed",
        })
    }
}

/// What gravelc made of a kernel.
#[derive(Debug, Clone)]
pub struct TransformedKernel {
    /// The folder with its sources.
    pub folder: PathBuf,
    /// What gravelc says about it.
    pub report: Report,
    /// Are all its files as they were, byte for byte?
    pub is_unchanged: bool,
}

/// A kernel that has been built.
#[derive(Debug, Clone)]
pub struct KernelProgram {
    /// The program; a folder for each run is made beside it.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The files that it reads from its working folder.
    pub inputs: Vec<PathBuf>,
    /// How it was built.
    pub compilation: CommandLine,
}

/// The two programs of a kernel and an MPI.
#[derive(Debug, Clone)]
pub struct ProgramPair {
    /// The MPI.
    pub mpi: MpiFlavour,
    /// The kernel as it is.
    pub original: KernelProgram,
    /// None where gravelc changed nothing.
    pub transformed: Option<KernelProgram>,
}

impl Kernel {
    /// Transforms all its files at once, as the whole program that they are, into a folder.
    ///
    /// # Errors
    ///
    /// A message, if gravelc fails.
    pub fn transform(&self, gravelc: &Gravelc, class: Class, folder: &Path) -> Result<TransformedKernel, String> {
        let settings = self.settings(class);
        let mut arguments = vec!["--closed".to_owned(), "-I".to_owned(), ".".to_owned()];
        arguments.extend(settings.include.iter().flat_map(|include| ["-I".to_owned(), include.clone()]));
        arguments.extend(settings.define.iter().flat_map(|define| ["-D".to_owned(), define.clone()]));
        let report = gravelc.transform_program(&self.folder, &self.files, &arguments, folder)?;
        let mut is_unchanged = true;
        for file in &self.files {
            is_unchanged &= read(&self.folder.join(file))? == read(&folder.join(file))?;
        }
        Ok(TransformedKernel { folder: folder.to_owned(), report, is_unchanged })
    }

    /// What a compiler has to be told of a class: the folders of included files, and the macros.
    pub fn compiler_arguments(&self, class: Class) -> Vec<String> {
        let settings = self.settings(class);
        let include = |name: &str| format!("-I{}", self.folder.join(name).display());
        let includes = std::iter::once(include(".")).chain(settings.include.iter().map(|name| include(name)));
        includes.chain(settings.define.iter().map(|define| format!("-D{define}"))).collect()
    }

    /// Builds one of the two programs in a folder; the transformed one from what [`Kernel::transform`] has written for
    /// this class.
    ///
    /// # Errors
    ///
    /// A message with the command, if a compiler fails.
    pub fn build(
        &self,
        gravelc: &Gravelc,
        class: Class,
        variant: Variant,
        transformed: &TransformedKernel,
        mpi: MpiFlavour,
        folder: &Path,
    ) -> Result<KernelProgram, String> {
        let compiler = mpi.fortran_compiler();
        let (compiler, sources) = match variant {
            Variant::Original => (CommandLine::new(compiler), &self.folder),
            Variant::Transformed => (gravelc.wrap(&compiler), &transformed.folder),
        };
        fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;
        let path = folder.join("program");
        let compilation = compiler
            .arg("-O2")
            .args(SAME_POSITIONS)
            .args(mpi.fortran_flags())
            .args(self.compiler_arguments(class))
            // Most of the program would be the standard library's debug information.
            .arg("-Wl,--strip-debug")
            .args(self.files.iter().map(|file| sources.join(file)))
            .arg("-o")
            .arg(&path)
            .in_folder(folder);
        succeed(&compilation, COMPILE_LIMIT)?;
        Ok(KernelProgram {
            path,
            arguments: self.settings(class).arguments.clone(),
            inputs: self.settings(class).inputs.iter().map(|input| self.folder.join(input)).collect(),
            compilation,
        })
    }

    /// Builds both programs with each of these MPIs, which takes place at the same time.
    pub fn build_pairs(
        &self,
        gravelc: &Gravelc,
        class: Class,
        transformed: &TransformedKernel,
        mpis: &[MpiFlavour],
        folder: &Path,
    ) -> Vec<Result<ProgramPair, String>> {
        let build = |mpi: MpiFlavour| {
            let program = |variant: Variant| {
                let folder = folder.join(format!("{}-{variant}", mpi.suffix()));
                self.build(gravelc, class, variant, transformed, mpi, &folder)
            };
            let is_changed = !transformed.is_unchanged;
            Ok(ProgramPair {
                mpi,
                original: program(Variant::Original)?,
                transformed: is_changed.then(|| program(Variant::Transformed)).transpose()?,
            })
        };
        thread::scope(|scope| {
            let builds: Vec<_> = mpis.iter().map(|&mpi| scope.spawn(move || build(mpi))).collect();
            let panicked = |_| Err("the thread that builds panicked".to_owned());
            builds.into_iter().map(|build| build.join().unwrap_or_else(panicked)).collect()
        })
    }
}

impl KernelProgram {
    /// Makes a working folder, empty but for the files that the program reads.
    ///
    /// # Errors
    ///
    /// A message, if it can't be made.
    pub fn working_folder(&self) -> Result<PathBuf, String> {
        let folder = self.path.with_file_name("run");
        let failed = |error| format!("cannot make the folder {}: {error}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        fs::create_dir_all(&folder).map_err(failed)?;
        for input in &self.inputs {
            fs::copy(input, folder.join(file_name(input))).map_err(failed)?;
        }
        Ok(folder)
    }
}

/// Did a run of a kernel end well, with results that the kernel itself found right?
///
/// # Errors
///
/// How it ended instead, and what it said last.
pub fn expect_verified(run: &Finished) -> Result<(), String> {
    if !run.succeeded() {
        return Err(format!("{}\n{}{}", run.ending, run.stdout_text(), run.stderr_excerpt()));
    }
    if !run.stdout_text().lines().any(|line| line.trim() == VERIFIED) {
        return Err(format!("its results are not verified\n{}", run.stdout_text()));
    }
    Ok(())
}

/// The seconds that a kernel says it took.
pub fn printed_seconds(run: &Finished) -> Option<f64> {
    run.stderr_text().lines().find_map(|line| line.trim().strip_prefix(TIME_LABEL)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Ending;

    fn run(ending: Ending, stdout: &str) -> Finished {
        let stderr = b"a warning\nTime in seconds =       1.2500\n".to_vec();
        Finished { ending, stdout: stdout.into(), stderr }
    }

    #[test]
    fn a_run_must_end_well_and_say_that_it_is_right() {
        assert_eq!(expect_verified(&run(Ending::Exit(0), "a\n Verification successful\n")), Ok(()));
        assert!(expect_verified(&run(Ending::Exit(0), "Verification failed\n")).is_err());
        assert!(expect_verified(&run(Ending::Exit(1), "Verification successful\n")).is_err());
    }

    #[test]
    fn reads_the_time() {
        assert_eq!(printed_seconds(&run(Ending::Exit(0), "")), Some(1.25));
    }
}
