//! What preprocessing a translation unit gives.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::dialect::Dialect;
use super::lexer;
use super::problem::Problem;
use super::symbols::{Symbol, Symbols};
use super::token::{FileId, Place, Step, StepId, Token};

/// A translation unit behind translation phase 4: its tokens, and how they came to be.
#[derive(Debug, Default)]
pub struct Unit {
    /// All spellings.
    pub symbols: Symbols,
    /// The files that were read; the first one is the one that is translated.
    pub files: Vec<SourceText>,
    /// The tokens, in order.
    pub tokens: Vec<Token>,
    /// The invocations of macros, by [`StepId`] less one.
    pub steps: Vec<Step>,
    /// The conditions of the program's own files, in the order of their evaluation.
    pub conditions: Vec<Condition>,
    /// Lines of the program's own files that do not count, since a condition says so.
    pub inactive: Vec<Place>,
    /// The directives of the program's own files, from `#` to the last token.
    pub directives: Vec<Place>,
    /// The names of headers that are the system's or that are nowhere, as `#include` has them, each once.
    pub headers: Vec<HeaderName>,
    /// Where `__COUNTER__` has been replaced, by the outermost macros' invocations.
    pub counters: Vec<Place>,
    /// Arguments in the program's own files that a macro does not use just once and as they are.
    pub arguments: Vec<UnlikeArgument>,
    /// What is wrong with the text. A unit that has any is not what a compiler would take.
    pub problems: Vec<Problem>,
    /// The names of the macros without parameters that were defined at some time.
    pub replaced: HashSet<Symbol>,
    /// The forms of the compiler.
    pub(super) dialect: Dialect,
    /// By symbol: is it the name of a macro that was defined at some time, or of one that the command line undefines?
    pub(super) known: Vec<bool>,
}

/// A file that is part of a unit.
#[derive(Debug, Clone)]
pub struct SourceText {
    /// Where it is.
    pub path: PathBuf,
    /// What is the same for all paths to it.
    pub(super) identity: PathBuf,
    /// Its name as `__FILE__` has it.
    pub name: Vec<u8>,
    /// It is a header of the system: found in a folder of the compiler's own or one of `-isystem`.
    pub is_system: bool,
    /// Its bytes.
    pub text: Arc<[u8]>,
    /// How many of its inclusions gave tokens.
    pub inclusions: u32,
    /// Where its lines begin.
    lines: Vec<u32>,
}

impl SourceText {
    /// A file with this text.
    pub(super) fn new(path: PathBuf, name: Vec<u8>, is_system: bool, text: Arc<[u8]>) -> Self {
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
        Self { identity: path.clone(), path, name, is_system, text, inclusions: 0, lines }
    }

    /// The line, from 1, of a byte.
    pub fn line(&self, at: u32) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }

    /// The byte behind the end of the line of a byte.
    pub(super) fn line_end(&self, at: u32) -> u32 {
        self.lines.get(self.line(at)).copied().unwrap_or(self.text.len() as u32)
    }
}

/// A condition that was evaluated: of `#if`, `#ifdef`, `#ifndef` or `#elif`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The directive.
    pub place: Place,
    /// Its value.
    pub holds: bool,
    /// The names that it asks for with `defined` or uses without a definition, with whether they are defined.
    pub names: Vec<(Symbol, bool)>,
    /// It keeps a header from being read twice.
    pub is_guard: bool,
}

/// The name of a header that is not the program's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderName {
    /// The name.
    pub name: Symbol,
    /// Does a file of the program name it, or does only a header of the system?
    pub is_asked_by_program: bool,
}

/// What a macro does with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArgumentUse {
    /// Nothing: it is in no token.
    Never,
    /// It is in the text more than once.
    Repeated,
    /// Its text is made a string.
    Stringified,
    /// A part of it is joined to something else.
    Pasted,
}

/// An argument that is not in the text just once and as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnlikeArgument {
    /// The argument's tokens.
    pub place: Place,
    /// The name, in the same file, of the macro whose argument it is, directly or through others.
    pub invocation: u32,
    /// What is done with it.
    pub usage: ArgumentUse,
}

impl Unit {
    /// The file of this number.
    pub fn file(&self, file: FileId) -> &SourceText {
        &self.files[file.index()]
    }

    /// The invocation of this number, if it is one.
    pub fn step(&self, step: StepId) -> Option<&Step> {
        self.steps.get((step.0 as usize).checked_sub(1)?)
    }

    /// The invocations that a token came through, the outermost one first.
    pub fn chain(&self, token: &Token) -> Vec<StepId> {
        let mut chain = Vec::new();
        let mut next = token.step;
        while let Some(step) = self.step(next) {
            chain.push(next);
            next = step.outer;
        }
        chain.reverse();
        chain
    }

    /// Where in a file the token comes from: its own place, or that of the outermost macro's invocation.
    pub fn origin(&self, token: &Token) -> Place {
        let mut place = token.place;
        let mut next = token.step;
        while let Some(step) = self.step(next) {
            place = step.place();
            next = step.outer;
        }
        place
    }

    /// The tokens that a part of a file spells.
    pub fn spelled_in(&self, place: Place) -> Vec<Place> {
        let text = self.file(place.file).text.get(place.start as usize..place.end as usize).unwrap_or_default();
        let tokens = lexer::lex(text, place.file, &self.dialect, &mut Symbols::default()).tokens;
        let moved = |at: u32| at + place.start;
        tokens
            .iter()
            .map(|token| Place { start: moved(token.place.start), end: moved(token.place.end), ..place })
            .collect()
    }

    /// File and line, from 1, for people.
    pub fn line_of(&self, place: Place) -> (PathBuf, usize) {
        let file = self.file(place.file);
        (file.path.clone(), file.line(place.start))
    }

    /// Notes the name of a header that is not the program's own.
    pub(super) fn add_header(&mut self, name: Symbol, is_asked_by_program: bool) {
        match self.headers.iter_mut().find(|known| known.name == name) {
            Some(known) => known.is_asked_by_program |= is_asked_by_program,
            None => self.headers.push(HeaderName { name, is_asked_by_program }),
        }
    }

    /// The names that conditions of the program's own files ask for and that nobody has defined anywhere in the unit. Those that keep
    /// a header from being read twice are not among them.
    pub fn unknown_names(&self) -> Vec<Symbol> {
        let asked =
            self.conditions.iter().filter(|condition| !condition.is_guard).flat_map(|condition| &condition.names);
        let mut names: Vec<Symbol> = asked.filter(|(_, is_defined)| !is_defined).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|name| !self.known.get(name.index()).copied().unwrap_or(false));
        names
    }
}
