//! Labels, and the jumps that lead to them: into blocks, too, which C permits.

use crate::frontend::c::unit::LabelId;
use crate::ir::{Statement, StatementId};

/// What can be jumped to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// By a name.
    Named(LabelId),
    /// By the `switch` whose jump this is, if that is known.
    Case(Option<StatementId>),
}

/// The labels and jumps of a function.
#[derive(Debug, Default)]
pub struct Jumps {
    /// The labels of the next statement.
    ahead: Vec<Label>,
    targets: Vec<(Label, StatementId)>,
    gotos: Vec<(LabelId, StatementId)>,
    /// The jumps of the `switch`es around, of those that are not followed.
    switches: Vec<StatementId>,
    /// Some jump goes to an address.
    computed: bool,
}

impl Jumps {
    /// The next statement has this label.
    pub fn label(&mut self, label: LabelId) {
        self.ahead.push(Label::Named(label));
    }

    /// The next statement has a label of the `switch` around.
    pub fn case(&mut self) {
        self.ahead.push(Label::Case(self.switches.last().copied()));
    }

    /// Does the next statement have a label?
    pub fn is_label_ahead(&self) -> bool {
        !self.ahead.is_empty()
    }

    /// The next statement is this one: has it a label?
    pub fn arrive(&mut self, statement: StatementId) -> bool {
        let is_labelled = self.is_label_ahead();
        self.targets.extend(self.ahead.drain(..).map(|label| (label, statement)));
        is_labelled
    }

    /// The statement is a jump to the label.
    pub fn goto(&mut self, label: LabelId, statement: StatementId) {
        self.gotos.push((label, statement));
    }

    /// Some jump may go to any label.
    pub fn goto_anywhere(&mut self) {
        self.computed = true;
    }

    /// What follows is the body of a `switch` that is not followed, whose jump is this statement.
    pub fn enter_switch(&mut self, jump: StatementId) {
        self.switches.push(jump);
    }

    /// The body is over.
    pub fn leave_switch(&mut self) {
        self.switches.pop();
    }

    /// Control may come to all statements into which a jump leads from outside, not only to those with the label.
    pub fn mark_entered(&self, statements: &mut [Statement]) {
        for (label, target) in &self.targets {
            match label {
                Label::Case(jump) => mark_around(statements, *target, *jump),
                Label::Named(_) if self.computed => mark_around(statements, *target, None),
                Label::Named(name) => {
                    let jumps = self.gotos.iter().filter(|(label, _)| label == name);
                    jumps.for_each(|(_, jump)| mark_around(statements, *target, Some(*jump)));
                }
            }
        }
    }
}

/// Marks the statements around `target` that do not hold the jump, too.
fn mark_around(statements: &mut [Statement], target: StatementId, jump: Option<StatementId>) {
    let around = |statements: &[Statement], id: StatementId| {
        std::iter::successors(statements[id.0].parent, |outer| statements[outer.0].parent).collect::<Vec<_>>()
    };
    let of_jump = jump.map(|jump| around(statements, jump)).unwrap_or_default();
    for outer in around(statements, target) {
        if !of_jump.contains(&outer) {
            statements[outer.0].jump_target = true;
        }
    }
}
