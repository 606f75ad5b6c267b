//! Lines of Fortran: indentation, continuation, the file's own line ends. Free form is here, fixed form in
//! [`super::fixed_lines`].

use super::fixed_lines;
use crate::ir::{Anchors, SourceFile, Span};
use crate::source_layout::{SourceLayout, joined_fixed};

/// The longest line of standard Fortran before 2023 (section 6.3.2.1 of Fortran 2018).
const MAXIMUM_COLUMNS: usize = 132;
/// Where we break: long lines are legal but hard to read.
pub const PREFERRED_COLUMNS: usize = 110;
/// One level of nesting.
pub const NESTED_MARGIN: &str = "   ";

/// The white space before the statement at `offset`; a label in front of it counts as white space.
pub fn indentation_of(file: &SourceFile, offset: usize) -> String {
    if let SourceLayout::Fixed { columns } = file.layout {
        return fixed_lines::margin_at(fixed_lines::column_of(file, offset, columns));
    }
    let start = file.line_start(offset);
    file.text[start..offset].iter().map(|&byte| if byte == b'\t' { '\t' } else { ' ' }).collect()
}

/// The line starts at which the lines of `start..end` can be moved one level deeper; none if a line would become too long
/// or is more than its statement (a preprocessor line, text in quotes that goes on on the next line).
pub fn deeper_margins(file: &SourceFile, start: usize, end: usize) -> Vec<usize> {
    if let SourceLayout::Fixed { columns } = file.layout {
        return fixed_lines::deeper_margins(file, start, end, columns);
    }
    let mut offsets = Vec::new();
    let mut offset = file.whole_line_start(start);
    while offset < end {
        let next = file.whole_line_end(offset);
        let line = String::from_utf8_lossy(&file.text[offset..next]);
        let line = line.trim_end();
        let code = strip_comment(line).trim_end();
        let is_open_quote = code.ends_with('&') && code.matches(['\'', '"']).count() % 2 == 1;
        if line.len() + NESTED_MARGIN.len() > MAXIMUM_COLUMNS || line.starts_with('#') || is_open_quote {
            return Vec::new();
        }
        if !line.is_empty() {
            offsets.push(offset);
        }
        offset = next;
    }
    offsets
}

/// The place behind the last line of code before `offset`, not before `first`: blank lines and comments in between belong
/// to what follows.
pub fn behind_last_code_line(file: &SourceFile, first: usize, offset: usize) -> usize {
    let mut place = file.whole_line_start(offset);
    while place > first {
        let previous = file.whole_line_start(place - 1);
        let line = String::from_utf8_lossy(&file.text[previous..place]);
        let line = line.trim();
        let says_nothing = match file.layout {
            SourceLayout::Free => line.is_empty() || line.starts_with('!'),
            SourceLayout::Fixed { columns } => fixed_lines::is_comment_line(file, previous, columns),
        };
        if !says_nothing || previous < first {
            break;
        }
        place = previous;
    }
    place
}

/// The place behind the declarations at these anchors, and the margin of the last of them: where more declarations go.
pub fn behind_declarations(file: &SourceFile, anchors: &Anchors) -> (usize, String) {
    let place = behind_last_code_line(file, anchors.imports, anchors.declarations);
    let last = file.text[..place].iter().rposition(|byte| !byte.is_ascii_whitespace()).unwrap_or(place);
    let line = file.line_start(last);
    let indent = file.text[line..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    (place, indentation_of(file, line + indent))
}

/// The text of `span` on one line.
pub fn text_of(file: &SourceFile, span: Span) -> String {
    match file.layout {
        SourceLayout::Free => joined(&file.spelling(span)),
        SourceLayout::Fixed { columns } => joined_fixed(&file.text, span.start..span.end, columns),
    }
}

/// The text of `span` on one line as it is spelled in the file, for people.
pub fn spelled_text_of(file: &SourceFile, span: Span) -> String {
    let is_spelled_otherwise = file.expansions().macros_within(&(span.start..span.end)).next().is_some();
    match file.layout {
        // In fixed form the columns would be others.
        SourceLayout::Free if is_spelled_otherwise => joined(&file.spelled(span.start..span.end)),
        _ => text_of(file, span),
    }
}

/// Where the replacement of a statement that ends at `end` ends.
pub fn replaced_end(file: &SourceFile, end: usize) -> usize {
    match file.layout {
        SourceLayout::Free => end,
        SourceLayout::Fixed { columns } => fixed_lines::replaced_end(file, end, columns),
    }
}

/// Where the line ends that goes on at `offset`, if nothing but marks of continuation lies in between:
///
/// ```fortran
/// if (rank > 0) &
///    call mpi_send(…)
/// ```
///
/// `None`, too, where there is no room for `room` more characters.
pub fn end_of_continued_line(file: &SourceFile, offset: usize, room: usize) -> Option<usize> {
    let text = &file.text;
    let start = file.line_start(offset);
    let above = text.get(..start.checked_sub(1)?)?;
    let (is_mark, above) = match file.layout {
        SourceLayout::Free => {
            let mark = text[start..offset].trim_ascii();
            (mark.is_empty() || mark == b"&", above.trim_ascii_end().strip_suffix(b"&")?)
        }
        SourceLayout::Fixed { .. } => {
            let mark = &text[start..offset];
            let is_mark = mark.len() >= 6
                && mark[..5].iter().all(|&byte| byte == b' ')
                && !b" 0\t".contains(&mark[5])
                && mark[6..].iter().all(|&byte| byte == b' ');
            (is_mark, above)
        }
    };
    let end = above.trim_ascii_end().len();
    let begin = file.line_start(end);
    let columns = match file.layout {
        SourceLayout::Free => usize::MAX,
        SourceLayout::Fixed { columns } => columns,
    };
    // On that line and no other, in front of no comment.
    let is_next = text[end..start].iter().filter(|&&byte| byte == b'\n').count() == 1;
    (is_mark && is_next && end - begin + room <= columns && text[begin..end].ends_with(b")")).then_some(end)
}

/// Source text of free form on one line: continuation marks, line ends and comments between them removed, other text unchanged.
fn joined(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_string();
    }
    let is_of_word = |byte: Option<char>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == '_');
    let mut result = String::new();
    // The last line ended with a mark right behind a name or a number.
    let mut may_go_on = false;
    for line in text.lines() {
        let line = strip_comment(line).trim();
        let behind_mark = line.strip_prefix('&');
        let line = behind_mark.unwrap_or(line);
        let goes_on = may_go_on && behind_mark.is_some_and(|rest| is_of_word(rest.chars().next()));
        let in_front_of_mark = line.strip_suffix('&');
        let code = in_front_of_mark.unwrap_or(line);
        if !code.is_empty() || in_front_of_mark.is_some() {
            may_go_on = in_front_of_mark.is_some_and(|rest| is_of_word(rest.chars().last()));
        }
        let code = code.trim();
        if !result.is_empty() && !code.is_empty() && !goes_on {
            result.push(' ');
        }
        result.push_str(code);
    }
    result
}

/// The line without its comment.
pub fn strip_comment(line: &str) -> &str {
    let mut quote = None;
    for (index, character) in line.char_indices() {
        match (quote, character) {
            (None, '!') => return &line[..index],
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
    }
    line
}

/// Lines under construction.
pub struct Lines<'a> {
    file: &'a SourceFile,
    margin: String,
    /// Columns of other text in front of the first line.
    taken: usize,
    lines: Vec<String>,
}

impl<'a> Lines<'a> {
    /// No lines yet; each will begin with `margin`.
    pub fn new(file: &'a SourceFile, margin: &str) -> Self {
        Self { file, margin: margin.to_string(), taken: margin.len(), lines: Vec::new() }
    }

    /// As [`Lines::new`], for the place of what begins at `offset`: its line may hold other text before it.
    pub fn in_place_of(file: &'a SourceFile, margin: &str, offset: usize) -> Self {
        let taken = match file.layout {
            SourceLayout::Free => margin.len(),
            SourceLayout::Fixed { columns } => fixed_lines::column_of(file, offset, columns),
        };
        Self { taken, ..Self::new(file, margin) }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Adds a statement.
    pub fn add(&mut self, statement: &str) {
        self.add_at("", statement);
    }

    /// Adds statements.
    pub fn add_all(&mut self, statements: Vec<String>) {
        statements.iter().for_each(|statement| self.add(statement));
    }

    /// Adds a statement one level deeper.
    pub fn add_nested(&mut self, statement: &str) {
        self.add_at(NESTED_MARGIN, statement);
    }

    /// Adds a statement or a comment this much deeper.
    pub fn add_deeper(&mut self, depth: usize, line: &str) {
        let nesting = NESTED_MARGIN.repeat(depth);
        if line.starts_with('!') {
            let margin = format!("{}{nesting}", self.margin);
            let outer = std::mem::replace(&mut self.margin, margin);
            self.add_comment(line);
            self.margin = outer;
        } else {
            self.add_at(&nesting, line);
        }
    }

    /// Adds a comment, cut where it would not fit on its line.
    pub fn add_comment(&mut self, comment: &str) {
        let columns = match self.file.layout {
            SourceLayout::Fixed { columns } => columns.min(PREFERRED_COLUMNS),
            SourceLayout::Free => PREFERRED_COLUMNS,
        };
        let room = columns.saturating_sub(self.margin.len()).max(if self.margin.len() > 36 { 40 } else { 36 });
        let mut line = self.margin.clone();
        if comment.chars().count() > room {
            line.extend(comment.chars().take(room - 3));
            line.push_str("...");
        } else {
            line.push_str(comment);
        }
        self.lines.push(line);
    }

    /// Puts a label in front of the first statement, in the column `column` (from 0) if its margin reaches so far.
    pub fn label_first_statement(&mut self, label: &str, column: usize) {
        let Some(line) = self.lines.iter_mut().find(|line| !line.trim_start().starts_with('!')) else { return };
        let margin = line.len() - line.trim_start().len();
        let column = if column + label.len() < margin { column } else { 0 };
        if label.len() < margin {
            line.replace_range(column..column + label.len(), label);
        } else {
            line.replace_range(..margin, &format!("{label} "));
        }
    }

    /// Adds a statement that stands behind `taken` columns of other text on its line.
    pub fn add_behind(&mut self, taken: usize, statement: &str) {
        let taken = if self.file.layout == SourceLayout::Free { taken } else { self.taken };
        self.add_wrapped(&self.margin.clone(), taken, statement);
    }

    fn add_at(&mut self, nesting: &str, statement: &str) {
        let margin = format!("{}{nesting}", self.margin);
        let taken = if self.lines.is_empty() && nesting.is_empty() { self.taken } else { margin.len() };
        self.add_wrapped(&margin, taken, statement);
    }

    fn add_wrapped(&mut self, margin: &str, taken: usize, statement: &str) {
        if let SourceLayout::Fixed { columns } = self.file.layout {
            let mut lines = fixed_lines::wrapped(statement, margin, taken, columns).into_iter();
            self.lines.extend(lines.next().map(|first| format!("{margin}{first}")));
            self.lines.extend(lines);
            return;
        }
        let mut taken = taken;
        let continued_margin = format!("{margin}     ");
        let mut rest = statement.to_string();
        let mut current_margin = margin.to_string();
        loop {
            let room = PREFERRED_COLUMNS.saturating_sub(taken).max(40);
            let break_at = (rest.len() > room).then(|| break_position(&rest, room)).flatten();
            let Some(break_at) = break_at else {
                self.lines.push(format!("{current_margin}{rest}"));
                return;
            };
            self.lines.push(format!("{current_margin}{} &", rest[..break_at].trim_end()));
            rest = rest[break_at..].trim_start().to_string();
            current_margin.clone_from(&continued_margin);
            taken = continued_margin.len();
        }
    }

    /// The lines as they are inserted before the line that begins at `offset`.
    pub fn as_inserted_lines(&self, offset: usize) -> String {
        let feed = self.file.line_feed();
        let text: String = self.lines.iter().map(|line| format!("{line}{feed}")).collect();
        let follows_open_line = offset > 0 && self.file.text.get(offset - 1) != Some(&b'\n');
        if follows_open_line && !text.is_empty() { format!("{feed}{text}") } else { text }
    }

    /// The lines as they stand in the place of a statement whose margin is in the text already.
    pub fn as_statements(&self) -> String {
        let joined = self.lines.join(self.file.line_feed());
        joined.strip_prefix(&self.margin).map_or_else(|| joined.clone(), str::to_string)
    }
}

/// The last place at or before `room` bytes where the statement can be broken: behind a comma outside of quotes; where
/// there is none, the first one that still fits the longest legal line. A line that would be longer is broken at a blank.
fn break_position(statement: &str, room: usize) -> Option<usize> {
    let mut quote = None;
    let mut best = None;
    let mut blank = None;
    let longest = room + (MAXIMUM_COLUMNS - PREFERRED_COLUMNS);
    let first = statement.len() - statement.trim_start().len();
    for (index, character) in statement.char_indices() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, ',') => {
                if index + 1 > room {
                    return best.or((index + 1 < MAXIMUM_COLUMNS).then_some(index + 1)).or(blank);
                }
                best = Some(index + 1);
            }
            (None, ' ') if (first + 1..room).contains(&index) => blank = Some(index),
            _ => {}
        }
    }
    best.or(blank.filter(|_| statement.len() > longest)).filter(|&position| position < statement.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> SourceFile {
        SourceFile::new("a.f90", text.as_bytes().to_vec(), Default::default())
    }

    #[test]
    fn joins_continued_text_and_drops_comments_inside() {
        assert_eq!(joined("a + & ! first\n   & b"), "a + b");
        assert_eq!(joined("'it''s ! not a comment', &\n b"), "'it''s ! not a comment', b");
        assert_eq!(joined("fie& ! first\n\n ! second\n  &ld(1&\n&2) + a &\n &* b"), "field(12) + a * b");
    }

    #[test]
    fn conditions_end_where_only_marks_follow() {
        let fixed = SourceLayout::Fixed { columns: 20 };
        let end_of = |text: &str, layout: SourceLayout| {
            let source = SourceFile::new("a.f", text.as_bytes().to_vec(), layout);
            let end = end_of_continued_line(&source, text.find("call").expect("there is a call"), 5)?;
            Some(text[..end].to_owned())
        };
        let free = SourceLayout::Free;
        assert_eq!(end_of("if (a(1) > 0) & \n    call s", free).as_deref(), Some("if (a(1) > 0)"));
        assert_eq!(end_of("if (a(1) > 0)&\r\n&call s", free).as_deref(), Some("if (a(1) > 0)"));
        for text in
            ["if (a) call s", "x = 1\ncall s", "if (a) & ! b\n call s", "if (a) &\n\n call s", "if (a &\n ) call s"]
        {
            assert_eq!(end_of(text, free), None, "{text}");
        }
        assert_eq!(end_of("      if (a)\n     &call s", fixed).as_deref(), Some("      if (a)"));
        for text in
            ["      if (a)\nc\n     &call s", "      if (a)\n      call s", "      if (.not. a)\n     1  call s"]
        {
            assert_eq!(end_of(text, fixed), None, "{text}");
        }
    }

    #[test]
    fn breaks_long_statements_behind_commas_only() {
        let source = file("x\n");
        let mut lines = Lines::new(&source, "  ");
        let argument = "quite_a_long_argument_name";
        lines.add(&format!("call something({})", [argument; 8].join(", ")));
        let text = lines.as_inserted_lines(0);
        assert!(text.lines().count() > 1);
        assert!(text.lines().all(|line| line.len() <= MAXIMUM_COLUMNS));
        assert!(text.lines().rev().skip(1).all(|line| line.ends_with(", &") || line.ends_with(",&")), "{text}");
        assert_eq!(joined(text.trim()), format!("call something({})", [argument; 8].join(", ")));
    }

    #[test]
    fn breaks_statements_without_commas_at_blanks_where_they_would_be_too_long() {
        let source = file("x\n");
        let broken = |statement: &str| {
            let mut lines = Lines::new(&source, "  ");
            lines.add(statement);
            lines.as_inserted_lines(0)
        };
        let sum = format!("if (first_operand == {}) then", ["another_operand"; 9].join(" + "));
        let text = broken(&sum);
        assert!(text.lines().count() > 1 && text.lines().all(|line| line.len() <= MAXIMUM_COLUMNS), "{text}");
        assert_eq!(joined(text.trim()), sum);
        let legal = format!("total = {}", ["another_operand"; 6].join(" + "));
        assert_eq!(broken(&legal), format!("  {legal}\n"));
    }

    #[test]
    fn keeps_the_line_ends_of_the_file() {
        let source = file("a\r\nb\r\n");
        let mut lines = Lines::new(&source, "");
        lines.add("continue");
        assert_eq!(lines.as_inserted_lines(0), "continue\r\n");
    }

    #[test]
    fn begins_a_new_line_behind_a_last_line_without_end() {
        let source = file("end");
        let mut lines = Lines::new(&source, "");
        lines.add("continue");
        assert_eq!(lines.as_inserted_lines(3), "\ncontinue\n");
    }
}
