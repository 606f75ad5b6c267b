//! A file of programs: which of them each part of it belongs to.

use super::program::Program;
use super::{c, fortran};
use crate::source_language::SourceLanguage;

/// A file.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// Its text.
    pub text: String,
    /// Which program each line belongs to.
    pub owners: Vec<Option<usize>>,
}

impl Written {
    /// Adds lines of a program, or of none.
    pub(super) fn push(&mut self, text: &str, owner: Option<usize>) {
        self.text.push_str(text);
        self.owners.extend(text.lines().map(|_| owner));
    }
}

/// Programs as one file in a language. At most one is written as the main program.
pub fn write(language: SourceLanguage, programs: &[&Program]) -> Written {
    match language {
        SourceLanguage::Fortran => fortran::write(programs),
        SourceLanguage::C => c::write(programs),
    }
}

/// What begins the comment in front of what belongs to a program; its number follows.
const PROGRAM: &str = "Program ";
/// The comment in front of a main program that only calls the others.
const CALLER: &str = "All of them";

/// The line in front of what belongs to a program; without one, of a main program that only calls the others.
pub(super) fn headline(language: SourceLanguage, program: Option<usize>) -> String {
    let words = program.map_or_else(|| CALLER.to_owned(), |number| format!("{PROGRAM}{number}"));
    match language {
        SourceLanguage::Fortran => format!("! {words}\n"),
        SourceLanguage::C => format!("/* {words} */\n"),
    }
}

/// The texts of so many programs in a file, as [`write()`] has written it or as a compiler has changed it.
pub fn programs_of(language: SourceLanguage, text: &str, count: usize) -> Vec<String> {
    let mut texts = vec![String::new(); count];
    let mut owner = None;
    for line in text.lines() {
        let remark = language.remark(line);
        if let Some(number) = remark.and_then(|words| words.strip_prefix(PROGRAM)?.parse::<usize>().ok()) {
            owner = Some(number);
        } else if remark == Some(CALLER) {
            owner = None;
        } else if let Some(text) = owner.and_then(|number| texts.get_mut(number)) {
            text.push_str(line);
            text.push('\n');
        }
    }
    texts
}
