//! Texts made of macros at random: read as compilers read them, and damaged ones without a panic.

use std::path::Path;

use proptest::prelude::*;

use super::super::*;
use super::compilers::installed;

/// Macros that the texts define: an even number has parameters.
const NAMES: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];
const PIECES: [&str; 42] = [
    "A",
    "B",
    "C",
    "D",
    "E",
    "F",
    "G",
    "H",
    "A(",
    "C(1",
    "E(x",
    "G(",
    "(",
    ")",
    ")",
    ",",
    "x",
    "y",
    " # x",
    " ## ",
    "__VA_ARGS__",
    "1",
    "+",
    "-",
    "a",
    "\"s\"",
    "'c'",
    " ",
    " ",
    "\n",
    "/* c */",
    ", ## __VA_ARGS__",
    "__VA_OPT__(,x)",
    "#y",
    "A (",
    "B (y)",
    "\\\n",
    ".",
    "2e",
    "__LINE__",
    "//",
    "x_",
];

/// Parts of directives, for damaged texts.
const LINES: [&str; 16] = [
    "#if A\n",
    "#elif B(1) > 2\n",
    "#else\n",
    "#endif\n",
    "#ifdef A\n",
    "#ifndef H\n",
    "#include A\n",
    "#line 3\n",
    "#pragma omp A\n",
    "_Pragma(\"x\")\n",
    "#undef A\n",
    "#if defined(A) && 'a' / 0\n",
    "#include \"m.c\"\n",
    "#define\n",
    "#\n",
    "R\"(\n",
];

/// A piece of a body: an operator `#` has its parameter behind it.
fn body(pieces: &[usize], is_function: bool, is_variadic: bool) -> String {
    let mut text = String::new();
    for piece in pieces {
        let piece = PIECES[piece % PIECES.len()];
        let is_for_functions = piece.contains('#') && piece != " ## ";
        let is_for_variadic = piece.contains("__VA_");
        if piece.contains('\n') || piece == "//" || is_for_functions && !is_function || is_for_variadic && !is_variadic
        {
            continue;
        }
        text.push_str(piece);
        text.push(' ');
    }
    text.trim().trim_matches('#').trim().to_string()
}

fn definition(number: usize, pieces: &[usize]) -> String {
    let name = NAMES[number];
    match number {
        0 | 4 => format!("#define {name}(x, y) {}\n", body(pieces, true, false)),
        2 => format!(
            "#define {name}(x) {}\n",
            body(&pieces.iter().copied().filter(|n| PIECES[n % PIECES.len()] != "#y").collect::<Vec<_>>(), true, false)
        ),
        6 => format!("#define {name}(x, y, ...) {}\n", body(pieces, true, true)),
        _ => format!("#define {name} {}\n", body(pieces, false, false)),
    }
}

/// A text that defines macros and uses them.
pub(in crate::frontend::c) fn text() -> impl Strategy<Value = String> {
    let pieces = || prop::collection::vec(0..PIECES.len(), 0..7);
    let definitions = prop::collection::vec(pieces(), NAMES.len());
    let uses = prop::collection::vec(prop::collection::vec(0..PIECES.len(), 0..9), 1..5);
    (definitions, uses).prop_map(|(definitions, uses)| {
        let defined: String =
            definitions.iter().enumerate().map(|(number, pieces)| definition(number, pieces)).collect();
        // What stringifies shows where blanks are.
        let head = "#define str(...) #__VA_ARGS__\n#define show(...) str(__VA_ARGS__)\n";
        let used: String = uses
            .iter()
            .enumerate()
            .map(|(number, pieces)| {
                let line: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
                if number % 2 == 0 { format!("{line}\n") } else { format!("show({line})\n") }
            })
            .collect();
        format!("{head}{defined}{used}")
    })
}

fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![prop::sample::select(&LINES[..]).prop_map(String::from), text()];
    (prop::collection::vec(line, 0..8), prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6))
        .prop_map(|(lines, changes)| {
            let mut text = lines.concat().into_bytes();
            for (at, byte) in changes.iter().filter(|_| !lines.is_empty()) {
                if !text.is_empty() {
                    let at = at.index(text.len());
                    match byte % 3 {
                        0 => text[at] = *byte,
                        1 => drop(text.remove(at)),
                        _ => text.truncate(at),
                    }
                }
            }
            text
        })
}

/// How many texts are compared with each compiler, unless PROPTEST_CASES says how many: each is a process.
const COMPARED: u32 = 100;
/// How many damaged texts are read.
const DAMAGED: u32 = 500;

/// As many cases as PROPTEST_CASES says, or the usual number.
pub(in crate::frontend::c) fn cases(usual: u32) -> ProptestConfig {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { usual };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(COMPARED))]

    #[test]
    fn texts_are_read_as_the_compilers_read_them(text in text()) {
        for compiler in installed() {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let path = folder.path().join("m.c");
            std::fs::write(&path, &text).expect("the file can be written");
            let configuration = compiler.configuration().expect("it says what it is");
            // Many texts are wrong: the compiler refuses them, and so do we.
            let mut unit = preprocess(&path, text.clone().into_bytes(), &configuration, &Disk, Purpose::Comparison);
            let Ok(output) = compiler.preprocessed(&path) else {
                prop_assert!(!unit.problems.is_empty(), "{compiler:?} refuses\n{text}");
                continue;
            };
            let difference = first_difference(&mut unit, &output, &configuration.dialect);
            prop_assert!(difference.is_none() && unit.problems.is_empty(), "{compiler:?} {difference:?} {:?}\n{text}", unit.problems);
        }
    }
}

proptest! {
    #![proptest_config(cases(DAMAGED))]

    #[test]
    fn damaged_texts_give_a_unit(text in damaged()) {
        let files = Texts([("m.c".into(), text.clone())].into());
        let configuration = Configuration {
            questions: vec!["__has_include".to_string()],
            most_tokens: 200_000,
            ..Configuration::default()
        };
        for purpose in [Purpose::Comparison, Purpose::Reading] {
            let unit = preprocess(Path::new("m.c"), text.clone(), &configuration, &files, purpose);
            for token in &unit.tokens {
                let file = unit.file(token.place.file);
                prop_assert!(token.place.start <= token.place.end && token.place.end as usize <= file.text.len());
                prop_assert!(unit.chain(token).len() <= unit.steps.len());
            }
        }
    }
}
