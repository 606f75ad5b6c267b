//! Lines of fixed-form Fortran: the statement field, continuation lines, what lies behind the last column.

use crate::ir::SourceFile;
use crate::source_layout::{FixedLineKind, fixed_line};

use super::layout::{NESTED_MARGIN, PREFERRED_COLUMNS};

/// The widest margin: what is nested deeper still has room for its statements.
const WIDEST_MARGIN: usize = 36;

/// The margin of statements that stand beside one in column `column` (from 0).
pub fn margin_at(column: usize) -> String {
    " ".repeat(column.clamp(6, WIDEST_MARGIN))
}

/// The column, from 0, of the byte at `offset`, a tab in columns 1 to 6 leading to column 7.
pub fn column_of(file: &SourceFile, offset: usize, columns: usize) -> usize {
    let start = file.line_start(offset);
    let line = fixed_line(&file.text, start, columns);
    if offset >= line.field.start { 6 + (offset - line.field.start) } else { offset - start }
}

/// The lines of `statement`, the first of which stands behind `taken` columns of other text and gets no margin.
pub fn wrapped(statement: &str, margin: &str, taken: usize, columns: usize) -> Vec<String> {
    let columns = columns.min(PREFERRED_COLUMNS);
    let continued = format!("     &{}    ", margin.get(6..).unwrap_or_default());
    let mut lines: Vec<String> = Vec::new();
    let mut prefix = String::new();
    let mut taken = taken;
    let mut rest = statement;
    // The quote of a literal that the rest begins in.
    let mut open: Option<char> = None;
    loop {
        let room = columns.saturating_sub(taken);
        if rest.len() <= room {
            lines.push(format!("{prefix}{rest}"));
            return lines;
        }
        let is_fresh = !lines.is_empty();
        let position = match break_position(rest, room, open) {
            Some(position) => position,
            // What can't be broken begins a line of its own first, and is then cut where the line is full.
            None if !is_fresh => 0,
            None => floor_boundary(rest, room),
        };
        let (line, remainder) = rest.split_at(position);
        let is_full = line.len() == room;
        open = line.chars().fold(open, quote_behind);
        lines.push(format!("{prefix}{}", if is_full { line } else { line.trim_end() }));
        rest = if is_full || open.is_some() { remainder } else { remainder.trim_start() };
        // What goes on inside a literal begins in column 7.
        prefix = if open.is_some() { "     &".to_string() } else { continued.clone() };
        taken = prefix.len();
    }
}

fn floor_boundary(text: &str, room: usize) -> usize {
    (1..=room.min(text.len())).rev().find(|&index| text.is_char_boundary(index)).unwrap_or(text.len())
}

/// The quote of the literal that is open behind `character`, where `quote` is that of the one before it.
fn quote_behind(quote: Option<char>, character: char) -> Option<char> {
    match (quote, character) {
        (None, '\'' | '"') => Some(character),
        (Some(open), _) if open == character => None,
        _ => quote,
    }
}

/// The last place at or before `room` bytes where a line can end between two tokens, behind a comma if there is one in
/// the second half. The statement begins inside a literal if `quote` says so.
fn break_position(statement: &str, room: usize, mut quote: Option<char>) -> Option<usize> {
    let mut comma = None;
    let mut other = None;
    let mut previous = ' ';
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '.');
    let pairs = ["**", "//", "==", "/=", "<=", ">=", "=>", "::", "(/", "/)"];
    for (index, character) in statement.char_indices() {
        if index > room {
            break;
        }
        if index > 0 && quote.is_none() {
            let is_pair = pairs.iter().any(|pair| pair.starts_with(previous) && pair.ends_with(character));
            if previous == ',' {
                comma = Some(index);
            } else if !(is_pair || is_word(previous) && is_word(character) || matches!(character, '\'' | '"' | ' ')) {
                other = Some(index);
            }
        }
        quote = quote_behind(quote, character);
        previous = character;
    }
    comma.filter(|&comma| comma * 2 > room).or(other).or(comma)
}

/// Where the replacement of a statement that ends at `end` ends: what lies behind the last column of its last line goes
/// with it, for there is no telling which column it would move to.
pub fn replaced_end(file: &SourceFile, end: usize, columns: usize) -> usize {
    let line = fixed_line(&file.text, file.line_start(end), columns);
    let line_end = if line.end > end && file.text[line.end - 1] == b'\r' { line.end - 1 } else { line.end };
    let behind = &file.text[line.field.end.max(end).min(line_end)..line_end];
    let field = &file.text[end.min(line.field.end)..line.field.end];
    if field.iter().all(u8::is_ascii_whitespace) && !behind.iter().all(u8::is_ascii_whitespace) {
        // With it goes what the preprocessor puts behind it.
        let whole_end = file.whole_line_end(end);
        if whole_end > line.end + 1 { whole_end - file.line_feed().len() } else { line_end }
    } else {
        end
    }
}

/// The places behind column 6 of the lines of `start..end`, if all of them can be moved one level deeper.
pub fn deeper_margins(file: &SourceFile, start: usize, end: usize, columns: usize) -> Vec<usize> {
    let mut offsets = Vec::new();
    let mut offset = file.whole_line_start(start);
    while offset < end {
        let line = fixed_line(&file.text, offset, columns);
        match line.kind {
            FixedLineKind::Comment => {}
            FixedLineKind::Preprocessor => return Vec::new(),
            FixedLineKind::Initial | FixedLineKind::Continuation => {
                let field = &file.text[line.field.clone()];
                let quotes = field.iter().filter(|byte| matches!(byte, b'\'' | b'"')).count();
                let used = field.trim_ascii_end().len();
                let fits = used.saturating_add(NESTED_MARGIN.len()) <= columns - 6;
                let behind = !file.text[line.field.end..line.end].iter().all(u8::is_ascii_whitespace);
                let has_tab = file.text[offset..line.end].contains(&b'\t');
                if quotes % 2 == 1 || !fits || behind || has_tab || line.field.start != offset + 6 {
                    return Vec::new();
                }
                offsets.push(line.field.start);
            }
        }
        offset = file.whole_line_end(offset);
    }
    offsets
}

/// Is the line at `offset` blank or a comment?
pub fn is_comment_line(file: &SourceFile, offset: usize, columns: usize) -> bool {
    fixed_line(&file.text, offset, columns).kind == FixedLineKind::Comment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_layout::{SourceLayout, joined_fixed};

    fn file(text: &str) -> SourceFile {
        let layout = SourceLayout::Fixed { columns: 72 };
        SourceFile::new("a.f", text.as_bytes().to_vec(), layout)
    }

    fn as_text(statement: &str, margin: &str, taken: usize) -> String {
        let lines = wrapped(statement, margin, taken, 72);
        format!("{}{}\n", " ".repeat(taken), lines.join("\n"))
    }

    #[test]
    fn statements_fit_their_field_and_read_the_same() {
        let literal = "x".repeat(130);
        for statement in [
            "call gravel_post_rcv_buffer_rdma(buffer(1), count, mpi_double_precision, neighbour, tag, mpi_comm_world)",
            "a_rather_long_name_of_an_array(i, j) = another_long_name_of_an_array(i, j)**power + something_else(i)",
            &format!("call f('{literal}', 2)"),
            &format!("x = {}", "y".repeat(150)),
            "then",
        ] {
            for taken in [6, 30, 66, 71, 72] {
                let text = as_text(statement, "      ", taken);
                assert!(text.lines().all(|line| line.len() <= 72), "{text}");
                let squeeze = |text: &str| text.replace(' ', "");
                assert_eq!(squeeze(&joined_fixed(text.as_bytes(), 6..text.len(), 72)), squeeze(statement), "{text}");
            }
        }
    }

    #[test]
    fn literals_are_cut_only_where_the_line_is_full() {
        let statement = format!("call f('{}')", "ab cd ".repeat(30));
        let text = as_text(&statement, "      ", 6);
        let joined = joined_fixed(text.as_bytes(), 6..text.len(), 72);
        assert_eq!(joined.replace("f (", "f("), statement);
    }

    #[test]
    fn sequence_numbers_go_with_the_statement() {
        let text = format!("{:72}00010\n      y = 2 ! note\n", "      x = 1");
        let source = file(&text);
        assert_eq!(replaced_end(&source, 11, 72), 77);
        let end = text.find(" ! note").unwrap();
        assert_eq!(replaced_end(&source, end, 72), end);
    }

    #[test]
    fn lines_move_deeper_only_if_all_fit() {
        let text = " 10   do i = 1, 2\nC     text\n        x = i +\n     &    1\n      end do\n";
        assert_eq!(deeper_margins(&file(text), 6, text.len(), 72).len(), 4);
        let long = format!("      do i = 1, 2\n      {}\n      end do\n", "x".repeat(64));
        assert!(deeper_margins(&file(&long), 6, long.len(), 72).is_empty());
    }
}
