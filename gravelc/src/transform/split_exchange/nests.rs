//! The procedure that is the first to need what an exchange brings: its inside comes before the end of the exchange, and its border
//! behind it.
//!
//! It is a nest of counted loops and nothing else but values for it. Which of its iterations keep off the rest of the exchange is told by
//! [`crate::analysis::loops::inside_box`]. Where the runtime finds it faster it is called twice then, so its arguments, its
//! declarations and the values in front of its loops are evaluated twice: the end of the exchange changes none of them.

use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::loops::inside_box::{CutLoop, inside_box};
use crate::analysis::memory::effects::AccessKind;
use crate::analysis::memory::sharing::may_share_memory;
use crate::analysis::messages::memory_in_callee::{
    MemoryInCallee, iterations_in_call, memory_in_callee, with_numbers_of_call,
};
use crate::ir::{
    Callee, Expression, ExpressionKind, Loop, ProcedureId, Region, Span, StatementId, StatementKind, Storage, SymbolId,
    Untouchable,
};
use crate::mutations::Clause;
use crate::plan::{NestLoop, Reason, ReasonCode, SplitNest, VECTOR_MULTIPLE};

use super::super::rules::dependent_iterations::reason_of;
use super::super::rules::known_calls::{call_obstacle, needed_name, unnameable};
use super::super::rules::loop_variables::{check_default_integers, is_read_outside_its_loops};
use super::super::rules::movement::Surroundings;
use super::super::rules::part_lengths::PartLengths;
use super::super::rules::rounding::check_rounding;
use super::callers::{Way, evaluates_with_effects, is_plain_call};
use super::rest::interface_obstacle;

/// How the procedure that the statement `call` calls runs around the end of the exchange.
///
/// # Errors
/// Why it can't.
pub fn nest_around_end(way: &Way, call: SiteId) -> Result<SplitNest, Reason> {
    let facts = way.facts;
    let caller = facts.procedure(call.procedure);
    let statement = caller.statement(call.statement);
    let StatementKind::Call { callee: Callee::Procedure(procedure), arguments } = &statement.kind else {
        return Err(Reason::at(ReasonCode::NoConsumingLoop, statement.span, "it is no call of a given procedure"));
    };
    let search = Search { facts, call, procedure: *procedure, arguments, span: statement.span };
    search.check_call()?;
    let nest = search.nest()?;
    let footprint = search.footprint(way)?;
    search.check_values(nest, &footprint)?;
    search.split(nest, &footprint)
}

/// A call of a procedure that is a nest of loops.
struct Search<'s> {
    facts: &'s Facts<'s>,
    call: SiteId,
    procedure: ProcedureId,
    arguments: &'s [Expression],
    span: Span,
}

impl<'s> Search<'s> {
    fn refused(&self, why: &str) -> Reason {
        let name = &self.facts.procedure(self.procedure).name;
        Reason::at(ReasonCode::CalleeInTheWay, self.span, format!("`{name}` {why}"))
    }

    fn surroundings(&self) -> Surroundings<'s> {
        Surroundings { facts: self.facts, procedure: self.procedure }
    }

    /// The call can become two, of a procedure that is written anew.
    fn check_call(&self) -> Result<(), Reason> {
        let Self { facts, call, procedure, .. } = *self;
        let (body, caller) = (facts.procedure(procedure), facts.procedure(call.procedure));
        if let Some(Untouchable { text: why, .. }) = &body.untouchable {
            return Err(self.refused(&format!("has to stay as it is: {why}")));
        }
        if let Err(indivisible) = &body.text_parts {
            return Err(self.refused(&indivisible.why));
        }
        if let Some(why) = unnameable(facts, procedure) {
            return Err(self.refused(&format!("can't be named anew: {why}")));
        }
        if let Some(reason) = needed_name(body, self.span) {
            return Err(reason);
        }
        if let Some(why) = interface_obstacle(facts, procedure) {
            return Err(self.refused(&why));
        }
        if let Some(reason) = call_obstacle(facts, call, procedure) {
            return Err(reason);
        }
        if !is_plain_call(&facts.program.text(self.span)) {
            return Err(self.refused("is called by an object"));
        }
        if self.arguments.iter().any(|argument| evaluates_with_effects(caller, argument)) {
            return Err(self.refused("gets an argument that can't be evaluated twice"));
        }
        let surroundings = Surroundings { facts, procedure: call.procedure };
        if !surroundings.has_room_before(call.statement) || !surroundings.has_room_after(call.statement) {
            return Err(self.refused("is called where there is no room for more"));
        }
        let loses_memory = |&dummy: &SymbolId| {
            let dummy = body.symbol(dummy);
            dummy.undefined_at_entry && (dummy.is_allocatable() || dummy.structure.is_some())
        };
        if body.dummies.iter().any(loses_memory) {
            return Err(self.refused("makes an argument anew"));
        }
        Ok(())
    }

    /// The outermost loop, behind nothing but values for it.
    fn nest(&self) -> Result<StatementId, Reason> {
        let Self { facts, procedure, .. } = *self;
        let body = facts.procedure(procedure);
        let is_nothing = |id: &&StatementId| !matches!(body.statement(**id).kind, StatementKind::Nothing);
        let statements: Vec<StatementId> = body.body.iter().filter(is_nothing).copied().collect();
        let Some((&nest, before)) = statements.split_last() else {
            return Err(self.refused("does nothing"));
        };
        if !matches!(body.statement(nest).kind, StatementKind::Loop(_)) {
            return Err(self.refused("is more than a nest of loops"));
        }
        for &statement in before {
            let StatementKind::Assign { target, value, .. } = &body.statement(statement).kind else {
                return Err(self.refused("is more than a nest of loops"));
            };
            let is_own = target.designated().is_some_and(|symbol| {
                let variable = body.symbol(symbol);
                matches!(target.kind, ExpressionKind::Symbol(_))
                    && variable.storage == Storage::Local
                    && variable.rank() == 0
                    && !body.dummies.contains(&symbol)
                    && !variable.target
            });
            if !is_own || evaluates_with_effects(body, value) {
                return Err(self.refused("is more than a nest of loops"));
            }
        }
        Ok(nest)
    }

    /// What the rest of the exchange touches, by the names of the procedure.
    fn footprint(&self, way: &Way) -> Result<Vec<(Region, AccessKind)>, Reason> {
        let Self { facts, call, .. } = *self;
        let mut found = Vec::new();
        for touched in way.touched_by(call.statement) {
            let MemoryInCallee { region, others } = memory_in_callee(facts, call, &touched.region, &[])
                .map_err(|why| self.refused(&format!("is in the way: {why}")))?;
            found.extend(others.into_iter().map(|other| (Region::whole(other), touched.kind)));
            found.push((region, touched.kind));
        }
        Ok(found)
    }

    /// What is evaluated once more for the border is not changed by the end of the exchange, nor by the inside.
    fn check_values(&self, nest: StatementId, footprint: &[(Region, AccessKind)]) -> Result<(), Reason> {
        let Self { facts, procedure, .. } = *self;
        let body = facts.procedure(procedure);
        let mut evaluated: Vec<&Expression> = body.evaluated_at_entry.iter().collect();
        for &statement in body.body.iter().filter(|&&id| id != nest) {
            evaluated.extend(body.statement(statement).kind.expressions());
        }
        let mut loops = vec![nest];
        while let Some(StatementKind::Loop(counted)) = loops.pop().map(|id| &body.statement(id).kind) {
            evaluated.extend([&counted.lower, &counted.upper]);
            loops.extend(counted.body.iter().filter(|_| counted.body.len() == 1));
        }
        for part in evaluated.into_iter().flat_map(Expression::walk) {
            if matches!(part.kind, ExpressionKind::Opaque(_))
                || matches!(&part.kind, ExpressionKind::Call { callee, .. } if !matches!(callee, Callee::PureIntrinsic(_)))
            {
                return Err(self.refused("evaluates what can't be evaluated twice"));
            }
            let Some(symbol) = part.designated() else { continue };
            let changes = |(region, kind): &(Region, AccessKind)| {
                *kind == AccessKind::Write && may_share_memory(body, symbol, region.symbol)
            };
            let is_changed_inside = || {
                let is_own_value = |id: &StatementId| {
                    *id != nest && facts.effects(procedure, *id).writes_symbol(body, symbol).is_some()
                };
                !body.body.iter().any(is_own_value)
                    && facts.effects(procedure, nest).writes_symbol(body, symbol).is_some()
                    && is_read_outside_its_loops(self.surroundings(), symbol)
            };
            if (footprint.iter().any(changes) || is_changed_inside()) && !Clause::NestValues.is_off() {
                let name = &body.symbol(symbol).name;
                return Err(self.refused(&format!("needs `{name}` before its loops, which changes meanwhile")));
            }
        }
        Ok(())
    }

    /// The boxes.
    fn split(&self, nest: StatementId, footprint: &[(Region, AccessKind)]) -> Result<SplitNest, Reason> {
        let Self { facts, call, procedure, .. } = *self;
        let surroundings = self.surroundings();
        let body = surroundings.body();
        let with_numbers = with_numbers_of_call(facts, call);
        let in_one_run = with_numbers.as_ref().unwrap_or(facts.program);
        let is_dead = |symbol| !is_read_outside_its_loops(surroundings, symbol);
        let found = inside_box((facts.program, in_one_run), procedure, nest, footprint, &is_dead)
            .map_err(|dependent| reason_of(surroundings, nest, &dependent))?;
        if found.loops.is_empty() {
            return Err(self.refused("needs nothing of the exchange"));
        }
        let mut loops = Vec::new();
        for CutLoop { statement, margin } in found.loops {
            let StatementKind::Loop(counted) = &body.statement(statement).kind else {
                return Err(self.refused("is more than a nest of loops"));
            };
            loops.push(self.check_loop(statement, counted, margin)?);
        }
        Ok(SplitNest { procedure, loops })
    }

    fn check_loop(&self, statement: StatementId, counted: &Loop, margin: crate::ir::Depth) -> Result<NestLoop, Reason> {
        let Self { facts, call, procedure, .. } = *self;
        let surroundings = self.surroundings();
        let body = surroundings.body();
        let span = body.statement(statement).span;
        if let Some(reason) = surroundings.hint_above(statement) {
            return Err(reason);
        }
        if counted.step.is_some() || counted.concurrent {
            return Err(Reason::at(ReasonCode::HaloReadInside, span, "the loop does not count up by one"));
        }
        check_default_integers(surroundings, counted)?;
        check_rounding(surroundings, counted)?;
        let lengths = PartLengths::of(facts, procedure, counted);
        let needed = match lengths.are_any() {
            true => margin.iterations() + 1,
            false => 2 * VECTOR_MULTIPLE + i64::from(margin.last),
        };
        match iterations_in_call(facts, call, counted) {
            Some(iterations) if iterations < needed => {
                let way_out = lengths.way_out();
                let message =
                    format!("the loop has {iterations} iterations, and {needed} are needed for an inside{way_out}");
                Err(Reason::at(ReasonCode::TooFewIterations, span, message))
            }
            _ => Ok(NestLoop { statement, margin, any_part_length: lengths.are_any() }),
        }
    }
}
