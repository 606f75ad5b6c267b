//! Are our tokens those of the compiler? Its `-E` of a unit is compared with ours, token by token, the system's headers included.

use std::path::{Path, PathBuf};

use super::compiler::{Compiler, CompilerError};
use super::configuration::{Disk, Purpose};
use super::dialect::Dialect;
use super::lexer;
use super::symbols::{Symbol, known};
use super::token::{FileId, Flags, Token};
use super::unit::Unit;

/// The first place where a compiler has another token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The file from which our token comes: that of the invocation of the outermost macro. Of the last one, if we have none.
    pub path: PathBuf,
    /// Its line, from 1.
    pub line: usize,
    /// Our token; nothing if there is none left.
    pub ours: Option<String>,
    /// The compiler's.
    pub theirs: Option<String>,
}

/// Compares our reading of the file at `path` with that of the compiler.
///
/// # Errors
///
/// If the compiler can't be asked, or refuses the file.
pub fn agrees(path: &Path, text: Vec<u8>, compiler: &Compiler) -> Result<Option<Difference>, CompilerError> {
    let configuration = compiler.configuration()?;
    let output = compiler.preprocessed(path)?;
    let mut unit = super::preprocess(path, text, &configuration, &Disk, Purpose::Comparison);
    Ok(first_difference(&mut unit, &output, &configuration.dialect))
}

/// The first token of `unit`, read for [comparison](Purpose::Comparison), that is another one in what a compiler has written.
///
/// Lines that compilers write in different ways (`#pragma message`) count for nothing, nor do the values of `__LINE__`,
/// `__FILE__` and of the time.
pub fn first_difference(unit: &mut Unit, output: &[u8], dialect: &Dialect) -> Option<Difference> {
    let theirs = lexer::lex(output, FileId::MAIN, &dialect.of_output(), &mut unit.symbols).tokens;
    let message = unit.symbols.find(b"message");
    let theirs = lines(&theirs).filter(|line| !is_marker(line) && !is_message(line, message)).flatten();
    let mut theirs = theirs.copied();
    let ours = lines(&unit.tokens).filter(|line| !is_message(line, message)).flatten();
    let mut last = None;
    for token in ours {
        last = Some(*token);
        let other = theirs.next();
        if !other.is_some_and(|other| are_same(token, &other)) {
            return Some(difference(unit, Some(token), other.as_ref(), last));
        }
    }
    theirs.next().map(|other| difference(unit, None, Some(&other), last))
}

fn are_same(ours: &Token, theirs: &Token) -> bool {
    ours.kind == theirs.kind && (ours.tells_of_place_or_time() || ours.symbol == theirs.symbol)
}

/// The tokens line by line.
fn lines(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    tokens.chunk_by(|_, next| !next.flags.has(Flags::LINE_START))
}

/// `# 12 "file"`.
fn is_marker(line: &[Token]) -> bool {
    matches!(line, [hash, number, ..] if hash.flags.has(Flags::LINE_START) && hash.is(known::HASH)
        && number.kind == super::token::TokenKind::Number)
}

fn is_message(line: &[Token], message: Option<Symbol>) -> bool {
    matches!(line, [hash, pragma, name, ..] if hash.flags.has(Flags::LINE_START) && hash.is(known::HASH)
        && pragma.symbol == known::PRAGMA && Some(name.symbol) == message)
}

fn difference(unit: &Unit, ours: Option<&Token>, theirs: Option<&Token>, last: Option<Token>) -> Difference {
    let place = last.map(|token| unit.origin(&token));
    let (path, line) = place.map_or_else(|| (unit.file(FileId::MAIN).path.clone(), 1), |place| unit.line_of(place));
    let text = |token: &Token| unit.symbols.text(token.symbol);
    Difference { path, line, ours: ours.map(text), theirs: theirs.map(text) }
}
