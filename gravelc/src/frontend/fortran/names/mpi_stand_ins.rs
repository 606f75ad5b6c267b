//! Procedures of the program that have the names of MPI's routines: many codes have a file of them for builds without MPI, and
//! some put their own in front of MPI's, by names that only linkers know.
//!
//! Where a file of the first kind is given, calls of its procedures are calls of the program like any other, and nothing
//! communicates. That is right, but seldom what is wanted. What those of the second kind may be called for is left alone
//! (`link_names`).

use super::link_names::routine_of;
use crate::ir::{Procedure, Program, Span};
use crate::mpi::routines;

/// What procedures are to MPI's routines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandInKind {
    /// They have the names of the routines and are called instead.
    Instead,
    /// They have names by which linkers may take them for the routines.
    InFront,
}

/// The procedures of one file that stand for MPI's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandIns {
    /// What they are.
    pub kind: StandInKind,
    /// Their names, as they follow one another.
    pub names: Vec<String>,
    /// The first line of the first one.
    pub first: Span,
}

/// What stands for MPI's routines in each file that has such procedures.
pub fn mpi_stand_ins(program: &Program) -> Vec<StandIns> {
    let mut found: Vec<StandIns> = Vec::new();
    for (_, procedure) in program.procedures() {
        let Some(kind) = kind_of(program, procedure) else { continue };
        match found.iter_mut().find(|file| file.first.file == procedure.span.file && file.kind == kind) {
            Some(file) => file.names.push(procedure.name.clone()),
            None => {
                let text = program.text(procedure.span);
                let length = text.find('\n').unwrap_or(text.len());
                let first = Span { end: procedure.span.start + length, ..procedure.span };
                found.push(StandIns { kind, names: vec![procedure.name.clone()], first });
            }
        }
    }
    found
}

fn kind_of(program: &Program, procedure: &Procedure) -> Option<StandInKind> {
    if routines::is_known(&procedure.name) {
        return Some(StandInKind::Instead);
    }
    (program.module_with(procedure.span).is_none() && routine_of(&procedure.name).is_some())
        .then_some(StandInKind::InFront)
}
