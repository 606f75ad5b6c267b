//! What the plan does to the calls of one block: from where to where each message is under way, and which loops are cut for it.

use gravelc::ir::{Depth, Direction, ExpressionKind, Polynomial, Procedure, StatementId, SymbolId};
use gravelc::plan::{Decision, MessageOf, Outcome, Position, ReasonCode, StepOperation, Transformation};

use crate::frontend::tree::{Node, NodeKind};

/// Why something does not move further.
#[derive(Debug, Clone)]
pub struct Why {
    /// The reason.
    pub code: ReasonCode,
    /// What is in the way, as a sentence.
    pub text: String,
}

impl Why {
    /// For this reason.
    pub fn new(code: ReasonCode, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }
}

/// A loop that is cut for a message.
#[derive(Debug, Clone)]
pub struct CutLoop {
    /// Its index in the block.
    pub index: usize,
    /// What the elements of the message are to its iterations.
    pub shape: Shape,
}

/// How iterations and elements of a message go together. Polynomials are over the values before the loop.
#[derive(Debug, Clone)]
pub enum Shape {
    /// Iteration `k` of the loop, counted from 0, completes `length` elements from `start + length * k` on.
    Fills {
        /// The first one of the first iteration, counted from the message's beginning.
        start: Polynomial,
        /// Elements per iteration.
        length: Polynomial,
    },
    /// The iterations up to the value `variable` of the loop's variable need the first `needed` elements.
    Reads {
        /// The loop's variable.
        variable: SymbolId,
        /// The number of elements.
        needed: Polynomial,
    },
}

impl CutLoop {
    /// Does an iteration go with one element?
    pub fn is_in_step(&self) -> bool {
        let per_iteration = match &self.shape {
            Shape::Fills { length, .. } => Some(length.clone()),
            Shape::Reads { variable, needed } => needed.linear_in(*variable).map(|(slope, _)| slope),
        };
        per_iteration.and_then(|it| it.as_constant()) == Some(1)
    }

    /// Does an iteration go with a row of so many elements, the first one with the message's first row?
    pub fn has_rows_of(&self, size: &Polynomial) -> bool {
        match &self.shape {
            Shape::Fills { start, length } => start.is_zero() && length == size,
            Shape::Reads { variable, needed } => {
                needed.linear_in(*variable).is_some_and(|(slope, rest)| slope == *size && rest == *size)
            }
        }
    }

    /// May there be elements of the message before those of the first iteration?
    pub fn has_head(&self) -> bool {
        matches!(&self.shape, Shape::Fills { start, .. } if !start.is_zero())
    }
}

/// One message of a call, and where it is under way.
#[derive(Debug, Clone)]
pub struct Half {
    /// The call's index in the block.
    pub call: usize,
    /// Which way it goes.
    pub direction: Direction,
    /// The index of the statement before which it begins: at most the call's.
    pub begin: usize,
    /// The index of the statement behind which it ends: at least the call's.
    pub end: usize,
    /// The loop that fills or reads it.
    pub cut: Option<CutLoop>,
    /// The index of the loop of which all iterations but the first and the last ones run before the wait.
    pub split: Option<usize>,
    /// How many of its first and last iterations need the message, if there is one.
    pub depth: Depth,
    /// Why it was not moved further, or not at all: something in the block that the middle end did not know of.
    pub stopped: Option<Why>,
}

impl Half {
    /// The loop stays whole.
    pub fn drop_cut(&mut self, why: &Why) {
        let Some(cut) = self.cut.take() else { return };
        self.stopped.get_or_insert_with(|| why.clone());
        match cut.shape {
            Shape::Fills { .. } => self.begin = self.call,
            Shape::Reads { .. } => self.end = cut.index - 1,
        }
    }

    /// The loop below stays whole.
    pub fn drop_split(&mut self, why: &Why) {
        let Some(index) = self.split.take() else { return };
        self.stopped.get_or_insert_with(|| why.clone());
        self.end = index - 1;
    }

    /// Is under way no longer than until the loop at an index of the block, which is split for another message.
    pub fn end_with(&mut self, index: usize, why: &Why) {
        if self.call > index {
            self.stop_at(index, why);
        } else if self.end > index {
            self.cut.take_if(|cut| cut.index > index);
            self.split.take_if(|split| *split > index);
            self.stopped.get_or_insert_with(|| why.clone());
            self.end = index;
        }
    }

    /// The names of what is gained.
    pub fn gained(&self) -> Vec<Transformation> {
        let fills = self.direction == Direction::Sent && self.cut.is_some();
        let reads = self.direction == Direction::Received && self.cut.is_some();
        let begins = self.begin < self.call && !fills;
        let early = match self.direction {
            Direction::Received => Transformation::HoistReceive,
            Direction::Sent => Transformation::HoistSend,
        };
        let all = [
            (begins, early),
            (fills, Transformation::StripMineProducer),
            (reads, Transformation::StripMineConsumer),
            (self.split.is_some(), Transformation::SplitLoop),
            (self.end > self.call && !reads && self.split.is_none(), Transformation::SinkWait),
        ];
        all.into_iter().filter(|(is_gained, _)| *is_gained).map(|(_, it)| it).collect()
    }

    /// Does not gain this.
    pub fn refuse(&mut self, transformation: Transformation, why: &Why) {
        if !self.gained().contains(&transformation) {
            return;
        }
        match transformation {
            Transformation::StripMineProducer | Transformation::StripMineConsumer => self.drop_cut(why),
            Transformation::SplitLoop => self.drop_split(why),
            Transformation::HoistReceive | Transformation::HoistSend => self.begin = self.call,
            _ => self.end = self.call,
        }
        self.stopped.get_or_insert_with(|| why.clone());
    }

    /// Is anything gained?
    pub fn gains(&self) -> bool {
        self.begin < self.call || self.end > self.call || self.cut.is_some()
    }

    /// May the index not lie inside of what is under way? Then it is stopped there.
    pub fn stop_at(&mut self, index: usize, why: &Why) {
        if index == self.call {
            if self.gains() {
                self.stopped.get_or_insert_with(|| why.clone());
            }
            (self.begin, self.end, self.cut, self.split) = (self.call, self.call, None, None);
            return;
        }
        let is_reached = self.begin <= index && index <= self.end;
        if !is_reached {
            return;
        }
        self.stopped.get_or_insert_with(|| why.clone());
        if index < self.call {
            self.begin = index + 1;
        } else {
            self.end = index - 1;
        }
        if self.cut.as_ref().is_some_and(|cut| cut.index < self.begin || cut.index > self.end) {
            self.cut = None;
        }
        if self.split.is_some_and(|split| split > self.end) {
            self.split = None;
        }
    }
}

/// The messages of the calls in a block, by what was decided about them.
pub fn halves(block: &[Node], decisions: &[Decision]) -> Vec<Half> {
    let mut found = Vec::new();
    for (call, node) in block.iter().enumerate() {
        let NodeKind::Call(taken) = &node.kind else { continue };
        let Some(decision) = decisions.iter().find(|decision| decision.site.statement == node.id) else { continue };
        let directions = [(Direction::Received, taken.received.is_some()), (Direction::Sent, taken.sent.is_some())];
        for (direction, _) in directions.into_iter().filter(|(_, is_there)| *is_there) {
            let (cut, split, depth, stopped) = (None, None, Depth::ONE, None);
            let mut half = Half { call, direction, begin: call, end: call, cut, split, depth, stopped };
            if let Outcome::Transformed { steps, .. } = &decision.outcome {
                for step in steps {
                    apply(&mut half, block, step);
                }
            }
            check(&mut half);
            found.push(half);
        }
    }
    found
}

/// Whatever is not as expected, the message stays where it is.
fn check(half: &mut Half) {
    let is_in_order = half.begin <= half.call && half.call <= half.end;
    let is_inside = half.cut.as_ref().is_none_or(|cut| half.begin <= cut.index && cut.index <= half.end);
    let is_last = half.split.is_none_or(|split| half.call < split && split == half.end);
    if !is_in_order || !is_inside || !is_last {
        (half.begin, half.end, half.cut, half.split) = (half.call, half.call, None, None);
    }
}

fn apply(half: &mut Half, block: &[Node], step: &gravelc::plan::Step) {
    let statement = match step.position {
        Position::Before(id) | Position::Replace(id) | Position::After(id) => id,
    };
    let Some(index) = index_of(block, statement) else { return };
    if step.guard.is_some() {
        return;
    }
    let is_of = |of: &MessageOf| of.direction == half.direction && of.call == step.origin;
    match (&step.operation, half.direction) {
        (StepOperation::PostReceive { early, .. }, Direction::Received) if early.is_empty() => {
            half.begin = half.begin.min(index);
        }
        (StepOperation::OpenTransfer { early, .. }, Direction::Sent) if early.is_empty() => {
            half.begin = half.begin.min(index);
        }
        (StepOperation::StripMine(cut), Direction::Sent) => {
            if let [start] = cut.sequences.as_slice() {
                let shape = Shape::Fills { start: start.clone(), length: cut.elements_per_iteration.clone() };
                half.cut = Some(CutLoop { index, shape });
            }
        }
        (StepOperation::WaitInTiles(cut), Direction::Received) if cut.buffer_of.as_ref().is_some_and(is_of) => {
            let shape = Shape::Reads { variable: cut.variable, needed: cut.needed.clone() };
            half.cut = Some(CutLoop { index, shape });
            half.end = half.end.max(index);
        }
        (StepOperation::SplitLoop { wait, depth, .. }, Direction::Received) if matches!(&**wait, StepOperation::Wait { buffer_of: Some(of), .. } if is_of(of)) =>
        {
            (half.split, half.depth) = (Some(index), *depth);
            half.end = half.end.max(index);
        }
        (StepOperation::Wait { buffer_of: Some(of), .. }, direction) if of.direction == direction && is_of(of) => {
            half.end = half.end.max(match step.position {
                Position::Before(_) if index > half.call => index - 1,
                _ => index,
            });
        }
        _ => {}
    }
}

/// The index of the statement of the block itself: what goes into a branch or a loop is another place.
fn index_of(block: &[Node], statement: StatementId) -> Option<usize> {
    block.iter().position(|node| node.id == statement)
}

/// An access to a place in statements that are understood.
pub struct Access<'p> {
    /// The place.
    pub symbol: SymbolId,
    /// It is written.
    pub is_write: bool,
    /// Of an element: its subscript.
    pub subscript: Option<&'p gravelc::ir::Expression>,
}

/// All accesses of a statement and of what it holds.
pub fn accesses<'p>(procedure: &'p Procedure, ids: &[StatementId]) -> Vec<Access<'p>> {
    let mut found = Vec::new();
    for id in ids.iter().flat_map(|&id| procedure.with_descendants(id)) {
        let kind = &procedure.statement(id).kind;
        for expression in kind.expressions() {
            let is_target =
                matches!(kind, gravelc::ir::StatementKind::Assign { target, .. } if std::ptr::eq(target, expression));
            for part in expression.walk() {
                let is_write = is_target && std::ptr::eq(part, expression);
                let (symbol, subscript) = match &part.kind {
                    ExpressionKind::Symbol(symbol) => (*symbol, None),
                    ExpressionKind::Element { array, subscripts } => (*array, subscripts.first()),
                    _ => continue,
                };
                found.push(Access { symbol, is_write, subscript });
            }
        }
        if let gravelc::ir::StatementKind::Loop(counted) = kind {
            found.push(Access { symbol: counted.variable, is_write: true, subscript: None });
        }
    }
    found
}
