//! Golden files: `golden/<name>/` holds `input.f90`, and `expected.f90` and `report.txt` as gravelc must write them; or
//! `input.f` and `expected.f` in fixed form, with endings in capitals for the preprocessor; or `input.c` and `expected.c`.
//!
//! The promises of [`crate::stability`] are checked along with them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::case::{Case, entries, file_name, read};
use crate::directives::Directives;
use crate::gravelc::{Gravelc, Transformed};
use crate::stability::{expect_same, transform_stably};
use crate::workspace;

/// A folder of golden files.
#[derive(Debug, Clone)]
pub struct Golden {
    /// The name of the folder.
    pub name: String,
    folder: PathBuf,
}

impl Golden {
    /// All of them, sorted by name.
    ///
    /// # Errors
    ///
    /// A message with the path, if the folder can't be read.
    pub fn all() -> Result<Vec<Self>, String> {
        let folders = entries(&workspace::package().join("golden"))?;
        Ok(folders
            .into_iter()
            .filter(|path| path.is_dir())
            .map(|folder| Self { name: file_name(&folder), folder })
            .collect())
    }

    /// The program.
    pub fn input(&self) -> PathBuf {
        self.folder.join("input").with_extension(self.extension())
    }

    /// The ending of the sources: that of fixed form, of text for the preprocessor, or of C, where there is such an input.
    fn extension(&self) -> &'static str {
        let mut others = ["f", "F", "F90", "c"].into_iter();
        others.find(|ending| self.folder.join("input").with_extension(ending).is_file()).unwrap_or("f90")
    }

    fn expected(&self) -> PathBuf {
        self.folder.join("expected").with_extension(self.extension())
    }

    fn report(&self) -> PathBuf {
        self.folder.join("report.txt")
    }

    /// The program and its expected transformation, to be run.
    ///
    /// # Errors
    ///
    /// A message, if the expected output is missing or a directive can't be understood.
    pub fn case(&self) -> Result<Case, String> {
        let transformed = self.expected();
        if !transformed.is_file() {
            return Err(missing(&transformed));
        }
        Ok(Case {
            name: format!("golden/{}", self.name),
            original: self.input(),
            transformed,
            directives: Directives::of_file(&self.input())?,
        })
    }

    /// Transforms the input and compares.
    ///
    /// # Errors
    ///
    /// What differs, as a diff.
    pub fn check(&self, gravelc: &Gravelc) -> Result<(), String> {
        let scratch = scratch()?;
        let found = transform_stably(gravelc, &self.input(), scratch.path())?;
        for (expected, found) in [(self.expected(), &found.output), (self.report(), &found.text_report)] {
            if !expected.is_file() {
                return Err(missing(&expected));
            }
            expect_same(&format!("what should be {}", expected.display()), &expected, found)?;
        }
        Ok(())
    }

    /// Writes the expected files anew and says which of them changed.
    ///
    /// # Errors
    ///
    /// A message, if gravelc fails or a file can't be written.
    pub fn bless(&self, gravelc: &Gravelc) -> Result<Vec<PathBuf>, String> {
        let scratch = scratch()?;
        let Transformed { output, text_report, .. } = gravelc.transform(&self.input(), scratch.path())?;
        let mut changed = Vec::new();
        for (found, expected) in [(output, self.expected()), (text_report, self.report())] {
            let found = read(&found)?;
            if fs::read(&expected).ok().as_ref() != Some(&found) {
                fs::write(&expected, found).map_err(|error| format!("cannot write {}: {error}", expected.display()))?;
                changed.push(expected);
            }
        }
        Ok(changed)
    }
}

fn missing(file: &Path) -> String {
    format!("{} is missing: `cargo suite --bless` writes it; read it before you keep it", file.display())
}

fn scratch() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))
}
