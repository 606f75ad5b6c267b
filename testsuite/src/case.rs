//! A test program together with its transformation.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::directives::Directives;
use crate::gravelc::Gravelc;
use crate::source_language::SourceLanguage;

/// A program, original and transformed.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name in messages, such as `golden/short-message`.
    pub name: String,
    /// The original source.
    pub original: PathBuf,
    /// The transformed source.
    pub transformed: PathBuf,
    /// What the original says about itself.
    pub directives: Directives,
}

impl Case {
    /// A program that is transformed now, into a folder.
    ///
    /// # Errors
    ///
    /// A message, if the program can't be read or transformed.
    pub fn transformed_by(
        gravelc: &Gravelc,
        name: impl Into<String>,
        original: &Path,
        destination: &Path,
    ) -> Result<Self, String> {
        Ok(Self {
            name: name.into(),
            original: original.to_owned(),
            transformed: gravelc.transform(original, destination)?.output,
            directives: Directives::of_file(original)?,
        })
    }

    /// The language of the program.
    pub fn language(&self) -> SourceLanguage {
        SourceLanguage::of(&self.original)
    }

    /// The sources of the program in the order in which they are compiled, of which `source` is the original or the
    /// transformed one: before it the others, behind it those that extend a module of it (submodules).
    pub fn sources(&self, source: &Path) -> Vec<PathBuf> {
        let folder = self.original.parent().unwrap_or(Path::new("."));
        let companions = self.directives.companion.iter().map(|name| folder.join(name));
        let is_submodule = |line: &str| line.trim_start().to_ascii_lowercase().starts_with("submodule");
        let extends =
            |path: &PathBuf| read(path).is_ok_and(|text| String::from_utf8_lossy(&text).lines().any(is_submodule));
        let (behind, mut all): (Vec<PathBuf>, Vec<PathBuf>) = companions.partition(extends);
        all.push(source.to_owned());
        all.extend(behind);
        all
    }

    /// Is the transformed source this one, byte for byte?
    ///
    /// # Errors
    ///
    /// A message with the path, if one of them can't be read.
    pub fn is_transformed_as(&self, other: &Path) -> Result<bool, String> {
        Ok(read(other)? == read(&self.transformed)?)
    }

    /// Is the transformed source the original one, byte for byte?
    ///
    /// # Errors
    ///
    /// A message with the path, if one of them can't be read.
    pub fn is_unchanged(&self) -> Result<bool, String> {
        self.is_transformed_as(&self.original)
    }
}

/// The complete programs of the repository's `examples` folder: the files in Fortran and C, with names after their folder.
///
/// # Errors
///
/// A message with the path, if a folder can't be read.
pub fn examples() -> Result<Vec<(String, PathBuf)>, String> {
    let mut examples = Vec::new();
    for folder in entries(&crate::workspace::root().join("examples"))?.into_iter().filter(|path| path.is_dir()) {
        for file in entries(&folder)? {
            let name = format!("examples/{}", file_name(&folder));
            match file.extension().and_then(OsStr::to_str) {
                Some("f90") => examples.push((name, file)),
                Some("c") => examples.push((format!("{name}-in-c"), file)),
                _ => {}
            }
        }
    }
    Ok(examples)
}

/// What a folder holds, sorted.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("cannot read the folder {}: {error}", folder.display());
    let mut entries = fs::read_dir(folder)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    entries.sort();
    Ok(entries)
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
