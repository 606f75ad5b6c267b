//! What make printed: the commands of a build, line by line.
//!
//! A command names files relative to the folder that it runs in. `make -w` and recursive makes print which that is; without, the
//! commands that call make for another folder say it, or else the folder is the only one that has the sources.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::BuildRecord;
use super::shell::{Part, parts};
use super::step::{Step, is_tool, plain};
use crate::cli::Failure;
use crate::cli::wrap::response_files;

/// Words in front of a command, which runs all the same.
const LAUNCHERS: [&str; 15] = [
    "then", "else", "do", "{", "!", "if", "time", "exec", "command", "nice", "env", "ccache", "sccache", "distcc", "+",
];

/// What libtool prints in front of the commands that it executes.
const LIBTOOL: [&str; 2] = ["libtool: compile:", "libtool: link:"];

/// Folders below the one where the build began are looked through to this depth.
const MAX_DEPTH: usize = 12;

/// How many candidates a message names.
const NAMES_SHOWN: usize = 4;

/// Reads what make printed. Paths begin at `base`, or else in the folder of the file.
pub(super) fn read(path: &Path, text: &[u8], base: Option<&Path>) -> Result<BuildRecord, Failure> {
    let here = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let base = match base {
        Some(base) => base
            .canonicalize()
            .map_err(|error| Failure::input(format!("cannot find the folder {}: {error}", base.display())))?,
        None => here.parent().unwrap_or(Path::new("/")).to_path_buf(),
    };
    let mut reader = Reader {
        folders: Folders {
            entered: vec![base.clone()],
            known: vec![base.clone()],
            called: Vec::new(),
            below: None,
            base,
        },
        steps: Vec::new(),
        made: HashSet::new(),
        unread: Vec::new(),
    };
    for (number, line) in joined_lines(&String::from_utf8_lossy(text)) {
        reader.read_line(number, &line).map_err(|message| {
            Failure::input(format!("{}:{number}: {message}", path.display()))
                .help("let make say where it is (`make -w`), or use `gravelc wrap --record`")
        })?;
    }
    let record = BuildRecord { path: path.to_path_buf(), steps: reader.steps, is_ordered: true, unread: reader.unread };
    if record.steps.is_empty() {
        return Err(record
            .failure("no line is the command of a compiler")
            .help("make prints its commands unless it is told to be silent: build from the beginning with `make V=1` or `make VERBOSE=1`"));
    }
    Ok(record)
}

/// The lines with those that follow a backslash, by the numbers of the first ones.
fn joined_lines(text: &str) -> Vec<(usize, String)> {
    let mut joined: Vec<(usize, String)> = Vec::new();
    let mut continues = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_end_matches('\r');
        let (line, goes_on) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
        match joined.last_mut().filter(|_| continues) {
            Some((_, whole)) => {
                whole.push(' ');
                whole.push_str(line);
            }
            None => joined.push((index + 1, line.to_string())),
        }
        continues = goes_on;
    }
    joined
}

struct Reader {
    folders: Folders,
    steps: Vec<Step>,
    /// The files that they made.
    made: HashSet<PathBuf>,
    unread: Vec<String>,
}

impl Reader {
    fn read_line(&mut self, number: usize, line: &str) -> Result<(), String> {
        let line = line.trim();
        if let Some(folder) = named_folder(line, ": Entering directory ") {
            self.folders.enter(folder);
            return Ok(());
        }
        if named_folder(line, ": Leaving directory ").is_some() {
            self.folders.leave();
            return Ok(());
        }
        let line = LIBTOOL.iter().find_map(|prefix| line.strip_prefix(prefix)).unwrap_or(line);
        let Some(parts) = parts(line, self.folders.now()) else {
            if line.split_whitespace().next().is_some_and(is_tool) {
                self.unread.push(format!("line {number}: {line}"));
            }
            return Ok(());
        };
        let mut moved: Option<PathBuf> = None;
        let mut outside = Vec::new();
        let mut words: Vec<String> = Vec::new();
        for part in parts.into_iter().chain([Part::Next]) {
            if let Part::Word(word) = part {
                words.push(word);
                continue;
            }
            self.read_command(&std::mem::take(&mut words), &mut moved)?;
            match part {
                Part::Open => outside.push(moved.clone()),
                Part::Close => moved = outside.pop().flatten(),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads one command. `moved` is the folder to which those in front of it in the line went.
    fn read_command(&mut self, words: &[String], moved: &mut Option<PathBuf>) -> Result<(), String> {
        if let [cd, folder] = words
            && cd == "cd"
        {
            let from = moved.as_deref().unwrap_or(self.folders.now());
            *moved = Some(plain(&from.join(folder)));
            return Ok(());
        }
        let folder = moved.as_deref().unwrap_or(self.folders.now()).to_path_buf();
        if let Some(called) = folder_for_make(words) {
            self.folders.call(&folder.join(called));
        }
        let Some(mut step) = step_of(&folder, words) else { return Ok(()) };
        // A line that goes somewhere, from a folder that is no other, says where it is.
        if moved.is_none() {
            let named: Vec<PathBuf> =
                step.command().sources().into_iter().filter(|source| source.is_relative()).collect();
            let other = self.folders.with_files(&named)?;
            if let Some(other) = other.filter(|other| *other != folder) {
                step = step_of(&other, words).unwrap_or(step);
            } else if named.is_empty() {
                step = self.where_made(words, step);
            }
        }
        self.made.extend(step.products.iter().map(|product| product.file.path.clone()));
        self.steps.push(step);
        Ok(())
    }
}

impl Reader {
    /// A command that only links, where the objects were made that it names; `step` is what it does where make is.
    fn where_made(&self, words: &[String], step: Step) -> Step {
        let found = |step: &Step| {
            let inputs = step.products.iter().flat_map(|product| &product.inputs);
            inputs.filter(|input| self.made.contains(&input.path)).count()
        };
        if found(&step) > 0 {
            return step;
        }
        let folders: BTreeSet<&Path> = self.steps.iter().map(|step| step.folder.as_path()).collect();
        let elsewhere = folders.into_iter().filter_map(|folder| step_of(folder, words));
        let best = elsewhere.max_by_key(|step| found(step)).filter(|best| found(best) > 0);
        best.unwrap_or(step)
    }
}

/// What a command does in `folder`, behind variables that are set for it and programs that launch it.
pub(super) fn step_of(folder: &Path, words: &[String]) -> Option<Step> {
    let is_assignment = |word: &str| {
        word.split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
    };
    let mut is_launched = false;
    let mut words = words.iter().skip_while(|word| {
        // `nice -n 10 mpif90`
        let is_of_launcher = word.starts_with('-') || word.chars().all(|c| c.is_ascii_digit());
        if is_launched && is_of_launcher {
            return true;
        }
        let word = word.trim_start_matches(['@', '-', '+']);
        let is_launcher = LAUNCHERS.contains(&word);
        is_launched |= is_launcher;
        word.is_empty() || is_assignment(word) || is_launcher
    });
    let mut tool = words.next()?.trim_start_matches(['@', '-', '+']).to_string();
    if Path::new(&tool).file_name().is_some_and(|name| name == "gravelc") {
        words.find(|word| *word == "--")?;
        tool = words.next()?.clone();
    }
    if !is_tool(&tool) {
        return None;
    }
    let arguments: Vec<OsString> = words.map(OsString::from).collect();
    let arguments = response_files::expanded_in(folder, &arguments);
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    Step::of(folder, &tool, &arguments)
}

/// The folder for which a command calls make.
fn folder_for_make(words: &[String]) -> Option<&Path> {
    let (tool, arguments) = words.split_first()?;
    let is_make = Path::new(tool).file_name().is_some_and(|name| name == "make" || name == "gmake");
    if !is_make {
        return None;
    }
    let named = arguments.iter().enumerate().find_map(|(index, argument)| match argument.as_str() {
        "-C" | "--directory" => arguments.get(index + 1).map(String::as_str),
        joined => joined.strip_prefix("-C").or_else(|| joined.strip_prefix("--directory=")),
    });
    Some(Path::new(named.unwrap_or("")))
}

/// The folder that a line of make's names behind these words.
fn named_folder(line: &str, words: &str) -> Option<PathBuf> {
    let (_, name) = line.split_once(words)?;
    let name = name.trim().trim_matches(['\'', '`', '"', '‘', '’']);
    Some(PathBuf::from(name))
}

/// Where commands run.
struct Folders {
    base: PathBuf,
    /// Those that make is in, the innermost last.
    entered: Vec<PathBuf>,
    /// All that were entered, each once.
    known: Vec<PathBuf>,
    /// Those for which make was called, the last one last.
    called: Vec<PathBuf>,
    /// The folders below `base` by the names of the files in them, once somebody asked.
    below: Option<BTreeMap<String, Vec<PathBuf>>>,
}

impl Folders {
    fn now(&self) -> &Path {
        self.entered.last().unwrap_or(&self.base)
    }

    fn enter(&mut self, folder: PathBuf) {
        let folder = plain(&self.now().join(folder));
        if !self.known.contains(&folder) {
            self.known.push(folder.clone());
        }
        self.entered.push(folder);
    }

    /// Make is called for `folder`, seen from where the last command was.
    fn call(&mut self, folder: &Path) {
        let from = [self.now()].into_iter().chain(self.called.iter().rev().map(PathBuf::as_path));
        let mut candidates = from.map(|from| plain(&from.join(folder)));
        let found = candidates.find(|candidate| candidate.is_dir());
        drop(candidates);
        self.called.extend(found);
    }

    fn leave(&mut self) {
        if self.entered.len() > 1 {
            self.entered.pop();
        }
    }

    /// The folder that has all these files: where make is, or else the last one for which it was called, or else the only one of
    /// those where it was, or else the only one below that where it began. `None` if there is none.
    fn with_files(&mut self, files: &[PathBuf]) -> Result<Option<PathBuf>, String> {
        let has_all = |folder: &Path| files.iter().all(|file| folder.join(file).is_file());
        let Some(first) = files.first() else { return Ok(None) };
        if has_all(self.now()) {
            return Ok(Some(self.now().to_path_buf()));
        }
        if let Some(called) = self.called.iter().rev().find(|folder| has_all(folder)) {
            return Ok(Some(called.clone()));
        }
        let entered: Vec<&PathBuf> = self.known.iter().filter(|folder| has_all(folder)).collect();
        if let Some(only) = only(&entered, first)? {
            return Ok(Some(only));
        }
        let base = &self.base;
        let below = self.below.get_or_insert_with(|| {
            let mut below = BTreeMap::new();
            add_below(base, MAX_DEPTH, &mut below);
            below
        });
        let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let steps_up = first.components().count();
        let mut candidates: Vec<PathBuf> = Vec::new();
        for holding in below.get(&name).into_iter().flatten() {
            // `src/a.f90` is named from the folder above.
            let folder = holding.ancestors().nth(steps_up - 1).unwrap_or(holding).to_path_buf();
            if has_all(&folder) && !candidates.contains(&folder) {
                candidates.push(folder);
            }
        }
        only(&candidates.iter().collect::<Vec<_>>(), first)
    }
}

/// The only candidate for the folder of `file`.
fn only(candidates: &[&PathBuf], file: &Path) -> Result<Option<PathBuf>, String> {
    match candidates {
        [] => Ok(None),
        [only] => Ok(Some((*only).clone())),
        several => {
            let names: Vec<String> =
                several.iter().take(NAMES_SHOWN).map(|folder| folder.display().to_string()).collect();
            Err(format!("this command could run in {}, which all have {}", names.join(" or in "), file.display()))
        }
    }
}

fn add_below(folder: &Path, depth: usize, below: &mut BTreeMap<String, Vec<PathBuf>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            add_below(&entry.path(), depth - 1, below);
        } else if !kind.is_dir() {
            below.entry(entry.file_name().to_string_lossy().into_owned()).or_default().push(folder.to_path_buf());
        }
    }
}
