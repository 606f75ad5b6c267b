//! The dependence graph of a procedure: which statements must keep their order, and because of which memory.
//!
//! A compound statement stands for everything that it holds, and edges join statements of one block: what two statements
//! of different blocks have to do with each other shows at the two statements that hold them in the innermost block
//! around both. In the body of a loop there are also the dependences on earlier iterations. Dependences are about memory:
//! a value that is overwritten in between does not end them (Allen and Kennedy, "Optimizing Compilers for Modern
//! Architectures", 2001, section 2.2).

use crate::ir::{
    Block, Certainty, Loop, Polynomial, Procedure, ProcedureId, Region, Shape, StatementId, StatementKind, SymbolId,
};

use super::super::Answer;
use super::super::algebra::prover::Assumptions;
use super::super::algebra::symbolic::polynomial_of;
use super::super::facts::Facts;
use super::super::memory::effects::{Access, AccessKind, Effects, iteration_symbol};
use super::super::memory::overlap::may_overlap;
use super::super::memory::sharing::may_share_memory;
use super::carried::substituted;

/// Comparisons of regions after which all that are left to make count as "may overlap".
const MAX_COMPARISONS: usize = 20_000;
/// Statements of a block that are compared pair by pair. The statements of a longer one keep the order in which they are
/// written: a graph of all its pairs would be too large to look at.
const MAX_BLOCK: usize = 300;

/// What the second statement does to what the first one has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependenceKind {
    /// It reads what was written.
    Flow,
    /// It overwrites what was read.
    Anti,
    /// It overwrites what was written.
    Output,
    /// Both have effects that somebody outside the procedure's memory can see, in this order.
    Effect,
    /// One of the two may do anything, or the block is too long for comparisons.
    Unknown,
}

impl DependenceKind {
    /// The name in pictures.
    pub fn name(self) -> &'static str {
        match self {
            DependenceKind::Flow => "flow",
            DependenceKind::Anti => "anti",
            DependenceKind::Output => "output",
            DependenceKind::Effect => "effect",
            DependenceKind::Unknown => "unknown",
        }
    }
}

/// A statement that must come after another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependence {
    /// The statement that comes first.
    pub from: StatementId,
    /// The statement that comes later; in a loop it may be the same one.
    pub to: StatementId,
    /// Why.
    pub kind: DependenceKind,
    /// The memory that is touched first, over the values that variables have before `from`; `None` where it is no memory
    /// that orders them.
    pub region: Option<Region>,
    /// Both certainly touch an element in common, if they touch what they may touch; otherwise that can't be excluded.
    pub is_certain: bool,
    /// The later statement is in a later iteration of this loop; `None`: no loop needs to go round.
    pub carried_by: Option<StatementId>,
}

/// The dependences between the statements of a procedure, in the order of their first, then their second statement.
pub fn dependences(facts: &Facts, procedure: ProcedureId) -> Vec<Dependence> {
    let body = facts.procedure(procedure);
    let mut search = Search { facts, id: procedure, procedure: body, comparisons: 0, found: Vec::new() };
    search.block(&body.body, None);
    for id in body.statements_in_order() {
        let kind = &body.statement(id).kind;
        let is_loop = matches!(kind, StatementKind::Loop(_) | StatementKind::While { .. });
        kind.blocks().into_iter().for_each(|block| search.block(block, is_loop.then_some(id)));
    }
    let position = |id: StatementId| (body.statement(id).span.start, id);
    search
        .found
        .sort_by_key(|found| (position(found.from), position(found.to), found.carried_by.is_some(), found.kind));
    search.found
}

struct Search<'a> {
    facts: &'a Facts<'a>,
    id: ProcedureId,
    procedure: &'a Procedure,
    comparisons: usize,
    found: Vec<Dependence>,
}

/// Two statements of a block, in the order in which they run.
#[derive(Clone, Copy)]
struct Pair {
    from: StatementId,
    to: StatementId,
    carried_by: Option<StatementId>,
}

/// Which of the regions of the two statements mean the same by their variables, and what the later one means.
enum Comparison<'l> {
    /// In the same execution of the block: these statements run from the first one to just before the second.
    SameExecution(&'l [StatementId]),
    /// In different iterations of a loop with this body.
    OtherIteration(Option<&'l Loop>, &'l [StatementId]),
}

impl<'a> Search<'a> {
    fn effects(&self, statement: StatementId) -> &'a Effects {
        self.facts.effects(self.id, statement)
    }

    fn block(&mut self, block: &Block, of_loop: Option<StatementId>) {
        if block.len() > MAX_BLOCK {
            self.keep_order(block, of_loop);
            return;
        }
        for (index, &from) in block.iter().enumerate() {
            for (distance, &to) in block[index + 1..].iter().enumerate() {
                let between = &block[index..=index + distance];
                self.pair(Pair { from, to, carried_by: None }, &Comparison::SameExecution(between));
            }
        }
        let Some(around) = of_loop else { return };
        let counted = match &self.procedure.statement(around).kind {
            StatementKind::Loop(counted) => Some(counted),
            _ => None,
        };
        for &from in block {
            for &to in block {
                self.pair(Pair { from, to, carried_by: Some(around) }, &Comparison::OtherIteration(counted, block));
            }
        }
    }

    /// Each statement comes after the one before it, and the first one of an iteration after the last one of that before.
    fn keep_order(&mut self, block: &Block, of_loop: Option<StatementId>) {
        for neighbours in block.windows(2) {
            let pair = Pair { from: neighbours[0], to: neighbours[1], carried_by: None };
            self.add(pair, DependenceKind::Unknown, None, false);
        }
        if let (Some(_), Some(&from), Some(&to)) = (of_loop, block.last(), block.first()) {
            self.add(Pair { from, to, carried_by: of_loop }, DependenceKind::Unknown, None, false);
        }
    }

    fn pair(&mut self, pair: Pair, comparison: &Comparison) {
        let (one, two) = (self.effects(pair.from), self.effects(pair.to));
        if one.everything.is_some() || two.everything.is_some() {
            let touches = |effects: &Effects| {
                effects.everything.is_some() || effects.external.is_some() || !effects.accesses.is_empty()
            };
            if touches(one) && touches(two) {
                self.add(pair, DependenceKind::Unknown, None, false);
            }
            return;
        }
        if one.external.is_some() && two.external.is_some() {
            self.add(pair, DependenceKind::Effect, None, true);
        }
        for first in &one.accesses {
            for second in &two.accesses {
                let kind = match (first.kind, second.kind) {
                    (AccessKind::Write, AccessKind::Read) if second.is_exposed => DependenceKind::Flow,
                    (AccessKind::Read, AccessKind::Write) => DependenceKind::Anti,
                    (AccessKind::Write, AccessKind::Write) => DependenceKind::Output,
                    _ => continue,
                };
                if !may_share_memory(self.procedure, first.region.symbol, second.region.symbol) {
                    continue;
                }
                let is_flow = kind == DependenceKind::Flow;
                if is_flow
                    && (self.is_counted_inside(pair.to, second) || self.is_written_anew(pair, comparison, second))
                {
                    continue;
                }
                match self.compare(comparison, &first.region, &second.region) {
                    Answer::No => {}
                    answer => self.add(pair, kind, Some(&first.region), answer == Answer::Yes),
                }
            }
        }
    }

    /// Is what is read the variable of a counted loop around it, in `statement`, which gives it a value before its body runs?
    fn is_counted_inside(&self, statement: StatementId, read: &Access) -> bool {
        let parent = |id: &StatementId| self.procedure.statement(*id).parent;
        let around = std::iter::successors(Some(read.statement), parent).take_while(|&id| id != statement);
        // The loops around what is read, from the innermost one to `statement`.
        let counts = |id: StatementId| {
            let kind = &self.procedure.statement(id).kind;
            matches!(kind, StatementKind::Loop(counted) if counted.variable == read.region.symbol)
        };
        let mut loops = around.filter_map(|id| parent(&id));
        loops.any(counts) && !self.has_jumps(&[statement])
    }

    /// Can control jump to a statement of these from elsewhere?
    fn has_jumps(&self, statements: &[StatementId]) -> bool {
        let inside = statements.iter().flat_map(|&id| self.procedure.with_descendants(id));
        inside.into_iter().any(|id| self.procedure.statement(id).jump_target)
    }

    /// In an iteration, has the scalar that is read certainly been written by an earlier statement of the body?
    fn is_written_anew(&self, pair: Pair, comparison: &Comparison, read: &Access) -> bool {
        let Comparison::OtherIteration(_, body) = comparison else { return false };
        let symbol = read.region.symbol;
        let writes = |&id: &StatementId| {
            self.effects(id).accesses.iter().any(|access| {
                access.kind == AccessKind::Write
                    && access.certainty == Certainty::Must
                    && access.region.symbol == symbol
            })
        };
        self.procedure.symbol(symbol).shape == Shape::Scalar
            && body.iter().take_while(|&&id| id != pair.to).any(writes)
            && !self.has_jumps(body)
    }

    /// May the regions have an element in common, each when its statement runs?
    fn compare(&mut self, comparison: &Comparison, first: &Region, second: &Region) -> Answer {
        self.comparisons += 1;
        if first.symbol != second.symbol || self.comparisons > MAX_COMPARISONS {
            return Answer::Unknown;
        }
        let is_scalar = self.procedure.symbol(first.symbol).shape == Shape::Scalar;
        if is_scalar {
            return Answer::Yes;
        }
        let procedure = self.procedure;
        let changes = |symbol: SymbolId, statements: &[StatementId]| {
            statements.iter().any(|&id| {
                let effects = self.effects(id);
                effects.everything.is_some() || effects.writes_symbol(procedure, symbol).is_some()
            })
        };
        let mut variables = first.variables();
        variables.extend(second.variables());
        match comparison {
            Comparison::SameExecution(between) => {
                if variables.into_iter().any(|symbol| changes(symbol, between)) {
                    return Answer::Unknown;
                }
                may_overlap(procedure, first, second, &Assumptions::new())
            }
            Comparison::OtherIteration(counted, body) => {
                if variables.into_iter().any(|symbol| changes(symbol, body)) {
                    return Answer::Unknown;
                }
                match counted {
                    None => may_overlap(procedure, first, second, &Assumptions::new()),
                    Some(counted) => self.compare_iterations(counted, first, second).unwrap_or(Answer::Unknown),
                }
            }
        }
    }

    /// May the first region, in an iteration, meet the second one in a later iteration? `None` if that can't be expressed.
    fn compare_iterations(&self, counted: &Loop, first: &Region, second: &Region) -> Option<Answer> {
        let step = match &counted.step {
            None => 1,
            Some(step) => polynomial_of(self.procedure, step)?.as_constant().filter(|&step| step != 0)?,
        };
        let distance = Polynomial::variable(iteration_symbol(self.procedure, 0));
        let variable = Polynomial::variable(counted.variable);
        let later = variable.checked_add(&distance.checked_multiply(&Polynomial::constant(step))?)?;
        let mut assumptions = Assumptions::new();
        assumptions.assume_positive(&distance);
        // The bounds were evaluated before the loop: a fact only where nothing in the loop has changed them since.
        let bound = |expression| {
            let value = polynomial_of(self.procedure, expression)?;
            let is_fixed = value.variables().into_iter().all(|symbol| {
                symbol != counted.variable
                    && counted.body.iter().all(|&id| self.effects(id).writes_symbol(self.procedure, symbol).is_none())
            });
            is_fixed.then_some(value)
        };
        if let Some(fact) = bound(&counted.lower).and_then(|lower| variable.checked_subtract(&lower)) {
            assumptions.assume_nonnegative(if step > 0 { fact } else { fact.checked_negate()? });
        }
        if let Some(fact) = bound(&counted.upper).and_then(|upper| upper.checked_subtract(&later)) {
            assumptions.assume_nonnegative(if step > 0 { fact } else { fact.checked_negate()? });
        }
        let second = substituted(second, counted.variable, &later)?;
        Some(may_overlap(self.procedure, first, &second, &assumptions))
    }

    /// Adds a dependence; of several of one kind over one variable the first is kept, or a certain one.
    fn add(&mut self, pair: Pair, kind: DependenceKind, region: Option<&Region>, is_certain: bool) {
        let Pair { from, to, carried_by } = pair;
        let symbol = region.map(|region| region.symbol);
        let known =
            self.found.iter_mut().rev().take_while(|known| (known.from, known.to) == (from, to)).find(|known| {
                known.kind == kind
                    && known.carried_by == carried_by
                    && known.region.as_ref().map(|region| region.symbol) == symbol
            });
        match known {
            Some(known) if known.is_certain || !is_certain => {}
            Some(known) => {
                known.is_certain = true;
                known.region = region.cloned();
            }
            None => {
                self.found.push(Dependence { from, to, kind, region: region.cloned(), is_certain, carried_by });
            }
        }
    }
}

#[cfg(test)]
mod random_programs;
#[cfg(all(test, feature = "fortran"))]
mod tests;
