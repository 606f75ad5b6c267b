//! What a file with expansions is written as: included files without edits as the lines that include them, byte for byte; those
//! with edits stay written out, between comments that name the included file. Macros stand in it where no edit changes a part of
//! what stands for them.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::edits::{EditConflict, Edits, Order};
use super::places::line_directive;
use crate::ir::{Expansion, SourceFile};

/// The file after all edits, as it is written, and the files whose text it holds now.
pub fn written(file: &SourceFile, edits: &Edits) -> Result<(Vec<u8>, Vec<PathBuf>), EditConflict> {
    // Behind a line that no line feed ends nothing can be inserted.
    let is_changed = |expansion: &Expansion| {
        let end = expansion.range.end + usize::from(!expansion.line.ends_with(b"\n"));
        edits.touches(expansion.range.start, end)
    };
    let (changed, others) = file.expansions().divided(is_changed);
    let mut edits = edits.clone();
    for expansion in others {
        let line = String::from_utf8_lossy(&expansion.line).into_owned();
        edits.replace(expansion.range.start, expansion.range.end, line);
    }
    collapse_macros(file, &mut edits);
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    for expansion in &changed {
        let feed = file.line_feed();
        let name = printable(&expansion.name);
        let Range { start, end } = expansion.range.clone();
        let tells = |path: &Path, line: usize| match asks_for_places(file, start) {
            true => line_directive(path, line, feed),
            false => String::new(),
        };
        let begin = format!("! gravel: the text of {name}, which was included here, begins{feed}");
        // Outer ones come first, and end last.
        begins.push((start, begin + &tells(&expansion.path, 1)));
        let behind = tells(file.path_of(end), file.line_of(end));
        ends.push((end, format!("! gravel: the text of {name} ends{feed}{behind}")));
    }
    // In the middle of what is replaced there is no place for a comment.
    let has_place = |(offset, _): &(usize, String)| !edits.replaces_around(*offset);
    let marks: Vec<(usize, String)> = ends.into_iter().rev().chain(begins).filter(has_place).collect();
    for (offset, mark) in marks {
        edits.insert(offset, Order::Border, mark);
    }
    let (text, _) = edits.apply(&file.text)?;
    Ok((text, changed.into_iter().map(|expansion| expansion.path.clone()).collect()))
}

/// Writes macros as they are in the file, but for those of which an edit leaves a part.
fn collapse_macros(file: &SourceFile, edits: &mut Edits) {
    for expansion in file.expansions().macros() {
        let Range { start, end } = expansion.range.clone();
        if !edits.touches(start, end) {
            edits.replace(start, end, String::from_utf8_lossy(&expansion.original).into_owned());
        }
    }
}

/// Does a line from `start` on ask the preprocessor for its place?
fn asks_for_places(file: &SourceFile, start: usize) -> bool {
    let names: [&[u8]; 2] = [b"__FILE__", b"__LINE__"];
    let is_preprocessed =
        file.is_preprocessed || file.expansions().included().iter().any(|expansion| expansion.line.starts_with(b"#"));
    is_preprocessed && names.iter().any(|name| file.text[start..].windows(name.len()).any(|text| text == *name))
}

/// The name as it may stand in a comment, whatever reads that.
fn printable(name: &str) -> String {
    let is_plain = |character: &char| character.is_ascii_alphanumeric() || "._-+/".contains(*character);
    name.chars().map(|character| if is_plain(&character) { character } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Expansions;

    /// The lines `a` and `e` of a file around `b`, `c` and `d` of `x.inc`, of which `c` is all of `y.inc`.
    fn file() -> SourceFile {
        let original = b"a\n#include \"x.inc\"  \ne\n".to_vec();
        let mut file = SourceFile::new("main.F90", original, Default::default());
        file.is_preprocessed = true;
        let expansion = |range: Range<usize>, line: &str, name: &str, depth| Expansion {
            range,
            line: line.as_bytes().to_vec(),
            name: name.to_string(),
            path: PathBuf::from("src").join(name),
            depth,
        };
        let outer = expansion(2..8, "#include \"x.inc\"  \n", "x.inc", 0);
        let inner = expansion(4..6, "include 'y.inc'\n", "y.inc", 1);
        file.expand(b"a\nb\nc\nd\ne\n".to_vec(), Expansions::new(vec![outer, inner], Vec::new()));
        file
    }

    fn text_with(file: &SourceFile, edits: &[(usize, usize, &str)]) -> (String, Vec<PathBuf>) {
        let mut all = Edits::default();
        for &(start, end, text) in edits {
            match start == end {
                true => all.insert(start, Order::Ahead, text.to_string()),
                false => all.replace(start, end, text.to_string()),
            }
        }
        let (text, written_out) = written(file, &all).unwrap();
        (String::from_utf8(text).unwrap(), written_out)
    }

    #[test]
    fn what_is_not_changed_is_written_as_its_line() {
        let file = file();
        let original = String::from_utf8(file.original().to_vec()).unwrap();
        assert_eq!(text_with(&file, &[]), (original.clone(), Vec::new()));
        // What goes between two texts is in none of them.
        let around = text_with(&file, &[(2, 2, "A\n"), (8, 8, "E\n")]);
        assert_eq!(around, ("a\nA\n#include \"x.inc\"  \nE\ne\n".to_string(), Vec::new()));
    }

    #[test]
    fn what_is_changed_is_written_out_between_comments() {
        let file = file();
        let comment = |name: &str, text: &str| format!("! gravel: the text of {name}{text}\n");
        let begins = |name: &str| comment(name, ", which was included here, begins");
        let ends = |name: &str| comment(name, " ends");
        let outer = text_with(&file, &[(2, 3, "B")]);
        let expected = format!("a\n{}B\ninclude 'y.inc'\nd\n{}e\n", begins("x.inc"), ends("x.inc"));
        assert_eq!(outer, (expected, vec![PathBuf::from("src/x.inc")]));
        let both = text_with(&file, &[(4, 5, "C"), (6, 6, "D\n")]);
        let inner = format!("{}C\n{}D\n", begins("y.inc"), ends("y.inc"));
        let expected = format!("a\n{}b\n{inner}d\n{}e\n", begins("x.inc"), ends("x.inc"));
        assert_eq!(both, (expected, vec![PathBuf::from("src/x.inc"), PathBuf::from("src/y.inc")]));
        // One edit over the end of the text: no comment fits there.
        let over = text_with(&file, &[(6, 9, "D+E")]);
        let expected = format!("a\n{}b\ninclude 'y.inc'\nD+E\n", begins("x.inc"));
        assert_eq!(over.0, expected);
    }

    #[test]
    fn what_asks_for_its_place_is_told() {
        let mut file = file();
        let text = b"a\nb\nc\nd\ne __LINE__\n".to_vec();
        let expansions = file.expansions().clone();
        file = SourceFile::new("main.F90", file.original().to_vec(), Default::default());
        file.is_preprocessed = true;
        file.expand(text, expansions);
        let (text, _) = text_with(&file, &[(2, 3, "B")]);
        assert!(text.contains("begins\n#line 1 \"src/x.inc\"\nB\n"), "{text}");
        assert!(text.contains("ends\n#line 3 \"main.F90\"\ne __LINE__\n"), "{text}");
    }
}
