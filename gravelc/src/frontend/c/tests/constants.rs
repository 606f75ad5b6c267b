//! Integer constant expressions.

use std::fmt::Write;

use super::random::Random;
use super::{cases, read_whole, run};

const TYPES: [&str; 15] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
    "enum e",
    "__int128",
    "unsigned __int128",
];

const HEAD: &str = "enum e { E0, E1 = 7, E2, E3 = 1000 };\nenum f { F0 = -5, F1 = 0x80000000, F2 };\n\
    struct s { char c; double d[3]; struct { short h, i[5]; } in; int b : 3; };\nstatic const int array[17];\n";

fn leaf(random: &mut Random) -> String {
    match random.below(14) {
        0 => format!("{}u", random.below(10)),
        1 => format!("{}L", random.below(1 << 40)),
        2 => format!("0x{:x}ull", random.below(u64::MAX)),
        3 => format!("0{:o}", random.below(1 << 20)),
        4 => (*random.pick(&[
            "'a'",
            "'\\n'",
            "'\\377'",
            "'\\x80'",
            "L'\\x80'",
            "u'b'",
            "'ab'",
            "'\\0'",
            "U'\\u00e4'",
            "L'ä'",
        ]))
        .to_string(),
        5 => (*random.pick(&["E0", "E1", "E2", "E3", "F0", "F1", "F2"])).to_string(),
        6 => format!("sizeof({})", random.pick(&TYPES)),
        7 => (*random.pick(&[
            "sizeof(array)",
            "sizeof array / sizeof *array",
            "sizeof(struct s)",
            "sizeof((struct s *)0)->d",
            "sizeof \"abc\" \"d\"",
            "sizeof L\"abc\"",
            "sizeof(int[3][5])",
            "sizeof(char (*)[100])",
            "_Alignof(struct s)",
            "sizeof('a')",
            "sizeof(1 ? (char)1 : (char)2)",
            "sizeof(+(char)1)",
        ]))
        .to_string(),
        8 => (*random.pick(&[
            "__builtin_offsetof(struct s, in.i[2])",
            "__builtin_offsetof(struct s, d[1])",
            "(unsigned long)&((struct s *)0)->in.i[3]",
            "(long)((char *)&((struct s *)16)->d - 8)",
            "(int)3.75",
            "(unsigned char)200.5f",
            "(int)-2.5",
            "(3.0 > 2)",
            "(int)(1.5 * 4)",
            "!0.5",
            "(_Bool)0.25",
            "(int)1e3",
            "(long)0x1.8p3",
        ]))
        .to_string(),
        9 => format!("{}", random.below(1 << 33)),
        10 => format!("0x{:x}", random.below(1 << 33)),
        _ => format!("{}", random.below(100)),
    }
}

/// An expression that may overflow, divide by zero or shift too far: then it is no constant.
fn expression(random: &mut Random, depth: u64) -> String {
    if depth == 0 || random.one_in(6) {
        return leaf(random);
    }
    let below = |random: &mut Random| expression(random, depth - 1);
    match random.below(10) {
        0 => format!("({})({})", random.pick(&TYPES), below(random)),
        1 => format!("(({}){})", random.pick(&TYPES), leaf(random)),
        2 => format!("{}({})", random.pick(&["-", "~", "!", "+"]), below(random)),
        3 => format!("(({}) ? {} : {})", below(random), below(random), below(random)),
        4 => format!("(({}) {} {})", below(random), random.pick(&["<<", ">>"]), random.below(34)),
        _ => {
            let operator = random.pick(&[
                "+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "+", "-",
            ]);
            format!("(({}) {operator} {})", below(random), below(random))
        }
    }
}

#[test]
fn constants_have_the_values_that_the_compiler_gives_them() {
    let count = cases(400);
    let mut text = HEAD.to_string();
    let mut written = Vec::new();
    for seed in 0..count {
        let mut random = Random::new(seed + 1000);
        let depth = random.below(4) + 1;
        let own = expression(&mut random, depth);
        // A constant where C demands one: an enumerator is as wide as its value.
        writeln!(text, "enum {{ C{seed} = {own} }};").unwrap();
        written.push(own);
    }
    let unit = read_whole(&text);
    let mut program = format!("#include <stdio.h>\n{HEAD}int main(void) {{\n");
    let mut expected = Vec::new();
    for symbol in &unit.symbols {
        let Some(number) = symbol.name.and_then(|name| unit.names.text(name).strip_prefix('C')) else { continue };
        let Ok(number) = number.parse::<usize>() else { continue };
        let crate::frontend::c::unit::SymbolKind::Enumerator(Some(value)) = symbol.kind else { continue };
        let own = &written[number];
        let halves = "(unsigned long long)((unsigned __int128)v >> 64), (unsigned long long)v";
        writeln!(program, "{{ __int128 v = {own}; printf(\"%llx %llx\\n\", {halves}); }}").unwrap();
        let (high, low) = ((value >> 64).cast_unsigned() as u64, value.cast_unsigned() as u64);
        expected.push((format!("{high:x} {low:x}"), own));
    }
    program += "}\n";
    let known = expected.len() as u64;
    assert!(known * 3 > count * 2, "only {known} of {count} are known");
    let printed = run(&program, "constants");
    let pairs = printed.lines().zip(&expected);
    let differ: Vec<_> = pairs.filter(|(printed, (expected, _))| printed != expected).take(5).collect();
    assert!(differ.is_empty(), "{differ:#?}");
    assert_eq!(printed.lines().count(), expected.len());
}
