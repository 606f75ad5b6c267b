//! Random functions of C, run by what they were lowered to and by a compiler: what is known of a value must be true.

use std::fmt::Write;

use super::interpreter::Run;
use super::program;
use crate::frontend::c::tests::{cases, random::Random, run};

/// The numbers of a function.
const NUMBERS: [&str; 7] = ["a", "b", "c", "l", "u", "s", "w"];

/// Writes a function.
struct Writer {
    random: Random,
    text: String,
    depth: usize,
    /// Loops so far: each has variables of its own.
    loops: usize,
    /// Variables of the loops around.
    indices: Vec<String>,
}

impl Writer {
    fn pick(&mut self, count: usize) -> usize {
        usize::try_from(self.random.below(count as u64)).expect("it is small")
    }

    fn number(&mut self) -> String {
        NUMBERS[self.pick(NUMBERS.len())].to_owned()
    }

    fn index(&mut self) -> String {
        match self.indices.last().cloned() {
            Some(index) if self.pick(3) > 0 => index,
            _ => self.pick(4).to_string(),
        }
    }

    /// A lvalue, and a value that nothing named twice is stored in.
    fn place(&mut self) -> String {
        match self.pick(8) {
            0 => format!("t[{}]", self.index()),
            1 => format!("m[{}][{}]", self.pick(2), self.pick(3)),
            2 => format!("*(t + {})", self.pick(4)),
            3 => format!("p[{}]", self.pick(2)),
            4 => "*p".to_owned(),
            5 => format!("v[{}]", self.pick(4)),
            _ => self.number(),
        }
    }

    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.pick(4) == 0 {
            return match self.pick(3) {
                0 => format!("{}{}", ["", "-"][self.pick(2)], self.pick(11)),
                _ => self.place(),
            };
        }
        let (one, other) = (self.value(depth - 1), self.value(depth - 1));
        let small = self.pick(6) + 1;
        match self.pick(14) {
            0 | 1 => format!("({one} + {other})"),
            2 | 3 => format!("({one} - {other})"),
            4 => format!("({one} * {small})"),
            5 => format!("({one} % {small})"),
            6 => format!("({one} / {small})"),
            7 => format!("(-({one}))"),
            8 => format!("({one} < {other})"),
            9 => format!("({one} ? {other} : {small})"),
            10 => format!("(int)({one})"),
            11 => format!("({one} & {small})"),
            12 => format!("(!({one}) || {other} > {small})"),
            _ => format!("(unsigned char)({one})"),
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:depth$}{text}", "", depth = 2 * self.depth + 2);
    }

    fn statements(&mut self, count: usize) {
        self.depth += 1;
        for _ in 0..=self.pick(count) {
            self.statement();
        }
        self.depth -= 1;
    }

    fn statement(&mut self) {
        let value = self.value(2);
        // No number becomes so large that a sum of some overflows.
        let value = format!("({value}) % 97");
        match self.pick(if self.depth > 3 { 10 } else { 19 }) {
            0..=2 => {
                let place = self.place();
                self.line(&format!("{place} = {value};"));
            }
            3 => {
                let number = self.number();
                self.line(&format!("{number} {} {value};", ["+=", "-=", "="][self.text.len() % 3]));
                self.line(&format!("{number} %= 89;"));
            }
            4 => {
                let (one, other) = (self.number(), self.number());
                self.line(&format!("{one} = {other} = {value};"));
            }
            5 => {
                let (number, step) = (self.number(), ["++", "--"][self.text.len() % 2]);
                let place = ["t[2]", "v[1]", "m[1][1]"][self.text.len() % 3];
                let stepped = if self.pick(2) == 0 { format!("{number}{step}") } else { format!("{step}{number}") };
                self.line(&format!("{place} = {stepped} + {};", value.len()));
                self.line(&format!("{number} %= 89;"));
            }
            6 => {
                let (index, value) = (self.pick(2), value.clone());
                self.line(&format!("n = {index}; v[n++] = {value}; v[++n] = 5;"));
            }
            7 => {
                let target = ["t", "t + 1", "&t[2]", "&c", "v"][self.pick(4)];
                if target == "&c" {
                    // There is one element.
                    self.line("p = t;");
                } else {
                    self.line(&format!("p = {target};"));
                }
            }
            8 => self.show(),
            9 => self.effects(&value),
            10 => {
                self.line(&format!("if ({value}) {{"));
                self.statements(2);
                self.line("} else {");
                self.statements(1);
                self.line("}");
            }
            11 => {
                let (one, other) = (self.number(), self.number());
                self.line(&format!("if (({one} = {value}) > 2 && {other} < 50) {{"));
                self.statements(1);
                self.line("}");
            }
            12 => {
                let (one, other) = (self.number(), self.number());
                self.line(&format!("{one} > 3 ? ({other} = {value}) : ({one} = 1);"));
                self.line(&format!("{one} < 9 && ({other} = 2, {one} = 4);"));
            }
            13..=15 => self.counted_loop(),
            16 => self.other_loop(),
            17 => {
                self.line("do {");
                self.depth += 1;
                self.line(&format!("if ({value} > 5) break;"));
                self.depth -= 1;
                self.statements(1);
                self.line("} while (0);");
            }
            _ => {
                let number = self.number();
                self.line(&format!("{{ int {number} = 4;"));
                self.statements(2);
                self.line("}");
            }
        }
    }

    /// Stores in expressions, and in what is evaluated only if something holds. `value` is stored in what it may name; all else that
    /// a line stores it names once where the order is open.
    fn effects(&mut self, value: &str) {
        let first = self.pick(NUMBERS.len());
        let [one, two, three] = [0, 2, 3].map(|step| NUMBERS[(first + step) % NUMBERS.len()]);
        let (small, place, index) = (self.pick(9), self.index(), self.pick(3));
        match self.pick(12) {
            10 => self.line(&format!("{one} = largest({one}++, {small}) + {two};")),
            11 => self.line(&format!("{one} = (pair_of({value}, {small})).b + pair_of({small}, {two}).a;")),
            0 => self.line(&format!("if ({one} > {small} && ({two} = {value}) > 1 && {two} < 50) {three} = {two};")),
            1 => self.line(&format!("{one} = ({two} = {value}) > {small} ? ({three} = 4) : {two}--;")),
            2 => self.line(&format!("t[{place}] = v[{}] = {value};", index)),
            3 => self.line(&format!("m[1][2] = t[1] -= v[{place}] += {small};")),
            4 => self.line(&format!("if (t[2]++ > {small} || ({three} = {value}) > 3) --v[1];")),
            5 => {
                self.line(&format!("n = {};", index));
                self.line(&format!("while ((n = n + 1) < 4 && ({one} = {value}) < 90) {{"));
                self.statements(1);
                self.line("}");
            }
            6 => self.line(&format!("*(p = t + {}) = {small}; {one} = *p++; p = t;", index)),
            7 => self.line(&format!("{two} = ({one} = {value}, {one}++) - {small};")),
            8 => self.line(&format!("{one} = {two} > {small} || (t[{place}] = {three}) > 1 && (v[2] = {small}) < 3;")),
            _ => self.line(&format!("v[(k > {small} ? {one}++ : ({two} = 1)) & 3] = t[{place}]--;")),
        }
        for name in [one, two, three, "t[0]", "t[1]", "t[2]", "t[3]", "v[0]", "v[1]", "v[2]", "v[3]", "m[1][2]"] {
            self.line(&format!("{name} %= 89;"));
        }
    }

    fn counted_loop(&mut self) {
        let name = format!("i{}", self.loops);
        self.loops += 1;
        let mut ty = ["int", "long", "unsigned", "short"][self.pick(4)];
        let head = match self.pick(5) {
            0 => format!("{name} = 0; {name} < 4; {name}++"),
            1 => {
                ty = "int";
                format!("{name} = 3; {name} >= 0; --{name}")
            }
            2 => format!("{name} = 0; 3 > {name}; {name} += 2"),
            3 => format!("{name} = 1; {name} <= k; {name} = {name} + 1"),
            _ => format!("{name} = 0; {name} < k + 1; {name}++"),
        };
        self.line(&format!("for ({ty} {head}) {{"));
        self.indices.push(name.clone());
        self.statements(2);
        if self.pick(3) == 0 {
            self.depth += 1;
            let jump = if self.pick(2) == 0 { "continue" } else { "break" };
            self.line(&format!("if (b > 3 && {name} == 1) {jump};"));
            self.depth -= 1;
            self.statements(1);
        }
        self.indices.pop();
        self.line("}");
    }

    fn other_loop(&mut self) {
        let name = format!("i{}", self.loops);
        self.loops += 1;
        let kind = self.pick(3);
        let count = self.pick(4);
        self.line(&format!("{{ int {name} = {count};"));
        match kind {
            0 => self.line(&format!("while ({name}-- > 0) {{")),
            1 => self.line(&format!("for (; {name} != 0; {name}--) {{")),
            _ => self.line("do {"),
        }
        self.depth += 1;
        self.line("if (a == 3) continue;");
        self.line("if (b == 5) break;");
        self.depth -= 1;
        self.statements(2);
        self.line(&match kind {
            0 | 1 => "} }".to_owned(),
            _ => format!("}} while (--{name} > 0); }}"),
        });
    }

    fn show(&mut self) {
        self.line(
            "show((long)a, (long)b, (long)c, (long)l, (long)u, (long)s, (long)w, (long)k, (long)t[0], (long)t[1], (long)t[2], \
             (long)t[3], (long)v[0], (long)v[1], (long)v[2], (long)v[3], (long)m[0][0], (long)m[0][2], (long)m[1][1]);",
        );
    }
}

/// The function of a seed.
fn function(seed: u64) -> String {
    let random = Random::new(seed);
    let mut writer = Writer { random, text: String::new(), depth: 0, loops: 0, indices: Vec::new() };
    writer.text = format!(
        "void f{seed}(void)\n{{\n  int a = 1, b = 2, c = 3, k = 2, n = 0; long l = 4; unsigned u = 5; short s = 6; signed char w = 7;\n  \
         int t[4] = {{0}}, v[5] = {{0}}, m[2][3] = {{{{0}}}}; int *p = t;\n  \
         for (int z = 0; z < 4; z++) {{ t[z] = z; v[z] = 2 * z; }} v[4] = 0;\n  \
         for (int z = 0; z < 2; z++) for (int y = 0; y < 3; y++) m[z][y] = z - y;\n  (void)n; (void)p;\n"
    );
    writer.statements(7);
    writer.show();
    writer.text.push_str("}\n");
    writer.text
}

#[test]
fn what_is_known_of_random_functions_is_true() {
    let count = cases(60);
    let functions: String = (0..count).map(function).collect();
    let declared = "void show(long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, long, \
                    long, long, long);\nstruct pair { long a, b; };\nstruct pair pair_of(long, long);\nlong largest(long, long);\n";
    let lowered = program(&format!("{declared}{functions}"));
    assert!(lowered.files[0].unread.is_empty(), "{:?}", lowered.files[0].unread);
    let calls: String = (0..count).map(|seed| format!("puts(\"f\"); f{seed}();\n")).collect();
    let printed = run(
        &format!(
            "#include <stdio.h>\n#include <stdarg.h>\nstruct pair {{ long a, b; }};\n\
             static struct pair pair_of(long a, long b) {{ return (struct pair){{a, b}}; }}\n\
             static long largest(long a, long b) {{ return a > b ? a : b; }}\nstatic void show(long first, ...) {{ va_list list; va_start(list, first); \
             printf(\"%ld\", first); for (int i = 1; i < 19; i++) printf(\" %ld\", va_arg(list, long)); puts(\"\"); va_end(list); }}\n\
             {functions}int main(void)\n{{\n{calls}return 0;\n}}\n"
        ),
        "random",
    );
    let (mut known, mut all, mut complete) = (0_usize, 0_usize, 0_usize);
    for (seed, truth) in printed.split("f\n").skip(1).enumerate() {
        let name = format!("f{seed}");
        let procedure = lowered.procedures.iter().find(|procedure| procedure.name == name).expect("it is there");
        let run = Run::of(procedure);
        complete += usize::from(run.is_complete);
        let lines: Vec<Vec<i64>> = truth
            .lines()
            .map(|line| line.split(' ').map(|number| number.parse().expect("a number")).collect())
            .collect();
        assert!(
            run.shown.len() <= lines.len() && (!run.is_complete || run.shown.len() == lines.len()),
            "{name}: {}",
            function(seed as u64)
        );
        for (shown, line) in run.shown.iter().zip(&lines) {
            for (number, (value, truth)) in shown.iter().zip(line).enumerate() {
                all += 1;
                if let Some(value) = value {
                    known += 1;
                    assert_eq!(value, truth, "{name}, number {number} of {line:?}:\n{}", function(seed as u64));
                }
            }
        }
    }
    // Else nothing is tested.
    assert!(complete * 5 > usize::try_from(count).unwrap_or(0), "{complete} of {count} came to their end");
    assert!(known * 3 > all, "{known} of {all} values are known");
}
