//! Same-length substitutions before the parse, where the grammar has holes.
//!
//! Only the grammar sees the substituted text. Names are read from the original bytes, so a substituted name costs
//! nothing.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::classify::StatementText;
use super::constant_names::is_constant_before;
use super::lexer::{Lexed, LogicalStatement, Token, TokenKind, lex};

/// Keywords that the grammar mistakes for the beginning of a statement where they are names. Type names are left out:
/// they can begin a constructor.
const KEYWORDS: &str = "
    allocatable allocate assign associate asynchronous automatic backspace block call case change class close common
    constant contains contiguous continue critical cycle data deallocate device dimension do else elseif elsewhere
    end enddo endfile endif entry enum equivalence error event exit external fail final flush forall form format
    function generic go goto if implicit import include inquire interface intrinsic lock module namelist nullify
    open optional parameter pause pointer print private procedure program public read return rewind save select
    sequence stop subroutine sync target then use wait where while write type
";

static KEYWORD_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| KEYWORDS.split_whitespace().collect());

/// `text` as the tokens of the file need it: lines end with a line feed alone.
pub(super) fn normalise_lines(text: &[u8]) -> Vec<u8> {
    let mut normal = text.to_vec();
    for (index, byte) in normal.iter_mut().enumerate() {
        let ends_line = *byte == b'\r' && matches!(text.get(index + 1), Some(b'\n') | None);
        // A form feed or an end-of-file mark of old systems is a blank to compilers.
        if ends_line || *byte == b'\x0c' || *byte == b'\x1a' {
            *byte = b' ';
        }
    }
    normal
}

/// What the grammar is given for `text` (with normal lines), and the tokens of `text`.
pub(super) fn patch(text: &[u8]) -> (Vec<u8>, Lexed) {
    let lexed = lex(text);
    let mut patched = text.to_vec();
    for comment in &lexed.comments {
        replace_foreign_bytes(&mut patched[comment.clone()]);
    }
    for token in lexed.tokens.iter().filter(|token| token.kind == TokenKind::Text) {
        replace_foreign_bytes(&mut patched[token.start..token.end]);
    }
    for statement in &lexed.statements {
        patch_statement(text, &lexed, statement, &mut patched);
    }
    (patched, lexed)
}

/// The parser reads UTF-8; comments and character literals may hold anything.
fn replace_foreign_bytes(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| !byte.is_ascii() || byte.is_ascii_control()) {
        if !matches!(*byte, b'\n' | b'\t') {
            *byte = b'?';
        }
    }
}

/// What is read instead of `format()`.
const EMPTY_FORMAT: &[u8] = b"continue";

fn patch_statement(text: &[u8], lexed: &Lexed, statement: &LogicalStatement, patched: &mut [u8]) {
    let tokens = lexed.tokens_of(statement);
    let words = StatementText::new(text, lexed, statement);
    let bytes = |index: usize| -> &[u8] { tokens.get(index).map_or(&[], |token| &text[token.start..token.end]) };
    if words.is_word(0, "format") && words.is_symbol(1, "(") && !words.is_assignment() {
        // The grammar knows none without items, and no label in front of nothing.
        if words.is_symbol(2, ")") && tokens.len() == 3 {
            tokens.iter().for_each(|token| patched[token.start..token.end].fill(b' '));
            let (start, end) = (tokens[0].start, tokens[2].end);
            if let Some(room) = patched[start..end].get_mut(..EMPTY_FORMAT.len()) {
                room.copy_from_slice(EMPTY_FORMAT);
            }
        }
        return;
    }
    // Behind the CONTAINS of a type the grammar knows this statement in small letters alone.
    if words.is_word(0, "private") && tokens.len() == 1 {
        patched[tokens[0].start..tokens[0].end].make_ascii_lowercase();
        return;
    }
    blank_unnamed_common(tokens, &words, patched);
    if words.is_word(0, "character") && !words.is_assignment() {
        let is_constant = |token: &Token| is_constant_before(text, lexed, statement, &text[token.start..token.end]);
        open_lengths_of_names(tokens, &words, &is_constant, patched);
    }
    // `implicit none (type, external)`: with EXTERNAL alone, which leaves names their types, less is understood.
    if words.is_word(0, "implicit") && words.is_word(1, "none") && !words.is_assignment() {
        tokens[2..].iter().for_each(|token| patched[token.start..token.end].fill(b' '));
        return;
    }
    // From here on every word is a name: an assignment, alone or behind a one-line IF.
    let names_from = if words.is_assignment() {
        Some(0)
    } else {
        words.action_start().filter(|&action| {
            let rest =
                LogicalStatement { tokens: statement.tokens.start + action..statement.tokens.end, ..statement.clone() };
            StatementText::new(text, lexed, &rest).is_assignment()
        })
    };
    let mut depth = 0_usize;
    let mut brackets = 0_usize;
    // Behind `::` of a declaration, the next word is the name of an entity.
    let mut declares = false;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Symbol => match bytes(index) {
                b"(" => {
                    depth += 1;
                    brackets += usize::from(bytes(index + 1) == b"/");
                }
                b"[" => brackets += 1,
                b"]" => brackets = brackets.saturating_sub(1),
                b")" => {
                    depth = depth.saturating_sub(1);
                    brackets = brackets.saturating_sub(usize::from(index > 0 && bytes(index - 1) == b"/"));
                }
                b"::" if depth == 0 => declares = true,
                _ => {}
            },
            TokenKind::Text => {
                // `x'00'`, as old compilers write hexadecimal constants, is `z'00'`.
                let adjacent = index > 0 && tokens[index - 1].end == token.start;
                if adjacent && words.is_word(index - 1, "x") {
                    patched[token.start - 1] = b'z';
                }
            }
            TokenKind::Word => {
                let entity =
                    declares && depth == 0 && (words.is_symbol(index - 1, "::") || words.is_symbol(index - 1, ","));
                let is_name = names_from.is_some_and(|first| index >= first) || depth > 0 || entity;
                // `[type(t) :: …]` and `allocate(type(t) :: …)` are no names.
                let begins_type = (words.is_word(index, "class") || words.is_word(index, "type"))
                    && words.is_symbol(index + 1, "(")
                    && (brackets > 0 || words.is_word(0, "allocate"));
                if is_name && !begins_type && is_keyword(bytes(index)) {
                    patched[token.start] = b'z';
                }
            }
            TokenKind::Number => {}
        }
    }
}

fn is_keyword(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| KEYWORD_SET.contains(word.to_ascii_lowercase().as_str()))
}

/// `common // a` names no block: to the grammar, `common a`.
fn blank_unnamed_common(tokens: &[Token], words: &StatementText<'_>, patched: &mut [u8]) {
    if words.is_word(0, "common") && words.is_symbol(1, "/") && words.is_symbol(2, "/") {
        patched[tokens[1].start] = b' ';
        patched[tokens[2].start] = b' ';
    }
}

/// `character a*(8)`: behind a name the grammar knows a length in parentheses as `*(*)` alone. Of one that names something else than
/// constants, which would be evaluated, nothing may be hidden.
fn open_lengths_of_names(
    tokens: &[Token],
    words: &StatementText<'_>,
    is_constant: &dyn Fn(&Token) -> bool,
    patched: &mut [u8],
) {
    let begins = |index: usize| {
        let is_behind_name = index > 1 && (words.is_any_word(index - 1) || words.is_symbol(index - 1, ")"));
        let is_group = is_behind_name && words.is_symbol(index, "*") && words.is_symbol(index + 1, "(");
        let names_something =
            |end: usize| tokens[index..end].iter().any(|token| token.kind == TokenKind::Word && !is_constant(token));
        is_group && words.behind_group(index + 1).is_some_and(|end| !names_something(end))
    };
    let mut depth = 0_usize;
    // The depth inside the parentheses of a length, and whether its first token is still to come.
    let mut length: Option<(usize, bool)> = None;
    for (index, token) in tokens.iter().enumerate() {
        if words.is_symbol(index, ")") {
            depth = depth.saturating_sub(1);
        }
        match &mut length {
            Some((inside, _)) if depth < *inside => length = None,
            Some((_, is_first)) => {
                patched[token.start..token.end].fill(b' ');
                if std::mem::take(is_first) {
                    patched[token.start] = b'*';
                }
            }
            None => {}
        }
        if words.is_symbol(index, "(") {
            depth += 1;
            if length.is_none() && depth == 1 && index > 0 && begins(index - 1) {
                length = Some((depth, true));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(text: &str) -> String {
        let (bytes, _) = patch(&normalise_lines(text.as_bytes()));
        assert_eq!(bytes.len(), text.len());
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn keywords_that_are_names_are_hidden() {
        assert_eq!(patched("class = 'U'\n"), "zlass = 'U'\n");
        assert_eq!(patched("if (c) common = 1\n"), "if (c) zommon = 1\n");
        assert_eq!(patched("call f(write, type)\n"), "call f(zrite, zype)\n");
        assert_eq!(patched("real :: call(3), x\n"), "real :: zall(3), x\n");
        assert_eq!(patched("print(i) = read(j)\n"), "zrint(i) = zead(j)\n");
    }

    #[test]
    fn private_alone_is_written_small() {
        let text = "TYPE :: T\nPRIVATE\nINTEGER, PRIVATE :: I\nCONTAINS\n  Private ! F\nPROCEDURE :: F\nEND TYPE\n";
        assert_eq!(
            patched(text),
            "TYPE :: T\nprivate\nINTEGER, PRIVATE :: I\nCONTAINS\n  private ! F\nPROCEDURE :: F\nEND TYPE\n"
        );
    }

    #[test]
    fn keywords_that_are_keywords_stay() {
        for text in [
            "write (*, *) x\n",
            "if (a) call f(x)\n",
            "x = [type(t) :: a]\n",
            "allocate (type(t) :: x)\n",
            "10 format (1x, i3)\n",
            "real, intent(in), target :: x\n",
        ] {
            assert_eq!(patched(text), text);
        }
    }

    #[test]
    fn foreign_bytes_and_line_ends() {
        let (bytes, _) = patch(&normalise_lines(b"! Gr\xfc\xdfe\r\nx = '\xe4' ! \xc3\xa4\r\n"));
        assert_eq!(bytes, b"! Gr??e \nx = '?' ! ?? \n");
    }

    #[test]
    fn formats_without_items() {
        assert_eq!(patched("10 format()\n"), "10 continue\n");
        assert_eq!(patched("10 format ( )\n"), "10 continue  \n");
    }

    #[test]
    fn old_hexadecimal_constants() {
        assert_eq!(patched("data i /X'0f'/\n"), "data i /z'0f'/\n");
    }

    #[test]
    fn lengths_of_names_in_parentheses() {
        assert_eq!(patched("character name*(10)\n"), "character name*(* )\n");
        assert_eq!(patched("character*4 a(3)*(2*(1+3)), b*8\n"), "character*4 a(3)*(*      ), b*8\n");
        assert_eq!(patched("character a*( &\n & 8 ), b\n"), "character a*( &\n & * ), b\n");
        for text in
            ["character*(10) a\n", "character(len=2*(3)) :: a*(*)\n", "character = a*(10)\n", "character a*((2)+n)\n"]
        {
            assert_eq!(patched(text), text);
        }
        let constant = "parameter (n = 4)\ncharacter a*(n), b*(2*n)\n";
        assert_eq!(patched(constant), "parameter (n = 4)\ncharacter a*(*), b*(*  )\n");
        assert_eq!(patched("parameter (n = 4)\ncharacter a*(n+m)\n"), "parameter (n = 4)\ncharacter a*(n+m)\n");
    }

    #[test]
    fn the_block_without_a_name() {
        assert_eq!(patched("common // a, b\n"), "common    a, b\n");
    }
}
