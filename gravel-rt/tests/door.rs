//! Every call of the runtime goes through its door (`Runtime::call`), where an observer may see it: else GRAVEL_STATS would not
//! count it, and GRAVEL_CHECK not know what it has posted or completed. Nobody else can see the observer, for its field is
//! private; what no compiler holds is that a call does not go past the door. This is held here, over the source.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Methods of the runtime that reach the engine beside the door, and why that is right.
const BESIDE_THE_DOOR: &[(&str, &str)] = &[
    ("init", "nobody has called anything yet"),
    ("finalize", "tells the observer itself, and ends it"),
    ("attach", "attaches a communicator: no operation"),
    ("worth_overlapping", "asks, and changes nothing"),
    ("errors_return", "a property of the program"),
    ("is_over", "asks, and changes nothing"),
    ("communicator_of_failure", "asks, and changes nothing"),
    ("is_live", "asks, and changes nothing"),
    ("is_cancelled_send", "asks, and changes nothing"),
    ("is_receive", "asks, and changes nothing"),
    ("could_complete", "asks: what it finds is completed through the door"),
    ("taken", "asks, and forgets what is over"),
    ("was_in_vain", "does nothing where somebody watches: each request is tested through the door then"),
    ("probe", "asks: the message stays"),
    ("probe_matched", "names a message that its receive takes, through the door"),
];

/// A function of the runtime's room.
#[derive(Debug)]
struct Function {
    is_public: bool,
    body: String,
}

fn files(source: &Path) -> Vec<PathBuf> {
    let mut files = vec![source.join("runtime.rs")];
    let mut folders = vec![source.join("runtime")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}

/// The methods in a file's `impl Runtime` blocks, by name. Formatted code: they begin at the fifth column, and end there.
fn methods(text: &str) -> Vec<(String, Function)> {
    let mut found = Vec::new();
    let mut is_in_impl = false;
    let mut current: Option<(String, Function)> = None;
    for line in text.lines() {
        match line {
            "impl Runtime {" => is_in_impl = true,
            "}" => is_in_impl = false,
            "    }" => found.extend(current.take()),
            _ if !is_in_impl || line.trim().starts_with("//") => {}
            _ => {
                let head = line.strip_prefix("    ").filter(|head| !head.starts_with(' '));
                let words: Vec<&str> = head.unwrap_or("").split(' ').collect();
                if let Some(place) = words.iter().position(|word| *word == "fn") {
                    let name = words[place + 1].split(['(', '<']).next().unwrap_or("").to_owned();
                    let is_public = matches!(words[0], "pub" | "pub(crate)");
                    current = Some((name, Function { is_public, body: String::new() }));
                } else if let Some((_, function)) = &mut current {
                    function.body.push_str(line);
                    function.body.push('\n');
                }
            }
        }
    }
    found
}

/// The methods that a body calls, by name.
fn called(body: &str) -> BTreeSet<&str> {
    let starts = ["self.", "runtime.", "Self::"]
        .into_iter()
        .flat_map(|start| body.match_indices(start).map(move |(at, _)| &body[at + start.len()..]));
    let names = starts.filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        rest[end..].starts_with(['(', ':']).then_some(&rest[..end])
    });
    names.collect()
}

fn goes_through_the_door(body: &str) -> bool {
    body.contains("self.call(")
}

fn touches_the_engine(body: &str) -> bool {
    ["shared.lock()", "with_engine(", "Engine"].iter().any(|touch| body.contains(touch))
}

fn excuse(name: &str) -> Option<&'static str> {
    BESIDE_THE_DOOR.iter().find(|(known, _)| *known == name).map(|(_, why)| *why)
}

/// The way from a method to the engine that does not lead through the door, nor through another method that may pass it, if
/// there is one.
fn way_past<'a>(methods: &'a BTreeMap<String, Function>, from: &'a str) -> Option<Vec<&'a str>> {
    let mut ways = vec![vec![from]];
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop() {
        let name = way.last().expect("it begins somewhere");
        let Some(function) = methods.get(*name).filter(|_| seen.insert(*name)) else { continue };
        if goes_through_the_door(&function.body) || (way.len() > 1 && excuse(name).is_some()) {
            continue;
        }
        if touches_the_engine(&function.body) {
            return Some(way);
        }
        ways.extend(called(&function.body).into_iter().map(|next| way.iter().copied().chain([next]).collect()));
    }
    None
}

fn all_methods() -> BTreeMap<String, Function> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = BTreeMap::new();
    for path in files(&source) {
        let text = fs::read_to_string(&path).expect("the file can be read");
        for (name, function) in methods(&text) {
            assert!(all.insert(name.clone(), function).is_none(), "two methods {name}: {}", path.display());
        }
    }
    all
}

#[test]
fn methods_and_their_ways_are_recognised() {
    let text = "impl Runtime {\n    /// Text.\n    pub fn call_it(&mut self) -> u8 {\n        self.call(|o| o, |r| r.inner())\n    }\n\n    \
                pub(crate) unsafe fn past<T>(\n        &mut self,\n    ) {\n        self.helper();\n    }\n\n    \
                fn helper(&self) {\n        self.shared.lock();\n    }\n}\n\nfn outside() {\n    self.shared.lock();\n}\n";
    let methods: BTreeMap<String, Function> = methods(text).into_iter().collect();
    assert_eq!(methods.keys().collect::<Vec<_>>(), ["call_it", "helper", "past"]);
    assert!(methods["past"].is_public && !methods["helper"].is_public);
    assert_eq!(way_past(&methods, "call_it"), None);
    assert_eq!(way_past(&methods, "past"), Some(vec!["past", "helper"]));
}

#[test]
fn every_call_goes_through_the_door() {
    let methods = all_methods();
    let through = methods.values().filter(|method| goes_through_the_door(&method.body)).count();
    assert!(through >= 20, "only {through} calls go through the door");
    let mut past = Vec::new();
    for (name, method) in &methods {
        match (way_past(&methods, name), excuse(name)) {
            (Some(way), None) if method.is_public => past.push(way.join(" -> ")),
            (None, Some(why)) => past.push(format!("{name} does not go past the door any more ({why})")),
            _ => {}
        }
    }
    for (name, _) in BESIDE_THE_DOOR {
        assert!(methods.contains_key(*name), "there is no method {name}");
    }
    assert!(past.is_empty(), "past the door:\n{}", past.join("\n"));
}
