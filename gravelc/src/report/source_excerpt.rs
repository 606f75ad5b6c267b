//! The line of source that a diagnostic shows, with the part that it points at.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Snippet};

use crate::ir::{SourceFile, Span};

/// One line of a source file and the part of it to point at.
///
/// The text is UTF-8 whatever the encoding of the file: bytes that are not are shown as U+FFFD, and the marked range
/// is moved accordingly. Of a span of several lines only the first line is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceExcerpt {
    path: String,
    line: usize,
    text: String,
    marked: Range<usize>,
}

impl SourceExcerpt {
    /// The excerpt of `file` that shows `span`; a span that goes beyond the file is cut.
    pub fn new(file: &SourceFile, span: Span) -> Self {
        let start = span.start.min(file.text.len());
        let line_start = file.line_start(start);
        let line = trim_line_end(&file.text[line_start..file.line_end(start)]);
        // A span may begin in the line's end itself, or end on a later line.
        let marked_start = (start - line_start).min(line.len());
        let marked_end = span.end.saturating_sub(line_start).clamp(marked_start, line.len());

        let mut text = String::from_utf8_lossy(&line[..marked_start]).into_owned();
        let shown_start = text.len();
        text.push_str(&String::from_utf8_lossy(&line[marked_start..marked_end]));
        let shown_end = text.len();
        text.push_str(&String::from_utf8_lossy(&line[marked_end..]));
        let (path, line) = (file.path_of(start).display().to_string(), file.line_of(start));
        Self { path, line, text, marked: shown_start..shown_end }
    }

    /// The 1-based number of the line.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The excerpt with a caret under its marked part, to be rendered.
    pub fn snippet(&self) -> Snippet<'_, Annotation<'_>> {
        Snippet::source(self.text.as_str())
            .line_start(self.line)
            .path(self.path.as_str())
            .annotation(AnnotationKind::Primary.span(self.marked.clone()))
    }
}

fn trim_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::ir::FileId;

    fn file(text: &[u8]) -> SourceFile {
        SourceFile::new("a.f90", text.to_vec(), Default::default())
    }

    fn span(start: usize, end: usize) -> Span {
        Span { file: FileId(0), start, end }
    }

    #[test]
    fn shows_the_first_line_of_a_span() {
        let excerpt = SourceExcerpt::new(&file(b"one\r\ncall f(a, &\r\n  b)\r\n"), span(5, 23));
        assert_eq!(excerpt.line(), 2);
        assert_eq!(excerpt.text, "call f(a, &");
        assert_eq!(excerpt.marked, 0..11);
    }

    #[test]
    fn marks_the_right_part_behind_bytes_that_are_not_utf8() {
        let excerpt = SourceExcerpt::new(&file(b"x = '\xe4\xf6' ; call f\n"), span(11, 17));
        assert_eq!(&excerpt.text[excerpt.marked.clone()], "call f");
    }

    #[test]
    fn cuts_spans_beyond_the_file() {
        let excerpt = SourceExcerpt::new(&file(b"end"), span(90, 95));
        assert_eq!((excerpt.line(), excerpt.text.as_str(), excerpt.marked), (1, "end", 3..3));
        let empty = SourceExcerpt::new(&file(b""), span(0, 4));
        assert_eq!((empty.line(), empty.marked), (1, 0..0));
    }
}
