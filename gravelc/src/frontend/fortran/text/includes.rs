//! Files that others include: INCLUDE lines (Fortran 2018, 6.4) and `#include` lines. They are looked for beside the
//! file that includes them and in the folders of `-I`, and are read only for their declarations: no edit ever goes
//! into one. Those that hold more have been expanded by then ([`super::expansion`]).

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::classify::StatementText;
use super::conditions::Macros;
use super::expansion::{brings, named_in};
use super::lexer::{Lexed, TokenKind};
use super::parse::{ParsedFile, parse};
use crate::frontend::FrontendError;
use crate::frontend::source_file::{check_text, read_bytes};
use crate::ir::BYTE_ORDER_MARK;
use crate::source_layout::SourceLayout;

/// Files that include one another more deeply are not read.
const MAX_DEPTH: usize = 12;

/// No more files than these are read for one that is included: each could include the next one several times, or itself.
pub(super) const MOST_WITHIN: usize = 256;

/// What surrounds a file: where its includes are, and what is known of macros.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// Where included files are looked for, in order.
    pub folders: Vec<PathBuf>,
    /// What is known of macros at the beginning of the file.
    pub macros: Macros,
    /// Lines with a D in column 1 are statements.
    pub compiles_debug_lines: bool,
    /// How many files include one another around this one.
    pub depth: usize,
    /// Why the files of lines that include them are not expanded, by where the lines begin.
    pub refused: Arc<BTreeMap<usize, String>>,
    /// What has been found so far, for all files that are read together.
    pub found: Found,
}

/// The included files that were found, and what has been read of them. Several threads read files at once.
#[derive(Clone, Default)]
pub struct Found {
    texts: Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>,
    /// Most programs include the same few files everywhere.
    parsed: Arc<Mutex<HashMap<Reading, Arc<ParsedInclude>>>>,
}

/// What the parse of an included file depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Reading {
    path: PathBuf,
    layout: SourceLayout,
    is_preprocessed: bool,
    folders: Vec<PathBuf>,
    macros: Macros,
    compiles_debug_lines: bool,
    depth: usize,
}

/// The value behind the lock: what another thread left half done it has not put there.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Found {
    /// The texts of the files by their paths.
    pub fn into_texts(self) -> BTreeMap<PathBuf, Vec<u8>> {
        std::mem::take(&mut *locked(&self.texts))
    }
}

impl Surroundings {
    /// The text of the included file `name`, with its path.
    pub fn find(&self, name: &str) -> Option<(PathBuf, Vec<u8>)> {
        if self.depth >= MAX_DEPTH || name.is_empty() {
            return None;
        }
        let path = self.folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())?;
        if let Some(text) = locked(&self.found.texts).get(&path) {
            return Some((path, text.clone()));
        }
        let mut text = read_bytes(&path).ok()?;
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        // An empty one is included all the same.
        if !matches!(check_text(&path, &text), Ok(()) | Err(FrontendError::Empty { .. })) {
            return None;
        }
        locked(&self.found.texts).insert(path.clone(), text.clone());
        Some((path, text))
    }

    /// Does the file `name`, which was found at `path`, lie in a folder that is given (`-I`), where files in angle brackets are looked
    /// for, too? The first of the folders is that of the file that includes it.
    pub fn is_in_folder_given(&self, name: &str, path: &Path) -> bool {
        let is_it = |folder: &PathBuf| {
            let found = folder.join(name);
            found == path || found.canonicalize().is_ok_and(|found| path.canonicalize().is_ok_and(|path| path == found))
        };
        self.folders.iter().skip(1).any(is_it)
    }

    /// What surrounds the file at `path`, which a file here includes.
    pub fn inside(&self, path: &Path, macros: &Macros) -> Self {
        let mut folders = vec![path.parent().unwrap_or(Path::new("")).to_path_buf()];
        folders.extend(self.folders.iter().cloned());
        Self {
            folders,
            macros: macros.clone(),
            compiles_debug_lines: self.compiles_debug_lines,
            depth: self.depth + 1,
            refused: Arc::default(),
            found: self.found.clone(),
        }
    }
}

/// A file that another one includes.
pub struct IncludedFile {
    /// The statement that includes it.
    pub range: Range<usize>,
    /// Where it is.
    pub path: PathBuf,
    /// What was read.
    pub file: Arc<ParsedInclude>,
    /// Why it is not expanded, if it holds more than declarations.
    pub refused: Option<String>,
}

/// An included file that has been parsed.
pub struct ParsedInclude {
    /// Its text as the body of a subroutine, for the grammar reads nothing smaller.
    pub text: Vec<u8>,
    /// The parse of that.
    pub parsed: ParsedFile,
    /// How many files it includes, and these include; one counts as often as it is included.
    pub within: usize,
}

/// The name in quotes or angle brackets.
pub fn quoted_name(text: &str) -> Option<String> {
    let text = text.trim();
    let close = match text.chars().next()? {
        '<' => '>',
        quote @ ('"' | '\'') => quote,
        _ => return None,
    };
    let name = &text[1..];
    name.find(close).map(|end| name[..end].to_string())
}

/// Is it MPI's own file, in whatever folder?
pub fn is_mpif_name(name: &str) -> bool {
    name.to_ascii_lowercase().rsplit('/').next() == Some("mpif.h")
}

/// The lines that include files for the preprocessor, line feeds left out.
pub(super) fn lines_that_include(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split(|&byte| byte == b'\n') {
        let content = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        if content.is_some_and(|content| content.starts_with(b"include")) {
            found.push(start..start + line.len());
        }
        start += line.len() + 1;
    }
    found
}

/// Takes out the lines of `text` that include nothing that is compiled. It is the free form of what was `written`, where these lines
/// begin at `idle`: they are as many and in the same order.
pub(super) fn remove_idle_includes(text: &mut [u8], written: &[u8], idle: &[usize]) {
    let (lines, lines_written) = (lines_that_include(text), lines_that_include(written));
    if lines.len() != lines_written.len() {
        return;
    }
    for (line, written) in lines.into_iter().zip(lines_written) {
        if idle.contains(&written.start) {
            text[line].fill(b' ');
        }
    }
}

/// Makes INCLUDE lines of the `#include` lines whose files hold Fortran, and takes out those whose files hold lines
/// for the preprocessor alone. Where the former begin is the answer.
pub(super) fn admit_preprocessor_includes(text: &mut [u8], surroundings: &Surroundings) -> Vec<usize> {
    let mut admitted = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = text[start..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |feed| start + feed);
        let line = String::from_utf8_lossy(&text[start..end]).into_owned();
        let content = line.trim_start().strip_prefix('#').map(str::trim_start);
        if let Some(name) = content.and_then(|content| quoted_name(content.strip_prefix("include")?)) {
            let found = surroundings.find(&name);
            let brings_fortran = |(path, text): &(PathBuf, Vec<u8>)| {
                brings(text, &surroundings.inside(path, &surroundings.macros), |text, _| holds_fortran(text))
            };
            if is_mpif_name(&name) || found.as_ref().is_some_and(brings_fortran) {
                for byte in &mut text[start..end] {
                    match *byte {
                        b'#' => *byte = b' ',
                        b'<' | b'>' => *byte = b'"',
                        _ => {}
                    }
                }
                admitted.push(start);
            } else if found.as_ref().is_some_and(|found| !brings_unknown(found, surroundings)) {
                text[start..end].fill(b' ');
            }
        }
        start = end + 1;
    }
    admitted
}

/// Does the file, or one that it includes, include one that is not there, or of which macros say the name? That one could define macros,
/// which stand for other names everywhere behind it.
fn brings_unknown((path, text): &(PathBuf, Vec<u8>), surroundings: &Surroundings) -> bool {
    let includes_unknown = |text: &[u8], inside: &Surroundings| {
        lines_that_include(text).into_iter().any(|line| match named_in(&text[line.clone()]) {
            Some((_, name)) => inside.find(&name).is_none(),
            None => !String::from_utf8_lossy(&text[line]).to_ascii_lowercase().contains("mpif.h"),
        })
    };
    brings(text, &surroundings.inside(path, &surroundings.macros), includes_unknown)
}

/// Is there anything but comments and lines of the preprocessor?
pub(super) fn holds_fortran(text: &[u8]) -> bool {
    let mut in_comment = false;
    let mut continued = false;
    for line in text.split(|&byte| byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        let begins_comment = line.starts_with("/*");
        let is_preprocessor = continued || line.starts_with('#');
        continued = is_preprocessor && line.ends_with('\\');
        if begins_comment || in_comment {
            in_comment = !line.ends_with("*/");
        } else if !(line.is_empty() || is_preprocessor || line.starts_with('!') || line.starts_with("//")) {
            return true;
        }
    }
    false
}

/// Reads the files that the INCLUDE lines of a file name, as far as they are there. Those on the lines that begin at `admitted` are
/// the preprocessor's.
///
/// # Errors
///
/// If the parser can't be set up.
pub(super) fn read_included(
    text: &[u8],
    lexed: &Lexed,
    layout: SourceLayout,
    admitted: &[usize],
    surroundings: &Surroundings,
    macros: &Macros,
) -> Result<Vec<IncludedFile>, FrontendError> {
    let mut included = Vec::new();
    let mut within = 0;
    for statement in &lexed.statements {
        let words = StatementText::new(text, lexed, statement);
        let tokens = lexed.tokens_of(statement);
        if !words.is_word(0, "include") || tokens.get(1).is_none_or(|token| token.kind != TokenKind::Text) {
            continue;
        }
        let name = quoted_name(&String::from_utf8_lossy(&text[tokens[1].start..tokens[1].end]));
        let Some(name) = name.filter(|name| !is_mpif_name(name)) else { continue };
        let Some((path, content)) = surroundings.find(&name) else { continue };
        let line = text[..statement.start].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
        let reading = Reading {
            path: path.clone(),
            layout,
            is_preprocessed: admitted.binary_search(&line).is_ok(),
            macros: macros.clone(),
            folders: Vec::new(),
            compiles_debug_lines: surroundings.compiles_debug_lines,
            depth: 0,
        };
        let file = parse_included(reading, content, surroundings)?;
        within += 1 + file.within;
        if surroundings.depth > 0 && within > MOST_WITHIN {
            // As if they were not there: what they could declare is not known.
            break;
        }
        let refused = surroundings.refused.get(&line).cloned();
        included.push(IncludedFile { range: statement.start..statement.end, path, file, refused });
    }
    Ok(included)
}

/// Parses a file, or finds what was read of it before.
fn parse_included(
    reading: Reading,
    content: Vec<u8>,
    surroundings: &Surroundings,
) -> Result<Arc<ParsedInclude>, FrontendError> {
    let inside = surroundings.inside(&reading.path, &reading.macros);
    let reading = Reading { folders: inside.folders.clone(), depth: inside.depth, ..reading };
    if let Some(known) = locked(&surroundings.found.parsed).get(&reading) {
        return Ok(Arc::clone(known));
    }
    let mut text = b"      subroutine gravel_included\n".to_vec();
    text.extend(content);
    text.extend(b"\n      end\n");
    let parsed = parse(&text, reading.layout, reading.is_preprocessed, &inside)?;
    let within = parsed.included.iter().map(|inner| 1 + inner.file.within).sum();
    let file = Arc::new(ParsedInclude { text, parsed, within });
    locked(&surroundings.found.parsed).insert(reading, Arc::clone(&file));
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_quotes() {
        assert_eq!(quoted_name(" 'a.h'"), Some("a.h".to_string()));
        assert_eq!(quoted_name("<b/c.h> // more"), Some("b/c.h".to_string()));
        assert_eq!(quoted_name("\"open"), None);
        assert_eq!(quoted_name("MACRO"), None);
        assert!(is_mpif_name("../include/MPIF.h"));
    }

    #[test]
    fn definitions_are_no_fortran() {
        assert!(!holds_fortran(b"/* text\n more */\n#define A \\\n  b\n\n! note\n"));
        assert!(holds_fortran(b"#define A\n      integer i\n"));
    }
}
