//! Type declaration statements and attribute statements.

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{all_children, child_of_kind, descendants_of_kinds, named_children};
use super::association::Found;
use super::declarations::{Reader, dimension_items};
use super::initial_values::{declared_values, read_declared_data};
use super::interfaces::is_null;
use super::scope::{Attributes, DeclaredDimension, Meaning};
use super::standard_modules::StandardName;
use super::units::Source;
use crate::ir::TypeCategory;

/// The declarators of a type declaration statement.
pub fn declarators_of(declaration: Node<'_>) -> Vec<Node<'_>> {
    declaration.children_by_field_name("declarator").filter(|node| node.is_named()).collect()
}

/// The name in a declarator of any form.
pub fn declarator_name(source: &Source<'_>, declarator: Node<'_>) -> Option<String> {
    let mut node = declarator;
    loop {
        match node.kind() {
            "identifier" | "name" | "method_name" => return Some(source.lower(node)),
            "sized_declarator" | "coarray_declarator" => node = named_children(node).into_iter().next()?,
            "init_declarator" | "pointer_init_declarator" | "data_declarator" => {
                node = node.child_by_field_name("left")?;
            }
            _ => return None,
        }
    }
}

/// `(0:n, *)`: the dimensions of a list.
pub(super) fn read_dimensions<'t>(list: Node<'t>) -> Vec<DeclaredDimension<'t>> {
    dimension_items(list).into_iter().filter(|item| item.kind() != "assumed_rank").map(read_dimension).collect()
}

fn read_dimension(item: Node<'_>) -> DeclaredDimension<'_> {
    match item.kind() {
        "assumed_size" => DeclaredDimension::AssumedSize { lower: None },
        "extent_specifier" => {
            let parts = all_children(item);
            let colon = parts.iter().position(|part| part.kind() == ":").unwrap_or(0);
            let lower = parts[..colon].iter().copied().find(|part| part.is_named());
            match parts[colon..].iter().copied().find(|part| part.is_named()) {
                None => DeclaredDimension::Open { lower },
                Some(upper) if upper.kind() == "assumed_size" => DeclaredDimension::AssumedSize { lower },
                Some(upper) => DeclaredDimension::Explicit { lower, upper },
            }
        }
        _ => DeclaredDimension::Explicit { lower: None, upper: item },
    }
}

/// The dimensions as others can use them: those of an included file are evaluated, for nobody else sees its text.
fn settled<'t>(
    reader: &mut Reader<'_, 't>,
    dimensions: Vec<DeclaredDimension<'t>>,
    place: Node<'t>,
) -> Vec<DeclaredDimension<'t>> {
    if reader.source.included_at.is_none() {
        return dimensions;
    }
    let mut result = Vec::with_capacity(dimensions.len());
    for dimension in dimensions {
        result.push(match dimension {
            DeclaredDimension::Explicit { lower, upper } => DeclaredDimension::Evaluated {
                lower: lower.map_or(Some(1), |lower| reader.evaluate(lower)),
                upper: reader.evaluate(upper),
            },
            DeclaredDimension::AssumedSize { lower: Some(lower) } => {
                DeclaredDimension::Evaluated { lower: reader.evaluate(lower), upper: None }
            }
            DeclaredDimension::Open { lower: Some(_) } => {
                reader.scope.mark_incomplete(Reader::range(place), "a bound of an array without a shape");
                DeclaredDimension::Open { lower: None }
            }
            simple => simple,
        });
    }
    result
}

/// What a length says: of `*8`, `*(8)` and `*((8))` it is 8. Of any other expression the value is not known here.
fn length_in_parentheses(length: &str) -> String {
    let text: String = length.chars().filter(|sign| *sign != '&' && !sign.is_whitespace()).collect();
    let mut rest = text.strip_prefix('*').unwrap_or(&text);
    while let Some(inside) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        rest = inside;
    }
    rest.to_owned()
}

/// Dimensions and character length that a declarator has of its own.
pub(super) fn read_declarator_shape<'t>(reader: &mut Reader<'_, 't>, name: &str, declarator: Node<'t>) {
    let mut node = declarator;
    while let Some(left) = node.child_by_field_name("left") {
        node = left;
    }
    if node.kind() == "coarray_declarator" {
        reader.scope.mark_obstacle(Reader::range(declarator), "a coarray");
        node = named_children(node).into_iter().next().unwrap_or(node);
    }
    if node.kind() != "sized_declarator" {
        return;
    }
    if let Some(size) = child_of_kind(node, "size") {
        let dimensions = settled(reader, read_dimensions(size), declarator);
        let entity = reader.scope.entity(name);
        entity.assumed_rank = child_of_kind(size, "assumed_rank").is_some();
        entity.dimensions = dimensions;
    }
    if let Some(length) = child_of_kind(node, "character_length") {
        let digits = length_in_parentheses(&reader.lower(length));
        let bytes = digits.parse().ok();
        let entity = reader.scope.entity(name);
        // `real x*8` gives a size in the same way.
        if let Some(declared) = &mut entity.declared_type {
            declared.element.bytes = bytes;
            if declared.element.category != TypeCategory::Character {
                let keyword = declared.spelling.as_deref().unwrap_or_default();
                let keyword: String = keyword.chars().take_while(char::is_ascii_alphabetic).collect();
                declared.spelling = Some(format!("{keyword}*{digits}"));
            }
        }
    }
}

/// What the attributes of one statement say.
struct AttributeList<'t> {
    attributes: Attributes,
    dimensions: Option<Vec<DeclaredDimension<'t>>>,
    assumed_rank: bool,
    parameter: bool,
    external: bool,
    public: Option<bool>,
    /// An attribute that the analyses know nothing of.
    foreign: Option<String>,
}

impl<'t> AttributeList<'t> {
    fn new() -> Self {
        Self {
            attributes: Attributes::default(),
            dimensions: None,
            assumed_rank: false,
            parameter: false,
            external: false,
            public: None,
            foreign: None,
        }
    }

    fn add(&mut self, source: &Source<'t>, qualifier: Node<'t>) {
        let keyword = all_children(qualifier).first().map_or(String::new(), |first| source.lower(*first));
        match keyword.as_str() {
            "allocatable" => self.attributes.allocatable = true,
            "pointer" => self.attributes.pointer = true,
            "target" => self.attributes.target = true,
            "volatile" => self.attributes.volatile = true,
            "save" | "static" => self.attributes.save = true,
            "value" => self.attributes.value = true,
            "contiguous" => self.attributes.contiguous = true,
            "intrinsic" => self.attributes.intrinsic = true,
            "parameter" => self.parameter = true,
            "external" => self.external = true,
            "public" => self.public = Some(true),
            "private" => self.public = Some(false),
            "dimension" => {
                if let Some(list) = child_of_kind(qualifier, "argument_list") {
                    self.assumed_rank = child_of_kind(list, "assumed_rank").is_some();
                    self.dimensions = Some(read_dimensions(list));
                }
            }
            "intent" => {
                let text: String = source.lower(qualifier).split_whitespace().collect();
                self.attributes.intent_out = text == "intent(out)";
                self.attributes.intent_in = text == "intent(in)";
            }
            "optional" => self.attributes.optional = true,
            "asynchronous" | "protected" | "automatic" | "kind" | "len" | "deferred" => {}
            _ => self.foreign = Some(keyword),
        }
    }

    fn apply(&self, reader: &mut Reader<'_, 't>, name: &str, place: Node<'t>) {
        if let Some(foreign) = &self.foreign {
            reader.scope.mark_obstacle(Reader::range(place), format!("the attribute {foreign}"));
        }
        match self.public {
            Some(true) => drop(reader.scope.public.insert(name.to_string())),
            Some(false) => drop(reader.scope.private.insert(name.to_string())),
            None => {}
        }
        let entity = reader.scope.entity(name);
        let old = entity.attributes;
        let new = self.attributes;
        entity.attributes = Attributes {
            allocatable: old.allocatable | new.allocatable,
            pointer: old.pointer | new.pointer,
            target: old.target | new.target,
            volatile: old.volatile | new.volatile,
            save: old.save | new.save,
            initialised: old.initialised,
            initially_null: old.initially_null,
            value: old.value | new.value,
            contiguous: old.contiguous | new.contiguous,
            intrinsic: old.intrinsic | new.intrinsic,
            intent_out: old.intent_out | new.intent_out,
            intent_in: old.intent_in | new.intent_in,
            dummy: old.dummy,
            optional: old.optional | new.optional,
        };
        if let Some(dimensions) = &self.dimensions {
            entity.assumed_rank = self.assumed_rank;
            let dimensions = settled(reader, dimensions.clone(), place);
            reader.scope.entity(name).dimensions = dimensions;
        }
        let entity = reader.scope.entity(name);
        if self.external {
            // A dummy procedure or a pointer can be any procedure.
            let any = entity.attributes.dummy || entity.attributes.pointer;
            entity.meaning = if any { Meaning::SomeProcedure } else { Meaning::External };
        }
    }
}

/// A type declaration statement.
pub fn read_variables<'t>(reader: &mut Reader<'_, 't>, part: Node<'t>) {
    let Some(type_node) = part.child_by_field_name("type") else {
        reader.scope.mark_incomplete(Reader::range(part), "a declaration without a type");
        return;
    };
    let declares_procedures = type_node.kind() == "procedure";
    let declared = reader.declared_type(type_node);
    let mut list = AttributeList::new();
    let attributes: Vec<Node<'t>> = part.children_by_field_name("attribute").collect();
    for attribute in attributes {
        if attribute.kind() == "language_binding" {
            reader.scope.mark_obstacle(Reader::range(attribute), "a variable with a binding to another language");
        } else if attribute.kind() == "type_qualifier" {
            list.add(reader.source, attribute);
        }
    }
    // Those of procedures stand beside their interface.
    for attribute in named_children(type_node).into_iter().filter(|child| child.kind() == "procedure_attribute") {
        list.add(reader.source, attribute);
    }
    list.external |= declares_procedures;
    let declarators: Vec<Node<'t>> = part.children_by_field_name("declarator").collect();
    for declarator in declarators.into_iter().filter(|declarator| declarator.is_named()) {
        let Some(name) = declarator_name(reader.source, declarator) else {
            reader.scope.mark_incomplete(Reader::range(declarator), "a declaration that can't be read");
            continue;
        };
        list.apply(reader, &name, part);
        let entity = reader.scope.entity(&name);
        entity.declared_type = Some(declared.clone());
        entity.declaration = Some(Reader::range(declarator));
        if declares_procedures {
            note_procedure_target(reader, declarator);
        }
        // `character(len=8), dimension(3) :: a, b(4)`: what the declarator says wins.
        read_declarator_shape(reader, &name, declarator);
        read_initial_value(reader, &name, declarator, list.parameter);
    }
}

/// Notes the procedure with which a pointer to procedures is associated from the beginning.
pub(super) fn note_procedure_target(reader: &mut Reader<'_, '_>, declarator: Node<'_>) {
    let target = declarator.child_by_field_name("right").map(|target| reader.lower(target));
    reader.scope.procedure_targets.extend(target.filter(|target| !target.starts_with("null")));
}

/// Notes the names in a value that is made of others: an object may have pointers to procedures.
pub(super) fn note_names_in_value(reader: &mut Reader<'_, '_>, value: Node<'_>) {
    for call in descendants_of_kinds(value, &["call_expression"]) {
        // What is called is no value.
        for list in named_children(call).into_iter().skip(1) {
            let names = descendants_of_kinds(list, &["identifier"]);
            reader.scope.names_in_values.extend(names.into_iter().map(|name| reader.source.lower(name)));
        }
    }
}

fn read_initial_value<'t>(reader: &mut Reader<'_, 't>, name: &str, declarator: Node<'t>, is_constant: bool) {
    let value = declarator.child_by_field_name("right");
    if let Some(value) = value {
        note_names_in_value(reader, value);
    }
    if is_constant {
        set_constant(reader, name, value);
        return;
    }
    match declarator.kind() {
        "init_declarator" => {
            let values = value.and_then(|value| declared_values(reader, name, value));
            let constant = value.and_then(|value| messaging_constant(reader, value));
            let entity = reader.scope.entity(name);
            entity.attributes.initialise();
            entity.initial_values = values;
            entity.initial_constant = constant.filter(|_| !entity.attributes.pointer);
        }
        "pointer_init_declarator" => {
            let is_null = value.is_some_and(|value| is_null(reader, value));
            let attributes = &mut reader.scope.entity(name).attributes;
            attributes.initially_null = is_null && !attributes.initialised;
            attributes.initialise();
        }
        "data_declarator" => read_declared_data(reader, name, value),
        _ => {}
    }
}

/// Makes `name` a constant; the value counts only if its type is integer, or logical.
fn set_constant(reader: &mut Reader<'_, '_>, name: &str, node: Option<Node<'_>>) {
    let value = node.and_then(|node| reader.evaluate(node));
    let truth = node.and_then(|node| reader.evaluate_truth(node));
    let stands_for = node.filter(|_| value.is_none()).and_then(|node| messaging_constant(reader, node));
    let implicit = reader.scope.implicit_type(name);
    let entity = reader.scope.entity(name);
    let declared = entity.declared_type.clone().or(implicit);
    let category = declared.map(|declared| declared.element.category);
    let is_integer = category == Some(TypeCategory::Integer);
    entity.meaning = Meaning::Constant(value.filter(|_| is_integer && entity.dimensions.is_empty()));
    entity.truth = truth.filter(|_| category == Some(TypeCategory::Logical) && entity.dimensions.is_empty());
    entity.stands_for = stands_for.filter(|_| entity.dimensions.is_empty());
    if is_integer && !entity.dimensions.is_empty() {
        let values = node.and_then(|node| declared_values(reader, name, node));
        reader.scope.entity(name).initial_values = values;
    }
}

/// The constant of MPI that a name alone stands for.
pub(super) fn messaging_constant(reader: &Reader<'_, '_>, node: Node<'_>) -> Option<String> {
    if node.kind() != "identifier" {
        return None;
    }
    match reader.scopes.find_in(&reader.scope, &reader.lower(node)) {
        Found::Standard(StandardName::Messaging(original)) => Some(original),
        Found::Entity { entity, .. } => entity.stands_for.clone(),
        _ => None,
    }
}

/// A PARAMETER statement.
pub fn read_parameters(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    for assignment in named_children(part) {
        if let [name, value] = named_children(assignment).as_slice() {
            let text = reader.lower(*name);
            note_names_in_value(reader, *value);
            set_constant(reader, &text, Some(*value));
        }
    }
}

/// A statement that gives attributes: DIMENSION, ALLOCATABLE, EXTERNAL, …
pub fn read_attribute_statement<'t>(reader: &mut Reader<'_, 't>, part: Node<'t>) {
    let mut list = AttributeList::new();
    match child_of_kind(part, "type_qualifier") {
        Some(qualifier) => list.add(reader.source, qualifier),
        None => reader.scope.mark_obstacle(Reader::range(part), "device attributes"),
    }
    let declarators: Vec<Node<'t>> = part.children_by_field_name("declarator").collect();
    for declarator in declarators.into_iter().filter(|declarator| declarator.is_named()) {
        let Some(name) = declarator_name(reader.source, declarator) else {
            reader.scope.mark_incomplete(Reader::range(declarator), "a declaration that can't be read");
            continue;
        };
        list.apply(reader, &name, part);
        read_declarator_shape(reader, &name, declarator);
    }
}

#[cfg(test)]
mod tests {
    use super::length_in_parentheses;

    #[test]
    fn lengths_are_numbers_or_not_known() {
        for (length, expected) in [("*8", Some(8)), ("*( & \n & 8 )", Some(8)), ("*((12))", Some(12))] {
            assert_eq!(length_in_parentheses(length).parse().ok(), expected, "{length}");
        }
        for length in ["*(*)", "*(2*(3))", "*(2*3)", "*((2)*(3))", "*(n)", "*:"] {
            assert_eq!(length_in_parentheses(length).parse::<u32>().ok(), None, "{length}");
        }
    }
}
