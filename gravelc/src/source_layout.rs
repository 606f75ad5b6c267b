//! How the lines of a source file are laid out: free form, or fixed form with its columns (Fortran 2018, 6.3.2, 6.3.3).
//!
//! The front end reads by it and the emitter writes by it; nothing here knows what a statement means.

use std::ops::Range;

/// The columns of standard fixed form.
pub const STANDARD_COLUMNS: usize = 72;

/// The layout of a file's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SourceLayout {
    /// Statements begin anywhere.
    #[default]
    Free,
    /// Columns 1 to 5 hold a label, column 6 marks a continuation line, and what lies behind `columns` is a comment.
    Fixed {
        /// The last column of the statement field; [`usize::MAX`] where lines have no end.
        columns: usize,
    },
}

/// What a line of fixed form is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixedLineKind {
    /// A comment or a blank line.
    Comment,
    /// A line of the preprocessor.
    Preprocessor,
    /// The first line of a statement.
    Initial,
    /// A further line of a statement.
    Continuation,
}

/// A line of fixed form by its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedLine {
    /// What it is.
    pub kind: FixedLineKind,
    /// Columns 1 to 5.
    pub label: Range<usize>,
    /// From column 7 to the last column that counts.
    pub field: Range<usize>,
    /// How many columns the field lacks up to the last one: in a character literal they are blanks.
    pub missing: usize,
    /// The end of the line, the line feed not included.
    pub end: usize,
}

/// Is the line nothing but a comment?
pub fn is_comment_line(line: &[u8], layout: SourceLayout) -> bool {
    match layout {
        SourceLayout::Free => line.trim_ascii_start().starts_with(b"!"),
        SourceLayout::Fixed { columns } => fixed_line(line, 0, columns).kind == FixedLineKind::Comment,
    }
}

/// Is the line a directive for compilers (`!dir$ ivdep`, `c$omp do`), or one of the preprocessor? A comment is one if a `$`
/// follows its sign with no more than a few letters in between.
pub fn is_for_compilers(line: &[u8], layout: SourceLayout) -> bool {
    const LONGEST_SENTINEL: usize = 6;
    let line = line.trim_ascii();
    let behind_sign = match line {
        [b'#', ..] => return true,
        [_, behind @ ..] if is_comment_line(line, layout) => behind,
        _ => return false,
    };
    let letters = behind_sign.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    letters <= LONGEST_SENTINEL && behind_sign.get(letters) == Some(&b'$')
}

/// The line of `text` that begins at `start`. A tab in columns 1 to 6 leads to column 7, and a digit other than zero behind
/// it marks a continuation line, as compilers have it; behind column 6 a tab is one column.
pub fn fixed_line(text: &[u8], start: usize, columns: usize) -> FixedLine {
    let end = text[start..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |length| start + length);
    let code_end = if end > start && text[end - 1] == b'\r' { end - 1 } else { end };
    let line = &text[start..code_end];
    let first = line.iter().position(|byte| !byte.is_ascii_whitespace());
    let mut label_end = (start + 5).min(code_end);
    let mut field_start = (start + 6).min(code_end);
    let mut mark = line.get(5).copied().unwrap_or(b' ');
    if let Some(tab) = line.iter().take(6).position(|&byte| byte == b'\t') {
        label_end = (start + tab).min(start + 5);
        field_start = start + tab + 1;
        mark = b' ';
        if let Some(digit @ b'1'..=b'9') = line.get(tab + 1) {
            mark = *digit;
            field_start += 1;
        }
    }
    let is_blank = |range: Range<usize>| text[range].iter().all(u8::is_ascii_whitespace);
    let kind = match (first, line.first()) {
        (None, _) => FixedLineKind::Comment,
        (_, Some(b'#')) => FixedLineKind::Preprocessor,
        (_, Some(b'c' | b'C' | b'*' | b'!' | b'd' | b'D')) => FixedLineKind::Comment,
        (Some(first), _) if line[first] == b'!' && (first != 5 || field_start <= start + first) => {
            FixedLineKind::Comment
        }
        _ if is_blank(start..label_end) && !matches!(mark, b' ' | b'0' | b'\t') => FixedLineKind::Continuation,
        _ => FixedLineKind::Initial,
    };
    let width = columns.saturating_sub(6);
    let field_end = field_start.saturating_add(width).min(code_end).max(field_start);
    let missing = if columns == usize::MAX { 0 } else { width.saturating_sub(field_end - field_start) };
    FixedLine { kind, label: start..label_end, field: field_start..field_end, missing, end }
}

/// The text of `range`, which begins inside a statement of fixed form, as one line: line ends, comments and what lies
/// behind the last column left out, blanks as they are.
pub fn joined_fixed(text: &[u8], range: Range<usize>, columns: usize) -> String {
    let mut joined: Vec<u8> = Vec::new();
    let mut quote: Option<u8> = None;
    let mut line_start = text[..range.start].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
    let mut is_first = true;
    while line_start < range.end {
        let line = fixed_line(text, line_start, columns);
        if is_first || line.kind == FixedLineKind::Continuation {
            let from = if is_first { range.start.min(line.field.end) } else { line.field.start };
            let is_cut = scan_field(&text[from..line.field.end.min(range.end).max(from)], &mut quote, &mut joined);
            if quote.is_some() && range.end > line.end {
                joined.extend(std::iter::repeat_n(b' ', line.missing));
            } else if is_cut || range.end > line.end {
                // Blanks mean nothing between the lines of a statement, and one tells the words apart that are two.
                let blanks = joined.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
                joined.truncate(joined.len() - blanks);
                let is_full = line.missing == 0 && blanks == 0;
                joined.extend((!is_full).then_some(b' '));
            }
        }
        is_first = false;
        line_start = line.end + 1;
    }
    collapse_blanks(String::from_utf8_lossy(&joined).trim())
}

/// Appends a statement field up to its comment; was there one?
fn scan_field(field: &[u8], quote: &mut Option<u8>, joined: &mut Vec<u8>) -> bool {
    for &byte in field {
        match (*quote, byte) {
            (None, b'!') => return true,
            (None, b'\'' | b'"') => *quote = Some(byte),
            (Some(open), _) if open == byte => *quote = None,
            _ => {}
        }
        joined.push(byte);
    }
    false
}

/// Runs of blanks outside of quotes become one.
fn collapse_blanks(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut quote = None;
    for character in text.chars() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, ' ' | '\t') if result.ends_with(' ') => continue,
            (None, '\t') => {
                result.push(' ');
                continue;
            }
            _ => {}
        }
        result.push(character);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(line: &str) -> FixedLineKind {
        fixed_line(line.as_bytes(), 0, STANDARD_COLUMNS).kind
    }

    #[test]
    fn lines_are_told_apart_by_their_columns() {
        for line in ["C text", "c", "* text", "! text", "", "      ", "   ! text", "        ! text", "D     x = 1"] {
            assert_eq!(kind(line), FixedLineKind::Comment, "{line}");
        }
        for line in ["      x = 1", " 10   x = 1", "     0x = 1", "\tx = 1", "10\tx = 1", "     \tx = 1"] {
            assert_eq!(kind(line), FixedLineKind::Initial, "{line}");
        }
        for line in ["     &x", "     1x", "     !x", "     *", "\t1x", "  \t2x", "     $  y"] {
            assert_eq!(kind(line), FixedLineKind::Continuation, "{line}");
        }
        assert_eq!(kind("#ifdef X"), FixedLineKind::Preprocessor);
    }

    #[test]
    fn fields_end_at_the_last_column() {
        let text = format!("      {}SEQUENCE\r\n", "x".repeat(66));
        let line = fixed_line(text.as_bytes(), 0, STANDARD_COLUMNS);
        assert_eq!((line.field, line.missing, line.end), (6..72, 0, text.len() - 1));
        let line = fixed_line(text.as_bytes(), 0, usize::MAX);
        assert_eq!(line.field, 6..80);
        let line = fixed_line(b"10\tx = 1\n", 0, STANDARD_COLUMNS);
        assert_eq!((line.label, line.field, line.missing), (0..2, 3..8, 61));
    }

    #[test]
    fn statements_are_joined_as_compilers_read_them() {
        let join = |text: &str| joined_fixed(text.as_bytes(), 6..text.len(), STANDARD_COLUMNS);
        assert_eq!(join("      call f(a, ! one\nC two\n\n     &       b)"), "call f(a, b)");
        let split = format!("      call f({}\n     &d)", "a".repeat(59));
        assert_eq!(join(&split), format!("call f({}d)", "a".repeat(59)));
        let quoted = "      x = 'it''s ! so\n     &   much'";
        assert_eq!(join(quoted), format!("x = 'it''s ! so{}   much'", " ".repeat(72 - 21)));
    }
}
