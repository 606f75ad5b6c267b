//! Is a file the same program in two builds?
//!
//! What a file means in C is in its tokens behind the preprocessor, in the sizes of types, and in what flags say of memory and directives.

use std::path::{Path, PathBuf};

use super::compiler_command::CompilerCommand;
use super::lower::configuration_of;
use super::preprocess::{Disk, FileId, Purpose, Token, Unit, preprocess};
use super::translation_unit::target_of;
use crate::frontend::{FrontendError, FrontendOptions};

/// In what two builds differ over a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildDifference {
    /// A token is another one.
    Token {
        /// The file that it comes from.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
        /// The token of the first build; nothing, where its text is at an end.
        one: Option<String>,
        /// That of the other one.
        other: Option<String>,
    },
    /// The sizes of types, or the signs of characters.
    Types,
    /// The first lets an object be accessed by its own type alone, the other one by any (`-fno-strict-aliasing`).
    AccessByAnyType,
    /// For the first one directives of OpenMP and OpenACC are comments; the other one compiles them with this flag.
    Directives(String),
}

/// The first difference between the file at `path` with this text in two builds; `other` may rely on more than `one` does.
///
/// # Errors
/// A compiler can't be asked, or has a flag with which C means something else.
pub fn difference(
    path: &Path,
    text: &[u8],
    one: &FrontendOptions,
    other: &FrontendOptions,
) -> Result<Option<BuildDifference>, FrontendError> {
    let configurations = (configuration_of(path, one)?, configuration_of(path, other)?);
    if target_of(&configurations.0) != target_of(&configurations.1) {
        return Ok(Some(BuildDifference::Types));
    }
    let accesses_by_any_type = |options: &FrontendOptions| {
        options.of(path).c_compiler.as_ref().is_some_and(CompilerCommand::accesses_by_any_type)
    };
    if accesses_by_any_type(other) && !accesses_by_any_type(one) {
        return Ok(Some(BuildDifference::AccessByAnyType));
    }
    let [first, second] = [&configurations.0, &configurations.1]
        .map(|configuration| preprocess(path, text.to_vec(), configuration, &Disk, Purpose::Reading));
    if let Some(difference) = first_difference(&first, &second) {
        return Ok(Some(difference));
    }
    let has_directives = first.tokens.iter().any(|token| {
        let name = first.symbols.text(token.symbol);
        name == "omp" || name == "acc"
    });
    if one.of(path).ignores_directives() && !other.of(path).ignores_directives() && has_directives {
        let flag = other.of(path).c_compiler.as_ref().and_then(CompilerCommand::flag_of_directives);
        return Ok(Some(BuildDifference::Directives(flag.unwrap_or("-fopenmp").to_owned())));
    }
    Ok(None)
}

/// The headers of the program, not of the system, that the file at `path` with this text includes.
///
/// # Errors
/// As [`difference`].
pub fn own_headers(path: &Path, text: &[u8], options: &FrontendOptions) -> Result<Vec<PathBuf>, FrontendError> {
    let configuration = configuration_of(path, options)?;
    let unit = preprocess(path, text.to_vec(), &configuration, &Disk, Purpose::Reading);
    Ok(unit.files.iter().skip(1).filter(|file| !file.is_system).map(|file| file.path.clone()).collect())
}

/// The first token that is another one; what tells of a place, or of the time, may differ.
fn first_difference(one: &Unit, other: &Unit) -> Option<BuildDifference> {
    let text = |unit: &Unit, token: Option<&Token>| token.map(|token| unit.symbols.text(token.symbol));
    let is_same = |token: &Token, others: &Token| {
        let is_free = token.tells_of_place_or_time() && others.tells_of_place_or_time();
        token.kind == others.kind && (is_free || one.symbols.text(token.symbol) == other.symbols.text(others.symbol))
    };
    let count = one.tokens.len().max(other.tokens.len());
    let place = (0..count).find(|&place| match (one.tokens.get(place), other.tokens.get(place)) {
        (Some(token), Some(others)) => !is_same(token, others),
        _ => true,
    })?;
    let (token, others) = (one.tokens.get(place), other.tokens.get(place));
    let last = token.or(one.tokens.last());
    let (path, line) = match last {
        Some(token) => one.line_of(one.origin(token)),
        None => (one.file(FileId::MAIN).path.clone(), 1),
    };
    Some(BuildDifference::Token { path, line, one: text(one, token), other: text(other, others) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(flags: &[&str]) -> FrontendOptions {
        let command =
            CompilerCommand { program: "cc".to_owned(), flags: flags.iter().map(|&flag| flag.to_owned()).collect() };
        FrontendOptions { c_compiler: Some(command), ..FrontendOptions::default() }
    }

    fn compared(text: &str, one: &[&str], other: &[&str]) -> Option<BuildDifference> {
        difference(Path::new("a.c"), text.as_bytes(), &with(one), &with(other)).expect("the compiler can be asked")
    }

    #[test]
    fn builds_differ_where_tokens_do() {
        let text = "#ifdef LONG\nlong n;\n#else\nint n;\n#endif\nconst char *name = __FILE__;\n#pragma omp parallel\n";
        assert_eq!(compared(text, &["-O2"], &["-O3", "-DOTHER", "-g"]), None);
        let Some(BuildDifference::Token { line, one, other, .. }) = compared(text, &[], &["-DLONG"]) else {
            panic!("the macro decides");
        };
        assert_eq!((line, one.as_deref(), other.as_deref()), (4, Some("int"), Some("long")));
        assert_eq!(compared("int n;\n#if M\n#endif\n", &[], &["-DM=1"]), None);
        let Some(BuildDifference::Token { one, other, .. }) = compared("int n M;\n", &["-DM="], &["-DM==2"]) else {
            panic!("the macro is used");
        };
        assert_eq!((one.as_deref(), other.as_deref()), (Some(";"), Some("=")));
    }

    #[test]
    fn flags_change_what_tokens_mean() {
        assert_eq!(compared("char c;\n", &[], &["-funsigned-char"]), Some(BuildDifference::Types));
        assert_eq!(compared("int c;\n", &[], &["-fno-strict-aliasing"]), Some(BuildDifference::AccessByAnyType));
        assert_eq!(compared("int c;\n", &["-fno-strict-aliasing"], &["-O2"]), None);
        let parallel = "void f(void) {\n#pragma omp parallel\n{}\n}\n";
        let directives = Some(BuildDifference::Directives("-fopenmp".to_owned()));
        assert_eq!(compared(parallel, &[], &["-fopenmp"]), directives);
        assert_eq!(compared("void f(void) {}\n", &[], &["-fopenmp"]), None);
        let refused = difference(Path::new("a.c"), b"int n;\n", &with(&[]), &with(&["-fwrapv"]));
        assert!(matches!(refused, Err(FrontendError::ChangedMeaning { flag, .. }) if flag == "-fwrapv"));
    }
}
