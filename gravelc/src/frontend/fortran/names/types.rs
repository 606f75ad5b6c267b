//! Type specifications: categories, kinds and sizes.

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{child_of_kind, lower_text, named_children};
use super::constants::{ConstantNames, evaluate};
use super::scope::DeclaredType;
use crate::ir::TypeCategory;

/// The type that `node` (an `intrinsic_type`, `derived_type`, … of the grammar) stands for.
pub fn declared_type(text: &[u8], node: Node<'_>, names: &dyn ConstantNames) -> DeclaredType {
    match node.kind() {
        "intrinsic_type" => {
            let spelling = lower_text(text, node).split_whitespace().collect();
            DeclaredType { spelling: Some(spelling), ..intrinsic_type(text, node, names) }
        }
        "derived_type" => derived_type(text, node),
        _ => DeclaredType::unknown(),
    }
}

/// The size in bytes of one element of an intrinsic type of this kind, as gfortran has it.
fn bytes_of_kind(category: TypeCategory, kind: i64) -> Option<u32> {
    match (category, kind) {
        (TypeCategory::Integer | TypeCategory::Logical, 1 | 2 | 4 | 8 | 16) | (TypeCategory::Real, 2 | 4 | 8 | 16) => {
            u32::try_from(kind).ok()
        }
        (TypeCategory::Complex, 2 | 4 | 8 | 16) => u32::try_from(2 * kind).ok(),
        _ => None,
    }
}

fn intrinsic_type(text: &[u8], node: Node<'_>, names: &dyn ConstantNames) -> DeclaredType {
    let keyword: String =
        node.children().filter(|child| !child.is_named() && child.kind() != "&").map(|child| child.kind()).collect();
    let category = match keyword.as_str() {
        "integer" | "byte" => TypeCategory::Integer,
        "real" | "doubleprecision" => TypeCategory::Real,
        "complex" | "doublecomplex" => TypeCategory::Complex,
        "logical" => TypeCategory::Logical,
        "character" => TypeCategory::Character,
        _ => return DeclaredType::unknown(),
    };
    let kind = child_of_kind(node, "kind");
    if category == TypeCategory::Character {
        let length = kind.map_or(Some(1), |kind| character_length(text, kind, names));
        return DeclaredType::intrinsic(category, length);
    }
    let kinds = names.default_kinds();
    let bytes = match (keyword.as_str(), kind) {
        ("doubleprecision", _) => kinds.double,
        ("doublecomplex", _) => kinds.double.map(|bytes| 2 * bytes),
        ("byte", _) => Some(1),
        ("real", None) => kinds.real,
        ("complex", None) => kinds.real.map(|bytes| 2 * bytes),
        (_, None) => Some(4),
        ("real" | "complex", _) if !kinds.kinds_are_bytes => None,
        ("integer" | "logical", _) if !kinds.kind_4_is_default_integer => None,
        (_, Some(kind)) => kind_bytes(text, category, kind, names),
    };
    DeclaredType::intrinsic(category, bytes)
}

/// `(8)`, `(kind=dp)` or `*8`.
fn kind_bytes(text: &[u8], category: TypeCategory, kind: Node<'_>, names: &dyn ConstantNames) -> Option<u32> {
    let children = named_children(kind);
    let &[argument] = children.as_slice() else { return None };
    if lower_text(text, kind).starts_with('*') {
        // The old form gives bytes, of both parts of a complex number.
        let bytes = u32::try_from(evaluate(text, argument, names)?).ok()?;
        let kind = if category == TypeCategory::Complex { bytes / 2 } else { bytes };
        return bytes_of_kind(category, i64::from(kind));
    }
    let value = if argument.kind() == "keyword_argument" { argument.child_by_field_name("value")? } else { argument };
    bytes_of_kind(category, evaluate(text, value, names)?)
}

/// The length of `character(...)` or `character*n`; `None` if it is not constant or the characters are not of one byte.
fn character_length(text: &[u8], kind: Node<'_>, names: &dyn ConstantNames) -> Option<u32> {
    let mut length: Option<u32> = Some(1);
    for (position, argument) in named_children(kind).into_iter().enumerate() {
        let (name, value) = if argument.kind() == "keyword_argument" {
            (lower_text(text, argument.child_by_field_name("name")?), argument.child_by_field_name("value")?)
        } else {
            (["len", "kind"].get(position)?.to_string(), argument)
        };
        let value = evaluate(text, value, names);
        match name.as_str() {
            "len" => length = value.and_then(|length| u32::try_from(length.max(0)).ok()),
            "kind" if value == Some(1) => {}
            _ => return None,
        }
    }
    length
}

fn derived_type(text: &[u8], node: Node<'_>) -> DeclaredType {
    let mut declared = DeclaredType::intrinsic(TypeCategory::Derived, None);
    declared.polymorphic = lower_text(text, node).starts_with("class");
    match node.child_by_field_name("name") {
        Some(name) if name.kind() == "type_name" => declared.derived = Some(lower_text(text, name)),
        // `type(*)`, `class(*)` and `type(integer)`
        _ => declared.element.category = TypeCategory::Unknown,
    }
    declared
}
