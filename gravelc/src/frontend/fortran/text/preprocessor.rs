//! Preprocessor lines: which stretches of a file are not what they seem.
//!
//! What could be decided is gone by now ([`super::conditions`]). A conditional region that holds whole statements is a choice
//! of them; any other one inside a procedure is taken out of the text that the grammar sees and becomes a hole. Where a
//! region holds whole procedures, only its lines go, and the procedures are suspect.

use std::collections::BTreeMap;
use std::ops::Range;

use super::classify::{Role, StatementText};
use super::conditions::Number;
use super::lexer::Lexed;
use super::unclear::Unclear;
use crate::ir::{Language, UntouchableCause};

/// What the preprocessor lines of a file mean for the parse.
#[derive(Debug, Default)]
pub struct Preprocessing {
    /// Byte ranges to take out, each with what the report says about it.
    pub removed: Vec<Unclear>,
    /// Byte ranges whose procedures are not certain to exist, with what the report says.
    pub suspect: Vec<Unclear>,
    /// Preprocessor lines to take out that mean nothing by themselves.
    pub ignored: Vec<Range<usize>>,
    /// Regions that hold whole statements: of their branches at most one is compiled.
    pub choices: Vec<Choice>,
    /// There are lines of the preprocessor, also such that have been decided.
    pub has_lines: bool,
    /// Below which lines a macro would replace what gravelc writes there.
    pub replaced: Vec<Unclear>,
    /// Names that macros of this file have.
    pub macros: Vec<String>,
    /// Those of them that stand for one number wherever they stand in this file.
    pub numbers: BTreeMap<String, Number>,
}

/// A conditional region of whole statements that can be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// From `#if` to `#endif`.
    pub range: Range<usize>,
    /// What lies between its lines.
    pub branches: Vec<Range<usize>>,
}

/// The word behind the `#`.
fn directive(text: &[u8], line: &Range<usize>) -> String {
    let rest = &text[line.start + 1..line.end];
    let first = rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
    let word = rest[first..].iter().take_while(|byte| byte.is_ascii_alphanumeric());
    String::from_utf8(word.copied().collect()).unwrap_or_default()
}

/// The name that follows `#define` or `#undef`.
fn macro_name(text: &[u8], line: &Range<usize>) -> Option<String> {
    let rest = String::from_utf8_lossy(&text[line.start + 1..line.end]).into_owned();
    let name = rest.split_whitespace().nth(1)?;
    let name: String = name.chars().take_while(|&c| c.is_ascii_alphanumeric() || c == '_').collect();
    (!name.is_empty()).then_some(name)
}

fn first_line(text: &[u8], range: &Range<usize>) -> String {
    let line = text[range.clone()].split(|&byte| byte == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(line).trim_end().to_string()
}

/// Reads the preprocessor lines of `text`. Of those that include files is known why they are `refused`.
pub(super) fn read(text: &[u8], lexed: &Lexed, refused: &BTreeMap<usize, String>) -> Preprocessing {
    let mut result = Preprocessing::default();
    // Where macros begin that would replace what gravelc writes.
    let mut replacing: BTreeMap<String, usize> = BTreeMap::new();
    // Begin of the outermost open conditional region, and how many regions are open.
    let mut region: Option<usize> = None;
    let mut depth = 0_usize;
    for line in &lexed.preprocessor_lines {
        match directive(text, line).as_str() {
            "if" | "ifdef" | "ifndef" => {
                depth += 1;
                region.get_or_insert(line.start);
            }
            "endif" if depth > 0 => {
                depth -= 1;
                if depth == 0
                    && let Some(start) = region.take()
                {
                    add_region(text, lexed, start..line.end, &mut result);
                }
            }
            "else" | "elif" | "elifdef" | "elifndef" if depth > 0 => {}
            word @ ("define" | "undef") => {
                if let Some(name) = macro_name(text, line) {
                    if word == "define" && Language::Fortran.dialect().may_be_written(&name) {
                        replacing.entry(name.clone()).or_insert(line.start);
                    } else if depth == 0
                        && let Some(start) = replacing.remove(&name)
                    {
                        result.replaced.push(replaced_below(&name, start..line.start));
                    }
                    result.macros.push(name);
                }
                result.ignored.push(line.clone());
            }
            "include" => {
                let rest_of_file = line.start..text.len();
                let mut why = format!("the included file is not read: {}", first_line(text, line));
                if let Some(refused) = refused.get(&line.start) {
                    why.push_str(&format!(" ({refused})"));
                }
                let cause = UntouchableCause::UnknownText;
                result.suspect.push(Unclear { range: rest_of_file, cause, why: why.clone() });
                if depth == 0 {
                    result.removed.push(Unclear { range: line.clone(), cause, why });
                }
            }
            // Line markers that a preprocessor has left behind mean nothing to the program.
            "line" | "error" | "warning" | "" => result.ignored.push(line.clone()),
            word if word.bytes().all(|byte| byte.is_ascii_digit()) => result.ignored.push(line.clone()),
            _ => {
                let why = format!("preprocessor line {}", first_line(text, line));
                result.removed.push(Unclear { range: line.clone(), cause: UntouchableCause::Unread, why });
            }
        }
    }
    if let Some(start) = region {
        let end = lexed.preprocessor_lines.last().map_or(start, |line| line.end);
        add_region(text, lexed, start..end, &mut result);
    }
    result.replaced.extend(replacing.into_iter().map(|(name, start)| replaced_below(&name, start..text.len())));
    result
}

/// Within `range` the macro would replace what gravelc writes.
pub(super) fn replaced_below(name: &str, range: Range<usize>) -> Unclear {
    let why = format!("the macro {name} would replace that word in what gravelc writes");
    Unclear { range, cause: UntouchableCause::Replaced, why }
}

/// Sorts a conditional region into the ones that hold procedures and the ones that don't.
fn add_region(text: &[u8], lexed: &Lexed, region: Range<usize>, result: &mut Preprocessing) {
    let why = format!("conditional compilation is not evaluated: {}", first_line(text, &region));
    let first = lexed.first_statement_from(region.start);
    let inside = lexed.statements[first..].iter().take_while(|statement| statement.start < region.end);
    let holds_units = inside.clone().any(|statement| {
        matches!(
            StatementText::new(text, lexed, statement).role(),
            Role::UnitStart(_) | Role::UnitEnd | Role::Contains | Role::InterfaceStart | Role::InterfaceEnd
        )
    });
    if holds_units {
        let lines = lexed.preprocessor_lines.iter().filter(|line| region.contains(&line.start));
        result.ignored.extend(lines.cloned());
        result.suspect.push(Unclear { range: region, cause: UntouchableCause::Unread, why });
    } else if let Some(branches) = branches_of_statements(text, lexed, &region) {
        let lines = lexed.preprocessor_lines.iter().filter(|line| region.contains(&line.start));
        result.ignored.extend(lines.cloned());
        if inside.clone().next().is_some() {
            result.choices.push(Choice { range: region, branches });
        }
    } else {
        result.removed.push(Unclear { range: region, cause: UntouchableCause::Unread, why });
    }
}

/// The branches of `region`, if each holds nothing but whole statements that can be executed and comments.
fn branches_of_statements(text: &[u8], lexed: &Lexed, region: &Range<usize>) -> Option<Vec<Range<usize>>> {
    let mut branches = Vec::new();
    let mut start = None;
    for line in lexed.preprocessor_lines.iter().filter(|line| region.contains(&line.start)) {
        match (directive(text, line).as_str(), start) {
            ("if" | "ifdef" | "ifndef", None) => start = Some(line.end),
            ("else" | "elif" | "elifdef" | "elifndef" | "endif", Some(begin)) => {
                branches.push(begin..line.start);
                start = Some(line.end);
            }
            // What is nested, and macros that come and go.
            _ => return None,
        }
    }
    // A statement that begins before the region may go on in it.
    let first = lexed.first_statement_from(region.start);
    let reaches_in = first > 0 && lexed.statements[first - 1].end > region.start;
    let are_whole = branches.iter().all(|branch| holds_whole_statements(text, lexed, branch));
    (!reaches_in && are_whole).then_some(branches)
}

fn holds_whole_statements(text: &[u8], lexed: &Lexed, branch: &Range<usize>) -> bool {
    let mut depth = 0_usize;
    let first = lexed.first_statement_from(branch.start);
    for statement in lexed.statements[first..].iter().take_while(|statement| statement.start < branch.end) {
        let words = StatementText::new(text, lexed, statement);
        if statement.end > branch.end || statement.labelled || statement.interrupted.is_some() {
            return false;
        }
        match words.role() {
            Role::ConstructStart(_) => depth += 1,
            Role::ConstructMiddle(..) if depth > 0 => {}
            Role::ConstructEnd if depth > 0 => depth -= 1,
            Role::Simple if words.can_be_executed() => {}
            _ => return false,
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;

    fn read_text(text: &str) -> Preprocessing {
        read(text.as_bytes(), &lex(text.as_bytes()), &BTreeMap::new())
    }

    #[test]
    fn regions_of_statements_are_choices() {
        let text =
            "a = 1\n#ifdef X\nif (b) then\n  call c\nend if\n#else\n! no\n#endif\ne = 1\n#if Y\n! only\n#endif\n";
        let found = read_text(text);
        assert!(found.removed.is_empty());
        assert_eq!(found.choices.len(), 1);
        assert_eq!(found.choices[0].branches.len(), 2);
        for text in [
            "#ifdef X\nif (b) then\n#endif\nend if\n",
            "#ifdef X\n10 a = 1\n#endif\n",
            "#ifdef X\ninteger a\n#endif\n",
            "#ifdef X\na = 1\n#define Y\n#endif\n",
            "call f(a, &\n#ifdef X\n b)\n#else\n c)\n#endif\n",
        ] {
            assert!(read_text(text).choices.is_empty(), "{text}");
        }
    }

    #[test]
    fn regions_nest() {
        let text = "a = 1\n#ifdef X\nb = 1\n#if Y\nc = 1\n#endif\n#else\nd = 1\n#endif\ne = 1\n";
        let found = read_text(text);
        assert_eq!(found.removed.len(), 1);
        assert!(text[found.removed[0].range.clone()].starts_with("#ifdef X"));
        assert!(text[found.removed[0].range.clone()].ends_with("#endif"));
    }

    #[test]
    fn procedures_in_a_region_stay_visible() {
        let found = read_text("#ifdef X\nsubroutine s\nend subroutine s\n#endif\n");
        assert!(found.removed.is_empty());
        assert_eq!(found.suspect.len(), 1);
        assert_eq!(found.ignored.len(), 2);
    }

    #[test]
    fn macros_may_replace_what_is_written() {
        let text = "#define x y\n#define min mine\na = 1\n#undef min\nb = 1\n#define mpi_send(a) f(a)\nc = 1\n";
        let found = read_text(text);
        let places: Vec<&str> = found.replaced.iter().map(|unclear| &text[unclear.range.clone()]).collect();
        assert_eq!(places, ["#define min mine\na = 1\n", "#define mpi_send(a) f(a)\nc = 1\n"]);
        // Where it is not certain that it is gone it may still be there.
        let found = read_text("#define min mine\n#ifdef X\n#undef min\n#endif\na = 1\n");
        assert_eq!(found.replaced.len(), 1);
        assert!(found.replaced[0].range.end > 40);
    }

    #[test]
    fn macros_and_included_files() {
        let found = read_text("#define N(x) 3\n#include \"a.h\"\nx = 1\n# 7 \"b.f90\"\n");
        assert_eq!(found.macros, ["N"]);
        assert_eq!(found.removed.len(), 1);
        assert_eq!(found.suspect.len(), 1);
        assert_eq!(found.ignored.len(), 2);
    }
}
