//! Parts of pages that are made from the code.

use std::fs;

use testsuite::workspace;

/// Compares what stands between `<!-- generated: NAME -->` and `<!-- end -->` of a page with what the code makes of it; with
/// `GRAVEL_WRITE` in the environment it is written anew.
pub fn compare(page: &str, name: &str, expected: &str, test: &str) {
    let path = workspace::root().join(page);
    let text = fs::read_to_string(&path).expect("the page is there");
    let begin = format!("<!-- generated: {name} -->\n");
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page} has no line {begin}"));
    let (inside, behind) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("{page}: {name} does not end"));
    if std::env::var_os("GRAVEL_WRITE").is_some() {
        fs::write(&path, format!("{before}{begin}\n{expected}<!-- end -->{behind}")).expect("it can be written");
        return;
    }
    let (is, should) = (inside.trim(), expected.trim());
    let first = should.lines().zip(is.lines()).find(|(should, is)| should != is);
    assert!(
        is == should,
        "{page} is not what the code makes of it: write it anew with GRAVEL_WRITE=1 cargo test -p testsuite --test {test}\n\
         the code: {}\nthe page: {}",
        first.map_or("has other lines at the end", |(should, _)| should),
        first.map_or("", |(_, is)| is),
    );
}
