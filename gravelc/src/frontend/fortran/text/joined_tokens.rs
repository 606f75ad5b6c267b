//! Names and numbers that go on on the next line of free form (`exch&` and `&ange`: Fortran 2018, 6.3.2.4), in one piece.
//!
//! The grammar reads no such token, so the lines of one are made one line of the same length: the token stands where it
//! begins, and blanks stand for its other parts, the marks, the comments and the line ends between them.

use std::ops::Range;

use super::directives;
use super::fixed_form::{FreeForm, MovedToken};
use super::lexer::{Lexed, Token, TokenKind, lex};

/// `text`, which is in free form, with its tokens in one piece; `None` if they are. A token stays as it is, and is not read, where
/// what one of its parts `may_be_macro`, which the preprocessor sees alone, or all of it together, which it does not see; where a
/// directive stands between its lines, or anything but comments does.
pub(super) fn joined_tokens(text: &[u8], may_be_macro: &dyn Fn(&[u8]) -> bool) -> Option<FreeForm> {
    let lexed = lex(text);
    let split = lexed.statements.iter().filter(|statement| statement.split_token && statement.interrupted.is_none());
    let mut form = FreeForm { text: text.to_vec(), ..FreeForm::default() };
    for statement in split {
        let mut rest = lexed.tokens_of(statement);
        while let [first, others @ ..] = rest {
            let pairs = rest.windows(2);
            let more = pairs.take_while(|pair| goes_on(text, &lexed, &pair[0], &pair[1])).count();
            let parts = &rest[..=more];
            rest = &others[more..];
            if more > 0 {
                join(text, parts, first.start..parts[more].end, may_be_macro, &mut form);
            }
        }
    }
    (!form.moved.is_empty()).then_some(form)
}

fn join(text: &[u8], parts: &[Token], from: Range<usize>, may_be_macro: &dyn Fn(&[u8]) -> bool, form: &mut FreeForm) {
    let words = || parts.iter().map(|part| &text[part.start..part.end]);
    let whole: Vec<u8> = words().flatten().copied().collect();
    // A point would be a part of it, too.
    let is_point = |place: Option<usize>| place.and_then(|place| text.get(place)) == Some(&b'.');
    let is_part_of_more = is_point(from.start.checked_sub(1)) || is_point(Some(from.end));
    if is_part_of_more || may_be_macro(&whole) || words().any(may_be_macro) {
        return;
    }
    let to = from.start..from.start + whole.len();
    form.text[from.clone()].fill(b' ');
    form.text[to.clone()].copy_from_slice(&whole);
    form.moved.push(MovedToken { to, from });
}

/// Is `next` the rest of the token that `part` begins? Between them are a mark at the end of its line, lines that hold nothing or
/// an ordinary comment, and a mark in front of the rest.
fn goes_on(text: &[u8], lexed: &Lexed, part: &Token, next: &Token) -> bool {
    let is_wordlike = |token: &Token| matches!(token.kind, TokenKind::Word | TokenKind::Number);
    let between = &text[part.end..next.start];
    let Some(inside) = between.strip_prefix(b"&").and_then(|rest| rest.strip_suffix(b"&")) else { return false };
    // A number may end in a point.
    let are_bytes_of_words =
        [part.end - 1, next.start].iter().all(|&place| text[place].is_ascii_alphanumeric() || text[place] == b'_');
    if !is_wordlike(part) || !is_wordlike(next) || !are_bytes_of_words {
        return false;
    }
    let comments = lexed.comments_in(&(part.end..next.start));
    let mut bare = inside.to_vec();
    for comment in comments {
        if directives::directive(&text[comment.clone()]).is_some() {
            return false;
        }
        let start = comment.start - part.end - 1;
        bare[start..start + comment.len()].fill(b' ');
    }
    bare.contains(&b'\n') && bare.iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        let form = joined_tokens(text.as_bytes(), &|word| word == b"macro").expect("something is split");
        assert_eq!(form.text.len(), text.len());
        String::from_utf8(form.text).unwrap()
    }

    #[test]
    fn a_name_over_several_lines_stands_on_the_first() {
        let text = "call exch&\n   &ange(a, &\n & b)\nx = 1\n";
        assert_eq!(joined(text), "call exchange      (a, &\n & b)\nx = 1\n");
        let form = joined_tokens(text.as_bytes(), &|_| false).unwrap();
        let span = form.start_in_file(5)..form.end_in_file(13);
        assert_eq!(&text[span], "exch&\n   &ange");
        let found = joined("call a& ! one's\n\n ! two\n&b&\n&c()\n");
        assert_eq!(found.split_whitespace().collect::<Vec<_>>(), ["call", "abc", "()"]);
    }

    #[test]
    fn numbers_and_keywords_have_lines_too() {
        assert_eq!(joined("x = 12&\n&34\n"), "x = 1234   \n");
        assert_eq!(joined("x = 1.5e&\n&5_d&\n&p\n").split_whitespace().collect::<Vec<_>>(), ["x", "=", "1.5e5_dp"]);
        assert_eq!(joined("if (a) go t&\n&o 10\n"), "if (a) go to    10\n");
    }

    #[test]
    fn what_may_be_anything_stays_in_its_parts() {
        for text in [
            // In one piece, or behind a blank: another token.
            "call f(a, &\n& b)\n",
            "call exch &\n&ange(a)\n",
            "call exch&\n& ange(a)\n",
            "call exch&\nange(a)\n",
            "x = 'exch&\n&ange'\n",
            // A macro, for a preprocessor that sees lines, or for a reader that does not.
            "call macro&\n&ange(a)\n",
            "call ma&\n&cro(a)\n",
            // More than a name.
            "if (a .e&\n&q. b) c = 1\n",
            // Directives.
            "call exch&\n!$ &other, &\n&ange(a)\n",
            "call exch&\n!$omp parallel\n&ange(a)\n",
            "call exch&\n#ifdef A\n&ange(a)\n#endif\n",
        ] {
            assert!(joined_tokens(text.as_bytes(), &|word| word == b"macro").is_none(), "{text}");
        }
    }
}
