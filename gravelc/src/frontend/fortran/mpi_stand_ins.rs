//! Procedures of the program that have the names of MPI's routines: many codes have a file of them for builds without MPI.
//!
//! Where such a file is given, calls of its procedures are calls of the program like any other, and nothing communicates. That is
//! right, but seldom what is wanted.

use super::mpi_routines;
use crate::ir::{Program, Span};

/// The procedures of one file that stand for MPI's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandIns {
    /// Their names, as they follow one another.
    pub names: Vec<String>,
    /// The first line of the first one.
    pub first: Span,
}

/// What stands for MPI's routines in each file that has such procedures.
pub fn mpi_stand_ins(program: &Program) -> Vec<StandIns> {
    let mut found: Vec<StandIns> = Vec::new();
    for (_, procedure) in program.procedures().filter(|(_, procedure)| mpi_routines::is_known(&procedure.name)) {
        match found.iter_mut().find(|file| file.first.file == procedure.span.file) {
            Some(file) => file.names.push(procedure.name.clone()),
            None => {
                let text = program.text(procedure.span);
                let length = text.find('\n').unwrap_or(text.len());
                let first = Span { end: procedure.span.start + length, ..procedure.span };
                found.push(StandIns { names: vec![procedure.name.clone()], first });
            }
        }
    }
    found
}
