//! ALLOCATE, DEALLOCATE and NULLIFY.

use super::super::text::syntax_tree::Node;

use super::super::names::units::UnitKind;
use super::super::text::tree::named_children;
use super::lowering::Lowering;
use crate::ir::{
    Allocation, ArrayDimension, Expression, ExpressionKind, ProcedureKind, Span, StatementKind, TypeCategory,
};

impl<'t> Lowering<'_, 't> {
    /// ALLOCATE: the variables come to life with extents that are evaluated.
    pub fn allocate(&mut self, node: Node<'t>) -> StatementKind {
        let mut variables = Vec::new();
        let mut reads = Vec::new();
        let mut allocated = Vec::new();
        let types: Vec<Node<'t>> = node.children_by_field_name("type").collect();
        for declared in types {
            reads.extend(self.type_parameters(declared));
        }
        let allocations: Vec<Node<'t>> =
            node.children_by_field_name("allocation").filter(|child| child.is_named()).collect();
        for allocation in allocations {
            match allocation.kind() {
                "sized_allocation" => {
                    let parts = named_children(allocation);
                    let items: Vec<Node<'t>> = parts.iter().skip(1).flat_map(|size| named_children(*size)).collect();
                    if let Some(object) = parts.first() {
                        let object = self.expression(*object);
                        let dimensions = items.iter().map(|item| self.allocated_dimension(*item)).collect();
                        allocated.extend(self.allocation(&object, Some(dimensions)));
                        variables.push(object);
                    }
                    for item in items {
                        reads.extend(self.bound_values(item));
                    }
                }
                "coarray_allocation" => {
                    let span = self.source.span_of(allocation);
                    return self.opaque_statement(span, "an allocation of a coarray");
                }
                _ => {
                    let object = self.expression(allocation);
                    allocated.extend(self.allocation(&object, None));
                    variables.push(object);
                }
            }
        }
        self.memory_options(node, &mut variables, &mut reads);
        StatementKind::Lifetime { variables, reads, associates: false, allocations: allocated }
    }

    /// The values that a type has in parentheses, as `character(len=n)`. The kinds of numbers are constants.
    pub fn type_parameters(&mut self, declared: Node<'t>) -> Vec<Expression> {
        let is_number = declared.kind() == "intrinsic_type" && !self.source.lower(declared).starts_with("character");
        if is_number {
            return Vec::new();
        }
        let parameters = named_children(declared).into_iter().filter(|part| part.kind() == "kind");
        let mut values = Vec::new();
        for parameter in parameters.flat_map(named_children) {
            match parameter.kind() {
                "assumed_size" => {}
                "keyword_argument" => values.extend(parameter.child_by_field_name("value")),
                _ => values.push(parameter),
            }
        }
        values.into_iter().map(|value| self.expression(value)).collect()
    }

    /// One dimension in ALLOCATE: `upper` or `lower:upper`.
    fn allocated_dimension(&mut self, item: Node<'t>) -> ArrayDimension {
        let values = self.bound_values(item);
        let span = self.source.span_of(item);
        match <[Expression; 2]>::try_from(values) {
            Ok([lower, upper]) => ArrayDimension { lower: Some(lower), upper: Some(upper) },
            Err(mut values) => {
                let upper = values.pop().filter(|_| values.is_empty() && item.kind() != "extent_specifier");
                // It stands nowhere.
                let place = Span { end: span.start, ..span };
                let lower = upper.is_some().then(|| Expression::new(ExpressionKind::Integer(1), place));
                ArrayDimension { lower, upper }
            }
        }
    }

    /// What is noted of an array that comes to life. A variable that keeps its memory from one call of the procedure to the
    /// next may have the bounds of an earlier call.
    pub fn allocation(&self, object: &Expression, dimensions: Option<Vec<ArrayDimension>>) -> Option<Allocation> {
        let ExpressionKind::Symbol(array) = object.kind else { return None };
        if self.symbols[array.0].holder().is_some() {
            return Some(Allocation { array, dimensions });
        }
        let (owner, name) = self.origins[array.0].as_ref()?;
        let is_main = self.units.list[*owner].kind == UnitKind::Procedure(ProcedureKind::Main);
        let scope = self.scopes.list[*owner].as_ref()?;
        let is_saved = scope.saves_all || scope.entities.get(name).is_none_or(|entity| entity.attributes.save);
        let is_kept = *owner == self.unit && !is_main && is_saved;
        Some(Allocation { array, dimensions: dimensions.filter(|_| !is_kept) })
    }

    /// DEALLOCATE and NULLIFY.
    pub fn deallocate(&mut self, node: Node<'t>) -> StatementKind {
        let mut variables = Vec::new();
        let mut reads = Vec::new();
        for child in named_children(node).into_iter().filter(|child| child.kind() != "keyword_argument") {
            variables.push(self.expression(child));
        }
        self.memory_options(node, &mut variables, &mut reads);
        let is_object = |variable: &Expression| {
            let symbol = variable.designated().map(|id| &self.symbols[id.0]);
            symbol.is_none_or(|symbol| matches!(symbol.element.category, TypeCategory::Derived | TypeCategory::Unknown))
        };
        // NULLIFY ends nothing but the association.
        let ends_memory = node.kind() == "deallocate_statement";
        if ends_memory && self.finalisers_may_call && variables.iter().any(is_object) {
            return self
                .opaque_statement(self.source.span_of(node), "the end of a variable, which a finaliser may see");
        }
        StatementKind::Lifetime { variables, reads, associates: false, allocations: Vec::new() }
    }

    /// `stat=` and `errmsg=` are written, the others read.
    fn memory_options(&mut self, node: Node<'t>, variables: &mut Vec<Expression>, reads: &mut Vec<Expression>) {
        for option in named_children(node).into_iter().filter(|child| child.kind() == "keyword_argument") {
            let (Some(name), Some(value)) = (option.child_by_field_name("name"), option.child_by_field_name("value"))
            else {
                continue;
            };
            let name = self.source.lower(name);
            let value = self.expression(value);
            if name == "stat" || name == "errmsg" {
                variables.push(value);
            } else {
                reads.push(value);
            }
        }
    }
}
