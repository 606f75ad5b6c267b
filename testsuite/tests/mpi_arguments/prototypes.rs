//! The prototypes of `mpi.h`.

use std::collections::BTreeMap;
use std::fs;

use testsuite::command::CommandLine;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour};
use testsuite::setup::succeed;

/// A parameter.
#[derive(Debug)]
pub struct Parameter {
    /// How it stands in the prototype.
    pub text: String,
    /// It is a pointer, or an array, of what is not `const`.
    pub may_be_written: bool,
}

/// The functions of MPI, in lower case, with their parameters.
///
/// # Errors
///
/// The compiler's.
pub fn read(flavour: MpiFlavour) -> Result<BTreeMap<String, Vec<Parameter>>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder for a program: {error}"))?;
    let source = folder.path().join("main.c");
    fs::write(&source, "#include <mpi.h>\n").map_err(|error| format!("{}: {error}", source.display()))?;
    let preprocess = CommandLine::new(flavour.c_compiler()).arg("-E").arg("-P").arg(&source);
    let text = succeed(&preprocess, COMPILE_LIMIT)?.stdout_text();
    Ok(without_attributes(&text).split(';').filter_map(function).collect())
}

/// The text without `__attribute__((…))`.
fn without_attributes(text: &str) -> String {
    let mut pieces = text.split("__attribute__");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let mut depth = 0_usize;
        let end = piece.find(|c| {
            depth = match c {
                '(' => depth + 1,
                ')' => depth.saturating_sub(1),
                _ => depth,
            };
            c == ')' && depth == 0
        });
        kept.push_str(end.map_or("", |end| &piece[end + 1..]));
    }
    kept
}

/// The function that a declaration declares.
fn function(declaration: &str) -> Option<(String, Vec<Parameter>)> {
    let (before, rest) = declaration.split_once('(')?;
    let parameters = rest.trim_end().strip_suffix(')')?;
    let words: Vec<&str> =
        before.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|it| !it.is_empty()).collect();
    let name = words.last().filter(|name| name.starts_with("MPI_"))?;
    if words.len() < 2 || words.contains(&"typedef") {
        return None;
    }
    let parameters = match parameters.trim() {
        "" | "void" => Vec::new(),
        text => at_commas(text).into_iter().map(parameter).collect(),
    };
    Some((name.to_lowercase(), parameters))
}

/// The pieces between commas that stand in no parentheses.
fn at_commas(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|c| {
        depth = match c {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        c == ',' && depth == 0
    })
    .collect()
}

fn parameter(text: &str) -> Parameter {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Functions are handed over, whether or not as pointers.
    let is_function = text.contains("_function");
    let is_pointer = text.contains('*') || text.contains('[');
    let may_be_written = is_pointer && !is_function && !text.split(' ').any(|word| word == "const");
    Parameter { text, may_be_written }
}
