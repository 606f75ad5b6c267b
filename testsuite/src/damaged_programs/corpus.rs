//! The programs that are damaged: all golden, trap and example programs, and the kernels with their several files.

use std::fs;
use std::path::Path;

use crate::case::{entries, examples, file_name};
use crate::workspace;

/// Endings of the files that belong to programs.
const ENDINGS: [&str; 8] = ["f", "F", "f90", "F90", "f03", "f08", "for", "h"];

/// A program: its files, by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Where it comes from.
    pub name: String,
    /// Names, each with the text.
    pub files: Vec<(String, Vec<u8>)>,
}

/// All programs, in the order of their names.
///
/// # Errors
///
/// A message with the path, if one can't be read.
pub fn all() -> Result<Vec<Program>, String> {
    let package = workspace::package();
    let mut programs = Vec::new();
    for kind in ["golden", "kernels"] {
        for folder in entries(&package.join(kind))?.into_iter().filter(|path| path.is_dir()) {
            let is_source = |name: &str| is_source(name) && !name.starts_with("expected.");
            programs
                .push(Program { name: format!("{kind}/{}", file_name(&folder)), files: files(&folder, is_source)? });
        }
    }
    for path in entries(&package.join("traps"))?.into_iter().filter(|path| is_source(&file_name(path))) {
        programs.push(Program { name: format!("traps/{}", file_name(&path)), files: vec![file(&path)?] });
    }
    for (name, path) in examples()?.into_iter().filter(|(_, path)| is_source(&file_name(path))) {
        programs.push(Program { name, files: vec![file(&path)?] });
    }
    programs.retain(|program| !program.files.is_empty());
    Ok(programs)
}

fn is_source(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

fn files(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<(String, Vec<u8>)>, String> {
    entries(folder)?
        .iter()
        .filter(|path| path.is_file() && is_wanted(&file_name(path)))
        .map(|path| file(path))
        .collect()
}

fn file(path: &Path) -> Result<(String, Vec<u8>), String> {
    let text = fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok((file_name(path), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_program_is_among_them() {
        let all = all().expect("the programs can be read");
        for kind in ["golden/", "kernels/", "traps/", "examples/"] {
            assert!(all.iter().any(|program| program.name.starts_with(kind)), "{kind}");
        }
        assert!(all.iter().any(|program| program.files.len() > 3), "one of several files");
        let names = || all.iter().flat_map(|program| &program.files).map(|(name, _)| name);
        assert!(names().any(|name| name.ends_with(".f")) && names().any(|name| name.ends_with(".F")));
        assert!(!names().any(|name| name.starts_with("expected")));
    }
}
