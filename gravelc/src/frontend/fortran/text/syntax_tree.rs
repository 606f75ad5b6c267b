//! The syntax tree of a file, in a few bytes for each node: what the parser builds takes ten times as much memory, so it is
//! copied and given back, and what is looked for in it (names of fields, ends of nodes) is a number here.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use tree_sitter::{Language, Tree, TreeCursor};

/// The names in the grammar.
struct Names {
    kinds: Vec<&'static str>,
    fields: HashMap<&'static str, u16>,
}

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_fortran::LANGUAGE.into());

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let language: &'static Language = &LANGUAGE;
    let kinds = (0..=u16::MAX).take(language.node_kind_count());
    let fields = (1..=u16::MAX).take(language.field_count());
    Names {
        kinds: kinds.map(|id| language.node_kind_for_id(id).unwrap_or_default()).collect(),
        fields: fields.filter_map(|id| Some((language.field_name_for_id(id)?, id))).collect(),
    }
});

/// Of a node that stands for what could not be read.
const ERROR: &str = "ERROR";

/// A tree: its nodes, each in front of those below it.
pub struct SyntaxTree {
    nodes: Vec<NodeData>,
}

struct NodeData {
    start: u32,
    end: u32,
    parent: u32,
    /// The number of the first node behind it that is not below it.
    behind: u32,
    kind: u16,
    /// The field of its parent in which it is; 0 for none.
    field: u16,
    flags: u8,
}

/// The nodes whose children are declarations and statements.
const UNITS: [&str; 4] = ["program", "subroutine", "function", "module_procedure"];

const NAMED: u8 = 1;
const IS_ERROR: u8 = 2;
const MISSING: u8 = 4;
const HAS_ERROR: u8 = 8;

impl SyntaxTree {
    /// Copies what the parser has built.
    pub(super) fn of(tree: &Tree) -> Self {
        let mut nodes: Vec<NodeData> = Vec::with_capacity(tree.root_node().descendant_count());
        let mut cursor = tree.walk();
        let mut parents: Vec<u32> = Vec::new();
        loop {
            let index = number(nodes.len());
            nodes.push(NodeData::at(&cursor, parents.last().copied().unwrap_or(0)));
            if cursor.goto_first_child() {
                parents.push(index);
                continue;
            }
            nodes[index as usize].behind = index + 1;
            while !cursor.goto_next_sibling() {
                let behind = number(nodes.len());
                if let Some(parent) = parents.pop() {
                    nodes[parent as usize].behind = behind;
                }
                if !cursor.goto_parent() {
                    return Self { nodes };
                }
            }
        }
    }

    /// Makes the declaration of a Cray pointer of what looks like a reference to a function that stands for a statement, which to the
    /// grammar is one of a macro: `pointer (p, x)` in front of the first statement that can be executed. `text` is what was parsed.
    pub(super) fn recognise_pointers(&mut self, text: &[u8]) {
        let kind_of = |node: &NodeData| NAMES.kinds.get(usize::from(node.kind)).copied();
        let is_unit = |node: &NodeData| kind_of(node).is_some_and(|kind| UNITS.contains(&kind));
        let kinds = NAMES.kinds.iter().position(|kind| *kind == "cray_pointer_declaration");
        let Some(declaration) = kinds.and_then(|kind| u16::try_from(kind).ok()) else { return };
        for index in 1..self.nodes.len() {
            let (node, first) = (&self.nodes[index], self.nodes.get(index + 1));
            let word = first.and_then(|first| text.get(first.start as usize..first.end as usize));
            if kind_of(node) == Some("call_expression")
                && is_unit(&self.nodes[node.parent as usize])
                && word.is_some_and(|word| word.eq_ignore_ascii_case(b"pointer"))
            {
                self.nodes[index].kind = declaration;
            }
        }
    }

    /// The node of the whole file.
    pub fn root_node(&self) -> Node<'_> {
        Node { nodes: &self.nodes, index: 0 }
    }
}

/// Parsers count bytes and nodes in 32 bits, too.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl NodeData {
    fn at(cursor: &TreeCursor<'_>, parent: u32) -> Self {
        let node = cursor.node();
        let flags = [
            (NAMED, node.is_named()),
            (IS_ERROR, node.is_error()),
            (MISSING, node.is_missing()),
            (HAS_ERROR, node.has_error()),
        ];
        Self {
            start: number(node.start_byte()),
            end: number(node.end_byte()),
            parent,
            behind: 0,
            kind: node.kind_id(),
            field: cursor.field_id().map_or(0, Into::into),
            flags: flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag).sum(),
        }
    }
}

/// A node of a tree.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    nodes: &'t [NodeData],
    index: u32,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Node<'_> {}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.kind(), self.byte_range())
    }
}

impl<'t> Node<'t> {
    fn data(self) -> &'t NodeData {
        &self.nodes[self.index as usize]
    }

    fn has(self, flag: u8) -> bool {
        self.data().flags & flag != 0
    }

    /// A number that no other node has, also of another tree.
    pub fn id(self) -> usize {
        std::ptr::from_ref(self.data()).addr()
    }

    /// The name of its kind, or the text of a keyword or sign.
    pub fn kind(self) -> &'static str {
        NAMES.kinds.get(usize::from(self.data().kind)).copied().unwrap_or(ERROR)
    }

    /// The number of its kind.
    pub(super) fn kind_id(self) -> u16 {
        self.data().kind
    }

    /// Has its kind a name (rather than being a keyword or a sign)?
    pub fn is_named(self) -> bool {
        self.has(NAMED)
    }

    /// Could the text not be read?
    pub fn is_error(self) -> bool {
        self.has(IS_ERROR)
    }

    /// Has the parser put it in where the text has nothing?
    pub fn is_missing(self) -> bool {
        self.has(MISSING)
    }

    /// Is there an error in it or below it?
    pub fn has_error(self) -> bool {
        self.has(HAS_ERROR)
    }

    /// Its first byte.
    pub fn start_byte(self) -> usize {
        self.data().start as usize
    }

    /// One past its last byte.
    pub fn end_byte(self) -> usize {
        self.data().end as usize
    }

    /// Its bytes.
    pub fn byte_range(self) -> Range<usize> {
        self.start_byte()..self.end_byte()
    }

    /// The node above it.
    pub fn parent(self) -> Option<Self> {
        (self.index > 0).then(|| Self { index: self.data().parent, ..self })
    }

    /// Its children, keywords and signs included.
    pub fn children(self) -> impl Iterator<Item = Self> {
        let behind = self.data().behind;
        let child = move |index: u32| (index < behind).then_some(Self { index, ..self });
        std::iter::successors(child(self.index + 1), move |previous| child(previous.data().behind))
    }

    /// Its children with kinds that have names.
    pub fn named_children(self) -> impl Iterator<Item = Self> {
        self.children().filter(|child| child.is_named())
    }

    /// Its children in a field.
    pub fn children_by_field_name(self, name: &str) -> impl Iterator<Item = Self> {
        let field = NAMES.fields.get(name).copied();
        self.children().filter(move |child| Some(child.data().field) == field)
    }

    /// Its first child in a field.
    pub fn child_by_field_name(self, name: &str) -> Option<Self> {
        self.children_by_field_name(name).next()
    }

    /// Is it in this field of the node above?
    pub fn is_in_field(self, name: &str) -> bool {
        NAMES.fields.get(name) == Some(&self.data().field)
    }

    /// The node that follows in the order of the text, in front of those below it; below `top` alone.
    pub(super) fn next_below(self, top: Self) -> Option<Self> {
        let index = self.index + 1;
        (index < top.data().behind).then_some(Self { index, ..self })
    }

    /// The node that follows it and all that is below it, among those below `top`.
    pub(super) fn next_behind(self, top: Self) -> Option<Self> {
        let index = self.data().behind;
        (index < top.data().behind).then_some(Self { index, ..self })
    }
}

#[cfg(test)]
mod tests {
    use tree_sitter::Parser;

    use super::*;

    /// The tree of a text that has something of everything, an error, too.
    fn parsed() -> Tree {
        let text = "module m\nuse, intrinsic :: mpi, only: a => b\ninteger, dimension(3) :: x = [1, 2, 3], y(2)\ncontains\n\
                    subroutine s(a) ! one\nif (a > 1) then\ncall t(a, b=2)\nelse\nx = = 1\nend if\nallocate(z(3), stat=i)\n\
                    data x(1), y /2*1, 3/\nend subroutine\nend module\n";
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_fortran::LANGUAGE.into()).unwrap();
        parser.parse(text, None).unwrap()
    }

    fn compare(theirs: tree_sitter::Node<'_>, own: Node<'_>) {
        assert_eq!(theirs.kind(), own.kind());
        assert_eq!(theirs.byte_range(), own.byte_range());
        let flags = (theirs.is_named(), theirs.is_error(), theirs.is_missing(), theirs.has_error());
        assert_eq!(flags, (own.is_named(), own.is_error(), own.is_missing(), own.has_error()));
        assert_eq!(theirs.parent().map(|it| it.byte_range()), own.parent().map(Node::byte_range));
        for name in NAMES.fields.keys() {
            let found = theirs.child_by_field_name(name).map(|it| (it.kind(), it.byte_range()));
            assert_eq!(found, own.child_by_field_name(name).map(|it| (it.kind(), it.byte_range())), "{name}");
        }
        let mut cursor = theirs.walk();
        let children: Vec<_> = theirs.children(&mut cursor).collect();
        assert_eq!(children.len(), own.children().count());
        children.into_iter().zip(own.children()).for_each(|(theirs, own)| compare(theirs, own));
    }

    #[test]
    fn it_is_the_tree_of_the_parser() {
        let theirs = parsed();
        let own = SyntaxTree::of(&theirs);
        assert!(own.root_node().has_error());
        compare(theirs.root_node(), own.root_node());
    }
}
