//! Source files: their bytes, their lines, and stretches of them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Expansions, Language, Line, Origin, VectorArithmetic};
use crate::source_layout::SourceLayout;

/// Index of a [`SourceFile`] in [`Program::files`](super::Program::files).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileId(pub usize);

/// A half-open range of bytes `start..end` of one source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The file that the bytes belong to.
    pub file: FileId,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Does it lie within `outer`?
    pub fn is_within(self, outer: Span) -> bool {
        self.file == outer.file && outer.start <= self.start && self.end <= outer.end
    }
}

/// What some editors write in front of UTF-8. Compilers leave it out, also where columns count.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A source file as it was read: every later position is a byte offset into [`SourceFile::text`].
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// The path as the user gave it.
    pub path: PathBuf,
    /// The bytes of the file, without a byte order mark in front. They need not be UTF-8: comments of old codes often are
    /// Latin-1. They stay as they are.
    ///
    /// Where files that it includes are [expanded](SourceFile::expand), their text stands in it.
    pub text: Vec<u8>,
    /// The text without expansions, where there are any.
    unexpanded: Option<Vec<u8>>,
    /// What stands in the text in the place of lines that include it, and of macros.
    expansions: Expansions,
    has_byte_order_mark: bool,
    /// What it is written in.
    pub language: Language,
    /// How its lines are laid out.
    pub layout: SourceLayout,
    /// A preprocessor reads it.
    pub is_preprocessed: bool,
    /// How its compiler computes in vectors.
    pub vector_arithmetic: VectorArithmetic,
    /// What the front end could not read, for the report: place and why.
    pub unread: Vec<(Span, String)>,
    /// The byte offsets at which its lines begin.
    line_starts: Vec<usize>,
    /// The line feeds that to its preprocessor end no line, in order.
    joined: Vec<usize>,
    /// See [`SourceFile::is_compound`].
    compounds: BTreeSet<(usize, usize)>,
    /// How its lines end.
    line_feed: &'static str,
}

impl SourceFile {
    /// A file of which everything could be read so far.
    pub fn new(path: impl Into<PathBuf>, mut text: Vec<u8>, layout: SourceLayout) -> Self {
        let has_byte_order_mark = text.starts_with(BYTE_ORDER_MARK);
        if has_byte_order_mark {
            text.drain(..BYTE_ORDER_MARK.len());
        }
        let line_starts = line_starts(&text);
        let line_feed = if text.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
        Self {
            path: path.into(),
            text,
            unexpanded: None,
            expansions: Expansions::default(),
            has_byte_order_mark,
            language: Language::default(),
            layout,
            is_preprocessed: false,
            vector_arithmetic: VectorArithmetic::default(),
            unread: Vec::new(),
            line_starts,
            joined: Vec::new(),
            compounds: BTreeSet::new(),
            line_feed,
        }
    }

    /// The file with this text in place of its own: behind the byte order mark, where it has one.
    pub fn with_text(&self, text: &[u8]) -> Vec<u8> {
        let mark = if self.has_byte_order_mark { BYTE_ORDER_MARK } else { &[] };
        [mark, text].concat()
    }

    /// How its lines end: inserted ones end likewise.
    pub fn line_feed(&self) -> &'static str {
        self.line_feed
    }

    /// Takes `text` for its text, in which files that it includes stand in the place of the lines that include them, and what
    /// macros stand for in theirs.
    pub fn expand(&mut self, text: Vec<u8>, expansions: Expansions) {
        self.line_starts = line_starts(&text);
        self.unexpanded = Some(std::mem::replace(&mut self.text, text));
        self.expansions = expansions;
    }

    /// The text without expansions, as it is in the file.
    pub fn original(&self) -> &[u8] {
        self.unexpanded.as_ref().unwrap_or(&self.text)
    }

    /// What stands in the text in the place of lines that include it, and of macros.
    pub fn expansions(&self) -> &Expansions {
        &self.expansions
    }

    /// The text of a range of bytes as it is spelled in the file: macros by their names, where all that stands for them is in it.
    pub fn spelled(&self, range: Range<usize>) -> String {
        let mut spelled = Vec::with_capacity(range.len());
        let mut position = range.start;
        for replaced in self.expansions.macros_within(&range) {
            spelled.extend_from_slice(&self.text[position..replaced.range.start]);
            spelled.extend_from_slice(&replaced.original);
            position = replaced.range.end;
        }
        spelled.extend_from_slice(&self.text[position..range.end]);
        String::from_utf8_lossy(&spelled).into_owned()
    }

    /// Where the byte `offset` comes from.
    fn origin(&self, offset: usize) -> Origin<'_> {
        let offset = offset.min(self.text.len());
        if self.expansions.included().is_empty() {
            return Origin { path: None, line: self.row_of(offset) };
        }
        self.expansions.origin(offset, |offset| self.row_of(offset) - 1)
    }

    /// The 1-based line number of the byte `offset` in the file from which it [comes](SourceFile::path_of).
    pub fn line_of(&self, offset: usize) -> usize {
        self.origin(offset).line
    }

    /// The line with the byte `offset`, in words for people.
    pub fn line_named(&self, offset: usize) -> Line {
        let file = (!self.expansions.included().is_empty()).then(|| {
            let path = self.path_of(offset);
            path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
        });
        Line { file, number: self.line_of(offset) }
    }

    /// The path of the file from which the byte `offset` comes: of this file, or of one that is expanded in it.
    pub fn path_of(&self, offset: usize) -> &Path {
        self.origin(offset).path.unwrap_or(&self.path)
    }

    /// The 1-based number of the line with the byte `offset` in the text, expansions included.
    pub fn row_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset.min(self.text.len()))
    }

    /// The byte offset at which the line with this 1-based number in the text begins; the last one where there are fewer.
    pub fn row_start(&self, row: usize) -> usize {
        self.line_starts[(row - 1).min(self.line_starts.len() - 1)]
    }

    /// The byte offset at which the line that contains `offset` begins.
    pub fn line_start(&self, offset: usize) -> usize {
        self.line_starts[self.row_of(offset) - 1]
    }

    /// The byte offset just after the line feed that ends the line of `offset` (or the end of the file).
    pub fn line_end(&self, offset: usize) -> usize {
        let start = offset.min(self.text.len());
        self.text[start..]
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(self.text.len(), |position| start + position + 1)
    }

    /// The line feeds at these offsets, which are in order, end no line: the preprocessor joins the lines.
    pub fn join_lines(&mut self, feeds: &[usize]) {
        self.joined = feeds.to_vec();
    }

    /// These look like names or calls, but are macros that stand for more: `#define LAST first + n`.
    pub fn mark_compounds(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.compounds = spans.into_iter().map(|span| (span.start, span.end)).collect();
    }

    /// Is the text of `span` such a macro?
    pub fn is_compound(&self, span: Span) -> bool {
        self.compounds.contains(&(span.start, span.end))
    }

    /// Does such a macro stand in `span`, but for what brackets are around there? `&LAST` and `LAST[1]` are more than they look like.
    pub fn has_compound(&self, span: Span) -> bool {
        let mut inside = self.compounds.range((span.start, 0)..(span.end, 0)).filter(|(_, end)| *end <= span.end);
        inside.any(|&(start, _)| {
            let before = &self.text[span.start..start];
            let count = |wanted: &[u8]| before.iter().filter(|byte| wanted.contains(byte)).count();
            count(b"([") <= count(b")]")
        })
    }

    /// The byte offset at which the first line begins of those that are one line with that of `offset` to the preprocessor. Text can
    /// be inserted there, and not between them.
    pub fn whole_line_start(&self, offset: usize) -> usize {
        let mut start = self.line_start(offset);
        while start > 0 && self.joined.binary_search(&(start - 1)).is_ok() {
            start = self.line_start(start - 1);
        }
        start
    }

    /// The byte offset just after the line feed that ends the last line of those that are one line with that of `offset` to the
    /// preprocessor (or the end of the file).
    pub fn whole_line_end(&self, offset: usize) -> usize {
        let mut end = self.line_end(offset);
        while end < self.text.len() && self.joined.binary_search(&(end - 1)).is_ok() {
            end = self.line_end(end);
        }
        end
    }

    /// The lines of `range` as the preprocessor sees them, each with where it begins: one may be several lines of the file.
    pub fn whole_lines(&self, range: Range<usize>) -> impl Iterator<Item = (usize, &[u8])> {
        let mut start = self.whole_line_start(range.start);
        std::iter::from_fn(move || {
            let begin = start;
            start = self.whole_line_end(begin);
            (begin < range.end).then(|| (begin, &self.text[begin..start]))
        })
    }

    /// Does a comment in the lines of `span`, or just above them, speak to compilers, or does one of the lines to the
    /// preprocessor?
    pub fn speaks_to_compilers(&self, span: Span) -> bool {
        let dialect = self.language.dialect();
        let mut start = self.whole_line_start(span.start);
        loop {
            let above = if start == 0 { start } else { self.whole_line_start(start - 1) };
            let line = self.text[above..start].trim_ascii();
            let is_comment = line.is_empty() || dialect.is_comment_line(&self.text[above..start], self.layout);
            if above == start || !is_comment {
                break;
            }
            start = above;
        }
        let lines = self.text[start..self.whole_line_end(span.end)].split(|&byte| byte == b'\n');
        lines.into_iter().any(|line| dialect.is_for_compilers(line, self.layout))
    }

    /// The text of `span` to write it again, whatever its bytes are ([`super::bytes_as_text`]).
    pub fn spelling(&self, span: Span) -> String {
        super::bytes_as_text::text_of(&self.text[span.start..span.end])
    }

    /// The text of `span` for people, with bytes that are not UTF-8 replaced.
    pub fn slice(&self, span: Span) -> String {
        String::from_utf8_lossy(&self.text[span.start..span.end]).into_owned()
    }
}

/// The byte offsets at which the lines of `text` begin.
fn line_starts(text: &[u8]) -> Vec<usize> {
    let feeds = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    std::iter::once(0).chain(feeds.map(|(index, _)| index + 1)).collect()
}
