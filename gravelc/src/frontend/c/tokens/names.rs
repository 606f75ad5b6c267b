//! Names as numbers.

use std::collections::HashMap;

use super::Keyword;
use super::keywords::SPELLINGS;

/// A name, as a number that the [`Names`] of its text have given it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

impl Name {
    /// Its number: names are counted from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a word is.
#[derive(Clone, Copy)]
enum Word {
    Keyword(Keyword),
    Name(Name),
}

/// All names of a text.
#[derive(Clone)]
pub struct Names {
    words: HashMap<Box<str>, Word>,
    texts: Vec<Box<str>>,
}

impl Default for Names {
    fn default() -> Self {
        let words = SPELLINGS.iter().map(|(text, keyword)| ((*text).into(), Word::Keyword(*keyword)));
        Self { words: words.collect(), texts: Vec::new() }
    }
}

impl Names {
    /// The name that is spelled so, or the keyword.
    pub(in crate::frontend::c) fn word(&mut self, text: &str) -> Result<Name, Keyword> {
        match self.words.get(text) {
            Some(Word::Name(name)) => Ok(*name),
            Some(Word::Keyword(keyword)) => Err(*keyword),
            None => {
                let name = Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
                self.texts.push(text.into());
                self.words.insert(text.into(), Word::Name(name));
                Ok(name)
            }
        }
    }

    /// The number of a spelling that may not occur in the text.
    pub fn intern(&mut self, text: &str) -> Option<Name> {
        self.word(text).ok()
    }

    /// The number of a spelling that occurs in the text and is no keyword.
    pub fn find(&self, text: &str) -> Option<Name> {
        match self.words.get(text) {
            Some(Word::Name(name)) => Some(*name),
            _ => None,
        }
    }

    /// How it is spelled.
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.index()).map_or("", |text| text)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.texts.len()
    }
}
