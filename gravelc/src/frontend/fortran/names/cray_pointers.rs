//! Cray pointers: `pointer (p, x(n))` declares the integer `p`, and `x` for the memory at the address that it holds.
//!
//! To the analyses a pointee is a pointer, which may lead to whatever has its address taken
//! (`lower::addresses`). It leads elsewhere when its integer changes, so the two share memory as far as anybody
//! asks: whoever sets the integer changes the pointee. Its bounds are not told: compilers evaluate them when the procedure begins.

use super::super::text::syntax_tree::Node;
use super::super::text::tree::{child_of_kind, named_children};
use super::declarations::{Reader, result_of};
use super::scope::{CrayPointer, DeclaredDimension, DeclaredType, Entity, Meaning, Scope};
use super::storage_association::join;
use super::units::{Unit, UnitKind};
use super::variable_declarations::declarator_name;
use crate::ir::TypeCategory;
use crate::mutations::Clause;

/// The size of an address in bytes.
const ADDRESS: u32 = 8;

/// Reads one statement. What a module declares so is not followed: who imports one of the names need not know the other.
pub(super) fn read_cray_pointers<'t>(reader: &mut Reader<'_, 't>, unit: &Unit<'t>, part: Node<'t>) {
    let found = pairs_of(part);
    let result = unit.header.and_then(|header| result_of(reader.source, unit, header));
    for pair in &found {
        let pointer = declarator_name(reader.source, pair.pointer);
        let pointee = pointee_name(reader, pair.pointee);
        let (Some(pointer), Some(pointee)) = (pointer, pointee) else {
            reader.scope.mark_incomplete(Reader::range(part), NOT_FOLLOWED);
            continue;
        };
        let is_local = matches!(unit.kind, UnitKind::Procedure(_));
        if !is_local || [&pointer, &pointee].into_iter().any(|name| result.as_ref() == Some(name)) {
            reader.scope.mark_incomplete(Reader::range(part), NOT_FOLLOWED);
        }
        reader.scope.entity(&pointer).declaration.get_or_insert(Reader::range(pair.pointer));
        let entity = reader.scope.entity(&pointee);
        entity.declaration.get_or_insert(Reader::range(pair.pointee));
        if pair.rank > 0 {
            entity.dimensions = vec![DeclaredDimension::Open { lower: None }; pair.rank];
        }
        reader.scope.cray_pointers.push(CrayPointer { pointer, pointee, place: Reader::range(part) });
    }
    if found.is_empty() {
        reader.scope.mark_incomplete(Reader::range(part), NOT_FOLLOWED);
    }
}

const NOT_FOLLOWED: &str = "a Cray pointer";

/// A pointer and its pointee, as a statement names them.
struct Pair<'t> {
    pointer: Node<'t>,
    pointee: Node<'t>,
    /// The number of dimensions that stand there.
    rank: usize,
}

fn pairs_of(part: Node<'_>) -> Vec<Pair<'_>> {
    let pairs = named_children(part).into_iter().filter_map(|child| match child.kind() {
        "cray_pointer_pair" => Some((child.child_by_field_name("pointer")?, child.child_by_field_name("target")?)),
        // The last declaration looks like a reference to a function.
        "argument_list" => match named_children(child).as_slice() {
            [pointer, pointee] => Some((*pointer, *pointee)),
            _ => None,
        },
        _ => None,
    });
    let rank = |pointee: Node<'_>| {
        let list = child_of_kind(pointee, "size").or_else(|| child_of_kind(pointee, "argument_list"));
        list.map_or(0, |list| named_children(list).len())
    };
    pairs.map(|(pointer, pointee)| Pair { pointer, pointee, rank: rank(pointee) }).collect()
}

fn pointee_name(reader: &Reader<'_, '_>, pointee: Node<'_>) -> Option<String> {
    match pointee.kind() {
        "call_expression" => declarator_name(reader.source, named_children(pointee).into_iter().next()?),
        _ => declarator_name(reader.source, pointee),
    }
}

/// Gives the pointers that no other declaration gives a type theirs: they are integers, whatever their first letters are.
pub(super) fn declare_pointers(scope: &mut Scope<'_>) {
    for CrayPointer { pointer, .. } in &scope.cray_pointers {
        if let Some(entity) = scope.entities.get_mut(pointer) {
            entity.declared_type.get_or_insert_with(address_type);
        }
    }
}

fn address_type() -> DeclaredType {
    DeclaredType::intrinsic(TypeCategory::Integer, Some(ADDRESS))
}

/// After all declarations: makes the pointees what they are to the analyses.
pub(super) fn associate_pointees(scope: &mut Scope<'_>) {
    let pairs = scope.cray_pointers.clone();
    let count = |name: &String| pairs.iter().filter(|pair| pair.pointee == *name).count();
    for CrayPointer { pointer, pointee, place } in &pairs {
        let is_followed = count(pointee) == 1
            && count(pointer) == 0
            && scope.entities.get(pointer).is_some_and(is_address)
            && scope.entities.get(pointee).is_some_and(is_pointee);
        if !is_followed {
            scope.mark_incomplete(place.clone(), NOT_FOLLOWED);
        }
    }
    for CrayPointer { pointer, pointee, .. } in pairs {
        if let Some(entity) = scope.entities.get_mut(&pointee) {
            entity.attributes.pointer = true;
            entity.attributes.contiguous = true;
        }
        if !Clause::HeldAddresses.is_off() {
            join(scope, &[pointer, pointee]);
        }
    }
}

/// Can it be followed as what holds an address: one integer?
fn is_address(entity: &Entity<'_>) -> bool {
    entity.meaning == Meaning::Variable
        && entity.element().category == TypeCategory::Integer
        && entity.dimensions.is_empty()
        && !entity.assumed_rank
        && !entity.attributes.allocatable
        && !entity.attributes.pointer
        && entity.adopted_from.is_none()
        && entity.binding_label.is_none()
}

/// Can it be followed as a pointee: a variable without components, which has no memory of its own?
fn is_pointee(entity: &Entity<'_>) -> bool {
    let attributes = entity.attributes;
    let is_plain = !matches!(entity.element().category, TypeCategory::Derived | TypeCategory::Unknown);
    entity.meaning == Meaning::Variable
        && is_plain
        && !entity.assumed_rank
        && !attributes.allocatable
        && !attributes.pointer
        && !attributes.dummy
        && !attributes.save
        && !attributes.initialised
        && entity.common.is_none()
        && entity.overlay.is_none()
        && entity.adopted_from.is_none()
        && entity.binding_label.is_none()
}
