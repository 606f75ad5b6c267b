//! Directives (ISO C 6.10).

use super::conditions;
use super::macros::Macro;
use super::problem::{Limit, ProblemKind};
use super::run::{Open, Run, limits};
use super::symbols::{Symbol, known};
use super::token::{Flags, Place, Token, TokenKind};
use super::unit::Condition;

/// What is known of a condition's directive.
struct Asked {
    place: Place,
    is_guard: bool,
}

impl Run<'_> {
    /// Does the directive whose `#` was just read.
    pub(super) fn directive(&mut self, hash: &Token) -> Result<(), Limit> {
        let prevented = std::mem::take(&mut self.prevented);
        self.in_directive += 1;
        let result = self.do_directive(hash);
        self.in_directive -= 1;
        self.prevented = prevented;
        result
    }

    fn do_directive(&mut self, hash: &Token) -> Result<(), Limit> {
        let line = self.rest_of_line();
        self.count(line.len() + 1, hash.place)?;
        let place = Place { end: line.last().map_or(hash.place.end, |last| last.place.end), ..hash.place };
        let is_system = self.frames.last().is_some_and(|frame| frame.is_system);
        if !is_system {
            self.unit.directives.push(place);
        }
        let Some((name, rest)) = line.split_first() else { return Ok(()) };
        if name.kind == TokenKind::Number {
            // `# 12 "file"`, as preprocessors write it.
            return self.renumber(&line, place);
        }
        let is_guard =
            self.frames.last().is_some_and(|frame| frame.source.guard.is_some() && hash.place == first_of(frame));
        let asked = Asked { place, is_guard };
        match name.symbol {
            _ if name.kind != TokenKind::Identifier => self.note(ProblemKind::InvalidDirective, place, None),
            known::DEFINE => self.define(rest, place, is_system),
            known::UNDEF => match rest {
                [macro_name, ..] if macro_name.kind == TokenKind::Identifier => self.macros.undefine(macro_name.symbol),
                _ => self.note(ProblemKind::InvalidDirective, place, None),
            },
            known::IF => {
                let holds = self.condition_holds(rest.to_vec(), hash)?;
                self.begin_condition(&asked, holds)?;
            }
            known::IFDEF | known::IFNDEF => {
                let is_defined = self.asked_name(rest, place);
                self.begin_condition(&asked, is_defined == (name.symbol == known::IFDEF))?;
            }
            known::ELIF | known::ELSE | known::ELIFDEF | known::ELIFNDEF => self.other_group(name, place)?,
            known::ENDIF => {
                if self.frames.last_mut().and_then(|frame| frame.conditions.pop()).is_none() {
                    self.note(ProblemKind::UnbalancedCondition, place, None);
                }
            }
            known::INCLUDE | known::INCLUDE_NEXT | known::IMPORT => self.include(rest, name)?,
            known::LINE => {
                let expanded = self.expanded(rest.to_vec())?.0;
                self.renumber(&expanded, place)?;
            }
            known::ERROR => self.note(ProblemKind::ErrorDirective, place, None),
            known::PRAGMA => self.pragma(hash, name, rest)?,
            known::IDENT | known::SCCS => self.pass_on(hash, &line),
            _ if self.is_ignored(name.symbol) => {}
            _ => self.note(ProblemKind::InvalidDirective, place, Some(name.symbol)),
        }
        Ok(())
    }

    /// Directives that say nothing about the text.
    fn is_ignored(&self, name: Symbol) -> bool {
        matches!(self.unit.symbols.spelling(name), b"warning" | b"assert" | b"unassert")
    }

    /// The tokens up to the end of the line.
    fn rest_of_line(&mut self) -> Vec<Token> {
        let Some(frame) = self.frames.last_mut() else { return Vec::new() };
        let rest = frame.source.tokens.get(frame.at..).unwrap_or_default();
        let count = rest.iter().take_while(|token| !token.flags.has(Flags::LINE_START)).count();
        let line = rest[..count].to_vec();
        frame.at += count;
        line
    }

    fn define(&mut self, line: &[Token], place: Place, is_system: bool) {
        match Macro::of_line(line, &self.configuration.dialect) {
            Ok(mut definition) => {
                definition.stays = is_system
                    && !definition.drops_its_arguments()
                    && self.configuration.kept.contains(self.unit.symbols.spelling(definition.name));
                if definition.parameters.is_none() {
                    self.unit.replaced.insert(definition.name);
                }
                self.macros.define(definition);
            }
            Err(kind) => self.note(kind, place, line.first().map(|name| name.symbol)),
        }
    }

    /// Is the one name of an `#ifdef` or `#ifndef` defined?
    fn asked_name(&mut self, rest: &[Token], place: Place) -> bool {
        match rest {
            [name, ..] if name.kind == TokenKind::Identifier => self.is_defined(name.symbol),
            _ => {
                self.note(ProblemKind::InvalidCondition, place, None);
                false
            }
        }
    }

    /// Notes the condition that was evaluated.
    fn note_condition(&mut self, asked: &Asked, holds: bool) {
        let mut names = std::mem::take(&mut self.names_in_condition);
        if self.frames.last().is_some_and(|frame| !frame.is_system) {
            names.sort_unstable();
            names.dedup();
            self.unit.conditions.push(Condition { place: asked.place, holds, names, is_guard: asked.is_guard });
        }
    }

    fn begin_condition(&mut self, asked: &Asked, holds: bool) -> Result<(), Limit> {
        self.note_condition(asked, holds);
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        frame.conditions.push(Open { place: asked.place, is_taken: holds, has_else: false });
        if frame.conditions.len() > limits::CONDITIONS {
            self.note(ProblemKind::NestedTooDeep, asked.place, None);
            return Err(Limit);
        }
        if holds { Ok(()) } else { self.skip_groups() }
    }

    /// A group that was read ends at `#else` or `#elif`: the others are skipped.
    fn other_group(&mut self, name: &Token, place: Place) -> Result<(), Limit> {
        let Some(open) = self.frames.last_mut().and_then(|frame| frame.conditions.last_mut()) else {
            self.note(ProblemKind::UnbalancedCondition, place, None);
            return Ok(());
        };
        let had_else = open.has_else;
        open.has_else |= name.symbol == known::ELSE;
        if had_else {
            self.note(ProblemKind::UnbalancedCondition, place, None);
        }
        self.skip_groups()
    }

    /// Skips to the group of the innermost condition that counts, or behind its end.
    fn skip_groups(&mut self) -> Result<(), Limit> {
        loop {
            let Some((hash, line)) = self.skip_group() else { return Ok(()) };
            let Some((name, rest)) = line.split_first() else { continue };
            let place = Place { end: line.last().map_or(hash.place.end, |last| last.place.end), ..hash.place };
            self.count(line.len() + 1, place)?;
            if self.frames.last().is_some_and(|frame| !frame.is_system) {
                self.unit.directives.push(place);
            }
            let Some(open) = self.frames.last_mut().and_then(|frame| frame.conditions.last_mut()) else {
                return Ok(());
            };
            if name.symbol == known::ENDIF {
                self.frames.last_mut().and_then(|frame| frame.conditions.pop());
                return Ok(());
            }
            let (is_taken, has_else) = (open.is_taken, open.has_else);
            if has_else {
                self.note(ProblemKind::UnbalancedCondition, place, None);
                continue;
            }
            let holds = match name.symbol {
                known::ELSE => {
                    open.has_else = true;
                    !is_taken
                }
                _ if is_taken => false,
                known::ELIF => {
                    let holds = self.condition_holds(rest.to_vec(), &hash)?;
                    self.note_condition(&Asked { place, is_guard: false }, holds);
                    holds
                }
                _ => {
                    let is_defined = self.asked_name(rest, place);
                    let holds = is_defined == (name.symbol == known::ELIFDEF);
                    self.note_condition(&Asked { place, is_guard: false }, holds);
                    holds
                }
            };
            if holds {
                if let Some(open) = self.frames.last_mut().and_then(|frame| frame.conditions.last_mut()) {
                    open.is_taken = true;
                }
                return Ok(());
            }
        }
    }

    /// Skips one group: the directive at its end, from the innermost condition.
    fn skip_group(&mut self) -> Option<(Token, Vec<Token>)> {
        let frame = self.frames.last_mut()?;
        let tokens = &frame.source.tokens;
        let from = frame.at;
        let mut depth = 0_usize;
        let mut at = from;
        let ending = loop {
            let Some(hash) = tokens.get(at) else { break None };
            let name = tokens.get(at + 1).filter(|name| !name.flags.has(Flags::LINE_START));
            at += 1;
            if !hash.is(known::HASH) || !hash.flags.has(Flags::LINE_START) {
                continue;
            }
            match name.map(|name| name.symbol) {
                Some(known::IF | known::IFDEF | known::IFNDEF) => depth += 1,
                Some(known::ENDIF) if depth > 0 => depth -= 1,
                Some(known::ENDIF | known::ELSE | known::ELIF | known::ELIFDEF | known::ELIFNDEF) if depth == 0 => {
                    break Some(*hash);
                }
                _ => {}
            }
        };
        let skipped = tokens.get(from).map(|first| first.place);
        let until = ending.map_or(tokens.len(), |_| at - 1);
        frame.at = at;
        let end = until.checked_sub(1).and_then(|last| tokens.get(last)).map(|last| last.place.end);
        if !frame.is_system
            && until > from
            && let (Some(first), Some(end)) = (skipped, end)
        {
            self.unit.inactive.push(Place { end, ..first });
        }
        let hash = ending?;
        Some((hash, self.rest_of_line()))
    }

    /// `#line`: number and name of the next line.
    fn renumber(&mut self, line: &[Token], place: Place) -> Result<(), Limit> {
        let number = line.first().filter(|first| first.kind == TokenKind::Number);
        let number = number.and_then(|first| str::from_utf8(self.unit.symbols.spelling(first.symbol)).ok());
        let Some(number) = number.and_then(|text| text.parse::<i64>().ok()) else {
            self.note(ProblemKind::InvalidDirective, place, None);
            return Ok(());
        };
        let name = line.get(1).filter(|name| name.kind == TokenKind::String).map(|name| {
            let text = self.unit.symbols.spelling(name.symbol);
            text.get(1..text.len().saturating_sub(1)).unwrap_or_default().to_vec()
        });
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let next = self.unit.files[frame.file.index()].line(place.end) + 1;
        frame.lines = number.saturating_sub(i64::try_from(next).unwrap_or(i64::MAX));
        if name.is_some() {
            frame.name = name;
        }
        Ok(())
    }

    fn pragma(&mut self, hash: &Token, name: &Token, rest: &[Token]) -> Result<(), Limit> {
        let Some(first) = rest.first() else {
            self.pass_on(hash, &[*name]);
            return Ok(());
        };
        let argument = |run: &Self| -> Option<Symbol> {
            let text = rest.get(2).filter(|text| text.kind == TokenKind::String)?;
            let text = run.unit.symbols.spelling(text.symbol);
            run.unit.symbols.find(text.get(1..text.len().checked_sub(1)?)?)
        };
        match first.symbol {
            known::ONCE => {
                if let Some(frame) = self.frames.last() {
                    self.once.insert(frame.file);
                }
            }
            known::PUSH_MACRO => {
                if let Some(name) = argument(self) {
                    self.macros.push(name);
                }
            }
            known::POP_MACRO => {
                if let Some(name) = argument(self) {
                    self.macros.pop(name);
                }
            }
            known::GCC if rest.get(1).is_some_and(|what| self.is_for_preprocessor(what.symbol)) => {}
            known::OMP if self.configuration.dialect.expands_openmp => {
                let (expanded, _) = self.expanded(rest[1..].to_vec())?;
                let line: Vec<Token> = [*name, *first].into_iter().chain(expanded).collect();
                self.pass_on(hash, &line);
            }
            _ => {
                let line: Vec<Token> = std::iter::once(*name).chain(rest.iter().copied()).collect();
                self.pass_on(hash, &line);
            }
        }
        Ok(())
    }

    /// Pragmas of GNU's compilers that the preprocessor does itself.
    fn is_for_preprocessor(&self, name: Symbol) -> bool {
        matches!(self.unit.symbols.spelling(name), b"system_header" | b"poison" | b"dependency" | b"warning" | b"error")
    }

    /// A line that is left to the compiler.
    fn pass_on(&mut self, hash: &Token, line: &[Token]) {
        for (number, token) in std::iter::once(hash).chain(line).enumerate() {
            let mut token = *token;
            token.flags.clear(Flags::LINE_START);
            token.flags.set(Flags::DIRECTIVE);
            if number == 0 {
                token.flags.set(Flags::LINE_START);
            }
            self.emit(token);
        }
    }

    /// `_Pragma`, whose name was just read: the string becomes a line.
    pub(super) fn pragma_operator(&mut self, operator: &Token) -> Result<(), Limit> {
        let parts = [self.next()?, self.next()?, self.next()?];
        let [Some(open), Some(text), Some(close)] = parts else {
            self.note(ProblemKind::InvalidPragma, operator.place, None);
            return Ok(());
        };
        if !open.is(known::OPEN) || text.kind != TokenKind::String || !close.is(known::CLOSE) {
            self.note(ProblemKind::InvalidPragma, operator.place, None);
            return Ok(());
        }
        let text = conditions::without_quotes(self.unit.symbols.spelling(text.symbol));
        let mut hash = Token { symbol: known::HASH, kind: TokenKind::Punctuator, ..*operator };
        let mut name = Token { symbol: known::PRAGMA, ..*operator };
        hash.flags.set(Flags::MADE);
        name.flags.set(Flags::MADE);
        let tokens = self.tokens_of(&text, operator.place, operator.step);
        self.in_directive += 1;
        let result = self.pragma(&hash, &name, &tokens);
        self.in_directive -= 1;
        result
    }

    /// A token of the unit.
    pub(super) fn emit(&mut self, mut token: Token) {
        if self.frames.last().is_some_and(|frame| frame.is_system) {
            if self.purpose == super::configuration::Purpose::Reading {
                return;
            }
            token.flags.set(Flags::IN_SYSTEM);
        }
        self.unit.tokens.push(token);
    }
}

/// Where the first token of the file is that is being read.
fn first_of(frame: &super::run::Frame) -> Place {
    frame.source.tokens.first().map_or(Place { file: frame.file, start: u32::MAX, end: u32::MAX }, |first| first.place)
}
