//! Executes a plan: turns its steps into text edits and applies them. Decides nothing.

#[cfg(feature = "fortran")]
mod around;
#[cfg(feature = "fortran")]
mod c;
#[cfg(feature = "fortran")]
mod comments;
pub mod edits;
#[cfg(feature = "fortran")]
mod fortran;
#[cfg(feature = "fortran")]
mod included_text;
#[cfg(feature = "fortran")]
mod names;
#[cfg(feature = "fortran")]
mod parts;
#[cfg(feature = "fortran")]
mod places;
#[cfg(feature = "fortran")]
mod polynomials;
#[cfg(feature = "fortran")]
mod routines;

use std::ops::Range;
use std::path::PathBuf;

#[cfg(feature = "fortran")]
use std::collections::BTreeSet;

#[cfg(feature = "fortran")]
use crate::analysis::facts::SiteId;
#[cfg(feature = "fortran")]
use crate::analysis::memory::copies::{DroppedPack, with_packs_dropped};
use crate::ir::FileId;
#[cfg(feature = "fortran")]
use crate::ir::Language;
#[cfg(feature = "fortran")]
use crate::ir::Program;
#[cfg(feature = "fortran")]
use crate::plan::{Plan, Position, StepOperation};

pub use edits::EditConflict;
#[cfg(feature = "fortran")]
use edits::Edits;
#[cfg(feature = "fortran")]
pub use fortran::Mistake;
#[cfg(feature = "fortran")]
use fortran::{Meaning, Parts, first_mistake};
#[cfg(feature = "fortran")]
use places::tell_places;

/// A file of the program after the plan was executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmittedFile {
    /// Which file of the program.
    pub file: FileId,
    /// Its new text; the old one where nothing was done.
    pub text: Vec<u8>,
    /// What of the new text stands between edits, as the old one has it; in order.
    pub kept: Vec<Range<usize>>,
    /// The text as it is written: what it includes stands in it only where it was changed.
    pub written: Vec<u8>,
    /// The files whose text stands in it because of that.
    pub written_out: Vec<PathBuf>,
}

/// A plan that can't be executed: always a bug of gravelc.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmitError {
    /// Two steps edit the same text.
    #[error("{path}: {conflict}")]
    Conflict {
        /// The file.
        path: String,
        /// The edits.
        conflict: EditConflict,
    },
    /// A step refers to a statement that is not what the step needs.
    #[error("{path}:{line}: the plan asks for {step} at a statement that is not of that kind")]
    WrongStatement {
        /// The file.
        path: String,
        /// The line of the statement.
        line: usize,
        /// What the plan asks for.
        step: &'static str,
    },
}

/// The copies that the plan leaves out: what is sent in their place is made from them again.
#[cfg(feature = "fortran")]
fn dropped_packs(plan: &Plan) -> Vec<DroppedPack> {
    let found = plan.steps().filter_map(|step| match (&step.operation, step.position) {
        (StepOperation::DropPack { sends }, Position::Replace(statement)) => {
            let pack = SiteId { procedure: step.procedure, statement };
            Some(DroppedPack { pack, sends: sends.clone() })
        }
        _ => None,
    });
    found.collect()
}

/// What executing a plan gives.
#[cfg(feature = "fortran")]
#[derive(Debug)]
pub struct Emitted {
    /// Every file of the program, in the order of [`Program::files`].
    pub files: Vec<EmittedFile>,
    /// What was written in them for expressions of the program.
    meanings: BTreeSet<Meaning>,
    /// The procedures that became several.
    parts: Parts,
}

#[cfg(feature = "fortran")]
impl Emitted {
    /// The first text that was written for an expression and does not mean it in `output`, the program that is read from
    /// the files. That there is one is always a bug of gravelc.
    pub fn first_mistake(&self, output: &Program) -> Option<Mistake> {
        first_mistake(&self.meanings, &self.parts, output)
    }
}

/// The edits of every file, in the order of [`Program::files`], and what is written in them for the program's expressions.
#[cfg(feature = "fortran")]
type Written = (Vec<Edits>, BTreeSet<Meaning>);

/// What writes the steps of a plan into the files of one language.
#[cfg(feature = "fortran")]
struct Emitter {
    language: Language,
    edits_of: fn(&Program, &Plan) -> Result<Written, EmitError>,
}

/// All emitters.
#[cfg(feature = "fortran")]
const EMITTERS: &[Emitter] = &[
    Emitter { language: Language::Fortran, edits_of: fortran::edits_of },
    Emitter { language: Language::C, edits_of: c::edits_of },
];

/// The edits of the plan, by the emitters of the files' languages.
#[cfg(feature = "fortran")]
fn edits_of(program: &Program, plan: &Plan) -> Result<Written, EmitError> {
    let mut edits: Vec<Edits> = program.files.iter().map(|_| Edits::default()).collect();
    let mut meanings = BTreeSet::new();
    let is_needed = |emitter: &&Emitter| program.files.iter().any(|file| file.language == emitter.language);
    for emitter in EMITTERS.iter().filter(is_needed) {
        let (written, meant) = (emitter.edits_of)(program, plan)?;
        for ((file, own), written) in program.files.iter().zip(&mut edits).zip(written) {
            if file.language == emitter.language {
                *own = written;
            }
        }
        meanings.extend(meant);
    }
    Ok((edits, meanings))
}

/// Executes the plan.
///
/// # Errors
///
/// If the plan is not one for this program.
#[cfg(feature = "fortran")]
pub fn emit(program: &Program, plan: &Plan) -> Result<Emitted, EmitError> {
    let packs = dropped_packs(plan);
    let changed = match packs.first() {
        None => None,
        Some(DroppedPack { pack, .. }) => {
            let span = program.procedure(pack.procedure).statement(pack.statement).span;
            let changed = with_packs_dropped(program, &packs).ok_or_else(|| EmitError::WrongStatement {
                path: program.path_of(span).display().to_string(),
                line: program.line(span),
                step: "a copy that can be left out",
            })?;
            Some(changed)
        }
    };
    let program = changed.as_ref().unwrap_or(program);
    let (all_edits, meanings) = edits_of(program, plan)?;
    let files: Result<Vec<EmittedFile>, EmitError> = program
        .files
        .iter()
        .zip(all_edits)
        .enumerate()
        .map(|(index, (file, mut edits))| {
            tell_places(program, file, &mut edits);
            let conflict = |conflict| EmitError::Conflict { path: file.path.display().to_string(), conflict };
            let (text, kept) = edits.apply(&file.text).map_err(conflict)?;
            let (written, written_out) = match file.expansions().is_empty() {
                true => (text.clone(), Vec::new()),
                false => included_text::written(file, &edits).map_err(conflict)?,
            };
            Ok(EmittedFile { file: FileId(index), text, kept, written, written_out })
        })
        .collect();
    // The begin, the end and the whole; the whole and its boxes.
    let exchanges = plan.exchanges.iter().map(|exchange| (exchange.procedure, 3));
    let parts = exchanges.chain(plan.nests.iter().map(|nest| (nest.procedure, 2))).collect();
    Ok(Emitted { files: files?, meanings, parts })
}

#[cfg(all(test, feature = "fortran"))]
mod tests {
    use super::*;

    #[test]
    fn every_language_that_is_written_has_an_emitter() {
        let has_one = |language: &Language| EMITTERS.iter().any(|emitter| emitter.language == *language);
        assert!(Language::ALL.iter().all(|language| has_one(language) == language.dialect().is_written()));
    }
}
