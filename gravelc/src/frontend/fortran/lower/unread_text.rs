//! What the text of a statement or an expression says that was not understood: whom it may call, and which variables it names.
//!
//! Whatever its tokens mean, a procedure is called only by CALL, by a name with a parenthesis behind it, by a component or a
//! binding, or by what stands behind an operation (Fortran 2018, 15.5.1, 10.1.6, 10.2.1.4, 7.5.6 and 12.6.4.8). So each name is
//! looked up. One that is an array, or a procedure of the program, whose own statements say what it does, calls nothing that was
//! not given; an operation does only where modules can be seen that were not given, or where an interface block or a type lists
//! something that was not. Names of macros, of MPI, of dummy procedures and of pointers may be anything, and so is a text with
//! declarations, or one that can be entered from elsewhere.

use super::super::names::association::Found;
use super::super::names::declarations::is_executable;
use super::super::names::included_declarations::{included_declarations, is_known_header};
use super::super::names::intrinsics;
use super::super::names::operation_names::operator_named;
use super::super::names::scope::{Entity, Meaning};
use super::super::names::standard_modules::StandardName;
use super::super::names::units::{Source, UnitIndex};
use super::super::names::unread_tokens::{Text, Word, text_of};
use super::super::text::lexer::TokenKind;
use super::super::text::syntax_tree::Node;
use super::super::text::tree::named_children;
use super::construct_names::ConstructName;
use super::generics::Candidate;
use super::lowering::Lowering;
use super::symbols::not_given;
use crate::ir::called_name::in_library;
use crate::ir::{Opacity, OutsideCalls, Span, SymbolId, TypeCategory, Unread};
use crate::known_libraries::C_LIBRARY;
use crate::mpi::properties::is_clock;
use crate::mpi::routines;
use crate::mpi::routines::without_profiling;

/// Those that read or write objects, or end them.
const OF_OBJECTS: &[&str] = &["write", "read", "print", "inquire", "deallocate", "allocate"];

/// Words of text that is more than statements which run where they stand: declarations, other procedures, files, entries.
const DECLARING: &[&str] = &[
    "use",
    "include",
    "import",
    "external",
    "intrinsic",
    "procedure",
    "interface",
    "generic",
    "final",
    "module",
    "submodule",
    "program",
    "subroutine",
    "function",
    "entry",
    "contains",
    "block",
    "class",
    "implicit",
    "equivalence",
    "common",
];

/// Symbols of which no operation is made.
const PUNCTUATION: &[&str] = &["(", ")", "[", "]", ",", ":", "::", ";", "%", "&", "=>"];

impl<'t> Lowering<'_, 't> {
    /// What the text of `span` says, of which only `what` it is was understood.
    pub fn unread_text(&mut self, span: Span, opacity: Opacity, what: impl Into<String>) -> Unread {
        let source = self.source;
        let unknown = Unread { opacity, ..Unread::unknown(what) };
        let Some(text) = text_of(source, span) else { return unknown };
        let (variables, names_objects) = self.variables_named(&text);
        Unread { calls: self.calls_of_text(&text), variables, names_objects, ..unknown }
    }

    /// Likewise of something that can be read, but whose meaning is not known.
    pub fn not_understood(&mut self, span: Span, what: &str) -> Unread {
        let quoted = Some(self.quote(span));
        Unread { quoted, ..self.unread_text(span, Opacity::Meaning, what) }
    }

    /// What is known of an INCLUDE line whose file was not read: where declarations follow, the file can't hold statements.
    pub fn unread_include(&self, span: Span, what: &str, is_among_declarations: bool) -> Unread {
        let (calls, quoted) = (is_among_declarations.then(OutsideCalls::default), Some(self.quote(span)));
        Unread { opacity: Opacity::UnknownText, calls, quoted, ..Unread::unknown(what) }
    }

    fn calls_of_text(&self, text: &Text<'_>) -> Option<OutsideCalls> {
        let mut calls = OutsideCalls::default();
        let macros = self.source.macros();
        // What an operation, or the end of an object, may call.
        let mut has_operation = false;
        for index in text.range.clone() {
            let Word { token, text: name, is_keyword, is_operator } = &text.words[index];
            match token.kind {
                TokenKind::Number | TokenKind::Text => continue,
                TokenKind::Symbol => {
                    has_operation |= !PUNCTUATION.contains(&name.as_str());
                    continue;
                }
                TokenKind::Word => {}
            }
            let written = String::from_utf8_lossy(&self.source.original[token.start..token.end]);
            if macros.contains(&*written) && self.scopes.macro_number(self.source.file, &written).is_none()
                || DECLARING.contains(&name.as_str())
                || name.contains('$')
            {
                return None;
            }
            if *is_keyword {
                has_operation |= OF_OBJECTS.contains(&name.as_str());
                continue;
            }
            if *is_operator {
                let operation = operator_named(&format!(".{name}."));
                if !is_intrinsic_operator(name) && !self.operations.is_defined(&operation) {
                    calls.names.push(operation);
                }
                continue;
            }
            let is_called = text.is(index + 1, "(") || text.is_behind_call(index);
            if text.is_behind(index, "%") {
                if is_called {
                    self.add_calls_of_part(text, index, &mut calls)?;
                }
                continue;
            }
            // `call object%procedure`
            if text.is_behind_call(index) && text.is(index + 1, "%") {
                return None;
            }
            has_operation |= self.add_calls_of_name(text, index, is_called, &mut calls)?;
        }
        if has_operation {
            if self.operations.lead_to_other_types() {
                return None;
            }
            calls.unnamed |= self.sees_unknown_modules || self.operations.lead_out();
        }
        calls.names.sort();
        calls.names.dedup();
        Some(calls)
    }

    /// Adds what the name may call. Is it possibly a function, whose value may be an object? `None` if it may be anything.
    fn add_calls_of_name(
        &self,
        text: &Text<'_>,
        index: usize,
        is_called: bool,
        calls: &mut OutsideCalls,
    ) -> Option<bool> {
        let name = text.words[index].text.as_str();
        if self.scoped_names.iter().any(|scoped| scoped == name) {
            return (!is_called).then_some(false);
        }
        // Constructs give names to variables and values; a BLOCK may declare anything.
        match self.construct_name(name) {
            Some(ConstructName::Own(_)) if is_called => return None,
            Some(_) if text.is_behind_call(index) => return None,
            Some(_) => return Some(false),
            None => {}
        }
        let is_statement = text.is_behind_call(index);
        match self.scopes.find(self.unit, name) {
            Found::Entity { unit, entity } => {
                if is_of_messaging(name) && self.scopes.externals.contains_key(name) {
                    return None;
                }
                self.add_calls_of_entity(text, index, (is_called, is_statement), (unit, entity), calls)
            }
            Found::Standard(StandardName::Messaging(original)) => may_not_communicate(&original, is_called),
            Found::Standard(StandardName::Procedure) => {
                calls.names.extend(is_called.then(|| not_given(name)));
                Some(is_called)
            }
            Found::Standard(_) => Some(false),
            _ if is_of_messaging(name) => may_not_communicate(name, is_called),
            _ if !is_called => Some(false),
            Found::Library { module, name, is_listed } => {
                let is_intrinsic = intrinsics::is_pure_function(&name) || intrinsics::subroutine(&name).is_some();
                calls.names.extend((is_listed || !is_intrinsic).then(|| in_library(&module, &name)));
                calls.unnamed |= !is_listed && !is_intrinsic;
                Some(true)
            }
            Found::Unknown(_) => {
                calls.unnamed = true;
                Some(true)
            }
            Found::Nothing if self.is_dummy_somewhere(name) || self.statement_functions.has(name) => None,
            Found::Nothing if self.scopes.find_type(self.unit, name).is_some() => Some(true),
            Found::Nothing => {
                self.add_external(name, calls);
                Some(true)
            }
        }
    }

    fn add_calls_of_entity(
        &self,
        text: &Text<'_>,
        index: usize,
        (is_called, is_statement): (bool, bool),
        (unit, entity): (UnitIndex, &Entity<'t>),
        calls: &mut OutsideCalls,
    ) -> Option<bool> {
        let name = text.words[index].text.as_str();
        let attributes = entity.attributes;
        match &entity.meaning {
            _ if !is_called || attributes.intrinsic => Some(is_called),
            Meaning::Variable | Meaning::Constant(_) => {
                let is_substring = entity.element().category == TypeCategory::Character && text.has_range(index + 1);
                if is_statement || entity.assumed_rank {
                    return None;
                }
                if !entity.dimensions.is_empty() || is_substring {
                    return Some(false);
                }
                // With a type alone it is a function.
                if attributes.dummy || attributes.pointer || self.statement_functions.has(name) {
                    return None;
                }
                if self.units.function_called(unit, &entity.name).is_none() {
                    self.add_external(name, calls);
                }
                Some(true)
            }
            _ if entity.specifics.is_some() => {
                // Modules that were not given may add to it.
                calls.unnamed |= self.sees_unknown_modules;
                for candidate in self.scopes.candidates(self.unit, name)? {
                    match candidate {
                        Candidate::Given(_)
                        | Candidate::IntrinsicFunction
                        | Candidate::IntrinsicSubroutine
                        | Candidate::Constructor => {}
                        Candidate::External(name) if is_of_messaging(&name) => return None,
                        Candidate::External(name) | Candidate::Library(name) => calls.names.push(name),
                        Candidate::Foreign(_) => calls.unnamed = true,
                    }
                }
                Some(true)
            }
            Meaning::Procedure(_) => Some(true),
            Meaning::External if !attributes.dummy && !attributes.pointer => {
                if is_of_messaging(&entity.name) {
                    return None;
                }
                self.add_external(&entity.name, calls);
                Some(true)
            }
            Meaning::External | Meaning::SomeProcedure => None,
            Meaning::Foreign => {
                match entity.function_of_system() {
                    Some(label) => calls.names.push(in_library(C_LIBRARY, label)),
                    None => calls.unnamed = true,
                }
                Some(true)
            }
        }
    }

    /// Adds what a call of the external name calls, unless that is a procedure of the program or of the language.
    fn add_external(&self, name: &str, calls: &mut OutsideCalls) {
        let is_intrinsic = intrinsics::is_pure_function(name)
            || intrinsics::is_system_function(name)
            || intrinsics::subroutine(name).is_some();
        match self.scopes.externals.get(name) {
            Some(Some(_)) => {}
            None if is_intrinsic => {}
            None => calls.names.push(not_given(name)),
            Some(None) => calls.names.push(name.to_owned()),
        }
    }

    /// Is it the name of a dummy argument of this procedure, or of one around it?
    fn is_dummy_somewhere(&self, name: &str) -> bool {
        let around = std::iter::successors(Some(self.unit), |&unit| self.units.list[unit].host);
        around.into_iter().any(|unit| self.units.all_dummy_names(self.sources, unit).iter().any(|dummy| dummy == name))
    }

    /// Adds what the name behind `%` may call where a parenthesis follows it; `None` if it may be anything.
    fn add_calls_of_part(&self, text: &Text<'_>, index: usize, calls: &mut OutsideCalls) -> Option<()> {
        let name = text.words[index].text.as_str();
        let scopes = self.scopes.list.iter().flatten().chain(self.scopes.blocks.values());
        let is_procedure = scopes.flat_map(|scope| scope.types.values()).any(|definition| {
            let component = definition.components.get(name);
            definition.bindings.contains_key(name)
                || definition.generics.contains_key(name)
                || component.is_some_and(|component| component.procedure.is_some())
        });
        let base = text.base(index)?;
        let base_name = text.words[base].text.as_str();
        if is_procedure || text.is_behind_call(base) || self.construct_name(base_name).is_some() {
            return None;
        }
        match self.scopes.find(self.unit, base_name) {
            Found::Entity { unit, entity } if entity.meaning == Meaning::Variable => {
                let declared = entity.declared_type.as_ref().filter(|declared| !declared.polymorphic)?;
                self.scopes.type_is_given(unit, declared.derived.as_deref()?).then_some(())
            }
            // It is a library's, with what that has bound to its type; a pointer in it could lead to MPI, if somebody had put
            // it there.
            Found::Library { .. } | Found::Unknown(_) if !self.scopes.messaging_is_handed_over => {
                calls.unnamed = true;
                Some(())
            }
            _ => None,
        }
    }

    /// The variables that the text names, and whether there may be objects among what it names.
    fn variables_named(&mut self, text: &Text<'_>) -> (Vec<SymbolId>, bool) {
        let mut variables = Vec::new();
        let mut names_objects = false;
        for index in text.range.clone() {
            let word = &text.words[index];
            if word.token.kind != TokenKind::Word || word.is_keyword || word.is_operator || text.is_behind(index, "%") {
                continue;
            }
            let name = word.text.as_str();
            if self.scoped_names.iter().any(|scoped| scoped == name) {
                continue;
            }
            let name = match self.construct_name(name) {
                Some(ConstructName::Part { variable, .. } | ConstructName::Own(variable)) => variable,
                Some(ConstructName::Some { base, .. }) => {
                    names_objects = true;
                    variables.push(base);
                    continue;
                }
                Some(ConstructName::Value) => continue,
                None => name.to_owned(),
            };
            let symbol = match self.find(&name) {
                Found::Entity { unit, entity } if matches!(entity.meaning, Meaning::Variable) => {
                    Some(self.entity_symbol(&name, unit, entity))
                }
                Found::Entity { entity, .. } => {
                    names_objects |= !matches!(entity.meaning, Meaning::Constant(_));
                    None
                }
                Found::Standard(_) => None,
                Found::Library { .. } | Found::Unknown(_) => {
                    names_objects = true;
                    None
                }
                Found::Nothing => match self.by_name.get(&name).copied() {
                    None if !text.is(index + 1, "(") => self.implicit_symbol(&name),
                    known => known,
                },
            };
            names_objects |= symbol.is_some_and(|symbol| {
                let category = self.symbols[symbol.0].element.category;
                matches!(category, TypeCategory::Derived | TypeCategory::Unknown)
            });
            variables.extend(symbol);
        }
        variables.sort();
        variables.dedup();
        (variables, names_objects)
    }
}

fn is_intrinsic_operator(name: &str) -> bool {
    ["and", "or", "not", "eqv", "neqv", "eq", "ne", "lt", "le", "gt", "ge", "true", "false"].contains(&name)
}

/// Does the name begin like those of MPI and of the runtime?
fn is_of_messaging(name: &str) -> bool {
    ["mpi_", "pmpi_", "gravel"].iter().any(|prefix| name.starts_with(prefix))
}

/// `None` if the name, which begins like those of MPI, may be a routine that meets messages: all but clocks, its constants, and
/// other names that are not called, which are the program's own.
fn may_not_communicate(name: &str, is_called: bool) -> Option<bool> {
    (is_clock(name) || !is_called && !routines::is_known(without_profiling(name))).then_some(false)
}

/// Must what the file holds that the INCLUDE line at `include` names be declarations, whatever it is? Behind statements that can be
/// executed no declaration may follow (Fortran 2018, 5.1).
pub(super) fn must_be_declarations(source: &Source<'_>, parts: &[Node<'_>], include: Node<'_>) -> bool {
    let is_declaration = |part: &&Node<'_>| {
        matches!(
            part.kind(),
            "implicit_statement"
                | "use_statement"
                | "save_statement"
                | "variable_declaration"
                | "variable_modification"
                | "parameter_statement"
                | "common_statement"
                | "equivalence_statement"
                | "interface"
                | "derived_type_definition"
        )
    };
    if parts.iter().filter(is_declaration).any(|part| part.start_byte() >= include.end_byte()) {
        return true;
    }
    // A file that was found, but not what it includes in its turn.
    let Some(included) = source.included_by(include) else { return false };
    let root = named_children(included.parsed.tree.root_node());
    let [unit] = root.as_slice() else { return false };
    let inner = named_children(*unit);
    let unread = inner.iter().filter(|part| part.kind() == "include_statement");
    let is_clean = included.parsed.holes.is_empty()
        && included.parsed.preprocessing.suspect.is_empty()
        && !unit.has_error()
        && inner.iter().all(|part| {
            matches!(part.kind(), "subroutine_statement" | "end_subroutine_statement" | "comment")
                || !is_executable(*part) && part.kind() != "entry_statement"
        });
    is_clean
        && unread.into_iter().all(|part| {
            is_known_header(included, *part)
                || included_declarations(included, *part).is_ok()
                || must_be_declarations(included, &inner, *part)
        })
}
