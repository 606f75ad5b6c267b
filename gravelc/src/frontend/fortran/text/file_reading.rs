//! What a file reads as under given options, and what that rests on: two builds may read one file as two programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::conditions::{Macro, Macros};
use super::directives::{Sentinel, sentinel};
use super::includes::{MOST_WITHIN, Surroundings, is_mpif_name, quoted_name};
use super::lexer::lex;
use super::source_text::{SourceText, has_conditions, is_condition};
use crate::ir::SourceFile;
use crate::source_layout::SourceLayout;

/// What a file reads as, with what it includes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileReading {
    /// The statements that may be compiled, in tokens: those of the file, then those of what it includes.
    statements: Vec<Vec<Vec<u8>>>,
    /// What the words in them stand for that are macros, and the words in these macros.
    meanings: BTreeMap<String, Macro>,
    /// The words in them, and in its macros.
    words: BTreeSet<String>,
    /// The macros that its conditions name, where they are evaluated, with what is known of them from the command line.
    pub looked_at: BTreeMap<String, Macro>,
    /// Which directives it has.
    pub sentinels: BTreeSet<Sentinel>,
    /// The files that it includes, by the names that it has for them.
    pub included: Vec<(String, PathBuf)>,
    /// A preprocessor reads some of it.
    pub is_preprocessed: bool,
    /// The file itself has lines for a preprocessor.
    pub has_conditions: bool,
}

impl FileReading {
    /// Reads `file` as `surroundings` have it.
    pub fn of(file: &SourceFile, surroundings: &Surroundings) -> Self {
        let mut reading = Self { has_conditions: has_conditions(file.original()), ..Self::default() };
        // What is expanded is in the text already.
        let expansions = file.expansions().included().iter();
        reading.included.extend(expansions.map(|expansion| (expansion.name.clone(), expansion.path.clone())));
        reading.add(&file.text, file.layout, file.is_preprocessed, surroundings, &surroundings.macros);
        reading
    }

    /// Adds a file; `outside` is what is known of macros from the command line.
    fn add(
        &mut self,
        text: &[u8],
        layout: SourceLayout,
        is_preprocessed: bool,
        surroundings: &Surroundings,
        outside: &Macros,
    ) {
        let source = SourceText::of(text, layout, is_preprocessed, surroundings);
        self.is_preprocessed |= source.lines.is_some();
        for name in source.changes.looked_at().filter(|name| !Macros::is_special(name)) {
            let known = outside.get(name);
            // What the files around have made of it is theirs.
            if known == surroundings.macros.get(name) {
                self.looked_at.entry(name.clone()).or_insert(known);
            }
        }
        let lexed = lex(&source.free);
        let comments = lexed.comments.iter().map(|comment| &source.free[comment.clone()]);
        self.sentinels.extend(comments.filter_map(sentinel));
        let between_lines = source.free_form.iter().flat_map(|form| &form.directives);
        self.sentinels.extend(between_lines.filter_map(|(_, what)| Sentinel::of(*what)));
        let statements = source.statements().statements;
        let mut pending: Vec<String> =
            statements.iter().flatten().map(|token| String::from_utf8_lossy(token).into_owned()).collect();
        let directives = lexed.preprocessor_lines.iter().map(|line| &source.free[line.clone()]);
        pending.extend(directives.filter(|line| !is_condition(line)).flat_map(words_of));
        while let Some(word) = pending.pop() {
            if word.starts_with(['\'', '"']) {
                pending.extend(words_of(word.as_bytes()));
            } else if self.words.insert(word.clone())
                && let Some(known) = source.macros.known.get(&word).filter(|known| **known != Macro::Undefined)
            {
                if let Macro::Defined(value) = known {
                    pending.extend(words_of(value.as_bytes()));
                }
                self.meanings.insert(word, known.clone());
            }
        }
        let names = statements.iter().filter_map(|statement| match statement.as_slice() {
            [word, name] if word.eq_ignore_ascii_case(b"include") => {
                quoted_name(&String::from_utf8_lossy(name)).map(|name| (name, false))
            }
            _ => None,
        });
        let lines = lexed.preprocessor_lines.iter().filter_map(|line| {
            let line = String::from_utf8_lossy(&source.free[line.clone()]).into_owned();
            let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
            quoted_name(rest).map(|name| (name, true))
        });
        let included: Vec<(String, bool)> = names.chain(lines).filter(|(name, _)| !is_mpif_name(name)).collect();
        self.statements.extend(statements);
        for (name, is_preprocessed) in included {
            let Some((path, content)) = surroundings.find(&name) else { continue };
            if self.included.len() == MOST_WITHIN {
                return;
            }
            let inside = surroundings.inside(&path, &source.macros);
            self.included.push((name, path));
            self.add(&content, layout, is_preprocessed, &inside, outside);
        }
    }

    /// Are the statements the same, and do their words stand for the same?
    pub fn is_same_program(&self, other: &Self) -> bool {
        self.statements == other.statements && self.meanings == other.meanings
    }

    /// Does a macro from outside stand for something in it?
    pub fn has_meanings(&self) -> bool {
        !self.meanings.is_empty()
    }

    /// Is the word one of its statements', or of its macros'?
    pub fn names(&self, word: &str) -> bool {
        self.words.contains(word)
    }
}

fn words_of(text: &[u8]) -> Vec<String> {
    let parts = text.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
    parts.filter(|part| !part.is_empty()).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}
