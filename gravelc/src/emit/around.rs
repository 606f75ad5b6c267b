//! What the steps of a procedure do around each of its statements, in the order in which that is written.

use std::collections::BTreeMap;

use crate::ir::{Depth, LoopBound, Procedure, StatementId};
use crate::plan::{Position, Step, StepOperation, StripMine, TiledLoop, WaitInTiles};

use super::parts::Parts;

/// What happens around one statement.
#[derive(Default)]
pub struct Around<'s> {
    /// Before it.
    pub before: Vec<&'s Step>,
    /// In its place.
    pub replace: Vec<&'s Step>,
    /// Behind it.
    pub after: Vec<&'s Step>,
}

/// The steps of a procedure by the statements around which they stand.
pub fn by_statement<'s>(procedure: &Procedure, steps: &[&'s Step]) -> BTreeMap<StatementId, Around<'s>> {
    let mut statements: BTreeMap<StatementId, Around> = BTreeMap::new();
    for &step in steps {
        match step.position {
            Position::Before(id) => statements.entry(id).or_default().before.push(step),
            Position::Replace(id) => statements.entry(id).or_default().replace.push(step),
            Position::After(id) => statements.entry(id).or_default().after.push(step),
        }
    }
    for around in statements.values_mut() {
        around.before.sort_by_key(|step| before_rank(&step.operation));
        around.after.sort_by_key(|step| after_rank(procedure, step));
    }
    statements
}

/// Steps before one statement: what has to be null, or is needed, first, then receives, then transfers.
fn before_rank(operation: &StepOperation) -> usize {
    match operation {
        StepOperation::ClearRequest { .. } => 0,
        StepOperation::ComputeEarly(_) => 1,
        StepOperation::PostReceive { .. } | StepOperation::PostReceiveOfCallee { .. } => 2,
        StepOperation::ClearTransfer { .. } | StepOperation::OpenTransfer { .. } => 3,
        _ => 4,
    }
}

/// Steps after one statement: requests that have to be stored, then waits, those for one call side by side.
fn after_rank(procedure: &Procedure, step: &Step) -> (usize, usize) {
    match step.operation {
        StepOperation::HandOverRequest { .. } => (0, 0),
        StepOperation::Wait { is_for_call: true, .. } => (2, procedure.statement(step.origin).span.start),
        _ => (1, 0),
    }
}

/// Neighbours that share a comment: those of one origin, but for the two sides of a call that sends and receives.
pub fn groups<'a, 's>(steps: &'a [&'s Step]) -> impl Iterator<Item = &'a [&'s Step]> {
    let is_early = |step: &Step| matches!(step.operation, StepOperation::PostReceiveOfCallee { .. });
    let computes = |step: &Step| matches!(step.operation, StepOperation::ComputeEarly(_));
    steps.chunk_by(move |one, other| {
        one.origin == other.origin
            && posts_receive(one) == posts_receive(other)
            && computes(one) == computes(other)
            && !is_early(other)
    })
}

fn posts_receive(step: &Step) -> bool {
    matches!(step.operation, StepOperation::PostReceive { .. } | StepOperation::PostReceiveOfCallee { .. })
}

/// How a loop is split: the waits between its parts, and what must stay as it was.
pub struct Split<'s> {
    /// The step.
    pub step: &'s Step,
    /// The wait.
    pub wait: &'s StepOperation,
    /// Number of the loop.
    pub number: usize,
    /// How many of its first and last iterations stay behind the wait.
    pub depth: Depth,
    /// Its variable is looked at behind it.
    pub keeps_variable: bool,
    /// Its parts need not be whole vectors.
    pub any_part_length: bool,
}

/// The steps that cut or split one loop, sorted by what they do.
#[derive(Default)]
pub struct LoopSteps<'s> {
    /// Messages that are put tile by tile.
    pub puts: Vec<(&'s Step, &'s StripMine)>,
    /// Messages that are waited for tile by tile.
    pub waits: Vec<(&'s Step, &'s WaitInTiles)>,
    /// Waits between the parts of the loop.
    pub splits: Vec<Split<'s>>,
}

impl<'s> LoopSteps<'s> {
    /// Those among the steps in the place of a statement that do something to a loop; `None` if none of them does.
    pub fn among(steps: &[&'s Step]) -> Option<Self> {
        let mut found = Self::default();
        for &step in steps {
            match &step.operation {
                StepOperation::StripMine(strip_mine) => found.puts.push((step, strip_mine)),
                StepOperation::WaitInTiles(wait) => found.waits.push((step, wait)),
                &StepOperation::SplitLoop { number, depth, keeps_variable, any_part_length, ref wait } => {
                    found.splits.push(Split { step, wait, number, depth, keeps_variable, any_part_length });
                }
                _ => {}
            }
        }
        let is_empty = found.puts.is_empty() && found.waits.is_empty() && found.splits.is_empty();
        (!is_empty).then_some(found)
    }

    /// The parts of the loop that is split, and the comment above them. All waits stand at one place, so the parts keep off the
    /// message of each.
    pub fn parts(&self, bound: LoopBound) -> (Parts, String) {
        let depth = self.splits.iter().map(|split| split.depth).reduce(Depth::joined).unwrap_or(Depth::ONE);
        let any_part_length = self.splits.iter().all(|split| split.any_part_length);
        let ends = first_and_last(depth, any_part_length);
        let comment = format!("gravel: the iterations inside, then the wait, then {ends}");
        (Parts::new(bound, depth, any_part_length), comment)
    }

    /// The loops over tiles of the messages.
    pub fn tiled(&self) -> impl Iterator<Item = &TiledLoop> {
        let of_puts = self.puts.iter().map(|(_, strip_mine)| &strip_mine.tiled);
        of_puts.chain(self.waits.iter().map(|(_, wait)| &wait.tiled))
    }
}

/// What runs behind the wait in a loop that is split, in words.
pub fn first_and_last(depth: Depth, any_part_length: bool) -> &'static str {
    match any_part_length && depth == Depth::ONE {
        true => "the first and the last iteration",
        false => "the first and the last iterations",
    }
}
