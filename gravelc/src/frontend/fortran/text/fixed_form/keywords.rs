//! Which words of a statement of fixed form are one name, and which hold a keyword and a name without a blank between
//! (Fortran 2018, 6.3.3.1: blanks mean nothing; the grammar of the statement decides).

use std::sync::LazyLock;

use super::tokens::{FixedToken, FixedTokenKind};

/// Keywords that begin a statement and that names may follow without a blank, longer ones before their beginnings.
const GLUED: &[&str] = &[
    "doubleprecision",
    "integer",
    "complex",
    "logical",
    "character",
    "real",
    "implicit",
    "subroutine",
    "function",
    "recursive",
    "program",
    "blockdata",
    "dimension",
    "external",
    "intrinsic",
    "equivalence",
    "parameter",
    "common",
    "data",
    "save",
    "entry",
    "call",
    "goto",
    "return",
    "stop",
    "pause",
    "assign",
    "print",
    "read",
    "endsubroutine",
    "endfunction",
    "endprogram",
    "use",
    "include",
];

/// Words that begin a statement by themselves although a shorter keyword begins them, or although nothing may follow.
const WHOLE: &[&str] = &[
    "allocatable",
    "allocate",
    "associate",
    "asynchronous",
    "backspace",
    "bind",
    "block",
    "case",
    "class",
    "close",
    "codimension",
    "concurrent",
    "contains",
    "contiguous",
    "continue",
    "critical",
    "cycle",
    "deallocate",
    "default",
    "do",
    "double",
    "elemental",
    "else",
    "elseif",
    "elsewhere",
    "end",
    "endassociate",
    "endblock",
    "endblockdata",
    "enddo",
    "endfile",
    "endforall",
    "endif",
    "endinterface",
    "endmodule",
    "endselect",
    "endtype",
    "endwhere",
    "enum",
    "enumerator",
    "error",
    "exit",
    "flush",
    "forall",
    "format",
    "generic",
    "go",
    "if",
    "implicitnone",
    "import",
    "impure",
    "inquire",
    "intent",
    "interface",
    "module",
    "namelist",
    "nullify",
    "open",
    "optional",
    "pointer",
    "private",
    "procedure",
    "protected",
    "public",
    "pure",
    "rewind",
    "select",
    "selectcase",
    "selecttype",
    "sequence",
    "submodule",
    "target",
    "then",
    "type",
    "value",
    "volatile",
    "wait",
    "where",
    "while",
    "write",
    "byte",
    "doublecomplex",
];

/// Words that stand between others of a statement.
const INNER: &[&str] = &["to", "in", "out", "none", "result", "precision"];

/// All of these by their first letter.
static BY_FIRST_LETTER: LazyLock<[Vec<&[u8]>; 256]> = LazyLock::new(|| {
    let mut keywords = [const { Vec::new() }; 256];
    for keyword in [GLUED, WHOLE, INNER].into_iter().flatten() {
        keywords[usize::from(keyword.as_bytes()[0])].push(keyword.as_bytes());
    }
    keywords
});

/// Where in `word`, letters and digits without a blank, a name may begin: what stands before it can be keywords and numbers
/// (`do10i`, `assign10toi`).
pub fn beginnings_of_names(word: &[u8]) -> Vec<usize> {
    let mut can_begin = vec![false; word.len() + 1];
    can_begin[0] = true;
    for (start, first) in word.iter().enumerate() {
        if can_begin[start] {
            let keywords = BY_FIRST_LETTER[usize::from(*first)].iter();
            let next = keywords.filter(|keyword| word[start..].starts_with(keyword));
            next.for_each(|keyword| can_begin[start + keyword.len()] = true);
            can_begin[start + 1] |= first.is_ascii_digit();
        }
    }
    (0..word.len()).filter(|&start| can_begin[start]).collect()
}

/// Brings the words of a statement, which `;` may divide, into the form that free form needs.
pub(super) fn regroup(tokens: Vec<FixedToken>) -> Vec<FixedToken> {
    let mut result = Vec::with_capacity(tokens.len());
    let mut part = Vec::new();
    for token in join_operators(tokens) {
        if token.is_symbol(";") {
            regroup_statement(std::mem::take(&mut part), &mut result);
            result.push(token);
        } else {
            part.push(token);
        }
    }
    regroup_statement(part, &mut result);
    result
}

fn join(first: FixedToken, second: FixedToken, kind: FixedTokenKind) -> FixedToken {
    let mut bytes = first.bytes;
    bytes.extend(second.bytes);
    FixedToken { kind, range: first.range.start..second.range.end, bytes }
}

/// `. EQ .` is one operator.
fn join_operators(tokens: Vec<FixedToken>) -> Vec<FixedToken> {
    const OPERATORS: [&str; 13] =
        ["eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "eqv", "neqv", "true", "false"];
    let mut result: Vec<FixedToken> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let length = result.len();
        let closes = token.is_symbol(".") && length >= 2 && result[length - 2].is_symbol(".");
        if closes && OPERATORS.iter().any(|operator| result[length - 1].is_word(operator)) {
            let word = result.pop();
            let point = result.pop();
            if let (Some(point), Some(word)) = (point, word) {
                result.push(join(join(point, word, FixedTokenKind::Symbol), token, FixedTokenKind::Symbol));
            }
        } else {
            result.push(token);
        }
    }
    result
}

/// Index behind the parenthesis that closes the one at `open`.
fn behind_group(tokens: &[FixedToken], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        if token.is_symbol("(") || token.is_symbol("[") {
            depth += 1;
        } else if token.is_symbol(")") || token.is_symbol("]") {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(index + 1);
            }
        }
    }
    None
}

/// Is it an assignment: words that make a name, subscripts and components, `=`, and no comma that would make it a DO?
fn is_assignment(tokens: &[FixedToken]) -> bool {
    if tokens.first().is_none_or(|first| first.kind != FixedTokenKind::Word) {
        return false;
    }
    let mut index = tokens.iter().take_while(|token| token.is_wordlike()).count();
    loop {
        let Some(token) = tokens.get(index) else { return false };
        if token.is_symbol("=") || token.is_symbol("=>") {
            break;
        } else if token.is_symbol("(") || token.is_symbol("[") {
            match behind_group(tokens, index) {
                Some(next) => index = next,
                None => return false,
            }
        } else if token.is_symbol("%") {
            index += 1;
            index += tokens[index..].iter().take_while(|token| token.is_wordlike()).count();
        } else {
            return false;
        }
    }
    let mut depth = 0_usize;
    for token in &tokens[index..] {
        if token.is_symbol("(") || token.is_symbol("[") {
            depth += 1;
        } else if token.is_symbol(")") || token.is_symbol("]") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && token.is_symbol(",") {
            return false;
        }
    }
    true
}

/// In expressions two words side by side are one.
fn join_words(tokens: Vec<FixedToken>, result: &mut Vec<FixedToken>) {
    let first = result.len();
    for token in tokens {
        match result.last() {
            Some(last) if result.len() > first && last.is_wordlike() && token.is_wordlike() => {
                let last = result.pop();
                if let Some(last) = last {
                    let kind = last.kind;
                    result.push(join(last, token, kind));
                }
            }
            _ => result.push(token),
        }
    }
}

/// Words inside parentheses are joined as in an expression; those outside stay.
fn join_inside(tokens: Vec<FixedToken>, result: &mut Vec<FixedToken>) {
    let mut depth = 0_usize;
    let mut inside: Vec<FixedToken> = Vec::new();
    for token in tokens {
        if token.is_symbol("(") {
            depth += 1;
        } else if token.is_symbol(")") {
            depth = depth.saturating_sub(1);
        }
        // `intent(in out)`
        let is_intent = token.is_word("out") && inside.last().is_some_and(|last| last.is_word("in"));
        if depth == 0 || is_intent {
            join_words(std::mem::take(&mut inside), result);
            result.push(token);
        } else {
            inside.push(token);
        }
    }
    join_words(inside, result);
}

fn regroup_statement(tokens: Vec<FixedToken>, result: &mut Vec<FixedToken>) {
    if tokens.is_empty() {
        return;
    }
    if is_assignment(&tokens) {
        join_words(tokens, result);
        return;
    }
    // `10 name: DO …`
    if tokens.len() > 2 && tokens[0].kind == FixedTokenKind::Word && tokens[1].is_symbol(":") {
        let mut rest = tokens;
        let tail = rest.split_off(2);
        result.extend(rest);
        regroup_statement(tail, result);
        return;
    }
    if let Some(action) = action_of(&tokens) {
        let mut head = tokens;
        let tail = head.split_off(action);
        join_inside(head, result);
        regroup_statement(tail, result);
        return;
    }
    let tokens = split_keyword(tokens);
    let name_from = if tokens[0].is_word("call") { 1 } else { tokens.len() };
    let mut head = tokens;
    let tail = head.split_off(name_from.min(head.len()));
    join_inside(head, result);
    join_words(tail, result);
}

/// Index of the statement behind `IF (…)`.
fn action_of(tokens: &[FixedToken]) -> Option<usize> {
    let begins = ["if", "where", "forall"].iter().any(|word| tokens[0].is_word(word));
    if !begins || !tokens.get(1)?.is_symbol("(") {
        return None;
    }
    behind_group(tokens, 1).filter(|&action| tokens.get(action).is_some_and(|token| token.kind == FixedTokenKind::Word))
}

/// Splits `token` behind `length` bytes. A token with blanks in it can't be split.
fn split(token: FixedToken, length: usize) -> Result<(FixedToken, FixedToken), FixedToken> {
    let is_name = token.bytes.get(length).is_some_and(u8::is_ascii_alphanumeric);
    if token.bytes.len() != token.range.len() || length == 0 || !is_name {
        return Err(token);
    }
    let FixedToken { kind, range, bytes } = token;
    let middle = range.start + length;
    let (head, tail) = bytes.split_at(length);
    let tail_kind = if tail[0].is_ascii_digit() { FixedTokenKind::Number } else { FixedTokenKind::Word };
    Ok((
        FixedToken { kind, range: range.start..middle, bytes: head.to_vec() },
        FixedToken { kind: tail_kind, range: middle..range.end, bytes: tail.to_vec() },
    ))
}

/// Takes the keyword at the beginning of a statement apart from what follows it without a blank.
fn split_keyword(tokens: Vec<FixedToken>) -> Vec<FixedToken> {
    let mut result: Vec<FixedToken> = Vec::with_capacity(tokens.len() + 2);
    let mut rest = tokens.into_iter();
    let Some(first) = rest.next() else { return result };
    let word = String::from_utf8_lossy(&first.bytes).to_ascii_lowercase();
    if first.kind != FixedTokenKind::Word || WHOLE.contains(&word.as_str()) {
        result.push(first);
    } else if word.starts_with("do") && word[2..].bytes().next().is_some_and(|byte| byte.is_ascii_digit()) {
        split_labelled_do(first, &mut result);
    } else if let Some(keyword) = GLUED.iter().find(|keyword| word.starts_with(**keyword)) {
        let prefix = ["implicit", "real", "integer", "complex", "logical", "character", "doubleprecision", "recursive"];
        match split(first, keyword.len()) {
            Ok((head, tail)) => {
                result.push(head);
                // `IMPLICITREAL`, `REALFUNCTIONF`
                if prefix.contains(keyword) && tail.kind == FixedTokenKind::Word {
                    result.extend(split_second(tail));
                } else {
                    result.push(tail);
                }
            }
            Err(first) => result.push(first),
        }
    } else {
        result.push(first);
    }
    result.extend(rest);
    result
}

/// What follows a type or IMPLICIT: a type, FUNCTION and a name, or a name.
fn split_second(token: FixedToken) -> Vec<FixedToken> {
    let word = String::from_utf8_lossy(&token.bytes).to_ascii_lowercase();
    let seconds = ["doubleprecision", "function", "integer", "real", "complex", "logical", "character", "none"];
    let second = seconds.iter().find(|second| word.starts_with(**second) && word.len() > second.len());
    match second.map(|second| split(token.clone(), second.len())) {
        Some(Ok((head, tail))) if word.starts_with("function") => vec![head, tail],
        _ => vec![token],
    }
}

/// `DO10I` is DO, a label and a variable.
fn split_labelled_do(token: FixedToken, result: &mut Vec<FixedToken>) {
    match split(token, 2) {
        Ok((keyword, label)) => {
            result.push(keyword);
            let digits = label.bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match split(label, digits) {
                Ok((label, variable)) => result.extend([label, variable]),
                Err(label) => result.push(label),
            }
        }
        Err(token) => result.push(token),
    }
}
