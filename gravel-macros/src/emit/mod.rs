//! From the plan to tokens.

mod conditions;
mod names;
mod region;
mod rewrite;
mod sequences;
mod split;
mod tiles;

use gravelc::plan::Plan;
use syn::visit_mut::VisitMut;
use syn::{Expr, Stmt};

use crate::arguments::Arguments;
use crate::frontend::Lowered;
use crate::frontend::tree::{Node, NodeKind};
use crate::moves::Half;
use crate::regions::{Block, Region};
use region::Words;
use rewrite::Stripper;

/// What became of a call.
pub struct Moved<'a> {
    /// The call.
    pub node: &'a Node,
    /// Its messages.
    pub halves: Vec<Half>,
}

/// Writes the plan into the function, and says what became of each call.
pub fn emit<'a>(
    function: &mut syn::ItemFn,
    lowered: &'a Lowered,
    plan: &Plan,
    arguments: &Arguments,
) -> Vec<Moved<'a>> {
    Stripper.visit_block_mut(&mut function.block);
    let mut moved = Vec::new();
    let emitter = Emitter { lowered, plan, arguments };
    emitter.block(&mut function.block, &lowered.body, &mut moved);
    moved
}

struct Emitter<'a, 'p> {
    lowered: &'a Lowered,
    plan: &'p Plan,
    arguments: &'p Arguments,
}

impl<'a> Emitter<'a, '_> {
    fn block(&self, block: &mut syn::Block, nodes: &'a [Node], moved: &mut Vec<Moved<'a>>) {
        for (statement, node) in block.stmts.iter_mut().zip(nodes) {
            if let Stmt::Expr(expression, _) = statement
                && !node.is_clean()
            {
                self.inside(expression, node, moved);
            }
        }
        let around = Block { lowered: self.lowered, nodes };
        let (regions, halves) = around.regions(self.plan);
        for (index, node) in nodes.iter().enumerate() {
            if matches!(node.kind, NodeKind::Call(_)) {
                let halves = halves.iter().filter(|half| half.call == index).cloned().collect();
                moved.push(Moved { node, halves });
            }
        }
        // Only what declares variables asks for them; then a long block is looked through once.
        let has_locals = |region: &Region| {
            block.stmts[region.first..=region.last].iter().any(|statement| matches!(statement, Stmt::Local(_)))
        };
        let words: Vec<Words> = match regions.iter().any(has_locals) {
            true => block.stmts.iter().map(region::words_of).collect(),
            false => vec![Words::new(); block.stmts.len()],
        };
        // From the end, so that indices of others stay.
        for region in regions.into_iter().rev() {
            let (first, last) = (region.first, region.last);
            let behind = block.stmts.split_off(last + 1);
            let inside = block.stmts.split_off(first);
            let emitted = region::emit(&around, &region, &inside, &words, self.arguments);
            block.stmts.push(emitted);
            block.stmts.extend(behind);
        }
    }

    /// The blocks that a statement holds.
    fn inside(&self, expression: &mut Expr, node: &'a Node, moved: &mut Vec<Moved<'a>>) {
        match (expression, node.blocks().as_slice()) {
            (Expr::ForLoop(it), [body]) => self.block(&mut it.body, body, moved),
            (Expr::While(it), [body]) => self.block(&mut it.body, body, moved),
            (Expr::Loop(it), [body]) => self.block(&mut it.body, body, moved),
            (Expr::Block(it), [body]) => self.block(&mut it.block, body, moved),
            (Expr::If(it), [then, otherwise @ ..]) => {
                self.block(&mut it.then_branch, then, moved);
                match (it.else_branch.as_mut().map(|(_, other)| &mut **other), otherwise) {
                    (Some(Expr::Block(other)), [nodes]) => self.block(&mut other.block, nodes, moved),
                    // A branch behind `else` is the one statement there.
                    (Some(other @ Expr::If(_)), [[node]]) => self.inside(other, node, moved),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Takes the directives out of a function that is left alone.
pub fn strip(function: &mut syn::ItemFn) {
    Stripper.visit_block_mut(&mut function.block);
}

/// Takes the directives out of an item that is left alone.
pub fn strip_item(item: &mut syn::Item) {
    Stripper.visit_item_mut(item);
}
