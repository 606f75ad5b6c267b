//! BLOCK: declarations among the statements (Fortran 2018, 11.1.4), lowered to a scope of the program.
//!
//! A BLOCK that holds anything but declarations of variables and constants (`names/blocks.rs`) is opaque.

use std::collections::HashMap;

use super::super::names::association::Found;
use super::super::names::blocks::declarations_of;
use super::super::names::scope::{Meaning, Scope};
use super::super::text::syntax_tree::Node;
use super::super::text::tree::{child_of_kind, descendants_of_kinds, named_children};
use super::super::text::unclear::Unclear;
use super::construct_names::{ConstructName, OpenNames, key_of};
use super::lowering::{ConstructKind, Lowering};
use crate::ir::{
    Callee, Expression, ExpressionKind, Room, Scope as NamesAndBody, Shape, Span, StatementId, StatementKind,
    TypeCategory,
};

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
            self.statements[ending.0].room = Room::Inside;
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
