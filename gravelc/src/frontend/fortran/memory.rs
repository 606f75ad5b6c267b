//! ALLOCATE, DEALLOCATE and NULLIFY.

use tree_sitter::Node;

use super::lowering::Lowering;
use super::tree::named_children;
use crate::ir::{Expression, StatementKind};

impl<'t> Lowering<'_, 't> {
    /// ALLOCATE: the variables come to life with extents that are evaluated.
    pub fn allocate(&mut self, node: Node<'t>) -> StatementKind {
        let mut variables = Vec::new();
        let mut reads = Vec::new();
        let mut cursor = node.walk();
        let allocations: Vec<Node<'t>> =
            node.children_by_field_name("allocation", &mut cursor).filter(|child| child.is_named()).collect();
        for allocation in allocations {
            match allocation.kind() {
                "sized_allocation" => {
                    let parts = named_children(allocation);
                    if let Some(object) = parts.first() {
                        variables.push(self.expression(*object));
                    }
                    for item in parts.iter().skip(1).flat_map(|size| named_children(*size)) {
                        reads.extend(self.bound_values(item));
                    }
                }
                "coarray_allocation" => {
                    let span = self.source.span_of(allocation);
                    return self.opaque_statement(span, "an allocation of a coarray");
                }
                _ => variables.push(self.expression(allocation)),
            }
        }
        self.memory_options(node, &mut variables, &mut reads);
        StatementKind::Lifetime { variables, reads }
    }

    /// DEALLOCATE and NULLIFY.
    pub fn deallocate(&mut self, node: Node<'t>) -> StatementKind {
        let mut variables = Vec::new();
        let mut reads = Vec::new();
        for child in named_children(node).into_iter().filter(|child| child.kind() != "keyword_argument") {
            variables.push(self.expression(child));
        }
        self.memory_options(node, &mut variables, &mut reads);
        StatementKind::Lifetime { variables, reads }
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
