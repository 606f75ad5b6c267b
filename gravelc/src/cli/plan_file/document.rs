//! What a plan file says, and whether that still holds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cli::Failure;
use crate::cli::digest::sha256_of;
use crate::cli::pipeline::TransformedProgram;
use crate::emit;
use crate::frontend::FrontendOptions;
use crate::ir::{Program, SourceFile};
use crate::plan::Plan;

/// A file of the program that the plan is for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlannedFile {
    /// As the user gave it.
    pub(super) path: PathBuf,
    /// Where it is, without links.
    pub(super) absolute: PathBuf,
    /// Of its bytes.
    pub(super) sha256: String,
    /// What takes its place; nothing where it stays as it is.
    pub(super) output: Option<PlannedOutput>,
}

/// What takes the place of a file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlannedOutput {
    /// What a compiler reads. Where it tells of its own place it names [`ITSELF`].
    pub(super) text: Text,
    /// The files whose text stands in it, because it was changed.
    pub(super) written_out: Vec<PathBuf>,
}

/// What a planned text calls the file that it takes the place of: its name is what the command calls that.
pub(super) const ITSELF: &str = "\u{1}this file\u{1}";

/// The bytes of a source, which may be in any encoding.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Text {
    Utf8(String),
    Other(Vec<u8>),
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Other(error.into_bytes()), Self::Utf8)
    }
}

impl Text {
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Utf8(text) => text.as_bytes(),
            Self::Other(bytes) => bytes,
        }
    }
}

/// What a plan file says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Document {
    /// The version that made it: another one may read the sources in another way.
    pub(super) gravelc: String,
    pub(super) files: Vec<PlannedFile>,
    /// The digests of what these include, by path.
    pub(super) included: BTreeMap<PathBuf, String>,
    pub(super) options: FrontendOptions,
    pub(super) plan: Plan,
}

/// A document with a digest of it, which shows that nobody has changed it.
#[derive(Debug, Serialize, Deserialize)]
struct PlanFile {
    sha256: String,
    document: Document,
}

/// What to do about a plan that does not hold any more.
pub(super) const AGAIN: &str = "make the plan anew with `gravelc plan FILE... -o PLAN`";
/// Why one changed file is enough.
const ALL_OR_NONE: &str = "the plan holds for all files or for none";

impl Document {
    /// The file of the program that is at `path`, whatever way leads there.
    pub(super) fn find(&self, path: &Path) -> Option<usize> {
        let path = fs::canonicalize(path).ok()?;
        self.files.iter().position(|file| file.absolute == path)
    }

    /// Refuses files that have changed, or that are not there any more; `plan` is where this was read from.
    pub(super) fn check_files(&self, plan: &Path) -> Result<(), Failure> {
        for file in &self.files {
            let text = original(&file.absolute)?;
            if sha256_of(&text) != file.sha256 {
                let message = format!("{} has changed since {} was made", file.absolute.display(), plan.display());
                return Err(Failure::input(message).note(ALL_OR_NONE).help(AGAIN));
            }
        }
        self.check_included(plan, self.included.keys())
    }

    /// Refuses what is included, if it is not what the plan was made with.
    pub(super) fn check_included<'p>(
        &self,
        plan: &Path,
        included: impl IntoIterator<Item = &'p PathBuf>,
    ) -> Result<(), Failure> {
        for path in included {
            // One that was not found before counts, too: it was read as nothing.
            if self.included.get(path) != digest_on_disk(path).as_ref() {
                let (path, plan) = (path.display(), plan.display());
                let message = format!("{path}, which is included, has changed since {plan} was made");
                return Err(Failure::input(message).note(ALL_OR_NONE).help(AGAIN));
            }
        }
        Ok(())
    }
}

/// The text of a source, as a front end gets it.
pub(super) fn original(path: &Path) -> Result<Vec<u8>, Failure> {
    let text = fs::read(path)
        .map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())).help(AGAIN))?;
    Ok(SourceFile::new(path, text, Default::default()).original().to_vec())
}

fn digest_on_disk(path: &Path) -> Option<String> {
    fs::read(path).ok().map(|text| sha256_of(&text))
}

fn digest_of(document: &Document) -> Result<String, Failure> {
    serde_json::to_vec(document).map(|bytes| sha256_of(&bytes)).map_err(cannot_be_written)
}

/// Without links, and whatever folder a command runs in.
pub(super) fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// What the files of a program include.
pub(super) fn included(program: &Program) -> impl Iterator<Item = PathBuf> {
    program.included.keys().chain(program.read.keys()).map(|path| absolute(path))
}

fn cannot_be_written(error: serde_json::Error) -> Failure {
    Failure::input(format!("the plan cannot be written as JSON: {error}"))
}

/// The text of a plan file for a program that was read with these options.
pub(in crate::cli) fn text_of(transformed: TransformedProgram, options: &FrontendOptions) -> Result<Vec<u8>, Failure> {
    let outputs = outputs_of(&transformed)?;
    let TransformedProgram { program, plan, .. } = transformed;
    let planned = |(file, output): (&SourceFile, _)| {
        let absolute = fs::canonicalize(&file.path)
            .map_err(|error| Failure::input(format!("cannot find {}: {error}", file.path.display())))?;
        Ok(PlannedFile { path: file.path.clone(), absolute, sha256: sha256_of(file.original()), output })
    };
    let files = program.files.iter().zip(outputs).map(planned).collect::<Result<Vec<_>, Failure>>()?;
    let gravelc = env!("CARGO_PKG_VERSION").to_string();
    let included = included(&program).filter_map(|path| digest_on_disk(&path).map(|digest| (path, digest))).collect();
    let mut options = options.clone();
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

/// What takes the place of each file of the program, in their order.
fn outputs_of(transformed: &TransformedProgram) -> Result<Vec<Option<PlannedOutput>>, Failure> {
    let mut program = transformed.program.clone();
    for file in Arc::make_mut(&mut program.files) {
        file.path = PathBuf::from(ITSELF);
    }
    let emitted = emit::emit(&program, &transformed.plan).map_err(Failure::bug)?;
    let output = |output: emit::EmittedFile| {
        let is_changed = output.text != program.file(output.file).text;
        let text = program.file(output.file).with_text(&output.written);
        is_changed.then(|| PlannedOutput { text: text.into(), written_out: output.written_out })
    };
    Ok(emitted.files.into_iter().map(output).collect())
}

pub(super) fn document_of(path: &Path) -> Result<Document, Failure> {
    let shown = path.display();
    let text = fs::read(path).map_err(|error| Failure::input(format!("cannot read {shown}: {error}")))?;
    let PlanFile { sha256, document } = serde_json::from_slice(&text)
        .map_err(|error| Failure::input(format!("{shown} is not a plan of this gravelc: {error}")).help(AGAIN))?;
    if document.gravelc != env!("CARGO_PKG_VERSION") {
        let message = format!("{shown} was made by gravelc {}", document.gravelc);
        return Err(Failure::input(message).help(AGAIN));
    }
    if digest_of(&document)? != sha256 {
        return Err(Failure::input(format!("{shown} has been changed since it was made")).help(AGAIN));
    }
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_any_encoding_are_kept() {
        for bytes in [&b"call f() ! \xc3\xbc"[..], b"call f() ! \xfc", b""] {
            let written = serde_json::to_vec(&Text::from(bytes.to_vec())).expect("it can be written");
            let read: Text = serde_json::from_slice(&written).expect("it can be read");
            assert_eq!(read.as_bytes(), bytes);
        }
    }
}
