//! Reading C declarations: as much of the language as headers of this interface use.

use std::collections::BTreeMap;

/// The declarations of a header, by name, in a form in which equal ones are equal text.
#[derive(Debug, Default)]
pub struct Declarations {
    /// Functions that another file defines (no `static` ones), with the names of their parameters.
    pub functions: BTreeMap<String, String>,
    /// Structures: what is between the braces.
    pub structures: BTreeMap<String, String>,
    /// Enumerations: names and values, without the prefix that all constants of one have in common.
    pub enumerations: BTreeMap<String, BTreeMap<String, String>>,
}

impl Declarations {
    /// Reads a header. Lines of the preprocessor and bodies of functions are skipped.
    pub fn parse(header: &str) -> Self {
        let mut found = Self::default();
        for statement in top_level_statements(&without_comments(header).replace("extern \"C\" {", "")) {
            found.add(&tokens(&statement));
        }
        found
    }

    fn add(&mut self, statement: &[String]) {
        let body = statement.iter().position(|token| token == "{");
        let words: Vec<&str> = statement.iter().map(String::as_str).collect();
        match (words.as_slice(), body) {
            (["struct", name, "{", inside @ .., "}"], _) => {
                self.structures.insert((*name).to_owned(), inside.join(" "));
            }
            (["enum", name, "{", inside @ .., "}"], _) => {
                self.enumerations.insert((*name).to_owned(), constants(name, inside));
            }
            (["static", ..], _) => {}
            (_, None) => {
                if let Some(parenthesis) = words.iter().position(|&word| word == "(").filter(|&place| place > 0) {
                    self.functions.insert(words[parenthesis - 1].to_owned(), words.join(" "));
                }
            }
            _ => {}
        }
    }
}

/// `NAME = value, ...`, without the part of the names that comes from the enumeration's own.
fn constants(enumeration: &str, inside: &[&str]) -> BTreeMap<String, String> {
    // The codes and findings of the library have the prefix of everything, the others that of their enumeration.
    let prefixes = [format!("{}_", enumeration.to_ascii_uppercase()), "GRAVEL_RT_".to_owned(), String::new()];
    let constants = inside.split(|&token| token == ",").filter(|constant| !constant.is_empty());
    constants
        .map(|constant| {
            let [name, "=", value] = constant else { panic!("{enumeration}: {constant:?} has no value of its own") };
            let short = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix.as_str()));
            (short.unwrap_or(name).to_owned(), (*value).to_owned())
        })
        .collect()
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        kept.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    let is_code = |line: &&str| !line.trim_start().starts_with('#');
    kept.lines().filter(is_code).map(|line| format!("{line}\n")).collect()
}

/// Declarations and definitions, without the semicolon.
fn top_level_statements(text: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut statement = String::new();
    let mut depth = 0_usize;
    for character in text.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_end = depth == 0 && (character == ';' || character == '}');
        if !(is_end && character == ';') {
            statement.push(character);
        }
        if is_end {
            statements.push(std::mem::take(&mut statement));
        }
    }
    statements
}

/// Words and signs. `int32_t` is `int` on everything that MPI runs on, and an underscore before the name of a parameter only
/// says that the library does not look at it.
fn tokens(statement: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut is_in_word = false;
    for character in statement.chars() {
        let is_word = character.is_alphanumeric() || character == '_';
        if is_word && is_in_word {
            tokens.last_mut().expect("the word has begun").push(character);
        } else if !character.is_whitespace() {
            tokens.push(character.into());
        }
        is_in_word = is_word;
    }
    for token in &mut tokens {
        if token == "int32_t" {
            "int".clone_into(token);
        }
        if let Some(name) = token.strip_prefix('_').filter(|name| !name.starts_with('_')) {
            *token = name.to_owned();
        }
    }
    tokens
}

#[test]
fn declarations_are_told_from_definitions() {
    let text = "#include <a.h>\n/* f(a); */ enum e { GRAVEL_RT_A = 1, GRAVEL_RT_B = 2 };\nstruct s { int32_t x; };\n\
                const char *f(int a,\n   struct s *b);\nstatic inline int g(void) { f(0); return 1; }\nint h(void);";
    let found = Declarations::parse(text);
    assert_eq!(found.functions.keys().collect::<Vec<_>>(), ["f", "h"]);
    assert_eq!(found.functions["f"], "const char * f ( int a , struct s * b )");
    assert_eq!(found.structures["s"], "int x ;");
    assert_eq!(found.enumerations["e"]["B"], "2");
}
