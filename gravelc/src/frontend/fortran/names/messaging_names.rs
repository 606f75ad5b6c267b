//! Where the text names what is MPI's, in statements and preprocessor lines.
//!
//! What declarations say is kept only as far as it can be told what value they give. Whoever has to know whether a constant of
//! MPI comes into a variable by any way at all asks for the places where its name stands, and strikes out those that are
//! understood.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::text::lexer::{Token, TokenKind};
use super::standard_modules::messaging;
use super::units::Source;
use crate::ir::Span;
use crate::mpi::constants::OF_EACH_HEADER;
use crate::mpi::routines::{is_known, without_profiling};

/// What is compiled only with OpenMP begins so (OpenMP 5.1, section 2.2.4).
const SENTINEL: &[u8] = b"!$";

/// By name, in lower case: where it stands in the files, other than in comments, where it is declared, and where a USE statement
/// imports it as what it is. Lines for OpenMP only are comments of a program that is compiled without it.
pub fn messaging_names(sources: &[Source<'_>], without_openmp: bool) -> BTreeMap<String, Vec<Span>> {
    let mut found: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    let mut add = |name: String, span: Span| {
        if messaging(&name).is_some() {
            found.entry(name).or_default().push(span);
        }
    };
    for source in sources {
        let lexed = &source.parsed.lexed;
        let text_of = |token: &Token| &source.original[token.start..token.end];
        // A constant that has one name of MPI and is none of `mpif.h` may have any meaning.
        let holds_header = holds_header(source);
        for statement in &lexed.statements {
            if statement.split_token {
                let range = statement.start..statement.end;
                words(&on_one_line(&source.original[range.clone()])).for_each(|it| add(it, source.span(range.clone())));
                continue;
            }
            let tokens = lexed.tokens_of(statement);
            let is_import = is_import(tokens, &text_of);
            for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
                let gets_another = index > 0 && text_of(&tokens[index - 1]) == b"=>";
                let is_own = !holds_header && text_of(&tokens[0]).eq_ignore_ascii_case(b"parameter");
                let name = lower_name(text_of(token));
                let is_declared = || messaging(&name).is_some() && !is_own && declares(tokens, index, &text_of);
                if (!is_import || gets_another) && !is_declared() {
                    add(name, source.span(token.start..token.end));
                }
            }
        }
        let is_conditional =
            |comment: &&Range<usize>| !without_openmp && source.original[(*comment).clone()].starts_with(SENTINEL);
        let definitions = Definitions::of(source);
        let lines = lexed.preprocessor_lines.iter().filter(|line| !definitions.is_of_unnamed_macro(line));
        for line in lines.chain(lexed.comments.iter().filter(is_conditional)) {
            words(&source.original[line.clone()]).for_each(|word| add(word, source.span(line.clone())));
        }
    }
    found
}

/// What tells the definitions of macros that are named nowhere, for what they stand for took their places.
struct Definitions<'s> {
    source: &'s Source<'s>,
    /// The words of statements, of conditional comments and of what the file includes, and those of macros that are named.
    words: BTreeSet<String>,
}

impl<'s> Definitions<'s> {
    fn of(source: &'s Source<'s>) -> Self {
        let lines = &source.parsed.lexed.preprocessor_lines;
        let defined: Vec<(&str, &[u8])> = lines.iter().filter_map(|line| macro_defined(source, line)).collect();
        let mut words = BTreeSet::new();
        if !defined.is_empty() {
            add_words(source, &mut words);
        }
        loop {
            let before = words.len();
            for (_, replacement) in defined.iter().filter(|(name, _)| words.contains(*name)).collect::<Vec<_>>() {
                words.extend(spelled_words(replacement));
            }
            if words.len() == before {
                return Self { source, words };
            }
        }
    }

    fn is_of_unnamed_macro(&self, line: &Range<usize>) -> bool {
        macro_defined(self.source, line).is_some_and(|(name, _)| !self.words.contains(name))
    }
}

/// Adds the words of statements, of comments that may be compiled, and of lines of the preprocessor that define nothing.
fn add_words(source: &Source<'_>, found: &mut BTreeSet<String>) {
    let lexed = &source.parsed.lexed;
    let mut add = |range: Range<usize>| found.extend(spelled_words(&source.original[range]));
    // No macro is replaced in quotes.
    let words = lexed.tokens.iter().filter(|token| token.kind != TokenKind::Text);
    words.for_each(|token| add(token.start..token.end));
    let is_conditional = |comment: &&Range<usize>| source.original[(*comment).clone()].starts_with(SENTINEL);
    lexed.comments.iter().filter(is_conditional).cloned().for_each(&mut add);
    lexed.preprocessor_lines.iter().filter(|line| macro_defined(source, line).is_none()).cloned().for_each(add);
    source.included.iter().for_each(|(_, included)| add_words(included, found));
}

fn spelled_words(text: &[u8]) -> impl Iterator<Item = String> {
    let words = text.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
    words.map(|word| String::from_utf8_lossy(word).into_owned())
}

/// The macro that a line defines, and what it stands for.
fn macro_defined<'s>(source: &'s Source<'_>, line: &Range<usize>) -> Option<(&'s str, &'s [u8])> {
    let words = source.original[line.clone()].trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let rest = words.strip_prefix(b"define").filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))?;
    let rest = rest.trim_ascii_start();
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    Some((std::str::from_utf8(&rest[..length]).ok()?, &rest[length..]))
}

/// Does some statement name a routine of MPI otherwise than to call, to declare or to import it?
pub(super) fn hands_over_messaging(sources: &[Source<'_>]) -> bool {
    const DECLARING: [&str; 7] = ["use", "external", "public", "private", "import", "end", "module"];
    sources.iter().any(|source| {
        let lexed = &source.parsed.lexed;
        let text_of = |token: &Token| lower_name(&source.original[token.start..token.end]);
        lexed.statements.iter().any(|statement| {
            let tokens = lexed.tokens_of(statement);
            let is_handed_over = |index: usize| {
                let plain = text_of(&tokens[index]);
                tokens[index].kind == TokenKind::Word
                    && is_known(without_profiling(&plain))
                    && tokens.get(index + 1).is_none_or(|next| text_of(next) != "(")
                    && (index == 0 || !["call", "%"].contains(&text_of(&tokens[index - 1]).as_str()))
            };
            let text = |token: &Token| &source.original[token.start..token.end];
            let is_named = |index: usize| is_handed_over(index) && !declares(tokens, index, &text);
            let is_declaring = tokens.first().is_some_and(|first| DECLARING.contains(&text_of(first).as_str()));
            statement.split_token || !is_declaring && (0..tokens.len()).any(is_named)
        })
    })
}

/// Are there PARAMETER statements for all constants by which the text of `mpif.h` is recognised?
fn holds_header(source: &Source<'_>) -> bool {
    let lexed = &source.parsed.lexed;
    let text_of = |token: &Token| &source.original[token.start..token.end];
    let mut missing: BTreeSet<&str> = OF_EACH_HEADER.into_iter().collect();
    for tokens in lexed.statements.iter().map(|statement| lexed.tokens_of(statement)) {
        if tokens.first().is_some_and(|first| text_of(first).eq_ignore_ascii_case(b"parameter")) {
            for index in (0..tokens.len()).filter(|&index| declares(tokens, index, &text_of)) {
                missing.remove(lower_name(text_of(&tokens[index])).as_str());
            }
        }
    }
    missing.is_empty()
}

/// Does the statement declare the name that token `index` is, so that the name is no value there?
fn declares<'a>(tokens: &[Token], index: usize, text_of: &dyn Fn(&Token) -> &'a [u8]) -> bool {
    const TYPES: [&str; 6] = ["integer", "real", "double", "complex", "logical", "character"];
    let text = |index: usize| tokens.get(index).map_or(&b""[..], text_of);
    if index == 0 {
        return false;
    }
    let before = text(index - 1);
    let depth = tokens[..index].iter().fold(0_usize, |depth, token| match text_of(token) {
        b"(" | b"[" => depth + 1,
        b")" | b"]" => depth.saturating_sub(1),
        _ => depth,
    });
    match lower_name(text(0)).as_str() {
        "parameter" => depth == 1 && matches!(before, b"(" | b",") && text(index + 1) == b"=",
        "common" => depth == 0 && (matches!(before, b"/" | b",") || lower_name(before) == "common"),
        keyword if TYPES.contains(&keyword) => {
            let is_length = matches!(tokens[index - 1].kind, TokenKind::Number) && text(index.wrapping_sub(2)) == b"*";
            let is_type = |word: &str| TYPES.contains(&word) || matches!(word, "precision" | "doubleprecision");
            depth == 0
                && (matches!(before, b"," | b"::" | b")") || is_length || is_type(&lower_name(before)))
                // Behind an initial value, also one between slashes, a comma may stand in that value.
                && !tokens[..index].iter().any(|token| matches!(text_of(token), b"=" | b"=>" | b"/" | b"//" | b"(/"))
        }
        _ => false,
    }
}

/// Is it a USE statement, and no assignment to a variable of that name?
fn is_import<'a>(tokens: &[Token], text_of: &dyn Fn(&Token) -> &'a [u8]) -> bool {
    let [first, second, ..] = tokens else { return false };
    text_of(first).eq_ignore_ascii_case(b"use")
        && (second.kind == TokenKind::Word || matches!(text_of(second), b"," | b"::" | b":"))
}

/// The text of a statement as if it stood on one line.
fn on_one_line(statement: &[u8]) -> Vec<u8> {
    let lines = statement.split(|&byte| byte == b'\n');
    let code = lines.map(|line| line.split(|&byte| byte == b'!').next().unwrap_or_default().trim_ascii());
    code.flatten().copied().filter(|&byte| byte != b'&').collect()
}

fn words(text: &[u8]) -> impl Iterator<Item = String> {
    text.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).map(lower_name)
}

fn lower_name(name: &[u8]) -> String {
    String::from_utf8_lossy(name).to_ascii_lowercase()
}
