//! The table of the runtime's calls (docs/src/runtime/calls.md) is made of the comments in gravel.h, and of those in gravel.f90
//! for what only Fortran has. `GRAVEL_WRITE=1 cargo test -p testsuite --test calls` writes it anew.
//!
//! Such a comment begins with who calls (`Consumer:`) and has a sentence that says whether the call blocks: see [`BLOCKS`].

mod generated;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use testsuite::workspace;

/// Who makes a call.
const SIDES: [&str; 4] = ["All", "Consumer", "Producer", "Both"];

/// How the sentence begins that says whether a call blocks, and what stands in the table. More may stand behind a comma.
const BLOCKS: [(&str, &str); 4] =
    [("Never blocks", "never"), ("Does not block", "no"), ("Blocks", "yes"), ("Collective", "collective")];

/// A call as the comment in front of it has it.
#[derive(Debug, PartialEq, Eq)]
struct Call {
    side: &'static str,
    blocks: String,
    what: String,
}

fn read(name: &str) -> String {
    fs::read_to_string(workspace::root().join("gravel-rt").join(name)).expect("it is there")
}

impl Call {
    fn of(name: &str, comment: &str) -> Self {
        let (side, text) = comment.split_once(": ").unwrap_or_else(|| panic!("{name}: nobody calls it: {comment:?}"));
        let side = SIDES.into_iter().find(|known| *known == side).unwrap_or_else(|| panic!("{name}: who is {side}?"));
        let sentences = text.strip_suffix('.').unwrap_or(text).split(". ");
        let (blocks, rest): (Vec<&str>, Vec<&str>) = sentences.partition(|sentence| verdict(sentence).is_some());
        assert_eq!(blocks.len(), 1, "{name}: one sentence says whether it blocks: {text:?}");
        let blocks = verdict(blocks[0]).expect("it was found by that");
        Self { side, blocks, what: rest.join(". ") }
    }
}

/// Whether a call blocks, if the sentence says so.
fn verdict(sentence: &str) -> Option<String> {
    let (begin, short) = BLOCKS.into_iter().find(|(begin, _)| sentence.starts_with(begin))?;
    let rest = &sentence[begin.len()..];
    (rest.is_empty() || rest.starts_with(", ")).then(|| format!("{short}{rest}"))
}

/// Whether it is a name for programs and not one between the header and libgravel.
fn is_public(name: &str) -> bool {
    name.starts_with("gravel_") && !name.starts_with("gravel_rt_")
}

/// The calls of the header in their order, by the sections that hold them: `/* ---- name`.
fn calls_in_c(header: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut sections: Vec<(String, Vec<(String, String)>)> = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    let mut is_inside = false;
    for line in header.lines() {
        if line.starts_with("/*") {
            comment.clear();
        }
        if line.starts_with("/*") || is_inside {
            comment.push(line.trim_start_matches("/*").trim_start_matches(" *").trim_end_matches("*/").trim());
            is_inside = !line.ends_with("*/");
            if let Some(section) = line.strip_prefix("/* ---- ") {
                sections.push((section.trim_end_matches("*/").trim().to_owned(), Vec::new()));
            }
            continue;
        }
        let defines = line.strip_prefix("static inline ").and_then(|line| line.split_once('('));
        let name = defines.and_then(|(before, _)| before.rsplit([' ', '*']).next()).filter(|name| is_public(name));
        if let Some(name) = name {
            let (_, calls) = sections.last_mut().expect("calls stand in sections");
            calls.push((name.to_owned(), comment.join(" ")));
        }
        comment.clear();
    }
    sections.retain(|(_, calls)| !calls.is_empty());
    sections
}

/// The public procedures of the module, and the comments in front of their interfaces.
fn calls_in_fortran(module: &str) -> BTreeMap<String, String> {
    let lists = module.lines().filter_map(|line| line.trim().strip_prefix("public :: "));
    let names: BTreeSet<&str> = lists.flat_map(|list| list.split(", ")).collect();
    let mut found: BTreeMap<String, String> = names.iter().map(|name| ((*name).to_owned(), String::new())).collect();
    let mut comment = Vec::new();
    for line in module.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("! ") {
            comment.push(text);
            continue;
        }
        let interface = line.strip_prefix("interface ").and_then(|name| found.get_mut(name));
        if let Some(text) = interface {
            *text = comment.join(" ");
        }
        comment.clear();
    }
    found
}

/// `Both: call f(a): as g` without the call.
fn without_call(name: &str, comment: &str) -> String {
    match (comment.split_once(&format!("call {name}(")), comment.split_once("): ")) {
        (Some((before, _)), Some((_, behind))) => format!("{before}{behind}"),
        _ => comment.to_owned(),
    }
}

fn add_row(text: &mut String, name: &str, language: &str, call: &Call) {
    let what = call.what.replace('|', "\\|");
    let _ = writeln!(text, "| `{name}`{language} | {} | {} | {what} |", call.side.to_lowercase(), call.blocks);
}

fn table() -> String {
    let mut in_fortran = calls_in_fortran(&read("fortran/gravel.f90"));
    let mut text = String::new();
    const HEAD: &str = "| call | side | blocks? | what |\n|---|---|---|---|\n";
    for (section, calls) in calls_in_c(&read("include/gravel.h")) {
        let title = section.split(':').next().unwrap_or(&section);
        let _ = write!(text, "### {}{}\n\n{HEAD}", title[..1].to_uppercase(), &title[1..]);
        for (name, comment) in calls {
            let language = if in_fortran.remove(&name).is_some() { "" } else { " (C)" };
            add_row(&mut text, &name, language, &Call::of(&name, &comment));
        }
        text.push('\n');
    }
    let _ = write!(text, "### Only in Fortran\n\n{HEAD}");
    for (name, comment) in &in_fortran {
        add_row(&mut text, name, "", &Call::of(name, &without_call(name, comment)));
    }
    text.push('\n');
    text
}

#[test]
fn the_table_is_that_of_the_code() {
    let table = table();
    let rows = table.lines().filter(|line| line.starts_with("| `gravel_")).count();
    assert!(rows > 70, "only {rows} calls were found");
    generated::compare("docs/src/runtime/calls.md", "calls", &table, "calls");
}

#[test]
fn comments_are_taken_apart() {
    let call = Call::of("gravel_release", "Both: gives it back. Does not block, but for a cancelled send. As in MPI.");
    let blocks = "no, but for a cancelled send".to_owned();
    assert_eq!(call, Call { side: "Both", blocks, what: "gives it back. As in MPI".to_owned() });
    let header = "/* ---- a: of b */\n/* Both: x.\n * Blocks. */\nstatic inline int gravel_f(int a) {\n}\n\
                  /* y */\nstatic inline int *gravel_rt_g(void) {\n";
    let calls = vec![("gravel_f".to_owned(), "Both: x. Blocks.".to_owned())];
    assert_eq!(calls_in_c(header), [("a: of b".to_owned(), calls)]);
    assert_eq!(without_call("f", "Both: call f(a [, b]): as g. Blocks."), "Both: as g. Blocks.");
}
