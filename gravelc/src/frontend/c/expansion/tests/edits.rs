//! What own text is for: an edit of its bytes changes that part of the expansion and nothing else.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

use super::*;
use crate::frontend::c::preprocess::tests::random_texts::{cases, text};

/// How many texts are edited.
const EDITED: u32 = 400;

/// The tokens, but for values that lines have.
fn tokens(expansion: &Expansion) -> Vec<String> {
    let unit = expansion.unit();
    let shown = |token: &super::super::super::preprocess::Token| {
        if token.flags.has(Flags::OF_PLACE) { "place".to_string() } else { unit.symbols.text(token.symbol) }
    };
    unit.tokens.iter().map(shown).collect()
}

/// Edits a part of the text, if a file spells it. Says whether it does.
fn edit(text: &str, expansion: &Expansion, range: Range<usize>) -> Result<bool, TestCaseError> {
    let (first, last) = (range.start, range.end - 1);
    let bytes = expansion.range_of(first).start..expansion.range_of(last).end;
    let Ok(found) = expansion.own_text(bytes) else { return Ok(false) };
    let place = found.place.start as usize..found.place.end as usize;
    let edited = [&text[..place.start], " edited ", &text[place.end..]].concat();
    let after = self::expansion(&edited);
    let mut wanted = tokens(expansion);
    wanted.splice(range, ["edited".to_string()]);
    prop_assert_eq!(tokens(&after), wanted, "{:?} {:?} in\n{}", found, &text[place], text);
    Ok(true)
}

#[test]
fn an_edit_changes_its_own_part_alone() {
    let edits = AtomicUsize::new(0);
    let texts = (text(), any::<prop::sample::Index>(), 1..6_usize);
    let result = TestRunner::new(cases(EDITED)).run(&texts, |(text, at, length)| {
        // A number of a line that becomes a string or a part of a name is not seen as one.
        let text = text.replace("__LINE__", "line");
        let expansion = expansion(&text);
        let count = expansion.unit().tokens.len();
        if !expansion.unit().problems.is_empty() || count == 0 {
            return Ok(());
        }
        let first = at.index(count);
        for first in first..count.min(first + 8) {
            for end in first + 1..=count.min(first + length) {
                edits.fetch_add(usize::from(edit(&text, &expansion, first..end)?), Ordering::Relaxed);
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    let edits = edits.into_inner();
    assert!(edits > EDITED as usize / 2, "only {edits} edits");
}
