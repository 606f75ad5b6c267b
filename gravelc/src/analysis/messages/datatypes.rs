//! Datatypes that are kept in variables.
//!
//! The front end tells what a predefined datatype stands for where a call names it. Codes that can be built for several
//! precisions name a variable, often of a module or of a COMMON block, that is set once at the beginning. Where all
//! that such a variable can hold stands for one and the same type ([`super::super::values`]), the calls that name it are
//! calls with that type. Where it can stand for several predefined types, as in a code that sets it to one or the other, the
//! longest of them says what its messages may touch; the runtime looks at what it is.
//!
//! A variable may hold a datatype that the program has made, too, of whatever it was made of. Two things are found out about
//! these, one after the other: what their elements are (`kinds`), so that what a message may touch is its variable and
//! nothing else, and where the elements lie (`layouts`), so that what lies between them can be told from them. The second
//! needs the effects of messages of which the first is known, and the bounds of arrays.

mod beside;
mod commits;
mod counts;
mod elements;
mod kinds;
mod layouts;
mod made;

use crate::ir::{Datatype, ElementType, Message, Procedure, ProcedureId, SymbolClass};

use super::super::facts::Facts;
use super::super::values::{DatatypeSource, Value};

pub use self::commits::committed_in;
pub use self::kinds::why_not_within_its_variable;
pub use self::layouts::DatatypeLayouts;
pub use self::made::MadeDatatypes;

/// The datatype of a message, of which the program alone says nothing, with what is found out about it.
pub fn known_datatype(facts: &Facts, procedure: ProcedureId, message: &Message) -> Datatype {
    let datatype = &message.datatype;
    let held = facts.values().of_expression(facts.program, procedure, &datatype.handle);
    let mut found = datatype.clone();
    let buffer = message.buffer.designated().map(|buffer| facts.procedure(procedure).symbol(buffer).element);
    (found.predefined, found.is_longest) = longest(&held, buffer);
    if found.predefined.is_none() {
        found.derived = kinds::derived(facts, procedure, message).ok();
    }
    found.may_reach_anything = !found.is_known();
    found
}

/// Is it a datatype in a variable, or one that an expression gives, of which nothing is known yet?
pub fn is_open(procedure: &Procedure, datatype: &Datatype) -> bool {
    let designated = datatype.handle.designated().map(|symbol| &procedure.symbol(symbol).class);
    let is_constant = matches!(designated, Some(SymbolClass::MessagingConstant | SymbolClass::Constant(_)));
    datatype.element().is_none() && !is_constant
}

/// The predefined type that all that is held stands for, or the longest of several ones, and whether there are several. Of those
/// that are as long it is the buffer's own type, if that is among them.
fn longest(value: &Value, buffer: Option<ElementType>) -> (Option<ElementType>, bool) {
    let Value::Datatypes(sources) = value else { return (None, false) };
    let predefined = |source: &DatatypeSource| match source {
        DatatypeSource::Predefined(element) => Some(*element),
        DatatypeSource::CreatedAt(_) => None,
    };
    let Some(elements) = sources.iter().map(predefined).collect::<Option<Vec<_>>>() else { return (None, false) };
    match elements.as_slice() {
        [] => (None, false),
        [only] => (Some(*only), false),
        several if several.iter().any(|element| element.bytes.is_none()) => (None, false),
        several => (several.iter().copied().max_by_key(|element| (element.bytes, Some(*element) == buffer)), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::TypeCategory;

    #[test]
    fn of_several_predefined_ones_it_is_the_longest() {
        // Of those that are as long it is the buffer's.
        let element = |bytes, category| ElementType { bytes: Some(bytes), category };
        let (short, long) = (element(4, TypeCategory::Integer), element(8, TypeCategory::Integer));
        let own = element(8, TypeCategory::Real);
        let held = Value::Datatypes([short, long, own].map(DatatypeSource::Predefined).into());
        assert_eq!(longest(&held, Some(own)), (Some(own), true));
        assert_eq!(longest(&held, Some(long)), (Some(long), true));
        assert_eq!(longest(&Value::Datatypes([DatatypeSource::Predefined(own)].into()), None), (Some(own), false));
        let unknown = ElementType { bytes: None, ..own };
        let held = Value::Datatypes([own, unknown].map(DatatypeSource::Predefined).into());
        assert_eq!(longest(&held, Some(own)), (None, false));
    }
}
