//! Fixed form (Fortran 2018, 6.3.3) as free form of the same length.
//!
//! Every statement becomes one line: line ends, continuation marks, comments and sequence numbers between its lines are
//! blanks, and its tokens stay where they are. So a position in the result is a position in the file, and nothing behind
//! this pass has to know of fixed form. Blanks mean nothing there: a token that has blanks in it, or goes on on the next
//! line, is moved together, and tokens that free form must keep apart move to the left where they leave room. What was
//! moved is remembered, so that spans are those of the file.

mod keywords;
mod placement;
mod tokens;

use std::ops::Range;

pub use self::keywords::beginnings_of_names;
use self::placement::place;
use self::tokens::{FixedToken, tokenize};
use super::directives::{self, Directive};
use crate::source_layout::{FixedLine, FixedLineKind, fixed_line};

/// A token that does not stand in the result where it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedToken {
    /// Its bytes in the result.
    pub to: Range<usize>,
    /// Its bytes in the file, with what lies between its parts.
    pub from: Range<usize>,
}

/// A file as free form that holds each token in one piece.
#[derive(Debug, Default)]
pub struct FreeForm {
    /// As long as the file.
    pub text: Vec<u8>,
    /// What was moved, in order.
    pub moved: Vec<MovedToken>,
    /// Directives between the lines of a statement, which the result does not show, with what they are.
    pub directives: Vec<(Range<usize>, Directive)>,
    /// Statements that can't be read, with the reason.
    pub unreadable: Vec<(Range<usize>, String)>,
}

/// The lines of a statement.
#[derive(Default)]
struct OpenStatement {
    lines: Vec<FixedLine>,
    /// Comments and blank lines behind its last line so far.
    comments: Vec<Range<usize>>,
    /// A preprocessor line stands behind its last line so far.
    at_directive: bool,
    /// A preprocessor line stands between its lines.
    interrupted: bool,
}

/// Brings `text`, whose lines end with a line feed, into free form. Where the compiler takes lines with a D in column 1 for
/// statements (`compiles_debug_lines`), each of them can't be read.
pub(super) fn to_free_form(text: &[u8], columns: usize, compiles_debug_lines: bool) -> FreeForm {
    let blank = |byte: &u8| if *byte == b'\n' { b'\n' } else { b' ' };
    let mut form = FreeForm { text: text.iter().map(blank).collect(), ..FreeForm::default() };
    let mut open = OpenStatement::default();
    let mut start = 0;
    while start < text.len() {
        let line = fixed_line(text, start, columns);
        let next = line.end + 1;
        match line.kind {
            FixedLineKind::Comment if compiles_debug_lines && matches!(text[start], b'd' | b'D') => {
                form.debug_line(text, &line);
            }
            FixedLineKind::Comment => {
                form.comment(text, start..line.end);
                open.comments.push(start..line.end);
            }
            FixedLineKind::Preprocessor => {
                let mut end = line.end;
                while end < text.len() && text[..end].ends_with(b"\\") {
                    end = fixed_line(text, end + 1, columns).end;
                }
                form.text[start..end].copy_from_slice(&text[start..end]);
                open.at_directive = true;
                start = end + 1;
                continue;
            }
            FixedLineKind::Continuation if !open.lines.is_empty() => {
                open.interrupted |= open.at_directive;
                if !open.interrupted {
                    form.join(text, &open, &line);
                }
                open.comments.clear();
                open.at_directive = false;
                open.lines.push(line);
            }
            FixedLineKind::Continuation => {
                let range = line.field.start.min(line.end)..line.end;
                form.text[range.clone()].copy_from_slice(&text[range.clone()]);
                form.unreadable.push((range, "a continuation line that continues nothing".to_string()));
            }
            FixedLineKind::Initial => {
                form.statement(text, std::mem::take(&mut open));
                open.lines.push(line);
            }
        }
        start = next;
    }
    form.statement(text, open);
    form.moved.sort_by_key(|moved| moved.to.start);
    form.unreadable.sort_by_key(|(range, _)| range.start);
    form
}

impl FreeForm {
    /// The place in the file where what begins at `offset` of the result begins.
    pub fn start_in_file(&self, offset: usize) -> usize {
        let index = self.moved.partition_point(|moved| moved.to.end <= offset);
        match self.moved.get(index) {
            Some(moved) if moved.to.start <= offset => {
                (moved.from.start + (offset - moved.to.start)).min(moved.from.end)
            }
            _ => offset,
        }
    }

    /// The place in the file where what ends at `offset` of the result ends.
    pub fn end_in_file(&self, offset: usize) -> usize {
        let index = self.moved.partition_point(|moved| moved.to.end < offset);
        match self.moved.get(index) {
            Some(moved) if moved.to.end == offset => moved.from.end,
            Some(moved) if moved.to.start < offset => {
                (moved.from.start + (offset - moved.to.start)).min(moved.from.end)
            }
            _ => offset,
        }
    }

    /// A comment line begins with an exclamation mark.
    fn comment(&mut self, text: &[u8], line: Range<usize>) {
        let blanks = text[line.clone()].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let comment = line.start + blanks..line.end;
        if comment.is_empty() {
            return;
        }
        self.text[comment.clone()].copy_from_slice(&text[comment.clone()]);
        self.text[comment.start] = b'!';
        // `!$` and a line of a statement behind it: compiled under OpenMP.
        let is_conditional = blanks == 0 && text[comment.clone()].get(1) == Some(&b'$') && {
            let rest = &text[(comment.start + 2).min(comment.end)..(comment.start + 5).min(comment.end)];
            let statement = &text[(comment.start + 5).min(comment.end)..comment.end];
            rest.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace())
                && rest.len() == 3
                && !statement.iter().all(u8::is_ascii_whitespace)
                || rest.first() == Some(&b'\t')
        };
        if is_conditional {
            self.directives.push((comment, Directive::OpenMpLine));
        }
    }

    /// A line that is a statement, or a part of one, for this compiler.
    fn debug_line(&mut self, text: &[u8], line: &FixedLine) {
        let range = line.field.start.min(line.end)..line.end;
        self.text[range.clone()].copy_from_slice(&text[range.clone()]);
        self.text[range.clone()].iter_mut().filter(|byte| **byte == b'&').for_each(|byte| *byte = b' ');
        self.unreadable.push((range, "a line for debugging, which the compiler's flags make a statement".to_string()));
    }

    /// Lets the open statement go on on `line`: nothing but blanks between.
    fn join(&mut self, text: &[u8], open: &OpenStatement, line: &FixedLine) {
        for comment in &open.comments {
            let blanks = self.text[comment.clone()].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if let Some(what) = directives::directive(&self.text[comment.start + blanks..comment.end]) {
                self.directives.push((comment.clone(), what));
            }
        }
        let Some(last) = open.lines.last() else { return };
        // The trailing comment of the last line goes with it.
        if let Some(mark) = text[last.field.start..last.end].iter().position(|&byte| byte == b'!') {
            let comment = last.field.start + mark..last.end;
            if let Some(what) = directives::directive(&text[comment.clone()]) {
                self.directives.push((comment, what));
            }
        }
        self.text[last.end..line.field.start.min(line.end)].fill(b' ');
    }

    /// Writes a statement.
    fn statement(&mut self, text: &[u8], open: OpenStatement) {
        let (Some(first), Some(last)) = (open.lines.first(), open.lines.last()) else { return };
        let label = &text[first.label.clone()];
        let whole = first.label.start..last.field.end;
        if let Some(why) = problem_of_label(label) {
            self.unreadable_statement(text, &open, whole, why);
            return;
        }
        if open.interrupted {
            self.unreadable_statement(text, &open, whole, "a preprocessor line divides this statement".to_string());
            return;
        }
        let tokenized = match tokenize(text, &open.lines) {
            Ok(tokenized) => tokenized,
            Err(why) => {
                self.unreadable_statement(text, &open, whole, why);
                return;
            }
        };
        if tokenized.tokens.iter().any(|token| token.is_symbol("&")) {
            self.unreadable_statement(text, &open, whole, "unexpected character `&`".to_string());
            return;
        }
        self.text[first.label.clone()].copy_from_slice(label);
        let tokens: Vec<FixedToken> = keywords::regroup(tokenized.tokens);
        let digits = label.iter().rposition(u8::is_ascii_digit);
        let room = digits.map_or(first.label.start, |last| first.label.start + last + 2);
        if !place(&tokens, room, &mut self.text, &mut self.moved) {
            self.unreadable_statement(text, &open, whole, "tokens that nothing separates".to_string());
            return;
        }
        if let Some(comment) = tokenized.comment {
            self.text[comment.clone()].copy_from_slice(&text[comment]);
        }
    }

    /// A statement that stays as it is in the file, and is not read. Its first line alone tells what it begins.
    fn unreadable_statement(&mut self, text: &[u8], open: &OpenStatement, whole: Range<usize>, why: String) {
        for line in open.lines.iter().take(1) {
            self.text[line.field.clone()].copy_from_slice(&text[line.field.clone()]);
            // It would continue the line in free form.
            self.text[line.field.clone()].iter_mut().filter(|byte| **byte == b'&').for_each(|byte| *byte = b' ');
        }
        self.unreadable.push((whole, why));
    }
}

fn problem_of_label(label: &[u8]) -> Option<String> {
    let is_label = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_whitespace();
    if !label.iter().all(is_label) {
        return Some("columns 1 to 5 hold something that is no label (is the file in free form?)".to_string());
    }
    let mut parts = label.split(u8::is_ascii_whitespace).filter(|part| !part.is_empty());
    let _ = parts.next();
    parts.next().map(|_| "a label with blanks in it".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_layout::STANDARD_COLUMNS;

    fn free(text: &str) -> String {
        let form = to_free_form(text.as_bytes(), STANDARD_COLUMNS, false);
        assert_eq!(form.text.len(), text.len());
        assert!(form.unreadable.is_empty(), "{:?}", form.unreadable);
        String::from_utf8(form.text).unwrap()
    }

    /// The lines without the blanks around them.
    fn lines(text: &str) -> Vec<String> {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        free(text).lines().map(words).filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn statements_become_one_line_and_stay_in_their_place() {
        let text = "C     a comment\n      call f(a, ! first\n* between\n\n     &  b)  ! last\n 10   x = 1\n";
        let found = free(text);
        assert!(found.starts_with("!     a comment\n      call f(a,"), "{found}");
        assert_eq!(found.find("b)"), text.find("b)"));
        assert_eq!(found.lines().count(), 3);
        assert!(found.contains("b)  ! last\n 10   x = 1\n"), "{found}");
    }

    #[test]
    fn what_lies_behind_the_last_column_is_not_there() {
        let text = format!("{:72}00010\n{:72}00020\n", "      x = 1", "      y = 2");
        assert_eq!(lines(&text), ["x = 1", "y = 2"]);
        let wide = to_free_form(text.as_bytes(), 132, false);
        assert!(wide.unreadable.is_empty());
        assert!(String::from_utf8(wide.text).unwrap().contains("00010"));
    }

    #[test]
    fn names_and_numbers_that_are_split_are_moved_together() {
        let cut = format!("      {}call mpi_re\n     &cv(buffer)\n", " ".repeat(55));
        assert_eq!(cut.lines().next().unwrap().len(), 72);
        assert_eq!(lines(&cut), ["call mpi_recv (buffer)"]);
        let form = to_free_form(cut.as_bytes(), STANDARD_COLUMNS, false);
        let at = String::from_utf8(form.text.clone()).unwrap().find("mpi_recv").unwrap();
        let span = form.start_in_file(at)..form.end_in_file(at + "mpi_recv".len());
        assert_eq!(&cut[span], "mpi_re\n     &cv");
        // Blanks mean nothing between the lines either.
        assert_eq!(lines("      call mpi_re\n     &   cv(buffer)\n"), ["call mpi_recv (buffer)"]);
        assert_eq!(lines("      x = al pha + 1 000 . eq . 2. 5 d0\n"), ["x = alpha + 1000 .eq. 2.5d0"]);
    }

    #[test]
    fn keywords_without_blanks_are_taken_apart() {
        for (fixed, expected) in [
            ("DO10I=1,N", "DO 10 I=1,N"),
            ("DO 10I=1,N", "DO 10 I=1,N"),
            ("DO10I=1.5", "DO10I=1.5"),
            ("DO 10 I = 1", "DO10I = 1"),
            ("IF(A.EQ.B)GOTO10", "IF(A.EQ.B)GOTO 10"),
            ("IF (A) GO TO 10", "IF (A) GO TO 10"),
            ("CALLMPI_SEND(A)", "CALL MPI_SEND(A)"),
            ("INTEGERI,J", "INTEGER I,J"),
            ("REAL*8A(5)", "REAL*8 A(5)"),
            ("IMPLICITREAL*8(A-H,O-Z)", "IMPLICIT REAL*8(A-H,O-Z)"),
            ("ELSEIF(A)THEN", "ELSEIF(A)THEN"),
            ("ENDIF", "ENDIF"),
            ("SUBROUTINEFOO(A)", "SUBROUTINE FOO(A)"),
            ("CALLER = 1", "CALLER = 1"),
            ("CALL FOO BAR(A B, C)", "CALL FOOBAR (AB , C)"),
            ("A = B ** C // D", "A = B ** C // D"),
            ("IF (DO 5 I .GT. 1) A B = 3", "IF (DO5I .GT. 1) AB = 3"),
            ("REALFUNCTION F(X)", "REAL FUNCTION F(X)"),
            ("DOUBLE PRECISION FUNCTION F(X)", "DOUBLE PRECISION FUNCTION F(X)"),
            ("INTEGER I, J", "INTEGER I, J"),
            ("FUNCTION FOO(I)", "FUNCTION FOO(I)"),
            ("END", "END"),
        ] {
            assert_eq!(lines(&format!("      {fixed}\n")), [expected], "{fixed}");
        }
    }

    #[test]
    fn literals_keep_what_they_hold() {
        assert_eq!(lines("      x = 'a ! b' // \"c\"\n"), ["x = 'a ! b' // \"c\""]);
        let text = "      write (*,*) 'one\n     & two', x\n";
        assert_eq!(lines(text).len(), 1);
        assert!(lines(text)[0].ends_with("', x"), "{:?}", lines(text));
    }

    #[test]
    fn hollerith_constants_are_no_names() {
        assert_eq!(lines("      data a /5HAB'CD/, b /1H!/\n"), ["data a /'AB CD'/, b /'!'/"]);
        assert_eq!(lines("      call f(3HA,B, 4HC(D))\n"), ["call f('A,B', 'C(D)')"]);
        assert_eq!(lines("      real*8 h, x\n"), ["real*8 h, x"]);
    }

    #[test]
    fn formats_say_nothing() {
        let found = lines(" 10   format(1x, 5hX),'(, i3)\n");
        assert!(found[0].starts_with("10 format("), "{found:?}");
        assert!(!found[0].contains('\''), "{found:?}");
        assert_eq!(lines(" 11   format(A)\n 12   format ()\n"), ["11 format(a)", "12 format ()"]);
    }

    #[test]
    fn sentinels_are_found() {
        let text = "      x = 1 +\n!$   &  y +\nC$OMP PARALLEL\n     &  z\n*$    x = 2\n";
        let form = to_free_form(text.as_bytes(), STANDARD_COLUMNS, false);
        let found: Vec<Directive> = form.directives.iter().map(|&(_, found)| found).collect();
        assert!(found.contains(&Directive::OpenMp), "{found:?}");
        assert_eq!(found.iter().filter(|found| **found == Directive::OpenMpLine).count(), 3, "{found:?}");
    }

    #[test]
    fn what_can_not_be_read_is_said() {
        for text in ["     & x\n", "abc   x = 1\n", "      x = 'open\n      y = 1\n", "1 2   x = 1\n"] {
            let form = to_free_form(text.as_bytes(), STANDARD_COLUMNS, false);
            assert_eq!(form.unreadable.len(), 1, "{text}");
        }
        let text = "      call f(a,\n#ifdef X\n     &  b,\n#endif\n     &  c)\n      x = 1\n";
        let form = to_free_form(text.as_bytes(), STANDARD_COLUMNS, false);
        assert_eq!(form.unreadable.len(), 1);
        assert!(text[form.unreadable[0].0.clone()].ends_with("c)"));
    }

    #[test]
    fn tabs_lead_to_the_statement_field() {
        assert_eq!(lines("10\tx = 1 +\n\t1 y\n\tz = 3\n"), ["10 x = 1 + y", "z = 3"]);
    }
}
