//! Damaged texts: nothing makes the reader fail, and what it gives stays in bounds.

use super::random::Random;
use super::{cases, read_for};
use crate::frontend::c::types::Target;
use crate::frontend::c::unit::{Unit, value_of};

/// Something of everything.
const TEXT: &str = "typedef unsigned long size_t; typedef struct node { struct node *next; union { int a[3]; double d; }; unsigned b : 3; } node;\n\
    enum color { RED = 1, GREEN = RED << 2, BLUE };\nextern int printf(const char *, ...) __attribute__((format(printf, 1, 2)));\n\
    static const double table[] = { [0 ... 2] = 1.5, 2.5e3, .5f }; node list = { .next = &list, .a[1] = 2, 3, .b = 1 };\n\
    #pragma pack(push, 1)\nstruct packed { char c; long l; } __attribute__((packed));\n#pragma pack(pop)\n\
    int old(a, b) double b; { return a; }\nint work(int n, double m[n][2 * n], int (*call)(size_t)) {\n\
    int v[n + 1], *p = v; _Static_assert(sizeof(node) > 8, \"small\");\n\
    for (int i = 0, j = n; i < n && j; i++, --j) { if (i % 2) continue; else if (m[i][j] > 0x10) break; *p++ = (int)m[i][0] ?: -1; }\n\
    switch (n) { case 1 ... 3: v[0] += call(sizeof v); case RED: default: goto out; }\n\
    do { n >>= 1; list.next->a[n & 1] = ({ int t = n; t * t; }); } while (n);\n\
    out: printf(\"%d\\n\" \"x\", (node){ 0 }.a[0], L'a', _Generic(n, int: 1, default: 2)); asm volatile (\"nop\");\n\
    return (n) - 1 * __builtin_offsetof(node, a[1]) + (size_t)&((node *)0)->b2, old(1, 2.0); }\n";

const PIECES: [&str; 30] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "...",
    "\"",
    "'",
    "#",
    "int",
    "struct",
    "typedef",
    "node",
    "__attribute__",
    "sizeof",
    "=",
    ":",
    "?",
    "0x7fffffffffffffffffff",
    "1e999",
    "[0 ... 99999999999]",
    "[9223372036854775807][4]",
    "enum {",
    "({",
    "\\",
];

fn damaged(random: &mut Random) -> String {
    let mut text: Vec<char> = TEXT.chars().collect();
    for _ in 0..=random.below(4) {
        let at = usize::try_from(random.below(text.len().max(1) as u64)).unwrap();
        let length = usize::try_from(random.below(30)).unwrap().min(text.len() - at);
        match random.below(4) {
            0 => drop(text.drain(at..at + length)),
            1 => {
                let copy: Vec<char> = text[at..at + length].to_vec();
                let to = usize::try_from(random.below(text.len().max(1) as u64)).unwrap();
                text.splice(to..to, copy);
            }
            2 => {
                let piece = random.pick(&PIECES).repeat(if random.one_in(20) { 500 } else { 1 });
                text.splice(at..at, piece.chars());
            }
            _ => text.truncate(at.max(10)),
        }
    }
    text.into_iter().collect()
}

fn check(unit: &Unit, text: &str) {
    let length = u32::try_from(text.len()).unwrap();
    let mut behind = 0;
    for hole in &unit.holes {
        assert!(hole.range.start <= hole.range.end && hole.range.end <= length && hole.at <= length);
        behind = behind.max(hole.range.start);
    }
    for (number, expression) in unit.expressions.iter().enumerate() {
        assert!(expression.range.start <= expression.range.end && expression.range.end <= length);
        let id = crate::frontend::c::unit::ExpressionId::next(number);
        let _ = value_of(unit, id);
    }
    for statement in &unit.statements {
        assert!(statement.range.start <= statement.range.end && statement.range.end <= length);
    }
}

#[test]
fn nothing_that_a_text_says_makes_the_reader_fail() {
    let whole = read_for(TEXT, Target::X86_64);
    assert_eq!((whole.holes.len(), whole.doubts.len(), whole.functions.len()), (0, 0, 2));
    let mut holes = 0;
    for seed in 0..cases(400) {
        let text = damaged(&mut Random::new(seed + 1));
        let unit = read_for(&text, Target::X86_64);
        check(&unit, &text);
        holes += unit.holes.len();
    }
    assert!(holes > 100, "{holes}");
}
