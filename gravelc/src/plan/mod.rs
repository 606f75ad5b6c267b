//! The Plan: every decision about every communication site, as data.
//!
//! Transformations write it, the emitter executes it and decides nothing, the report shows it. Nothing is transformed
//! that the plan does not name.

mod early_values;
mod exchange;
mod reason;
mod step;
mod transformation;
mod variables;

pub use early_values::{EarlyComputation, EarlyValue, ValueSource};
pub use exchange::{NestLoop, SplitCall, SplitExchange, SplitNest, name_of_begin, name_of_boxes, name_of_end};
pub use reason::{Reason, ReasonCode};
pub use step::{MessageOf, Position, Step, StepOperation, StripMine, TiledLoop, VECTOR_MULTIPLE, WaitInTiles};
pub use transformation::Transformation;
pub use variables::{NewVariable, RequestPlace, StatusPlace};

use std::path::Path;

use serde::{Deserialize, Serialize};

/// What users can ask for in their source, as Markdown.
pub const DIRECTIVES: &str = include_str!("directives.md");

use crate::ir::{FileId, ProcedureId, Program, Span, StatementId};

/// What gravelc will do to a program, and why not more.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Plan {
    /// One per communication site, in source order.
    pub decisions: Vec<Decision>,
    /// The match classes.
    pub classes: Vec<MatchClass>,
    /// Steps that serve the whole program: starting and ending the runtime. Empty when nothing is transformed.
    pub attachments: Vec<Step>,
    /// The procedures that are taken apart into a begin and an end.
    #[serde(default)]
    pub exchanges: Vec<SplitExchange>,
    /// The procedures that run box by box around the ends of exchanges.
    #[serde(default)]
    pub nests: Vec<SplitNest>,
    /// Procedures and modules that were not given and are taken to keep out of communication because the user says so.
    pub assumed: Vec<String>,
    /// The flag of the build with which a compiler computes otherwise what is arranged otherwise: results then agree up to rounding.
    #[serde(default)]
    pub rounding: Option<String>,
    /// What directives assert and nothing has proven.
    #[serde(default)]
    pub asserted: Vec<Assertion>,
    /// Procedures that calls which were not given may reach, each with the names that are taken to be different memory then, as
    /// the language demands of such calls.
    #[serde(default)]
    pub believed: Vec<Assertion>,
    /// What leads out of the given files, so that others could store to the variables of modules and call procedures.
    #[serde(default)]
    pub openings: Vec<Opening>,
}

/// Something that leads out of the given files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// What it is, as a clause.
    pub why: String,
    /// Where it is, in the order of the program; nowhere if it is something that the files lack.
    pub places: Vec<Span>,
}

/// Something that is taken to be true and that nothing has proven: a user says so in a directive, or the language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assertion {
    /// The directive, or the procedure's first line.
    pub span: Span,
    /// What it says, as a clause.
    pub text: String,
}

impl Plan {
    /// What is to be said of the program's results, if they may differ in their last bits.
    pub fn rounding_text(&self) -> Option<String> {
        let flag = self.rounding.as_ref().filter(|_| !self.attachments.is_empty())?;
        Some(format!(
            "with `{flag}` compilers compute in another order what stands elsewhere: the transformed program's results agree with \
             the original's up to rounding, without it exactly"
        ))
    }

    /// Every step to execute, with the attachments first, in plan order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.attachments.iter().chain(self.decisions.iter().flat_map(|decision| decision.steps()))
    }

    /// The procedure of this step that runs box by box.
    pub fn nest_of(&self, procedure: ProcedureId) -> Option<&SplitNest> {
        self.nests.iter().find(|nest| nest.procedure == procedure)
    }

    /// Is a loop cut whose parts need not be whole vectors?
    pub fn cuts_at_any_length(&self) -> bool {
        let loops = self.nests.iter().flat_map(|nest| &nest.loops);
        loops.into_iter().any(|found| found.any_part_length)
            || self.steps().any(|step| match &step.operation {
                StepOperation::StripMine(mined) => mined.tiled.any_tile_length,
                StepOperation::WaitInTiles(wait) => wait.tiled.any_tile_length,
                StepOperation::SplitLoop { any_part_length, .. } => *any_part_length,
                _ => false,
            })
    }

    /// Is anything transformed?
    pub fn transforms_anything(&self) -> bool {
        self.decisions.iter().any(|decision| matches!(decision.outcome, Outcome::Transformed { .. }))
    }
}

/// Index of a [`MatchClass`] in [`Plan::classes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ClassId(pub usize);

/// Sends and receives that could match one another, with the completions of their requests: they convert together or
/// not at all.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MatchClass {
    /// The sites, in source order.
    pub members: Vec<Site>,
    /// What the members have in common, for people, such as "mpi_comm_world, tag 7".
    pub description: String,
    /// Why the class stays with MPI; `None` if it converts.
    pub kept: Option<Reason>,
}

/// A call of MPI in the program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Site {
    /// The file.
    pub file: FileId,
    /// The 1-based line at which the call begins.
    pub line: usize,
    /// The procedure.
    pub procedure: ProcedureId,
    /// The statement.
    pub statement: StatementId,
    /// The routine in lower case, such as `mpi_send`; in a match class also a procedure that was not given, or a
    /// description in parentheses.
    pub routine: String,
}

impl Site {
    /// The path of the file in which the call is: of one that is included where that is expanded.
    pub fn path<'p>(&self, program: &'p Program) -> &'p Path {
        program.path_of(program.procedure(self.procedure).statement(self.statement).span)
    }
}

/// What happens to one site.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Decision {
    /// The site.
    pub site: Site,
    /// Its match class; `None` where it takes part in none.
    pub class: Option<ClassId>,
    /// What is done.
    pub outcome: Outcome,
}

impl Decision {
    /// The steps that carry the decision out.
    pub fn steps(&self) -> &[Step] {
        match &self.outcome {
            Outcome::Transformed { steps, .. } => steps,
            Outcome::Kept { .. } => &[],
        }
    }
}

/// What is done to a site, or why nothing is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Outcome {
    /// The call becomes calls of the runtime.
    Transformed {
        /// How its data travels.
        protocol: Protocol,
        /// What was gained, in the order in which it was decided.
        actions: Vec<Action>,
        /// What was tried in vain.
        missed: Vec<Missed>,
        /// What the emitter does.
        steps: Vec<Step>,
    },
    /// The call stays as it is.
    Kept {
        /// Why.
        reason: Reason,
        /// What was tried in vain, where that is why.
        missed: Vec<Missed>,
    },
}

impl Outcome {
    /// The call stays as it is, for this reason alone.
    pub fn kept(reason: Reason) -> Self {
        Self::Kept { reason, missed: Vec::new() }
    }
}

/// The protocols of the Gravel paper, section 2.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    /// The consumer tells the producer where its buffer is; the producer writes into it.
    ConsumerInitiatedWrite,
    /// The producer announces its message, and the consumer looks for a receive that takes it: it reads a whole message
    /// where that lies, and is written the parts of one that comes in parts.
    ProducerInitiated,
}

impl Protocol {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::ConsumerInitiatedWrite => "consumer-initiated-write",
            Protocol::ProducerInitiated => "producer-initiated",
        }
    }
}

/// Something gained at a site.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Action {
    /// The transformation that did it.
    pub transformation: Transformation,
    /// What it did, as a phrase: "posted at line 12, above the loop at line 14".
    pub text: String,
}

/// A transformation that could not be applied at a transformed site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missed {
    /// The transformation.
    pub transformation: Transformation,
    /// Why it did not apply.
    pub reason: Reason,
}
