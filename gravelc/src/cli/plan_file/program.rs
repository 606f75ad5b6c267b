//! A plan with the program that it is for: who carries it out by `gravelc transform --plan` gets reports, too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::document::{AGAIN, Document, document_of, included};
use crate::cli::plan_basis::{self, Basis, Build};
use crate::cli::{Failure, pipeline};
use crate::ir::{FileId, Program};
use crate::plan::Plan;

/// A plan with the program that it is for.
pub(in crate::cli) struct PlannedProgram {
    /// The program, read again.
    pub program: Program,
    /// The plan.
    pub plan: Plan,
    /// What else its file says.
    document: Document,
    /// Where its files are, in their order.
    absolute: Vec<PathBuf>,
    /// Where the plan is.
    path: PathBuf,
}

impl PlannedProgram {
    /// Reads a plan and the sources that it was made from.
    ///
    /// # Errors
    /// The plan can't be read, or does not hold for these sources any more.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let mut document = document_of(path)?;
        document.check_files(path)?;
        let absolute: Vec<PathBuf> = document.files.iter().map(|file| file.absolute.clone()).collect();
        let mut program = pipeline::read(&absolute, &document.options)
            .map_err(|error| Failure::input(error.to_string()).help(AGAIN))?;
        for (source, planned) in Arc::make_mut(&mut program.files).iter_mut().zip(&document.files) {
            source.path.clone_from(&planned.path);
        }
        document.check_included(path, &included(&program).collect::<BTreeSet<_>>())?;
        let plan = std::mem::take(&mut document.plan);
        Ok(Self { program, plan, document, absolute, path: path.to_path_buf() })
    }

    /// The file of the program that is at `path`, whatever way leads there.
    pub fn find(&self, path: &Path) -> Option<FileId> {
        self.document.find(path).map(FileId)
    }

    /// Refuses a build that reads one of these files otherwise than the plan does. `learn` completes what is known of the build's
    /// macros.
    ///
    /// # Errors
    /// It does.
    pub fn check(
        &self,
        files: &[FileId],
        mut build: Build<'_>,
        learn: &mut dyn FnMut(&mut Build<'_>),
    ) -> Result<(), Failure> {
        for &id in files {
            let options = self.document.options.of(&self.absolute[id.0]);
            let basis = Basis {
                plan: &self.path,
                options,
                rounding: self.plan.rounding.as_deref(),
                cuts_at_any_length: self.plan.cuts_at_any_length(),
            };
            let planned = plan_basis::PlannedFile {
                path: &self.absolute[id.0],
                text: self.program.file(id).original(),
                is_changed: self.document.files[id.0].output.is_some(),
            };
            basis.check(&planned, &mut build, learn)?;
        }
        Ok(())
    }

    /// Where the plan is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the files of the program are.
    pub fn files(&self) -> &[PathBuf] {
        &self.absolute
    }
}
