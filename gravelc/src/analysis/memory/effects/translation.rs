//! What a called procedure touches, in terms of its caller: the elements of actual arguments and of variables of modules.
//!
//! A dummy array whose bounds are declared is the sequence of elements of the actual argument, from its first one on
//! (sequence association; Fortran 2018, 15.5.2.11), whatever the shapes. So its regions, which count elements from the
//! dummy's first, hold for the actual argument from the element at which it begins. The bounds of loops and subscripts
//! in them are over the values that the dummy arguments had when the procedure began: the values of the actual ones.
//!
//! A scalar dummy argument that is given a whole array is its first element, or each of them one after the other, where the
//! procedure is elemental (15.8.1).
//!
//! Where a copy may be passed in place of the argument (sections; what may be strided), all of it is read and written back.

use crate::analysis::algebra::symbolic::evaluate;
use crate::analysis::memory::arrays::Layouts;
use crate::ir::{
    Certainty, Dimension, Expression, ExpressionKind, Extent, Interval, Lmad, Place, Polynomial, Procedure,
    ProcedureId, Region, Storage, SymbolClass, SymbolId,
};

use super::AccessKind;
use super::event::GivenCall;
use super::summary::{HandedAccess, Owner, Summaries};

/// The caller's variable that an access of the called procedure touches.
pub(super) fn handed_symbol(
    caller: &Procedure,
    summaries: &Summaries,
    call: GivenCall,
    access: usize,
) -> Option<SymbolId> {
    let summary = summaries.of(call.callee);
    match &summary.accesses.as_ref()?.get(access)?.owner {
        Owner::Dummy(position) => call.arguments.get(*position)?.designated(),
        Owner::Place(place) => find_place(caller, place),
    }
}

fn find_place(caller: &Procedure, place: &Place) -> Option<SymbolId> {
    caller.symbols.iter().position(|symbol| symbol.is_at(place)).map(SymbolId)
}

/// Where the access ends is not known.
fn is_open(access: &HandedAccess) -> bool {
    matches!(access.region.extent, Extent::From(_))
}

/// The caller's memory that `region` of a called procedure is, which knows it by the argument at a position, or as the variable
/// at a place; over the values that variables have at the call. `region` is over those that they have when the procedure begins.
/// All of the variable where its elements can't be told; `None` if the caller has no name for it.
pub fn handed_region<'a>(
    caller: &'a Procedure,
    summaries: &Summaries<'a>,
    (callee, arguments): (ProcedureId, &[Expression]),
    region: &Region,
) -> Option<Region> {
    let called = summaries.callee(callee)?;
    let value_of = |symbol| Some(Polynomial::variable(symbol));
    let caller = Caller { layouts: &Layouts::new(caller), summaries, value_of: &value_of };
    let call = GivenCall { callee, arguments };
    let is_scalar = called.symbol(region.symbol).rank() == 0;
    let access = |owner| HandedAccess {
        owner,
        kind: AccessKind::Write,
        region: region.clone(),
        certainty: Certainty::May,
        is_scalar,
    };
    let own = caller.layouts.procedure;
    let (symbol, found) = match called.dummies.iter().position(|&dummy| dummy == region.symbol) {
        Some(position) => {
            let argument = arguments.get(position)?;
            let access = access(Owner::Dummy(position));
            (argument.designated()?, caller.of_argument(call, called, &access, argument))
        }
        None => {
            let place = called.symbol(region.symbol).shared_variable()?.to_owned();
            let symbol = find_place(own, &place)?;
            (symbol, caller.of_place(call, called, &access(Owner::Place(place)), symbol))
        }
    };
    Some(found.map_or_else(|| Region::whole(symbol), |(region, _)| region))
}

/// The side of the caller.
pub(super) struct Caller<'c, 'a> {
    /// The arrays of the caller.
    pub layouts: &'c Layouts<'a>,
    /// What is known of called procedures.
    pub summaries: &'c Summaries<'a>,
    /// The values of the caller's integer scalars at the call.
    pub value_of: &'c dyn Fn(SymbolId) -> Option<Polynomial>,
}

impl Caller<'_, '_> {
    /// The region that an access of the called procedure touches; the second value says that it is exact. `None` if the
    /// caller has no name for it.
    pub fn region(&self, call: GivenCall, access: usize) -> Option<(Region, bool)> {
        let symbol = handed_symbol(self.layouts.procedure, self.summaries, call, access)?;
        let summary = self.summaries.of(call.callee);
        let callee = self.summaries.callee(call.callee)?;
        let access = summary.accesses.as_ref()?.get(access)?;
        let found = match access.owner {
            Owner::Dummy(position) => self.of_argument(call, callee, access, call.arguments.get(position)?),
            Owner::Place(_) => self.of_place(call, callee, access, symbol),
        };
        Some(found.unwrap_or((Region::whole(symbol), false)))
    }

    fn of_place(
        &self,
        call: GivenCall,
        callee: &Procedure,
        access: &HandedAccess,
        symbol: SymbolId,
    ) -> Option<(Region, bool)> {
        let (own, other) = (self.layouts.procedure.symbol(symbol), callee.symbol(access.region.symbol));
        // Both see one declaration.
        if own.element != other.element || own.rank() != other.rank() {
            return None;
        }
        let interval = |interval: &Interval| {
            let lower = self.translated(call, callee, &interval.lower)?;
            Some(Interval { lower, upper: self.translated(call, callee, &interval.upper)? })
        };
        let subscripts = access.region.subscripts.iter().map(|it| interval(it.as_ref()?)).collect();
        let count_from_first =
            self.layouts.begins_at_zero(symbol) && Layouts::new(callee).begins_at_zero(access.region.symbol);
        let lmad = access.region.lmad().filter(|_| count_from_first);
        Some(match lmad.and_then(|lmad| self.translated_lmad(call, callee, lmad, &Polynomial::default())) {
            Some(lmad) => (Region { subscripts, ..Region::elements(symbol, lmad) }, true),
            None => (Region { subscripts, ..Region::whole(symbol) }, false),
        })
    }

    fn of_argument(
        &self,
        call: GivenCall,
        callee: &Procedure,
        access: &HandedAccess,
        argument: &Expression,
    ) -> Option<(Region, bool)> {
        let symbol = argument.designated()?;
        let (actual, dummy) = (self.layouts.procedure.symbol(symbol), callee.symbol(access.region.symbol));
        let is_known = actual.class == SymbolClass::Variable
            && actual.storage != Storage::Pointer
            && dummy.storage == Storage::Dummy;
        let is_plain = is_known && !actual.may_be_strided;
        let has_same_elements = actual.element.bytes.is_some() && actual.element.bytes == dummy.element.bytes;
        let start = match &argument.kind {
            // A copy of the section may be passed, and copied back.
            ExpressionKind::Section { .. } if actual.storage != Storage::Pointer => {
                return self.layouts.region_of(argument, self.value_of).map(|(region, _)| (region, false));
            }
            ExpressionKind::Symbol(_) if is_known && has_same_elements && dummy.assumes_shape() => {
                let by_subscripts = self.of_shape(call, callee, access, symbol);
                let is_linear = is_plain && !dummy.may_be_strided && self.layouts.begins_at_zero(symbol);
                let lmad = access.region.lmad().filter(|_| is_linear);
                let lmad = lmad.and_then(|lmad| self.translated_lmad(call, callee, lmad, &Polynomial::default()));
                let Some(lmad) = lmad else { return by_subscripts.map(|region| (region, false)) };
                let subscripts = by_subscripts.map(|region| region.subscripts).unwrap_or_default();
                return Some((Region { symbol, extent: Extent::Elements(lmad), subscripts }, true));
            }
            ExpressionKind::Symbol(_) if actual.rank() == 0 => {
                if dummy.rank() > 0 && actual.storage == Storage::Dummy {
                    // Old programs hand on an array by a dummy argument that is declared as a scalar.
                    return Some((Region::from(symbol, Polynomial::default()), false));
                }
                return (dummy.rank() == 0 && is_plain && !is_open(access)).then(|| self.layouts.whole(symbol));
            }
            // Where nothing says that the procedure is elemental, a part of its declaration that is not read could.
            ExpressionKind::Symbol(_) if callee.is_elemental || dummy.rank() == 0 && access.is_scalar_itself() => {
                return None;
            }
            ExpressionKind::Symbol(_) => {
                self.layouts.begins_at_zero(symbol).then(Polynomial::default).filter(|_| is_plain)?
            }
            ExpressionKind::Element { .. } if is_plain => {
                let (region, is_exact) = self.layouts.region_of(argument, self.value_of)?;
                region.lmad().filter(|_| is_exact)?.offset.clone()
            }
            _ => return None,
        };
        if !has_same_elements {
            return None;
        }
        let lmad = match access.region.lmad() {
            Some(lmad) => self.translated_lmad(call, callee, lmad, &start)?,
            None if dummy.rank() == 0 && !is_open(access) => Lmad { offset: start, dimensions: Vec::new() },
            None => return None,
        };
        Some((Region::elements(symbol, lmad), true))
    }

    /// A whole array whose shape the dummy assumes: the subscripts are the same, from other lower bounds on.
    fn of_shape(&self, call: GivenCall, callee: &Procedure, access: &HandedAccess, symbol: SymbolId) -> Option<Region> {
        let actual = self.layouts.layout_where(symbol, self.value_of);
        let of_callee = Layouts::new(callee);
        let dummy = of_callee.layout(access.region.symbol);
        let intervals = &access.region.subscripts;
        if actual.bounds.len() != dummy.bounds.len() || intervals.len() != dummy.bounds.len() {
            return None;
        }
        let translate = |polynomial: &Polynomial| self.translated(call, callee, polynomial);
        let shifted = |index: usize, interval: &Interval| {
            let from = translate(dummy.bounds[index].lower.as_ref()?)?;
            let shift = actual.bounds[index].lower.as_ref()?.checked_subtract(&from)?;
            let lower = translate(&interval.lower)?.checked_add(&shift)?;
            Some(Interval { lower, upper: translate(&interval.upper)?.checked_add(&shift)? })
        };
        let subscripts =
            intervals.iter().enumerate().map(|(index, interval)| shifted(index, interval.as_ref()?)).collect();
        Some(Region { symbol, extent: Extent::Whole, subscripts })
    }

    fn translated_lmad(&self, call: GivenCall, callee: &Procedure, lmad: &Lmad, start: &Polynomial) -> Option<Lmad> {
        let offset = self.translated(call, callee, &lmad.offset)?.checked_add(start)?;
        let dimension = |dimension: &Dimension| {
            let stride = self.translated(call, callee, &dimension.stride)?;
            Some(Dimension { stride, count: self.translated(call, callee, &dimension.count)? })
        };
        Some(Lmad { offset, dimensions: lmad.dimensions.iter().map(dimension).collect::<Option<Vec<_>>>()? })
    }

    /// A polynomial of the called procedure with the values that its variables have when it begins.
    fn translated(&self, call: GivenCall, callee: &Procedure, polynomial: &Polynomial) -> Option<Polynomial> {
        polynomial.checked_replace(&|symbol| self.value_at_entry(call, callee, symbol))
    }

    /// The value of the called procedure's variable when the procedure begins.
    fn value_at_entry(&self, call: GivenCall, callee: &Procedure, symbol: SymbolId) -> Option<Polynomial> {
        let variable = callee.symbols.get(symbol.0)?;
        if !variable.is_integer_scalar() || variable.volatile {
            return None;
        }
        if let Some(position) = callee.dummies.iter().position(|&dummy| dummy == symbol) {
            return evaluate(self.layouts.procedure, call.arguments.get(position)?, self.value_of);
        }
        match &variable.storage {
            Storage::Global(place) if place.is_one_variable() => {
                let own = find_place(self.layouts.procedure, place)?;
                let symbol = self.layouts.procedure.symbol(own);
                if symbol.is_integer_scalar() && !symbol.volatile { (self.value_of)(own) } else { None }
            }
            _ => None,
        }
    }
}
