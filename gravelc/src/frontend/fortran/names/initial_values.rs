//! The numbers that variables have before the program starts, and those of constant arrays: declarations and DATA
//! statements.

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{child_of_kind, descendants_of_kinds, named_children};
use super::constants::{ArrayValue, evaluate_array};
use super::constants_in_scope::NamesOf;
use super::declarations::Reader;
use super::scope::DeclaredDimension;
use super::variable_declarations::{messaging_constant, note_names_in_value};
use crate::ir::InitialValues;

/// Longer lists of values, and longer repetitions of one, are not read.
const MOST_VALUES: usize = 4096;

/// The bounds of `name` as far as they have been declared: a lower bound and a number of elements per dimension.
/// `elements` is the number of values that are given, which decides about a last upper bound that is left open (`*`).
fn bounds_of(reader: &Reader<'_, '_>, name: &str, elements: Option<usize>) -> Option<Vec<(i64, i64)>> {
    let entity = reader.scope.entities.get(name)?;
    if entity.assumed_rank {
        return None;
    }
    let bounds = entity.dimensions.iter().map(|dimension| {
        let (lower, upper) = match dimension {
            // What stands in another file than the values has its text there.
            DeclaredDimension::Explicit { .. } if reader.source.included_at.is_some() => return None,
            DeclaredDimension::Explicit { lower, upper } => {
                (lower.map_or(Some(1), |lower| reader.evaluate(lower))?, reader.evaluate(*upper)?)
            }
            DeclaredDimension::Evaluated { lower, upper: Some(upper) } => ((*lower)?, *upper),
            DeclaredDimension::AssumedSize { lower } if entity.dimensions.len() == 1 => {
                let lower = lower.map_or(Some(1), |lower| reader.evaluate(lower))?;
                return Some((lower, i64::try_from(elements?).ok()?));
            }
            _ => return None,
        };
        Some((lower, upper.checked_sub(lower)?.checked_add(1)?.max(0)))
    });
    bounds.collect()
}

/// The numbers that the expression `node` gives to the variable or constant `name` in its declaration.
pub(super) fn declared_values(reader: &Reader<'_, '_>, name: &str, node: Node<'_>) -> Option<InitialValues> {
    let names = NamesOf { scopes: reader.scopes, scope: &reader.scope };
    let value = evaluate_array(reader.source.original, node, &names)?;
    let given = match &value {
        ArrayValue::Elements(values) => Some(values.len()),
        ArrayValue::Each(_) => None,
    };
    let mut initial = InitialValues::unknown(bounds_of(reader, name, given)?)?;
    match value {
        ArrayValue::Each(value) => initial.elements.fill(Some(value)),
        ArrayValue::Elements(values) if values.len() == initial.elements.len() => {
            initial.elements = values.into_iter().map(Some).collect();
        }
        ArrayValue::Elements(_) => return None,
    }
    Some(initial)
}

/// DATA gives initial values, which implies SAVE.
pub fn read_data(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    for set in named_children(part) {
        let (values, items): (Vec<Node<'_>>, Vec<Node<'_>>) =
            named_children(set).into_iter().partition(|item| item.kind() == "data_value");
        values.iter().for_each(|list| note_names_in_value(reader, *list));
        let constant = values.first().and_then(|list| listed_constant(reader, *list));
        let mut values = values.first().and_then(|list| listed_values(reader, *list));
        // Nothing but whole variables: each has this constant, as have all elements of an array.
        if items.iter().all(|item| item.kind() == "identifier") {
            for item in &items {
                let name = reader.lower(*item);
                reader.scope.entity(&name).initial_constant.clone_from(&constant);
            }
        }
        for item in items {
            for name in initialised_by(reader, item) {
                reader.scope.entity(&name).attributes.initialise();
            }
            values = give_values(reader, item, values);
        }
    }
}

/// `integer tag /7/`: a declaration with the values of a DATA statement.
pub(super) fn read_declared_data(reader: &mut Reader<'_, '_>, name: &str, list: Option<Node<'_>>) {
    reader.scope.entity(name).attributes.initialise();
    let constant = list.and_then(|list| listed_constant(reader, list));
    reader.scope.entity(name).initial_constant = constant;
    let values = list.and_then(|list| listed_values(reader, list));
    give_all(reader, name, values);
}

/// The variables that get values by one item of a DATA statement.
fn initialised_by(reader: &Reader<'_, '_>, item: Node<'_>) -> Vec<String> {
    let names: Vec<Node<'_>> = match item.kind() {
        "identifier" => vec![item],
        // The variables of the implied loops are not initialised: only what has subscripts is.
        "implied_do_loop_expression" => {
            let calls = descendants_of_kinds(item, &["call_expression"]);
            calls.into_iter().filter_map(|call| child_of_kind(call, "identifier")).collect()
        }
        _ => descendants_of_kinds(item, &["identifier"]).first().copied().into_iter().collect(),
    };
    names.into_iter().map(|name| reader.lower(name)).collect()
}

/// The constant of MPI that all values between the slashes are.
fn listed_constant(reader: &Reader<'_, '_>, list: Node<'_>) -> Option<String> {
    let mut only: Option<String> = None;
    for node in list.named_children().filter(|node| !node.is_in_field("repeat")) {
        let constant = messaging_constant(reader, node)?;
        if only.as_ref().is_some_and(|only| *only != constant) {
            return None;
        }
        only = Some(constant);
    }
    only
}

/// The values between the slashes, each as often as it is repeated; `None` for one that is no integer.
fn listed_values(reader: &Reader<'_, '_>, list: Node<'_>) -> Option<Vec<Option<i64>>> {
    let mut values = Vec::new();
    let mut repeat = 1;
    for node in list.named_children() {
        let value = reader.evaluate(node);
        if node.is_in_field("repeat") {
            repeat = value.and_then(|times| usize::try_from(times).ok())?;
        } else {
            if repeat > MOST_VALUES || values.len() + repeat > MOST_VALUES {
                return None;
            }
            values.extend(std::iter::repeat_n(value, repeat));
            repeat = 1;
        }
    }
    Some(values)
}

/// Gives the first of the values to an item of a DATA statement. What is left is for the items behind it; `None` where it
/// is not known which values these are.
fn give_values(
    reader: &mut Reader<'_, '_>,
    item: Node<'_>,
    values: Option<Vec<Option<i64>>>,
) -> Option<Vec<Option<i64>>> {
    match item.kind() {
        "identifier" => {
            let name = reader.lower(item);
            give_all(reader, &name, values)
        }
        "call_expression" => give_one(reader, item, values),
        _ => {
            for name in initialised_by(reader, item) {
                forget(reader, &name);
            }
            None
        }
    }
}

/// Nothing is known of what the variable has, now that some values went there that can't be told.
fn forget(reader: &mut Reader<'_, '_>, name: &str) {
    reader.scope.entity(name).initial_values = None;
}

/// Gives the variable as a whole its values.
fn give_all(reader: &mut Reader<'_, '_>, name: &str, values: Option<Vec<Option<i64>>>) -> Option<Vec<Option<i64>>> {
    let initial = bounds_of(reader, name, None).and_then(InitialValues::unknown);
    match (initial, values) {
        (Some(mut initial), Some(mut values)) if initial.elements.len() <= values.len() => {
            let rest = values.split_off(initial.elements.len());
            initial.elements = values;
            reader.scope.entity(name).initial_values = Some(initial);
            Some(rest)
        }
        _ => {
            forget(reader, name);
            None
        }
    }
}

/// Gives one element of an array its value.
fn give_one(reader: &mut Reader<'_, '_>, item: Node<'_>, values: Option<Vec<Option<i64>>>) -> Option<Vec<Option<i64>>> {
    let name = child_of_kind(item, "identifier").map(|name| reader.lower(name))?;
    let subscripts = child_of_kind(item, "argument_list").map(named_children).unwrap_or_default();
    let subscripts: Option<Vec<i64>> = subscripts.into_iter().map(|subscript| reader.evaluate(subscript)).collect();
    let known = reader.scope.entities.get(&name).and_then(|entity| entity.initial_values.clone());
    let initial = known.or_else(|| bounds_of(reader, &name, None).and_then(InitialValues::unknown));
    let place = initial.and_then(|initial| Some((initial.position(&subscripts?)?, initial)));
    match (place, values) {
        (Some((position, mut initial)), Some(mut values)) if !values.is_empty() => {
            initial.elements[position] = values.remove(0);
            reader.scope.entity(&name).initial_values = Some(initial);
            Some(values)
        }
        _ => {
            forget(reader, &name);
            None
        }
    }
}
