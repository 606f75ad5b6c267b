//! A line as a shell takes it apart, as far as builds print such lines.

use std::path::Path;

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// A word, without its quotes.
    Word(String),
    /// What begins the next command: `;`, `&&`, `||`, `|`, `&`.
    Next,
    /// `(`
    Open,
    /// `)`
    Close,
}

/// The parts of the line, which is executed in `folder`. `None` where what a command prints would have to be known, or a quote
/// does not end.
pub(super) fn parts(line: &str, folder: &Path) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut word: Option<String> = None;
    let mut drops_word = false;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let mut end_word = |word: &mut Option<String>, drops: &mut bool| {
            if let Some(word) = word.take()
                && !std::mem::take(drops)
            {
                parts.push(Part::Word(word));
            }
        };
        match c {
            '\\' => word.get_or_insert_default().extend(rest.next()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '"' => break,
                        '\\' if matches!(rest.peek(), Some('"' | '\\' | '$' | '`')) => word.extend(rest.next()),
                        '`' => word.push_str(&substituted(&quoted_command(&mut rest)?, folder)?),
                        '$' if rest.peek() == Some(&'(') => return None,
                        inner => word.push(inner),
                    }
                }
            }
            '`' => {
                let text = substituted(&quoted_command(&mut rest)?, folder)?;
                if !text.is_empty() {
                    word.get_or_insert_default().push_str(&text);
                }
            }
            '$' if rest.peek() == Some(&'(') => return None,
            '#' if word.is_none() => break,
            '<' | '>' => {
                // `2>file`: the number is none of the arguments, nor is the file.
                if word.as_ref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
                    word = None;
                }
                end_word(&mut word, &mut drops_word);
                while matches!(rest.peek(), Some('>' | '<' | '&' | ' ')) {
                    rest.next();
                }
                drops_word = true;
            }
            ';' | '&' | '|' => {
                end_word(&mut word, &mut drops_word);
                parts.push(Part::Next);
            }
            '(' | ')' => {
                end_word(&mut word, &mut drops_word);
                parts.push(if c == '(' { Part::Open } else { Part::Close });
            }
            c if c.is_whitespace() => end_word(&mut word, &mut drops_word),
            c => word.get_or_insert_default().push(c),
        }
    }
    if let Some(word) = word.filter(|_| !drops_word) {
        parts.push(Part::Word(word));
    }
    Some(parts)
}

/// What stands up to the next back quote.
fn quoted_command(rest: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut command = String::new();
    loop {
        match rest.next()? {
            '`' => return Some(command),
            c => command.push(c),
        }
    }
}

/// What automake's question prints where a source is: `` `test -f 'a.f90' || echo '../src/'` ``.
fn substituted(command: &str, folder: &Path) -> Option<String> {
    let (question, answer) = command.split_once("||")?;
    let file = question.trim().strip_prefix("test -f")?.trim().trim_matches(['\'', '"']);
    let answer = answer.trim().strip_prefix("echo")?.trim().trim_matches(['\'', '"']);
    Some(if folder.join(file).is_file() { String::new() } else { answer.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words, with `;` and parentheses for what stands between commands.
    fn shown(line: &str) -> Option<Vec<String>> {
        let shown = |part| match part {
            Part::Word(word) => word,
            Part::Next => ";".to_string(),
            Part::Open => "(".to_string(),
            Part::Close => ")".to_string(),
        };
        Some(parts(line, Path::new("/nowhere"))?.into_iter().map(shown).collect())
    }

    #[test]
    fn lines_are_taken_apart_as_shells_do() {
        for (line, expected) in [
            ("f90 -c  'a b.f90' -DX=\\\"y\\\"", &["f90", "-c", "a b.f90", "-DX=\"y\""][..]),
            ("cd x&&f90 -c a.f90;ar r l a.o", &["cd", "x", ";", ";", "f90", "-c", "a.f90", ";", "ar", "r", "l", "a.o"]),
            ("(cd x; f90 a.f90) > out 2>&1", &["(", "cd", "x", ";", "f90", "a.f90", ")"]),
            ("f90 a.f90 2>/dev/null -o a # b", &["f90", "a.f90", "-o", "a"]),
            ("f90 -DT='\"a\"' \"b'c\\\"\"", &["f90", "-DT=\"a\"", "b'c\""]),
            ("f90 `test -f 'a.f90' || echo './src/'`a.f90", &["f90", "./src/a.f90"]),
            ("f90 -D'A B'C", &["f90", "-DA BC"]),
        ] {
            assert_eq!(
                shown(line).as_deref(),
                Some(&expected.iter().map(|&s| s.to_string()).collect::<Vec<_>>()[..]),
                "{line}"
            );
        }
        for line in ["f90 `cat files`", "f90 $(cat files)", "f90 'a", "f90 \"$(ls)\""] {
            assert_eq!(shown(line), None, "{line}");
        }
    }
}
