//! The lines of a file as the compiler's preprocessor reads them, before any condition is looked at.
//!
//! gfortran preprocesses Fortran as C was preprocessed before there was a standard for it, and knows no comments of Fortran. A
//! backslash at the end of a line, blanks aside, joins the next line to it; `/* … */` outside of quotes is not there, on
//! however many lines; a quote ends with its line; the arguments of a macro go on until their parenthesis is closed; a
//! directive has its `#` in column 1.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::conditions::Macro;
use super::includes::{Surroundings, quoted_name};
use super::lexer::{Lexed, LogicalStatement};
use crate::source_layout::SourceLayout;

/// A file as its preprocessor reads it.
#[derive(Debug, Default)]
pub struct PreprocessedLines {
    /// Its text, as long as the file. What is several lines of the file ends where the last of them ends.
    pub text: Vec<u8>,
    /// The line feeds of the file that end no line, in order.
    pub joined: Vec<usize>,
    /// Where something was taken out, in order.
    cuts: Vec<Cut>,
    /// Where in the text a comment of C stood inside of what has become one name, in order. To the preprocessor its parts are
    /// names of their own, each of which may be a macro.
    parted: Vec<usize>,
    /// What stands in quotes, as the preprocessor sees it, in order: no macro is replaced there.
    quoted: Vec<Range<usize>>,
    /// The lines of the file in which a lone carriage return ends a line, in order.
    with_returns: Vec<Range<usize>>,
    /// Calls of macros on more than one line.
    pub calls: Vec<MacroCall>,
    /// Where something begins that nothing ends: a comment of C, or arguments of a macro. Compilers refuse such a file, so
    /// nothing was taken out.
    pub unterminated: Option<usize>,
}

/// A macro with arguments that go on on the next line, if there is such a macro where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroCall {
    /// The macro.
    pub name: String,
    /// From its name on, in the file.
    pub range: Range<usize>,
}

/// Something that the preprocessor has taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Cut {
    /// All lines of the file that are one line with it.
    line: Range<usize>,
    /// Where in the text it is missing.
    at: usize,
    /// What stands behind on the line is not where it stands in the file.
    moves_rest: bool,
}

impl Cut {
    /// Does the statement hold what is missing, or stand elsewhere in the file?
    fn concerns(&self, statement: &LogicalStatement) -> bool {
        let last_begin = if self.moves_rest { self.line.end } else { self.at };
        statement.start < last_begin && statement.end > self.at
    }
}

impl PreprocessedLines {
    /// The statements that do not stand in the file as they stand in the text, by their numbers, with their places in the file.
    pub fn statements_cut(&self, lexed: &Lexed) -> Vec<(usize, Range<usize>)> {
        let mut found = Vec::new();
        for (number, statement) in lexed.statements.iter().enumerate() {
            let first = self.cuts.partition_point(|cut| cut.line.end <= statement.start);
            let near = self.cuts[first..].iter().take_while(|cut| cut.at < statement.end);
            let end = near.filter(|cut| cut.concerns(statement)).map(|cut| cut.line.end).max();
            let first = self.with_returns.partition_point(|line| line.end <= statement.start);
            let has_return = self.with_returns.get(first).is_some_and(|line| line.start < statement.end);
            if end.is_some() || has_return {
                found.push((number, statement.start..statement.end.max(end.unwrap_or_default())));
            }
        }
        found
    }

    /// The names that the preprocessor sees in a name of the text.
    pub fn parts_of_name(&self, name: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
        let first = self.parted.partition_point(|&place| place <= name.start);
        let inside = self.parted[first..].iter().copied().take_while(|&place| place < name.end);
        let ends: Vec<usize> = std::iter::once(name.start).chain(inside).chain([name.end]).collect();
        (1..ends.len()).map(move |number| ends[number - 1]..ends[number])
    }

    /// Does the preprocessor see a quote around what begins at `offset` of the text? Then no macro is replaced there.
    pub fn is_quoted(&self, offset: usize) -> bool {
        let index = self.quoted.partition_point(|quoted| quoted.end <= offset);
        self.quoted.get(index).is_some_and(|quoted| quoted.start <= offset)
    }
}

/// The macros that may take arguments, each with where that begins in a file.
pub type WithArguments = BTreeMap<String, usize>;

/// The macros that may take arguments somewhere in `original`, in a file that it includes, or from its beginning on.
pub(super) fn macros_with_arguments(original: &[u8], surroundings: &Surroundings) -> WithArguments {
    let known = surroundings.macros.known.iter();
    let mut found: WithArguments = known
        .filter(|(_, known)| matches!(known, Macro::WithArguments(_)))
        .map(|(name, _)| (name.clone(), 0))
        .collect();
    // Files that are still to be read, with the place where they are included.
    let mut pending = vec![(original.to_vec(), surroundings.clone(), None)];
    let mut seen = BTreeSet::new();
    while let Some((text, around, included_at)) = pending.pop() {
        // A comment of C may hold what looks like a definition, and stand in one.
        let text = preprocessed_lines(&text, SourceLayout::Free, &WithArguments::new()).text;
        let mut start = 0;
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let place = included_at.unwrap_or(start);
            start += line.len();
            let Some(directive) = line.trim_ascii_start().strip_prefix(b"#") else { continue };
            let directive = String::from_utf8_lossy(directive.trim_ascii()).into_owned();
            if let Some(definition) = directive.strip_prefix("define") {
                let (name, defined) = Macro::directive(definition.trim_start());
                if matches!(defined, Macro::WithArguments(_)) {
                    let first = found.entry(name).or_insert(place);
                    *first = place.min(*first);
                }
            } else if let Some((path, included)) =
                directive.strip_prefix("include").and_then(quoted_name).and_then(|name| around.find(&name))
                && seen.insert(path.clone())
            {
                let inside = around.inside(&path, &around.macros);
                pending.push((included, inside, Some(place)));
            }
        }
    }
    found
}

/// Reads the lines of `original`. `with_arguments` are the macros that may take arguments.
pub(super) fn preprocessed_lines(
    original: &[u8],
    layout: SourceLayout,
    with_arguments: &WithArguments,
) -> PreprocessedLines {
    let lines = PreprocessedLines { text: original.to_vec(), ..PreprocessedLines::default() };
    let mut reader = Reader { bytes: spliced(original), position: 0, begin: 0, layout, with_arguments, lines };
    // The last line of the file may be joined to nothing.
    while reader.position < reader.bytes.len() || reader.begin < original.len() {
        reader.line(original);
    }
    reader.lines
}

/// A byte of the file, and where it is.
type Placed = (u8, usize);

/// May it stand between a backslash and the line's end?
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\x0b' | b'\x0c' | b'\0')
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Is what follows in the replacement of a macro that this line defines? A comment of C parts no names there.
fn is_in_replacement(kept: &[Placed]) -> bool {
    let line: Vec<u8> = kept.iter().map(|&(byte, _)| byte).collect();
    let words = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start).and_then(|words| words.strip_prefix(b"define"));
    let name = words.filter(|words| words.first().is_some_and(|&byte| is_blank(byte))).map(<[u8]>::trim_ascii_start);
    name.is_some_and(|name| name.iter().any(|&byte| !is_of_name(byte)))
}

/// The bytes of the file without backslashes that join lines and what they join; each line ends with a line feed alone.
fn spliced(original: &[u8]) -> Vec<Placed> {
    let mut bytes: Vec<Placed> = Vec::with_capacity(original.len());
    // Where the line of the file begins.
    let mut start = 0;
    for (offset, &byte) in original.iter().enumerate() {
        if byte == b'\r' && original.get(offset + 1) == Some(&b'\n') {
            continue;
        }
        if byte != b'\n' && byte != b'\r' {
            bytes.push((byte, offset));
            continue;
        }
        let last = bytes[start..].iter().rposition(|&(byte, _)| !is_blank(byte)).map(|last| start + last);
        match last {
            Some(last) if bytes[last].0 == b'\\' => bytes.truncate(last),
            _ => bytes.push((b'\n', offset)),
        }
        start = bytes.len();
    }
    bytes
}

struct Reader<'m> {
    /// See [`spliced`].
    bytes: Vec<Placed>,
    /// The next of them.
    position: usize,
    /// Where the next line begins in the file.
    begin: usize,
    layout: SourceLayout,
    with_arguments: &'m WithArguments,
    lines: PreprocessedLines,
}

/// The line that is being read.
#[derive(Default)]
struct Line {
    /// What is left of it.
    kept: Vec<Placed>,
    /// The quote that is open, and which of the bytes that are left it is.
    quote: Option<(u8, usize)>,
    /// What stood in quotes, by the numbers of the bytes that are left.
    quoted: Vec<Range<usize>>,
    /// The bytes that are left behind a comment of C that a name goes on behind, by their numbers.
    parted: Vec<usize>,
}

impl Line {
    /// Keeps a byte that may begin or end a quote.
    fn keep(&mut self, byte: Placed) {
        match self.quote {
            None if matches!(byte.0, b'\'' | b'"') => self.quote = Some((byte.0, self.kept.len())),
            Some((open, begin)) if open == byte.0 => {
                self.quoted.push(begin..self.kept.len() + 1);
                self.quote = None;
            }
            _ => {}
        }
        self.kept.push(byte);
    }
}

impl Reader<'_> {
    fn at(&self, position: usize) -> Option<u8> {
        self.bytes.get(position).map(|&(byte, _)| byte)
    }

    /// Reads one line, its line feed included.
    fn line(&mut self, original: &[u8]) {
        let mut line = Line::default();
        let is_directive = self.at(self.position) == Some(b'#');
        // Where the arguments of a macro end that have begun.
        let mut arguments_end = 0;
        while let Some(byte) = self.at(self.position) {
            match byte {
                b'\n' if self.position >= arguments_end => break,
                b'/' if line.quote.is_none() && self.at(self.position + 1) == Some(b'*') => {
                    let (_, offset) = self.bytes[self.position];
                    if let Some(end) = self.end_of_comment() {
                        let parts_names = is_directive && !is_in_replacement(&line.kept);
                        line.kept.extend(parts_names.then_some((b' ', offset)));
                        self.position = end;
                        let is_in_name = line.kept.last().is_some_and(|&(byte, _)| is_of_name(byte))
                            && self.at(end).is_some_and(is_of_name);
                        line.parted.extend(is_in_name.then_some(line.kept.len()));
                        continue;
                    }
                    self.lines.unterminated.get_or_insert(offset);
                }
                b'\\' if matches!(self.at(self.position + 1), Some(b'\\' | b'\'' | b'"')) => {
                    line.kept.extend(&self.bytes[self.position..self.position + 2]);
                    self.position += 2;
                    continue;
                }
                _ if is_of_name(byte) => {
                    let begin = self.position;
                    while self.at(self.position).is_some_and(is_of_name) {
                        line.kept.push(self.bytes[self.position]);
                        self.position += 1;
                    }
                    if line.quote.is_none() && !is_directive && self.position > arguments_end {
                        arguments_end = self.end_of_arguments(begin).unwrap_or(arguments_end);
                    }
                    continue;
                }
                _ => {}
            }
            let (byte, offset) = self.bytes[self.position];
            line.keep((if byte == b'\n' { b' ' } else { byte }, offset));
            self.position += 1;
        }
        // The line feed ends the line, or the file does.
        let end = self.bytes.get(self.position).map_or(original.len(), |&(_, offset)| offset);
        self.position += 1;
        let begin = std::mem::replace(&mut self.begin, end + 1);
        if let Some((_, first)) = line.quote {
            line.quoted.push(first..line.kept.len());
        }
        let places = self.write(original, begin..end, &line.kept, is_directive);
        self.lines.parted.extend(line.parted.iter().map(|&number| places[number]));
        self.lines.quoted.extend(line.quoted.iter().map(|range| places[range.start]..places[range.end - 1] + 1));
    }

    /// Where the comment of C ends that begins here.
    fn end_of_comment(&self) -> Option<usize> {
        // `/*/` does not end itself.
        let first = self.position + 2 + usize::from(self.at(self.position + 2) == Some(b'/'));
        let mut star = false;
        for position in first..self.bytes.len() {
            match self.bytes[position].0 {
                b'/' if star => return Some(position + 1),
                byte => star = byte == b'*',
            }
        }
        None
    }

    /// Where the arguments end of the macro whose name has just been read, if it takes some and they end on another line.
    fn end_of_arguments(&mut self, begin: usize) -> Option<usize> {
        let name: Vec<u8> = self.bytes[begin..self.position].iter().map(|&(byte, _)| byte).collect();
        let (_, place) = self.bytes[begin];
        let takes_arguments = |name: &String| self.with_arguments.get(name).is_some_and(|&first| first <= place);
        let name = String::from_utf8(name).ok().filter(takes_arguments)?;
        let rest = self.bytes[self.position..].iter();
        let blanks = rest.take_while(|&&(byte, _)| is_blank(byte) || byte == b'\n').count();
        let mut position = self.position + blanks;
        if self.at(position) != Some(b'(') {
            // Looking for the arguments, the preprocessor takes a directive on the next line for text.
            let is_directive = self.at(position) == Some(b'#') && self.at(position - 1) == Some(b'\n');
            self.lines.unterminated = self.lines.unterminated.or(is_directive.then_some(place));
            return None;
        }
        let mut depth = 0_usize;
        let mut quote = None;
        while let Some(byte) = self.at(position) {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (None, b'\'' | b'"') => quote = Some(byte),
                (None, b'(') => depth += 1,
                (None, b')') => depth -= 1,
                // A directive, if the macro is not defined here.
                (_, b'#') if self.at(position - 1) == Some(b'\n') => break,
                _ => {}
            }
            position += 1;
            if depth == 0 {
                let is_on_one_line = !self.bytes[begin..position].iter().any(|&(byte, _)| byte == b'\n');
                if is_on_one_line {
                    return None;
                }
                let range = self.bytes[begin].1..self.bytes[position - 1].1 + 1;
                self.lines.calls.push(MacroCall { name, range });
                return Some(position);
            }
        }
        self.lines.unterminated.get_or_insert(self.bytes[begin].1);
        None
    }

    /// Writes a line, all lines of the file that it is made of, from what is left of it. Where these bytes are now is the answer.
    fn write(&mut self, original: &[u8], line: Range<usize>, kept: &[Placed], is_directive: bool) -> Vec<usize> {
        let lines = &mut self.lines;
        let feeds = original[line.clone()].iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
        lines.joined.extend(feeds.map(|(index, _)| line.start + index));
        let end_byte = original.get(line.end);
        let content_end = line.end - usize::from(end_byte == Some(&b'\n') && original[line.clone()].ends_with(b"\r"));
        if end_byte == Some(&b'\r') {
            lines.text[line.end] = b'\n';
            self.add_line_with_return(original, line.end);
        }
        let lines = &mut self.lines;
        let is_whole = kept.len() == content_end - line.start && kept.iter().all(|&(byte, at)| original[at] == byte);
        if is_whole {
            return kept.iter().map(|&(_, offset)| offset).collect();
        }
        lines.text[line.clone()].fill(b' ');
        let mut places = Vec::with_capacity(kept.len());
        let (mut next_in_file, mut next) = (line.start, line.start);
        let mut moves = false;
        for (number, &(byte, offset)) in kept.iter().enumerate() {
            if offset != next_in_file && !moves {
                // Of free form, and of what only looks like a directive, nothing moves in front of the first word.
                let is_first = kept[..number].iter().all(|&(byte, _)| is_blank(byte));
                let stays = self.layout == SourceLayout::Free || kept[0].0 == b'#';
                moves = is_directive || !is_first || !stays;
                lines.cuts.push(Cut { line: line.clone(), at: next, moves_rest: moves });
                next = if moves { next } else { offset };
            }
            lines.text[next] = byte;
            places.push(next);
            next += 1;
            next_in_file = offset + 1;
        }
        if next_in_file != content_end && !moves {
            lines.cuts.push(Cut { line, at: next, moves_rest: true });
        }
        places
    }

    /// The whole line of the file around a carriage return.
    fn add_line_with_return(&mut self, original: &[u8], place: usize) {
        if self.lines.with_returns.last().is_some_and(|line| place < line.end) {
            return;
        }
        let start = original[..place].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
        let length = original[place..].iter().position(|&byte| byte == b'\n');
        self.lines.with_returns.push(start..length.map_or(original.len(), |length| place + length));
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    fn lines_of(text: &str, layout: SourceLayout) -> PreprocessedLines {
        let with_arguments = WithArguments::from([("F".to_string(), 0)]);
        let lines = preprocessed_lines(text.as_bytes(), layout, &with_arguments);
        assert_eq!(lines.text.len(), text.len());
        lines
    }

    fn read(text: &str) -> Vec<String> {
        let lines = lines_of(text, SourceLayout::Free);
        assert_eq!(lines.unterminated, None);
        String::from_utf8(lines.text).unwrap().lines().map(|line| line.trim_end().to_string()).collect()
    }

    #[test]
    fn a_backslash_joins_lines() {
        assert_eq!(read("a\\\nb\nc! x\\  \nd\ne\n"), ["ab", "c! xd", "e"]);
        assert_eq!(read("a\\\r\nb\r\nc \\ \r\nd\r\n"), ["ab", "c d"]);
        assert_eq!(read("a\\\n\\\n\\\nb\n\\\nc\n"), ["ab", "  c"]);
        assert_eq!(read("a \\b\nc\\\\\nd\n"), ["a \\b", "c\\d"]);
        assert_eq!(read("a\\"), ["a\\"]);
        assert_eq!(read("a\n\\\n\\\n"), ["a", ""]);
    }

    #[test]
    fn comments_of_c_are_gone() {
        assert_eq!(read("a/*x*/b\nc /* y\n z */ d\n"), ["ab", "c  d"]);
        assert_eq!(
            read("! don't /* open\ne\n! it's a 'q /* x\nf\n */ g\n"),
            ["! don't /* open", "e", "! it's a 'q  g"]
        );
        assert_eq!(read("x = \"a /* b */\" , /* c */ 1\n"), ["x = \"a /* b */\" ,  1"]);
        assert_eq!(read("x = 'a\\' /* c */\n"), ["x = 'a\\' /* c */"]);
        assert_eq!(read("/**/a/***/b/* /* */c/*/d*/e\n/\\\n* f *\\\n/ g\n"), ["    abce", &format!("{:12}g", "")]);
        // They part no names in what a macro stands for, and its name from that.
        assert_eq!(read("#define A x/* 1\n2 */y\nb\n"), ["#define A xy", "b"]);
        assert_eq!(read("#define A/**/x\n#if/**/A\n"), ["#define A x", "#if A"]);
        let parted = lines_of("a/*x*/b c /**/d\ne/*\n*//**/f/**/1 + /**/g\n", SourceLayout::Free);
        let text = String::from_utf8(parted.text.clone()).unwrap();
        let parts = |name: &str| {
            let start = text.find(name).expect(name);
            let parts = parted.parts_of_name(start..start + name.len());
            parts.map(|part| text[part].to_string()).collect::<Vec<_>>()
        };
        assert_eq!(parts("ab"), ["a", "b"]);
        assert_eq!(parts("ef1"), ["e", "f", "1"]);
        assert_eq!([parts("c"), parts("d"), parts("g")], [["c"], ["d"], ["g"]]);
        let open = lines_of("a\nb /* c\n", SourceLayout::Free);
        assert_eq!((open.unterminated, open.text.as_slice()), (Some(4), &b"a\nb /* c\n"[..]));
    }

    #[test]
    fn arguments_of_macros_end_with_their_parenthesis() {
        assert_eq!(read("! see F (a, ')'\nb = 1) c\nd\n"), ["! see F (a, ')' b = 1) c", "d"]);
        assert_eq!(read("! F(a) F b\n(c)\n! 'F(' G(\nF\n(d) e\n"), ["! F(a) F b", "(c)", "! 'F(' G(", "F (d) e"]);
        assert_eq!(lines_of("a F(b\nc\n", SourceLayout::Free).unterminated, Some(2));
        // What may be a directive is not taken for text.
        let directive = lines_of("! F(\n#define A\n)\n", SourceLayout::Free);
        assert_eq!((directive.unterminated, directive.text.as_slice()), (Some(2), &b"! F(\n#define A\n)\n"[..]));
    }

    #[test]
    fn what_a_comment_of_c_hides_defines_no_macro() {
        let surroundings = Surroundings::default();
        let found = macros_with_arguments(b"/*\n#define F(x) x\n*/\n#define G(x) /* a\n */ x\n", &surroundings);
        assert_eq!(found.into_keys().collect::<Vec<_>>(), ["G"]);
    }

    #[test]
    fn columns_of_fixed_form_are_those_of_what_is_left() {
        let text = "/* c */      x = 1\n      y = 2 /* d\n */ + 3\nC e \\\n      z = 4\n";
        let lines = lines_of(text, SourceLayout::Fixed { columns: 72 });
        let shown = String::from_utf8(lines.text).unwrap();
        let shown: Vec<&str> = shown.lines().map(str::trim_end).collect();
        assert_eq!(shown, ["      x = 1", "      y = 2  + 3", "C e       z = 4"]);
    }

    #[test]
    fn statements_that_are_cut_or_moved_are_known() {
        let cut = |text: &str| {
            let lines = lines_of(text, SourceLayout::Free);
            let lexed = lex(&lines.text);
            let found = lines.statements_cut(&lexed);
            found.into_iter().map(|(_, place)| text[place].to_string()).collect::<Vec<_>>()
        };
        assert!(cut("a = 1 ! b \\\nc = 2\nd = 3\n/* e */ f = 4 /* g */\nh = 5 ! /* i\n */\nj = 6 \\\n\n").is_empty());
        assert_eq!(cut("a = 1; b = 2 + \\\n 3; c = 4 ! d\ne = 5\n"), ["b = 2 + \\\n 3; c = 4 ! d", "; c = 4 ! d"]);
        assert_eq!(cut("a = b + & ! c \\\n d\n  e\n"), ["a = b + & ! c \\\n d\n  e"]);
        assert_eq!(cut("a = b + &\n /* c */ d\n"), ["a = b + &\n /* c */ d"]);
        assert_eq!(cut("a = 1\rb = 2\nc = 3\n"), ["a = 1", "b = 2"]);
    }

    #[test]
    fn quotes_end_with_their_lines() {
        let text = "x = 'a&\n & N' // N ! it's N\n";
        let lines = lines_of(text, SourceLayout::Free);
        let found: Vec<bool> = text.match_indices('N').map(|(place, _)| lines.is_quoted(place)).collect();
        assert_eq!(found, [false, true, false]);
    }
}
