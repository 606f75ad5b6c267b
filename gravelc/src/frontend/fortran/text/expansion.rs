//! Included code is code: the text of a file that another one includes takes the place of the line that includes it, before
//! anything else looks at the text.
//!
//! Only files that hold more than declarations are expanded (declarations are read where they are, see [`super::includes`]),
//! only where the line is certainly compiled, and only where their text means in the place of the line what it means in its
//! file: it may have to stand there in the output.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::classify::{Role, StatementText};
use super::includes::{Surroundings, is_mpif_name, quoted_name};
use super::lexer::lex;
use super::macro_expansion;
use super::preprocessed_lines::{macros_with_arguments, preprocessed_lines};
use super::source_text::{SourceText, is_condition};
use crate::ir::{Expansion, Expansions, SourceFile};
use crate::source_layout::{STANDARD_COLUMNS, SourceLayout};

/// Files that include one another more deeply are not expanded.
const MAX_DEPTH: usize = 12;

/// Where more files than these would be expanded in one, none is: each could include the next one several times.
const MOST_EXPANSIONS: usize = 1000;

/// So much text at most may come into one file, in bytes.
const MOST_TEXT: usize = 16 << 20;

const TOO_MUCH: &str = "too much is included";

/// What tells how deeply files include one another. Names and lines of files (`__FILE__`, `__LINE__`) are given to the
/// preprocessor with a text that is written out.
const LEVEL: &[u8] = b"__INCLUDE_LEVEL__";

/// What the preprocessor replaces though nobody defines it.
const NAMES_OF_PLACES: [&str; 5] = ["__FILE__", "__LINE__", "__BASE_FILE__", "__DATE__", "__TIME__"];

/// A file with what it includes.
pub struct Expanded {
    /// Its text.
    pub text: Vec<u8>,
    /// What was expanded.
    pub expansions: Expansions,
    /// Why the files of other lines were not, by where the lines begin in the text.
    pub refused: BTreeMap<usize, String>,
    /// The files that are included all the same: by lines that were not expanded, and by what these include.
    pub left: BTreeSet<PathBuf>,
}

/// Expands what `file` includes, and its macros; `None` if there is neither. The files at the paths `given`, which are free of
/// links, are read by themselves.
pub fn expanded(file: &SourceFile, surroundings: &Surroundings, given: &BTreeSet<PathBuf>) -> Option<Expanded> {
    let with_files = with_files(file, surroundings, given);
    let text = with_files.as_ref().map_or(&file.text, |expanded| &expanded.text);
    let Some(replaced) = macro_expansion::replaced(text, file, surroundings) else { return with_files };
    let (mut included, mut refused, mut left) = Default::default();
    if let Some(expanded) = with_files {
        included = expanded.expansions.included().to_vec();
        refused = expanded.refused;
        left = expanded.left;
    }
    for expansion in &mut included {
        expansion.range = replaced.place(expansion.range.start)..replaced.place(expansion.range.end);
    }
    let refused = refused.into_iter().map(|(line, why)| (replaced.place(line), why)).collect();
    Some(Expanded { text: replaced.text, expansions: Expansions::new(included, replaced.macros), refused, left })
}

/// Expands what `file` includes; `None` if it includes nothing.
fn with_files(file: &SourceFile, surroundings: &Surroundings, given: &BTreeSet<PathBuf>) -> Option<Expanded> {
    if !file.text.split(|&byte| byte == b'\n').any(|line| named_in(line).is_some()) {
        return None;
    }
    let mut text = file.text.clone();
    let mut expansions: Vec<Expansion> = Vec::new();
    let mut room = MOST_TEXT;
    loop {
        let mut refused = BTreeMap::new();
        let mut found = Vec::new();
        let reading = Reading::of(&text, file, surroundings);
        for line in reading.lines_that_include() {
            let around: Vec<&Expansion> =
                expansions.iter().filter(|expansion| expansion.range.contains(&line.range.start)).collect();
            if expansions.len() + found.len() >= MOST_EXPANSIONS {
                return Some(unexpanded(file, surroundings));
            }
            match Included::of(&line, &reading, &around, given) {
                Some(Ok(included)) if included.text.len() <= room => {
                    room -= included.text.len();
                    found.push((line, around.len(), included));
                }
                Some(Ok(_)) => drop(refused.insert(line.range.start, TOO_MUCH.to_string())),
                Some(Err(why)) => drop(refused.insert(line.range.start, why)),
                None => {}
            }
        }
        if found.is_empty() {
            let left = reading.still_included();
            return Some(Expanded { text, expansions: Expansions::new(expansions, Vec::new()), refused, left });
        }
        let written = splice(&text, &mut expansions, found);
        text = written;
    }
}

/// `file` as it is, for it includes too much.
fn unexpanded(file: &SourceFile, surroundings: &Surroundings) -> Expanded {
    let reading = Reading::of(&file.text, file, surroundings);
    let refused = reading.lines_that_include().into_iter().map(|line| (line.range.start, TOO_MUCH.to_string()));
    Expanded {
        text: file.text.clone(),
        expansions: Expansions::default(),
        refused: refused.collect(),
        left: reading.still_included(),
    }
}

/// The file that the line includes, if it includes one that is not MPI's own, behind the column at which its name begins.
pub(super) fn named_in(line: &[u8]) -> Option<(usize, String)> {
    let words = line.trim_ascii_start();
    let words = words.strip_prefix(b"#").unwrap_or(words).trim_ascii_start();
    let (word, rest) = words.split_at_checked(7)?;
    let quoted = rest.trim_ascii_start();
    let name = quoted_name(&String::from_utf8_lossy(quoted)).filter(|name| !is_mpif_name(name))?;
    word.eq_ignore_ascii_case(b"include").then_some((line.len() - quoted.len() + 1, name))
}

/// Puts the included texts in the place of the lines, which are in order.
fn splice(text: &[u8], expansions: &mut Vec<Expansion>, found: Vec<(Line, usize, Included)>) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut position = 0;
    let mut new = Vec::with_capacity(found.len());
    // Where what follows a line was, and where it is.
    let mut moved: Vec<(usize, usize)> = vec![(0, 0)];
    for (line, depth, included) in found {
        result.extend_from_slice(&text[position..line.range.start]);
        let start = result.len();
        result.extend_from_slice(&included.text);
        position = line.range.end;
        moved.push((position, result.len()));
        let range = start..result.len();
        let bytes = text[line.range].to_vec();
        new.push(Expansion { range, line: bytes, name: line.name, path: included.path, depth });
    }
    result.extend_from_slice(&text[position..]);
    // One that begins or ends with a line that is expanded begins or ends with the text in its place.
    let place = |offset: usize| {
        let (old, new) = moved[moved.partition_point(|&(old, _)| old <= offset) - 1];
        new + offset - old
    };
    for expansion in expansions.iter_mut() {
        expansion.range = place(expansion.range.start)..place(expansion.range.end);
    }
    expansions.extend(new);
    result
}

/// Which of the two lines that include files it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `#include`, for the preprocessor.
    Preprocessor,
    /// INCLUDE, for the compiler, which lets no preprocessor read the file.
    Compiler,
}

/// A line that includes a file and is certainly compiled.
struct Line {
    /// Its bytes, line feed included.
    range: Range<usize>,
    /// The file's name.
    name: String,
    kind: Kind,
    /// The name stands in angle brackets: the file is not looked for beside the one that includes it.
    in_brackets: bool,
}

/// A text in which lines that include files are looked for.
struct Reading<'a> {
    text: &'a [u8],
    layout: SourceLayout,
    source: SourceText,
    surroundings: &'a Surroundings,
}

impl<'a> Reading<'a> {
    fn of(text: &'a [u8], file: &SourceFile, surroundings: &'a Surroundings) -> Self {
        let source = SourceText::of(text, file.layout, file.is_preprocessed, surroundings);
        Self { text, layout: file.layout, source, surroundings }
    }

    /// The files that lines of the text include, and those that these include in their turn.
    fn still_included(&self) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        let mut pending = vec![(self.source.written.clone(), self.surroundings.clone())];
        while let Some((text, around)) = pending.pop() {
            for line in text.split(|&byte| byte == b'\n') {
                let Some((path, text)) = named_in(line).and_then(|(_, name)| around.find(&name)) else { continue };
                if found.insert(path.clone()) {
                    pending.push((text, around.inside(&path, &around.macros)));
                }
            }
        }
        found
    }

    /// The lines that include files, as far as no condition that is not decided stands around them, in order.
    fn lines_that_include(&self) -> Vec<Line> {
        let lexed = lex(&self.source.free);
        let mut statements: BTreeSet<usize> = BTreeSet::new();
        for statement in &lexed.statements {
            let words = StatementText::new(&self.source.free, &lexed, statement);
            let is_one = words.is_word(0, "include") && statement.tokens.len() == 2;
            if is_one && !statement.labelled && statement.interrupted.is_none() {
                statements.insert(statement.start);
            }
        }
        let mut lines = Vec::new();
        let mut open = 0_usize;
        let mut start = 0;
        for line in self.source.written.split_inclusive(|&byte| byte == b'\n') {
            let range = start..start + line.len();
            start = range.end;
            if line.starts_with(b"#") && is_condition(line) {
                let word = line[1..].trim_ascii_start();
                if word.starts_with(b"endif") {
                    open = open.saturating_sub(1);
                } else if word.starts_with(b"if") {
                    open += 1;
                }
            } else if open == 0 && self.is_whole_line(&range) {
                let named = match line.starts_with(b"#") {
                    true => {
                        name_for_preprocessor(line).map(|(name, in_brackets)| (name, Kind::Preprocessor, in_brackets))
                    }
                    false => name_for_compiler(line).map(|name| (name, Kind::Compiler, false)),
                };
                let Some((name, kind, in_brackets)) = named.filter(|(name, ..)| !is_mpif_name(name)) else { continue };
                let is_statement = || statements.range(range.clone()).next().is_some();
                if kind == Kind::Preprocessor || is_statement() {
                    lines.push(Line { range, name, kind, in_brackets });
                }
            }
        }
        lines
    }

    /// Is the line one to the preprocessor, and is all of it there?
    fn is_whole_line(&self, range: &Range<usize>) -> bool {
        let Some(lines) = &self.source.lines else { return true };
        let is_joined = |feed: usize| lines.joined.binary_search(&feed).is_ok();
        let is_first = range.start == 0 || !is_joined(range.start - 1);
        let line = &self.text[range.clone()];
        let ends = range.end == self.text.len() || !is_joined(range.end - 1);
        is_first && ends && lines.text[range.clone()] == *line && lines.unterminated.is_none()
    }
}

/// The name of the file that `#include "…"` or `#include <…>` includes, and whether it is the latter.
fn name_for_preprocessor(line: &[u8]) -> Option<(String, bool)> {
    let rest = line.strip_prefix(b"#")?.trim_ascii_start().strip_prefix(b"include")?.trim_ascii();
    let rest = std::str::from_utf8(rest).ok().filter(|rest| rest.starts_with(['"', '<']))?;
    let name = quoted_name(rest).filter(|name| rest.len() == name.len() + 2)?;
    Some((name, rest.starts_with('<')))
}

/// The name of the file in an INCLUDE line, which holds nothing else but a comment.
fn name_for_compiler(line: &[u8]) -> Option<String> {
    let (word, rest) = line.trim_ascii_start().split_at_checked(7)?;
    let rest = std::str::from_utf8(rest).ok()?.trim();
    let name = quoted_name(rest).filter(|_| !rest.starts_with('<'))?;
    let behind = rest[name.len() + 2..].trim_start();
    (word.eq_ignore_ascii_case(b"include") && (behind.is_empty() || behind.starts_with('!'))).then_some(name)
}

/// What a line includes, as it stands in the place of the line.
struct Included {
    path: PathBuf,
    text: Vec<u8>,
}

impl Included {
    /// The file of `line`, which stands in the expansions `around`; `None` if it is not there, or holds declarations at most.
    fn of(
        line: &Line,
        reading: &Reading<'_>,
        around: &[&Expansion],
        given: &BTreeSet<PathBuf>,
    ) -> Option<Result<Self, String>> {
        let surroundings = reading.surroundings;
        let (path, content) = surroundings.find(&line.name)?;
        if line.in_brackets && !surroundings.is_in_folder_given(&line.name, &path) {
            return None;
        }
        let inside = surroundings.inside(&path, &reading.source.macros);
        if !brings(&content, &inside, |text, inside| holds_code(text, reading.layout, inside)) {
            return None;
        }
        let is_preprocessed = reading.source.lines.is_some();
        let checked = || {
            if around.len() >= MAX_DEPTH || around.iter().any(|outer| outer.path == path) {
                return Err("it includes itself, or files are included too deeply".to_string());
            }
            if path.canonicalize().is_ok_and(|path| given.contains(&path)) {
                return Err("it is a file of the program by itself, too; leave it out if the build does".to_string());
            }
            if is_preprocessed && line.kind == Kind::Compiler {
                check_meets_no_preprocessor(&content, &reading.source)?;
            }
            check_can_stand_elsewhere(&content, reading.layout, line.kind, &inside)?;
            with_names_from_outside(&content, line, &path, reading)
        };
        Some(checked().map(|text| Self { path, text }))
    }
}

/// Does something apply to an included text with these surroundings, or to one that it includes?
pub(super) fn brings(text: &[u8], inside: &Surroundings, applies: impl Fn(&[u8], &Surroundings) -> bool) -> bool {
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut pending = vec![(text.to_vec(), inside.clone())];
    while let Some((text, inside)) = pending.pop() {
        if applies(&text, &inside) {
            return true;
        }
        let names = text.split(|&byte| byte == b'\n').filter_map(named_in);
        let found = names.filter_map(|(_, name)| inside.find(&name)).filter(|(path, _)| seen.insert(path.clone()));
        pending.extend(found.map(|(path, text)| (text, inside.inside(&path, &inside.macros))).collect::<Vec<_>>());
    }
    false
}

/// Does the file hold more than declarations, lines for the preprocessor and comments, whatever conditions say?
fn holds_code(content: &[u8], layout: SourceLayout, inside: &Surroundings) -> bool {
    // Nothing that it includes is found there, so that all conditions stay open.
    let open = Surroundings { compiles_debug_lines: inside.compiles_debug_lines, ..Surroundings::default() };
    let source = SourceText::of(content, layout, true, &open);
    let lexed = lex(&source.free);
    // A part of a statement.
    let goes_on = layout == SourceLayout::Free && content.trim_ascii_end().ends_with(b"&");
    let mut in_interface = 0_usize;
    let mut in_type = 0_usize;
    goes_on
        || lexed.statements.iter().any(|statement| {
            let words = StatementText::new(&source.free, &lexed, statement);
            match words.role() {
                Role::InterfaceStart => in_interface += 1,
                Role::InterfaceEnd => in_interface = in_interface.saturating_sub(1),
                _ if in_interface > 0 => {}
                Role::TypeStart => in_type += 1,
                Role::TypeEnd => in_type = in_type.saturating_sub(1),
                Role::Contains if in_type > 0 => {}
                Role::UnitStart(_)
                | Role::UnitEnd
                | Role::Contains
                | Role::ConstructStart(_)
                | Role::ConstructMiddle(..)
                | Role::ConstructEnd => return true,
                Role::Simple => return words.can_be_executed() || words.begins_without_word(),
            }
            false
        })
}

/// What an INCLUDE line includes is read by no preprocessor; in the place of the line it is, and must mean the same.
fn check_meets_no_preprocessor(content: &[u8], source: &SourceText) -> Result<(), String> {
    let joins = |line: &[u8]| line.trim_ascii_end().ends_with(b"\\");
    let mut lines = content.split(|&byte| byte == b'\n');
    if lines.any(|line| line.trim_ascii_start().starts_with(b"#") || joins(line)) {
        return Err("it has lines for a preprocessor, which does not read what INCLUDE includes".to_string());
    }
    if content.windows(2).any(|pair| pair == b"/*") {
        return Err("it has `/*`, which a preprocessor would take for a comment".to_string());
    }
    let macros: BTreeSet<&str> = source.macros.names().chain(source.changes.names()).map(String::as_str).collect();
    let is_macro = |word: &str| macros.contains(word) || NAMES_OF_PLACES.contains(&word);
    let mut words = content.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
    match words.find_map(|word| std::str::from_utf8(word).ok().filter(|word| is_macro(word))) {
        Some(word) => Err(format!("it names `{word}`, which is a macro, and no preprocessor reads it")),
        None => Ok(()),
    }
}

/// What must hold so that the text means in the place of the line what it means in its file.
fn check_can_stand_elsewhere(
    content: &[u8],
    layout: SourceLayout,
    kind: Kind,
    inside: &Surroundings,
) -> Result<(), String> {
    if content.windows(LEVEL.len()).any(|window| window == LEVEL) {
        return Err(format!("it has `{}`", String::from_utf8_lossy(LEVEL)));
    }
    let mut open = 0_usize;
    for line in content.split(|&byte| byte == b'\n') {
        let Some(words) = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start) else { continue };
        if kind == Kind::Compiler {
            return Err("it has lines for a preprocessor, which does not read what INCLUDE includes".to_string());
        }
        let other = [&b"pragma"[..], b"import", b"include_next"].into_iter().find(|word| words.starts_with(word));
        if let Some(word) = other {
            return Err(format!("it has `#{}`", String::from_utf8_lossy(word)));
        }
        if words.starts_with(b"if") {
            open += 1;
        } else if words.starts_with(b"endif") {
            open = open.checked_sub(1).ok_or("a condition ends in it that does not begin there")?;
        }
    }
    if open > 0 {
        return Err("a condition begins in it that does not end there".to_string());
    }
    if content.trim_ascii_end().ends_with(b"\\") {
        return Err("its last line goes on behind it".to_string());
    }
    let lines = preprocessed_lines(content, layout, &macros_with_arguments(content, inside));
    if kind == Kind::Preprocessor && lines.unterminated.is_some() {
        return Err("something begins in it that does not end there".to_string());
    }
    Ok(())
}

/// The text with a line feed at its end, in which lines that include files name them as the file around has to.
fn with_names_from_outside(content: &[u8], line: &Line, path: &Path, reading: &Reading<'_>) -> Result<Vec<u8>, String> {
    let outside = reading.surroundings;
    let inside = outside.inside(path, &reading.source.macros);
    let folder = Path::new(&line.name).parent().unwrap_or(Path::new(""));
    let mut text = Vec::with_capacity(content.len() + 1);
    for row in content.split_inclusive(|&byte| byte == b'\n') {
        let ended = row.strip_suffix(b"\n").unwrap_or(row);
        let row = ended.strip_suffix(b"\r").unwrap_or(ended);
        match named_in(row) {
            Some((start, name)) => {
                let meant = name_from_outside(&name, folder, &inside, outside)?;
                text.extend_from_slice(&row[..start]);
                text.extend_from_slice(meant.as_bytes());
                text.extend_from_slice(&row[start + name.len()..]);
                let is_too_long = meant != name && row.len() + meant.len() - name.len() > STANDARD_COLUMNS;
                if is_too_long && reading.layout != SourceLayout::Free {
                    return Err(format!("it includes {name}, which has a longer name outside"));
                }
            }
            None => text.extend_from_slice(row),
        }
        text.push(b'\n');
    }
    Ok(text)
}

/// The name under which the file around finds what an included one, which it finds in `folder`, calls `name`.
fn name_from_outside(
    name: &str,
    folder: &Path,
    inside: &Surroundings,
    outside: &Surroundings,
) -> Result<String, String> {
    let place = |found: Option<(PathBuf, Vec<u8>)>| found.map(|(path, _)| path.canonicalize().unwrap_or(path));
    let meant = place(inside.find(name));
    if place(outside.find(name)) == meant {
        return Ok(name.to_string());
    }
    let longer = folder.join(name).display().to_string();
    // Compilers differ in whether what INCLUDE names is beside the file that holds the line.
    let is_clear = outside.find(name).is_none() && !longer.contains(['"', '\'']);
    if is_clear && place(outside.find(&longer)) == meant {
        return Ok(longer);
    }
    Err(format!("it includes {name}, which is another file from where it is included"))
}
