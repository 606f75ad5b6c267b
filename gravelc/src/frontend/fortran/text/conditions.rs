//! Conditional compilation as far as it can be decided: `#if`, `#ifdef` and their kin under what is known of the macros.
//!
//! What is decided disappears before anything else looks at the text: the lines that are not compiled, the lines that
//! decide, and the names of macros that stand for nothing. A region of which one condition is not known stays as it is.

mod condition;
mod macros;
mod numbers;

use std::ops::Range;

use self::condition::{Truth, evaluate};
pub use self::macros::{FunctionLike, Macro, Macros};
pub use self::numbers::{Changes, Number, numbers};

use super::includes::{MOST_WITHIN, Surroundings, holds_fortran, is_mpif_name, lines_that_include, quoted_name};
use super::patch::normalise_lines;
use super::preprocessed_lines::{macros_with_arguments, preprocessed_lines};
use crate::source_layout::SourceLayout;

/// A line of the preprocessor in its file.
struct Directive {
    /// Its bytes.
    line: Range<usize>,
    /// Blanks stand in front of the `#`.
    is_indented: bool,
    /// The word behind the `#`.
    word: String,
    /// What follows the word.
    rest: String,
}

impl Directive {
    /// Does it say where the next line comes from, and nothing else? Compilers let it stand inside of a statement, too.
    fn tells_place(&self) -> bool {
        let is_number = !self.word.is_empty() && self.word.bytes().all(|byte| byte.is_ascii_digit());
        !self.is_indented && (self.word == "line" || is_number)
    }

    fn is_conditional(&self) -> bool {
        self.word.starts_with("if") || self.word.starts_with("el") || self.word == "endif"
    }
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

/// Takes a stretch of a text that is certainly compiled, with what is known of macros there.
type Visit<'a> = dyn FnMut(&[u8], Range<usize>, &Macros) + 'a;

/// Blanks what is decided in `text`, which has the lines that the preprocessor sees; `macros` follows `#define` and `#undef`, also
/// those of included files, which are found in `surroundings`. Where that happens is the answer. No macro is replaced where
/// the preprocessor sees quotes (`is_quoted`).
pub(super) fn decide(
    text: &mut [u8],
    macros: &mut Macros,
    is_quoted: &dyn Fn(usize) -> bool,
    surroundings: &Surroundings,
) -> Changes {
    // What has no lines for the preprocessor may not be read by it.
    if !text.contains(&b'#') {
        return Changes::default();
    }
    let mut empty: Vec<Range<usize>> = Vec::new();
    let mut find_empty = |text: &[u8], stretch: Range<usize>, macros: &Macros| {
        empty.extend(empty_names(text, stretch, macros, is_quoted));
    };
    let changes = decide_within(text, macros, surroundings, &mut None, &mut find_empty);
    empty.into_iter().for_each(|range| blank(text, range));
    changes
}

/// Calls `visit` for the stretches of `text` between directives that are certainly compiled, with what is known of macros there.
/// `macros` are those at its beginning.
pub(super) fn for_each_compiled(text: &[u8], macros: &Macros, surroundings: &Surroundings, visit: &mut Visit<'_>) {
    decide_within(&mut text.to_vec(), &mut macros.clone(), surroundings, &mut None, visit);
}

/// Decides the conditions in `text`, where no more than `left` files may still be read, if that counts: it does within included
/// files. Calls `visit` for what is certainly compiled.
fn decide_within(
    text: &mut [u8],
    macros: &mut Macros,
    surroundings: &Surroundings,
    left: &mut Option<usize>,
    visit: &mut Visit<'_>,
) -> Changes {
    let mut changes = Changes::default();
    if !text.contains(&b'#') {
        visit(text, 0..text.len(), macros);
        return changes;
    }
    let mut open: Vec<Region> = Vec::new();
    let mut blanks: Vec<Range<usize>> = Vec::new();
    let mut read_up_to = 0;
    let found = directives(text);
    // gfortran takes none that is indented for one, others do: what they decide is not known.
    let is_clear = !found.iter().any(|directive| directive.is_indented && directive.is_conditional());
    for directive in found {
        let truth = open.last().map_or(Truth::Yes, |region| region.truth);
        if truth == Truth::Yes {
            visit(text, read_up_to..directive.line.start, macros);
        }
        read_up_to = directive.line.end;
        if directive.tells_place() {
            blanks.push(directive.line);
            continue;
        }
        match directive.word.as_str() {
            "if" | "ifdef" | "ifndef" => {
                let own = match truth {
                    Truth::No => Truth::No,
                    _ if is_clear => {
                        changes.look_at(&directive.rest, macros);
                        condition(&directive, macros)
                    }
                    _ => Truth::Unknown,
                };
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
                    _ => {
                        changes.look_at(&directive.rest, macros);
                        condition(&directive, macros)
                    }
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
                let named = name_included(&directive.rest, macros);
                if named.as_ref().is_some_and(|(_, is_computed)| *is_computed) {
                    changes.look_at(&directive.rest, macros);
                }
                let named = named.map(|(name, _)| name);
                if named.as_ref().is_some_and(|name| is_mpif_name(name)) {
                    continue;
                }
                match named.and_then(|name| surroundings.find(&name)).filter(|_| *left != Some(0)) {
                    Some((path, content)) if truth == Truth::Yes => {
                        let inside = surroundings.inside(&path, macros);
                        let with_arguments = macros_with_arguments(&content, &inside);
                        let lines = preprocessed_lines(&content, SourceLayout::Free, &with_arguments);
                        let mut content = normalise_lines(&lines.text);
                        let mut left_within = left.map_or(MOST_WITHIN, |left| left - 1).into();
                        let found = decide_within(&mut content, macros, &inside, &mut left_within, &mut |_, _, _| {});
                        if left.is_some() {
                            *left = left_within;
                        }
                        let is_idle = |line: &Range<usize>| found.idle_includes().contains(&line.start);
                        if !holds_fortran(&content) && lines_that_include(&content).iter().all(is_idle) {
                            changes.add_idle_include(directive.line.start);
                        }
                        changes.add_included(found, directive.line.start);
                    }
                    // It could define anything.
                    _ => {
                        *macros = Macros::default();
                        changes.add_any();
                    }
                }
            }
            _ => {}
        }
    }
    if open.is_empty() {
        visit(text, read_up_to..text.len(), macros);
    }
    blanks.into_iter().for_each(|range| blank(text, range));
    changes
}

/// The name of the file that an `#include` line with this text behind its word includes, where that can be told; and whether macros
/// say it (`#include HEADER`).
fn name_included(rest: &str, macros: &Macros) -> Option<(String, bool)> {
    let mut text = rest.trim();
    for hop in 0..MOST_HOPS {
        if let Some(name) = quoted_name(text) {
            return Some((name, hop > 0));
        }
        match macros.known.get(text)? {
            Macro::Defined(value) => text = value.trim(),
            Macro::WithArguments(_) | Macro::Undefined | Macro::Unknown => return None,
        }
    }
    None
}

/// Macros that stand for macros are not followed further.
const MOST_HOPS: usize = 8;

/// Leaves nothing but the ends of lines there.
fn blank(text: &mut [u8], range: Range<usize>) {
    text[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// The names in a stretch of the text that stand for nothing, outside of comments and what the preprocessor sees in quotes.
fn empty_names(
    text: &[u8],
    stretch: Range<usize>,
    macros: &Macros,
    is_quoted: &dyn Fn(usize) -> bool,
) -> Vec<Range<usize>> {
    let is_empty = |name: &str| matches!(macros.known.get(name), Some(Macro::Defined(value)) if value.is_empty());
    if !macros.known.keys().any(|name| is_empty(name)) {
        return Vec::new();
    }
    let mut found = names_in(text, stretch, is_empty);
    found.retain(|name| !is_quoted(name.start));
    found
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
        Macro::Defined(_) | Macro::WithArguments(_) => Truth::Yes,
        Macro::Undefined => Truth::No,
        Macro::Unknown => Truth::Unknown,
    };
    match directive.word.as_str() {
        "ifdef" | "elifdef" => is_defined,
        "ifndef" | "elifndef" => is_defined.not(),
        _ => evaluate(&directive.rest, macros),
    }
}

/// The preprocessor lines of `text`.
fn directives(text: &[u8]) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = text[start..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |feed| start + feed);
        let blanks = text[start..end].iter().take_while(|byte| **byte == b' ' || **byte == b'\t').count();
        if text.get(start + blanks) == Some(&b'#') {
            let line = String::from_utf8_lossy(&text[start + blanks + 1..end]);
            let line = line.trim();
            let word: String = line.chars().take_while(char::is_ascii_alphanumeric).collect();
            let rest = line[word.len()..].trim().to_string();
            found.push(Directive { line: start..end, is_indented: blanks > 0, word, rest });
        }
        start = end + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn decided(text: &str, macros: &[(&str, Option<&str>)]) -> Vec<String> {
        let known = macros.iter().map(|(name, value)| {
            let known = value.map_or(Macro::Undefined, |value| Macro::Defined(value.to_string()));
            (name.to_string(), known)
        });
        let mut macros = Macros { known: known.collect(), ..Macros::default() };
        let lines = preprocessed_lines(text.as_bytes(), SourceLayout::Free, &BTreeMap::new());
        let mut bytes = lines.text.clone();
        decide(&mut bytes, &mut macros, &|offset| lines.is_quoted(offset), &Surroundings::default());
        assert_eq!(bytes.len(), text.len());
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_string).collect()
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
    fn lines_that_tell_places_are_gone() {
        assert_eq!(decided("a &\n#line 3 \"x\"\nb\n# 7 \"y\" 2\nc\n", &[]), ["a &", "b", "c"]);
        assert_eq!(decided("#lines\n # 7\n#\n", &[]), ["#lines", "# 7", "#"]);
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
        decide(&mut bytes, &mut Macros { complete: true, ..Macros::default() }, &|_| false, &Surroundings::default());
        assert!(String::from_utf8(bytes).unwrap().trim().starts_with("c"));
        let mut bytes = b"#ifdef __GFORTRAN__\na\n#endif\n".to_vec();
        decide(&mut bytes, &mut Macros { complete: true, ..Macros::default() }, &|_| false, &Surroundings::default());
        assert!(bytes.starts_with(b"#ifdef"));
    }
}
