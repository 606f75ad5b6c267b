//! What BLOCK constructs declare (Fortran 2018, 11.1.4), and which names constructs give to something.
//!
//! The declarations of a BLOCK are read when the scopes are, into a scope of its own whose host is the procedure. Only those
//! of variables and constants are: with others (USE, IMPORT, types, interfaces) its scope is incomplete.

use std::collections::HashSet;
use std::ops::Range;

use super::super::text::syntax_tree::Node;
use super::super::text::tree::{child_of_kind, constructs_of_kinds, descendants_of_kinds, named_children};
use super::association::Scopes;
use super::declarations::{Reader, finish, is_executable, read_save};
use super::initial_values::read_data;
use super::scope::{Meaning, Scope, default_typing};
use super::units::{Source, Unit, UnitIndex, Units};
use super::variable_declarations::{
    declarator_name, declarators_of, read_attribute_statement, read_parameters, read_variables,
};
use crate::ir::UntouchableCause;
use crate::mpi::{constants, routines};

/// The constructs that give names to something.
const CONSTRUCTS: [&str; 4] =
    ["associate_statement", "block_construct", "select_type_statement", "select_rank_statement"];

/// The names that a construct itself gives to something, with their places.
fn names_of_construct(source: &Source<'_>, construct: Node<'_>) -> Vec<(String, Range<usize>)> {
    let named = |node: Node<'_>| (source.lower(node), node.byte_range());
    match construct.kind() {
        "associate_statement" => {
            let list = child_of_kind(construct, "association_list").map(named_children).unwrap_or_default();
            list.into_iter().filter_map(|association| association.child_by_field_name("name")).map(named).collect()
        }
        "select_type_statement" | "select_rank_statement" => {
            let selector = child_of_kind(construct, "selector").map(named_children).unwrap_or_default();
            let association = selector.first().filter(|it| it.kind() == "pointer_association_statement");
            association.and_then(|it| named_children(*it).first().copied()).map(named).into_iter().collect()
        }
        _ => declarators(construct)
            .into_iter()
            .filter_map(|node| Some((declarator_name(source, node)?, node.byte_range())))
            .collect(),
    }
}

/// What the declarations of a BLOCK declare.
fn declarators(block: Node<'_>) -> Vec<Node<'_>> {
    declarations_of(block).0.into_iter().flat_map(declarators_of).collect()
}

/// The declarations of a BLOCK, and where its statements begin.
pub fn declarations_of(block: Node<'_>) -> (Vec<Node<'_>>, usize) {
    let mut found = Vec::new();
    let mut label: Option<usize> = None;
    for part in named_children(block) {
        match part.kind() {
            "block_label_start_expression" | "block_label" => {}
            "statement_label" => label = Some(part.start_byte()),
            "end_block_construct_statement" => return (found, label.unwrap_or(part.start_byte())),
            _ if is_executable(part) => return (found, label.unwrap_or(part.start_byte())),
            _ => {
                label = None;
                found.push(part);
            }
        }
    }
    (found, block.end_byte())
}

/// Adds the names that constructs among the statements of a unit give to something to those of its scope. The unit has to stay as it is
/// where such a name is one that the emitter may write.
pub fn note_names_of_constructs(reader: &mut Reader<'_, '_>, unit: &Unit<'_>) {
    let parts = unit.parts.iter().filter(|part| is_executable(**part));
    let constructs = parts.flat_map(|part| constructs_of_kinds(*part, &CONSTRUCTS));
    for (name, range) in constructs.flat_map(|construct| names_of_construct(reader.source, construct)) {
        let is_written = ["gravel", "pmpi_"].iter().any(|begin| name.starts_with(begin))
            || routines::is_known(&name)
            || constants::is_known(&name) && !constants::is_of_version(&name);
        if is_written {
            let why = format!("a construct gives another meaning to `{name}`");
            reader.scope.mark_obstacle_for(UntouchableCause::Replaced, range, why);
        }
        reader.scope.construct_names.insert(name);
    }
}

/// Reads the declarations of all BLOCK constructs of a unit whose own declarations have been read.
pub fn read_blocks<'t>(sources: &[Source<'t>], units: &Units<'t>, index: UnitIndex, scopes: &mut Scopes<'t>) {
    let unit = &units.list[index];
    let source = &sources[unit.source];
    let parts = unit.parts.iter().filter(|part| is_executable(**part));
    for block in parts.flat_map(|part| constructs_of_kinds(*part, &["block_construct"])) {
        let scope = read_block(source, index, block, scopes);
        scopes.blocks.insert((unit.source, block.start_byte()), scope);
    }
}

fn read_block<'t>(source: &Source<'t>, index: UnitIndex, block: Node<'t>, scopes: &Scopes<'t>) -> Scope<'t> {
    let implicit = scopes.list[index]
        .as_ref()
        .map_or_else(|| default_typing(scopes.default_kinds[index]), |scope| scope.implicit.clone());
    let scope = Scope::new(index, Some(index), implicit);
    let mut reader = Reader { source, scopes, scope };
    let (parts, end) = declarations_of(block);
    let range = block.start_byte()..end;
    for part in &parts {
        match part.kind() {
            kind if part.has_error() => {
                let why = format!("syntax error in {}", kind.replace('_', " "));
                reader.scope.mark_incomplete(Reader::range(*part), why);
            }
            "variable_declaration" => read_variables(&mut reader, *part),
            "variable_modification" => read_attribute_statement(&mut reader, *part),
            "parameter_statement" => read_parameters(&mut reader, *part),
            "save_statement" => read_save(&mut reader, *part),
            "data_statement" => read_data(&mut reader, *part),
            kind => {
                let why = kind.replace('_', " ");
                reader.scope.mark_incomplete(Reader::range(*part), why);
            }
        }
    }
    finish(&mut reader);
    let preprocessing = &source.parsed.preprocessing;
    let holes = source.parsed.holes.iter().map(|hole| &hole.range);
    let unread = holes.chain(preprocessing.choices.iter().map(|choice| &choice.range));
    for hole in unread.filter(|hole| hole.start < range.end && hole.end > range.start) {
        reader.scope.mark_incomplete(hole.clone(), "lines that can't be read");
    }
    // Declarations are evaluated with the names of the procedure.
    let around: HashSet<String> = std::iter::successors(block.parent(), |node| node.parent())
        .filter(|node| CONSTRUCTS.contains(&node.kind()))
        .flat_map(|node| names_of_construct(source, node))
        .map(|(name, _)| name)
        .collect();
    let words = parts.iter().flat_map(|part| descendants_of_kinds(*part, &["identifier"]));
    let is_of_construct = |word: &Node<'_>| {
        let word = source.lower(*word);
        around.contains(&word) && !reader.scope.entities.contains_key(&word)
    };
    if let Some(word) = words.into_iter().find(is_of_construct) {
        reader.scope.mark_incomplete(Reader::range(word), "a declaration with a name of a construct around");
    }
    // VOLATILE and the like may speak of variables of the procedure.
    let declared: HashSet<String> = parts
        .iter()
        .filter(|part| part.kind() == "variable_declaration")
        .flat_map(|part| declarators_of(*part))
        .filter_map(|node| declarator_name(source, node))
        .collect();
    if reader.scope.order.iter().any(|name| !declared.contains(name)) {
        reader.scope.mark_incomplete(range.clone(), "attributes of a variable that it does not declare");
    }
    let is_plain = |meaning: &Meaning| matches!(meaning, Meaning::Variable | Meaning::Constant(_));
    if reader.scope.entities.values().any(|entity| !is_plain(&entity.meaning) || entity.attributes.intrinsic) {
        reader.scope.mark_incomplete(range, "a declaration of a procedure");
    }
    reader.scope
}
