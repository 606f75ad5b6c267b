//! Which memory a message is.

use crate::ir::{
    Datatype, DerivedDatatype, Expression, ExpressionKind, Extent, Interval, Lmad, Message, Polynomial, Procedure,
    Region, Storage, Subscript, SymbolClass, SymbolId, TypeCategory,
};
use crate::mutations::Clause;

use super::super::algebra::lmad::as_run;
use super::super::algebra::prover::{Assumptions, is_nonnegative};
use super::super::algebra::symbolic::evaluate;
use super::arrays::Layouts;
use super::overrun::{is_member, is_single_member, runs_beyond};

mod addressed;
mod parts;
mod sections;

pub use addressed::{PointedArray, is_behind_pointer, is_bottom, is_handed_by_address};
use parts::{check_buffer, region_of_parts};
use sections::subscripts_of_section;

/// The elements of the buffer's variable that a message consists of: `count` neighbouring ones from where the buffer
/// argument points (an element stands for the elements from it on). The region is whole where the memory is plain but its
/// place or size can't be told; of a message for everyone only where it begins is known, and where its blocks have places of
/// their own, that none lies before it.
///
/// A datatype that the program has made says itself where its elements lie, from where the buffer argument points; where that
/// is not known, they may be any of the variable.
///
/// A section bounds its message by its subscripts, also where nothing else is known (`message/sections.rs`).
///
/// Its polynomials are over the values that variables have at the call.
///
/// # Errors
/// Says why, where the buffer is not plain memory of one variable whose elements are of the message's datatype.
pub fn message_region(procedure: &Procedure, message: &Message) -> Result<Region, String> {
    let values = |symbol| Some(Polynomial::variable(symbol));
    region_of_message(&Layouts::new(procedure), message, &values)
}

/// Is the message known to consist of elements of its buffer's variable, or, in a COMMON block, of other members at worst? A
/// datatype that the program has made may reach other components of an object.
pub(super) fn is_of_its_variable(procedure: &Procedure, message: &Message) -> bool {
    let is_inside_object = || {
        let buffer = message.buffer.designated().map(|buffer| procedure.symbol(buffer));
        buffer.is_none_or(|buffer| buffer.holder().is_some() && !buffer.is_allocatable())
    };
    message.datatype.predefined.is_some() || message.datatype.derived.is_some() && !is_inside_object()
}

/// The message as it is if elements of its datatype are those of its buffer's array, where it is not known what they are. The runtime
/// finds out whether they are, and names no parts of the message if not. `None` if the datatype is known, or the buffer's elements are not.
pub fn if_in_step(procedure: &Procedure, message: &Message) -> Option<Message> {
    let is_unknown = message.datatype.derived.is_some() && message.datatype.element().is_none();
    let element = procedure.symbol(message.buffer.designated()?).element;
    let has_elements =
        element.bytes.is_some() && !matches!(element.category, TypeCategory::Derived | TypeCategory::Unknown);
    let datatype = Datatype { is_longest: true, ..Datatype::new(message.datatype.handle.clone(), Some(element)) };
    (is_unknown && has_elements).then(|| Message { datatype, ..message.clone() })
}

/// Does the buffer begin where its variable does, with memory of its own, so that no element of the message lies before it?
pub fn begins_its_variable(procedure: &Procedure, message: &Message) -> bool {
    let Some(id) = message.buffer.designated() else { return false };
    let symbol = procedure.symbol(id);
    let is_own = symbol.class == SymbolClass::Variable
        && !matches!(symbol.storage, Storage::Dummy | Storage::Pointer)
        && !procedure.dummies.contains(&id)
        && symbol.overlay.is_none()
        && !is_member(procedure, id)
        && (symbol.holder().is_none() || symbol.is_allocatable());
    let is_first = || match message.buffer.kind {
        ExpressionKind::Symbol(_) => true,
        ExpressionKind::Element { .. } => {
            let region = designated_region(procedure, &message.buffer);
            region.and_then(|region| Some(region.lmad()?.offset == Polynomial::default())) == Some(true)
        }
        _ => false,
    };
    is_own && is_first()
}

/// The elements of a variable that an expression designates, over the values that variables have where it stands; all of
/// the variable where they can't be told. `None` if the expression designates nothing.
pub fn designated_region(procedure: &Procedure, expression: &Expression) -> Option<Region> {
    let values = |symbol| Some(Polynomial::variable(symbol));
    match Layouts::new(procedure).region_of(expression, &values) {
        Some((region, _)) => Some(region),
        None => expression.designated().map(Region::whole),
    }
}

/// [`message_region`] with the values of variables given by `value_of`.
pub(super) fn region_of_message(
    layouts: &Layouts,
    message: &Message,
    value_of: &dyn Fn(SymbolId) -> Option<Polynomial>,
) -> Result<Region, String> {
    let procedure = layouts.procedure;
    let (symbol, start) = match &message.buffer.kind {
        ExpressionKind::Symbol(symbol) => (*symbol, Start::First),
        ExpressionKind::Element { array, .. } => (*array, Start::Element),
        ExpressionKind::Section { array, subscripts } => (*array, Start::Section(subscripts)),
        // Some of the objects that the pointer may lead to.
        ExpressionKind::Part { base, through_pointer: false, .. } if procedure.symbol(*base).objects.is_some() => {
            return Ok(Region::whole(*base));
        }
        ExpressionKind::Part { base, .. } => {
            let name = &procedure.symbol(*base).name;
            return Err(format!("the buffer is a part of `{name}` that is not told apart from the rest of it"));
        }
        _ => return Err("the buffer is the value of an expression, which is passed as a copy".to_owned()),
    };
    check_variable(procedure, symbol)?;
    if message.datatype.derived.is_some() {
        check_buffer(procedure, symbol, message)?;
    }
    if message.block_lists().is_some() {
        check_beginning(layouts, symbol, &start, message, value_of)?;
    }
    let within = || match start {
        Start::Section(subscripts) => subscripts_of_section(layouts, symbol, subscripts, message, value_of),
        Start::First | Start::Element => Vec::new(),
    };
    if !check_type(procedure, symbol, message)? {
        if let Start::Section(subscripts) = start {
            check_contiguous(layouts, symbol, subscripts, message, value_of)?;
        }
        let region = Region { subscripts: within(), ..Region::whole(symbol) };
        check_end(layouts, &region, message.datatype.derived.as_ref())?;
        return Ok(region);
    }
    let offset = match start {
        Start::First => layouts.begins_at_zero(symbol).then(Polynomial::default),
        Start::Element => {
            let region = layouts.region_of(&message.buffer, value_of);
            region.and_then(|(region, _)| region.lmad().map(|lmad| lmad.offset.clone()))
        }
        Start::Section(subscripts) => check_contiguous(layouts, symbol, subscripts, message, value_of)?,
    };
    // In an exchange there are as many blocks as the communicator has processes.
    let count = evaluate(procedure, &message.count, value_of).filter(|_| !message.is_exchange());
    let has_open_end = message.is_exchange() || is_single_member(layouts, symbol);
    if let Some(derived) = &message.datatype.derived {
        let is_section = matches!(start, Start::Section(_));
        let layout = derived.layout.as_ref().filter(|_| !is_section);
        let parts = || region_of_parts(layouts, (symbol, offset?, count?), layout?, message, value_of);
        let region = parts().unwrap_or_else(|| Region::whole(symbol));
        check_end(layouts, &region, Some(derived))?;
        return Ok(region);
    }
    let region = match (offset, count) {
        (Some(offset), Some(count)) => {
            let in_column = subscripts_of_run(layouts, symbol, &message.buffer, &count, value_of);
            let subscripts = if in_column.is_empty() { within() } else { in_column };
            Region { subscripts, ..Region::elements(symbol, Lmad::run(offset, count)) }
        }
        (Some(offset), None) if has_open_end => Region::from(symbol, offset),
        _ => Region { subscripts: within(), ..Region::whole(symbol) },
    };
    check_end(layouts, &region, None)?;
    Ok(region)
}

/// A message must not run on into what lies beside its variable. Of a `derived` datatype, whose elements lie anywhere, that has
/// to be seen; unless nothing lies there: no elements come before the buffer, and no member of the block behind it.
fn check_end(layouts: &Layouts, region: &Region, derived: Option<&DerivedDatatype>) -> Result<(), String> {
    let symbol = layouts.procedure.symbol(region.symbol);
    let name = &symbol.name;
    if runs_beyond(layouts, region) {
        return Err(format!("the message is longer than `{name}`: it goes on in what follows in the COMMON block"));
    }
    let is_member = is_member(layouts.procedure, region.symbol);
    let is_alone = |derived: &DerivedDatatype| symbol.ends_block && derived.is_forward;
    if derived.is_some_and(|derived| !is_alone(derived)) && is_member && region.lmad().is_none() {
        return Err(format!("where the elements of the message lie is not known; they could lie beside `{name}`"));
    }
    if derived.is_some() && symbol.holder().is_some() && !symbol.is_allocatable() {
        return Err(format!("elements of the message could lie in other components beside `{name}`"));
    }
    Ok(())
}

/// The subscripts of `count` neighbouring elements from where the buffer begins, if they are seen to stay in the first
/// dimension; empty otherwise.
fn subscripts_of_run(
    layouts: &Layouts,
    symbol: SymbolId,
    buffer: &Expression,
    count: &Polynomial,
    value_of: &dyn Fn(SymbolId) -> Option<Polynomial>,
) -> Vec<Option<Interval>> {
    let bounds = &layouts.layout_where(symbol, value_of).bounds;
    let begin = |index: usize| match &buffer.kind {
        ExpressionKind::Element { subscripts, .. } => evaluate(layouts.procedure, subscripts.get(index)?, value_of),
        ExpressionKind::Section { subscripts, .. } => match subscripts.get(index)? {
            Subscript::Index(value) => evaluate(layouts.procedure, value, value_of),
            Subscript::Range { lower: Some(lower), .. } => evaluate(layouts.procedure, lower, value_of),
            Subscript::Range { lower: None, .. } => bounds.get(index)?.lower.clone(),
            Subscript::Vector(_) => None,
        },
        _ => bounds.get(index)?.lower.clone(),
    };
    let first_dimension = || {
        let lower = begin(0)?;
        let upper = lower.checked_add(count)?.checked_subtract(&Polynomial::constant(1))?;
        let room = bounds.first()?.upper.as_ref()?.checked_subtract(&upper)?;
        is_nonnegative(&Assumptions::new(), &room).then_some(Interval { lower, upper })
    };
    let Some(first) = first_dimension().filter(|_| bounds.len() > 1) else { return Vec::new() };
    let others = (1..bounds.len()).map(|index| {
        let value = begin(index)?;
        Some(Interval { lower: value.clone(), upper: value })
    });
    std::iter::once(Some(first)).chain(others).collect()
}

/// Where in its variable a buffer begins.
enum Start<'a> {
    First,
    Element,
    Section(&'a [Subscript]),
}

/// The places of blocks are counted from the buffer's beginning, and may be negative (MPI 4.0, section 6.8, does not say that
/// they are not): what lies before it has to be known to be no part of the variable.
fn check_beginning(
    layouts: &Layouts,
    symbol: SymbolId,
    start: &Start,
    message: &Message,
    value_of: &dyn Fn(SymbolId) -> Option<Polynomial>,
) -> Result<(), String> {
    let is_first = || {
        let (region, _) = layouts.region_of(&message.buffer, value_of)?;
        Some(region.lmad()?.offset == Polynomial::default())
    };
    if matches!(start, Start::First) || is_first() == Some(true) || Clause::BlocksBehindBeginning.is_off() {
        return Ok(());
    }
    let name = &layouts.procedure.symbol(symbol).name;
    Err(format!("the buffer begins inside of `{name}`, and blocks of it may lie before its beginning"))
}

fn check_variable(procedure: &Procedure, id: SymbolId) -> Result<(), String> {
    let symbol = procedure.symbol(id);
    let name = &symbol.name;
    match symbol.class {
        SymbolClass::Variable => {}
        SymbolClass::MessagingConstant => return Err(format!("the buffer is the constant `{name}`")),
        _ => return Err(format!("the buffer `{name}` is not a variable")),
    }
    if symbol.storage == Storage::Pointer && symbol.objects.is_none() {
        return Err(format!("the buffer `{name}` is a pointer, which may stand for any memory"));
    }
    if symbol.may_be_strided {
        return Err(format!("the elements of the buffer `{name}` may lie apart in memory, so that a copy is passed"));
    }
    Ok(())
}

/// Are the variable's elements those of the message, one for one? `false` if the sizes can't be related.
fn check_type(procedure: &Procedure, id: SymbolId, message: &Message) -> Result<bool, String> {
    let symbol = procedure.symbol(id);
    let name = &symbol.name;
    let Some(datatype) = message.datatype.element() else {
        return match message.datatype.derived {
            Some(_) => Ok(false),
            None => Err("the datatype is not a predefined one".to_owned()),
        };
    };
    if datatype.category == TypeCategory::Unknown {
        return Ok(false);
    }
    if datatype.category != symbol.element.category {
        return Err(format!("the datatype does not have the type of the elements of `{name}`"));
    }
    match (datatype.bytes, symbol.element.bytes) {
        (Some(message), Some(element)) if message == element => Ok(true),
        // A string is many characters.
        (Some(_), Some(_)) if datatype.category != TypeCategory::Character => {
            Err(format!("the datatype does not have the size of the elements of `{name}`"))
        }
        _ => Ok(false),
    }
}

/// The offset of a section that is passed without a copy because its elements are neighbours; `Ok(None)` if they are, but
/// the offset is not known.
fn check_contiguous(
    layouts: &Layouts,
    symbol: SymbolId,
    subscripts: &[Subscript],
    message: &Message,
    value_of: &dyn Fn(SymbolId) -> Option<Polynomial>,
) -> Result<Option<Polynomial>, String> {
    let region = layouts.region_of(&message.buffer, value_of);
    if let Some((Region { extent: Extent::Elements(lmad), .. }, true)) = &region
        && let Some(run) = as_run(lmad, &Assumptions::new())
        && lmad.offset == run.offset
    {
        return Ok(Some(run.offset));
    }
    if is_neighbourly(subscripts) {
        return Ok(None);
    }
    let name = &layouts.procedure.symbol(symbol).name;
    Err(format!("the section of `{name}` may not be contiguous, so that a copy is passed"))
}

/// Do these subscripts take elements that are neighbours from every contiguous array, whatever its bounds? They do if they are all of
/// some dimensions, and then a range of the next one.
pub fn is_neighbourly(subscripts: &[Subscript]) -> bool {
    let is_all =
        |subscript: &Subscript| matches!(subscript, Subscript::Range { lower: None, upper: None, stride: None });
    match &subscripts[subscripts.iter().take_while(|subscript| is_all(subscript)).count()..] {
        [] => true,
        [first, others @ ..] => {
            let is_step_one = !matches!(first, Subscript::Range { stride: Some(_), .. } | Subscript::Vector(_));
            is_step_one && others.iter().all(|other| matches!(other, Subscript::Index(_)))
        }
    }
}

#[cfg(test)]
mod tests;
