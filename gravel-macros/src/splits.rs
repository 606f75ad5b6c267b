//! Loops that are split: all iterations but the first and the last ones run while the rows that only those need are on their way.
//!
//! The middle end has proven that iterations may run in another order and which of them need the message. What it proves of subscripts the
//! emitted code looks at once more, with numbers: that those of the iterations in front of the wait lie in the part of the array
//! that is lent to no message, and in all other arrays. They must not end the program, as the first iteration might have ended
//! it in another place: arithmetic is with numbers of floating point, or with counts whose ranges are looked at.

use std::collections::{BTreeMap, BTreeSet};

use gravelc::analysis::algebra::symbolic::polynomial_of;
use gravelc::ir::{
    Depth, Direction, Expression, ExpressionKind, Loop, Polynomial, StatementId, StatementKind, SymbolId, TypeCategory,
};
use gravelc::plan::ReasonCode;

use crate::frontend::risks::{Leaf, RiskKind};
use crate::frontend::tree::NodeKind;
use crate::moves::{Half, Why, accesses};
use crate::regions::{Block, Region};

/// A loop's variable, with the first and the last value over those of the loops around it.
pub struct Counter {
    /// The variable.
    pub variable: SymbolId,
    /// The first value.
    pub lower: Polynomial,
    /// The last one.
    pub upper: Polynomial,
}

/// What the iterations of a loop touch and compute. Polynomials are over the variables of the loops and over what no iteration changes.
#[derive(Default)]
pub struct Inside {
    /// The loops, from the outermost one on.
    pub counters: Vec<Counter>,
    /// Arrays, each with the subscripts of the elements that are named.
    pub subscripts: BTreeMap<SymbolId, BTreeSet<Polynomial>>,
    /// Counts that are computed.
    pub counts: BTreeSet<Polynomial>,
    /// Arrays and variables that have to be of numbers of floating point.
    pub floats: BTreeSet<SymbolId>,
    /// The values of variables that are declared in the loop.
    values: BTreeMap<SymbolId, Option<Polynomial>>,
}

impl Inside {
    /// What is evaluated in front of the loop.
    pub fn front(&self) -> BTreeSet<SymbolId> {
        let counted = self.counters.iter().flat_map(|it| [&it.lower, &it.upper]);
        let all = counted.chain(&self.counts).chain(self.subscripts.values().flatten());
        let mut found: BTreeSet<SymbolId> = all.flat_map(Polynomial::variables).collect();
        for counter in &self.counters {
            found.remove(&counter.variable);
        }
        found
    }

    /// What is named in front of it.
    pub fn named(&self) -> BTreeSet<SymbolId> {
        self.subscripts.keys().chain(&self.floats).copied().collect()
    }
}

fn refused<T>(text: impl Into<String>) -> Result<T, Why> {
    Err(Why::new(ReasonCode::DependentIterations, text))
}

impl Block<'_> {
    /// Can the loop for which a message is split be written so?
    pub fn check_split(&self, half: &Half) -> Result<(), Why> {
        let Some(index) = half.split else { return Ok(()) };
        let inside = self.inside(index)?;
        let buffer = self.buffer_of(half);
        let name = &self.procedure().symbol(buffer).name;
        if self.end_of(half).is_exchange() {
            return refused("a loop is not split for an exchange");
        }
        let other = inside.subscripts.keys().any(|&array| array != buffer && self.meet(array, buffer));
        let is_written = self.accesses(index).iter().any(|it| it.is_write && self.meet(it.symbol, buffer));
        if other || is_written {
            return refused(format!("the loop changes `{name}`, or names it otherwise, too"));
        }
        match inside.subscripts.contains_key(&buffer) {
            true => Ok(()),
            false => refused(format!("which elements of `{name}` the loop names is not known")),
        }
    }

    /// What the iterations of the loop at an index touch and compute.
    ///
    /// # Errors
    /// Why that is not known.
    pub fn inside(&self, index: usize) -> Result<Inside, Why> {
        let node = &self.nodes[index];
        let StatementKind::Loop(counted) = &self.procedure().statement(node.id).kind else {
            return refused("what reads the message is no loop over a range");
        };
        let mut is_plain = true;
        node.visit(&mut |inner| is_plain &= !matches!(inner.kind, NodeKind::Counted { over: Some(_), .. }));
        if !is_plain {
            return refused("a loop over elements or rows stays whole");
        }
        let mut found = Inside::default();
        self.add_loop(counted, &mut found)?;
        if counted.step.is_some() {
            return refused("a loop over every so many numbers stays whole");
        }
        self.add_risks(node.id, &mut found)?;
        let changed: BTreeSet<SymbolId> =
            accesses(self.procedure(), &counted.body).iter().filter(|it| it.is_write).map(|it| it.symbol).collect();
        let is_fixed =
            |symbol: &SymbolId| self.is_count(*symbol) && !changed.iter().any(|&other| self.meet(other, *symbol));
        match found.front().iter().all(is_fixed) {
            true => Ok(found),
            false => refused("subscripts depend on what the loop changes, or on what is not known to be a count"),
        }
    }

    fn is_count(&self, symbol: SymbolId) -> bool {
        self.procedure().symbol(symbol).element.category == TypeCategory::Integer
    }

    fn add_loop(&self, counted: &Loop, found: &mut Inside) -> Result<(), Why> {
        if !self.is_count(counted.variable) {
            return refused("a loop stays whole whose variable does not count elements");
        }
        let (Some(lower), Some(upper)) = (self.count(&counted.lower, found), self.count(&counted.upper, found)) else {
            return refused("the bounds of a loop are not known");
        };
        self.add_elements(&counted.lower, found)?;
        self.add_elements(&counted.upper, found)?;
        found.counters.push(Counter { variable: counted.variable, lower, upper });
        self.add_block(&counted.body, found)
    }

    fn add_block(&self, block: &[StatementId], found: &mut Inside) -> Result<(), Why> {
        for &id in block {
            let kind = &self.procedure().statement(id).kind;
            match kind {
                StatementKind::Assign { target, value, .. } => {
                    self.add_elements(target, found)?;
                    self.add_elements(value, found)?;
                    if let ExpressionKind::Symbol(symbol) = target.kind {
                        self.add_value(id, symbol, value, found)?;
                    }
                }
                StatementKind::If { arms, otherwise, .. } => {
                    for arm in arms {
                        self.add_elements(&arm.condition, found)?;
                        self.add_block(&arm.body, found)?;
                    }
                    self.add_block(otherwise.as_deref().unwrap_or_default(), found)?;
                }
                StatementKind::Loop(inner) => self.add_loop(inner, found)?,
                StatementKind::Scope(scope) => self.add_block(&scope.body, found)?,
                StatementKind::Nothing => {}
                _ => return refused("the loop holds a statement that is not followed"),
            }
        }
        Ok(())
    }

    /// A variable that is declared in the loop has the value from there on, if no other one is stored to it.
    fn add_value(&self, id: StatementId, symbol: SymbolId, value: &Expression, found: &mut Inside) -> Result<(), Why> {
        let is_declared = self.lowered.declared.get(&id).is_some_and(|declared| declared.contains(&symbol));
        if !is_declared && !found.values.contains_key(&symbol) {
            let name = &self.procedure().symbol(symbol).name;
            return refused(format!("`{name}` has another value after each iteration"));
        }
        let value = if is_declared { self.count(value, found) } else { None };
        found.values.insert(symbol, value);
        Ok(())
    }

    /// A count as a polynomial over what is known in front of the loop, and its counters.
    fn count(&self, expression: &Expression, found: &Inside) -> Option<Polynomial> {
        let written = polynomial_of(self.procedure(), expression)?;
        written.checked_replace(&|symbol| match found.values.get(&symbol) {
            // A value that is stored later may be the one that an iteration begins with.
            Some(value) => value.clone().filter(|_| self.is_stored_once(symbol)),
            None => Some(Polynomial::variable(symbol)),
        })
    }

    fn is_stored_once(&self, symbol: SymbolId) -> bool {
        let procedure = self.procedure();
        let stored = procedure.statements.iter().filter(|statement| {
            matches!(&statement.kind, StatementKind::Assign { target, .. } if target.kind == ExpressionKind::Symbol(symbol))
        });
        stored.count() == 1
    }

    fn add_elements(&self, expression: &Expression, found: &mut Inside) -> Result<(), Why> {
        for part in expression.walk() {
            let ExpressionKind::Element { array, subscripts } = &part.kind else { continue };
            let [subscript] = subscripts.as_slice() else { return refused("an element by several subscripts") };
            let Some(subscript) = self.count(subscript, found) else {
                let name = &self.procedure().symbol(*array).name;
                return refused(format!("which elements of `{name}` the loop names is not known"));
            };
            found.subscripts.entry(*array).or_default().insert(subscript);
        }
        Ok(())
    }

    /// What in the loop may end the program.
    fn add_risks(&self, id: StatementId, found: &mut Inside) -> Result<(), Why> {
        let span = self.procedure().statement(id).span;
        // The bounds of the loop itself are evaluated in front of it, as they were.
        let inside = self.lowered.risks.iter().filter(|risk| span.start < risk.place && risk.place < span.end);
        for risk in inside {
            match &risk.kind {
                RiskKind::Other(what) => return refused(format!("{what} in the loop may end the program")),
                RiskKind::Arithmetic { leaves, value } => {
                    let variables: BTreeSet<SymbolId> = leaves.iter().filter_map(|leaf| leaf.variable()).collect();
                    if variables.iter().any(|&it| self.is_count(it))
                        || variables.is_empty() && leaves.contains(&Leaf::Whole)
                    {
                        let Some(count) = self.count(value, found) else {
                            return refused("arithmetic with whole numbers in the loop may end the program");
                        };
                        found.counts.insert(count);
                    } else {
                        self.add_floats(leaves, found)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn add_floats(&self, leaves: &[Leaf], found: &mut Inside) -> Result<(), Why> {
        for leaf in leaves {
            match leaf {
                Leaf::Float => {}
                Leaf::Whole | Leaf::Unknown => {
                    return refused("arithmetic in the loop, of which the type is not known, may end the program");
                }
                Leaf::Variable(symbol) => match (found.values.contains_key(symbol), self.lowered.leaves.get(symbol)) {
                    (false, _) => {
                        found.floats.insert(*symbol);
                    }
                    (true, Some(leaves)) => self.add_floats(leaves, found)?,
                    (true, None) => return refused("the type of a variable in the loop is not known"),
                },
            }
        }
        Ok(())
    }

    /// The arrays of which a region has lent parts while a loop reads others: each with the loop's index.
    pub fn split_arrays(&self, halves: &[Half]) -> BTreeMap<SymbolId, usize> {
        halves.iter().filter_map(|half| Some((self.buffer_of(half), half.split?))).collect()
    }

    /// Is the memory of the half a part of such an array, of which others may be lent at the same time?
    pub fn is_part_of_split(&self, half: &Half, arrays: &BTreeMap<SymbolId, usize>) -> bool {
        let Some(index) = arrays.get(&self.buffer_of(half)) else { return false };
        match half.direction {
            Direction::Received => half.split == Some(*index),
            Direction::Sent => half.cut.is_none() && !self.end_of(half).is_exchange(),
        }
    }
}

/// Messages are under way no longer than until a loop that is split for one of them: its first and its last iterations need what was lent.
pub fn end_with_splits(halves: &mut [Half], line: &dyn Fn(usize) -> usize) {
    let splits: BTreeSet<usize> = halves.iter().filter_map(|half| half.split).collect();
    for index in splits {
        // One that was split itself may have been stopped.
        if !halves.iter().any(|half| half.split == Some(index)) {
            continue;
        }
        let text = format!("the loop at line {} is split for a message, and needs its memory at its end", line(index));
        let why = Why::new(ReasonCode::AccessInBetween, text);
        halves.iter_mut().filter(|half| half.begin <= index).for_each(|half| half.end_with(index, &why));
    }
}

impl Region {
    /// The index of the loop that is split.
    pub fn split(&self) -> Option<usize> {
        self.halves.iter().find_map(|half| half.split)
    }

    /// How many of its first and last iterations stay behind all waits.
    pub fn depth(&self) -> Depth {
        let split = self.halves.iter().filter(|half| half.split.is_some());
        split.map(|half| half.depth).fold(Depth::ONE, Depth::joined)
    }
}
