//! Conditional compilation as far as it can be decided: `#if`, `#ifdef` and their kin under what is known of the macros.
//!
//! What is decided disappears before anything else looks at the text: the lines that are not compiled, the lines that
//! decide, and the names of macros that stand for nothing. A region of which one condition is not known stays as it is.

mod condition;
mod macros;
mod numbers;

use std::ops::Range;

use self::condition::{Truth, evaluate};
pub use self::macros::{Macro, Macros};
use self::numbers::Changes;
pub(super) use self::numbers::{Number, numbers};

use super::includes::{MOST_WITHIN, Surroundings, is_mpif_name, quoted_name};
use super::patch::normalise_lines;

/// A line of the preprocessor in its file.
struct Directive {
    /// Its bytes.
    line: Range<usize>,
    /// The word behind the `#`.
    word: String,
    /// What follows the word, comments and continuations removed.
    rest: String,
}

/// A conditional region that is open.
struct Region {
    /// The directive lines so far.
    lines: Vec<Range<usize>>,
    /// Bytes that are not compiled.
    inactive: Vec<Range<usize>>,
    /// Begin of the branch that is open.
    branch: usize,
    /// Is the open branch compiled?
    truth: Truth,
    /// Was a branch before it compiled?
    taken: Truth,
    /// Are the lines around the region compiled?
    around: Truth,
}

/// Blanks what is decided in `text`, whose lines end with a line feed; `macros` follows `#define` and `#undef`, also those of
/// included files, which are found in `surroundings`. Where that happens is the answer.
pub(super) fn decide(text: &mut [u8], macros: &mut Macros, surroundings: &Surroundings) -> Changes {
    decide_within(text, macros, surroundings, &mut None)
}

/// The same where no more than `left` files may still be read, if that counts: it does within included files.
fn decide_within(
    text: &mut [u8],
    macros: &mut Macros,
    surroundings: &Surroundings,
    left: &mut Option<usize>,
) -> Changes {
    let mut changes = Changes::default();
    if !text.contains(&b'#') {
        return changes;
    }
    let mut open: Vec<Region> = Vec::new();
    let mut blanks: Vec<Range<usize>> = Vec::new();
    let mut read_up_to = 0;
    for directive in directives(text) {
        let truth = open.last().map_or(Truth::Yes, |region| region.truth);
        if truth == Truth::Yes {
            blanks.extend(empty_names(text, read_up_to..directive.line.start, macros));
        }
        read_up_to = directive.line.end;
        match directive.word.as_str() {
            "if" | "ifdef" | "ifndef" => {
                let own = if truth == Truth::No { Truth::No } else { condition(&directive, macros) };
                open.push(Region {
                    branch: directive.line.end,
                    lines: vec![directive.line],
                    inactive: Vec::new(),
                    truth: truth.and(own),
                    taken: own,
                    around: truth,
                });
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let Some(region) = open.last_mut() else { continue };
                region.end_branch(directive.line.start);
                let own = match (region.taken, directive.word.as_str()) {
                    (Truth::Yes, _) | (_, "else") => Truth::Yes,
                    _ => condition(&directive, macros),
                };
                region.truth = region.around.and(region.taken.not()).and(own);
                region.taken = region.taken.or(own);
                region.branch = directive.line.end;
                region.lines.push(directive.line);
            }
            "endif" => {
                let Some(mut region) = open.pop() else { continue };
                region.end_branch(directive.line.start);
                region.lines.push(directive.line);
                blanks.extend(region.result());
            }
            "define" | "undef" if truth != Truth::No => {
                let (name, defined) = Macro::directive(&directive.rest);
                let known = match (truth, directive.word.as_str()) {
                    (Truth::Unknown, _) => Macro::Unknown,
                    (_, "undef") => Macro::Undefined,
                    _ => defined,
                };
                changes.add(name.clone(), directive.line.start);
                macros.known.insert(name, known);
            }
            "include" if truth != Truth::No => {
                let found = quoted_name(&directive.rest).filter(|name| !is_mpif_name(name));
                match found.map(|name| surroundings.find(&name).filter(|_| *left != Some(0))) {
                    Some(Some((path, content))) if truth == Truth::Yes => {
                        let inside = surroundings.inside(&path, macros);
                        let mut content = normalise_lines(&content);
                        blank_block_comments(&mut content);
                        let mut left_within = left.map_or(MOST_WITHIN, |left| left - 1).into();
                        let found = decide_within(&mut content, macros, &inside, &mut left_within);
                        if left.is_some() {
                            *left = left_within;
                        }
                        changes.add_included(found, directive.line.start);
                    }
                    // It could define anything.
                    Some(_) => {
                        *macros = Macros::default();
                        changes.add_any();
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }
    if open.is_empty() {
        blanks.extend(empty_names(text, read_up_to..text.len(), macros));
    }
    for range in blanks {
        text[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    changes
}

/// Blanks the comments of C that begin a line of a text with lines for the preprocessor, which takes them out.
pub(super) fn blank_block_comments(text: &mut [u8]) {
    let mut start = 0;
    while start < text.len() {
        let blanks = text[start..].iter().take_while(|byte| **byte == b' ' || **byte == b'\t').count();
        let begin = start + blanks;
        let comment = text[begin..].strip_prefix(b"/*").and_then(|rest| rest.windows(2).position(|end| end == b"*/"));
        if let Some(length) = comment {
            let end = begin + 2 + length + 2;
            text[begin..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            // Another one may follow on the line.
            start = end;
        } else {
            start = text[begin..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |feed| begin + feed + 1);
        }
    }
}

/// The names in a stretch of the text that stand for nothing, outside of comments and strings.
fn empty_names(text: &[u8], stretch: Range<usize>, macros: &Macros) -> Vec<Range<usize>> {
    let is_empty = |name: &str| matches!(macros.known.get(name), Some(Macro::Defined(value)) if value.is_empty());
    if !macros.known.keys().any(|name| is_empty(name)) {
        return Vec::new();
    }
    names_in(text, stretch, is_empty)
}

/// The names in a stretch of the text that are meant, outside of comments and strings.
fn names_in(text: &[u8], stretch: Range<usize>, is_meant: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut quote = None;
    let mut at = stretch.start;
    while at < stretch.end {
        let byte = text[at];
        let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = text[at..stretch.end].iter().take_while(is_of_name).count();
        match byte {
            b'\n' => quote = None,
            _ if quote == Some(byte) => quote = None,
            _ if quote.is_some() => {}
            b'\'' | b'"' => quote = Some(byte),
            b'!' => at += text[at..stretch.end].iter().take_while(|byte| **byte != b'\n').count() - 1,
            _ if length > 0 => {
                if std::str::from_utf8(&text[at..at + length]).is_ok_and(&is_meant) {
                    found.push(at..at + length);
                }
                at += length - 1;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

impl Region {
    fn end_branch(&mut self, end: usize) {
        if self.truth == Truth::No && self.around != Truth::No {
            self.inactive.push(self.branch..end);
        }
        if self.truth == Truth::Unknown && self.around == Truth::Yes {
            // One branch that is not known leaves the region open as a whole.
            self.lines.clear();
            self.inactive.clear();
            self.around = Truth::Unknown;
        }
    }

    /// What is to be blanked; nothing if a condition is not known.
    fn result(self) -> Vec<Range<usize>> {
        if self.around == Truth::Yes { self.lines.into_iter().chain(self.inactive).collect() } else { Vec::new() }
    }
}

fn condition(directive: &Directive, macros: &Macros) -> Truth {
    let name = directive.rest.split_whitespace().next().unwrap_or_default();
    let is_defined = match macros.get(name) {
        Macro::Defined(_) | Macro::WithArguments => Truth::Yes,
        Macro::Undefined => Truth::No,
        Macro::Unknown => Truth::Unknown,
    };
    match directive.word.as_str() {
        "ifdef" | "elifdef" => is_defined,
        "ifndef" | "elifndef" => is_defined.not(),
        _ => evaluate(&directive.rest, macros),
    }
}

/// The preprocessor lines of `text`, with the lines that a backslash continues.
fn directives(text: &[u8]) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let line_end =
            |from: usize| text[from..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |feed| from + feed);
        let mut end = line_end(start);
        let blanks = text[start..end].iter().take_while(|byte| **byte == b' ' || **byte == b'\t').count();
        if text.get(start + blanks) == Some(&b'#') {
            while end < text.len() && text[start..end].trim_ascii_end().ends_with(b"\\") {
                end = line_end(end + 1);
            }
            let line = String::from_utf8_lossy(&text[start + blanks + 1..end]).replace("\\\n", " ");
            let line = without_comments(line.trim());
            let word: String = line.chars().take_while(char::is_ascii_alphanumeric).collect();
            let rest = line[word.len()..].trim().to_string();
            found.push(Directive { line: start..end, word, rest });
        }
        start = end + 1;
    }
    found
}

fn without_comments(line: &str) -> String {
    let mut result = String::new();
    let mut rest = line;
    while let Some(start) = rest.find("/*") {
        result.push_str(&rest[..start]);
        result.push(' ');
        rest = rest[start..].find("*/").map_or("", |end| &rest[start + end + 2..]);
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(text: &str, macros: &[(&str, Option<&str>)]) -> Vec<String> {
        let known = macros.iter().map(|(name, value)| {
            let known = value.map_or(Macro::Undefined, |value| Macro::Defined(value.to_string()));
            (name.to_string(), known)
        });
        let mut macros = Macros { known: known.collect(), ..Macros::default() };
        let mut bytes = text.as_bytes().to_vec();
        decide(&mut bytes, &mut macros, &Surroundings::default());
        assert_eq!(bytes.len(), text.len());
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_string).collect()
    }

    #[test]
    fn comments_of_c_are_gone() {
        let mut text =
            b"a = 1\n  /* one */ /* two\n don't\n*/ b = 2\nc = '/* no */'\nd = 1 ! /* no */\n/* open\n".to_vec();
        blank_block_comments(&mut text);
        let lines: Vec<String> = String::from_utf8(text).unwrap().lines().map(|line| line.trim().to_string()).collect();
        assert_eq!(lines, ["a = 1", "", "", "b = 2", "c = '/* no */'", "d = 1 ! /* no */", "/* open"]);
    }

    const TEXT: &str = "#ifdef A\na\n#elif defined(B) && B > 2\nb\n#else\nc\n#endif\nd\n";

    #[test]
    fn macros_that_stand_for_nothing_are_gone() {
        let text = "#ifdef GPU\n#define ON_GPU , device\n#else\n#define ON_GPU\n#endif\n\
            real ON_GPU :: a, ON_GPU_2 ! ON_GPU\nprint *, 'ON_GPU'\n#undef ON_GPU\nreal ON_GPU\n";
        let without = decided(text, &[("GPU", None)]);
        let expected = [
            "#define ON_GPU",
            "real        :: a, ON_GPU_2 ! ON_GPU",
            "print *, 'ON_GPU'",
            "#undef ON_GPU",
            "real ON_GPU",
        ];
        assert_eq!(without, expected);
        assert!(decided(text, &[("GPU", Some("1"))]).iter().any(|line| line.starts_with("real ON_GPU ::")));
        // Where it is not known what it stands for it stays.
        assert!(decided(text, &[]).iter().any(|line| line.starts_with("real ON_GPU ::")));
        assert_eq!(decided("real E x\n#if 1\n#endif\n", &[("E", Some(""))]), ["real   x"]);
    }

    #[test]
    fn one_branch_is_left_where_everything_is_known() {
        assert_eq!(decided(TEXT, &[("A", Some("1"))]), ["a", "d"]);
        assert_eq!(decided(TEXT, &[("A", None), ("B", Some("3"))]), ["b", "d"]);
        assert_eq!(decided(TEXT, &[("A", None), ("B", Some("2"))]), ["c", "d"]);
        assert_eq!(decided(TEXT, &[("A", None), ("B", None)]), ["c", "d"]);
    }

    #[test]
    fn what_is_not_known_stays() {
        assert_eq!(decided(TEXT, &[]).len(), 8);
        assert_eq!(decided(TEXT, &[("A", None)]).len(), 8);
        // Whatever A is, this is not compiled.
        assert_eq!(decided("#if 0\na\n#endif\n#if defined(A) && 0\nb\n#endif\nc\n", &[]), ["c"]);
        assert_eq!(decided("#ifdef A\n#if 0\na\n#endif\n#endif\n", &[]).len(), 5);
    }

    #[test]
    fn definitions_of_the_file_count() {
        assert_eq!(decided("#define A 3\n#if A == 3\na\n#endif\n", &[]), ["#define A 3", "a"]);
        assert_eq!(decided("#undef A\n#ifdef A\na\n#else\nb\n#endif\n", &[("A", Some(""))]), ["#undef A", "b"]);
        assert_eq!(decided("#ifdef X\n#define A\n#endif\n#ifdef A\na\n#endif\n", &[]).len(), 6);
        let nested = "#if 0\n#define A\n#endif\n#ifdef A\na\n#endif\nb\n";
        assert_eq!(decided(nested, &[("A", None)]), ["b"]);
    }

    #[test]
    fn macros_with_arguments_are_no_values() {
        // `F` without arguments is not replaced, whatever stands behind its name.
        let text = "#define F(ONE)\n#if F\na\n#endif\n#ifdef F\nb\n#endif\n";
        assert_eq!(decided(text, &[("ONE", Some("1"))]), ["#define F(ONE)", "#if F", "a", "#endif", "b"]);
    }

    #[test]
    fn a_complete_list_of_macros_decides_the_rest() {
        let mut bytes = TEXT.as_bytes().to_vec();
        decide(&mut bytes, &mut Macros { complete: true, ..Macros::default() }, &Surroundings::default());
        assert!(String::from_utf8(bytes).unwrap().trim().starts_with("c"));
        let mut bytes = b"#ifdef __GFORTRAN__\na\n#endif\n".to_vec();
        decide(&mut bytes, &mut Macros { complete: true, ..Macros::default() }, &Surroundings::default());
        assert!(bytes.starts_with(b"#ifdef"));
    }
}
