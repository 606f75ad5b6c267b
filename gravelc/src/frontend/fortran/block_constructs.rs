//! BLOCK: declarations among the statements (Fortran 2018, 11.1.4).
//!
//! What a BLOCK declares is read when the scopes are, into a scope of its own whose host is the procedure. A BLOCK that
//! holds anything but declarations of variables and constants (USE, IMPORT, types, interfaces) is opaque.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::syntax_tree::Node;

use super::association::{Found, Scopes};
use super::construct_names::{ConstructName, OpenNames, key_of};
use super::declarations::{Reader, finish, is_executable, read_save};
use super::initial_values::read_data;
use super::lowering::{ConstructKind, Lowering};
use super::scope::{Meaning, Scope, default_typing};
use super::tree::{child_of_kind, constructs_of_kinds, descendants_of_kinds, named_children};
use super::unclear::Unclear;
use super::units::{Source, Unit, UnitIndex, Units};
use super::variable_declarations::{
    declarator_name, declarators_of, read_attribute_statement, read_parameters, read_variables,
};
use crate::ir::{
    Callee, Expression, ExpressionKind, Scope as NamesAndBody, Shape, Span, StatementId, StatementKind, TypeCategory,
};

/// The constructs that give names to something.
const CONSTRUCTS: [&str; 3] = ["associate_statement", "block_construct", "select_type_statement"];

/// The names that a construct itself gives to something, with their places.
fn names_of_construct(source: &Source<'_>, construct: Node<'_>) -> Vec<(String, Range<usize>)> {
    let named = |node: Node<'_>| (source.lower(node), node.byte_range());
    match construct.kind() {
        "associate_statement" => {
            let list = child_of_kind(construct, "association_list").map(named_children).unwrap_or_default();
            list.into_iter().filter_map(|association| association.child_by_field_name("name")).map(named).collect()
        }
        "select_type_statement" => {
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
fn declarations_of(block: Node<'_>) -> (Vec<Node<'_>>, usize) {
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

/// The names that constructs among the statements of a unit give to something, with their places.
pub(super) fn names_of_constructs(source: &Source<'_>, unit: &Unit<'_>) -> Vec<(String, Range<usize>)> {
    let parts = unit.parts.iter().filter(|part| is_executable(**part));
    let constructs = parts.flat_map(|part| constructs_of_kinds(*part, &CONSTRUCTS));
    constructs.flat_map(|construct| names_of_construct(source, construct)).collect()
}

/// Reads the declarations of all BLOCK constructs of a unit whose own declarations have been read.
pub(super) fn read_blocks<'t>(sources: &[Source<'t>], units: &Units<'t>, index: UnitIndex, scopes: &mut Scopes<'t>) {
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
        .map_or_else(|| default_typing(scopes.default_kinds), |scope| scope.implicit.clone());
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

impl<'t> Lowering<'_, 't> {
    /// BLOCK.
    pub fn block_construct(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        let scopes = self.scopes;
        let key = (self.units.list[self.unit].source, node.start_byte());
        let Some(scope) = scopes.blocks.get(&key) else {
            return self.opaque_statement(span, "a BLOCK that can't be read");
        };
        if let Some(unclear) = &scope.incomplete {
            return self.opaque_statement(span, &format!("a BLOCK with {}", unclear.why));
        }
        if let Some(Unclear { range, cause, why }) = &scope.obstacle {
            self.mark_untouchable_for(*cause, self.source.span(range.clone()), why.clone());
        }
        let mut names: Vec<String> = scope.order.clone();
        names.sort();
        let meanings: HashMap<String, ConstructName<'t>> =
            names.iter().map(|name| (name.clone(), ConstructName::Own(key_of(name, key.1)))).collect();
        self.open(node, id, ConstructKind::Scope);
        self.open_names.push(OpenNames { statement: id, names: meanings, uncertain: Vec::new() });
        let (parts, start) = declarations_of(node);
        let evaluated = self.evaluated_in_declarations(&parts, scope, key.1);
        let mut body = self.body(node, start, node.end_byte(), id);
        let end = child_of_kind(node, "end_block_construct_statement").map_or(span, |end| self.source.span_of(end));
        if let Some(kind) = self.end_of_variables(scope, key.1, end) {
            let ending = self.add(end, Some(id), kind);
            self.statements[ending.0].shares_line = true;
            body.push(ending);
        }
        self.open_names.pop();
        self.constructs.pop();
        match evaluated {
            Some(evaluated) => StatementKind::Scope(NamesAndBody { names, evaluated, body }),
            None => self.opaque_statement(span, "a BLOCK whose declarations call functions"),
        }
    }

    /// Makes the symbols of what a BLOCK declares, and finds what the declarations evaluate when it begins. `None` if they
    /// call functions of the program.
    fn evaluated_in_declarations(
        &mut self,
        parts: &[Node<'t>],
        scope: &Scope<'t>,
        place: usize,
    ) -> Option<Vec<Expression>> {
        let mut evaluated = Vec::new();
        for name in &scope.order {
            let symbol = self.entity_symbol(&key_of(name, place), self.unit, &scope.entities[name]);
            if let Shape::Array(dimensions) = &self.symbols[symbol.0].shape {
                let bounds = dimensions.iter().flat_map(|dimension| [&dimension.lower, &dimension.upper]);
                evaluated.extend(bounds.flatten().cloned());
            }
        }
        // Lengths of strings and the like.
        for node in parts.iter().flat_map(|part| descendants_of_kinds(*part, &["identifier", "call_expression"])) {
            let first = named_children(node).first().copied().filter(|_| node.kind() == "call_expression");
            let word = self.source.lower(first.unwrap_or(node));
            let is_own = scope.entities.contains_key(&word);
            let is_variable = matches!(self.find(&word), Found::Entity { .. });
            if (is_variable || first.is_some()) && !is_own {
                evaluated.push(self.expression(node));
            }
        }
        let calls = |part: &Expression| match &part.kind {
            ExpressionKind::Call { callee, .. } => !matches!(callee, Callee::PureIntrinsic(_)),
            ExpressionKind::Opaque(_) => true,
            _ => false,
        };
        evaluated.retain(|value| !matches!(value.kind, ExpressionKind::Integer(_)));
        (!evaluated.iter().any(|value| value.any(&calls))).then_some(evaluated)
    }

    /// What happens to the variables of a BLOCK at its end, if that is anything: allocatable ones are freed, and finalisers
    /// may see objects.
    fn end_of_variables(&mut self, scope: &Scope<'t>, place: usize, end: Span) -> Option<StatementKind> {
        let mut freed = Vec::new();
        for name in &scope.order {
            let entity = &scope.entities[name];
            let is_kept = entity.attributes.save || entity.attributes.pointer || entity.meaning != Meaning::Variable;
            let Some(&symbol) = self.by_name.get(&key_of(name, place)).filter(|_| !is_kept) else { continue };
            let is_object = entity.declared_type.as_ref().is_none_or(|declared| {
                let type_name = declared.derived.as_deref();
                let is_standard = type_name.is_some_and(|name| self.scopes.is_standard_type(self.unit, name));
                !is_standard && matches!(declared.element.category, TypeCategory::Derived | TypeCategory::Unknown)
            });
            if is_object && self.finalisers_may_call {
                return Some(self.opaque_statement(end, "the end of a variable, which a finaliser may see"));
            }
            if is_object || entity.attributes.allocatable {
                freed.push(Expression::new(ExpressionKind::Symbol(symbol), end));
            }
        }
        let kind =
            StatementKind::Lifetime { variables: freed, reads: Vec::new(), associates: false, allocations: Vec::new() };
        (!kind.expressions().is_empty()).then_some(kind)
    }
}
