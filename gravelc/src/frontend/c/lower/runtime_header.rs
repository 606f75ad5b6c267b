//! Where `gravel.h` is included, and which macros it would meet there.
//!
//! It stands behind the line that brings `mpi.h`, itself or through headers of the program: macros that are defined behind that line do
//! not reach it, and those in front of it have met `mpi.h` already. But `gravel.h` has names of its own.

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use crate::frontend::c::preprocess::{self, Place, SourceText};

/// The header, without what comments say.
const HEADER: &str = include_str!("../../../../runtime/include/gravel.h");

/// What `gravel.h` declares that is not the runtime's or MPI's alone: parameters, members and variables. What words of C and of its library
/// a program defines (`inline`, `free`) is its own affair.
static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let code = HEADER.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
    let lines = code.flat_map(str::lines).filter(|line| !line.trim_start().starts_with('#'));
    let words: Vec<&str> = lines.flat_map(tokens_of).collect();
    let is_reserved = |word: &str| ["gravel", "GRAVEL", "MPI_", "PMPI_"].iter().any(|it| word.starts_with(it));
    let is_declared = |around: &[&str]| {
        let [before, name, behind] = around else { return false };
        let is_type =
            *before == "*" || is_word(before) && !matches!(*before, "return" | "else" | "goto" | "case" | "sizeof");
        is_type && is_word(name) && matches!(*behind, "," | ")" | ";" | "[" | "=")
    };
    let declared = words.windows(3).filter(|around| is_declared(around)).map(|around| around[1]);
    declared.filter(|name| !is_reserved(name) && !TYPES.contains(name)).collect()
});

/// Types of more than one word end with these.
const TYPES: [&str; 6] = ["char", "int", "long", "short", "unsigned", "void"];

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

/// Words, and all other characters one by one.
fn tokens_of(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let word = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let (token, behind) = rest.split_at(word.max(first));
        tokens.push(token);
        rest = behind.trim_start();
    }
    tokens
}

/// Where the line ends with which the translated file includes MPI's header, itself or by a header of the program.
pub fn behind_mpi(read: &preprocess::Unit) -> Option<usize> {
    let main = read.file(preprocess::FileId::MAIN);
    let mut inclusions =
        directives(read).filter_map(|place| Some((included(text_of(main, place)?)?, place.end as usize)));
    inclusions.find(|(name, _)| brings_mpi(read, name)).map(|(_, end)| end)
}

/// A macro of the program, defined in front of that line, whose name `gravel.h` has: its name and where it is defined, as far as
/// that is in the translated file.
pub fn macro_in_the_way(read: &preprocess::Unit, behind: Option<usize>) -> Option<(String, Option<Place>)> {
    let main = read.file(preprocess::FileId::MAIN);
    for place in directives(read).filter(|place| behind.is_none_or(|behind| (place.start as usize) < behind)) {
        let Some(text) = text_of(main, place) else { continue };
        if let Some(name) = defined(text).filter(|name| NAMES.contains(name)) {
            return Some((name.to_owned(), Some(place)));
        }
        let Some(name) = included(text) else { continue };
        for header in brought_by(read, name) {
            let name = header.split('\n').filter_map(defined).find(|name| NAMES.contains(name));
            if let Some(name) = name {
                return Some((name.to_owned(), Some(place)));
            }
        }
    }
    None
}

/// How all names begin that the emitted code has of its own.
const OWN: [&str; 2] = ["gravel_", "GRAVEL_"];

/// The guard of the runtime's header, which that defines itself.
const GUARD: &str = "#define GRAVEL_H\n";

/// Is it a name of the emitted code?
pub fn is_of_runtime(name: &str) -> bool {
    OWN.iter().any(|beginning| name.starts_with(beginning))
}

/// A macro of the program with a name of the emitted code: its name, and where it is defined or brought.
pub fn macro_of_runtime(read: &preprocess::Unit) -> Option<(String, Place)> {
    let main = read.file(preprocess::FileId::MAIN);
    directives(read).find_map(|place| {
        let text = text_of(main, place)?;
        let own = defined(text).filter(|name| is_of_runtime(name)).map(str::to_owned);
        let in_header = || {
            let headers = brought_by(read, included(text)?).into_iter().filter(|header| !header.contains(GUARD));
            let mut names = headers.flat_map(|header| header.split('\n').filter_map(defined));
            names.find(|name| is_of_runtime(name)).map(str::to_owned)
        };
        Some((own.or_else(in_header)?, place))
    })
}

/// The directives of the translated file, in order.
fn directives(read: &preprocess::Unit) -> impl Iterator<Item = Place> {
    let own = read.directives.iter().filter(|place| place.file == preprocess::FileId::MAIN);
    let mut places: Vec<Place> = own.copied().collect();
    places.sort_unstable();
    places.into_iter()
}

fn text_of(file: &SourceText, place: Place) -> Option<&str> {
    std::str::from_utf8(file.text.get(place.start as usize..place.end as usize)?).ok()
}

/// The words behind `#` and the name of a directive.
fn words_of<'t>(line: &'t str, directive: &str) -> Option<&'t str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix(directive)?;
    Some(rest.trim())
}

/// What an `#include` names, with its brackets or quotes.
fn included(line: &str) -> Option<&str> {
    words_of(line, "include").filter(|name| name.starts_with(['<', '"']))
}

/// The macro that a `#define` defines.
fn defined(line: &str) -> Option<&str> {
    let name = words_of(line, "define")?;
    name.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next()
}

fn is_mpi(name: &str) -> bool {
    name.starts_with("<mpi.h>") || name.starts_with("\"mpi.h\"")
}

fn brings_mpi(read: &preprocess::Unit, name: &str) -> bool {
    let has_mpi = |text: &str| text.split('\n').filter_map(included).any(is_mpi);
    is_mpi(name) || brought_by(read, name).into_iter().any(has_mpi)
}

/// The texts of the program's headers that an inclusion brings, as far as their names tell, whatever the conditions around.
fn brought_by<'u>(read: &'u preprocess::Unit, name: &str) -> Vec<&'u str> {
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let mut names = vec![name.to_owned()];
    while let Some(name) = names.pop() {
        let name = name.trim_start_matches(['<', '"']);
        let name = name.split(['>', '"']).next().unwrap_or_default();
        let of_name = |file: &SourceText| !file.is_system && file.path.ends_with(name.trim_start_matches("./"));
        let headers = read.files.iter().enumerate().skip(1).filter(|(_, file)| of_name(file));
        for (number, file) in headers {
            if found.insert(number) {
                let text = std::str::from_utf8(&file.text).unwrap_or_default();
                names.extend(text.split('\n').filter_map(included).map(str::to_owned));
            }
        }
    }
    found.into_iter().filter_map(|number| std::str::from_utf8(&read.files[number].text).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_names_of_its_own() {
        for name in ["iterations", "count", "tag"] {
            assert!(NAMES.contains(name), "{name}");
        }
        for name in [
            "gravel_wait",
            "MPI_Wait",
            "handshake",
            "GRAVEL_H",
            "inline",
            "int",
            "char",
            "free",
            "size_t",
            "NULL",
            "const",
        ] {
            assert!(!NAMES.contains(name), "{name}");
        }
    }

    #[test]
    fn directives_are_taken_apart() {
        assert_eq!(included(" # include <mpi.h> /* a */"), Some("<mpi.h> /* a */"));
        assert_eq!(included("#include MPI_HEADER"), None);
        assert_eq!(defined("# define count(a) a"), Some("count"));
        assert_eq!(defined("#undef count"), None);
    }
}
