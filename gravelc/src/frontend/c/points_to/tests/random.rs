//! Random programs full of pointers: wherever two of them have led to one place, the analysis says that they may.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{checked, may_meet};
use crate::frontend::c::tests::random::Random;
use crate::frontend::c::tests::{cases, run};

const TYPES: &str = "
struct S { int a; int *p; struct S *next; int *v[3]; int w[4]; union { int *u; long l; } x; int **t; };
static int g0, g1, ga[8], *gp0 = &g0, *gp1 = &ga[3], **gpp = &gp0, *gt[4] = { &g0, &g1, ga, ga + 2 };
static struct S gs0, gs1, gsa[3], *gq0 = &gs0, *gq1 = &gsa[1];
static void *gv = &g1;
static long gl;
static int fuel = 60;
static int *mk(int n) { int *r = malloc(n * sizeof *r); if (!r) exit(1); return r; }
static void set(struct S *s) { int i; s->a = 1; s->p = mk(3); s->next = s; for (i = 0; i < 3; i++) s->v[i] = mk(2); s->x.u = mk(1); s->t = gt; }
static struct S *mks(void) { struct S *s = calloc(1, sizeof *s); set(s); return s; }
static int **mkt(void) { int **t = malloc(4 * sizeof *t); int i; t[0] = mk(16); for (i = 1; i < 4; i++) t[i] = t[0] + 4 * i; return t; }
static int *pick(int *a, int *b, int c) { return c ? a : b; }
static int *first(int *a, struct S *s) { return a; }
static int *inside(int *a, struct S *s) { s->p = a; return &s->w[2]; }
static int *(*gf)(int *, struct S *) = first;
static int by_address(const void *a, const void *b) { gp1 = *(int **)a; return 0; }
struct P { int *a, *b; };
static struct P gp2;
static int by_number(const void *a, const void *b) { const struct S *x = a, *y = b; gp1 = x->p; return x->a - y->a; }
static struct S value(struct S s) { s.p = s.v[1]; return s; }
";

/// Writes one program.
struct Writer {
    random: Random,
    checks: usize,
    text: String,
    /// Functions that can be called.
    functions: usize,
    in_main: bool,
}

impl Writer {
    fn numbers(&mut self, depth: u32) -> String {
        let index = self.random.below(3);
        if depth > 2 {
            return (*self.random.pick(&["p", "q", "gp0", "gp1", "&g0", "&ga[5]"])).to_owned();
        }
        match self.random.below(21) {
            0 => "p".to_owned(),
            1 => "q".to_owned(),
            2 => "gp0".to_owned(),
            3 => format!("{}->p", self.structure(depth + 1)),
            4 => format!("{}->v[{index}]", self.structure(depth + 1)),
            5 => format!("{}->v[i % 3]", self.structure(depth + 1)),
            6 => format!("*{}", self.table(depth + 1)),
            7 => format!("&{}->a", self.structure(depth + 1)),
            8 => format!("&{}->w[{index}]", self.structure(depth + 1)),
            9 => "mk(4)".to_owned(),
            10 => format!("(i ? {} : {})", self.numbers(depth + 1), self.numbers(depth + 1)),
            11 => format!("pick({}, {}, i)", self.numbers(depth + 1), self.numbers(depth + 1)),
            12 => format!("gf({}, {})", self.numbers(depth + 1), self.structure(depth + 1)),
            13 => "(int *)gv".to_owned(),
            14 => format!("{}->x.u", self.structure(depth + 1)),
            15 => format!("(int *){}->x.l", self.structure(depth + 1)),
            16 => "(int *)gl".to_owned(),
            17 => format!("gt[{index}]"),
            18 => "gt[i & 3]".to_owned(),
            19 => format!("value(*{}).p", self.structure(depth + 1)),
            _ if self.functions > 0 => {
                let number = self.random.below(self.functions as u64);
                let (one, two) = (self.numbers(depth + 1), self.structure(depth + 1));
                format!("f{number}({one}, {two}, {})", self.table(depth + 1))
            }
            _ => "&ga[i & 7]".to_owned(),
        }
    }

    fn structure(&mut self, depth: u32) -> String {
        if depth > 2 {
            return (*self.random.pick(&["s", "(&gs1)", "gq0", "gq1"])).to_owned();
        }
        match self.random.below(10) {
            0 | 1 => "s".to_owned(),
            2 => "gq0".to_owned(),
            3 => "(&gs0)".to_owned(),
            4 => format!("{}->next", self.structure(depth + 1)),
            5 => "mks()".to_owned(),
            6 => "(&gsa[i % 3])".to_owned(),
            7 if self.in_main => "(&l)".to_owned(),
            8 => format!("((struct S *)(void *){})", self.structure(depth + 1)),
            9 => format!("(i & 1 ? {} : {})", self.structure(depth + 1), self.structure(depth + 1)),
            _ => "gq1".to_owned(),
        }
    }

    fn table(&mut self, depth: u32) -> String {
        if depth > 2 {
            return (*self.random.pick(&["t", "gpp", "(gt + 1)"])).to_owned();
        }
        match self.random.below(9) {
            0 | 1 => "t".to_owned(),
            2 => "gpp".to_owned(),
            3 => format!("(&{}->p)", self.structure(depth + 1)),
            4 => format!("(&{}->v[1])", self.structure(depth + 1)),
            5 => "mkt()".to_owned(),
            6 => format!("{}->t", self.structure(depth + 1)),
            7 if self.in_main => "(&p)".to_owned(),
            _ => "(&gt[i & 3])".to_owned(),
        }
    }

    fn check(&mut self) {
        let pointer = self.numbers(0);
        let _ = writeln!(self.text, "    check({}, {pointer});", self.checks);
        self.checks += 1;
    }

    fn statement(&mut self) {
        let (numbers, structure, table) = (self.numbers(0), self.structure(0), self.table(0));
        let line = match self.random.below(32) {
            0 => format!("p = {numbers};"),
            1 => format!("q = {numbers};"),
            2 => format!("gp0 = {numbers};"),
            3 => format!("gp1 = {numbers};"),
            4 => format!("{structure}->p = {numbers};"),
            5 => format!("{structure}->v[i % 3] = {numbers};"),
            6 => format!("*{table} = {numbers};"),
            7 => format!("s = {structure};"),
            8 => format!("gq0 = {structure};"),
            9 => format!("{structure}->next = {};", self.structure(0)),
            10 => format!("t = {table};"),
            11 => format!("gv = {numbers};"),
            12 => format!("gl = (long){numbers};"),
            13 => format!("{structure}->x.l = (long){numbers};"),
            14 => format!("{structure}->x.u = {numbers};"),
            15 => format!("*{structure} = *{};", self.structure(0)),
            16 => format!("memmove({structure}, {}, sizeof(struct S));", self.structure(0)),
            17 => format!(
                "{{ struct S *a = {structure}, *b = {}; size_t k; for (k = 0; k < sizeof *a; k++) ((char *)a)[k] = ((char *)b)[k]; }}",
                self.structure(0)
            ),
            18 => format!("gf = i & 1 ? {} : inside;", self.random.pick(&["first", "inside"])),
            19 => format!("{{ int *k[2] = {{ {numbers}, {} }}; *{table} = k[i & 1]; }}", self.numbers(0)),
            20 => "qsort(gt, 4, sizeof *gt, by_address);".to_owned(),
            21 => format!("{structure}->t = {};", if self.in_main { table } else { "gt".to_owned() }),
            22 => {
                format!("{{ int **k = mkt(); k = realloc(k, 8 * sizeof *k); k[5] = {numbers}; q = k[i & 1 ? 5 : 2]; }}")
            }
            23 => format!("{{ int **k = &{structure}->v[0]; k += 1; *k++ = {numbers}; p = *k; }}"),
            24 => format!("*{structure} = value(*{});", self.structure(0)),
            25 => format!("memcpy(&gp2, &{structure}->v[{}], sizeof gp2); q = gp2.b;", self.random.below(2)),
            26 => format!("memcpy(&gp2, &{structure}->v[i & 1], sizeof gp2); gp0 = gp2.b;"),
            27 => format!("memcpy(&gp2, &{structure}->v[2], sizeof(int *)); q = gp2.a;"),
            28 => "memcpy(&gp2, gt + (i & 1), sizeof gp2); p = gp2.b;".to_owned(),
            29 => format!("gsa[i % 3].p = {numbers}; qsort(gsa, 3, sizeof *gsa, by_number); q = gsa[1].p;"),
            30 => {
                format!("{{ struct S *k = bsearch({structure}, gsa, 3, sizeof *gsa, by_number); if (k) q = k->v[1]; }}")
            }
            _ => format!("{{ struct S k = *{structure}; k.v[2] = {numbers}; *{} = k; }}", self.structure(0)),
        };
        let _ = writeln!(self.text, "    {line}");
    }

    fn body(&mut self, statements: u64) {
        for _ in 0..statements {
            match self.random.below(3) {
                0 => self.check(),
                _ => self.statement(),
            }
            if self.random.one_in(5) {
                let _ = writeln!(self.text, "    i++;");
            }
        }
    }
}

/// The text of a program without its head.
fn written(seed: u64) -> String {
    let mut writer =
        Writer { random: Random::new(seed), checks: 0, text: TYPES.to_owned(), functions: 0, in_main: false };
    for number in 0..3 {
        let _ =
            writeln!(writer.text, "static int *f{number}(int *p, struct S *s, int **t) {{\n    int *q = p, i = fuel;");
        let _ = writeln!(writer.text, "    if (fuel-- < 0) return p;");
        writer.body(5);
        let result = writer.numbers(0);
        let _ = writeln!(writer.text, "    return {result};\n}}");
        writer.functions = number + 1;
    }
    writer.in_main = true;
    writer.text.push_str(
        "int main(void) {\n    int *p = &g0, *q = ga, **t = gt, i = 0;\n    struct S l, *s = &l;\n\
         \x20   set(&l); set(&gs0); set(&gs1); set(gsa); set(gsa + 1); set(gsa + 2);\n",
    );
    writer.body(24);
    writer.text.push_str("    return 0;\n}\n");
    writer.text
}

#[test]
fn where_pointers_have_led_they_may_lead() {
    let (mut apart, mut all, mut met) = (0, 0, 0);
    for seed in 0..cases(30) {
        let text = written(seed);
        let read =
            format!("#include <stdlib.h>\n#include <string.h>\nstatic void check(int id, const void *p) {{ }}\n{text}");
        let found = checked(&[&read]);
        let ran = format!(
            "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n\
             static void check(int id, const void *p) {{ printf(\"%d %p\\n\", id, p); }}\n{text}"
        );
        let mut led: BTreeMap<String, BTreeSet<i128>> = BTreeMap::new();
        for line in run(&ran, "pointers").lines() {
            let (id, address) = line.split_once(' ').expect("two words");
            led.entry(address.to_owned()).or_default().insert(id.parse().expect("a number"));
        }
        assert!(!led.is_empty(), "seed {seed} ended early");
        for together in led.values() {
            for &one in together {
                for &other in together {
                    met += 1;
                    assert!(may_meet(&found, one, other), "seed {seed}: {one} and {other}\n{text}");
                }
            }
        }
        for one in found.keys() {
            for other in found.keys().filter(|other| *other > one) {
                all += 1;
                apart += usize::from(!may_meet(&found, *one, *other));
            }
        }
    }
    // Something is told.
    assert!(met > 100 && apart * 20 > all, "{apart} of {all} are apart, {met} met");
}
