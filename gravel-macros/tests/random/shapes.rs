//! What the functions are made of: buffers in the places that programs have them in, loops that fill and read them, messages, and
//! what may be in the way.

use std::fmt::Write as _;

use fastrand::Rng;

/// A function of a number, and how it is called.
pub struct Function {
    /// The item, without the attribute.
    pub text: String,
    /// Its call, with `comm`, `d` (the data), and `step`.
    pub call: String,
}

/// The function of this number.
pub fn function(number: u64) -> Function {
    let mut shapes = Shapes { random: Rng::with_seed(number), ..Shapes::default() };
    let names = ["out", "inc", "field", "work"];
    let mut parameters = vec!["comm: &Gravel".to_owned()];
    let mut arguments = vec!["comm".to_owned()];
    for name in names {
        shapes.add_buffer(name, &mut parameters, &mut arguments);
    }
    let (ty, argument) = [
        ("&[f64]", "&d.table[..]"),
        ("&[f64; LENGTH]", "&d.a_table"),
        ("&Vec<f64>", "&d.table"),
        ("&Box<[f64]>", "&d.b_table"),
    ][shapes.random.usize(0..4)];
    parameters.push(format!("table: {ty}"));
    arguments.push(argument.to_owned());
    let _ = writeln!(shapes.body, "    let (rank, ranks) = (comm.rank(), comm.ranks());");
    let _ = writeln!(shapes.body, "    let (next, prev) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);");
    shapes.line("let mut sum = 0.5_f64;");
    for tag in 1..=shapes.random.usize(1..=3) {
        shapes.add_exchange(tag);
    }
    // Numbers of their own: what stands above them stays what it was.
    shapes.random = Rng::with_seed(number.wrapping_add(1 << 32));
    if shapes.one_in(2) {
        shapes.add_alltoall();
    }
    shapes.random = Rng::with_seed(number.wrapping_add(2 << 32));
    if shapes.one_in(2) {
        shapes.add_halo();
    }
    let Shapes { body, kept, .. } = shapes;
    parameters.push("step: usize".to_owned());
    arguments.push("step".to_owned());
    let text = format!(
        "pub fn f{number}({}) -> Result<f64, Box<dyn std::error::Error>> {{\n{body}{kept}    Ok(sum)\n}}\n",
        parameters.join(", ")
    );
    Function { text, call: format!("f{number}({})", arguments.join(", ")) }
}

#[derive(Default)]
struct Shapes {
    random: Rng,
    body: String,
    /// What is done at the end with buffers of the function itself.
    kept: String,
    depth: usize,
    /// How each buffer is written in an expression, by its name.
    written: Vec<(&'static str, String)>,
}

impl Shapes {
    fn any<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.random.usize(0..all.len())]
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.random.usize(0..times) == 0
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{}{text}", "    ".repeat(1 + self.depth));
    }

    /// As the body names a buffer.
    fn of(&self, name: &str) -> String {
        let found = self.written.iter().find(|(own, _)| *own == name);
        found.map_or_else(String::new, |(_, text)| text.clone())
    }

    fn add_buffer(&mut self, name: &'static str, parameters: &mut Vec<String>, arguments: &mut Vec<String>) {
        let written = match self.random.usize(0..7) {
            0 | 1 => {
                parameters.push(format!("{name}: &mut [f64]"));
                arguments.push(format!("&mut d.{name}[..]"));
                name.to_owned()
            }
            2 => {
                parameters.push(format!("{name}: &mut Vec<f64>"));
                arguments.push(format!("&mut d.{name}"));
                name.to_owned()
            }
            3 => {
                parameters.push(format!("own_{name}: &mut Holder"));
                arguments.push(format!("&mut d.h_{name}"));
                format!("own_{name}.x")
            }
            4 => {
                self.line(&format!("let mut {name} = [0.25_f64; LENGTH];"));
                let _ = writeln!(self.kept, "    sum += {name}.iter().sum::<f64>();");
                name.to_owned()
            }
            5 => {
                self.line(&format!("let mut {name} = vec![0.75_f64; LENGTH].into_boxed_slice();"));
                let _ = writeln!(self.kept, "    sum += {name}[LENGTH / 2] + {name}[0];");
                name.to_owned()
            }
            _ => {
                parameters.push(format!("{name}: &mut [f64; LENGTH]"));
                arguments.push(format!("&mut d.a_{name}"));
                name.to_owned()
            }
        };
        self.written.push((name, written));
    }

    /// A value of the iteration `i`.
    fn value(&mut self) -> String {
        let (field, work, inc) = (self.of("field"), self.of("work"), self.of("inc"));
        match self.random.usize(0..11) {
            9 => "table[i] * 0.5 + step as f64".to_owned(),
            10 => format!("{field}[i] + table[table.len() - 1 - i]"),
            0 => format!("{field}[i] * 0.5 + 0.25"),
            1 => format!("({field}[i] + {work}[i]).abs().sqrt()"),
            2 => format!("{work}[i].max({field}[i] * 0.75) - 0.125"),
            3 => "(i % 13) as f64 * 0.5 + rank as f64".to_owned(),
            4 => format!("{inc}[i] * 0.25 + {work}[i]"),
            5 => format!("if {field}[i] > 0.5 {{ {work}[i] }} else {{ 1.0 - {field}[i] * 0.125 }}"),
            6 => format!("{field}[i].mul_add(0.5, step as f64)"),
            7 => format!("{work}[(i + 1) % LENGTH] * 0.5 + {field}[LENGTH - 1 - i] * 0.25"),
            _ => format!("{{ let x = {field}[i]; x * x * 0.125 + 0.5 }}"),
        }
    }

    /// A loop that fills `out`.
    fn fill(&mut self) {
        let out = self.of("out");
        let value = self.value();
        match self.random.usize(0..13) {
            0..=3 => {
                let bound = self.any(&["LENGTH", "LENGTH", "BUFFER.len()"]).replace("BUFFER", &out);
                self.line(&format!("for i in 0..{bound} {{ {out}[i] = {value}; }}"));
            }
            4 => self.line(&format!("for i in 0..={}.len() - 1 {{ {out}[i] = {value}; }}", out)),
            5 => self.line(&format!("for (i, x) in {out}.iter_mut().enumerate() {{ *x = {value}; }}")),
            6 => {
                let read = if self.one_in(2) { "table".to_owned() } else { self.of("field") };
                self.line(&format!("for (x, y) in {out}.iter_mut().zip({read}.iter()) {{ *x = *y * 0.5 + 0.25; }}"));
            }
            7 => {
                let first = self.random.usize(1..40);
                self.line(&format!("for i in {first}..LENGTH {{ {out}[i] = {value}; }}"));
            }
            8 => self.line(&format!(
                "for i in 0..LENGTH {{ {out}[i] = {value}; if i == LENGTH / 3 {{ {out}[0] += 0.5; }} }}"
            )),
            9 => self.line(&format!("for i in 0..LENGTH {{ if i % 7 == 3 {{ continue; }} {out}[i] = {value}; }}")),
            10 => self.line(&format!("for i in 0..LENGTH {{ {out}[i] = {value}; sum += {out}[i] * 0.001; }}")),
            11 => {
                self.line(&format!(
                    "for r in 0..LENGTH / 8 {{ for c in 0..8 {{ let i = r * 8 + c; {out}[r * 8 + c] = {value}; }} }}"
                ));
            }
            _ => {
                let field = self.of("field");
                self.line(&format!("for i in 0..LENGTH {{ {out}[i] = {value}; {field}[i] = {out}[i] * 0.5; }}"));
            }
        }
        match self.random.usize(0..10) {
            0 => self.line(&format!("{out}[LENGTH / 2] = step as f64 - 3.5;")),
            1 => self.line(&format!("touch(&mut {out}[..]);")),
            2 => self.line(&format!("sum += {out}[LENGTH - 1];")),
            _ => {}
        }
    }

    /// A loop that reads `inc`.
    fn read(&mut self) {
        let (inc, field, work) = (self.of("inc"), self.of("field"), self.of("work"));
        match self.random.usize(0..12) {
            0..=2 => self.line(&format!("for i in 0..LENGTH {{ {field}[i] = 0.75 * {field}[i] + 0.25 * {inc}[i]; }}")),
            3 => self.line(&format!("for i in 0..{inc}.len() {{ sum += {inc}[i]; {work}[i] = sum.sqrt(); }}")),
            4 => self.line(&format!("for (x, y) in {field}.iter_mut().zip({inc}.iter()) {{ *x = *x * 0.5 + *y; }}")),
            5 => self.line(&format!("for (i, x) in {work}.iter_mut().enumerate() {{ *x += {inc}[i] * 0.5; }}")),
            6 => self.line(&format!("for i in 1..LENGTH {{ {field}[i] = {inc}[i - 1] * 0.5 + {inc}[i] * 0.25; }}")),
            7 => self.line(&format!("for i in 0..LENGTH {{ {inc}[i] *= 0.5; {field}[i] += {inc}[i]; }}")),
            8 => self.line(&format!("for i in (0..LENGTH).rev() {{ {field}[i] += {inc}[i]; }}")),
            9 => self.line(&format!(
                "for i in 0..LENGTH {{ if {inc}[i] > 1e6 {{ break; }} {work}[i] += {inc}[i] * 0.125; }}"
            )),
            10 => self.line(&format!("sum += {inc}[LENGTH - 1];")),
            _ => self.line(&format!("for i in 0..LENGTH {{ {work}[i] = {inc}[(i * 7) % LENGTH]; }}")),
        }
    }

    /// What neither fills nor reads a message, most of it at least.
    fn work(&mut self) {
        let (field, work) = (self.of("field"), self.of("work"));
        match self.random.usize(0..9) {
            0..=2 => self.line(&format!("for i in 0..LENGTH {{ {work}[i] = {field}[i] * 0.5 + 0.125; }}")),
            3 => self.line(&format!("for i in 0..LENGTH {{ sum += {work}[i] * 0.01; }}")),
            4 => self.line("sum = sum * 0.5 + 1.0;"),
            5 => self.line(&format!("touch(&mut {work}[..]);")),
            6 => self.line("let next = next; let rank = rank + next - next;"),
            7 => self.line(&format!("{work}[step % LENGTH] = sum;")),
            _ => self.line("if step == 1 { sum += 0.25; }"),
        }
    }

    fn add_exchange(&mut self, tag: usize) {
        let is_guarded = self.one_in(6);
        if is_guarded {
            self.line("if step % 2 == 0 {");
            self.depth += 1;
        }
        if self.one_in(3) {
            self.work();
        }
        if !self.one_in(5) {
            self.fill();
        }
        let (out, inc) = (self.of("out"), self.of("inc"));
        let end = self.any(&["?", "?", ".unwrap()", ".expect(\"a message\")"]);
        let sent = match self.random.usize(0..5) {
            0 => format!("&{out}[..LENGTH - 8]"),
            1 => format!("&{out}[8..]"),
            _ => format!("&{out}[..]"),
        };
        let received = match sent.as_str() {
            whole if whole.ends_with("[..]") => format!("&mut {inc}[..]"),
            part if part.ends_with("[8..]") => format!("&mut {inc}[..LENGTH - 8]"),
            _ if self.one_in(2) => format!("&mut {inc}[8..]"),
            _ => format!("&mut {inc}[..LENGTH - 8]"),
        };
        match self.random.usize(0..5) {
            0..=2 => self.line(&format!("comm.send_receive({sent}, next, {received}, prev, {tag}){end};")),
            3 => {
                self.line(&format!("comm.send({sent}, next, {tag}){end};"));
                if self.one_in(2) {
                    self.work();
                }
                self.line(&format!("comm.receive({received}, prev, {tag}){end};"));
            }
            _ => {
                self.line("let to = if rank + 1 < ranks { Some(rank + 1) } else { None };");
                self.line(&format!("comm.send({sent}, to, {tag}){end};"));
                self.line(&format!("let status = comm.receive({received}, rank.checked_sub(1), {tag}){end};"));
                self.line("sum += status.map_or(0.0, |it| it.bytes as f64);");
            }
        }
        if self.one_in(2) {
            self.work();
        }
        for _ in 0..self.random.usize(0..3) {
            self.read();
        }
        if is_guarded {
            self.depth -= 1;
            self.line("}");
        }
    }

    /// A field whose first and last rows come from the neighbours, and a loop over the rows between.
    fn add_halo(&mut self) {
        let (field, work, out) = (self.of("field"), self.of("work"), self.of("out"));
        let width = self.any(&["1", "2", "7", "12"]);
        self.line(&format!("let nx = {width}; let ny = LENGTH / nx - 2;"));
        let is_packed = self.one_in(3);
        let first = if self.one_in(4) { "0" } else { "" };
        let (begin, end) =
            [("1", "..=ny"), ("1", "..ny + 1"), ("2", "..ny"), ("1", "..ny"), ("2", "..=ny")][self.random.usize(0..5)];
        for _ in 0..self.random.usize(1..=2) {
            match is_packed {
                true => {
                    self.line(&format!("for j in 0..nx {{ {out}[j] = {field}[nx + j]; }}"));
                    self.line(&format!("comm.send_receive(&{out}[..nx], next, &mut {field}[{first}..nx], prev, 51)?;"));
                    if self.one_in(2) {
                        self.line(&format!("for j in 0..nx {{ {out}[j] = {field}[ny * nx + j]; }}"));
                        self.line(&format!("comm.send_receive(&{out}[..nx], prev, &mut {field}[(ny + 1) * nx..(ny + 2) * nx], next, 52)?;"));
                    }
                }
                false => {
                    self.line(&format!("comm.send(&{field}[nx..2 * nx], next, 51)?;"));
                    if self.one_in(2) {
                        self.line(&format!("comm.send(&{field}[ny * nx..(ny + 1) * nx], prev, 52)?;"));
                        self.line(&format!("comm.receive(&mut {field}[{first}..nx], prev, 51)?;"));
                        self.line(&format!("comm.receive(&mut {field}[(ny + 1) * nx..(ny + 2) * nx], next, 52)?;"));
                    } else {
                        self.line(&format!("comm.receive(&mut {field}[{first}..nx], prev, 51)?;"));
                    }
                }
            }
            if self.one_in(4) {
                self.work();
            }
            let here = match self.random.usize(0..8) {
                0 => format!("{field}[k] * 0.5 + {field}[k - nx]"),
                1 => format!("0.25 * ({field}[k - nx] + {field}[k + nx] + {field}[k])"),
                2 => format!("{field}[(i - 1) * nx + j].abs().sqrt() + {field}[(i + 1) * nx + j]"),
                3 => format!("if {field}[k] > 0.5 {{ {field}[k + nx] }} else {{ (i as f64) * 0.25 }}"),
                // Some need more than the rows beside theirs, or not only the first and the last row need a message.
                4 => format!("{field}[k] + {field}[j]"),
                5 => format!("{field}[k - nx] * table[k]"),
                6 => format!("{field}[k + nx].max({field}[k - nx])"),
                _ => format!("{{ let x = {field}[k - nx]; x * 0.5 + step as f64 }}"),
            };
            let target = match self.random.usize(0..8) {
                0 => format!("{field}[k] = {here};"),
                1 => format!("{work}[k - nx] = {here}; {work}[k] += 0.5;"),
                2 => format!("{work}[k] = {here}; sum += {work}[k] * 0.01;"),
                3 => format!("if j != 1 {{ {work}[k] = {here}; }}"),
                _ => format!("{work}[k] = {here};"),
            };
            self.line(&format!("for i in {begin}{end} {{ for j in 0..nx {{ let k = i * nx + j; {target} }} }}"));
            if self.one_in(3) {
                self.work();
            }
        }
    }

    /// An exchange of every rank with every other: in equal blocks of a part of the buffers, or in blocks that differ of all of them.
    fn add_alltoall(&mut self) {
        let (out, inc, field) = (self.of("out"), self.of("inc"), self.of("field"));
        self.line("let share = LENGTH / ranks;");
        let is_counted = self.one_in(2);
        if is_counted {
            self.line("let rest = LENGTH - (ranks - 1) * share;");
            self.line("let length = |other: usize| if (rank + other) % ranks == 0 { rest } else { share };");
            self.line("let counts: Vec<usize> = (0..ranks).map(length).collect();");
        }
        let times = self.random.usize(1..=2);
        for _ in 0..times {
            let value = self.value();
            match self.random.usize(0..6) {
                0 => self.line(&format!("for i in 0..share * ranks {{ {out}[i] = {value}; }}")),
                1 => self.line(&format!("for p in 0..ranks {{ for i in 0..share {{ {out}[p * share + i] = {value}; }} }}")),
                2 => self.line(&format!("for p in 1..ranks {{ for i in 0..share {{ {out}[p * share + i] = {value}; }} }}")),
                3 => self.line(&format!(
                    "for (p, block) in {out}.chunks_exact_mut(share).enumerate() {{ for i in 0..share {{ block[i] = {field}[i] + p as f64; }} }}"
                )),
                4 => self.line(&format!(
                    "for p in 0..ranks {{ for i in 0..share {{ {out}[p * share + i] = {value}; }} {out}[0] += 0.5; }}"
                )),
                _ => self.fill(),
            }
            if self.one_in(4) {
                self.work();
            }
            let end = self.any(&["?", ".unwrap()", ".expect(\"an exchange\")"]);
            match is_counted {
                true => self.line(&format!("comm.alltoallv(&{out}[..], &counts, &mut {inc}[..], &counts[..]){end};")),
                false => {
                    self.line(&format!("comm.alltoall(&{out}[..share * ranks], &mut {inc}[..share * ranks]){end};"))
                }
            }
            if self.one_in(3) {
                self.work();
            }
            match self.random.usize(0..6) {
                0 => self.line(&format!("for i in 0..share * ranks {{ {field}[i] = {field}[i] * 0.5 + {inc}[i]; }}")),
                1 => self.line(&format!(
                    "for p in 0..ranks {{ for i in 0..share {{ {field}[i] += {inc}[p * share + i] * 0.125; }} }}"
                )),
                2 => self.line(&format!(
                    "for p in 0..ranks {{ for i in 0..share {{ sum += {inc}[p * share] * {inc}[i] + p as f64; }} }}"
                )),
                3 => self
                    .line(&format!("for block in {inc}.chunks_exact(share) {{ sum += block[0] - block[share - 1]; }}")),
                4 => self.line(&format!("for i in 0..LENGTH {{ {out}[i] = {inc}[i] * 0.5; }}")),
                _ => self.read(),
            }
        }
    }
}
