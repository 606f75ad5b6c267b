//! Messages of datatypes whose elements lie apart.

use crate::analysis::algebra::prover::{Assumptions, is_nonnegative};
use crate::analysis::algebra::symbolic::evaluate;
use crate::analysis::memory::arrays::Layouts;
use crate::analysis::memory::message::begins_its_variable;
use crate::ir::{
    Bounds, DatatypeLayout, Dimension, Expression, ExpressionKind, Interval, Lmad, Message, Polynomial, Procedure,
    Region, SymbolId,
};

/// The host compiler must see that more than one element is touched. A variable of its own that is a single element, or one
/// object, is all that a message of it can be.
pub(super) fn check_buffer(procedure: &Procedure, id: SymbolId, message: &Message) -> Result<(), String> {
    let symbol = procedure.symbol(id);
    if message.is_exchange() {
        return Err("everyone exchanges elements of predefined datatypes only".to_owned());
    }
    let is_known = message.datatype.element().is_some();
    if symbol.rank() == 0 && (is_known || !begins_its_variable(procedure, message)) {
        return Err(format!("`{}` is a single element, and the datatype may reach others", symbol.name));
    }
    let is_forward = message.datatype.derived.as_ref().is_none_or(|derived| derived.is_forward);
    if !is_forward && !begins_its_variable(procedure, message) {
        return Err(format!("elements of the message could lie before the beginning of `{}`", symbol.name));
    }
    Ok(())
}

/// The elements of `count` of a datatype from `start` on in the variable `symbol`.
pub(super) fn region_of_parts(
    layouts: &Layouts,
    (symbol, start, count): (SymbolId, Polynomial, Polynomial),
    layout: &DatatypeLayout,
    message: &Message,
    value_of: &dyn Fn(SymbolId) -> Option<Polynomial>,
) -> Option<Region> {
    let layout = layout.replaced(&|polynomial| polynomial.checked_replace(value_of))?;
    let offset = start.checked_add(&layout.offset)?;
    let mut dimensions = layout.dimensions;
    if count != Polynomial::constant(1) {
        dimensions.push(Dimension { stride: layout.extent, count });
    }
    let lmad = Lmad { offset, dimensions };
    let subscripts = Subscripts::of_buffer(layouts, symbol, &message.buffer, value_of);
    let subscripts = subscripts.and_then(|buffer| buffer.of_parts(&start, &lmad)).unwrap_or_default();
    Some(Region { subscripts, ..Region::elements(symbol, lmad) })
}

/// Where a buffer begins in its array.
struct Subscripts {
    bounds: Vec<Bounds>,
    /// The distance between neighbours in each dimension.
    strides: Vec<Polynomial>,
    /// The subscripts of its first element.
    first: Vec<Polynomial>,
    /// The array has elements, of which that is one.
    known: Assumptions,
}

impl Subscripts {
    fn of_buffer(
        layouts: &Layouts,
        symbol: SymbolId,
        buffer: &Expression,
        value_of: &dyn Fn(SymbolId) -> Option<Polynomial>,
    ) -> Option<Self> {
        let layout = layouts.layout_where(symbol, value_of);
        let bounds = layout.bounds.clone();
        let first = match &buffer.kind {
            ExpressionKind::Element { subscripts, .. } => {
                subscripts.iter().map(|subscript| evaluate(layouts.procedure, subscript, value_of)).collect()
            }
            _ => bounds.iter().map(|own| own.lower.clone()).collect::<Option<Vec<_>>>(),
        }?;
        let mut known = Assumptions::new();
        for (own, value) in bounds.iter().zip(&first) {
            own.extent().iter().for_each(|extent| known.assume_positive(extent));
            let above = own.lower.as_ref().and_then(|lower| value.checked_subtract(lower));
            let below = own.upper.as_ref().and_then(|upper| upper.checked_subtract(value));
            above.into_iter().chain(below).for_each(|fact| known.assume_nonnegative(fact));
        }
        Some(Self { strides: layout.strides()?, bounds, first, known })
    }

    /// The subscripts of elements that are repeated along dimensions of their array, if they are seen to stay within all of
    /// these but the last one. `start` is the position of the buffer's first element.
    fn of_parts(&self, start: &Polynomial, lmad: &Lmad) -> Option<Vec<Option<Interval>>> {
        let distance = lmad.offset.checked_subtract(start)?;
        let found = self.of_dimensions_up_to(self.bounds.len().checked_sub(1)?, &distance, &lmad.dimensions)?;
        Some(found.into_iter().rev().map(Some).collect())
    }

    /// The subscripts in this dimension and those before it, the last one first: each takes what it can of the distance.
    fn of_dimensions_up_to(
        &self,
        index: usize,
        distance: &Polynomial,
        dimensions: &[Dimension],
    ) -> Option<Vec<Interval>> {
        let (own, stride) = (self.bounds.get(index)?, &self.strides[index]);
        let (quotient, rest) = distance.divide(stride)?;
        // The division does not know the sign of symbolic remainders: its neighbours may be the right ones.
        [0, -1, 1].into_iter().find_map(|shift| {
            let shift = Polynomial::constant(shift);
            let steps = quotient.checked_add(&shift)?;
            let rest = rest.checked_subtract(&stride.checked_multiply(&shift)?)?;
            let lower = self.first.get(index)?.checked_add(&steps)?;
            let mut left = dimensions.to_vec();
            let along = left.iter().position(|dimension| dimension.stride == *stride).map(|it| left.swap_remove(it));
            let upper = match along {
                Some(along) => lower.checked_add(&along.count)?.checked_subtract(&Polynomial::constant(1))?,
                None => lower.clone(),
            };
            if index + 1 < self.bounds.len() {
                let below = lower.checked_subtract(own.lower.as_ref()?)?;
                let above = own.upper.as_ref()?.checked_subtract(&upper)?;
                if !is_nonnegative(&self.known, &below) || !is_nonnegative(&self.known, &above) {
                    return None;
                }
            }
            let mut found = vec![Interval { lower, upper }];
            match index.checked_sub(1) {
                Some(before) => found.extend(self.of_dimensions_up_to(before, &rest, &left)?),
                None if !rest.is_zero() || !left.is_empty() => return None,
                None => {}
            }
            Some(found)
        })
    }
}
