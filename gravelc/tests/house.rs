//! Rules of the house that no compiler holds.

use std::fs;
use std::path::{Path, PathBuf};

/// All Rust files below a folder, without tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let is_test = path.file_stem().is_some_and(|name| name == "tests" || name == "testing");
        if path.is_dir() && !is_test {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test {
            found.push(path);
        }
    }
    found
}

/// Does the line look for words in a text that is for people?
fn searches_in_prose(line: &str) -> bool {
    const PROSE: &[&str] = &["why", "text", "description", "message", "reason"];
    const SEARCHES: &[&str] = &[".contains(\"", ".starts_with(\"", ".ends_with(\""];
    SEARCHES.iter().any(|search| {
        line.match_indices(search).any(|(place, _)| {
            let before = line[..place].trim_end_matches("()");
            let before =
                before.strip_suffix(".as_str").or(before.strip_suffix(".to_ascii_lowercase")).unwrap_or(before);
            let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(before);
            PROSE.contains(&name)
        })
    })
}

#[test]
fn searches_in_prose_are_recognised() {
    assert!(searches_in_prose("let is_threading = why.contains(\"OpenMP\");"));
    assert!(searches_in_prose("if description.as_str().starts_with(\"error\") {"));
    assert!(searches_in_prose("matches!(&unread.why.to_ascii_lowercase().contains(\"macro\"))"));
    assert!(!searches_in_prose("if routine.contains(\"unpack\") {"));
    assert!(!searches_in_prose("names.contains(\"why\")"));
}

/// What decides is data: a reason that is written in other words must not change what the compiler does.
#[test]
fn nothing_is_decided_by_words() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut files = 0;
    for folder in ["analysis", "transform", "plan", "ir"] {
        for path in sources(&source.join(folder)) {
            files += 1;
            let text = fs::read_to_string(&path).expect("the file can be read");
            let lines = text.lines().enumerate().filter(|(_, line)| searches_in_prose(line));
            found.extend(lines.map(|(number, line)| format!("{}:{}: {}", path.display(), number + 1, line.trim())));
        }
    }
    assert!(files > 100, "only {files} files were looked at");
    assert!(found.is_empty(), "text for people is searched:\n{}", found.join("\n"));
}

/// Does the line take a name apart at a sign that joins its parts, or look for such a sign, in the text of a name?
fn takes_names_apart(line: &str) -> bool {
    const CALLS: &[&str] = &[
        ".split(",
        ".split_once(",
        ".rsplit(",
        ".rsplit_once(",
        ".find(",
        ".rfind(",
        ".contains(",
        ".starts_with(",
        ".ends_with(",
        ".strip_prefix(",
        ".strip_suffix(",
    ];
    // What stands behind a colon and a blank is prose.
    let is_joint = |text: &str| text == " " || !text.is_empty() && text.chars().all(|sign| "%:@#".contains(sign));
    CALLS.iter().any(|call| {
        line.match_indices(call).any(|(place, _)| {
            let argument = &line[place + call.len()..];
            let quote = argument.chars().next().filter(|first| "'\"".contains(*first));
            let text = quote.and_then(|quote| argument[1..].split(quote).next());
            // A sign, or a word with a sign behind it that says of what kind the rest is.
            text.is_some_and(|text| is_joint(text) || text.ends_with([':', '%', '@']))
        })
    })
}

#[test]
fn names_that_are_taken_apart_are_recognised() {
    assert!(takes_names_apart("let path = name.split_once('%').map(|(_, path)| path);"));
    assert!(takes_names_apart("place.starts_with(\"module:\")"));
    assert!(takes_names_apart("let own = name.rsplit(\"::\").next();"));
    assert!(!takes_names_apart("name.starts_with(\"mpi_\")"));
    assert!(!takes_names_apart("let ((a, b), c) = line.split_once(',')?;"));
}

/// Places, paths to components and the names of outer procedures have types or functions of their own in `ir`: what is written
/// in a name is not read again.
#[test]
fn no_name_is_taken_apart() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for folder in ["analysis", "transform", "passes", "plan"] {
        for path in sources(&source.join(folder)) {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let lines = text.lines().enumerate().filter(|(_, line)| takes_names_apart(line));
            found.extend(lines.map(|(number, line)| format!("{}:{}: {}", path.display(), number + 1, line.trim())));
        }
    }
    assert!(found.is_empty(), "names are taken apart:\n{}", found.join("\n"));
}

/// What a language says of all programs is asked (`ir::Dialect`).
#[test]
fn no_language_is_taken_for_granted() {
    const RULES: &[(&str, &str)] = &[
        ("eq_ignore_ascii_case", "names that differ in case: `is_same_name`"),
        ("bytes == Some(4)", "a plain integer of 4 bytes: `integer_bytes`"),
        ("SourceLayout::", "the columns of a line: `without_comment`"),
        (".room ==", "statements that share a line: `Procedure::has_room_around`"),
    ];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for folder in ["analysis", "transform", "passes", "plan"] {
        for path in sources(&source.join(folder)) {
            let text = fs::read_to_string(&path).expect("the file can be read");
            for (rule, question) in RULES.iter().filter(|(rule, _)| text.contains(rule)) {
                found.push(format!("{} has `{rule}`: {question}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "a rule of one language is taken for granted:\n{}", found.join("\n"));
}
