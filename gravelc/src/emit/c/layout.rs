//! Text of C: where statements end, what is around them on their lines, margins, comments, calls that are too long for a line.

use crate::ir::{SourceFile, Span};

/// So many columns a line has at most, where a call can be broken.
const COLUMNS: usize = 110;
/// What blocks are moved in by, where the file does not show it.
const MARGIN: &str = "    ";

/// What MPI defines as more than one operand in some libraries: programs expect to read it as it is, and nothing is written beside it.
const NAMES_OF_MPI: [&str; 5] =
    ["MPI_STATUS_IGNORE", "MPI_STATUSES_IGNORE", "MPI_BOTTOM", "MPI_IN_PLACE", "MPI_REQUEST_NULL"];

/// The text of `span`, on one line where nothing in it ends with its line. What looks like one operand and stands for more has parentheses.
pub fn text_of(file: &SourceFile, span: Span) -> String {
    let spelled = file.spelling(span);
    let ends_with_line = spelled.contains("//") || spelled.lines().any(|line| line.trim_start().starts_with('#'));
    let code = if spelled.contains('\n') && !ends_with_line { on_one_line(&spelled) } else { spelled };
    let looks_like_one = || is_designator(code.strip_prefix('&').unwrap_or(&code));
    let is_more = file.is_compound(span) || file.has_compound(span) && looks_like_one();
    if is_more && !NAMES_OF_MPI.contains(&code.as_str()) { format!("({code})") } else { code }
}

/// Text without comments that end with their line, on one line: joined lines become one, and white space one blank, but in literals.
fn on_one_line(text: &str) -> String {
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    let mut line = String::with_capacity(text.len());
    let mut quote = None;
    let mut is_escaped = false;
    for character in text.trim().chars() {
        match quote {
            Some(open) => {
                quote = if !is_escaped && character == open { None } else { Some(open) };
                is_escaped = !is_escaped && character == '\\';
                line.push(character);
            }
            None if character.is_ascii_whitespace() => {
                if !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            None => {
                quote = matches!(character, '"' | '\'').then_some(character);
                line.push(character);
            }
        }
    }
    line
}

/// Is the text a name with subscripts and members, which any operator takes as a whole?
pub fn is_designator(text: &str) -> bool {
    let mut depth = 0_usize;
    let mut previous = b' ';
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| {
            let is_arrow = byte == b'-' || byte == b'>' && previous == b'-';
            let fits = match byte {
                b'[' => {
                    depth += 1;
                    true
                }
                b']' => {
                    depth = depth.saturating_sub(1);
                    true
                }
                _ if depth > 0 => true,
                _ => byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || is_arrow,
            };
            let follows_minus = previous == b'-' && depth == 0 && byte != b'>';
            previous = byte;
            fits && !follows_minus
        })
        && depth == 0
        && previous != b'-'
}

/// The text of `span` on one line, for people. It ends no comment.
pub fn quoted_text_of(file: &SourceFile, span: Span) -> String {
    let end = end_of_statement(&file.text, span.end);
    let text = file.spelling(Span { end, ..span });
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace("*/", "* /").replace("/*", "/ *")
}

/// A comment.
pub fn comment(text: &str) -> String {
    format!("/* {text} */")
}

/// Where the statement ends whose last token but the semicolon ends at `end`.
pub fn end_of_statement(text: &[u8], end: usize) -> usize {
    if matches!(end.checked_sub(1).and_then(|last| text.get(last)), Some(b';' | b'}')) {
        return end;
    }
    match skip_blanks_and_comments(text, end) {
        semicolon if text.get(semicolon) == Some(&b';') => semicolon + 1,
        _ => end,
    }
}

/// Where the next token begins.
fn skip_blanks_and_comments(text: &[u8], mut at: usize) -> usize {
    loop {
        let rest = &text[at.min(text.len())..];
        if rest.first().is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        } else if rest.starts_with(b"//") {
            at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            at += rest.windows(2).skip(2).position(|two| two == b"*/").map_or(rest.len(), |end| end + 4);
        } else if rest.starts_with(b"\\\n") || rest.starts_with(b"\\\r\n") {
            at += 2;
        } else {
            return at;
        }
    }
}

/// Does nothing but white space stand in front of `offset` on its line?
pub fn begins_line(file: &SourceFile, offset: usize) -> bool {
    file.text[file.line_start(offset)..offset].iter().all(u8::is_ascii_whitespace)
}

/// Where the next line begins, if nothing stands behind `offset` on its line but comments that end there.
pub fn next_line(file: &SourceFile, offset: usize) -> Option<usize> {
    let text = &file.text;
    let feed = text[offset..].iter().position(|&byte| byte == b'\n').map(|length| offset + length)?;
    let mut rest = &text[offset..feed];
    loop {
        rest = rest.trim_ascii();
        if rest.is_empty() {
            return Some(feed + 1);
        }
        if rest.starts_with(b"//") {
            return (!rest.ends_with(b"\\")).then_some(feed + 1);
        }
        let inside = rest.strip_prefix(b"/*")?;
        let end = inside.windows(2).position(|two| two == b"*/")?;
        rest = &inside[end + 2..];
    }
}

/// The white space at the beginning of the line of `offset`.
pub fn margin_of(file: &SourceFile, offset: usize) -> String {
    let line = &file.text[file.line_start(offset)..];
    let blanks = line.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
    String::from_utf8_lossy(&line[..blanks]).into_owned()
}

/// By how much the line of `inner` is moved in from that of `outer`.
pub fn margin_between(file: &SourceFile, outer: usize, inner: usize) -> String {
    let (outer, inner) = (margin_of(file, outer), margin_of(file, inner));
    match inner.strip_prefix(&outer) {
        Some(rest) if !rest.is_empty() && rest.len() <= 8 => rest.to_owned(),
        _ => MARGIN.to_owned(),
    }
}

/// The beginnings of the lines behind the first one of `start..end` that can be moved in.
pub fn lines_within(file: &SourceFile, start: usize, end: usize) -> Vec<usize> {
    let text = &file.text;
    let begins = (start..end).filter(|&at| text[at] == b'\n').map(|feed| feed + 1);
    begins
        .filter(|&begin| {
            let line =
                &text[begin..text[begin..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |it| begin + it)];
            let is_joined = text[..begin - 1].trim_ascii_end().ends_with(b"\\");
            let is_directive = line.trim_ascii_start().starts_with(b"#");
            begin < end && !line.trim_ascii().is_empty() && !is_joined && !is_directive
        })
        .collect()
}

/// Where the last token in front of `offset` ends, if nothing else stands in between: no comment, no directive.
pub fn end_of_token_before(text: &[u8], offset: usize) -> Option<usize> {
    let end = text[..offset].trim_ascii_end().len();
    let start = text[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
    let line = &text[start..end];
    let has_comment = line.windows(2).any(|two| matches!(two, b"//" | b"*/"));
    // A directive ends with its line, and a backslash joins the next one.
    let is_of_preprocessor = line.trim_ascii_start().starts_with(b"#") || line.ends_with(b"\\");
    (end > 0 && !has_comment && !is_of_preprocessor).then_some(end)
}

/// Breaks a line behind its commas where it is too long; what follows is written below the first argument, or name. A comment loses
/// its end.
pub fn broken(line: &str, margin: &str) -> Vec<String> {
    let width = margin.len() + line.len();
    if width <= COLUMNS || line.contains('\n') {
        return vec![line.to_owned()];
    }
    if let Some(inside) = line.strip_prefix("/* ").and_then(|rest| rest.strip_suffix(" */")) {
        let room = COLUMNS.saturating_sub(margin.len() + "/* ... */".len());
        let kept: String = inside.chars().take(room).collect();
        return vec![comment(&format!("{}...", kept.trim_end()))];
    }
    let Some(open) = line.find(['(', ' ']).filter(|_| !line.contains(['"', '\''])) else {
        return vec![line.to_owned()];
    };
    // The first parenthesis of a call, the end of a type.
    let open = line.find('(').unwrap_or(open);
    let indent = " ".repeat(open + 1);
    let mut lines = Vec::new();
    let mut rest = line.to_owned();
    while margin.len() + rest.len() > COLUMNS {
        let room = COLUMNS.saturating_sub(margin.len()).min(rest.len());
        let place = rest.as_bytes()[..room].windows(2).rposition(|two| two == b", ");
        let Some(place) = place.filter(|&place| place > indent.len()) else { break };
        let tail = rest.split_off(place + 2);
        lines.push(rest.trim_end().to_owned());
        rest = format!("{indent}{tail}");
    }
    lines.push(rest);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_layout::SourceLayout;

    fn file(text: &str) -> SourceFile {
        SourceFile::new("a.c", text.as_bytes().to_vec(), SourceLayout::Free)
    }

    #[test]
    fn statements_end_with_their_semicolon() {
        let text = b"f(a) /* b; */ // c;\n ; g();";
        assert_eq!(&text[end_of_statement(text, 4)..], b" g();");
        assert_eq!(end_of_statement(b"{ }", 3), 3);
        // What is no statement of its own has none.
        assert_eq!(end_of_statement(b"f(a) + 1", 4), 4);
    }

    #[test]
    fn lines_end_where_nothing_follows() {
        let next = |text: &str| next_line(&file(text), text.find('|').unwrap() + 1);
        assert_eq!(next("a;|\nb"), Some(4));
        assert_eq!(next("a;| /* c */ // d\nb"), Some(17));
        assert_eq!(next("a;| b;\n"), None);
        assert_eq!(next("a;| /* c\n */\n"), None);
        assert_eq!(next("a;| // c \\\n d\n"), None);
    }

    #[test]
    fn long_calls_are_broken_behind_commas() {
        let line = format!("f({})", ["argument_of_it"; 10].join(", "));
        let lines = broken(&line, "    ");
        assert!(lines.len() == 2 && lines.iter().all(|line| line.len() < COLUMNS) && lines[1].starts_with("  arg"));
        assert_eq!(lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "), line);
        assert_eq!(broken("f(a, b)", ""), ["f(a, b)"]);
        let declared = broken(&format!("int {};", ["a_variable"; 12].join(", ")), "");
        assert!(declared.len() == 2 && declared[1].starts_with("    a_variable"));
        let told = broken(&comment(&"word ".repeat(40)), "  ");
        assert!(told.len() == 1 && told[0].len() <= COLUMNS && told[0].ends_with("... */"), "{told:?}");
    }

    #[test]
    fn directives_and_joined_lines_stay_where_they_are() {
        let text = "for (;;) {\n  a;\n#ifdef B\n  b \\\n  c;\n\n#endif\n}\n";
        let file = file(text);
        let end = text.len() - 2;
        let shown: Vec<&str> = lines_within(&file, 0, end).into_iter().map(|at| &text[at..at + 3]).collect();
        assert_eq!(shown, ["  a", "  b"]);
    }

    #[test]
    fn tokens_end_in_front_of_comments_and_directives() {
        let before = |text: &str| end_of_token_before(text.as_bytes(), text.find('|').unwrap());
        assert_eq!(before("if (a)\n  |b;"), Some(6));
        assert_eq!(before("if (a) // c\n  |b;"), None);
        assert_eq!(before("if (a)\n#ifdef C\n  |b;"), None);
        assert_eq!(before("if (a) \\\n  |b;"), None);
    }

    #[test]
    fn only_white_space_between_tokens_is_changed() {
        assert_eq!(on_one_line("a   +\n\t b"), "a + b");
        assert_eq!(on_one_line("ne\\\nxt + \\\r\n  c"), "next + c");
        assert_eq!(on_one_line("\"a   \\\"  b\"[2]\n == '  '"), "\"a   \\\"  b\"[2] == '  '");
        assert_eq!(on_one_line("'\\\\'  +\n '\"'  + x"), "'\\\\' + '\"' + x");
    }

    #[test]
    fn bytes_stay_and_compounds_get_parentheses() {
        let text = b"f('\xe9', LAST, MPI_STATUS_IGNORE, &LAST, LAST[1], a[LAST], a + LAST)";
        let mut file = SourceFile::new("a.c", text.to_vec(), SourceLayout::Free);
        let span = |start, end| Span { file: crate::ir::FileId(0), start, end };
        file.mark_compounds([span(7, 11), span(13, 30), span(33, 37), span(39, 43), span(50, 54), span(61, 65)]);
        assert_eq!(crate::ir::bytes_as_text::bytes_of(&text_of(&file, span(2, 5))).as_ref(), b"'\xe9'");
        assert_eq!(text_of(&file, span(7, 11)), "(LAST)");
        assert_eq!(text_of(&file, span(13, 30)), "MPI_STATUS_IGNORE");
        assert_eq!(text_of(&file, span(32, 37)), "(&LAST)");
        assert_eq!(text_of(&file, span(39, 46)), "(LAST[1])");
        // Brackets hold it, or whoever writes it beside an operator sees that there is one already.
        assert_eq!(text_of(&file, span(48, 55)), "a[LAST]");
        assert_eq!(text_of(&file, span(57, 65)), "a + LAST");
    }

    #[test]
    fn quoted_text_ends_no_comment() {
        let file = file("f(a /* b */,\n   c);\n");
        let span = Span { file: crate::ir::FileId(0), start: 0, end: 18 };
        assert_eq!(quoted_text_of(&file, span), "f(a / * b * /, c);");
        assert_eq!(text_of(&file, span), "f(a /* b */, c)");
    }
}
