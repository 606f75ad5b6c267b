//! Text that stands in a source file in the place of what its preprocessor replaces: of lines that include other files, and of
//! macros.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// An included file whose text stands in the place of the line that includes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// The bytes of the text, which are whole lines.
    pub range: Range<usize>,
    /// The line that they stand for, its line feed included if it has one.
    pub line: Vec<u8>,
    /// The name in that line.
    pub name: String,
    /// The included file.
    pub path: PathBuf,
    /// How many expansions it stands in.
    pub depth: usize,
}

/// A macro that is replaced by what it stands for. It changes no line's number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroExpansion {
    /// The bytes that stand in its place.
    pub range: Range<usize>,
    /// Its name, with its arguments if it has some; or all of the lines that hold it.
    pub original: Vec<u8>,
}

/// The expansions of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expansions {
    /// An outer one stands in front of those in it, all others are in the order of the text.
    included: Vec<Expansion>,
    /// In the order of the text.
    macros: Vec<MacroExpansion>,
}

/// A line of a file, for people: `12`, or `12 of body.inc` where it takes more to tell it from others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The name of the file, where the text around comes from several.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub number: usize,
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            None => write!(formatter, "{}", self.number),
            Some(file) => write!(formatter, "{} of {file}", self.number),
        }
    }
}

/// Where something is in the files that people know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin<'a> {
    /// The included file; `None` for the file itself.
    pub path: Option<&'a Path>,
    /// The line in that, counted from 1.
    pub line: usize,
}

impl Expansions {
    /// These files in whatever order, and these macros in the order of the text.
    pub fn new(mut included: Vec<Expansion>, macros: Vec<MacroExpansion>) -> Self {
        included.sort_by_key(|expansion| (expansion.range.start, expansion.depth));
        Self { included, macros }
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.included.is_empty() && self.macros.is_empty()
    }

    /// The files.
    pub fn included(&self) -> &[Expansion] {
        &self.included
    }

    /// The macros.
    pub fn macros(&self) -> &[MacroExpansion] {
        &self.macros
    }

    /// The macros of which all that stands for them is in the range.
    pub fn macros_within(&self, range: &Range<usize>) -> impl Iterator<Item = &MacroExpansion> {
        let first = self.macros.partition_point(|replaced| replaced.range.start < range.start);
        let end = range.end;
        self.macros[first..].iter().take_while(move |replaced| replaced.range.end <= end)
    }

    /// The files around the byte `offset`, from the outermost to the innermost.
    pub fn around(&self, offset: usize) -> impl Iterator<Item = &Expansion> {
        let before = self.included.partition_point(|expansion| expansion.range.start <= offset);
        self.included[..before].iter().filter(move |expansion| offset < expansion.range.end)
    }

    /// Where the byte `offset` comes from. `row` gives the line of a byte, counted from 0, in the text with the expansions.
    pub fn origin(&self, offset: usize, row: impl Fn(usize) -> usize) -> Origin<'_> {
        let around = self.around(offset).last();
        let (start, depth) = around.map_or((0, 0), |around| (around.range.start, around.depth + 1));
        // Each of those before it stands for one line.
        let before = self
            .included
            .iter()
            .filter(|other| other.depth == depth && start <= other.range.start && other.range.end <= offset);
        let surplus: usize = before.map(|other| row(other.range.end) - row(other.range.start) - 1).sum();
        Origin { path: around.map(|around| around.path.as_path()), line: 1 + row(offset) - row(start) - surplus }
    }

    /// The files that are written out because something `is_changed` in them, and those that are written as their lines: the outermost
    /// ones of all others.
    pub fn divided(&self, is_changed: impl Fn(&Expansion) -> bool) -> (Vec<&Expansion>, Vec<&Expansion>) {
        let (mut changed, mut others): (Vec<&Expansion>, Vec<&Expansion>) = (Vec::new(), Vec::new());
        for expansion in &self.included {
            let is_inside =
                |outer: &&Expansion| outer.depth < expansion.depth && expansion.range.end <= outer.range.end;
            if others.last().is_some_and(is_inside) {
                continue;
            }
            let list = if is_changed(expansion) { &mut changed } else { &mut others };
            list.push(expansion);
        }
        (changed, others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expansion(range: Range<usize>, path: &str, depth: usize) -> Expansion {
        let line = format!("include '{path}'\n").into_bytes();
        Expansion { range, line, name: path.to_string(), path: PathBuf::from(path), depth }
    }

    /// `a` is one line of the file, then come two lines of `x`, of which the second one is two of `y`, then one of `z`.
    const TEXT: &[u8] = b"a\nx\ny\ny\nz\nb\n";

    fn expansions() -> Expansions {
        let included = vec![expansion(4..8, "y", 1), expansion(2..8, "x", 0), expansion(8..10, "z", 0)];
        Expansions::new(included, Vec::new())
    }

    #[test]
    fn places_are_those_of_the_included_files() {
        let row = |offset: usize| TEXT[..offset].iter().filter(|&&byte| byte == b'\n').count();
        let found: Vec<(Option<String>, usize)> = [0, 2, 4, 6, 8, 10, 12]
            .into_iter()
            .map(|offset| {
                let all = expansions();
                let origin = all.origin(offset, row);
                (origin.path.map(|path| path.display().to_string()), origin.line)
            })
            .collect();
        let in_file = |path: &str, line| (Some(path.to_string()), line);
        let expected =
            [(None, 1), in_file("x", 1), in_file("y", 1), in_file("y", 2), in_file("z", 1), (None, 4), (None, 5)];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_stands_for_a_line_hides_what_it_holds() {
        let all = expansions();
        let names = |list: Vec<&Expansion>| list.iter().map(|expansion| expansion.name.clone()).collect::<Vec<_>>();
        let (meant, others) = all.divided(|expansion| expansion.name == "x");
        assert_eq!((names(meant), names(others)), (vec!["x".to_string()], vec!["y".to_string(), "z".to_string()]));
        let (meant, others) = all.divided(|expansion| expansion.name == "z");
        assert_eq!((names(meant), names(others)), (vec!["z".to_string()], vec!["x".to_string()]));
    }
}
