//! What a test program says about itself in the comments above its first statement.
//!
//! Each directive is a comment line of its own, `! name: value` (in C `/* name: value */`), in fixed form also below lines that
//! begin with `C` or `*`. One that stands behind the first statement is an error: it would be ignored.
//!
//! | name | value |
//! |---|---|
//! | `expect` | of a trap: what the report must say, see [`crate::trap::Expectation`] |
//! | `ranks` | the numbers of ranks on which it can run; default `1 2 4` |
//! | `tiles` | the values of `GRAVEL_TILE` under which it is exact; default `unset 1 37 64 all` |
//! | `flags` | more flags for the compiler |
//! | `environment` | `NAME=VALUE` pairs for its runs |
//! | `companion` | a file beside it that is compiled with it and never transformed |

use std::path::Path;

use crate::configuration::Tile;
use crate::source_language::SourceLanguage;

/// A directive that can't be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct DirectiveError {
    line: usize,
    problem: String,
}

/// The directives of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directives {
    /// The text behind `expect:`, if there is one.
    pub expectation: Option<String>,
    /// Numbers of ranks on which it can run.
    pub ranks: Vec<usize>,
    /// Tiles under which its results are exact.
    pub tiles: Vec<Tile>,
    /// More flags for the compiler.
    pub flags: Vec<String>,
    /// Variables of the environment of its runs.
    pub environment: Vec<(String, String)>,
    /// A file beside it that belongs to the program.
    pub companion: Option<String>,
}

impl Default for Directives {
    fn default() -> Self {
        Self {
            expectation: None,
            ranks: vec![1, 2, 4],
            tiles: Tile::ALL.to_vec(),
            flags: Vec::new(),
            environment: Vec::new(),
            companion: None,
        }
    }
}

impl Directives {
    /// The directives at the head of a source text.
    ///
    /// # Errors
    ///
    /// If the value of a directive can't be understood, or one stands behind the first statement.
    pub fn of_source(source: &[u8], language: SourceLanguage) -> Result<Self, DirectiveError> {
        let mut directives = Self::default();
        let source = String::from_utf8_lossy(source);
        let mut at_head = true;
        for (index, line) in source.lines().enumerate() {
            let directive = language.remark(line).and_then(|comment| comment.split_once(':'));
            let Some((name, value)) = directive.map(|(name, value)| (name.trim(), value.trim())) else {
                at_head = at_head && language.is_comment(line);
                continue;
            };
            let set = if at_head {
                directives.set(name, value)
            } else if Self::NAMES.contains(&name) {
                Err(format!("`{name}:` stands behind the first statement"))
            } else {
                Ok(())
            };
            set.map_err(|problem| DirectiveError { line: index + 1, problem })?;
        }
        Ok(directives)
    }

    /// The names of all directives.
    const NAMES: [&str; 6] = ["expect", "ranks", "tiles", "flags", "environment", "companion"];

    /// The directives at the head of a file.
    ///
    /// # Errors
    ///
    /// A message with the path, if the file can't be read or a directive can't be understood.
    pub fn of_file(path: &Path) -> Result<Self, String> {
        let source = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Self::of_source(&source, SourceLanguage::of(path)).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "expect" => self.expectation = Some(value.to_owned()),
            "ranks" => self.ranks = parsed(value, |word| word.parse().ok().filter(|ranks| *ranks > 0))?,
            "tiles" => self.tiles = parsed(value, Tile::parse)?,
            "flags" => self.flags = value.split_whitespace().map(str::to_owned).collect(),
            "environment" => {
                self.environment = parsed(value, |word| {
                    word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
                })?;
            }
            "companion" => self.companion = Some(value.to_owned()),
            // Any other comment may hold a colon, too.
            _ => {}
        }
        Ok(())
    }
}

fn parsed<T>(value: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, String> {
    let values: Vec<T> = value
        .split_whitespace()
        .map(|word| parse(word).ok_or_else(|| format!("`{word}` is not a value for this directive")))
        .collect::<Result<_, _>>()?;
    if values.is_empty() { Err("the directive has no value".to_owned()) } else { Ok(values) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_fortran(source: &[u8]) -> Result<Directives, DirectiveError> {
        Directives::of_source(source, SourceLanguage::Fortran)
    }

    #[test]
    fn reads_the_head_of_c() {
        let of_c = |source: &[u8]| Directives::of_source(source, SourceLanguage::C);
        let directives = of_c(b"/* A ring. */\n\n/* ranks: 3 */\n#include <mpi.h>\n").expect("all can be understood");
        assert_eq!(directives.ranks, [3]);
        assert!(of_c(b"#include <mpi.h>\n/* ranks: 3 */\n").is_err());
        assert_eq!(of_c(b"! ranks: 3\n"), Ok(Directives::default()), "that is no comment");
    }

    #[test]
    fn reads_the_head() {
        let source = b"! A program: it does things.\n! ranks: 2 4\n! tiles: unset 64\n!\n! flags: -fopenmp -g\n\
            ! environment: A=1 B=x=y\n! companion: other.f90\n! expect: kept any-tag\nprogram p\n! sends: 8\nend\n";
        let directives = of_fortran(source).expect("all can be understood");
        assert_eq!(directives.ranks, [2, 4]);
        assert_eq!(directives.tiles, [Tile::Unset, Tile::Iterations(64)]);
        assert_eq!(directives.flags, ["-fopenmp", "-g"]);
        assert_eq!(directives.environment, [("A".into(), "1".into()), ("B".into(), "x=y".into())]);
        assert_eq!(directives.companion.as_deref(), Some("other.f90"));
        assert_eq!(directives.expectation.as_deref(), Some("kept any-tag"));
    }

    #[test]
    fn a_program_without_directives_has_the_defaults() {
        assert_eq!(of_fortran(b"\nprogram p\nend\n"), Ok(Directives::default()));
    }

    #[test]
    fn comments_of_fixed_form_belong_to_the_head() {
        let directives = of_fortran(b"C Ranks and tags.\nC\n*\n! ranks: 2 3\n      program p\n      end\n");
        assert_eq!(directives.map(|directives| directives.ranks), Ok(vec![2, 3]));
    }

    #[test]
    fn refuses_a_directive_behind_the_first_statement() {
        let error = of_fortran(b"program p\n! ranks: 8\nend\n").expect_err("it would be ignored");
        assert_eq!(error.to_string(), "line 2: `ranks:` stands behind the first statement");
    }

    #[test]
    fn refuses_what_it_does_not_understand() {
        let error = of_fortran(b"!\n! ranks: two\n").expect_err("that is no number");
        assert_eq!(error.to_string(), "line 2: `two` is not a value for this directive");
        assert!(of_fortran(b"! ranks: 0\n").is_err());
        assert!(of_fortran(b"! tiles:\n").is_err());
    }
}
