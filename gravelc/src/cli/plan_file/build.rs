//! A plan as a build carries it out: for each of its commands some texts, and the proof that they are still right. No program is
//! read for that, as a build has as many commands as the program has files.

use std::path::{Path, PathBuf};

use super::document::{Document, ITSELF, PlannedOutput, absolute, document_of, original};
use crate::cli::Failure;
use crate::cli::plan_basis::{self, Basis, Build};
use crate::frontend;
use crate::ir::VectorArithmetic;

/// A plan for the commands of a build.
pub(in crate::cli) struct PlannedBuild {
    document: Document,
    /// Where the plan is.
    path: PathBuf,
    /// Where its files are, in their order.
    files: Vec<PathBuf>,
}

impl PlannedBuild {
    /// Reads a plan, and nothing of the program.
    ///
    /// # Errors
    /// It can't be read, or is one of another gravelc.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let document = document_of(path)?;
        let files = document.files.iter().map(|file| file.absolute.clone()).collect();
        Ok(Self { document, path: path.to_path_buf(), files })
    }

    /// The file of the program that is at `path`, whatever way leads there: its place among all.
    pub fn find(&self, path: &Path) -> Option<usize> {
        self.document.find(path)
    }

    /// Where the files of the program are, in their order.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Does it rest on how these files' compilers compute in vectors?
    pub fn cuts_inside_vectors(&self, files: &[usize]) -> bool {
        let is_known = |&place: &usize| {
            self.document.options.of(&self.files[place]).vector_arithmetic == VectorArithmetic::Elementwise
        };
        self.document.plan.cuts_at_any_length() && files.iter().any(is_known)
    }

    /// Refuses a program that has changed since the plan was made, and a build that reads one of `files` otherwise than the plan
    /// does. `learn` completes what is known of the build's macros.
    ///
    /// # Errors
    /// As said.
    pub fn check(
        &self,
        files: &[usize],
        mut build: Build<'_>,
        learn: &mut dyn FnMut(&mut Build<'_>),
    ) -> Result<(), Failure> {
        self.document.check_files(&self.path)?;
        for &place in files {
            let path = &self.files[place];
            let text = original(path)?;
            let options = self.document.options.of(path);
            // Headers that were not there before.
            let included = frontend::files_included(path, &text, options)
                .map_err(|error| Failure::input(error.to_string()))?
                .iter()
                .map(|path| absolute(path))
                .collect::<Vec<_>>();
            self.document.check_included(&self.path, &included)?;
            let basis = Basis {
                plan: &self.path,
                options,
                rounding: self.document.plan.rounding.as_deref(),
                cuts_at_any_length: self.document.plan.cuts_at_any_length(),
            };
            let is_changed = self.output_of(place).is_some();
            basis.check(&plan_basis::PlannedFile { path, text: &text, is_changed }, &mut build, learn)?;
        }
        Ok(())
    }

    /// What takes the place of a file that the command calls `name`; nothing where it stays as it is.
    pub fn text(&self, place: usize, name: &Path) -> Option<Vec<u8>> {
        Some(named(self.output_of(place)?.text.as_bytes(), name))
    }

    /// The files whose text stands in what takes a file's place.
    pub fn written_out(&self, place: usize) -> &[PathBuf] {
        self.output_of(place).map_or(&[], |output| &output.written_out)
    }

    fn output_of(&self, place: usize) -> Option<&PlannedOutput> {
        self.document.files[place].output.as_ref()
    }
}

/// The text, with the name of the file where it tells of its own place. One that can't be written there is not told.
fn named(text: &[u8], name: &Path) -> Vec<u8> {
    let tells_of_itself = |line: &[u8]| line.trim_ascii_end().ends_with(format!("\"{ITSELF}\"").as_bytes());
    let name = name.to_str().filter(|name| !name.contains(['"', '\\', '\n']));
    let mut named = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if !tells_of_itself(line) {
            named.extend_from_slice(line);
        } else if let (Some(name), Ok(line)) = (name, std::str::from_utf8(line)) {
            named.extend_from_slice(line.replace(ITSELF, name).as_bytes());
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_calls_itself_what_the_command_does() {
        let (first, last) = (format!("#line 1 \"{ITSELF}\"\n"), format!("#line 7 \"{ITSELF}\"\r\nb"));
        let other = b"a\xfc\n";
        let text = [first.as_bytes(), other, last.as_bytes()];
        let expected = [&b"#line 1 \"src/a.F90\"\n"[..], other, b"#line 7 \"src/a.F90\"\r\nb"];
        assert_eq!(named(&text.concat(), Path::new("src/a.F90")), expected.concat());
        assert_eq!(named(&text.concat(), Path::new("a\"b")), [other, &b"b"[..]].concat());
    }
}
