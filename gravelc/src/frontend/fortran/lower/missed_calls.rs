//! Calls of MPI's routines in the text that no statement of the program stands for: in code that could not be read, in macros, in
//! files that are included and read for their declarations alone.
//!
//! Whoever is told of a program's calls is told of these, too: that there are none is another thing than that none was understood.

use std::collections::BTreeMap;

use super::super::text::includes::is_mpif_name;
use crate::ir::{FileId, MissedCall, Program, Span, StatementKind};
use crate::mpi::routines;

/// The calls, in the order of the files and lines; those of included files are behind all others.
pub fn missed_calls(program: &Program) -> Vec<MissedCall> {
    let understood = Understood::of(program);
    let mut found = Vec::new();
    for (routine, places) in program.messaging_names.iter() {
        // One that the program defines is none of MPI's.
        if !routines::is_known(routine) || program.has_procedure_named(routine) {
            continue;
        }
        let missed = places.iter().filter(|&&place| is_called_at(program, routine, place) && !understood.covers(place));
        found.extend(missed.map(|&place| (place.file, place.start, routine)));
    }
    found.sort();
    let in_files = found.into_iter().map(|(file, start, routine)| {
        let source = program.file(file);
        MissedCall { routine: routine.clone(), path: source.path_of(start).to_path_buf(), line: source.line_of(start) }
    });
    in_files.chain(in_included_files(program)).collect()
}

/// Where the statements are that were understood as calls of MPI.
struct Understood(BTreeMap<(FileId, usize), usize>);

impl Understood {
    fn of(program: &Program) -> Self {
        let statements = program.procedures.iter().flat_map(|procedure| &procedure.statements);
        // MPI_ABORT ends the program.
        let is_call = |kind: &StatementKind| matches!(kind, StatementKind::Communication(_) | StatementKind::Stop);
        let calls = statements.filter(|statement| is_call(&statement.kind));
        Self(calls.map(|call| ((call.span.file, call.span.start), call.span.end)).collect())
    }

    fn covers(&self, place: Span) -> bool {
        let before = self.0.range(..=(place.file, place.start)).next_back();
        before.is_some_and(|(&(file, _), &end)| file == place.file && place.end <= end)
    }
}

/// Does the routine's name stand behind CALL there?
fn is_called_at(program: &Program, routine: &str, place: Span) -> bool {
    let text = &program.file(place.file).text;
    // The name alone, or a line of the preprocessor or another text that has it somewhere.
    if place.end - place.start > routine.len() {
        let text = String::from_utf8_lossy(&text[place.start..place.end]).to_ascii_lowercase();
        return calls_in(&text).any(|called| called == routine);
    }
    let before = text[..place.start].trim_ascii_end();
    let word = before.len().checked_sub(4).map(|start| &before[start..]);
    word.is_some_and(|word| word.eq_ignore_ascii_case(b"call"))
}

/// The calls in the texts of included files.
fn in_included_files(program: &Program) -> impl Iterator<Item = MissedCall> {
    let texts = program.included.iter().filter(|(path, _)| !is_mpif_name(&path.to_string_lossy()));
    texts.flat_map(|(path, text)| {
        let text = String::from_utf8_lossy(text).to_ascii_lowercase();
        let mut calls = Vec::new();
        for (index, line) in text.lines().enumerate() {
            // In fixed form `c` and `*` in the first column make a comment; no call begins there.
            let code = line.split('!').next().unwrap_or_default();
            if code.starts_with('*') || code.starts_with("c ") {
                continue;
            }
            let known = calls_in(code).filter(|routine| routines::is_known(routine));
            calls.extend(known.map(|routine| MissedCall {
                routine: routine.to_owned(),
                path: path.clone(),
                line: index + 1,
            }));
        }
        calls
    })
}

/// The names behind CALL in a text in lower case.
fn calls_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut words = text.split(move |character| !is_part(character)).filter(|word| !word.is_empty()).peekable();
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?;
            if word == "call" && words.peek().is_some() {
                return words.next();
            }
        }
    })
}
