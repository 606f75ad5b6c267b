//! `compile_commands.json`, the compilation database that CMake, Meson and others write.
//!
//! It says how each source is compiled, and nothing of links. CMake's generators of makefiles write the commands that link beside
//! it (`CMakeFiles/NAME.dir/link.txt`), which are read, too.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::shell::{Part, parts};
use super::step::{Step, is_tool, plain};
use super::{BuildRecord, log};
use crate::cli::Failure;
use crate::cli::wrap::response_files;

/// One entry (<https://clang.llvm.org/docs/JSONCompilationDatabase.html>).
#[derive(Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
    output: Option<PathBuf>,
}

/// Reads the database at `path`.
pub(super) fn read(path: &Path, text: &[u8]) -> Result<BuildRecord, Failure> {
    let shown = path.display();
    let entries: Vec<Entry> = serde_json::from_slice(text)
        .map_err(|error| Failure::input(format!("{shown} is no compilation database: {error}")))?;
    let here = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let beside = here.parent().unwrap_or(Path::new("/"));
    let mut record = BuildRecord { path: path.to_path_buf(), steps: Vec::new(), is_ordered: false, unread: Vec::new() };
    let mut folders = BTreeSet::new();
    for entry in entries {
        let folder = plain(&beside.join(&entry.directory));
        let words = match (entry.arguments, entry.command) {
            (Some(words), _) => words,
            (None, Some(command)) => shlex::split(&command).ok_or_else(|| {
                Failure::input(format!(
                    "{shown}: the command for {} can't be taken apart: {command}",
                    entry.file.display()
                ))
            })?,
            (None, None) => {
                let message = format!("{shown}: there is no command for {}", entry.file.display());
                return Err(Failure::input(message));
            }
        };
        let Some(mut step) = step_of(&folder, &words) else { continue };
        if let ([product], Some(output)) = (step.products.as_mut_slice(), entry.output) {
            product.file.path = plain(&folder.join(output));
        }
        record.steps.push(step);
        folders.insert(folder);
    }
    if record.steps.is_empty() {
        return Err(record
            .failure("no command compiles anything")
            .help("give the database of a build with sources in Fortran or C"));
    }
    record.steps.extend(folders.iter().flat_map(|folder| linking(folder)));
    Ok(record)
}

/// What the words of a command do, behind launchers.
fn step_of(folder: &Path, words: &[String]) -> Option<Step> {
    let place = words.iter().position(|word| is_tool(word))?;
    let arguments: Vec<OsString> = words[place + 1..].iter().map(OsString::from).collect();
    let arguments = response_files::expanded_in(folder, &arguments);
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    Step::of(folder, &words[place], &arguments)
}

/// The commands with which CMake links what is built in `folder`.
fn linking(folder: &Path) -> Vec<Step> {
    let Ok(entries) = fs::read_dir(folder.join("CMakeFiles")) else { return Vec::new() };
    let mut scripts: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path().join("link.txt"))).collect();
    scripts.sort();
    let texts = scripts.iter().filter_map(|script| fs::read_to_string(script).ok());
    texts.flat_map(|text| text.lines().filter_map(|line| linking_line(folder, line)).collect::<Vec<_>>()).collect()
}

fn linking_line(folder: &Path, line: &str) -> Option<Step> {
    let words = parts(line, folder)?.into_iter().map(|part| match part {
        Part::Word(word) => Some(word),
        _ => None,
    });
    log::step_of(folder, &words.collect::<Option<Vec<_>>>()?)
}
