//! The statements of a function as they stand in the text, each with what it is to the middle end.

use gravelc::ir::{Expression, StatementId};

use super::calls::Taken;
use super::iterators::Iterated;
use crate::arguments::Directive;

/// A statement.
pub struct Node {
    /// What it is to the middle end.
    pub id: StatementId,
    /// All statements of the middle end that stand for it, in order.
    pub block: Vec<StatementId>,
    /// Where it begins.
    pub span: proc_macro2::Span,
    /// Its form.
    pub kind: NodeKind,
    /// What the user asks for.
    pub directive: Directive,
}

/// The forms of statements.
pub enum NodeKind {
    /// A declaration of a variable with its value, or an assignment.
    Plain,
    /// Not understood: nothing moves over it.
    Barrier(String),
    /// A loop over a range, or over elements of arrays.
    Counted {
        /// Its statements.
        body: Vec<Node>,
        /// What it runs over, where that is no range.
        over: Option<Box<Iterated>>,
        /// The arrays that it takes in rows, each with the number of elements of a row.
        sizes: Vec<(String, Expression)>,
    },
    /// Branches; `None` for a condition that is not understood, which nothing moves over.
    Branches {
        /// The condition, and all that is in the branches, is understood.
        is_plain: bool,
        /// The blocks, in order.
        blocks: Vec<Vec<Node>>,
    },
    /// Another loop: nothing moves over it, or out of it.
    Repeated(Vec<Node>),
    /// A block.
    Block(Vec<Node>),
    /// A call of Gravel.
    Call(Box<Taken>),
}

impl Node {
    /// Are it and all that it holds understood, without calls?
    pub fn is_clean(&self) -> bool {
        match &self.kind {
            NodeKind::Plain => true,
            NodeKind::Barrier(_) | NodeKind::Repeated(_) | NodeKind::Call(_) => false,
            NodeKind::Branches { is_plain, blocks } => *is_plain && blocks.iter().flatten().all(Node::is_clean),
            NodeKind::Counted { body, .. } | NodeKind::Block(body) => body.iter().all(Node::is_clean),
        }
    }

    /// The blocks that it holds.
    pub fn blocks(&self) -> Vec<&[Node]> {
        match &self.kind {
            NodeKind::Plain | NodeKind::Barrier(_) | NodeKind::Call(_) => Vec::new(),
            NodeKind::Branches { blocks, .. } => blocks.iter().map(Vec::as_slice).collect(),
            NodeKind::Counted { body, .. } | NodeKind::Repeated(body) | NodeKind::Block(body) => vec![body],
        }
    }

    /// It and all that it holds.
    pub fn visit<'n>(&'n self, visit: &mut dyn FnMut(&'n Node)) {
        visit(self);
        self.blocks().into_iter().flatten().for_each(|node| node.visit(visit));
    }

    /// The first thing in it that nothing moves over, in words.
    pub fn obstacle(&self) -> Option<(proc_macro2::Span, String)> {
        let mut found = None;
        self.visit(&mut |node| {
            if let (NodeKind::Barrier(what), None) = (&node.kind, &found) {
                found = Some((node.span, what.clone()));
            }
        });
        let is_loop = matches!(self.kind, NodeKind::Repeated(_));
        found.or_else(|| is_loop.then(|| (self.span, "a loop without a count".to_owned())))
    }
}
