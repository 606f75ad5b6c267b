//! From the text of a file to its syntax tree, with errors confined to the statements that have them.
//!
//! One error can make a parser lose its way for hundreds of lines. So where the tree has errors, every statement is
//! parsed by itself; those that fail are taken out of the text (they become [`Hole`]s) and the rest is parsed again.
//! What still fails is a procedure whose constructs do not fit together: its body becomes one hole.

mod removal;

use std::ops::Range;

use tree_sitter::{Parser, Tree};

use super::classify::{Role, StatementText, UnitKeyword};
use super::fixed_form::FreeForm;
use super::includes::{IncludedFile, Surroundings, admit_preprocessor_includes, read_included, remove_idle_includes};
use super::lexer::Lexed;
use super::preprocessed_lines::PreprocessedLines;
use super::preprocessor::{self, Preprocessing};
use super::source_text::SourceText;
use super::syntax_tree::{Node, SyntaxTree};
use super::unclear::Unclear;
use super::{conditions, misreadings, outline, patch};
use crate::frontend::FrontendError;
use crate::ir::{Language, SourceFile, UntouchableCause};
use crate::source_layout::SourceLayout;

use self::removal::{
    add_hole, blank, lexical_problem, merge, remove_cut, remove_kept, remove_kept_units, remove_preprocessed,
    remove_unreadable, trim,
};

/// So often what was misread is taken out and the rest parsed again. Where that still brings something to light, everything
/// is taken out.
const MOST_ROUNDS: usize = 8;

/// A stretch of the file that the tree does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    /// Its bytes.
    pub range: Range<usize>,
    /// Why it could not be read.
    pub why: String,
    /// What that is to a procedure that it is a part of.
    pub cause: UntouchableCause,
    /// The grammar could not read it (rather than: the preprocessor decides what is there).
    pub is_error: bool,
    /// It begins, divides or ends a construct or a procedure: what surrounds it is not as the tree shows it.
    pub structural: bool,
}

/// A file that has been parsed.
pub struct ParsedFile {
    /// Its tokens and statements, those in holes included.
    pub lexed: Lexed,
    /// The tree of the file; of holes and substituted names it shows the places only.
    pub tree: SyntaxTree,
    /// What is not in the tree, in order, disjoint.
    pub holes: Vec<Hole>,
    /// What the preprocessor lines mean.
    pub preprocessing: Preprocessing,
    /// The file as free form, where it is in fixed form or a token stands on several lines: all positions are positions in it.
    pub free_form: Option<FreeForm>,
    /// The lines that are its lines to the preprocessor, where one reads it: all positions are positions in their text, where it is
    /// in free form.
    pub lines: Option<PreprocessedLines>,
    /// The files that it includes, as far as they were found.
    pub included: Vec<IncludedFile>,
}

/// Parses `original`. It goes through the preprocessor if it `is_preprocessed`, and in any case if it has conditions for one.
pub fn parse(
    original: &[u8],
    layout: SourceLayout,
    is_preprocessed: bool,
    surroundings: &Surroundings,
) -> Result<ParsedFile, FrontendError> {
    parse_but(original, layout, is_preprocessed, surroundings, &[])
}

/// Parses `original` without the statements that need not be looked at because they lie in what was `kept`.
fn parse_but(
    original: &[u8],
    layout: SourceLayout,
    is_preprocessed: bool,
    surroundings: &Surroundings,
    kept: &[Range<usize>],
) -> Result<ParsedFile, FrontendError> {
    let mut parser = new_parser()?;
    let SourceText { free: mut normal, written, lines, free_form, has_lines, has_conditions, macros, changes } =
        SourceText::of(original, layout, is_preprocessed, surroundings);
    remove_idle_includes(&mut normal, &written, changes.idle_includes());
    let admitted = admit_preprocessor_includes(&mut normal, surroundings);
    let (mut text, lexed) = patch::patch(&normal);
    let mut preprocessing = preprocessor::read(&normal, &lexed, &surroundings.refused);
    preprocessing.has_lines = has_lines;
    preprocessing.macros.extend(macros.names().cloned());
    // What has no lines for the preprocessor may not be read by it: macros of the command line need not be known there.
    if has_conditions {
        preprocessing.numbers = conditions::numbers(&written, &normal, &lexed, layout, &macros, &changes);
    }
    if is_preprocessed || has_conditions {
        let given = surroundings.macros.names().filter(|name| Language::Fortran.dialect().may_be_written(name));
        preprocessing.replaced.extend(given.map(|name| preprocessor::replaced_below(name, 0..original.len())));
    }
    let included = read_included(&normal, &lexed, layout, &admitted, surroundings, &macros)?;
    let complete = text.clone();
    let mut holes = remove_preprocessed(&mut text, &lexed, &preprocessing);
    if let Some(form) = &free_form {
        remove_unreadable(&mut text, &lexed, form, &mut holes);
    }
    if let Some(lines) = &lines {
        remove_cut(&normal, &mut text, &lexed, lines, &preprocessing.macros, &mut holes);
        if let Some(start) = lines.unterminated {
            let why = "what the preprocessor reads here is not ended (a comment of C, or the arguments of a macro)";
            let range = start..original.len();
            preprocessing.suspect.push(Unclear { range, cause: UntouchableCause::UnknownText, why: why.to_string() });
        }
    }
    for statement in &lexed.statements {
        if let Some(why) = lexical_problem(&normal, &lexed, statement) {
            add_hole(&mut text, &lexed, statement, why, &mut holes);
        }
    }
    // In fixed form, and where lines are joined, statements are elsewhere in the file.
    if free_form.is_none() && lines.is_none() {
        if !preprocessing.has_lines {
            remove_kept_units(&mut text, &complete, &lexed, kept);
        }
        remove_kept(&mut text, &normal, &lexed, kept);
    }
    let mut tree = confined(&mut parser, &complete, &mut text, &lexed, &mut holes)?;
    for round in 1..=MOST_ROUNDS {
        let mut misread = misreadings::misread(&tree, &complete, &lexed);
        if misread.is_empty() {
            break;
        }
        if round == MOST_ROUNDS {
            misread = (0..lexed.statements.len()).collect();
        }
        for statement in misread {
            add_hole(&mut text, &lexed, &lexed.statements[statement], "syntax error".to_string(), &mut holes);
        }
        tree = confined(&mut parser, &complete, &mut text, &lexed, &mut holes)?;
    }
    merge(&mut holes);
    Ok(ParsedFile { lexed, tree, holes, preprocessing, free_form, lines, included })
}

/// The tree, once what can't be read has been taken out of the text. `complete` is the text before anything was.
fn confined(
    parser: &mut Parser,
    complete: &[u8],
    text: &mut [u8],
    lexed: &Lexed,
    holes: &mut Vec<Hole>,
) -> Result<SyntaxTree, FrontendError> {
    let mut tree = parse_bytes(parser, text)?;
    if tree.root_node().has_error() {
        remove_bad_statements(parser, text, lexed, holes)?;
        tree = parse_bytes(parser, text)?;
    }
    if tree.root_node().has_error() {
        remove_bad_units(parser, complete, text, lexed, holes)?;
        tree = parse_bytes(parser, text)?;
    }
    let mut tree = SyntaxTree::of(&tree);
    tree.recognise_pointers(text);
    Ok(tree)
}

fn new_parser() -> Result<Parser, FrontendError> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_fortran::LANGUAGE.into())
        .map_err(|error| FrontendError::Grammar { message: error.to_string() })?;
    Ok(parser)
}

fn parse_bytes(parser: &mut Parser, text: &[u8]) -> Result<Tree, FrontendError> {
    // The scanner of the grammar remembers labels of loops; nothing of one parse may reach the next.
    parser.reset();
    parser.parse(text, None).ok_or_else(|| FrontendError::Grammar { message: "the parser gave no tree".to_string() })
}

/// The statements that fail even by themselves, for the comparison of input and output.
pub fn errors_of(
    original: &[u8],
    layout: SourceLayout,
    is_preprocessed: bool,
) -> Result<Vec<(usize, String)>, FrontendError> {
    let file = parse(original, layout, is_preprocessed, &Surroundings::default())?;
    let mut errors: Vec<(usize, String)> =
        file.holes.iter().filter(|hole| hole.is_error).map(|hole| (hole.range.start, hole.why.clone())).collect();
    for node in error_nodes(file.tree.root_node()) {
        errors.push((node.start_byte(), "syntax error".to_string()));
    }
    errors.sort();
    Ok(errors)
}

/// Has the text no statement that fails, but perhaps simple ones in what was `kept` from a text in which they did not?
pub(in crate::frontend) fn is_readable(
    text: &[u8],
    file: &SourceFile,
    kept: &[Range<usize>],
) -> Result<bool, FrontendError> {
    let parsed = parse_but(text, file.layout, file.is_preprocessed, &Surroundings::default(), kept)?;
    Ok(!parsed.holes.iter().any(|hole| hole.is_error) && !parsed.tree.root_node().has_error())
}

/// The outermost nodes of the tree that are errors.
pub fn error_nodes(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        if node.is_error() || node.is_missing() {
            found.push(node);
        } else if node.has_error() {
            let children: Vec<Node<'_>> = node.children().collect();
            pending.extend(children.into_iter().rev());
        }
    }
    found
}

/// Takes out every statement that does not parse by itself.
fn remove_bad_statements(
    parser: &mut Parser,
    text: &mut [u8],
    lexed: &Lexed,
    holes: &mut Vec<Hole>,
) -> Result<(), FrontendError> {
    // In interfaces and type definitions only the whole can be judged.
    let mut interface_depth = 0_usize;
    let mut in_type = false;
    for statement in &lexed.statements {
        let words = StatementText::new(text, lexed, statement);
        let role = words.role();
        match role {
            Role::InterfaceStart => interface_depth += 1,
            Role::InterfaceEnd => interface_depth = interface_depth.saturating_sub(1),
            Role::TypeStart => in_type = true,
            Role::TypeEnd | Role::UnitStart(_) | Role::UnitEnd => in_type = false,
            _ => {}
        }
        let bytes = &text[statement.start..statement.end];
        if interface_depth > 0 || in_type || bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if let Some(sample) = sample(role, &words, bytes)
            && parse_bytes(parser, &sample)?.root_node().has_error()
        {
            add_hole(text, lexed, statement, "syntax error".to_string(), holes);
        }
    }
    Ok(())
}

/// A complete little program around one statement; `None` where it can't be judged by itself.
fn sample(role: Role, words: &StatementText<'_>, statement: &[u8]) -> Option<Vec<u8>> {
    let (before, after): (String, String) = match role {
        Role::UnitStart(keyword) => match keyword {
            UnitKeyword::ModuleProcedure => return None,
            _ => (String::new(), "\nend\n".to_string()),
        },
        Role::UnitEnd
        | Role::Contains
        | Role::InterfaceStart
        | Role::InterfaceEnd
        | Role::TypeStart
        | Role::TypeEnd
        | Role::ConstructEnd => return None,
        Role::ConstructStart(end) => {
            // `do 10 i = …` ends at its label.
            let label = words.is_word(0, "do").then(|| labelled_do(statement)).flatten();
            let end = label.map_or(end.to_string(), |label| format!("{label} continue"));
            ("subroutine s\n".to_string(), format!("\n{end}\nend subroutine\n"))
        }
        Role::ConstructMiddle(start, end) => (format!("subroutine s\n{start}\n"), format!("\n{end}\nend subroutine\n")),
        Role::Simple => ("subroutine s\n".to_string(), "\nend subroutine\n".to_string()),
    };
    let mut sample = before.into_bytes();
    sample.extend_from_slice(statement);
    sample.extend_from_slice(after.as_bytes());
    Some(sample)
}

/// The label in `do 10 …`.
fn labelled_do(statement: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(statement).to_ascii_lowercase();
    let behind = text.get(text.find("do")? + 2..)?.trim_start();
    let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

/// Takes out the bodies of procedures that do not parse by themselves. `complete` is the text before anything was
/// taken out of it.
fn remove_bad_units(
    parser: &mut Parser,
    complete: &[u8],
    text: &mut [u8],
    lexed: &Lexed,
    holes: &mut Vec<Hole>,
) -> Result<(), FrontendError> {
    for unit in &outline::read(complete, text, lexed) {
        if !unit.is_broken {
            let mut sample = text[unit.range.clone()].to_vec();
            for inner in &unit.inner {
                blank(&mut sample, inner.start - unit.range.start..inner.end - unit.range.start);
            }
            sample.push(b'\n');
            if !parse_bytes(parser, &sample)?.root_node().has_error() {
                continue;
            }
        }
        let removed = if unit.is_broken { vec![unit.range.clone()] } else { unit.body_ranges() };
        for range in removed.into_iter().map(|range| trim(complete, range)).filter(|range| !range.is_empty()) {
            let why = if unit.is_broken {
                "the first or last statement of this procedure can't be read".to_string()
            } else {
                "the statements of this procedure do not fit together (an END is missing or too many?)".to_string()
            };
            blank(text, range.clone());
            holes.push(Hole { range, why, cause: UntouchableCause::Unread, is_error: true, structural: true });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> ParsedFile {
        parse(text.as_bytes(), SourceLayout::Free, false, &Surroundings::default()).unwrap()
    }

    #[test]
    fn a_bad_statement_costs_itself() {
        let text = "program p\n  integer :: i\n  i = 1\n  i = = 2\n  call s(i\n  if (i == 1) then\n    i = 3\n  end if\nend program p\n\
                    subroutine s(i)\n  integer :: i\n  i = 4\nend subroutine s\n";
        let file = parsed(text);
        let holes: Vec<&str> = file.holes.iter().map(|hole| &text[hole.range.clone()]).collect();
        assert_eq!(holes, ["i = = 2", "call s(i"]);
        assert!(!file.tree.root_node().has_error());
        assert!(file.holes.iter().all(|hole| !hole.structural));
    }

    #[test]
    fn a_construct_without_an_end_costs_its_procedure() {
        let text = "subroutine a\n  x = 1\n  do i = 1, 3\n  x = 2\nend subroutine a\nsubroutine b\n  y = 1\nend subroutine b\n";
        let file = parsed(text);
        assert!(!file.tree.root_node().has_error());
        assert_eq!(file.holes.len(), 1);
        assert!(file.holes[0].structural);
        assert!(text[file.holes[0].range.clone()].contains("x = 1"));
        assert_eq!(file.tree.root_node().named_children().count(), 2);
    }

    #[test]
    fn a_broken_header_costs_its_procedure() {
        let text = "subroutine a(\n  x = 1\nend subroutine a\nsubroutine b\n  y = 1\nend subroutine b\n";
        let file = parsed(text);
        assert!(!file.tree.root_node().has_error());
        assert_eq!(file.tree.root_node().named_children().count(), 1);
        assert!(file.holes.iter().any(|hole| hole.range.start == 0));
    }

    #[test]
    fn statements_begin_where_they_do_and_end_with_their_lines() {
        let text = "subroutine a\n  use\n  mpi\n  x = 1\nend subroutine a\n";
        let holes: Vec<Hole> = parsed(text).holes;
        let places: Vec<&str> = holes.iter().map(|hole| &text[hole.range.clone()]).collect();
        assert_eq!(places, ["use", "mpi"]);
        let text = "subroutine a\n  do i = 1, 2\n  x = 1\n  end&\n&\n  if (x == 0) then\n  y = 2\n  end if\nend subroutine a\n";
        let file = parsed(text);
        assert!(file.holes.iter().any(|hole| hole.structural && hole.is_error), "{:?}", file.holes);
        let text =
            "subroutine a\n  do i = 1, 2\n  x = 1\n  end\nend subroutine a\nsubroutine b\n  y = 1\nend subroutine b\n";
        let file = parsed(text);
        assert!(text[file.holes[0].range.clone()].contains("x = 1"), "{:?}", file.holes);
        assert!(!file.holes.iter().any(|hole| text[hole.range.clone()].contains("y = 1")), "{:?}", file.holes);
    }

    #[test]
    fn what_the_grammar_never_reads_comes_to_an_end() {
        let text = "! none\nmodule m\n;  call s(a, & ! more";
        assert!(parsed(text).holes.iter().any(|hole| hole.is_error));
    }

    #[test]
    fn conditional_regions_are_taken_out() {
        let text = "subroutine a\n  x = 1\n#ifdef A\n  if (y) then\n#else\n  if (z) then\n#endif\n  x = 2\n  end if\nend subroutine a\n";
        let file = parsed(text);
        assert!(!file.tree.root_node().has_error());
        // The END IF has lost its IF.
        assert!(file.holes.iter().any(|hole| hole.structural));
    }

    #[test]
    fn what_stands_between_kept_statements_is_read() {
        let before = "subroutine s\ninteger :: x\nx = 1\nx = = 2\nx = 3\n";
        let after = "x = 4\nif (x == 5) x = = 5\ncall t(x)\nend subroutine\n";
        let file = SourceFile::new(std::path::Path::new("s.f90"), Vec::new(), SourceLayout::Free);
        let is_readable_with = |inserted: &str| {
            let text = [before, inserted, after].concat();
            let kept = [0..before.len(), before.len() + inserted.len()..text.len()];
            is_readable(text.as_bytes(), &file, &kept).unwrap()
        };
        // What the kept statements inside of each row say has been read before.
        assert!(is_readable_with("call u(x)\n"));
        assert!(is_readable_with("do x = 1, 2\ny = x\nend do\n"));
        let wrong = ["call u((x)\n", "y = = 1\n", "do x = 1, 2\n", "end if\n", "x = &\n", "end subroutine\n"];
        for wrong in wrong {
            assert!(!is_readable_with(wrong), "{wrong}");
        }
        // The same of procedures that are kept as a whole, whose constructs are not looked at again.
        let before = "module m\ncontains\nsubroutine t\nif (x == = 5) then\nend if\nend subroutine\nsubroutine s\n";
        let after = "end subroutine\nend module\n";
        let is_readable_with = |inserted: &str| {
            let text = [before, inserted, after].concat();
            let kept = [0..before.len(), before.len() + inserted.len()..text.len()];
            is_readable(text.as_bytes(), &file, &kept).unwrap()
        };
        assert!(is_readable_with("call u(x)\n"));
        for wrong in wrong {
            assert!(!is_readable_with(wrong), "{wrong}");
        }
        let text = [before, after].concat();
        assert!(!is_readable(text.as_bytes(), &file, &[]).unwrap());
    }

    #[test]
    fn errors_are_listed_by_place() {
        assert_eq!(errors_of(b"x = 1\ny = (\nend\n", SourceLayout::Free, false).unwrap().len(), 1);
        assert!(errors_of(b"x = 1\ny = 2\nend\n", SourceLayout::Free, false).unwrap().is_empty());
    }
}
