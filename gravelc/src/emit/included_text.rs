//! What a file with expansions is written as: those without edits as the lines that include them, byte for byte; those with
//! edits stay written out, between comments that name the included file.

use std::ops::Range;
use std::path::PathBuf;

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
        let begin = format!("! gravel: the text of {name}, which was included here, begins{feed}");
        // Outer ones come first, and end last.
        begins.push((start, begin));
        ends.push((end, format!("! gravel: the text of {name} ends{feed}")));
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

/// The name as it may stand in a comment, whatever reads that.
fn printable(name: &str) -> String {
    let is_plain = |character: &char| character.is_ascii_alphanumeric() || "._-+/".contains(*character);
    name.chars().map(|character| if is_plain(&character) { character } else { '?' }).collect()
}
