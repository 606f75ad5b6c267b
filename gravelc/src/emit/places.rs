//! What asks the preprocessor for its place (`__FILE__`, `__LINE__`) is told the one that it has in the input.
//!
//! Behind an edit that writes more or fewer lines than it replaces, `#line` says which line comes next; at the top it says
//! which file this is. Both only in files that a preprocessor reads, and only where something asks.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use super::edits::{Edits, Order};
use crate::ir::{Program, SourceFile};

/// What asks by itself.
const PLACES: [&str; 2] = ["__FILE__", "__LINE__"];

/// The line that tells the preprocessor where the next one comes from.
pub fn line_directive(path: &Path, line: usize, feed: &str) -> String {
    match path.to_str().filter(|path| !path.contains(['"', '\\', '\n'])) {
        Some(path) => format!("#line {line} \"{path}\"{feed}"),
        None => String::new(),
    }
}

/// Adds the directives that the file needs with these edits.
pub fn tell_places(program: &Program, file: &SourceFile, edits: &mut Edits) {
    if !file.is_preprocessed || edits.is_empty() {
        return;
    }
    let asking = asking_names(program, file);
    let asks = |range: Range<usize>| words(&file.text[range]).any(|word| asking.contains(word));
    if !asks(0..file.text.len()) {
        return;
    }
    let feed = file.line_feed();
    let told = |offset: usize| line_directive(file.path_of(offset), file.line_of(offset), feed);
    let moved = edits.lines_moved(&file.text);
    for (index, &behind) in moved.iter().enumerate() {
        let next = moved.get(index + 1).copied().unwrap_or(file.text.len());
        if asks(behind..next.max(behind)) {
            edits.insert(behind, Order::Place, told(behind));
        }
    }
    if !edits.begins_at(0) {
        edits.insert(0, Order::Place, told(0));
    }
}

/// The names whose replacement tells a place: the preprocessor's own, and macros that come to name one of them.
fn asking_names(program: &Program, file: &SourceFile) -> BTreeSet<String> {
    let texts = std::iter::once(&file.text).chain(program.included.values());
    let definitions: Vec<(String, Vec<String>)> = texts.flat_map(|text| definitions_in(text)).collect();
    let mut asking: BTreeSet<String> = PLACES.map(str::to_owned).into();
    loop {
        let before = asking.len();
        for (name, replacement) in &definitions {
            if replacement.iter().any(|word| asking.contains(word)) {
                asking.insert(name.clone());
            }
        }
        if asking.len() == before {
            return asking;
        }
    }
}

/// The macros that are defined in a text, each with the words behind its name. Lines that a backslash joins count as one.
fn definitions_in(text: &[u8]) -> Vec<(String, Vec<String>)> {
    let text = String::from_utf8_lossy(text).replace("\\\r\n", " ").replace("\\\n", " ");
    let defined = text.lines().filter_map(|line| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let mut words = words(directive.as_bytes()).map(str::to_owned);
        Some((words.next()?, words.collect()))
    });
    defined.collect()
}

/// The names in a text.
fn words(text: &[u8]) -> impl Iterator<Item = &str> {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.split(move |byte| !is_of_name(byte))
        .filter_map(|word| std::str::from_utf8(word).ok())
        .filter(|word| !word.is_empty())
}
