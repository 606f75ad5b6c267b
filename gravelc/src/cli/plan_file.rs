//! Plans as files: what was decided about a whole program, for builds that compile its files one by one.
//!
//! A plan holds for the sources that it was made from and for no others: a send is converted only because of what all
//! the other files say. So the sources are read again when it is executed, and any change of any of them is an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::digest::sha256_of;
use super::plan_basis::{self, Basis, Build};
use super::{Failure, pipeline};
use crate::frontend::FrontendOptions;
use crate::ir::{FileId, Program};
use crate::plan::Plan;

/// A file of the program that the plan is for.
#[derive(Debug, Serialize, Deserialize)]
struct PlannedFile {
    /// As the user gave it.
    path: PathBuf,
    /// Where it is, without links.
    absolute: PathBuf,
    /// Of its bytes.
    sha256: String,
}

/// What a plan file says.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    /// The version that made it: another one may read the sources in another way.
    gravelc: String,
    files: Vec<PlannedFile>,
    /// The digests of what these include, by path.
    included: BTreeMap<PathBuf, String>,
    options: FrontendOptions,
    plan: Plan,
}

/// A document with a digest of it, which shows that nobody has changed it.
#[derive(Debug, Serialize, Deserialize)]
struct PlanFile {
    sha256: String,
    document: Document,
}

/// A plan with the program that it is for.
pub(super) struct PlannedProgram {
    /// The program, read again.
    pub program: Program,
    /// The plan.
    pub plan: Plan,
    /// How its files were read.
    options: FrontendOptions,
    /// Where its files are, in their order.
    absolute: Vec<PathBuf>,
    /// Where the plan is.
    path: PathBuf,
}

impl PlannedProgram {
    /// The file of the program that is at `path`, whatever way leads there.
    pub fn find(&self, path: &Path) -> Option<FileId> {
        let path = fs::canonicalize(path).ok()?;
        self.absolute.iter().position(|known| *known == path).map(FileId)
    }

    /// Refuses a build that reads one of these files otherwise than the plan does. `learn` completes what is known of the build's
    /// macros.
    pub fn check(
        &self,
        files: &[FileId],
        mut build: Build<'_>,
        learn: &mut dyn FnMut(&mut Build<'_>),
    ) -> Result<(), Failure> {
        for &id in files {
            let options = self.options.of(&self.absolute[id.0]);
            let basis = Basis { plan: &self.path, options, rounding: self.plan.rounding.as_deref() };
            let file = self.program.file(id);
            let is_changed = self.plan.steps().any(|step| self.program.procedure(step.procedure).span.file == id);
            let planned = plan_basis::PlannedFile {
                language: file.language,
                path: &self.absolute[id.0],
                text: file.original(),
                is_changed,
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

/// What to do about a plan that does not hold any more.
const AGAIN: &str = "make the plan anew with `gravelc plan FILE... -o PLAN`";

fn digest_of(document: &Document) -> Result<String, Failure> {
    serde_json::to_vec(document).map(|bytes| sha256_of(&bytes)).map_err(cannot_be_written)
}

/// By absolute path, for the files are read from another folder when the plan is carried out.
fn digests_of_included(program: &Program) -> BTreeMap<PathBuf, String> {
    let absolute = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let included = program.included.iter().chain(program.read.iter());
    included.map(|(path, text)| (absolute(path), sha256_of(text))).collect()
}

fn cannot_be_written(error: serde_json::Error) -> Failure {
    Failure::input(format!("the plan cannot be written as JSON: {error}"))
}

/// The text of a plan file for `program`, which was read with these options.
pub(super) fn text_of(program: &Program, plan: Plan, options: &FrontendOptions) -> Result<Vec<u8>, Failure> {
    let file = |file: &crate::ir::SourceFile| {
        let absolute = fs::canonicalize(&file.path)
            .map_err(|error| Failure::input(format!("cannot find {}: {error}", file.path.display())))?;
        Ok(PlannedFile { path: file.path.clone(), absolute, sha256: sha256_of(file.original()) })
    };
    let files = program.files.iter().map(file).collect::<Result<Vec<_>, Failure>>()?;
    let gravelc = env!("CARGO_PKG_VERSION").to_string();
    let included = digests_of_included(program);
    let mut options = options.clone();
    let absolute = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    options.of_files = options.of_files.at(absolute);
    let of_files = options.of_files.ways_mut().iter_mut().flat_map(|way| &mut way.include_folders);
    for folder in options.include_folders.iter_mut().chain(of_files) {
        *folder = absolute(folder);
    }
    let document = Document { gravelc, files, included, options, plan };
    let file = PlanFile { sha256: digest_of(&document)?, document };
    let mut text = serde_json::to_vec_pretty(&file).map_err(cannot_be_written)?;
    text.push(b'\n');
    Ok(text)
}

/// Is any of the sources among the files of the plan? Those that are not have nothing to do with it, whatever has become of its files:
/// the compiler is tested before a build makes what they include.
///
/// # Errors
/// If the plan can't be read.
pub(super) fn names_any(path: &Path, sources: &[PathBuf]) -> Result<bool, Failure> {
    let document = document_of(path)?;
    let is_named = |source: &PathBuf| {
        let source = fs::canonicalize(source);
        source.is_ok_and(|source| document.files.iter().any(|file| file.absolute == source))
    };
    Ok(sources.iter().any(is_named))
}

fn document_of(path: &Path) -> Result<Document, Failure> {
    let (shown, again) = (path.display(), AGAIN);
    let text = fs::read(path).map_err(|error| Failure::input(format!("cannot read {shown}: {error}")))?;
    let PlanFile { sha256, document } = serde_json::from_slice(&text)
        .map_err(|error| Failure::input(format!("{shown} is not a plan of this gravelc: {error}")).help(again))?;
    if document.gravelc != env!("CARGO_PKG_VERSION") {
        let message = format!("{shown} was made by gravelc {}", document.gravelc);
        return Err(Failure::input(message).help(again));
    }
    if digest_of(&document)? != sha256 {
        return Err(Failure::input(format!("{shown} has been changed since it was made")).help(again));
    }
    Ok(document)
}

/// Reads a plan and the sources that it was made from.
pub(super) fn read(path: &Path) -> Result<PlannedProgram, Failure> {
    let (shown, again) = (path.display(), AGAIN);
    let document = document_of(path)?;
    let absolute: Vec<PathBuf> = document.files.iter().map(|file| file.absolute.clone()).collect();
    let mut program =
        pipeline::read(&absolute, &document.options).map_err(|error| Failure::input(error.to_string()).help(again))?;
    for (source, planned) in Arc::make_mut(&mut program.files).iter_mut().zip(&document.files) {
        if sha256_of(source.original()) != planned.sha256 {
            let message = format!("{} has changed since {shown} was made", planned.absolute.display());
            return Err(Failure::input(message).note("the plan holds for all files or for none").help(again));
        }
        source.path.clone_from(&planned.path);
    }
    let included = digests_of_included(&program);
    // One that was not found before counts, too: it was read as nothing.
    let differs = |path: &&PathBuf| included.get(*path) != document.included.get(*path);
    if let Some(path) = included.keys().chain(document.included.keys()).find(differs) {
        let message = format!("{}, which is included, has changed since {shown} was made", path.display());
        return Err(Failure::input(message).note("the plan holds for all files or for none").help(again));
    }
    let (plan, options) = (document.plan, document.options);
    Ok(PlannedProgram { program, plan, options, absolute, path: path.to_path_buf() })
}
