//! Which file an `#include` names, and reading it (ISO C 6.10.2; the search is that of GNU's and LLVM's compilers).

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::lexer;
use super::problem::{Limit, ProblemKind};
use super::run::{Frame, LexedFile, Run, limits};
use super::symbols::{Symbol, known};
use super::token::{FileId, Flags, Place, Token, TokenKind};
use super::unit::SourceText;

/// A header that was found.
#[derive(Debug, Clone)]
pub(super) struct Header {
    file: FileId,
    /// The path by which it was found.
    name: Vec<u8>,
    /// The number of the folder.
    found_in: Option<usize>,
}

impl Run<'_> {
    /// The name of a header that tokens are, and whether it stands in angle brackets.
    pub(super) fn header_name(&self, tokens: &[Token]) -> Option<(Vec<u8>, bool)> {
        let (first, rest) = tokens.split_first()?;
        if first.kind == TokenKind::String {
            let text = self.spelling(first);
            return Some((text.strip_prefix(b"\"")?.strip_suffix(b"\"")?.to_vec(), false));
        }
        if !first.is(known::LESS) {
            return None;
        }
        // In a file itself it is text, in which nothing is a token.
        if !first.flags.has(Flags::IN_BODY.and(Flags::MADE)) && first.step.is_none() {
            let file = self.unit.file(first.place.file);
            let line = file.text.get(first.place.end as usize..file.line_end(first.place.start) as usize)?;
            let end = line.iter().position(|byte| *byte == b'>')?;
            return Some((line[..end].to_vec(), true));
        }
        let mut name = Vec::new();
        for (number, token) in rest.iter().enumerate() {
            if token.is(known::GREATER) {
                return Some((name, true));
            }
            if number > 0 && token.flags.has(Flags::SPACE) {
                name.push(b' ');
            }
            name.extend_from_slice(self.spelling(token));
        }
        None
    }

    /// The header of this name, as it is found from the file that is being read.
    pub(super) fn find_header(&mut self, name: &[u8], is_angled: bool, is_next: bool) -> Option<Header> {
        if name.starts_with(b"/") {
            return self.file_at(name.to_vec(), None);
        }
        let frame = self.frames.last()?;
        let (current, found_in) = (frame.file, frame.found_in);
        let is_system = frame.is_system;
        let mut from = if is_angled { self.configuration.quote_folders } else { 0 };
        if is_next && current != FileId::MAIN {
            from = found_in.map_or(from, |folder| folder + 1);
        } else if !is_angled {
            let beside = self.frames.last().map_or(&[][..], |frame| folder_of(&frame.path));
            let path = [beside, name].concat();
            if let Some(mut header) = self.file_of(path, is_system) {
                // What it includes next is looked for behind where it was found.
                header.found_in = None;
                return Some(header);
            }
        }
        (from..self.configuration.folders.len()).find_map(|number| {
            let folder = self.configuration.folders.get(number)?;
            let path = [folder.path.as_os_str().as_bytes(), b"/", name].concat();
            self.file_at(path, Some(number))
        })
    }

    fn file_at(&mut self, path: Vec<u8>, folder: Option<usize>) -> Option<Header> {
        let is_system =
            folder.and_then(|number| self.configuration.folders.get(number)).is_some_and(|folder| folder.is_system);
        let mut header = self.file_of(path, is_system)?;
        header.found_in = folder;
        Some(header)
    }

    /// The file at a path, which is read when it is asked for first.
    fn file_of(&mut self, path: Vec<u8>, is_system: bool) -> Option<Header> {
        if let Some(known) = self.paths.get(&path) {
            return known.map(|file| Header { file, name: path, found_in: None });
        }
        let place: &Path = Path::new(std::ffi::OsStr::from_bytes(&path));
        let file = self.reader.read(place).map(|text| {
            let identity = self.reader.identity(place);
            let same = self.unit.files.iter().position(|file| file.identity == identity);
            match same {
                Some(number) => FileId(u32::try_from(number).unwrap_or(u32::MAX)),
                None => self.add_file(place.to_path_buf(), identity, path.clone(), is_system, text),
            }
        });
        self.paths.insert(path.clone(), file);
        file.map(|file| Header { file, name: path, found_in: None })
    }

    /// Adds a file.
    pub(super) fn add_file(
        &mut self,
        path: PathBuf,
        identity: PathBuf,
        name: Vec<u8>,
        is_system: bool,
        text: Vec<u8>,
    ) -> FileId {
        let file = FileId(u32::try_from(self.unit.files.len()).unwrap_or(u32::MAX));
        let text: Arc<[u8]> = text.into();
        let mut source = SourceText::new(path, name, is_system, text);
        source.identity = identity;
        self.unit.files.push(source);
        file
    }

    /// Does an `#include`, `#include_next` or `#import`.
    pub(super) fn include(&mut self, line: &[Token], directive: &Token) -> Result<(), Limit> {
        let is_literal = line.first().is_some_and(|first| {
            first.kind == TokenKind::String || first.is(known::LESS) || first.kind == TokenKind::Other
        });
        let expanded;
        let tokens = if is_literal {
            line
        } else {
            expanded = self.expanded(line.to_vec())?.0;
            &expanded
        };
        let Some((name, is_angled)) = self.header_name(tokens) else {
            self.note(ProblemKind::NoFileName, directive.place, None);
            return Ok(());
        };
        let found = self.find_header(&name, is_angled, directive.symbol == known::INCLUDE_NEXT);
        let is_asked_by_program = self.frames.last().is_some_and(|frame| !frame.is_system);
        if found.as_ref().is_none_or(|header| self.unit.file(header.file).is_system) {
            let symbol = self.unit.symbols.add(&name);
            self.unit.add_header(symbol, is_asked_by_program);
        }
        let Some(header) = found else {
            let symbol = self.unit.symbols.add(&name);
            self.note(ProblemKind::NoSuchFile, directive.place, Some(symbol));
            return Ok(());
        };
        if directive.symbol == known::IMPORT && self.lexed.contains_key(&header.file) {
            return Ok(());
        }
        if directive.symbol == known::IMPORT {
            self.once.insert(header.file);
        }
        self.enter_file(header, directive.place)
    }

    /// Includes a file in front of the main one, as `-include` does.
    pub(super) fn force(&mut self, name: &[u8]) -> Result<(), Limit> {
        let place = Place { file: FileId::MAIN, start: 0, end: 0 };
        // The first folder that is looked at is the one where the compiler runs.
        let found = self.file_of(name.to_vec(), false).or_else(|| {
            (0..self.configuration.folders.len()).find_map(|number| {
                let folder = self.configuration.folders.get(number)?;
                let path = [folder.path.as_os_str().as_bytes(), b"/", name].concat();
                self.file_at(path, Some(number))
            })
        });
        match found {
            Some(header) => self.enter_file(header, place),
            None => {
                let symbol = self.unit.symbols.add(name);
                self.note(ProblemKind::NoSuchFile, place, Some(symbol));
                Ok(())
            }
        }
    }

    fn enter_file(&mut self, header: Header, at: Place) -> Result<(), Limit> {
        if self.frames.len() >= limits::INCLUDES {
            self.note(ProblemKind::IncludesTooDeep, at, None);
            return Err(Limit);
        }
        if self.once.contains(&header.file) && self.lexed.contains_key(&header.file) {
            return Ok(());
        }
        let source = self.lexed(header.file)?;
        if source.guard.is_some_and(|guard| self.macros.find(guard).is_some()) {
            return Ok(());
        }
        self.push_frame(header.file, source, header.name, header.found_in);
        Ok(())
    }

    /// Begins to read a file.
    pub(super) fn push_frame(&mut self, file: FileId, source: Rc<LexedFile>, path: Vec<u8>, found_in: Option<usize>) {
        let is_system = self.unit.file(file).is_system;
        let began = self.unit.tokens.len();
        self.frames.push(Frame {
            file,
            source,
            at: 0,
            is_system,
            found_in,
            conditions: Vec::new(),
            path,
            name: None,
            lines: 0,
            began,
        });
    }

    /// The tokens of a file.
    pub(super) fn lexed(&mut self, file: FileId) -> Result<Rc<LexedFile>, Limit> {
        if let Some(known) = self.lexed.get(&file) {
            return Ok(Rc::clone(known));
        }
        let text = Arc::clone(&self.unit.file(file).text);
        let start = Place { file, start: 0, end: 0 };
        if text.len() > limits::FILE {
            self.note(ProblemKind::TooLarge, start, None);
            return Err(Limit);
        }
        self.count(text.len() / 8, start)?;
        let dialect = self.configuration.dialect;
        let lexed = lexer::lex(&text, file, &dialect, &mut self.unit.symbols);
        if let Some(comment) = lexed.open_comment {
            self.note(ProblemKind::OpenComment, Place { start: comment, end: comment + 2, ..start }, None);
        }
        let guard = guard(&lexed.tokens);
        let lexed = Rc::new(LexedFile { tokens: lexed.tokens, guard });
        self.lexed.insert(file, Rc::clone(&lexed));
        Ok(lexed)
    }
}

/// The folder that a path names, with the slash behind it.
fn folder_of(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    &path[..end]
}

/// The path of a file as bytes.
pub(super) fn bytes_of(path: &Path) -> Vec<u8> {
    path.as_os_str().to_os_string().into_vec()
}

/// The macro that a whole file depends on: it begins with `#ifndef NAME` or `#if !defined NAME` and ends with its `#endif`.
fn guard(tokens: &[Token]) -> Option<Symbol> {
    let directive = |at: usize| {
        let hash = tokens.get(at)?;
        let is_directive = hash.is(known::HASH) && hash.flags.has(Flags::LINE_START);
        tokens.get(at + 1).filter(|next| is_directive && !next.flags.has(Flags::LINE_START)).map(|next| next.symbol)
    };
    let name_at = |at: usize| tokens.get(at).filter(|name| name.kind == TokenKind::Identifier).map(|name| name.symbol);
    let is_at = |at: usize, symbol: Symbol| tokens.get(at).is_some_and(|token| token.is(symbol));
    let (name, end) = match directive(0)? {
        known::IFNDEF => (name_at(2)?, 3),
        known::IF if is_at(2, known::NOT) && name_at(3) == Some(known::DEFINED) => {
            if is_at(4, known::OPEN) {
                (name_at(5).filter(|_| is_at(6, known::CLOSE))?, 7)
            } else {
                (name_at(4)?, 5)
            }
        }
        _ => return None,
    };
    tokens.get(end).filter(|next| next.flags.has(Flags::LINE_START))?;
    let mut depth = 1_usize;
    for at in end..tokens.len() {
        match directive(at) {
            Some(known::IF | known::IFDEF | known::IFNDEF) => depth += 1,
            Some(known::ELSE | known::ELIF | known::ELIFDEF | known::ELIFNDEF) if depth == 1 => return None,
            Some(known::ENDIF) => {
                depth -= 1;
                if depth == 0 {
                    let behind = &tokens[at + 2..];
                    return behind.iter().all(|token| !token.flags.has(Flags::LINE_START)).then_some(name);
                }
            }
            _ => {}
        }
    }
    None
}
