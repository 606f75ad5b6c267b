//! gravelc's output and report, compared with the golden files. That the output also runs is checked by `cargo suite`.

use std::collections::BTreeSet;
use std::fs;

use gravelc::ir::Language;
use gravelc::source_layout::{SourceLayout, is_comment_line};
use testsuite::golden::Golden;
use testsuite::gravelc::Gravelc;
use testsuite::side_by_side::check_each;
use testsuite::source_language::SourceLanguage;
use testsuite::tally::Tally;

#[test]
fn output_and_report_are_as_expected() {
    let gravelc = Gravelc::for_tests().expect("gravelc can be built");
    let all = Golden::all().expect("the golden files can be listed");
    let mut tally = Tally::default();
    check_each(&all, &mut tally, |golden, tally| {
        tally.check(&format!("golden/{}", golden.name), golden.check(&gravelc));
    });
    assert!(tally.is_clean(), "{tally}");
    assert!(tally.done() == all.len() && !all.is_empty(), "there are no golden files");
}

/// A macro that is called as a word that gravelc writes of itself would replace it. So gravelc lists these words, and the list
/// has to hold all of them.
#[test]
fn words_that_are_written_are_known_to_be() {
    let mut written = 0;
    for golden in Golden::all().expect("the golden files can be listed") {
        let case = golden.case().expect("the golden files are complete");
        let text = |path| String::from_utf8_lossy(&fs::read(path).expect("golden files can be read")).into_owned();
        let folder = case.original.parent().expect("golden files lie in a folder");
        let beside = folder.read_dir().expect("the folder can be read").map(|file| file.expect("it is a file").path());
        let sources = beside.filter(|path| *path != case.transformed && !path.ends_with("report.txt"));
        let known: BTreeSet<String> = sources.flat_map(|path| words(&text(path).to_lowercase())).collect();
        let original = text(case.original.clone());
        let lines: BTreeSet<&str> = original.lines().collect();
        let is_fixed = case.original.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("f"));
        let layout = if is_fixed { SourceLayout::Fixed { columns: 72 } } else { SourceLayout::Free };
        let is_c = SourceLanguage::of(&case.original) == SourceLanguage::C;
        let dialect = if is_c { Language::C } else { Language::Fortran }.dialect();
        let comment = if is_c { "/*" } else { "!" };
        // In what tells the compiler a line's number no macro is replaced: its name stands in quotes.
        let is_comment = |line: &str| match is_c {
            true => line.trim_start().starts_with(comment) || line.starts_with("#line "),
            false => is_comment_line(line.as_bytes(), layout),
        };
        let transformed = text(case.transformed.clone());
        let new = transformed.lines().filter(|line| !lines.contains(line) && !is_comment(line));
        for word in new.flat_map(|line| words(&outside_quotes(line.split(comment).next().unwrap_or_default()))) {
            written += 1;
            let is_known = dialect.may_be_written(&word) || known.contains(&word.to_lowercase());
            assert!(is_known, "golden/{}: `{word}` is missing in the list of what may be written", golden.name);
        }
    }
    assert!(written > 1000, "only {written} words are written");
}

/// A line without what stands in quotes: no preprocessor replaces a word there.
fn outside_quotes(line: &str) -> String {
    line.split('\'').step_by(2).collect::<Vec<&str>>().join(" ")
}

/// The names and keywords in a text.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
    words.filter(|word| word.starts_with(|first: char| first.is_ascii_alphabetic())).map(str::to_owned).collect()
}
