//! The memory of a message that is under way, as a procedure names it that is called meanwhile.
//!
//! Where a call hands over the variable in which the message lies, without a copy, or the called procedure sees that variable
//! itself, the procedure can wait for the message. Which elements of its own array the message is, is told by sequence
//! association (Fortran 2018, 15.5.2.11), as for what called procedures do ([`super::super::memory::effects`]), the other way round: over the
//! values that the called procedure's variables have when it begins.

use std::collections::BTreeMap;

use crate::ir::{
    Bounds, Callee, Dimension, Expression, ExpressionKind, Extent, Interval, Lmad, Loop, Place, Polynomial, Procedure,
    ProcedureId, Program, Region, StatementKind, Storage, Symbol, SymbolClass, SymbolId,
};
use crate::mutations::Clause;

use super::super::algebra::symbolic::polynomial_of;
use super::super::facts::{Facts, SiteId};
use super::super::memory::arrays::Layouts;
use super::super::memory::effects::Footprint;
use super::super::memory::sharing::may_share_memory;
use super::handed_messages::is_in_place;

/// A message in a procedure that is called while it is under way.
#[derive(Debug, Clone)]
pub struct MemoryInCallee {
    /// Which memory, over the values that variables have when the procedure begins.
    pub region: Region,
    /// Further names of the procedure for memory that may be the message's.
    pub others: Vec<SymbolId>,
}

/// What the procedure that the statement `call` calls knows of the memory `region` of the caller; `aliases` are dummy arguments of
/// the caller that may be the same.
///
/// # Errors
/// Why it can't wait for what comes there, as a sentence without its end.
pub fn memory_in_callee(
    facts: &Facts,
    call: SiteId,
    region: &Region,
    aliases: &[SymbolId],
) -> Result<MemoryInCallee, String> {
    let caller = facts.procedure(call.procedure);
    let (callee, arguments) = called_by(facts, call).ok_or("what it calls is not known")?;
    let handing = Handing { facts, call, callee, arguments };
    handing.check_variable(region.symbol)?;
    let shares =
        |symbol| may_share_memory(caller, symbol, region.symbol) || aliases.contains(&caller.holder_of(symbol));
    let mut names = handing.arguments_that_are(region.symbol, &shares)?;
    names.extend(handing.shared_name(region.symbol)?);
    let Some((&first, others)) = names.split_first() else {
        let (name, variable) = (&handing.body().name, &caller.symbol(region.symbol).name);
        return Err(format!("`{name}` has no name for `{variable}`"));
    };
    let others = if Clause::MessageInCallee.is_off() { &[] } else { others };
    let region = handing.translated(region, first).unwrap_or_else(|| Region::whole(first));
    Ok(MemoryInCallee { region, others: others.to_vec() })
}

/// The program in which integer arguments of the procedure that the statement `call` calls are the numbers that this call gives them;
/// `None` if there are none. What its loops touch can then be compared with memory that its caller names by numbers.
pub fn with_numbers_of_call(facts: &Facts, call: SiteId) -> Option<Program> {
    let caller = facts.procedure(call.procedure);
    let (callee, arguments) = called_by(facts, call)?;
    let body = facts.procedure(callee);
    let writes = Footprint::of_procedure(body);
    let number = |(&dummy, argument): (&SymbolId, &Expression)| {
        let own = body.symbol(dummy);
        let is_value = own.is_integer_scalar() && own.storage == Storage::Dummy && !own.volatile && !own.target;
        let value = polynomial_of(caller, argument)?.as_constant()?;
        (is_value && !writes.may_write(body, dummy)).then_some((dummy, value))
    };
    let numbers: BTreeMap<SymbolId, i64> = body.dummies.iter().zip(arguments).filter_map(number).collect();
    if numbers.is_empty() {
        return None;
    }
    let mut program = facts.program.clone();
    let body = program.procedure_mut(callee);
    for (dummy, value) in &numbers {
        body.symbols[dummy.0].class = SymbolClass::Constant(Some(*value));
    }
    let value_of = |symbol: SymbolId| {
        Some(numbers.get(&symbol).map_or_else(|| Polynomial::variable(symbol), |&value| Polynomial::constant(value)))
    };
    for bounds in body.symbols.iter_mut().flat_map(|symbol| &mut symbol.found_bounds) {
        for bound in [&mut bounds.lower, &mut bounds.upper] {
            *bound = bound.as_ref().and_then(|bound| bound.checked_replace(&value_of));
        }
    }
    Some(program)
}

/// How many iterations the loop `counted` of the procedure that the statement `call` calls has in that call, where it is a number.
pub fn iterations_in_call(facts: &Facts, call: SiteId, counted: &Loop) -> Option<i64> {
    let caller = facts.procedure(call.procedure);
    let (callee, arguments) = called_by(facts, call)?;
    let body = facts.procedure(callee);
    let writes = Footprint::of_procedure(body);
    let in_caller = |bound: &Expression| {
        polynomial_of(body, bound)?.checked_replace(&|symbol| {
            let position = body.dummies.iter().position(|&dummy| dummy == symbol)?;
            let value = polynomial_of(caller, arguments.get(position)?)?;
            (!writes.may_write(body, symbol)).then_some(value)
        })
    };
    let step = counted.step.as_ref().map_or(Some(1), |step| in_caller(step)?.as_constant())?;
    let distance = in_caller(&counted.upper)?.checked_subtract(&in_caller(&counted.lower)?)?.as_constant()?;
    Some(distance.checked_add(step)?.checked_div(step)?.max(0))
}

/// The procedure that a statement calls, and what it hands over.
fn called_by<'f>(facts: &Facts<'f>, call: SiteId) -> Option<(ProcedureId, &'f [Expression])> {
    match &facts.procedure(call.procedure).statement(call.statement).kind {
        StatementKind::Call { callee: Callee::Procedure(callee), arguments } => Some((*callee, arguments)),
        _ => None,
    }
}

/// A call that hands variables over.
struct Handing<'h> {
    facts: &'h Facts<'h>,
    call: SiteId,
    callee: ProcedureId,
    arguments: &'h [Expression],
}

impl<'h> Handing<'h> {
    fn caller(&self) -> &'h Procedure {
        self.facts.procedure(self.call.procedure)
    }

    fn body(&self) -> &'h Procedure {
        self.facts.procedure(self.callee)
    }

    /// No pointer leads to the variable, and it shares memory with nothing else.
    fn check_variable(&self, symbol: SymbolId) -> Result<(), String> {
        let caller = self.caller();
        let (own, holder) = (caller.symbol(symbol), caller.symbol(caller.holder_of(symbol)));
        let is_one = |symbol: &Symbol| match &symbol.storage {
            storage @ Storage::Global(_) => symbol.shared_variable().or(storage.host_variable()).is_some(),
            Storage::Pointer => false,
            _ => symbol.class == SymbolClass::Variable,
        };
        let is_pointed_to = holder.target && holder.place_inside.is_none();
        // Of an object its parts are told apart, not all of it.
        let is_object = own.structure.is_some() && own.rank() == 0;
        if is_one(own) && is_one(holder) && holder.overlay.is_none() && !is_pointed_to && !own.volatile && !is_object {
            return Ok(());
        }
        Err(format!("`{}` may have further names", own.name))
    }

    /// The names of the called procedure for arguments that are `symbol`, or share memory with it, which the call hands over where
    /// they lie.
    fn arguments_that_are(&self, symbol: SymbolId, shares: &dyn Fn(SymbolId) -> bool) -> Result<Vec<SymbolId>, String> {
        let (caller, callee) = (self.caller(), self.body());
        let mut names = Vec::new();
        for (position, argument) in self.arguments.iter().enumerate() {
            let text = || self.facts.program.text(argument.span);
            let is_evaluated = |part: &Expression| match &part.kind {
                ExpressionKind::Opaque(_) => true,
                ExpressionKind::Call { callee, .. } => !matches!(callee, Callee::PureIntrinsic(_)),
                _ => false,
            };
            if argument.walk().into_iter().any(is_evaluated) {
                return Err(format!("the argument `{}` calls a function, or could not be understood", text()));
            }
            let is_it = |part: &Expression| part.designated().is_some_and(shares);
            let is_computed = argument.children().into_iter().flat_map(|child| child.walk()).any(is_it);
            if is_computed && !Clause::MessageInCallee.is_off() {
                return Err(format!("the argument `{}` is computed from the message", text()));
            }
            let Some(actual) = argument.designated().filter(|&actual| shares(actual)) else { continue };
            let dummy = callee.dummies.get(position).copied();
            let name = dummy.and_then(|dummy| {
                let (own, other) = (caller.symbol(actual), callee.symbol(dummy));
                if other.undefined_at_entry || other.volatile {
                    None
                } else if actual != symbol && caller.holder_of(symbol) == actual {
                    let is_plain = |it: &Symbol| {
                        it.class == SymbolClass::Variable && it.rank() == 0 && it.storage != Storage::Pointer
                    };
                    (is_plain(own) && is_plain(other)).then(|| self.component(symbol, dummy)).flatten()
                } else {
                    is_in_place(own, argument, other).then_some(dummy)
                }
            });
            let name = name.ok_or_else(|| format!("the argument `{}` may be a copy of the message", text()))?;
            // The name by which all of it is handed over tells most.
            match matches!(argument.kind, ExpressionKind::Symbol(_)) {
                true => names.insert(0, name),
                false => names.push(name),
            }
        }
        Ok(names)
    }

    /// The called procedure's own name for a variable that both see.
    ///
    /// # Errors
    /// If it has none, although what it calls uses the variable.
    fn shared_name(&self, symbol: SymbolId) -> Result<Option<SymbolId>, String> {
        let caller = self.caller();
        let holder = caller.holder_of(symbol);
        let own = caller.symbol(holder);
        let callee = self.body();
        for place in places_of(own) {
            let named = callee.symbols.iter().position(|symbol| symbol.is_at(place)).map(SymbolId);
            let name = match named {
                Some(named) if holder == symbol => Some(named),
                Some(named) => self.component(symbol, named),
                None => None,
            };
            match name {
                Some(name) if !callee.symbol(named.unwrap_or(name)).lent => return Ok(Some(name)),
                None if Clause::MessageInCallee.is_off() => {}
                None if named.is_none() && !self.facts.summaries().uses_place(self.callee, place) => {}
                _ => return Err(format!("`{}` uses `{}` by what it calls", callee.name, caller.symbol(symbol).name)),
            }
        }
        Ok(None)
    }

    /// The component of the called procedure's object that is `symbol` of the caller's.
    fn component(&self, symbol: SymbolId, object: SymbolId) -> Option<SymbolId> {
        let own = self.caller().symbol(symbol);
        let Storage::Component { name: wanted, path, .. } = &own.storage else { return None };
        let is_it = |other: &Symbol| {
            other.holder() == Some(object)
                && matches!(&other.storage, Storage::Component { name, .. } if name == wanted)
                && other.path().is_some_and(|other| other.members == path.members)
        };
        self.body().symbols.iter().position(is_it).map(SymbolId)
    }

    /// The region in the called procedure's names, as that of its variable `name`; `None` if that can't be told.
    fn translated(&self, region: &Region, name: SymbolId) -> Option<Region> {
        let (caller, callee) = (self.caller(), self.body());
        let (own, other) = (caller.symbol(region.symbol), callee.symbol(name));
        let is_whole = |argument: &Expression| argument.kind == ExpressionKind::Symbol(region.symbol);
        let position = callee.dummies.iter().position(|&dummy| dummy == name);
        let is_handed_whole = position.is_none_or(|position| self.arguments.get(position).is_some_and(is_whole));
        // An array by a scalar's name is its first element, or each of them.
        let is_scalar = other.rank() == 0 && own.rank() > 0;
        if !is_handed_whole || is_scalar || own.element.bytes.is_none() || own.element.bytes != other.element.bytes {
            return None;
        }
        let (of_caller, of_callee) = (Layouts::new(caller), Layouts::new(callee));
        let is_linear = of_caller.begins_at_zero(region.symbol)
            && of_callee.begins_at_zero(name)
            && !own.may_be_strided
            && !other.may_be_strided;
        let lmad = region.lmad().filter(|_| is_linear).and_then(|lmad| self.translated_lmad(lmad));
        let (own, others) = (of_caller.layout(region.symbol), of_callee.layout(name));
        let bounds = (own.bounds.as_slice(), others.bounds.as_slice());
        let subscripts = self.translated_subscripts(&region.subscripts, bounds, other.assumes_shape());
        if lmad.is_none() && subscripts.is_empty() {
            return None;
        }
        Some(Region { symbol: name, extent: lmad.map_or(Extent::Whole, Extent::Elements), subscripts })
    }

    /// Ranges of subscripts, counted from the called procedure's lower bounds; none unless both arrays have one shape.
    fn translated_subscripts(
        &self,
        subscripts: &[Option<Interval>],
        (own, other): (&[Bounds], &[Bounds]),
        has_same_shape: bool,
    ) -> Vec<Option<Interval>> {
        if own.is_empty() || own.len() != other.len() || subscripts.len() != own.len() {
            return Vec::new();
        }
        let extent = |bounds: &Bounds| bounds.upper.as_ref()?.checked_subtract(bounds.lower.as_ref()?);
        // All but the last dimension decide where an element lies.
        let mut before_last = own.iter().zip(other).take(own.len() - 1);
        let is_alike = |(own, other): (&Bounds, &Bounds)| {
            let translated = extent(own).and_then(|extent| self.in_callee(&extent));
            translated.is_some() && translated == extent(other)
        };
        if !has_same_shape && !before_last.all(is_alike) {
            return Vec::new();
        }
        let shifted = |index: usize, interval: &Interval| {
            let from = self.in_callee(own[index].lower.as_ref()?)?;
            let shift = other[index].lower.as_ref()?.checked_subtract(&from)?;
            let lower = self.in_callee(&interval.lower)?.checked_add(&shift)?;
            Some(Interval { lower, upper: self.in_callee(&interval.upper)?.checked_add(&shift)? })
        };
        subscripts.iter().enumerate().map(|(index, interval)| shifted(index, interval.as_ref()?)).collect()
    }

    fn translated_lmad(&self, lmad: &Lmad) -> Option<Lmad> {
        let dimension =
            |it: &Dimension| Some(Dimension { stride: self.in_callee(&it.stride)?, count: self.in_callee(&it.count)? });
        let dimensions = lmad.dimensions.iter().map(dimension).collect::<Option<Vec<_>>>()?;
        Some(Lmad { offset: self.in_callee(&lmad.offset)?, dimensions })
    }

    /// What the caller computes at the call, of values that the called procedure begins with.
    fn in_callee(&self, polynomial: &Polynomial) -> Option<Polynomial> {
        polynomial.checked_replace(&|symbol| self.value_in_callee(symbol))
    }

    /// The value of the caller's variable at the call, of values that the called procedure begins with.
    fn value_in_callee(&self, symbol: SymbolId) -> Option<Polynomial> {
        let (caller, callee) = (self.caller(), self.body());
        let own = caller.symbols.get(symbol.0).filter(|own| own.is_integer_scalar() && !own.volatile)?;
        let is_value = |other: SymbolId| {
            let other = callee.symbol(other);
            other.is_integer_scalar() && !other.volatile && !other.undefined_at_entry && !other.lent
        };
        for (&dummy, argument) in callee.dummies.iter().zip(self.arguments) {
            if !is_value(dummy) {
                continue;
            }
            // The argument is the variable, or differs from it by a number.
            let difference = polynomial_of(caller, argument)
                .and_then(|value| value.checked_subtract(&Polynomial::variable(symbol))?.as_constant());
            if let Some(difference) = difference {
                return Polynomial::variable(dummy).checked_subtract(&Polynomial::constant(difference));
            }
        }
        if let Storage::Component { holder, .. } = own.storage {
            let is_it = |argument: &Expression| argument.kind == ExpressionKind::Symbol(holder);
            let object = callee.dummies.iter().zip(self.arguments).find(|(_, argument)| is_it(argument));
            let component = object.and_then(|(&dummy, _)| self.component(symbol, dummy)).filter(|&it| is_value(it))?;
            return Some(Polynomial::variable(component));
        }
        let mut named = places_of(own).filter_map(|place| callee.symbols.iter().position(|other| other.is_at(place)));
        named.next().map(SymbolId).filter(|&it| is_value(it)).map(Polynomial::variable)
    }
}

/// The places of a variable that other procedures see, or those inside of its own.
fn places_of(symbol: &Symbol) -> impl Iterator<Item = &Place> {
    let shared = symbol.shared_variable().or(symbol.storage.host_variable());
    shared.into_iter().chain(&symbol.place_inside)
}
