//! Sections as buffers: in languages that say so, a message ends with them.
//!
//! What a section hands over is the sequence of its elements (Fortran 2018, 15.5.2.11): a call can't legally touch any other
//! element of the array, whatever length it says. So the subscripts of a section that is handed over where it lies bound its
//! message, also where the bounds of the array or the length are not known. An element stands for all that comes behind it,
//! up to the end of the array: it bounds nothing.
//!
//! Compilers pass an address and don't look at the length. Programs that send more than they name work by accident, so what
//! they say is only believed where it can be meant: not where the message is seen to be longer than the section, and of a
//! section that names only a range of a dimension (`a(1:1, j)` is also how a beginning is named) not unless its length is known
//! to suffice, or nothing is known of the message's. A range of one element is never believed, as no declared extent of 1 is.

use crate::analysis::algebra::prover::{Assumptions, is_nonnegative, is_positive};
use crate::analysis::algebra::symbolic::evaluate;
use crate::analysis::memory::arrays::Layouts;
use crate::ir::{Bounds, Expression, Interval, Message, Polynomial, Subscript, SymbolId};
use crate::mutations::Clause;

/// For each dimension what the message's subscripts are known to lie in, because they lie in the section; empty where the
/// section is not believed. Of a dimension that is named as a whole nothing has to be said.
pub(super) fn subscripts_of_section(
    layouts: &Layouts,
    symbol: SymbolId,
    subscripts: &[Subscript],
    message: &Message,
    value_of: &dyn Fn(SymbolId) -> Option<Polynomial>,
) -> Vec<Option<Interval>> {
    if !layouts.procedure.dialect().message_ends_with_section() {
        return Vec::new();
    }
    let bounds = &layouts.layout_where(symbol, value_of).bounds;
    if message.is_exchange() || message.datatype.derived.is_some() || bounds.len() != subscripts.len() {
        return Vec::new();
    }
    let value = |expression: &Expression| evaluate(layouts.procedure, expression, value_of);
    let named: Vec<Named> = subscripts.iter().zip(bounds).map(|(it, own)| Named::of(it, own, &value)).collect();
    let length = value(&message.count);
    if !Clause::MessagesWithinSections.is_off() && !is_believed(layouts, symbol, &named, message, length) {
        return Vec::new();
    }
    named.into_iter().map(Named::interval).collect()
}

/// One subscript of a section.
enum Named {
    /// A single value, where it is known.
    One(Option<Polynomial>),
    /// All of the dimension, with its extent where that is known.
    All(Option<Polynomial>),
    /// A range of it, where it is known.
    Range(Option<Interval>),
}

impl Named {
    fn of(subscript: &Subscript, bounds: &Bounds, value: &dyn Fn(&Expression) -> Option<Polynomial>) -> Self {
        match subscript {
            Subscript::Index(index) => Self::One(value(index)),
            Subscript::Range { lower: None, upper: None, stride: None } => Self::All(bounds.extent()),
            Subscript::Range { lower, upper, stride: None } => {
                let end = |named: &Option<Expression>, own: &Option<Polynomial>| match named {
                    Some(named) => value(named),
                    None => own.clone(),
                };
                let (lower, upper) = (end(lower, &bounds.lower), end(upper, &bounds.upper));
                Self::Range(lower.zip(upper).map(|(lower, upper)| Interval { lower, upper }))
            }
            Subscript::Range { .. } | Subscript::Vector(_) => Self::Range(None),
        }
    }

    /// The number of its values.
    fn extent(&self) -> Option<Polynomial> {
        match self {
            Self::One(_) => Some(Polynomial::constant(1)),
            Self::All(extent) => extent.clone(),
            Self::Range(interval) => {
                let Interval { lower, upper } = interval.as_ref()?;
                upper.checked_subtract(lower)?.checked_add(&Polynomial::constant(1))
            }
        }
    }

    fn interval(self) -> Option<Interval> {
        match self {
            Self::One(value) => value.map(|value| Interval { lower: value.clone(), upper: value }),
            Self::All(_) => None,
            Self::Range(interval) => interval,
        }
    }
}

/// Can the message be meant to end with the section?
fn is_believed(
    layouts: &Layouts,
    symbol: SymbolId,
    named: &[Named],
    message: &Message,
    length: Option<Polynomial>,
) -> bool {
    let is_range = |it: &Named| matches!(it, Named::Range(_));
    let is_one = |it: &Named| it.extent().is_some_and(|extent| extent.as_constant() == Some(1));
    if named.iter().any(|it| is_range(it) && is_one(it)) {
        return false;
    }
    let Some(length) = length else { return true };
    // How much longer the message is than the section, in whatever both can be counted in.
    let excess = || {
        let bytes = message.datatype.element()?.bytes.zip(layouts.procedure.symbol(symbol).element.bytes);
        let (of_message, of_element) = bytes.unwrap_or((1, 1));
        let size = named.iter().try_fold(Polynomial::constant(1), |size, it| size.checked_multiply(&it.extent()?))?;
        let size = size.checked_multiply(&Polynomial::constant(i64::from(of_element)))?;
        length.checked_multiply(&Polynomial::constant(i64::from(of_message)))?.checked_subtract(&size)
    };
    let mut has_elements = Assumptions::new();
    named.iter().filter_map(Named::extent).for_each(|extent| has_elements.assume_positive(&extent));
    match excess() {
        Some(excess) if named.iter().any(is_range) => {
            excess.checked_negate().is_some_and(|room| is_nonnegative(&has_elements, &room))
        }
        Some(excess) => !is_positive(&has_elements, &excess),
        None => !named.iter().any(is_range),
    }
}
