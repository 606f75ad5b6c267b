//! Compilers, called for single programs with the crates that the running test is built of. Cargo would build those crates once
//! more for a package that is made for the programs: gravelc is among them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the crates that this test is built of.
fn crates() -> PathBuf {
    let own = std::env::current_exe().expect("the test's own path");
    own.parent().expect("it lies in a folder").to_owned()
}

/// A compiler's command for a program, with the crate of the runtime under a name. What it makes goes to `output`.
pub fn compiler(program: &str, edition: &str, name: &str, source: &Path, output: &Path) -> Command {
    let crates = crates();
    let mut command = Command::new(program);
    command
        .args(["--edition", edition, "-C", "debuginfo=0", "-L"])
        .arg(format!("dependency={}", crates.display()))
        .arg("--extern")
        .arg(format!("{name}={}", crates.join("libgravel.rlib").display()))
        .arg("--out-dir")
        .arg(output)
        .arg(source);
    command
}

/// The programs of a folder beside the tests, by name.
///
/// # Panics
/// If there are hardly any: a test of none would pass.
pub fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).expect("the programs stand beside the tests");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    found.sort();
    assert!(found.len() > 3);
    found
}

/// Where all sources are from: rustc shows lines of the runtime where it finds them.
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the tests lie in the repository")
}

/// What rustc says of a program of `folder`, without its summary, the places and numbers of lines in other files, the width
/// of the margin that these numbers need, and how many types it has left out of a list: they change with each change of the
/// runtime.
pub fn normalised(said: &str, folder: &str) -> String {
    const SUMMARY: [&str; 3] =
        ["error: aborting due to ", "For more information about ", "Some errors have detailed explanations"];
    let mut lines: Vec<String> = Vec::new();
    let mut is_elsewhere = false;
    for line in said.lines().filter(|line| !SUMMARY.iter().any(|beginning| line.starts_with(beginning))) {
        let text = line.trim_start_matches(|it: char| it == ' ' || it.is_ascii_digit());
        let number = line[..line.len() - text.len()].trim();
        // A heading begins another part of the message.
        is_elsewhere &= !line.starts_with(|it: char| it.is_ascii_alphabetic());
        lines.push(if let Some(place) = text.strip_prefix("--> ").or_else(|| text.strip_prefix("::: ")) {
            is_elsewhere = !place.starts_with(folder);
            format!("    {}{}", &text[..4], if is_elsewhere { of_any_version(place) } else { place.to_owned() })
        } else if text.starts_with('|') || (!number.is_empty() && text.starts_with(['+', '-', '~'])) {
            format!("{:>4} {text}", if is_elsewhere { "" } else { number })
        } else if text.starts_with('=') {
            format!("     {text}")
        } else if text.starts_with("and ") && text.ends_with(" others") {
            format!("{:11}and N others", "")
        } else if number.is_empty() && line.starts_with("      ") {
            format!("{:11}{text}", "")
        } else {
            line.trim_end().to_owned()
        });
    }
    lines.join("\n").trim_end().to_owned() + "\n"
}

/// A place in another file, without line and column, and without where the standard library lies.
fn of_any_version(place: &str) -> String {
    let path = place.trim_end_matches(|it: char| it == ':' || it.is_ascii_digit());
    path.split_once("/library/").map_or_else(|| path.to_owned(), |(_, path)| format!("$RUST/{path}"))
}
