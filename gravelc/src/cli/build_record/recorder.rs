//! `gravelc wrap --record`: every command leaves a file of its own in a folder, so that those of a parallel build need not wait for
//! one another.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::step::{FileThen, Step};
use super::{BuildRecord, archive};
use crate::cli::Failure;
use crate::cli::digest::sha256_of;

/// The form of the files. One with another number is refused.
const VERSION: u32 = 1;

/// The ending of the files.
const ENDING: &str = "json";

/// Included files include one another no more deeply than this.
const MAX_DEPTH: usize = 12;

/// One file.
#[derive(Debug, Serialize, Deserialize)]
struct Recorded {
    version: u32,
    step: Step,
}

/// A command that is being recorded.
#[derive(Debug)]
pub(in crate::cli) struct Recording {
    folder: PathBuf,
    step: Step,
}

/// Looks at a command before it is executed. `None` if it makes nothing of which programs are made. `tool` is the compiler's path, and
/// the arguments have those in them that came in files.
///
/// # Errors
/// The folder for the record can't be made, or something can't be written down.
pub(in crate::cli) fn begin(folder: &Path, tool: &Path, arguments: &[OsString]) -> Result<Option<Recording>, Failure> {
    if folder.is_relative() {
        return Err(Failure::input(format!("--record {}: builds run commands in many folders", folder.display()))
            .help(format!("give an absolute path: --record \"$PWD/{}\"", folder.display())));
    }
    fs::create_dir_all(folder).map_err(|error| {
        Failure::input(format!("cannot make the folder {} for the record: {error}", folder.display()))
            .note("nothing was compiled")
    })?;
    let not_utf8 = |what: &Path| {
        Failure::input(format!("cannot record {}: it is not UTF-8", what.display())).note("nothing was compiled")
    };
    let text = |argument: &OsString| argument.to_str().map(str::to_owned).ok_or_else(|| not_utf8(argument.as_ref()));
    let arguments = arguments.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    let here = std::env::current_dir()
        .map_err(|error| Failure::input(format!("cannot tell in which folder this command runs: {error}")))?;
    here.to_str().ok_or_else(|| not_utf8(&here))?;
    let tool = tool.to_str().ok_or_else(|| not_utf8(tool))?;
    let Some(mut step) = Step::of(&here, tool, &arguments) else { return Ok(None) };
    step.sources.iter_mut().for_each(take_digest);
    step.included = included_by(&step);
    for input in step.products.iter_mut().flat_map(|product| &mut product.inputs) {
        take_digest(input);
        input.members = archive::members(&input.path);
    }
    Ok(Some(Recording { folder: folder.to_path_buf(), step }))
}

impl Recording {
    /// The command has been executed: writes down what it made.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn end(mut self) -> Result<(), Failure> {
        for product in &mut self.step.products {
            take_digest(&mut product.file);
            // Libraries that are not there: the search went on.
            product.inputs.retain(|input| input.sha256.is_some());
        }
        let cannot_write = |error: &dyn std::fmt::Display| {
            Failure::input(format!("cannot write into {}: {error}", self.folder.display()))
                .note("the command was executed, but the record of this build lacks it")
        };
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("{time:020}-{:010}.{ENDING}", std::process::id());
        let text = serde_json::to_vec(&Recorded { version: VERSION, step: self.step })
            .map_err(|error| cannot_write(&error))?;
        // Nobody sees it before it is whole.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(|error| cannot_write(&error))?;
        file.write_all(&text).map_err(|error| cannot_write(&error))?;
        file.persist_noclobber(self.folder.join(name)).map_err(|error| cannot_write(&error.error))?;
        Ok(())
    }
}

fn take_digest(file: &mut FileThen) {
    file.sha256 = fs::read(&file.path).ok().map(|bytes| sha256_of(&bytes));
}

/// The files that the sources include, as far as the lines say and the folders of the command have them.
fn included_by(step: &Step) -> Vec<FileThen> {
    let folders = step.command().frontend_options().include_folders;
    let folders: Vec<PathBuf> = folders.iter().map(|folder| step.folder.join(folder)).collect();
    let mut found = BTreeSet::new();
    for source in &step.sources {
        add_included(&source.path, &folders, MAX_DEPTH, &mut found);
    }
    let files = found.into_iter().map(|path| {
        let mut file = FileThen::named(path);
        take_digest(&mut file);
        file
    });
    files.collect()
}

fn add_included(path: &Path, folders: &[PathBuf], depth: usize, found: &mut BTreeSet<PathBuf>) {
    let Ok(text) = fs::read(path) else { return };
    let beside = path.parent().unwrap_or(Path::new(""));
    for line in text.split(|&byte| byte == b'\n') {
        let Some(name) = included_name(line) else { continue };
        let places =
            std::iter::once(beside).chain(folders.iter().map(PathBuf::as_path)).map(|folder| folder.join(&name));
        if let Some(file) = places.into_iter().find(|place| place.is_file())
            && found.insert(file.clone())
            && depth > 0
        {
            add_included(&file, folders, depth - 1, found);
        }
    }
}

/// The name that an `include` or `#include` line gives.
fn included_name(line: &[u8]) -> Option<String> {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"#").unwrap_or(line).trim_ascii_start();
    let (word, rest) = line.split_at_checked("include".len())?;
    let rest = rest.trim_ascii_start();
    let close = match rest.first()? {
        b'<' => b'>',
        quote @ (b'"' | b'\'') => *quote,
        _ => return None,
    };
    let end = rest[1..].iter().position(|&byte| byte == close)?;
    word.eq_ignore_ascii_case(b"include").then(|| String::from_utf8_lossy(&rest[1..=end]).into_owned())
}

/// Reads what the commands of a build left in `folder`, in the order in which they ended.
pub(super) fn read(folder: &Path) -> Result<BuildRecord, Failure> {
    let shown = folder.display();
    let again = "build with `gravelc wrap --record DIR -- COMPILER`, into an empty folder";
    let cannot_read =
        |error: &dyn std::fmt::Display| Failure::input(format!("cannot read the record {shown}: {error}")).help(again);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(|error| cannot_read(&error))?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == ENDING));
    files.sort();
    let mut steps = Vec::new();
    for file in files {
        let text = fs::read(&file).map_err(|error| cannot_read(&error))?;
        let Recorded { version, step } = serde_json::from_slice(&text).map_err(|error| {
            Failure::input(format!("{} was not recorded by this gravelc: {error}", file.display())).help(again)
        })?;
        if version != VERSION {
            let message = format!("{} was recorded by another gravelc (form {version})", file.display());
            return Err(Failure::input(message).help(again));
        }
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(Failure::input(format!("nothing was recorded in {shown}")).help(again));
    }
    Ok(BuildRecord { path: folder.to_path_buf(), steps, is_ordered: true, unread: Vec::new() })
}
