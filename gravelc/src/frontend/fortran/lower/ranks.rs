//! Dummy arrays of any rank, `x(..)`, and SELECT RANK (Fortran 2018, 8.5.8.7 and 11.1.10).
//!
//! ```fortran
//! subroutine clear(x)
//!    real, intent(out) :: x(..)
//!    select rank (x)
//!    rank (1)
//!       x = 0                  ! some part of x
//!    rank (2)
//!       x(:, 1) = 0            ! some part of x
//!    end select
//! end subroutine
//! ```
//!
//! Such an array is handed on as a whole, or asked how large it is. Only inside SELECT RANK its elements have names, in each
//! block by another rank. So its symbol has one dimension without bounds, in which nothing is ever found: what blocks do with the
//! array is done with some part of it, and no element is told from another.

use std::collections::HashMap;

use super::super::text::syntax_tree::Node;
use super::super::text::tree::{child_of_kind, named_children};
use super::construct_names::{ConstructName, OpenNames};
use super::constructs::cases_of;
use super::lowering::{ConstructKind, Lowering};
use super::symbols::NameUse;
use crate::ir::{Span, StatementId, StatementKind, SymbolClass, SymbolId, TypeCategory};

impl<'t> Lowering<'_, 't> {
    /// Is it a dummy array of which the number of dimensions is known only when the procedure runs?
    pub fn has_any_rank(&self, symbol: SymbolId) -> bool {
        let Some((owner, name)) = self.origins[symbol.0].as_ref() else { return false };
        let scope = if *owner == self.unit { Some(self.scope) } else { self.scopes.list[*owner].as_ref() };
        scope.and_then(|scope| scope.entities.get(name)).is_some_and(|entity| entity.assumed_rank)
    }

    /// SELECT RANK, with a new name for the array or without.
    pub fn select_rank(&mut self, node: Node<'t>, id: StatementId, span: Span) -> StatementKind {
        let Some((name, meaning, is_new)) = self.selected_array(node) else {
            return self.opaque_statement(span, "a SELECT RANK that can't be read");
        };
        let hidden = if is_new { vec![name.clone()] } else { Vec::new() };
        self.open(node, id, ConstructKind::Other);
        let mut cases = Vec::new();
        for case in cases_of(node, "rank_statement") {
            let names = HashMap::from([(name.clone(), meaning.clone())]);
            let names = |scope: StatementId| OpenNames { statement: scope, names, uncertain: Vec::new() };
            cases.push(self.case_with_names(case, id, &hidden, names));
        }
        self.constructs.pop();
        // The rank is asked for, and nothing is read.
        StatementKind::Select { selectors: Vec::new(), cases }
    }

    /// The name that SELECT RANK gives to the array, what it means inside, and whether it is another one than outside.
    fn selected_array(&mut self, node: Node<'t>) -> Option<(String, ConstructName<'t>, bool)> {
        let inner = child_of_kind(node, "selector").and_then(|selector| named_children(selector).first().copied())?;
        let (name, array) = match inner.kind() {
            "identifier" => (inner, inner),
            "pointer_association_statement" => match named_children(inner).as_slice() {
                [name, array] if name.kind() == "identifier" && array.kind() == "identifier" => (*name, *array),
                _ => return None,
            },
            _ => return None,
        };
        let (name, array) = (self.source.lower(name), self.source.lower(array));
        let is_new = name != array;
        // One inside the RANK DEFAULT of another.
        if let Some(meaning) = self.construct_name(&array) {
            return matches!(meaning, ConstructName::Some { .. }).then_some((name, meaning, is_new));
        }
        let NameUse::Object(base) = self.name_use(&array) else { return None };
        let symbol = &self.symbols[base.0];
        if symbol.class != SymbolClass::Variable || !self.has_any_rank(base) {
            return None;
        }
        // Objects may have components that point elsewhere.
        let category = symbol.element.category;
        let through_pointer = matches!(category, TypeCategory::Derived | TypeCategory::Unknown);
        Some((name, ConstructName::Some { base, through_pointer }, is_new))
    }
}
