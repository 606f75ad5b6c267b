//! COMMON blocks and EQUIVALENCE (Fortran 2018, 8.10).

use std::collections::HashMap;

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{child_of_kind, descendants_of_kinds, named_children};
use super::declarations::Reader;
use super::scope::Scope;
use super::variable_declarations::{declarator_name, read_declarator_shape};

/// The name of a COMMON block, which blank COMMON does not have.
pub fn block_name(block: &str) -> Option<&str> {
    Some(block).filter(|name| !name.is_empty())
}

/// A COMMON statement.
pub(super) fn read_common<'t>(reader: &mut Reader<'_, 't>, part: Node<'t>) {
    for child in named_children(part) {
        if child.kind() == "variable_group" {
            let name = child_of_kind(child, "name").map(|name| reader.lower(name)).unwrap_or_default();
            for member in named_children(child).into_iter().filter(|member| member.kind() != "name") {
                add_member(reader, &name, member);
            }
        } else {
            add_member(reader, "", child);
        }
    }
}

fn add_member<'t>(reader: &mut Reader<'_, 't>, block: &str, member: Node<'t>) {
    let Some(name) = declarator_name(reader.source, member) else {
        reader.scope.mark_incomplete(Reader::range(member), "a member of COMMON that can't be read");
        return;
    };
    read_declarator_shape(reader, &name, member);
    reader.scope.entity(&name).common = Some(block.to_owned());
    reader.scope.blocks.entry(block.to_owned()).or_default().push(name);
}

/// An EQUIVALENCE statement: the numbers of the sets that share members become the same.
pub(super) fn read_equivalence(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    for set in named_children(part).into_iter().filter(|child| child.kind() == "equivalence_set") {
        let mut members = Vec::new();
        for item in named_children(set) {
            members.extend(descendants_of_kinds(item, &["identifier"]).first().map(|name| reader.lower(*name)));
        }
        for name in &members {
            reader.scope.entity(name);
        }
        join(&mut reader.scope, &members);
    }
}

/// Lets all `members` share memory.
pub(super) fn join(scope: &mut Scope<'_>, members: &[String]) {
    let free = scope.entities.values().filter_map(|entity| entity.overlay).max().map_or(0, |highest| highest + 1);
    let overlay_of = |name: &String| scope.entities.get(name).and_then(|entity| entity.overlay);
    let joined: Vec<usize> = members.iter().filter_map(overlay_of).collect();
    for (name, entity) in &mut scope.entities {
        if members.contains(name) || entity.overlay.is_some_and(|overlay| joined.contains(&overlay)) {
            entity.overlay = Some(free);
        }
    }
}

/// After all declarations: a set that reaches into a COMMON block can extend over all of it, and what shares memory with
/// something that lives for ever lives for ever.
pub(super) fn associate_commons(scope: &mut Scope<'_>) {
    let mut blocks: HashMap<String, Vec<String>> = HashMap::new();
    for name in &scope.order {
        if let Some(block) = &scope.entities[name].common {
            blocks.entry(block.clone()).or_default().push(name.clone());
        }
    }
    let mut keys: Vec<String> = blocks.keys().cloned().collect();
    keys.sort();
    for key in keys {
        let members = &blocks[&key];
        if members.iter().any(|name| scope.entities[name].overlay.is_some()) {
            join(scope, members);
        }
    }
    let mut common_of: HashMap<usize, String> = HashMap::new();
    let mut kept: HashMap<usize, (bool, bool)> = HashMap::new();
    for name in &scope.order {
        let entity = &scope.entities[name];
        if let Some(overlay) = entity.overlay {
            if let Some(block) = &entity.common {
                common_of.entry(overlay).or_insert_with(|| block.clone());
            }
            let (saved, initialised) = kept.entry(overlay).or_default();
            *saved |= entity.attributes.save;
            *initialised |= entity.attributes.initialised;
        }
    }
    for entity in scope.entities.values_mut() {
        if let Some(overlay) = entity.overlay {
            if entity.common.is_none() {
                entity.common = common_of.get(&overlay).cloned();
            }
            let (saved, initialised) = kept.get(&overlay).copied().unwrap_or_default();
            entity.attributes.save |= saved;
            entity.attributes.initialised |= initialised;
        }
    }
}
