//! What statement functions look like (Fortran 2018, 15.6.4): as assignments to elements of arrays do.

use super::super::text::syntax_tree::Node;
use super::super::text::tree::named_children;
use super::units::Source;

/// Name, dummy arguments and expression of what looks like a statement function; an assignment to an element of an array does, too.
pub fn parts_of<'t>(source: &Source<'t>, part: Node<'t>) -> Option<(String, Vec<String>, Node<'t>)> {
    if part.kind() != "assignment_statement" {
        return None;
    }
    let left = part.child_by_field_name("left").filter(|left| left.kind() == "call_expression")?;
    let parts = named_children(left);
    let [function, arguments] = parts.as_slice() else { return None };
    let dummies = named_children(*arguments);
    let is_plain = function.kind() == "identifier" && dummies.iter().all(|dummy| dummy.kind() == "identifier");
    let dummies = dummies.into_iter().map(|dummy| source.lower(dummy)).collect();
    is_plain.then_some((source.lower(*function), dummies, part.child_by_field_name("right")?))
}

/// Does the statement look like a statement function?
pub fn is_like_statement_function(source: &Source<'_>, part: Node<'_>) -> bool {
    parts_of(source, part).is_some()
}
