//! Which iterations of loops that stand one in the other keep off some memory, as a box: those that are so far from the first
//! and from the last iteration of each loop.
//!
//! A sweep of a stencil over a grid needs the halo around the grid in its outermost rows and columns only. What is inside can
//! be computed before the halo has come, and the strips around it afterwards (index-set splitting in several dimensions;
//! Banerjee, "Unimodular transformations of double loops", 1990).
//!
//! Two things are proven. **Any order**: no iteration of a loop that is cut touches memory that another one writes, whatever
//! the iterations of the loops around and inside do. It is asked loop by loop, of all that the loops inside touch together: two
//! iterations of the nest differ in some loop, and the outermost of those in which they differ has its own proof. **Inside**:
//! for each access of the innermost body and each region of the footprint, the prover shows that they have no element in common
//! while the loops' variables are between the margins.
//!
//! The last iteration does not stay the last one to run. So variables that are an iteration's own must be such at whose last
//! values nobody looks, the loops' variables included.

use crate::ir::{Depth, Loop, Procedure, ProcedureId, Program, Region, StatementId, StatementKind, SymbolId};

use super::super::Answer;
use super::super::algebra::prover::Assumptions;
use super::super::memory::effects::{Access, AccessKind, Effects, effects_of, effects_of_iteration};
use super::super::memory::overlap::may_overlap;
use super::super::memory::sharing::may_share_memory;
use super::independence::{Dependent, Iterations, assume_between_the_ends, counted_loop};
use super::production::{Bounds, NotProduced, Question};

/// One loop of a nest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutLoop {
    /// The loop.
    pub statement: StatementId,
    /// So many of its first and of its last iterations do not belong to the box: 0 to [`Depth::MAX`] of each.
    pub margin: Depth,
}

/// The iterations that are inside the margins of all loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsideBox {
    /// The loops that have to be cut, outermost first; each is the only statement of the one before. The last one has a
    /// margin, and what stands in it is never taken apart. None if no iteration touches the footprint.
    pub loops: Vec<CutLoop>,
}

/// The iterations of the loop `nest`, and of those that alone stand in it, which keep off `footprint`: regions with what somebody
/// else does to them meanwhile. What is only read there may be read here. Polynomials of regions are over values that are the
/// same before and after the nest (which is checked). All iterations of the loops that are cut may run in any order.
///
/// A loop in another one can be cut as long as its bounds are the same in all iterations and it passes the same checks as the
/// outermost one; what it and those in it touch is taken together otherwise. Margins are as small as can be, those of outer loops
/// first; where the number of iterations is known, some are left between them.
///
/// `is_dead` says of a variable whether its value matters to nothing outside the loops that count with it. As in
/// [`inside_is_independent`](super::independence::inside_is_independent), what is inside is asked of the procedure in
/// `in_one_run`.
///
/// # Errors
/// The first reason found why there is no such box, or why that can't be told.
pub fn inside_box(
    (program, in_one_run): (&Program, &Program),
    procedure: ProcedureId,
    nest: StatementId,
    footprint: &[(Region, AccessKind)],
    is_dead: &dyn Fn(SymbolId) -> bool,
) -> Result<InsideBox, Dependent> {
    let found = Nest { program, procedure, body: program.procedure(procedure), footprint }.cuttable(nest, is_dead)?;
    let space = Nest { program: in_one_run, procedure, body: in_one_run.procedure(procedure), footprint };
    let margins = space.space(&found)?.margins(footprint)?;
    let last_with_margin = margins.iter().rposition(|&margin| margin != Depth::NONE);
    let cut = last_with_margin.map_or(0, |last| last + 1);
    let loops = found.into_iter().zip(margins).take(cut);
    Ok(InsideBox { loops: loops.map(|(statement, margin)| CutLoop { statement, margin }).collect() })
}

/// Does an access disturb what somebody else does with the same memory?
fn conflicts(access: &Access, other: AccessKind) -> bool {
    access.kind == AccessKind::Write || other == AccessKind::Write
}

/// Loops one in the other, and what is asked of them.
struct Nest<'a> {
    program: &'a Program,
    procedure: ProcedureId,
    body: &'a Procedure,
    footprint: &'a [(Region, AccessKind)],
}

impl<'a> Nest<'a> {
    /// The loops that can be cut, outermost first: one at least.
    fn cuttable(
        &self,
        outermost: StatementId,
        is_dead: &dyn Fn(SymbolId) -> bool,
    ) -> Result<Vec<StatementId>, Dependent> {
        let mut around = vec![self.level(outermost)?];
        self.check(&around, is_dead)?;
        while let Some(next) = around.last().and_then(|level| self.only_loop_in(level.counted)) {
            let Ok(level) = self.level(next) else { break };
            around.push(level);
            if self.check(&around, is_dead).is_err() {
                around.pop();
                break;
            }
        }
        let found: Vec<StatementId> = around.iter().map(|level| level.statement).collect();
        self.check_heads(&found)?;
        Ok(found)
    }

    /// The loop that is all that stands in another one.
    fn only_loop_in(&self, counted: &Loop) -> Option<StatementId> {
        let &[only] = &counted.body[..] else { return None };
        let statement = self.body.statement(only);
        (matches!(statement.kind, StatementKind::Loop(_)) && !statement.jump_target).then_some(only)
    }

    fn level(&self, statement: StatementId) -> Result<Level<'a>, NotProduced> {
        let (counted, _) = counted_loop(self.body, statement)?;
        let effects = effects_of_iteration(self.program, self.procedure, statement, &counted.body);
        Ok(Level { statement, counted, effects })
    }

    /// Can the last of these loops be cut, given that those around it can?
    fn check(&self, levels: &[Level], is_dead: &dyn Fn(SymbolId) -> bool) -> Result<(), Dependent> {
        let Some((level, around)) = levels.split_last() else { return Ok(()) };
        let Level { statement: loop_statement, counted, ref effects } = *level;
        let assumptions = Assumptions::new();
        self.bounds(level)?;
        self.check_bounds_stay(level, around)?;
        for (region, _) in self.footprint {
            self.question(level, region, &assumptions).check_constant_values()?;
        }
        let any_region = Region::whole(counted.variable);
        let question = self.question(level, &any_region, &assumptions);
        question.check_control()?;
        question.check_members(self.program, self.procedure, loop_statement)?;
        if !is_dead(counted.variable) || self.body.symbol(counted.variable).volatile {
            let name = self.name(counted.variable);
            return Err(Dependent::Outlives { span: self.body.statement(loop_statement).span, name });
        }
        let (program, body, last_stays_last) = (self.program, self.body, false);
        let assumptions = &assumptions;
        Iterations { program, body, loop_statement, counted, effects, assumptions, last_stays_last }.check(is_dead)
    }

    fn question<'q>(&'q self, level: &'q Level, message: &'q Region, assumptions: &'q Assumptions) -> Question<'q> {
        let span = self.body.statement(level.statement).span;
        Question { procedure: self.body, counted: level.counted, span, effects: &level.effects, message, assumptions }
    }

    fn bounds(&self, level: &Level) -> Result<Bounds, NotProduced> {
        self.question(level, &Region::whole(level.counted.variable), &Assumptions::new()).bounds()
    }

    /// Every box works out the bounds again: nothing that they name may change in the whole nest, not the variables of the
    /// loops around either.
    fn check_bounds_stay(&self, level: &Level, around: &[Level]) -> Result<(), NotProduced> {
        let whole = around.first().unwrap_or(level);
        let named = [&level.counted.lower, &level.counted.upper].into_iter().flat_map(|bound| bound.walk());
        for part in named {
            let Some(symbol) = part.designated() else { continue };
            let counts = |outer: &Level| may_share_memory(self.body, symbol, outer.counted.variable);
            let changes = self.body.symbol(symbol).volatile || whole.effects.writes_symbol(self.body, symbol).is_some();
            if changes || around.iter().any(counts) {
                return Err(NotProduced::BoundsChange { span: part.span, name: self.name(symbol) });
            }
        }
        Ok(())
    }

    /// The heads of the loops work out the bounds and count in all boxes alike, so no margin keeps them off anything.
    fn check_heads(&self, loops: &[StatementId]) -> Result<(), Dependent> {
        let Some(&outermost) = loops.first() else { return Ok(()) };
        let whole = effects_of(self.program, self.procedure, outermost);
        let of_heads = whole.accesses.iter().filter(|access| loops.contains(&access.statement));
        for access in of_heads {
            let meets = |(region, other): &&(Region, AccessKind)| {
                conflicts(access, *other)
                    && may_overlap(self.body, &access.region, region, &Assumptions::new()) != Answer::No
            };
            if self.footprint.iter().find(meets).is_some() {
                return Err(Dependent::CountsWith { span: access.span, name: self.name(access.region.symbol) });
            }
        }
        Ok(())
    }

    /// The iterations of these loops, with what one of the innermost loop touches.
    fn space(&self, loops: &[StatementId]) -> Result<Space<'a>, Dependent> {
        let mut sides = Vec::new();
        let mut touched = Effects::default();
        for &statement in loops {
            let level = self.level(statement)?;
            // Where numbers are known that are not in the program itself, more is seen.
            let region = Region::whole(level.counted.variable);
            self.question(&level, &region, &Assumptions::new()).check_members(
                self.program,
                self.procedure,
                statement,
            )?;
            sides.push((level.counted, self.bounds(&level)?));
            touched = level.effects;
        }
        Ok(Space { body: self.body, sides, accesses: touched.accesses })
    }

    fn name(&self, symbol: SymbolId) -> String {
        self.body.symbol(symbol).name.clone()
    }
}

struct Level<'a> {
    statement: StatementId,
    counted: &'a Loop,
    /// Of one iteration.
    effects: Effects,
}

/// The iteration space of the loops that can be cut.
struct Space<'a> {
    body: &'a Procedure,
    /// One per loop, outermost first.
    sides: Vec<(&'a Loop, Bounds)>,
    /// Of one iteration of the innermost loop.
    accesses: Vec<Access>,
}

/// An access and a region of the footprint that must not meet inside.
type Pair<'p> = (&'p Access, &'p Region);

impl Space<'_> {
    /// The smallest margins, one per loop, between which no iteration touches the footprint. Each pair that may meet is kept
    /// apart in the cheapest way: by one end of one loop if that is enough.
    fn margins(&self, footprint: &[(Region, AccessKind)]) -> Result<Vec<Depth>, Dependent> {
        let pairs = self.pairs(footprint);
        let mut margins = vec![Depth::NONE; self.sides.len()];
        for &pair in &pairs {
            if !self.keeps_off(pair, &margins) {
                margins = self.extended(pair, &margins).ok_or_else(|| self.touched_inside(pair))?;
            }
        }
        // With more facts less may be found: what holds in the end is what counts.
        match pairs.iter().find(|pair| !self.keeps_off(**pair, &margins)) {
            Some(&pair) => Err(self.touched_inside(pair)),
            None => Ok(self.shrunk(margins, &pairs)),
        }
    }

    /// Those that may meet if nothing is left out, each once.
    fn pairs<'p>(&'p self, footprint: &'p [(Region, AccessKind)]) -> Vec<Pair<'p>> {
        let nothing_left_out = vec![Depth::NONE; self.sides.len()];
        let mut found: Vec<Pair> = Vec::new();
        for access in &self.accesses {
            for (region, _) in footprint.iter().filter(|(_, other)| conflicts(access, *other)) {
                let is_known = |pair: &Pair| pair.0.region == access.region && pair.1 == region;
                if !found.iter().any(is_known) && !self.keeps_off((access, region), &nothing_left_out) {
                    found.push((access, region));
                }
            }
        }
        found
    }

    /// Is it proven that no iteration inside makes this access to the region?
    fn keeps_off(&self, (access, region): Pair, margins: &[Depth]) -> bool {
        let mut inside = Assumptions::new();
        for ((counted, bounds), &margin) in self.sides.iter().zip(margins) {
            assume_between_the_ends(&mut inside, counted, bounds, margin);
        }
        may_overlap(self.body, &access.region, region, &inside) == Answer::No
    }

    /// Of iterations that do not exist anything can be proven.
    fn leaves_some(&self, margins: &[Depth]) -> bool {
        self.sides.iter().zip(margins).all(|((_, bounds), margin)| {
            *margin == Depth::NONE || bounds.trips.as_constant().is_none_or(|trips| margin.iterations() < trips)
        })
    }

    /// Margins of which one is deeper, so that the pair is kept apart.
    fn extended(&self, pair: Pair, margins: &[Depth]) -> Option<Vec<Depth>> {
        const ONE_END: [&[End]; 2] = [&[End::First], &[End::Last]];
        const BOTH_ENDS: [&[End]; 1] = [&[End::First, End::Last]];
        let deeper = |ways: &[&'static [End]]| {
            let depths = (1..=Depth::MAX).flat_map(|depth| (0..margins.len()).map(move |level| (depth, level)));
            let ways = depths.flat_map(|(depth, level)| ways.iter().map(move |&ends| (depth, level, ends)));
            let mut candidates = ways.filter_map(|(depth, level, ends)| {
                let mut candidate = margins.to_vec();
                for end in ends {
                    let margin = end.of(&mut candidate[level]);
                    *margin = depth.max(*margin);
                }
                (candidate != margins && self.leaves_some(&candidate)).then_some(candidate)
            });
            candidates.find(|candidate| self.keeps_off(pair, candidate))
        };
        deeper(&ONE_END).or_else(|| deeper(&BOTH_ENDS))
    }

    /// What one pair needed another one may have made unnecessary. Inner loops are better left whole.
    fn shrunk(&self, mut margins: Vec<Depth>, pairs: &[Pair]) -> Vec<Depth> {
        for level in (0..margins.len()).rev() {
            for end in [End::Last, End::First] {
                let depth = *end.of(&mut margins[level]);
                let shorter = (0..depth).find_map(|depth| {
                    let mut candidate = margins.clone();
                    *end.of(&mut candidate[level]) = depth;
                    pairs.iter().all(|&pair| self.keeps_off(pair, &candidate)).then_some(candidate)
                });
                margins = shorter.unwrap_or(margins);
            }
        }
        margins
    }

    fn touched_inside(&self, (access, _): Pair) -> Dependent {
        Dependent::TouchedInside { span: access.span, name: self.body.symbol(access.region.symbol).name.clone() }
    }
}

#[derive(Debug, Clone, Copy)]
enum End {
    First,
    Last,
}

impl End {
    fn of(self, margin: &mut Depth) -> &mut u8 {
        match self {
            Self::First => &mut margin.first,
            Self::Last => &mut margin.last,
        }
    }
}

#[cfg(test)]
mod random_nests;
#[cfg(test)]
mod tests;
