//! Procedures that are bound to types: what is declared, and what a reference through an object may mean
//! (Fortran 2018, 7.5.5, 7.5.7.3 and 15.5.6).
//!
//! The object of a CLASS may be of any type that extends the declared one, and each of them may have another procedure under
//! the same name. All types that are given are looked at. Whether there are others can't be told here; so such a reference is
//! said to be open.

use std::collections::{BTreeSet, HashMap};

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{all_children, child_of_kind, descendants_of_kinds, named_children};
use super::association::Scopes;
use super::declarations::Reader;
use super::members::MOST_GENERATIONS;
use super::operation_names::operation_named;
use super::scope::{DeclaredType, DerivedType};
use super::units::{Source, UnitIndex};
use crate::ir::ProcedureId;
use crate::mutations::Clause;

/// A binding that is not generic.
#[derive(Debug, Clone)]
pub struct Binding {
    /// The procedure, as the unit of the type calls it; `None` where extensions provide it (DEFERRED).
    pub procedure: Option<String>,
    /// Where the object goes.
    pub passed: PassedObject,
    /// Extensions may have another procedure under this name.
    pub is_overridable: bool,
}

/// The argument that the object becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassedObject {
    /// The first one.
    First,
    /// The dummy argument of this name (PASS).
    To(String),
    /// None (NOPASS).
    Nowhere,
}

/// What a reference through an object may mean.
#[derive(Debug)]
pub struct Bound {
    /// One of these procedures.
    pub procedures: Vec<ProcedureId>,
    /// Where the object goes.
    pub passed: PassedObject,
    /// Or that of a type that was not given.
    pub is_open: bool,
}

/// A type: the unit that defines it and its name there.
type TypeName = (UnitIndex, String);

/// Which types extend which.
pub struct Extensions {
    /// The types that name this one as their parent.
    children: HashMap<TypeName, Vec<TypeName>>,
    /// Every type of the files that extends another one is among them.
    is_complete: bool,
}

/// Reads what stands behind CONTAINS in the definition of a type.
pub(super) fn read_bindings(reader: &mut Reader<'_, '_>, part: Node<'_>, definition: &mut DerivedType) {
    for child in named_children(part) {
        match child.kind() {
            // A finaliser runs wherever a variable of the type ends or is assigned.
            "final_statement" => {
                reader.scope.defines_operations = true;
                reader.scope.defines_finalisers = true;
                let names = descendants_of_kinds(child, &["method_name", "identifier", "name"]);
                let names: Vec<String> = names.into_iter().map(|name| reader.lower(name)).collect();
                reader.scope.procedures_of_objects.extend(names);
            }
            "procedure_statement" => read_specific(reader, child, definition),
            "generic_statement" => read_generic(reader, child, definition),
            "private_statement" | "contains_statement" => {}
            kind => {
                let why = format!("a derived type with {}", kind.replace('_', " "));
                reader.scope.mark_incomplete(Reader::range(child), why);
            }
        }
    }
}

fn attributes_of_procedure(declaration: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    named_children(declaration).into_iter().filter(|child| child.kind() == "procedure_attribute")
}

/// Where the object goes, as the declaration of a binding or of a component that is a pointer to procedures says.
pub(super) fn passed_object(reader: &Reader<'_, '_>, declaration: Node<'_>) -> PassedObject {
    let mut passed = PassedObject::First;
    for attribute in attributes_of_procedure(declaration) {
        match child_of_kind(attribute, "identifier") {
            Some(argument) => passed = PassedObject::To(reader.lower(argument)),
            None if reader.lower(attribute) == "nopass" => passed = PassedObject::Nowhere,
            None => {}
        }
    }
    passed
}

/// `PROCEDURE, PASS(self) :: name => procedure, other`
fn read_specific(reader: &mut Reader<'_, '_>, statement: Node<'_>, definition: &mut DerivedType) {
    let passed = passed_object(reader, statement);
    let attributes: Vec<String> = attributes_of_procedure(statement).map(|attribute| reader.lower(attribute)).collect();
    let has_attribute = |name: &str| attributes.iter().any(|attribute| attribute == name);
    let (is_deferred, is_overridable) = (has_attribute("deferred"), !has_attribute("non_overridable"));
    for child in named_children(statement) {
        let (name, procedure) = match child.kind() {
            "method_name" => (child, child),
            "binding" => match (child_of_kind(child, "binding_name"), child_of_kind(child, "method_name")) {
                (Some(name), Some(procedure)) => (name, procedure),
                _ => {
                    reader.scope.mark_incomplete(Reader::range(child), "a binding that can't be read");
                    continue;
                }
            },
            _ => continue,
        };
        let procedure = (!is_deferred).then(|| reader.lower(procedure));
        let binding = Binding { procedure, passed: passed.clone(), is_overridable };
        definition.bindings.insert(reader.lower(name), binding);
    }
}

/// `GENERIC :: name => binding, binding`
fn read_generic(reader: &mut Reader<'_, '_>, statement: Node<'_>, definition: &mut DerivedType) {
    for list in named_children(statement).into_iter().filter(|child| child.kind() == "binding_list") {
        let Some(name) = child_of_kind(list, "binding_name") else { continue };
        let is_name = child_of_kind(name, "identifier").is_some();
        if !is_name {
            reader.scope.defines_operations = true;
            let operation = operation_named(&reader.lower(name));
            let is_operation = ["operator(", "assignment("].iter().any(|kind| operation.starts_with(kind));
            reader.scope.defines_input_output |= !is_operation;
            reader.scope.bound_operations.insert(operation);
        }
        let bindings = named_children(list).into_iter().filter(|child| child.kind() == "method_name");
        let bindings: Vec<String> = bindings.map(|binding| reader.lower(binding)).collect();
        definition.generics.entry(reader.lower(name)).or_default().extend(bindings);
    }
}

impl Extensions {
    /// Those of all units.
    pub fn of(sources: &[Source<'_>], scopes: &Scopes<'_>) -> Self {
        let mut children: HashMap<TypeName, Vec<TypeName>> = HashMap::new();
        let mut found = 0;
        let mut is_complete = true;
        for (unit, scope) in scopes.list.iter().enumerate() {
            let types = scope.iter().flat_map(|scope| &scope.types);
            for (name, parent) in types.filter_map(|(name, it)| Some((name, it.parent.as_deref()?))) {
                found += 1;
                match scopes.find_type(unit, parent) {
                    Some((home, parent)) => {
                        children.entry((home, parent.name.clone())).or_default().push((unit, name.clone()));
                    }
                    None => is_complete = false,
                }
            }
        }
        // A type that could not be read would still say that it extends another one. What is included can be read many times.
        let written: usize = sources.iter().map(extensions_in).sum();
        is_complete &= written <= found && !sources.iter().any(includes_extensions);
        Self { children, is_complete }
    }

    /// The type and all that extend it.
    fn family(&self, first: TypeName) -> Vec<TypeName> {
        let mut family = vec![first];
        let mut next = 0;
        while let Some(parent) = family.get(next).cloned() {
            next += 1;
            let children = self.children.get(&parent).into_iter().flatten();
            let new: Vec<TypeName> = children.filter(|child| !family.contains(child)).cloned().collect();
            family.extend(new);
        }
        family
    }
}

/// How often the word EXTENDS stands in what is compiled of the file, and in lines for the preprocessor, which may define a macro
/// that stands for it.
fn extensions_in(source: &Source<'_>) -> usize {
    let word = b"extends";
    let tokens = source.parsed.lexed.tokens.iter().map(|token| &source.original[token.start..token.end]);
    let is_directive = |line: &&[u8]| line.trim_ascii_start().starts_with(b"#");
    let directives = source.original.split(|&byte| byte == b'\n').filter(is_directive);
    let in_directives = directives.flat_map(|line| line.windows(word.len()));
    tokens.chain(in_directives).filter(|part| part.eq_ignore_ascii_case(word)).count()
}

fn includes_extensions(source: &Source<'_>) -> bool {
    source.included.iter().any(|(_, included)| extensions_in(included) > 0 || includes_extensions(included))
}

impl<'t> Scopes<'t> {
    /// The type that `unit` calls `name` and those that it extends, itself first; `None` if one of them is not known.
    fn ancestry(&self, unit: UnitIndex, name: &str) -> Option<Vec<(UnitIndex, &DerivedType)>> {
        let mut ancestry = Vec::new();
        let mut current = self.find_type(unit, name);
        loop {
            let (unit, definition) = current?;
            if ancestry.len() == MOST_GENERATIONS || self.list[unit].as_ref()?.incomplete.is_some() {
                return None;
            }
            ancestry.push((unit, definition));
            match &definition.parent {
                Some(parent) => current = self.find_type(unit, parent),
                None => return Some(ancestry),
            }
        }
    }

    /// What `%name` means for an object of this type, which `home` declares; `None` if that can't be told. Of a generic
    /// name any of its procedures may be meant: `fits` says which fit the arguments.
    pub fn bound(
        &self,
        extensions: &Extensions,
        (home, declared): (UnitIndex, &DeclaredType),
        name: &str,
        fits: &dyn Fn(&PassedObject, ProcedureId) -> bool,
    ) -> Option<Bound> {
        let (unit, definition) = self.find_type(home, declared.derived.as_deref()?)?;
        let own = (unit, definition.name.clone());
        let family = match declared.polymorphic {
            true if Clause::Overrides.is_off() => vec![own],
            true if extensions.is_complete => extensions.family(own),
            true => return None,
            false => vec![own],
        };
        let ancestries: Option<Vec<_>> = family.iter().map(|(unit, name)| self.ancestry(*unit, name)).collect();
        let ancestries = ancestries?;
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for (_, definition) in ancestries.iter().flatten() {
            names.extend(definition.generics.get(name).into_iter().flatten().map(String::as_str));
        }
        let is_generic = !names.is_empty();
        if !is_generic {
            names.insert(name);
        }
        let mut bound: Option<Bound> = None;
        for (binding, ancestry) in names.iter().flat_map(|binding| ancestries.iter().map(move |it| (binding, it))) {
            let found = ancestry.iter().find_map(|(unit, type_)| Some((*unit, type_.bindings.get(*binding)?)));
            let Some((unit, found)) = found else { continue };
            let procedure = match &found.procedure {
                Some(procedure) => Some(self.specific(unit, procedure)?),
                None => None,
            };
            let bound = bound.get_or_insert_with(|| Bound {
                procedures: Vec::new(),
                passed: found.passed.clone(),
                is_open: false,
            });
            if procedure.is_some_and(|procedure| is_generic && !fits(&found.passed, procedure)) {
                continue;
            }
            // The procedures behind a generic name may differ in this.
            if bound.procedures.is_empty() {
                bound.passed = found.passed.clone();
            } else if bound.passed != found.passed {
                return None;
            }
            bound.is_open |= declared.polymorphic && found.is_overridable;
            bound.procedures.extend(procedure);
        }
        let mut bound = bound?;
        bound.procedures.sort();
        bound.procedures.dedup();
        (!bound.procedures.is_empty()).then_some(bound)
    }
}

/// The object and the name behind the last `%` of `object%name`.
pub fn object_and_name(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let is_member = node.kind() == "derived_type_member_expression";
    let parts: Vec<Node<'_>> = all_children(node).into_iter().filter(|child| child.is_named()).collect();
    match parts.as_slice() {
        [object, name] if is_member => Some((*object, *name)),
        _ => None,
    }
}
