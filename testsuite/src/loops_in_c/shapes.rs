//! What the programs are made of: buffers, loops that fill and read them, exchanges, and what may be in the way.

use fastrand::Rng;

/// Elements by which buffers are longer than what is sent.
const SPARE: usize = 40;
/// The most ranks that a program runs on.
const MOST_RANKS: usize = 16;

/// The program of this number.
pub fn program(number: u64) -> String {
    let mut shapes = Shapes { random: Rng::with_seed(number), ..Shapes::default() };
    shapes.length = shapes.any(&[7, 64, 130, 513, 1000]);
    for name in ["s", "r", "w", "t"] {
        shapes.add_buffer(name);
    }
    for tag in 10..10 + shapes.random.usize(1..4) {
        shapes.add_exchange(tag);
    }
    shapes.text()
}

/// A head of a loop over `0 .. count`, or from another lower bound.
struct Head {
    text: String,
    counter: &'static str,
    /// The counter is declared in the head.
    is_own: bool,
}

#[derive(Default)]
struct Shapes {
    random: Rng,
    length: usize,
    outside: String,
    declarations: String,
    freed: String,
    /// What one step does.
    body: String,
}

impl Shapes {
    fn any<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.random.usize(0..all.len())]
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.random.usize(0..times) == 0
    }

    fn line(&mut self, text: &str) {
        self.body.push_str(&format!("        {text}\n"));
    }

    /// Memory for all blocks of an exchange, in one of the places that programs have it in.
    fn add_buffer(&mut self, name: &str) {
        let size = format!("(size_t)(ranks * n + {SPARE})");
        let most = self.length * MOST_RANKS + 2 * SPARE;
        let (declared, freed) = match self.random.usize(0..6) {
            0 => (format!("double *{name} = calloc({size}, sizeof *{name});"), name.to_owned()),
            1 => {
                self.outside.push_str(&format!("static double {name}_[{most}], *{name} = {name}_;\n"));
                (String::new(), String::new())
            }
            2 => {
                self.outside.push_str(&format!("static double {name}[{most}];\n"));
                (String::new(), String::new())
            }
            3 => {
                let declared =
                    format!("struct box {name}box; {name}box.at = vector({size}); double *{name} = {name}box.at;");
                (declared, name.to_owned())
            }
            4 => (format!("double *{name} = vector({size});"), name.to_owned()),
            _ => {
                let first = self.random.usize(0..4);
                (
                    format!("double *{name}raw = vector({size} + 8), *{name} = {name}raw + {first};"),
                    format!("{name}raw"),
                )
            }
        };
        if !declared.is_empty() {
            self.declarations.push_str(&format!("    {declared}\n"));
            self.freed.push_str(&format!("    free({freed});\n"));
        }
    }

    fn head(&mut self, lower: &str, end: &str) -> Head {
        let counter = self.any(&["i", "j", "k"]);
        let is_own = !self.one_in(3);
        let bound = if self.one_in(3) { format!("<= {end} - 1") } else { format!("< {end}") };
        let next = match self.random.usize(0..3) {
            0 => format!("++{counter}"),
            1 => format!("{counter} += 1"),
            _ => format!("{counter}++"),
        };
        let declared = if is_own { "int " } else { "" };
        Head { text: format!("for ({declared}{counter} = {lower}; {counter} {bound}; {next})"), counter, is_own }
    }

    /// A loop that fills the first `count` elements of `s`, and sometimes what changes them afterwards.
    fn fill(&mut self, count: &str, may_read_received: bool) {
        let Head { text, counter: v, .. } = self.head("0", count);
        let value = match self.random.usize(0..4) {
            0 => format!("w[{v}] * 0.5 + step"),
            1 => format!("rank + 0.25 * {v} + step"),
            2 => format!("t[{v}] + w[{v}] - {v} % 5"),
            _ if may_read_received => format!("({v} % 3) * 1.5 + r[{v}]"),
            _ => format!("({v} % 3) * 1.5"),
        };
        let body = match self.random.usize(0..9) {
            0..=3 => format!("s[{v}] = {value};"),
            4 => format!("{{ s[{v}] = {value}; if (s[{v}] > 1e6) s[{v}] = 0.0; }}"),
            5 => format!("{{ if ({v} % 7 == 3) continue; s[{v}] = {value}; }}"),
            6 => format!("{{ double x = {value}; s[{v}] = x; w[{v}] = 0.5 * x; }}"),
            7 => format!("s[{count} - 1 - {v}] = {value};"),
            _ => format!("{{ s[{v}] = {value}; s[0] += 0.125; }}"),
        };
        self.line(&format!("{text} {body}"));
        match self.random.usize(0..14) {
            0 => self.line("s[n / 2] = step - 3.5;"),
            1 => self.line("{ double *q = s + 1; q[0] = 7.5 + rank; }"),
            2 => self.line("touch(s, n);"),
            _ => {}
        }
    }

    /// Loops that fill a block for each rank.
    fn fill_blocks(&mut self) {
        match self.random.usize(0..4) {
            0 => {
                self.line("for (int p = 0; p < ranks; p++)");
                self.line("    for (int i = 0; i < n; i++) s[p * n + i] = rank + 0.5 * i - p + step;");
            }
            1 => self.fill("ranks * n", true),
            2 => {
                self.line("for (int p = 0; p < ranks; p++) {");
                self.line("    for (int i = 0; i < n; i++) s[p * n + i] = w[i] + p;");
                self.line("    s[p * n] += step;");
                self.line("}");
            }
            _ => {
                self.line("for (int i = 0; i < n; i++)");
                self.line("    for (int p = 0; p < ranks; p++) s[p * n + i] = rank + 0.5 * i - p + step;");
            }
        }
    }

    /// A loop that reads the first `count` elements of `r`.
    fn read(&mut self, count: &str) {
        let Head { text, counter: v, .. } = self.head("0", count);
        let body = match self.random.usize(0..9) {
            0..=2 => format!("t[{v}] += 0.5 * r[{v}];"),
            3 => format!("{{ t[{v}] = r[{v}] - w[{v}]; w[{v}] = t[{v}] * 0.25; }}"),
            4 => format!("sum += r[{v}] * ({v} % 3);"),
            5 => format!("t[{v}] = r[{count} - 1 - {v}];"),
            6 => format!("{{ t[{v}] = r[{v}]; if (t[{v}] > 50.0) r[{v}] = 50.0; }}"),
            7 => format!("{{ if ({v} > {count} / 2 && t[{v}] > 1e9) break; t[{v}] = r[{v}] + step; }}"),
            _ => format!("t[{v}] = 0.5 * r[{v}] + ({v} > 0 ? r[{v} - 1] : 0.0);"),
        };
        self.line(&format!("{text} {body}"));
    }

    /// Work that has nothing to do with the message, or little.
    fn work(&mut self) {
        for _ in 0..self.random.usize(0..3) {
            let count = self.any(&["n", "20", "n / 2"]);
            let Head { text, counter: v, .. } = self.head("0", count);
            match self.random.usize(0..6) {
                0 | 1 => self.line(&format!("{text} u[{v} % 40] += {v} * 0.5;")),
                2 => self.line(&format!("{text} w[{v}] = w[{v}] * 0.5 + 1.0;")),
                3 => self.line("sum += u[7];"),
                4 => self.line(&format!("{text} sum += w[{v}];")),
                _ => self.line("touch(w, n);"),
            }
        }
    }

    fn add_exchange(&mut self, tag: usize) {
        let count = self.any(&["n", "n", "n - 1", "n / 2 + 1"]);
        match self.random.usize(0..7) {
            0 | 1 => {
                self.fill(count, true);
                self.work();
                self.line(&format!(
                    "MPI_Sendrecv(s, {count}, MPI_DOUBLE, next, {tag}, r, {count}, MPI_DOUBLE, prev, {tag},"
                ));
                self.line("             MPI_COMM_WORLD, MPI_STATUS_IGNORE);");
                self.work();
                self.read(count);
            }
            2 => self.add_pair(tag, count),
            3 | 4 => {
                self.fill_blocks();
                self.work();
                self.line("MPI_Alltoall(s, n, MPI_DOUBLE, r, n, MPI_DOUBLE, MPI_COMM_WORLD);");
                self.work();
                if self.random.bool() {
                    self.read("ranks * n");
                } else {
                    self.line("for (int p = 0; p < ranks; p++)");
                    self.line("    for (int i = 0; i < n; i++) t[i] += r[p * n + i] * (p + 1);");
                }
            }
            _ => self.add_halo(tag),
        }
    }

    /// Requests of their own, which are declared in the middle of the block.
    fn add_pair(&mut self, tag: usize, count: &str) {
        let is_early = self.random.bool();
        let receive = format!("MPI_Irecv(r, {count}, MPI_DOUBLE, prev, {tag}, MPI_COMM_WORLD, &q{tag}[0]);");
        self.line(&format!("MPI_Request q{tag}[2];"));
        if is_early {
            self.line(&receive);
        }
        self.fill(count, !is_early);
        if !is_early {
            self.line(&receive);
        }
        self.line(&format!("MPI_Isend(s, {count}, MPI_DOUBLE, next, {tag}, MPI_COMM_WORLD, &q{tag}[1]);"));
        self.work();
        let waits_for_both = self.random.bool();
        match waits_for_both {
            true => self.line(&format!("MPI_Waitall(2, q{tag}, MPI_STATUSES_IGNORE);")),
            false => self.line(&format!("MPI_Wait(&q{tag}[0], MPI_STATUS_IGNORE);")),
        }
        self.read(count);
        if !waits_for_both {
            self.line(&format!("MPI_Wait(&q{tag}[1], MPI_STATUS_IGNORE);"));
        }
    }

    /// One element on either side, and a loop over what lies between them.
    fn add_halo(&mut self, tag: usize) {
        let other = tag + 50;
        self.line(&format!("MPI_Request q{tag}[4];"));
        self.line(&format!("MPI_Irecv(&r[0], 1, MPI_DOUBLE, down, {tag}, MPI_COMM_WORLD, &q{tag}[0]);"));
        self.line(&format!("MPI_Irecv(&r[n + 1], 1, MPI_DOUBLE, up, {other}, MPI_COMM_WORLD, &q{tag}[1]);"));
        self.line(&format!("MPI_Isend(&r[1], 1, MPI_DOUBLE, down, {other}, MPI_COMM_WORLD, &q{tag}[2]);"));
        self.line(&format!("MPI_Isend(&r[n], 1, MPI_DOUBLE, up, {tag}, MPI_COMM_WORLD, &q{tag}[3]);"));
        self.line(&format!("MPI_Waitall(4, q{tag}, MPI_STATUSES_IGNORE);"));
        let Head { text, counter: v, is_own } = self.head("1", "n + 1");
        let body = match self.random.usize(0..4) {
            0 | 1 => format!("t[{v}] = 0.5 * (r[{v} - 1] + r[{v} + 1]);"),
            2 => format!("{{ t[{v}] = r[{v} - 1] + r[{v} + 1]; w[{v}] += t[{v}]; }}"),
            _ => format!("t[{v}] = r[{v} + 1] + (({v} > 1) ? t[{v} - 1] : 0.0);"),
        };
        self.line(&format!("{text} {body}"));
        if !is_own && self.random.bool() {
            self.line(&format!("sum += {v};"));
        }
        self.line("for (int a = 1; a <= n; a++) r[a] = 0.5 * t[a] + 1.0;");
    }

    fn text(&self) -> String {
        let Self { length, outside, declarations, freed, body, .. } = self;
        format!(
            "#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct box {{ double *at; }};
{outside}static double u[40];

static double *vector(size_t elements) {{ return calloc(elements, sizeof(double)); }}

static void touch(double *x, int count)
{{
    for (int i = 0; i < count; i += 3) x[i] = x[i] * 0.75 + 0.5;
}}

int main(int argc, char **argv)
{{
    int rank, ranks, i = 0, j = 0, k = 0;
    double results[2], all[{MOST_RANKS} * 2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int n = {length} + (argc > 3);
    int next = (rank + 1) % ranks, prev = (rank + ranks - 1) % ranks;
    int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    double sum = 0.0;
    (void)vector, (void)touch, (void)next, (void)prev, (void)up, (void)down;
{declarations}    for (int a = 0; a < n; a++) {{ w[a] = rank + a * 0.125; t[a] = 0.0; s[a] = 1.0; r[a] = 2.0; }}
    for (int step = 0; step < 3; step++) {{
{body}    }}
    for (int a = 0; a < n + 2; a++) sum += t[a] * (a % 5) + w[a] + s[a] * 0.5 + r[a] * 0.25;
    results[0] = sum;
    results[1] = i + j + k;
    MPI_Gather(results, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int a = 0; a < ranks; a++) printf(\"%.12e %.0f\\n\", all[2 * a], all[2 * a + 1]);
{freed}    MPI_Finalize();
    return 0;
}}
"
        )
    }
}
