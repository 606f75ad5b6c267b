//! Macros are read as what they stand for: the text of a file with their calls replaced, before anything else looks at it.
//!
//! A name that stands for nothing, or for a number wherever it stands, stays: it is understood as it is
//! ([`super::conditions`]), and the output reads better with it. So does what is not certain.

use std::collections::BTreeSet;
use std::ops::Range;

use super::conditions::{self, Macro};
use super::includes::Surroundings;
use super::lexer::lex;
use super::macro_calls::{Replaceable, replace};
use super::patch::normalise_lines;
use super::source_text::SourceText;
use crate::ir::{MacroExpansion, SourceFile};

/// The number of a line changes where its text stands on fewer lines.
const LINE_NUMBER: &[u8] = b"__LINE__";

/// A text with its macros replaced.
pub struct Replaced {
    /// What it has become.
    pub text: Vec<u8>,
    /// What was replaced, in order.
    pub macros: Vec<MacroExpansion>,
    /// Behind which bytes of the text before what follows is elsewhere, and where.
    moved: Vec<(usize, usize)>,
}

impl Replaced {
    /// Where a byte of the text before is that does not stand inside of a call.
    pub fn place(&self, offset: usize) -> usize {
        let behind = self.moved.partition_point(|&(before, _)| before <= offset);
        let (before, now) = behind.checked_sub(1).map_or((0, 0), |last| self.moved[last]);
        now + offset - before
    }
}

/// Replaces the macros in `text`, that of `file` with what it includes; `None` if there is nothing to replace.
pub fn replaced(text: &[u8], file: &SourceFile, surroundings: &Surroundings) -> Option<Replaced> {
    if !may_call(text, surroundings) {
        return None;
    }
    let source = SourceText::of(text, file.layout, file.is_preprocessed, surroundings);
    let lines = source.lines.as_ref().filter(|lines| lines.unterminated.is_none())?;
    // What has no lines for the preprocessor may not be read by it.
    if !source.has_conditions {
        return None;
    }
    let lexed = lex(&source.free);
    let SourceText { written, free, macros, changes, .. } = &source;
    // Such a macro keeps what is below it as it is (`super::preprocessor`).
    let dialect = file.language.dialect();
    let numbers = conditions::numbers(written, free, &lexed, file.layout, macros, changes);
    let written = normalise_lines(text);
    let mut pieces: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    conditions::for_each_compiled(
        &normalise_lines(&lines.text),
        &surroundings.macros,
        surroundings,
        &mut |read, stretch, macros| {
            let is_empty =
                |name: &str| matches!(macros.known.get(name), Some(Macro::Defined(value)) if value.is_empty());
            let stays = |name: &str| numbers.contains_key(name) || is_empty(name) || dialect.may_be_written(name);
            let replaceable = Replaceable { macros, stays: &stays };
            let mut start = stretch.start;
            for line in read[stretch].split(|&byte| byte == b'\n') {
                let range = start..start + line.len();
                start = range.end + 1;
                let calls = replaceable.calls_in(line);
                if calls.is_empty() {
                } else if written[range.clone()] == *line {
                    let in_file = |call: Range<usize>| range.start + call.start..range.start + call.end;
                    pieces.extend(calls.into_iter().map(|call| (in_file(call.range), call.text)));
                } else {
                    pieces.extend(whole_line(&replace(line, &calls), range, text));
                }
            }
        },
    );
    // What is written is text.
    pieces.retain(|(range, _)| std::str::from_utf8(&text[range.clone()]).is_ok());
    (!pieces.is_empty()).then(|| splice(text, pieces))
}

/// What takes the place of lines of the file, `range` of `text`, that are one `line` to the preprocessor. Those that follow keep
/// their numbers.
fn whole_line(line: &[u8], range: Range<usize>, text: &[u8]) -> Option<(Range<usize>, Vec<u8>)> {
    let feeds = text[range.clone()].iter().filter(|&&byte| byte == b'\n').count();
    let tells_line = line.windows(LINE_NUMBER.len()).any(|word| word == LINE_NUMBER);
    // Two names that a comment of C parts are two, though nothing stands between them any more.
    let may_part_names =
        |three: &[u8]| three.ends_with(b"/*") && !matches!(three[0], b' ' | b'\t' | b',' | b'(' | b')');
    if feeds > 0 && tells_line || text[range.clone()].windows(3).any(may_part_names) {
        return None;
    }
    let mut line = line.trim_ascii_end().to_vec();
    line.resize(line.len() + feeds, b'\n');
    Some((range, line))
}

/// Could there be a call? It looks no closer than that.
fn may_call(text: &[u8], surroundings: &Surroundings) -> bool {
    let known = surroundings.macros.known.iter();
    let mut names: BTreeSet<&[u8]> =
        known.filter(|(_, known)| stands_for_text(known)).map(|(name, _)| name.as_bytes()).collect();
    for line in text.split(|&byte| byte == b'\n') {
        let Some(directive) = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start) else {
            continue;
        };
        if directive.starts_with(b"include") {
            return true;
        }
        let defined = directive.strip_prefix(b"define").map(<[u8]>::trim_ascii_start);
        names.extend(defined.and_then(|rest| words(rest).next()));
    }
    !names.is_empty() && words(text).any(|word| names.contains(word))
}

fn stands_for_text(known: &Macro) -> bool {
    match known {
        Macro::Defined(value) => !value.is_empty(),
        Macro::WithArguments(_) => true,
        Macro::Undefined | Macro::Unknown => false,
    }
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).filter(|word| !word.is_empty())
}

fn splice(text: &[u8], pieces: Vec<(Range<usize>, Vec<u8>)>) -> Replaced {
    let mut result = Replaced { text: Vec::with_capacity(text.len()), macros: Vec::new(), moved: Vec::new() };
    let mut copied = 0;
    for (range, piece) in pieces {
        result.text.extend_from_slice(&text[copied..range.start]);
        let start = result.text.len();
        result.text.extend_from_slice(&piece);
        copied = range.end;
        result.moved.push((range.end, result.text.len()));
        result.macros.push(MacroExpansion { range: start..result.text.len(), original: text[range].to_vec() });
    }
    result.text.extend_from_slice(&text[copied..]);
    result
}
