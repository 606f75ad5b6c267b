//! Writes programs in C: several in one file, one after the other, each with names and tags of its own, in a style of its own.
//!
//! The main program calls them, unless one is the main program itself, and prints the results of all ranks in the order of
//! the ranks, as the bits of the numbers: the file prints what it would print in Fortran.
//!
//! What only other languages have is written in the nearest form: procedures that are bound to a type as pointers in a
//! structure, procedures inside the main unit as functions that see its variables outside of all functions or are handed a
//! pointer to its object, memory under two names as a pointer into an array.

mod calls;
mod communication;
mod completions;
mod counters;
mod datatypes;
mod expressions;
mod loops;
mod memory;
mod names;
mod posts;
mod prelude;
mod statements;
mod style;
#[cfg(test)]
mod tests;
mod units;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use self::memory::Memory;
use self::style::Numbers;
pub use self::style::Style;
use super::messages::ATTACHED;
use super::program::{Communication, Element, ProcedureId, Program, RESULT_COUNT, SendMode, Statement};
use super::written::{Written, headline};
use crate::source_language::SourceLanguage;

/// Programs as one file. At most one is written as the main program.
pub fn write(programs: &[&Program]) -> Written {
    let main = programs.iter().position(|program| program.style.is_main);
    let writers: Vec<Writer> =
        programs.iter().enumerate().map(|(number, program)| Writer::new(program, number)).collect();
    let mut file = Written::default();
    file.push(prelude::PRELUDE, None);
    let mut main_unit = None;
    for (number, writer) in writers.iter().enumerate() {
        // Only what is written says which constants and functions it needs.
        let mut functions = writer.functions();
        if main == Some(number) {
            main_unit = Some(writer.unit(None));
        } else {
            functions.push_str(&writer.main_unit());
        }
        let variables = writer.file_variables();
        let prototypes = writer.prototypes() + &writer.function_tables();
        file.push(&headline(SourceLanguage::C, Some(number)), Some(number));
        for part in [writer.constants(), variables, prototypes, "\n".to_owned(), writer.helper_functions(), functions] {
            file.push(&part, Some(number));
        }
    }
    file.push(&headline(SourceLanguage::C, main), None);
    write_main(&mut file, programs, main.zip(main_unit));
    file
}

fn write_main(file: &mut Written, programs: &[&Program], main: Option<(usize, (String, String))>) {
    let is_buffered = |statement: &Statement| {
        matches!(statement, Statement::Communicate(Communication::Send { mode: SendMode::Buffered, .. }))
    };
    let attached = programs.len() * ATTACHED;
    let attaches = programs.iter().any(|program| program.any(&is_buffered));
    let mut text =
        format!("int main(int argc, char **argv)\n{{\n    int rank, ranks;\n    double results[{RESULT_COUNT}];\n");
    if attaches {
        let _ = writeln!(text, "    static double attached[{}];", attached / 8);
    }
    file.push(&text, None);
    if let Some((number, (declarations, _))) = &main {
        file.push(declarations, Some(*number));
    }
    let mut text = "\n    MPI_Init(&argc, &argv);\n".to_owned();
    text.push_str("    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    MPI_Comm_size(MPI_COMM_WORLD, &ranks);\n");
    if attaches {
        let _ = writeln!(text, "    MPI_Buffer_attach(attached, {attached});");
    }
    file.push(&text, None);
    for number in 0..programs.len() {
        file.push("    memset(results, 0, sizeof results);\n", None);
        match &main {
            Some((main, (_, statements))) if *main == number => file.push(statements, Some(number)),
            _ => file.push(&format!("    case{number}(rank, ranks, results);\n"), None),
        }
        file.push(&format!("    collect({number}, results, rank, ranks);\n"), None);
    }
    file.push("    MPI_Finalize();\n    return 0;\n}\n", None);
}

/// Writes one program.
struct Writer<'p> {
    program: &'p Program,
    number: usize,
    style: Style,
    memory: Memory,
    /// Names of numbers that were written, with the numbers.
    named: RefCell<BTreeSet<(String, i64)>>,
    /// Functions that stand for calls of MPI and were called.
    helpers: RefCell<BTreeSet<&'static str>>,
}

fn type_name(element: Element) -> &'static str {
    match element {
        Element::Double => "double",
        Element::Single => "float",
        Element::Integer => "int",
    }
}

fn datatype(element: Element) -> &'static str {
    match element {
        Element::Double => "MPI_DOUBLE",
        Element::Single => "MPI_FLOAT",
        Element::Integer => "MPI_INT",
    }
}

impl<'p> Writer<'p> {
    fn new(program: &'p Program, number: usize) -> Self {
        let style = Style::of(program);
        let memory = Memory::of(program, &style);
        Self { program, number, style, memory, named: RefCell::default(), helpers: RefCell::default() }
    }

    fn body_of(&self, unit: Option<ProcedureId>) -> &'p [Statement] {
        match unit {
            None => &self.program.body,
            Some(procedure) => &self.program.procedures[procedure].body,
        }
    }

    /// A number that is not negative, or its name.
    fn number_of(&self, number: i64) -> String {
        match self.style.numbers {
            Numbers::Macros | Numbers::Enumerators if number >= 10 => self.name_of("N", number, number),
            _ => number.to_string(),
        }
    }

    fn number(&self, number: usize) -> String {
        self.number_of(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// A tag, or its name.
    fn tag(&self, tag: i64) -> String {
        let value = tag + 40 * i64::try_from(self.number).unwrap_or(0);
        if self.program.style.names_tags { self.name_of("TAG", tag, value) } else { value.to_string() }
    }

    fn name_of(&self, letters: &str, of: i64, value: i64) -> String {
        let name = format!("{letters}{of}_{}", self.number);
        self.named.borrow_mut().insert((name.clone(), value));
        name
    }

    /// The definitions of names for numbers.
    fn constants(&self) -> String {
        let named = self.named.borrow();
        if named.is_empty() {
            return String::new();
        }
        match self.style.numbers {
            Numbers::Enumerators => {
                let lines: Vec<String> = named.iter().map(|(name, value)| format!("    {name} = {value}")).collect();
                format!("enum {{\n{}\n}};\n", lines.join(",\n"))
            }
            Numbers::Plain | Numbers::Macros => {
                named.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect()
            }
        }
    }
}
