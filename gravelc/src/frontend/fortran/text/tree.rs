//! Small helpers on syntax trees.

use std::sync::LazyLock;

use tree_sitter::Language;

use super::syntax_tree::Node;

/// What the grammar puts anywhere and means nothing.
const EXTRAS: [&str; 3] = ["comment", "custom_directive", "multiline_preproc_comment"];

/// Statements and expressions that hold no statements. Most of a program is in them.
const SIMPLE: [&str; 14] = [
    "assignment_statement",
    "call_expression",
    "data_statement",
    "format_statement",
    "identifier",
    "logical_expression",
    "math_expression",
    "number_literal",
    "parenthesized_expression",
    "print_statement",
    "read_statement",
    "relational_expression",
    "subroutine_call",
    "write_statement",
];

/// Per number of a kind of nodes: is it one of [`EXTRAS`], and one of [`SIMPLE`]? (To compare their names takes long.)
static KINDS: LazyLock<Vec<(bool, bool)>> = LazyLock::new(|| {
    let language = Language::from(tree_sitter_fortran::LANGUAGE);
    let name = |id| u16::try_from(id).ok().and_then(|id| language.node_kind_for_id(id)).unwrap_or_default();
    let of = |id| (EXTRAS.contains(&name(id)), SIMPLE.contains(&name(id)));
    (0..language.node_kind_count()).map(of).collect()
});

fn is_extra(node: Node<'_>) -> bool {
    KINDS.get(usize::from(node.kind_id())).is_some_and(|kind| kind.0)
}

/// May there be statements below the node? What could not be read may hold anything.
fn may_hold_statements(node: Node<'_>) -> bool {
    node.has_error() || !KINDS.get(usize::from(node.kind_id())).is_some_and(|kind| kind.1)
}

/// The children of `node` with their own kinds of nodes, comments left out.
pub fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children().filter(|child| !is_extra(*child)).collect()
}

/// All children of `node`, keywords and punctuation included, comments and continuation marks left out.
pub fn all_children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children().filter(|child| !is_extra(*child) && child.kind() != "&").collect()
}

/// The first child of this kind.
pub fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.children().find(|child| child.kind() == kind)
}

/// Has `node` a child of this kind (a keyword, say)?
pub fn has_child(node: Node<'_>, kind: &str) -> bool {
    child_of_kind(node, kind).is_some()
}

/// The text of `node` in lower case; bytes that are no ASCII are replaced.
pub fn lower_text(text: &[u8], node: Node<'_>) -> String {
    String::from_utf8_lossy(&text[node.start_byte()..node.end_byte()]).to_ascii_lowercase()
}

/// All nodes at and below `node` that are of one of the `kinds`, in order.
pub fn descendants_of_kinds<'t>(node: Node<'t>, kinds: &[&str]) -> Vec<Node<'t>> {
    descend(node, kinds, |_| true)
}

/// All constructs (nodes that hold statements) at and below `node` that are of one of the `kinds`, in order.
pub fn constructs_of_kinds<'t>(node: Node<'t>, kinds: &[&str]) -> Vec<Node<'t>> {
    descend(node, kinds, may_hold_statements)
}

/// The nodes of these kinds, in order, but for those below where there is nothing to be looked for.
fn descend<'t>(top: Node<'t>, kinds: &[&str], is_worth_looking: fn(Node<'_>) -> bool) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut next = Some(top);
    while let Some(node) = next {
        let counts = node == top || node.is_named() && !is_extra(node);
        if counts && kinds.contains(&node.kind()) {
            found.push(node);
        }
        let is_inside_of_interest = counts && is_worth_looking(node);
        next = if is_inside_of_interest { node.next_below(top) } else { node.next_behind(top) };
    }
    found
}
