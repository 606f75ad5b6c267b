//! One run over a translation unit: where its tokens come from.
//!
//! The algorithm is that of GNU's preprocessor, since what the standard leaves open (6.10.3.4, when a macro's name may be
//! replaced again) is what compilers agree on: tokens come from a stack of contexts, each the expansion of a macro, on top of
//! a stack of files. A macro is not replaced as long as its own context is on the stack.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::configuration::{Configuration, FileReader, Purpose};
use super::includes::bytes_of;
use super::lexer;
use super::macros::{Builtin, Macro, Table};
use super::problem::{Limit, Problem, ProblemKind};
use super::symbols::{Symbol, known};
use super::token::{FileId, Flags, Place, Step, StepId, Token};
use super::unit::Unit;

/// Limits that no program of people reaches.
pub(super) mod limits {
    /// Files that include one another.
    pub const INCLUDES: usize = 200;
    /// Macros in arguments of macros, or parentheses in conditions.
    pub const NESTED: usize = 200;
    /// Conditions in conditions.
    pub const CONDITIONS: usize = 1000;
    /// Bytes of one file.
    pub const FILE: usize = 256 << 20;
    /// Bytes of one spelling that `#` or `##` makes.
    pub const SPELLING: usize = 4 << 20;
    /// Bytes of all such spellings.
    pub const SPELLINGS: usize = 256 << 20;
}

/// The state of a run.
pub(super) struct Run<'a> {
    pub configuration: &'a Configuration,
    pub reader: &'a dyn FileReader,
    pub purpose: Purpose,
    pub unit: Unit,
    pub macros: Table,
    pub frames: Vec<Frame>,
    contexts: Vec<Context>,
    /// Above zero, macros stay names.
    pub prevented: usize,
    /// Above zero, a directive is being read.
    pub in_directive: usize,
    /// Space of macros that became nothing, for the next token.
    carried: Flags,
    /// How deep arguments are nested.
    pub nested: usize,
    work: usize,
    made: usize,
    pub counter: u32,
    pub lexed: HashMap<FileId, Rc<LexedFile>>,
    pub paths: HashMap<Vec<u8>, Option<FileId>>,
    /// Files that are read once only.
    pub once: HashSet<FileId>,
    /// The names that the condition asks for which is being evaluated.
    pub names_in_condition: Vec<(Symbol, bool)>,
}

/// A file's tokens.
#[derive(Debug)]
pub(super) struct LexedFile {
    pub tokens: Vec<Token>,
    /// The macro that, if defined, makes a file nothing: all its tokens stand in `#ifndef NAME`.
    pub guard: Option<Symbol>,
}

/// A file that is being read.
#[derive(Debug)]
pub(super) struct Frame {
    pub file: FileId,
    pub source: Rc<LexedFile>,
    /// The next token.
    pub at: usize,
    pub is_system: bool,
    /// The folder of the search path in which it was found.
    pub found_in: Option<usize>,
    /// Its open conditions.
    pub conditions: Vec<Open>,
    /// The path by which it was found.
    pub path: Vec<u8>,
    /// The name that `#line` gave it.
    pub name: Option<Vec<u8>>,
    /// What `#line` adds to its lines.
    pub lines: i64,
    /// Tokens that had come out when it began.
    pub began: usize,
}

/// An open condition.
#[derive(Debug)]
pub(super) struct Open {
    pub place: Place,
    /// One of its groups was taken.
    pub is_taken: bool,
    pub has_else: bool,
}

/// Tokens that are still to be read: a macro's expansion, an argument, the line of a directive.
#[derive(Debug)]
struct Context {
    tokens: Vec<Token>,
    at: usize,
    /// The macro that is not replaced in here.
    owner: Option<Symbol>,
    /// Nothing below is read from here.
    is_closed: bool,
    /// Space behind its last token.
    trailing: Flags,
}

/// Where a token that was read comes from, so that it can be given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Context,
    File,
}

impl<'a> Run<'a> {
    /// A run that has read nothing yet.
    pub fn new(configuration: &'a Configuration, reader: &'a dyn FileReader, purpose: Purpose) -> Self {
        Self {
            configuration,
            reader,
            purpose,
            unit: Unit::default(),
            macros: Table::default(),
            frames: Vec::new(),
            contexts: Vec::new(),
            prevented: 0,
            in_directive: 0,
            carried: Flags::default(),
            nested: 0,
            work: 0,
            made: 0,
            counter: 0,
            lexed: HashMap::new(),
            paths: HashMap::new(),
            once: HashSet::new(),
            names_in_condition: Vec::new(),
        }
    }

    /// Reads the unit.
    pub fn unit(mut self, path: &Path, text: Vec<u8>) -> Unit {
        // What comes beyond a limit is missing; the problem says so.
        let _ = self.read_unit(path, text);
        self.unit.dialect = self.configuration.dialect;
        let count = self.unit.symbols.len();
        self.unit.known = (0..count).map(|number| self.macros.was_defined_at(number)).collect();
        self.unit
    }

    fn read_unit(&mut self, path: &Path, text: Vec<u8>) -> Result<(), Limit> {
        let main = self.add_file(path.to_path_buf(), self.reader.identity(path), bytes_of(path), false, text);
        let name = b"<built-in>";
        let place = PathBuf::from("<built-in>");
        let predefined = self.configuration.predefined.clone();
        let builtin = self.add_file(place.clone(), place, name.to_vec(), true, predefined);
        let questions = Builtin::QUESTIONS
            .iter()
            .filter(|(name, _)| self.configuration.questions.iter().any(|known| known == name));
        for (name, kind) in Builtin::NAMES.iter().chain(questions) {
            let name = self.unit.symbols.add(name.as_bytes());
            self.macros.define(Macro::builtin(name, *kind));
        }
        for name in &self.configuration.undefined {
            let name = self.unit.symbols.add(name.as_bytes());
            self.macros.know(name);
        }
        let source = self.lexed(builtin)?;
        self.push_frame(builtin, source, name.to_vec(), None);
        self.read_all()?;
        let source = self.lexed(main)?;
        self.push_frame(main, source, bytes_of(path), None);
        // They are read first, as if the main file began with their inclusion.
        for name in self.configuration.forced.iter().rev() {
            self.force(name)?;
        }
        self.read_all()
    }

    /// Reads until no file is left.
    fn read_all(&mut self) -> Result<(), Limit> {
        while let Some(token) = self.next()? {
            if token.is_name(known::PRAGMA_OPERATOR) {
                self.pragma_operator(&token)?;
            } else {
                self.emit(token);
            }
        }
        Ok(())
    }

    /// Notes what is wrong.
    pub fn note(&mut self, kind: ProblemKind, place: Place, name: Option<Symbol>) {
        // A damaged text has many; the first ones say enough.
        if self.unit.problems.len() < 1000 || kind.is_limit() {
            self.unit.problems.push(Problem { kind, place, name });
        }
    }

    /// Counts tokens that are made.
    pub fn count(&mut self, tokens: usize, place: Place) -> Result<(), Limit> {
        self.work = self.work.saturating_add(tokens);
        if self.work > self.configuration.most_tokens {
            self.note(ProblemKind::TooLarge, place, None);
            return Err(Limit);
        }
        Ok(())
    }

    /// Counts bytes of a spelling that is made.
    pub fn count_spelling(&mut self, bytes: usize, place: Place) -> Result<(), Limit> {
        self.made = self.made.saturating_add(bytes);
        if bytes > limits::SPELLING || self.made > limits::SPELLINGS {
            self.note(ProblemKind::TooLarge, place, None);
            return Err(Limit);
        }
        Ok(())
    }

    /// Notes an invocation.
    pub fn step(&mut self, name: &Token, end: u32) -> StepId {
        let step = Step {
            name: name.symbol,
            at: name.place,
            end,
            is_in_body: name.flags.has(Flags::IN_BODY.and(Flags::MADE)),
            is_complete: true,
            outer: name.step,
        };
        self.unit.steps.push(step);
        StepId(u32::try_from(self.unit.steps.len()).unwrap_or(u32::MAX))
    }

    /// Tokens to be read next, with the space behind them.
    pub fn push(&mut self, tokens: Vec<Token>, trailing: Flags, owner: Option<Symbol>) {
        if let Some(owner) = owner {
            self.macros.disable(owner, true);
        }
        self.contexts.push(Context { tokens, at: 0, owner, is_closed: false, trailing });
    }

    /// Space for the next token.
    pub fn carry(&mut self, flags: Flags) {
        self.carried.set(flags.only(Flags::SPACE.and(Flags::LINE_START)));
    }

    /// What reading just these tokens gives, with macros replaced, and the space behind the last one.
    pub fn expanded(&mut self, tokens: Vec<Token>) -> Result<(Vec<Token>, Flags), Limit> {
        self.begin_closed(tokens)?;
        let mut found = Vec::new();
        let mut result = Ok(());
        loop {
            match self.next() {
                Ok(Some(token)) => found.push(token),
                Ok(None) => break,
                Err(limit) => {
                    result = Err(limit);
                    break;
                }
            }
        }
        let trailing = self.carried;
        self.end_closed();
        result.map(|()| (found, trailing))
    }

    /// From now on only these tokens are read.
    pub fn begin_closed(&mut self, tokens: Vec<Token>) -> Result<(), Limit> {
        self.nested += 1;
        if self.nested > limits::NESTED {
            self.nested -= 1;
            let place = tokens.first().map_or(Place { file: FileId::MAIN, start: 0, end: 0 }, |token| token.place);
            self.note(ProblemKind::NestedTooDeep, place, None);
            return Err(Limit);
        }
        self.contexts.push(Context { tokens, at: 0, owner: None, is_closed: true, trailing: Flags::default() });
        Ok(())
    }

    /// Ends what [`begin_closed`](Self::begin_closed) began. What was not read is dropped.
    pub fn end_closed(&mut self) {
        while let Some(context) = self.contexts.pop() {
            if let Some(owner) = context.owner {
                self.macros.disable(owner, false);
            }
            if context.is_closed {
                break;
            }
        }
        self.nested = self.nested.saturating_sub(1);
        self.carried = Flags::default();
    }

    /// The next token as it stands: from the macro that is being read, else from the file, whose directives are done on the way.
    pub fn read(&mut self) -> Result<Option<(Token, Origin)>, Limit> {
        let found = self.read_context();
        let found = match found {
            Some(found) => found.map(|token| (token, Origin::Context)),
            None => self.read_file()?.map(|token| (token, Origin::File)),
        };
        Ok(found.map(|(mut token, origin)| {
            token.flags.set(self.carried);
            self.carried = Flags::default();
            (token, origin)
        }))
    }

    /// The next token if it may be the parenthesis of a macro's arguments: no directive is done and no file is left for it.
    pub fn read_parenthesis(&mut self) -> Option<Token> {
        let found = self.read_context();
        let token = match found {
            Some(token) => token?,
            None => {
                let frame = self.frames.last()?;
                *frame.source.tokens.get(frame.at)?
            }
        };
        let is_file = self.contexts.is_empty();
        if token.is(known::OPEN) {
            if is_file && let Some(frame) = self.frames.last_mut() {
                frame.at += 1;
            }
            self.carried = Flags::default();
            return Some(token);
        }
        if !is_file {
            self.give_back();
        }
        None
    }

    /// The next token of the contexts: `None` if none is left, `Some(None)` at the end of a closed one.
    #[expect(clippy::option_option, reason = "the end of one context is not the end of all")]
    fn read_context(&mut self) -> Option<Option<Token>> {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(token) = context.tokens.get(context.at) {
                context.at += 1;
                return Some(Some(*token));
            }
            if context.is_closed {
                return Some(None);
            }
            self.carried.set(context.trailing);
            if let Some(owner) = self.contexts.pop().and_then(|context| context.owner) {
                self.macros.disable(owner, false);
            }
        }
        None
    }

    /// Gives back the token that the topmost context gave last.
    fn give_back(&mut self) {
        if let Some(context) = self.contexts.last_mut() {
            context.at = context.at.saturating_sub(1);
        }
    }

    /// The next token, with macros replaced.
    pub fn next(&mut self) -> Result<Option<Token>, Limit> {
        loop {
            let Some((mut token, _)) = self.read()? else { return Ok(None) };
            if token.kind != super::token::TokenKind::Identifier || token.flags.has(Flags::NO_EXPAND) {
                return Ok(Some(token));
            }
            let Some(found) = self.macros.find(token.symbol) else { return Ok(Some(token)) };
            if self.macros.is_disabled(token.symbol) {
                token.flags.set(Flags::NO_EXPAND);
                return Ok(Some(token));
            }
            if self.prevented > 0 || self.is_kept(found.stays) {
                return Ok(Some(token));
            }
            let found = Rc::clone(found);
            if !self.enter(&mut token, &found)? {
                return Ok(Some(token));
            }
        }
    }

    /// Does a macro of the system stay a name here?
    fn is_kept(&self, stays: bool) -> bool {
        stays
            && self.purpose == Purpose::Reading
            && self.in_directive == 0
            && self.frames.last().is_some_and(|frame| !frame.is_system)
    }

    /// The next token of the file, or of the file that included it. Directives are done.
    fn read_file(&mut self) -> Result<Option<Token>, Limit> {
        loop {
            let collects_arguments = self.prevented > 0;
            let Some(frame) = self.frames.last_mut() else { return Ok(None) };
            let Some(token) = frame.source.tokens.get(frame.at).copied() else {
                if collects_arguments {
                    return Ok(None);
                }
                self.leave_file();
                continue;
            };
            frame.at += 1;
            if token.is(known::HASH) && token.flags.has(Flags::LINE_START) {
                self.directive(&token)?;
                continue;
            }
            self.count(1, token.place)?;
            return Ok(Some(token));
        }
    }

    /// Ends a file.
    fn leave_file(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        for open in &frame.conditions {
            self.note(ProblemKind::UnbalancedCondition, open.place, None);
        }
        if self.unit.tokens.len() > frame.began {
            self.unit.files[frame.file.index()].inclusions += 1;
        }
    }

    /// The tokens of a text that the preprocessor makes, at a place.
    pub fn tokens_of(&mut self, text: &[u8], place: Place, step: StepId) -> Vec<Token> {
        let dialect = self.configuration.dialect;
        let mut tokens = lexer::lex(text, place.file, &dialect, &mut self.unit.symbols).tokens;
        for token in &mut tokens {
            token.place = place;
            token.step = step;
            token.flags.clear(Flags::LINE_START);
            token.flags.set(Flags::MADE);
        }
        tokens
    }

    /// The spelling of a token in the file: digraphs are as they were written.
    pub fn spelling(&self, token: &Token) -> &[u8] {
        lexer::digraph(token).unwrap_or_else(|| self.unit.symbols.spelling(token.symbol))
    }
}
