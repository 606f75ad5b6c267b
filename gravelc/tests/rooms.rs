//! Which room may use which: the import paths of the code, held against a list. ARCHITECTURE.md draws the same picture.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// A path of modules below the crate.
type Module = Vec<String>;

/// Who names whom, with an example of where.
type Arrows = BTreeMap<(String, String), String>;

/// The rooms of the crate, from the ground up, each with those that it may use. `cli` stands on top and may use all.
const FLOORS: &[(&str, &[&str])] = &[
    ("source_layout", &[]),
    ("known_libraries", &[]),
    ("mutations", &[]),
    ("progress", &[]),
    ("runtime_module", &[]),
    ("ir", &["source_layout"]),
    ("mpi", &["ir"]),
    ("plan", &["ir"]),
    ("directives", &["ir", "plan", "analysis"]),
    ("analysis", &["ir", "mpi", "mutations", "known_libraries", "source_layout"]),
    ("frontend", &["ir", "mpi", "mutations", "known_libraries", "progress", "runtime_module", "source_layout"]),
    ("passes", &["ir", "mpi", "mutations", "known_libraries", "source_layout", "analysis", "directives", "plan"]),
    ("transform", &["ir", "mpi", "mutations", "analysis", "passes", "directives", "plan", "progress"]),
    ("emit", &["ir", "analysis", "plan", "runtime_module", "source_layout"]),
    ("report", &["ir", "analysis", "plan", "source_layout"]),
];

/// The rooms inside of rooms, from the ground up: none uses one that stands above it.
const INSIDE: &[(&str, &[&str])] = &[
    ("analysis", &["facts", "algebra", "program", "memory", "values", "loops", "messages"]),
    (
        "frontend::c",
        &[
            "preprocess",
            "expansion",
            "tokens",
            "types",
            "unit",
            "reading",
            "stand_ins",
            "translation_unit",
            "mpi_calls",
            "lower",
        ],
    ),
    ("frontend::fortran", &["text", "names", "lower"]),
    (
        "transform",
        &[
            "found",
            "rules",
            "transformation",
            "decompose_alltoall",
            "drop_pack",
            "hoist_receive",
            "hoist_send",
            "split_loop",
            "strip_mine",
            "sink_wait",
            "registry",
            "classes",
            "request_groups",
            "conversion",
            "verdict",
            "decisions",
            "planner",
        ],
    ),
];

/// What a transformation may use of others: nothing, but for these.
const BESIDE: &[(&str, &str)] = &[
    // A wait that goes into a called procedure may go into a loop there, which is split for it.
    ("sink_wait", "split_loop"),
];

/// The paths that a file names, without its tests.
struct Paths {
    /// The module whose text is being read.
    module: Module,
    found: BTreeSet<Module>,
}

impl Paths {
    /// The path below the crate, if the segments say so from here.
    fn resolve(&self, segments: &[String]) -> Option<Module> {
        let supers = segments.iter().take_while(|segment| *segment == "super").count();
        match segments.first()?.as_str() {
            "crate" => Some(segments[1..].to_vec()),
            "super" => {
                let kept = self.module.len().checked_sub(supers)?;
                Some(self.module[..kept].iter().chain(&segments[supers..]).cloned().collect())
            }
            _ => None,
        }
    }

    fn add(&mut self, segments: &[String]) {
        self.found.extend(self.resolve(segments));
    }

    fn add_tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_tree(&path.tree, before);
                before.pop();
            }
            syn::UseTree::Name(syn::UseName { ident }) | syn::UseTree::Rename(syn::UseRename { ident, .. }) => {
                before.push(ident.to_string());
                self.add(before);
                before.pop();
            }
            syn::UseTree::Glob(_) => self.add(before),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(tree, before)),
        }
    }
}

/// Is it there for tests only?
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.path().is_ident("cfg").then(|| attribute.meta.require_list().ok()).flatten();
        list.is_some_and(|list| list.tokens.clone().into_iter().any(|token| names_test(&token)))
    })
}

fn names_test(token: &proc_macro2::TokenTree) -> bool {
    match token {
        proc_macro2::TokenTree::Ident(word) => word == "test",
        proc_macro2::TokenTree::Group(group) => group.stream().into_iter().any(|token| names_test(&token)),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_for_tests(&item.attrs) {
            self.add_tree(&item.tree, &mut Vec::new());
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&segments);
        visit::visit_path(self, path);
    }
}

/// All files of the crate that are no tests, with their modules.
fn files(folder: &Path, module: &Module) -> Vec<(PathBuf, Module)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let stem = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        if stem == "tests" || stem == "testing" {
            continue;
        }
        let mut inside = module.clone();
        if path.is_dir() {
            inside.push(stem);
            found.extend(files(&path, &inside));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            inside.extend((!["mod", "lib"].contains(&stem.as_str())).then_some(stem));
            found.push((path, inside));
        }
    }
    found
}

/// Who names whom among what stands just below `room`.
fn arrows(room: &[&str]) -> Arrows {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let below = |module: &Module| {
        let inside = module.len() > room.len() && module.iter().zip(room).all(|(one, other)| one == other);
        inside.then(|| module[room.len()].clone())
    };
    let mut found = Arrows::new();
    for (path, module) in files(&source, &Module::new()) {
        let Some(from) = below(&module) else { continue };
        let text = fs::read_to_string(&path).expect("the file can be read");
        let parsed = syn::parse_file(&text).expect("it is Rust");
        let mut paths = Paths { module, found: BTreeSet::new() };
        paths.visit_file(&parsed);
        for to in paths.found.iter().filter_map(below).filter(|to| *to != from) {
            found.entry((from.clone(), to)).or_insert_with(|| path.display().to_string());
        }
    }
    found
}

#[test]
fn rooms_use_what_the_list_allows() {
    let arrows = arrows(&[]);
    assert!(arrows.len() > 30, "only {} arrows were found: the files are not read", arrows.len());
    let mut wrong = Vec::new();
    for ((from, to), place) in arrows {
        let Some((_, allowed)) = FLOORS.iter().find(|(room, _)| *room == from) else { continue };
        if !allowed.contains(&to.as_str()) {
            wrong.push(format!("{from} uses {to} in {place}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn inside_of_rooms_nothing_uses_what_stands_above_it() {
    for (room, floors) in INSIDE {
        let room: Vec<&str> = room.split("::").collect();
        let floor = |name: &str| floors.iter().position(|known| *known == name);
        let arrows = arrows(&room);
        let known: Vec<_> =
            arrows.iter().filter_map(|((from, to), place)| Some((floor(from)?, floor(to)?, place))).collect();
        assert!(known.len() > 2, "in {room:?} no arrows were found: {arrows:?}");
        let wrong: Vec<String> = known
            .iter()
            .filter(|(from, to, _)| from < to)
            .map(|(from, to, place)| format!("{} uses {} in {place}", floors[*from], floors[*to]))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn transformations_do_not_know_each_other() {
    let registry = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/transform/registry.rs");
    let text = fs::read_to_string(registry).expect("the registry can be read");
    let list = text.split("REGISTRY").nth(1).and_then(|behind| behind.split("];").next()).expect("there is a list");
    let own: BTreeSet<&str> = list.lines().filter_map(|line| Some(line.trim().split_once("::")?.0)).collect();
    assert!(own.len() > 6, "only {own:?} were found in the registry");
    let between = |(from, to): &(String, String)| own.contains(from.as_str()) && own.contains(to.as_str());
    let found: Vec<(String, String)> = arrows(&["transform"]).into_keys().filter(between).collect();
    let known: Vec<(String, String)> = BESIDE.iter().map(|(from, to)| (from.to_string(), to.to_string())).collect();
    assert_eq!(found, known);
}
