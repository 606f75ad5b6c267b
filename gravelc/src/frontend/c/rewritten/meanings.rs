//! Whether the names of a file mean in the text that takes its place what they mean in the file itself.
//!
//! The emitter repeats parts of the file in other places, and writes variables by their names. Between the places a macro may begin,
//! end or change: then a name stands for other tokens than wherever it stands in the file. That is looked at in what both texts are
//! behind the preprocessor, whatever rule of the transformations should have kept it from happening.

use std::collections::{BTreeMap, BTreeSet};

use crate::frontend::c::preprocess::{FileId, Flags, Step, TokenKind, Unit};

/// What a name stands for in one place: itself, or the tokens that its macro makes.
type Meaning = Option<Vec<Vec<u8>>>;

/// A name that stands for something else than anywhere in the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherMeaning {
    /// The line of the new text, from 1.
    pub line: usize,
    /// What it is, for people.
    pub message: String,
}

/// The names in `written` that stand for something else than anywhere in `original`, as far as that has them.
pub fn other_meanings(original: &Unit, written: &Unit) -> Vec<OtherMeaning> {
    let known = meanings(original);
    let mut found = Vec::new();
    for (name, meanings) in meanings_with_places(written) {
        let Some(known) = known.get(&name) else { continue };
        let other = meanings.into_iter().find(|(meaning, _)| !known.contains(meaning));
        found.extend(other.map(|(meaning, at)| {
            let name = String::from_utf8_lossy(&name).into_owned();
            let message = match meaning {
                Some(tokens) => {
                    let tokens = tokens.iter().map(|token| String::from_utf8_lossy(token)).collect::<Vec<_>>();
                    format!("`{name}` stands for `{}`, as nowhere in the original", tokens.join(" "))
                }
                None => format!("`{name}` stands for itself, as nowhere in the original"),
            };
            OtherMeaning { line: written.file(FileId::MAIN).line(at), message }
        }));
    }
    found
}

fn meanings(unit: &Unit) -> BTreeMap<Vec<u8>, BTreeSet<Meaning>> {
    let with_places = meanings_with_places(unit).into_iter();
    with_places.map(|(name, meanings)| (name, meanings.into_keys().collect())).collect()
}

/// What each name of the translated file stands for, with the first place of each meaning. Macros with parameters are left out, and those
/// that tell of their place.
fn meanings_with_places(unit: &Unit) -> BTreeMap<Vec<u8>, BTreeMap<Meaning, u32>> {
    // By where the outermost macro's name stands.
    let mut made: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
    let mut tells_of_place: BTreeSet<u32> = BTreeSet::new();
    let is_own = |step: &Step| step.at.file == FileId::MAIN && !step.is_in_body && unit.step(step.outer).is_none();
    let mut found: BTreeMap<Vec<u8>, BTreeMap<Meaning, u32>> = BTreeMap::new();
    let mut add = |name: &[u8], meaning: Meaning, at: u32| {
        found.entry(name.to_vec()).or_default().entry(meaning).or_insert(at);
    };
    for token in &unit.tokens {
        let spelling = unit.symbols.spelling(token.symbol);
        let outermost = unit.chain(token).first().and_then(|step| unit.step(*step)).filter(|step| is_own(step));
        if let Some(step) = outermost {
            made.entry(step.at.start).or_default().push(spelling.to_vec());
            if token.tells_of_place_or_time() {
                tells_of_place.insert(step.at.start);
            }
        }
        let is_spelled = token.place.file == FileId::MAIN
            && token.kind == TokenKind::Identifier
            && !token.flags.has(Flags::IN_BODY)
            && !token.flags.has(Flags::MADE);
        if is_spelled {
            add(spelling, None, token.place.start);
        }
    }
    for step in unit.steps.iter().filter(|step| is_own(step) && step.end <= step.at.end) {
        let at = step.at.start;
        if !tells_of_place.contains(&at) {
            add(unit.symbols.spelling(step.name), Some(made.remove(&at).unwrap_or_default()), at);
        }
    }
    found
}
