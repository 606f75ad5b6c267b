//! Small helpers on syntax trees.

use tree_sitter::Node;

/// What the grammar puts anywhere and means nothing.
fn is_extra(kind: &str) -> bool {
    matches!(kind, "comment" | "custom_directive" | "multiline_preproc_comment")
}

/// The children of `node` with their own kinds of nodes, comments left out.
pub(super) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !is_extra(child.kind())).collect()
}

/// All children of `node`, keywords and punctuation included, comments and continuation marks left out.
pub(super) fn all_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).filter(|child| !is_extra(child.kind()) && child.kind() != "&").collect()
}

/// The first child of this kind.
pub(super) fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}

/// Has `node` a child of this kind (a keyword, say)?
pub(super) fn has_child(node: Node<'_>, kind: &str) -> bool {
    child_of_kind(node, kind).is_some()
}

/// The text of `node` in lower case; bytes that are no ASCII are replaced.
pub(super) fn lower_text(text: &[u8], node: Node<'_>) -> String {
    String::from_utf8_lossy(&text[node.start_byte()..node.end_byte()]).to_ascii_lowercase()
}

/// All nodes at and below `node` that are of one of the `kinds`, in order.
pub(super) fn descendants_of_kinds<'t>(node: Node<'t>, kinds: &[&str]) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut pending = vec![node];
    while let Some(node) = pending.pop() {
        if kinds.contains(&node.kind()) {
            found.push(node);
        }
        pending.extend(named_children(node).into_iter().rev());
    }
    found
}
