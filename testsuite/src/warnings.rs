//! Warnings of the compiler: the transformed program has none that the original has not.
//!
//! Both are compiled with the warnings that their language has ([`SourceLanguage::warnings`]), as far as a compiler warns without
//! making code, and the warnings are counted by the flag that each belongs to; what belongs to none by its first words.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::case::Case;
use crate::command::CommandLine;
use crate::mpi_flavour::{COMPILE_LIMIT, MpiFlavour};
use crate::process;
use crate::source_language::SourceLanguage;
use crate::{runtime_library, setup};

/// How often each kind of warning came.
type Counts = BTreeMap<String, usize>;

/// How many words of a warning without a flag tell its kind.
const TELLING_WORDS: usize = 6;

/// A folder with the module files that transformed programs import.
#[derive(Debug, Clone)]
pub struct WarningCheck {
    folder: PathBuf,
    mpi: MpiFlavour,
}

impl WarningCheck {
    /// With the runtime's module for this MPI, made in a folder.
    ///
    /// # Errors
    ///
    /// What the compiler says.
    pub fn new(folder: &Path, mpi: MpiFlavour) -> Result<Self, String> {
        let modules = folder.join("runtime");
        fs::create_dir_all(&modules).map_err(|error| format!("cannot make {}: {error}", modules.display()))?;
        let command = CommandLine::new(mpi.fortran_compiler())
            .arg("-fsyntax-only")
            .args(mpi.fortran_flags())
            .arg(runtime_library::fortran_module())
            .in_folder(&modules);
        setup::succeed(&command, COMPILE_LIMIT)?;
        Ok(Self { folder: folder.to_owned(), mpi })
    }

    /// Compares a program of one file with its transformation.
    ///
    /// # Errors
    ///
    /// As for [`WarningCheck::compare`].
    pub fn check(&self, case: &Case) -> Result<(), String> {
        let files = std::slice::from_ref;
        self.compare(&case.name, files(&case.original), files(&case.transformed), &[])
    }

    /// Compares the files of a program with those that became of them; `arguments` are what the compiler needs besides.
    ///
    /// # Errors
    ///
    /// The kinds of warnings of which there are more than before, or what the compiler says.
    pub fn compare(
        &self,
        name: &str,
        original: &[PathBuf],
        transformed: &[PathBuf],
        arguments: &[String],
    ) -> Result<(), String> {
        let before = self.count(&format!("{name}/original"), original, arguments)?;
        let after = self.count(&format!("{name}/transformed"), transformed, arguments)?;
        let more = more_than_before(&before, &after);
        if more.is_empty() {
            return Ok(());
        }
        let files: Vec<String> = transformed.iter().map(|file| file.display().to_string()).collect();
        Err(format!("the transformed program has more warnings: {}\n{}", more.join(", "), files.join(" ")))
    }

    fn count(&self, name: &str, files: &[PathBuf], arguments: &[String]) -> Result<Counts, String> {
        let folder = self.folder.join(name.replace('/', "-"));
        fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        let mut counts = Counts::new();
        // One by one: each has its own form. What a file imports, an earlier one has made.
        for file in files {
            let language = SourceLanguage::of(file);
            let command = CommandLine::new(language.compiler(self.mpi))
                .arg("-fsyntax-only")
                .args(language.warnings(file).iter().copied())
                .args(language.flags(self.mpi))
                .arg("-I")
                .arg(match language {
                    SourceLanguage::Fortran => self.folder.join("runtime"),
                    SourceLanguage::C => runtime_library::header_folder(),
                })
                .args(arguments)
                .arg(file)
                .env("LC_ALL", "C")
                .in_folder(&folder);
            let finished = process::run(&command, COMPILE_LIMIT).map_err(|error| error.to_string())?;
            if !finished.succeeded() {
                return Err(format!("`{command}`: {}\n{}", finished.ending, finished.stderr_excerpt()));
            }
            for kind in finished.stderr_text().lines().filter_map(kind_of_warning) {
                *counts.entry(kind).or_default() += 1;
            }
        }
        Ok(counts)
    }
}

/// The flag that a warning belongs to, or the beginning of its text; `None` where the line holds none.
fn kind_of_warning(line: &str) -> Option<String> {
    let (_, warning) = line.split_once("Warning: ").or_else(|| line.split_once("warning: "))?;
    let flag = warning.rsplit_once("[-W").and_then(|(_, flag)| flag.strip_suffix(']'));
    let words = || warning.split_whitespace().take(TELLING_WORDS).collect::<Vec<_>>().join(" ");
    Some(flag.map_or_else(words, |flag| format!("-W{flag}")))
}

/// What gravelc does on purpose. Tabs are the author's: it copies a margin and quotes a line with those that it has. A
/// request that a procedure leaves to its callers lies in a COMMON block, the only place that external procedures share
/// without an order in which their files are compiled.
const NOT_COUNTED: [&str; 2] = ["-Wtabs", "Fortran 2018 obsolescent feature: COMMON block"];

fn more_than_before(before: &Counts, after: &Counts) -> Vec<String> {
    let is_more = |(kind, count): &(&String, &usize)| {
        !NOT_COUNTED.contains(&kind.as_str()) && **count > before.get(*kind).copied().unwrap_or(0)
    };
    after.iter().filter(is_more).map(|(kind, count)| format!("{kind} ({count})")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_counted_by_their_flags() {
        let unused = "Warning: Unused variable 'request' declared at (1) [-Wunused-variable]";
        assert_eq!(kind_of_warning(unused).as_deref(), Some("-Wunused-variable"));
        let old = "f951: Warning: Fortran 2018 obsolescent feature: COMMON block at (1)";
        assert_eq!(kind_of_warning(old).as_deref(), Some("Fortran 2018 obsolescent feature: COMMON block"));
        assert_eq!(kind_of_warning("    9 |       integer rank"), None);
    }

    #[test]
    fn only_more_of_a_kind_counts() {
        let counts = |pairs: &[(&str, usize)]| -> Counts { pairs.iter().map(|(k, n)| (k.to_string(), *n)).collect() };
        let before = counts(&[("-Wunused-variable", 2), ("-Wtabs", 1)]);
        assert_eq!(more_than_before(&before, &counts(&[("-Wunused-variable", 2), ("-Wtabs", 4)])), [""; 0]);
        let after = counts(&[("-Wunused-variable", 3), ("-Wconversion", 1)]);
        assert_eq!(more_than_before(&before, &after), ["-Wconversion (1)", "-Wunused-variable (3)"]);
    }
}
