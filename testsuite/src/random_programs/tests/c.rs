//! Programs in C.

use super::*;
use crate::command::CommandLine;
use crate::mpi_flavour::{COMPILE_LIMIT, MpiFlavour, RUN_LIMIT};
use crate::process;
use crate::random_programs::batch::{compare, expected_lines};
use crate::random_programs::c;

#[test]
fn the_same_programs_give_the_same_text() {
    let programs: Vec<&Program> = some_programs()[..16].iter().collect();
    let again: Vec<Program> = (0..16).map(generate).collect();
    assert_eq!(c::write(&programs).text, c::write(&again.iter().collect::<Vec<_>>()).text);
}

/// What is made smaller, or stands elsewhere, is still written in the same way.
#[test]
fn the_form_of_a_statement_is_its_own() {
    let whole = &some_programs()[3];
    let mut part = whole.clone();
    part.body.truncate(whole.body.len() - 1);
    let (whole, part) = (c::write(&[whole]).text, c::write(&[&part]).text);
    let lines: Vec<&str> = part.lines().filter(|line| line.contains("MPI_")).collect();
    assert!(lines.len() > 10 && lines.iter().all(|line| whole.contains(line)));
}

#[test]
fn the_text_of_each_program_is_found_again() {
    for programs in some_programs().chunks(12) {
        let written = c::write(&programs.iter().collect::<Vec<_>>());
        assert_eq!(written.text.lines().count(), written.owners.len());
        let texts = written::programs_of(SourceLanguage::C, &written.text, programs.len());
        for (number, program) in programs.iter().enumerate() {
            let is_main = program.style.is_main && programs[..number].iter().all(|other| !other.style.is_main);
            let headline = if is_main { "int main(".to_owned() } else { format!("static void case{number}(") };
            assert!(texts[number].contains(&headline), "{number}");
        }
    }
}

/// The compiler, and MPI, find in them what the interpreter finds, and nothing that C leaves undefined.
#[test]
fn programs_print_what_the_interpreter_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let programs: Vec<&Program> = some_programs()[..16].iter().collect();
    let source = folder.path().join("original.c");
    std::fs::write(&source, c::write(&programs).text).expect("written");
    for mpi in MpiFlavour::ALL {
        let program = folder.path().join(mpi.suffix());
        let compiler = CommandLine::new(SourceLanguage::C.compiler(mpi)).args(SourceLanguage::C.checks());
        let command = compiler.arg("-o").arg(&program).arg(&source).args(SourceLanguage::C.libraries());
        let finished = process::run(&command, COMPILE_LIMIT).expect("a compiler");
        assert!(finished.succeeded(), "{}", finished.stderr_text());
        let expected = expected_lines(&programs, 2).expect("correct programs");
        let finished = process::run(&mpi.launch_beside_others(2, &program), RUN_LIMIT).expect("a launcher");
        assert_eq!(compare(&expected, &finished), Vec::new(), "{mpi}");
    }
}
