//! How far the end of an exchange can go down behind a call of its procedure.
//!
//! It passes statements that touch none of the rest's memory, have no effect that others can see and let control neither leave nor come
//! in. Nothing that it passes may change what the call's arguments mean.

use std::collections::BTreeSet;

use crate::analysis::algebra::prover::Assumptions;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::memory::effects::{Access, AccessKind};
use crate::analysis::messages::handed_messages::is_in_place;
use crate::ir::{
    Callee, Expression, ExpressionKind, Place, Procedure, ProcedureId, Region, StatementId, StatementKind, Storage,
    Symbol, SymbolId,
};
use crate::mutations::Clause;
use crate::plan::{Reason, ReasonCode, SplitCall, SplitNest};

use super::super::rules::known_calls::{call_obstacle, called_by, may_call};
use super::super::rules::movement::Surroundings;
use super::nests::nest_around_end;
use super::rest::{Exchange, Touched, Unnamed};

/// Where the end goes for one call, and how the procedure runs around it that is called there.
///
/// # Errors
/// Why it stays behind the call.
pub fn split_call(facts: &Facts, exchange: &Exchange, call: SiteId) -> Result<(SplitCall, Option<SplitNest>), Reason> {
    if let Some(reason) = call_obstacle(facts, call, exchange.procedure) {
        return Err(reason);
    }
    let way = Way::behind(facts, exchange, call)?;
    let surroundings = Surroundings { facts, procedure: call.procedure };
    let (block, index) = surroundings.body().siblings(call.statement);
    let found = |end_after, is_in_nest| SplitCall {
        caller: call.procedure,
        call: call.statement,
        end_after,
        is_in_nest,
        ends_with_caller: false,
    };
    let (mut end_after, mut has_work) = (None, false);
    let mut obstacle = None;
    for &next in &block[index + 1..] {
        let Some(reason) = way.obstacle(next) else {
            has_work |= surroundings.is_work(next);
            end_after = Some(next);
            continue;
        };
        obstacle = Some(match way.obstacle_but_memory(next).or_else(|| way.hidden_obstacle(next)) {
            Some(_) => reason,
            None if !is_call(surroundings.body(), next) => reason,
            None => match nest_around_end(&way, SiteId { statement: next, ..call }) {
                Ok(nest) => return Ok((found(next, true), Some(nest))),
                Err(not_split) => not_split,
            },
        });
        break;
    }
    match end_after.filter(|_| has_work) {
        Some(end_after) => Ok((found(end_after, false), None)),
        None => Err(obstacle.unwrap_or_else(|| {
            let span = surroundings.body().statement(call.statement).span;
            let line = facts.program.line_named(span);
            Reason::at(ReasonCode::NoWorkInBetween, span, format!("there is no work behind the call at line {line}"))
        })),
    }
}

/// Is it a call of a given procedure?
fn is_call(body: &Procedure, statement: StatementId) -> bool {
    matches!(body.statement(statement).kind, StatementKind::Call { callee: Callee::Procedure(_), .. })
}

/// The way down from one call.
pub struct Way<'w> {
    /// The answers about the program.
    pub facts: &'w Facts<'w>,
    exchange: &'w Exchange,
    call: SiteId,
    /// What the rest touches, by the names of the caller.
    footprint: Vec<Touched>,
    /// What it touches that the caller need not have a name for: variables of modules.
    hidden: Vec<Unnamed>,
    /// Variables whose values decide what the call's arguments, and the footprint, mean.
    values: BTreeSet<SymbolId>,
}

impl<'w> Way<'w> {
    /// Behind the call `call` of the exchange.
    ///
    /// # Errors
    /// Why the call can't become two.
    pub fn behind(facts: &'w Facts<'w>, exchange: &'w Exchange, call: SiteId) -> Result<Self, Reason> {
        let (callee, caller) = (facts.procedure(exchange.procedure), facts.procedure(call.procedure));
        let span = caller.statement(call.statement).span;
        let line = facts.program.line_named(span);
        let refused = |why: String| Reason::at(ReasonCode::CallersInTheWay, span, why);
        let StatementKind::Call { arguments, .. } = &caller.statement(call.statement).kind else {
            return Err(refused(format!("what line {line} calls is a function")));
        };
        if !is_plain_call(&facts.program.text(span)) {
            return Err(refused(format!("the procedure is called by an object at line {line}")));
        }
        if arguments.iter().any(|argument| evaluates_with_effects(caller, argument))
            && !Clause::ExchangeArguments.is_off()
        {
            return Err(refused(format!("an argument at line {line} can't be evaluated twice")));
        }
        // What is under way must not lie in a copy that ends with the first part.
        for message in &exchange.messages.begun {
            let holder = callee.holder_of(message.buffer);
            let Some(position) = callee.dummies.iter().position(|&dummy| dummy == holder) else { continue };
            let is_in_place = arguments.get(position).is_some_and(|argument| {
                let actual = argument.designated();
                actual.is_some_and(|actual| is_in_place(caller.symbol(actual), argument, callee.symbol(holder)))
            });
            if !is_in_place && !Clause::ExchangeBuffers.is_off() {
                let name = &callee.symbol(holder).name;
                return Err(refused(format!("the call at line {line} may hand over a copy for `{name}`")));
            }
        }
        let (mut footprint, mut hidden) = (Vec::new(), Vec::new());
        for touched in &exchange.footprint {
            let symbol = callee.holder_of(touched.region.symbol);
            // What is only a value, evaluated for either part, lies in no memory that others know.
            let position = callee.dummies.iter().position(|&dummy| dummy == symbol);
            let is_value = |argument: &Expression| argument.designated().is_none();
            if touched.kind == AccessKind::Read
                && position.and_then(|position| arguments.get(position)).is_some_and(is_value)
            {
                continue;
            }
            let found = region_of_caller(facts, exchange, call, arguments, &touched.region);
            let known = found.as_ref().map(|region| caller.holder_of(region.symbol));
            match found {
                Some(region) => footprint.push(Touched { region, kind: touched.kind }),
                None => {
                    let symbol = callee.symbol(symbol);
                    let Some(place) = place_of_module(symbol) else {
                        let name = &symbol.name;
                        let why = format!("at line {line} `{name}` has no name that stands for the same memory");
                        return Err(refused(why));
                    };
                    let known_as = (exchange.procedure, callee.holder_of(touched.region.symbol));
                    hidden.push(Unnamed { place: place.clone(), known_as, kind: touched.kind });
                }
            }
            // A caller that gets the same variable as an argument may know it by that name, too.
            let names = facts.dummies_that_may_be(call.procedure, exchange.procedure, symbol);
            let others = names.into_iter().filter(|&name| Some(name) != known);
            footprint.extend(others.map(|name| Touched { region: Region::whole(name), kind: touched.kind }));
        }
        hidden.extend(exchange.unnamed.iter().cloned());
        for Unnamed { place, known_as: (owner, name), kind } in &exchange.unnamed {
            let own = caller.symbols.iter().position(|symbol| symbol.is_at(place)).map(SymbolId);
            let names = facts.dummies_that_may_be(call.procedure, *owner, *name);
            let all = own.into_iter().chain(names);
            footprint.extend(all.map(|symbol| Touched { region: Region::whole(symbol), kind: *kind }));
        }
        let mut values: BTreeSet<SymbolId> = arguments.iter().flat_map(values_of).collect();
        let effects = facts.effects(call.procedure, call.statement);
        let changed = |symbol: &SymbolId| effects.writes_symbol(caller, *symbol).is_some();
        if let Some(symbol) = values.iter().find(|symbol| changed(symbol)) {
            let name = &caller.symbol(*symbol).name;
            return Err(refused(format!("the call at line {line} may change `{name}`, which its arguments need")));
        }
        for touched in &mut footprint {
            // Which elements it is was told by values that the call changes.
            if touched.region.mentioned().any(|symbol| changed(&symbol)) {
                touched.region = Region::whole(touched.region.symbol);
            }
            values.extend(touched.region.mentioned());
        }
        Ok(Self { facts, exchange, call, footprint, hidden, values })
    }

    /// What the rest touches, by names of the caller, over the values that variables have at the call.
    pub fn footprint(&self) -> &[Touched] {
        &self.footprint
    }

    /// What it touches that the caller need not have a name for.
    pub fn unnamed(&self) -> &[Unnamed] {
        &self.hidden
    }

    /// Variables whose values decide what the call's arguments mean, and which elements the rest touches.
    pub fn values(&self) -> impl Iterator<Item = SymbolId> {
        self.values.iter().copied()
    }

    /// What of the rest's memory the statement is in the way of.
    pub fn touched_by(&self, statement: StatementId) -> impl Iterator<Item = &Touched> {
        let surroundings = Surroundings { facts: self.facts, procedure: self.call.procedure };
        self.footprint.iter().filter(move |touched| conflict(surroundings, statement, touched).is_some())
    }

    /// A procedure that the statement calls may use what the rest touches and the caller has no name for.
    pub fn hidden_obstacle(&self, next: StatementId) -> Option<Reason> {
        let Self { facts, call, .. } = *self;
        let body = facts.procedure(call.procedure);
        let called = body.with_descendants(next).into_iter().flat_map(|id| called_by(&body.statement(id).kind));
        let called: BTreeSet<ProcedureId> = called.collect();
        let is_in_the_way = |callee: ProcedureId, place: &Place, kind: AccessKind| match kind {
            AccessKind::Read => facts.writes_place(callee, place),
            AccessKind::Write => facts.uses_place(callee, place),
        };
        let mut hidden = self.hidden.iter();
        let used = hidden.find(|it| called.iter().any(|&callee| is_in_the_way(callee, &it.place, it.kind)));
        used.filter(|_| !Clause::ExchangeMemory.is_off()).map(|Unnamed { known_as: (owner, symbol), .. }| {
            let name = &facts.procedure(*owner).symbol(*symbol).name;
            let span = body.statement(next).span;
            let line = facts.program.line_named(span);
            Reason::at(ReasonCode::AccessInBetween, span, format!("what line {line} calls may use `{name}`"))
        })
    }

    /// Why the end can't pass the statement, but for memory.
    fn obstacle_but_memory(&self, next: StatementId) -> Option<Reason> {
        let Self { facts, call, .. } = *self;
        let surroundings = Surroundings { facts, procedure: call.procedure };
        let body = surroundings.body();
        let span = body.statement(next).span;
        let at = |span, why: String| Some(Reason::at(ReasonCode::AccessInBetween, span, why));
        if let Some(reason) = surroundings.jump_into(next).or_else(|| surroundings.change_of_names_in(next)) {
            return Some(reason);
        }
        if !surroundings.has_room_after(next) {
            let message = "there is no room behind it for the end of the exchange";
            return Some(Reason::at(ReasonCode::SharedLine, span, message));
        }
        if let Some(reason) = surroundings.visible_effect(next)
            && !Clause::ExchangeEffects.is_off()
        {
            return Some(reason);
        }
        let effects = surroundings.effects(next);
        if let Some(culprit) = effects.everything {
            let span = body.statement(culprit).span;
            let line = surroundings.line_of(span);
            return at(span, format!("the statement at line {line} may read and write anything"));
        }
        if let Some(leave) = &effects.leaves
            && !Clause::ControlStays.is_off()
        {
            let span = body.statement(leave.statement).span;
            let message = format!("control may leave at line {}: {}", surroundings.line_of(span), leave.why);
            return Some(Reason::at(ReasonCode::ControlInBetween, span, message));
        }
        if may_call(facts, SiteId { statement: next, ..call }, self.exchange.procedure) {
            let line = surroundings.line(next);
            return at(span, format!("line {line} may call the procedure again"));
        }
        for &symbol in &self.values {
            if let Some(access) = effects.writes_symbol(body, symbol)
                && !Clause::ExchangeArguments.is_off()
            {
                let name = &body.symbol(symbol).name;
                let line = surroundings.line_of(access.span);
                return at(access.span, format!("`{name}`, which the call needs, may change at line {line}"));
            }
        }
        None
    }

    /// Why the end can't pass the statement.
    fn obstacle(&self, next: StatementId) -> Option<Reason> {
        if let Some(reason) = self.obstacle_but_memory(next).or_else(|| self.hidden_obstacle(next)) {
            return Some(reason);
        }
        let surroundings = Surroundings { facts: self.facts, procedure: self.call.procedure };
        let body = surroundings.body();
        for touched in &self.footprint {
            if let Some(access) = conflict(surroundings, next, touched)
                && !Clause::ExchangeMemory.is_off()
            {
                let name = &body.symbol(touched.region.symbol).name;
                let line = surroundings.line_of(access.span);
                let message = format!("line {line} needs `{name}` as the exchange leaves it, or changes it before");
                return Some(surroundings.access_reason(access, touched.region.symbol, message));
            }
        }
        None
    }
}

/// The first access of the statement that is in the way of what the rest does.
fn conflict<'s>(surroundings: Surroundings<'s>, statement: StatementId, touched: &Touched) -> Option<&'s Access> {
    let conflicts: &[AccessKind] = match touched.kind {
        AccessKind::Read => &[AccessKind::Write],
        AccessKind::Write => &[AccessKind::Read, AccessKind::Write],
    };
    let effects = surroundings.effects(statement);
    effects.first_access(surroundings.body(), &touched.region, conflicts, &Assumptions::new())
}

/// Does somebody notice that the expression is evaluated, or may it be another value each time?
pub fn evaluates_with_effects(body: &Procedure, expression: &Expression) -> bool {
    expression.any(&|part: &Expression| match &part.kind {
        ExpressionKind::Call { callee, .. } => !matches!(callee, Callee::PureIntrinsic(_)),
        ExpressionKind::Opaque(_) => true,
        // Others may change what the pointer leads to, or where.
        ExpressionKind::Part { through_pointer: true, .. } => true,
        _ => part.designated().is_some_and(|symbol| body.symbol(symbol).volatile),
    })
}

/// The caller's memory that a region of the procedure is; `None` if the caller has no name for it.
fn region_of_caller(
    facts: &Facts,
    exchange: &Exchange,
    call: SiteId,
    arguments: &[Expression],
    region: &Region,
) -> Option<Region> {
    let (callee, caller) = (facts.procedure(exchange.procedure), facts.procedure(call.procedure));
    let holder = callee.holder_of(region.symbol);
    if holder == region.symbol
        && let Some(found) = facts.handed_region(call.procedure, (exchange.procedure, arguments), region)
    {
        return Some(found);
    }
    // All of what is handed over, or of what both see.
    if let Some(position) = callee.dummies.iter().position(|&dummy| dummy == holder) {
        return arguments.get(position)?.designated().map(Region::whole);
    }
    let place = callee.symbol(holder).known_place()?;
    let is_same = |symbol: &Symbol| symbol.known_place() == Some(place) && symbol.storage != Storage::Pointer;
    caller.symbols.iter().position(is_same).map(|index| Region::whole(SymbolId(index)))
}

/// The place of a variable of a module to which nothing but its name leads.
pub fn place_of_module(symbol: &Symbol) -> Option<&Place> {
    let is_plain = symbol.storage != Storage::Pointer && !symbol.target && symbol.overlay.is_none();
    symbol.known_place().filter(|place| is_plain && place.is_one_variable() && place.block().is_none())
}

/// The variables whose values decide what the argument is; one that is handed over itself is not among them.
fn values_of(argument: &Expression) -> Vec<SymbolId> {
    let inner: Vec<&Expression> = match argument.designated() {
        Some(_) => argument.children(),
        None => vec![argument],
    };
    inner.into_iter().flat_map(Expression::walk).filter_map(Expression::designated).collect()
}

/// Is it `call NAME(...)`?
pub fn is_plain_call(text: &str) -> bool {
    let name = text.split('(').next().unwrap_or(text);
    !name.contains(['%', '&', ';', '!'])
}
