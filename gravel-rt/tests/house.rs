//! Rules of the house that no compiler holds: which room of the runtime may know which. A room is a folder or a file of
//! `src`. Tests may know everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What a room never imports. "anything" is every other room.
const NEVER: &[(&str, &[&str])] = &[
    ("sys", &["anything"]),
    ("error", &["anything"]),
    ("host", &["provider", "engine", "progress", "runtime"]),
    ("memory", &["message", "provider", "engine", "progress", "stats", "observe", "runtime"]),
    ("message", &["provider", "engine", "progress", "observe", "runtime", "settings"]),
    ("provider", &["engine", "progress", "observe", "runtime", "settings", "stats"]),
    ("check", &["engine", "provider", "observe", "runtime"]),
    ("observe", &["runtime", "progress"]),
    ("engine", &["progress", "observe", "runtime", "settings", "stats"]),
    ("progress", &["observe", "runtime", "settings"]),
    ("runtime", &["abi", "api"]),
    ("api", &["abi", "plain"]),
    ("plain", &["abi", "runtime", "observe", "check", "progress", "engine", "provider", "message", "memory"]),
    ("abi", &["api"]),
];

/// Circles that stand, and why: none.
const CIRCLES: &[(&str, &str, &str)] = &[];

/// All Rust files below a folder that are part of the library, without those that serve tests alone.
fn sources(folder: &Path) -> Vec<PathBuf> {
    const FOR_TESTS: &[&str] = &["bin", "mock", "desk", "thread_host", "in_process", "fuzzing", "lib"];
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        if FOR_TESTS.contains(&name) || name.contains("tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The names that follow `crate::` in a file, outside of comments and of the tests at its end.
fn imports(text: &str) -> BTreeSet<String> {
    let code = text.lines().take_while(|line| !is_module_of_tests(line)).filter(|line| !line.trim().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let names = code.match_indices("crate::").flat_map(|(place, found)| {
        let rest = &code[place + found.len()..];
        let list = rest.strip_prefix('{').map_or(&rest[..1], |list| list.split('}').next().unwrap_or(list));
        let names = if rest.starts_with('{') { list.split(',').collect() } else { vec![rest] };
        names.into_iter().map(|name| name.trim().split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""))
    });
    names.map(str::to_owned).collect()
}

fn is_module_of_tests(line: &str) -> bool {
    ["mod tests {", "mod models {"].contains(&line)
}

/// Which room imports which, and in which files.
fn house() -> BTreeMap<(String, String), Vec<PathBuf>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let room_of = |path: &Path| {
        let first = path.strip_prefix(&source).expect("below src").iter().next().expect("a name").to_string_lossy();
        first.trim_end_matches(".rs").to_owned()
    };
    // What `lib.rs` hands on is its room's.
    let root = fs::read_to_string(source.join("lib.rs")).expect("the file can be read");
    let handed_on = |name: &str| {
        let lists = root.split("pub use ").skip(1).filter_map(|list| list.split(';').next());
        let mut its = lists.filter(|list| list.split(|c: char| !c.is_alphanumeric()).any(|word| word == name));
        its.next().and_then(|list| list.split("::").next()).map(str::to_owned)
    };
    let files = sources(&source);
    assert!(files.len() > 150, "only {} files were looked at", files.len());
    let rooms: BTreeSet<String> = files.iter().map(|path| room_of(path)).collect();
    let mut arrows: BTreeMap<(String, String), Vec<PathBuf>> = BTreeMap::new();
    for path in files {
        let (room, text) = (room_of(&path), fs::read_to_string(&path).expect("the file can be read"));
        for name in imports(&text) {
            let to = if rooms.contains(&name) { Some(name) } else { handed_on(&name) };
            if let Some(to) = to.filter(|to| *to != room) {
                arrows.entry((room.clone(), to)).or_default().push(path.clone());
            }
        }
    }
    arrows
}

#[test]
fn imports_are_recognised() {
    let text = "use crate::Rank;\nuse crate::engine::{self, State};\n// crate::api\nlet x = crate::sys::log::text();\n\
                use crate::{abi, host::Host};\nmod tests {\n    use crate::progress;\n}\n";
    assert_eq!(imports(text).into_iter().collect::<Vec<_>>(), ["Rank", "abi", "engine", "host", "sys"]);
}

#[test]
fn no_room_imports_what_it_must_never() {
    let arrows = house();
    let mut broken = Vec::new();
    for ((from, to), files) in &arrows {
        let never = NEVER.iter().find(|(room, _)| room == from).map_or(&[][..], |(_, never)| never);
        if never.iter().any(|never| never == to || *never == "anything") {
            broken.push(format!("{from} -> {to}: {files:?}"));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    for (room, never) in NEVER {
        for name in never.iter().chain([room]).filter(|name| **name != "anything") {
            assert!(arrows.keys().any(|(from, to)| from == name || to == name), "there is no room {name}");
        }
    }
}

#[test]
fn rooms_import_each_other_in_no_circle() {
    let arrows = house();
    let is_known = |from: &str, to: &str| CIRCLES.iter().any(|(one, other, _)| (*one, *other) == (from, to));
    for (from, to, why) in CIRCLES {
        let is_there = |from: &str, to: &str| arrows.contains_key(&(from.to_string(), to.to_string()));
        assert!(is_there(from, to) && is_there(to, from), "{from} and {to} are no circle any more ({why})");
    }
    let mut left: BTreeSet<(&str, &str)> =
        arrows.keys().map(|(from, to)| (from.as_str(), to.as_str())).filter(|(from, to)| !is_known(from, to)).collect();
    // What nothing that is left imports, or what imports nothing that is left, is on no circle.
    loop {
        let (from, to): (BTreeSet<&str>, BTreeSet<&str>) = left.iter().copied().unzip();
        let before = left.len();
        left.retain(|(one, other)| to.contains(one) && from.contains(other));
        if left.len() == before {
            break;
        }
    }
    let text: Vec<String> = left.iter().map(|(from, to)| format!("{from} -> {to}")).collect();
    assert!(left.is_empty(), "these arrows are on circles: {}", text.join(", "));
}

/// The code of a file: without comments, without features' names, and without the tests at its end.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("the file can be read");
    let lines = text.lines().take_while(|line| !is_module_of_tests(line));
    let is_code = |line: &&str| !line.trim().starts_with("//") && !line.trim().starts_with("#[cfg");
    lines.filter(is_code).collect::<Vec<_>>().join("\n")
}

/// What a file says that only an interconnect itself and the list may say: its module, its name, its variables.
fn names_of_interconnect(code: &str, name: &str) -> Vec<String> {
    let said = [format!("{name}::"), format!("\"{name}\""), format!("\"GRAVEL_{}", name.to_uppercase())];
    let starts_word = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    said.into_iter().filter(|said| code.match_indices(said.as_str()).any(|(at, _)| starts_word(at))).collect()
}

#[test]
fn names_of_interconnects_are_recognised() {
    let code = "use super::tcp::setup;\nlet x = [\"tcp\", \"GRAVEL_TCP_INTERFACE\"];";
    assert_eq!(names_of_interconnect(code, "tcp").len(), 3);
    assert!(names_of_interconnect("mod tcp;\nuse not_tcp::x;\nlet x = \"of tcp\";", "tcp").is_empty());
}

/// One more interconnect is its folder and a line of the list: nobody else names any.
#[test]
fn only_the_list_names_an_interconnect() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = fs::read_dir(source.join("provider")).expect("the folder is there");
    let folders = folders.map(|entry| entry.expect("the folder can be read").path()).filter(|path| path.is_dir());
    let folders: Vec<PathBuf> = folders.collect();
    assert!(folders.len() >= 4, "{folders:?}");
    let bin = sources(&source.join("bin").join("gravel-info"));
    let mut broken = Vec::new();
    for path in sources(&source).into_iter().chain(bin).filter(|path| !path.ends_with("provider/registry.rs")) {
        let code = code(&path);
        for folder in folders.iter().filter(|folder| !path.starts_with(folder) && path.with_extension("") != **folder) {
            let name = folder.file_name().and_then(|name| name.to_str()).expect("a name");
            broken.extend(
                names_of_interconnect(&code, name).into_iter().map(|said| format!("{}: {said}", path.display())),
            );
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
