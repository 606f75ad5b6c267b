//! Puts the tokens of a statement into the text, each where it stands in the file if that is possible.

use super::MovedToken;
use super::tokens::FixedToken;

/// Writes `tokens` into `text`, which is blank there, not in front of `room`; notes in `moved` what does not stand where it
/// stood. `false` if there is no room for the blanks between them; nothing is written then.
pub(super) fn place(tokens: &[FixedToken], room: usize, text: &mut [u8], moved: &mut Vec<MovedToken>) -> bool {
    let mut places = vec![0; tokens.len()];
    let mut limit = usize::MAX;
    for (index, token) in tokens.iter().enumerate().rev() {
        let needs_gap =
            token.is_wordlike() && tokens.get(index + 1).is_some_and(FixedToken::is_wordlike) && limit != usize::MAX;
        let end = limit - usize::from(needs_gap);
        let Some(latest) = end.checked_sub(token.bytes.len()) else { return false };
        places[index] = token.range.start.min(latest);
        limit = places[index];
    }
    if places.first().is_some_and(|&first| first < room) {
        return false;
    }
    for (token, &start) in tokens.iter().zip(&places) {
        let to = start..start + token.bytes.len();
        // A line feed between parts of a literal was joined before.
        text[to.clone()].copy_from_slice(&token.bytes);
        if to != token.range {
            moved.push(MovedToken { to, from: token.range.clone() });
        }
    }
    true
}
