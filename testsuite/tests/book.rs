//! The book in `docs/` and the pages at the root: no link leads nowhere, every page is in the summary, files that are named are
//! there, and nothing is in it that could keep mdBook from building it. mdBook itself is a hundred crates, two minutes of
//! compiling; `cargo suite --only doc` builds the book where it is installed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Parser, Tag};
use testsuite::workspace;

/// So long may the map be: who comes first reads it whole.
const LONGEST_ARCHITECTURE: usize = 15_000;

/// All files with this ending below a folder, without what builds leave.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            found.extend(files(&path, ending));
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The pages of the book and at the root.
fn pages() -> Vec<PathBuf> {
    let root = workspace::root();
    let mut found = files(&root.join("docs/src"), ".md");
    found.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root.join(name)));
    found
}

/// Where the links of a page lead to that stay in the repository, without what stands behind `#`.
fn links(text: &str) -> Vec<String> {
    let links = Parser::new(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    });
    let inside = links.filter(|link| !link.contains("://") && !link.starts_with('#'));
    inside.map(|link| link.split('#').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("the page can be read");
        for link in links(&text) {
            count += 1;
            if !page.parent().expect("it is in a folder").join(&link).exists() {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(count > 60, "only {count} links were found");
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
}

#[test]
fn the_summary_has_every_page() {
    let source = workspace::root().join("docs/src");
    let summary = fs::read_to_string(source.join("SUMMARY.md")).expect("there is a summary");
    let listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(|link| source.join(link)).collect();
    let there: BTreeSet<PathBuf> =
        files(&source, ".md").into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    assert_eq!(listed, there);
}

/// What mdBook takes for its own, or warns of, though it is Markdown: with neither in it, a book whose pages are all there is built.
#[test]
fn the_book_is_plain_markdown() {
    let mut wrong = Vec::new();
    for page in files(&workspace::root().join("docs/src"), ".md") {
        let text = fs::read_to_string(&page).expect("the page can be read");
        if text.contains("{{") {
            wrong.push(format!("{}: `{{{{` begins what mdBook replaces", page.display()));
        }
        for event in Parser::new(&text) {
            if let Event::Html(html) | Event::InlineHtml(html) = event
                && !html.trim_start().starts_with("<!--")
            {
                wrong.push(format!("{}: {}", page.display(), html.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_list_of_reasons_has_every_page() {
    let source = workspace::root().join("docs/src");
    let list = fs::read_to_string(source.join("reasons.md")).expect("there is a list");
    let name = |path: &Path| path.file_name().expect("it has a name").to_string_lossy().into_owned();
    let listed: BTreeSet<String> = links(&list).iter().map(|link| name(Path::new(link))).collect();
    let pages = files(&workspace::root().join("gravelc/src/plan/reasons"), ".md");
    assert_eq!(listed, pages.iter().map(|page| name(page)).collect());
}

#[test]
fn the_map_is_short() {
    let bytes = fs::read(workspace::root().join("ARCHITECTURE.md")).expect("there is a map").len();
    assert!(bytes <= LONGEST_ARCHITECTURE, "ARCHITECTURE.md has {bytes} bytes");
}

/// What the names of files end with that pages speak of.
const ENDINGS: &[&str] = &[".rs", ".txt", ".toml", ".h", ".in", ".f90", ".c", ".md"];

/// A code span that names a file of the repository by a part of its path.
fn named_file(code: &str) -> Option<&str> {
    let is_path = code.contains('/') && ENDINGS.iter().any(|ending| code.ends_with(ending));
    let is_plain = code.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c)) && !code.contains("NAME");
    (is_path && is_plain).then_some(code)
}

#[test]
fn files_that_are_named_are_there() {
    let root = workspace::root();
    let known: Vec<String> =
        ENDINGS.iter().flat_map(|ending| files(root, ending)).map(|path| format!("/{}", path.display())).collect();
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("the page can be read");
        for event in Parser::new(&text) {
            let Event::Code(code) = event else { continue };
            let Some(name) = named_file(&code) else { continue };
            count += 1;
            if !known.iter().any(|path| path.ends_with(&format!("/{name}"))) {
                wrong.push(format!("{}: {name}", page.display()));
            }
        }
    }
    assert!(count > 30, "only {count} files are named");
    assert!(wrong.is_empty(), "files that are not there:\n{}", wrong.join("\n"));
}
