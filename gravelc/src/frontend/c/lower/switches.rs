//! `switch`: one of several blocks where each group of labels ends by leaving it, else jumps into one block.

use super::lowering::Lowering;
use super::statements::JumpTarget;
use crate::frontend::c::unit::{self, ExpressionId, StatementKind as Kind};
use crate::ir::{Arm, Expression, ExpressionKind, Room, StatementId, StatementKind};

/// The statements behind one group of labels.
type Group = Vec<unit::StatementId>;

impl Lowering<'_> {
    /// A `switch`.
    pub fn add_switch(&mut self, value: ExpressionId, body: unit::StatementId, range: &unit::Span) {
        let span = self.span(range);
        self.as_compound(range, |this| match this.groups(body) {
            Some(groups) => this.add_cases(value, groups, range),
            None => {
                this.add_scope(Vec::new(), span, |this, scope| {
                    this.as_compound(range, |this| {
                        this.carrier = span;
                        this.full(&[value], false, |this| {
                            let value = this.value(value);
                            let kind = ExpressionKind::Computed(vec![value]);
                            let arms = vec![Arm { condition: Expression::new(kind, span), body: Vec::new() }];
                            let id = this.add(StatementKind::If { arms, otherwise: None, one_line: false }, span);
                            let jump = this.inside(id, |this| {
                                this.add(StatementKind::Jump, span);
                            });
                            this.jumps.enter_switch(jump[0]);
                            if let StatementKind::If { arms, .. } = &mut this.statements[id.0].kind {
                                arms[0].body = jump;
                            }
                        });
                    });
                    // Where no label fits, nothing of it runs.
                    let exit = this.add(StatementKind::Exit(Some(scope)), span);
                    this.statements[exit.0].room = Room::Inside;
                    this.add_body(body, JumpTarget { breaks: scope, continues: None });
                    this.jumps.leave_switch();
                });
            }
        });
    }

    fn add_cases(&mut self, value: ExpressionId, groups: Vec<Group>, range: &unit::Span) {
        let span = self.span(range);
        let leaves_inside = groups.iter().flatten().any(|statement| self.has_break(*statement));
        if leaves_inside {
            self.add_scope(Vec::new(), span, |this, scope| {
                this.as_compound(range, |this| this.add_select(value, groups, Some(scope)));
            });
        } else {
            self.add_select(value, groups, None);
        }
    }

    fn add_select(&mut self, value: ExpressionId, groups: Vec<Group>, scope: Option<StatementId>) {
        let span = self.carrier;
        let mut id = None;
        self.full(&[value], false, |this| {
            let selectors = vec![this.value(value)];
            id = Some(this.add(StatementKind::Select { selectors, cases: Vec::new() }, span));
        });
        let Some(id) = id else { return };
        let mut cases = Vec::new();
        for group in groups {
            cases.push(self.inside(id, |this| {
                if let Some(scope) = scope {
                    this.targets.push(JumpTarget { breaks: scope, continues: None });
                }
                this.add_items(&group);
                if scope.is_some() {
                    this.targets.pop();
                }
            }));
        }
        if let StatementKind::Select { cases: of_select, .. } = &mut self.statements[id.0].kind {
            *of_select = cases;
        }
    }

    /// Does `break` stand there, for the `switch` around?
    fn has_break(&self, id: unit::StatementId) -> bool {
        let stops = |kind: &Kind| {
            matches!(kind, Kind::While { .. } | Kind::DoWhile { .. } | Kind::For { .. } | Kind::Switch { .. })
        };
        self.has(id, &|kind| matches!(kind, Kind::Break), &stops)
    }

    /// The groups of statements behind labels, each without the `break` that ends it; none where
    /// one runs on into the next, or labels stand inside of other statements.
    fn groups(&self, body: unit::StatementId) -> Option<Vec<Group>> {
        let Kind::Block(items) = &self.unit.statement(body).kind else { return None };
        let mut groups: Vec<Group> = Vec::new();
        // Does the group at hand go on?
        let mut is_open = false;
        for &item in items {
            let mut inner = item;
            let mut is_label = false;
            while let Kind::Case { body, .. } | Kind::Default(body) = &self.unit.statement(inner).kind {
                inner = *body;
                is_label = true;
            }
            let kind = &self.unit.statement(inner).kind;
            if matches!(kind, Kind::Declaration { .. }) || self.has_label(inner) {
                return None;
            }
            if is_label {
                if is_open && groups.last().is_some_and(|group| !group.is_empty()) {
                    return None;
                }
                if !is_open {
                    groups.push(Group::new());
                }
                is_open = true;
            } else if !is_open {
                // Nothing leads there.
                return None;
            }
            match kind {
                Kind::Break => is_open = false,
                Kind::Empty => {}
                _ => {
                    groups.last_mut()?.push(inner);
                    is_open = !self.leaves(inner);
                }
            }
        }
        Some(groups)
    }

    /// Is a label of this `switch`, or one that `goto` names, inside?
    fn has_label(&self, id: unit::StatementId) -> bool {
        let is_label = |kind: &Kind| matches!(kind, Kind::Case { .. } | Kind::Default(_) | Kind::Labelled(..));
        let stops = |kind: &Kind| matches!(kind, Kind::Switch { .. });
        self.has(id, &is_label, &stops)
    }

    /// Does control never come behind the statement?
    fn leaves(&self, id: unit::StatementId) -> bool {
        match &self.unit.statement(id).kind {
            Kind::Return(_) | Kind::Goto(_) | Kind::Continue | Kind::Break => true,
            Kind::Block(items) => items.last().is_some_and(|last| self.leaves(*last)),
            _ => false,
        }
    }
}
