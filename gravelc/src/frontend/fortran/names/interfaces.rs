//! Interface blocks and definitions of derived types.

use std::collections::HashMap;

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{child_of_kind, descendants_of_kinds, has_child, named_children};
use super::bindings::{passed_object, read_bindings};
use super::declarations::Reader;
use super::language_bindings::binding_label;
use super::operation_names::operation_named;
use super::scope::{Component, DeclaredDimension, DerivedType, Meaning, ProcedureComponent};
use super::submodules::has_module_prefix;
use super::units::Source;
use super::variable_declarations::{
    declarator_name, messaging_constant, note_names_in_value, note_procedure_target, read_dimensions,
};
use crate::ir::{ElementType, InitialComponent, TypeCategory};
use crate::mpi::datatypes::predefined;

/// An interface block: procedures that are declared, generic names.
pub(super) fn read_interface(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    let header = child_of_kind(part, "interface_statement");
    let is_abstract = header.is_some_and(|header| has_child(header, "abstract_specifier"));
    let mut specifics = Vec::new();
    for child in named_children(part) {
        match child.kind() {
            "interface_statement" | "end_interface_statement" | "import_statement" => {}
            "subroutine" | "function" => specifics.extend(read_body(reader, child, is_abstract)),
            // The specific procedures are declared elsewhere.
            "procedure_statement" => {
                let names = child.children_by_field_name("declarator").filter(|node| node.is_named());
                specifics.extend(names.map(|name| reader.lower(name)));
            }
            kind => {
                let why = format!("an interface with {}", kind.replace('_', " "));
                reader.scope.mark_incomplete(Reader::range(child), why);
            }
        }
    }
    let Some(header) = header else { return };
    if let Some(generic) = child_of_kind(header, "name") {
        let name = reader.lower(generic);
        let entity = reader.scope.entity(&name);
        // The generic name may be that of an external procedure behind it, which it goes on to mean where the name stands
        // for that one (Fortran 2018, 15.4.3.4.1).
        if entity.meaning != Meaning::External {
            entity.meaning = Meaning::SomeProcedure;
        }
        entity.declaration = Some(Reader::range(header));
        entity.specifics.get_or_insert_default().extend(specifics.iter().cloned());
    }
    let listed = specifics.clone();
    let operation = child_of_kind(header, "operator").or_else(|| child_of_kind(header, "assignment"));
    if let Some(operation) = operation.map(|operation| operation_named(&reader.lower(operation))) {
        reader.scope.operations.extend(specifics.into_iter().map(|procedure| (operation.clone(), procedure)));
    }
    if has_child(header, "defined_io_procedure") {
        reader.scope.procedures_of_objects.extend(listed);
    }
    let defines = ["operator", "assignment", "defined_io_procedure"];
    reader.scope.defines_operations |= defines.iter().any(|kind| has_child(header, kind));
    reader.scope.defines_input_output |= has_child(header, "defined_io_procedure");
}

/// The declaration of a procedure: gives its name.
fn read_body(reader: &mut Reader<'_, '_>, body: Node<'_>, is_abstract: bool) -> Option<String> {
    let header_kind = format!("{}_statement", body.kind());
    let header = child_of_kind(body, &header_kind)?;
    let name = child_of_kind(header, "name").map(|name| reader.lower(name))?;
    let parameters = child_of_kind(header, "parameters").map(named_children).unwrap_or_default();
    let dummies: Vec<String> = parameters.into_iter().map(|dummy| reader.lower(dummy)).collect();
    let known = reader.scope.interface_dummies.entry(name.clone()).or_insert_with(|| dummies.clone());
    if *known != dummies {
        known.clear();
    }
    // A name for another language is not the name of a procedure here.
    let binding_label = binding_label(reader.source, header, &name);
    // Where its body is among the files, that is noted when all units have been read.
    let is_separate = has_module_prefix(reader.source, header);
    let entity = reader.scope.entity(&name);
    let any = is_abstract || is_separate || entity.attributes.dummy || entity.attributes.pointer;
    let is_foreign = binding_label.is_some();
    entity.binding_label = binding_label.filter(|_| !any);
    entity.meaning = if any || is_foreign { Meaning::SomeProcedure } else { Meaning::External };
    entity.declaration = Some(Reader::range(header));
    Some(name)
}

/// The definition of a derived type.
pub(super) fn read_derived_type(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    let Some(header) = child_of_kind(part, "derived_type_statement") else { return };
    let Some(name) = child_of_kind(header, "type_name").map(|name| reader.lower(name)) else { return };
    if has_child(header, "derived_type_parameter_list") {
        reader.scope.mark_incomplete(Reader::range(header), "a parameterised derived type");
    }
    if let Some(access) = child_of_kind(header, "access_specifier") {
        let is_public = reader.lower(access) == "public";
        let list = if is_public { &mut reader.scope.public } else { &mut reader.scope.private };
        list.insert(name.clone());
    }
    let parent = child_of_kind(header, "base_type_specifier").and_then(|base| child_of_kind(base, "identifier"));
    let parent = parent.map(|parent| reader.lower(parent));
    let mut definition = DerivedType {
        name: name.clone(),
        span: reader.source.span_of(part),
        other_views: other_views(reader.source, part, header),
        private_components: has_child(part, "private_statement"),
        components: HashMap::new(),
        bindings: HashMap::new(),
        generics: HashMap::new(),
        parent,
        initialised: false,
    };
    for child in named_children(part) {
        match child.kind() {
            "derived_type_statement"
            | "end_type_statement"
            | "sequence_statement"
            | "public_statement"
            | "private_statement" => {}
            "variable_declaration" => read_components(reader, child, &mut definition),
            "derived_type_procedures" => read_bindings(reader, child, &mut definition),
            kind => {
                let why = format!("a derived type with {}", kind.replace('_', " "));
                reader.scope.mark_incomplete(Reader::range(child), why);
            }
        }
    }
    reader.scope.types.insert(name, definition);
}

/// Why objects of the type may hold more than its components say, or be seen as something else.
fn other_views(source: &Source<'_>, part: Node<'_>, header: Node<'_>) -> Option<&'static str> {
    if has_child(part, "sequence_statement") {
        return Some("has SEQUENCE, so that its components lie in memory as it says");
    }
    if !descendants_of_kinds(header, &["language_binding"]).is_empty() {
        return Some("has BIND(C), so that its components lie in memory as C has them");
    }
    if has_child(header, "derived_type_parameter_list") {
        return Some("has parameters");
    }
    let mut lines = source.original[part.start_byte()..part.end_byte()].split(|&byte| byte == b'\n');
    let is_directive = |line: &[u8]| line.trim_ascii_start().starts_with(b"#");
    lines.any(is_directive).then_some("has lines that speak to the preprocessor")
}

fn read_components(reader: &mut Reader<'_, '_>, part: Node<'_>, definition: &mut DerivedType) {
    let Some(type_node) = part.child_by_field_name("type") else { return };
    let procedure = (type_node.kind() == "procedure").then(|| ProcedureComponent {
        passed: passed_object(reader, type_node),
        interface: child_of_kind(type_node, "procedure_interface").map(|name| reader.lower(name)),
    });
    let declared_type = reader.declared_type(type_node);
    let attributes: Vec<Node<'_>> = part.children_by_field_name("attribute").collect();
    let has_attribute = |name| attributes.iter().any(|&attribute| reader.lower(attribute) == name);
    let (pointer, allocatable) = (procedure.is_some() || has_attribute("pointer"), has_attribute("allocatable"));
    let is_public = has_attribute("public").then_some(true).or(has_attribute("private").then_some(false));
    let dimensions = attributes.iter().find_map(|&attribute| child_of_kind(attribute, "argument_list"));
    for declarator in part.children_by_field_name("declarator").filter(|node| node.is_named()) {
        match declarator_name(reader.source, declarator) {
            Some(name) => {
                let value = declarator.child_by_field_name("right");
                if procedure.is_some() {
                    note_procedure_target(reader, declarator);
                }
                if let Some(value) = value {
                    note_names_in_value(reader, value);
                }
                let component = Component {
                    pointer,
                    procedure: procedure.clone(),
                    declared_type: declared_type.clone(),
                    allocatable,
                    dimensions: component_dimensions(reader, declarator, dimensions),
                    initial: value.map(|value| initial_component(reader, value)),
                    is_public,
                };
                definition.components.insert(name, component);
                definition.initialised |= value.is_some();
            }
            None => reader.scope.mark_incomplete(Reader::range(declarator), "a component that can't be read"),
        }
    }
}

/// The bounds of a component, whose dimensions may stand behind its name or in `dimensions`.
fn component_dimensions(
    reader: &Reader<'_, '_>,
    declarator: Node<'_>,
    dimensions: Option<Node<'_>>,
) -> Vec<(Option<i64>, Option<i64>)> {
    let own =
        descendants_of_kinds(declarator, &["sized_declarator"]).first().and_then(|sized| child_of_kind(*sized, "size"));
    let bounds = |dimension| match dimension {
        DeclaredDimension::Explicit { lower, upper } => {
            (lower.map_or(Some(1), |lower| reader.evaluate(lower)), reader.evaluate(upper))
        }
        DeclaredDimension::Evaluated { lower, upper } => (lower, upper),
        DeclaredDimension::Open { .. } | DeclaredDimension::AssumedSize { .. } => (None, None),
    };
    own.or(dimensions).map_or(Vec::new(), |list| read_dimensions(list).into_iter().map(bounds).collect())
}

/// What a component has from the beginning.
fn initial_component(reader: &Reader<'_, '_>, value: Node<'_>) -> InitialComponent {
    if let Some(number) = reader.evaluate(value) {
        return InitialComponent::Number(number);
    }
    match messaging_constant(reader, value) {
        Some(name) => {
            let nothing = ElementType { category: TypeCategory::Unknown, bytes: None };
            let element = predefined(&name).unwrap_or(nothing);
            InitialComponent::Constant(name, element)
        }
        None if is_null(reader, value) => InitialComponent::Null,
        None => InitialComponent::Unknown,
    }
}

/// Is this initial target of a pointer none?
pub(super) fn is_null(reader: &Reader<'_, '_>, value: Node<'_>) -> bool {
    reader.lower(value).replace(' ', "") == "null()"
}
