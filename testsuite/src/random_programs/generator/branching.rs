//! Branches that call one procedure: sides of a choice, and choices in these. What the procedure posts or waits for then
//! moves into several places, or must not, for one of them.

use super::*;

impl Generator {
    /// Puts calls of procedures into branches, as long as the program stays correct.
    pub(super) fn branch_calls(&mut self) {
        let wanted = if self.chance(60) { self.random.usize(1..4) } else { 0 };
        for _ in 0..wanted {
            let before = self.program.clone();
            if self.branch_call().is_none() || seems_correct(&self.program).is_err() {
                self.program = before;
            }
        }
    }

    /// Replaces a call by a choice that has it in several branches.
    fn branch_call(&mut self) -> Option<()> {
        // What shows the results stays where it is.
        let checks = self.program.body.split_off(self.program.body.len() - self.checks);
        let place = self.place_of_call()?;
        let call = self.program.edit_statement(place, |block, at| block[at].clone())?;
        let choice = self.choice_of(&call, 2);
        self.program.edit_statement(place, |block, at| block[at] = choice)?;
        self.program.body.extend(checks);
        Some(())
    }

    /// The number of a call; mostly of a procedure that calls MPI.
    fn place_of_call(&mut self) -> Option<usize> {
        let mut calls = Vec::new();
        let mut exchanges = Vec::new();
        for number in 0..self.program.size() {
            let called = self.program.edit_statement(number, |block, at| match &block[at] {
                Statement::Call(called, _) => Some(*called),
                _ => None,
            });
            let Some(Some(called)) = called else { continue };
            calls.push(number);
            if self.program.procedures[called].body.iter().any(communicates) {
                exchanges.push(number);
            }
        }
        if !exchanges.is_empty() && self.chance(90) {
            return Some(self.pick(&exchanges));
        }
        (!calls.is_empty()).then(|| self.pick(&calls))
    }

    /// A choice, up to so deep, with this call in most of its branches, and with work around it.
    fn choice_of(&mut self, call: &Statement, depth: usize) -> Statement {
        let condition = self.condition_of_branch();
        let then = self.branch_with(call, depth - 1);
        let otherwise = if self.chance(15) { Vec::new() } else { self.branch_with(call, depth - 1) };
        Statement::If { condition, then, otherwise }
    }

    /// A branch with the call, or with a choice up to so deep that has it.
    fn branch_with(&mut self, call: &Statement, depth: usize) -> Vec<Statement> {
        let mut branch = match self.random.usize(0..100) {
            0..25 if depth > 0 => vec![self.choice_of(call, depth)],
            // Something that this branch alone does.
            25..40 => self.noise(0, None).into_iter().chain([call.clone()]).collect(),
            _ => vec![call.clone()],
        };
        if self.chance(40) {
            let work = self.idle_work(None);
            let at = if self.chance(50) { 0 } else { branch.len() };
            branch.splice(at..at, work);
        }
        branch
    }

    /// What decides: ranks, which then go different ways, or what all of them know.
    fn condition_of_branch(&mut self) -> Condition {
        let left = self.pick(&[
            Expression::Rank,
            Expression::Rank.modulo(2),
            Expression::Ranks,
            Expression::Scalar(TIME).modulo(2),
            Expression::Scalar(OTHER),
            Expression::Scalar(COUNT),
        ]);
        let relation = self.pick(&[Relation::Equal, Relation::Different, Relation::Less, Relation::NotLess]);
        Condition { left, relation, right: Expression::Literal(self.random.i64(0..4)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_programs::tests::some_programs;

    #[test]
    fn procedures_are_called_in_several_branches_of_a_choice() {
        let [mut sides, mut nested] = [0, 0];
        for program in some_programs() {
            let calls = |block: &[Statement]| -> Vec<ProcedureId> {
                let called = |statement: &Statement| match statement {
                    Statement::Call(called, _) if program.procedures[*called].body.iter().any(communicates) => {
                        Some(*called)
                    }
                    _ => None,
                };
                block.iter().filter_map(called).collect()
            };
            let is_nested = |block: &[Statement], called: ProcedureId| {
                block.iter().any(|statement| match statement {
                    Statement::If { then, otherwise, .. } => {
                        calls(then).contains(&called) && calls(otherwise).contains(&called)
                    }
                    _ => false,
                })
            };
            sides += usize::from(program.any(&|statement| match statement {
                Statement::If { then, otherwise, .. } => {
                    calls(then).iter().any(|called| calls(otherwise).contains(called))
                }
                _ => false,
            }));
            nested += usize::from(program.any(&|statement| match statement {
                Statement::If { then, otherwise, .. } => {
                    calls(then).iter().any(|called| is_nested(otherwise, *called))
                        || calls(otherwise).iter().any(|called| is_nested(then, *called))
                }
                _ => false,
            }));
        }
        assert!(sides > 6 && nested > 0, "{sides} {nested}");
    }
}
