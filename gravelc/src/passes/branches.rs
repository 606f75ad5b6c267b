//! Branches that are never taken, and how they are left out of what the planner sees.

use crate::ir::{Block, Expression, Procedure, Span, StatementId, StatementKind};
use crate::mutations::Clause;

/// The branches of an IF that are never taken.
#[derive(Debug)]
pub(super) struct NeverTaken {
    /// By their positions, each with the condition that decides against it.
    arms: Vec<(usize, Span)>,
    /// That without a condition, with the condition that decides against it.
    otherwise: Option<Span>,
}

impl NeverTaken {
    /// The branches of the statement that are never taken, where `holds` says of its conditions whether they hold; `None` if there
    /// are none, or if it is no IF.
    pub fn of(
        procedure: &Procedure,
        statement: StatementId,
        holds: impl Fn(&Expression) -> Option<bool>,
    ) -> Option<Self> {
        let StatementKind::If { arms, otherwise, .. } = &procedure.statement(statement).kind else { return None };
        let truths: Vec<Option<bool>> = arms.iter().map(|arm| holds(&arm.condition)).collect();
        let is_left_out = |block: &Block| !block.is_empty() && !can_be_entered(procedure, block);
        let taken_before = |index: usize| truths[..index].iter().position(|truth| *truth == Some(true));
        let decider = |index: usize| match truths.get(index) {
            Some(Some(false)) => Some(index),
            _ => taken_before(index),
        };
        let place = |index: usize| arms[index].condition.span;
        let otherwise =
            otherwise.as_ref().filter(|block| is_left_out(block)).and_then(|_| decider(arms.len())).map(place);
        let left_out = (0..arms.len()).filter(|&index| is_left_out(&arms[index].body));
        let arms: Vec<(usize, Span)> = left_out.filter_map(|index| Some((index, place(decider(index)?)))).collect();
        (!arms.is_empty() || otherwise.is_some()).then_some(Self { arms, otherwise })
    }

    /// Is nothing left of the IF that has these branches but its conditions?
    pub fn is_all_of(&self, kind: &StatementKind) -> bool {
        let StatementKind::If { arms, otherwise, .. } = kind else { return false };
        let is_gone = |(index, body): (usize, &Block)| body.is_empty() || self.arms.iter().any(|arm| arm.0 == index);
        arms.iter().map(|arm| &arm.body).enumerate().all(is_gone)
            && otherwise.as_ref().is_none_or(|block| block.is_empty() || self.otherwise.is_some())
    }

    /// The statements of these branches, without those that they hold, each with the condition that decides against it.
    pub fn statements(&self, kind: &StatementKind) -> Vec<(StatementId, Span)> {
        let StatementKind::If { arms, otherwise, .. } = kind else { return Vec::new() };
        let of_arms = self.arms.iter().map(|(index, decider)| (&arms[*index].body, *decider));
        let blocks = of_arms.chain(otherwise.iter().filter_map(|block| Some((block, self.otherwise?))));
        blocks.flat_map(|(block, decider)| block.iter().map(move |id| (*id, decider))).collect()
    }

    /// Takes the branches out. What is evaluated on the way there is still evaluated.
    pub fn take_out(&self, procedure: &mut Procedure, statement: StatementId) {
        let removed = self.statements(&procedure.statement(statement).kind);
        if let StatementKind::If { arms, otherwise, .. } = &mut procedure.statements[statement.0].kind {
            self.arms.iter().for_each(|(index, _)| arms[*index].body.clear());
            otherwise.iter_mut().filter(|_| self.otherwise.is_some()).for_each(Block::clear);
        }
        // They stay in the arena, but no block holds them.
        for (root, _) in removed {
            for inner in procedure.with_descendants(root) {
                procedure.statements[inner.0].kind = StatementKind::Nothing;
            }
        }
    }

    /// Puts them back, as `original` has them.
    pub fn put_back(&self, procedure: &mut Procedure, original: &Procedure, statement: StatementId) {
        let whole = &original.statement(statement).kind;
        for (root, _) in self.statements(whole) {
            for inner in original.with_descendants(root) {
                procedure.statements[inner.0].clone_from(original.statement(inner));
            }
        }
        if let (
            StatementKind::If { arms, otherwise, .. },
            StatementKind::If { arms: whole, otherwise: whole_otherwise, .. },
        ) = (&mut procedure.statements[statement.0].kind, whole)
        {
            self.arms.iter().for_each(|(index, _)| arms[*index].body.clone_from(&whole[*index].body));
            if self.otherwise.is_some() {
                otherwise.clone_from(whole_otherwise);
            }
        }
    }
}

/// Can control come into the block by another way than from its beginning, or be unclear where it ends?
fn can_be_entered(procedure: &Procedure, block: &[StatementId]) -> bool {
    let mut statements = block.iter().flat_map(|&root| procedure.with_descendants(root));
    statements.any(|id| {
        let statement = procedure.statement(id);
        statement.jump_target && !Clause::BranchesEntered.is_off() || statement.kind.is_opaque()
    })
}

#[cfg(all(test, feature = "fortran"))]
mod tests;
