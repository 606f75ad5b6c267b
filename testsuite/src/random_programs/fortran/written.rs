//! A file of programs: which of them each part of it belongs to.

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

/// Begins the comment in front of what belongs to a program; its number follows.
pub(super) const PROGRAM: &str = "! Program ";
/// The comment in front of a main program that only calls the others.
pub(super) const CALLER: &str = "! All of them";

/// The texts of so many programs in a file, as [`write()`](super::write) has written it or as a compiler has changed it.
pub fn programs_of(text: &str, count: usize) -> Vec<String> {
    let mut texts = vec![String::new(); count];
    let text = text.split_once(CALLER).map_or(text, |(programs, _)| programs);
    for part in text.split(PROGRAM).skip(1) {
        let (number, part) = part.split_once('\n').unwrap_or((part, ""));
        if let Some(text) = number.trim().parse::<usize>().ok().and_then(|number| texts.get_mut(number)) {
            text.push_str(part);
        }
    }
    texts
}
