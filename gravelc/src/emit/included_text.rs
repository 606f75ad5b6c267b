//! What a file with expansions is written as: those without edits as the lines that include them, byte for byte; those with
//! edits stay written out, between comments that name the included file.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::edits::{EditConflict, Edits, Order};
use crate::ir::{Expansion, SourceFile};

/// The file after all edits, as it is written, and the files whose text it holds now.
pub fn written(file: &SourceFile, edits: &Edits) -> Result<(Vec<u8>, Vec<PathBuf>), EditConflict> {
    let is_changed = |expansion: &Expansion| edits.touches(expansion.range.start, expansion.range.end);
    let (changed, others) = file.expansions().divided(is_changed);
    let mut edits = edits.clone();
    for expansion in others {
        let line = String::from_utf8_lossy(&expansion.line).into_owned();
        edits.replace(expansion.range.start, expansion.range.end, line);
    }
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

/// Does a line from `start` on ask the preprocessor for its place?
fn asks_for_places(file: &SourceFile, start: usize) -> bool {
    let names: [&[u8]; 2] = [b"__FILE__", b"__LINE__"];
    let is_preprocessed =
        file.is_preprocessed || file.expansions().iter().any(|expansion| expansion.line.starts_with(b"#"));
    is_preprocessed && names.iter().any(|name| file.text[start..].windows(name.len()).any(|text| text == *name))
}

/// The line that tells the preprocessor where the next one comes from.
fn line_directive(path: &Path, line: usize, feed: &str) -> String {
    match path.to_str().filter(|path| !path.contains(['"', '\\', '\n'])) {
        Some(path) => format!("#line {line} \"{path}\"{feed}"),
        None => String::new(),
    }
}

/// The name as it may stand in a comment, whatever reads that.
fn printable(name: &str) -> String {
    let is_plain = |character: &char| character.is_ascii_alphanumeric() || "._-+/".contains(*character);
    name.chars().map(|character| if is_plain(&character) { character } else { '?' }).collect()
}
