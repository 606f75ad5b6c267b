//! COMMON blocks that all units see alike (Fortran 2018, 8.10.2).
//!
//! The members of a block are one storage sequence, which every unit may cut and name in its own way. Where all units
//! that are given cut it alike, into members of the same types and bounds, each member is one variable of the whole
//! program, like one of a module, whatever its names are. Where they do not, or where EQUIVALENCE lays other variables
//! over the block, the block stays one piece of memory in which anything may overlap.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::association::Scopes;
use super::constants::{ConstantNames, evaluate};
use super::constants_in_scope::NamesOf;
use super::scope::{DeclaredDimension, Entity, Scope};
use super::units::{Source, Units};
use crate::ir::{Place, TypeCategory};

/// Which COMMON blocks are seen alike.
#[derive(Debug, Default)]
pub struct CommonBlocks {
    /// Each with the number of members that the longest view of it has.
    alike: HashMap<String, usize>,
    /// There are blocks at all.
    are_any: bool,
}

/// Type and bounds of a member.
#[derive(Debug, Clone, PartialEq)]
struct Member {
    category: TypeCategory,
    bytes: u32,
    bounds: Vec<(i64, i64)>,
}

impl CommonBlocks {
    /// Compares the views of all units.
    pub fn of(sources: &[Source<'_>], units: &Units<'_>, scopes: &Scopes<'_>) -> Self {
        // The longest view of each block; `None` where two views differ.
        let mut longest: BTreeMap<&str, Option<Vec<Member>>> = BTreeMap::new();
        for (unit, scope) in units.list.iter().zip(&scopes.list) {
            let Some(scope) = scope else { continue };
            for (block, names) in &scope.blocks {
                let view = view_of(&sources[unit.source], scopes, scope, names);
                let known = longest.entry(block).or_insert_with(|| Some(Vec::new()));
                *known = match (known.take(), view) {
                    (Some(known), Some(view)) if known.starts_with(&view) => Some(known),
                    (Some(known), Some(view)) if view.starts_with(&known) => Some(view),
                    _ => None,
                };
            }
        }
        // What EQUIVALENCE adds to a block is not among its members.
        for entity in scopes.list.iter().flatten().flat_map(|scope| scope.entities.values()) {
            if let (Some(block), Some(_)) = (&entity.common, entity.overlay)
                && let Some(known) = longest.get_mut(block.as_str())
            {
                *known = None;
            }
        }
        let alike = longest.into_iter().filter_map(|(block, view)| Some((block.to_string(), view?.len())));
        let are_any = scopes.list.iter().flatten().any(|scope| !scope.blocks.is_empty());
        Self { alike: alike.collect(), are_any }
    }

    /// Does the program have COMMON blocks?
    pub fn are_any(&self) -> bool {
        self.are_any
    }

    /// The place of the member `name` of `block`, which `scope` declares: the member alone, or the whole block.
    pub fn place(&self, scope: &Scope<'_>, block: &str, name: &str) -> Place {
        match position(scope, block, name).filter(|_| self.alike.contains_key(block)) {
            Some(position) => Place::Member { block: block_of(block), position },
            None => Place::Block(block_of(block)),
        }
    }

    /// Does no unit declare a member behind this one?
    pub fn is_last(&self, scope: &Scope<'_>, block: &str, name: &str) -> bool {
        let members = self.alike.get(block);
        position(scope, block, name).is_some_and(|position| members == Some(&(position + 1)))
    }
}

/// The COMMON block with this name: between slashes, so that no other block has it.
fn block_of(name: &str) -> Arc<str> {
    format!("/{name}/").into()
}

/// The number of the member `name` of `block` among those that `scope` declares.
fn position(scope: &Scope<'_>, block: &str, name: &str) -> Option<usize> {
    scope.blocks.get(block)?.iter().position(|member| member == name)
}

/// The members as one unit declares them; `None` if they are not known in full.
fn view_of(source: &Source<'_>, scopes: &Scopes<'_>, scope: &Scope<'_>, names: &[String]) -> Option<Vec<Member>> {
    if scope.incomplete.is_some() {
        return None;
    }
    names.iter().map(|name| member(source, scopes, scope, scope.entities.get(name)?)).collect()
}

fn member(source: &Source<'_>, scopes: &Scopes<'_>, scope: &Scope<'_>, entity: &Entity<'_>) -> Option<Member> {
    let attributes = entity.attributes;
    let element = entity.element();
    if attributes.pointer || attributes.allocatable || entity.assumed_rank || element.category == TypeCategory::Derived
    {
        return None;
    }
    let names = NamesOf { scopes, scope };
    let value = |node| evaluate(source.original, node, &names as &dyn ConstantNames);
    let bounds = entity.dimensions.iter().map(|dimension| match *dimension {
        DeclaredDimension::Explicit { lower, upper } => Some((lower.map_or(Some(1), value)?, value(upper)?)),
        DeclaredDimension::Evaluated { lower, upper } => Some((lower?, upper?)),
        DeclaredDimension::Open { .. } | DeclaredDimension::AssumedSize { .. } => None,
    });
    Some(Member { category: element.category, bytes: element.bytes?, bounds: bounds.collect::<Option<_>>()? })
}
