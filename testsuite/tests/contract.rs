//! The tables of the safety contract (docs/src/contract.md) are made of gravelc's module `mutations` and of the places where
//! each clause is asked. `GRAVEL_WRITE=1 cargo test -p testsuite --test contract` writes them anew.

mod generated;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use gravelc::mutations::Clause;
use testsuite::workspace;

/// The Rust files below a folder that are no tests, each with its path below gravelc/src and its code without comments.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("it has a name");
        if ["tests", "testing", "mutations"].contains(&name) {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let lines = text.lines().take_while(|line| *line != "mod tests {");
            let code: Vec<&str> = lines.filter(|line| !line.trim_start().starts_with("//")).collect();
            let below = path.strip_prefix(workspace::root().join("gravelc/src")).expect("it is gravelc's");
            found.push((below.display().to_string(), code.join("\n")));
        }
    }
    found.sort();
}

/// Does the code ask for this clause?
fn asks(code: &str, clause: Clause) -> bool {
    let name = format!("Clause::{}", clause.variant());
    code.match_indices(&name)
        .any(|(at, _)| !code[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn tables() -> String {
    let mut files = Vec::new();
    sources(&workspace::root().join("gravelc/src"), &mut files);
    let mut text = String::new();
    for (group, clauses) in Clause::GROUPS {
        let _ = write!(text, "### {group}\n\n| clause | what it says | where it is enforced |\n|---|---|---|\n");
        for &clause in *clauses {
            let places: Vec<String> = files
                .iter()
                .filter(|(_, code)| asks(code, clause))
                .map(|(path, _)| format!("[`{path}`](../../gravelc/src/{path})"))
                .collect();
            assert!(!places.is_empty(), "nothing in gravelc asks for Clause::{}", clause.variant());
            let _ = writeln!(text, "| `{}` | {} | {} |", clause.name(), clause.text(), places.join(", "));
        }
        text.push('\n');
    }
    text
}

#[test]
fn the_tables_are_those_of_the_code() {
    generated::compare("docs/src/contract.md", "clauses", &tables(), "contract");
}

#[test]
fn every_clause_says_something() {
    for clause in Clause::all() {
        let text = clause.text();
        assert!(text.ends_with('.') && !text.contains('|') && !text.contains("  "), "{clause:?}: {text:?}");
    }
}
