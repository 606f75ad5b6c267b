//! Texts that are made of macros: definitions at random, with and without arguments, and lines that call them in all the ways
//! that go well or wrong.

use fastrand::Rng;

/// Names of macros and of nothing.
const NAMES: [&str; 10] = ["A", "B", "C", "D", "E", "F", "G", "a", "AB", "_B"];
const PARAMETERS: [&str; 3] = ["x", "y", "x_"];
/// What else a text is made of.
const PIECES: [&str; 24] = [
    " ",
    " ",
    " ",
    ",",
    "(",
    ")",
    "()",
    "+",
    "'",
    "\"",
    "1",
    "7_",
    "/**/",
    "/* ' */",
    "= ",
    "x",
    "y",
    "call s(",
    ".and.",
    "'it''s'",
    "\"x\"",
    "! ",
    " __LINE__ ",
    "%",
];
/// Lines of one text.
const LINES: usize = 9;
/// Pieces of one line, at most.
const MOST_PIECES: usize = 12;

/// The text with this number, in free form.
pub fn text(number: u64) -> Vec<u8> {
    let mut rng = Rng::with_seed(number);
    // With few names that mean something, more of a text is certain.
    let names = &NAMES[..rng.usize(3..=NAMES.len())];
    let mut text = String::new();
    for _ in 0..LINES {
        match rng.u32(0..10) {
            0..4 => define(&mut rng, names, &mut text),
            4 => {
                let name = rng.choice(names).unwrap_or(&"A");
                text.push_str(&format!("#undef {name}"));
            }
            _ => line(&mut rng, names, &mut text),
        }
        // One in some lines goes on in the next one.
        text.push_str(if rng.u32(0..12) == 0 { " \\\n" } else { "\n" });
    }
    text.push_str("\nend\n");
    text.into_bytes()
}

fn define(rng: &mut Rng, names: &[&str], text: &mut String) {
    // Whether a macro has arguments, and how many, is always the same.
    let number = rng.usize(0..names.len());
    text.push_str(&format!("#define {}", names[number]));
    if number.is_multiple_of(2) {
        text.push_str(&format!("({})", PARAMETERS[..number % 4].join(",")));
    }
    text.push(' ');
    for _ in 0..rng.usize(0..MOST_PIECES / 2) {
        piece(rng, names, text);
    }
}

fn line(rng: &mut Rng, names: &[&str], text: &mut String) {
    text.push_str("v = ");
    for _ in 0..rng.usize(1..MOST_PIECES) {
        if rng.u32(0..4) == 0 {
            let name = rng.choice(names).unwrap_or(&"A");
            let arguments: Vec<&str> =
                (0..rng.usize(0..3)).filter_map(|_| rng.choice(["p", " q ", "'r'", "", "A", "B(1)"])).collect();
            text.push_str(&format!("{name}({})", arguments.join(",")));
        } else {
            piece(rng, names, text);
        }
    }
}

fn piece(rng: &mut Rng, names: &[&str], text: &mut String) {
    let from: &[&str] = if rng.u32(0..3) == 0 { names } else { &PIECES };
    text.push_str(rng.choice(from).unwrap_or(&" "));
}
