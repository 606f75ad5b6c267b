//! Reads the specification parts of all units into scopes.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::text::syntax_tree::Node;

use super::super::text::conditions::Number;
use super::super::text::lexer::TokenKind;
use super::super::text::tree::{all_children, child_of_kind, has_child, named_children};
use super::super::text::unclear::Unclear;
use super::association::{Found, Scopes};
use super::blocks::{note_names_of_constructs, read_blocks};
use super::constants::{evaluate, evaluate_truth};
use super::constants_in_scope::NamesOf;
use super::cray_pointers::{associate_pointees, declare_pointers, read_cray_pointers};
use super::entries;
use super::included_declarations::read_include;
use super::initial_values::read_data;
use super::interfaces;
use super::language_bindings::find_foreign_procedures;
use super::link_names::LinkNames;
use super::messaging_names::hands_over_messaging;
use super::pasted_header::recognise_pasted_header;
use super::scope::{DeclaredType, ImplicitTyping, Meaning, Scope, UseClause, default_typing};
use super::statement_function_parts::is_like_statement_function;
use super::storage_association::{associate_commons, read_common, read_equivalence};
use super::submodules::{adopt_interface, check_adopted_types};
use super::types::declared_type;
use super::units::{Source, Unit, UnitIndex, UnitKind, Units};
use super::unread_tokens;
use super::variable_declarations::{read_attribute_statement, read_parameters, read_variables};
use crate::frontend::FrontendOptions;
use crate::ir::{ProcedureKind, TypeCategory};

/// Reads the declarations of all units, of sources that are read as `of_sources` say.
pub fn read_scopes<'t>(
    sources: &[Source<'t>],
    units: &Units<'t>,
    options: &FrontendOptions,
    of_sources: &[&FrontendOptions],
) -> Scopes<'t> {
    let mut scopes = Scopes::new(units, options, of_sources);
    scopes.link_names = LinkNames::of(sources, units);
    scopes.messaging_is_handed_over = hands_over_messaging(sources);
    scopes.numbers = numbers_in_all(sources);
    scopes.constants = sources.iter().map(|source| (source.file, constants_in(source))).collect();
    let mut started = vec![false; units.list.len()];
    for unit in 0..units.list.len() {
        read_with_dependencies(sources, units, unit, &mut scopes, &mut started);
    }
    for (unit, name, meaning) in units.submodules.meanings() {
        let entity = scopes.list[unit].as_mut().and_then(|scope| scope.entities.get_mut(name));
        if let Some(entity) = entity.filter(|entity| entity.meaning == Meaning::SomeProcedure) {
            entity.meaning = meaning;
        }
    }
    find_foreign_procedures(sources, units, &mut scopes);
    check_adopted_types(sources, units, &mut scopes);
    scopes
}

/// The macros that stand for the same number in all files that have their names. What is included as Fortran is not seen by
/// every preprocessor, so none of them may have such a name.
fn numbers_in_all(sources: &[Source<'_>]) -> BTreeMap<String, Number> {
    let mut numbers: BTreeMap<String, Number> = BTreeMap::new();
    for source in sources {
        numbers.extend(source.parsed.preprocessing.numbers.iter().map(|(name, number)| (name.clone(), number.clone())));
    }
    if !numbers.is_empty() {
        sources.iter().for_each(|source| keep_agreed(&mut numbers, source));
    }
    numbers
}

/// The macros of a file that stand for constants which no declaration is evaluated by: what they are elsewhere does not matter.
fn constants_in(source: &Source<'_>) -> BTreeMap<String, Number> {
    fn remove_included(constants: &mut BTreeMap<String, Number>, source: &Source<'_>) {
        for (_, included) in &source.included {
            for token in included.parsed.lexed.tokens.iter().filter(|token| token.kind == TokenKind::Word) {
                let word = &included.original[token.start..token.end];
                constants.retain(|name, _| !name.as_bytes().eq_ignore_ascii_case(word));
            }
            remove_included(constants, included);
        }
    }
    let numbers = source.parsed.preprocessing.numbers.iter().filter(|(_, number)| !number.is_integer());
    let mut constants = numbers.map(|(name, number)| (name.clone(), number.clone())).collect();
    remove_included(&mut constants, source);
    constants
}

fn keep_agreed(numbers: &mut BTreeMap<String, Number>, source: &Source<'_>) {
    let words = source.parsed.lexed.tokens.iter().filter(|token| token.kind == TokenKind::Word);
    let words = words.map(|token| &source.original[token.start..token.end]);
    for word in words {
        let Ok(word) = std::str::from_utf8(word) else { continue };
        if source.included_at.is_some() {
            numbers.retain(|name, _| !name.eq_ignore_ascii_case(word));
        } else if numbers.get(word).is_some_and(|number| source.parsed.preprocessing.numbers.get(word) != Some(number))
        {
            numbers.remove(word);
        }
    }
    source.included.iter().for_each(|(_, included)| keep_agreed(numbers, included));
}

/// Reads the scope of `unit` behind those that it needs: its host and the modules that it uses.
fn read_with_dependencies<'t>(
    sources: &[Source<'t>],
    units: &Units<'t>,
    unit: UnitIndex,
    scopes: &mut Scopes<'t>,
    started: &mut [bool],
) {
    // A work list instead of recursion: chains of modules may be long.
    let mut pending = vec![unit];
    while let Some(&unit) = pending.last() {
        if scopes.list[unit].is_some() {
            pending.pop();
            continue;
        }
        if !started[unit] {
            started[unit] = true;
            let source = &sources[units.list[unit].source];
            let needed = dependencies(source, units, unit);
            pending.extend(needed.into_iter().filter(|&needed| !started[needed]));
            continue;
        }
        let scope = read_scope(sources, units, unit, scopes);
        scopes.list[unit] = Some(scope);
        read_blocks(sources, units, unit, scopes);
        pending.pop();
    }
}

fn dependencies(source: &Source<'_>, units: &Units<'_>, index: UnitIndex) -> Vec<UnitIndex> {
    let unit = &units.list[index];
    let used = unit.parts.iter().filter(|part| part.kind() == "use_statement").filter_map(|part| {
        let module = source.lower(child_of_kind(*part, "module_name")?);
        units.modules.get(&module).copied().flatten()
    });
    let submodules = &units.submodules;
    used.chain(unit.host).chain(submodules.extended_by(index)).chain(submodules.interface_of(index)).collect()
}

/// What the readers of single statements work on.
pub struct Reader<'a, 't> {
    /// The file.
    pub source: &'a Source<'t>,
    /// The scopes that have been read before.
    pub scopes: &'a Scopes<'t>,
    /// The scope under construction.
    pub scope: Scope<'t>,
}

impl<'t> Reader<'_, 't> {
    /// The text of `node` in lower case.
    pub fn lower(&self, node: Node<'_>) -> String {
        self.source.lower(node)
    }

    /// The bytes of `node`.
    pub fn range(node: Node<'_>) -> Range<usize> {
        node.start_byte()..node.end_byte()
    }

    /// The value of the constant expression `node`.
    pub fn evaluate(&self, node: Node<'_>) -> Option<i64> {
        evaluate(self.source.original, node, &NamesOf { scopes: self.scopes, scope: &self.scope })
    }

    /// The value of the constant logical expression `node`.
    pub fn evaluate_truth(&self, node: Node<'_>) -> Option<bool> {
        evaluate_truth(self.source.original, node, &NamesOf { scopes: self.scopes, scope: &self.scope })
    }

    /// The type that `node` says.
    pub fn declared_type(&self, node: Node<'_>) -> DeclaredType {
        declared_type(self.source.original, node, &NamesOf { scopes: self.scopes, scope: &self.scope })
    }
}

fn read_scope<'t>(sources: &[Source<'t>], units: &Units<'t>, index: UnitIndex, scopes: &Scopes<'t>) -> Scope<'t> {
    let unit = &units.list[index];
    let source = &sources[unit.source];
    let host = unit.host.or_else(|| units.submodules.extended_by(index));
    let inherited = host.and_then(|host| scopes.list[host].as_ref()).map(|scope| scope.implicit.clone());
    let scope = Scope::new(index, host, inherited.unwrap_or_else(|| default_typing(scopes.default_kinds[index])));
    let mut reader = Reader { source, scopes, scope };
    if unit.kind == UnitKind::Submodule && host.is_none() {
        let range = unit.header.map_or(unit.node.start_byte()..unit.node.start_byte(), Reader::range);
        reader.scope.mark_incomplete(range, "what it extends is not given");
    }
    read_header(&mut reader, unit);
    entries::read_entries(&mut reader, units, index);
    adopt_interface(&mut reader, sources, units, index);
    read_holes(&mut reader, unit);
    for &part in unit.parts.iter().filter(|part| units.entry_at(index, **part).is_none()) {
        read_part(&mut reader, unit, part);
    }
    // Compilers do so but for what says that it is recursive.
    if scopes.saves_locals[index] && !units.prefixes(sources, index).iter().any(|prefix| prefix == "recursive") {
        reader.scope.saves_all = true;
    }
    recognise_pasted_header(&mut reader.scope);
    name_procedures(&mut reader, units, index);
    finish(&mut reader);
    entries::check_results(&mut reader, units, index);
    note_names_of_constructs(&mut reader, unit);
    reader.scope
}

/// Dummy arguments and the function's result.
fn read_header(reader: &mut Reader<'_, '_>, unit: &Unit<'_>) {
    let Some(header) = unit.header else { return };
    if unit.node.kind() == "module_procedure" {
        return;
    }
    read_dummies(reader, header);
    if unit.has_result() {
        let Some(name) = result_of(reader.source, unit, header) else { return };
        let declared = header.child_by_field_name("type").map(|node| reader.declared_type(node));
        let entity = reader.scope.entity(&name);
        entity.declared_type = declared;
        entity.declaration = Some(Reader::range(header));
    }
}

/// The dummy arguments that a SUBROUTINE, FUNCTION or ENTRY statement lists.
pub(super) fn read_dummies(reader: &mut Reader<'_, '_>, header: Node<'_>) {
    for parameter in child_of_kind(header, "parameters").map(named_children).unwrap_or_default() {
        let name = reader.lower(parameter);
        let entity = reader.scope.entity(&name);
        entity.attributes.dummy = true;
        entity.declaration = Some(Reader::range(parameter));
    }
}

/// The name of a function's result.
pub fn result_of(source: &Source<'_>, unit: &Unit<'_>, header: Node<'_>) -> Option<String> {
    let result = child_of_kind(header, "function_result").and_then(|result| child_of_kind(result, "identifier"));
    unit.has_result().then(|| result.map_or(unit.name.clone(), |result| source.lower(result)))
}

/// Stretches that could not be read, before the first statement that can be executed.
fn read_holes(reader: &mut Reader<'_, '_>, unit: &Unit<'_>) {
    let begin = unit.header.map_or(unit.node.start_byte(), |header| header.end_byte());
    let source = reader.source;
    // Declarations may stand behind statement functions.
    let is_first = |part: &&Node<'_>| is_executable(**part) && !is_like_statement_function(source, **part);
    let first = unit.parts.iter().find(is_first).map_or(unit.parts_end, |part| part.start_byte());
    for hole in source.parsed.holes.iter().filter(|hole| hole.range.start >= begin && hole.range.start < first) {
        // What is missing inside a definition or an interface is missing of that.
        let is_inside = |part: &Node<'_>| part.start_byte() < hole.range.start && hole.range.start < part.end_byte();
        let is_apart = !hole.structural && !unit.parts.iter().any(is_inside);
        let (range, cause, why) = (hole.range.clone(), hole.cause, hole.why.clone());
        match unread_tokens::names_declared_in(source, &hole.range).filter(|_| is_apart) {
            Some(names) => reader.scope.mark_unread_names(Unclear { range, cause, why }, names),
            None => reader.scope.mark_incomplete_for(cause, range, why),
        }
    }
}

/// Is `node` a statement that can be executed? Assignments count; a statement function looks like one.
pub fn is_executable(node: Node<'_>) -> bool {
    !matches!(
        node.kind(),
        "use_statement"
            | "implicit_statement"
            | "save_statement"
            | "import_statement"
            | "public_statement"
            | "private_statement"
            | "bind_statement"
            | "enum"
            | "enumeration_type"
            | "namelist_statement"
            | "common_statement"
            | "variable_declaration"
            | "variable_modification"
            | "parameter_statement"
            | "equivalence_statement"
            | "data_statement"
            | "cray_pointer_declaration"
            | "interface"
            | "derived_type_definition"
            | "format_statement"
            | "statement_label"
            | "entry_statement"
            | "include_statement"
    )
}

/// Reads one statement of a specification part.
pub(super) fn read_part<'t>(reader: &mut Reader<'_, 't>, unit: &Unit<'t>, part: Node<'t>) {
    match part.kind() {
        "use_statement" => read_use(reader, part),
        "implicit_statement" => read_implicit(reader, part),
        "variable_declaration" => read_variables(reader, part),
        "variable_modification" => read_attribute_statement(reader, part),
        "parameter_statement" => read_parameters(reader, part),
        "common_statement" => read_common(reader, part),
        "equivalence_statement" => read_equivalence(reader, part),
        "save_statement" => read_save(reader, part),
        "data_statement" => read_data(reader, part),
        "namelist_statement" => read_namelist(reader, part),
        "public_statement" | "private_statement" => read_access(reader, part),
        "interface" => interfaces::read_interface(reader, part),
        "derived_type_definition" => interfaces::read_derived_type(reader, part),
        "enum" => read_enumerators(reader, part),
        "enumeration_type" => reader.scope.mark_incomplete(Reader::range(part), "an enumeration type"),
        "cray_pointer_declaration" => read_cray_pointers(reader, unit, part),
        "entry_statement" => entries::mark_unread(reader, part),
        "bind_statement" => {
            reader.scope.mark_obstacle(Reader::range(part), "variables with a binding to another language")
        }
        "include_statement" => read_include(reader, unit, part),
        kind if part.has_error() && !is_executable(part) => {
            reader.scope.mark_incomplete(Reader::range(part), format!("syntax error in {}", kind.replace('_', " ")));
        }
        _ => {}
    }
}

fn read_use(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    let Some(module) = child_of_kind(part, "module_name") else { return };
    let mut clause = UseClause { module: reader.lower(module), only: false, names: Vec::new() };
    let list = child_of_kind(part, "included_items");
    clause.only = list.is_some();
    for item in named_children(list.unwrap_or(part)) {
        match item.kind() {
            "use_alias" => {
                let names = named_children(item);
                if let [local, original] = names.as_slice() {
                    clause.names.push((reader.lower(*local), reader.lower(*original)));
                }
            }
            "identifier" => {
                let name = reader.lower(item);
                clause.names.push((name.clone(), name));
            }
            _ => {}
        }
    }
    reader.scope.uses.push(clause);
}

fn read_implicit(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    if has_child(part, "none") {
        // IMPLICIT NONE (EXTERNAL) alone leaves the typing as it is.
        let text = reader.lower(part);
        if !text.contains("external") || text.contains("type") {
            reader.scope.implicit = std::array::from_fn(|_| None);
        }
        return;
    }
    let mut current: Option<DeclaredType> = None;
    for child in named_children(part) {
        if child.kind() == "implicit_range" {
            let letters: Vec<u8> = reader.lower(child).bytes().filter(u8::is_ascii_lowercase).collect();
            if let (Some(&first), Some(&last)) = (letters.first(), letters.last()) {
                let typing: &mut ImplicitTyping = &mut reader.scope.implicit;
                for letter in first..=last {
                    typing[usize::from(letter - b'a')] = current.clone();
                }
            }
        } else {
            current = Some(reader.declared_type(child));
        }
    }
}

/// The SAVE statement: for the variables that it names, or all (Fortran 2018, 8.6.14).
pub fn read_save(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    let children = named_children(part);
    if children.is_empty() {
        reader.scope.saves_all = true;
    }
    for child in children.into_iter().filter(|child| child.kind() == "identifier") {
        let name = reader.lower(child);
        reader.scope.entity(&name).attributes.save = true;
    }
}

fn read_namelist(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    for group in named_children(part) {
        let Some(name) = child_of_kind(group, "name").map(|name| reader.lower(name)) else { continue };
        let members = named_children(group).into_iter().filter(|child| child.kind() == "identifier");
        let members: Vec<String> = members.map(|member| reader.lower(member)).collect();
        for member in &members {
            // Input and output reach the members without naming them.
            if !matches!(reader.scopes.find_in(&reader.scope, member), Found::Entity { unit, .. } if unit != reader.scope.unit)
            {
                reader.scope.entity(member).attributes.target = true;
            }
        }
        reader.scope.namelists.entry(name).or_default().extend(members);
    }
}

fn read_access(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    let is_private = part.kind() == "private_statement";
    let names = named_children(part);
    if names.is_empty() {
        reader.scope.private_by_default |= is_private;
    }
    for name in names {
        let name = reader.lower(name);
        let list = if is_private { &mut reader.scope.private } else { &mut reader.scope.public };
        list.insert(name);
    }
}

fn read_enumerators(reader: &mut Reader<'_, '_>, part: Node<'_>) {
    let mut next: Option<i64> = Some(0);
    for statement in named_children(part).into_iter().filter(|child| child.kind() == "enumerator_statement") {
        for declarator in named_children(statement) {
            let mut name = declarator;
            if declarator.kind() == "init_declarator" {
                let (Some(left), Some(right)) =
                    (declarator.child_by_field_name("left"), declarator.child_by_field_name("right"))
                else {
                    continue;
                };
                name = left;
                next = reader.evaluate(right);
            }
            let text = reader.lower(name);
            let entity = reader.scope.entity(&text);
            entity.declaration = Some(Reader::range(declarator));
            entity.declared_type = Some(DeclaredType::intrinsic(TypeCategory::Integer, Some(4)));
            entity.meaning = Meaning::Constant(next);
            next = next.and_then(|value| value.checked_add(1));
        }
    }
}

/// The procedures inside the unit, and the unit itself, as names.
fn name_procedures(reader: &mut Reader<'_, '_>, units: &Units<'_>, index: UnitIndex) {
    for (_, inner) in units.inside(index) {
        if let Some(procedure) = inner.procedure {
            let entity = reader.scope.entity(&inner.name);
            entity.meaning = Meaning::Procedure(procedure);
            entity.declaration = inner.header.map(Reader::range);
            // A type that the scope declares for the name does not make it a variable.
            entity.dimensions.clear();
        }
    }
    let unit = &units.list[index];
    if let (Some(procedure), Some(header)) = (unit.procedure, unit.header)
        && !reader.scope.entities.contains_key(&unit.name)
        && matches!(unit.kind, UnitKind::Procedure(ProcedureKind::Subroutine | ProcedureKind::Function))
    {
        let entity = reader.scope.entity(&unit.name);
        entity.meaning = Meaning::Procedure(procedure);
        entity.declaration = Some(Reader::range(header));
    }
}

/// What can be said only when everything has been read: types of untyped names, storage association.
pub fn finish(reader: &mut Reader<'_, '_>) {
    let scope = &mut reader.scope;
    declare_pointers(scope);
    for name in &scope.order {
        let implicit = scope.implicit_type(name);
        if let Some(entity) = scope.entities.get_mut(name)
            && entity.declared_type.is_none()
            && matches!(entity.meaning, Meaning::Variable | Meaning::Constant(_))
        {
            entity.declared_type = implicit;
        }
    }
    associate_commons(scope);
    associate_pointees(scope);
}

/// The items of a list that declares dimensions.
pub(super) fn dimension_items<'t>(list: Node<'t>) -> Vec<Node<'t>> {
    all_children(list).into_iter().filter(|child| child.is_named()).collect()
}
